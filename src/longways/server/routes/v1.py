"""Our own API: texts and documents of sentences.

A list of texts is one document, whose later sentences are translated with the earlier ones as
context, unless `document` is false.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from longways.server.routes.service import Service

router = APIRouter(prefix="/v1", tags=["Longways"])


class TranslateRequest(BaseModel):
    """What to translate, and how."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"text": "你好。", "target": "en"},
                {"text": ["打开终端。", "运行它。"], "source": "zh", "target": "en"},
            ]
        },
    )

    text: Annotated[
        str | list[str],
        Field(description="A text, or a list: the sentences or paragraphs of one document."),
    ]
    target: Annotated[str, Field(description="The language to translate into, as in en.")]
    source: Annotated[
        str | None, Field(description="The language of the text; by default it is detected.")
    ] = None
    document: Annotated[
        bool, Field(description="false: the texts of a list have nothing to do with each other.")
    ] = True
    glossary: Annotated[
        dict[str, str], Field(description="Source terms with the translations to use.")
    ] = {}
    beam: Annotated[
        int | None, Field(ge=1, le=16, description="Hypotheses of the beam search.")
    ] = None


class TranslateAnswer(BaseModel):
    """The translation, in the form of the text."""

    translation: str | list[str]
    source: str
    target: str
    model: str


class LanguagePair(BaseModel):
    """Two languages between which there is a model."""

    source: str
    target: str


@router.post("/translate")
async def translate(wanted: TranslateRequest, service: Service) -> TranslateAnswer:
    """Translate a text, or a document as a list."""
    text = wanted.text
    is_split = isinstance(text, list) and not wanted.document
    found = await service.translate(
        list(text) if is_split else [text],
        wanted.source,
        wanted.target,
        beam=wanted.beam,
        glossary=wanted.glossary,
    )
    translation = [str(one) for one in found.documents] if is_split else found.documents[0]
    return TranslateAnswer(
        translation=translation, source=found.source, target=found.target, model=found.model
    )


@router.get("/languages")
async def languages(service: Service) -> list[LanguagePair]:
    """The pairs of languages that can be translated."""
    return [LanguagePair(source=one.source, target=one.target) for one in service.offers.pairs]
