"""An assistant of an airline that knows the required changes, and learns the rest by asking."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gem_ma.envs.tau.agents.assistants.customer_records import find_payment_method
from gem_ma.envs.tau.agents.assistants.dialogue_flow import DialogueFlow, format_call
from gem_ma.envs.tau.agents.assistants.service_dialogue import (
    ServiceDialogue,
    TaskKnowledge,
    parse_tool_result,
)
from gem_ma.validation.json_types import JSONMapping, JSONObject

AirlineRecord = JSONMapping
_USER_ID = re.compile(r"\b[a-z]+_[a-z]+_\d{4}\b")
_RESERVATION_CODE = re.compile(r"\b[A-Z0-9]{6}\b")
_FLIGHT_LEG = re.compile(r"from ([A-Z]{3}) to ([A-Z]{3}) on May (\d{1,2})\b")
_FLIGHT_NUMBER = re.compile(r"\bHAT\d{3}\b")
_BAG_COUNT = re.compile(r"\b(no|\d{1,3}) checked bags?")
_PASSENGER = re.compile(r"(?<![\w'-])([A-Z][\w'-]++) ([A-Z][\w'-]++)(?: \(born ([\d-]++)\))?")
_FLIGHT_CHANGE = re.compile(r"\bIn (?:basic economy|economy|business)\b|flights")
CABIN_IDS = {"basic economy": "basic_economy", "economy": "economy", "business": "business"}
FREE_BAGS = {"regular": (0, 1, 2), "silver": (1, 2, 3), "gold": (2, 3, 3)}  # free bags by cabin
MAX_OFFER_LENGTH = 3500  # maximum number of characters of an offer


def serve_passenger(task: TaskKnowledge, first: str) -> DialogueFlow:
    """Return the dialogue of an assistant with a passenger."""
    return AirlineDialogue(task, first).serve()


class FlightLeg(NamedTuple):
    origin: str
    destination: str
    date: str


class FlightOffer(NamedTuple):
    """Flights that are offered together, and their price for one passenger."""

    flights: tuple[tuple[str, str], ...]  # number, date
    price: int
    words: str


class AirlineDialogue(ServiceDialogue):
    """A conversation with a passenger."""

    wish_patterns: Mapping[str, re.Pattern[str]] = {
        "book_reservation": re.compile(r"\b(?:book|reserve) an?\b", re.I),
        "cancel_reservation": re.compile(r"\b(?:cancel|call off)\b", re.I),
        "update_reservation_flights": re.compile(r"\b(?:change|switch) (?:reservation|my trip)\b"),
        "update_reservation_passengers": re.compile(r"\bthe passengers of\b"),
        "update_reservation_baggages": re.compile(r"checked bags? [^.]{0,40}\bon\b"),
        "send_certificate": re.compile(r"\bcompensation\b", re.I),
    }

    def identify_user(self) -> DialogueFlow:
        tried = set()
        while True:
            for id in dict.fromkeys(one for text in self.heard for one in _USER_ID.findall(text)):
                if id not in tried:
                    tried.add(id)
                    self.user = parse_tool_result(
                        (yield format_call("get_user_details", user_id=id))
                    )
                    if self.user:
                        self.id = id
                        self.reservations: JSONObject = {}
                        self.cabins: dict[str, str] = {}  # new cabins by reservation
                        return
            again = "I cannot find you so. " if tried else ""
            yield from self.say(f"{again}Could you tell me your user id?")

    def grant_wish(self, tool: str, wish: str) -> DialogueFlow:
        if tool == "book_reservation":
            return (yield from self._book_trip(wish))
        if tool == "send_certificate":
            return (yield from self._send_compensation(wish))
        id = yield from self._find_reservation(wish)
        if id is None:
            return False
        record = self.reservations[id]
        if tool == "cancel_reservation":
            yield from self.ask(f"What is the reason to cancel {id}?", str)
            return (yield from self._change_record(tool, id, reservation_id=id))
        if tool == "update_reservation_passengers":
            people = yield from self.ask(
                f"Who are the passengers of {id}?",
                lambda text: self._parse_passengers(text, record),
                wish.rpartition(" to ")[2],
            )
            return (yield from self._change_record(tool, id, reservation_id=id, passengers=people))
        arguments: JSONObject = {"reservation_id": id}
        if tool == "update_reservation_baggages":
            total = yield from self.ask(f"How many bags in all for {id}?", _parse_bags, wish)
            people = len(record["passengers"])
            free = self._count_free_bags(self.cabins.get(id, record["cabin"])) * people
            arguments |= {"total_baggages": total, "nonfree_baggages": max(0, (total or 0) - free)}
        else:
            arguments |= yield from self._ask_flights(wish, id, record)
        pays = yield from self.ask(
            f"Which payment method shall it be for {id}?",
            lambda text: find_payment_method(self.user["payment_methods"], text),
        )
        return (yield from self._change_record(tool, id, **arguments, payment_id=pays))

    def _change_record(self, tool: str, about: str, **given: Any) -> DialogueFlow:
        """Call a tool if the user agrees, and return whether the call succeeded."""
        if None in given.values() or not (yield from self.confirm(f"call {tool} for {about}")):
            return False
        answer = yield format_call(tool, **given)
        record = parse_tool_result(answer)
        if isinstance(record, dict) and "reservation_id" in record:
            self.reservations[record["reservation_id"]] = record
            if "cabin" in given:
                self.cabins[record["reservation_id"]] = given["cabin"]
        if tool == "book_reservation":  # payment methods have changed
            self.user = parse_tool_result((yield format_call("get_user_details", user_id=self.id)))
        return not answer.startswith("Error")

    def _find_reservation(self, wish: str) -> DialogueFlow:
        text = wish
        for _ in range(5):
            for id in _RESERVATION_CODE.findall(text):
                if id in self.user["reservations"]:
                    yield from self._look_up_reservation(id)
                    return id
            match = _FLIGHT_LEG.search(text)
            if match:
                leg = FlightLeg(match[1], match[2], _format_date(match[3]))
                for id in self.user["reservations"]:
                    record = yield from self._look_up_reservation(id)
                    if _begins_with(record, leg):
                        return id
            text = yield from self.say(
                f'Which reservation do you mean by "{wish}" The code, or from where to where?'
            )
        return None

    def _look_up_reservation(self, id: str) -> DialogueFlow:
        if id not in self.reservations:
            self.reservations[id] = parse_tool_result(
                (yield format_call("get_reservation_details", reservation_id=id))
            )
        return self.reservations[id]

    def _ask_flights(self, wish: str, id: str, record: AirlineRecord) -> DialogueFlow:
        """Return the new cabin and flights of a reservation."""
        if "the same flights" not in wish and "other flights" not in wish:  # not told yet
            text = yield from self.ask(
                f"Which cabin shall {id} be, and on which dates do you want other flights?",
                lambda text: text if _FLIGHT_CHANGE.search(text) else None,
            )
            wish = f"{wish} {(text or '').replace('In ', 'to ')}"
        change, _, rest = wish.partition("other flights")
        match = re.search(r"\bto (basic economy|economy|business)\b", change)
        if match is None:
            match = re.search(r"\bto (basic economy|economy|business)\b", wish)
        cabin = CABIN_IDS[match[1]] if match else record["cabin"]
        now = [(one["flight_number"], one["date"]) for one in record["flights"]]
        legs = [
            FlightLeg(one[1], one[2], _format_date(one[3])) for one in _FLIGHT_LEG.finditer(rest)
        ]
        if legs:
            people = len(record["passengers"])
            chosen = []
            for leg in legs:
                offer = yield from self._choose_flight(leg, cabin, people)
                if offer is None:
                    return {"cabin": None, "flights": None}
                chosen.append((leg, offer.flights))
            now = _replace_flights(record, chosen, "the rest as it is" in wish)
        return {"cabin": cabin, "flights": [{"flight_number": n, "date": d} for n, d in now]}

    def _choose_flight(self, leg: FlightLeg, cabin: str, people: int) -> DialogueFlow:
        """Offer all flights of a leg, and return the offer that the user takes."""
        arguments = leg._asdict()
        direct = parse_tool_result((yield format_call("search_direct_flight", **arguments)))
        pairs = parse_tool_result((yield format_call("search_onestop_flight", **arguments)))
        trips = [[{**one, "date": leg.date}] for one in direct or []] + list(pairs or [])
        offers = [_make_offer(trip, cabin) for trip in trips if _count_seats(trip, cabin) >= people]
        offer_list = "\n".join(one.words for one in offers)[:MAX_OFFER_LENGTH] or "none"

        def find_offer(text: str) -> FlightOffer | None:
            numbers = tuple(_FLIGHT_NUMBER.findall(text))
            fit = [one for one in offers if tuple(n for n, _ in one.flights) == numbers]
            return fit[0] if fit else None

        return (
            yield from self.ask(
                f"From {leg.origin} to {leg.destination} on {leg.date} there are:\n{offer_list}\n"
                "Which flight do you take?",
                find_offer,
            )
        )

    def _book_trip(self, wish: str) -> DialogueFlow:
        legs = [
            FlightLeg(one[1], one[2], _format_date(one[3])) for one in _FLIGHT_LEG.finditer(wish)
        ]
        if not legs:
            return False
        cabin = yield from self.ask("Which cabin do you want?", _parse_cabin, wish)
        people = yield from self.ask(
            "Who are the passengers?",
            lambda text: self._parse_passengers(text, {}),
            wish.partition(" for ")[2],
        )
        if not cabin or not people:
            return False
        total, flights = 0, []
        for leg in legs:
            offer = yield from self._choose_flight(leg, cabin, len(people))
            if offer is None:
                return False
            total += offer.price * len(people)
            flights += [{"flight_number": number, "date": date} for number, date in offer.flights]
        bags = yield from self.ask("How many checked bags will there be?", _parse_bags)
        insured = yield from self.ask("Do you want insurance?", _parse_insurance)
        names = " and ".join(f"{one['first_name']} {one['last_name']}" for one in people)
        paid = max(0, (bags or 0) - self._count_free_bags(cabin) * len(people))
        total += 50 * paid + (30 * len(people) if insured == "yes" else 0)
        pays = yield from self.ask(
            f"It costs ${total} for {names}. Which payment method shall it be?",
            lambda text: self._parse_payments(text, total),
        )
        return (
            yield from self._change_record(
                "book_reservation",
                f"the trip from {legs[0].origin} to {legs[0].destination}",
                user_id=self.id,
                origin=legs[0].origin,
                destination=legs[0].destination,
                flight_type="round_trip" if " round trip" in wish else "one_way",
                cabin=cabin,
                flights=flights,
                passengers=people,
                payment_methods=pays,
                total_baggages=bags,
                nonfree_baggages=paid,
                insurance=insured,
            )
        )

    def _parse_payments(self, text: str, total: int) -> list[JSONObject] | None:
        """Return the amounts that the named methods pay, in text order, or None."""
        paid: list[JSONObject] = []
        methods = self.user["payment_methods"]
        for part in text.split(", then "):
            id = find_payment_method(methods, part)
            if id is None:
                return None
            amount = min(methods[id].get("amount", total), total)
            total -= amount
            paid.append({"payment_id": id, "amount": amount})
        return paid if not total else None

    def _parse_passengers(self, text: str, record: AirlineRecord) -> list[dict[str, str]] | None:
        """Return the named passengers, with birth dates from the text or from records."""
        me = {**self.user["name"], "dob": self.user["dob"]}
        there = [*record.get("passengers", ()), me, *self.user["saved_passengers"]]
        passengers = []
        for one in _PASSENGER.finditer(text):
            named = {"first_name": one[1], "last_name": one[2]}
            same = [it for it in there if {**it, **named} == it]
            same += [it for it in record.get("passengers", ()) if it["first_name"] == one[1]]
            dob = one[3] or (same[0]["dob"] if same else None)
            if dob is None:
                return None
            passengers.append({**named, "dob": dob})
        return passengers or None

    def _send_compensation(self, wish: str) -> DialogueFlow:
        """Send a certificate for a delayed or cancelled flight."""
        record: AirlineRecord | None = None
        numbers = set(_FLIGHT_NUMBER.findall(wish))
        for id in self.user["reservations"]:
            one = yield from self._look_up_reservation(id)
            on_it = numbers & {flight["flight_number"] for flight in one["flights"]}
            if on_it or not numbers:  # without a flight number, the last reservation
                record = one
        if record is None:
            return False
        each = 100 if "cancelled" in wish else 50
        amount = each * len(record["passengers"])
        return (
            yield from self._change_record(
                "send_certificate", f"${amount}", user_id=self.id, amount=amount
            )
        )

    def _count_free_bags(self, cabin: str) -> int:
        """Return the number of free bags per passenger."""
        return FREE_BAGS[self.user["membership"]][list(CABIN_IDS.values()).index(cabin)]


def _format_date(day: str) -> str:
    return f"2024-05-{int(day):02d}"


def _begins_with(record: AirlineRecord, leg: FlightLeg) -> bool:
    """Return whether a reservation begins with a leg and is not cancelled."""
    first = record["flights"][0]
    return (
        record.get("status") != "cancelled"
        and (first["origin"], first["date"]) == (leg.origin, leg.date)
        and leg.destination in [one["destination"] for one in record["flights"]]
    )


def _count_seats(trip: Sequence[AirlineRecord], cabin: str) -> int:
    return min(int(one["available_seats"][cabin]) for one in trip)


def _make_offer(trip: Sequence[AirlineRecord], cabin: str) -> FlightOffer:
    price = sum(int(one["prices"][cabin]) for one in trip)
    numbers = " + ".join(one["flight_number"] for one in trip)
    begins = trip[0]["scheduled_departure_time_est"][:5]
    ends = trip[-1]["scheduled_arrival_time_est"][:5]
    flights = tuple([(one["flight_number"], one["date"]) for one in trip])
    return FlightOffer(flights, price, f"{numbers}: {begins} to {ends}, ${price}")


def _replace_flights(
    record: AirlineRecord, chosen: Sequence[tuple[FlightLeg, Sequence[tuple[str, str]]]], rest: bool
) -> list[tuple[str, str]]:
    """Return the flights of a reservation after some are replaced."""
    if not rest:
        return [flight for _, flights in chosen for flight in flights]
    new_flights: list[tuple[str, str]] = []
    left = list(record["flights"])
    new = {(leg.origin, leg.destination): flights for leg, flights in chosen}
    while left:
        ends = [
            place
            for place, one in enumerate(left)
            if (left[0]["origin"], one["destination"]) in new
        ]
        if ends:
            new_flights += new[left[0]["origin"], left[ends[0]]["destination"]]
            left = left[ends[0] + 1 :]
        else:
            new_flights.append((left[0]["flight_number"], left[0]["date"]))
            left = left[1:]
    return new_flights


def _parse_bags(text: str) -> int | None:
    match = _BAG_COUNT.search(text)
    return None if match is None else 0 if match[1] == "no" else int(match[1])


def _parse_cabin(text: str) -> str | None:
    match = re.search(r"\bin (basic economy|economy|business)\b", text, re.I)
    return CABIN_IDS[match[1].lower()] if match else None


def _parse_insurance(text: str) -> str | None:
    if "insurance" not in text:
        return None
    return "yes" if text.lower().startswith("yes") else "no"
