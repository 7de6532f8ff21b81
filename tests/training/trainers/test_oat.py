"""Oat's own actor and learner."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from trainers import SEEN, cells, cut, said

EXAMPLE = Path(__file__).parents[3] / "examples/train/oat_game.py"


@pytest.fixture
def oat(tokenizer, monkeypatch):
    """An actor of the example over the step of Oat's own, with a scripted engine; its learner."""
    torch = pytest.importorskip("torch", reason="pip install 'gem-ma[hf]'")
    found = importlib.util.find_spec("oat")
    if found is None:
        pytest.skip("pip install --no-deps --ignore-requires-python oat-llm==0.2.4")
    file = Path(found.submodule_search_locations[0]) / "algorithms/ppo_multiturn.py"
    names = {"np": np, "torch": torch, "logging": __import__("logging")}
    theirs = type("Actor", (), {"step": cut(file, "step", names)})
    spec = importlib.util.spec_from_file_location("oat_game", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def generate(asked, params, use_tqdm):
        out = []
        for one in asked:
            ids = said(tokenizer, cells(tokenizer, one["prompt_token_ids"])[0])
            logprobs = [{token: SimpleNamespace(logprob=-1.0)} for token in ids]
            made = SimpleNamespace(token_ids=tuple(ids), logprobs=logprobs)
            out.append(SimpleNamespace(outputs=[made]))
        return out

    def played(**environment):
        for name, value in {"GEM_GAMES": "2", **environment}.items():
            monkeypatch.setenv(name, value)
        actor = type("Both", (module.Games, theirs), {})()
        actor.tokenizer, actor.sampling_params = tokenizer, None
        actor.llm = SimpleNamespace(generate=generate)
        actor.ipc_client = SimpleNamespace(serialize_ipc=lambda episodes: episodes)
        return actor.step()

    learner = type("Learner", (), {
        name: cut(file, name, names) for name in ("compute_advantages", "process_feedback_data")
    })()  # fmt: skip
    learner.critic, learner.pi_buffer, learner.query_step = None, [], 0
    learner.args = SimpleNamespace(
        gamma=1.0, lam=0.95, rollout_batch_size_per_device=99, dump_all_buffer=False
    )
    return SimpleNamespace(played=played, learner=learner, module=module)


def test_oat_trains_both_seats_with_the_rewards_of_turns(oat, tokenizer):
    episodes = oat.played()
    words = [
        "".join(tokenizer.decode(turn.response_ids, skip_special_tokens=True) for turn in episode)
        for episode in episodes
    ]
    assert words == ["0246", "135"] * 2
    for turn in (turn for episode in episodes for turn in episode):
        texts = [tokenizer.decode(ids) for ids in (turn.prompt_ids, turn.response_ids)]
        assert texts == [turn.obs, turn.action] == [turn.prompt, turn.response]
    assert [[turn.rewards for turn in episode] for episode in episodes[:2]] == [
        [0, 0, 0, 1],
        [0, 0, -1],
    ]
    assert [[turn.done for turn in episode] for episode in episodes[:2]] == [
        [False, False, False, True],
        [False, False, True],
    ]
    assert episodes[0][0].info["actor/mean_episode_return"] == 0.0
    oat.learner.process_feedback_data(episodes)
    assert len(oat.learner.pi_buffer) == 14
    worth = [turn.info["advantages"] for turn in oat.learner.pi_buffer[:7]]
    assert worth == [1, 1, 1, 1, -1, -1, -1]


def test_oat_does_not_mind_where_chats_are_cut(oat):
    whole, cut_short = oat.played(), oat.played(GEM_CONTEXT="turns=1")
    assert [len(one) for one in whole] == [len(one) for one in cut_short]
    assert len(cut_short[0][-1].prompt_ids) < len(whole[0][-1].prompt_ids)


def test_oat_has_no_groups_no_models_and_no_pictures(oat, processor):
    from dataclasses import fields

    from oat.types import Transition

    import gem_ma
    from gem_ma.chat.tokenization import ChatTokenizer
    from gem_ma.training.trainers.oat import make_transitions

    known = {field.name for field in fields(Transition)}
    assert not {name for name in known if "group" in name or "model" in name or "image" in name}
    tokens = ChatTokenizer(processor)

    def first(turn):
        ids = said(processor.tokenizer, turn.legal[0])
        return gem_ma.Reply(turn.legal[0], token_ids=ids, logprobs=[-1.0] * len(ids))

    episodes = gem_ma.rollout("game:TicTacToe-v0", first, 1, seed=1, **SEEN)
    with pytest.raises(ValueError, match="Oat takes no pictures, and x was shown some"):
        make_transitions(episodes, tokens, ["x", "o"])
