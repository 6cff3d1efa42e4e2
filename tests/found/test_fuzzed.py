"""Defects that mutated files showed (`python -m benchmarks fuzz`)."""

import pytest

from longways.formats.base import Passage
from longways.formats.docx.format import Docx
from longways.formats.html.format import Html
from longways.formats.markdown.format import Markdown
from tests.formats.docx.docx_files import body, package, paragraph, run

WORD = " 末"


def lengthened(form, data):
    """The passages of a file that was written with a word after each, and of the new file."""
    document = form.read(data, "zh")
    new = [Passage(p.text + WORD, p.marks, p.keep) for p in document.passages]
    again = form.read(document.write(new, "en"), "en")
    return [p.text.split() for p in new], [p.text.split() for p in again.passages]


class TestE9DocxInUtf16:
    @pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-16"])
    def test_a_part_without_a_mark_is_read(self, codec):
        main = body(paragraph(run("打开终端。"))).partition("?>")[2].strip()
        data = package(main.encode(codec))
        document = Docx().read(data, "zh")
        assert [p.text for p in document.passages] == ["打开终端。"]
        assert document.write(document.passages, "zh") == data


class TestE16NothingIsWrittenIntoWhatIsBroken:
    @pytest.mark.parametrize("island", ["<svg>", "<svg><g>图</g>", "<math>", "<svg><path/>"])
    def test_text_after_a_drawing_that_other_tags_end_is_not_lost(self, island):
        new, again = lengthened(Html(), f"<ul><li>附送{island}</li><li>地布</li></ul>".encode())
        assert new == again

    @pytest.mark.parametrize(
        "text",
        [
            '正文, [链接]({{< figure src="a.png"\n    title="图" >}}\n',
            "提示框里。\n{{% 注\n意 %}\n",
            '> 正文 {{< ref\n> "a.md" >}}\n',
        ],
    )
    def test_a_template_over_two_lines_stays_whole(self, text):
        new, again = lengthened(Markdown(), text.encode())
        assert new == again

    def test_a_heading_does_not_become_the_head_of_a_table(self):
        new, again = lengthened(Markdown(), "端口号\n|\n---\n空\n".encode())
        assert [[w for w in p if w != "|"] for p in new] == [
            [w for w in p if w != "|"] for p in again
        ]
