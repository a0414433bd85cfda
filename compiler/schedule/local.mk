# SPDX-License-Identifier: MIT
#
# What decides which loops are transformed, and how.

libixcompiler_la_SOURCES += \
	compiler/schedule/policy.c \
	compiler/schedule/schedule.c \
	compiler/schedule/schedule.h
