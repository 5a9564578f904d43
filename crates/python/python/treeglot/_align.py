"""Word alignment."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from . import _draw, _treeglot
from ._arrays import array
from ._progress import Progress
from ._settings import dumps, size

Text = str | os.PathLike[str] | Iterable[str]


@dataclass(frozen=True)
class Links:
    """The links between the words of two sentences, by position from 0.

    >>> links = Links(["das", "Haus"], ["the", "house"], [(0, 0), (1, 1)])
    >>> print(links)
    0-0 1-1
    >>> links.words()
    [('das', 'the'), ('Haus', 'house')]
    >>> links.matrix().tolist()
    [[True, False], [False, True]]
    """

    source: Sequence[str]
    target: Sequence[str]
    pairs: Sequence[tuple[int, int]]
    scores: Sequence[float] = field(default=(), compare=False)

    def __str__(self) -> str:
        return " ".join(f"{source}-{target}" for source, target in self.pairs)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def words(self) -> list[tuple[str, str]]:
        """List the words that are linked."""
        return [(self.source[source], self.target[target]) for source, target in self.pairs]

    def matrix(self) -> Any:
        """Give a row for each source word and a column for each target word; needs NumPy."""
        import numpy

        matrix = numpy.zeros((len(self.source), len(self.target)), dtype=bool)
        if self.pairs:
            matrix[tuple(numpy.array(self.pairs).T)] = True
        return matrix

    def _repr_svg_(self) -> str:
        return _draw.links(self.source, self.target, list(self.pairs), list(self.scores))


class Alignments(Sequence[Links]):
    """The links of many pairs of sentences; each is made when it is asked for."""

    def __init__(self, raw: _treeglot.Alignments) -> None:
        self._raw = raw

    def __len__(self) -> int:
        return len(self._raw)

    @overload
    def __getitem__(self, at: int) -> Links: ...
    @overload
    def __getitem__(self, at: slice) -> list[Links]: ...
    def __getitem__(self, at: int | slice) -> Links | list[Links]:
        if isinstance(at, slice):
            return [self[k] for k in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(f"there are {len(self)} pairs")
        (source, target), pairs, scores = self._raw.pair(at % len(self))
        return Links(source, target, pairs, scores)

    def __repr__(self) -> str:
        return f"<treeglot.Alignments of {len(self)} pairs>"

    def lines(self) -> Iterator[str]:
        """Give the links of each pair as ``0-0 1-2``."""
        return (self._raw.line(at) for at in range(len(self)))

    @property
    def links(self) -> Any:
        """All links, a row each: source and target position. Shared with NumPy, not copied."""
        return array(self._raw.links)

    @property
    def scores(self) -> Any:
        """The probability of each link, likewise."""
        return array(self._raw.scores)

    @property
    def starts(self) -> Any:
        """The row of `links` that each pair begins with, and at the end their number."""
        return array(self._raw.starts)

    @property
    def skipped(self) -> list[tuple[int, int, int]]:
        """The pairs without links because a side is too long: line, source and target words."""
        return self._raw.skipped

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the links to a file, a line for each pair; ``.gz`` and ``.zst`` are packed."""
        self._raw.write(os.fspath(path))

    def save_lexicon(self, prefix: str | os.PathLike[str]) -> None:
        """Write lexical tables over the links: PREFIX.f2e with p(target|source), PREFIX.e2f with p(source|target)."""
        self._raw.write_lexicon(os.fspath(prefix))


class Aligner:
    """A model of how the words of two languages correspond.

    >>> aligner = Aligner.train(["das Haus", "das Buch", "ein Buch"], ["the house", "the book", "a book"])
    >>> print(aligner.align(["ein Haus"], ["a house"])[0])
    0-0 1-1
    """

    def __init__(self, raw: _treeglot.Aligner) -> None:
        self._raw = raw

    @classmethod
    def train(
        cls,
        source: Text,
        target: Text,
        *,
        src_classes: str | os.PathLike[str] | None = None,
        tgt_classes: str | os.PathLike[str] | None = None,
        skip_bad: bool = False,
        memory: int | str | None = None,
        threads: int = 0,
        progress: bool = False,
        **settings: Any,
    ) -> Aligner:
        """Train a model on pairs of sentences: names of files, lists, or iterators over words with blanks between them.

        Settings are those of ``treeglot align``: ``model``, ``symmetrize``, ``order``, ``max_length``, ...
        """
        with Progress(progress, "align") as tell:
            return cls(
                _treeglot.Aligner.train(
                    (source, target),
                    dumps(settings),
                    (src_classes, tgt_classes),
                    skip_bad,
                    size(memory),
                    threads,
                    tell,
                )
            )

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, memory: int | str | None = None, **settings: Any) -> Aligner:
        """Load a model that was saved, here or by ``treeglot align --priors``, or eflomal's priors."""
        return cls(_treeglot.Aligner.load(os.fspath(path), dumps(settings), size(memory)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the model as text; ``.gz`` and ``.zst`` are packed."""
        self._raw.save(os.fspath(path))

    def align(self, source: Text, target: Text, *, skip_bad: bool = False, threads: int = 0) -> Alignments:
        """Link the words of pairs of sentences."""
        raw = self._raw.align((source, target), None, skip_bad, threads)
        assert raw is not None
        return Alignments(raw)

    def align_to(
        self, path: str | os.PathLike[str], source: Text, target: Text, *, skip_bad: bool = False, threads: int = 0
    ) -> None:
        """Link the words of pairs of sentences and write the links to a file."""
        self._raw.align((source, target), os.fspath(path), skip_bad, threads)

    @property
    def links(self) -> Alignments:
        """The links of the pairs it was trained on."""
        raw = self._raw.links(None, 0)
        assert raw is not None
        return Alignments(raw)

    @property
    def model(self) -> str:
        """Which model it is: ``ibm1``, ``hmm`` or ``fertility``."""
        return self._raw.model

    def __repr__(self) -> str:
        source, target = self._raw.vocabulary
        return f"<treeglot.Aligner {self.model}: {source} source and {target} target words>"


@overload
def align(
    source: Text,
    target: Text,
    *,
    save: str | os.PathLike[str] | None = ...,
    load: str | os.PathLike[str] | None = ...,
    lex: str | os.PathLike[str] | None = ...,
    output: None = ...,
    threads: int = ...,
    **settings: Any,
) -> Alignments: ...
@overload
def align(
    source: Text,
    target: Text,
    *,
    save: str | os.PathLike[str] | None = ...,
    load: str | os.PathLike[str] | None = ...,
    lex: None = ...,
    output: str | os.PathLike[str],
    threads: int = ...,
    **settings: Any,
) -> None: ...
def align(
    source: Text,
    target: Text,
    *,
    save: str | os.PathLike[str] | None = None,
    load: str | os.PathLike[str] | None = None,
    lex: str | os.PathLike[str] | None = None,
    output: str | os.PathLike[str] | None = None,
    threads: int = 0,
    **settings: Any,
) -> Alignments | None:
    """Link the words of sentences with those of their translations.

    `source` and `target` are names of files, lists, or iterators; sentences are words with blanks between them.
    A model is trained on them, and saved if `save` names a file; `load` takes one that was saved instead. `lex` is the
    prefix of lexical tables to write. With `output`, links go to a file and nothing is returned: memory then does not
    grow with the text. Other keywords are settings of :meth:`Aligner.train`.

    >>> links = align(["das Haus", "das Buch", "ein Buch"], ["the house", "the book", "a book"])
    >>> print(*links, sep=", ")
    0-0 1-1, 0-0 1-1, 0-0 1-1
    >>> links.links.shape, links.starts.tolist()
    ((6, 2), [0, 2, 4, 6])
    """
    path = os.fspath(output) if output is not None else None
    if load is not None:
        skip_bad = bool(settings.pop("skip_bad", False))
        raw = Aligner.load(load, **settings)._raw.align((source, target), path, skip_bad, threads)
    else:
        aligner = Aligner.train(source, target, threads=threads, **settings)
        if save is not None:
            aligner.save(save)
        raw = aligner._raw.links(path, threads)
    if raw is None:
        return None
    links = Alignments(raw)
    if lex is not None:
        links.save_lexicon(lex)
    return links


def symmetrize(
    forward: Iterable[tuple[int, int]],
    reverse: Iterable[tuple[int, int]],
    how: str = "grow-diag-final-and",
    **settings: Any,
) -> list[tuple[int, int]]:
    """Combine the links of two directions.

    >>> symmetrize([(0, 0), (1, 1)], [(0, 0), (1, 2)], "intersect")
    [(0, 0)]
    """
    return _treeglot.symmetrize(list(forward), list(reverse), dumps({"symmetrize": how, **settings}))
