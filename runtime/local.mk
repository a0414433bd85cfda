# SPDX-License-Identifier: MIT
#
# Storages, back ends, programs, and the command.

libixruntime_la_SOURCES = \
	runtime/cache/cache.c \
	runtime/cache/cache.h \
	runtime/cache/directory.c \
	runtime/cache/directory.h \
	runtime/cache/entry.c \
	runtime/cache/entry.h \
	runtime/cache/identity.c \
	runtime/cache/key.c \
	runtime/cache/key.h \
	runtime/cache/lock.c \
	runtime/cache/room.c \
	runtime/cache/room.h \
	runtime/eager/eager.c \
	runtime/eager/eager_arrays.c \
	runtime/eager/eager.h \
	runtime/eager/eager_cache.c \
	runtime/eager/eager_match.c \
	runtime/eager/eager_named.c \
	runtime/eager/eager_ranks.c \
	runtime/eager/eager_reduce.c \
	runtime/eager/eager_run.c \
	runtime/eager/eager_side.c \
	runtime/exchange/array_interface.c \
	runtime/exchange/array_struct.c \
	runtime/exchange/array_text.c \
	runtime/exchange/dlpack.c \
	runtime/exchange/dlpack.h \
	runtime/exchange/dlpack_import.c \
	runtime/exchange/dlpack_table.c \
	runtime/exchange/exchange.c \
	runtime/exchange/exchange.h \
	runtime/files/file.c \
	runtime/files/file.h \
	runtime/files/formats.h \
	runtime/files/literal.c \
	runtime/files/literal.h \
	runtime/files/npy.c \
	runtime/files/npy_header.c \
	runtime/files/npy_parts.c \
	runtime/files/png.c \
	runtime/files/png_map.c \
	runtime/files/typestr.c \
	runtime/group/grid.c \
	runtime/group/grid.h \
	runtime/group/group.c \
	runtime/group/group.h \
	runtime/group/mpi.c \
	runtime/group/threads.c \
	runtime/group/transports.def \
	runtime/halo/exchange.c \
	runtime/halo/lists.c \
	runtime/halo/lists.h \
	runtime/halo/gather.c \
	runtime/halo/halo.h \
	runtime/halo/pieces.c \
	runtime/halo/pieces.h \
	runtime/jit/backends.def \
	runtime/jit/cc.h \
	runtime/jit/cc_cache.c \
	runtime/jit/cc_directory.c \
	runtime/jit/cc_process.c \
	runtime/jit/cc_spawn.c \
	runtime/jit/cc_version.c \
	runtime/jit/code.c \
	runtime/jit/code.h \
	runtime/jit/elf_check.c \
	runtime/jit/jit.h \
	runtime/jit/jit_cc.c \
	runtime/jit/jit_nvrtc.c \
	runtime/jit/chains.c \
	runtime/jit/chains.h \
	runtime/jit/jit_tcc.c \
	runtime/library/build.c \
	runtime/library/library.c \
	runtime/library/library.h \
	runtime/library/repro.c \
	runtime/library/targets.c \
	runtime/library/variants.c \
	runtime/memory/cuda_driver.c \
	runtime/memory/cuda_functions.def \
	runtime/memory/memory_object.c \
	runtime/memory/memory_object.h \
	runtime/memory/memory_sync.c \
	runtime/memory/size_id.c \
	runtime/memory/space.c \
	runtime/memory/space.h \
	runtime/memory/spaces.def \
	runtime/program/again.c \
	runtime/program/arguments.c \
	runtime/program/bind.c \
	runtime/program/bind_names.c \
	runtime/program/bind_sizes.c \
	runtime/program/call.c \
	runtime/program/bind_box.c \
	runtime/program/divided.c \
	runtime/program/engine_device.c \
	runtime/program/engine_host.c \
	runtime/program/eval.c \
	runtime/program/kept.c \
	runtime/program/layouts.c \
	runtime/program/message_ends.c \
	runtime/program/message_parts.c \
	runtime/program/messages.c \
	runtime/program/messages_check.c \
	runtime/program/meter.c \
	runtime/program/checks.c \
	runtime/program/compute.c \
	runtime/program/evaluate.c \
	runtime/program/graphviz.c \
	runtime/program/forecast.c \
	runtime/program/forecast.h \
	runtime/program/grid_halo.c \
	runtime/program/sections.c \
	runtime/program/inspect.c \
	runtime/program/open.c \
	runtime/program/other.c \
	runtime/program/overlap.c \
	runtime/program/pack.c \
	runtime/program/prepared.c \
	runtime/program/program.c \
	runtime/program/promote.c \
	runtime/program/again.h \
	runtime/program/messages.h \
	runtime/program/program.h \
	runtime/program/profile.c \
	runtime/program/program_query.c \
	runtime/program/query.c \
	runtime/program/ranks.c \
	runtime/program/reads.c \
	runtime/program/reference.c \
	runtime/program/routine.c \
	runtime/program/run.c \
	runtime/program/tier.c \
	runtime/program/walk.c \
	runtime/program/workspace.c \
	runtime/program/workspace.h \
	runtime/storage/data.c \
	runtime/storage/division.h \
	runtime/storage/preset.c \
	runtime/storage/preset.h \
	runtime/storage/presets.def \
	runtime/storage/properties.def \
	runtime/storage/storage.h \
	runtime/storage/storage_assign.c \
	runtime/storage/storage_axes.c \
	runtime/storage/storage_block.c \
	runtime/storage/storage_copy.c \
	runtime/storage/storage_division.c \
	runtime/storage/storage_element.c \
	runtime/storage/storage_gather.c \
	runtime/storage/storage_kind.c \
	runtime/storage/storage_layout.c \
	runtime/storage/storage_make.c \
	runtime/storage/storage_mask.c \
	runtime/storage/storage_mix.c \
	runtime/storage/storage_new.c \
	runtime/storage/storage_place.c \
	runtime/storage/storage_print.c \
	runtime/storage/storage_query.c \
	runtime/storage/storage_reach.c \
	runtime/storage/storage_scope.c \
	runtime/storage/storage_select.c \
	runtime/storage/storage_spec.c \
	runtime/storage/storage_stage.c \
	runtime/storage/storage_sync.c \
	runtime/storage/storage_view.c \
	runtime/threads/background.c \
	runtime/threads/background.h \
	runtime/threads/pool.c \
	runtime/threads/pool.h
libixruntime_la_LIBADD =

# libtcc in its cage: one object for the static and the shared library, with a
# libtool object file written by hand, since libtool compiled neither.
if HAVE_LIBTCC
libixruntime_la_SOURCES += \
	runtime/jit/tcc_cage.c \
	runtime/jit/tcc_cage.h
libixruntime_la_LIBADD += runtime/jit/libtcc.lo
endif

runtime/jit/libtcc.lo: runtime/jit/tcc_cage.sh runtime/jit/tcc_cage.syms Makefile
	$(AM_V_GEN)$(MKDIR_P) runtime/jit/.libs && \
	NM='$(NM)' LD='$(LD)' OBJCOPY='$(OBJCOPY)' $(SHELL) \
	    $(srcdir)/runtime/jit/tcc_cage.sh '$(TCC_ARCHIVE)' \
	    $(srcdir)/runtime/jit/tcc_cage.syms runtime/jit/.libs/libtcc.o && \
	cp runtime/jit/.libs/libtcc.o runtime/jit/libtcc.o && \
	{ echo '# libtcc.lo - a libtool object file'; \
	  echo '# Generated by the Makefile in the manner of libtool'; \
	  echo "pic_object='.libs/libtcc.o'"; \
	  echo "non_pic_object='libtcc.o'"; } > $@
CLEANFILES += \
	runtime/jit/.libs/libtcc.o \
	runtime/jit/libtcc.lo \
	runtime/jit/libtcc.o

# ilexc holds the library itself and so runs from anywhere.

bin_PROGRAMS += ilexc
ilexc_SOURCES = \
	runtime/ilexc/actions.def \
	runtime/ilexc/compare.c \
	runtime/ilexc/explain_grid.c \
	runtime/ilexc/execute.c \
	runtime/ilexc/exits.def \
	runtime/ilexc/fields.c \
	runtime/ilexc/fields_halo.c \
	runtime/ilexc/flags.def \
	runtime/ilexc/help.c \
	runtime/ilexc/help.h \
	runtime/ilexc/ilexc.h \
	runtime/ilexc/main.c \
	runtime/ilexc/messages.c \
	runtime/ilexc/options.c \
	runtime/ilexc/output.c \
	runtime/ilexc/profile.c \
	runtime/ilexc/progress.c \
	runtime/ilexc/ranks.c \
	runtime/ilexc/replay.h \
	runtime/ilexc/replay_fields.c \
	runtime/ilexc/replay_read.c \
	runtime/ilexc/report.c \
	runtime/ilexc/run.h \
	runtime/ilexc/save.c \
	runtime/ilexc/session.c \
	runtime/ilexc/sizes.c \
	runtime/ilexc/topics.c \
	runtime/ilexc/topics.def \
	runtime/ilexc/topics.h \
	runtime/ilexc/step_name.c \
	runtime/ilexc/swaps.c \
	runtime/ilexc/values.c \
	runtime/ilexc/verb_bench.c \
	runtime/ilexc/verb_cache.c \
	runtime/ilexc/verb_check.c \
	runtime/ilexc/verb_compile.c \
	runtime/ilexc/verb_emit.c \
	runtime/ilexc/verb_explain.c \
	runtime/ilexc/verb_fmt.c \
	runtime/ilexc/verb_graph.c \
	runtime/ilexc/verb_list.c \
	runtime/ilexc/verb_print.c \
	runtime/ilexc/verb_replay.c \
	runtime/ilexc/verb_run.c \
	runtime/ilexc/verbs.def \
	runtime/measure/bench_util.c \
	runtime/measure/bench_util.h \
	runtime/measure/counts.c \
	runtime/measure/counts.h \
	runtime/measure/device_copy.c \
	runtime/measure/device_copy.h \
	runtime/measure/limit_loops.c \
	runtime/measure/limit_loops.h \
	runtime/measure/limits.c \
	runtime/measure/limits.h
ilexc_LDADD = $(libilex_la_LIBADD)

# ---- ilex-mpi.so: the only file that knows MPI, which libilex opens ---------

EXTRA_DIST += runtime/group/mpi_module.c
if HAVE_MPI
modulesdir = $(libdir)/ilex
modules_DATA = ilex-mpi.so
CLEANFILES += ilex-mpi.so
ilex-mpi.so: runtime/group/mpi_module.c runtime/group/group.h \
	  include/ilex/group.h include/ilex/storage.h lib/base/prelude.h
	$(AM_V_CCLD)$(MPICC) -std=gnu11 $(AM_CPPFLAGS) $(CPPFLAGS) $(CFLAGS) \
	  -fPIC -fvisibility=hidden -shared $(LDFLAGS) -o $@ \
	  $(srcdir)/runtime/group/mpi_module.c
endif
