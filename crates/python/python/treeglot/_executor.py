"""What Spark's executors run: rows of Arrow batches, each a shard of thousands of sentences, through tasks in Rust."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa

from ._treeglot import ShardTask

SCHEMA = pa.schema(
    [
        ("part", pa.int64()),
        ("number", pa.int64()),
        ("notes", pa.string()),
        ("head", pa.binary()),
        ("cells", pa.list_(pa.binary())),
    ]
)

_BATCH = 16 << 20
"""About how many bytes a batch has."""

# Spark's workers look for garbage after each task; the modules that are loaded need not be looked through every time.
gc.freeze()


def work(op: str, files: list[str], spent: Any) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Give the function for ``mapInArrow`` that does the work of an op; `spent` gets the processor time in Rust."""

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        from pyspark import SparkFiles

        # Each executor's core has a task of its own.
        os.environ.setdefault("RAYON_NUM_THREADS", "1")
        begin = time.process_time()
        task = ShardTask(op, [SparkFiles.get(name) for name in files])
        rust = time.process_time() - begin
        for batch in batches:
            for at in range(batch.num_rows):
                given = rows_of(batch.slice(at, 1))
                begin = time.process_time()
                made = task.rows(given)
                rust += time.process_time() - begin
                yield from batches_of(made)
        begin = time.process_time()
        made = task.finish()
        spent.add(rust + time.process_time() - begin)
        yield from batches_of(made)

    return run


def rows_of(batch: Any) -> list[Any]:
    """Give the rows of a batch; a column that it lacks is none."""
    names = batch.schema.names
    columns = [batch.column(name).to_pylist() if name in names else [None] * batch.num_rows for name in SCHEMA.names]
    return list(zip(*columns, strict=True))


def batches_of(rows: list[Any]) -> Iterator[Any]:
    """Give rows as batches."""
    start, size = 0, 0
    for at, (_, _, notes, head, cells) in enumerate(rows):
        size += len(notes or "") + len(head or b"") + sum(map(len, cells or []))
        if size >= _BATCH or at + 1 == len(rows):
            columns = zip(*rows[start : at + 1], strict=True)
            arrays = [pa.array(column, kind) for column, kind in zip(columns, SCHEMA.types, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)
            start, size = at + 1, 0
