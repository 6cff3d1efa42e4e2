"""Metrics: BLEU and chrF of documents and sentences, with paired bootstraps."""
