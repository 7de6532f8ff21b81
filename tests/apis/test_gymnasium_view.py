"""The Gymnasium view of one seat: who else plays, what it is shown, and when it ends."""

import asyncio
import copy
import json
import pickle

import gymnasium
import numpy as np
import pytest

import gem_ma
from gem_ma import InvalidMove, ResetNeeded, SeatError
from gem_ma.agents import RandomAgent
from gem_ma.envs.cards.liars_dice import LiarsDice


def first_legal(turn):
    return turn.legal[0]


def test_one_seat_is_a_gymnasium_env():
    env = gem_ma.make_gym("game:GuessTheNumber-v0-easy")
    assert isinstance(env, gymnasium.Env)
    observation, info = env.reset(seed=3)
    assert isinstance(observation, str)
    assert observation.startswith("You are playing Guess the Number")
    observation, reward, terminated, truncated, info = env.step("5")
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert "5: the number is" in observation
    assert info["legal_actions"][0] == "1"
    assert env.sample_random_action() in info["legal_actions"]


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({}, str),
        ({"observe": "image"}, np.ndarray),
        ({"observe": "both"}, dict),
        ({"actions": "discrete"}, dict),
    ],
)
def test_one_kind_of_observation_comes_bare(options, kind):
    env = gem_ma.make_gym("game:TicTacToe-v0", agent="x", others="random", **options)
    observation, _ = env.reset(seed=0)
    assert isinstance(observation, kind)
    assert env.observation_space.contains(observation)


def test_the_others_play_until_the_seat_is_to_act():
    env = gem_ma.make_gym("game:ConnectFour-v0", agent="yellow", others=first_legal)
    observation, _ = env.reset(seed=0)
    assert "red: 0" in observation
    observation, *_ = env.step("6")
    assert env.env.game_state.board.endswith("R......R.....Y")


def test_the_reward_of_an_end_that_others_bring_arrives():
    env = gem_ma.make_gym("game:ConnectFour-v0", agent="yellow", others={"red": first_legal})
    env.reset()
    for action in "66":
        env.step(action)
    _, reward, terminated, truncated, info = env.step("5")
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["to_act"] is False
    with pytest.raises(ResetNeeded, match="the episode is over"):
        env.step("5")


class Sudden(LiarsDice):
    """Liar's dice in which the first to act may resign for everybody but one."""

    def advance(self, state, moves, rng):
        (agent,) = moves
        if agent == "player_0":
            return super().forfeit(super().forfeit(state, "player_0", rng), "player_1", rng)
        return super().advance(state, moves, rng)


def test_a_game_that_ends_before_the_seat_acts_ends_at_its_first_step():
    env = gem_ma.Env(Sudden(players=3))
    seeds = [s for s in range(30) if env.reset(seed=s) or env.agent_selection == "player_0"]
    seat = env.gym(agent="player_2", others="random")
    observation, info = seat.reset(seed=seeds[0])
    assert "player_2" in observation
    assert info["to_act"] is False
    _, reward, terminated, _, _ = seat.step("anything")
    assert (reward, terminated) == (1.0, True)
    with pytest.raises(ResetNeeded):
        seat.step("anything")


def test_a_seat_that_is_out_ends_while_the_others_have_not():
    env = gem_ma.make_gym("game:LiarsDice-v0", agent="player_1", others="random", invalid="lose")
    env.reset(seed=1)
    _, reward, terminated, truncated, _ = env.step("nonsense")
    assert (reward, terminated, truncated) == (-0.5, True, False)
    assert len(env.env.to_act) == 1


def test_simultaneous_movers_are_asked_together_and_see_nothing_of_each_other():
    seen = []

    def watch(turn):
        seen.append(turn.text)
        return "rock"

    env = gem_ma.make_gym("game:RockPaperScissors-v0", agent="right", others=watch)
    env.reset()
    env.step("paper")
    env.step("bad move")
    env.step("scissors")
    assert len(seen) == 2
    assert "paper" not in seen[0]
    assert env.env.game_state.history == (("rock", "paper"), ("rock", "scissors"))


def test_agents_may_be_coroutines_even_inside_a_running_loop():
    class Slow:
        async def act(self, turns):
            await asyncio.sleep(0)
            return [turn.legal[0] for turn in turns]

    env = gem_ma.make_gym("game:ConnectFour-v0", agent="yellow", others=Slow())
    assert "red: 0" in env.reset()[0]

    async def notebook():
        return env.reset()[0]

    assert "red: 0" in asyncio.run(notebook())


def test_an_agent_that_answers_too_little_or_breaks_is_heard():
    class Mute:
        def act(self, turns):
            return []

    with pytest.raises(ValueError, match="got 1 turns and gave 0 replies"):
        gem_ma.make_gym("game:ConnectFour-v0", agent="yellow", others=Mute()).reset()

    def broken(turn):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        gem_ma.make_gym("game:ConnectFour-v0", agent="yellow", others=broken).reset()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "has several seats: say which is yours with agent='red'"),
        ({"agent": "rad"}, "no seat 'rad'; did you mean 'red'"),
        ({"agent": "red"}, "nobody plays yellow; pass others="),
        ({"agent": "red", "others": {"yelow": "random"}}, "no seat 'yelow'; did you mean 'yellow'"),
        ({"agent": "red", "others": {"red": "random"}}, "the seat 'red' is yours"),
    ],
)
def test_seats_that_make_no_sense(arguments, words):
    with pytest.raises(SeatError, match=words):
        gem_ma.make_gym("game:ConnectFour-v0", **arguments)


@pytest.mark.parametrize(
    ("other", "error", "words"),
    [
        ("randm", ValueError, "no agent 'randm'; did you mean 'random'"),
        (7, TypeError, "expected an agent, a function"),
        (RandomAgent, TypeError, "RandomAgent"),
    ],
)
def test_others_that_make_no_sense(other, error, words):
    with pytest.raises(error, match=words):
        gem_ma.make_gym("game:ConnectFour-v0", agent="red", others=other).reset()


def test_a_wrong_type_costs_the_others_no_call():
    calls = []
    env = gem_ma.make_gym("game:RockPaperScissors-v0", agent="left", others=calls.append)
    env.reset()
    with pytest.raises(TypeError, match="the action of left must be a str"):
        env.step(None)
    assert calls == []


def test_gymnasium_makes_every_seat_from_a_json_spec():
    env = gymnasium.make(
        "gem_ma:gem_ma/game.KuhnPoker-v0", agent="second", others={"first": "random"}
    )
    spec = gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json())
    again = spec.make()
    assert again.reset(seed=5)[0] == env.reset(seed=5)[0]
    assert again.unwrapped.agent == "second"
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'agnt'; did you mean"):
        gymnasium.make("gem_ma:gem_ma/game.KuhnPoker-v0", agnt="second")


TUPLES = (
    ("game:Sokoban-v0-easy", {"dim_room": (6, 6)}),
    ("game:Nim-v0", {"heaps": (1, 2), "agent": "first", "others": "random"}),
    ("game:TicTacToe-v0", {"image_size": (84, 84), "agent": "x", "others": {"o": "random"}}),
)


@pytest.mark.parametrize(("id", "kwargs"), TUPLES)
def test_a_spec_with_a_tuple_comes_back_equal_from_json(id, kwargs):
    name = f"gem_ma/{id.replace(':', '.')}"
    env = gymnasium.make(name, **kwargs)
    vector = gem_ma.make_vec(id, 2, **kwargs)
    again = gymnasium.make_vec(vector.spec, **kwargs)
    for spec in (env.spec, env.unwrapped.spec, vector.spec, again.spec):
        back = gymnasium.envs.registration.EnvSpec.from_json(spec.to_json())
        assert back == spec
    other = gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json()).make()
    assert other.reset(seed=5)[0] == env.reset(seed=5)[0]


def test_every_spec_comes_back_equal_from_json():
    for id in gem_ma.list_envs():
        ours = gem_ma.spec(id)
        assert json.loads(json.dumps(ours.kwargs)) == ours.kwargs
        assert json.loads(json.dumps(ours.dial)) == [*ours.dial]
        if spec := gymnasium.registry.get(f"gem_ma/{id.replace(':', '.')}"):
            assert gymnasium.envs.registration.EnvSpec.from_json(spec.to_json()) == spec


def test_a_person_in_a_seat_is_shown_what_the_seat_sees(capsys):
    env = gem_ma.make_gym(
        "game:KuhnPoker-v0", agent="second", others=first_legal, render_mode="human"
    )
    env.reset(seed=0)
    view = env.env.match.make_view("second")
    assert capsys.readouterr().out == env.env.game.describe(view, "second") + "\n"
    env.step("bet")
    shown = capsys.readouterr().out
    assert "bet" in shown
    env.env.reset(seed=0)
    assert "?" not in capsys.readouterr().out  # the spectator of the whole game sees all


def test_masks_for_sb3_contrib():
    env = gem_ma.make_gym("game:TicTacToe-v0", agent="x", others="random", actions="discrete")
    env.reset(seed=0)
    env.step(4)
    assert env.action_masks().dtype == bool
    assert env.action_masks().sum() == 7


def test_views_copy_and_pickle():
    env = gem_ma.make_gym("game:LiarsDice-v0", agent="player_0", others="random")
    env.reset(seed=0)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert other.env.game_state == env.env.game_state
        action = env.sample_random_action()
        assert other.step(action)[1:4] == copy.deepcopy(env).step(action)[1:4]
        assert other.env.core is other.env
    parallel = gem_ma.make_parallel("game:LiarsDice-v0")
    parallel.reset(seed=0)
    assert copy.deepcopy(parallel).game_state == parallel.game_state


def test_errors_of_a_game_are_not_turned_into_rewards():
    class Broken(LiarsDice):
        def advance(self, state, moves, rng):
            raise InvalidMove("a bug: advance may not refuse")

    env = gem_ma.Env(Broken())
    env.reset(seed=0)
    with pytest.raises(InvalidMove, match="a bug"):
        env.step("1x1")


def test_an_env_with_a_way_of_its_own_to_observe_is_asked():
    class Loud(gem_ma.Env):
        def observe(self, agent, *, turn=False):
            return {"text": super().observe(agent, turn=turn)["text"].upper()}

    class Telling(gem_ma.Env):
        def info(self, agent, *, turn=False):
            return {"told": True}

    game = gem_ma.make("game:GuessTheNumber-v0").game
    for kind in (Loud, type("Below", (Loud,), {})):
        text, _ = kind(game).gym().reset(seed=0)
        assert text == text.upper()
    assert Telling(game).gym().reset(seed=0)[1] == {"told": True}
    assert not gem_ma.Env.has_own_views


def test_a_number_outside_the_space_raises_also_where_the_seat_is_not_to_act():
    env = gem_ma.make_gym("game:Werewolf-v0", agent="player_0", others="random", actions="discrete")
    waits = next(seed for seed in range(100) if not env.reset(seed=seed)[1]["to_act"])
    env.reset(seed=waits)
    for action in (env.action_space.n, -1):
        with pytest.raises(ValueError, match="must be an int from 0 to"):
            env.step(action)
    assert env.step(0)[2]  # the others ended the game
