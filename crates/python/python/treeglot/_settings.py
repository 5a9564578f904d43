"""Keywords as the library reads them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any


def dumps(settings: Mapping[str, Any]) -> str:
    """Write keywords as JSON: ``max_length=80`` is ``{"max-length": 80}``; what is None is left out."""
    given = {key.strip("_").replace("_", "-"): value for key, value in settings.items() if value is not None}
    return json.dumps(given, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "item"):
        return value.item()
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    raise TypeError(f"a setting is text, a number, or a list of them, not {value!r}")


def size(value: int | str | None) -> int | None:
    """Read a size in bytes: a number, or text such as ``500M`` or ``4G``."""
    if value is None or isinstance(value, int):
        return value
    digits = value.rstrip("KMGTBkmgtb")
    unit = value[len(digits) :].upper().removesuffix("B")
    try:
        return int(float(digits) * 1024 ** " KMGT".index(unit or " "))
    except ValueError:
        raise ValueError(f"a size is a number with K, M, G or T, as in 4G, not {value!r}") from None


def fspath(path: str | os.PathLike[str] | None) -> str | None:
    """Give a path as text, if there is one."""
    return None if path is None else os.fspath(path)


def paths(value: Any) -> list[str]:
    """List the files of a keyword that takes one or several."""
    if value is None:
        return []
    if isinstance(value, (str, os.PathLike)):
        return [os.fspath(value)]
    return [os.fspath(path) for path in value]
