"""Users by rule: what they say, what they keep back, what they are like, and who they are."""

import re

import pytest

import gem_ma
from gem_ma import Turn, rollout
from gem_ma.agents import (
    InformedAssistant,
    LLMUser,
    OracleAssistant,
    RuleUser,
    TransferAssistant,
    UserPopulation,
    load_agent,
)
from gem_ma.chat.conversation import Conversation
from gem_ma.envs.tau.agents.users.message_parsing import AssistantMessage
from gem_ma.envs.tau.agents.users.phrases import PHRASE_SETS, compile_phrases
from gem_ma.envs.tau.agents.users.traits import (
    KINDS,
    POPULATIONS,
    TRAITS,
    TraitSampler,
    describe_persona,
)
from gem_ma.envs.tau.agents.users.user_simulator import UserSimulator
from gem_ma.envs.tau.wants.compiled import Wants
from gem_ma.envs.tau.wants.wish import Wish

SHOP, STOP = "tau:shop", "###STOP###"


def talk(*heard, user="rule-user", task=1, **arguments):
    """Return what a user says, first and after each of these messages."""
    left = list(heard)
    players = {"user": user, "assistant": lambda turn: left.pop(0) if left else "Hm."}
    (episode,) = rollout(
        SHOP, players, 1, seed=0, options={"task": task}, max_turns=2 * len(heard) + 1, **arguments
    )
    return [step.reply for step in episode.steps if step.agent == "user"]


def wants(task=1, **arguments):
    game = gem_ma.make(SHOP, **arguments).game
    return game.wants(game.task(task))


def test_players_by_name():
    for name, kind in (
        ("rule-user", RuleUser),
        ("users:train", UserPopulation),
        ("oracle-assistant", OracleAssistant),
        ("informed-assistant", InformedAssistant),
        ("transfer-assistant", TransferAssistant),
    ):
        agent = load_agent(name)
        assert type(agent) is kind
        assert agent.portable  # it may play in other processes
        with pytest.raises(TypeError, match="one of turns=3: expected Turn, got int"):
            agent.act([3])
    assert repr(load_agent("rule-user")) == "RuleUser()"
    assert repr(load_agent("user:wary:typos=0.5")) == "RuleUser('wary', typos=0.5)"
    assert repr(load_agent("users:plain+wary")) == "UserPopulation('plain+wary', seed=0)"
    env = gem_ma.make("game:KuhnPoker-v0")
    env.reset(seed=0)
    for agent in (OracleAssistant(), InformedAssistant(), TransferAssistant()):
        with pytest.raises(ValueError, match="this agent plays tau:"):
            agent.act([env.turn("first")])


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("user:", "expected user:KIND"),
        ("user:nobody", "no user 'nobody'; there are plain, talkative"),
        (
            "user:plain:hurried=1",
            "expected options such as a=1&b=2 out of phrases, seed",
        ),
        ("user:plain:typos=much", "typos=much: expected a number"),
        ("user:plain:typos=1.5", "typos=1.5: expected 0 to 1"),
        ("user:plain:phrases=new", "phrases='new': expected 'train' or 'held-out'"),
        ("users:nobody", "no user 'nobody'"),
        ("users:train:phrases=new", "phrases='new'"),
    ],
)
def test_specs_that_make_no_user(spec, words):
    with pytest.raises(ValueError, match=words):
        load_agent(spec)


def test_it_begins_with_a_wish_and_tells_of_itself_what_it_is_asked_for():
    (wish,), known = wants().wishes, wants().known
    first, who, number, end = talk(
        "How can I help you? Who are you, what is your email?",
        "Which order is it?",
        "It is done. Anything else?",
    )
    assert wish.about in first
    assert not any(known[name] in first for name in ("email", "name"))
    assert known["email"] in who
    assert number == wish.answers["order"]
    assert end == STOP


def test_it_agrees_to_what_it_wants_and_to_nothing_else():
    paid = (n for n in range(50) if any("PayPal" in str(w.answers) for w in wants(n).wishes[:1]))
    task = next(paid)
    wish = wants(task).wishes[0]
    order = wish.answers["order"]
    for said, expected in (
        ("Your email?", None),
        (f"I will do it, {order[:-1]}. Shall I proceed?", "Yes"),
        ("I will do it for order #W0000000. Shall I proceed?", "No"),
        (f"I will pay with your gift card, {order[:-1]}. Do you confirm?", "No"),
        (f"I will pay with PayPal, {order[:-1]}. Do you confirm?", "Yes"),
    ):
        reply = talk("Your email?", said, task=task)[-1]
        assert expected is None or reply.startswith(expected), (said, reply)


def test_it_agrees_to_flights_that_it_wants_and_to_no_others():
    answers = {"flights": "I would like to leave from SFO at 08:00."}
    choice = (("HAT001", "HAT002"), ("HAT003",))
    wish = Wish("update_reservation_flights", "my trip", "my trip", answers, choice)
    phrases = PHRASE_SETS["train"]
    opening = phrases[wish.tool][0].format(wish.about)
    for flights, expected in (
        ("HAT001 and HAT002", "Yes"),
        ("HAT003", "Yes"),
        ("HAT009", "No"),
        ("other planes", "Yes"),
    ):
        heard = ["How can I help?", "Your name?", f"I book {flights}. Shall I proceed?"]
        said = [f"Hi. {opening}.", "Ann Lee"]
        user = UserSimulator(
            Wants({"name": "Ann Lee"}, (wish,)), said, heard, TraitSampler({}), phrases
        )
        reply = user.reply()
        assert reply.startswith(expected), (flights, reply)
        assert (answers["flights"] in reply) is (expected == "No")


def test_what_it_is_not_told_it_does_not_know():
    assert talk("Which flight number is it?")[-1] in PHRASE_SETS["train"]["unknown"]
    assert talk("What is your shoe size?")[-1] not in ("", None)
    replies = talk(*["Which order is it?"] * 9)
    assert replies[-1] == STOP  # it does not go on for ever


def test_it_comes_to_all_that_it_wants_and_asks_again_for_what_was_refused():
    task = next(number for number in range(60) if len(wants(number).wishes) == 2)
    first, second = wants(task).wishes
    replies = talk("Sorry, I cannot do that.", "Unfortunately not.", task=task)
    assert first.about in replies[0]
    assert second.about in replies[1]
    assert replies[2] == STOP or wants(task).questions


def test_its_words_hold_no_id_that_its_task_does_not():
    episodes = rollout(
        SHOP, {"user": "users:train", "assistant": "informed-assistant"}, 150, seed=3
    )
    for episode in episodes:
        said = " ".join(step.reply for step in episode.steps if step.agent == "user")
        task = episode.rules["user"]
        for found in re.findall(r"\b\d{7,10}\b|\w+_\d{7}|#W\d{7}", said):
            assert found in task, (episode.number, found)
        assert "{" not in said


def test_a_user_with_a_phone_does_what_it_is_asked():
    task = next(n for n in range(40) if "reset_app" in str(wants(n, dual=True).wishes))
    replies = talk("Please restart your phone.", "Hm.", task=task, dual=True)
    assert '{"name": "restart_phone", "arguments": {}}' in replies


def test_without_a_game_at_hand_it_tells_the_sentences_of_its_rules():
    rules = (
        "You are a customer.\nYour task: Your name is Ann Lee and your email is ann@shop.org. You "
        "are kind. You want to cancel order #W1234567. You want to return the Lamp."
    )

    def user(*said):
        chat = Conversation("user")
        for index, heard in enumerate(said[::2]):
            turn = Turn("user", rules, {}, heard, chat=chat, index=index)
            chat.add_turn(turn, index)
            if 2 * index + 1 < len(said):
                chat.steps[-1].reply = said[2 * index + 1]
        return RuleUser().act([turn])[0]

    begin, cancel = "The user begins.", "I want to cancel order #W1234567."
    assert user(begin).endswith(cancel)
    assert user(begin, cancel, "What is your email?").endswith("ann@shop.org.")
    assert user(begin, cancel, "That is done. Anything else?") == "I want to return the Lamp."


def test_two_sets_of_phrases_share_none_and_say_the_same_things():
    train, held_out = PHRASE_SETS["train"], PHRASE_SETS["held-out"]
    assert set(train) == set(held_out)
    for name in train:
        assert not set(train[name]) & set(held_out[name]), name
        blanks = {phrase.count("{}") for phrase in (*train[name], *held_out[name])}
        assert len(blanks) == 1, name
    said = [
        " ".join(step.reply for e in play(user) for step in e.steps if step.agent == "user")
        for user in ("user:plain", "user:plain:phrases=held-out")
    ]
    assert "I would like to" in said[0]
    assert "I would like to" not in said[1]


def play(user, count=20, **arguments):
    return rollout(SHOP, {"user": user, "assistant": "informed-assistant"}, count, **arguments)


def test_chance_is_the_same_for_the_same_episode_and_another_for_another():
    def said(user, **arguments):
        return [[step.reply for step in e.steps] for e in play(user, 8, seed=1, **arguments)]

    spec = "user:careless:typos=0.5"
    assert said(spec) == said(spec, concurrency=1)
    assert said(spec) != said(f"{spec}&seed=1")


def test_a_population_sends_all_of_its_kinds():
    users = load_agent("users:train")
    kinds = set()

    class Seen:
        seats = ("user",)

        def act(self, turns):
            kinds.update((turn.episode, users._pick_user(turn).kind) for turn in turns)
            return users.act(turns)

    episodes = play(Seen(), 60, seed=0)
    assert {kind for _, kind in kinds} == set(POPULATIONS["train"])
    assert len(kinds) == len(episodes)  # one for each episode
    assert {user.phrases for user in load_agent("users:held-out").users} == {"held-out"}
    assert not set(POPULATIONS["train"]) & set(POPULATIONS["held-out"])
    assert set(KINDS) == {kind for kinds in POPULATIONS.values() for kind in kinds}


def test_an_impatient_user_leaves_after_so_many_questions():
    asks = [f"Is your shoe size {size}?" for size in range(40)]
    for value, most in ((1.0, 6), (0.5, 18)):
        replies = talk(*asks, user=f"user:plain:impatient={value}")
        assert STOP in replies[-1]
        assert compile_phrases("leave").search(replies[-1])
        assert len(replies) == 2 + most  # hello, as many answers, and it leaves
    assert len(talk(*asks)) == 41
    done = [one for ask in asks[:9] for one in (ask, "That is done, and what is your shoe size?")]
    assert not any(map(compile_phrases("leave").search, talk(*done, user="user:plain:impatient=1")))


def test_it_claims_what_it_did_not_do_and_does_it_when_asked_again():
    task = next(n for n in range(40) if "reset_app" in str(wants(n, dual=True).wishes))
    ask = "Please restart your phone."
    replies = talk(ask, ask, ask, user="user:plain:overclaiming=1", task=task, dual=True)
    assert compile_phrases("claim").fullmatch(replies[1])
    assert replies[2] == '{"name": "restart_phone", "arguments": {}}'


@pytest.mark.parametrize(
    ("trait", "phrase"),
    [("questioning", "ask_back"), ("reluctant", "refuse"), ("returning", "away")],
)
def test_it_delays_a_fact_once_and_tells_it_even_if_the_assistant_only_waits(trait, phrase):
    user = f"user:plain:{trait}=1"
    for then in ("Your email, please?", "That is fine with me."):
        _, delay, told = talk("What is your email?", then, user=user)
        assert compile_phrases(phrase).fullmatch(delay)
        assert wants().known["email"] in told
        assert bool(compile_phrases("back").search(told)) is (trait == "returning")


def test_it_answers_another_question_first():
    (wish,), email = wants().wishes, wants().known["email"]
    ask = "What is your email?"
    assert talk(ask, ask, user="user:plain:evasive=1")[1] == wish.answers["order"]
    assert email in talk(ask, ask, user="user:plain:evasive=1")[2]


def test_it_tells_half_of_what_it_is_asked_for_and_then_the_rest():
    known, ask = wants().known, "Your name and your email, please?"
    _, half, rest = talk(ask, ask, user="user:plain:partial=1")
    assert known["name"] in half
    assert known["email"] not in half
    assert known["email"] in rest


def test_it_takes_a_wish_back_and_comes_back_to_it():
    (wish,), ask = wants().wishes, f"I will cancel it, {wants().wishes[0].about}. Shall I proceed?"
    user = "user:plain:fickle=1"
    *_, wavers, agrees = talk("Your email?", ask, ask, user=user)
    assert compile_phrases("waver").fullmatch(wavers)
    assert compile_phrases("decided").fullmatch(agrees)
    assert talk("Your email?", ask, "Is there anything else?", user=user)[-1].endswith(
        f"{wish.about}."
    )
    assert compile_phrases("decided").fullmatch(talk("Your email?", ask, "I see.", user=user)[-1])


def test_it_begins_with_a_wrong_problem_and_corrects_itself():
    about = wants().wishes[0].about
    first, second = talk("What is your email?", user="user:plain:misleading=1")
    assert about not in first
    assert compile_phrases("misled").search(first)
    assert about in second
    assert wants().known["email"] in second
    _, told = talk("I see.", user="user:plain:misleading=1")
    assert told.count(about) == 1


def test_its_tone_grows_with_the_turns():
    asks = [f"Is your shoe size {size}?" for size in range(7)]
    first, *replies = talk(*asks, user="user:plain:irritable=1")
    tones = [[name for name in ("annoyed", "angry", "furious") if compile_phrases(name).search(one)]
             for one in replies]  # fmt: skip
    assert tones == [["annoyed"]] * 2 + [["angry"]] * 3 + [["furious"]] * 2
    assert not compile_phrases("annoyed").search(first)


def test_it_gives_up_and_says_so():
    lengths = set()
    for task in range(8):
        replies = talk(*["Is it 3?"] * 4, user="user:plain:leaving=1", task=task)
        assert compile_phrases("give_up").search(replies[-1])
        assert replies[-1].endswith(STOP)
        lengths.add(len(replies))
    assert lengths == {2, 3}


def test_it_delays_the_same_no_more_than_twice():
    ask, user = "What is your email?", "user:plain:questioning=1&reluctant=1&returning=1&evasive=1"
    replies = talk(ask, ask, ask, user=user)
    assert [wants().known["email"] in one for one in replies] == [False, False, False, True]


def test_chance():
    chance = TraitSampler({"vague": 0.3, "polite": 0.0}, 7, "episode")
    shares = [chance.shows_trait("vague", number) for number in range(4000)]
    assert 0.27 < sum(shares) / 4000 < 0.33
    assert not any(chance.shows_trait(name, 1) for name in ("polite", "typos"))
    assert chance.patience == float("inf")
    assert TraitSampler({"impatient": 1.0}).patience == 6


def test_a_model_is_told_the_same_traits():
    told = []

    def model(turn):
        told.append(turn.rules)
        return STOP

    for user in (LLMUser(model), LLMUser(model, kind="forgetful", typos=0.9)):
        rollout(SHOP, {"user": user, "assistant": lambda turn: "Hm."}, 1, options={"task": 1})
    plain, told_so = told
    assert told_so.startswith(plain)
    assert "Often when you are asked for a fact you say at first" in told_so
    assert "Nearly always one of your words is misspelt" in told_so
    assert describe_persona({}) == ""
    assert all(describe_persona({name: 0.5}) for name in TRAITS)


@pytest.mark.parametrize(
    ("text", "asked", "confirms"),
    [
        (
            "Could you tell me your email, or your name and zip code?",
            {"email", "name", "zip"},
            False,
        ),
        ("Could you confirm your zip code?", {"zip"}, True),
        ("To proceed, please provide the order number.", {"order"}, False),
        ("I will refund it to PayPal. Shall I proceed?", set(), True),
        ("I refund it to PayPal. Do you confirm (yes/no)?", set(), True),
        ("Which payment method would you like, and why?", {"payment", "reason"}, False),
        ("Your order has been cancelled. Is there anything else?", set(), False),
        ("What date do you want to fly, and in which cabin?", {"date", "cabin"}, False),
    ],
)
def test_what_a_message_asks(text, asked, confirms):
    heard = AssistantMessage(text)
    assert heard.requests == asked
    assert heard.confirms == confirms
    assert AssistantMessage("").requests == set()


def test_a_zip_code_is_told_with_the_name():
    """In this order, which is that of tau-bench's tools."""
    env = gem_ma.make("tau:shop")
    for seed in range(40):
        env.reset(seed=seed)
        known = env.game.wants(env.match.state.task).known
        if {"name", "zip"} <= known.keys():
            break
    user = load_agent("rule-user")
    env.step(user.act([env.turn("user")])[0])
    env.step("What is your zip code?")
    text = user.act([env.turn("user")])[0]
    assert 0 <= text.index(known["name"]) < text.index(known["zip"])
