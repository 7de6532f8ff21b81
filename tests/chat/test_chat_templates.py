"""Samples of many turns, under the templates of families of models (tests/support)."""

import json

import packs
import pytest
from broken_games import Looking
from needed import Later, needed

from gem_ma import Env, Reply, load_episodes, rollout, save_episodes
from gem_ma.chat.conversation import make_tool_schemas
from gem_ma.chat.messages import to_hf
from gem_ma.chat.tokenization import REWRITTEN_NOTE, ChatTokenizer, find_reply_ids
from gem_ma.engine.action_parsing import parse_tool_calls
from gem_ma.rollouts.records import RecordError, episode_from_json

needed("transformers", install="'gem-ma[hf]'")
chat_templates = Later("chats.templates")
training = Later("gem_ma.training")
pytestmark = packs.needs("training")

NAMES = [
    "SmolLM2",
    "Qwen3",
    "Qwen3, enable_thinking=False",
    "Qwen3.6, preserve_thinking=True",
    "Llama 3",
    "Mistral",
    "Gemma",
]
ROUNDS = 40
CALL = '<tool_call>\n{"name": "look", "arguments": {}}\n</tool_call>'


class Drawn:
    """A seat's model that says what it is told to, in ids that no encoder would choose."""

    def __init__(self, name, history, say):
        family = chat_templates.FAMILIES[name]
        self.tokenizer = chat_templates.make_tokenizer(family)
        self.tokens = ChatTokenizer(self.tokenizer, family.template, history)
        self.say = say
        self.prompts, self.texts = [], []

    def __call__(self, turn):
        tools = make_tool_schemas(turn.tools)
        prompt = self.tokens.build_prompt(turn.messages, tools)
        self.prompts.append(prompt.ids)
        number = turn.index
        text = self.say(number)
        ids = [one for letter in text for one in self.tokenizer(letter)["input_ids"]]
        assert ids != self.tokenizer(text)["input_ids"], text
        ids += [self.tokenizer.eos_token_id] * (number % 5 != 4)  # some are cut
        return Reply(
            text,
            token_ids=ids,
            logprobs=[-1.0] * len(ids),
            tool_calls=parse_tool_calls(text) if turn.tools else (),
        )


def think(number):
    return f"<think>\nhm {number}\n</think>\n\nrock" if number % 3 else "rock"


def play(name, history, rounds=ROUNDS):
    """Return an episode in which a seat thinks and says rock, and its model."""
    model = Drawn(name, history, think)
    (episode,) = rollout(
        "game:RockPaperScissors-v0", {"left": model, "right": "random"}, seed=0, rounds=rounds
    )
    assert episode.failure is None
    return episode, model


def look(name, history):
    """Return an episode in which a seat calls a tool many times, and its model."""
    model = Drawn(name, history, lambda number: CALL if number < 12 else "stop")
    (episode,) = rollout(Env(Looking()), model, seed=0)
    assert episode.failure is None
    assert episode.returns == {"a": 12.0}
    return episode, model


def check(found, episode, seat, model):
    """Every id that was drawn is in one sample, behind what the model was given, masked."""
    steps = [number for number, step in enumerate(episode.steps) if step.agent == seat]
    assert [span.step for sample in found for span in sample.spans] == steps
    prompts = iter(model.prompts)
    for sample in found:
        assert sample.exact, sample.notes
        mask = [0] * len(sample.ids)
        for span in sample.spans:
            assert sample.ids[: span.start] == next(prompts)
            drawn = list(episode.steps[span.step].reply.token_ids)
            assert sample.ids[span.start : span.end] == drawn
            mask[span.start : span.end] = [1] * len(drawn)
        assert sample.mask == mask
    assert sum(map(sum, (one.mask for one in found))) == sum(
        len(episode.steps[place].reply.token_ids) for place in steps
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_chat_of_forty_turns_is_one_sequence(name):
    episode, model = play(name, "keep")
    found = training.build_samples(episode, "left", model.tokens)
    check(found, episode, "left", model)
    (sample,) = found
    assert len(sample.spans) == ROUNDS
    text = model.tokenizer.decode(sample.ids)
    rules = episode.rules["left"].strip()
    assert text.count(rules) == 1  # whatever the template repeats
    (row,) = training.build_rows([episode], model.tokenizer, template=model.tokens.template)
    assert row["ids"] == sample.ids


@pytest.mark.parametrize("name", [name for name in NAMES if name != "Gemma"])
def test_a_chat_of_tool_calls_is_one_sequence(name):
    episode, model = look(name, "keep")
    found = training.build_samples(episode, "a", model.tokens)
    check(found, episode, "a", model)
    (sample,) = found
    text = model.tokenizer.decode(sample.ids)
    assert text.count("look number") == 12
    told = name != "SmolLM2"  # whose template knows no tools
    assert text.count('"parameters"') == told  # once


@pytest.mark.parametrize("name", NAMES)
def test_thoughts_are_dropped_where_that_is_asked_for(name):
    episode, model = play(name, "drop_thoughts", rounds=8)
    found = training.build_samples(episode, "left", model.tokens)
    check(found, episode, "left", model)
    # Where a turn thought, the next prompt goes on without that.
    assert [len(sample.spans) for sample in found] == [2, 1, 2, 1, 2]
    for sample in found:
        prompt = model.tokenizer.decode(sample.ids[: sample.spans[0].start])
        assert "hm" not in prompt
        assert prompt.count("rock") >= sample.spans[0].step // 2


@pytest.mark.parametrize("name", NAMES)
def test_a_template_has_its_way_to_the_letter(name):
    episode, model = play(name, "template", rounds=8)
    found = training.build_samples(episode, "left", model.tokens)
    check(found, episode, "left", model)
    for number, prompt in enumerate(model.prompts):
        messages = to_hf(episode.chat("left").build_messages(number))
        text = model.tokenizer.apply_chat_template(
            [{**one, "content": str(one["content"])} for one in messages],
            tokenize=False,
            add_generation_prompt=True,
            **model.tokens.template,
        )
        assert model.tokenizer.decode(prompt) == text
        # What is left of a reply stands in the ids that were drawn: letter by letter.
        letters = [one for letter in "rock" for one in model.tokenizer(letter)["input_ids"]]
        spelled = sum(prompt[i : i + 4] == letters for i in range(len(prompt)))
        assert spelled == number
    counts = [len(sample.spans) for sample in found]
    assert counts == SAMPLES[name], counts


# How many turns each sample has where a template writes earlier turns to the letter.
SAMPLES = {
    "SmolLM2": [8],
    "Qwen3": [2, 1, 2, 1, 2],
    "Qwen3, enable_thinking=False": [1] * 8,
    "Qwen3.6, preserve_thinking=True": [1, 3, 3, 1],
    "Llama 3": [8],
    "Mistral": [1] * 8,
    "Gemma": [8],
}


def test_what_is_blank_at_a_replys_end_is_cut_by_the_template_alone():
    """Only the last ids are not there: a template that trims has its way, and the note says so."""
    model = Drawn("Llama 3", "template", lambda number: "rock\n")
    chat = [{"role": "user", "content": "hi"}]
    ids = [one for letter in "rock\n" for one in model.tokenizer(letter)["input_ids"]]
    said = Reply("rock\n", token_ids=[*ids, model.tokenizer.eos_token_id])
    chat += [{"role": "assistant", "content": said}, {"role": "user", "content": "on"}]
    prompt = model.tokens.build_prompt(chat)
    assert model.tokenizer.decode(prompt.ids) == model.tokenizer.apply_chat_template(
        [{**one, "content": str(one["content"])} for one in chat],
        tokenize=False,
        add_generation_prompt=True,
    )
    ((start, end),) = prompt.reply_spans
    assert prompt.ids[start:end] == ids[:-1]
    assert prompt.note == REWRITTEN_NOTE


class Served:
    """A seat as a server with a parser of thoughts answers: the text alone, and all ids."""

    def __init__(self, change=lambda ids: ids):
        self.family = chat_templates.FAMILIES["Qwen3"]
        self.tokenizer = chat_templates.make_tokenizer(self.family)
        self.change = change
        self.prompts, self.drawn = [], []

    def __call__(self, turn):
        messages = [{**one, "content": str(one["content"])} for one in to_hf(turn.messages)]
        text = self.tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=True
        )
        prompt = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        self.prompts.append(self.change(prompt))
        drawn = self.tokenizer(f"<think>\nhm {turn.index}\n</think>\n\nrock")["input_ids"]
        self.drawn.append([*drawn, self.tokenizer.eos_token_id])
        return Reply(
            "rock",
            prompt_ids=self.prompts[-1],
            token_ids=self.drawn[-1],
            logprobs=[-1.0] * len(self.drawn[-1]),
            usage={"prompt_tokens": len(prompt)},
            thinking_blocks=[{"text": f"\nhm {turn.index}\n"}],
        )


def list_turns(found):
    """Return the prompt of each turn, and what was drawn there."""
    return [
        (sample.ids[: span.start], sample.ids[span.start : span.end])
        for sample in found
        for span in sample.spans
    ]


def swap(ids):
    """Return as many other ids."""
    return [*ids[:-3], ids[-2], ids[-3], ids[-1]]


@pytest.mark.parametrize("change", [list, swap])
def test_the_ids_of_a_server_are_those_of_a_sample(change, tmp_path):
    model = Served(change)
    players = {"left": model, "right": "random"}
    (episode,) = rollout("game:RockPaperScissors-v0", players, seed=0, rounds=4)
    save_episodes([episode], tmp_path / "out.jsonl")
    (loaded,) = load_episodes(tmp_path / "out.jsonl")
    for one in (episode, loaded):
        found = training.build_samples(one, "left", model.tokenizer)
        assert list_turns(found) == list(zip(model.prompts, model.drawn, strict=True))
        assert all(sample.exact for sample in found)
        assert len(found) == 4  # it drops its thoughts
        assert "the server encodes earlier turns with other tokens" in found[1].notes[0]
    data = json.loads((tmp_path / "out.jsonl").read_text())
    packed = [one["reply"]["prompt_ids"] for one in data["steps"] if one["agent"] == "left"]
    assert packed[0][0] == 0
    assert packed[1][0] > len(model.prompts[0]) - 5  # what it begins with is not written again
    data["steps"][0]["reply"]["prompt_ids"][0] = 7
    with pytest.raises(
        RecordError, match="prompt_ids begins with 7: expected a whole number from 0 to 0"
    ):
        episode_from_json(data)


def test_a_server_that_tells_no_ids_of_the_prompt_is_not_exact():
    model = Served(lambda ids: ())
    players = {"left": model, "right": "random"}
    (episode,) = rollout("game:RockPaperScissors-v0", players, seed=0, rounds=2)
    for sample in training.build_samples(episode, "left", model.tokenizer):
        assert not sample.exact
    model.change = lambda ids: ()
    reply = Reply("rock", token_ids=model.tokenizer("rock")["input_ids"], prompt_ids=())
    players = {"left": lambda turn: reply, "right": "random"}
    (episode,) = rollout("game:RockPaperScissors-v0", players, seed=0, rounds=2)
    (sample,) = training.build_samples(episode, "left", model.tokenizer)
    assert not sample.exact
    assert "its server told no ids of the prompt" in sample.notes[0]


def test_ids_of_which_a_server_made_something_else_are_not_its_own():
    tokenizer = chat_templates.make_tokenizer(chat_templates.FAMILIES["Qwen3"])
    ids = tokenizer("<think>hm</think>rock")["input_ids"]
    known = {"token_ids": ids, "prompt_ids": [1]}
    call = {"id": "1", "function": {"name": "look", "arguments": "{}"}}
    for reply, own in (
        (Reply("rock", **known), True),
        (Reply("rock", token_ids=ids), False),  # of whose prompt nothing is known
        (Reply("paper", **known), False),
        (Reply("rock", **known, thinking_blocks=[{"text": "hm"}]), True),
        (Reply("rock", **known, thinking_blocks=[{"text": "well"}]), False),
        (Reply("", **known), False),
        (Reply("", **known, tool_calls=[call]), False),
        (
            Reply("", token_ids=tokenizer(CALL)["input_ids"], prompt_ids=[1], tool_calls=[call]),
            True,
        ),
        (Reply("", token_ids=[]), True),
    ):
        assert (find_reply_ids(reply, tokenizer) is not None) is own, reply.fields()
