"""The encoder-decoder model: settings, layers, checkpoints."""
