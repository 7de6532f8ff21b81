"""Generated catalogues: products, and the wish of a buyer, all from one number."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from gem_ma.envs.webshop import vocabulary
from gem_ma.envs.webshop.products import CATEGORY_MARK, Catalogue, Product, ShoppingGoal, make_goal
from gem_ma.envs.webshop.ranking import ProductIndex
from gem_ma.envs.webshop.vocabulary import ProductKind

_BRANDS = tuple(vocabulary.BRANDS.split())
OWN_ATTRIBUTES = 5  # of each product
_LETTERS = "0123456789BCDFGHJKLMNPQRSTVWXZ"
_SIMILAR = 0.3  # the share of products that are of the kind that is wanted


class CatalogueSize(NamedTuple):
    """How large a generated catalogue is, and how hard its wish.

    Attributes:
        products: The number of products.
        attributes: The number of attributes that are wanted.
        options: The largest number of options that are wanted.
        titled: The number of a product's attributes that its title names.
        paraphrased: The share of wanted attributes that are said in other words.
    """

    products: int
    attributes: int
    options: int
    titled: int
    paraphrased: float


@functools.lru_cache(maxsize=64)
def make_catalogue(number: int, size: CatalogueSize) -> Catalogue:
    """Return the catalogue with a number, with one goal."""
    rng = np.random.Generator(np.random.PCG64(number))
    kinds = [vocabulary.KINDS[int(i)] for i in rng.permutation(len(vocabulary.KINDS))]
    similar = max(2, round(size.products * _SIMILAR))
    products: dict[str, Product] = {}
    while len(products) < size.products:
        kind = kinds[0] if len(products) < similar else kinds[int(rng.integers(1, len(kinds)))]
        product = _make_product(rng, kind, size)
        products.setdefault(product.asin, product)
    goal = _draw_goal(rng, next(iter(products.values())), kinds[0], size)
    order = rng.permutation(size.products)
    listed = list(products.values())
    products = {listed[int(i)].asin: listed[int(i)] for i in order}
    index = ProductIndex(one.search_text for one in products.values())
    return Catalogue(products, index, (goal,))


def _pick(rng: np.random.Generator, values: tuple[str, ...]) -> str:
    return values[int(rng.integers(len(values)))]


def _sample(rng: np.random.Generator, values: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Return some of the values in their order."""
    places = sorted(map(int, rng.permutation(len(values))[:count]))
    return tuple([values[place] for place in places])


def _make_product(rng: np.random.Generator, kind: ProductKind, size: CatalogueSize) -> Product:
    asin = "B0" + "".join(_LETTERS[int(i)] for i in rng.integers(len(_LETTERS), size=8))
    brand, series = _pick(rng, _BRANDS), _pick(rng, vocabulary.SERIES)
    audience, place = _pick(rng, vocabulary.AUDIENCES), _pick(rng, vocabulary.PLACES)
    pool = tuple(vocabulary.ATTRIBUTES[kind.attributes])
    attributes = [pool[int(i)] for i in rng.permutation(len(pool))[:OWN_ATTRIBUTES]]
    titled, rest = attributes[: size.titled], attributes[size.titled :]
    title = ", ".join((f"{brand} {series} {kind.name} for {audience}", *titled))

    featured = rest[: (len(rest) + 1) // 2]
    features = [_pick(rng, vocabulary.FEATURE_LINES).format(one) for one in featured]
    features += _sample(rng, vocabulary.PLAIN_FEATURES, 2)
    sentences = [_pick(rng, vocabulary.DESCRIPTIONS).format(
        series=series, kind=kind.name, brand=brand, place=place, audience=audience)]  # fmt: skip
    for one in rest[len(featured) :]:
        sentences.append(_pick(rng, vocabulary.DESCRIBED_ATTRIBUTES).format(one))

    options = []
    for name in kind.options:
        values = vocabulary.OPTIONS[name]
        options.append((name, _sample(rng, values, int(rng.integers(2, min(5, len(values)) + 1)))))
    low, high = kind.prices
    price = int(rng.integers(low * 100, high * 100)) / 100
    reviews = [vocabulary.REVIEWS[int(i)] for i in rng.permutation(len(vocabulary.REVIEWS))[:2]]
    return Product(
        asin,
        title,
        price,
        f"${price:.2f}",
        kind.name,
        f" {CATEGORY_MARK} ".join(kind.path),
        tuple(options),
        tuple(attributes),
        tuple([one[0].upper() + one[1:] for one in features]),
        " ".join(sentences),
        f"{rng.integers(25, 50) / 10}",
        tuple(reviews),
        kind.figure,
    )


def _draw_goal(
    rng: np.random.Generator, product: Product, kind: ProductKind, size: CatalogueSize
) -> ShoppingGoal:
    """Return a wish that this product meets in all points."""
    wanted = _sample(rng, product.attributes, size.attributes)
    names = _sample(rng, tuple(name for name, _ in product.options), size.options)
    chosen = {name: _pick(rng, values) for name, values in product.options if name in names}
    tens = int(product.price // 10) + 1
    limit = 10.0 * (tens + int(rng.integers(0, 3)))

    words = vocabulary.ATTRIBUTES[kind.attributes]
    said = [one for one in wanted if rng.random() >= size.paraphrased]
    other = [words[one] for one in wanted if one not in said]
    thing = " ".join((", ".join(said), kind.name)).strip()
    thing += f" that {' and '.join(other)}" if other else ""
    text = _pick(rng, vocabulary.REQUESTS).format(thing=thing)
    text += f", with {', and '.join(f'{a}: {b}' for a, b in chosen.items())}" if chosen else ""
    text += f", and price lower than {limit:.2f} dollars"
    return make_goal(product, text, wanted, tuple(chosen.values()), limit)
