"""Corpus readers: parallel documents from files of several formats."""
