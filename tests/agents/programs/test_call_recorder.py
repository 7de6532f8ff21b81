"""Calls of programs: what is kept of them."""

import json
import urllib.error
import urllib.request

from needed import needed

from gem_ma.chat.model_calls import CallHistory, ModelCall

needed("aiohttp", install="'gem-ma[gateway]'")


def post(url, body, **headers):
    """Return the JSON that a request is answered with, by no client's library."""
    data = json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **headers})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read())


def whole(url, body):
    """Return what a server says at once; nothing is in it that nobody asked for."""
    answer = post(url, body)
    assert "prompt_token_ids" not in answer
    assert not {"token_ids", "logprobs"} & answer["choices"][0].keys()
    return answer["choices"][0]["message"]["content"]


def test_calls_are_kept_as_what_they_add():
    def told(*texts):
        return tuple({"role": "user", "content": text} for text in texts)

    one = ModelCall(told("a"), "b", (), (1, 2), (3,), (-0.5,))
    two = ModelCall(
        (*told("a"), one.to_message(), *told("c")), "d", (), (1, 2, 3, 4), (5,), (-0.25,)
    )
    other = ModelCall(told("x"), "y", (), (9,), (8,), (0.0,), tools=({"type": "function"},))
    three = ModelCall(
        (*two.messages, two.to_message(), *told("e")), "f", (), (1, 2, 3, 4, 5, 6), (7,), (-1.0,)
    )
    history = CallHistory()
    packed = [history.pack(call) for call in (one, two, other, three)]
    assert packed[1]["of"] == 0
    assert packed[1]["prompt_ids"] == [4]
    assert packed[1]["messages"] == list(told("c"))
    assert "of" not in packed[2]
    assert packed[3]["of"] == 1
    assert packed[3]["prompt_ids"] == [6]
    back = CallHistory()
    whole = [back.unpack(json.loads(json.dumps(one))) for one in packed]
    for call, was in zip(whole, (one, two, other, three), strict=True):
        assert call._replace(tools=()) == was._replace(tools=())
    assert whole[2].tools == other.tools
    assert whole[3].tools == three.tools == ()


def test_pictures_are_kept_by_what_identifies_them():
    data = "data:image/png;base64," + "A" * 5000
    parts = [{"type": "image_url", "image_url": {"url": data}}, {"type": "text", "text": "?"}]
    call = ModelCall(({"role": "user", "content": parts},), "a cat")
    packed = CallHistory().pack(call)
    assert len(json.dumps(packed)) < 500
    assert packed["messages"][0]["content"][1] == parts[1]
    assert "sha256:" in packed["messages"][0]["content"][0]["image_url"]["url"]
