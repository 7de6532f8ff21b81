"""What tests of the viewer's page share: who plays, and a page taken apart."""

import base64
import json
import re
import zlib

from gem_ma import Reply

FOUR = "game:ConnectFour-v0"


def chatty(turn):
    """Think, then move; now and then say something that is no move."""
    told = {"usage": {"completion_tokens": 7, "prompt_tokens": 20}, "latency": 0.5}
    if turn.index == 1 and turn.seat == "red":
        return Reply("<think>Which column?</think>the ninety-first", **told)
    return Reply(f"<think>Hm.</think>\\boxed{{{turn.legal[0]}}}", **told)


def unpack_page(page):
    """Return the index of a page, and its episodes."""
    parts = dict(re.findall(r'<script type="text/plain" id="(\w+)">([^<]*)</script>', page))
    index = json.loads(zlib.decompress(base64.b64decode(parts["index"])))
    lines = []
    for number in range(index["blocks"]):
        block = zlib.decompress(base64.b64decode(parts[f"block{number}"])).decode()
        lines += [json.loads(line) for line in block.split("\n")]
    return index, lines
