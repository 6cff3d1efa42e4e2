"""Messages with quoted answers, pages, attachments and other charsets, and saved pages."""

from __future__ import annotations

import email.policy
from collections.abc import Sequence
from email.message import EmailMessage

from benchmarks.round_trips.builders.books import html
from benchmarks.round_trips.texts import Block

TRANSFERS = ("base64", "quoted-printable", "8bit")


def eml(blocks: Sequence[Block], number: int) -> bytes:
    """A message with an answer, a signature, a page and an attachment; every third a saved page."""
    policy = email.policy.SMTP if number % 2 else email.policy.default
    message = EmailMessage(policy.clone(utf8=False))
    message["From"], message["To"] = "张三 <a@example.org>", "b@example.org"
    message["Subject"] = blocks[0].text + (" [#12]" if number % 2 else "")
    message["X-Note"] = "注"
    page = html(blocks, 1).decode()
    if number % 3 == 2:
        message.add_related(page, "html", cte="quoted-printable", charset="utf-8")
        message.add_related(b"\x89PNG", "image", "png", cid="<a@b>")
        return message.as_bytes()
    charset = "utf-8" if number % 4 else "gb18030"
    message.set_content(_plain(blocks), charset=charset, cte=TRANSFERS[number % 2])
    message.add_alternative(page, "html", cte=TRANSFERS[1 - number % 2], charset="utf-8")
    message.add_attachment(b"\x00\xff\n--b", "application", "x-b", filename="文件.bin")
    message.add_attachment("第一行\n", "plain", filename="说明.txt")
    return message.as_bytes()


def _plain(blocks: Sequence[Block]) -> str:
    """The text as people write mail, with the message that it answers, and a signature."""
    signs = {"item": "- ", "subitem": "  - ", "subsubitem": "    - ", "step": "* ", "quote": "> "}
    lines = list[str]()
    for block in blocks:
        if block.kind != "comment":
            text = "    ".join(block.cells) if block.kind == "row" else block.text
            lines += [signs.get(block.kind, "") + text, ""]
    lines += ["2023年5月9日, 李四写道:", "> 你好。", "> > 上次的问题解决了吗", "> 谢谢。"]
    return "\n".join([*lines, "", "-- ", "张三", "研发部", ""])
