#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check-cuda over the fake driver and the fake NVRTC, which stand in for the
# real ones by lying in front of them on LD_LIBRARY_PATH: the program skips in
# one line when there is no device, and passes with two of them. That needs no
# GPU. Of the kernels two files are enough here: what is tried is the launch.
set -eu
program=tests/cuda/cuda
[ -x "$program" ] || { echo "skipped: Check is missing, no $program"; exit 77; }
LD_LIBRARY_PATH=$PWD/tests/cuda/fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
log=$(mktemp "${TMPDIR:-/tmp}/ilex-cuda.XXXXXX") || exit 99
trap 'rm -f "$log"' EXIT
unset CK_TAP_LOG_FILE_NAME
CK_VERBOSITY=normal
export CK_VERBOSITY

status=0
FAKE_CUDA_DEVICES=0 "$program" >"$log" 2>&1 || status=$?
cat "$log"
if [ "$status" -ne 77 ] || [ "$(wc -l <"$log")" -ne 1 ] ||
    ! grep -q 'skipped: .*no CUDA-capable device' "$log"
then
    echo "without a device: exit status $status, not 77 and one line"
    exit 1
fi

"$program" --memory
"$program" --kernels --file=reduce.tsv
"$program" --kernels --file=einsum.tsv
tests/differential/differential --device --count=60
tests/unit/test_stack

# The command makes storages on both sides.
./ilexc run "${srcdir:-.}/examples/hdiff.ilx" --jit=nvrtc --check=reference \
    --size ni=5,nj=6,nk=8 --in u=random:1 --in coeff=random:2 --out v=- >"$log"

# A program is compared with copies where it runs.
./ilexc bench "${srcdir:-.}/examples/hdiff.ilx" --jit=nvrtc \
    --size ni=5,nj=6,nk=8 >"$log"
grep -q '^copy on the device, of as many bytes: [0-9.]* GB/s' "$log" &&
    grep -q '^nvrtc  *- .*%' "$log" && ! grep -q 'copy by' "$log" ||
    { cat "$log"; echo "bench does not compare with the device's copy"; exit 1; }
