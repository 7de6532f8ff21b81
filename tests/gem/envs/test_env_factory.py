"""GEM's names of arguments: what they mean here, and what is refused with what works."""

import packs
import pytest

from gem_ma import gem
from gem_ma.envs.guessing import words
from gem_ma.envs.registry import UnknownArgument
from gem_ma.gem.envs.env_factory import translate_arguments

SUMS = [{"q": f"{n} + {n}?", "a": str(2 * n), "tests": '{"inputs": ["1"], "outputs": ["2"]}'}
        for n in range(1, 6)]  # fmt: skip


def translate(env_id, **arguments):
    return translate_arguments(env_id, arguments)


def test_what_a_game_calls_as_gem_does_stays():
    assert translate("game:Sudoku-v0", clues=30, scale=9) == {"clues": 30, "scale": 9}
    assert translate("game:WordSearch-v0", hardcore=True) == {"hardcore": True}
    assert translate("game:GuessTheNumber-v0", dataset=None, use_mp=False) == {}


def test_a_hard_word_of_hangman_is_a_rare_one():
    pytest.importorskip("wordfreq", reason="pip install 'gem-ma[games]'")
    assert translate("game:Hangman-v0", hardcore=False, word_length=4) == {"word_length": 4}
    common, hard = (
        gem.make("game:Hangman-v0-hard", hardcore=hardcore).env.game for hardcore in (False, True)
    )
    assert common.vocabulary == words.COMMON
    assert hard.vocabulary == 40_000
    env = gem.make("game:Hangman-v0-hard", hardcore=True)
    drawn = []
    for seed in range(40):
        env.reset(seed=seed)
        drawn.append(env.env.game_state.word)
    assert set(drawn) - set(words.common(7, words.COMMON))
    assert gem.make("game:Hangman-v0", hardcore=True, vocabulary=500).env.game.vocabulary == 500


def test_boards_of_the_fifteen_puzzle_are_drawn_as_gem_says():
    env = gem.make("game:FifteenPuzzle-v0-hard", init_algo="pure_random")
    assert env.env.game.init_algo == "pure_random"
    env = gem.make("game:FifteenPuzzle-v0-hard", init_algo="monte_carlo", mc_rand_moves=1)
    env.reset(seed=1)
    assert env.step(env.env.game_state.legal("player")[0])[1] in (0.0, 1.0)
    assert env.env.game.mc_rand_moves == 1
    with pytest.raises(ValueError, match="expected 'monte_carlo' or 'pure_random'"):
        gem.make("game:FifteenPuzzle-v0", init_algo="sorted")


def test_pages_of_a_kiwix_server():
    url = {"url": "http://127.0.0.1:9/", "zimfile": "book", "query_delay_ms": 5}
    assert translate("game:WikiGame-v0", backend="kiwix", trawler_kwargs=url) == {
        "source": "http://127.0.0.1:9/content/book"
    }
    assert translate("game:WikiGame-v0", backend="kiwix")["source"].startswith("http://localhost:8")
    assert translate("game:WikiGame-v0-easy", variant="noregrets", trawler_kwargs=None) == {}
    for arguments, problem in (
        ({"backend": "mw"}, "expected 'kiwix', with trawler_kwargs=.* graph= your own pages"),
        ({"trawler_kwargs": url}, "backend=None: expected 'kiwix'"),
        ({"backend": "kiwix", "trawler_kwargs": {"uri": ""}}, "got uri; expected url, zimfile"),
        ({"variant": "freenav"}, "expected 'noregrets'"),
    ):
        with pytest.raises(ValueError, match=problem):
            gem.make("game:WikiGame-v0", **arguments)
    with pytest.raises(TypeError, match=r"page_summary_length= is not supported: .* graph="):
        gem.make("game:WikiGame-v0", page_summary_length=(100, "words"))


@packs.needs("tasks")
def test_names_of_columns_and_data():
    assert translate(
        "math:GSM8K", dataset_name="a/b", split="c", question_key="q", answer_key="a"
    ) == {"data": "a/b", "split": "c", "question": "q", "answer": "a"}
    assert translate("code:Data", dataset=SUMS, dataset_name="a/b", test_key="tests") == {
        "data": SUMS,
        "answer": "tests",
    }
    assert translate("math:Geometry3K", image_key="images") == {"images": "images"}
    assert translate("math:GSM8K", dataset_name="", dataset=None) == {}
    with pytest.raises(ValueError, match="got neither dataset_name= nor dataset="):
        translate("math:Data", dataset_name="")
    env = gem.make("qa:Data", dataset=SUMS, question_key="q", answer_key="a")
    assert "3 + 3?" in env.reset(idx=2)[0]
    assert env.answer == "6"
    assert env.step("<answer>6</answer>")[1:4] == (1.0, True, False)


@packs.needs("tasks")
def test_what_says_how_gem_grades_says_nothing_here():
    silent = {"max_workers": 1, "verbose": True, "load_from_cache_file": False, "use_mp": False}
    assert translate("qa:Data", data=SUMS, sandbox_type="bwrap", **silent) == {"data": SUMS}
    with pytest.raises(
        ValueError, match=r"sandbox_type='docker': expected one of \('none', 'bwrap'"
    ):
        translate("code:Data", data=SUMS, sandbox_type="docker")
    for name in ("verbose", "hardcore", "question_key", "nonsense"):
        with pytest.raises(UnknownArgument, match=f"unexpected keyword argument '{name}'"):
            gem.make("game:TicTacToe-v0", agent="x", others="random", **{name: True})
    with pytest.raises(UnknownArgument, match="unexpected keyword argument 'eval'"):
        gem.make("qa:Data", dataset=SUMS, question_key="q", answer_key="a", eval=True)


@packs.needs("tasks")
def test_where_an_answer_stands():
    def pays(reply, **arguments):
        env = gem.make("qa:Data", dataset=SUMS, question_key="q", answer_key="a", **arguments)
        env.reset(idx=0)
        return env.step(reply)[1:3]

    boxed, tagged = r"It is \boxed{2}", "It is <answer>2</answer>"
    assert [pays(one) for one in (boxed, tagged)] == [(1.0, True)] * 2
    assert [pays(one, extract_boxed=True) for one in (boxed, tagged)] == [(1.0, True), (0.0, False)]
    assert [pays(one, extract_boxed=False) for one in (tagged, boxed)] == [
        (1.0, True),
        (0.0, False),
    ]
    assert pays("2", extract_boxed=True, format="bare") == (1.0, True)


@packs.needs("tasks")
def test_a_reply_without_a_box_costs_what_it_costs_in_gem():
    rows = [{"problem": "1 + 1?", "answer": "2"}]
    env = gem.make("math:Data", dataset=rows, use_format_error_reward=True)
    for reply, reward in ((r"\boxed{2}", 1.0), (r"\boxed{3}", 0.0), ("2", -0.1)):
        env.reset()
        assert env.step(reply)[1:4] == (reward, True, False)
    assert translate("math:Data", use_format_error_reward=False) == {}
