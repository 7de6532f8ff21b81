"""A rule-based user that tells its wishes, answers questions and then ends the conversation.

It keeps no state, so a reply depends on the conversation and the seeds alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from gem_ma.envs.tau.agents.users.message_parsing import DONE_PATTERN, AssistantMessage
from gem_ma.envs.tau.agents.users.phone_actions import RequestHistory, UserAction
from gem_ma.envs.tau.agents.users.phrases import PhraseBook, compile_phrases, shorten_phrases
from gem_ma.envs.tau.agents.users.traits import TraitSampler
from gem_ma.envs.tau.wants.compiled import Wants
from gem_ma.envs.tau.wants.wish import Wish

STOP_MARK = "###STOP###"
MAX_MESSAGES = 80  # maximum messages of the user in a conversation
MAX_REPEATS = 4  # maximum repetitions of the same text
IDENTITY_FACTS = ("email", "user", "zip", "phone")  # facts that it may state wrongly
PAYMENT_SOURCES = ("PayPal", "gift card", "credit card", "certificate")
MAX_DELAYS = 2  # maximum replies in a row that delay the same fact or action
DELAYS = {  # traits that delay, in the order in which they show, and their phrases
    "suspicious": "why",
    "forgetful": "forgot",
    "overclaiming": "claim",
    "questioning": "ask_back",
    "reluctant": "refuse",
    "returning": "away",
    "evasive": "",  # another fact
}
_FACT_DELAYS = tuple([trait for trait in DELAYS if trait != "overclaiming"])
_CHECK_DELAYS = ("questioning", "returning", "evasive")  # nothing is changed or told
_CHANGE_DELAYS = ("overclaiming", "reluctant", *_CHECK_DELAYS)

_ORDER_NUMBER = re.compile(r"#W\d{7}")
LONG_WORD = re.compile(r"\b[a-z]{4,}\b")


class BaseUserSimulator:
    """The common part of rule-based users: phrases, and the effects of traits.

    Args:
        said: all messages of the user, in order.
        heard: all messages to the user, in order.

    Attributes:
        facts: texts that are never misspelt.
    """

    def __init__(
        self, said: Sequence[str], heard: Sequence[str], chance: TraitSampler, ways: PhraseBook
    ):
        self.said, self.heard = said, heard
        self.sampler = chance
        self.is_terse = chance.shows_trait("terse", len(said))
        self.phrases = shorten_phrases(ways) if self.is_terse else ways
        self.facts: list[str] = []

    def say(self, name: str, *facts: str) -> str:
        """Return a phrase with this name, chosen at random among its variants."""
        way = self.sampler.pick_phrase(self.phrases[name], name, *(facts or [len(self.said)]))
        return way.format(*facts) if facts else way

    def has_told(self, fact: str) -> bool:
        """Return whether the user has told a fact."""
        return any(fact in one for one in self.said)

    def is_out_of_patience(self) -> bool:
        """Return whether too many questions came since the last completed change."""
        question_count = 0
        if self.sampler.patience < len(self.heard):
            for one in self.heard[1:]:
                question_count = 0 if DONE_PATTERN.search(one) else question_count + ("?" in one)
        return question_count > self.sampler.patience

    def find_request(self) -> str:
        """Return the last message, or the one before if only that one asks for something.

        A user that said "one moment" goes on by itself when the assistant says that it waits.
        """
        if not self.heard or not self.said:
            return self.heard[-1] if self.heard else ""
        delayed = compile_phrases("ask_back", "refuse", "away", "waver").search(self.said[-1])
        return self.heard[-2 if delayed and not self.asks_something(self.heard[-1]) else -1]

    def asks_something(self, text: str) -> bool:
        """Return whether a message of the assistant asks for an answer."""
        message = AssistantMessage(text)
        return message.question or bool(message.requests)

    def withhold_facts(self, facts: Mapping[str, str]) -> str:
        """Return a reply that first withholds the facts, or "" if they are to be told."""
        new = {name: fact for name, fact in facts.items() if not self.has_told(fact)}
        if not new:
            return ""
        name = next(iter(new))
        delays = self._list_delays(_FACT_DELAYS, list(new), name, new[name])
        if not delays:
            return ""
        before = sum(bool(AssistantMessage(one).requests & set(new)) for one in self.heard[:-1])
        return delays[before] if before < len(delays) else ""

    def delay_actions(self, requests: Sequence[UserAction], history: RequestHistory) -> str:
        """Return a reply that first delays the requested actions, or "" if they are to be done."""
        changes = any(one.changes_phone for one in requests)
        tools = [one.tool for one in requests]
        traits = _CHANGE_DELAYS if changes else _CHECK_DELAYS
        delays = self._list_delays(traits, (), *tools, history.done)
        return delays[history.vain] if history.vain < len(delays) else ""

    def _list_delays(
        self, traits: Iterable[str], asked: Collection[str], *about: object
    ) -> list[str]:
        """Return the replies that delay what is asked for, one for each trait that shows."""
        shown = [one for one in traits if self.sampler.shows_trait(one, *about)]
        replies = [
            self.say(DELAYS[one]) if DELAYS[one] else self.find_other_fact(asked) for one in shown
        ]
        return list(filter(None, replies))[:MAX_DELAYS]

    def find_other_fact(self, asked: Collection[str]) -> str:
        """Return a statement that answers another question than those asked, or ""."""
        raise NotImplementedError

    def does_half(self, *asked: str) -> bool:
        """Return whether the user does half of what it is asked for."""
        return len(asked) > 1 and self.sampler.shows_trait("partial", *asked)

    def take_leave(self) -> str:
        """Return the message with which the user leaves now, or ""."""
        if self.is_out_of_patience():
            return f"{self.say('leave')} {STOP_MARK}"
        last = 1 + int(2 * self.sampler.sample_number("give up"))
        if len(self.said) < last or not self.sampler.shows_trait("leaving", "all"):
            return ""
        return f"{self.say('give_up')} {STOP_MARK}"

    def choose_fact(self, name: str, fact: str) -> str:
        """Return a fact, with a wrong digit if the user errs here."""
        wrong = self.misstate_fact(name, fact)
        return wrong if wrong and not self.has_told(wrong) and not self.has_told(fact) else fact

    def misstate_fact(self, name: str, fact: str) -> str:
        """Return a fact with a wrong digit, or "" if the user never errs about it."""
        digits = [place for place, one in enumerate(fact) if one.isdigit()]
        if (
            name not in IDENTITY_FACTS
            or not digits
            or not self.sampler.shows_trait("mistaken", name, fact)
        ):
            return ""
        # A number of the same person may differ from a phone number in a digit at its end.
        digits = digits[:3] if name == "phone" else digits
        place = digits[int(self.sampler.sample_number("digit", fact) * len(digits))]
        other = (int(fact[place]) + 1 + int(self.sampler.sample_number("other", fact) * 9)) % 10
        return f"{fact[:place]}{other}{fact[place + 1 :]}"

    def has_erred(self, known: Mapping[str, str]) -> bool:
        """Return whether the user told a wrong fact that it has not corrected."""
        wrong = [(self.misstate_fact(name, fact), fact) for name, fact in known.items()]
        return any(one and self.has_told(one) and not self.has_told(fact) for one, fact in wrong)

    def recall_fact(self, text: str) -> str:
        """Return an answer, marked as just remembered if the user had forgotten it."""
        return self.say("found", text) if self.said and has_forgotten(self.said[-1]) else text

    def add_traits(self, text: str) -> str:
        """Add to a message what the traits change about its words."""
        turn = len(self.said)
        if turn == 1 and self.starts_wrong():
            problem = self.describe_problem()
            text = self.say("correct", text if problem in text else f"{problem} {text}")
        if turn and compile_phrases("away").search(self.said[-1]):
            text = self.say("back", text)
        if self.sampler.shows_trait("typos", turn):
            text = self._misspell(text)
        if self.sampler.shows_trait("polite", turn):
            text = f"{text} {self.say('please')}"
        if self.sampler.shows_trait("off_topic", turn):
            text = f"{text} {self.say('aside')}"
        return self.add_tone(text)

    def add_tone(self, text: str) -> str:
        """Add how impatient the user is, in stronger words with each turn."""
        turn = len(self.said)
        if not turn or not self.sampler.shows_trait("irritable", turn):
            return text
        return f"{text} {self.say('annoyed' if turn < 3 else 'angry' if turn < 6 else 'furious')}"

    def has_wavered(self) -> bool:
        """Return whether the user's last message takes a wish back."""
        return bool(compile_phrases("waver").search(self.said[-1]))

    def starts_wrong(self) -> bool:
        """Return whether the user begins with a problem that is not its own."""
        return self.sampler.shows_trait("misleading", "all")

    def describe_problem(self) -> str:
        """Return a sentence that tells the problem for which the user calls."""
        raise NotImplementedError

    def _misspell(self, text: str) -> str:
        """Swap two letters of a word that is not part of a fact."""
        fact_spans = [
            match.span() for fact in self.facts for match in re.finditer(re.escape(fact), text)
        ]
        words = [
            match.start() + 1
            for match in LONG_WORD.finditer(text)
            if not any(start < match.end() and match.start() < end for start, end in fact_spans)
        ]
        if not words:
            return text
        place = words[int(self.sampler.sample_number("word", len(self.said)) * len(words))]
        return f"{text[:place]}{text[place + 1]}{text[place]}{text[place + 2 :]}"


class UserSimulator(BaseUserSimulator):
    """A rule-based user that chooses its next reply.

    Args:
        wants: identity (`known`), `wishes`, `questions` and `demands` of the user.
    """

    def __init__(
        self,
        wants: Wants,
        said: Sequence[str],
        heard: Sequence[str],
        chance: TraitSampler,
        ways: PhraseBook,
    ):
        super().__init__(said, heard, chance, ways)
        self.wants = wants
        self.now = AssistantMessage(self.find_request())
        self.open = [wish for wish in wants.wishes if self._has_told_wish(wish)]
        self.facts = [*wants.known.values(), *wants.questions, *wants.demands]
        for wish in wants.wishes:
            self.facts += [wish.about, wish.brief, *wish.answers.values()]

    def reply(self) -> str:
        if not self.said:
            wrong = self.starts_wrong()
            opening = self.say("misled") if wrong else self.describe_problem()
            return self.add_traits(self.say("hello", opening))
        if self.now.handed or len(self.said) >= MAX_MESSAGES:
            return STOP_MARK
        leave = self.take_leave()
        if leave:
            return leave
        answer = self._choose_answer()
        if answer and self.heard.count(self.heard[-1]) > MAX_REPEATS and answer in self.said:
            answer = self._find_unsaid()
        return self.add_traits(answer) if answer else STOP_MARK

    def _choose_answer(self) -> str:
        """Return the answer to the last message, or "" if nothing is left to say."""
        now = self.now
        known = any(map(self.has_told, self.wants.known.values()))
        if now.who and not (now.confirms and known):
            return self._tell_identity(now.who)
        wish = self._find_current_wish()
        if wish is not None and not now.confirms and self.has_wavered():
            return self.say("persist", self._format_action(wish))
        if now.more and not now.about:
            return self._find_unsaid()
        if now.confirms and self.open:
            return self._confirm_change(wish)
        if now.flights and now.asking and any(one.choice for one in self.open):
            return self._choose_flight()
        if wish is not None and now.about:
            return self._answer_about_wish(wish, now.about)
        if now.refused and self.has_erred(self.wants.known):
            return self._tell_identity(IDENTITY_FACTS)
        if now.refused and self._may_insist():
            return self.say("insist", self._find_unmet_demand())
        if now.done or now.refused or now.more or not now.question:
            return self._find_unsaid()
        return self._find_unsaid() or self.say("unknown" if now.about else "yes")

    def _confirm_change(self, wish: Wish | None) -> str:
        """Say yes, unless the change differs from the wish."""
        if wish is None:
            return self.say("yes")
        pays = wish.answers.get("payment", "")
        named = [one for one in PAYMENT_SOURCES if one.lower() in self.now.text.lower()]
        if pays and named and not any(one in pays for one in named):
            return self.say("no", pays)
        if "order" in wish.answers and self._names_other_order(self.now.text):
            return self.say("no", wish.answers["order"])
        flight_numbers = {number for leg in wish.choice for number in leg}
        if flight_numbers and self.now.flights and not flight_numbers & set(self.now.flights):
            return self.say("no", wish.answers["flights"])
        if self.has_wavered():
            return self.say("decided")
        wavers = self.sampler.shows_trait("fickle", len(self.said))
        return self.say("waver" if wavers else "yes")

    def find_other_fact(self, asked: Collection[str]) -> str:
        wish = self._find_current_wish()
        asked = {*asked, *self.now.requests}
        facts = [
            fact
            for name, fact in (wish.answers.items() if wish else ())
            if name not in asked and not self.has_told(fact)
        ]
        return facts[0] if facts else ""

    def _choose_flight(self) -> str:
        """Choose the wanted flights if they are offered, or else ask for them."""
        wishes = [wish for wish in self.open if wish.choice]
        for leg in [leg for wish in wishes for leg in wish.choice]:
            if set(leg) <= set(self.now.flights):
                return self.say("pick", " and ".join(leg))
        return self.say("offer", wishes[-1].answers.get("flights", ""))

    def _answer_about_wish(self, wish: Wish, asked: Sequence[str]) -> str:
        """Answer questions about a wish."""
        facts = {name: wish.answers[name] for name in asked if name in wish.answers}
        held = self.withhold_facts(facts)
        if held:
            return held
        parts = list(dict.fromkeys(facts.values()))
        if not parts:
            return self.say("unknown")
        if not any(map(self.has_told, parts)) and self.does_half(*facts):
            parts = parts[: (len(parts) + 1) // 2]
        if self.sampler.shows_trait("talkative", len(self.said)):
            more = [
                one for one in wish.answers.values() if one not in parts and not self.has_told(one)
            ]
            parts += more[:1]
        return self.recall_fact(" ".join(parts))

    def _tell_identity(self, asked: Sequence[str]) -> str:
        """Tell the identity facts that are asked for and that the user knows."""
        known = self.wants.known
        names = [name for name in asked if name in known]
        names = names or [name for name in IDENTITY_FACTS if name in known][:1]
        if "zip" in names and "name" in known and "name" not in names:
            names.insert(0, "name")
        erred = self.has_erred(known)
        facts = {name: self.choose_fact(name, known[name]) for name in names}
        held = self.withhold_facts(
            {name: fact for name, fact in facts.items() if name in IDENTITY_FACTS}
        )
        if held:
            return held
        if not any(map(self.has_told, known.values())) and self.does_half(*facts):
            half = ["name"] if "name" in facts else names[: (len(names) + 1) // 2]
            facts = {name: facts[name] for name in half}
        parts = [self.say(name, fact) for name, fact in facts.items()]
        if not parts:
            return self.say("unknown")
        return (
            self.say("corrected", " ".join(parts)) if erred else self.recall_fact(" ".join(parts))
        )

    def describe_problem(self) -> str:
        wishes = self._order_wishes()
        if not wishes:
            rest = (*self.wants.questions, *self.wants.demands)
            return rest[0] if rest else self.say("help")
        if not self.sampler.shows_trait("chaotic", "all"):
            wishes = wishes[:1]
        return " ".join(
            [
                self._format_wish(wish, "next" if place else "wish")
                for place, wish in enumerate(wishes)
            ]
        )

    def _order_wishes(self) -> list[Wish]:
        """Return the wishes in the order of telling; wishes for one record keep their order."""
        wishes = list(self.wants.wishes)
        if not self.sampler.shows_trait("chaotic", "all"):
            return wishes
        ranked = sorted(wishes, key=lambda wish: self.sampler.sample_number("order", wish.about))
        for records in {wish.records for wish in wishes}:
            places = [place for place, wish in enumerate(ranked) if wish.records == records]
            mine = [wish for wish in wishes if wish.records == records]
            for place, wish in zip(places, mine, strict=True):
                ranked[place] = wish
        return ranked

    def _format_wish(self, wish: Wish, way: str) -> str:
        return self.say(way, self._format_action(wish))

    def _format_action(self, wish: Wish) -> str:
        vague = self.sampler.shows_trait("vague", wish.tool, wish.about)
        return self.say(wish.tool, wish.brief if vague else wish.about)

    def _find_unsaid(self) -> str:
        """Return a wish, question or demand that is not told yet, or "" if none is left."""
        for wish in self._order_wishes():
            if wish not in self.open:
                return self._format_wish(wish, "next" if self.open else "wish")
        for one in (*self.wants.questions, *self.wants.demands):
            if not self.has_told(one):
                return str(one)
        return self._find_overlooked()

    def _find_overlooked(self) -> str:
        """Return one of several wishes told at once that the assistant has overlooked."""
        if not self.sampler.shows_trait("chaotic", "all") or len(self.open) < 2:
            return ""
        settled = self._list_settled()
        for wish in self._order_wishes():
            if (
                wish not in settled
                and sum(self._format_action(wish) in one for one in self.said) < MAX_REPEATS
            ):
                return self._format_wish(wish, "next")
        return ""

    def _list_settled(self) -> list[Wish]:
        """Return the wishes whose changes the user has confirmed, in order for each record."""
        settled: list[Wish] = []
        for message, reply in zip(self.heard[1:], self.said[1:], strict=False):
            if AssistantMessage(message).confirms and not reply.lower().startswith("no"):
                wishes = [one for one in self._find_wishes(message) if one not in settled]
                first = {one.records: one for one in reversed(wishes)}  # the first for each record
                settled += first.values()
        return settled

    def _find_wishes(self, text: str) -> list[Wish]:
        """Return the wishes that a text names, by order number or else by their marks."""
        orders = set(_ORDER_NUMBER.findall(text))
        candidates = [one for one in self.open if orders & set(one.marks)] if orders else self.open
        named = [one for one in candidates if _mentions_wish(one, text)]
        return named or (candidates if orders else [])

    def _names_other_order(self, text: str) -> bool:
        """Return whether a text names an order, or an order's item, that no wish concerns."""
        orders = set(_ORDER_NUMBER.findall(text))
        of = [one for one in self.open if orders & set(one.marks)]
        others = [one for one in self.open if one not in of]
        if not orders:
            return False
        return not of or (
            not any(_mentions_wish(one, text) for one in of)
            and any(_mentions_wish(one, text) for one in others)
        )

    def _find_unmet_demand(self) -> str:
        """Return the last demand that the user told."""
        for one in reversed(self.wants.demands):
            if self.has_told(one):
                return str(one)
        return ""

    def _may_insist(self) -> bool:
        """Return whether the user may repeat a demand that was just refused."""
        unmet = self._find_unmet_demand()
        return bool(unmet) and unmet in self.said[-1] and sum(unmet in one for one in self.said) < 2

    def _find_current_wish(self) -> Wish | None:
        """Return the wish that the last message most likely concerns, or None."""
        if len(self.open) < 2:
            return self.open[0] if self.open else None
        text, details = self.now.text.lower(), set(self.now.about)
        settled = self._list_settled()

        def rank_wish(place: int) -> tuple[bool, int, bool, bool, int]:
            wish = self.open[place]
            marks = sum(mark.lower() in text for mark in wish.marks)
            return (
                self._format_action(wish).lower() in text,
                min(marks, 1),
                bool(details & set(wish.answers)),
                wish not in settled,
                marks,
            )

        return self.open[max(range(len(self.open)), key=lambda place: (*rank_wish(place), place))]

    def _has_told_wish(self, wish: Wish) -> bool:
        return self.has_told(f"{self._format_action(wish)}.")


def _mentions_wish(wish: Wish, text: str) -> bool:
    """Return whether a text contains a mark of a wish that is not an order number."""
    return any(
        mark in text for mark in wish.marks if not _ORDER_NUMBER.search(f"#{mark.lstrip('#')}")
    )


def has_forgotten(text: str) -> bool:
    """Return whether a message says that the user does not remember something."""
    return bool(compile_phrases("forgot").search(text))
