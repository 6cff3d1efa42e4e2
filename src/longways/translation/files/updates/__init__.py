"""Updates of translations: a source has changed, and so may have its translation."""
