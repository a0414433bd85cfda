# SPDX-License-Identifier: MIT
#
# The language of statements, without a pass in it.

libixcompiler_la_SOURCES += \
	compiler/tree/build.c \
	compiler/tree/check.c \
	compiler/tree/check.h \
	compiler/tree/check_access.c \
	compiler/tree/check_grid.c \
	compiler/tree/dump.c \
	compiler/tree/measure.c \
	compiler/tree/names.c \
	compiler/tree/nests.c \
	compiler/tree/reads.c \
	compiler/tree/stmt.c \
	compiler/tree/stmts.def \
	compiler/tree/tree.h \
	compiler/tree/variables.def
