"""The ids of TextArena 0.7.4 as a table, so that listing them imports nothing."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import NamedTuple

# Files that the wheel lacks, by game.
_ABSENT = {
    "ScorableGames": "envs/ScorableGames/games_descriptions",
    "UsedCarNegotiation": "envs/UsedCarNegotiation/instructions",
}
_SOURCE = "pip install git+https://github.com/LeonGuertler/TextArena"
_BROKEN = {
    "Klondike": "its source in textarena 0.7.4 is a syntax error in every Python",
    "UsedCar": "textarena 0.7.4 has no module UsedCar; use ta:UsedCarNegotiation-v0",
}

# Columns: family; seats as [default:]fewest[-most[/step]], or "?" if only the game's files say it;
# marks ("talk": other seats hear text outside brackets; "slow": an episode starts slowly; for the
# others see `_needs`); versions.
# Every version also has a "-train" and a "-raw" form, which differ only in TextArena's wrappers.
_TABLE = """
2048 1 - v0-ultra-easy v0-mega-easy v0-super-easy v0-very-easy v0-easy v0 v0-hard v0-very-hard \
v0-extreme v0-3x3 v0-5x5 v0-6x6 v0-8x8 v0-10x10
Bandit 1 - v0 v0-hard
Blackjack 1 - v0 v0-long
Countdown 1 - v0
Crosswords 1 - v0 v0-hardcore
Cryptarithm 1 - v0
FifteenPuzzle 1 - v0
FrozenLake 1 - v0 v0-random v0-hardcore
GuessTheNumber 1 - v0 v0-hardcore
GuessWho 1 talk,judge v0
Hangman 1 words v0 v0-hardcore
LightsOut 1 - v0
LogicPuzzle 1 - v0 v0-hard
Mastermind 1 - v0 v0-hard v0-extreme
Minesweeper 1 - v0 v0-small v0-medium v0-hard
PegJump 1 - v0
RushHour 1 slow v0
Secretary 1 - v0 v0-long
Set 1 - v0
Klondike 1 - v0
Slitherlink 1 - v0
Sokoban 1 slow v0 v0-medium
Sudoku 1 slow v0-very-easy v0-easy v0 v0-medium v0-hard
ThreeCardMonte 1 - v0
TowerOfHanoi 1 - v0 v0-medium v0-hard v0-hardcore v0-extreme
TwentyQuestions 1 talk,judge v0 v0-hardcore
WordLadder 1 words v0 v0-medium v0-hard
Wordle 1 words,tagger v0 v0-hardcore v0-long v0-long-hardcore
WordSearch 1 words v0 v0-hardcore
Alquerque 2 - v0
Battleship 2 - v0 v0-standard v0-large v0-extreme
Breakthrough 2 - v0-tiny v0-small v0 v0-large v0-blind v0-long
Briscola 2-4/2 - v0
Checkers 2 py312 v0 v0-long
Chess 2 py312 v0 v0-long v0-blind
Chopsticks 2 - v0 v0-medium v0-long
ColonelBlotto 2 - v0-small v0 v0-large v0-extreme
ConnectFour 2 - v0 v0-blind v0-large
Crusade 2 - v0
Debate 2 talk,judge v0 v0-medium v0-long
DontSayIt 2 talk,words,tagger v0 v0-hardcore v0-unlimited
GameOfPureStrategy 2 - v0
GermanWhist 2 - v0
Golf 2-4 - v0 v0-medium
HighSociety 2 - v0
IndianPoker 2 - v0-short v0 v0-medium v0-long v0-extreme
IteratedMatchingPennies 2 - v0
IteratedPrisonersDilemma 2 talk v0
IteratedRockPaperScissors 2 - v0
IteratedTwoThirdsAverage 2 - v0
IteratedStagHunt 2 talk,py312 v0 v0-randomized
KuhnPoker 2 - v0 v0-short v0-medium v0-long v0-extreme
LinesOfAction 2 - v0
LetterAuction 2 words v0 v0-medium v0-hard
MemoryGame 2 - v0 v0-medium v0-hard
Nim 2 - v0 v0-medium v0-large
Othello 2 - v0-tiny v0-small v0 v0-big v0-huge v0-hard
PigDice 2 - v0 v0-short v0-long v0-50 v0-100 v0-150 v0-200 v0-250 v0-300 v0-350 v0-400 v0-450 v0-500
QuantumTicTacToe 2 - v0
ReverseTicTacToe 2 py312 v0
ScenarioPlanning 2 talk,judge v0
SimpleBlindAuction 2 talk v0-quick v0 v0-rich
SimpleNegotiation 2 talk v0-short v0 v0-long
SimpleTak 2 - v0 v0-medium v0-large v0-extreme
SpellingBee 2 words v0-small v0 v0-large
SpiteAndMalice 2 - v0
Stratego 2 - v0
Tak 2 - v0 v0-medium v0-hard
TicTacToe 2 - v0
TruthAndDeception 2 talk v0 v0-long v0-extreme
TwoDollar 2 talk v0
UltimateTicTacToe 2 - v0
IteratedUltimatumGame 2 talk v0 v0-alternate
UsedCarNegotiation 2 talk,wheel v0 v0-strong-buyer v0-strong-seller
UsedCar 2 talk v0-balanced
WildTicTacToe 2 - v0
WordChains 2 words v0
Snake 2-9 - v0
Snake 2-15 - v0-standard v0-large
Surround 2-9 - v0
Surround 2-15 - v0-standard v0-large
Taboo 4-16/2 talk v0 v0-animals v0-cars v0-city/country v0-food v0-literature v0-people v0-tv \
v0-long v0-full
LiarsDice 2-15 - v0-small v0 v0-large
Poker 2-15 - v0-small v0 v0-long v0-extreme
PublicGoodsGame 3:2-15 talk v0
MarketEntryGame 4:2-15 talk v0
ThreePlayerTicTacToe 3 - v0
ThreePlayerGOPS 3 - v0
ThreePlayerIPD 3 talk v0
CharacterConclave 3-15 talk v0 v0-long v0-extreme
Codenames 4 words,tagger v0 v0-hardcore
SettlersOfCatan 4 talk v0
SecretMafia 6-15 talk v0
SantoriniBaseFixed 2-3 - v0
BabyAiText 1 babyai v0
NewRecruit 2 talk v0
ScorableGames ? talk,wheel v0 v0-conservative v0-game1 v0-game2 v0-game3 v0-7players \
v0-medicalethics v0-vendorretailer
UltimateTexasHoldem 1 py312 v0
"""


class Entry(NamedTuple):
    """The row of the table for one id."""

    id: str
    family: str
    seats: range | None  # None: has to be found by trying
    default: int
    talk: bool
    slow: bool  # whether an episode starts slowly
    needs: tuple[str, ...]


def entries() -> dict[str, Entry]:
    """Return the table by id."""
    table = {}
    for line in _TABLE.strip().splitlines():
        family, seats, marks, *versions = line.split()
        numbers, default = _seats(seats)
        requirements = _needs(family, marks.split(","))
        for version in versions:
            for form in ("",) if family == "BabyAiText" else ("", "-train", "-raw"):
                id = f"{family}-{version}{form}"
                is_slow = "slow" in marks or "words" in marks
                table[id] = Entry(
                    id, family, numbers, default, "talk" in marks, is_slow, requirements
                )
    return table


def _seats(text: str) -> tuple[range | None, int]:
    if text == "?":
        return None, 0
    default, _, numbers = text.rpartition(":")
    numbers, _, step = numbers.partition("/")
    fewest, _, most = numbers.partition("-")
    return range(int(fewest), int(most or fewest) + 1, int(step or 1)), int(default or fewest)


def _needs(family: str, marks: list[str]) -> tuple[str, ...]:
    requirements = ["textarena"]
    if "words" in marks:
        requirements.append("corpus:words")
    if "tagger" in marks:
        requirements.append("corpus:averaged_perceptron_tagger_eng")
    if "py312" in marks:
        requirements.append("python>=3.12")
    if "judge" in marks:
        requirements += ["key:OPENROUTER_API_KEY", "network"]
    if "wheel" in marks and not (_package() / _ABSENT[family]).exists():
        requirements.append(f"broken: its files are not in the wheel of textarena 0.7.4; {_SOURCE}")
    if "babyai" in marks and not importlib.util.find_spec("babyai_text"):
        requirements.append(
            "broken: install BabyAI-Text from its source, since it is on no package index"
        )
    if family in _BROKEN:
        requirements.append(f"broken: {_BROKEN[family]}")
    return tuple(requirements)


def _package() -> Path:
    """Return the folder of the installed TextArena without importing it."""
    spec = importlib.util.find_spec("textarena")
    return Path(spec.origin).parent if spec and spec.origin else Path()
