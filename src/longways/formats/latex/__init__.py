"""The LaTeX format: documents and chapters."""
