"""The API of DeepL, version 2, for its clients: texts, usage and languages.

`context` is translated with each text as the sentences before it, and is not returned.
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from longways.server.errors import RequestError
from longways.server.routes.parameters import Parameters, read_parameters, text_of, texts_of
from longways.server.routes.service import Service
from longways.text.languages.codes import language_tag, main_language
from longways.text.languages.names import language_name

router = APIRouter(prefix="/v2", tags=["DeepL"])


@router.post("/translate")
async def translate(request: Request, service: Service) -> dict[str, Any]:
    """Translate each `text` from `source_lang` (or the detected one) into `target_lang`."""
    parameters = await read_parameters(request)
    value = parameters.get("text")
    texts = texts_of([value] if isinstance(value, str) else value, "text")
    target, given = text_of(parameters, "target_lang"), parameters.get("source_lang")
    _check_tags(parameters)
    context = parameters.get("context") or ""
    documents = [[context, text] for text in texts] if context else texts
    found = await service.translate(documents, given or None, _target(target))
    detected = main_language(found.source).upper()
    translated = (one if isinstance(one, str) else one[-1] for one in found.documents)
    return {
        "translations": [
            {"detected_source_language": detected, "text": text, "billed_characters": len(source)}
            for source, text in zip(texts, translated, strict=True)
        ]
    }


@router.get("/languages")
@router.post("/languages")
async def languages(request: Request, service: Service) -> list[dict[str, Any]]:
    """The languages of `type` source (the default) or target."""
    kind = (await read_parameters(request)).get("type", "source")
    if kind not in ("source", "target"):
        raise RequestError(f"type is {kind!r:.40}, but it must be source or target.")
    if kind == "source":
        codes = service.offers.sources
        return [{"language": _code(code), "name": language_name(code)} for code in codes]
    targets = dict.fromkeys(pair.target for pair in service.offers.pairs)
    return [
        {"language": _code(code), "name": language_name(code), "supports_formality": False}
        for code in targets
    ]


@router.get("/usage")
@router.post("/usage")
async def usage(service: Service) -> dict[str, int]:
    """The characters translated since the start; there is no limit."""
    return {"character_count": service.characters, "character_limit": 1_000_000_000_000}


def _check_tags(parameters: Parameters) -> None:
    if kind := parameters.get("tag_handling"):
        raise RequestError(
            f"tag_handling is {kind!r:.40}, but this server takes texts without tags."
        )


def _target(code: str) -> str:
    """A target language of DeepL; the variants of a language are one here, but for Chinese."""
    tag = language_tag(code)
    return tag if main_language(tag) == "zh" else main_language(tag)


def _code(code: str) -> str:
    return language_tag(code).upper()
