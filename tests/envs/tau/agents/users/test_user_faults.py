"""A guard by rule: which drafts of a user are its own fault, and what becomes of them."""

import packs
import pytest

import gem_ma
from gem_ma import Turn, rollout
from gem_ma.agents import LLMUser
from gem_ma.envs.tau.agents.users.phone_actions import find_requests
from gem_ma.envs.tau.agents.users.shown_traits import Talk, list_user_actions
from gem_ma.envs.tau.agents.users.user_faults import find_phone_faults
from gem_ma.envs.tau.user_metrics import row_of

STOP = "###STOP###"
PHONE_TOOLS = {"check_status_bar", "reboot_device"}
RESTART = "Please restart your phone."


class ErringModel:
    """Writes a draft that is a fault, and the user by rule's message when it is asked again."""

    seats = ("user",)

    def __init__(self, fault, at=1, again=False):
        self.rule_user = gem_ma.agents.load_agent("rule-user")
        self.fault, self.at, self.again = fault, at, again
        self.asked = []

    def act(self, turns):
        return [self.reply(turn) for turn in turns]

    def reply(self, turn):
        asked_again = turn.text.startswith("Your draft was not sent.")
        if asked_again:
            self.asked.append(turn.text)
        said = sum(who == "user" for who, _ in turn.position.state.talk)
        if said == self.at and (self.again or not asked_again):
            return self.fault
        return self.rule_user.act([turn])[0]


def play(env, model, count=4, assistant="informed-assistant", **arguments):
    options = [{"task": task} for task in range(count)]
    players = {"user": LLMUser(model, **arguments), "assistant": assistant}
    episodes = rollout(env, players, count, seed=0, options=options)
    return row_of("model", "assistant", episodes, gem_ma.make(env).game)


@pytest.mark.parametrize(
    ("fault", "at", "words"),
    [
        ("My email is me@nowhere.org.", 1, "it invented the email me@nowhere.org."),
        (STOP, 1, "it stopped instead of answering."),
        ("Hi. ###STOP###", 0, "it stopped before it had told its task."),
        ("How can I help you? It is order #W0000001.", 1, "it invented the order w0000001, and it"),
    ],
)
def test_a_fault_is_written_again_and_costs_nothing(fault, at, words):
    model = ErringModel(fault, at)
    spoilt = play("tau:shop", model)
    assert spoilt.faults.value == 1 - spoilt.success.value
    assert (spoilt.success_without_faults is None) or spoilt.success_without_faults.value == 1.0
    assert model.asked == []
    guarded = play("tau:shop", model, strategy="guard")
    assert (guarded.success.value, guarded.faults.value) == (1.0, 0.0)
    assert guarded.contradictions == 0
    assert len(model.asked) == 4
    assert all(words in one for one in model.asked)


def test_it_is_asked_again_so_many_times_and_no_more():
    model = ErringModel(STOP, again=True)
    row = play("tau:shop", model, strategy="guard", tries=3)
    assert len(model.asked) == 3 * 4
    assert (row.success.value, row.faults.value, row.success_without_faults) == (0.0, 1.0, None)


def test_who_keeps_to_its_task_is_not_asked_again():
    for user in ("rule-user", "user:careless", "user:scattered"):
        model = ErringModel("", at=-1)
        model.rule_user = gem_ma.agents.load_agent(user)
        row = play("tau:shop", model, 12, strategy="guard", mistaken=1.0)
        assert row.success.value == 1.0
        assert model.asked == []


@packs.needs("tau2")
def test_a_claim_that_the_phone_does_not_bear_out_is_written_again():
    model = ErringModel("I restarted it.", at=2)
    ask = iter(["Your phone number, please?", RESTART] * 9)

    def assistant(turn):
        return next(ask, "That is all.")

    def count_rewrites(**arguments):
        model.asked.clear()
        players = {"user": LLMUser(model, strategy="guard", **arguments), "assistant": assistant}
        rollout("tau2:phone", players, 1, seed=0, options={"task": 1}, max_turns=8)
        return [one for one in model.asked if "claimed to have done" in one]

    assert len(count_rewrites()) == 1
    assert count_rewrites(overclaiming=0.5) == []  # it may: the trait says so


@pytest.mark.parametrize(
    ("said", "heard", "calls", "stopped", "words"),
    [
        ("I restarted it.", RESTART, (), False, ["claimed to have done what it had not"]),
        ("I restarted it.", RESTART, ("reboot_device",), False, []),
        ("I restarted it.", "Is it solved?", (), False, []),
        ("I looked at it, done.", "Please look at your status bar.", (), False, []),
        ("", RESTART, (), True, ["stopped instead of doing what it was asked to do"]),
        ("", "Is it solved?", (), True, []),
    ],
)
def test_what_a_user_says_of_its_phone(said, heard, calls, stopped, words):
    talk = Talk((said,), (heard,), (frozenset(calls),), ((),))
    faults = find_phone_faults(talk, PHONE_TOOLS, stopped, solved=False)
    assert [one.partition(":")[0] for one in faults] == words
    assert find_phone_faults(talk, (), stopped, solved=False) == []
    before = Talk(
        ("Done.", said), (RESTART, heard), (frozenset(PHONE_TOOLS), frozenset()), ((), ())
    )
    assert find_phone_faults(before, PHONE_TOOLS, stopped=False, solved=False) == []
    if stopped:
        assert find_phone_faults(talk, PHONE_TOOLS, stopped, solved=True) == []


def test_without_a_game_at_hand_and_of_calls_nothing_is_said():
    guarded = LLMUser(lambda turn: "My email is me@nowhere.org.", strategy="guard")
    turn = Turn("user", "You are a customer.", {}, "Hello?")
    assert guarded.act([turn]) == ["My email is me@nowhere.org."]


@pytest.mark.parametrize(
    ("asked", "tool"),
    [
        ("Please check your APN settings.", "check_apn_settings"),
        ("What is your MMSC address?", "check_apn_settings"),
        ("Look at the status of the SIM.", "check_sim_status"),
        ("Is a VPN on?", "check_vpn_status"),
        ("Is wifi calling on?", "check_wifi_calling_status"),
        ("Is the data saver on?", "check_data_restriction_status"),
        ("Is cellular service there?", "check_network_status"),
        ("Which preferred network is set?", "check_network_mode_preference"),
    ],
)
def test_words_that_ask_for_a_look_at_the_phone(asked, tool):
    found = find_requests(asked, list_user_actions({tool}))
    assert [action.tool for action in found] == [tool]
