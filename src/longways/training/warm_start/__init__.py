"""Warm start: copy the weights of another model, and fit feature maps to its attention."""
