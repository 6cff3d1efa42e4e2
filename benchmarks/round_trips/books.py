"""Pages, books, notebooks and subtitles from texts."""

from __future__ import annotations

import html as escapes
import json
from collections.abc import Sequence

from benchmarks.files.archives import zipped
from benchmarks.round_trips.texts import Block

_TAGS = {"title": "h1", "heading": "h2", "item": "li", "text": "p"}
_LOOKS = {"": "{}", "b": "<b>{}</b>", "i": "<em>{}</em>"}


def markdown(blocks: Sequence[Block], number: int) -> bytes:
    """A page with front matter, lists, tables, and code between its sections."""
    signs = {"title": "# ", "heading": "## ", "item": "- ", "text": ""}
    parts, last = [f"---\ntitle: {blocks[0].text}\n---\n"], ""
    for block in blocks:
        row = block.kind == "row"
        if row and last != "row":
            line = f"\n| {' | '.join(block.cells)} |\n{'| --- ' * len(block.cells)}|"
        else:
            close = block.kind == last and block.kind in ("row", "item")
            text = f"| {' | '.join(block.cells)} |" if row else signs[block.kind] + block.source
            line = ("" if close else "\n") + text
        parts.append(line)
        last = block.kind
    code = (
        "\n```sh\nkubectl get pods  # 查看\n```\n" if number % 2 else "\n> **注意**, 请先备份。\n"
    )
    return ("\n".join(parts) + "\n" + code).encode()


def html(blocks: Sequence[Block], number: int) -> bytes:
    """A page with lists, tables, an image and a script."""
    title = escapes.escape(blocks[0].text)
    head = f'<meta charset="utf-8"><title>{title}</title><script>let a = 1 < 2;</script>'
    more = '<p><img src="a.png" alt="示意图"> <code>ls -l</code></p>' if number % 2 else ""
    body = f"<body>\n{_body(blocks)}{more}\n</body>"
    return f'<!DOCTYPE html>\n<html lang="zh"><head>{head}</head>{body}</html>\n'.encode()


def _body(blocks: Sequence[Block]) -> str:
    """The elements of all blocks; lists and tables are opened and closed around theirs."""
    around = {"item": ("<ul>", "</ul>"), "row": ("<table>", "</table>")}
    parts, last = list[str](), ""
    for block in [*blocks, Block("text", "")]:
        if block.kind != last:
            parts += around.get(last, ("", ""))[1], around.get(block.kind, ("", ""))[0]
        if block.kind == "row":
            cells = "".join(f"<td>{escapes.escape(cell)}</td>" for cell in block.cells)
            parts.append(f"<tr>{cells}</tr>")
        elif block.source:
            runs = "".join(_LOOKS[k].format(escapes.escape(t)) for t, k in block.runs)
            parts.append(f"<{_TAGS[block.kind]}>{runs}</{_TAGS[block.kind]}>")
        last = block.kind
    return "\n".join(part for part in parts if part)


def ipynb(blocks: Sequence[Block], number: int) -> bytes:
    """A notebook with a Markdown cell for each heading, and code between them."""
    import nbformat

    version = nbformat.v4
    book = version.new_notebook()
    texts = list[list[Block]]()
    for block in blocks:
        if block.kind in ("title", "heading") or not texts:
            texts.append([])
        texts[-1].append(block)
    for part in texts:
        source = markdown(part, 1).decode().split("---\n", 2)[2].split("\n```")[0].strip()
        book.cells.append(version.new_markdown_cell(source))
        output = version.new_output("stream", text="1\n")
        book.cells.append(version.new_code_cell("print(1)  # 输出", outputs=[output]))
    for place, cell in enumerate(book.cells):
        cell["id"] = f"cell-{place}"
    return nbformat.writes(book, indent=1 + number % 2).encode()


def epub(blocks: Sequence[Block], number: int) -> bytes:
    """A book of a document for each heading; EPUB 2 and 3 in turns."""
    space = 'xmlns="http://www.w3.org/1999/xhtml"'
    head = '<?xml version="1.0" encoding="utf-8"?>\n'
    starts = [n for n, block in enumerate(blocks) if block.kind in ("title", "heading")]
    parts = [blocks[a:b] for a, b in zip(starts, [*starts[1:], len(blocks)], strict=True)]
    files = {
        f"OEBPS/{n}.xhtml": f"{head}<html {space} xml:lang='zh'><head><title>{part[0].text}</title>"
        f"</head><body>{_body(part)}</body></html>"
        for n, part in enumerate(parts)
    }
    new, key = number % 2 == 0, f"urn:uuid:0c7a0000-0000-4000-8000-{number:012}"
    files |= _contents(parts, space, head) if new else _labels(parts, head, key)
    kind = "application/xhtml+xml"
    items = "".join(
        f'<item id="i{n}" href="{n}.xhtml" media-type="{kind}"/>' for n in range(len(parts))
    )
    items += (
        f'<item id="nav" href="nav.xhtml" media-type="{kind}" properties="nav"/>'
        if new
        else '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    )
    order = "".join(f'<itemref idref="i{n}"/>' for n in range(len(parts)))
    date = '<meta property="dcterms:modified">2026-01-01T00:00:00Z</meta>' if new else ""
    metadata = (
        f'<dc:identifier id="id">{key}</dc:identifier>'
        f"<dc:title>{blocks[0].text}</dc:title><dc:language>zh</dc:language>{date}"
    )
    files["OEBPS/book.opf"] = (
        f'{head}<package xmlns="http://www.idpf.org/2007/opf" version="{"3.0" if new else "2.0"}" '
        'unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"{metadata}</metadata><manifest>{items}</manifest>"
        f"<spine{'' if new else ' toc=' + json.dumps('ncx')}>{order}</spine></package>"
    )
    files["META-INF/container.xml"] = (
        f'{head}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        '<rootfiles><rootfile full-path="OEBPS/book.opf" '
        'media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    whole = {"mimetype": "application/epub+zip", **files}
    return zipped({name: text.encode() for name, text in whole.items()})


def _contents(parts: Sequence[Sequence[Block]], space: str, head: str) -> dict[str, str]:
    """The navigation document of EPUB 3."""
    links = "".join(f'<li><a href="{n}.xhtml">{p[0].text}</a></li>' for n, p in enumerate(parts))
    nav = f'<nav epub:type="toc"><ol>{links}</ol></nav>'
    ops = 'xmlns:epub="http://www.idpf.org/2007/ops"'
    page = f"<head><title>目录</title></head><body>{nav}</body>"
    return {"OEBPS/nav.xhtml": f"{head}<html {space} {ops} xml:lang='zh'>{page}</html>"}


def _labels(parts: Sequence[Sequence[Block]], head: str, key: str) -> dict[str, str]:
    """The table of contents of EPUB 2."""
    points = "".join(
        f'<navPoint id="p{n}" playOrder="{n + 1}"><navLabel><text>{p[0].text}</text></navLabel>'
        f'<content src="{n}.xhtml"/></navPoint>'
        for n, p in enumerate(parts)
    )
    title = f"<docTitle><text>{parts[0][0].text}</text></docTitle>"
    meta = f'<head><meta name="dtb:uid" content="{key}"/></head>'
    inner = f"{meta}{title}<navMap>{points}</navMap>"
    space = 'xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1"'
    return {"OEBPS/toc.ncx": f"{head}<ncx {space}>{inner}</ncx>"}


def srt(blocks: Sequence[Block], number: int) -> bytes:
    """A cue for each block, with italics, on one or two lines."""
    return "\n".join(_cues(blocks, ",", number)).encode()


def vtt(blocks: Sequence[Block], number: int) -> bytes:
    """A cue for each block, after a header and a note."""
    return ("WEBVTT\n\nNOTE 注\n\n" + "\n".join(_cues(blocks, ".", number))).encode()


def _cues(blocks: Sequence[Block], point: str, number: int) -> list[str]:
    looks = {"": "{}", "b": "<b>{}</b>", "i": "<i>{}</i>"}
    cues = list[str]()
    for n, block in enumerate(blocks):
        said = "".join(looks[k].format(t) for t, k in block.runs).replace("|", " ").strip()
        said = said.replace("\uff0c", "\uff0c\n", 1) if number % 2 else said
        times = (f"00:{t // 60:02}:{t % 60:02}{point}000" for t in (4 * n, 4 * n + 3))
        cues.append(f"{n + 1}\n{' --> '.join(times)}\n{said}\n")
    return cues
