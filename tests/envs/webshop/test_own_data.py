"""WebShop's own files, in the form of its items_shuffle, items_ins_v2 and items_human_ins.

The files here are written for the tests, with the names and types that WebShop's loader of
2024-02 reads (web_agent_site/engine/engine.py of princeton-nlp/WebShop).
"""

import json
import random

import numpy as np
import packs
import pytest

packs.need("webshop")

import gem_ma
from gem_ma.envs.webshop.own_data import ShopDataMissing, load_catalogue


def make_row(number, **more):
    return {
        "asin": f"B0{number:08d}",
        "name": f"Brand{number} Cotton T-Shirt for Men",
        "query": "T Shirts ",
        "category": "fashion",
        "product_category": "Clothing \u203a Men \u203a Shirts",
        "full_description": f"A shirt with number {number}.",
        "small_description": ["Machine washable", "Long sleeve"],
        "pricing": "$12.50",
        "customization_options": {
            "Color": [{"value": " Red/White ", "image": None}, {"value": "Blue"}],
            "Size": [{"value": "Small"}, {"value": "X-Large"}],
            "Fit": None,
        },
        "images": ["https://m.media-amazon.com/images/I/1.jpg"],
        **more,
    }


ROWS = [
    make_row(1),
    make_row(2, pricing="$10.00$19.99", small_description="One line"),
    make_row(3, pricing=None, customization_options={}),
    make_row(3, name="The same number again"),
    make_row(4, asin="B0123456789", name="A number that is too long"),
    make_row(5, asin="nan"),
]
INSTRUCTIONS = {
    "B000000001": {
        "attributes": ["machine washable", "long sleeve"],
        "instruction": "Find me machine washable shirts",
        "instruction_attributes": ["machine washable"],
    },
    "B000000002": {"attributes": ["long sleeve"]},
    "B000000003": {
        "attributes": ["cotton"],
        "instruction": "Find me cotton shirts",
        "instruction_attributes": ["cotton"],
    },
}
HUMAN = {
    "B000000002": [
        {
            "instruction": "i want a long sleeve shirt in blue.",
            "instruction_attributes": ["long sleeve"],
            "instruction_options": ["blue"],
        },
        {"instruction": "anything", "instruction_attributes": [], "instruction_options": []},
    ],
    "B000000003": [
        {
            "instruction": "i want a cotton shirt",
            "instruction_attributes": ["cotton"],
            "instruction_options": {},
        }
    ],
}


@pytest.fixture
def write(tmp_path):
    def write(rows=ROWS, instructions=INSTRUCTIONS, human=None, suffix="_1000"):
        (tmp_path / f"items_shuffle{suffix}.json").write_text(json.dumps(rows))
        (tmp_path / f"items_ins_v2{suffix}.json").write_text(json.dumps(instructions))
        if human is not None:
            (tmp_path / "items_human_ins.json").write_text(json.dumps(human))
        return tmp_path

    return write


def test_products_are_read(write):
    catalogue = load_catalogue(write())
    assert list(catalogue.products) == ["B000000001", "B000000002", "B000000003"]
    one, two, three = catalogue.products.values()
    assert (one.price, one.price_tag, one.query) == (12.5, "$12.5", "t shirts")
    assert one.options == (("color", ("red | white", "blue")), ("size", ("small", "x-large")))
    assert one.attributes == ("machine washable", "long sleeve")
    assert one.features == ("Machine washable", "Long sleeve")
    assert 10 <= two.price <= 19.99
    assert two.price_tag == "$10.0 to $19.99"
    assert two.features == ("One line",)
    assert (three.price, three.options) == (100.0, ())
    assert catalogue.search("number 3")[0].asin == "B000000003"


def test_goals_are_made_from_attributes(write):
    goals = load_catalogue(write()).goals
    assert len(goals) == 5  # four combinations of options, and a product without any
    texts = {one.text.partition(", and price")[0] for one in goals}
    assert "Find me machine washable shirts with color: blue, and size: small" in texts
    (last,) = (one for one in goals if one.asin == "B000000003")
    assert (last.options, last.weight) == ((), 1.0)
    others = [one for one in goals if one is not last]
    assert all(one.weight == 0.25 for one in others)
    assert len({one.limit for one in others}) == 1
    assert 20 < others[0].limit <= 50


def test_goals_stand_in_the_order_of_webshop(write):
    rows = [make_row(number, customization_options={}) for number in range(1, 30)]
    words = INSTRUCTIONS["B000000003"]
    goals = load_catalogue(write(rows, {row["asin"]: words for row in rows})).goals
    expected = [row["asin"] for row in rows]
    random.Random(233).shuffle(expected)
    assert [one.asin for one in goals] == expected


def test_splits_are_those_of_webshop(write):
    rows = [make_row(number, customization_options={}) for number in range(1, 3101)]
    words = INSTRUCTIONS["B000000003"]
    folder = str(write(rows, {row["asin"]: words for row in rows}))
    goals = [
        gem_ma.make(f"webshop:{one}-text", data=folder).game.goals for one in ("test", "train")
    ]
    assert goals == [range(500), range(1500, 3100)]


def test_goals_of_people_come_first(write):
    goals = load_catalogue(write(human=HUMAN)).goals
    assert {one.text.partition(", and price")[0] for one in goals} == {
        "i want a long sleeve shirt in blue",
        "i want a cotton shirt",
    }
    assert sorted(one.options for one in goals) == [(), ("blue",)]


def test_an_oracle_skips_values_that_are_called_otherwise(write):
    navy = {**HUMAN["B000000002"][0], "instruction_options": ["navy"]}
    human = {"B000000001": [navy], "B000000003": HUMAN["B000000003"]}
    folder = str(write(human=human))
    returns = {}
    for split in ("train", "test"):  # one goal each
        env = gem_ma.make(f"webshop:{split}-text", data=folder)
        (episode,) = gem_ma.rollout(env, "shop-oracle", 1, seed=0)
        (number,) = env.game.goals
        returns[env.game.own.goals[number].options] = episode.returns["player"]
    assert returns == {("navy",): pytest.approx(2 / 3), (): 1}


def test_a_shop_of_own_data_is_played(write, monkeypatch):
    folder = write()
    monkeypatch.setenv("WEBSHOP_DATA", str(folder))
    env = gem_ma.make("webshop:test-text", data="$WEBSHOP_DATA")
    game = env.game
    assert list(game.goals) == [0, 1]
    assert list(gem_ma.make("webshop:train-text", data=str(folder)).game.goals) == [2, 3, 4]
    for episode in gem_ma.rollout(env, "shop-oracle", 4, seed=0):
        assert episode.returns["player"] == 1
    env.reset(seed=0, options={"index": 1})
    assert env.game_state.goal == game.own.goals[1]
    with pytest.raises(ValueError, match="this shop has the goals 0 to 1"):
        env.reset(seed=0, options={"index": 2})
    env.reset(seed=1)
    env.step("search[number 1]")
    assert "$12.5" in env.turn("player").text


def test_goals_are_drawn_by_weight(write):
    game = gem_ma.make("webshop:train-text", data=str(write())).game
    drawn = [game.start(np.random.default_rng(seed), {}).number for seed in range(400)]
    weights = [game.own.goals[number].weight for number in game.goals]
    for number, weight in zip(game.goals, weights, strict=True):
        assert drawn.count(number) / 400 == pytest.approx(weight / sum(weights), abs=0.08)


def test_the_larger_file_is_named(write):
    folder = write(suffix="")
    write(rows=ROWS[:1])
    assert len(load_catalogue(folder / "items_shuffle.json").products) == 3
    assert len(load_catalogue(folder).products) == 1


def test_what_is_wrong_with_files_is_said(write, tmp_path, monkeypatch):
    monkeypatch.delenv("WEBSHOP_DATA", raising=False)
    (tmp_path / "no").mkdir()
    (tmp_path / "a.json").write_text("[]")
    for data, words in (
        ("$WEBSHOP_DATA", "WEBSHOP_DATA is not set"),
        ("$HOME", r"\$HOME cannot be read|\$HOME: expected a file"),
        (tmp_path / "no", "contains neither items_shuffle_1000.json nor"),
        (tmp_path / "items_shuffle_9.json", "cannot be read"),
        (tmp_path / "a.json", "expected a file whose name begins with items_shuffle"),
    ):
        with pytest.raises(ShopDataMissing, match=words):
            load_catalogue(data)
    with pytest.raises(TypeError, match="data=3: expected the path"):
        load_catalogue(3)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"rows": {}}, "expected a JSON list, got a dict"),
        ({"instructions": []}, "expected a JSON dict, got a list"),
        ({"rows": [{"asin": "B1"}]}, "is not as in WebShop .KeyError"),
        ({"rows": [3]}, "is not as in WebShop .TypeError"),
        ({"instructions": {}}, "its products have 0 goals"),
        ({"human": {"B000000001": [{}]}}, "is not as in WebShop .KeyError"),
    ],
)
def test_damaged_files_are_named(write, files, words):
    with pytest.raises(ShopDataMissing, match=words):
        load_catalogue(write(**files))
