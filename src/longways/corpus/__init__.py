"""Corpora: parallel documents, prepared data, and batches of windows. Uses numpy only."""
