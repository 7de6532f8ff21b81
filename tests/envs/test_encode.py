"""What `encode` says, beside what a reader finds in the text of the same view."""

import itertools
import math
import re

import numpy as np
import pytest
from game_contract import ENCODED_PLAYS, compared_ids, contracted_ids, views

import gem_ma
from gem_ma.envs.parlour import guess_who, twenty_questions


def numbers(text):
    return [int(n) for n in re.findall(r"\d+", text)]


def after(text, label):
    """Return the number that stands behind a label."""
    return numbers(text.partition(label)[2])[0]


def board(text, wide):
    """Return the cells of the lines that have a number in front and so many cells."""
    lines = [line.split() for line in text.splitlines()]
    return [line[1:] for line in lines if len(line) == wide + 1 and line[0].isdigit()]


def planes(cells, *kinds):
    """Return a plane for each kind: 1 where a cell is one of these symbols."""
    return [[[cell in kind for cell in row] for row in cells] for kind in kinds]


def one_hot(index, of):
    return [int(i == index) for i in range(of)]


def liars_dice(text, agent, players=3, dice=3):
    own = int(agent[-1])
    hands = [line.partition(": ")[2].split() for line in text.splitlines()[:players]]
    hands = [hand if hand != ["out"] else [] for hand in hands]
    faces = [hands[own].count(face) / dice for face in "123456"]
    bid = re.search(r"Bid: (\d+)x(\d)", text)
    quantity, face = (int(bid[1]) / (players * dice), int(bid[2]) - 1) if bid else (0, None)
    counts = [len(hand) / dice for hand in hands[own:] + hands[:own]]
    return [*faces, *counts, quantity, *one_hot(face, 6)]


def leduc_poker(text, agent):
    card, shown = (re.search(rf"{name} (.)", text)[1] for name in (agent, "open"))
    row = [*(card == c for c in "JQK"), *(shown == c for c in "JQK")]
    for line in re.findall(r"Round \d: (.*)", text):
        bets = [*line.split(", "), *[""] * 4][:4]
        for bet in bets:
            row += [bet in ("check", "call"), bet == "raise"]
    return row


def blackjack(text, agent):
    dealer, own = (re.search(rf"{who}.*: (.*)", text)[1].split() for who in ("Dealer", "You"))
    worth = {"A": 11, "J": 10, "Q": 10, "K": 10}
    total = sum(worth.get(card[:-1]) or int(card[:-1]) for card in own)
    high = sum(card[0] == "A" for card in own)
    while total > 21 and high:
        total, high = total - 10, high - 1
    shown = dealer[0][:-1]
    return [total / 31, (1 if shown == "A" else worth.get(shown) or int(shown)) / 10, high > 0]


def colonel_blotto(text, agent, fields=3, troops=10, rounds=5):
    head, *past = text.splitlines()
    left, *won = numbers(head)
    sent = dict.fromkeys(("left", "right"), [0] * fields)
    for who, spread in re.findall(r"(left|right) ([\d,]+)", past[-1] if past else ""):
        sent[who] = [n / troops for n in numbers(spread)]
    order = ("left", "right") if agent == "left" else ("right", "left")
    won = won if agent == "left" else won[::-1]
    return [*sent[order[0]], *sent[order[1]], *(n / rounds for n in (*won, left))]


def last_choices(text, agent):
    last = re.search(r"left (\S+), right (\S+)$", text)
    return (last.groups() if agent == "left" else last.groups()[::-1]) if last else ("", "")


def rock_paper_scissors(text, agent, rounds=10):
    kinds = ("rock", "paper", "scissors")
    row = []
    for move in last_choices(text, agent):
        row += [*(move == kind for kind in kinds), move not in kinds]
    return [*row, after(text, "Rounds left:") / rounds]


def prisoners_dilemma(text, agent, rounds=10):
    choices = last_choices(text, agent)
    row = [move == kind for move in choices for kind in ("cooperate", "defect")]
    return [*row, after(text, "Rounds left:") / rounds]


def public_goods(text, agent, players=4, tokens=10, rounds=8):
    own, last = int(agent[-1]), text.splitlines()[-1]
    given = last.partition(". ")[2].split(", ") if last[0].isdigit() else ["0"] * players
    given = [0 if n == "-" else int(n) / tokens for n in given]
    gone = re.findall(r"player_\d", text.partition("Left the game:")[2].partition("\n")[0])
    here = [f"player_{i}" not in gone for i in range(players)]
    turned = [row[own:] + row[:own] for row in (given, here)]
    return [*itertools.chain(*turned), after(text, "Rounds left:") / rounds]


def connect_four(text, agent):
    cells = [line.split() for line in text.splitlines()[1:7]]
    return planes(cells, *("RY" if agent == "red" else "YR"), ".")


def two_colors(text, agent, size):
    cells = board(text, size)
    return planes(cells, *("WB" if agent == "white" else "BW"), ".")


def checkers(text, agent):
    rows = board(text, 8)
    mine, theirs = "bw" if agent == "black" else "wb"
    where = re.search(r"(\w\d) has to jump on", text)
    on = [[bool(where) and f + r == where[1] for f in "abcdefgh"] for r in "87654321"]
    kinds = (mine,), (mine.upper(),), (theirs,), (theirs.upper(),), (".",)
    return [*planes(rows, *kinds), on]


def nim(text, agent, most=5):
    return [one_hot(numbers(line)[0], most + 1) for line in text.splitlines()]


def chess(text, agent):
    rows = board(text, 8)
    files, ranks = "abcdefgh", "87654321"
    pieces = "PNBRQKpnbrqk" if agent == "white" else "pnbrqkPNBRQK"
    square = re.search(r"en passant (..?)", text)[1].strip()
    passant = [[f + r == square for f in files] for r in ranks]
    rights = re.search(r"Castling (\S+),", text)[1]
    own, other = (rights, rights.swapcase())[:: 1 if agent == "white" else -1]
    seen = min(after(text, "position seen"), 3) / 3
    full = [*(letter in own for letter in "KQ"), *(letter in other for letter in "KQ")]
    full += [agent == "white", after(text, "Clock") / 100, seen]
    return [*planes(rows, *pieces), passant, *(np.full((8, 8), value) for value in full)]


def battleship(text, agent, size=8):
    sea, shots = (board(text.partition(title)[2], size)[:size] for title in ("sea:", "shots:"))
    kinds = planes(sea, "ABCDabcd", "abcd", "o")
    return kinds + planes(shots, "o", "x", "ABCDabcd")


def fifteen_puzzle(text, agent, size=3, turns=50):
    lines = [line.replace("_", "0").split() for line in text.splitlines()]
    cells = np.zeros((size, size))
    lines = [line for line in lines if line and all(cell.isdigit() for cell in line)]
    for (row, line), column in itertools.product(enumerate(lines), range(len(lines))):
        cells[row, column] = int(line[column]) / (size * size - 1)
    return [*cells.ravel(), after(text, "Turns left:") / turns]


def sudoku(text, agent, size=9):
    found = np.zeros((size + 1, size, size))
    lines = [re.findall(r"\+?[\d.]", line) for line in text.splitlines() if line[:1].isdigit()]
    for row, (_, *line) in enumerate(lines):
        for column, cell in enumerate(line):
            if cell != ".":
                found[int(cell[-1]) - 1, row, column] = 1
                found[size, row, column] = "+" not in cell
    return found


def maze(text, agent):
    return planes([line for line in text.splitlines() if " " not in line], "#", ".", "E*", "@*")


def frozen_lake(text, agent, size=4):
    cells = [line.split() for line in text.splitlines()[:size]]
    return planes(cells, "OX", "G*", "@X*")


def tower_of_hanoi(text, agent, discs=3, turns=100):
    pegs = [numbers(line.partition(":")[2]) for line in text.splitlines()[1:4]]
    row = [disc in peg for peg in pegs for disc in range(1, discs + 1)]
    return [*row, after(text, "Turns left:") / turns]


def minesweeper(text, agent, size=8):
    lines = [line.split()[1:] for line in text.splitlines()[1:] if line.split()[0].isdigit()]
    found = np.zeros((3, size, size))
    for (row, line), column in itertools.product(enumerate(lines), range(len(lines[0]))):
        cell = line[column]
        found[:, row, column] = (
            cell in ".*FWM",
            cell in "FWM",
            int(cell) / 8 if cell.isdigit() else 0,
        )
    return found


def game_2048(text, agent, target=2048, turns=1000):
    cells = re.findall(r"\d+|\.", text.partition("Target")[0])
    values = [0 if cell == "." else int(cell) for cell in cells] + [after(text, "Target:")]
    shares = [math.log(value, target) if value else 0 for value in values]
    return [*shares, after(text, "Turns left:") / turns]


def sokoban(text, agent, size=6, turns=100):
    rows = [line.ljust(size, "#") for line in text.splitlines() if " " not in line]
    rows += ["#" * size] * (size - len(rows))
    left = after(text, "Turns left:") / turns
    return [*planes(rows, *"#-.$*@+"), np.full((size, size), left)]


def hangman(text, agent, longest=5):
    letters = "abcdefghijklmnopqrstuvwxyz"
    word = re.search(r"Word: (.*)", text)[1].split()
    missed = re.search(r"not in the word: (.*)\.", text)[1].split(", ")
    rows = [[place == letter for letter in letters] for place in word]
    rows += [[False] * 26] * (longest - len(word))
    tried = [letter in missed or letter in word for letter in letters]
    return [*rows, tried, [i < len(word) for i in range(26)]]


def snake(text, agent, size=9):
    rows = [line[3:].split() for line in text.splitlines() if line[:2].strip().isdigit()]
    found = []
    for seat in (agent, "right" if agent == "left" else "left"):
        body = re.search(rf"{seat}, from its head: (.*)", text)[1].split()
        places = [(int(name[1:]) - 1, ord(name[0]) - 65) for name in body]
        faded = np.zeros((size, size))
        for i, place in enumerate(places):
            faded[place] = 1 - i / len(places)
        found += [planes(rows, seat[0].upper())[0], faded]
    return [*found, planes(rows, "*")[0]]


def guess_the_number(text, agent, lowest=1, highest=20):
    low, high, *_ = numbers(text)
    guesses = re.findall(r"^(\d+): .*?(lower|higher|correct)", text, re.MULTILINE)
    holds = {"lower": int.__lt__, "higher": int.__gt__, "correct": int.__eq__}
    possible = [
        low <= n <= high and all(holds[hint](n, int(guess)) for guess, hint in guesses)
        for n in range(lowest, highest + 1)
    ]
    left = after(text, "Guesses left:")
    return [*possible, left / (left + len(guesses))]


def answers(asked, open):
    """Return what each answer counts: 1 yes, 0.5 no, 0.25 none or none yet."""
    known = {about: {"yes": 1, "no": 0.5}.get(answer, 0.25) for about, answer in asked}
    return known | ({open: 0.25} if open else {})


def questions_asked(view, agent, questions=20):
    topics = [*twenty_questions.QUESTIONS, *twenty_questions.THINGS]
    known = answers(view.asked, view.open)
    row = [known.get(topic, 0) for topic in topics]
    row += [thing == view.secret for thing in twenty_questions.THINGS]
    return [*row, (view.left + 1) / (questions + 1)]


def people_asked(view, agent):
    rows = []
    for seat in (0, 1) if agent == "first" else (1, 0):
        known = answers(view.asked[seat], view.open if view.turn == seat else None)
        row = [known.get(question, 0) for question in guess_who.QUESTIONS]
        rows.append(row + [person == view.people[seat] for person in guess_who.PEOPLE])
    return rows


def of(reader, **arguments):
    """Return the reader with the numbers of a level."""
    return lambda text, agent: reader(text, agent, **arguments)


CASES = {  # id -> how its text is read
    "Battleship-v0": battleship,
    "Blackjack-v0": blackjack,
    "Breakthrough-v0": of(two_colors, size=8),
    "Checkers-v0": checkers,
    "Chess-v0": chess,
    "ColonelBlotto-v0": colonel_blotto,
    "ConnectFour-v0": connect_four,
    "FifteenPuzzle-v0": fifteen_puzzle,
    "FifteenPuzzle-v0-random": of(fifteen_puzzle, size=4),
    "FrozenLake-v0": frozen_lake,
    "FrozenLake-v0-hard": of(frozen_lake, size=8),
    "Game2048-v0": game_2048,
    "Game2048-v0-random": of(game_2048, target=64, turns=50),
    "Go-v0": of(two_colors, size=9),
    "GuessTheNumber-v0": guess_the_number,
    "GuessTheNumber-v0-random": of(guess_the_number, highest=60),
    "GuessWho-v0": people_asked,
    "Hangman-v0": hangman,
    "Hangman-v0-random": of(hangman, longest=7),
    "Hex-v0": of(two_colors, size=7),
    "LeducPoker-v0": leduc_poker,
    "LiarsDice-v0": liars_dice,
    "Maze-v0": maze,
    "Minesweeper-v0": minesweeper,
    "Minesweeper-v0-random": minesweeper,
    "Nim-v0": nim,
    "PrisonersDilemma-v0": prisoners_dilemma,
    "PublicGoods-v0": public_goods,
    "Reversi-v0": of(two_colors, size=8),
    "RockPaperScissors-v0": rock_paper_scissors,
    "Snake-v0": snake,
    "Sokoban-v0": sokoban,
    "Sokoban-v0-random": of(sokoban, size=8, turns=50),
    "Sudoku-v0": sudoku,
    "Sudoku-v0-random": sudoku,
    "TowerofHanoi-v0": tower_of_hanoi,
    "TowerofHanoi-v0-random": of(tower_of_hanoi, discs=5, turns=35),
    "TwentyQuestions-v0": questions_asked,
}


@pytest.mark.parametrize("id", CASES)
def test_the_numbers_say_what_the_text_says(id):
    game, compared = gem_ma.make(f"game:{id}").game, 0
    for seed in range(ENCODED_PLAYS):
        for state in views(game, seed):
            for seat in game.agents if state.to_act() or id != "Battleship-v0" else ():
                view, read = state.seen_by(seat), CASES[id]
                text = (
                    view if read in (people_asked, questions_asked) else game.describe(view, seat)
                )
                found, expected = game.encode(view, seat), np.array(read(text, seat), np.float32)
                assert found.shape == expected.shape
                np.testing.assert_allclose(found, expected, atol=1e-6)
                compared += 1
    assert compared > ENCODED_PLAYS


def test_every_game_with_numbers_is_read_a_second_way():
    own = contracted_ids()  # asked in their own test files
    ids = [id for id in gem_ma.list_envs("game:*") if id not in own]
    games = {id: gem_ma.spec(id).entry_point for id in ids}
    made = {entry: gem_ma.make(id).game for id, entry in reversed(games.items())}
    encoded = {e for e, game in made.items() if type(game).encode is not gem_ma.Game.encode}
    read_here = {games[f"game:{id}"] for id in CASES}
    read_in_own_files = {games[id] for id in compared_ids() if id in games}
    assert not read_here & read_in_own_files
    assert read_here | read_in_own_files == encoded
