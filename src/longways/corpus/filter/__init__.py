"""The filter step of `prepare`: which sentence pairs and documents are dropped, and why."""
