#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every planted bug still applies to the sources, says in its first line what
# is wrong, and has a row in mutants.tsv that names tests there are.
set -u
LC_ALL=C
export LC_ALL
cd "${srcdir:-.}" || exit 99
here=tests/mutants
tab=$(printf '\t')
bad=0
count=0

command -v patch >/dev/null 2>&1 || { echo "skipped: no patch"; exit 77; }

complain() {
    echo "$*"
    bad=1
}

# Is there a test of that name?
exists() {
    case $1 in
    numpy) set -- tests/numpy/random_programs.sh ;;
    stages) set -- tests/stages/stages.sh ;;
    project | variants | grid | calls | fortran | lines) set -- "tests/ahead/$1.sh" ;;
    ilexc* | help) set -- "tests/integration/test_$1.sh" ;;
    manpages) set -- tests/manpages.sh ;;
    test_*) set -- "tests/unit/$1.c" ;;
    property | limits) set -- "tests/property/$1_main.c" ;;
    *) set -- "tests/$1/$1_main.c" ;;
    esac
    [ -e "$1" ]
}

while IFS=$tab read -r patch tests pass
do
    case $patch in '#'*) continue ;; esac
    count=$((count + 1))
    [ -e "$here/$patch" ] || { complain "there is no $patch"; continue; }
    head -n 1 "$here/$patch" | grep -q '^# ' ||
        complain "$patch: its first line does not say what is wrong"
    patch -s -p1 -F0 --dry-run <"$here/$patch" ||
        complain "$patch does not apply: make it again"
    for test in $(echo "$tests" | tr ',' ' ')
    do
        exists "${test%%=*}" || complain "$patch: there is no test $test"
    done
    [ "$pass" = - ] || grep -q "^IX_PASS($pass," compiler/passes.def ||
        complain "$patch: there is no pass $pass"
done <"$here/mutants.tsv"

for file in "$here"/*.patch
do
    grep -q "^$(basename "$file")$tab" "$here/mutants.tsv" ||
        complain "$file has no row in mutants.tsv"
done
echo "$count planted bugs"
exit "$bad"
