# SPDX-License-Identifier: MIT
"""Sphinx's settings. The reference is made of the types that the package
brings, the figures of the gallery by running its functions."""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import gallery  # noqa: E402
import reference  # noqa: E402

project = "Ilex"
author = "the authors of Ilex"
extensions = ["myst_parser"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
default_role = "code"
html_theme = "alabaster"
html_theme_options = {"description": "array expressions, compiled",
                      "page_width": "1100px"}
html_copy_source = False
exclude_patterns = ["_build"]


def setup(app):
    """Writes the pages that are made: of the manual, python.md beside this
    folder, without links to what is not here."""
    reference.write(app.srcdir)
    gallery.write(app.srcdir)
    with open(os.path.join(HERE, "..", "python.md"), encoding="utf-8") as page:
        text = re.sub(r"\[([^]]*)\]\(\w+\.md\)", r"\1", page.read())
    with open(os.path.join(app.srcdir, "made", "manual.md"), "w",
              encoding="utf-8") as out:
        out.write(text)
