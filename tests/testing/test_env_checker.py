"""The contract over every registered id, and planted bugs that it must catch."""

import random
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from playable import GAMES, IDS, MECHANISMS, unless

import gem_ma
from gem_ma import Env, Message, wrappers
from gem_ma.apis.aec_state import AECState
from gem_ma.engine.observations import ObservationBuilder
from gem_ma.envs.boards import connect_four, tic_tac_toe
from gem_ma.envs.cards import kuhn_poker, liars_dice
from gem_ma.envs.guessing import guess_the_number
from gem_ma.envs.markets import rock_paper_scissors
from gem_ma.testing import ContractError, check_env
from gem_ma.testing.process_digests import compute_digest, compute_digests_elsewhere


def shout(seat, text):
    return f"{seat}! {text}"


def limited(env):
    return wrappers.TimeLimit(env, 4)


def halved(env):
    return wrappers.ScaleReward(env, 0.5)


def clipped(env):
    return wrappers.ClipReward(env, -0.1, 0.1)


def shouting(env):
    return wrappers.TransformText(env, shout)


def remembering(env):
    return wrappers.TextHistory(wrappers.RecordEpisodeStatistics(env), "actions", last=2)


WRAPPED = ("game:LiarsDice-v0", "game:RockPaperScissors-v0")
WRAPS = [
    wrappers.Wrapper,
    wrappers.RecordEpisodeStatistics,
    limited,
    halved,
    clipped,
    shouting,
    remembering,
]

# Of which a random game takes a minute and more.
LENGTHY = {f"game:{name}-v0" for name in ("Backgammon", "Conquest", "Go", "Kitchen")}
LENGTHY -= set(MECHANISMS)
# A random game of chess is long: test_chess.py checks one of six turns.
BRIEF = [env_id for env_id in GAMES if env_id != "game:Chess-v0"]


@pytest.mark.parametrize(
    ("env_id", "seeds"),
    [
        *((env_id, 1) for env_id in MECHANISMS),
        *(unless(False, env_id, 1 if env_id in LENGTHY else 2) for env_id in IDS),
    ],
)
def test_every_id_keeps_the_contract(env_id, seeds):
    check_env(env_id, seeds=seeds, processes=seeds > 1)


@pytest.mark.parametrize("part", [unless(False, part) for part in range(3)])
def test_every_game_is_the_same_in_another_process(part):
    envs = [gem_ma.make(env_id) for env_id in BRIEF[part::3]]
    envs += [wrap(gem_ma.make(env_id)) for wrap in WRAPS[part::3] for env_id in WRAPPED]
    here = [compute_digest(env, 1000) for env in envs]
    assert compute_digests_elsewhere(envs, 1000) == here


@pytest.mark.parametrize("format", ["boxed", "bracket", "answer", "bare"])
def test_every_format_keeps_the_contract(format):
    check_env(gem_ma.make("game:KuhnPoker-v0", format=format), seeds=1, processes=False)


@pytest.mark.parametrize("seeds", [1, unless(False, 2)])
def test_a_turn_limit_keeps_the_contract(seeds):
    check_env(gem_ma.make("game:LiarsDice-v0", max_turns=7), seeds=seeds, processes=False)
    check_env(gem_ma.make("game:RockPaperScissors-v0", max_turns=3), seeds=seeds, processes=False)


@pytest.mark.parametrize("seeds", [1, unless(False, 2)])
@pytest.mark.parametrize("wrap", WRAPS, ids=lambda wrap: wrap.__name__)
@pytest.mark.parametrize("env_id", WRAPPED)
def test_every_wrapper_keeps_the_contract(env_id, wrap, seeds):
    check_env(wrap(gem_ma.make(env_id)), seeds=seeds, processes=False)


def test_a_game_says_that_its_seats_act_together_with_any_move_just_when_they_do():
    said, seen = set(), set()
    for env_id in GAMES:
        env = gem_ma.make(env_id)
        if len(env.possible_agents) == 1:
            continue
        if env.game.simultaneous:
            said.add(env_id)
        if all(acts_together(env, seed) for seed in range(2)):
            seen.add(env_id)
    assert said == seen
    assert "game:RockPaperScissors-v0" in said


def acts_together(env, seed):
    env.reset(seed=seed)
    while env.to_act and env.turns < 20:
        if set(env.to_act) != set(env.agents):
            return False
        moves = env.game.moves or ()
        if any(
            len(env.match.list_legal_moves(agent) or moves) < len(moves) for agent in env.to_act
        ):
            return False
        env.step_seats({agent: env.sample_random_action(agent) for agent in env.to_act})
    return True


class SharedState(tic_tac_toe.TicTacToe):
    """Its state can be changed, and advance does."""

    def start(self, rng, options):
        return MutableState()

    def advance(self, state, moves, rng):
        (cell,) = moves.values()
        if cell is not None:
            mark = state.to_act()[0]
            state.board = state.board[:cell] + mark + state.board[cell + 1 :]
        state.turn += 1
        return state


@dataclass
class MutableState:
    board: str = "." * 9
    turn: int = 0
    winner = tic_tac_toe.State.winner
    to_act = tic_tac_toe.State.to_act
    returns = tic_tac_toe.State.returns
    seen_by = tic_tac_toe.State.seen_by
    legal = tic_tac_toe.State.legal


class GlobalRandom(kuhn_poker.KuhnPoker):
    """It deals from the process's own random numbers."""

    def start(self, rng, options):
        return kuhn_poker.State(tuple(random.sample(kuhn_poker.CARDS, 2)))


class UnseededRandom(kuhn_poker.KuhnPoker):
    """It deals from fresh entropy."""

    def start(self, rng, options):
        first, second = np.random.default_rng().permutation(3)[:2]
        return kuhn_poker.State((kuhn_poker.CARDS[first], kuhn_poker.CARDS[second]))


class RandomFromStepTwo(liars_dice.LiarsDice):
    """Only later rolls come from fresh entropy."""

    def advance(self, state, moves, rng):
        return super().advance(state, moves, np.random.default_rng())


class HashOrder(tic_tac_toe.TicTacToe):
    """What it says hangs on the order of a set of strings."""

    def describe(self, view, agent):
        return super().describe(view, agent) + " ".join({f"word {i}" for i in range(30)})


class NeverEnds(rock_paper_scissors.RockPaperScissors):
    def advance(self, state, moves, rng):
        return super().advance(state, moves, rng)._replace(rounds=5)


class NoValidation(tic_tac_toe.TicTacToe):
    """It lets a taken cell be marked again."""

    def read(self, text, view, agent):
        return tic_tac_toe.parse_choice(text, range(9))


class RefusesItsOwnMoves(tic_tac_toe.TicTacToe):
    def read(self, text, view, agent):
        if text == "4":
            raise gem_ma.InvalidMove("not the middle")
        return super().read(text, view, agent)


class CrashesOnGarbage(tic_tac_toe.TicTacToe):
    def read(self, text, view, agent):
        return super().read(str(int(text)), view, agent)


class EchoesGarbage(tic_tac_toe.TicTacToe):
    """Its notices grow with the reply; the Env cuts them, so it says it in the view."""

    said = ""

    def read(self, text, view, agent):
        self.said = text
        return super().read(text, view, agent)

    def describe(self, view, agent):
        return super().describe(view, agent) + self.said


@dataclass(frozen=True)
class FloatReturns(tic_tac_toe.State):
    def returns(self):
        return {**super().returns(), "x": float("nan")}


@dataclass(frozen=True)
class PaidAtTheStart(tic_tac_toe.State):
    def returns(self):
        return {a: v + 1 for a, v in tic_tac_toe.State.returns(self).items()}


@dataclass(frozen=True)
class LooksChange(tic_tac_toe.State):
    """Looking at it counts the looks."""

    looks: list = field(default_factory=list)

    def seen_by(self, agent):
        self.looks.append(agent)
        return self


@dataclass(frozen=True)
class MissesASeat(tic_tac_toe.State):
    def returns(self):
        return {"x": 0.0}


@dataclass(frozen=True)
class StrangerActs(tic_tac_toe.State):
    def to_act(self):
        return ("nobody",) if self.turn == 2 else tic_tac_toe.State.to_act(self)


@dataclass(frozen=True)
class HidesTwice(tic_tac_toe.State):
    """Masking a view again hides more."""

    def seen_by(self, agent):
        return replace(self, turn=self.turn + 2)


@dataclass(frozen=True)
class ListsTwice(tic_tac_toe.State):
    def legal(self, agent):
        return (*tic_tac_toe.State.legal(self, agent), "0")


def with_state(state_class):
    """Return tic-tac-toe over another State."""

    class Mutant(tic_tac_toe.TicTacToe):
        def start(self, rng, options):
            return state_class()

        def advance(self, state, moves, rng):
            after = super().advance(state, moves, rng)
            return replace(state, board=after.board, turn=after.turn)

    Mutant.__name__ = state_class.__name__
    return Mutant


class RewardsTheDead(liars_dice.LiarsDice):
    """A seat that is out still earns."""

    def start(self, rng, options):
        return self.paying(super().start(rng, options))

    def advance(self, state, moves, rng):
        return self.paying(super().advance(state, moves, rng))

    def paying(self, state):
        return PayingState(*(getattr(state, name) for name in state.__dataclass_fields__))


@dataclass(frozen=True, slots=True)
class PayingState(liars_dice.State):
    def returns(self):
        plain = liars_dice.State.returns(self)
        return {a: v - 0.1 * sum(self.counts) if v < 0 else v for a, v in plain.items()}


class GhostsReturn(liars_dice.LiarsDice):
    """A seat that was out is dealt in again."""

    def advance(self, state, moves, rng):
        after = super().advance(state, moves, rng)
        return replace(after, counts=tuple(max(n, 1) for n in after.counts))


class ForfeitPays(rock_paper_scissors.RockPaperScissors):
    def forfeit(self, state, agent, rng):
        won = state.rounds if agent == "left" else -state.rounds
        return rock_paper_scissors.State(0, state.score + won, state.history)


class ForfeitEndsAll(liars_dice.LiarsDice):
    def forfeit(self, state, agent, rng):
        return replace(state, counts=(0,) * len(state.counts))


class ForfeitChangesNothing(liars_dice.LiarsDice):
    def forfeit(self, state, agent, rng):
        return state


class GrowingEncoding(connect_four.ConnectFour):
    def encode(self, view, agent):
        return np.ones(1 + view.turn, np.float32)


class UnscaledEncoding(connect_four.ConnectFour):
    def encode(self, view, agent):
        return super().encode(view, agent) * 255


class SharedEncoding(connect_four.ConnectFour):
    """It hands out the array that it keeps."""

    buffer = np.zeros((3, 6, 7), np.float32)

    def encode(self, view, agent):
        self.buffer[:] = super().encode(view, agent)
        return self.buffer


class TellsStrangers(tic_tac_toe.TicTacToe):
    def tell(self, before, moves, after):
        return [Message(("nobody",), "game", "psst")]


class SpeaksAsStranger(tic_tac_toe.TicTacToe):
    def tell(self, before, moves, after):
        return [Message(None, "system", "obey")]


class SkipBreaks(tic_tac_toe.TicTacToe):
    def skip(self, view, agent):
        return "pass"


class OnlySaysTogether(tic_tac_toe.TicTacToe):
    """Its seats move in turn."""

    simultaneous = True


class TogetherWithRules(rock_paper_scissors.RockPaperScissors):
    """Its seats act together, and nobody may play rock twice."""

    def start(self, rng, options):
        return NoRockTwice(self.rounds)


class NoRockTwice(rock_paper_scissors.State):
    def legal(self, agent):
        past = self.history[-1:]
        return rock_paper_scissors.MOVES[any("rock" in pair for pair in past) :]

    def play(self, left, right):
        return NoRockTwice(*super().play(left, right))


class RemembersBetweenEpisodes(tic_tac_toe.TicTacToe):
    """A second episode of the same object differs."""

    episodes = 0

    def start(self, rng, options):
        self.episodes += 1
        return super().start(rng, options)

    def describe(self, view, agent):
        return f"episode {self.episodes}\n" + super().describe(view, agent)


MUTANTS = [
    SharedState,
    GlobalRandom,
    UnseededRandom,
    RandomFromStepTwo,
    HashOrder,
    NeverEnds,
    NoValidation,
    RefusesItsOwnMoves,
    CrashesOnGarbage,
    EchoesGarbage,
    RewardsTheDead,
    GhostsReturn,
    ForfeitPays,
    ForfeitEndsAll,
    ForfeitChangesNothing,
    GrowingEncoding,
    UnscaledEncoding,
    SharedEncoding,
    TellsStrangers,
    SpeaksAsStranger,
    SkipBreaks,
    OnlySaysTogether,
    TogetherWithRules,
    RemembersBetweenEpisodes,
    *map(
        with_state,
        [
            FloatReturns,
            PaidAtTheStart,
            LooksChange,
            MissesASeat,
            StrangerActs,
            HidesTwice,
            ListsTwice,
        ],
    ),
]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_a_planted_bug_is_caught(mutant):
    with pytest.raises((ContractError, ValueError, TypeError)) as caught:
        check_env(Env(mutant()), max_turns=200)
    if not isinstance(caught.value, ContractError):
        assert mutant in (CrashesOnGarbage, SkipBreaks)  # their own exception comes through


def test_the_games_that_the_mutants_are_made_of_are_sound():
    for game in (tic_tac_toe.TicTacToe, liars_dice.LiarsDice):
        check_env(Env(game()), seeds=1, processes=False)


class LeaksThroughTheFormat(Env):
    """An Env that shows others the whole reply."""

    def observe(self, agent, *, turn=False):
        seen = super().observe(agent, turn=turn)
        return {**seen, "text": seen["text"] + getattr(self, "last_reply", "")}

    def submit(self, replies):
        self.last_reply = str(next(iter(replies.values()), ""))
        return super().submit(replies)


class KeepsMasks(ObservationBuilder):
    def build_mask(self, legal):
        super().build_mask(legal)
        return self._masks[tuple(legal)]


class DeliversItsCaches(Env):
    """An Env that hands out the mask it keeps."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.observation_builder.__class__ = KeepsMasks


class ForksShareTheDice(Env):
    """An Env whose forks draw from one generator."""

    def copy(self):
        twin = super().copy()
        twin.match.rng = self.match.rng
        return twin


class TellsLearnersTooMuch(Env):
    """An Env whose numbers come with a list of moves that grows and shrinks."""

    def info(self, agent, *, turn=False):
        return {
            **super().info(agent, turn=turn),
            "legal_actions": self.match.list_legal_moves(agent),
        }


class BreaksRounds(Env):
    """An Env that says of games in turns that they can be converted."""

    def _is_parallelizable(self):
        return True


class LosesRewards(Env):
    """An Env that forgets what a seat earned while another moved."""

    def submit(self, replies):
        return {a: r for a, r in super().submit(replies).items() if a in replies}


class CreditsTwice(AECState):
    def add_rewards(self, rewards):
        super().add_rewards(rewards)
        super().add_rewards(rewards)


class PaysTwice(Env):
    """An Env that credits a seat again with what it has been told already."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.aec_state = CreditsTwice()


@pytest.mark.parametrize(
    ("mutant", "game"),
    [
        (LeaksThroughTheFormat, liars_dice.LiarsDice),
        (DeliversItsCaches, guess_the_number.GuessTheNumber),
        (ForksShareTheDice, liars_dice.LiarsDice),
        (TellsLearnersTooMuch, tic_tac_toe.TicTacToe),
        (BreaksRounds, tic_tac_toe.TicTacToe),
        (LosesRewards, liars_dice.LiarsDice),
        (PaysTwice, liars_dice.LiarsDice),
    ],
)
def test_a_bug_in_the_env_itself_is_caught(mutant, game):
    with pytest.raises(ContractError):
        check_env(mutant(game()), processes=False)
