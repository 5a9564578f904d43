"""Progress: through tqdm where it is installed, and nothing where it is not."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, TypeVar

T = TypeVar("T")

_STAGE = re.compile(r"\s*(\d+)/(\d+)\s+(.*)", re.DOTALL)


def _tqdm() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm


class Progress:
    """A bar that is told what was done: ``3/12 align`` moves it, other text is shown beside it."""

    def __init__(self, wanted: bool | Callable[[str], object], title: str) -> None:
        self._call = wanted if callable(wanted) else None
        tqdm = _tqdm() if wanted is True else None
        self._bar: Any = tqdm(desc=title, unit="step", leave=False, file=sys.stderr) if tqdm else None

    def __enter__(self) -> Callable[[str], None] | None:
        """Give the function to tell."""
        return self._tell if self._call or self._bar is not None else None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()

    def _tell(self, what: str) -> None:
        if self._call is not None:
            self._call(what)
            return
        stage = _STAGE.match(what)
        if stage is None:
            self._bar.set_postfix_str(what.split("  ")[0], refresh=False)
            self._bar.update()
            return
        done, self._bar.total, what = int(stage[1]), int(stage[2]), stage[3]
        self._bar.set_postfix_str(what.split("  ")[0], refresh=False)
        self._bar.update(done - self._bar.n)


def counted(items: Iterable[T], wanted: bool, title: str, unit: str, total: int | None = None) -> Iterator[T]:
    """Count what is taken, where that is wanted."""
    tqdm = _tqdm() if wanted else None
    return iter(tqdm(items, desc=title, unit=unit, total=total, leave=False)) if tqdm else iter(items)
