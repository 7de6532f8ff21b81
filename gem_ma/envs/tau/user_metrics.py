"""Metrics of users: traits shown, failures that users caused, and success with each assistant.

All metrics are found by rule in the messages, so models and rule-based users are measured alike.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gem_ma.apis.factory import make
from gem_ma.engine.action_parsing import strip_thinking
from gem_ma.envs.tau.agents.users.message_parsing import AssistantMessage
from gem_ma.envs.tau.agents.users.phrases import PHRASE_SETS, compile_phrases
from gem_ma.envs.tau.agents.users.traits import TRAITS
from gem_ma.envs.tau.fidelity import judge, nearly
from gem_ma.envs.tau.wants.compiled import Wants
from gem_ma.evaluation.statistics import IntervalEstimate, estimate_rate
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.rollout import rollout
from gem_ma.validation.json_types import JSONMapping, JSONObject

SUCCESS = 0.999  # minimum reward of a success
_FORGOT = re.compile(
    r"\b(?:do not|don't|cannot|can't|couldn't) (?:remember|recall)|\bforgot\b|slipped my mind", re.I
)
_WHY = re.compile(
    r"why do you need|what do you need|really have to know|who wants to know|why should i"
    r"|why (?:is|are) (?:that|it)",
    re.I,
)
_POLITE = re.compile(r"\bthank|\bappreciat|\bgrateful|kind of you|very helpful|\bcheers\b", re.I)
_WORD = re.compile(r"[a-z]{4,}")
_TOKEN = re.compile(r"[\w@.+-]++")
_STOP = re.compile(r"###[A-Z-]+###")


class Shown(NamedTuple):
    """How often a trait could have shown, and how often it did."""

    chances: int = 0
    times: int = 0

    def __add__(self, other: Any) -> Shown:
        return Shown(self.chances + other.chances, self.times + other.times)

    @property
    def share(self) -> float:
        """The share of chances at which the trait showed; 0 without a chance."""
        return self.times / self.chances if self.chances else 0.0


class Talk(NamedTuple):
    """The messages of a user in an episode, and the message that it had heard before each."""

    said: tuple[str, ...]
    heard: tuple[str, ...]


def talk_of(episode: Episode) -> Talk:
    """Return the messages of an episode, without tool calls."""
    user_texts: list[str] = []
    assistant_texts: list[str] = []
    last = ""
    for step in episode.steps:
        reply = strip_thinking(step.reply or "")
        if getattr(step.reply, "tool_calls", None) or _is_call(reply):
            continue
        if step.agent == "user":
            assistant_texts.append(last)
            user_texts.append(_STOP.sub("", reply).strip())
        else:
            last = reply
    return Talk(tuple(user_texts), tuple(assistant_texts))


def _is_call(reply: str) -> bool:
    return reply.lstrip()[:1] in ("{", "[") and '"name"' in reply


def traits_shown(talk: Talk, wants: Wants) -> dict[str, Shown]:
    """Return how often each trait could have shown in a conversation, and how often it did."""
    trait_counts = dict.fromkeys(TRAITS, Shown())
    words = _vocabulary(talk, wants)
    earlier_texts: list[str] = []
    earlier_requests: set[str] = set()
    for text, before in zip(talk.said, talk.heard, strict=True):
        if not text:
            continue
        message = AssistantMessage(before)
        trait_counts["polite"] += Shown(1, bool(_POLITE.search(text)))
        trait_counts["off_topic"] += Shown(1, bool(compile_phrases("aside").search(text)))
        if any(_WORD.findall(_without(text, _facts(wants)))):
            trait_counts["typos"] += Shown(1, _misspelt(text, words))
        new = message.requests - earlier_requests
        held = {name: fact for name, fact in _answers(wants, message).items() if name in new}
        if held and earlier_texts:
            if not any(fact in one for fact in held.values() for one in earlier_texts):
                trait_counts["forgetful"] += Shown(1, bool(_FORGOT.search(text)))
                trait_counts["suspicious"] += Shown(1, bool(_WHY.search(text)))
            earlier_requests |= set(held)
            trait_counts["talkative"] += _volunteered(text, earlier_texts, wants, message)
        earlier_texts.append(text)
    trait_counts["mistaken"] = _mistaken(talk, wants)
    trait_counts["vague"], trait_counts["chaotic"] = _wishes(talk, wants)
    left = bool(talk.said) and bool(compile_phrases("leave").search(talk.said[-1]))
    trait_counts["impatient"] = Shown(1, left)
    return trait_counts


def _facts(wants: Wants) -> list[str]:
    facts = [*wants.known.values(), *wants.questions, *wants.demands]
    for wish in wants.wishes:
        facts += [wish.about, wish.brief, *wish.answers.values()]
    return facts


def _without(text: str, facts: Sequence[str]) -> str:
    for fact in sorted(facts, key=len, reverse=True):
        text = text.replace(fact, " ")
    return text


def _vocabulary(talk: Talk, wants: Wants) -> frozenset[str]:
    texts = [phrase for ways in PHRASE_SETS.values() for all in ways.values() for phrase in all]
    texts += [*_facts(wants), *talk.heard]
    return frozenset(word for text in texts for word in _WORD.findall(text.lower()))


def _misspelt(said: str, words: frozenset[str]) -> bool:
    """Return whether swapping two adjacent letters of an unknown word makes it a known word."""
    return any(
        word not in words
        and any(
            word[:n] + word[n + 1] + word[n] + word[n + 2 :] in words for n in range(len(word) - 1)
        )
        for word in _WORD.findall(said.lower())
    )


def _answers(wants: Wants, heard: AssistantMessage) -> dict[str, str]:
    """Return the user's facts that answer the questions of a message."""
    answers = {name: wants.known[name] for name in heard.who if name in wants.known}
    for wish in wants.wishes:
        answers |= {name: wish.answers[name] for name in heard.about if name in wish.answers}
    answers.pop("name", None)  # a name is never withheld
    return answers


def _volunteered(said: str, told: Sequence[str], wants: Wants, heard: AssistantMessage) -> Shown:
    """Return whether an answer about a wish also told a fact that was not asked for."""
    chances = times = 0
    for wish in wants.wishes:
        mine = [one for name, one in wish.answers.items() if name in heard.about and one in said]
        more = [
            one
            for name, one in wish.answers.items()
            if name not in heard.about and one not in mine and not any(one in it for it in told)
        ]
        if mine and more:
            chances, times = 1, times or int(any(one in said for one in more))
    return Shown(chances, times)


def _mistaken(talk: Talk, wants: Wants) -> Shown:
    chances = times = 0
    for name, fact in wants.known.items():
        if name not in ("zip", "email", "user", "phone"):
            continue
        for text in talk.said:
            tokens = [one.strip(".-") for one in _TOKEN.findall(text)]
            slip = any(nearly(fact.lower(), one.lower()) for one in tokens)
            if slip or fact in text:
                chances, times = chances + 1, times + slip
                break
    return Shown(chances, times)


def _wishes(talk: Talk, wants: Wants) -> tuple[Shown, Shown]:
    """Return how often wishes were told vaguely, and whether several were told at once."""
    vague = Shown()
    first = []
    for wish in wants.wishes:
        for place, text in enumerate(talk.said):
            whole = wish.about in text
            if whole or any(f"{wish.brief}{mark}" in text for mark in ".?!"):
                first.append(place)
                if wish.about != wish.brief:
                    vague += Shown(1, not whole)
                break
    chaotic = Shown(1, first.count(0) > 1) if len(first) > 1 else Shown()
    return vague, chaotic


class Row(NamedTuple):
    """The results of one assistant with one user."""

    user: str
    assistant: str
    success: IntervalEstimate
    faults: IntervalEstimate  # share of all episodes that failed by the user's fault
    contradictions: int  # facts that were wrong and not corrected, or invented
    turns: float
    shown: Mapping[str, Shown]


@dataclass(frozen=True)
class Report:
    """Success of assistants with users, and the traits of the users."""

    env: str
    episodes: int  # per pair
    rows: tuple[Row, ...]

    @property
    def agreement(self) -> Mapping[str, float]:
        """Agreement of each user's ranking of the assistants with the ranking by mean success.

        The value is Spearman's rho. Users with equal success for all assistants are left out.
        """
        users = list(dict.fromkeys(row.user for row in self.rows))
        assistants = list(dict.fromkeys(row.assistant for row in self.rows))
        by = {(row.user, row.assistant): row.success.value for row in self.rows}
        mean = [sum(by[user, one] for user in users) / len(users) for one in assistants]
        agreement = {user: _spearman([by[user, one] for one in assistants], mean) for user in users}
        return {user: rho for user, rho in agreement.items() if rho is not None}

    def to_json(self) -> JSONObject:
        rows = [
            {
                **row._asdict(),
                "success": row.success._asdict(),
                "faults": row.faults._asdict(),
                "shown": {name: one._asdict() for name, one in row.shown.items() if one.chances},
            }
            for row in self.rows
        ]
        return {
            "env": self.env,
            "episodes": self.episodes,
            "rows": rows,
            "agreement": dict(self.agreement),
        }

    def __str__(self) -> str:
        lines = [f"{self.env}: {self.episodes} episodes of each pair"]
        wide = max([len(row.user) for row in self.rows] + [4])
        other = max([len(row.assistant) for row in self.rows] + [9])
        head = (
            f"{'user':{wide}}  {'assistant':{other}}  success              the user's fault  turns"
        )
        lines.append(f"{head}  shown")
        for row in self.rows:
            good, bad = row.success, row.faults
            trait_shares = ", ".join(
                f"{name} {one.share:.2f}" for name, one in row.shown.items() if one.times
            )
            lines.append(
                f"{row.user:{wide}}  {row.assistant:{other}}  "
                f"{good.value:.3f} [{good.low:.3f}, {good.high:.3f}]  "
                f"{bad.value:.3f} [{bad.low:.3f}, {bad.high:.3f}]  {row.turns:5.1f}  "
                f"{trait_shares or '-'}"
            )
        for user, rho in self.agreement.items():
            lines.append(f"{user}: ranks the assistants as all do: {rho:.2f}")
        return "\n".join(lines)


def measure_users(
    env: str,
    users: Sequence[str],
    assistants: Sequence[str] = ("informed-assistant",),
    episodes: int = 100,
    seed: int = 0,
    **arguments: Any,
) -> Report:
    """Play every assistant with every user; report success rates and the users' traits.

    Args:
        env: an id of `tau:` or `tau2:`. All pairs get the same tasks, the first ones of the split.
        **arguments: arguments of `make`.
    """
    if episodes < 1:
        raise ValueError(f"episodes={episodes}: expected 1 or more")
    game = make(env, **arguments).game
    if not hasattr(game, "wants"):
        raise ValueError(f"{env} has no user with a task; use an environment of tau: or tau2:")
    many = getattr(game, "ids", None) or getattr(getattr(game, "content", None), "tasks", ())
    options = [{"task": place % len(many) if many else place} for place in range(episodes)]
    rows = []
    for user in users:
        for assistant in assistants:
            agents = {"user": user, "assistant": assistant}
            played_episodes = rollout(
                env, agents, episodes, seed=seed, options=options, **arguments
            )
            rows.append(row_of(user, assistant, played_episodes, game))
    return Report(env, episodes, tuple(rows))


def row_of(user: str, assistant: str, episodes: Sequence[Episode], game: Any) -> Row:
    """Return the results of one assistant with one user; episodes that failed do not count."""
    failures = [episode.failure for episode in episodes if episode.failure is not None]
    if len(failures) == len(episodes):
        raise ValueError(
            f"all {len(episodes)} episodes of {user} with {assistant} failed, the first by "
            f"{failures[0].kind}: {failures[0].message}"
            if failures
            else "there are no episodes"
        )
    episodes = [episode for episode in episodes if episode.failure is None]
    trait_counts = dict.fromkeys(TRAITS, Shown())
    good, faults, wrong, turns = [], [], 0, 0
    for episode in episodes:
        report = episode.report
        task = game.task(report["task"])
        talk = talk_of(episode)
        for name, one in traits_shown(talk, game.wants(task)).items():
            trait_counts[name] += one
        solved = report.get("reward", 0.0) >= SUCCESS
        verdict = _judged(report, task, talk, solved, game.wants(task))
        good.append(float(solved))
        faults.append(float(verdict["user_fault"] and not solved))
        wrong += sum(one.startswith(("invented", "said the")) for one in verdict["user_errors"])
        turns += len(episode.steps)
    ones = [1.0] * len(good)
    return Row(
        user,
        assistant,
        estimate_rate(good, ones),
        estimate_rate(faults, ones),
        wrong,
        turns / len(good),
        trait_counts,
    )


def _judged(report: JSONMapping, task: Any, talk: Talk, solved: bool, wants: Wants) -> JSONMapping:
    """Return whose fault a failure was, from the report or else by `fidelity.judge`."""
    if "user_fault" in report:
        return report
    lines = []
    for user_text, assistant_text in zip(talk.said, talk.heard, strict=True):
        lines += [("assistant", assistant_text), ("user", user_text)]
    return judge(task.scenario, lines, report["ended"], float(solved), wants)


def _spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the rank correlation of two lists, or None if all values of a list are equal."""
    a, b = _ranks(one), _ranks(other)
    mean = sum(a) / len(a)
    over = sum((x - mean) * (y - mean) for x, y in zip(a, b, strict=True))
    under = sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)
    return over / under**0.5 if under else None


def _ranks(values: Sequence[float]) -> list[float]:
    return [
        sum(other < one for other in values) + (sum(other == one for other in values) - 1) / 2
        for one in values
    ]
