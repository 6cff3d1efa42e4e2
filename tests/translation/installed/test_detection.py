# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""The source language of files is identified among the languages of models."""

import pytest

from longways.errors import ConfigError
from longways.translation.installed.detection import source_language

TEXTS = {
    "de": "Öffnen Sie das Menü und speichern Sie die Datei, bevor Sie das Fenster schließen. ",
    "fr": "Ouvrez le menu et enregistrez le fichier avant de fermer la fenêtre du programme. ",
    "en": "Open the menu and save the file before you close the window of the program. ",
    "zh": "打开菜单，关闭窗口之前请保存文件。否则更改会丢失，这一点非常重要。",
    "ja": "メニューを開いて、ウィンドウを閉じる前にファイルを保存してください。",
}


@pytest.fixture
def page(tmp_path):
    def page(name: str, text: str):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return page


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("name", ["page.md", "page.txt", "page.html", "page"])
def test_files_are_identified_by_their_text(page, name, language):
    path = page(name, TEXTS[language] * 3)
    assert source_language([path], list(TEXTS)).language == language


def test_markup_and_code_do_not_decide(page):
    code = (
        "```python\n" + "for item in the_list_of_all: print('this is the text')\n" * 50 + "```\n\n"
    )
    assert source_language([page("p.md", code + TEXTS["de"])], ["en", "de"]).language == "de"


def test_the_code_of_the_candidate_is_given(page):
    assert source_language([page("p.md", TEXTS["zh"])], ["en", "zh-CN"]).language == "zh-CN"


@pytest.mark.parametrize("language", ["de", "ja"])
def test_a_language_without_a_model_is_named(page, language):
    found = source_language([page("p.md", TEXTS[language] * 5)], ["fr", "zh"])
    assert (found.language, found.other) == (None, language)


def test_a_short_text_is_in_the_language_of_its_name_or_of_the_only_model(page):
    assert source_language([page("p.fr.md", "Menu")], ["de", "fr"]).language == "fr"
    assert source_language([page("p.md", "Menu")], ["fr"]).language == "fr"
    assert source_language([page("p.md", "")], ["fr"]).language == "fr"
    with pytest.raises(
        ConfigError, match=r"not clear which language .*p\.md is in: de or fr\..*--f"
    ):
        source_language([page("p.md", "Menu")], ["de", "fr"])


def test_short_files_follow_the_others_and_two_languages_are_refused(page):
    pages = [page("a.md", "Menu"), page("b.md", TEXTS["fr"]), page("c.md", TEXTS["fr"])]
    assert source_language(pages, ["de", "fr"]).language == "fr"
    pages.append(page("d.md", TEXTS["de"]))
    with pytest.raises(ConfigError, match=r"b\.md is in fr, but .*d\.md is in de"):
        source_language(pages, ["de", "fr"])


def test_of_a_folder_the_pages_in_the_target_language_are_left_out(page, tmp_path):
    page("docs/a.md", TEXTS["de"] * 3)
    page("docs/a.en.md", TEXTS["en"] * 3)
    page("docs/.git/c.md", TEXTS["fr"] * 3)
    page("docs/settings.json", '{"a": "' + TEXTS["fr"] + '"}')
    assert source_language([tmp_path / "docs"], ["de", "fr"], "en").language == "de"


def test_broken_files_do_not_decide(page, tmp_path):
    (tmp_path / "broken.docx").write_bytes(b"no zip")
    paths = [tmp_path / "broken.docx", page("a.md", TEXTS["de"] * 3)]
    assert source_language(paths, ["de", "fr"]).language == "de"


def test_other_encodings_are_read_as_the_user_says(tmp_path):
    path = tmp_path / "page.txt"
    path.write_bytes((TEXTS["zh"] * 3).encode("gb18030"))
    assert source_language([path], ["en", "zh"], encoding="gb18030").language == "zh"
    path.write_bytes((TEXTS["zh"] * 3).encode("utf-16"))
    assert source_language([path], ["en", "zh"]).language == "zh"
