"""Vocabulary of word games: things and people with attributes, nouns, and parsing of questions."""

from gem_ma.game import InvalidMove, clip_repr

LONGEST = 200  # characters in a question
NEGATIONS = {"not", "n", "t", "no", "never", "without", "neither", "nor"}  # "n", "t": isn't, can't

# question: (words that mean it, the things of which it is true)
_ABOUT_THINGS = {
    "Is it alive?": (
        "alive, living, lives",
        "cat dog horse cow sheep rabbit lion tiger elephant giraffe monkey bear whale bat eagle "
        "penguin chicken duck owl shark frog snake turtle crocodile bee butterfly spider tree rose "
        "cactus",
    ),
    "Is it an animal?": (
        "animal, animals, creature",
        "cat dog horse cow sheep rabbit lion tiger elephant giraffe monkey bear whale bat eagle "
        "penguin chicken duck owl shark frog snake turtle crocodile bee butterfly spider",
    ),
    "Is it a mammal?": (
        "mammal, mammals",
        "cat dog horse cow sheep rabbit lion tiger elephant giraffe monkey bear whale bat",
    ),
    "Is it a bird?": ("bird, birds", "eagle penguin chicken duck owl"),
    "Is it an insect?": ("insect, insects", "bee butterfly"),
    "Does it have four legs?": (
        "four legs, four legged",
        "cat dog horse cow sheep rabbit lion tiger elephant giraffe bear frog turtle crocodile "
        "chair table bed",
    ),
    "Does it eat meat?": (
        "meat, carnivore, predator",
        "cat dog lion tiger bear whale bat eagle penguin owl shark frog snake crocodile spider",
    ),
    "Is it kept as a pet?": ("pet, pets", "cat dog rabbit"),
    "Is it kept on a farm?": ("farm, farms, farmer", "horse cow sheep chicken duck"),
    "Can it fly?": (
        "fly, flies, wings",
        "bat eagle duck owl bee butterfly airplane rocket",
    ),
    "Is it found in water?": (
        "water, swim, swims, sea",
        "whale penguin duck shark frog turtle crocodile boat",
    ),
    "Is it active at night?": ("night, nocturnal", "bat owl"),
    "Is it a plant?": ("plant, plants", "tree rose cactus"),
    "Does it have thorns?": ("thorns, spines, prickles", "rose cactus"),
    "Does it have a shell?": ("shell, shells", "turtle egg"),
    "Can people eat it?": (
        "food, edible, people eat, eat it, eaten",
        "apple banana lemon strawberry carrot potato tomato bread cheese egg chocolate chicken cow "
        "sheep duck",
    ),
    "Is it a fruit?": ("fruit, fruits", "apple banana lemon strawberry tomato"),
    "Is it sweet?": ("sweet, sugar", "apple banana strawberry chocolate"),
    "Is it yellow?": ("yellow", "banana lemon cheese sun bee lion"),
    "Is it red?": ("red", "apple strawberry tomato rose"),
    "Is it striped?": ("stripes, striped", "tiger bee"),
    "Is it bigger than a person?": (
        "bigger, larger, big, large",
        "horse cow lion tiger elephant giraffe bear whale shark crocodile tree car train airplane "
        "boat truck rocket bed piano sun moon",
    ),
    "Does it fit in a pocket?": (
        "pocket, small, tiny",
        "frog bee butterfly spider bat rose egg strawberry chocolate lemon phone key pencil spoon "
        "scissors glove candle tomato",
    ),
    "Does it have wheels?": ("wheel, wheels", "car bicycle train airplane truck"),
    "Do people travel in it or on it?": (
        "travel, ride, vehicle, transport",
        "car bicycle train airplane boat truck rocket horse",
    ),
    "Does it have an engine?": ("engine, motor", "car train airplane truck rocket refrigerator"),
    "Does it run on rails?": ("rails, rail, tracks", "train"),
    "Does it use electricity?": (
        "electricity, electric, battery, plugged",
        "phone computer television lamp refrigerator clock train car",
    ),
    "Does it have a screen?": ("screen, screens", "phone computer television"),
    "Does it have keys?": ("keys, keyboard", "computer piano"),
    "Does it give light?": ("light, shine, shines", "lamp candle sun moon"),
    "Is it furniture?": ("furniture", "chair table bed"),
    "Do people sleep or sit on it?": ("sleep, sit", "chair bed horse bicycle"),
    "Is it a tool?": ("tool, tools", "hammer knife scissors ladder"),
    "Is it sharp?": ("sharp, cut, cuts", "knife scissors"),
    "Is it used in a kitchen?": (
        "kitchen, cooking, cook",
        "refrigerator knife spoon cup bottle table egg bread cheese carrot potato tomato",
    ),
    "Does it hold a drink?": ("drink, drinks, liquid", "cup bottle"),
    "Is it a musical instrument?": ("musical, music, instrument", "piano guitar drum"),
    "Does it have strings?": ("string, strings", "piano guitar"),
    "Do people wear it?": ("wear, worn, clothing, clothes", "shirt shoe hat glove"),
    "Is it worn on the head?": ("head", "hat"),
    "Does it come in pairs?": ("pair, pairs", "shoe glove"),
    "Is it made of metal?": (
        "metal, iron, steel",
        "car bicycle train airplane truck rocket hammer knife scissors spoon key refrigerator",
    ),
    "Is it made of wood?": (
        "wood, wooden",
        "tree chair table bed piano guitar pencil ladder",
    ),
    "Is it made of glass?": ("glass", "bottle mirror lamp"),
    "Is it used to write or read?": ("write, writing, read, reading", "book pencil computer phone"),
    "Is it round?": (
        "round, sphere, circular",
        "apple tomato ball sun moon clock drum egg potato",
    ),
    "Is it in the sky?": ("sky, space", "sun moon airplane rocket"),
    "Is it used in the rain?": ("rain", "umbrella"),
    "Does it tell the time?": ("time, hour", "clock phone computer"),
    "Does it have a trunk?": ("trunk, trunks", "elephant tree"),
    "Does it grow under the ground?": ("ground, root", "carrot potato"),
    "Does it come from milk?": ("milk, dairy", "cheese chocolate"),
    "Does it give wool?": ("wool", "sheep"),
    "Does it climb trees?": ("climb, climbs", "cat bear monkey snake"),
}
# Things are sorted by the first attribute that they have; the order has no effect.
THINGS = tuple(dict.fromkeys(" ".join(names for _, names in _ABOUT_THINGS.values()).split()))

_ABOUT_PEOPLE = {
    "Is it a woman?": (
        "woman, women, female, lady",
        "Ada Bea Cleo Dora Eve Fay Gina Hana Ines Joan Kim Lea Mona Nora Olga",
    ),
    "Do they wear a hat?": ("hat, hats", "Ada Dora Gina Joan Mona Abe Dan Gus Jon Max"),
    "Do they wear glasses?": ("glasses", "Ada Eve Ines Kim Olga Ben Dan Ivo Leo Ned"),
    "Do they wear a scarf?": ("scarf, scarves", "Bea Dora Ines Lea Nora Abe Fred Ivo Kurt Otto"),
    "Do they wear earrings?": ("earrings, earring", "Cleo Dora Eve Hana Kim Mona Nora Carl"),
    "Do they wear a tie?": ("tie, ties", "Fay Ben Dan Emil Hugo Kurt Ned"),
    "Do they have a beard?": ("beard, beards", "Abe Carl Emil Gus Ivo Max Otto"),
    "Do they have a moustache?": (
        "moustache, mustache, moustaches",
        "Ben Carl Fred Gus Kurt Leo Otto",
    ),
    "Do they have freckles?": ("freckles, freckled", "Bea Fay Gina Lea Dan Hugo Jon Max"),
    "Do they have long hair?": (
        "long hair, long haired",
        "Ada Bea Eve Gina Ines Lea Olga Carl Jon",
    ),
    "Do they have curly hair?": (
        "curly hair, curly, curls",
        "Cleo Dora Hana Kim Nora Emil Leo Max",
    ),
    "Do they have black hair?": ("black hair, hair black", "Ada Cleo Hana Kim Ben Gus Leo"),
    "Do they have brown hair?": ("brown hair, hair brown", "Bea Eve Joan Nora Carl Hugo Ivo Jon"),
    "Do they have blond hair?": (
        "blond hair, blonde hair, hair blond, blond, blonde",
        "Dora Ines Lea Dan Emil Kurt",
    ),
    "Do they have red hair?": ("red hair, hair red", "Fay Gina Mona Abe Max"),
    "Do they have white hair?": ("white hair, hair white", "Olga Fred Ned"),
    "Are they bald?": ("bald", "Otto"),
    "Do they have blue eyes?": (
        "blue eyes, eyes blue",
        "Bea Dora Fay Hana Lea Mona Abe Carl Fred Hugo Kurt Max",
    ),
    "Are they smiling?": (
        "smiling, smile, smiles",
        "Cleo Eve Gina Ines Joan Nora Olga Abe Ben Emil Hugo Ivo Jon Ned",
    ),
}
PEOPLE = tuple(sorted({n for _, names in _ABOUT_PEOPLE.values() for n in names.split()}))

_NOUNS = """
acorn anchor angel apple apron arrow badge bakery ball bamboo banana bank barn basket beach bell
belt bird board boat bone book boot bottle bowl brain branch bread brick bridge broom brush bucket
button cabin cactus cage cake camel candle canoe card carpet carrot castle cave chain chair chalk
church circle city clock cloud clown coat coffee coin comb copper corn crab crown curve desert desk
diary doctor donkey door dragon dress drum eagle engine farm fence field finger fish flag flood
flower fog forest fork fox frog garden gate ghost giant glove goat guitar hammer harbor hedge
helmet hill honey horse hotel ice island jacket jewel judge jungle kettle king kite knight ladder
lemon letter lion magnet map market mask meadow mirror monkey moon motor mud museum nail needle
nest net nurse oak ocean office olive onion orange oven owl paint palace paper parrot pencil pepper
piano pillow pilot pirate planet plate pocket poet pond potato prince pump puzzle queen rabbit
radio rain ribbon ring river robot rocket roof rope rose sailor salt school shadow sheep shirt
shovel silver snake soap spider spoon stone stove street sugar table temple tiger towel tower train
tree tulip tunnel violin wagon wallet window wheel
"""
NOUNS = tuple(_NOUNS.split())  # at most 6 letters, because a row of 5 must fit into a picture


def _by_question(table):
    return {question: frozenset(names.split()) for question, (_, names) in table.items()}


def _words(table):
    """Return the phrases that mean each question, each between spaces."""
    return {q: tuple(f" {p} " for p in words.split(", ")) for q, (words, _) in table.items()}


TRUE_OF = _by_question(_ABOUT_THINGS)  # question -> the things of which it is true
TRUE_OF_PEOPLE = _by_question(_ABOUT_PEOPLE)
THING_WORDS, PEOPLE_WORDS = _words(_ABOUT_THINGS), _words(_ABOUT_PEOPLE)


def plain(text):
    """Return the words of a question in lower case, with letters only."""
    if len(text) > LONGEST:
        raise InvalidMove(f"a question has at most {LONGEST} characters, this one {len(text)}")
    return " ".join("".join(c if c.isalpha() else " " for c in text.casefold()).split())


def named(text, names):
    """Return the name in a guess such as "Is it a cat?"; None if it is not a guess."""
    words = plain(text).split()
    while words and words[0] in ("is", "it", "a", "an", "the", "they", "i", "guess"):
        del words[0]
    guess = " ".join(words)
    return next((name for name in names if name.casefold() == guess), None)


def asked(text, phrases):
    """Return the one question that a text means, however it is worded, or raise InvalidMove."""
    words = plain(text)
    if NEGATIONS & set(words.split()):
        raise InvalidMove("ask without a negation")
    matches = [q for q, variants in phrases.items() if any(p in f" {words} " for p in variants)]
    if len(matches) > 1:
        exact = [q for q in matches if plain(q) == words]
        if not exact:
            raise InvalidMove(f"this asks several things at once: {' '.join(matches)[:300]}")
        matches = exact
    if not matches:
        raise InvalidMove(f"{clip_repr(text)} is none of the questions that can be answered")
    return matches[0]
