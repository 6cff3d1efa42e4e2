"""Import of models that other programs trained: OPUS-MT and other Marian models."""
