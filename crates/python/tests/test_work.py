"""Training, parsing, rules, experiments; and how work gives way to the interpreter and to Ctrl-C."""

from __future__ import annotations

import _thread
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
import treeglot


def test_training_from_two_files_holds_pairs_out_and_tunes(sample, tmp_path):
    said: list[str] = []
    translator = treeglot.train(
        sample / "dev.de", sample / "dev.en", tmp_path / "b", tokenized=True, quick=True, progress=said.append
    )
    assert str(translator.translate("das Haus")).lower() == "the house"
    assert any("held out" in line for line in said) and any("hiero" in line for line in said)
    assert any("align" in line for line in said), said
    assert not (tmp_path / "b.work").exists()
    with pytest.raises(treeglot.Error, match="there is a bundle already"):
        treeglot.train(sample / "dev.de", sample / "dev.en", tmp_path / "b")


def test_training_with_trees_of_two_parsers(sample, tmp_path):
    said: list[str] = []
    trees = [sample / "dev.de.conllu", sample / "dev.de.conllu"]
    translator = treeglot.train(
        sample / "dev.de", sample / "dev.en", tmp_path / "b", src_dep=trees, tokenized=True, progress=said.append
    )
    assert any("dep2str" in line for line in said)
    assert translator.missing_trees == ["dependency"]


def test_wrong_training_settings_are_refused_before_any_work(sample, tmp_path):
    with pytest.raises(TypeError, match="unknown setting"):
        treeglot.train(sample / "dev.de", sample / "dev.en", tmp_path / "b", modell="phrase")
    with pytest.raises(treeglot.Error, match="no model"):
        treeglot.train(sample / "dev.de", sample / "dev.en", tmp_path / "b", model="nonsense", tune="none")
    with pytest.raises(FileNotFoundError):
        treeglot.train(tmp_path / "a.de", sample / "dev.en", tmp_path / "b")
    with pytest.raises(TypeError, match="recipe"):
        treeglot.train(output=tmp_path / "b")
    with pytest.raises(TypeError, match="its own settings"):
        treeglot.train(recipe="a.toml", output=tmp_path / "b", model="phrase")


def test_an_experiment_compares_systems_and_writes_a_report(sample, tmp_path):
    recipe = tmp_path / "two.toml"
    recipe.write_text(f"""
source = "de"
target = "en"
preprocess = {{ tokenize = false, truecase = false }}
align = {{ model = "hmm" }}
tune = {{ method = "none" }}
eval = {{ metrics = ["bleu", "chrf"], paired = "none" }}
[data]
train = {{ source = "{sample}/train.de", target = "{sample}/train.en", limit = 800 }}
test = [{{ name = "test", source = "{sample}/test.de", target = "{sample}/test.en", limit = 50 }}]
[[system]]
model = "phrase"
[[system]]
model = "hiero"
""")
    results = treeglot.experiment(recipe, tmp_path / "out")
    systems = results.directions["de-en"]
    assert [system.name for system in systems] == ["phrase", "hiero"]
    assert all(20 < system.tests["test"]["bleu"]["score"] <= 100 for system in systems)
    assert pathlib.Path(results.report).exists()
    assert "<table>" in results._repr_html_() and "hiero" in str(results)


def test_rules_are_extracted_from_lists_and_files(sample, tmp_path):
    rules = {str(rule) for rule in treeglot.extract("hiero", ["das Haus"], ["the house"], ["0-0 1-1"])}
    assert "das Haus → the house" in " ".join(rules) or any("Haus" in rule for rule in rules)
    files = [sample / f"dev.{ending}" for ending in ("de", "en", "links")]
    from_files = treeglot.extract("dep2str", *files, src_dep=sample / "dev.de.conllu", output=tmp_path / "rules")
    first = next(from_files)
    assert first.source and first.count > 0 and (tmp_path / "rules").exists()
    with pytest.raises(treeglot.Error, match="no model"):
        treeglot.extract("nonsense", *files)
    with pytest.raises(treeglot.Error, match="max-lenght"):
        treeglot.extract("phrase", *files, max_lenght=3)
    assert {"phrase", "hiero", "dep2str"} <= treeglot.models().keys()


def test_a_parser_is_trained_and_parses(sample, tmp_path):
    bank = tmp_path / "bank.conllu"
    treeglot.trees.write(list(treeglot.trees.read(sample / "train.en.conllu"))[:200], bank)
    settings = {"method": "transition", "language": "en", "rounds": 2}
    parser = treeglot.Parser.train(bank, tmp_path / "en.parser", **settings)
    tree = parser.parse("the woman sees the dog .", pretokenized=True)
    assert tree.words == ["the", "woman", "sees", "the", "dog", "."] and list(memoryview(tree.heads)).count(0) == 1
    raw = parser.parse("The woman sees the dog.")
    assert raw.words[-1] == "."
    lines = (sample / "test.en").read_text().splitlines()[:600]
    parsed = list(parser.parse(iter(lines), pretokenized=True))
    assert [" ".join(tree.words) for tree in parsed] == lines
    assert parsed[3] == parser.parse(lines[3], pretokenized=True)
    several = parser.kbest(lines[0], 3, pretokenized=True)
    assert 1 <= len(several) <= 3 and several[0].tree.words == parsed[0].words
    assert treeglot.parse(lines[0], parser, pretokenized=True) == parsed[0]
    with pytest.raises(treeglot.Error):
        treeglot.Parser(bank)


def test_texts_are_cut_one_by_one_in_lists_and_in_iterators():
    lines = ["Wer ist das?", "Das bin ich."] * 5000
    cut = treeglot.tokenize(lines, "de")
    assert cut[:2] == ["Wer ist das ?", "Das bin ich ."] and len(cut) == len(lines)
    streamed = treeglot.tokenize(iter(lines), "de")
    assert next(streamed) == "Wer ist das ?" and list(streamed)[-1] == "Das bin ich ."
    assert treeglot.detokenize(cut, "de") == lines
    assert treeglot.tokenize("我喜欢苹果", "zh").count(" ") >= 1
    assert "de" in treeglot.languages()
    with pytest.raises(treeglot.Error):
        treeglot.tokenize("a", "nonsense")


def test_the_lock_is_released_while_work_is_done(pairs):
    """Another thread of Python goes on counting while words are aligned."""
    stop, ticks = threading.Event(), 0

    def count() -> None:
        nonlocal ticks
        while not stop.is_set():
            ticks += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    before, start = ticks, time.monotonic()
    treeglot.align(*(side * 10 for side in pairs))
    took, counted = time.monotonic() - start, ticks - before
    stop.set()
    counter.join()
    assert counted > 0.1 * took / 0.001 * 0.5, (counted, took)


JOBS = {
    "align": "treeglot.align(big_de, big_en)",
    "lm": "treeglot.LanguageModel.build(itertools.chain.from_iterable(itertools.repeat(en)), order=5)",
    "metrics": "treeglot.metrics.TER().corpus_score(en * 300, [en[1:] * 300 + ['x'] * 300])",
    "translate": "translator.translate(itertools.cycle(de))",
    "train": "treeglot.train(folder / 'train.de', folder / 'train.en', folder / 'new', tokenized=True)",
    "parse": "treeglot.Parser.train(folder / 'train.en.conllu', folder / 'p', method='graph', language='en')",
    "extract": "list(treeglot.extract('hiero', de * 100, en * 100, links * 100))",
}


@pytest.mark.parametrize("job", JOBS)
def test_ctrl_c_stops_work_at_once_and_leaves_nothing_broken(job, sample, bundle):
    script = f"""
        import itertools, os, pathlib, signal, sys, threading, time
        import treeglot
        # What is started in the background by a shell ignores the signal, and its children do.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        folder = pathlib.Path({str(sample)!r})
        de, en, links = ((folder / f"train.{{e}}").read_text().splitlines() for e in ("de", "en", "links"))
        big_de, big_en = de * 60, en * 60
        translator = treeglot.Translator({str(bundle)!r})
        def interrupt():
            global asked
            time.sleep(1.0)
            asked = time.monotonic()
            os.kill(os.getpid(), 2)
        threading.Thread(target=interrupt, daemon=True).start()
        try:
            {JOBS[job]}
        except KeyboardInterrupt:
            print("stopped after", time.monotonic() - asked)
        else:
            print("too fast to be stopped")
        # Nothing is broken: the same process goes on working.
        assert str(translator.translate("das Haus")) == "the house"
        assert len(treeglot.align(de[:50], en[:50])) == 50
        print("fine", threading.active_count())
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0 and "fine" in done.stdout, done
    assert done.stderr == "", done.stderr
    stopped = [line for line in done.stdout.splitlines() if line.startswith("stopped")]
    assert stopped, done.stdout
    assert float(stopped[0].split()[-1]) < 3.0, stopped
    left = [file.name for file in sample.iterdir() if file.name.startswith(".treeglot-")]
    assert left == [] and not (sample / "new").exists() and not (sample / "p").exists()


def test_training_goes_on_after_an_interruption(sample, tmp_path):
    settings = {"tokenized": True, "tune": "none", "model": "hiero"}
    arguments = (sample / "train.de", sample / "train.en", tmp_path / "b")

    def interrupt(said: str) -> None:
        if said.split()[0] == "align" or " align " in said:
            _thread.interrupt_main()

    with pytest.raises(KeyboardInterrupt):
        treeglot.train(*arguments, **settings, progress=interrupt)
    assert not (tmp_path / "b").exists()
    said: list[str] = []
    translator = treeglot.train(*arguments, **settings, progress=said.append)
    assert any("align" in line and "kept" in line for line in said), said
    assert str(translator.translate("das Haus")).lower() == "the house"


def test_a_signal_handler_that_raises_something_else_is_heard(pairs):
    class Alarm(Exception):
        pass

    def ring(*_: object) -> None:
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(Alarm):
            treeglot.align(*(side * 100 for side in pairs))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_memory_does_not_grow_with_the_length_of_a_stream(bundle):
    script = f"""
        import itertools, resource, treeglot
        translator = treeglot.Translator({str(bundle)!r})
        peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for translation in itertools.islice(translator.stream(itertools.repeat("das Haus ist klein .")), 2000):
            pass
        before = peak()
        for translation in itertools.islice(translator.stream(itertools.repeat("das Haus ist klein .")), 8000):
            pass
        print((peak() - before) / 1024)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 20, f"{done.stdout} MB more"


def test_the_package_is_typed_and_small(tmp_path):
    folder = pathlib.Path(treeglot.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_treeglot.pyi").exists()
    assert os.path.isdir(folder)
