"""Rule-based agents for the user's seat: one kind of user, or another kind in each episode."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from gem_ma.chat.turn import Turn
from gem_ma.envs.tau.agents.users.phone_actions import (
    SHOP_ACTIONS,
    find_requests,
    trace_requests,
)
from gem_ma.envs.tau.agents.users.phrases import PHRASE_SETS
from gem_ma.envs.tau.agents.users.telecom_simulator import (
    TelecomUserSimulator,
    find_requested_call,
    list_tools_called,
)
from gem_ma.envs.tau.agents.users.traits import (
    KINDS,
    POPULATIONS,
    TRAITS,
    TraitSampler,
    resolve_traits,
)
from gem_ma.envs.tau.agents.users.user_simulator import UserSimulator
from gem_ma.envs.tau.talk import TalkView
from gem_ma.envs.tau.wants.compiled import Wants
from gem_ma.validation.arguments import check_each, check_type

# Texts around the task in the prompts of this package and of the original.
_TASK_MARKS = (("Your task: ", ""), ("\n\nInstruction: ", "\n\nRules:\n"), ("Instructions:\n", ""))
_LOGIN_CODE = re.compile(r"code is (\d{6})")


class RuleUser:
    """Play the user by rule: tell wishes, answer questions, confirm changes, and end.

    The wishes and knowledge are compiled from the task (`Game.wants`). Without access to the game,
    such as over a connection, the user tells the sentences of its instruction one after the other.
    Each trait is a frequency from 0 to 1.

    Args:
        kind: kind of user, whose traits the other arguments override; see
            `gem_ma.envs.tau.agents.users.traits.KINDS`.
        phrases: "train" or "held-out", two sets that share no phrase.
        seed: seed of random decisions, which also depend on the episode and the task.
    """

    portable = True
    seats = ("user",)

    def __init__(
        self,
        kind: str = "plain",
        phrases: str = "train",
        seed: int = 0,
        talkative: float | None = None,
        forgetful: float | None = None,
        mistaken: float | None = None,
        impatient: float | None = None,
        vague: float | None = None,
        chaotic: float | None = None,
        suspicious: float | None = None,
        polite: float | None = None,
        off_topic: float | None = None,
        typos: float | None = None,
        overclaiming: float | None = None,
        partial: float | None = None,
        evasive: float | None = None,
        questioning: float | None = None,
        reluctant: float | None = None,
        returning: float | None = None,
        fickle: float | None = None,
        misleading: float | None = None,
        irritable: float | None = None,
        terse: float | None = None,
        leaving: float | None = None,
    ):
        traits = {name: value for name, value in locals().items() if name in TRAITS}
        if phrases not in PHRASE_SETS:
            raise ValueError(f"phrases={phrases!r}: expected {' or '.join(map(repr, PHRASE_SETS))}")
        self.kind, self.phrases, self.seed = kind, phrases, seed
        self.traits = resolve_traits(kind, traits)

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._reply(turn) for turn in check_each(turns, Turn, "turns")]

    def _reply(self, turn: Turn) -> str:
        """Return the next message or tool call of the user."""
        ways = PHRASE_SETS[self.phrases]
        if turn.position is None or not hasattr(turn.position.state, "talk"):
            wants = _parse_rules(turn.rules)
            user_texts = [
                str(one["content"]) for one in turn.messages if one["role"] == "assistant"
            ]
            assistant_texts = [
                _extract_words(one["content"]) for one in turn.messages if one["role"] == "user"
            ]
            chance = TraitSampler(self.traits, self.seed, turn.episode, turn.rules)
            return UserSimulator(wants, user_texts, assistant_texts, chance, ways).reply()
        state = turn.position.state
        view = state.seen_by(turn.seat)
        call = find_requested_call(view)
        if call is not None:
            return call
        task = state.task
        number = getattr(task, "id", getattr(task, "index", ""))
        chance = TraitSampler(self.traits, self.seed, turn.episode, number)
        user_texts, assistant_texts = _split_sides(view.talk)
        if _has_tool(turn.tools, "check_status_bar"):
            return TelecomUserSimulator(view, user_texts, assistant_texts, chance, ways).reply()
        user = UserSimulator(
            turn.position.game.wants(task), user_texts, assistant_texts, chance, ways
        )
        if turn.tools:
            done = _use_phone(turn, view, user)
            if done is not None:
                return done
        return user.reply()

    def __repr__(self) -> str:
        more = {
            name: value
            for name, value in self.traits.items()
            if KINDS[self.kind].get(name) != value
        }
        parts = [repr(self.kind)] if self.kind != "plain" else []
        parts += [f"phrases={self.phrases!r}"] * (self.phrases != "train")
        parts += [f"seed={self.seed}"] * bool(self.seed)
        return f"RuleUser({', '.join([*parts, *(f'{name}={one}' for name, one in more.items())])})"


class UserPopulation:
    """Play the user as one of several rule-based kinds, chosen for each episode.

    Args:
        population: "train" with the phrases for training, "held-out" with the other phrases, or
            names of kinds joined by "+".
        phrases: "train" or "held-out". None means the set of the population.
    """

    portable = True
    seats = ("user",)

    def __init__(self, population: str = "train", phrases: str | None = None, seed: int = 0):
        check_type(population, str, "population", "a name")
        kinds = POPULATIONS.get(population) or tuple(population.split("+"))
        own = "held-out" if population == "held-out" else "train"
        self.population, self.seed = population, seed
        self.users = [RuleUser(kind, phrases or own, seed) for kind in kinds]

    def act(self, turns: list[Turn]) -> list[str]:
        return [self._pick_user(turn)._reply(turn) for turn in check_each(turns, Turn, "turns")]

    def _pick_user(self, turn: Turn) -> RuleUser:
        """Return the user that plays in the episode of a turn."""
        task = "" if turn.position is None else getattr(turn.position.state, "task", "")
        number = getattr(task, "id", getattr(task, "index", turn.rules))
        share = TraitSampler({}, self.seed, turn.episode, number).sample_number("kind")
        return self.users[int(share * len(self.users))]

    def __repr__(self) -> str:
        return f"UserPopulation({self.population!r}, seed={self.seed})"


def _has_tool(tools: Sequence[object], name: str) -> bool:
    return any(
        isinstance(one, dict) and one.get("function", {}).get("name") == name for one in tools
    )


def _split_sides(talk: Sequence[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """Return the user's messages, and the messages before each of them; "" before the first."""
    user_texts: list[str] = []
    assistant_texts: list[str] = []
    for who, text in talk:
        (user_texts if who == "user" else assistant_texts).append(text)
    if not (talk and talk[0][0] == "assistant"):
        assistant_texts.insert(0, "")
    return user_texts, assistant_texts


def _use_phone(turn: Turn, view: TalkView, user: UserSimulator) -> str | None:
    """Return a call that the assistant asks for on the shop's phone, its result, or None."""
    if turn.results:
        code = _LOGIN_CODE.findall(turn.results[-1])
        name, fact = ("login_code", code[-1]) if code else ("phone_says", turn.results[-1])
        user.facts.append(fact)
        return user.add_traits(user.say(name, fact))
    text = user.find_request()
    words = text.lower()
    tool = None
    if "restart" in words:
        tool = "restart_phone"
        requests = find_requests(text, SHOP_ACTIONS)
        calls = list_tools_called(view)[:-1]
        history = trace_requests(requests, user.heard[:-1], calls, SHOP_ACTIONS)
        delay = user.delay_actions(requests, history)
        if delay:
            return user.add_traits(delay)
    elif re.search(r"\bcode\b", words) and "zip code" not in words:
        tool = "read_inbox"
    elif re.search(r"(?:open|check|look at) (?:the|your) app", words):
        tool = "open_app"
    return None if tool is None else json.dumps({"name": tool, "arguments": {}})


_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]++\.[\w.]*\w")
_NAME = re.compile(r"(?:name is|You are) ([A-Z][\w'-]+ [A-Z][\w'-]+)")
_ZIP = re.compile(r"(?:zip(?: code)?(?: is)?|in) (\d{5})")
_USER = re.compile(r"user id is (\w+)")
_SENTENCE_BREAK = re.compile(
    r"(?<=[.;!?]) +(?=You(?:r name| are| want| would| ask)|Return|Cancel|For #W|Exchange|Modify)"
)
_FACT_PATTERNS = (("name", _NAME), ("email", _EMAIL), ("zip", _ZIP), ("user", _USER))


def _extract_words(content: str | Iterable[object]) -> str:
    """Return the text of a message, without its pictures."""
    parts = (content,) if isinstance(content, str) else content
    return "\n".join(part for part in parts if isinstance(part, str))


def _parse_rules(rules: str) -> Wants:
    """Return the identity and the wishes in a user's rules; each sentence is one wish."""
    marks = [
        (rules.find(before), before, after) for before, after in _TASK_MARKS if before in rules
    ]
    place, before, after = min(marks, default=(len(rules), "", ""))
    task = rules[place + len(before) :]
    task = task.partition(after)[0] if after else task
    parts = [part.strip() for part in _SENTENCE_BREAK.split(task.strip()) if part.strip()]
    mine = [p for p in parts if _NAME.search(p) or "email is" in p or p.startswith("You are")]
    who = " ".join(mine)
    known = {
        name: match[match.re.groups] for name, way in _FACT_PATTERNS if (match := way.search(who))
    }
    wishes = tuple([_put_in_first_person(part) for part in parts if part not in mine])
    return Wants(known, questions=wishes)


def _put_in_first_person(wish: str) -> str:
    """Return a wish in the first person."""
    wish = re.sub(r"^You ask", "I ask", wish)
    wish = re.sub(r"\b[Yy]ou(?= (?:want|would|paid|ordered|have))", "I", wish)
    wish = re.sub(r"\byour\b", "my", wish)
    return wish if wish.startswith("I ") else f"I want this: {wish}"
