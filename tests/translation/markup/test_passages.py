"""Files of every format translated by the model that comes along: nothing in them is lost."""

from collections import Counter
from pathlib import Path

import pytest

import longways
from longways.formats.base import Mark, Passage
from longways.formats.registry import SUFFIXES, format_of, known_formats
from longways.translation.markup.alignment import Aligner, AlignmentRequest
from tests.translation.markup.passages import translate_passages

FILES = Path(__file__).parents[2] / "formats" / "files"
CHOSEN = [
    "markdown/manual.md",
    "markdown/footnotes.md",
    "html/manual.html",
    "html/broken.html",
    "srt/lecture.srt",
    "vtt/course.vtt",
    "po/editor.po",
    "json/app.json",
    "properties/messages.properties",
    "android/strings.xml",
    "yaml/zh-CN.yml",
]


@pytest.fixture(scope="module")
def translator():
    return longways.load(threads=1)


def translated(translator, passage):
    (found,) = translate_passages(translator, [passage], beam=1)
    return found


@pytest.mark.parametrize("name", CHOSEN)
def test_a_file_keeps_its_passages_marks_and_kept_parts(translator, name):
    form = format_of(FILES / name)
    document = form.read((FILES / name).read_bytes(), "zh")
    found = list(translate_passages(translator, document.passages, beam=1))
    assert len(found) == len(document.passages)
    assert found != list(document.passages)
    for new, old in zip(found, document.passages, strict=True):
        assert sorted(m.tag for m in new.marks) == sorted(m.tag for m in old.marks)
        assert all(0 <= m.start <= m.end <= len(new.text) for m in new.marks)
        for part, count in Counter(old.text[a:b] for a, b in old.keep).items():
            assert new.text.count(part) >= count, (old.text, new.text)
    again = form.read(document.write(found, "en"), "en")
    if form.name != "po":  # whose texts are in another place then
        marks = (sum(len(p.marks) for p in d.passages) for d in (document, again))
        assert len(set(marks)) == 1


def test_markup_is_where_its_words_are(translator):
    text = "控制节点负责管理集群的状态。"
    found = translated(translator, Passage(text, (Mark(0, 4, 0), Mark(8, 10, 1))))
    words = {m.tag: found.text[m.start : m.end].lower() for m in found.marks}
    assert "control node" in words[0]
    assert "cluster" in words[1]
    assert "manag" not in words[0] + words[1]


def test_a_mark_over_two_sentences_is_whole_again(translator):
    text = "打开终端。运行安装命令。"
    found = translated(translator, Passage(text, (Mark(0, len(text), 5),)))
    assert found.marks == (Mark(0, len(found.text), 5),)


def test_what_a_model_drops_is_put_back(translator):
    source, kept = "请把 qzx_9_vv 替换掉。", (3, 11)
    aligner = Aligner(translator.runtime, translator.model.text)
    for translation in ("Replace it.", "", "Please replace the variable."):
        found = aligner.align(AlignmentRequest(source, translation, [kept]))
        assert "qzx_9_vv" in found.translation
        assert "  " not in found.translation
        for start, end in found.words:
            assert found.translation[start:end].strip()


def test_a_passage_without_words_is_left_to_the_byte(translator):
    passage = Passage("12.5\n%", (Mark(0, 4, 0),))
    assert translated(translator, passage) is passage


def test_a_file_that_is_empty_has_nothing_to_translate(translator):
    assert list(translate_passages(translator, [])) == []
    assert translated(translator, Passage("")) == Passage("")


def test_every_known_format_is_known_by_its_suffixes():
    assert set(SUFFIXES) == {suffix for form in known_formats() for suffix in form.suffixes}
    assert format_of(Path("page.zh.MD")).name == "markdown"
    assert format_of(Path("page.txt")) is None


def test_a_part_that_stands_twice_is_kept_twice(translator):
    source = "复制 %s 到 %s。"
    keep = ((3, 5), (8, 10))
    assert [source[a:b] for a, b in keep] == ["%s", "%s"]
    assert translated(translator, Passage(source, keep=keep)).text.count("%s") == 2
    aligner = Aligner(translator.runtime, translator.model.text)
    assert aligner.align(AlignmentRequest(source, "Copy %s.", keep)).translation.count("%s") == 2
