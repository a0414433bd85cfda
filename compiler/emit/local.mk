# SPDX-License-Identifier: MIT
#
# Kernels as text.

libixcompiler_la_SOURCES += \
	compiler/emit/dialects.def \
	compiler/emit/emit.h \
	compiler/emit/emit_chains.c \
	compiler/emit/emit_element.c \
	compiler/emit/emit_file.c \
	compiler/emit/emit_foreign.c \
	compiler/emit/emit_kernel.c \
	compiler/emit/emit_lanes.c \
	compiler/emit/emit_lines.c \
	compiler/emit/emit_stmt.c \
	compiler/emit/emit_text.c \
	compiler/emit/emit_vectors.c \
	compiler/emit/heads.def \
	compiler/emit/shapes.def
