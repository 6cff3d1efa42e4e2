"""Documents for benchmarks, generated from a seed: Chinese sentences in a file of any format."""

from __future__ import annotations

import base64
import io
import quopri
import random
import zipfile
from collections.abc import Callable, Sequence

from benchmarks.files.archives import DATE, OFFICE, PACKAGE, zipped
from benchmarks.files.generated_office import OFFICE_WRITERS

WHO = (
    "管理员",
    "用户",
    "控制器",
    "调度程序",
    "每个节点",
    "新的集群",
    "测试服务器",
    "客户端",
    "这个脚本",
)
WHAT = ("启动", "停止", "检查", "更新", "删除", "备份", "监控", "重新部署", "配置")
WHICH = (
    "容器",
    "日志文件",
    "数据库",
    "网络连接",
    "证书",
    "存储卷",
    "应用程序",
    "访问权限",
    "负载均衡器",
)
WHEN = ("之后", "之前", "的时候", "失败后", "完成后")

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"


def sentences(count: int, seed: int) -> list[str]:
    """Different sentences, each with a number of its own."""
    draw = random.Random(seed)
    return [_sentence(draw, number) for number in range(1, count + 1)]


def _sentence(draw: random.Random, number: int) -> str:
    which, other = draw.sample(WHICH, 2)
    return (
        f"{draw.choice(WHO)}{draw.choice(WHAT)}第 {number} 个{which}{draw.choice(WHEN)}, "
        f"请{draw.choice(WHAT)}{other}。"
    )


def text(said: Sequence[str]) -> bytes:
    """Plain text, two sentences in a paragraph."""
    pairs = ["".join(said[n : n + 2]) for n in range(0, len(said), 2)]
    return ("\n\n".join(pairs) + "\n").encode()


def markdown(said: Sequence[str]) -> bytes:
    """A page with a heading, a list, a quote, a table, code and a link."""
    title, *more = said
    parts = [f"# {title.rstrip('。')}", "```sh\n# 启动\nls -l\n```"]
    for number, sentence in enumerate(more):
        start, end = sentence.split(", ")
        parts.append(
            (
                f"{start}, **{end[:-1]}**。",
                f"- {sentence}\n- `run_{number}` {end}",
                f"> {sentence}",
                f"| {start} | [{end}](page.md#{number}) |\n| --- | --- |\n| {start} | `x` |",
            )[number % 4]
        )
    return ("\n\n".join(parts) + "\n").encode()


def rst(said: Sequence[str]) -> bytes:
    """A page with titles, lists, tables, directives, code and references."""
    title, *more = said
    parts = [f"{title}\n{'=' * 80}", ".. code-block:: sh\n\n   # 启动\n   ls -l"]
    for number, sentence in enumerate(more):
        start, end = sentence.split(", ")
        parts.append(
            (
                f"{start}, **{end[:-1]}**。",
                f"- {sentence}\n- ``run_{number}`` {end}",
                f".. note:: {sentence}",
                f".. list-table::\n\n   * - {start}\n     - `{end} <page.html#{number}>`_",
            )[number % 4]
        )
    return ("\n\n".join(parts) + "\n").encode()


def asciidoc(said: Sequence[str]) -> bytes:
    """A page with titles, lists, a table, code, notes and references."""
    title, *more = said
    parts = [f"= {title}", "[source,sh]\n----\n# 启动\nls -l\n----"]
    for number, sentence in enumerate(more):
        start, end = sentence.split(", ")
        parts.append(
            (
                f"{start}, **{end[:-1]}**。footnote:[{end}]",
                f"* {sentence}\n* `run_{number}` {end}",
                f"NOTE: {sentence}",
                f"|===\n|{start} |https://example.org/{number}[{end}]\n|===",
            )[number % 4]
        )
    return ("\n\n".join(parts) + "\n").encode()


def html(said: Sequence[str]) -> bytes:
    """A page with a title, inline tags, an attribute and a script."""
    title, *more = said
    body = "\n".join(f'<p class="a">{s[:-4]}<b>{s[-4:]}</b><img alt="{s[:3]}"></p>' for s in more)
    page = f"<title>{title}</title>\n<script>if (1 < 2) {{ a() }}</script>\n{body}\n"
    return f'<!DOCTYPE html>\n<html lang="zh"><meta charset="utf-8">\n{page}</html>\n'.encode()


def docx(said: Sequence[str]) -> bytes:
    """A document of paragraphs, each with a bold run; the same bytes every time."""
    runs = (
        '<w:r><w:t xml:space="preserve">{}</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>{}</w:t></w:r>'
    )
    body = "".join(f"<w:p>{runs.format(s[:-4], s[-4:])}</w:p>" for s in said)
    relation = f'Type="{OFFICE}/officeDocument" Target="word/document.xml"'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override '
        f'PartName="/word/document.xml" ContentType="{TYPE}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="r1" {relation}/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{W}"><w:body>{body}<w:sectPr/></w:body>'
        "</w:document>",
    }
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(zipfile.ZipInfo(name, DATE), f'<?xml version="1.0"?>\n{part}')
    return data.getvalue()


def srt(said: Sequence[str]) -> bytes:
    """Subtitles, one sentence a cue, on two lines."""
    cues = (f"{n}\n{_time(n, ',')} --> {_time(n + 1, ',')}\n{s}" for n, s in _lines(said))
    return ("\n\n".join(cues) + "\n").encode()


def vtt(said: Sequence[str]) -> bytes:
    """WebVTT with a note, a position and voices."""
    cues = (
        f"{n}\n{_time(n, '.')} --> {_time(n + 1, '.')} line:0\n<v 甲>{s}</v>"
        for n, s in _lines(said)
    )
    return ("WEBVTT\n\nNOTE 注\n\n" + "\n\n".join(cues) + "\n").encode()


def ass(said: Sequence[str]) -> bytes:
    """A script with tags, drawings, a song and layers of a sign."""
    head = "[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nStyle: 默认,黑体\n\n[Events]\n"
    shapes = (
        "{{\\an8}}{}", "{}\\N{{\\fs9}}In English", "{{\\i1}}{}{{\\i0}}", "{{\\k20}}甲{{\\k30}}{}",
        "{{\\p1}}m 0 0{{\\p0}}{}",
    )  # fmt: skip
    events = (
        f"Dialogue: {layer},{_time(n, '.')[1:-1]},{_time(n + 1, '.')[1:-1]},默认,,0,0,0,,"
        f"{shapes[n % 5].format(s)}\n"
        for n, s in enumerate(said, 1)
        for layer in range(1 + (n % 3 == 0))
    )
    return (head + "".join(events)).encode()


def po(said: Sequence[str]) -> bytes:
    """A catalogue with a header, comments and empty entries."""
    header = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
    entries = (f'#: a.c:{n}\nmsgid "{s}"\nmsgstr ""\n' for n, s in enumerate(said))
    return "\n".join([header, *entries]).encode()


def json_file(said: Sequence[str]) -> bytes:
    """Nested objects and lists, with plurals and forms between pipes."""
    shapes = ('"@"', '["@", 1, "A"]', '{"k": "{n, plural, other {# @}}"}', '"甲 | @"')
    values = (f'  "k{n}": ' + shapes[n % 4].replace("@", s) for n, s in enumerate(said))
    return ("{\n" + ",\n".join(values) + "\n}\n").encode()


def notebook(said: Sequence[str]) -> bytes:
    """Markdown cells as strings and as lists of lines, between cells with code."""
    code = '{"cell_type": "code", "metadata": {}, "outputs": [], "source": ["# 注"]}'
    shapes = ('["# @\\n", "\\n", "- **甲** @"]', '"@"', '["@\\n", "```\\n", "乙\\n", "```"]')
    sources = (shapes[n % 3].replace("@", s) for n, s in enumerate(said))
    cells = (f'{{"cell_type": "markdown", "metadata": {{}}, "source": {s}}}' for s in sources)
    whole = f",\n{code},\n".join(cells)
    return f'{{"cells": [\n{whole}\n], "nbformat": 4}}\n'.encode()


def epub(said: Sequence[str]) -> bytes:
    """A book of two documents and a navigation, without styles."""
    half = len(said) // 2
    root = '<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="zh">'
    pages = (
        "".join(f"<p>{s[:-4]}<b>{s[-4:]}</b></p>" for s in part)
        for part in (said[:half], said[half:], said[:1])
    )
    documents = {
        f"{n}.xhtml": f"{root}<head><title>页</title></head><body>{page}</body></html>"
        for n, page in enumerate(pages, 1)
    }
    items = "".join(
        f'<item id="i{name[0]}" href="{name}" media-type="application/xhtml+xml"/>'
        for name in documents
    )
    metadata = f"<dc:title>{said[0]}</dc:title><dc:language>zh</dc:language>"
    whole = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        f'<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">{metadata}</metadata>'
        f'<manifest>{items}</manifest><spine><itemref idref="i2"/></spine></package>'
    )
    container = '<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>'
    parts = {"mimetype": "application/epub+zip", "META-INF/container.xml": container}
    parts |= {"a.opf": whole, **documents}
    return zipped({name: part.encode() for name, part in parts.items()})


def latex(said: Sequence[str]) -> bytes:
    """A document with sections, markup, notes, formulas, tables, lists and code."""
    shapes = (
        "\\section{{{0}}}\n{0}\\textbf{{{1}}}, 见~\\ref{{a}}。% 注\n{0}\\footnote{{{1}}} 50\\%。",
        "\\begin{{itemize}}\n\\item {0}$x_i$\n\\item[{1}] {0}\n\\end{{itemize}}",
        "\\begin{{tabular}}{{l}}\n{0} & \\multicolumn{{1}}{{c}}{{{1}}} \\\\\n\\end{{tabular}}",
        "{{\\bf {0}}}\\[ a \\]\n\\begin{{verbatim}}\n{1}\n\\end{{verbatim}}\n\\verb|a| {0}",
    )
    parts = (shapes[n % 4].format(s[:-4], s[-4:]) for n, s in enumerate(said))
    body = "\n\n".join(parts)
    head = "\\documentclass{ctexart}\n\\title{标题}\n\\begin{document}\n"
    return f"{head}{body}\n\\end{{document}}\n".encode()


def org(said: Sequence[str]) -> bytes:
    """An outline with tasks, tags, lists, tables, notes, drawers and code."""
    shapes = (
        "* TODO {0} :标签:\n:PROPERTIES:\n:ID: a\n:END:\n{0} *{1}*[fn:1], 见 [[a][{1}]]。",
        "- [ ] {0} :: {1}\n  1. =a= {0}[fn:: {1}]",
        "#+CAPTION: {1}\n| {0} | {1} |\n|---+---|\n| a | {0} |",
        "#+begin_quote\n{0}{1}\n#+end_quote\n#+begin_src c\n{1}\n#+end_src\n[fn:1] {0}",
    )
    parts = (shapes[n % 4].format(s[:-4], s[-4:]) for n, s in enumerate(said))
    return ("#+TITLE: 标题\n\n" + "\n\n".join(parts) + "\n").encode()


def properties(said: Sequence[str]) -> bytes:
    """Keys with arguments, escapes and continued lines."""
    shapes = ("a.{} = {}\n", "a.{}: {{0}} {}\\n''\n", "a.{} \\u4fdd\\\n  {}\n", "# {} {}\n")
    return "".join(shapes[n % 4].format(n, s) for n, s in enumerate(said)).encode()


def strings(said: Sequence[str]) -> bytes:
    """Keys with comments and formats."""
    return "".join(f'/* {n} */\n"k{n} %@" = "%@ {s}\\n";\n' for n, s in enumerate(said)).encode()


def yaml(said: Sequence[str]) -> bytes:
    """Values in every style, in block and flow collections."""
    shapes = (
        "{}",
        '"{}\\n"',
        "'{}'",
        "&a{} {}  # 注",
        "|\n    {}\n    二",
        "[a, '{}', {{b: \"{}\"}}]",
    )
    values = (shapes[n % 6].replace("a{}", f"a{n}").format(s, s) for n, s in enumerate(said))
    return ("zh:\n" + "".join(f"  k{n}: {v}\n" for n, v in enumerate(values))).encode()


def android(said: Sequence[str]) -> bytes:
    """Strings with tags, kept parts, CDATA and plurals."""
    shapes = (
        "<b>{}</b>%1$s{}", "{}<xliff:g>%d</xliff:g>{}", "<![CDATA[<i>{}</i>{}]]>", '"{}"{}'
    )  # fmt: skip
    halves = (shapes[n % 4].format(s[:-4], s[-4:]) for n, s in enumerate(said))
    strings = "".join(f'  <string name="s{n}">{text}</string>\n' for n, text in enumerate(halves))
    space = 'xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2"'
    return f'<?xml version="1.0"?>\n<resources {space}>\n{strings}</resources>\n'.encode()


def eml(said: Sequence[str]) -> bytes:
    """A message with a quoted answer and a page, encoded, and an attachment."""
    half = len(said) // 2 + 1
    subject = base64.b64encode(said[0].encode()).decode()
    text = "\n".join(("> " if n % 3 == 1 else "") + s for n, s in enumerate(said[:half])) + "\n"
    plain = base64.encodebytes(text.encode()).decode()
    page = "".join(f"<p>{s[:-4]}<b>{s[-4:]}</b></p>\n" for s in said[half:])
    printable = quopri.encodestring(page.encode()).decode()
    parts = (
        f"text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n{plain}",
        f"text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n{printable}",
        "image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n",
    )
    body = "".join(f"--b\nContent-Type: {part}\n" for part in parts)
    head = f"From: a@example.org\nSubject: =?utf-8?B?{subject}?=\nMIME-Version: 1.0\n"
    return f"{head}Content-Type: multipart/mixed; boundary=b\n\n{body}--b--\n".encode()


def csv(said: Sequence[str]) -> bytes:
    """Records with quoted cells, line breaks and doubled quotes."""
    shapes = ("{}", '"{}"', '"{}\n二"', '"""甲"", {}"')
    cells = (f"{n};{shapes[n % 4].format(s)};{n / 2}\r\n" for n, s in enumerate(said))
    return ("id;说明;price\r\n" + "".join(cells)).encode()


def tsv(said: Sequence[str]) -> bytes:
    """Records without quotes."""
    return "".join(f'{n}\t{s}\t"甲\n' for n, s in enumerate(said)).encode()


def xliff(said: Sequence[str]) -> bytes:
    """Units with inline codes, notes, segments and translations that are there."""
    shapes = (
        "<source>{}<g id='1'>{}</g></source>",
        "<source>{}<x id='1' equiv-text='{{n}}'/>{}</source><target state='new'/>",
        "<source>{0}{1}</source><seg-source><mrk mid='0' mtype='seg'>{0}{1}</mrk></seg-source>",
        "<source>{}<ph id='1'>%s</ph>{}</source><note>注</note>",
    )
    filled = ((n, shapes[n % 4].format(s[:-4], s[-4:])) for n, s in enumerate(said))
    units = "".join(f'<trans-unit id="u{n}">\n{unit}\n</trans-unit>\n' for n, unit in filled)
    file = f'<file original="a" source-language="zh" datatype="html"><body>\n{units}</body></file>'
    space = 'xmlns="urn:oasis:names:tc:xliff:document:1.2"'
    return f'<?xml version="1.0"?>\n<xliff version="1.2" {space}>{file}</xliff>\n'.encode()


def ts(said: Sequence[str]) -> bytes:
    """Messages of Qt Linguist with places, plurals and arguments."""
    shapes = (
        "<message>\n<location line='{}'/>\n<source>{} %1</source>\n"
        "<translation type='unfinished'></translation>\n</message>",
        "<message numerus='yes'>\n<location line='{}'/>\n<source>%n {}</source>\n"
        "<translation type='unfinished'><numerusform></numerusform></translation>\n</message>",
    )
    messages = "\n".join(shapes[n % 2].format(n, s) for n, s in enumerate(said))
    inner = f"<context>\n<name>窗口</name>\n{messages}\n</context>"
    return f"<?xml version='1.0'?>\n<!DOCTYPE TS>\n<TS version='2.1'>{inner}</TS>\n".encode()


WRITERS: dict[str, tuple[str, Callable[[Sequence[str]], bytes]]] = {
    "text": (".txt", text),
    "markdown": (".md", markdown),
    "rst": (".rst", rst),
    "asciidoc": (".adoc", asciidoc),
    "html": (".html", html),
    "docx": (".docx", docx),
    **OFFICE_WRITERS,
    "srt": (".srt", srt),
    "vtt": (".vtt", vtt),
    "ass": (".ass", ass),
    "po": (".po", po),
    "json": (".json", json_file),
    "ipynb": (".ipynb", notebook),
    "epub": (".epub", epub),
    "latex": (".tex", latex),
    "org": (".org", org),
    "properties": (".properties", properties),
    "strings": (".strings", strings),
    "yaml": (".yml", yaml),
    "csv": (".csv", csv),
    "tsv": (".tsv", tsv),
    "eml": (".eml", eml),
    "android": (".xml", android),
    "xliff": (".xlf", xliff),
    "ts": (".ts", ts),
}
"""The suffix and the writer of each format."""


def _lines(said: Sequence[str]) -> list[tuple[int, str]]:
    return [(number, sentence.replace(", ", ",\n", 1)) for number, sentence in enumerate(said, 1)]


def _time(second: int, point: str) -> str:
    return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}{point}000"
