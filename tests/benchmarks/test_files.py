"""The benchmarks of formats, glossaries and killed jobs, on tiny files."""

import pytest
from benchmarks.files import formats, glossary, kept_parts, resume

from longways.errors import FormatError

PAGE = "# 集群\n\n打开 **终端**, 运行 `make`。\n\n- 节点停止了。\n- 容器没有启动。\n"


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.zh.md"
    path.write_text(PAGE, encoding="utf-8")
    return path


def test_the_time_of_a_format_is_a_share_of_the_whole(page):
    found = formats.measure(page, 8, 1, 2, 1)
    assert found.settings["sentences"] == 8
    assert len(found.rows) == 2
    for row in found.rows:
        assert 0 <= row["of which the format"] < row[".md"]


def test_a_glossary_raises_the_share_of_its_terms(tmp_path):
    (tmp_path / "terms.tsv").write_text("终端\tconsole\n", encoding="utf-8")
    lines = ["a\t打开终端。\tOpen the console.", "a\t今天很好。\tToday is good."]
    (tmp_path / "a.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = glossary.measure(tmp_path / "terms.tsv", tmp_path / "a.tsv", "", tmp_path, None, 1)
    before, after = found.rows
    assert (before["terms"], after["terms"], after["used"]) == (1, 1, 1)
    assert before["used"] == 0


def test_a_job_killed_twice_gives_the_same_file(page):
    found = resume.measure(page, 40, 2, 1, 1)
    assert found.settings["same file"]
    assert found.settings["sentences"] == 40
    assert found.rows[-1]["killed after"] == "not" or len(found.rows) < 3
    assert all(row["twice"] == 0 for row in found.rows)


def test_plain_text_has_no_format_to_measure(tmp_path):
    plain = tmp_path / "page.txt"
    plain.write_text("好。", encoding="utf-8")
    with pytest.raises(FormatError, match="is plain text"):
        formats.measure(plain, 8, 1, 1, 1)
    with pytest.raises(FormatError, match="is plain text"):
        resume.measure(plain, 8, 1, 1, 1)


def test_every_kept_part_of_generated_sentences_is_intact():
    found = kept_parts.measure(60, 2, 1, 1)
    assert all(row["intact"] == row["parts"] > 0 for row in found.rows)
