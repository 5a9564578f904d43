"""What is printed in documents works: the page about Python, the docstrings, and the notebook, from top to bottom."""

from __future__ import annotations

import doctest
import importlib
import json
import pathlib
import pkgutil
import subprocess
import sys

import pytest
import treeglot

DOCS = pathlib.Path(__file__).parents[3] / "docs"

MODULES = ["treeglot"] + [
    module.name
    for module in pkgutil.walk_packages(treeglot.__path__, "treeglot.")
    if not module.name.endswith("_treeglot")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_examples_of_the_page():
    failed, tried = doctest.testfile(str(DOCS / "python.md"), module_relative=False)
    assert failed == 0
    assert tried > 20


def test_the_notebook_runs_from_top_to_bottom(tmp_path):
    pytest.importorskip("nbconvert")
    pytest.importorskip("ipykernel")
    convert = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", str(tmp_path)]
    done = subprocess.run([*convert, str(DOCS / "python.ipynb")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    cells = json.loads((tmp_path / "python.ipynb").read_text())["cells"]
    shown = [set(output.get("data", ())) for cell in cells if cell["cell_type"] == "code" for output in cell["outputs"]]
    assert sum("image/svg+xml" in kinds for kinds in shown) >= 3
    assert any("text/html" in kinds for kinds in shown)
