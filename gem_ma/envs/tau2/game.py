"""tau2-bench: a user and an assistant talk, and each has tools over a world of its own."""

from __future__ import annotations

import functools
import importlib
import inspect
import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from gem_ma.engine.action_parsing import replace_surrogates
from gem_ma.envs.tau.fidelity import share_told
from gem_ma.envs.tau.store import NOTHING, Changes, Frozen, copied
from gem_ma.envs.tau.talk import Call, Said, read_reply, transcript, turns
from gem_ma.envs.tau.wants import compiled
from gem_ma.envs.tau2 import scoring, words
from gem_ma.envs.tau2.domain import TASK_DOCUMENTS, Domain, Task, folder
from gem_ma.envs.tau2.schemas import schema
from gem_ma.game import Game, InvalidMove, Maybe, Message, VerbatimMessage
from gem_ma.scene import Chat, Panels, Terminal
from gem_ma.validation.json_types import JSONMapping
from gem_ma.validation.untrusted_json import parse_json

USER, ASSISTANT, JUDGE = "user", "assistant", "judge"
STOPS = ("###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###")
DONE = "done"  # the tool by which an assistant without a user ends
LONGEST = 4000  # maximum number of characters of a message
PHONE_SHARE = 0.45  # of the width of a user's picture that its phone takes
MOST_CALLS = 20  # in a reply, where tools may take seconds
STEPS, ERRORS = 200, 10  # limits of an episode in the original
DOMAINS = {  # module and class of each domain
    "mock": ("gem_ma.envs.tau2.mock", "Mock"),
    "phone": ("gem_ma.envs.tau2.telecom.phone", "Phone"),
    "telecom": ("gem_ma.envs.tau2.telecom.company", "Telecom"),
    "retail": ("gem_ma.envs.tau2.retail", "Retail"),
    "airline": ("gem_ma.envs.tau2.airline", "Airline"),
    "banking": ("gem_ma.envs.tau2.banking.bank", "Banking"),
}
STRICT = {"format": "verbatim", "invalid": "lose", "text_length": 1 << 22}


def load(name: str, arguments: tuple[tuple[str, object], ...] = ()) -> Domain:
    """Return a domain; each process reads its files once."""
    if name not in DOMAINS:
        raise ValueError(f"no domain {name!r}; there are {', '.join(DOMAINS)}")
    return _load(folder(), name, arguments)


@functools.lru_cache(maxsize=16)
def _load(top: Path, name: str, arguments: tuple[tuple[str, object], ...]) -> Domain:
    module, class_name = DOMAINS[name]
    kind: type[Domain] = getattr(importlib.import_module(module), class_name)
    takes = inspect.signature(kind).parameters
    strange = [argument for argument, _ in arguments if argument not in takes]
    if strange:
        known = ", ".join(takes) or "no arguments of its own"
        raise ValueError(f"domain {name!r} does not take {', '.join(strange)}; it takes {known}")
    return kind(**dict(arguments))


class Verdicts(NamedTuple):
    """The answers of a judge, one for each statement."""

    met: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class State:
    task: Maybe[Task]  # the user sees its scenario, the assistant sees nothing
    talk: tuple[Said, ...] = ()
    calls: tuple[Call, ...] = ()  # each seat sees its own
    changes: Changes = field(default=NOTHING, repr=False)
    floor: str = USER
    ended: str = ""  # by "user", "done", "forfeit", "limit", "errors" or "message"
    steps: int = 0
    errors: int = 0  # calls that failed
    judged: tuple[bool, ...] | None = None
    documents: tuple[str, ...] | None = None  # in the prompt of the assistant, if it has a place
    paid: Frozen[str, float] = NOTHING
    verdict: Frozen[str, Any] = NOTHING

    def to_act(self):
        return (self.floor,) if self.floor else ()

    def returns(self):
        return self.paid

    def seen_by(self, agent):
        task = self.task
        if agent == USER:
            task = Task(task.id, task.scenario, user_tools=task.user_tools)
        elif agent == JUDGE:
            task = Task("", "", judged=task.judged)
        else:  # an assistant sees the ticket if there is no user
            task = Task("", "", ticket=task.ticket) if USER not in self.paid else None
        calls = tuple([one for one in self.calls if one.by == agent])
        documents = self.documents if agent == ASSISTANT else None
        return State(
            task,
            self.talk,
            calls,
            NOTHING,
            self.floor,
            self.ended,
            documents=documents,
            paid=self.paid,
        )

    def legal(self, agent):
        """Return a sample of legal replies, enough for random play, menus and tests."""
        if agent == JUDGE:
            return tuple([json.dumps([met] * len(self.task.judged)) for met in (True, False)])
        if USER not in self.paid:
            return (*CALLS, _call(DONE))
        if agent == ASSISTANT:
            return ("How can I help you?", "Could you tell me more?", *CALLS)
        return (*SMALL_TALK, STOPS[0]) if self.calls or len(self.talk) > 1 else SMALL_TALK


def _call(name: str, **arguments: object) -> str:
    return json.dumps({"name": name, "arguments": arguments})


SMALL_TALK = ("Hello, I need some help.", "Yes, please.", "No.", _call("check_status_bar"))
CALLS = (
    _call("get_users"),
    _call("get_details_by_id", id="L1001"),
    _call("transfer_to_human_agents", summary="I cannot help."),
)


class Tau2(Game[State]):
    """A domain of tau2-bench, or the phone company of this package.

    Args:
        domain: "mock" and "phone", which need no data, "telecom", "retail", "airline" or "banking".
        split: "base", "train", "test", "small" or "full", if the domain has it.
        solo: play without a user: the assistant has a ticket and both seats' tools, and calls
            `done`.
        strict: use the original's prompts, which `gem-ma data tau2-bench` fetches, and its limits
            of steps and errors. A reply that the original could not read ends the episode.
        max_steps: maximum number of messages and rounds of calls; the episode then fails. None
            means no limit, or with `strict` the original's 200.
        max_errors: maximum number of failed calls; the episode then fails. None means no limit, or
            with `strict` the original's 10.
        judge: add a third seat, which decides at the end what the original leaves to a model.
            Without it, that part is left out of the reward, and the report lists it in
            `not_judged`.
        hashes: add the original's hashes of both databases to the report.
        original: for mock: play tau2-bench's own data in place of this package's.
        policy: for telecom: "manual" or "workflow".
        retrieval: for banking: how the assistant reaches the documents: "no_knowledge", "search",
            "grep_only", "bm25_grep", "full_kb", "golden_retrieval", "alltools" or "terminal_use".
        world: for phone: seed of its customers and tasks.
        faults: for phone: how many things are wrong at once: a number, or a pair of least and most.
        lines: for phone: number of lines of each customer.
        misleading: for phone: how many things look odd but are harmless.
        infeasible: for phone: probability that something cannot be mended, so that the right
            answer is to hand the user over.
    """

    agents: tuple[str, ...] = (USER, ASSISTANT)  # depends on the arguments
    conversation = True
    oracle = True
    reset_options = ("task",)
    env_defaults: JSONMapping = MappingProxyType({"format": "bare", "max_turns": 400})

    def __init__(
        self,
        domain="mock",
        split="base",
        solo=False,
        strict=False,
        judge=False,
        max_steps=None,
        max_errors=None,
        hashes=False,
        original=None,
        policy=None,
        retrieval=None,
        world=None,
        faults=None,
        lines=None,
        misleading=None,
        infeasible=None,
    ):
        own = {
            "original": original,
            "policy": policy,
            "retrieval": retrieval,
            "world": world,
            "faults": tuple(faults) if isinstance(faults, list) else faults,
            "lines": lines,
            "misleading": misleading,
            "infeasible": infeasible,
        }
        arguments = {name: value for name, value in own.items() if value is not None}
        self.domain = load(domain, tuple(arguments.items()))
        self.solo, self.strict, self.judge, self.hashes = solo, strict, judge, hashes
        self.max_steps = STEPS if strict and max_steps is None else max_steps
        self.max_errors = ERRORS if strict and max_errors is None else max_errors
        self.words = words.original(self.domain, solo) if strict else words.OURS
        self.agents = (ASSISTANT,) if solo else (USER, ASSISTANT)
        if judge:
            self.agents = (*self.agents, JUDGE)
        self.blocking = self.domain.blocking
        defaults = STRICT if strict else self.env_defaults
        self.env_defaults = {**defaults, **self.domain.env_defaults}
        self.unpaid = Frozen(dict.fromkeys(self.agents, 0.0))
        self._wants: dict[str, compiled.Wants] = {}
        if solo and not self.domain.solo:
            raise ValueError(
                f"solo=True, domain={domain!r}: expected domain 'mock', 'phone' or 'telecom'"
            )
        self.ids = self.domain.ids(split)
        if solo and self.ids is not None:
            self.ids = tuple([one for one in self.ids if self.domain.tasks[one].alone])

    def start(self, rng, options):
        task = self._chosen(rng, options.get("task"))
        changes = scoring.begun(self.domain, task, self.solo)
        talk = [Said(ASSISTANT, self.words.greeting)] if not self.solo else []
        calls: list[Call] = []
        floor = ASSISTANT if self.solo else USER
        if task.history:
            talk = []
            world = self.domain.world(
                scoring.begin(self.domain, replace(task, history=()), self.solo)
            )
            for line in task.history:
                floor = line.seat
                if line.call is None:
                    talk.append(Said(line.seat, line.text))
                    floor = USER if line.seat == ASSISTANT else ASSISTANT
                else:
                    name, arguments = line.call.name, line.call.arguments
                    result, _ = world.call(line.seat, name, arguments)
                    calls.append(Call(name, arguments, result, len(talk), line.seat))
        documents = self.domain.select_documents(task)
        return State(
            task,
            tuple(talk),
            tuple(calls),
            changes,
            floor,
            documents=documents,
            paid=self.unpaid,
        )

    def _chosen(self, rng, id_or_index):
        """Return the requested task, by id or by position, or a random one."""
        if self.ids is None:  # any number makes a task
            number = int(rng.integers(1 << 31)) if id_or_index is None else id_or_index
            return self.domain.task(number)
        if id_or_index is None:
            id_or_index = int(rng.integers(len(self.ids)))
        if isinstance(id_or_index, str) and id_or_index in self.domain.tasks:
            return self.domain.tasks[id_or_index]
        if not isinstance(id_or_index, int) or not 0 <= id_or_index < len(self.ids):
            raise ValueError(
                f"task={id_or_index!r}: expected 0 to {len(self.ids) - 1}, or an id such as "
                f"{self.ids[0]!r}"
            )
        return self.domain.tasks[self.ids[id_or_index]]

    def task(self, name):
        """Return the task with this name, which reports contain."""
        if self.ids is None:
            return self.domain.task(int(name))
        return self.domain.tasks[name]

    def read(self, text, view, agent):
        if agent == JUDGE:
            return _verdicts(text, len(view.task.judged))
        if not text and not self.strict:
            raise InvalidMove("an empty message")
        move = read_reply(text, self.strict) if self._has_tools(agent) else text
        if isinstance(move, str) and self.solo:
            raise InvalidMove(
                f"there is nobody to talk to: call a tool, or {DONE} when all is done"
            )
        if isinstance(move, str) and len(move) > LONGEST and not self.strict:
            raise InvalidMove(f"a message has at most {LONGEST} characters, and not {len(move)}")
        if self.blocking and not isinstance(move, str) and len(move) > MOST_CALLS:
            raise InvalidMove(f"a reply has at most {MOST_CALLS} calls, and not {len(move)}")
        return move

    def _has_tools(self, agent):
        return self.solo or agent in self.domain.kits

    def advance(self, state, moves, rng):
        ((agent, move),) = moves.items()
        if isinstance(move, Verdicts):
            return self._over(replace(state, judged=move.met), state.ended)
        if isinstance(move, str):
            return self._say(state, agent, move)
        return self._work(state, agent, move)

    def forfeit(self, state, agent, rng):
        if agent == JUDGE:  # the judged part is left out of the reward
            return self._over(state, state.ended, asked=True) if state.ended else state
        if self.judge and not state.ended:  # a game of three seats continues: the judge is next
            return replace(state, ended="forfeit", floor=JUDGE)
        return self._over(state, "forfeit")

    def _say(self, state, agent, text):
        other = ASSISTANT if agent == USER else USER
        state = replace(
            state, talk=(*state.talk, Said(agent, text)), floor=other, steps=state.steps + 1
        )
        if self.strict and not text:
            return self._over(state, "message")
        ended = "user" if agent == USER and any(one in text for one in STOPS) else ""
        return self._checked(state, ended)

    def _work(self, state, agent, calls):
        if self.solo and any(one.name == DONE for one in calls):
            return self._checked(replace(state, steps=state.steps + 1), "done")
        world = self.domain.world(state.changes, self.solo)
        done, errors = list(state.calls), state.errors
        for one in calls:
            result, failed = world.call(agent, one.name, one.arguments)
            done.append(
                Call(one.name, one.arguments, replace_surrogates(result), len(state.talk), agent)
            )
            errors += failed
        state = replace(
            state,
            calls=tuple(done),
            changes=world.changes(),
            steps=state.steps + 2,  # the original counts the answer as a step
            errors=errors,
        )
        return self._checked(state, "")

    def _checked(self, state, ended):
        """Return the state, ended if a limit is reached; as in the original, limits come last."""
        if self.max_steps is not None and state.steps >= self.max_steps:
            ended = "limit"
        if self.max_errors is not None and state.errors >= self.max_errors:
            ended = "errors"
        return self._over(state, ended) if ended else state

    def _over(self, state, how, asked=False):
        task = state.task
        good = how in ("user", "done")
        undecided = "NL_ASSERTION" in task.basis and task.judged and state.judged is None
        if self.judge and good and undecided and not asked:
            return replace(state, ended=how, floor=JUDGE)
        gold_changes = scoring.wanted(self.domain, task)
        calls = [(one.by, one.name, one.arguments) for one in state.calls]
        assistant_texts = [text for who, text in state.talk if who == ASSISTANT]
        verdict = scoring.judge(
            self.domain, task, gold_changes, state.changes, calls, assistant_texts, state.judged
        )
        if not good:
            verdict["reward"] = 0.0
        paid = dict.fromkeys(self.agents, verdict["reward"])
        if not self.solo:  # a user earns only what it asked for
            before = sum(line.call is None for line in task.history)
            verdict["told"] = share_told(self.wants(task), state.talk[before:])
            paid[USER] *= verdict["told"]
        return replace(state, ended=how, floor="", paid=Frozen(paid), verdict=Frozen(verdict))

    def wants(self, task):
        """Return the wishes and knowledge of a task's user in words, cached for each task."""
        wants = self._wants.get(task.id)
        if wants is None:
            world = self.domain.world(scoring.begun(self.domain, task))
            done = [
                (one.name, one.arguments)
                for one in task.actions or ()
                if not world.call(one.seat, one.name, one.arguments)[1]
            ]
            wants = compiled.compiled(
                self.domain.base.tables, "", task.scenario, done, bool(task.communicate)
            )
            if len(self._wants) > 10_000:
                self._wants.clear()
            self._wants[task.id] = wants
        return wants

    def report(self, state):
        if not state.verdict:  # stopped from outside by a limit
            state = self._over(state, "limit", asked=True)
        task = state.task
        report = {"ended": state.ended, "task": task.id, **state.verdict}
        if self.domain.version:
            report["data"] = self.domain.version
        if not report["reward"]:
            gold_changes = scoring.wanted(self.domain, task)
            calls = [(one.by, one.name, one.arguments) for one in state.calls]
            report["diagnosis"] = scoring.diagnosis(
                self.domain, task, gold_changes, state.changes, calls, state.ended
            )
        if self.hashes:
            base = self.domain.base
            for seat in self.domain.kits:
                side = seat if seat in base.sides else ASSISTANT
                report[f"{seat}_hash"] = base.hash_of(side, state.changes)
        return copied(report)  # shares no records with the database

    def rules(self, agent):
        if agent == JUDGE:
            return words.JUDGE
        if agent == USER:
            return self.words.user_tools if self._has_tools(USER) else self.words.user
        return self._prompt[0]

    @functools.cached_property
    def _prompt(self):
        """The assistant's prompt: the part before the documents of a task, and the rest."""
        policy = self.domain.policy(self.solo)
        prompt = self.words.alone(policy) if self.solo else self.words.assistant(policy)
        before, mark, after = prompt.partition(TASK_DOCUMENTS)
        if not mark:
            return prompt, ""
        rules, _, line = before.rpartition("\n")
        return rules, f"{line}{mark}{after}"

    def brief(self, view, agent):
        if agent == JUDGE:
            return "\n".join(f"{n}. {one}" for n, one in enumerate(view.task.judged, 1))
        if agent == USER:
            scenario = self.words.scenario(view.task.scenario)
            mine = view.task.user_tools
            return (
                scenario
                if mine is None
                else f"{scenario}\nYour tools: {', '.join(mine) or 'none'}."
            )
        if self.solo:
            return self.words.ticket(view.task.ticket)
        if view.documents is None:
            return ""
        documents = self.domain.quote_documents(view.documents)
        return self._prompt[1].replace(TASK_DOCUMENTS, documents)

    def tools(self, agent):
        if agent == JUDGE:
            return ()
        kits = self.domain.kits
        seats = [seat for seat in kits if self.solo or seat == agent]
        schemas = [
            self.words.tool(seat, name) or schema(name, method)
            for seat in seats
            for name, method in kits[seat].listed.items()
        ]
        return (*schemas, DONE_SCHEMA) if self.solo else tuple(schemas)

    def tell(self, before, moves, after):
        ((agent, move),) = moves.items()
        if isinstance(move, Verdicts):
            return ()
        kind = VerbatimMessage if self.strict else Message
        messages = []
        if isinstance(move, str):
            messages = [kind((ASSISTANT if agent == USER else USER,), agent, move)]
        else:
            results = after.calls[len(before.calls) :]
            messages = [kind((agent,), "tool", one.result) for one in results]
        if after.floor == JUDGE:
            messages.append(Message((JUDGE,), "game", transcript(after)))
        return tuple(messages)

    def describe(self, view, agent):
        if self.strict and agent == USER and len(view.talk) == 1 and not view.calls:
            return view.talk[0].text
        return transcript(view) or "Nothing was said or done yet."

    def picture(self, view, agent):
        talk_turns = turns(view)
        if not talk_turns:  # an empty chat shows nothing
            return Terminal(self.describe(view, agent))
        talk = Chat(talk_turns, agent or ASSISTANT, seats=self.agents)
        device = self.domain.picture_device(view.calls) if agent == USER else None
        if device is None:
            return talk
        return Panels((("", device), ("", talk)), shares=(PHONE_SHARE, 1 - PHONE_SHARE))


DONE_SCHEMA = {
    "type": "function",
    "function": {
        "name": DONE,
        "description": "Say that the ticket is solved, and end.",
        "parameters": {"type": "object", "properties": {}, "required": []},
    },
}


def _verdicts(text: str, many: int) -> Verdicts:
    try:
        data = parse_json(text)
    except ValueError:
        data = None
    if (
        not isinstance(data, list)
        or len(data) != many
        or not all(isinstance(one, bool) for one in data)
    ):
        raise InvalidMove(f"expected a JSON list of {many} times true or false")
    return Verdicts(tuple(data))
