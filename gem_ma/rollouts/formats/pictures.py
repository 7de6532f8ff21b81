"""Pictures in the data URIs of other formats."""

from __future__ import annotations

import base64
import functools
import hashlib
import io
import re
from typing import Any

from gem_ma.chat.messages import Picture

_DATA_URI = re.compile(r"data:image/[a-z+.-]{1,20};base64,")


def decode_picture(uri: object, alt: str = "", key: str | None = None) -> str | Picture:
    """Return the picture of a data URI; of another address, words that name it.

    Args:
        key: The key of the picture; None: a digest of its file.
    """
    found = _DATA_URI.match(uri) if isinstance(uri, str) else None
    if found is None or not isinstance(uri, str):
        return f"[picture: {str(uri)[:200]}]"
    try:
        data = base64.b64decode(uri[found.end() :], validate=True)
    except ValueError:
        return "[picture: no base64]"
    name = key if isinstance(key, str) else hashlib.blake2b(data, digest_size=16).hexdigest()
    return Picture(functools.partial(_decode_pixels, data), str(alt), key=name, png=data)


def _decode_pixels(data: bytes) -> Any:
    import numpy as np
    from PIL import Image

    return np.array(Image.open(io.BytesIO(data)).convert("RGB"))
