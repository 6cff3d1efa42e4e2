"""Translation: documents in, documents out, every sentence from the window that ends at it."""

from longways.translate.config import LengthConfig, TranslateConfig
from longways.translate.documents import Translation, gather, translate_documents
from longways.translate.split import split_references, translate_split
from longways.translate.whole import translate_windows

__all__ = [
    "LengthConfig",
    "TranslateConfig",
    "Translation",
    "gather",
    "split_references",
    "translate_documents",
    "translate_split",
    "translate_windows",
]
