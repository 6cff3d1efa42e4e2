"""Which candidate a model prefers, and what becomes of ties."""

import json

import pytest
import torch

from longways.corpus.document import ConsistencyItem
from longways.corpus.groups import JOINT, read_consistency
from longways.errors import CorpusError
from longways.evaluation import measure_consistency
from longways.model.config import preset
from longways.model.translation import TranslationModel
from longways.runtime.torch import TorchRuntime
from longways.text.special import BOS, EOS, SEP
from tests.runtime.tiny import SIZES
from tests.text.corpus import SMALL, pairs, pipeline


@pytest.fixture(scope="module")
def text():
    return pipeline("en", "ru", SMALL)


@pytest.fixture(scope="module")
def runtime(text):
    torch.manual_seed(3)
    sizes = {
        **SIZES,
        "source_vocabulary": text.source.size,
        "target_vocabulary": text.target.size,
        "positions": 512,
    }
    return TorchRuntime(TranslationModel(preset("hybrid", **sizes)).double())


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


def test_candidates_that_cannot_be_told_apart_tie_and_are_wrong(runtime, text, items):
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
            "src": JOINT.join(item.source),
            "dst": [JOINT.join(candidate) for candidate in item.candidates],
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
