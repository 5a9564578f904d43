"""Training and experiments."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from typing import Any

from . import _treeglot
from ._progress import Progress
from ._settings import dumps, fspath, paths, size
from ._translate import Translator

Path = str | os.PathLike[str]

_TREES = {"src_dep": "source-dep", "src_con": "source-con", "tgt_dep": "target-dep", "tgt_con": "target-con"}


def _data(folder: Path | None) -> str | None:
    given = os.fspath(folder) if folder is not None else os.environ.get("TREEGLOT_DATA")
    return os.path.abspath(given) if given else None


def train(
    src: Path | None = None,
    tgt: Path | None = None,
    output: Path | None = None,
    *,
    recipe: Path | None = None,
    system: str | None = None,
    data: Path | None = None,
    cache: Path | None = None,
    memory: int | str | None = None,
    jobs: int | None = None,
    threads: int | None = None,
    progress: bool | Callable[[str], object] = False,
    engine: Any = None,
    **settings: Any,
) -> Translator:
    """Train a system from two files, or from a recipe, write its bundle to the folder `output`, and open it.

    Settings are those of ``treeglot train``: ``model``, ``from_``, ``to``, ``src_dep``, ``src_con``, ``tgt_dep``,
    ``tgt_con``, ``dev_src``, ``dev_tgt``, ``dev_src_dep``, ``dev_src_con`` (trees of several parsers in a list),
    ``src_parser``, ``tgt_parser``, ``links``, ``lm_text``, ``tokenized``, ``skip_bad``, ``tune``, ``metric``,
    ``quick``, ``joint``, ``class_lm``, ``compounds``, ``sparse``, ``operations``, ``seed``. A recipe is a file, or
    the text of one.

    What is done is kept in OUTPUT.work until the bundle is complete: interrupted and called again, training goes on
    where it was. With `cache` the outputs of stages stay for other runs. With an `engine`, a `treeglot.spark.Engine`,
    the work of large stages is done on a cluster, with the same result.
    """
    if output is None:
        raise TypeError("train() needs `output`, the folder of the bundle to write")
    if (recipe is None) == (src is None or tgt is None):
        raise TypeError("train() takes two texts, `src` and `tgt`, or a `recipe`")
    if recipe is not None and settings:
        raise TypeError(f"a recipe has its own settings: {', '.join(settings)} cannot be given beside it")
    given = None if recipe is not None else dumps({"src": src, "tgt": tgt, **_given(settings)})
    folders = (fspath(cache), _data(data))
    with Progress(progress, "train") as tell:
        _treeglot.train_bundle(
            (fspath(recipe), given),
            system,
            os.fspath(output),
            folders,
            (size(memory), threads, jobs),
            tell,
            engine,
        )
    return Translator(output)


def _given(settings: dict[str, Any]) -> dict[str, Any]:
    """Put keywords in the order that the library has them in: trees together, lists where there may be several."""
    rest = dict(settings)
    trees = {kind: _numbered(rest.pop(key)) for key, kind in _TREES.items() if rest.get(key)}
    dev = {kind: _numbered(rest.pop(f"dev_{key}")) for key, kind in _TREES.items() if rest.get(f"dev_{key}")}
    for several in ("src_parser", "tgt_parser", "dev_tgt", "lm_text"):
        if several in rest:
            rest[several] = paths(rest[several])
    return rest | {"trees": trees, "dev_trees": dev}


def _numbered(files: Any) -> str | dict[str, str]:
    """Give the file of trees, or those of several parsers by number."""
    listed = paths(files)
    return listed[0] if len(listed) == 1 else {str(number): file for number, file in enumerate(listed, 1)}


@dataclass(frozen=True)
class SystemResult:
    """A system of an experiment: its scores on each test set, by metric, and what it took."""

    name: str
    tests: dict[str, dict[str, dict[str, float | None]]]
    rules: int | None = None
    bytes: int | None = None
    seconds: float | None = None
    milliseconds: float | None = None
    dev: float | None = None


@dataclass(frozen=True)
class Results:
    """What an experiment brought: the systems of each direction, and a report."""

    report: str
    directions: dict[str, list[SystemResult]]
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        parts = []
        for name, systems in self.directions.items():
            tests = (
                [(test, metric) for test, metrics in systems[0].tests.items() for metric in metrics] if systems else []
            )
            head = "".join(f"<th>{escape(f'{test} {metric}')}</th>" for test, metric in tests)
            rows = [f"<tr><th style='text-align:left'>{escape(name)}</th>{head}<th>rules</th></tr>"]
            for one in systems:
                scores = "".join(f"<td>{one.tests[test][metric]['score']:.2f}</td>" for test, metric in tests)
                rules = "" if one.rules is None else f"{one.rules:,}"
                rows.append(f"<tr><td style='text-align:left'>{escape(one.name)}</td>{scores}<td>{rules}</td></tr>")
            parts.append(f"<table>{''.join(rows)}</table>")
        return "".join(parts)


def experiment(
    recipe: Path,
    output: Path | None = None,
    *,
    data: Path | None = None,
    memory: int | str | None = None,
    jobs: int | None = None,
    threads: int | None = None,
    progress: bool | Callable[[str], object] = False,
    engine: Any = None,
) -> Results:
    """Train and compare the systems of a recipe: a file, or the text of one.

    `output` is the folder to work in, by default the recipe's name without its ending; it gets a cache, the bundles
    and ``report.html``. Called again, only what is missing or changed is done.
    """
    given = os.fspath(recipe)
    if output is None:
        output = "experiment" if "\n" in given else os.path.splitext(os.path.basename(given))[0]
    with Progress(progress, "experiment") as tell:
        budget = (size(memory), threads, jobs)
        found, report = _treeglot.run_recipe(given, os.fspath(output), _data(data), budget, tell, engine)
    directions, texts = {}, []
    for direction in json.loads(found):
        directions[direction["name"]] = [SystemResult(**system) for system in direction["systems"]]
        texts.append(direction["text"])
    return Results(os.fspath(report), directions, "\n".join(texts))


def sample(folder: Path) -> None:
    """Write the embedded German-English sample into a folder: texts, trees of both kinds and links, in three parts."""
    _treeglot.write_sample(os.fspath(folder))
