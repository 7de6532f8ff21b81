"""What an id stands for, and which arguments a game takes: results of others hang on both."""

import inspect

import packs
import pytest
from game_contract import contracted_ids

import gem_ma

LEVELS = {  # game -> arguments, and their values by level
    "Bargaining": ("turns", {"": (6,)}),
    "Battleship": ("size ships", {"": (8, (4, 3, 3, 2))}),
    "Blackjack": ("natural sab", {"": (False, False)}),
    "Breakthrough": ("size", {"": (8,)}),
    "Chameleon": ("players", {"": (4,)}),
    "ColonelBlotto": ("fields troops rounds", {"": (3, 10, 5)}),
    "Conquest": ("players rounds", {"": (3, 8)}),
    "Crosswords": (
        "num_words hardcore max_turns partial",
        {"": (3, False, 30, False), "-easy": (3, False, 30), "-hard": (3, True, 40)},
    ),
    "Diplomacy": ("years talks", {"": (3, 1)}),
    "DoubleAuction": ("players units max_turns", {"": (4, 3, 20)}),
    "FifteenPuzzle": ("num_rows max_turns", {"": (3, 50), "-easy": (2, 10), "-hard": (4, 50)}),
    "FrozenLake": (
        "size slippery max_turns holes",
        {"": (4, False, 100, 0.25), "-easy": (4, False, 100), "-hard": (8, True, 200)},
    ),
    "Game2048": (
        "target_tile max_turns board_size",
        {"": (2048, 1000, 4), "-easy": (64, 50), "-hard": (512, 50), "-extreme-hard": (2048, 100)},
    ),
    "Go": ("size komi", {"": (9, 7.5)}),
    "GuessTheNumber": (
        "min_number max_number max_turns",
        {"": (1, 20, 20), "-easy": (1, 10, 4), "-hard": (1, 50, 7)},
    ),
    "GuessWho": ("questions", {"": (20,)}),
    "Hanabi": ("players", {"": (2,)}),
    "Hangman": (
        "word_length max_turns vocabulary",
        {"": (5, 20, 8000), "-easy": (3, 10), "-hard": (7, 20)},
    ),
    "Hex": ("size", {"": (7,)}),
    "Kitchen": ("layout max_turns cooking orders", {"": ("galley", 120, 10, 2)}),
    "LiarsDice": ("players dice", {"": (3, 3)}),
    "MapTask": ("size landmarks lacking turns", {"": (6, 8, 3, 12)}),
    "Mastermind": (
        "code_length num_numbers max_turns duplicate_numbers",
        {"": (4, 6, 20, False), "-easy": (2, 6, 10), "-hard": (4, 8, 30)},
    ),
    "Maze": ("size max_turns sight", {"": (6, None, None), "-easy": (4,), "-hard": (10,)}),
    "Minesweeper": (
        "rows cols num_mines max_turns partial",
        {"": (8, 8, 10, 64, False), "-easy": (5, 5, 5, 25), "-hard": (8, 8, 12, 64)},
    ),
    "Negotiation": ("issues turns", {"": (4, 6)}),
    "Nim": ("heaps", {"": ((3, 4, 5),)}),
    "Pictionary": ("words rounds", {"": (12, 3)}),
    "PrisonersDilemma": ("rounds", {"": (10,)}),
    "PublicGoods": ("players rounds multiplier tokens", {"": (4, 8, 1.6, 10)}),
    "RadioMaze": ("size turns", {"": (5, 15)}),
    "ReferenceGame": ("pictures rounds size objects", {"": (4, 1, 3, 4)}),
    "Reversi": ("size", {"": (8,)}),
    "RockPaperScissors": ("rounds", {"": (10,)}),
    "Snake": ("size food max_turns", {"": (9, 2, 100)}),
    "Sokoban": (
        "dim_room num_boxes max_turns",
        {"": ((6, 6), 3, 100), "-easy": ([6, 6], 2, 20), "-hard": ([8, 8], 4, 50)},
    ),
    "SpotTheDifference": ("differences size objects turns", {"": (None, 5, 10, 10)}),
    "Sudoku": (
        "clues max_turns scale partial",
        {"": (40, 60, 9, False), "-easy": (10, 15, 4), "-hard": (50, 50, 9)},
    ),
    "Taboo": ("rounds", {"": (3,)}),
    "TexasHoldem": ("players stack", {"": (2, 100)}),
    "Tangram": ("pieces turns", {"": (7, 8)}),
    "TowerofHanoi": ("num_disks max_turns", {"": (3, 100), "-easy": (3, 10), "-hard": (5, 35)}),
    "TwentyQuestions": ("questions", {"": (20,)}),
    "Werewolf": ("players", {"": (6,)}),
    "WikiGame": (
        "max_turns min_links max_links",
        {"": (15, 2, 4), "-easy": (15, 2, 3), "-hard": (20, 5, 6)},
    ),
    "WordSearch": (
        "num_words hardcore max_turns partial",
        {"": (5, False, 20, False), "-easy": (5, False, 20), "-hard": (5, True, 20)},
    ),
    "Wordle": (
        "word_length max_turns only_real_words vocabulary",
        {"": (5, 20, True, 8000), "-easy": (3, 15), "-hard": (5, 25)},
    ),
}
EDGES = {  # game -> arguments that are just right, and such as are just wrong
    "Bargaining": ([{"turns": 1}], [{"turns": 0}]),
    "Battleship": (
        [{"size": 2, "ships": (2,)}, {"size": 26}, {"ships": (1,)}, {"size": 4, "ships": (4, 4)}],
        [{"size": 1, "ships": (1,)}, {"size": 27}, {"ships": ()}, {"ships": (0,)}, {"ships": (9,)},
         {"size": 4, "ships": (4, 4, 1)}],
    ),
    "Breakthrough": ([{"size": 5}, {"size": 19}], [{"size": 4}, {"size": 20}]),
    "Chess": ([{"notation": "san"}], [{"notation": "pgn"}, {"fen": "8/8/8/8/8/8/8/K1k5 w - - 0"}]),
    "Chameleon": ([{"players": 3}, {"players": 8}], [{"players": 2}, {"players": 9}]),
    "ColonelBlotto": (
        [{"fields": 2}, {"fields": 26, "troops": 1}, {"fields": 2, "troops": 999}, {"rounds": 1},
         {"fields": 26, "troops": 2}],
        [{"fields": 1}, {"fields": 27, "troops": 1}, {"fields": 2, "troops": 1000}, {"rounds": 0},
         {"troops": 0}, {"fields": 3, "troops": 140}],
    ),
    "Conquest": (
        [{"players": 2}, {"players": 4}, {"rounds": 1}, {"rounds": 50}],
        [{"players": 1}, {"players": 5}, {"rounds": 0}, {"rounds": 51}],
    ),
    "Crosswords": ([{"num_words": 1}, {"num_words": 5}], [{"num_words": 0}, {"num_words": 6}]),
    "Diplomacy": (
        [{"years": 1}, {"years": 20}, {"talks": 0}, {"talks": 5}],
        [{"years": 0}, {"years": 21}, {"talks": -1}, {"talks": 6}],
    ),
    "DoubleAuction": (
        [{"players": 2}, {"players": 8}, {"units": 1}, {"units": 5}, {"max_turns": 1}],
        [{"players": 1}, {"players": 9}, {"units": 0}, {"units": 6}, {"max_turns": 0}],
    ),
    "FifteenPuzzle": ([{"num_rows": 2}, {"num_rows": 8}], [{"num_rows": 1}, {"num_rows": 9}]),
    "FrozenLake": (
        [{"size": 2}, {"size": 16}, {"holes": 0}, {"holes": 1}, {"max_turns": 6}],
        [{"size": 1}, {"size": 17}, {"holes": -0.1}, {"holes": 1.1}, {"max_turns": 5}],
    ),
    "Game2048": (
        [{"target_tile": 8}, {"target_tile": 65536}, {"board_size": 2}, {"board_size": 8}],
        [{"target_tile": 4}, {"target_tile": 131072}, {"target_tile": 24}, {"board_size": 1},
         {"board_size": 9}],
    ),
    "Go": (
        [{"size": 3, "komi": 0}, {"size": 19}, {"komi": 81}],
        [{"size": 2, "komi": 0}, {"size": 20}, {"komi": -0.5}, {"komi": 82}],
    ),
    "GuessTheNumber": (
        [{"min_number": 20}, {"max_turns": 1}], [{"min_number": 21}, {"max_turns": 0}],
    ),
    "GuessWho": ([{"questions": 1}], [{"questions": 0}]),
    "Hanabi": ([{"players": 3}, {"players": 5}], [{"players": 1}, {"players": 6}]),
    "Hangman": (
        [{"max_turns": 1}, {"max_turns": 40}],
        [{"max_turns": 0}, {"max_turns": 41}, {"max_turns": None}, {"word_length": 12}],
    ),
    "Hex": ([{"size": 2}, {"size": 19}], [{"size": 1}, {"size": 20}]),
    "Kitchen": (
        [{"layout": "random"}, {"layout": "hall"}, {"max_turns": 1}, {"cooking": 1},
         {"cooking": 99}, {"orders": 1}, {"orders": 4}],
        [{"layout": "bar"}, {"max_turns": 0}, {"cooking": 0}, {"cooking": 100}, {"orders": 0},
         {"orders": 5}],
    ),
    "LiarsDice": ([{"players": 2}, {"dice": 1}], [{"players": 1}, {"dice": 0}]),
    "MapTask": (
        [{"size": 4}, {"size": 9}, {"turns": 1}, {"lacking": 0}, {"lacking": 8},
         {"landmarks": 12}],
        [{"size": 3}, {"size": 10}, {"turns": 0}, {"lacking": -1}, {"lacking": 9},
         {"landmarks": 13}],
    ),
    "Mastermind": (
        [{"code_length": 1}, {"code_length": 6}, {"num_numbers": 9}, {"max_turns": 1},
         {"max_turns": 60}],
        [{"code_length": 0}, {"code_length": 7, "num_numbers": 7}, {"num_numbers": 10},
         {"max_turns": 0}, {"max_turns": 61}, {"code_length": 5, "num_numbers": 9},
         {"code_length": 1, "num_numbers": 1}, {"max_turns": None}],
    ),
    "Maze": (
        [{"size": 2}, {"size": 20}, {"sight": 1}, {"max_turns": 36}],
        [{"size": 1}, {"size": 21}, {"sight": 0}, {"max_turns": 35}],
    ),
    "Minesweeper": (
        [{"rows": 3, "cols": 8}, {"rows": 16}, {"cols": 3, "rows": 8}, {"cols": 16},
         {"num_mines": 1}, {"num_mines": 54}, {"max_turns": 1}],
        [{"rows": 2}, {"rows": 17}, {"cols": 2}, {"cols": 17}, {"num_mines": 0},
         {"num_mines": 55}, {"max_turns": 0}, {"rows": None}],
    ),
    "Negotiation": (
        [{"issues": 2}, {"issues": 5}, {"turns": 1}], [{"issues": 1}, {"issues": 6}, {"turns": 0}],
    ),
    "Nim": (
        [{"heaps": (1,)}, {"heaps": (40,)}], [{"heaps": ()}, {"heaps": (0,)}, {"heaps": (41,)}],
    ),
    "PrisonersDilemma": ([{"rounds": 1}], [{"rounds": 0}]),
    "Pictionary": (
        [{"words": 2, "rounds": 2}, {"words": 40}, {"rounds": 1}, {"rounds": 6}],
        [{"words": 1, "rounds": 1}, {"words": 41}, {"rounds": 0}, {"rounds": 7},
         {"words": 2, "rounds": 3}],
    ),
    "PublicGoods": (
        [{"players": 2}, {"players": 20}, {"rounds": 1}, {"tokens": 1}, {"tokens": 999},
         {"multiplier": 0.1}],
        [{"players": 1}, {"players": 21}, {"rounds": 0}, {"tokens": 0}, {"tokens": 1000},
         {"multiplier": 0}, {"multiplier": float("inf")}],
    ),
    "RadioMaze": (
        [{"size": 3}, {"size": 10}, {"turns": 1}], [{"size": 2}, {"size": 11}, {"turns": 0}],
    ),
    "ReferenceGame": (
        [{"pictures": 2}, {"pictures": 9}, {"rounds": 1}, {"size": 2, "objects": 2}, {"size": 5},
         {"objects": 8}, {"objects": 2}],
        [{"pictures": 1}, {"pictures": 10}, {"rounds": 0}, {"size": 1}, {"size": 6},
         {"objects": 9}, {"objects": 1}],
    ),
    "Reversi": ([{"size": 4}, {"size": 16}], [{"size": 2}, {"size": 18}, {"size": 7}]),
    "RockPaperScissors": ([{"rounds": 1}], [{"rounds": 0}]),
    "Snake": (
        [{"size": 6}, {"size": 20}, {"food": 1}, {"food": 9}, {"max_turns": 1}],
        [{"size": 5}, {"size": 21}, {"food": 0}, {"food": 10}, {"max_turns": 0}],
    ),
    "Sokoban": (
        [{"dim_room": (5, 5), "num_boxes": 1}, {"dim_room": (12, 12)}, {"num_boxes": 1},
         {"max_turns": 18}, {"dim_room": (6, 5), "num_boxes": 2}],
        [{"dim_room": (4, 9)}, {"dim_room": (6, 13)}, {"num_boxes": 0}, {"num_boxes": 4},
         {"max_turns": 17}],
    ),
    "SpotTheDifference": (
        [{"differences": 1}, {"differences": 3}, {"size": 2, "objects": 3}, {"size": 6},
         {"objects": 25}, {"turns": 1}],
        [{"differences": 0}, {"differences": 4}, {"size": 1, "objects": 3}, {"size": 7},
         {"objects": 26}, {"objects": 2}, {"turns": 0}],
    ),
    "Sudoku": ([{"clues": 1}, {"scale": 4}], [{"clues": 0}, {"scale": 16}, {"max_turns": 0}]),
    "Taboo": ([{"rounds": 1}, {"rounds": 10}], [{"rounds": 0}, {"rounds": 11}]),
    "TexasHoldem": (
        [{"players": 6}, {"stack": 4}, {"stack": 1000}],
        [{"players": 1}, {"players": 7}, {"stack": 3}, {"stack": 1001}],
    ),
    "Tangram": (
        [{"pieces": 2}, {"pieces": 7}, {"turns": 1}],
        [{"pieces": 1}, {"pieces": 8}, {"turns": 0}],
    ),
    "TowerofHanoi": ([{"num_disks": 1}, {"num_disks": 10}], [{"num_disks": 0}, {"num_disks": 11}]),
    "TwentyQuestions": ([{"questions": 1}], [{"questions": 0}]),
    "Werewolf": ([{"players": 5}, {"players": 9}], [{"players": 4}, {"players": 10}]),
    "WikiGame": (
        [{"max_turns": 1}, {"min_links": 1}, {"min_links": 4}],
        [{"max_turns": 0}, {"min_links": 0}, {"min_links": 5}],
    ),
    "WordSearch": ([{"num_words": 1}, {"num_words": 8}], [{"num_words": 0}, {"num_words": 9}]),
    "Wordle": (
        [{"max_turns": 1}, {"max_turns": 40}],
        [{"max_turns": 0}, {"max_turns": 41}, {"max_turns": None}],
    ),
}  # fmt: skip


@pytest.mark.parametrize("game", LEVELS)
def test_the_numbers_of_a_level(game):
    names, levels = LEVELS[game][0].split(), dict(LEVELS[game][1])
    ids = [id for id in gem_ma.list_envs("game:*") if id.split(":")[1].split("-")[0] == game]
    if f"game:{game}-v0-random" in ids:
        levels |= {"-random": (None,) * len(levels["-hard"])}
    assert {id.removeprefix(f"game:{game}-v0") for id in ids} == levels.keys()
    made = type(gem_ma.make(f"game:{game}-v0").game)
    own = {name: p.default for name, p in inspect.signature(made).parameters.items()}
    for level, values in levels.items():
        given = own | dict(gem_ma.spec(f"game:{game}-v0{level}").kwargs)
        assert tuple(given[name] for name in names[: len(values)]) == values


DIALLED = [id for id in gem_ma.list_envs("game:*-v0") if gem_ma.spec(id).dial]


@pytest.mark.parametrize("id", DIALLED)
def test_easy_and_hard_stand_on_the_dial(id):
    made = type(gem_ma.make(id).game)
    own = {name: p.default for name, p in inspect.signature(made).parameters.items()}
    for level, difficulty in (("easy", 2), ("hard", 8)):
        spec = gem_ma.spec(f"{id}-{level}")
        assert own | dict(spec.kwargs) == own | dict(spec.dial[difficulty])
    for difficulty in range(11):
        env = gem_ma.make(id, difficulty=difficulty)
        env.reset(seed=difficulty)
        assert env.to_act == ("player",)


@pytest.mark.parametrize("game", EDGES)
def test_what_a_game_can_be_made_of(game):
    made = type(gem_ma.make(f"game:{game}-v0").game)
    right, wrong = EDGES[game]
    for arguments in right:
        made(**arguments)
    for arguments in wrong:
        with pytest.raises(ValueError, match=r"\w"):
            made(**arguments)


def tabled_ids():
    """Return the ids of games whose own test files do not say what stands in the tables here."""
    return [id for id in gem_ma.list_envs("game:*-v0") if id not in contracted_ids()]


TOGETHER = {
    *(
        "ColonelBlotto",
        "Kitchen",
        "PrisonersDilemma",
        "PublicGoods",
        "RockPaperScissors",
        "Snake",
    ),
}


def test_what_games_say_of_themselves():
    for id in tabled_ids():
        game, name = gem_ma.make(id).game, id.split(":")[1].split("-")[0]
        assert game.simultaneous == (name in TOGETHER), id
        assert (game.conversation, game.blocking, game.oracle) == (False, False, False), id
        assert game.max_tool_calls is None


@packs.needs("tau")
def test_the_shop_as_it_is_without_arguments():
    game = gem_ma.make("tau:shop").game
    assert (game.conversation, game.oracle, game.blocking) == (True, True, False)
    parameters = inspect.signature(type(game)).parameters.values()
    assert {p.name: p.default for p in parameters if p.default is not p.empty} == {
        "domain": "shop",
        "split": "test",
        "strict": False,
        "user_reward": None,
        "max_calls": None,
        "max_steps": None,
        "hashes": False,
        "world": 0,
        "size": 50,
        "dual": False,
        "unjudged": False,
        "wishes": None,
    }


SEATS = {  # of games for several; who plays alone is called player
    **dict.fromkeys(("Bargaining", "Battleship", "GuessWho"), "first second"),
    **dict.fromkeys(("LeducPoker", "Nim"), "first second"),
    **dict.fromkeys(("Backgammon", "Breakthrough", "Chess"), "white black"),
    "Chameleon": "player_0 player_1 player_2 player_3",
    "Diplomacy": "north east south west",
    "Codewords": "north_giver north_guesser south_giver south_guesser",
    **dict.fromkeys(("ColonelBlotto", "PrisonersDilemma", "RockPaperScissors"), "left right"),
    "ConnectFour": "red yellow",
    "Conquest": "red blue white",
    **dict.fromkeys(("Checkers", "Go", "Hex", "Reversi"), "black white"),
    "Hanabi": "player_0 player_1",
    "DoubleAuction": "buyer_0 buyer_1 seller_0 seller_1",
    "Kitchen": "first second",
    "LiarsDice": "player_0 player_1 player_2",
    "MapTask": "giver follower",
    "Negotiation": "buyer seller",
    "Pictionary": "artist guesser",
    "PublicGoods": "player_0 player_1 player_2 player_3",
    "RadioMaze": "walker guide",
    "ReferenceGame": "speaker listener",
    "Snake": "left right",
    "SpotTheDifference": "player_0 player_1",
    "Taboo": "giver guesser",
    "Hearts": "player_0 player_1 player_2 player_3",
    "TexasHoldem": "player_0 player_1",
    "Tangram": "guide builder",
    "TwentyQuestions": "asker answerer",
    "Werewolf": "player_0 player_1 player_2 player_3 player_4 player_5",
}


def test_what_seats_are_called():
    for id in tabled_ids():
        seats = SEATS.get(id.removeprefix("game:").removesuffix("-v0"), "player")
        assert gem_ma.make(id).possible_agents == seats.split(), id
