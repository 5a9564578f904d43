from __future__ import annotations

import json
import random

import pytest
from treeglot.metrics import BLEU, CHRF, TER, Metric, PairedTest, corpus_bleu, sentence_chrf

HYPOTHESES = ["The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."]
REFERENCES = [
    ["The dog bit the man.", "It was not unexpected.", "The man bit him first."],
    ["The dog had bit the man.", "No one was surprised.", "The man had bitten the dog."],
]


def damaged(lines: list[str], seed: int) -> list[str]:
    rng = random.Random(seed)
    words = [word for line in lines for word in line.split()]
    return [" ".join(rng.choice(words) if rng.random() < 0.3 else word for word in line.split()) for line in lines]


@pytest.fixture(scope="module")
def texts(sample):
    reference = (sample / "test.en").read_text().splitlines()
    return damaged(reference, 1), damaged(reference, 2), reference


CHOICES = [
    ("BLEU", {}),
    ("BLEU", {"lowercase": True, "tokenize": "intl", "smooth_method": "floor"}),
    ("BLEU", {"smooth_method": "add-k", "smooth_value": 2, "max_ngram_order": 3, "effective_order": True}),
    ("BLEU", {"tokenize": "char", "smooth_method": "none"}),
    ("CHRF", {}),
    ("CHRF", {"word_order": 2, "lowercase": True}),
    ("CHRF", {"char_order": 4, "beta": 3, "eps_smoothing": True}),
    ("TER", {}),
    ("TER", {"normalized": True, "no_punct": True, "case_sensitive": True}),
]


@pytest.mark.parametrize(("name", "options"), CHOICES)
def test_scores_text_and_signatures_are_those_of_sacrebleu(name, options, texts):
    sacrebleu = pytest.importorskip("sacrebleu")
    ours, theirs = {"BLEU": BLEU, "CHRF": CHRF, "TER": TER}[name](**options), sacrebleu.metrics.METRICS[name](**options)
    hypotheses, _, reference = texts
    for given in [
        (hypotheses, [reference]),
        (HYPOTHESES, REFERENCES),
        (HYPOTHESES, [REFERENCES[0], [None, None, "x"]]),
    ]:
        own, expected = ours.corpus_score(*given), theirs.corpus_score(*given)
        assert own.score == pytest.approx(expected.score, abs=1e-9)
        assert str(own) == str(expected)
        assert own.format(width=4, score_only=True) == expected.format(width=4, score_only=True)
        signature = theirs.get_signature()
        assert ours.get_signature().format() == signature.format()
        found = json.loads(own.format(signature=ours.get_signature().format(), is_json=True))
        assert found == json.loads(expected.format(signature=signature.format(), is_json=True))
    for hypothesis, line in zip(hypotheses[:20], reference, strict=False):
        own, expected = ours.sentence_score(hypothesis, [line]), theirs.sentence_score(hypothesis, [line])
        assert own.score == pytest.approx(expected.score, abs=1e-9)
    if name == "BLEU":
        own, expected = ours.corpus_score(HYPOTHESES, REFERENCES), theirs.corpus_score(HYPOTHESES, REFERENCES)
        for key in ("bp", "counts", "totals", "precisions", "sys_len", "ref_len", "ratio", "prec_str"):
            assert getattr(own, key) == pytest.approx(getattr(expected, key)), key


def test_intervals_and_tests_have_the_random_numbers_of_sacrebleu(texts):
    sacrebleu = pytest.importorskip("sacrebleu")
    from sacrebleu.significance import PairedTest as Theirs

    one, two, reference = texts
    own, expected = BLEU(), sacrebleu.BLEU()
    score, wanted = own.corpus_score(one, [reference], 200), expected.corpus_score(one, [reference], 200)
    assert (score._mean, score._ci) == pytest.approx((wanted._mean, wanted._ci), abs=1e-4)
    assert str(own.get_signature()) == str(expected.get_signature())
    systems = [("one", one), ("two", two)]
    for test, samples in (("bs", 300), ("ar", 300)):
        signatures, found = PairedTest(systems, {"BLEU": BLEU()}, [reference], test, samples)()
        their_signatures, wanted = Theirs(systems, {"BLEU": sacrebleu.BLEU()}, [reference], test, samples)()
        assert found["System"] == wanted["System"]
        assert str(signatures["BLEU"]) == str(their_signatures["BLEU"])
        for ours, theirs in zip(found["BLEU"], wanted["BLEU"], strict=True):
            assert ours.score == pytest.approx(theirs.score)
            assert ours.p_value == theirs.p_value or ours.p_value == pytest.approx(theirs.p_value, abs=1e-9)


def test_statistics_are_an_array_that_adds_up(texts):
    numpy = pytest.importorskip("numpy")
    hypotheses, _, reference = texts
    bleu = BLEU()
    statistics = bleu.statistics(hypotheses, [reference])
    assert statistics.shape == (len(hypotheses), 10) and statistics.dtype == numpy.float64
    assert bleu._metric.score(statistics.sum(0).tolist()) == bleu.corpus_score(hypotheses, [reference]).score
    scores = CHRF().sentence_scores(hypotheses[:5], [reference[:5]])
    assert scores[0] == pytest.approx(sentence_chrf(hypotheses[0], [reference[0]]).score)


def test_other_metrics_and_sums_go_by_name(texts):
    hypotheses, _, reference = texts
    both = Metric("0.5*bleu+0.5*chrf").corpus_score(hypotheses, [reference]).score
    bleu, chrf = BLEU().corpus_score(hypotheses, [reference]).score, CHRF().corpus_score(hypotheses, [reference]).score
    assert both == pytest.approx((bleu + chrf) / 2)
    assert 0 < Metric("nist").corpus_score(hypotheses, [reference]).score < 20
    assert Metric("ter").higher_is_better is False
    with pytest.raises(ValueError, match="nonsense"):
        Metric("nonsense")


def test_wrong_arguments_are_type_errors_as_with_sacrebleu():
    for wrong in ("text", 3):
        with pytest.raises(TypeError):
            BLEU().corpus_score(wrong, REFERENCES)
        with pytest.raises(TypeError):
            BLEU().corpus_score(HYPOTHESES, wrong)
    with pytest.raises(TypeError):
        BLEU().corpus_score(HYPOTHESES, ["text"])
    with pytest.raises(TypeError):
        BLEU(effective_order=True).sentence_score("a", "a")
    with pytest.raises(RuntimeError):
        BLEU().corpus_score(HYPOTHESES, None)
    with pytest.raises(ValueError, match="references"):
        BLEU().get_signature()
    with pytest.raises(ValueError, match="unknown variant"):
        BLEU(tokenize="spm")
    with pytest.raises(ValueError, match="3 hypotheses, but 2 references"):
        BLEU().corpus_score(HYPOTHESES, [["a", "b"]])


def test_references_of_the_constructor_serve_many_systems():
    bleu = BLEU(references=REFERENCES)
    assert bleu.corpus_score(HYPOTHESES, None).score == corpus_bleu(HYPOTHESES, REFERENCES).score
