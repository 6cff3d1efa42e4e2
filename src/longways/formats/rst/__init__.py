"""reStructuredText files, of docutils and Sphinx."""
