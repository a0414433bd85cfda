dnl SPDX-License-Identifier: MIT
dnl
dnl ILEX_WARNINGS: sets ILEX_WARNING_FLAGS to those of the project's warnings
dnl that the compiler knows; --enable-werror makes them errors. A call of an
dnl undeclared function is always an error: it would truncate a pointer.
AC_DEFUN([ILEX_WARNINGS], [
AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [treat warnings as errors])],
    [], [enable_werror=no])
ILEX_WARNING_FLAGS=
for ilex_flag in -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes \
    -Wconversion -Werror=implicit-function-declaration
do
    ILEX_TRY_FLAG([$ilex_flag],
        [ILEX_WARNING_FLAGS="$ILEX_WARNING_FLAGS $ilex_flag"])
done
AS_IF([test "$enable_werror" = yes],
    [ILEX_WARNING_FLAGS="$ILEX_WARNING_FLAGS -Werror"])
AC_SUBST([ILEX_WARNING_FLAGS])
ILEX_LANGUAGE_FLAGS=
for ilex_flag in -std=c11 -fvisibility=hidden -ffp-contract=off
do
    ILEX_TRY_FLAG([$ilex_flag],
        [ILEX_LANGUAGE_FLAGS="$ILEX_LANGUAGE_FLAGS $ilex_flag"])
done
AC_SUBST([ILEX_LANGUAGE_FLAGS])
ILEX_SANITIZE_CHECK
])

dnl ILEX_TRY_FLAG(FLAG, IF-ACCEPTED)
AC_DEFUN([ILEX_TRY_FLAG], [
AC_MSG_CHECKING([whether $CC accepts $1])
ilex_save_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS -Werror $1"
AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
    [AC_MSG_RESULT([yes])
     CFLAGS=$ilex_save_CFLAGS
     $2],
    [AC_MSG_RESULT([no])
     CFLAGS=$ilex_save_CFLAGS])
])

dnl ILEX_CXX: is there a C++ compiler to compile the public headers with?
AC_DEFUN([ILEX_CXX], [
AC_LANG_PUSH([C++])
AC_MSG_CHECKING([for a C++ compiler that works])
AC_LINK_IFELSE([AC_LANG_PROGRAM()], [ilex_cxx=yes], [ilex_cxx=no])
AC_MSG_RESULT([$ilex_cxx])
AC_LANG_POP([C++])
AM_CONDITIONAL([HAVE_CXX], [test "$ilex_cxx" = yes])
])

dnl ILEX_SYMBOL_MAP: may the shared library's symbols be listed in a file?
AC_DEFUN([ILEX_SYMBOL_MAP], [
AC_MSG_CHECKING([whether the linker accepts a version script])
ilex_save_LDFLAGS=$LDFLAGS
LDFLAGS="$LDFLAGS -shared -fPIC -Wl,--version-script=$srcdir/ilex.map"
AC_LINK_IFELSE([AC_LANG_SOURCE([int ilex_x(void); int ilex_x(void) { return 0; }])],
    [ilex_symbol_map=yes], [ilex_symbol_map=no])
LDFLAGS=$ilex_save_LDFLAGS
AC_MSG_RESULT([$ilex_symbol_map])
AM_CONDITIONAL([HAVE_SYMBOL_MAP], [test "$ilex_symbol_map" = yes])
])
