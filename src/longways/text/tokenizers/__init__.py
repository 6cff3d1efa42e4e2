"""Tokenizers: the sentences of one language as token ids, and token ids as sentences."""
