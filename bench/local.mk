# SPDX-License-Identifier: MIT
#
# Timings, recorded and never asserted.
#
# The plain C is compiled as the cc back end compiles what Ilex writes,
# whatever the flags of the library.

EXTRA_PROGRAMS = \
	bench/latency \
	bench/scale \
	bench/storage
check_PROGRAMS += bench/bench bench/cached bench/gpubench
bench_bench_SOURCES = \
	bench/bench.c \
	bench/bench_kernels.h \
	runtime/measure/bench_util.c \
	runtime/measure/bench_util.h \
	runtime/measure/counts.c \
	runtime/measure/counts.h \
	bench/job.c \
	bench/job.h \
	bench/kernels.def \
	runtime/measure/limit_loops.h \
	runtime/measure/limits.c \
	runtime/measure/limits.h \
	bench/results.c \
	bench/results.h
bench_bench_LDADD = bench/plain.$(OBJEXT) bench/loops.$(OBJEXT) libilex.la -lm
bench_bench_LDFLAGS = $(AM_LDFLAGS) -static-libtool-libs
bench_cached_SOURCES = \
	runtime/measure/bench_util.c \
	runtime/measure/bench_util.h \
	bench/cached.c
bench_cached_LDADD = libilex.la
bench_gpubench_SOURCES = \
	runtime/measure/bench_util.c \
	runtime/measure/bench_util.h \
	runtime/measure/counts.c \
	runtime/measure/counts.h \
	runtime/measure/device_copy.c \
	runtime/measure/device_copy.h \
	bench/gpubench.c \
	bench/kernels.def
bench_gpubench_LDADD = $(libilex_la_LIBADD)
bench_latency_SOURCES = \
	runtime/measure/bench_util.c \
	runtime/measure/bench_util.h \
	bench/kernels.def \
	bench/latency.c
bench_latency_LDADD = libilex.la
bench_latency_LDFLAGS = $(AM_LDFLAGS) -static-libtool-libs
bench_scale_SOURCES = \
	runtime/measure/bench_util.c \
	runtime/measure/bench_util.h \
	bench/scale.c
bench_scale_LDADD = libilex.la -lm
bench_scale_LDFLAGS = $(AM_LDFLAGS) -static-libtool-libs
bench_storage_SOURCES = \
	runtime/measure/bench_util.c \
	runtime/measure/bench_util.h \
	bench/storage.c
bench_storage_LDADD = libilex.la
bench_storage_LDFLAGS = $(AM_LDFLAGS) -static-libtool-libs

PLAIN_FLAGS = -std=c11 -O3 -march=native -ffp-contract=off -fno-math-errno \
	-fno-trapping-math -fno-strict-aliasing
bench/plain.$(OBJEXT): bench/bench_kernels.c bench/bench_kernels.h \
		bench/kernels.def
	$(AM_V_CC)$(MKDIR_P) bench && $(CC) $(PLAIN_FLAGS) -I$(top_srcdir) \
	    -c -o $@ $(srcdir)/bench/bench_kernels.c
bench/loops.$(OBJEXT): runtime/measure/limit_loops.c runtime/measure/limit_loops.h
	$(AM_V_CC)$(MKDIR_P) bench && $(CC) $(PLAIN_FLAGS) -ffp-contract=fast \
	    -I$(top_srcdir) -c -o $@ $(srcdir)/runtime/measure/limit_loops.c

# The plain C as peers.py loads it.
bench/plain.so: bench/bench_kernels.c bench/bench_kernels.h bench/kernels.def
	$(AM_V_CC)$(MKDIR_P) bench && $(CC) $(PLAIN_FLAGS) -fPIC -shared \
	    -I$(top_srcdir) -o $@ $(srcdir)/bench/bench_kernels.c -lm

bench: bench/bench$(EXEEXT) bench/latency$(EXEEXT) bench/cached$(EXEEXT) \
		bench/plain.so
	ILEX_CACHE=off bench/bench$(EXEEXT) -o bench/results.json
	@python=$${PYTHON:-python3}; export PYTHONDONTWRITEBYTECODE=1; \
	if ! $$python -c 'import numpy' 2>/dev/null; then \
	    echo "without other libraries: $$python has no NumPy"; \
	    exit 0; \
	fi; \
	$$python $(srcdir)/bench/peers.py -p bench/plain.so \
	    -o bench/peers.json bench/results.json && \
	$$python $(srcdir)/bench/report.py -o bench/all.json \
	    -s bench/roofline.svg -d bench/figures.md \
	    bench/results.json bench/peers.json
	ILEX_CACHE=off bench/latency$(EXEEXT)
	bench/cached$(EXEEXT) $(srcdir)/examples/axpy.ilx \
	    $(srcdir)/examples/hdiff.ilx $(srcdir)/examples/terrain_halo.ilx

# Graphs of many nodes.
bench-scale: bench/scale$(EXEEXT)
	ILEX_CACHE=off bench/scale$(EXEEXT)

# Views, eager operators beside NumPy's, strides, huge pages.
bench-storage: bench/storage$(EXEEXT)
	$(BY_HAND) bench/storage$(EXEEXT)

# Eager operators beside NumPy's; PYTHON names a python3 that has it.
bench-eager: libilex.la
	ILEX_CACHE=off ILEX_LIBRARY=.libs/libilex.so \
	    "$${PYTHON:-python3}" $(srcdir)/bench/eager.py

# Elementary functions beside NumPy's, SLEEF's and libmvec's, where these are.
bench-functions: libilex.la
	ILEX_CACHE=off ILEX_LIBRARY=.libs/libilex.so \
	    "$${PYTHON:-python3}" $(srcdir)/bench/functions.py

# Instructions of hot loops beside their bounds; UPDATE=--update writes these.
bench-code: ilexc$(EXEEXT) bench/gpubench$(EXEEXT)
	srcdir='$(srcdir)' $(SHELL) $(srcdir)/tests/integration/bench_code.sh \
	    $(UPDATE)

CLEANFILES += $(EXTRA_PROGRAMS) bench/plain.$(OBJEXT) \
	bench/loops.$(OBJEXT) bench/plain.so bench/results.json \
	bench/peers.json bench/all.json bench/roofline.svg bench/figures.md

.PHONY: bench bench-code bench-eager bench-functions bench-scale bench-storage
