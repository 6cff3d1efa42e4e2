"""A translation is updated: only what has changed is translated, and all corrections stay."""

import gzip
import json

import pytest
from benchmarks.files.generated import WRITERS

from longways.cli import main
from longways.errors import LongwaysError
from longways.formats.registry import format_of
from longways.translation.files.updates.lines import TEXT_LINES
from longways.translation.files.updates.store import FOLDER, kept_path
from tests.formats.pdf.documents import SONG, drawn, text_page
from tests.translation.files.updates.folder import ADDED, SAID, Folder, Heard

PAGE = f"# {SAID[55]}\n\n" + "\n\n".join("".join(SAID[n : n + 2]) for n in range(0, 20, 2)) + "\n"
CATALOGUES = ("po", "xliff", "ts")


class _Killed(BaseException):
    """What no handler of the job expects."""


def kill():
    raise _Killed


@pytest.mark.parametrize("name", [name for name in WRITERS if name not in CATALOGUES])
def test_corrections_stay_in_every_format_and_only_new_sentences_are_translated(tmp_path, name):
    suffix, write = WRITERS[name]
    source, said = f"a{suffix}", SAID[:24]
    folder = Folder(tmp_path, {source: write(said)})
    folder.translate()
    corrected = folder.correct(source, [2, 4])
    folder.write(source, write([*said[:20], *SAID[30:34]]))
    _, report = folder.update()
    target = folder.target(source)
    document = (format_of(target) or TEXT_LINES).read(target.read_bytes(), "en")
    assert set(corrected) <= {" ".join(p.text.split()) for p in document.passages}
    assert report.total("translated") < report.total("kept") / 2
    assert report.total("corrected") >= 2
    assert not report.files[0].edited_version
    assert folder.update()[0] == 0
    assert folder.translate() == 0


def test_the_update_of_an_unedited_page_equals_its_old_sentences_with_the_new_ones(tmp_path):
    folder = Folder(tmp_path, {"a.md": PAGE})
    folder.translate()
    before = folder.text("a.md")
    folder.write("a.md", PAGE.replace(SAID[4], SAID[40]))
    assert folder.update()[0] == 1
    old, new = before.split("\n\n"), folder.text("a.md").split("\n\n")
    assert [a == b for a, b in zip(old, new, strict=True)] == [n != 3 for n in range(len(old))]
    assert old[3].split(" ")[-1] == new[3].split(" ")[-1]


def test_moved_passages_take_their_corrections_along(tmp_path):
    folder = Folder(tmp_path, {"a.md": PAGE})
    folder.translate()
    (text,) = folder.correct("a.md", [3])
    parts = PAGE.split("\n\n")
    folder.write("a.md", "\n\n".join([*parts[:1], parts[3], *parts[1:3], *parts[4:]]))
    searched, report = folder.update()
    assert searched == 0
    assert folder.text("a.md").split("\n\n")[1] == text
    assert report.total("moved") > 0


def test_a_corrected_sentence_stays_in_a_passage_that_has_changed(tmp_path):
    folder = Folder(tmp_path, {"a.md": PAGE})
    folder.translate()
    folder.correct("a.md", [1])
    folder.write("a.md", PAGE.replace(SAID[0], f"{SAID[50]}{SAID[0]}{SAID[51]}"))
    searched, report = folder.update()
    assert searched == 2
    assert (report.total("corrected"), report.conflicts) == (1, 0)
    assert folder.text("a.md").count(ADDED) == 1


def test_marks_of_a_kept_sentence_stay_where_a_person_has_put_them(tmp_path):
    page = f"# {SAID[55]}\n\n[{SAID[0][:2]}](a.md){SAID[0][2:]}{SAID[1]}\n"
    folder = Folder(tmp_path, {"a.md": page})
    folder.translate()
    before = folder.text("a.md")
    title, _ = before.split("\n\n")
    mine = "He [saw the harbour](a.md), then."
    folder.target("a.md").write_text(f"{title}\n\n{mine} Then the rest.\n", encoding="utf-8")
    folder.write("a.md", page.replace(SAID[1], SAID[50]))
    _, report = folder.update()
    assert report.total("translated") == 1
    assert "[saw the harbour](a.md)" in folder.text("a.md")


def test_a_correction_whose_source_has_changed_is_a_conflict_that_names_it(tmp_path):
    folder = Folder(tmp_path, {"a.md": PAGE})
    folder.translate()
    folder.correct("a.md", [1])
    edited = folder.text("a.md")
    folder.write("a.md", PAGE.replace(SAID[1], "老" + SAID[1]))
    searched, report = folder.update()
    assert searched == 1
    (entry,) = report.files
    (conflict,) = entry.conflicts
    assert (conflict["source"], conflict["source_now"]) == (SAID[1], "老" + SAID[1])
    assert ADDED in conflict["correction"]
    assert conflict["translation_now"] in folder.text("a.md")
    assert any(conflict["correction"] in line for line in folder.told)
    assert (tmp_path / entry.edited_version).read_text(encoding="utf-8") == edited
    assert ADDED not in folder.text("a.md")


def test_a_correction_is_still_known_two_updates_later(tmp_path):
    folder = Folder(tmp_path, {"a.md": PAGE})
    folder.translate()
    folder.correct("a.md", [1])
    folder.write("a.md", PAGE + f"\n{SAID[40]}\n")
    assert folder.update()[1].total("corrected") == 1
    folder.write("a.md", PAGE.replace(SAID[1], "") + f"\n{SAID[40]}\n")
    assert folder.update()[1].conflicts == 1


def test_what_cannot_be_kept_is_in_the_edited_version(tmp_path):
    page = PAGE + "\n```sh\nrun\n```\n"
    folder = Folder(tmp_path, {"a.md": page})
    folder.translate()
    edited = folder.text("a.md").replace("run", "go") + "\nMine.\n"
    folder.target("a.md").write_text(edited, encoding="utf-8")
    folder.write("a.md", page + f"\n{SAID[40]}\n")
    (entry,) = folder.update()[1].files
    assert entry.added == ["Mine."]
    assert (tmp_path / entry.edited_version).read_text(encoding="utf-8") == edited
    assert any("edited version is kept as" in line for line in folder.told)


def test_an_edited_translation_of_an_unchanged_source_is_not_touched(tmp_path):
    folder = Folder(tmp_path, {"a.md": PAGE, "b.txt": PAGE})
    folder.translate()
    folder.correct("a.md", [1])
    edited = folder.text("a.md")
    searched, report = folder.update()
    assert (searched, folder.text("a.md")) == (0, edited)
    assert [file.state for file in report.files] == ["unchanged", "unchanged"]


@pytest.mark.parametrize("after", [1, 3, 6])
def test_a_killed_update_resumes_to_the_same_bytes(tmp_path, after):
    bytes_of = []
    for name in ("whole", "killed"):
        folder = Folder(tmp_path / name, {"a.md": PAGE})
        folder.translate()
        folder.correct("a.md", [1, 6])
        folder.write("a.md", PAGE.replace(SAID[4], SAID[40]) + "\n" + "".join(SAID[41:45]) + "\n")
        if name == "killed":
            with pytest.raises(_Killed):
                folder.update(listener=Heard(15 + after, kill))
        searched, _ = folder.update()
        bytes_of.append([p.read_bytes() for p in (folder.target("a.md"),
                                                  kept_path(folder.target("a.md")))])  # fmt: skip
        assert searched < 5 or name == "whole"
    assert bytes_of[0] == bytes_of[1]


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_kill_while_the_translation_appears_loses_no_correction(tmp_path, monkeypatch, place):
    """The pairs of the old and of the new translation are both there at that moment."""
    from longways.translation.files import job
    from longways.translation.files.output import WholeFile

    folder = Folder(tmp_path, {"a.md": PAGE})
    folder.translate()
    folder.correct("a.md", [1])
    folder.write("a.md", PAGE + f"\n{SAID[40]}\n")
    with monkeypatch.context() as patched:
        if place == "before":
            patched.setattr(WholeFile, "finish", lambda _: kill())
        else:
            patched.setattr(job, "take_next", lambda _: kill())
        with pytest.raises(_Killed):
            folder.update()
    searched, _ = folder.update()
    assert searched == 0
    assert folder.text("a.md").count(ADDED) == 1
    folder.write("a.md", PAGE + f"\n{SAID[41]}\n")
    _, report = folder.update()
    assert (report.total("corrected"), report.conflicts) == (1, 0)
    assert folder.text("a.md").count(ADDED) == 1
    assert not list((folder.out / FOLDER).glob("*.next.gz"))


def test_a_renamed_source_keeps_its_sentences_and_corrections(tmp_path):
    folder = Folder(tmp_path, {"a.md": PAGE, "b.md": "一。\n"})
    folder.translate()
    folder.correct("a.md", [1])
    (folder.sources / "a.md").rename(folder.sources / "new.md")
    searched, report = folder.update()
    assert searched == 0
    assert folder.text("new.md") == folder.text("a.md")
    assert [file.state for file in report.files] == ["unchanged", "renamed"]
    assert report.gone == []
    assert any("whose source was renamed" in line for line in folder.told)


def test_a_file_that_is_renamed_by_itself_keeps_its_sentences(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    model = ["--threads", "1", "--beam", "1"]
    (tmp_path / "a.md").write_text("打开终端。\n", encoding="utf-8")
    for name in ("a.md", "b.md"):
        monkeypatch.setattr("sys.argv", ["longways", "translate", name, "--update", *model])
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
        (tmp_path / "a.md").rename(tmp_path / "b.md") if name == "a.md" else None
    assert (tmp_path / "b.en.md").read_text() == (tmp_path / "a.en.md").read_text()
    assert "0 sentences translated, 1 kept" in capfd.readouterr().err


def test_a_translation_whose_source_is_gone_is_named_and_left(tmp_path):
    folder = Folder(tmp_path, {"a.md": PAGE, "b.md": "一。\n", "deep/c.md": "二。\n"})
    folder.translate()
    (folder.sources / "deep" / "c.md").unlink()
    _, report = folder.update()
    assert [one["translation"] for one in report.gone] == [str(folder.target("deep/c.md"))]
    assert folder.target("deep/c.md").exists()


def test_other_options_keep_old_sentences_and_are_named(tmp_path):
    folder = Folder(tmp_path, {"a.md": PAGE})
    folder.translate()
    before = folder.text("a.md")
    folder.write("a.md", PAGE + f"\n{SAID[40]}\n")
    searched, _ = folder.update(beam=2)
    assert searched == 1
    assert folder.text("a.md").startswith(before)
    assert any(line.startswith("beam differ") for line in folder.told)


def test_corrections_in_the_markdown_of_a_pdf_stay(tmp_path):
    def pdf(*said):
        return drawn(text_page(*((text, SONG, 11) for text in said)))

    folder = Folder(tmp_path, {"a.pdf": pdf(*SAID[:4])})
    folder.translate()
    folder.correct("a.pdf", [0])
    folder.write("a.pdf", pdf(SAID[50], *SAID[1:4]))
    _, report = folder.update()
    assert ADDED in folder.text("a.pdf")
    assert (report.total("translated"), report.total("corrected")) == (1, 1)
    assert not report.files[0].edited_version


class TestWithoutPairs:
    """Translations that were made before pairs were kept, or by people."""

    def make(self, tmp_path, target, *, record=False):
        folder = Folder(tmp_path, {"a.md": PAGE})
        if record:
            folder.translate()
        else:
            folder.out.mkdir()
        kept_path(folder.target("a.md")).unlink(missing_ok=True)
        if target is not None:
            folder.target("a.md").write_text(target, encoding="utf-8")
        return folder

    def test_one_that_fits_is_kept_and_can_be_updated(self, tmp_path):
        target = "# The sea\n\n" + "\n\n".join(f"One {n}. Two {n}." for n in range(10)) + "\n"
        folder = self.make(tmp_path, target)
        searched, report = folder.update()
        assert (searched, report.files[0].state) == (0, "adopted")
        assert folder.text("a.md") == target
        folder.write("a.md", PAGE.replace(SAID[4], SAID[40]))
        assert folder.update()[0] == 1
        assert "Two 2." in folder.text("a.md")
        assert "One 2." not in folder.text("a.md")

    def test_one_that_does_not_fit_is_refused_and_left(self, tmp_path):
        folder = self.make(tmp_path, "# The sea\n\nOne.\n")
        folder.write("b.txt", "一。\n")
        folder.update()
        assert folder.text("a.md") == "# The sea\n\nOne.\n"
        assert folder.target("b.txt").exists()
        assert "its paragraphs do not fit" in "".join(folder.told)

    def test_one_that_nobody_has_edited_is_made_anew(self, tmp_path):
        folder = self.make(tmp_path, None, record=True)
        folder.write("a.md", PAGE + f"\n{SAID[40]}\n")
        searched, _ = folder.update()
        assert searched > 10
        assert "no pairs" in "".join(folder.told)

    def test_one_that_was_edited_and_whose_source_has_changed_is_refused(self, tmp_path):
        folder = self.make(tmp_path, None, record=True)
        folder.correct("a.md", [1])
        folder.write("a.md", PAGE.replace(SAID[4], SAID[40]))
        edited = folder.text("a.md")
        folder.update()
        assert folder.text("a.md") == edited
        assert "Translate it anew with --force" in folder.failed

    def test_damaged_pairs_are_as_none(self, tmp_path):
        folder = self.make(tmp_path, None, record=True)
        kept_path(folder.target("a.md")).write_bytes(gzip.compress(b"[]"))
        assert folder.update()[0] == 0


def test_an_edited_catalogue_is_refused_and_an_unedited_one_is_updated(tmp_path):
    write = WRITERS["po"][1]
    folder = Folder(tmp_path, {"a.po": write(SAID[:8])})
    folder.translate()
    folder.write("a.po", write(SAID[:9]))
    assert folder.update()[0] == 1
    target = folder.target("a.po")
    edited = target.read_bytes() + b"# mine\n"
    target.write_bytes(edited)
    folder.write("a.po", write(SAID[:10]))
    folder.update()
    assert target.read_bytes() == edited
    assert "was edited" in folder.failed


def test_a_translation_that_cannot_be_read_any_more_is_refused_and_left(tmp_path):
    folder = Folder(tmp_path, {"a.json": json.dumps({"a": SAID[0]}, ensure_ascii=False)})
    folder.translate()
    folder.target("a.json").write_text("{", encoding="utf-8")
    folder.write("a.json", json.dumps({"a": SAID[1]}, ensure_ascii=False))
    folder.update()
    assert folder.target("a.json").read_text(encoding="utf-8") == "{"
    assert "cannot be read as json any more" in folder.failed


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_folder_of_pairs_that_is_none_is_refused_before_any_work(tmp_path, kind):
    folder = Folder(tmp_path, {"a.md": PAGE})
    folder.out.mkdir()
    if kind == "file":
        (folder.out / FOLDER).write_text("mine")
    else:
        (folder.out / FOLDER).symlink_to(tmp_path)
    with pytest.raises(LongwaysError, match="is not a folder of Longways"):
        folder.translate()
    assert not folder.target("a.md").exists()


def test_pairs_have_the_permissions_of_their_source(tmp_path):
    folder = Folder(tmp_path, {"a.md": PAGE})
    (folder.sources / "a.md").chmod(0o600)
    folder.translate()
    assert kept_path(folder.target("a.md")).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("words", [["-"], [".", "--force"], [".", "--bilingual"], [".", "--json"]])
def test_options_that_contradict_an_update_are_refused(tmp_path, monkeypatch, words, capfd):
    monkeypatch.setattr("sys.argv", ["longways", "translate", "--update", *words])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "--update" in capfd.readouterr().err


def test_an_update_to_a_device_translates_all(tmp_path):
    folder = Folder(tmp_path, {"a.md": PAGE})
    folder.out.mkdir()
    (folder.out / "a.en.md").symlink_to("/dev/null")
    assert folder.update()[0] > 10
    assert folder.target("a.md").is_symlink()
