# SPDX-License-Identifier: MIT
#
# Arrays: what is computed.

libixcompiler_la_SOURCES += \
	compiler/graph/boxes.c \
	compiler/graph/contract.c \
	compiler/graph/extents.c \
	compiler/graph/kept.c \
	compiler/graph/largest.c \
	compiler/graph/lists.c \
	compiler/graph/locations.c \
	compiler/graph/repeats.c \
	compiler/graph/lower.c \
	compiler/graph/made.c \
	compiler/graph/made.h \
	compiler/graph/origin.c \
	compiler/graph/places.c \
	compiler/graph/sections.c \
	compiler/graph/sections.h \
	compiler/graph/simplify.c \
	compiler/graph/summands.c \
	compiler/graph/unroll.c \
	compiler/graph/walk.c
