"""Whether systems differ: paired bootstrap and approximate randomisation, with sacreBLEU's random numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .base import Metric, References, Signature, drawn, seed


@dataclass
class Result:
    """The score of a system by a metric, and how likely chance explains its difference from the first system."""

    score: float
    p_value: float | None = None
    mean: float | None = None
    ci: float | None = None

    def __repr__(self) -> str:
        shown = [f"{key}={value}" for key, value in vars(self).items() if value is not None]
        return ",".join(shown)


class PairedTest:
    """Compares systems with the first of them, by ``ar`` (approximate randomisation), ``bs`` (bootstrap) or ``sign``.

    >>> from treeglot.metrics import BLEU
    >>> reference = ["the house is small", "it was green", "the dog sleeps"]
    >>> systems = [("one", reference), ("two", ["a house is small", "it is green", "dogs sleep"])]
    >>> signatures, scores = PairedTest(systems, {"BLEU": BLEU(tokenize="none")}, [reference], test_type="bs")()
    >>> scores["System"], [round(result.score) for result in scores["BLEU"]]
    (['one', 'two'], [100, 38])
    """

    def __init__(
        self,
        named_systems: Sequence[tuple[str, Sequence[str]]],
        metrics: Mapping[str, Metric],
        references: References | None,
        test_type: str = "ar",
        n_samples: int = 0,
        n_ar_confidence: int = -1,
        n_jobs: int = 1,
    ) -> None:
        if test_type not in ("ar", "bs", "sign"):
            raise AssertionError(f"Unknown test type {test_type!r}")
        self.test_type = test_type
        self.n_samples = n_samples or {"ar": 10000, "bs": 1000, "sign": 0}[test_type]
        self.n_ar_confidence = 1000 if n_ar_confidence == 0 else n_ar_confidence
        self.n_jobs = n_jobs
        self.named_systems = list(named_systems)
        self.metrics = dict(metrics)
        self.references = references
        self._seed = seed()

    def __call__(self) -> tuple[dict[str, Signature], dict[str, list[Any]]]:
        """Give the signatures and the results of all metrics, by their names."""
        signatures: dict[str, Signature] = {}
        scores: dict[str, list[Any]] = {"System": [name for name, _ in self.named_systems]}
        for metric in self.metrics.values():
            name, results = self._of_metric(metric)
            scores[name] = results
            signature = signatures[name] = metric.get_signature()
            signature.update("seed", str(self._seed).lower())
            if self.test_type != "sign":
                signature.update(self.test_type, self.n_samples)
            if self.n_ar_confidence > 0:
                signature.update("bs", self.n_ar_confidence)
        return signatures, scores

    def _of_metric(self, metric: Metric) -> tuple[str, list[Result]]:
        first, name, results = None, "", []
        samples = self.n_samples if self.test_type == "bs" else self.n_ar_confidence
        number = drawn(self._seed)
        for _, hypotheses in self.named_systems:
            statistics = metric._statistics(hypotheses, self.references)
            score = metric._score_of(metric._metric.sums(statistics))
            result, name = Result(score.score), score.name
            if samples > 0:
                result.mean, result.ci = metric._metric.confidence(statistics, samples, number)
            if first is None:
                first = statistics
            else:
                test = (self.test_type, self.n_samples, number)
                result.p_value = metric._metric.p_value(first, statistics, *test)
            results.append(result)
        return name, results
