"""Training is reproducible, and a stopped run is resumed to the same bits."""

import json
import math
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from longways.corpus.prepared_data import SplitCounts
from longways.corpus.window import translation_windows
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import LengthConfig, TranslateConfig
from longways.decoding.torch import TorchRuntime
from longways.errors import (
    ConfigError,
    CorpusError,
    DamagedCheckpoint,
    DiskFull,
    LongwaysError,
)
from longways.evaluation.metrics.score import score_documents
from longways.model.checkpoint import load_model
from longways.model.translation import TranslationModel
from longways.recipes import RECIPES
from longways.text.tokenizers.special_tokens import BOS, EOS, SEP
from longways.training.checkpoints import Progress, load_checkpoint
from longways.training.config import TrainingConfig, read_run_recipe
from longways.training.dev_loss import DevLoss
from longways.training.device.distributed import Distributed
from longways.training.loop import Trainer
from longways.training.runs.log import read_log
from longways.training.runs.run import Run, check_same, is_stopped_early, read_run, write_run
from longways.translation.dataset import split_references, translate_split
from longways.translation.model_folder import ModelFolder
from tests.training.runs import ALONE, prepare_toy, tiny_run


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return prepare_toy(tmp_path_factory.mktemp("toy") / "data")


def train(config, data, folder, ranks=ALONE) -> Trainer:
    folder.mkdir(exist_ok=True)
    trainer = Trainer(config, data, folder, ranks)
    trainer.run()
    return trainer


def losses(folder) -> dict[int, float]:
    return {e["update"]: e["loss"] for e in read_log(folder / "log.jsonl") if "loss" in e}


def weights(trainer: Trainer) -> dict[str, torch.Tensor]:
    return trainer.model.state_dict()


def same(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(first[name], second[name]) for name in first)


def test_the_same_recipe_twice_gives_the_same_bits(data, tmp_path):
    first, second = (train(tiny_run(data), data, tmp_path / name) for name in "ab")
    assert same(weights(first), weights(second))
    assert losses(tmp_path / "a") == losses(tmp_path / "b")


@pytest.mark.parametrize("stop", [1, 3, 4, 7, 11])
def test_a_run_that_was_stopped_is_resumed_to_the_same_bits(data, tmp_path, stop):
    whole = train(tiny_run(data), data, tmp_path / "whole")
    train(tiny_run(data, updates=stop), data, tmp_path / "parts")
    resumed = train(tiny_run(data), data, tmp_path / "parts")
    assert same(weights(whole), weights(resumed))
    assert resumed.progress == whole.progress
    assert losses(tmp_path / "parts") == losses(tmp_path / "whole")
    assert [e for e in read_log(tmp_path / "parts" / "log.jsonl") if "dev_loss" in e] == [
        e for e in read_log(tmp_path / "whole" / "log.jsonl") if "dev_loss" in e
    ]


def test_the_loss_falls(data, tmp_path):
    train(tiny_run(data, updates=60, learning_rate=5e-3), data, tmp_path / "run")
    found = losses(tmp_path / "run")
    assert found[60] < 0.7 * found[1]


def test_batches_one_after_the_other_equal_one_large_batch_in_tokens(data, tmp_path):
    trainer = train(tiny_run(data, accumulate=2, updates=4), data, tmp_path / "run")
    assert trainer.progress.batches == 8
    entries = read_log(tmp_path / "run" / "log.jsonl")
    first = sum(
        batch.target_tokens
        for _, batch in zip(
            range(2), (b for _, b in trainer.sampler.stages[0].read()), strict=False
        )
    )
    assert entries[0]["tokens"] == first


def test_the_best_model_is_kept_and_patience_ends_a_run(data, tmp_path):
    config = tiny_run(data, updates=400, evaluate_every=2, patience=2, learning_rate=0.5)
    trainer = train(config, data, tmp_path / "run")
    assert trainer.progress.stopped
    assert trainer.progress.update < 400
    validations = [e for e in read_log(tmp_path / "run" / "log.jsonl") if "dev_loss" in e]
    assert trainer.progress.best == min(e["dev_loss"] for e in validations)
    best = load_model(tmp_path / "run" / "best")
    assert trainer.validator.dev_loss.loss(best) == pytest.approx(trainer.progress.best, rel=1e-6)
    again = train(config, data, tmp_path / "run")
    assert again.progress == trainer.progress  # over is over


def test_patience_counts_epochs_as_the_paper_does(data, tmp_path):
    options = {"updates": 400, "evaluate_every": 3, "accumulate": 2, "learning_rate": 0.5}
    config = tiny_run(data, patience=2, patience_unit="epochs", **options)
    trainer = train(config, data, tmp_path)
    done, epoch = trainer.progress, trainer.sampler.stages[-1].batches
    since_best = (done.update - done.best_update) * 2
    assert done.stopped
    assert since_best >= 2 * epoch
    assert since_best - 2 * 3 < 2 * epoch  # the validation before came too early
    assert is_stopped_early(tmp_path)


def test_epochs_that_are_smaller_than_an_update_are_not_counted(data, tmp_path):
    config = tiny_run(data, patience_unit="epochs")
    config = replace(config, batches=replace(config.batches, tokens=16_384))
    with pytest.raises(
        ConfigError, match=r"epoch of the train split has [\d,]+ target tokens, few"
    ):
        Trainer(config, data, tmp_path, ALONE)
    Trainer(replace(config, training=replace(config.training, patience=0)), data, tmp_path, ALONE)


def test_length_limits_of_the_recipe_are_saved_with_the_model(data, tmp_path):
    limits = LengthConfig(ratio=1.0, extra=50)
    Trainer(replace(tiny_run(data, updates=4), length=limits), data, tmp_path, ALONE).run()
    assert ModelFolder.read(tmp_path / "best").length == limits


@pytest.mark.parametrize(("recipe", "limits"), [("opendocs-en-ru", (1.0, 50)), ("toy", (1.2, 70))])
def test_english_to_russian_has_the_length_limit_of_the_paper(recipe, limits):
    length = read_run_recipe(RECIPES / recipe / "recipe.toml", (400, 400)).length
    assert (length.ratio, length.extra) == limits


def test_a_gradient_that_is_not_finite_skips_the_update_and_ten_end_the_run(data, tmp_path):
    trainer = Trainer(tiny_run(data, updates=30), data, tmp_path, ALONE)
    with torch.no_grad():
        trainer.model.decoder.layers[0].feed_forward.wide.weight.fill_(math.nan)
    before = {k: v.clone() for k, v in weights(trainer).items() if "pools" not in k}
    with pytest.raises(LongwaysError, match=r"10 updates in a row was not finite.*learning_rate"):
        trainer.run()
    assert trainer.progress.skipped == 10
    after = weights(trainer)
    assert all(torch.equal(v, after[k]) or v.isnan().any() for k, v in before.items())


def test_more_processes_than_batches_per_update_are_refused(data, tmp_path):
    with pytest.raises(ConfigError, match="2 processes must share these batches evenly"):
        Trainer(tiny_run(data), data, tmp_path, Distributed(0, 2, torch.device("cpu")))


def test_a_dev_split_without_documents_is_refused(data, tmp_path):
    empty = replace(data, folder=tmp_path / "data")
    shutil.copytree(data.folder, empty.folder)
    for name in ("source", "target", "source-offsets", "target-offsets", "documents"):
        path = empty.folder / "dev" / f"{name}.npy"
        np.save(path, np.load(path)[: name.endswith(("offsets", "documents"))])
    empty = replace(empty, counts={**data.counts, "dev": SplitCounts()})
    with pytest.raises(CorpusError, match=r"The dev split of .* has no documents"):
        Trainer(tiny_run(data), empty, tmp_path / "run", ALONE)


def test_tensorboard_gets_the_numbers_of_the_log(data, tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    train(tiny_run(data, tensorboard=True), data, tmp_path / "run")
    events = EventAccumulator(str(tmp_path / "run" / "tensorboard"))
    events.Reload()
    found = {event.step: event.value for event in events.Scalars("training/loss")}
    assert found == pytest.approx(losses(tmp_path / "run"), rel=1e-6)
    assert len(events.Scalars("development/dev_loss")) == 3


def test_the_dev_loss_is_the_loss_of_last_sentences_worked_by_hand(data):
    torch.manual_seed(0)
    model = TranslationModel(tiny_run(data).model).eval()
    split = data.split("dev")
    found = DevLoss(split, torch.device("cpu"), L=3, tokens=300, longest=1000).loss(model)

    def sentence(side: str, i: int) -> list[int]:
        ids, offsets = getattr(split, side), getattr(split, f"{side}_offsets")
        return ids[offsets[i] : offsets[i + 1] - 1].tolist()

    def window(side: str, start: int, end: int) -> list[int]:
        joined = [token for i in range(start, end) for token in (*sentence(side, i), SEP)]
        return [*joined[:-1], EOS]

    total, tokens = 0.0, 0
    for start, end in translation_windows(np.asarray(split.documents), 3).tolist():
        source, target = window("source", start, end), window("target", start, end)
        last = len(sentence("target", end - 1)) + 1
        with torch.no_grad():
            logits = model(torch.tensor([source]), torch.tensor([[BOS, *target[:-1]]]))[0]
        total += cross_entropy(logits[-last:], torch.tensor(target[-last:]), reduction="sum").item()
        tokens += last
    assert found == pytest.approx(total / tokens, rel=1e-5)


class TestRunFolder:
    def test_a_run_is_written_and_read(self, data, tmp_path):
        config = tiny_run(data)
        write_run(tmp_path, Run(config, data.folder))
        assert read_run(tmp_path) == Run(config, data.folder)

    def test_the_old_name_of_a_setting_is_read_from_a_run_but_not_from_a_recipe(
        self, data, tmp_path
    ):
        config = tiny_run(data, bleu_documents=3)
        write_run(tmp_path, Run(config, data.folder))
        path = tmp_path / "run.json"
        path.write_text(path.read_text().replace('"bleu_documents"', '"judged"'))
        assert read_run(tmp_path).config == config
        with pytest.raises(
            ConfigError, match=r"`training.judged` is now `training.bleu_documents`"
        ):
            tiny_run(data, judged=3)

    def test_other_settings_are_named_key_by_key(self, data, tmp_path):
        config = tiny_run(data)
        other = replace(config, training=replace(config.training, learning_rate=0.1, seed=2))
        check_same(config, config, tmp_path)
        with pytest.raises(
            ConfigError, match=r"learning_rate: 0.001 -> 0.1; training.seed: 1 -> 2"
        ):
            check_same(config, other, tmp_path)

    def test_a_checkpoint_without_its_progress_is_refused(self, data, tmp_path):
        trainer = train(tiny_run(data, updates=2), data, tmp_path / "run")
        (tmp_path / "run" / "last" / "progress.json").unlink()
        with pytest.raises(DamagedCheckpoint, match="cannot be resumed"):
            load_checkpoint(tmp_path / "run" / "last", trainer.updater)

    def test_a_log_cut_by_a_crash_loses_only_its_last_line(self, tmp_path):
        path = tmp_path / "log.jsonl"
        path.write_text('{"update": 1}\n{"update": 2}\n{"upda')
        assert read_log(path) == [{"update": 1}, {"update": 2}]
        path.write_text('{"update": 1}\n{"upda\n{"update": 3}\n')
        with pytest.raises(DamagedCheckpoint, match="line 2 is not valid JSON"):
            read_log(path)

    def test_a_full_disk_leaves_the_last_checkpoint_whole(self, data, tmp_path, monkeypatch):
        train(tiny_run(data, updates=3), data, tmp_path / "run")

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("longways.training.checkpoints.save_file", full)
        with pytest.raises(DiskFull, match="no space left to write"):
            train(tiny_run(data, updates=6), data, tmp_path / "run")
        progress = json.loads((tmp_path / "run" / "last" / "progress.json").read_text())
        assert Progress(**progress).update == 3


CONSISTENCY = [
    {
        "src": "bemo lara . _eos ze kito .",
        "dst": ["lara sees . _eos she comes .", "lara sees . _eos he comes ."],
        "true_ind": true,
    }
    for true in (0, 1)
]
"""The same item twice, with either answer: whatever the model prefers, it is right once."""


class TestMetrics:
    def test_a_run_with_the_metric_bleu_keeps_the_model_with_the_highest_score(
        self, data, tmp_path
    ):
        settings = {"metric": "bleu", "beam": 2, "learning_rate": 5e-3, "bleu_documents": 2}
        trainer = train(tiny_run(data, updates=8, **settings), data, tmp_path / "run")
        log = read_log(tmp_path / "run" / "log.jsonl")
        validations = [entry for entry in log if "dev_bleu" in entry]
        assert len(validations) == 2
        assert trainer.progress.best == max(entry["dev_bleu"] for entry in validations)
        assert all("dev_loss" in entry for entry in validations)
        assert trainer.model.training

    def test_document_bleu_equals_the_score_of_the_best_models_translations(self, data, tmp_path):
        trainer = train(tiny_run(data, updates=4, metric="bleu", beam=1), data, tmp_path / "run")
        runtime = TorchRuntime(load_model(tmp_path / "run" / "best"))
        how = TranslateConfig(L=4, search=SearchConfig(beams=1))
        output = translate_split(runtime, data.split("dev"), data.text(), how)
        references = split_references(data.split("dev"), data.text())
        wanted = score_documents(output, references).document_bleu.value
        assert trainer.progress.best == pytest.approx(wanted)

    def test_a_run_can_be_validated_by_consistency(self, data, tmp_path):
        items = tmp_path / "set.json"
        items.write_text(json.dumps(CONSISTENCY))
        settings = {"metric": "consistency", "consistency": str(items), "updates": 4}
        trainer = train(tiny_run(data, **settings), data, tmp_path / "run")
        assert trainer.progress.best == 0.5

    def test_consistency_without_a_set_is_refused(self):
        with pytest.raises(ConfigError, match=r"training.consistency names no contrastive set"):
            TrainingConfig(metric="consistency")
