"""Facts about an environment, collected from its Spec, its Game and its Env."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from gymnasium.error import DependencyNotInstalled

from gem_ma.apis import factory
from gem_ma.apis.env import Env
from gem_ma.chat.conversation import make_tool_schemas
from gem_ma.engine import action_parsing
from gem_ma.engine.config import EnvOptions
from gem_ma.envs import registry
from gem_ma.envs.game_factory import import_game_class
from gem_ma.envs.game_files import list_games
from gem_ma.envs.registry import MissingRequirement, Spec
from gem_ma.game import Game
from gem_ma.validation.json_types import JSONMapping

if TYPE_CHECKING:
    from PIL.Image import Image

EXAMPLE_SEED = 0  # of the first turn that is shown
RANDOM_MATCHES, MAX_RANDOM_TURNS = (
    20,
    500,
)  # limits of the random play that samples the returns
_SENTENCE_PATTERN = re.compile(r".+?(?:[.!?](?=\s|$)|\Z)", re.DOTALL)
_SECTION = re.compile(r"(Args|Attributes):")
_PARAMETER_PATTERN = re.compile(r" {4}\*{0,2}(\w+): (.+)")
_VERSION_PATTERN = re.compile(r".*?-v\d+")


class GameParameter(NamedTuple):
    """An argument that `make` takes for a game; `required`: the id does not work without it."""

    name: str
    default: Any
    meaning: str  # "" if it is not documented
    required: bool


class GameTool(NamedTuple):
    """A tool that the game itself gives to some seats."""

    name: str
    description: str
    seats: tuple[str, ...]


class FirstTurn(NamedTuple):
    """The first turn of the episode with seed 0, as the seat that acts first reads it."""

    seat: str
    rules: str
    text: str
    reply: str | None  # a legal one, if legal moves can be listed


@dataclass(frozen=True, slots=True)
class EnvInfo:
    """All facts about an id; those that need a running environment are empty without one.

    Attributes:
        order: How seats act: "alone", "in turn", "at the same time", or "both" of the last two.
        settings: Arguments of Env that the id sets. Arguments of the game are in `parameters`.
        missing: Reasons why no environment could be made here, each with its remedy.
        reply: The expected form of a reply, in the words that a seat reads.
        observations: The space of each kind of observation that exists.
        levels: Other ids of the same game, with the arguments that each sets.
        dial: The settings of each difficulty from 0 to 10, unless the game takes it as an argument.
        options: Options of `reset` that the game names.
    """

    id: str
    summary: str
    entry_point: str
    parameters: tuple[GameParameter, ...]
    settings: EnvOptions
    needs: tuple[str, ...]
    missing: tuple[str, ...]
    levels: Mapping[str, EnvOptions]
    dial: tuple[JSONMapping, ...]
    seats: tuple[str, ...] = ()
    order: Literal["", "alone", "in turn", "at the same time", "both"] = ""
    rewards: str = ""
    action: str = ""
    reply: str = ""
    observations: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    tools: tuple[GameTool, ...] = ()
    example: FirstTurn | None = None


def describe_env(id: str) -> EnvInfo:
    """Return the facts about an id, as far as they are known here."""
    spec = registry.spec(id)
    parameters = list_parameters(spec)
    parameter_names = {one.name for one in parameters}
    env, missing = _try_make_env(spec, parameters)
    return EnvInfo(
        id=spec.id,
        summary=_read_summary(spec, _import_game(spec)),
        entry_point=spec.entry_point,
        parameters=parameters,
        settings=(dict(env.game.env_defaults) if env else {})
        | {key: value for key, value in spec.kwargs.items() if key not in parameter_names},
        needs=spec.needs,
        missing=missing,
        levels=_list_levels(spec),
        dial=spec.dial,
        **(_inspect_env(env) if env else {}),
    )


def list_parameters(spec: Spec) -> tuple[GameParameter, ...]:
    """Return the arguments of a game; none if a missing requirement prevents its import.

    Their defaults are those of the id.
    """
    game = _import_game(spec)
    if game is None:
        return ()
    parameters, meanings = [], _parse_parameter_docs(game)
    for one in list(inspect.signature(game.__init__).parameters.values())[1:]:
        is_required = one.default is one.empty and one.name not in spec.kwargs
        default = spec.kwargs.get(one.name, None if one.default is one.empty else one.default)
        parameters.append(GameParameter(one.name, default, meanings.get(one.name, ""), is_required))
    return tuple(parameters)


def draw_first_turn(id: str, **kwargs: Any) -> Image:
    """Draw the first turn of the episode with seed 0, as the seat that acts first sees it.

    Args:
        **kwargs: Arguments of `make`, such as theme and image_size.
    """
    from PIL import Image

    env = factory.make(id, **kwargs)
    env.reset(seed=EXAMPLE_SEED)
    try:
        return Image.fromarray(env.picture(env.to_act[0]).array)
    except DependencyNotInstalled as error:
        raise MissingRequirement(f"{id} cannot be drawn here: {error}") from None
    finally:
        env.close()


def _try_make_env(
    spec: Spec, parameters: tuple[GameParameter, ...]
) -> tuple[Env | None, tuple[str, ...]]:
    """Return the environment at its start, or the reasons why there is none."""
    missing = spec.list_missing()
    missing += [
        f"make({spec.id!r}, {one.name}=...): {one.meaning or 'it has no default'}"
        for one in parameters
        if one.required
    ]
    if missing:
        return None, tuple(missing)
    try:
        env = factory.make(spec)
        env.reset(seed=EXAMPLE_SEED)
    # For example, data may be missing.
    except (MissingRequirement, ImportError, OSError) as error:
        return None, (str(error),)
    return env, ()


def _import_game(spec: Spec) -> type[Game] | None:
    try:
        return import_game_class(spec)
    except ImportError:
        if spec.list_missing():
            return None
        raise


def _read_summary(spec: Spec, game: type[Game] | None) -> str:
    """Return the first sentence of the module, or of the class if the file has several games."""
    module = spec.entry_point.partition(":")[0]
    if game is None:
        file = importlib.util.find_spec(module)
        source = Path(file.origin).read_text(encoding="utf-8") if file and file.origin else ""
        text = ast.get_docstring(ast.parse(source))
    else:
        own_module = sys.modules[game.__module__]
        games = list_games(own_module)
        module_doc, class_doc = own_module.__doc__, game.__dict__.get("__doc__")
        text = class_doc or module_doc if len(games) > 1 else module_doc or class_doc
    words = " ".join((text or "").split())
    first = _SENTENCE_PATTERN.match(words)
    return first[0] if first else words


def _parse_parameter_docs(game: type[Game]) -> dict[str, str]:
    """Return the texts of "Args:" and "Attributes:", or else sentences that contain `name`."""
    meanings: dict[str, str] = {}
    documents = []
    for one in game.__mro__[: game.__mro__.index(Game)]:
        init = one.__dict__.get("__init__")
        documents += [
            inspect.cleandoc(doc)
            for doc in (one.__dict__.get("__doc__"), getattr(init, "__doc__", None))
            if doc
        ]
    for document in documents:
        name, in_section = "", False
        for line in document.splitlines():
            if line and not line.startswith(" "):
                name, in_section = "", bool(_SECTION.fullmatch(line))
            elif in_section and (match := _PARAMETER_PATTERN.fullmatch(line)):
                name = "" if match[1] in meanings else match[1]
                meanings.setdefault(match[1], match[2])
            elif name and line:
                meanings[name] += f" {line.strip()}"
    for document in documents:
        for sentence in _SENTENCE_PATTERN.findall(document.partition("\n\n")[0]):
            for name in re.findall(r"`(\w+)`", sentence):
                meanings.setdefault(name, " ".join(sentence.split()))
    return meanings


def _list_levels(spec: Spec) -> dict[str, EnvOptions]:
    """Return the other ids of the same game whose names begin alike."""
    stem = _strip_level(spec.id)
    others = (registry.spec(id) for id in registry.list_envs(f"{stem}*"))
    return {
        one.id: one.kwargs
        for one in others
        if one.id != spec.id
        and one.entry_point == spec.entry_point
        and _strip_level(one.id) == stem
    }


def _strip_level(id: str) -> str:
    """Return the part with which the ids of all levels of a game begin."""
    version = _VERSION_PATTERN.match(id)
    return version[0] if version else id.partition("-")[0]


def _inspect_env(env: Env) -> dict[str, Any]:
    game, seats = env.game, tuple(env.possible_agents)
    seat = env.to_act[0]
    turn = env.turn(seat)
    description: dict[str, Any] = {
        "seats": seats,
        "action": _describe_action_space(env),
        "reply": action_parsing.make_instruction(env.observation_builder.config.format),
        "observations": _describe_observation_spaces(env),
        "options": game.reset_options,
        "tools": _list_game_tools(env),
        "example": FirstTurn(seat, turn.rules, turn.text, turn.legal[0] if turn.legal else None),
    }
    simultaneous, returns = _play_randomly(env)
    description["order"] = "alone" if len(seats) == 1 else _ORDER_NAMES[simultaneous]
    description["rewards"] = _describe_rewards(game, returns)
    env.close()
    return description


_ORDER_NAMES = {
    frozenset({False}): "in turn",
    frozenset({True}): "at the same time",
    frozenset({False, True}): "both",
}


def _describe_action_space(env: Env) -> str:
    moves = env.game.moves
    if moves is None:
        return "text"
    return f"text; or Discrete({len(moves)}), with actions='discrete'"


def _describe_observation_spaces(env: Env) -> dict[str, str]:
    """Return the spaces of text, image and both, and the space of numbers if there is one."""

    def make_space(**kind: Any) -> Any:
        size, length = (
            env.observation_builder.image_size,
            env.observation_builder.config.text_length,
        )
        variant = Env(env.game, image_size=size, text_length=length, **kind)
        return variant.observation_space(env.possible_agents[0])

    both = make_space(observe="both")
    spaces = {"text": both["text"], "image": both["image"], "both": both}
    if env.game.moves is not None:
        spaces["numbers"] = make_space(actions="discrete")["observation"]
    return {kind: str(one) for kind, one in spaces.items()}


def _list_game_tools(env: Env) -> tuple[GameTool, ...]:
    tools: dict[str, tuple[str, list[str]]] = {}
    for seat in env.possible_agents:
        for tool in env.tools(seat):
            (schema,) = make_tool_schemas([tool])
            function = schema.get("function", schema)
            entry = tools.setdefault(function["name"], (function.get("description", ""), []))
            entry[1].append(seat)
    return tuple(GameTool(name, text, tuple(seats)) for name, (text, seats) in tools.items())


def _play_randomly(env: Env) -> tuple[frozenset[bool], list[Mapping[str, float]]]:
    """Return whether seats act together, one by one or both, and the returns of some matches.

    Only the first turn is examined if turns are slow or legal moves are not listed.
    """
    simultaneous = {len(env.to_act) > 1}
    returns: list[Mapping[str, float]] = []
    remaining = 0 if env.game.blocking else MAX_RANDOM_TURNS
    for seed in range(RANDOM_MATCHES):
        env.reset(seed=seed)
        while env.to_act and remaining:
            remaining -= 1
            simultaneous.add(len(env.to_act) > 1)
            turns = {seat: env.turn(seat) for seat in env.to_act}
            replies = {seat: t.legal[t.seed % len(t.legal)] for seat, t in turns.items() if t.legal}
            if len(replies) < len(turns):
                return frozenset(simultaneous), returns
            env.step_seats(replies)
        if not remaining:
            break
        returns.append(env.game_state.returns())
    return frozenset(simultaneous), returns


def _describe_rewards(game: Game, returns: list[Mapping[str, float]]) -> str:
    words = []
    if game.zero_sum:
        words.append("What one seat gains the other loses.")
    if returns:
        values = [value for one in returns for value in one.values()]
        low, high = min(values), max(values)
        between = f"were {low:g}" if low == high else f"lay between {low:g} and {high:g}"
        episodes = "a random episode" if len(returns) == 1 else f"{len(returns)} random episodes"
        words.append(f"In {episodes}, returns {between}.")
    return " ".join(words)
