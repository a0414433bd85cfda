# SPDX-License-Identifier: MIT
#
# The compiled program: what a run does.

libixcompiler_la_SOURCES += \
	compiler/steps/bytecode.c \
	compiler/steps/copies.c \
	compiler/steps/copy.c \
	compiler/steps/finish.c \
	compiler/steps/finish.h \
	compiler/steps/forms.c \
	compiler/steps/json.c \
	compiler/steps/nonempty.c \
	compiler/steps/steps.c \
	compiler/steps/steps.def
