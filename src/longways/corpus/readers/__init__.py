"""Corpus readers: files of many kinds as parallel documents."""
