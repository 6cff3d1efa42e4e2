"""Passages translated without a file around them."""

from longways.translation.markup.alignment import Aligner
from longways.translation.markup.passages import Passages


def translate_passages(translator, passages, **options):
    """Every passage translated."""
    aligner = Aligner(translator.runtime, translator.model.text)
    languages = translator.source_language, translator.target_language
    found = Passages(passages, *languages, aligner)
    for ready in translator.segments([found.segments()], **options):
        found.add(ready)
    return found.finish()
