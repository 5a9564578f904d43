"""Parsers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, overload

from . import _treeglot
from ._progress import Progress, counted
from ._settings import dumps, paths
from ._treeglot import Tree

Path = str | os.PathLike[str]


@dataclass(frozen=True)
class ScoredTree:
    """One of several parses of a sentence, with its score: to be compared within the sentence only."""

    tree: Tree
    score: float

    def _repr_svg_(self) -> str:
        return str(self.tree._repr_svg_())


class Parser:
    """A parser of dependencies or of constituents, as ``treeglot parse train`` makes them."""

    def __init__(self, path: Path, **settings: Any) -> None:
        self._path, self._settings = os.fspath(path), settings
        self._raw = _treeglot.Parser(self._path, dumps(settings))

    @classmethod
    def train(
        cls,
        treebank: Path | Iterable[Path],
        output: Path,
        *,
        dev: Path | Iterable[Path] | None = None,
        skip_bad: bool = False,
        threads: int = 0,
        progress: bool = False,
        **settings: Any,
    ) -> Parser:
        """Train a parser from treebanks, write it to a file, and open it.

        Settings are those of ``treeglot parse train``: ``method``, ``language``, ``rounds``, ``projective``, ...
        """
        with Progress(progress, "train") as tell:
            _treeglot.Parser.train(
                paths(treebank), paths(dev), os.fspath(output), dumps(settings), skip_bad, threads, tell
            )
        return cls(output)

    @property
    def kind(self) -> str:
        """``dependency`` or ``constituency``."""
        return self._raw.kind

    @overload
    def parse(self, text: str, *, pretokenized: bool = ..., threads: int = ..., progress: bool = ...) -> Tree: ...
    @overload
    def parse(
        self,
        text: os.PathLike[str] | list[str] | tuple[str, ...] | Iterator[str],
        *,
        pretokenized: bool = ...,
        threads: int = ...,
        progress: bool = ...,
    ) -> Iterator[Tree]: ...
    def parse(
        self,
        text: str | os.PathLike[str] | Iterable[str],
        *,
        pretokenized: bool = False,
        threads: int = 0,
        progress: bool = False,
    ) -> Tree | Iterator[Tree]:
        """Parse a sentence, or each line of a file (by a path), a list or an iterator, one after the other.

        Raw text is cut into words as the parser's language has it; with `pretokenized`, words stand between blanks.
        """
        if isinstance(text, str):
            return next(iter(self._stream([text], pretokenized, (1, False), 1)))[0][0]
        parses = self._stream(text, pretokenized, (1, False), threads)
        return (trees[0][0] for trees in counted(parses, progress, "parse", "sentence"))

    def kbest(self, text: str, k: int, *, pretokenized: bool = False) -> list[ScoredTree]:
        """List up to `k` different parses of a sentence, the best first."""
        parses = next(iter(self._stream([text], pretokenized, (k, False), 1)))
        return [ScoredTree(tree, score or 0.0) for tree, score in parses]

    def forest(self, text: str, *, pretokenized: bool = False) -> Tree:
        """Pack all probable constituency trees of a sentence into a forest."""
        return next(iter(self._stream([text], pretokenized, (1, True), 1)))[0][0]

    def _stream(self, text: Any, pretokenized: bool, wanted: tuple[int, bool], threads: int) -> _treeglot.ParseStream:
        return self._raw.stream(text, pretokenized, wanted, threads)

    def __repr__(self) -> str:
        return f"<treeglot.Parser {self.kind}: {self._path}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_reopen, (self._path, self._settings))


def _reopen(path: str, settings: dict[str, Any]) -> Parser:
    return Parser(path, **settings)


def parse(text: Any, model: Path | Parser, **options: Any) -> Any:
    """Parse text with a parser, or with the file of one: a sentence gives a tree, several an iterator over trees."""
    parser = model if isinstance(model, Parser) else Parser(model)
    return parser.parse(text, **options)
