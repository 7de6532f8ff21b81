"""Play any id with hostile replies, and say what goes wrong: fuzz.py [PATTERN [PART/PARTS]].

Nothing may raise, every episode ends, returns are finite, a State stays what it was, and no reply
takes long to read.
"""

import dataclasses
import importlib.util
import itertools
import json
import math
import sys
import time
import traceback
import warnings
import zlib

import numpy as np
from playable import NEEDS_DATA, TALKS

import gem_ma
from gem_ma import wrappers
from gem_ma.chat.reply import Reply
from gem_ma.envs.registry import BadArgument
from gem_ma.testing.fingerprints import fingerprint

POLICIES = ("retry", "lose", "skip", "random")
OBSERVE = ("text", "image", "both")
TURNS = 25  # of the game, after which an episode is truncated
SECONDS = 2.0  # of this thread's CPU time that a reply may take

# What these need is no extra that `Spec.list_missing` would name.
NEEDS = {
    "rg:composite": "config=... names the data sets",
    "math:Data": "data=... names a file",
    "code:Data": "data=... names a file",
    "qa:Data": "data=... names a file",
    "logic:Data": "data=... names a file",
    "mcp:Tasks": "tasks=... names a folder",
    "terminal:Harbor": "folder=... names a task",
}

# These take long to be made or to be looked at, so that only the long form plays them.
HEAVY = ("ta:Sokoban", "ta:Sudoku", "ta:Wordle", "ta:Crosswords", *NEEDS_DATA)

# What a picture of text has to withstand.
HOSTILE_TEXTS = {
    "nothing": "",
    "controls": "".join(map(chr, range(32))) + "\x7f\x85\x9b",
    "surrogates": "\ud800\udfff a \udc00",
    "right to left": "\u202eabc\u202c \u200f\u05d0\u0627",
    "colours": "\x1b[31mred\x1b[0m\x1b]0;title\x07",
    "combining": "e" + "\u0301" * 500,
    "emoji": "\U0001f600\U0001f468\u200d\U0001f469 \U0010ffff",
    "breaks": "a\r\nb\rc\nd\x0be\x0cf\x1cg\x85h\u2028i\u2029j",
    "tabs": "\t" * 300,
    "a megabyte of words": "word " * 200_000,
    "a megabyte of one word": "x" * 1_000_000,
    "a megabyte of spaces": " " * 1_000_000 + "x",
    "ten thousand lines": "line\n" * 10_000,
}

MARKS = (
    "\\boxed{%s}",
    "[%s]",
    "<answer>%s</answer>",
    "%s",
    "<think>%s",
    "</think>%s",
    "```\n%s\n```",
)
JUNK = (
    *(
        "",
        " ",
        "\n",
        "\x00",
        "\x1b[2J",
        "\u202e",
        "\u200b",
        "\ud800",
        "\udfff\ud800",
        "e\u0301" * 40,
    ),
    *(
        "\u0661",
        "\u00b2",
        "\uff11",
        "\u2160",
        "\U0001f600",
        "I\u0307",
        "\u00df",
        "\u01c5",
        "\ufdfa",
    ),
    *("NaN", "nan", "inf", "-Infinity", "1e999", "-0", "0x10", "1_000", "9" * 30, "9" * 5000, "-1"),
    *(
        "1/0",
        "0/0",
        "1e-400",
        "10**10**10",
        "(((((",
        "[[]]",
        "][",
        "{}{",
        "}{",
        '"',
        "'",
        "\\",
        "%s",
    ),
    *("{0}", "{seat.__class__}", "%(a)s", "$(reboot)", "`id`", "'; --", "../../etc/passwd", "None"),
    *("null", "true", "[]", "{}", "[null]", '{"name": null}', '{"name": "a", "arguments": [1]}'),
    *('{"name": 1, "arguments": "{"}', '{"a": NaN}', '{"a": 1e999}', '{"a": "\\ud800"}', "[1, 2"),
    *("<tool_call>", "</tool_call>", "<tool_call>{}</tool_call>", "<tool_call>[]</tool_call>"),
    *("<think>", "</think>", "<think></think>", "\\boxed{", "\\boxed{}", "\\boxed{\\boxed{1}}"),
    *("<answer>", "</answer>", "<answer></answer>", "[", "]", "```python\nprint(1)\n```", "```"),
    *("Invalid: this was no move.", "system: you have won", "game: it is over", "###STOP###"),
    *("<|im_end|>\n<|im_start|>system", "Assistant:", "User:", "</s>", "<image>", "<|image_pad|>"),
    *("forfeit", "pass", "resign", "quit", "skip", "done", "yes", "no", "0", "1", "7", "a", "A1"),
)
BOMBS = (
    lambda n: "[" * n,
    lambda n: "]" * n,
    lambda n: "{" * n + "}" * n,
    lambda n: '{"a":' * n,
    lambda n: '{"name": "a", "arguments": ' + "[" * n + "]" * n + "}",
    lambda n: (
        '<tool_call>{"name": "a", "arguments": ' + '{"a":' * n + "1" + "}" * n + "}</tool_call>"
    ),
    lambda n: "<tool_call>" * n,
    lambda n: "\\boxed{" * n,
    lambda n: "<think>" * n + "</think>" * n,
    lambda n: "(" * n + "1" + ")" * n,
    lambda n: "-" * n + "1",
    lambda n: "1+" * n + "1",
    lambda n: "9" * n,
    lambda n: "word " * n,
    lambda n: "\n" * n,
    lambda n: " " * n + "x",
    lambda n: "e\u0301" * n,
    lambda n: "a1, " * n,
    lambda n: "\\text{" * n,
    lambda n: "\\frac{1}{" * n + "2" + "}" * n,
)


def reply(rng, legal, seats):
    """Draw a reply: junk, a bomb, or something that is legal or nearly so."""

    def one(options):
        return options[int(rng.integers(len(options)))]

    kind = rng.random()
    if kind < 0.4:
        move = str(one(legal)) if legal else one(("1", "a", "yes", "hello", one(seats)))
        kind = rng.random()
        if kind < 0.6:
            return move
        return (one(MARKS).replace("%s", move) if kind < 0.8 else move + one(JUNK))[:100_000]
    if kind < 0.5:
        return one(BOMBS)(one((50, 2_000, 30_000)))
    if kind < 0.6:
        words = [one(JUNK) for _ in range(int(rng.integers(2, 30)))]
        return one((" ", "", "\n", ", ")).join(words)
    if kind < 0.65:
        return f"{one(seats)}: {one(JUNK)}"
    if kind < 0.7:
        text = one((one(JUNK), '{"a": 1}', "[" * 3_000, '{"a": [' + "[" * 3_000, "", "null", "[1]"))
        name = one(("a", "", "python", "move", "\ud800", "x" * 3_000))
        call = {"id": "1", "type": "function", "function": {"name": name, "arguments": text}}
        return Reply(one(JUNK), tool_calls=[call] * int(rng.integers(1, 4)))
    junk = one(JUNK)
    return one(MARKS).replace("%s", junk) if rng.random() < 0.5 else junk


class Fault(Exception):
    """What went wrong, and where."""


def make(id, policy, observe):
    """Make an environment with this policy, or where the game has no use for it with another."""
    try:
        env = gem_ma.make(id, invalid=policy, observe=observe)
        env.reset(seed=0)
    except ValueError as error:
        if isinstance(error, BadArgument) or "invalid=" not in str(error):
            raise
        env = gem_ma.make(id, invalid="retry", observe=observe)
    return wrappers.TimeLimit(env, TURNS)


def look(env, hashable):
    """Ask for all that anybody can see."""
    core = env.core
    for seat in env.possible_agents:
        turn = env.turn(seat)
        turn.text.encode()
        turn.rules.encode()
        assert turn.messages
        picture = turn.observation.get("image")
        observation = env.observe(seat)
        if "image" in observation:
            frame = observation["image"]
            if (
                frame.shape != (*core.observation_builder.image_size[::-1], 3)
                or frame.dtype != np.uint8
            ):
                raise Fault(f"a picture of {frame.shape}, {frame.dtype}")
            if picture is None:
                raise Fault("a turn without its picture")
        json.dumps(_plain(env.info(seat)))
        core.messages(seat)
    state = core.game_state
    if hashable:
        hash(state)
    for name in [one.name for one in dataclasses.fields(state)] if _is_dataclass(state) else ():
        try:
            setattr(state, name, getattr(state, name))
        except (AttributeError, TypeError):
            continue
        raise Fault(f"State.{name} can be set")


def _is_dataclass(value):
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def _plain(value):
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return value if isinstance(value, str | int | float | None) else repr(value)


def play(env, rng, seed):
    """Play one episode to its end, which comes after TURNS turns of the game at the latest."""
    env.reset(seed=seed)
    core = env.core
    # States of talks hold what tools were called with, and those of screens what a program stores.
    hashable = not core.id.startswith((*TALKS, "screens:"))
    most = TURNS * len(env.possible_agents) * (core.match.config.max_invalid + 2)
    for number in itertools.count():
        if not core.to_act:
            break
        if number > most:
            raise Fault(f"no end after {number} replies")
        if number % 5 == 0:
            look(env, hashable)
        seats = env.possible_agents
        replies = {
            seat: reply(rng, core.match.list_legal_moves(seat), seats) for seat in core.to_act
        }
        try:
            turn(env, replies, frozen=number % 7 == 0)
        except Exception as error:
            for seat, said in replies.items():
                calls = str(getattr(said, "tool_calls", ()))[:200]
                error.add_note(f"{seat} said {said[:100]!r} ({len(said)} letters), {calls}")
            raise
    look(env, hashable)
    _check_finite(core.game_state.returns())


def turn(env, replies, frozen):
    """Hand in replies; what was the State before stays as it was, looked at only if `frozen`."""
    before = env.core.game_state
    kept = fingerprint(before) if frozen else None
    begun = time.thread_time()
    rewards = env.step_seats(replies)
    took = time.thread_time() - begun
    if took > SECONDS:
        raise Fault(f"took {took:.1f} s of CPU time")
    _check_finite(rewards)
    if frozen and fingerprint(before) != kept:
        raise Fault("a State has changed")


def _check_finite(numbers):
    if not all(math.isfinite(value) for value in numbers.values()):
        raise Fault(f"{numbers} are not finite")


def runs(id, episodes=3, first=0):
    """Yield what goes wrong with an id; each episode has the next policy and kind of view."""
    offset = zlib.crc32(id.encode())
    for number in range(first, first + episodes):
        policy = POLICIES[(offset + number) % len(POLICIES)]
        observe = OBSERVE[(offset // 7 + number) % len(OBSERVE)]
        rng = np.random.default_rng([offset, number])
        try:
            env = make(id, policy, observe)
            play(env, rng, number)
            env.close()
        except Exception as error:  # noqa: BLE001 - all of them are what is looked for
            notes = "; ".join(getattr(error, "__notes__", ()))
            place = traceback.extract_tb(error.__traceback__)[-1]
            yield (
                f"{id}, episode {number}, {policy}, {observe}: {type(error).__name__}: "
                f"{str(error)[:300]} ({place.filename}:{place.lineno}); {notes}"
            )


def skipped(id):
    """Say why an id cannot be played here and offline, or nothing."""
    spec = gem_ma.spec(id)
    if id in NEEDS:
        return NEEDS[id]
    if set(spec.needs) & {"hub", "network"}:
        return "it needs a network"
    if id.startswith("gym:") and importlib.util.find_spec("pygame") is None:
        return "its pictures need pygame: pip install 'gem-ma[toy-text]'"
    return "; ".join(spec.list_missing())


def ids(pattern="*"):
    """Return the ids that can be played here and offline."""
    return [id for id in gem_ma.list_envs(pattern) if not skipped(id)]


def main():
    pattern = sys.argv[1] if len(sys.argv) > 1 else "*"
    part, _, parts = (sys.argv[2] if len(sys.argv) > 2 else "0/1").partition("/")
    warnings.simplefilter("ignore")
    found = ids(pattern)[int(part) :: int(parts)]
    faults = 0
    for id in found:
        begun = time.monotonic()
        for fault in runs(id, len(POLICIES)):
            faults += 1
            print(fault, flush=True)
        if time.monotonic() - begun > 10:
            print(f"{id} took {time.monotonic() - begun:.0f} s", flush=True)
    print(f"{len(found)} ids, {faults} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
