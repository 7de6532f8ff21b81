"""Players for TAU-bench that need no model: a user by rule, and assistants who know the answers."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gem_ma.agents.tau2 import Caller, next_of_workflow, told_to_call
from gem_ma.guards.given import each
from gem_ma.talk.turns import Turn

STOP = "###STOP###"
# Where a task stands in rules of ours, and in the original's.
_PLACES = (("Your task: ", ""), ("\n\nInstruction: ", "\n\nRules:\n"), ("Instructions:\n", ""))
# Read from where a word begins, and never again from within it.
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]++\.[\w.]*\w")
_NAME = re.compile(r"(?:name is|You are) ([A-Z][\w'-]+) ([A-Z][\w'-]+)")
_ZIP = re.compile(r"(?:zip(?: code)?(?: is)?|in) (\d{5})")
_ORDER = re.compile(r"#W\d{7}")
_CODE = re.compile(r"code is (\d{6})")
_PAYMENT = re.compile(r"\b(?:credit_card|paypal|gift_card)_\d+\b")
_LONGEST = 2_000  # characters of options or an address
_SENTENCE = re.compile(
    r"(?<=[.;!?]) +(?=You(?:r name| are| want| would| ask)|Return|Cancel|For #W|Exchange|Modify)"
)
_CONFIRM = re.compile(
    r"confirm|\(yes|yes/no|shall i|should i|proceed|go ahead|is (?:that|this) (?:right|correct)"
    r"|would you like me to|do you want me to",
    re.I,
)
_DONE = re.compile(r"anything else|(?:is|are) (?:now )?done|has been|have been|successfully", re.I)
_REFUSED = re.compile(r"cannot|can't|unable|not possible|not able|sorry", re.I)
_WHAT = re.compile(
    r"\border\b|item|product|which|what|payment|refund|address|reason|option|detail|how can i", re.I
)


class RuleUser:
    """Play the user by rule: tell who you are when asked, one wish at a time, confirm, and end.

    It understands tasks whose sentences say who the user is ("Your name is ...") and, one after
    the other, what the user wants; it says nothing that is not in them.
    """

    portable = True
    seats = ("user",)

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._reply(turn) for turn in each(turns, Turn, "turns")]

    def _reply(self, turn: Turn) -> str:
        if turn.position is not None and _of_tau2(turn.position.state):
            asked = told_to_call(turn.position.state.seen_by(turn.seat))
            if asked is not None:
                return asked
        view = _phone_view(turn)
        if view is not None:
            return Caller(view).reply()
        who, wishes = _task(turn.rules)
        said = [str(m["content"]) for m in turn.messages if m["role"] == "assistant"]
        heard = [_words(m["content"]) for m in turn.messages if m["role"] == "user"]
        told = [wish for wish in wishes if any(_spoken(wish) in one for one in said)]
        left = [wish for wish in wishes if wish not in told]
        if not said:
            return f"Hello! {_spoken(left[0])}" if left else "Hello! I need some help."
        if len(said) > 40:
            return STOP
        return self._answer(turn, heard[-1], who, told, left, said)

    def _work(self, turn: Turn, words: str, asked: str) -> str | None:
        """Do what the assistant asks to be done on the phone, and tell what came of it."""
        if turn.results:
            code = _CODE.findall(turn.results[-1])
            return f"The code is {code[-1]}." if code else f"I did. It says: {turn.results[-1]}"
        tool = None
        if "restart" in words:
            tool = "restart_phone"
        elif re.search(r"\bcode\b", words) and "zip code" not in words:
            tool = "read_inbox"
        elif re.search(r"(?:open|check|look at) (?:the|your) app", words):
            tool = "open_app"
        return None if tool is None else json.dumps({"name": tool, "arguments": {}})

    def _answer(
        self, turn: Turn, asked: str, who: str, told: list[str], left: list[str], said: list[str]
    ) -> str:
        words = asked.lower()
        question = "?" in asked
        if turn.tools:
            done = self._work(turn, words, asked)
            if done is not None:
                return done
        if question and "anything else" in words:
            return _spoken(left[0]) if left else STOP
        if question and _CONFIRM.search(asked):
            return "Yes, please."
        if question and re.search(r"e-?mail|zip|your name|user id|who you are|identity", words):
            return _identity(words, who)
        if question and told and _WHAT.search(asked):
            wish = _about(asked, told)
            # Asked for the same thing over and over, it has nothing to add.
            return _spoken(wish) if said.count(_spoken(wish)) < 4 else "That is all I know."
        if _DONE.search(asked) or _REFUSED.search(asked):
            return _spoken(left[0]) if left else STOP
        if left:
            return _spoken(left[0])
        return "Yes, please." if question else STOP

    def __repr__(self) -> str:
        return "RuleUser()"


def _words(content: Any) -> str:
    """Return the words of a message, which may have pictures beside them."""
    parts = (content,) if isinstance(content, str) else content
    return "\n".join(part for part in parts if isinstance(part, str))


def _task(rules: str) -> tuple[str, list[str]]:
    """Return what a user's rules say of who it is, and its wishes."""
    found = [(rules.find(before), before, after) for before, after in _PLACES if before in rules]
    place, before, after = min(found, default=(len(rules), "", ""))
    task = rules[place + len(before) :]
    task = task.partition(after)[0] if after else task
    parts = [part.strip() for part in _SENTENCE.split(task.strip()) if part.strip()]
    mine = [p for p in parts if _NAME.search(p) or "email is" in p or p.startswith("You are")]
    return " ".join(mine), [part for part in parts if part not in mine]


def _spoken(wish: str) -> str:
    """Return a wish in the first person."""
    wish = re.sub(r"^You ask", "I ask", wish)
    wish = re.sub(r"\b[Yy]ou(?= (?:want|would|paid|ordered|have))", "I", wish)
    wish = re.sub(r"\byour\b", "my", wish)
    return wish if wish.startswith("I ") else f"I want this: {wish}"


def _identity(words: str, who: str) -> str:
    """Tell who the user is, as far as it was asked and the task says."""
    email, name, code = _EMAIL.search(who), _NAME.search(who), _ZIP.search(who)
    parts = []
    if email and ("mail" in words or not code):
        parts.append(f"My email is {email[0]}.")
    elif name:
        parts.append(
            f"My name is {name[1]} {name[2]}" + (f", zip code {code[1]}." if code else ".")
        )
    return " ".join(parts) or "I do not remember."


def _about(asked: str, told: list[str]) -> str:
    """Return the wish that a question is about: the last one that shares an order with it."""
    orders = set(_ORDER.findall(asked))
    for wish in reversed(told):
        if orders & set(_ORDER.findall(wish)):
            return wish
    return told[-1]


# -- assistants --------------------------------------------------------------------------------


class OracleAssistant:
    """Play the gold actions of the task, and say the required outputs."""

    portable = True
    seats = ("assistant",)

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._reply(turn) for turn in each(turns, Turn, "turns")]

    def _reply(self, turn: Turn) -> str:
        state = _state(turn)
        task = state.task
        if _of_tau2(state):
            return _gold(state)
        done = [(one.by, one.name) for one in state.calls if one.name not in ("read_inbox",)]
        if len(done) < len(task.actions):
            name, arguments = task.actions[len(done)]
            if name in ASKED:
                return ASKED[name]
            return json.dumps({"name": name, "arguments": dict(arguments)})
        said = any(text.startswith("All is done") for who, text in state.talk if who != "user")
        outputs = f" ({', '.join(task.outputs)})" if task.outputs and not said else ""
        return f"All is done{outputs}. Is there anything else?"

    def __repr__(self) -> str:
        return "OracleAssistant()"


class InformedAssistant:
    """Know which tools the task needs, and get everything else from the user and the tools."""

    portable = True
    seats = ("assistant",)

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._reply(turn) for turn in each(turns, Turn, "turns")]

    def _reply(self, turn: Turn) -> str:
        view = _phone_view(turn)
        if view is not None:
            return next_of_workflow(view)
        state = _state(turn)
        if _of_tau2(state):
            raise ValueError(f"{turn.env_id}: it follows the workflow of telecom, and no other")
        return _Desk(state).reply()

    def __repr__(self) -> str:
        return "InformedAssistant()"


def _of_tau2(state: Any) -> bool:
    return hasattr(getattr(state, "task", None), "scenario")


def _phone_view(turn: Turn) -> Any:
    """Return what the seat sees of a game about a phone, or None where it is no such game."""
    names = {
        one["function"]["name"]
        for one in turn.tools
        if isinstance(one, Mapping) and "function" in one
    }
    if turn.position is None or not names & {"check_status_bar", "get_customer_by_phone"}:
        return None
    return turn.position.state.seen_by(turn.seat)


def _gold(state: Any) -> str:
    """Return the next gold action; one of the user's is asked for, in words that name the tool."""
    made = list(state.calls)
    for one in state.task.actions or ():
        found = [it for it in made if it.by == one.seat and one.matches(it.name, it.arguments)]
        if found:
            made.remove(found[0])
            continue
        call = json.dumps({"name": one.name, "arguments": dict(one.arguments)})
        return (
            call if one.seat == "assistant" or not state.talk else f"Please call your tool: {call}"
        )
    said = " ".join(text for who, text in state.talk if who == "assistant")
    left = [one for one in state.task.communicate if one not in said]
    return f"All is done{': ' if left else ''}{', '.join(left)}. Is there anything else?"


def _state(turn: Turn) -> Any:
    if turn.position is None or not hasattr(turn.position.state, "task"):
        raise ValueError(
            f"{turn.env_id or 'this game'} has no tasks; this agent plays tau:... only"
        )
    return turn.position.state


class _Desk:
    """What an assistant has heard and looked up, and what it does next."""

    def __init__(self, state: Any):
        self.calls = [one for one in state.calls if one.by == "assistant"]
        self.talk = state.talk
        self.heard = [text for who, text in state.talk if who == "user"]
        self.said = [text for who, text in state.talk if who == "assistant"]
        self.needs = [name for name, _ in state.task.actions]
        self.asks = bool(state.task.outputs)

    def reply(self) -> str:
        user = self._user()
        if isinstance(user, str):
            return user
        tried = [one for one in self.calls if one.name in (*WRITES, "reset_app")]
        done = [one for one in tried if not one.result.startswith("Error")]
        left = list(self.needs)
        for one in tried:
            if one.name in left:
                left.remove(one.name)
        if "reset_app" in left and any("app" in text and "stuck" in text for text in self.heard):
            return self._phone(str(user["user_id"]))
        for name in [name for name in left if name in WRITES]:
            wish = self._wish(name, tried)
            if wish is not None:
                return self._do(name, wish, user)
        if self.asks and not any(text.startswith("You paid") for text in self.said):
            answer = self._total()
            if answer:
                return answer
        if self.said and "anything else" in self.said[-1] and left:
            return f"What else would you like, and for which order? ({len(done)} done)"
        return "That is done. Is there anything else?"

    def _looked_up(self, name: str, **arguments: str) -> str | None:
        for one in self.calls:
            if one.name == name and one.arguments == arguments:
                return str(one.result)
        return None

    def _call(self, name: str, **arguments: Any) -> str:
        return json.dumps({"name": name, "arguments": arguments})

    def _user(self) -> Any:
        """Return the customer's record, or what finds it out."""
        found = [
            one.result
            for one in self.calls
            if one.name.startswith("find_user") and not one.result.startswith("Error")
        ]
        if found:
            record = self._looked_up("get_user_details", user_id=found[0])
            if record is None:
                return self._call("get_user_details", user_id=found[0])
            return {**json.loads(record), "user_id": found[0]}
        whole = " ".join(self.heard)
        email, name = _EMAIL.search(whole), re.search(r"name is ([\w'-]+) ([\w'-]+)", whole)
        code = re.search(r"zip code (?:is )?(\d{5})", whole)
        if email and self._looked_up("find_user_id_by_email", email=email[0]) is None:
            return self._call("find_user_id_by_email", email=email[0])
        if name and code:
            given = {"first_name": name[1], "last_name": name[2], "zip": code[1]}
            if self._looked_up("find_user_id_by_name_zip", **given) is None:
                return self._call("find_user_id_by_name_zip", **given)
        return "Could you tell me your email, or your name and zip code?"

    def _wish(self, name: str, tried: Sequence[Any]) -> str | None:
        """Return the next thing that the user said which asks for this tool."""
        used = [one.arguments.get("order_id") for one in tried if one.name == name]
        for text in self.heard:
            for part in _parts(text):
                order = _ORDER.search(part)
                if order and WRITES[name].search(part) and order[0] not in used:
                    return part
        return None

    def _do(self, name: str, wish: str, user: Mapping[str, Any]) -> str:
        """Gather what a tool needs, ask for a yes, and call it."""
        order_id = _ORDER.search(wish)[0]  # type: ignore[index]
        found = self._looked_up("get_order_details", order_id=order_id)
        if found is None:
            return self._call("get_order_details", order_id=order_id)
        if found.startswith("Error"):
            return "I cannot find this order. What is the order number?"
        order = json.loads(found)
        payment = _PAYMENT.search(wish)
        arguments: dict[str, Any] = {"order_id": order_id}
        if name == "cancel_pending_order":
            mistake = re.search(r"mistake|accident", wish)
            arguments["reason"] = "ordered by mistake" if mistake else "no longer needed"
        elif name in ("modify_pending_order_address", "modify_user_address"):
            address = _address(wish)
            if address is None:
                return "What is the new address, in full?"
            arguments |= address
        elif name == "modify_pending_order_payment":
            arguments["payment_method_id"] = payment[0] if payment else None
        else:
            chosen = self._items(name, wish, order)
            if isinstance(chosen, str):
                return chosen
            arguments |= chosen
            arguments["payment_method_id"] = payment[0] if payment else None
        if None in arguments.values():
            return "Which payment method would you like to use?"
        sure = f"I will call {name} for order {order_id}. Shall I proceed?"
        if sure not in self.said:
            return sure
        return self._call(name, **arguments)

    def _items(self, name: str, wish: str, order: Mapping[str, Any]) -> Any:
        """Return which items a wish is about, and what takes their place, or a call to learn it."""
        old: list[str] = []
        new: list[str] = []
        taken: set[int] = set()
        for product, before, after in _mentions(wish, order["items"]):
            place = _matching(order["items"], product, before, taken)
            if place is None:
                return "Which items of the order are they?"
            taken.add(place)
            item = order["items"][place]
            old.append(item["item_id"])
            if name == "return_delivered_order_items":
                continue
            found = self._looked_up("get_product_details", product_id=item["product_id"])
            if found is None:
                return self._call("get_product_details", product_id=item["product_id"])
            variant = _variant(json.loads(found)["variants"], item, after)
            if variant is None:
                return "Which options should the new item have?"
            new.append(variant)
        if not old:
            return "Which items of the order are they?"
        return {"item_ids": old} | ({"new_item_ids": new} if new else {})

    def _phone(self, user_id: str) -> str:
        """Have the phone restarted, send a code, ask for it, and reset the app."""
        if ASKED["restart_phone"] not in self.said:
            return ASKED["restart_phone"]
        if self._looked_up("send_code", user_id=user_id) is None:
            return self._call("send_code", user_id=user_id)
        code = _CODE.findall(" ".join(self.heard))
        if not code:
            return "Could you tell me the code that you got?"
        return self._call("reset_app", user_id=user_id, code=code[-1])

    def _total(self) -> str | None:
        """Say what was paid for the order that was asked about."""
        for text in self.heard:
            for part in _parts(text):
                order = _ORDER.search(part)
                if order and re.search(r"total|how much|paid for", part):
                    found = self._looked_up("get_order_details", order_id=order[0])
                    if found is None:
                        return self._call("get_order_details", order_id=order[0])
                    if found.startswith("Error"):
                        continue
                    paid = json.loads(found)["payment_history"][0]["amount"]
                    return f"You paid {paid} for order {order[0]}. Is there anything else?"
        return None


WRITES = {  # the tools that change something, and how a wish for each sounds
    "cancel_pending_order": re.compile(r"\bcancel", re.I),
    "return_delivered_order_items": re.compile(r"\breturn\b", re.I),
    "exchange_delivered_order_items": re.compile(r"\bexchange\b", re.I),
    "modify_pending_order_items": re.compile(r"^(?>.*\bmodify )(?!.*address)", re.I | re.M),
    "modify_pending_order_payment": re.compile(r"change payment|payment of order", re.I),
    "modify_pending_order_address": re.compile(r"address", re.I),
    "modify_user_address": re.compile(r"default address", re.I),
}
ASKED = {"restart_phone": "Could you restart your phone, please?"}  # what only the user can do


def _parts(text: str) -> list[str]:
    """Return the wishes in a message."""
    return re.split(r"(?<=[.;!]) +(?=I (?:want|would|ask)|For #W|Return #W|Cancel order)", text)


def _mentions(
    wish: str, items: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, dict[str, str], dict[str, str] | str]]:
    """Yield products that a wish names, in order: name, options now, options wanted."""
    names = sorted({item["name"] for item in items}, key=len, reverse=True)
    found = list(re.finditer("|".join(map(re.escape, names)), wish))
    for number, one in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(wish)
        rest = wish[one.end() : end]
        spelt = map(_literal, re.findall(r"\{[^{}]*\}", rest))
        sets = [options for options in spelt if options is not None]
        if len(sets) == 2:
            yield one[0], sets[0], sets[1]
        elif sets and rest.lstrip().startswith("{"):
            yield one[0], sets[0], {}
        else:
            yield one[0], {}, rest


def _matching(
    items: Sequence[Mapping[str, Any]], name: str, options: Mapping[str, str], taken: set[int]
) -> int | None:
    for place, item in enumerate(items):
        same = all(item["options"].get(key) == value for key, value in options.items())
        if item["name"] == name and same and place not in taken:
            return place
    return None


def _variant(
    variants: Mapping[str, Any], item: Mapping[str, Any], wanted: Mapping[str, str] | str
) -> str | None:
    """Return the available variant with the options wanted, the others as they are."""
    if isinstance(wanted, str):
        told = wanted
        wanted = {}
        for variant in variants.values():
            for key, value in variant["options"].items():
                if re.search(rf"\b{re.escape(key)}: {re.escape(value)}(?=[,.;\s]|$)", told):
                    wanted[key] = value
    target = {**item["options"], **wanted}
    for item_id, variant in variants.items():
        if variant["options"] == target and variant["available"]:
            return item_id
    return None


def _literal(text: str) -> dict[Any, Any] | None:
    """Return the mapping that a text spells out as Python does, or None."""
    if len(text) > _LONGEST:
        return None
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None  # a user may say anything
    return found if isinstance(found, dict) else None


def _address(wish: str) -> dict[str, str] | None:
    """Return the address that a wish names."""
    literal = re.search(r"\{[^{}]*\}", wish)
    keys = ("address1", "address2", "city", "state", "country", "zip")
    if literal:
        given = _literal(literal[0]) or {}
        return {key: str(given[key]) for key in keys} if set(keys) <= set(given) else None
    parts = [part.strip() for part in wish.rpartition(":")[2].rstrip(".").split(",")]
    return dict(zip(keys, parts, strict=True)) if len(parts) == len(keys) else None
