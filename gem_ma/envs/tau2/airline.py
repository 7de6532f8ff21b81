"""The airline of tau2-bench: flights are booked, changed and cancelled.

As in the original, a booking takes seats, a change takes none, and no tool gives seats back.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Literal, NamedTuple

from gem_ma.envs.tau.airline import AIRPORTS, NOW
from gem_ma.envs.tau.calculate import calculated
from gem_ma.envs.tau.store import Base, copied
from gem_ma.envs.tau2.domain import Domain, parse
from gem_ma.envs.tau2.kit import MAP, Kit, tool, writing
from gem_ma.envs.tau2.shape import (
    Default,
    Shape,
    choice,
    either,
    listed,
    mapped,
    number,
    optional,
    text,
    whole,
)
from gem_ma.validation.json_types import JSONMapping, JSONObject

Record = JSONObject
Known = JSONMapping  # a record for reading
Cabin = Literal["business", "economy", "basic_economy"]
RESERVATIONS = ("HATHAT", "HATHAU", "HATHAV")  # ids of new reservations
CERTIFICATES = ("certificate_3221322", "certificate_3221323", "certificate_3221324")
FILES = ("db.json", "db_reconstructed.json")  # the first file that exists is used

PASSENGER = Shape("Passenger", first_name=text, last_name=text, dob=text)
CERTIFICATE = Shape("Certificate", source=choice("certificate"), id=text, amount=number)
USER = Shape(
    "User",
    user_id=text,
    name=Shape("Name", first_name=text, last_name=text),
    address=Shape(
        "Address",
        address1=text,
        address2=Default(optional(text)),
        city=text,
        country=text,
        state=text,
        zip=text,
    ),
    email=text,
    dob=text,
    payment_methods=mapped(
        either(
            Shape("CreditCard", source=choice("credit_card"), id=text, brand=text, last_four=text),
            Shape("GiftCard", source=choice("gift_card"), id=text, amount=number),
            CERTIFICATE,
        )
    ),
    saved_passengers=listed(PASSENGER),
    membership=choice("gold", "silver", "regular"),
    reservations=listed(text),
)
FLIGHT = Shape(
    "Flight",
    flight_number=text,
    origin=text,
    destination=text,
    scheduled_departure_time_est=text,
    scheduled_arrival_time_est=text,
    dates=mapped(
        either(
            Shape(
                "FlightDateStatusAvailable",
                status=choice("available"),
                available_seats=mapped(whole),
                prices=mapped(whole),
            ),
            Shape(
                "FlightDateStatusLanded",
                status=choice("landed"),
                actual_departure_time_est=text,
                actual_arrival_time_est=text,
            ),
            Shape("FlightDateStatusCancelled", status=choice("cancelled")),
            Shape(
                "FlightDateStatusDelayed",
                status=choice("delayed"),
                estimated_departure_time_est=text,
                estimated_arrival_time_est=text,
            ),
            Shape(
                "FlightDataStatusFlying",
                status=choice("flying"),
                actual_departure_time_est=text,
                estimated_arrival_time_est=text,
            ),
            Shape(
                "FlightDataStatusOnTime",
                status=choice("on time"),
                estimated_departure_time_est=text,
                estimated_arrival_time_est=text,
            ),
        )
    ),
)
WANTED = Shape("FlightInfo", flight_number=text, date=text)
PAYMENT = Shape("Payment", payment_id=text, amount=whole)
RESERVATION = Shape(
    "Reservation",
    reservation_id=text,
    user_id=text,
    origin=text,
    destination=text,
    flight_type=choice("round_trip", "one_way"),
    cabin=choice("business", "economy", "basic_economy"),
    flights=listed(
        Shape(
            "ReservationFlight",
            flight_number=text,
            origin=text,
            destination=text,
            date=text,
            price=whole,
        )
    ),
    passengers=listed(PASSENGER),
    payment_history=listed(PAYMENT),
    created_at=text,
    total_baggages=whole,
    nonfree_baggages=whole,
    insurance=choice("yes", "no"),
    status=Default(optional(choice("cancelled"))),
)


class AirlineTools(Kit):
    @writing
    def book_reservation(
        self,
        user_id: str,
        origin: str,
        destination: str,
        flight_type: Literal["round_trip", "one_way"],
        cabin: Cabin,
        flights: list[JSONObject],
        passengers: list[JSONObject],
        payment_methods: list[JSONObject],
        total_baggages: int,
        nonfree_baggages: int,
        insurance: Literal["yes", "no"],
    ) -> Record:
        """Book flights for a user and pay for them.

        Args:
            user_id: the user, such as "sara_doe_496"
            origin: the airport where the trip begins, such as "SFO"
            destination: the airport where it leads, such as "JFK"
            flight_type: "one_way" or "round_trip"
            cabin: "basic_economy", "economy" or "business"
            flights: of each flight its flight_number and date ("2024-05-01")
            passengers: of each person first_name, last_name and dob ("1990-04-05")
            payment_methods: of each payment its payment_id and amount; together they pay the price
            total_baggages: how many bags there are
            nonfree_baggages: how many of them are to be paid for
            insurance: whether the trip is insured, "yes" or "no"
        """
        requested_flights = _read(WANTED, flights, Wanted)
        passengers = _read(PASSENGER, passengers)
        payment_methods = _read(PAYMENT, payment_methods)
        user = self._user(user_id)
        reservation = RESERVATION.make(
            reservation_id=self._new_id(),
            user_id=user_id,
            origin=origin,
            destination=destination,
            flight_type=flight_type,
            cabin=cabin,
            flights=[],
            passengers=passengers,
            payment_history=payment_methods,
            created_at=NOW,
            total_baggages=total_baggages,
            nonfree_baggages=nonfree_baggages,
            insurance=insurance,
        )
        persons = len(reservation["passengers"])
        total = 0
        for one in requested_flights:
            flight = self._booked(one, cabin, persons)
            reservation["flights"].append(flight)
            total += flight["price"] * persons
        if insurance == "yes":
            total += 30 * persons
        total += 50 * nonfree_baggages  # the argument itself, not the stored value
        payments = reservation["payment_history"]
        _check_payments(user, payments, total)
        methods = self.desk.edit("users", user_id)["payment_methods"]
        for payment in payments:
            method = methods[payment["payment_id"]]  # KeyError if used up above
            if method["source"] == "gift_card":
                method["amount"] -= payment["amount"]
            elif method["source"] == "certificate":  # used up, even if it was worth more
                del methods[payment["payment_id"]]
        for flight in reservation["flights"]:
            dates = self.desk.edit("flights", flight["flight_number"])["dates"]
            dates[flight["date"]]["available_seats"][cabin] -= persons
        self.desk.put("reservations", reservation["reservation_id"], reservation)
        self.desk.edit("users", user_id)["reservations"].append(reservation["reservation_id"])
        return reservation

    @tool
    def calculate(self, expression: str) -> str:
        """Work out a sum.

        Args:
            expression: numbers, + - * /, parentheses and spaces, such as "2 * (3 + 4)"
        """
        return calculated(expression, "Invalid characters in expression")

    @writing
    def cancel_reservation(self, reservation_id: str) -> Record:
        """Cancel a whole reservation and refund what was paid.

        Args:
            reservation_id: the reservation, such as "ZFA04Y"
        """
        self._reservation(reservation_id)
        reservation = self.desk.edit("reservations", reservation_id)
        reservation["payment_history"] += [
            {"payment_id": payment["payment_id"], "amount": -payment["amount"]}
            for payment in reservation["payment_history"]
        ]
        reservation["status"] = "cancelled"
        return reservation

    @tool
    def get_reservation_details(self, reservation_id: str) -> Known:
        """Look up a reservation.

        Args:
            reservation_id: the reservation, such as "8JX2WO"
        """
        return self._reservation(reservation_id)

    @tool
    def get_user_details(self, user_id: str) -> Known:
        """Look up a user, with payment methods and reservations.

        Args:
            user_id: the user, such as "sara_doe_496"
        """
        return self._user(user_id)

    @tool
    def list_all_airports(self) -> list[Record]:
        """List all airports and their cities."""
        return [{"iata": code, "city": city} for code, city in AIRPORTS.items()]

    @tool
    def search_direct_flight(self, origin: str, destination: str, date: str) -> list[Record]:
        """Find the flights between two airports on a day that can be booked.

        Args:
            origin: the airport of departure, such as "JFK"
            destination: the airport of arrival, such as "LAX"
            date: the day, such as "2024-01-01"
        """
        return [_dated(flight, date) for flight in self._flights(date, origin, destination)]

    @tool
    def search_onestop_flight(
        self, origin: str, destination: str, date: str
    ) -> list[tuple[Record, Record]]:
        """Find the ways between two airports on a day that change planes once.

        Args:
            origin: the airport of departure, such as "JFK"
            destination: the airport of arrival, such as "LAX"
            date: the day of the first flight, such as "2024-05-01"
        """
        pairs = []
        for first in self._flights(date, origin):
            arrival = first["scheduled_arrival_time_est"]
            # The day is not zero-padded: after a night flight, dates before the 10th never match.
            next_date = f"2024-05-{int(date[-2:]) + 1}" if "+1" in arrival else date
            first_leg = {**_dated(first, date), "date": date}
            for last in self._flights(next_date, first["destination"], destination, arrival):
                pairs.append((first_leg, {**_dated(last, next_date), "date": next_date}))
        return pairs

    @writing
    def send_certificate(self, user_id: str, amount: int) -> str:
        """Give a user a certificate. Be careful!

        Args:
            user_id: the user, such as "sara_doe_496"
            amount: what it is worth
        """
        methods = self._user(user_id)["payment_methods"]
        for id in CERTIFICATES:
            if id not in methods:
                certificate = CERTIFICATE.make(id=id, amount=amount, source="certificate")
                self.desk.edit("users", user_id)["payment_methods"][id] = certificate
                return f"Certificate {id} added to user {user_id} with amount {amount}."
        raise ValueError("Too many certificates")

    @tool
    def transfer_to_human_agents(self, summary: str) -> str:
        """Hand the user over to a person, where they ask for one or no tool and no rule helps.

        Args:
            summary: what the user needs
        """
        return "Transfer successful"

    @writing
    def update_reservation_baggages(
        self, reservation_id: str, total_baggages: int, nonfree_baggages: int, payment_id: str
    ) -> Record:
        """Change how many bags a reservation has.

        Args:
            reservation_id: the reservation, such as "ZFA04Y"
            total_baggages: how many bags there are to be
            nonfree_baggages: how many of them are to be paid for
            payment_id: what pays, such as "credit_card_7815826" or "gift_card_7815826"
        """
        known = self._reservation(reservation_id)
        self._user(known["user_id"])
        price = 50 * max(0, nonfree_baggages - known["nonfree_baggages"])
        self._pay(reservation_id, payment_id, price)
        reservation = self.desk.edit("reservations", reservation_id)
        reservation["total_baggages"] = copied(total_baggages)
        reservation["nonfree_baggages"] = nonfree_baggages
        return reservation

    @writing
    def update_reservation_flights(
        self, reservation_id: str, cabin: Cabin, flights: list[JSONObject], payment_id: str
    ) -> Record:
        """Change the flights or the cabin of a reservation.

        Args:
            reservation_id: the reservation, such as "ZFA04Y"
            cabin: "basic_economy", "economy" or "business"
            flights: flight_number and date of ALL flights, also of those that stay
            payment_id: what pays or is refunded, such as "credit_card_7815826" or
                "gift_card_7815826"
        """
        requested_flights = _read(WANTED, flights, Wanted)
        known = self._reservation(reservation_id)
        self._user(known["user_id"])
        persons = len(known["passengers"])
        old = known["flights"] if cabin == known["cabin"] else ()
        total = 0
        new = []
        for one in requested_flights:
            old_flight = next((flight for flight in old if _is(flight, one)), None)
            new.append(
                self._booked(one, cabin, persons) if old_flight is None else copied(old_flight)
            )
            total += new[-1]["price"] * persons
        total -= sum(flight["price"] for flight in known["flights"]) * persons
        self._pay(reservation_id, payment_id, total)
        reservation = self.desk.edit("reservations", reservation_id)
        reservation["flights"] = new
        reservation["cabin"] = copied(cabin)
        return reservation

    @writing
    def update_reservation_passengers(
        self, reservation_id: str, passengers: list[JSONObject]
    ) -> Record:
        """Change who flies, but not how many.

        Args:
            reservation_id: the reservation, such as "ZFA04Y"
            passengers: of each person first_name, last_name and dob ("1990-04-05")
        """
        passengers = _read(PASSENGER, passengers)
        known = self._reservation(reservation_id)
        if len(passengers) != len(known["passengers"]):
            raise ValueError("Number of passengers does not match")
        reservation = self.desk.edit("reservations", reservation_id)
        reservation["passengers"] = copied(passengers)
        return reservation

    @tool
    def get_flight_status(self, flight_number: str, date: str) -> str:
        """Look up how a flight stands on a day.

        Args:
            flight_number: the flight, such as "HAT001"
            date: the day, such as "2024-05-01"
        """
        return self._day(flight_number, date)["status"]

    def _user(self, user_id: str) -> Known:
        return self._known("users", user_id, "User")

    def _reservation(self, reservation_id: str) -> Known:
        return self._known("reservations", reservation_id, "Reservation")

    def _known(self, table: str, id: str, kind: str) -> Known:
        record = self.desk.get(table, id)
        if record is None:
            raise ValueError(f"{kind} {id} not found")
        return record

    def _new_id(self) -> str:
        for id in RESERVATIONS:
            if self.desk.get("reservations", id) is None:
                return id
        raise ValueError("Too many reservations")

    def _day(self, flight_number: str, date: str) -> Known:
        """Return the record of a flight on a day."""
        dates = self._known("flights", flight_number, "Flight")["dates"]
        if date not in dates:
            raise ValueError(f"Flight {flight_number} not found on date {date}")
        return dates[date]

    def _booked(self, wanted: Wanted, cabin: str, persons: int) -> Record:
        """Return a flight as reservations store it, or raise ValueError if it cannot be booked."""
        number, date = wanted.flight_number, wanted.date
        day = self._day(number, date)
        if day["status"] != "available":
            raise ValueError(f"Flight {number} not available on date {date}")
        if day["available_seats"][cabin] < persons:
            raise ValueError(f"Not enough seats on flight {number}")
        flight = self._known("flights", number, "Flight")
        return {
            "flight_number": number,
            "origin": flight["origin"],
            "destination": flight["destination"],
            "date": date,
            "price": day["prices"][cabin],
        }

    def _flights(
        self, date: str, origin: str, destination: str | None = None, leave_after: str = ""
    ) -> Iterable[Known]:
        """Yield flights that can be booked, in order; None as an airport means any airport."""
        for id in _from(self.desk.base, origin):
            flight = self._known("flights", id, "Flight")
            if destination is not None and flight["destination"] != destination:
                continue
            day = flight["dates"].get(date)
            if day is None or day["status"] != "available":
                continue
            if flight["scheduled_departure_time_est"] >= leave_after:  # as texts, with "+1"
                yield flight

    def _pay(self, reservation_id: str, payment_id: str, price: float) -> None:
        """Pay for a change of a reservation; a negative price is refunded."""
        user_id = self._reservation(reservation_id)["user_id"]
        methods = self._user(user_id)["payment_methods"]
        if payment_id not in methods:
            raise ValueError("Payment method not found")
        source = methods[payment_id]["source"]
        if source == "certificate":
            raise ValueError("Certificate cannot be used to update reservation")
        if source == "gift_card":
            if methods[payment_id]["amount"] < price:
                raise ValueError("Gift card balance is not enough")
            card = self.desk.edit("users", user_id)["payment_methods"][payment_id]
            card["amount"] -= price
        if price != 0:
            payment = PAYMENT.make(payment_id=payment_id, amount=price)
            self.desk.edit("reservations", reservation_id)["payment_history"].append(payment)


class Wanted(NamedTuple):
    """A requested flight."""

    flight_number: str
    date: str


def _read(shape: Shape, given: list[JSONObject], kind: Callable[..., object] = dict) -> Any:
    """Return all arguments as `kind`; if one is not an object, return them unchanged."""
    if all(isinstance(one, dict) for one in given):
        return [kind(**shape.make(**one)) for one in given]
    return given


def _is(flight: Known, wanted: Wanted) -> bool:
    return (flight["flight_number"], flight["date"]) == (wanted.flight_number, wanted.date)


def _dated(flight: Known, date: str) -> Record:
    """Return a flight with the seats and prices of a day on which it can be booked."""
    day = flight["dates"][date]
    return {
        "flight_number": flight["flight_number"],
        "origin": flight["origin"],
        "destination": flight["destination"],
        "status": "available",
        "scheduled_departure_time_est": flight["scheduled_departure_time_est"],
        "scheduled_arrival_time_est": flight["scheduled_arrival_time_est"],
        "date": None,
        "available_seats": day["available_seats"],
        "prices": day["prices"],
    }


def _check_payments(user: Known, payments: Iterable[Known], total: float) -> None:
    """Raise ValueError if payments miss the total; each balance is checked on its own."""
    methods = user["payment_methods"]
    paid = 0
    for payment in payments:
        id, amount = payment["payment_id"], payment["amount"]
        if id not in methods:
            raise ValueError(f"Payment method {id} not found")
        if methods[id]["source"] != "credit_card" and methods[id]["amount"] < amount:
            raise ValueError(f"Not enough balance in payment method {id}")
        paid += amount
    if paid != total:
        raise ValueError(f"Payment amount does not add up, total price is {total}, but paid {paid}")


def _from(base: Base, origin: object) -> Iterable[str]:
    """Return the ids of the flights from an airport, or of all flights if it is None."""
    if origin is None:
        return base.tables["flights"]
    return _departures(base).get(origin, ()) if isinstance(origin, str) else ()


@functools.lru_cache(maxsize=4)
def _departures(base: Base) -> dict[str, list[str]]:
    """Return the flight ids by airport of departure; no tool adds or moves a flight."""
    names_by_id: dict[str, list[str]] = {}
    for id, flight in base.tables["flights"].items():
        names_by_id.setdefault(flight["origin"], []).append(id)
    return names_by_id


class Airline(Domain):
    name = "airline"
    kits: ClassVar = {"assistant": AirlineTools}
    sides: ClassVar = {"assistant": {"flights": MAP, "users": MAP, "reservations": MAP}}
    shapes: ClassVar = {"flights": FLIGHT, "users": USER, "reservations": RESERVATION}

    def database(self, seat: str) -> JSONMapping:
        name = next((name for name in FILES if (self.path() / name).is_file()), FILES[0])
        return parse(self.read(name), name)
