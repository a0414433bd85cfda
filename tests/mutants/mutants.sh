#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Planted bugs: do the tests see them? Run by `make mutants` in a build tree.
#
#     mutants.sh [WORD...]    all rows of mutants.tsv, or those with a WORD
#
# The distributed sources are copied to mutants.dir (or $ILEX_MUTANTS_DIR) and
# built there once; all tests must pass on them. Then each patch is applied,
# what it changes built again, and its tests run until one fails; the patch is
# taken back. A patch is seen by a test that fails or exceeds ILEX_MUTANTS_LIMIT
# seconds (120); where the row names a pass, tests/tree must name that pass. The
# exit status is 1 if a patch survived.
#
# A new one: NN-name.patch (diff -u, paths from the top, one line above it that
# says what is wrong) and a row of mutants.tsv.
set -u
LC_ALL=C
export LC_ALL
unset ILEX_JIT ILEX_THREADS ILEX_DUMP ILEX_STOP ILEX_VERIFY ILEX_FUSE \
    ILEX_QUOTA ILEX_CC ILEX_CFLAGS ILEX_SEED
CK_VERBOSITY=minimal
ILEX_CACHE=off
export CK_VERBOSITY ILEX_CACHE
here=$(cd "${srcdir:-.}" && pwd)/tests/mutants
dir=${ILEX_MUTANTS_DIR:-mutants.dir}
make=${MAKE:-make}
jobs=${ILEX_MUTANTS_JOBS:-2}
limit=${ILEX_MUTANTS_LIMIT:-120}
cc=${CC:-cc}
tab=$(printf '\t')
command -v ccache >/dev/null 2>&1 && case $cc in
ccache*) ;;
*) cc="ccache $cc" ;;
esac

die() {
    echo "mutants: $*"
    exit 99
}

# The sources; of a directory that is there already only what changed.
copy_sources() {
    $make -s distdir distdir="$dir/new" >"$dir/log" 2>&1 || {
        tail "$dir/log"
        die "make distdir fails"
    }
    [ -d "$dir/source" ] || { mv "$dir/new" "$dir/source"; return; }
    (cd "$dir/new" && find . -type f) | while read -r file
    do
        cmp -s "$dir/new/$file" "$dir/source/$file" && continue
        mkdir -p "$(dirname "$dir/source/$file")"
        cp "$dir/new/$file" "$dir/source/$file"
    done
    rm -rf "$dir/new"
}

# PIC objects alone serve the library and the tests.
configure_once() {
    [ ! -e "$dir/build/config.status" ] || return 0
    mkdir -p "$dir/build"
    (cd "$dir/build" && ../source/configure --disable-static CC="$cc" \
        CFLAGS="-O1 ${ILEX_MUTANTS_CFLAGS:-}") >"$dir/log" 2>&1 || {
        tail "$dir/log"
        die "configure fails"
    }
}

# What make builds for a test.
target_of() {
    case ${1%%=*} in
    numpy) echo libilex.la ;;
    stages | ilexc* | project | help | manpages | variants | grid | calls | fortran | lines) echo ilexc ;;
    cuda)
        echo tests/cuda/cuda tests/cuda/fake/libcuda.so.1 \
            tests/cuda/fake/libnvrtc.so.13
        ;;
    test_*) echo "tests/unit/$1" ;;
    property | limits) echo "tests/property/${1%%=*}" ;;
    *) echo "tests/${1%%=*}/${1%%=*}" ;;
    esac
}

targets_of() {
    for test in $(echo "$1" | tr ',' ' ')
    do
        target_of "$test"
    done | tr ' ' '\n' | sort -u
}

# shellcheck disable=SC2046
build() {
    (cd "$dir/build" && $make -j"$jobs" $(targets_of "$1")) >"$dir/log" 2>&1
}

# Runs test "$1", for example numpy=500, in the build tree.
run() (
    cd "$dir/build" || exit 99
    srcdir=../source
    export srcdir
    count=
    case $1 in *=*) count=${1#*=} ;; esac
    set -- "${1%%=*}"
    case $1 in
    numpy)
        ILEX_NUMPY_COUNT=${count:-1000}
        export ILEX_NUMPY_COUNT
        exec timeout "$limit" sh ../source/tests/numpy/random_programs.sh \
            --most 1
        ;;
    stages) exec timeout "$limit" sh ../source/tests/stages/stages.sh ;;
    project | variants | grid | calls | fortran | lines)
        exec timeout "$limit" sh "../source/tests/ahead/$1.sh"
        ;;
    ilexc*)
        exec timeout "$limit" sh "../source/tests/integration/test_$1.sh"
        ;;
    help) exec timeout "$limit" sh ../source/tests/integration/test_help.sh ;;
    manpages) exec timeout "$limit" sh ../source/tests/manpages.sh ;;
    cuda)
        LD_LIBRARY_PATH=$PWD/tests/cuda/fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        export LD_LIBRARY_PATH
        exec timeout "$limit" tests/cuda/cuda --memory
        ;;
    tree | differential | property)
        set -- "$1" "--count=${count:-300}"
        ;;
    ahead) set -- "$1" "--count=${count:-30}" ;;
    esac
    program=$(target_of "$1")
    shift
    exec timeout "$limit" "$program" "$@"
) >"$dir/output" 2>&1

# Which test sees the bug, in "seen"; empty if none does.
find_test() {
    seen=
    for test in $(echo "$1" | tr ',' ' ')
    do
        run "$test"
        status=$?
        case $status in 0 | 77) continue ;; esac
        seen=${test%%=*}
        [ "$status" -ne 124 ] || seen="$seen (time limit)"
        [ "$2" = - ] || {
            grep -q "^FAILED.* after pass $2[ :]" "$dir/output" || {
                seen=
                continue
            }
            seen="$seen, after pass $2"
        }
        return
    done
}

try() {
    (cd "$dir/source" && patch -s -p1) <"$here/$1" || die "$1 does not apply"
    start=$(date +%s)
    if build "$2"; then
        find_test "$2" "$3"
    else
        seen='the compiler (make it build)'
        broken=1
    fi
    took=$(($(date +%s) - start))
    (cd "$dir/source" && patch -s -R -p1) <"$here/$1" || die "$1 stays"
    if [ -n "$seen" ]; then
        caught=$((caught + 1))
        printf '%-28s caught by %s (%d s)\n' "${1%.patch}" "$seen" "$took"
    else
        printf '%-28s SURVIVED %s (%d s)\n' "${1%.patch}" "$2" "$took"
    fi
}

wanted() {
    [ -n "$words" ] || return 0
    for word in $words
    do
        case $1 in *"$word"*) return 0 ;; esac
    done
    return 1
}

words=$*
caught=0
all=0
broken=0
tests=
mkdir -p "$dir" || exit 99
copy_sources
configure_once
while IFS=$tab read -r patch list pass
do
    case $patch in '#'*) continue ;; esac
    wanted "$patch" && tests="$tests,$list"
done <"$here/mutants.tsv"
tests=$(echo "$tests" | tr ',' '\n' | sort -u | tr '\n' ',')
build "$tests" || { tail "$dir/log"; die "the sources do not build"; }
for test in $(echo "$tests" | tr ',' ' ')
do
    run "$test"
    status=$?
    [ "$status" -ne 77 ] || echo "mutants: $test is skipped here"
    [ "$status" -eq 0 ] || [ "$status" -eq 77 ] || {
        tail "$dir/output"
        die "$test fails without a planted bug"
    }
done
while IFS=$tab read -r patch list pass
do
    case $patch in '#'*) continue ;; esac
    wanted "$patch" || continue
    all=$((all + 1))
    try "$patch" "$list" "$pass"
done <"$here/mutants.tsv"
[ -n "${ILEX_MUTANTS_DIR:-}" ] || rm -rf "$dir"
echo "$caught of $all caught"
[ "$broken" -eq 0 ] || echo "a patch that does not build shows nothing"
[ "$broken" -eq 0 ] && [ "$caught" -eq "$all" ]
