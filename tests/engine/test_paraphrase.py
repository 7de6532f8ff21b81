"""Rules in other words: every game's, and what stays in them."""

import re

import pytest
from playable import GAMES

import gem_ma
from gem_ma.engine.paraphrase import paraphrase_rules, parse_paraphrase

KINDS = ("short", "long", *(f"{kind}:{seed}" for kind in ("words", "null") for seed in range(8)))


def words(text):
    return re.findall(r"\w+", text)


@pytest.mark.parametrize("id", GAMES)
def test_the_rules_of_every_game(id):
    game = gem_ma.make(id).game
    for seat in game.agents[:2]:
        rules = game.rules(seat)
        said = {kind: paraphrase_rules(rules, kind) for kind in KINDS}
        assert said == {kind: paraphrase_rules(rules, kind) for kind in KINDS}
        assert paraphrase_rules(rules, "") == rules
        assert set(words(said["short"])) <= set(words(rules))
        assert len(said["short"]) <= len(rules) < len(said["long"])
        for number in re.findall(r"\d+", rules):
            assert number in said["long"]
            assert all(number in said[f"words:{seed}"] for seed in range(8))
        nulls = {said[f"null:{seed}"] for seed in range(8)}
        assert len(nulls) == 4
        for null in nulls:
            plain = null.removeprefix("Hello. ").removesuffix(" Thank you.")
            assert words(plain) == words(rules)


def test_other_words_say_the_same():
    rules = "You are playing Nim. Each opponent may take whole numbers. Reply with a number."
    found = {paraphrase_rules(rules, f"words:{seed}") for seed in range(60)}
    assert len(found) > 20
    assert "The game is Nim. Every rival can take whole numbers. Answer with a number." in found
    assert all("a number." in one for one in found)


def test_seats_read_them():
    env = gem_ma.make("game:TicTacToe-v0", prompt="short")
    env.reset(seed=0)
    assert env.rules("x").splitlines()[0] == (
        "You are playing Tic-tac-toe as x; x begins. Reply with the number of a free cell."
    )
    assert "boxed" in env.rules("x")  # how to reply stays
    assert env.spec.kwargs == {"prompt": "short"}
    assert gem_ma.make(env.spec).rules("x") == env.rules("x")


@pytest.mark.parametrize("prompt", ["shorter", "words", "null", "words:", "words:-1", "short:1", 3])
def test_no_prompt(prompt):
    with pytest.raises(ValueError, match="expected '', 'short', 'long', 'words:N' or 'null:N'"):
        gem_ma.make("game:TicTacToe-v0", prompt=prompt)


def test_kinds():
    assert parse_paraphrase("words:12") == ("words", 12)
    assert parse_paraphrase("long") == ("long", 0)
