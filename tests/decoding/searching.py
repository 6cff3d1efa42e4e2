"""Runs the same beam search in plain torch and as a kernel, and lists their differences."""

from __future__ import annotations

import torch

from longways.decoding.beam_search import SearchConfig
from longways.decoding.gpu.device_beam_search import NO_SEPARATORS, DeviceSearch, NewWindows
from longways.decoding.gpu.next_token import TokenEmbedding
from longways.model.embedding import Embedding
from longways.text.tokenizers.special_tokens import EOS, SEP

SLOTS, WORDS, MAX_TOKENS = 6, 9, 12


def begin(config: SearchConfig, separators: int, device: str) -> DeviceSearch:
    """A search with windows in all slots but the last, each with other length limits."""
    search = DeviceSearch(SLOTS, MAX_TOKENS, config, torch.device(device))
    slots = torch.arange(SLOTS - 1)
    required = torch.full_like(slots, separators)
    least, most = torch.tensor([0, 3, 0, 2, 1]), torch.tensor([MAX_TOKENS, 9, 5, 2, 0])
    new = NewWindows(*(x.to(device) for x in (slots, slots + 4, least, least.max(most), required)))
    search.place(new)
    return search


def candidates(config: SearchConfig, generator: torch.Generator) -> tuple[torch.Tensor, ...]:
    """Sorted log-probabilities (B, K, C) and distinct ids, often with both stop tokens."""
    logits = 2 * torch.randn(SLOTS, config.beams, WORDS, generator=generator)
    logits[..., [EOS, SEP]] += 1
    logits[..., :2] = -torch.inf
    scores, ids = logits.log_softmax(-1).topk(min(config.beams + 2, WORDS - 2))
    return scores.float(), ids


def disagreements(
    config: SearchConfig, separators: int = NO_SEPARATORS, seed: int = 0, device: str = "cpu"
) -> list[str]:
    """The differences between the kernel and plain torch, over a whole search."""
    from longways.decoding.gpu.kernels.next_token import ChunkCandidates, next_tokens_fused

    inputs = random_embedding(device)
    plain, fused = (begin(config, separators, device) for _ in range(2))
    generator, wrong = torch.Generator().manual_seed(seed), []
    for step in range(MAX_TOKENS + 3):
        scores, ids = (x.to(device) for x in candidates(config, generator))
        plain.step(scores, ids)
        values = scores.flatten(0, 1)[:, None]  # one chunk with all candidates
        sums = torch.tensor([0.0, 1.0], device=device).expand(len(values), 1, 2)  # log sum is 0
        chunk = ChunkCandidates(values.contiguous(), ids.int().contiguous(), sums.contiguous())
        embedded = next_tokens_fused(chunk, fused, inputs)
        wrong += [f"step {step}: {name}" for name in _wrong_embeddings(embedded, fused, inputs)]
        wrong += [f"step {step}: {name}" for name in _different(plain, fused)]
    found = zip(
        *(search.results(range(SLOTS)).results(config) for search in (plain, fused)), strict=True
    )
    wrong += [f"slot {i}" for i, (one, other) in enumerate(found) if one != other]
    return wrong


def random_embedding(device: str) -> TokenEmbedding:
    """Embeddings of a few words, with a prefix of another length in each slot."""
    torch.manual_seed(SLOTS)
    embedding = Embedding(WORDS, 24, MAX_TOKENS, pad=0, dropout=0.0).eval().to(device)
    return TokenEmbedding(embedding, torch.arange(SLOTS, device=device), MAX_TOKENS - 1)


def _wrong_embeddings(
    embedded: tuple[torch.Tensor, ...], search: DeviceSearch, inputs: TokenEmbedding
) -> list[str]:
    """The outputs that differ from torch's embedding of the chosen tokens."""
    tokens = search.tokens.flatten()
    at = (inputs.offsets + search.length).clamp_max(inputs.last_position)
    positions = at[:, None].expand_as(search.tokens).flatten()
    wanted = inputs.embedding.at(tokens, positions), positions, tokens == SEP
    names = "embedded", "positions", "separators"
    outputs = zip(names, embedded, wanted, strict=True)
    return [name for name, one, other in outputs if not torch.allclose(one, other, atol=1e-6)]


def _different(plain: DeviceSearch, fused: DeviceSearch) -> list[str]:
    """The tensors that differ, in active windows and in beams with a finite score."""
    found = [name for name in ("active", "length", "finished") if not _same(plain, fused, name)]
    valid = plain.active[:, None] & (plain.scores > -torch.inf)
    for name in ("tokens", "parents", "scores", "separators"):
        if not torch.equal(getattr(plain, name)[valid], getattr(fused, name)[valid]):
            found.append(name)
    return found


def _same(plain: DeviceSearch, fused: DeviceSearch, name: str) -> bool:
    return torch.equal(getattr(plain, name), getattr(fused, name))
