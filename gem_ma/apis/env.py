"""Env: a Game behind PettingZoo's AEC API."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Self

import numpy as np
from gymnasium import spaces

from gem_ma.apis.aec import AECEnv
from gem_ma.apis.aec_state import AECState
from gem_ma.apis.base_env import Snapshot
from gem_ma.apis.core_env import ActionSpace, RenderFrame
from gem_ma.apis.numeric_spaces import make_encoding_space, make_state_space
from gem_ma.apis.spec import make_spec
from gem_ma.engine import action_parsing as words
from gem_ma.engine.config import OPTIONS, RENDER_MODES, EnvConfig, EnvOptions
from gem_ma.engine.match import Match
from gem_ma.engine.observations import ObservationBuilder
from gem_ma.engine.realtime import RealtimeGame, unwrap_realtime
from gem_ma.engine.seeding import check_seed, derive_seed, generate_seed
from gem_ma.envs.registry import Spec, suggest_names
from gem_ma.game import Game, Message, ResetOptions, S, T
from gem_ma.renderers.picture import Picture
from gem_ma.validation.arguments import check_type


class Env(AECEnv, Generic[S]):
    """A Game behind PettingZoo's AEC API.

    Args:
        game: The rules.
        config: The options of the environment; None: the defaults.
        id: Its name in records and messages; None: the name of the game's class.
        **options: Single options by name, which override those of `config`; see `EnvConfig`.
    """

    is_core = True
    has_own_views = False  # whether a subclass overrides `observe` or `info`
    file = ""  # "FILE.py:NAME" of its game, if it was made from a file

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.has_own_views |= not {"observe", "info"}.isdisjoint(vars(cls))

    def __init__(
        self,
        game: Game[S],
        config: EnvConfig | None = None,
        *,
        id: str | None = None,
        **options: Any,
    ):
        check_type(game, Game, "game")
        self.core = self
        self.id = id or type(game).__name__
        self.config = make_config(config, options)
        size, clock = self.config.image_size, self.config.clock
        game = game.fit_image(*size) if isinstance(size, tuple) else game
        self.game: Game = RealtimeGame(game, clock) if clock is not None else game
        self.match = Match(self.game, self.config, self.id)
        self.observation_builder = ObservationBuilder(self.game, self.config)
        self.aec_state = AECState()
        self.agent_selection = None
        self.render_mode: str | None = self.config.render_mode
        # whether "human" rendering is off, because a view of one seat renders instead
        self.suppress_render = False
        self.possible_agents = list(game.agents)
        self.metadata = {
            "name": self.id,
            "render_modes": list(RENDER_MODES),
            "render_fps": 4,
            "is_parallelizable": self._is_parallelizable(),
        }
        self._spec: Spec | None = None  # made when it is first needed
        self._observation_spaces: dict[str, spaces.Dict] = {}
        self._action_spaces: dict[str, ActionSpace] = {}
        self._state_space: spaces.Box | None = None

    def _is_parallelizable(self) -> bool:
        """Return whether every seat acts once in every round, as `aec_to_parallel` assumes.

        A seat that is asked again, or leaves before the others have replied, breaks the round.
        """
        if len(self.possible_agents) == 1:
            return True
        policy = self.config.invalid
        return self.game.simultaneous and (
            self.observation_builder.discrete or policy in ("skip", "random")
        )

    def reset(self, seed: int | None = None, options: ResetOptions | None = None) -> None:
        """Begin an episode.

        Args:
            seed: Determines the whole episode; None: a seed derived from the last episode's, or a
                random one.
            options: Options of the game for this episode, such as the number of a task.
        """
        match = self.match
        check_seed(seed)
        if seed is None:
            seed = generate_seed() if match.state is None else derive_seed(match.seed)
        match.reset(int(seed), options)
        self.aec_state.reset(match)
        self.agent_selection = match.waiting_seats[0]
        if self.render_mode == "human" and not self.suppress_render:
            self.render()

    @property
    def to_act(self) -> tuple[str, ...]:
        """The seats whose reply the game waits for; empty when it is over."""
        return self.match.waiting_seats

    @property
    def turns(self) -> int:
        """The number of times that the game has advanced."""
        return self.match.turns

    @property
    def episode_seed(self) -> int:
        """The seed of this episode."""
        return self.match.seed

    def messages(self, agent: str) -> list[Message]:
        """Return the messages to a seat since its last reply."""
        return self.match.list_messages(agent)

    def truncate(self) -> None:
        """Truncate the episode for all seats, like a limit outside the rules of the game."""
        self.match.truncate()
        self.sync_aec_state()

    def get_end_flags(self, agent: str) -> tuple[bool, bool]:
        """Return whether a seat is terminated, and truncated."""
        match = self.match
        if agent in match.alive_seats:
            return False, False
        return self.aec_state.flags.get(agent) or (not match.truncated, match.truncated)

    def collect_end_flags(self, seats: Sequence[str]) -> tuple[dict[str, bool], dict[str, bool]]:
        """Return the termination flags and the truncation flags of some seats."""
        ended = {agent: self.get_end_flags(agent) for agent in seats}
        return {a: one[0] for a, one in ended.items()}, {a: one[1] for a, one in ended.items()}

    def sync_aec_state(self) -> None:
        """Update the done seats and the seat that steps next, after the match has advanced."""
        ledger, match = self.aec_state, self.match
        ledger.update(match)
        if ledger.dead:
            self.agent_selection = ledger.dead[0]
        elif match.waiting_seats:
            self.agent_selection = match.waiting_seats[0]

    def record_view_step(self, rewards: Mapping[str, float]) -> None:
        """Record a step of another view, which removes done seats without a last step."""
        ledger = self.aec_state
        ledger.rewards = rewards
        if ledger.dead:
            ledger.remove_agents(ledger.dead)
            if self.match.waiting_seats:
                self.agent_selection = self.match.waiting_seats[0]
        if ledger.credited:
            ledger.reset_cumulative_rewards()

    def set_end_flags(self, given: Mapping[str, tuple[bool, bool]]) -> None:
        """Set termination and truncation flags for a client; a seat with a true flag leaves."""
        match, ledger = self.match, self.aec_state
        for agent, flags in given.items():
            if agent in ledger.dead and not any(flags):
                raise ValueError(
                    f"{agent} is done: its flags cannot be set back to False; call reset()"
                )
        flagged = {agent: flags for agent, flags in given.items() if any(flags)}
        ledger.flags = {**ledger.flags, **flagged}
        leavers = [agent for agent in flagged if agent not in ledger.dead]
        if not leavers:
            return
        selected = self.agent_selection
        rewards = match.remove_seats(leavers)
        self.sync_aec_state()
        ledger.add_rewards(rewards)
        if selected in ledger.dead:
            self.agent_selection = selected

    def observation_space(self, agent: str) -> spaces.Dict:
        return self._get_space(self._observation_spaces, agent, self._make_observation_space)

    def action_space(self, agent: str) -> ActionSpace:
        return self._get_space(self._action_spaces, agent, self._make_action_space)

    def _get_space(self, cache: dict[str, T], agent: str, make: Callable[[], T]) -> T:
        space = cache.get(agent)
        if space is None:
            if agent not in self.match.index:
                raise self.match.make_seat_error(agent)
            space = cache[agent] = make()
        return space

    def _make_observation_space(self) -> spaces.Dict:
        from gem_ma.apis.text_space import UnicodeText  # Gymnasium's vectors are slow to import

        sight = self.observation_builder
        width, height = sight.image_size
        image = spaces.Box(0, 255, (height, width, 3), np.uint8)
        if sight.discrete:
            numbers = self.encoding_space() if sight.config.observe == "text" else None
            mask = spaces.Box(0, 1, (len(sight.move_numbers),), np.int8)
            return spaces.Dict({"observation": numbers or image, "action_mask": mask})
        parts: dict[str, spaces.Space[Any]] = {}
        if sight.config.observe != "image":
            parts["text"] = UnicodeText(sight.config.text_length)
        if sight.config.observe != "text":
            parts["image"] = image
        return spaces.Dict(parts)

    def _make_action_space(self) -> ActionSpace:
        from gem_ma.apis.text_space import UnicodeText

        sight = self.observation_builder
        if sight.discrete:
            return spaces.Discrete(len(sight.move_numbers))
        return UnicodeText(
            1 << 24, examples=[words.format_action(m, sight.config.format) for m in sight.moves]
        )

    def encoding_space(self) -> spaces.Box | None:
        """Return the space of `Game.encode`, or None if the game has no encoding."""
        return make_encoding_space(self.game)

    def get_state_space(self) -> spaces.Box:
        """Return the space of `state()`."""
        if self._state_space is None:
            self._state_space = make_state_space(self.game, self.observation_builder.image_size)
        return self._state_space

    def state(self) -> np.ndarray:
        """Return the encodings of all seats' views in one array, in the order of the seats.

        A game without `Game.encode` gives a picture of the whole game instead.
        """
        if self.match.state is None:
            raise self.match.make_reset_error("state")
        return self.observation_builder.encode_state(self.match)

    def scene(self, agent: str | None = None) -> object:
        """Return the scene of the whole game, or of one seat's view.

        Args:
            agent: The seat; None: the whole game.

        Returns:
            The scene, which a renderer draws.
        """
        return self.observation_builder.build_scene(self._get_view(agent), agent)

    def picture(self, agent: str | None = None) -> Picture:
        """Return the whole game, or one seat's view, as a Picture.

        Args:
            agent: The seat; None: the whole game.

        Returns:
            The picture with the description as its alt text. It is drawn when it is first read.
        """
        view = self._get_view(agent)
        return self.observation_builder.build_picture(view, agent, self.game.describe(view, agent))

    def render(self, agent: str | None = None) -> RenderFrame:
        """Render the whole game, or one seat's view, in the environment's `render_mode`.

        Args:
            agent: The seat; None: the whole game.

        Returns:
            "rgb_array": an array of height x width x 3 bytes. "ansi": a text. "human": None, after
            printing the text.

        Raises:
            ValueError: The environment was made without a `render_mode`.
        """
        view = self._get_view(agent)
        if self.render_mode == "rgb_array":
            return self.observation_builder.render_image(view, agent)
        if self.render_mode is None:
            raise ValueError("render_mode=None: make the environment with render_mode='ansi'")
        text = self.game.describe(view, agent)
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(text + "\n")
        return None

    def _get_view(self, agent: str | None) -> Any:
        return self.game_state if agent is None else self.match.make_view(agent)

    def close(self) -> None:
        self.match.close()
        self.aec_state.infos = {}

    @property
    def spec(self) -> Spec:
        """The Spec of this environment: the game's class, its arguments and the options."""
        if self._spec is None:
            self._spec = make_spec(self.id, self.game, self.config, self.file)
        return self._spec

    def snapshot(self) -> Snapshot:
        return Snapshot(
            self.game, self.match.snapshot(), self.aec_state.copy(), self.agent_selection
        )

    def restore(self, snapshot: Snapshot) -> None:
        check_type(snapshot, Snapshot, "snapshot")
        other, game = unwrap_realtime(snapshot.game), unwrap_realtime(self.game)
        if type(other) is not type(game) or other.init_args != game.init_args:
            raise ValueError(
                f"expected a snapshot of {type(game).__name__}{game.init_args}, got one of "
                f"{type(other).__name__}{other.init_args}"
            )
        self.match.restore(snapshot.point)
        self.aec_state = snapshot.ledger.copy()
        self.agent_selection = snapshot.selected

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__, _spec=self.spec)
        twin.core = twin
        twin.match, twin.observation_builder = self.match.copy(), self.observation_builder.copy()
        twin.aec_state = self.aec_state.copy()
        twin._observation_spaces, twin._action_spaces, twin._state_space = {}, {}, None
        return twin

    def __repr__(self) -> str:
        return f"<Env {self.id}>"


def make_config(config: EnvConfig | None, options: EnvOptions) -> EnvConfig:
    """Return a configuration (None: the defaults) with some options replaced."""
    for name in options:
        if name not in OPTIONS:
            hint = suggest_names(name, OPTIONS, "it takes")
            raise TypeError(f"Env got an unexpected keyword argument {name!r}; {hint}")
    if config is None:
        return EnvConfig(**options)
    check_type(config, EnvConfig, "config")
    return dataclasses.replace(config, **options) if options else config
