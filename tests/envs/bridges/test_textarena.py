"""TextArena's games as games: seeds, secrets, invalid moves, forfeits, and every id."""

import collections
import concurrent.futures
import contextlib
import functools
import importlib.util
import io
import json
import os
import pickle
import random
import re
import subprocess
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env as gymnasium_check_env
from pettingzoo.test import api_test, parallel_api_test, seed_test

import gem_ma
from gem_ma.envs.bridges import textarena as bridge
from gem_ma.envs.bridges import textarena_moves
from gem_ma.envs.bridges.textarena_ids import entries
from gem_ma.envs.registry import MissingRequirement, spec
from gem_ma.game import InvalidMove
from gem_ma.testing import check_env

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("textarena") is None, reason="pip install 'gem-ma[textarena]'"
)

TAGGER = "averaged_perceptron_tagger_eng"
# Their episodes change in TextArena itself when another game is played in between.
INTERLEAVED = """
2048 Bandit Blackjack IndianPoker IteratedStagHunt KuhnPoker LiarsDice Minesweeper PigDice Poker
SecretMafia SettlersOfCatan Snake SpellingBee Taboo UltimateTexasHoldem
"""
SAMPLED = """
2048-v0-3x3 Battleship-v0 Blackjack-v0 Breakthrough-v0-blind-train Briscola-v0 CharacterConclave-v0
Codenames-v0 ColonelBlotto-v0 ConnectFour-v0-raw Countdown-v0 Crosswords-v0 Cryptarithm-v0
DontSayIt-v0-unlimited FrozenLake-v0 GermanWhist-v0 Golf-v0 GuessTheNumber-v0 Hangman-v0
HighSociety-v0 IteratedPrisonersDilemma-v0 IteratedUltimatumGame-v0 KuhnPoker-v0-train
LetterAuction-v0 LightsOut-v0-train MarketEntryGame-v0 Mastermind-v0 MemoryGame-v0 Minesweeper-v0
NewRecruit-v0 Othello-v0-tiny Poker-v0-small PublicGoodsGame-v0 SantoriniBaseFixed-v0 SecretMafia-v0
SettlersOfCatan-v0 SimpleNegotiation-v0 Slitherlink-v0 Snake-v0 Stratego-v0 Sudoku-v0 Taboo-v0-full
Tak-v0 ThreePlayerGOPS-v0 TicTacToe-v0 TruthAndDeception-v0 TwoDollar-v0 WordChains-v0 Wordle-v0
"""
IDS, SAMPLE = list(entries()), SAMPLED.split()
BRIEF = [id for id in IDS if not id.endswith(("-train", "-raw"))]  # the other forms play the same


@pytest.fixture(scope="module", autouse=True)
def corpora(tmp_path_factory):
    """Make word lists out of what TextArena ships, where NLTK's own are not there."""
    nltk = pytest.importorskip("nltk", reason="pip install 'gem-ma[textarena]'")
    folder = tmp_path_factory.mktemp("nltk")
    write_corpora(folder)
    nltk.data.path.append(str(folder))
    old = os.environ.get("NLTK_DATA")
    os.environ["NLTK_DATA"] = str(folder)  # for other processes
    yield
    nltk.data.path.remove(str(folder))
    os.environ.pop("NLTK_DATA")
    if old is not None:
        os.environ["NLTK_DATA"] = old


def write_corpora(folder):
    package = Path(importlib.util.find_spec("textarena").origin).parent
    lines = (package / "envs/utils/data/en_US.dic").read_text().splitlines()
    words = sorted({line.partition("/")[0] for line in lines})
    words = [word for word in words if word.isascii() and word.isalpha() and word.islower()]
    basic = [w for w in words if len(w) == 4][::2] + [w for w in words if len(w) in (5, 7)][::40]
    for name in ("words", TAGGER):
        (folder / "corpora" / name).mkdir(parents=True)
    (folder / "corpora/words/en").write_text("\n".join(words))
    (folder / "corpora/words/en-basic").write_text("\n".join(basic))
    tagger = folder / "taggers" / TAGGER
    tagger.mkdir(parents=True)
    for part, value in (("weights", {}), ("tagdict", dict.fromkeys(words, "NN")), ("classes", [])):
        (tagger / f"{TAGGER}.{part}.json").write_text(json.dumps(value))


def make(name, **options):
    """Make a game whose seats are asked again however often they are wrong."""
    try:
        return gem_ma.make(f"ta:{name}", **{"max_invalid": 1_000_000, **options})
    except MissingRequirement as error:
        pytest.skip(str(error))


ITEM = re.compile(r"\[[^\[\]\n]{1,40}\]")
SHAPES = """
[#]|[# #]|[# # #]|[# # # #]|[#, #]|[@# @#]|[@#@#]|[@#]|[@ #]|[h # #]|[v # #]|[# # +]|[play 1]|[up]
|[left]|[accept]|[reject]|[deny]|[draw]|[pass]|[hold]|[call]|[fold]|[E]|[stag]|[done]|[bid 3]|[dog]
|[horse 2]|[A6 B6 C8]|[Offer: # Wood -> # Sheep]|[Offer: $#]|[Propose] $1.00|[Propose] ABCDEABC
|{hello} [#]|hello there|[Accept]|[#->#]|[place () {(#,#): [F0]}]|[]|[[]]|[-1]|[9999999999]|[0.5]
""".replace("\n", "").split("|")


def reply(rng, seen):
    """Return something that may well be a move: a text in brackets that was seen, or a shape."""
    items = ITEM.findall(seen)
    if items and rng.random() < 0.6:
        return rng.choice(items)
    shape = rng.choice(SHAPES)
    shape = re.sub("#", lambda _: str(rng.randrange(9)), shape)
    return re.sub("@", lambda _: rng.choice("abcdefgh"), shape)


def play(env, seed, turns, say=reply):
    """Play from a seed; yield all that is delivered."""
    rng, seen = random.Random(seed), collections.defaultdict(str)
    env.reset(seed=seed)
    for _ in range(turns):
        if not env.to_act:
            break
        (agent,) = env.to_act
        text = env.observe(agent)["text"]
        legal = env.info(agent).get("legal_actions")
        seen[agent] = seen[agent][:2000] + text
        move = (
            rng.choice(legal)
            if legal and (say is None or rng.random() < 0.8)
            else say(rng, seen[agent])
        )
        env.submit({agent: move})
        yield agent, text, move, dict(env.game_state.returns()), env.turns
    yield [(a, env.observe(a), env.info(a)) for a in env.possible_agents]


def transcript(name, seed=3, turns=20):
    return list(play(make(name), seed, turns))


def interleaved(names, seed=3, turns=20):
    """Play many games move by move in turn."""
    games = [play(make(name), seed, turns) for name in names]
    episodes = [[] for _ in games]
    left = list(zip(games, episodes, strict=True))
    while left:
        for pair in list(left):
            step = next(pair[0], None)
            if step is None:
                left.remove(pair)
            else:
                pair[1].append(step)
    return episodes


def playable(names):
    return [name for name in names if not spec(f"ta:{name}").list_missing()]


def test_listing_imports_nothing():
    code = (
        "import sys, gem_ma; ids = gem_ma.list_envs('ta:*');"
        "print(len(ids), 'textarena' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["712", "False"]


def test_the_table_is_that_of_textarena():
    assert set(bridge._registry()) == set(IDS)
    assert bridge.find("ta:Nim-v0").kwargs["name"] == "Nim-v0"
    assert bridge.find("ta:NoSuchGame-v0") is None


def test_what_is_missing_is_one_error_with_the_remedy(monkeypatch, tmp_path):
    import nltk

    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    monkeypatch.delenv("OPENROUTER_API_KEY", raising=False)
    remedies = {
        "Wordle-v0": "python -m nltk.downloader words",
        "Debate-v0": "set the environment variable OPENROUTER_API_KEY",
        "Klondike-v0": "syntax error",
        "UsedCar-v0-balanced": "ta:UsedCarNegotiation-v0",
        "ScorableGames-v0": "pip install git+https://github.com",
        "BabyAiText-v0": "BabyAI-Text",
    }
    if sys.version_info < (3, 12):
        remedies["Chess-v0"] = "python>=3.12"
    for name, remedy in remedies.items():
        with pytest.raises(MissingRequirement, match=re.escape(remedy)):
            gem_ma.make(f"ta:{name}")


def test_num_players():
    assert gem_ma.make("ta:PublicGoodsGame-v0").possible_agents == [f"player_{i}" for i in range(3)]
    assert len(gem_ma.make("ta:Taboo-v0", num_players=6).possible_agents) == 6
    for name, number, words in (
        ("Nim-v0", 3, "for 2 players"),
        ("LiarsDice-v0", 16, "2 to 15 players"),
        ("Taboo-v0", 5, "an even number"),
    ):
        with pytest.raises(ValueError, match=words):
            gem_ma.make(f"ta:{name}", num_players=number)


def test_an_id_that_the_table_does_not_have(monkeypatch):
    registry = bridge._registry()
    monkeypatch.setitem(registry, "Brandnew-v0", registry["ThreePlayerGOPS-v0"])
    env = gem_ma.make("ta:Brandnew-v0")
    assert len(env.possible_agents) == 3  # found by trying
    env.reset(seed=1)
    env.step("[4]")
    assert env.turns == 1


def plays_twenty_turns(name):
    steps = transcript(name)
    assert len(steps) > 20 or not steps[-1][0][2]["to_act"]
    returns = [step[3] for step in steps[:-1]]
    assert not any(any(each.values()) for each in returns[:-1])  # paid at the end, and once


@pytest.mark.parametrize("name", SAMPLE)
def test_plays_twenty_turns(name):
    plays_twenty_turns(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", IDS)
def test_every_id_plays_twenty_turns_or_says_what_is_missing(name):
    missing = spec(f"ta:{name}").list_missing()
    if missing:
        with pytest.raises(MissingRequirement, match=re.escape("; ".join(missing))):
            gem_ma.make(f"ta:{name}")
    else:
        plays_twenty_turns(name)


@pytest.mark.parametrize("family", textarena_moves.LISTS)
def test_what_is_listed_is_legal(family):
    name = next(name for name in BRIEF if entries()[name].family == family)
    env = make(name, max_turns=200)
    for seed in range(3):
        for step in play(env, seed, 200, say=None):
            assert step
        assert not any("invalid" in env.info(agent) for agent in env.possible_agents)


def seeds_decide(names):
    """Play alone, in turn with others, in threads; the caller's own random numbers are left be."""
    random.seed(5)
    np.random.seed(5)
    before = random.getstate(), np.random.get_state()[1].tolist()
    alone = [list(play(make(name), 3, 20)) for name in names]
    assert interleaved(names) == alone
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(transcript, names)) == alone
    assert before == (random.getstate(), np.random.get_state()[1].tolist())


def test_seeds_decide_where_others_would_interfere():
    names = [name for name in BRIEF if entries()[name].family in INTERLEAVED.split()]
    assert len(names) >= 60
    seeds_decide(playable(names))


def test_seeds_decide_in_a_sample():
    seeds_decide(playable(SAMPLE))


@pytest.mark.slow
def test_seeds_decide_in_every_family():
    one = {entries()[name].family: name for name in reversed(BRIEF)}
    seeds_decide(playable(list(one.values())))


def test_seeds_decide_in_a_process_with_other_hashes():
    names = playable(
        ["WordChains-v0", "TwoDollar-v0", "KuhnPoker-v0", "SecretMafia-v0", "Taboo-v0"]
    )
    here = [transcript(name) for name in names]
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r});"
        f"import random, test_textarena as t; random.seed(1); before = random.getstate();"
        f"print(repr([t.transcript(name) for name in {names!r}]));"
        f"assert random.getstate() == before"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "1"},
    )
    assert done.stdout.strip() == repr(here)


def test_whoever_uses_textarena_directly_draws_what_he_drew_before():
    import textarena

    def rolls(between):
        random.seed(1)
        env = textarena.make("PigDice-v0-raw")
        env.reset(num_players=2, seed=7)
        for _ in range(20):
            env.step("[roll]")
            between()
        return env.state.logs

    ours = play(make("PigDice-v0"), 1, 1000)
    assert rolls(lambda: None) == rolls(lambda: next(ours))


def test_a_fork_replays_chance_and_one_with_a_seed_redraws_it():
    env = make("PigDice-v0-short")
    env.reset(seed=4)
    for _ in range(6):
        env.step("[roll]")

    def future(fork):
        told = []
        for _ in range(8):
            fork.step("[roll]")
            told.append(fork.observe("player_0")["text"])
        return told

    back = pickle.loads(pickle.dumps(env))
    one, two = env.fork(2)
    assert future(one) == future(two) == future(back) == future(env.fork()[0])
    others = [future(fork) for fork in one.fork(4, seed=9)]
    assert len(set(map(tuple, others))) > 1


def test_reasoning_is_never_shown_to_others():
    for name in playable([name for name in SAMPLE if entries()[name].seats[-1] > 1]):
        env = make(name)
        for style in (
            "SECRET {} \\boxed{{{}}}",
            "<think>SECRET {}</think>{}",
            "SECRET {}</think>{}",
        ):

            def say(rng, seen, style=style, env=env):
                return style.format(f"of {env.to_act[0]}.", reply(rng, seen))

            for _ in play(env, 2, 25, say):
                for agent in env.possible_agents:
                    text = str((env.observe(agent), env.info(agent)))
                    others = set(env.possible_agents) - {agent}
                    assert not any(f"SECRET of {other}." in text for other in others), name


def test_reasoning_around_brackets_is_not_shown_either():
    env = make("ConnectFour-v0")
    env.reset(seed=1)
    env.step("If I take [col 3] he is SECRETLY lost, so: [col 3]")
    assert "SECRETLY" not in env.observe("player_1")["text"]
    assert "player_0: [col 3]" in env.observe("player_1")["text"]


def test_what_is_whispered_reaches_only_whom_it_is_for():
    env = make("SecretMafia-v0", num_players=9)
    heard = collections.defaultdict(set)
    for seed in range(3):
        env.reset(seed=seed)
        roles = {a: re.search(r"role: (\w+)", env.rules(a))[1] for a in env.possible_agents}
        for number in range(60):
            if not env.to_act:
                break
            (speaker,) = env.to_act
            view = env.observe(speaker)["text"]
            night = "Night" in view
            options = ITEM.findall(view.rpartition("alid")[2]) or ["[0]"]
            secret = f"canary{number}x"
            env.submit({speaker: f"{secret} {options[number % len(options)]}"})
            for agent in env.possible_agents:
                if secret in env.observe(agent)["text"] and agent != speaker:
                    heard[night, roles[speaker]].add(roles[agent])
    assert heard[True, "Mafia"] == {"Mafia"}
    assert not heard[True, "Doctor"] | heard[True, "Detective"]
    assert heard[False, "Villager"] == {"Mafia", "Doctor", "Detective", "Villager"}

    env = make("Taboo-v0")
    env.reset(seed=1)
    env.step("a clue with a canary")
    heard = [a for a in env.possible_agents if "canary" in env.observe(a)["text"]]
    assert heard == ["player_0", "player_1"]  # the team


def test_what_happened_is_told_once_and_looking_changes_nothing():
    env = make("IteratedPrisonersDilemma-v0")
    env.reset(seed=1)
    told = collections.Counter()
    for number in range(40):
        if not env.to_act:
            break
        (agent,) = env.to_act
        text = env.observe(agent)["text"]
        assert text == env.observe(agent)["text"]
        told.update((agent, line) for line in text.splitlines() if "canary" in line)
        env.submit({agent: f"canary {number} [Cooperate]"})
    assert told
    assert set(told.values()) == {1}
    assert env.game_state.returns() == {"player_0": 0.0, "player_1": 0.0}


def test_the_board_is_described_and_not_told_as_news():
    env = make("TicTacToe-v0")
    env.reset(seed=1)
    env.step("4")  # put into brackets
    text = env.observe("player_1")["text"]
    assert text.count("Available Moves") == 1
    assert "[4]" not in text.partition("Available Moves")[2]
    assert env.messages("player_1")[0].text == "[4]"
    assert env.core.game.describe(env.game_state, None).startswith("Current Board")


def test_an_invalid_move_changes_nothing_but_the_notice():
    env = gem_ma.make("ta:ConnectFour-v0", penalty=0.5)
    env.reset(seed=1)
    env.step("[col 3]")
    before = env.game_state
    for count in (1, 2, 3):  # TextArena itself ends the game at the second
        env.step("[col 77]")
        assert env.game_state == before
        assert env.to_act == ("player_1",)
        assert env.info("player_1")["invalid"]["count"] == count
        assert "out of bounds" in env.observe("player_1")["text"]
        assert "out of bounds" not in env.observe("player_0")["text"]
    env.step("[col 3]")
    assert env.turns == 2
    for _ in range(4):
        env.step("[col 99]")
    assert not env.to_act
    assert env.game_state.returns() == {"player_0": 0.0, "player_1": 0.0}  # forfeits are the Env's
    assert env.match.total_returns == {"player_0": -3.0, "player_1": -0.5}


def test_policies_for_invalid_moves():
    env = gem_ma.make("ta:ConnectFour-v0", invalid="random")
    env.reset(seed=1)
    env.step("[col 77]")
    assert (env.turns, env.to_act) == (1, ("player_1",))
    env = gem_ma.make("ta:ConnectFour-v0", invalid="lose")
    env.reset(seed=1)
    env.step("[col 77]")
    assert env.match.total_returns == {"player_0": -1.0, "player_1": 1.0}
    env = gem_ma.make("ta:Taboo-v0", invalid="skip")
    env.reset(seed=1)
    env.step("a clue")
    env.step("a guess without brackets")
    assert env.turns == 2


def test_what_stands_for_a_lost_turn_is_no_taboo_word():
    env = gem_ma.make("ta:Taboo-v0-animals", invalid="skip")
    for seed in range(30):
        env.reset(seed=seed)
        while env.to_act and env.turns < 10:
            env.step("")  # beside a rabbit an empty word is taboo, which any word holds
        assert env.turns == 10 or not env.to_act


def test_a_mine_is_an_invalid_move():
    env = make("Minesweeper-v0-small")
    for seed in range(20):
        env.reset(seed=seed)
        env.step("[2 2]")
        for row, column in np.ndindex(5, 5):
            before = env.game_state
            env.step(f"[{row} {column}]")
            if "mine" in env.info("player_0").get("invalid", {}).get("reason", ""):
                assert env.game_state == before
                return
            if not env.to_act:
                break
    raise AssertionError("no mine in twenty games")


def test_snakes_do_not_die_of_words():
    env = make("Snake-v0")
    env.reset(seed=1)
    env.step("I go upwards")
    assert env.info("player_0")["invalid"]["reason"].endswith("is not a legal move")
    assert env.to_act == ("player_0",)


def test_brackets():
    assert bridge.bracketed("4") == "[4]"
    assert bridge.bracketed("[4]") == "[4]"
    assert bridge.bracketed("I say [a b], no: [c]!") == "[a b] [c]"
    assert bridge.bracketed("so [place () {(0,1): [F0]}] it is") == "[place () {(0,1): [F0]}]"
    for open_ in ("[4", "4]", "x [[4] y"):
        with pytest.raises(InvalidMove, match="not closed"):
            bridge.bracketed(open_)


MANY = [
    ("Briscola-v0", 4),
    ("CharacterConclave-v0", 4),
    ("Codenames-v0", 4),
    ("Golf-v0", 3),
    ("LiarsDice-v0", 4),
    ("MarketEntryGame-v0", 4),
    ("Poker-v0-small", 4),
    ("PublicGoodsGame-v0", 3),
    ("SantoriniBaseFixed-v0", 3),
    ("SecretMafia-v0", 9),
    ("SettlersOfCatan-v0", 4),
    ("Snake-v0", 5),
    ("Surround-v0", 5),
    ("Taboo-v0", 6),
    ("ThreePlayerGOPS-v0", 3),
    ("ThreePlayerIPD-v0", 3),
    ("ThreePlayerTicTacToe-v0", 3),
]


@pytest.mark.parametrize(("name", "players"), MANY)
def test_a_game_of_many_goes_on_when_one_leaves(name, players):
    env = make(name, num_players=players)
    for seed in range(3):
        steps = play(env, seed, 60)
        for _ in range(1 + seed * 2):
            next(steps)
        (leaver,) = env.to_act
        terms = env.match.config
        env.match.config = replace(terms, invalid="lose")
        env.submit({leaver: "" if env.game.conversation else "]"})
        env.match.config = terms
        assert env.terminations[leaver]
        assert env.game_state.returns()[leaver] == -1.0
        if seed == 0:
            assert env.to_act
        for _ in steps:
            assert leaver not in env.to_act
            assert env.game_state.returns()[leaver] == -1.0


def test_the_last_one_at_the_table_wins():
    env = gem_ma.make("ta:PublicGoodsGame-v0", invalid="lose")  # TextArena hangs when all are out
    env.reset(seed=1)
    env.submit({"player_0": ""})
    assert env.to_act == ("player_1",)
    env.submit({"player_1": ""})
    assert not env.to_act
    assert env.game_state.returns() == {"player_0": -1.0, "player_1": -1.0, "player_2": 1.0}


def test_garbage_ends_poker():
    env = gem_ma.make("ta:Poker-v0", num_players=4)
    env.reset(seed=1)
    for _ in range(100):
        if not env.to_act:
            break
        env.submit({env.to_act[0]: "garbage"})
    assert not env.to_act
    assert sorted(env.game_state.returns().values()) == [-1.0, -1.0, -1.0, 1.0]


def test_a_position_without_moves_ends_the_game():
    env = make("Breakthrough-v0-tiny")
    ends = set()
    for seed in range(12):
        for _ in play(env, seed, 200, say=None):
            pass
        ends.add(tuple(env.game_state.returns().values()))
    assert ends == {(1.0, -1.0), (-1.0, 1.0), (0.0, 0.0)}


def test_a_limit_holds_where_the_game_has_none():
    env = make("SpiteAndMalice-v0")
    assert env.match.config.max_turns == 1000
    limited = make("SpiteAndMalice-v0", max_turns=30)
    for _ in play(limited, 1, 1000, say=None):
        pass
    assert (limited.turns, limited.core.match.truncated) == (30, True)


def test_a_fault_of_textarena_is_an_exception(monkeypatch):
    env = make("TicTacToe-v0")
    env.reset(seed=1)
    live = env.game_state.line._live
    monkeypatch.setattr(live.env, "cell_mapping", None)
    with pytest.raises(bridge.Fault, match=r"TicTacToe-v0 of TextArena failed on '\[3\]'"):
        env.step("[3]")


KINDS = [  # one, two, three and more, teams, and simultaneous moves asked for one by one
    ("TowerOfHanoi-v0", {}),
    ("Secretary-v0", {}),
    ("2048-v0-3x3", {}),
    ("TicTacToe-v0", {}),
    ("KuhnPoker-v0", {}),
    ("Nim-v0", {}),
    ("SimpleNegotiation-v0-short", {}),
    ("IteratedRockPaperScissors-v0", {}),
    ("HighSociety-v0", {}),
    ("ThreePlayerTicTacToe-v0", {}),
    ("ThreePlayerGOPS-v0", {}),
    ("Briscola-v0", {"num_players": 4}),
    ("Taboo-v0", {}),
    ("PublicGoodsGame-v0", {}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), KINDS)
def test_contract(name, options):
    check_env(gem_ma.make(f"ta:{name}", **options))


@pytest.mark.parametrize(("name", "options"), [KINDS[1], KINDS[10]])
def test_contract_in_short(name, options):
    check_env(gem_ma.make(f"ta:{name}", **options), seeds=1, processes=False)


@pytest.mark.parametrize("name", ["Secretary-v0", "TicTacToe-v0", "ThreePlayerGOPS-v0"])
def test_official_tests(name):
    make_it = functools.partial(gem_ma.make, f"ta:{name}")
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.filterwarnings("ignore", module="pettingzoo")
        api_test(make_it(), num_cycles=50)
        parallel_api_test(make_it().parallel(), num_cycles=50)
        seed_test(make_it, num_cycles=10)
        if name == "Secretary-v0":
            env = gymnasium.make(f"gem_ma:gem_ma/ta.{name}")
            gymnasium_check_env(env.unwrapped, skip_render_check=True)


def test_sokoban_begins_where_textarenas_own_search_would_begin():
    """The search that stands in for TextArena's finds the same rooms, in a part of its time."""
    utils = importlib.import_module("textarena.envs.Sokoban.utils")
    most = 0
    for seed in range(16):
        rng = {"random": random.Random(seed), "numpy": np.random.default_rng(seed)}
        topology = utils.room_topology_generation((6, 6), num_steps=20, rng_objects=rng)
        try:
            room = utils.place_boxes_and_player(topology, 3, False, rng)
        except RuntimeError:  # no room for three boxes
            continue
        structure, solved = room.copy(), room.copy()
        structure[structure == 5], solved[solved == 2] = 1, 4
        ours = textarena_moves.search_sokoban_start(solved, structure)
        boxes = {(int(a), int(b)): (int(a), int(b)) for a, b in np.argwhere(structure == 2)}
        utils.explored_states, utils.best_room_score, utils.num_boxes = set(), -1, len(boxes)
        utils.depth_first_search(solved, structure, boxes)
        assert (ours[0] == utils.best_room).all()
        assert ours[1:] == (utils.best_room_score, utils.best_box_mapping)
        most = max(most, len(utils.explored_states))
    assert most > 300  # more than one line of 300 moves


def test_sokoban_begins_soon():
    env = gem_ma.make("ta:Sokoban-v0-medium")
    begun = time.thread_time()
    env.reset(seed=76)  # fourteen rooms are searched
    assert time.thread_time() - begun < 5
    utils = sys.modules["textarena.envs.Sokoban.utils"]
    assert utils.reverse_playing is textarena_moves.search_sokoban_start
