"""Digests of what the software puts out, to show that a refactoring leaves every byte as it was.

`python tools/outputs.py OUT.json` translates our examples and fixtures in every format, trains the
toy model, exports it, scores it, and writes a SHA-256 of each output. Run it before and after, in
the same environment, then `python tools/outputs.py --compare BEFORE.json AFTER.json`.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from itertools import product
from pathlib import Path

ROOT = Path(__file__).parents[1]
FIXTURES = ("srt/manual.srt", "vtt/course.vtt", "html/manual.html", "po/chinese.po")
RECIPES = ROOT / "src/longways/recipes"
TOY_RECIPE = (RECIPES if RECIPES.exists() else ROOT / "recipes") / "toy"  # older versions: ROOT
EXAMPLES = ("first-cluster.zh.txt", "first-cluster.zh.md")
DOCX_LINES = ("开始使用", "在开始之前，请确认你的电脑至少有 8 GB 内存。运行安装命令。", "完成。")  # noqa: RUF001 - Chinese punctuation
TIMES = ("seconds", "date", "updated", "machine")
TOY = ("--set", "training.updates=60", "--set", "training.evaluate_every=30")


def run(*command: str | Path, cwd: Path) -> str:
    """What a `longways` command prints; it must succeed."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    line = [sys.executable, "-m", "longways", *map(str, command)]
    done = subprocess.run(
        line, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(line)}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def digest(path: Path) -> str:
    """SHA-256 of a file; of a zip, of its members in order without their times."""
    sha = hashlib.sha256()
    if not zipfile.is_zipfile(path):
        return hashlib.sha256(path.read_bytes()).hexdigest()
    with zipfile.ZipFile(path) as package:
        for name in package.namelist():
            sha.update(name.encode() + package.read(name))
    return sha.hexdigest()


def write_docx(path: Path) -> None:
    """A small Word file with a heading, bold text and a table."""
    from docx import Document

    document = Document()
    document.add_heading(DOCX_LINES[0])
    document.add_paragraph(DOCX_LINES[1]).add_run("请先阅读说明。").bold = True
    document.add_table(1, 2).cell(0, 0).text = DOCX_LINES[2]
    document.save(str(path))


def sources(folder: Path) -> list[Path]:
    """All files to translate, copied into a folder."""
    found = [ROOT / "examples" / name for name in EXAMPLES]
    found += [next(ROOT.glob(f"tests/**/files/{name}")) for name in FIXTURES]
    copies = [folder / path.name for path in found]
    for path, copy in zip(found, copies, strict=True):
        copy.write_bytes(path.read_bytes())
    write_docx(folder / "small.docx")
    return [*copies, folder / "small.docx"]


def translations(folder: Path) -> dict[str, str]:
    """Digests of translations by file, beam and window."""
    digests = {}
    files = sources(folder)
    for beam, window in product((1, 4), (1, 2, 4)):
        out = folder / f"beam{beam}-window{window}"
        run(
            "translate", *files, "-o", out, "--beam", str(beam), "--window", str(window), cwd=folder
        )
        for path in sorted(path for path in out.rglob("[!.]*") if path.is_file()):
            digests[f"translate/{path.relative_to(folder)}"] = digest(path)
    return digests


def toy(folder: Path) -> dict[str, str]:
    """Digests of a toy run's weights, of its export's graphs, and of its evaluation."""
    run("prepare", TOY_RECIPE, "prepared", cwd=folder)
    run("train", TOY_RECIPE, "run", "--prepared", "prepared", *TOY, cwd=folder)
    run("export", "run/best", "exported", cwd=folder)
    scores = run("evaluate", "run/best", "exported", "prepared", "--json", cwd=folder)
    digests = {"evaluate": hashlib.sha256(lasting(scores).encode()).hexdigest()}
    for pattern in ("prepared/**/*.npy", "run/best/*.safetensors", "exported/*.onnx"):
        for path in sorted(folder.glob(pattern)):
            digests[f"toy/{path.relative_to(folder)}"] = digest(path)
    return digests


def lasting(text: str) -> str:
    """JSON without what differs between two runs of the same program."""

    def clean(value: object) -> object:
        if isinstance(value, dict):
            return {k: clean(v) for k, v in value.items() if not any(t in k for t in TIMES)}
        return [clean(item) for item in value] if isinstance(value, list) else value

    return json.dumps(clean(json.loads(text)), sort_keys=True)


def compare(before: Path, after: Path) -> int:
    """Print what differs; 0 if nothing does."""
    old, new = (json.loads(path.read_text(encoding="utf-8")) for path in (before, after))
    names = [name for name in sorted(old | new) if old.get(name) != new.get(name)]
    for name in names:
        print(f"differs: {name}")
    print(f"{len(old | new) - len(names)} of {len(old | new)} outputs are the same bytes")
    return int(bool(names))


def main() -> int:
    """Write the digests, or compare two files of them."""
    if sys.argv[1] == "--compare":
        return compare(Path(sys.argv[2]), Path(sys.argv[3]))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        digests = translations(folder) | toy(folder)
    Path(sys.argv[1]).write_text(json.dumps(digests, indent=1, sort_keys=True) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
