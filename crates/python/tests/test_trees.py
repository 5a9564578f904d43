from __future__ import annotations

import pickle

import pytest
import treeglot
from treeglot import trees

CONLLU = "# sent_id = 1\n1\tshe\tshe\tPRON\tPRP\t_\t2\tnsubj\t_\t_\n2\tsleeps\tsleep\tVERB\tVBZ\t_\t0\troot\t_\tSpaceAfter=No\n3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_\n\n"
PTB = "(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))\n"


@pytest.fixture
def dependencies():
    return trees.from_string(CONLLU, "conllu")


@pytest.fixture
def constituents():
    return trees.from_string(PTB, "ptb")


def test_a_dependency_tree_has_words_columns_and_heads(dependencies):
    assert dependencies.words == ["she", "sleeps", "."] and len(dependencies) == 3
    assert dependencies.column("lemma") == ["she", "sleep", "."]
    assert list(memoryview(dependencies.heads)) == [2, 0, 2]
    assert dependencies.comments == ["# sent_id = 1"]
    assert dependencies.is_projective
    assert str(dependencies) == CONLLU and dependencies.to("conllu") == CONLLU
    with pytest.raises(treeglot.Error, match="no column"):
        dependencies.column("nonsense")


def test_a_constituency_tree_has_nodes(constituents):
    assert constituents.nodes[0] == ("S", -1, 0, 3) and constituents.words == ["the", "cat", "sleeps"]
    assert str(constituents) == PTB
    converted = constituents.converted("conllu", heads="ptb")
    assert list(memoryview(converted.heads)) == [2, 3, 0]
    with pytest.raises(treeglot.Error, match="head rules"):
        constituents.to("conllu")
    with pytest.raises(treeglot.Error, match="no dependency tree"):
        constituents.column("form")


def test_files_are_read_written_and_converted(sample, tmp_path):
    read = list(trees.read(sample / "test.de.conllu"))
    assert len(read) == 500 and all(tree.kind == "dependency" for tree in read)
    assert trees.write(iter(read), tmp_path / "copy.conllu.gz") == 500
    assert list(trees.read(tmp_path / "copy.conllu.gz")) == read
    con = list(trees.read(sample / "test.en.ptb", one_per_line=True))
    assert len(con) == 500 and con[0].kind == "constituency"
    assert trees.convert(sample / "test.en.ptb", tmp_path / "test.xml", to="tigerxml") == 500
    back = list(trees.read(tmp_path / "test.xml", "tigerxml"))
    assert [tree.words for tree in back] == [tree.words for tree in con]
    with open(sample / "test.de.conllu", encoding="utf-8") as lines:
        assert list(trees.read(lines, "conllu"))[:10] == read[:10]


def test_every_format_has_a_name_and_writes_what_it_can(dependencies, constituents):
    known = trees.formats()
    assert {"conllu", "ptb", "tigerxml", "mosesxml", "depbracket", "conllx"} <= known.keys()
    for name in ("conllu", "conllx", "conll09", "mosesxml", "depbracket"):
        assert "sleeps" in dependencies.to(name)
    for name in ("ptb", "tigerxml", "mosesxml"):
        assert "sleeps" in constituents.to(name)
    with pytest.raises(treeglot.Error, match="no format `nonsense`"):
        dependencies.to("nonsense")


def test_errors_have_file_and_line(tmp_path):
    bad = tmp_path / "bad.conllu"
    bad.write_text(CONLLU + "1\ta\t_\n\n")
    reader = trees.read(bad)
    assert next(reader).words[0] == "she"
    with pytest.raises(treeglot.Error) as error:
        next(reader)
    assert error.value.file == str(bad) and error.value.line == 6
    with pytest.raises(treeglot.Error, match="does not tell the format"):
        trees.read(tmp_path / "what")
    with pytest.raises(FileNotFoundError):
        trees.read(tmp_path / "none.conllu")


def test_trees_are_equal_hashed_and_pickled(dependencies, constituents):
    for tree in (dependencies, constituents):
        again = pickle.loads(pickle.dumps(tree))
        assert again == tree and hash(again) == hash(tree)
    assert dependencies != constituents


def test_crossing_arcs_are_lifted(sample):
    crossing = [tree for tree in trees.read(sample / "train.de.conllu") if not tree.is_projective]
    assert crossing and all(tree.lifted().is_projective for tree in crossing[:50])


def test_pictures_have_all_words_and_labels(dependencies, constituents):
    picture = dependencies._repr_svg_()
    assert all(f">{word}<" in picture for word in ["she", "sleeps", ".", "nsubj", "punct", "PRP"])
    assert all(f">{word}<" in constituents._repr_svg_() for word in ["the", "cat", "S", "NP", "VBZ"])


def test_conllu_goes_there_and_back(dependencies):
    pytest.importorskip("conllu")
    tokens = dependencies.to_conllu()
    assert tokens[1]["form"] == "sleeps" and tokens.metadata["sent_id"] == "1"
    assert trees.from_conllu(tokens) == dependencies


def test_networkx_goes_there_and_back(dependencies, constituents):
    networkx = pytest.importorskip("networkx")
    graph = dependencies.to_networkx()
    assert networkx.is_arborescence(graph) and graph.nodes[1]["form"] == "she"
    assert graph.edges[2, 1]["deprel"] == "nsubj"
    back = trees.from_networkx(graph)
    assert back.words == dependencies.words and list(memoryview(back.heads)) == [2, 0, 2]
    assert networkx.is_arborescence(constituents.to_networkx())


def test_nltk_goes_there_and_back(dependencies, constituents):
    nltk = pytest.importorskip("nltk")
    tree = constituents.to_nltk()
    assert isinstance(tree, nltk.Tree) and tree.leaves() == ["the", "cat", "sleeps"]
    assert trees.from_nltk(tree) == constituents
    graph = dependencies.to_nltk()
    assert graph.root["word"] == "sleeps"
    back = trees.from_nltk(graph)
    assert back.words == dependencies.words and list(memoryview(back.heads)) == [2, 0, 2]


def test_spacy_goes_there_and_back(dependencies):
    pytest.importorskip("spacy")
    doc = dependencies.to_spacy()
    assert doc.text == "she sleeps. " and doc[0].head.text == "sleeps" and doc[0].dep_ == "nsubj"
    back = trees.from_spacy(doc)
    assert back.words == dependencies.words and list(memoryview(back.heads)) == [2, 0, 2]
    assert back.column("lemma") == dependencies.column("lemma")
