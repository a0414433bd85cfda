# SPDX-License-Identifier: MIT
#
# What transforms loops.

libixcompiler_la_SOURCES += \
	compiler/loop/accesses.c \
	compiler/loop/align.c \
	compiler/loop/apart.c \
	compiler/loop/axes.c \
	compiler/loop/box.c \
	compiler/loop/box.h \
	compiler/loop/collapse.c \
	compiler/loop/combine_kernels.c \
	compiler/loop/compute.c \
	compiler/loop/compute.h \
	compiler/loop/compute_nests.c \
	compiler/loop/condition.c \
	compiler/loop/constraints.c \
	compiler/loop/constraints.h \
	compiler/loop/copy.c \
	compiler/loop/core.c \
	compiler/loop/distances.c \
	compiler/loop/distances.h \
	compiler/loop/drop.c \
	compiler/loop/expand.c \
	compiler/loop/fetch.c \
	compiler/loop/fission.c \
	compiler/loop/fission_kernels.c \
	compiler/loop/fuse.c \
	compiler/loop/fuse_kernels.c \
	compiler/loop/grid.c \
	compiler/loop/group.c \
	compiler/loop/group.h \
	compiler/loop/inline.c \
	compiler/loop/inline.h \
	compiler/loop/inline_read.c \
	compiler/loop/jam.c \
	compiler/loop/jam.h \
	compiler/loop/jam_follow.c \
	compiler/loop/jam_lanes.c \
	compiler/loop/jam_plan.c \
	compiler/loop/jam_point.c \
	compiler/loop/loop.h \
	compiler/loop/loops.def \
	compiler/loop/map.c \
	compiler/loop/meet.c \
	compiler/loop/merge.c \
	compiler/loop/mine.c \
	compiler/loop/moved.c \
	compiler/loop/names.c \
	compiler/loop/numbers.c \
	compiler/loop/pack.c \
	compiler/loop/peel.c \
	compiler/loop/prefetch.c \
	compiler/loop/reorder.c \
	compiler/loop/round.c \
	compiler/loop/shrink.c \
	compiler/loop/skew.c \
	compiler/loop/split.c \
	compiler/loop/stage.c \
	compiler/loop/stream.c \
	compiler/loop/store.c \
	compiler/loop/threads.c \
	compiler/loop/unroll.c \
	compiler/loop/unswitch.c \
	compiler/loop/vector.c \
	compiler/loop/version.c \
	compiler/loop/whole.c
