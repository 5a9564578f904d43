"""Translators, and translations with their reasons."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, overload

from . import _draw, _treeglot
from ._align import Links
from ._progress import counted
from ._settings import dumps, paths
from ._treeglot import Tree

Path = str | os.PathLike[str]


class _Kept:
    """What is known of a translation, apart from the translator: what a pickle has."""

    def __init__(self, raw: _treeglot.Translation) -> None:
        self.text, self.counts = raw.text, raw.counts
        all_of = [(sentence, rank) for sentence, count in enumerate(raw.counts) for rank in range(count)]
        self._of = {at: (raw.basics(at), raw.features(at), raw.explanation(at), raw.target_tree(at)) for at in all_of}
        self._sentences = [(raw.source_trees(number), raw.narrowed(number)) for number in range(len(raw.counts))]

    def basics(self, at: tuple[int, int]) -> tuple[str, str, float, int]:
        return self._of[at][0]

    def features(self, at: tuple[int, int]) -> str:
        return self._of[at][1]

    def explanation(self, at: tuple[int, int]) -> str | None:
        return self._of[at][2]

    def target_tree(self, at: tuple[int, int]) -> Tree | None:
        return self._of[at][3]

    def source_trees(self, sentence: int) -> list[Tree]:
        return self._sentences[sentence][0]

    def narrowed(self, sentence: int) -> list[str]:
        return self._sentences[sentence][1]


_Raw = _treeglot.Translation | _Kept


# Rules that only put pieces side by side.
_JOINS = {"begin", "glue", "end", "join"}


class Derivation:
    """The rules that made a translation, each before those that fill its variables.

    Its text has those of the tables, one a line: below each, further in, what fills its variables.
    """

    def __init__(self, explanation: dict[str, Any]) -> None:
        self.source: list[str] = explanation["source"]
        """The source words."""
        self.words: list[dict[str, Any]] = explanation["words"]
        """The words of the translation, each with its source positions and its rule."""
        self.rules: list[dict[str, Any]] = explanation["rules"]
        """The rules: ``kind``, ``source``, ``target``, ``span``, ``score``, ``fills`` (a rule and its variable), ..."""

    def __len__(self) -> int:
        return len(self.rules)

    def __str__(self) -> str:
        return "\n".join(f"{'  ' * depth}{rule['source']} → {rule['target']}" for depth, rule in self._nested())

    def __repr__(self) -> str:
        return f"<treeglot.Derivation of {len(self)} rules>"

    def _nested(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Give the rules with their depths, in the order of the source; what only joins pieces is left out."""
        below: dict[int | None, list[int]] = {}
        for number, rule in enumerate(self.rules):
            below.setdefault(rule["fills"][0] if rule.get("fills") else None, []).append(number)
        # A stack, for derivations may be deeper than Python's.
        todo = [(0, number) for number in reversed(below.get(None, []))]
        while todo:
            todo, (depth, number) = todo[:-1], todo[-1]
            rule, children = self.rules[number], below.get(number, [])
            joins = rule["kind"] in _JOINS
            if not joins:
                yield depth, rule
            inner = depth if joins else depth + 1
            todo += [(inner, child) for child in sorted(children, key=self._begin, reverse=True)]

    def _begin(self, number: int) -> int:
        begin: int = self.rules[number]["span"][0]
        return begin

    def _repr_svg_(self) -> str:
        return _draw.derivation(list(self._nested()), self.source)


class Hypothesis:
    """A translation of a sentence."""

    def __init__(self, raw: _Raw, at: tuple[int, int]) -> None:
        self._raw, self._at = raw, at
        self.text, self.words, self.score, self.system = raw.basics(at)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<treeglot.Hypothesis {self.score:.4f}: {self.text}>"

    @cached_property
    def features(self) -> dict[str, Any]:
        """The values of the system's features, by name; their weighted sum is the score."""
        features: dict[str, Any] = json.loads(self._raw.features(self._at))
        return features

    @cached_property
    def derivation(self) -> Derivation | None:
        """The rules that made it, if ``explain=True`` was said."""
        text = self._raw.explanation(self._at)
        return None if text is None else Derivation(json.loads(text))

    @property
    def links(self) -> Links | None:
        """Which words of the source its words come from, if ``explain=True`` was said."""
        if (why := self.derivation) is None:
            return None
        pairs = sorted((source, at) for at, word in enumerate(why.words) for source in word["source"])
        return Links(why.source, [word["word"] for word in why.words], pairs)

    @property
    def tree(self) -> Tree | None:
        """The dependency tree of the translation, where the rules of its model have heads."""
        return self._raw.target_tree(self._at)


class Sentence:
    """The translations of one sentence, the best first."""

    def __init__(self, raw: _Raw, number: int, count: int) -> None:
        self._raw, self._number = raw, number
        self.nbest = [Hypothesis(raw, (number, rank)) for rank in range(count)]

    @property
    def best(self) -> Hypothesis | None:
        """The best translation."""
        return self.nbest[0] if self.nbest else None

    @property
    def trees(self) -> list[Tree]:
        """The trees that parsers of the bundle gave for the source, if ``explain=True`` was said."""
        return self._raw.source_trees(self._number)

    @property
    def narrowed(self) -> list[str]:
        """What the search left out because the sentence is long."""
        return self._raw.narrowed(self._number)

    def __str__(self) -> str:
        return self.nbest[0].text if self.nbest else ""

    def __repr__(self) -> str:
        return f"<treeglot.Sentence: {self}>"


class Translation:
    """The translation of a text: one sentence, or several if the text was split.

    ``str(translation)`` is the text; what else there is refers to the best translation of the first sentence, and
    :attr:`sentences` has all.
    """

    def __init__(self, raw: _Raw) -> None:
        self._raw = raw

    @property
    def text(self) -> str:
        """The text."""
        return self._raw.text

    @cached_property
    def sentences(self) -> list[Sentence]:
        """The sentences."""
        return [Sentence(self._raw, number, count) for number, count in enumerate(self._raw.counts)]

    def _best(self) -> Hypothesis | None:
        return self.sentences[0].best if self.sentences else None

    @property
    def score(self) -> float | None:
        """The score of the best translation, the sum over all sentences."""
        scores = [best.score for sentence in self.sentences if (best := sentence.best) is not None]
        return sum(scores) if scores else None

    @property
    def nbest(self) -> list[Hypothesis]:
        """The translations of the first sentence, the best first."""
        return self.sentences[0].nbest if self.sentences else []

    @property
    def derivation(self) -> Derivation | None:
        """The rules that made the best translation, if ``explain=True`` was said."""
        best = self._best()
        return best.derivation if best else None

    @property
    def links(self) -> Links | None:
        """Which source words its words come from, if ``explain=True`` was said."""
        best = self._best()
        return best.links if best else None

    @property
    def trees(self) -> list[Tree]:
        """The trees of the source that parsers of the bundle gave, if ``explain=True`` was said."""
        return self.sentences[0].trees if self.sentences else []

    @property
    def tree(self) -> Tree | None:
        """The dependency tree of the translation, where the rules of its model have heads."""
        best = self._best()
        return best.tree if best else None

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<treeglot.Translation: {self.text}>"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Translation):
            return self.text == other.text
        return self.text == other if isinstance(other, str) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.text)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Translation, (self._raw if isinstance(self._raw, _Kept) else _Kept(self._raw),))

    def _repr_html_(self) -> str:
        return _draw.translation(self)


class Translator:
    """A translator of a bundle, or of several that choose together; any thread may ask it.

    Settings are those of ``treeglot translate``: ``pop_limit``, ``beam``, ``threshold``, ``table_limit``,
    ``max_span``, ``distortion_limit``, ..., and ``tokenized``, ``parsers`` and ``threads``. ``combination`` is a
    folder with what was tuned to choose among the translations of these bundles, in this order.
    """

    def __init__(self, bundle: Path | Sequence[Path], **settings: Any) -> None:
        if "combination" in settings:
            settings["combination"] = os.fspath(settings["combination"])
        self._bundles = paths(bundle)
        self._settings = settings
        self._raw = _treeglot.Translator(self._bundles, dumps(settings))

    @overload
    def translate(
        self,
        text: str,
        nbest: int = ...,
        explain: bool = ...,
        *,
        distinct: bool = ...,
        mbr: int | None = ...,
        split: bool | None = ...,
        dep: str | Tree | None = ...,
        con: str | Tree | None = ...,
    ) -> Translation: ...
    @overload
    def translate(
        self,
        text: os.PathLike[str] | list[str] | tuple[str, ...] | Iterator[str],
        nbest: int = ...,
        explain: bool = ...,
        *,
        distinct: bool = ...,
        mbr: int | None = ...,
        split: bool | None = ...,
        dep: Path | Sequence[Path] | None = ...,
        con: Path | Sequence[Path] | None = ...,
        progress: bool = ...,
    ) -> list[Translation]: ...
    def translate(
        self,
        text: str | os.PathLike[str] | Iterable[str],
        nbest: int = 1,
        explain: bool = False,
        *,
        distinct: bool = False,
        mbr: int | None = None,
        split: bool | None = None,
        dep: Tree | Path | Sequence[Path] | None = None,
        con: Tree | Path | Sequence[Path] | None = None,
        progress: bool = False,
    ) -> Translation | list[Translation]:
        """Translate a text, or each of several.

        Text is translated as such (paragraphs sentence by sentence, unless ``split=False``). A path is a file, of
        which each line is translated, and so is each text of a list or an iterator; the result is then a list, and
        :meth:`stream` gives one translation after the other instead.

        `nbest` is how many translations are wanted of each sentence, `distinct` without those that read the same;
        `explain` has each tell which rules made it. `mbr` chooses the translation that agrees best with so many
        others. `dep` and `con` are trees of the source: for one text CoNLL-U and brackets as text, for several the
        names of files.
        """
        if isinstance(text, str):
            split = self._raw.splits if split is None and nbest == 1 and dep is None and con is None else bool(split)
            raw = self._raw.translate(text, (nbest, distinct, explain, mbr, split), (_text(dep), _text(con)))
            return Translation(raw)
        if isinstance(dep, Tree) or isinstance(con, Tree):
            raise TypeError("trees of several texts are in files, with a tree for each text")
        stream = self.stream(
            text, nbest, explain, distinct=distinct, mbr=mbr, split=bool(split), dep=dep, con=con, progress=progress
        )
        return list(stream)

    def stream(
        self,
        text: str | os.PathLike[str] | Iterable[str],
        nbest: int = 1,
        explain: bool = False,
        *,
        distinct: bool = False,
        mbr: int | None = None,
        split: bool = False,
        dep: Path | Sequence[Path] | None = None,
        con: Path | Sequence[Path] | None = None,
        progress: bool = False,
    ) -> Iterator[Translation]:
        """Translate the lines of a file (by its name), a list or an iterator, one after the other, in bounded memory.

        All threads work ahead of what is taken, by some lines.
        """
        raw = self._raw.stream(text, (nbest, distinct, explain, mbr, split), (paths(dep), paths(con)))
        return map(Translation, counted(raw, progress, "translate", "line"))

    @property
    def languages(self) -> tuple[str | None, str | None]:
        """The languages translated from and to, where the bundle says so."""
        source, target = self._raw.languages
        return source, target

    @property
    def missing_trees(self) -> list[str]:
        """The kinds of source trees that would help, and that no parser of the bundle gives."""
        return self._raw.missing_trees

    def weights(self, system: int = 0) -> dict[str, Any]:
        """Give the weight of each feature of a system."""
        weights: dict[str, Any] = json.loads(self._raw.weights(system))
        return weights

    def __repr__(self) -> str:
        source, target = self.languages
        return f"<treeglot.Translator {source or '?'}-{target or '?'}: {', '.join(self._bundles)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_reopen, (self._bundles, self._settings))


def _reopen(bundles: list[str], settings: dict[str, Any]) -> Translator:
    return Translator(bundles, **settings)


def _text(tree: object) -> str | None:
    if tree is None or isinstance(tree, (str, Tree)):
        return None if tree is None else str(tree)
    raise TypeError(f"trees of one text are text, or a treeglot.Tree, not {tree!r}")


def verify(bundle: Path) -> None:
    """Compare all files of a bundle with their checksums; an :class:`treeglot.Error` names what differs."""
    _treeglot.verify_bundle(os.fspath(bundle))


def card(bundle: Path) -> dict[str, Any]:
    """Tell what a bundle says of itself: what it was made of, and its scores."""
    text = _treeglot.bundle_card(os.fspath(bundle))
    return {} if text is None else dict(json.loads(text))
