"""Triton kernels for attention: launcher and kernel in one file each."""
