"""What is read from the messages of one conversation."""

import pytest

from gem_ma.envs.tau.agents.users.shown_traits import Talk
from gem_ma.envs.tau.likeness.conversation_features import DIMENSIONS, extract_features
from gem_ma.envs.tau.wants.compiled import Wants
from gem_ma.envs.tau.wants.wish import Wish
from gem_ma.envs.tau.wants.wordings import find_content_words

WANTS = Wants(
    known={"name": "Ada Brandt", "zip": "66815"},
    wishes=(
        Wish(
            "cancel_pending_order", "order #W1", "order #W1", {"reason": "It is no longer needed."}
        ),
    ),
    wordings=((find_content_words("order #W123"),),),
)
TALK = Talk(
    (
        "Hello! Cancel order #W123.",
        "",
        "I\u2019m Ada Brandt. Maybe you need more?",
        "Sorry, I meant 66815.",
        "Yes, please.",
    ),
    (
        "",
        "One moment.",
        "Could you tell me your name?",
        "And your zip code?",
        "What is the reason?",
    ),
)


def test_a_conversation_in_numbers():
    features = extract_features(TALK, WANTS, "user", True)
    assert features == pytest.approx(
        {
            "told by message 1": 1 / 4,  # of the name, the zip code, the order and the reason
            "told by message 2": 2 / 4,
            "told by message 4": 3 / 4,
            "told at all": 3 / 4,
            "facts per message": 3 / 4,
            "words per message": (4 + 7 + 4 + 2) / 4,
            "words in message 1": 4,
            "short messages": 1 / 4,
            "spread of length": (3.1875**0.5) / 4.25,
            "hedges": 1 / 4,
            "is certain": 0,
            "questions": 1 / 4,
            "asks back": 0,
            "corrects itself": 1 / 4,
            "objects": 0,
            "repeats": 0,
            "is polite": 1 / 4,
            "agrees": 1 / 4,
            "answers": 2 / 3,
            "is annoyed": 0,
            "messages": 4,
            "solved": 1,
            "way of ending": "user",
        }
    )
    assert [*features].sort() == [name for names in DIMENSIONS.values() for name in names].sort()


def test_what_a_conversation_does_not_show_has_no_number():
    features = extract_features(Talk(("Hi",), ("",)), Wants(), "limit", False)
    assert "told at all" not in features
    assert "answers" not in features
    assert "spread of length" not in features


SHOWN = {
    "hedges": ["I think so", "I can't recall it just now.", "it\u2019s kind of green"],
    "is certain": ["Definitely the red one"],
    "questions": ["the red one?"],
    "asks back": ["Why do you need that?", "what do you mean", "Could you explain that"],
    "corrects itself": ["Oh, that was wrong. 123", "actually 12", "I\u2019ve changed my mind"],
    "objects": ["No, wait.", "That is not right", "I already told you", "But I need this."],
    "is polite": ["thank you", "Much appreciated.", "You are very helpful."],
    "agrees": ["Yes.", "ok do it", "  Sounds good"],
    "is annoyed": ["This takes too long, I am leaving.", "So many questions!", "what!!"],
}
PLAIN = ["I want to return the lamp.", "My zip code is 66815.", "I take the flight HAT001."]


@pytest.mark.parametrize("name", SHOWN)
def test_words_that_show_a_feature(name):
    texts = SHOWN[name]
    assert extract_features(Talk(tuple(texts), texts), Wants(), "user", True)[name] == 1.0
    assert extract_features(Talk(tuple(PLAIN), PLAIN), Wants(), "user", True)[name] == 0.0


def test_thanks_for_kindness_is_no_hedge_and_no_problem_is_no_objection():
    texts = ("That is kind of you.", "No problem")
    features = extract_features(Talk(texts, texts), Wants(), "user", True)
    assert (features["hedges"], features["objects"]) == (0.0, 0.0)
