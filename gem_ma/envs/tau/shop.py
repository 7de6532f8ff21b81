"""A retail domain made from a seed: customers, orders and tasks, all of which can be solved."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

from gem_ma.envs.tau import phone, retail
from gem_ma.envs.tau.data import Domain, Task
from gem_ma.envs.tau.store import Base, Record
from gem_ma.game import Maybe
from gem_ma.validation.json_types import JSONMapping, JSONObject

T = TypeVar("T")

POLICY = """# How we serve our customers

You are the assistant of an online shop. You talk to one customer, and you have tools.

- First find out who the customer is: by email, or by first name, last name and zip code. Do so
  even if the customer names a user id. Serve this customer only.
- You may tell about the customer's own profile and orders and about products, cancel or change
  pending orders, change addresses, and return or exchange delivered orders. For anything else,
  call transfer_to_human_agents.
- Before you change anything, name what you are about to do and wait for a yes.
- One tool call at a time, and no message to the customer beside it.
- Make up nothing. What neither a tool nor the customer told you, you do not know.

## Orders

- A pending order can be cancelled, as "no longer needed" or "ordered by mistake". The money goes
  back to how it was paid.
- Of a pending order the address can be changed, the payment (once, to another method of the
  customer) and the items (once, to other variants of the same products; gather all of them first,
  and how the difference is paid or refunded).
- Of a delivered order, items can be returned (to the original payment method or to a gift card) or
  exchanged for other variants of the same products, in one go.
"""

FIRST = (
    "Ada", "Bruno", "Chiara", "Dalia", "Emil", "Farah", "Goran", "Hana", "Igor", "Jana", "Kofi",
    "Leila", "Marek", "Nadia", "Omar", "Petra",
)  # fmt: skip
LAST = (
    "Adler", "Brandt", "Costa", "Duarte", "Eriksen", "Ferrari", "Gruber", "Horvat", "Ivanova",
    "Jensen", "Keller", "Lindt",
)  # fmt: skip
STREETS = ("Oak Street", "Harbor Road", "Mill Lane", "Park Avenue", "Hill Drive", "Lake View")
CITIES = (
    ("Austin", "TX"),
    ("Boston", "MA"),
    ("Chicago", "IL"),
    ("Denver", "CO"),
    ("Seattle", "WA"),
)
MOODS = (
    "You are patient and polite.",
    "You are in a hurry and keep it short.",
    "You are cheerful and like to chat.",
    "You are a little grumpy.",
    "You are shy and precise.",
)
PRODUCTS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "Backpack": {"color": ("black", "green", "navy"), "size": ("small", "medium", "large")},
    "Coffee Maker": {"color": ("black", "silver"), "capacity": ("4 cups", "8 cups", "12 cups")},
    "Desk Lamp": {"color": ("white", "black", "brass"), "brightness": ("low", "high")},
    "E-Reader": {"screen": ("6-inch", "8-inch"), "storage": ("8GB", "32GB", "64GB")},
    "Garden Hose": {"length": ("10m", "20m", "30m"), "material": ("rubber", "vinyl")},
    "Headphones": {"type": ("in-ear", "over-ear"), "color": ("black", "white", "red")},
    "Jigsaw": {"pieces": ("500", "1000", "1500"), "theme": ("animals", "art", "fantasy")},
    "Office Chair": {"material": ("mesh", "leather"), "color": ("gray", "black", "blue")},
    "Rain Jacket": {"size": ("S", "M", "L", "XL"), "color": ("yellow", "navy", "olive")},
    "Running Shoes": {"size": ("8", "9", "10", "11"), "color": ("white", "black", "blue")},
    "Tea Kettle": {"material": ("steel", "glass"), "capacity": ("1L", "1.5L", "2L")},
    "Yoga Mat": {"thickness": ("4mm", "6mm"), "color": ("purple", "teal", "pink")},
}
MOST = 4  # maximum number of wishes of a customer, one for each order
MOST_CUSTOMERS = 100_000
REASONS = {
    "no longer needed": ("because it is no longer needed", "as you have no need for it any more"),
    "ordered by mistake": ("because it was ordered by mistake", "as you ordered it by accident"),
}


@functools.lru_cache(maxsize=4)
def world(seed: int, size: int, dual: bool = False) -> Domain:
    """Return the shop that a seed makes, with `size` customers.

    Args:
        dual: give customers phones, which only they can operate, and wishes about them.
    """
    if not isinstance(seed, int) or seed < 0:
        raise ValueError(f"world={seed!r}: expected a whole number of at least 0")
    if not isinstance(size, int) or not 1 <= size <= MOST_CUSTOMERS:
        raise ValueError(f"size={size!r}: expected 1 to {MOST_CUSTOMERS} customers")
    rng = np.random.Generator(np.random.PCG64(seed))
    products = _products(rng)
    users: JSONObject = {}
    orders: JSONObject = {}
    for number in range(size):
        _customer(rng, number, products, users, orders)
    tables = {"orders": orders, "products": products, "users": users}
    if not dual:
        return Domain("shop", Base(tables), POLICY, (), SCHEMAS)
    tables["phones"] = {
        id: {"code": _digits(rng, 6), "inbox": [], "restarted": False, "app": phone.STUCK}
        for id in users
    }
    schemas = SCHEMAS + PHONE_SCHEMAS
    return Domain("shop", Base(tables), POLICY + PHONES, (), schemas, (), USER_SCHEMAS)


def _digits(rng: np.random.Generator, count: int) -> str:
    return "".join(str(digit) for digit in (rng.integers(1, 10), *rng.integers(0, 10, count - 1)))


def _pick(rng: np.random.Generator, options: Sequence[T]) -> T:
    return options[int(rng.integers(len(options)))]


def _products(rng: np.random.Generator) -> JSONObject:
    products = {}
    for name, options in PRODUCTS.items():
        price = float(rng.integers(2000, 30000)) / 100
        variants = {}
        for values in itertools.product(*options.values()):
            item_id = _digits(rng, 10)
            variants[item_id] = {
                "item_id": item_id,
                "options": dict(zip(options, values, strict=True)),
                "available": bool(rng.random() < 0.8),
                "price": round(price * float(rng.uniform(0.8, 1.2)), 2),
            }
        for one in list(variants.values())[:2]:  # so that each item has an alternative
            one["available"] = True
        product_id = _digits(rng, 10)
        products[product_id] = {"name": name, "product_id": product_id, "variants": variants}
    return products


def _address(rng: np.random.Generator) -> dict[str, str]:
    city, state = _pick(rng, CITIES)
    return {
        "address1": f"{_digits(rng, 3)} {_pick(rng, STREETS)}",
        "address2": f"Suite {_digits(rng, 3)}",
        "city": city,
        "country": "USA",
        "state": state,
        "zip": _digits(rng, 5),
    }


def _customer(
    rng: np.random.Generator,
    number: int,
    products: JSONObject,
    users: JSONObject,
    orders: JSONObject,
) -> None:
    first, last = FIRST[number % len(FIRST)], LAST[number // len(FIRST) % len(LAST)]
    mark = f"{number:04d}"
    user_id = f"{first}_{last}_{mark}".lower()
    methods: dict[str, Record] = {}
    for source in ("credit_card", "paypal", "gift_card"):
        if source == "credit_card" or rng.random() < 0.7:
            id = f"{source}_{_digits(rng, 7)}"
            methods[id] = {"source": source, "id": id}
            if source == "credit_card":
                methods[id] |= {"brand": "visa", "last_four": _digits(rng, 4)}
            if source == "gift_card":
                methods[id] |= {"balance": int(rng.integers(0, 100))}
    user = users[user_id] = {
        "name": {"first_name": first, "last_name": last},
        "address": _address(rng),
        "email": f"{first}.{last}{mark}@example.com".lower(),
        "payment_methods": methods,
        "orders": [],
    }
    for place in range(4):
        order = _order(rng, user_id, user, products, ("pending", "delivered")[place % 2])
        while order["order_id"] in orders:
            order["order_id"] = f"#W{_digits(rng, 7)}"
        orders[order["order_id"]] = order
        user["orders"].append(order["order_id"])


def _order(
    rng: np.random.Generator, user_id: str, user: Record, products: JSONObject, status: str
) -> JSONObject:
    kinds = [list(products)[i] for i in rng.permutation(len(products))[: rng.integers(1, 4)]]
    items = []
    for product_id in kinds:
        product = products[product_id]
        variant = _pick(rng, list(product["variants"].values()))
        items.append(
            {
                "name": product["name"],
                "product_id": product_id,
                "item_id": variant["item_id"],
                "price": variant["price"],
                "options": variant["options"],
            }
        )
    paid = round(sum(item["price"] for item in items), 2)
    cards = [id for id in user["payment_methods"] if "gift_card" not in id]
    card = _pick(rng, cards)
    payment = {"transaction_type": "payment", "amount": paid, "payment_method_id": card}
    shipped = {"tracking_id": [_digits(rng, 12)], "item_ids": [item["item_id"] for item in items]}
    return {
        "order_id": f"#W{_digits(rng, 7)}",
        "user_id": user_id,
        "address": dict(user["address"]),
        "items": items,
        "fulfillments": [shipped] if status == "delivered" else [],
        "status": status,
        "payment_history": [payment],
    }


def task(content: Domain, number: int, many: int | None = None) -> Task:
    """Return the task with this number: wishes of one customer, and the actions that fulfil them.

    Args:
        many: number of wishes, limited by the customer's orders. None means one or two.
    """
    rng = np.random.Generator(np.random.PCG64([number, 0x7A5C]))
    tables = content.base.tables
    user_id = _pick(rng, list(tables["users"]))
    user = tables["users"][user_id]
    orders = [tables["orders"][id] for id in user["orders"]]
    wishes = []
    if content.user_schemas and rng.random() < 0.7:
        code = tables["phones"][user_id]["code"]
        wishes.append(_phone(rng, user_id, code))
    order_of_kinds = [WISHES[i] for i in rng.permutation(len(WISHES))]
    left = {order["order_id"]: order for order in orders}
    for wish in order_of_kinds:
        if len(wishes) >= (1 + int(rng.random() < 0.4) if many is None else many):
            break
        new_wish = wish(rng, user, left, tables["products"])
        if new_wish is not None:
            wishes.append(new_wish)
    name = f"{user['name']['first_name']} {user['name']['last_name']}"
    known = (
        f"Your name is {name} and your email is {user['email']}.",
        f"Your name is {name} and your zip code is {user['address']['zip']}.",
    )
    sentences = [_pick(rng, known), _pick(rng, MOODS), *(text for text, _, _ in wishes)]
    return Task(
        number,
        user_id,
        " ".join(sentences),
        tuple(action for _, actions, _ in wishes for action in actions),
        tuple(output for _, _, outputs in wishes for output in outputs),
    )


def _take(rng: np.random.Generator, left: JSONObject, status: str) -> Maybe[Record]:
    """Return an order with this status and remove it from `left`, or return None."""
    orders = [order for order in left.values() if order["status"] == status]
    return left.pop(_pick(rng, orders)["order_id"]) if orders else None


def _payment(user: Record, diff: float, rng: np.random.Generator) -> str:
    """Return a payment method that covers a price difference."""
    able = [
        id
        for id, method in user["payment_methods"].items()
        if method["source"] != "gift_card" or method["balance"] >= diff
    ]
    return str(_pick(rng, able))


def _named(options: Mapping[str, str]) -> str:
    return ", ".join(f"{key}: {value}" for key, value in options.items())


def _changes(
    rng: np.random.Generator, order: Record, products: JSONMapping
) -> tuple[list[str], list[str], str, float]:
    """Return items of an order, other variants of them, a description, and the additional price."""
    items, new, texts, diff = [], [], [], 0.0
    for item in order["items"][: int(rng.integers(1, 3))]:
        variants = products[item["product_id"]]["variants"].values()
        others = [v for v in variants if v["available"] and v["item_id"] != item["item_id"]]
        variant = _pick(rng, others)
        items.append(item["item_id"])
        new.append(variant["item_id"])
        diff += variant["price"] - item["price"]
        texts.append(f"the {item['name']} for one with {_named(variant['options'])}")
    return items, new, " and ".join(texts), diff


def _cancel(rng, user, left, products):
    order = _take(rng, left, "pending")
    if order is None:
        return None
    reason = _pick(rng, list(REASONS))
    start = _pick(rng, ("You want to cancel order", "You would like to have cancelled your order"))
    text = f"{start} {order['order_id']} {_pick(rng, REASONS[reason])}."
    return text, [("cancel_pending_order", {"order_id": order["order_id"], "reason": reason})], []


def _return(rng, user, left, products):
    order = _take(rng, left, "delivered")
    if order is None:
        return None
    items = order["items"][: int(rng.integers(1, len(order["items"]) + 1))]
    methods = [order["payment_history"][0]["payment_method_id"]]
    methods += [id for id in user["payment_methods"] if "gift_card" in id]
    method = _pick(rng, methods)
    start = _pick(rng, ("You want to return", "You would like to send back, as a return,"))
    text = (
        f"{start} the {' and the '.join(item['name'] for item in items)} of order "
        f"{order['order_id']}; the money should go to {method}."
    )
    arguments = {
        "order_id": order["order_id"],
        "item_ids": [item["item_id"] for item in items],
        "payment_method_id": method,
    }
    return text, [("return_delivered_order_items", arguments)], []


def _other_items(rng, user, left, products, status, tool, start):
    order = _take(rng, left, status)
    if order is None:
        return None
    items, new, words, diff = _changes(rng, order, products)
    method = _payment(user, diff, rng)
    text = f"{start} of order {order['order_id']} {words}; any difference goes over {method}."
    arguments = {
        "order_id": order["order_id"],
        "item_ids": items,
        "new_item_ids": new,
        "payment_method_id": method,
    }
    return text, [(tool, arguments)], []


def _exchange(rng, user, left, products):
    start = _pick(rng, ("You want to exchange", "You would like to make an exchange:"))
    return _other_items(
        rng, user, left, products, "delivered", "exchange_delivered_order_items", start
    )


def _modify(rng, user, left, products):
    starts = ("You want to modify the items and change", "You would like to modify items:")
    start = _pick(rng, starts)
    return _other_items(rng, user, left, products, "pending", "modify_pending_order_items", start)


def _pay(rng, user, left, products):
    order = _take(rng, left, "pending")
    if order is None:
        return None
    first = order["payment_history"][0]
    able = [
        id
        for id, method in user["payment_methods"].items()
        if id != first["payment_method_id"]
        and (method["source"] != "gift_card" or method["balance"] >= first["amount"])
    ]
    if not able:
        left[order["order_id"]] = order
        return None
    method = _pick(rng, able)
    starts = ("You want to change the payment of order", "You would like another payment of order")
    start = _pick(rng, starts)
    arguments = {"order_id": order["order_id"], "payment_method_id": method}
    text = f"{start} {order['order_id']} to {method}."
    return text, [("modify_pending_order_payment", arguments)], []


def _move(rng, user, left, products):
    order = _take(rng, left, "pending")
    if order is None:
        return None
    address = _address(rng)
    words = ", ".join(
        address[key] for key in ("address1", "address2", "city", "state", "country", "zip")
    )
    start = _pick(rng, ("You want order", "You would like to have order"))
    text = f"{start} {order['order_id']} sent to another address: {words}."
    arguments = {"order_id": order["order_id"], **address}
    return text, [("modify_pending_order_address", arguments)], []


def _ask(rng, user, left, products):
    orders = list(left.values())
    if not orders:
        return None
    order = left.pop(_pick(rng, orders)["order_id"])
    starts = (
        "You want to know the total that you paid for order",
        "You ask what total you paid for order",
    )
    start = _pick(rng, starts)
    total = order["payment_history"][0]["amount"]
    return f"{start} {order['order_id']}.", [], [f"{total:.2f}".rstrip("0").rstrip(".")]


def _phone(rng, user_id, code):
    start = _pick(rng, ("You want the shop's app on your phone", "You would like your app"))
    actions = [
        ("restart_phone", {"user_id": user_id}),
        ("send_code", {"user_id": user_id}),
        ("reset_app", {"user_id": user_id, "code": code}),
    ]
    return f"{start} to work again; it is stuck and loads nothing.", actions, []


WISHES = (_cancel, _return, _exchange, _modify, _pay, _move, _ask)


def _schema(name: str, description: str, **arguments: str) -> JSONObject:
    properties = {}
    for key, words in arguments.items():
        kind: JSONObject = {"type": "string"}
        if key.endswith("item_ids"):
            kind = {"type": "array", "items": {"type": "string"}}
        properties[key] = {**kind, "description": words}
    parameters = {"type": "object", "properties": properties, "required": list(arguments)}
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


_ORDER = "the number of the order, such as #W1234567"
_METHOD = "the id of a payment method of the customer, such as paypal_1234567"
_PLACE = {
    "address1": "street and number",
    "address2": "what else there is of the address",
    "city": "the city",
    "state": "the state, such as TX",
    "country": "the country, such as USA",
    "zip": "the zip code",
}
_OLD = "the items of the order, by their ids"
_NEW = "for each of them the item to have instead, in the same order"
SCHEMAS = (
    _schema("calculate", "Calculate.", expression="numbers, + - * / and parentheses"),
    _schema("cancel_pending_order", "Cancel a pending order.", order_id=_ORDER,
            reason="'no longer needed' or 'ordered by mistake'"),
    _schema("exchange_delivered_order_items", "Exchange items of a delivered order, once.",
            order_id=_ORDER, item_ids=_OLD, new_item_ids=_NEW, payment_method_id=_METHOD),
    _schema("find_user_id_by_email", "Find a customer's id.", email="the email address"),
    _schema("find_user_id_by_name_zip", "Find a customer's id.", first_name="the first name",
            last_name="the last name", zip="the zip code"),
    _schema("get_order_details", "Look up an order.", order_id=_ORDER),
    _schema("get_product_details", "Look up a product and its variants.",
            product_id="the id of the product, which is not that of an item"),
    _schema("get_user_details", "Look up a customer.", user_id="the customer's id"),
    _schema("list_all_product_types", "List all products by name."),
    _schema("modify_pending_order_address", "Change where a pending order goes.", order_id=_ORDER,
            **_PLACE),
    _schema("modify_pending_order_items", "Change items of a pending order, once.", order_id=_ORDER,
            item_ids=_OLD, new_item_ids=_NEW, payment_method_id=_METHOD),
    _schema("modify_pending_order_payment", "Change how a pending order is paid.", order_id=_ORDER,
            payment_method_id=_METHOD),
    _schema("modify_user_address", "Change a customer's own address.", user_id="the customer's id",
            **_PLACE),
    _schema("return_delivered_order_items", "Return items of a delivered order, once.",
            order_id=_ORDER, item_ids=_OLD, payment_method_id=_METHOD),
    _schema("think", "Write down a thought; it changes nothing.", thought="the thought"),
    _schema("transfer_to_human_agents", "Hand over to a person; this ends the talk.",
            summary="what the customer wants"),
)  # fmt: skip
PHONES = """
## The app

- When a customer's app is stuck: ask the customer to restart the phone, then send a code, ask for
  the code, and reset the app with it. You cannot touch the phone; the customer cannot reset the
  app.
"""
PHONE_SCHEMAS = (
    _schema("send_code", "Send a code to a customer's phone.", user_id="the customer's id"),
    _schema("reset_app", "Reset the app on a customer's phone, which was restarted before.",
            user_id="the customer's id", code="the code that the customer read from the inbox"),
)  # fmt: skip
USER_SCHEMAS = (
    _schema("read_inbox", "Read the messages on your phone."),
    _schema("restart_phone", "Restart your phone."),
    _schema("open_app", "Open the shop's app on your phone."),
)
assert {one["function"]["name"] for one in SCHEMAS} == set(retail.TOOLS)
