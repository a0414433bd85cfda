#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Puts an archive of libtcc into the cage: one relocatable object that shows
# nothing but ix_libtcc_*, asks the rest of the process for nothing but
# ix_cage_* and pure functions of the C library, and keeps its variables in two
# sections that the cage resets before each compile. Fails, with the reason on
# standard error, when the archive is not of that kind.
# Usage: tcc_cage.sh LIBTCC.A TCC_CAGE.SYMS OUTPUT.o (NM, LD, OBJCOPY: tools)
set -eu
archive=$1 syms=$2 out=$3
: "${NM:=nm}" "${LD:=ld}" "${OBJCOPY:=objcopy}"
LC_ALL=C
export LC_ALL
tmp=$out.tmp
mkdir -p "$(dirname "$out")"
trap 'rm -f "$tmp.o" "$tmp.keep"' EXIT

fail() {
    echo "tcc_cage.sh: $archive: $*" >&2
    exit 1
}

# Functions whose result depends on their arguments alone.
pure=' _GLOBAL_OFFSET_TABLE_ __errno_location __stack_chk_fail _setjmp setjmp
 __sigsetjmp longjmp __longjmp_chk memchr memcmp memcpy memmove memset
 __memcpy_chk __memmove_chk __memset_chk strcat strchr strcmp strcpy strlen
 strncmp strncpy strpbrk strrchr strstr __strcat_chk __strcpy_chk
 __strncpy_chk strtol strtoll strtoul strtoull __isoc23_strtol
 __isoc23_strtoll __isoc23_strtoul __isoc23_strtoull sscanf __isoc99_sscanf
 __isoc23_sscanf snprintf sprintf vsnprintf __snprintf_chk __sprintf_chk
 __vsnprintf_chk qsort ldexp sigemptyset '
pure=$(echo "$pure" | tr '\n' ' ')

$LD -r -d --whole-archive "$archive" -o "$tmp.o" || fail "does not link"
awk '$2 ~ /^ix_libtcc_/ { print $2 }' "$syms" > "$tmp.keep"
$OBJCOPY --redefine-syms="$syms" "$tmp.o" || fail "cannot be renamed"
$OBJCOPY --keep-global-symbols="$tmp.keep" \
    --rename-section .data=ilex_tcc_data \
    --rename-section .bss=ilex_tcc_bss "$tmp.o" "$out" ||
    fail "cannot be renamed"

for name in $($NM -u "$out" | awk '{ print $NF }')
do
    case $name in
    ix_cage_*) continue ;;
    esac
    case $pure in
    *" $name "*) ;;
    *) rm -f "$out"; fail "needs $name, which the cage does not know" ;;
    esac
done
stray=$($NM -f sysv "$out" | awk -F'|' '{ gsub(/ /, "", $7); print $7 }' |
    grep -E '^\.(t?data|t?bss|lbss|ldata|COM)' | grep -v '^\.data\.rel\.ro' |
    sort -u) || :
[ -z "$stray" ] || { rm -f "$out"; fail "has variables in" $stray; }
for name in $(cat "$tmp.keep")
do
    $NM -g "$out" | grep " T $name\$" > /dev/null ||
        { rm -f "$out"; fail "has no $name"; }
done
