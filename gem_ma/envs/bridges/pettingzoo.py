"""PettingZoo's environments as games, turn by turn (AEC) or with all seats at once (parallel)."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import pettingzoo

from gem_ma.envs import uci_moves
from gem_ma.envs.bridges.describing import Live, Seen, Teller, Told, story, teller_for
from gem_ma.envs.bridges.live import Output
from gem_ma.envs.bridges.pack import PETTINGZOO
from gem_ma.envs.registry import MissingRequirement, Spec
from gem_ma.game import Message
from gem_ma.scene import Cards
from gem_ma.validation.json_types import JSONMapping

_ENTRY = "gem_ma.envs.bridges.pettingzoo:PettingZoo"
# The families of PettingZoo with the extra that installs their requirements: gem_ma's or its own.
_FAMILIES = {
    "classic": "gem-ma[pettingzoo]",
    "butterfly": "gem-ma[butterfly]",
    "sisl": "pettingzoo[sisl]",
    "atari": "pettingzoo[atari]",
}
_LEAVES = "(leaves the game)"  # the move of a seat that forfeits
_RANKS = {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "10"}
_SUITS = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}


class Zoo(Teller):
    """The Teller of any environment, whose rules are the documentation of its module."""

    def about(self, env):
        module = sys.modules.get(type(env.unwrapped).__module__)
        return story(getattr(module, "__doc__", None) or type(env.unwrapped).__doc__)


class Board(Zoo):
    """The Teller of a game of perfect information: all seats see the board and all moves."""

    shared = True
    public = True
    zero_sum = True
    lists = False
    observes = False

    def legal(self, env, agent, mask):
        return tuple([self.moves[agent][number] for number in self._open(env.unwrapped)])

    def _open(self, game):
        """Return the numbers of the moves that are legal now."""
        raise NotImplementedError


class Chess(Board):
    arguments = MappingProxyType({"screen_height": 512})

    def names_in(self, env, space):
        return uci_moves.UCI_MOVES  # all moves; their numbers differ by the side to move

    def about(self, env):
        return (
            "You are playing Chess; player_0 is white. A position that may be claimed as a draw is "
            "one. In the diagram capitals are white. A win pays 1, a loss costs 1."
        )

    def how(self, agent):
        return "Reply with a move in UCI notation: e2e4, or e7e8q for a promotion."

    def legal(self, env, agent, mask):
        return tuple([move.uci() for move in env.unwrapped.board.legal_moves])

    def action(self, env, agent, move):
        import chess
        from pettingzoo.classic.chess import chess_utils

        board = env.unwrapped.board
        if board.turn == chess.BLACK:  # black's moves are numbered on a mirrored board
            move = chess_utils.mirror_move(chess.Move.from_uci(move)).uci()
        if move not in chess_utils.moves_to_actions:
            chess_utils.make_move_mapping(move)
        return chess_utils.moves_to_actions[move]

    def words(self, env, agent, observation):
        board = env.unwrapped.board
        rows = [f"{8 - i} {row}" for i, row in enumerate(str(board).splitlines())]
        side = "white (player_0)" if board.turn else "black (player_1)"
        return "\n".join([*rows, "  a b c d e f g h", f"FEN: {board.fen()}", f"To move: {side}"])


class TicTacToe(Board):
    names = tuple("012345678")
    arguments = MappingProxyType({"screen_height": 504})

    def about(self, env):
        return (
            "You are playing Tic-tac-toe; player_1 marks x and begins, player_2 marks o. In turn "
            "you mark a free cell, and three of your marks in a row, column or diagonal win. Cells "
            "are numbered 0 to 8, column by column from the top left: 0, 3, 6 is the top row."
        )

    def _open(self, game):
        return game.board.legal_moves()

    def words(self, env, agent, observation):
        signs = [".xo"[cell] for cell in env.unwrapped.board.squares]
        return "\n".join(" ".join(signs[row::3]) for row in range(3))


class ConnectFour(Board):
    names = tuple("0123456")
    arguments = MappingProxyType({"screen_scaling": 5})

    def about(self, env):
        return (
            "You are playing Connect Four; player_0 has the red discs (R) and begins, player_1 the "
            "black ones (B). In turn you drop a disc into a column that is not full. Four of your "
            "discs in a row, upright, flat or diagonal, win. Columns are numbered 0 to 6 from the "
            "left."
        )

    def _open(self, game):
        return game._legal_moves()

    def words(self, env, agent, observation):
        signs = [".RB"[cell] for cell in env.unwrapped.board]
        rows = [" ".join(signs[i : i + 7]) for i in range(0, 42, 7)]
        return "\n".join(["0 1 2 3 4 5 6", *rows])


class Go(Board):
    least = ("pass",)
    arguments = MappingProxyType({"screen_height": 512})

    def names_in(self, env, space):
        size = self.size = env.unwrapped._N
        self.letters = "ABCDEFGHJKLMNOPQRSTUVWXYZ"[:size]
        points = [f"{self.letters[i % size]}{size - i // size}" for i in range(size * size)]
        return (*points, "pass")

    def about(self, env):
        return (
            f"You are playing Go on {self.size} x {self.size} points; black_0 begins, and white_0 "
            f"gets {env.unwrapped._komi} points for that. Stones without liberties are taken; the "
            "game ends when both pass, and all stones on the board count as alive. On the map, X "
            "is black, O is white and . is free. A win pays 1, a loss costs 1."
        )

    def how(self, agent):
        return "Reply with a point such as B2, or with pass."

    def _open(self, game):
        return game.next_legal_moves

    def enter(self, env):
        from pettingzoo.classic.go import go_base

        if self.size != go_base.N:  # a global of the module: the size of the newest board
            env.unwrapped._overwrite_go_global_variables(self.size)

    def words(self, env, agent, observation):
        width = len(str(self.size))
        rows = [
            f"{self.size - i:{width}} " + " ".join(".XO"[point] for point in row)
            for i, row in enumerate(env.unwrapped._go.board.tolist())
        ]
        return "\n".join([*rows, " " * width + " " + " ".join(self.letters)])


class RockPaperScissors(Zoo):
    zero_sum = True

    def __init__(self, env, observations, actions):
        self.names = tuple(
            name.lower().replace("_", " ") for name in env.unwrapped._moves if name != "None"
        )
        super().__init__(env, observations, actions)

    def about(self, env):
        return (
            "You and your opponent move at the same time, over and over: rock beats scissors, "
            "scissors beats paper, paper beats rock. (With five: spock beats rock and scissors, "
            "lizard beats spock and paper; rock and scissors beat lizard, paper beats spock.) A "
            f"won round pays 1, a lost one costs 1. There are {env.unwrapped.max_cycles} rounds."
        )

    def words(self, env, agent, observation):
        number = int(observation)
        if number >= len(self.names):
            return "No round has been played yet."
        return f"Your opponent's last move: {self.names[number]}."


class Poker(Zoo):
    """The Teller of RLCard's poker: own cards, cards on the table, chips in the pot."""

    public = True
    zero_sum = True
    observes = False
    names: tuple[str, ...] = ("call", "raise", "fold", "check")
    least = ("check", "fold")
    arguments = MappingProxyType({"screen_height": 504})
    game = (
        "You are playing limit Texas Hold'em: two cards each, five on the table, four rounds of "
        "bets. What is won or lost is paid in big blinds."
    )

    def about(self, env):
        return self.game

    def legal(self, env, agent, mask):
        names = self.moves[agent]
        return tuple([names[number] for number in sorted(env.unwrapped.next_legal_moves)])

    def see(self, env, agent, observation, legal):
        poker = env.unwrapped
        seats = poker.possible_agents
        state = poker.env.game.get_state(seats.index(agent))
        hand, table = state["hand"], state.get("public_cards", state.get("public_card"))
        hand = [hand] if isinstance(hand, str) else hand
        table = [table] if isinstance(table, str) else table or []
        pot = ", ".join(
            f"{'you' if seat == agent else seat} {int(chips)}"
            for seat, chips in zip(seats, state["all_chips"], strict=True)
        )
        text = f"Your cards: {_cards(hand)}.\nOn the table: {_cards(table)}.\nIn the pot: {pot}."
        if legal:
            text += f"\nYou may: {', '.join(legal)}."
        rows = (("you", tuple(map(_short, hand))), ("table", tuple(map(_short, table))))
        return Seen(text, Cards(rows, (f"Pot: {pot}",)))

    def redraw(self, env, chance):
        """Shuffle the rest of the deck."""
        game = env.unwrapped.env.game
        game.np_random.seed(chance % (1 << 32))
        game.np_random.shuffle(game.dealer.deck)


class NoLimit(Poker):
    names = ("fold", "check or call", "raise half pot", "raise pot", "all in")
    game = (
        "You are playing no-limit Texas Hold'em: two cards each, five on the table, four rounds of "
        "bets. What is won or lost is paid in chips."
    )


class Leduc(Poker):
    game = (
        "You are playing Leduc Hold'em: the deck is J, Q and K in two suits; one card each, one on "
        "the table after the first of two rounds of bets. A pair with the table's card wins, then "
        "the higher card. What is won or lost is paid in big blinds."
    )


class Hanabi(Zoo):
    public = True
    observes = False
    renders = False  # it shows all hands at every step, and no seat may see its own

    def names_in(self, env, space):
        env.reset(seed=0)
        state = env.unwrapped.hanabi_env.game_state
        return tuple(
            state.action_to_string(0, number).strip("()").lower() for number in range(space.n)
        )

    def about(self, env):
        return (
            "You are playing Hanabi together: build a firework of each color from 1 upwards. You "
            "see the others' cards and not your own. In turn play a card, discard one (which "
            "gives an information token back), or reveal to a player which of its cards have a "
            "color or a rank (which costs a token). A card that does not fit costs a life. Every "
            "card that fits pays 1 to all; with the last life all of that is lost. Cards are "
            "numbered from 0, the oldest; player +1 is the next after you."
        )

    def words(self, env, agent, observation):
        seat = env.unwrapped.possible_agents.index(agent)
        return env.unwrapped.hanabi_env.game_state.observation_string(seat).strip()

    def redraw(self, env, chance):
        hanabi = env.unwrapped.hanabi_env
        bits = hanabi.np_random.bit_generator
        bits.state = type(bits)(chance).state


class Knights(Zoo):
    names = ("forward", "backward", "turn left", "turn right", "attack", "nothing")
    least = ("nothing",)
    shared = True


_TELLERS: dict[str, type[Teller]] = {
    "pettingzoo.classic.chess.chess:raw_env": Chess,
    "pettingzoo.classic.connect_four.connect_four:raw_env": ConnectFour,
    "pettingzoo.classic.go.go:raw_env": Go,
    "pettingzoo.classic.hanabi.hanabi:raw_env": Hanabi,
    "pettingzoo.classic.rlcard_envs.leduc_holdem:raw_env": Leduc,
    "pettingzoo.classic.rlcard_envs.texas_holdem:raw_env": Poker,
    "pettingzoo.classic.rlcard_envs.texas_holdem_no_limit:raw_env": NoLimit,
    "pettingzoo.classic.rps.rps:raw_env": RockPaperScissors,
    "pettingzoo.classic.tictactoe.tictactoe:raw_env": TicTacToe,
    "pettingzoo.butterfly.knights_archers_zombies.knights_archers_zombies:raw_env": Knights,
}


class PettingZoo(Told):
    """A PettingZoo environment as a game with text observations.

    `reset(options={"seed": n})` passes n and all other options to the environment's own reset.

    Args:
        id: a module of PettingZoo ("chess_v6"), an id of its registry, or a module of your own
            that has `env` or `parallel_env` ("my_package.my_game_v0").
        env_kwargs: arguments of the environment; None: none.
        parallel: whether all seats act at once; None: if the environment offers that.
        shared: whether every seat sees the environment's own rendering; None: only if it is known
            to show no secret. Otherwise seats see their own picture or text.
    """

    def __init__(
        self,
        id: str,
        env_kwargs: JSONMapping | None = None,
        parallel: bool | None = None,
        shared: bool | None = None,
    ):
        super().__init__()
        self.id = id
        self._kwargs = dict(env_kwargs or {})
        self._entry, self.parallel = _entry(id, parallel)
        env = self.make()
        seats = env.possible_agents
        observations = {agent: env.observation_space(agent) for agent in seats}
        actions = {agent: env.action_space(agent) for agent in seats}
        teller = teller_for(env, _TELLERS, Zoo)(env, observations, actions)
        if shared is not None:
            teller.shared = shared
        title = f"You are {{}} in the environment {id.rpartition('/')[2]}."
        self.settle(env, teller, title, "")
        env.close()

    def make(self, **kwargs: Any) -> Any:
        return self._entry(**{**kwargs, **self._kwargs})

    def open(self, seed, options):
        live = Live(self.fresh(), self.agents, self.spare)
        options = dict(options)
        seed = options.pop("seed", seed)
        self.teller.enter(live.env)
        result = live.env.reset(seed=seed, options=options or None)
        if self.parallel:
            observations, infos = result
            live.last = observations, {}, {}, {}, infos
        self._run_on(live)
        return live, self._output(live, ())

    def play(self, live, moves, chance):
        self.teller.enter(live.env)
        news = []
        actions = {}
        for agent, move in moves.items():
            if move == _LEAVES:
                live.gone[agent] = live.returns[agent]
                continue
            actions[agent] = self.teller.action(live.env, agent, move)
            if self.teller.public:
                news.append(Message(None, agent, str(move)))
        if actions and self.parallel:
            self._move_all(live, actions)
        else:
            for action in actions.values():
                self._move(live, action)
        self._run_on(live)
        return self._output(live, tuple(news))

    def _move_all(self, live, actions):
        all_actions = {
            a: actions[a] if a in actions else self._nothing(live, a) for a in live.env.agents
        }
        live.last = live.env.step(all_actions)
        live.truncated |= any(live.last[3].values())
        self._pay(live, live.last[1])

    def _move(self, live, action):
        live.env.step(action)
        self._pay(live, live.env.rewards)

    def _pay(self, live, rewards):
        for agent, reward in rewards.items():
            live.returns[agent] += float(reward)

    def _run_on(self, live):
        """Make the moves of terminated agents and of seats that have forfeited."""
        env = live.env
        while not self.parallel and env.agents:
            agent = env.agent_selection
            if env.terminations[agent] or env.truncations[agent]:
                self._look(live, agent)  # its last observation
                live.truncated |= bool(env.truncations[agent])
                env.step(None)
            elif agent in live.gone and len(live.gone) < len(self.agents):
                self._move(live, self._nothing(live, agent))
            else:
                return

    def _nothing(self, live, agent):
        """Return the action of a seat that has forfeited."""
        legal = ()
        if self.listed:
            legal = self._legal(live, agent, self._observation(live, agent))
        return self.teller.action(live.env, agent, self.teller.lost(agent, legal))

    def _look(self, live, agent, acts=False):
        """Store the observation of a seat, and return its legal moves."""
        observation = self._observation(live, agent)
        legal = self._legal(live, agent, observation) if acts and self.listed else ()
        live.seen[agent] = self.seen(live.env, agent, observation, legal)
        return legal

    def _observation(self, live, agent):
        if not self.teller.observes and self.teller.box is None:
            return None
        return live.last[0][agent] if self.parallel else live.env.observe(agent)

    def _legal(self, live, agent, observation):
        infos = live.last[4] if self.parallel else live.env.infos
        mask = infos.get(agent, {}).get("action_mask")
        if mask is None and isinstance(observation, Mapping):
            mask = observation.get("action_mask")
        return self.teller.legal(live.env, agent, mask)

    def _output(self, live, news):
        env = live.env
        if self.parallel:
            live_agents = [a for a in env.agents if a not in live.gone]
            acting = tuple(a for a in self.agents if a in live_agents)
            viewers = tuple(live.last[0])
        else:
            dead_agents = {a for a in env.agents if env.terminations[a] or env.truncations[a]}
            live_agents = [a for a in env.agents if a not in dead_agents and a not in live.gone]
            acting = (env.agent_selection,) if live_agents else ()
            viewers = env.agents
        legal = dict.fromkeys(self.agents, ())
        for agent in viewers:
            legal[agent] = self._look(live, agent, agent in acting)
        return Output(
            to_act=acting,
            returns={**live.returns, **live.gone},
            seen=live.seen.copy(),
            legal=legal if self.listed else None,
            out=tuple(a for a in self.agents if a not in live_agents),
            news=news,
            report={} if acting else {"truncated": bool(live.truncated)},
        )

    def forfeit(self, state, agent, rng):
        """Continue without a seat; from now on moves that do little are made for it."""
        if len(self.agents) < 3:
            return None
        return self.advance(state, {agent: _LEAVES}, rng)


def specs():
    """Yield the listed Specs: the classic and the butterfly environments."""
    for family, names in PETTINGZOO.items():
        for name in names.split():
            yield _spec(name, _needs(family))


def find(id):
    """Return the Spec of any other id that PettingZoo can make, or None."""
    name = id.partition(":")[2]
    family = _family(name)
    if family:
        return _spec(name, _needs(family))
    is_registered = _registered("aec", name) or _registered("parallel", name)
    return _spec(name, ()) if is_registered or _exists(name) else None


def _needs(family):
    """Return gem_ma's extra for a family, if there is one; `_make` names other requirements."""
    package, _, extra = _FAMILIES[family].rstrip("]").partition("[")
    return (extra,) if package == "gem-ma" else ()


def _spec(name, needs):
    return Spec(f"pz:{name}", _ENTRY, {"id": name}, needs)


def _exists(module):
    try:
        return importlib.util.find_spec(module) is not None
    except (ModuleNotFoundError, ValueError):  # a parent package is missing; not a name
        return False


def _registered(kind: str, id: str) -> bool:
    """Return whether PettingZoo's own registry (new in 1.27) has an id."""
    return re.sub(r"_v(\d+)$", r"-v\1", id) in getattr(pettingzoo, f"{kind}_registry", {})


def _family(name: str) -> str | None:
    """Return the family of PettingZoo that has an environment of this name, or None."""
    if hasattr(pettingzoo, "aec_registry"):
        return next((f for f in _FAMILIES if _registered("aec", f"{f}/{name}")), None)
    if not name.isidentifier():
        return None
    return next((f for f in _FAMILIES if _exists(f"pettingzoo.{f}.{name}")), None)


def _entry(id: str, parallel: bool | None) -> tuple[Callable[..., Any], bool]:
    """Return the function that makes an environment, and whether all its seats act at once."""
    family = _family(id)
    name = f"{family}/{id}" if family else id
    if _registered("aec", name) or _registered("parallel", name):
        if parallel is None:
            parallel = _registered("parallel", name)
        return functools.partial(_make, family, "parallel" if parallel else "aec", name), parallel
    module = importlib.import_module(f"pettingzoo.{family}.{id}" if family else id)
    if parallel is None:
        parallel = hasattr(module, "parallel_env")
    maker = "parallel_env" if parallel else "env"
    if not hasattr(module, maker):
        raise ValueError(
            f"{id}: {module.__name__} has no {maker}(); expected a module of an environment of "
            "PettingZoo"
        )
    return getattr(module, maker), parallel


def _make(family: str | None, kind: str, name: str, **kwargs: Any) -> Any:
    try:
        return pettingzoo.make(kind, name, **kwargs)
    except Exception as error:
        cause = error if isinstance(error, ImportError) else error.__cause__
        remedy = _FAMILIES.get(family or name.partition("/")[0])
        if remedy is None or not isinstance(cause, ImportError):
            raise
        raise MissingRequirement(
            f"{name} cannot be made here ({cause}): pip install {remedy!r}"
        ) from error


def _cards(cards):
    names = [f"{_RANKS.get(card[1:], card[1:])} of {_SUITS[card[0]]}" for card in cards]
    return ", ".join(names) or "none yet"


def _short(card):
    return card[1:].replace("T", "10") + card[0].lower()
