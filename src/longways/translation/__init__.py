"""Translation: documents in, documents out, every sentence from the window that ends at it."""
