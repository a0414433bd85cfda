# SPDX-License-Identifier: MIT
#
# Sourced by tests that look at an Ilex as users have it: installs into a
# temporary place, "$root", which goes when the test ends. "$prefix" is the
# prefix there; pkg-config, the shell and the dynamic linker find what lies in
# it, and pkg-config says nothing of the build.
srcdir=$(cd "${srcdir:-.}" && pwd)
: "${CC:=cc}" "${MAKE:=make}" "${PKG_CONFIG:=pkg-config}" "${SANITIZE_FLAGS:=}"
unset MAKEFLAGS MFLAGS MAKELEVEL
command -v "$PKG_CONFIG" >/dev/null || { echo "no pkg-config"; exit 77; }

root=$(mktemp -d "${TMPDIR:-/tmp}/ilex-install.XXXXXX")
trap 'rm -rf "$root"' EXIT
trap 'exit 1' HUP INT TERM

$MAKE -s install DESTDIR="$root" >"$root/log" 2>&1 || {
    cat "$root/log"
    exit 1
}
pc=$(find "$root" -name ilex.pc)
prefix=$root$(sed -n 's/^prefix=//p' "$pc")
sed "s|^prefix=.*|prefix=$prefix|" "$pc" >"$root/pc"
mv "$root/pc" "$pc"

PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
libdir=$($PKG_CONFIG --variable=libdir ilex)
LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
PATH=$prefix/bin:$PATH
# Programs of pages end without giving back what they hold.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export LD_LIBRARY_PATH PATH ASAN_OPTIONS
