from __future__ import annotations

import copy
import pickle

import pytest
import treeglot
import treeglot.kenlm as kenlm


@pytest.fixture(scope="module")
def text(sample):
    return (sample / "train.en").read_text().splitlines()


@pytest.fixture(scope="module")
def files(text, tmp_path_factory):
    folder = tmp_path_factory.mktemp("lm")
    treeglot.LanguageModel.build(text, order=3, arpa=folder / "small.arpa", binary=folder / "small.lm")
    return folder


def test_scores_add_up_over_words_and_states(files, text):
    model = kenlm.Model(str(files / "small.arpa"))
    for sentence in text[:20]:
        total = sum(prob for prob, _, _ in model.full_scores(sentence))
        assert total == pytest.approx(model.score(sentence), abs=1e-4)
        state, out = kenlm.State(), kenlm.State()
        model.BeginSentenceWrite(state)
        by_state = 0.0
        for word in [*sentence.split(), "</s>"]:
            by_state += model.BaseScore(state, word, out)
            state, out = out, state
        assert by_state == pytest.approx(model.score(sentence), abs=1e-4)
        words = len(sentence.split()) + 1
        assert model.perplexity(sentence) == pytest.approx(10 ** (-model.score(sentence) / words), rel=1e-5)


def test_scores_are_those_of_kenlm(files, text):
    theirs = pytest.importorskip("kenlm").Model(str(files / "small.arpa"))
    ours = kenlm.Model(str(files / "small.lm"))
    for sentence in [*text[:200], "unknown words here", "", "the </s> house"]:
        for bos in (True, False):
            for eos in (True, False):
                assert ours.score(sentence, bos, eos) == pytest.approx(theirs.score(sentence, bos, eos), abs=1e-3)
        expected = list(theirs.full_scores(sentence))
        found = list(ours.full_scores(sentence))
        assert [one[1:] for one in found] == [one[1:] for one in expected]
        assert [one[0] for one in found] == pytest.approx([one[0] for one in expected], abs=1e-4)
    assert ours.order == theirs.order == 3
    for word in ("the", "nonsense", "<s>", "</s>"):
        assert (word in ours) == (word in theirs)


def test_states_compare_hash_and_are_copied(files):
    model = kenlm.LanguageModel(str(files / "small.lm"))
    one, two, out = kenlm.State(), kenlm.State(), kenlm.State()
    model.BeginSentenceWrite(one)
    model.NullContextWrite(two)
    assert one != two and (one < two or two < one)
    again = copy.copy(one)
    assert again == one and hash(again) == hash(one) and copy.deepcopy(one) == one
    full = model.BaseFullScore(one, "the", out)
    assert (full.log_prob, full.ngram_length, full.oov) == next(iter(model.full_scores("the")))
    assert repr(full).startswith("FullScoreReturn(-")
    model.BaseScore(one, "the", one)
    assert one == out, "a state may be read and written at once"


def test_models_are_pickled_by_their_file(files):
    model = kenlm.Model(str(files / "small.lm"))
    again = pickle.loads(pickle.dumps(model))
    assert type(again) is kenlm.Model and again.score("the house") == model.score("the house")
    assert repr(model) == "<Model from small.lm>" and model.path == str(files / "small.lm").encode()


def test_text_and_bytes_are_scored_alike(files):
    model = kenlm.Model(str(files / "small.lm"))
    assert model.score(b"the house") == model.score("the house")
    assert b"house" in model
    with pytest.raises(TypeError, match="Cannot convert"):
        model.score(3)
    with pytest.raises(TypeError, match="Cannot convert"):
        kenlm.Model(3)


def test_a_model_that_cannot_be_read_is_an_os_error(tmp_path):
    with pytest.raises(OSError, match="Cannot read model"):
        kenlm.Model(str(tmp_path / "none.arpa"))
    (tmp_path / "bad.arpa").write_text("this is no model\n")
    with pytest.raises(OSError, match="bad.arpa"):
        kenlm.Model(str(tmp_path / "bad.arpa"))
    with pytest.raises(treeglot.Error) as error:
        treeglot.LanguageModel(tmp_path / "bad.arpa")
    assert error.value.file == str(tmp_path / "bad.arpa") and error.value.line is not None


def test_many_sentences_are_scored_into_arrays(files, text):
    numpy = pytest.importorskip("numpy")
    model = treeglot.LanguageModel(files / "small.lm")
    one_by_one = [model.score(line) for line in text[:500]]
    assert numpy.allclose(model.scores(text[:500]), one_by_one)
    assert numpy.allclose(model.scores(iter(text[:500]), threads=1), one_by_one)
    probs, lengths, oovs, starts = model.word_scores(text[:500])
    assert probs.dtype == numpy.float32 and lengths.dtype == numpy.uint8 and oovs.dtype == bool
    assert numpy.allclose(numpy.add.reduceat(probs, starts[:-1].astype(int)), one_by_one, atol=1e-3)
    assert [tuple(row) for row in zip(probs.tolist(), lengths.tolist(), oovs.tolist(), strict=True)][
        : len(text[0].split()) + 1
    ] == list(model.full_scores(text[0]))


def test_settings_are_those_of_the_command_line(text, tmp_path):
    model = treeglot.LanguageModel.build(iter(text), order=4, prune=[0, 0, 1], layout="trie", quantize=8, memory="64M")
    assert model.order == 4
    model.save(tmp_path / "m.lm")
    assert treeglot.LanguageModel(tmp_path / "m.lm").score("the house") == model.score("the house")
    with pytest.raises(treeglot.Error):
        treeglot.LanguageModel.build(text, order=99)
    with pytest.raises(treeglot.Error, match=r"text:2: .*<s>"):
        treeglot.LanguageModel.build(["a b", "<s> c"], order=2)
