"""Two seats over a shop: who reads what, what is paid, and what happens when it goes wrong."""

import json
import pickle

import numpy as np
import pytest
from playable import IDS, unless

import gem_ma
from gem_ma import rollout
from gem_ma.agents import InformedAssistant, OracleAssistant, RandomAgent, RuleUser
from gem_ma.envs.tau import shop
from gem_ma.envs.tau.game import STOP, Tau
from gem_ma.envs.tau.talk import Call, read_reply
from gem_ma.game import InvalidMove

SHOP = "tau:shop"
DOMAINS = [env_id for env_id in IDS if env_id.startswith("tau:")]
RETAIL = [env_id for env_id in DOMAINS if env_id == "tau:retail"]
FLOOR = {  # what an assistant gets that does nothing, by the original's own rule
    ("tau:retail", "test"): [10, 12, 25, 50, 57, 65, 106],
    ("tau:retail", "dev"): 1,
    ("tau:retail", "train"): 5,
    ("tau:airline", "test"): 19,
}


def start(env_id=SHOP, task=0, **kwargs):
    env = gem_ma.make(env_id, **kwargs)
    env.reset(seed=0, options={"task": task})
    return env


def tasks(count, first=0):
    return [{"task": number} for number in range(first, first + count)]


def play(user, assistant, count, env_id=SHOP, **kwargs):
    players = {"user": user, "assistant": assistant}
    return rollout(env_id, players, count, seed=0, options=tasks(count), **kwargs)


def test_the_user_speaks_first_and_both_take_turns():
    env = start()
    assert env.agent_selection == "user"
    env.step("Hello!")
    assert env.agent_selection == "assistant"
    assert env.turn("assistant").text == "user: Hello!"
    env.step("What is your name?")
    assert env.agent_selection == "user"
    assert env.turn("user").text == "assistant: What is your name?"
    env.step(STOP)
    assert env.agents == ["user", "assistant"]
    assert all(env.terminations.values())


def test_after_a_tool_call_the_assistant_keeps_the_floor():
    env = start()
    env.step("Hello!")
    env.step('{"name": "calculate", "arguments": {"expression": "2 * 21"}}')
    assert env.agent_selection == "assistant"
    turn = env.turn("assistant")
    assert (turn.text, turn.results) == ("tool: 42.0", ("42.0",))
    assert turn.tools[0]["function"]["name"] == "calculate"
    assert env.turn("user").tools == ()


CALL = {"name": "calculate", "arguments": {"expression": "1"}}


def test_native_calls_and_several_at_once():
    env = start()
    env.step("Hello!")
    calls = [
        {"id": str(n), "type": "function", "function": {"name": "calculate", "arguments": one}}
        for n, one in enumerate(['{"expression": "1+1"}', '{"expression": "2+2"}'])
    ]
    env.step(gem_ma.Reply("", tool_calls=calls))
    assert env.turn("assistant").results == ("2.0", "4.0")
    strict = start(strict=True)
    strict.step("Hello!")
    strict.step(gem_ma.Reply("", tool_calls=calls))
    assert strict.turn("assistant").results == ("2.0",)  # as the original takes the first only
    strict.step(json.dumps([CALL, {**CALL, "arguments": {"expression": "5"}}]))
    assert strict.turn("assistant").results == ("1.0",)
    assert len(strict.game_state.calls) == 2


def test_in_strict_the_chat_holds_no_call_that_was_not_run():
    texts = [json.dumps({"name": "calculate", "arguments": {"expression": one}}) for one in "123"]
    blocks = [f"<tool_call>\n{text}\n</tool_call>" for text in texts]
    native = [
        {"id": one, "type": "function", "function": {"name": "calculate", "arguments": arguments}}
        for one, arguments in (("a", '{"expression": "1"}'), ("b", "{"))
    ]
    thinking = f"<think>Which? {blocks[2]}</think>\nI look: "
    replies = [  # each with what its chat holds
        (gem_ma.Reply("I look.", tool_calls=native), "I look."),
        (gem_ma.Reply("".join(blocks), tool_calls=native, token_ids=[1, 2]), blocks[0]),
        (f"{thinking}{blocks[0]} and {blocks[1]} too", f"{thinking}{blocks[0]}"),
        (f"[{texts[0]}, {texts[1]}]", texts[0]),
        ("I am done.", "I am done."),
    ]
    (episode,) = play(ends, lambda turn: replies[turn.index][0], 1, strict=True)
    said = [step for step in episode.steps if step.agent == "assistant"]
    assert [step.reply for step in said] == [reply for reply, _ in replies]
    assert said[1].reply.token_ids == [1, 2]  # on record is what was said
    assert said[1].counted_reply.fields().keys() == {"tool_calls", "token_ids"}
    answer = {"role": "tool", "tool_call_id": "a", "name": "calculate", "content": "1.0"}
    expected = [{"role": "user", "content": "Hello"}]
    for reply, heard in replies:
        called = getattr(reply, "tool_calls", None)
        message = {"role": "assistant", "content": heard}
        expected.append({**message, "tool_calls": native[:1]} if called else message)
        expected.append(answer if called else {"role": "user", "content": "1.0"})
    assert episode.messages("assistant")[1:] == expected[:-1]


def test_all_calls_are_answered_when_all_are_run():
    calls = [
        {"id": one, "function": {"name": "calculate", "arguments": json.dumps({"expression": one})}}
        for one in "123"
    ]
    replies = [gem_ma.Reply("", tool_calls=calls), "I am done."]
    (episode,) = play(ends, lambda turn: replies[turn.index], 1)
    _, _, said, *answers, _ = episode.messages("assistant")
    assert said["tool_calls"] == calls
    assert [(one["tool_call_id"], one["content"]) for one in answers] == [
        ("1", "1.0"),
        ("2", "2.0"),
        ("3", "3.0"),
    ]


def test_strict_has_thirty_steps_no_limit_of_length_and_no_speakers():
    said = {"user": ["Hello\nassistant: there", "x" * 100_000], "assistant": [" ü" * 50_000, ""]}

    def user(turn):
        return said[turn.seat][turn.index % 2]

    (episode,) = play(user, user, 1, strict=True, max_steps=3)
    assert (episode.report["ended"], episode.ended) == ("limit", "terminated")
    heard = [step.text for step in episode.steps[1:]]
    assert heard == [said[seat][n % 2] for n in range(3) for seat in ("user", "assistant")]
    (episode,) = play(lambda turn: "Well?", lambda turn: "Hm.", 1, strict=True)
    assert (episode.report["ended"], episode.ended) == ("limit", "terminated")
    assert sum(step.agent == "assistant" for step in episode.steps) == 30
    assert episode.returns["assistant"] == 0.0
    (episode,) = play(user, ends, 1, strict=True, max_steps=2)
    assert (episode.report["ended"], len(episode.steps)) == ("limit", 5)
    broken = gem_ma.Reply("", tool_calls=[{"id": "", "function": {"name": "x", "arguments": "{"}}])
    (episode,) = play(user, lambda turn: broken, 1, strict=True)
    assert (episode.report["ended"], len(episode.steps)) == ("forfeit", 2)


def test_arguments_of_env_that_strict_would_have_can_be_given():
    env = gem_ma.make(SHOP, strict=True)
    given = {"format": "verbatim", "invalid": "lose", "text_length": 1 << 22}
    assert env.spec.kwargs == {"domain": "shop", "strict": True, **given}
    assert gem_ma.make(env.spec).spec == env.spec
    patient = gem_ma.make(SHOP, strict=True, invalid="retry", max_turns=7)
    assert gem_ma.make(patient.spec).match.config.invalid == "retry"
    assert gem_ma.make(patient.spec).match.config.max_turns == 7
    assert gem_ma.make(SHOP).spec.kwargs == {"domain": "shop", "format": "bare", "max_turns": 200}


def test_what_is_a_message():
    for text in ("Hello", "{not json}", "[1, 2]", '{"a": 1}', "[]"):
        assert read_reply(text) == text
    assert read_reply('{"name": "respond", "arguments": {"content": "Hi"}}') == "Hi"
    for text in ('{"name": "calculate", ', '{"name": "respond", "arguments": {}}'):
        with pytest.raises(InvalidMove):
            read_reply(text)
    with pytest.raises(InvalidMove, match="at most 4000 characters"):
        Tau().read("x" * 5000, None, "user")


def test_nobody_sees_what_is_not_theirs():
    """Two worlds that differ in what a seat may not know look the same to it."""
    (episode,) = play(RuleUser(), InformedAssistant(), 1)
    task = Tau().start(np.random.default_rng(0), {"task": 0}).task
    secret = task.instruction.partition("You are")[2]
    for seat, hidden in (("assistant", [secret, "Your task"]), ("user", ["tool: ", "policy"])):
        shown = json.dumps(episode.messages(seat))
        assert not any(one in shown for one in hidden)
    assert shop.POLICY[:40] not in json.dumps(episode.messages("user"))
    assert any("tool: " in str(m["content"]) for m in episode.messages("assistant"))
    game = Tau()
    state = game.start(np.random.default_rng(0), {"task": 0})
    assert state.seen_by("assistant").task is None
    seen = state.seen_by("user").task
    assert (seen.actions, seen.outputs) == ((), ())
    assert seen.instruction == task.instruction
    worked = game.advance(state, {"user": "Hello"}, None)
    worked = game.advance(worked, {"assistant": (Call(*task.actions[0]),)}, None)
    assert worked.changes
    for seat in game.agents:
        assert not worked.seen_by(seat).changes
    assert worked.seen_by("user").calls == ()


def test_rules_tell_the_task_to_the_user_only_and_change_with_it():
    env = start(task=0)
    first = env.rules("user")
    assert "Your task: Your name is" in first
    assert env.rules("assistant").startswith("# How we serve")
    env.reset(seed=0, options={"task": 1})
    assert env.rules("user") != first
    snapshot = env.snapshot()
    env.reset(seed=0, options={"task": 0})
    assert env.rules("user") == first
    env.restore(snapshot)
    assert env.rules("user") != first


@pytest.mark.parametrize(
    ("env_id", "split"),
    [
        *((env_id, "test") for env_id in DOMAINS),
        *(unless(split == "dev", one, split) for one in RETAIL for split in ("dev", "train")),
    ],
)
def test_gold_actions_pay_and_nothing_else_does(env_id, split):
    env = gem_ma.make(env_id, split=split)
    number = 40 if env_id == SHOP else len(env.game.content.tasks)
    gold = play(RuleUser() if env_id == SHOP else ends, OracleAssistant(), number, env)
    assert [e.number for e in gold if e.returns["assistant"] != 1.0] == []
    idle = play(ends, lambda turn: "I can do nothing.", number, env)
    paid = [e.number for e in idle if e.returns["assistant"] == 1.0]
    if env_id == SHOP:
        assert len(paid) < number / 4  # those that ask something have outputs
        return
    floor = FLOOR[env_id, split]
    assert paid == floor if isinstance(floor, list) else len(paid) == floor
    random = play(patient, RandomAgent(), number, env)
    assert sum(e.returns["assistant"] for e in random) <= len(paid)


def ends(turn):
    """Let the assistant work until it speaks, and end."""
    return "Hello" if turn.index == 0 else STOP


def patient(turn):
    return STOP if turn.index > 10 else "yes"


@pytest.mark.parametrize("count", [60, unless(False, 1000)])
def test_every_task_of_the_shop_can_be_solved_from_what_the_user_says(count):
    episodes = play(RuleUser(), InformedAssistant(), count)
    assert sum(e.returns["assistant"] for e in episodes) >= 0.98 * count
    assert sum(e.returns["user"] for e in episodes) >= 0.98 * count
    kinds = {
        name
        for e in episodes
        for step in e.steps
        if step.agent == "assistant"
        for name in [str(step.reply)]
        if "pending_order" in name or "delivered" in name
    }
    assert len(kinds) > count / 2


def test_what_pays_the_user():
    for reward, expected in (
        ({"task": 1.0}, 1.0),
        ({"task": 0.5, "fidelity": 0.5}, 1.0),
        ({"facts": 2.0}, 2.0),
        (None, 1.0),
    ):
        (episode,) = play(RuleUser(), OracleAssistant(), 1, user_reward=reward)
        assert episode.returns["user"] == expected
    with pytest.raises(ValueError, match="user_reward has no part speed; the parts are task"):
        gem_ma.make(SHOP, user_reward={"speed": 1.0})


@pytest.mark.skipif("tau:retail" not in IDS, reason="set TAU_BENCH_DATA to TAU-bench's folder")
def test_a_task_that_is_not_there():
    with pytest.raises(ValueError, match="task=9999: expected 0 to 114"):
        start("tau:retail", task=9999)


def test_dual_control_needs_both_seats():
    for assistant in (OracleAssistant(), InformedAssistant()):
        episodes = play(RuleUser(), assistant, 200, dual=True)
        assert sum(e.returns["assistant"] for e in episodes) >= 196, assistant
    phones = [e for e in episodes if "stuck" in e.rules["user"]]
    assert 100 < len(phones) < 180
    for episode in phones[:20]:
        by = {
            seat: [s.move for s in episode.steps if s.agent == seat and "name=" in (s.move or "")]
            for seat in episode.agents
        }
        assert any("restart_phone" in move for move in by["user"])
        assert any("read_inbox" in move for move in by["user"])
        assert any("reset_app" in move for move in by["assistant"])
        shown = json.dumps(episode.messages("assistant"))
        assert "The phone has restarted." not in shown.replace("It says: The phone has", "")
        assert "A code was sent" not in json.dumps(episode.messages("user"))
    # A user who never touches the phone leaves the app stuck.
    (lazy,) = rollout(
        SHOP,
        {"user": lambda t: "No." if t.index < 5 else STOP, "assistant": InformedAssistant()},
        1,
        seed=0,
        options={"task": phones[0].number},
        dual=True,
    )
    assert lazy.returns["assistant"] == 0.0
    with pytest.raises(ValueError, match="dual=True, domain='retail': expected domain 'shop'"):
        Tau("retail", dual=True)


def test_hashes_on_demand():
    (episode,) = play(RuleUser(), OracleAssistant(), 1, hashes=True)
    assert episode.report["data_hash"] == episode.report["gold_hash"]
    assert len(episode.report["data_hash"]) == 64
    (episode,) = play(ends, lambda turn: "no", 1, hashes=True)
    assert episode.report["data_hash"] != episode.report["gold_hash"]


def test_one_seat_through_gymnasium():
    import gymnasium

    env = gymnasium.make("gem_ma:gem_ma/tau.shop", agent="assistant", others={"user": "rule-user"})
    observation, _ = env.reset(seed=3, options={"task": 0})
    assert observation.startswith("Nothing was said yet") or "user: H" in observation
    observation, reward, terminated, _, _ = env.step("Could you tell me your name and zip code?")
    assert "Nadia Adler" in observation
    assert "87404" in observation
    who = {"first_name": "Nadia", "last_name": "Adler", "zip": "87404"}
    call = {"name": "find_user_id_by_name_zip", "arguments": who}
    observation, reward, terminated, _, _ = env.step(json.dumps(call))
    assert observation == "tool: nadia_adler_0013"
    for name, arguments in env.unwrapped.env.core.game_state.task.actions:
        observation, reward, terminated, _, _ = env.step(
            json.dumps({"name": name, "arguments": arguments})
        )
        assert (reward, terminated) == (0.0, False)
    observation, reward, terminated, _, info = env.step("That is done. Is there anything else?")
    assert (reward, terminated) == (1.0, True)
    assert info["reward"] == 1.0


def test_states_pickle_and_never_change():
    env = start()
    env.step("Hello")
    name, arguments = env.game_state.task.actions[0]
    env.step(json.dumps({"name": name, "arguments": dict(arguments)}))
    state = env.game_state
    assert state.changes
    copy = pickle.loads(pickle.dumps(state))
    assert copy == state
    with pytest.raises(TypeError):
        state.changes["orders", "x"] = {}
    before = repr(env.game.base.tables)
    (fork,) = env.fork()
    fork.step("Done.")
    fork.step(STOP)
    assert env.game_state is state
    assert repr(env.game.base.tables) == before


@pytest.mark.parametrize("number", [-1, "x", 1.5])
def test_a_task_that_is_no_number_is_named(number):
    env = gem_ma.make("tau:shop")
    with pytest.raises(ValueError, match=f"task={number!r}: expected a whole number of at least 0"):
        env.reset(seed=0, options={"task": number})


def test_weights_of_rewards_are_a_mapping():
    with pytest.raises(TypeError, match="user_reward='x': expected"):
        gem_ma.make("tau:shop", user_reward="x")
