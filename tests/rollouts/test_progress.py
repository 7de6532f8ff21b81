"""Signs of life: turns and tokens are counted as they come, whoever plays."""

import time

from gem_ma import Reply, make, rollout
from gem_ma.agents import SearchAgent
from gem_ma.rollouts import progress
from gem_ma.rollouts.progress import ProgressReporter, RolloutProgress

TWO = "game:TicTacToe-v0"


def test_turns_and_tokens_are_counted_before_an_episode_ends():
    seen = []
    shown = RolloutProgress(2, drawn=False)

    def reply(turn):
        seen.append((shown.turns, shown.tokens, shown.done))
        return Reply(turn.legal[0], usage={"completion_tokens": 3})

    episodes = rollout(TWO, reply, 2, seed=0, concurrency=1, progress=shown)
    assert seen[:3] == [(0, 0, 0), (1, 3, 0), (2, 6, 0)]
    assert shown.turns == sum(len(episode.steps) for episode in episodes)
    assert shown.done == shown.played == 2
    assert f"{shown.turns} turns (" in shown.format_line()
    assert f"{3 * shown.turns} tokens (" in shown.format_line()
    shown.stop()


def test_workers_tell_of_their_turns():
    shown = RolloutProgress(6, drawn=False)
    episodes = rollout(TWO, "random", 6, seed=0, workers=2, progress=shown)
    assert shown.turns == sum(len(episode.steps) for episode in episodes)
    shown.stop()


def test_what_was_played_before_says_nothing_of_the_pace(tmp_path):
    given = {"seed": 0, "out": tmp_path / "a.jsonl", "resume": True}
    rollout(TWO, "random", 3, **given, progress=False)
    shown = RolloutProgress(4, drawn=False)
    rollout(TWO, "random", 4, **given, progress=shown)
    assert (shown.done, shown.played) == (4, 1)
    shown.stop()


def test_lines_come_while_nothing_ends(monkeypatch, capfd):
    monkeypatch.setattr(progress, "LINE_INTERVAL", 0.05)

    def slow(turn):
        time.sleep(0.03)
        return turn.legal[0]

    rollout(TWO, slow, 1, seed=0, progress=True)
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) > 2
    assert lines[0].startswith("0/1  0 s  ")
    assert lines[-1].startswith("1/1  ")


def test_a_slow_agent_that_replies_one_by_one_lets_others_go_on():
    batches = []

    class Slow(SearchAgent):
        def act(self, turns):
            batches.append(len(turns))
            time.sleep(0.06 * len(turns))
            return [turn.legal[0] for turn in turns]

    episodes = rollout(make(TWO), Slow(), 4, seed=0)
    assert set(batches) == {1}
    batches.clear()
    again = rollout(make(TWO), SearchAgent(depth=1), 4, seed=0)
    assert len(episodes) == len(again) == 4


def test_a_reporter_tells_now_and_then(monkeypatch):
    told = []
    reporter = ProgressReporter(lambda *counts: told.append(counts))
    for _ in range(5):
        reporter.count_reply("a")
    assert told == [(1, 0)]
    reporter.count_reply(Reply("b", usage={"completion_tokens": 2}))
    reporter.report()
    reporter.report()
    assert told == [(1, 0), (5, 2)]
