# SPDX-License-Identifier: MIT
#
# Arrays that are stored, and what each reads.

libixcompiler_la_SOURCES += \
	compiler/stages/bodies.c \
	compiler/stages/calls.c \
	compiler/stages/checks.c \
	compiler/stages/compact.c \
	compiler/stages/layout.c \
	compiler/stages/repeats.c \
	compiler/stages/order.c \
	compiler/stages/partition.c \
	compiler/stages/partition.h \
	compiler/stages/reads.c \
	compiler/stages/reasons.c \
	compiler/stages/recurrences.c \
	compiler/stages/segments.c \
	compiler/stages/storing.c \
	compiler/stages/tables.c \
	compiler/stages/updates.c
