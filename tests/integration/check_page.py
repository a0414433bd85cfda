# SPDX-License-Identifier: MIT
#
# check_page.py PAGE PROGRAM: is the page well formed, without references to
# anything outside, with the program's text as it is, and do its words lead from
# each line to arrays, kernels and source and back?
import re
import sys
import xml.etree.ElementTree as tree

page = open(sys.argv[1]).read()
program = open(sys.argv[2]).read()
first, rest = page.split("\n", 1)
assert first == "<!DOCTYPE html>", first
root = tree.fromstring(rest)
assert not re.search(r"(src|href)\s*=|https?:|@import|url\(", page), "a reference"
sections = root.findall("./body/main/section")
assert [s.find("h2").text for s in sections] == ["Program", "Arrays", "Source"]
lines = [c.text or "" for c in sections[0].findall("code")]
assert "\n".join(lines) == program.rstrip("\n"), "the text is another one"


def words(section):
    return [set(e.get("data-k").split()) for e in section.iter() if e.get("data-k")]


def every(section):
    return set().union(*words(section))


made = {w for w in every(sections[1]) if w[0] == "L"}
assert made, "no array has a line"
assert made <= every(sections[0]), "a line that is none"
assert made & every(sections[2]), "no line of source has a line"
kernels = {w for w in every(sections[1]) if w[0] == "K"}
assert kernels and kernels == {w for w in every(sections[2]) if w[0] == "K"}
source = every(sections[2])
for code in sections[0].findall("code"):
    if (code.text or "").startswith("out "):
        own = set(code.get("data-k").split())
        assert own & source or not own & made, code.text
print(len(made), "lines,", len(kernels), "kernels")
