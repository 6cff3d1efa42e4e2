"""Benchmarks of updated translations."""
