"""PDF documents in jobs: names of translations, folders, and journals."""

from pathlib import Path

import pytest

from longways.errors import ConfigError, LongwaysError
from longways.translation.files.plan import Languages, plan_files, plan_job
from tests.formats.pdf.documents import LEFT, SONG, TOP, drawn, line

ZH_EN = Languages("zh", "en")


def document(path: Path) -> Path:
    """A PDF with one line."""
    path.write_bytes(drawn(lambda canvas: line(canvas, LEFT, TOP, "打开终端。", SONG)))
    return path


@pytest.mark.parametrize(
    ("name", "form", "target"),
    [
        ("manual.pdf", None, "manual.en.md"),
        ("manual.zh.PDF", None, "manual.en.md"),
        ("a.b.pdf", None, "a.b.en.md"),
        ("scan.bin", "pdf", "scan.en.md"),
        ("manual", "pdf", "manual.en.md"),
    ],
)
def test_the_translation_of_a_pdf_is_named_as_markdown(tmp_path, name, form, target):
    (file,) = plan_files([document(tmp_path / name)], None, ZH_EN, format_name=form)
    assert file.target == tmp_path / target
    assert file.format.name == "pdf"


def test_a_folder_has_pdf_documents_too(tmp_path):
    document(tmp_path / "manual.pdf")
    plan = plan_job([tmp_path], tmp_path / "out", ZH_EN, copy=True)
    assert [file.target for file in plan.files] == [tmp_path / "out" / "manual.en.md"]
    assert not plan.copies


def test_a_page_with_the_name_of_the_translation_is_refused(tmp_path):
    document(tmp_path / "manual.pdf")
    (tmp_path / "manual.md").write_text("打开。", encoding="utf-8")
    with pytest.raises(LongwaysError, match="would have the same translation"):
        plan_job([tmp_path], None, ZH_EN)


@pytest.mark.parametrize("out", ["a.pdf", "a.docx", "a.srt"])
def test_a_name_that_promises_another_format_is_refused(tmp_path, out):
    source = document(tmp_path / "manual.pdf")
    with pytest.raises(ConfigError, match=r"written as markdown\. Name a file a\.md with -o\."):
        plan_files([source], tmp_path / out, ZH_EN)


def test_a_translation_resumes_only_with_the_same_reader(tmp_path, monkeypatch):
    from longways.translation.files.journal import fingerprint
    from tests.translation.echo import echo_translator

    model = echo_translator().model
    files = plan_files([document(tmp_path / "manual.pdf")], None, ZH_EN)
    before = fingerprint(files, model, "hash", {})
    assert before["readers"][0].startswith("pypdfium2 ")
    monkeypatch.setattr("longways.formats.pdf.format.library_version", lambda: "pypdfium2 99")
    assert fingerprint(files, model, "hash", {}) != before
