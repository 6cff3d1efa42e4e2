# ruff: noqa: RUF001 - full-width marks look like ASCII ones
"""`longways import`, and translating with what it wrote."""

import subprocess
import sys

from longways.export.exporter import export_model
from tests.importing.folders import write_marian
from tests.text.marian import TAGS


def longways(*arguments):
    command = [sys.executable, "-m", "longways", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_an_imported_model_is_exported_and_translates_files(tmp_path):
    folder = write_marian(tmp_path, tags=TAGS, std=0.2)
    done = longways("import", folder, "-o", tmp_path / "model", "--to", "eng")
    assert done.returncode == 0, done.stderr
    assert "zh to en, tag >>eng<<" in done.stderr
    export_model(tmp_path / "model", tmp_path / "out", int8=True)
    page, glossary = tmp_path / "page.html", tmp_path / "terms.tsv"
    page.write_text(
        "<p>夜里，<b>港口</b>的7盏灯 {{x}} 熄灭了。</p><p>她说：“把那5条船留在原地！”</p>"
    )
    glossary.write_text("港口\tharbour\n")
    done = longways(
        "translate", page, "--model", tmp_path / "out", "--glossary", glossary, "-o", "-"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("<p>") == done.stdout.count("</p>") == 2
    assert "{{x}}" in done.stdout
    assert "<b>" in done.stdout


def test_what_cannot_be_imported_is_said_in_one_sentence(tmp_path):
    folder = write_marian(tmp_path, tags=TAGS)
    done = longways("import", folder, "-o", tmp_path / "model")
    assert done.returncode == 2
    assert "Its tags are: eng, fra." in done.stderr
    assert "Traceback" not in done.stderr
