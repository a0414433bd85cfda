# SPDX-License-Identifier: MIT
#
# From the graph to source text, a fragment for each room.

libixcompiler_la_SOURCES = \
	compiler/compiler.h \
	compiler/passes.def \
	compiler/pipeline.c \
	compiler/reasons.def \
	compiler/stages.def \
	compiler/unit.h \
	compiler/verify.c

include compiler/target/local.mk
include compiler/graph/local.mk
include compiler/stages/local.mk
include compiler/lower/local.mk
include compiler/tree/local.mk
include compiler/loop/local.mk
include compiler/schedule/local.mk
include compiler/finish/local.mk
include compiler/emit/local.mk
include compiler/steps/local.mk
include compiler/run/local.mk
include compiler/host/local.mk
include compiler/report/local.mk
