"""What tells a wish: words of its task in one message, other than those that anybody says."""

import pytest

from gem_ma.envs.tau.wants.wordings import find_content_words, is_told


def test_words_are_known_by_their_beginning_and_numbers_as_a_whole():
    assert find_content_words("Exchange order #W1234567, the HEADPHONES!") == {
        "excha",
        "order",
        "w1234567",
        "headp",
    }
    assert find_content_words("exchanged") == find_content_words("Exchanging")
    assert find_content_words("#W1234567") != find_content_words("#W1234568")


@pytest.mark.parametrize(
    "text",
    [
        *("", "Yes, please.", "No.", "I do not know.", "I do not remember."),
        *("Hello, I need some help.", "Could you help me with something?", "Thank you, goodbye!"),
        *("My name is so and so.", "What do you mean? I want this one.", "Good day, how are you?"),
    ],
)
def test_what_anybody_says_has_none(text):
    assert len(find_content_words(text)) <= 1


def test_two_words_in_one_message_tell_a_wording_or_the_only_one_that_it_has():
    for wording, texts, told in (
        ("the Smart Watch", ("a smart one", "a watch"), False),
        ("the Smart Watch", ("my watch, it is not that smart",), True),
        ("the Headphones", ("a headphone",), True),
        ("I want to cancel my flights from MCO to CLT", ("cancel the flight",), True),
        ("I want to cancel my flights from MCO to CLT", ("cancel it",), False),
        ("You want to.", ("I want to.",), False),
    ):
        messages = [find_content_words(text) for text in texts]
        assert is_told(find_content_words(wording), messages) is told, (wording, texts)
