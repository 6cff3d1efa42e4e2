# ruff: noqa: RUF001 - full-width signs are what the files have
"""Rows of links, lines of kept parts, shortcodes, images and marks of notes through the model."""

from __future__ import annotations

import io
import re
import zipfile

import pytest

import longways
from longways.formats.docx.format import Docx
from longways.formats.html.format import Html
from longways.formats.markdown.format import Markdown
from longways.formats.po.catalogue import Po
from longways.translation.plain_text import plain_segments
from tests.formats.docx.docx_files import body, package, paragraph, run
from tests.translation.markup.passages import translate_passages

HAN = re.compile("[\u3400-\u9fff]")


@pytest.fixture(scope="module")
def translated():
    """Translates the text of a file with the bundled model."""
    translator = longways.load(threads=1)

    def translate(source, form=Markdown):
        data = source if isinstance(source, bytes) else source.encode()
        document = form().read(data, "zh")
        result = document.write(translate_passages(translator, document.passages, beam=1), "en")
        return result if isinstance(source, bytes) else result.decode()

    return translate


class TestB7ParagraphsOfKeptPartsOnly:
    def test_each_line_is_translated_by_itself(self, translated):
        lines = ['<code src="./a.tsx">基本用法</code>', '<code src="./b.tsx">禁用状态</code>']
        result = translated("\n".join(lines) + "\n").splitlines()
        assert [line.partition(">")[0] for line in result] == [
            '<code src="./a.tsx"',
            '<code src="./b.tsx"',
        ]
        assert not HAN.search("".join(result))
        assert all(line.endswith("</code>") for line in result)

    def test_lines_of_code_stay_as_they_are(self, translated):
        source = "`甲`\n`乙` `丙`\n\n`a`、`b`\n"
        assert translated(source) == source

    def test_wrapped_text_is_still_one_sentence(self, translated):
        assert "\n" not in translated("**安装\n之后**").strip()


class TestD3RowsOfLinks:
    @pytest.mark.parametrize(
        "source",
        [
            "[官网](a) · [教程](b) | [讨论](c)\n",
            "**[官网](a) • [教程](b)** / [讨论](c)\n",
            "简体中文 | [教程](b)\n",
            "[官网](a) [教程](b)  [讨论](c)\n",
            "文件 → 设置 → 高级\n",
            "| [官网](a) · [教程](b) | [讨论](c) / `d` |\n|---|---|\n",
        ],
    )
    def test_separators_stay_and_each_link_has_its_own_text(self, translated, source):
        result = translated(source)
        signs = "·|•/→"
        assert [c for c in result if c in signs] == [c for c in source if c in signs]
        assert re.findall(r"\]\((\w)\)", result) == re.findall(r"\]\((\w)\)", source)
        assert not HAN.search(result)
        if "教程" in source:
            assert re.search(r"\[[Tt]utorials?\]\(b\)", result)

    def test_a_row_in_html_too(self, translated):
        source = '<p>\n<a href="a">官网</a> ·\n<a href="b">教程</a> |\n<a href="c">讨论</a></p>'
        for form in (Markdown, Html):
            result = translated(source, form)
            assert re.search(r">[^<>]+</a> · <a href=.b.>[Tt]utorials?</a> \| <a ", result)

    def test_spaces_inside_links_and_pictures_beside_them_join_nothing(self, translated):
        items = [("a", "首页"), ("b", "教程"), ("c", "讨论")]
        links = (f'<a href="{to}">\n<img src="x">\n<span>{text}</span> </a>' for to, text in items)
        found = translated(f"<p>{' '.join(links)}</p>", Html)
        assert re.search(r"<a href=.b.>\s*<img src=.x.>\s*<span>[Tt]utorials?</span>\s*</a>", found)
        assert len(re.findall(r"<span>[\w ]+</span>", found)) == 3

    def test_a_value_of_a_template_among_buttons_is_one_of_the_items(self, translated):
        texts = ["添加", "删除", "{{ label }}", "导出"]
        buttons = "\n".join(f"<x-button>{text}</x-button>" for text in texts)
        found = re.findall(r"<x-button>([^<]+)</x-button>", translated(f"<p>{buttons}</p>", Html))
        assert found[2] == "{{ label }}"
        assert [word[:3] for word in found] == ["Add", "Del", "{{ ", "Exp"]

    @pytest.mark.parametrize(
        ("row", "parts"),
        [
            ("姓名|年龄|状态", ["姓名", "年龄", "状态"]),
            ("  名称 | 说明 | 默认值", ["", "名称", "说明", "默认值"]),
            ("首页 › 文档 › 安装", ["首页", "文档", "安装"]),
            ("用 a|b 管道连接两个命令。", ["用 a|b 管道连接两个命令。"]),
            ("逻辑或 a||b", ["逻辑或 a||b"]),
        ],
    )
    def test_a_row_of_labels_in_plain_text(self, row, parts):
        found = list(plain_segments([f"{row} \n{row}"], "zh"))
        assert "".join(one.text + one.after for one in found) == f"{row} \n{row}"
        assert [one.text for one in found] == [*parts, *parts]

    def test_signs_inside_a_sentence_do_not_split_it(self, translated):
        assert translated("使用 `a | b` 连接两个命令。\n").count("|") == 1


class TestD3RowsOfTables:
    """A row of a table in plain text, also one with empty cells and with sentences in cells."""

    @pytest.mark.parametrize(
        ("line", "cells"),
        [
            (
                "| name | string | 名称不能为空。请确认。 |\n",
                ["name", "string", "名称不能为空。", "请确认。"],
            ),
            ("| age | int | 年龄 |\n", ["age", "int", "年龄"]),
            ("|  | 空白 || 年龄 |\n", ["空白", "年龄"]),
            ("  ｜单列｜  \n", ["单列"]),
            ("| `a|b` | 第三列|", ["`a|b`", "第三列"]),
        ],
    )
    def test_each_cell_is_translated_by_itself(self, line, cells):
        segments = list(plain_segments([line], "zh"))
        assert [segment.text for segment in segments if segment.text] == cells
        assert "".join(segment.text + segment.after for segment in segments) == line

    def test_a_row_keeps_its_cells_through_the_model(self):
        text = "| 参数 | 类型 | 说明 |\n| --- | --- | --- |\n| age | int | 年龄 |\n"
        lines = longways.load(threads=1).translate(text, beam=1).splitlines()
        bars = [line.count("|") for line in lines]
        assert bars == [4, 4, 4]


class TestD4Shortcodes:
    def test_the_printed_word_is_part_of_the_sentence(self, translated):
        source = '每个{{< glossary_tooltip text="节点" term_id="n" >}}都有名字。\n'
        result = translated(source)
        tag = re.search(r'{{< glossary_tooltip text="([^"]+)" term_id="n" >}}', result)
        assert "node" in tag[1].lower()
        assert re.search(r"\w " + re.escape(tag[0]) + r" \w", f"the {result}")

    def test_a_shortcode_between_spaces_keeps_them(self, translated):
        result = translated('升级到 {{< param "version" >}} 之后请重启，见 {{< skew a >}} 说明。\n')
        for tag in ('{{< param "version" >}}', "{{< skew a >}}"):
            assert re.search(rf"(^| ){re.escape(tag)}([ ,.]|$)", result.strip())

    def test_the_tags_of_a_pair_stay_around_their_text(self, translated):
        result = translated("请按 {{< kbd >}}回车{{< /kbd >}} 键继续。\n")
        assert re.search(r"{{< kbd >}}\w[\w ]*{{< /kbd >}}", result)

    @pytest.mark.parametrize(
        ("source", "wanted"),
        [
            ("{{< note >}} 请先备份。 {{< /note >}}", r"{{< note >}} \w[^<]*\. {{< /note >}}"),
            ("打开 <b> 终端 </b> 并继续。", r"\w[\w ]* <b> \w+ </b> \w[\w ]*\."),
            ("打开 <b><i>  终端 </i></b> 并继续。", r"\w[\w ]* <b><i>  \w+ </i></b> \w[\w ]*\."),
            (
                '请看 {{< notice tip "提示" >}} 内容 {{< /notice >}} 部分。',
                r'\w[\w ]* {{< notice tip "\w+" >}} \w+ {{< /notice >}} \w+\.',
            ),
        ],
    )
    def test_spaces_inside_of_tags_stay_inside(self, translated, source, wanted):
        assert re.fullmatch(wanted, translated(f"{source}\n").strip())


class TestD5Roles:
    def test_lines_of_fields_and_roles_are_not_joined(self, translated):
        source = (
            ".. figure:: a.png\n   :width: `600px`\n   :alt: `x`\n\n:width:`600px`\n:height:`3`\n"
        )
        assert translated(source) == source

    def test_fields_with_text_keep_their_lines(self, translated):
        result = translated(
            ":width:`600px`\n:alt: 一张结构图\n:name: fig-one\n:caption: 系统概览\n"
        )
        first, second, third, fourth = result.splitlines()
        assert (first, third) == (":width:`600px`", ":name: fig-one")
        assert re.fullmatch(r":alt: \w[\w ]+", second)
        assert re.fullmatch(r":caption: \w[\w ]+", fourth)

    def test_a_role_is_kept_whole(self, translated):
        result = translated("参见 :ref:`安装 <x>` 和 {doc}`指南`。\n")
        assert ":ref:`安装 <x>`" in result
        assert "{doc}`指南`" in result


class TestD7FieldsOverParagraphs:
    def test_a_table_of_contents_does_not_move_into_its_first_link(self, translated):
        """The field of the table begins in its first line and ends in its last."""

        def field(kind):
            return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

        def opening(instruction):
            text = f"<w:r><w:instrText>{instruction}</w:instrText></w:r>"
            return field("begin") + text + field("separate")

        lines = ["安装软件", "打开文件"]
        links = [opening(f'HYPERLINK "#{n}"') + run(t) + field("end") for n, t in enumerate(lines)]
        main = paragraph(opening("TOC"), links[0]) + paragraph(links[1], field("end"))
        result = translated(package(body(main)), Docx)
        xml = zipfile.ZipFile(io.BytesIO(result)).read("word/document.xml").decode()
        parts = re.findall(r'TOC|HYPERLINK|begin|separate|"end"|<w:t>\w', xml)
        toc, link = ["begin", "TOC", "separate"], ["begin", "HYPERLINK", "separate"]
        assert parts == [*toc, *link, "<w:t>I", '"end"', *link, "<w:t>O", '"end"', '"end"']


class TestD6TitlesOfNotes:
    def test_the_title_and_the_body_keep_their_lines(self, translated):
        first, second = translated("> [!NOTE] 注意事项\n> 请先备份数据。\n").splitlines()
        assert re.fullmatch(r"> \[!NOTE\] [A-Z][\w ]+", first)
        assert re.fullmatch(r"> [A-Z].*\.", second)


class TestD3HardLineBreaks:
    """What is on one line of a passage stays on it: no text moves over a break or is lost."""

    @pytest.mark.parametrize(
        ("source", "form"),
        [
            ("<p>HTML 标题<br>HTML 段落<br/>HTML <b>链接</b></p>", Html),
            ("<p><span>HTML 标题<br>\nHTML 段落 </span> <br>HTML 链接</p>", Html),
            ("| HTML 标题<br>HTML 段落<br>HTML 链接 | `a` |\n|---|---|\n", Markdown),
        ],
    )
    def test_each_line_is_translated_by_itself(self, translated, source, form):
        title, paragraph_, link = re.split(r"<br/?>", translated(source, form))
        assert re.search("HTML [Tt]itle", title)
        assert re.search("HTML [Pp]aragraph", paragraph_)
        assert re.search("HTML (<b>)?[Ll]ink", link)

    def test_a_hard_break_of_markdown_too(self, translated):
        first, second = translated("打开文件  \n关闭窗口\n").splitlines()
        assert re.fullmatch("[Oo]pen.*  ", first)
        assert second.lower().startswith("close")

    def test_a_mark_over_a_break_is_whole_again(self, translated):
        found = translated("<p>点击<b>保存文件<br>关闭窗口</b>。</p>", Html)
        assert re.search("<b>.*[Ss]ave.*<br>.*[Cc]lose.*</b>", found)

    def test_lines_of_a_message_of_gettext_too(self, translated):
        found = translated('msgid "打开文件\\n关闭窗口\\n\\n删除"\nmsgstr ""\n', Po)
        lines = re.findall(r'^"(.*?)(?:\\n)?"$', found.partition("#, fuzzy")[2], re.MULTILINE)
        opened, closed, blank, deleted = lines[-4:]
        assert opened.startswith("Open")
        assert closed.startswith("Close")
        assert not blank
        assert deleted.startswith("Delet")

    def test_tabs_and_breaks_of_a_docx_stay_between_their_texts(self, translated):
        tab = "<w:r><w:tab/></w:r>"
        contents = paragraph(run("2.2"), tab, run("产品描述"), tab, run("13"))
        lines = paragraph("<w:r><w:t>打开文件</w:t><w:br/><w:t>关闭窗口</w:t></w:r>")
        result = translated(package(body(contents + lines)), Docx)
        xml = zipfile.ZipFile(io.BytesIO(result)).read("word/document.xml").decode()
        xml = re.sub("<w:(tab|br)/>", "|", xml).replace("</w:p>", "\n")
        first, second = re.sub("<[^>]+>", "", xml).strip().split("\n")[:2]
        assert re.fullmatch(r"2\.2\|[Pp]roduct [Dd]escription\|13", first)
        assert re.fullmatch(r"[Oo]pen.*\|[Cc]lose.*", second)


class TestD7MarksOfNotes:
    def test_a_note_stands_behind_its_sentence_and_before_the_space(self, translated):
        note = '<w:r><w:footnoteReference w:id="2"/></w:r>'
        main = body(paragraph(run("第一句话在这里。"), note, run("第二句话很短。")))
        result = translated(package(main), Docx)
        xml = zipfile.ZipFile(io.BytesIO(result)).read("word/document.xml").decode()
        shown = re.sub(r"<[^>]+>", "", xml.replace("<w:footnoteReference", "[1]<w:x"))
        assert re.search(r"\.\[1\] [A-Z]", shown)

    def test_in_markdown_too(self, translated):
        result = translated("第一句话在这里。[^1]第二句话很短。\n\n[^1]: 注释\n")
        assert re.search(r"\.\[\^1\] [A-Z]", result)


class TestD8ImagesAndCode:
    def test_an_image_touches_no_word_and_no_space_is_before_a_stop(self, translated):
        result = translated("请点击保存按钮和![图](a.png)。\n").strip()
        assert re.search(r"\w !\[\w+\]\(a\.png\)\.$", result)

    @pytest.mark.parametrize(
        "source", ["点击 ![图](a.png) 按钮，然后退出。\n", "参见![图](a.png)说明文档。\n"]
    )
    def test_one_space_is_beside_an_image(self, translated, source):
        result = translated(source).strip()
        assert re.search(r"(^|[^ ] )!\[\w+\]\(a\.png\)([.,]| [^ ]|$)", result)

    @pytest.mark.parametrize("source", ["`--force`：强制覆盖文件。\n", "- **`name`**：必填。\n"])
    def test_one_colon_is_behind_code(self, translated, source):
        assert re.search(r"`(\*\*)?: \w", translated(source))
        assert "::" not in translated(source)


class TestC2ToD2ThroughMarkdown:
    @pytest.mark.parametrize(
        "source",
        [
            "点击 {{+docx}} 按钮，然后选择 {{作者姓名}}，大小为 #{size} 字节。\n",
            r"查询的复杂度为 $O(\log{n})$，空间为 $O(n^2)$，其中 $n$ 是**节点数**。" + "\n",
            "| 名称 | 说明 |\n|---|---|\n| `a b` | 例如 `{{user}}` 或者 <%= path %> 文件 |\n",
            "- 需要通过 `tiup cluster reload` 命令让集群重新加载**配置**。\n",
        ],
    )
    def test_kept_parts_arrive_once(self, translated, source):
        result = translated(source)
        for part in re.findall(r"`[^`]+`|\{\{[^}]+\}\}|#\{\w+\}|\$[^$]+\$|<%[^%]+%>", source):
            assert result.count(part) == source.count(part)

    def test_no_mark_is_on_punctuation(self, translated):
        result = translated("**首先**打开终端，然后运行*安装命令*，**最后**检查集群的状态。\n")
        marked = re.findall(r"\*+([^*]+)\*+", result)
        assert len(marked) >= 3
        assert all(re.search(r"\w", text) for text in marked)
