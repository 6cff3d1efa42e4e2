"""The Python examples of the documents run as written."""

import pytest

from tests.docs.pages import ROOT, Shell, blocks


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def run_example(folder, code: str) -> str:
    (folder / "example.py").write_text(code, encoding="utf-8")
    return Shell(folder).run("python example.py")


def test_the_start_page_prints_the_translation_it_shows(tmp_path):
    (code,) = blocks(page("index.md"), "python")
    assert run_example(tmp_path, code) == "Open the terminal. Run the installation command.\n"


@pytest.mark.parametrize(
    ("number", "output"),
    [(0, "tensor(True) torch.Size([2, 4, 64, 16])"), (1, "torch.Size([4, 20000]) ")],
)
def test_the_examples_of_attention_run(tmp_path, number, output):
    code = blocks(page("attention.md"), "python")[number]
    assert run_example(tmp_path, code).startswith(output)


def test_a_format_of_ones_own_translates_what_is_sung(tmp_path):
    song = "@Am\n打开终端。\n@C\n运行安装命令。\n"
    (tmp_path / "winter.song").write_text(song, encoding="utf-8")
    (code,) = blocks(page("files.md"), "python")
    run_example(tmp_path, code)
    lines = (tmp_path / "winter.en.song").read_text(encoding="utf-8").splitlines()
    assert lines == ["@Am", "Open the terminal.", "@C", "Run the installation command."]
