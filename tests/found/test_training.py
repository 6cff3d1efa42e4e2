"""Defects of training on small corpora: a vocabulary that is too large, limits checked too late."""

import random

import pytest

from longways.corpus.prepared_data import open_data
from longways.text.config import TextConfig
from longways.text.vocabulary_size import vocabulary_size
from tests.command import longways

TINY = (
    "training.updates=2", "training.evaluate_every=2", "corpus.train.documents=5",
    "corpus.dev.documents=2", "model.dim=8", "model.heads=2", "model.feed_forward=8",
)  # fmt: skip


def train(folder, *more):
    settings = [word for setting in (*TINY, *more) for word in ("--set", setting)]
    return longways("train", "toy", "run", "--device", "cpu", *settings, cwd=folder)


def sentences(count, seed, alphabet="abcdefghijklmnop"):
    """Sentences of eight words out of two thousand."""
    draw = random.Random(0)
    words = ["".join(draw.choices(alphabet, k=draw.randint(2, 9))) for _ in range(2000)]
    draw = random.Random(seed)
    return [" ".join(draw.choices(words, k=8)) for _ in range(count)]


class TestF3VocabularyOfASmallCorpus:
    """Without a setting the vocabulary size is chosen from the corpus."""

    def test_it_grows_with_the_corpus_up_to_a_limit(self):
        sizes = [vocabulary_size(TextConfig(), ["a b" * 1000] * n) for n in (1, 100, 3000, 20_000)]
        assert sizes == sorted(sizes)
        assert sizes[1] == 2192  # 300,000 characters
        assert sizes[-1] == 24_000

    def test_a_size_that_is_set_stays(self):
        assert vocabulary_size(TextConfig(vocabulary=777), iter(())) == 777
        assert vocabulary_size(TextConfig(max_vocabulary=1000), ["a b" * 10**6]) == 1000

    def test_many_different_characters_have_entries(self):
        text = "".join(map(chr, range(0x4E00, 0x4E00 + 3000)))
        assert vocabulary_size(TextConfig(), [text]) >= 261 + 2 * 2990

    def test_dev_is_segmented_like_train(self, tmp_path):
        for split, count, seed in (("train", 2500, 1), ("dev", 200, 2)):
            rows = zip(
                sentences(count, seed), sentences(count, seed + 5, "qrstuvwxyz"), strict=True
            )
            lines = [f"{n // 20}\t{ours}\t{theirs}\n" for n, (ours, theirs) in enumerate(rows)]
            (tmp_path / f"{split}.tsv").write_text("".join(lines))
        files = ["--train", "train.tsv", "--dev", "dev.tsv"]
        done = longways("prepare", "--languages", "eo-la", *files, "out", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        data = open_data(tmp_path / "out")
        rates = {s: c.target_tokens / c.sentences for s, c in data.counts.items()}
        assert data.vocabularies[0] < 5000
        assert rates["dev"] < 1.2 * rates["train"]


class TestF4LimitsBeforeTheFirstUpdate:
    """Positions are checked before an update, and a refused start blocks nothing."""

    @pytest.mark.parametrize("positions", [8, 12])
    def test_too_few_positions_are_refused_before_the_run_is_written(self, tmp_path, positions):
        done = train(tmp_path, f"model.positions={positions}")
        (line,) = (line for line in done.stderr.splitlines() if line.startswith("longways:"))
        assert done.returncode == 2
        assert f"the model has {positions} positions. Set batches.longest=8" in line
        assert not (tmp_path / "run" / "run.json").exists()
        assert train(tmp_path, "batches.longest=64", "model.positions=64").returncode == 0

    def test_other_corpus_settings_are_used_by_the_next_try(self, tmp_path):
        assert train(tmp_path, "model.positions=8").returncode == 2
        before = open_data(tmp_path / "run/data").counts["train"].documents
        assert train(tmp_path, "corpus.train.documents=6").returncode == 0
        assert (before, open_data(tmp_path / "run/data").counts["train"].documents) == (5, 6)
        refused = train(tmp_path, "corpus.train.documents=7")
        assert refused.returncode == 2
        assert "was prepared with another corpus.train.documents: 6, not 7" in refused.stderr
