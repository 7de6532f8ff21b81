"""The reward of the shop against a second source, written by hand from the paper of WebShop.

Yao et al. 2022, section 3.2: r = r_type * (|attributes found| + |options chosen| + [price is met])
/ (|attributes| + |options| + 1). The comparison of texts is GEM's, by thefuzz 0.22 (2026-11).
"""

import difflib
import importlib.util
import random

import packs
import pytest

packs.need("webshop")

from gem_ma.envs.webshop import vocabulary
from gem_ma.envs.webshop.generation import CatalogueSize, make_catalogue
from gem_ma.envs.webshop.products import CATEGORY_MARK, Product, ShoppingGoal
from gem_ma.envs.webshop.reward import (
    MATCHING_RATIO,
    compute_token_ratio,
    find_nouns,
    normalize_option,
    score_purchase,
)

SHIRT = Product(
    "B0AAAAAAAA", "Kestrow Nova t shirt for men, quick drying", 24.5, "$24.5", "t shirt",
    f"Clothing {CATEGORY_MARK} Outdoor Wear {CATEGORY_MARK} Shirts",
    (("color", ("red", "navy blue")), ("size", ("m", "l"))),
    ("quick drying", "wrinkle free"), ("Made of Organic Cotton, as you like it",), "Never iron it.",
)  # fmt: skip
GOAL = ShoppingGoal(
    "B0AAAAAAAA", "i need a t shirt", SHIRT.title, "t shirt", SHIRT.categories,
    ("quick drying", "made of organic cotton"), ("red", "m"), 30.0,
)  # fmt: skip


def score_by_hand(product, goal, chosen):
    """Return the paper's reward for products whose texts are equal or share no word."""
    texts = " ".join((product.title, *product.features, product.description)).lower()
    found = sum(one in product.attributes or one in texts for one in goal.attributes)
    met = len(set(goal.options) & set(chosen))
    price = 1 if product.price <= goal.limit else 0
    own, wanted = (set(find_nouns(one.title)) for one in (product, goal))
    share = len(own & wanted) / len(wanted)
    same = product.query == goal.query or share > 0.2
    own, wanted = (set(one.categories.split(f" {CATEGORY_MARK} ")) for one in (product, goal))
    same = same or len(own & wanted) > 1
    kind = 0 if share == 0 else 0.1 if share < 0.1 else 1 if same else 0.5
    return kind * (found + met + price) / (len(goal.attributes) + len(goal.options) + 1)


@pytest.mark.parametrize(
    ("change", "chosen", "expected"),
    [
        ({}, ("red", "m"), 5 / 5),
        ({}, ("red",), 4 / 5),
        ({}, (), 3 / 5),
        ({}, ("m", "navy blue"), 4 / 5),
        ({"price": 30.01}, ("red", "m"), 4 / 5),
        ({"price": 30.0}, ("red", "m"), 5 / 5),
        ({"attributes": (), "title": "Kestrow Nova t shirt"}, ("red", "m"), 4 / 5),
        ({"features": ()}, ("red", "m"), 4 / 5),
        ({"query": "x", "categories": "x"}, ("red", "m"), 1),  # the title says it
        ({"query": "x", "categories": "x", "title": "Nova mug"}, ("red", "m"), 0.5),
        ({"query": "x", "title": "Nova mug"}, ("red", "m"), 1),  # the categories say it
        ({"title": "Blue mug"}, ("red", "m"), 0),  # no word in common
    ],
)
def test_parts_of_a_reward(change, chosen, expected):
    product = SHIRT._replace(**change)
    assert score_purchase(product, GOAL, chosen).total == pytest.approx(expected)
    assert score_by_hand(product, GOAL, chosen) == pytest.approx(expected)


def test_a_title_with_few_words_in_common_earns_a_tenth():
    many = " ".join(f"word{letter * 3}" for letter in "abcdefghijk")
    goal = GOAL._replace(title=f"{many} shirt")
    product = SHIRT._replace(title="shirt")
    assert score_purchase(product, goal, ("red", "m")).total == pytest.approx(0.1)
    assert score_by_hand(product, goal, ("red", "m")) == pytest.approx(0.1)
    assert score_purchase(SHIRT, GOAL._replace(title="for the 3"), ("red", "m")).type == 1


def test_purchases_of_generated_shops_earn_what_the_paper_says():
    rng, totals = random.Random(0), set()
    for number in range(20):
        catalogue = make_catalogue(number, CatalogueSize(30, 3, 2, 1, 0.5))
        (goal,) = catalogue.goals
        for product in catalogue.products.values():
            chosen = [rng.choice(values) for _, values in product.options]
            score = score_purchase(product, goal, chosen).total
            assert score == pytest.approx(score_by_hand(product, goal, chosen))
            totals.add(round(score, 3))
        assert score_purchase(catalogue.products[goal.asin], goal, goal.options).total == 1
    assert len(totals) >= 8


def test_options_are_compared_by_their_first_colour():
    assert normalize_option("dark navy") == "dark"
    assert normalize_option("navy blue") == "blue"  # the first of the list, not of the text
    assert normalize_option("x-large") == "x-large"
    assert score_purchase(SHIRT, GOAL._replace(options=("blue",)), ("navy blue",)).options == 1


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("long sleeve", "sleeve, long!", 100),
        ("sleeve", "long sleeve", 100),  # all words of one are in the other
        ("large", "x-large", 100),
        ("long sleeve", "long sleeves", 96),
        ("red", "", 0),
        ("-", "red", 0),
        ("us", "eu", 50),
    ],
)
def test_how_alike_texts_are(one, other, expected):
    assert compute_token_ratio(one, other) == compute_token_ratio(other, one) == expected


def test_texts_are_compared_as_by_thefuzz():
    if importlib.util.find_spec("thefuzz") is None:
        pytest.skip("pip install thefuzz")
    from thefuzz import fuzz

    words = "a ab red blue x-large large 10 10.5 cotton long sleeves sleeve Ünï (new) pack"
    words = words.split()
    rng = random.Random(1)
    for _ in range(2000):
        one, other = (" ".join(rng.choices(words, k=rng.randint(0, 4))) for _ in range(2))
        expected = fuzz.token_set_ratio(one, other, force_ascii=False)
        assert compute_token_ratio(one, other) == expected, (one, other)


def test_a_common_subsequence_is_at_least_what_matching_blocks_find():
    rng = random.Random(2)
    for _ in range(100):
        one, other = ("".join(rng.choices("abc", k=rng.randint(1, 9))) for _ in range(2))
        if one == other:
            continue
        blocks = difflib.SequenceMatcher(None, one, other, False).ratio() * 100
        assert round(blocks) <= compute_token_ratio(one, other) < 100


def test_generated_words_are_not_taken_for_each_other():
    values = [one for values in vocabulary.OPTIONS.values() for one in values]
    _check_distinct([normalize_option(one) for one in values])
    _check_distinct([one for words in vocabulary.ATTRIBUTES.values() for one in words])
    for words in vocabulary.ATTRIBUTES.values():
        assert not any(one in said for one in words for said in words.values())


def _check_distinct(names):
    for number, one in enumerate(names):
        for other in names[:number]:
            assert compute_token_ratio(one, other) <= MATCHING_RATIO, (one, other)
