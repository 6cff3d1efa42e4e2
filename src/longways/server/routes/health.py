"""Whether the server works."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(tags=["Operations"])


@router.get("/health")
async def health() -> dict[str, str]:
    """Answers as long as the server runs."""
    return {"status": "ok"}
