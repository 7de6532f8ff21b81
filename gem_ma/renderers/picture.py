"""Picture: an image with a key and a PNG file, drawn when its pixels are first read."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gem_ma.validation.arguments import check_each, check_pixels

if TYPE_CHECKING:
    from PIL.Image import Image


class Picture:
    """An image in an observation: pixels, a description in words, a key, and a PNG on demand.

    Args:
        array: uint8, height x width x 3, C-contiguous. The picture owns the array and makes it
            read-only; `from_array` copies instead. Or a function that draws the array: it is called
            each time pixels are read, so a record of ten thousand pictures holds no pixels.
        alt: text that replaces the picture where pictures are omitted.
        key: equal keys mean equal pictures, here and in the caches of servers. A caller that passes
            a key, made from a game's state for example, guarantees this. None: a digest of the
            pixels.
        png: the PNG file, if the caller already has it, or a function that makes it faster than
            Pillow. None: encoded from the pixels.
    """

    __slots__ = ("_alt", "_array", "_draw", "_key", "_png")

    def __init__(
        self,
        array: NDArray[np.uint8] | Callable[[], NDArray[np.uint8]],
        alt: str = "",
        *,
        key: str | None = None,
        png: bytes | Callable[[], bytes] | None = None,
    ) -> None:
        if callable(array):
            self._draw: Callable[[], NDArray[np.uint8]] | None = array
            self._array: NDArray[np.uint8] | None = None
        else:
            self._draw, self._array = None, _own_pixels(array)
        self._alt = alt
        self._key = key
        self._png = png

    @classmethod
    def from_array(cls, array: ArrayLike, alt: str = "", *, key: str | None = None) -> Picture:
        """Return a picture with a copy of an array: uint8, in colour or grey."""
        pixels = np.array(array)
        if pixels.ndim == 2:
            pixels = pixels[:, :, None]
        if pixels.ndim == 3 and pixels.shape[2] == 1:
            pixels = np.repeat(pixels, 3, axis=2)
        return cls(pixels, alt, key=key)

    @property
    def array(self) -> NDArray[np.uint8]:
        """The pixels, read-only."""
        if self._array is not None:
            return self._array
        assert self._draw is not None
        return _own_pixels(self._draw())

    @property
    def alt(self) -> str:
        """A description of the picture in words."""
        return self._alt

    @property
    def width(self) -> int:
        """The number of pixels in a row."""
        return int(self.array.shape[1])

    @property
    def height(self) -> int:
        """The number of rows of pixels."""
        return int(self.array.shape[0])

    @property
    def key(self) -> str:
        """The key passed to the constructor, or a digest of size and pixels."""
        if self._key is None:
            pixels = self.array
            height, width, _ = pixels.shape
            digest = hashlib.blake2b(f"{width}x{height}:".encode(), digest_size=16)
            digest.update(pixels.data)
            self._key = digest.hexdigest()
        return self._key

    @property
    def png(self) -> bytes:
        """The picture as a PNG file, encoded once; a `png` function is called at each access."""
        if self._png is None:
            from gem_ma.renderers.png import encode_png

            self._png = encode_png(self.array)
        return self._png if isinstance(self._png, bytes) else self._png()

    @property
    def base64(self) -> str:
        """The PNG file in base64."""
        return base64.b64encode(self.png).decode()

    @property
    def data_uri(self) -> str:
        """The PNG file as a data URI."""
        return f"data:image/png;base64,{self.base64}"

    def to_pil(self) -> Image:
        """Return a new Pillow image; the caller may change it."""
        from PIL import Image  # importing gem_ma does not import Pillow

        return Image.fromarray(self.array)

    def __eq__(self, other: object) -> bool:
        return self.key == other.key if isinstance(other, Picture) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        size = "not drawn" if self._array is None else f"{self.width}x{self.height}"
        return f"Picture({size}, {self._alt!r})"

    def __copy__(self) -> Picture:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Picture:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        if self._draw is not None:
            return _rebuild_picture, (self._draw, self._alt, self._key, self._png)
        # The PNG is not pickled: it can be encoded again.
        return _rebuild_picture, (self._array, self._alt, self._key)


def join_pictures(pictures: Sequence[Picture]) -> NDArray[np.uint8]:
    """Join pictures from left to right into one array of pixels, for people to look at."""
    arrays = [picture.array for picture in check_each(pictures, Picture, "pictures")]
    high = max(len(array) for array in arrays)
    padded = [np.pad(a, ((0, high - len(a)), (0, 0), (0, 0))) for a in arrays]
    return np.concatenate(padded, axis=1) if len(arrays) > 1 else arrays[0]


def _rebuild_picture(
    array: NDArray[np.uint8] | Callable[[], NDArray[np.uint8]],
    alt: str,
    key: str | None,
    png: bytes | Callable[[], bytes] | None = None,
) -> Picture:
    return Picture(array, alt, key=key, png=png)


def _own_pixels(array: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return an array as pixels that no one changes."""
    check_pixels(array, "array")
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array
