"""Gymnasium's and PettingZoo's environments, played through the bridges."""

import contextlib
import copy
import importlib
import io
import json
import pickle
import re
import sys
import threading
import warnings

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env as gymnasium_check_env

import gem_ma
from gem_ma.agents.random import RandomAgent
from gem_ma.apis.env import Env
from gem_ma.chat.agent import ask_agent
from gem_ma.envs.bridges import describing
from gem_ma.envs.bridges.gymnasium import Gymnasium
from gem_ma.envs.bridges.pettingzoo import PettingZoo
from gem_ma.envs.registry import MissingRequirement, UnknownEnv
from gem_ma.testing import check_env

TAXI = next(id for id in ("Taxi-v4", "Taxi-v3") if id in gymnasium.registry)
TEXT = ["FrozenLake-v1", TAXI, "Blackjack-v1", "CliffWalking-v1", "CartPole-v1", "Acrobot-v1"]
MINIGRID = ["MiniGrid-Empty-5x5-v0", "MiniGrid-DoorKey-8x8-v0", "MiniGrid-Fetch-8x8-N3-v0"]
CLASSIC = [
    "tictactoe_v3",
    "connect_four_v3",
    "leduc_holdem_v4",
    "texas_holdem_v4",
    "rps_v2",
    "chess_v6",
]


def need(*modules):
    extras = {"minigrid": "minigrid", "pygame": "toy-text", "rlcard": "pettingzoo"}
    for module in modules:
        extra = extras.get(module, "pettingzoo")
        pytest.importorskip(module, reason=f"pip install 'gem-ma[{extra}]'")


def make(id, **kwargs):
    """Make an environment, or skip the test where what it needs is not installed."""
    if id.startswith("gym:MiniGrid"):
        need("minigrid")
    if id.startswith("pz:") and id[3:] in CLASSIC:
        need("pygame", "chess", "rlcard")
    if kwargs.get("observe", "text") != "text" or kwargs.get("render_mode") == "rgb_array":
        need("pygame")
    try:
        return gem_ma.make(id, **kwargs)
    except MissingRequirement as error:
        pytest.skip(str(error))


def play(env, seed=0, turns=10_000, options=None):
    """Let RandomAgent play in every seat; return how many turns it took."""
    env.reset(seed=seed, options=options)
    agent = RandomAgent()
    while env.to_act and env.turns < turns:
        acting = env.to_act
        env.step_seats(
            dict(zip(acting, ask_agent(agent, [env.turn(a) for a in acting]), strict=True))
        )
    return env.turns


class Corridor(gymnasium.Env):
    """Walk to the end of a corridor."""

    metadata = {"render_modes": []}
    observation_space = spaces.Dict(
        {"at": spaces.Discrete(9), "way": spaces.Box(-1, 1, (2,), np.float32)}
    )
    action_space = spaces.Dict(
        {"go": spaces.Box(-1, 1, (2,), np.float32), "say": spaces.Tuple([spaces.Discrete(3)])}
    )

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at, self.options = 0, options
        return self._see(), {}

    def step(self, action):
        assert self.action_space.contains(action)
        self.at += 1
        return self._see(), float(action["go"][0]), self.at == 3, False, {}

    def _see(self):
        return {"at": self.at, "way": self.np_random.random(2, np.float32)}


class Shrinking(pettingzoo.ParallelEnv):
    """Three seats; player_k is out after k + 1 turns, and the last is stopped by a limit."""

    metadata = {"name": "shrinking_v0", "render_modes": []}
    render_mode = None
    possible_agents = ["player_0", "player_1", "player_2"]

    def observation_space(self, agent):
        return spaces.Dict(
            {
                "observation": spaces.MultiDiscrete([9, 9]),
                "action_mask": spaces.Box(0, 1, (3,), np.int8),
            }
        )

    def action_space(self, agent):
        return spaces.Discrete(3)

    def reset(self, seed=None, options=None):
        self.agents, self.turn = self.possible_agents[:], 0
        return {a: self._see(a) for a in self.agents}, {a: {} for a in self.agents}

    def step(self, actions):
        assert list(actions) == self.agents
        live, self.turn = self.agents, self.turn + 1
        out = {a: self.possible_agents.index(a) < self.turn and a[-1] != "2" for a in live}
        limit = dict.fromkeys(live, self.turn == 4)
        self.agents = [a for a in live if not out[a] and not limit[a]]
        seen = {a: self._see(a) for a in live}
        return seen, {a: float(actions[a]) for a in live}, out, limit, {a: {} for a in live}

    def _see(self, agent):
        number = self.possible_agents.index(agent)
        mask = np.array([1, number != 1, 1], np.int8)
        return {"observation": np.array([number, self.turn]), "action_mask": mask}


parallel_env = Shrinking


def env():
    return pettingzoo.utils.parallel_to_aec(Shrinking())


def plain(sample):
    if isinstance(sample, dict):
        return {key: plain(one) for key, one in sample.items()}
    if isinstance(sample, tuple | list):
        return [plain(one) for one in sample]
    return sample.tolist() if hasattr(sample, "tolist") else sample


def same(one, other):
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return type(one) is type(other) and np.array_equal(one, other)


@pytest.mark.parametrize("id", [*TEXT, *MINIGRID, "Pendulum-v1"])
def test_gymnasium_plays_the_same_alone(id):
    env = make(f"gym:{id}", max_turns=150)
    alone = gymnasium.make(id, disable_env_checker=True)
    rng = np.random.default_rng(1)
    for seed in (0, 7):
        env.reset(options={"seed": seed})
        observation, info = alone.reset(seed=seed)
        given, total = (observation, 0.0, False, False, info), 0.0
        while True:
            live = env.game_state.line._live
            assert all(map(same, live.last[:4], given[:4]))
            assert env.game_state.returns()["player"] == total
            over = given[2] or given[3]
            if not env.to_act:
                assert over or env.turns == 150
                break
            assert not over
            alone.action_space.seed(int(rng.integers(1 << 30)))
            action = alone.action_space.sample()
            names = env.game.teller.moves["player"]
            env.step(names[action] if names else json.dumps(action.tolist()))
            given = alone.step(action)
            total += float(given[1])


@pytest.mark.parametrize("id", CLASSIC)
def test_pettingzoo_plays_the_same_alone(id):
    env = make(f"pz:{id}", parallel=False, max_turns=60)
    if hasattr(pettingzoo, "make"):  # since 1.27
        alone = pettingzoo.make("aec", f"classic/{id}")
    else:
        alone = importlib.import_module(f"pettingzoo.classic.{id}").env()
    rng = np.random.default_rng(1)
    for seed in (0, 7):
        env.reset(options={"seed": seed})
        alone.reset(seed=seed)
        totals = dict.fromkeys(alone.possible_agents, 0.0)
        while env.to_act:
            agent = alone.agent_selection
            live = env.game_state.line._live.env
            assert env.to_act == (agent,)
            for seat in alone.agents:
                assert same(live.observe(seat), alone.observe(seat))
            observation, *_ = alone.last()
            space = alone.action_space(agent)
            mask = observation["action_mask"] if isinstance(observation, dict) else None
            legal = np.arange(space.n) if mask is None else np.flatnonzero(mask)
            names = {
                env.game.teller.action(live, agent, n): n for n in env.match.list_legal_moves(agent)
            }
            assert sorted(names) == legal.tolist()
            action = int(rng.choice(legal))
            env.step(names[action])
            alone.step(action)
            for seat, reward in alone.rewards.items():
                totals[seat] += reward
            assert env.game_state.returns() == totals
        over = [*alone.terminations.values(), *alone.truncations.values()]
        assert env.turns == 60 or any(over)


def test_chess_moves_are_those_of_python_chess():
    env = make("pz:chess_v6")
    import chess

    for seed in (1,):
        env.reset(seed=seed)
        board, promoted = chess.Board(), 0
        rng = np.random.default_rng(seed)
        while env.to_act:
            (agent,) = env.to_act
            legal = env.info(agent)["legal_actions"]
            assert set(legal) == {move.uci() for move in board.legal_moves}
            promotions = [move for move in legal if len(move) == 5]
            move = str(rng.choice(promotions or legal))
            promoted += bool(promotions)
            env.step(move)
            board.push_uci(move)
            assert f"FEN: {board.fen()}" in env.observe(agent)["text"]
        assert promoted


def test_the_view_of_minigrid_is_what_stands_there():
    env = make("gym:MiniGrid-Fetch-8x8-N3-v0")
    ahead = [(1, 0), (0, 1), (-1, 0), (0, -1)]
    for seed in range(5):
        env.reset(seed=seed)
        for _ in range(8):
            inner = env.game_state.line._live.env.unwrapped
            seen = env.observe("player")["text"].partition("In view: ")[2].rstrip(".")
            for entry in filter(None, seen.replace("no thing", "").split("; ")):
                where, _, thing = entry.partition(": ")
                steps = {way: int(n) for n, way in re.findall(r"(\d+) (\w+)", where)}
                side = steps.get("right", 0) - steps.get("left", 0)
                (fx, fy), (rx, ry) = ahead[inner.agent_dir], ahead[(inner.agent_dir + 1) % 4]
                x, y = inner.agent_pos
                cell = inner.grid.get(
                    int(x + fx * steps.get("ahead", 0) + rx * side),
                    int(y + fy * steps.get("ahead", 0) + ry * side),
                )
                assert thing == f"a {cell.color} {cell.type}"
            env.step("left" if seed % 2 else "right")
            if env.to_act:
                env.step("forward")


def test_the_words_of_toy_text():
    env = make("gym:FrozenLake-v1", env_kwargs={"is_slippery": False})
    env.reset(seed=0)
    assert "slippery" not in env.rules("player")
    assert env.observe("player")["text"].endswith("@ . . .\n. O . O\n. . . O\nO . . G")
    for move in ("down", "down", "right", "down", "right", "right"):
        env.step(move)
    assert env.observe("player")["text"] == ". . . .\n. O . O\n. . . O\nO . . *"
    assert env.game_state.returns() == {"player": 1.0}
    env = make("gym:CliffWalking-v1")
    env.reset(seed=0)
    env.step("up")
    assert env.observe("player")["text"].endswith("@" + " ." * 11 + "\n." + " C" * 10 + " G")
    env = make(f"gym:{TAXI}")
    env.reset(seed=0)
    row, column, _, _ = env.game_state.line._live.env.unwrapped.decode(
        env.game_state.line._live.last[0]
    )
    lines = env.observe("player")["text"].splitlines()
    top = lines.index("+---------+")
    assert lines[top + 1 + row][1 + 2 * column] == "T"


@pytest.mark.parametrize("observe", ["text", "both"])
@pytest.mark.parametrize(
    "id", [f"gym:{id}" for id in (*TEXT, *MINIGRID)] + [f"pz:{id}" for id in CLASSIC]
)
def test_random_agents_play_to_the_end(id, observe):
    # With pictures the long ones are cut short: every turn is drawn.
    env = make(id, observe=observe, **({"max_turns": 12} if observe == "both" else {}))
    turns = play(env, seed=1)
    assert env.match.over
    assert 0 < turns <= 1000
    assert not env.match.invalid_replies


@pytest.mark.parametrize(
    "id", ["gym:FrozenLake-v1", "gym:Blackjack-v1", "gym:MiniGrid-Empty-5x5-v0"]
)
def test_a_picture_is_the_rendering_of_its_state(id):
    env = make(id, observe="image")
    pov = {"agent_pov": True} if "MiniGrid" in id else {}
    alone = gymnasium.make(id[4:], render_mode="rgb_array", disable_env_checker=True, **pov)
    env.reset(options={"seed": 3})
    alone.reset(seed=3)
    states, frames = [], []
    while env.to_act and len(states) < 8:
        states.append(env.game_state)
        frames.append(describing.pixels(alone.render()))
        if len(states) % 2:  # looked at while it stands there, or later
            assert env.core.game.picture(states[-1], None) == frames[-1]
        env.step(env.game.moves[1])
        alone.step(1)
    for state, frame in zip(states, frames, strict=True):
        view = state.seen_by("player")
        assert env.game.picture(view, "player") == frame
        assert env.game.picture(pickle.loads(pickle.dumps(view)), "player") == frame
    assert len({frame.data for frame in frames}) > 1


def test_looking_does_not_change_the_episode():
    def texts(looks):
        env = make("gym:Blackjack-v1")
        need("pygame")
        found = []
        for seed in range(10):
            env.reset(seed=seed)
            while env.to_act:
                found.append(env.observe("player")["text"])
                for _ in range(looks):
                    env.observation_builder.render_image(env.game_state, None)
                env.step("hit")
        return found

    assert texts(0) == texts(2)


def test_nobody_sees_the_cards_of_another():
    env = make("pz:texas_holdem_v4", observe="both", env_kwargs={"num_players": 3})
    for seed in range(5):
        env.reset(seed=seed)
        live = env.game_state.line._live.env.unwrapped
        hands = {a: set(p.hand) for a, p in zip(env.agents, live.env.game.players, strict=True)}
        for agent in env.possible_agents:
            view = env.game_state.seen_by(agent)
            scene = env.game.picture(view, agent)
            (_, own), (_, table), *_ = scene.rows
            assert len(own) == 2
            assert not table
            assert [s for s, seen in view.output.seen.items() if seen] == [agent]
            names = {f"{c.rank.replace('T', '10')}{c.suit.lower()}" for c in hands[agent]}
            assert set(own) == names
        assert type(env.game.picture(env.game_state, None)).__name__ == "Pixels"


@pytest.mark.parametrize("id", ["gym:FrozenLake-v1", "gym:Blackjack-v1", "pz:texas_holdem_v4"])
def test_a_fork_with_a_seed_sees_other_luck(id):
    def futures(forks):
        found = []
        for fork in forks:
            while fork.to_act and fork.turns < 12:
                legal = fork.info(fork.to_act[0])["legal_actions"]
                fork.step(next(m for m in ("hit", "right", "call", "check") if m in legal))
            found.append(str([fork.observe(a) for a in fork.possible_agents]))
        return found

    env = make(id)
    env.reset(seed=5)
    (own,) = futures(env.fork())
    redrawn = futures(env.fork(12, seed=1))
    assert futures(env.fork(12, seed=1)) == redrawn
    assert len({*redrawn, own}) > 3
    assert futures([env]) == [own]
    assert futures([copy.deepcopy(make_at(id))]) == [own]


def make_at(id):
    env = gem_ma.make(id)
    env.reset(seed=5)
    return pickle.loads(pickle.dumps(env))


def test_what_waits_and_is_gone_when_it_is_taken_is_made_anew():
    class Vanishing(list):
        """Says that one waits, as it did a moment ago."""

        def __len__(self):
            return 1

    env = gem_ma.make("gym:FrozenLake-v1")
    env.game.spare = Vanishing()
    play(env, seed=3)
    assert not env.to_act


def test_many_episodes_at_once_in_threads():
    def run(seed, found):
        env = gem_ma.make("gym:FrozenLake-v1")
        for number in range(5):
            play(env, seed=10 * seed + number)
            found[seed, number] = env.observe("player")["text"], env.turns

    alone, together = {}, {}
    for seed in range(4):
        run(seed, alone)
    threads = [threading.Thread(target=run, args=(seed, together)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone


@pytest.mark.parametrize("parallel", [None, False])
def test_seats_that_are_out_stay_out(parallel):
    env = gem_ma.make(f"pz:{__name__}", parallel=parallel)
    env.reset(seed=0)
    seen = []
    while env.to_act:
        seen.append(env.to_act)
        legal = {a: env.info(a)["legal_actions"] for a in env.to_act}
        assert all(("action 1" in moves) == (a != "player_1") for a, moves in legal.items())
        env.step_seats(dict.fromkeys(env.to_act, "action 2"))
    everybody = ("player_0", "player_1", "player_2")
    if parallel is None:
        assert seen == [everybody, everybody[1:], everybody[2:], everybody[2:]]
    else:
        assert [a for (a,) in seen] == [*everybody, *everybody[1:], *everybody[2:] * 2]
    assert env.game_state.returns() == {"player_0": 2.0, "player_1": 4.0, "player_2": 8.0}
    assert env.info("player_2")["truncated"] is True


@pytest.mark.parametrize("parallel", [None, False])
def test_the_game_goes_on_without_a_seat_that_forfeits(parallel):
    env = gem_ma.make(f"pz:{__name__}", parallel=parallel, invalid="lose")
    env.reset(seed=0)
    while env.to_act:
        env.step_seats({a: "nonsense" if a == "player_1" else "2" for a in env.to_act})
    assert env.game_state.returns() == {"player_0": 2.0, "player_1": 0.0, "player_2": 8.0}


def test_who_leaves_a_poker_game_folds():
    env = make("pz:texas_holdem_v4", env_kwargs={"num_players": 3}, invalid="lose")
    for seed in range(5):
        env.reset(seed=seed)
        (first,) = env.to_act
        env.step("nonsense")
        assert first not in env.to_act
        while env.to_act:
            legal = env.info(env.to_act[0])["legal_actions"]
            env.step_seats({env.to_act[0]: "check" if "check" in legal else "call"})
        returns = env.game_state.returns()
        assert returns[first] == 0.0  # it stood to act before the blinds, so it had paid nothing
        assert sum(value > 0 for value in returns.values()) in (0, 1)


def test_an_environment_by_its_class():
    env = gem_ma.make(f"gym:{__name__}:Corridor")
    env.reset(options={"seed": 4, "wind": 2})
    live = env.game_state.line._live.env
    assert live.unwrapped.options == {"wind": 2}
    assert "at: 0 (of 0 to 8)\nway: [" in env.observe("player")["text"]
    assert "Walk to the end of a corridor." in env.rules("player")
    env.step('{"go": [1, 0], "say": [3]}')
    assert "is not a JSON object" in env.info("player")["invalid"]["reason"]
    for _ in range(3):
        env.step('{"go": [0.5, 0], "say": [2]}')
    assert not env.to_act
    assert env.game_state.returns() == {"player": 1.5}
    assert gem_ma.make(env.spec).id == env.id
    check_env(env.id, seeds=1, processes=False)


def test_listing_imports_no_other_library():
    ids = gem_ma.list_envs("gym:*") + gem_ma.list_envs("pz:*")
    assert len(ids) > 150
    for id in ("gym:FrozenLake-v1", f"gym:{TAXI}", "gym:MiniGrid-Empty-5x5-v0", "pz:chess_v6"):
        assert id in ids
    code = (
        "import gem_ma, sys; gem_ma.list_envs();"
        "print([m for m in ('minigrid', 'pygame', 'rlcard', 'chess') if m in sys.modules])"
    )
    import subprocess

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("id", ["gym:NoSuch-v0", "gym:no_such_module:X-v0", "pz:chess_v0", "pz:"])
def test_an_unknown_id(id):
    with pytest.raises(UnknownEnv, match=re.escape(repr(id))):
        gem_ma.make(id)


@pytest.mark.skipif("Taxi-v3" in gymnasium.registry, reason="pip install 'gymnasium>=1.3'")
def test_an_id_that_is_gone_names_its_successor():
    with pytest.raises(MissingRequirement, match="Taxi-v4"):
        gem_ma.make("gym:Taxi-v3")


def test_a_space_that_cannot_be_replied_to():
    class Graphs(Corridor):
        action_space = spaces.Graph(spaces.Discrete(2), None)

    globals()["Graphs"] = Graphs
    with pytest.raises(TypeError, match="a text reply cannot be read"):
        Gymnasium(f"{__name__}:Graphs")
    with pytest.raises(ValueError, match="has no env"):
        PettingZoo("json")


@pytest.mark.parametrize(
    ("id", "options"),
    [
        ("gym:FrozenLake-v1", {"max_turns": 5}),
        ("gym:Pendulum-v1", {"max_turns": 3}),
        ("pz:leduc_holdem_v4", {}),
        (f"pz:{__name__}", {}),
    ],
)
def test_contract(id, options):
    need("pygame")
    check_env(make(id, **options), seeds=1, processes="test" not in id)


@pytest.mark.slow
@pytest.mark.parametrize(
    "id",
    [f"gym:{id}" for id in (*TEXT, *MINIGRID)]
    + [f"pz:{id}" for id in (*CLASSIC, "texas_holdem_no_limit_v6", "hanabi_v5")],
)
@pytest.mark.filterwarnings("ignore:.*precision lowered by casting")
def test_contract_of_all(id):
    need("pygame")
    check_env(make(id, max_turns=30), seeds=2)


@pytest.mark.slow
def test_contract_of_go():
    check_env(make("pz:go_v5", env_kwargs={"board_size": 5}, max_turns=30), seeds=2)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*precision lowered by casting")
def test_every_listed_id_is_played():
    need("minigrid", "rlcard")
    rng = np.random.default_rng(0)
    for id in gem_ma.list_envs("gym:*") + gem_ma.list_envs("pz:*"):
        if gem_ma.spec(id).list_missing():
            continue
        env = gem_ma.make(id, max_turns=20)
        env.reset(seed=0)
        while env.to_act:
            replies = {}
            for seat in env.to_act:
                legal = env.turn(seat).legal
                sample = env.game.teller.actions[seat].sample()
                replies[seat] = str(rng.choice(legal)) if legal else json.dumps(plain(sample))
            env.step_seats(replies)
        assert not env.match.invalid_replies, id


@contextlib.contextmanager
def allowing():
    """Let pass what the API test says of every observation that is no array."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        for message in ("Observation is not", "Observation space for", "Action space for"):
            warnings.filterwarnings("ignore", message=message)
        warnings.filterwarnings("ignore", message="We recommend agents")
        yield


@pytest.mark.parametrize("options", [{}, {"observe": "both"}, {"actions": "discrete"}], ids=str)
@pytest.mark.parametrize("id", ["pz:tictactoe_v3", "pz:rps_v2"])
def test_official_tests_of_pettingzoo(id, options):
    env = make(id, **options)
    with warnings.catch_warnings():  # it imports games in a way that it calls old
        warnings.simplefilter("ignore", DeprecationWarning)
        from pettingzoo.test import api_test, parallel_api_test
    with allowing():
        warnings.filterwarnings("ignore", "Observation numpy array is all zeros")  # an empty board
        api_test(env, num_cycles=20)
        parallel_api_test(env.parallel(), num_cycles=20)


@pytest.mark.parametrize("options", [{}, {"observe": "both"}, {"actions": "discrete"}], ids=str)
@pytest.mark.parametrize("id", ["gym:FrozenLake-v1", "gym:MiniGrid-Empty-5x5-v0"])
def test_official_test_of_gymnasium(id, options):
    need("pygame")
    gymnasium_check_env(make(id, **options).gym(), skip_render_check=True)


def test_a_game_that_was_pickled_is_made_again():
    game = pickle.loads(pickle.dumps(Gymnasium("CartPole-v1", {"max_episode_steps": 3})))
    env = Env(game)
    assert play(env, seed=0) == 3
    assert env.info("player")["truncated"] is True


@pytest.mark.parametrize("name", ["CartPole-v1", "MountainCar-v0", "Acrobot-v1"])
def test_numbers_are_those_of_the_environment(name):
    ours = gem_ma.make_gym(f"gym:{name}", actions="discrete")
    theirs = gymnasium.make(name)
    assert ours.observation_space["observation"] == theirs.observation_space
    assert ours.action_space == theirs.action_space
    seen, _ = ours.reset(options={"seed": 5})
    expected, _ = theirs.reset(seed=5)
    for step in range(30):
        assert ours.observation_space.contains(seen)
        assert seen["observation"].tolist() == expected.tolist()
        move = step % theirs.action_space.n
        seen, earned, ended, cut, _ = ours.step(move)
        expected, reward, *over, _ = theirs.step(move)
        assert earned == reward
        assert [ended, cut] == over
        if any(over):
            break
    state = ours.env.core.state()
    assert state.tolist() == seen["observation"].tolist()
    assert ours.env.core.get_state_space() == theirs.observation_space


@pytest.mark.filterwarnings("ignore:.*precision lowered by casting")  # of its own spaces
@pytest.mark.parametrize("name", [*CLASSIC, "go_v5", "hanabi_v5", "texas_holdem_no_limit_v6"])
def test_numbers_are_those_of_pettingzoo(name):
    need("pygame", "chess", "rlcard")
    module = importlib.import_module(f"pettingzoo.classic.{name}")
    ours, theirs = make(f"pz:{name}", actions="discrete"), module.env()
    if name == "rps_v2":  # a number from a list is no array
        assert ours.encoding_space() is None
        return
    ours.reset(options={"seed": 5})
    theirs.reset(seed=5)
    rng = np.random.default_rng(0)
    for _ in range(60):
        over = theirs.terminations[theirs.agent_selection]
        for agent in theirs.agents:
            seen, expected = ours.observe(agent), theirs.observe(agent)
            assert (
                ours.observation_space(agent)["observation"]
                == (theirs.observation_space(agent)["observation"])
            )
            assert ours.observation_space(agent).contains(seen)
            assert seen["observation"].dtype == expected["observation"].dtype
            assert np.array_equal(seen["observation"], expected["observation"])
            assert ours.rewards[agent] == theirs.rewards[agent]
        if over:
            return
        agent = theirs.agent_selection
        assert ours.agent_selection == agent
        mask = ours.observe(agent)["action_mask"]
        move = int(rng.choice(np.flatnonzero(mask)))
        if name == "chess_v6":  # whose numbers differ by the side to move
            number = ours.game.teller.action(theirs, agent, ours.game.moves[move])
            assert theirs.observe(agent)["action_mask"].sum() == mask.sum()
        else:
            number = move
            assert ours.action_space(agent) == theirs.action_space(agent)
            assert mask.tolist() == theirs.observe(agent)["action_mask"].tolist()
        ours.step(move)
        theirs.step(number)


class Boxed(Shrinking):
    """The same with an array of numbers beside the mask."""

    box = spaces.Box(0, 9, (2,), np.float32)

    def observation_space(self, agent):
        return spaces.Dict({**super().observation_space(agent).spaces, "observation": self.box})

    def _see(self, agent):
        seen = super()._see(agent)
        return {**seen, "observation": seen["observation"].astype(np.float32)}


def test_numbers_of_seats_that_act_at_once_or_leave(monkeypatch):
    assert make(f"pz:{__name__}", actions="discrete").encoding_space() is None
    monkeypatch.setattr(sys.modules[__name__], "parallel_env", Boxed)
    ours = make(f"pz:{__name__}", actions="discrete").parallel()
    theirs = Boxed()
    (seen, _), (expected, _) = ours.reset(seed=0), theirs.reset()
    while theirs.agents:
        for agent in theirs.agents:
            assert ours.observation_space(agent)["observation"] == Boxed.box
            assert ours.observation_space(agent).contains(seen[agent])
            for part, array in expected[agent].items():
                assert seen[agent][part].tolist() == array.tolist()
        assert ours.agents == theirs.agents
        moves = dict.fromkeys(theirs.agents, 2)
        seen, earned, *ends = ours.step(moves)[:4]
        expected, rewards, *over, _ = theirs.step(moves)
        assert earned == rewards
        assert ends == over
    assert seen["player_2"]["observation"].tolist() == [2, 4]  # what it saw last
    seat = gem_ma.make_gym(f"pz:{__name__}", agent="player_1", others="random", actions="discrete")
    assert seat.observation_space["observation"] == Boxed.box
    seen, _ = seat.reset(seed=0)
    assert seen["action_mask"].tolist() == [1, 0, 1]
    assert seen["observation"].tolist() == [1, 0]


def test_pictures_stand_where_an_observation_is_no_array():
    assert gem_ma.make("gym:FrozenLake-v1").encoding_space() is None
