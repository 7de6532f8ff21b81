"""A trainer's own engine in all seats of a game."""

import asyncio

import pytest
from needed import Later, needed

from gem_ma.chat.tokenization import ChatTokenizer
from gem_ma.training.trainer_rows import build_rows
from gem_ma.training.trainers import EngineAgent, GeneratedTokens, assign_seats, play_group

needed("transformers", install="'gem-ma[hf]'")
chat_templates = Later("chats.templates")


@pytest.mark.parametrize("turns", [0, 1, 3])
def test_without_room_nothing_is_drawn_and_nothing_is_learnt(turns):
    """What an engine did not draw has no mask, and what it costs is counted to what it drew."""
    tokenizer = chat_templates.make_tokenizer(chat_templates.FAMILIES["SmolLM2"])
    tokens = ChatTokenizer(tokenizer)
    drawn, lengths = [], []

    async def generate(turn, prompt, shown):
        lengths.append(len(prompt))
        ids = [*tokenizer("rock")["input_ids"], tokenizer.eos_token_id]
        drawn.append(ids)
        return GeneratedTokens(ids, [-1.0] * len(ids))

    def play(room):
        make = {"rounds": 5, "invalid": "lose"}
        table = assign_seats(play_group, "game:RockPaperScissors-v0", "left", "random", make)
        engine = EngineAgent(tokens, generate, room)
        return asyncio.run(play_group(table, engine, {"seed": 3}))

    play(None)
    assert len(drawn) == 5
    room = lengths[turns]
    drawn.clear()
    (episode,) = play(room)
    assert len(drawn) == turns
    steps = [step for step in episode.steps if step.agent == "left"]
    assert len(steps) == turns + 1
    assert steps[-1].reply.finish_reason == "length"
    rows = list(build_rows([episode], tokens, train=["left"]))
    assert sum(sum(row["mask"]) for row in rows) == sum(map(len, drawn))
    assert [sum(row["rewards"]) for row in rows] == [episode.returns["left"]] * bool(turns)
    for row in rows:
        assert row["exact"]
        assert len(row["ids"]) == row["spans"][-1][1]
        assert [row["ids"][start:end] for start, end in row["spans"]] == drawn
