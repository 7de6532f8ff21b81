"""Players of tau: a user by rule and assistants who know the task, told line by line.

That whole tasks can be solved so is in tests/envs/tau/test_tau_game.py.
"""

import json
from types import SimpleNamespace

import pytest

import gem_ma
from gem_ma import Turn, rollout
from gem_ma.agents import InformedAssistant, OracleAssistant, RuleUser, load
from gem_ma.talk.conversation import Conversation
from gem_ma.talk.turns import Position

STOP = "###STOP###"
CANCEL, RETURN = "I want to cancel order #W1234567.", "I want to return the Lamp of #W7654321."
TASK = (
    "Your name is Ann Lee and your email is ann@shop.org. You are kind. "
    "You want to cancel order #W1234567. You want to return the Lamp of #W7654321."
)


def test_players_by_name():
    for name, kind in (
        ("rule-user", RuleUser),
        ("oracle-assistant", OracleAssistant),
        ("informed-assistant", InformedAssistant),
    ):
        agent = load(name)
        assert type(agent) is kind
        assert repr(agent) == f"{kind.__name__}()"
        assert agent.portable  # it may play in other processes
        with pytest.raises(TypeError, match="one of turns=3: expected Turn, got int"):
            agent.act([3])
    env = gem_ma.make("game:KuhnPoker-v0")
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"this agent plays tau:... only"):
        OracleAssistant().act([env.turn("first")])


# -- the user ------------------------------------------------------------------------------------


def user(*talk, task=TASK, **fields):
    """Return what the user says after a talk in which both take turns, the assistant first."""
    rules = f"You are a customer.\nYour task: {task}"
    chat = Conversation("user")
    for index, heard in enumerate(talk[::2]):
        more = fields if index == len(talk) // 2 else {}
        turn = Turn("user", rules, {}, heard, chat=chat, index=index, **more)
        chat.hear(turn, index)
        if 2 * index + 1 < len(talk):
            chat.steps[-1].reply = talk[2 * index + 1]
    return RuleUser().act([turn])[0]


def test_a_user_begins_with_the_first_wish():
    assert user("The user begins.") == f"Hello! {CANCEL}"
    assert user("The user begins.", task="You are Ann Lee in 10001.") == "Hello! I need some help."
    assert user("Hi!", task="Return your hat.") == "Hello! I want this: Return my hat."
    assert user("Hi!", task="You ask what you paid.") == "Hello! I ask what I paid."


def test_a_user_reads_the_prompt_of_the_original():
    task = "You are Ann Lee in 10001. You want to cancel order #W1234567."
    rules = f"Act.\n\nInstruction: {task}\n\nRules:\n- Your task: be brief."
    turn = Turn("user", rules, {"text": "Hi!"}, "Hi!")
    assert RuleUser().act([turn]) == [f"Hello! {CANCEL}"]


@pytest.mark.parametrize(
    ("heard", "one_left", "none_left"),
    [  # what is said while a wish is left, and when all were told
        ("That is done. Is there anything else?", RETURN, STOP),
        ("There is nothing to be done.", RETURN, STOP),
        ("Your order has been cancelled", RETURN, STOP),
        ("I am sorry, I am unable to do that.", RETURN, STOP),
        ("I cancel #W1234567. Shall I proceed?", "Yes, please.", "Yes, please."),
        ("Is that right?", "Yes, please.", "Yes, please."),
        ("What is your e-mail?", "My email is ann@shop.org.", "My email is ann@shop.org."),
        ("Who are you? Your name?", "My email is ann@shop.org.", "My email is ann@shop.org."),
        ("Which order?", CANCEL, RETURN),
        ("What about #W1234567?", CANCEL, CANCEL),
        ("What about #W7654321?", CANCEL, RETURN),
        ("I see.", RETURN, STOP),
        ("Is it raining?", RETURN, "Yes, please."),
    ],
)
def test_what_a_user_answers(heard, one_left, none_left):
    assert user("Hi!", f"Hello! {CANCEL}", heard) == one_left
    assert user("Hi!", f"Hello! {CANCEL}", "Next?", RETURN, heard) == none_left


def test_a_user_tells_who_it_is_as_far_as_the_task_says():
    for asked, who, told in (
        ("your zip?", "Your name is Ann Lee and your zip code is 10001.", "Ann Lee, zip code"),
        ("your zip?", "You are Ann Lee in 10001 and your email is a.b@c.org.", "Ann Lee, zip code"),
        ("your email?", "You are Ann Lee in 10001 and your email is a.b@c.org.", "is a.b@c.org."),
        ("your email?", "Your name is Ann Lee.", "My name is Ann Lee"),
        ("your email?", "Your email is a.b@c.org.", "My email is a.b@c.org."),
        ("your email?", "You are shy.", "I do not remember."),
    ):
        said = user("Hi!", f"Hello! {CANCEL}", asked, task=f"{who} {TASK.rpartition('. You')[1]}")
        assert told in said, (asked, who)
    assert said == "I do not remember."


def test_a_user_does_not_go_on_for_ever():
    talk = ["Hi!", f"Hello! {CANCEL}", *["Which order?", CANCEL] * 2]
    assert user(*talk, "Which order?") == CANCEL
    talk += ["Which order?", CANCEL, "Which order?", CANCEL]
    assert user(*talk, "Which order?") == "That is all I know."
    assert user("Hi!", f"Hello! {CANCEL}", *["Hm.", "Hm."] * 39, "Hm.") == RETURN
    assert user("Hi!", f"Hello! {CANCEL}", *["Hm.", "Hm."] * 40, "Hm.") == STOP


def test_a_user_with_a_phone_does_what_it_is_asked():
    talk, phone = ("Hi!", f"Hello! {CANCEL}"), {"tools": ({"name": "read_inbox"},)}
    for asked, tool in (
        ("Could you restart your phone, please?", "restart_phone"),
        ("Could you tell me the code that you got?", "read_inbox"),
        ("Could you open the app?", "open_app"),
        ("Check your app.", "open_app"),
    ):
        assert json.loads(user(*talk, asked, **phone)) == {"name": tool, "arguments": {}}
        assert "{" not in user(*talk, asked)
    assert user(*talk, "And your zip code?", **phone) == "My email is ann@shop.org."
    for result, told in (
        ("Your code is 111111. Your code is 308867.", "The code is 308867."),
        ("The phone has restarted.", "I did. It says: The phone has restarted."),
    ):
        assert user(*talk, "Hm.", results=("old", result), **phone) == told


# -- the assistants ------------------------------------------------------------------------------

ITEMS = [
    {"name": name, "product_id": product, "item_id": item, "options": options}
    for name, product, item, options in (
        ("Lamp", "p1", "i1", {"color": "white", "size": "S"}),
        ("Lamp", "p1", "i2", {"color": "black", "size": "S"}),
        ("Garden Lamp", "p2", "i3", {"color": "white"}),
    )
]
VARIANTS = {
    "v1": {"options": {"color": "red", "size": "S"}, "available": True},
    "v2": {"options": {"color": "red", "size": "L"}, "available": False},
    "v3": {"options": {"color": "red", "size": "L"}, "available": True},
    "v4": {"options": {"color": "black", "size": "L"}, "available": True},
}
KNOWN = [  # what was looked up
    ("find_user_id_by_email", {"email": "ann@shop.org"}, "ann_1"),
    ("get_user_details", {"user_id": "ann_1"}, '{"email": "ann@shop.org"}'),
    (
        "get_order_details",
        {"order_id": "#W1234567"},
        json.dumps({"items": ITEMS, "payment_history": [{"amount": 12.5}, {"amount": 1}]}),
    ),
    ("get_order_details", {"order_id": "#W0000000"}, "Error: no such order"),
    ("get_product_details", {"product_id": "p1"}, json.dumps({"variants": VARIANTS})),
]


def desk(heard, needs=(), said=(), calls=KNOWN, outputs=(), agent=InformedAssistant):
    """Return what an assistant does: the call's name and arguments, or what it says."""
    state = SimpleNamespace(
        calls=[
            SimpleNamespace(by=rest[0] if rest else "assistant", name=name, arguments=given,
                            result=result)
            for name, given, result, *rest in calls
        ],
        talk=[("user", text) for text in heard] + [("assistant", text) for text in said],
        task=SimpleNamespace(actions=[(name, {"a": 1}) for name in needs], outputs=outputs),
    )  # fmt: skip
    turn = Turn("assistant", "", {}, "", position=Position(None, state))
    (reply,) = agent().act([turn])
    if not reply.startswith("{"):
        return reply
    call = json.loads(reply)
    return call["name"], call["arguments"]


WHO = "Could you tell me your email, or your name and zip code?"
DONE = "That is done. Is there anything else?"


def test_an_assistant_finds_out_who_is_there():
    by_email, by_name = "find_user_id_by_email", "find_user_id_by_name_zip"
    ann = {"first_name": "Ann", "last_name": "O'Lee", "zip": "10001"}
    name = "My name is Ann O'Lee, zip code 10001."
    assert desk(["Hello!"], calls=()) == WHO
    assert desk(["My name is Ann O'Lee."], calls=()) == WHO
    assert desk(["I am a@b.org"], calls=()) == (by_email, {"email": "a@b.org"})
    assert desk([name], calls=()) == (by_name, ann)
    assert desk(["My name is Ann O'Lee, zip code", "10001."], calls=()) == (by_name, ann)
    failed = [(by_email, {"email": "a@b.org"}, "Error: not found")]
    assert desk(["I am a@b.org"], calls=failed) == WHO
    assert desk(["I am a@b.org", name], calls=failed) == (by_name, ann)
    failed += [(by_name, ann, "Error: not found")]
    assert desk(["I am a@b.org", name], calls=failed) == WHO
    found = [*failed, (by_email, {"email": "c@b.org"}, "ann_1")]
    assert desk(["I am a@b.org"], calls=found) == ("get_user_details", {"user_id": "ann_1"})
    found += [("get_user_details", {"user_id": "ann_1"}, "{}")]
    assert desk(["I am a@b.org"], calls=found) == DONE


RETURNED, EXCHANGED = "return_delivered_order_items", "exchange_delivered_order_items"
ITEMS_MODIFIED, PAID = "modify_pending_order_items", "modify_pending_order_payment"
SENT, HOME = "modify_pending_order_address", "modify_user_address"
PLACE = {
    "address1": "550 Oak Street", "address2": "Suite 510", "city": "Austin", "state": "TX",
    "country": "USA", "zip": "35666",
}  # fmt: skip


@pytest.mark.parametrize(
    ("tool", "wish", "arguments"),
    [
        (
            "cancel_pending_order",
            "I want to cancel order #W1234567, which was ordered by mistake.",
            {"reason": "ordered by mistake"},
        ),
        (
            "cancel_pending_order",
            "I would like to have cancelled #W1234567.",
            {"reason": "no longer needed"},
        ),
        (PAID, "Change payment of #W1234567 to paypal_12.", {"payment_method_id": "paypal_12"}),
        (SENT, "I want #W1234567 at another address: " + ", ".join(PLACE.values()) + ".", PLACE),
        (SENT, f"I want the address of #W1234567 to be {json.dumps(PLACE)}.", PLACE),
        (HOME, f"For #W1234567 and as default address take {json.dumps(PLACE)}.", PLACE),
        (
            RETURNED,
            "I want to return the Lamp and the Garden Lamp of #W1234567 to gift_card_3.",
            {"item_ids": ["i1", "i3"], "payment_method_id": "gift_card_3"},
        ),
        (
            RETURNED,
            "I want to return both the Lamp and the Lamp of #W1234567 to gift_card_3.",
            {"item_ids": ["i1", "i2"], "payment_method_id": "gift_card_3"},
        ),
        (
            RETURNED,
            "Return #W1234567: Lamp {'color': 'black'}, to credit_card_3.",
            {"item_ids": ["i2"], "payment_method_id": "credit_card_3"},
        ),
        (
            EXCHANGED,
            "I want to exchange of #W1234567 the Lamp for one with color: red; paypal_1 pays.",
            {"item_ids": ["i1"], "new_item_ids": ["v1"], "payment_method_id": "paypal_1"},
        ),
        (
            ITEMS_MODIFIED,
            "I want to modify of #W1234567 the Lamp to color: red, size: L. paypal_1 pays.",
            {"item_ids": ["i1"], "new_item_ids": ["v3"], "payment_method_id": "paypal_1"},
        ),
        (
            ITEMS_MODIFIED,
            "For #W1234567, modify Lamp {'color': 'black'} to {'size': 'L'}, paypal_1 pays.",
            {"item_ids": ["i2"], "new_item_ids": ["v4"], "payment_method_id": "paypal_1"},
        ),
    ],
)
def test_what_an_assistant_calls(tool, wish, arguments):
    sure = f"I will call {tool} for order #W1234567. Shall I proceed?"
    heard = ["Hello! How are you?", f"Thanks. {wish}"]
    assert desk(heard, [tool]) == sure
    call = tool, {"order_id": "#W1234567", **arguments}
    assert desk(heard, [tool], [sure]) == call
    # once for an order, whatever came of it
    tried = (*call, "Error: not pending")
    assert desk(heard, [tool, tool], [sure], calls=[*KNOWN, tried]) == DONE
    assert desk(heard, ["calculate"], [sure]) == DONE


@pytest.mark.parametrize(
    ("tool", "wish", "reply"),
    [
        (PAID, "Change payment of #W1234567.", "Which payment method would you like to use?"),
        (RETURNED, "Return #W1234567: Lamp", "Which payment method would you like to use?"),
        (SENT, "Another address for #W1234567: Oak Street", "What is the new address, in full?"),
        (SENT, "Address of #W1234567: {'city': 'Austin'}", "What is the new address, in full?"),
        (SENT, "Address of #W1234567: {no literal}", "What is the new address, in full?"),
        (RETURNED, "Return #W1234567: Hose", "Which items of the order are they?"),
        (
            RETURNED,
            "Return #W1234567: Lamp {'color': 'blue'}",
            "Which items of the order are they?",
        ),
        (RETURNED, "Return #W1234567: Lamp, Lamp, Lamp", "Which items of the order are they?"),
        (
            EXCHANGED,
            "I want to exchange of #W1234567 the Lamp for one in blue",
            "Which options should the new item have?",
        ),
        (RETURNED, "Return #W0000000: Lamp", "I cannot find this order. What is the order number?"),
        (RETURNED, "Return #W7654321: Lamp", ("get_order_details", {"order_id": "#W7654321"})),
        (
            EXCHANGED,
            "I want to exchange of #W1234567 the Garden Lamp for one in red",
            ("get_product_details", {"product_id": "p2"}),
        ),
        (RETURNED, "I want to exchange the Lamp of #W1234567", DONE),
        (RETURNED, "I want to return the Lamp", DONE),
    ],
)
def test_what_an_assistant_asks(tool, wish, reply):
    assert desk([wish], [tool]) == reply


def test_an_assistant_asks_for_what_is_left():
    calls = [*KNOWN, (RETURNED, {"order_id": "#W1234567"}, "{}"), (SENT, {}, "Error: no")]
    needs = [RETURNED, SENT, EXCHANGED]
    assert desk(["Hello!"], needs, ["Hm."], calls) == DONE
    more = "What else would you like, and for which order? (1 done)"
    assert desk(["Hello!"], needs, [DONE], calls) == more
    assert desk(["Hello!"], needs[:2], [DONE], calls) == DONE
    assert desk(["Hello!"], needs, [], calls) == DONE


def test_an_assistant_tells_a_total():
    paid = "You paid 12.5 for order #W1234567. Is there anything else?"
    for asked in ("the total of", "how much I spent on", "what I paid for"):
        heard = [f"I want to know {asked} order #W1234567."]
        assert desk(heard, outputs=("12.5",)) == paid
        assert desk(heard, outputs=("12.5",), said=[paid]) == DONE
        assert desk(heard) == DONE
    assert desk(["The total of #W0000000? I want that of #W1234567."], outputs=("1",)) == DONE
    assert desk(["The total of #W0000000. I want the total of #W1234567."], outputs=("1",)) == paid
    look = "get_order_details", {"order_id": "#W7654321"}
    assert desk(["The total of #W7654321."], outputs=("1",)) == look


def test_an_assistant_has_a_stuck_phone_restarted():
    stuck, needs = ["My app is stuck."], ["reset_app"]
    asks = "Could you restart your phone, please?"
    for other in ("My app is fine.", "I am stuck in a lift."):
        assert desk([other], needs) == DONE
    assert desk(stuck) == DONE
    assert desk(stuck, needs) == asks
    sent = [*KNOWN, ("send_code", {"user_id": "ann_1"}, "sent")]
    assert desk(stuck, needs, [asks]) == sent[-1][:2]
    assert desk(stuck, needs, [asks], sent) == "Could you tell me the code that you got?"
    told = [*stuck, "The code is 111111.", "Oh no, the code is 308867."]
    reset = "reset_app", {"user_id": "ann_1", "code": "308867"}
    assert desk(told, needs, [asks], sent) == reset
    assert desk(told, needs, [asks], [*sent, (*reset, "The app was reset.")]) == DONE


def test_the_oracle_plays_what_the_task_wants_and_says_its_outputs():
    done = [(RETURNED, {}, ""), ("read_inbox", {}, "", "user")]
    needs, all_done = (
        [RETURNED, "restart_phone", SENT],
        "All is done (1, 2). Is there anything else?",
    )
    for calls, reply in (
        ((), (RETURNED, {"a": 1})),
        (done, "Could you restart your phone, please?"),
        ([*done, ("restart_phone", {}, "", "user")], (SENT, {"a": 1})),
        ([*done] + [(one, {}, "") for one in needs[1:]], all_done),
    ):
        given = {"calls": calls, "outputs": ("1", "2"), "agent": OracleAssistant}
        assert desk(["Hello!"], needs, **given) == reply
    assert desk(["Hello!"], needs, [all_done], **given) == "All is done. Is there anything else?"
    assert desk(["All is done"], needs, [], **given) == all_done
    assert desk(["Hello!"], agent=OracleAssistant) == "All is done. Is there anything else?"


# -- together ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dual", "steps"), [(False, 192), (True, 273)])
def test_they_solve_tasks_of_the_shop_together(dual, steps):
    players = {"user": RuleUser(), "assistant": InformedAssistant()}
    tasks = [{"task": number} for number in range(16)]
    episodes = rollout("tau:shop", players, 16, seed=0, options=tasks, dual=dual)
    assert [episode.returns for episode in episodes] == [{"user": 1.0, "assistant": 1.0}] * 16
    assert sum(len(episode.steps) for episode in episodes) == steps
    for observe in ("both", "image"):  # the words are what they are, with pictures beside them
        again = rollout("tau:shop", players, 2, seed=0, options=tasks, dual=dual, observe=observe)
        assert [e.returns for e in again] == [{"user": 1.0, "assistant": 1.0}] * 2
