"""Training on Spark, in executors that are processes of their own, makes what training makes without it."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest
import treeglot

pytest.importorskip("pyspark", reason="no pyspark: training on Spark is not tested")
if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
    pytest.skip("no Java: training on Spark is not tested", allow_module_level=True)

from treeglot import spark as on_spark

RECIPE = """
source = "de"
target = "en"
preprocess = {{ tokenize = false, truecase = true }}
tune = {{ rounds = 2, nbest = 10 }}
data.train = {{ source = "{0}/train.de", target = "{0}/train.en", source-dep = "{0}/train.de.conllu", target-dep = "{0}/train.en.conllu", limit = 400 }}
data.dev = {{ source = "{0}/dev.de", target = "{0}/dev.en", source-dep = "{0}/dev.de.conllu", limit = 130 }}
data.test = [{{ name = "test", source = "{0}/test.de", target = "{0}/test.en", source-dep = "{0}/test.de.conllu", limit = 140 }}]
[[system]]
model = "hiero"
tune = {{ method = "none" }}
[[system]]
model = "phrase"
extract = [{{ from = "str" }}, {{ from = "dep" }}]
[[system]]
model = "dep2str"
[[system]]
model = "str2dep"
tune = {{ method = "none" }}
"""


def executors(session) -> list[int]:
    """The processes of the executors of a session."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        inside = any(word.endswith("CoarseGrainedExecutorBackend") for word in words)
        if inside and session.sparkContext.applicationId in words:
            found.append(int(folder.name))
    return found


class Tried(on_spark.Engine):
    """An engine that fails once, one of whose executors is killed while it is at the first step of each kind, and that tells what
    the counts of the first table were."""

    def __init__(self, *args, **settings):
        super().__init__(*args, **settings)
        self.fail = True
        self.killed: set[str] = set()
        self.done: list[str] = []
        self.rules: list[str] = []

    def run(self, folder, name, step):
        kind = name.split("-")[0]
        if self.fail and kind == "counts":
            raise treeglot.Error("enough")
        if not self.has(folder, name):
            self.done.append(f"{pathlib.Path(folder).name}/{name}")
        if kind not in self.killed:
            self.killed.add(kind)
            threading.Thread(target=self.kill, daemon=True).start()
        super().run(folder, name, step)

    def kill(self):
        time.sleep(0.3)
        for process in executors(self.spark)[:1]:
            os.kill(process, signal.SIGKILL)

    def remove(self, folder):
        numbers = pathlib.Path(folder) / "numbers"
        if not self.rules and self.has(folder, "extracted-0"):
            table = on_spark.instances(self.spark, self.where(folder, "counts"), numbers)
            self.rules = [row.rule for row in table.collect()]
        super().remove(folder)


@pytest.fixture(scope="module")
def session():
    settings = {"spark_ui_enabled": "false", "spark_deploy_maxExecutorRetries": "-1", "spark_log_level": "OFF"}
    with_executors = on_spark.session("local-cluster[2,1,1024]", **settings)
    yield with_executors
    with_executors.stop()


def outputs(cache: pathlib.Path) -> dict[str, bytes]:
    files = (path for path in cache.glob("*/*") if path.is_file() and path.name != "stage.json")
    return {str(path.relative_to(cache)): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def alone(sample: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("alone")
    treeglot.experiment(RECIPE.format(sample), folder)
    return outputs(folder / "cache")


def differences(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def test_executors_make_the_same_bytes_though_they_are_killed_and_a_run_fails(session, sample, alone, tmp_path):
    engine = Tried(session, folder=(tmp_path / "shared").as_uri(), parts=3, lines=128)
    with pytest.raises(treeglot.Error, match="enough"):
        treeglot.experiment(RECIPE.format(sample), tmp_path / "out", engine=engine)
    engine.fail = False
    treeglot.experiment(RECIPE.format(sample), tmp_path / "out", engine=engine)
    assert differences(alone, outputs(tmp_path / "out" / "cache")) == []
    steps = {"extracted", "counts", "sides", "ends", "links", "expected", "made", "words", "lists", "translated"}
    assert steps <= engine.killed, "rules, alignment, lines, language models, rounds of tuning, test sets"
    assert len(engine.done) == len(set(engine.done)), "no step was done twice"
    assert engine.seconds > 0
    assert len(engine.rules) == len(set(engine.rules)), "counts can be looked at"
    assert all(len(rule.split(" ||| ")) >= 4 for rule in engine.rules)


def test_what_is_wrong_is_said_as_without_spark(session, sample, tmp_path):
    trees = (sample / "train.de.conllu").read_text(encoding="utf-8").replace("\n2\t", "\n7\t", 1)
    (tmp_path / "bad.conllu").write_text(trees, encoding="utf-8")
    recipe = RECIPE.format(sample).replace(f"{sample}/train.de.conllu", f"{tmp_path}/bad.conllu")
    with pytest.raises(treeglot.Error, match=r"trees\.conllu:\d+") as raised:
        treeglot.experiment(recipe, tmp_path / "out", engine=on_spark.Engine(session, lines=128))
    assert "Traceback" not in str(raised.value)


def test_a_text_is_translated_as_without_spark(session, sample, bundle, tmp_path):
    engine = on_spark.Engine(session, lines=7)
    on_spark.translate(bundle, sample / "test.de", tmp_path / "out", engine)
    lines = (sample / "test.de").read_text(encoding="utf-8").splitlines()
    expected = [str(one) for one in treeglot.Translator(bundle).translate(lines)]
    assert (tmp_path / "out").read_text(encoding="utf-8").splitlines() == expected
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


def test_without_java_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with pytest.raises(treeglot.Error, match="install a Java runtime, version 17 or later"):
        on_spark.session("local[1]")


def test_large_rows_of_a_file_are_read_one_by_one(session, tmp_path):
    import pyarrow.parquet as pq

    table = session.range(3).coalesce(1).selectExpr("id", "unhex(sha2(string(id), 512)) AS cell")
    table.write.options(**on_spark._PARQUET | {"parquet.block.size": "32"}).parquet(str(tmp_path / "table"))
    (file,) = (tmp_path / "table").glob("*.parquet")
    assert pq.ParquetFile(file).num_row_groups == 3, "a reader holds a row group"


@pytest.mark.parametrize(
    ("master", "said"),
    [
        ("sprk://host:1", "no master of Spark: give spark://HOST:PORT"),
        ("spark://localhost", "lacks a port"),
        ("spark://localhost:1", "no master of Spark answers at spark://localhost:1 .* is it started"),
    ],
)
def test_a_wrong_master_is_told_at_once(master, said):
    with pytest.raises(treeglot.Error, match=said):
        on_spark.session(master)


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("nowhere://host/x", 'No FileSystem for scheme "nowhere"'),
        ("file:///proc/nowhere", "no folder could be made there"),
        ("shared/x", "give a URL"),
    ],
)
def test_a_folder_that_cannot_be_written_is_told_before_work_begins(session, folder, said):
    with pytest.raises(treeglot.Error, match=said):
        on_spark.Engine(session, folder=folder)


def test_what_executors_cannot_see_is_told_with_advice(session, tmp_path):
    said = str(on_spark._plain(_missing(session, tmp_path)))
    assert said.startswith(f"an executor does not see file:{tmp_path}"), said
    assert "--shared URL" in said
    with pytest.raises(treeglot.Error, match=r"is given a session, not a master"):
        on_spark.Engine("local[2]")


def _missing(session, folder: pathlib.Path) -> Exception:
    """What Spark says of a file that is not there when a task reads it."""
    session.range(1).coalesce(1).write.mode("overwrite").parquet(str(folder / "table"))
    table = session.read.parquet(str(folder / "table"))
    kept = next((folder / "table").glob("part-*.parquet"))
    kept.unlink()
    with pytest.raises(Exception, match="parquet") as raised:
        table.collect()
    return raised.value


def test_the_command_takes_json(sample, tmp_path):
    given = {"src": f"{sample}/dev.de", "tgt": f"{sample}/dev.en", "model": "phrase", "tokenized": True, "tune": "none"}
    asked = {"master": "local[1]", "given": given, "output": str(tmp_path / "b"), "cache": str(tmp_path / "c")}
    ran = subprocess.run(
        [sys.executable, "-m", "treeglot.spark"], input=json.dumps(asked), capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert treeglot.Translator(tmp_path / "b").translate("das Haus")
