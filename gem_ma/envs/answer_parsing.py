"""Normalisation of answers to questions, where an answer has only one possible meaning."""

import re

MAX_ANSWER_LENGTH = 200  # characters; longer answers are not parsed
_DEGREES = re.compile(r"\^ ?(?:\\circ|\{ ?\\circ ?\})|\\(?:degree|circ)|\u00b0")
_LATEX_TEXT = re.compile(r"\\(?:text|textbf|textrm|mathrm|mathbf|mbox)\s*\{([^{}]*)\}")
_NAME_PREFIX = re.compile(r"\\?[a-zA-Z]\w{0,11}\s{0,2}(?:=|:(?!\d))\s{0,2}(?=[^=\s])")
_NUMBER_WITH_UNIT = re.compile(
    r"([+\u2212-]?\\?\$?\s?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)((?: [A-Za-z][A-Za-z'-]+){1,3})\.?"
)
# With one of these words after it, a number means another number or is no answer.
_MODIFIER_WORDS = (
    "and or not no but if maybe perhaps either to than plus minus times over by percent hundred "
    "thousand million billion trillion dozen half halves third thirds quarter quarters pi squared "
    "cubed factorial mod modulo root is are was equals wrong incorrect unless except choose am pm "
    "about approximately between least most more less fewer"
)
_MODIFIERS = frozenset(_MODIFIER_WORDS.split())
_CLOCK_TIME = re.compile(r"(\d{1,2})[:.h](\d{2})(?::00)?\s*([ap]\.?m\.?)?\.?", re.IGNORECASE)
_LETTERED_OPTION = re.compile(r"\(?([A-Z])\s*[).:]\s+\S.*", re.DOTALL)
_COORDINATE_NAMES = frozenset(("x", "y", "left", "top", "right", "bottom"))
_IGNORED_WORDS = _COORDINATE_NAMES | {
    "point",
    "box",
    "the",
    "is",
    "at",
    "answer",
    "and",
    "to",
    "from",
    "percent",
}
_COORDINATE_ORDERS = {
    2: ((), ("x", "y")),
    4: ((), ("x", "y", "x", "y"), ("left", "top", "right", "bottom")),
}
_WHOLE_NUMBER = re.compile(r"(?<!\d)([+-]?\d++)\.0+")


def strip_answer(text: str) -> str:
    r"""Return an answer without dollar signs, \text{}, degrees, a leading name and trailing units.

    An answer that could mean something else is not changed: "5 million", "5 x", "5 or 6".
    """
    if len(text) > MAX_ANSWER_LENGTH:
        return text
    answer = _DEGREES.sub(" ", _LATEX_TEXT.sub(r" \1 ", text.strip().strip("$")))
    prefix_match = _NAME_PREFIX.match(answer := answer.strip())
    answer = answer[prefix_match.end() :] if prefix_match else answer
    answer = " ".join(answer.strip().removeprefix(r"\(").removesuffix(r"\)").split())
    number_match = _NUMBER_WITH_UNIT.fullmatch(answer)
    if number_match and not _MODIFIERS.intersection(number_match[2].casefold().split()):
        return number_match[1].replace("\u2212", "-")
    return answer


def normalize_integer(text: str) -> str:
    """Return a number without thousands separators and trailing zeros: "1,145.0" becomes "1145"."""
    answer = strip_answer(text)
    if re.fullmatch(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.0+)?", answer):
        answer = answer.replace(",", "")
    match = _WHOLE_NUMBER.fullmatch(answer)
    return match[1] if match else answer


def parse_integers(text: str, many: int) -> tuple[int, ...]:
    """Return the `many` whole numbers in a text, with or without brackets; () if it says more."""
    if len(text) > MAX_ANSWER_LENGTH or not re.fullmatch(r"[\w\s,;:=.%()\[\]{}<>/\"'`|*]*", text):
        return ()
    words = [word.casefold() for word in re.findall(r"[^\W\d_]+", text)]
    numbers = re.findall(r"\d+(?:\.\d+)?", text)
    coordinates = tuple([word for word in words if word in _COORDINATE_NAMES])
    numerals = [_WHOLE_NUMBER.sub(r"\1", number) for number in numbers]
    if not _IGNORED_WORDS.issuperset(words) or coordinates not in _COORDINATE_ORDERS[many]:
        return ()
    if len(numerals) != many or not all(
        numeral.isdecimal() and len(numeral) < 19 for numeral in numerals
    ):
        return ()
    return tuple(map(int, numerals))


def normalize_time(text: str) -> str:
    """Return a time in 12-hour form: "09:25 AM" and "21:25" become "9:25"."""
    match = _CLOCK_TIME.fullmatch(strip_answer(text))
    if not match or int(match[1]) > 24 or int(match[2]) > 59:
        return text
    return f"{(int(match[1]) - 1) % 12 + 1}:{match[2]}"


def normalize_option(text: str) -> str:
    """Return the letter of an option that is written with its text: "B) a square" becomes "B"."""
    match = _LETTERED_OPTION.fullmatch(text.strip())
    return match[1] if match else text
