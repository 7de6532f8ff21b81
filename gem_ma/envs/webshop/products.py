"""Products, what a buyer wants, and the catalogue that contains both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from gem_ma.envs.webshop.ranking import ProductIndex

CATEGORY_MARK = "\u203a"  # between the categories of a product
MAX_RESULTS = 50  # products that a search returns, as in WebShop


class Product(NamedTuple):
    """One product of a shop.

    Attributes:
        query: The search for which it is sold, such as "running shoes"; with `categories`, its
            type.
        options: The values of each option, by the option's name.
        attributes: Its properties in a few words each; pages only describe them.
        figure: The name of its drawing, or "" for a box.
    """

    asin: str
    title: str
    price: float
    price_tag: str
    query: str
    categories: str
    options: tuple[tuple[str, tuple[str, ...]], ...] = ()
    attributes: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    description: str = ""
    rating: str = "N.A."
    reviews: tuple[tuple[str, int, str], ...] = ()  # title, stars, text
    figure: str = ""

    @property
    def search_text(self) -> str:
        """The text that a search looks at: title, description, first feature and options."""
        options = [f"{name}: {', '.join(values)}" for name, values in self.options]
        return " ".join((self.title, self.description, *self.features[:1], *options))


class ShoppingGoal(NamedTuple):
    """What a buyer wants, and the product from which this was made.

    Attributes:
        text: The instruction.
        attributes: The properties that are wanted.
        options: The values of options that are wanted.
        limit: The highest price.
        weight: How often it is drawn, compared with others.
    """

    asin: str
    text: str
    title: str
    query: str
    categories: str
    attributes: tuple[str, ...]
    options: tuple[str, ...]
    limit: float
    weight: float = 1.0


@dataclass(frozen=True, eq=False, slots=True)
class Catalogue:
    """The products of a shop by number, their index, and goals."""

    products: dict[str, Product]
    index: ProductIndex
    goals: tuple[ShoppingGoal, ...]

    def search(self, words: str) -> list[Product]:
        """Return the best products for a search, best first."""
        found = self.index.search(words, MAX_RESULTS)
        products = list(self.products.values())
        return [products[number] for number in found]


def make_goal(
    product: Product, text: str, wanted: tuple[str, ...], options: tuple[str, ...], limit: float
) -> ShoppingGoal:
    """Return the goal to buy a product, or one that meets the same wishes."""
    return ShoppingGoal(
        product.asin,
        text,
        product.title,
        product.query,
        product.categories,
        wanted,
        options,
        limit,
    )
