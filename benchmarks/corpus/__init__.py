"""Micro-benchmarks of data preparation and batching."""
