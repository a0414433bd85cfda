# SPDX-License-Identifier: MIT
#
# Manual pages and documents.
#
# Those of section 3 and ilex(7) are made of the headers and tables. A function
# is a page that says where it stands: 500 of one line, written by make install.

dist_man1_MANS = doc/ilexc.1
MADE_MANS = \
	doc/man/ilex_base.3 \
	doc/man/ilex_dlpack.3 \
	doc/man/ilex_domain.3 \
	doc/man/ilex_eager.3 \
	doc/man/ilex_elementwise.3 \
	doc/man/ilex_exchange.3 \
	doc/man/ilex_expr.3 \
	doc/man/ilex_function.3 \
	doc/man/ilex_graph.3 \
	doc/man/ilex_group.3 \
	doc/man/ilex_kinds.3 \
	doc/man/ilex_library.3 \
	doc/man/ilex_memory.3 \
	doc/man/ilex_program.3 \
	doc/man/ilex_storage.3 \
	doc/man/ilex.7
nodist_man_MANS = $(MADE_MANS)
MAN_INPUTS = \
	doc/html.sh \
	doc/ilex.7.in \
	doc/manpages.awk \
	doc/manpages.sh
doc/man/links: $(MAN_INPUTS) $(ilexinclude_HEADERS) lib/graph/options.def
	$(AM_V_GEN)AWK='$(AWK)' $(SHELL) $(srcdir)/doc/manpages.sh $(srcdir) \
	    doc/man $(PACKAGE_VERSION)
$(MADE_MANS): doc/man/links
CLEANFILES += $(MADE_MANS) doc/man/links

# Documents and manual pages as HTML; `make install` takes them along if they
# were made.
html-local: doc/man/links
	@test -n '$(CMARK)' && test -n '$(MANDOC)' || { \
	  echo 'make html needs cmark-gfm and mandoc (Debian and Ubuntu:' \
	      'apt-get install cmark-gfm mandoc), then configure'; exit 1; }
	AWK='$(AWK)' CMARK='$(CMARK)' MANDOC='$(MANDOC)' \
	    $(SHELL) $(srcdir)/doc/html.sh $(srcdir) doc/man doc/html
install-html-local: html-local
	$(MKDIR_P) '$(DESTDIR)$(htmldir)'
	$(INSTALL_DATA) doc/html/* '$(DESTDIR)$(htmldir)'

install-data-hook:
	@test ! -d doc/html || { $(MKDIR_P) '$(DESTDIR)$(htmldir)' && \
	  $(INSTALL_DATA) doc/html/* '$(DESTDIR)$(htmldir)'; }
	@while read -r link page; do \
	  echo ".so man3/$$page" >'$(DESTDIR)$(man3dir)'/"$$link" || exit 1; \
	done <doc/man/links
uninstall-hook: doc/man/links
	@test ! -d doc/html || (cd doc/html && ls) | while read -r page; do \
	  rm -f '$(DESTDIR)$(htmldir)'/"$$page"; \
	done
	@while read -r link page; do \
	  rm -f '$(DESTDIR)$(man3dir)'/"$$link"; \
	done <doc/man/links

# What users read is installed, with the examples, in $(docdir).
dist_doc_DATA = \
	LICENSE \
	doc/ahead_of_time.md \
	doc/building.md \
	doc/cache.md \
	doc/concepts.md \
	doc/eager.md \
	doc/embedding.md \
	doc/exchange.md \
	doc/fields.md \
	doc/functions.md \
	doc/gpu.md \
	doc/ilx.md \
	doc/json.md \
	doc/language.md \
	doc/performance.md \
	doc/performance.svg \
	doc/pytato.md \
	doc/python.md \
	doc/ranks.md \
	doc/schedules.md \
	doc/storages.md \
	doc/terrain.svg \
	doc/tutorial.md \
	doc/walks.md
