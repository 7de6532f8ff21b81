"""The shop that a seed makes: what customers have, what they wish, and how it may be paid."""

import hashlib
import json
import re
from collections import Counter
from types import SimpleNamespace

import pytest

from gem_ma.envs.tau import phone, shop
from gem_ma.envs.tau.calling import ToolError
from gem_ma.envs.tau.store import Desk
from gem_ma.envs.tau.talk import transcript

WORLD = shop.world(3, 200)
TABLES = WORLD.base.tables
TASKS = [shop.task(WORLD, number) for number in range(600)]
VARIANTS = {
    id: variant
    for product in TABLES["products"].values()
    for id, variant in product["variants"].items()
}


def calls(tool):
    """Return the order, the customer and the arguments of all calls of a tool in the tasks."""
    every = [(task, call) for task in TASKS for name, call in task.actions if name == tool]
    return [(TABLES["orders"][call["order_id"]], TABLES["users"][task.user_id], call)
            for task, call in every]  # fmt: skip


def about(part, whole, many):
    """Tell whether a share is within five standard errors of what it should be."""
    return abs(part - whole * many) <= 5 * (many * whole * (1 - whole)) ** 0.5


def drawn_evenly(chosen):
    """Check pairs of what was drawn and of what: each must come as often as the others."""
    for size in (2, 3):
        places = [sorted(able).index(one) for one, able in chosen if len(able) == size]
        assert len(places) > 10
        for _, count in sorted(Counter(places).items()):
            assert about(count, 1 / size, len(places))
        assert len(set(places)) == size
    assert all(one in able for one, able in chosen)


def funds(user, cost, but=None):
    """Return the methods that a customer can pay so much with."""
    methods = user["payment_methods"].values()
    return [m["id"] for m in methods if m.get("balance", cost) >= cost and m["id"] != but]


@pytest.mark.parametrize("tool", ["exchange_delivered_order_items", "modify_pending_order_items"])
def test_other_items_are_paid_with_any_method_that_covers_them(tool):
    chosen, short = [], 0
    for order, user, call in calls(tool):
        old = {item["item_id"]: item["price"] for item in order["items"]}
        new = [VARIANTS[id] for id in call["new_item_ids"]]
        assert all(variant["available"] for variant in new)
        assert not set(call["new_item_ids"]) & set(old)
        assert 1 <= len(new) == len(call["item_ids"]) <= 2
        more = sum(variant["price"] for variant in new) - sum(old[id] for id in call["item_ids"])
        able = funds(user, more)
        chosen.append((call["payment_method_id"], able))
        short += len(able) < len(user["payment_methods"])
    assert short
    drawn_evenly(chosen)


def test_money_goes_back_to_the_first_payment_or_a_gift_card():
    chosen = []
    for order, user, call in calls("return_delivered_order_items"):
        paid = order["payment_history"][0]["payment_method_id"]
        cards = [id for id in user["payment_methods"] if id.startswith("gift_card")]
        chosen.append((call["payment_method_id"], [paid, *cards]))
        ids = [item["item_id"] for item in order["items"]]
        assert call["item_ids"] == ids[: len(call["item_ids"])] != []
    assert {len(able) for _, able in chosen} == {1, 2}
    assert len({one.split("_")[0] for one, _ in chosen}) == 3
    assert all(one in able for one, able in chosen)
    two = [one == able[0] for one, able in chosen if len(able) == 2]
    assert about(sum(two), 0.5, len(two))


def test_another_payment_is_another_one_that_covers_the_order():
    chosen = []
    for order, user, call in calls("modify_pending_order_payment"):
        first = order["payment_history"][0]
        able = funds(user, first["amount"], but=first["payment_method_id"])
        chosen.append((call["payment_method_id"], able))
    assert len(chosen) > 20
    assert all(one in able for one, able in chosen)


def test_what_is_asked_for_stands_in_an_order_of_the_customer():
    kinds = Counter()
    for task in TASKS:
        own = TABLES["users"][task.user_id]["orders"]
        named = re.findall(r"#W\d{7}", task.instruction)
        assert set(named) <= set(own)
        assert len(named) == len(set(named)) in (1, 2)  # no two wishes are about one order
        for name, call in task.actions:
            kinds[name] += 1
            status = "delivered" if "delivered" in name else "pending"
            assert TABLES["orders"][call["order_id"]]["status"] == status
        paid = {f"{TABLES['orders'][id]['payment_history'][0]['amount']:g}" for id in named}
        assert set(task.outputs) <= paid
        kinds["ask"] += len(task.outputs)
    assert len(kinds) == 7
    two = sum(len(re.findall(r"#W\d{7}", task.instruction)) == 2 for task in TASKS)
    assert about(two, 0.4, len(TASKS))


def test_what_customers_have():
    users, orders = TABLES["users"], TABLES["orders"]
    assert (len(users), len(orders)) == (200, 800)
    sources, balances = Counter(), []
    for user_id, user in users.items():
        name = user["name"]
        assert user_id.startswith(f"{name['first_name']}_{name['last_name']}_".lower())
        assert re.fullmatch(r"\d{5}", user["address"]["zip"])
        assert [orders[id]["status"] for id in user["orders"]] == ["pending", "delivered"] * 2
        for id, method in user["payment_methods"].items():
            assert id == method["id"]
            assert re.fullmatch(method["source"] + r"_[1-9]\d{6}", id)
            keys = {"credit_card": {"brand", "last_four"}, "gift_card": {"balance"}}
            assert method.keys() - {"source", "id"} == keys.get(method["source"], set())
            assert method.get("brand", "visa") == "visa"
            sources[method["source"]] += 1
            balances += [method["balance"]] if "balance" in method else []
    assert sources["credit_card"] == 200
    assert all(about(sources[source], 0.7, 200) for source in ("paypal", "gift_card"))
    assert 0 <= min(balances) <= 5
    assert 94 <= max(balances) <= 99
    for id, order in orders.items():
        assert order["order_id"] == id
        assert re.fullmatch(r"#W[1-9]\d{6}", id)
        (payment,) = order["payment_history"]
        assert payment["transaction_type"] == "payment"
        assert payment["amount"] == round(sum(item["price"] for item in order["items"]), 2)
        assert "gift_card" not in payment["payment_method_id"]
        assert payment["payment_method_id"] in users[order["user_id"]]["payment_methods"]
        assert len(order["fulfillments"]) == (order["status"] == "delivered")
        for item in order["items"]:
            variant = VARIANTS[item["item_id"]]
            assert (item["price"], item["options"]) == (variant["price"], variant["options"])
    sizes = Counter(len(order["items"]) for order in orders.values())
    assert all(about(sizes[n], 1 / 3, len(orders)) for n in (1, 2, 3))


def test_what_the_shop_has():
    free, closed = [], 0
    for product in TABLES["products"].values():
        variants = list(product["variants"].values())
        assert all(one["available"] for one in variants[:2])
        free += [one["available"] for one in variants[2:]]
        prices = [one["price"] for one in variants]
        assert min(prices) >= 16
        assert max(prices) <= 360
        assert max(prices) <= 1.5 * min(prices) + 0.01
        closed += max(prices) > 1.1 * min(prices)
        for id, one in product["variants"].items():
            assert one["item_id"] == id
            assert re.fullmatch(r"[1-9]\d{9}", id)
    assert about(sum(free), 0.8, len(free))
    assert closed > 1


def test_a_tool_is_described_with_the_arguments_that_the_tasks_give_it():
    schemas = {one["function"]["name"]: one["function"]["parameters"] for one in shop.SCHEMAS}
    called = set()
    for task in TASKS:
        for name, call in task.actions:
            called.add(name)
            described = schemas[name]["properties"]
            assert set(call) == set(described) == set(schemas[name]["required"])
            lists = {key for key, one in described.items() if one["type"] == "array"}
            assert lists == {key for key, value in call.items() if isinstance(value, list)}
    assert len(called) == 6


@pytest.mark.parametrize(
    ("dual", "known"), [(False, "487c41cb478628e1"), (True, "ae4b2306f5d7a31e")]
)
def test_a_seed_makes_the_shop_that_it_always_made(dual, known):
    tables = shop.world(0, 50, dual).base.tables
    assert hashlib.sha256(json.dumps(tables, default=dict).encode()).hexdigest()[:16] == known


def test_a_phone_is_in_most_tasks_of_a_dual_shop():
    dual = shop.world(3, 50, True)
    tasks = [shop.task(dual, number) for number in range(300)]
    phones = [task for task in tasks if task.actions[:1] and task.actions[0][0] == "restart_phone"]
    assert about(len(phones), 0.7, 300)
    for task in phones:
        (_, first), (_, send), (_, reset) = task.actions[:3]
        code = dual.base.tables["phones"][task.user_id]["code"]
        assert first == send == {"user_id": task.user_id}
        assert reset == {"user_id": task.user_id, "code": code}


def test_a_transcript_has_all_that_was_said_and_done_in_order():
    """A call stands after as many messages as there were when it was made."""
    talk = [("user", "Hello"), ("assistant", "Who are you?"), ("user", "Ann")]
    done = [("think", "", 1), ("look", "a", 3), ("look", "b", 3)]
    view = SimpleNamespace(
        talk=talk, calls=[SimpleNamespace(name=n, result=r, after=a) for n, r, a in done]
    )
    assert transcript(view).splitlines() == [
        "user: Hello",
        "tool: think: ",
        "assistant: Who are you?",
        "user: Ann",
        "tool: look: a",
        "tool: look: b",
    ]
    assert transcript(SimpleNamespace(talk=[], calls=[])) == ""


def test_a_phone_takes_two_to_mend():
    dual = shop.world(3, 50, True)
    id = next(iter(dual.base.tables["users"]))
    code, desk = dual.base.tables["phones"][id]["code"], Desk(dual.base, {})
    assert phone.open_app(desk, id) == "The app shows nothing but a spinning wheel."
    assert phone.read_inbox(desk, id) == "[]"
    with pytest.raises(ToolError, match="no code was sent"):
        phone.reset_app(desk, id, code)
    assert phone.send_code(desk, id) == "A code was sent to the customer's inbox."
    assert phone.read_inbox(desk, id) == f'["Your one-time code is {code}."]'
    with pytest.raises(ToolError, match="wrong code"):
        phone.reset_app(desk, id, code + "0")
    with pytest.raises(ToolError, match="has to restart it first"):
        phone.reset_app(desk, id, code)
    assert phone.restart_phone(desk, id) == "The phone has restarted."
    assert phone.reset_app(desk, id, code) == "The app was reset."
    shown = json.loads(phone.open_app(desk, id))
    assert list(shown) == dual.base.tables["users"][id]["orders"]
    assert set(shown.values()) == {"pending", "delivered"}
    with pytest.raises(ToolError, match="user not found"):
        phone.open_app(desk, "nobody")
