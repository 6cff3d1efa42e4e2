"""The paper's kind of transformer decoding says the same as our own model."""

import pytest
import torch

from longways.benchmark.speed.baselines import ConcatenatingDecoder
from longways.decoding.batching import decode
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.torch import TorchRuntime
from longways.decoding.windows import Window
from longways.errors import ConfigError
from longways.model.config import preset
from longways.model.translation import TranslationModel

SIZES = {
    "source_vocabulary": 60, "target_vocabulary": 50, "dim": 32, "heads": 4, "feed_forward": 48,
    "encoder_layers": 2, "decoder_layers": 2, "positions": 64,
}  # fmt: skip

SOURCES = [[7, 9, 3, 20, 2], [5, 6, 2], [*range(10, 40), 2]]


def windows(tokens: int) -> list[Window]:
    return [Window(source, [1], tokens, tokens, separators=0) for source in SOURCES]


def transformer(norm: str = "pre") -> TranslationModel:
    torch.manual_seed(3)
    return TranslationModel(preset("transformer", **SIZES, norm=norm)).eval()


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("tokens", [1, 2, 19])
def test_tokens_and_scores_equal_our_own_search(norm, beams, tokens):
    model = transformer(norm)
    how = TranslateConfig(search=SearchConfig(beams=beams))
    wanted = decode(TorchRuntime(model), windows(tokens), how)
    found = ConcatenatingDecoder(model, beams=beams).decode(windows(tokens))
    for (one,), (other,) in zip(found, wanted, strict=True):
        assert one.tokens == other.tokens
        assert one.stop == other.stop
        assert one.score == pytest.approx(other.score, abs=1e-4)
        assert one.rank == pytest.approx(other.rank, abs=1e-4)


def test_an_end_that_is_likely_is_taken_as_our_own_search_takes_it():
    model = transformer()
    with torch.no_grad():  # the end is always the likeliest
        model.decoder.embedding.tokens.weight[2] = 3 * model.decoder.norm.bias.add_(1)
    how = TranslateConfig(search=SearchConfig(beams=4))
    wanted = decode(TorchRuntime(model), windows(5), how)
    found = ConcatenatingDecoder(model, beams=4).decode(windows(5))
    assert [one.stop for (one,) in found] == [2, 2, 2]
    for (one,), (other,) in zip(found, wanted, strict=True):
        assert (one.tokens, one.stop) == (other.tokens, other.stop)
        assert one.score == pytest.approx(other.score, abs=1e-4)


@pytest.mark.parametrize("beams", [1, 4])
def test_half_precision_weights_find_nearly_the_same_scores(beams):
    model = transformer()
    exact = TorchRuntime(transformer())
    found = ConcatenatingDecoder(model.bfloat16(), beams=beams).decode(windows(6))
    for source, (one,) in zip(SOURCES, found, strict=True):
        tokens = torch.tensor([[*one.tokens, *([one.stop] if one.stop else [])]]).numpy()
        rescored = exact.score(torch.tensor([source]).numpy(), tokens).sum()
        assert one.score == pytest.approx(rescored, abs=0.1 * len(one.tokens))


def test_rfa_has_no_such_cache():
    model = TranslationModel(preset("rfa", **SIZES))
    with pytest.raises(ConfigError, match="softmax attention"):
        ConcatenatingDecoder(model, beams=1)


@pytest.mark.parametrize(
    "window",
    [
        Window([5, 2], [1, 7, 3], 4, 4, separators=0),
        Window([5, 2], [1], 3, 4, separators=0),
        Window([5, 2], [1], 4, 4, separators=None),
    ],
)
def test_windows_of_other_kinds_are_refused(window):
    with pytest.raises(ConfigError, match="one length without prefix and separators"):
        ConcatenatingDecoder(transformer(), beams=1).decode([window])
