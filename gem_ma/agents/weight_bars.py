"""Progress bars that transformers draws for weights, which do not belong in logs."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def hide_weight_bars() -> Iterator[None]:
    """Draw no progress bars of weights if there is no terminal; keep those of downloads."""
    from huggingface_hub.utils import are_progress_bars_disabled, enable_progress_bars
    from transformers.utils import logging

    if sys.stderr.isatty() or not logging.is_progress_bar_enabled():
        yield
        return
    downloads = not are_progress_bars_disabled()
    logging.disable_progress_bar()  # this disables the bars of downloads as well
    if downloads:
        enable_progress_bars()
    try:
        yield
    finally:
        logging.enable_progress_bar()
