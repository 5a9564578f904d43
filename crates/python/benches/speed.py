"""How fast the package is, beside the command line and beside KenLM's module.

``python speed.py --binary treeglot --data FOLDER``: FOLDER has train.de, train.en, test.de of tokenised text. Each job
runs `--times` times on each side in turn, in processes of their own; printed is the least CPU time of all runs, so that
other work on the machine matters little.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ALIGN = "import treeglot; treeglot.align({de!r}, {en!r}, output={out!r}, threads=1)"
QUERY = "import treeglot; lm = treeglot.LanguageModel({lm!r}); print(lm.scores({text!r}, threads=1).sum())"
TRANSLATE = """
import treeglot
with open({out!r}, "w") as out:
    for translation in treeglot.Translator({bundle!r}, threads=1).stream({text!r}):
        print(translation, file=out)
"""
TRAIN = """
import treeglot
treeglot.train({de!r}, {en!r}, {bundle!r}, model="phrase", tokenized=True, tune="none")
"""
LINES = """
import time, {module} as kenlm
model = kenlm.Model({lm!r})
lines = open({text!r}, encoding="utf-8").read().split("\\n")[:-1]
best = 1e9
for _ in range(7):
    start = time.process_time()
    total = 0.0
    for line in lines:
        total += model.score(line)
    best = min(best, time.process_time() - start)
print(best, total, sum(len(line.split()) + 1 for line in lines))
"""


def cpu(command: list[str]) -> tuple[float, float]:
    """Run a command: CPU and wall time."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - start


def both(name: str, ours: str, command: list[str], times: int) -> None:
    """Print the times of a job in Python and on the command line."""
    python = [sys.executable, "-c", ours]
    runs = [(cpu(command), cpu(python)) for _ in range(times)]
    shell, own = min(one[0] for one, _ in runs), min(two[0] for _, two in runs)
    start = min(cpu([sys.executable, "-c", "import treeglot, numpy"])[0] for _ in range(times))
    print(f"{name:24} command {shell:7.3f} s, Python {own:7.3f} s, of which {start:.3f} s to start: {own / shell:.3f}")


def main() -> None:
    """Run all jobs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", default="treeglot")
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--times", type=int, default=5)
    given = parser.parse_args()
    binary, times = os.path.abspath(given.binary) if os.sep in given.binary else given.binary, given.times
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        de, en, test = (str(given.data / name) for name in ("train.de", "train.en", "test.de"))
        out, lm, arpa, bundle = (str(here / name) for name in ("out", "en.lm", "en.arpa", "bundle"))
        align = [binary, "align", de, en, "--threads", "1", "-o", out]
        both("align 29,000 pairs", ALIGN.format(de=de, en=en, out=out + "2"), align, times)
        assert pathlib.Path(out).read_text() == pathlib.Path(out + "2").read_text()
        subprocess.run([binary, "lm", "build", "--order", "5", "--binary", lm, en, "-o", arpa], check=True)
        text = here / "text"
        text.write_text(pathlib.Path(en).read_text(encoding="utf-8") * 3, encoding="utf-8")
        query = [binary, "lm", "query", "--threads", "1", lm, str(text), "-o", out]
        both("LM query of a file", QUERY.format(lm=lm, text=str(text)), query, times)
        for module, model in (("kenlm", arpa), ("treeglot.kenlm", lm)) * 2:
            script = LINES.format(module=module, lm=model, text=str(text))
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
            seconds, total, words = done.stdout.split()[-3:]
            print(f"{module:24} score(line) of {words} words: {float(seconds):.3f} s, sum {float(total):.1f}")
        subprocess.run([sys.executable, "-c", TRAIN.format(de=de, en=en, bundle=bundle)], check=True)
        translate = [binary, "translate", "-q", "-m", bundle, "--threads", "1", test, "-o", out]
        ours = TRANSLATE.format(bundle=bundle, text=test, out=out + "2")
        both("translate 1,000 lines", ours, translate, times)
        assert pathlib.Path(out).read_text() == pathlib.Path(out + "2").read_text()


if __name__ == "__main__":
    main()
