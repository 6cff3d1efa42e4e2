"""What can be chosen about training, and the recipe of a whole run. Loads without torch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from longways.config import apply_overrides, build, read_toml
from longways.corpus.batching.sampler import SamplerConfig
from longways.errors import ConfigError
from longways.model.config import ModelConfig, expand_preset
from longways.training.metric import MetricName

Precision = Literal["float32", "bfloat16", "float16"]


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """How a model learns; the defaults are the paper's."""

    updates: int = 100_000
    """Steps of the optimiser at most."""
    accumulate: int = 1
    """Batches an update, all ranks together: the rest of its tokens comes one after the other."""
    learning_rate: float = 1e-3
    """The highest learning rate, reached after the warm-up."""
    warmup: int = 8000
    """Updates in which the learning rate rises; then it falls with the square root."""
    cooldown: int = 0
    """Updates at the very end in which the learning rate falls to nothing; 0: it never does."""
    label_smoothing: float = 0.1
    """The share of each target token that is spread over the vocabulary."""
    weight_decay: float = 1e-4
    """Decoupled weight decay of Adam."""
    betas: tuple[float, ...] = (0.9, 0.98)
    """Memory of Adam for gradients and for their squares."""
    clip: float = 0.0
    """The longest gradient; longer ones are scaled down. 0 does not clip, as in the paper."""
    precision: Precision = "float32"
    """Precision of matrix products; weights and sums stay in float32."""
    compile: bool = True
    """Compile the layers into fused kernels; on a GPU only."""
    graphs: bool = True
    """Replay updates as CUDA graphs; on a GPU only."""
    redraw_every: int = 1
    """Updates between two draws of the random matrices; 0 keeps the first for ever."""
    init_from: str = ""
    """A model folder to start from: every weight of it that fits is taken."""
    fit_maps: int = 0
    """Updates before the first that fit the feature maps alone to the attention of that model."""
    teacher: str = ""
    """A trained model of the same vocabulary, whose odds of the words are learned as well."""
    teacher_share: float = 0.5
    """The share of the loss that is the distance from the teacher."""
    evaluate_every: int = 1000
    """Updates between two looks at the development part."""
    patience: int = 10
    """Looks without a better development score before training stops; 0 never stops."""
    metric: MetricName = "loss"
    """What the development part is judged by: loss, document bleu, or consistency."""
    beam: int = 4
    """Hypotheses of the beam search behind document bleu."""
    judged: int = 0
    """Documents that are translated for bleu; 0 means all of the development part."""
    consistency: str = ""
    """A consistency set (JSON) for that metric."""
    average: int = 0
    """Models of the last looks that are averaged at the end; 0 keeps none."""
    save_every: int = 1000
    """Updates between two checkpoints."""
    seed: int = 1
    """Seed of the first weights and of dropout."""
    tensorboard: bool = False
    """Also write the log for TensorBoard, into the run's folder."""

    def __post_init__(self) -> None:
        for name in ("updates", "accumulate", "warmup", "evaluate_every", "save_every"):
            if getattr(self, name) < 1:
                raise ConfigError(
                    f"training.{name} is {getattr(self, name)}, but it must be at least 1."
                )
        if self.fit_maps < 0:
            raise ConfigError(
                f"training.fit_maps is {self.fit_maps}, but it must be at least 0: 0 fits nothing."
            )
        if self.metric == "consistency" and not self.consistency:
            raise ConfigError(
                "training.metric is consistency, but training.consistency names no set of it."
            )
        if not 0 <= self.teacher_share <= 1:
            raise ConfigError(
                f"training.teacher_share is {self.teacher_share}, but it must be from 0 to 1."
            )
        if len(self.betas) != 2 or not all(0 <= beta < 1 for beta in self.betas):
            raise ConfigError(
                f"training.betas is {self.betas}, but it must be two numbers below 1."
            )


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """All of a run but its data: what is saved with it, and must not change when it goes on."""

    model: ModelConfig
    """What is trained."""
    batches: SamplerConfig = field(default_factory=SamplerConfig)
    """How windows become batches."""
    training: TrainingConfig = field(default_factory=TrainingConfig)
    """How it learns."""


def read_run_recipe(
    path: Path, vocabularies: tuple[int, int], overrides: Iterable[str] = ()
) -> RunConfig:
    """The run that a recipe describes, for data with these vocabularies."""
    values = apply_overrides(read_toml(path), overrides)
    return build_run(values, vocabularies, str(path))


def build_run(values: dict[str, Any], vocabularies: tuple[int, int], source: str) -> RunConfig:
    """The run in the tables `model`, `batches` and `training`; other tables are not its own."""
    sizes = dict(zip(("source_vocabulary", "target_vocabulary"), vocabularies, strict=True))
    model = {**sizes, **expand_preset(values.get("model", {}))}
    own = {key: value for key, value in values.items() if key in ("batches", "training")}
    return build(RunConfig, {**own, "model": model}, source)
