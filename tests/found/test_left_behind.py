"""Source text that stayed in translated Markdown, and machine-readable text that was translated."""

from __future__ import annotations

import re

import pytest

from longways.formats.html.format import Html
from longways.formats.markdown.format import Markdown
from longways.formats.markdown.hidden.masking import hide_templates
from tests.effort import is_linear
from tests.formats.markdown.markdown_soup import moved


def texts(source):
    """The texts of all passages; the file is written back to the byte."""
    document = Markdown().read(source.encode(), "zh")
    assert document.write(document.passages, "zh").decode() == source
    return [passage.text for passage in document.passages]


def written(source, *new):
    """The file with new texts; the same texts are read from it again."""
    document = Markdown().read(source.encode(), "zh")
    passages = [moved(p, text) for p, text in zip(document.passages, new, strict=True)]
    result = document.write(passages, "en").decode()
    again = [passage.text for passage in Markdown().read(result.encode(), "en").passages]
    assert [" ".join(text.split()) for text in again] == list(new)
    return result


class TestB1HtmlWithTemplatesAndExpressions:
    @pytest.mark.parametrize(
        ("source", "wanted"),
        [
            (
                '<p v-if="version">当前版本是 <strong>{{ version }}</strong>。</p>\n',
                ["当前版本是 {{ version }}。"],
            ),
            ('<td><a href="{{< ref "x" >}}">文字</a></td>\n', ["文字"]),
            ('<table>\n<td>{{% x y="文" %}}甲</td>\n</table>\n', ["甲", "文"]),
            ("<Diagram height={250}>说明</Diagram>\n", ["说明"]),
            ("<div>\n<Chart render={() => <p>不译</p>} /> 甲 {n}\n</div>\n", ["甲 {n}"]),
            ("<div style={{color: '红'}}>甲</div>\n", ["甲"]),
            ('<p>{% if a < b and c == "不译" %}甲{% endif %}</p>\n', ["甲"]),
            ("<p>{{ x }}</p>\n\n<p>{% 不译 %}</p>\n", []),
            ("<p>{{ 未闭合 甲</p>\n", ["{{ 未闭合 甲"]),
        ],
    )
    def test_the_text_is_read_and_the_template_is_not(self, source, wanted):
        assert texts(source) == wanted

    def test_new_text_is_escaped_and_templates_are_written_as_they_were(self):
        source = '<p id={a} class="{{< c "d" >}}">甲 {{< v "1" >}} <b title="{{ t }}">乙</b></p>\n'
        result = written(source, 'a < "b" {{< v "1" >}} c')
        assert result.startswith('<p id={a} class="{{< c "d" >}}">a &lt; "b" ')
        assert result.count('{{< v "1" >}}') == 1
        assert 'title="{{ t }}"' in result


class TestB2TitlesOfContainers:
    @pytest.mark.parametrize(
        ("source", "wanted"),
        [
            (":::tip 备注\n正文\n:::\n", ["备注", "正文"]),
            ("::: details 点我 `x` {open}\n\n正文\n\n:::\n", ["点我 x {open}", "正文"]),
            (":::note[标**题**]{.wide}\n正文\n:::\n", ["标题", "正文"]),
            (":::info{title=标题}\n正文\n:::\n", ["标题", "正文"]),
            ("- 甲\n\n  ::::warning 标题\n  正文\n  ::::\n", ["甲", "标题", "正文"]),
            ("/// note | 标题\n正文\n///\n", ["标题", "正文"]),
            ('!!! note "标题"\n    正文\n', ["标题", "正文"]),
            ("> [!NOTE] 标题\n> 正文\n", ["标题", "正文"]),
            ("::: tip Read me\ntext\n:::\n", ["Read me", "text"]),
            ("::: code-group\n\n:::{figure} images/图.png\n:::\n", []),
        ],
    )
    def test_the_title_is_read(self, source, wanted):
        assert texts(source) == wanted

    def test_a_new_title_stays_a_title(self):
        source = ":::tip 备注\n正文\n:::\n\n:::note[甲]\n正文\n:::\n\n:::info{title=标题}\n:::\n"
        new = ["[a]: b {x=1}", "t", "a: b #", "t", 'of "x"']
        result = written(source, *new)
        assert '\n:::info{title="of \\"x\\""}\n' in result


class TestB2ContainersRightBelowATable:
    def test_the_line_of_a_container_is_no_row_of_the_table(self):
        source = "| 名 |\n| - |\n| 甲 |\n:::info 重要\n\n正文\n\n:::\n"
        assert texts(source) == ["名", "甲", "重要", "正文"]
        assert ":::info Important\n" in written(source, "Name", "A", "Important", "Text")


class TestB3HtmlInQuotes:
    def test_a_summary_in_a_quote_is_read_and_the_quote_stays(self):
        source = "> <details>\n> <summary>标题</summary>\n> <p>甲\n> 乙</p>\n> </details>\n"
        assert texts(source) == ["标题", "甲 乙"]
        result = written(source, "a", "b c")
        assert result == "> <details>\n> <summary>a</summary>\n> <p>b c</p>\n> </details>\n"


class TestB4MarkdownRightAfterAComponent:
    def test_a_heading_after_a_component_is_a_heading(self):
        source = "<DeepDive>\n#### 标题 {/*anchor*/}\n- 甲\n</DeepDive>\n"
        assert texts(source) == ["标题", "甲"]
        assert written(source, "a", "b") == "<DeepDive>\n#### a {/*anchor*/}\n- b\n</DeepDive>\n"

    def test_a_tag_over_several_lines_is_a_tag(self):
        source = '<Card\n  title="标题"\n  icon={<I />}\n>\n  **甲**\n</Card>\n'
        assert texts(source) == ["标题", "甲"]


class TestB5ReadableAttributes:
    @pytest.mark.parametrize(
        ("source", "wanted"),
        [
            (
                '<TabItem value="甲" label="使用 npm" default>\n\n文\n\n</TabItem>\n',
                ["使用 npm", "文"],
            ),
            ('{{% tab name="语法" %}}\n文\n{{% /tab %}}\n', ["语法", "文"]),
            ('{{< tab "语法" >}}文{{< /tab >}}\n', ["文", "语法"]),
            ('{{< figure\n  src="图.png"\n  caption="题" >}}\n', ["题"]),
            ("{% include note.html content='说明' id=\"不译\" %}\n", ["说明"]),
            ('<a-card title="题" :label="不译" @click="不译" v-if="不译"></a-card>\n', ["题"]),
            ('<Badge text="新" type="不译" />\n', ["新"]),
            ('<Tab name="linux" label="Use it">\n\n</Tab>\n', ["Use it"]),
            ('{% if title == "不译" %}\n文\n{% endif %}\n', ["文"]),
            ('{{< ref "不译" >}}\n', []),
            ('![甲](u){width=50% title="题"}\n', ["甲", "题"]),
        ],
    )
    def test_names_labels_and_captions_are_read(self, source, wanted):
        assert sorted(texts(source)) == sorted(wanted)

    def test_quotes_and_braces_of_a_new_value_cannot_end_the_tag(self):
        result = written("{{% tab name=\"语法\" %}}\n\n<Tab label='甲'>\n", 'a "b"', "it's <c>")
        assert result == '{{% tab name="a \\"b\\"" %}}\n\n<Tab label=\'it&#39;s &lt;c&gt;\'>\n'

    def test_a_page_of_custom_elements_is_read_too(self):
        document = Html().read('<el-col label="日期" prop="日期">甲</el-col>'.encode(), "zh")
        assert [p.text for p in document.passages] == ["甲", "日期"]


YAML = """---
title: 指南 # 注释
linkTitle: "说\\"明\\""
sidebar_label: '甲''乙'
description: >-
  第一行
  第二行

  第二段
summary: |
  行一
  行二
tags: [标签, title]
draft: true
label: true
hero:
  actions:
    - text: 开始
      link: /开始
    - details: 多行
        文字
---

正文
"""


class TestB6TitlesOfDefinitionsAndFrontMatter:
    def test_settings_of_yaml_are_read(self):
        assert texts(YAML) == [
            *("指南", '说"明"', "甲'乙", "第一行\n第二行", "第二段", "行一", "行二"),
            *("开始", "多行\n文字", "正文"),
        ]

    @pytest.mark.parametrize(
        "value",
        [
            "a: b",
            "- a",
            "yes",
            "12",
            "2024-01-02",
            "a #b",
            "'a'",
            '"',
            "{x}",
            "*a",
            "a\\",
            "@a",
            "é",
        ],
    )
    def test_a_new_value_is_read_as_it_was_meant(self, value):
        new = [value] * len(texts(YAML))
        result = written(YAML, *new)
        title = re.search(r"title: (.*?) # 注释", result)[1]
        assert title in (value, *_quoted(value))
        assert (title == value) == (value in ("é", "a\\"))
        assert "tags: [标签, title]\ndraft: true\nlabel: true\n" in result

    @pytest.mark.parametrize(
        ("source", "wanted"),
        [
            ('+++\ntitle = \'甲\'\nsummary = """\n乙"""\ntags = [\'丙\']\n+++\n', ["甲", "乙"]),
            ('{\n  "title": "甲",\n  "tags": ["乙"]\n}\n', ["甲"]),
            ("[a]: u \"甲\"\n[b]: <u>\n  '乙'\n[comment]: <> (丙)\n[//]: # (丁)\n", ["甲", "乙"]),
            ("---\n甲: 乙\n---\n", []),
            ("文\n\n---\ntitle: 甲\n---\n", ["文", "title: 甲"]),
        ],
    )
    def test_toml_json_and_definitions_are_read(self, source, wanted):
        assert texts(source) == wanted
        written(source, *(f'{n}: it\'s "x" \\' for n in range(len(wanted))))


def _quoted(value):
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return [f'"{escaped}"']


class TestB8Comments:
    @pytest.mark.parametrize(
        "comment", ["{/* 中文 */}", "{/*\n中文\n\n中文\n*/}", "{/* `中文` */}", "[//]: # (中文)"]
    )
    def test_a_comment_is_not_read(self, comment):
        assert texts(f"甲\n\n{comment}\n\n乙\n") == ["甲", "乙"]

    def test_a_comment_in_a_sentence_keeps_its_place(self):
        assert texts("甲 {/* 中文 */} 乙\n") == ["甲 乙"]
        assert texts("# 甲 {/*中文*/}\n") == ["甲"]
        assert texts("`{/*` 和 `*/}`\n") == ["{/* 和 */}"]


class TestB9IndentedContentOfComponents:
    def test_content_between_the_tags_is_markdown_and_no_code(self):
        source = (
            '<Tabs>\n  <TabItem label="官网">\n    正文\n    - 甲\n    - 乙\n\n    > 注意\n\n'
            "    ```sh\n    # 不译\n    ```\n  </TabItem>\n</Tabs>\n\n    不译\n"
        )
        assert texts(source) == ["官网", "正文", "甲", "乙", "注意"]
        result = written(source, "Site", "Text", "A", "B", "Note")
        assert result == source.replace("官网", "Site").replace("正文", "Text").replace(
            "甲", "A"
        ).replace("乙", "B").replace("注意", "Note")

    def test_a_tag_in_code_of_a_component_stays_code(self):
        source = "1. 题\n\n    <Choice>\n      <Option>\n        用 `<script>` 标签\n"
        source += "      </Option>\n    </Choice>\n"
        assert texts(source) == ["题", "用 <script> 标签"]
        result = written(source, "Question", "A <script> tag")
        assert "        A `<script>` tag\n" in result

    @pytest.mark.parametrize(
        "source",
        [
            "<Card>\n\n    不译\n",
            "<Card>\n\n    不译\n\n<Card>\n",
            "```jsx\n<Card>\n\n    不译\n\n</Card>\n```\n",
            "<Card>\n\n    不译\n\n```\n</Card>\n```\n",
            "- <Card>\n\n      不译\n\n</Card>\n",
        ],
    )
    def test_without_an_end_tag_indented_lines_are_code(self, source):
        assert texts(source) == []

    def test_code_in_a_component_within_html_is_kept(self):
        source = "<p>\n<Spoiler>因为 `<style>` 的 {x}</Spoiler>\n</p>\n"
        assert texts(source) == ["因为 `<style>` 的 {x}"]
        result = written(source, "As `<style>` of {x}")
        assert "<Spoiler>As `<style>` of {x}</Spoiler>" in result

    def test_text_beside_fenced_code_in_html_is_read_and_the_code_is_not(self):
        source = "<details>\n<summary>显示</summary>\n```js\n// 不译\nf = {a} => 1\n```\n"
        source += "后\n</details>\n"
        assert texts(source) == ["显示", "后"]
        assert "```js\n// 不译\nf = {a} => 1\n```\nAfter\n" in written(source, "Show", "After")


class TestB10CodeBetweenTemplateTags:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("{{< mermaid >}}", "{{< /mermaid >}}"),
            ("{{% highlight go %}}", "{{% /highlight %}}"),
            ("{% highlight js linenos %}", "{% endhighlight %}"),
            ("{% codeblock 题 lang:js %}", "{% endcodeblock %}"),
        ],
    )
    def test_lines_between_the_tags_are_not_read(self, before, after):
        source = f'甲\n\n{before}\n# 不译\n  A["不译"] --> title="不译"\n\n- 不译\n{after}\n\n乙\n'
        assert texts(source) == ["甲", "乙"]
        assert written(source, "A", "B") == source.replace("甲", "A").replace("乙", "B")

    def test_tags_that_are_named_in_a_sentence_enclose_nothing(self):
        source = "用 `{% highlight %}` 和 `{% endhighlight %}`。\n\n{% raw %}\n甲\n{% endraw %}\n"
        assert texts(source) == ["用 {% highlight %} 和 {% endhighlight %}。", "甲"]

    def test_a_tag_in_a_fence_and_its_end_outside_enclose_nothing(self):
        source = "```\n{{< mermaid >}}\n```\n\n甲\n\n{{< /mermaid >}}\n"
        assert texts(source) == ["甲"]


class TestB6NamesThatEndInTitle:
    def test_such_settings_are_read(self):
        source = "---\nunitTitle: 搭建博客\nmeta_description: 说明\nslug: 不译\n---\n"
        assert texts(source) == ["搭建博客", "说明"]


class TestB11EmojiBeforeAWord:
    def test_a_name_of_an_emoji_begins_the_line_and_the_code_stays_code(self):
        source = "> :warning:请用 [`<webview>`][a]\n\n[a]: x\n"
        assert texts(source) == ["请用 <webview>"]
        assert "> :warning:Do [`<webview>`][a]\n" in written(source, "Do <webview>")


class TestB1ToB6InLinearTime:
    @pytest.mark.parametrize("end", ["{x", "{x} # y", "# y {.x"])
    def test_deep_quotes_with_a_brace_end(self, end):
        """A pattern once tried 2^n divisions of the spaces between n quotes."""
        text = "> " * 200 + end + "\n"
        assert len(hide_templates(text)) == len(text)

    @pytest.mark.parametrize(
        "part",
        [
            *(
                "{/* ",
                "<A b={",
                '<A b={1} c="',
                "<A\n",
                ":::tip [",
                '{{< a b="',
                "[a]: <b\n",
                "{{<",
            ),
            *(
                "<p>{{ x }}</p> ",
                "> <p>甲\n",
                ":a: `",
                "{a}`",
                "甲 {{< b >}} ",
                "<A>\n甲\n",
                "<A>\n    甲\n</A>\n",
                "<A>\n\n    甲\n",
                "{{< math >}}\n甲\n",
                "{{< math >}}\n甲\n{{< /math >}}\n",
                "<p>\n```\n甲\n",
                "</z>{.a}",
            ),
            *("甲 {% if x %}", "{{< b >}}甲{{< /b >}}", "///a\n    b: c\n"),
        ],
    )
    def test_four_times_the_text_takes_no_sixteen_times_as_long(self, part):
        _assert_linear(lambda times: part * times + "*/}>" * times * ("/*" not in part))

    @pytest.mark.parametrize("indent", ["", "  ", "      "])
    def test_components_in_components_too(self, indent):
        _assert_linear(lambda n: f"{indent}<A>\n" * n + f"{indent}甲\n" + f"{indent}</A>\n" * n)

    @pytest.mark.parametrize(
        "part",
        ["title: 甲\n", "title:\n", "title: >\n  甲\n", "a: [\n", "  甲: '乙\n", 'title = "\n'],
    )
    def test_front_matter_too(self, part):
        _assert_linear(lambda times: f"---\nx: y\n{part * times}---\n")
        _assert_linear(lambda times: f"+++\nx = 1\n{part * times}+++\n")


def _assert_linear(text):
    def translate(source):
        document = Markdown().read(source.encode(), "zh")
        document.write([moved(p, "a" + p.text) for p in document.passages], "en")

    assert is_linear(translate, text(1_500), text(6_000), 4)
