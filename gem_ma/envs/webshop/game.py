"""A web shop as in WebShop: find the product that an instruction asks for, and buy it."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from gem_ma.envs.webshop import pages
from gem_ma.envs.webshop.generation import CatalogueSize, make_catalogue
from gem_ma.envs.webshop.own_data import load_catalogue
from gem_ma.envs.webshop.pages import ShopPage, tell_page
from gem_ma.envs.webshop.pictures import SIDE, draw_page
from gem_ma.envs.webshop.products import Catalogue, Product, ShoppingGoal
from gem_ma.envs.webshop.reward import PurchaseScore, score_purchase
from gem_ma.game import Game, InvalidMove, Maybe, clip_repr

BUYER = "player"
MAX_SEARCH = 300  # characters
QUESTION = "ask[What do you want?]"
MAX_MESSAGE = 80  # characters of an errand's talk, so that a customer cannot say all at once
SPLITS = ("train", "test")
_CATALOGUES = 1 << 31  # generated catalogues of each split
_NAMED_BUTTONS = 30  # in the notice of a click that hits none


class ShopAction(NamedTuple):
    """A search for words, or a click on what has a name; both in lower case."""

    kind: str  # "search" or "click"
    text: str


@dataclass(frozen=True, slots=True)
class ShoppingState:
    seats: tuple[str, ...]
    number: Maybe[int]  # of the catalogue, or of the goal in the user's own data
    goal: Maybe[ShoppingGoal]
    page: ShopPage
    left: int  # turns
    errors: int = 0  # lost turns
    score: Maybe[PurchaseScore] = None
    refused: bool = False  # more turns were lost than are allowed
    asked: bool = False  # with two seats: the customer speaks next
    talk: tuple[tuple[str, str], ...] = ()  # with two seats: (seat, message)

    def to_act(self):
        if self.score is not None or self.refused or self.left <= 0:
            return ()
        return self.seats[:1] if self.asked else self.seats[-1:]

    def returns(self):
        return dict.fromkeys(self.seats, 0.0 if self.score is None else self.score.total)

    def seen_by(self, agent):
        page = self.page
        if not page.show_attributes:
            products = [
                one._replace(attributes=(), query="", categories="") for one in page.products
            ]
            page = replace(page, products=tuple(products))
        goal = self.goal
        if len(self.seats) > 1:
            page, goal = (page, None) if agent == self.seats[1] else (ShopPage(), goal)
        if goal is not None:  # the instruction alone
            goal = ShoppingGoal("", goal.text, "", "", "", (), (), 0.0)
        return replace(self, number=None, goal=goal, page=page)

    def legal(self, agent):
        """Return what can be clicked, and a search for the words that the seat was told.

        A customer may say the parts of its wish.
        """
        if agent != self.seats[-1]:
            return tuple([one[:MAX_MESSAGE] for one in self.goal.text.split(", ")])
        words = self.goal.text if self.goal is not None else self.talk[-1][1] if self.talk else ""
        words = " ".join(words.split())[:MAX_SEARCH]  # a customer's line may look like another's
        search = f"search[{words or 'present'}]"
        questions = (QUESTION,) if len(self.seats) > 1 else ()
        return (search, *(f"click[{one}]" for one in self.page.buttons), *questions)

    @property
    def truncated(self):
        return self.score is None and not self.refused and self.left <= 0


class WebShop(Game[ShoppingState]):
    """A shop with a catalogue from the seed, or from WebShop's files.

    Args:
        products: the number of products in a generated catalogue.
        attributes: the number of attributes that the instruction asks for, at most 5.
        options: the largest number of options that it asks for.
        titled: how many of its 5 attributes the title of a product names.
        paraphrased: the share of attributes that the instruction describes in other words.
        data: a folder with WebShop's items_shuffle*.json and items_ins_v2*.json, or the path of
            an items_shuffle file; "$WEBSHOP_DATA" is the folder that this environment variable
            names. None: a generated catalogue for each episode.
        split: "train" or "test", which have no goal in common.
        observation_mode: "text", "text_rich" with marked buttons, or "html".
        max_turns: the number of turns.
        show_attrs: whether products have a page with their attributes.
        error_tolerance: how many turns may be lost before the episode ends; None: all.
    """

    agents: tuple[str, ...] = (BUYER,)
    oracle = True
    legal_is_partial = True
    unlisted_moves = "a search has any words"
    reset_options = ("index",)
    env_defaults: Mapping[str, Any] = MappingProxyType({"image_size": (SIDE, SIDE)})

    def __init__(
        self,
        products: int = 80,
        attributes: int = 2,
        options: int = 2,
        titled: int = 2,
        paraphrased: float = 0.3,
        data: str | None = None,
        split: str = "train",
        observation_mode: str = "text_rich",
        max_turns: int = 15,
        show_attrs: bool = False,
        error_tolerance: int | None = None,
    ):
        for name, value, low, high in (
            ("products", products, 2, 100_000),
            ("attributes", attributes, 1, 5),
            ("options", options, 0, 3),
            ("titled", titled, 0, 5),
            ("paraphrased", paraphrased, 0, 1),
            ("max_turns", max_turns, 1, 10_000),
            ("error_tolerance", error_tolerance or 0, 0, 10_000),
        ):
            kind = int | float if name == "paraphrased" else int
            if not isinstance(value, kind) or not low <= value <= high:
                raise ValueError(f"{name}={value!r}: expected a number from {low} to {high}")
        for name, text, known in (
            ("split", split, SPLITS),
            ("observation_mode", observation_mode, pages.OBSERVATION_MODES),
        ):
            if text not in known:
                raise ValueError(f"{name}={text!r}: expected one of {known}")
        self.size = CatalogueSize(products, attributes, options, titled, paraphrased)
        self.split, self.observation_mode = split, observation_mode
        self.max_turns, self.show_attrs = max_turns, show_attrs
        self.error_tolerance = error_tolerance
        self.own = None if data is None else load_catalogue(data)
        self.goals = range(_CATALOGUES) if self.own is None else _split_goals(self.own, split)

    def find_catalogue(self, number: int) -> tuple[Catalogue, ShoppingGoal]:
        """Return the catalogue and the goal of an episode with this number."""
        if self.own is not None:
            return self.own, self.own.goals[number]
        catalogue = make_catalogue(2 * number + SPLITS.index(self.split), self.size)
        return catalogue, catalogue.goals[0]

    def start(self, rng, options):
        """Draw a goal, or take number i of the split with options={"index": i}."""
        index = options.get("index")
        if index is None:
            index = self._draw_goal(rng)
        elif isinstance(index, bool) or not isinstance(index, int | np.integer):
            raise TypeError(f"index={index!r}: expected an int from 0 to {len(self.goals) - 1}")
        if not 0 <= index < len(self.goals):
            raise ValueError(f"index={index}: this shop has the goals 0 to {len(self.goals) - 1}")
        number = self.goals[int(index)]
        _, goal = self.find_catalogue(number)
        page = ShopPage(show_attributes=self.show_attrs)
        return ShoppingState(self.agents, number, goal, page, self.max_turns)

    def _draw_goal(self, rng: np.random.Generator) -> int:
        if self.own is None:
            return int(rng.integers(len(self.goals)))
        weights = list(itertools.accumulate(self.own.goals[number].weight for number in self.goals))
        place = bisect.bisect(weights, rng.random() * weights[-1])
        return min(place, len(weights) - 1)

    def read(self, text, view, agent):
        kind, bracket, words = text.strip().partition("[")
        kind, words = kind.strip().lower(), " ".join(words[:-1].lower().split())
        if kind not in ("search", "click") or not bracket or not text.rstrip().endswith("]"):
            got = clip_repr(text) if text else "nothing"
            raise InvalidMove(f"expected search[words] or click[name], got {got}")
        if kind == "search":
            if not words or len(words) > MAX_SEARCH:
                raise InvalidMove(
                    f"a search has 1 to {MAX_SEARCH} characters, this has {len(words)}"
                )
            return ShopAction(kind, words)
        names = {" ".join(name.split()): name for name in view.page.buttons}
        if words not in names:
            shown = ", ".join(view.page.buttons[:_NAMED_BUTTONS])
            raise InvalidMove(
                f"nothing on this page is called {clip_repr(words)}; "
                + (f"click one of: {shown}" if shown else "this page only takes search[words]")
            )
        return ShopAction(kind, names[words])

    def advance(self, state, moves, rng):
        (move,) = moves.values()
        state = replace(state, left=state.left - 1)
        if move is None:
            errors = state.errors + 1
            refused = self.error_tolerance is not None and errors > self.error_tolerance
            return replace(state, errors=errors, refused=refused)
        if move == ShopAction("click", pages.BUY) and state.page.kind == "item":
            return _buy(state)
        return replace(state, page=self._turn_page(state, move))

    def _turn_page(self, state: ShoppingState, move: ShopAction) -> ShopPage:
        """Return the page that an action leads to."""
        page, (kind, name) = state.page, move
        if kind == "search":
            return self._search(state, name, 1)
        if name == pages.BACK:
            return ShopPage(opened=page.opened, show_attributes=page.show_attributes)
        if page.kind == "results":
            by = {pages.NEXT: 1, pages.PREVIOUS: -1}.get(name)
            if by is not None:
                return self._search(state, page.keywords, page.number + by)
            product = next(one for one in page.products if one.asin.lower() == name)
            opened = tuple(dict.fromkeys((*page.opened, product.asin)))
            return replace(page, kind="item", products=(product,), opened=opened, chosen=())
        if name == pages.PREVIOUS:
            if page.kind == "item":
                return self._search(state, page.keywords, page.number)
            return replace(page, kind="item")
        if name in pages.DETAILS:
            return replace(page, kind=name)
        chosen = {**dict(page.chosen), **_find_option(page.product, name)}
        return replace(page, chosen=tuple(chosen.items()))

    def _search(self, state: ShoppingState, words: str, number: int) -> ShopPage:
        found = self.find_catalogue(state.number)[0].search(words)
        products = found[(number - 1) * pages.PAGE_SIZE : number * pages.PAGE_SIZE]
        return replace(
            state.page,
            kind="results",
            keywords=words,
            number=number,
            total=len(found),
            products=tuple(products),
            chosen=(),
        )

    def skip(self, view, agent):
        return None

    def rules(self, agent):
        return (
            "You shop in a web shop. Find the product that the instruction asks for, choose its "
            f"options, and buy it, in at most {self.max_turns} turns. " + self.explain_actions()
        )

    def explain_actions(self) -> str:
        """Return how to act in the shop and what a purchase earns."""
        return (
            "Reply with search[words] to search, or with click[name] to click on a button, the "
            "number of a product, or the value of an option. click[buy now] ends the shopping. You "
            "earn the share of the wanted attributes, options and price limit that your product "
            "meets, times 1 for the right type of product, and less for another type; nothing if "
            "you buy nothing."
        )

    def brief(self, view, agent):
        return f"Instruction: {view.goal.text}" if view.goal is not None else ""

    def describe(self, view, agent):
        notes = self.list_notes(view, agent)
        text = "\n".join((*notes, tell_page(view.page, self.observation_mode)))
        if not view.to_act():
            return text
        actions = ", ".join(("search[words]", *(f"click[{one}]" for one in view.page.buttons)))
        return f"{text}\n\nActions: {actions}\nTurns left: {view.left}"

    def tell(self, before, moves, after):
        return ()

    def picture(self, view, agent):
        return draw_page(view.page, f"Turns left: {view.left}", self.list_notes(view, agent))

    def list_notes(self, view: ShoppingState, agent: str | None) -> tuple[str, ...]:
        """Return what only spectators see beside the page."""
        return (f"Instruction: {view.goal.text}",) if agent is None else ()

    def report(self, state):
        report = {"asin": state.page.product.asin if state.score is not None else None}
        if state.score is not None:
            report |= state.score._asdict()
        return report

    def plan(self, state: ShoppingState, agent: str) -> str:
        """Return the next reply of a buyer who knows the product."""
        goal, page = state.goal, state.page
        if page.kind in ("item", *pages.DETAILS) and page.product.asin == goal.asin:
            if page.kind != "item":
                return f"click[{pages.PREVIOUS}]"
            chosen = [value for _, value in page.chosen]
            buttons = page.buttons  # people who wrote goals may call a value otherwise
            missing = [one for one in goal.options if one in buttons and one not in chosen]
            return f"click[{missing[0] if missing else pages.BUY}]"
        if page.kind == "results" and any(one.asin == goal.asin for one in page.products):
            return f"click[{goal.asin.lower()}]"
        if page.kind == "results" and pages.NEXT in page.buttons:
            return f"click[{pages.NEXT}]"
        return f"search[{goal.title.lower()[:MAX_SEARCH]}]"


def _buy(state: ShoppingState) -> ShoppingState:
    page = state.page
    score = score_purchase(page.product, state.goal, [value for _, value in page.chosen])
    return replace(state, page=replace(page, kind="done", score=score.total), score=score)


def _find_option(product: Product, button: str) -> dict[str, str]:
    """Return the option and value of a button; of several options, the last, as in WebShop."""
    found = [(name, one) for name, values in product.options for one in values]
    return dict([one for one in found if one[1].lower() == button][-1:])


def _split_goals(catalogue: Catalogue, split: str) -> range:
    """Return the numbers of the goals of a split, as WebShop's baselines divide them."""
    count = len(catalogue.goals)
    if split == "test":
        return range(min(500, count // 2))
    return range(min(1500, count // 2), count)
