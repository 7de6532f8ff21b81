"""Cards of facts: what they tell, to whom, how they are drawn, and that they stay the same."""

import re
import time
from dataclasses import replace

import numpy as np
import pytest

from gem_ma.envs.social import FAMILY, inquiry
from gem_ma.envs.social.fact_cards import CARDS, read_values
from gem_ma.envs.social.game import SHOWN, Social
from gem_ma.renderers import draw, font, parse_theme
from gem_ma.renderers.scenes import panels
from gem_ma.renderers.scenes.chat import assign_speaker_colors
from gem_ma.renderers.scenes.table import draw_card
from gem_ma.scene import Chat, FrameTooSmall, Panels, Terminal, TextTable

EVERY_SCENE = pytest.mark.parametrize("name", FAMILY)
LIGHT = parse_theme("light")
HEIGHTS = font.LETTER_HEIGHTS[6::-1]
SIZES = (252, 252), (336, 336), (504, 252)


def start(name, seed=0):
    return Social(name).start(np.random.default_rng(seed), {})


def picture(state, seat, name):
    return Social(name).picture(state.seen_by(seat), seat)


def tables(card):
    """Return the tables of a card."""
    return [card] if isinstance(card, TextTable) else [card.scenes[1][1]]


def words(card):
    """Return all texts of a card in one."""
    texts = []
    for table in tables(card):
        texts += [table.title, *table.head]
        texts += [one if isinstance(one, str) else one[0] for row in table.rows for one in row]
    return " ".join(texts)


@EVERY_SCENE
def test_facts_that_differ_have_pictures_that_differ(name):
    """The lines of facts are the second source: two cards are equal where these lines are."""
    states = [start(name, seed) for seed in range(30)]
    for number, seat in enumerate(states[0].seats):
        cards = {}
        for state in states:
            lines = state.facts[number]
            if name == "Bill":  # the card has the dishes in the order of the menu
                lines = (*sorted(re.findall(r"\w+", lines[0])), lines[1])
            cards.setdefault(lines, set()).add(picture(state, seat, name).scenes[0][1])
        assert all(len(found) == 1 for found in cards.values())
        drawn = {one for found in cards.values() for one in found}
        assert len(drawn) == len(cards), "two facts with one card"
    frames = {draw(card, (252, 140)).tobytes() for card in list(drawn)[:3]}
    assert len(frames) == min(3, len(drawn))


@EVERY_SCENE
def test_a_card_has_the_numbers_of_the_facts(name):
    for seed in range(5):
        state = start(name, seed)
        for lines in state.facts:
            told = " ".join(lines)
            if name in ("KeepSecret", "FilmNight", "Chores", "Rent", "Vote"):
                told = told.rpartition(": ")[2]  # the scale is in the title
            numbers = set(re.findall(r"[\d.]*\d", told))
            shown = set(re.findall(r"[\d.]*\d", words(CARDS[name](lines))))
            assert numbers <= shown, (numbers - shown, lines)


def test_a_card_has_the_words_of_the_facts_that_a_form_can_have():
    compared = set()
    for name in FAMILY:
        scene = Social(name).scene
        forms = [scene.form(seat) for seat in scene.seats]
        known = {str(one) for form in forms for options in form.values() for one in options}
        known = {*known, *inquiry.ROOMS, *inquiry.SYMPTOMS, *inquiry.TRAITS, *inquiry.VISITORS}
        known |= {field for form in forms for field in form}
        known = {part for one in known for part in re.findall(r"[^\W\d]+", one)}
        for seed in range(3):
            for lines in start(name, seed).facts:
                told = {word for line in lines for word in re.findall(r"\w+", line)} & known
                assert told <= set(re.findall(r"\w+", words(CARDS[name](lines)))), lines
                compared |= {name} if told else set()
    assert len(compared) >= 25


@EVERY_SCENE
def test_pixels_show_no_fact_of_another_seat(name):
    one, two = start(name), start(name, 1)
    for number, seat in enumerate(one.seats):
        facts = (*two.facts[:number], one.facts[number], *two.facts[number + 1 :])
        other = replace(one, facts=facts, truth=two.truth, best=two.best)
        frames = {draw(picture(s, seat, name), (126, 126)).tobytes() for s in (one, other)}
        assert len(frames) == 1
    assert isinstance(Social(name).picture(one, None), Terminal)  # a spectator sees the talk alone


def test_the_picture_of_a_listener_has_nothing_that_it_does_not_hear():
    state = replace(start("Telephone"), said=(("ann", "It is 47."), ("ben", "Answer 94.")))
    quiet = replace(state, said=(("ann", "It is 33."), ("ben", "Answer 94.")))
    for seat, same in (("cid", True), ("ben", False)):
        seen = {picture(one, seat, "Telephone") for one in (state, quiet)}
        assert (len(seen) == 1) == same


@EVERY_SCENE
def test_a_card_stays_the_same_and_seats_keep_their_colours(name):
    state = start(name)
    many = tuple([(state.seats[n % len(state.seats)], f"{n}.") for n in range(3 * SHOWN)])
    for seat in state.seats:
        cards, colors = set(), set()
        for said in ((), many[1:2], many[:5], many):
            card, talk = (part for _, part in picture(replace(state, said=said), seat, name).scenes)
            cards.add(card)
            if isinstance(talk, Chat):
                assert talk.viewer == seat
                assert talk.turns
                colors.add(tuple(assign_speaker_colors(talk, LIGHT).items()))
        assert len(cards) == 1
        assert colors == {tuple(zip(state.seats, LIGHT.seats, strict=False))}


@pytest.mark.parametrize("seeds", [1, pytest.param(40, marks=pytest.mark.slow)])
@EVERY_SCENE
def test_no_text_is_cut_and_the_talk_keeps_its_room(name, seeds):
    """Cards are drawn with letters at full scale, or the renderer raises FrameTooSmall."""
    for seed in range(seeds):
        state = start(name, seed)
        for seat in state.seats:
            scene = picture(state, seat, name)
            for size in SIZES if seeds > 1 else SIZES[:2]:
                card, talk = panels.place_panels(scene, size)
                assert talk.size[1] >= 0.44 * size[1]
                assert talk.size[0] >= 0.49 * size[0]
                for table, room in find_tables(card.scene, card.size):
                    assert draw_card(table, room, LIGHT).shape[:2] == room[::-1]


@EVERY_SCENE
def test_every_text_of_a_card_is_in_its_picture_to_the_pixel(name):
    state = start(name, 1)
    for lines in (state.facts[0], state.facts[-1]):
        for table in tables(CARDS[name](lines)):
            frame = draw_card(table, (334, 160), LIGHT)
            texts = {one for row in table.rows for one in row if isinstance(one, str)}
            texts |= {
                one[0] for row in table.rows for one in row if isinstance(one, tuple) and one[2:]
            }
            grounds = {LIGHT.paper: texts, LIGHT.cell: set(table.head), LIGHT.ink: {table.title}}
            for ground, found in grounds.items():
                for text in {part for one in found for part in one.split("\n")} - {""}:
                    assert any(shows(frame, text, high, ground) for high in HEIGHTS), text


def shows(frame, text, height, ground):
    """Return whether a line of text is somewhere in a picture, to the pixel."""
    needle = np.empty((height, font.measure_advance(height) * len(text), 3), np.uint8)
    needle[:] = ground
    font.draw_line(needle, 0, 0, text, height, LIGHT.paper if ground == LIGHT.ink else LIGHT.ink)
    row = int((needle != ground).any(2).sum(1).argmax())
    wanted = needle[row].tobytes()
    for top in range(len(frame) - height + 1):
        at = frame[top + row].tobytes().find(wanted)
        while at >= 0:
            window = frame[top : top + height, at // 3 : at // 3 + needle.shape[1]]
            if at % 3 == 0 and (window == needle).all():
                return True
            at = frame[top + row].tobytes().find(wanted, at + 1)
    return False


def find_tables(scene, size):
    """Find the tables of a card with their sizes."""
    if isinstance(scene, Panels):
        return [(one.scene, one.size) for one in panels.place_panels(scene, size)
                if isinstance(one.scene, TextTable)]  # fmt: skip
    return [(scene, size)]


def test_a_card_that_does_not_fit_says_so():
    state = start("Dinner")
    with pytest.raises(FrameTooSmall, match="does not fit into 80 x 60"):
        draw_card(CARDS["Dinner"](state.facts[0]), (80, 60), LIGHT)


def test_the_week_marks_the_free_hours():
    state = start("Meeting", 3)
    card = CARDS["Meeting"](state.facts[0])
    free = {(row[0], card.head[i]) for row in card.rows for i, one in enumerate(row)
            if i and one != ""}  # fmt: skip
    told = {(day, hour) for day, hours in (line.split(" at ") for line in state.facts[0][1:])
            for hour in hours.split(", ")}  # fmt: skip
    assert free == told
    assert len(free) == 8


def test_templates():
    assert read_values("a {} of {}.", "a b c of d.") == ["b c", "d"]
    assert read_values("{}: {}", "x: y: z") == ["x", "y: z"]
    assert read_values("all of it", "all of it") == []
    for line in ("a b.", "an a of b.", "a b of c", "a b of c. d", ""):
        assert read_values("a {} of {}.", line) is None
    with pytest.raises(ValueError, match="no card for the fact 'What\\?'"):
        CARDS["Car"](("What?",))
    with pytest.raises(ValueError, match="is not of the form"):
        CARDS["Seating"](("What?",))


@pytest.mark.slow
@EVERY_SCENE
def test_at_least_500_pictures_a_second(name):
    states = [start(name, seed) for seed in range(25)]
    scenes = [picture(state, seat, name) for state in states for seat in state.seats]
    draw(scenes[0], (252, 252))
    before = time.process_time()
    for scene in scenes:
        draw(scene, (252, 252))
    assert len(scenes) / (time.process_time() - before) >= 250  # half of it, for busy machines
