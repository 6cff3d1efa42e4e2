"""Defects of encodings, of damaged and hostile files, and of jobs over many of them."""

import json
import os
import shutil
import subprocess
import sys
import time

import pytest

from longways.errors import CheckpointError, FormatError, LongwaysError, TextError
from longways.folder_lock import locked_folder
from longways.formats.base import Passage
from longways.formats.docx.format import Docx
from longways.formats.html.format import Html
from longways.formats.po.catalogue import Po
from longways.formats.text_file import read_text
from longways.model.checkpoint import load_model, save_model
from longways.text.charset import check_encoding, check_file
from longways.text.encodings import likeliest
from longways.training.runs.run import read_run
from longways.translation.model_folder import ModelFolder, default_model
from tests.formats.docx.docx_files import body, package, paragraph, run, zipped
from tests.model.tiny import tiny_model

TRADITIONAL = (
    "請確認電腦已經連線到網路, 然後開啟應用程式。您可以在設定頁面變更語言與時區。\n"
    "伺服器每天凌晨兩點備份資料庫, 並將備份檔案保留三十天。下雨的時候, 孩子們坐在窗邊聽雨聲。\n"
)
SIMPLIFIED = (
    "请确认电脑已经连接到网络, 然后打开应用程序。您可以在设置页面更改语言和时区。\n"
    "服务器每天凌晨两点备份数据库, 并将备份文件保留三十天。下雨的时候, 孩子们坐在窗边听雨声。\n"
)


class TestC4CharsetWithSpaces:
    @pytest.mark.parametrize(
        "charset", ["charset= koi8-r", "charset = koi8-r", '"\n"charset=koi8-r']
    )
    def test_the_header_is_read_however_it_is_spaced(self, charset):
        header = f'msgid ""\nmsgstr ""\n"Content-Type: text/plain; {charset}\\n"\n'
        data = f'{header}\nmsgid "Открыть файл"\nmsgstr ""\n'.encode("koi8-r")
        assert [p.text for p in Po().read(data, "ru").passages] == ["Открыть файл"]


class TestC5Big5:
    @pytest.mark.parametrize("sentence", [*TRADITIONAL.splitlines(), TRADITIONAL[:7], TRADITIONAL])
    def test_the_hint_names_big5(self, tmp_path, sentence):
        (tmp_path / "a.txt").write_bytes(sentence.encode("big5"))
        with pytest.raises(TextError, match="--encoding big5, which fits"):
            check_file(tmp_path / "a.txt", None, "zh")

    @pytest.mark.parametrize("text", [SIMPLIFIED, SIMPLIFIED[:7], TRADITIONAL])
    def test_gb18030_is_told_apart_even_in_traditional_characters(self, text):
        assert likeliest(text.encode("gb18030"), ("gb18030", "big5")) == "gb18030"

    def test_html_without_a_declaration(self):
        with pytest.raises(FormatError, match='charset="big5"'):
            Html().read(f"<p>{TRADITIONAL}</p>".encode("big5"), "zh")


class TestE9EncodingsWithoutAMark:
    @pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
    def test_utf_16_without_a_mark_has_the_order_that_the_text_shows(self, tmp_path, codec):
        (tmp_path / "a.txt").write_bytes(SIMPLIFIED.encode(codec))
        found = check_file(tmp_path / "a.txt", codec[:6], "zh")
        assert found.characters == len(SIMPLIFIED)
        assert read_text(SIMPLIFIED.encode(codec), "zh", codec[:6]).text == SIMPLIFIED

    def test_the_hint_for_utf_16_is_not_gb18030(self, tmp_path):
        (tmp_path / "a.txt").write_bytes(SIMPLIFIED.encode("utf-16-be"))
        with pytest.raises(TextError, match="utf-16-be"):
            check_file(tmp_path / "a.txt", None, "zh")


class TestE10OnlyEncodingsOfFiles:
    CODECS = ("punycode", "idna", "undefined", "rot13", "unicode_escape", "base64", "hz", "utf-7")

    @pytest.mark.parametrize("codec", CODECS)
    def test_a_docx_part_in_no_encoding_of_word_processors_is_refused_at_once(self, codec):
        start = f'<?xml version="1.0" encoding="{codec}"?>'
        main = start + "<w:document>" + "中" * 20_000
        began = time.monotonic()
        with pytest.raises(FormatError, match=f"is not in its encoding, {codec}"):
            Docx().read(package(main), "zh")
        with pytest.raises(FormatError, match=f"is not in its encoding, {codec}"):
            Docx().read(zipped({"_rels/.rels": start + "<x/>"}), "zh")
        assert time.monotonic() - began < 2

    @pytest.mark.parametrize("codec", ["idna", "undefined", "punycode"])
    def test_html_that_declares_one_is_read_as_utf_8(self, codec):
        data = f'<meta charset="{codec}"><p>打开终端。</p>'.encode()
        document = Html().read(data, "zh")
        assert [p.text for p in document.passages] == ["打开终端。"]
        assert codec in document.warnings[0]
        with pytest.raises(TextError, match="There is no encoding"):
            check_encoding(codec)

    def test_chains_of_styles_take_linear_time(self):
        chain = "".join(
            f'<w:style w:styleId="s{n}"><w:name w:val="n{n}"/><w:basedOn w:val="s{n + 1}"/>'
            "</w:style>"
            for n in range(20_000)
        )
        code = '<w:style w:styleId="s20000"><w:name w:val="Source Code"/></w:style>'
        text = paragraph(run("字"), properties='<w:pStyle w:val="s0"/>')
        began = time.monotonic()
        document = Docx().read(package(body(text + paragraph(run("读"))), chain + code), "zh")
        assert [p.text for p in document.passages] == ["读"]
        assert time.monotonic() - began < 5


class TestE16DamagedAndHostileFiles:
    @pytest.mark.parametrize("line", ['msgidd "二"', 'msgi "二"', 'msgid 二"', 'mzgid "二"'])
    def test_a_damaged_keyword_is_refused_with_its_line(self, line):
        data = f'msgid "一"\nmsgstr ""\n\n{line}\nmsgstr ""\n'.encode()
        with pytest.raises(FormatError, match=r"^Line 4: "):
            Po().read(data, "zh")

    @pytest.mark.parametrize("end", ["<!-- 待办 ", "<!-- a -- b", "<b class=", "<?php x"])
    @pytest.mark.parametrize("bilingual", [True, False])
    def test_no_text_is_written_into_what_is_never_ended(self, end, bilingual):
        document = Html().read(f"<p>打开终端。{end}".encode(), "zh")
        (own,) = document.passages
        written = document.write([Passage("Open.", own.marks)], "en", bilingual=bilingual).decode()
        assert written.endswith(end)
        assert "Open." in written[: -len(end)]

    def test_a_file_of_many_small_bombs_is_refused(self):
        parts = {f"word/media/{n}.bin": bytes(9 << 20) for n in range(8)}
        with pytest.raises(FormatError, match=r"^This file has [\d,]+ bytes, but would unpack"):
            Docx().read(zipped(parts), "zh")


COMMAND = [sys.executable, "-m", "longways", "translate", "--beam", "1", "--threads", "1"]


def translate(folder, *words):
    return subprocess.run([*COMMAND, *words], cwd=folder, capture_output=True, check=False)


class TestE5TwoTrainingsOfOneRun:
    def test_the_second_is_refused_and_leaves_nothing(self, tmp_path):
        with locked_folder(tmp_path / "run", "trains in"):
            done = subprocess.run(
                [sys.executable, "-m", "longways", "train", "toy", str(tmp_path / "run")],
                capture_output=True,
                check=False,
            )
        assert done.returncode == 2
        assert done.stderr.decode().startswith("longways: Another process trains in")
        assert not (tmp_path / "run").exists()


class TestE6ReadingAModelChangesNothing:
    def test_an_interrupted_replacement_is_told_and_left(self, tmp_path):
        shutil.copytree(default_model(), tmp_path / ".m.previous")
        with pytest.raises(CheckpointError, match=r"is being replaced, or was .*\.m\.previous"):
            ModelFolder.read(tmp_path / "m")
        assert [path.name for path in tmp_path.iterdir()] == [".m.previous"]

    def test_a_folder_beside_the_model_is_not_deleted(self, tmp_path):
        shutil.copytree(default_model(), tmp_path / "m")
        (tmp_path / ".m.previous").mkdir()
        assert ModelFolder.read(tmp_path / "m").L
        assert (tmp_path / ".m.previous").is_dir()


class TestE8OneBadFileInAFolder:
    def test_it_is_reported_and_the_rest_goes_on(self, tmp_path):
        (tmp_path / "a.txt").write_bytes(SIMPLIFIED.encode("gbk"))
        (tmp_path / "b.txt").write_text("打开终端。\n", encoding="utf-8")
        (tmp_path / "c.docx").write_bytes(package('<?xml version="1.0" encoding="undefined"?><a/>'))
        done = translate(tmp_path, ".")
        assert done.returncode == 2
        said = done.stderr.decode()
        assert "a.txt is binary or in another encoding" in said
        assert "is not in its encoding, undefined" in said
        assert "2 of 3 files were not translated" in said
        assert "terminal" in (tmp_path / "b.en.txt").read_text()


class TestE9NoTracebacks:
    @pytest.mark.parametrize("size", [230, 240, 249])
    def test_long_names_are_translated(self, tmp_path, size):
        name = "n" * (size - 3)
        (tmp_path / f"{name}.md").write_text("# 打开终端\n", encoding="utf-8")
        assert translate(tmp_path, f"{name}.md").returncode == 0
        assert sorted(len(path.name) for path in tmp_path.iterdir()) == [size, size + 3]

    def test_names_that_are_too_long_are_refused_before_any_work(self, tmp_path):
        (tmp_path / ("n" * 251 + ".md")).write_text("# 打开终端\n", encoding="utf-8")
        done = translate(tmp_path, "n" * 251 + ".md")
        assert done.returncode == 2
        assert b"would have a name of 257 bytes" in done.stderr
        assert b"Traceback" not in done.stderr

    def test_json_with_a_name_that_is_not_utf_8(self, tmp_path):
        name = os.fsdecode(b"page\xff.txt")
        (tmp_path / name).write_text("打开终端。\n", encoding="utf-8")
        done = translate(tmp_path, "--json", name)
        assert done.returncode == 0
        assert json.loads(done.stdout)["document"] == "page\\xff.txt"

    @pytest.mark.parametrize(
        "facts",
        [[], "x", {"L": "many"}, {"L": 0}, {"L": 1, "window": None}, {"length": [1]}]
        + [{"confidence": value} for value in (1, [], "x", True, {"bias": "x"}, {"byas": 1.0})],
    )
    def test_edited_facts_of_a_model(self, tmp_path, facts):
        shutil.copytree(default_model(), tmp_path / "m")
        edit(tmp_path / "m" / "config.json", facts=facts)
        with pytest.raises(LongwaysError):
            ModelFolder.read(tmp_path / "m")

    def test_a_run_without_a_config(self, tmp_path):
        (tmp_path / "run.json").write_text('{"format": 1, "config": {"model": []}}')
        with pytest.raises(CheckpointError, match=r"run\.json is damaged"):
            read_run(tmp_path)


class TestE15AbsurdSizes:
    @pytest.mark.parametrize(
        "sizes",
        [{"encoder_layers": 10**7}, {"dim": 10**12}, {"pool": 10**9}, {"cross": {"means": 10**8}}],
    )
    def test_they_are_refused_before_anything_is_built(self, tmp_path, sizes):
        shutil.copytree(default_model(), tmp_path / "m")
        model = json.loads((tmp_path / "m" / "config.json").read_text())["model"]
        edit(tmp_path / "m" / "config.json", model={**model, **sizes})
        with pytest.raises(CheckpointError, match=r"at most|limit"):
            ModelFolder.read(tmp_path / "m")

    def test_more_weights_than_the_file_has_are_refused_unbuilt(self, tmp_path):
        model = tiny_model("rfa").float()
        save_model(model, tmp_path / "m")
        config = json.loads((tmp_path / "m" / "config.json").read_text())["model"]
        edit(tmp_path / "m" / "config.json", model={**config, "decoder_layers": 1000})
        with pytest.raises(CheckpointError, match="asks for at least"):
            load_model(tmp_path / "m")


def edit(path, **values):
    content = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**content, **values}), encoding="utf-8")
