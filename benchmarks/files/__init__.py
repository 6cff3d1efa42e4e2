"""Micro-benchmarks of the translation of files: formats, glossaries, resume."""
