"""Tables of text, CSV and TSV: cells of columns that are read, in the dialect of each file."""
