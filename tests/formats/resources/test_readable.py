"""Which values are texts."""

import pytest

from longways.formats.placeholders import kept_parts
from longways.formats.resources.readable import is_read


@pytest.mark.parametrize(
    "value",
    ["保存", "每日 5 点", "元/月", "查看 https://example.org", "https://example.org查看详情",
     "A/B 测试", "data:数据", "{name} 的文件", "2024年3月15日发布", "文件名.png 不存在"],
)  # fmt: skip
def test_texts_are_read(value):
    assert is_read(value, kept_parts(value), "zh")


@pytest.mark.parametrize(
    "value",
    ["", "OK", "/文档/图.png", "./图.svg", "https://example.org/文档/a", "YYYY年MM月DD日 HH:mm",
     "M月d日", "%Y年%m月%d日", "{{变量}}", "{姓名}", "12", "…", "デフォルト"],
)  # fmt: skip
def test_addresses_patterns_and_other_languages_are_not(value):
    assert not is_read(value, kept_parts(value), "zh")


@pytest.mark.parametrize(
    ("value", "is_text"),
    [("Save", True), ("save the file", True), ("confirm", True), ("Not found: {x}", True),
     ("#ff8800", False), ("rgb(1, 2, 3)", False), ("a/b/c.png", False), ("image.png", False),
     ("app.title", False), ("menu-item", False), ("camelCase", False), ("MAX_SIZE", False),
     ("a@b.org", False), ("2024-03-15T10:00:00Z", False), ("//cdn.org/x.js", False),
     ("C:\\Users\\x", False), ("%s", False), ("yyyy-MM-dd", False)],
)  # fmt: skip
def test_in_languages_of_ascii_letters_names_of_programs_are_not_texts(value, is_text):
    assert is_read(value, kept_parts(value), "en") is is_text
