"""Speed of decoding over the window length: RFA against transformers."""
