"""Rules of training pairs."""

from __future__ import annotations

import gzip
import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from . import _treeglot
from ._settings import dumps, paths

Path = str | os.PathLike[str]
Text = Path | Iterable[object]


@dataclass(frozen=True)
class Rule:
    """A rule instance: source and target side, links between their symbols, and how often it counts."""

    source: str
    target: str
    links: tuple[tuple[int, int], ...]
    count: float

    @classmethod
    def parse(cls, line: str) -> Rule:
        """Read ``source ||| target ||| links ||| count``."""
        fields = [field.strip() for field in line.split("|||")]
        source, target, linked = fields[:3]
        links = tuple((int(one), int(other)) for one, other in (link.split("-")[:2] for link in linked.split()))
        return cls(source, target, links, float(fields[3]) if len(fields) > 3 and fields[3] else 1.0)

    def __str__(self) -> str:
        return f"{self.source} → {self.target}"


def models() -> dict[str, str]:
    """Name the translation models, with a line about each."""
    return dict(_treeglot.models())


def extract(
    model: str,
    source: Text,
    target: Text,
    links: Text,
    *,
    src_dep: Path | Iterable[Path] | None = None,
    src_con: Path | Iterable[Path] | None = None,
    tgt_dep: Path | Iterable[Path] | None = None,
    tgt_con: Path | Iterable[Path] | None = None,
    node_links: Path | None = None,
    lex: Path | None = None,
    skip_bad: bool = False,
    threads: int = 0,
    output: Path | None = None,
    **options: Any,
) -> Iterator[Rule]:
    """Extract the rules of a model from linked pairs: names of files, lists or iterators.

    Options are the model's own, as ``treeglot extract MODEL`` has them. Rules lie in a file, in `output` or in a
    temporary one, and are read from there as they are taken, so that memory does not grow with the text.

    >>> rules = extract("phrase", ["das Haus"], ["the house"], ["0-0 1-1"])
    >>> sorted(map(str, rules))
    ['Haus → house', 'das Haus → the house', 'das → the']
    """
    folder = tempfile.TemporaryDirectory(prefix="treeglot-")
    try:
        given = {
            "source": _file(source, folder.name, "source"),
            "target": _file(target, folder.name, "target"),
            "links": _file(links, folder.name, "links"),
            "trees": {
                "source-dep": paths(src_dep),
                "source-con": paths(src_con),
                "target-dep": paths(tgt_dep),
                "target-con": paths(tgt_con),
            },
            "node-links": node_links,
            "skip-bad": skip_bad,
            "lex": lex,
            "threads": threads,
        }
        path = os.fspath(output) if output is not None else os.path.join(folder.name, "rules")
        _treeglot.extract_rules(model, dumps(given), dumps(options), path)
    except BaseException:
        folder.cleanup()
        raise
    return _rules(path, folder)


def _rules(path: str, folder: tempfile.TemporaryDirectory[str]) -> Iterator[Rule]:
    with (
        folder,
        gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8") as lines,
    ):
        yield from map(Rule.parse, lines)


def _file(text: Text, folder: str, name: str) -> str:
    """Give the name of a file with the text, written into the folder unless it is one already."""
    if isinstance(text, (str, os.PathLike)):
        return os.fspath(text)
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        for line in text:
            out.write(str(line).rstrip("\r\n") + "\n")
    return path
