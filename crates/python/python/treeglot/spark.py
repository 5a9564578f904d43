"""Training on Apache Spark, for what one machine is too small for.

The stages of training that are large (cutting text into words, parsing, alignment, counting links, linking nodes of
trees, extracting, counting and scoring rules, counting n-grams and words of trees, translating in rounds of tuning and
of test sets) are done by Spark's executors, all others by the process that drives them. What comes of it is the same to
the byte as on one machine.

>>> from treeglot.spark import Engine, session, train  # doctest: +SKIP
>>> with Engine(session("spark://master:7077")) as engine:  # doctest: +SKIP
...     train(recipe="recipe.toml", output="de-en", engine=engine)

Executors need this package, which brings all of Treeglot, and what PySpark itself needs to exchange Arrow batches:
`pyspark`, `pandas` and `pyarrow`.
"""

from __future__ import annotations

import argparse
import hashlib
import heapq
import json
import operator
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any

from ._progress import Progress
from ._settings import paths, size
from ._train import experiment, train
from ._treeglot import RowSource, __version__, train_bundle, translate_on
from ._treeglot import instances as text_of
from .errors import Error

__all__ = ["Engine", "experiment", "instances", "session", "train", "translate"]

_JAVA = 17
_SETTINGS = {
    # A row is a shard: thousands of sentences, or the counts of them, tens of megabytes. Java holds one at a time.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1",
    "spark.sql.parquet.columnarReaderBatchSize": "1",
    # How many files of a table a task reads is decided for each table.
    "spark.sql.files.minPartitionNum": "1",
    # Plans are as they stand, and so few rows do not repay that Java code is written and compiled for each plan.
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Java only hands rows on: what a compiler that optimises costs is never earned back, nor are collectors in threads."""
_TASK = 64 << 20
"""How many bytes of files a task reads at most."""
_PARQUET = {
    "compression": "snappy",
    "parquet.block.size": str(32 << 20),
    # Rows are large: without this, sizes are looked at after a hundred of them, and a reader must hold them all.
    "parquet.page.row.count.limit": "1",
    "parquet.page.size.row.check.min": "1",
    # No value comes twice: to look for that is to hash every byte.
    "parquet.enable.dictionary": "false",
}


def _java() -> str:
    """Find a Java runtime that Spark can use; an error says what to install."""
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    install = f"install a Java runtime, version {_JAVA} or later (on Debian: apt-get install openjdk-17-jre-headless)"
    if not java or not os.path.exists(java):
        raise Error(f"Spark needs Java, and there is none: {install}, or set JAVA_HOME")
    told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    version = re.search(r'version "(?:1\.)?(\d+)', told.stderr + told.stdout)
    if version is None or int(version[1]) < _JAVA:
        found = version[1] if version else "unknown"
        raise Error(f"Spark needs Java {_JAVA} or later, and {java} has version {found}: {install}")
    return java


def session(master: str, **settings: str) -> Any:
    """Start or find a Spark session; `settings` are Spark's own, with ``_`` for each dot.

    `master` is spark://HOST:PORT, yarn, k8s://URL, local[N] for the cores of this machine, or
    local-cluster[EXECUTORS,CORES,MEGABYTES] for executors that are processes of it. An error says what is missing: a
    Java runtime, PySpark, or the master.
    """
    try:
        import pandas  # noqa: F401
        import pyarrow  # noqa: F401
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise Error(
            f"Spark needs the packages pyspark, pandas and pyarrow ({error}): pip install 'treeglot[spark]'"
        ) from None
    _java()
    _reach(master)
    # Executors run the interpreter that this is, unless somebody says which.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(master).appName("treeglot").config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.executorEnv.RAYON_NUM_THREADS", "1")
    builder = builder.config("spark.driver.defaultJavaOptions", _JVM).config("spark.executor.defaultJavaOptions", _JVM)
    for name, value in settings.items():
        builder = builder.config(name.replace("_", "."), value)
    try:
        return builder.getOrCreate()
    except Exception as error:
        raise Error(f"Spark could not be started with the master {master}: {_first_line(error)}") from error


def _reach(master: str) -> None:
    """Look whether a master is one, and answers, before Spark tries for a minute; an error says what is wrong."""
    known = re.fullmatch(r"local|local\[.+\]|local-cluster\[.+\]|yarn|k8s://.+|spark://(.+)", master)
    if known is None:
        forms = "spark://HOST:PORT, yarn, k8s://URL, or local[N] for the cores of this machine"
        raise Error(f"{master!r} is no master of Spark: give {forms}")
    if known[1] is None:
        return
    wrong = []
    for place in known[1].split(","):
        host, _, port = place.rpartition(":")
        if not port.isdecimal():
            raise Error(f"the master {master} lacks a port: spark://HOST:PORT, usually 7077")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
        except (OSError, OverflowError) as error:
            wrong.append(f"{place}: {error}")
        else:
            return
    raise Error(f"no master of Spark answers at {master} ({'; '.join(wrong)}): is it started, and is that its port?")


class Engine:
    """Spark as the engine of training: give it to :func:`train` or :func:`experiment`.

    Tables that steps make are Parquet files. They lie beside the stages that they are for, in the cache or in
    ``OUTPUT.work``, which executors must then see under the same name; or in `folder`, on any file system
    that Spark writes to (``hdfs://...``, ``s3a://...``). A step that is done is not done again after an
    interruption.

    `parts` is in how many parts counts are brought together (four for each core where it is not given), `lines` how
    many lines a shard has (development and test sets of fewer lines are translated by this process), `memory` about how
    many bytes a task holds before it writes temporary files. Results do not depend on them.
    """

    def __init__(
        self,
        spark: Any,
        *,
        folder: str | None = None,
        parts: int | None = None,
        lines: int = 5000,
        memory: int | str = "256M",
    ) -> None:
        if isinstance(spark, str):
            raise Error(f"Engine is given a session, not a master: Engine(session({spark!r}))")
        self.spark = spark
        self.folder = folder.rstrip("/") if folder else None
        if self.folder:
            self._check(self.folder)
        self.parts = parts or 4 * max(spark.sparkContext.defaultParallelism, 1)
        self.lines = lines
        self.memory = size(memory) or 0
        self._spent = spark.sparkContext.accumulator(0.0)
        self._shipping = threading.Lock()
        self._files = tempfile.TemporaryDirectory(prefix="treeglot-spark-")

    def __enter__(self) -> Engine:
        """Give the engine itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop Spark."""
        self._files.cleanup()
        self.spark.stop()

    def division(self) -> tuple[int, int, int]:
        """Tell how work is divided: parts, lines of a shard, memory of a task."""
        return self.parts, self.lines, self.memory

    @property
    def seconds(self) -> float:
        """How many seconds of processor time executors have spent in Treeglot's own code."""
        return float(self._spent.value)

    def where(self, folder: os.PathLike[str] | str, name: str = "") -> str:
        """Tell where a table of a stage is."""
        inside = pathlib.Path(folder).absolute()
        base = f"{self.folder}/{inside.name}" if self.folder else f"file://{inside}"
        return f"{base}/{name}" if name else base

    def _path(self, where: str) -> tuple[Any, Any]:
        """Give a path of Hadoop with its file system."""
        jvm = self.spark._jvm
        path = jvm.org.apache.hadoop.fs.Path(where)
        return path.getFileSystem(self.spark._jsc.hadoopConfiguration()), path

    def _check(self, folder: str) -> None:
        """Look whether tables can be written to a folder; an error says why not."""
        if not re.match(r"\w[\w+.-]*://|/", folder):
            raise Error(f"{folder} is no folder that all executors find: give a URL, as in hdfs://HOST/FOLDER")
        try:
            files, path = self._path(folder)
            made = files.mkdirs(path)
        except Exception as error:
            raise Error(f"Spark cannot write to {folder}: {_first_line(error)}") from error
        if not made:
            raise Error(f"Spark cannot write to {folder}: no folder could be made there")

    def has(self, folder: os.PathLike[str], name: str) -> bool:
        """Tell whether a table is complete."""
        files, path = self._path(self.where(folder, name) + "/_SUCCESS")
        return bool(files.exists(path))

    def remove(self, folder: os.PathLike[str]) -> None:
        """Remove the tables of a stage."""
        files, path = self._path(self.where(folder))
        files.delete(path, True)

    def put(self, folder: os.PathLike[str], name: str, rows: RowSource) -> None:
        """Make a table of rows, a file for each."""
        import pyarrow.parquet as pq

        from ._executor import SCHEMA, batches_of

        where = self.where(folder, name)
        files, path = self._path(where)
        files.delete(path, True)
        with tempfile.TemporaryDirectory(prefix="treeglot-", dir=None if self.folder else folder) as made:
            number = 0
            while some := rows.next(1):
                file = os.path.join(made, f"part-{number:08}.parquet")
                with pq.ParquetWriter(file, SCHEMA, compression="snappy", use_dictionary=False) as out:
                    for batch in batches_of(some):
                        out.write_batch(batch)
                number += 1
            if self.folder:
                files.mkdirs(path.getParent())
                files.copyFromLocalFile(False, True, self.spark._jvm.org.apache.hadoop.fs.Path(made), path)
                files.create(self._path(f"{where}/_SUCCESS")[1]).close()
            else:
                open(os.path.join(made, "_SUCCESS"), "w").close()
                os.chmod(made, 0o755)
                os.rename(made, os.path.join(folder, name))

    def _ship(self, files: list[str]) -> list[str]:
        """Have every executor get files, each once; gives their names there. Files of a folder stay together."""
        names = []
        for file in files:
            place = pathlib.Path(file).absolute()
            mark = hashlib.sha256(os.fspath(place.parent).encode()).hexdigest()[:12]
            copy = os.path.join(self._files.name, f"{mark}-{place.name}")
            with self._shipping:
                if not os.path.exists(copy):
                    shutil.copyfile(file, copy)
                    self.spark.sparkContext.addFile(copy)
            names.append(os.path.basename(copy))
        return names

    def run(
        self, folder: os.PathLike[str], name: str, step: tuple[list[str], bool, str | None, str | None, list[str]]
    ) -> None:
        """Do a step: rows of tables, with heads or without, through an op, then all of a part through another."""
        from pyspark.sql import types

        from ._executor import work

        if self.has(folder, name):
            return
        sources, heads, each, together, files = step
        shipped = self._ship(files)
        schema = types.StructType(
            [
                types.StructField("part", types.LongType()),
                types.StructField("number", types.LongType()),
                types.StructField("notes", types.StringType()),
                types.StructField("head", types.BinaryType()),
                types.StructField("cells", types.ArrayType(types.BinaryType())),
            ]
        )
        tables = [self.where(folder, source) for source in sources]
        # Settings of its own: stages run beside each other, and the session may be somebody's.
        session = self.spark.newSession()
        for key, value in (_SETTINGS | self._packing(tables)).items():
            session.conf.set(key, value)
        table = session.read.schema(schema).parquet(*tables)
        if not heads:
            table = table.drop("head")
        if each is not None:
            table = table.mapInArrow(work(each, shipped, self._spent), schema)
        if together is not None:
            table = self._by_part(table)
            table = table.mapInArrow(work(together, shipped, self._spent), schema)
        try:
            out = table.write.mode("overwrite").options(**_PARQUET)
            out.parquet(self.where(folder, name))
        except Exception as error:
            raise _plain(error) from error

    def _packing(self, tables: list[str]) -> dict[str, str]:
        """Have a task read as many files as make about `parts` tasks, of which each costs Spark something."""
        size, count = 0, 0
        for table in tables:
            files, path = self._path(table)
            summary = files.getContentSummary(path)
            size, count = size + summary.getLength(), count + summary.getFileCount()
        few = count <= self.parts
        most = _TASK if few else min(_TASK, size // self.parts + size // count)
        names = ("spark.sql.files.maxPartitionBytes", "spark.sql.files.openCostInBytes")
        return dict(zip(names, (str(most), str(most if few else 0)), strict=True))

    def _by_part(self, table: Any) -> Any:
        """Bring the rows of a part together."""
        if hasattr(table, "repartitionById"):
            # Each part is a task of its own, which has no need of an order.
            return table.repartitionById(self.parts, table["part"].cast("int"))
        return table.repartition(self.parts, "part").sortWithinPartitions("part", "number")

    def rows(self, folder: os.PathLike[str], name: str, column: str | None) -> Iterator[list[Any]]:
        """Give the rows of a table in order, some at a time, with their heads, or with their cells, or with neither."""
        where = self.where(folder, name)
        columns = ["part", "number", "notes", *([column] if column else [])]
        with tempfile.TemporaryDirectory(prefix="treeglot-") as copied:
            local = os.path.join(os.fspath(folder), name)
            if self.folder:
                files, path = self._path(where)
                local = os.path.join(copied, "table")
                files.copyToLocalFile(path, self.spark._jvm.org.apache.hadoop.fs.Path(local))
            parts = [str(path) for path in sorted(pathlib.Path(local).glob("*.parquet"))]
            for row in heapq.merge(*[_in_order(part, columns) for part in parts], key=operator.itemgetter(0, 1)):
                yield [row]


def _in_order(file: str, columns: list[str]) -> Iterable[Any]:
    """Give the rows of a file in the order of parts and numbers."""
    import pyarrow.parquet as pq

    from ._executor import rows_of

    key = operator.itemgetter(0, 1)
    places = rows_of(pq.read_table(file, columns=["part", "number"]).combine_chunks())
    rows = (row for batch in pq.ParquetFile(file).iter_batches(4, columns=columns) for row in rows_of(batch))
    return rows if places == sorted(places, key=key) else sorted(rows, key=key)


def _plain(error: Exception) -> Error:
    """Take what went wrong on an executor out of what Spark says around it."""
    text = str(error)
    found = re.findall(r"^treeglot\.errors\.\w+: (.*)$", text, re.MULTILINE)
    missing = re.findall(r"^ModuleNotFoundError: (.*)$", text, re.MULTILINE)
    if found:
        return Error(found[-1])
    if missing:
        return Error(f"an executor's Python lacks a package ({missing[-1]}): install treeglot[spark] there")
    unseen = re.search(r"File (file:\S+?) does not exist|FileNotFoundException: (?:File )?(file:\S+)", text)
    if unseen:
        return Error(
            f"an executor does not see {unseen[1] or unseen[2]}: have executors and this machine share a folder under "
            "one name, or give one of a file system that all reach (--shared URL, or Engine(..., folder=URL))"
        )
    return Error(f"Spark: {_first_line(error)}")


def _first_line(error: Exception) -> str:
    """Take the causes out of what Java prints, without where in its code they were."""
    java = getattr(error, "java_exception", None)
    text = java.toString() if java is not None else str(error)
    causes = re.findall(r"^Caused by: (.*)$", str(error), re.MULTILINE)
    said = "; ".join(dict.fromkeys([text.strip().partition("\n")[0], *causes[-1:]]))
    return said[:2000]


def translate(
    bundle: str | os.PathLike[str],
    text: str | os.PathLike[str],
    output: str | os.PathLike[str],
    engine: Engine,
    *,
    src_dep: Any = None,
    src_con: Any = None,
    skip_bad: bool = False,
    progress: bool | Callable[[str], object] = False,
) -> int:
    """Translate each line of a large text with a bundle, and write the translations to `output`.

    `src_dep` and `src_con` are files of trees of its lines, which must have a tree for each. Gives how many lines could
    not be read, with `skip_bad`. What is done is kept in OUTPUT.work until the translations are complete.
    """
    files = (os.fspath(bundle), os.fspath(text), os.fspath(output))
    with Progress(progress, "translate") as tell:
        return translate_on(files, (paths(src_dep), paths(src_con)), skip_bad, tell, engine)


def instances(spark: Any, table: str, numbers: str | os.PathLike[str]) -> Any:
    """Give the counted rules of a stage's table ``counts`` as a data frame of text, a rule a row.

    `table` is where it is (:meth:`Engine.where`), `numbers` the stage's file of that name.
    """
    content = pathlib.Path(numbers).read_bytes()

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        with tempfile.NamedTemporaryFile() as file:
            file.write(content)
            file.flush()
            for batch in batches:
                for counts in batch.column("head").to_pylist():
                    lines = text_of(file.name, counts).splitlines()
                    yield pa.RecordBatch.from_arrays([pa.array(lines, pa.string())], ["rule"])

    for key, value in _SETTINGS.items():
        spark.conf.set(key, value)
    return spark.read.parquet(table).select("head").mapInArrow(run, "rule string")


def _interrupted(engine: Engine) -> None:
    """Have Ctrl-C end what Spark is at, then this process."""

    def stop(number: int, frame: object) -> None:
        engine.spark.sparkContext.cancelAllJobs()
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, stop)


def main() -> None:
    """Train as ``treeglot train --engine spark`` asks: what it is given is JSON on standard input."""
    parser = argparse.ArgumentParser(prog="python -m treeglot.spark", description=main.__doc__)
    parser.add_argument("--version", action="version", version=__version__)
    parser.parse_args()
    asked = json.load(sys.stdin)
    try:
        settings = {"spark_log_level": "ERROR"} | asked.get("settings", {})
        spark = session(asked["master"], **settings)
        with Engine(spark, folder=asked.get("folder")) as engine:
            _interrupted(engine)
            given = json.dumps(asked["given"]) if asked.get("given") else None
            train_bundle(
                (asked.get("recipe"), given),
                asked.get("system"),
                asked["output"],
                (asked["cache"], asked.get("data")),
                (asked.get("memory"), asked.get("threads"), asked.get("jobs")),
                None if asked.get("quiet") else _say,
                engine,
            )
    except Error as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
