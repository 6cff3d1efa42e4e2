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
from benchmarks.files.generated_resources import RESOURCE_WRITERS

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

SONG = "STSong-Light"
"""A Chinese font that every reader of PDF has."""
PAGE_TOP, PAGE_BOTTOM = 760, 80
"""In points."""
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


def eml(said: Sequence[str]) -> bytes:
    """A message with a quoted answer and a page, encoded, and an attachment; or a saved page."""
    saved = len(said) % 4 == 0
    half = 0 if saved else len(said) // 2 + 1
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
    kind = "related" if saved else "mixed"
    body = "".join(f"--b\nContent-Type: {part}\n" for part in parts[int(saved) :])
    head = f"From: a@example.org\nSubject: =?utf-8?B?{subject}?=\nMIME-Version: 1.0\n"
    return f"{head}Content-Type: multipart/{kind}; boundary=b\n\n{body}--b--\n".encode()


def pdf(said: Sequence[str]) -> bytes:
    """A document with headings, paragraphs and items on pages; the same bytes every time."""
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.pdfbase.pdfmetrics import registerFont
    from reportlab.pdfgen.canvas import Canvas

    registerFont(UnicodeCIDFont(SONG))
    file, y = io.BytesIO(), 0
    canvas = Canvas(file, invariant=1, pageCompression=0)
    for number, sentence in enumerate(said):
        if y < PAGE_BOTTOM:
            canvas.showPage() if number else None
            y = PAGE_TOP
        start, size = ("", 18) if number % 6 == 0 else (("• ", 11) if number % 6 > 3 else ("", 11))
        canvas.setFont(SONG, size)
        canvas.drawString(72, y, start + sentence)
        y -= 40
    canvas.save()
    return file.getvalue()


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
    "ipynb": (".ipynb", notebook),
    "epub": (".epub", epub),
    "pdf": (".pdf", pdf),
    "latex": (".tex", latex),
    "org": (".org", org),
    "eml": (".eml", eml),
    **RESOURCE_WRITERS,
}
"""The suffix and the writer of each format."""


def _lines(said: Sequence[str]) -> list[tuple[int, str]]:
    return [(number, sentence.replace(", ", ",\n", 1)) for number, sentence in enumerate(said, 1)]


def _time(second: int, point: str) -> str:
    return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}{point}000"
