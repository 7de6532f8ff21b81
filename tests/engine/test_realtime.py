"""A world that goes on while its seats think: whose move comes when, and what it costs."""

import pickle
from typing import NamedTuple

import pytest

import gem_ma
from gem_ma import Env, Game, InvalidMove
from gem_ma.chat.reply import Reply
from gem_ma.engine.realtime import RealtimeClock, count_reply_tokens
from gem_ma.testing import check_env

LAST = 12


class State(NamedTuple):
    """Two boats that drift to the right, and are rowed to the left."""

    at: tuple[int, int] = (5, 5)
    time: int = 0

    def to_act(self):
        return ("a", "b") if self.time < LAST else ()

    def returns(self):
        return {"a": float(-self.at[0]) + 5, "b": float(-self.at[1]) + 5}

    def seen_by(self, agent):
        return self

    def legal(self, agent):
        return ("row",) if self.at["ab".index(agent)] > 5 else ("row", "dive")


class Boats(Game[State]):
    agents = ("a", "b")
    moves = ("row", "dive")
    realtime = True

    def start(self, rng, options):
        return State()

    def read(self, text, view, agent):
        if text not in view.legal(agent):
            raise InvalidMove(f"{text!r} is not possible here")
        return text

    def skip(self, view, agent):
        return None

    def advance(self, state, moves, rng):
        at = tuple(
            [x + 1 - 3 * (m == "row") for x, m in zip(state.at, moves.values(), strict=True)]
        )
        return State(at, state.time + 1)

    def tell(self, before, moves, after):
        said = [gem_ma.Message(None, who, move) for who, move in moves.items() if move]
        return [*said, gem_ma.Message(None, "game", f"it is {after.time}")]

    def rules(self, agent):
        return "Row."

    def describe(self, view, agent):
        return f"{view.at}"


def boats(clock="tokens:10", **settings):
    env = Env(Boats(), clock=clock, **settings)
    env.reset(seed=0)
    return env


def thought(text, count):
    return Reply(text, token_ids=[0] * count)


def test_who_thinks_longer_moves_later_and_less_often():
    env = boats()
    assert env.to_act == ("a", "b")
    env.step_seats({"a": thought("row", 10), "b": thought("row", 41)})  # 1 tick, and 5
    assert env.to_act == ("a",)
    assert env.game_state.world == State((3, 6), 1)
    env.step_seats({"a": thought("row", 20)})
    assert env.game_state.world == State((2, 8), 3)
    env.step_seats({"a": thought("row", 21)})  # b's reply is due before that
    assert env.to_act == ("b",)
    assert env.game_state.world == State((4, 7), 5)
    heard = [message.text for message in env.messages("b")]
    assert heard == ["row", "it is 1", "it is 2", "row", "it is 3", "it is 4", "row", "it is 5"]
    env.step_seats({"b": thought("row", 1000)})
    assert env.to_act == ("a",)
    assert env.game_state.world == State((2, 8), 6)
    env.step_seats({"a": thought("row", 1000)})
    assert env.to_act == ()
    assert env.game_state.world.time == LAST
    assert env.game.report(env.game_state) == {"time": LAST}


def test_without_a_latency_the_time_since_the_turn_counts():
    env = boats("seconds:60")
    env.step_seats({"a": "row", "b": "row"})
    assert env.game_state.world == State((3, 3), 1)  # no minute has passed: 1 tick


def test_what_cannot_be_done_any_more_is_not_done():
    env = boats()
    env.step_seats({"a": thought("dive", 25), "b": "row"})
    assert env.game_state.due == (("a", 3, "dive"),)
    env.step_seats({"b": thought("row", 60)})
    assert env.to_act == ("a",)
    assert [m.text for m in env.messages("a") if "late" in m.text] == [
        "'dive' came too late: 'dive' is not possible here."
    ]


def test_a_reply_that_is_invalid_takes_time_too():
    env = boats()
    env.step_seats({"a": thought("swim", 30), "b": thought("row", 10)})
    assert env.to_act == ("a",)
    assert env.game_state.time == 0
    env.step_seats({"a": thought("row", 10)})
    assert env.game_state.due == (("a", 4, "row"),)
    env = boats(invalid="skip")
    env.step_seats({"a": thought("swim", 30), "b": thought("row", 50)})
    assert env.to_act == ("a",)
    assert env.game_state.world == State((8, 8), 3)


def test_tokens_are_those_of_the_model_or_every_four_bytes():
    assert count_reply_tokens("row") == 1
    assert count_reply_tokens("I think. \\boxed{row}") == 5
    assert count_reply_tokens(thought("row", 7)) == 7
    assert count_reply_tokens(Reply("row", usage={"completion_tokens": 300})) == 300
    assert count_reply_tokens(3) == 1
    assert RealtimeClock.parse("tokens:20").count_ticks("", 9.0) == 1
    assert RealtimeClock.parse("seconds:0.5").count_ticks(Reply("row", latency=1.1), 9.0) == 3
    assert RealtimeClock.parse("seconds:0.5").count_ticks("row", 9.0) == 18
    assert RealtimeClock.parse("tokens:1").count_ticks("x" * 10**6, 0.0) == 10_000


@pytest.mark.parametrize(
    "clock", ["", "tokens", "tokens:0", "hours:1", "tokens:nan", "seconds:inf", 5]
)
def test_no_clock(clock):
    with pytest.raises(ValueError, match="length of a tick, such as 'tokens:20' or 'seconds:1'"):
        boats(clock)


def test_a_world_that_waits_has_no_clock():
    with pytest.raises(ValueError, match=r"is not a realtime game \(Game\.realtime is False\)"):
        gem_ma.make("game:TicTacToe-v0", clock="tokens:20")


@pytest.mark.parametrize("clock", ["tokens:1", "tokens:3"])
def test_the_contract(clock):
    check_env(Env(Boats(), clock=clock), seeds=2, processes=False)


def test_an_episode_is_the_same_again():
    def slow(turn):
        return thought("row", 10 * (1 + turn.seed % 5))

    env = Env(Boats(), clock="tokens:10")
    one, two = (gem_ma.rollout(env, slow, 4, seed=3, concurrency=c, progress=False) for c in (1, 4))
    assert [e.steps for e in one] == [e.steps for e in two]
    for episode in one:
        episode.replay(env)
    assert {len(e.steps) for e in one} != {2 * LAST}
    fork = boats()
    fork.step_seats({"a": thought("row", 30), "b": thought("row", 10)})
    for twin in (*fork.fork(2), pickle.loads(pickle.dumps(fork))):
        assert twin.game_state == fork.game_state
        twin.step_seats({"b": thought("row", 40)})
        assert twin.to_act == ("a",)
    snapshot = fork.snapshot()
    other = boats()
    other.restore(snapshot)
    assert other.game_state == fork.game_state


def test_seconds_are_on_the_record():
    env = Env(Boats(), clock="seconds:0.001")
    (episode,) = gem_ma.rollout(env, "random", 1, seed=0, progress=False)
    assert all(step.reply.latency >= 0 for step in episode.steps)
    episode.replay(env)
