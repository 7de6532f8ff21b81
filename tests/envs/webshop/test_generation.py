"""Generated catalogues: the same from the same number, and a goal that can be met."""

import packs
import pytest

packs.need("webshop")

from gem_ma.envs.webshop import vocabulary
from gem_ma.envs.webshop.drawings import draw_product
from gem_ma.envs.webshop.generation import OWN_ATTRIBUTES, CatalogueSize, make_catalogue
from gem_ma.envs.webshop.ranking import ProductIndex
from gem_ma.envs.webshop.reward import score_purchase

SIZE = CatalogueSize(60, 2, 2, 2, 0.5)


def test_a_number_decides_a_catalogue():
    make_catalogue.cache_clear()
    one = make_catalogue(3, SIZE)
    make_catalogue.cache_clear()
    other = make_catalogue(3, SIZE)
    assert one is not other
    assert (one.products, one.goals) == (other.products, other.goals)
    assert make_catalogue(4, SIZE).goals != one.goals


def test_sizes_are_kept():
    for size in (SIZE, CatalogueSize(20, 5, 3, 0, 1.0), CatalogueSize(20, 1, 0, 5, 0.0)):
        for number in range(5):
            catalogue = make_catalogue(number, size)
            (goal,) = catalogue.goals
            target = catalogue.products[goal.asin]
            kind = next(one for one in vocabulary.KINDS if one.name == goal.query)
            assert len(catalogue.products) == size.products
            assert len(goal.attributes) == size.attributes
            assert len(goal.options) == min(size.options, len(kind.options))
            assert target.price < goal.limit <= target.price + 30
            words = vocabulary.ATTRIBUTES[kind.attributes]
            for one in goal.attributes:
                said, told = one in goal.text, words[one] in goal.text
                assert said != told
                assert said or size.paraphrased > 0
                assert told or size.paraphrased < 1
            assert all(f": {one}" in goal.text for one in goal.options)


def test_texts_name_the_attributes_of_a_product_and_no_others():
    names = [name for words in vocabulary.ATTRIBUTES.values() for name in words]
    for number in range(5):
        for product in make_catalogue(number, SIZE).products.values():
            texts = " ".join((product.title, *product.features, product.description)).lower()
            assert {one for one in names if one in texts} == set(product.attributes)
            assert len(product.attributes) == OWN_ATTRIBUTES
            assert sum(one in product.title for one in product.attributes) == SIZE.titled


def test_shops_have_products_that_nearly_fit():
    near = 0
    for number in range(10):
        catalogue = make_catalogue(number, SIZE)
        (goal,) = catalogue.goals
        for product in catalogue.products.values():
            score = score_purchase(product, goal, goal.options)
            near += product.asin != goal.asin and 0.5 <= score.total < 1
    assert near >= 50


def test_every_kind_has_a_drawing():
    box = draw_product("", "red")
    for kind in vocabulary.KINDS:
        drawing = draw_product(kind.figure, "red")
        assert (drawing == box) == (kind.figure == "box")
        assert any(color == "red" for color, _ in drawing.areas)
    assert len({color for color, _ in draw_product("shirt", "black").areas}) == 2


def test_the_search_ranks_as_the_search_tool():
    pytest.importorskip("bm25s", reason="pip install 'gem-ma[tools]'")
    from gem_ma.tools import SearchIndex

    catalogue = make_catalogue(5, SIZE)
    rows = [{"text": one.search_text, "title": one.asin} for one in catalogue.products.values()]
    index = SearchIndex.build([{"text": row["text"]} for row in rows], words=10_000)
    asins = {row["text"]: row["title"] for row in rows}
    for query in (catalogue.goals[0].text, "red herbal tea", "plug and play plug", "zzz"):
        hits = [(asins[hit.text], hit.score) for hit in index.search(query, 50)]
        found = [one.asin for one in catalogue.search(query)]
        assert len(found) == len(hits)
        scores = dict(hits)
        assert [scores[one] for one in found] == pytest.approx([score for _, score in hits])


def test_ties_keep_the_order_of_the_shelf():
    index = ProductIndex(["red mug", "blue mug", "red mug", ""])
    assert index.search("RED, mug", 3) == [0, 2, 1]
    assert index.search("mug", 2) == [0, 1]
    assert index.search("cup", 3) == ProductIndex([]).search("cup", 3) == []
