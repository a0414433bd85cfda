#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A page in a browser: what a click marks, that Escape takes it back, that
# nothing is wider than the window.
browser=$(command -v chromium || command -v chromium-browser ||
    command -v google-chrome) || { echo "no browser"; exit 77; }
[ -x /usr/bin/dot ] || [ -x /usr/local/bin/dot ] ||
    { echo "no Graphviz"; exit 77; }
# shellcheck source=tests/integration/expect.sh
. "${srcdir:-.}/tests/integration/expect.sh"

cat >asks.html <<'END'
<pre id="answers"></pre>
<script>
var answers = [];
function marked(selector) {
    return Array.from(document.querySelectorAll(selector)).map(function (e) {
        return e.textContent.trim().split("\n")[0]; });
}
function click(e) { e.dispatchEvent(new MouseEvent("click", {bubbles: true})); }
var box = Array.from(document.querySelectorAll("svg g")).find(function (g) {
    return g.querySelector("text").textContent === "lap"; });
click(box);
answers.push("box " + marked("g.on text:first-of-type"));
answers.push("line " + marked("#program .on"));
answers.push("kernel " + marked("#kernels .on h3"));
answers.push("source " + marked("#source code.on").length);
answers.push("stages " + marked("#stages code.on").length);
answers.push("why " + marked("p.array.on"));
document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}));
answers.push("after escape " + marked(".on").length);
click(document.querySelector("#kernels article"));
answers.push("boxes of the kernel " + marked("g.on text:first-of-type"));
answers.push("its source " + marked("#source div.on").length);
click(document.body);
answers.push("after another click " + marked(".on").length);
answers.push("wider " + (document.documentElement.scrollWidth >
    document.documentElement.clientWidth));
document.getElementById("answers").textContent = answers.join("\n");
</script>
END
expect 0 '' graph --html "$examples/hdiff.ilx" -o page.html
sed '/<\/body>/d; /<\/html>/d' page.html >asked.html
cat asks.html >>asked.html
for width in 1500 800
do
    count=$((count + 1))
    HOME=$dir "$browser" --headless --no-sandbox --disable-gpu \
        --window-size=$width,1000 --virtual-time-budget=5000 --dump-dom \
        "file://$dir/asked.html" >dom 2>err </dev/null
    sed -n '/<pre id="answers">/,/<\/pre>/p' dom |
        sed 's/<[^>]*>//g; s/&gt;/>/g' >out
    cat >wanted <<'END'
box lap
line let lap = 4.0*u - (u[I+1] + u[I-1] + u[J+1] + u[J-1]) @name("laplacian")
kernel k0 on [I:ni, J:nj, K:nk]: writes v; reads u, coeff
END
    head -3 out | cmp -s - wanted || fail "what is marked at $width"
    grep -q '^source [1-9]' out || fail 'no line of source is marked'
    grep -q '^stages [1-9]' out || fail 'no line of a stage is marked'
    grep -q '^why lap: computed' out || fail 'no reason is marked'
    grep -q '^after escape 0$' out || fail 'Escape leaves marks'
    grep -q '^boxes of the kernel .*lap.*v$' out || fail 'no boxes of a kernel'
    grep -q '^its source 1$' out || fail 'no source of a kernel'
    grep -q '^after another click 0$' out || fail 'a click leaves marks'
    grep -q '^wider false$' out || fail "wider than $width"
done
finish
