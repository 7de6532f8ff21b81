"""Play episodes of every game of this package that needs nothing else, and hash their records.

    python tests/support/hashes.py > tests/envs/hashes.txt    # what episodes are now
    pytest -m slow tests/rollouts/test_hashes.py                 # whether they are what they were

A record is hashed as it is written, but for where its game stands in the package, how long
anything took and what ran it. Seats play legal moves most of the time, and nonsense otherwise.
"""

import hashlib
import json
import sys
import zlib

import numpy as np
from fuzz import OBSERVE, POLICIES

import gem_ma
from gem_ma.rollouts.records import episode_to_json

EPISODES = 4
FAMILIES = (
    "game:",
    "social:",
    "visual:",
    "tau:shop",
    "tau2:mock",
    "tau2:phone",
    "math:Mini",
    "qa:Mini",
)
NONSENSE = (
    *("", "hello", "\\boxed{7}", "[3]", "<think>x</think> 2", "1e999", "a1 b2", "pass", "0", "e4"),
    *("\\boxed{}", "<answer>yes</answer>", "9" * 40),
    '<tool_call>{"name": "x", "arguments": {}}</tool_call>',
)


def player(turn):
    """Reply with a legal move, where these can be listed, or with nonsense."""
    rng = np.random.default_rng([turn.seed & 0xFFFFFFFF, 7])
    if turn.legal and rng.random() < 0.8:
        return str(turn.legal[int(rng.integers(len(turn.legal)))])
    return NONSENSE[int(rng.integers(len(NONSENSE)))]


def make(id, policy, observe):
    """Make an environment with this policy, or with notices where the game has no use for it."""
    try:
        env = gem_ma.make(id, invalid=policy, observe=observe)
        env.reset(seed=0)
    except ValueError:
        env = gem_ma.make(id, observe=observe)
    return env


def hashes():
    """Yield the id, the number and the hash of each episode."""
    for id in gem_ma.list_envs():
        if not id.startswith(FAMILIES) or gem_ma.spec(id).needs:
            continue
        offset = zlib.crc32(id.encode())
        for number in range(EPISODES):
            policy = POLICIES[(offset + number) % len(POLICIES)]
            env = make(id, policy, OBSERVE[(offset // 7 + number) % len(OBSERVE)])
            (episode,) = gem_ma.rollout(env, player, 1, seed=number, progress=False)
            record = episode_to_json(episode)
            for name in ("agents", "version", "seconds", "sandbox"):
                del record[name]
            del record["spec"]["entry_point"]
            for step in record["steps"]:
                del step["seconds"]
            text = json.dumps(record, sort_keys=True).encode("utf-8", "surrogatepass")
            yield f"{id} {number} {hashlib.sha256(text).hexdigest()[:16]}"


if __name__ == "__main__":
    for line in hashes():
        sys.stdout.write(line + "\n")
