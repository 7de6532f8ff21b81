"""Chameleon: all players but one know a secret word; by hints and a vote they find that one."""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.parlour import pictures
from gem_ma.envs.turn_captions import make_turn_caption
from gem_ma.game import Game, InvalidMove, Maybe, Message, clip_repr, parse_choice
from gem_ma.scene import TextTable

PLAYERS = 3, 8
HINT, TALK, VOTE, GUESS, OVER = "hint", "talk", "vote", "guess", "over"
LONGEST = 12  # letters in a hint
SIDE = 4  # rows and columns of the card
HINTS = (
    *("round", "old", "loud", "warm", "quick", "heavy"),
    *("famous", "simple", "tall", "early", "bright", "useful"),
)
SPEECHES = ("I have nothing to add.", "My hint was a good one.")
_CARDS = {
    "animals": (
        "lion whale eagle horse snake rabbit shark camel spider monkey penguin goat wolf "
        "frog bear mouse"
    ),
    "food": (
        "pizza soup rice bread cheese salad cake curry pasta egg honey burger pie jam "
        "omelette sausage"
    ),
    "places": (
        "school museum beach airport prison hospital farm zoo library cinema church "
        "castle market harbor cave desert"
    ),
    "jobs": (
        "pilot nurse baker judge farmer teacher actor painter plumber soldier dentist "
        "cook miner sailor clown lawyer"
    ),
    "sports": (
        "tennis golf boxing rowing judo hockey cricket skiing surfing archery rugby chess "
        "fencing cycling diving bowling"
    ),
    "music": (
        "piano drum violin flute guitar harp trumpet organ banjo cello choir opera jazz "
        "rock march lullaby"
    ),
    "house": (
        "kitchen cellar attic garden garage bathroom stairs balcony hall window chimney "
        "roof door bedroom fence study"
    ),
    "clothes": (
        "hat glove scarf boot shirt coat belt sock apron dress tie jacket crown pyjamas mask shoe"
    ),
    "vehicles": (
        "train bicycle rocket boat truck tram balloon tractor taxi sled canoe bus glider "
        "ferry scooter van"
    ),
    "weather": (
        "storm fog snow rain wind heat frost thunder rainbow cloud drought hail dew flood "
        "breeze sunshine"
    ),
    "tools": (
        "hammer saw drill ladder shovel axe needle broom rope scissors nail pliers rake "
        "wrench brush torch"
    ),
    "stories": (
        "dragon witch giant prince ghost pirate wizard mermaid knight vampire fairy robot "
        "ogre mummy elf unicorn"
    ),
}
CARDS = {topic: tuple(words.split()) for topic, words in _CARDS.items()}


@dataclass(frozen=True, slots=True)
class State:
    agents: tuple[str, ...]
    topic: str
    secret: Maybe[str]  # None: hidden
    chameleon: Maybe[str]  # None: hidden
    phase: str = HINT
    hints: tuple[tuple[str, str], ...] = ()  # player and hint
    spoken: int = 0  # index of the player whose turn it is to speak
    votes: tuple[tuple[str, str], ...] = ()
    guessed: str = ""
    winner: str = ""  # "chameleon" or "others"
    left: tuple[str, ...] = ()  # players who forfeited

    def to_act(self):
        present = self.here()
        if self.phase in (HINT, TALK):
            return (self.agents[self.spoken],)
        if self.phase == GUESS:
            return (self.accused(),)  # the accused is the chameleon in this phase
        return present if self.phase == VOTE else ()

    def here(self):
        return tuple([a for a in self.agents if a not in self.left])

    def out(self):
        return self.left

    def returns(self):
        chameleon_won = self.winner == "chameleon"
        if not self.winner:
            pay = dict.fromkeys(self.agents, 0.0)
        else:
            pay = {a: 1.0 if chameleon_won == (a == self.chameleon) else -1.0 for a in self.agents}
        return pay | dict.fromkeys(self.left, -1.0)

    def seen_by(self, agent):
        if self.phase == OVER:
            return self
        if agent == self.chameleon:
            return replace(self, secret=None)
        chameleon = self.chameleon if self.phase == GUESS else None  # it was found
        return replace(self, chameleon=chameleon)

    def legal(self, agent):
        """Return example hints or speeches, or all players to vote for, or all words to guess."""
        if self.phase == HINT:
            past_hints = [hint for _, hint in self.hints]
            return tuple([hint for hint in HINTS if hint not in past_hints])
        others = tuple([a for a in self.here() if a != agent])
        if self.phase == TALK:
            return (*SPEECHES, *(f"I suspect {a}." for a in others))
        return CARDS[self.topic] if self.phase == GUESS else others

    def accused(self):
        """Return the player with the most votes; "" if there is a tie."""
        counts = Counter(vote for _, vote in self.votes).most_common(2)
        if not counts or (len(counts) > 1 and counts[0][1] == counts[1][1]):
            return ""
        return counts[0][0]

    def next(self):
        """Let the next remaining player speak, or begin the next phase."""
        later_seats = [i for i, a in enumerate(self.agents) if a in self.here() and i > self.spoken]
        if later_seats:
            return replace(self, spoken=later_seats[0])
        first = self.agents.index(self.here()[0])
        return replace(self, phase=TALK if self.phase == HINT else VOTE, spoken=first)

    def vote(self, moves):
        votes = tuple([(a, moves[a]) for a in self.agents if moves.get(a) in self.here()])
        after = replace(self, votes=votes)
        if after.accused() == self.chameleon:
            return replace(after, phase=GUESS)
        return after.end()

    def guess(self, word):
        winner = "chameleon" if word == self.secret else "others"
        return replace(self, phase=OVER, guessed=word or "", winner=winner)

    def leave(self, agent):
        """Continue without a player; if the chameleon left, the others win after the vote."""
        after = replace(self, left=(*self.left, agent))
        if len(after.here()) < 2:
            return after.end()
        if self.phase == GUESS and agent == self.chameleon:
            return replace(after, phase=VOTE, votes=())
        is_own_turn = self.phase in (HINT, TALK) and agent == self.agents[self.spoken]
        return after.next() if is_own_turn else after

    def end(self):
        """End the game without a guess: the chameleon wins unless it left."""
        winner = "others" if self.chameleon in self.left else "chameleon"
        return replace(self, phase=OVER, winner=winner)


class Chameleon(Game[State]):
    """A game for 3 to 8 players, in which all but one know a secret word and look for that one.

    Args:
        players: how many take part, the chameleon included.
    """

    legal_is_partial = True

    def __init__(self, players: int = 4):
        if not PLAYERS[0] <= players <= PLAYERS[1]:
            raise ValueError(f"players={players}: expected {PLAYERS[0]} to {PLAYERS[1]}")
        self.agents = tuple(f"player_{i}" for i in range(players))
        suspects = [f"I suspect {agent}." for agent in self.agents]
        words = [word for card in CARDS.values() for word in card]
        self.moves = tuple(dict.fromkeys([*HINTS, *SPEECHES, *suspects, *self.agents, *words]))

    def start(self, rng, options):
        topic = tuple(CARDS)[int(rng.integers(len(CARDS)))]
        secret = CARDS[topic][int(rng.integers(SIDE * SIDE))]
        return State(self.agents, topic, secret, self.agents[int(rng.integers(len(self.agents)))])

    def read(self, text, view, agent):
        if view.phase == TALK:
            return pictures.message(text)
        if view.phase != HINT:
            return parse_choice(text, view.legal(agent))
        hint = text.casefold().strip(" .,:;!?\"'`*\n")
        if not (hint.isalpha() and len(hint) <= LONGEST):
            raise InvalidMove(f"{clip_repr(text)} is not one word of at most {LONGEST} letters")
        if hint in CARDS[view.topic]:
            raise InvalidMove(f"{hint} is a word of the card")
        if hint in [past_hint for _, past_hint in view.hints]:
            raise InvalidMove(f"{hint} was a hint already")
        return hint

    def advance(self, state, moves, rng):
        if state.phase == VOTE:
            return state.vote(moves)
        ((agent, move),) = moves.items()
        if state.phase == GUESS:
            return state.guess(move)
        if state.phase == HINT and move:
            state = replace(state, hints=(*state.hints, (agent, move)))
        return state.next()

    def skip(self, view, agent):
        return None

    def forfeit(self, state, agent, rng):
        """Leave the game; the others continue, and win after the vote if the chameleon left."""
        return state.leave(agent)

    def tell(self, before, moves, after):
        if before.phase == VOTE:
            votes = ", ".join(f"{a} for {moves.get(a) or 'nobody'}" for a in before.here())
            messages = [Message(None, "game", f"Votes: {votes}.")]
            if after.phase == GUESS:
                text = f"{after.accused()} is the chameleon, and guesses the word."
                messages.append(Message(None, "game", text))
        else:
            ((agent, move),) = moves.items()
            lost_message = Message(None, "game", f"{agent} lost its turn.")
            messages = [lost_message if move is None else Message(None, agent, move)]
        if after.phase == OVER:
            messages.append(Message(None, "game", f"{_ending(after)}."))
        return messages

    def rules(self, agent):
        return (
            f"You are playing Chameleon as {agent}, one of {', '.join(self.agents)}. All see a "
            f"card with {SIDE * SIDE} words, and one of them is the secret word. All know which, "
            "but for one player, the chameleon, who knows only that it is the chameleon. In turn, "
            "each gives a hint to the word, one word itself: no word of the card, and none that "
            "was given before. Then each speaks once to all. Then all vote at once for who they "
            "think is the chameleon. If it does not have most votes, or another has as many, it "
            "wins. If it is found, it guesses the word: if that is right, it wins, else the others "
            "do. Who wins has 1, who loses -1. Reply to what is asked: with a hint of one word, a "
            f"speech of at most {pictures.LONGEST} characters, true or not, the name of a player, "
            "such as player_0, or a word of the card."
        )

    def describe(self, view, agent):
        card = f"The card, {view.topic}: {', '.join(CARDS[view.topic])}."
        return "\n".join([card, *(f"{line}." for line in self.status(view, agent))])

    def status(self, view, agent):
        lines = [f"Hints: {', '.join(f'{a[-1]} {hint}' for a, hint in view.hints) or 'none'}"]
        if view.votes:
            lines.append(f"Votes: {', '.join(f'{a[-1]} for {b[-1]}' for a, b in view.votes)}")
        if view.phase == OVER:
            return (*lines, _ending(view))
        if view.secret:
            lines.append(f"The word: {view.secret}")
        if view.chameleon:
            you = agent == view.chameleon
            lines.append("You are the chameleon" if you else f"The chameleon: {view.chameleon}")
        prompts = {HINT: "Give a hint", TALK: "Speak", VOTE: "All vote", GUESS: "Guess the word"}
        turn_captions = () if view.phase == VOTE else make_turn_caption(view)
        return (*lines, ". ".join((prompts[view.phase], *turn_captions)))

    def picture(self, view, agent):
        """Draw the card; the secret word is highlighted for players who know it."""
        words = [
            (word, "green", 1.0) if word == view.secret else word for word in CARDS[view.topic]
        ]
        rows = tuple([tuple(words[i : i + SIDE]) for i in range(0, len(words), SIDE)])
        return TextTable(rows, title=view.topic.upper(), status=self.status(view, agent))

    def encode(self, view, agent):
        """Return topic, word and phase, one-hot, and a row for each seat, own seat first.

        The word is all zeros if it is hidden. A row has the hint of a seat, one-hot over the hints
        that `legal` lists, with an extra entry for any other hint. Then come its vote, one-hot from
        the own seat on, whether it alone is to act, and whether it is known to be the chameleon.
        Speeches are not encoded.
        """
        own = view.agents.index(agent)
        order = [*view.agents[own:], *view.agents[:own]]
        hints, votes = dict(view.hints), dict(view.votes)
        row = [view.topic == topic for topic in CARDS]
        row += [word == view.secret for word in CARDS[view.topic]]
        row += [view.phase == phase for phase in (HINT, TALK, VOTE, GUESS)]
        acts = view.to_act() if view.phase != VOTE else ()
        for seat in order:
            hint = hints.get(seat)
            row += [*(hint == one for one in HINTS), hint is not None and hint not in HINTS]
            row += [votes.get(seat) == other for other in order]
            row += [seat in acts, seat == view.chameleon]
        return np.array(row, np.float32)


def _ending(state):
    """Return the text that says who won, and how."""
    outcome = "The chameleon wins" if state.winner == "chameleon" else "The others win"
    explanation = f"{state.chameleon} was it" + (
        f", guessing {state.guessed}" if state.guessed else ""
    )
    return f"{outcome}: {explanation}; the word was {state.secret}"


env, parallel_env, raw_env = make_env_functions(__name__)
