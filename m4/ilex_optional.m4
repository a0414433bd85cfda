dnl SPDX-License-Identifier: MIT
dnl
dnl ILEX_PNG: libpng, for pictures of fields. Defines HAVE_LIBPNG.
AC_DEFUN([ILEX_PNG], [
AC_ARG_WITH([png],
    [AS_HELP_STRING([--without-png], [do not use libpng])],
    [], [with_png=auto])
ilex_png=no
AS_IF([test "$with_png" != no],
    [PKG_CHECK_MODULES([LIBPNG], [libpng], [ilex_png=yes],
        [AC_CHECK_HEADER([png.h],
            [AC_CHECK_LIB([png], [png_image_write_to_file],
                [ilex_png=yes
                 LIBPNG_LIBS=-lpng])])])])
AS_IF([test "$with_png" = yes && test "$ilex_png" = no],
    [AC_MSG_ERROR([--with-png: libpng is missing (Debian and Ubuntu: apt-get
install libpng-dev)])])
AS_IF([test "$ilex_png" = yes],
    [AC_DEFINE([HAVE_LIBPNG], [1], [libpng was found])],
    [LIBPNG_CFLAGS=
     LIBPNG_LIBS=])
AC_SUBST([LIBPNG_CFLAGS])
AC_SUBST([LIBPNG_LIBS])
AM_CONDITIONAL([HAVE_LIBPNG], [test "$ilex_png" = yes])
])

dnl ILEX_LAPACK: LAPACK, of which an example calls a function.
AC_DEFUN([ILEX_LAPACK], [
AC_CHECK_LIB([lapack], [dgesv_], [LAPACK_LIBS=-llapack], [LAPACK_LIBS=])
AC_SUBST([LAPACK_LIBS])
AM_CONDITIONAL([HAVE_LAPACK], [test -n "$LAPACK_LIBS"])
])

dnl ILEX_CHECK: the unit test framework, needed by `make check` only.
AC_DEFUN([ILEX_CHECK], [
PKG_CHECK_MODULES([CHECK], [check >= 0.12], [ilex_check=yes], [ilex_check=no])
AM_CONDITIONAL([HAVE_CHECK], [test "$ilex_check" = yes])
])

dnl ILEX_SUMMARY: what was found, and what will be missing without it.
AC_DEFUN([ILEX_SUMMARY], [
ilex_say() {
    AS_ECHO(["  $][1"])
}
ilex_say ""
ilex_say "Ilex $PACKAGE_VERSION"
ilex_say "  compiler      $CC $CFLAGS $ILEX_SANITIZE_FLAGS"
ilex_say "  isl           yes: $ISL_LIBS"
AS_IF([test "$ilex_tcc" = no],
    [ilex_say "  libtcc        no ($ilex_tcc_why): no back end 'tcc'; 'reference' and 'cc' remain"],
    [ilex_say "  libtcc        $ilex_tcc"])
AS_IF([test "$ilex_nvrtc" = no],
    [ilex_say "  NVRTC         no: CUDA source is generated and tested, not compiled"],
    [ilex_say "  NVRTC         yes, opened at run time: $ilex_nvrtc"])
AS_IF([test "$ilex_png" = no],
    [ilex_say "  libpng        no: 'ilexc run --out v=@v.png' and the example 'terrain' write no pictures"],
    [ilex_say "  libpng        yes"])
AS_IF([test -z "$LAPACK_LIBS"],
    [ilex_say "  LAPACK        no: the example 'lapack' is not built"])
AS_IF([test "$ilex_check" = no],
    [ilex_say "  Check         no: 'make check' runs no unit tests (only examples and shell tests)"],
    [ilex_say "  Check         yes"])
AS_IF([test "$ilex_cxx" = no],
    [ilex_say "  C++           no: the public headers are not tried in C++"],
    [ilex_say "  C++           yes: $CXX"])
AS_IF([test -z "$CMARK" || test -z "$MANDOC"],
    [ilex_say "  HTML          no: 'make html' needs cmark-gfm and mandoc"])
AS_IF([test -z "$PYTHON"],
    [ilex_say "  Python        no: ilex/ffi.h and ilex-api.json are not made anew, some tests are skipped"])
AS_IF([test "$ilex_symbol_map" = no],
    [ilex_say "  symbol map    no: the shared library may export internal names"])
AS_IF([test "$enable_bundle" != no],
    [ilex_say "  bundle        yes: static libraries; programs need only the C library"])
AS_IF([test "$enable_sanitize" != no],
    [ilex_say "  sanitizers    $enable_sanitize"])
ilex_say ""
])
