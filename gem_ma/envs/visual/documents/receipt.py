"""Receipt: what things cost, what they cost in all, and how much money is given back."""

from gem_ma.envs import answer_parsing
from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.documents import paper
from gem_ma.envs.visual.documents.paper import Sheet, columns, pair
from gem_ma.envs.visual.question import AROUND, BESIDE, Question, Task, pick, some
from gem_ma.game import InvalidMove, clip_repr

SHOPS = ("CORNER SHOP", "FRUIT GROCER", "STATION KIOSK", "OLD MILL STORE", "HARBOUR MARKET")
GOODS = (
    *("apples", "bread", "butter", "candles", "cheese", "coffee", "eggs", "flour", "honey", "jam"),
    *("juice", "lemons", "milk", "noodles", "oats", "pepper", "rice", "salt", "soap", "tea"),
)
MOST = 400  # tenths
WIDTHS = (1, 8, -5, -6)  # of the columns, in letters


def price(rng, bill):
    """Ask for what one thing costs; its line shows how many were bought."""
    i = int(rng.integers(len(bill)))
    return f"What does one piece or pack of {bill[i][1]} cost?", bill[i][2], ()


def line(rng, bill):
    """Ask for the price of all pieces of a thing; it is blotted out."""
    i = int(rng.integers(len(bill)))
    many, name, each = bill[i]
    return f"How much was paid for {name} in all?", many * each, (name,)


def total(rng, bill):
    """Ask for the total; it and the money that is given back are blotted out."""
    return "What is the total?", sum(many * each for many, _, each in bill), ("TOTAL", "CHANGE")


def change(rng, bill):
    """Ask for the money that is given back; it and the total are blotted out."""
    whole = sum(many * each for many, _, each in bill)
    return "How much money is given back?", _paid(whole) - whole, ("TOTAL", "CHANGE")


def missing(rng, bill):
    """Ask for the price of a thing from the total and all other prices."""
    i = int(rng.integers(len(bill)))
    many, name, each = bill[i]
    return f"How much was paid for {name} in all?", many * each, (name, f"each {name}")


class Receipt(Task):
    # kinds of questions, things, most pieces of a thing
    levels = interpolate_levels(
        {
            0: ((price,), 2, 1),
            2: ((price, line), 4, 3),
            5: ((line, total), 5, 3),
            8: ((total, missing, change), 7, 4),
            10: ((missing, change), 9, 4),
        }
    )
    moves = tuple([f"{n // 10}.{n % 10}0" for n in range(MOST + 1)])
    about = (
        "It shows a receipt: how many pieces, of what, the price of one, and of all of them. What "
        "cannot be read is ###. Reply with an amount, such as 4.50."
    )
    words = staticmethod(paper.words)
    scene = staticmethod(paper.scene)

    def draw(self, rng, kinds, many, most):
        kind = pick(rng, kinds)
        while True:
            bill = [
                (int(rng.integers(1, most + 1)), name, int(rng.integers(5, 50)))
                for name in some(rng, GOODS, many)
            ]
            if sum(n * each for n, _, each in bill) <= MOST:
                break
        text, answer, hidden = kind(rng, bill)
        return Question(text, _money(answer), _sheet(rng, bill, hidden), self.moves)

    def read(self, text, view, agent):
        """Return an amount with two decimals."""
        words = [word for word in text.split() if word.strip(AROUND).casefold() not in BESIDE]
        bare = answer_parsing.strip_answer(" ".join(words)).strip(AROUND + "\u20ac\u00a3 ")
        whole, _, part = bare.partition(".")
        if not (whole.isdecimal() and len(whole) < 7 and len(part) < 3):
            raise InvalidMove(f"{clip_repr(text)} is not an amount such as 4.50")
        if part and not part.isdecimal():
            raise InvalidMove(f"{clip_repr(text)} is not an amount such as 4.50")
        return f"{int(whole)}.{part:0<2}"


def _paid(whole):
    """Return what is handed over: the next note or notes."""
    return next(note for note in (50, 100, 200, 300, 500) if note > whole)


def _money(tenths):
    return f"{tenths // 10}.{tenths % 10}0"


def _sheet(rng, bill, hidden):
    whole = sum(many * each for many, _, each in bill)
    ends = {"TOTAL": whole, "CASH": _paid(whole), "CHANGE": _paid(whole) - whole}
    rows: list[tuple[str, ...]] = [(pick(rng, SHOPS),)]
    for many, name, each in bill:
        one = "###" if f"each {name}" in hidden else _money(each)
        rows.append(
            columns((many, name, one, "###" if name in hidden else _money(many * each)), WIDTHS)
        )
    for name, amount in ends.items():
        rows.append(pair(name, "###" if name in hidden else _money(amount), WIDTHS))
    return Sheet(tuple(rows), (1, len(bill) + 1))
