"""The README's code runs."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.strip().splitlines()[0][:40])
def test_every_block_runs(block):
    exec(compile(block, "README.md", "exec"), {"gem_ma": __import__("gem_ma")})


def test_there_are_blocks_and_both_commands():
    assert len(BLOCKS) >= 8
    for name in ("play", "test"):
        assert f"<!-- command: {name} -->\n```sh\npython3 -m venv" in README.read_text()
