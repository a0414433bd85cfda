# SPDX-License-Identifier: MIT
#
# Test programs, one a folder, tests of what a user sees, and how they run.

# CUDA source on the CPU, and devices.
SHIM_FILES = \
	tests/differential/cuda_shim.c \
	tests/differential/cuda_shim.h \
	tests/differential/cuda_shim_head.h \
	tests/differential/fibres.h
DEVICE_FILES = \
	$(SHIM_FILES) \
	tests/cuda/cuda_device.c \
	tests/cuda/cuda_device.h

# Random programs; how they run by every back end.
RANDOM_FILES = \
	tests/differential/diff_buffers.c \
	tests/differential/diff_calls.c \
	tests/differential/diff_counted.c \
	tests/differential/diff_foreign.c \
	tests/differential/diff_leaves.c \
	tests/differential/diff_maps.c \
	tests/differential/diff_matrices.c \
	tests/differential/diff_nodes.c \
	tests/differential/diff_random.c \
	tests/differential/diff_recipe.c \
	tests/differential/diff_regions.c \
	tests/differential/diff_scans.c \
	tests/differential/diff_segments.c \
	tests/differential/diff_solved.c \
	tests/differential/differential.h \
	tests/differential/kinds.def
RANDOM_RUN_FILES = \
	$(DEVICE_FILES) \
	$(RANDOM_FILES) \
	tests/differential/diff_once.c \
	tests/differential/diff_range.c \
	tests/differential/diff_run.c \
	tests/differential/diff_session.h

# The longest first: random programs in parts.
SHARDS = \
	tests/differential/part_1.options \
	tests/differential/part_2.options \
	tests/differential/part_3.options \
	tests/differential/part_4.options \
	tests/ahead/library_fma.options \
	tests/ahead/wrong.options \
	tests/tree/part_1.options \
	tests/tree/part_2.options \
	tests/tree/transform.options \
	tests/tree/transform_cuda.options
TESTS += $(SHARDS)

FOLDER_TESTS = \
	tests/ahead/ahead \
	tests/cache/cache \
	tests/error/error \
	tests/golden/golden \
	tests/math/complex \
	tests/math/math \
	tests/programs/programs \
	tests/property/limits \
	tests/property/property \
	tests/repeat/repeat
check_PROGRAMS += $(FOLDER_TESTS) tests/differential/differential \
	tests/tree/tree
TESTS += $(FOLDER_TESTS)
tests_ahead_ahead_SOURCES = \
	$(RANDOM_FILES) \
	tests/ahead/ahead.h \
	tests/ahead/ahead_main.c \
	tests/ahead/texts.def \
	tests/ahead/wrong.c \
	tests/ahead/wrong.h \
	tests/ahead/wrong_judge.c \
	tests/ahead/wrong_kinds.c
tests_cache_cache_SOURCES = \
	tests/cache/cache_main.c
tests_differential_differential_SOURCES = \
	$(RANDOM_RUN_FILES) \
	tests/differential/diff_shrink.c \
	tests/differential/differential_main.c
tests_error_error_SOURCES = \
	tests/error/build_errors.def \
	tests/error/error_main.c \
	tests/error/errors.h \
	tests/error/rows.inc \
	tests/error/run_errors.def \
	tests/error/storage_errors.def \
	tests/error/test_errors_build.c \
	tests/error/test_errors_run.c \
	tests/error/test_errors_storage.c \
	tests/error/test_text_errors.c
tests_golden_golden_SOURCES = \
	$(GOLDEN_FILES) \
	tests/golden/golden_main.c
GOLDEN_FILES = \
	$(DEVICE_FILES) \
	tests/golden/golden.h \
	tests/golden/golden_axis.c \
	tests/golden/golden_backend.c \
	tests/golden/golden_batch.c \
	tests/golden/golden_compare.c \
	tests/golden/golden_einsum.c \
	tests/golden/golden_files.c \
	tests/golden/golden_index.c \
	tests/golden/golden_jobs.c \
	tests/golden/golden_jobs.h \
	tests/golden/golden_operators.c \
	tests/golden/golden_promote.c \
	tests/golden/golden_read.c \
	tests/golden/golden_reduce.c \
	tests/golden/golden_report.c \
	tests/golden/golden_rows.c \
	tests/golden/golden_rows.h \
	tests/golden/golden_rule.c \
	tests/golden/golden_scalar.c \
	tests/golden/golden_value.c
tests_math_complex_SOURCES = \
	tests/math/arguments.h \
	tests/math/complex.c \
	tests/math/complex.def \
	tests/math/complex.h
tests_math_math_SOURCES = \
	tests/math/arguments.h \
	tests/math/functions.def \
	tests/math/math.c \
	tests/math/special.def
tests_programs_programs_SOURCES = \
	tests/programs/programs.c
tests_property_limits_SOURCES = \
	tests/differential/diff_buffers.c \
	tests/differential/diff_random.c \
	tests/differential/differential.h \
	tests/differential/kinds.def \
	tests/property/limits.def \
	tests/property/limits.h \
	tests/property/limits_guards.c \
	tests/property/limits_main.c \
	tests/property/limits_texts.c
tests_property_property_SOURCES = \
	$(RANDOM_RUN_FILES) \
	tests/differential/diff_shrink.c \
	tests/property/properties.def \
	tests/property/property.h \
	tests/property/property_crossing.c \
	tests/property/property_main.c \
	tests/property/property_passes.c \
	tests/property/property_queries.c \
	tests/property/property_stencil.c \
	tests/property/property_text.c
tests_repeat_repeat_SOURCES = \
	$(RANDOM_RUN_FILES) \
	tests/repeat/draw_expression.c \
	tests/repeat/draw_loop.c \
	tests/repeat/draw_map.c \
	tests/repeat/draw_program.c \
	tests/repeat/draw_statement.c \
	tests/repeat/draw_stencil.c \
	tests/repeat/features.def \
	tests/repeat/render.c \
	tests/repeat/repeat.h \
	tests/repeat/repeat_main.c \
	tests/repeat/repeat_run.c \
	tests/repeat/repeat_shrink.c
tests_tree_tree_SOURCES = \
	$(RANDOM_RUN_FILES) \
	tests/tree/calls.c \
	tests/tree/compiled.c \
	tests/tree/compiled.h \
	tests/tree/evaluate.c \
	tests/tree/interpret.c \
	tests/tree/interpret.h \
	tests/tree/memory.c \
	tests/tree/nests.def \
	tests/tree/options.c \
	tests/tree/options.h \
	tests/tree/programs.def \
	tests/tree/draw_program.c \
	tests/tree/draw_strips.c \
	tests/tree/transform.c \
	tests/tree/transform.h \
	tests/tree/tree_main.c

# check-cuda: `make check` runs it over a fake driver.
if HAVE_CHECK
check_PROGRAMS += tests/cuda/cuda
check_DATA += $(FAKE_CUDA)
endif
tests_cuda_cuda_SOURCES = \
	$(GOLDEN_FILES) \
	tests/cuda/cuda_exchange.c \
	tests/cuda/cuda_fault.c \
	tests/cuda/cuda_main.c \
	tests/cuda/cuda_memory.c \
	tests/cuda/cuda_foreign.c \
	tests/cuda/cuda_kernels.c \
	tests/cuda/cuda_prepared.c \
	tests/cuda/cuda_program.c \
	tests/cuda/cuda_sync.c \
	tests/cuda/cuda_test.h \
	tests/cuda/fake.h

FAKE_CUDA = \
	tests/cuda/fake/libcuda.so.1 \
	tests/cuda/fake/libnvrtc.so.13
FAKE_CUDA_FILES = \
	tests/cuda/fake_driver.c \
	tests/cuda/fake_module.c \
	tests/cuda/fake_nvrtc.c
FAKE_CUDA_LINK = $(MKDIR_P) tests/cuda/fake && $(CC) $(AM_CPPFLAGS) \
	$(CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) -fvisibility=default -fPIC -shared
$(FAKE_CUDA): $(FAKE_CUDA_FILES) tests/cuda/fake.h lib/base/fork.h \
		tests/differential/cuda_shim_head.h \
		tests/differential/fibres.h Makefile
tests/cuda/fake/libcuda.so.1:
	$(AM_V_CCLD)$(FAKE_CUDA_LINK) -Wl,-soname,libcuda.so.1 -o $@ \
	    $(srcdir)/tests/cuda/fake_driver.c \
	    $(srcdir)/tests/cuda/fake_module.c $(SYSTEM_LIBS)
tests/cuda/fake/libnvrtc.so.13:
	$(AM_V_CCLD)$(FAKE_CUDA_LINK) -Wl,-soname,libnvrtc.so.13 -o $@ \
	    $(srcdir)/tests/cuda/fake_nvrtc.c
CLEANFILES += $(FAKE_CUDA)


SHELL_TESTS = \
	tests/ahead/blocks.sh \
	tests/ahead/calls.sh \
	tests/ahead/cmake.sh \
	tests/ahead/fortran.sh \
	tests/ahead/freestanding.sh \
	tests/ahead/grid.sh \
	tests/ahead/json.sh \
	tests/ahead/kit.sh \
	tests/ahead/lines.sh \
	tests/ahead/project.sh \
	tests/ahead/python.sh \
	tests/ahead/variants.sh \
	tests/ahead/versions.sh \
	tests/ahead/ways.sh \
	tests/cuda/check_fake.sh \
	tests/cuda/nvcc.sh \
	tests/sass/sass.sh \
	tests/bindings/bindings.sh \
	tests/python/package.sh \
	tests/python/doc.sh \
	tests/declared.sh \
	tests/elementwise.sh \
	tests/format.sh \
	tests/golden/einsum_rows.sh \
	tests/html.sh \
	tests/integration/bench.sh \
	tests/integration/bench_code.sh \
	tests/integration/cmake.sh \
	tests/integration/configure.sh \
	tests/integration/cxx.sh \
	tests/integration/examples.sh \
	tests/integration/install.sh \
	tests/integration/references.sh \
	tests/integration/test_help.sh \
	tests/integration/test_host.sh \
	tests/integration/test_ilexc.sh \
	tests/integration/test_ilexc_cache.sh \
	tests/integration/test_ilexc_explain.sh \
	tests/integration/test_ilexc_html.sh \
	tests/integration/test_page.sh \
	tests/integration/test_ilexc_policy.sh \
	tests/integration/test_ilexc_schedule.sh \
	tests/integration/test_ilexc_steps.sh \
	tests/integration/test_ilexc_typos.sh \
	tests/integration/test_numpy.sh \
	tests/integration/test_pipelines.sh \
	tests/integration/test_wavefronts.sh \
	tests/integration/test_replay.sh \
	tests/integration/test_stencil.sh \
	tests/integration/passes.sh \
	tests/integration/tutorial.sh \
	tests/language_doc.sh \
	tests/layering.sh \
	tests/manpages.sh \
	tests/math/compilers.sh \
	tests/math/vectors.sh \
	tests/mpi.sh \
	tests/mutants.sh \
	tests/numpy/matrices.sh \
	tests/numpy/loops.sh \
	tests/numpy/random_more.sh \
	tests/numpy/random_programs.sh \
	tests/numpy/sums.sh \
	tests/property/fuzz.sh \
	tests/prose.sh \
	tests/requirements.sh \
	tests/sizes.sh \
	tests/loop/loop.sh \
	tests/stages/stages.sh \
	tests/symbols.sh
TESTS += $(SHELL_TESTS) tests/budget.sh
EXTRA_DIST += tests/math/annex_g.tsv tests/math/accuracy.c tests/math/hash.c tests/property/fuzz_text.c
tests/requirements.log tests/property/fuzz.log: $(UNIT_TESTS:=.log)
tests/budget.log: $(EXAMPLES:=.log) $(FOLDER_TESTS:=.log) $(SHARDS:.options=.log) \
	$(SHELL_TESTS:.sh=.log) $(UNIT_TESTS:=.log)

INTEGRATION_TESTS = \
	tests/integration/test_conserve
check_PROGRAMS += $(INTEGRATION_TESTS)
TESTS += $(INTEGRATION_TESTS)
tests_integration_test_conserve_SOURCES = tests/integration/test_conserve.c
tests_integration_test_conserve_LDADD = libilex.la

check_PROGRAMS += tests/integration/test_host
tests_integration_test_host_SOURCES = tests/integration/test_host.c
tests_integration_test_host_LDADD = -ldl

if HAVE_CXX
check_PROGRAMS += tests/headers
TESTS += tests/headers
tests_headers_SOURCES = tests/headers.cc
tests_headers_LDADD = libilex.la
endif

# Programs report in TAP, one line a check; tests/run.sh turns the exit status
# of those that do not into one such line. Shell tests report by exit status.
# No test writes into the cache of who runs it.

TEST_EXTENSIONS = .options .sh
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) \
	$(top_srcdir)/build-aux/tap-driver.sh
AM_LOG_DRIVER_FLAGS = --ignore-exit
LOG_COMPILER = $(SHELL) $(srcdir)/tests/run.sh
SH_LOG_COMPILER = $(SHELL) $(srcdir)/tests/timed.sh
OPTIONS_LOG_DRIVER = $(LOG_DRIVER)
AM_OPTIONS_LOG_DRIVER_FLAGS = $(AM_LOG_DRIVER_FLAGS)
OPTIONS_LOG_COMPILER = $(LOG_COMPILER)
AM_TESTS_ENVIRONMENT = \
	CK_TAP_LOG_FILE_NAME=-; \
	CK_VERBOSITY=silent; \
	ILEX_CACHE=off; \
	AWK='$(AWK)'; \
	CC='$(CC)'; \
	CMARK='$(CMARK)'; \
	MANDOC='$(MANDOC)'; \
	MAKE='$(MAKE)'; \
	NM='$(NM)'; \
	PKG_CONFIG='$(PKG_CONFIG)'; \
	SANITIZE_FLAGS='$(ILEX_SANITIZE_FLAGS)'; \
	TEST_LOGS='$(TEST_LOGS)'; \
	export AWK CC CMARK CK_TAP_LOG_FILE_NAME CK_VERBOSITY ILEX_CACHE MAKE MANDOC NM \
		PKG_CONFIG SANITIZE_FLAGS TEST_LOGS;

# The same for tests that run without the driver.
BY_HAND = ILEX_CACHE=off srcdir='$(srcdir)'

# What answers in a minute: all that takes three seconds at most, 150 random
# programs, the golden files on tcc, stages and documents.
QUICK_BUILT = \
	tests/differential/differential$(EXEEXT) \
	tests/error/error$(EXEEXT) \
	tests/golden/golden$(EXEEXT) \
	tests/tree/tree$(EXEEXT)
QUICK_TESTS = \
	tests/tree/quick.options \
	tests/differential/quick.options \
	tests/error/error$(EXEEXT) \
	tests/golden/quick.options \
	tests/declared.sh \
	tests/elementwise.sh \
	tests/format.sh \
	tests/language_doc.sh \
	tests/layering.sh \
	tests/manpages.sh \
	tests/mutants.sh \
	tests/prose.sh \
	tests/sizes.sh \
	tests/stages/stages.sh \
	tests/symbols.sh
quick: all
	@quick='$(FAST_UNIT_TESTS:=$(EXEEXT))'; \
	$(MAKE) check-TESTS check_PROGRAMS="$$quick $(QUICK_BUILT)" \
	    check_DATA= TESTS="$(QUICK_TESTS) $$quick"

# The tests of TESTS with the programs that they are alone, not all that there
# are; a script may want any of them.
try: all
	@built='$(check_PROGRAMS)'; case '$(TESTS)' in *.sh*) ;; *) \
	    built=`for t in $(TESTS); do case $$t in \
		*.options) d=$${t%/*}; echo $$d/$${d##*/} ;; \
		*) echo $$t ;; esac; done` ;; esac; \
	$(MAKE) check-TESTS check_DATA= TESTS='$(TESTS)' check_PROGRAMS="`echo $$built`"

# The largest errors of the elementary functions and where they are; of f32 all
# numbers, for hours. MATH="--count=1000000 --step=1000 exp" looks at less.
check-math: tests/math/accuracy.c tests/math/functions.def
	@echo '#include <mpfr.h>' | $(CC) $(CPPFLAGS) -E - >/dev/null 2>&1 || \
	    { echo "skipped: no mpfr.h"; exit 0; }; \
	$(CC) -std=gnu11 -O3 -march=native -ffp-contract=off $(AM_CPPFLAGS) \
	    $(CPPFLAGS) -o tests/math/accuracy$(EXEEXT) \
	    $(srcdir)/tests/math/accuracy.c -lmpfr -lm && \
	tests/math/accuracy$(EXEEXT) $(MATH)
	-python3 -c 'import mpmath' && python3 $(srcdir)/lib/ops/elementary.py --check

# The golden files alone; ILEX_GOLDEN_DIR names a directory of the same format.
check-golden: tests/golden/golden$(EXEEXT)
	$(BY_HAND) tests/golden/golden$(EXEEXT)

# Random programs for minutes: laws that hold for each, then every back end, bit
# for bit. ILEX_SEED is the seed, by default the time.
fuzz: tests/cache/cache$(EXEEXT) tests/differential/differential$(EXEEXT) \
		tests/property/property$(EXEEXT) tests/tree/tree$(EXEEXT)
	$(BY_HAND) tests/cache/cache$(EXEEXT) --seconds=180
	$(BY_HAND) $(SHELL) $(srcdir)/tests/property/fuzz.sh 180 || test $$? -eq 77
	$(BY_HAND) tests/property/property$(EXEEXT) --long
	$(BY_HAND) tests/tree/tree$(EXEEXT) --long
	$(BY_HAND) tests/differential/differential$(EXEEXT) --long

# What is too long for `make check`: run before a release.
long: fuzz
	for seed in 2 3 4; do \
	    $(BY_HAND) tests/differential/differential$(EXEEXT) --seed=$$seed \
	    || exit 1; done
	ILEX_NUMPY_COUNT=12000 $(BY_HAND) $(SHELL) \
	    $(srcdir)/tests/numpy/random_programs.sh

# The unit tests and the error tables under valgrind, which does not know all
# instructions of a processor.
check-valgrind: all
	case $$(uname -m) in \
	x86_64) ILEX_CFLAGS=-march=x86-64-v2 && export ILEX_CFLAGS ;; \
	esac; \
	ILEX_TEST_QUICK=1 ILEX_TEST_TIMEOUT=3600 CK_TIMEOUT_MULTIPLIER=60 \
	ILEX_TEST_WRAPPER='valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite' \
	$(MAKE) check TESTS='$(UNIT_TESTS) tests/error/error'

# Random programs over a library whose chunks are so short that every sum has
# many, built in chunks.dir; what takes a chunk for another gives other bits.
check-chunks:
	$(MKDIR_P) chunks.dir
	cd chunks.dir && { test -f Makefile || $(abs_srcdir)/configure -q CC='$(CC)' \
		CFLAGS='$(CFLAGS) -DIX_SMALL_CHUNKS'; }
	$(MAKE) -C chunks.dir tests/differential/differential$(EXEEXT) tests/tree/tree$(EXEEXT)
	cd chunks.dir && tests/differential/differential$(EXEEXT) --count=20000 --jit=tcc
	cd chunks.dir && tests/differential/differential$(EXEEXT) --count=1000 --seed=2
	cd chunks.dir && tests/tree/tree$(EXEEXT) --count=1000

# What needs CUDA: random programs as CUDA source on the CPU and by NVRTC; then,
# if there is a device, memory, programs, the golden kernels and random programs
# on it.
check-cuda: tests/differential/differential$(EXEEXT) $(check_PROGRAMS)
	$(BY_HAND) tests/differential/differential$(EXEEXT) --cuda
	@test ! -x tests/cuda/cuda$(EXEEXT) || \
	    { $(BY_HAND) tests/cuda/cuda$(EXEEXT) && \
	      $(BY_HAND) tests/differential/differential$(EXEEXT) \
	          --device; } || test $$? -eq 77

# What the first hour on a machine with a GPU needs, in one directory, to be
# carried there: `check-cuda/run`. For configure --enable-bundle.
BUNDLED = \
	bench/gpubench$(EXEEXT) \
	ilexc$(EXEEXT) \
	tests/cuda/cuda$(EXEEXT) \
	tests/differential/differential$(EXEEXT)
bundle: $(BUNDLED)
	rm -rf check-cuda
	$(MKDIR_P) check-cuda/data check-cuda/programs
	cp $(BUNDLED) $(srcdir)/tests/cuda/run check-cuda
	cp $(srcdir)/tests/golden/data/*.tsv check-cuda/data
	bench/gpubench$(EXEEXT) -w check-cuda/programs
	chmod +x check-cuda/run

# Planted bugs, each built and given to the tests that should see it;
# MUTANTS=WORD tries those with the word in their name or room, CHANGED=1 those
# in files that are not as committed, CHANGED=COMMIT in files changed since.
# LOT=50 SEED=7: as many at random places instead, whose survivors are listed.
mutants:
	CC='$(CC)' MAKE='$(MAKE)' python3 $(srcdir)/tests/mutants.py \
	    "--changed=$(CHANGED)" "--lot=$(LOT)" "--seed=$(SEED)" \
	    $(srcdir) $(MUTANTS)

# Test suites of others over the package in Python, whose checkouts are in the
# directory CLIENTS (tests/clients/run.sh).
check-clients: all
	srcdir='$(srcdir)' PYTHON='$(PYTHON)' $(SHELL) \
	    $(srcdir)/tests/clients/run.sh $(CLIENTS)

# Writes what the compiler makes of tests/stages/*.ilx; read the diff after.
golden-update: ilexc$(EXEEXT)
	srcdir='$(srcdir)' $(SHELL) $(srcdir)/tests/stages/stages.sh --update
	srcdir='$(srcdir)' $(SHELL) $(srcdir)/tests/loop/loop.sh --update
	PATH="$$PWD:$$PATH" $(SHELL) $(srcdir)/tests/console.sh $(srcdir)/doc/passes.md >passes.new
	mv passes.new $(srcdir)/doc/passes.md

.PHONY: golden-update
.PHONY: quick try long bundle check-chunks check-clients check-cuda check-golden check-math \
	check-valgrind fuzz mutants
