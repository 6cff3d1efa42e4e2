"""Two searches told the same: one in plain torch, one as a kernel, which reads what it chose."""

from __future__ import annotations

import torch

from longways.decoding.beam_search import SearchConfig
from longways.decoding.gpu.device_beam_search import NO_SEPARATORS, DeviceSearch, Newcomers
from longways.decoding.gpu.next_token import Reading
from longways.model.embedding import Embedding
from longways.text.tokenizers.special_tokens import EOS, SEP

SLOTS, WORDS, MOST = 6, 9, 12


def begin(config: SearchConfig, separators: int, device: str) -> DeviceSearch:
    """Windows in all slots but the last, with limits of several kinds."""
    search = DeviceSearch(SLOTS, MOST, config, torch.device(device))
    seated = torch.arange(SLOTS - 1)
    wanted = torch.full_like(seated, separators)
    least, most = torch.tensor([0, 3, 0, 2, 1]), torch.tensor([MOST, 9, 5, 2, 0])
    new = Newcomers(*(x.to(device) for x in (seated, seated + 4, least, least.max(most), wanted)))
    search.place(new)
    return search


def candidates(config: SearchConfig, generator: torch.Generator) -> tuple[torch.Tensor, ...]:
    """Log-probabilities (B, K, C) that fall, and ids that differ, both stops often among them."""
    logits = 2 * torch.randn(SLOTS, config.beams, WORDS, generator=generator)
    logits[..., [EOS, SEP]] += 1
    logits[..., :2] = -torch.inf
    scores, ids = logits.log_softmax(-1).topk(min(config.beams + 2, WORDS - 2))
    return scores.float(), ids


def disagreements(
    config: SearchConfig, separators: int = NO_SEPARATORS, seed: int = 0, device: str = "cpu"
) -> list[str]:
    """What the kernel does otherwise than plain torch, over the whole search."""
    from longways.decoding.gpu.kernels.next_token import Parts, choose_fused

    reading = random_reading(device)
    plain, fused = (begin(config, separators, device) for _ in range(2))
    generator, wrong = torch.Generator().manual_seed(seed), []
    for step in range(MOST + 3):
        scores, ids = (x.to(device) for x in candidates(config, generator))
        plain.read(scores, ids)
        values = scores.flatten(0, 1)[:, None]  # one part that has all candidates
        certain = torch.tensor([0.0, 1.0], device=device).expand(len(values), 1, 2)
        whole = Parts(values.contiguous(), ids.int().contiguous(), certain.contiguous())
        read = choose_fused(whole, fused, reading)
        wrong += [f"step {step}: {name}" for name in _misread(read, fused, reading)]
        wrong += [f"step {step}: {name}" for name in _different(plain, fused)]
    found = zip(
        *(search.logs(range(SLOTS)).results(config) for search in (plain, fused)), strict=True
    )
    wrong += [f"slot {i}" for i, (one, other) in enumerate(found) if one != other]
    return wrong


def random_reading(device: str) -> Reading:
    """Embeddings of a few words, and prefixes of several lengths."""
    torch.manual_seed(SLOTS)
    embedding = Embedding(WORDS, 24, MOST, pad=0, dropout=0.0).eval().to(device)
    return Reading(embedding, torch.arange(SLOTS, device=device), MOST - 1)


def _misread(read: tuple[torch.Tensor, ...], search: DeviceSearch, reading: Reading) -> list[str]:
    """What is not as the search has chosen it and as torch embeds it."""
    tokens = search.tokens.flatten()
    at = (reading.offsets + search.length).clamp_max(reading.last)
    positions = at[:, None].expand_as(search.tokens).flatten()
    wanted = reading.embedding.at(tokens, positions), positions, tokens == SEP
    names = "embedded", "positions", "ends"
    pairs = zip(names, read, wanted, strict=True)
    return [name for name, one, other in pairs if not torch.allclose(one, other, atol=1e-6)]


def _different(plain: DeviceSearch, fused: DeviceSearch) -> list[str]:
    """Of the windows that live, and of beams that are any good."""
    found = [name for name in ("lives", "length", "ended") if not _same(plain, fused, name)]
    good = plain.lives[:, None] & (plain.scores > -torch.inf)
    for name in ("tokens", "parents", "scores", "separators"):
        if not torch.equal(getattr(plain, name)[good], getattr(fused, name)[good]):
            found.append(name)
    return found


def _same(plain: DeviceSearch, fused: DeviceSearch, name: str) -> bool:
    return torch.equal(getattr(plain, name), getattr(fused, name))
