dnl SPDX-License-Identifier: MIT
dnl
dnl ILEX_TCC: the TinyCC library, for the back end "tcc". Wants the header, the
dnl static archive (--with-tcc=DIR: below DIR) and binutils that can put it into
dnl its cage; the caged object is made here once and linked to a shared object,
dnl so that an archive of another kind means "no back end" and not an error of
dnl make. Sets TCC_ARCHIVE, TCC_CPPFLAGS and ilex_tcc (what the summary prints),
dnl defines HAVE_LIBTCC.
AC_DEFUN([ILEX_TCC], [
AC_ARG_WITH([tcc],
    [AS_HELP_STRING([--with-tcc=auto|yes|no|DIR],
        [libtcc for the back end "tcc" (auto)])],
    [], [with_tcc=auto])
ilex_tcc=no
ilex_tcc_why=
TCC_ARCHIVE=
TCC_CPPFLAGS=
AS_CASE([$with_tcc],
    [no], [ilex_tcc_why='not asked for'],
    [auto|yes], [TCC_ARCHIVE=`$CC $CFLAGS -print-file-name=libtcc.a`],
    [TCC_ARCHIVE=$with_tcc/lib/libtcc.a
     TCC_CPPFLAGS="-isystem $with_tcc/include"])
AC_MSG_CHECKING([for libtcc that fits its cage])
AS_IF([test "$with_tcc" = no], [],
    [test "$OBJCOPY" = no], [ilex_tcc_why='objcopy is missing'],
    [test ! -r "$TCC_ARCHIVE"], [ilex_tcc_why='libtcc.a is missing'],
    [ILEX_TCC_CAGE])
AS_IF([test "$ilex_tcc" = no],
    [AC_MSG_RESULT([no: $ilex_tcc_why])
     AS_IF([test "$with_tcc" != no && test "$with_tcc" != auto],
         [AC_MSG_ERROR([--with-tcc=$with_tcc: $ilex_tcc_why (Debian and Ubuntu:
apt-get install libtcc-dev binutils)])])],
    [AC_MSG_RESULT([$TCC_ARCHIVE])
     AC_DEFINE([HAVE_LIBTCC], [1], [libtcc was found])])
AC_SUBST([TCC_ARCHIVE])
AC_SUBST([TCC_CPPFLAGS])
AM_CONDITIONAL([HAVE_LIBTCC], [test "$ilex_tcc" != no])
])

dnl ILEX_TCC_CAGE: tries the steps of the build on TCC_ARCHIVE; sets ilex_tcc
dnl or ilex_tcc_why.
AC_DEFUN([ILEX_TCC_CAGE], [
rm -rf conftest.tcc
AS_MKDIR_P([conftest.tcc])
AS_IF([NM=$NM LD=$LD OBJCOPY=$OBJCOPY $SHELL "$srcdir/runtime/jit/tcc_cage.sh" \
        "$TCC_ARCHIVE" "$srcdir/runtime/jit/tcc_cage.syms" conftest.tcc/libtcc.o \
        2>conftest.tcc/messages],
    [ilex_tcc_link="$CC -std=c11 -fPIC -shared -Wl,-z,defs -Wl,-z,text"
     ilex_tcc_link="$ilex_tcc_link -I$srcdir -I$srcdir/include $TCC_CPPFLAGS"
     AS_IF([$ilex_tcc_link -o conftest.tcc/cage.so \
             "$srcdir/runtime/jit/tcc_cage.c" "$srcdir"/lib/base/*.c \
             conftest.tcc/libtcc.o -lm $SYSTEM_LIBS >&AS_MESSAGE_LOG_FD 2>&1],
         [ilex_tcc="yes: $TCC_ARCHIVE"],
         [ilex_tcc_why='libtcc.a does not link with its cage, see config.log'])],
    [ilex_tcc_why=`cat conftest.tcc/messages`])
rm -rf conftest.tcc
])
