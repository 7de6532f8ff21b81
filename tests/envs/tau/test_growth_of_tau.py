"""No text makes what this pack reads take more time than its length allows."""

import json

import growth
import pytest

from gem_ma.chat.turn import Turn
from gem_ma.envs.tau import fidelity
from gem_ma.envs.tau.agents import llm_user
from gem_ma.envs.tau.agents.assistants.airline_dialogue import serve_passenger
from gem_ma.envs.tau.agents.assistants.customer_records import find_mentions, find_payment_method
from gem_ma.envs.tau.agents.assistants.service_dialogue import TaskKnowledge
from gem_ma.envs.tau.agents.assistants.shop_dialogue import serve_customer
from gem_ma.envs.tau.agents.users.phrases import PHRASE_SETS, compile_phrases
from gem_ma.envs.tau.agents.users.rule_user import RuleUser
from gem_ma.envs.tau.agents.users.shown_traits import Talk, traits_shown
from gem_ma.envs.tau.agents.users.traits import TraitSampler
from gem_ma.envs.tau.agents.users.user_simulator import UserSimulator
from gem_ma.envs.tau.wants.compiled import Wants, asked_for
from gem_ma.envs.tau.wants.wish import Wish
from gem_ma.envs.tau.wants.wordings import find_content_words


def _desk(text):
    """Let an assistant that knows its task hear a text from the user."""
    items = [{"name": "a", "item_id": "1", "product_id": "2", "options": {"b": "c"}}]
    product = json.dumps({"variants": {"3": {"options": {"b": "d"}, "available": True}}})
    find_mentions(text, items)
    find_payment_method({"paypal_1": {"source": "paypal"}}, text)
    known = {"payment_methods": {}, "orders": ["#W1234567"], "reservations": []}
    user = json.dumps({**known, "membership": "gold"})
    order = json.dumps({"items": items, "status": "pending", "address": {"city": "a"}})
    for serve, tool in (
        (serve_customer, "modify_pending_order_address"),
        (serve_customer, "modify_pending_order_items"),
        (serve_customer, "cancel_pending_order"),
        (serve_passenger, "update_reservation_flights"),
        (serve_passenger, "update_reservation_baggages"),
    ):
        run = serve(TaskKnowledge((tool,), ()), f"ada_adler_0001 ada@b.org {text}")
        said = next(run)
        for _ in range(6):
            told = '"reservation_id"' in said or "get_user" in said
            found = user if told else order if "get_order" in said else text
            found = product if "get_product" in said else found
            said = run.send("ada_adler_0001" if "find_user" in said else found)


def _user(text):
    """Let users by rule hear a text from the assistant, and read one as their task."""
    turn = Turn("user", f"Your task: {text}", {"text": text}, text)
    RuleUser().act([turn])
    asked_for(text, set())
    wish = Wish(
        "cancel_pending_order", "order #W1234567", "it", {"order": "It is a."}, marks=("a",)
    )
    wants = Wants({"zip": "12345"}, (wish,))
    ways = PHRASE_SETS["train"]
    begun = UserSimulator(wants, (), ("",), TraitSampler({}), ways).reply()
    for heard in (text, f"{text}?", f"your zip, confirm?{text}", f"Shall I proceed?{text}"):
        UserSimulator(
            wants, (begun, begun), ("", text, heard), TraitSampler({"typos": 1.0}), ways
        ).reply()
    for name in ("forgot", "aside", "leave", "away", "waver"):
        compile_phrases(name).search(text)
    none = (frozenset(), frozenset())
    tools = {"check_status_bar", "reboot_device"}
    traits_shown(Talk((text, text), ("", text), none, ((text,), (text,))), wants, tools)


def _judge(text):
    wants = Wants(wordings=((find_content_words(text),),))
    fidelity.judge(text, [("assistant", text), ("user", text)], "user", 0.0, wants)


READERS = {
    "message": lambda text: (llm_user._extract_message(text), llm_user._find_objection(text)),
    "facts": fidelity.facts,
    "judge": _judge,
}
PLAYERS = {"user by rule": _user, "assistant": _desk}  # who read a text many times each


@growth.lengths
@pytest.mark.parametrize("name", READERS)
def test_a_hostile_text_is_read_in_a_moment(name, size, limit, ends):
    assert growth.slow(READERS[name], size, limit, ends) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", PLAYERS)
def test_a_hostile_text_is_answered_in_a_moment(name):
    assert growth.slow(PLAYERS[name], 1 << 12, 0.02, ("",)) == []


@pytest.mark.slow
def test_patterns_of_tables_are_found():
    found = {use.pattern.pattern for one in growth.modules() for use in growth.uses(one)}
    assert {r"\bcancel", "a|b|c"} <= found  # of a table, of what is joined
