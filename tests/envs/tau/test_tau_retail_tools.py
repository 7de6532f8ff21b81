"""The tools of TAU-bench's shop."""

import hashlib
import json
import os
import random
from pathlib import Path

import pytest

from gem_ma.envs.tau.calling import call
from gem_ma.envs.tau.data import load
from gem_ma.envs.tau.retail import TERMINATES, TOOLS
from gem_ma.envs.tau.store import Base, copied

DATA = Path(os.environ.get("TAU_BENCH_DATA", "nowhere"))
GOLD = DATA / "gold_retail.json"
needs_data = pytest.mark.skipif(
    not (DATA / "retail").is_dir(),
    reason="set TAU_BENCH_DATA to a folder with TAU-bench's retail/ and airline/",
)
needs_gold = pytest.mark.skipif(
    not GOLD.is_file(),
    reason="set TAU_BENCH_DATA to a folder with TAU-bench's retail/ and airline/, "
    "and gold_retail.json beside them",
)

# The gold actions of the benchmark


def replay(domain, task):
    """Return what a task's own actions change, their outputs, and which of them fail."""
    changes, outputs, errors = {}, [], []
    for number, (name, arguments) in enumerate(task.actions):
        desk = domain.base.desk(changes)
        text = call(TOOLS, "retail", desk, name, arguments)
        outputs.append(hashlib.sha256(text.encode()).hexdigest())
        if text.startswith("Error: "):
            errors.append([number, name, text])
        if name in TERMINATES:
            break
        changes = desk.changes()
    return changes, outputs, errors


@needs_gold
@pytest.mark.parametrize(
    ("split", "n", "every"),
    [("train", 500, 5), pytest.param("train", 500, 1, marks=pytest.mark.slow), ("dev", 20, 1)],
)
def test_gold_actions_do_what_they_do_in_the_original(split, n, every):
    domain = load("retail", split)
    gold = [one for one in json.loads(GOLD.read_text())["tasks"] if one["split"] == split]
    assert len(gold) == len(domain.tasks) == n
    before = repr(domain.base.tables)
    for one in gold[::every]:
        changes, outputs, errors = replay(domain, domain.tasks[one["index"]])
        assert outputs == one["obs_sha256"]
        assert len(outputs) == one["n_replayed"]
        assert errors == one["errors"]
        assert domain.base.sha256(changes) == one["data_hash"]
    assert repr(domain.base.tables) == before


@needs_data
def test_gold_actions_of_the_test_split_fail_as_often_as_in_the_original():
    domain = load("retail", "test")
    played = [replay(domain, task) for task in domain.tasks]
    assert len(played) == 115
    assert sum(len(errors) for _, _, errors in played) == 24
    assert sum(bool(errors) for _, _, errors in played) == 19
    assert sum(domain.base.same(changes, {}) for changes, _, _ in played) == 11


@needs_data
def test_the_tools_are_those_of_the_schemas():
    names = [schema["function"]["name"] for schema in load("retail", "dev").schemas]
    assert list(TOOLS) == names
    assert set(TERMINATES) <= set(names)


# A small shop


def variant(id, price, color, available=True):
    return {"item_id": id, "options": {"color": color}, "available": available, "price": price}


def product(id, name, *variants):
    return {"name": name, "product_id": id, "variants": {one["item_id"]: one for one in variants}}


def order(id, status, items, history):
    return {
        "order_id": id,
        "user_id": "ada_1",
        "address": {"address1": "1 A St", "address2": "", "city": "B", "country": "USA"},
        "items": [
            {
                "name": "Lamp" if item.startswith("L") else "Mug",
                "product_id": "p1" if item.startswith("L") else "p2",
                "item_id": item,
                "price": price,
                "options": {"color": "old"},
            }
            for item, price in items
        ],
        "fulfillments": [],
        "status": status,
        "payment_history": [
            {"transaction_type": kind, "amount": amount, "payment_method_id": method}
            for kind, amount, method in history
        ],
    }


def shop():
    """Return a base with one user who has orders of every status."""
    address = {
        "address1": "1 A St",
        "address2": "",
        "city": "B",
        "country": "USA",
        "state": "CA",
        "zip": "00123",
    }
    methods = {
        "credit_card_1": {
            "source": "credit_card",
            "brand": "visa",
            "last_four": "1",
            "id": "credit_card_1",
        },
        "paypal_1": {"source": "paypal", "id": "paypal_1"},
        "gift_card_1": {"source": "gift_card", "balance": 50, "id": "gift_card_1"},
        "gift_card_2": {"source": "gift_card", "balance": 5, "id": "gift_card_2"},
    }
    orders = [
        order("#W1", "pending", [("L1", 10.1), ("M1", 7.0)], [("payment", 17.1, "credit_card_1")]),
        order("#W2", "pending", [("L1", 10.1), ("L2", 20.3)], [("payment", 30.4, "gift_card_1")]),
        order("#W3", "delivered", [("L1", 10.1), ("L1", 10.1)], [("payment", 20.2, "paypal_1")]),
        order("#W4", "processed", [("M1", 7.0)], [("payment", 7.0, "gift_card_2")]),
        order("#W5", "cancelled", [("M1", 7.0)], [("refund", 7.0, "gift_card_2")]),
        order("#W6", "pending", [("M1", 7.0)], [("refund", 7.0, "paypal_1")]),
        order("#W7", "delivered", [("L1", 10.1), ("M1", 7.0)], [("payment", 17.1, "gift_card_1")]),
    ]
    return Base(
        {
            "orders": {one["order_id"]: one for one in orders},
            "products": {
                "p1": product(
                    "p1",
                    "Lamp",
                    variant("L1", 10.1, "red"),
                    variant("L2", 20.3, "blue"),
                    variant("L3", 30.7, "green"),
                    variant("L4", 9.9, "grey", available=False),
                ),
                "p2": product("p2", "Desk Mug", variant("M1", 7.0, "red"), variant("M2", 7.0, "b")),
            },
            "users": {
                "ada_1": {
                    "name": {"first_name": "Ada", "last_name": "Löve"},
                    "address": address,
                    "email": "Ada@Example.com",
                    "payment_methods": methods,
                    "orders": [one["order_id"] for one in orders],
                }
            },
        }
    )


class Shop:
    """A shop where one call follows another, each on a desk of its own."""

    def __init__(self):
        self.base = shop()
        self.changes = {}

    def do(self, name, **arguments):
        before = repr((self.base.tables, self.changes))
        desk = self.base.desk(self.changes)
        text = call(TOOLS, "retail", desk, name, arguments)
        assert repr((self.base.tables, self.changes)) == before
        self.changes = desk.changes()
        return text

    def do_all(self, name, *values):
        """Call with values in the order of the tool's signature."""
        code = TOOLS[name].__code__
        return self.do(
            name, **dict(zip(code.co_varnames[1 : code.co_argcount], values, strict=True))
        )

    def order(self, id):
        return self.base.desk(self.changes).get("orders", id)

    def balance(self, id):
        user = self.base.desk(self.changes).get("users", "ada_1")
        return user["payment_methods"][id]["balance"]


@pytest.fixture
def here():
    return Shop()


ADDRESS = ("9 Z St", "Apt 1", "Y", "TX", "USA", "99999")
CANCEL = "cancel_pending_order"
EXCHANGE = "exchange_delivered_order_items"
ITEMS = "modify_pending_order_items"
PAYMENT = "modify_pending_order_payment"
RETURN = "return_delivered_order_items"
MOVE = "modify_pending_order_address"
SHORT = "insufficient gift card balance to pay for the "
ORIGINAL = "payment method should be either the original payment method or a gift card"


@pytest.mark.parametrize(
    ("name", "values", "text"),
    [
        (CANCEL, ("#W9", "no"), "order not found"),
        (CANCEL, ("W1", "no longer needed"), "order not found"),
        (CANCEL, ("#W4", "no"), "non-pending order cannot be cancelled"),
        (CANCEL, ("#W1", "no"), "invalid reason"),
        (CANCEL, ("#W1", ["no longer needed"]), "invalid reason"),
        (EXCHANGE, ("#W9", ["X"], [], "x"), "order not found"),
        (EXCHANGE, ("#W1", ["X"], [], "x"), "non-delivered order cannot be exchanged"),
        (EXCHANGE, ("#W3", ["L1", "X"], [], "x"), "X not found"),
        (EXCHANGE, ("#W3", ["L1"] * 3, [], "x"), "L1 not found"),
        (
            EXCHANGE,
            ("#W3", ["L1"], [], "x"),
            "the number of items to be exchanged should match",
        ),
        (EXCHANGE, ("#W3", ["L1"], ["L4"], "x"), "new item L4 not found or available"),
        (EXCHANGE, ("#W3", ["L1"], ["M2"], "x"), "new item M2 not found or available"),
        (EXCHANGE, ("#W3", ["L1"], ["L2"], "x"), "payment method not found"),
        (EXCHANGE, ("#W3", ["L1"], ["L2"], "gift_card_2"), SHORT + "price difference"),
        ("find_user_id_by_email", ("b@example.com",), "user not found"),
        ("find_user_id_by_email", (None,), "'NoneType' object has no attribute 'lower'"),
        ("find_user_id_by_email", ([],), "'list' object has no attribute 'lower'"),
        ("find_user_id_by_name_zip", ("Ada", "Löve", "123"), "user not found"),
        ("find_user_id_by_name_zip", ("Ada", "Löve", 123), "user not found"),
        ("find_user_id_by_name_zip", ("Bob", None, "00123"), "user not found"),
        (
            "find_user_id_by_name_zip",
            ("Ada", None, "00123"),
            "'NoneType' object has no attribute 'lower'",
        ),
        ("find_user_id_by_name_zip", (1, "L", "0"), "'int' object has no attribute 'lower'"),
        ("get_order_details", ("W1",), "order not found"),
        ("get_order_details", (["#W1"],), "unhashable type: 'list'"),
        ("get_order_details", ({},), "unhashable type: 'dict'"),
        ("get_product_details", (None,), "product not found"),
        ("get_product_details", ({},), "unhashable type: 'dict'"),
        ("get_user_details", (1,), "user not found"),
        (MOVE, ("#W9", *ADDRESS), "order not found"),
        (MOVE, ("#W3", *ADDRESS), "non-pending order cannot be modified"),
        (ITEMS, ("#W9", ["X"], [], "x"), "order not found"),
        (ITEMS, ("#W3", ["X"], [], "x"), "non-pending order cannot be modified"),
        (ITEMS, ("#W1", ["X"], [], "x"), "X not found"),
        (ITEMS, ("#W1", ["L1", "L1"], [], "x"), "L1 not found"),
        (ITEMS, ("#W1", [], ["L2"], "x"), "the number of items to be exchanged should match"),
        (ITEMS, ("#W1", ["L1"], ["M1"], "x"), "new item M1 not found or available"),
        (ITEMS, ("#W1", ["L1"], ["L2"], "x"), "payment method not found"),
        (ITEMS, ("#W1", ["L1"], ["L2"], "gift_card_2"), SHORT + "new item"),
        (PAYMENT, ("#W9", "x"), "order not found"),
        (PAYMENT, ("#W3", "x"), "non-pending order cannot be modified"),
        (PAYMENT, ("#W6", "x"), "payment method not found"),
        (
            PAYMENT,
            ("#W6", "paypal_1"),
            "there should be exactly one payment for a pending order",
        ),
        (
            PAYMENT,
            ("#W1", "credit_card_1"),
            "the new payment method should be different from the current one",
        ),
        (PAYMENT, ("#W1", "gift_card_2"), SHORT + "order"),
        ("modify_user_address", ("bob", *ADDRESS), "user not found"),
        (RETURN, ("#W9", ["X"], "x"), "order not found"),
        (RETURN, ("#W1", ["X"], "x"), "non-delivered order cannot be returned"),
        (RETURN, ("#W3", ["X"], "x"), "payment method not found"),
        (RETURN, ("#W3", ["X"], "credit_card_1"), ORIGINAL),
        (RETURN, ("#W3", ["X"], "paypal_1"), "some item not found"),
        (RETURN, ("#W3", ["L1"] * 3, "gift_card_2"), "some item not found"),
        # Odd shapes
        (EXCHANGE, ("#W3", "L1", [], "x"), "L not found"),
        (EXCHANGE, ("#W3", None, [], "x"), "'NoneType' object is not iterable"),
        (EXCHANGE, ("#W3", 5, [], "x"), "'int' object is not iterable"),
        (EXCHANGE, ("#W3", [123], [], "x"), "123 not found"),
        (EXCHANGE, ("#W3", [["L1"]], [], "x"), "['L1'] not found"),
        (EXCHANGE, ("#W3", [None], [], "x"), "None not found"),
        (EXCHANGE, ("#W3", {"L1": 1}, [], "x"), "'dict' object has no attribute 'count'"),
        (EXCHANGE, ("#W3", ["L1"], None, "x"), "object of type 'NoneType' has no len()"),
        (EXCHANGE, ("#W3", ["L1"], 5, "x"), "object of type 'int' has no len()"),
        (EXCHANGE, ("#W3", ["L1"], [["L2"]], "x"), "unhashable type: 'list'"),
        (EXCHANGE, ("#W3", ["L1"], [5], "x"), "new item 5 not found or available"),
        (EXCHANGE, ("#W3", ["L1"], "L", "x"), "new item L not found or available"),
        (EXCHANGE, ("#W3", ["L1"], ["L2"], []), "unhashable type: 'list'"),
        (RETURN, ("#W3", ["L1"], None), "payment method not found"),
        (RETURN, ("#W3", None, "paypal_1"), "'NoneType' object is not iterable"),
        (CANCEL, ([], "no"), "unhashable type: 'list'"),
    ],
)
def test_refusals_change_nothing(here, name, values, text):
    assert here.do_all(name, *values) == f"Error: {text}"
    assert here.changes == {}


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("think", {}, "Think.invoke() missing 1 required positional argument: 'thought'"),
        (
            "transfer_to_human_agents",
            {},
            "TransferToHumanAgents.invoke() missing 1 required positional argument: 'summary'",
        ),
        (
            CANCEL,
            {},
            "CancelPendingOrder.invoke() missing 2 required positional arguments: 'order_id' and "
            "'reason'",
        ),
        (
            EXCHANGE,
            {"item_ids": []},
            "ExchangeDeliveredOrderItems.invoke() missing 3 required positional arguments: "
            "'order_id', 'new_item_ids', and 'payment_method_id'",
        ),
        (
            "list_all_product_types",
            {"x": 1, "y": 2},
            "ListAllProductTypes.invoke() got an unexpected keyword argument 'x'",
        ),
        (
            "get_order_details",
            {"data": 1},
            "tau_bench.envs.retail.tools.get_order_details.GetOrderDetails.invoke() got multiple "
            "values for keyword argument 'data'",
        ),
    ],
)
def test_arguments_that_do_not_fit(here, name, arguments, text):
    assert here.do(name, **arguments) == f"Error: {text}"


@pytest.mark.parametrize(
    ("name", "names"),
    [
        (CANCEL, "order_id reason"),
        (EXCHANGE, "order_id item_ids new_item_ids payment_method_id"),
        ("find_user_id_by_name_zip", "first_name last_name zip"),
        (MOVE, "order_id address1 address2 city state country zip"),
        ("modify_user_address", "user_id address1 address2 city state country zip"),
        (ITEMS, "order_id item_ids new_item_ids payment_method_id"),
        (PAYMENT, "order_id payment_method_id"),
        (RETURN, "order_id item_ids payment_method_id"),
    ],
)
def test_what_is_missing_is_told_in_the_order_of_the_original(here, name, names):
    words = [repr(one) for one in names.split()]
    assert here.do(name).endswith(
        " and ".join(words) if len(words) == 2 else f"{', '.join(words[:-1])}, and {words[-1]}"
    )


def test_what_only_reads_changes_nothing(here):
    tables = here.base.tables
    assert here.do("get_order_details", order_id="#W1") == json.dumps(tables["orders"]["#W1"])
    assert here.do("get_user_details", user_id="ada_1") == json.dumps(tables["users"]["ada_1"])
    assert here.do("get_product_details", product_id="p1") == json.dumps(tables["products"]["p1"])
    assert here.do("list_all_product_types") == '{"Desk Mug": "p2", "Lamp": "p1"}'
    assert here.do("find_user_id_by_email", email="aDa@eXample.COM") == "ada_1"
    assert here.do("calculate", expression="2 + 2") == "4.0"
    assert here.do("think", thought=None) == ""
    assert here.do("transfer_to_human_agents", summary=None) == "Transfer successful"
    assert here.changes == {}
    assert "\\u00f6" in here.do("get_user_details", user_id="ada_1")


def test_a_user_is_found_where_she_lives_now(here):
    name = {"first_name": "ADA", "last_name": "lÖVE"}
    assert here.do("find_user_id_by_name_zip", **name, zip="00123") == "ada_1"
    text = here.do_all("modify_user_address", "ada_1", *ADDRESS)
    assert here.do("find_user_id_by_name_zip", **name, zip="00123") == "Error: user not found"
    assert here.do("find_user_id_by_name_zip", **name, zip="99999") == "ada_1"
    assert text == here.do("get_user_details", user_id="ada_1")
    here.do_all("modify_user_address", "ada_1", *ADDRESS[:-1], 99999)
    assert here.do("find_user_id_by_name_zip", **name, zip="99999") == "Error: user not found"
    assert here.do("find_user_id_by_name_zip", **name, zip=99999) == "ada_1"


def test_the_first_of_two_users_is_found():
    tables = copied(shop().tables)
    tables["users"]["ada_0"] = copied(tables["users"]["ada_1"])
    desk = Base(tables).desk({})
    assert TOOLS["find_user_id_by_email"](desk, "ada@example.com") == "ada_1"
    assert TOOLS["find_user_id_by_name_zip"](desk, "ada", "löve", "00123") == "ada_1"


def test_an_address_is_stored_verbatim_with_the_state_before_the_country(here):
    text = here.do_all(MOVE, "#W1", *ADDRESS)
    assert (
        '"address": {"address1": "9 Z St", "address2": "Apt 1", "city": "Y", "state": "TX", '
        '"country": "USA", "zip": "99999"}' in text
    )
    assert here.order("#W1")["status"] == "pending"
    odd = [[1], {"a": [None]}, 1.0, True, "", -1]
    here.do_all(MOVE, "#W1", *odd)
    given = [[1], {"a": [None]}, 1.0, True, "", -1]
    odd[0].append(2)
    odd[1]["a"].append(2)
    assert list(here.order("#W1")["address"].values()) == given


def test_an_order_is_cancelled(here):
    text = here.do(CANCEL, order_id="#W2", reason="no longer needed")
    stored = json.loads(text)
    assert stored == here.order("#W2")
    assert text.endswith(', "cancel_reason": "no longer needed"}')
    assert stored["status"] == "cancelled"
    assert stored["payment_history"] == [
        {"transaction_type": "payment", "amount": 30.4, "payment_method_id": "gift_card_1"},
        {"transaction_type": "refund", "amount": 30.4, "payment_method_id": "gift_card_1"},
    ]
    assert here.balance("gift_card_1") == 80.4
    again = here.do(CANCEL, order_id="#W2", reason="no longer needed")
    assert again == "Error: non-pending order cannot be cancelled"


def test_cancelling_after_a_change_of_payment_refunds_twice(here):
    here.do(PAYMENT, order_id="#W2", payment_method_id="paypal_1")
    assert here.balance("gift_card_1") == 80.4
    here.do(CANCEL, order_id="#W2", reason="ordered by mistake")
    assert here.balance("gift_card_1") == 141.2
    history = here.order("#W2")["payment_history"]
    assert [(one["transaction_type"], one["payment_method_id"]) for one in history] == [
        ("payment", "gift_card_1"),
        ("payment", "paypal_1"),
        ("refund", "gift_card_1"),
        ("refund", "gift_card_1"),
        ("refund", "paypal_1"),
        ("refund", "gift_card_1"),
    ]


def test_what_a_tool_did_before_it_failed_stays_done():
    tables = copied(shop().tables)
    history = tables["orders"]["#W2"]["payment_history"]
    history.append({**history[0], "payment_method_id": "gift_card_9"})
    desk = Base(tables).desk({})
    arguments = {"order_id": "#W2", "reason": "no longer needed"}
    assert call(TOOLS, "retail", desk, CANCEL, arguments) == "Error: 'gift_card_9'"
    assert list(desk.changes()) == [("users", "ada_1")]
    methods = desk.changes()["users", "ada_1"]["payment_methods"]
    assert methods["gift_card_1"]["balance"] == 80.4


def test_items_are_exchanged_and_sorted_apart(here):
    text = here.do_all(EXCHANGE, "#W7", ["M1", "L1"], ["M2", "L3"], "gift_card_1")
    assert text.endswith(
        '"exchange_items": ["L1", "M1"], "exchange_new_items": ["L3", "M2"], '
        '"exchange_payment_method_id": "gift_card_1", "exchange_price_difference": 20.6}'
    )
    stored = here.order("#W7")
    assert stored["status"] == "exchange requested"
    assert {**stored, "status": "delivered"}.items() >= here.base.tables["orders"]["#W7"].items()
    assert here.balance("gift_card_1") == 50
    again = here.do_all(RETURN, "#W7", ["M1"], "gift_card_1")
    assert again == "Error: non-delivered order cannot be returned"


def test_how_exchanged_items_were_paired_does_not_count():
    results = []
    for new in (["L2", "L3"], ["L3", "L2"]):
        here = Shop()
        here.do_all(EXCHANGE, "#W3", ["L1", "L1"], new, "paypal_1")
        results.append(here.base.sha256(here.changes))
    assert results[0] == results[1]


@pytest.mark.parametrize("nothing", [[], "", {}])
def test_nothing_is_exchanged_modified_or_returned(here, nothing):
    text = here.do_all(EXCHANGE, "#W3", nothing, nothing, "paypal_1")
    assert '"exchange_items": [], "exchange_new_items": []' in text
    assert text.endswith('"exchange_price_difference": 0}')
    text = here.do_all(ITEMS, "#W2", nothing, nothing, "gift_card_1")
    assert '{"transaction_type": "refund", "amount": 0, "payment_method_id": "gift_card_1"}' in text
    assert repr(here.balance("gift_card_1")) == "50"
    assert '"return_items": []' in here.do_all(RETURN, "#W7", nothing, "gift_card_2")


def test_an_item_is_exchanged_for_itself_if_there_are_more(here):
    text = here.do_all(EXCHANGE, "#W3", ["L1"], ["L1"], "gift_card_2")
    assert text.endswith('"exchange_price_difference": 0.0}')


def test_items_of_a_pending_order_are_modified(here):
    text = here.do_all(ITEMS, "#W1", ["L1", "M1"], ["L2", "M2"], "gift_card_1")
    stored = here.order("#W1")
    assert json.loads(text) == stored
    assert stored["status"] == "pending (item modified)"
    assert stored["payment_history"][1:] == [
        {
            "transaction_type": "payment",
            "amount": 20.3 - 10.1,  # 10.200000000000001
            "payment_method_id": "gift_card_1",
        }
    ]
    assert "10.200000000000001" in text
    assert here.balance("gift_card_1") == 39.8
    assert [(one["item_id"], one["price"], one["options"]) for one in stored["items"]] == [
        ("L2", 20.3, {"color": "blue"}),
        ("M2", 7.0, {"color": "b"}),
    ]
    for name, values, what in [
        (CANCEL, ["no longer needed"], "cancelled"),
        (ITEMS, [[], [], "paypal_1"], "modified"),
        (PAYMENT, ["paypal_1"], "modified"),
        (MOVE, ADDRESS, "modified"),
    ]:
        refusal = f"Error: non-pending order cannot be {what}"
        assert here.do_all(name, "#W1", *values) == refusal


def test_a_cheaper_item_is_refunded_and_an_equal_one_with_nothing(here):
    here.do_all(ITEMS, "#W2", ["L2"], ["L1"], "gift_card_2")
    assert here.order("#W2")["payment_history"][-1] == {
        "transaction_type": "refund",
        "amount": 20.3 - 10.1,
        "payment_method_id": "gift_card_2",
    }
    assert here.balance("gift_card_2") == 15.2
    text = here.do_all(ITEMS, "#W1", ["M1"], ["M2"], "paypal_1")
    assert '{"transaction_type": "refund", "amount": 0.0, "payment_method_id": "paypal_1"}' in text


def test_a_line_of_an_order_may_be_modified_twice(here):
    here.do_all(ITEMS, "#W2", ["L1", "L2"], ["L2", "L3"], "paypal_1")
    items = here.order("#W2")["items"]
    assert [(one["item_id"], one["price"]) for one in items] == [("L3", 30.7), ("L2", 20.3)]
    assert items[1]["options"] == {"color": "old"}


def test_a_payment_is_moved_from_and_to_gift_cards(here):
    text = here.do(PAYMENT, order_id="#W1", payment_method_id="gift_card_1")
    assert json.loads(text)["payment_history"][1:] == [
        {"transaction_type": "payment", "amount": 17.1, "payment_method_id": "gift_card_1"},
        {"transaction_type": "refund", "amount": 17.1, "payment_method_id": "credit_card_1"},
    ]
    assert here.balance("gift_card_1") == 32.9
    assert here.order("#W1")["status"] == "pending"
    again = here.do(PAYMENT, order_id="#W1", payment_method_id="paypal_1")
    assert again == "Error: there should be exactly one payment for a pending order"


def test_items_are_returned(here):
    text = here.do_all(RETURN, "#W7", ["M1", "L1"], "gift_card_2")
    assert text.endswith('"return_items": ["L1", "M1"], "return_payment_method_id": "gift_card_2"}')
    assert '"status": "return requested"' in text
    assert list(here.changes) == [("orders", "#W7")]
    again = here.do_all(RETURN, "#W7", [], "gift_card_2")
    assert again == "Error: non-delivered order cannot be returned"


# Whatever a model writes

KNOWN = [
    *("#W1", "#W2", "#W3", "#W4", "#W5", "#W6", "#W7", "p1", "p2", "ada_1", "Ada", "Löve", "00123"),
    *(
        "L1",
        "L2",
        "L3",
        "L4",
        "M1",
        "M2",
        "credit_card_1",
        "paypal_1",
        "gift_card_1",
        "gift_card_2",
    ),
    *("no longer needed", "ordered by mistake", "ada@example.com", "2 * 3.5", "(1)(2)", "9**9**9"),
]
PLAIN = [
    *(None, True, False, 0, 1, -1, 2**70, 1.5, -0.0, float("nan"), float("inf"), "", " ", "x", "#"),
    *("{}", "it's", "\ud800", "\x00", "ünïcode", "1" * 5000, "x" * 100_000, [], {}, [[]], [{}]),
]
FITTING = {
    "order_id": ["#W1", "#W2", "#W3", "#W4", "#W5", "#W6", "#W7"],
    "item_ids": [["L1"], ["L2"], ["M1"], ["L1", "M1"], ["L1", "L2"], ["L1", "L1"], []],
    "new_item_ids": [["L2"], ["L3"], ["M2"], ["L2", "M2"], ["L2", "L3"], ["L3", "L1"], []],
    "payment_method_id": ["credit_card_1", "paypal_1", "gift_card_1", "gift_card_2"],
    "reason": ["no longer needed", "ordered by mistake"],
    "user_id": ["ada_1"],
    "product_id": ["p1", "p2"],
}


def anything(rng, depth=3):
    kind = rng.random()
    if depth and kind < 0.15:
        return [anything(rng, depth - 1) for _ in range(rng.randint(0, 3))]
    if depth and kind < 0.25:
        return {str(anything(rng, 0))[:9]: anything(rng, depth - 1) for _ in range(2)}
    return rng.choice(KNOWN if kind < 0.7 else PLAIN)


def arguments_for(rng, name):
    code = TOOLS[name].__code__
    arguments = {}
    for key in code.co_varnames[1 : code.co_argcount]:
        fits = key in FITTING and rng.random() < 0.8
        arguments[key] = rng.choice(FITTING[key]) if fits else anything(rng)
    if rng.random() < 0.05:
        arguments.pop(rng.choice(["order_id", "item_ids", "zip"]), None)
    if rng.random() < 0.03:
        arguments[rng.choice(["data", "desk", "self", "it's"])] = anything(rng)
    return arguments


@pytest.mark.parametrize("episodes", [400, pytest.param(1500, marks=pytest.mark.slow)])
def test_any_arguments_get_an_answer_and_the_base_stays(episodes):
    rng = random.Random(0)
    base = shop()
    before = repr(base.tables)
    names = [*TOOLS, *(name for name in TOOLS if "order" in name)]
    errors = edits = 0
    for _ in range(episodes):
        changes = {}
        for _ in range(16):
            name = rng.choice(names)
            arguments = arguments_for(rng, name)
            if rng.random() < 0.02:
                name = rng.choice([None, 3, [], "", "nothing", "__class__"])
            if rng.random() < 0.02:
                arguments = rng.choice([None, [], "x", 5])
            earlier, desk = copied(changes), base.desk(changes)
            text = call(TOOLS, "retail", desk, name, arguments)
            assert type(text) is str
            assert repr(changes) == repr(earlier)
            edits += len(desk.changes()) > 0 and desk.changes() is not changes
            errors += text.startswith("Error: ")
            changes = desk.changes()
        assert repr(base.tables) == before
        assert len(base.sha256(changes)) == 64
    assert errors > 10 / 3 * episodes
    assert edits > 4 / 3 * episodes


@pytest.mark.parametrize("wrap", [lambda value: [value], lambda value: {"a": value}])
def test_deep_arguments_get_an_answer(here, wrap):
    value = "x"
    for _ in range(5000):
        value = wrap(value)
    for name in (MOVE, EXCHANGE, RETURN, "get_order_details", "calculate", "think"):
        code = TOOLS[name].__code__
        for key in code.co_varnames[1 : code.co_argcount]:
            arguments = dict.fromkeys(code.co_varnames[1 : code.co_argcount], "x")
            if "order_id" in arguments:
                arguments["order_id"] = "#W1" if name == MOVE else "#W3"
            assert isinstance(here.do(name, **{**arguments, key: value}), str)
    assert len(here.base.sha256(here.changes)) == 64
