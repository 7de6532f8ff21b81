"""TAU-bench: a user with a wish and an assistant with tools talk until the user ends it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from gem_ma.engine.action_parsing import replace_surrogates
from gem_ma.envs.tau import airline, data, fetch, fidelity, phone, retail, shop
from gem_ma.envs.tau.calling import call
from gem_ma.envs.tau.data import Task
from gem_ma.envs.tau.store import NOTHING, Base, Changes, Frozen
from gem_ma.envs.tau.talk import Call, Said, read_reply, transcript, turns
from gem_ma.envs.tau.wants import compiled
from gem_ma.game import Game, InvalidMove, Message, VerbatimMessage
from gem_ma.scene import Chat, Terminal
from gem_ma.validation.arguments import check_type
from gem_ma.validation.json_types import JSONMapping

AGENTS = ("user", "assistant")
STOP = "###STOP###"
LONGEST = 4000  # maximum number of characters of a message
STEPS = 30  # maximum steps of the original's agents
STRICT = {  # in the original, any text is a message, and an unreadable reply ends the episode
    "format": "verbatim",
    "invalid": "lose",
    "text_length": 1 << 22,
}
TOOLS = {"retail": retail, "airline": airline, "shop": retail}
UNPAID = Frozen(dict.fromkeys(AGENTS, 0.0))
USER_RULES = (
    "You are a customer who talks to the assistant of a {domain}. You write one message at a time, "
    "as a person does: short, and only what is needed now.\n"
    "- Tell what you want, and give details when you are asked for them, not all at once.\n"
    "- Say nothing that your task does not say. What it does not say, you do not remember.\n"
    "- Your task's words are for you: use your own. Keep to the character that it describes.\n"
    f"- When all is done, or nothing more can be done, write {STOP} and nothing else."
)


@dataclass(frozen=True, slots=True)
class State:
    task: Task | None  # the user sees its instruction, the assistant sees nothing
    talk: tuple[Said, ...] = ()
    calls: tuple[Call, ...] = ()  # each seat sees its own
    changes: Changes = field(default=NOTHING, repr=False)
    floor: str = "user"
    ended: str = ""  # by "user", "transfer", "forfeit" or "limit"
    paid: Frozen[str, float] = UNPAID
    verdict: Frozen[str, Any] = NOTHING

    def to_act(self):
        return () if self.ended else (self.floor,)

    def returns(self):
        return self.paid

    def seen_by(self, agent):
        task = self.task
        if agent == "assistant":
            task = None
        elif task is not None:
            task = Task(task.index, task.user_id, task.instruction)
        calls = tuple([one for one in self.calls if one.by == agent])
        return State(task, self.talk, calls, NOTHING, self.floor, self.ended, self.paid)

    def legal(self, agent):
        """Return a sample of legal replies, enough for random play, menus and tests."""
        if agent == "user":
            return SMALL_TALK if self.talk else SMALL_TALK[:-1]
        return ("How can I help you?", "Could you tell me more?", "Is there anything else?", *CALLS)


SMALL_TALK = ("Hello, I need some help.", "Yes, please.", "No.", "I do not remember.", STOP)
CALLS = (
    '{"name": "list_all_product_types", "arguments": {}}',
    '{"name": "get_order_details", "arguments": {"order_id": "#W0000000"}}',
    '{"name": "calculate", "arguments": {"expression": "2 * (3 + 4)"}}',
    '{"name": "transfer_to_human_agents", "arguments": {"summary": "I cannot help."}}',
)


class Tau(Game[State]):
    """A domain of TAU-bench, or the shop of this package.

    Args:
        domain: "shop" (made from the seed `world`, needs no data), "retail" or "airline".
        split: "train", "dev" or "test", if the domain has it. For retail, also the path of
            tau2-bench's tasks.json.
        strict: follow the original wherever it can be observed. Each seat reads the original's
            chat, and only the first tool call of a reply counts. Messages may have any length or be
            empty. A call that is not JSON ends the episode, but ###STOP### in the user's first
            message does not. The user's prompts are the original's, which `gem-ma data tau-bench`
            fetches; the shop has its own.
        max_steps: maximum number of messages and tool calls of the assistant; the episode then
            fails. None means no limit, or with `strict` the 30 of the original's agents.
        user_reward: weights of the user's reward: of "task" (the assistant's reward), "fidelity" or
            its parts (see `fidelity`). All but "fidelity" and "told" are multiplied by the share of
            wishes that the user told.
        max_calls: maximum number of tool calls; the episode then fails. None means no limit.
        hashes: add the original's hash of the whole database to the report.
        world: seed of the shop's customers, orders and goods.
        size: number of the shop's customers.
        wishes: number of wishes of a customer of the shop, up to four. None means one or two.
        dual: give the shop's user tools too (a phone); some tasks then need the tools of both
            seats.
        unjudged: accept tasks of tau2-bench that a judge decides in part, and leave that part out.
    """

    agents = AGENTS
    conversation = True
    oracle = True
    reset_options = ("task",)
    env_defaults: JSONMapping = MappingProxyType({"format": "bare", "max_turns": 200})

    def __init__(
        self,
        domain="shop",
        split="test",
        strict=False,
        user_reward=None,
        max_calls=None,
        max_steps=None,
        hashes=False,
        world=0,
        size=50,
        dual=False,
        unjudged=False,
        wishes=None,
    ):
        self.domain = domain
        self.strict = strict
        self.max_calls = max_calls
        self.max_steps = STEPS if strict and max_steps is None else max_steps
        self._words: Mapping[str, str] = {}  # the original's prompts for the user
        if strict:
            self.max_tool_calls = 1
            self.env_defaults = STRICT
            if domain != "shop":
                self._words = fetch.user(domain)
        self.hashes = hashes
        check_type(user_reward, Mapping | None, "user_reward")
        self.user_reward = dict(user_reward or {"fidelity": 1.0})
        unknown = set(self.user_reward) - {"task", "fidelity", *fidelity.PARTS}
        if unknown:
            raise ValueError(
                f"user_reward has no part {', '.join(sorted(unknown))}; the parts are task, "
                f"fidelity, {', '.join(fidelity.PARTS)}"
            )
        if domain == "shop" and split != "test":
            raise ValueError(f"split={split!r}: tau:shop makes its tasks, and has 'test' only")
        if wishes is not None and (domain != "shop" or not 1 <= wishes <= shop.MOST):
            raise ValueError(
                f"wishes={wishes}, domain={domain!r}: expected wishes 1 to {shop.MOST}, domain "
                "'shop'"
            )
        self.wishes = wishes
        if domain == "shop":
            self.content = shop.world(world, size, dual)
        elif dual:
            raise ValueError(
                f"dual=True, domain={domain!r}: expected domain 'shop', whose user has tools"
            )
        else:
            self.content = data.load(domain, split, unjudged)
        self.base: Base = self.content.base
        self._tools = {"assistant": TOOLS[domain].TOOLS, "user": {}}
        if dual:
            self._tools["assistant"] = {**retail.TOOLS, **phone.TOOLS}
            self._tools["user"] = phone.USER_TOOLS
        self._terminates = TOOLS[domain].TERMINATES
        self._gold: dict[int, Changes] = {}
        self._wants: dict[int, compiled.Wants] = {}

    def start(self, rng, options):
        number = options.get("task")
        if number is None:
            number = int(rng.integers(len(self.content.tasks) or 1 << 31))
        return State(self.task(number))

    def task(self, number):
        """Return the task with this number, which reports contain."""
        tasks = self.content.tasks
        if not isinstance(number, int) or number < 0:
            raise ValueError(f"task={number!r}: expected a whole number of at least 0")
        if self.domain == "shop":
            return shop.task(self.content, number, self.wishes)
        if not 0 <= number < len(tasks):
            raise ValueError(f"task={number}: expected 0 to {len(tasks) - 1}")
        return tasks[number]

    def read(self, text, view, agent):
        if self.strict:
            return self._read_strictly(text, agent)
        if not text:
            raise InvalidMove("an empty message")
        move = read_reply(text) if self._tools[agent] else text
        if isinstance(move, str) and len(move) > LONGEST:
            raise InvalidMove(f"a message has at most {LONGEST} characters, and not {len(move)}")
        return move

    def _read_strictly(self, text, agent):
        """Read any text as a message, except tool calls, of which only the first counts."""
        move = read_reply(text, strict=True) if self._tools[agent] else text
        if not isinstance(move, str) and not isinstance(move[0].arguments, dict):
            kind = type(move[0].arguments).__name__
            raise InvalidMove(f"the arguments of {move[0].name} are an object, and not a {kind}")
        return move if isinstance(move, str) else move[:1]

    def advance(self, state, moves, rng):
        ((agent, move),) = moves.items()
        if isinstance(move, str):
            return self._say(state, agent, move)
        return self._work(state, agent, move)

    def forfeit(self, state, agent, rng):
        verdict = {"reward": 0.0, **self._fidelity(state, "forfeit", 0.0)}
        return replace(state, ended="forfeit", verdict=Frozen(verdict))

    def _say(self, state, agent, text):
        talk = (*state.talk, Said(agent, text))
        state = replace(state, talk=talk, floor="assistant" if agent == "user" else "user")
        if agent == "user" and STOP in text and (len(talk) > 1 or not self.strict):
            return self._over(state, "user")
        return self._over(state, "limit") if agent == "user" and self._spent(state) else state

    def _work(self, state, agent, calls):
        desk = self.base.desk(state.changes)
        done = list(state.calls)
        ended = ""
        for one in calls:
            if self.max_calls is not None and len(done) >= self.max_calls:
                ended = "limit"
                break
            answer = self._call(state.task, agent, desk, one)
            done.append(
                Call(one.name, one.arguments, replace_surrogates(answer), len(state.talk), agent)
            )
            if agent == "assistant" and one.name in self._terminates:
                ended = "transfer"
                break
        state = replace(state, calls=tuple(done), changes=desk.changes())
        if agent == "assistant" and not ended and self._spent(state):
            ended = "limit"
        return self._over(state, ended) if ended else state

    def _spent(self, state):
        """Return whether the assistant has taken all its steps."""
        if self.max_steps is None:
            return False
        assistant_turns = sum(one.who == "assistant" for one in state.talk)
        return assistant_turns + sum(one.by == "assistant" for one in state.calls) >= self.max_steps

    def _call(self, task, agent, desk, one):
        tools, arguments = self._tools[agent], one.arguments
        if self.strict and one.name not in tools:
            return f"Unknown action {one.name}"
        if agent == "user" and isinstance(arguments, dict):  # a user can operate its own phone only
            arguments = {**arguments, "user_id": task.user_id}
        return call(tools, self.domain, desk, one.name, arguments)

    def _over(self, state, how):
        verdict = self.judge(state.task, state.changes, state.talk)
        if how == "limit":
            verdict["reward"] = 0.0
        verdict |= self._fidelity(state, how, verdict["reward"])
        paid = {"assistant": verdict["reward"], "user": 0.0}
        values = {**verdict["user"], "task": verdict["reward"]}
        for name, weight in self.user_reward.items():
            share = 1.0 if name in ("fidelity", "told") else values["told"]
            paid["user"] += weight * share * values[name]
        return replace(state, ended=how, paid=Frozen(paid), verdict=Frozen(verdict))

    def _fidelity(self, state, how, reward):
        """Return how well the user kept to its task; see `fidelity.judge`."""
        task = state.task
        return fidelity.judge(task.instruction, state.talk, how, reward, self.wants(task))

    def judge(self, task, changes, talk):
        """Return the assistant's reward by the original's rule, and its parts."""
        assistant_texts = [
            text.lower().replace(",", "") for who, text in talk if who == "assistant"
        ]
        outputs = {
            one: any(one.lower() in text for text in assistant_texts) for one in task.outputs
        }
        match = self.base.same(changes, self.gold(task))
        reward = float(match and all(outputs.values()))
        return {"reward": reward, "db_match": match, "outputs": outputs}

    def gold(self, task):
        """Return the changes that the gold actions make, cached for each task."""
        gold = self._gold.get(task.index)
        if gold is None:
            desk = self.base.desk(NOTHING)
            tools = {**self._tools["assistant"], **self._tools["user"]}
            for name, arguments in task.actions:
                if name not in self._terminates:
                    call(tools, self.domain, desk, name, arguments)
            gold = desk.changes()
            if len(self._gold) > 10_000:  # the shop has too many tasks to cache them all
                self._gold.clear()
            self._gold[task.index] = gold
        return gold

    def wants(self, task):
        """Return the wishes and knowledge of a task's user in words, cached for each task."""
        wants = self._wants.get(task.index)
        if wants is None:
            desk = self.base.desk(NOTHING)
            tools = {**self._tools["assistant"], **self._tools["user"]}
            done = [
                (name, arguments)
                for name, arguments in task.actions
                if not call(tools, self.domain, desk, name, arguments).startswith("Error")
            ]
            if len(self._wants) > 10_000:
                self._wants.clear()
            wants = compiled.compiled(
                self.base.tables, task.user_id, task.instruction, done, bool(task.outputs)
            )
            self._wants[task.index] = wants
        return wants

    def report(self, state):
        verdict = state.verdict
        if not state.ended:  # stopped from outside by a limit
            verdict = {"reward": 0.0, **self._fidelity(state, "limit", 0.0)}
        report = {"ended": state.ended or "limit", "task": state.task.index, **verdict}
        if state.task.unjudged:
            report["unjudged"] = True
        if self.hashes:
            report["data_hash"] = self.base.sha256(state.changes)
            report["gold_hash"] = self.base.sha256(self.gold(state.task))
        return report

    def rules(self, agent):
        if agent == "user" and self._words:
            return self._words["prompt"].partition("\n")[0]  # the rest goes into the brief
        if agent == "user":
            kind = "airline" if self.domain == "airline" else "shop"
            return USER_RULES.format(domain=kind)
        return self.content.policy

    def brief(self, view, agent):
        if agent != "user":
            return ""
        task = view.task.instruction
        if self._words:
            return self._words["prompt"].partition("\n")[2].replace("{instruction}", task, 1)
        return f"Your task: {task}"

    def tools(self, agent):
        return self.content.schemas if agent == "assistant" else self.content.user_schemas

    def tell(self, before, moves, after):
        ((agent, move),) = moves.items()
        other = ("assistant",) if agent == "user" else ("user",)
        kind = VerbatimMessage if self.strict else Message
        if isinstance(move, str):
            return (kind(other, agent, move),)
        results = after.calls[len(before.calls) :]
        return tuple([kind((agent,), "tool", one.result) for one in results])

    def describe(self, view, agent):
        if not view.talk and agent == "user" and self._words:
            return self._words["greeting"]
        return transcript(view) or "Nothing was said yet; the user begins."

    def picture(self, view, agent):
        talk_turns = turns(view)
        if not talk_turns:  # an empty chat shows nothing
            return Terminal(self.describe(view, agent))
        return Chat(talk_turns, agent or "assistant", seats=self.agents)
