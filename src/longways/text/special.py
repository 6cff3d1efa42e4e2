"""Special tokens: the same five ids open every vocabulary, on both sides."""

PAD, BOS, EOS, SEP, UNK = range(5)

SPELLINGS = ("<pad>", "<bos>", "<eos>", "<sep>", "<unk>")
"""How a vocabulary spells them, in the order of their ids."""
