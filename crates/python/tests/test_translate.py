from __future__ import annotations

import multiprocessing
import pickle
import threading

import pytest
import treeglot


@pytest.fixture(scope="module")
def translator(bundle):
    return treeglot.Translator(bundle)


@pytest.fixture(scope="module")
def lines(sample):
    return (sample / "test.de").read_text().splitlines()[:120]


def test_a_text_is_translated(translator):
    translation = translator.translate("das Haus")
    assert translation == "the house" and str(translation) == translation.text
    assert hash(translation) == hash("the house")
    assert repr(translation) == "<treeglot.Translation: the house>"
    assert translator.languages == ("de", "en")


def test_lists_files_and_iterators_give_the_translations_of_their_lines(translator, bundle, lines, tmp_path):
    one_by_one = [translator.translate(line, split=False).text for line in lines]
    assert [str(one) for one in translator.translate(lines)] == one_by_one
    (tmp_path / "lines").write_text("".join(f"{line}\n" for line in lines))
    assert [str(one) for one in translator.translate(tmp_path / "lines")] == one_by_one
    assert [str(one) for one in translator.stream(line for line in lines)] == one_by_one
    assert translator.translate([]) == []
    alone = treeglot.Translator(bundle, threads=1)
    assert [str(one) for one in alone.translate(lines[:5])] == one_by_one[:5]


def test_a_stream_takes_lines_only_as_they_are_needed(translator, lines):
    taken = 0

    def endless():
        nonlocal taken
        while True:
            taken += 1
            yield lines[taken % len(lines)]

    stream = translator.stream(endless())
    first = [next(stream).text for _ in range(5)]
    assert len(first) == 5 and 5 <= taken < 1000
    del stream


def test_an_error_comes_after_the_translations_of_the_lines_before_it(translator, lines):
    stream = translator.stream([*lines[:40], "a\nb", "das Haus"])
    translated = []
    with pytest.raises(ValueError, match="line 41"):
        translated.extend(map(str, stream))
    for _ in range(2):
        with pytest.raises(StopIteration):
            next(stream)


def test_lists_of_translations_are_ranked_and_have_features(translator):
    translation = translator.translate("das Haus ist klein .", nbest=5, distinct=True)
    scores = [one.score for one in translation.nbest]
    assert len(scores) > 1 and scores == sorted(scores, reverse=True)
    assert len({one.text for one in translation.nbest}) == len(scores)
    best = translation.nbest[0]
    weights = translator.weights()
    flat = lambda values: [x for value in values.values() for x in (value if isinstance(value, list) else [value])]  # noqa: E731
    total = sum(value * weight for value, weight in zip(flat(best.features), flat(weights), strict=True))
    assert total == pytest.approx(best.score, abs=1e-3)
    assert translation.derivation is None and translation.links is None


def test_explained_translations_have_derivations_links_and_pictures(translator):
    translation = translator.translate("das Haus ist klein .", explain=True, nbest=3)
    why = translation.derivation
    assert why is not None and why.source == ["das", "Haus", "ist", "klein", "."]
    assert len(why) == len(why.rules) > 0 and "→" in str(why)
    assert ("Haus", "house") in translation.links.words()
    page = translation._repr_html_()
    assert page.count("<svg") >= 2 and "<table>" in page
    assert why._repr_svg_().count("<text") == len(why)


def test_paragraphs_are_split_unless_they_are_not(translator):
    text = "Das Haus ist klein . Die Frau schläft ."
    assert len(translator.translate(text).sentences) == 2
    assert len(translator.translate(text, split=False).sentences) == 1


def test_trees_of_the_source_are_used(tree_bundle, sample):
    translator = treeglot.Translator(tree_bundle)
    assert translator.missing_trees == ["dependency"]
    trees = list(treeglot.trees.read(sample / "test.de.conllu"))[:20]
    lines = (sample / "test.de").read_text().splitlines()[:20]
    with_trees = [translator.translate(line, dep=tree) for line, tree in zip(lines, trees, strict=True)]
    treeglot.trees.write(trees, sample / "few.conllu")
    from_file = translator.translate(lines, dep=sample / "few.conllu")
    assert [str(one) for one in from_file] == [str(one) for one in with_trees]
    assert [str(one) for one in from_file] != [str(one) for one in translator.translate(lines)]
    with pytest.raises(treeglot.Error):
        translator.translate("ein anderer Satz", dep=trees[0])


def test_threads_share_a_translator(translator, lines):
    results: dict[int, list[str]] = {}

    def work(number: int) -> None:
        results[number] = [translator.translate(line).text for line in lines[:30]]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4 and all(own == results[0] for own in results.values())


def test_translators_are_pickled_by_their_bundles_and_work_after_a_fork(translator, lines):
    assert pickle.loads(pickle.dumps(translator)).translate("das Haus") == "the house"
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(translator.translate, lines[:6]) == [translator.translate(line) for line in lines[:6]]
    why = translator.translate("das Haus", explain=True)
    again = pickle.loads(pickle.dumps(why))
    assert again.links == why.links and again._repr_html_() == why._repr_html_() and again.score == why.score


def test_errors_say_what_is_wrong(bundle, tmp_path):
    with pytest.raises(treeglot.Error, match="bundle"):
        treeglot.Translator(tmp_path)
    with pytest.raises(TypeError, match="unknown setting"):
        treeglot.Translator(bundle, pop_limits=3)
    with pytest.raises(FileNotFoundError):
        treeglot.Translator(bundle).translate(tmp_path / "none")
    with pytest.raises(TypeError):
        treeglot.Translator(bundle).translate(3)
    with pytest.raises(treeglot.Error, match="agreement"):
        treeglot.Translator([bundle, bundle]).translate("das Haus", nbest=2)


def test_a_bundle_is_verified_and_knows_itself(bundle, tmp_path):
    import shutil

    treeglot.verify(bundle)
    assert isinstance(treeglot.card(bundle), dict)
    copy = tmp_path / "copy"
    shutil.copytree(bundle, copy)
    table = max(copy.iterdir(), key=lambda file: file.stat().st_size)
    content = bytearray(table.read_bytes())
    content[len(content) // 2] ^= 255
    table.write_bytes(content)
    with pytest.raises(treeglot.Error, match=table.name):
        treeglot.verify(copy)
