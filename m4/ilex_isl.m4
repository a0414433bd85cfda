dnl SPDX-License-Identifier: MIT
dnl
dnl ILEX_SYSTEM_LIBS: mathematics, threads, opening of libraries.
AC_DEFUN([ILEX_SYSTEM_LIBS], [
AC_SEARCH_LIBS([sqrt], [m])
AC_SEARCH_LIBS([pthread_create], [pthread], [],
    [AC_MSG_ERROR([POSIX threads are needed])])
AC_SEARCH_LIBS([dlopen], [dl])
SYSTEM_LIBS=$LIBS
LIBS=
AC_SUBST([SYSTEM_LIBS])
])

dnl ILEX_ISL_ARG, before anything is looked for: a place that was named and has no
dnl isl is an error, even where the system has one.
AC_DEFUN([ILEX_ISL_ARG], [
AC_ARG_WITH([isl],
    [AS_HELP_STRING([--with-isl=DIR], [isl is installed below DIR])],
    [], [with_isl=])
AS_CASE([$with_isl],
    [yes], [with_isl=],
    [?*], [AS_IF([test ! -r "$with_isl/include/isl/ctx.h"],
        [AC_MSG_ERROR([--with-isl=$with_isl: there is no
$with_isl/include/isl/ctx.h; name the directory that isl is installed below])])])
])

dnl ILEX_ISL: the integer set library, required. With pkg-config, else by
dnl header and library; --with-isl=DIR looks in DIR/include and DIR/lib. isl
dnl brings the GMP it was built with; a static isl needs it named.
AC_DEFUN([ILEX_ISL], [
AS_IF([test -n "$with_isl"],
    [ISL_CFLAGS="-I$with_isl/include"
     ISL_LIBS="-L$with_isl/lib -lisl -lgmp"],
    [PKG_CHECK_MODULES([ISL], [isl], [],
        [ISL_CFLAGS=
         ISL_LIBS="-lisl -lgmp"])])
ilex_save_CPPFLAGS=$CPPFLAGS
ilex_save_LIBS=$LIBS
CPPFLAGS="$CPPFLAGS $ISL_CFLAGS"
LIBS="$ISL_LIBS $LIBS"
AC_MSG_CHECKING([whether a program links with isl])
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <isl/ctx.h>
#include <isl/set.h>]],
        [[isl_ctx *ctx = isl_ctx_alloc();
isl_ctx_set_max_operations(ctx, 1);
isl_ctx_free(ctx);]])],
    [AC_MSG_RESULT([yes, $ISL_LIBS])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([isl is needed (Debian and Ubuntu: apt-get install libisl-dev
libgmp-dev; elsewhere: --with-isl=DIR)])])
CPPFLAGS=$ilex_save_CPPFLAGS
LIBS=$ilex_save_LIBS
AC_SUBST([ISL_CFLAGS])
AC_SUBST([ISL_LIBS])
])
