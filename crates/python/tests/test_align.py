from __future__ import annotations

import gc
import gzip
import pathlib
import weakref

import pytest
import treeglot


def test_lists_files_and_iterators_give_the_same_links(pairs, tmp_path):
    source, target = pairs
    for name, lines in (("de", source), ("en", target)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    from_lists = list(treeglot.align(source, target).lines())
    from_files = list(treeglot.align(tmp_path / "de", str(tmp_path / "en")).lines())
    from_iterators = list(treeglot.align(iter(source), (line for line in target)).lines())
    with open(tmp_path / "de", encoding="utf-8") as de, open(tmp_path / "en", encoding="utf-8") as en:
        from_open_files = list(treeglot.align(de, en).lines())
    assert from_lists == from_files == from_iterators == from_open_files
    treeglot.align(source, target, output=tmp_path / "links.gz")
    assert gzip.open(tmp_path / "links.gz", "rt").read().splitlines() == from_lists


def test_links_agree_with_the_gold_links_of_the_sample(sample, pairs):
    links = treeglot.align(*pairs)
    gold = (sample / "train.links").read_text().splitlines()
    found = right = 0
    for own, line in zip(links, gold, strict=False):
        pairs_of_line = {tuple(map(int, link.split("-"))) for link in line.split()}
        found += len(own)
        right += sum(link in pairs_of_line for link in own)
    assert right > 0.8 * found > 0


def test_numbers_are_shared_with_numpy(pairs):
    numpy = pytest.importorskip("numpy")
    links = treeglot.align(*pairs, model="hmm")
    assert links.links.dtype == numpy.uint32 and links.links.shape == (len(links.scores), 2)
    assert not links.links.flags.owndata and not links.links.flags.writeable
    assert links.starts[0] == 0 and links.starts[-1] == len(links.scores)
    at = 7
    rows = links.links[links.starts[at] : links.starts[at + 1]]
    assert [tuple(row) for row in rows.tolist()] == list(links[at].pairs)
    assert links[at].matrix().sum() == len(links[at])


def test_arrays_outlive_what_they_came_from(pairs):
    numpy = pytest.importorskip("numpy")
    links = treeglot.align(*pairs, model="ibm1")
    scores = links.scores
    expected = scores.copy()
    gone = weakref.ref(links)
    del links
    gc.collect()
    assert gone() is None
    assert numpy.array_equal(scores, expected)


def test_a_saved_model_links_as_the_one_it_was(pairs, tmp_path):
    source, target = pairs
    aligner = treeglot.Aligner.train(source[:1500], target[:1500])
    aligner.save(tmp_path / "model.gz")
    loaded = treeglot.Aligner.load(tmp_path / "model.gz")
    assert loaded.model == aligner.model == "fertility"
    new = source[1500:], target[1500:]
    own, other = list(aligner.align(*new).lines()), list(loaded.align(*new).lines())
    assert own == other
    assert list(loaded.align(*new).lines()) == other, "asking twice changes nothing"
    assert treeglot.align(*new, load=tmp_path / "model.gz")[0] == aligner.align(*new)[0]
    treeglot.align(source[:1500], target[:1500], save=tmp_path / "same")
    assert (tmp_path / "same").read_text() == gzip.open(tmp_path / "model.gz", "rt").read()
    with pytest.raises(treeglot.Error, match="copy its file"):
        loaded.save(tmp_path / "loaded")
    with pytest.raises(treeglot.Error, match="no pairs of its own"):
        _ = loaded.links


def test_lexical_tables_are_written(pairs, tmp_path):
    treeglot.align(*pairs, lex=tmp_path / "lex")
    table = dict.fromkeys(line.rsplit(" ", 1)[0] for line in open(tmp_path / "lex.f2e", encoding="utf-8"))
    assert any("Haus" in key and "house" in key for key in table)


def test_errors_name_the_line_and_the_setting(tmp_path):
    with pytest.raises(treeglot.Error, match="this line has no partner") as error:
        treeglot.align(["a", "b", "c"], ["x"])
    assert (error.value.file, error.value.line) == ("source", 2)
    with pytest.raises(treeglot.Error, match="max-length"):
        treeglot.align(["a"], ["x"], max_length=1000)
    with pytest.raises(TypeError, match="unknown setting"):
        treeglot.align(["a"], ["x"], nonsense=1)
    with pytest.raises(treeglot.Error, match="unknown variant"):
        treeglot.align(["a"], ["x"], model="giza")
    with pytest.raises(FileNotFoundError) as missing:
        treeglot.align(tmp_path / "none", tmp_path / "nothing")
    assert isinstance(missing.value, treeglot.Error) and missing.value.filename == str(tmp_path / "none")
    with pytest.raises(ValueError, match="line end inside"):
        treeglot.align(["a\nb"], ["x"])
    with pytest.raises(TypeError, match="no text"):
        treeglot.align([1], ["x"])
    with pytest.raises(treeglot.Error, match="not valid UTF-8") as bad:
        treeglot.align([b"gut", b"b\xff"], ["x", "y"])
    assert bad.value.line == 2


def test_an_exception_of_an_iterator_comes_out_as_it_is():
    class OwnError(Exception):
        pass

    def lines():
        yield "das Haus"
        raise OwnError("no more")

    with pytest.raises(OwnError, match="no more"):
        treeglot.align(lines(), ["the house", "a house"])


def test_links_are_drawn_with_their_words():
    links = treeglot.Links(["das", "Haus <b>"], ["the", "house"], [(0, 0), (1, 1)], [0.9, 0.5])
    picture = links._repr_svg_()
    assert picture.startswith("<svg") and picture.count("<rect") == 5
    assert "Haus &lt;b&gt;" in picture and "<b>" not in picture


def test_symmetrisation():
    assert treeglot.symmetrize([(0, 0), (1, 1)], [(0, 0), (1, 2)], "union") == [(0, 0), (1, 1), (1, 2)]


def test_paths_of_both_kinds(pairs, tmp_path: pathlib.Path):
    links = treeglot.align(*pairs, model="ibm1")
    links.save(str(tmp_path / "one"))
    links.save(tmp_path / "two.zst")
    assert (tmp_path / "one").read_text().splitlines() == list(links.lines())
