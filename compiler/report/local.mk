# SPDX-License-Identifier: MIT
#
# What was compiled, for people.

libixcompiler_la_SOURCES += \
	compiler/report/describe.c \
	compiler/report/dot.c \
	compiler/report/dump.c \
	compiler/report/explain.c \
	compiler/report/explain_messages.c \
	compiler/report/explain.h \
	compiler/report/facts.c \
	compiler/report/facts.h \
	compiler/report/page.c \
	compiler/report/page.h \
	compiler/report/page.inc \
	compiler/report/page_note.c \
	compiler/report/picture.c \
	compiler/report/picture.h \
	compiler/report/report.h \
	compiler/report/workspace.c
