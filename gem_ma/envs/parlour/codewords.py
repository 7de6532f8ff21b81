"""Codewords: two teams race to find their words in a grid, guided by one-word clues."""

from dataclasses import dataclass, replace

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.parlour.things import NOUNS
from gem_ma.game import Game, InvalidMove, Message, clip_repr, parse_choice, parse_number
from gem_ma.scene import TextTable

TEAMS = ("north", "south")
GIVERS = ("north_giver", "south_giver")
GUESSERS = ("north_guesser", "south_guesser")
AGENTS = ("north_giver", "north_guesser", "south_giver", "south_guesser")
SIDE = 5
FIRST, SECOND, NOBODY = 9, 8, 7  # words of the team that begins, the other team, and neither
KINDS = {"n": "north", "s": "south", "o": "nobody", "x": "the assassin"}
PASS = "pass"
LONGEST = 16  # letters in a clue
TURNS = 40  # of both teams together
CLUES = ("animal", "weather", "building", "clothing", "vehicle", "kitchen", "royal", "music")
EXAMPLES = tuple(f"{word} {n}" for word in CLUES for n in (1, 2, 3))  # none clashes with a noun
COLORS = {"n": "blue", "s": "orange", "o": "gray", "x": "black"}  # of the cards


@dataclass(frozen=True, slots=True)
class State:
    words: tuple[str, ...]  # row by row
    key: str  # owner of each word: a letter of KINDS, or ? if hidden
    found: str  # a letter of KINDS if the word was picked, else ?
    team: int  # index of the team whose turn it is
    clue: tuple[str, int] | None = None
    picked: int = 0  # words picked since the last clue
    turns: int = TURNS  # turns left, including this one
    winner: int | None = None
    left: tuple[str, ...] = ()  # seats that forfeited

    def to_act(self):
        if self.winner is not None or not self.turns or self.stuck():
            return ()
        waits_for = GIVERS if self.clue is None else GUESSERS
        giver = waits_for[self.team]
        return (GUESSERS[self.team] if giver in self.left else giver,)

    def stuck(self):
        return all(guesser in self.left for guesser in GUESSERS)

    def out(self):
        return self.left

    def returns(self):
        winning_team = TEAMS[self.winner] if self.winner is not None else None
        pay = {
            a: 0.0 if winning_team is None else 1.0 if a.startswith(winning_team) else -1.0
            for a in AGENTS
        }
        return pay | dict.fromkeys(self.left, -1.0)

    def seen_by(self, agent):
        return self if agent in GIVERS or not self.to_act() else replace(self, key=self.found)

    def legal(self, agent):
        """Return all moves of a guesser, or example clues for a giver."""
        if agent in GIVERS:
            return EXAMPLES
        words = [w for w, kind in zip(self.words, self.found, strict=True) if kind == "?"]
        return (*words, PASS) if self.picked else tuple(words)

    def clash(self, clue):
        """Return an unfound word that contains the clue or is part of it; None if there is none."""
        for word, kind in zip(self.words, self.found, strict=True):
            if kind == "?" and (word in clue or clue in word):
                return word
        return None

    def missing(self, team):
        """Return how many words a team still has to find."""
        letter = TEAMS[team][0]
        return (FIRST if self.begins() == team else SECOND) - self.found.count(letter)

    def begins(self):
        """Return the index of the team that began; it has one more word."""
        return self.team if (TURNS - self.turns) % 2 == 0 else 1 - self.team

    def pick(self, word):
        cell = self.words.index(word)
        kind = self.key[cell]
        marks = self.found[:cell] + kind + self.found[cell + 1 :]
        after = replace(self, found=marks, picked=self.picked + 1)
        if kind == "x":
            return replace(after, winner=1 - self.team)
        for team in (0, 1):
            if not after.missing(team):
                return replace(after, winner=team)
        max_picks = self.clue[1] + 1 if self.clue else 1
        is_own = kind == TEAMS[self.team][0]
        return after if is_own and after.picked < max_picks else after.end()

    def end(self):
        """Pass the turn to the other team, or skip that team if its guesser has left."""
        after = replace(self, team=1 - self.team, clue=None, picked=0, turns=self.turns - 1)
        if GUESSERS[after.team] in self.left and after.turns and not self.stuck():
            return after.end()
        return after

    def leave(self, agent):
        after = replace(self, left=(*self.left, agent))
        return after.end() if agent == GUESSERS[self.team] and not after.stuck() else after


class Codewords(Game[State]):
    """Two teams find their words in a grid; only each team's giver sees which words are its own."""

    agents = AGENTS
    moves = (*NOUNS, PASS, *EXAMPLES)
    legal_is_partial = True

    def start(self, rng, options):
        team = int(rng.integers(2))
        words = tuple([NOUNS[i] for i in rng.choice(len(NOUNS), SIDE * SIDE, replace=False)])
        own, other = TEAMS[team][0], TEAMS[1 - team][0]
        cards = own * FIRST + other * SECOND + "o" * NOBODY + "x"
        key = "".join([cards[i] for i in rng.permutation(len(cards))])
        return State(words, key, "?" * len(words), team)

    def read(self, text, view, agent):
        """Return a clue as (word, number), or the picked word."""
        if agent in GUESSERS:
            return parse_choice(text, view.legal(agent))
        word, _, n = text.strip().casefold().rpartition(" ")
        word = word.strip(" ,.:;'\"*")
        n = parse_number(n)
        if not 1 <= n <= FIRST:
            raise InvalidMove(f"the number of a clue is 1 to {FIRST}, and not {n}")
        if not (word.isalpha() and len(word) <= LONGEST):
            raise InvalidMove(f"{clip_repr(word)} is not one word of at most {LONGEST} letters")
        if clash := view.clash(word):
            raise InvalidMove(f"the clue {word} is too near to {clash}, which is on the board")
        return word, n

    def advance(self, state, moves, rng):
        ((agent, move),) = moves.items()
        if move is None or move == PASS:
            return state.end()
        return replace(state, clue=move) if agent in GIVERS else state.pick(move)

    def skip(self, view, agent):
        return None

    def forfeit(self, state, agent, rng):
        """Leave; a team without a giver guesses without clues, one without a guesser is skipped."""
        return state.leave(agent)

    def tell(self, before, moves, after):
        ((agent, move),) = moves.items()
        if move is None:
            messages = [Message(None, "game", f"{agent} lost its turn.")]
        elif agent in GIVERS:
            messages = [Message(None, agent, f"{move[0]} {move[1]}")]
        else:
            messages = [Message(None, agent, move)]
            if move != PASS:
                kind = KINDS[after.found[after.words.index(move)]]
                messages.append(Message(None, "game", f"{move}: {kind}."))
        if not after.to_act():
            messages.append(Message(None, "game", f"The game is over: {_ending(after)}."))
        return messages

    def rules(self, agent):
        team = agent.split("_")[0]
        reply = (
            "You are a giver and see whose each word is. Reply with a clue for your guesser: one "
            "word and a number, which says how many words it is meant for, such as: winter 2. The "
            "clue must not be, hold or be part of a word that is still to be found."
            if agent in GIVERS
            else "You are a guesser. Reply with one word of the grid at a time, or, after your "
            "first word of a turn, with pass."
        )
        return (
            f"You are playing Codewords as {agent}, in the team {team}. The teams north and south, "
            "each of a giver and a guesser, look for their own words in a grid of 25. The team "
            f"that begins has {FIRST} words, the other {SECOND}; {NOBODY} are nobody's, and one "
            "is the assassin. In a turn the giver gives a clue, and the guesser picks words: at "
            "least one, and at most one more than the number of the clue. The turn ends with a "
            "word that is not the team's. Whoever picks the assassin loses at once; otherwise the "
            "team wins whose words are all found, whoever picked the last. After "
            f"{TURNS} turns of both together nobody has won. Behind a word stands whose it is: n "
            "north, s south, o nobody, x the assassin, ? unknown; in capitals once it was picked. "
            f"{reply}"
        )

    def describe(self, view, agent):
        marks = _marks(view)
        rows = [
            ", ".join(f"{view.words[i]} {marks[i]}" for i in range(row * SIDE, (row + 1) * SIDE))
            for row in range(SIDE)
        ]
        return "\n".join([*rows, *_status(view)])

    def picture(self, view, agent):
        cards = [
            _card(word, key, mark != "?")
            for word, key, mark in zip(view.words, view.key, view.found, strict=True)
        ]
        rows = tuple([tuple(cards[i : i + SIDE]) for i in range(0, len(cards), SIDE)])
        score, last = _status(view)
        guesser = [f"To act: {seat}" for seat in view.to_act() if view.clue]
        return TextTable(rows, status=(score, *guesser, last))

    def encode(self, view, agent):
        """Return a row for each word of the grid, then the progress of the game.

        A row has the word, one-hot over all nouns, its owner (own team, other team, nobody,
        assassin or unknown), and whether it was picked. Then come whether the own seat is a giver,
        the words that each team still has to find (own team first), and the turns left. Next is the
        seat to act: the own seat, its partner, the other giver or the other guesser. Last are the
        clue, its number, and the words picked since. The clue is one-hot over the clues that
        `legal` lists, with an extra entry for any other clue.
        """
        team = TEAMS.index(agent.split("_")[0])
        own, other = TEAMS[team][0], TEAMS[1 - team][0]
        words = np.zeros((SIDE * SIDE, len(NOUNS) + 6), np.float32)
        for row, word, kind, mark in zip(words, view.words, view.key, view.found, strict=True):
            row[NOUNS.index(word)] = 1
            row[len(NOUNS) + (own, other, "o", "x", "?").index(kind)] = 1
            row[-1] = mark != "?"
        partner = next(a for a in AGENTS if a != agent and a.startswith(TEAMS[team]))
        seats = agent, partner, GIVERS[1 - team], GUESSERS[1 - team]
        clue, number = (view.to_act() and view.clue) or (None, 0)
        rest = [agent in GIVERS, view.missing(team) / FIRST, view.missing(1 - team) / FIRST]
        rest += [view.turns / TURNS, *((seat,) == view.to_act() for seat in seats)]
        rest += [*(clue == one for one in CLUES), clue is not None and clue not in CLUES]
        rest += [number / FIRST, view.picked / (FIRST + 1) if clue else 0]
        return np.concatenate([words.ravel(), rest]).astype(np.float32)


def _card(word, kind, found):
    """Return a cell: in its side's colour if it was found, else with a stripe of that colour."""
    if kind == "?":
        return word
    side = KINDS[kind].split()[-1]
    return f"{word}\n{side.upper() if found else side}", COLORS[kind], 1.0 if found else 0.08


def _marks(view):
    """Return the known owner of each word as a letter, in capitals if the word was picked."""
    pairs = zip(view.key, view.found, strict=True)
    return "".join([key if mark == "?" else mark.upper() for key, mark in pairs])


def _status(view):
    score = ", ".join(f"{team} {view.missing(i)}" for i, team in enumerate(TEAMS))
    lines = [f"To find: {score}; turns {view.turns}"]
    (seat,) = view.to_act() or ("",)
    if not seat:
        lines.append(_ending(view).capitalize())
    elif seat in GIVERS or not view.clue:
        lines.append(f"To act: {seat}")
    else:
        lines.append(f"{TEAMS[view.team]}: {view.clue[0]} {view.clue[1]}, picked {view.picked}")
    return lines


def _ending(view):
    return "nobody wins" if view.winner is None else f"{TEAMS[view.winner]} wins"


env, parallel_env, raw_env = make_env_functions(__name__)
