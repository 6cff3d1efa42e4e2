"""Validation: a model's scores on the dev split."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch

from longways.corpus.prepared_data import PreparedData
from longways.corpus.readers.opensubtitles import read_consistency
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.torch import TorchRuntime
from longways.decoding.torch_stream import torch_runtime
from longways.errors import CorpusError
from longways.evaluation.consistency.accuracy import measure_consistency
from longways.evaluation.metrics.score import score_documents
from longways.model.attention_statistics import Statistics, attention_statistics
from longways.model.translation import TranslationModel
from longways.training.config import HIGHER_IS_BETTER, MetricName, RunConfig
from longways.training.dev_loss import DevLoss
from longways.translation.dataset import split_references, translate_split

OBSERVED_WINDOWS = 16
"""Windows of the dev split on which the statistics of attention are measured."""

MAX_BATCH_TOKENS = 65_536
"""The largest batch that is translated or scored, in tokens."""


def is_better(metric: MetricName, score: float, best: float | None) -> bool:
    """Whether a score is better than the best so far."""
    return best is None or (score > best if HIGHER_IS_BETTER[metric] else score < best)


class Validator:
    """Computes the dev loss of a model, and the metric of the run if that is another one."""

    def __init__(self, config: RunConfig, data: PreparedData, device: torch.device) -> None:
        self.config, self.split, self.text = config, data.split("dev"), data.text()
        if not self.split.sentences:
            raise CorpusError(
                f"The dev split of {data.folder} has no documents, but validation needs some. "
                "Prepare the data again with documents in [corpus.dev]."
            )
        limits = config.batches.L, config.batches.tokens, config.batches.longest
        self.dev_loss = DevLoss(self.split, device, *limits)
        self.items = (
            list(read_consistency(Path(config.training.consistency)))
            if config.training.metric == "consistency"
            else []
        )

    def scores(self, model: TranslationModel) -> dict[str, float]:
        """The scores by the names of their metrics."""
        more: dict[str, Callable[[TorchRuntime], float]] = {
            "bleu": self.document_bleu,
            "consistency": self.accuracy,
        }
        scores = {"loss": self.dev_loss.loss(model)}
        metric = self.config.training.metric
        if metric in more:
            was_training = model.training
            with torch.compiler.set_stance("force_eager"):
                scores[metric] = more[metric](torch_runtime(model))
            model.train(was_training)
        return scores

    def attention(self, model: TranslationModel) -> Statistics:
        """The statistics of the model's RFA attention on a few windows of the dev split."""
        batch = self.dev_loss.sample(OBSERVED_WINDOWS)
        return attention_statistics(model, batch.source, batch.target_in)

    def document_bleu(self, runtime: TorchRuntime) -> float:
        """Document BLEU of the dev split, with the model's own translations as context."""
        settings = self.config.training
        config = TranslateConfig(
            L=self.config.batches.L,
            search=SearchConfig(beams=settings.beam),
            length=self.config.length,
            windows=512,
            tokens=MAX_BATCH_TOKENS,
            documents=512,
        )
        count = settings.bleu_documents or None
        output = translate_split(runtime, self.split, self.text, config, documents=count)
        references = split_references(self.split, self.text, documents=count)
        return score_documents(output, references).document_bleu.value

    def accuracy(self, runtime: TorchRuntime) -> float:
        """Accuracy on the contrastive set."""
        L, tokens = self.config.batches.L, MAX_BATCH_TOKENS
        return measure_consistency(runtime, self.text, self.items, L, tokens=tokens).accuracy
