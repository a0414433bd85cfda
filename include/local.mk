# SPDX-License-Identifier: MIT
#
# Public headers.

include_HEADERS = \
	include/ilex.h

ilexincludedir = $(includedir)/ilex
PUBLIC_FILES = \
	include/ilex/base.h \
	include/ilex/dlpack.h \
	include/ilex/dtypes.def \
	include/ilex/eager.h \
	include/ilex/elementwise.h \
	include/ilex/errors.def \
	include/ilex/exchange.h \
	include/ilex/domain.h \
	include/ilex/expr.h \
	include/ilex/function.h \
	include/ilex/graph.h \
	include/ilex/group.h \
	include/ilex/kinds.h \
	include/ilex/library.h \
	include/ilex/memory.h \
	include/ilex/ops.def \
	include/ilex/program.h \
	include/ilex/query.h \
	include/ilex/reductions.def \
	include/ilex/repro.h \
	include/ilex/storage.h
ilexinclude_HEADERS = $(PUBLIC_FILES)

# The same for other languages, made of the headers; the tarball has them.
BINDINGS_PARTS = \
	bindings/api.py \
	bindings/headers.py \
	bindings/names.tsv \
	bindings/nulls.py \
	bindings/parameters.py \
	bindings/tables.py \
	bindings/words.py
EXTRA_DIST += $(BINDINGS_PARTS)
if HAVE_BINDINGS
BINDINGS = \
	bindings/ffi.h \
	bindings/ilex-api.json
ilexinclude_HEADERS += $(BINDINGS)
BUILT_SOURCES = $(BINDINGS)
$(BINDINGS): $(BINDINGS_PARTS) $(include_HEADERS) $(PUBLIC_FILES) \
	  lib/build/functions.def lib/graph/nodes.def lib/ops/rules.def
	$(AM_V_GEN)$(MKDIR_P) bindings && case $@ in \
	  *.json) kind=json;; *) kind=ffi;; esac && \
	CC='$(CC)' PYTHONDONTWRITEBYTECODE=1 $(PYTHON) \
	  $(srcdir)/bindings/api.py $$kind >$@-t && mv $@-t $@
CLEANFILES += bindings/*-t
MAINTAINERCLEANFILES = $(BINDINGS)
endif
