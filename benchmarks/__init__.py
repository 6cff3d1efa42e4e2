"""Micro-benchmarks of single components. They are not part of the wheel: see README.md."""
