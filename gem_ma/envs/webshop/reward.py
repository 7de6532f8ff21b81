"""GEM's reward of WebShop: type, attributes, options and price of what was bought."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from gem_ma.envs.webshop.products import CATEGORY_MARK, Product, ShoppingGoal

MATCHING_RATIO = 85  # two texts mean the same if they are more alike than this, of 100

# WebShop compares options by the first of these colours that they contain.
_COLORS = (
    "alabaster apricot aqua ash asphalt azure banana beige black blue blush bordeaux bronze "
    "brown burgundy camel camo caramel champagne charcoal cheetah chestnut chocolate christmas "
    "coffee cognac copper coral cranberry cream crystal dark denim eggplant elephant espresso "
    "fuchsia gold granite grape graphite grass gray green grey heather indigo ivory ivy khaki "
    "lavender lemon leopard light lilac lime magenta maroon mauve merlot midnight mint mocha "
    "multicolor mushroom mustard natural navy nude olive orange peach pewter pink plum purple "
    "rainbow red rose royal rust sand sapphire seashell silver skull slate steel stone "
    "stonewash sunflower tan taupe teal tiger turquoise violet walnut wheat white wine yellow"
)
# Words of a title that are not the name of a thing.
_NO_NOUNS = (
    "a an the and or nor but for from with without of in on at by to into over under up as per "
    "is are be it its this that these those your you our we all any each more most very not no "
    "new best great good easy free extra super ultra big small large mini long short high low "
    "slim soft hard light heavy wide thin thick fast strong natural organic"
)
_OTHER_WORDS = frozenset(_NO_NOUNS.split())
_WORD = re.compile(r"[^\W\d_]{2,}")
_TOKEN = re.compile(r"[^\W_]+")


class PurchaseScore(NamedTuple):
    """The parts of a reward.

    Attributes:
        type: How far the product is of the right type: 1, 0.5, 0.1 or 0.
        attributes: The number of wanted attributes that it has.
        options: The number of wanted options that were chosen.
        price: Whether its price is within the limit.
        total: The reward from 0 to 1.
    """

    type: float
    attributes: int
    options: int
    price: bool
    total: float


def score_purchase(product: Product, goal: ShoppingGoal, chosen: Iterable[str]) -> PurchaseScore:
    """Return the reward for a product that was bought with these values of its options."""
    attributes = sum(_has_attribute(product, one) for one in goal.attributes)
    options = _count_options(goal.options, chosen)
    price = product.price <= goal.limit
    wanted = len(goal.attributes) + len(goal.options) + 1
    type = _score_type(product, goal)
    return PurchaseScore(
        type, attributes, options, price, type * (attributes + options + price) / wanted
    )


def _has_attribute(product: Product, attribute: str) -> bool:
    """Return whether an attribute is listed for a product, or stands in its texts."""
    if any(compute_token_ratio(own, attribute) > MATCHING_RATIO for own in product.attributes):
        return True
    texts = product.title, " ".join(product.features), product.description
    return any(attribute in text.lower() for text in texts)


def _count_options(wanted: Iterable[str], chosen: Iterable[str]) -> int:
    values = [normalize_option(one) for one in chosen]
    return sum(
        any(compute_token_ratio(value, normalize_option(one)) > MATCHING_RATIO for value in values)
        for one in wanted
    )


def normalize_option(value: str) -> str:
    """Return the first colour that an option's value contains, or else the value."""
    return next((color for color in _COLORS.split() if color in value), value)


def _score_type(product: Product, goal: ShoppingGoal) -> float:
    """Return 1 for the right type; less if search, categories and title have little in common."""
    own, wanted = find_nouns(product.title), find_nouns(goal.title)
    title = len(set(own) & set(wanted)) / len(wanted) if wanted else 0.2
    if title == 0:
        return 0.0
    if title < 0.1:
        return 0.1
    shared = _split_categories(product.categories) & _split_categories(goal.categories)
    return 1.0 if product.query == goal.query or len(shared) >= 2 or title > 0.2 else 0.5


def _split_categories(categories: str) -> set[str]:
    return {one.strip() for one in categories.split(CATEGORY_MARK)}


def find_nouns(title: str) -> list[str]:
    """Return the words of a title that may be nouns; WebShop asks a language model for them."""
    return [word for word in _WORD.findall(title.lower()) if word not in _OTHER_WORDS]


def compute_token_ratio(one: str, other: str) -> int:
    """Return how alike two texts are, from 0 to 100, by their words in any order.

    It is 100 if all words of one text are in the other.
    """
    first, second = (set(_TOKEN.findall(text.lower())) for text in (one, other))
    if not first or not second:
        return 0
    shared = " ".join(sorted(first & second))
    rest = [" ".join(sorted(words)) for words in (first - second, second - first)]
    if shared and not all(rest):
        return 100
    if not shared:
        return round(_compute_ratio(*rest))
    whole = [f"{shared} {words}" for words in rest]
    return round(max(_compute_ratio(shared, whole[0]), _compute_ratio(shared, whole[1]),
                     _compute_ratio(*whole)))  # fmt: skip


def _compute_ratio(one: str, other: str) -> float:
    """Return the share of letters in a longest common subsequence, from 0 to 100."""
    return 200 * _count_common(one, other) / (len(one) + len(other))


def _count_common(one: str, other: str) -> int:
    """Return the length of the longest common subsequence, one bit for each letter of `one`."""
    places: dict[str, int] = {}
    for number, letter in enumerate(one):
        places[letter] = places.get(letter, 0) | 1 << number
    full = (1 << len(one)) - 1
    row = full
    for letter in other:
        hits = row & places.get(letter, 0)
        row = (row + hits | row - hits) & full
    return len(one) - row.bit_count()
