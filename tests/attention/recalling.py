"""Several decoding steps, with their tokens beside the state and in plain torch in float64."""

from __future__ import annotations

from dataclasses import replace

import torch

from longways.attention.kernels.fused_map import fused_inputs
from longways.attention.rfa.decode import decode_causal
from longways.attention.rfa.write_buffer import no_tokens
from tests.attention.decoding import Errors, Sizes, _doubled, parts, random_step, state_of
from tests.attention.windows import relative_error


def recall_errors(steps: int, most: int, reordered: bool, sizes: Sizes) -> Errors:
    """The greatest errors of so many steps, the state being written after every `most` of them."""
    from longways.attention.kernels.decode_buffered import decode_recent_fused

    given = replace(sizes, pasts=sizes.rows)
    first = random_step(given, reordered)
    recent = no_tokens(state_of(torch.clone, first.past), most, first.v)
    exact, errors = _doubled(first).past, Errors()
    for number in range(steps):
        torch.manual_seed(number)
        step = random_step(given, reordered)
        fused, (q, k) = fused_inputs(first.phi, first.W, step.q, step.k)
        out, recent = decode_recent_fused(
            q, k, step.v, fused, recent, step.parents, step.gate, settled=True
        )
        other = _doubled(step)
        arguments = other.q, other.k, other.v, _doubled(first).phi, _doubled(first).W
        wanted, exact = decode_causal(*arguments, exact, step.parents, other.gate)
        _note(errors, "out", out, wanted)
        found, after = parts(recent.past), parts(exact)
        for name in ("S", "z", "keep", "write") if recent.count == 0 else ("keep", "write"):
            _note(errors, name, found[name], after[name])
    return errors


def _note(errors: Errors, name: str, found: torch.Tensor, exact: torch.Tensor) -> None:
    errors[name] = max(errors.get(name, 0.0), relative_error(found.double(), exact))
