"""A model from nothing, and what it learns from its play, from the command line."""

import json

import pytest
from needed import needed

from gem_ma import Reply, load_episodes
from gem_ma.agents import load_agent
from gem_ma.cli.main import main, make_parser

torch = needed("torch", install="'gem-ma[hf]'")
needed("transformers", install="'gem-ma[hf]'")

from gem_ma.training import HFLearner, commands, load_checkpoint, pretraining

GUESS = "game:GuessTheNumber-v0-easy"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "guess"
    teachers = ["--teacher", "random", "--teacher", "random"]
    few = ["--episodes", "6", "--epochs", "1", "--out", str(folder)]
    assert main(["pretrain", GUESS, *teachers, *few]) == 0
    return folder


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Let a model learn that does not know yet how a reply ends."""
    monkeypatch.setattr(commands, "MAX_LOST_SHARE", 1.0)


def train(model, folder, *more):
    few = ["--updates", "2", "--episodes", "4", "--max-new-tokens", "4"]
    return main(["train", GUESS, "--model", str(model), "--out", str(folder), *few, *more])


def test_every_size_has_its_name_without_torch():
    assert tuple(pretraining.MODEL_SIZES) == commands.MODEL_SIZE_NAMES


@pytest.mark.parametrize(
    "words", [["pretrain", GUESS, "--out", "x"], ["train", GUESS, "--out", "x"]]
)
def test_a_seed_is_0_unless_another_is_named(words):
    model = ["--model", "x"] if words[0] == "train" else []
    assert make_parser().parse_args([*words, *model]).seed == 0


def test_a_model_is_made_and_learns(model, tmp_path, capsys):
    assert train(model, tmp_path / "run") == 0
    said = capsys.readouterr().err.splitlines()
    said = [line for line in said if "turns/s" in line]
    assert [line.split()[0] for line in said] == ["1/2", "2/2"]
    for words in ("tokens/s", "return/player", "entropy/player", "s left"):
        assert words in said[0]
    rows = [
        json.loads(row) for row in (tmp_path / "run" / "history.jsonl").read_text().splitlines()
    ]
    assert [row["step"] for row in rows] == [0, 1]
    assert {"invalid/player", "length/player", "clipped/player"} <= rows[0].keys()
    spec = f"hf:{tmp_path}/run/model?max_new_tokens=4"
    assert main(["run", GUESS, "--agents", spec, "--episodes", "2"]) == 0
    assert "2 of 2 episodes" in capsys.readouterr().out


def test_it_learns_in_float32_as_a_learner_does_unless_told_otherwise(model, tmp_path):
    half = HFLearner(str(model), lr=1e-6, max_new_tokens=4)
    half.model.to(torch.bfloat16).save_pretrained(tmp_path / "half")
    half.tokens.processor.save_pretrained(tmp_path / "half")
    assert train(tmp_path / "half", tmp_path / "run", "--lr", "1e-6", "--entropy", "0.1") == 0
    state = load_checkpoint(tmp_path / "run" / "checkpoint.pt")["agents"]["player"]
    usual = HFLearner(str(tmp_path / "half"), lr=1e-6, max_new_tokens=4)
    learnt = usual.policy_optimizer.parameters
    saved = state["descent"]["parameters"]
    assert {n: w.dtype for n, w in saved.items()} == dict.fromkeys(learnt, torch.float32)
    changed = sum(int((saved[name] != one).sum()) for name, one in learnt.items())
    assert changed > 0.5 * sum(one.numel() for one in learnt.values())


def test_a_run_goes_on(model, tmp_path, capsys):
    assert train(model, tmp_path / "run") == 0
    capsys.readouterr()
    assert train(model, tmp_path / "run", "--updates", "3") == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "turns/s" in line]
    assert [line.split()[0] for line in said] == ["3/3"]
    for more, told in (
        (["--lr", "0.5"], "with --lr 1e-05 (now 0.5): use the same settings"),
        (
            ["--gamma", "0.5", "--episodes", "5"],
            "with --gamma 1.0 (now 0.5), --episodes 4 (now 5): ",
        ),
    ):
        assert train(model, tmp_path / "run", "--updates", "4", *more) == 2
        assert told in capsys.readouterr().err


def test_after_a_collapse_the_best_model_is_written(model, tmp_path, capsys, monkeypatch):
    def diagnose(self, history, seats):
        return "it talks nonsense" if len(history) == 2 else ""

    monkeypatch.setattr("gem_ma.training.BestCheckpoint.diagnose", diagnose)
    folder = tmp_path / "run"
    assert train(model, folder, "--lr", "1e-2") == 1
    said = capsys.readouterr()
    assert "after 2 updates it talks nonsense" in said.err
    best = load_checkpoint(folder / "best.pt")
    assert best["step"] < 2  # the updates made
    assert f"play the best model, of update {best['step']}, as hf:{folder}/model" in said.out
    written = HFLearner(str(folder / "model"), max_new_tokens=4).policy_optimizer.parameters
    kept = best["agents"]["player"]["descent"]["parameters"]
    assert written.keys() == kept.keys()
    for name, weights in written.items():
        assert torch.equal(weights, kept[name]), name


def test_a_failed_episode_ends_a_run_in_a_line(tmp_path, model, capsys):
    agent = tmp_path / "fails.py"
    agent.write_text("def act(turn):\n    raise OSError('the cable is out')\n")
    out, few = ["--out", str(tmp_path / "run")], ["--updates", "2", "--episodes", "4"]
    words = ["--seat", "o", "--others", f"{agent}:act", "--max-new-tokens", "4", *few, *out]
    assert main(["train", "game:TicTacToe-v0", "--model", str(model), *words]) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("gem-ma: ")
    assert "the cable is out" in said
    assert f"{tmp_path}/run keeps no update yet" in said


def test_failed_episodes_can_be_left_out(tmp_path, model, capsys):
    agent = tmp_path / "fails_once.py"
    agent.write_text(
        "failed = []\n"
        "def act(turn):\n"
        "    if not failed:\n"
        "        failed.append(turn)\n"
        "        raise OSError('the cable is out')\n"
        "    return turn.legal[0]\n"
    )
    out, few = ["--out", str(tmp_path / "run")], ["--updates", "1", "--episodes", "4"]
    words = ["--seat", "o", "--others", f"{agent}:act", "--max-new-tokens", "4", *few, *out]
    words += ["--max-errors", "1"]
    assert main(["train", "game:TicTacToe-v0", "--model", str(model), *words]) == 0
    assert "?max_new_tokens=4" in capsys.readouterr().out


def test_a_checkpoint_of_another_program_is_not_continued(tmp_path, model, capsys):
    folder = tmp_path / "run"
    assert train(model, folder) == 0
    (folder / "settings.json").unlink()
    capsys.readouterr()
    assert train(model, folder) == 2
    assert "holds a checkpoint of another program" in capsys.readouterr().err


def test_the_best_of_self_play_is_the_newest_with_the_most_valid_replies(model, tmp_path):
    few = ["--updates", "2", "--episodes", "4", "--max-new-tokens", "8", "--guided"]
    words = [*few, "--model", str(model), "--out", str(tmp_path / "run")]
    assert main(["train", "game:RockPaperScissors-v0", *words]) == 0
    assert load_checkpoint(tmp_path / "run" / "best.pt")["step"] == 1  # it played the second update
    lines = (tmp_path / "run" / "history.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["valid"] for row in rows] == [1.0, 1.0]


def test_a_folder_without_a_model_is_named(model, tmp_path, capsys):
    (tmp_path / "models").mkdir()
    (tmp_path / "begun").mkdir()
    (tmp_path / "begun" / "episodes.jsonl").touch()
    for folder, told in (
        (tmp_path / "none", "there is no such folder"),
        (tmp_path / "models", "this folder has no config.json of a model\n"),
        (tmp_path / "begun", "gem-ma pretrain has begun in it, and is not finished"),
    ):
        assert train(folder, tmp_path / "run") == 2
        assert told in capsys.readouterr().err
        assert main(["play", GUESS, "--agents", f"hf:{folder}"]) == 2
        assert told in capsys.readouterr().err
    assert train(model, tmp_path / "run", "--device", "cuda:99") == 2
    assert "--device cuda:99: " in capsys.readouterr().err


def test_the_spec_string_of_a_trained_model_plays_it_as_it_was_trained(model, tmp_path, capsys):
    words = ["--template", "enable_thinking=false", "--template", "depth=3", "--guided"]
    assert train(model, tmp_path / "run", *words, "--history", "template") == 0
    spec = capsys.readouterr().out.split()[-1]
    agent = load_agent(spec)
    assert agent.tokens.template == {"enable_thinking": False, "depth": 3}
    assert (agent.guided, agent.tokens.history) == (True, "template")


def test_a_group_must_divide_the_episodes(model, tmp_path, capsys):
    assert train(model, tmp_path / "run", "--group", "3") == 2
    assert "--episodes 4 and --group 3: expected a multiple of the group" in capsys.readouterr().err


@pytest.mark.parametrize("algorithm", ["rebn", "grpo", "rloo", "reinforce", "ppo"])
def test_algorithms_and_schedules(model, tmp_path, algorithm):
    more = ["--group", "4", "--minibatch", "2", "--epochs", "2", "--warmup", "1", "--decline"]
    assert train(model, tmp_path / "run", "--algorithm", algorithm, *more) == 0
    (row, _) = (tmp_path / "run" / "history.jsonl").read_text().splitlines()
    assert ("critic/player" in row) == (algorithm == "ppo")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--seat", "nobody"], "--seat nobody: the seats are player"),
        (["--warmup", "3"], "--warmup 3: expected at most --updates 2"),
        (["--algorithm", "grpo"], "--group is 1; use 2 or more, such as --group 8"),
    ],
)
def test_what_makes_no_sense(model, tmp_path, capsys, words, said):
    assert train(model, tmp_path / "run", *words) == 2
    assert said in capsys.readouterr().err


def test_every_seat_may_have_a_teacher_of_its_own(tmp_path, capsys):
    few = ["--episodes", "3", "--epochs", "1", "--set", "max_turns=4"]
    expected = {"x": "search:depth=1", "o": "random"}
    for number, words in enumerate(("search:depth=1,random", "o=random,x=search:depth=1")):
        folder = tmp_path / str(number)
        out = ["--teacher", words, "--out", str(folder)]
        assert main(["pretrain", "game:TicTacToe-v0", *out, *few]) == 0
        played = load_episodes(folder / "episodes.jsonl")
        assert [episode.agents for episode in played] == [expected] * 3
    capsys.readouterr()
    out = ["--teacher", "random", "--teacher", "random,search", "--out", str(tmp_path / "none")]
    assert main(["pretrain", "game:TicTacToe-v0", *out, *few]) == 2
    assert "--teacher random,search: got 2 teachers, each of which" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_a_folder_that_holds_another_model(model, capsys):
    few = ["--episodes", "7", "--epochs", "1", "--out", str(model)]
    assert main(["pretrain", GUESS, *few]) == 2
    assert "holds another model" in capsys.readouterr().err


def test_a_model_that_is_cut_in_its_thought_is_stopped_with_the_cause(
    model, tmp_path, capsys, monkeypatch
):
    from gem_ma.training.learners.hf_learner import HFLearner

    def think(self, turns):
        ids = self.tokens.tokenizer("<think> well")["input_ids"]
        text = self.tokens.tokenizer.decode(ids)
        cut = {"token_ids": ids, "logprobs": [-1.0] * len(ids), "finish_reason": "length"}
        return [Reply(text, **cut) for _ in turns]

    monkeypatch.setattr(HFLearner, "act", think)
    monkeypatch.setattr(commands, "MAX_LOST_SHARE", 0.5)
    assert train(model, tmp_path / "run") == 2
    said = capsys.readouterr().err
    assert "--max-new-tokens 4: 100% of the first replies reached this" in said
    assert "--template enable_thinking=false" in said
    assert not (tmp_path / "run" / "model").exists()


def test_the_chat_template_is_told_its_arguments(model, tmp_path, capsys, monkeypatch):
    from gem_ma.training.learners import hf_learner

    told = {}

    class Told(hf_learner.HFLearner):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            told.update(kwargs)

    monkeypatch.setattr(hf_learner, "HFLearner", Told)
    options = ["--template", "enable_thinking=false", "--template", "date_string=26 Jul 2024"]
    options += ["--history", "drop_thoughts", "--temperature", "0.7"]
    assert train(model, tmp_path / "run", *options) == 0
    assert told["template"] == {"enable_thinking": False, "date_string": "26 Jul 2024"}
    assert (told["history"], told["temperature"]) == ("drop_thoughts", 0.7)
    assert train(model, tmp_path / "run") == 2
    assert "another training" in capsys.readouterr().err
    # Settings of before these options were there are those of today's defaults.
    assert train(model, tmp_path / "old") == 0
    settings = tmp_path / "old" / "settings.json"
    known = json.loads(settings.read_text())
    for name in ("template", "history", "temperature"):
        del known[name]
    settings.write_text(json.dumps(known))
    assert train(model, tmp_path / "old", "--updates", "3") == 0
    for word, why in (("enable_thinking", "expected NAME=VALUE"), ("=1", "expected NAME=VALUE")):
        assert train(model, tmp_path / "new", "--template", word) == 2
        assert why in capsys.readouterr().err
