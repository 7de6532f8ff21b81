"""What a small airline does where the references do not reach."""

from __future__ import annotations

import json

import pytest

from gem_ma.envs.tau2.airline import Airline
from gem_ma.envs.tau2.domain import VARIABLE, DataMissing


def _flight(id, origin, destination, departure, arrival, *dates):
    seats = {"basic_economy": 9, "economy": 9, "business": 2}
    prices = {"basic_economy": 50, "economy": 100, "business": 300}
    day = {"status": "available", "available_seats": seats, "prices": prices}
    return {
        "flight_number": id,
        "origin": origin,
        "destination": destination,
        "scheduled_departure_time_est": departure,
        "scheduled_arrival_time_est": arrival,
        "dates": dict.fromkeys(dates, day),
    }


FLIGHTS = (
    _flight("H1", "SFO", "JFK", "08:00:00", "12:00:00", "2024-05-03", "2024-05-20"),
    _flight("H2", "JFK", "BOS", "13:00:00", "14:00:00", "2024-05-20"),
    _flight("H3", "SFO", "DEN", "22:00:00", "01:00:00+1", "2024-05-03", "2024-05-20"),
    _flight("H4", "DEN", "BOS", "06:00:00", "09:00:00", "2024-05-04", "2024-05-21"),
)
METHODS = (
    {"source": "credit_card", "id": "card", "brand": "visa", "last_four": "1234"},
    {"source": "gift_card", "id": "gift", "amount": 150},
    {"source": "certificate", "id": "paper", "amount": 80},
)
ADDRESS = {"address1": "1 Main St", "city": "Austin", "country": "USA", "state": "TX", "zip": "7"}
ADA = {"first_name": "Ada", "last_name": "Byron", "dob": "1990-04-05"}
USER = {
    "user_id": "ada",
    "name": {"first_name": "Ada", "last_name": "Byron"},
    "address": ADDRESS,
    "email": "ada@example.com",
    "dob": "1990-04-05",
    "payment_methods": {one["id"]: one for one in METHODS},
    "saved_passengers": [],
    "membership": "gold",
    "reservations": [],
}
DATABASE = {
    "flights": {one["flight_number"]: one for one in FLIGHTS},
    "users": {"ada": USER},
    "reservations": {},
}
TRIP = {
    "user_id": "ada",
    "origin": "SFO",
    "destination": "JFK",
    "flight_type": "one_way",
    "cabin": "economy",
    "flights": [{"flight_number": "H1", "date": "2024-05-20"}],
    "passengers": [ADA],
    "payment_methods": [{"payment_id": "card", "amount": 100}],
    "total_baggages": 0,
    "nonfree_baggages": 0,
    "insurance": "no",
}


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    folder = tmp_path / "airline"
    folder.mkdir()
    (folder / "db_reconstructed.json").write_text(json.dumps(DATABASE))
    return folder


@pytest.fixture
def world(data):
    return Airline().world()


def _book(world, **other):
    return world.call("assistant", "book_reservation", {**TRIP, **other})


def _seats(world, number):
    return world.desk.get("flights", number)["dates"]["2024-05-20"]["available_seats"]["economy"]


def _wallet(world):
    return world.desk.get("users", "ada")["payment_methods"]


def test_a_flight_that_is_booked_twice_loses_two_seats(world):
    paid = [{"payment_id": "card", "amount": 200}]
    answer, failed = _book(world, flights=TRIP["flights"] * 2, payment_methods=paid)
    assert not failed, answer
    assert _seats(world, "H1") == 7
    assert _seats(world.domain.world(), "H1") == 9  # of another episode


def test_a_certificate_pays_once_and_what_was_paid_before_it_failed_is_gone(world):
    paid = [
        {"payment_id": "gift", "amount": 20},
        {"payment_id": "paper", "amount": 40},
        {"payment_id": "paper", "amount": 40},
    ]
    assert _book(world, payment_methods=paid) == ("Error: 'paper'", True)
    assert "paper" not in _wallet(world)
    assert _wallet(world)["gift"]["amount"] == 130.0
    assert _seats(world, "H1") == 9


def test_three_bookings_can_be_made(world):
    ids = [json.loads(_book(world)[0])["reservation_id"] for _ in range(3)]
    assert ids == ["HATHAT", "HATHAU", "HATHAV"]
    assert _book(world) == ("Error: Too many reservations", True)


def test_a_kept_flight_keeps_its_price_and_another_cabin_does_not(world):
    _book(world)
    world.desk.edit("reservations", "HATHAT")["flights"][0]["price"] = 70
    change = {"reservation_id": "HATHAT", "flights": TRIP["flights"], "payment_id": "gift"}
    for cabin, price, left in (("economy", 70, 150.0), ("basic_economy", 50, 170.0)):
        answer, _ = world.call(
            "assistant", "update_reservation_flights", {**change, "cabin": cabin}
        )
        assert json.loads(answer)["flights"][0]["price"] == price
        assert _wallet(world)["gift"]["amount"] == left
    assert _seats(world, "H1") == 8  # a change takes no seat


def test_what_is_stored_is_not_the_callers_list(world):
    _book(world)
    given = ["Ada"]  # which the original stores as it is
    arguments = {"reservation_id": "HATHAT", "passengers": given}
    answer, failed = world.call("assistant", "update_reservation_passengers", arguments)
    given[0] = "Eve"
    assert (json.loads(answer)["passengers"], failed) == (["Ada"], False)
    assert world.desk.get("reservations", "HATHAT")["passengers"] == ["Ada"]


@pytest.mark.parametrize(
    ("date", "pairs"),
    [
        ("2024-05-20", [["H1", "H2"], ["H3", "H4"]]),
        ("2024-05-03", []),  # the 4th is looked for as 2024-05-4
    ],
)
def test_ways_with_a_change_of_planes(world, date, pairs):
    arguments = {"origin": "SFO", "destination": "BOS", "date": date}
    answer, _ = world.call("assistant", "search_onestop_flight", arguments)
    found = json.loads(answer)
    assert [[one["flight_number"] for one in pair] for pair in found] == pairs
    assert [one["date"] for pair in found for one in pair] == (
        ["2024-05-20", "2024-05-20", "2024-05-20", "2024-05-21"] if pairs else []
    )


def test_the_whole_database_is_preferred_and_named_where_there_is_none(data):
    (data / "db.json").write_text(json.dumps({**DATABASE, "users": {}}))
    assert Airline().base.tables["users"] == {}
    for file in list(data.iterdir()):
        file.unlink()
    with pytest.raises(DataMissing, match=r"airline/db\.json is not there"):
        Airline()
