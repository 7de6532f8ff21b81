"""What users of tau want, compiled from tasks: known facts, wishes in words, questions, demands."""

import json
import re

import pytest
from playable import IDS, unless

import gem_ma
from gem_ma import rollout
from gem_ma.envs.tau.wants.compiled import asked_for, compiled, first_person
from gem_ma.envs.tau.wants.wish import address_of, listed, paid_with
from gem_ma.envs.tau.wants.wordings import find_content_words

PLAYERS = {"user": "rule-user", "assistant": "informed-assistant"}
RETAIL = pytest.mark.skipif(
    "tau:retail" not in IDS, reason="set TAU_BENCH_DATA to TAU-bench's folder"
)
METHODS = {
    "paypal_1": {"source": "paypal", "id": "paypal_1"},
    "gift_card_1": {"source": "gift_card", "id": "gift_card_1", "balance": 17},
    "credit_card_1": {"source": "credit_card", "brand": "visa", "last_four": "1111"},
    "credit_card_2": {"source": "credit_card", "brand": "visa", "last_four": "2222"},
    "credit_card_3": {"source": "credit_card", "brand": "amex", "last_four": "3333"},
}


def test_ways_to_pay_are_told_apart():
    told = {id: paid_with(METHODS, id, "") for id in METHODS}
    assert told == {
        "paypal_1": "PayPal",
        "gift_card_1": "my gift card",
        "credit_card_1": "my visa credit card that ends in 1111",
        "credit_card_2": "my visa credit card that ends in 2222",
        "credit_card_3": "my amex credit card",
    }
    assert paid_with(METHODS, "credit_card_1", "pay with credit_card_1") == "credit_card_1"
    two = {**METHODS, "gift_card_2": {"source": "gift_card", "balance": 5}}
    assert paid_with(two, "gift_card_2", "") == "my gift card of $5"
    assert paid_with(METHODS, "paypal_9", "") == "another way to pay"


def test_words():
    assert [listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])] == [
        "a",
        "a and b",
        "a, b and c",
    ]
    assert address_of({"address1": "1 Elm", "zip": "12345"}) == ("1 Elm", "", "", "", "", "12345")
    assert first_person("You want your order sent to you.") == "I want my order sent to me."
    assert first_person("You are sure you're right.") == "I am sure I'm right."


def test_what_an_instruction_asks_beside():
    text = (
        "You are Ann in 12345. You want to cancel your order. You want to know how much you get "
        "back. You want to undo a return. If it is not possible, you want a coupon. Make sure you "
        "mention both. You are sad. Ask the agent to confirm the total."
    )
    questions, demands = asked_for(text, {"cancel_pending_order"})
    assert questions == ("I want to know how much I get back.", "Please confirm the total.")
    assert demands == ("I want to undo a return.",)
    assert "I want to cancel my order." in asked_for(text, set())[1]


BANK = {  # names and addresses are one line there
    "users": {
        "125": {"name": "Ayan Wang", "address": "27 Frum Street", "email": "ayan@example.com"},
        "af05": {"name": "Mia Smith", "address": "7 Maple Street", "email": "mia@example.com"},
    }
}


def test_who_somebody_is_whose_name_and_address_are_one_line():
    wants = compiled(BANK, "", "You are Mia Smith (mia@example.com). It cost $125.", (), False)
    assert wants.known == {"name": "Mia Smith", "email": "mia@example.com"}  # not the user 125
    assert compiled(BANK, "", "You are somebody else.", (), False).known == {}


AIRLINE = {
    "flights": {
        number: {
            "origin": origin,
            "destination": destination,
            "scheduled_departure_time_est": "08:00:00",
            "scheduled_arrival_time_est": "10:00:00",
        }
        for number, origin, destination in (
            ("HAT1", "SFO", "JFK"),
            ("HAT2", "JFK", "SFO"),
            ("HAT3", "JFK", "SFO"),
        )
    },
    "users": {
        "ann": {
            "name": {"first_name": "Ann", "last_name": "Lee"},
            "dob": "1990-01-01",
            "payment_methods": METHODS,
            "reservations": ["R1"],
        }
    },
    "reservations": {
        "R1": {
            "user_id": "ann",
            "origin": "SFO",
            "destination": "JFK",
            "flight_type": "round_trip",
            "cabin": "economy",
            "passengers": [],
            "flights": [
                {"flight_number": "HAT1", "date": "2024-05-20"},
                {"flight_number": "HAT2", "date": "2024-05-25"},
            ],
        }
    },
}
AWAY = AIRLINE["reservations"]["R1"]["flights"][0]
LATER = {"flight_number": "HAT3", "date": "2024-05-27"}
BOOKING = {
    "user_id": "ann",
    "origin": "SFO",
    "destination": "JFK",
    "flight_type": "round_trip",
    "cabin": "economy",
    "flights": [AWAY, LATER],
    "passengers": [{"first_name": "Ann", "last_name": "Lee", "dob": "1990-01-01"}],
    "payment_methods": [{"payment_id": "paypal_1", "amount": 100}],
    "total_baggages": 0,
    "insurance": "no",
}
CHANGE = {
    "reservation_id": "R1",
    "cabin": "economy",
    "flights": [AWAY, LATER],
    "payment_id": "paypal_1",
}


@pytest.mark.parametrize(
    ("tool", "arguments", "legs"),
    [
        ("book_reservation", BOOKING, [("SFO", "JFK", "May 20"), ("JFK", "SFO", "May 27")]),
        ("update_reservation_flights", CHANGE, [("JFK", "SFO", "May 27")]),
    ],
)
def test_who_wants_flights_can_say_when_and_where(tool, arguments, legs):
    (wish,) = compiled(AIRLINE, "ann", "You are Ann Lee.", [(tool, arguments)], False).wishes
    assert len(wish.choice) == len(legs)
    for asked in ("date", "route"):
        for origin, destination, day in legs:
            assert f"from {origin} to {destination} on {day}" in wish.answers[asked], asked
    assert {leg[0] for leg in legs} == set(
        re.findall(r"from (\w+) at 08:00", wish.answers["flights"])
    )
    assert "PayPal" in wish.answers["payment"]
    assert "economy" in wish.answers["cabin"]


def test_a_task_in_which_nothing_else_is_found_is_told_in_its_own_sentences():
    text = (
        "Instructions:\n\tDomain: bank\n\tYou are Mia Smith (mia@example.com). The cat is fed and "
        "the lamp is lit. If the agent asks, say that it rains."
    )
    wants = compiled(BANK, "", text, (), False)
    assert wants.demands == ("The cat is fed and the lamp is lit.",)
    assert wants.wordings == ((find_content_words(wants.demands[0]),),)


def test_what_tells_a_wish_is_what_it_can_be_named_by():
    game = gem_ma.make("tau:shop").game
    for number in range(60):
        wants = game.wants(game.task(number))
        assert len(wants.wordings) == max(len(wants.wishes), 1)
        assert all(any(words for words in ways) for ways in wants.wordings)
        for wish, ways in zip(wants.wishes, wants.wordings, strict=False):
            assert ways == tuple(map(find_content_words, wish.marks))


@pytest.mark.parametrize("dual", [False, True])
def test_every_task_of_the_shop_has_wants_that_cover_its_gold(dual):
    game = gem_ma.make("tau:shop", dual=dual).game
    for number in range(150):
        task = game.task(number)
        wants = game.wants(task)
        assert wants is game.wants(task)  # made once
        changes = [name for name, _ in task.actions if name not in ("restart_phone", "send_code")]
        assert [wish.tool for wish in wants.wishes] == changes
        assert bool(wants.questions) == bool(task.outputs)
        assert {"name"} < set(wants.known)
        told = json.dumps([wants.known, wants.wishes, wants.questions, wants.demands], default=dict)
        for id in re.findall(r"\b\d{10}\b|\b\w+_\d{7}\b", told):
            assert id in task.instruction


def play(env, count, **arguments):
    options = [{"task": number} for number in range(count)]
    episodes = rollout(env, PLAYERS, count, seed=0, options=options, **arguments)
    return [e.number for e in episodes if e.report["reward"] != 1.0], episodes


@RETAIL
@pytest.mark.parametrize(
    ("split", "count"), [("test", 115), unless(False, "dev", 20), unless(False, "train", 500)]
)
def test_all_of_retail_can_be_solved_by_asking(split, count):
    failed, episodes = play("tau:retail", count, split=split)
    assert failed == []
    assert not any(episode.report["user_fault"] for episode in episodes)


@RETAIL
def test_what_of_the_airline_can_be_solved_by_asking():
    failed, episodes = play("tau:airline", 50)
    assert failed == [19, 23]  # whose gold pays for bags that the policy gives away
    assert not any(episode.report["user_fault"] for episode in episodes)


@RETAIL
@pytest.mark.slow
@pytest.mark.parametrize("user", ["users:train", "users:held-out"])
def test_populations_get_what_they_want(user):
    players = {**PLAYERS, "user": user}
    options = [{"task": number} for number in range(115)]
    episodes = rollout("tau:retail", players, 115, seed=0, options=options)
    assert sum(e.report["reward"] for e in episodes) >= 112
    assert sum(e.report["user_fault"] for e in episodes) <= 1
