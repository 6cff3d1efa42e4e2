"""Special tokens: the first five ids of every vocabulary."""

PAD, BOS, EOS, SEP, UNK = range(5)

SPELLINGS = ("<pad>", "<bos>", "<eos>", "<sep>", "<unk>")
"""The special tokens as text, in the order of their ids."""
