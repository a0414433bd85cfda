# SPDX-License-Identifier: MIT
#
# What a user writes, run by make check.

EXAMPLES = \
	examples/axpy \
	examples/broadcast \
	examples/conjugate_gradients \
	examples/einsum \
	examples/heat_halo \
	examples/mesh \
	examples/nabla \
	examples/network \
	examples/ranks \
	examples/ring \
	examples/reduction \
	examples/seawater \
	examples/shallow_water \
	examples/solver \
	examples/storages \
	examples/symbolic_size \
	examples/terrain \
	examples/threads \
	examples/toy_dsl \
	examples/waves
noinst_PROGRAMS += $(EXAMPLES)
TESTS += $(EXAMPLES)
examples_axpy_LDADD = libilex.la
examples_broadcast_LDADD = libilex.la
examples_conjugate_gradients_LDADD = libilex.la
examples_einsum_LDADD = libilex.la
examples_heat_halo_LDADD = libilex.la
examples_mesh_LDADD = libilex.la -lm
examples_nabla_LDADD = libilex.la
examples_network_LDADD = libilex.la
examples_ranks_LDADD = libilex.la
examples_reduction_LDADD = libilex.la
examples_ring_LDADD = libilex.la -lm
examples_seawater_LDADD = libilex.la
examples_shallow_water_LDADD = libilex.la
examples_solver_LDADD = libilex.la
examples_storages_LDADD = libilex.la
examples_symbolic_size_LDADD = libilex.la
examples_terrain_LDADD = libilex.la
examples_threads_LDADD = libilex.la
examples_toy_dsl_LDADD = libilex.la
examples_waves_LDADD = libilex.la

# Where LAPACK is found.
if HAVE_LAPACK
noinst_PROGRAMS += examples/lapack
TESTS += examples/lapack
endif
examples_lapack_LDADD = libilex.la $(LAPACK_LIBS)

EXAMPLE_SHELL = \
	examples/dump_passes.sh
TESTS += $(EXAMPLE_SHELL)

EXAMPLE_FILES = \
	examples/aot/CMakeLists.txt \
	examples/aot/Makefile \
	examples/aot/main.c \
	examples/aot/matmul.ilx \
	examples/aot/normalise.ilx \
	examples/aot/norms.ilx \
	examples/axpy.ilx \
	examples/black_scholes.ilx \
	examples/bmm_bias_relu.ilx \
	examples/data/README \
	examples/data/maunga_whau_10m.npy \
	examples/dg.ilx \
	examples/enlarge.ilx \
	examples/fft33.ilx \
	examples/fortran/Makefile \
	examples/fortran/main.f90 \
	examples/hdiff.ilx \
	examples/hillshade.ilx \
	examples/lapack.c \
	examples/life.ilx \
	examples/peaks.ilx \
	examples/relax.ilx \
	examples/python/first.ipynb \
	examples/python/stencil.py \
	examples/python/tensors.py \
	examples/rim.ilx \
	examples/spmv.ilx \
	examples/staggered.ilx \
	examples/thomas.ilx \
	examples/vadv.ilx \
	examples/terrain.ilx \
	examples/terrain_halo.ilx \
	examples/terrain_step.ilx

exampledir = $(docdir)
nobase_dist_example_DATA = \
	$(EXAMPLES:=.c) \
	$(EXAMPLE_FILES)
