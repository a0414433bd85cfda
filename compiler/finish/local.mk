# SPDX-License-Identifier: MIT
#
# What emission relies on: names, row pointers, arguments, shared functions.

libixcompiler_la_SOURCES += \
	compiler/finish/arguments.c \
	compiler/finish/fences.c \
	compiler/finish/fingerprint.c \
	compiler/finish/hoist.c \
	compiler/finish/narrow.c \
	compiler/finish/share.c \
	compiler/finish/share.h \
	compiler/finish/translation_units.c \
	compiler/finish/unit_strides.c
