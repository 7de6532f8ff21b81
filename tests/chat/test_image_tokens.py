"""What a picture costs a model, against the numbers of its maker."""

import numpy as np
import pytest

from gem_ma.chat import image_tokens


@pytest.mark.parametrize(
    ("width", "height", "family", "tokens"),
    [
        (252, 252, "qwen2-vl", 81),
        (504, 504, "qwen2.5-vl", 324),
        (256, 256, "qwen2-vl", 81),
        (1, 1, "qwen2-vl", 4),
        (288, 288, "qwen3-vl", 81),
        (32, 32, "qwen3-vl", 64),
        (10, 3000, "llava-1.5", 576),
        (10, 3000, "gemma-3", 256),
        (448, 448, "internvl", 256),
        (896, 448, "internvl", 768),
        (4000, 3000, "internvl", 13 * 256),
        (150, 150, "gpt-4o", 255),
        (1024, 1024, "gpt-4o", 765),
        (1024, 1024, "gpt-4.1", 765),
        (1024, 1024, "gpt-5", 630),
        (1024, 1024, "gpt-4.1-mini", 1659),
        (1800, 2400, "gpt-4.1-mini", 2353),  # 33 x 44 patches, as the guide works it out
        (252, 252, "gpt-5-nano", 158),
        (384, 384, "gemini-2", 258),
        (385, 252, "gemini-2", 258),
        (800, 600, "gemini-2", 516),
        (252, 252, "gemini-3", 1120),
        (2048, 4096, "gpt-4o", 1105),
        (252, 252, "claude", 81),
        (1000, 1000, "claude", 1296),
        (1920, 1080, "claude", 1560),
        (1920, 1080, "claude-4.7", 2691),
    ],
)
def test_image_tokens(width, height, family, tokens):
    assert image_tokens.count_image_tokens(width, height, family) == tokens


def test_a_picture_may_be_200_times_as_long_as_wide():
    assert (
        image_tokens.count_image_tokens(5600, 28, "qwen2.5-vl")
        == image_tokens.count_image_tokens(28, 5600, "qwen2.5-vl")
        > 0
    )
    with pytest.raises(ValueError, match="5601 x 28: one side is more than 200 times the other"):
        image_tokens.count_image_tokens(5601, 28, "qwen2.5-vl")


def test_image_tokens_within_limits():
    assert image_tokens.count_image_tokens(4096, 8192, "gpt-4o", detail="low") == 85
    assert image_tokens.count_image_tokens(4096, 8192, "gpt-5", detail="low") == 70
    assert image_tokens.count_image_tokens(4096, 8192, "gemini-3", detail="low") == 280
    assert image_tokens.count_image_tokens(9000, 5000, "o4-mini") <= 1.72 * 1536 + 1
    assert image_tokens.count_image_tokens(1, 90_000, "o4-mini") <= 1.72 * 1536 + 1
    with pytest.raises(ValueError, match="expected low, medium, high for gemini-3"):
        image_tokens.count_image_tokens(9, 9, "gemini-3", detail="auto")
    assert image_tokens.count_image_tokens(2000, 2000, "qwen2-vl") <= 1280
    assert image_tokens.count_image_tokens(2000, 2000, "qwen2-vl", max_pixels=12_845_056) == 71 * 71
    assert image_tokens.count_image_tokens(28, 28, "qwen2-vl", min_pixels=784) == 1
    with pytest.raises(ValueError, match="200 times"):
        image_tokens.count_image_tokens(1, 300, "qwen2-vl")
    with pytest.raises(ValueError, match="are for qwen2-vl"):
        image_tokens.count_image_tokens(9, 9, "gemma-3", max_pixels=9)
    with pytest.raises(ValueError, match="at least one pixel"):
        image_tokens.count_image_tokens(0, 9, "gemma-3")
    with pytest.raises(ValueError, match=r"did you mean 'qwen2.5-vl'\? known: qwen2-vl, "):
        image_tokens.count_image_tokens(9, 9, "Qwen2.5VL")
    with pytest.raises(ValueError, match="unknown family 'zzz'; known"):
        image_tokens.snap_image_size(9, 9, "zzz")


@pytest.mark.parametrize("family", image_tokens.MODEL_FAMILIES)
def test_snap_finds_a_size_that_stays(family):
    rng = np.random.default_rng(0)
    for _ in range(300):
        width, height = (int(side) for side in rng.integers(20, 3500, 2))
        size = image_tokens.snap_image_size(width, height, family)
        assert image_tokens.snap_image_size(*size, family) == size
        assert image_tokens.count_image_tokens(*size, family) == image_tokens.count_image_tokens(
            width, height, family
        )
    assert image_tokens.snap_image_size(256, 256, "qwen2-vl") == (252, 252)
    assert image_tokens.snap_image_size(300, 300, "qwen3-vl") == (288, 288)
