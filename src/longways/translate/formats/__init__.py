"""File formats: a file taken apart into what a reader reads, and put together again."""
