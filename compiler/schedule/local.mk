# SPDX-License-Identifier: MIT
#
# What decides which loops are transformed, and how.

libixcompiler_la_SOURCES += \
	compiler/schedule/carry.c \
	compiler/schedule/directives.c \
	compiler/schedule/file.c \
	compiler/schedule/functions.c \
	compiler/schedule/grid.c \
	compiler/schedule/kernels.c \
	compiler/schedule/memory.c \
	compiler/schedule/operands.c \
	compiler/schedule/pipelines.c \
	compiler/schedule/policy.c \
	compiler/schedule/products.c \
	compiler/schedule/program.c \
	compiler/schedule/rows.c \
	compiler/schedule/rules.c \
	compiler/schedule/rules.h \
	compiler/schedule/scans.c \
	compiler/schedule/schedule.c \
	compiler/schedule/schedule.h \
	compiler/schedule/streams.c \
	compiler/schedule/transposes.c
