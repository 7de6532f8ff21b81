"""OpenRLHF's agent module."""

import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from trainers import MOVES, SEEN, cells, cut, last, pixels, said, shown

from gem_ma.training.trainers import make_seat

GAME = "game:TicTacToe-v0"


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
    for part in ("", "/utils", "/models", "/trainer", "/trainer/ppo_utils"):
        name = "openrlhf" + part.replace("/", ".")
        package = types.ModuleType(name)
        package.__path__ = [folder + part]
        monkeypatch.setitem(sys.modules, name, package)


class Engine:
    """Stands for the engine of OpenRLHF; says what `choose` makes of the free cells."""

    def __init__(self, tokenizer, choose=lambda free: free[0]):
        self.tokenizer, self.choose = tokenizer, choose
        self.prompts, self.pictures = [], []

    async def generate(self, ids, params, multi_modal_data=None):
        await asyncio.sleep(0)
        assert params.max_tokens <= 8
        self.prompts.append(list(ids))
        self.pictures.append([pixels(one) for one in (multi_modal_data or {}).get("image", [])])
        text = self.choose(cells(self.tokenizer, ids))
        drawn = said(self.tokenizer, text)
        logprobs = [{token: SimpleNamespace(logprob=-1.0)} for token in drawn]
        made = SimpleNamespace(token_ids=drawn, text=text, finish_reason="stop", logprobs=logprobs)
        return SimpleNamespace(outputs=[made])


def samples(made, tokenizer, engine, label="7", number=1, room=4000):
    """Ask for the samples of a prompt as OpenRLHF's own worker does."""
    params = SimpleNamespace(max_tokens=8, logprobs=1)

    async def gathered():
        agent = made()
        calls = [agent.execute("unused", label, params, room, tokenizer, engine)
                 for _ in range(number)]  # fmt: skip
        return await asyncio.gather(*calls)

    return asyncio.run(gathered())


def test_openrlhf_executes_an_episode_that_reads_as_the_chat_does(openrlhf, tokenizer):
    from gem_ma.chat.tokenization import ChatTokenizer
    from gem_ma.training.trainers.openrlhf import make_executor_class

    made = make_executor_class(tokenizer, GAME, "x", last)
    engine = Engine(tokenizer)
    (out,) = samples(made, tokenizer, engine)
    assert out["reward"] in (1.0, 0.0, -1.0)
    assert len(out["rollout_log_probs"]) == len(out["observation_tokens"])
    moves = [out["observation_tokens"][start:end] for start, end in out["action_ranges"]]
    seat = make_seat(GAME, "x", last)

    async def prompts():
        tokens, seen = ChatTokenizer(tokenizer), []
        outcome = await seat.reset(7)
        for move in moves:
            seen.append(tokens.build_prompt(outcome.turn.messages).ids)
            outcome = await seat.step(tokenizer.decode(move, skip_special_tokens=True))
        return seen

    # The game of a rollout is not that of a seat's seed, but tic-tac-toe begins alike.
    assert engine.prompts == asyncio.run(prompts())
    with pytest.raises(ValueError, match=r"the label \{\} has no seed"):
        samples(made, tokenizer, engine, "{}")


def test_openrlhf_takes_turns_with_thoughts_as_one_sequence(openrlhf):
    from chats import templates as chat_templates

    from gem_ma.training.trainers.openrlhf import make_executor_class

    tokenizer = chat_templates.make_tokenizer(chat_templates.FAMILIES["Qwen3"])
    engine = Engine(tokenizer, lambda free: f"<think>\nhm\n</think>\n\n{free[0]}")
    (out,) = samples(make_executor_class(tokenizer, GAME, "x", last), tokenizer, engine)
    assert len(out["action_ranges"]) == len(engine.prompts) > 1
    for (start, _), prompt in zip(out["action_ranges"], engine.prompts, strict=True):
        assert out["observation_tokens"][:start] == prompt
    closed = make_executor_class(tokenizer, GAME, "x", last, template={"enable_thinking": False})
    (out,) = samples(closed, tokenizer, engine)
    first = tokenizer.decode(out["observation_tokens"][: out["action_ranges"][0][0]])
    assert first.endswith("</think>\n\n")


class Mixed:
    """In the second game x gives way, and o wins."""

    def __init__(self):
        self.begun = 0

    def __call__(self, free):
        free = sorted(set(free))  # before the first move the rules have figures, too
        if len(free) == 9:
            self.begun += 1
            return "8" if self.begun == 2 else "0"
        # x of the second game goes on beside its 8; everybody else takes the first free cell.
        moved = 9 - len(free)
        mine = moved % 2 == 0 and "8" not in free
        return next((c for c in "75" if mine and c in free), free[0])


def test_openrlhf_trains_both_seats_as_samples_of_a_prompt(openrlhf, tokenizer):
    import torch

    from gem_ma.training.trainers.openrlhf import make_executor_class

    made = make_executor_class(tokenizer, GAME)
    out = samples(made, tokenizer, Engine(tokenizer, Mixed()), number=4)
    moves = [
        tokenizer.decode(
            [
                t
                for start, end in one["action_ranges"]
                for t in one["observation_tokens"][start:end]
            ],
            skip_special_tokens=True,
        )
        for one in out
    ]
    assert moves == ["0246", "875", "135", "012"]  # x in both games, then o in both
    assert [one["scores"] for one in out] == [1.0, -1.0, -1.0, 1.0]
    assert [one["reward"] for one in out] == [1.0, -1.0, -1.0, 1.0]
    for advantage, expected in zip(theirs(out, "rloo"), [1, -1, -1, 1], strict=True):
        # Over four samples whose mean is 0; one number for all that a sample said.
        assert advantage[advantage != 0].unique().tolist() == pytest.approx([expected * 4 / 3])
    lost = samples(made, tokenizer, Engine(tokenizer), number=4)
    assert [one["scores"] for one in lost] == [1.0, 1.0, -1.0, -1.0]
    assert [one["reward"] for one in lost] == [0.0] * 4  # x always wins: no seat did better
    assert not torch.cat([one.flatten() for one in theirs(lost, "rloo")]).any()


def theirs(out, estimator):
    """Let OpenRLHF's own code make experiences of samples, and return its advantages."""
    import itertools
    from typing import Optional, Union

    import torch
    from openrlhf.trainer.ppo_utils.experience import Experience
    from openrlhf.trainer.ppo_utils.length_penalty import apply_length_penalties

    names = {"torch": torch, "Experience": Experience, "itertools": itertools,
             "apply_length_penalties": apply_length_penalties,
             "List": list, "Tuple": tuple, "Optional": Optional, "Union": Union}  # fmt: skip
    for file, name in (
        ("models/utils.py", "compute_reward"),
        ("trainer/ppo_utils/samples_generator.py", "_process_response_into_experience"),
        ("trainer/ppo_utils/experience_maker.py", "compute_advantages_and_returns"),
        ("trainer/ppo_utils/experience_maker.py", "get_cumulative_returns"),
    ):
        cut(Path(sys.modules["openrlhf"].__path__[0]) / file, name, names)
    experiences = [names["_process_response_into_experience"](None, one) for one in out]
    for number, one in enumerate(experiences):
        one.index = [number]
        one.kl = torch.zeros_like(one.action_mask, dtype=torch.float32)
    advantage = SimpleNamespace(estimator=estimator, gamma=1.0, no_std_norm=True)
    args = SimpleNamespace(
        rollout=SimpleNamespace(n_samples_per_prompt=len(out)),
        algo=SimpleNamespace(advantage=advantage),
        reward=SimpleNamespace(
            clip_range=None, overlong_buffer_len=None, stop_properly_penalty_coef=None
        ),
    )
    maker = SimpleNamespace(
        strategy=SimpleNamespace(args=args), advantage_estimator=estimator,
        kl_ctl=SimpleNamespace(value=0.0),
    )  # fmt: skip
    maker.get_cumulative_returns = lambda *given: names["get_cumulative_returns"](maker, *given)
    found = names["compute_advantages_and_returns"](maker, experiences)
    return [one.advantages * one.action_mask for one in found]


def test_openrlhf_takes_one_sequence_with_one_number(openrlhf, tokenizer):
    from gem_ma.training.trainers.openrlhf import make_executor_class

    made = make_executor_class(tokenizer, "game:TicTacToe-v0")
    with pytest.raises(ValueError, match=r"OpenRLHF takes one sequence per episode, .*turns=1"):
        samples(made, tokenizer, Engine(tokenizer), '{"seed": 7, "context": "turns=1"}', 2)
    (out,) = samples(make_executor_class(tokenizer, GAME, "x", last), tokenizer, Engine(tokenizer))
    assert isinstance(out["reward"], float)


def test_openrlhf_gets_the_pictures(openrlhf, processor):
    from gem_ma.training.trainers.openrlhf import make_executor_class

    made = make_executor_class(processor, GAME, "x", last, **SEEN)
    moves = iter(MOVES)
    engine = Engine(processor.tokenizer, lambda _: next(moves))
    (out,) = samples(made, processor, engine, room=9000)
    wanted = shown(processor)
    assert engine.prompts == [ids for ids, _ in wanted]
    assert engine.pictures == [seen for _, seen in wanted]
    inputs = out["mm_train_inputs"]
    assert len(inputs["image_grid_thw"]) == len(wanted)
    assert len(inputs["pixel_values"]) == int(inputs["image_grid_thw"].prod(-1).sum())
    pad = processor.tokenizer.convert_tokens_to_ids("<|image_pad|>")
    merge = processor.image_processor.merge_size**2
    assert out["observation_tokens"].count(pad) * merge == len(inputs["pixel_values"])
    blind = make_executor_class(processor.tokenizer, GAME, "x", last, **SEEN)
    with pytest.raises(Exception, match="takes no pictures; use a vision-language model"):
        samples(blind, processor.tokenizer, Engine(processor.tokenizer))
