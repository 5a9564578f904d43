"""Language models."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from . import _treeglot
from ._arrays import array
from ._settings import dumps, fspath, size


class LanguageModel(_treeglot.LanguageModel):
    """An n-gram model, with the calls of KenLM's module, and some for many sentences at a time.

    >>> lm = LanguageModel.build(["the house is small", "the house is old", "the book is small"], order=3)
    >>> lm.order, "house" in lm, "castle" in lm
    (3, True, False)
    >>> lm.score("the book is old") > lm.score("old is book the")
    True
    >>> [(length, oov) for _, length, oov in lm.full_scores("the castle")]
    [(2, False), (1, True), (1, False)]
    >>> lm.scores(["the house is old", "the book"]).shape
    (2,)
    """

    @classmethod
    def build(
        cls,
        text: str | os.PathLike[str] | Iterable[str],
        *,
        arpa: str | os.PathLike[str] | None = None,
        binary: str | os.PathLike[str] | None = None,
        memory: int | str | None = None,
        threads: int = 0,
        **settings: Any,
    ) -> LanguageModel:
        """Estimate a model from a file, a list or an iterator of sentences, words separated by blanks.

        `arpa` and `binary` are files to write besides. Settings are those of ``treeglot lm build``: ``order``,
        ``prune``, ``discount_fallback``, ``layout``, ``quantize``, ``skip_symbols``.
        """
        files = (fspath(arpa), fspath(binary))
        return cls(_treeglot.LanguageModel.estimate(text, dumps(settings), size(memory), threads, files))

    def __repr__(self) -> str:
        return f"<treeglot.LanguageModel of order {self.order}, {len(self)} words>"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.file is None:
            raise TypeError("the model is in no file: save it, or build it with `binary`")
        return (LanguageModel, (self.file,))

    def scores(self, text: str | os.PathLike[str] | Iterable[str], threads: int = 0) -> Any:
        """Score each line as a sentence, by all threads: an array of log10 probabilities."""
        return array(self._scores(text, threads))

    def word_scores(
        self, text: str | os.PathLike[str] | Iterable[str], bos: bool = True, eos: bool = True
    ) -> tuple[Any, Any, Any, Any]:
        """Score each word of each line: arrays of log10 probabilities, lengths of n-grams, and unknown words.

        The last array has the place that each line begins at, and at the end the number of words.
        """
        probs, lengths, oovs, starts = (array(numbers) for numbers in self._word_scores(text, bos, eos))
        return probs, lengths, oovs, starts
