"""Settings of training, and the recipe of a whole run. Loads without torch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from longways.config import apply_overrides, build, check_keys, read_toml, setting_keys
from longways.corpus.batching.sampler import SamplerConfig
from longways.corpus.recipe import CorpusConfig
from longways.decoding.config import LengthConfig
from longways.errors import ConfigError
from longways.model.config import ModelConfig, expand_preset

Precision = Literal["float32", "bfloat16", "float16"]
MetricName = Literal["loss", "bleu", "consistency"]

RENAMED_SETTINGS = {"judged": "bleu_documents"}
"""Old names of settings in the table `training`, and their new names."""

HIGHER_IS_BETTER: dict[MetricName, bool] = {"loss": False, "bleu": True, "consistency": True}
"""Whether a higher score of a validation metric is better."""


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """Settings of the optimiser, validation and checkpoints; the defaults are the paper's."""

    updates: int = 100_000
    """The largest number of optimiser updates."""
    accumulate: int = 1
    """Batches per update, over all processes. Their gradients are accumulated; the number must be a
    multiple of the number of processes."""
    learning_rate: float = 1e-3
    """The highest learning rate, which is reached at the end of the warm-up."""
    warmup: int = 8000
    """Updates in which the learning rate rises linearly. After them it falls with the inverse
    square root of the update."""
    cooldown: int = 0
    """Updates at the end of training in which the learning rate falls linearly to zero; 0 turns the
    cool-down off."""
    label_smoothing: float = 0.1
    """The share of each target token's probability that is spread over the vocabulary."""
    weight_decay: float = 1e-4
    """Decoupled weight decay of AdamW."""
    betas: tuple[float, ...] = (0.9, 0.98)
    """Decay rates of AdamW's moving averages of gradients and of squared gradients."""
    clip: float = 0.0
    """The largest gradient norm; larger gradients are scaled down to it. 0 turns clipping off, as
    in the paper."""
    precision: Precision = "float32"
    """Precision of matmuls. Weights, gradients and optimiser states are always float32."""
    compile: bool = True
    """Compile the layers with torch.compile. Has no effect on a CPU."""
    graphs: bool = True
    """Capture updates as CUDA graphs. Has no effect on a CPU."""
    redraw_every: int = 1
    """Updates between two draws of the random matrices; 0 keeps the first draw."""
    init_from: str = ""
    """A model folder to start from: every weight that fits is copied. Empty starts from random
    weights."""
    fit_maps: int = 0
    """Updates before training that fit only the feature maps, so that RFA attention approximates
    the softmax attention of the model in init_from; 0 turns fitting off."""
    teacher: str = ""
    """A model folder for distillation: its output distribution is a second target. It must have the
    same vocabulary. Empty turns distillation off."""
    teacher_share: float = 0.5
    """The weight of the distillation loss, from 0 to 1; the rest is the weight of cross-entropy."""
    evaluate_every: int = 1000
    """Updates between two validations on the dev split."""
    patience: int = 10
    """Validations or epochs in a row without a better score after which training stops; 0 never
    stops early."""
    patience_unit: Literal["validations", "epochs"] = "validations"
    """What `patience` counts. The paper: 10 epochs. They are counted at each validation."""
    metric: MetricName = "loss"
    """The validation metric that selects the best model: loss, bleu (document BLEU) or
    consistency."""
    beam: int = 4
    """Hypotheses of the beam search for the metric bleu."""
    bleu_documents: int = 0
    """Documents of the dev split that are translated for the metric bleu, from the first on; 0
    translates all."""
    consistency: str = ""
    """A contrastive set (JSON file) for the metric consistency."""
    average: int = 0
    """Models of the last validations whose weights are averaged at the end; 0 writes no average."""
    save_every: int = 1000
    """Updates between two checkpoints."""
    seed: int = 1
    """Seed of the initial weights and of dropout."""
    tensorboard: bool = False
    """Also write the log as TensorBoard events into the folder of the run."""

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
                "training.metric is consistency, but training.consistency names no contrastive set."
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
    """All settings of a run, which are saved with it and must not change when it is resumed."""

    model: ModelConfig
    """The architecture and size of the model."""
    batches: SamplerConfig = field(default_factory=SamplerConfig)
    """How windows are drawn and put into batches."""
    training: TrainingConfig = field(default_factory=TrainingConfig)
    """The optimiser, validation and checkpoints."""
    length: LengthConfig = field(default_factory=LengthConfig)
    """Length limits of translations, saved with the model."""


TABLES: dict[str, type] = {
    "corpus": CorpusConfig,
    "model": ModelConfig,
    "batches": SamplerConfig,
    "training": TrainingConfig,
    "length": LengthConfig,
}
"""The tables of a recipe with their config classes."""


def read_tables(path: Path | None, overrides: Iterable[str] = ()) -> dict[str, Any]:
    """The tables of a recipe, with overrides; an unknown table or key in either is an error."""
    values = read_toml(path) if path else {}
    check_tables(values, str(path))
    for override in overrides:
        changed = apply_overrides(values, [override])
        check_tables(apply_overrides({}, [override]), f"--set {override}")
        values = changed
    return values


def check_tables(values: dict[str, Any], source: str) -> None:
    """Raise if a recipe has an unknown table or key; values are checked when they are used."""
    training = values.get("training", {})
    for old, new in RENAMED_SETTINGS.items():
        if isinstance(training, dict) and old in training:
            raise ConfigError(f"{source}: `training.{old}` is now `training.{new}`.")
    known = {table: [*setting_keys(kind, table)] for table, kind in TABLES.items()}
    known["model"].append("model.preset")
    check_keys(values, known, source)


def read_run_recipe(
    path: Path, vocabularies: tuple[int, int], overrides: Iterable[str] = ()
) -> RunConfig:
    """Read the settings of a run from a recipe, for data with these vocabulary sizes."""
    return build_run(read_tables(path, overrides), vocabularies, str(path))


def read_corpus_recipe(path: Path, overrides: Iterable[str] = ()) -> CorpusConfig:
    """Read the corpus of a recipe; an unknown setting of its other tables is an error too."""
    values = read_tables(path, overrides)
    return build(CorpusConfig, values.get("corpus", {}), str(path), "corpus.")


def build_run(values: dict[str, Any], vocabularies: tuple[int, int], source: str) -> RunConfig:
    """The settings in the tables of `RunConfig`; the corpus is left out."""
    check_tables(values, source)
    sizes = dict(zip(("source_vocabulary", "target_vocabulary"), vocabularies, strict=True))
    model = {**sizes, **expand_preset(values.get("model", {}))}
    own = {key: value for key, value in values.items() if key in ("batches", "training", "length")}
    return build(RunConfig, {**own, "model": model}, source)
