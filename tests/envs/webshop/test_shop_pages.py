"""The pages of the shop, and what a reply does on them."""

import html.parser
from dataclasses import replace

import numpy as np
import packs
import pytest

packs.need("webshop")

from gem_ma.envs.webshop.game import WebShop
from gem_ma.envs.webshop.pages import SEPARATOR, tell_page
from gem_ma.game import InvalidMove
from gem_ma.renderers import draw

SEAT = "player"


def begin(seed=0, **arguments):
    game = WebShop(**{"products": 40, **arguments})
    return game, game.start(np.random.default_rng(seed), {})


def follow(game, state, *replies):
    for text in replies:
        move = game.read(text, state.seen_by(SEAT), SEAT)
        state = game.advance(state, {SEAT: move}, np.random.default_rng(0))
    return state


def open_target(game, state):
    return follow(game, state, f"search[{state.goal.title}]", f"click[{state.goal.asin}]")


def test_a_purchase_ends_the_episode():
    game, state = begin()
    state = open_target(game, state)
    for value in state.goal.options:
        state = follow(game, state, f"click[{value.upper()}]")
    assert {value for _, value in state.page.chosen} == set(state.goal.options)
    state = follow(game, state, "Click[Buy  Now]")
    assert state.to_act() == ()
    assert state.returns() == {SEAT: 1.0}
    report = game.report(state)
    assert (report["asin"], report["total"]) == (state.goal.asin, 1.0)
    assert "Your score (0 to 1): 1.00" in game.describe(state, None)


def test_a_search_for_a_button_is_a_search():
    game, state = begin()
    state = follow(game, open_target(game, state), "search[buy now]")
    assert (state.page.kind, state.score) == ("results", None)


def test_pages_of_results():
    game, state = begin()
    state = follow(game, state, "search[the for]")
    found = game.find_catalogue(state.number)[0].search("the for")
    assert len(found) == 40
    assert state.page.total == 40
    assert "< prev" not in state.page.buttons
    seen = list(state.page.products)
    for number in (2, 3, 4):
        state = follow(game, state, "click[next >]")
        assert state.page.number == number
        assert "< prev" in state.page.buttons
        seen += state.page.products
    assert seen == found
    assert "next >" not in state.page.buttons
    state = follow(game, state, "click[< prev]", f"click[{found[25].asin}]")
    assert state.page.product == found[25]
    state = follow(game, state, "click[< prev]")
    assert (state.page.kind, state.page.number) == ("results", 3)
    state = follow(game, state, "click[back to search]")
    assert state.page.buttons == ()
    state = follow(game, state, "search[nothingofthekind]")
    assert (state.page.total, state.page.buttons) == (0, ("back to search",))


def test_pages_of_a_product():
    game, state = begin(show_attrs=True)
    state = open_target(game, state)
    product = state.page.product
    (name, values), *_ = product.options
    state = follow(game, state, f"click[{values[0]}]", f"click[{values[1]}]")
    assert dict(state.page.chosen)[name] == values[1]
    texts = {
        "description": [product.description],
        "features": product.features,
        "reviews": [text for _, _, text in product.reviews],
        "attributes": product.attributes,
    }
    for button, lines in texts.items():
        state = follow(game, state, f"click[{button}]")
        shown = game.describe(state.seen_by(SEAT), SEAT)
        assert all(line in shown for line in lines)
        assert "buy now" not in state.page.buttons
        state = follow(game, state, "click[< prev]")
        assert state.page.kind == "item"
        assert dict(state.page.chosen)[name] == values[1]


def test_a_value_of_two_options_belongs_to_the_last():
    game, state = begin()
    state = open_target(game, state)
    product = state.page.product._replace(options=(("top", ("s", "m")), ("legs", ("m", "l"))))
    state = replace(state, page=replace(state.page, products=(product,)))
    assert state.page.buttons.count("m") == 1
    assert follow(game, state, "click[m]").page.chosen == (("legs", "m"),)


@pytest.mark.parametrize(
    ("text", "notice"),
    [
        ("", "expected search\\[words\\] or click\\[name\\], got nothing"),
        ("buy it", "expected search"),
        ("search[shoes", "expected search"),
        ("look[shoes]", "expected search"),
        ("[shoes]", "expected search"),
        ("search[]", "a search has 1 to 300 characters, this has 0"),
        (f"search[{'x' * 301}]", "this has 301"),
        ("click[buy now]", "nothing on this page is called 'buy now'; this page only takes search"),
        ("click[search]", "this page only takes search"),
    ],
)
def test_other_replies_are_invalid(text, notice):
    game, state = begin()
    with pytest.raises(InvalidMove, match=notice):
        game.read(text, state.seen_by(SEAT), SEAT)


def test_a_notice_names_the_buttons():
    game, state = begin()
    state = follow(game, state, "search[the]")
    with pytest.raises(InvalidMove, match="click one of: back to search, next >, b0"):
        game.read("click[red]", state.seen_by(SEAT), SEAT)


def test_turns_and_errors_end_an_episode():
    game, state = begin(max_turns=2)
    state = follow(game, state, "search[a]", "search[a]")
    assert (state.to_act(), state.truncated, state.returns()) == ((), True, {SEAT: 0.0})
    game, state = begin(error_tolerance=1)
    for count, over in ((1, False), (2, True)):
        state = game.advance(state, {SEAT: None}, np.random.default_rng(0))
        assert (state.errors, state.to_act() == (), state.truncated) == (count, over, False)


def test_a_buyer_sees_the_instruction_and_the_page_alone():
    game, state = begin()
    state = open_target(game, state)
    view = state.seen_by(SEAT)
    assert view.goal.text == state.goal.text
    assert view.number is None
    assert not any((view.goal.asin, view.goal.attributes, view.goal.title, view.goal.limit))
    assert not view.page.product.attributes
    assert begin(show_attrs=True)[1].page.show_attributes


def test_splits_have_no_shop_in_common():
    shops = []
    for split in ("train", "test"):
        game = WebShop(products=10, split=split)
        states = [game.start(np.random.default_rng(0), {"index": n}) for n in range(20)]
        shops.append({state.goal for state in states})
    assert len(shops[0] | shops[1]) == 40
    with pytest.raises(ValueError, match="index=-1: this shop has the goals 0 to"):
        game.start(np.random.default_rng(0), {"index": -1})
    with pytest.raises(TypeError, match="index='3': expected an int"):
        game.start(np.random.default_rng(0), {"index": "3"})


@pytest.mark.parametrize(
    ("arguments", "notice"),
    [
        ({"products": 1}, "products=1: expected a number from 2 to"),
        ({"attributes": 6}, "attributes=6: expected a number from 1 to 5"),
        ({"titled": 1.5}, "titled=1.5: expected a number from 0 to 5"),
        ({"split": "dev"}, "split='dev': expected one of"),
        ({"observation_mode": "url"}, "observation_mode='url': expected one of"),
        ({"error_tolerance": -1}, "error_tolerance=-1"),
    ],
)
def test_wrong_arguments_are_refused(arguments, notice):
    with pytest.raises(ValueError, match=notice):
        WebShop(**arguments)


class _Reader(html.parser.HTMLParser):
    """Collects what a browser would show, and what can be clicked."""

    def __init__(self):
        super().__init__()
        self.texts, self.buttons, self.tags = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if dict(attrs).get("class") in ("btn", "product-link") or tag == "input":
            self.buttons.append(dict(attrs).get("value"))

    def handle_data(self, data):
        if data.strip():
            self.texts.append(data.strip())


def test_all_modes_tell_the_same():
    told = {}
    for mode in ("text", "text_rich", "html"):
        game, state = begin(observation_mode=mode)
        results = follow(game, state, f"search[{state.goal.title}]")
        item = follow(game, results, f"click[{results.page.products[0].asin}]")
        value = item.page.product.options[0][1][0]
        for state in (results, follow(game, item, f"click[{value}]")):
            shown = game.describe(state.seen_by(SEAT), SEAT)
            page, _, actions = shown.partition("\n\nActions: ")
            assert actions.startswith("search[words], click[back to search]")
            told.setdefault(mode, []).append(page)
    for number in range(2):
        lines = told["text"][number].split(SEPARATOR)
        reader = _Reader()
        reader.feed(told["html"][number])
        assert reader.texts == lines
        rich = told["text_rich"][number]
        assert all(line in rich for line in lines)
        assert len(reader.buttons) == rich.count("button_]")
    assert f"[clicked button] {value} [clicked button_]" in told["text_rich"][1]
    assert told["text_rich"][1].startswith(f"You have clicked {value}.")
    assert "checked" in told["html"][1]


def test_html_is_escaped():
    game, state = begin(observation_mode="html")
    state = follow(game, state, "search[the]")
    bad = state.page.products[0]._replace(title="<b>&", asin='"><i>')
    page = replace(state.page, products=(bad,))
    shown = tell_page(page, "html")
    reader = _Reader()
    reader.feed(shown)
    assert not {"b", "i"} & set(reader.tags)
    assert {"<b>&", '"><i>'} <= set(reader.texts)


def test_a_picture_shows_what_the_text_tells():
    game, state = begin()
    pages = [state, follow(game, state, "search[the]")]
    pages.append(follow(game, pages[1], f"click[{pages[1].page.products[0].asin}]"))
    pages.append(follow(game, pages[2], f"click[{pages[2].page.product.options[0][1][0]}]"))
    pages += [follow(game, pages[2], f"click[{one}]") for one in ("description", "features")]
    pages.append(follow(game, pages[2], "click[buy now]"))
    pictures = set()
    for state in pages:
        screen = game.picture(state, None)
        assert f"Instruction: {state.goal.text}" in screen.widgets[0].text.replace("\n", " ")
        texts = " ".join(one.text for one in screen.widgets).replace("• ", "")
        for line in game.describe(state, None).partition("\n\n")[0].splitlines():
            line = line.replace("[button_]", "").partition("button] ")[2] or line
            if line.startswith(("Page ", "You have clicked")):
                continue
            assert all(word in texts for word in line.removesuffix(" [clicked button_]").split())
        for one in screen.widgets:
            assert 0 <= one.x <= one.x + one.w <= screen.width, one
            assert 0 <= one.y <= one.y + one.h <= screen.height, one
        screen = game.picture(state.seen_by(SEAT), SEAT)
        assert (screen.width, screen.height) == (560, 560)
        pictures.add(draw(screen, (560, 560)).tobytes())
    assert len(pictures) == len(pages)


def test_a_long_product_fits_into_a_picture():
    game, state = begin()
    state = open_target(game, state)
    options = tuple((f"option {n}", tuple(f"value {n}{m}" for m in range(40))) for n in range(9))
    product = state.page.product._replace(
        options=options, description="long words " * 900, title="title " * 90
    )
    for kind in ("item", "description", "results"):
        page = replace(state.page, products=(product,), kind=kind)
        screen = game.picture(replace(state, page=page), SEAT)
        assert max(one.y + one.h for one in screen.widgets) <= screen.height
        assert draw(screen, (560, 560)).shape == (560, 560, 3)
