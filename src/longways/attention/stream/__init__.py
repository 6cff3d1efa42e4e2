"""Attention of stream models: sentence heads within a sentence, document heads over all before."""
