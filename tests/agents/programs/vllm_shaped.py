"""A server that answers as vLLM does: with the ids of prompt and reply, whole or as a stream."""

import json
import threading

from stub_server import StubServer, completion, response

WORDS = ("rock", "paper", "scissors", "hm", "so")


def ids_of(text):
    """Return ids that stand for a text: its bytes, each moved by 100."""
    return [100 + byte for byte in text.encode()]


def prompt_of(messages):
    """Return the ids of a chat: each message behind a mark."""
    found = []
    for message in messages:
        found += [1, *ids_of(f"{message['role']}:{message.get('content') or ''}")]
    return [*found, 2]


class Shaped(StubServer):
    """Answer with `say(body, number)`, and keep for each call what was got and given."""

    def __init__(self, say):
        super().__init__(self._answer)
        self.say = say
        self.served = []
        self.lock = threading.Lock()

    def _answer(self, body, attempt):
        with self.lock:
            number = len(self.served)
            text = self.say(body, number)
            prompt, reply = prompt_of(body["messages"]), ids_of(text)
            logprobs = [-0.001 * (one % 50) for one in reply]
            self.served.append((prompt, reply, logprobs, bool(body.get("return_token_ids"))))
        whole = completion(text)
        whole["usage"] |= {"prompt_tokens": len(prompt), "completion_tokens": len(reply)}
        (choice,) = whole["choices"]
        if body.get("return_token_ids"):
            whole["prompt_token_ids"], choice["token_ids"] = prompt, reply
        if body.get("logprobs"):
            pairs = zip(reply, logprobs, strict=True)
            choice["logprobs"] = {"content": [{"token": str(i), "logprob": x} for i, x in pairs]}
        return self._streaming(whole) if body.get("stream") else self._whole(whole)

    def _whole(self, whole):
        async def write(writer):
            writer.write(response(json.dumps(whole).encode()))
            await writer.drain()
            return True

        return write

    def _streaming(self, whole):
        """Return the same in pieces of a token each, as vLLM streams it."""
        (choice,) = whole["choices"]
        text, ids = choice["message"]["content"], choice.get("token_ids")
        told = (choice.get("logprobs") or {}).get("content")
        base = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "stub"}
        events = []
        for at, letter in enumerate(text):
            piece = {"index": 0, "delta": {"content": letter}, "finish_reason": None}
            if at == 0:
                piece["delta"]["role"] = "assistant"
            if ids:
                piece["token_ids"] = [ids[at]]
            if told:
                piece["logprobs"] = {"content": [told[at]]}
            event = {**base, "choices": [piece]}
            if at == 0 and ids:
                event["prompt_token_ids"] = whole["prompt_token_ids"]
            events.append(event)
        events.append({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        events.append({**base, "choices": [], "usage": whole["usage"]})

        async def write(writer):
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n")
            writer.write(b"Transfer-Encoding: chunked\r\n\r\n")
            for event in [*map(json.dumps, events), "[DONE]"]:
                data = f"data: {event}\n\n".encode()
                half = len(data) // 2  # a server's pieces end anywhere
                for part in (data[:half], data[half:]):
                    writer.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
                await writer.drain()
            writer.write(b"0\r\n\r\n")
            await writer.drain()
            return True

        return write
