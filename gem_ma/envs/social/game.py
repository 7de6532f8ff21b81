"""A social scene: seats talk in turn, agree on a form or answer one, and are paid by rule."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from typing import Any

from gem_ma.envs.social import FAMILY, kit
from gem_ma.envs.social.fact_cards import CARDS, compute_share
from gem_ma.game import Game, InvalidMove, Maybe, Message, clip_repr, prefix_speaker
from gem_ma.scene import Chat, Panels, Terminal

LONGEST = 300  # maximum number of characters of a message
SHOWN = 12  # maximum number of messages in a picture
MENU = 12  # maximum number of example forms per seat
SMALL_TALK = ("Hello.", "What do you know?", "I cannot say.")
Filled = tuple[tuple[str, str | int], ...]


@dataclass(frozen=True, slots=True)
class State:
    seats: tuple[str, ...]
    facts: tuple[Maybe[tuple[str, ...]], ...]  # per seat, which sees only its own
    truth: Maybe[Any]
    best: tuple[Maybe[str], ...]
    left: int  # replies left, for all seats together
    forms: tuple[Maybe[Filled], ...]  # per seat: the form it agrees to, or its answer
    said: tuple[tuple[str, str], ...] = ()  # (seat, message) pairs
    turn: int = 0
    paid: tuple[float, ...] = ()  # set when the scene is over
    gone: tuple[str, ...] = ()
    answers: bool = False  # forms are answers, which are final
    secret: bool = False  # other seats do not see the answers
    hears: tuple[tuple[str, tuple[str, ...]], ...] = ()  # listeners, where they are not everybody
    menus: tuple[tuple[str, ...], ...] = ()  # per seat: some forms that it may fill in

    def to_act(self):
        return () if self.paid else (self.seats[self.turn],)

    def out(self):
        return self.gone

    def returns(self):
        payoffs = self.paid or (0.0,) * len(self.seats)
        return {
            seat: 0.0 if seat in self.gone else payoff
            for seat, payoff in zip(self.seats, payoffs, strict=True)
        }

    def seen_by(self, agent):
        seat = self.seats.index(agent)

        def only(values, hidden=None):
            return tuple([value if i == seat else hidden for i, value in enumerate(values)])

        listeners = dict(self.hears)
        return replace(
            self,
            facts=only(self.facts),
            truth=None,
            best=(),
            forms=only(self.forms) if self.secret else self.forms,
            said=tuple([one for one in self.said
                        if agent == one[0] or agent in listeners.get(one[0], self.seats)]),
        )  # fmt: skip

    def offers(self, agent):
        """Return the forms that other seats agree to, newest last."""
        order = [seat for seat, words in self.said if words.startswith("agree: ")]
        forms_by_seat = dict(zip(self.seats, self.forms, strict=True))
        return [
            forms_by_seat[seat]
            for seat in order
            if seat != agent and forms_by_seat[seat] is not None
        ]

    def legal(self, agent):
        """Return a sample of legal replies: acceptance, filled-in forms and small talk."""
        accept_moves = ("accept",) if not self.answers and self.offers(agent) else ()
        forms = self.menus[self.seats.index(agent)] if self.busy(agent) else ()
        return (*accept_moves, *forms, *SMALL_TALK)

    def busy(self, seat):
        """Return whether a seat is still in the scene and has not answered."""
        has_answered = self.answers and self.forms[self.seats.index(seat)] is not None
        return seat not in self.gone and not has_answered

    def next(self):
        """Return the state at the turn of the next busy seat, or else of the next one present."""
        seats = len(self.seats)
        turns = [(self.turn + step) % seats for step in range(1, seats + 1)]
        busy_turns = [turn for turn in turns if self.busy(self.seats[turn])]
        present_turns = [turn for turn in turns if self.seats[turn] not in self.gone]
        return replace(self, turn=(busy_turns or present_turns)[0])


class Social(Game[State]):
    conversation = True

    def __init__(self, scene: str = "Meeting"):
        if scene not in FAMILY:
            raise ValueError(f"scene={scene!r}: expected one of {', '.join(FAMILY)}")
        family = importlib.import_module(f"gem_ma.envs.social.{FAMILY[scene]}")
        self.name = scene
        self.scene: kit.Scene = family.SCENES[scene]
        self.agents = self.scene.seats

    def start(self, rng, options):
        scene = self.scene
        case = scene.draw(rng)
        return State(
            scene.seats,
            case.facts,
            case.truth,
            case.best,
            scene.rounds * len(scene.seats),
            (None,) * len(scene.seats),
            answers=not scene.agree,
            secret=not scene.agree and not scene.open,
            hears=tuple(scene.hears.items()),
            menus=tuple(map(self.menu, scene.seats)),
        )

    def menu(self, seat):
        """Return at most MENU example forms of a seat, which step through each field's options."""
        form = self.scene.form(seat)
        many = min(max(map(len, form.values()), default=0), MENU)
        forms = (kit.written(kit.example(form, i)) for i in range(many))
        return tuple([f"{self.scene.word()}: {form_text}" for form_text in forms])

    def read(self, text, view, agent):
        """Return a form as a tuple of (field, value) pairs, or a message without outer spaces."""
        form = self.scene.form(agent) if view.busy(agent) else {}  # an answer is final
        word, message = self.scene.word(), text.strip()
        low = message.casefold()
        if form and low.rstrip(".!") == "accept" and self.scene.agree:
            offers = view.offers(agent)
            if not offers:
                raise InvalidMove(f"nobody else agrees to anything yet; {word}: {kit.told(form)}")
            return offers[-1]
        if form and low.startswith(word) and low[len(word) :].lstrip()[:1] == ":":
            return kit.read(message.partition(":")[2].strip(), form)
        if not message:
            raise InvalidMove("the message is empty")
        if len(message) > LONGEST:
            raise InvalidMove(
                f"a message has at most {LONGEST} characters, this has {len(message)}: "
                f"{clip_repr(message)}"
            )
        return message

    def advance(self, state, moves, rng):
        ((seat, move),) = moves.items()
        state = replace(state, left=state.left - 1)
        if isinstance(move, tuple):
            forms = [
                move if s == seat else f for s, f in zip(state.seats, state.forms, strict=True)
            ]
            state = replace(state, forms=tuple(forms))
            if not state.secret:
                words = f"{self.scene.word()}: {kit.written(dict(move))}"
                state = replace(state, said=(*state.said, (seat, words)))
        elif move is not None:
            state = replace(state, said=(*state.said, (seat, move)))
        return self.judged(state.next())

    def judged(self, state):
        """Return the state, with everybody's payoffs if the scene is over."""
        scene, deal = self.scene, self.deal(state)
        if scene.agree:
            is_over = deal is not None
        else:
            is_over = bool(scene.answers) and not any(map(state.busy, scene.answers))
        if scene.over is not None:
            is_over = is_over or scene.over(state.truth, state.said)
        if not (is_over or state.left <= 0 or len(state.gone) > len(state.seats) - 2):
            return state
        return replace(state, paid=tuple(map(float, scene.pay(state.truth, deal, state.said))))

    def deal(self, state):
        """Return the form that all needed seats agree on, or None; or the answers by seat."""
        forms = {s: f and dict(f) for s, f in zip(state.seats, state.forms, strict=True)}
        if not self.scene.agree:
            return forms
        for form in filter(None, forms.values()):
            signers = self.scene.needed(form) if self.scene.needed else state.seats
            if all(forms[seat] == form and seat not in state.gone for seat in signers):
                return form
        return None

    def skip(self, view, agent):
        return None

    def forfeit(self, state, agent, rng):
        """Return the state without a seat, or None (the game ends) in a scene of two."""
        if len(state.seats) < 3:
            return None
        new_state = replace(state, gone=(*state.gone, agent))
        if len(new_state.gone) > len(new_state.seats) - 2:
            return self.judged(new_state)
        return new_state.next() if state.to_act() == (agent,) else new_state

    def report(self, state):
        return {"outcome": self.deal(state)}

    def tell(self, before, moves, after):
        ((seat, move),) = moves.items()
        others = dict(before.hears).get(seat, before.seats)
        to = tuple([other for other in others if other != seat])
        if move is None:
            messages = [Message(None, "game", f"{seat} lost its turn.")]
        elif isinstance(move, str):
            messages = [Message(to, seat, move)]
        elif before.secret:
            messages = [Message(None, "game", f"{seat} has answered.")]
        else:
            word = "agrees to" if self.scene.agree else "answers"
            messages = [Message(None, "game", f"{seat} {word} {kit.written(dict(move))}.")]
        if after.paid:
            messages.append(Message(None, "game", "It is over."))
        return messages

    def rules(self, agent):
        scene, form = self.scene, self.scene.form(agent)
        others = [seat for seat in scene.seats if seat != agent]
        rules = (
            f"You are {agent}; with you {'are' if others[1:] else 'is'} {' and '.join(others)}. "
            f"{scene.story} You speak in turn, {scene.rounds} times each at most. Reply with a "
            f"message of at most {LONGEST} characters"
        )
        if not form:
            return f"{rules}."
        example = kit.written(kit.example(form))
        if scene.agree:
            signers = "all" if scene.needed is None else "those whom it takes"
            return (
                f"{rules}, or with what you agree to, written as agree: {example} "
                f"({kit.told(form)}). "
                f"It is settled when {signers} agree to the same; what you agree to stands until "
                "you agree to something else, and accept agrees to what another agreed to last."
            )
        return (
            f"{rules}, or with your answer, written as answer: {example} ({kit.told(form)}), which "
            f"is final{' and told to all' if scene.open else ''}. The scene is over when all have "
            "answered who are to."
        )

    def brief(self, view, agent):
        return "\n".join(["What only you know:", *view.facts[view.seats.index(agent)]])

    def describe(self, view, agent):
        lines = []
        if agent is None:
            for seat, facts in zip(view.seats, view.facts, strict=True):
                lines += [f"{seat} knows:", *facts]
        lines += [prefix_speaker(seat, words) for seat, words in view.said] or [
            "Nothing was said yet."
        ]
        if view.answers:
            lines += [
                f"{seat} has answered {kit.written(dict(form))}."
                for seat, form in zip(view.seats, view.forms, strict=True)
                if form is not None
            ]
        if view.paid:
            lines.append("It is over.")
        else:
            lines.append(f"To speak: {view.seats[view.turn]}. Replies left: {view.left}.")
        return "\n".join(lines)

    def picture(self, view, agent):
        talk: Chat | Terminal
        if view.said:
            earlier = max(0, len(view.said) - SHOWN)
            viewer = agent or view.seats[0]
            talk = Chat(view.said[earlier:], viewer, seats=view.seats, earlier=earlier)
        else:  # an empty chat shows nothing
            talk = Terminal(self.describe(view, agent))
        if agent is None:  # the facts of all seats would leave no room for the talk
            return talk
        card = CARDS[self.name](view.facts[view.seats.index(agent)])
        share = compute_share(card)
        return Panels((("", card), ("", talk)), columns=0, shares=(share, 1 - share))
