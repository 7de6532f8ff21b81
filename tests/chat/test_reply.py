"""Replies: text, with what the model told of it."""

import copy
import pickle

import gem_ma
from gem_ma import Reply


def test_a_reply_is_text_with_what_the_model_told():
    reply = Reply("3", token_ids=[5, 6], finish_reason="stop", usage={"prompt_tokens": 7})
    assert reply == "3"
    assert isinstance(reply, str)
    for same in (copy.deepcopy(reply), pickle.loads(pickle.dumps(reply))):
        assert (same, same.token_ids, same.usage) == ("3", [5, 6], {"prompt_tokens": 7})
    assert Reply("x").usage == {}
    env = gem_ma.make("game:ConnectFour-v0")
    env.reset()
    env.step(reply)
    assert env.turns == 1
