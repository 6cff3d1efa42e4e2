"""The layout of a page: lines, columns, tables, paragraphs, and running heads."""
