"""Turn values: what seats earn on average if play continues again from a position.

A position is continued by a fork of its environment, with chance drawn anew and new replies of the
same agents. The mean over continuations is an unbiased estimate of what each seat earns from there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from gem_ma.apis.aec import AECEnv
from gem_ma.apis.factory import make
from gem_ma.apis.session import Session
from gem_ma.chat.agent import AgentSource
from gem_ma.chat.context import SeatContexts
from gem_ma.engine.seeding import derive_seed
from gem_ma.rollouts.episode import Episode, find_turn_difference
from gem_ma.rollouts.replay import replay
from gem_ma.rollouts.rollout import rollout
from gem_ma.training.selfplay import resolve_agent_name
from gem_ma.validation.arguments import check_each, check_type

_MOST = 10_000  # continuations of a position


class TurnValue(NamedTuple):
    """What each seat earns from a turn on, on average over continuations.

    The difference of both is what the reply was worth.
    """

    value: dict[str, float]  # continued before the reply, which is then drawn anew
    action_value: dict[str, float]  # continued after the reply, whose own reward counts


class _Position(NamedTuple):
    """A position of an episode, and which of the evaluated turns are taken there."""

    steps: Sequence[int]
    earned: dict[str, float]  # what each seat earned before
    forks: slice | None  # its continuations; None: it has none


def estimate_turn_values(
    episodes: Sequence[Episode],
    agents: Mapping[str, AgentSource],
    continuations: int = 4,
    *,
    seats: Collection[str] | None = None,
    seed: int = 0,
    env: AECEnv | Sequence[AECEnv] = (),
    context: SeatContexts | None = None,
) -> list[dict[int, TurnValue]]:
    """Return the value of each turn to each seat, from continuations of its position.

    Args:
        episodes: Episodes of a rollout; those that failed have no turns.
        agents: From seat to the agent that continues to play. If the agents changed seats, each
            plays in the seat that it had.
        continuations: How many times to continue each position.
        seats: The seats whose turns to evaluate; None: all.
        seed: Decides chance and the draws of agents in the continuations.
        env: The environments that the episodes were played in; needed if they were wrapped.
        context: How much of its chat an agent reads, as for `rollout`.

    Returns:
        For each episode, the values by the index of the step in `episode.steps`.

    Raises:
        TooManyErrors: A continuation failed.

    Examples:
        >>> import gem_ma
        >>> from gem_ma.training import estimate_turn_values
        >>> agents = {"first": "random", "second": "random"}
        >>> (episode,) = gem_ma.rollout("game:KuhnPoker-v0", agents, seed=0)
        >>> [(step.agent, step.move) for step in episode.steps]
        [('first', 'check'), ('second', 'bet'), ('first', 'fold')]
        >>> (values,) = estimate_turn_values([episode], agents, 100)
        >>> value = values[2]  # the first seat folds; its card is higher
        >>> value.action_value["first"], value.value["first"] > 0
        (-1.0, True)
    """
    check_type(continuations, int, "continuations", "a whole number")
    if not 1 <= continuations <= _MOST:
        raise ValueError(f"continuations={continuations}: expected 1 to {_MOST}")
    envs = [env] if isinstance(env, AECEnv) else list(check_each(env, AECEnv, "env"))
    check_type(agents, Mapping, "agents", "a mapping from seat to agent")
    values: list[dict[int, TurnValue]] = []
    numbers: dict[tuple[tuple[str, str], ...], list[int]] = {}  # of episodes, by agents in seats
    for number, episode in enumerate(check_each(episodes, Episode, "episodes")):
        values.append({})
        if episode.failure is None:
            numbers.setdefault(tuple(episode.agents.items()), []).append(number)
    for assigned, members in numbers.items():
        forks: list[AECEnv] = []
        positions = {
            number: _fork_episode(
                _open_env(episodes[number], envs),
                episodes[number],
                seats,
                continuations,
                derive_seed(seed, number),
                forks,
            )
            for number in members
        }
        if not forks:  # no evaluated turn
            continue
        continued = rollout(
            forks,
            _assign_players(dict(assigned), agents),
            len(forks),
            start="here",
            seed=derive_seed(seed, members[0], 1),
            context=context,
            max_errors=0,
            progress=False,
        )
        for number in members:
            values[number] = _compare_positions(positions[number], continued)
    return values


def _fork_episode(
    env: AECEnv,
    episode: Episode,
    seats: Collection[str] | None,
    continuations: int,
    seed: int,
    forks: list[AECEnv],
) -> list[_Position]:
    """Return the positions of an episode; add their forks, if an evaluated turn is next to them."""
    session, positions = Session(env), []
    steps: list[int] = []
    for move in replay(session, episode, find_turn_difference):
        before, steps = (
            steps,
            [
                step
                for step, one in enumerate(move.steps, move.number)
                if step >= episode.begun and (seats is None or one.agent in seats)
            ],
        )
        place = None
        if before or steps:
            place = slice(len(forks), len(forks) + continuations)
            forks += env.fork(continuations, seed=derive_seed(seed, move.number))
        positions.append(_Position(steps, dict(session.returns), place))
    return [*positions, _Position((), dict(session.returns), None)]


def _compare_positions(
    positions: Sequence[_Position], continued: Sequence[Episode]
) -> dict[int, TurnValue]:
    """Return the values of an episode's turns, by index of the step."""
    values: dict[int, TurnValue] = {}
    for here, after in pairwise(positions):
        if here.steps:
            value, action_value = (
                {
                    seat: _compute_total(seat, one, continued) - earned
                    for seat, earned in here.earned.items()
                }
                for one in (here, after)
            )
            values |= dict.fromkeys(here.steps, TurnValue(value, action_value))
    return values


def _compute_total(seat: str, position: _Position, continued: Sequence[Episode]) -> float:
    """Return what a seat earns in the whole episode, on average over a position's continuations."""
    if position.forks is None:  # the end of the episode
        return position.earned[seat]
    return fmean(episode.returns[seat] for episode in continued[position.forks])


def _open_env(episode: Episode, envs: Sequence[AECEnv]) -> AECEnv:
    """Return an environment in which to replay an episode."""
    for env in envs:
        if env.core.spec == episode.spec:
            return env.copy()
    if episode.wrappers:
        raise ValueError(
            f"episode {episode.id} was played in an environment wrapped by "
            f"{' in '.join(episode.wrappers)}; pass that environment: env=env"
        )
    return make(episode.spec)


def _assign_players(
    names: Mapping[str, str], agents: Mapping[str, AgentSource]
) -> dict[str, AgentSource]:
    """Return the agent of each seat; agents that changed seats are found by their names."""
    missing = [seat for seat in names if seat not in agents]
    if missing:
        raise ValueError(
            f"nobody plays {', '.join(missing)}; name an agent for each of {', '.join(names)}"
        )
    players = {seat: agents[seat] for seat in names}
    by_name = {resolve_agent_name(agent): agent for agent in players.values()}
    if len(by_name) == len(names) and by_name.keys() == set(names.values()):
        return {seat: by_name[name] for seat, name in names.items()}
    return players
