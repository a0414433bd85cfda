# SPDX-License-Identifier: MIT
#
# What decides which loops are transformed, and how.

libixcompiler_la_SOURCES += \
	compiler/schedule/schedule.c
