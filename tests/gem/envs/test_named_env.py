"""GEM's classes of environments: seats of ours, with GEM's arguments and defaults."""

import importlib

import packs
import pytest

import gem_ma
from gem_ma import gem
from gem_ma.gem.envs.registration import register

GAMES = {
    "crosswords.CrosswordsEnv": "game:Crosswords-v0",
    "fifteen_puzzle.FifteenPuzzleEnv": "game:FifteenPuzzle-v0",
    "game_2048.Game2048Env": "game:Game2048-v0",
    "guess_the_number.GuessTheNumberEnv": "game:GuessTheNumber-v0",
    "hangman.HangmanEnv": "game:Hangman-v0",
    "mastermind.MastermindEnv": "game:Mastermind-v0",
    "minesweeper.MinesweeperEnv": "game:Minesweeper-v0",
    "sokoban.SokobanEnv": "game:Sokoban-v0",
    "sudoku.SudokuEnv": "game:Sudoku-v0",
    "tower_of_hanoi.TowerofHanoiEnv": "game:TowerofHanoi-v0",
    "wikigame.WikiGameEnv": "game:WikiGame-v0",
    "word_search.WordSearchEnv": "game:WordSearch-v0",
    "wordle.WordleEnv": "game:Wordle-v0",
}
SUMS = [{"problem": f"{n} + {n}?", "answer": str(2 * n)} for n in range(1, 6)]


def load(name):
    module, _, kind = f"gem_ma.gem.envs.{name}".rpartition(".")
    return getattr(importlib.import_module(module), kind)


@pytest.mark.parametrize("name", GAMES)
def test_a_class_is_a_seat_of_its_game(name):
    if missing := gem_ma.spec(GAMES[name]).list_missing():
        pytest.skip("; ".join(missing))
    env = load(f"game_env.{name}")()
    assert isinstance(env, gem.Env)
    assert env.env_id == GAMES[name]
    assert env.max_turns >= 10
    first, _ = env.reset(seed=4)
    assert env.reset(seed=4)[0] == first
    action = env.sample_random_action()
    twin = env.spawn(same_state=True)
    assert type(twin) is type(env)
    assert twin.step(action)[:4] == env.step(action)[:4]


def test_arguments_stand_in_gems_order():
    env = load("game_env.fifteen_puzzle.FifteenPuzzleEnv")(100, 4, "pure_random", 20)
    game = env.env.game
    assert (env.max_turns, game.rows, game.init_algo, game.mc_rand_moves) == (
        100, 4, "pure_random", 20,
    )  # fmt: skip
    assert load("game_env.guess_the_number.GuessTheNumberEnv")(5, 9, 3).max_turns == 3
    other = env.spawn(num_rows=3)
    assert (other.max_turns, other.env.game.rows) == (100, 3)
    with pytest.raises(TypeError, match="nonsense"):
        load("game_env.sudoku.SudokuEnv")(nonsense=3)


def test_a_limit_that_the_game_refuses_ends_the_episode():
    env = load("game_env.sokoban.SokobanEnv")(max_turns=2)
    env.reset(seed=0)
    assert [env.step(env.sample_random_action())[3] for _ in range(2)] == [False, True]


@packs.needs("tasks")
def test_environments_over_data():
    pytest.importorskip("math_verify", reason="pip install 'gem-ma[math]'")
    env = load("math_env.MathEnv")("", None, SUMS, seed=3)
    env.reset(3)
    assert env.step(rf"\boxed{{{env.answer}}}")[1] == 1.0
    assert env.seed == 3
    assert env.spawn(seed=4).seed == 4
    assert load("math_env.MathEnv").check_correct(r"so \boxed{\frac{4}{2}}", ["1", "2"])
    qa = load("qa_env.QaEnv")(dataset=SUMS, question_key="problem")
    assert "4 + 4?" in qa.reset(idx=3)[0]
    assert qa.step("<answer> The 8. </answer>")[1:3] == (1.0, True)
    assert load("qa_env.QaEnv").check_correct("the Paris", ["London", "paris"])
    assert load("qa_env.QaEnv").check_correct("42", 42)
    assert not load("qa_env.QaEnv").check_correct("43", ["42"])
    tests = {"inputs": ["3", "4"], "outputs": ["6", "8"]}
    rows = [{"problem": "Double it.", "tests": tests}]
    code = load("code_env.CodeEnv")("taco", dataset=rows, max_tests=1, verbose=True)
    code.reset()
    assert code.tests == tests
    assert code.step("```python\nprint(2 * int(input()))\n```")[1:3] == (1.0, True)
    with pytest.raises(ValueError, match="got neither dataset_name= nor dataset="):
        load("code_env.CodeEnv")()


@packs.needs("tasks")
def test_mathematics_with_pictures():
    image = pytest.importorskip("PIL.Image", reason="pip install pillow").new("RGB", (8, 8))
    env = load("math_visual_env.MathVisualEnv")(dataset=[{**SUMS[0], "images": [image]}])
    observation, info = env.reset()
    assert observation["image"].ndim == 3
    assert "1 + 1?" in observation["text"] + info.get("text", "")


@packs.needs("tasks")
def test_reasoning_gym_by_the_name_of_a_data_set():
    pytest.importorskip("reasoning_gym", reason="pip install 'gem-ma[reasoning-gym]'")
    kind = load("reasoning_gym.ReasoningGymEnv")
    env, same = kind("leg_counting", size=9), gem.make("rg:leg_counting", size=9, seed=42)
    assert (env.name, env.seed, env.env.game.size) == ("leg_counting", 42, 9)
    assert env.reset()[0] == same.reset()[0]
    assert env.spawn(seed=7).seed == 7


def test_what_games_pay_has_names():
    rewards = load("game_env.wikigame.rewards.WikiGameReward")
    env = load("game_env.wikigame.WikiGameEnv")(max_turns=1)
    env.reset(seed=0)
    links = env.env.game_state.links
    away = next(link for link in links if link != env.env.game_state.target)
    assert env.step(away)[1] == rewards.fail_reward
    assert rewards.success_reward == 1.0


def test_gems_entry_points_are_ours(monkeypatch):
    from gem_ma.envs import registry
    from gem_ma.gem.envs import registration

    monkeypatch.setattr(registry, "_specs", dict(registry._specs))
    monkeypatch.setattr(registry, "_register_elsewhere", lambda one: None)
    monkeypatch.setattr(registration, "ENV_REGISTRY", {})
    entry_point = "gem.envs.game_env.guess_the_number:GuessTheNumberEnv"
    register("game:Small-v0", entry_point, max_number=3)
    env = gem.make("game:Small-v0", max_turns=9)
    env.reset(seed=0)
    assert env.env_id == "game:Small-v0"
    assert env.max_turns == 9
