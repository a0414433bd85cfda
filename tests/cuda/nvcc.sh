#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What nvcc makes of kernels on which its ptxas failed, for sm_90: no crash
# where few chunks of lanes are unrolled, and, where a disassembler is found, no
# instruction of three maxima, which loses signs in CUDA 13.0 to 13.2.
set -u
ilexc=${ILEXC:-$PWD/ilexc}
stages=$(cd "${srcdir:-.}/tests/stages" && pwd)
PATH=$PATH:/usr/local/cuda/bin
command -v nvcc >/dev/null 2>&1 || { echo "skipped: no nvcc"; exit 77; }
dir=$(mktemp -d "${TMPDIR:-/tmp}/ilex-nvcc.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
cd "$dir" || exit 99
bad=0

# The program in file "$1", compiled to $1.cubin.
compile() {
    "$ilexc" emit --cuda "$1" >"$1.cu" &&
        nvcc -arch=sm_90 -fmad=false -cubin "$1.cu" -o "$1.cubin" >log 2>&1 &&
        return
    echo "$1: nvcc fails:"
    cat "$1" log
    bad=1
}

for n in 65 67 68 70
do
    printf 'ilex 1\nprogram dot\nin x : f64[%d]\nin y : f64[%d]\n' $n $n >dot.ilx
    echo 'out r : f64 = einsum("i,i->", x, y)' >>dot.ilx
    compile dot.ilx
done
cp "$stages/device_maxima.ilx" maxima.ilx
compile maxima.ilx
if command -v cuobjdump >/dev/null 2>&1 && command -v nvdisasm >/dev/null 2>&1
then
    cuobjdump -sass maxima.ilx.cubin >sass
    grep -q VIMNMX sass || { echo "maxima.ilx: no maximum"; bad=1; }
    grep VIMNMX3 sass && bad=1
fi
exit $bad
