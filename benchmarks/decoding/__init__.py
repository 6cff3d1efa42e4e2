"""Micro-benchmarks of single decoding steps."""
