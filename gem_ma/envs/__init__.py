"""The games that come with the package: one line each, nothing imported until one is made."""

from gem_ma.envs.registry import register, register_family

_GUESS = "gem_ma.envs.guessing.guess_the_number:GuessTheNumber"
register("game:GuessTheNumber-v0", _GUESS)
register("game:GuessTheNumber-v0-easy", _GUESS, min_number=1, max_number=10, max_turns=4)
register("game:GuessTheNumber-v0-hard", _GUESS, min_number=1, max_number=50, max_turns=7)
register("game:GuessTheNumber-v0-random", _GUESS, min_number=None, max_number=None, max_turns=None)
register("game:TicTacToe-v0", "gem_ma.envs.boards.tic_tac_toe:TicTacToe")
register("game:ConnectFour-v0", "gem_ma.envs.boards.connect_four:ConnectFour")
register("game:RockPaperScissors-v0", "gem_ma.envs.markets.rock_paper_scissors:RockPaperScissors")
register("game:PrisonersDilemma-v0", "gem_ma.envs.markets.prisoners_dilemma:PrisonersDilemma")
register("game:KuhnPoker-v0", "gem_ma.envs.cards.kuhn_poker:KuhnPoker")
register("game:LiarsDice-v0", "gem_ma.envs.cards.liars_dice:LiarsDice")
for _name, _class, _names, _levels in (  # the names of the arguments, and their values by level
    (
        "FifteenPuzzle",
        "gem_ma.envs.puzzles.fifteen_puzzle:FifteenPuzzle",
        ("num_rows", "max_turns"),
        {"-easy": (2, 10), "-hard": (4, 50)},
    ),
    (
        "TowerofHanoi",
        "gem_ma.envs.puzzles.tower_of_hanoi:TowerOfHanoi",
        ("num_disks", "max_turns"),
        {"-easy": (3, 10), "-hard": (5, 35)},
    ),
    (
        "Game2048",
        "gem_ma.envs.puzzles.game_2048:Game2048",
        ("target_tile", "max_turns"),
        {"-easy": (64, 50), "-hard": (512, 50), "-extreme-hard": (2048, 100)},
    ),
    (
        "Sokoban",
        "gem_ma.envs.puzzles.sokoban:Sokoban",
        ("dim_room", "num_boxes", "max_turns"),
        {"-easy": ([6, 6], 2, 20), "-hard": ([8, 8], 4, 50)},
    ),
    (
        "Sudoku",
        "gem_ma.envs.puzzles.sudoku:Sudoku",
        ("scale", "clues", "max_turns"),
        {"-easy": (4, 10, 15), "-hard": (9, 50, 50)},
    ),
    (
        "WordSearch",
        "gem_ma.envs.words.word_search:WordSearch",
        ("num_words", "hardcore", "max_turns"),
        {"-easy": (5, False, 20), "-hard": (5, True, 20)},
    ),
    (
        "Crosswords",
        "gem_ma.envs.words.crosswords:Crosswords",
        ("num_words", "hardcore", "max_turns"),
        {"-easy": (3, False, 30), "-hard": (3, True, 40)},
    ),
    (
        "Hangman",
        "gem_ma.envs.guessing.hangman:Hangman",
        ("word_length", "max_turns"),
        {"-easy": (3, 10), "-hard": (7, 20)},
    ),
    (
        "Wordle",
        "gem_ma.envs.guessing.wordle:Wordle",
        ("word_length", "max_turns"),
        {"-easy": (3, 15), "-hard": (5, 25)},
    ),
    (
        "Mastermind",
        "gem_ma.envs.guessing.mastermind:Mastermind",
        ("code_length", "num_numbers", "max_turns"),
        {"-easy": (2, 6, 10), "-hard": (4, 8, 30)},
    ),
    (
        "Minesweeper",
        "gem_ma.envs.puzzles.minesweeper:Minesweeper",
        ("rows", "cols", "num_mines", "max_turns"),
        {"-easy": (5, 5, 5, 25), "-hard": (8, 8, 12, 64)},
    ),
):
    _needs = ("games:wordfreq",) if _name in ("Hangman", "Wordle") else ()
    register(f"game:{_name}-v0", _class, needs=_needs)
    for _level, _values in {**_levels, "-random": (None,) * len(_names)}.items():
        _arguments = dict(zip(_names, _values, strict=True))
        register(f"game:{_name}-v0{_level}", _class, needs=_needs, **_arguments)
_WIKI = "gem_ma.envs.words.wiki_game:WikiGame"
register("game:WikiGame-v0", _WIKI)
register("game:WikiGame-v0-easy", _WIKI, max_turns=15, min_links=2, max_links=3)
register("game:WikiGame-v0-hard", _WIKI, max_turns=20, min_links=5, max_links=6)
register("game:Chess-v0", "gem_ma.envs.boards.chess:Chess", needs=("games:chess",))
register("game:Battleship-v0", "gem_ma.envs.boards.battleship:Battleship", image_size=[504, 280])
register("game:LeducPoker-v0", "gem_ma.envs.cards.leduc_poker:LeducPoker")
register("game:ColonelBlotto-v0", "gem_ma.envs.markets.colonel_blotto:ColonelBlotto")
register("game:PublicGoods-v0", "gem_ma.envs.markets.public_goods:PublicGoods")
_LAKE = "gem_ma.envs.puzzles.frozen_lake:FrozenLake"
register("game:FrozenLake-v0", _LAKE)
register("game:FrozenLake-v0-easy", _LAKE, size=4)
register("game:FrozenLake-v0-hard", _LAKE, size=8, slippery=True, max_turns=200)
register("game:Maze-v0", "gem_ma.envs.puzzles.maze:Maze")
register("game:Maze-v0-easy", "gem_ma.envs.puzzles.maze:Maze", size=4)
register("game:Maze-v0-hard", "gem_ma.envs.puzzles.maze:Maze", size=10)
register("game:Blackjack-v0", "gem_ma.envs.cards.blackjack:Blackjack")
register("game:Nim-v0", "gem_ma.envs.boards.nim:Nim")
register("game:Reversi-v0", "gem_ma.envs.boards.reversi:Reversi")
register("game:Hex-v0", "gem_ma.envs.boards.hex:Hex")
register("game:Breakthrough-v0", "gem_ma.envs.boards.breakthrough:Breakthrough")
register("game:Bargaining-v0", "gem_ma.envs.markets.bargaining:Bargaining")
register("game:TwentyQuestions-v0", "gem_ma.envs.parlour.twenty_questions:TwentyQuestions")
register("game:GuessWho-v0", "gem_ma.envs.parlour.guess_who:GuessWho")
register("game:Codewords-v0", "gem_ma.envs.parlour.codewords:Codewords")
register("game:Werewolf-v0", "gem_ma.envs.parlour.werewolf:Werewolf")
register("game:ReferenceGame-v0", "gem_ma.envs.parlour.reference_game:ReferenceGame")
register("game:MapTask-v0", "gem_ma.envs.parlour.map_task:MapTask")
register("game:SpotTheDifference-v0", "gem_ma.envs.parlour.spot_the_difference:SpotTheDifference")
_TAU = "gem_ma.envs.tau.game:Tau"
register("tau:shop", _TAU, domain="shop")
register("tau:retail", _TAU, domain="retail")
register("tau:airline", _TAU, domain="airline")

# Tasks that need eyes, each in three levels and in one drawn for each episode.
for _room, _names in {
    "charts": ("BarChart", "LineChart", "Table"),
    "mazes": ("GridWalk", "MazeExit", "MazeSteps"),
    "measures": ("Angles", "Clock", "Lengths"),
    "patterns": ("Jigsaw", "Mirror", "Rotation"),
    "shapes": ("CompareShapes", "CountShapes", "OddOneOut"),
}.items():
    for _name in _names:
        _file = "".join(f"_{c.lower()}" if c.isupper() else c for c in _name).lstrip("_")
        _class = f"gem_ma.envs.visual.{_room}.{_file}:{_name}"
        register(f"visual:{_name}-v0", _class)
        for _level in ("easy", "hard", None):
            register(f"visual:{_name}-v0-{_level or 'random'}", _class, level=_level)

# Tasks over data: generated ones, your own (`data=` a file, a folder or a data set), and the Hub's.
_MATH = "gem_ma.envs.tasks.mathematics:Math"
_QA = "gem_ma.envs.tasks.qa:QA"
_CODE = "gem_ma.envs.tasks.programming:Code"
register("math:Mini", "gem_ma.envs.tasks.mini:MiniMath")
register("qa:Mini", "gem_ma.envs.tasks.mini:MiniQA")
register("code:Mini", "gem_ma.envs.tasks.mini:MiniCode", format="bare")
register("math:Data", _MATH)
register("qa:Data", _QA)
register("code:Data", _CODE, format="bare")
for _id, _data, _split in (
    ("math:ASDiv2K", "axon-rl/ASDIV-2k", None),
    ("math:GSM8K", "axon-rl/GSM-8k", None),
    ("math:Math12K", "axon-rl/MATH-12k", None),
    ("math:Math8K-3to5", "axon-rl/MATH-lvl3to5-8k", None),
    ("math:Orz57K", "axon-rl/ORZ-57k", None),
    ("math:DeepScaleR40K", "axon-rl/DeepScaleR-40K", None),
    ("eval:MATH500", "axon-rl/math-eval", "math"),
    ("eval:AMC", "axon-rl/math-eval", "amc"),
    ("eval:OlympiadBench", "axon-rl/math-eval", "olympiad_bench"),
    ("eval:Minerva", "axon-rl/math-eval", "minerva"),
    ("eval:AIME24", "axon-rl/math-eval", "aime24"),
):
    register(_id, _MATH, needs=("datasets", "math", "hub"), data=_data, split=_split)
register(
    "math:Geometry3K",
    _MATH,
    needs=("datasets", "math", "hub"),
    data="axon-rl/geometry3k",
    split="train",
    images="images",
    observe="both",
)
for _id, _data, _split in (
    ("code:CodeContest", "axon-rl/CodeContest", "train"),
    ("code:Taco8k", "axon-rl/TACO-8k", "train"),
    ("code:PrimeIntellect15k", "axon-rl/PrimeIntellect-15k", "train"),
    ("eval:CodeContest", "axon-rl/CodeContest", "test"),
):
    register(_id, _CODE, needs=("datasets", "hub"), data=_data, split=_split, format="bare")
for _depth in (0, 1, 2, 3, 5):
    register(
        f"logic:RuleTaker-d{_depth}",
        _QA,
        needs=("datasets", "hub"),
        data=f"axon-rl/RuleTaker-d{_depth}-70k",
        split="train",
        question="question",
        choices=["True", "False"],
    )
for _id, _data, _split, _question in (
    ("qa:NaturalQuestions", "axon-rl/NaturalQuestions", "train", "problem"),
    ("qa:HotpotQA", "axon-rl/HotpotQA", "train", "problem"),
    ("eval:QaOpen", "google-research-datasets/nq_open", "validation", "question"),
    ("eval:2Wiki", "axon-rl/search-eval", "2wiki", "question"),
    ("eval:PopQA", "axon-rl/search-eval", "popqa", "question"),
    ("eval:TriviaQA", "axon-rl/search-eval", "tq", "question"),
    ("eval:HotpotQA", "axon-rl/search-eval", "hotpotqa", "question"),
    ("eval:Bamboogle", "axon-rl/search-eval", "bamboogle", "question"),
    ("eval:NaturalQuestions", "axon-rl/search-eval", "nq", "question"),
    ("eval:Musique", "axon-rl/search-eval", "musique", "question"),
):
    register(_id, _QA, needs=("datasets", "hub"), data=_data, split=_split, question=_question)

# Families, whose ids are listed by tables of their own: two seats over tasks, other libraries.
for _prefix, _module in (
    ("duo", "tasks.roles"),
    ("gym", "bridges.gymnasium"),
    ("openenv", "bridges.openenv"),
    ("pz", "bridges.pettingzoo"),
    ("rg", "tasks.reasoning_gym"),
    ("ta", "bridges.textarena"),
):
    register_family(_prefix, f"gem_ma.envs.{_module}")
