"""The games that come with the package: one line each, nothing imported until one is made."""

from gem_ma.registry import register

_GUESS = "gem_ma.envs.guess_the_number:GuessTheNumber"
register("game:GuessTheNumber-v0", _GUESS)
register("game:GuessTheNumber-v0-easy", _GUESS, min_number=1, max_number=10, max_turns=4)
register("game:GuessTheNumber-v0-hard", _GUESS, min_number=1, max_number=50, max_turns=7)
register("game:GuessTheNumber-v0-random", _GUESS, min_number=None, max_number=None, max_turns=None)
register("game:TicTacToe-v0", "gem_ma.envs.tic_tac_toe:TicTacToe")
register("game:ConnectFour-v0", "gem_ma.envs.connect_four:ConnectFour")
register("game:RockPaperScissors-v0", "gem_ma.envs.rock_paper_scissors:RockPaperScissors")
register("game:PrisonersDilemma-v0", "gem_ma.envs.prisoners_dilemma:PrisonersDilemma")
register("game:KuhnPoker-v0", "gem_ma.envs.kuhn_poker:KuhnPoker")
register("game:LiarsDice-v0", "gem_ma.envs.liars_dice:LiarsDice")
_MASTERMIND = "gem_ma.envs.mastermind:Mastermind"
_ANY = {"code_length": None, "num_numbers": None, "max_turns": None}
register("game:Mastermind-v0", _MASTERMIND)
register("game:Mastermind-v0-easy", _MASTERMIND, code_length=2, num_numbers=6, max_turns=10)
register("game:Mastermind-v0-hard", _MASTERMIND, code_length=4, num_numbers=8, max_turns=30)
register("game:Mastermind-v0-random", _MASTERMIND, **_ANY)
_MINES = "gem_ma.envs.minesweeper:Minesweeper"
_ANY = {"rows": None, "cols": None, "num_mines": None, "max_turns": None}
register("game:Minesweeper-v0", _MINES)
register("game:Minesweeper-v0-easy", _MINES, rows=5, cols=5, num_mines=5, max_turns=25)
register("game:Minesweeper-v0-hard", _MINES, rows=8, cols=8, num_mines=12, max_turns=64)
register("game:Minesweeper-v0-random", _MINES, **_ANY)
for _name, _class, _levels in (
    ("Hangman", "gem_ma.envs.hangman:Hangman", {"-easy": (3, 10), "-hard": (7, 20)}),
    ("Wordle", "gem_ma.envs.wordle:Wordle", {"-easy": (3, 15), "-hard": (5, 25)}),
):
    register(f"game:{_name}-v0", _class)
    for _level, (_length, _turns) in {**_levels, "-random": (None, None)}.items():
        register(f"game:{_name}-v0{_level}", _class, word_length=_length, max_turns=_turns)
register("game:Chess-v0", "gem_ma.envs.chess:Chess")
register("game:Battleship-v0", "gem_ma.envs.battleship:Battleship", image_size=[504, 280])
register("game:LeducPoker-v0", "gem_ma.envs.leduc_poker:LeducPoker")
register("game:ColonelBlotto-v0", "gem_ma.envs.colonel_blotto:ColonelBlotto")
register("game:PublicGoods-v0", "gem_ma.envs.public_goods:PublicGoods")
_LAKE = "gem_ma.envs.frozen_lake:FrozenLake"
register("game:FrozenLake-v0", _LAKE)
register("game:FrozenLake-v0-easy", _LAKE, size=4)
register("game:FrozenLake-v0-hard", _LAKE, size=8, slippery=True, max_turns=200)
register("game:Maze-v0", "gem_ma.envs.maze:Maze")
register("game:Maze-v0-easy", "gem_ma.envs.maze:Maze", size=4)
register("game:Maze-v0-hard", "gem_ma.envs.maze:Maze", size=10)
register("game:Blackjack-v0", "gem_ma.envs.blackjack:Blackjack")
register("game:Nim-v0", "gem_ma.envs.nim:Nim")
register("game:Reversi-v0", "gem_ma.envs.reversi:Reversi")
register("game:Hex-v0", "gem_ma.envs.hex:Hex")
register("game:Breakthrough-v0", "gem_ma.envs.breakthrough:Breakthrough")
register("game:Bargaining-v0", "gem_ma.envs.bargaining:Bargaining")
register("game:TwentyQuestions-v0", "gem_ma.envs.twenty_questions:TwentyQuestions")
register("game:GuessWho-v0", "gem_ma.envs.guess_who:GuessWho")
register("game:Codewords-v0", "gem_ma.envs.codewords:Codewords")
register("game:Werewolf-v0", "gem_ma.envs.werewolf:Werewolf")
register("game:ReferenceGame-v0", "gem_ma.envs.reference_game:ReferenceGame")
register("game:MapTask-v0", "gem_ma.envs.map_task:MapTask")
register("game:SpotTheDifference-v0", "gem_ma.envs.spot_the_difference:SpotTheDifference")
_TAU = "gem_ma.envs.tau.game:Tau"
register("tau:shop", _TAU, domain="shop", format="bare", max_turns=200)
register("tau:retail", _TAU, domain="retail", format="bare", max_turns=200)
register("tau:airline", _TAU, domain="airline", format="bare", max_turns=200)
