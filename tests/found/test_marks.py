# ruff: noqa: RUF001 - full-width signs are what the files have
"""Kept parts and marks: C2, C3, D1, D2, D7 and D9 of what real files have shown."""

import time

import pytest

from longways.formats.placeholders import kept_parts


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
        ],
    )
    def test_a_placeholder_is_kept_whole(self, part):
        assert kept(f"请打开 {part} 文件。") == [part]
        assert kept(f"请打开{part}文件。") == [part]

    @pytest.mark.parametrize(
        "text",
        ["这里 {是一段，文字} 吧", "价格 $5 和 $10", "完成了 50%的文件", "{{ 未闭合", "} 反了 {"],
    )
    def test_prose_with_such_signs_is_not_kept(self, text):
        assert kept(text) == []

    @pytest.mark.parametrize(
        "part", ["{", "{{ ", "{中，}", "{中，", "$x ", "$t(", "<% ", "[[", "\\("]
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
