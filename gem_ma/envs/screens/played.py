"""Any game as a page to click on: squares, buttons for moves, a text field."""

import functools
import re
from collections.abc import Mapping
from typing import NamedTuple

from gem_ma.envs import registry
from gem_ma.envs.coordinates import Coordinates
from gem_ma.envs.game_factory import make_game
from gem_ma.envs.screens.acting import act
from gem_ma.envs.screens.game import HOW, LOOKS, check, drawn, reader
from gem_ma.envs.screens.screen_game import ScreenGame
from gem_ma.envs.screens.sheet import EDGE, GAP, Sheet
from gem_ma.envs.screens.steps import action
from gem_ma.envs.screens.tree import described, refs
from gem_ma.envs.screens.ui import SIZE, Ui, shown
from gem_ma.game import InvalidMove, Message, State
from gem_ma.scene import Grid
from gem_ma.scene.screen import CLICKABLE_KINDS, Screen

BUTTONS = 60  # more moves than this get a text field
CLICKS = 600  # largest number of clicks of all seats in an episode
ROOM = 340  # height for a board and its status
ALONE = 380  # height if nothing is below them
_ARROWS = {"up": "Up", "down": "Down", "left": "Left", "right": "Right"}
_SQUARE = re.compile(r"([A-Za-z])(\d{1,2})(?!\d)")
Reply = tuple[tuple[tuple[int, int], ...], str]  # squares of a reply, other words of it


class Hand(NamedTuple):
    """The actions of a seat on its page since its last move."""

    ui: Ui = Ui()
    squares: tuple[tuple[int, int], ...] = ()
    reply: str | None = None  # chosen while other seats have not
    error: str = ""


class Played(NamedTuple):
    inner: State
    hands: Mapping[str, Hand]
    game: "Clicked"  # the rules: the same object in all states
    moves: Mapping[str, object] = {}  # of seats that wait for others
    last: Mapping[str, object] = {}  # the moves that led to this position
    turn: int = 0  # number of moves of the game so far

    def to_act(self):
        return tuple([seat for seat in self.inner.to_act() if seat not in self.moves])

    def returns(self):
        return self.inner.returns()

    def seen_by(self, agent):
        hands = {agent: self.hands.get(agent, Hand())}
        return self._replace(inner=self.inner.seen_by(agent), hands=hands, moves={}, last={})

    def legal(self, agent):
        """Return clicks on all usable widgets, and texts for a field that is in focus."""
        page = self.game.page(self, agent)
        references = refs(page)
        actions = [
            f"click({references[one.id]})"
            for one in page
            if one.kind in CLICKABLE_KINDS and one.seen and not one.disabled
        ]
        scrolls = [one.id for one in page if one.kind == "scroll"]
        actions += [f"scroll({references[one]}, {by})" for one in scrolls for by in (120, -120)]
        if self.hands.get(agent, Hand()).ui.focus == "reply":
            replies = _replies(self.inner, agent) or ()
            return (*actions, *(f'type("{one}\\n")' for one in replies[:20] if '"' not in one))
        return tuple(actions) or ("wait()",)

    def hint(self, agent):
        """Return the next action towards one of the legal moves."""
        replies = _replies(self.inner, agent)
        return self.clicks(agent, replies[self.turn * 7 % len(replies)]) if replies else "wait()"

    def clicks(self, agent, reply):
        """Return the next action of a seat that wants to send this reply."""
        page, hand = self.game.page(self, agent), self.hands.get(agent, Hand())
        squares_by_reply = self.game.named(self, agent)
        if reply in squares_by_reply:
            squares, rest = squares_by_reply[reply]
            if hand.squares == squares:
                return action(page, hand.ui, ("click", f"move:{rest}"))
            at = len(hand.squares) if squares[: len(hand.squares)] == hand.squares else 0
            row, column = squares[at]
            return action(page, hand.ui, ("click", f"square:{row},{column}"))
        if any(one.id == f"move:{reply}" for one in page):
            return action(page, hand.ui, ("click", f"move:{reply}"))
        if hand.ui.values.get("reply", "") != reply:
            return action(page, hand.ui, ("set", "reply", reply))
        return action(page, hand.ui, ("click", "send"))

    @property
    def truncated(self):
        return bool(getattr(self.inner, "truncated", False))


class Board(NamedTuple):
    """The board shown to a seat, and its clickable parts."""

    scene: Screen
    # "row,column", x, y, width, height, name, whether a click on it leads to a move
    squares: tuple[tuple[str, int, int, int, int, str, bool], ...]
    moves: tuple[str, ...]  # moves that have a button, since squares do not express them


class Clicked(ScreenGame[Played]):
    """A game in which moves are made with pointer and keyboard: squares, buttons, a field.

    Args:
        game: the id of the game.
        arguments: the arguments of that game.
        coordinates: as for `Screens`.
        refs: as for `Screens`.
        look: as for `Screens`.
    """

    def __init__(
        self,
        game="game:ConnectFour-v0",
        arguments=None,
        coordinates="pixels",
        refs=False,
        look="flat",
    ):
        check(0, look)
        self.id = game
        spec = registry.spec(game)
        game, beside = make_game(spec, arguments or {}, spec.kwargs)
        self.rules_of, self._kept, self.room = game, None, ROOM
        self.coordinates, self.refs, self.look = Coordinates(coordinates), refs, look
        self.agents, self.zero_sum = game.agents, game.zero_sum
        self.blocking, self.reset_options = game.blocking, game.reset_options
        turns = beside.get("max_turns", game.env_defaults.get("max_turns"))
        limit = min(8 * turns, CLICKS) if turns else CLICKS
        self.env_defaults = {**self.env_defaults, "max_turns": limit}

    def choose_screen(self, width, height):
        return SIZE, SIZE  # it is shown larger

    @classmethod
    def around(cls, game, name):
        """Return an instance that only shows a game which is played elsewhere."""
        self = cls.__new__(cls)
        self.id, self.rules_of, self._kept, self.room = name, game, None, ALONE
        self.refs, self.look = False, "flat"
        return self

    def board(self, view, agent, picked):
        """Return the board of a masked view with selected squares; None if none is clickable."""
        state = Played(view, {agent: Hand(squares=picked)}, self)
        if agent not in view.to_act() or not self.named(state, agent):
            return None
        page = self._page(state, agent)
        squares_by_reply, at = self.named(state, agent), len(picked)
        next_squares = {
            to[at] for to, _ in squares_by_reply.values() if len(to) > at and to[:at] == picked
        }
        scene = self.rules_of.picture(view, agent)
        columns = (
            {column for _, column in next_squares} if scene.columns and not scene.lines else ()
        )
        squares = []
        for one in page:
            if one.kind == "square":
                position = one.id.partition(":")[2]
                row, column = map(int, position.split(","))
                is_next = (row, column) in next_squares or column in columns
                squares.append((position, one.x, one.y, one.w, one.h, one.text, is_next))
        moves = [one.id.partition(":")[2] for one in page if one.id.startswith("move:")]
        page = tuple([one for one in page if not one.id.startswith(("move", "reply", "send"))])
        return Board(drawn(page, Ui(), False, "flat"), tuple(squares), tuple(moves))

    def pick(self, view, agent, picked, square):
        """Return the selected squares after a click, and the reply if it is now complete."""
        state, hand = Played(view, {}, self), Hand(squares=picked)
        hand, reply = self._picked(state, agent, hand, square)
        return hand.squares, reply

    def press(self, view, agent, picked, move):
        """Return the reply of a button together with the selected squares."""
        return self._reply(Played(view, {}, self), agent, Hand(squares=picked), move)

    def page(self, state, agent):
        """Return the page of a seat, or of a spectator; the last page is cached."""
        cache = self._kept
        if cache is not None and cache[0] is state and cache[1] == agent:
            return cache[2]
        page = self._page(state, agent)
        self._kept = state, agent, page
        return page

    def _page(self, state, agent):
        hand = state.hands.get(agent, Hand()) if agent is not None else Hand()
        is_waiting = agent is not None and agent not in state.inner.to_act()
        sheet = Sheet(self._strip(state, agent, hand, is_waiting), LOOKS[self.look])
        scene = self.rules_of.picture(state.inner, agent)
        is_acting = agent is not None and not is_waiting
        replies = _replies(state.inner, agent) if is_acting else None
        squares_by_reply = self.named(state, agent) if is_acting else {}
        if isinstance(scene, Grid):
            self._board(sheet, scene, hand, "square" if squares_by_reply else "tile")
        elif scene is not None:
            sheet.put("view", "view", "", scene, w=sheet.w, h=self.room - 60)
        else:
            for line in self.rules_of.describe(state.inner, agent).split("\n")[:14]:
                sheet.label(line)
        if is_acting:
            self._moves(sheet, squares_by_reply, hand, replies)
        return shown(sheet.page(), hand.ui)

    def _strip(self, state, agent, hand, waits):
        name = registry.spec(self.id).id.partition(":")[2].partition("-v")[0]
        if agent is None:
            return name
        turn = "somebody else's turn" if waits else "your turn"
        return f"{name}: you are {agent}; {hand.error or turn}."

    def _board(self, sheet, scene, hand, kind):
        """Put the squares of a board, its labels and its status on the sheet."""
        rows, columns = len(scene.rows), max(map(len, scene.rows))
        labels = sheet.line if scene.lines or scene.columns else 0
        high, wide = self.room - sheet.line * len(scene.status), sheet.w - labels
        side = max(8, min(52, high // rows, wide // columns))
        tiles, left, top = dict(scene.tiles), EDGE + labels, sheet.y
        if scene.columns:
            for column, name in enumerate(scene.columns):
                sheet.at("label", f"column{column}", left + column * side + side // 2 - 4, top,
                         side, sheet.line, text=name)  # fmt: skip
            top += sheet.line
        for row, symbols in enumerate(scene.rows):
            if scene.lines:
                y = top + row * side + (side - labels) // 2
                sheet.at("label", f"line{row}", EDGE, y, labels, labels, text=scene.lines[row])
            for column, symbol in enumerate(symbols):
                tile = tiles[symbol]
                x, y = left + column * side, top + row * side
                is_marked = (row, column) in hand.squares or (row, column) in scene.marks
                text = self._called(scene, row, column, tile)
                sheet.at(kind, f"square:{row},{column}", x, y, side, side,
                         text=text, value=(tile, is_marked))  # fmt: skip
        top += rows * side + 4
        for number, line in enumerate(scene.status[:3]):
            sheet.at("label", f"status{number}", EDGE, top, sheet.w, sheet.line, text=line)
            top += sheet.line
        sheet.move(EDGE, top + GAP)

    def _called(self, scene, row, column, tile):
        name = "".join(
            (
                scene.columns[column] if scene.columns else "",
                scene.lines[row] if scene.lines else "",
            )
        )
        content = tile.name or tile.text
        if not content and (tile.figure or tile.parts):  # legends name it once
            alike = (one.name for _, one in scene.tiles if _shows_same(one, tile) and one.name)
            content = next(alike, f"{tile.color} {tile.figure}".strip())
        return f"{name} {content or 'free'}".strip()

    def _moves(self, sheet, named, hand, replies):
        """Put a button for each move that squares do not express, or a text field."""
        if hand.squares:
            rest = [rest for squares, rest in named.values() if squares == hand.squares]
            for number, one in enumerate(rest):
                sheet.put("button", f"move:{one}", one, beside=number > 0)
            return
        others = [one for one in replies or () if one not in named]
        if replies is None or self.rules_of.conversation or len(others) > BUTTONS:
            sheet.put("field", "reply", "your move", "", w=sheet.w - 80)
            sheet.put("button", "send", "Send", beside=True, tone="primary")
            if replies is None or len(others) > BUTTONS:
                return
        if not others:
            return
        if len(others) <= 8:
            for number, one in enumerate(others):
                sheet.put("button", f"move:{one}", one, beside=number > 0)
            return
        with sheet.scroll("moves", max(3 * (sheet.line + 8), SIZE - sheet.y - EDGE)):
            for number, one in enumerate(others):
                sheet.put("button", f"move:{one}", one, beside=number > 0)

    def named(self, state, agent):
        """Return, for each reply that names squares, its squares and its other words."""
        scene = self.rules_of.picture(state.inner, agent)
        replies = _replies(state.inner, agent)
        if not isinstance(scene, Grid) or not replies:
            return {}
        return _named(
            replies, scene.columns, scene.lines, len(scene.rows), max(map(len, scene.rows))
        )

    def start(self, rng, options):
        return Played(self.rules_of.start(rng, options), {}, self)

    def read(self, text, view, agent):
        return reader(self.page(view, agent), self.coordinates).read(text)

    def advance(self, state, moves, rng):
        hands, chosen_moves = dict(state.hands), dict(state.moves)
        for agent, move in moves.items():
            hand = state.hands.get(agent, Hand())
            if move is None:  # an invalid reply loses a click, not a move of the game
                continue
            hand, reply = self._done(state, agent, hand, move)
            if reply is not None:
                try:
                    chosen_moves[agent] = self.rules_of.read(
                        reply, state.inner.seen_by(agent), agent
                    )
                    hand = Hand(Ui(pointer=hand.ui.pointer))
                except InvalidMove as error:
                    hand = hand._replace(error=str(error), squares=())
            hands[agent] = hand
        return self._moved(state._replace(hands=hands, moves=chosen_moves), rng)

    def _moved(self, state, rng):
        """Return the state after the chosen moves, once no seat has to choose any more."""
        moves = state.moves
        if not moves or set(moves) != set(state.inner.to_act()):
            return state
        try:
            inner = self.rules_of.advance(state.inner, moves, rng)
        except InvalidMove as error:  # raised late, in games where one seat acts
            (agent,) = moves
            hand = state.hands.get(agent, Hand())._replace(error=str(error))
            return state._replace(hands={**state.hands, agent: hand}, moves={})
        return Played(inner, state.hands, self, {}, moves, state.turn + 1)

    def _done(self, state, agent, hand, move):
        """Return a seat's hand after an action, and the reply that the action sends, if any."""
        ui, events = act(self.page(state, agent), hand.ui, move)
        hand = hand._replace(ui=ui)
        for event in events:
            kind, _, suffix = event.id.partition(":")
            if event.kind == "click" and kind == "square":
                hand, reply = self._picked(state, agent, hand, tuple(map(int, suffix.split(","))))
                if reply is not None:
                    return hand, reply
            elif event.kind == "click" and kind == "move":
                return hand, self._reply(state, agent, hand, suffix)
            elif event.id in ("send", "reply") and event.kind in ("click", "enter"):
                if event.id == "send" or event.kind == "enter":
                    return hand, str(ui.values.get("reply", ""))
            elif event.kind == "key" and event.value in _ARROWS.values():
                reply = str(event.value).lower()
                if reply in (_replies(state.inner, agent) or ()):
                    return hand, reply
        return hand, None

    def _picked(self, state, agent, hand, square):
        """Return a seat's hand after a click on a square, and the reply if it is now complete."""
        squares_by_reply = self.named(state, agent)
        scene = self.rules_of.picture(state.inner, agent)
        if scene.columns and not scene.lines:  # any square of a column means the column
            square = len(scene.rows) - 1, square[1]
        for squares in ((*hand.squares, square), (square,)):
            matches = {
                one: to for one, to in squares_by_reply.items() if to[0][: len(squares)] == squares
            }
            if matches:
                whole = [one for one, (all_of_it, _) in matches.items() if all_of_it == squares]
                if len(matches) == len(whole) == 1:
                    return hand._replace(squares=()), whole[0]
                return hand._replace(squares=squares, error=""), None
        return hand._replace(squares=()), None

    def _reply(self, state, agent, hand, what):
        if not hand.squares:
            return what
        squares_by_reply = self.named(state, agent)
        return next(
            (one for one, to in squares_by_reply.items() if to == (hand.squares, what)), what
        )

    def skip(self, view, agent):
        return None

    def forfeit(self, state, agent, rng):
        inner = self.rules_of.forfeit(state.inner, agent, rng)
        if inner is None:
            return None
        moves = {seat: move for seat, move in state.moves.items() if seat in inner.to_act()}
        return self._moved(state._replace(inner=inner, moves=moves), rng)

    def rules(self, agent):
        how = HOW.format(self.coordinates.describe())
        return (
            f"{self.rules_of.rules(agent)}\n\nYou play on a page. "
            f"{how} Moves are made by clicking on squares, one "
            "after the other, on buttons, or by typing into the field and sending it."
        )

    def brief(self, view, agent):
        return self.rules_of.brief(view.inner, agent)

    def describe(self, view, agent):
        ui = view.hands.get(agent, Hand()).ui if agent is not None else Ui()
        words = self.rules_of.describe(view.inner, agent)
        return f"{words}\n\n{described(self.page(view, agent), ui, self.coordinates)}"

    def tell(self, before, moves, after):
        if after.turn == before.turn:
            return []
        messages = self.rules_of.tell(before.inner, after.last, after.inner)
        if messages is not None:
            return messages
        return [Message(None, "game", "Somebody has moved.")] if len(self.agents) > 1 else []

    def picture(self, view, agent):
        ui = view.hands.get(agent, Hand()).ui if agent is not None else Ui()
        return drawn(self.page(view, agent), ui, self.refs, self.look)

    def report(self, state):
        return self.rules_of.report(state.inner)


def _replies(state, agent):
    """Return the legal replies, or None if the state does not list them."""
    return tuple(state.legal(agent)) if hasattr(state, "legal") else None


@functools.lru_cache(maxsize=4096)
def _named(replies, columns, lines, high, wide) -> Mapping[str, Reply]:
    """Return, for each reply that names squares, its squares and its other words."""
    if columns and lines and not columns[0].isdecimal():
        across = {name.lower(): place for place, name in enumerate(columns)}
        down = {name: place for place, name in enumerate(lines)}
        return _by_names(replies, across, down)
    if columns and lines:
        first = int(columns[0])
        return _by_numbers(replies, first, high, wide)
    if columns:
        places = {name: place for place, name in enumerate(columns)}
        return {one: (((high - 1, places[one]),), "") for one in replies if one in places}
    if all(one.isdecimal() and int(one) < high * wide for one in replies):
        return {one: ((divmod(int(one), wide),), "") for one in replies}
    return {}


def _by_names(replies, across, down):
    squares_by_reply = {}
    for one in replies:
        names = _SQUARE.findall(one)
        squares = tuple([(down.get(line), across.get(column.lower())) for column, line in names])
        if squares and all(None not in square for square in squares):
            squares_by_reply[one] = squares, _SQUARE.sub("", one).strip(" .")
    return squares_by_reply


def _by_numbers(replies, first, high, wide):
    squares_by_reply = {}
    for one in replies:
        numbers = [int(number) - first for number in re.findall(r"\d{1,2}", one)]
        pairs = [tuple(numbers[n : n + 2]) for n in range(0, len(numbers) - 1, 2)]
        if not pairs or any(not (0 <= r < high and 0 <= c < wide) for r, c in pairs):
            continue
        words = re.sub(r"\d{1,2} \d{1,2}", "", one).strip()
        squares_by_reply[one] = tuple(pairs), words
    return squares_by_reply


def _shows_same(one, other):
    """Return whether two tiles show the same figure, perhaps on unlike grounds."""
    return (one.figure, one.color, one.parts) == (other.figure, other.color, other.parts)
