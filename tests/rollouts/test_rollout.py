"""Many episodes at once: the same results whatever happens when, every failure on record."""

import asyncio
import contextlib
import inspect
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter
from dataclasses import MISSING, dataclass, fields
from functools import partial

import numpy as np
import pytest

import gem_ma
from gem_ma import Reply, SeatError, arollout, rollout
from gem_ma.agents import FunctionAgent, MixtureAgent, RandomAgent, load_agent
from gem_ma.chat.conversation import Step
from gem_ma.engine.seeding import derive_seed
from gem_ma.envs.boards.tic_tac_toe import TicTacToe
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.rollout import FailedEpisodesWarning, RolloutInterrupted
from gem_ma.rollouts.run import TooManyErrors
from gem_ma.tools import with_tools
from gem_ma.wrappers import ScaleReward, TimeLimit

ONE = "game:GuessTheNumber-v0-easy"
TWO = "game:TicTacToe-v0"
SAME_TIME = "game:RockPaperScissors-v0"
SECRETS = "game:KuhnPoker-v0"
MANY = "game:LiarsDice-v0"
ALL = [ONE, TWO, SAME_TIME, SECRETS, MANY, "game:ConnectFour-v0", "game:PrisonersDilemma-v0"]


class Slow:
    """Reply at random after a time that has nothing to do with the order of things."""

    def __init__(self):
        self.random = RandomAgent(5)
        self.now = self.most = 0

    async def act(self, turns):
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep((turns[0].seed % 7) / 5000)
        self.now -= 1
        return self.random.act(turns)

    def __repr__(self):
        return "RandomAgent(seed=5)"


class Batched:
    """Note how many turns come at once."""

    def __init__(self):
        self.sizes = []
        self.random = RandomAgent()

    def act(self, turns):
        self.sizes.append(len(turns))
        return self.random.act(turns)


@pytest.mark.parametrize("env", ALL)
def test_the_same_seed_gives_the_same_episodes_whatever_the_concurrency(env):
    runs = [rollout(env, "random", 12, seed=3, concurrency=c) for c in (1, 2, 5, 64)]
    assert all(run == runs[0] for run in runs)
    assert [episode.number for episode in runs[0]] == list(range(12))
    assert len({episode.seed for episode in runs[0]}) == 12
    assert rollout(env, "random", 12, seed=4) != runs[0]


@pytest.mark.parametrize("env", [TWO, SAME_TIME, MANY])
def test_replies_that_come_in_any_order_change_nothing(env):
    expected = rollout(env, RandomAgent(5), 30, seed=1)
    slow = Slow()
    for concurrency in (1, 7, 30):
        assert rollout(env, slow, 30, seed=1, concurrency=concurrency) == expected
    assert slow.most >= 10  # they were under way at the same time


def test_what_is_not_told_of_a_play_is_empty():
    for kind in (Episode, Step):
        defaults = [one.default for one in fields(kind) if one.default is not MISSING]
        assert len(defaults) >= 6
        assert not any(defaults)


def test_a_record_holds_what_happened():
    (episode,) = rollout(TWO, "random", seed=1, invalid="retry")
    env = gem_ma.make(TWO)
    env.reset(seed=derive_seed(1, 0))
    for step in episode.steps:
        assert step.agent == env.agent_selection
        turn = env.turn(step.agent)
        assert (step.observation, step.text) == (turn.observation, turn.text)
        assert step.move == str(env.game.read(step.reply, env.game_state, step.agent))
        assert step.seconds > 0
        env.step_seats({step.agent: step.reply})
    assert episode.ended == "terminated"
    assert episode.returns == env.game_state.returns()
    assert episode.agents == {"x": "random", "o": "random"}
    assert episode.rules == {"x": env.rules("x"), "o": env.rules("o")}
    assert episode.spec == gem_ma.Spec(TWO, "gem_ma.envs.boards.tic_tac_toe:TicTacToe", {})
    assert episode.version == gem_ma.__version__
    assert episode.id == "1-0"


@pytest.mark.parametrize("env", ALL)
def test_rewards_belong_to_the_last_reply_before_them(env):
    for episode in rollout(env, "random", 20, seed=2):
        for seat, value in episode.returns.items():
            steps = [step for step in episode.steps if step.agent == seat]
            assert sum(step.reward for step in steps) == pytest.approx(value)
    for episode in rollout("game:ConnectFour-v0", "random", 5, seed=2):
        paid = [(step.agent, step.reward) for step in episode.steps if step.reward]
        if paid:  # the winner by its last move, the loser by the one before
            assert sorted(reward for _, reward in paid) == [-1.0, 1.0]
            assert {seat for seat, _ in paid} == {"red", "yellow"}


def test_invalid_replies_are_data():
    def junk(turn):
        return "junk" if turn.index % 2 == 0 else turn.legal[0]

    (episode,) = rollout(TWO, junk, seed=0)
    bad = [step for step in episode.steps if step.invalid]
    assert bad
    assert all(step.move is None for step in bad)
    assert all(step.move is not None for step in episode.steps if not step.invalid)
    assert bad[0].invalid["policy"] == "retry"
    assert "junk" in bad[0].invalid["reason"]
    (lost,) = rollout(TWO, {"x": lambda turn: "junk", "o": "random"}, seed=0, invalid="lose")
    assert lost.forfeits == ("x",)
    assert lost.returns == {"x": -1.0, "o": 1.0}
    (drawn,) = rollout(TWO, {"x": lambda turn: "junk", "o": "random"}, seed=0, invalid="random")
    assert drawn.steps[0].move is not None
    assert drawn.steps[0].invalid


def test_all_that_waits_for_an_agent_is_one_batch():
    one = Batched()
    rollout(SAME_TIME, one, 20, seed=0, concurrency=20)
    assert one.sizes[0] == 40  # both seats of every episode
    a, b = Batched(), Batched()
    rollout(TWO, [a, b], 16, seed=0, concurrency=8)
    assert (a.sizes[0], b.sizes[0]) == (8, 8)
    assert max(a.sizes + b.sizes) == 8


def test_an_episode_waits_for_its_own_reply_only():
    """One reply takes until all other episodes are over; they must not wait for it."""
    done = asyncio.Event()

    async def slow_in_the_first(turn):
        if turn.episode == "0-0":
            await asyncio.wait_for(done.wait(), 30)
        return turn.legal[0]

    async def main():
        order = []
        async for episode in arollout(TWO, slow_in_the_first, 20, seed=0, concurrency=4):
            order.append(episode.number)
            if len(order) == 19:
                done.set()
        return order

    order = asyncio.run(main())
    assert order[-1] == 0
    assert sorted(order) == list(range(20))


def test_different_environments_in_one_call():
    episodes = rollout([ONE, SAME_TIME, gem_ma.make(TWO, max_turns=3)], "random", 9, seed=0)
    assert [e.spec.id for e in episodes] == [ONE, SAME_TIME, TWO] * 3
    assert [e.ended for e in episodes[2::3]] == ["truncated"] * 3
    by_seat = {"x": "random", "o": "random", "left": "random", "right": "random"}
    assert len(rollout([TWO, SAME_TIME], by_seat, 2, seed=0)) == 2


def test_seats_can_be_shuffled():
    episodes = rollout(TWO, ["random", "random:seed=1"], 200, seed=0, shuffle=True)
    first = Counter(episode.agents["x"] for episode in episodes)
    assert set(first) == {"random", "random:seed=1"}
    assert 60 < first["random"] < 140
    assert episodes == rollout(
        TWO, ["random", "random:seed=1"], 200, seed=0, shuffle=True, concurrency=3
    )
    assert all(len(set(episode.agents.values())) == 2 for episode in episodes)


def test_a_group_has_one_start_and_different_replies():
    episodes = rollout(SECRETS, "random", 40, seed=0, group=10)
    assert [episode.group for episode in episodes] == [n // 10 for n in range(40)]
    for group in range(4):
        members = episodes[10 * group : 10 * group + 10]
        assert len({episode.seed for episode in members}) == 1
        assert len({str(episode.steps[0].observation) for episode in members}) == 1
        assert len({tuple(step.reply for step in e.steps) for e in members}) > 1
    assert len({episode.seed for episode in episodes}) == 4


def test_options_go_to_reset():
    seen = []

    class Optioned(TicTacToe):
        def start(self, rng, options):
            seen.append(options)
            return super().start(rng, {})

    env = gem_ma.Env(Optioned())
    episodes = rollout(env, "random", 4, seed=0, options=[{"task": 1}, {"task": 2}], group=2)
    assert [o["task"] for o in seen if o] == [1, 1, 2, 2]
    assert [e.options for e in episodes] == [{"task": 1}] * 2 + [{"task": 2}] * 2


def test_agents_read_their_chat_and_the_context_cuts_it():
    lengths = []

    def read(turn):
        roles = [message["role"] for message in turn.messages]
        assert roles[0] == "system"
        assert roles[-1] == "user"
        assert turn.messages[-1]["content"] == turn.text
        lengths.append((turn.index, len(roles)))
        return "rock"

    (episode,) = rollout(SAME_TIME, {"left": read, "right": "random"}, seed=0, rounds=6)
    assert lengths == [(n, 2 + 2 * n) for n in range(6)]
    lengths.clear()
    cut = {"left": "turns=2"}
    (episode,) = rollout(
        SAME_TIME, {"left": read, "right": "random"}, seed=0, rounds=6, context=cut
    )
    assert [n for _, n in lengths] == [2, 4, 6, 6, 6, 6]
    assert episode.contexts == {"left": "turns=2"}
    assert len(episode.messages("left")) == 1 + 2 * 6  # the record is whole
    assert len(episode.chat("left").build_messages(5)) == 6


def test_a_failing_reply_costs_its_episode_only():
    def fails(turn):
        if turn.episode in ("0-3", "0-7") and turn.index == 1:
            raise ConnectionError(f"no server for {turn.episode}")
        return turn.legal[0]

    for agent in (fails, FunctionAgent(fails, workers=3)):
        episodes = rollout(TWO, [agent, "random"], 10, seed=0)
        assert [e.number for e in episodes if e.failure] == [3, 7]
        failed = episodes[3]
        assert failed.failure == ("x", "ConnectionError", "no server for 0-3")
        assert (failed.ended, failed.returns) == ("failed", {})
        assert len(failed.steps) == 2  # what came before is kept
        assert all(episode.returns for episode in episodes if not episode.failure)
    calls = Batched()
    with_both = rollout(TWO, {"x": fails, "o": calls}, 10, seed=0)
    assert sum(1 for e in with_both if not e.failure) == 8


@pytest.mark.parametrize("answer", [None, 3, b"5", ["5"]])
def test_a_reply_that_is_no_text_is_the_agents_failure(answer):
    (episode,) = rollout(TWO, lambda turn: answer, seed=0)
    assert episode.failure.kind == "TypeError"
    assert type(answer).__name__ in episode.failure.message


def test_an_agent_that_gives_too_few_replies_fails():
    class Lazy:
        def act(self, turns):
            return ["5"] * (len(turns) - 1)

    (episode,) = rollout(TWO, Lazy(), seed=0)
    assert "got 1 turns and gave 0 replies" in episode.failure.message


def test_rollout_says_what_it_takes():
    takes, asynchronous = (inspect.signature(one) for one in (gem_ma.rollout, gem_ma.arollout))
    assert takes.parameters == asynchronous.parameters
    assert takes.return_annotation == "list[Episode]"
    begin = "Play episodes and return them in order.\n\nArgs:\n    env: "
    assert inspect.getdoc(gem_ma.rollout).startswith(begin)
    assert set(gem_ma.__all__) < set(dir(gem_ma))


def test_failed_episodes_are_told_once_at_the_end():
    def act(turn):
        if int(turn.episode.rpartition("-")[2]) % 3 == 0:
            raise OSError(f"the line is down in {turn.episode}")
        return turn.legal[0]

    with pytest.warns(FailedEpisodesWarning) as told:
        episodes = rollout(TWO, act, 8, seed=5)
    (one,) = told
    assert str(one.message) == (
        "3 of 8 episodes failed, and have no returns; the first by OSError: the line is down in 5-0"
    )
    assert one.filename == __file__
    assert sum(episode.failure is not None for episode in episodes) == 3


def test_too_many_errors_name_the_commonest():
    def act(turn):
        number = int(turn.episode.rpartition("-")[2])
        raise OSError("down") if number in (1, 2, 3) else KeyError("lost")

    with pytest.raises(
        TooManyErrors, match=r"5 episodes failed \(max_errors=4\), 3 of them by OSError: down"
    ):
        rollout(TWO, act, 5, seed=5, max_errors=4)


def test_a_game_that_breaks_costs_its_episode_and_is_no_loss():
    class Broken(TicTacToe):
        def advance(self, state, moves, rng):
            if state.board.count(".") == 6:
                raise ZeroDivisionError("the rules are wrong")
            return super().advance(state, moves, rng)

    (episode,) = rollout(gem_ma.Env(Broken()), "random", seed=0)
    assert episode.failure == (None, "ZeroDivisionError", "the rules are wrong")
    assert episode.returns == {}


@pytest.mark.parametrize(("agent", "several"), [("random", 1), (lambda turn: None, 4)])
def test_an_environment_is_used_again_unless_its_episode_failed(agent, several):
    used = []

    class Noted(gem_ma.Env):
        def reset(self, seed=None, options=None):
            used.append(self)
            super().reset(seed, options)

    rollout(Noted(TicTacToe()), agent, 4, seed=0, concurrency=1)
    assert len(used) == 4
    assert len(set(map(id, used))) == several


def test_a_run_without_a_sandbox_names_none(monkeypatch):
    monkeypatch.setattr("gem_ma.sandbox.sandbox._used_levels", set())
    (episode,) = rollout(TWO, "random", seed=0)
    assert episode.sandbox == ""


@pytest.mark.parametrize("workers", [0, 2])
def test_too_many_failures_end_the_run_and_keep_what_is_done(workers, tmp_path):
    def fails(turn):
        if int(turn.episode.split("-")[1]) % 2:
            raise OSError("down")
        return turn.legal[0]

    out = tmp_path / "out.jsonl"
    agent = FunctionAgent(fails, workers=workers)
    with pytest.raises(
        TooManyErrors, match=r"4 episodes failed \(max_errors=3\).*OSError: down"
    ) as e:
        rollout(TWO, agent, 100, seed=0, concurrency=2, max_errors=3, out=out)
    assert isinstance(e.value.__cause__, OSError)
    assert sum(1 for episode in e.value.episodes if episode.failure) == 4
    assert sum(1 for episode in e.value.episodes if not episode.failure) >= 2
    assert sorted(x.id for x in gem_ma.load_episodes(out)) == sorted(x.id for x in e.value.episodes)


def test_ctrl_c_keeps_what_is_done(tmp_path):
    def interrupts(turn):
        if turn.episode == "0-20":
            os.kill(os.getpid(), signal.SIGINT)
        return turn.legal[0]

    async def interrupts_too(turn):
        return interrupts(turn)

    for number, agent in enumerate((interrupts, interrupts_too)):
        out = tmp_path / f"{number}.jsonl"
        with pytest.raises(RolloutInterrupted) as stopped:
            rollout(TWO, agent, 100, seed=0, concurrency=4, out=out)
        assert isinstance(stopped.value, KeyboardInterrupt)
        assert 10 <= len(stopped.value.episodes) < 30
        assert not any(episode.failure for episode in stopped.value.episodes)
        assert list(gem_ma.load_episodes(out)) != []
        again = rollout(TWO, "random", 0, seed=0)
        assert again == []


def test_leaving_an_asynchronous_run_early_leaves_nothing_running():
    async def main():
        slow = Slow()
        async with contextlib.aclosing(arollout(TWO, slow, 50, seed=0, concurrency=10)) as run:
            async for _ in run:
                break
            assert len(asyncio.all_tasks()) > 1
        return len(asyncio.all_tasks())

    assert asyncio.run(main()) == 1


def test_in_a_running_loop_as_in_a_notebook():
    async def main():
        return rollout(TWO, Slow(), 3, seed=0)

    assert asyncio.run(main()) == rollout(TWO, RandomAgent(5), 3, seed=0)


def test_ctrl_c_in_a_running_loop():
    async def interrupts(turn):
        await asyncio.sleep(0.001)
        if turn.episode == "0-20":
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(30)
        return turn.legal[0]

    async def main():
        with pytest.raises(RolloutInterrupted) as stopped:
            rollout(TWO, interrupts, 100, seed=0, concurrency=4)
        return len(stopped.value.episodes)

    loop = asyncio.new_event_loop()  # a loop that leaves Ctrl-C alone, as a notebook's does
    try:
        assert 10 <= loop.run_until_complete(asyncio.wait_for(main(), 20)) < 40
    finally:
        loop.close()


def test_functions_that_wait_run_at_the_same_time():
    together = threading.Barrier(4)

    def waits(turn):
        together.wait(timeout=20)
        return turn.legal[0]

    agent = FunctionAgent(waits, workers=4)
    episodes = rollout(ONE, agent, 4, seed=0, concurrency=4, max_turns=1)
    assert not any(episode.failure for episode in episodes)


def test_a_blocking_game_runs_in_a_thread():
    main, seen = threading.get_ident(), set()

    class Remote(TicTacToe):
        blocking = True

        def advance(self, state, moves, rng):
            seen.add(threading.get_ident())
            time.sleep(0.001)
            return super().advance(state, moves, rng)

    episodes = rollout(gem_ma.Env(Remote(), id=TWO), "random", 6, seed=3, concurrency=3)
    assert main not in seen
    expected = rollout(TWO, "random", 6, seed=3)
    assert [e.steps for e in episodes] == [e.steps for e in expected]


def test_a_blocking_agent_gets_batches_while_others_wait():
    class Model(Batched):
        blocking = True

        def act(self, turns):
            time.sleep(0.01)
            return super().act(turns)

    model = Model()
    episodes = rollout(TWO, [model, Slow()], 32, seed=0, concurrency=16)
    assert not any(episode.failure for episode in episodes)
    assert max(model.sizes) > 4


def test_wrappers_count():
    env = TimeLimit(ScaleReward(gem_ma.make(TWO), 3.0), 4)
    episodes = rollout(env, "random", 3, seed=0)
    assert {episode.ended for episode in episodes} == {"truncated"}
    assert episodes[0].wrappers == ("TimeLimit", "ScaleReward")
    env = ScaleReward(gem_ma.make(TWO), 3.0)
    assert {abs(r) for e in rollout(env, "random", 9, seed=0) for r in e.returns.values()} <= {0, 3}
    with pytest.raises(ValueError, match="wrapped by TimeLimit in ScaleReward; pass such"):
        episodes[0].replay()
    episodes[0].replay(TimeLimit(ScaleReward(gem_ma.make(TWO), 3.0), 4))


def test_what_was_given_is_left_as_it_was():
    env = gem_ma.make(TWO)
    env.reset(seed=5)
    env.step("5")

    def stands():
        point = env.snapshot().point
        return {name: getattr(point, name) for name in point.__slots__}, env.agent_selection

    before = stands()
    with pytest.warns(UserWarning, match="at turn 1: the rollout resets copies .* start='here'"):
        rollout(env, "random", 5, seed=0)
    assert stands() == before
    env.reset(seed=5)
    rollout(env, "random", 1, seed=0)  # nothing was done in it


def test_global_randomness_is_left_alone():
    np.random.seed(0)
    state = np.random.get_state()[1].copy()
    rollout(MANY, "random", 5)
    assert np.array_equal(np.random.get_state()[1], state)


def test_named_errors():
    with pytest.raises(SeatError, match="nobody plays o of game:TicTacToe-v0"):
        rollout(TWO, {"x": "random"})
    with pytest.raises(SeatError, match="agents: no seat 'y'; the seats are o, x"):
        rollout(TWO, {"x": "random", "o": "random", "y": "random"})
    with pytest.raises(SeatError, match=r"got 3 agents, but .* has 2 seats: x, o"):
        rollout(TWO, ["random"] * 3)
    with pytest.raises(SeatError, match="context: no seat 'z'"):
        rollout(TWO, "random", context={"z": "turns=1"})
    with pytest.raises(TypeError, match="expected a Context or a text, got 3"):
        rollout(TWO, "random", context=3)
    with pytest.raises(TypeError, match="this environment is made already"):
        rollout(gem_ma.make(TWO), "random", rounds=3)
    with pytest.raises(gem_ma.UnknownArgument, match="got an unexpected keyword argument 'sede'"):
        rollout(TWO, "random", sede=3)
    with pytest.raises(TypeError, match="not a view of one"):
        rollout(gem_ma.make_parallel(TWO), "random")
    with pytest.raises(ValueError, match="concurrency=0"):
        rollout(TWO, "random", concurrency=0)
    with pytest.raises(ValueError, match="resume=True needs the file to resume"):
        rollout(TWO, "random", resume=True)
    with pytest.raises(ValueError, match="empty list of environments"):
        rollout([], "random")


def test_a_reply_with_tool_calls_acts_by_them():
    env = gem_ma.make(TWO)
    env.reset(seed=0)
    call = {"id": "c", "type": "function", "function": {"name": "mark", "arguments": '{"cell": 5}'}}
    env.step(Reply("5", tool_calls=[call]))
    reason = env.info("x")["invalid"]["reason"]
    assert '{"name": "mark", "arguments": {"cell": 5}}' in reason


KILLED = """
import sys
from gem_ma import rollout
rollout("game:ConnectFour-v0", "random", {count}, seed=11, concurrency=32, observe={observe!r},
        out=sys.argv[1], resume=True)
"""


@pytest.mark.parametrize("count", [200, pytest.param(2_000, marks=pytest.mark.slow)])
def test_killed_and_resumed_every_episode_is_there_once(tmp_path, count):
    out = tmp_path / "out.jsonl"
    code = KILLED.format(observe="text", count=count)
    kills = 0
    for _ in range(3):
        size = out.stat().st_size if out.exists() else 0
        run = subprocess.Popen([sys.executable, "-c", code, str(out)])
        while run.poll() is None and (
            not out.exists() or out.stat().st_size < size + 1_000 * count
        ):
            time.sleep(0.005)
        if run.poll() is None:
            run.send_signal(signal.SIGKILL)
            kills += 1
        run.wait()
    assert kills >= 2
    with out.open("ab") as file:  # what a write that was cut off leaves
        file.write(b'{"gem_ma": 1, "id": "11-')
    resumed = rollout(
        "game:ConnectFour-v0", "random", count, seed=11, concurrency=7, out=out, resume=True
    )
    assert [episode.number for episode in resumed] == list(range(count))
    assert sorted(e.number for e in gem_ma.load_episodes(out)) == list(range(count))
    assert resumed == rollout("game:ConnectFour-v0", "random", count, seed=11)


def test_resuming_plays_what_failed_again_and_refuses_another_run(tmp_path):
    out = tmp_path / "out.jsonl"
    up = []

    def agent(turn):
        if turn.episode == "0-2" and not up:
            raise OSError("down")
        return turn.legal[0]

    first = rollout(TWO, agent, 5, seed=0, out=out)
    assert first[2].failure
    up.append(True)
    second = rollout(TWO, agent, 8, out=out, resume=True)  # the seed is in the file
    assert [e.number for e in second] == list(range(8))
    assert not any(e.failure for e in second)
    assert second[:2] == first[:2]
    assert sorted(e.number for e in gem_ma.load_episodes(out)) == list(range(8))
    for change, words in (
        ({"seed": 1}, "the file has seed=0, this run has seed=1 (episode 0)"),
        ({"invalid": "lose"}, "the file has no invalid, this run has invalid='lose'"),
        ({"context": "turns=1"}, "the file has contexts={}, this run has contexts={"),
        ({"agents": "random"}, ", this run has agents='x=random,o=random'"),
        ({"env": "game:Nim-v0"}, f"the file has {TWO}, this run has game:Nim-v0"),
    ):
        arguments = {"env": TWO, "agents": agent, "seed": 0, **change}
        with pytest.raises(ValueError, match=f"comes from another run: .*{re.escape(words)}"):
            rollout(episodes=8, out=out, resume=True, **arguments)
    with pytest.raises(ValueError, match="the file has no tool, this run has python for o, python"):
        rollout(with_tools(gem_ma.make(TWO), "python"), agent, 8, out=out, resume=True)
    with pytest.raises(FileExistsError, match="pass resume=True to continue it"):
        rollout(TWO, agent, 8, seed=0, out=out)


def test_progress_is_quiet_where_there_is_no_terminal(capfd):
    rollout(TWO, "random", 3, seed=0)
    assert capfd.readouterr() == ("", "")
    rollout(TWO, "random", 3, seed=0, progress=True)
    shown = capfd.readouterr().err
    assert "3/3" in shown
    assert "episodes/s" in shown


class Plain:
    """Has no repr of its own."""

    def __init__(self, move=0):
        self.move = move

    def act(self, turns):
        return [turn.legal[self.move] for turn in turns]

    def one(self, turn):
        return turn.legal[self.move]

    def __call__(self, turn):
        return turn.legal[self.move]


@dataclass
class Around:
    """Has a repr that holds another's."""

    inner: object

    def act(self, turns):
        return [turn.legal[0] for turn in turns]


HERE = __name__
NAMED = (
    (Plain, f"{HERE}.Plain"),
    (lambda: Plain(1), f"{HERE}.Plain"),
    (lambda: Plain().one, f"FunctionAgent({HERE}.Plain.one)"),
    (lambda: Around(Plain()), f"Around(inner={HERE}.Plain)"),
    (lambda: Around(lambda turn: ""), "Around(inner=<function <lambda>.<locals>.<lambda>>)"),
    (
        lambda: Around(partial(len, [Plain()])),
        f"Around(inner=functools.partial(<built-in function len>, [{HERE}.Plain]))",
    ),
    (lambda: lambda turn: turn.legal[0], f"FunctionAgent({HERE}.<lambda>.<locals>.<lambda>)"),
    (lambda: partial(Plain.one, Plain()), "FunctionAgent(functools.partial)"),
    (
        lambda: MixtureAgent([Plain(), Plain().one, "random"]),
        f"MixtureAgent([{HERE}.Plain, FunctionAgent({HERE}.Plain.one), RandomAgent(seed=0)], "
        "weights=(1, 1, 1), per='turn', seed=0)",
    ),
)


@pytest.mark.parametrize(("made", "name"), NAMED)
def test_an_agent_has_the_same_name_in_every_process(made, name, tmp_path):
    first, second = made(), made()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("default")
        warnings.simplefilter("ignore", FailedEpisodesWarning)
        (episode,) = rollout(TWO, {"x": first, "o": "random"}, 1, seed=0, out=tmp_path / "a.jsonl")
        assert episode.agents["x"] == name
        assert "0x" not in (tmp_path / "a.jsonl").read_text()
        done = rollout(
            TWO, {"x": second, "o": "random"}, 2, seed=0, out=tmp_path / "a.jsonl", resume=True
        )
    assert done[0] == episode
    told = [str(one.message) for one in said]
    assert len(told) == (repr(load_agent(first)) != name)  # once, and only where it is so
    assert all("needs a __repr__ that shows them" in one for one in told)


def test_an_agent_without_a_name_of_its_own_is_no_news_where_nothing_is_kept():
    rollout(TWO, {"x": Plain(), "o": "random"}, 1, seed=0)


@pytest.mark.slow
def test_killed_thirty_times_at_random_moments(tmp_path):
    """Whatever was being written: no episode is lost, none is there twice, none is another."""
    out, count, kills = tmp_path / "out.jsonl", 4_000, 0
    rng = random.Random(0)
    code = KILLED.format(observe="text", count=count)
    for _ in range(30):
        run = subprocess.Popen([sys.executable, "-c", code, str(out)])
        size = out.stat().st_size if out.exists() else 0
        while run.poll() is None and (not out.exists() or out.stat().st_size <= size):
            time.sleep(0.005)  # an interpreter takes its time to start
        time.sleep(rng.random() * 0.1)
        if run.poll() is None:
            run.send_signal(signal.SIGKILL)
            kills += 1
        run.wait()
        assert out.read_bytes().count(b"\n") <= count
    assert kills >= 25
    resumed = rollout("game:ConnectFour-v0", "random", count, seed=11, out=out, resume=True)
    assert sorted(e.number for e in gem_ma.load_episodes(out)) == list(range(count))
    assert resumed == rollout("game:ConnectFour-v0", "random", count, seed=11)


def test_a_clock_that_jumps_changes_no_episode(tmp_path, monkeypatch):
    """The time of day goes back by a year, stands, and leaps, while episodes are played."""
    true = rollout("game:ConnectFour-v0", "random", 20, seed=4)
    rng = random.Random(1)

    def jump():
        return 1.7e9 + rng.uniform(-3e7, 3e7)

    monkeypatch.setattr(time, "time", jump)
    monkeypatch.setattr(time, "time_ns", lambda: int(jump() * 1e9))
    out = tmp_path / "out.jsonl"
    first = rollout("game:ConnectFour-v0", "random", 10, seed=4, out=out)
    found = rollout("game:ConnectFour-v0", "random", 20, seed=4, out=out, resume=True)
    assert found == true
    assert found[:10] == first
    assert min(one.seconds for one in found) >= 0
    assert max(one.seconds for one in found) < 60
    steps = [step for one in found for step in one.steps]
    assert not [step for step in steps if (getattr(step.reply, "latency", None) or 0) < 0]
