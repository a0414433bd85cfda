# SPDX-License-Identifier: MIT
"""A plugin for pytest: GT4Py's own tests, with Ilex in the place of the back
end "roundtrip", and nothing left out for what that one lacks."""

from gt4py.next.program_processors.runners import roundtrip
from ilex.gt4py import backend

roundtrip.default = backend


def pytest_collection_modifyitems(config, items):
    """The tests of that back end alone."""
    from next_tests import definitions
    definitions.BACKEND_SKIP_TEST_MATRIX[
        definitions.ProgramBackendId.ROUNDTRIP] = []
    own = [x for x in items if "roundtrip.default" in x.nodeid]
    config.hook.pytest_deselected(items=[x for x in items if x not in own])
    items[:] = own
