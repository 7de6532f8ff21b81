"""Play random episodes of one game for games.py, in the interpreter of whoever is measured.

Usage: games_worker.py SECONDS TASK ID; the last line printed is a JSON object.
"""

import json
import random
import sys
import time


def ours(env_id):
    """Play one seat through Gymnasium's API, every observation and info included."""
    import gem_ma

    env = gem_ma.make_gym(env_id)

    def play(number):
        env.reset(seed=number)
        over = False
        while not over:
            _, _, terminated, truncated, _ = env.step(env.sample_random_action())
            over = terminated or truncated

    return play


def gem(env_id):
    """Play GEM's with its own random actions, or with valid ones where its sampler has none."""
    import gem as package

    _words()
    env = package.make(env_id)
    choose, number_of = random.Random(0).choice, random.Random(0).randrange
    family = env_id.split(":")[1].split("-")[0]

    def act():
        if family == "FifteenPuzzle":
            return rf"\boxed{{{choose(('up', 'down', 'left', 'right'))}}}"
        if family == "TowerofHanoi":
            one, other = random.sample("ABC", 2)
            return rf"\boxed{{{one} {other}}}"
        if family == "Sudoku":
            size = env.scale
            cells = [number_of(size) + 1 for _ in range(3)]
            return rf"\boxed{{{cells[0]} {cells[1]} {cells[2]}}}"
        action = env.sample_random_action()
        if family in ("Crosswords", "WordSearch"):  # its own parser takes no brackets
            return action.replace("[", "").replace("]", "")
        return action

    def play(number):
        env.reset(seed=number)
        over = False
        while not over:
            _, _, terminated, truncated, _ = env.step(act())
            over = terminated or truncated

    return play


def _words():
    """Give nltk a list of words where its corpus is not there: GEM would fetch it."""
    try:
        import nltk
        from nltk.corpus import words
    except ImportError:
        return
    try:
        words.words()
    except LookupError:
        rng = random.Random(0)
        letters = "etaoinshrdlucmfwypvbgkqjxz"
        made = ["".join(rng.choices(letters, k=n)) for n in (3, 4, 5, 6, 7, 8) for _ in range(5000)]
        words.words = lambda *_: made
        nltk.download = lambda *_, **__: True


def aec(env_id):
    """Play all seats through our AEC loop, observations included."""
    import gem_ma

    env = gem_ma.make(env_id)
    choose = random.Random(0).choice

    def play(number):
        env.reset(seed=number)
        for _ in env.agent_iter():
            _, _, terminated, truncated, info = env.last()
            env.step(None if terminated or truncated else choose(info["legal_actions"]))

    return play


def textarena(env_id):
    """Play TextArena's default id as its README does, with legal moves read off its state."""
    import textarena as ta

    choose = random.Random(0).choice

    def moves(env):
        state = env.state.game_state
        name = env_id.split("-")[0]
        if name == "TicTacToe":
            cells = [(r, c) for r in range(3) for c in range(3) if state["board"][r][c] == ""]
            row, column = choose(cells)
            return f"[{row * 3 + column}]"
        if name == "ConnectFour":
            return f"[{choose([c for c, cell in enumerate(state['board'][0]) if cell == '.'])}]"
        if name == "Nim":
            piles = [(i, n) for i, n in enumerate(state["piles"]) if n]
            pile, count = choose(piles)
            return f"[{pile} {choose(range(1, count + 1))}]"
        if name == "Chess":
            board = env.board if hasattr(env, "board") else state["board"]
            return f"[{choose(list(board.legal_moves)).uci()}]"
        return choose(("[rock]", "[paper]", "[scissors]"))

    def play(number):
        env = ta.make(env_id)  # a new one: reset leaves the last episode in its texts
        env.reset(num_players=2, seed=number)
        done = False
        while not done:
            env.get_observation()
            inner = env
            while hasattr(inner, "env"):
                inner = inner.env
            done, _ = env.step(action=moves(inner))
        env.close()

    return play


def measure(play, seconds):
    """Play for so many CPU seconds, after some to warm up, and return the rate."""
    for number in range(3):
        play(number)
    episodes, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        play(episodes)
        episodes += 1
    return {"episodes_per_s": episodes / spent}


TASKS = {f.__name__: f for f in (ours, gem, aec, textarena)}

if __name__ == "__main__":
    seconds, task, env_id = sys.argv[1:]
    print(json.dumps(measure(TASKS[task](env_id), float(seconds))))
