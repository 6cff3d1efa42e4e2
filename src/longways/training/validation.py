"""How good a model is on the development part, by the metric that a run has chosen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch

from longways.corpus.prepared_data import PreparedData
from longways.corpus.readers.opensubtitles import read_consistency
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.torch import TorchRuntime
from longways.errors import CorpusError
from longways.evaluation.consistency.accuracy import measure_consistency
from longways.evaluation.metrics.score import score_documents
from longways.model.translation import TranslationModel
from longways.training.config import RunConfig
from longways.training.dev_loss import DevLoss
from longways.translation.dataset import split_references, translate_split

TOKENS = 65_536
"""Target tokens that are translated or scored side by side."""


class Validator:
    """Looks at a model: always its loss, and the chosen metric if that is another."""

    def __init__(self, config: RunConfig, data: PreparedData, device: torch.device) -> None:
        self.config, self.split, self.text = config, data.split("dev"), data.text()
        if not self.split.sentences:
            raise CorpusError(
                f"The dev part of {data.folder} has no documents, so nothing can tell when to "
                "stop. Prepare it again with a [corpus.dev] that has some."
            )
        limits = config.batches.L, config.batches.tokens, config.batches.longest
        self.development = DevLoss(self.split, device, *limits)
        self.items = (
            list(read_consistency(Path(config.training.consistency)))
            if config.training.metric == "consistency"
            else []
        )

    def scores(self, model: TranslationModel) -> dict[str, float]:
        """Each metric by its name."""
        more: dict[str, Callable[[TorchRuntime], float]] = {
            "bleu": self.document_bleu,
            "consistency": self.accuracy,
        }
        scores = {"loss": self.development.loss(model)}
        metric = self.config.training.metric
        if metric in more:
            was_training = model.training
            with torch.compiler.set_stance("force_eager"):
                scores[metric] = more[metric](TorchRuntime(model))
            model.train(was_training)
        return scores

    def document_bleu(self, runtime: TorchRuntime) -> float:
        """Of the development documents, translated with the model's own prefixes."""
        settings = self.config.training
        how = TranslateConfig(
            L=self.config.batches.L,
            search=SearchConfig(beams=settings.beam),
            windows=512,
            tokens=TOKENS,
            documents=512,
        )
        some = settings.judged or None
        output = translate_split(runtime, self.split, self.text, how, documents=some)
        references = split_references(self.split, self.text, documents=some)
        return score_documents(output, references).document_bleu.value

    def accuracy(self, runtime: TorchRuntime) -> float:
        """Of the consistency set: the share of items whose true translation is likeliest."""
        L = self.config.batches.L
        return measure_consistency(runtime, self.text, self.items, L, tokens=TOKENS).accuracy
