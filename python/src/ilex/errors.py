# SPDX-License-Identifier: MIT
"""The classes of errors: each is an `ilex.Error` and one of Python's at once."""

from ._array import SubscriptError
from ._generated import *  # noqa: F401, F403
from ._generated import EXCEPTIONS, Error

__all__ = ["Error", "SubscriptError",
           *(c.__name__ for c in EXCEPTIONS.values())]
