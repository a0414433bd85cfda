# SPDX-License-Identifier: MIT
#
# One program per file of lib and compiler.


if HAVE_CHECK
FAST_UNIT_TESTS = \
	tests/unit/test_access \
	tests/unit/test_affine \
	tests/unit/test_annotation \
	tests/unit/test_apply \
	tests/unit/test_array_interface \
	tests/unit/test_axis \
	tests/unit/test_box \
	tests/unit/test_broadcast \
	tests/unit/test_buffers \
	tests/unit/test_build \
	tests/unit/test_cache \
	tests/unit/test_cache_key \
	tests/unit/test_cache_room \
	tests/unit/test_columns \
	tests/unit/test_counted \
	tests/unit/test_data \
	tests/unit/test_distances \
	tests/unit/test_dlpack \
	tests/unit/test_dlpack_refuse \
	tests/unit/test_dlpack_table \
	tests/unit/test_domain \
	tests/unit/test_dtype \
	tests/unit/test_eager \
	tests/unit/test_eager_arrays \
	tests/unit/test_eager_device \
	tests/unit/test_eager_match \
	tests/unit/test_eager_out \
	tests/unit/test_eager_random \
	tests/unit/test_einsum \
	tests/unit/test_einsum_text \
	tests/unit/test_env \
	tests/unit/test_equal_loops \
	tests/unit/test_errors \
	tests/unit/test_eval \
	tests/unit/test_compute \
	tests/unit/test_evaluate \
	tests/unit/test_exchange_device \
	tests/unit/test_foreign \
	tests/unit/test_foreign_node \
	tests/unit/test_formulas \
	tests/unit/test_functions \
	tests/unit/test_graph \
	tests/unit/test_guards \
	tests/unit/test_half \
	tests/unit/test_hash \
	tests/unit/test_index \
	tests/unit/test_inplace \
	tests/unit/test_jit \
	tests/unit/test_jit_cc \
	tests/unit/test_kept \
	tests/unit/test_layouts \
	tests/unit/test_lin \
	tests/unit/test_locations \
	tests/unit/test_loop \
	tests/unit/test_loops \
	tests/unit/test_wavefront \
	tests/unit/test_lower \
	tests/unit/test_maxima \
	tests/unit/test_node \
	tests/unit/test_nonempty \
	tests/unit/test_npy \
	tests/unit/test_op \
	tests/unit/test_order \
	tests/unit/test_origin \
	tests/unit/test_outside \
	tests/unit/test_parse \
	tests/unit/test_partition \
	tests/unit/test_peel \
	tests/unit/test_png \
	tests/unit/test_pool \
	tests/unit/test_prepared \
	tests/unit/test_print \
	tests/unit/test_program \
	tests/unit/test_proof \
	tests/unit/test_query \
	tests/unit/test_messages \
	tests/unit/test_messages_bound \
	tests/unit/test_messages_random \
	tests/unit/test_ranks \
	tests/unit/test_ranks_faults \
	tests/unit/test_ranks_files \
	tests/unit/test_ranks_mesh \
	tests/unit/test_ranks_mesh_random \
	tests/unit/test_ranks_random \
	tests/unit/test_ranks_whole \
	tests/unit/test_repro \
	tests/unit/test_scan \
	tests/unit/test_schedule \
	tests/unit/test_device_rows \
	tests/unit/test_device_tiles \
	tests/unit/test_grid \
	tests/unit/test_narrow \
	tests/unit/test_share \
	tests/unit/test_solve \
	tests/unit/test_source \
	tests/unit/test_steps \
	tests/unit/test_storage \
	tests/unit/test_storage_contract \
	tests/unit/test_storage_device \
	tests/unit/test_storage_gather \
	tests/unit/test_storage_kind \
	tests/unit/test_storage_preset \
	tests/unit/test_storage_random \
	tests/unit/test_storage_sync \
	tests/unit/test_storage_threads \
	tests/unit/test_storage_traits \
	tests/unit/test_storage_view \
	tests/unit/test_structure \
	tests/unit/test_table \
	tests/unit/test_tags \
	tests/unit/test_target \
	tests/unit/test_text \
	tests/unit/test_tree \
	tests/unit/test_walk
# Those that take more than three seconds.
SLOW_UNIT_TESTS = \
	tests/unit/test_alloc \
	tests/unit/test_alloc_isl \
	tests/unit/test_cache_cc \
	tests/unit/test_casts \
	tests/unit/test_compact \
	tests/unit/test_contractions \
	tests/unit/test_eager_golden \
	tests/unit/test_endings \
	tests/unit/test_extremes \
	tests/unit/test_fission \
	tests/unit/test_language \
	tests/unit/test_stack \
	tests/unit/test_sums \
	tests/unit/test_tier
UNIT_TESTS = $(SLOW_UNIT_TESTS) $(FAST_UNIT_TESTS)
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
tests_unit_test_eager_golden_SOURCES = \
	tests/golden/golden.h \
	tests/golden/golden_compare.c \
	tests/golden/golden_operators.c \
	tests/golden/golden_read.c \
	tests/golden/golden_reduce.c \
	tests/golden/golden_report.c \
	tests/golden/golden_rows.c \
	tests/golden/golden_rows.h \
	tests/golden/golden_rule.c \
	tests/golden/golden_scalar.c \
	tests/golden/golden_value.c \
	tests/unit/test_eager_golden.c
tests_unit_test_contractions_SOURCES = \
	$(SHIM_FILES) \
	tests/unit/sums_fixture.h \
	tests/unit/test_contractions.c
tests_unit_test_extremes_SOURCES = \
	$(SHIM_FILES) \
	tests/unit/test_extremes.c
tests_unit_test_device_rows_SOURCES = \
	$(SHIM_FILES) \
	tests/unit/grid_fixture.h \
	tests/unit/test_device_rows.c
tests_unit_test_device_tiles_SOURCES = \
	$(SHIM_FILES) \
	tests/unit/grid_fixture.h \
	tests/unit/test_device_tiles.c

tests_unit_test_grid_SOURCES = \
	$(SHIM_FILES) \
	tests/unit/test_grid.c
tests_unit_test_narrow_SOURCES = \
	$(SHIM_FILES) \
	tests/unit/test_narrow.c
tests_unit_test_language_SOURCES = \
	$(SHIM_FILES) \
	tests/unit/test_language.c
tests_unit_test_ranks_SOURCES = \
	tests/unit/ranks_fixture.h \
	tests/unit/test_ranks.c
tests_unit_test_ranks_files_SOURCES = \
	tests/unit/ranks_fixture.h \
	tests/unit/test_ranks_files.c
tests_unit_test_messages_SOURCES = \
	tests/unit/ranks_fixture.h \
	tests/unit/test_messages.c
tests_unit_test_messages_bound_SOURCES = \
	tests/unit/ranks_fixture.h \
	tests/unit/test_messages_bound.c
tests_unit_test_messages_random_SOURCES = \
	tests/unit/ranks_fixture.h \
	tests/unit/ranks_text.h \
	tests/unit/test_messages_random.c
tests_unit_test_ranks_mesh_SOURCES = \
	tests/unit/ranks_fixture.h \
	tests/unit/test_ranks_mesh.c
tests_unit_test_ranks_mesh_random_SOURCES = \
	tests/unit/ranks_fixture.h \
	tests/unit/ranks_text.h \
	tests/unit/test_ranks_mesh_random.c
tests_unit_test_ranks_whole_SOURCES = \
	tests/unit/ranks_fixture.h \
	tests/unit/test_ranks_whole.c
tests_unit_test_ranks_random_SOURCES = \
	tests/unit/ranks_fixture.h \
	tests/unit/ranks_text.h \
	tests/unit/test_ranks_random.c
tests_unit_test_ranks_faults_SOURCES = \
	tests/unit/ranks_fixture.h \
	tests/unit/test_ranks_faults.c
tests_unit_test_share_SOURCES = \
	$(SHIM_FILES) \
	tests/unit/test_share.c
tests_unit_test_sums_SOURCES = \
	$(SHIM_FILES) \
	tests/unit/sums_fixture.h \
	tests/unit/test_sums.c
endif
