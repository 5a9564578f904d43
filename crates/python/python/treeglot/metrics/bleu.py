"""BLEU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from .. import _treeglot
from .base import Metric, References, Score, log

MAX_NGRAM_ORDER = 4

# Those of sacreBLEU that need no program or model besides.
TOKENIZERS = ("none", "zh", "13a", "intl", "char")


class BLEUScore(Score):
    """A BLEU score and what it is made from."""

    def __init__(
        self,
        score: float,
        counts: Sequence[float],
        totals: Sequence[float],
        precisions: Sequence[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        self.bp = bp
        self.counts = list(counts)
        self.totals = list(totals)
        self.precisions = list(precisions)
        self.sys_len = sys_len
        self.ref_len = ref_len
        self.prec_str = "/".join(f"{precision:.1f}" for precision in precisions)
        self.ratio = sys_len / ref_len if ref_len else 0
        lengths = f"ratio = {self.ratio:.3f} hyp_len = {sys_len:d} ref_len = {ref_len:d}"
        super().__init__("BLEU", score, f"{self.prec_str} (BP = {bp:.3f} {lengths})")


class BLEU(Metric):
    """BLEU (Papineni et al. 2002), as sacreBLEU computes it."""

    SMOOTH_DEFAULTS: ClassVar[dict[str, float | None]] = {"none": None, "floor": 0.1, "add-k": 1, "exp": None}
    TOKENIZERS = TOKENIZERS
    TOKENIZER_DEFAULT = "13a"

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = MAX_NGRAM_ORDER,
        effective_order: bool = False,
        trg_lang: str = "",
        references: References | None = None,
    ) -> None:
        if smooth_method not in self.SMOOTH_DEFAULTS:
            raise AssertionError(f"Unknown smooth_method {smooth_method!r}")
        if tokenize is None:
            tokenize = "zh" if trg_lang == "zh" else self.TOKENIZER_DEFAULT
        elif trg_lang == "zh" and tokenize != "zh":
            log.warning("the tokeniser `zh` is the one for Chinese")
        self.lowercase, self.trg_lang, self.tokenize = lowercase, trg_lang, tokenize
        self.smooth_method, self.smooth_value = smooth_method, smooth_value
        self.max_ngram_order, self.effective_order = max_ngram_order, effective_order
        smoothing = (smooth_method, smooth_value)
        metric = _treeglot.Metric.bleu(lowercase, tokenize, smoothing, max_ngram_order, effective_order)
        super().__init__(metric, references=references)
        self._force = force

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> BLEUScore:
        """Score one translation; `effective_order` should be on."""
        if not self.effective_order:
            log.warning("single sentences should be scored with `effective_order`")
        score: BLEUScore = super().sentence_score(hypothesis, references)
        return score

    def _score_of(self, sums: list[float]) -> BLEUScore:
        order = self.max_ngram_order
        details = dict(self._metric.details(sums))
        counts, totals = sums[2 : 2 + order], sums[2 + order :]
        precisions = [details.get(f"p{n + 1}", 0.0) for n in range(order)] if any(counts) else [0.0] * order
        if self.smooth_method == "add-k" and any(counts):
            k = self.smooth_value if self.smooth_value is not None else 1
            counts = [count + k * (n > 0) for n, count in enumerate(counts)]
            totals = [total + k * (n > 0) for n, total in enumerate(totals)]
        counts, totals = ([int(value) if value == int(value) else value for value in own] for own in (counts, totals))
        score, bp = self._metric.score(sums), details["brevity penalty"]
        return BLEUScore(score, counts, totals, precisions, bp, int(sums[0]), int(sums[1]))

    @staticmethod
    def compute_bleu(
        correct: Sequence[int],
        total: Sequence[int],
        sys_len: int,
        ref_len: int,
        smooth_method: str = "none",
        smooth_value: float | None = None,
        effective_order: bool = False,
        max_ngram_order: int = MAX_NGRAM_ORDER,
    ) -> BLEUScore:
        """Compute BLEU from counts of n-grams."""
        bleu = BLEU(
            smooth_method=smooth_method,
            smooth_value=smooth_value,
            effective_order=effective_order,
            max_ngram_order=max_ngram_order,
        )
        return bleu._score_of([float(value) for value in (sys_len, ref_len, *correct, *total)])
