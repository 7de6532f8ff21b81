"""Encoding of scenes and arrays as JSON values."""

from __future__ import annotations

import base64
import dataclasses
from typing import Any

import numpy as np

from gem_ma import scene


def encode_scene(value: Any) -> object:
    """Return a scene or an array as a JSON value."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, tuple | list):
        return [encode_scene(one) for one in value]
    if isinstance(value, np.ndarray):
        return {
            "array": value.dtype.str,
            "shape": value.shape,
            "data": encode_scene(value.tobytes()),
        }
    name = type(value).__name__
    if getattr(scene, name, None) is not type(value):
        raise TypeError(
            f"cannot encode {name}; expected a scene of gem_ma.scene, an array, or a value of JSON"
        )
    fields = {
        field.name: encode_scene(getattr(value, field.name)) for field in dataclasses.fields(value)
    }
    return {"scene": name, **fields}
