"""Defects of the README, the command line and the package: commands, help, columns, links."""

import json
import random
import re
import tomllib

import pytest

from longways.decoding.open import open_runtime
from longways.errors import ConfigError
from longways.translation.model_folder import default_model
from tests.docs.pages import ROOT, Shell

README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
COMMANDS = (
    "translate", "info", "init", "prepare", "train", "evaluate", "export", "consistency", "study",
    "bench speed", "bench training", "bench translation", "bench memory",
)  # fmt: skip


def section(title):
    """The text of a section of the README."""
    return README.split(f"\n## {title}\n")[1].split("\n## ")[0]


def plain_blocks(text):
    return re.findall(r"^```\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.fixture
def shell(tmp_path):
    return Shell(tmp_path)


def write_corpus(folder):
    """A German corpus of a few words in three splits, and a page to translate."""
    draw = random.Random(1)
    words = [("Tür", "door"), ("Haus", "house"), ("Buch", "book"), ("rot", "red"), ("alt", "old")]
    for split, documents in (("train", 30), ("dev", 4), ("test", 4)):
        rows = []
        for document in range(documents * 5):
            chosen = draw.choices(words, k=draw.randint(2, 5))
            sides = (" ".join(pair[side] for pair in chosen) + "." for side in (0, 1))
            rows.append("\t".join([f"{split}{document // 5}", *sides]))
        (folder / f"{split}.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "page.de.txt").write_text("Das Haus ist rot.\n", encoding="utf-8")


class TestF5CommandsChain:
    """The commands of the README run one after the other, as they are typed."""

    def test_train_your_own(self, shell):
        write_corpus(shell.folder)
        (block,) = plain_blocks(section("Train your own"))
        lines = block.splitlines()
        verbs = [line.split()[1] for line in lines]
        assert verbs == ["init", "prepare", "train", "evaluate", "export", "translate"]
        shell.run(lines[0])
        recipe = next(shell.folder.glob("mine/recipe.toml"))
        small = {"updates": 2, "evaluate_every": 2, "dim": 16, "heads": 2, "feed_forward": 16}
        text = recipe.read_text()
        for key, value in small.items():  # the test has no twenty minutes
            text, count = re.subn(rf"(?m)^{key} = .*", f"{key} = {value}", text)
            assert count == 1, key
        recipe.write_text(text)
        for line in lines[1:]:
            shell.run(line)
        assert (shell.folder / "page.en.txt").exists()

    def test_installation_is_said_and_recipes_are_found_after_it(self):
        assert "pip install longways" in section("Install")
        packages = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        assert packages["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == [
            "src/longways"
        ]
        assert list((ROOT / "src/longways/recipes").glob("*/recipe.toml"))

    def test_every_file_of_the_repository_that_the_readme_names_exists(self):
        named = re.findall(r"longways/(?:blob/)?main/([\w./-]+)", README)
        assert named
        for name in named:
            assert (ROOT / name).exists(), name


class TestF6Messages:
    """Success says where the translation is; help is readable; errors say what to do."""

    def test_the_path_of_a_new_file_is_printed_and_a_pipe_has_only_text(self, shell):
        (shell.folder / "a.zh.txt").write_text("打开终端。\n", encoding="utf-8")
        assert shell.run("longways translate a.zh.txt --beam 1") == "a.en.txt\n"
        assert shell.run("longways translate --beam 1 < a.zh.txt") == "Open the terminal.\n"
        assert shell.run("longways translate a.zh.txt -o /dev/stdout --beam 1") == (
            "Open the terminal.\n"
        )
        printed = shell.run("longways translate a.zh.txt a.zh.txt --json --beam 1 -o all.json 2>&1")
        assert printed.splitlines()[-1] == "all.json"

    def test_finished_files_are_printed_though_another_one_fails(self, shell):
        folder = shell.folder / "partly"
        folder.mkdir()
        (folder / "a.txt").write_text("打开终端。\n", encoding="utf-8")
        (folder / "b.txt").write_bytes(b"\xff\xfe\x00")
        printed = shell.run("longways translate partly --beam 1 2> partly.log; echo $?")
        assert printed == "partly/a.en.txt\n2\n"

    @pytest.mark.parametrize("command", COMMANDS)
    def test_help_fits_80_columns_and_is_wrapped_once(self, shell, command):
        page = shell.run(f"longways {command} --help")
        lines = page.splitlines()
        assert lines[0].startswith(f"Usage: longways {command} [OPTIONS]")
        assert max(map(len, lines)) <= 80
        start = lines.index("Options:") + 1
        meanings = [line[26:] for line in lines[start:] if line[26:].strip()]
        assert sum(map(len, meanings)) / len(meanings) > 28
        assert all(line[:26].strip() == "" or line.startswith("  -") for line in lines[start:])

    def test_a_gpu_and_the_bundled_model(self):
        with pytest.raises(ConfigError, match=r"exported for the CPU .*Use --device cpu, or with"):
            open_runtime(default_model(), "cuda")

    def test_the_readme_streams_no_paragraphs_as_sentences(self):
        assert ".stream(" not in README


class TestF7Differences:
    """A difference has something to differ from, and is of what its name says."""

    @pytest.fixture
    def corpus(self, shell):
        rows = ["一\tOne door is open here .", "二\tTwo old books are red ."]
        (shell.folder / "two.tsv").write_text(
            "".join(f"d{n}\t{row}\n" for n, row in enumerate(rows)), encoding="utf-8"
        )
        (shell.folder / "one.tsv").write_text(
            "".join(f"d\t{row}\n" for row in rows), encoding="utf-8"
        )
        for name, last in (("a", "red"), ("b", "new")):
            text = f"One door is open here .\n{{}}Two old books are {last} .\n"
            (shell.folder / f"{name}.txt").write_text(text.format(""), encoding="utf-8")
            (shell.folder / f"{name}2.txt").write_text(text.format("\n"), encoding="utf-8")
        return shell

    @staticmethod
    def columns(shell, *hypotheses, reference):
        files = " ".join(f"--hyp {name}" for name in hypotheses)
        printed = shell.run(f"longways evaluate {files} --ref {reference} --json")
        return set(json.loads(printed)["rows"][0])

    def test_one_model_alone_has_none(self, corpus):
        found = self.columns(corpus, "a2.txt", reference="two.tsv")
        assert "document BLEU" in found
        assert not [name for name in found if "difference" in name or name.startswith("p of")]

    def test_of_one_document_they_are_of_sentences_and_named_so(self, corpus):
        found = self.columns(corpus, "a2.txt", "b2.txt", reference="two.tsv")
        assert {"BLEU difference", "p of BLEU"} <= found
        found = self.columns(corpus, "a.txt", "b.txt", reference="one.tsv")
        assert {"sentence BLEU difference", "p of sentence BLEU"} <= found
        assert not {"BLEU difference", "p of BLEU"} & found


class TestF9Package:
    """What a package index, a reader and a shell need is there."""

    def test_metadata_and_files(self):
        assert {"Homepage", "Documentation", "Issues", "Source"} <= set(PROJECT["urls"])
        assert len(PROJECT["classifiers"]) > 10
        for name in ("CITATION.cff", "SECURITY.md", "LICENSE", ".github/workflows/ci.yml"):
            assert (ROOT / name).is_file()

    def test_links_and_pictures_of_the_readme_work_on_a_package_index(self):
        places = re.findall(r"\]\(\s*([^)]+?)\s*\)", README.replace("\n", " "))
        places += re.findall(r"(?:href|src)=\"([^\"]+)\"", README)
        assert len(places) > 10
        assert [place for place in places if not place.startswith("https://")] == []

    def test_a_shell_completes(self, shell):
        assert "--install-completion" in shell.run("longways --help")


class TestF10GpuTests:
    """The record of GPU tests is one of success, and gradients in bfloat16 are among them."""

    def test_the_record_has_no_failure(self):
        record = json.loads((ROOT / "results/foundation/gpu-tests.json").read_text("utf-8"))
        assert not record["failed"]
        assert record["counts"]["failed"] == record["counts"]["error"] == 0
        assert record["counts"]["passed"] == sum(record["passed"].values()) > 500

    @pytest.mark.parametrize(
        "name",
        [
            "test_gradients_of_compiled_layers_equal_plain_layers",
            "test_gradients_in_bfloat16_have_the_direction_of_float32",
            "test_updates_with_graphs_equal_plain_updates",
        ],
    )
    def test_gradients_of_the_path_of_all_results_are_tested(self, name):
        record = json.loads((ROOT / "results/foundation/gpu-tests.json").read_text("utf-8"))
        assert record["passed"][f"tests/gpu/test_training.py::{name}"] > 0
        assert f"def {name}(" in (ROOT / "tests/gpu/test_training.py").read_text("utf-8")
