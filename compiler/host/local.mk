# SPDX-License-Identifier: MIT
#
# The function around kernels that are compiled ahead of time.

libixcompiler_la_SOURCES += \
	compiler/host/fortran.c \
	compiler/host/functions.c \
	compiler/host/grid.c \
	compiler/host/host.c \
	compiler/host/host.h \
	compiler/host/interface.c \
	compiler/host/json.c \
	compiler/host/names.c \
	compiler/host/steps.c \
	compiler/host/tables.c \
	compiler/host/template.c \
	compiler/host/variants.c

# The texts that the files of programs compiled ahead of time share, as strings.
HOST_TEXTS = \
	compiler/host/entry.inc \
	compiler/host/grid.inc \
	compiler/host/head.inc \
	compiler/host/header.inc \
	compiler/host/host.inc \
	compiler/host/source.inc
HOST_STRINGS = $(HOST_TEXTS:.inc=.str)
SUFFIXES = .inc .str
.inc.str:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	sed 's/[\\"]/\\&/g; s/^/"/; s/$$/",/' $< >$@-t && mv $@-t $@
compiler/host/template.lo: $(HOST_STRINGS)
CLEANFILES += $(HOST_STRINGS)
