# SPDX-License-Identifier: MIT
"""A plugin for pytest: arraycontext's own tests over its context for Ilex, with
ARRAYCONTEXT_TEST=pytato:ilex."""

import arraycontext
from arraycontext.pytest import (PytestArrayContextFactory,
                                 register_pytest_array_context_factory)
from ilex.arraycontext import PytatoIlexArrayContext


class Factory(PytestArrayContextFactory):
    def __init__(self, *args, **kwargs):
        pass

    @classmethod
    def is_available(cls):
        return True

    def __call__(self):
        return PytatoIlexArrayContext()

    def __str__(self):
        return "<PytatoIlexArrayContext>"


register_pytest_array_context_factory("pytato:ilex", Factory)
# What tests pass over for contexts without loopy they ask of this class.
arraycontext.PytatoJAXArrayContext = PytatoIlexArrayContext
