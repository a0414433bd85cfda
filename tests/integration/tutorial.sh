#!/bin/sh
# SPDX-License-Identifier: MIT
#
# doc/tutorial.md as a reader follows it, with an Ilex that was installed. Its
# blocks are
#
#     ```c NAME or ```ilex NAME    the file NAME
#     ```console                   "$ command", and what it prints
#     ```console fails             the same; the commands fail
#
# and nothing else. What is printed is compared; "..." in the page stands for
# anything in a line, on a line of its own for any number of lines.
set -eu
# shellcheck source=tests/integration/prefix.sh
. "${srcdir:-.}/tests/integration/prefix.sh"
page=${1:-$srcdir/doc/tutorial.md}
ls "$libdir"/libilex.so* >/dev/null 2>&1 || { echo "no shared library"; exit 77; }

# What readers call cc is the compiler of the build, by its path where CC is a
# name: it may be cc itself.
mkdir "$root/bin" "$root/work"
name=${CC%% *}
printf '#!/bin/sh\nexec %s %s "$@"\n' \
    "$(command -v "$name")${CC#"$name"}" "$SANITIZE_FLAGS" >"$root/bin/cc"
chmod +x "$root/bin/cc"
PATH=$root/bin:$PATH
ILEX_CACHE_DIR=$root/cache
ILEX_TARGET=generic # on all machines the same
export ILEX_CACHE_DIR ILEX_TARGET
cd "$root/work"

# Writes the files, and of each command N "N.sh" (with a line that says where
# it stands), "N.want", and "N.fails" if it is to fail.
awk '
    function finish() { close(script); close(want); number = 0 }
    /^```/ && !open {
        open = FNR; kind = $1; name = $2
        if (kind ~ /^```(c|ilex)$/ && name != "")
            printf "" >name
        else if (kind != "```console" || (name != "" && name != "fails")) {
            print FILENAME ":" FNR ": what is this block?"
            exit 1
        }
        next
    }
    /^```/ { if (number) finish(); if (kind != "```console") close(name)
             open = 0; next }
    !open { next }
    kind != "```console" { print >name; next }
    /^\$ / {
        if (number) finish()
        number = sprintf("%03d", ++commands)
        script = "../" number ".sh"; want = "../" number ".want"
        print "# " FILENAME ":" FNR >script
        if (name == "fails") printf "" >("../" number ".fails")
        printf "" >want
        print substr($0, 3) >script
        more = /\\$/
        next
    }
    more { print >script; more = /\\$/; next }
    { print >want }
    END { if (open) { print FILENAME ":" open ": the block does not end"; exit 1 } }
' "$page"
ls ../*.sh >/dev/null

# Prints the first line of "$1" that is not as "$2" says.
compare() {
    awk '
    # Does "line" consist of the pieces between the "..." of "pattern"?
    function like(line, pattern,    piece, n, k, at, rest) {
        n = split(pattern, piece, /\.\.\./)
        if (n < 2) return line == pattern
        if (substr(line, 1, length(piece[1])) != piece[1]) return 0
        rest = substr(line, length(piece[1]) + 1)
        for (k = 2; k < n; k++) {
            at = index(rest, piece[k])
            if (piece[k] != "" && !at) return 0
            rest = piece[k] == "" ? rest : substr(rest, at + length(piece[k]))
        }
        at = length(rest) - length(piece[n]) + 1
        return at >= 1 && substr(rest, at) == piece[n]
    }
    NR == FNR { want[++n] = $0; next }
    { got[++m] = $0 }
    END {
        for (i = j = 1; i <= n; i++) {
            if (want[i] == "...") {
                if (i == n) { j = m + 1; continue }
                while (j <= m && !like(got[j], want[i + 1])) j++
            } else if (j <= m && like(got[j], want[i])) {
                j++
            } else {
                print "  expected: " want[i]
                print "  printed:  " (j <= m ? got[j] : "(nothing)")
                exit 1
            }
        }
        if (j <= m) { print "  expected: (nothing)"; print "  printed:  " got[j]; exit 1 }
    }' "$2" "$1"
}

bad=0
for script in ../*.sh
do
    step=${script%.sh}
    status=0
    sh "$script" >"$step.got" 2>&1 </dev/null || status=1
    fails=0
    [ ! -e "$step.fails" ] || fails=1
    if [ "$status" -ne "$fails" ] || ! compare "$step.got" "$step.want" >"$step.diff"
    then
        bad=1
        sed 's/^# //' "$script"
        [ "$status" -eq "$fails" ] || echo "  exit status: $status, not $fails"
        cat "$step.diff" "$step.got"
    fi
done
[ "$bad" -eq 0 ] && echo "$(ls ../*.sh | wc -l) commands, all as the page says"
exit $bad
