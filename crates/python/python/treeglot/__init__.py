"""Syntax-based machine translation: from parallel text and trees to a tuned translator that explains every word.

>>> import pathlib, tempfile, treeglot
>>> folder = tempfile.TemporaryDirectory()
>>> here = pathlib.Path(folder.name)
>>> treeglot.sample(here)  # the embedded German-English sample
>>> translator = treeglot.train(here / "train.de", here / "train.en", here / "de-en", tokenized=True, tune="none")
>>> print(translator.translate("das Haus ist klein ."))
The house is small .
>>> best = translator.translate("das Haus", explain=True)
>>> best.links.words()
[('das', 'The'), ('Haus', 'house')]
>>> folder.cleanup()
"""

from . import metrics, trees
from ._align import Aligner, Alignments, Links, align, symmetrize
from ._extract import Rule, extract, models
from ._lm import LanguageModel
from ._parse import Parser, ScoredTree, parse
from ._text import Detokenizer, Tokenizer, detokenize, languages, split_sentences, tokenize
from ._train import Results, SystemResult, experiment, sample, train
from ._translate import Derivation, Hypothesis, Sentence, Translation, Translator, card, verify
from ._treeglot import Array, Tree, __version__
from ._treeglot import State as State
from .errors import Error, FileError, FileMissingError, InternalError

__all__ = [
    "Aligner",
    "Alignments",
    "Array",
    "Derivation",
    "Detokenizer",
    "Error",
    "FileError",
    "FileMissingError",
    "Hypothesis",
    "InternalError",
    "LanguageModel",
    "Links",
    "Parser",
    "Results",
    "Rule",
    "ScoredTree",
    "Sentence",
    "SystemResult",
    "Tokenizer",
    "Translation",
    "Translator",
    "Tree",
    "__version__",
    "align",
    "card",
    "detokenize",
    "experiment",
    "extract",
    "languages",
    "metrics",
    "models",
    "parse",
    "sample",
    "split_sentences",
    "symmetrize",
    "tokenize",
    "train",
    "trees",
    "verify",
]
