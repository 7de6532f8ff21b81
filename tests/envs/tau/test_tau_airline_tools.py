"""The airline's tools: what the original gave for its own tasks, and each quirk by itself."""

import hashlib
import json
import os
import random
from pathlib import Path

import pytest

from gem_ma.envs.tau import data
from gem_ma.envs.tau.airline import AIRPORTS, TERMINATES, TOOLS
from gem_ma.envs.tau.calling import call
from gem_ma.envs.tau.store import Base

NO_DATA = "set TAU_BENCH_DATA to a folder with TAU-bench's retail/ and airline/"


class Episode:
    """One small airline and what was done to it, a desk for each call."""

    def __init__(self, base=None):
        self.base = base or Base(tables())
        self.changes = {}

    def __call__(self, name, **arguments):
        desk = self.base.desk(self.changes)
        answer = call(TOOLS, "airline", desk, name, arguments)
        self.changes = desk.changes()
        return answer

    def record(self, table, id):
        return self.base.desk(self.changes).get(table, id)

    def method(self, id):
        return self.record("users", "ann")["payment_methods"].get(id)


def flight(number, origin, destination, departs, arrives, dates):
    return {
        "flight_number": number,
        "origin": origin,
        "destination": destination,
        "scheduled_departure_time_est": departs,
        "scheduled_arrival_time_est": arrives,
        "dates": dates,
    }


def day(price, seats=3):
    return {
        "status": "available",
        "available_seats": {"economy": seats, "business": 1},
        "prices": {"economy": price, "business": 10 * price},
    }


def passengers(count):
    return [{"first_name": f"P{n}", "last_name": "Q", "dob": "1990-01-01"} for n in range(count)]


def tables():
    """Return a new small airline."""
    days = {"2024-05-08": day(80), "2024-05-09": day(90), "2024-05-10": day(100)}
    odd = {"2024-05-10": {"status": "cancelled"}, "2024-05-11": {"status": "flying"}}
    flights = [
        flight("HAT001", "SFO", "JFK", "08:00:00", "10:00:00", days | odd),
        flight("HAT002", "SFO", "JFK", "12:00:00", "14:00:00", days),
        flight("HAT003", "JFK", "BOS", "13:00:00", "15:00:00", days),
        flight("HAT004", "JFK", "BOS", "14:00:00", "16:00:00", days),
        flight("HAT005", "SFO", "SEA", "22:00:00", "05:00:00+1", days),
        flight("HAT006", "SEA", "BOS", "06:00:00", "09:00:00", {"2024-05-09": day(1), **days}),
        flight("HAT007", "SEA", "BOS", "04:00:00", "07:00:00", days),
    ]
    booked = {
        "reservation_id": "R1",
        "user_id": "ann",
        "origin": "SFO",
        "destination": "JFK",
        "flight_type": "one_way",
        "cabin": "economy",
        "flights": [
            {
                "origin": "SFO",
                "destination": "JFK",
                "flight_number": "HAT001",
                "date": "2024-05-10",
                "price": 70,
            }
        ],
        "passengers": passengers(2),
        "payment_history": [{"payment_id": "gift_card_1", "amount": 140}],
        "created_at": "2024-05-01T00:00:00",
        "total_baggages": 2,
        "nonfree_baggages": 1,
        "insurance": "no",
    }
    methods = [
        {"source": "gift_card", "amount": 200, "id": "gift_card_1"},
        {"source": "certificate", "amount": 500, "id": "certificate_1"},
        {"source": "certificate", "amount": 50, "id": "certificate_2"},
        {"source": "credit_card", "brand": "visa", "last_four": "1234", "id": "credit_card_1"},
    ]
    ann = {
        "name": {"first_name": "Ann", "last_name": "Q"},
        "email": "ann@example.com",
        "payment_methods": {method["id"]: method for method in methods},
        "membership": "gold",
        "reservations": ["R1"],
    }
    return {
        "flights": {one["flight_number"]: one for one in flights},
        "reservations": {"R1": booked},
        "users": {"ann": ann, "bob": ann | {"payment_methods": {}, "reservations": []}},
    }


def booking(**others):
    """Return arguments for a booking of two seats for 160, paid by credit card."""
    return {
        "user_id": "ann",
        "origin": "SFO",
        "destination": "JFK",
        "flight_type": "one_way",
        "cabin": "economy",
        "flights": [{"flight_number": "HAT001", "date": "2024-05-08"}],
        "passengers": passengers(2),
        "payment_methods": [{"payment_id": "credit_card_1", "amount": 160}],
        "total_baggages": 0,
        "nonfree_baggages": 0,
        "insurance": "no",
        **others,
    }


def pay(*payments):
    return [{"payment_id": id, "amount": amount} for id, amount in payments]


def fly(*pairs):
    return [{"flight_number": number, "date": date} for number, date in pairs]


@pytest.fixture
def airline():
    """Yield an episode, and check that its base was not changed."""
    episode = Episode()
    yield episode
    assert json.dumps(episode.base.tables) == json.dumps(tables())


@pytest.fixture(scope="module")
def original():
    """Yield the original's data, and check that nothing changed them."""
    top = os.environ.get(data.VARIABLE)
    if not top or not (Path(top) / "gold_airline.json").exists():
        pytest.skip(NO_DATA)
    domain = data.load("airline", "test")
    before = json.dumps(domain.base.tables)
    yield domain, json.loads((Path(top) / "gold_airline.json").read_bytes())
    assert json.dumps(domain.base.tables) == before


def replay(domain, task):
    """Return what the tools answer to a task's own actions, and the hash of what they leave."""
    episode, answers = Episode(domain.base), []
    for name, arguments in task.actions:
        answers.append(episode(name, **arguments))
        if name in TERMINATES:
            break
    return answers, domain.base.sha256(episode.changes)


def test_the_tools_are_those_of_the_original(original):
    domain, gold = original
    assert list(TOOLS) == [schema["function"]["name"] for schema in domain.schemas]
    assert domain.base.sha256({}) == gold["initial_data_hash"]


def test_the_originals_own_actions_have_their_original_results(original):
    domain, gold = original
    assert len(gold["tasks"]) == 25
    for expected in gold["tasks"]:
        answers, hashed = replay(domain, domain.tasks[expected["index"]])
        found = [hashlib.sha256(answer.encode()).hexdigest() for answer in answers]
        assert found == expected["obs_sha256"], expected["index"]
        assert hashed == expected["data_hash"], expected["index"]
        errors = [answer for answer in answers if answer.startswith("Error:")]
        assert errors == expected["errors"], expected["index"]


def test_the_other_tasks_have_no_errors(original):
    domain, gold = original
    others = set(range(len(domain.tasks))) - {expected["index"] for expected in gold["tasks"]}
    assert len(others) == 25
    for index in others:
        answers, _ = replay(domain, domain.tasks[index])
        assert not [answer for answer in answers if answer.startswith("Error:")], index


def test_a_booking_answers_with_keys_in_the_originals_order(airline):
    asked = booking(flights=[{"date": "2024-05-08", "flight_number": "HAT001", "origin": "?"}])
    shown = json.loads(airline("book_reservation", **asked))
    assert list(shown) == [
        *("reservation_id", "user_id", "origin", "destination", "flight_type", "cabin"),
        *("flights", "passengers", "payment_history", "created_at"),
        *("total_baggages", "nonfree_baggages", "insurance"),
    ]
    assert list(shown["flights"][0].items()) == [
        ("date", "2024-05-08"),
        ("flight_number", "HAT001"),
        ("origin", "SFO"),
        ("price", 80),
        ("destination", "JFK"),
    ]
    assert shown["created_at"] == "2024-05-15T15:00:00"
    assert shown == airline.record("reservations", "HATHAT")
    assert airline.record("users", "ann")["reservations"] == ["R1", "HATHAT"]


def test_a_fourth_booking_replaces_the_third(airline):
    ids = []
    for origin in "ABCD":
        shown = json.loads(airline("book_reservation", **booking(origin=origin)))
        ids.append(shown["reservation_id"])
    assert ids == ["HATHAT", "HATHAU", "HATHAV", "HATHAV"]
    assert airline.record("users", "ann")["reservations"] == ["R1", *ids]
    assert airline.record("reservations", "HATHAV")["origin"] == "D"


def test_a_booking_uses_certificates_up_and_charges_gift_cards(airline):
    paid = pay(("certificate_1", 10), ("gift_card_1", 100), ("credit_card_1", 200))
    more = {"insurance": "yes", "total_baggages": 2, "nonfree_baggages": 1}
    more["flights"] = fly(("HAT001", "2024-05-08"), ("HAT001", "2024-05-08"))
    assert "payment amount does not add up, total price is 430, but paid 310" in airline(
        "book_reservation", **booking(**more, payment_methods=paid)
    )
    assert airline.changes == {}
    paid[2]["amount"] = 320
    airline("book_reservation", **booking(**more, payment_methods=paid))
    assert airline.method("certificate_1") is None
    assert airline.method("gift_card_1")["amount"] == 100
    assert airline.record("reservations", "HATHAT")["payment_history"] == paid


def test_a_balance_may_be_just_enough(airline):
    airline("send_certificate", user_id="ann", amount=160)
    paid = pay(("certificate_3221322", 160))
    shown = json.loads(airline("book_reservation", **booking(payment_methods=paid)))
    assert shown["payment_history"] == paid


def test_a_certificate_that_pays_twice_is_lost_and_books_nothing(airline):
    paid = pay(("certificate_1", 80), ("certificate_1", 80))
    answer = airline("book_reservation", **booking(payment_methods=paid))
    assert answer == "Error: 'certificate_1'"
    assert airline.method("certificate_1") is None
    assert airline.record("reservations", "HATHAT") is None
    assert airline.record("users", "ann")["reservations"] == ["R1"]


def test_a_gift_card_that_pays_twice_is_overdrawn(airline):
    paid = pay(("gift_card_1", 150), ("gift_card_1", 10), ("gift_card_1", 190))
    more = {"total_baggages": 4, "nonfree_baggages": 3.8}
    airline("book_reservation", **booking(payment_methods=paid, **more))
    assert airline.method("gift_card_1")["amount"] == -150


def test_seats_are_never_taken(airline):
    for _ in range(5):
        airline("book_reservation", **booking())
    shown = json.loads(
        airline("search_direct_flight", origin="SFO", destination="JFK", date="2024-05-08")
    )
    assert shown[0]["available_seats"]["economy"] == 3


@pytest.mark.parametrize(
    ("others", "error"),
    [
        ({"user_id": "eve", "cabin": "none"}, "user not found"),
        ({"user_id": None}, "user not found"),
        ({"user_id": ["ann"]}, "unhashable type: 'list'"),
        ({"flights": fly(("HAT9", "2024-05-08"))}, "flight HAT9 not found"),
        ({"flights": [{"flight_number": "HAT9"}]}, "flight HAT9 not found"),
        ({"flights": [{"flight_number": "HAT001"}]}, "'date'"),
        ({"flights": [{"date": "2024-05-08"}]}, "'flight_number'"),
        (
            {"flights": fly(("HAT001", "2024-06-08")), "cabin": "none"},
            "flight HAT001 not found on date 2024-06-08",
        ),
        (
            {"flights": fly(("HAT001", "2024-05-11"))},
            "flight HAT001 not available on date 2024-05-11",
        ),
        ({"cabin": "none"}, "'none'"),
        ({"cabin": "business"}, "not enough seats on flight HAT001"),
        ({"flights": None}, "'NoneType' object is not iterable"),
        ({"flights": "HAT001"}, "string indices must be integers, not 'str'"),
        ({"passengers": None}, "object of type 'NoneType' has no len()"),
        ({"passengers": passengers(4)}, "not enough seats on flight HAT001"),
        ({"nonfree_baggages": None}, "unsupported operand type(s) for *: 'int' and 'NoneType'"),
        ({"nonfree_baggages": "1"}, "unsupported operand type(s) for +=: 'int' and 'str'"),
        ({"payment_methods": [{"amount": 160}]}, "'payment_id'"),
        ({"payment_methods": [{"payment_id": "credit_card_1"}]}, "'amount'"),
        ({"payment_methods": pay(("card", 160))}, "payment method card not found"),
        (
            {"payment_methods": pay(("certificate_2", 160))},
            "not enough balance in payment method certificate_2",
        ),
        (
            {"payment_methods": pay(("gift_card_1", 201))},
            "not enough balance in payment method gift_card_1",
        ),
        (
            {"payment_methods": pay(("credit_card_1", "160"))},
            "unsupported operand type(s) for +: 'int' and 'str'",
        ),
        (
            {"payment_methods": pay(("credit_card_1", 0.1), ("credit_card_1", 0.2))},
            "payment amount does not add up, total price is 160, but paid 0.30000000000000004",
        ),
        (
            {"payment_methods": [], "insurance": "yes", "nonfree_baggages": 2},
            "payment amount does not add up, total price is 320, but paid 0",
        ),
    ],
)
def test_a_booking_that_fails_changes_nothing(airline, others, error):
    assert airline("book_reservation", **booking(**others)) == f"Error: {error}"
    assert airline.changes == {}


def test_payments_are_added_from_left_to_right(airline):
    paid = pay(*[("credit_card_1", amount) for amount in (1e16, 1.0, -1e16)])
    answer = airline("book_reservation", **booking(payment_methods=paid))
    assert answer.endswith("total price is 160, but paid 0.0")


def test_what_a_caller_passes_in_is_copied(airline):
    asked = booking()
    before = json.dumps(asked)
    airline("book_reservation", **asked)
    airline("cancel_reservation", reservation_id="HATHAT")
    assert json.dumps(asked) == before
    asked["passengers"][0]["first_name"] = "changed"
    assert airline.record("reservations", "HATHAT")["passengers"] == passengers(2)
    renamed = passengers(2)
    airline("update_reservation_passengers", reservation_id="R1", passengers=renamed)
    renamed.clear()
    assert airline.record("reservations", "R1")["passengers"] == passengers(2)
    odd = [1]
    airline("send_certificate", user_id="ann", amount=odd)
    bags(airline, odd, 0)
    odd.clear()
    assert airline.method("certificate_3221322")["amount"] == [1]
    assert airline.record("reservations", "R1")["total_baggages"] == [1]


def test_a_cancelled_reservation_can_be_cancelled_again(airline):
    shown = json.loads(airline("cancel_reservation", reservation_id="R1"))
    assert list(shown)[-1] == "status"
    assert shown["status"] == "cancelled"
    assert shown["payment_history"] == pay(("gift_card_1", 140), ("gift_card_1", -140))
    assert airline.method("gift_card_1")["amount"] == 200
    shown = json.loads(airline("cancel_reservation", reservation_id="R1"))
    assert [payment["amount"] for payment in shown["payment_history"]] == [140, -140, -140, 140]
    assert airline("cancel_reservation", reservation_id="R2") == "Error: reservation not found"


def test_an_error_in_the_middle_of_cancelling_leaves_the_reservation(airline):
    asked = booking(flights=[], payment_methods={})  # costs nothing
    assert json.loads(airline("book_reservation", **asked))["payment_history"] == {}
    answer = airline("cancel_reservation", reservation_id="HATHAT")
    assert answer == "Error: 'dict' object has no attribute 'extend'"
    assert "status" not in airline.record("reservations", "HATHAT")


def test_records_are_shown_as_they_are(airline):
    known = tables()
    shown = airline("get_reservation_details", reservation_id="R1")
    assert shown == json.dumps(known["reservations"]["R1"])
    assert airline("get_user_details", user_id="ann") == json.dumps(known["users"]["ann"])
    assert airline("get_user_details", user_id="eve") == "Error: user not found"
    assert airline("get_user_details", user_id={}) == "Error: unhashable type: 'dict'"
    assert airline("get_reservation_details", reservation_id=1) == "Error: user not found"
    assert airline("list_all_airports") == json.dumps(AIRPORTS)
    assert len(AIRPORTS) == 20
    assert airline("think", thought="hm") == ""
    assert airline("transfer_to_human_agents", summary=None) == "Transfer successful"
    assert airline("calculate", expression="2 + 2") == "4.0"
    assert airline.changes == {}


@pytest.mark.skipif(not os.environ.get(data.VARIABLE), reason=NO_DATA)
def test_all_airports_are_those_that_are_flown_to():
    flights = Path(os.environ[data.VARIABLE], "airline", "flights.json").read_bytes()
    flown = {one[end] for one in json.loads(flights).values() for end in ("origin", "destination")}
    assert set(AIRPORTS) == flown


def test_a_search_shows_a_flight_as_it_is_on_the_day(airline):
    route = {"origin": "SFO", "destination": "JFK"}
    shown = airline("search_direct_flight", **route, date="2024-05-10")
    expected = flight("HAT002", "SFO", "JFK", "12:00:00", "14:00:00", {})
    del expected["dates"]
    assert shown == json.dumps([expected | day(100)])
    numbers = [
        one["flight_number"]
        for one in json.loads(airline("search_direct_flight", **route, date="2024-05-08"))
    ]
    assert numbers == ["HAT001", "HAT002"]
    for odd in ({"origin": "XXX"}, {"origin": ["SFO"]}, {"date": "2024-06-01"}, {"date": None}):
        asked = {**route, "date": "2024-05-08", **odd}
        assert airline("search_direct_flight", **asked) == "[]"
        assert airline("search_onestop_flight", **asked) == "[]"
    answer = airline("search_direct_flight", **route, date=[])
    assert answer == "Error: unhashable type: 'list'"


def stops(answer):
    return [[leg["flight_number"] for leg in pair] for pair in json.loads(answer)]


def test_one_stop_flights_connect_when_the_arrival_is_no_later(airline):
    legs = airline("search_onestop_flight", origin="SFO", destination="BOS", date="2024-05-08")
    assert stops(legs) == [["HAT001", "HAT003"], ["HAT001", "HAT004"], ["HAT002", "HAT004"]]
    assert list(json.loads(legs)[0][1])[-1] == "date"
    assert json.loads(legs)[0][1]["date"] == "2024-05-08"


def test_a_night_flight_connects_from_the_9th_on_with_the_prices_of_the_first_day(airline):
    legs = airline("search_onestop_flight", origin="SFO", destination="BOS", date="2024-05-09")
    assert stops(legs)[-1] == ["HAT005", "HAT006"]  # HAT007 leaves before 05:00
    last = json.loads(legs)[-1][1]
    assert last["date"] == "2024-05-10"
    assert last["prices"]["economy"] == 90  # and not 100
    route = {"origin": "SFO", "destination": "BOS"}
    answer = airline("search_onestop_flight", **route, date="today")
    assert answer == "Error: invalid literal for int() with base 10: 'ay'"
    answer = airline("search_onestop_flight", **route, date=8)
    assert answer == "Error: 'int' object is not subscriptable"
    assert airline("search_onestop_flight", origin="JFK", destination="BOS", date="today") == "[]"


def test_there_are_three_certificates(airline):
    for number, amount in ((3221322, 100), (3221323, 1.5), (3221324, [1])):
        id = f"certificate_{number}"
        answer = airline("send_certificate", user_id="ann", amount=amount)
        assert answer == f"Certificate {id} added to user ann with amount {amount}."
        assert json.dumps(airline.method(id)) == json.dumps(
            {"source": "certificate", "amount": amount, "id": id}
        )
    answer = airline("send_certificate", user_id="ann", amount=1)
    assert answer == "Error: user ann cannot be sent any more certificates"
    assert airline("send_certificate", user_id="eve", amount=1) == "Error: user not found"


def bags(airline, total, nonfree, payment_id="credit_card_1", reservation_id="R1"):
    return airline(
        "update_reservation_baggages",
        reservation_id=reservation_id,
        total_baggages=total,
        nonfree_baggages=nonfree,
        payment_id=payment_id,
    )


def test_more_bags_cost_and_fewer_are_not_refunded(airline):
    shown = json.loads(bags(airline, 5, 3, "gift_card_1"))
    assert (shown["total_baggages"], shown["nonfree_baggages"]) == (5, 3)
    assert shown["payment_history"][1:] == pay(("gift_card_1", 100))
    assert airline.method("gift_card_1")["amount"] == 100
    shown = json.loads(bags(airline, 0, 0, "gift_card_1"))
    assert len(shown["payment_history"]) == 2
    assert airline.method("gift_card_1")["amount"] == 100
    shown = json.loads(bags(airline, 9, 9))
    assert shown["payment_history"][2:] == pay(("credit_card_1", 450))


def test_bags_are_refused(airline):
    refusals = {
        "reservation not found": bags(airline, 1, None, reservation_id="R2"),
        "payment method not found": bags(airline, 3, 3, "card"),
        "certificate cannot be used to update reservation": bags(airline, 3, 3, "certificate_1"),
        "gift card balance is not enough": bags(airline, 6, 6, "gift_card_1"),
        "unsupported operand type(s) for -: 'str' and 'int'": bags(airline, 3, "3", "card"),
    }
    assert [f"Error: {refusal}" for refusal in refusals] == list(refusals.values())
    assert airline.changes == {}


def change(airline, flights, cabin="economy", payment_id="gift_card_1", reservation_id="R1"):
    return airline(
        "update_reservation_flights",
        reservation_id=reservation_id,
        cabin=cabin,
        flights=flights,
        payment_id=payment_id,
    )


def test_flights_that_stay_keep_their_price_whether_they_fly_or_not(airline):
    shown = json.loads(change(airline, fly(("HAT001", "2024-05-10"))))
    assert json.dumps(shown["flights"]) == json.dumps(
        [
            {
                "flight_number": "HAT001",
                "date": "2024-05-10",
                "price": 70,
                "origin": "SFO",
                "destination": "JFK",
            }
        ]
    )
    assert len(shown["payment_history"]) == 1
    both = fly(("HAT001", "2024-05-10"), ("HAT003", "2024-05-10"))
    shown = json.loads(change(airline, both))
    assert [one["price"] for one in shown["flights"]] == [70, 100]
    assert shown["payment_history"][1:] == pay(("gift_card_1", 200))
    assert airline.method("gift_card_1")["amount"] == 0
    shown = json.loads(change(airline, both[:1]))  # a negative price is put on the card
    assert shown["payment_history"][2:] == pay(("gift_card_1", -200))
    assert airline.method("gift_card_1")["amount"] == 200


def test_another_cabin_has_another_price_and_is_not_noted(airline):
    shown = json.loads(
        airline("update_reservation_passengers", reservation_id="R1", passengers=passengers(2))
    )
    assert shown["passengers"] == passengers(2)
    one_seat = booking(passengers=[{}], payment_methods=pay(("gift_card_1", 80)))
    airline("book_reservation", **one_seat)
    asked = fly(("HAT001", "2024-05-08"))
    for _ in range(2):  # the second time it is in economy still, and paid in business
        shown = json.loads(change(airline, asked, "business", "credit_card_1", "HATHAT"))
        assert shown["cabin"] == "economy"
        assert shown["flights"][0]["price"] == 800
    assert shown["payment_history"] == pay(("gift_card_1", 80), ("credit_card_1", 720))
    assert asked == fly(("HAT001", "2024-05-08"))


def test_changes_of_flights_are_refused(airline):
    kept, other = fly(("HAT001", "2024-05-10")), fly(("HAT002", "2024-05-10"))
    certificate = "certificate_1"
    refusals = [
        (
            "reservation not found",
            change(airline, None, reservation_id="R2"),
        ),
        ("flight HAT9 not found", change(airline, fly(("HAT9", "2024-05-10")))),
        (
            "flight HAT002 not found on date 2024-05-20",
            change(airline, fly(("HAT002", "2024-05-20"))),
        ),
        (
            "flight HAT001 not available on date 2024-05-10",
            change(airline, kept, "business", "card"),
        ),
        ("not enough seats on flight HAT002", change(airline, other, "business")),
        ("'none'", change(airline, other, "none")),
        ("'date'", change(airline, [{"flight_number": "HAT002"}])),
        ("payment method not found", change(airline, kept, payment_id="card")),
        (
            "certificate cannot be used to update reservation",
            change(airline, kept, payment_id=certificate),
        ),
        ("gift card balance is not enough", change(airline, kept + other + other)),
    ]
    assert [f"Error: {refusal}" for refusal, _ in refusals] == [found for _, found in refusals]
    assert airline.changes == {}


def test_passengers_change_but_not_in_number(airline):
    for others in ([], passengers(3)):
        asked = {"reservation_id": "R1", "passengers": others}
        answer = airline("update_reservation_passengers", **asked)
        assert answer == "Error: number of passengers does not match"
    answer = airline("update_reservation_passengers", reservation_id="R1", passengers=None)
    assert answer == "Error: object of type 'NoneType' has no len()"
    answer = airline("update_reservation_passengers", reservation_id="R2", passengers=None)
    assert answer == "Error: reservation not found"
    assert airline.changes == {}
    shown = json.loads(
        airline("update_reservation_passengers", reservation_id="R1", passengers="ab")
    )
    assert shown["passengers"] == "ab"


def test_a_call_that_does_not_fit_is_refused_in_the_originals_words(airline):
    answer = airline("search_direct_flight", origin="SFO")
    assert answer == (
        "Error: SearchDirectFlight.invoke() missing 2 required positional arguments: "
        "'destination' and 'date'"
    )
    answer = airline("think", data=1)
    assert answer == (
        "Error: tau_bench.envs.airline.tools.think.Think.invoke() got multiple values for "
        "keyword argument 'data'"
    )


IDS = [
    *("ann", "bob", "eve", "R1", "HATHAT", "HATHAU", "HATHAV", "HAT001", "HAT002", "HAT005"),
    *("SFO", "JFK", "BOS", "SEA", "2024-05-09", "2024-05-10", "economy", "business", "yes"),
    *("gift_card_1", "certificate_1", "credit_card_1", "1+1"),
]


def anything(rng, depth=3):
    """Return a random JSON value, most often one that means something here."""
    kind = rng.randrange(10 if depth else 8)
    if kind < 4:
        return rng.choice(IDS)
    if kind < 8:
        numbers = [0, 1, 2, -1, 80, 160, 1e308, float("nan"), float("inf"), 0.1, 10**400]
        return rng.choice([*numbers, None, True, False, "", "\ud800", "é"])
    if kind == 8:
        return [anything(rng, depth - 1) for _ in range(rng.randrange(4))]
    keys = rng.sample(["flight_number", "date", "payment_id", "amount", "price", "x"], 3)
    return {key: anything(rng, depth - 1) for key in keys}


def some_arguments(rng, name):
    """Return arguments for a tool: nearly right, or anything."""
    reservation = {"reservation_id": rng.choice(["R1", "HATHAT", "HATHAU"]), "cabin": "economy"}
    card = rng.choice(["gift_card_1", "credit_card_1", "certificate_1", "certificate_2"])
    free, amount = rng.randrange(3), rng.choice([7, 80, 0.5])
    near = booking(payment_methods=pay((card, 160 + 50 * free)), nonfree_baggages=free)
    near |= reservation | {"payment_id": card, "date": "2024-05-09", "amount": amount}
    near |= {"expression": "1 + 2", "thought": "", "summary": ""}
    takes = TOOLS[name].__code__.co_varnames[1 : TOOLS[name].__code__.co_argcount]
    asked = {key: near[key] for key in takes}
    while rng.random() < 0.6:
        key = rng.choice([*takes, *takes, *takes, "data", "x"])
        asked[key] = anything(rng)
        if rng.random() < 0.1:
            del asked[key]
    return asked


@pytest.mark.parametrize("episodes", [300, pytest.param(1_000, marks=pytest.mark.slow)])
def test_no_arguments_break_anything(episodes):
    rng, base = random.Random(7), Base(tables())
    good = dict.fromkeys(TOOLS, 0)
    for _ in range(episodes):
        changes, past = {}, []
        for _ in range(25):
            name = rng.choice(list(TOOLS))
            arguments = some_arguments(rng, name) if rng.random() < 0.95 else anything(rng)
            asked = json.dumps(arguments)
            desk = base.desk(changes)
            answer = call(TOOLS, "airline", desk, name, arguments)
            assert type(answer) is str
            assert json.dumps(arguments) == asked
            good[name] += not answer.startswith("Error:")
            past.append((changes, repr(changes)))
            changes = desk.changes()
        assert all(repr(before) == seen for before, seen in past)
        assert base.same(changes, changes)
    assert len(base.sha256(changes)) == 64
    assert json.dumps(base.tables) == json.dumps(tables())
    assert min(good.values()) > episodes / 20, good


@pytest.mark.parametrize("name", [None, 1, [], {}, "", "respond", "_seat"])
def test_a_name_that_is_none_of_a_tool_is_refused(name):
    assert call(TOOLS, "airline", Base(tables()).desk({}), name, {}).startswith("Error: ")
