"""Metrics: BLEU and chrF of documents and sentences, and the paired bootstrap."""
