"""Taboo: a giver describes a word without saying five others; a guesser names it."""

import functools
import unicodedata
from dataclasses import dataclass, replace

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.envs.parlour import pictures
from gem_ma.envs.turn_captions import make_turn_caption
from gem_ma.game import Game, InvalidMove, Maybe, Message, clip_repr
from gem_ma.scene import TextTable

GIVER, GUESSER = AGENTS = ("giver", "guesser")
ROUNDS = 1, 10
LONGEST = 24  # letters in a guess
SHORT = 4  # forbidden words of this length are also forbidden inside other words
ENDINGS = ("", "s", "es", "'s")
EXAMPLES = (
    *("You know it well.", "Think of what is around you.", "It begins like nothing else."),
    *("Not that one.", "You are near.", "You may have one of these.", "I have never seen it."),
)
_CARDS = """
airport: plane fly travel luggage pilot
anchor: ship sea boat heavy chain
apple: fruit red tree pie eat
bakery: bread cake oven flour shop
banana: yellow fruit monkey peel eat
bank: money account river cash save
beach: sand sea sun swim holiday
bee: honey insect sting buzz flower
bicycle: wheel ride pedal two cycle
blanket: bed warm sleep cover wool
book: read page author library story
bread: bake flour loaf butter eat
bridge: river cross water over road
broom: sweep floor clean witch dust
butter: bread yellow milk spread cow
cactus: desert plant spine green dry
camera: photo picture lens film take
candle: wax light flame burn wick
carpet: floor rug wool fly room
castle: king knight stone tower queen
cheese: milk mouse yellow cow eat
chess: king queen board game pawn
circus: clown tent elephant acrobat show
clock: time hour hand wall watch
cloud: sky rain white weather fluffy
coffee: drink cup morning bean black
compass: north needle direction map magnet
dentist: tooth teeth doctor drill mouth
desert: sand dry hot camel water
diamond: ring stone jewel hard expensive
doctor: hospital sick nurse medicine patient
dragon: fire fly monster knight scale
drum: beat stick music band loud
eagle: bird fly nest feather prey
elephant: trunk big gray animal ivory
engine: car motor machine power oil
feather: bird wing light pillow fly
fireworks: night explode rocket colour sky
forest: tree wood leaf green animal
garden: flower plant grass grow house
ghost: spirit haunt white scare dead
glove: hand finger winter wear warm
guitar: string music play instrument band
hammer: nail tool hit wood build
honey: bee sweet jar bear sugar
hospital: doctor nurse sick patient ambulance
island: sea water sand palm land
jacket: wear coat warm sleeve clothes
kettle: water boil tea kitchen hot
kitchen: cook room food stove eat
ladder: climb step high rung wall
lemon: sour yellow fruit juice citrus
library: book read quiet borrow shelf
lion: king animal mane roar cat
mirror: reflect glass look see face
moon: night sky earth star round
mountain: high climb snow top hill
museum: art old painting visit history
needle: thread sew sharp haystack pin
newspaper: read news paper article print
ocean: sea water wave fish blue
onion: cry cut vegetable layer kitchen
orchestra: music conductor violin play concert
owl: bird night wise hoot eye
passport: travel country border photo document
pencil: write draw paper lead wood
piano: key music play black white
pirate: ship sea treasure eye parrot
pizza: cheese italy tomato round eat
postman: letter mail deliver dog stamp
pyramid: egypt triangle pharaoh tomb desert
rainbow: colour rain sun sky arc
refrigerator: cold food kitchen ice cool
robot: machine metal computer human artificial
rocket: space moon fly launch star
sandwich: bread eat lunch slice ham
scissors: cut paper sharp hair blade
shadow: light dark sun follow black
shark: fish sea teeth fin jaws
snake: poison animal long hiss reptile
snowman: winter cold carrot white build
spider: web legs eight insect fly
submarine: water sea ship under dive
sunflower: yellow plant seed tall sun
teacher: school student learn class lesson
telescope: star look lens space far
theater: play stage actor show curtain
thunder: lightning storm loud sky rain
tiger: stripe cat animal orange jungle
train: rail station travel track wagon
umbrella: rain wet dry hold weather
vampire: blood bat teeth night bite
volcano: lava mountain hot erupt fire
wallet: money pocket card cash leather
wedding: bride marry ring church love
whale: sea big mammal fish water
window: glass house see open look
winter: snow cold season ice december
wolf: dog howl animal moon pack
zebra: stripe horse black white animal
"""
CARDS = {
    word: tuple(dict.fromkeys(forbidden.split()))
    for word, _, forbidden in (line.partition(":") for line in _CARDS.split("\n") if line)
}


@dataclass(frozen=True, slots=True)
class State:
    word: Maybe[str]  # None: hidden
    forbidden: tuple[str, ...]  # (): hidden
    rounds: int
    guesses: tuple[str, ...] = ()
    turn: int = 0  # replies so far
    found: bool = False
    said: str = ""  # the forbidden word that was said

    def to_act(self):
        is_over = self.found or self.said or self.turn == 2 * self.rounds
        return () if is_over else (AGENTS[self.turn % 2],)

    def returns(self):
        return dict.fromkeys(AGENTS, float(self.found))

    def seen_by(self, agent):
        if agent == GIVER or not self.to_act():
            return self
        return replace(self, word=None, forbidden=())

    def legal(self, agent):
        """Return example messages, or the words that can still be guessed."""
        if agent == GIVER:
            return tuple([text for text in EXAMPLES if not self.heard(text)])
        return tuple([word for word in CARDS if word not in self.guesses])

    def heard(self, text):
        """Return the forbidden word that a text contains; "" if there is none."""
        words = words_of(text)
        for word in (self.word, *self.forbidden):
            if any(spoken_is(spoken_word, word) for spoken_word in words):
                return word
        return ""

    def speak(self, text):
        return replace(self, turn=self.turn + 1, said=self.heard(text))

    def guess(self, word):
        is_right = any(word == self.word + ending for ending in ENDINGS)
        return replace(self, turn=self.turn + 1, guesses=(*self.guesses, word), found=is_right)


class Taboo(Game[State]):
    """A giver describes a word without saying five others, and a guesser names it.

    Args:
        rounds: how many messages the giver has; a guess follows each.
    """

    agents = AGENTS
    unlisted_moves = pictures.FREE_TALK

    def __init__(self, rounds: int = 3):
        if not ROUNDS[0] <= rounds <= ROUNDS[1]:
            raise ValueError(f"rounds={rounds}: expected {ROUNDS[0]} to {ROUNDS[1]}")
        self.rounds = rounds

    def start(self, rng, options):
        word = tuple(CARDS)[int(rng.integers(len(CARDS)))]
        return State(word, CARDS[word], self.rounds)

    def read(self, text, view, agent):
        if agent == GIVER:
            return pictures.message(text)
        guess = text.casefold().strip(" .,:;!?\"'`*\n")
        for article in ("a ", "an ", "the "):
            guess = guess.removeprefix(article)
        if not (guess.isalpha() and len(guess) <= LONGEST):
            raise InvalidMove(f"{clip_repr(text)} is not one word of at most {LONGEST} letters")
        if guess in view.guesses:
            raise InvalidMove(f"{guess} was wrong already")
        return guess

    def advance(self, state, moves, rng):
        ((agent, move),) = moves.items()
        if move is None:
            return replace(state, turn=state.turn + 1)
        return state.speak(move) if agent == GIVER else state.guess(move)

    def skip(self, view, agent):
        return None

    def tell(self, before, moves, after):
        ((agent, move),) = moves.items()
        if move is None:
            messages = [Message(None, "game", f"{agent} lost its turn.")]
        elif agent == GUESSER:
            messages = [Message(None, agent, move)]
            messages.append(
                Message(None, "game", f"{move} is {'right' if after.found else 'wrong'}.")
            )
        elif after.said:
            messages = [Message(None, "game", f"The giver said {after.said}, which is forbidden.")]
        else:
            messages = [Message((GUESSER,), agent, move)]
        if not after.to_act() and not after.found:
            messages.append(Message(None, "game", f"The word was {after.word}."))
        return messages

    def rules(self, agent):
        course = (
            f"You are playing Taboo as {agent}, together with the other player. The giver has a "
            f"card with a word and {len(CARDS['apple'])} forbidden ones, and describes the word; "
            f"the guesser names it. There are {self.rounds} rounds: in each the giver sends a "
            "message, then the guesser guesses once. If the word is found, both of you earn 1. If "
            "the giver says the word, a forbidden one, a form of one of them or a word that holds "
            "one, or spells it, the game ends, and both earn nothing, as when the rounds are over. "
        )
        if agent == GIVER:
            return f"{course}Reply with a message of at most {pictures.LONGEST} characters."
        return f"{course}You do not see the card. Reply with one word."

    def describe(self, view, agent):
        lines = []
        if view.word:
            lines = [f"The word: {view.word}.", f"Forbidden: {', '.join(view.forbidden)}."]
        return "\n".join([*lines, *(f"{line}." for line in self.status(view))])

    def status(self, view):
        wrong_guesses = view.guesses[:-1] if view.found else view.guesses
        lines = [f"Wrong: {', '.join(wrong_guesses)}"] if wrong_guesses else []
        if view.found:
            return (*lines, f"Right: {view.guesses[-1]}")
        if view.said:
            return (*lines, f"The giver said {view.said}")
        if not view.to_act():
            return (*lines, "It was not found")
        (turn_caption,) = make_turn_caption(view)
        return (*lines, f"Round {view.turn // 2 + 1} of {self.rounds}. {turn_caption}")

    def picture(self, view, agent):
        """Draw the card: the word, and below it the forbidden words."""
        if not view.word:
            return TextTable((("?",),), title="What is it?", status=self.status(view))
        rows = [((view.word.upper(), "yellow", 1.0),)]
        rows += [
            ((f"{word} x" if word == view.said else word, "red", 0.04),) for word in view.forbidden
        ]
        return TextTable(tuple(rows), title="Do not say any of these", status=self.status(view))


def words_of(text):
    """Return the words of a text without accents; single letters in a row also form a word."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    words = "".join(c if c.isalpha() else " " for c in plain).split()
    all_words, letters = list(words), ""
    for word in (*words, "--"):
        if len(word) == 1:
            letters += word
        elif letters:
            all_words.append(letters)
            letters = ""
    return all_words


@functools.cache
def _forms(word):
    """Return inflected forms of a word: walks, walked, walking; hurries; stopped."""
    forms = {word + end for end in ("", "s", "es", "ed", "er", "ers", "ing", "ings", "y", "n")}
    if word[-1] in "ey":
        ends = ("ed", "er", "ers", "ing", "ings", "ies", "ied", "ier", "y")
        forms |= {word[:-1] + end for end in ends}
    return forms | {word + word[-1] + end for end in ("ed", "er", "ers", "ing", "y")}


def spoken_is(spoken, word):
    """Return whether a spoken word is another word, a form of it, or contains it."""
    return spoken in _forms(word) or (len(word) >= SHORT and word in spoken)


env, parallel_env, raw_env = make_env_functions(__name__)
