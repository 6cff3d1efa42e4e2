"""Addresses of pages in AsciiDoc are renamed where the job renames the pages."""

from longways.formats.asciidoc.links import edit_asciidoc_links
from tests.formats.rst.test_links import new

PAGES = {"a.adoc": "a.en.adoc", "b/c.adoc": "b/c.en.adoc"}


def renamed(source):
    """The file after the pages have new names."""
    return edit_asciidoc_links(source.encode(), None, lambda own, _: new(own, PAGES)).decode()


def test_references_links_and_includes_are_renamed():
    assert renamed("见 xref:a.adoc#x[甲]、link:b/c.adoc[乙] 与 <<a.adoc#,丙>>。\n") == (
        "见 xref:a.en.adoc#x[甲]、link:b/c.en.adoc[乙] 与 <<a.en.adoc#,丙>>。\n"
    )
    assert renamed("include::a.adoc[leveloffset=1]\n") == "include::a.en.adoc[leveloffset=1]\n"


def test_other_addresses_and_code_stay():
    source = "<<a>> xref:d.adoc[丁] https://x.org/a.adoc[甲]\n\n----\nxref:a.adoc[甲]\n----\n"
    assert renamed(source) == source
