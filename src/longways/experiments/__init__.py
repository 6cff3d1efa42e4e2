"""Experiments: several models trained, translated with, and compared, from one file."""
