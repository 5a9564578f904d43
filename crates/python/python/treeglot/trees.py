"""Trees: read, written and converted in every format, and exchanged with other packages.

>>> from treeglot import trees
>>> tree = trees.from_string("(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))", "ptb")
>>> tree
<treeglot.Tree constituency: the cat sleeps>
>>> tree.nodes[1]
('NP', 0, 0, 2)
>>> dependencies = tree.converted("conllu", heads="ptb")
>>> dependencies.heads.tolist() if hasattr(dependencies.heads, "tolist") else list(memoryview(dependencies.heads))
[2, 3, 0]
>>> sorted(trees.formats())[:3]
['ccg-auto', 'ccg-parg', 'conll09']
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

from . import _others, _treeglot
from ._progress import counted
from ._treeglot import Tree
from .errors import Error

Path = str | os.PathLike[str]

__all__ = [
    "Tree",
    "convert",
    "formats",
    "from_conllu",
    "from_networkx",
    "from_nltk",
    "from_spacy",
    "from_string",
    "from_strings",
    "read",
    "write",
]


def formats() -> dict[str, str]:
    """Name the formats, with a line about each."""
    return dict(_treeglot.formats())


def _format(path: object, given: str | None) -> str:
    known = given or (_treeglot.format_of(os.fspath(path)) if isinstance(path, (str, os.PathLike)) else None)
    if known is None:
        raise Error(f"{path}: the name does not tell the format; say it with `format` ({', '.join(formats())})")
    return known


def read(
    source: Path | Iterable[str],
    format: str | None = None,  # noqa: A002
    *,
    one_per_line: bool = False,
    text: Path | None = None,
    progress: bool = False,
) -> Iterator[Tree]:
    """Read trees one after the other from a file, packed or not, or from the lines of an iterator.

    The format is the one that the file's name tells, if none is named. With `one_per_line` bracketed trees stand one a
    line, and a blank line is a sentence without a tree. `text` is the raw text behind Enju's stand-off positions.
    """
    reader = _treeglot.read_trees(source, _format(source, format), one_per_line, text)
    return counted(reader, progress, "read", "tree")


def write(
    trees: Iterable[Tree],
    path: Path,
    format: str | None = None,  # noqa: A002
    *,
    heads: str | None = None,
    strip: bool = False,
) -> int:
    """Write trees to a file, which appears when it is complete; tell how many there were.

    Trees are converted to what the format holds: constituents get heads by the rules ``ptb``, ``negra``, ``ctb``,
    ``ftb`` or of a file; `strip` drops traces, functions and empty outer brackets.
    """
    return _treeglot.write_trees(trees, os.fspath(path), _format(path, format), heads, strip)


def convert(source: Path, target: Path, *, to: str | None = None, **options: Any) -> int:
    """Convert a file of trees to another; formats are those that the names tell, or that are named."""
    origin = options.pop("from_", None)
    return write(read(source, origin), target, to, **options)


def from_string(text: str, format: str) -> Tree:  # noqa: A002
    """Read one tree."""
    trees = from_strings(text, format)
    if len(trees) != 1:
        raise Error(f"the text has {len(trees)} trees")
    return trees[0]


def from_strings(text: str, format: str) -> list[Tree]:  # noqa: A002
    """Read all trees of a text."""
    return _treeglot.parse_trees(text, format)


from_conllu = _others.from_conllu
from_networkx = _others.from_networkx
from_nltk = _others.from_nltk
from_spacy = _others.from_spacy
