"""The register: what a file calls by an old name is found."""

from pathlib import Path

import packs
import pytest

import gem_ma
from gem_ma import Spec

RECORDED = Path(__file__).with_name("recorded_before_the_move.jsonl")
# What entry points named below gem_ma.envs while its files lay side by side.
OLD = """
    bargaining:Bargaining battleship:Battleship blackjack:Blackjack
    breakthrough:Breakthrough bridges.gymnasium:Gymnasium bridges.pettingzoo:PettingZoo
    bridges.textarena:TextArena bridges.textarena:TextArenaTalk chess:Chess
    codewords:Codewords colonel_blotto:ColonelBlotto connect_four:ConnectFour
    crosswords:Crosswords fifteen_puzzle:FifteenPuzzle frozen_lake:FrozenLake
    game_2048:Game2048 guess_the_number:GuessTheNumber guess_who:GuessWho hangman:Hangman
    hex:Hex kuhn_poker:KuhnPoker leduc_poker:LeducPoker liars_dice:LiarsDice
    map_task:MapTask mastermind:Mastermind maze:Maze minesweeper:Minesweeper nim:Nim
    prisoners_dilemma:PrisonersDilemma public_goods:PublicGoods reference_game:ReferenceGame
    reversi:Reversi rock_paper_scissors:RockPaperScissors sokoban:Sokoban
    spot_the_difference:SpotTheDifference sudoku:Sudoku tasks.mathematics:Math
    tasks.mini:MiniCode tasks.mini:MiniMath tasks.mini:MiniQA tasks.programming:Code
    tasks.qa:QA tasks.reasoning_gym:ReasoningGym tasks.roles:Debate
    tasks.roles:ProposerAndSolver tasks.roles:SolverAndCritic tau.game:Tau
    tic_tac_toe:TicTacToe tower_of_hanoi:TowerOfHanoi twenty_questions:TwentyQuestions
    visual.angles:Angles visual.bar_chart:BarChart visual.clock:Clock
    visual.compare_shapes:CompareShapes visual.count_shapes:CountShapes
    visual.grid_walk:GridWalk visual.jigsaw:Jigsaw visual.lengths:Lengths
    visual.line_chart:LineChart visual.maze_exit:MazeExit visual.maze_steps:MazeSteps
    visual.mirror:Mirror visual.odd_one_out:OddOneOut visual.rotation:Rotation
    visual.table:Table werewolf:Werewolf wiki_game:WikiGame word_search:WordSearch
    wordle:Wordle
"""


def test_every_old_entry_point_is_that_of_a_game_of_today():
    today = {gem_ma.spec(id).entry_point for id in gem_ma.list_envs()}
    before = packs.present(f"gem_ma.envs.{old}" for old in OLD.split())
    found = [Spec("an:Id", old, recorded=True).entry_point for old in before]
    assert len(set(found)) == len(found)
    assert set(found) <= today
    for old, new in zip(before, found, strict=True):
        assert new.rpartition(".")[2] == old.rpartition(".")[2]


@pytest.mark.parametrize(
    "other",
    ["mine.nim:Nim", "nim:Nim", "gem_ma.envs.visual.nim:Nim", "gem_ma.envs.clock:Clock", "", ":"],
)
def test_any_other_entry_point_stays(other):
    assert Spec("an:Id", other, recorded=True).entry_point == other


def test_only_what_comes_from_a_file_has_old_names():
    assert Spec("an:Id", "gem_ma.envs.nim:Nim").entry_point == "gem_ma.envs.nim:Nim"


@pytest.mark.parametrize("number", [0, pytest.param(1, marks=packs.needs("visual"))])
def test_an_episode_with_an_old_entry_point_is_played_again(number):
    episode = list(gem_ma.load_episodes(RECORDED))[number]
    id = ("game:Nim-v0", "visual:CountShapes-v0-easy")[number]
    assert episode.spec == gem_ma.spec(id)
    assert episode.replay() == episode
