"""Text with any characters is read as the same text once it is Markdown."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from longways.formats.markdown.format import Markdown
from longways.formats.pdf.escapes import code_block, code_span, escaped, escaped_start

SIGNS = st.text("ab文 *_`#[]()<>|!~$&;:=-+.1\\\"'", min_size=1, max_size=30).map(
    lambda text: " ".join(text.split())
)


@settings(max_examples=400, deadline=None)
@given(SIGNS)
@example("- a")
@example("1. a")
@example("---")
@example("===")
@example(": a")
@example("| a | b |")
@example("[^1]: a")
@example("<!-- a")
@example("![a](b)")
@example("a *b* __c__ d_e_f")
def test_a_paragraph_is_read_as_its_text(text):
    if not text:
        return
    start = f"{text} 文"
    markdown = f"文 {escaped(text)} 文\n\n{escaped_start(escaped(start))}\n"
    read = Markdown().read(markdown.encode(), "zh")
    assert [passage.text for passage in read.passages] == [f"文 {text} 文", start]
    assert not any(passage.marks for passage in read.passages)


@settings(max_examples=100, deadline=None)
@given(st.text("ab`文 ", min_size=1, max_size=12).map(str.strip))
def test_code_keeps_its_backticks(text):
    if not text:
        return
    read = Markdown().read(f"文 {code_span(text)} 文\n\n{code_block(text)}\n".encode(), "zh")
    assert [passage.text for passage in read.passages] == [f"文 {text} 文"]
