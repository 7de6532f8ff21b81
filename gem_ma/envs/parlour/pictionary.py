"""Pictionary: an artist draws a word stroke by stroke, and a guesser names it from the drawing."""

from dataclasses import dataclass, replace

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.parlour import strokes
from gem_ma.envs.parlour.things import THINGS
from gem_ma.envs.turn_captions import make_turn_caption
from gem_ma.game import Game, Maybe, Message, parse_choice
from gem_ma.scene import Shapes

ARTIST, GUESSER = AGENTS = ("artist", "guesser")
WORDS, ROUNDS = (2, 40), (1, 6)
EXAMPLES = (
    *("circle 50 30 15", "disc 50 60 20", "box 20 40 80 90", "line 10 90 50 10 90 90"),
    *("curve 10 50 30 20 50 50 70 80 90 50", "white disc 35 30 6", "white circle 70 70 18"),
    *("thick line 50 10 50 95", "white thick line 5 95 95 95", "line 20 20 80 80; circle 80 20 9"),
)


@dataclass(frozen=True, slots=True)
class State:
    word: Maybe[str]  # None: hidden
    words: tuple[str, ...]  # the candidates; (): hidden
    rounds: int
    drawn: tuple[strokes.Stroke, ...] = ()
    guesses: tuple[str, ...] = ()
    turn: int = 0  # replies so far
    found: bool = False

    def to_act(self):
        return () if self.found or self.turn == 2 * self.rounds else (AGENTS[self.turn % 2],)

    def returns(self):
        return dict.fromkeys(AGENTS, float(self.found))

    def seen_by(self, agent):
        return replace(self, words=()) if agent == ARTIST else replace(self, word=None)

    def legal(self, agent):
        """Return example strokes for the artist, or all words not yet guessed."""
        if agent == ARTIST:
            return EXAMPLES
        return tuple([word for word in self.words if word not in self.guesses])

    def draw(self, some):
        return replace(self, drawn=strokes.add(self.drawn, some))

    def guess(self, word):
        return replace(self, guesses=(*self.guesses, word), found=word == self.word)


class Pictionary(Game[State]):
    """An artist draws one of several known words, and a guesser names it.

    Args:
        words: how many words the guesser can choose from, 2 to 40.
        rounds: how many guesses there are, 1 to 6; the artist draws before each.
    """

    agents = AGENTS
    unlisted_moves = "a stroke may have any form"

    def __init__(self, words: int = 12, rounds: int = 3):
        if not (WORDS[0] <= words <= WORDS[1] and ROUNDS[0] <= rounds <= ROUNDS[1]):
            raise ValueError(
                f"words={words}, rounds={rounds}: expected words {WORDS[0]} to {WORDS[1]}, rounds "
                f"{ROUNDS[0]} to {ROUNDS[1]}"
            )
        if rounds > words:
            raise ValueError(f"words={words}, rounds={rounds}: expected no more rounds than words")
        self.words, self.rounds = words, rounds

    def start(self, rng, options):
        words = tuple([THINGS[i] for i in rng.choice(len(THINGS), self.words, replace=False)])
        return State(words[int(rng.integers(self.words))], words, self.rounds)

    def read(self, text, view, agent):
        """Return the strokes, or the guessed word."""
        return strokes.read(text) if agent == ARTIST else parse_choice(text, view.legal(agent))

    def advance(self, state, moves, rng):
        ((agent, move),) = moves.items()
        after = replace(state, turn=state.turn + 1)
        if move is None:
            return after
        return after.draw(move) if agent == ARTIST else after.guess(move)

    def skip(self, view, agent):
        return None

    def tell(self, before, moves, after):
        """Return the messages about a turn; strokes have none, because the picture shows them."""
        ((agent, move),) = moves.items()
        if move is None:
            messages = [Message(None, "game", f"{agent} lost its turn.")]
        elif agent == ARTIST:
            messages = [Message((GUESSER,), "game", "The artist has drawn.")]
        else:
            messages = [Message(None, agent, move)]
            messages.append(
                Message(None, "game", f"{move} is {'right' if after.found else 'wrong'}.")
            )
        if not after.to_act() and not after.found:
            messages.append(Message(None, "game", f"The word was {after.word}."))
        return messages

    def rules(self, agent):
        course = (
            f"You are playing Pictionary as {agent}, together with the other player. The artist "
            "knows a word, the name of a thing, and draws; the guesser sees the drawing and knows "
            f"{self.words} words of which it is one, which the artist does not see. There are "
            f"{self.rounds} rounds: in each the artist draws something more, then the guesser "
            "guesses once. If the guesser finds the word, both of you earn 1, otherwise nothing. "
        )
        if agent == ARTIST:
            return f"{course}{strokes.LANGUAGE}. Draw no letters and no digits."
        return f"{course}Reply with one of the words."

    def describe(self, view, agent):
        lines = []
        if view.words:
            lines.append(f"The words: {', '.join(view.words)}.")
        if view.word:
            lines.append(f"The word: {view.word}.")
        lines.append(f"Drawn: {'; '.join(map(str, view.drawn)) or 'nothing'}.")
        return "\n".join([*lines, *(f"{line}." for line in self.status(view))])

    def status(self, view):
        wrong_guesses = [
            guess for guess in view.guesses if not view.found or guess != view.guesses[-1]
        ]
        lines = [f"Wrong: {', '.join(wrong_guesses)}"] if wrong_guesses else []
        if view.found:
            return (*lines, f"Right: {view.guesses[-1]}")
        if not make_turn_caption(view):
            return (*lines, "It was not found")
        (turn_caption,) = make_turn_caption(view)
        return (*lines, f"Round {view.turn // 2 + 1} of {self.rounds}. {turn_caption}")

    def picture(self, view, agent):
        """Draw the paper, and below it what this seat knows."""
        captions = [f"Words: {', '.join(view.words)}"] if view.words else []
        captions += [f"Word: {view.word}"] if view.word else []
        status = (*captions, *self.status(view))
        return Shapes((), lines=strokes.lines(view.drawn), status=status, ground=strokes.PAPER)


env, parallel_env, raw_env = make_env_functions(__name__)
