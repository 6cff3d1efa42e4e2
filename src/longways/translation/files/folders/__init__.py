"""Jobs over folders: which files they translate, which they copy, and the links between them."""
