"""Tools around an environment: who may call, what comes back, what it costs."""

import json
import pickle

import numpy as np
import packs
import pytest

import gem_ma
from gem_ma.agents import load_agent
from gem_ma.chat.messages import ToolOutput, find_tool_pictures
from gem_ma.renderers.picture import Picture
from gem_ma.rollouts.records import load_episodes, save_episodes
from gem_ma.testing import check_env
from gem_ma.tools import Tool, ToolEnv, ToolError, function_tool, with_tools
from gem_ma.wrappers import RecordEpisodeStatistics, TextHistory


def schema(name, description, **properties):
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


class Adder:
    """Adds two numbers, and remembers nothing."""

    name = "add"
    schema = schema("add", "Add two numbers.", a={"type": "integer"}, b={"type": "integer"})

    def call(self, arguments, past):
        try:
            return str(arguments["a"] + arguments["b"])
        except (KeyError, TypeError):
            raise ToolError("a and b must be numbers") from None


class Counter:
    """Says how often it was called before, from the past it is given."""

    name = "count"
    fence_language = "text"
    schema = schema("count", "Count.", note={"type": "string"})

    def call(self, arguments, past):
        return f"{len(past)} before, the last said {past[-1][1]!r}" if past else "none before"


def called(name, **arguments):
    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"


def started(tools=None, id="game:TicTacToe-v0", **limits):
    env = with_tools(gem_ma.make(id), tools or [Adder(), Counter()], **limits)
    env.reset(seed=0)
    return env


def test_a_call_is_answered_to_the_seat_that_made_it_and_is_no_move():
    env = started()
    assert isinstance(Adder(), Tool)
    assert "- add(a, b): Add two numbers." in env.observe("x")["text"]
    env.step(f"<think>2 and 3</think>I add. {called('add', a=2, b=3)}")
    assert env.agent_selection == "x"
    assert env.turns == 0
    assert env.rewards == {"x": 0.0, "o": 0.0}
    assert env.observe("x")["text"].startswith("tool: 5\n")
    assert "tool: 5" not in env.observe("o")["text"]
    env.step("4")
    assert env.agent_selection == "o"
    assert "tool: 5" not in env.observe("o")["text"]
    assert env.game_state.board == "....x...."


def test_who_calls_a_tool_breaks_the_rounds_of_pettingzoos_conversion():
    skips = gem_ma.make("game:RockPaperScissors-v0", invalid="skip")
    assert skips.metadata["is_parallelizable"] is True
    assert with_tools(skips, [Adder()]).metadata["is_parallelizable"] is False
    alone = gem_ma.make("game:GuessTheNumber-v0")
    assert with_tools(alone, [Adder()]).metadata["is_parallelizable"] is True


def test_only_some_seats_have_tools():
    env = started({"o": [Adder()]})
    assert "tool_call" not in env.rules("x")
    assert env.tools("x") == ()
    assert [tool.name for tool in env.tools("o")] == ["add"]
    env.step(called("add", a=1, b=1))
    assert "is not a legal move" in env.infos["x"]["invalid"]["reason"]
    env.step("0")
    env.step(called("add", a=1, b=1))
    assert "tool: 2" in env.observe("o")["text"]


def test_several_calls_keep_their_order_and_native_calls_are_calls():
    env = started()
    env.step(called("add", a=1, b=1) + called("count") + called("add", a=5, b=5))
    assert env.turn("x").results == ("2", "none before", "10")
    call = {"id": "1", "function": {"name": "add", "arguments": '{"a": 1, "b": 2}'}}
    env.step(gem_ma.Reply("whatever", tool_calls=[call]))
    assert env.turn("x").results == ("3",)


def test_a_fenced_block_is_a_call_unless_an_action_follows():
    env = started()
    env.step("So:\n```text\nhello\n```")
    assert env.turn("x").results == ("none before",)
    env.step("```text\nhello\n```\nTherefore \\boxed{3}")
    assert env.game_state.board[3] == "x"
    env.step("```python\nprint(1)\n```")  # no tool speaks it
    assert "invalid" in env.infos["o"]


@pytest.mark.parametrize("observe", ["image", "both", "text"])
@pytest.mark.parametrize("native", [True, False])
def test_a_picture_of_a_tool_stands_in_the_chat_of_a_seat_that_sees(observe, native, tmp_path):
    photo = Picture.from_array(np.full((600, 800, 3), 7, np.uint8), "a photo")

    @function_tool
    def look() -> Picture:
        """Look."""
        return photo

    heard = []

    def agent(turn):
        heard.append([*turn.messages])
        if turn.seat != "x" or turn.results:
            return turn.legal[0]
        call = {"id": "1", "function": {"name": "look", "arguments": "{}"}}
        return gem_ma.Reply(tool_calls=[call]) if native else called("look")

    env = ToolEnv(gem_ma.make("game:TicTacToe-v0", observe=observe), {"x": [look]})
    (episode,) = gem_ma.rollout(env, agent, 1, seed=1, progress=False)
    assert episode.failure is None
    (message, *_) = [one for one in heard[1] if "a photo" in str(one["content"])]
    assert message["role"] == ("tool" if native else "user")
    parts = message["content"] if not isinstance(message["content"], str) else ()
    assert [one for one in parts if one == photo] == ([] if observe == "text" else [photo])
    assert heard[1][-1]["role"] == "user" or observe == "text"
    save_episodes([episode], tmp_path / "a.jsonl")
    (kept,) = load_episodes(tmp_path / "a.jsonl")
    assert [step.results for step in kept.steps] == [step.results for step in episode.steps]
    assert pickle.loads(pickle.dumps(episode)).steps[1].results == ("a photo",)
    shown = pickle.loads(pickle.dumps(ToolOutput("a", [photo])))
    assert (shown, find_tool_pictures(shown)) == ("a", (photo,))


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (called("sub", a=1), "Error: no tool 'sub'; the tools are add, count"),
        (called("add", a="x", b=1), "Error: a and b must be numbers"),
        (called("add"), "Error: a and b must be numbers"),
        ("<tool_call>add(1, 2)</tool_call>", "Error: that is no tool call; the form is"),
        ("<tool_call>{", "Error: that is no tool call; the form is"),
        (
            '<tool_call>{"name": "add", "arguments": [1]}</tool_call>',
            "Error: the arguments must be",
        ),
        (
            gem_ma.Reply(tool_calls=[{"function": {"name": "add", "arguments": "{"}}]),
            "no JSON: '{'",
        ),
    ],
)
def test_a_bad_call_is_answered_with_what_is_wrong(reply, said):
    env = started(error_reward=-0.25, reward=1.0)
    env.step(reply)
    assert said in env.turn("x").results[0]
    assert env.rewards == {"x": -0.25, "o": 0.0}


def test_a_tool_gets_the_earlier_calls_of_its_seat():
    env = started()
    env.step(called("count", note="one"))
    env.step(called("add", a=1, b=1))
    env.step(called("count", note="two"))
    assert env.turn("x").results == ("1 before, the last said 'none before'",)
    env.step("0")
    env.step(called("count"))
    assert env.turn("o").results == ("none before",)


def test_too_many_calls_are_an_invalid_reply():
    env = started(max_calls=2)
    env.step(called("add", a=1, b=1))
    env.step(called("add", a=1, b=1) * 2)
    assert "only 2 tool calls are allowed before an action" in env.infos["x"]["invalid"]["reason"]
    env.step(called("add", a=1, b=1))
    assert env.turn("x").results == ("2",)
    for _ in range(3):
        env.step(called("add", a=1, b=1))
    assert env.terminations == {"x": True, "o": True}
    assert env.rewards == {"x": -1.0, "o": 1.0}


def test_a_move_gives_new_calls_and_the_episode_has_its_own_limit():
    env = started(max_calls=1, max_calls_per_episode=2)
    for move in "03":
        env.step(called("add", a=1, b=1))
        env.step(move)
        env.step(str(int(move) + 1))
    env.step(called("add", a=1, b=1))
    assert "only 2 tool calls are allowed in all" in env.infos["x"]["invalid"]["reason"]
    env.reset(seed=0)
    env.step(called("add", a=1, b=1))
    assert env.turn("x").results == ("2",)


def test_calls_can_be_rewarded():
    env = started(reward=0.5)
    env.step(called("add", a=1, b=1) * 2)
    assert env.last()[1] == 1.0
    assert env.rewards == {"x": 1.0, "o": 0.0}
    env.step("0")
    env.step("1")
    assert env.last()[1] == 0.0


def test_a_seat_that_calls_lets_the_others_of_its_round_go_on():
    env = started(id="game:RockPaperScissors-v0", tools={"left": [Adder()]}).parallel()
    _, rewards, *_ = env.step({"left": called("add", a=1, b=1), "right": "paper"})
    assert rewards == {"left": 0.0, "right": 0.0}
    assert env.env.to_act == ("left",)
    _, rewards, *_ = env.step({"left": "scissors"})
    assert rewards == {"left": 1.0, "right": -1.0}


def test_in_gymnasiums_view():
    env = started(tools={"x": [Adder()]}).gym("x", others="random")
    text, _ = env.reset(seed=1)
    text, reward, terminated, *_ = env.step(called("add", a=20, b=3))
    assert "tool: 23" in text
    assert (reward, terminated) == (0.0, False)
    text, *_ = env.step("4")
    assert "o: " in text


def test_forks_and_snapshots_keep_what_was_called():
    env = started(max_calls=2)
    env.step(called("count"))
    fork = env.fork()[0]
    point = pickle.loads(pickle.dumps(env.snapshot()))
    for one in (env, fork):
        one.step(called("count"))
        assert one.turn("x").results == ("1 before, the last said 'none before'",)
    env.step("0")
    env.restore(point)
    env.step(called("count"))
    assert env.turn("x").results == ("1 before, the last said 'none before'",)


def test_long_results_are_cut():
    class Long(Counter):
        def call(self, arguments, past):
            return "ä" * 1_000_000

    env = started([Long()], result_length=1_000)
    env.step(called("count"))
    assert len(env.turn("x").results[0].encode()) <= 1_000


@packs.needs("tau")
def test_a_games_own_tools_stay():
    env = with_tools(gem_ma.make("tau:shop"), {"assistant": [Adder()]})
    env.reset(seed=0)
    names = [
        schema["function"]["name"]
        for schema in gem_ma.chat.conversation.make_tool_schemas(env.tools("assistant"))
    ]
    assert "add" in names
    assert len(names) > 2
    env.step("Hello, I need help.")
    assert env.agent_selection == "assistant"
    env.step(called("add", a=1, b=1))
    assert env.turn("assistant").results == ("2",)
    env.step(called("get_order_details", order_id="nothing"))
    assert "rror" in env.turn("assistant").results[0]


@packs.needs("tau")
def test_a_call_of_the_game_beside_one_of_ours_is_said_to_be_not_run():
    env = with_tools(gem_ma.make("tau:shop"), {"assistant": [Adder()]})
    env.reset(seed=0)
    env.step("Hello, I need help.")
    both = [("add", {"a": 1, "b": 1}), ("calculate", {"expression": "1"}), ("fly", {})]
    calls = [{"id": name, "function": {"name": name, "arguments": a}} for name, a in both]
    env.step(gem_ma.Reply("", tool_calls=calls))
    sum_, theirs, none = env.turn("assistant").results
    assert sum_ == "2"
    assert theirs == "Error: calculate was not run: call it in a reply of its own"
    assert none.startswith("Error: no tool 'fly'; the tools are add, ")
    assert "calculate" in none
    assert env.game_state.calls == ()


@packs.needs("tau")
def test_where_one_call_counts_others_are_no_calls():
    env = with_tools(gem_ma.make("tau:shop", strict=True), {"assistant": [Adder()]})
    chat = gem_ma.chat.conversation.Conversation("assistant")
    env.reset(seed=0)
    env.step("Hello, I need help.")
    env.turn("assistant", chat)
    one, other = (
        {"id": str(n), "function": {"name": name, "arguments": arguments}}
        for n, (name, arguments) in enumerate(
            [("add", {"a": 1, "b": 1}), ("calculate", {"expression": "2"})]
        )
    )
    for calls, result in (([one, other], "2"), ([other, one], "2.0")):
        chat.steps[-1].reply = gem_ma.Reply("", tool_calls=calls)
        env.step(chat.steps[-1].reply)
        turn = env.turn("assistant", chat)
        assert turn.results == (result,)
        *_, said, answer = turn.messages
        assert said["tool_calls"] == calls[:1]
        assert (answer["role"], answer["content"]) == ("tool", result)


class Calls:
    """Calls once in native form before every move, and then plays at random."""

    def __init__(self):
        self.random = load_agent("random")

    def act(self, turns):
        replies = []
        for turn, reply in zip(turns, self.random.act(turns), strict=True):
            if not turn.results:
                call = {"id": "c", "function": {"name": "add", "arguments": {"a": 1, "b": 1}}}
                reply = gem_ma.Reply("", tool_calls=[call])
            replies.append(reply)
        return replies


def test_rollouts_record_calls_and_results():
    env = with_tools(gem_ma.make("game:TicTacToe-v0"), {"x": [Adder()]}, reward=0.125)
    (episode,) = gem_ma.rollout(env, {"x": Calls(), "o": "random"}, seed=3)
    assert episode.wrappers == ("ToolEnv",)
    assert episode.tools["x"][0]["function"]["name"] == "add"
    calls = [step for step in episode.steps if step.agent == "x" and step.reply == ""]
    moved = [step for step in episode.steps if step.agent == "x" and step.reply != ""]
    assert len(calls) >= len(moved) >= 3
    assert all(step.move is None and step.reward == 0.125 for step in calls)
    assert all(step.results == ("2",) for step in moved)
    roles = [message["role"] for message in episode.messages("x")]
    assert roles[:6] == ["system", "user", "assistant", "tool", "user", "assistant"]
    assert episode.replay(env).returns == episode.returns


def test_other_wrappers_go_around_and_inside():
    env = RecordEpisodeStatistics(TextHistory(ToolEnv(gem_ma.make("game:TicTacToe-v0"), [Adder()])))
    env.reset(seed=0)
    env.step(called("add", a=2, b=2))
    text = env.observe("x")["text"]
    assert "tool: 4" in text
    assert "<tool_call>" in text
    check_env(ToolEnv(gem_ma.make("game:ConnectFour-v0"), [Adder()]), seeds=1)


def test_wrong_arguments_are_named():
    env = gem_ma.make("game:TicTacToe-v0")
    with pytest.raises(gem_ma.SeatError, match="no seat 'z'; the seats are x, o"):
        with_tools(env, {"z": [Adder()]})
    with pytest.raises(ValueError, match="tools of x: two have the same name: add"):
        with_tools(env, [Adder(), Adder()])
    with pytest.raises(ValueError, match="max_calls=0"):
        with_tools(env, [Adder()], max_calls=0)
    with pytest.raises(gem_ma.SeatError, match="actions='text'"):
        with_tools(gem_ma.make("game:TicTacToe-v0", actions="discrete"), [Adder()])


def test_one_tool_or_function_is_taken_as_it_is():
    def double(n: int) -> int:
        """Double a number."""
        return 2 * n

    env = gem_ma.make("game:TicTacToe-v0")
    for given in (double, [double], {"x": double}):
        assert [tool.name for tool in with_tools(env, given).tools("x")] == ["double"]
    assert [tool.name for tool in with_tools(env, Adder()).tools("o")] == ["add"]


def test_slow_tools_belong_into_a_thread():
    class Slow(Adder):
        blocking = True

    env = gem_ma.make("game:TicTacToe-v0")
    assert not env.blocking
    assert not with_tools(env, [Adder()]).blocking
    assert RecordEpisodeStatistics(with_tools(env, {"o": [Slow()]})).blocking
