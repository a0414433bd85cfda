# SPDX-License-Identifier: MIT
#
# What a run does: tables of a program, and the text that works with them.

libixcompiler_la_SOURCES += \
	compiler/run/run.h \
	compiler/run/tables.c
