# SPDX-License-Identifier: MIT
#
# Machines that kernels are for.

libixcompiler_la_SOURCES += \
	compiler/target/fields.def \
	compiler/target/processors.def \
	compiler/target/target.c \
	compiler/target/target.h \
	compiler/target/targets.def
