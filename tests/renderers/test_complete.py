"""Pictures leave out nothing that words say: at every size, and at the largest arguments."""

import pytest
from playable import FEW, IDS, TALKS, unless

import gem_ma
from gem_ma.testing import certify

SIZES = 252, 336, 504, 1008
# What a game takes at most, or where that has no end, more than anybody plays.
LARGEST = {
    "Bargaining": {"turns": 100},
    "Battleship": {"size": 24, "ships": (9, 8, 7, 6, 5, 4, 3, 2)},  # 26: some crosses have 2.9
    "Breakthrough": {"size": 19},
    "Chameleon": {"players": 8},
    "Chess": {"notation": "san"},
    "ColonelBlotto": {"fields": 26, "troops": 2, "rounds": 40},
    "Conquest": {"players": 4, "rounds": 50},
    "Crosswords": {"num_words": 5},
    "Diplomacy": {"years": 20, "talks": 5},
    "DoubleAuction": {"players": 8, "units": 5, "max_turns": 100},
    "FifteenPuzzle": {"num_rows": 8},
    "FrozenLake": {"size": 16},
    "Game2048": {"target_tile": 65536, "board_size": 8},
    "Go": {"size": 19},
    "GuessTheNumber": {"max_number": 1_000_000, "max_turns": 100},
    "GuessWho": {"questions": 200},
    "Hangman": {"word_length": 8, "max_turns": 40},
    "Hex": {"size": 19},
    "Kitchen": {"layout": "hall", "max_turns": 400, "cooking": 99, "orders": 4},
    "LiarsDice": {"players": 6, "dice": 5},
    "MapTask": {"size": 9, "landmarks": 12, "turns": 60},
    "Mastermind": {"code_length": 5, "num_numbers": 6, "max_turns": 60, "duplicate_numbers": True},
    "Maze": {"size": 20},
    "Minesweeper": {"rows": 16, "cols": 16, "num_mines": 99, "max_turns": 700},
    "Negotiation": {"issues": 5, "turns": 100},
    "Nim": {"heaps": (40,) * 26},
    "Pictionary": {"words": 40, "rounds": 6},
    "PrisonersDilemma": {"rounds": 200},
    "PublicGoods": {"players": 20, "rounds": 100, "tokens": 999},
    "RadioMaze": {"size": 10, "turns": 60},
    "ReferenceGame": {"pictures": 9, "rounds": 30, "size": 5, "objects": 12},
    "Reversi": {"size": 16},
    "RockPaperScissors": {"rounds": 200},
    "Snake": {"size": 20, "food": 20, "max_turns": 400},
    "Sokoban": {"dim_room": (12, 12), "num_boxes": 5},
    "SpotTheDifference": {"size": 6, "objects": 20, "turns": 60},
    "Sudoku": {"clues": 20, "max_turns": 200},
    "Taboo": {"rounds": 10},
    "TexasHoldem": {"players": 6, "stack": 1000},
    "Tangram": {"turns": 60},
    "TowerofHanoi": {"num_disks": 10},
    "TwentyQuestions": {"questions": 200},
    "Werewolf": {"players": 9},
    "WikiGame": {"max_turns": 200, "min_links": 3, "max_links": 6},
    "WordSearch": {"num_words": 8},
    "Wordle": {"word_length": 8, "max_turns": 40},
}


EVERY_SIZE = pytest.mark.parametrize("size", [unless(size == SIZES[0], size) for size in SIZES])


@pytest.mark.parametrize(
    ("env_id", "size"),
    [
        *((env_id, SIZES[0]) for env_id in FEW),
        *(unless(False, env_id, SIZES[0]) for env_id in IDS if env_id not in FEW),
        *(unless(False, env_id, SIZES[1 + n % 3]) for n, env_id in enumerate(IDS)),
    ],
)
def test_views_that_differ_in_words_differ_in_pictures(env_id, size):
    env = gem_ma.make(env_id, image_size=size)
    if env.game.conversation:
        assert env_id.startswith(TALKS)  # the words of a talk arrive as text
    else:
        assert certify(env, views=15).views >= 15


@EVERY_SIZE
@pytest.mark.parametrize("name", [unless(i % 6 == 0, name) for i, name in enumerate(LARGEST)])
def test_so_they_do_at_the_largest_arguments(name, size):
    env = gem_ma.make(f"game:{name}-v0", **LARGEST[name], image_size=size)
    assert certify(env, views=10).views >= 10
