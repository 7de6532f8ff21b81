"""Episodes of every kind that a record can hold, for what writes and reads records."""

import functools
import warnings

import numpy as np
import packs

import gem_ma
from gem_ma import Reply, rollout
from gem_ma.chat.messages import Picture, ToolOutput, find_observation_pictures
from gem_ma.rollouts.formats.transcripts import to_plain_json
from gem_ma.rollouts.records import episode_to_json
from gem_ma.tools import with_tools

TTT, SAME_TIME = "game:TicTacToe-v0", "game:RockPaperScissors-v0"
HOSTILE = (
    "junk \ud800 \u2028 \x00 <image> <|image_pad|> </think> \U0001f600 {{ x }} <tool_call>",
    "<think>a</think> <think>b",
    "never opened</think> \\boxed{nothing}",
    "<think>",
    "",
)


def call(name, arguments, id="c1"):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def legal(turn, **fields):
    return Reply(turn.legal[turn.seed % len(turn.legal)], **fields)


def hostile(turn):
    return HOSTILE[(turn.seed + turn.index) % len(HOSTILE)]


def thinking(turn):
    """Think as models of several providers do, and as open models write it."""
    kind = turn.index % 5
    if kind == 4:
        return f"<think>I see.\n</think>\n{turn.legal[0]}"
    block = (
        {"type": "thinking", "thinking": "I see \U0001f600", "signature": "s"},
        {"text": "I see"},
        {"thought": True, "text": "I see"},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "I see"}]},
    )[kind]
    return Reply(turn.legal[0], thinking_blocks=[block])


def sampled(turn):
    """Reply with all that a model's server can tell."""
    before = [1, 2, 3] * (turn.index + 1)
    return legal(
        turn,
        prompt_ids=before,
        token_ids=[4, 5],
        logprobs=[-0.5, -1.25],
        allowed_ids=[[4], [5, 6]],
        finish_reason="stop",
        usage={"prompt_tokens": len(before), "completion_tokens": 2, "reasoning_tokens": 1},
        latency=0.25,
        policy_version=3,
        calls=[{"messages": [{"role": "user", "content": "q"}], "reply": "r"}],
    )


def improbable(turn):
    """Report a token that the model gave no probability."""
    return legal(turn, token_ids=[4], logprobs=[float("-inf")], prompt_ids=[1])


def failing(turn):
    if turn.index == 1:
        raise RuntimeError("the model is gone \ud800")
    return turn.legal[0]


def look(cell: int) -> str:
    """Look at a cell."""
    return f"cell {cell} looks free\nand nice"


def photograph(cell: int) -> ToolOutput:
    """Take a picture of a cell."""
    return ToolOutput(f"a picture of {cell}", [_make_picture(cell)])


def _make_picture(number):
    return Picture.from_array(np.full((4, 4, 3), number * 20, np.uint8), f"cell {number}")


def photographing(turn):
    """Take a picture by a native call, then move."""
    if turn.index % 2 == 0:
        return Reply("", tool_calls=[call("photograph", '{"cell": 3}')])
    return turn.legal[0]


def calling(turn):
    """Call tools as an API does: several at once, some with broken arguments, more than count."""
    match turn.index % 5:
        case 0:
            calls = [call("look", '{"cell":1}', "a"), call("look", '{"cell": 2}', "b")]
        case 1:
            calls = [call("look", "{broken"), call("nothing", '["no", "object"]', "c2")]
        case 2:
            calls = [call("look", '{"cell": 1}', ""), call("look", '{"cell": 1}', "")]
        case 3:
            calls = [call("look", f'{{"cell": {n}}}', f"n{n}") for n in range(9)]
        case _:
            return legal(turn)
    return Reply("I look.", tool_calls=calls)


def calling_once(turn):
    """Look at one cell by a native call, then move."""
    if turn.index % 2 == 0:
        return Reply("", tool_calls=[call("look", '{"cell": 4}', f"call{turn.index:05}")])
    return turn.legal[0]


def writing_calls(turn):
    if turn.index % 2 == 0:
        return '<tool_call>{"name": "look", "arguments": {"cell": 1}}</tool_call>'
    return turn.legal[0]


def serving(turn):
    """Serve a customer of tau:shop by native calls of the game's own tools."""
    match turn.index % 3:
        case 0:
            calls = [call("list_all_product_types", "{}", f"c{turn.index}")]
            return Reply("", tool_calls=calls)
        case 1:
            return Reply("", tool_calls=[call("calculate", '{"expression": "1 + 1"}', "c")])
    return "What else?"


def _branch():
    (episode,) = rollout(TTT, "random", seed=3)
    env = gem_ma.make(episode.spec)
    env.reset(seed=episode.seed, options=episode.options)
    for step in episode.steps[:3]:
        env.step(step.reply)
    return rollout(env.fork(2, seed=1), "random", 2, seed=0, start="here")


MAKERS = {
    "turns": lambda: rollout(TTT, "random", 2, seed=0, group=2),
    "at the same time": lambda: rollout(SAME_TIME, "random", 2, seed=0, rounds=3),
    "one seat": lambda: rollout("game:GuessTheNumber-v0-easy", "random", seed=0),
    "hidden cards": lambda: rollout("game:KuhnPoker-v0", "random", 3, seed=0),
    "pictures": lambda: rollout(TTT, "random", 2, seed=0, observe="both", image_size=(42, 42)),
    "pictures alone": lambda: rollout(TTT, "random", seed=0, observe="image", image_size=(42, 42)),
    "hostile texts": lambda: rollout(TTT, hostile, 3, seed=0, max_turns=12),
    "forfeits": lambda: rollout(TTT, {"x": "random", "o": hostile}, 2, seed=0, invalid="lose"),
    "failures": lambda: rollout(TTT, {"x": "random", "o": failing}, 2, seed=0, max_errors=9),
    "thoughts": lambda: rollout(TTT, thinking, 2, seed=0),
    "tokens": lambda: rollout(TTT, sampled, 2, seed=0),
    "improbable tokens": lambda: rollout(TTT, improbable, seed=0),
    "contexts": lambda: rollout(TTT, "random", seed=0, context="turns=1"),
    "native calls": lambda: rollout(
        with_tools(gem_ma.make(TTT), look, max_calls=8), calling, 2, seed=0, max_errors=9
    ),
    "single calls": lambda: rollout(with_tools(gem_ma.make(TTT), look), calling_once, 2, seed=0),
    "pictures of tools": lambda: rollout(
        with_tools(gem_ma.make(TTT), photograph), photographing, seed=0
    ),
    "written calls": lambda: rollout(with_tools(gem_ma.make(TTT), look), writing_calls, 2, seed=0),
    "branches": _branch,
    "nothing was played": lambda: rollout(TTT, _fail_at_once, seed=0, max_errors=9),
}
TAU = {
    "calls of the game": lambda: rollout(
        "tau:shop", {"user": "random", "assistant": serving}, seed=0, max_turns=12
    ),
    "calls of the game, written": lambda: rollout("tau:shop", "random", seed=0, max_turns=12),
}
if "tau" in packs.HERE:
    MAKERS |= TAU
KINDS = tuple(MAKERS)


def _fail_at_once(turn):
    raise RuntimeError("no model")


@functools.cache
def record(kind):
    """Return the episodes of a kind, which nobody may change."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tuple(MAKERS[kind]())


def tell(episodes):
    """Return all that records of episodes say, without characters that no UTF-8 can hold."""
    return [to_plain_json(episode_to_json(episode)) for episode in episodes]


def draw(episodes):
    """Return the PNG files of the pictures in episodes."""
    return [
        picture.png
        for episode in episodes
        for step in episode.steps
        for picture in find_observation_pictures(step.observation)
    ]
