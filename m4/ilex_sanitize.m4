dnl SPDX-License-Identifier: MIT
dnl
dnl ILEX_SANITIZE: --enable-sanitize=LIST, --enable-coverage. Sets
dnl ILEX_SANITIZE_FLAGS, which go to every compilation and every link.
AC_DEFUN([ILEX_SANITIZE], [
AC_ARG_ENABLE([sanitize],
    [AS_HELP_STRING([--enable-sanitize=LIST],
        [build with the compiler's sanitizers: address,undefined or thread])],
    [], [enable_sanitize=no])
AC_ARG_ENABLE([coverage],
    [AS_HELP_STRING([--enable-coverage], [build for gcov])],
    [], [enable_coverage=no])
ILEX_SANITIZE_FLAGS=
AS_CASE([$enable_sanitize],
    [no], [],
    [yes], [enable_sanitize=address,undefined])
AS_IF([test "$enable_sanitize" != no],
    [ILEX_SANITIZE_FLAGS="-fsanitize=$enable_sanitize"
     ILEX_SANITIZE_FLAGS="$ILEX_SANITIZE_FLAGS -fno-sanitize-recover=all"
     ILEX_SANITIZE_FLAGS="$ILEX_SANITIZE_FLAGS -fno-omit-frame-pointer"])
AS_IF([test "$enable_coverage" != no],
    [ILEX_SANITIZE_FLAGS="$ILEX_SANITIZE_FLAGS --coverage -O0"])
AC_SUBST([ILEX_SANITIZE_FLAGS])
])

dnl ILEX_SANITIZE_CHECK: stops when the compiler cannot link with them.
AC_DEFUN([ILEX_SANITIZE_CHECK], [
AS_IF([test -n "$ILEX_SANITIZE_FLAGS"],
    [AC_MSG_CHECKING([whether $CC links with $ILEX_SANITIZE_FLAGS])
     ilex_save_CFLAGS=$CFLAGS
     CFLAGS="$CFLAGS $ILEX_SANITIZE_FLAGS"
     AC_LINK_IFELSE([AC_LANG_PROGRAM()], [AC_MSG_RESULT([yes])],
         [AC_MSG_RESULT([no])
          AC_MSG_ERROR([$CC does not link with $ILEX_SANITIZE_FLAGS; choose
others, for example --enable-sanitize=address,undefined or thread])])
     CFLAGS=$ilex_save_CFLAGS])
])
