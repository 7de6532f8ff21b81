"""Image noises, which change a finished picture to test whether a model still reads it."""

from __future__ import annotations

import difflib
import io
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gem_ma.renderers.photos import PhotoCamera
from gem_ma.renderers.themes import parse_split_seed
from gem_ma.validation.arguments import check_pixels

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage


class UnknownNoise(ValueError):
    """No noise has this name or this strength."""


class NoiseKind(NamedTuple):
    """A kind of noise, with the limits of its strength."""

    low: float  # lowest and highest valid strength
    high: float
    default: float  # strength if a noise names none
    sample_low: float  # a seed samples between this and `sample_high`
    sample_high: float
    unit: str  # of the strength, in words
    apply: Callable[[PillowImage, float], PillowImage]

    def compute_effect(self, strength: float) -> float:
        """Return a number that grows with the visible effect of a strength."""
        return abs(strength) if self.sample_high > self.sample_low else -strength


def _blur(image: PillowImage, radius: float) -> PillowImage:
    from PIL import ImageFilter

    return image.filter(ImageFilter.GaussianBlur(radius))


def _compress_jpeg(image: PillowImage, quality: float) -> PillowImage:
    from PIL import Image

    file = io.BytesIO()
    image.save(file, "JPEG", quality=round(quality))
    return Image.open(file).convert("RGB")


def _downscale(image: PillowImage, factor: float) -> PillowImage:
    from PIL.Image import Resampling

    width, height = (max(1, round(side / factor)) for side in image.size)
    return image.resize((width, height), Resampling.BOX).resize(image.size, Resampling.BILINEAR)


def _rotate_hue(image: PillowImage, degrees: float) -> PillowImage:
    """Rotate hues around the grey axis, with integers for the same result on every machine."""
    from PIL import Image

    angle = math.radians(degrees)
    even, odd = (1 - math.cos(angle)) / 3, math.sin(angle) / math.sqrt(3)
    row = [round(4096 * part) for part in (even + math.cos(angle), even - odd, even + odd)]
    row[0] += 4096 - sum(row)  # greys stay unchanged
    turn = np.array([np.roll(row, place) for place in range(3)], np.int32)
    pixels = (np.asarray(image, np.int32) @ turn.T + 2048) >> 12
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


NOISE_KINDS = {
    "blur": NoiseKind(0.1, 64, 1, 0.5, 2, "radius in pixels", _blur),
    "jpeg": NoiseKind(1, 95, 40, 60, 10, "quality", _compress_jpeg),
    "downscale": NoiseKind(1, 64, 2, 1.5, 3, "to one part in so many", _downscale),
    "hue": NoiseKind(-180, 180, 30, 10, 40, "degrees", _rotate_hue),
}
PHOTO = "photo"  # not among NOISE_KINDS, since its number is a seed and no strength
_STRENGTH = re.compile(r"-?\d+(\.\d+)?")


@dataclass(frozen=True, slots=True)
class ImageNoise:
    """A photo of a picture and kinds of noise, in this order; without any, nothing changes.

    Attributes:
        name: The noise as `parse_noise` was given it.
        parts: Kinds of noise with their strengths, in their order.
        camera: The camera of the photo; None: no photo.
    """

    name: str
    parts: tuple[tuple[str, float], ...]
    camera: PhotoCamera | None = None

    def __bool__(self) -> bool:
        return bool(self.settings)

    @property
    def settings(self) -> tuple[tuple[str, float | PhotoCamera], ...]:
        """The photo with its camera, and each kind of noise with its strength."""
        return self.parts if self.camera is None else ((PHOTO, self.camera), *self.parts)

    def apply(self, picture: np.ndarray) -> np.ndarray:
        """Return a changed copy of a picture (height x width x 3 bytes), of the same size."""
        from PIL import Image

        check_pixels(picture, "picture")
        if self.camera is not None:
            picture = self.camera.take_photo(picture)
        image = Image.fromarray(picture)
        for kind, strength in self.parts:
            image = NOISE_KINDS[kind].apply(image, strength)
        return np.array(image)


def parse_noise(which: str | int) -> ImageNoise:
    """Parse a noise such as "blur:2+jpeg:40", or sample one noise kind from an integer seed.

    The empty string means no noise. A kind without a strength has its default strength. "photo:5"
    is a photo by the camera 5 for training, and "photo:held-out:5" one by a held-out camera. Other
    noise may follow a photo, as in "photo:5+jpeg:40".
    """
    if isinstance(which, bool) or not isinstance(which, int | str):
        raise UnknownNoise(f"noise={which!r}: expected a name or an int")
    if isinstance(which, int):
        return _sample_noise(which)
    parts = which.split("+") if which else []
    camera = None
    if parts and parts[0].partition(":")[0] == PHOTO:
        camera = _parse_camera(parts.pop(0), which)
    return ImageNoise(which, tuple([_parse_part(part, which) for part in parts]), camera)


def _parse_camera(text: str, whole: str) -> PhotoCamera:
    """Parse "photo", "photo:5" or "photo:held-out:5" and return the camera."""
    _, colon, value = text.partition(":")
    found = parse_split_seed(value if ":" in value else f"train:{value if colon else 0}")
    if found is None:
        raise UnknownNoise(
            f"noise={whole!r}: expected photo:N or photo:held-out:N, N any whole number, which is "
            "a seed"
        )
    return PhotoCamera(*found)


def _parse_part(text: str, whole: str) -> tuple[str, float]:
    """Parse one part of a noise name and return its kind and strength."""
    name, colon, value = text.partition(":")
    kind = NOISE_KINDS.get(name)
    if name == PHOTO:
        raise UnknownNoise(f"noise={whole!r}: a photo comes first, as in photo:5+jpeg:40")
    if kind is None:
        names = *NOISE_KINDS, PHOTO
        close = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(names)}"
        raise UnknownNoise(
            f"no noise {name!r} in noise={whole!r}; {hint}, several joined by +, or any int"
        )
    if not colon:
        return name, kind.default
    strength = float(value) if _STRENGTH.fullmatch(value[:20]) else math.nan
    if not kind.low <= strength <= kind.high:
        raise UnknownNoise(
            f"noise={whole!r}: expected {name}:N, N from {kind.low:g} to {kind.high:g} "
            f"({kind.unit}), such as {name}:{kind.default:g}"
        )
    return name, strength


def _sample_noise(seed: int) -> ImageNoise:
    """Sample a kind and a strength that leaves boards of the usual size readable."""
    rng = np.random.default_rng([abs(seed), int(seed < 0)])
    name = list(NOISE_KINDS)[int(rng.integers(len(NOISE_KINDS)))]
    kind = NOISE_KINDS[name]
    strength = kind.sample_low + (kind.sample_high - kind.sample_low) * float(rng.random())
    return ImageNoise(str(seed), ((name, round(strength, 2)),))
