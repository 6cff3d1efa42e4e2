"""Which sentences are copied unchanged, and which are translated."""

import pytest

from longways.text.untranslatable import is_untranslatable


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "123", "3.14 %", "2024-05-01", "-----", "***", "🙂🙂", "https://example.org/a?b=c",
        "www.example.org", "a.b@example.org", "/usr/bin", "./run.sh", "C:\\Users\\me", "--force",
        "name=value", "$HOME", "${HOME}", "snake_case", "call()", "{name}", "{{ name }}", "<br/>",
        "1. https://example.org", "[1]", "(2)", "→ /etc/hosts, 42",
    ],
)  # fmt: skip
def test_left_as_it_is(text):
    assert is_untranslatable(text)


@pytest.mark.parametrize(
    "text",
    [
        "a", "你好", "Hello", "#tag", "see https://example.org", "yes/no", "[laughs]", "Привет 1",
        "<p>Hi</p>", "key: value", "请打开https://example.org", "it's", "C", "file(s)", "x-ray",
        "_emphasis_", "-Hello", "I <3 you and > me",
    ],
)  # fmt: skip
def test_translated(text):
    assert not is_untranslatable(text)
