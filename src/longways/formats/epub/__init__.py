"""EPUB books: XHTML documents, tables of contents and metadata in a zip package."""
