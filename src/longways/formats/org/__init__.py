"""The Org format: outlines, notes and documents of Emacs."""
