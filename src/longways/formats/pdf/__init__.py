"""PDF documents: their text in reading order, as Markdown."""
