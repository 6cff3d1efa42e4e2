"""Markdown: CommonMark with tables, footnotes, front matter and the usual extensions."""
