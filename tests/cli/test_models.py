# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""`longways models`, and models that `longways translate` picks by their languages."""

import json

import pytest

from tests.command import longways
from tests.translation.installed.models import make_model

GERMAN = "Öffnen Sie das Menü, und speichern Sie die Datei, bevor Sie das Fenster schließen.\n"
CHINESE = "打开菜单，关闭窗口之前请保存文件。\n"


@pytest.fixture
def command(tmp_path):
    def command(*arguments, text=""):
        user = str(tmp_path / "user")
        return longways(*arguments, cwd=tmp_path, text=text, LONGWAYS_MODELS=user)

    return command


def test_a_model_is_added_listed_shown_and_removed(command, tmp_path):
    make_model(tmp_path / "de-fr", "de", "fr")
    added = command("models", "add", "de-fr")
    assert (added.returncode, added.stdout) == (
        0, f"de-fr: de to fr, {tmp_path / 'user' / 'de-fr'}\n",
    )  # fmt: skip
    listed = command("models", "list")
    assert [line.split("  ")[0] for line in listed.stdout.splitlines()] == ["de-fr", "zh-en-docs"]
    assert f"Models that you add are in {tmp_path / 'user'}." in listed.stderr
    rows = [json.loads(line) for line in command("models", "list", "--json").stdout.splitlines()]
    assert [(row["source"], row["origin"]) for row in rows] == [("de", "added"), ("zh", "bundled")]
    assert command("models", "info", "de-fr").stdout.startswith("de-fr: de to fr, added, 16.")
    assert command("models", "remove", "de-fr").returncode == 0
    assert command("models", "info", "de-fr").returncode == 2


def test_translate_picks_the_model_by_the_languages(command, tmp_path):
    make_model(tmp_path / "user" / "mine", "de", "fr")
    (tmp_path / "page.md").write_text(GERMAN)
    done = command("translate", "page.md", "--to", "fr")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "page.fr.md\n"
    assert "longways: The model is mine, from de to fr.\n" in done.stderr
    piped = command("translate", "--to", "fra", "--from", "deu", text=GERMAN)
    assert piped.returncode == 0, piped.stderr


def test_the_language_of_the_page_picks_between_models(command, tmp_path):
    make_model(tmp_path / "user" / "mine", "de", "en")
    (tmp_path / "page.md").write_text(CHINESE)
    done = command("translate", "page.md", "--to", "en")
    assert "The model is zh-en-docs, from zh to en." in done.stderr
    assert (tmp_path / "page.en.md").read_text().startswith("Open")


def test_of_two_models_one_is_taken_and_said(command, tmp_path):
    make_model(tmp_path / "user" / "mine", "zh", "en")
    (tmp_path / "page.md").write_text(CHINESE)
    done = command("translate", "page.md", "--to", "en")
    assert "2 models translate from zh to en: mine is taken" in done.stderr
    done = command("translate", "page.md", "--to", "en", "--model", "zh-en-docs", "--force")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["page.md", "--to", "ja"], "No installed model translates from any language into ja"),
        (
            ["page.md", "--to", "en"],
            "page.md seems to be in de. No installed model translates from",
        ),
        (["page.md", "--from", "de", "--to", "en"], "opus-mt-de-en -o de-en"),
        (["none.md", "--to", "en"], "There is no file none.md"),
        (["page.md", "--to", "fr", "--model", "zh-en-docs"], "not from zh into fr"),
        (["page.md", "--model", "none"], "There is no model folder at none."),
    ],
)
def test_where_no_model_fits_one_sentence_says_what_to_do(command, tmp_path, arguments, words):
    (tmp_path / "page.md").write_text(GERMAN * 5)
    done = command("translate", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "page.en.md").exists()


def test_standard_input_needs_a_language_where_several_models_fit(command, tmp_path):
    make_model(tmp_path / "user" / "mine", "de", "en")
    done = command("translate", "--to", "en", text=GERMAN)
    assert (done.returncode, "Standard input may be in de or zh." in done.stderr) == (2, True)


def test_a_packed_model_is_added_from_its_wheel(command, tmp_path):
    make_model(tmp_path / "de-fr", "de", "fr")
    packed = command("models", "pack", "de-fr", "-o", "dist", "--version", "1.1")
    assert packed.stdout == "dist/longways_model_de_fr-1.1-py3-none-any.whl\n"
    added = command("models", "add", packed.stdout.strip())
    assert added.stdout.startswith("de-fr: de to fr, ")
