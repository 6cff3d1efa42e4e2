"""The tables of a study, against numbers worked by hand and against stored results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from longways.corpus.prepared_data import Split
from longways.experiments.config import Study, StudyModel
from longways.experiments.report import Findings, write_findings
from longways.experiments.run_facts import describe_attention, flat_from
from longways.experiments.seeds import merge_consistency, seed_groups, seed_rows
from longways.experiments.table import WINDOW_SUFFIX, read_paper, system, table_one
from longways.model.build import build_model
from longways.model.config import preset
from longways.model.state_size import state_bytes, window_tokens
from longways.model.translation import TranslationModel
from longways.results import Report
from tests.attention.windows import MAPS
from tests.decoding.tiny import SIZES

ROOT = Path(__file__).parents[2]
SOFTMAX, SGATE = "cross softmax, causal softmax", "cross rfa 8, causal rfa 4, gate decay"
ROWS = [
    {"model": "transformer-L4", "L": 4, "document BLEU": 30.0, "attention": SOFTMAX, "seed": 1},
    {"model": "transformer-L4-b", "L": 4, "document BLEU": 31.0, "attention": SOFTMAX, "seed": 2},
    {"model": "transformer-L1", "L": 1, "document BLEU": 33.0, "attention": SOFTMAX, "seed": 1},
    {"model": "rfa-sgate-L4", "L": 4, "document BLEU": 30.6, "attention": SGATE, "seed": 1},
]
GROUPS = {
    "transformer-L4": ["transformer-L4", "transformer-L4-b"],
    "transformer-L1": ["transformer-L1"],
    "rfa-sgate-L4": ["rfa-sgate-L4"],
}


def test_the_table_has_a_line_a_system_a_column_an_l_and_the_paper_beside_it():
    """30 and 31 have mean 30.5 and spread 0.7; 30.6 is above it, so it is bold."""
    first, second = table_one(ROWS, GROUPS, read_paper())
    corpora = ("paper: IWSLT zh-en", "paper: OpenSubtitles en-ru")
    assert [first[key] for key in ("model", "L=1", "L=4")] == ["transformer", "33.0", "30.5 ± 0.7"]
    assert [second[key] for key in ("model", "L=1", "L=4")] == ["rfa-sgate", "-", "**30.6**"]
    paper = [[row[f"{c} L={L}"] for c in corpora for L in (1, 4)] for row in (first, second)]
    assert paper == [["31.7", "30.4", "32.6", "33.1"], ["-", "31.2", "-", "33.2"]]


def test_two_models_of_one_name_and_l_keep_their_whole_names():
    rows = [{**ROWS[0], "model": name} for name in ("transformer", "transformer-L4")]
    lines = table_one(rows, {row["model"]: [row["model"]] for row in rows}, read_paper())
    assert [line["model"] for line in lines] == ["transformer", "transformer-L4"]


@pytest.mark.parametrize("name", ["transformer", "rfa", "rfa-sgate", "rfa-sgate-avg", "hybrid"])
def test_a_system_is_known_by_its_attention(name):
    assert system(describe_attention(preset(name))) == name


def test_mean_and_spread_over_seeds():
    (row,) = seed_rows(ROWS, GROUPS)
    assert (row["model"], row["seeds"], row["L"]) == ("transformer-L4", [1, 2], 4)
    assert (row["document BLEU"], row["document BLEU spread"]) == (30.5, 0.7071)


def test_models_are_grouped_by_all_settings_but_seeds():
    models = (
        StudyModel("a", ("model.dim=8", "training.seed=1")),
        StudyModel("b", ("model.dim=8", "training.seed=2", "model.seed=7")),
        StudyModel("c", ("model.dim=16",)),
        StudyModel("from-a", ("model.dim=8",), "a"),
        StudyModel("from-b", ("model.dim=8", "batches.seed=3"), "b"),
        StudyModel("from-c", ("model.dim=8",), "c"),
    )
    groups = seed_groups(Study("s", Path(), "a", models))
    assert list(groups.values()) == [["a", "b"], ["c"], ["from-a", "from-b"], ["from-c"]]


def test_consistency_is_averaged_over_seeds():
    row = {"set": "deixis", "L": 2, "guessing": 0.5, "items": 10}
    rows = [
        {**row, "model": "transformer-L4", "accuracy": 0.6, "ties": 1, "by distance": {"d": 0.5}},
        {**row, "model": "transformer-L4-b", "accuracy": 0.8, "ties": 0, "by distance": {"d": 0.7}},
    ]
    (merged,) = merge_consistency(rows, GROUPS)
    assert (merged["accuracy"], merged["spread"], merged["seeds"]) == (0.7, 0.1414, 2)
    assert (merged["ties"], merged["by distance"]) == (0.5, {"d": 0.6})


@pytest.mark.parametrize(
    ("losses", "update"),
    [([3.0, 2.0, 1.009, 1.0, 1.005], 3), ([1.0, 3.0, 1.0], 3), ([2.0], 1), ([], None)],
)
def test_a_curve_is_flat_from_where_it_stays_near_its_best(losses, update):
    curve = [{"update": n, "dev_loss": loss} for n, loss in enumerate(losses, start=1)]
    assert flat_from(curve) == update


@pytest.mark.parametrize("feature_map", MAPS)
@pytest.mark.parametrize("name", ["rfa", "rfa-sgate"])
def test_the_state_bytes_of_rfa_equal_the_allocated_bytes(name, feature_map):
    sides = [f"{side}.feature_map={feature_map}" for side in ("cross", "causal")]
    config = preset(name, *sides, "cross.projection=8", "causal.projection=4", **SIZES)
    model = TranslationModel(config).eval()
    memory = model.encode(torch.tensor([[5, 6, 7, 2]]))
    allocated = model.start(memory).size_bytes() + memory.size_bytes()
    assert state_bytes(config, 4, 9) == state_bytes(config, 99, 999) == allocated


def test_the_state_bytes_of_a_stream_model_equal_the_allocated_bytes():
    config = preset("stream", "stream.heads=1", "stream.projection=8", **SIZES)
    model = build_model(config).eval()
    source = torch.full((1, 5), 7)
    sentence = model.encode_sentence(source, model.open_documents(1))
    after = model.finish_sentence(sentence, torch.full((1, 9), 7))
    keys = 2 * (config.heads - config.stream.heads) * config.head_dim * (5 + 9) * 4
    assert state_bytes(config, 5, 9) == after.size_bytes() + config.decoder_layers * keys


@pytest.mark.parametrize("smaller", [(), ("cross.key_heads=1",), ("cross.means=3",)])
def test_the_state_bytes_of_softmax_are_its_keys_and_values(smaller):
    config = preset("transformer", *smaller, **SIZES)
    model = TranslationModel(config).eval()
    memory = model.encode(torch.tensor([[5, 6, 7, 2]]))
    known = sum(layer.keys.nbytes + layer.values.nbytes for layer in memory.layers)
    state = model.decoder.start(memory, 9)
    read = sum(layer.keys.nbytes + layer.values.nbytes for layer in state.layers)
    assert state_bytes(config, 4, 9) == known + read


def test_a_usual_window_is_l_sentences_of_mean_length():
    empty, offsets = torch.zeros(0).numpy(), torch.tensor([0, 3, 8]).numpy()
    split = Split(empty, empty, offsets, 2 * offsets, torch.tensor([0, 2]).numpy())
    assert window_tokens(split, 4) == (16.0, 32.0)


def test_a_study_that_was_written_earlier_can_still_be_read(tmp_path):
    old = json.loads((ROOT / "results" / "training" / "opendocs" / "study.json").read_text())
    for row in old["rows"]:
        del row["state bytes"], row["flat from"]  # columns that were added later
    result = Report(**old)
    groups = {row["model"]: [row["model"]] for row in result.rows}
    write_findings(Findings(result, groups, []), tmp_path)
    assert json.loads((tmp_path / "study.json").read_text()) == old
    lines = json.loads((tmp_path / "table.json").read_text())["rows"]
    systems = dict.fromkeys(WINDOW_SUFFIX.sub("", row["model"]) for row in result.rows)
    assert [line["model"] for line in lines] == list(systems)  # the same with another L is one line
    bleu = {line["model"]: line["L=4"] for line in lines}
    assert bleu["transformer"] == f"{result.rows[0]['document BLEU']:.1f}"
    assert not list(tmp_path.glob("*.svg"))
