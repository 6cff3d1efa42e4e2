"""Names of translations say their language."""

import pytest

from longways.translation.files.folders.languages import Languages, translated_name
from longways.translation.files.folders.selection import ALL_FILES, read_folder

ZH_EN = Languages("zh", "en")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("page.txt", "page.en.txt"),
        ("page", "page.en"),
        ("page.zh.txt", "page.en.txt"),
        ("page.ZH_tw.txt", "page.en.txt"),
        ("page.zh-Hans-CN.md", "page.en.md"),
        ("page.zh-419.md", "page.en.md"),
        ("zh-CN.yml", "en.yml"),
        ("zh.json", "en.json"),
        ("app_zh.arb", "app_en.arb"),
        ("messages_zh_CN.properties", "messages_en.properties"),
        ("README-zh-Hans.md", "README-en.md"),
        ("zh", "zh.en"),
        ("zhongguo.md", "zhongguo.en.md"),
        ("buzh.md", "buzh.en.md"),
        ("zh-notes.md", "zh-notes.en.md"),
        ("notes.zh-CN__final_draft.md", "notes.zh-CN__final_draft.en.md"),
        ("report.zh-2024.md", "report.zh-2024.en.md"),
        ("book_zh.v2.tar.md", "book_en.v2.tar.md"),
    ],
)
def test_the_target_language_replaces_the_source_language_or_is_added(name, wanted):
    assert translated_name(name, ZH_EN) == wanted


def test_in_a_folder_the_translation_of_another_file_is_left(tmp_path):
    for name in ("zh-CN.yml", "en.yml", "README_zh.md", "README_en.md", "sign_en.md", "b.en.md"):
        (tmp_path / name).write_text("文字", encoding="utf-8")
    found = read_folder(tmp_path, ZH_EN, ALL_FILES, None)
    assert {path.name for path in found.texts} == {"README_zh.md", "sign_en.md"}
    assert {path.name for path in found.settings} == {"zh-CN.yml"}
    assert {path.name for path in found.left} == {"en.yml", "README_en.md", "b.en.md"}
