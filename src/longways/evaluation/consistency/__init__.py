"""Consistency: contrastive sets scored by models."""
