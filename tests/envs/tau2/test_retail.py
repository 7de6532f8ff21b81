"""What a small shop does where the references do not reach."""

from __future__ import annotations

import json

import pytest

from gem_ma.envs.tau2.domain import VARIABLE
from gem_ma.envs.tau2.retail import Retail

ADDRESS = {
    "address1": "1 Main St",
    "address2": "",
    "city": "Austin",
    "country": "USA",
    "state": "TX",
    "zip": "78701",
}


def _variant(id, color, price):
    return {"item_id": id, "options": {"color": color}, "available": True, "price": price}


def _item(id, color, price):
    return {
        "name": "Mug",
        "product_id": "p",
        "item_id": id,
        "price": price,
        "options": {"color": color},
    }


def _payment(amount, method):
    return {"transaction_type": "payment", "amount": amount, "payment_method_id": method}


def _order(id, status, *payments):
    return {
        "order_id": id,
        "user_id": "ada",
        "address": ADDRESS,
        "items": [_item("red", "red", 10), _item("blue", "blue", 20)],
        "status": status,
        "fulfillments": [],
        "payment_history": list(payments),
    }


VARIANTS = (_variant("red", "red", 10), _variant("blue", "blue", 20), _variant("gold", "gold", 50))
USER = {
    "user_id": "ada",
    "name": {"first_name": "Ada", "last_name": "Byron"},
    "address": ADDRESS,
    "email": "Ada@example.com",
    "payment_methods": {
        "gift": {"source": "gift_card", "id": "gift", "balance": 100},
        "pay": {"source": "paypal", "id": "pay"},
    },
    "orders": ["#1", "#2"],
}
SHOP = {
    "products": {
        "p": {"name": "Mug", "product_id": "p", "variants": {v["item_id"]: v for v in VARIANTS}}
    },
    "users": {"ada": USER},
    "orders": {
        "#1": _order("#1", "pending", _payment(30, "pay")),
        "#2": _order("#2", "pending", _payment(5, "gift"), _payment(25, "lost")),
    },
}


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    (tmp_path / "retail").mkdir()
    (tmp_path / "retail" / "db.json").write_text(json.dumps(SHOP))
    return Retail().world()


def _call(world, name, **arguments):
    answer, failed = world.call("assistant", name, arguments)
    assert not failed, answer
    return answer


def test_changed_items_all_become_what_the_last_of_them_becomes(shop):
    order = json.loads(
        _call(
            shop,
            "modify_pending_order_items",
            order_id="#1",
            item_ids=["red", "blue"],
            new_item_ids=["gold", "red"],
            payment_method_id="gift",
        )
    )
    assert [item["item_id"] for item in order["items"]] == ["gold", "red"]
    assert [item["price"] for item in order["items"]] == [10.0, 10.0]
    assert [item["options"] for item in order["items"]] == [{"color": "red"}] * 2
    assert order["payment_history"][-1] == _payment(30.0, "gift")  # 40 more, 10 less
    assert shop.desk.get("users", "ada")["payment_methods"]["gift"]["balance"] == 70.0


def test_a_refund_stays_where_the_cancelling_fails_after_it(shop):
    answer = shop.call(
        "assistant", "cancel_pending_order", {"order_id": "#2", "reason": "ordered by mistake"}
    )
    assert answer == ("Error: Payment method not found", True)
    assert shop.desk.get("users", "ada")["payment_methods"]["gift"]["balance"] == 105.0
    assert shop.desk.get("orders", "#2")["status"] == "pending"


def test_a_user_who_moved_is_found_by_the_new_zip_code_only(shop):
    name = {"first_name": "ADA", "last_name": "byron"}
    assert _call(shop, "find_user_id_by_name_zip", **name, zip="78701") == "ada"
    _call(shop, "modify_user_address", user_id="ada", **{**ADDRESS, "zip": "10001"})
    assert _call(shop, "find_user_id_by_name_zip", **name, zip="10001") == "ada"
    arguments = {**name, "zip": "78701"}
    assert shop.call("assistant", "find_user_id_by_name_zip", arguments)[1]


def test_an_exchange_of_nothing_costs_a_whole_zero(shop):
    shop.desk.edit("orders", "#1")["status"] = "delivered"
    nothing = {"item_ids": [], "new_item_ids": [], "payment_method_id": "pay"}
    answer = _call(shop, "exchange_delivered_order_items", order_id="#1", **nothing)
    assert '"exchange_price_difference": 0,' in answer


@pytest.mark.parametrize("expression", ["9**9**9**9", "(" * 900 + ")" * 900, "1" * 5000])
def test_the_calculator_refuses_what_would_grow(shop, expression):
    assert shop.call("assistant", "calculate", {"expression": expression})[1]


def test_what_an_episode_changes_another_does_not_see(shop):
    _call(shop, "modify_user_address", user_id="ada", **{**ADDRESS, "city": "Paris"})
    fresh = shop.domain.world()
    assert json.loads(_call(fresh, "get_user_details", user_id="ada"))["address"] == ADDRESS
