"""Scores of translations, with the objects, the arguments and the signatures of sacreBLEU.

>>> from treeglot.metrics import BLEU, CHRF, TER
>>> bleu = BLEU()
>>> bleu.corpus_score(["the house is small .", "it is green ."], [["the house is small .", "it was green ."]])
BLEU = 70.99 88.9/71.4/60.0/66.7 (BP = 1.000 ratio = 1.000 hyp_len = 9 ref_len = 9)
>>> print(bleu.get_signature())
nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0
>>> CHRF(word_order=2).sentence_score("it is green", ["it was green"]).name
'chrF2++'
>>> TER().sentence_score("it is green", ["it was green"]).num_edits
1

Every other metric, and sums of metrics, go by name:

>>> round(Metric("0.5*bleu+0.5*chrf").corpus_score(["the house is small"], [["the house is small"]]).score, 6)
100.0
"""

from .base import Metric, Score, Signature
from .bleu import BLEU, BLEUScore
from .chrf import CHRF, CHRFScore
from .compat import (
    corpus_bleu,
    corpus_chrf,
    corpus_ter,
    raw_corpus_bleu,
    sentence_bleu,
    sentence_chrf,
    sentence_ter,
)
from .significance import PairedTest, Result
from .ter import TER, TercomTokenizer, TERScore

METRICS = {"BLEU": BLEU, "CHRF": CHRF, "TER": TER}

__all__ = [
    "BLEU",
    "CHRF",
    "METRICS",
    "TER",
    "BLEUScore",
    "CHRFScore",
    "Metric",
    "PairedTest",
    "Result",
    "Score",
    "Signature",
    "TERScore",
    "TercomTokenizer",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
]
