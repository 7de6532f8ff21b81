"""Returns and advantages of turns: how much better than expected each turn went.

All estimators are pure functions of a TurnTable, which has one row for each reply:

    rows = build_turn_table(episodes)
    advantages = rebn(rows, gamma=0.9)
    samples = build_samples(episode, "first", tokenizer)
    weights = expand_to_tokens(samples, rows, advantages)

`by` names the columns that must be equal for turns to be compared, such as ("env", "seat"). With
(), all turns are compared with each other. In a zero-sum game the mean over both seats is always 0.
Comparing across seats would then count the advantage of a seat (such as moving first) as skill, so
compare by "seat".

Notation: r are the rewards of one seat in one episode, and t counts its own turns. A reward that
arrives while other seats move belongs to the seat's previous turn. R is the sum of r, and B is the
set of turns or episodes that are compared.
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

_GROUP_COLUMNS = ("episode", "seat", "env", "agent", "group", "trajectory")  # allowed in `by`
# A standard deviation below this fraction of the largest value comes from rounding.
_MIN_RELATIVE_STD = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class TurnTable:
    """A table with one row for each reply. Indexing by number, slice or mask returns a table.

    Select rows only after you have computed advantages: a turn's return depends on later rows.
    """

    episode: Array  # episode id
    step: Array  # index of the step in the episode
    seat: Array
    env: Array
    agent: Array  # name of the agent in the seat
    group: Array  # number of the start; episodes of one group have the same start
    trajectory: Array  # number of the pair of episode and seat
    reward: Array  # reward until the seat's next turn
    last: Array  # whether this is the seat's last turn
    truncated: Array  # whether this is the seat's last turn and the episode was truncated
    value: Array | None = (
        None  # what the seat earns from here on, as a critic or `continuations` say
    )
    action_value: Array | None = None  # the same after the reply, as `continuations` say

    def __len__(self) -> int:
        return len(self.reward)

    def __getitem__(self, rows: Any) -> TurnTable:
        chosen = np.atleast_1d(np.arange(len(self))[rows])
        columns: Any = [getattr(self, field.name) for field in fields(self)]
        columns = [None if column is None else column[chosen] for column in columns]
        return TurnTable(*columns)


def build_turn_table(episodes: Iterable[Episode]) -> TurnTable:
    """Return the turns of the episodes, in order; failed episodes contribute none."""
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
                f"two episodes of {env} have the id {episode.id}: give each rollout another seed"
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
    """Return the discounted return of each turn: G[t] = r[t] + gamma G[t+1].

    t counts the seat's own turns. This is the estimate of REINFORCE without a baseline (Williams
    1992; Sutton & Barto, ch. 13).

    Examples:
        >>> from gem_ma.training import compute_returns, make_example
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
    """Return (x - mean) / std of B for one value per turn; 0 where all values of B are equal.

    The population standard deviation is used. Returns normalised with by=("env", "seat") are the
    role-wise advantages of MARSHAL (Yuan et al. 2025).

    Examples:
        >>> from gem_ma.training import make_example, normalise
        >>> normalise([1, 2, 3, 4, 5, 6], make_example(), by=["episode"]).round(3).tolist()
        [-1.0, 1.0, -1.225, 0.0, 1.225, 0.0]
    """
    return _normalise_groups(_check_values(values, rows, "values"), _encode_keys(rows, by))


def rebn(rows: TurnTable, gamma: float = 1.0, by: Sequence[str] = ()) -> Array:
    """Return normalised returns (return batch normalisation): A = (G - mean) / std over B.

    B contains turns, not episodes, so a long episode has more weight (GEM, Liu et al. 2025).

    Examples:
        >>> from gem_ma.training import make_example, rebn
        >>> rebn(make_example(), gamma=0.9).round(3).tolist()
        [0.86, 1.066, -0.998, -0.998, -0.998, 1.066]
    """
    return normalise(compute_returns(rows, gamma), rows, by)


def grpo(rows: TurnTable, by: Sequence[str] = ("group", "seat")) -> Array:
    """Return (R - mean) / std over B, the same for all turns of a seat in an episode.

    B contains one R for each episode and seat. By default these are one seat's episodes with the
    same start. An episode that is alone in B gets 0 (GRPO: Shao et al. 2024, DeepSeekMath).

    Examples:
        >>> from gem_ma.training import grpo, make_example
        >>> grpo(make_example()).round(3).tolist()
        [0.707, 0.707, -1.414, -1.414, -1.414, 0.707]
    """
    return _compare_trajectories(rows, by, _normalise_groups)


def dr_grpo(rows: TurnTable, by: Sequence[str] = ("group", "seat")) -> Array:
    """Return R - mean over B: GRPO without the division (Dr. GRPO: Liu et al. 2025).

    Examples:
        >>> from gem_ma.training import dr_grpo, make_example
        >>> dr_grpo(make_example()).round(3).tolist()
        [0.333, 0.333, -0.667, -0.667, -0.667, 0.333]
    """
    return _compare_trajectories(rows, by, _subtract_means)


def rloo(rows: TurnTable, by: Sequence[str] = ("group", "seat")) -> Array:
    """Return R minus the mean R of the other members of B; 0 if there are no others.

    This is the leave-one-out baseline (Kool et al. 2019; RLOO: Ahmadian et al. 2024).

    Examples:
        >>> from gem_ma.training import make_example, rloo
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
    """Return A[t] = d[t] + gamma lam A[t+1]; d[t] = r[t] + gamma V[t+1] - V[t], turn by turn.

    Args:
        values: V, the critic's prediction at each turn before its reply; None: `rows.value`. The
            critic's targets in PPO are A + V (GAE: Schulman et al. 2016; PPO: 2017).
        after: the critic's prediction after each turn. It is read only where `rows.truncated` is
            set: a truncated episode still has value, a terminated one has none. after=0 treats
            truncation as termination; None is an error if any turn is truncated.

    Examples:
        >>> from gem_ma.training import gae, make_example
        >>> critic = [0.4, 0.6, 0.4, 0.6, 0.2, 0.4]
        >>> gae(make_example(), critic, gamma=0.9, after=0).round(3).tolist()
        [0.482, 0.4, -0.365, -0.591, -0.2, 0.6]
        >>> gae(make_example(), critic, gamma=0.9, after=[0, 0, 0, 0, 0.3, 0]).round(3).tolist()
        [0.482, 0.4, -0.168, -0.36, 0.07, 0.6]
    """
    check_type(rows, TurnTable, "rows")
    if values is None and rows.value is None:
        raise ValueError(
            "the turns have no value estimates: pass values=, train a learner with a critic, such "
            "as HFLearner(critic=0.5), or train with Trainer(continuations=4)"
        )
    value = _check_values(rows.value if values is None else values, rows, "values")
    if after is None and rows.truncated.any():
        raise ValueError(
            f"{rows.truncated.sum()} of the turns are the last before a truncation: pass after= "
            "with the critic's value estimates there, or after=0 to treat it as a termination"
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
    """Advantages and the critic's targets, one of each per turn."""

    advantages: Array
    targets: Array


def ppo(
    rows: TurnTable, gamma: float = 1.0, lam: float = 0.95, by: Sequence[str] = ()
) -> AdvantageEstimate:
    """Return batch-normalised GAE advantages and the critic's targets A + V.

    The values V are those in `rows.value`. A truncated episode is treated as terminated.

    Examples:
        >>> from gem_ma.training import make_example, ppo
        >>> advantages, targets = ppo(make_example(), gamma=0.9)
        >>> advantages.round(3).tolist()
        [0.934, 0.755, -0.917, -1.41, -0.555, 1.192]
        >>> targets.round(3).tolist()
        [0.882, 1.0, 0.035, 0.009, 0.0, 1.0]
    """
    advantages = gae(rows, None, gamma, lam, after=0)
    return AdvantageEstimate(normalise(advantages, rows, by), advantages + np.asarray(rows.value))


def vine(rows: TurnTable) -> Array:
    """Return Q - V: what the seat earns after its reply, minus what it earns before it.

    Both are means over continuations of the position, which `Trainer(continuations=4)` plays, as
    does `estimate_turn_values` (the vine of TRPO: Schulman et al. 2015; VinePPO: Kazemnejad et al.
    2024).

    Examples:
        >>> from dataclasses import replace
        >>> from gem_ma.training import make_example, vine
        >>> continued = [0.5, 1.0, 0.25, 0.25, 0.0, 1.0]
        >>> vine(replace(make_example(), action_value=continued)).round(3).tolist()
        [0.1, 0.4, -0.15, -0.35, -0.2, 0.6]
    """
    check_type(rows, TurnTable, "rows")
    if rows.value is None or rows.action_value is None:
        raise ValueError(
            "the turns have no values from continuations: train with Trainer(continuations=4), or "
            "take them from estimate_turn_values"
        )
    after = _check_values(rows.action_value, rows, "action_value")
    return after - _check_values(rows.value, rows, "value")


def rae(
    rows: TurnTable,
    baselines: Mapping[str, float] | None = None,
    decay: float = 0.95,
    by: Sequence[str] = ("env", "seat"),
) -> tuple[Array, dict[str, float]]:
    """Return role-conditioned advantages, and the baselines to pass to the next call.

    Each role has a baseline b, which starts at 0. For each episode and seat in order, A = R - b,
    and then b <- decay b + (1 - decay) R (RAE: SPIRAL, Liu et al. 2025). The baselines can be
    saved as JSON: a number per role, whose key joins the values of the `by` columns with spaces.

    Examples:
        >>> from gem_ma.training import make_example, rae
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
    """Return one number per token of each sample: its turn's value if a model drew it, else 0.

    A turn's value is multiplied by `ReplySpan.share` of the reply.
    """
    value = _check_values(values, rows, "values")
    keys = zip(rows.env.tolist(), rows.episode.tolist(), rows.step.tolist(), strict=True)
    known = dict(zip(keys, value.tolist(), strict=True))
    out = []
    for sample in samples:
        if not hasattr(sample, "spans"):
            raise TypeError(f"samples: expected what `build_samples` returns, got {sample!r}")
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
    """Return the turns that the docstring examples use: three episodes with the same start.

    The player wins the first at its second turn and the third at its first turn. The second is
    truncated after three turns.
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
    """Return a number above all trajectory numbers."""
    check_type(rows, TurnTable, "rows")
    return int(rows.trajectory.max(initial=-1)) + 1


def _order_backwards(rows: TurnTable) -> list[int]:
    """Return row indices in backward order: later steps of an episode come first."""
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
    """Return a key for each row: the values of its columns, joined with spaces."""
    _check_by(by)
    columns = [getattr(rows, name).tolist() for name in by]
    return [" ".join(str(column[i]) for column in columns) for i in range(len(rows))]


def _encode_keys(rows: TurnTable, by: Sequence[str]) -> Array:
    """Return a number for each row; rows with equal columns get the same number."""
    _check_by(by)
    codes = np.zeros(len(rows), int)
    for name in by:
        kinds, own = np.unique(getattr(rows, name), return_inverse=True)
        _, codes = np.unique(codes * max(len(kinds), 1) + own, return_inverse=True)
    return codes


def _sum_trajectories(rows: TurnTable) -> tuple[Array, Array, Array]:
    """Return R and first row of each trajectory, by first row, and the trajectory of each row."""
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
    """Return values minus the mean of the values with the same code."""
    means = np.bincount(codes, values) / np.maximum(np.bincount(codes), 1)
    return values - means[codes]


def _normalise_groups(values: Array, codes: Array) -> Array:
    centred = _subtract_means(values, codes)
    spread = np.sqrt(np.bincount(codes, centred**2) / np.maximum(np.bincount(codes), 1))
    largest = np.zeros(len(spread))
    np.maximum.at(largest, codes, np.abs(values))
    spread[spread <= _MIN_RELATIVE_STD * largest] = np.inf  # all values are equal
    return centred / spread[codes]
