"""Invoice: amounts, discounts and days of a bill between firms."""

from gem_ma.envs.difficulty_levels import interpolate_levels
from gem_ma.envs.visual.documents import paper
from gem_ma.envs.visual.documents.paper import Sheet, columns, pair
from gem_ma.envs.visual.question import Question, Task, numbers, pick, some

FIRMS = ("Alder Ltd", "Birch & Son", "Cedar Works", "Elm Supplies", "Fir Traders", "Hazel Co")
PARTS = (
    *("bolts", "brushes", "cables", "clamps", "drills", "files", "gears", "hinges", "hoses"),
    *("lamps", "motors", "nails", "pipes", "pumps", "ropes", "saws", "screws", "valves"),
)
MONTHS = ("Jan", "Mar", "May", "Jul", "Aug", "Oct", "Dec")  # of 31 days
MOST = 999
WIDTHS = (-3, 8, -4, -6)  # of the columns, in letters


def number(rng, bill):
    """Ask for the number of the customer or of the invoice."""
    name = pick(rng, ("customer number", "invoice number"))
    return f"What is the {name}?", bill[name], ()


def due(rng, bill):
    """Ask for the day until which the bill is to be paid."""
    return "On which day of the month must it be paid at the latest?", bill["due"], ()


def amount(rng, bill):
    """Ask for the amount of a position; it is missing."""
    many, name, each = pick(rng, bill["parts"])
    return f"What is the amount for {name}?", many * each, (name,)


def net(rng, bill):
    """Ask for the sum of all amounts; it is missing."""
    return "What is the sum of all amounts, before the discount?", bill["net"], ("net", "total")


def total(rng, bill):
    """Ask for the sum less the discount."""
    return "How much is to be paid?", bill["net"] - bill["less"], ("less", "total")


def all_of_it(rng, bill):
    """Ask for the sum less the discount, where amounts are missing too."""
    hidden = ("net", "less", "total", *[name for _, name, _ in some(rng, bill["parts"], 2)])
    return "How much is to be paid?", bill["net"] - bill["less"], hidden


class Invoice(Task):
    # kinds of questions, positions, most pieces of one
    levels = interpolate_levels(
        {
            0: ((number,), 1, 4),
            2: ((number, due, amount), 3, 6),
            4: ((due, amount), 4, 8),
            5: ((due, amount, net), 4, 8),
            8: ((net, total), 6, 10),
            10: ((all_of_it,), 8, 14),
        }
    )
    moves = numbers(MOST)
    about = (
        "It shows an invoice: the number of pieces, of what, the price of one, and the amount. A "
        "discount is a share of the sum of all amounts. ### is what is left out. Reply with a "
        "whole number."
    )
    words = staticmethod(paper.words)
    scene = staticmethod(paper.scene)

    def draw(self, rng, kinds, many, most):
        """Sample a bill whose discount is a whole number."""
        while True:
            parts = [
                (int(rng.integers(2, most + 1)), name, int(rng.integers(3, 25)))
                for name in some(rng, PARTS, many)
            ]
            sum_of_all, share = sum(n * each for n, _, each in parts), pick(rng, (5, 10, 20))
            if sum_of_all * share % 100 == 0 and sum_of_all <= MOST:
                break
        day, days = int(rng.integers(1, 29)), pick(rng, (7, 10, 14, 21, 30))
        bill = {
            "parts": parts,
            "net": sum_of_all,
            "less": sum_of_all * share // 100,
            "customer number": int(rng.integers(100, MOST)),
            "invoice number": int(rng.integers(100, MOST)),
            "due": (day + days - 1) % 31 + 1,
        }
        text, answer, hidden = pick(rng, kinds)(rng, bill)
        head = pick(rng, FIRMS), f"{day} {pick(rng, MONTHS)}", days, share
        return Question(text, str(answer), _sheet(bill, head, hidden), self.moves)


def _sheet(bill, head, hidden):
    firm, date, days, share = head
    rows = [
        ("INVOICE",),
        pair("To", firm, WIDTHS),
        pair("Customer", bill["customer number"], WIDTHS),
        pair("Invoice", bill["invoice number"], WIDTHS),
        pair("Date", date, WIDTHS),
        pair("Payable in", f"{days} days", WIDTHS),
        columns(("Qty", "Part", "Each", "Amount"), WIDTHS),
    ]
    for many, name, each in bill["parts"]:
        rows.append(columns((many, name, each, "###" if name in hidden else many * each), WIDTHS))
    ends = {
        "net": ("Sum", bill["net"]),
        "less": (f"Discount {share}%", -bill["less"]),
        "total": ("To pay", bill["net"] - bill["less"]),
    }
    for key, (name, number_) in ends.items():
        rows.append(pair(name, "###" if key in hidden else number_, WIDTHS))
    first = 6
    return Sheet(tuple(rows), (1, first, first + 1, first + 1 + len(bill["parts"])))
