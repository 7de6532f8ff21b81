"""An assistant of a shop that knows the required changes, and learns the rest from the user."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from gem_ma.envs.tau.agents.assistants.customer_records import WISH_PATTERNS, CustomerRecords
from gem_ma.envs.tau.agents.assistants.dialogue_flow import DialogueFlow, format_call
from gem_ma.envs.tau.agents.assistants.service_dialogue import (
    ServiceDialogue,
    TaskKnowledge,
    parse_tool_result,
)
from gem_ma.validation.json_types import JSONMapping

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]++\.[\w.]*\w")
_CUSTOMER_NAME = re.compile(r"(?:name(?: is|:)|[Tt]his is|I am|I'm) ([A-Z][\w'-]+) ([A-Z][\w'-]+)")
_ZIP_CODE = re.compile(r"\b(\d{5})\b")
_LOGIN_CODE = re.compile(r"\bcode(?: is|:)? (\d{6})\b")
_QUESTIONS = {  # questions for unknown arguments
    "order_id": 'Which order do you mean by "{wish}" The number, or what is in it, please?',
    "item_ids": "Which items of {about} are they?",
    "new_item_ids": "Which options should the new ones have, of {about}?",
    "payment_method_id": "Which payment method shall it be for {about}?",
    "reason": "What is the reason to cancel {about}?",
    "address1": "What is the new address, in full?",
}
MAX_RESTARTS = 3  # how often the user is asked to restart its phone
MAX_QUESTIONS = 6  # maximum number of questions about one wish


def serve_customer(task: TaskKnowledge, first: str) -> DialogueFlow:
    """Return the dialogue of an assistant with a customer."""
    return ShopDialogue(task, first).serve()


def list_lookups(heard: Sequence[str]) -> Iterator[str]:
    """Yield the calls that may find the user, for the latest message first."""
    named = next((one for text in heard for one in _CUSTOMER_NAME.finditer(text)), None)
    for text in reversed(heard):
        for email in _EMAIL.findall(text):
            yield format_call("find_user_id_by_email", email=email)
        for code in _ZIP_CODE.findall(text) if named else ():
            arguments = {"first_name": named[1], "last_name": named[2]} if named else {}
            yield format_call("find_user_id_by_name_zip", **arguments, zip=code)


class ShopDialogue(ServiceDialogue):
    """A conversation with a customer."""

    wish_patterns: Mapping[str, re.Pattern[str]] = WISH_PATTERNS
    last = ("modify_pending_order_items",)

    def identify_user(self) -> DialogueFlow:
        self.records = CustomerRecords()
        tried = set()
        while True:
            for lookup in list_lookups(self.heard):
                if lookup in tried:
                    continue
                tried.add(lookup)
                result = yield lookup
                if not result.startswith("Error"):
                    user = parse_tool_result(
                        (yield format_call("get_user_details", user_id=result))
                    )
                    self.records.user = {**user, "user_id": result}
                    return
            again = "I cannot find you so. " if tried else ""
            yield from self.say(f"{again}Could you tell me your email, or your name and zip code?")

    def grant_wish(self, tool: str, wish: str) -> DialogueFlow:
        if tool == "reset_app":
            return (yield from self._reset_app())
        texts = [wish]
        for _ in range(MAX_QUESTIONS):
            yield from self._look_up_records(tool, texts)
            arguments = self.records.infer_arguments(tool, texts)
            if arguments is None:
                return False
            unknown = next((name for name, value in arguments.items() if value is None), "")
            about = self._describe_change(tool, arguments, texts)
            if not unknown:
                return (yield from self._change_record(tool, about, arguments))
            asks = _QUESTIONS.get(unknown, _QUESTIONS["address1"])
            texts.append((yield from self.say(asks.format(wish=wish, about=about))))
        return False

    def _look_up_records(self, tool: str, texts: Sequence[str]) -> DialogueFlow:
        records = self.records
        while unseen := next(records.list_unseen(tool, texts), None):
            kind, id = unseen
            if kind == "order":
                records.orders[id] = parse_tool_result(
                    (yield format_call("get_order_details", order_id=id))
                )
            else:
                records.products[id] = parse_tool_result(
                    (yield format_call("get_product_details", product_id=id))
                )

    def _describe_change(self, tool: str, given: JSONMapping, texts: Sequence[str]) -> str:
        """Return the object of a change, in words."""
        if "order_id" not in given:
            return "your default address"
        order = f"order {given['order_id']}"
        if not given.get("item_ids"):
            return order
        names = [item["name"] for item in self.records.find_items(tool, texts)]
        return f"the {' and the '.join(names)} of {order}"

    def _change_record(self, tool: str, about: str, given: JSONMapping) -> DialogueFlow:
        """Call a tool if the user agrees, and return whether the call succeeded."""
        if not (yield from self.confirm(f"call {tool} for {about}")):
            return False
        answer = yield format_call(tool, **given)
        return not answer.startswith("Error")

    def _reset_app(self) -> DialogueFlow:
        """Have the phone restarted, send a code, ask for it, and reset the app.

        The answer of the tool shows whether the phone was restarted, as the user says.
        """
        id = self.records.user["user_id"]
        answer = ""
        for _ in range(MAX_RESTARTS):
            yield from self.ask("Could you restart your phone, please?", _find_restart)
            yield format_call("send_code", user_id=id)
            code = yield from self.ask("Could you tell me the code that you got?", _parse_code)
            answer = yield format_call("reset_app", user_id=id, code=code)
            if "restart" not in answer:
                break
        return not answer.startswith("Error")


def _find_restart(text: str) -> str | None:
    return text if "restarted" in text else None


def _parse_code(text: str) -> str | None:
    codes = _LOGIN_CODE.findall(text)
    return codes[-1] if codes else None
