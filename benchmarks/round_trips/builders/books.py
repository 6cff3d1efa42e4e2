"""Pages, notebooks and books, with lists in lists, tables, quotes, code and comments."""

from __future__ import annotations

import html as escapes
import json
from collections.abc import Sequence

from benchmarks.files.archives import zipped
from benchmarks.round_trips.builders.lists import Item, dressed, lists, tree
from benchmarks.round_trips.builders.markup import markdown_body
from benchmarks.round_trips.texts import HEADINGS, LINK, Block, Run, grouped

_TAGS = {"title": "h1", "heading": "h2", "subheading": "h3", "text": "p", "empty": "p"}
_LOOKS = {
    "": "{}", "b": "<b>{}</b>", "i": "<em>{}</em>", "bi": "<b><em>{}</em></b>",
    "c": "<code>{}</code>", "a": f'<a href="{LINK}">{{}}</a>',
}  # fmt: skip


def html(blocks: Sequence[Block], number: int) -> bytes:
    """A page with attributes, an image, entities, a script, and text from right to left."""
    title = escapes.escape(blocks[0].text)
    head = f'<meta charset="utf-8"><title>{title}</title><script>let a = 1 < 2;</script>'
    more = (
        '<p title="提示"><img src="a.png" alt="示意图"> <code>ls -l</code>'
        "&nbsp;&#20013;&#x6587; &copy; 公司<br>第二行<wbr>文字</p>"
        "<dl><dt>术语<dd>解释</dl><p dir=rtl lang=ar>مرحبا</p>"
        '<form><input placeholder="请输入" value="1"><button>提交</button></form>'
    )
    body = f"<body>\n{_body(blocks)}{more if number % 2 else ''}\n</body>"
    page = f'<!DOCTYPE html>\n<html lang="zh"><head>{head}</head>{body}</html>\n'
    return dressed(page, number)


def _body(blocks: Sequence[Block]) -> str:
    """The elements of all blocks."""
    return "\n".join(_part(kind, group) for kind, group in grouped(blocks))


def _part(kind: str, group: Sequence[Block]) -> str:
    block = group[0]
    match kind:
        case "list":
            return _list(tree(group))
        case "table":
            rows = (
                "".join(f"<td>{escapes.escape(cell)}</td>" for cell in row.cells) for row in group
            )
            inner = "".join(f"<tr>{row}</tr>" for row in rows)
            return f"<table><caption>表格的标题</caption><tbody>{inner}</tbody></table>"
        case "quote":
            return f"<blockquote><p>{_said(block.runs)}</p></blockquote>"
        case "code":
            return f"<pre>{escapes.escape(block.source)}</pre>"
        case "comment":
            return f"<!-- {block.source} -->"
    return f"<{_TAGS[kind]}>{_said(block.runs)}</{_TAGS[kind]}>"


def _list(items: Sequence[Item]) -> str:
    found = list[str]()
    for is_step, group in lists(items):
        tag = "ol" if is_step else "ul"
        inner = (
            f"<li>{_said(item.block.runs)}{_list(item.inner) if item.inner else ''}</li>"
            for item in group
        )
        found.append(f"<{tag}>{''.join(inner)}</{tag}>")
    return "".join(found)


def _said(runs: Sequence[Run]) -> str:
    return "".join(_LOOKS[look].format(escapes.escape(text)) for text, look in runs)


def ipynb(blocks: Sequence[Block], number: int) -> bytes:
    """A notebook with a Markdown cell for each heading, and code and raw cells between them."""
    import nbformat

    version = nbformat.v4
    book = version.new_notebook()
    for part in _chapters(blocks):
        source = markdown_body(part, number).rstrip("\n")
        book.cells.append(version.new_markdown_cell(source))
        output = version.new_output("stream", text="1\n")
        book.cells.append(version.new_code_cell("print(1)  # 输出", outputs=[output]))
    book.cells.append(version.new_raw_cell("原样的文字"))
    book.cells.append(version.new_markdown_cell(""))
    for place, cell in enumerate(book.cells):
        cell["id"] = f"cell-{place}"
    return nbformat.writes(book, indent=1 + number % 2, ensure_ascii=number % 3 == 1).encode()


def _chapters(blocks: Sequence[Block]) -> list[Sequence[Block]]:
    """The blocks of each heading."""
    starts = [n for n, block in enumerate(blocks) if block.kind in HEADINGS]
    return [blocks[a:b] for a, b in zip(starts, [*starts[1:], len(blocks)], strict=True)]


def epub(blocks: Sequence[Block], number: int) -> bytes:
    """A book of a document for each heading; EPUB 2 and 3 in turns."""
    space = 'xmlns="http://www.w3.org/1999/xhtml"'
    head = '<?xml version="1.0" encoding="utf-8"?>\n'
    parts = _chapters(blocks)
    files = {
        f"OEBPS/{n}.xhtml": f"{head}<html {space} xml:lang='zh'><head>"
        f"<title>{_plain(part[0])}</title></head><body>{_body(part)}</body></html>"
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
        f"<dc:title>{_plain(blocks[0])}</dc:title><dc:language>zh</dc:language>{date}"
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
    links = "".join(f'<li><a href="{n}.xhtml">{_plain(p[0])}</a></li>' for n, p in enumerate(parts))
    nav = f'<nav epub:type="toc"><ol>{links}</ol></nav>'
    ops = 'xmlns:epub="http://www.idpf.org/2007/ops"'
    page = f"<head><title>目录</title></head><body>{nav}</body>"
    return {"OEBPS/nav.xhtml": f"{head}<html {space} {ops} xml:lang='zh'>{page}</html>"}


def _labels(parts: Sequence[Sequence[Block]], head: str, key: str) -> dict[str, str]:
    """The table of contents of EPUB 2."""
    points = "".join(
        f'<navPoint id="p{n}" playOrder="{n + 1}"><navLabel><text>{_plain(p[0])}</text></navLabel>'
        f'<content src="{n}.xhtml"/></navPoint>'
        for n, p in enumerate(parts)
    )
    title = f"<docTitle><text>{_plain(parts[0][0])}</text></docTitle>"
    meta = f'<head><meta name="dtb:uid" content="{key}"/></head>'
    inner = f"{meta}{title}<navMap>{points}</navMap>"
    space = 'xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1"'
    return {"OEBPS/toc.ncx": f"{head}<ncx {space}>{inner}</ncx>"}


def _plain(block: Block) -> str:
    return escapes.escape(block.text)
