"""What all metrics have in common."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping, Sequence
from typing import Any

from .. import _treeglot
from .._arrays import array
from .._settings import dumps

log = logging.getLogger("sacrebleu")

References = Sequence[Sequence[str | None]]

_SHORT = {
    "nrefs": "#",
    "bs": "bs",
    "ar": "ar",
    "seed": "rs",
    "case": "c",
    "eff": "e",
    "tok": "tok",
    "smooth": "s",
    "nc": "nc",
    "nw": "nw",
    "space": "s",
    "norm": "nr",
    "punct": "pn",
    "asian": "as",
    "version": "v",
}

# The order in which signatures have what all metrics share, before what is a metric's own.
_SHARED = ("nrefs", "bs", "ar", "seed")


class Score:
    """A score; its text is what sacreBLEU prints."""

    def __init__(self, name: str, score: float, verbose: str = "") -> None:
        self.name = name
        self.score = score
        self._verbose = verbose
        self._mean = -1.0
        self._ci = -1.0

    def format(self, width: int = 2, score_only: bool = False, signature: str = "", is_json: bool = False) -> str:
        """Write the score with `width` digits: alone, with what it was made from, or as JSON."""
        number = f"{self.score:.{width}f}"
        about: dict[str, Any] = {"name": self.name, "score": float(number), "signature": signature}
        shown = number
        if self._mean > 0:
            mean, half = f"{self._mean:.{width}f}", f"{self._ci:.{width}f}"
            interval = f"μ = {mean} ± {half}"
            shown = f"{number} ({interval})"
            about |= {"confidence_mean": float(mean), "confidence_var": float(half), "confidence": interval}
        if score_only:
            return shown
        if not is_json:
            head = f"{self.name}|{signature}" if signature else self.name
            return " ".join(filter(None, [f"{head} = {shown}", self._verbose]))
        if self._verbose:
            about["verbose_score"] = self._verbose
        about |= dict(item.split(":", 1) for item in signature.split("|") if item)
        return json.dumps(about, indent=1, ensure_ascii=False)

    def __repr__(self) -> str:
        return self.format()


class Signature:
    """All that must be known to repeat a score."""

    def __init__(self, text: str) -> None:
        given = dict(item.split(":", 1) for item in text.split("|"))
        version = given.pop("version")
        self.info: dict[str, Any] = {key: given.pop(key, None) for key in _SHARED} | given
        self.info["version"] = version

    def update(self, key: str, value: Any) -> None:
        """Add a value, or change one."""
        self.info[key] = value

    def format(self, short: bool = False) -> str:
        """Write it, with short names if wanted."""
        items = {key: value for key, value in self.info.items() if value is not None and key != "version"}
        items["version"] = self.info["version"]
        name = _SHORT if short else {}
        return "|".join(f"{name.get(key, key)}:{value}" for key, value in items.items())

    def __str__(self) -> str:
        return self.format()

    __repr__ = __str__


def seed() -> int | None:
    """Give the seed of random samples: SACREBLEU_SEED, or 12345; None for another one each time."""
    given = os.environ.get("SACREBLEU_SEED", "12345")
    return None if given.lower() == "none" else int(given)


def drawn(number: int | None) -> int:
    """Give a seed, or draw one."""
    return int.from_bytes(os.urandom(4), "little") if number is None else number


class Metric:
    """A metric by its name, or a sum as ``0.5*bleu+0.5*chrf``.

    Names are ``bleu``, ``chrf``, ``ter``, ``nist``, ``meteor``, ``lr``; settings are those of ``treeglot eval``.
    """

    def __init__(
        self, name: str | _treeglot.Metric, *, references: References | None = None, **settings: Mapping[str, Any]
    ) -> None:
        self._metric = name if isinstance(name, _treeglot.Metric) else _treeglot.Metric.named(name, dumps(settings))
        self._kept = references
        self._force = True
        self.num_refs: int | None = None
        self.n_bootstrap: int | None = None
        self.seed: int | None = None
        if references is not None:
            self._count(references)

    @property
    def higher_is_better(self) -> bool:
        """Whether a greater score is a better translation."""
        return self._metric.higher_is_better

    def corpus_score(self, hypotheses: Sequence[str], references: References | None, n_bootstrap: int = 1) -> Any:
        """Score translations against references, each a list as long as that of the translations.

        None in a list is a missing reference; without `references`, those of the constructor are taken. With
        `n_bootstrap`, so many samples give an interval that has the score with a certainty of 95%.
        """
        self._check(hypotheses, references)
        statistics = self._statistics(hypotheses, references)
        score = self._score_of(self._metric.sums(statistics))
        if n_bootstrap > 1:
            self.n_bootstrap, self.seed = n_bootstrap, seed()
            score._mean, score._ci = self._metric.confidence(statistics, n_bootstrap, drawn(self.seed))
        return score

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> Any:
        """Score one translation against its references."""
        if not isinstance(hypothesis, str):
            raise TypeError(f"{type(self).__name__}: The argument `hyp` should be a string.")
        if isinstance(references, str) or not isinstance(references, Sequence):
            raise TypeError(f"{type(self).__name__}: The argument `refs` should be a sequence of strings.")
        statistics = self._statistics([hypothesis], [[reference] for reference in references])
        return self._score_of(self._metric.sums(statistics))

    def statistics(self, hypotheses: Sequence[str], references: References | None = None) -> Any:
        """Give what scores are made from, a row a sentence, which may be added up: an array, not a copy."""
        return array(self._statistics(hypotheses, references))

    def sentence_scores(self, hypotheses: Sequence[str], references: References | None = None) -> Any:
        """Score each translation alone: an array."""
        return array(self._metric.sentence_scores(self._statistics(hypotheses, references)))

    def get_signature(self) -> Signature:
        """Give all that must be known to repeat the score."""
        if self.num_refs is None:
            raise ValueError("the number of references is not known yet: score something first")
        signature = Signature(self._metric.signature(self.num_refs))
        if self.n_bootstrap is not None:
            signature.update("bs", self.n_bootstrap)
            signature.update("seed", str(self.seed).lower())
        return signature

    def _score_of(self, sums: list[float]) -> Score:
        return Score(self._metric.name, self._metric.score(sums))

    def _statistics(self, hypotheses: Sequence[str], references: References | None) -> _treeglot.Array:
        if references:
            self._count(references)
        references = references or self._kept
        if not references:
            raise RuntimeError("No references provided and the cache is empty.")
        if not self._force and sum(line.endswith(" .") for line in hypotheses) >= 100:
            log.warning("a hundred lines and more end in ` .`: the text looks tokenised, which may change the score")
            log.warning("if it is meant so, say `force`")
        hypotheses = list(hypotheses)
        return self._metric.statistics(hypotheses, [list(own)[: len(hypotheses)] for own in references])

    def _count(self, references: References) -> None:
        counts = {sum(one is not None for one in row) for row in zip(*references, strict=False)}
        self.num_refs = counts.pop() if len(counts) == 1 else -1

    def _check(self, hypotheses: Sequence[str], references: References | None) -> None:
        name = type(self).__name__
        if not isinstance(hypotheses, Sequence) or isinstance(hypotheses, str):
            raise TypeError(f"{name}: `hyps` should be a sequence of strings.")
        if any(line is None for line in hypotheses):
            raise TypeError(f"{name}: Undefined line in hypotheses stream!")
        if not all(isinstance(line, str) for line in hypotheses):
            raise TypeError(f"{name}: Each element of `hyps` should be a string.")
        if references is None:
            return
        if not isinstance(references, Sequence) or isinstance(references, str):
            raise TypeError(f"{name}: `refs` should be a sequence of sequence of strings.")
        if any(isinstance(own, str) or not isinstance(own, Sequence) for own in references):
            raise TypeError(f"{name}: Each element of `refs` should be a sequence of strings.")
