"""How good a model is on the development part, by the metric that a run has chosen."""

from __future__ import annotations

import torch

from longways.corpus.store import PreparedData
from longways.errors import CorpusError
from longways.model.translation import TranslationModel
from longways.training.config import RunConfig
from longways.training.development import Development


class Judge:
    """Looks at a model: always its loss, and the chosen metric if that is another."""

    def __init__(self, config: RunConfig, data: PreparedData, device: torch.device) -> None:
        split = data.split("dev")
        if not split.sentences:
            raise CorpusError(
                f"The dev part of {data.folder} has no documents, so nothing can tell when to "
                "stop. Prepare it again with a [corpus.dev] that has some."
            )
        limits = config.batches.L, config.batches.tokens, config.batches.longest
        self.development = Development(split, device, *limits)

    def scores(self, model: TranslationModel) -> dict[str, float]:
        """Each metric by its name."""
        return {"loss": self.development.loss(model)}
