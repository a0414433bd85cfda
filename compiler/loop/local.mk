# SPDX-License-Identifier: MIT
#
# What transforms loops.

libixcompiler_la_SOURCES += \
	compiler/loop/columns.c \
	compiler/loop/fuse.c \
	compiler/loop/jam.c \
	compiler/loop/loop.h \
	compiler/loop/loops.def \
	compiler/loop/map.c \
	compiler/loop/names.c \
	compiler/loop/partial.c \
	compiler/loop/split.c \
	compiler/loop/strip_mine.c \
	compiler/loop/vector.c
