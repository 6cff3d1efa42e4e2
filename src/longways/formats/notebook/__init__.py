"""Jupyter notebooks: the Markdown cells of a JSON file."""
