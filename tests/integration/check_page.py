# SPDX-License-Identifier: MIT
#
# check_page.py PAGE PROGRAM [picture]: is the page well formed, without
# references to anything outside, with the program's text as it is, and do its
# words lead from each line to arrays, kernels, stages and source and back? Has
# the picture a box for each array?
import re
import sys
import xml.etree.ElementTree as tree

page = open(sys.argv[1]).read()
program = open(sys.argv[2]).read()
first, rest = page.split("\n", 1)
assert first == "<!DOCTYPE html>", first
root = tree.fromstring(rest)
assert not re.search(r"(src|href)\s*=|https?:|@import|url\((?!#head)", page), \
    "a reference"
sections = {s.get("id"): s for s in root.iter("section")}
assert list(sections) == ["program", "kernels", "stages", "arrays", "source"]
lines = [c.text or "" for c in sections["program"].iter("code")]
assert "\n".join(lines) == program.rstrip("\n"), "the text is another one"


def words(element):
    return set(element.get("data-k", "").split())


def every(section):
    return set().union(*map(words, sections[section].iter()))


made = {w for w in every("arrays") if w[0] == "L"}
assert made, "no array has a line"
assert made <= every("program"), "a line that is none"
assert made & every("source"), "no line of source has a line"
assert made & every("stages"), "no line of a stage has a line"
kernels = {w for w in every("kernels") if w[0] == "K"}
assert kernels and kernels == {w for w in every("source") if w[0] == "K"}
arrays = {w for w in every("arrays") if w[0] == "A"}
assert arrays >= {w for w in every("kernels") if w[0] == "A"}
for code in sections["program"].iter("code"):
    if (code.text or "").startswith("out "):
        own = words(code)
        assert own & every("source") or not own & made, code.text
named = {p.text.split(":")[0].strip(): words(p)
         for p in sections["arrays"].iter("p") if p.get("class", "")[:5] == "array"}
linked = 0
for section, pattern in ("source", r"; /\* (\w+)\["), ("stages", r"  # (\w+)$"):
    for code in sections[section].iter("code"):
        found = re.search(pattern, code.text or "")
        if found and found[1] in named:
            assert words(code) & named[found[1]], code.text
            linked += 1
boxes = sections["arrays"].findall(".//g")
if len(sys.argv) > 3:  # Graphviz is there
    assert {w for g in boxes for w in words(g) if w[0] == "A"} == arrays
    arrows = len(sections["arrays"].findall(".//path[@class='arrow']"))
    assert arrows or not any(g.get("class") == "input" for g in boxes)
print(len(made), "lines,", len(kernels), "kernels,", len(boxes), "boxes,",
      linked, "lines of arrays")
