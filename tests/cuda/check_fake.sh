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

# What is carried to a GPU, run as it is there.
${MAKE:-make} -s bundle >"$log" 2>&1 || { cat "$log"; exit 1; }
SMALL=1 OUT=$PWD/check-cuda/out check-cuda/run ||
    { tail -n 5 check-cuda/out/*.log; exit 1; }
for part in smoke memory golden-reduce random bench-hdiff bench-compact
do
    [ -s "check-cuda/out/$part.log" ] || { echo "run leaves $part out"; exit 1; }
done
grep -q ' 0 of 1728 elements differ from cc$' check-cuda/out/bench-hdiff.log ||
    { cat check-cuda/out/bench-hdiff.log; exit 1; }

tests/unit/test_stack

# A program is compared with copies where it runs.
./ilexc bench "${srcdir:-.}/examples/hdiff.ilx" --jit=nvrtc \
    --size ni=5,nj=6,nk=8 >"$log"
grep -q '^copy on the device, of as many bytes: [0-9.]* GB/s' "$log" &&
    grep -q '^nvrtc  *- .*%' "$log" && ! grep -q 'copy by' "$log" ||
    { cat "$log"; echo "bench does not compare with the device's copy"; exit 1; }

# Which NVRTC: one for the driver's version, beside a runtime that the process
# has, or the one that is named; in a process one, which is named in time.
dir=$(mktemp -d "${TMPDIR:-/tmp}/ilex-nvrtc.XXXXXX") || exit 99
trap 'rm -rf "$log" "$dir"' EXIT
fake=$PWD/tests/cuda/fake
mkdir -p "$dir/driver" "$dir/both" "$dir/pip/cuda_runtime/lib" "$dir/pip/cuda_nvrtc/lib"
cp "$fake/libcuda.so.1" "$dir/driver"
for name in both/libnvrtc.so.12 both/libnvrtc.so.13 both/libcudart.so.13 \
    pip/cuda_runtime/lib/libcudart.so.12 pip/cuda_nvrtc/lib/libnvrtc.so.12 mine.so
do
    cp "$fake/libnvrtc.so.13" "$dir/$name"
done

# Wants that `ilexc` "$3 ..." with the variables "$2" opens the NVRTC "$1".
opens() {
    want=$1
    set_to=$2
    shift 2
    # shellcheck disable=SC2086
    env LD_LIBRARY_PATH="$dir/driver" LD_DEBUG=files LD_DEBUG_OUTPUT="$dir/log" \
        $set_to ./ilexc "$@" >"$log" 2>&1 || { cat "$log"; exit 1; }
    cat "$dir"/log.* | sed -n "s|.*calling init: $dir/||p" | grep -v -e cudart -e libcuda |
        tail -n 1 >"$log"
    rm -f "$dir"/log.*
    [ "$(cat "$log")" = "$want" ] ||
        { echo "$set_to $*: opens $(cat "$log"), not $want"; exit 1; }
}
opens both/libnvrtc.so.13 "LD_LIBRARY_PATH=$dir/driver:$dir/both" list backends
opens both/libnvrtc.so.12 "FAKE_CUDA_VERSION=12080 LD_LIBRARY_PATH=$dir/driver:$dir/both" \
    list backends
# The runtime of a sanitizer has to be the first library itself.
if [ -z "${SANITIZE_FLAGS:-}" ]; then
    opens both/libnvrtc.so.13 "LD_PRELOAD=$dir/both/libcudart.so.13" list backends
    opens pip/cuda_runtime/lib/../../cuda_nvrtc/lib/libnvrtc.so.12 \
        "LD_PRELOAD=$dir/pip/cuda_runtime/lib/libcudart.so.12" list backends
fi
opens mine.so "LD_LIBRARY_PATH=$dir/driver:$dir/both" \
    run "${srcdir:-.}/examples/axpy.ilx" --jit=nvrtc --nvrtc="$dir/mine.so" \
    --size n=4 --in a=zero --in x=zero --in y=zero
! LD_LIBRARY_PATH=$dir/driver ./ilexc run "${srcdir:-.}/examples/axpy.ilx" --jit=nvrtc \
    --nvrtc="$dir/none.so" --size n=4 --in a=zero --in x=zero --in y=zero >"$log" 2>&1
grep "E701.*NVRTC cannot be opened: $dir/none.so" "$log" >/dev/null ||
    { cat "$log"; exit 1; }
