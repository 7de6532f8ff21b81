"""Cards: the private facts of a seat as a table or a map, made from the lines that the seat reads.

A card is a function of these lines alone. It therefore shows nothing else, and never changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType

from gem_ma.scene import Panels, Shapes, TableCell, TextTable

Lines = Sequence[str]
Row = tuple[TableCell, ...]
YES, NO = "✓", "✗"
GOOD, BAD, BAR = "green", "orange", "yellow"
MOST_ROWS = 4  # a longer list of ratings is shown in two halves, side by side
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri")
HOURS = tuple(map(str, range(9, 18)))
# A line of facts, with {} for its values: the label of its row, the value, and what a full bar is.
SENTENCES = MappingProxyType({
    "The car is worth {} to you.": ("it is worth to you", "{}", 100),
    "You would rather keep it than get less than {}.": ("your lowest price", "{}", 100),
    "You would rather keep the vase than get less than {}.": ("your lowest price", "{}", 100),
    "The vase is worth {} to you.": ("it is worth to you", "{}", 100),
    "You pay at most {} for the harm that you did.": ("you pay at most", "{}", 100),
    "You take at least {} for the harm that was done to you.": ("you take at least", "{}", 100),
    "You know of neither what it would pay or take.": ("what they would pay or take", "?", 0),
    "A coin that you pay next year hurts you as {} of one today.": (
        "coin paid next year", "hurts as {} today", 0),
    "A coin that you get next year is worth {} of one today to you.": (
        "coin got next year", "is worth {} today", 0),
    "You bought a lamp {} days ago; now it does not work.": ("bought", "{} days ago", 0),
    "It stopped by itself.": ("what happened", "it stopped by itself", 0),
    "You dropped it.": ("what happened", "you dropped it", 0),
    "You have {} receipt.": ("the receipt", "you have {} receipt", 0),
    "Your word is {}.": ("your word", "{}", 0),
    "The number is {}.": ("the number", "{}", 0),
    "You and your friend alone know the key {}.": ("the key of the two friends", "{}", 0),
    "You do not know the key.": ("the key", "?", 0),
    "You do not know the number.": ("the number", "?", 0),
    "The last one is to answer it {}.": ("the last one answers it", "{}", 0),
    "You hear ben alone.": ("you hear", "ben alone", 0),
    "The necklace was taken at {} from the {}.": ("taken", "at {} from the {}", 0),
    "You saw that the thief wore a {}.": ("the thief's hat", "{}", 0),
    "You saw that the thief's coat was {}.": ("the thief's coat", "{}", 0),
    "You saw that the thief carried a {}.": ("the thief's bag", "{}", 0),
    "You know that {} was at home.": ("was at home", "{}", 0),
    "What {} would earn together: {}.": ("{} together", "{}", 100),
    "To stay late costs you {} tenths of what it brings to each.": (
        "costs you", "{}/10 of the gain", 0),
    "Your part of the lake has {} fish.": ("your part of the lake", "{} fish", 0),
    "You do not know how much it grows.": ("it grows to", "? times", 0),
    "What you are given grows to {} times.": ("it grows to", "{} times", 0),
    "The {} is yours to see to: it needs {} coins.": ("coins that the {} needs", "{}", 0),
    "You own a {}, and need it yourself.": ("you own and need", "{}", 0),
    "You can make {} or {}.": ("you can make", "{} or {}", 0),
})  # fmt: skip


def read_values(template: str, line: str) -> list[str] | None:
    """Return the texts that stand at the {} of a template, or None for another line."""
    first, *parts = template.split("{}")
    if not line.startswith(first):
        return None
    rest, values = line[len(first) :], []
    for part in parts:
        value, found, rest = rest.partition(part) if part else (rest, " ", "")
        if not found:
            return None
        values.append(value)
    return None if rest else values


def _read(template: str, line: str) -> list[str]:
    values = read_values(template, line)
    if values is None:
        raise ValueError(f"the fact {line!r} is not of the form {template!r}")
    return values


def _read_pairs(text: str) -> list[tuple[str, int]]:
    """Read a list such as "beach 3, forest 7"."""
    pairs = (part.rpartition(" ") for part in text.split(", "))
    return [(name, int(number)) for name, _, number in pairs]


def _bar(text: str, share: float) -> TableCell:
    return (text, BAR, min(1.0, share))


def _card(rows: Sequence[Row], head: Sequence[str] = (), title: str = "") -> TextTable:
    return TextTable(tuple(rows), tuple(head), title, card=True)


def _fold(rows: Sequence[Row]) -> Sequence[Row]:
    """Return rows with the second half of a long list beside the first."""
    if len(rows) <= MOST_ROWS:
        return rows
    half = (len(rows) + 1) // 2
    blank = ("",) * len(rows[0])
    beside = [*rows[half:], blank][:half]
    return [one + other for one, other in zip(rows[:half], beside, strict=True)]


def list_facts(title: str) -> Callable[[Lines], TextTable]:
    """Return a function that shows each line as a row, with a label and a value."""

    def make(lines: Lines) -> TextTable:
        return _card(tuple(map(_make_row, lines)), title=title)

    return make


def _make_row(line: str) -> Row:
    for template, (label, words, most) in SENTENCES.items():
        values = read_values(template, line)
        if values is not None:
            first = label.count("{}")
            text = words.format(*values[first:])
            value = _bar(text, int(text) / most) if most else text
            return label.format(*values[:first]), value
    raise ValueError(f"no card for the fact {line!r}")


def rate_things(title: str, most: int) -> Callable[[Lines], TextTable]:
    """Return a function that shows a list of names and numbers with bars; `most` fills a bar."""

    def make(lines: Lines) -> TextTable:
        pairs = _read_pairs(" ".join(lines).rpartition(": ")[2])
        return _card(_fold([(name, _bar(str(n), n / most)) for name, n in pairs]), title=title)

    return make


def show_week(lines: Lines) -> TextTable:
    """Show the free hours of a week as a calendar."""
    hours = dict(line.split(" at ") for line in lines[1:])
    rows = [
        (day, *((YES, GOOD) if hour in hours.get(day, "").split(", ") else "" for hour in HOURS))
        for day in DAYS
    ]
    return _card(tuple(rows), ("", *HOURS), f"Your week, {YES} = free")


def show_shifts(lines: Lines) -> TextTable:
    """Show the days on which a seat can work."""
    free = _read("You can work on {} and on {}.", lines[0])
    row = tuple([(YES, GOOD) if day in free else NO for day in DAYS[:4]])
    return _card((row,), DAYS[:4], f"Your days, {YES} = you can work")


def show_clock(lines: Lines) -> TextTable:
    """Show the hours of a day, and those at which a seat can talk."""
    hours, way = _read("Your clock is {} hours {} Greenwich.", lines[0])
    first, last = map(
        int, _read("You can talk from {} to {} o'clock of yours, both included.", lines[1])
    )
    cells = [
        (f"{hour}\n{YES}", GOOD) if first <= hour <= last else f"{hour}\n" for hour in range(24)
    ]
    sign = "-" if way.startswith("behind") and hours != "0" else "+"
    title = f"Greenwich {sign}{hours} hours, {YES} = can talk"
    return _card((tuple(cells[:12]), tuple(cells[12:])), title=title)


def show_places(lines: Lines) -> TextTable:
    """Show a list of places, below what a seat needs."""
    budget, dislike, first, last = _read(
        "You can spend {}, eat no {} food, and can come from {} to {}.", lines[0]
    )
    rows = []
    for line in lines[2:]:
        name, kitchen, price = _read("{}: {}, {} each", line)
        rows.append((name, kitchen, price))
    title = f"Spend {budget} at most, no {dislike}, {first} to {last} h"
    return _card(tuple(rows), ("place", "kitchen", "price"), title)


def show_trip(lines: Lines) -> TextTable:
    """Show what a night in each city is worth and costs."""
    (purse,) = _read("You have {} for the nights. A night is worth to you:", lines[0])
    prices = _read_pairs(_read("A night costs each of you: {}", lines[2])[0])
    rows = [
        (city, _bar(str(joy), joy / 10), str(price))
        for (city, joy), (_, price) in zip(_read_pairs(lines[1]), prices, strict=True)
    ]
    return _card(
        tuple(rows), ("city", "is worth", "costs"), f"You have {purse} for the nights; a night:"
    )


def show_wishes(lines: Lines) -> TextTable:
    one, other = _read("You wish {} and {}.", lines[0])
    rows = [(f"wish {i}", wish.replace("to sit ", "")) for i, wish in enumerate((one, other), 1)]
    return _card(tuple(rows), title="Your two wishes")


def show_town(lines: Lines) -> Panels:
    """Show a map with the corner at which a seat lives: streets across, avenues down."""
    street, avenue = map(int, _read("You live at street {}, avenue {}.", lines[0]))
    places = [0.14 + 0.09 * i for i in range(10)]
    low, high, half = places[0] - 0.03, places[-1] + 0.03, 0.008
    roads = []
    for at in places:
        a, b = at - half, at + half
        roads.append(("gray", ((a, low), (b, low), (b, high), (a, high))))
        roads.append(("gray", ((low, a), (high, a), (high, b), (low, b))))
    labels = []
    for i, at in enumerate(places):
        labels += [(str(i), "", at, 0.05, 0.08), (str(i), "", 0.05, at, 0.08)]
    home = ("disc", "red", places[street], places[avenue], 0.1, 0.0)
    town = Shapes((home,), labels=tuple(labels), areas=tuple(roads))
    address = _card((("street", str(street)), ("avenue", str(avenue))), title="Your home")
    return Panels((("", town), ("", address)))


def show_slices(lines: Lines) -> TextTable:
    (text,) = _read("What the ten slices are worth to you, from the left: {}.", lines[0])
    values = text.split(", ")
    return _card(
        (("worth", *values),),
        ("slice", *map(str, range(1, len(values) + 1))),
        "The cake, slices from the left",
    )


def show_bill(lines: Lines) -> TextTable:
    """Show a menu with what a seat had, and the wine."""
    had, menu = _read("You had {}. The menu: {}.", lines[0])
    (wine,) = _read("The wine, {} in all, is shared by all three.", lines[1])
    rows = [
        (dish, str(price), (YES, GOOD) if dish in had.split(", ") else "")
        for dish, price in _read_pairs(menu)
    ]
    rows.append(("wine", wine, "a third"))
    return _card(tuple(rows), ("dish", "price", "you had"), f"The bill, {YES} = you had it")


def show_swap(lines: Lines) -> TextTable:
    if values := read_values("You own a {}, and need a {}.", lines[0]):
        return _card((tuple(values),), ("you own", "you need"), "Swap")
    return list_facts("Swap")(lines)


def show_returns(lines: Lines) -> TextTable:
    """Show a lamp that was bought, or the rules of the shop."""
    if not lines[0].startswith("The rules"):
        return list_facts("Your lamp")(lines)
    (refund,) = _read("With a receipt, up to {} days: refund.", lines[2])
    (last,) = _read(
        "Otherwise, up to {} days: exchange if there is another one, else repair.", lines[3]
    )
    (stock,) = _read("There is {} lamp of this kind.", lines[5])
    rows = (
        ("the customer broke it", "nothing"),
        (f"receipt, up to {refund} days", "refund"),
        (f"up to {last} days, in stock", "exchange"),
        (f"up to {last} days, else", "repair"),
        ("after that", "nothing"),
    )
    return _card(rows, title=f"The shop's rules; stock: {stock} lamp")


def show_points(lines: Lines) -> TextTable:
    """Show the points of each option of each term."""
    rows = []
    for line in lines[1:]:
        term, _, options = line.partition(": ")
        cells = [f"{name}: {n}" for name, n in _read_pairs(options)]
        rows.append((term, *cells, *("",) * (4 - len(cells))))
    return _card(tuple(rows), title="Option: points that you get")


def show_words(lines: Lines) -> TextTable:
    (text,) = _read("The word is one of {}.", lines[0])
    secret = _read("The word is {}.", lines[1])[0] if lines[1:] else ""
    cells = [(f"{word} {YES}", GOOD) if word == secret else word for word in text.split(", ")]
    title = f"{YES} = the word that you keep" if secret else "The word is one of these"
    return _card((tuple(cells[:4]), tuple(cells[4:])), title=title)


def show_alibi(lines: Lines) -> TextTable:
    """Show where a suspect was and whom it saw, or what the detective knows."""
    if len(lines) == 1:
        return list_facts("The necklace")(lines)
    rooms = dict(_read("At {} you were in the {}.", line) for line in lines[:-2])
    when, who, where = _read("At {} you saw {} go to the {}.", lines[-2])
    saw = [f"{who}: {where}" if time == when else "" for time in rooms]
    return _card((("you were in", *rooms.values()), ("you saw", *saw)), ("", *rooms), lines[-1])


def show_statements(lines: Lines) -> TextTable:
    """Show the statements of a witness, or what the cameras saw."""
    if lines[0].startswith("What the witness"):
        rows = [tuple(_read("{}. The {} was in the {} at {}.", line)) for line in lines[1:]]
        return _card(tuple(rows), ("", "guest", "room", "time"), "What the witness says")
    seen = [_read("{}, {}: the {}", line) for line in lines[1:]]
    rows = [(who, room, when) for when, room, who in seen]
    return _card(tuple(rows), ("guest", "room", "time"), "What the cameras saw")


def show_signs(lines: Lines) -> TextTable:
    """Show the signs of a patient, or those of each disease."""
    if len(lines) == 1:
        (text,) = _read("You have {}, and nothing else.", lines[0])
        signs = text.split(", ")
        return _card((tuple(signs),), title="Your signs, and no other")
    cells = [line.replace(": ", ":\n").replace(", ", "\n") for line in lines[1:]]
    return _card((tuple(cells[:3]), tuple(cells[3:])), title="What each disease shows")


def show_bags(lines: Lines) -> TextTable:
    """Show a lost bag, or the bags on a shelf."""
    template = "colour {}, size {}, mark {}"
    head = ("colour", "size", "mark")
    if len(lines) == 1:
        row = _read(f"You have lost a bag: {template}.", lines[0])
        return _card((tuple(row),), head, "The bag that you lost")
    rows = [tuple(_read(f"{{}}. {template}", line)) for line in lines[1:]]
    return _card(tuple(rows), ("bag", *head), "The bags on your shelf")


def show_candidates(lines: Lines) -> TextTable:
    rows: list[Row] = []
    for line in lines[1:]:
        name, _, text = line.partition(": ")
        traits = text.split(", ")
        marks = [(NO, BAD) if one.startswith("not ") else (YES, GOOD) for one in traits]
        rows.append((name, *marks))
    head = ("", *(one.removeprefix("not ") for one in traits))
    return _card(tuple(rows), head, "What you know of the three")


def show_ages(lines: Lines) -> TextTable:
    years, way, other = _read("You are {} years {} than {}.", lines[0])
    pair = (other, "you") if way == "older" else ("you", other)
    return _card(
        ((pair[0], f"{years} years", pair[1]),), ("younger", "less by", "older"), "Two ages"
    )


def show_woods(lines: Lines) -> TextTable:
    """Show the woods around a seat, and in which of them the stag is not."""
    (hare,) = _read("A hare is worth {} tenths of a share in the stag to you.", lines[0])
    (seen,) = _read("You have been in the {}: the stag is not there.", lines[1])
    north, west, east, south = (
        (f"{wood} {NO}", BAD) if wood == seen else f"{wood} ?"
        for wood in ("north", "west", "east", "south")
    )
    rows = (("", north, ""), (west, "you", east), ("", south, ""))
    return _card(rows, title=f"{NO} = no stag; a hare: {hare}/10")


CARDS: MappingProxyType[str, Callable[[Lines], TextTable | Panels]] = MappingProxyType({
    "Meeting": show_week, "Dinner": show_places, "Trip": show_trip, "Shifts": show_shifts,
    "FilmNight": rate_things("How you would like each film, 0 to 10", 10),
    "Seating": show_wishes, "MeetingPoint": show_town, "TimeZones": show_clock,
    "Rent": rate_things("What each room is worth to you", 40),
    "Chores": rate_things("Minutes that each chore takes you", 9),
    "Heirlooms": rate_things("What each is worth to you, of 100", 100),
    "Cake": show_slices, "Bill": show_bill, "Budget": list_facts("Your project"),
    "Swap": show_swap, "Potluck": list_facts("Your kitchen"),
    "Car": list_facts("The used car"), "FaultyThing": show_returns, "Job": show_points,
    "FleaMarket": list_facts("The vase"), "Mediator": list_facts("The sum"),
    "Installments": list_facts("Now or next year"),
    "KeepSecret": show_words, "SayIt": list_facts("Let the other say it first"),
    "Codeword": list_facts("The code"), "Forbidden": list_facts("Not to be said"),
    "Telephone": list_facts("Pass it on"),
    "Alibi": show_alibi, "Contradiction": show_statements, "Diagnosis": show_signs,
    "LostThing": show_bags, "Hire": show_candidates, "WhoTook": list_facts("Your clue"),
    "LineUp": show_ages,
    "Vote": rate_things("How you like each outing, 0 to 9", 9),
    "Coalition": list_facts("What the other two would earn"), "StagHunt": show_woods,
    "Volunteer": list_facts("To stay late"), "Commons": list_facts("The fish"),
    "Trust": list_facts("What is given"),
})  # fmt: skip


def compute_share(card: TextTable | Panels) -> float:
    """Return the share of a picture's height that a card takes: more for more lines."""
    if isinstance(card, Panels):
        return 0.55
    rows = (*card.rows, card.head) if card.head else card.rows
    lines = sum(
        max((cell if isinstance(cell, str) else cell[0]).count("\n") + 1 for cell in row)
        for row in rows
    )
    return min(0.55, max(0.25, 0.055 * lines + 0.1))
