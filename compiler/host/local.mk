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

# The texts that the files of programs compiled ahead of time share, as strings;
# names of theirs begin with ilex_, not with ix_ as here. The tables of a run are
# $s, $r and $c: in the file of a program they are known (template.c).
HOST_TEXTS = \
	compiler/host/arguments.inc \
	compiler/host/basics.inc \
	compiler/host/entry.inc \
	compiler/host/freestanding.inc \
	compiler/host/function.inc \
	compiler/host/grid.inc \
	compiler/host/head.inc \
	compiler/host/header.inc \
	compiler/host/host.inc \
	compiler/host/load.inc \
	compiler/host/plan.inc \
	compiler/host/python.inc \
	compiler/host/selftest.inc \
	compiler/host/shared.inc \
	compiler/host/support.inc \
	compiler/host/types.inc
RUN_TEXTS = \
	compiler/run/asked.inc \
	compiler/run/checks.inc \
	compiler/run/forms.inc \
	compiler/run/grid.inc \
	compiler/run/outside.inc \
	compiler/run/repeats.inc \
	compiler/run/sizes.inc \
	compiler/run/state.inc \
	compiler/run/steps.inc \
	compiler/run/tables.inc \
	lib/base/fpenv.inc \
	lib/base/overlap.inc \
	lib/base/view.inc \
	lib/sort/complex.inc \
	lib/sort/digits.inc \
	lib/sort/keys.inc \
	lib/sort/network.inc \
	lib/sort/routine.inc \
	lib/sort/rows.inc \
	lib/sort/search.inc \
	lib/sort/top.inc \
	lib/sort/types.inc
HOST_STRINGS = $(HOST_TEXTS:.inc=.str) $(RUN_TEXTS:.inc=.str)
SUFFIXES = .inc .str
.inc.str:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	sed 's/^ix_/ilex_/; s/^IX_/ILEX_/; s/\([^A-Za-z0-9_]\)ix_/\1ilex_/g; s/\([^A-Za-z0-9_]\)IX_/\1ILEX_/g; s/\([^A-Za-z0-9_>]\)s->t\([^A-Za-z0-9_ ]\)/\1$$s\2/g; s/r->s\.t\([^A-Za-z0-9_ ]\)/$$r\1/g; s/code->t\([^A-Za-z0-9_ ]\)/$$c\1/g; s/[\\"]/\\&/g; s/^/"/; s/$$/",/' \
		$< >$@-t && mv $@-t $@
compiler/host/template.lo: $(HOST_STRINGS)
CLEANFILES += $(HOST_STRINGS)
