dnl SPDX-License-Identifier: MIT
dnl
dnl ILEX_BUNDLE_ARG, before LT_INIT: --enable-bundle builds programs that need
dnl the system's C library and nothing else, to be carried to machines without
dnl our packages. Archives need not fit into shared objects: no libilex.so then.
AC_DEFUN([ILEX_BUNDLE_ARG], [
AC_ARG_ENABLE([bundle],
    [AS_HELP_STRING([--enable-bundle],
        [link isl, GMP, libpng and Check statically; no shared library])],
    [], [enable_bundle=no])
AS_IF([test "$enable_bundle" != no],
    [AS_IF([test "$enable_shared" = yes],
        [AC_MSG_ERROR([--enable-bundle and --enable-shared exclude each other])])
     enable_shared=no])
])

dnl ILEX_BUNDLE, after the libraries were found: puts archives by their full
dnl names in place of -l in ISL_LIBS, LIBPNG_LIBS and CHECK_LIBS.
AC_DEFUN([ILEX_BUNDLE], [
AC_REQUIRE([PKG_PROG_PKG_CONFIG])
AS_IF([test "$enable_bundle" != no],
    [ILEX_BUNDLE_SEARCH([ISL_LIBS], [$ISL_LIBS -lgmp],
         [apt-get install libisl-dev libgmp-dev])
     AS_IF([test "$ilex_png" = yes],
         [ILEX_BUNDLE_SEARCH([LIBPNG_LIBS],
              [`$PKG_CONFIG --static --libs libpng 2>/dev/null ||
                  AS_ECHO(["$LIBPNG_LIBS -lz -lm"])`],
              [apt-get install libpng-dev zlib1g-dev; or --without-png])])
     ILEX_BUNDLE_SEARCH([CHECK_LIBS],
         [`$PKG_CONFIG --static --libs check 2>/dev/null ||
             AS_ECHO([-lcheck])`],
         [apt-get install check libsubunit-dev])])
AM_CONDITIONAL([BUNDLE], [test "$enable_bundle" != no])
])

dnl ILEX_BUNDLE_SEARCH(VARIABLE, FLAGS, REMEDY): sets VARIABLE to FLAGS with
dnl archives; what belongs to the C library stays.
AC_DEFUN([ILEX_BUNDLE_SEARCH], [
ilex_dirs=
ilex_found=
for ilex_flag in $2
do
    AS_CASE([$ilex_flag],
        [-L*], [ilex_dirs="$ilex_dirs `AS_ECHO(["$ilex_flag"]) | sed 's/^-L//'`"],
        [-lm|-lrt|-ldl|-lpthread|-lc], [ilex_found="$ilex_found $ilex_flag"],
        [-l*], [ILEX_BUNDLE_ARCHIVE([$3])],
        [ilex_found="$ilex_found $ilex_flag"])
done
$1=`AS_ECHO(["$ilex_found"]) | sed 's/^ *//'`
])

dnl ILEX_BUNDLE_ARCHIVE(REMEDY): adds the archive for ilex_flag to ilex_found.
AC_DEFUN([ILEX_BUNDLE_ARCHIVE], [
ilex_name=`AS_ECHO(["$ilex_flag"]) | sed 's/^-l\(.*\)/lib\1.a/'`
AC_MSG_CHECKING([for $ilex_name])
ilex_archive=`$CC $CFLAGS $LDFLAGS -print-file-name="$ilex_name"`
for ilex_dir in $ilex_dirs
do
    AS_IF([test -r "$ilex_dir/$ilex_name"],
        [ilex_archive=$ilex_dir/$ilex_name])
done
AS_IF([test -r "$ilex_archive"],
    [AC_MSG_RESULT([$ilex_archive])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([--enable-bundle: the static library $ilex_name is missing
(Debian and Ubuntu: $1)])])
AS_CASE([" $ilex_found "],
    [*" $ilex_archive "*], [],
    [ilex_found="$ilex_found $ilex_archive"])
])
