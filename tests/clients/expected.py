# SPDX-License-Identifier: MIT
"""A plugin for pytest: --expected=FILE lists tests that may fail, by causes:
a line is a test, or all tests of a function."""

import pytest


def pytest_addoption(parser):
    parser.addoption("--expected")


def _listed(path):
    cause, tests = "", {}
    with open(path, encoding="utf-8") as f:
        for line in map(str.strip, f):
            if line.startswith("# "):
                cause = line[2:]
            elif line:
                tests[line] = cause
    return tests


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    tests = _listed(config.getoption("--expected"))
    for item in items:
        function, bracket, rest = item.nodeid.partition("[")
        for name in (function, function.rpartition("/")[2]):
            cause = tests.get(name) or tests.get(name + bracket + rest)
            if cause:
                item.add_marker(pytest.mark.xfail(reason=cause))
                break
