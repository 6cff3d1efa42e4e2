"""One word per idea: prose in the package uses the field's terms, never the words banned here."""

import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "longways"
PACKAGES = sorted(path.name for path in SOURCE.iterdir() if path.suffix == ".py" or path.is_dir())
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]

BANNED = {
    r"those of": "repeat the noun",
    r"so many": "give the number a name",
    r"came to": "say what was computed",
    r"(comes?|came) along": "is bundled, is included",
    r"(go|goes|going|went|gone) on": "resume, continue",
    r"mend(s|ed|ing)?": "fix",
    r"(told|tells?) apart": "distinguish",
    r"engines?": "runtime",
    r"pieces?": "segment, subword, chunk",
    r"judge[sd]?|judging": "evaluate, score, validate",
    r"seats?": "row",
    r"crew": "thread pool",
    r"trail": "back-pointers",
    r"glances?": "status snapshot",
    r"honour(s|ed|ing)?": "enforce, constrain",
    r"under way": "in progress, in flight",
    r"(development|dev|test|training|prepared) parts?": "split",
}
PATTERNS = {re.compile(rf"\b({words})\b", re.IGNORECASE): use for words, use in BANNED.items()}


def prose(code: str) -> list[tuple[int, str]]:
    """Comments and strings of a module, with the line on which each begins.

    A string without a space is a key or a name, not prose: old keys of files must be read.
    """
    kinds = (tokenize.COMMENT, tokenize.STRING)
    if hasattr(tokenize, "FSTRING_MIDDLE"):  # from Python 3.12 on
        kinds += (tokenize.FSTRING_MIDDLE,)
    found = tokenize.generate_tokens(io.StringIO(code).readline)
    return [(t.start[0], t.string) for t in found if t.type in kinds and " " in t.string]


def banned(texts: list[tuple[int, str]]) -> list[str]:
    """What breaks the rule: the line, the word, and what to write instead."""
    return [
        f"line {line + text[: match.start()].count(chr(10))}: {match[0]!r} ({use})"
        for line, text in texts
        for pattern, use in PATTERNS.items()
        for match in pattern.finditer(text)
    ]


def without_code(page: str) -> str:
    """A Markdown page with its code blocks and code spans blanked, lines kept."""
    blank = lambda match: re.sub(r"[^\n]", " ", match[0])  # noqa: E731 - short
    return re.sub(r"```.*?```|`[^`]*`", blank, page, flags=re.DOTALL)


def test_a_banned_word_is_found_where_it_stands():
    code = '"""Good.\n\nThose of a row."""\nx = 1  # it goes on\n'
    assert banned(prose(code)) == [
        "line 3: 'Those of' (repeat the noun)",
        "line 4: 'goes on' (resume, continue)",
    ]


def test_a_key_of_a_file_is_not_prose():
    assert banned(prose('old = {"judge": "evaluate"}\n')) == []
    assert banned(prose('raise Error("We judge it.")\n')) == [
        "line 1: 'judge' (evaluate, score, validate)"
    ]


@pytest.mark.parametrize("package", PACKAGES)
def test_prose_uses_the_terms_of_the_field(package):
    path = SOURCE / package
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    found = [
        f"{file.relative_to(SOURCE)}, {problem}"
        for file in files
        if file.suffix == ".py"
        for problem in banned(prose(file.read_text(encoding="utf-8")))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("folder", ["benchmarks", "examples", "tools"])
def test_code_beside_the_package_uses_the_terms_too(folder):
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files
    found = [f"{file}, {one}" for file in files for one in banned(prose(file.read_text("utf-8")))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_pages_use_the_terms_of_the_field(page):
    found = banned([(1, without_code(page.read_text(encoding="utf-8")))])
    assert not found, "\n".join(found)
