"""Scenes of secrets: words that must be said, must not be said, or are not for everybody."""

from gem_ma.envs.social.kit import Case, Scene, answer, listed, number, pick, some

WORDS = ("apple", "candle", "dragon", "engine", "feather", "garden", "hammer", "island",
         "jungle", "kettle", "lantern", "mirror")  # fmt: skip
SIGNS = range(1, 9)
NUMBERS = range(1, 100)
# Forbidden words for numbers; "one" and "to" are allowed, because they have other meanings.
SPELLED = ("zero", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
           "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
           "eighteen", "nineteen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy",
           "eighty", "ninety", "hundred")  # fmt: skip
TELLS = 3  # other words of the list that a holder has to mention


def _words(text):
    """Return the words of a message in lower case, without punctuation."""
    letters = "".join(c if c.isalnum() else " " for c in text.casefold())
    return letters.split()


def _says(words, word):
    """Return whether a message contains a word that begins with `word`."""
    return any(spoken_word.startswith(word) for spoken_word in _words(words))


def _keep(rng):
    options = some(rng, WORDS, 8)
    word = pick(rng, options)
    hint = f"The word is one of {listed(sorted(options))}."
    facts = ((hint, f"The word is {word}."), (hint,))
    others = [option for option in options if option != word]
    talk = f"I like the {others[0]}, the {others[1]} and the {others[2]}."
    return Case(facts, (word, *others), (talk, answer(word=word)))


def _pay_keep(options, answers, said):
    word, *others = options
    messages = [words for seat, words in said if seat == "holder"]
    named = [one for one in others if any(_says(words, one) for words in messages)]
    is_told = any(_says(words, word) for words in messages)
    guess = answers["asker"]
    right = guess is not None and guess["word"] == word
    is_kept = guess is not None and not right and not is_told and len(named) >= TELLS
    return float(is_kept), float(right)


def _say(rng):
    targets = tuple(some(rng, WORDS, 2))
    facts = tuple([(f"Your word is {word}.",) for word in targets])
    return Case(facts, targets, tuple([f"What about the {word}?" for word in reversed(targets)]))


def _pay_say(targets, answers, said):
    """Pay a seat if the other seat was the first to say its word."""
    payoffs = []
    for seat, word in zip(("ann", "ben"), targets, strict=True):
        first = next((speaker for speaker, words in said if _says(words, word)), None)
        payoffs.append(float(first is not None and first != seat))
    return payoffs


def _said_both(targets, said):
    return all(any(_says(words, word) for _, words in said) for word in targets)


def _code(rng):
    sign, key = number(rng, 1, 8), number(rng, 1, 7)
    key_fact = f"You and your friend alone know the key {key}."
    facts = ((f"The number is {sign}.", key_fact), (key_fact,), ("You do not know the key.",))
    code = (sign + key - 1) % 8 + 1
    best = (f"It is {code}.", answer(number=sign), answer(number=code))
    return Case(facts, sign, best)


def _pay_code(sign, answers, said):
    friend, spy = (answers[seat] and answers[seat]["number"] for seat in ("friend", "spy"))
    is_caught = spy == sign
    return (*[float(friend == sign and not is_caught)] * 2, float(is_caught))


def _forbid(rng):
    n = number(rng, 1, 99)
    facts = ((f"The number is {n}.",), ("You do not know the number.",))
    return Case(facts, n, ("As you know it.", answer(number=n)))


def _pay_forbid(n, answers, said):
    messages = [words for seat, words in said if seat == "teller"]
    says_number = any(
        any(c.isnumeric() for c in words) or any(part in words.casefold() for part in SPELLED)
        for words in messages
    )
    guess = answers["guesser"]
    return (float(guess is not None and guess["number"] == n and not says_number),) * 2


def _phone(rng):
    n = number(rng, 1, 99)
    gate = pick(rng, ("odd", "even"))
    facts = (
        (f"The number is {n}.",),
        (f"The last one is to answer it {'doubled' if gate == 'even' else 'as it is'}.",),
        ("You hear ben alone.",),
    )
    result = n * 2 if gate == "even" else n
    return Case(facts, result, (f"The number is {n}.", f"Answer {result}.", answer(number=result)))


def _pay_phone(result, answers, said):
    last = answers["cid"]
    return (float(last is not None and last["number"] == result),) * 3


SCENES = {
    "KeepSecret": Scene(
        "one keeps a word secret, and the other tries to find it out",
        ("holder", "asker"),
        "The holder knows one word of eight, and the asker is to find out which, and answers it. "
        "The "
        "asker earns 1 for the right word. The holder earns 1 if the answer is wrong, it has "
        f"never said the word, and has spoken of {TELLS} of the other seven by name.",
        _keep, _pay_keep, answers={"asker": {"word": WORDS}},
    ),
    "SayIt": Scene(
        "make the other say your word before you do",
        ("ann", "ben"),
        "Each of you has a word, and earns 1 if the other is the first to say it (or a longer word "
        "that begins with it).",
        _say, _pay_say, over=_said_both,
    ),
    "Codeword": Scene(
        "tell a number to a friend while a spy listens",
        ("teller", "friend", "spy"),
        "The teller knows a number from 1 to 8, and its friend is to answer it; all that is said "
        "is "
        "heard by the spy, who answers too. teller and friend share a key, a number from 1 to 7. "
        "If "
        "the spy is right it alone earns 1; if it is not, and the friend is right, teller and "
        "friend earn 1 each.",
        _code, _pay_code, answers={seat: {"number": SIGNS} for seat in ("friend", "spy")},
    ),
    "Forbidden": Scene(
        "tell a number without saying any number",
        ("teller", "guesser"),
        "The teller tells the guesser a number from 1 to 99, which the guesser answers. Both "
        "earn 1 "
        "if it is right and the teller has written no digit and no word of a number (two, twenty, "
        "hundred and so on, also within other words; one is allowed).",
        _forbid, _pay_forbid, answers={"guesser": {"number": NUMBERS}},
    ),
    "Telephone": Scene(
        "pass a number on through a seat that knows how to change it",
        ("ann", "ben", "cid"),
        "ann is heard by ben alone, ben by ann and cid, cid by ben alone. ann knows a number, ben "
        "knows what is to be done with it, and cid answers. All earn 1 if the answer is right.",
        _phone, _pay_phone, answers={"cid": {"number": range(1, 199)}},
        hears={"ann": ("ben",), "ben": ("ann", "cid"), "cid": ("ben",)},
    ),
}  # fmt: skip
