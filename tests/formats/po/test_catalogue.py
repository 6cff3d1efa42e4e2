# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""Catalogues of gettext."""

from pathlib import Path

import polib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.errors import FormatError
from longways.formats.base import Mark, Passage
from longways.formats.po.catalogue import Po
from longways.formats.po.strings import quoted, unquoted

FILES = sorted((Path(__file__).parents[1] / "files" / "po").glob("*.po*"))
FOLDER = Path(__file__).parents[1] / "files" / "po"
WHOLE = [path for path in FILES if path.stem != "damaged"]  # other readers cannot repair that file
HEADER = 'msgid ""\nmsgstr ""\n"Language: en\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n'


def read(text, language="zh"):
    return Po().read(text.encode() if isinstance(text, str) else text, language)


def bracketed(passage):
    """A translation with the marks at the same places."""
    marks = tuple(Mark(m.start + 1, m.end + 1, m.tag) for m in passage.marks)
    return Passage(f"[{passage.text}]", marks)


def catalogue(data, encoding="utf-8"):
    """The entries that another reader finds."""
    return polib.pofile(data.decode(encoding))


def translated(text, language="en"):
    document = read(text)
    return document.write([bracketed(p) for p in document.passages], language)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_is_written_again_to_the_byte(path):
    data = path.read_bytes()
    document = read(data)
    assert document.write(document.passages, "en") == data
    assert document.write(document.passages, "en", bilingual=True) == data


@pytest.mark.parametrize("part", ["``Decimal(10)``", "`a b`", "`文档错误`_", "`x`__", "{0}", "%s"])
def test_code_references_and_placeholders_are_kept(part):
    (passage,) = read(f'#, c-format\nmsgid "返回 {part}，即数。"\nmsgstr ""\n').passages
    assert [passage.text[start:end] for start, end in passage.keep] == [part]


def test_sentences_end_at_line_ends_unless_these_may_be_of_wrapped_text():
    text = HEADER + 'msgid "a b\\nc\\n\\nd"\nmsgstr ""\n'
    assert [passage.breaks for passage in read(text, "zh").passages] == [(3, 5)]
    assert [passage.breaks for passage in read(text, "en").passages] == [(5,)]


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.name)
def test_translations_go_into_msgstr_and_msgids_stay(path):
    encoding = "gb18030" if path.stem == "gb18030" else "utf-8"
    own = catalogue(path.read_bytes(), encoding)
    new = catalogue(translated(path.read_bytes()), encoding)
    fields = ("msgid", "msgid_plural", "msgctxt", "occurrences", "comment", "tcomment", "obsolete")
    assert [[getattr(e, f) for f in fields] for e in new] == [
        [getattr(e, f) for f in fields] for e in own
    ]
    for before, after in zip(own, new, strict=True):
        if before.obsolete or before.translated() or not before.msgid.strip():
            assert (after.msgstr, after.msgstr_plural, after.flags) == (
                before.msgstr,
                before.msgstr_plural,
                before.flags,
            )
        elif not before.msgid_plural:
            text = before.msgid.strip()
            assert after.msgstr == before.msgid.replace(text, f"[{text}]")
            assert set(after.flags) == {*before.flags, "fuzzy"}


def test_what_is_translated_already_is_no_passage_unless_it_is_fuzzy():
    texts = [p.text for p in read((FOLDER / "editor.po").read_bytes()).passages]
    assert "打开文件" not in texts
    assert "无法保存 %s：磁盘已满（还差 %ld 字节）。" in texts
    assert "旧的文字" not in texts
    assert "更旧的" not in texts


def test_a_plural_has_as_many_forms_as_the_header_says():
    entry = 'msgid "%d 头"\nmsgid_plural "%d 头们"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    rule = '"Plural-Forms: nplurals=3; plural=n;\\n"\n\n'
    found = catalogue(translated(HEADER + rule + entry, "ru"))[0]
    assert found.msgstr_plural == {0: "[%d 头]", 1: "[%d 头们]", 2: "[%d 头们]"}


def test_a_template_gets_the_plural_forms_of_the_language():
    data = (FOLDER / "shop.pot").read_bytes()
    for language, forms in [("en", 2), ("ja", 1), ("ru", 3)]:
        new = catalogue(translated(data, language))
        assert new.metadata["Language"] == language
        assert new.metadata["Plural-Forms"].startswith(f"nplurals={forms};")
        assert new.metadata["Content-Type"] == "text/plain; charset=UTF-8"
        (plural,) = (entry for entry in new if entry.msgid_plural)
        assert len(plural.msgstr_plural) == forms
        assert plural.msgstr_plural[forms - 1] == "[共加入 %(count)d 件商品]"


def test_a_plural_form_that_is_there_is_left_alone():
    document = read((FOLDER / "editor.po").read_bytes())
    new = catalogue(document.write([bracketed(p) for p in document.passages], "en"))
    (entry,) = (entry for entry in new if entry.msgid_plural)
    assert entry.msgstr_plural == {0: "%d line", 1: "[%d 行]"}


def test_only_new_passages_change_anything():
    text = HEADER + '\nmsgid  "一"\nmsgstr  ""\n\n#, c-format\nmsgid "二"\nmsgstr ""\n'
    document = read(text)
    new = [document.passages[0], Passage("two")]
    assert document.write(new, "de").decode() == text.replace(
        "Language: en", "Language: de"
    ).replace('#, c-format\nmsgid "二"\nmsgstr ""', '#, fuzzy, c-format\nmsgid "二"\nmsgstr "two"')


def test_the_flag_comes_before_previous_texts():
    text = HEADER + '\n# 注\n#| msgid "旧"\nmsgid "新"\nmsgstr ""\n'
    assert '# 注\n#, fuzzy\n#| msgid "旧"\nmsgid "新"' in translated(text).decode()


def test_placeholders_are_kept():
    passage = read((FOLDER / "editor.po").read_bytes()).passages[0]
    assert [passage.text[a:b] for a, b in passage.keep] == ["%s", "%ld"]


def test_line_ends_are_marks_and_are_found_where_these_are():
    text = HEADER + '\nmsgid "\\n用法：\\n  -v  详细\\n\\n完。\\n"\nmsgstr ""\n'
    document = read(text)
    (passage,) = document.passages
    assert passage.text == "用法：\n  -v  详细\n\n完。"
    assert passage.marks == (Mark(3, 3, 0), Mark(12, 12, 1))
    new = Passage("Usage: -v verbose Done.", (Mark(6, 6, 0), Mark(17, 17, 1)))
    assert catalogue(document.write([new], "en"))[0].msgstr == "\nUsage:\n  -v verbose\n\nDone.\n"


def test_a_file_without_a_header_gets_one():
    data = translated('msgid "一"\nmsgstr ""')
    assert catalogue(data).metadata == {
        "Content-Type": "text/plain; charset=UTF-8",
        "Language": "en",
    }
    assert catalogue(data)[0].msgstr == "[一]"


def test_the_encoding_of_the_header_is_used_and_kept():
    document = read((FOLDER / "gb18030.po").read_bytes())
    assert [p.text for p in document.passages] == ["中文"]
    assert "charset=GB18030" in document.write([Passage("für")], "de").decode("gb18030")


def test_a_file_with_another_encoding_than_its_header_says_becomes_utf_8():
    text = HEADER + '\nmsgid "中文"\nmsgstr ""\n'
    document = Po().read(text.encode("gb18030"), "zh", "gb18030")
    assert document.write([Passage("Chinese")], "en").decode() == text.replace(
        'msgid "中文"\nmsgstr ""', '#, fuzzy\nmsgid "中文"\nmsgstr "Chinese"'
    )


@pytest.mark.parametrize("charset", ["GB18030", "ISO-8859-1", "BIG5", "US-ASCII"])
def test_a_file_in_utf_8_is_read_as_such_whatever_its_header_says(charset):
    text = HEADER.replace("UTF-8", charset) + '\nmsgid "这是一个句子。"\nmsgstr ""\n'
    document = read(text)
    assert [p.text for p in document.passages] == ["这是一个句子。"]
    assert [w.startswith("Line 1: the file is not in") for w in document.warnings] == [True]
    assert "charset=UTF-8" in document.write([Passage("A sentence.")], "en").decode()


@pytest.mark.parametrize("charset", ["rot13", "base64", "utf-16", "klingon"])
def test_an_invalid_encoding_in_the_header_is_fixed(charset):
    text = HEADER.replace("UTF-8", charset) + '\nmsgid "中文"\nmsgstr ""\n'
    document = read(text)
    assert document.write(document.passages, "en") == text.encode()
    new = catalogue(document.write([Passage("Chinese")], "en"))
    assert new.metadata["Content-Type"] == "text/plain; charset=UTF-8"
    assert new[0].msgstr == "Chinese"


def test_a_file_whose_encoding_lacks_a_character_becomes_utf_8():
    text = HEADER.replace("UTF-8", "ISO-8859-1") + '\nmsgid "grün"\nmsgstr ""\n'
    document = read(text.encode("latin-1"), "de")
    new = catalogue(document.write([Passage("绿")], "zh"))
    assert new.metadata["Content-Type"].endswith("charset=UTF-8")
    assert (new[0].msgid, new[0].msgstr) == ("grün", "绿")


def test_what_is_wrong_is_named_with_its_line():
    document = read((FOLDER / "damaged.po").read_bytes(), "en")
    assert [p.text for p in document.passages] == ["broken string", "second", "third"]
    for line, what in {2: "quotes", 4: "no part", 10: "second msgstr"}.items():
        assert any(w.startswith(f"Line {line}:") and what in w for w in document.warnings)


def test_a_missing_msgstr_is_added():
    assert catalogue(translated(HEADER + '\nmsgid "一"\n\nmsgid "二"\n'))[0].msgstr == "[一]"


@pytest.mark.parametrize("data", [b"", b"# nothing\n", "没有。".encode()])
def test_a_file_without_entries_is_told(data):
    with pytest.raises(FormatError, match="nothing to translate"):
        read(data)


@pytest.mark.parametrize("header", ["", HEADER])
def test_another_encoding_is_told(header):
    with pytest.raises(FormatError, match="--encoding gb18030"):
        read(header.encode() + 'msgid "中文没有标题"\nmsgstr ""\n'.encode("gb18030"))


@given(st.text(max_size=40))
@settings(max_examples=300, deadline=None)
def test_any_text_can_be_quoted(text):
    raw = quoted("msgid", text, "\n").removeprefix("msgid ")
    values = [unquoted(line) for line in raw.split("\n")]
    assert ("".join(value for value, _ in values), all(whole for _, whole in values)) == (
        text,
        True,
    )


LINES = st.sampled_from(
    ["", "# 注", "#, fuzzy", "#, c-format", '#| msgid "旧"', '#~ msgid "废"', '#~ msgstr ""',
     'msgctxt "场"', 'msgid ""', 'msgid "好\\n"', 'msgid_plural "们"', 'msgstr ""', 'msgstr "ok"',
     'msgstr[0] ""', 'msgstr[1] "x"', '"续\\t"', '  "缩进"', "乱", 'msgid "断', "msgid"]
)  # fmt: skip
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])


@st.composite
def files(draw):
    lines = draw(st.lists(st.tuples(LINES, ENDS), max_size=25))
    return draw(st.sampled_from(["", "\ufeff", HEADER])) + 'msgid "一"\n' + "".join(
        a + b for a, b in lines
    )  # fmt: skip


@given(files())
@settings(max_examples=1000, deadline=None)
def test_any_file_is_written_again_to_the_byte(text):
    document = read(text)
    assert document.write(document.passages, "zh") == text.encode()


@given(files(), st.data())
@settings(max_examples=400, deadline=None)
def test_any_mixture_leaves_the_others_to_be_translated(text, data):
    document = read(text)
    chosen = [data.draw(st.booleans()) for _ in document.passages]
    new = [bracketed(p) if c else p for p, c in zip(document.passages, chosen, strict=True)]
    again = read(document.write(new, "en"))
    ids = [entry.texts["msgid"].value for entry in document.entries]
    found = [entry.texts["msgid"].value for entry in again.entries]
    assert found in (ids, ["", *ids])
    left = {p.text for p, c in zip(document.passages, chosen, strict=True) if not c}
    assert left <= {p.text for p in again.passages}
