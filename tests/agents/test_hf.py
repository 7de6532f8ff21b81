"""Models of transformers in the seats, and training samples to the token."""

import copy
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import packs
import pytest
from broken_games import TOOL, Looking
from needed import Later, needed

from gem_ma import Env, Reply, Turn, load_episodes, rollout, save_episodes
from gem_ma.agents import HFAgent, load_agent
from gem_ma.agents import hf as hf_module
from gem_ma.chat.tokenization import REWRITTEN_NOTE, ChatTokenizer
from gem_ma.evaluation.exploitability import compute_exploitability

training = Later("gem_ma.training")

torch = needed("torch", install="'gem-ma[hf]'")
tiny_models = Later("tiny_models")

TWO = "game:TicTacToe-v0"
SAME_TIME = "game:RockPaperScissors-v0"


@pytest.fixture(scope="module")
def text():
    tokenizer = tiny_models.tokenizer()
    return tiny_models.llm(tokenizer), tokenizer


@pytest.fixture(scope="module", params=["qwen2-vl", "llava"])
def sight(request):
    if request.param == "llava":
        return tiny_models.llava()
    processor = tiny_models.vlm_processor()
    return tiny_models.vlm(processor), processor


class Spied(HFAgent):
    """An HFAgent that keeps what its model was given and what it produced."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.calls = Counter()
        self.pixels = {}

    def _generate_tokens(self, prompts, draw, length):
        rows = super()._generate_tokens(prompts, draw, length)
        for prompt, row in zip(prompts, rows, strict=True):
            given = tuple(prompt.ids)
            self.calls[given, self.until_end(row)] += 1
            self.pixels[given] = prompt.tensors.get("pixel_values")
        return rows

    def until_end(self, row):
        ends = [place for place, token in enumerate(row) if token in self._eos_ids]
        return tuple(row[: ends[0] + 1] if ends else row)


def check(agent, episode, seat, temperature=1.0, **kwargs):
    """Compare a seat's samples with what its model was given, and with a forward pass."""
    found = training.build_samples(episode, seat, agent.tokens, **kwargs)
    steps = [number for number, step in enumerate(episode.steps) if step.agent == seat]
    assert [span.step for sample in found for span in sample.spans] == steps
    for sample in found:
        assert sample.exact, sample.notes
        length = len(sample.ids)
        assert {len(x) for x in (sample.mask, sample.logprobs, sample.rewards)} == {length}
        for span in sample.spans:
            given, made = sample.ids[: span.start], sample.ids[span.start : span.end]
            assert agent.calls[tuple(given), tuple(made)] >= 1
            assert made == list(episode.steps[span.step].reply.token_ids)
            assert sample.mask[span.start : span.end] == [1] * len(made)
            assert sample.rewards[span.end - 1] == span.reward == episode.steps[span.step].reward
        assert sum(sample.mask) == sum(span.end - span.start for span in sample.spans)
        inputs = {"input_ids": torch.tensor([sample.ids]), **sample.tensors}
        inputs |= {name: torch.tensor([value]) for name, value in sample.token_features.items()}
        with torch.no_grad():
            logits = agent.model(**inputs).logits[0] / temperature
        again = torch.log_softmax(logits, -1)
        for place in range(length):
            if sample.mask[place]:
                number = again[place - 1, sample.ids[place]].item()
                assert sample.logprobs[place] == pytest.approx(number, abs=1e-4)
            else:
                assert math.isnan(sample.logprobs[place])
    return found


@packs.needs("training")
def test_two_seats_of_a_text_model(text):
    agent = Spied(*text, max_new_tokens=12)
    for episode in rollout([SAME_TIME, TWO], agent, 4, seed=1, invalid="random", concurrency=4):
        assert not episode.failure
        for seat in episode.agents:
            (sample,) = check(agent, episode, seat)
            assert len(sample.spans) > 1
            others = [s.reply for s in episode.steps if s.agent != seat]
            assert others  # theirs are not in the mask: each masked token was checked above


@packs.needs("training")
def test_two_seats_of_a_model_that_sees(sight):
    agent = Spied(*sight, max_new_tokens=8, batch_size=1)
    for observe in ("image", "both"):
        (episode,) = rollout(TWO, agent, 1, seed=2, observe=observe, invalid="random")
        assert not episode.failure, episode.failure
        for seat in ("x", "o"):
            (sample,) = check(agent, episode, seat)
            steps = [step for step in episode.steps if step.agent == seat]
            assert len(sample.pictures) == len(steps) > 1
            assert sample.pictures == [step.observation["image"] for step in steps]
            last = tuple(sample.ids[: sample.spans[-1].start])
            assert torch.equal(sample.tensors["pixel_values"], agent.pixels[last])


@packs.needs("training")
def test_batches_of_conversations_with_and_without_pictures(sight):
    agent = Spied(*sight, max_new_tokens=6)
    episodes = rollout([TWO, SAME_TIME], agent, 4, seed=3, observe="image", invalid="random")
    episodes += rollout(TWO, agent, 2, seed=3)
    for episode in episodes:
        assert not episode.failure, episode.failure
        for seat in episode.agents:
            check(agent, episode, seat)
    model, processor = sight
    mixed = HFAgent(model, processor, max_new_tokens=4)
    turns = [env_turn(TWO, observe="image"), env_turn(TWO), env_turn(TWO, observe="both")]
    together = mixed.act(turns)
    alone = [mixed.act([turn])[0] for turn in turns]
    assert [r.token_ids for r in together] == [r.token_ids for r in alone]


def env_turn(env_id, **kwargs):
    import gem_ma

    env = gem_ma.make(env_id, **kwargs)
    env.reset(seed=0)
    return env.turn(env.agent_selection)


@packs.needs("training")
def test_with_a_window_each_turn_is_a_sample_of_its_own(text):
    agent = Spied(*text, max_new_tokens=6)
    (episode,) = rollout(
        SAME_TIME, agent, seed=1, rounds=5, invalid="random", context={"left": "turns=1"}
    )
    found = check(agent, episode, "left")
    assert [len(sample.spans) for sample in found] == [2, 1, 1, 1]  # the first cut is at turn 2
    assert "turns=1 cuts earlier turns" in found[1].notes[0]
    assert len(check(agent, episode, "right")) == 1
    assert len(check(agent, episode, "right", per="turn")) == 5


def test_a_model_that_sees_and_is_shown_nothing_is_told_once(sight, text, caplog):
    def act(given, *observed):
        caplog.clear()
        agent = HFAgent(*given, max_new_tokens=1)
        for observe in observed:
            agent.act([env_turn(TWO, observe=observe)])
        return [record.getMessage() for record in caplog.records]

    (told,) = act(sight, "text", "text")
    assert told.endswith("is shown no pictures: observe='image', or --observe image, shows them")
    assert act(sight, "image", "text") == act(sight, "both") == act(text, "text") == []


@packs.needs("training")
def test_with_a_window_of_pictures(sight):
    agent = Spied(*sight, max_new_tokens=4)
    (episode,) = rollout(TWO, agent, seed=2, observe="image", invalid="random", context="images=1")
    found = check(agent, episode, "x")
    assert all(len(sample.pictures) == 1 for sample in found)
    assert len(found) == sum(step.agent == "x" for step in episode.steps)


@packs.needs("training")
def test_tool_messages_are_no_part_of_the_mask(text, monkeypatch):
    tokenizer = text[1]
    call = '<tool_call>{"name": "look", "arguments": {}}</tool_call>'
    said = [call, f"I look. {call}", "stop"]
    script = [[*tokenizer(one)["input_ids"], tokenizer.eos_token_id] for one in said]
    agent = Spied(*text, max_new_tokens=200)
    step = iter(script)
    monkeypatch.setattr(
        hf_module._TokenSampler,
        "_sample_tokens",
        lambda self, *_: torch.tensor([next(self_script(self, step))]),
    )
    (episode,) = rollout(Env(Looking()), agent, seed=0)
    assert not episode.failure, episode.failure
    assert [str(step.reply) for step in episode.steps] == said
    assert episode.steps[0].reply.tool_calls[0]["function"]["name"] == "look"
    assert episode.tools == {"a": [TOOL]}
    roles = [message["role"] for message in episode.messages("a")]
    assert roles == ["system", "user", *["assistant", "tool", "user"] * 2, "assistant"]
    (sample,) = check(agent, episode, "a")
    shown = tokenizer.decode([t for t, m in zip(sample.ids, sample.mask, strict=True) if not m])
    assert "look number 2" in shown
    assert "I look." not in shown


def self_script(draw, scripts):
    """Return the tokens of one reply after the other, each as a draw goes on."""
    if not hasattr(draw, "script"):
        draw.script = iter(next(scripts))
    return draw.script


THINKS = (  # what a template has, and what stands there in one that drops thinking
    "{% if m['content'] is string %}{{ m['content'] }}",
    "{% if m['content'] is string %}{% if m['role'] == 'assistant' and not loop.last %}"
    "{{ m['content'].split('</think>')[-1] }}{% else %}{{ m['content'] }}{% endif %}",
)


def thinking(tokenizer, say):
    def agent(turn):
        text = f"<think>hm {turn.index}</think>{say}" if turn.index != 1 else say
        return Reply(text, token_ids=[*tokenizer(text)["input_ids"], tokenizer.eos_token_id])

    return agent


@packs.needs("training")
def test_a_template_that_drops_thinking_gives_a_sample_for_each_turn():
    tokenizer = tiny_models.tokenizer(template=tiny_models.TEMPLATE.replace(*THINKS))
    agents = {"left": thinking(tokenizer, "rock"), "right": "random"}
    (episode,) = rollout(SAME_TIME, agents, seed=0, rounds=4)
    found = training.build_samples(episode, "left", tokenizer, history="template")
    # The second reply held no thinking: it stays, and the third goes on from there.
    assert [len(sample.spans) for sample in found] == [1, 2, 1]
    assert REWRITTEN_NOTE in found[1].notes[0]
    assert "a new sample starts at step 2" in found[1].notes[0]
    prompt = tokenizer.decode(found[2].ids[: found[2].spans[0].start])
    assert "<think>" not in prompt  # as the template has it
    for one in (tokenizer, tiny_models.tokenizer()):
        kept = training.build_samples(episode, "left", one)
        assert [len(sample.spans) for sample in kept] == [4]
        assert "<think>hm 2</think>" in tokenizer.decode(kept[0].ids)


@packs.needs("training")
def test_token_ids_are_never_encoded_again():
    """Ids that no encoder would choose for their text stay as they are."""
    tokenizer = tiny_models.tokenizer()
    letters = [tokenizer.convert_tokens_to_ids(c) for c in "rock"]
    assert letters != tokenizer("rock")["input_ids"] or len(letters) == 4
    split = [tokenizer.convert_tokens_to_ids(c) for c in "playing"]
    assert tokenizer("playing")["input_ids"] != split

    def odd(turn):
        return Reply("playing", token_ids=split)

    (episode,) = rollout(
        SAME_TIME, {"left": odd, "right": "random"}, seed=0, rounds=3, invalid="random"
    )
    (sample,) = training.build_samples(episode, "left", tokenizer)
    for span in sample.spans:
        assert sample.ids[span.start : span.end] == split
    assert sample.exact


@packs.needs("training")
def test_replies_without_ids_are_encoded_with_the_end_of_the_turn_and_say_so():
    tokenizer = tiny_models.tokenizer()
    (episode,) = rollout(SAME_TIME, lambda turn: "rock", seed=0, rounds=2)
    (sample,) = training.build_samples(episode, "left", tokenizer)
    assert not sample.exact
    assert "has no token ids" in sample.notes[0]
    expected = [*tokenizer("rock")["input_ids"], tokenizer.eos_token_id]
    for span in sample.spans:
        assert sample.ids[span.start : span.end] == expected
    whole = tokenizer.apply_chat_template(
        [dict(message) for message in episode.messages("left")], return_dict=False
    )
    assert whole[: len(sample.ids)] == sample.ids
    assert all(math.isnan(number) for number in sample.logprobs)


@packs.needs("training")
def test_another_tokenizers_ids_are_not_used():
    tokenizer = tiny_models.tokenizer()

    def foreign(turn):
        return Reply("rock", token_ids=[3, 10**9], logprobs=[-1.0, -1.0])

    (episode,) = rollout(SAME_TIME, foreign, seed=0, rounds=2)
    (sample,) = training.build_samples(episode, "left", tokenizer)
    assert not sample.exact
    assert max(sample.ids) < len(tokenizer)


@packs.needs("training")
def test_a_prompt_of_another_length_than_recorded_is_reported(text):
    agent = Spied(*text, max_new_tokens=4)
    (episode,) = rollout(SAME_TIME, agent, seed=0, rounds=2, invalid="random")
    other = tiny_models.tokenizer(template="{{ 'x' }}" + tiny_models.TEMPLATE)
    (sample,) = training.build_samples(episode, "left", other)
    assert not sample.exact
    assert "use the processor, template and history of the agent" in sample.notes[0]


@packs.needs("training")
def test_samples_of_a_failed_episode_are_none(text):
    def fails(turn):
        raise OSError

    (episode,) = rollout(TWO, fails)
    assert training.build_samples(episode, "x", text[1]) == []
    with pytest.raises(ValueError, match="no seat 'z'; the seats are x, o"):
        training.build_samples(rollout(TWO, "random")[0], "z", text[1])
    with pytest.raises(ValueError, match="per='token'"):
        training.build_samples(episode, "x", text[1], per="token")


@packs.needs("training")
def test_samples_of_a_file(sight, tmp_path):
    agent = HFAgent(*sight, max_new_tokens=4)
    episodes = rollout(TWO, agent, 2, seed=0, observe="image", invalid="random")
    save_episodes(episodes, tmp_path / "out.jsonl")
    for old, new in zip(episodes, load_episodes(tmp_path / "out.jsonl"), strict=True):
        (a,), (b,) = (
            training.build_samples(old, "x", sight[1]),
            training.build_samples(new, "x", sight[1]),
        )
        assert (a.ids, a.mask, a.logprobs[-1]) == (b.ids, b.mask, b.logprobs[-1])
        assert torch.equal(a.tensors["pixel_values"], b.tensors["pixel_values"])


def test_the_prompt_is_what_the_chat_template_makes(text, sight):
    for processor, observe in ((text[1], "text"), (sight[1], "both")):
        turn = env_turn(TWO, observe=observe)
        prompt = ChatTokenizer(processor).build_prompt(turn.messages)
        from gem_ma.chat.messages import to_hf

        official = processor.apply_chat_template(
            to_hf(turn.messages),
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            return_tensors="pt",
        )
        assert prompt.ids == official["input_ids"][0].tolist()
        for name, value in prompt.tensors.items():
            assert torch.equal(value, official[name])


def test_replies_depend_on_the_turn_and_not_on_its_neighbours(text):
    agent = HFAgent(*text, max_new_tokens=16)
    turns = [env_turn(TWO), env_turn(SAME_TIME), env_turn("game:KuhnPoker-v0")]
    alone = [agent.act([turn])[0] for turn in turns]
    for batch_size in (1, 2, 64):
        several = HFAgent(*text, max_new_tokens=16, batch_size=batch_size)
        assert several.act(turns) == alone
    assert agent.act(turns[::-1]) == alone[::-1]
    assert HFAgent(*text, max_new_tokens=16, seed=1).act(turns) != alone
    runs = [rollout(SAME_TIME, agent, 6, seed=1, concurrency=c, invalid="random") for c in (1, 6)]
    assert runs[0] == runs[1]


def test_what_a_reply_tells(text):
    agent = HFAgent(*text, max_new_tokens=5)
    (reply,) = agent.act([env_turn(TWO)])
    assert len(reply.token_ids) == len(reply.logprobs) <= 5
    assert reply.finish_reason == ("stop" if reply.token_ids[-1] in agent._eos_ids else "length")
    assert reply.usage["completion_tokens"] == len(reply.token_ids)
    assert reply.latency > 0
    assert agent.blocking
    assert text[1].decode(reply.token_ids, skip_special_tokens=True) == reply


def draw(logits, seeds, **kwargs):
    usual = {"temperature": 1.0, "top_p": 1.0, "top_k": 0, "banned_ids": []}
    drawn = hf_module._TokenSampler(seeds, hf_module.SamplingSettings(**{**usual, **kwargs}))
    scores = torch.tensor([logits] * len(seeds))
    return drawn(None, scores).argmax(-1).tolist(), [likely for (likely,) in drawn.list_logprobs()]


def test_draws_follow_the_distribution():
    logits = [0.0, 1.0, 2.0, -1.0]
    chosen, logprobs = draw(logits, list(range(20_000)))
    shares = torch.softmax(torch.tensor(logits), -1)
    for token, share in enumerate(shares.tolist()):
        assert chosen.count(token) / 20_000 == pytest.approx(share, abs=0.012)
    assert logprobs[0] == pytest.approx(math.log(shares[chosen[0]]), abs=1e-5)
    hot, logprobs = draw(logits, list(range(20_000)), temperature=2.0)
    shares = torch.softmax(torch.tensor(logits) / 2, -1)
    assert hot.count(2) / 20_000 == pytest.approx(shares[2].item(), abs=0.012)
    assert logprobs[0] == pytest.approx(math.log(shares[hot[0]]), abs=1e-5)


def test_draws_leave_out_what_they_are_told_to():
    logits, seeds = [0.0, 1.0, 2.0, -1.0], list(range(2000))
    assert set(draw(logits, seeds, temperature=0.0)[0]) == {2}
    assert set(draw(logits, seeds, top_k=2)[0]) == {1, 2}
    assert set(draw(logits, seeds, top_p=0.7)[0]) == {1, 2}  # 0.64 is not enough
    assert set(draw(logits, seeds, top_p=0.6)[0]) == {2}
    assert set(draw(logits, seeds, banned_ids=[2])[0]) == {0, 1, 3}
    assert set(draw([-1e9, 0.0, -1e9, -1e9], seeds)[0]) == {1}


def test_the_probabilities_of_all_replies_are_one_together(text):
    """Of those of a token at most: whatever is drawn, a reply ends there or is cut off."""
    model, tokenizer = text
    turn = env_turn("game:KuhnPoker-v0")
    special = tokenizer.all_special_ids
    known = {t: tokenizer.decode([t]) for t in range(len(tokenizer)) if t not in special}
    known = {t: name for t, name in known.items() if tokenizer(name)["input_ids"] == [t]}
    inputs = tokenizer.apply_chat_template(
        [dict(message) for message in turn.messages],
        add_generation_prompt=True,
        return_dict=True,
        return_tensors="pt",
    )
    with torch.no_grad():
        logits = model(**inputs).logits[0, -1].double()
    for limits in ({"temperature": 0.5}, {"top_k": 40, "temperature": 0.1}, {"temperature": 0}):
        agent = HFAgent(*text, max_new_tokens=1, batch_size=512, **limits)
        (shares,) = agent.compute_probabilities([turn], [["", *known.values()]])
        left = logits.argsort(descending=True)[: limits.get("top_k")]
        if not limits["temperature"]:
            left = left[:1]
        expected = torch.zeros(len(logits)).double()
        expected[left] = torch.softmax(logits[left] / (limits["temperature"] or 1), -1)
        assert shares[0] == pytest.approx(expected[agent._eos_ids].sum().item(), abs=1e-4)
        assert shares[1:] == pytest.approx(expected[list(known)].tolist(), abs=1e-4)
        rest = [t for t in range(len(logits)) if t not in known and t not in agent._eos_ids]
        # the halves of letters, which no text is written in, and the names of pictures
        assert sum(shares) == pytest.approx(1 - expected[rest].sum().item(), abs=1e-3)
    assert sorted(shares)[-2:] in ([0, 1], [0, 0])


def test_a_guided_reply_is_one_of_the_legal_ones_and_they_are_one_together(text):
    agent = HFAgent(*text, max_new_tokens=12, guided=True)
    turns = [env_turn(id) for id in ("game:GuessTheNumber-v0", TWO, "game:KuhnPoker-v0")]
    assert {"1", "10"} < set(turns[0].legal)  # one begins with the other
    turns = [replace(turn, seed_numbers=(seed,)) for turn in turns for seed in range(30)]
    for turn, reply in zip(turns, agent.act(turns), strict=True):
        assert reply in turn.legal
        assert reply.finish_reason == "stop"
        for id, likely, left in zip(
            reply.token_ids, reply.logprobs, reply.allowed_ids, strict=True
        ):
            assert id in left
            assert (likely == pytest.approx(0)) == (len(left) == 1)
    for shares in agent.compute_probabilities(turns[::30]):
        assert min(shares) > 0
        assert sum(shares) == pytest.approx(1, abs=1e-5)
    (greedy,) = HFAgent(*text, max_new_tokens=12, guided=True, temperature=0).act(turns[:1])
    assert greedy in turns[0].legal


def test_only_what_lists_legal_replies_guides(text):
    turn = env_turn("game:GuessTheNumber-v0")
    agent, free = (HFAgent(*text, max_new_tokens=6, guided=one) for one in (True, False))
    unlisted = replace(turn, legal=None)
    guided, reply = agent.act([turn, unlisted])
    assert guided in turn.legal
    assert (reply, reply.allowed_ids) == (free.act([unlisted])[0], None)
    with pytest.raises(ValueError, match=r"legal replies have 2 to 3 tokens; use max_new_tokens=3"):
        HFAgent(*text, max_new_tokens=1, guided=True).act([turn])
    with pytest.warns(UserWarning, match="11 of 20 legal replies are longer and are never drawn"):
        (short,) = HFAgent(*text, max_new_tokens=2, guided=True).act([turn])
    assert len(short) == 1
    assert agent.act([replace(turn, legal=())])[0].allowed_ids is None


def test_guided_replies_of_a_model_that_sees_and_their_records(sight, tmp_path):
    agent = HFAgent(*sight, max_new_tokens=12, guided=True)
    episodes = rollout(TWO, agent, 1, seed=2, observe="image")
    assert not any(step.invalid for step in episodes[0].steps)
    save_episodes(episodes, tmp_path / "episodes.jsonl")
    (loaded,) = load_episodes(tmp_path / "episodes.jsonl")
    for step, again in zip(episodes[0].steps, loaded.steps, strict=True):
        assert list(map(list, again.reply.allowed_ids)) == step.reply.allowed_ids
    loaded.steps[0].reply.allowed_ids = [[1]]
    seat = loaded.steps[0].agent
    sample = training.build_samples(loaded, seat, agent.tokens)[0]
    assert not sample.exact
    assert "allowed_ids has 1 lists" in sample.notes[0]


def test_the_probability_of_a_reply_is_how_often_it_is_drawn(text):
    model, tokenizer = copy.deepcopy(text[0]), text[1]
    bias = torch.zeros(len(tokenizer))
    # It nearly always says one of these.
    bias[[*tokenizer("xyz")["input_ids"], tokenizer.eos_token_id]] = torch.tensor(
        [12, 11, 10, 11.0]
    )
    model.lm_head.register_forward_hook(lambda module, inputs, logits: logits + bias)
    draws = {"max_new_tokens": 2, "temperature": 1.5, "top_p": 0.98}
    agent = HFAgent(model, tokenizer, batch_size=250, **draws)
    turn = env_turn("game:KuhnPoker-v0")
    turns = [replace(turn, seed_numbers=(seed,)) for seed in range(600)]
    drawn = Counter(tuple(reply.token_ids) for reply in agent.act(turns))
    texts, often = [], []
    for ids, count in drawn.most_common(40):
        body = [token for token in ids if token not in agent._eos_ids]
        words = tokenizer.decode(body)
        if count > 10 and agent.tokens.encode_reply(words) == body:
            texts.append(words)
            often.append(count / 600)
    assert {len(words) for words in texts} == {0, 1, 2}  # some were ended, and some cut off
    (shares,) = agent.compute_probabilities([turn], [texts])
    for share, seen in zip(shares, often, strict=True):
        assert seen == pytest.approx(share, abs=4 * (share * (1 - share) / 600) ** 0.5)
    (alone,) = HFAgent(model, tokenizer, batch_size=1, **draws).compute_probabilities(
        [turn], [texts]
    )
    assert alone == pytest.approx(shares, rel=1e-3)


def test_the_exploitability_of_a_model_that_scores_its_moves(text):
    id = "game:KuhnPoker-v0"
    agent = HFAgent(*text, max_new_tokens=12)
    found = compute_exploitability(id, agent, score=True)
    assert (found.samples, found.silent) == (0, 0)
    assert 0 < found.covered < 1e-3  # random weights say anything
    assert found.nash_conv > 0
    for words, shares in found.policy.items():
        assert sum(shares.values()) == pytest.approx(1)
        assert len(set(shares.values())) == 2, words

    def draws(turn):
        first, _ = found.policy[f"{turn.seat}: {turn.text}"].values()
        return turn.legal[int(turn.seed / 2**63 >= first)]

    drawn = compute_exploitability(id, draws, samples=60)
    for words, shares in found.policy.items():
        assert list(drawn.policy[words].values()) == pytest.approx(
            list(shares.values()), abs=4 * 0.5 / 60**0.5
        )
    assert drawn.at_least - 0.2 < found.nash_conv < drawn.nash_conv + 0.05
    with pytest.raises(ValueError, match="lists no legal replies: pass replies"):
        agent.compute_probabilities([replace(env_turn(TWO), legal=None)])


def test_pictures_stand_before_the_replies_that_are_scored(sight):
    agent = HFAgent(*sight, max_new_tokens=4)
    seen, plain = env_turn(TWO, observe="image"), env_turn(TWO)
    found = agent.compute_probabilities([seen, plain], [["1", "2"], ["1", "2", "3"]])
    assert found[0] == pytest.approx(agent.compute_probabilities([seen], [["1", "2"]])[0], rel=1e-3)
    assert found[0] != pytest.approx(found[1][:2], rel=1e-3)
    assert all(0 < share < 1 for shares in found for share in shares)


def test_a_models_own_defaults_do_not_bend_the_distribution(text):
    model, tokenizer = text
    model = copy.copy(model)
    model.generation_config = copy.deepcopy(model.generation_config)
    model.generation_config.update(
        do_sample=True, temperature=0.3, top_k=1, top_p=0.1, repetition_penalty=1.8
    )
    turn = env_turn(TWO)
    plain = HFAgent(*text, max_new_tokens=16).act([turn])
    assert HFAgent(model, tokenizer, max_new_tokens=16).act([turn]) == plain


@pytest.mark.parametrize("name", ["nothing-here", "nobody/nothing-here", "~/nothing/here"])
def test_a_model_that_is_nowhere_is_named(name, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(OSError, match=f"{name.removeprefix('~')}: "):
        load_agent(f"hf:{name}")


def test_from_a_folder_by_a_spec_string(text, tmp_path):
    model, tokenizer = text
    model.save_pretrained(tmp_path / "text")
    tokenizer.save_pretrained(tmp_path / "text")
    agent = load_agent(f"hf:{tmp_path}/text?max_new_tokens=4&temperature=0")
    assert agent.act([env_turn(TWO)]) == HFAgent(
        model, tokenizer, max_new_tokens=4, temperature=0
    ).act([env_turn(TWO)])
    model, processor = tiny_models.llava()
    model.save_pretrained(tmp_path / "sight")
    processor.save_pretrained(tmp_path / "sight")
    agent = load_agent(f"hf:{tmp_path}/sight?max_new_tokens=4")
    turn = env_turn(TWO, observe="image")
    assert agent.act([turn]) == HFAgent(model, processor, max_new_tokens=4).act([turn])
    # A processor that lost its pictures would drop them without a word.
    (tmp_path / "sight" / "processor_config.json").unlink()
    with pytest.raises((ValueError, OSError), match="processor"):
        load_agent(f"hf:{tmp_path}/sight")


def test_named_errors(text):
    model, tokenizer = text
    agent = HFAgent(model, tokenizer, max_new_tokens=8000)
    with pytest.raises(ValueError, match=r"more than the 8192 of .* 'turns=8' keeps it short"):
        agent.act([env_turn(TWO)])
    with pytest.raises(ValueError, match="takes no pictures; use a vision-language model"):
        HFAgent(model, tokenizer, max_new_tokens=4).act([env_turn(TWO, observe="image")])
    with pytest.raises(TypeError, match="needs its tokenizer or processor"):
        HFAgent(model)
    with pytest.raises(ValueError, match="top_p=0"):
        HFAgent(model, tokenizer, top_p=0)
    with pytest.raises(ValueError, match="batch_size=0"):
        HFAgent(model, tokenizer, batch_size=0)
    assert "HFAgent('Qwen2ForCausalLM'" in repr(agent)


def test_without_a_chat_an_agent_still_plays(text):
    import gem_ma

    agent = HFAgent(*text, max_new_tokens=4)
    env = gem_ma.make_gym(TWO, agent="x", others=agent, invalid="random")
    env.reset(seed=0)
    env.step("5")
    assert isinstance(Turn("a", "r", {"text": "t"}, "t").messages[0], dict)
    assert np.isfinite(agent.act([env_turn(TWO)])[0].logprobs).all()
