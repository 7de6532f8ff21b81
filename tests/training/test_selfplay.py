"""Opponents out of a pool, what is known of them, exact values, and learning by self-play."""

import importlib.util
import json
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import warm

import gem_ma
from gem_ma.agents import ScriptedAgent
from gem_ma.envs.boards.tic_tac_toe import TicTacToe
from gem_ma.envs.cards.kuhn_poker import AGENTS, CARDS, KuhnPoker, State
from gem_ma.envs.cards.leduc_poker import LeducPoker
from gem_ma.envs.markets.rock_paper_scissors import RockPaperScissors
from gem_ma.training.advantages import build_turn_table
from gem_ma.training.selfplay import (
    OpponentPool,
    compute_best_response,
    compute_expected_returns,
    nash_conv,
)
from gem_ma.training.selfplay_opponent import SelfPlayOpponent

ROOT = Path(__file__).parents[2]
KUHN = "game:KuhnPoker-v0"
TTT = "game:TicTacToe-v0"


class First:
    """Reply with the first, or some other, of the legal moves; learn by changing which."""

    def __init__(self, place=0, name="learner"):
        self.place = place
        self.name = name

    def act(self, turns):
        return [turn.legal[self.place % len(turn.legal)] for turn in turns]

    def __repr__(self):
        return self.name


def example(name):
    """Return a file of the examples or benchmarks as a module."""
    spec = importlib.util.spec_from_file_location(Path(name).stem, ROOT / name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def uniform(seat, view):
    legal = view.legal(seat)
    return [1 / len(legal)] * len(legal)


def test_an_empty_pool_leaves_the_learner_itself():
    learner = First()
    others = OpponentPool().make_opponents(learner)
    episodes = others.name_opponents(gem_ma.rollout(TTT, [learner, others], 4, seed=1))
    assert {name for e in episodes for name in e.agents.values()} == {"learner"}


def test_each_episode_meets_one_opponent_that_is_named_afterwards():
    learner = First()
    pool = OpponentPool({"a": First(1), "b": First(2), "c": "random"})
    others = pool.make_opponents(learner, mirror=0.25, seed=3)
    played = gem_ma.rollout(TTT, [learner, others], 400, seed=1, shuffle=True)
    episodes = others.name_opponents(played)
    met = Counter()
    for before, after in zip(played, episodes, strict=True):
        (seat,) = [seat for seat, name in before.agents.items() if name == repr(others)]
        drawn = after.agents[seat]
        met[drawn] += 1
        assert after.agents == {**before.agents, seat: drawn}
        if drawn != "c":  # it replied as the one that it was said to be
            place = {"learner": 0, "a": 1, "b": 2}[drawn]
            own = [step for step in after.steps if step.agent == seat]
            assert [int(s.reply) for s in own] == [replied(after, s, place) for s in own]
    assert met.keys() == {"learner", "a", "b", "c"}
    assert all(70 <= count <= 130 for count in met.values())
    assert {e.agents["x"] for e in episodes} > {"learner", "a"}  # shuffle swaps seats
    assert {e.agents["o"] for e in episodes} > {"learner", "a"}


def replied(episode, step, place):
    """Return the cell that an agent marks if it always takes the move in this place."""
    before = {int(s.reply) for s in episode.steps if s.number < step.number}
    free = [cell for cell in range(9) if cell not in before]
    return free[place % len(free)]


def test_who_is_drawn_depends_on_seeds_alone():
    pool = OpponentPool({"a": First(1), "b": First(2)})
    some, same, other = (pool.make_opponents(First(), seed=seed) for seed in (1, 1, 2))
    first = gem_ma.rollout(TTT, [First(), some], 40, seed=1, concurrency=1)
    again = gem_ma.rollout(TTT, [First(), same], 40, seed=1, concurrency=64)
    assert first == again
    assert some.name_opponents(first) == same.name_opponents(again)
    assert [other.find_opponent_name(e.id, "o") for e in first] != [
        some.find_opponent_name(e.id, "o") for e in first
    ]
    assert repr(some) == "OpponentMixture({'a': 0.5, 'b': 0.5}, seed=1)"


def test_a_copy_is_frozen():
    learner = First()
    pool = OpponentPool({"old": learner})
    learner.place = 5
    (episode,) = gem_ma.rollout(TTT, [learner, pool.make_opponents(learner)], 1, seed=1)
    assert [step.reply for step in episode.steps[:2]] == ["5", "0"]


def test_weights():
    pool = OpponentPool({name: First() for name in "abcd"})
    assert pool.compute_weights("learner") == dict.fromkeys("abcd", 0.25)
    assert pool.compute_weights("learner", latest=2) == {"c": 0.5, "d": 0.5}
    assert pool.compute_weights("learner", latest=9) == pool.compute_weights("learner")
    for choice in ("hard", "even"):  # before anything is known
        assert pool.compute_weights("learner", choice) == dict.fromkeys("abcd", 0.25)
    pool._scores = {("learner", "a"): (8, 8), ("learner", "b"): (0, 8), ("learner", "c"): (4, 8)}
    for choice, kind in (("hard", lambda p: (1 - p) ** 2), ("even", lambda p: p * (1 - p))):
        raw = [kind(p) for p in (0.9, 0.1, 0.5, 0.5)]
        expected = dict(zip("abcd", [r / sum(raw) for r in raw], strict=True))
        assert pool.compute_weights("learner", choice) == pytest.approx(expected)
        newest = pool.compute_weights("learner", choice, latest=2)
        assert newest == pytest.approx({"c": 0.5, "d": 0.5})
    assert OpponentPool().compute_weights("learner", "hard") == {}


def test_prioritised_choice_meets_the_hard_ones_more_often():
    learner = First()
    pool = OpponentPool({"bad": ScriptedAgent(["0"] * 9), "good": "search"})
    first = pool.make_opponents(learner)
    pool.record(
        first.name_opponents(gem_ma.rollout(TTT, [learner, first], 40, seed=1, invalid="lose"))
    )
    weights = pool.compute_weights("learner", "hard")
    assert weights["good"] > 0.95
    others = pool.make_opponents(learner, "hard")
    assert f"{weights['good']:.3g}" in repr(others)
    met = Counter(others.find_opponent_name(f"2-{number}", "o") for number in range(1000))
    assert met["good"] / 1000 == pytest.approx(weights["good"], abs=0.03)


def test_the_turns_to_learn_from_are_the_learners():
    learner = First()
    others = OpponentPool({"old": "random"}).make_opponents(learner, mirror=0.5)
    played = gem_ma.rollout(TTT, [learner, others], 20, seed=1, shuffle=True)
    rows = build_turn_table(others.name_opponents(played))
    both = [e.id for e in others.name_opponents(played) if set(e.agents.values()) == {"learner"}]
    assert 0 < len(both) < 20
    own = rows[rows.agent == "learner"]
    for episode in played:
        seats = set(own.seat[own.episode == episode.id].tolist())
        assert len(seats) == (2 if episode.id in both else 1)


def test_several_opponents_at_one_table():
    learner = First()
    pool = OpponentPool({"a": First(1), "b": First(2)})
    others = pool.make_opponents(learner)
    seats = gem_ma.make("game:PublicGoods-v0").possible_agents
    played = gem_ma.rollout(
        "game:PublicGoods-v0", [learner, *[others] * (len(seats) - 1)], 6, seed=1, invalid="random"
    )
    episodes = others.name_opponents(played)
    assert {tuple(sorted(set(e.agents.values()))) for e in episodes} > {("a", "b", "learner")}
    pool.record(episodes)
    names, _, games = pool.compute_win_rates()
    assert set(names) == {"a", "b", "learner"}
    assert games[names.index("learner")].sum() == 6 * (len(seats) - 1)


def test_what_cannot_be():
    pool = OpponentPool({"a": "random"})
    with pytest.raises(ValueError, match="the pool has an agent 'a' already"):
        pool.add("a", First())
    with pytest.raises(ValueError, match="no agent 'rendom'"):
        pool.add("b", "rendom")
    with pytest.raises(ValueError, match="choice='best': expected one of uniform, hard, even"):
        pool.compute_weights("learner", "best")
    with pytest.raises(ValueError, match="latest=0"):
        pool.compute_weights("learner", latest=0)
    with pytest.raises(ValueError, match="mirror=2"):
        pool.make_opponents(First(), mirror=2)
    with pytest.raises(ValueError, match="decay=-1"):
        OpponentPool(decay=-1)
    with pytest.raises(
        ValueError, match="the learner and an agent of the pool both have the name 'a'"
    ):
        pool.make_opponents(First(name="a"))
    assert pool.names == ("a",)


def test_win_rates_and_games():
    pool = OpponentPool({"solver": "search", "loser": ScriptedAgent(["0"] * 9)})
    for one, two, seed in (("solver", "loser", 1), ("learner", "solver", 2)):
        players = {"solver": "search", "learner": First(), "loser": ScriptedAgent(["0"] * 9)}
        for episode in gem_ma.rollout(TTT, [players[one], players[two]], 5, seed=seed):
            episode.agents = {"x": one, "o": two}
            pool.record([episode])
    names, rates, games = pool.compute_win_rates()
    assert names == ("solver", "loser", "learner")
    assert games.tolist() == [[0, 5, 5], [5, 0, 0], [5, 0, 0]]
    assert (rates[0, 1], rates[1, 0]) == (1.0, 0.0)
    assert rates[0, 2] + rates[2, 0] == 1.0
    assert np.isnan(rates[1, 2])
    assert np.isnan(np.diag(rates)).all()


def test_a_draw_is_half_a_win():
    pool = OpponentPool({"solver": "search"})
    episodes = gem_ma.rollout(TTT, "search", 4, seed=1)
    for episode in episodes:
        assert episode.returns == {"x": 0.0, "o": 0.0}
        episode.agents = {"x": "learner", "o": "solver"}
    pool.record(episodes)
    assert pool.compute_win_rates().rates[0, 1] == 0.5


def test_old_games_of_a_learner_fade_and_those_of_copies_do_not():
    pool = OpponentPool({"a": "random", "b": "random"}, decay=0.5)
    episodes = gem_ma.rollout(TTT, "random", 8, seed=1)
    for number, episode in enumerate(episodes):
        episode.agents = {"x": "a", "o": "b" if number < 4 else "learner"}
    pool.record(episodes)
    before = pool.compute_win_rates()
    pool.record([])
    names, rates, games = pool.compute_win_rates()
    assert names == ("a", "b", "learner")
    assert games[0].tolist() == [0, 4, 2]
    assert np.array_equal(rates, before.rates, equal_nan=True)


def test_a_pool_is_saved_and_goes_on(tmp_path):
    learner = First()
    pool = OpponentPool({"solver": "search:depth=2", "old": First(3)}, decay=0.9)
    others = pool.make_opponents(learner, seed=1)
    pool.record(others.name_opponents(gem_ma.rollout(TTT, [learner, others], 10, seed=1)))
    pool.save(tmp_path / "pool.json")
    assert json.loads((tmp_path / "pool.json").read_text())["agents"]["old"] is None
    same = OpponentPool.load(tmp_path / "pool.json", {"old": First(3)})
    assert (same.names, same.decay) == (pool.names, 0.9)
    assert same.compute_weights("learner", "hard") == pool.compute_weights("learner", "hard")
    one, two = (p.make_opponents(learner, "hard", seed=2) for p in (pool, same))
    assert repr(one) == repr(two)
    runs = [gem_ma.rollout(TTT, [learner, others], 10, seed=2) for others in (one, two)]
    assert runs[0] == runs[1]
    same.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "pool.json").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.json", "pool.json"]
    with pytest.raises(ValueError, match=r"agents= needs old$"):
        OpponentPool.load(tmp_path / "pool.json")
    with pytest.raises(ValueError, match=r"agents= may not have young$"):
        OpponentPool.load(tmp_path / "pool.json", {"old": First(), "young": First()})
    (tmp_path / "else.json").write_text('{"agents": {}}')
    with pytest.raises(ValueError, match=r"else\.json is not a file of OpponentPool.save"):
        OpponentPool.load(tmp_path / "else.json")


class Kept(First):
    """One that can be in a checkpoint."""

    def state_dict(self):
        return {"place": self.place}

    def load_state_dict(self, state):
        self.place = state["place"]


def test_rivals_go_on_from_their_state():
    def played(rivals, seed):
        rivals.seed = seed
        seats = {"x": rivals.learner, "o": rivals}
        return [rivals.record(episode) for episode in gem_ma.rollout(TTT, seats, 8, seed=seed)]

    rivals = SelfPlayOpponent(
        Kept(), OpponentPool({"random": "random"}), choice="hard", mirror=0.25
    )
    told = played(rivals, 1)
    assert {one["won"] for one in told} <= {0.0, 0.5, 1.0}
    met = rivals.pool.compute_win_rates().games.sum() / 2
    assert 0 < met <= 8  # the rest it played against itself
    rivals.learner.place = 3
    rivals.copy_every(5)(type("Trainer", (), {"step": 5}))
    assert rivals.pool.names == ("random", "update 5")
    state = json.loads(json.dumps(rivals.state_dict()))
    again = SelfPlayOpponent(Kept(3), choice="hard", mirror=0.25)
    again.load_state_dict(state)
    assert again.pool.agents["update 5"].place == 3
    assert again.pool.agents["update 5"] is not again.learner
    assert played(again, 2) == played(rivals, 2)
    assert again.state_dict() == rivals.state_dict()
    with pytest.raises(ValueError, match="old is a First without a state_dict"):
        OpponentPool({"old": First()}).state_dict()


def test_rivals_leave_a_share_to_others():
    rivals = SelfPlayOpponent(
        Kept(), OpponentPool({"a": First(1)}), mirror=0.5, beside={"random": 0.25, "a": 0}
    )
    rivals.seed = 3
    assert repr(rivals.opponents) == (
        "OpponentMixture({'a': 0.375, 'learner': 0.375, 'random': 0.25}, seed=3)"
    )
    played = gem_ma.rollout(TTT, {"x": rivals.learner, "o": rivals}, 200, seed=1)
    for episode in played:
        rivals.record(episode)
    rates = rivals.pool.compute_win_rates()
    games = rates.games[rates.names.index("learner")]
    assert 30 <= games[rates.names.index("random")] <= 70
    assert 50 <= games[rates.names.index("a")] <= 100
    for wrong in ({"random": 1.5}, {"random": -0.5, "search": 0.5}):
        with pytest.raises(
            ValueError, match="expected shares of 0 or more with a sum of at most 1"
        ):
            SelfPlayOpponent(Kept(), beside=wrong)


@pytest.mark.parametrize(
    ("game", "first", "conv"), [(KuhnPoker, 1 / 8, 11 / 12), (LeducPoker, -0.078125, 4.747222)]
)
def test_random_play(game, first, conv):
    assert compute_expected_returns(game(), uniform) == pytest.approx(
        {"first": first, "second": -first}
    )
    assert nash_conv(game(), uniform) == pytest.approx(conv, abs=1e-6)


@pytest.mark.parametrize("alpha", [0, 0.2, 1 / 3])
def test_the_equilibria_of_kuhn_poker(alpha):
    """Those of Kuhn (1950): one for each share of bluffs with the jack, all worth -1/18."""

    def policy(seat, view):
        card = view.cards[AGENTS.index(seat)]
        aggressive = {
            (): {"J": alpha, "Q": 0, "K": 3 * alpha},
            ("check", "bet"): {"J": 0, "Q": alpha + 1 / 3, "K": 1},
            ("check",): {"J": 1 / 3, "Q": 0, "K": 1},
            ("bet",): {"J": 0, "Q": 1 / 3, "K": 1},
        }[view.bets][card]
        return 1 - aggressive, aggressive

    assert nash_conv(KuhnPoker(), policy) == pytest.approx(0, abs=1e-12)
    assert compute_best_response(KuhnPoker(), policy, "first") == pytest.approx(-1 / 18)
    assert compute_best_response(KuhnPoker(), policy, "second") == pytest.approx(1 / 18)


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker"])
def test_random_policies_score_as_in_openspiel(name):
    pyspiel = pytest.importorskip("pyspiel", reason="pip install 'gem-ma[oracles]'")
    from open_spiel.python import policy as policies
    from open_spiel.python.algorithms import exploitability

    theirs, ours = pyspiel.load_game(name), {"kuhn_poker": KuhnPoker, "leduc_poker": LeducPoker}
    table = policies.TabularPolicy(theirs)
    rng = np.random.default_rng(1)
    rows = {}  # what a seat sees -> its probabilities, in the order of its legal moves here

    def policy(seat, view):
        return rows.setdefault((seat, view), rng.dirichlet(np.ones(len(view.legal(seat)))))

    value = nash_conv(ours[name](), policy)
    pairs = dict(walk(name, theirs.new_initial_state()))
    assert pairs.keys() == set(table.state_lookup)
    assert set(pairs.values()) == rows.keys()
    for information, key in pairs.items():
        row = table.action_probability_array[table.state_lookup[information]]
        row[:] = 0
        for move, share in zip(key[1].legal(key[0]), rows[key], strict=True):
            row[MOVES[name][move]] = share
    assert exploitability.nash_conv(theirs, table) == pytest.approx(value, abs=1e-9)


MOVES = {
    "kuhn_poker": {"check": 0, "fold": 0, "bet": 1, "call": 1},
    "leduc_poker": {"fold": 0, "check": 1, "call": 1, "raise": 2},
}


def walk(name, node, cards=(), played=()):
    """Yield what OpenSpiel calls each information set, and the seat and its view here."""
    if node.is_terminal():
        return
    if node.is_chance_node():
        for action, _ in node.chance_outcomes():
            yield from walk(name, node.child(action), (*cards, action), played)
        return
    seat, view = seen(name, cards, played)
    yield node.information_state_string(), (seat, view)
    for move in view.legal(seat):
        after = node.child(MOVES[name][move])
        yield from walk(name, after, cards, (*played, move))


def seen(name, cards, played):
    """Return who is to act after these moves, and what it sees."""
    if name == "kuhn_poker":
        game, state = KuhnPoker(), State(tuple(CARDS[card] for card in cards))
    else:  # two cards of each rank, side by side
        game = LeducPoker()
        state = game.start(np.random.default_rng(0), {})
        state = type(state)(tuple(CARDS[card // 2] for card in cards[:2]))
    for move in played:
        (seat,) = state.to_act()
        draw = Deal(state, CARDS[cards[2] // 2]) if len(cards) == 3 else None
        state = game.advance(state, {seat: move}, draw)
    (seat,) = state.to_act()
    return seat, state.seen_by(seat)


class Deal:
    """A generator that deals a certain open card."""

    def __init__(self, state, card):
        deck = list(2 * CARDS)
        for held in state.cards:
            deck.remove(held)
        self.place = deck.index(card)

    def integers(self, count):
        return self.place


def test_exact_values_need_turns_and_known_dice():
    with pytest.raises(ValueError, match="act at the same time in RockPaperScissors"):
        nash_conv(RockPaperScissors(), uniform)
    with pytest.raises(ValueError, match="the policy gave 1 probabilities for check, bet"):
        nash_conv(KuhnPoker(), lambda seat, view: [1.0])

    class Odd(KuhnPoker):
        def start(self, rng, options):
            return rng.normal()

    with pytest.raises(ValueError, match=r"chance draws by rng.normal here"):
        nash_conv(Odd(), uniform)


def test_a_best_response_looks_through_a_fixed_policy():
    """Whoever always marks the first free cell loses to a perfect player in both seats."""

    def first(seat, view):
        return [1.0] + [0.0] * (len(view.legal(seat)) - 1)

    game = TicTacToe()
    assert compute_expected_returns(game, first) == {"x": 1.0, "o": -1.0}
    assert compute_best_response(game, first, "x") == compute_best_response(game, first, "o") == 1.0


def test_kuhn_poker_is_learnt_by_self_play():
    kuhn = example("examples/selfplay_kuhn.py")
    assert kuhn.score(kuhn.TabularAgent()) == pytest.approx(11 / 12)
    (last,) = kuhn.train(6000, seed=0)
    _, agent, average = last
    assert len(agent.table) == 12  # all information sets, each by its own text
    assert kuhn.score(average) < 0.25
    assert kuhn.score(average) < kuhn.score(agent)  # which goes round in circles


def test_self_play_learns_the_same_again():
    kuhn = example("examples/selfplay_kuhn.py")
    tables = []
    for _ in range(2):
        pool = OpponentPool()
        ((_, agent, _),) = kuhn.train(320, seed=3, batch=16, pool=pool)
        tables.append(
            (agent.table, pool.compute_win_rates().names, pool.compute_win_rates().games.tolist())
        )
    assert tables[0] == tables[1]
    assert len(tables[0][1]) > 10


def test_the_texts_of_play_are_those_of_the_exact_walk():
    kuhn = example("examples/selfplay_kuhn.py")
    walked = set()

    def policy(seat, view):
        walked.add(kuhn.GAME.describe(view, seat))
        return uniform(seat, view)

    nash_conv(kuhn.GAME, policy)
    episodes = gem_ma.rollout(KUHN, "random", 300, seed=1)
    assert {kuhn.seen(step.text) for e in episodes for step in e.steps} == walked
    assert len(walked) == 12


def test_the_example_says_how_it_goes():
    script = ROOT / "examples" / "selfplay_kuhn.py"
    command = [*warm.python(), str(script), "--games", "640", "--pool"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "random play: NashConv 0.917" in out
    assert "640 games: NashConv" in out
    assert "learner against after 32:" in out


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_kuhn_poker_is_learnt_with_every_seed(seed):
    kuhn = example("examples/selfplay_kuhn.py")
    scores = [kuhn.score(mean) for _, _, mean in kuhn.train(100_000, seed, marks=(30_000, 100_000))]
    assert scores[0] < 0.15
    assert scores[1] < 0.05


def test_a_role_baseline_takes_the_transfer_out_of_the_gradient():
    kuhn = example("benchmarks/kuhn.py")
    for transfer, alone in ((0, 1.182), (1, 1.682), (2, 3.307), (4, 9.932)):
        for baseline, expected in (("no", alone), ("shared", alone), ("role", 1.183)):
            spread, slope = kuhn.gradient(transfer, baseline)
            assert spread == pytest.approx(expected, abs=5e-4)
            assert slope == pytest.approx(kuhn.gradient(0, "no")[1])  # the same way to go


@pytest.mark.slow
def test_tic_tac_toe_gets_better_by_self_play():
    kuhn = example("benchmarks/kuhn.py")
    losses = []
    for games in (0, 4000):
        agent = kuhn.taught(games)
        played = gem_ma.rollout(TTT, [agent, "random"], 200, seed=2, shuffle=True)
        seats = [next(s for s, name in e.agents.items() if name == "table") for e in played]
        losses.append(sum(e.returns[seat] < 0 for e, seat in zip(played, seats, strict=True)))
    assert losses[0] > 60
    assert losses[1] < losses[0] / 2


@pytest.mark.slow
def test_the_benchmark_runs():
    script = ROOT / "benchmarks" / "kuhn.py"
    command = [*warm.python(), str(script), "--quick", "--json", "curves", "pool", "transfer"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    names = {row["name"].partition(":")[0] for row in json.loads(out)}
    assert names == {"curves", "pool", "transfer"}


@pytest.mark.slow
def test_tic_tac_toe_is_learnt_to_perfection():
    kuhn = example("benchmarks/kuhn.py")
    options = type("Options", (), {"quick": False})
    rows = list(kuhn.tictactoe(options))
    assert all(row["good"] in (True, None) for row in rows)
    assert sum(row["good"] is True for row in rows) == 5
