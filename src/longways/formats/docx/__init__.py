"""Word documents: the parts of an OOXML package that carry text."""
