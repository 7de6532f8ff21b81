"""Advantages: by hand, against plain loops, and exactly, as gradients of all batches of a game."""

import doctest
import importlib.util
import json
import math
from dataclasses import astuple, replace
from pathlib import Path

import numpy as np
import pytest
from playable import unless

import gem_ma
from gem_ma.rollouts.episode import EpisodeFailure
from gem_ma.training import advantages
from gem_ma.training.advantages import (
    TurnTable,
    build_turn_table,
    compute_returns,
    dr_grpo,
    expand_to_tokens,
    gae,
    grpo,
    make_example,
    normalise,
    rae,
    rebn,
    rloo,
)
from gem_ma.training.token_samples import ReplySpan, TokenSample

_file = Path(__file__).parents[2] / "benchmarks" / "estimators.py"
_spec = importlib.util.spec_from_file_location("estimators", _file)
estimators = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(estimators)

KUHN = "game:KuhnPoker-v0"
SEEDS = [unless(seed < 4, seed) for seed in range(12)]
GROUPED = [grpo, dr_grpo, rloo]


def drawn(seed):
    """Return a table of random episodes whose turns are interleaved, and rewarded at any time."""
    rng = np.random.default_rng(seed)
    rows = []
    for episode in range(int(rng.integers(1, 30))):
        seats = ["first", "second", "third"][: int(rng.integers(1, 4))]
        own = [(seat, rng.random() < 0.3) for seat in rng.choice(seats, rng.integers(1, 9))]
        for step, (seat, cut) in enumerate(own):
            last = seat not in [other for other, _ in own[step + 1 :]]
            rows.append(
                (
                    f"e{episode}", step, seat, f"env{episode // 5 % 2}", f"model{episode % 3}",
                    episode // 5, 3 * episode + seats.index(seat), rng.normal(), last, last and cut,
                )
            )  # fmt: skip
    return TurnTable(*(np.array(column) for column in zip(*rows, strict=True)))


def paths(rows):
    """Return the rows of each seat of each episode, in their order."""
    found = {}
    for i in range(len(rows)):
        found.setdefault((rows.episode[i], rows.seat[i]), []).append(i)
    return list(found.values())


def compared(rows, by):
    """Return the trajectories that are compared with each, as positions in `paths`."""
    keys = [tuple(getattr(rows, name)[path[0]] for name in by) for path in paths(rows)]
    return [[j for j, other in enumerate(keys) if other == key] for key in keys]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("gamma", [1.0, 0.9, 0.0])
def test_returns_are_sums_over_own_turns(seed, gamma):
    rows = drawn(seed)
    expected = np.zeros(len(rows))
    for path in paths(rows):
        for place, i in enumerate(path):
            expected[i] = sum(gamma**later * rows.reward[j] for later, j in enumerate(path[place:]))
    assert np.allclose(compute_returns(rows, gamma), expected)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("gamma", "lam"), [(1.0, 1.0), (0.9, 0.95), (0.5, 0.0)])
def test_gae_is_a_discounted_sum_of_surprises(seed, gamma, lam):
    rows = drawn(seed)
    rng = np.random.default_rng(seed)
    values, after = rng.normal(size=(2, len(rows)))
    expected = np.zeros(len(rows))
    for path in paths(rows):
        rest = after[path[-1]] if rows.truncated[path[-1]] else 0.0
        expects = [*values[path], rest]
        surprises = [
            rows.reward[j] + gamma * expects[k + 1] - expects[k] for k, j in enumerate(path)
        ]
        for place, i in enumerate(path):
            expected[i] = sum((gamma * lam) ** k * d for k, d in enumerate(surprises[place:]))
    assert np.allclose(gae(rows, values, gamma, lam, after), expected)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "by", [(), ("group", "seat"), ("env",), ("agent", "episode"), ("seat", "agent", "env")]
)
def test_groups_are_compared_by_their_totals(seed, by):
    rows = drawn(seed)
    own = paths(rows)
    totals = np.array([rows.reward[path].sum() for path in own])
    expected = np.zeros((3, len(rows)))
    for i, (path, others) in enumerate(zip(own, compared(rows, by), strict=True)):
        group = totals[others]
        centred = totals[i] - group.mean()
        rest = [totals[j] for j in others if j != i]
        if rest:
            expected[0, path] = centred / group.std()
            expected[2, path] = totals[i] - np.mean(rest)
        expected[1, path] = centred
    for found, function in zip(expected, GROUPED, strict=True):
        assert np.allclose(function(rows, by), found)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_batch_is_normalised_over_turns(seed):
    rows = drawn(seed)
    gained = compute_returns(rows, 0.9)
    assert np.allclose(rebn(rows, 0.9), (gained - gained.mean()) / gained.std())
    found = rebn(rows, 0.9, by=("seat",))
    for seat in set(rows.seat.tolist()):
        own = gained[rows.seat == seat]
        spread = own.std() if len(own) > 1 else 1.0
        assert np.allclose(found[rows.seat == seat], (own - own.mean()) / spread)


def test_keys_are_compared_as_a_whole():
    """Three columns of one to four values each, crossed: no two combinations fall together."""
    every = [(e, s, a) for e in range(1) for s in range(4) for a in range(3) for _ in range(2)]
    columns = {
        name: np.array(column) for name, column in zip("esa", zip(*every, strict=True), strict=True)
    }
    many = np.arange(len(every))
    rows = TurnTable(many, many, columns["s"], columns["e"], columns["a"], many, many,
                 many**2.0, many >= 0, many < 0)  # fmt: skip
    for by in (("env", "seat", "agent"), ("agent", "seat"), ("seat", "agent", "env")):
        found = dr_grpo(rows, by)
        half = np.diff(many**2.0)[::2] / 2  # of the two rows that agree
        assert np.allclose(found, np.column_stack([-half, half]).ravel())
    assert rae(rows, by=("seat", "agent"))[1].keys() == {
        f"{seat} {agent}" for seat in range(4) for agent in range(3)
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_role_baselines_are_read_before_they_learn(seed):
    rows = drawn(seed)
    expected, baselines = np.zeros(len(rows)), {}
    for path in paths(rows):
        role = f"{rows.env[path[0]]} {rows.seat[path[0]]}"
        total, before = rows.reward[path].sum(), baselines.get(role, 0.0)
        expected[path] = total - before
        baselines[role] = 0.95 * before + 0.05 * total
    found, learnt = rae(rows)
    assert np.allclose(found, expected)
    assert learnt == pytest.approx(baselines)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_rows_is_no_matter(seed):
    rows = drawn(seed)
    order = np.random.default_rng(seed).permutation(len(rows))
    values = np.linspace(-1, 1, len(rows))
    for function in (compute_returns, rebn, *GROUPED):
        assert np.allclose(function(rows)[order], function(rows[order]))
    there = gae(rows, values, 0.9, after=values)[order]
    assert np.allclose(there, gae(rows[order], values[order], 0.9, after=values[order]))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_bonus_for_all_of_a_group_changes_no_advantage(seed):
    """A transfer between seats is such a bonus to each, if they are compared by seat."""
    rows = drawn(seed)
    bonus = np.where(rows.seat == "first", 3.0, -7.0) + rows.group
    paid = replace(rows, reward=rows.reward + bonus * rows.last)
    for function in GROUPED:
        assert np.allclose(function(paid), function(rows))
    across = ("group",)
    if len(set(rows.seat.tolist())) > 1 and len(rows) > 5:
        assert not np.allclose(dr_grpo(paid, across), dr_grpo(rows, across))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("scale", [1e-6, 3.0, 1e9])
def test_what_is_divided_by_its_spread_has_no_unit(seed, scale):
    rows = drawn(seed)
    larger = replace(rows, reward=rows.reward * scale)
    for function in (rebn, grpo):
        assert np.allclose(function(larger), function(rows))
    for function in (compute_returns, dr_grpo, rloo):
        assert np.allclose(function(larger), function(rows) * scale)
    shifted = larger.reward + 1e3 * scale
    assert np.allclose(normalise(shifted, rows), normalise(rows.reward, rows))


@pytest.mark.parametrize("seed", SEEDS)
def test_leave_one_out_is_the_centred_value_made_larger(seed):
    rows = drawn(seed)
    sizes = np.zeros(len(rows))
    for path, others in zip(paths(rows), compared(rows, ("group", "seat")), strict=True):
        sizes[path] = len(others)
    larger = np.where(sizes > 1, sizes / np.maximum(sizes - 1, 1), 0)
    assert np.allclose(rloo(rows), dr_grpo(rows) * larger)


def test_all_alike_is_nothing_and_not_noise():
    # The totals are 0.1 + 0.2, three times 0.1, and 0.3: they differ by rounding.
    rows = replace(make_example(), reward=np.array([0.1, 0.2, 0.1, 0.1, 0.1, 0.3]))
    assert normalise([0.1 + 0.2, 0.3, 0.1 * 3, 0.3, 0.3, 0.3], rows).tolist() == [0.0] * 6
    for value in (0.0, 1e-300, 0.1, -1e12):
        same = replace(rows, reward=np.array([0, value, 0, 0, value, value]))
        for function in GROUPED:
            assert np.allclose(function(same), 0, atol=1e-3)
        assert grpo(same).tolist() == [0.0] * 6
    assert grpo(rows).tolist() == [0.0] * 6


def test_one_alone_has_nothing_to_be_compared_with():
    one = make_example()[:2]
    for function in GROUPED:
        assert function(one).tolist() == [0.0, 0.0]
        assert function(make_example(), by=("trajectory",)).tolist() == [0.0] * 6
    assert rebn(one[1:]).tolist() == [0.0]


def test_no_turns_have_no_advantages():
    rows = build_turn_table([])
    assert len(rows) == len(make_example()[:0]) == 0
    for function in (compute_returns, rebn, *GROUPED):
        assert function(rows).shape == (0,)
    assert gae(rows, []).shape == (0,)
    assert rae(rows, {"env seat": 1.0})[1] == {"env seat": 1.0}


def test_the_examples_in_the_docstrings():
    failures, tried = doctest.testmod(advantages)
    assert (failures, tried > 10) == (0, True)
    columns = [column for column in astuple(make_example()) if column is not None]
    assert {len(column) for column in columns} == {6}


def test_gae_without_a_critic_is_the_return():
    assert np.allclose(
        gae(make_example(), [0] * 6, 0.9, lam=1.0, after=0), compute_returns(make_example(), 0.9)
    )


def test_a_truncation_is_no_end():
    rows = make_example()
    with pytest.raises(ValueError, match=r"1 of the turns are the last before a truncation"):
        gae(rows, [0] * 6)
    value = [0.5] * 6  # of a critic that is right if cut episodes go on to be worth 0.5
    sure = gae(rows, value, after=value)
    assert sure[4] == 0.0
    assert gae(rows, value, after=0)[4] == -0.5
    only = rows[rows.episode != "b"]
    assert np.allclose(gae(only, [0.5] * 3), sure[[0, 1, 5]])  # nothing was cut: no need of after


def test_zero_sum_seats_are_compared_each_for_itself():
    """The first seat wins three games of four; that edge is nobody's merit."""
    won = np.array([1, 1, 1, -1])
    rows = TurnTable(
        episode=np.repeat(list("abcd"), 2),
        step=np.tile([0, 1], 4),
        seat=np.tile(["first", "second"], 4),
        env=np.full(8, "game"),
        agent=np.full(8, "model"),
        group=np.zeros(8, int),
        trajectory=np.arange(8),
        reward=np.stack([won, -won], 1).ravel().astype(float),
        last=np.ones(8, bool),
        truncated=np.zeros(8, bool),
    )
    assert dr_grpo(rows).tolist() == [0.5, -0.5, 0.5, -0.5, 0.5, -0.5, -1.5, 1.5]
    assert dr_grpo(rows, by=("group",)).tolist() == rows.reward.tolist()  # the mean is 0: no use
    baselines = {}
    for _ in range(300):
        found, baselines = rae(rows, baselines, decay=0.99)
    assert np.allclose(found, dr_grpo(rows), atol=0.03)
    assert baselines == pytest.approx({"game first": 0.5, "game second": -0.5}, abs=0.02)


def test_role_baselines_go_on_where_they_stopped():
    rows = drawn(3)
    half = np.flatnonzero(rows.step == 0)[len(set(rows.episode.tolist())) // 2]
    whole, learnt = rae(rows)
    first, saved = rae(rows[:half])
    second, resumed = rae(rows[half:], json.loads(json.dumps(saved)))
    assert np.concatenate([first, second]).tolist() == whole.tolist()
    assert resumed == learnt
    assert saved != learnt  # what was passed in is left as it was


def test_a_role_is_what_is_asked_for():
    rows = replace(make_example(), agent=np.array(["m", "m", "n", "n", "n", "m"]))
    assert set(rae(rows, by=("agent",))[1]) == {"m", "n"}
    assert list(rae(rows, by=())[1]) == [""]


@pytest.mark.parametrize("by", ["seat", ("seats",), ("reward",)])
def test_columns_that_cannot_be_compared(by):
    for function in (rebn, *GROUPED, rae):
        with pytest.raises(ValueError, match="expected a tuple of some of episode, seat, env"):
            function(make_example(), by=by)


def test_values_that_do_not_fit():
    with pytest.raises(ValueError, match=r"values has the shape \(5,\): expected one number for"):
        gae(make_example(), [0] * 5, after=0)
    with pytest.raises(ValueError, match=r"after has the shape \(2,\)"):
        gae(make_example(), [0] * 6, after=[0, 0])
    with pytest.raises(ValueError, match="decay=2: expected 0 to 1"):
        rae(make_example(), decay=2)


def test_turns_of_played_episodes():
    episodes = gem_ma.rollout(KUHN, "random", 30, seed=1, group=3)
    rows = build_turn_table(episodes)
    steps = [(episode, place) for episode in episodes for place in range(len(episode.steps))]
    assert len(rows) == len(steps)
    for i, (episode, place) in enumerate(steps):
        step = episode.steps[place]
        assert (rows.episode[i], rows.step[i], rows.seat[i]) == (episode.id, place, step.agent)
        assert (rows.env[i], rows.agent[i]) == (KUHN, "random")
        assert rows.group[i] == episode.group
        assert rows.last[i] == (step is [s for s in episode.steps if s.agent == step.agent][-1])
    assert not rows.truncated.any()
    totals = {(e.id, seat): value for e in episodes for seat, value in e.returns.items()}
    for path in paths(rows):
        assert len({rows.trajectory[i] for i in path}) == 1
        assert rows.reward[path].sum() == totals[rows.episode[path[0]], rows.seat[path[0]]]
    only = rows[rows.seat == "second"]
    assert set(only.seat.tolist()) == {"second"}
    assert len(only[0]) == 1


def test_episodes_of_one_start_are_a_group_and_others_are_not():
    same = gem_ma.rollout(KUHN, "random", 4, seed=1, group=2)
    other = gem_ma.rollout(KUHN, "random", 2, seed=2, group=2)
    rows = build_turn_table([*same, *other])
    groups = {str(episode): set(rows.group[rows.episode == episode]) for episode in rows.episode}
    assert [groups[id] for id in ("1-0", "1-0.1", "1-1", "1-1.1")] == [{0}, {0}, {1}, {1}]
    assert groups["2-0"] == groups["2-0.1"] == {2}


def test_a_truncated_episode_says_so_at_each_seats_last_turn():
    episodes = gem_ma.rollout("game:TicTacToe-v0", "random", 5, seed=1, max_turns=4)
    rows = build_turn_table(episodes)
    assert {episode.ended for episode in episodes} == {"truncated"}
    assert np.flatnonzero(rows.truncated).tolist() == np.flatnonzero(rows.last).tolist()
    assert rows.truncated.sum() == 10
    # What a seat would have seen next is in the environment after a replay.
    env = gem_ma.make("game:TicTacToe-v0", max_turns=4)
    episodes[0].replay(env)
    board = env.turn("x").text.rpartition("\n\n")[2]
    assert sum(board.count(mark) for mark in "xo") == 4


def test_a_failed_episode_has_no_turns():
    good, bad = gem_ma.rollout(KUHN, "random", 2, seed=1)
    bad.failure = EpisodeFailure("first", "ValueError", "no reply")
    assert set(build_turn_table([good, bad]).episode.tolist()) == {good.id}


def test_two_runs_with_one_seed_cannot_be_told_apart():
    episodes = gem_ma.rollout(KUHN, "random", 2, seed=1)
    with pytest.raises(ValueError, match="two episodes of game:KuhnPoker-v0 have the id 1-0"):
        build_turn_table([*episodes, *episodes])
    build_turn_table([*episodes, *gem_ma.rollout("game:TicTacToe-v0", "random", 2, seed=1)])


def sample(episode, seat, spans, length):
    """Return a sample with so many tokens and replies at these places."""
    mask = [0] * length
    for span in spans:
        mask[span.start : span.end] = [1] * (span.end - span.start)
    return TokenSample(
        list(range(length)), mask, [math.nan] * length, [0.0] * length, spans, {}, {}, [],
        seat, "random", episode.spec.id, episode.id, episode.group,
    )  # fmt: skip


def test_every_token_of_a_reply_gets_its_turns_advantage():
    (episode,) = gem_ma.rollout("game:TicTacToe-v0", "random", 1, seed=1)
    rows = build_turn_table([episode])
    values = np.arange(len(rows)) + 0.5
    first = sample(
        episode,
        "x",
        [ReplySpan(0, 3, 5, 0.0), ReplySpan(2, 8, 8, 0.0), ReplySpan(4, 9, 10, 0.0)],
        11,
    )
    second = sample(episode, "o", [ReplySpan(1, 0, 2, 0.0)], 2)
    found = expand_to_tokens([first, second], rows, values)
    assert found[0] == [0, 0, 0, 0.5, 0.5, 0, 0, 0, 0, 4.5, 0]
    assert found[1] == [1.5, 1.5]
    assert expand_to_tokens([first], rows[rows.seat == "x"], values[rows.seat == "x"]) == found[:1]
    with pytest.raises(
        ValueError, match=r"step 1 of episode 1-0 of game:TicTacToe-v0 is not among"
    ):
        expand_to_tokens([second], rows[rows.seat == "x"], values[rows.seat == "x"])
    with pytest.raises(ValueError, match="values has the shape"):
        expand_to_tokens([first], rows, values[1:])


def test_samples_of_a_model_get_advantages():
    pytest.importorskip("transformers", reason="pip install 'gem-ma[hf]'")
    import tiny_models

    from gem_ma.agents import HFAgent

    tokenizer = tiny_models.tokenizer()
    agent = HFAgent(tiny_models.llm(tokenizer), tokenizer, max_new_tokens=4)
    episodes = gem_ma.rollout("game:TicTacToe-v0", agent, 3, seed=1, max_turns=6, invalid="random")
    rows = build_turn_table(episodes)
    values = np.arange(len(rows)) + 1.0
    for seat in ("x", "o"):
        for episode in episodes:
            cut = gem_ma.training.build_samples(episode, seat, tokenizer)
            weights = expand_to_tokens(cut, rows, values)
            for one, weight in zip(cut, weights, strict=True):
                assert [bool(w) for w in weight] == [bool(m) for m in one.mask]
            told = {w for weight in weights for w in weight if w}
            own = (rows.episode == episode.id) & (rows.seat == seat)
            assert told == set(values[own].tolist())


# Which of them give the gradient: exactly, over all batches of a game.
TRUE = {  # scale of the mean estimate, where it points as the gradient does
    "returns (REINFORCE)": 1.0,
    "RLOO": 1.0,
    "Dr. GRPO": 2 / 3,  # of batches of three
    "GAE, lambda 1, true values": 1.0,
    "GAE, lambda 0.95, true values": 1.0,
    "GAE, lambda 0, true values": 1.0,
    "GAE, lambda 1, wrong values": 1.0,
    "role baselines (RAE)": 1.0,
    "position, mean of the others": 1.0,
}


@pytest.mark.parametrize("name", estimators.ESTIMATORS)
def test_what_is_unbiased(name):
    game = estimators.setting(estimators.steps)
    true = estimators.truth(game)
    mean, variance = estimators.measure(name, game)
    scale = mean @ true / (true @ true)
    off = abs(mean - scale * true).max()
    assert variance > 0
    if name in TRUE:
        assert off < 1e-12
        assert scale == pytest.approx(TRUE[name], abs=1e-12)
    else:
        assert off > 1e-4


@pytest.mark.parametrize("continuations", estimators.VINE.values())
@pytest.mark.parametrize("rules", [estimators.steps, estimators.kuhn])
def test_continuations_are_unbiased(rules, continuations):
    game = estimators.setting(rules)
    mean, variance, turns = estimators.measure_vine(game, continuations)
    assert mean == pytest.approx(estimators.truth(game), abs=1e-12)
    assert variance > 0
    assert turns > 1 + continuations


def test_the_noise_of_continuations_is_that_of_drawn_ones():
    """Continuations are drawn here one by one, in place of their variances."""
    game = estimators.setting(estimators.steps)
    rng = np.random.default_rng(0)
    groups = {}
    for play in game.plays:
        for number in range(len(play.moves) + 1):
            groups.setdefault(estimators.name_position(play, number), []).append(play)
    chances = {name: [play.chance for play in plays] for name, plays in groups.items()}

    def draw(name):
        weights = np.array(chances[name])
        return groups[name][rng.choice(len(weights), p=weights / weights.sum())]

    def estimate():
        total = np.zeros(game.count)
        for _ in range(estimators.BATCH):
            play = draw((0, ()))
            means = [
                estimators.totals_of(draw(estimators.name_position(play, n)))[0]
                for n in range(len(play.moves))
            ]
            means.append(estimators.totals_of(play)[0])
            total += estimators.gradient([play], np.diff(means), game)
        return total / estimators.BATCH

    drawn = np.array([estimate() for _ in range(1500)])
    mean, variance, _ = estimators.measure_vine(game, 1)
    assert drawn.mean(axis=0) == pytest.approx(mean, abs=0.03)
    assert drawn.var(axis=0).sum() == pytest.approx(variance, rel=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("name", TRUE)
def test_kuhn_poker_agrees(name, shared):
    game = estimators.setting(estimators.kuhn, shared)
    true = estimators.truth(game)
    mean, _ = estimators.measure(name, game)
    assert mean == pytest.approx(TRUE[name] * true, abs=1e-12)


def test_the_true_gradient():
    """It is the slope of what the seat earns, as small steps of each parameter measure it."""
    game = estimators.setting(estimators.steps)

    def earned(policy):
        plays = estimators.steps(policy)
        return sum(play.chance * sum(move.reward for move in play.moves) for play in plays)

    step = 1e-6
    for name, place in game.place.items():
        first = game.policy[name]
        slope = first * (1 - first)  # of the likelihood, in its logit
        up, down = ({**game.policy, name: first + sign * step} for sign in (1, -1))
        measured = (earned(up) - earned(down)) / (2 * step) * slope
        assert estimators.truth(game)[place] == pytest.approx(measured, abs=1e-8)
