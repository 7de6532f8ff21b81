"""The built-in games, by id; the module of a game is imported when the game is made.

Each folder holds the games of one kind, and the helpers that only these games use. Helpers that
several kinds use are files in this folder. Games and helpers import `gem_ma.game`, `gem_ma.scene`,
`gem_ma.validation` and `gem_ma.engine.action_parsing`, but never an agent, a renderer or an API.
The last line of a game's module gives it PettingZoo's `env()`, `parallel_env()` and `raw_env()`.
"""

from gem_ma.envs.registry import register

register("game:TicTacToe-v0", "gem_ma.envs.boards.tic_tac_toe:TicTacToe")
register("game:ConnectFour-v0", "gem_ma.envs.boards.connect_four:ConnectFour")
register("game:Chess-v0", "gem_ma.envs.boards.chess:Chess", needs=["games:chess"])
register("game:Battleship-v0", "gem_ma.envs.boards.battleship:Battleship", image_size=[504, 280])
register("game:Nim-v0", "gem_ma.envs.boards.nim:Nim")
register("game:Reversi-v0", "gem_ma.envs.boards.reversi:Reversi")
register("game:Hex-v0", "gem_ma.envs.boards.hex:Hex")
register("game:Breakthrough-v0", "gem_ma.envs.boards.breakthrough:Breakthrough")
register("game:Checkers-v0", "gem_ma.envs.boards.checkers:Checkers")
register("game:Backgammon-v0", "gem_ma.envs.boards.backgammon:Backgammon")
register("game:Conquest-v0", "gem_ma.envs.boards.conquest:Conquest")
register("game:Go-v0", "gem_ma.envs.boards.go:Go")

register("game:KuhnPoker-v0", "gem_ma.envs.cards.kuhn_poker:KuhnPoker")
register("game:LeducPoker-v0", "gem_ma.envs.cards.leduc_poker:LeducPoker")
register("game:Hearts-v0", "gem_ma.envs.cards.hearts:Hearts")
register("game:TexasHoldem-v0", "gem_ma.envs.cards.texas_holdem:TexasHoldem")
register("game:LiarsDice-v0", "gem_ma.envs.cards.liars_dice:LiarsDice")
register("game:Hanabi-v0", "gem_ma.envs.cards.hanabi:Hanabi")
register("game:Blackjack-v0", "gem_ma.envs.cards.blackjack:Blackjack")

register("game:RockPaperScissors-v0", "gem_ma.envs.markets.rock_paper_scissors:RockPaperScissors")
register("game:PrisonersDilemma-v0", "gem_ma.envs.markets.prisoners_dilemma:PrisonersDilemma")
register("game:ColonelBlotto-v0", "gem_ma.envs.markets.colonel_blotto:ColonelBlotto")
register("game:PublicGoods-v0", "gem_ma.envs.markets.public_goods:PublicGoods")
register("game:Bargaining-v0", "gem_ma.envs.markets.bargaining:Bargaining")
register("game:DoubleAuction-v0", "gem_ma.envs.markets.double_auction:DoubleAuction")
register("game:Negotiation-v0", "gem_ma.envs.markets.negotiation:Negotiation")

register("game:TwentyQuestions-v0", "gem_ma.envs.parlour.twenty_questions:TwentyQuestions")
register("game:GuessWho-v0", "gem_ma.envs.parlour.guess_who:GuessWho")
register("game:Codewords-v0", "gem_ma.envs.parlour.codewords:Codewords")
register("game:Werewolf-v0", "gem_ma.envs.parlour.werewolf:Werewolf")
register("game:ReferenceGame-v0", "gem_ma.envs.parlour.reference_game:ReferenceGame")
register("game:MapTask-v0", "gem_ma.envs.parlour.map_task:MapTask")
register("game:SpotTheDifference-v0", "gem_ma.envs.parlour.spot_the_difference:SpotTheDifference")
register("game:Pictionary-v0", "gem_ma.envs.parlour.pictionary:Pictionary")
register("game:Tangram-v0", "gem_ma.envs.parlour.tangram:Tangram")
register("game:Diplomacy-v0", "gem_ma.envs.parlour.diplomacy.game:Diplomacy")
register("game:Chameleon-v0", "gem_ma.envs.parlour.chameleon:Chameleon")
register("game:Taboo-v0", "gem_ma.envs.parlour.taboo:Taboo")

register("game:Kitchen-v0", "gem_ma.envs.worlds.kitchen:Kitchen")
register("game:RadioMaze-v0", "gem_ma.envs.worlds.radio_maze:RadioMaze")
register("game:Snake-v0", "gem_ma.envs.worlds.snake:Snake")

# An argument that is None is drawn again for each episode. Difficulties 2 and 8 are GEM's "easy"
# and "hard". Difficulty 0 is trivial, and no current model solves difficulty 10.

register(
    "game:GuessTheNumber-v0",
    "gem_ma.envs.guessing.guess_the_number:GuessTheNumber",
    dial={
        0: {"min_number": 1, "max_number": 4, "max_turns": 4},
        2: {"min_number": 1, "max_number": 10, "max_turns": 4},
        8: {"min_number": 1, "max_number": 50, "max_turns": 7},
        10: {"min_number": 1, "max_number": 1000, "max_turns": 10},
    },
    levels={
        "easy": 2,
        "hard": 8,
        "random": {"min_number": None, "max_number": None, "max_turns": None},
    },
)
register(
    "game:Mastermind-v0",
    "gem_ma.envs.guessing.mastermind:Mastermind",
    dial={
        0: {"code_length": 1, "num_numbers": 4, "max_turns": 6},
        2: {"code_length": 2, "num_numbers": 6, "max_turns": 10},
        8: {"code_length": 4, "num_numbers": 8, "max_turns": 30},
        10: {"code_length": 5, "num_numbers": 8, "max_turns": 10},
    },
    levels={
        "easy": 2,
        "hard": 8,
        "random": {"code_length": None, "num_numbers": None, "max_turns": None},
    },
)
register(
    "game:Hangman-v0",
    "gem_ma.envs.guessing.hangman:Hangman",
    needs=["games:wordfreq"],
    dial={
        0: {"word_length": 3, "max_turns": 26, "vocabulary": 500},
        2: {"word_length": 3, "max_turns": 10, "vocabulary": 8000},
        3: {"word_length": 4, "max_turns": 14, "vocabulary": 2500},
        5: {"word_length": 5, "max_turns": 15, "vocabulary": 4500},
        8: {"word_length": 7, "max_turns": 20, "vocabulary": 8000},
        10: {"word_length": 7, "max_turns": 9, "vocabulary": 40000},
    },
    levels={
        "easy": {"word_length": 3, "max_turns": 10},
        "hard": {"word_length": 7, "max_turns": 20},
        "random": {"word_length": None, "max_turns": None},
    },
)
register(
    "game:Wordle-v0",
    "gem_ma.envs.guessing.wordle:Wordle",
    needs=["games:wordfreq"],
    dial={
        0: {"word_length": 3, "max_turns": 20, "vocabulary": 500},
        2: {"word_length": 3, "max_turns": 15, "vocabulary": 8000},
        8: {"word_length": 5, "max_turns": 25, "vocabulary": 8000},
        10: {"word_length": 7, "max_turns": 4, "vocabulary": 40000},
    },
    levels={
        "easy": {"word_length": 3, "max_turns": 15},
        "hard": {"word_length": 5, "max_turns": 25},
        "random": {"word_length": None, "max_turns": None},
    },
)

register(
    "game:WordSearch-v0",
    "gem_ma.envs.words.word_search:WordSearch",
    dial={
        0: {"num_words": 1, "hardcore": False, "max_turns": 20},
        2: {"num_words": 5, "hardcore": False, "max_turns": 20},
        7: {"num_words": 8, "hardcore": False, "max_turns": 20},
        8: {"num_words": 5, "hardcore": True, "max_turns": 20},
        10: {"num_words": 8, "hardcore": True, "max_turns": 8},
    },
    levels={
        "easy": 2,
        "hard": 8,
        "random": {"num_words": None, "hardcore": None, "max_turns": None},
    },
)
register(
    "game:Crosswords-v0",
    "gem_ma.envs.words.crosswords:Crosswords",
    dial={
        0: {"num_words": 1, "hardcore": False, "max_turns": 30},
        2: {"num_words": 3, "hardcore": False, "max_turns": 30},
        7: {"num_words": 5, "hardcore": False, "max_turns": 30},
        8: {"num_words": 3, "hardcore": True, "max_turns": 40},
        10: {"num_words": 5, "hardcore": True, "max_turns": 5},
    },
    levels={
        "easy": 2,
        "hard": 8,
        "random": {"num_words": None, "hardcore": None, "max_turns": None},
    },
)
register(
    "game:WikiGame-v0",
    "gem_ma.envs.words.wiki_game:WikiGame",
    dial={
        0: {"max_turns": 15, "min_links": 1, "max_links": 1},
        2: {"max_turns": 15, "min_links": 2, "max_links": 3},
        8: {"max_turns": 20, "min_links": 5, "max_links": 6},
        10: {"max_turns": 10, "min_links": 6, "max_links": 8},
    },
    levels={"easy": 2, "hard": 8},
)

register(
    "game:FifteenPuzzle-v0",
    "gem_ma.envs.puzzles.fifteen_puzzle:FifteenPuzzle",
    dial={
        0: {"num_rows": 2, "max_turns": 2},
        2: {"num_rows": 2, "max_turns": 10},
        3: {"num_rows": 3, "max_turns": 16},
        6: {"num_rows": 3, "max_turns": 40},
        8: {"num_rows": 4, "max_turns": 50},
        10: {"num_rows": 5, "max_turns": 150},
    },
    levels={"easy": 2, "hard": 8, "random": {"num_rows": None, "max_turns": None}},
)
register(
    "game:TowerofHanoi-v0",
    "gem_ma.envs.puzzles.tower_of_hanoi:TowerOfHanoi",
    dial={
        0: {"num_disks": 1, "max_turns": 10},
        2: {"num_disks": 3, "max_turns": 10},
        8: {"num_disks": 5, "max_turns": 35},
        10: {"num_disks": 8, "max_turns": 260},
    },
    levels={"easy": 2, "hard": 8, "random": {"num_disks": None, "max_turns": None}},
)
register(
    "game:Game2048-v0",
    "gem_ma.envs.puzzles.game_2048:Game2048",
    dial={
        0: {"target_tile": 8, "max_turns": 50},
        1: {"target_tile": 32, "max_turns": 50},
        2: {"target_tile": 64, "max_turns": 50},
        3: {"target_tile": 128, "max_turns": 120},
        4: {"target_tile": 128, "max_turns": 100},
        5: {"target_tile": 256, "max_turns": 200},
        6: {"target_tile": 256, "max_turns": 160},
        7: {"target_tile": 512, "max_turns": 350},
        8: {"target_tile": 512, "max_turns": 50},
        9: {"target_tile": 1024, "max_turns": 600},
        10: {"target_tile": 2048, "max_turns": 1000},
    },
    levels={
        "easy": 2,
        "hard": 8,
        "extreme-hard": {"target_tile": 2048, "max_turns": 100},
        "random": {"target_tile": None, "max_turns": None},
    },
)
register(
    "game:Sokoban-v0",
    "gem_ma.envs.puzzles.sokoban:Sokoban",
    dial={
        0: {"dim_room": [5, 5], "num_boxes": 1, "max_turns": 6},
        2: {"dim_room": [6, 6], "num_boxes": 2, "max_turns": 20},
        8: {"dim_room": [8, 8], "num_boxes": 4, "max_turns": 50},
        10: {"dim_room": [10, 10], "num_boxes": 8, "max_turns": 120},
    },
    levels={
        "easy": 2,
        "hard": 8,
        "random": {"dim_room": None, "num_boxes": None, "max_turns": None},
    },
)
register(
    "game:Sudoku-v0",
    "gem_ma.envs.puzzles.sudoku:Sudoku",
    dial={
        0: {"scale": 4, "clues": 2, "max_turns": 15},
        2: {"scale": 4, "clues": 10, "max_turns": 15},
        3: {"scale": 9, "clues": 15, "max_turns": 30},
        8: {"scale": 9, "clues": 50, "max_turns": 50},
        10: {"scale": 9, "clues": 58, "max_turns": 58},
    },
    levels={
        "easy": 2,
        "hard": 8,
        "random": {"scale": None, "clues": None, "max_turns": None},
    },
)
register(
    "game:Minesweeper-v0",
    "gem_ma.envs.puzzles.minesweeper:Minesweeper",
    dial={
        0: {"rows": 4, "cols": 4, "num_mines": 1, "max_turns": 16},
        2: {"rows": 5, "cols": 5, "num_mines": 5, "max_turns": 25},
        8: {"rows": 8, "cols": 8, "num_mines": 12, "max_turns": 64},
        10: {"rows": 16, "cols": 16, "num_mines": 50, "max_turns": 256},
    },
    levels={
        "easy": 2,
        "hard": 8,
        "random": {"rows": None, "cols": None, "num_mines": None, "max_turns": None},
    },
)
register(
    "game:FrozenLake-v0",
    "gem_ma.envs.puzzles.frozen_lake:FrozenLake",
    dial={
        0: {"size": 2, "slippery": False, "max_turns": 100},
        2: {"size": 4, "slippery": False, "max_turns": 100},
        7: {"size": 8, "slippery": False, "max_turns": 100},
        8: {"size": 8, "slippery": True, "max_turns": 200},
        10: {"size": 16, "slippery": True, "max_turns": 200},
    },
    levels={"easy": {"size": 4}, "hard": 8},
)
register(
    "game:Maze-v0",
    "gem_ma.envs.puzzles.maze:Maze",
    dial={0: {"size": 2}, 2: {"size": 4}, 8: {"size": 10}, 10: {"size": 20}},
    levels={"easy": 2, "hard": 8},
)
