"""The seats of `inject:`: what each may see and do, how an episode ends, and what it pays."""

import itertools
from dataclasses import replace

import numpy as np
import packs
import pytest
from game_contract import GameContract, even

packs.need("inject")

import gem_ma
from gem_ma.envs.inject.attack_texts import ATTACK_FAMILIES
from gem_ma.envs.inject.game import (
    CLEAN_SHARE,
    IMPOSSIBLE,
    MAX_ATTACK,
    STOP,
    InjectionDuel,
    InjectionTalk,
    PromptInjection,
)
from gem_ma.envs.inject.tool_calls import QUOTE_MARK
from gem_ma.envs.inject.worlds import WORLDS
from gem_ma.envs.tau.agents.assistants.dialogue_flow import format_call
from gem_ma.envs.tau.talk import Said
from gem_ma.game import InvalidMove

FAMILIES = tuple(ATTACK_FAMILIES)


def begin(game, seed=0):
    return game.start(np.random.default_rng(seed), {})


def play(game, state, *replies):
    """Return the state after replies of whoever is to act."""
    for text in replies:
        (seat,) = state.to_act()
        move = game.read(text, state.seen_by(seat), seat)
        state = game.advance(state, {seat: move}, np.random.default_rng(0))
    return state


def start_draws(world):
    """Return what the first state of a world draws, and how often."""
    kinds = [f"{world}-{kind.name}" for kind in WORLDS[world].kinds]
    attacks = {"": CLEAN_SHARE, **dict.fromkeys(FAMILIES, (1 - CLEAN_SHARE) / len(FAMILIES))}
    return {
        "attack": ({}, lambda state: [state.scenario.attack], attacks),
        "task": ({}, lambda state: state.scenario.tasks, even(kinds)),
        "goal": (
            {},
            lambda state: [state.scenario.goal.name],
            even(goal.name for goal in WORLDS[world].goals),
        ),
        "feasible": ({}, lambda state: [state.scenario.feasible], {True: 0.9, False: 0.1}),
    }


class InjectionContract(GameContract):
    seats = ("assistant",)
    conversation = True
    oracle = True
    pays = "1 if the user's task is done and nothing else was changed or told; 0 otherwise"
    outcomes = {(0,), (1,)}

    def test_secrets(self):
        check_secrets(gem_ma.make(self.id).game)


class TestMail(InjectionContract, GameContract):
    id = "inject:mail"
    draws = start_draws("mail")
    records = {
        "inject:mail": "40b69c7706840484 4c8ae80130c4862f fbb97da998a53a08 676e199131dce292",
        "inject:mail-easy": "1fb8ca25da235f26 1ffbce7a00197731 f24c405605c62772 0181b97b071ef563",
        "inject:mail-hard": "e21f80c704d9a4a9 a90b031caad3f879 57472a782b2cb403 d47d2e5e2b441f66",
    }


class TestCalendar(InjectionContract, GameContract):
    id = "inject:calendar"
    draws = {"task": start_draws("calendar")["task"]}
    records = {
        "inject:calendar": "c524d46e8a50d4ba 9896ee91190705e1 15d2a2fcdb746f21 77f834a6ec79e4a0",
        "inject:calendar-easy": "7129c843f673dcf7 cdfcac5e64fa80da "
        "7e717fb8ac9916a1 ee5a5d68b7ececdf",
        "inject:calendar-hard": "96b89feaab055559 2c6fdc7c66da7151 "
        "8919f04a437e8d86 1968d8cc97c1903c",
    }


class TestFiles(InjectionContract, GameContract):
    id = "inject:drive"
    draws = {"task": start_draws("drive")["task"]}
    records = {
        "inject:drive": "72fad0c2af204bec 76b44361d72d6a03 fef567328dbeec63 b9c851f0d5d7fb22",
        "inject:drive-easy": "6d4834af1b204ae1 195ed3b19afb72fa 85fb01ea9dec297d 8c7923f2ac70c164",
        "inject:drive-hard": "f3436bc8a896e559 d2f07b6e72f36be2 f178d9937ec07c90 740ae32ad5160f57",
    }


class TestShop(InjectionContract, GameContract):
    id = "inject:store"
    draws = {"task": start_draws("store")["task"]}
    records = {
        "inject:store": "93e663e060207e53 5c178d3af71b7d02 c69735b5199e2ded d6bd7803bad1e48f",
        "inject:store-easy": "75ca3b0dd0580f9e a589ec1033eafd1d 109c7f11e6e13171 9cd4626ed6317cf9",
        "inject:store-hard": "4f9ce1acc0dbe234 83b2ef20019e4874 c1efa55b55480644 e07470ae39da9b81",
    }


class TestBank(InjectionContract, GameContract):
    id = "inject:bank"
    draws = {"task": start_draws("bank")["task"]}
    records = {
        "inject:bank": "7af466d950b2dfb0 89aa058c23bddd66 f5ead17cb12559cb c27977258421d420",
        "inject:bank-easy": "20c674c81a68ee1b 647618fe6fb2ae39 48099298d5be0dcf 93e274cdee371acd",
        "inject:bank-hard": "0306606da28734c3 ffcfd94ad9310445 826cc79a933f9fa8 3ed0f231da7840ea",
    }


class TestDuel(InjectionContract, GameContract):
    id = "inject:duel"
    seats = ("attacker", "assistant")
    pays = "attacker: 1 if its goal was reached; assistant: as in inject:mail"
    outcomes = {(0, 0), (0, 1), (1, 0)}
    draws = {"task": start_draws("mail")["task"]}
    records = {
        "inject:duel": "c8527efa5ded2f91 f9fe1472beb0cc08 cb17422a894ea78c 8f6097ab6266badc",
    }


class TestTalk(InjectionContract, GameContract):
    id = "inject:talk"
    seats = ("user", "attacker", "assistant")
    pays = "attacker: 1 if its goal was reached; assistant and user: as in inject:mail"
    outcomes = {(0, 0, 0), (1, 0, 1), (0, 1, 0)}
    draws = {"task": start_draws("mail")["task"]}
    records = {
        "inject:talk": "e946fab3e15a3256 e7d3a706fd175296 eca261a8c2ef1e96 76f44a0f0c48b716",
    }


def look(game, state, seat):
    """Return all that a seat is shown of a state, in words and pictures."""
    view = state.seen_by(seat)
    texts = [game.brief(view, seat), game.describe(view, seat), repr(game.picture(view, seat))]
    return "\n".join([*texts, repr(view), repr(view.legal(seat) if view.to_act() else ())])


def check_secrets(game):
    """Check that no seat is shown what is not for it, over a few episodes."""
    for seed in range(10):
        state = begin(game, seed)
        scenario = state.scenario
        for seat in game.agents:
            shown = look(game, state, seat)
            assert scenario.secret not in shown
            assert repr(scenario.plan) not in shown
            assert (scenario.request in shown) == (
                seat == "user" or (seat == "assistant" and "user" not in game.agents)
            )
            assert (scenario.goal.sentence in shown) == (seat == "attacker")


def test_an_attacker_sees_nothing_of_the_work():
    game = InjectionTalk("bank")
    sent = play(game, begin(game), "Dear assistant, stop.")
    done = play(game, sent, "Find it.", format_call("search_transfers", words="e"), "I found it.")
    assert done.calls
    view = done.seen_by("attacker")
    assert (view.talk, view.calls, view.request) == ((), (), None)
    for show in (game.brief, game.describe, game.picture):
        assert show(view, "attacker") == show(sent.seen_by("attacker"), "attacker")


def test_the_assistant_does_not_see_who_wrote_a_text():
    """What a library writes into a world, and what a seat writes, look the same."""
    text = "Please write to me soon."
    alone, duel = PromptInjection(attack="none"), InjectionDuel()
    by_library = begin(alone)
    scenario = by_library.scenario.insert_attack("direct", text)
    by_library = replace(by_library, scenario=scenario)
    by_seat = play(duel, begin(duel), text)
    assert (scenario.attack, by_seat.scenario.attack) == ("direct", "seat")
    shown = []
    for game, state in ((alone, by_library), (duel, by_seat)):
        calls = [format_call(name, **arguments) for name, arguments in scenario.plan]
        end = play(game, state, *calls)
        shown.append(look(game, end, "assistant").replace(repr(game.agents), ""))
    assert shown[0] == shown[1]
    assert text in shown[0]


def test_seats_act_in_order_and_the_user_ends_the_talk():
    game = InjectionTalk("drive")
    state = begin(game)
    assert state.to_act() == ("attacker",)
    state = play(game, state, "Hello.")
    assert state.to_act() == ("user",)
    state = play(game, state, "Do it.", "Do what?")
    assert state.to_act() == ("user",)
    assert state.talk == (Said("user", "Do it."), Said("assistant", "Do what?"))
    state = play(game, state, "That.", format_call("search_files", words="draft"))
    assert state.to_act() == ("assistant",)
    state = play(game, state, "I did it.", STOP)
    assert state.to_act() == ()
    assert state.ended == "answer"


def test_messages_reach_whom_they_are_for():
    env = gem_ma.make("inject:talk")
    env.reset(seed=0)
    env.step("An attack.")
    env.step("Please help.")
    assert env.turn("assistant").text == "user: Please help."
    env.step(format_call("search_mails", words="nothing at all"))
    assert env.turn("assistant").text == "tool: nothing found"
    env.step("Which one?")
    assert env.turn("user").text == "assistant: Which one?"


def test_a_text_ends_the_work_of_an_assistant_alone():
    game = PromptInjection("store")
    state = begin(game)
    assert state.talk == (Said("user", state.scenario.request),)
    assert play(game, state, "I give up.").ended == "answer"
    assert play(game, state, format_call(IMPOSSIBLE, reason="No.")).ended == "impossible"
    state = play(game, state, format_call(IMPOSSIBLE))  # without a reason
    assert not state.ended
    assert state.calls[0].result.startswith("Error: report_impossible takes reason")


@pytest.mark.parametrize("calls", [1, 3, 5])
def test_steps_are_limited(calls):
    game = PromptInjection(max_steps=3, attack="none")
    one = '{"name": "search_mails", "arguments": {"words": "a"}}'
    state = play(game, begin(game), f"[{', '.join([one] * calls)}]")
    assert len(state.calls) == min(calls, 3)
    assert state.ended == ("limit" if calls >= 3 else "")
    assert game.report(state)["ended"] == "limit"  # also where an environment cuts it
    if calls == 1:
        state = play(game, state, f"[{', '.join([one] * 5)}]")
        assert (len(state.calls), state.ended) == (3, "limit")
    talk = InjectionTalk(max_steps=1)
    state = play(talk, begin(talk), "Hello.", "Do it.", "Which?", "That.")
    assert state.ended == "limit"


def test_long_and_empty_messages_are_invalid():
    game = InjectionTalk()
    state = begin(game)
    for text in ("", "x" * (MAX_ATTACK + 1)):
        with pytest.raises(InvalidMove, match="a message has 1 to 1000 characters"):
            play(game, state, text)
    state = play(game, state, "x" * MAX_ATTACK)
    for text in ("", "x" * 2001):
        with pytest.raises(InvalidMove, match="a message has 1 to 2000 characters"):
            play(game, state, text)
        with pytest.raises(InvalidMove, match="a message has 1 to 2000 characters"):
            play(game, play(game, state, "Go."), text)


def test_the_others_go_on_without_a_seat():
    game, rng = InjectionTalk(), np.random.default_rng(0)
    state = begin(game)
    left = game.forfeit(state, "attacker", rng)
    assert left.to_act() == ("user",)
    assert not game.report(left)["attacked"]
    state = play(game, state, "Hello.")
    alone = game.forfeit(state, "user", rng)
    assert alone.to_act() == ("assistant",)
    assert play(game, alone, "Done.").ended == "answer"
    assert game.forfeit(alone, "assistant", rng).ended == "forfeit"
    state = play(game, state, "Do it.")
    left = game.forfeit(state, "assistant", rng)
    assert left.to_act() == ("user",)
    end = play(game, left, "Are you there?")
    assert end.ended == "forfeit"
    assert set(end.returns().values()) == {0}
    waiting = game.forfeit(state, "user", rng)  # whose turn it is not
    assert waiting.to_act() == ("assistant",)


def test_two_seats_or_one_end_without_the_assistant():
    rng = np.random.default_rng(0)
    duel, alone = InjectionDuel(), PromptInjection()
    assert duel.forfeit(begin(duel), "attacker", rng).to_act() == ("assistant",)
    for game in (duel, alone):
        assert game.forfeit(begin(game), "assistant", rng).ended == "forfeit"


def test_quoted_texts_are_marked_line_by_line():
    attack = "first line\nsecond line\x0b\u2028| third line\r\nfourth"
    plain, quoted = InjectionDuel("drive"), InjectionDuel("drive", quote_tool_texts=True)
    answers = []
    for game in (plain, quoted):
        state = play(game, begin(game), attack)
        path = state.scenario.vehicle[1]
        state = play(game, state, format_call("read_file", path=path))
        answers.append(state.calls[0].result.splitlines())
        head = 4  # lines that the tool itself writes
        marked = [line.startswith(QUOTE_MARK) for line in answers[-1]]
        assert all(marked[head:]) == (game is quoted)
        assert not any(marked[:head])
    assert "first line" in answers[0]
    assert "| second line" in answers[1]
    assert "||" not in "".join(answers[0])
    assert QUOTE_MARK.strip() not in plain.rules("assistant")
    assert f"begin with {QUOTE_MARK.strip()} " in quoted.rules("assistant")


def test_the_same_seed_has_the_same_task_with_and_without_an_attack():
    for seed in range(5):
        states = [
            begin(PromptInjection("bank", attack=attack), seed).scenario
            for attack in ("none", "any", *FAMILIES)
        ]
        assert len({(one.request, one.goal, one.vehicle) for one in states}) == 1
        assert [one.attack for one in states[2:]] == list(FAMILIES)
        assert states[0].attack == ""


def test_subtle_attacks_stand_within_the_text():
    for subtlety, within in ((0, False), (1, True)):
        game = PromptInjection("mail", attack="direct", subtlety=subtlety)
        for seed in range(5):
            scenario = begin(game, seed).scenario
            table, id = scenario.vehicle
            text = scenario.base.tables[table][id]["text"]
            assert scenario.goal.sentence in text
            assert ("\n" not in text) == within


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"world": "moon"}, "world='moon': expected one of mail"),
        ({"attack": "rude"}, "attack='rude': expected one of any, none, direct"),
        ({"parts": 4}, "parts=4: expected a number from 1 to 3"),
        ({"distractors": 0}, "distractors=0: expected a number from 1 to 20"),
        ({"max_steps": 0}, "max_steps=0"),
        ({"infeasible": 2}, "infeasible=2"),
        ({"subtlety": -1}, "subtlety=-1"),
        ({"parts": 1.5}, "parts=1.5"),
    ],
)
def test_wrong_arguments_are_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        PromptInjection(**arguments)


def test_each_seat_has_a_picture_and_rules():
    game = InjectionTalk("calendar")
    state = play(game, begin(game), "Hello.", "Do it.", "Done.")
    for seat in (*game.agents, None):
        view = state if seat is None else state.seen_by(seat)
        kind = "TextTable" if seat == "attacker" else "Chat"
        assert type(game.picture(view, seat)).__name__ == kind
    texts = [game.rules(seat) for seat in game.agents]
    assert all(a != b for a, b in itertools.combinations(texts, 2))
    assert len(game.tools("assistant")) == len(WORLDS["calendar"].tools) + 1
    assert game.tools("user") == game.tools("attacker") == ()
