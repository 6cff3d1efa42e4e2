"""The encoder-decoder: configuration, layers, translation model, model folders."""
