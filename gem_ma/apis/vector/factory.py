"""make_vec: makes many environments that are stepped together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload

import gymnasium
from gymnasium.envs.registration import EnvSpec

from gem_ma.apis.aec import AECEnv
from gem_ma.apis.env import Env
from gem_ma.apis.factory import EnvSource, extend_argument_errors, resolve_env
from gem_ma.apis.factory import make as make_env
from gem_ma.apis.vector.backends import BACKENDS
from gem_ma.apis.vector.game_vector import GameVector
from gem_ma.apis.vector.seat_vector import AUTORESET_MODES, SeatVector
from gem_ma.apis.vector.sub_envs import GameSubEnv, SeatSubEnv
from gem_ma.chat.agent import SeatAgents
from gem_ma.envs import registry
from gem_ma.validation.arguments import check_type

BackendName = Literal["sync", "thread", "process", "ray"]
AutoresetName = Literal["next", "same", "disabled"]


@overload
def make_vec(
    env: EnvSource | Sequence[EnvSource],
    num_envs: int | None = None,
    *,
    api: Literal["gym"] = "gym",
    backend: BackendName = "sync",
    autoreset: AutoresetName = "next",
    agent: str | None = None,
    others: SeatAgents | None = None,
    workers: int | None = None,
    step_timeout: float | None = None,
    **make: Any,
) -> SeatVector: ...
@overload
def make_vec(
    env: EnvSource | Sequence[EnvSource],
    num_envs: int | None = None,
    *,
    api: Literal["parallel"],
    backend: BackendName = "sync",
    autoreset: AutoresetName = "next",
    workers: int | None = None,
    step_timeout: float | None = None,
    **make: Any,
) -> GameVector: ...


def make_vec(
    env: EnvSource | Sequence[EnvSource],
    num_envs: int | None = None,
    *,
    api: Literal["gym", "parallel"] = "gym",
    backend: BackendName = "sync",
    autoreset: AutoresetName = "next",
    agent: str | None = None,
    others: SeatAgents | None = None,
    workers: int | None = None,
    step_timeout: float | None = None,
    **make: Any,
) -> SeatVector | GameVector:
    """Make many environments that are stepped together.

    Args:
        env: An id or Spec, an environment, or a sequence of these, which is repeated in turn.
        num_envs: The number of environments; None: one for each of `env`.
        api: "gym": one seat behind Gymnasium's VectorEnv, with `agent` and `others` as in
            `make_gym`. "parallel": all seats, see GameVector.
        backend: "sync": all steps run in this process. "thread": for games that wait for something.
            "process": for games that compute; games with `blocking = True` wait in threads there.
            "ray": for a cluster.
        autoreset: When a finished environment begins its next episode. "next": at the next step.
            "same": in the same step; `infos["final_obs"]` and `infos["final_info"]` hold the last
            observation and info. "disabled": when you reset it.
        agent: The name of the seat; None: the only seat of the environments.
        others: The agents of the other seats.
        workers: The number of threads, processes or actors; None: one per environment for "thread",
            else at most one per core.
        step_timeout: The time limit of a step in seconds, for "process" and "ray". After it,
            StepTimeout is raised and all workers are stopped. None: no limit.
        **make: Arguments of `make`, if `env` is an id or Spec.

    Returns:
        A SeatVector for `api="gym"`, a GameVector for `api="parallel"`.

    Raises:
        ValueError: An argument has an unknown value, or `num_envs` is too small.
        TypeError: `env` is not an environment, or an argument does not fit the others.

    Examples:
        >>> import gem_ma
        >>> envs = gem_ma.make_vec("game:GuessTheNumber-v0-easy", 2)
        >>> observations, infos = envs.reset(seed=0)
        >>> observations, rewards, terminations, truncations, infos = envs.step(["5", "5"])
        >>> rewards.tolist(), terminations.tolist()
        ([1.0, 0.0], [True, False])
        >>> envs.close()
    """
    for name, value, known in (
        ("api", api, ("gym", "parallel")),
        ("backend", backend, tuple(BACKENDS)),
        ("autoreset", autoreset, tuple(AUTORESET_MODES)),
    ):
        if value not in known:
            raise ValueError(f"{name}={value!r}: expected one of {known}")
    sources = [env] if isinstance(env, str) or not isinstance(env, Sequence) else list(env)
    if not sources:
        raise ValueError("env=[]: expected at least one environment")
    count = len(sources) if num_envs is None else num_envs
    check_type(count, int, "num_envs", "a whole number")
    if count < len(sources):
        raise ValueError(f"num_envs={count}: expected {len(sources)} or more, one for each of env")
    with extend_argument_errors(make_vec):
        envs = [
            make_env(one, **make) if isinstance(one, str) else resolve_env(make_vec, one, make)
            for one in sources
        ]
    for one in envs:
        if not isinstance(one, AECEnv):
            raise TypeError(f"expected an id or an environment (not a view of one), got {one!r}")
    if api == "parallel":
        if agent is not None or others is not None:
            raise TypeError(
                "agent and others need api='gym'; with api='parallel', all seats are yours"
            )
        games = [GameSubEnv(envs[i % len(envs)], autoreset) for i in range(count)]
        return GameVector(games, backend, autoreset, workers, step_timeout)
    seats = [SeatSubEnv(envs[i % len(envs)], autoreset, agent, others) for i in range(count)]
    vector = SeatVector(seats, backend, autoreset, workers, step_timeout)
    options = {"backend": backend, "autoreset": autoreset, "agent": agent, "others": others}
    limits = {"workers": workers, "step_timeout": step_timeout}
    vector.spec = _make_vector_spec(envs, count, {**options, **limits})
    return vector


def _make_vector_spec(
    made: Sequence[AECEnv], count: int, options: Mapping[str, object]
) -> EnvSpec | None:
    """Return Gymnasium's spec of a vector whose environments share one registered id, or None."""
    specs = [env.spec for env in made if isinstance(env, Env)]
    first = specs[0] if len(specs) == len(made) else None
    if first is None or any(spec != first for spec in specs):
        return None
    try:
        known = registry.spec(first.id)
        name = registry.make_gymnasium_id(first.id)
        if known.entry_point != first.entry_point:
            return None
        arguments = {name: value for name, value in options.items() if value is not None}
        kwargs = {"env": first.id, **first.kwargs, **arguments, "num_envs": count}
        kwargs["vectorization_mode"] = "vector_entry_point"
        return EnvSpec(name, vector_entry_point=f"{__name__}:make_vec", kwargs=kwargs)
    except (registry.UnknownEnv, gymnasium.error.Error):  # an id unknown here or in Gymnasium
        return None
