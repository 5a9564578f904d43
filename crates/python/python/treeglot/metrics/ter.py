"""TER."""

from __future__ import annotations

from .. import _treeglot
from .base import Metric, References, Score


class TERScore(Score):
    """A TER score."""

    def __init__(self, score: float, num_edits: float, ref_length: float) -> None:
        self.num_edits = int(num_edits)
        self.ref_length = ref_length
        super().__init__("TER", score)


class TER(Metric):
    """Translation edit rate (Snover et al. 2006), as sacreBLEU computes it."""

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
        references: References | None = None,
    ) -> None:
        self.normalized, self.no_punct = normalized, no_punct
        self.asian_support, self.case_sensitive = asian_support, case_sensitive
        metric = _treeglot.Metric.ter(normalized, no_punct, asian_support, case_sensitive)
        super().__init__(metric, references=references)

    def _score_of(self, sums: list[float]) -> TERScore:
        return TERScore(self._metric.score(sums), *sums)


class TercomTokenizer:
    """The tokeniser of TER, alone.

    >>> TercomTokenizer(normalized=True)("It's (nearly) done.")
    "it 's ( nearly ) done ."
    """

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
    ) -> None:
        self._options = [normalized, no_punct, asian_support, case_sensitive]

    def __call__(self, sent: str) -> str:
        """Give the tokens, with blanks between them."""
        return " ".join(_treeglot.tokenize_for("none", sent, self._options).split())

    def signature(self) -> str:
        """Give its name in signatures."""
        return "tercom"
