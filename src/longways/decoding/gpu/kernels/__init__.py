"""Triton kernels of a decoding step."""
