"""The tools of TAU-bench's airline, with every quirk of the original that affects scores.

No tool changes a flight: bookings take no seats, and cancellations return none.
The original stores the argument lists themselves, so two calls with one list share its changes.
Here arguments come from JSON, where no list is shared, and the tools copy them.
"""

from __future__ import annotations

import functools
import json
import operator

from gem_ma.envs.tau.calculate import calculate
from gem_ma.envs.tau.calling import Tool, ToolError
from gem_ma.envs.tau.store import Desk, Record, copied
from gem_ma.validation.json_types import JSONObject

NOW = "2024-05-15T15:00:00"
AIRPORTS = {
    "SFO": "San Francisco",
    "JFK": "New York",
    "LAX": "Los Angeles",
    "ORD": "Chicago",
    "DFW": "Dallas",
    "DEN": "Denver",
    "SEA": "Seattle",
    "ATL": "Atlanta",
    "MIA": "Miami",
    "BOS": "Boston",
    "PHX": "Phoenix",
    "IAH": "Houston",
    "LAS": "Las Vegas",
    "MCO": "Orlando",
    "EWR": "Newark",
    "CLT": "Charlotte",
    "MSP": "Minneapolis",
    "DTW": "Detroit",
    "PHL": "Philadelphia",
    "LGA": "LaGuardia",
}


def book_reservation(
    desk: Desk,
    user_id,
    origin,
    destination,
    flight_type,
    cabin,
    flights,
    passengers,
    payment_methods,
    total_baggages,
    nonfree_baggages,
    insurance,
) -> str:
    """Book flights and pay for them; a fourth booking replaces the third."""
    user = _known(desk, "users", user_id, "user not found")
    names = ("HATHAT", "HATHAU")
    id = next((name for name in names if desk.get("reservations", name) is None), "HATHAV")
    record = copied(
        {
            "reservation_id": id,
            "user_id": user_id,
            "origin": origin,
            "destination": destination,
            "flight_type": flight_type,
            "cabin": cabin,
            "flights": flights,
            "passengers": passengers,
            "payment_history": payment_methods,
            "created_at": NOW,
            "total_baggages": total_baggages,
            "nonfree_baggages": nonfree_baggages,
            "insurance": insurance,
        }
    )
    total = 0
    for flight in record["flights"]:
        _seat(desk, flight, cabin, passengers)
        total += flight["price"] * len(passengers)
    if insurance == "yes":
        total += 30 * len(passengers)
    total += 50 * nonfree_baggages
    payments = record["payment_history"]
    _check_payments(user, payments, total)
    user = desk.edit("users", user_id)
    for payment in payments:
        method = user["payment_methods"][payment["payment_id"]]  # KeyError if used up above
        if method["source"] == "gift_card":
            method["amount"] -= payment["amount"]
        elif method["source"] == "certificate":  # used up, even if it was worth more
            del user["payment_methods"][payment["payment_id"]]
    desk.put("reservations", id, record)
    user["reservations"].append(id)
    return json.dumps(record)


def cancel_reservation(desk: Desk, reservation_id) -> str:
    """Cancel a reservation, even a cancelled one, and note its payments as refunds."""
    _known(desk, "reservations", reservation_id, "reservation not found")
    record = desk.edit("reservations", reservation_id)
    refunds = [
        {"payment_id": payment["payment_id"], "amount": -payment["amount"]}
        for payment in record["payment_history"]
    ]
    record["payment_history"].extend(refunds)
    record["status"] = "cancelled"
    return json.dumps(record)


def get_reservation_details(desk: Desk, reservation_id) -> str:
    """Show a reservation."""
    # The original's message also says "user".
    return json.dumps(_known(desk, "reservations", reservation_id, "user not found"))


def get_user_details(desk: Desk, user_id) -> str:
    """Show a user."""
    return json.dumps(_known(desk, "users", user_id, "user not found"))


def list_all_airports(desk: Desk) -> str:
    """Show the airports and their cities."""
    return json.dumps(AIRPORTS)


def search_direct_flight(desk: Desk, origin, destination, date) -> str:
    """Show the flights between two airports on a date."""
    flights = [
        _dated(flight, date)
        for _, flight in desk.rows("flights")
        if flight["origin"] == origin
        and flight["destination"] == destination
        and _available(flight, date)
    ]
    return json.dumps(flights)


def search_onestop_flight(desk: Desk, origin, destination, date) -> str:
    """Show the pairs of flights that connect two airports; the first leaves on the date."""
    flights = [flight for _, flight in desk.rows("flights")]
    lasts = [flight for flight in flights if flight["destination"] == destination]
    pairs = []
    for first in flights:
        if first["origin"] != origin:
            continue
        for last in lasts:
            if last["origin"] != first["destination"]:
                continue
            arrival = first["scheduled_arrival_time_est"]
            # The day is not zero-padded: after a night flight, dates before the 10th never match.
            last_date = f"2024-05-{int(date[-2:]) + 1}" if "+1" in arrival else date
            if arrival > last["scheduled_departure_time_est"]:  # clock times, even across days
                continue
            if date not in first["dates"] or last_date not in last["dates"]:
                continue
            if _available(first, date) and _available(last, last_date):
                # Both flights have the seats and prices of the first date, even across days.
                pair = (_dated(first, date), date), (_dated(last, date), last_date)
                pairs.append([{**leg, "date": day} for leg, day in pair])
    return json.dumps(pairs)


def send_certificate(desk: Desk, user_id, amount) -> str:
    """Give a user one of three certificates."""
    methods = _known(desk, "users", user_id, "user not found")["payment_methods"]
    names = (f"certificate_{number}" for number in (3221322, 3221323, 3221324))
    id = next((name for name in names if name not in methods), None)
    if id is None:  # the original crashes here
        raise ToolError(f"user {user_id} cannot be sent any more certificates")
    desk.edit("users", user_id)["payment_methods"][id] = {
        "source": "certificate",
        "amount": copied(amount),
        "id": id,
    }
    return f"Certificate {id} added to user {user_id} with amount {amount}."


def think(desk: Desk, thought) -> str:
    """Do nothing."""
    return ""


def transfer_to_human_agents(desk: Desk, summary) -> str:
    """End the conversation."""
    return "Transfer successful"


def update_reservation_baggages(
    desk: Desk, reservation_id, total_baggages, nonfree_baggages, payment_id
) -> str:
    """Change the number of bags; only additional paid bags cost anything."""
    record = _known(desk, "reservations", reservation_id, "reservation not found")
    price = 50 * max(0, nonfree_baggages - record["nonfree_baggages"])
    _check_payment(desk, record, payment_id, price)
    record = desk.edit("reservations", reservation_id)
    record["total_baggages"] = copied(total_baggages)
    record["nonfree_baggages"] = nonfree_baggages
    _charge_gift_card(desk, record, payment_id, price)
    if price != 0:
        record["payment_history"].append({"payment_id": payment_id, "amount": price})
    return json.dumps(record)


def update_reservation_flights(desk: Desk, reservation_id, cabin, flights, payment_id) -> str:
    """Change the flights; flights that stay in the same cabin keep their price."""
    record = _known(desk, "reservations", reservation_id, "reservation not found")
    passengers = record["passengers"]
    flights = copied(flights)
    total = 0
    for flight in flights:
        old_flight = next(
            (old for old in record["flights"] if _stays(old, flight, cabin, record)), None
        )
        if old_flight is None:
            _seat(desk, flight, cabin, passengers)
        else:
            flight.update({key: old_flight[key] for key in ("price", "origin", "destination")})
        total += flight["price"] * len(passengers)
    total -= sum(flight["price"] for flight in record["flights"]) * len(passengers)
    _check_payment(desk, record, payment_id, total)
    _charge_gift_card(desk, record, payment_id, total)
    record = desk.edit("reservations", reservation_id)
    record["flights"] = flights  # the cabin is not changed
    if total != 0:
        record["payment_history"].append({"payment_id": payment_id, "amount": total})
    return json.dumps(record)


def update_reservation_passengers(desk: Desk, reservation_id, passengers) -> str:
    """Replace the passengers, but not their number."""
    record = _known(desk, "reservations", reservation_id, "reservation not found")
    if len(passengers) != len(record["passengers"]):
        raise ToolError("number of passengers does not match")
    record = desk.edit("reservations", reservation_id)
    record["passengers"] = copied(passengers)
    return json.dumps(record)


TERMINATES = ("transfer_to_human_agents",)
TOOLS: dict[str, Tool] = {
    tool.__name__: tool
    for tool in (
        book_reservation,
        calculate,
        cancel_reservation,
        get_reservation_details,
        get_user_details,
        list_all_airports,
        search_direct_flight,
        search_onestop_flight,
        send_certificate,
        think,
        transfer_to_human_agents,
        update_reservation_baggages,
        update_reservation_flights,
        update_reservation_passengers,
    )
}


def _known(desk: Desk, table: str, id: str, otherwise: str) -> Record:
    """Return a record for reading, or raise ToolError(`otherwise`) if it is missing."""
    record = desk.get(table, id)
    if record is None:
        raise ToolError(otherwise)
    return record


def _available(flight: Record, date: str) -> bool:
    """Return whether a flight can be booked on a date."""
    return date in flight["dates"] and flight["dates"][date]["status"] == "available"


def _dated(flight: Record, date: str) -> Record:
    """Return a flight with the fields of one date in place of all dates."""
    fields = {key: one for key, one in flight.items() if key != "dates"}
    return {**fields, **flight["dates"][date]}


def _seat(desk: Desk, flight: Record, cabin: str, passengers: list[JSONObject]) -> None:
    """Add price and airports to a requested flight, or raise ToolError if it cannot be booked."""
    number = flight["flight_number"]
    known = _known(desk, "flights", number, f"flight {number} not found")
    date = flight["date"]
    if date not in known["dates"]:
        raise ToolError(f"flight {number} not found on date {date}")
    if not _available(known, date):
        raise ToolError(f"flight {number} not available on date {date}")
    day = known["dates"][date]
    if day["available_seats"][cabin] < len(passengers):
        raise ToolError(f"not enough seats on flight {number}")
    flight["price"] = day["prices"][cabin]
    flight["origin"] = known["origin"]
    flight["destination"] = known["destination"]


def _stays(old: Record, flight: Record, cabin: str, record: Record) -> bool:
    """Return whether a requested flight is this flight of the reservation, in the same cabin."""
    return (
        old["flight_number"] == flight["flight_number"]
        and old["date"] == flight["date"]
        and cabin == record["cabin"]
    )


def _check_payments(user: Record, payments: list[JSONObject], total: float) -> None:
    """Raise ToolError if payments miss the total; each balance is checked on its own."""
    for payment in payments:
        id, amount = payment["payment_id"], payment["amount"]
        if id not in user["payment_methods"]:
            raise ToolError(f"payment method {id} not found")
        method = user["payment_methods"][id]
        if method["source"] in ("gift_card", "certificate") and method["amount"] < amount:
            raise ToolError(f"not enough balance in payment method {id}")
    # Added from left to right, because sum() rounds differently since Python 3.12.
    paid = functools.reduce(operator.add, (payment["amount"] for payment in payments), 0)
    if paid != total:
        raise ToolError(f"payment amount does not add up, total price is {total}, but paid {paid}")


def _check_payment(desk: Desk, record: Record, payment_id: str, price: float) -> None:
    """Raise ToolError if a payment method cannot pay for a change of a reservation."""
    methods = desk.get("users", record["user_id"])["payment_methods"]
    if payment_id not in methods:
        raise ToolError("payment method not found")
    method = methods[payment_id]
    if method["source"] == "certificate":
        raise ToolError("certificate cannot be used to update reservation")
    if method["source"] == "gift_card" and method["amount"] < price:
        raise ToolError("gift card balance is not enough")


def _charge_gift_card(desk: Desk, record: Record, payment_id: str, price: float) -> None:
    """Subtract a price, which may be negative, from a gift card; charge no other method."""
    methods = desk.get("users", record["user_id"])["payment_methods"]
    if methods[payment_id]["source"] == "gift_card":
        desk.edit("users", record["user_id"])["payment_methods"][payment_id]["amount"] -= price
