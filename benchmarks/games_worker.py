"""Draw random episodes of a game, or replay them for games.py, in the Python of a library.

Usage: games_worker.py draw LIBRARY GAME FILE SECONDS, or games_worker.py play LIBRARY GAME FILE.
GAME is [id, arguments] as JSON. The last line of the output is a JSON object.

`draw` plays random legal moves and writes down seeds and moves; it is not measured. `play` replays
each episode once and is measured. So all libraries follow the same rule, the search for legal moves
is not measured, and no cache has seen an episode before.
"""

import gc
import itertools
import json
import random
import string
import sys
import tempfile
import time
from pathlib import Path

FEWEST = 10  # least number of drawn episodes, however long they take
REVEALS = 0.9  # share of Minesweeper's moves that reveal; the others set flags


def gymnasium_loop(env, seed, reply):
    """Play as a user of Gymnasium or GEM does."""
    env.reset(seed=seed)
    over = False
    while not over:
        _, _, terminated, truncated, _ = env.step(reply())
        over = terminated or truncated


def observing_loop(env, seed, reply):
    """Play as TextArena's README does: observe, step, and read no info."""
    env.reset(seed=seed)
    while env.to_act:
        env.observe(env.agent_selection)
        env.step(reply())


def aec_loop(env, seed, reply):
    """Play as PettingZoo's documentation does: rewards, flags and legal moves at every turn."""
    env.reset(seed=seed)
    for _ in env.agent_iter():
        _, _, terminated, truncated, _ = env.last()
        env.step(None if terminated or truncated else reply())


def textarena_loop(env, seed, reply):
    """Play as TextArena's README does."""
    env.reset(num_players=2, seed=seed)
    done = False
    while not done:
        env.get_observation()
        done, _ = env.step(reply())
    env.close()


def ours(game, rng, view=lambda env: env, loop=observing_loop):
    import gem_ma

    env_id, arguments = game
    env = gem_ma.make(env_id, **arguments)
    played = view(env)
    allowed = OURS.get(env_id.split(":")[1].split("-")[0])

    def draw(_):
        agent = env.agent_selection
        view = env.game_state.seen_by(agent)
        legal = view.legal(agent)
        return rng.choice(allowed(legal, view, rng) if allowed else legal)

    return loop, lambda: played, draw


def ours_aec(game, rng):
    return ours(game, rng, loop=aec_loop)


def ours_gymnasium(game, rng):
    return ours(game, rng, lambda env: env.gym(), gymnasium_loop)


def gem(game, rng, view=lambda env: env):
    import gem as package

    _words()
    env_id, arguments = game
    env = package.make(env_id, **arguments)
    played = view(env)
    moves = GEM.get(env_id.split(":")[1].split("-")[0])

    def draw(_):
        if moves is None:
            return env.sample_random_action()
        return rf"\boxed{{{rng.choice(moves(env, rng))}}}"

    return gymnasium_loop, lambda: played, draw


def gem_chat(game, rng):
    """Play GEM in the wrapper that its training uses, which shows as much text as ours."""
    from gem.wrappers.wrapper_factory import WRAPPER_FACTORY

    return gem(game, rng, WRAPPER_FACTORY["concat_with_action"])


def textarena(game, rng):
    import textarena as package

    env_id, arguments = game
    moves = TEXTARENA[env_id.split("-")[0]]

    def draw(env):
        while hasattr(env, "env"):
            env = env.env
        return f"[{rng.choice(moves(env))}]"

    # A new environment per episode, made beforehand: reset keeps the last episode's texts.
    return textarena_loop, lambda: package.make(env_id, **arguments), draw


LIBRARIES = {
    "ours": ours,
    "ours_aec": ours_aec,
    "ours_gymnasium": ours_gymnasium,
    "gem": gem,
    "gem_chat": gem_chat,
    "textarena": textarena,
}


def _mine_moves(legal, view, rng):
    kind = "reveal" if rng.random() < REVEALS else "flag"
    return [move for move in legal if move.startswith(kind)] or legal


def _captures_only(legal, view, rng):
    """Leave out diagonal moves to free squares, which TextArena's Breakthrough does not know."""
    size, board = view.size, view.board
    kept = [
        m
        for m in legal
        if m[0] == m[2] or board[(int(m[3]) - 1) * size + ord(m[2]) - ord("a")] != "."
    ]
    return kept or legal  # if nothing else is legal, keep them


def _no_lower_face(legal, view, rng):
    """Leave out bids of a lower face, which TextArena's dice do not allow."""
    least = view.bid[1] if view.bid else 1
    return [move for move in legal if move == "liar" or int(move[-1]) >= least]


OURS = {  # games of which only some legal moves are drawn
    "Minesweeper": _mine_moves,
    "Breakthrough": _captures_only,
    "LiarsDice": _no_lower_face,
}


def _mines(env, rng):
    flag = rng.random() >= REVEALS
    closed = [
        f"{row} {col}"
        for row, col in itertools.product(range(env.rows), range(env.cols))
        if not env.revealed[row][col] and (flag or not env.flags[row][col])
    ]
    return [f"flag {cell}" for cell in closed] if flag else [f"reveal {cell}" for cell in closed]


def _slides(env, rng):
    (row, col), last = env._get_empty_position(), env.num_rows - 1
    can = {"up": row < last, "down": row > 0, "left": col < last, "right": col > 0}
    return [move for move in can if can[move]]


def _discs(env, rng):
    pegs = env.board
    return [
        f"{a} {b}"
        for a, b in itertools.permutations("ABC", 2)
        if pegs[a] and not (pegs[b] and pegs[b][-1] < pegs[a][-1])
    ]


def _digits(env, rng):
    cells = itertools.product(range(env.scale), range(env.scale))
    free = [(row, col) for row, col in cells if not env.board[row][col]]
    return [
        f"{row + 1} {col + 1} {digit}"
        for row, col in free
        for digit in range(1, env.scale + 1)
        if env.is_safe(env.board, row, col, digit)
    ]


def _letters(env, rng):
    rows = enumerate(env.board)
    free = [(r, c) for r, row in rows for c, cell in enumerate(row) if cell == "_"]
    return [f"{row} {col} {letter}" for row, col in free for letter in string.ascii_uppercase]


def _lines(env, rng):
    size, left = len(env.game_board), set(env.placed_words) - env.correct_words
    tried = {" ".join(map(str, attempt)) for attempt in env.attempts}
    lines = [
        f"{row} {col} {row + down * (n - 1)} {col + (1 - down) * (n - 1)}"
        for n in {len(word) for word in left}
        for row, col, down in itertools.product(range(size), range(size), (0, 1))
        if (row if down else col) + n <= size
    ]
    return [line for line in lines if line not in tried]


GEM = {  # valid moves in GEM, if its own sampler draws invalid ones too or none
    "Minesweeper": _mines,
    "FifteenPuzzle": _slides,
    "Hangman": lambda env, rng: sorted(set(string.ascii_uppercase) - env.guessed_letters),
    "Sudoku": _digits,
    "TowerofHanoi": _discs,
    "Game2048": lambda env, rng: [
        move for move in ("up", "down", "left", "right") if env._is_valid_move(move)
    ],
    "Sokoban": lambda env, rng: [
        move for move in env.action_space if not env._would_collide_with_wall(move)
    ],
    "Crosswords": _letters,
    "WordSearch": _lines,
}


def _cells(env):
    board = env.state.game_state["board"]
    return [
        3 * row + col for row, col in itertools.product(range(3), repeat=2) if not board[row][col]
    ]


def _columns(env):
    return [col for col, cell in enumerate(env.state.game_state["board"][0]) if cell == "."]


def _piles(env):
    piles = enumerate(env.state.game_state["piles"])
    return [f"{pile} {many}" for pile, n in piles for many in range(1, n + 1)]


def _pawns(env):
    size, state = env.board_size, env.state
    cells = list(itertools.product(range(size), range(size)))
    moves = [
        f"{chr(ord('a') + col)}{row + 1}{chr(ord('a') + to)}{end + 1}"
        for row, col in cells
        for end, to in cells
        if abs(end - row) == 1 and env._is_valid_move(state.current_player_id, row, col, end, to)
    ]
    return moves or ["a1a1"]  # a seat without a move loses by it


def _bids(env):
    bid, dice = env.state.game_state["current_bid"], env.state.game_state["remaining_dice"]
    bids = [
        f"bid: {many}, {face}"
        for many in range(max(1, bid["quantity"]), sum(dice.values()) + 1)
        for face in range(max(1, bid["face_value"]), 7)
        if (many, face) != (bid["quantity"], bid["face_value"])
    ]
    return [*bids, "call"] if bid["quantity"] else bids


def _shots(env):
    board = env.state.game_state["tracking_board"][env.state.current_player_id]
    return [
        f"{chr(ord('a') + row)}{col}"
        for row, cells in enumerate(board)
        for col, cell in enumerate(cells)
        if cell == "~"
    ]


def _spreads(env):
    units, fields = env.num_total_units, env.field_names
    ends = units + len(fields) - 1
    spreads = []
    for borders in itertools.combinations(range(ends), len(fields) - 1):
        edges = (-1, *borders, ends)
        sent = [b - a - 1 for a, b in itertools.pairwise(edges)]
        spreads.append(" ".join(f"{name}{n}" for name, n in zip(fields, sent, strict=True)))
    return spreads


TEXTARENA = {
    "TicTacToe": _cells,
    "ConnectFour": _columns,
    "Nim": _piles,
    "IteratedRockPaperScissors": lambda env: ["rock", "paper", "scissors"],
    "KuhnPoker": lambda env: list(env.state.game_state["current_legal_action_tree"]),
    "Othello": lambda env: [
        f"{r}, {c}" for r, c in env.state.game_state["valid_moves"] or [(0, 0)]
    ],
    "Breakthrough": _pawns,
    "LiarsDice": _bids,
    "Battleship": _shots,
    "ColonelBlotto": _spreads,
}


def _words():
    """Give NLTK a corpus of the same size if it has none, so that GEM does not download it."""
    import nltk
    from nltk.corpus import words

    nltk.download = lambda *_, **__: True
    try:
        words.words()
    except LookupError:
        folder = Path(tempfile.mkdtemp())
        (folder / "corpora/words").mkdir(parents=True)
        rng = random.Random(0)
        for name, counts in WORDS.items():
            made = [
                "".join(rng.choices(string.ascii_lowercase, k=n))
                for n, many in enumerate(counts, 1)
                for _ in range(many)
            ]
            (folder / "corpora/words" / name).write_text("\n".join(made) + "\n")
        nltk.data.path.append(str(folder))


WORDS = {  # approximate numbers of words with 1, 2, ... letters in NLTK's two lists
    "en": (52, 160, 1420, 5270, 10230, 17700, 23870, 29990, 32400, 30880, 26010, 20460, 14940, 9770,
           5930, 3380, 1810, 840, 430, 200, 80, 40, 20, 5),
    "en-basic": (2, 18, 103, 240, 180, 140, 80, 45, 25, 12, 5),
}  # fmt: skip


def draw(library, game, file, seconds):
    """Write episodes drawn in the given CPU seconds; print their mean number of turns."""
    loop, make, choose = LIBRARIES[library](game, random.Random(0))
    episodes, start = [], time.process_time()
    while len(episodes) < FEWEST or time.process_time() - start < seconds:
        env, moves = make(), []

        def reply(env=env, moves=moves):
            moves.append(choose(env))
            return moves[-1]

        loop(env, len(episodes), reply)
        episodes.append((len(episodes), moves))
    Path(file).write_text(json.dumps(episodes))
    return {"turns": sum(len(moves) for _, moves in episodes) / len(episodes)}


def play(library, game, file):
    """Replay drawn episodes, and print the episodes per CPU second."""
    loop, make, _ = LIBRARIES[library](game, random.Random(0))
    episodes = json.loads(Path(file).read_text())
    for seed, moves in episodes[:3]:  # to warm up
        left = iter(moves)
        loop(make(), seed, left.__next__)
        assert next(left, None) is None, f"{library} {game}: seed {seed} went another way"
    plays = [(make(), seed, iter(moves).__next__) for seed, moves in episodes]
    gc.collect()
    gc.freeze()  # else collections would scan waiting environments
    start = time.process_time()
    for env, seed, reply in plays:
        loop(env, seed, reply)
    return {"episodes_per_s": len(plays) / (time.process_time() - start)}


if __name__ == "__main__":
    task, library, game, file, *seconds = sys.argv[1:]
    tasks = {"draw": draw, "play": play}
    print(json.dumps(tasks[task](library, json.loads(game), file, *map(float, seconds))))
