"""Generated files with the texts of programs, and tables: the same bytes every time."""

from __future__ import annotations

from collections.abc import Callable, Sequence


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


def arb(said: Sequence[str]) -> bytes:
    """Messages with metadata, arguments, plurals and selects."""
    shapes = (
        '"k{0}": "{1}",\n  "@k{0}": {{"description": "注"}}',
        '"k{0}": "{{count, plural, =0{{没有}} other{{{{count}} {1}}}}}"',
        '"k{0}": "{{gender, select, female{{她, {1}}} other{{他, {{name}}}}}}"',
        '"k{0}": "{{name}}, {1}\\n\'\'"',
    )
    values = ("  " + shapes[n % 4].format(n, s) for n, s in enumerate(said))
    return ('{\n  "@@locale": "zh",\n' + ",\n".join(values) + "\n}\n").encode()


def properties(said: Sequence[str]) -> bytes:
    """Keys with arguments, escapes and continued lines."""
    shapes = ("a.{} = {}\n", "a.{}: {{0}} {}\\n''\n", "a.{} \\u4fdd\\\n  {}\n", "# {} {}\n")
    return "".join(shapes[n % 4].format(n, s) for n, s in enumerate(said)).encode()


def strings(said: Sequence[str]) -> bytes:
    """Keys with comments and formats."""
    return "".join(f'/* {n} */\n"k{n} %@" = "%@ {s}\\n";\n' for n, s in enumerate(said)).encode()


def stringsdict(said: Sequence[str]) -> bytes:
    """Plurals of one number or two, and widths."""
    rule = "NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>"
    kind = "<key>NSStringFormatValueTypeKey</key><string>d</string>"
    plural = f"<key>n</key><dict><key>{rule}{kind}<key>other</key><string>%d {{}}</string></dict>"
    wide = "<key>NSStringVariableWidthRuleType</key><dict><key>20</key><string>{}{}</string></dict>"
    whole = "<key>NSStringLocalizedFormatKey</key><string>%#@n@, 共 {} &amp; %@</string>"
    shapes = (whole + plural, plural.replace("<key>n", whole + "<key>n", 1), wide)
    entries = "".join(
        f"<key>k{n}</key>\n<dict>{shapes[n % 3].format(s[:-4], s[-4:])}</dict>\n"
        for n, s in enumerate(said)
    )
    return (
        f'<?xml version="1.0"?>\n<plist version="1.0"><dict>\n{entries}</dict></plist>\n'.encode()
    )


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


RESOURCE_WRITERS: dict[str, tuple[str, Callable[[Sequence[str]], bytes]]] = {
    "po": (".po", po),
    "json": (".json", json_file),
    "arb": (".arb", arb),
    "properties": (".properties", properties),
    "strings": (".strings", strings),
    "stringsdict": (".stringsdict", stringsdict),
    "yaml": (".yml", yaml),
    "csv": (".csv", csv),
    "tsv": (".tsv", tsv),
    "android": (".xml", android),
    "xliff": (".xlf", xliff),
    "ts": (".ts", ts),
}
"""The suffix and the writer of each format of this module."""
