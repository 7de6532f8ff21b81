"""Play episodes of every game of this package that needs nothing else, and hash their records.

    python tests/support/hashes.py game:Mine-v0               # those of a game, for its test file
    pytest -m slow tests/rollouts/test_hashes.py              # whether they are what they were
    python tests/support/hashes.py > tests/envs/hashes.txt    # of games without a contract, anew

A game of which `tests/envs/hashes.txt` knows nothing has them in its own test file
(`game_contract.py`).

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
    "inject:",
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


def recorded_ids():
    """Return the ids whose episodes are hashed."""
    return [
        id for id in gem_ma.list_envs() if id.startswith(FAMILIES) and not gem_ma.spec(id).needs
    ]


def hashes_of(id):
    """Yield the hashes of the episodes of an id."""
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
        yield hashlib.sha256(text).hexdigest()[:16]


def hashes(ids):
    """Yield the id, the number and the hash of each episode."""
    for id in ids:
        for number, held in enumerate(hashes_of(id)):
            yield f"{id} {number} {held}"


if __name__ == "__main__":
    if sys.argv[1:]:
        for id in sys.argv[1:]:
            sys.stdout.write(f'"{id}": "{" ".join(hashes_of(id))}",\n')
    else:
        from game_contract import recorded

        for line in hashes(id for id in recorded_ids() if id in recorded()):
            sys.stdout.write(line + "\n")
