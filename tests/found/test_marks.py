# ruff: noqa: RUF001 - full-width signs are what the files have
"""Kept parts and marks: C2, C3, D1 and D2 of what real files have shown."""

import time

import pytest

import longways
from longways.formats.base import Mark, Passage
from longways.formats.placeholders import kept_parts
from longways.translation.markup.alignment import Aligner, AlignmentRequest
from longways.translation.markup.projection import place_marks
from longways.translation.plain_text import plain_segments
from tests.translation.markup.passages import translate_passages


def kept(text):
    return [text[a:b] for a, b in kept_parts(text)]


class TestC2PlaceholdersOfTemplateLanguages:
    @pytest.mark.parametrize(
        "part",
        [
            *(
                "{{+docx}}",
                "{{?goods}}",
                "{{/goods}}",
                "{{#each 列表}}",
                "{{{原文}}}",
                "{{作者姓名}}",
            ),
            *(
                "{{ 名称 | upper }}",
                "{名称}",
                "{0}",
                "{}",
                "{a.b[0]}",
                "{x:>10.2f}",
                '{"a": {"b": 1}}',
            ),
            *("${用户.名}", "#{计数}", "@{name}", "%{name}", "$(HOME)", "$HOME", "$[office]"),
            *("%s", "%1$s", "%(count)d", "%@", "%1$@", "%lld", "%-10s", "%PATH%", "%<x>s"),
            *("<%= 名称 %>", "<% if x %>", "<?php echo 1 ?>", "{% if 用户 %}", "{# 注释 #}"),
            *(
                "[[页面]]",
                '{{< ref "x" >}}',
                '{{% tab name="语法" %}}',
                '[gallery ids="1"]',
                "[/b]",
            ),
            *("@:message.hello", "@.lower:key", "@:(a.b)", ":ref:`文本 <x>`", "$t(key, {n: 1})"),
            "{n, plural, one {# 个文件} other {{n} 个文件}}",
            "https://example.com/路径/图.png?名=值&a=1",
            *("{!! $内容 !!}", "$!{user.名}", "&{名称}", "[% 变量 %]", "<#if 用户??>", "</#if>"),
            *('#set($name = "张三")', "#foreach($项 in $列表)", "@lang('消息.a')", "@Model.Name"),
            *('@DateTime.Now.ToString("yyyy年")', "%(名称)s", "%名称%", "__名称__", r"\n"),
            *(
                "/usr/local/文件/a.txt",
                "~/文档/a.md".replace("文档", "doc"),
                '<c:out value="${x}"/>',
            ),
        ],
    )
    def test_a_placeholder_is_kept_whole(self, part):
        assert kept(f"请打开 {part} 文件。") == [part]
        assert kept(f"请打开{part}文件。") == [part]

    def test_tags_in_brackets_are_kept_and_their_text_is_not(self):
        text = "[b]粗体[/b]和[color=#f00]红色[/color]，数组 a[i] 和 [b]"
        assert kept(text) == ["[b]", "[/b]", "[color=#f00]", "[/color]"]

    @pytest.mark.parametrize(
        ("text", "address"),
        [
            ("请访问 https://example.com/路径 查看。", "https://example.com/路径"),
            ("请访问https://example.com/查看详情。", "https://example.com/"),
            ("见https://example.com/a.html。", "https://example.com/a.html"),
            ("(https://example.com/a).", "https://example.com/a"),
        ],
    )
    def test_an_address_ends_where_prose_begins(self, text, address):
        assert kept(text) == [address]

    @pytest.mark.parametrize(
        "text",
        [
            *("这里 {是一段，文字} 吧", "价格 $5 和 $10", "完成了 50%的文件", "{{ 未闭合"),
            *("} 反了 {", "输入/输出/错误", "占50%的文件，共80%", "联系 @张三", "第#1章"),
        ],
    )
    def test_prose_with_such_signs_is_not_kept(self, text):
        assert kept(text) == []

    @pytest.mark.parametrize(
        "part",
        [
            *("{", "{{ ", "{中，}", "{中，", "$x ", "$t(", "<% ", "[[", "\\(", "[b]", "[a=b"),
            *("#set(", "@a.", "@a(", "/usr", "/us/中", "<#a ", "[% ", "%中", "__中"),
        ],
    )
    def test_time_is_linear(self, part):
        took = []
        for times in (10_000, 40_000):
            began = time.process_time()
            kept_parts(part * times + "}" * times)
            took.append(time.process_time() - began)
        assert took[1] < 10 * took[0] + 0.2


class TestC3Formulas:
    @pytest.mark.parametrize(
        "part",
        [
            *(r"$O(\log{n})$", "$n$", "$$x^2$$", r"\(a+b\)", r"\[c_1\]", r"$x = \text{最大值}$"),
            r"$\{a_i\}_{i=1}^{n}$",
        ],
    )
    def test_a_formula_is_kept_whole(self, part):
        assert kept(f"复杂度为 {part}，其中很快。") == [part]

    def test_amounts_are_no_formulas(self):
        assert kept("费用是 $20（约 $30），或 $5/$10，只有$一个。") == []


class TestC2InPlainText:
    @pytest.mark.parametrize(
        "part",
        [
            *('{{ message("你好。世界！") }}', "{!! $内容 !!}", "${a ? '是。' : '否。'}"),
            *('`echo "你好。世界！"; ls`', '<a href="x" title="你好。世界！">'),
        ],
    )
    def test_no_sentence_ends_inside_a_placeholder(self, translator, part):
        assert part in translator.translate(f"打开终端。使用 {part} 显示消息。关闭。", beam=1)

    @pytest.mark.parametrize(
        "text", ["{{ 你好。\n世界 }} 再见。", "a`。`b\t`。` c\r\n\n {x。}", "{。" * 9000]
    )
    def test_every_character_is_in_one_segment(self, text):
        for chunks in ([text], list(text)):
            found = plain_segments(chunks, "zh")
            assert "".join(one.text + one.after for one in found) == text


@pytest.fixture(scope="module")
def translator():
    return longways.load(threads=1)


def translated(translator, text, spans=()):
    """The translation of a passage, and the text of each of its marks."""
    marks = tuple(Mark(text.index(part), text.index(part) + len(part), n) for n, part in spans)
    keep = kept_parts(text, [(m.start, m.end) for m in marks if text[m.start : m.end].isascii()])
    (found,) = translate_passages(translator, [Passage(text, marks, keep)], beam=4)
    return found.text, {m.tag: found.text[m.start : m.end] for m in found.marks}


class TestC2AndC3ThroughTheModel:
    @pytest.mark.parametrize(
        "text",
        [
            "点击 {{+docx}} 按钮，然后选择 {{作者姓名}}。",
            "如果 {{?goods}} 存在，则显示 {{optimizeReason}}。",
            r"查询的时间复杂度为 $O(\log{n})$，空间复杂度为 $O(n^2)$。",
            "文件 ${name} 的大小为 #{size} 字节，路径是 <%= path %>。",
            "{count, plural, one {# 个文件} other {# 个文件}} 已删除。",
        ],
    )
    def test_each_part_arrives_once_and_no_half_copy_is_beside_it(self, translator, text):
        found, _ = translated(translator, text)
        rest = found
        for part in kept(text):
            assert found.count(part) == text.count(part)
            rest = rest.replace(part, "")
        assert not set("{}$%#<>\\") & set(rest)


class TestD1MarksOnTheirOwnText:
    def test_a_command_is_marked_where_it_stands(self, translator):
        text = "需要通过 tiup cluster reload 命令让集群重新加载配置。"
        _, marks = translated(translator, text, [(0, "tiup cluster reload"), (1, "重新加载")])
        assert marks[0] == "tiup cluster reload"
        assert marks[1] not in marks[0]


class TestD2NoMarkOnPunctuation:
    def test_two_bold_spans_enclose_words(self, translator):
        text = "首先打开终端，然后运行安装命令，最后检查集群的状态。"
        found, marks = translated(translator, text, [(0, "首先"), (1, "最后")])
        for marked in marks.values():
            assert any(map(str.isalnum, marked))
            assert marked != found

    @pytest.mark.parametrize(
        ("text", "part", "translation", "wanted"),
        [
            ("内部语法错误", "错误", "Internal syntax error", "error"),
            ("浏览器兼容性", "浏览器", "Browser compatibility", "Browser"),
            ("仅允许集群管理员访问。", "集群", "Only allow cluster administrators.", "cluster"),
            ("该节点在本地或者在云端运行。", "节点", "The node runs on premises.", "node"),
        ],
    )
    def test_a_mark_on_a_part_of_a_token_encloses_that_part(
        self, translator, text, part, translation, wanted
    ):
        aligner = Aligner(translator.runtime, translator.model.text)
        marked = text.index(part), text.index(part) + len(part)
        aligned = aligner.align(AlignmentRequest(text, translation, marked=[marked]))
        (mark,) = place_marks([Mark(*marked, 0)], aligned)
        assert translation[mark.start : mark.end] == wanted

    def test_a_note_before_the_full_stop_stays_before_it(self, translator):
        source, translation = "以及副本的数量。", "And the number of replicas."
        aligner = Aligner(translator.runtime, translator.model.text)
        aligned = aligner.align(AlignmentRequest(source, translation))
        (mark,) = place_marks([Mark(7, 7, 0)], aligned)
        assert translation[: mark.start] == "And the number of replicas"
