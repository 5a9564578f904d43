"""chrF."""

from __future__ import annotations

from .. import _treeglot
from .base import Metric, References, Score


class CHRFScore(Score):
    """A chrF score."""

    def __init__(self, score: float, char_order: int, word_order: int, beta: int) -> None:
        self.beta = beta
        self.char_order = char_order
        self.word_order = word_order
        super().__init__(f"chrF{beta}{'+' * word_order}", score)


class CHRF(Metric):
    """chrF (Popović 2015) and, with ``word_order=2``, chrF++ (2017), as sacreBLEU computes them."""

    CHAR_ORDER = 6
    WORD_ORDER = 0
    BETA = 2

    def __init__(
        self,
        char_order: int = CHAR_ORDER,
        word_order: int = WORD_ORDER,
        beta: int = BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: References | None = None,
    ) -> None:
        self.char_order, self.word_order, self.beta = char_order, word_order, beta
        self.lowercase, self.whitespace, self.eps_smoothing = lowercase, whitespace, eps_smoothing
        metric = _treeglot.Metric.chrf(char_order, word_order, beta, lowercase, whitespace, eps_smoothing)
        super().__init__(metric, references=references)

    def _score_of(self, sums: list[float]) -> CHRFScore:
        return CHRFScore(self._metric.score(sums), self.char_order, self.word_order, self.beta)
