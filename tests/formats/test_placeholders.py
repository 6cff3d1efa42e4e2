# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""Placeholders that must stay unchanged."""

import pytest

from longways.formats.placeholders import kept_parts


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("你好 {name} 和 %s。", ["{name}", "%s"]),
        ("见 https://example.org/a?b=c#d。", ["https://example.org/a?b=c#d"]),
        ("用 ${HOME} 或 $PATH 或 {{ x.y }}", ["${HOME}", "$PATH", "{{ x.y }}"]),
        ("<b>粗</b><br/>", ["<b>", "</b>", "<br/>"]),
        ("%(count)d 个、共 100% 的 %1$s", ["%(count)d", "%1$s"]),
        ("a&nbsp;b &#160; AT&T", ["&nbsp;", "&#160;"]),
        ("写信给 me@example.org。", ["me@example.org"]),
        (
            "选项 --force-all 和 -v、调用 main()、变量 my_var",
            ["--force-all", "-v", "main()", "my_var"],
        ),
        ("没有别的 A-B 5% off, a < b and c > d", []),
        ("", []),
    ],
)
def test_what_a_machine_reads_is_kept(text, kept):
    assert [text[a:b] for a, b in kept_parts(text)] == kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("访问http://a.org{{/end}}结束。", ["http://a.org{{/end}}"]),
        (
            "[任务](https://a.org/{{ id }}/x?n={{n}}&m=${m})。",
            ["https://a.org/{{ id }}/x?n={{n}}&m=${m}"],
        ),
        ("(见 https://a.org/{{一}}/x)", ["https://a.org/{{一}}/x"]),
        ("见 https://a.org/x{说明：下面}", ["https://a.org/x"]),
        ("{{见 https://a.org/x}}", ["{{见 https://a.org/x}}"]),
        ("见 https://a.org/{{x 或 }", ["https://a.org/{{x"]),
        ('<option value=">=">不小于</option>', ['<option value=">=">', "</option>"]),
        ("<i title='a<b'>甲</i>", ["<i title='a<b'>", "</i>"]),
        ('若 a <b 且 c> d，则 "<b" 为真', []),
    ],
)
def test_a_template_is_whole_in_an_address_and_a_sign_in_an_attribute(text, kept):
    assert [text[a:b] for a, b in kept_parts(text)] == kept


def test_what_the_format_knows_of_is_joined_with_what_it_touches():
    text = "run {name} now"
    assert kept_parts(text, [(0, 6)]) == ((0, 10),)
    assert kept_parts(text, [(11, 14)]) == ((4, 10), (11, 14))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("用 { 和 } 访问。", ["{", "}"]),
        ("以 $ 开头的 $ 和 a^b。", ["$", "$", "a^b"]),
        ("在 {{ 和 https://example.org 与 }} 之间", ["{{", "}}"]),
    ],
)
def test_no_placeholder_begins_in_one_piece_of_code_and_ends_in_another(text, code):
    places, at = [], 0
    for part in code:
        at = text.index(part, at)
        places.append((at, at := at + len(part)))
    kept = [text[a:b] for a, b in kept_parts(text, places)]
    assert [part for part in kept if not part.startswith("https")] == code
    assert ("https://example.org" in kept) == ("https" in text)


def test_an_address_in_a_mark_ends_with_the_mark():
    text = "你可以在https://a.org/上浏览到关于MovieLens的信息"
    start, end = text.index("https"), text.index("上")
    whole = [text[a:b] for a, b in kept_parts(text)]
    assert whole == ["https://a.org/上浏览到关于MovieLens"]
    kept = kept_parts(text, marks=[(start, end)])
    assert [text[a:b] for a, b in kept] == ["https://a.org/"]
