"""Arrays of numbers, shared with NumPy where it is installed."""

from __future__ import annotations

from typing import Any

from ._treeglot import Array


def array(numbers: Array) -> Any:
    """Give the numbers as a NumPy array, or as a memoryview where there is no NumPy; neither is a copy."""
    try:
        import numpy
    except ImportError:
        return memoryview(numbers)
    return numpy.asarray(numbers)
