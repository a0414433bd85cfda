#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Draws the pictures here: pages of `ilexc graph --html` in a headless browser.
#
#     doc/pictures/make.sh build/ilexc
#
# hdiff.png, hdiff-dark.png: examples/hdiff.ilx at 1500 and 800 pixels;
# softmax.png; many.png: 200 arrays.
set -eu
ilexc=$(realpath "${1:?the program ilexc}")
here=$(cd "$(dirname "$0")" && pwd)
browser=$(command -v chromium || command -v google-chrome)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# draw NAME FILE WIDTH HEIGHT [OPTION]
draw() {
    "$ilexc" graph --html "$2" -o "$1.html"
    echo "$1: $(wc -c <"$1.html") bytes of HTML"
    HOME=$work "$browser" --headless --no-sandbox --disable-gpu \
        --hide-scrollbars --window-size="$3,$4" ${5:+"$5"} \
        --screenshot="$here/$1.png" "file://$work/$1.html" >log 2>&1 || cat log
    ! command -v pngquant >/dev/null ||
        pngquant --force --ext .png 64 "$here/$1.png"
}

cat >softmax.ilx <<'END'
ilex 1
program softmax
size n, m
assume m >= 1
in x : f32[n, m]
let top = max[1](x; keep=1)
let e = exp(x - top)
let total = sum[1](e; keep=1)
out y = e/total
END

awk 'BEGIN {
    print "ilex 1\nprogram many\nsize n\nin x : f64[I:n]\nlet a0 = x*x"
    for (i = 1; i < 199; i++) {
        a = "a" (i > 3 ? i - 1 - (i*i)%3 : i - 1)
        b = "a" (i > 9 ? i - 1 - (i*7)%9 : 0)
        if (i % 23 == 11) print "let a" i " = sum(" a ")*" b
        else if (i % 3 == 1) print "let a" i " = " a " + 0.5*" b
        else if (i % 3 == 2) print "let a" i " = max(" a ", " b " - 1.0)"
        else print "let a" i " = sqrt(abs(" a ")) - " b
    }
    print "out r = a198 + a197 + a196"
}' >many.ilx

cp "$here/../../examples/hdiff.ilx" .
draw hdiff hdiff.ilx 1500 1000
draw hdiff-dark hdiff.ilx 800 1000 --blink-settings=preferredColorScheme=0
draw softmax softmax.ilx 1500 1000
draw many many.ilx 1500 1400
