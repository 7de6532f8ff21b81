"""The shop of tau2-bench: orders are changed, exchanged, returned and cancelled."""

from __future__ import annotations

import functools
import json
from typing import ClassVar

from gem_ma.envs.tau.calculate import calculated
from gem_ma.envs.tau.retail import emails, names
from gem_ma.envs.tau.store import Base, copied
from gem_ma.envs.tau2.domain import Domain
from gem_ma.envs.tau2.kit import MAP, Kit, tool, writing
from gem_ma.envs.tau2.shape import (
    Default,
    Shape,
    choice,
    either,
    flag,
    listed,
    mapped,
    number,
    optional,
    text,
)
from gem_ma.validation.json_types import JSONMapping, JSONObject

Record = JSONObject
Known = JSONMapping  # a record for reading
REASONS = ("no longer needed", "ordered by mistake")

ADDRESS = Shape(
    "UserAddress",
    address1=text,
    address2=text,
    city=text,
    country=text,
    state=text,
    zip=text,
)
VARIANT = Shape("Variant", item_id=text, options=mapped(text), available=flag, price=number)
PRODUCT = Shape("Product", name=text, product_id=text, variants=mapped(VARIANT))
CREDIT_CARD = Shape("CreditCard", source=choice("credit_card"), id=text, brand=text, last_four=text)
GIFT_CARD = Shape("GiftCard", source=choice("gift_card"), id=text, balance=number)
PAYPAL = Shape("Paypal", source=choice("paypal"), id=text)
USER = Shape(
    "User",
    user_id=text,
    name=Shape("UserName", first_name=text, last_name=text),
    address=ADDRESS,
    email=text,
    payment_methods=mapped(either(CREDIT_CARD, GIFT_CARD, PAYPAL)),
    orders=listed(text),
)
ITEM = Shape(
    "OrderItem", name=text, product_id=text, item_id=text, price=number, options=mapped(text)
)
PAYMENT = Shape(
    "OrderPayment",
    transaction_type=choice("payment", "refund"),
    amount=number,
    payment_method_id=text,
)
ORDER = Shape(
    "Order",
    order_id=text,
    user_id=text,
    address=ADDRESS,
    items=listed(ITEM),
    status=choice(
        "processed",
        "pending",
        "pending (item modified)",
        "delivered",
        "cancelled",
        "exchange requested",
        "return requested",
    ),
    fulfillments=listed(Shape("OrderFullfilment", tracking_id=listed(text), item_ids=listed(text))),
    payment_history=listed(PAYMENT),
    cancel_reason=Default(optional(choice(*REASONS))),
    exchange_items=Default(optional(listed(text))),
    exchange_new_items=Default(optional(listed(text))),
    exchange_payment_method_id=Default(optional(text)),
    exchange_price_difference=Default(optional(number)),
    return_items=Default(optional(listed(text))),
    return_payment_method_id=Default(optional(text)),
)


class RetailTools(Kit):
    @tool
    def calculate(self, expression: str) -> str:
        """Work out a sum.

        Args:
            expression: numbers, + - * /, parentheses and spaces, such as "2 * (3 + 4)"
        """
        return calculated(expression, "Invalid characters in expression")

    @writing
    def cancel_pending_order(self, order_id: str, reason: str) -> Record:
        """Cancel a pending order and refund it: a gift card at once, others in 5 to 7 working days.

        Args:
            order_id: the order, such as "#W0000000", with its "#"
            reason: "no longer needed" or "ordered by mistake"
        """
        order = self._order(order_id)
        if order["status"] != "pending":
            raise ValueError("Non-pending order cannot be cancelled")
        if reason not in set(REASONS):
            raise ValueError("Invalid reason")
        refunds = []
        for entry in order["payment_history"]:
            refunds.append(_entry("refund", entry["amount"], entry["payment_method_id"]))
            self._credit(order, entry["payment_method_id"], entry["amount"])
        order = self.desk.edit("orders", order_id)
        order["status"] = "cancelled"
        order["cancel_reason"] = reason
        order["payment_history"] += refunds
        return order

    @writing
    def exchange_delivered_order_items(
        self,
        order_id: str,
        item_ids: list[str],
        new_item_ids: list[str],
        payment_method_id: str,
    ) -> Record:
        """Exchange items of a delivered order for other variants of theirs, which can be done once.

        Args:
            order_id: the order, such as "#W0000000", with its "#"
            item_ids: the items to give back; one that is given back twice stands there twice
            new_item_ids: the variants wanted, each at the place of the item that it replaces
            payment_method_id: what pays or receives the difference, such as "gift_card_0000000"
        """
        order = self._order(order_id)
        if order["status"] != "delivered":
            raise ValueError("Non-delivered order cannot be exchanged")
        _check_items(order, item_ids, "Number of {} not found.")
        if len(item_ids) != len(new_item_ids):
            raise ValueError("The number of items to be exchanged should match.")
        difference = 0
        for item_id, new_item_id in zip(item_ids, new_item_ids, strict=True):
            item, variant = self._replacement(order, item_id, new_item_id)
            difference += variant["price"] - item["price"]
        difference = round(difference, 2)
        method = self._method(order, payment_method_id)
        _check_balance(method, difference, "price difference")
        order = self.desk.edit("orders", order_id)
        order["status"] = "exchange requested"
        order["exchange_items"] = sorted(item_ids)
        order["exchange_new_items"] = sorted(new_item_ids)  # sorted: the pairs are lost
        order["exchange_payment_method_id"] = payment_method_id
        order["exchange_price_difference"] = difference
        return order

    @tool
    def find_user_id_by_name_zip(self, first_name: str, last_name: str, zip: str) -> str:
        """Find a user's id by name and zip code; try the e-mail address first.

        Args:
            first_name: such as "John"
            last_name: such as "Doe"
            zip: the zip code, such as "12345"
        """
        for last, user_id in names(self.desk.base).get(first_name.lower(), ()):
            if last == last_name.lower() and self._user(user_id)["address"]["zip"] == zip:
                return user_id
        raise ValueError("User not found")

    @tool
    def find_user_id_by_email(self, email: str) -> str:
        """Find a user's id by e-mail address.

        Args:
            email: such as "someone@example.com"
        """
        user_id = emails(self.desk.base).get(email.lower())
        if user_id is None:
            raise ValueError("User not found")
        return user_id

    @tool
    def get_order_details(self, order_id: str) -> Known:
        """Look up an order.

        Args:
            order_id: the order, such as "#W0000000", with its "#"
        """
        return self._order(order_id)

    @tool
    def get_product_details(self, product_id: str) -> Known:
        """Look up a product with all its variants, their prices, and which are in stock.

        Args:
            product_id: the product, such as "6086499569"; it is not the id of an item
        """
        return self._product(product_id)

    @tool
    def get_item_details(self, item_id: str) -> Known:
        """Look up one variant of a product, its price, and whether it is in stock.

        Args:
            item_id: the item, such as "6086499569"; it is not the id of a product
        """
        product_id = _products(self.desk.base).get(item_id)
        if product_id is None:
            raise ValueError("Item not found")
        return self._variant(product_id, item_id)

    @tool
    def get_user_details(self, user_id: str) -> Known:
        """Look up a user, with payment methods and orders.

        Args:
            user_id: the user, such as "sara_doe_496"
        """
        return self._user(user_id)

    @tool
    def list_all_product_types(self) -> str:
        """List the names of all products and their ids; the variants of a product are the items."""
        rows = self.desk.rows("products")
        return json.dumps({one["name"]: one["product_id"] for _, one in rows}, sort_keys=True)

    @writing
    def modify_pending_order_address(
        self,
        order_id: str,
        address1: str,
        address2: str,
        city: str,
        state: str,
        country: str,
        zip: str,
    ) -> Record:
        """Send a pending order to another address.

        Args:
            order_id: the order, such as "#W0000000", with its "#"
            address1: the first line, such as "123 Main St"
            address2: the second line, such as "Apt 1", or ""
            city: such as "San Francisco"
            state: such as "CA"
            country: such as "USA"
            zip: the zip code, such as "12345"
        """
        self._pending(order_id)
        address = ADDRESS.make(
            address1=address1, address2=address2, city=city, state=state, country=country, zip=zip
        )
        order = self.desk.edit("orders", order_id)
        order["address"] = address
        return order

    @writing
    def modify_pending_order_items(
        self,
        order_id: str,
        item_ids: list[str],
        new_item_ids: list[str],
        payment_method_id: str,
    ) -> Record:
        """Change items of a pending order into other variants of theirs, which can be done once.

        Args:
            order_id: the order, such as "#W0000000", with its "#"
            item_ids: the items to change; one that is changed twice stands there twice
            new_item_ids: the variants wanted, each at the place of the item that it replaces
            payment_method_id: what pays or receives the difference, such as "gift_card_0000000"
        """
        order = self._order(order_id)
        if order["status"] != "pending":
            raise ValueError("Non-pending order cannot be modified")
        _check_items(order, item_ids, "{} not found")
        if len(item_ids) != len(new_item_ids):
            raise ValueError("The number of items to be exchanged should match")
        difference = 0.0
        variant: Known = {}
        for item_id, new_item_id in zip(item_ids, new_item_ids, strict=True):
            if item_id == new_item_id:
                raise ValueError("The new item id should be different from the old item id")
            item, variant = self._replacement(order, item_id, new_item_id)
            difference += variant["price"] - item["price"]
        method = self._method(order, payment_method_id)
        _check_balance(method, difference, "new item")
        order = self.desk.edit("orders", order_id)
        kind = "payment" if difference > 0 else "refund"
        order["payment_history"].append(_entry(kind, abs(difference), payment_method_id))
        self._credit(order, payment_method_id, -difference)
        for item_id, new_item_id in zip(item_ids, new_item_ids, strict=True):
            item = _item(order, item_id)  # may be an item that an earlier pair put there
            item["item_id"] = new_item_id
            item["price"] = variant["price"]  # the last pair's price, also for other pairs
            item["options"] = copied(variant["options"])
        order["status"] = "pending (item modified)"
        return order

    @writing
    def modify_pending_order_payment(self, order_id: str, payment_method_id: str) -> Record:
        """Pay a pending order in another way.

        Args:
            order_id: the order, such as "#W0000000", with its "#"
            payment_method_id: what is to pay, such as "gift_card_0000000"
        """
        order = self._pending(order_id)
        method = self._method(order, payment_method_id)
        history = order["payment_history"]
        if len(history) != 1 or history[0]["transaction_type"] != "payment":
            raise ValueError("There should be exactly one payment for a pending order")
        old, amount = history[0]["payment_method_id"], history[0]["amount"]
        if old == payment_method_id:
            raise ValueError("The new payment method should be different from the current one")
        _check_balance(method, amount, "order")
        order = self.desk.edit("orders", order_id)
        order["payment_history"] += [
            _entry("payment", amount, payment_method_id),
            _entry("refund", amount, old),
        ]
        self._credit(order, payment_method_id, -amount)
        self._credit(order, old, amount)
        return order

    @writing
    def modify_user_address(
        self,
        user_id: str,
        address1: str,
        address2: str,
        city: str,
        state: str,
        country: str,
        zip: str,
    ) -> Record:
        """Change where a user lives.

        Args:
            user_id: the user, such as "sara_doe_496"
            address1: the first line, such as "123 Main St"
            address2: the second line, such as "Apt 1", or ""
            city: such as "San Francisco"
            state: such as "CA"
            country: such as "USA"
            zip: the zip code, such as "12345"
        """
        self._user(user_id)
        address = ADDRESS.make(
            address1=address1, address2=address2, city=city, state=state, country=country, zip=zip
        )
        user = self.desk.edit("users", user_id)
        user["address"] = address
        return user

    @writing
    def return_delivered_order_items(
        self, order_id: str, item_ids: list[str], payment_method_id: str
    ) -> Record:
        """Ask to give back items of a delivered order; the user hears by e-mail how to do it.

        Args:
            order_id: the order, such as "#W0000000", with its "#"
            item_ids: the items to give back; one that is given back twice stands there twice
            payment_method_id: where the refund goes: what paid the order, or a gift card
        """
        order = self._order(order_id)
        if order["status"] != "delivered":
            raise ValueError("Non-delivered order cannot be returned")
        method = self._method(order, payment_method_id)
        if (
            method["source"] != "gift_card"
            and payment_method_id != order["payment_history"][0]["payment_method_id"]
        ):
            raise ValueError("Payment method should be the original payment method")
        _check_items(order, item_ids, "Some item not found")
        order = self.desk.edit("orders", order_id)
        order["status"] = "return requested"
        order["return_items"] = sorted(item_ids)
        order["return_payment_method_id"] = payment_method_id
        return order

    @tool
    def transfer_to_human_agents(self, summary: str) -> str:
        """Hand the user over to a person, where they ask for one or no tool and no rule helps.

        Args:
            summary: what the user needs
        """
        return "Transfer successful"

    def _order(self, order_id: str) -> Known:
        return self._known("orders", order_id, "Order not found")

    def _user(self, user_id: str) -> Known:
        return self._known("users", user_id, "User not found")

    def _product(self, product_id: str) -> Known:
        return self._known("products", product_id, "Product not found")

    def _known(self, table: str, id: str, otherwise: str) -> Known:
        record = self.desk.get(table, id)
        if record is None:
            raise ValueError(otherwise)
        return record

    def _pending(self, order_id: str) -> Known:
        """Return a pending order, whether its items were modified or not."""
        order = self._order(order_id)
        if "pending" not in order["status"]:
            raise ValueError("Non-pending order cannot be modified")
        return order

    def _variant(self, product_id: str, item_id: str) -> Known:
        variants = self._product(product_id)["variants"]
        if item_id not in variants:
            raise ValueError("Variant not found")
        return variants[item_id]

    def _replacement(self, order: Known, item_id: str, new_item_id: str) -> tuple[Known, Known]:
        """Return an item of an order, and the variant that replaces it."""
        item = _item(order, item_id)
        variant = self._variant(item["product_id"], new_item_id)
        if not variant["available"]:
            raise ValueError(f"New item {new_item_id} not found or available")
        return item, variant

    def _method(self, order: Known, payment_method_id: str) -> Known:
        """Return a payment method of the order's user."""
        methods = self._user(order["user_id"])["payment_methods"]
        if payment_method_id not in methods:
            raise ValueError("Payment method not found")
        return methods[payment_method_id]

    def _credit(self, order: Known, payment_method_id: str, amount: float) -> None:
        """Add an amount to a gift card of the order's user; other methods have no balance."""
        if self._method(order, payment_method_id)["source"] == "gift_card":
            user = self.desk.edit("users", order["user_id"])
            card = user["payment_methods"][payment_method_id]
            card["balance"] = round(card["balance"] + amount, 2)


def _entry(kind: str, amount: float, payment_method_id: str) -> Record:
    return {
        "transaction_type": kind,
        "amount": amount,
        "payment_method_id": payment_method_id,
    }


def _item(order: Known, item_id: str) -> Record:
    for item in order["items"]:
        if item["item_id"] == item_id:
            return item
    raise ValueError(f"Item {item_id} not found")


def _check_items(order: Known, item_ids: list[str], refusal: str) -> None:
    """Raise ValueError for an id that occurs more often than in the order."""
    held = [item["item_id"] for item in order["items"]]
    for item_id in item_ids:
        if item_ids.count(item_id) > held.count(item_id):
            raise ValueError(refusal.format(item_id))


def _check_balance(method: Known, amount: float, purpose: str) -> None:
    if method["source"] == "gift_card" and method["balance"] < amount:
        raise ValueError(f"Insufficient gift card balance to pay for the {purpose}")


@functools.lru_cache(maxsize=4)
def _products(base: Base) -> dict[str, str]:
    """Return the product id of each item; no tool changes a product."""
    products = reversed(list(base.tables["products"].items()))  # the first with an item counts
    return {item_id: id for id, one in products for item_id in one["variants"]}


class Retail(Domain):
    name = "retail"
    kits: ClassVar = {"assistant": RetailTools}
    sides: ClassVar = {"assistant": {"products": MAP, "users": MAP, "orders": MAP}}
    shapes: ClassVar = {"products": PRODUCT, "users": USER, "orders": ORDER}
