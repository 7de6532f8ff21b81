"""Werewolf: secret wolves kill by night; by day all talk and vote for who they think is a wolf."""

import math
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from gem_ma.envs.env_functions import make_env_functions
from gem_ma.game import Game, InvalidMove, Message, parse_choice
from gem_ma.scene import Shapes

PLAYERS = 5, 9
WOLF, SEER, VILLAGER = "wolf", "seer", "villager"
NIGHT, TALK, VOTE = "night", "talk", "vote"
WOLVES, VILLAGE = "wolves", "village"
LONGEST = 500  # characters in a speech
SILENCE = "I have nothing to say."
LOOKS = {WOLF: ("wolf", "red"), SEER: ("eye", "blue"), VILLAGER: ("", "green")}
STARS = (0.05, 0.62), (0.2, 0.03), (0.78, 0.02), (0.95, 0.16), (0.97, 0.72), (0.03, 0.85)
TABLE = 0.5, 0.465  # its centre in the picture


@dataclass(frozen=True, slots=True)
class State:
    agents: tuple[str, ...]
    roles: tuple[str | None, ...]  # None: hidden
    alive: tuple[bool, ...]
    looked: tuple[bool, ...]  # players that the seer has checked; only the seer sees this
    phase: str = NIGHT
    day: int = 1
    speaker: int = 0
    winner: str | None = None
    left: tuple[str, ...] = ()  # players who forfeited

    def to_act(self):
        if self.winner:
            return ()
        if self.phase == TALK:
            return (self.agents[self.speaker],)
        if self.phase == VOTE:
            return self.living()
        return self.living(WOLF) + self.living(SEER)

    def living(self, role=None):
        """Return the players who are alive, or those of them with this role."""
        table = zip(self.agents, self.alive, self.roles, strict=True)
        return tuple([a for a, is_alive, r in table if is_alive and role in (None, r)])

    def out(self):
        return self.left

    def returns(self):
        table = zip(self.agents, self.roles, strict=True)
        return {a: self.earned(a, role == WOLF) for a, role in table}

    def earned(self, agent, is_wolf):
        if agent in self.left:
            return -1.0
        if not self.winner:
            return 0.0
        return 1.0 if is_wolf == (self.winner == WOLVES) else -1.0

    def seen_by(self, agent):
        """Show the own role, and those of the dead, of players checked, and of fellow wolves."""
        if self.winner:
            return self
        own_seat = self.agents.index(agent)
        role = self.roles[own_seat]
        seen_flags = self.looked if role == SEER else (False,) * len(self.looked)
        roles = [
            r if not is_alive or i == own_seat or is_seen or r == role == WOLF else None
            for i, (r, is_alive, is_seen) in enumerate(
                zip(self.roles, self.alive, seen_flags, strict=True)
            )
        ]
        return replace(self, roles=tuple(roles), looked=seen_flags)

    def legal(self, agent):
        others = [a for a in self.living() if a != agent]
        if self.phase == TALK:
            return (SILENCE, *(f"I suspect {a}." for a in others))
        if self.phase == NIGHT and self.roles[self.agents.index(agent)] == WOLF:
            return tuple([a for a in others if self.roles[self.agents.index(a)] != WOLF])
        return tuple(others)

    def kill(self, agent):
        alive_flags = tuple(
            [x and a != agent for a, x in zip(self.agents, self.alive, strict=True)]
        )
        return replace(self, alive=alive_flags)

    def most(self, moves, voters):
        """Return the living players that are named most often."""
        living = self.living()  # a named player may have left since
        counts = Counter(moves[a] for a in voters if moves.get(a) in living)
        return sorted(name for name, n in counts.items() if n == max(counts.values()))

    def judge(self):
        """End the game if no wolf lives, at least half of the living are wolves, or time is up."""
        wolves, living_count = len(self.living(WOLF)), len(self.living())
        if wolves and 2 * wolves < living_count and self.day <= len(self.agents):
            return self
        return replace(self, winner=WOLVES if wolves else VILLAGE)

    def dawn(self, moves, rng):
        """Let the seer check a player and the wolves kill one; chance decides a tie."""
        seen_flags = [
            is_seen or any(moves.get(s) == a for s in self.living(SEER))
            for a, is_seen in zip(self.agents, self.looked, strict=True)
        ]
        victims = self.most(moves, self.living(WOLF))
        after = replace(self, looked=tuple(seen_flags), phase=TALK)
        if victims:
            after = after.kill(victims[int(rng.integers(len(victims)))])
        return replace(after, speaker=after.alive.index(True)).judge()

    def said(self):
        """Let the next living player speak, or begin the vote."""
        later_seats = [i for i, x in enumerate(self.alive) if x and i > self.speaker]
        if later_seats:
            return replace(self, speaker=later_seats[0])
        return replace(self, phase=VOTE)

    def dusk(self, moves):
        """Put to death the player with the most votes; nobody dies in a tie."""
        candidates = self.most(moves, self.living())
        after = self.kill(candidates[0]) if len(candidates) == 1 else self
        return replace(after, phase=NIGHT, day=self.day + 1).judge()

    def leave(self, agent):
        """Let a seat die at once; the winner is determined at the end of the night or the vote."""
        after = replace(self.kill(agent), left=(*self.left, agent))
        if len(after.living()) < 2:
            return after.judge()
        if self.phase == TALK and agent == self.agents[self.speaker]:
            return after.said()
        if not after.to_act():  # a night in which nobody is left to act
            return replace(after, phase=TALK, speaker=after.alive.index(True))
        return after


class Werewolf(Game[State]):
    """A game for 5 to 9 players: one wolf (two from seven players on), one seer, and villagers.

    Args:
        players: how many take part, all roles together.
    """

    legal_is_partial = True

    def __init__(self, players: int = 6):
        if not PLAYERS[0] <= players <= PLAYERS[1]:
            raise ValueError(f"players={players}: expected {PLAYERS[0]} to {PLAYERS[1]}")
        self.agents = tuple(f"player_{i}" for i in range(players))
        self.wolves = 1 if players < 7 else 2
        self.moves = (*self.agents, SILENCE, *(f"I suspect {agent}." for agent in self.agents))

    def start(self, rng, options):
        n = len(self.agents)
        cards = [WOLF] * self.wolves + [SEER] + [VILLAGER] * (n - self.wolves - 1)
        roles = tuple([cards[i] for i in rng.permutation(n)])
        return State(self.agents, roles, (True,) * n, (False,) * n)

    def read(self, text, view, agent):
        if view.phase != TALK:
            return parse_choice(text, view.legal(agent))
        if not text.strip():
            raise InvalidMove("the speech is empty")
        if len(text) > LONGEST:
            raise InvalidMove(f"a speech has at most {LONGEST} characters, this one {len(text)}")
        return text

    def advance(self, state, moves, rng):
        if state.phase == TALK:
            return state.said()
        return state.dusk(moves) if state.phase == VOTE else state.dawn(moves, rng)

    def skip(self, view, agent):
        return None

    def forfeit(self, state, agent, rng):
        """Die; the others continue."""
        return state.leave(agent)

    def tell(self, before, moves, after):
        if before.phase == NIGHT:
            return [*_secrets(before, moves), *self.deaths(before, after, "is found dead")]
        if before.phase == TALK:
            return [_said(None, seat, speech) for seat, speech in moves.items()]
        votes = ", ".join(f"{seat} for {vote or 'nobody'}" for seat, vote in moves.items())
        messages = [Message(None, "game", f"Votes: {votes}.")]
        return messages + self.deaths(before, after, "is put to death")

    def deaths(self, before, after, how):
        victims = [a for a in before.living() if a not in after.living()]
        role = dict(zip(after.agents, after.roles, strict=True))
        texts = [f"{a} {how}: a {role[a]}." for a in victims] or ["Nobody dies."]
        if after.winner:
            texts.append(f"The game is over: {_ending(after)}.")
        return [Message(None, "game", text) for text in texts]

    def rules(self, agent):
        wolves = "is one wolf" if self.wolves == 1 else f"are {self.wolves} wolves"
        return (
            f"You are playing Werewolf as {agent}, one of {', '.join(self.agents)}. There {wolves} "
            "and one seer; the others are villagers, and the seer is on their side. Only "
            "you know what you are; wolves know each other. The game begins with a night. Each "
            "night every wolf names a victim: who is named most often dies, and chance decides "
            "between equals; at the same time the seer names somebody and learns what that "
            "player is. Each day those alive speak once each, in order, to all; then all "
            "vote at once, and who has most votes dies; if several have as many, nobody "
            "does. What the dead were is told. The village wins when no wolf is left, the wolves "
            "when they are at least as many as the others; this is judged after each "
            f"night and after each vote. If day {len(self.agents)} ends without a winner, the "
            "wolves win. The dead say nothing more, yet win or lose with their "
            "side: 1 or -1. In your speech you may say what you like, in at most "
            f"{LONGEST} characters, true or not. At night and in the vote reply with the name of a "
            "player alive, such as player_0."
        )

    def describe(self, view, agent):
        lines = [f"Day {view.day}. {self.asks(view)}."]
        for name, role, is_alive in zip(view.agents, view.roles, view.alive, strict=True):
            you = " (you)" if name == agent else ""
            lines.append(f"{name}{you}: {'alive' if is_alive else 'dead'}, {role or 'unknown'}")
        return "\n".join(lines)

    def asks(self, view):
        """Return the kind of reply that the game waits for."""
        if view.winner:
            return _ending(view).capitalize()
        if view.phase == NIGHT:
            return "Night: wolves and seer choose"
        speaker = view.agents[view.speaker]
        return f"{speaker} speaks" if view.phase == TALK else "All vote"

    def picture(self, view, agent):
        """Draw the players around the table, by day or by night, with the roles that are known."""
        night = view.phase == NIGHT and not view.winner
        items = [("moon" if night else "sun", "yellow", 0.1, 0.1, 0.16, 0.0)]
        items += [("star", "white", x, y, 0.03, 0.0) for x, y in STARS if night]
        items.append(("disc", "brown", *TABLE, 0.38, 0.0))
        labels = [(f"{'Night' if night else 'Day'} {view.day}", "", *TABLE, 0.08)]
        seats = zip(view.agents, view.roles, view.alive, strict=True)
        for i, (name, role, is_alive) in enumerate(seats):
            turn = 2 * math.pi * i / len(view.agents)
            across, down = math.sin(turn), -math.cos(turn)
            x, y = TABLE[0] + 0.39 * across, TABLE[1] + 0.365 * down
            badge, color = LOOKS.get(role, ("", "gray"))
            items.append(
                ("sitting" if is_alive else "grave", color if is_alive else "gray", x, y, 0.17, 0)
            )
            labels.append((name[-1], "", x, y + 0.045, 0.075))
            if badge:
                items.append((badge, color, x - 0.09, y - 0.04, 0.085, 0.0))
            role_text = role or "?"
            labels.append(
                (f"you: {role_text}" if name == agent else role_text, "", x, y + 0.115, 0.05)
            )
            if not view.winner and is_alive and (view.phase == VOTE or (name,) == view.to_act()):
                symbol = "ballot" if view.phase == VOTE else "bubble"
                at = TABLE[0] + 0.145 * across, TABLE[1] + 0.145 * down
                items.append((symbol, "white", *at, 0.085, 0.0))
        you = f"You: {agent}" if agent else "All is open"
        status = (f"Day {view.day}", self.asks(view), you)
        sky = "black" if night else "white"
        return Shapes(tuple(items), labels=tuple(labels), status=status, ground=sky)

    def encode(self, view, agent):
        """Return a row for each seat, own first, then phase and day.

        A row has a seat's role if it is known, whether it is alive, and whether it is to speak.
        Then come night, talk and vote, and the day as a share of the last one. Speeches are not
        encoded.
        """
        many, own = len(view.agents), view.agents.index(agent)
        roles, phases = (WOLF, SEER, VILLAGER), (NIGHT, TALK, VOTE)
        speaks = view.phase == TALK and not view.winner
        row = []
        for seat in (*range(own, many), *range(own)):
            row += [view.roles[seat] == role for role in roles]
            row += [view.alive[seat], speaks and view.speaker == seat]
        row += [view.phase == phase and not view.winner for phase in phases]
        return np.array([*row, min(view.day / many, 1)], np.float32)


def _said(to, seat, text):
    return (
        Message(to, "game", f"{seat} lost its turn.") if text is None else Message(to, seat, text)
    )


def _secrets(before, moves):
    """Return messages that tell wolves each other's choice, and the seer what it saw."""
    wolves = before.living(WOLF)
    names = {wolf: f"{wolf} names {moves[wolf]}." for wolf in wolves if moves.get(wolf)}
    messages = [Message(wolves, "game", names.get(w, f"{w} lost its turn.")) for w in wolves]
    role = dict(zip(before.agents, before.roles, strict=True))
    for seer in before.living(SEER):
        if moves.get(seer):
            text = f"{moves[seer]} is a {role[moves[seer]]}."
            messages.append(Message((seer,), "game", text))
    return messages


def _ending(state):
    return "the wolves win" if state.winner == WOLVES else "the village wins"


env, parallel_env, raw_env = make_env_functions(__name__)
