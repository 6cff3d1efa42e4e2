"""Decoding on a GPU: model and search captured as CUDA graphs over slots."""
