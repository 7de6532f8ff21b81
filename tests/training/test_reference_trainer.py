"""The reference trainer: it updates what played, goes on exactly, and small learners learn."""

import functools
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import packs
import pytest
from needed import Later, needed

from gem_ma import Reply, make, rollout
from gem_ma.rollouts.run import TooManyErrors
from gem_ma.training.advantages import compute_returns, grpo, rebn
from gem_ma.training.callbacks import BestCheckpoint
from gem_ma.training.selfplay import OpponentPool
from gem_ma.training.selfplay_opponent import SelfPlayOpponent

torch = needed("torch", install="'gem-ma[hf]'")
needed("transformers", install="'gem-ma[hf]'")
tiny_models, loop = Later("tiny_models"), Later("gem_ma.training.reference_trainer")
learning = Later("gem_ma.training.learners.hf_learner")

from gem_ma.training.learners.menu_learner import MenuLearner

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
TWO = "game:TicTacToe-v0"
SAME_TIME = "game:RockPaperScissors-v0"
RPS = ("rock", "paper", "scissors")


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def tokenizer():
    return tiny_models.tokenizer()


def learner(tokenizer, seed=0, **kwargs):
    return learning.HFLearner(
        tiny_models.llm(tokenizer, seed=seed), tokenizer, max_new_tokens=3, **{"lr": 1e-3, **kwargs}
    )


def weights(one):
    return {name: p.detach().clone() for name, p in one.policy_optimizer.parameters.items()}


def same(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def played(player, count=3):
    episodes = rollout(SAME_TIME, player, count, seed=3, invalid="random", rounds=2)
    return [
        loop.SeatTrajectory(e, s, [1.0 if n % 2 else -0.5 for n in range(len(e.chat(s).steps))])
        for e in episodes
        for s in e.agents
    ]


def test_mixed_precision_plays_and_learns_and_leaves_the_weights_as_they_are(tokenizer):
    player = learner(tokenizer, precision="mixed", lr=1e-2, kl=0.1, critic=0.5)
    kinds = []
    player.model.get_output_embeddings().register_forward_hook(
        lambda _, args, made: kinds.append(made.dtype)
    )
    parts = [part._replace(targets=part.advantages) for part in played(player)]
    before = weights(player)
    told = player.update(parts)
    assert set(kinds) == {torch.bfloat16}
    assert told["disagreement"] < 0.1
    assert {one.dtype for one in weights(player).values()} == {torch.float32}
    assert not same(before, weights(player))
    with pytest.raises(ValueError, match="precision='half': expected 'full' or 'mixed'"):
        learner(tokenizer, precision="half")


def test_named_errors(tokenizer):
    player = learner(tokenizer)
    with pytest.raises(ValueError, match="temperature=0 does not sample"):
        learner(tokenizer, temperature=0)
    with pytest.raises(ValueError, match="no seat to train; the seats with learners are none"):
        loop.Trainer(SAME_TIME, {"left": "random", "right": "random"}, rebn)
    with pytest.raises(ValueError, match="cannot train right; the seats with learners are left"):
        loop.Trainer(SAME_TIME, {"left": player, "right": "random"}, rebn, train=["right"])
    frozen = tiny_models.llm(tokenizer).requires_grad_(False)
    with pytest.raises(ValueError, match="no parameter to train"):
        learning.HFLearner(frozen, tokenizer)
    (episode,) = rollout(SAME_TIME, lambda turn: "rock", seed=0)
    with pytest.raises(ValueError, match="the tokens of left may differ from those that its model"):
        player.update(
            [loop.SeatTrajectory(episode, "left", [1.0] * len(episode.chat("left").steps))]
        )
    ids = tokenizer("rock")["input_ids"]
    (episode,) = rollout(SAME_TIME, lambda turn: Reply("rock", token_ids=ids), seed=0)
    with pytest.raises(ValueError, match="replies without log-probabilities"):
        player.update(
            [loop.SeatTrajectory(episode, "left", [1.0] * len(episode.chat("left").steps))]
        )


def trainer(agents, advantages=rebn, **kwargs):
    return loop.Trainer(
        SAME_TIME,
        agents,
        advantages,
        episodes=4,
        rollout={"invalid": "random", "rounds": 2},
        **kwargs,
    )


def test_a_seat_learns_and_its_opponent_does_not(tokenizer):
    left, right = learner(tokenizer, 0), learner(tokenizer, 1)
    before = weights(left), weights(right)
    row = trainer({"left": left, "right": right}, train=["left"]).update()
    assert not same(before[0], weights(left))
    assert same(before[1], weights(right))
    assert "loss/left" in row
    assert "loss/right" not in row


def test_seats_with_parameters_of_their_own_and_shared(tokenizer):
    left, right = learner(tokenizer, 0), learner(tokenizer, 1)
    row = trainer({"left": left, "right": right}).update()
    assert {"loss/left", "loss/right"} <= set(row)
    both = learner(tokenizer, 0)
    row = trainer({"left": both, "right": both}, functools.partial(rebn, by=["seat"])).update()
    assert "loss/left" in row
    assert "loss/right" not in row  # one update for what it did in both


def test_a_learner_learns_in_every_seat_that_it_is_drawn_for(tokenizer):
    player = learner(tokenizer)
    seen = []
    player.update = lambda parts: seen.append(parts) or {}
    made = loop.Trainer(
        TWO,
        {"x": player, "o": "random"},
        rebn,
        episodes=12,
        train=["x"],
        rollout={"invalid": "random", "shuffle": True},
    )
    row = made.update()
    (parts,) = seen
    assert len(parts) == 12
    assert {part.seat for part in parts} == {"x", "o"}
    for part in parts:
        assert part.episode.agents[part.seat] == repr(player)
        assert len(part.advantages) == len(part.episode.chat(part.seat).steps)
    assert row["return/x"] == np.mean([part.episode.returns[part.seat] for part in parts])
    assert row["invalid/o"] == 0 < row["invalid/x"]
    with pytest.raises(ValueError, match="shuffle=True needs agents with different names"):
        loop.Trainer(
            TWO,
            {"x": learner(tokenizer), "o": learner(tokenizer, 0)},
            rebn,
            rollout={"shuffle": True},
        )


def test_a_function_may_sit_where_seats_are_drawn(tokenizer):
    player = learner(tokenizer)
    made = loop.Trainer(
        TWO,
        {"x": player, "o": lambda turn: turn.legal[0]},
        rebn,
        episodes=8,
        train=["x"],
        rollout={"invalid": "random", "shuffle": True},
    )
    row = made.update()
    assert row["return/x"] == -row["return/o"]
    assert row["invalid/o"] == 0 < row["invalid/x"]


@packs.needs("tau")
@pytest.mark.parametrize(
    ("starts", "seen"), [(None, [[0, 0, 1, 1], [2, 2, 0, 0]]), (7, [[0, 0, 1, 1]] * 2)]
)
def test_each_update_takes_the_next_options(tokenizer, monkeypatch, starts, seen):
    found = []

    def spied(*args, **kwargs):
        episodes = rollout(*args, **kwargs)
        found.append([episode.options["task"] for episode in episodes])
        return episodes

    monkeypatch.setattr("gem_ma.training.reference_trainer.rollout", spied)
    made = loop.Trainer(
        "tau:shop",
        {"user": learner(tokenizer), "assistant": "random"},
        rebn,
        episodes=4,
        group=2,
        starts=starts,
        rollout={"options": [{"task": n} for n in range(3)], "max_turns": 2},
    )
    made.run(2)
    assert found == seen


@pytest.mark.parametrize(("starts", "seen"), [(None, ["ab", "ca", "bc"]), (7, ["ab"] * 3)])
def test_each_update_takes_the_next_environments(tokenizer, monkeypatch, starts, seen):
    found = []

    def spied(*args, **kwargs):
        episodes = rollout(*args, **kwargs)
        found.append("".join("abc"[e.spec.kwargs["max_number"] - 10] for e in episodes))
        return episodes

    monkeypatch.setattr("gem_ma.training.reference_trainer.rollout", spied)
    envs = [make("game:GuessTheNumber-v0", max_number=n, max_turns=1) for n in (10, 11, 12)]
    made = loop.Trainer(envs, {"player": learner(tokenizer)}, rebn, episodes=2, starts=starts)
    made.run(3)
    assert found == seen


def test_each_seat_gets_its_own_advantages(tokenizer):
    player = learner(tokenizer)
    made = trainer({"left": player, "right": "random"}, grpo, group=2)
    episodes = rollout(SAME_TIME, made.agents, 4, group=2, seed=5, invalid="random", rounds=2)
    parts = made.compute_advantages(episodes, ["left"])
    assert [part.episode for part in parts] == episodes
    for pair in (parts[:2], parts[2:]):
        totals = np.array([part.episode.returns["left"] for part in pair])
        spread = totals.std()
        wanted = (totals - totals.mean()) / spread if spread else totals * 0
        for part, value in zip(pair, wanted, strict=True):
            assert part.advantages == pytest.approx([value] * len(part.episode.chat("left").steps))


# peft 0.21 asks transformers 5.23 for what it calls by another name now.
@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning")
def test_adapters_of_two_seats_over_one_model(tokenizer):
    pytest.importorskip("peft", reason="pip install peft")
    model = learning.add_lora_adapters(
        tiny_models.llm(tokenizer), ["left", "right"], r=2, target_modules=["q_proj", "v_proj"]
    )
    base = {n: p.detach().clone() for n, p in model.named_parameters() if "lora" not in n}
    agents = {
        seat: learning.HFLearner(model, tokenizer, adapter=seat, max_new_tokens=4, lr=1e-2, kl=0.1)
        for seat in ("left", "right")
    }
    before = {seat: weights(one) for seat, one in agents.items()}
    assert not set(before["left"]) & set(before["right"])
    made = trainer(agents, train=["right"])
    row = made.update()
    assert row["disagreement/right"] < 1e-4
    assert row["kl/right"] == pytest.approx(0, abs=1e-6)  # an adapter begins as nothing
    assert same(before["left"], weights(agents["left"]))
    assert not same(before["right"], weights(agents["right"]))
    assert made.update()["kl/right"] > 1e-8
    for name, one in model.named_parameters():
        if "lora" not in name:
            assert torch.equal(one, base[name])


def rows(log):
    return [json.loads(line) for line in log.read_text().splitlines()]


def test_the_history_has_the_update_that_was_stopped(tokenizer, tmp_path):
    def stop(made):
        made.history[-1]["seen"] = 1.0
        raise RuntimeError("enough")

    made = trainer({"left": learner(tokenizer, 0), "right": "random"})
    with pytest.raises(RuntimeError, match="enough"):
        made.run(4, tmp_path / "checkpoint.pt", after=stop)
    assert rows(tmp_path / "history.jsonl") == made.history
    assert made.history[0]["seen"] == 1.0


def test_two_trainings_in_one_folder_keep_two_histories(tokenizer, tmp_path):
    for seed, name in enumerate(("user.pt", "assistant.pt", "checkpoint.pt")):
        made = trainer({"left": learner(tokenizer, seed), "right": "random"}, seed=seed)
        made.run(1, tmp_path / name)
        log = name.replace("checkpoint.pt", "history.jsonl").replace(".pt", ".history.jsonl")
        assert rows(tmp_path / log) == made.history
    assert len(list(tmp_path.glob("*.jsonl"))) == 3


def test_progress_is_told_in_lines_where_there_is_no_terminal(tokenizer, capsys):
    def run(progress):
        made = trainer({"left": learner(tokenizer, 0), "right": "random"})
        made.run(2, progress=progress)
        return capsys.readouterr().err.splitlines()

    first, last = run(True)
    assert first.startswith("1/2  ")
    assert last.startswith("2/2  ")
    for words in ("turns/s", "tokens/s", "return/left", "entropy/left", "s left"):
        assert words in first
    assert run(None) == run(False) == []


def test_going_on_gives_the_same_curve_and_the_same_weights(tokenizer, tmp_path):
    def fresh():
        agents = {
            "left": learner(tokenizer, 0, kl=0.1, epochs=2, minibatch=3),
            "right": learner(tokenizer, 1),
        }
        return trainer(agents, loop.RoleBaselines(), train=["left"])

    def after(made):  # the opponent is now and then what the learner is
        if made.step % 2 == 0:
            state = made.agents["left"].state_dict()["descent"]
            made.agents["right"].policy_optimizer.load_state_dict(state)

    whole = fresh()
    whole.run(4, after=after)
    path, log = tmp_path / "checkpoint.pt", tmp_path / "history.jsonl"
    first = fresh()
    first.run(3, path, after=after)
    assert rows(log) == whole.history[:3]
    first.update()
    log.write_text(json.dumps({"step": 3}) + '\n{"step": 4')  # what no checkpoint knows
    made = fresh()
    assert made.run(4, path, after=after) == whole.history
    assert rows(log) == whole.history
    for seat in ("left", "right"):
        assert same(weights(made.agents[seat]), weights(whole.agents[seat]))
    assert made.advantages.baselines == whole.advantages.baselines
    with pytest.raises(ValueError, match=r"comes from another training: .*seed was .* is now 1"):
        trainer({"left": learner(tokenizer), "right": "random"}, seed=1).load(path)


@pytest.mark.parametrize("late", [False, True])
def test_the_best_that_is_kept_is_what_played_so_well(tokenizer, tmp_path, late):
    scores = [0.1, 0.7, 0.3]
    made = trainer({"left": learner(tokenizer), "right": "random"})
    made.measure = None if late else lambda episode: {"score": scores[made.step]}
    at_first = [weights(made.agents["left"])]

    def after(made):  # one that says how good it has become
        if late:
            made.history[-1]["score"] = scores[made.step - 1]
        at_first.append(weights(made.agents["left"]))

    best = tmp_path / "best.pt"
    made.run(3, after=[after, BestCheckpoint("score", best, window=1)])
    made.load(best)
    assert made.step == len(made.history) == (2 if late else 1)
    assert same(weights(made.agents["left"]), at_first[made.step])


KILLS = """
import io, os, random, signal, sys, time
from pathlib import Path

sys.path[:0] = {tests!r}
import torch

torch.set_num_threads(1)
import test_reference_trainer

save, replace = torch.save, Path.replace


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def half(state, file):  # of a checkpoint gets onto the disk
    whole = io.BytesIO()
    save(state, whole)
    file.write(whole.getvalue()[: len(whole.getvalue()) // 2])
    file.flush()
    die()


def second(function, killing):  # the first call works, so that there is progress
    calls = iter([function, killing])
    return lambda *given: next(calls)(*given)


delays = random.Random(7)
for name, updates, place in {runs!r}:
    child = os.fork()
    if not child:
        made, after = getattr(test_reference_trainer, name)()
        if place == "half written":
            torch.save = second(save, half)
        if place == "not renamed":
            Path.replace = second(replace, lambda *_: die())
        if place == "just renamed":
            Path.replace = second(replace, lambda *given: (replace(*given), die()))
        made.run(updates, os.path.join({folder!r}, name, "checkpoint.pt"), every=2, after=after)
        os._exit(0)
    if place == "anywhere":
        time.sleep(delays.uniform(0.1, 1.5))
        os.kill(child, signal.SIGKILL)
    print(os.WIFSIGNALED(os.waitpid(child, 0)[1]))
"""


def of_models():
    """Return a training of everything that is remembered, and what is done after each update."""
    tokenizer = tiny_models.tokenizer()
    agents = {
        "left": learner(tokenizer, 0, kl=0.1, epochs=2, minibatch=3),
        "right": learner(tokenizer, 1),
    }

    def after(made):  # the opponent is now and then what the learner is
        if made.step % 3 == 0:
            state = made.agents["left"].state_dict()["descent"]
            made.agents["right"].policy_optimizer.load_state_dict(state)

    return trainer(agents, loop.RoleBaselines(), train=["left"]), after


def of_rivals():
    """Return a training by self-play against a pool that grows."""
    torch.manual_seed(0)
    network = torch.nn.Linear(1, 3)
    player = MenuLearner(network, lambda messages: (np.ones(1, np.float32), RPS), lr=0.05)
    pool = OpponentPool({"random": "random"}, decay=0.9)
    rivals = SelfPlayOpponent(player, pool, choice="hard", mirror=0.2)
    agents = {"left": player, "right": rivals}
    return trainer(agents, train=["left"], measure=rivals.record), rivals.copy_every(3)


def check_kills(updates, places, folder):
    """Train in processes that are killed at these places, then to the end, and compare."""
    runs = [(name, count, place) for name, count in updates.items() for place in places]
    code = KILLS.format(
        tests=[str(HERE), str(HERE.parent / "support")], runs=runs, folder=str(folder)
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0
    killed = [one == "True" for one in done.stdout.split()]
    assert len(killed) == len(runs)
    assert all(one or place == "anywhere" for one, (_, _, place) in zip(killed, runs, strict=True))
    for name, count in updates.items():
        path = folder / name / "checkpoint.pt"
        made, after = globals()[name]()
        made.load(path)
        assert made.step > 0
        history = made.run(count, path, after=after)
        whole, after = globals()[name]()
        assert history == whole.run(count, after=after)
        assert_same_state(made, whole)
    return made


def assert_same_state(one, two):
    for seat, agent in one.agents.items():
        assert plain(agent.state_dict()) == plain(two.agents[seat].state_dict())
    assert getattr(one.advantages, "baselines", None) == getattr(two.advantages, "baselines", None)


def plain(state):
    """Return a state with lists for tensors, exactly."""
    if isinstance(state, dict):
        return {key: plain(value) for key, value in state.items()}
    if isinstance(state, list | tuple):
        return [plain(value) for value in state]
    return state.tolist() if isinstance(state, torch.Tensor) else state


PLACES = ["half written", "anywhere", "not renamed", "anywhere", "just renamed"]


def test_killed_at_any_moment_it_goes_on_with_the_same_curve(tmp_path):
    made = check_kills({"of_models": 6, "of_rivals": 25}, PLACES[:3], tmp_path)
    rates = made.agents["right"].pool.compute_win_rates()
    assert rates.names[-1] == "learner"
    assert "update 24" in rates.names
    assert rates.games[-1].sum() > 5  # of the learner, with the older ones faded


@pytest.mark.slow
def test_killed_ten_times_it_goes_on_with_the_same_curve(tmp_path):
    check_kills({"of_models": 60, "of_rivals": 300}, 2 * PLACES, tmp_path)


def example(name):
    spec = importlib.util.spec_from_file_location(Path(name).stem, EXAMPLES / name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def gained(made, updates, column):
    history = made.run(updates)
    return (
        sum(row[column] for row in history[:3]) / 3,
        sum(row[column] for row in history[-5:]) / 5,
    )


def simple_chooser(**settings):
    """Return a chooser that says paper e times as often as rock, whatever it sees."""

    class Scores(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scores = torch.nn.Parameter(torch.tensor([0.0, 1.0, 9.0]))

        def forward(self, seen):
            return self.scores.expand(len(seen), -1)

    return MenuLearner(Scores(), lambda messages: (np.zeros(1), ("rock", "paper")), **settings)


def test_a_trainer_plays_from_as_many_starts_as_it_has_episodes():
    for given, starts in (({}, 6), ({"group": 2}, 3), ({"starts": 5}, 6)):
        met = []
        made = loop.Trainer(
            SAME_TIME,
            {"left": simple_chooser(), "right": "random"},
            grpo,
            episodes=6,
            measure=lambda episode, met=met: met.append(episode.seed) or {"one": 1.0},
            rollout={"rounds": 1},
            **given,
        )
        made.run(2)
        assert len(met) == 12
        assert [len({*met[:6]}), len({*met[6:]})] == [starts] * 2
        assert ({*met[:6]} == {*met[6:]}) == ("starts" in given)
        assert [row["one"] for row in made.history] == [1.0] * 2


def test_the_same_starts_are_played_in_another_way_in_each_update():
    """Else a learner would see one and the same game of a start, however often it comes."""

    def play(seed):
        met = []

        def measure(episode):
            replies = {s: [t.reply for t in episode.steps if t.agent == s] for s in episode.agents}
            met.append((episode.seed, replies))
            return {}

        made = loop.Trainer(
            SAME_TIME,
            {"left": simple_chooser(lr=1e-9), "right": simple_chooser()},
            grpo,
            episodes=4,
            train=["left"],
            starts=5,
            seed=seed,
            measure=measure,
            rollout={"rounds": 8},
        )
        made.run(2)
        return met[:4], met[4:]

    runs = [play(0), play(1)]
    assert play(0) == runs[0]
    first, *others = [update for run in runs for update in run]
    for update in others:
        assert [seed for seed, _ in update] == [seed for seed, _ in first]
        for seat in ("left", "right"):
            assert [one[seat] for _, one in update] != [one[seat] for _, one in first]


def test_a_number_is_found_more_often():
    before, now = gained(example("train_tiny.py").trainer(0), 14, "return/player")
    assert now > before + 0.05


def test_a_lake_is_crossed_by_sight():
    module = example("train/frozen_lake.py")
    before, now = gained(module.trainer(0, "image", episodes=48), 22, "return/player")
    assert now > before + 0.1


@packs.needs("visual")
def test_circuits_are_worked_out():
    module = example("train/visual_tasks.py")
    before, now = gained(module.trainer(0, "gates", "text"), 40, "return/player")
    assert before < 0.6
    assert now > 0.65
    for task in module.TASKS:
        (row,) = module.trainer(0, task, "image", episodes=4).run(1)
        assert row["invalid/player"] == 0


def test_a_language_comes_up():
    module = example("train/reference_game.py")
    before, now = gained(module.trainer(0, episodes=128), 30, "return/listener")
    assert before < 0.4
    assert now > 0.5


def test_a_chat_longer_than_a_model_reads_is_cut_as_the_error_says(tmp_path, monkeypatch, capsys):
    import tiny_models

    tokenizer = tiny_models.tokenizer()
    model = tiny_models.llm(tokenizer)
    model.config.max_position_embeddings = 1200
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    short = ("--model", tmp_path, "--updates", 1, "--episodes", 1, "--max-new-tokens", 4)

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["user_simulator.py", *map(str, arguments)])
        example("train/user_simulator.py").main()
        return capsys.readouterr().out

    with pytest.raises(TooManyErrors, match=r"more than the 1200 of .*'turns=8'.*--context"):
        run(*short)
    assert "update 1: fidelity " in run(*short, "--context", "turns=1")
    with pytest.raises(SystemExit):
        run("--context", "turns=1")
    assert "--context needs a language model" in capsys.readouterr().err


@packs.needs("tau")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--updates 0", "argument --updates: '0': expected a whole number from 1 on"),
        ("--seed x", "argument --seed: 'x': expected a whole number"),
        ("--assistant nope", "no agent 'nope'; did you mean"),
        ("--user nope.pt", "error: nope.pt: No such file"),
        ("--user bad.pt", "bad.pt is no checkpoint"),
        ("--user other.pt", "other.pt has no trained user"),
        ("--user users:train", "user 'users:train' cannot learn; leave it out"),
        ("--train assistant --user nope", "no agent 'nope'; did you mean"),
        ("--train assistant --user users:nope", "no user 'nope'"),
        ("--train assistant --user user:wary:shy=1", "out of phrases, seed, talkative"),
        ("--split train", "split='train': tau:shop makes its tasks, and has 'test' only"),
        ("--save bad.pt", "bad.pt is no checkpoint"),
        ("--save .", ".: Is a directory"),
        ("--model . --context few", "context 'few': expected turns="),
        ("--save", "argument --save: expected one argument"),
    ],
)
def test_wrong_arguments_of_an_example_are_told(arguments, told, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.pt").write_text("x")
    torch.save({"agents": {}}, tmp_path / "other.pt")
    monkeypatch.setattr("sys.argv", ["user_simulator.py", *arguments.split()])
    with pytest.raises(SystemExit) as end:
        example("train/user_simulator.py").main()
    assert end.value.code == 2
    assert told in capsys.readouterr().err.splitlines()[-1]


def test_an_example_that_is_stopped_says_what_is_kept(tmp_path, monkeypatch, capsys):
    def once(made, update=loop.Trainer.update):
        if made.step:
            raise KeyboardInterrupt
        update(made)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(loop.Trainer, "update", once)
    for words, told in (
        ("--save u.pt", "stopped: u.pt keeps 1 update; the same command continues"),
        ("", "stopped: nothing is kept without --save"),
    ):
        monkeypatch.setattr("sys.argv", ["user_simulator.py", "--episodes", "2", *words.split()])
        with pytest.raises(SystemExit) as end:
            example("train/user_simulator.py").main()
        assert end.value.code == 130
        assert capsys.readouterr().err == f"\n{told}\n"


def test_a_user_keeps_to_its_task():
    module = example("train/user_simulator.py")
    before, now = gained(module.trainer(0, episodes=24), 40, "fidelity")
    assert now > before + 0.05


def test_going_on_with_a_chooser(tmp_path):
    module = example("train/reference_game.py")
    whole = module.trainer(0, episodes=16)
    whole.run(6)
    module.trainer(0, episodes=16).run(4, tmp_path / "checkpoint.pt")
    assert module.trainer(0, episodes=16).run(6, tmp_path / "checkpoint.pt") == whole.history


def test_extra_rewards_are_paid_at_the_last_turn(tokenizer):
    """The history has the mean; the advantages of the seat have them, those of the other not."""

    def pay(episodes):
        return {"left": [10.0 * number for number in range(len(episodes))]}

    agents = {"left": learner(tokenizer), "right": learner(tokenizer)}
    made = trainer(agents, compute_returns, extra_rewards=pay)
    (row,) = made.run(1)
    count = len(made.played)
    assert row["extra/left"] == pytest.approx(10.0 * (count - 1) / 2)
    for seat, factor in (("left", 10.0), ("right", 0.0)):
        plain, paid = (
            made.compute_advantages(made.played, [seat], None, extra)
            for extra in (None, pay(made.played))
        )
        for number, (one, other) in enumerate(zip(plain, paid, strict=True)):
            gap = np.subtract(other.advantages, one.advantages)
            assert gap == pytest.approx([factor * number] * len(gap))


def test_progress_shows_returns_invalid_replies_and_entropy(tokenizer, capfd):
    made = trainer({"left": learner(tokenizer), "right": "random"})
    made.run(1, progress=True)
    told = capfd.readouterr().err
    assert all(f"{name}/left" in told for name in ("return", "invalid", "entropy"))
    assert "return/right" in told
