"""Addresses of pages in reStructuredText are renamed where the job renames the pages."""

from longways.formats.rst.links import edit_rst_links

PAGES = {"start.rst": "start.en.rst", "guide/a.rst": "guide/a.en.rst", "/b.rst": "/b.en.rst"}


def renamed(source, pages=PAGES):
    """The file after the pages have new names."""
    return edit_rst_links(source.encode(), None, lambda own, _: new(own, pages)).decode()


def new(own, pages):
    path, sign, anchor = own.partition("#")
    return pages[path] + sign + anchor if path in pages else None


def test_pages_are_named_without_their_suffix():
    assert renamed("见 :doc:`start` 与 :doc:`一页 <guide/a>`、:doc:`/b`。\n") == (
        "见 :doc:`start.en` 与 :doc:`一页 <guide/a.en>`、:doc:`/b.en`。\n"
    )
    assert renamed("见 :doc:`other`。\r\n") == "见 :doc:`other`。\r\n"


def test_entries_of_a_table_of_contents_are_renamed_but_no_options_and_titles():
    source = ".. toctree::\n   :caption: start\n\n   {}\n   start <{}>\n   self\n   x*\n\nstart\n"
    own, new_names = ("start", "guide/a"), ("start.en", "guide/a.en")
    assert renamed(source.format(*own)) == source.format(*new_names)


def test_links_targets_and_includes_keep_their_suffix_and_anchor():
    assert renamed("`甲 <start.rst#a>`_\n\n.. _x: start.rst\n.. include:: start.rst\n") == (
        "`甲 <start.en.rst#a>`_\n\n.. _x: start.en.rst\n.. include:: start.en.rst\n"
    )


def test_code_and_comments_stay():
    for source in (
        "甲::\n\n   :doc:`start`\n",
        ".. code-block:: rst\n\n   .. toctree::\n\n      start\n",
        ".. 注释\n   :doc:`start`\n",
    ):
        assert renamed(source) == source
