"""HTML: a tolerant scanner, the passages of a page, and its bytes written back."""
