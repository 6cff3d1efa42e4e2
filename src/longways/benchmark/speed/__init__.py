"""Decoding speed of RFA and transformers over the window length."""
