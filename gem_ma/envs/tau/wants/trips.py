"""The wishes of a passenger of TAU-bench's airline, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gem_ma.envs.tau.wants.wish import Record, Wish, listed, paid_with

CABINS = {"basic_economy": "basic economy", "economy": "economy", "business": "business"}


class Leg(NamedTuple):
    """A part of a trip, from one place to another, on one or more flights."""

    origin: str
    destination: str
    date: str
    flights: tuple[str, ...]


def day(date: str) -> str:
    """Return a date in words; all flights are in May."""
    return f"May {int(date[-2:])}"


class Trips:
    """The wishes of a passenger."""

    def __init__(self, tables: Mapping[str, Mapping[str, Record]], user: Record, instruction: str):
        self.flights = tables["flights"]
        self.user = user
        self.instruction = instruction
        known = tables["reservations"]
        self.booked = {id: known[id] for id in user.get("reservations", ()) if id in known}

    def wish(self, tool: str, given: Record) -> Wish | None:
        """Return the wish that a gold action fulfils, or None for other actions."""
        if tool == "book_reservation":
            return self._book(tool, given)
        if tool == "send_certificate":
            return self._compensation(tool)
        id = given.get("reservation_id", "")
        record = self.booked.get(id)
        if record is None or tool not in _CHANGES:
            return None
        words = self._reservation(id)
        answers = {"order": f"It is {words}."}
        marks = (id,)
        choice: tuple[tuple[str, ...], ...] = ()
        about = brief = words
        if "payment_id" in given:
            pays = paid_with(self.user["payment_methods"], given["payment_id"], self.instruction)
            answers["payment"] = f"Please use {pays}."
        if tool == "update_reservation_flights":
            about, choice = self._change(given, record, words, answers)
        elif tool == "update_reservation_passengers":
            people = self._people(given["passengers"], record)
            about = f"{words} to {people}"
            answers["passengers"] = f"It should be {people}."
        elif tool == "update_reservation_baggages":
            bags = _bags(given["total_baggages"])
            about, brief = f"{bags} in all on {words}", f"checked bags on {words}"
            answers["bags"] = f"I want {bags} in all."
        elif tool == "cancel_reservation":
            answers["reason"] = "My plans have changed."
        return Wish(tool, about, brief, answers, choice, (id,), marks)

    def _reservation(self, id: str) -> str:
        """Describe a reservation as its owner does, who may not know its code."""
        if id in self.instruction:
            return f"reservation {id}"
        return f"my trip {_leg(self._legs({**self.booked[id], 'reservation_id': id})[0])}"

    def _change(
        self, given: Record, record: Record, words: str, answers: dict[str, str]
    ) -> tuple[str, tuple[tuple[str, ...], ...]]:
        cabin = CABINS.get(given["cabin"], given["cabin"])
        before = {(one["flight_number"], one["date"]) for one in record["flights"]}
        new_flights = [(one["flight_number"], one["date"]) for one in given["flights"]]
        about = f"{words} to {cabin}" if given["cabin"] != record["cabin"] else words
        answers["cabin"] = f"In {cabin}, please."
        if set(new_flights) == before:
            answers["flights"] = "The flights should stay as they are."
            return f"{about}, on the same flights", ()
        changed = [leg for leg in self._legs(given) if not _kept(leg, given, before)]
        legs_text = listed([_leg(leg) for leg in changed])
        stays = len(changed) < len(self._legs(given))
        rest = ", and the rest as it is" if stays else ""
        answers["date"] = answers["route"] = f"I want other flights {legs_text}{rest}."
        answers["flights"] = self._times(changed)
        return f"{about}, with other flights {legs_text}{rest}", tuple(
            [leg.flights for leg in changed]
        )

    def _legs(self, given: Record) -> list[Leg]:
        """Return the legs of a trip: one, or two for a round trip."""
        record = self.booked.get(given.get("reservation_id", ""), given)
        flights = [{**self.flights[one["flight_number"]], **one} for one in given["flights"]]
        parts = [flights]
        returns = flights[0]["origin"] == flights[-1]["destination"]
        if len(flights) > 1 and (returns or record["flight_type"] == "round_trip"):
            turn = max(range(1, len(flights)), key=lambda n: _stay(record, flights, n))
            parts = [flights[:turn], flights[turn:]]
        return [
            Leg(
                part[0]["origin"],
                part[-1]["destination"],
                part[0]["date"],
                tuple([one["flight_number"] for one in part]),
            )
            for part in parts
        ]

    def _times(self, legs: Sequence[Leg]) -> str:
        departures = []
        for leg in legs:
            leaves = self.flights[leg.flights[0]]["scheduled_departure_time_est"][:5]
            departures.append(f"from {leg.origin} at {leaves}")
        return f"I would like to leave {listed(departures)}."

    def _people(self, people: Sequence[Record], record: Record | None = None) -> str:
        """Return names, with birth dates that the instruction contains or that no record has."""
        me = {**self.user.get("name", {}), "dob": self.user.get("dob")}
        there = [*(record or {}).get("passengers", ()), me, *self.user.get("saved_passengers", ())]
        names = []
        for one in people:
            name = f"{one['first_name']} {one['last_name']}"
            stands = any(dict(it) == dict(one) for it in there) or any(
                (it["first_name"], it["dob"]) == (one["first_name"], one["dob"])
                for it in (record or {}).get("passengers", ())
            )
            with_dob = one["dob"] in self.instruction or not stands
            names.append(f"{name} (born {one['dob']})" if with_dob else name)
        return listed(names)

    def _book(self, tool: str, given: Record) -> Wish:
        legs = self._legs(given)
        kind = "one-way" if given["flight_type"] == "one_way" else "round"
        cabin = CABINS.get(given["cabin"], given["cabin"])
        trip = f"a {kind} trip {listed([_leg(leg) for leg in legs])}"
        methods = self.user["payment_methods"]
        pays = ", then ".join(
            paid_with(methods, one["payment_id"], self.instruction)
            for one in given["payment_methods"]
        )
        people = self._people(given["passengers"])
        answers = {
            "route": f"I want {trip}.",
            "date": f"I want {trip}.",
            "cabin": f"In {cabin}, please.",
            "passengers": f"The passengers are {people}.",
            "payment": f"Please use {pays}.",
            "bags": f"I want {_bags(given['total_baggages'])} in all.",
            "insurance": "Yes, with insurance."
            if given["insurance"] == "yes"
            else "No insurance, please.",
            "flights": self._times(legs),
        }
        about = f"{trip} in {cabin} for {people}"
        names = [f"{one['first_name']} {one['last_name']}" for one in given["passengers"]]
        marks = (given["origin"], given["destination"], *names)
        return Wish(
            tool, about, trip, answers, tuple([leg.flights for leg in legs]), ("new",), marks
        )

    def _compensation(self, tool: str) -> Wish:
        flight_numbers = [number for number in self.flights if number in self.instruction]
        late = "cancel" not in self.instruction.lower() or "delay" in self.instruction.lower()
        what = f"my {'delayed' if late else 'cancelled'} flight {listed(flight_numbers)}".strip()
        where = (
            "It is in my last reservation."
            if not flight_numbers
            else f"It is flight {listed(flight_numbers)}."
        )
        return Wish(
            tool,
            what,
            what,
            {"order": where, "flights": where},
            (),
            ("new",),
            tuple(flight_numbers),
        )


_CHANGES = {
    "cancel_reservation",
    "update_reservation_baggages",
    "update_reservation_flights",
    "update_reservation_passengers",
}


def _bags(count: int) -> str:
    return "no checked bags" if not count else f"{count} checked bag{'s' * (count > 1)}"


def _leg(leg: Leg) -> str:
    return f"from {leg.origin} to {leg.destination} on {day(leg.date)}"


def _stay(record: Record, flights: Sequence[Record], n: int) -> tuple[bool, str, float]:
    """Return a sort key: the higher, the likelier a round trip turns back before flight `n`."""
    last, one = flights[n - 1], flights[n]
    there = last["destination"] == record["destination"] != record["origin"]
    hours = _minutes(one["scheduled_departure_time_est"])
    return (
        there,
        one["date"],
        hours - _minutes(last["scheduled_arrival_time_est"])
        if (one["date"] == last["date"])
        else 0.0,
    )


def _minutes(time: str) -> float:
    return int(time[:2]) * 60 + int(time[3:5])


def _kept(leg: Leg, given: Record, before: set[tuple[str, str]]) -> bool:
    dates = {one["flight_number"]: one["date"] for one in given["flights"]}
    return all((number, dates[number]) in before for number in leg.flights)
