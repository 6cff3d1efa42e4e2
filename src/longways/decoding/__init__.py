"""Decoding: a model and windows in, hypotheses out. Search, and the runtimes that it drives."""
