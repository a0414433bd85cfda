# SPDX-License-Identifier: MIT
#
# From the graph to source text.

libixcompiler_la_SOURCES = \
	compiler/compiler.h \
	compiler/dump.c \
	compiler/explain.c \
	compiler/explain.h \
	compiler/facts.c \
	compiler/facts.h \
	compiler/page.c \
	compiler/emit/dialects.def \
	compiler/emit/emit.h \
	compiler/emit/emit_element.c \
	compiler/emit/emit_file.c \
	compiler/emit/emit_foreign.c \
	compiler/emit/emit_kernel.c \
	compiler/emit/emit_lines.c \
	compiler/emit/emit_reduce.c \
	compiler/emit/emit_stmt.c \
	compiler/emit/emit_text.c \
	compiler/emit/heads.def \
	compiler/emit/shapes.def \
	compiler/graph/contract.c \
	compiler/graph/dot.c \
	compiler/graph/extents.c \
	compiler/graph/lower.c \
	compiler/graph/origin.c \
	compiler/graph/simplify.c \
	compiler/graph/walk.c \
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
	compiler/host/variants.c \
	compiler/passes.def \
	compiler/pipeline.c \
	compiler/reasons.def \
	compiler/stages/calls.c \
	compiler/stages/checks.c \
	compiler/stages/compact.c \
	compiler/stages/order.c \
	compiler/stages/pack.c \
	compiler/stages/partition.c \
	compiler/stages/partition.h \
	compiler/stages/parts.c \
	compiler/stages/places.c \
	compiler/stages/reads.c \
	compiler/stages/reasons.c \
	compiler/stages/renumber.c \
	compiler/stages/recurrences.c \
	compiler/stages/tape.c \
	compiler/stages/updates.c \
	compiler/steps/buffers.c \
	compiler/steps/copy.c \
	compiler/steps/describe.c \
	compiler/steps/finish.c \
	compiler/steps/finish.h \
	compiler/steps/nonempty.c \
	compiler/steps/steps.c \
	compiler/steps/steps.def \
	compiler/steps/workspace.c \
	compiler/tree/arguments.c \
	compiler/tree/bounded.c \
	compiler/tree/build.c \
	compiler/tree/check.c \
	compiler/tree/check.h \
	compiler/tree/check_access.c \
	compiler/tree/chunks.c \
	compiler/tree/cut.c \
	compiler/tree/dump.c \
	compiler/tree/form.c \
	compiler/tree/guard.c \
	compiler/tree/inplace.c \
	compiler/tree/join.c \
	compiler/tree/lanes.c \
	compiler/tree/map.c \
	compiler/tree/measure.c \
	compiler/tree/names.c \
	compiler/tree/nest.c \
	compiler/tree/partial.c \
	compiler/tree/place.c \
	compiler/tree/position.c \
	compiler/tree/recurrence.c \
	compiler/tree/ranges.c \
	compiler/tree/ranges.h \
	compiler/tree/reduce.c \
	compiler/tree/reduce.h \
	compiler/tree/share.c \
	compiler/tree/share.h \
	compiler/tree/solve.c \
	compiler/tree/split.c \
	compiler/tree/stmt.c \
	compiler/tree/stmts.def \
	compiler/tree/columns.c \
	compiler/tree/strip.c \
	compiler/tree/tree.h \
	compiler/tree/unit_stride.c \
	compiler/tree/units.c \
	compiler/unit.h \
	compiler/verify.c

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
