"""Each check of the contract, by a bug that it finds, and the words in which it says so."""

import ast
import itertools
import math
import random
import re
from pathlib import Path

import numpy as np
import pytest
import test_env_checker as planted
from gymnasium import spaces

from gem_ma import Env, Message, testing
from gem_ma.apis.gymnasium_view import GymnasiumView
from gem_ma.apis.parallel_view import ParallelView
from gem_ma.envs.boards import tic_tac_toe
from gem_ma.envs.cards import liars_dice
from gem_ma.envs.guessing import guess_the_number
from gem_ma.testing import ContractError
from gem_ma.testing.env_checker import EnvChecker

NUMBERS = itertools.count()


def broken(base=tic_tac_toe.TicTacToe, **own):
    """Return an environment of a game with one thing wrong."""
    return Env(type("Broken", (base,), own)())


def placed(**own):
    """Return tic-tac-toe over a State with one thing wrong."""
    return Env(planted.with_state(type("Broken", (tic_tac_toe.State,), own))())


def bent(game=tic_tac_toe.TicTacToe, **own):
    """Return an environment that has one thing wrong itself."""
    return type("Bent", (Env,), own)(game())


def through(view, **own):
    """Return an environment whose view has one thing wrong."""
    bent_view = type("Bent", (view,), own)
    name = {ParallelView: "parallel", GymnasiumView: "gym"}[view]
    return bent(**{name: lambda env, **given: bent_view(env, **given)})


class RedrawsAtWill(Env):
    """An Env whose forks draw from no seed."""

    def fork(self, n=1, *, seed=None):
        forks = super().fork(n)
        for one in forks if seed is not None else ():
            one.match.redraw_chance(next(NUMBERS))
        return forks


class Remembers(Env):
    """An Env whose second episode differs."""

    episodes = 0

    def reset(self, seed=None, options=None):
        self.episodes += 1
        super().reset(seed, options)

    def info(self, agent, *, turn=False):
        return {**super().info(agent, turn=turn), "episodes": self.episodes}


def mutter(self, rng, options):
    random.random()
    return tic_tac_toe.State()


def overturn(self, state, moves, rng):
    object.__setattr__(state, "turn", state.turn + 1)
    return state


def touch(self, agent):
    object.__setattr__(self, "turn", self.turn + 2)
    return self


def take_all(self, state, moves, rng):
    return state.mark(moves.popitem()[1])


def late(self, replies):
    return Env.submit(self, replies) if self.to_act else {}


def late_step(self, action):
    return None if self.match.over else Env.step(self, action)


def lenient(self, replies):
    known = all(agent in self.possible_agents for agent in replies)
    return Env.submit(self, replies) if known else {}


def patient(self, replies):
    acting = not self.to_act or any(a in self.to_act or a == "nobody" for a in replies)
    return Env.submit(self, replies) if acting else {}


def typeless(self, replies):
    return Env.submit(self, replies) if all(type(r) is str for r in replies.values()) else {}


def hasty(self, replies):
    if not all(type(reply) is str for reply in replies.values()):
        self.match.state = tic_tac_toe.State(turn=2)
    return Env.submit(self, replies)


def misnamed(self, agent, *, turn=False):
    info = Env.info(self, agent, turn=turn)
    return {**info, "invalid": {"policy": "none"}} if "invalid" in info else info


class SkipsInstead(Env):
    """An Env that says that a seat may try again, and lets it lose its turn."""

    def __init__(self, game, **given):
        self.said = given.get("invalid")
        super().__init__(game, **given | {"invalid": "skip"})

    def info(self, agent, *, turn=False):
        return {**super().info(agent, turn=turn), "invalid": {"policy": self.said}}


def lost(env, name, change):
    """Return a property that gives something else for what an Env has under that name."""
    return property(lambda self: change(self, getattr(Env, name).fget(self)))


ALL_FALSE = lost(Env, "terminations", lambda self, flags: dict.fromkeys(flags, False))
ONE_OF_THEM = lost(
    Env,
    "terminations",
    lambda self, flags: {a: self.match.over and a == "x" for a in flags},
)


def keyless(self, actions):
    observations, *others = ParallelView.step(self, actions)
    return {"x": observations["x"]}, *others


def unpaid(self, actions):
    observations, rewards, *others = ParallelView.step(self, actions)
    return observations, dict.fromkeys(rewards, 0.0), *others


def all_done(self, actions):
    observations, rewards, done, *others = ParallelView.step(self, actions)
    return observations, rewards, dict.fromkeys(done, True), *others


SEEDED = ("rules", "seeding", "forks", "nothing_is_shared")
CHECKS = ("self.expect", "self.raises")
VIEWS = ("aec", "parallel", "cycles", "one_seat")
FAULTS = [
    ("Game.agents names no seat", "seats", {"agents": ()}),
    ("a seat is named twice", "seats", {"agents": ("x", "x")}),
    ("is no name of a seat", "seats", {"agents": ("x", "")}),
    ("is no name of a seat", "seats", {"agents": ("x", 1)}),
    ("no seat may be named tool", "seats", {"agents": ("x", "tool")}),
    ("no rules for x", "seats", {"rules": lambda self, agent: " "}),
    ("a move is listed twice in Game.moves", "seats", {"moves": ("0", "0")}),
    ("continues after a forfeit: define Game.forfeit", "seats", {"agents": ("x", "o", "third")}),
    ("returns are not 0 at the start", "rules", Env(planted.with_state(planted.PaidAtTheStart)())),
    ("advance changed the moves", "rules", broken(advance=take_all)),
    ("advance changed the state", "rules", broken(advance=overturn)),
    ("random turns (seed 0)", "rules", Env(planted.NeverEnds())),
    ("expected a tuple", "rules", placed(to_act=lambda self: ["x"])),
    (
        "to_act names ('nobody',); seats are",
        "rules",
        Env(planted.with_state(planted.StrangerActs)()),
    ),
    ("to_act names a seat twice", "rules", placed(to_act=lambda self: ("x", "x"))),
    ("returns has {'x'}; seats are", "rules", Env(planted.with_state(planted.MissesASeat)())),
    (
        "the return of x is nan, expected a finite number",
        "rules",
        placed(returns=lambda self: {"x": math.nan if self.turn else 0, "o": 0}),
    ),
    (
        "the return of x is '1'",
        "rules",
        placed(returns=lambda self: {"x": "1" if self.turn else 0, "o": 0}),
    ),
    ("out names {'nobody'}; seats are", "rules", placed(out=lambda self: ("nobody",))),
    ("in a simultaneous game to_act must name all of", "rules", Env(planted.OnlySaysTogether())),
    ("is in both out and to_act", "rules", placed(out=lambda self: ("x",))),
    (
        "was out and is no longer in out",
        "rules",
        placed(out=lambda self: ("x",) * (self.turn == 1)),
    ),
    ("is out, but its return changed", "rules", Env(planted.RewardsTheDead())),
    (
        "of a view differs from this view; expected an equal one",
        "rules",
        Env(planted.with_state(planted.HidesTwice)()),
    ),
    ("a method that only reads changed the state", "rules", placed(seen_by=touch)),
    ("can be set: make the dataclass frozen", "rules", Env(planted.SharedState())),
    (
        ", which is mutable; use a tuple or another immutable type",
        "rules",
        Env(planted.with_state(planted.LooksChange)()),
    ),
    ("describe returned ''", "rules", broken(describe=lambda self, view, agent: "")),
    ("describe returned 7", "rules", broken(describe=lambda self, view, agent: 7)),
    (
        "describe varies for x",
        "rules",
        broken(describe=lambda self, view, agent: f"{next(NUMBERS)}"),
    ),
    ("encode returned numbers that are not in", "rules", Env(planted.GrowingEncoding())),
    (
        "encode returned only zeros",
        "rules",
        broken(encode=lambda self, view, agent: np.zeros((3, 3, 3), np.float32)),
    ),
    ("is to act and has no legal move", "rules", placed(legal=lambda self, agent: ())),
    ("a legal move of x is listed twice", "rules", Env(planted.with_state(planted.ListsTwice)())),
    ("'4' is in legal('x'), but read says", "rules", Env(planted.RefusesItsOwnMoves())),
    ("{'8'} is legal, but not in Game.moves", "rules", broken(moves=tuple("01234567"))),
    (
        "in a simultaneous game all of Game.moves must be legal, got",
        "rules",
        Env(planted.TogetherWithRules()),
    ),
    ("does not list", "rules", Env(planted.NoValidation())),
    (
        "two legal moves of x have the same name",
        "rules",
        broken(name_moves=lambda self, legal: ("0",) * len(legal)),
    ),
    (
        "is read as another move than",
        "rules",
        broken(name_moves=lambda self, legal: legal[::-1]),
    ),
    ("forfeited and is still in to_act", "rules", Env(planted.ForfeitChangesNothing())),
    ("grows by a forfeit", "rules", Env(planted.ForfeitPays())),
    ("the game ended when", "rules", Env(planted.ForfeitEndsAll())),
    (
        "forfeit returned None in a game of three",
        "rules",
        broken(liars_dice.LiarsDice, forfeit=lambda self, state, agent, rng: None),
    ),
    ("tell gave 'psst', not a Message", "rules", broken(tell=lambda self, *given: ["psst"])),
    (
        "tell gave the text 7",
        "rules",
        broken(tell=lambda self, *given: [Message(None, "game", 7)]),
    ),
    (
        "tell: unknown role 'system'; expected game, tool or a seat",
        "rules",
        Env(planted.SpeaksAsStranger()),
    ),
    ("tell: unknown seats in to=", "rules", Env(planted.TellsStrangers())),
    ("another environment in the same process", "seeding", Env(planted.RemembersBetweenEpisodes())),
    ("seed 0 gave two different episodes", "seeding", Remembers(tic_tac_toe.TicTacToe())),
    ("the global random state of the process was used", "seeding", broken(start=mutter)),
    ("no end after 30 turns", "seeding", Env(planted.NeverEnds())),
    ("fork(2, seed=7) gave different futures", "forks", RedrawsAtWill(liars_dice.LiarsDice())),
    ("continues differently", "forks", planted.ForksShareTheDice(liars_dice.LiarsDice())),
    (
        "an observation or info changed after its step",
        "nothing_is_shared",
        Env(planted.SharedEncoding()),
    ),
    (
        "changing a returned observation or info changed",
        "nothing_is_shared",
        planted.DeliversItsCaches(guess_the_number.GuessTheNumber()),
    ),
    ("no ResetNeeded before reset", "order", bent(observe=lambda self, agent, turn=False: {})),
    ("no ResetNeeded after the end", "order", bent(submit=late)),
    ("no ResetNeeded after the end", "order", bent(step=late_step)),
    ("no SeatError for an unknown seat", "order", bent(submit=lenient)),
    ("no SeatError for o, not to act", "order", bent(submit=patient)),
    ("characters, after short replies", "garbage", Env(planted.EchoesGarbage())),
    ("no TypeError for None", "garbage", bent(submit=typeless)),
    ("None changed the game", "garbage", bent(submit=hasty)),
    ("no ValueError for the move -1", "numbers", bent(check_reply=lambda *given: None)),
    ("-1 changed the game", "numbers", bent(submit=hasty)),
    (", expected policy retry", "invalid_replies", bent(info=misnamed)),
    (
        "invalid='retry' did not ask the seat again",
        "invalid_replies",
        SkipsInstead(tic_tac_toe.TicTacToe()),
    ),
    (
        "penalty=0.25 gave the reward 0.0, expected",
        "invalid_replies",
        bent(rewards=lost(Env, "rewards", lambda self, found: dict.fromkeys(found, 0.0))),
    ),
    (
        "the notice lists no legal move",
        "invalid_replies",
        bent(observe=lambda self, agent, turn=False: {"text": "?"}),
    ),
    ("x did not forfeit with invalid='retry'", "invalid_replies", bent(terminations=ALL_FALSE)),
    (
        "for a forfeit, expected more than 0",
        "invalid_replies",
        bent(
            rewards=lost(
                Env, "rewards", lambda self, found: {a: min(v, 0) for a, v in found.items()}
            )
        ),
    ),
    ("reads the reasoning of", "privacy", planted.LeaksThroughTheFormat(liars_dice.LiarsDice())),
    (
        "got an observation that is not in",
        "aec",
        bent(observe=lambda self, agent, turn=False: {"text": 7}),
    ),
    (
        "; expected to_act and invalid always",
        "aec",
        planted.TellsLearnersTooMuch(tic_tac_toe.TicTacToe(), actions="discrete"),
    ),
    (
        "action_mask and legal_actions differ",
        "aec",
        bent(info=lambda self, a, turn=False: {**Env.info(self, a), "legal_actions": ["0"]}),
    ),
    ("acts after its last step", "aec", bent(_was_dead_step=lambda self, action: None)),
    (
        "last() and infos differ",
        "aec",
        bent(infos=lost(Env, "infos", lambda self, found: {agent: {} for agent in found})),
    ),
    (
        "terminated or truncated is 0, expected a bool",
        "aec",
        bent(last=lambda self: (*Env.last(self)[:2], 0, False, Env.last(self)[4])),
    ),
    (
        "rewards, flags or infos miss a seat",
        "aec",
        bent(truncations=lost(Env, "truncations", lambda self, found: {})),
    ),
    ("at the end terminated and truncated differ by seat", "aec", bent(terminations=ONE_OF_THEM)),
    ("through the AEC API never ended", "aec", bent(agent_iter=lambda self, most: iter(()))),
    ("AEC: the rewards of", "aec", planted.LosesRewards(tic_tac_toe.TicTacToe())),
    ("AEC, last(): the rewards of", "aec", planted.PaysTwice(tic_tac_toe.TicTacToe())),
    ("parallel step: expected", "parallel", through(ParallelView, step=keyless)),
    ("parallel: agents is", "parallel", through(ParallelView, step=all_done)),
    ("parallel: the rewards of", "parallel", through(ParallelView, step=unpaid)),
    ("no end through aec_to_parallel", "cycles", Env(planted.NeverEnds(), invalid="skip")),
    ("but aec_to_parallel fails", "cycles", planted.BreaksRounds(tic_tac_toe.TicTacToe())),
    ("episodes through Gymnasium", "one_seat", Env(planted.RemembersBetweenEpisodes())),
    ("no end through the Gymnasium view", "one_seat", Env(planted.NeverEnds())),
    (
        "Gymnasium: got an observation that is not in",
        "one_seat",
        bent(observation_space=lambda self, agent: spaces.Dict({"text": spaces.Discrete(2)})),
    ),
    (
        "info is a list, expected a dict",
        "one_seat",
        through(
            GymnasiumView, step=lambda self, action: (*GymnasiumView.step(self, action)[:4], [])
        ),
    ),
    (
        "Gymnasium: the rewards of",
        "one_seat",
        through(
            GymnasiumView,
            step=lambda self, action: (lambda o, r, *rest: (o, r + 1, *rest))(
                *GymnasiumView.step(self, action)
            ),
        ),
    ),
    ("ansi rendering gave ''", "rendering", bent(render=lambda self, agent=None: "")),
    (
        "rgb_array rendering gave uint8 of (1, 1, 3)",
        "rendering",
        bent(
            render=lambda self, agent=None: (
                Env.render(self, agent)
                if self.render_mode == "ansi"
                else np.zeros((1, 1, 3), np.uint8)
            )
        ),
    ),
]


@pytest.mark.parametrize(("words", "step", "fault"), FAULTS)
def test_a_check_finds_its_bug(words, step, fault):
    checker = EnvChecker(fault if isinstance(fault, Env) else broken(), range(1), 30)
    if isinstance(fault, dict):  # of such a game no Env is made
        checker.game = type("Broken", (tic_tac_toe.TicTacToe,), fault)()
    given = (checker.make(), 0) if step in VIEWS else (0,) * (step in SEEDED)
    with pytest.raises(ContractError, match=re.escape(words)):
        getattr(checker, f"check_{step}")(*given)


def test_every_check_has_its_bug():
    said = [words for words, _, _ in FAULTS]
    said.append(
        "the same seed gives another episode in another process"
    )  # HashOrder is what shows it
    missing = []
    for file in Path(testing.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in CHECKS:
                message = node.args[-1]
                parts = message.values if isinstance(message, ast.JoinedStr) else [message]
                texts = [one.value.strip(" ,:;") for one in parts if isinstance(one, ast.Constant)]
                longest = max(texts, key=len)
                if not any(longest in words or words in longest for words in said):
                    missing.append(longest)
    assert missing == []
