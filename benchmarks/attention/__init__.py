"""Micro-benchmarks of attention in training: features, forms, gates, kernels, memory."""
