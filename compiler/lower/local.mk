# SPDX-License-Identifier: MIT
#
# From stages to statements: loops, reductions, conditions.

libixcompiler_la_SOURCES += \
	compiler/lower/bounded.c \
	compiler/lower/buffers.c \
	compiler/lower/chunks.c \
	compiler/lower/extrema.c \
	compiler/lower/fission.c \
	compiler/lower/forward.c \
	compiler/lower/forward.h \
	compiler/lower/guard.c \
	compiler/lower/guard.h \
	compiler/lower/inplace.c \
	compiler/lower/lanes.c \
	compiler/lower/nest.c \
	compiler/lower/normalise.c \
	compiler/lower/outside.c \
	compiler/lower/peel.c \
	compiler/lower/position.c \
	compiler/lower/ranges.c \
	compiler/lower/ranges.h \
	compiler/lower/recurrence.c \
	compiler/lower/recurrence.h \
	compiler/lower/reduce.c \
	compiler/lower/reduce.h \
	compiler/lower/selects.c
