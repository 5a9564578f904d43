"""What tests share: the embedded sample, and a system that was trained on a part of it."""

from __future__ import annotations

import pathlib

import pytest
import treeglot


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("sample")
    treeglot.sample(folder)
    return folder


def head(path: pathlib.Path, lines: int) -> list[str]:
    with open(path, encoding="utf-8") as text:
        return [line.rstrip("\n") for _, line in zip(range(lines), text, strict=False)]


@pytest.fixture(scope="session")
def pairs(sample: pathlib.Path) -> tuple[list[str], list[str]]:
    return head(sample / "train.de", 2000), head(sample / "train.en", 2000)


@pytest.fixture(scope="session")
def bundle(sample: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A bundle of phrases, without tuning."""
    folder = tmp_path_factory.mktemp("bundle") / "de-en"
    treeglot.train(sample / "train.de", sample / "train.en", folder, model="phrase", tokenized=True, tune="none")
    return folder


@pytest.fixture(scope="session")
def tree_bundle(sample: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A bundle that translates dependency trees."""
    folder = tmp_path_factory.mktemp("trees") / "de-en"
    recipe = f"""
source = "de"
target = "en"
preprocess = {{ tokenize = false, truecase = false }}
align = {{ model = "hmm" }}
tune = {{ method = "none" }}
data.train = {{ source = "{sample}/train.de", target = "{sample}/train.en", source-dep = "{sample}/train.de.conllu", limit = 1500 }}
[[system]]
model = "dep2str"
"""
    treeglot.train(recipe=recipe, output=folder)
    return folder
