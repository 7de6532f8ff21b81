"""A language model from nothing: what it learns, and that it goes on where it stopped."""

import importlib
import json
import math
import shutil

import pytest
from needed import Later, needed

import gem_ma
from gem_ma.agents import load_agent
from gem_ma.training.callbacks import TrainingCollapsed

torch = needed("torch", install="'gem-ma[hf]'")
needed("transformers", install="'gem-ma[hf]'")
pretraining = Later("gem_ma.training.pretraining")

GUESS = "game:GuessTheNumber-v0-easy"


def smallest():
    return pretraining.ModelSize(32, 2, 2, 64, 400, 3e-3, 1024)


def pretrain(folder, env=GUESS, teacher="random", **kwargs):
    given = {"size": smallest(), "episodes": 12, "epochs": 2, "progress": False}
    return pretraining.pretrain(env, teacher, folder, **{**given, **kwargs})


def weights(folder):
    return load_agent(f"hf:{folder}?max_new_tokens=4").model.state_dict()


def same(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return pretrain(tmp_path_factory.mktemp("made") / "model")


def test_the_folder_is_a_model_that_plays(made):
    agent = load_agent(f"hf:{made}?max_new_tokens=4")
    (episode,) = gem_ma.rollout(GUESS, agent, 1, seed=0)
    assert episode.failure is None
    text = "You are the player.\nGuesses left: 12, or 3?"
    tokenizer = agent.tokens.tokenizer
    assert tokenizer.decode(tokenizer(text)["input_ids"]) == text
    assert [tokenizer.decode([i]) for i in tokenizer("12")["input_ids"]] == ["1", "2"]
    boards = ["0 1 2\n3 4 5", "x 1 o\n3 x o", ". 1 #\n@ . #"]
    assert len({len(tokenizer(board)["input_ids"]) for board in boards}) == 1
    assert not (made / "checkpoint.pt").exists()
    assert sorted(e.number for e in gem_ma.load_episodes(made / "episodes.jsonl")) == list(
        range(12)
    )


def test_the_same_arguments_give_the_same_model_and_others_are_refused(made, tmp_path):
    assert same(weights(pretrain(tmp_path / "again")), weights(made))
    assert not same(weights(pretrain(tmp_path / "other", seed=1)), weights(made))
    assert pretrain(made) == made
    settings = json.loads((made / "pretrain.json").read_text())["settings"]
    assert {"envs", "teacher", "episodes", "epochs", "others", "seats", "seed"} < settings.keys()
    for other in ({"epochs": 3}, {"others": 0.5}):
        with pytest.raises(ValueError, match="holds another model"):
            pretrain(made, **other)


def test_a_pretrained_model_learns_on(made, tmp_path):
    """It begins where it was, and keeps its words."""
    folder = pretrain(tmp_path / "model", model=f"hf:{made}", size=None, seed=1)
    losses = [json.loads((one / "pretrain.json").read_text())["losses"] for one in (made, folder)]
    assert losses[1][0] < 0.9 * losses[0][0]
    assert not same(weights(folder), weights(made))
    assert {(one / "tokenizer.json").read_text() for one in (made, folder)} == {
        (made / "tokenizer.json").read_text()
    }
    assert pretrain(folder, model=f"hf:{made}", size=None, seed=1) == folder
    with pytest.raises(ValueError, match="holds another model"):
        pretrain(folder, seed=1)
    with pytest.raises(ValueError, match=r"size='tiny': .* has a size of its own; leave size= out"):
        pretrain(tmp_path / "other", model=str(made), size="tiny")
    with pytest.raises(FileNotFoundError, match="there is no such folder"):
        pretrain(tmp_path / "other", model=str(tmp_path / "none"), size=None)
    assert not (tmp_path / "other" / "episodes.jsonl").exists()


def test_a_run_that_was_stopped_goes_on(made, tmp_path, monkeypatch):
    steps = len(json.loads((made / "pretrain.json").read_text())["losses"])
    assert steps > 4
    step = pretraining.ImitationTrainer.step

    def stopped(self, places):
        if len(self.losses) == 3:
            raise KeyboardInterrupt
        return step(self, places)

    with monkeypatch.context() as patch:
        patch.setattr(pretraining.ImitationTrainer, "step", stopped)
        with pytest.raises(KeyboardInterrupt):
            pretrain(tmp_path / "model", every=2)
    assert (tmp_path / "model" / "checkpoint.pt").exists()
    with pytest.raises(ValueError, match=r"holds another model \(.*: take another folder"):
        pretrain(tmp_path / "model", epochs=3)
    assert same(weights(pretrain(tmp_path / "model", every=2)), weights(made))


def test_steps_that_are_not_finite_are_left_out_and_several_end_it(tmp_path, monkeypatch):
    module = importlib.import_module("gem_ma.training.pretraining")
    forward, count = module.forward_logits, 0

    def spoil(*given):
        nonlocal count
        count += 1
        logits, states = forward(*given)
        return logits * (math.nan if count in broken else 1.0), states

    monkeypatch.setattr(module, "forward_logits", spoil)
    broken = {2}
    folder = pretrain(tmp_path / "one", episodes=8, epochs=2)
    losses = json.loads((folder / "pretrain.json").read_text())["losses"]
    assert [place for place, loss in enumerate(losses) if math.isnan(loss)] == [1]
    assert all(torch.isfinite(one).all() for one in weights(folder).values())
    count, broken = 0, {2, 3, 4}
    with pytest.raises(TrainingCollapsed, match=r"steps 2 to 4 of \d+ had gradients that are not"):
        pretrain(tmp_path / "several", episodes=8, epochs=2)


def test_replies_are_learnt_and_nothing_else(tmp_path):
    """The loss is that of the replies alone, whatever several chats begin with."""
    seats = []
    step = pretraining.ImitationTrainer.step

    def checked(self, places):
        rows = [self.rows[place] for place in places]
        seats.append({row.seat for row in rows})
        total = count = 0
        with torch.no_grad():
            for row in rows:
                logits = self.model(input_ids=torch.tensor([row.ids])).logits[0, :-1]
                likely = logits.log_softmax(-1).gather(-1, torch.tensor(row.ids[1:])[:, None])[:, 0]
                own = torch.tensor(row.mask[1:]).bool()
                total, count = total - likely[own].sum().item(), count + own.sum().item()
        loss = step(self, places)
        assert loss == pytest.approx(total / count, rel=1e-4)
        return loss

    pretraining.ImitationTrainer.step, kept = checked, pretraining.ImitationTrainer.step
    try:
        pretrain(tmp_path / "both", "game:TicTacToe-v0", epochs=1)
        assert set().union(*seats) == {"x", "o"}
        seats.clear()
        pretrain(tmp_path / "one", "game:TicTacToe-v0", epochs=1, seats=["o"])
        assert set().union(*seats) == {"o"}
        seats.clear()
        teachers = {"x": "search:depth=1", "o": "random"}
        given = {"shuffle": True, "epochs": 1, "seats": ["search:depth=1"]}
        folder = pretrain(tmp_path / "teacher", "game:TicTacToe-v0", teachers, **given)
        assert set().union(*seats) == {"x", "o"}  # wherever that teacher sat
        assert json.loads((folder / "pretrain.json").read_text())["samples"] == 12
        with pytest.raises(ValueError, match=r"seats=\['search'\]: no seat and no teacher"):
            pretrain(tmp_path / "none", "game:TicTacToe-v0", teachers, seats=["search"])
    finally:
        pretraining.ImitationTrainer.step = kept


def test_what_is_left_out(tmp_path):
    won = []

    def keep(episode):
        won.append(episode.returns["player"])
        return won[-1] > 0

    folder = pretrain(tmp_path / "won", keep=keep)
    told = json.loads((folder / "pretrain.json").read_text())
    assert told["samples"] == sum(value > 0 for value in won) < len(won) == 12
    with pytest.raises(ValueError, match="none of 12 episodes is left"):
        pretrain(tmp_path / "none", keep=lambda episode: False)


def test_it_learns(tmp_path):
    """What the teacher always says is said after it, at what the seat sees."""
    from gem_ma.agents import FunctionAgent

    folder = pretrain(
        tmp_path / "model",
        teacher=FunctionAgent(lambda turn: "7" if turn.first else "3"),
        epochs=40,
        lr=1e-2,
    )
    losses = json.loads((folder / "pretrain.json").read_text())["losses"]
    assert losses[-1] < 0.05 < losses[0]
    episodes = gem_ma.rollout(GUESS, f"hf:{folder}?max_new_tokens=4", 8, seed=5)
    assert {e.steps[0].reply for e in episodes} == {"7"}
    assert {s.reply for e in episodes for s in e.steps[1:]} == {"3"}


def test_from_pictures(tmp_path, caplog):
    """What a model learns from pictures alone has to be in them."""
    env = "game:TicTacToe-v0"
    given = {"observe": "image", "episodes": 6, "batch": 4096}
    folder = pretrain(tmp_path / "model", env, epochs=3, **given)
    losses = json.loads((folder / "pretrain.json").read_text())["losses"]
    assert losses[-1] < losses[0]
    agent = load_agent(f"hf:{folder}?max_new_tokens=2")
    assert type(agent.model).__name__ == "Qwen2VLForConditionalGeneration"
    (episode,) = gem_ma.rollout(env, agent, 1, seed=0, observe="image", invalid="random")
    assert episode.failure is None
    assert not caplog.records
    for _ in range(2):
        gem_ma.rollout(env, agent, 1, observe="image", invalid="random", image_size=84)
    (told,) = (record.getMessage() for record in caplog.records)
    assert "trained on pictures of 252x252, and is shown pictures of 84x84" in told
    turn = episode.chat("x")
    before, after = (agent.tokens.build_prompt(turn.build_messages(n)) for n in (0, 1))
    assert len(after.tensors["pixel_values"]) == 2 * len(before.tensors["pixel_values"])
    # The record of what was played serves as well as the play.
    shutil.copytree(folder, tmp_path / "again", ignore=lambda *_: ["pretrain.json"])
    assert same(weights(pretrain(tmp_path / "again", env, epochs=3, **given)), weights(folder))
    with pytest.raises(ValueError, match="holds another model"):
        pretrain(folder, env, epochs=3, **{**given, "observe": "both"})
    assert pretrain(folder, env, epochs=3, workers=2, **given) == folder


def test_a_chat_that_is_too_long_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(
        importlib.import_module("gem_ma.training.pretraining"), "_MAX_CHAT_TOKENS", 200
    )
    with pytest.raises(ValueError, match=r"the chat of player in episode \S+ has \d+ tokens"):
        pretrain(tmp_path / "model")
