"""Training time of each form of causal RFA, by window length.

B windows, T tokens, H heads, D features, E head size.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from longways.attention.rfa import rfa_chunked, rfa_parallel
from longways.attention.rfa.dispatch import choose_form
from longways.benchmark.timing import compare
from longways.results import Report, report

H, D, E = 8, 64, 64
LENGTHS = (32, 64, 96, 128, 192, 256, 512, 1024, 2048)
CHUNKS = (64, 128, 256)
SENTENCE_TOKENS = 24


def calls(tokens: int, windows: int, device: str) -> dict[str, Callable[[], object]]:
    """Forward and backward pass of each form on the same gated windows, after a check."""
    phi_q, phi_k = (
        (0.1 * torch.randn(windows, H, tokens, D, device=device).cos()).requires_grad_()
        for _ in range(2)
    )
    v = torch.randn(windows, H, tokens, E, device=device, requires_grad=True)
    keep = torch.ones(windows, H, tokens, device=device)
    keep[..., SENTENCE_TOKENS::SENTENCE_TOKENS] = 0.4
    keep.requires_grad_()
    write = torch.ones(windows, H, tokens, device=device)

    def chunked(chunk: int) -> Tensor:
        return rfa_chunked(phi_q, phi_k, v, keep, write, chunk=chunk)[0]

    forms: dict[str, Callable[[], Tensor]] = {
        "parallel": partial(rfa_parallel, phi_q, phi_k, v, keep, write)
    }
    forms |= {f"chunked {chunk}": partial(chunked, chunk) for chunk in CHUNKS}
    with torch.no_grad():
        wanted = forms["parallel"]()
        for name, form in forms.items():
            error = (form() - wanted).abs().max() / wanted.abs().max()
            assert error < 1e-4, f"{name} differs from parallel by {error:.1e}"
    return {name: partial(_train, form) for name, form in forms.items()}


def _train(form: Callable[[], Tensor]) -> None:
    form().sum().backward()


def measure(device: str = "cpu", rounds: int = 9) -> Report:
    """A row for every window length, each with the same number of tokens."""
    torch.manual_seed(0)
    budget = 16_384 if device == "cuda" else 2_048
    rows = []
    for tokens in LENGTHS:
        timings = compare(calls(tokens, max(1, budget // tokens), device), device, rounds)
        best = min(timings, key=lambda name: timings[name].median)
        row = {"T": tokens} | {f"{n} ms": round(1e3 * t.median, 2) for n, t in timings.items()}
        choice = choose_form(tokens, False, device)
        rows.append(row | {"fastest": best, "we choose": f"{choice.form} {choice.chunk}"})
    settings = {"tokens": budget, "H": H, "D": D, "E": E, "gate": "decay", "rounds": rounds}
    claim = "Forward + backward of causal RFA by form and window length"
    return report("forms", claim, settings, rows, device)
