"""A format of one's own, as docs/files.md shows it."""

import re
from pathlib import Path

from tests.translation.echo import echo_translator

DOCS = Path(__file__).parents[3] / "docs" / "files.md"


def test_the_example_in_the_docs_works(tmp_path, monkeypatch):
    (code,) = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    code = code.replace("longways.load()", "translator")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "winter.song").write_text(
        "@ C G\n港口的灯熄灭了。\n@ F\n我们回家。", encoding="utf-8"
    )
    translator = echo_translator()
    exec(compile(code, "docs/files.md", "exec"), {"translator": translator})
    found = (tmp_path / "winter.en.song").read_text(encoding="utf-8")
    assert found == "@ C G\n港口的灯熄灭了。\n@ F\n我们回家。"
