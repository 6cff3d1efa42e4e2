"""Names of files in Org are renamed where the job renames the files."""

import time

import pytest

from longways.formats.org.links import edit_org_links
from tests.formats.rst.test_links import new

PAGES = {"a.org": "a.en.org", "./b/一.org": "./b/%E4%B8%80.en.org"}


def renamed(source):
    """The file after the other files have new names."""
    return edit_org_links(source.encode(), None, lambda own, _: new(own, PAGES)).decode()


def test_links_and_includes_are_renamed():
    assert renamed("见 [[file:a.org::*甲][甲]] 与 [[./b/一.org]]。\r\n") == (
        "见 [[file:a.en.org::*甲][甲]] 与 [[./b/一.en.org]]。\r\n"
    )
    assert renamed('#+INCLUDE: "a.org" :lines "1-2"\n#+setupfile: a.org\n') == (
        '#+INCLUDE: "a.en.org" :lines "1-2"\n#+setupfile: a.en.org\n'
    )


def test_other_links_code_and_comments_stay():
    for source in (
        "[[a.org]] [[file:d.org]] [[https://x.org/a.org][甲]]\n",
        "#+begin_src org\n[[file:a.org]]\n#+end_src\n",
        "# [[file:a.org]]\n: [[file:a.org]]\n",
    ):
        assert renamed(source) == source
    assert renamed("#+begin_src c\n#+end_src\n[[file:a.org]]").endswith("[[file:a.en.org]]")


@pytest.mark.parametrize("part", ["#+begin_src\n[[file:a.org]]\n", "[[file:", '#+include: "'])
def test_time_is_linear(part):
    def seconds(size):
        began = time.process_time()
        renamed(part * size)
        return time.process_time() - began

    assert any(seconds(80_000) < 24 * max(seconds(10_000), 0.01) for _ in range(3))
