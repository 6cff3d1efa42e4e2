"""The dev loss: the loss of the last sentence of each window of the dev split.

B windows, T target tokens, V vocabulary size.

Every sentence is scored once, in the window that ends with it. The tokens of earlier sentences do
not count, so that the loss is over the same tokens for every L.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from longways.corpus.batching.batch import by_length, window_lengths
from longways.corpus.batching.buckets import Shape
from longways.corpus.batching.sampler import fit_windows
from longways.corpus.prepared_data import Split
from longways.corpus.window import Offsets, translation_windows
from longways.model.translation import TranslationModel
from longways.text.tokenizers.special_tokens import PAD
from longways.training.device.device_data import DeviceSplit, TensorBatch


class DevLoss:
    """The windows of a dev split, put into batches once."""

    def __init__(
        self, split: Split, device: torch.device, L: int, tokens: int, longest: int
    ) -> None:
        windows = translation_windows(np.asarray(split.documents), L)
        windows, self.limits = fit_windows(windows, split, longest)
        self.split = DeviceSplit(split, device)
        self.batches = _by_length(windows, split, tokens)

    def loss(self, model: TranslationModel) -> float:
        """Mean loss per token of the last sentences, in evaluation mode and float32.

        On a GPU that trains in mixed precision, matmuls round their inputs to TF32.
        """
        total, tokens = self.by_sentence(model).sum(0)
        return float(total / tokens)

    def sample(self, rows: int) -> TensorBatch:
        """Some windows of medium length, always the same."""
        windows, shape = self.batches[len(self.batches) // 2]
        chosen = windows[:rows]
        return self.split.batch(chosen, Shape(len(chosen), shape.source, shape.target))

    def by_sentence(self, model: TranslationModel) -> NDArray[np.float64]:
        """(sentences, 2): the loss of each sentence as the last of its window, and its tokens.

        Sentences that are too long for a window have zeros.
        """
        was_training = model.training
        model.eval()
        with torch.no_grad(), torch.compiler.set_stance("force_eager"):
            found = [self._sums(model, *batch) for batch in self.batches]
        model.train(was_training)
        sums = np.zeros((self.split.split.sentences, 2))
        for (windows, _), losses in zip(self.batches, found, strict=True):
            sums[windows[:, 1] - 1] = losses.double().cpu().numpy()
        return sums

    def _sums(self, model: TranslationModel, windows: Offsets, shape: Shape) -> Tensor:
        """(B, 2): the loss of each last sentence of a batch, and its tokens."""
        batch = self.split.batch(windows, shape)
        logits = model(batch.source, batch.target_in)
        last = self._last_sentence(windows, batch.target)
        losses = cross_entropy(logits.transpose(1, 2).float(), batch.target, reduction="none")
        return torch.stack([(losses * last).sum(1), last.sum(1)], 1)

    def _last_sentence(self, windows: Offsets, target: Tensor) -> Tensor:
        """(B, T): a mask of the tokens of each window's last sentence, `<eos>` included."""
        offsets = self.split.split.target_offsets
        before = offsets[windows[:, 1] - 1] - offsets[windows[:, 0]]
        begins = torch.from_numpy(np.asarray(before)).to(target.device)
        positions = torch.arange(target.shape[1], device=target.device)
        return (positions >= begins[:, None]) & (target != PAD)


def _by_length(windows: Offsets, split: Split, tokens: int) -> list[tuple[Offsets, Shape]]:
    """Batches of windows of similar length, with at most `tokens` tokens each."""
    source = window_lengths(windows, split.source_offsets)
    target = window_lengths(windows, split.target_offsets)
    batches = []
    for chosen in by_length(np.maximum(source, target), tokens):
        shape = Shape(len(chosen), int(source[chosen].max()), int(target[chosen].max()))
        batches.append((windows[chosen], shape))
    return batches
