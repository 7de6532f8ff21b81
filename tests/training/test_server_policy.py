"""A learner that plays on a server: the order of requests, versions, and what it learns from."""

import json

import pytest
from needed import Later, needed
from stub_server import StubServer, body, completion, status

from gem_ma.agents.providers.errors import ServerError
from gem_ma.training.advantages import rebn

torch = needed("torch", install="'gem-ma[hf]'")
needed("transformers", install="'gem-ma[hf]'")
needed("openai", install="'gem-ma[openai]'")
tiny_models, loop = Later("tiny_models"), Later("gem_ma.training.reference_trainer")
learners = Later("gem_ma.training.learners.hf_learner")
policies = Later("gem_ma.training.server_policy")
background = Later("gem_ma.training.background_rollouts")

ENV = "game:RockPaperScissors-v0"

pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    # peft 0.21 asks transformers 5.23 for what it calls by another name now.
    pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning"),
]


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a-secret-that-nobody-may-read")


class StubEngine(StubServer):
    """vLLM as far as it is asked: it says rock, with the ids, and keeps a list of what it did."""

    def __init__(self, tokenizer):
        super().__init__(self.serve)
        self.tokenizer = tokenizer
        self.log = []

    def serve(self, request, attempt):
        if "messages" not in request:
            self.log.append((self.paths[-1], request))
            return body("Success")
        self.log.append(("chat", request["model"]))
        prompt = self.tokenizer.apply_chat_template(request["messages"], add_generation_prompt=True)
        answer = completion("rock", prompt_tokens=len(prompt["input_ids"]))
        ids = [*self.tokenizer("rock", add_special_tokens=False)["input_ids"]]
        ids.append(self.tokenizer.eos_token_id)
        answer["prompt_token_ids"] = list(prompt["input_ids"])
        answer["choices"][0] |= {
            "token_ids": ids,
            "logprobs": {"content": [{"token": "x", "logprob": -1.0} for _ in ids]},
        }
        return body(json.dumps(answer))

    def list_events(self):
        """Return what happened, chats that follow one another as one."""
        events = []
        for path, what in self.log:
            event = ("chat", what) if path == "chat" else (path, what.get("lora_name"))
            if not (events and event[0] == "chat" and events[-1] == event):
                events.append(event)
        return events


def trainer(learner, policy, **settings):
    return loop.Trainer(
        ENV,
        {"left": learner, "right": "random"},
        rebn,
        train=["left"],
        episodes=2,
        rollout={"rounds": 2},
        players={"left": policy},
        **settings,
    )


def test_adapters_are_loaded_by_version_and_old_ones_go(key, tmp_path):
    pytest.importorskip("peft", reason="pip install 'gem-ma[lora]'")
    tokenizer = tiny_models.tokenizer()
    learner = learners.HFLearner(
        tiny_models.llm(tokenizer),
        tokenizer,
        max_new_tokens=8,
        lora={"r": 2, "target_modules": ["q_proj"]},
    )
    with StubEngine(tokenizer) as server:
        policy = policies.VLLMPolicy(learner, server.url, tmp_path, keep=1)
        history = trainer(learner, policy).run(3)
        events = server.list_events()
    load, unload = "/v1/load_lora_adapter", "/v1/unload_lora_adapter"
    assert events == [
        (load, "policy-0"),
        ("chat", "policy-0"),
        (load, "policy-1"),
        ("chat", "policy-1"),
        (load, "policy-2"),
        (unload, "policy-0"),
        ("chat", "policy-2"),
    ]
    assert [row["staleness"] for row in history] == [0, 0, 0]
    assert all(row["invalid/left"] == 0 for row in history)
    loaded = [what["lora_path"] for path, what in server.log if path == load]
    assert loaded[1:] == [str(tmp_path / "policy-1"), str(tmp_path / "policy-2")]
    assert (tmp_path / "policy-2" / "adapter_config.json").is_file()
    assert not (tmp_path / "policy-0").exists()


def test_a_whole_model_is_reloaded_between_pause_and_resume_while_it_plays_on(key, tmp_path):
    tokenizer = tiny_models.tokenizer()
    learner = learners.HFLearner(tiny_models.llm(tokenizer), tokenizer, max_new_tokens=8)
    with StubEngine(tokenizer) as server:
        policy = policies.VLLMPolicy(learner, server.url, tmp_path, name="tiny")
        history = trainer(learner, policy, max_staleness=1).run(3)
        routes = [(path, what) for path, what in server.log if path != "chat"]
    reload = {"method": "reload_weights", "kwargs": {"weights_path": str(tmp_path / "tiny")}}
    once = [("/pause?mode=keep", {}), ("/collective_rpc", reload), ("/resume", {})]
    assert routes == once * 4  # before the first and after each update
    assert all(0 <= row["staleness/most"] <= 1 for row in history)
    assert (tmp_path / "tiny" / "model.safetensors").is_file()


def test_refusals_are_told_without_the_key(key, tmp_path):
    tokenizer = tiny_models.tokenizer()
    learner = learners.HFLearner(tiny_models.llm(tokenizer), tokenizer)
    refusal = status(403, message="no weights for sk-a-secret-that-nobody-may-read")
    with StubServer(lambda request, attempt: refusal) as server:
        policy = policies.VLLMPolicy(learner, server.url, tmp_path)
        with pytest.raises(ServerError, match=r"POST /pause.*no weights for") as caught:
            policy.publish(0)
    assert "a-secret" not in str(caught.value)
    with pytest.raises(RuntimeError, match=r"no weights are published; call publish\(\)"):
        background.RolloutPolicy(learner).act([])
    with pytest.raises(ValueError, match="players: the policy of right is not"):
        loop.Trainer(ENV, {"left": learner, "right": "random"}, rebn, players={"right": policy})
