"""gettext catalogues: PO and POT files."""
