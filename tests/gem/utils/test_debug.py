"""Episodes that are played and printed, of one environment and of vectors."""

import asyncio
import functools

from gem_ma import gem
from gem_ma.gem.utils import debug


def make():
    return gem.make("game:GuessTheNumber-v0-easy", seed=3)


def test_values_are_printed_one_by_one(capsys):
    debug.ppprint(["a", {"b": 1}])
    debug.ppprint(3)
    assert capsys.readouterr().out == "1 of 2:\n'a'\n2 of 2:\n{'b': 1}\n3\n"


def test_an_episode_is_played_to_its_end(capsys):
    seen = []
    debug.run_and_print_episode(make(), lambda text: seen.append(text) or "1")
    lines = capsys.readouterr().out.splitlines()
    steps = [line for line in lines if line.startswith("Step ")]
    assert len(steps) == len(seen) <= 4
    assert steps[0] == "Step 1"
    assert "terminated: True, truncated: False" in lines[-2]
    assert lines[-1].startswith("Time: ")
    assert "--- observation" in lines


def test_it_may_go_on_or_stop_early(capsys):
    debug.run_and_print_episode(make(), lambda text: "1", max_steps=2)
    assert capsys.readouterr().out.count("Step ") == 2
    vec = gem.make_vec("game:GuessTheNumber-v0-easy")
    debug.run_and_print_episode(vec, lambda texts: ["1"], ignore_done=True, max_steps=9)
    assert capsys.readouterr().out.count("Step ") == 9


def test_a_vector_is_stepped_in_part(capsys):
    vec, parts = gem.make_vec(["game:GuessTheNumber-v0-easy"] * 4), []

    @functools.wraps(vec.step)
    def step(actions, inner=vec.step):
        parts.append(tuple(actions))
        return inner(actions)

    vec.step = step
    play = debug.run_and_print_episode_with_selective_step
    play(vec, lambda _: ["1"] * 4, ignore_done=True, max_steps=20)
    assert capsys.readouterr().out.count("Step ") == 20
    assert all(parts)
    assert len(set(parts)) > 5
    one = gem.make_vec("game:GuessTheNumber-v0-easy", seed=3)
    play(one, lambda _: ["1"])
    assert "terminated: [ True]" in capsys.readouterr().out


def test_what_is_awaited(capsys):
    env = make()

    class Awaited:
        async def reset(self):
            return env.reset()

        async def step(self, action):
            return env.step(action)

    asyncio.run(debug.run_and_print_episode_async(Awaited(), lambda text: "1"))
    awaited = capsys.readouterr().out
    debug.run_and_print_episode(make(), lambda text: "1")
    assert awaited.splitlines()[:-1] == capsys.readouterr().out.splitlines()[:-1]
