"""Warm starts: weights of another model, and feature maps fitted to its attention."""
