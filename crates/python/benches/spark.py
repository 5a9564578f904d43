"""Compare training on Spark's executors with training on one machine: the files that are made, and what it costs.

``python spark.py --data DIR --pairs 25000,50000 [--models phrase,hiero] [--kill] [--parser DE.parser]`` trains the
same recipe both ways at each size, each in a process of its own, and prints processor time and where it goes, the share
of Treeglot's own code in it, bytes that were shuffled, and memory, at the end as a table. What it takes to start Java
and Python on all executors is counted apart. With ``--kill`` an executor is killed while it works on each step. DIR has
train.de and train.en (Europarl, raw). If more pairs are wanted than these have, they come again and again, up to 16
times, and in copy k all words whose checksum is k modulo 16 get another ending, on both sides: pairs and rules differ,
sentences stay as long as they were.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import itertools
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections import Counter
from collections.abc import Iterator

RECIPE = """
source = "de"
target = "en"
tune = {{ method = "none" }}
data.train = {{ source = "{source}", target = "{target}" }}
"""

KINDS = {
    "org.apache.spark.deploy.SparkSubmit": "Java that drives",
    "org.apache.spark.executor.CoarseGrainedExecutorBackend": "Java of executors",
    "pyspark.daemon": "Python of executors",
}


def words_of(process: int) -> list[str]:
    """Give the words of the command of a process; none if it has ended."""
    try:
        return pathlib.Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


def processes(root: int) -> dict[int, tuple[float, int]]:
    """Processor seconds and resident bytes of a process and all below it."""
    tick, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    parents, told = {}, {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        parents[int(folder.name)] = int(fields[1])
        told[int(folder.name)] = ((int(fields[11]) + int(fields[12])) / tick, int(fields[21]) * page)
    inside = {root}
    while more := {child for child, parent in parents.items() if parent in inside} - inside:
        inside |= more
    return {process: told[process] for process in inside if process in told}


COPIES = 16
"""How often a text may come again."""


class Watch(threading.Thread):
    """Adds up what all processes below this one use, looking at them from time to time."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.seconds: dict[int, float] = {}
        self.kinds: dict[int, str] = {}
        self.peaks: Counter[str] = Counter()
        self.own = 0.0
        self.ended = False

    def look(self) -> Counter[str]:
        """Give the processor seconds of each kind of process until now, without what this took."""
        now = processes(os.getpid())
        for process, (seconds, _) in now.items():
            self.seconds[process] = seconds
            if self.kinds.get(process, "other") == "other":  # A shell that starts Java becomes Java.
                words = words_of(process)
                kind = next((kind for word, kind in KINDS.items() if word in words), "other")
                self.kinds[process] = "Python that drives" if process == os.getpid() else kind
        resident: Counter[str] = Counter({"all": sum(one for _, one in now.values())})
        for process, (_, one) in now.items():
            resident[self.kinds[process]] += one
        self.peaks |= resident
        sums: Counter[str] = Counter()
        for process, seconds in self.seconds.items():
            sums[self.kinds[process]] += seconds
        sums["Python that drives"] -= self.own
        return sums

    def run(self) -> None:
        """Look until told to end."""
        while not self.ended:
            self.look()
            self.own = time.thread_time()
            time.sleep(0.5)


class Disk(threading.Thread):
    """Notes how much lies at most in a folder and in files without a name that this process has open."""

    def __init__(self, folder: str) -> None:
        super().__init__(daemon=True)
        self.folder = folder
        self.peak = 0

    def run(self) -> None:
        """Look from time to time."""
        while True:
            named = (path for path in pathlib.Path(self.folder).rglob("*"))
            self.peak = max(self.peak, sum(map(size_of, named)) + sum(map(unnamed, os.listdir("/proc/self/fd"))))
            time.sleep(1)


def size_of(path: pathlib.Path) -> int:
    """Give the bytes that a file takes; none if it is gone."""
    try:
        return path.stat().st_blocks * 512 if path.is_file() else 0
    except OSError:
        return 0


def unnamed(descriptor: str) -> int:
    """Give the bytes of an open file that has no name."""
    try:
        told = os.fstat(int(descriptor))
    except OSError:
        return 0
    return told.st_blocks * 512 if told.st_nlink == 0 else 0


class Killer(threading.Thread):
    """Kills an executor as soon as it works on a step, once."""

    def __init__(self, session) -> None:
        super().__init__(daemon=True)
        self.session = session
        self.ended = False
        self.killed = False

    def run(self) -> None:
        """Wait for an executor that is at work."""
        while not (self.ended or self.killed):
            store = self.session._jsc.sc().statusStore()
            busy = {one.id() for one in _list(store.executorList(True)) if one.activeTasks() > 0}
            for process in processes(os.getpid()):
                words = words_of(process)
                if "--executor-id" in words and words[words.index("--executor-id") + 1] in busy:
                    os.kill(process, signal.SIGKILL)
                    self.killed = True
                    break
            time.sleep(0.05)


def shuffled(session) -> int:
    """How many bytes executors have written for others."""
    store = session._jsc.sc().statusStore()
    return sum(one.totalShuffleWrite() for one in _list(store.executorList(False)))


def _list(sequence) -> list:
    return [sequence.apply(k) for k in range(sequence.size())]


def warm(session) -> None:
    """Have each core of the executors start all that it needs."""
    cores = session.sparkContext.defaultParallelism

    def idle(batches):
        import treeglot.spark  # noqa: F401

        time.sleep(1)
        yield from batches

    session.range(0, cores, 1, cores).mapInArrow(idle, "id long").collect()


def on_spark(args: argparse.Namespace) -> dict:
    """Train on executors; what it cost."""
    import treeglot
    from treeglot import spark

    settings = {
        "spark_ui_enabled": "false",
        "spark_deploy_maxExecutorRetries": "-1",
        "spark_log_level": "OFF",
        "spark_scheduler_minRegisteredResourcesRatio": "1.0",
    }
    killed = []

    class Engine(spark.Engine):
        """Adds up, by kind of stage, what the driving process does from one call of it to the next."""

        def __init__(self, *given, **settings):
            super().__init__(*given, **settings)
            self.driven: Counter[str] = Counter()
            self.since = (time.process_time(), "begin")

        def look(self, stage):
            now = time.process_time()
            self.driven[self.since[1]] += now - self.since[0]
            self.since = (now, pathlib.Path(stage).name.rsplit("-", 1)[0])

        def put(self, stage, name, rows):
            self.look(stage)
            super().put(stage, name, rows)

        def rows(self, stage, name, column):
            self.look(stage)
            return super().rows(stage, name, column)

        def remove(self, stage):
            self.look(stage)
            super().remove(stage)
            self.look("between stages-")

        def run(self, stage, name, step):
            self.look(stage)
            killer = Killer(self.spark)
            if args.kill:
                killer.start()
            super().run(stage, name, step)
            killer.ended = True
            killed.append(killer.killed)

    watch = Watch()
    watch.start()
    with Engine(spark.session(args.master, **settings), lines=args.lines) as engine:
        warm(engine.spark)
        before = watch.look()
        engine.look("between stages-")
        treeglot.experiment(pathlib.Path(args.recipe).read_text(), args.folder, engine=engine)
        engine.look("end-")
        sent, after = shuffled(engine.spark), watch.look()
        told = {"start": before.total(), "cpu": after.total(), "kinds": after - before, "executors": engine.seconds}
        return told | {
            "shuffled": sent,
            "steps": len(killed),
            "killed": sum(killed),
            "peaks": watch.peaks,
            "driven": engine.driven,
        }


def alone(args: argparse.Namespace) -> dict:
    """Train on one machine; what it cost."""
    import treeglot

    disk = Disk(args.folder)
    disk.start()
    treeglot.experiment(pathlib.Path(args.recipe).read_text(), args.folder, threads=2, memory=args.memory)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {"cpu": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss << 10, "disk": disk.peak}


def outputs(folder: pathlib.Path) -> dict[str, str]:
    """Give the sums of the files of all stages."""
    files = (path for path in (folder / "cache").glob("*/*") if path.is_file() and path.name != "stage.json")
    sums = {}
    for path in files:
        with path.open("rb") as content:
            sums[str(path.relative_to(folder))] = hashlib.file_digest(content, "blake2b").hexdigest()
    return sums


def write_lines(data: pathlib.Path, pairs: int, to: pathlib.Path) -> None:
    """Write the first lines of the text of this name, and copies of them with other words if there are too few."""
    text = next(data.glob(f"{to.name}*"))
    left = pairs
    with to.open("wb") as out:
        for copy in range(COPIES):
            with gzip.open(text) if text.suffix == ".gz" else text.open("rb") as lines:
                some = list(itertools.islice(lines, left))
            out.writelines(some if copy == 0 else changed(some, copy))
            left -= len(some)
            if not left:
                return
    sys.exit(f"{text} is too short for {pairs} pairs")


def changed(lines: list[bytes], copy: int) -> Iterator[bytes]:
    """Give lines in which some words, by their checksums, have another ending."""
    known: dict[bytes, bytes] = {}

    def word(one: bytes) -> bytes:
        new = known.get(one)
        if new is None:
            alpha = one.decode(errors="replace").isalpha()
            new = known[one] = one + b"%c" % (97 + copy) if alpha and zlib.crc32(one) % COPIES == copy else one
        return new

    for line in lines:
        yield b" ".join(map(word, line.split())) + b"\n"


def tell_alone(told: dict) -> str:
    """Say what one machine took."""
    peaks = f"{told['peak'] / 2**20:.0f} MB of memory, {told['disk'] / 2**20:.0f} MB of disk"
    return f"alone: {told['cpu']:.1f} s CPU, {told['seconds']:.1f} s, {peaks}"


def tell_spark(told: dict) -> str:
    """Say what it took on executors."""
    kinds = ", ".join(f"{kind} {seconds:.1f}" for kind, seconds in sorted(told["kinds"].items()))
    peaks = ", ".join(f"{kind} {size / 2**20:.0f} MB" for kind, size in sorted(told["peaks"].items()))
    driven = ", ".join(f"{kind} {seconds:.1f}" for kind, seconds in Counter(told["driven"]).most_common(9))
    ours = told["executors"] + told["kinds"]["Python that drives"]
    return (
        f"spark: {told['cpu'] - told['start']:.1f} s CPU ({kinds}) and {told['start']:.1f} to start; {ours:.1f} in "
        f"Treeglot, of which executors {told['executors']:.1f}; {told['seconds']:.1f} s, {peaks}, "
        f"{told['shuffled'] / 2**20:.1f} MB shuffled, {told['steps']} steps, executors killed in {told['killed']}; "
        f"the driving process by stage: {driven}"
    )


def half(args: argparse.Namespace, name: str, pairs: int, here: pathlib.Path) -> dict | None:
    """Train one way in a folder, unless that was done there; what it cost, or nothing if it is not wanted now."""
    kept = here / f"{name}.json"
    if kept.exists():
        return json.loads(kept.read_text())
    if name not in args.halves.split(","):
        return None
    systems = "".join(f'[[system]]\nmodel = "{model}"\n' for model in args.models.split(","))
    recipe, texts = here / "recipe.toml", [here / f"train.{language}" for language in ("de", "en")]
    for text in texts:
        if not text.exists():
            write_lines(args.data, pairs, text)
    parser = f'parse.source-dep.model = "{args.parser}"\n' if args.parser else ""
    recipe.write_text(RECIPE.format(source=texts[0], target=texts[1]) + parser + systems)
    command = [sys.executable, __file__, "--recipe", recipe, "--folder", here / name, "--master", args.master]
    command += ["--lines", args.lines, "--do", name, *(["--kill"] if args.kill else [])]
    command += ["--memory", args.memory] if args.memory else []
    ran = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, check=True)
    told = json.loads(ran.stdout.splitlines()[-1])
    kept.write_text(json.dumps(told))
    print(f"{pairs} pairs, {args.models}, {TELL[name](told)}", flush=True)
    return told


def compare(args: argparse.Namespace, pairs: int) -> tuple[str, bool]:
    """Train both ways; a row of the table, and whether the files are the same."""
    with tempfile.TemporaryDirectory(prefix="treeglot-bench-") as made:
        here = args.work / f"{pairs}-{args.models}" if args.work else pathlib.Path(made)
        here.mkdir(parents=True, exist_ok=True)
        single, spark = (half(args, name, pairs, here) for name in ("alone", "spark"))
        if not single or not spark:
            return "", True
        one, other = outputs(here / "alone"), outputs(here / "spark")
    different = sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
    print(f"  {len(one)} files, {len(different)} of them different {different[:5]}", flush=True)
    working = spark["cpu"] - spark["start"]
    ours = spark["executors"] + spark["kinds"]["Python that drives"]
    cells = [f"{pairs:,}", args.models, f"{single['cpu']:.0f}", f"{working:.0f} + {spark['start']:.0f}"]
    cells += [f"{working / single['cpu']:.2f}", f"{ours / working:.0%}", f"{spark['shuffled'] / 2**20:.0f}"]
    cells += [f"{single['peak'] / 2**20:.0f}", f"{spark['peaks']['all'] / 2**20:.0f}", "yes" if not different else "NO"]
    return f"| {' | '.join(cells)} |", not different


TELL = {"alone": tell_alone, "spark": tell_spark}
TITLES = [
    "pairs",
    "models",
    "CPU s alone",
    "on Spark + start",
    "ratio",
    "ours",
    "MB shuffled",
    "MB alone",
    "MB, all",
    "same",
]


def main() -> None:
    """Do both at each size, and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=pathlib.Path, default=pathlib.Path(os.environ.get("TREEGLOT_DATA", ".")) / "europarl/de-en"
    )
    parser.add_argument("--pairs", default="5000", help="how many, or several numbers with commas")
    parser.add_argument("--models", default="phrase,hiero")
    parser.add_argument("--parser", help="a parser of German by `treeglot parse train`, for models that read trees")
    parser.add_argument("--master", default="local-cluster[2,1,1024]")
    parser.add_argument("--lines", type=int, default=2500, help="lines of a shard")
    parser.add_argument("--memory", help="how much one machine may use, as in 4G")
    parser.add_argument("--kill", action="store_true", help="kill an executor in each step")
    parser.add_argument("--work", type=pathlib.Path, help="keep what is made here, and do what was done here no more")
    parser.add_argument("--halves", default="alone,spark", help="what to do now of both, with --work")
    parser.add_argument("--do", choices=["alone", "spark"], help=argparse.SUPPRESS)
    parser.add_argument("--recipe", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.do:
        begin = time.monotonic()
        told = alone(args) if args.do == "alone" else on_spark(args)
        print(json.dumps(told | {"seconds": time.monotonic() - begin}))
        return
    done = [compare(args, int(pairs)) for pairs in args.pairs.split(",")]
    print("", f"| {' | '.join(TITLES)} |", f"|{'---|' * len(TITLES)}", *[row for row, _ in done if row], sep="\n")
    sys.exit(not all(same for _, same in done))


if __name__ == "__main__":
    main()
