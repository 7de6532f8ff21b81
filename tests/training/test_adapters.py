"""Adapters for trainers, against the trainers themselves where these install without a GPU."""

import asyncio
import math
import re

import numpy as np
import pytest
from stub_server import StubServer

import gem_ma
from gem_ma.agents import load
from gem_ma.envs.guessing.guess_the_number import GuessTheNumber
from gem_ma.match.match import SeatError
from gem_ma.talk.conversation import Conversation
from gem_ma.training.adapters import Solo, sit

SECRET = 4


class FixedSecret(GuessTheNumber):
    """Guess the number, which is always the same: what a trainer must be able to learn."""

    def start(self, rng, options):
        return super().start(rng, options)._replace(secret=SECRET)


def fixed(**make):
    return gem_ma.make(gem_ma.Spec("test:FixedSecret", f"{__name__}:FixedSecret"), **make)


def free(text):
    """Return the cells of tic-tac-toe that are free in the board at the end of a text."""
    return re.findall(r"\d", text.strip().rpartition("\n\n")[2])


def solo(id, *arguments, **make):
    return Solo(sit(id, *arguments, **make))


# -- a seat for those who know one agent -------------------------------------------------------


def test_sit_says_what_it_needs():
    assert sit("game:GuessTheNumber-v0").name == "player"
    assert sit("game:TicTacToe-v0", others={"x": "random"}).name == "o"
    assert sit("game:TicTacToe-v0", "x", "random").name == "x"
    with pytest.raises(SeatError, match="x, o wait for one"):
        sit("game:TicTacToe-v0")
    with pytest.raises(SeatError, match="no seat 'z'; the seats are x, o"):
        sit("game:TicTacToe-v0", "z", "random")
    with pytest.raises(SeatError, match="say seat='x'"):
        sit("game:TicTacToe-v0", others="random")
    with pytest.raises(TypeError, match="made already"):
        sit(gem_ma.make("game:TicTacToe-v0"), "x", "random", max_turns=3)


def test_a_solo_seat_earns_what_the_seat_of_a_rollout_earns():
    async def model(turn):
        await asyncio.sleep(0)
        return load("random").act([turn])[0]

    seat = solo("game:LiarsDice-v0", "player_0", model)
    env = gem_ma.make("game:LiarsDice-v0")
    for seed in range(5):
        outcome = seat.reset(seed=seed)
        while not seat.done:
            outcome = seat.step(load("random").act([outcome.turn])[0])
        env.reset(seed=seed)
        chats, returns = {}, dict.fromkeys(env.possible_agents, 0.0)
        while env.to_act:
            turns = [env.turn(a, chats.setdefault(a, Conversation(a))) for a in env.to_act]
            replies = {turn.seat: load("random").act([turn])[0] for turn in turns}
            for name, reply in replies.items():
                chats[name].steps[-1].reply = reply
            for name, reward in env.play(replies)[0].items():
                returns[name] += reward
        assert seat.reward == returns["player_0"]


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Models as small as these are slower with more."""
    try:
        import torch
    except ImportError:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


# -- rows --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tokenizer():
    pytest.importorskip("transformers", reason="pip install 'gem-ma[hf]'")
    import tiny_models

    rules = gem_ma.make("game:TicTacToe-v0").rules("x") + fixed().rules("player")
    return tiny_models.tokenizer(vocab=600, corpus=[rules, "The number is between 1 and 5."] * 4)


@pytest.fixture(scope="module")
def model(tokenizer):
    import tiny_models

    return tiny_models.llm(tokenizer, hidden=64)


@pytest.fixture(scope="module")
def player(model, tokenizer):
    from gem_ma.agents import HFAgent

    return HFAgent(model, tokenizer, max_new_tokens=6)


@pytest.fixture(scope="module")
def processor():
    """Return the processor of a model that sees."""
    pytest.importorskip("transformers", reason="pip install 'gem-ma[hf]'")
    import tiny_models

    return tiny_models.vlm_processor()


MOVES = ["0", "4", "2", "6", "1"]
SEEN = {"observe": "both", "image_size": (56, 56)}


def last(turn):
    return turn.legal[-1]


def shown(processor):
    """Return the prompts and pictures that x has in a game against `last` in which it plays MOVES.

    Of each turn all that its conversation holds until then.
    """
    from gem_ma.talk.messages import pictures
    from gem_ma.talk.tokens import Tokens

    seat = sit("game:TicTacToe-v0", "x", last, **SEEN)

    async def play():
        tokens, found = Tokens(processor), []
        outcome = await seat.reset(7)
        for move in MOVES:
            if outcome.turn is None:
                break
            seen = [pixels(one.pil()) for one in pictures(outcome.turn.messages)]
            found.append((tokens.prompt(outcome.turn.messages).ids, seen))
            ids = [*processor.tokenizer(move)["input_ids"], processor.tokenizer.eos_token_id]
            outcome = await seat.step(gem_ma.Reply(move, token_ids=ids))
        return found

    found = asyncio.run(play())
    assert [len(seen) for _, seen in found] == list(range(1, len(found) + 1))
    return found


def pixels(image):
    return np.asarray(image.convert("RGB")).tobytes()


def test_rows_say_whose_they_are_and_what_each_turn_earned(player, tokenizer):
    from gem_ma.training.rows import halves, rows

    episodes = gem_ma.rollout(
        "game:TicTacToe-v0", {"x": player, "o": "random"}, 4, seed=3, group=2, invalid="random"
    )
    found = list(rows(episodes, tokenizer, train=["x"]))
    assert [row["episode"] for row in found] == [episode.id for episode in episodes]
    for row, episode in zip(found, episodes, strict=True):
        assert (row["agent"], row["env"], row["group"]) == ("x", "game:TicTacToe-v0", episode.group)
        assert (row["policy"], row["trainable"], row["exact"]) == (repr(player), True, True)
        assert sum(row["rewards"]) == episode.returns["x"]
        steps = [step for step in episode.steps if step.agent == "x"]
        assert row["rewards"] == [step.reward for step in steps]
        for step, (start, end) in zip(steps, row["spans"], strict=True):
            assert row["ids"][start:end] == list(step.reply.token_ids)
            assert row["mask"][start:end] == [1] * (end - start)
            assert row["logprobs"][start:end] == step.reply.logprobs
        assert sum(row["mask"]) == sum(end - start for start, end in row["spans"])
        half = halves(row)
        assert half.prompt + half.completion == row["ids"]
        assert half.mask[0] == 1
        assert sum(half.mask) == sum(row["mask"])
        assert half.reward == episode.returns["x"]
        assert not any(math.isnan(value) for value in half.logprobs)


def test_rows_of_players_without_tokens_have_to_be_asked_for(player, tokenizer):
    from gem_ma.training.rows import halves, rows

    episodes = gem_ma.rollout(
        "game:TicTacToe-v0", {"x": player, "o": "random"}, 2, seed=3, invalid="random"
    )
    both = list(rows(episodes, tokenizer, train=["x"], texts=True))
    assert [(row["agent"], row["trainable"], row["exact"]) for row in both] == [
        ("x", True, True),
        ("o", False, False),
    ] * 2
    with pytest.raises(ValueError, match="random in seat o gave no log-probabilities"):
        halves(both[1])
    with pytest.raises(ValueError, match="no episode has a seat w"):
        list(rows(episodes, tokenizer, train=["w", "x"]))


def test_what_comes_while_others_move_is_credited_to_the_turn_before(tokenizer):
    from gem_ma.training.rows import rows

    env = gem_ma.make("game:TicTacToe-v0")
    moves = {"x": iter(["0", "1", "8"]), "o": iter(["3", "4", "5"])}
    agents = {seat: (lambda turn, own=own: next(own)) for seat, own in moves.items()}
    episodes = gem_ma.rollout(env, agents, 1, seed=0)
    earned = {row["agent"]: row["rewards"] for row in rows(episodes, tokenizer, texts=True)}
    assert earned == {"x": [0.0, 0.0, -1.0], "o": [0.0, 0.0, 1.0]}


# -- TRL ---------------------------------------------------------------------------------------


def trained(model, tokenizer, out, **arguments):
    """Train with GRPOTrainer and return the rewards of its steps."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    settings = {
        "max_steps": 2, "per_device_train_batch_size": 16, "num_generations": 8,
        "learning_rate": 1e-3, "lr_scheduler_type": "constant",
    } | arguments.pop("settings", {})  # fmt: skip
    arguments.setdefault("train_dataset", Dataset.from_list([{"prompt": "play"}] * 64))
    trainer = GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        args=GRPOConfig(
            output_dir=str(out), use_cpu=True, bf16=False, report_to=[], save_strategy="no",
            logging_steps=1, disable_tqdm=True, gradient_checkpointing=False, beta=0.0,
            dataloader_pin_memory=False, max_completion_length=200, **settings,
        ),
        **arguments,
    )  # fmt: skip
    trainer.train()
    return [entry["reward"] for entry in trainer.state.log_history if "reward" in entry]


@pytest.fixture
def trl(monkeypatch):
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return pytest.importorskip("trl", reason="pip install 'gem-ma[hf]' trl==1.16.0")


def imitate(model, tokenizer, env, steps=40):
    """Let a model imitate random play, so that its replies are legal moves; from our own rows."""
    import torch

    from gem_ma.training.rows import rows

    episodes = gem_ma.rollout(env, "random", 64, seed=1)
    data = list(rows(episodes, tokenizer, texts=True))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        batch = [data[i] for i in rng.choice(len(data), 16)]
        width = max(len(row["ids"]) for row in batch)
        ids = torch.full((16, width), tokenizer.pad_token_id)
        labels = torch.full((16, width), -100)
        for place, row in enumerate(batch):
            ids[place, : len(row["ids"])] = torch.tensor(row["ids"])
            own = torch.tensor(row["mask"]) == 1
            labels[place, : len(own)][own] = torch.tensor(row["ids"])[own]
        loss = model(input_ids=ids, attention_mask=(labels > -200).long(), labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@pytest.mark.filterwarnings("ignore")  # TRL's and its dependencies' own
def test_trl_learns_a_fixed_secret(trl, tokenizer, tmp_path):
    import tiny_models

    from gem_ma.training.adapters.trl import env_reward, rollout_func

    model = tiny_models.llm(tokenizer, hidden=64)
    env = fixed(max_number=5, max_turns=2, invalid="skip")
    imitate(model, tokenizer, env)
    rewards = trained(
        model,
        tokenizer,
        tmp_path,
        reward_funcs=[env_reward],
        rollout_func=rollout_func(env, max_new_tokens=4),
        settings={"max_steps": 20, "per_device_train_batch_size": 32},
    )
    assert np.mean(rewards[:3]) < 0.75
    assert np.mean(rewards[-4:]) > 0.9


class Standing:
    """What a rollout_func asks of the trainer that calls it."""

    num_generations = num_generations_eval = 2

    def __init__(self, model, tokenizer):
        self.model, self.processing_class = model, tokenizer
        self.temperature = 1.0
        self.accelerator = self.state = self
        self.process_index = self.global_step = 0

    def unwrap_model(self, model):
        return model


def test_trl_groups_are_one_seat_from_one_start(trl, model, tokenizer):
    from gem_ma.training.adapters.trl import rollout_func

    made = rollout_func("game:TicTacToe-v0", max_new_tokens=4, invalid="random")
    out = made(["play"] * 8, Standing(model, tokenizer))
    assert out["seat"] == ["x", "x", "o", "o"] * 2
    assert [out["env_reward"][i] + out["env_reward"][i + 2] for i in (0, 1, 4, 5)] == [0] * 4
    for ids, mask, logprobs in zip(
        out["completion_ids"], out["env_mask"], out["logprobs"], strict=True
    ):
        assert len(ids) == len(mask) == len(logprobs)
        assert {own for own, value in zip(mask, logprobs, strict=True) if value != 0.0} == {1}
    again = rollout_func("game:TicTacToe-v0", max_new_tokens=4, invalid="random")
    assert again(["play"] * 8, Standing(model, tokenizer)) == out
    assert made(["play"] * 8, Standing(model, tokenizer)) != out  # the next batch of the step
    with pytest.raises(ValueError, match="6 prompts on this device"):
        made(["play"] * 6, Standing(model, tokenizer))


def test_trl_takes_no_pictures_from_a_rollout_func(trl, processor):
    import tiny_models

    from gem_ma.training.adapters.trl import rollout_func

    made = rollout_func(
        "game:TicTacToe-v0", {"o": "random"}, max_new_tokens=4, invalid="random", observe="image"
    )
    with pytest.raises(ValueError, match="TRL takes no pictures from a rollout_func, and x was"):
        made(["play"] * 2, Standing(tiny_models.vlm(processor), processor))


def test_trl_recomputes_the_logprobs_that_we_gave(trl, model, tokenizer):
    import torch

    from gem_ma.training.adapters.trl import rollout_func

    made = rollout_func("game:TicTacToe-v0", {"o": "random"}, max_new_tokens=4, invalid="random")
    out = made(["play"] * 2, Standing(model, tokenizer))
    for prompt, ids, mask, given in zip(
        out["prompt_ids"], out["completion_ids"], out["env_mask"], out["logprobs"], strict=True
    ):
        logits = model(torch.tensor([prompt + ids])).logits[0, len(prompt) - 1 : -1]
        again = logits.log_softmax(-1).gather(1, torch.tensor(ids)[:, None])[:, 0]
        own = torch.tensor(mask) == 1
        assert torch.allclose(again[own], torch.tensor(given)[own], atol=1e-4)


def test_trl_environment_plays_a_game_by_tool_calls(trl):
    from gem_ma.training.adapters.trl import OVER, environment_factory

    made = environment_factory("game:TicTacToe-v0", "x", lambda turn: turn.legal[0])
    seat = made()
    first = seat.reset(seed=1, prompt=[{"role": "user", "content": ""}])
    assert gem_ma.make("game:TicTacToe-v0").rules("x") in first
    assert "o" in seat.act("8").lower()
    seat.act("4")
    assert "not" in seat.act("99") or seat.get_reward() == 0.0  # a mistake is told, not raised
    while (said := seat.act("2")) != OVER:
        said = seat.act(said and "6")
    assert seat.get_reward() in (1.0, 0.0, -1.0)
    assert seat.reset(seed=1) == first
    assert seat.get_reward() == 0.0
    sees = environment_factory("game:FrozenLake-v0", observe="image")()
    blocks = sees.reset(seed=1)
    assert {block["type"] for block in blocks} == {"image", "text"}
    assert any(block["type"] == "image" for block in sees.act("right"))


@pytest.fixture(scope="module")
def caller(tokenizer):
    """A tokenizer with a template whose tool calls TRL can read."""
    from pathlib import Path

    import tiny_models

    trl = pytest.importorskip("trl", reason="pip install 'gem-ma[hf]' trl==1.16.0")
    template = (Path(trl.__file__).parent / "chat_templates/qwen2_5.jinja").read_text()
    made = tiny_models.tokenizer(vocab=600, template=template, corpus=[template] * 4)
    made.add_tokens(["<tool_call>", "</tool_call>"])
    made.padding_side = "left"
    return made


@pytest.mark.filterwarnings("ignore")
def test_trl_takes_steps_with_an_environment_factory(trl, caller, tmp_path):
    pytest.importorskip("jmespath", reason="pip install jmespath")
    import tiny_models
    from datasets import Dataset

    from gem_ma.training.adapters.trl import environment_factory

    starts = [{"prompt": [{"role": "user", "content": ""}], "seed": seed} for seed in range(8)]
    rewards = trained(
        tiny_models.llm(caller),
        caller,
        tmp_path,
        environment_factory=environment_factory("game:GuessTheNumber-v0"),
        train_dataset=Dataset.from_list(starts),
        settings={"per_device_train_batch_size": 4, "num_generations": 2},
    )
    assert len(rewards) == 2


# -- Tinker ------------------------------------------------------------------------------------


class Letters:
    """A tokenizer whose tokens are bytes, as the cookbook's renderers use one."""

    bos_token = eos_token_id = None
    name_or_path = "letters"

    def encode(self, text, add_special_tokens=True):
        return list(text.encode())

    def decode(self, ids):
        return bytes(ids).decode()


def draws(text):
    """A completer that says what `text` says to the end of a prompt."""
    from tinker_cookbook.completers import TokenCompleter, TokensWithLogprobs

    class Completer(TokenCompleter):
        async def __call__(self, model_input, stop, **_):
            await asyncio.sleep(0)
            ids = list(f" {text(bytes(model_input.to_ints()).decode())}\n\nUser:".encode())
            return TokensWithLogprobs(tokens=ids, maybe_logprobs=[-1.0] * len(ids))

    return Completer()


@pytest.mark.filterwarnings("ignore")
def test_tinker_trains_both_seats_and_compares_each_with_itself():
    pytest.importorskip("tinker_cookbook", reason="pip install tinker-cookbook==0.5.8 torch")
    import pickle

    from tinker_cookbook.renderers.role_colon import RoleColonRenderer
    from tinker_cookbook.rl.data_processing import compute_advantages, trajectory_to_data
    from tinker_cookbook.rl.rollouts import do_group_rollout

    from gem_ma.training.adapters.tinker import Games, Starts

    rng = np.random.default_rng(0)

    def cell(prompt):
        return rng.choice(free(prompt.rpartition("User:")[2].removesuffix("Assistant:")))

    renderer = RoleColonRenderer(Letters())
    data = Starts(2, 3, seed=1, env="game:TicTacToe-v0", renderer=renderer, games=4)
    assert [len(data.get_batch(i)) for i in range(len(data))] == [3, 3]
    builder = data.get_batch(0)[0]
    group = asyncio.run(asyncio.wait_for(do_group_rollout(builder, draws(cell)), 60))
    assert len(group.trajectories_G) == 8
    returns = [metrics["return"] for metrics in group.metrics_G]
    assert [a + b for a, b in zip(returns[::2], returns[1::2], strict=True)] == [0.0] * 4
    advantages = compute_advantages([group])[0]
    for seat in (0, 1):
        own = np.array(returns[seat::2])
        assert np.allclose(advantages[seat::2], own - own.mean(), atol=1e-6)
    for trajectory in group.trajectories_G:
        assert len(trajectory.transitions) > 1
        (datum,) = trajectory_to_data(trajectory, 1.0)  # each prompt goes on from the one before
        said = sum(len(one.ac.tokens) for one in trajectory.transitions)
        assert sum(datum.loss_fn_inputs["mask"].tolist()) == said
    alone = Games("game:GuessTheNumber-v0", Letters, 3, 2)
    assert pickle.loads(pickle.dumps(alone)) == alone


@pytest.mark.filterwarnings("ignore")
def test_tinker_does_not_wait_for_a_seat_that_left():
    pytest.importorskip("tinker_cookbook", reason="pip install tinker-cookbook==0.5.8 torch")
    from tinker_cookbook.renderers.role_colon import RoleColonRenderer
    from tinker_cookbook.rl.rollouts import do_group_rollout

    from gem_ma.training.adapters.tinker import Games

    renderer = RoleColonRenderer(Letters())
    games = Games("game:PrisonersDilemma-v0", renderer, 1, 2, max_tokens=700)
    group = asyncio.run(
        asyncio.wait_for(do_group_rollout(games, draws(lambda prompt: "cooperate")), 60)
    )
    ends = [trajectory.transitions[-1].metrics for trajectory in group.trajectories_G]
    assert any("too_long" in end for end in ends)
    assert all(end.keys() & {"left", "too_long"} for end in ends)


@pytest.fixture(scope="module")
def sees():
    """Return the cookbook's renderer of a model that sees, for a processor made here."""
    pytest.importorskip("tinker_cookbook", reason="pip install tinker-cookbook==0.5.8 torch")
    import tiny_models
    from tinker_cookbook.renderers.qwen3 import Qwen3VLInstructRenderer

    processor = tiny_models.vlm_processor()
    return Qwen3VLInstructRenderer(processor.tokenizer, processor.image_processor)


@pytest.mark.filterwarnings("ignore")
def test_tinker_gets_the_pictures(sees):
    from io import BytesIO

    import tinker
    from PIL import Image
    from tinker_cookbook.completers import TokenCompleter, TokensWithLogprobs
    from tinker_cookbook.renderers.role_colon import RoleColonRenderer
    from tinker_cookbook.rl.data_processing import trajectory_to_data
    from tinker_cookbook.rl.rollouts import do_group_rollout

    from gem_ma.training.adapters.tinker import Games

    def images(model_input):
        return [one for one in model_input.chunks if isinstance(one, tinker.types.ImageChunk)]

    class Completer(TokenCompleter):
        async def __call__(self, model_input, stop, **_):
            turn = len(images(model_input)) - 1
            ids = sees.tokenizer.encode(f"{'042613'[turn]}<|im_end|>", add_special_tokens=False)
            return TokensWithLogprobs(tokens=ids, maybe_logprobs=[-1.0] * len(ids))

    make = {"observe": "both", "image_size": (84, 84)}
    others = {"o": lambda turn: turn.legal[-1]}
    games = Games("game:TicTacToe-v0", sees, 7, 1, others, make)
    group = asyncio.run(asyncio.wait_for(do_group_rollout(games, Completer()), 60))
    (trajectory,) = group.trajectories_G
    assert [len(images(one.ob)) for one in trajectory.transitions] == [1, 2, 3]
    last = images(trajectory.transitions[-1].ob)
    for chunk, number in zip(last, range(3), strict=True):
        image = Image.open(BytesIO(chunk.data))
        assert (image.size, chunk.expected_tokens) == ((84, 84), 9)
        assert number == 0 or chunk.data != last[number - 1].data
    (datum,) = trajectory_to_data(trajectory, 1.0)
    assert images(datum.model_input) == last
    text = RoleColonRenderer(Letters())
    (env,) = asyncio.run(Games("game:TicTacToe-v0", text, 7, 1, others, make).make_envs())
    with pytest.raises(ValueError, match="a RoleColonRenderer has no image processor"):
        asyncio.run(env.initial_observation())


# -- SkyRL-gym ---------------------------------------------------------------------------------


def test_skyrl_plays_through_its_registry():
    skyrl_gym = pytest.importorskip("skyrl_gym", reason="pip install skyrl-gym==0.4.0")
    skyrl_gym.register(id="gem_ma", entry_point="gem_ma.training.adapters.skyrl:GemEnv")
    try:
        config = {"env": "game:TicTacToe-v0", "seat": "o", "others": "random"}
        env = skyrl_gym.make("gem_ma", env_config=config, extras={"seed": 3})
        prompt, _ = env.init([{"role": "user", "content": ""}])
        assert [message["role"] for message in prompt] == ["system", "user"]
        steps = [env.step(move) for move in ("no move", *"012345678") if not env.solo.done]
        assert steps[0]["observations"]
        assert [step["done"] for step in steps] == [False] * (len(steps) - 1) + [True]
        assert sum(step["reward"] for step in steps) == env.get_metrics()["return"] != 0.0
        again = skyrl_gym.make("gem_ma", env_config=config, extras={"seed": 3})
        assert again.init([])[0] == prompt
        sees = skyrl_gym.make(
            "gem_ma", env_config={}, extras={"env": "game:FrozenLake-v0", "max_turns": 2,
                                             "make": {"observe": "image"}},
        )  # fmt: skip
        assert sees.init([])[0][-1]["content"][0]["type"] == "image_url"
        assert [sees.step("left")["done"] for _ in range(2)] == [False, True]
        with pytest.raises(ValueError, match="expected env=ID"):
            skyrl_gym.make("gem_ma", env_config={})
    finally:
        skyrl_gym.envs.registration.deregister("gem_ma")


# -- verifiers ---------------------------------------------------------------------------------


@pytest.fixture
def endpoint():
    """A chat server that plays the lowest free cell of tic-tac-toe."""

    def lowest(body, attempt):
        seen = body["messages"][-1]["content"]
        return free(seen if isinstance(seen, str) else seen[-1]["text"])[0]

    with StubServer(lowest) as server:
        yield server


@pytest.fixture
def verifiers(endpoint, monkeypatch):
    """A function that plays an episode of a taskset with verifiers and returns it."""
    pytest.importorskip("verifiers.v1", reason="pip install verifiers==0.4.0 uv")
    import shutil
    import sys
    from pathlib import Path

    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    if shutil.which("uv") is None:
        pytest.skip("pip install uv: verifiers' programs run with it")
    monkeypatch.setenv("GEM_MA_TEST_KEY", "none")

    def played(folder, name):
        monkeypatch.syspath_prepend(folder)
        return _verified(name, endpoint.url)

    return played


def _verified(name, url):
    from itertools import islice

    import verifiers.v1 as vf
    from verifiers.v1.clients import ModelContext
    from verifiers.v1.utils.loaders import environment_class

    game = environment_class(name)
    seat = {"runtime": {"type": "subprocess"}, "harness": {"id": "null"}}
    config = game.__orig_bases__[0].__args__[0](taskset={"id": name}, x=seat, o=seat)
    env = game(config)
    client = vf.EvalClientConfig(base_url=url, api_key_var="GEM_MA_TEST_KEY")

    async def play():
        async with env.serving():
            (task,) = islice(env.taskset, 1)
            return await env.run_episode(task, ModelContext("m", client))

    episode = asyncio.run(asyncio.wait_for(play(), 120))
    assert episode.ok, (episode.errors, [trace.errors for trace in episode.traces])
    traces = {trace.agent.name: trace for trace in episode.traces}
    assert set(traces) == {"x", "o"}
    return traces


@pytest.mark.filterwarnings("ignore")
def test_verifiers_gives_each_seat_a_trace(endpoint, verifiers):
    from pathlib import Path

    folder = Path(__file__).parents[2] / "examples" / "train"
    traces = verifiers(folder, "verifiers_tictactoe")
    assert {seat: trace.reward for seat, trace in traces.items()} == {"x": 1.0, "o": -1.0}
    # x takes 0, 2, 4 and 6: the diagonal 2-4-6.
    assert {s: t.info["turn_rewards"] for s, t in traces.items()} == {
        "x": [0.0, 0.0, 0.0, 1.0],
        "o": [0.0, 0.0, -1.0],
    }
    rules = gem_ma.make("game:TicTacToe-v0").rules("o")
    told = {"role": "system", "content": rules}
    assert any(body["messages"][0] == told for body in endpoint.requests)


@pytest.mark.filterwarnings("ignore")
def test_verifiers_gets_the_pictures(endpoint, verifiers, tmp_path):
    (tmp_path / "seen_tictactoe.py").write_text(
        "from gem_ma.training.adapters.verifiers import Starts, environment\n"
        'Game = environment("game:TicTacToe-v0", observe="both", image_size=(56, 56))\n'
        '__all__ = ["Game", "Starts"]\n'
    )
    traces = verifiers(tmp_path, "seen_tictactoe")
    assert traces["x"].reward == 1.0

    def urls(chat):
        parts = [
            part for message in chat if message["role"] == "user" for part in message["content"]
        ]
        return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]

    # What the model was asked with, and what the trace keeps for whoever trains on it.
    longest = max((body["messages"] for body in endpoint.requests), key=len)
    assert len(urls(longest)) == 4
    assert all(url.startswith("data:image/png;base64,") for url in urls(longest))
    kept = [m.model_dump() for node in traces["x"].nodes for m in [node.message]]
    assert urls(kept) == urls(longest)


# -- OpenRLHF ----------------------------------------------------------------------------------


@pytest.fixture
def openrlhf(monkeypatch):
    """OpenRLHF's agent module as it is, without importing the trainer around it."""
    import importlib.util
    import sys
    import types

    pytest.importorskip("torch", reason="pip install 'gem-ma[hf]'")
    spec = importlib.util.find_spec("openrlhf")
    if spec is None:
        pytest.skip("pip install --no-deps openrlhf==0.11.2 and aiohttp")
    (folder,) = spec.submodule_search_locations
    for name in ("openrlhf", "openrlhf.utils"):
        package = types.ModuleType(name)
        package.__path__ = [folder if name == "openrlhf" else f"{folder}/utils"]
        monkeypatch.setitem(sys.modules, name, package)


class Engine:
    """Stands for the engine of OpenRLHF: it says what it is given to say, token by token."""

    def __init__(self, tokenizer, moves):
        self.tokenizer, self.moves = tokenizer, iter(moves)
        self.prompts, self.pictures = [], []

    async def generate(self, ids, params, multi_modal_data=None):
        from types import SimpleNamespace

        self.prompts.append(list(ids))
        self.pictures.append([pixels(one) for one in (multi_modal_data or {}).get("image", [])])
        text = next(self.moves)
        said = [*self.tokenizer(text)["input_ids"], self.tokenizer.eos_token_id]
        logprobs = [{token: SimpleNamespace(logprob=-1.0)} for token in said]
        return SimpleNamespace(
            outputs=[
                SimpleNamespace(
                    token_ids=said,
                    text=text,  # vLLM leaves the token that ended it out of the text
                    finish_reason="stop",
                    logprobs=logprobs,
                )
            ]
        )


def test_openrlhf_executes_an_episode_that_reads_as_the_chat_does(openrlhf, tokenizer):
    from types import SimpleNamespace

    from gem_ma.talk.tokens import Tokens
    from gem_ma.training.adapters.openrlhf import executor

    made = executor(tokenizer, "game:TicTacToe-v0", "x", lambda turn: turn.legal[-1])
    engine = Engine(tokenizer, ["0", "4", "2", "6", "1"])
    params = SimpleNamespace(max_tokens=8, logprobs=1)
    out = asyncio.run(made().execute("unused", "7", params, 4000, tokenizer, engine))
    assert out["reward"] in (1.0, 0.0, -1.0)
    assert len(out["rollout_log_probs"]) == len(out["observation_tokens"])
    seat = sit("game:TicTacToe-v0", "x", lambda turn: turn.legal[-1])

    async def prompts():
        tokens, seen = Tokens(tokenizer), []
        outcome = await seat.reset(7)
        for move in ["0", "4", "2", "6", "1"]:
            if outcome.turn is None:
                break
            seen.append(tokens.prompt(outcome.turn.messages).ids)
            outcome = await seat.step(move)
        return seen

    assert engine.prompts == asyncio.run(prompts())
    assert len(out["action_ranges"]) == len(engine.prompts)


def test_openrlhf_gets_the_pictures(openrlhf, processor):
    from types import SimpleNamespace

    from gem_ma.training.adapters.openrlhf import executor

    made = executor(processor, "game:TicTacToe-v0", "x", last, **SEEN)
    engine = Engine(processor.tokenizer, MOVES)
    params = SimpleNamespace(max_tokens=8, logprobs=1)
    out = asyncio.run(made().execute("unused", "7", params, 9000, processor, engine))
    wanted = shown(processor)
    assert engine.prompts == [ids for ids, _ in wanted]
    assert engine.pictures == [seen for _, seen in wanted]
    inputs = out["mm_train_inputs"]
    assert len(inputs["image_grid_thw"]) == len(wanted)
    assert len(inputs["pixel_values"]) == int(inputs["image_grid_thw"].prod(-1).sum())
    blind = executor(processor.tokenizer, "game:TicTacToe-v0", "x", last, **SEEN)
    with pytest.raises(ValueError, match="takes no pictures; use a model that sees"):
        asyncio.run(blind().execute("", "7", params, 9000, processor.tokenizer, engine))
    with pytest.raises(ValueError, match=r"the label \{\} has no seed"):
        asyncio.run(made().execute("", "{}", params, 9000, processor, engine))


# -- verl --------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
def test_verl_plays_an_episode_into_its_output(tokenizer):
    pytest.importorskip(
        "verl.experimental.agent_loop.agent_loop", reason="pip install 'verl[verl-core]==0.9.1'"
    )
    from types import SimpleNamespace

    from gem_ma.training.adapters.verl import GemAgentLoop

    class Server:
        moves = iter(["0", "4", "2", "6", "1"])

        async def generate(self, request_id, *, prompt_ids, sampling_params, image_data=None):
            said = [*tokenizer(next(self.moves))["input_ids"], tokenizer.eos_token_id]
            return SimpleNamespace(token_ids=said, log_probs=[-1.0] * len(said))

    loop = object.__new__(GemAgentLoop)  # its __init__ wants the whole configuration
    loop.tokenizer, loop.processor, loop.apply_chat_template_kwargs = tokenizer, None, {}
    loop.rollout_config = SimpleNamespace(response_length=4000)
    loop.server_manager = Server()
    row = {"env": "game:TicTacToe-v0", "seat": "x", "others": lambda turn: turn.legal[-1]}
    out = asyncio.run(loop.run({}, raw_prompt=[], extra_info={**row, "seed": 7}))
    assert out.reward_score == sum(out.extra_fields["turn_scores"])
    assert len(out.response_ids) == len(out.response_mask) == len(out.response_logprobs)
    assert out.response_mask[0] == 1
    said = [i for i, own in zip(out.response_ids, out.response_mask, strict=True) if own]
    assert tokenizer.decode(said, skip_special_tokens=True) == "04261"[: out.num_turns // 2]
    assert out.as_dict()["rm_scores"][-1] == out.reward_score
    Server.moves = iter("0426")
    loop.rollout_config.response_length = 10
    short = asyncio.run(loop.run({}, raw_prompt=[], extra_info={**row, "seed": 7}))
    assert short.num_turns == 2
    assert short.response_mask == [1] * len(short.response_ids)


@pytest.mark.filterwarnings("ignore")
def test_verl_gets_the_pictures(processor):
    verl = pytest.importorskip(
        "verl.experimental.agent_loop.agent_loop", reason="pip install 'verl[verl-core]==0.9.1'"
    )
    from types import SimpleNamespace

    import torch

    from gem_ma.training.adapters.verl import GemAgentLoop

    asked = []

    class Server:
        moves = iter(MOVES)

        async def generate(self, request_id, *, prompt_ids, sampling_params, image_data=None):
            asked.append((prompt_ids, [pixels(one) for one in image_data or []]))
            text = processor.tokenizer(next(self.moves))["input_ids"]
            return SimpleNamespace(
                token_ids=[*text, processor.tokenizer.eos_token_id], log_probs=None
            )

    loop = object.__new__(GemAgentLoop)
    loop.tokenizer, loop.processor = processor.tokenizer, processor
    loop.apply_chat_template_kwargs, loop.server_manager = {}, Server()
    loop.rollout_config = SimpleNamespace(response_length=9000)
    row = {"env": "game:TicTacToe-v0", "seat": "x", "others": last, "make": SEEN, "seed": 7}
    out = asyncio.run(loop.run({}, raw_prompt=[], extra_info=row))
    assert asked == shown(processor)
    assert [pixels(one) for one in out.multi_modal_data["images"]] == asked[-1][1]
    # What verl makes of it for the model that is updated.
    worker = object.__new__(verl.AgentLoopWorker)
    worker.processor, worker.tokenizer = processor, processor.tokenizer
    worker._get_mm_processor_kwargs = lambda _: {}
    ids = torch.tensor([out.prompt_ids + out.response_ids])
    inputs = worker._compute_multi_modal_inputs(out, ids)
    assert len(inputs["image_grid_thw"]) == len(asked)
    pad = processor.tokenizer.convert_tokens_to_ids("<|image_pad|>")
    merge = processor.image_processor.merge_size**2
    assert int(inputs["image_grid_thw"].prod(-1).sum()) == merge * int((ids == pad).sum())
    blind = object.__new__(GemAgentLoop)
    blind.__dict__ |= {**loop.__dict__, "processor": None}
    with pytest.raises(ValueError, match="takes no pictures; use a model that sees"):
        asyncio.run(blind.run({}, raw_prompt=[], extra_info=row))
