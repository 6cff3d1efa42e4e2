"""Benchmarks of models that carry a state over whole documents."""
