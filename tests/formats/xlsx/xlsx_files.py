"""Workbooks for tests, from the XML of their strings and sheets."""

from __future__ import annotations

from longways.formats.xlsx.format import Xlsx, XlsxDocument
from tests.formats.docx.docx_files import DUBLIN, HEAD, R, zipped
from tests.formats.office.office_files import A, Parts, content_types, relations

X = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
NAMESPACES = (
    f'xmlns="{X}" xmlns:r="{R}" xmlns:a="{A}" '
    'xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
)
TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
STYLES = (
    '<fonts count="1"><font><sz val="11"/><name val="Arial"/></font></fonts>'
    '<fills count="1"><fill><patternFill patternType="none"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
)


def shared(place: str, number: int) -> str:
    """A cell with a shared string."""
    return f'<c r="{place}" t="s"><v>{number}</v></c>'


def rows(*cells: str) -> str:
    """Cells, each in a row of its own."""
    return "".join(f'<row r="{n}">{cell}</row>' for n, cell in enumerate(cells, 1))


def table(name: str, ref: str, *columns: str, more: str = "") -> str:
    inner = "".join(
        f'<tableColumn id="{n}" name="{column}"/>' for n, column in enumerate(columns, 1)
    )
    return (
        f'{HEAD}<table {NAMESPACES} id="1" name="{name}" displayName="{name}" ref="{ref}"{more}>'
        f'<autoFilter ref="{ref}"/><tableColumns count="{len(columns)}">{inner}</tableColumns>'
        "</table>"
    )


def workbook(
    strings: list[str],
    *sheets: str,
    tables: tuple[str, ...] = (),
    after: str = "",
    names: str = "",
    more: Parts | None = None,
    beside: tuple[tuple[str, str], ...] = (),
) -> bytes:
    """A file of shared strings and of the rows of sheets; the rest belongs to the first sheet."""
    kinds = {f"xl/worksheets/sheet{n}.xml": f"{TYPE}.worksheet+xml" for n in _count(sheets)}
    kinds |= {f"xl/tables/table{n}.xml": f"{TYPE}.table+xml" for n in _count(tables)}
    for name, kind in {"workbook": "sheet.main", "sharedStrings": "", "styles": ""}.items():
        kinds[f"xl/{name}.xml"] = f"{TYPE}.{kind or name}+xml"
    kinds["xl/comments1.xml"] = f"{TYPE}.comments+xml"
    kinds["xl/drawings/drawing1.xml"] = "application/vnd.openxmlformats-officedocument.drawing+xml"
    items = "".join(f"<si>{string}</si>" for string in strings)
    listed = "".join(f'<sheet name="表{n}" sheetId="{n}" r:id="rId{n}"/>' for n in _count(sheets))
    own = [(f"worksheets/sheet{n}.xml", "worksheet") for n in _count(sheets)]
    parts: Parts = {
        "[Content_Types].xml": content_types(kinds),
        "_rels/.rels": relations(
            ("xl/workbook.xml", "officeDocument"), ("docProps/core.xml", "core-properties")
        ),
        "docProps/core.xml": f"<cp:coreProperties {DUBLIN}/>",
        "xl/workbook.xml": f"{HEAD}<workbook {NAMESPACES}><sheets>{listed}</sheets>{names}"
        "</workbook>",
        "xl/_rels/workbook.xml.rels": relations(
            *own, ("sharedStrings.xml", "sharedStrings"), ("styles.xml", "styles")
        ),
        "xl/styles.xml": f"{HEAD}<styleSheet {NAMESPACES}>{STYLES}</styleSheet>",
        "xl/sharedStrings.xml": f"{HEAD}<sst {NAMESPACES}>{items}</sst>",
    }
    links = [*((f"../tables/table{n}.xml", "table") for n in _count(tables)), *beside]
    for number, content in enumerate(sheets, 1):
        last = after if number == 1 else ""
        listing = "".join(f'<tablePart r:id="rId{n}"/>' for n in _count(tables))
        if number == 1 and tables:
            last += f'<tableParts count="{len(tables)}">{listing}</tableParts>'
        inner = f"<sheetData>{content}</sheetData>{last}"
        name = f"xl/worksheets/sheet{number}.xml"
        parts[name] = f"{HEAD}<worksheet {NAMESPACES}>{inner}</worksheet>"
    parts["xl/worksheets/_rels/sheet1.xml.rels"] = relations(*links)
    parts |= {f"xl/tables/table{n}.xml": xml for n, xml in enumerate(tables, 1)}
    return zipped({**parts, **(more or {})})


def _count(items: tuple[str, ...]) -> range:
    return range(1, len(items) + 1)


def read(data: bytes) -> XlsxDocument:
    return Xlsx().read(data, "zh")


def texts(data: bytes) -> list[str]:
    return [passage.text for passage in read(data).passages]
