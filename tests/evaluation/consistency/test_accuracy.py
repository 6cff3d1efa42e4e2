"""Consistency accuracy: the candidate that a model prefers, and ties."""

import json

import numpy as np
import pytest
import torch

from longways.corpus.document import ConsistencyItem
from longways.corpus.readers.opensubtitles import SENTENCE_SEPARATOR, read_consistency
from longways.decoding.torch import TorchRuntime
from longways.errors import CorpusError, WindowError
from longways.evaluation.consistency.accuracy import (
    Consistency,
    count_outcomes,
    guessing,
    measure_consistency,
)
from longways.evaluation.consistency.scores import score_candidates
from longways.evaluation.consistency.windows import candidate_windows
from longways.model.config import preset
from longways.model.translation import TranslationModel
from longways.text.tokenizers.special_tokens import BOS, EOS, SEP
from tests.decoding.tiny import SIZES
from tests.text.corpus import SMALL, pairs, pipeline


@pytest.fixture(scope="module")
def text():
    return pipeline("en", "ru", SMALL)


def make_runtime(text, name):
    torch.manual_seed(3)
    sizes = {
        **SIZES,
        "source_vocabulary": text.source.size,
        "target_vocabulary": text.target.size,
        "positions": 512,
    }
    return TorchRuntime(TranslationModel(preset(name, **sizes)).double())


@pytest.fixture(scope="module")
def runtime(text):
    return make_runtime(text, "hybrid")


class Plain:
    """A runtime that can only score whole windows, with `score_of`."""

    framework = "numpy"
    positions = 512

    def __init__(self, score_of):
        self.score_of, self.scored = score_of, []

    def score(self, source, target):
        self.scored += [tuple(row.tolist()) for row in np.concatenate([source, target], 1)]
        return self.score_of(source, target) * (target != 0)


@pytest.fixture(scope="module")
def items():
    """Each with three candidates for the last of four sentences."""
    sentences = list(pairs("en", "ru", 120))
    groups = [sentences[i : i + 6] for i in range(0, 120, 6)]
    made = []
    for number, group in enumerate(groups):
        context = [target for _, target in group[:3]]
        lasts = [f"{target} {word}" for word, (_, target) in zip("абв", group[3:], strict=True)]
        candidates = [[*context, last] for last in lasts]
        source = [source for source, _ in group[:4]]
        made.append(ConsistencyItem(source, candidates, number % 3, number % 2 + 1))
    return made


def by_hand(runtime, text, item, L, measure):
    """The score of each candidate, one at a time, by the model's forward pass."""
    scores = []
    for candidate in item.candidates:
        source, target = (
            [*[token for ids in side.encode(sentences[-L:]) for token in (*ids, SEP)][:-1], EOS]
            for side, sentences in ((text.source, item.source), (text.target, candidate))
        )
        with torch.no_grad():
            logits = runtime.model(torch.tensor([source]), torch.tensor([[BOS, *target[:-1]]]))
        chosen = logits[0].log_softmax(-1)[torch.arange(len(target)), torch.tensor(target)]
        scores.append(float(chosen.mean() if measure == "mean" else chosen.sum()))
    return scores


@pytest.mark.parametrize("measure", ["mean", "sum"])
@pytest.mark.parametrize("L", [1, 2, 4])
def test_the_choice_is_that_of_the_model_one_candidate_at_a_time(runtime, text, items, L, measure):
    right = []
    for item in items:
        scores = by_hand(runtime, text, item, L, measure)
        right.append(max(range(3), key=scores.__getitem__) == item.true_index)
    found = measure_consistency(runtime, text, items, L, measure, tokens=200)
    assert 0 < found.right == sum(right) < found.items == 20
    assert found.accuracy == sum(right) / 20
    assert found.by_distance == {1: (sum(right[0::2]), 10), 2: (sum(right[1::2]), 10)}
    assert found.ties == 0


def test_batches_do_not_matter(runtime, text, items):
    first, *others = (
        measure_consistency(runtime, text, items, 4, tokens=tokens) for tokens in (1, 500, 10**6)
    )
    assert others == [first, first]


def test_candidates_with_the_same_tokens_tie_and_are_wrong(runtime, text, items):
    twins = [
        ConsistencyItem(item.source, [item.candidates[0], item.candidates[0]], 0, 0)
        for item in items
    ]
    found = measure_consistency(runtime, text, twins, 4)
    assert (found.right, found.ties) == (0, 20)


def test_a_set_read_from_a_file(runtime, text, items, tmp_path):
    path = tmp_path / "deixis.json"
    entries = [
        {
            "src": SENTENCE_SEPARATOR.join(item.source),
            "dst": [SENTENCE_SEPARATOR.join(candidate) for candidate in item.candidates],
            "true_ind": item.true_index,
            "ctx_dist": item.context_distance,
        }
        for item in items
    ]
    path.write_text(json.dumps(entries))
    found = measure_consistency(runtime, text, list(read_consistency(path)), 4)
    assert found == measure_consistency(runtime, text, items, 4)


def test_no_items_are_an_error(runtime, text):
    with pytest.raises(CorpusError, match="no items"):
        measure_consistency(runtime, text, [], 4)


def reference_accuracy(items, scores):
    """The numbers of right and tied items, computed candidate by candidate."""
    right = ties = 0
    for item, found in zip(items, scores, strict=True):
        best = [i for i, score in enumerate(found) if score == max(found)]
        right += best == [item.true_index]
        ties += len(best) > 1 and item.true_index in best
    return right, ties


def test_given_scores_have_the_accuracy_worked_out_by_hand():
    """Six items: two right, one wrong, two tied at the top, one tied below it."""
    given = [
        (0, 1, [-1.0, -2.0]),  # right
        (1, 1, [-1.0, -2.0]),  # wrong
        (0, 2, [-1.0, -1.0, -3.0]),  # tied: wrong, though the true one comes first
        (2, 2, [-1.5, -4.0, -1.5]),  # tied with a duplicate
        (1, 3, [-2.0, -1.0, -2.0]),  # right: the others tie, and that is their business
        (0, 3, [-3.0, -3.0, -1.0]),  # wrong: another one beats the tie
    ]
    items = [ConsistencyItem(["s"], [["t"]] * len(s), true, d) for true, d, s in given]
    found = count_outcomes(items, [scores for *_, scores in given])
    assert found == Consistency(6, 2, 2, {1: (1, 2), 2: (0, 2), 3: (1, 2)})
    assert found.accuracy == 2 / 6
    assert guessing(items) == pytest.approx((1 / 2 * 2 + 1 / 3 * 4) / 6)


def test_random_scores_with_planted_ties_are_counted_as_by_the_reference():
    rng = np.random.default_rng(5)
    counts = rng.integers(2, 9, 500)
    items = [ConsistencyItem(["s"], [["t"]] * n, int(rng.integers(n)), 0) for n in counts]
    scores = [rng.integers(-6, 0, n).astype(float).tolist() for n in counts]
    found, (right, ties) = count_outcomes(items, scores), reference_accuracy(items, scores)
    assert (found.right, found.ties) == (right, ties)
    assert min(right, ties) > 50


def test_scores_that_are_no_numbers_are_never_right():
    items = [ConsistencyItem(["s"], [["t"]] * 2, 0, 0)] * 2
    nan = float("nan")
    assert count_outcomes(items, [[nan, nan], [nan, -1.0]]).right == 0


@pytest.mark.parametrize("value", [-1.0, -0.1, -9.7])
def test_a_model_that_says_the_same_of_every_word_is_never_right(text, items, value):
    constant = Plain(lambda _, target: np.full(target.shape, value))
    found = measure_consistency(constant, text, items, 4)
    assert (found.right, found.ties) == (0, 20)


def test_a_torch_model_without_preferences_is_never_right(text, items):
    runtime = make_runtime(text, "rfa-sgate")
    with torch.no_grad():
        runtime.model.decoder.embedding.tokens.weight.zero_()
    found = measure_consistency(runtime, text, items, 4)
    assert (found.right, found.ties) == (0, 20)


def test_a_random_model_is_right_as_often_as_guessing(text):
    """Within three standard errors, over sets of two to five candidates."""
    rng = np.random.default_rng(1)
    words = [target for _, target in pairs("en", "ru", 400)]
    items = [
        ConsistencyItem([words[0]], [[words[(7 * i + k) % 400]] for k in range(2 + i % 4)], 0, 0)
        for i in range(400)
    ]
    chance = Plain(lambda _, target: rng.normal(size=target.shape))
    found, expected = measure_consistency(chance, text, items, 1), guessing(items)
    error = sum(1 / n * (1 - 1 / n) for n in (2, 3, 4, 5)) * 100
    assert abs(found.right - 400 * expected) < 3 * error**0.5


@pytest.mark.parametrize("name", ["transformer", "rfa", "rfa-sgate", "rfa-sgate-avg", "hybrid"])
def test_sharing_source_and_context_changes_no_score(text, items, name):
    """Whole windows by the runtime's own `score`, and what is shared read once."""
    runtime, short = make_runtime(text, name), [i for i in items if len(i.source) == 4][:3]
    mixed = [*items, *(ConsistencyItem(i.source[-1:], [c[-1:] for c in i.candidates], 0, 0)
                       for i in short)]  # fmt: skip
    windows = candidate_windows(mixed, text, 3, 512)
    flat = [candidate for found in windows for candidate in found]
    shared, plain = (
        {c: score for batch in score_candidates(scorer, flat, 300) for c, score in batch.items()}
        for scorer in (runtime, Plain(runtime.score))
    )
    assert shared.keys() == plain.keys() == set(flat)
    np.testing.assert_allclose(list(shared.values()), [plain[c] for c in shared], rtol=1e-9)


def test_what_is_shared_is_computed_once(text, items, monkeypatch):
    runtime, encoded = make_runtime(text, "rfa-sgate"), []
    encode = runtime.model.encode
    monkeypatch.setattr(
        runtime.model, "encode", lambda source: encoded.append(len(source)) or encode(source)
    )
    measure_consistency(runtime, text, [*items, *items], 4)
    assert sum(encoded) == 20


def test_candidates_are_scored_once_and_all_are_counted(text, items):
    runtime, steps = Plain(lambda _, target: -np.ones(target.shape)), []
    measure_consistency(runtime, text, [*items, *items], 2, tokens=100, advance=steps.append)
    assert 50 < len(runtime.scored) == len(set(runtime.scored)) <= 60
    assert sum(steps) == 120
    assert len(steps) > 3


def test_a_window_that_does_not_fit_is_named(text, items):
    runtime = Plain(lambda _, target: -np.ones(target.shape))
    runtime.positions = 3
    with pytest.raises(WindowError, match=r"item 1: a window of L=4 has \d+ tokens.* 3 positions"):
        measure_consistency(runtime, text, items, 4)
