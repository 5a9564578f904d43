"""Compare training on Spark's executors with training on one machine: the files that are made, and what it costs.

``python spark.py --data DIR --pairs 5000 [--models phrase,hiero] [--kill] [--parses SRC.conllu]`` trains the same
recipe both ways, each in a process of its own, and prints processor time, the share of Treeglot's own code in it, bytes
that were shuffled, and memory. With
``--kill`` an executor is killed in the midst of each step. DIR has train.de and train.en (Europarl, raw).
"""

from __future__ import annotations

import argparse
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

RECIPE = """
source = "de"
target = "en"
tune = {{ method = "none" }}
data.train = {{ source = "{source}", target = "{target}", {trees} limit = {pairs} }}
"""


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


class Watch(threading.Thread):
    """Adds up what all processes below this one use, looking at them several times a second."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.seconds: dict[int, float] = {}
        self.peak = 0
        self.ended = False

    def run(self) -> None:
        """Look until told to end."""
        while not self.ended:
            now = processes(os.getpid())
            self.seconds.update({process: seconds for process, (seconds, _) in now.items()})
            self.peak = max(self.peak, sum(resident for _, resident in now.values()))
            time.sleep(0.1)


def executors(session) -> list[int]:
    """Find the processes of the executors of a session."""
    found = []
    for process in processes(os.getpid()):
        try:
            words = pathlib.Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if any(word.endswith("CoarseGrainedExecutorBackend") for word in words):
            found.append(process)
    return found


def shuffled(session) -> int:
    """How many bytes executors have written for others."""
    store = session._jsc.sc().statusStore()
    return sum(one.totalShuffleWrite() for one in _list(store.executorList(False)))


def _list(sequence) -> list:
    return [sequence.apply(k) for k in range(sequence.size())]


def train(args: argparse.Namespace) -> None:
    """Do one of the two, as a process of its own."""
    import treeglot
    from treeglot import spark

    recipe, folder = pathlib.Path(args.recipe).read_text(), pathlib.Path(args.folder)
    watch, begin = Watch(), time.monotonic()
    if args.alone:
        treeglot.experiment(recipe, folder, threads=2)
        usage = resource.getrusage(resource.RUSAGE_SELF)
        told = {"cpu": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss << 10}
    else:
        settings = {"spark_ui_enabled": "false", "spark_deploy_maxExecutorRetries": "-1", "spark_log_level": "OFF"}
        watch.start()

        class Engine(spark.Engine):
            def run(self, stage, name, step):
                if args.kill:
                    threading.Timer(1.0, self.kill).start()
                super().run(stage, name, step)

            def kill(self):
                for process in executors(self.spark)[:1]:
                    os.kill(process, signal.SIGKILL)

        with Engine(spark.session(args.master, **settings), lines=args.lines) as engine:
            started = sum(seconds for seconds, _ in processes(os.getpid()).values())
            treeglot.experiment(recipe, folder, engine=engine)
            sent = shuffled(engine.spark)
            watch.ended = True
            watch.join()
            told = {"cpu": sum(watch.seconds.values()), "start": started, "executors": engine.seconds, "shuffled": sent}
            usage = resource.getrusage(resource.RUSAGE_SELF)
            told |= {"driver": usage.ru_utime + usage.ru_stime, "peak": watch.peak}
    print(json.dumps(told | {"seconds": time.monotonic() - begin}))


def outputs(folder: pathlib.Path) -> dict[str, bytes]:
    """Read the files of all stages."""
    files = (path for path in (folder / "cache").glob("*/*") if path.is_file() and path.name != "stage.json")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def main() -> None:
    """Do both, and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=pathlib.Path, default=pathlib.Path(os.environ.get("TREEGLOT_DATA", ".")) / "europarl/de-en"
    )
    parser.add_argument("--pairs", type=int, default=5000)
    parser.add_argument("--models", default="phrase,hiero")
    parser.add_argument("--parses", help="dependency trees of the source side, for models that read them")
    parser.add_argument("--master", default="local-cluster[2,1,1024]")
    parser.add_argument("--lines", type=int, default=2500)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--recipe", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.folder:
        train(args)
        return
    with tempfile.TemporaryDirectory(prefix="treeglot-bench-") as made:
        here = pathlib.Path(made)
        trees = f'source-dep = "{args.parses}",' if args.parses else ""
        systems = "".join(f'[[system]]\nmodel = "{model}"\n' for model in args.models.split(","))
        recipe = here / "recipe.toml"
        source, target = (next(args.data.glob(f"train.{language}*")) for language in ("de", "en"))
        recipe.write_text(RECIPE.format(source=source, target=target, trees=trees, pairs=args.pairs) + systems)
        told = {}
        for name, how in {"alone": ["--alone"], "spark": ["--kill"] if args.kill else []}.items():
            command = [sys.executable, __file__, "--recipe", recipe, "--folder", here / name, "--master", args.master]
            command += ["--lines", args.lines, *how]
            ran = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, check=True)
            told[name] = json.loads(ran.stdout.splitlines()[-1])
        one, other = outputs(here / "alone"), outputs(here / "spark")
        different = sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
        alone, spark = told["alone"], told["spark"]
        print(
            f"{args.pairs} pairs, {args.models}: {len(one)} files, {len(different)} of them different {different[:5]}"
        )
        print(f"alone: {alone['cpu']:.1f} s CPU, {alone['seconds']:.1f} s, {alone['peak'] / 2**20:.0f} MB")
        ours = spark["executors"] + spark["driver"]
        print(
            f"spark: {spark['cpu']:.1f} s CPU ({spark['start']:.1f} s of it to start; {ours:.1f} s in "
            f"Treeglot, of which executors {spark['executors']:.1f} s), "
            f"{spark['seconds']:.1f} s, all processes {spark['peak'] / 2**20:.0f} MB, "
            f"{spark['shuffled'] / 2**20:.1f} MB shuffled"
        )
        working = spark["cpu"] - spark["start"]
        ratios = [seconds / alone["cpu"] for seconds in (spark["cpu"], working)]
        print(f"CPU of Spark to alone: {ratios[0]:.2f}, without starting {ratios[1]:.2f}")
        sys.exit(bool(different))


if __name__ == "__main__":
    main()
