# SPDX-License-Identifier: MIT
"""Fourier transforms, which NumPy computes."""

from ._host import by_numpy

_ONE = "(x, /, *, n=None, axis=-1, norm='backward')"
_SEVERAL = "(x, /, *, s=None, axes=None, norm='backward')"
_GRID = "(n, /, *, d=1.0, dtype=None, device=None)"
_ORDER = "(x, /, *, axes=None)"
_ALL = {"fft ifft rfft irfft hfft ihfft": _ONE,
        "fftn ifftn rfftn irfftn": _SEVERAL, "fftfreq rfftfreq": _GRID,
        "fftshift ifftshift": _ORDER}
for _names, _signature in _ALL.items():
    for _name in _names.split():
        globals()[_name] = by_numpy("fft." + _name, _signature)
__all__ = " ".join(_ALL).split()
