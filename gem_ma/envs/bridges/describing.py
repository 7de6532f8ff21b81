"""Spaces as text, and games with text observations over Gymnasium or PettingZoo environments."""

from __future__ import annotations

import contextlib
import inspect
import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeGuard

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike

from gem_ma.engine.action_parsing import format_options
from gem_ma.envs.bridges.live import Bridge
from gem_ma.game import InvalidMove, Maybe, clip_repr, parse_choice
from gem_ma.scene import Pixels
from gem_ma.validation.json_types import JSONMapping
from gem_ma.validation.untrusted_json import parse_json

Space: TypeAlias = spaces.Space[Any]

_LISTED = 1024  # numbers; a longer observation is summarised
_PICTURE = 16  # pixels; an array with a shorter side is not a picture
_SIDE = 512  # pixels; a rendering with a longer side is scaled down
_STORY = 4000  # characters; longer documentation of an environment is cut
_NOT_TOLD = re.compile(r"^#+ *(arguments|version history|references|vectorized)", re.I | re.M)
_LEADING = re.compile(r"\A\s*\n")
_FENCE = re.compile(r"`{3,}(?=\{)|```(?=python)")
_RULE = re.compile(r"\|[ :|-]+\|")  # the line below the header of a Markdown table


def words(space: Space, value: Any) -> str:
    """Return a value of a space as text."""
    if is_picture(space):
        return f"a picture of {space.shape[1]} x {space.shape[0]} pixels, which words do not show"
    if isinstance(space, spaces.Dict):
        return "\n".join(_entry(key, inner, value[key]) for key, inner in space.spaces.items())
    if isinstance(space, spaces.Tuple):
        return "\n".join(
            _entry(number, inner, one)
            for number, (inner, one) in enumerate(zip(space.spaces, value, strict=True))
        )
    if isinstance(space, spaces.Discrete):
        return f"{int(value)} (of {int(space.start)} to {int(space.start + space.n) - 1})"
    if isinstance(space, spaces.Box | spaces.MultiBinary | spaces.MultiDiscrete):
        return numbers(np.asarray(value))
    return str(value)


def _entry(name: object, space: Space, value: Any) -> str:
    text = words(space, value)
    return f"{name}: {text}" if "\n" not in text else f"{name}:\n" + _indented(text)


def _indented(text: str) -> str:
    return "\n".join("  " + line for line in text.splitlines())


def numbers(array: np.ndarray) -> str:
    """List the numbers of an array with four digits each, or summarise a large array.

    A vector of more than 16 zeros and ones is described by the indices of its ones.
    """
    if array.ndim == 1 and array.size > 16 and not (array * (array - 1)).any():
        ones = np.flatnonzero(array).tolist()
        return f"{array.size} places, 1 at {', '.join(map(str, ones)) or 'none'}, 0 elsewhere"
    if array.size > _LISTED:
        shape = " x ".join(map(str, array.shape))
        return (
            f"{shape} numbers from {_number(array.min())} to {_number(array.max())}, "
            f"{_number(array.mean())} on average; too many to list"
        )
    return _nested(array.tolist())


def _nested(value: Any) -> str:
    if not isinstance(value, list):
        return _number(value)
    parts = [_nested(item) for item in value]
    deep = bool(value) and isinstance(value[0], list)
    return "[" + (",\n" if deep else ", ").join(parts) + "]"


def _number(value: Any) -> str:
    if isinstance(value, bool | np.bool_ | int | np.integer):
        return str(int(value))
    return f"{value:.4g}"


def is_picture(space: Space) -> TypeGuard[spaces.Box]:
    """Return whether a space holds grey or RGB pictures of at least 16 x 16 pixels as uint8."""
    if not isinstance(space, spaces.Box) or space.dtype != np.uint8:
        return False
    shape = space.shape
    flat = len(shape) == 2 or (len(shape) == 3 and shape[2] in (1, 3))
    return flat and min(shape[:2]) >= _PICTURE and int(space.high.max()) > 1


def pixels(array: np.ndarray) -> Pixels:
    """Return an array of pixels as an RGB Scene whose longer side is at most 512 pixels."""
    array = np.asarray(array, np.uint8)
    if array.ndim == 2:
        array = array[:, :, None]
    if array.shape[2] == 1:
        array = np.repeat(array, 3, axis=2)
    array = array[:, :, :3]
    height, width = array.shape[:2]
    longest = max(height, width)
    if longest > _SIDE:
        from PIL import Image

        height, width = (max(1, side * _SIDE // longest) for side in (height, width))
        image = Image.fromarray(np.ascontiguousarray(array))
        array = np.asarray(image.resize((width, height), Image.Resampling.BOX))
    return Pixels(array.tobytes(), height, width)


def story(documentation: str | None) -> str:
    """Return the parts of an environment's documentation that are useful to a player."""
    text = _LEADING.sub("\n", documentation or "")  # cleandoc would drop blank lines one by one
    text = _without_figures(inspect.cleandoc(text))
    parts = re.split(r"^(?=#+ )", text, flags=re.M)
    text = "".join(part for part in parts if not _NOT_TOLD.match(part))
    text = re.sub(r"\n{3,}", "\n\n", text).strip()
    return text if len(text) <= _STORY else text[:_STORY].rpartition("\n")[0] + "\n..."


def _without_figures(text: str) -> str:
    """Remove closed fenced figures and programs, and the separator lines of tables."""
    lines = text.split("\n")
    last = {line.rstrip(): number for number, line in enumerate(lines)}
    kept_lines, fence = [], ""
    for number, line in enumerate(lines):
        if fence:
            if line.rstrip() == fence:
                fence = ""
                kept_lines.append("")
        elif (opening := _FENCE.match(line)) and last.get(opening[0], -1) > number:
            fence = opening[0]
        elif not _RULE.fullmatch(line):
            kept_lines.append(line)
    return "\n".join(kept_lines)


def unmasked(space: Space, value: Any = None) -> tuple[Space, Any]:
    """Return a space and a value of it without the key "action_mask" of a Dict.

    If the Dict has only one other key, the space and value of that key are returned.
    """
    if not isinstance(space, spaces.Dict) or "action_mask" not in space.spaces:
        return space, value
    unmasked_spaces = {
        key: subspace for key, subspace in space.spaces.items() if key != "action_mask"
    }
    if len(unmasked_spaces) != 1:
        return spaces.Dict(unmasked_spaces), value
    ((key, inner),) = unmasked_spaces.items()
    return inner, None if value is None else value[key]


def form(space: Space) -> str:
    """Return a phrase that says how a value of a space is written."""
    if isinstance(space, spaces.Discrete):
        return f"a whole number from {int(space.start)} to {int(space.start + space.n) - 1}"
    if isinstance(space, spaces.MultiBinary):
        return f"a list of zeros and ones ({' x '.join(map(str, space.shape))})"
    if isinstance(space, spaces.MultiDiscrete):
        top = (space.start + space.nvec - 1).tolist()
        return f"a list of whole numbers from {json.dumps(space.start.tolist())} to {top}"
    if isinstance(space, spaces.Box):
        whole = "whole " if space.dtype.kind in "iu" else ""
        low, high = (_shortest(bound) for bound in (space.low, space.high))
        many = f"a list of {' x '.join(map(str, space.shape))} {whole}numbers, each"
        if space.low.size == 1:
            many = f"a {whole}number"
        return f"{many} from {low} to {high}"
    if isinstance(space, spaces.Tuple):
        return "a list of: " + "; ".join(map(form, space.spaces))
    if isinstance(space, spaces.Dict):
        parts = (f'"{key}": {form(inner)}' for key, inner in space.spaces.items())
        return "a JSON object of: " + "; ".join(parts)
    if isinstance(space, spaces.Text):
        return f"a text of at most {space.max_length} characters"
    raise TypeError(
        f"a text reply cannot be read as an action of {space}; wrap the environment so that its "
        "actions are Discrete, Box, MultiDiscrete, MultiBinary, Text, or a Tuple or Dict of these"
    )


def _shortest(bound: np.ndarray) -> str:
    is_uniform = bound.size and (bound == bound.flat[0]).all()
    return _number(bound.flat[0]) if is_uniform else numbers(bound).replace("\n", " ")


def idle(space: Space) -> object:
    """Return a value of a space as plain data that does little: zeros, if the space has them."""
    if isinstance(space, spaces.Discrete):
        return int(space.start)
    if isinstance(space, spaces.MultiDiscrete):
        return space.start.tolist()
    if isinstance(space, spaces.Box):
        return np.clip(np.zeros(space.shape, space.dtype), space.low, space.high).tolist()
    if isinstance(space, spaces.MultiBinary):
        return np.zeros(space.shape, int).tolist()
    if isinstance(space, spaces.Tuple):
        return [idle(inner) for inner in space.spaces]
    if isinstance(space, spaces.Dict):
        return {key: idle(inner) for key, inner in space.spaces.items()}
    assert isinstance(space, spaces.Text)
    return next(iter(sorted(space.character_set))) * space.min_length


def read(space: Space, text: str) -> object:
    """Parse a text as a value of a space, and return plain numbers, lists and dicts."""
    if isinstance(space, spaces.Text):
        plain: object = text
    else:
        plain = _json(text)
        if plain is None and not text.lstrip().startswith(("[", "{")):
            plain = _json(f"[{text}]")
    if plain is not None:
        try:
            if space.contains(value(space, plain)):
                return plain
        except (TypeError, ValueError, OverflowError, KeyError):
            pass
    raise InvalidMove(f"{clip_repr(text)} is not {form(space)}")


def _json(text: str) -> object:
    try:
        return parse_json(text)
    except ValueError:
        return None


def value(space: Space, plain: Any) -> object:
    """Convert plain numbers, lists and dicts to a value of a space."""
    if isinstance(space, spaces.Box | spaces.MultiBinary | spaces.MultiDiscrete):
        array = np.asarray(plain)
        kinds = "iuf" if space.dtype.kind == "f" else "iu"
        if array.dtype.kind not in kinds:
            raise TypeError(f"{plain!r} are not numbers of the kind that {space} takes")
        if array.size == 1:  # 0.5 is read as [0.5], and [0.5] as 0.5
            array = array.reshape(space.shape)
        return array.astype(space.dtype)
    if isinstance(space, spaces.Tuple):
        return tuple(value(inner, item) for inner, item in zip(space.spaces, plain, strict=True))
    if isinstance(space, spaces.Dict):
        return {key: value(inner, plain[key]) for key, inner in space.spaces.items()}
    return plain


class Seen(NamedTuple):
    """The observation of a seat: text, and a Scene of its own if it has one."""

    words: str
    scene: object = None
    task: str = ""  # the task of this episode
    numbers: bytes = b""  # the bytes of the observation if it is an array of numbers
    places: tuple[
        tuple[str, tuple[int, int]], ...
    ] = ()  # names and positions of elements that can be clicked


class ForeignEnv(Protocol):
    """The interface that environments of Gymnasium and PettingZoo share."""

    @property
    def unwrapped(self) -> Any:
        """The environment without its wrappers."""
        ...

    def close(self) -> object:
        """Close the environment."""
        ...


class Teller:
    """The text descriptions of an environment, made from its spaces alone.

    A subclass describes its environment as players would. In all methods, `env` is the foreign
    environment with its wrappers, and a mask marks the legal actions.
    """

    names: Maybe[tuple[str, ...]] = None  # names of the actions, in order of their numbers
    least: tuple[str, ...] = ()  # actions that do little, the best first
    # Arguments of a rendered environment; arguments of the user override them.
    arguments: JSONMapping = MappingProxyType({})
    shared = False  # whether every seat may see the environment's rendering
    public = False  # whether all seats read every move
    zero_sum = False
    renders = True  # whether the environment's rendering is used
    lists = True  # whether the text lists the legal moves if not all moves are legal
    observes = True  # whether the text needs the observation, not only the environment

    def __init__(
        self, env: ForeignEnv, observations: Mapping[str, Space], actions: Mapping[str, Space]
    ):
        self.observations = observations
        self.actions = actions
        self.moves: Mapping[str, Maybe[tuple[str, ...]]] = {
            agent: self.names_in(env, space) for agent, space in actions.items()
        }
        self._numbers = {
            agent: {name: _first_number(actions[agent]) + i for i, name in enumerate(names or ())}
            for agent, names in self.moves.items()
        }
        self._masked: dict[tuple[str, bytes], tuple[str, ...]] = {}
        first, *others = [unmasked(space)[0] for space in observations.values()]
        # The space of observations, if it is a Box of numbers and the same for all seats.
        self.box: spaces.Box | None = None
        if isinstance(first, spaces.Box) and not is_picture(first):
            self.box = first if all(other == first for other in others) else None

    def names_in(self, env: ForeignEnv, space: Space) -> tuple[str, ...] | None:
        if not isinstance(space, spaces.Discrete):
            return None
        if self.names is not None and len(self.names) >= space.n:
            return self.names[: space.n]
        return tuple(f"action {number}" for number in range(space.start, space.start + space.n))

    def about(self, env: ForeignEnv) -> str:
        """Return the rules without the description of actions."""
        return story(type(env.unwrapped).__doc__)

    def how(self, agent: str) -> str:
        """Return the sentence of the rules that says how to reply."""
        names = self.moves[agent]
        if names is None:
            space = self.actions[agent]
            return f"Reply with {form(space)}, such as {json.dumps(idle(space))}."
        if len(names) > 30:
            return f"Reply with an action, from {names[0]} to {names[-1]}."
        return (
            f"Reply with {' or '.join([', '.join(names[:-1])] * (len(names) > 1) + [names[-1]])}."
        )

    def task(self, env: ForeignEnv) -> str:
        """Return the task of this episode, or an empty text if all episodes have the same."""
        return ""

    def words(self, env: ForeignEnv, agent: str, observation: object) -> str:
        """Return the text observation of a seat."""
        return words(*unmasked(self.observations[agent], observation))

    def scene(self, env: ForeignEnv, agent: str, observation: Any) -> object:
        """Return a seat's own Scene, or None to show its text or the shared rendering."""
        space = self.observations[agent]
        return pixels(observation) if is_picture(space) else None

    def see(self, env: ForeignEnv, agent: str, observation: object, legal: tuple[str, ...]) -> Seen:
        """Return the whole observation of a seat."""
        text = self.words(env, agent, observation) or "Nothing to see."
        if self.lists and 0 < len(legal) < len(self.moves[agent] or ()):
            text += f"\nYou may: {format_options(legal)}."
        return Seen(text, self.scene(env, agent, observation), self.task(env))

    def numbers(self, agent: str, observation: object) -> bytes:
        """Return the bytes of a seat's observation, or no bytes if it is no array of numbers."""
        if self.box is None:
            return b""
        array = unmasked(self.observations[agent], observation)[1]
        return np.asarray(array, self.box.dtype).tobytes()

    def legal(self, env: ForeignEnv, agent: str, mask: ArrayLike | None) -> tuple[str, ...]:
        """Return the legal moves of a seat."""
        names = self.moves[agent]
        if mask is None or names is None:
            return names or ()
        mask = np.asarray(mask, np.bool_)
        key = agent, mask.tobytes()
        legal = self._masked.get(key)
        if legal is None:
            if len(self._masked) > 1000:
                self._masked.clear()
            legal = tuple([name for name, is_legal in zip(names, mask, strict=True) if is_legal])
            self._masked[key] = legal
        return legal or names  # a seat always needs a move

    def action(self, env: ForeignEnv, agent: str, move: Any) -> object:
        """Return the environment's action for a move."""
        if self.moves[agent] is None:
            return value(self.actions[agent], move)
        return self._numbers[agent][move]

    def lost(self, agent: str, legal: tuple[str, ...]) -> object:
        """Return the move for a lost turn, since the environment needs an action."""
        if self.moves[agent] is None:
            return idle(self.actions[agent])
        return next((name for name in self.least if name in legal), legal[0])

    def enter(self, env: ForeignEnv) -> None:
        """Set global state before a call, for environments of a kind that share such state."""

    def redraw(self, env: ForeignEnv, chance: int) -> None:
        """Reseed the environment's random generator."""
        generator = getattr(env.unwrapped, "np_random", None)
        if isinstance(generator, np.random.Generator):
            bits = generator.bit_generator
            bits.state = type(bits)(chance).state


def _first_number(space: Space) -> int:
    """Return the number of the first action of a Discrete space."""
    assert isinstance(space, spaces.Discrete)
    return int(space.start)


def teller_for(
    env: ForeignEnv, known: Mapping[str, type[Teller]], otherwise: type[Teller] = Teller
) -> type[Teller]:
    """Return the Teller for an environment by the name of its class or nearest known base."""
    for base in type(env.unwrapped).__mro__:
        teller_class = known.get(f"{base.__module__}:{base.__qualname__}")
        if teller_class is not None:
            return teller_class
    return otherwise


class Told(Bridge["Live"]):
    """A game over a foreign environment that a Teller describes.

    The environments of finished episodes are used again.
    """

    teller: Teller
    renders: bool

    def __init__(self) -> None:
        super().__init__()
        self.spare: list[Any] = []

    def make(self, **kwargs: Any) -> ForeignEnv:
        """Return a new environment."""
        raise NotImplementedError

    def fresh(self) -> ForeignEnv:
        """Return an environment to reset: a spare one, or a new one."""
        with contextlib.suppress(IndexError):  # there is no spare one, or no longer
            return self.spare.pop()
        if not self.renders:
            return self.make()
        return self.make(render_mode="rgb_array", **self.teller.arguments)

    def settle(self, env: ForeignEnv, teller: Teller, title: str, limit: str) -> None:
        """Set what all episodes share, from an environment and its Teller."""
        self.teller = teller
        self.encoding_space = teller.box
        self.agents = tuple(teller.actions)
        self.listed = all(names is not None for names in teller.moves.values())
        self.zero_sum = teller.zero_sum and len(self.agents) == 2
        if self.listed:
            all_moves = (name for names in teller.moves.values() for name in names or ())
            self.moves = tuple(dict.fromkeys(all_moves))
        modes = getattr(env, "metadata", {}).get("render_modes", ())
        self.renders = teller.renders and "rgb_array" in modes
        description = teller.about(env)
        self._rules = {
            agent: "\n".join(
                filter(None, [title.format(agent), description, limit, teller.how(agent)])
            )
            for agent in self.agents
        }

    def seen(
        self, env: ForeignEnv, agent: str, observation: object, legal: tuple[str, ...]
    ) -> Seen:
        """Return the whole observation of a seat, as text and as numbers."""
        numbers = self.teller.numbers(agent, observation)
        return self.teller.see(env, agent, observation, legal)._replace(numbers=numbers)

    def read(self, text, view, agent):
        if not self.listed:
            return read(self.teller.actions[agent], text)
        legal = view.legal(agent)
        if text.isdecimal() and f"action {text}" in legal:
            return f"action {text}"
        return parse_choice(text, legal)

    def skip(self, view, agent):
        """Return the move for a lost turn: zeros, a move that does little, or the first legal."""
        return self.teller.lost(agent, view.legal(agent) if self.listed else ())

    def redraw(self, live, chance):
        self.teller.redraw(live.env, chance)

    def render(self, live):
        self.teller.enter(live.env)
        generator = getattr(live.env.unwrapped, "np_random", None)
        if not isinstance(generator, np.random.Generator):
            return pixels(live.env.render())
        rng_state = generator.bit_generator.state
        try:
            return pixels(live.env.render())
        finally:
            generator.bit_generator.state = rng_state  # rendering must not change the episode

    def encode(self, view, agent):
        box = self.teller.box
        if box is None:
            return None
        return np.frombuffer(view.output.seen[agent].numbers, box.dtype).reshape(box.shape)

    def rules(self, agent):
        return self._rules[agent]

    def brief(self, view, agent):
        return view.output.seen[agent].task

    def describe(self, view, agent):
        if agent is not None:
            return view.output.seen[agent].words
        views = view.output.seen
        texts = {views[name].words for name in self.agents}
        if len(texts) == 1:
            return texts.pop()
        return "\n\n".join(f"{name} sees:\n{views[name].words}" for name in self.agents)

    def picture(self, view, agent):
        if agent is not None and view.output.seen[agent].scene is not None:
            return view.output.seen[agent].scene
        if self.renders and (agent is None or self.teller.shared):
            return view.frame.picture(self)
        return None


class Live:
    """A foreign environment in the middle of an episode."""

    __slots__ = ("env", "gone", "last", "returns", "seen", "spare", "truncated")

    def __init__(self, env: ForeignEnv, agents: tuple[str, ...], spare: list[Any]):
        self.env: Any = env  # has the API of its own library
        self.returns = dict.fromkeys(agents, 0.0)
        self.seen: dict[str, Seen] = {}
        self.gone: dict[str, float] = {}  # seats that have forfeited, with their returns
        self.truncated = False  # whether a limit of the environment has ended the episode
        self.last: Any = None  # the last unchanged result of the environment
        self.spare = spare

    def close(self) -> None:
        """Keep the environment for a next episode: closing one may close pygame for all."""
        self.spare.append(self.env)
