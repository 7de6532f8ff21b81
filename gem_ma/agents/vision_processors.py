"""Processors of vision-language models, with and without torchvision."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import Any

from gem_ma.validation.extras import require_extra

with require_extra("hf"):
    import transformers
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING
    from transformers.processing_utils import ProcessorMixin

TORCHVISION_REMEDY = (
    "pip install torchvision, in the release for your torch and from the same index; for CPU-only "
    "builds: pip install torch torchvision --index-url https://download.pytorch.org/whl/cpu"
)


class _ImageOnlyProcessor(ProcessorMixin):
    """A Qwen processor without its video processor, which needs torchvision."""

    def __init__(
        self,
        image_processor: Any = None,
        tokenizer: Any = None,
        chat_template: Any = None,
        **_: object,
    ):
        self.image_token = getattr(tokenizer, "image_token", "<|image_pad|>")
        self.video_token = getattr(tokenizer, "video_token", "<|video_pad|>")
        self.image_token_id = tokenizer.convert_tokens_to_ids(self.image_token)
        self.video_token_id = tokenizer.convert_tokens_to_ids(self.video_token)
        ProcessorMixin.__init__(self, image_processor, tokenizer, chat_template=chat_template)


# The names are those of transformers, so that it can load what these classes save.


class Qwen2VLProcessor(_ImageOnlyProcessor, transformers.Qwen2VLProcessor):
    """Qwen2VLProcessor without videos."""


class Qwen2_5_VLProcessor(_ImageOnlyProcessor, transformers.Qwen2_5_VLProcessor):  # noqa: N801
    """Qwen2_5_VLProcessor without videos."""


_IMAGE_ONLY_PROCESSORS: dict[Any, Any] = {
    transformers.Qwen2VLProcessor: Qwen2VLProcessor,
    transformers.Qwen2_5_VLProcessor: Qwen2_5_VLProcessor,
}


def list_image_sizes(tensors: Mapping[str, Any], processor: Any) -> set[tuple[int, int]]:
    """Return the widths and heights of pictures after Qwen's image processor has resized them."""
    patch = getattr(getattr(processor, "image_processor", None), "patch_size", 0)
    grids = tensors.get("image_grid_thw")
    rows = [] if grids is None else grids.tolist()
    return {(patch * width, patch * height) for _, height, width in rows}


def load_processor(path: str, config: Any) -> Any:
    """Load the processor of a vision-language model; without torchvision, one without videos."""
    usual = PROCESSOR_MAPPING.get(type(config), None)
    if usual is not None and importlib.util.find_spec("torchvision") is None:
        if usual in _IMAGE_ONLY_PROCESSORS:
            return _IMAGE_ONLY_PROCESSORS[usual].from_pretrained(path)
        if "video_processor" in usual.get_attributes():
            raise ImportError(
                f"the {usual.__name__} of {path} needs torchvision: {TORCHVISION_REMEDY}"
            )
    return transformers.AutoProcessor.from_pretrained(path, trust_remote_code=False)
