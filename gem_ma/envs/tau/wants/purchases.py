"""The wishes of a customer of TAU-bench's shop, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gem_ma.envs.tau.wants.wish import Record, Wish, address_of, listed, optioned, paid_with


class Purchases:
    """The wishes of a customer of a shop."""

    def __init__(self, tables: Mapping[str, Mapping[str, Record]], user: Record, instruction: str):
        self.products = tables["products"]
        self.user = user
        self.instruction = instruction
        self.orders = {id: tables["orders"][id] for id in user.get("orders", ())}

    def wish(self, tool: str, given: Record) -> Wish | None:
        """Return the wish that a gold action fulfils, or None for other actions."""
        if tool == "modify_user_address":
            where = self._address(given)
            return Wish(
                tool,
                f"my default address to {where}",
                "my default address",
                {"address": f"The new one is {where}."},
                records=("user",),
                marks=("default address", "profile", "user address"),
            )
        if tool == "reset_app":
            stuck = "the app on my phone working again, which is stuck"
            return Wish(tool, stuck, "the app on my phone working again", marks=("app", "phone"))
        order = self.orders.get(given.get("order_id", ""))
        if tool not in _CHANGES or order is None:
            return None
        number, words = given["order_id"], self._order(given["order_id"])
        names = [item["name"] for item in order["items"]] if number not in words else []
        answers = {"order": f"It is {words}."}
        if "payment_method_id" in given:
            pays = paid_with(
                self.user["payment_methods"], given["payment_method_id"], self.instruction
            )
            answers["payment"] = f"Please use {pays}."
        if "item_ids" in given:
            about, brief, more = self._things(given, order)
            names += [item["name"] for item in self._items(order, given["item_ids"])]
        else:
            about, brief, more = self._whole(tool, given, words)
        marks = (number, number.lstrip("#"), *names)
        return Wish(tool, about, brief, {**answers, **more}, (), (number,), marks)

    def _whole(self, tool: str, given: Record, words: str) -> tuple[str, str, dict[str, str]]:
        """Return full description, vague description and answers of a wish for a whole order."""
        if tool == "modify_pending_order_payment":
            methods = self.user["payment_methods"]
            pays = paid_with(methods, given["payment_method_id"], self.instruction)
            return f"the payment of {words} to {pays}", f"the payment of {words}", {}
        if tool == "modify_pending_order_address":
            where = self._address(given, given["order_id"])
            new = {"address": f"The new one is {where}."}
            return f"the address of {words} to {where}", f"the address of {words}", new
        why = "It was ordered by mistake."
        if given["reason"] != "ordered by mistake":
            why = "It is no longer needed."
        return words, words, {"reason": why}

    def _things(self, given: Record, order: Record) -> tuple[str, str, dict[str, str]]:
        """Return full description, vague description and answers of a wish for items."""
        items = self._items(order, given["item_ids"])
        descriptions = [self._told(item) for item in items]
        twins = any(self._twins(item) for item in items)
        brief = listed(
            [f"the {one}" for one in (descriptions if twins else [i["name"] for i in items])]
        )
        answers = {"items": f"The {listed(descriptions)}."}
        if "new_item_ids" not in given:
            return brief, brief, answers
        about = self._swapped(items, given["new_item_ids"])
        return about, brief, {**answers, "options": f"I want {about}."}

    def _items(self, order: Record, ids: Iterable[str]) -> list[Record]:
        return [next(item for item in order["items"] if item["item_id"] == id) for id in ids]

    def _told(self, item: Record) -> str:
        """Describe an item by its name and options."""
        return f"{item['name']} ({optioned(item['options'])})"

    def _twins(self, item: Record) -> bool:
        """Return whether the user has a different item of the same name."""
        return any(
            one["name"] == item["name"] and one["item_id"] != item["item_id"]
            for order in self.orders.values()
            for one in order["items"]
        )

    def _swapped(self, items: Sequence[Record], new: Sequence[str]) -> str:
        parts = []
        for item, id in zip(items, new, strict=True):
            new_options = self.products[item["product_id"]]["variants"][id]["options"]
            other = {
                key: one for key, one in new_options.items() if item["options"].get(key) != one
            }
            to = f"one with {optioned(other)}" if other else "the same again"
            description = self._told(item) if self._twins(item) else item["name"]
            parts.append(f"the {description} for {to}")
        return ", and ".join(parts)

    def _order(self, number: str) -> str:
        """Describe an order as its owner does, who may not know its number."""
        if number.lstrip("#W") in self.instruction:
            return f"order {number}"
        order = self.orders[number]
        others = [one for id, one in self.orders.items() if id != number]
        names = sorted(item["name"] for item in order["items"])
        same = [one for one in others if sorted(item["name"] for item in one["items"]) == names]
        if not same:
            return f"the order with the {listed([item['name'] for item in order['items']])}"
        description = f"the order with the {listed([self._told(item) for item in order['items']])}"
        city = order["address"]["city"]
        if any(one["address"]["city"] == city for one in same):
            return description
        return f"{description} that goes to {city}"

    def _address(self, given: Record, number: str = "") -> str:
        """Return an address, or a reference to it if the instruction does not contain it."""
        lines = address_of(given)
        if lines[0] not in self.instruction:
            if number and lines == address_of(self.user["address"]):
                return "the address in my profile"
            for id, order in self.orders.items():
                if id != number and lines == address_of(order["address"]):
                    return f"the address of {self._order(id)}"
        return ", ".join(filter(None, lines))


_CHANGES = {
    "cancel_pending_order",
    "exchange_delivered_order_items",
    "modify_pending_order_address",
    "modify_pending_order_items",
    "modify_pending_order_payment",
    "return_delivered_order_items",
}
