"""Zip archives with the same bytes every time, and the namespaces of Office packages."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
DATE = (2026, 1, 1, 0, 0, 0)


def zipped(parts: Mapping[str, bytes]) -> bytes:
    """An archive of these parts; the same bytes every time."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(zipfile.ZipInfo(name, DATE), part)
    return data.getvalue()
