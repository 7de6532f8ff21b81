"""What games draw by chance comes as often as it should: seeds are fixed, so this never flakes."""

import itertools
from collections import Counter

import numpy as np
import packs
import pytest
from game_contract import SEEDS, contracted_ids, even, fits

import gem_ma
from gem_ma.envs.boards.backgammon import Backgammon
from gem_ma.envs.boards.conquest import Conquest
from gem_ma.envs.cards.blackjack import Blackjack
from gem_ma.envs.cards.blackjack import State as Hand
from gem_ma.envs.cards.leduc_poker import LeducPoker
from gem_ma.envs.cards.leduc_poker import State as Leduc
from gem_ma.envs.cards.liars_dice import LiarsDice
from gem_ma.envs.cards.liars_dice import State as Dice
from gem_ma.envs.cards.texas_holdem import TexasHoldem
from gem_ma.envs.guessing import words
from gem_ma.envs.markets.negotiation import ISSUES
from gem_ma.envs.parlour import chameleon, pictures, tangram
from gem_ma.envs.parlour.guess_who import PEOPLE
from gem_ma.envs.parlour.map_task import LANDMARKS
from gem_ma.envs.parlour.taboo import CARDS
from gem_ma.envs.parlour.things import NOUNS
from gem_ma.envs.parlour.twenty_questions import THINGS
from gem_ma.envs.parlour.werewolf import State as Village
from gem_ma.envs.parlour.werewolf import Werewolf
from gem_ma.envs.puzzles.frozen_lake import FrozenLake
from gem_ma.envs.puzzles.frozen_lake import State as Lake
from gem_ma.envs.puzzles.game_2048 import Game2048
from gem_ma.envs.puzzles.game_2048 import State as Tiles
from gem_ma.envs.words import clues, links
from gem_ma.envs.worlds.kitchen import SOUPS


def tenth(options):
    """Return what tells which tenth of the options an outcome is in, and how likely each is."""
    place = {option: i * 10 // len(options) for i, option in enumerate(options)}
    shares = {i: n / len(options) for i, n in Counter(place.values()).items()}
    return place.__getitem__, shares


def among(options, drawn):
    """Return the two last entries of a row of STARTS for one of many options, drawn evenly."""
    place, shares = tenth(options)
    return lambda state: [place(drawn(state))], shares


def cells(text, symbol, wide):
    return [divmod(i, wide) for i, cell in enumerate(text) if cell == symbol]


def sides(cells):
    """Return on which side of the diagonal cells lie, where a rule treats both alike."""
    return [row > column for row, column in cells if row != column]


def lone(outcomes):
    """Return what was drawn first: what comes later hangs on it."""
    return list(outcomes)[:1]


def berths():
    """Return all places for a ship of four cells on a sea of 8 x 8."""
    flat = [[(row, left + i) for i in range(4)] for row in range(8) for left in range(5)]
    return [frozenset(ship) for ship in flat + [[(c, r) for r, c in ship] for ship in flat]]


def changes(state):
    """Return in what two pictures differ, cell by cell, and which of them lacks a thing."""
    for a, b in zip(*state.pictures, strict=True):
        if pictures.EMPTY in (a, b) and a != b:
            yield "left lacks it" if a == pictures.EMPTY else "right lacks it"
        elif a != b:
            yield "shade" if a.split()[1] == b.split()[1] else "figure"


def piles():
    """Return how many books, hats and balls there may be, worth 10 in three ways at least."""
    every = itertools.product(range(1, 5), repeat=3)
    worths = np.array(list(itertools.product(range(11), repeat=3)))
    return [n for n in every if 5 <= sum(n) <= 7 and (worths @ n == 10).sum() > 2]


def far(page):
    """Tell whether another page is 3 or 4 links away from this one, and on no shorter way."""
    known, edge = {page}, {page}
    for away in range(1, 5):
        edge = {link for title in edge for link in links.PAGES[title][1]} - known
        known |= edge
        if away >= 3 and edge:
            return True
    return False


def ways_of(state):
    """Return the steps from letter to letter with which the one word of a grid can be read."""
    (word,), wide = state.words, state.size
    letters = {divmod(i, wide): letter for i, letter in enumerate(state.grid)}
    for row, column in [place for place, letter in letters.items() if letter == word[0]]:
        for step in itertools.product((-1, 0, 1), repeat=2):
            places = [(row + step[0] * i, column + step[1] * i) for i in range(len(word))]
            if "".join(letters.get(place, "") for place in places) == word:
                yield step


def filling(state):
    """Return the letters of a grid without those of its one word."""
    counts = Counter(state.grid) - Counter(state.words[0])
    return list(counts.elements())


ALL = [step for step in itertools.product((-1, 0, 1), repeat=2) if any(step)]
DEALS = {(a, b): (1 if a == b else 2) / 15 for a in "JQK" for b in "JQK"}
FULL = [rank + suit for rank in (*"A23456789", "10", *"JQK") for suit in "cdhs"]
STARTS = {  # what is drawn: id, arguments, what a first state says of it, how likely each is
    "dice": ("LiarsDice-v0", {}, lambda s: itertools.chain(*s.dice), even(range(1, 7))),
    "who bids first": ("LiarsDice-v0", {}, lambda s: [s.turn], even(range(3))),
    "who begins at backgammon": (
        "Backgammon-v0", {}, lambda s: [(s.turn, s.dice)],
        even((turn, (high, low)) for turn in (0, 1) for high in range(2, 7)
             for low in range(1, high)),
    ),
    "six cards": ("LeducPoker-v0", {}, lambda s: [s.cards], DEALS),
    "any two of 52": (
        "TexasHoldem-v0", {}, lambda s: itertools.chain(*s.cards), even(FULL),
    ),
    "who has a land": ("Conquest-v0", {}, lambda s: s.owners, even(range(3))),
    "who has the first land": ("Conquest-v0", {}, lambda s: s.owners[:1], even(range(3))),
    "13 of 52": ("Hearts-v0", {}, lambda s: s.hands[0], even(FULL)),
    "where cards are passed to": ("Hearts-v0", {}, lambda s: [s.shift], even(range(4))),
    "50 cards": (
        "Hanabi-v0", {}, lambda s: itertools.chain(*s.hands),
        {(c, r): n / 50 for c in range(5) for r, n in enumerate((3, 2, 2, 2, 1))},
    ),
    "52 cards": ("Blackjack-v0", {}, lambda s: (*s.own, *s.dealer), even(FULL)),
    "size of a slide puzzle": ("FifteenPuzzle-v0-random", {}, lambda s: [s.size], even((2, 3, 4))),
    "gap": ("FifteenPuzzle-v0", {}, lambda s: sides([divmod(s.board.index(0), 3)]), even((0, 1))),
    "length of a slide": (
        "FifteenPuzzle-v0", {}, lambda s: [sum(divmod(s.board.index(0), 3)) % 2], even((0, 1)),
    ),
    "level of a sudoku": (
        "Sudoku-v0-random", {}, lambda s: [(len(s.board), s.left)],
        {(16, 15): 0.5, (81, 60): 0.25, (81, 50): 0.25},
    ),
    "digits of a box": ("Sudoku-v0-easy", {}, lambda s: s.given[0].strip("."), even("1234")),
    "maze of two ways": (
        "Maze-v0", {"size": 2}, lambda s: [(s.maze[1], s.maze[2][:3])],
        even([("#...#", "###"), ("#.#.#", "#.#")]),
    ),
    "ways at the start": (
        "Maze-v0", {}, lambda s: [s.maze[1][2]] if s.maze[1][2] != s.maze[2][1] else [], even(".#"),
    ),
    "hole": (
        "FrozenLake-v0", {"size": 3, "holes": 0.1}, lambda s: [s.lake.index("O")],
        even(range(1, 8)),
    ),
    "size of a field": ("Minesweeper-v0-random", {}, lambda s: [s.rows], even((5, 6, 7, 8))),
    "size of a room": ("Sokoban-v0-random", {}, lambda s: [s.width], even((6, 8))),
    "two first tiles": (
        "Game2048-v0", {}, lambda s: [n for row in s.board for n in row if n], {2: 0.9, 4: 0.1},
    ),
    "where tiles are": (
        "Game2048-v0", {}, lambda s: [i for i in range(16) if s.board[i // 4][i % 4]],
        even(range(16)),
    ),
    "target": ("Game2048-v0-random", {}, lambda s: [s.target], even((16, 32, 64))),
    "discs": ("TowerofHanoi-v0-random", {}, lambda s: [len(s.pegs[0])], even((3, 4, 5))),
    "length of a hidden word": ("Hangman-v0-random", {}, lambda s: [len(s.word)], even((3, 5, 7))),
    "hidden word": ("Hangman-v0", {}, *among(words.common(5), lambda s: s.word)),
    "length of a word": ("Wordle-v0-random", {}, lambda s: [len(s.word)], even((3, 4, 5))),
    "word": ("Wordle-v0", {}, *among(words.common(5), lambda s: s.word)),
    "level of a code": (
        "Mastermind-v0-random", {}, lambda s: [(len(s.code), s.digits)],
        even([(2, 4), (4, 6), (4, 8)]),
    ),
    "code": (
        "Mastermind-v0-easy", {}, lambda s: [s.code],
        even(map("".join, itertools.permutations("123456", 2))),
    ),
    "code with repeats": (
        "Mastermind-v0-easy", {"duplicate_numbers": True}, lambda s: [s.code],
        even(map("".join, itertools.product("123456", repeat=2))),
    ),
    "number": ("GuessTheNumber-v0", {}, lambda s: [s.secret], even(range(1, 21))),
    "lowest number": ("GuessTheNumber-v0-random", {}, lambda s: [s.low], even(range(1, 11))),
    "span": ("GuessTheNumber-v0-random", {}, lambda s: [s.high - s.low], even(range(5, 51))),
    "long ships": (
        "Battleship-v0", {}, lambda s: [frozenset(cells(sea, "A", 8)) for sea in s.seas],
        even(berths()),
    ),
    "landmarks": (
        "MapTask-v0", {}, lambda s: [n for n in s.landmarks if n != pictures.EMPTY],
        even(LANDMARKS),
    ),
    "where landmarks are": (
        "MapTask-v0", {}, lambda s: [i for i, n in enumerate(s.landmarks) if n != pictures.EMPTY],
        even(range(36)),
    ),
    "where a route begins": (
        "MapTask-v0", {}, lambda s: [s.route[0] // 18], even((0, 1)),
    ),
    "lacking landmarks": (
        "MapTask-v0", {}, lambda s: map(pictures.taken(s.landmarks).index, s.lacking),
        even(range(8)),
    ),
    "team that begins": ("Codewords-v0", {}, lambda s: [s.team], even((0, 1))),
    "assassin": ("Codewords-v0", {}, lambda s: [s.key.index("x")], even(range(25))),
    "words on the table": ("Codewords-v0", {}, *among(NOUNS, lambda s: s.words[0])),
    "target of the pictures": (
        "ReferenceGame-v0", {}, lambda s: [s.target], even(range(4)),
    ),
    "word to draw": ("Pictionary-v0", {}, *among(THINGS, lambda s: s.word)),
    "word on the card": ("Taboo-v0", {}, *among(list(CARDS), lambda s: s.word)),
    "chameleon": ("Chameleon-v0", {}, lambda s: [s.chameleon[-1]], even("0123")),
    "card": ("Chameleon-v0", {}, lambda s: [s.topic], even(chameleon.CARDS)),
    "word of a card": (
        "Chameleon-v0", {}, lambda s: [chameleon.CARDS[s.topic].index(s.secret)], even(range(16)),
    ),
    "pieces of a figure": (
        "Tangram-v0", {"pieces": 2}, lambda s: [spot.piece for spot in s.figure],
        even(tangram.NAMES),
    ),
    "how many differences": ("SpotTheDifference-v0", {}, lambda s: [s.many], even((1, 2, 3))),
    "differences": (
        "SpotTheDifference-v0", {}, changes,
        {"figure": 1 / 3, "shade": 1 / 3, "left lacks it": 1 / 6, "right lacks it": 1 / 6},
    ),
    "things in a picture": (
        "SpotTheDifference-v0", {"differences": 1},
        lambda s: lone(thing for a, thing in zip(*s.pictures, strict=True) if a == thing != "."),
        even(pictures.OBJECTS),
    ),
    "people": ("GuessWho-v0", {}, lambda s: s.people, even(PEOPLE)),
    "thing": ("TwentyQuestions-v0", {}, *among(THINGS, lambda s: s.secret)),
    "wolf": ("Werewolf-v0", {}, lambda s: [s.roles.index("wolf")], even(range(6))),
    "seer": ("Werewolf-v0", {}, lambda s: [s.roles.index("seer")], even(range(6))),
    "issues": ("Negotiation-v0", {}, lambda s: s.issues, even(ISSUES)),
    "first option": (
        "Negotiation-v0", {}, lambda s: [s.values[0][0][0] < s.values[0][0][3]], even((0, 1)),
    ),
    "piles": ("Bargaining-v0", {}, lambda s: [s.counts], even(piles())),
    "values": ("Bargaining-v0", {}, lambda s: [s.values[0] > s.values[1]], even((0, 1))),
    "orders of soup": ("Kitchen-v0", {}, lambda s: s.orders, even(SOUPS)),
    "height of a kitchen": (
        "Kitchen-v0", {"layout": "random"}, lambda s: [len(s.rows)], even(range(5, 9)),
    ),
    "values and costs": (
        "DoubleAuction-v0", {"players": 8, "units": 1},
        lambda s: [(worth[0] - 1) // 10 for worth in s.worth], even(range(10)),
    ),
    "right door": (
        "RadioMaze-v0", {},
        lambda s: [[(r, c) for r, row in enumerate(s.rows) for c, one in enumerate(row)
                    if one == "D"].index(s.right)],
        even(range(4)),
    ),
    "where a walker begins": ("RadioMaze-v0", {}, lambda s: [s.at[0] // 2], even(range(5))),
    "row of a snake": ("Snake-v0", {}, lambda s: [s.snakes[0][0][0]], even(range(1, 8))),
    "first food": (
        "Snake-v0", {"size": 6, "food": 1}, lambda s: [s.food[0][0] < 3], even((True, False)),
    ),
    "way of a word": (
        "Crosswords-v0-easy", {"num_words": 1}, lambda s: [s.entries[0].direction],
        even(("across", "down")),
    ),
    "crossing word": (
        "Crosswords-v0-easy", {"num_words": 1},
        *among([word for word, _ in clues.EASY], lambda s: s.words[0]),
    ),
    "easy ways of a word": (
        "WordSearch-v0-easy", {"num_words": 1}, ways_of, even([(0, 1), (1, 0)]),
    ),
    "ways of a word": ("WordSearch-v0-hard", {"num_words": 1}, ways_of, even(ALL)),
    "other letters": (
        "WordSearch-v0-easy", {"num_words": 1}, filling, even("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    ),
    "page": ("WikiGame-v0", {}, *among(list(filter(far, links.PAGES)), lambda s: s.path[0])),
}  # fmt: skip


@pytest.mark.parametrize("drawn", STARTS, ids=lambda drawn: f"{STARTS[drawn][0]}: {drawn}")
def test_what_is_drawn_at_the_start(drawn):
    id, arguments, outcomes, expected = STARTS[drawn]
    game = gem_ma.make(f"game:{id}", **arguments).game
    states = (game.start(np.random.default_rng(seed), {}) for seed in range(SEEDS))
    fits(itertools.chain.from_iterable(map(outcomes, states)), expected)


def test_every_first_state_that_is_drawn_is_held():
    own = contracted_ids()  # asked in their own test files
    games = {gem_ma.spec(id).entry_point: id for id in gem_ma.list_envs("game:*") if id not in own}
    held = {gem_ma.spec(f"game:{id}").entry_point for id, *_ in STARTS.values()}
    for entry, id in games.items():
        game = gem_ma.make(id).game
        drawn = {repr(game.start(np.random.default_rng(seed), {})) for seed in range(5)}
        assert len(drawn) == 1 or entry in held, id


def later(step, many=SEEDS):
    """Return what one step that draws leads to, seed by seed."""
    return [step(np.random.default_rng(seed)) for seed in range(many)]


@pytest.mark.parametrize("forfeit", [False, True])
def test_dice_of_liarsdice_are_rolled_anew(forfeit):
    game = LiarsDice(3, 4)
    state = Dice(game.agents, ((1,) * 4, (2,) * 4, (2,) * 4), (4, 4, 4), 0, (9, 1), 2)

    def roll(rng):
        if forfeit:
            return game.forfeit(state, "player_0", rng)
        return game.advance(state, {"player_0": "liar"}, rng)

    hands = [hand for after in later(roll) for hand in after.dice]
    assert {len(hand) for hand in hands} == ({0, 4} if forfeit else {3, 4})
    fits(itertools.chain(*hands), even(range(1, 7)))


def test_dice_of_conquest_are_rolled_anew():
    game = Conquest()
    start = game.start(np.random.default_rng(0), {})._replace(new=0, armies=(9,) * 12)
    attack = next(move for move in start.legal("red") if move.startswith("attack"))
    after = later(lambda rng: game.advance(start, {"red": attack}, rng).rolled)
    assert {tuple(map(len, rolled)) for rolled in after} == {(3, 2)}
    fits(itertools.chain(*itertools.chain(*after)), even(range(1, 7)))


def test_dice_of_backgammon_are_rolled_anew():
    game = Backgammon()
    start = game.start(np.random.default_rng(0), {})
    after = later(lambda rng: game.advance(start, {start.to_act()[0]: None}, rng))
    assert not any(state.lost for state in after)
    rolls = {(a, b): (1 if a == b else 2) / 36 for a in range(1, 7) for b in range(1, a + 1)}
    fits([state.dice for state in after], rolls)


def test_the_open_card_of_leducpoker_is_one_of_those_left():
    bets = Leduc(("J", "Q"), rounds=(("check",),))
    after = later(lambda rng: LeducPoker().advance(bets, {"second": "check"}, rng).board)
    fits(after, {"J": 0.25, "Q": 0.25, "K": 0.5})


def test_open_cards_of_texasholdem_are_any_of_those_left():
    game = TexasHoldem(2, 4)
    start = game.start(np.random.default_rng(0), {})
    state = game.advance(start, {"player_0": "raise 4"}, None)
    left = set(FULL) - set(itertools.chain(*start.cards))
    boards = later(lambda rng: game.advance(state, {"player_1": "call"}, rng).board)
    assert all(len(set(board)) == 5 for board in boards)
    fits(itertools.chain(*boards), even(left))


def test_a_card_drawn_in_blackjack_is_any_of_the_deck():
    hand = Hand(("2s", "2h"), ("9s", "7h"))
    fits(later(lambda rng: Blackjack().advance(hand, {"player": "hit"}, rng).own[2]), even(FULL))
    fits(
        later(lambda rng: Blackjack().advance(hand, {"player": "stick"}, rng).dealer[2]), even(FULL)
    )


@pytest.mark.parametrize(
    ("move", "cells"), [("left", (1, 3, 7)), ("up", (1, 3, 5)), ("right", (1, 5, 7))]
)
def test_slippery_ice_of_frozenlake_leads_ahead_or_to_a_side(move, cells):
    game = FrozenLake(size=3, slippery=True)
    lake = Lake("........G", 3, 10, at=4)
    fits(later(lambda rng: game.advance(lake, {"player": move}, rng).at), even(cells))


def test_a_new_tile_of_game2048_comes_anywhere_and_is_seldom_a_4():
    tiles = Tiles(((0, 0, 0, 8), *[(0,) * 4] * 3), 2048, 9, 8)
    after = later(lambda rng: Game2048().advance(tiles, {"player": "left"}, rng).board)
    new = [(place, n) for board in after for place, n in enumerate(itertools.chain(*board)) if n]
    new = [(place, n) for place, n in new if n != 8]
    fits([place for place, _ in new], even(range(1, 16)))
    fits([n for _, n in new], {2: 0.9, 4: 0.1})


def test_mines_of_minesweeper_are_anywhere_but_at_the_first_cell():
    game = gem_ma.make("game:Minesweeper-v0").game
    state = game.start(np.random.default_rng(0), {})
    move = game.read("reveal 3 0", state, "player")
    after = later(lambda rng: game.advance(state, {"player": move}, rng).field)
    beside = {(row, column) for row in (2, 3, 4) for column in (0, 1)}
    free = set(itertools.product(range(8), repeat=2)) - beside
    mines = [cells(field, "*", 8) for field in after]
    assert {len(found) for found in mines} == {10}
    fits(itertools.chain(*mines), even(free))


def test_wolves_of_werewolf_who_disagree_kill_either():
    seats = tuple(f"player_{i}" for i in range(7))
    roles = ("wolf", "wolf", "seer", *["villager"] * 4)
    state = Village(seats, roles, (True,) * 7, (False,) * 7)
    moves = {"player_0": "player_3", "player_1": "player_4", "player_2": None}
    after = later(lambda rng: Werewolf(7).advance(state, moves, rng).alive.index(False))
    fits(after, even((3, 4)))


def test_boxes_of_sokoban_have_their_goals_anywhere():
    game = gem_ma.make("game:Sokoban-v0").game
    boards = [state.board for state in later(lambda rng: game.start(rng, {}), 150)]
    goals = {cell for board in boards for symbol in ".+*" for cell in cells(board, symbol, 6)}
    assert goals == set(itertools.product(range(1, 5), repeat=2))
    assert {sum(map(board.count, "$*")) for board in boards} == {3}


ANSWERS = {  # of questions about pictures whose right answer is drawn evenly
    "Clock": even(f"{hour}:{minute:02}" for hour in range(1, 13) for minute in range(0, 60, 30)),
    "CompareShapes": even(("arrow", "disc", "heart", "ring", "square", "star", "triangle")),
    "CountShapes": even(map(str, range(9))),
    "Jigsaw": even("ABCDE"),
    "MazeExit": even("ABCD"),
    "Mirror": even("ABCD"),
    "OddOneOut": even(column + row for column in "ABCDE" for row in "12345"),
    "Rotation": even("ABCD"),
}


@packs.needs("visual")
@pytest.mark.parametrize("task", ANSWERS)
def test_right_answers_are_as_frequent(task):
    game = gem_ma.make(f"visual:{task}-v0").game
    answers = later(lambda rng: game.start(rng, {}).answer)
    if task == "Clock":  # to the half hour
        answers = [f"{hour}:{int(m) // 30 * 30:02}" for hour, m in (a.split(":") for a in answers)]
    fits(answers, ANSWERS[task])


@packs.needs("visual")
def test_in_another_trait_two_or_more_shapes_of_oddoneout_differ():
    game = gem_ma.make("visual:OddOneOut-v0").game
    shapes = [state.shown[1] for state in later(lambda rng: game.start(rng, {}))]
    fewer = [min(Counter(trait).values()) for all in shapes for trait in zip(*all, strict=True)]
    assert Counter(fewer)[1] == Counter(fewer)[25] == SEEDS  # the odd one, and what all share
    fits([n for n in fewer if n not in (1, 25)], even(range(2, 13)))
