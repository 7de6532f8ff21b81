"""The tools of TAU-bench's shop, with the original's checks, messages and quirks."""

from __future__ import annotations

import functools
import json

from gem_ma.envs.tau.calculate import calculate
from gem_ma.envs.tau.calling import ToolError
from gem_ma.envs.tau.store import Base, Desk, Record, copied

TERMINATES = ("transfer_to_human_agents",)


def cancel_pending_order(desk: Desk, order_id, reason) -> str:
    """Cancel an order and refund every entry of its history, including earlier refunds."""
    order = _order(desk, order_id, "pending", "cancelled")
    if reason not in ("no longer needed", "ordered by mistake"):
        raise ToolError("invalid reason")
    refunds = []
    for entry in order["payment_history"]:
        refunds.append(_refund(entry["amount"], entry["payment_method_id"]))
        if "gift_card" in entry["payment_method_id"]:
            _credit(desk, order, entry["payment_method_id"], entry["amount"])
    order = desk.edit("orders", order_id)
    order["status"] = "cancelled"
    order["cancel_reason"] = reason
    order["payment_history"] += refunds
    return json.dumps(order)


def exchange_delivered_order_items(
    desk: Desk, order_id, item_ids, new_item_ids, payment_method_id
) -> str:
    """Request an exchange of delivered items for other variants."""
    order = _order(desk, order_id, "delivered", "exchanged")
    _check_items(order, item_ids, "{} not found")
    difference = round(_price_difference(desk, order, item_ids, new_item_ids), 2)
    method = _method(desk, order, payment_method_id)
    _check_balance(method, difference, "price difference")
    order = desk.edit("orders", order_id)
    order["status"] = "exchange requested"
    order["exchange_items"] = sorted(item_ids)
    order["exchange_new_items"] = sorted(new_item_ids)  # sorted: the pairs are lost
    order["exchange_payment_method_id"] = payment_method_id
    order["exchange_price_difference"] = difference
    return json.dumps(order)


def find_user_id_by_email(desk: Desk, email) -> str:
    """Return the id of the first user with an e-mail address."""
    user_id = emails(desk.base).get(email.lower())
    if user_id is None:
        raise ToolError("user not found")
    return user_id


def find_user_id_by_name_zip(desk: Desk, first_name, last_name, zip) -> str:
    """Return the id of the first user with this name and zip code."""
    for last, user_id in names(desk.base).get(first_name.lower(), ()):
        if last == last_name.lower() and desk.get("users", user_id)["address"]["zip"] == zip:
            return user_id
    raise ToolError("user not found")


def get_order_details(desk: Desk, order_id) -> str:
    """Return an order."""
    return json.dumps(_known(desk, "orders", order_id))


def get_product_details(desk: Desk, product_id) -> str:
    """Return a product with its variants."""
    return json.dumps(_known(desk, "products", product_id))


def get_user_details(desk: Desk, user_id) -> str:
    """Return a user."""
    return json.dumps(_known(desk, "users", user_id))


def list_all_product_types(desk: Desk) -> str:
    """Return the ids of all products by their names."""
    ids = {product["name"]: product["product_id"] for _, product in desk.rows("products")}
    return json.dumps(dict(sorted(ids.items())))


def modify_pending_order_address(
    desk: Desk, order_id, address1, address2, city, state, country, zip
) -> str:
    """Change the address of a pending order."""
    _order(desk, order_id, "pending", "modified")
    address = _address(address1, address2, city, state, country, zip)
    order = desk.edit("orders", order_id)
    order["address"] = address
    return json.dumps(order)


def modify_pending_order_items(
    desk: Desk, order_id, item_ids, new_item_ids, payment_method_id
) -> str:
    """Replace items of a pending order by other variants; this works once per order."""
    order = _order(desk, order_id, "pending", "modified")
    _check_items(order, item_ids, "{} not found")
    difference = _price_difference(desk, order, item_ids, new_item_ids)
    method = _method(desk, order, payment_method_id)
    _check_balance(method, difference, "new item")
    order = desk.edit("orders", order_id)
    entry = _payment if difference > 0 else _refund
    order["payment_history"].append(entry(abs(difference), payment_method_id))  # not rounded
    if method["source"] == "gift_card":
        _credit(desk, order, payment_method_id, -difference)
    for item_id, new_item_id in zip(item_ids, new_item_ids, strict=True):
        item = _item(order, item_id)  # may be an item that an earlier pair put there
        item["item_id"] = new_item_id
        variant = desk.get("products", item["product_id"])["variants"][new_item_id]
        item["price"] = variant["price"]
        item["options"] = copied(variant["options"])
    order["status"] = "pending (item modified)"
    return json.dumps(order)


def modify_pending_order_payment(desk: Desk, order_id, payment_method_id) -> str:
    """Pay a pending order with another method; this works once per order."""
    order = _order(desk, order_id, "pending", "modified")
    method = _method(desk, order, payment_method_id)
    history = order["payment_history"]
    if len(history) > 1 or history[0]["transaction_type"] != "payment":
        raise ToolError("there should be exactly one payment for a pending order")
    old, amount = history[0]["payment_method_id"], history[0]["amount"]
    if old == payment_method_id:
        raise ToolError("the new payment method should be different from the current one")
    _check_balance(method, amount, "order")
    order = desk.edit("orders", order_id)
    order["payment_history"] += [_payment(amount, payment_method_id), _refund(amount, old)]
    if method["source"] == "gift_card":
        _credit(desk, order, payment_method_id, -amount)
    if "gift_card" in old:
        _credit(desk, order, old, amount)
    return json.dumps(order)


def modify_user_address(desk: Desk, user_id, address1, address2, city, state, country, zip) -> str:
    """Change where a user lives."""
    _known(desk, "users", user_id)
    address = _address(address1, address2, city, state, country, zip)
    user = desk.edit("users", user_id)
    user["address"] = address
    return json.dumps(user)


def return_delivered_order_items(desk: Desk, order_id, item_ids, payment_method_id) -> str:
    """Request the return of delivered items."""
    order = _order(desk, order_id, "delivered", "returned")
    _method(desk, order, payment_method_id)
    history = order["payment_history"]
    if (
        "gift_card" not in payment_method_id
        and payment_method_id != history[0]["payment_method_id"]
    ):
        raise ToolError(
            "payment method should be either the original payment method or a gift card"
        )
    _check_items(order, item_ids, "some item not found")
    order = desk.edit("orders", order_id)
    order["status"] = "return requested"
    order["return_items"] = sorted(item_ids)
    order["return_payment_method_id"] = payment_method_id
    return json.dumps(order)


def think(desk: Desk, thought) -> str:
    """Do nothing."""
    return ""


def transfer_to_human_agents(desk: Desk, summary) -> str:
    """Hand the user over to a human, which ends the episode."""
    return "Transfer successful"


TOOLS = {
    tool.__name__: tool
    for tool in (
        calculate,
        cancel_pending_order,
        exchange_delivered_order_items,
        find_user_id_by_email,
        find_user_id_by_name_zip,
        get_order_details,
        get_product_details,
        get_user_details,
        list_all_product_types,
        modify_pending_order_address,
        modify_pending_order_items,
        modify_pending_order_payment,
        modify_user_address,
        return_delivered_order_items,
        think,
        transfer_to_human_agents,
    )
}


def _known(desk: Desk, table: str, id: str) -> Record:
    record = desk.get(table, id)
    if record is None:
        raise ToolError(f"{table[:-1]} not found")
    return record


def _order(desk: Desk, order_id: str, status: str, purpose: str) -> Record:
    """Return an order for reading, or raise ToolError if its status is another one."""
    order = _known(desk, "orders", order_id)
    if order["status"] != status:
        raise ToolError(f"non-{status} order cannot be {purpose}")
    return order


def _item(order: Record, item_id: str) -> Record:
    return next(item for item in order["items"] if item["item_id"] == item_id)


def _check_items(order: Record, item_ids: list[str], refusal: str) -> None:
    """Raise ToolError for an id that occurs more often than in the order."""
    held = [item["item_id"] for item in order["items"]]
    for item_id in item_ids:
        if item_ids.count(item_id) > held.count(item_id):
            raise ToolError(refusal.format(item_id))


def _price_difference(
    desk: Desk, order: Record, item_ids: list[str], new_item_ids: list[str]
) -> float:
    """Return the additional price of the new items; raise ToolError if one is not available."""
    if len(item_ids) != len(new_item_ids):
        raise ToolError("the number of items to be exchanged should match")
    difference = 0
    for item_id, new_item_id in zip(item_ids, new_item_ids, strict=True):
        item = _item(order, item_id)
        variants = desk.get("products", item["product_id"])["variants"]
        if not (new_item_id in variants and variants[new_item_id]["available"]):
            raise ToolError(f"new item {new_item_id} not found or available")
        difference += variants[new_item_id]["price"] - item["price"]
    return difference


def _method(desk: Desk, order: Record, payment_method_id: str) -> Record:
    """Return a payment method of the order's user, for reading."""
    methods = desk.get("users", order["user_id"])["payment_methods"]
    if payment_method_id not in methods:
        raise ToolError("payment method not found")
    return methods[payment_method_id]


def _check_balance(method: Record, amount: float, purpose: str) -> None:
    if method["source"] == "gift_card" and method["balance"] < amount:
        raise ToolError(f"insufficient gift card balance to pay for the {purpose}")


def _credit(desk: Desk, order: Record, payment_method_id: str, amount: float) -> None:
    """Add an amount to a gift card of the order's user."""
    card = desk.edit("users", order["user_id"])["payment_methods"][payment_method_id]
    card["balance"] = round(card["balance"] + amount, 2)


def _payment(amount: float, payment_method_id: str) -> Record:
    return {
        "transaction_type": "payment",
        "amount": amount,
        "payment_method_id": payment_method_id,
    }


def _refund(amount: float, payment_method_id: str) -> Record:
    return {**_payment(amount, payment_method_id), "transaction_type": "refund"}


def _address(address1, address2, city, state, country, zip) -> Record:
    """Return an address that shares no object with the arguments."""
    return copied(
        {
            "address1": address1,
            "address2": address2,
            "city": city,
            "state": state,
            "country": country,
            "zip": zip,
        }
    )


@functools.lru_cache(maxsize=4)
def emails(base: Base) -> dict[str, str]:
    """Return the id of the first user by e-mail address; no tool changes an address."""
    users = list(base.tables["users"].items())
    return {user["email"].lower(): id for id, user in reversed(users)}


@functools.lru_cache(maxsize=4)
def names(base: Base) -> dict[str, list[tuple[str, str]]]:
    """Return pairs of last name and id by first name; no tool changes a name."""
    names: dict[str, list[tuple[str, str]]] = {}
    for id, user in base.tables["users"].items():
        first, last = user["name"]["first_name"].lower(), user["name"]["last_name"].lower()
        names.setdefault(first, []).append((last, id))
    return names
