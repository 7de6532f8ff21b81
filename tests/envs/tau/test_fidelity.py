"""How well a user kept to its task: conversations made to break the rules, and honest ones."""

import pytest

from gem_ma import rollout
from gem_ma.agents import InformedAssistant, RuleUser
from gem_ma.envs.tau.data import Task
from gem_ma.envs.tau.fidelity import PARTS, facts, judge
from gem_ma.envs.tau.game import STOP
from gem_ma.envs.tau.wants.compiled import Wants
from gem_ma.envs.tau.wants.wordings import find_content_words

TASK = Task(
    0,
    "ada_adler_0001",
    "Your name is Ada Adler and your email is ada@example.com. You are shy and precise. "
    "You want to return the Desk Lamp of order #W1234567; the money should go to "
    "paypal_7654321. You want to cancel order #W7654321 because it is no longer needed.",
)


def worded(*namings, **known):
    """Return what a user wants who is known so, of each thing the texts that tell it."""
    return Wants(
        known, wordings=tuple([tuple(map(find_content_words, names)) for names in namings])
    )


WANTS = worded(
    ("#W1234567", "Desk Lamp"),
    ("#W7654321", "Garden Hose"),
    name="Ada Adler",
    email="ada@example.com",
)
HONEST = [
    ("user", "Hello! I want to return a lamp."),
    ("assistant", "Could you tell me your email?"),
    ("user", "It is ada@example.com."),
    ("assistant", "Which order is it, and where should the refund to go?"),
    ("user", "Order #W1234567, and please to paypal_7654321."),
    ("assistant", "I will return it. Shall I proceed?"),
    ("user", "Yes, please."),
    ("assistant", "That is done. Is there anything else?"),
    ("user", "Please cancel order W7654321, I need it no longer."),
    ("assistant", "Done. Is there anything else?"),
    ("user", STOP),
]


def score(talk, how="user", reward=1.0, task=TASK, wants=WANTS):
    found = judge(task.instruction, talk, how, reward, wants)
    parts = found["user"]
    assert set(parts) == {"fidelity", *PARTS}
    given = parts["told"] * parts["answers"]
    manner = (parts["facts"] + parts["pace"] + parts["ending"] + parts["role"]) / 4
    early = how == "user" and parts["ending"] == 0.0
    assert parts["fidelity"] == pytest.approx(0.0 if early else given * manner)
    return found


def said(number, text):
    """Return the honest talk with another message in one place."""
    return [*HONEST[:number], (HONEST[number][0], text), *HONEST[number + 1 :]]


def test_an_honest_user():
    found = score(HONEST)
    assert found["user"]["fidelity"] == 1.0
    assert not found["user_fault"]
    assert found["user_errors"] == []
    # What failed was the assistant's: the user told all and answered all.
    assert score(HONEST, reward=0.0)["user"]["fidelity"] == 1.0


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Order #W9999999, please to paypal_7654321.", "order w9999999"),
        ("My email is eve@example.com.", "email eve@example.com"),
        ("I live in 90210. And order #W1234567 to paypal_7654321", "zip 90210"),
        ("#W1234567 on credit_card_1111111 instead", "payment credit_card_1111111"),
        ("I am eve_adler_0002, #W1234567 and paypal_7654321", "user eve_adler_0002"),
        ("#W1234567, item 1234567890, paypal_7654321", "item 1234567890"),
    ],
)
def test_inventions(text, what):
    found = score(said(4, text))
    assert found["user"]["facts"] == 0.0
    assert found["user_fault"]
    assert found["user_errors"][0] == f"invented the {what}"


def test_what_the_assistant_said_is_no_invention():
    talk = said(3, "Is it order #W1112223, and refund to gift_card_5555555?")
    talk = [*talk[:4], ("user", "No, not #W1112223; #W1234567 and paypal_7654321."), *talk[5:]]
    assert score(talk)["user"]["facts"] == 1.0


def test_everything_at_once():
    for talk in (
        said(0, TASK.instruction),
        said(0, "ada@example.com, #W1234567 to paypal_7654321, and cancel #W7654321."),
        said(4, TASK.instruction.replace("You", "I").replace("your", "my")),
    ):
        found = score(talk)
        assert found["user"]["pace"] == 0.0
        assert "told everything at once" in found["user_errors"]


def test_what_was_told_of_what_it_wants():
    for talk, share in (
        (HONEST, 1.0),
        (HONEST[:8], 0.5),  # of one order, and not of the other
        (HONEST[:3], 0.0),  # a lamp may be any, and who it is says nothing
        (said(0, "The lamp that stands on my desk."), 1.0),  # in other words
        ([*HONEST[:4], ("assistant", HONEST[4][1]), *HONEST[4:7]], 0.0),  # repeats what it heard
    ):
        found = score(talk, how="transfer", reward=0.0)["user"]
        assert found["told"] == share, talk
        assert found["fidelity"] <= share


def test_who_tells_nothing_is_at_fault():
    talk = [("user", "Banana."), ("assistant", "What is the problem?")] * 2
    found = score(talk, how="transfer", reward=0.0)
    assert found["user"]["fidelity"] == 0.0
    assert found["user_fault"]
    assert found["user_errors"] == ["told nothing of what it wants"]
    assert not score(HONEST[:3], how="transfer", reward=0.0)["user"]["told"]
    assert not score(HONEST[:8], how="transfer", reward=0.0)["user_fault"]


def test_one_sentence_of_the_task_tells_it_where_nothing_can_be_named():
    wants = worded(("You want to fly from Rome to Oslo.", "trip"), name="Ada Adler")
    for text, told in (
        ("Is there a flight to Oslo, from Rome?", 1.0),
        ("I am looking for a trip.", 1.0),  # which is all that this one says
        ("I want to fly.", 0.0),
        ("My name is Ada Adler.", 0.0),
        ("I want to.", 0.0),
    ):
        found = score([("user", text)], how="transfer", reward=0.0, wants=wants)
        assert found["user"]["told"] == told, text


def test_questions_that_were_not_answered():
    found = score(said(2, "Why do you ask?"))
    assert found["user"]["answers"] == 0.5
    assert found["user_errors"] == ["did not tell the email when asked"]
    none = [("user", "Hi"), ("assistant", "What is your zip code?"), ("user", "I forgot."),
            ("assistant", "Goodbye."), ("user", STOP)]  # fmt: skip
    assert score(none, reward=0.0)["user"]["answers"] == 1.0  # its task does not say
    wary = [*HONEST[:2], ("user", "What for?"), *HONEST[1:]]  # and is asked again
    assert score(wary)["user"]["answers"] == 1.0
    either = said(1, "What is your email, or your name and zip code?")
    assert score(either)["user"]["answers"] == 1.0


def test_a_stop_that_came_too_early():
    for talk, reward in (
        ([("user", STOP)], 0.0),
        ([*HONEST[:2], ("user", STOP)], 0.0),  # instead of answering
        ([*HONEST[:8], ("user", STOP)], 0.0),  # with a wish untold
        ([*HONEST[:6], ("user", STOP)], 0.0),  # instead of a yes
    ):
        found = score(talk, reward=reward)
        assert found["user"]["ending"] == found["user"]["fidelity"] == 0.0  # no pay for silence
        assert found["user_fault"]
    assert score(HONEST, how="limit", reward=0.0)["user"]["ending"] == 0.0
    assert score(HONEST[:-1], how="transfer", reward=0.0)["user"]["ending"] == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "How can I help you today?",
        "I have processed your refund.",
        "Your order has been cancelled.",
        "Is there anything else I can do for you?",
        '{"name": "cancel_pending_order", "arguments": {"order_id": "#W1234567"}}',
        "As an AI, I cannot do that.",
    ],
)
def test_a_user_who_plays_the_assistant(text):
    found = score(said(4, f"{text} #W1234567 paypal_7654321"))
    assert found["user"]["role"] == 0.0
    assert "spoke as the assistant" in found["user_errors"][0]


def test_facts():
    text = (
        "Mail a.b@c-d.org, #W1234567 W7654321, zip 12345, $12345.50, gift_card_1234567, HAT123, "
        "4WQ150"
    )
    assert facts(text) == {
        "email": {"a.b@c-d.org"},
        "order": {"w1234567", "w7654321"},
        "zip": {"12345"},
        "payment": {"gift_card_1234567"},
        "flight": {"hat123"},
        "reservation": {"hat123", "4wq150"},
    }
    assert facts("") == {}


@pytest.mark.parametrize("count", [100, pytest.param(1000, marks=pytest.mark.slow)])
def test_honest_episodes_have_no_fault(count):
    players = {"user": RuleUser(), "assistant": InformedAssistant()}
    episodes = rollout("tau:shop", players, count, seed=9)
    assert {episode.report["user"]["fidelity"] for episode in episodes} == {1.0}
    assert not any(episode.report["user_fault"] for episode in episodes)


def test_who_told_all_and_is_asked_the_same_again_may_leave():
    """That an assistant asks for ever, or can do nothing, is no fault of a user by rule."""
    for answer in ("How can I help you?", "I can do nothing.", "Which order is it?"):
        players = {"user": "rule-user", "assistant": lambda turn, answer=answer: answer}
        episodes = rollout("tau:shop", players, 40, seed=0)
        assert not any(e.report["user_fault"] for e in episodes if e.report["ended"] == "user")
    talk = [*HONEST[:3], *[("assistant", "Which payment?"), ("user", "No.")] * 5, ("user", STOP)]
    wishes = (("#W1234567", "lamp"), ("Garden Hose",))
    for count, fault in ((1, False), (2, True)):
        assert score(talk, reward=0.0, wants=worded(*wishes[:count]))["user_fault"] is fault
