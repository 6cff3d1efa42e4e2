"""Consistency: models choose among candidate translations in contrastive sets."""
