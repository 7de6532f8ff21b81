"""How much better than expected a turn went: returns and advantages, one for each turn.

Everything here is a pure function of a TurnTable, with one row for each reply:

    rows = build_turn_table(episodes)
    advantages = rebn(rows, gamma=0.9)
    samples = build_samples(episode, "first", tokenizer)
    weights = expand_to_tokens(samples, rows, advantages)

`by` names the columns that must agree for turns to be compared, such as ("env", "seat"); with ()
all are compared with all. In a zero-sum game the mean over both seats is 0 whatever happens, so
comparing across seats takes the edge that a seat has for its merit: compare by "seat".

Write r for the rewards of one seat in one episode, t for its own turns (what arrives while others
move belongs to its turn before), R for the sum of r, and B for what is compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from gem_ma.rollouts.episode import Episode
from gem_ma.validation.arguments import check_each, check_type

if TYPE_CHECKING:
    from gem_ma.training.token_samples import TokenSample

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

_GROUP_COLUMNS = ("episode", "seat", "env", "agent", "group", "trajectory")  # what `by` may name
# A spread that is smaller than this part of the values comes from rounding.
_MIN_RELATIVE_STD = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class TurnTable:
    """A table with one row for each reply; an index, a slice or a mask of rows gives another.

    Choose rows after their advantages are known: a turn's return is in the rows that follow it.
    """

    episode: Array  # its id
    step: Array  # which of the episode's steps
    seat: Array
    env: Array
    agent: Array  # who sat there
    group: Array  # a number for each start; episodes of one group began alike
    trajectory: Array  # a number for each seat of each episode
    reward: Array  # until this seat's next turn
    last: Array  # the seat's last turn
    truncated: Array  # the seat's last turn, after which the episode was cut
    value: Array | None = None  # what a critic expected before the reply

    def __len__(self) -> int:
        return len(self.reward)

    def __getitem__(self, rows: Any) -> TurnTable:
        chosen = np.atleast_1d(np.arange(len(self))[rows])
        columns: Any = [getattr(self, field.name) for field in fields(self)]
        columns = [None if column is None else column[chosen] for column in columns]
        return TurnTable(*columns)


def build_turn_table(episodes: Iterable[Episode]) -> TurnTable:
    """Return all turns of the episodes, in their order; a failed episode has none."""
    starts: dict[str, int] = {}
    trajectories: dict[tuple[str, str, str], int] = {}
    lasts: list[int] = []
    seen: set[tuple[str, str]] = set()
    rows: list[tuple[Any, ...]] = []
    for episode in check_each(episodes, Episode, "episodes"):
        if episode.failure is not None:
            continue
        env = episode.spec.id
        if (env, episode.id) in seen:
            raise ValueError(
                f"two episodes of {env} are called {episode.id}: give each rollout another seed"
            )
        seen.add((env, episode.id))
        start = f"{episode.spec} {episode.seed} {episode.options} {episode.group}"
        group = starts.setdefault(start, len(starts))
        cut = episode.ended == "truncated"
        left = episode.forfeits if cut else ()
        for place, step in enumerate(episode.steps):
            if place < episode.begun:
                continue
            seat = step.agent
            key = env, episode.id, seat
            trajectory = trajectories.setdefault(key, len(trajectories))
            if trajectory == len(lasts):
                lasts.append(0)
            lasts[trajectory] = len(rows)
            row = episode.id, place, seat, env, episode.agents[seat], group, trajectory
            rows.append((*row, step.reward, cut and seat not in left))
    columns: list[Any] = list(zip(*rows, strict=True)) or [()] * 9
    last = np.zeros(len(rows), bool)
    last[lasts] = True
    kinds: tuple[Any, ...] = (str, int, str, str, str, int, int, float, bool)
    arrays = [np.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
    *known, truncated = arrays
    table: list[Array] = [*known, last, truncated & last]
    return TurnTable(*table)


def compute_returns(rows: TurnTable, gamma: float = 1.0) -> Array:
    """Return what each turn led to: G_t = r_t + gamma G_{t+1}, counted in the seat's own turns.

    REINFORCE's estimate without a baseline (Williams 1992; Sutton & Barto, ch. 13).

    Examples:
        >>> compute_returns(make_example(), gamma=0.9).round(3).tolist()
        [0.9, 1.0, 0.0, 0.0, 0.0, 1.0]
    """
    after = np.zeros(_count_trajectories(rows))
    returns = np.zeros(len(rows))
    for i in _order_backwards(rows):
        trajectory = rows.trajectory[i]
        returns[i] = after[trajectory] = rows.reward[i] + gamma * after[trajectory]
    return returns


def normalise(values: Any, rows: TurnTable, by: Sequence[str] = ()) -> Array:
    """Return (x - mean_B) / std_B of values that turns have; 0 where all of B are alike.

    The standard deviation is the population's. With by=("env", "seat") of returns this is how
    MARSHAL treats roles (Yuan et al. 2025).

    Examples:
        >>> normalise([1, 2, 3, 4, 5, 6], make_example(), by=["episode"]).round(3).tolist()
        [-1.0, 1.0, -1.225, 0.0, 1.225, 0.0]
    """
    return _normalise_groups(_check_values(values, rows, "values"), _encode_keys(rows, by))


def rebn(rows: TurnTable, gamma: float = 1.0, by: Sequence[str] = ()) -> Array:
    """Return returns after return batch normalisation: A = (G - mean_B G) / std_B G.

    B holds turns, not episodes, so a long episode weighs more (GEM, Liu et al. 2025).

    Examples:
        >>> rebn(make_example(), gamma=0.9).round(3).tolist()
        [0.86, 1.066, -0.998, -0.998, -0.998, 1.066]
    """
    return normalise(compute_returns(rows, gamma), rows, by)


def grpo(rows: TurnTable, by: Sequence[str] = ("group", "seat")) -> Array:
    """Return (R - mean_B R) / std_B R, the same for all turns of a seat in an episode.

    B holds one R for each episode and seat, by default those of a seat from the same start. An
    episode without others to compare it with has 0 (GRPO: Shao et al. 2024, DeepSeekMath).

    Examples:
        >>> grpo(make_example()).round(3).tolist()
        [0.707, 0.707, -1.414, -1.414, -1.414, 0.707]
    """
    return _compare_trajectories(rows, by, _normalise_groups)


def dr_grpo(rows: TurnTable, by: Sequence[str] = ("group", "seat")) -> Array:
    """Return R - mean_B R: GRPO without the division (Dr. GRPO: Liu et al. 2025).

    Examples:
        >>> dr_grpo(make_example()).round(3).tolist()
        [0.333, 0.333, -0.667, -0.667, -0.667, 0.333]
    """
    return _compare_trajectories(rows, by, _subtract_means)


def rloo(rows: TurnTable, by: Sequence[str] = ("group", "seat")) -> Array:
    """Return R minus the mean of the others' R in B; 0 without others.

    The leave-one-out baseline (Kool et al. 2019; RLOO: Ahmadian et al. 2024).

    Examples:
        >>> rloo(make_example()).round(3).tolist()
        [0.5, 0.5, -1.0, -1.0, -1.0, 0.5]
    """

    def subtract_others_mean(totals: Array, codes: Array) -> Array:
        size = np.bincount(codes)[codes]
        return _subtract_means(totals, codes) * size / np.maximum(size - 1, 1)

    return _compare_trajectories(rows, by, subtract_others_mean)


def gae(
    rows: TurnTable, values: Any = None, gamma: float = 1.0, lam: float = 0.95, after: Any = None
) -> Array:
    """Return A_t = d_t + gamma lam A_{t+1} with d_t = r_t + gamma V_{t+1} - V_t, turn by turn.

    Args:
        values: V, what a critic expects at each turn before its reply; None: `rows.value`. PPO's
            targets for it are A + V (GAE: Schulman et al. 2016; PPO: 2017).
        after: what it expects after each turn; read only where `rows.truncated` says that the
            episode was cut there. It went on being worth something, unlike one that came to its
            end, where nothing follows. after=0 takes cuts for ends.

    Examples:
        >>> critic = [0.4, 0.6, 0.4, 0.6, 0.2, 0.4]
        >>> gae(make_example(), critic, gamma=0.9, after=0).round(3).tolist()
        [0.482, 0.4, -0.365, -0.591, -0.2, 0.6]
        >>> gae(make_example(), critic, gamma=0.9, after=[0, 0, 0, 0, 0.3, 0]).round(3).tolist()
        [0.482, 0.4, -0.168, -0.36, 0.07, 0.6]
    """
    check_type(rows, TurnTable, "rows")
    if values is None and rows.value is None:
        raise ValueError(
            "no critic said what it expects at these turns: pass values=, or train a learner that "
            "has one, such as HFLearner(critic=0.5)"
        )
    value = _check_values(rows.value if values is None else values, rows, "values")
    if after is None and rows.truncated.any():
        raise ValueError(
            f"{rows.truncated.sum()} of the turns are the last before a truncation: pass after=, "
            "what the critic expects there, or after=0 to take it for the end"
        )
    given = 0.0 if after is None else after
    rest = _check_values(np.full(len(rows), given) if np.ndim(given) == 0 else given, rows, "after")
    ahead, following = np.zeros(_count_trajectories(rows)), np.zeros(_count_trajectories(rows))
    advantages = np.zeros(len(rows))
    for i in _order_backwards(rows):
        trajectory = rows.trajectory[i]
        if rows.truncated[i]:
            ahead[trajectory] = rest[i]
        delta = rows.reward[i] + gamma * ahead[trajectory] - value[i]
        advantages[i] = following[trajectory] = delta + gamma * lam * following[trajectory]
        ahead[trajectory] = value[i]
    return advantages


class AdvantageEstimate(NamedTuple):
    """Advantages, and what a critic is to learn: one of each for each turn."""

    advantages: Array
    targets: Array


def ppo(
    rows: TurnTable, gamma: float = 1.0, lam: float = 0.95, by: Sequence[str] = ()
) -> AdvantageEstimate:
    """Return GAE after batch normalisation, by the critic that looked at the turns, and A + V.

    An episode that was cut is taken for one that has ended.

    Examples:
        >>> advantages, targets = ppo(make_example(), gamma=0.9)
        >>> advantages.round(3).tolist()
        [0.934, 0.755, -0.917, -1.41, -0.555, 1.192]
        >>> targets.round(3).tolist()
        [0.882, 1.0, 0.035, 0.009, 0.0, 1.0]
    """
    advantages = gae(rows, None, gamma, lam, after=0)
    return AdvantageEstimate(normalise(advantages, rows, by), advantages + np.asarray(rows.value))


def rae(
    rows: TurnTable,
    baselines: Mapping[str, float] | None = None,
    decay: float = 0.95,
    by: Sequence[str] = ("env", "seat"),
) -> tuple[Array, dict[str, float]]:
    """Return role-conditioned advantages, and the baselines to pass next time.

    For one episode and seat after the other: A = R - b, then b <- decay b + (1 - decay) R, with one
    b for each role, 0 at first; it is read before it is updated (RAE: SPIRAL, Liu et al. 2025).
    The baselines are JSON: numbers under the role's names, with a space between them.

    Examples:
        >>> advantages, baselines = rae(make_example(), decay=0.5)
        >>> advantages.round(3).tolist(), baselines
        ([1.0, 1.0, -0.5, -0.5, -0.5, 0.75], {'guess player': 0.625})
        >>> rae(make_example(), baselines, decay=0.5)[0].round(3).tolist()
        [0.375, 0.375, -0.812, -0.812, -0.812, 0.594]
    """
    if not 0 <= decay <= 1:
        raise ValueError(f"decay={decay}: expected 0 to 1")
    totals, first, which = _sum_trajectories(rows)
    roles = _format_keys(rows[first], by)
    learnt = dict(baselines or {})
    advantages = np.empty(len(totals))
    for i, (role, total) in enumerate(zip(roles, totals.tolist(), strict=True)):
        before = learnt.get(role, 0.0)
        advantages[i] = total - before
        learnt[role] = decay * before + (1 - decay) * total
    return advantages[which], learnt


def expand_to_tokens(
    samples: Sequence[TokenSample], rows: TurnTable, values: Any
) -> list[list[float]]:
    """Return for each sample one number per token: its turn's value where a model spoke, else 0."""
    value = _check_values(values, rows, "values")
    keys = zip(rows.env.tolist(), rows.episode.tolist(), rows.step.tolist(), strict=True)
    known = dict(zip(keys, value.tolist(), strict=True))
    out = []
    for sample in samples:
        if not hasattr(sample, "spans"):
            raise TypeError(f"samples: expected what `samples` returns, got {sample!r}")
        weights = [0.0] * len(sample.ids)
        for span in sample.spans:
            key = sample.env, sample.episode, span.step
            if key not in known:
                raise ValueError(
                    f"step {span.step} of episode {sample.episode} of {sample.env} is not among "
                    "the turns: make both from the same episodes"
                )
            weights[span.start : span.end] = [span.share * known[key]] * (span.end - span.start)
        out.append(weights)
    return out


def make_example() -> TurnTable:
    """Return the turns that the examples here are about: three episodes from one start.

    In the first a player wins at its second turn, the second is cut after three, and the third is
    won at once.
    """
    rewards = [0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    which = np.array([0, 0, 1, 1, 1, 2])
    return TurnTable(
        episode=np.array(["a", "b", "c"])[which],
        step=np.array([0, 1, 0, 1, 2, 0]),
        seat=np.full(6, "player"),
        env=np.full(6, "guess"),
        agent=np.full(6, "model"),
        group=np.zeros(6, int),
        trajectory=which,
        reward=np.array(rewards),
        last=np.array([0, 1, 0, 0, 1, 1], bool),
        truncated=np.array([0, 0, 0, 0, 1, 0], bool),
        value=np.array([0.4, 0.6, 0.4, 0.6, 0.2, 0.4]),
    )


def _count_trajectories(rows: TurnTable) -> int:
    """Return a number above those of all trajectories."""
    check_type(rows, TurnTable, "rows")
    return int(rows.trajectory.max(initial=-1)) + 1


def _order_backwards(rows: TurnTable) -> list[int]:
    """Return the rows so that each comes after those that follow it in its episode."""
    order: list[int] = np.argsort(rows.step, kind="stable")[::-1].tolist()
    return order


def _check_values(values: Any, rows: TurnTable, name: str) -> Array:
    check_type(rows, TurnTable, "rows")
    array = np.asarray(values, float)
    if array.shape != (len(rows),):
        raise ValueError(
            f"{name} has the shape {array.shape}: expected one number for each of {len(rows)} turns"
        )
    return array


def _check_by(by: Sequence[str]) -> None:
    if isinstance(by, str) or not set(by) <= set(_GROUP_COLUMNS):
        raise ValueError(f"by={by!r}: expected a tuple of some of {', '.join(_GROUP_COLUMNS)}")


def _format_keys(rows: TurnTable, by: Sequence[str]) -> list[str]:
    """Return what the columns say in each row."""
    _check_by(by)
    columns = [getattr(rows, name).tolist() for name in by]
    return [" ".join(str(column[i]) for column in columns) for i in range(len(rows))]


def _encode_keys(rows: TurnTable, by: Sequence[str]) -> Array:
    """Return a number for each row, the same where the columns agree."""
    _check_by(by)
    codes = np.zeros(len(rows), int)
    for name in by:
        kinds, own = np.unique(getattr(rows, name), return_inverse=True)
        _, codes = np.unique(codes * max(len(kinds), 1) + own, return_inverse=True)
    return codes


def _sum_trajectories(rows: TurnTable) -> tuple[Array, Array, Array]:
    """Return R of each trajectory in the order they begin, its first row, and each row's own."""
    check_type(rows, TurnTable, "rows")
    _, first, codes = np.unique(rows.trajectory, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    which = rank[codes]
    totals = np.bincount(which, rows.reward, minlength=len(first))
    return totals, first[order], which


def _compare_trajectories(rows: TurnTable, by: Sequence[str], compare: Any) -> Array:
    totals, first, which = _sum_trajectories(rows)
    compared: Array = compare(totals, _encode_keys(rows[first], by))
    return compared[which]


def _subtract_means(values: Array, codes: Array) -> Array:
    """Return values minus the mean of those with the same code."""
    means = np.bincount(codes, values) / np.maximum(np.bincount(codes), 1)
    return values - means[codes]


def _normalise_groups(values: Array, codes: Array) -> Array:
    centred = _subtract_means(values, codes)
    spread = np.sqrt(np.bincount(codes, centred**2) / np.maximum(np.bincount(codes), 1))
    largest = np.zeros(len(spread))
    np.maximum.at(largest, codes, np.abs(values))
    spread[spread <= _MIN_RELATIVE_STD * largest] = np.inf  # all alike
    return centred / spread[codes]
