"""The curves of a run, from its log."""

import json

import pytest

from longways.errors import CorpusError
from longways.training.runs.plot import (
    MAX_POINTS,
    TRAINING_TITLE,
    layer_curves,
    log_curves,
    plot_runs,
    thinned,
)


def write_run(folder, *entries):
    folder.mkdir()
    (folder / "log.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return folder


def update(number, loss, done=True):
    return {"update": number, "loss": loss, "done": done}


def test_every_score_of_a_run_has_a_curve(tmp_path):
    run = write_run(
        tmp_path / "run",
        update(1, 4.0),
        update(2, 99.0, done=False),
        update(3, 2.0),
        {"update": 3, "dev_loss": 2.5, "dev_bleu": 11.0},
        update(4, 1.0),
        {"update": 4, "dev_loss": 2.0, "dev_bleu": 12.0},
    )
    found = log_curves(run)
    assert found["development loss"] == ([3, 4], [2.5, 2.0])
    assert found["development BLEU"] == ([3, 4], [11.0, 12.0])
    updates, losses = found[TRAINING_TITLE]
    assert updates == [1, 3, 4]  # an update that was skipped has no loss to speak of
    assert losses[0] == pytest.approx(4.0)
    assert 1.0 < losses[2] < losses[1] < 4.0


def test_statistics_of_attention_have_a_curve_for_each_layer_or_their_mean(tmp_path):
    entries = [
        {"update": n, "attention": {"cross tau": [1.0, n / 4], "causal gate": [0.5, 0.7]}}
        for n in (2, 4)
    ]
    run = write_run(tmp_path / "run", update(1, 4.0), *entries)
    assert log_curves(run)["cross tau"] == ([2, 4], [0.75, 1.0])
    assert layer_curves(run)["layer 2"] == {
        "cross tau": ([2, 4], [0.5, 1.0]),
        "causal gate": ([2, 4], [0.7, 0.7]),
    }
    plot_runs([run], tmp_path / "one.svg")
    drawn = (tmp_path / "one.svg").read_text()
    assert drawn.count("<!-- layer 1 -->") == 2  # in the legends of both statistics
    assert drawn.count("<!-- run -->") == 1


def test_runs_with_other_scores_share_a_picture(tmp_path):
    one = write_run(tmp_path / "one", update(1, 4.0), {"update": 1, "dev_loss": 2.5})
    other = write_run(
        tmp_path / "other", update(1, 3.0), {"update": 1, "dev_loss": 2.0, "dev_bleu": 9.0}
    )
    plot_runs([one, other], tmp_path / "both.svg")
    drawn = (tmp_path / "both.svg").read_text()
    assert drawn.count("<!-- other -->") == 3  # in the legend of each panel
    assert drawn.count("<!-- one -->") == 2
    assert "development BLEU" in drawn


@pytest.mark.parametrize("length", [0, 1, MAX_POINTS, MAX_POINTS + 1, 10 * MAX_POINTS + 7])
def test_a_long_curve_keeps_its_ends_and_few_points(length):
    updates = list(range(length))
    kept, values = thinned((updates, [2.0 * update for update in updates]))
    assert values == [2.0 * update for update in kept]
    assert len(kept) <= MAX_POINTS + 1
    assert (kept[:1], kept[-1:]) == (updates[:1], updates[-1:])


def test_a_folder_without_a_log_is_no_run(tmp_path):
    with pytest.raises(CorpusError, match="is not a run"):
        log_curves(tmp_path)
