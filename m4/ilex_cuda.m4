dnl SPDX-License-Identifier: MIT
dnl
dnl ILEX_CUDA: looks for the CUDA headers, for NVRTC and nvcc. Nothing is linked:
dnl the libraries are opened at run time, by name and then at ILEX_NVRTC_PATH,
dnl the place where configure saw them. Sets CUDA_CPPFLAGS and, when the headers
dnl are there, defines HAVE_NVRTC_H; where nvcc is, ILEX_NVCC_PATH.
AC_DEFUN([ILEX_CUDA], [
AC_ARG_WITH([cuda],
    [AS_HELP_STRING([--with-cuda=auto|yes|no|DIR],
        [CUDA headers and NVRTC, below DIR (auto)])],
    [], [with_cuda=auto])
ilex_cuda_header=no
ilex_nvrtc=no
ilex_nvcc=no
CUDA_CPPFLAGS=
AS_CASE([$with_cuda],
    [no], [ilex_cuda_dirs=],
    [auto|yes], [ilex_cuda_dirs="$CUDA_HOME $CUDA_PATH /usr/local/cuda /usr"],
    [ilex_cuda_dirs=$with_cuda])
for ilex_dir in $ilex_cuda_dirs
do
    AS_IF([test "$ilex_cuda_header" = no && test -r "$ilex_dir/include/nvrtc.h"],
        [ilex_cuda_header=$ilex_dir/include])
    AS_IF([test "$ilex_nvcc" = no && test -x "$ilex_dir/bin/nvcc"],
        [ilex_nvcc=$ilex_dir/bin/nvcc])
    for ilex_lib in "$ilex_dir"/lib64 "$ilex_dir"/lib \
        "$ilex_dir"/lib/*-linux-gnu "$ilex_dir"/targets/*-linux/lib
    do
        AS_IF([test "$ilex_nvrtc" = no && test -r "$ilex_lib/libnvrtc.so"],
            [ilex_nvrtc=$ilex_lib/libnvrtc.so])
    done
done
AC_MSG_CHECKING([for the CUDA headers])
AC_MSG_RESULT([$ilex_cuda_header])
AC_MSG_CHECKING([for NVRTC])
AC_MSG_RESULT([$ilex_nvrtc])
AC_MSG_CHECKING([for nvcc])
AC_MSG_RESULT([$ilex_nvcc])
AS_IF([test "$with_cuda" != auto && test "$with_cuda" != no],
    [AS_IF([test "$ilex_cuda_header" = no || test "$ilex_nvrtc" = no],
        [AC_MSG_ERROR([--with-cuda=$with_cuda: nvrtc.h or libnvrtc.so is
missing; for example --with-cuda=/usr/local/cuda])])])
AS_IF([test "$ilex_cuda_header" != no],
    [AS_IF([test "$ilex_cuda_header" != /usr/include],
        [CUDA_CPPFLAGS="-isystem $ilex_cuda_header"])
     AC_DEFINE([HAVE_NVRTC_H], [1], [nvrtc.h was found])])
AS_IF([test "$ilex_nvrtc" != no],
    [AC_DEFINE_UNQUOTED([ILEX_NVRTC_PATH], ["$ilex_nvrtc"],
        [where configure saw NVRTC])])
AS_IF([test "$ilex_nvcc" != no],
    [AC_DEFINE_UNQUOTED([ILEX_NVCC_PATH], ["$ilex_nvcc"],
        [where configure saw nvcc])])
AC_SUBST([CUDA_CPPFLAGS])
AM_CONDITIONAL([HAVE_NVRTC], [test "$ilex_nvrtc" != no])
])
