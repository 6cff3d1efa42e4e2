"""The paired bootstrap against sacreBLEU's scores and against cases with a known answer."""

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU

from longways.errors import CorpusError
from longways.evaluation.metrics import bootstrap as bootstrap_module
from longways.evaluation.metrics.bootstrap import (
    bootstrap,
    compare_bleu,
    compare_losses,
    compare_scores,
)
from longways.evaluation.metrics.metric import Bleu
from longways.evaluation.metrics.score import Scorer

WORDS = ["the", "a", "pod", "runs", "on", "node", "every", "fast", "network", "."]


def documents(count: int, noise: float, seed: int = 0):
    """References, and translations in which a share of the words is replaced."""
    words, rng = np.random.default_rng(7), np.random.default_rng(seed)
    references = [
        [" ".join(words.choice(WORDS, 12)) for _ in range(int(words.integers(1, 6)))]
        for _ in range(count)
    ]
    translations = [
        [" ".join("x" if rng.random() < noise else w for w in s.split()) for s in document]
        for document in references
    ]
    return translations, references


def counted(translations, references):
    (found,) = Scorer(references, [Bleu()]).statistics(translations)
    return found


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.4, 0.95])
def test_every_draw_is_scored_as_sacrebleu_would(noise):
    translations, references = documents(20, noise)
    found = counted(translations, references)
    (sums,) = bootstrap_module.resample([found.documents])
    drawn = np.random.default_rng(bootstrap_module.SEED).integers(20, size=(3, 20))
    for i, draw in enumerate(drawn):
        sides = [[" ".join(texts[d]) for d in draw] for texts in (translations, references)]
        wanted = BLEU(force=True).corpus_score(sides[0], [sides[1]]).score
        assert found.metric.score(sums[i]) == pytest.approx(wanted, abs=1e-9)


def test_draws_are_the_same_however_many_are_made_at_once(monkeypatch):
    counts = np.random.default_rng(0).random((37, 10))
    (wanted,) = bootstrap_module.resample([counts])
    monkeypatch.setattr(bootstrap_module, "BLOCK_NUMBERS", 100)
    (found,) = bootstrap_module.resample([counts])
    assert found.shape == (bootstrap_module.SAMPLES, 10)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_all_systems_are_compared_with_the_first_over_the_same_draws():
    texts = [documents(40, noise, seed)[0] for noise, seed in ((0.2, 1), (0.1, 2), (0.3, 3))]
    references = documents(40, 0)[1]
    found = compare_scores([counted(one, references) for one in texts])
    assert found[0].value == 0
    assert found[1:] == [compare_bleu(one, texts[0], references) for one in texts[1:]]


def test_sentences_are_drawn_from_a_single_document():
    texts = [documents(40, noise, seed) for noise, seed in ((0.2, 1), (0.19, 2))]
    whole = [
        counted([[s for d in side for s in d] for side in [one]], [[s for d in refs for s in d]])
        for one, refs in texts
    ]
    found = compare_scores(whole)[1]
    assert found.low < 0 < found.high
    sentences = [one.score(of_documents=False).value for one in whole]
    assert found.value == pytest.approx(sentences[1] - sentences[0])


def test_a_clearly_better_system_is_found_better():
    good, references = documents(40, 0.1)
    bad, _ = documents(40, 0.3, seed=1)
    found = compare_bleu(good, bad, references)
    assert 0 < found.low < found.value < found.high
    assert found.p == 0
    back = compare_bleu(bad, good, references)
    assert back.value == pytest.approx(-found.value)


def test_two_systems_of_one_quality_do_not_differ_significantly():
    one, references = documents(40, 0.2, seed=1)
    other, _ = documents(40, 0.2, seed=2)
    found = compare_bleu(one, other, references)
    assert found.low < 0 < found.high
    assert found.p > 0.05


def test_a_system_does_not_differ_from_itself():
    losses = np.random.default_rng(0).random((30, 2)) + 1
    assert compare_losses(losses, losses).value == 0
    assert compare_losses(losses, losses).p == 1


def test_the_interval_holds_the_true_difference_as_often_as_it_says():
    """Over 200 tests of systems that differ by 0.1 in the mean of 50 documents."""
    rng, inside = np.random.default_rng(3), 0
    for _ in range(200):
        base = rng.normal(2.0, 0.5, 50)
        system, baseline = (
            np.stack([x, np.ones(50)], 1) for x in (base + rng.normal(0.1, 0.2, 50), base)
        )
        found = bootstrap(system, baseline, lambda sums: sums[..., 0] / sums[..., 1])
        inside += found.low <= 0.1 <= found.high
    assert 0.89 <= inside / 200 <= 0.99


def test_other_documents_are_refused():
    with pytest.raises(CorpusError, match="3 and 4 documents"):
        compare_losses(np.ones((3, 2)), np.ones((4, 2)))
