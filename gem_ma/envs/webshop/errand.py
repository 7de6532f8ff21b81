"""An errand: a customer knows what is wanted, and a shopper sees only the pages of the shop."""

from __future__ import annotations

from dataclasses import replace

from gem_ma.envs.webshop.game import MAX_MESSAGE, QUESTION, ShopAction, ShoppingState, WebShop
from gem_ma.game import InvalidMove, Message, clip_repr, prefix_speaker

CUSTOMER, SHOPPER = AGENTS = ("customer", "shopper")


class ShoppingErrand(WebShop):
    """The game of `WebShop` for two seats, which earn the same.

    The customer speaks first. The shopper acts in the shop, and may ask the customer.
    """

    agents = AGENTS

    def start(self, rng, options):
        return replace(super().start(rng, options), asked=True)

    def read(self, text, view, agent):
        """Return an action, or the message that a seat sends."""
        words = text.strip()
        if agent == SHOPPER:
            if words[:4].lower() != "ask[":
                return super().read(text, view, agent)
            if not words.endswith("]"):
                raise InvalidMove(f"expected ask[question], got {clip_repr(text)}")
            words = words[4:-1].strip()
        if not words or len(words) > MAX_MESSAGE:
            raise InvalidMove(f"a message has 1 to {MAX_MESSAGE} characters, this has {len(words)}")
        return words

    def advance(self, state, moves, rng):
        ((seat, move),) = moves.items()
        if seat == SHOPPER and not isinstance(move, str):
            return super().advance(state, moves, rng)
        talk = state.talk if move is None else (*state.talk, (seat, move))
        # The customer's words take no turn, since the shopper pays for them with its question.
        left = state.left - (seat == SHOPPER)
        return replace(state, talk=talk, asked=seat == SHOPPER, left=left)

    def tell(self, before, moves, after):
        ((seat, move),) = moves.items()
        if isinstance(move, ShopAction) or move is None:
            return ()
        (other,) = (one for one in AGENTS if one != seat)
        return (Message((other,), seat, move),)

    def rules(self, agent):
        if agent == CUSTOMER:
            return (
                "You want to buy something in a web shop, and a shopper does it for you. Only you "
                "know what you want, and only the shopper sees the shop. Say first what you want, "
                "then answer the shopper's questions. A message has at most "
                f"{MAX_MESSAGE} characters. You both earn the share of your wishes that the "
                "bought product meets: its type, attributes, options and price."
            )
        return (
            "You shop in a web shop for a customer, who knows what is wanted and does not see the "
            f"shop. You have {self.max_turns} turns, and a question takes one. "
            f"{self.explain_actions()} Reply with ask[question] to ask the customer, in at most "
            f"{MAX_MESSAGE} characters."
        )

    def brief(self, view, agent):
        return f"What you want: {view.goal.text}" if agent == CUSTOMER else ""

    def describe(self, view, agent):
        if agent == CUSTOMER:
            if not view.asked:
                return "The shopper shops."
            return "Answer the shopper." if view.talk else "Say what you want."
        text = super().describe(view, agent)
        return text.replace("Actions: ", "Actions: ask[question], ", 1) if view.to_act() else text

    def picture(self, view, agent):
        return None if agent == CUSTOMER else super().picture(view, agent)

    def list_notes(self, view, agent):
        if agent is not None:
            return ()  # seats read the talk as messages
        return (*super().list_notes(view, agent), *(prefix_speaker(*one) for one in view.talk))

    def plan(self, state: ShoppingState, agent: str) -> str:
        """Return the next reply of a pair that knows the product, once the wish was told."""
        wish = f"I want {state.goal.query}."[:MAX_MESSAGE]
        if agent == CUSTOMER:
            return wish
        return super().plan(state, agent) if (CUSTOMER, wish) in state.talk else QUESTION
