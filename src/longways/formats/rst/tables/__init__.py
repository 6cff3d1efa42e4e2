"""Tables of reStructuredText: cells with blocks of their own, drawn again where they change."""
