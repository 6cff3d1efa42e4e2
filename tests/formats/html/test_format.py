"""The HTML format: passages that are read, content that stays unchanged, and written files."""

from dataclasses import replace

import pytest

from longways.formats.base import Mark, Passage
from longways.formats.html.format import Html
from tests.formats.html.html_shapes import shape


def read(source, language="zh"):
    return Html().read(source.encode() if isinstance(source, str) else source, language)


def texts(source):
    return [passage.text for passage in read(source).passages]


def translated(source, *new, **options):
    """The file with these texts in place of its own; marks stay where they were."""
    document = read(source)
    passages = [replace(p, text=t, keep=()) for p, t in zip(document.passages, new, strict=True)]
    return document.write(passages, "en", **options).decode()


def test_the_format_has_its_name_and_suffixes():
    assert Html().name == "html"
    assert Html().suffixes == (".html", ".htm", ".xhtml")


def test_a_line_with_tags_is_one_passage_with_marks():
    (passage,) = read("<p>我<b>爱 <i>读</i></b>书<img src=x>。</p>").passages
    assert passage.text == "我爱 读书。"
    assert passage.marks == (Mark(1, 4, 0), Mark(3, 4, 1), Mark(5, 5, 2))


def test_whitespace_is_as_a_reader_sees_it():
    (passage,) = read("<p>\n  a <b> b\t\n</b> c&nbsp; <i> </i>\n</p>").passages
    assert passage.text == "a b c\xa0"
    assert passage.marks == (Mark(2, 4, 0), Mark(6, 6, 1))


def test_a_line_break_is_a_mark_and_reads_as_a_line_end():
    (passage,) = read("<p>张三<br>北京 <br/> 上海<br></p>").passages
    assert passage.text == "张三\n北京\n上海"
    assert [mark.start for mark in passage.marks] == [2, 6, 8]
    assert passage.breaks == (2, 5)


def test_how_signs_are_read_is_no_text_of_their_passage():
    source = "<p>去<ruby>重<rp>(</rp><rt>chóng</rt><rp>)</rp>庆<rt>qìng</rt></ruby>玩。</p>"
    (passage,) = read(source).passages
    assert passage.text == "去重庆玩。"
    reading = "<rp>(</rp><rt>chóng</rt><rp>)</rp>"
    new = f"<p>A<ruby> {reading}B<rt>qìng</rt></ruby> 玩</p>"
    assert translated(source, "A B 玩") == new
    assert texts("<p><ruby>K8s<rt>集群系统</rt></ruby></p>") == ["K8s集群系统"]
    assert texts("<p><ruby>重<rt>chóng<rt>x</ruby>庆</p>") == ["重chóngx庆"]


def test_blocks_end_passages_and_unclosed_ones_do_too():
    source = "前<p>一<p>二<ul><li>三<li>四</ul><table><tr><td>五<th>六</table><h1>七</h1>后<hr>尾"
    assert texts(source) == ["前", *"一二三四五六七", "后", "尾"]


def test_code_is_kept_text_inside_its_passage():
    no = '<span translate="no">X Y</span>及<b class="k notranslate">Z</b>'
    source = f"<p>用<code>a  b</code>和{no}</p>"
    (passage,) = read(source).passages
    assert [passage.text[start:end] for start, end in passage.keep] == ["a b", "X Y", "Z"]


def test_what_a_script_shows_later_is_read():
    source = "<table><tr><template slot-scope=row><button title=题>编辑</button></template></table>"
    assert texts(f"甲{source}<template><p>{{{{ x }}}} 乙</p></template>丙") == [
        "甲",
        "题",
        "编辑",
        "{{ x }} 乙",
        "丙",
    ]


def test_what_a_machine_reads_is_in_no_passage():
    source = """<script>"字"</script><style>字</style><pre>字 <b>字</b></pre>
    <svg><text>字</text></svg>
    <math><mi>字</mi></math>
    <div translate=no title=字>字<p>字</div>
    <!-- 字 --><textarea>if (字) { }</textarea><xmp><p>字</xmp><iframe><p>字</p></iframe>
    <div class="a notranslate"><p alt=字>字</p></div><link rel=stylesheet title=字>
    <meta name=keywords content=字><input value=字><p data-x=字>读</p>"""
    assert texts(source) == ["读"]


def test_attributes_that_a_reader_reads_are_passages():
    source = """<title>一</title><meta name=description content=二>
    <meta property='og:title' content='三'>
    <img alt="四 &quot;"><a title=五>六</a><input placeholder=七><div aria-label=八></div>
    <table summary=九></table><input type=SUBMIT value=十><option label=甲><optgroup label=乙>
    <track label=丙><input type=button value=丁><iframe title=戊></iframe>"""
    assert texts(source) == [*"一二三六", '四 "', *"五七八九十甲乙丙丁戊"]
    more = """<meta property="og:site_name" content="一"><th abbr="三">四</th>
    <meta name="twitter:image:alt" content="二">"""
    assert texts(more) == list("一三四二")


def test_translate_yes_within_translate_no_is_read():
    assert texts("<div translate=no>字<p translate=yes>读</p>字</div>") == ["读"]


def test_a_paragraph_that_is_not_translated_ends_where_the_next_begins():
    assert texts("<p translate=no>字<p>读") == ["读"]
    assert texts("<table><tr class=notranslate><td>字<tr><td>读</table>") == ["读"]


def test_drawings_and_formulas_stand_in_their_line():
    (passage,) = read("<p>设<math><mi>x</mi></math>为<svg><g/></svg>数</p>").passages
    assert passage == Passage("设为数", (Mark(1, 1, 0), Mark(2, 2, 1)))


def test_a_drawing_that_is_not_ended_ends_with_its_block():
    assert texts("<div>一<svg><path></div><p>二</p>") == ["一", "二"]
    assert texts("<svg><g><p>二</p>") == ["二"]


def test_a_link_around_blocks_ends_passages_as_they_do():
    source = "<a href=x>一<div>二</div>三</a>四"
    assert texts(source) == ["一", "二", "三", "四"]
    assert translated(source, "1", "2", "3", "4") == "<a href=x>1<div>2</div>3</a>4"


def test_tags_that_do_not_nest_stand_by_themselves():
    (passage,) = read("<p>一<b>二<i>三</b>四</i>五</u>六</p>").passages
    assert passage.text == "一二三四五六"
    assert passage.marks == (Mark(1, 3, 0), Mark(2, 2, 1), Mark(4, 4, 2), Mark(5, 5, 3))


def test_each_line_of_a_text_area_is_a_passage():
    source = "<textarea>\n 你好。 \n\n再见。</textarea>"
    assert texts(source) == ["你好。", "再见。"]
    written = translated(source, "Hi.", "A\n<B>")
    assert written == "<textarea>\n Hi. \n\nA &#60;B&#62;</textarea>"
    assert texts(written) == ["Hi.", "A <B>"]


def test_instructions_of_templates_are_kept():
    (passage,) = read("<p>{% if x > 1 %}你好 {{ user.name|upper }}{% endif %}</p>").passages
    kept = [passage.text[start:end] for start, end in passage.keep]
    assert kept == ["{% if x > 1 %}", "{{ user.name|upper }}", "{% endif %}"]


def test_character_references_are_read_as_characters():
    body = "&lt;b&gt; &amp;amp; &nbsp;&#20013;&#x56fd &notit; &#0;&#x80;"
    source = f'<p title="a&copy=1 &copy; &lt">{body}</p>'
    title, text = sorted(texts(source), key=len)
    assert title == "a&copy=1 © <"
    assert text == "<b> &amp; \xa0中国 ¬it; \ufffd€"


def test_new_text_is_escaped():
    new = "<b>&amp; \"a\" 'b'\xa0"
    assert translated("<p>字</p>", new) == "<p>&lt;b&gt;&amp;amp; \"a\" 'b'&nbsp;</p>"
    assert translated("<img alt='字'>", new).startswith(
        '<img alt=\'&lt;b&gt;&amp;amp; "a" &#39;b&#39;'
    )
    assert translated("<img alt=字>", 'a "b"') == '<img alt="a &quot;b&quot;">'
    assert translated("<title>字</title>", "</title>") == "<title>&lt;/title&gt;</title>"


def test_only_what_is_new_is_written_anew():
    source = "<P  CLASS=a >一&mdash;<B >二</B ></P\n><p>三 &amp 四</p>"
    document = read(source)
    first, second = document.passages
    new = Passage("Two one", (Mark(0, 3, 0),))
    written = document.write([new, second], "en").decode()
    assert written == "<P  CLASS=a ><B >Two</B > one</P\n><p>三 &amp 四</p>"
    assert document.write([first, second], "en") == source.encode()


def test_a_mark_without_text_at_an_edge_stays_in_its_element():
    source = "<p><a href=x>图<img src=y></a><i></i>字<img src=z><b>粗</b></p>"
    document = read(source)
    (passage,) = document.passages
    in_other_order = sorted(passage.marks, key=lambda mark: (mark.start, -mark.end))
    new = Passage("ABC", tuple(in_other_order))
    expected = "<p><a href=x>A<img src=y></a><i></i>B<img src=z><b>C</b></p>"
    assert document.write([new], "en").decode() == expected


def test_a_tag_whose_mark_is_missing_is_written_all_the_same():
    document = read("<p>一<b>二</b><br></p>")
    assert document.write([Passage("One")], "en") == b"<p>One<b></b><br></p>"


def test_attributes_inside_a_new_passage_are_written_too():
    source = '<p>看<a href=x title="猫的图">图</a></p>'
    document = read(source)
    new = [Passage("See the picture", (Mark(4, 15, 0),)), Passage("A cat")]
    written = document.write(new, "en").decode()
    assert written == '<p>See <a href=x title="A cat">the picture</a></p>'
    only_title = document.write([document.passages[0], new[1]], "en").decode()
    assert only_title == '<p>看<a href=x title="A cat">图</a></p>'


def test_the_language_is_set_where_something_is_new():
    source = (
        '<html dir="ltr" lang="zh-CN"><p lang=zh-TW>一</p><p lang="zh">二</p><p lang="ja">三</p>'
        "<p>四<i lang='zh'>五</i></p></html>"
    )
    document = read(source)
    own = document.passages
    new = [Passage("1"), own[1], Passage("3"), Passage("45", own[3].marks)]
    assert document.write(new, "en-GB").decode() == (
        '<html dir="ltr" lang="en-GB"><p lang="en-GB">1</p><p lang="zh">二</p><p lang="ja">3</p>'
        "<p>4<i lang='en-GB'>5</i></p></html>"
    )


def test_an_image_in_the_language_of_the_text_is_in_the_new_one():
    source = '<p><img lang="zh" alt="图"><svg lang="zh"><text>字</text></svg></p><p>字</p>'
    document = read(source)
    written = document.write([Passage("P"), document.passages[1]], "en").decode()
    assert written == source.replace('<img lang="zh" alt="图">', '<img lang="en" alt="P">')


def test_a_page_without_a_language_gets_one():
    assert translated("<html class=a><p>字</p></html>", "X") == (
        '<html lang="en" class=a><p>X</p></html>'
    )


def test_in_two_languages_the_source_stands_below():
    source = "<title>题</title><p>一<br><b>二</b> &amp;</p><img alt=图><option>选"
    written = translated(source, "T", "A\nB C", "P", "O", bilingual=True)
    assert written == (
        '<title>T / 题</title><p>A<br>\n<b>B</b> C<br><span lang="zh" class="longways-source">一'
        '<br>二 &amp;</span></p><img alt="P / 图"><option>O / 选'
    )


def test_in_two_languages_only_new_passages_are_doubled():
    document = read("<p>一</p><p>二</p>")
    written = document.write([Passage("A"), document.passages[1]], "en", bilingual=True).decode()
    assert written.endswith("</span></p><p>二</p>")
    assert written.count("longways-source") == 1


def test_an_entity_bomb_stays_folded():
    levels = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
    subset = f'<!DOCTYPE html [<!ENTITY e0 "笑">{levels}]>'
    source = f'<?xml version="1.0"?>{subset}<html><p>字&e9;。</p></html>'
    (passage,) = read(source).passages
    assert passage == Passage("字。", (Mark(1, 1, 0),))
    assert translated(source, "XY").endswith('<html lang="en"><p>X&e9;Y</p></html>')
    as_html = source.removeprefix('<?xml version="1.0"?>')
    assert texts(as_html) == ["字&e9;。"]


def test_xhtml_may_close_any_element_at_once():
    page = '<title/><script src="x"/><p>一<a id="y"/>二</p>'
    source = f'<html xmlns="http://www.w3.org/1999/xhtml">{page}</html>'
    (passage,) = read(source).passages
    assert passage == Passage("一二", (Mark(1, 1, 0),))
    written = translated(source, "A\xa0", bilingual=True)
    assert '<p>A<a id="y"/>&#160;<br/><span' in written


def test_cdata_of_xhtml_is_text():
    source = '<?xml version="1.0"?><p>一<![CDATA[<b> & ]]>二</p>'
    assert texts(source) == ["一<b> & 二"]
    assert translated(source, "<b> & x").endswith("<p>&lt;b&gt; &amp; x</p>")


def test_a_script_within_a_commented_script_does_not_end_it():
    source = "<script><!-- <script>一</script> 二 --></script>三"
    assert texts(source) == ["三"]
    assert texts("<script><!--></script>三") == ["三"]


@pytest.mark.parametrize(
    ("source", "warning"),
    [
        ("<p>一</p>\n<!-- 二", "Line 2: a comment is never ended"),
        ("<p>一</p>\n\n<a href='x>二", "Line 3: the tag <a is never ended"),
        ("<p>一</p><script>二", "Line 1: <script> is never ended"),
        ("<p>一</p>\n<pre>二", "Line 2: <pre> is never ended"),
        ("<p>一</p>\n<svg>二", "Line 2: <svg> is never ended"),
    ],
)
def test_what_is_never_ended_is_told_with_its_line(source, warning):
    document = read(source)
    assert [p.text for p in document.passages] == ["一"]
    assert len(document.warnings) == 1
    assert document.warnings[0].startswith(warning)


def test_a_page_that_must_not_be_translated_is_told():
    assert read("<html translate=no><p>一</html>").passages == []
    assert "Line 1: <html> says" in read("<html translate=no><p>一</html>").warnings[0]


def test_the_number_of_passages_must_be_right():
    with pytest.raises(ValueError, match="shorter"):
        read("<p>一").write([], "en")


def test_bad_nesting_keeps_its_shape_when_only_text_is_new():
    source = "<p>一<b>二<i>三</b>四</i><div>五</u></p>六</div><table>七<tr><td>八</table>"
    document = read(source)
    new = [replace(p, text="x" * len(p.text)) for p in document.passages]
    assert shape(document.write(new, "en")) == shape(source.encode())


def test_a_long_blank_line_in_a_text_area_is_no_passage_and_takes_no_time():
    source = f"<textarea>{' ' * 200_000}\n字</textarea><p>读</p>"
    assert texts(source) == ["字", "读"]
