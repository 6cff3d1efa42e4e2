"""Errors of the kernels that end a decoding step: top-k of the logits, embedding."""

from __future__ import annotations

import torch

from longways.decoding.beam_search import SearchConfig
from longways.decoding.gpu.device_beam_search import DeviceSearch
from longways.decoding.gpu.next_token import TokenEmbedding, best_tokens
from longways.model.embedding import Embedding
from longways.text.tokenizers.special_tokens import SEP

FORBIDDEN = 0, 1, 4


def top_k_errors(
    rows: int, words: int, count: int, dtype: torch.dtype, device: str = "cpu"
) -> tuple[float, bool]:
    """Largest error of the best log-probabilities, and whether their ids are right."""
    from longways.decoding.gpu.kernels.next_token import best_of_chunks

    torch.manual_seed(words)
    logits = (3 * torch.randn(rows, words, device=device)).to(dtype)
    forbidden = torch.tensor(FORBIDDEN, device=device)
    values, ids, sums = (x.flatten(1) for x in best_of_chunks(logits, count, forbidden))
    greatest, total = sums.double().unflatten(1, (-1, 2)).unbind(-1)
    log_sum = (greatest + total.log()).logsumexp(1, keepdim=True)
    values, order = values.double().topk(count)
    ids = ids.long().gather(1, order)
    exact, wanted = best_tokens(logits.double(), count, forbidden)
    error = (values - log_sum - exact).nan_to_num().abs().max().item()
    if logits.dtype == torch.float32:
        return error, torch.equal(ids[exact > -torch.inf], wanted[exact > -torch.inf])
    scores = logits.double().log_softmax(-1).gather(1, ids)  # equal logits may be swapped
    distinct = all(len(set(row)) == count for row in ids.tolist())
    return error, distinct and torch.allclose(scores, exact, atol=0.2)


def embedding_errors(dim: int, dtype: torch.dtype, device: str = "cpu") -> tuple[float, bool, bool]:
    """Largest error of embedded tokens; whether positions and separators are right."""
    from longways.decoding.gpu.kernels.next_token import embed_tokens_fused

    torch.manual_seed(dim)
    embedding = Embedding(50, dim, 20, pad=0, dropout=0.0).eval().to(device)
    search = DeviceSearch(2, 30, SearchConfig(beams=3), torch.device(device))
    search.tokens.copy_(torch.tensor([[SEP, 5, 6], [7, SEP, 49]]))
    search.length.copy_(torch.tensor([4, 30]))
    inputs = TokenEmbedding(embedding.to(dtype), torch.tensor([3, 0], device=device), 18)
    x, positions, separators = embed_tokens_fused(search, inputs)
    at, tokens = torch.tensor([7, 7, 7, 18, 18, 18], device=device), search.tokens.flatten()
    wanted = embedding.double().at(tokens, at)
    right = torch.equal(separators, tokens == SEP)
    return (x - wanted).abs().max().item(), torch.equal(positions, at), right
