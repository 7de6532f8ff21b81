"""SearchAgent against positions worked out by hand, against chance, and against itself."""

import pickle
import time
from dataclasses import dataclass, replace

import pytest

import gem_ma
from gem_ma import Agent, Env, Game, Turn
from gem_ma.agents.search import SearchAgent
from gem_ma.chat.turn import SearchPosition
from gem_ma.engine.seeding import derive_seed
from gem_ma.game import parse_choice
from gem_ma.rollouts.rollout import rollout

TTT, C4 = "game:TicTacToe-v0", "game:ConnectFour-v0"


def at(env_id, moves, seed=0, **make):
    env = gem_ma.make(env_id, **make)
    env.reset(seed=seed)
    for move in moves:
        env.step(move)
    return env.turn(env.to_act[0])


def start(game, seat, seed=0, state=None):
    state = game.start(None, {}) if state is None else state
    return Turn(
        seat,
        "",
        {},
        "",
        tuple(state.legal(seat)),
        seed_numbers=(seed,),
        env_id="test:Game-v0",
        position=SearchPosition(game, state),
    )


def won(episodes, name="SearchAgent"):
    return sum(
        episode.returns[seat] == 1
        for episode in episodes
        for seat, agent in episode.agents.items()
        if agent.startswith(name)
    )


@pytest.mark.parametrize("seat", ["x", "o"])
def test_it_never_loses_tic_tac_toe(seat):
    agents = {"x": "random", "o": "random", seat: SearchAgent()}
    episodes = rollout(TTT, agents, episodes=100, seed=7)
    assert min(episode.returns[seat] for episode in episodes) >= 0
    assert won(episodes) > 65


def test_it_draws_against_itself():
    episodes = rollout(TTT, SearchAgent(), episodes=30, seed=3)
    assert {episode.returns["x"] for episode in episodes} == {0}
    assert len({tuple(step.reply for step in episode.steps) for episode in episodes}) > 20


def test_it_solves_tic_tac_toe_soon():
    begin = time.perf_counter()
    SearchAgent().act([at(TTT, "")])
    assert time.perf_counter() - begin < 2


@pytest.mark.parametrize("seeds", [6, pytest.param(20, marks=pytest.mark.slow)])
def test_equally_good_moves_are_drawn_by_the_seeds(seeds):
    turn = at(TTT, "0")  # only the middle does not lose
    assert {SearchAgent(seed=seed).act([turn])[0] for seed in range(seeds)} == {"4"}
    replies = SearchAgent().act([at(TTT, "", seed=seed) for seed in range(300)])
    assert set(replies) == set("012345678")
    assert replies == SearchAgent().act([at(TTT, "", seed=seed) for seed in range(300)])
    drawn = {SearchAgent(seed=seed).act([at(TTT, "")])[0] for seed in range(seeds)}
    assert len(drawn) > seeds // 4


def test_it_wins_as_soon_as_it_can_and_loses_as_late():
    # x has 0 and 1: it wins at once by 2, though other moves win too
    assert set(SearchAgent().act([at(TTT, "0314", seed=s) for s in range(20)])) == {"2"}
    doomed = [start(Waiting(), "waiter", seed=seed) for seed in range(10)]
    assert set(SearchAgent().act(doomed)) == {"wait"}


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_it_takes_a_win_in_one(depth):
    for moves, win in (("001122", "3"), ("010101", "0"), ("0112232336", "3")):
        turns = [at(C4, moves, seed=seed) for seed in range(10)]
        assert set(SearchAgent(depth=depth).act(turns)) == {win}


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_it_blocks_a_win_in_one(depth):
    turns = [at(C4, "00112", seed=seed) for seed in range(10)]
    assert set(SearchAgent(depth=depth).act(turns)) == {"3"}
    turns = [at(C4, "01010", seed=seed) for seed in range(10)]
    assert set(SearchAgent(depth=depth).act(turns)) == {"0"}


def test_depth_four_is_fast_enough():
    turn = at(C4, "3")
    begin = time.perf_counter()
    SearchAgent(depth=4).act([turn])
    assert time.perf_counter() - begin < 1


def test_simulations_beat_chance():
    agent = SearchAgent(simulations=30, nodes=0)
    episodes = rollout(C4, [agent, "random"], episodes=10, seed=5, shuffle=True)
    assert won(episodes) >= 9


@pytest.mark.parametrize("simulations", [1, 7, 100])
def test_simulations_take_a_win_in_one(simulations):
    turns = [at(C4, "001122", seed=seed) for seed in range(10)]
    assert set(SearchAgent(simulations=simulations, nodes=0).act(turns)) == {"3"}


def test_a_game_that_is_too_big_is_simulated():
    turns = [at(C4, "33", seed=seed) for seed in range(3)]
    assert SearchAgent(nodes=50).act(turns) == SearchAgent(nodes=0).act(turns)


@pytest.mark.parametrize("games", [8, pytest.param(16, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("strong", "weak"),
    [
        (SearchAgent(depth=4), SearchAgent(depth=1)),
        (SearchAgent(simulations=100, nodes=0), SearchAgent(simulations=5, nodes=0)),
    ],
    ids=["depth", "simulations"],
)
def test_strength_grows_with_the_dial(strong, weak, games):
    episodes = rollout(C4, [strong, weak], episodes=games, seed=11, shuffle=True)
    assert won(episodes, repr(strong)) >= 0.75 * games


@pytest.mark.parametrize(
    "make",
    [
        lambda: SearchAgent(simulations=50, nodes=2000),  # some are solved, and some too big
        lambda: SearchAgent(depth=3),
        lambda: SearchAgent(simulations=20, nodes=0),
        pytest.param(SearchAgent, marks=pytest.mark.slow),
    ],
)
def test_what_it_remembers_changes_no_reply(make):
    turns = [at(C4, "3" * n, seed=n) for n in range(2)] + [
        at(TTT, "0"),
        at(TTT, "048"),
        at(TTT, ""),
    ]
    agent = make()
    replies = agent.act(turns)
    assert replies == agent.act(turns)
    assert replies == make().act(turns[::-1])[::-1]
    assert replies == [make().act([turn])[0] for turn in turns]
    assert replies == pickle.loads(pickle.dumps(agent)).act(turns)


@pytest.mark.parametrize("nodes", [300, 549, 550, 551, 1000, 2000])
def test_a_budget_reaches_as_far_whatever_is_remembered(nodes):
    turns = [at(TTT, moves, seed=3) for moves in ("0481", "048", "04", "0", "", "01", "012")]
    agent = SearchAgent(nodes=nodes, simulations=10)
    one_by_one = [SearchAgent(nodes=nodes, simulations=10).act([turn])[0] for turn in turns]
    assert agent.act(turns) == one_by_one
    assert agent.act(turns) == one_by_one


def test_it_pickles_without_what_it_remembers():
    agent = SearchAgent(depth=4, seed=2)
    empty = len(pickle.dumps(agent))
    agent.act([at(C4, "3")])
    assert len(agent._tables) == 1
    assert len(pickle.dumps(agent)) == empty
    assert repr(pickle.loads(pickle.dumps(agent))) == "SearchAgent(depth=4, seed=2)"
    assert repr(SearchAgent()) == "SearchAgent()"
    assert repr(SearchAgent(simulations=30)) == "SearchAgent(simulations=30, nodes=0)"
    assert isinstance(agent, Agent)


def test_who_asks_for_simulations_gets_them(monkeypatch):
    turn, asked = at(TTT, "04"), []
    monkeypatch.setattr(
        "gem_ma.agents.search._simulate_moves", lambda *given: asked.append(given[4]) or [0]
    )
    for spec, times in (
        ("search", []),
        ("search:simulations=7", [7]),
        ("search:nodes=0", [200]),
        ("search:nodes=9&simulations=3", [3]),
        ("search:nodes=9999&simulations=3", []),
        ("search:depth=2&simulations=3", []),
    ):
        asked.clear()
        gem_ma.agents.load_agent(spec).act([turn])
        assert asked == times, spec


def test_what_it_remembers_is_bounded(monkeypatch):
    monkeypatch.setattr("gem_ma.agents.search._MAX_TABLE_SIZE", 500)
    agent = SearchAgent(nodes=500, simulations=5)
    turns = [at(TTT, moves) for moves in ("048", "012", "013", "014", "024", "031")]
    free = [SearchAgent(nodes=500, simulations=5).act([turn])[0] for turn in turns]
    assert [agent.act([turn])[0] for turn in turns] == free
    assert max(map(len, agent._tables.values())) <= 1000


@dataclass(frozen=True)
class Walk:
    """One player walks from 0 to `goal`, or gives up; 7 steps at most."""

    at: int = 0
    left: int = 7
    ended: bool = False
    counted: bool = True

    def to_act(self):
        return () if self.ended or self.at == 4 or not self.left else ("walker",)

    def returns(self):
        return {"walker": 1.0 if self.at == 4 else 0.25 if self.ended else 0.0}

    def seen_by(self, agent):
        return self

    def legal(self, agent):
        return ("back", "on", "stop")


class Walking(Game):
    agents = ("walker",)

    def __init__(self, counted=True):
        self.counted = counted

    def start(self, rng, options):
        return Walk(counted=self.counted)

    def read(self, text, view, agent):
        return parse_choice(text, view.legal(agent))

    def advance(self, state, moves, rng):
        (move,) = moves.values()
        if move == "stop":
            return replace(state, ended=True)
        step = 1 if move == "on" else -1
        return replace(state, at=state.at + step, left=state.left - state.counted)

    def rules(self, agent):
        return "Walk."

    def describe(self, view, agent):
        return str(view)


def test_one_player_takes_the_shortest_way():
    env = Env(Walking())
    (episode,) = rollout(env, SearchAgent(), seed=1)
    assert [step.reply for step in episode.steps] == ["on"] * 4
    (episode,) = rollout(env, SearchAgent(depth=4), seed=1)
    assert [step.reply for step in episode.steps] == ["on"] * 4
    near = start(Walking(), "walker", state=Walk(at=3))
    assert SearchAgent(nodes=0, simulations=50).act([near]) == ["on"]


def test_a_game_that_can_go_on_for_ever_is_simulated():
    turn = start(Walking(counted=False), "walker", state=Walk(at=3, counted=False))
    agent = SearchAgent(simulations=30, nodes=20_000)
    assert agent.act([turn]) == ["on"]
    assert agent._tables[Walking, (), (("counted", False),)] == {turn.position.state: None}
    far = start(Walking(), "walker", state=Walk(left=2000, at=-900))
    assert SearchAgent(simulations=2, nodes=10**6).act([far])[0] in far.legal  # too deep to recurse


class Waiting(Walking):
    """Whoever gives up or has waited three times has lost."""

    agents = ("waiter",)

    def start(self, rng, options):
        return Wait()

    def advance(self, state, moves, rng):
        return Wait(state.left - 1 if moves["waiter"] == "wait" else 0)


@dataclass(frozen=True)
class Wait:
    left: int = 3

    def to_act(self):
        return ("waiter",) if self.left else ()

    def returns(self):
        return {"waiter": 0.0 if self.left else -1.0}

    def seen_by(self, agent):
        return self

    def legal(self, agent):
        return ("give up", "wait")


@dataclass(frozen=True)
class Bet:
    total: float | None = None

    def to_act(self):
        return ("gambler",) if self.total is None else ()

    def returns(self):
        return {"gambler": self.total or 0.0}

    def seen_by(self, agent):
        return self

    def legal(self, agent):
        return ("toss", "take")


class Coin(Game):
    """Take what is sure, or toss a coin for 4."""

    agents = ("gambler",)

    def __init__(self, sure):
        self.sure = sure

    def start(self, rng, options):
        return Bet()

    def read(self, text, view, agent):
        return parse_choice(text, view.legal(agent))

    def advance(self, state, moves, rng):
        if moves["gambler"] == "take":
            return Bet(self.sure)
        return Bet(4.0 * rng.integers(2))

    def rules(self, agent):
        return "Toss or take."

    def describe(self, view, agent):
        return str(view)


@pytest.mark.parametrize("depth", [None, 1])
def test_chance_is_drawn_again_for_each_simulation(depth):
    agent = SearchAgent(depth, simulations=300)
    for sure, best in ((3.0, "take"), (1.0, "toss")):  # a toss is worth 2
        turns = [start(Coin(sure), "gambler", seed=derive_seed(seed)) for seed in range(10)]
        assert set(agent.act(turns)) == {best}
        assert agent.act(turns) == SearchAgent(depth, simulations=300).act(turns)


@dataclass(frozen=True)
class Share:
    points: tuple[int, ...] = (0, 0, 0)
    turn: int = 0

    def to_act(self):
        return ("abc"[self.turn],) if self.turn < 3 else ()

    def returns(self):
        return dict(zip("abc", map(float, self.points), strict=True))

    def seen_by(self, agent):
        return self

    def legal(self, agent):
        return ("next", "keep")


class Sharing(Game):
    """Three seats in turn keep one point, or give three to the next."""

    agents = ("a", "b", "c")

    def start(self, rng, options):
        return Share()

    def read(self, text, view, agent):
        return parse_choice(text, view.legal(agent))

    def advance(self, state, moves, rng):
        (move,) = moves.values()
        points = list(state.points)
        if move == "keep":
            points[state.turn] += 1
        else:
            points[(state.turn + 1) % 3] += 3
        return Share(tuple(points), state.turn + 1)

    def rules(self, agent):
        return "Share."

    def describe(self, view, agent):
        return str(view)


def test_three_seats_play_each_for_itself():
    for agent in (SearchAgent(), SearchAgent(depth=3), SearchAgent(nodes=0, simulations=300)):
        (episode,) = rollout(Env(Sharing()), agent, seed=1)
        assert [step.reply for step in episode.steps] == ["keep"] * 3


@pytest.mark.parametrize("env_id", ["game:KuhnPoker-v0", "game:GuessTheNumber-v0"])
def test_it_refuses_games_with_secrets(env_id):
    match = f"{env_id} gives .* no position to search from: .* perfect information"
    with pytest.raises(ValueError, match=match):
        SearchAgent().act([at(env_id, "")])


@pytest.mark.parametrize("agent", [SearchAgent(), SearchAgent(depth=2), SearchAgent(nodes=0)])
def test_it_refuses_games_where_all_act_at_once(agent):
    turn = at("game:RockPaperScissors-v0", "")
    with pytest.raises(ValueError, match="left, right act at the same time in RockPaperScissors"):
        agent.act([turn])


class Spy(Share):
    """c sees less than a and b."""

    def seen_by(self, agent):
        return self if agent != "c" else replace(self)


def test_it_refuses_what_the_others_do_not_see():
    with pytest.raises(ValueError, match="c does not see all of Sharing"):
        SearchAgent().act([start(Sharing(), "a", state=Spy())])


class Stuck(Share):
    def legal(self, agent):
        return () if self.turn == 0 else ("keep",)


def test_it_names_what_else_is_wrong():
    with pytest.raises(ValueError, match="b is not to act here, but a"):
        SearchAgent().act([start(Sharing(), "b")])
    with pytest.raises(ValueError, match="Sharing lists no legal moves of a"):
        SearchAgent().act([start(Sharing(), "a", state=Stuck())])
    for wrong in ({"depth": 0}, {"depth": 401}, {"simulations": 0}, {"nodes": -1}):
        ((name, value),) = wrong.items()
        with pytest.raises(ValueError, match=f"{name}={value}: expected"):
            SearchAgent(**wrong)


@pytest.mark.parametrize("format", ["boxed", "bracket", "answer", "bare", "auto"])
def test_replies_have_the_format_of_the_environment(format):
    env = gem_ma.make(C4, format=format)
    agent = SearchAgent(depth=2)
    episodes = rollout(env, [agent, "random"], episodes=3, seed=2)
    assert won(episodes) == 3
    assert not any(step.invalid for episode in episodes for step in episode.steps)
    begins = {"boxed": r"\boxed{", "bracket": "[", "answer": "<answer>"}.get(format, "")
    assert all(step.reply.startswith(begins) for episode in episodes for step in episode.steps)
