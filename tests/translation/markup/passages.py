"""Passages translated without a file around them."""

from longways.translation.markup.passages import Passages


def translate_passages(translator, passages, **options):
    """Every passage translated."""
    found = Passages(passages, translator)
    for piece in translator.pieces([found.segments()], **options):
        found.add(piece)
    return found.finish()
