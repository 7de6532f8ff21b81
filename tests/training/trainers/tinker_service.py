"""A stand-in of Tinker's service: what its client sends over HTTP, answered with a tiny policy.

A model is a table: how likely each byte is behind the last one of the prompt. A reply is one byte.
"""

import json
import threading
import zlib
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import torch
from tinker.proto import tinker_public_pb2 as pb

LIKELY = b"012345678"


class Model:
    """The weights of one training run, and what has gathered for its next step."""

    def __init__(self):
        self.table = torch.zeros(256, 256)
        self.table[:, list(LIKELY)] = 8.0
        self.table.requires_grad_()
        self.optimizer = torch.optim.Adam([self.table])
        self.learnt = []  # the advantages of every datum


class Service(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.models, self.samplers, self.answers = {}, {}, {}
        self.asked, self.lock = Counter(), threading.Lock()

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def create_model(self, body):
        name = f"model-{len(self.models)}"
        self.models[name] = Model()
        return {"type": "create_model", "model_id": name}

    def get_info(self, body):
        data = {"arch": "table", "model_name": "bytes", "tokenizer_id": "bytes"}
        return {"type": "get_info", "model_data": data, "model_id": body["model_id"]}

    def forward_backward(self, request):
        model, rows = self.models[request.model_id], []
        assert request.loss_fn == "importance_sampling"
        for datum in request.data:
            ids = np.concatenate([tokens_of(chunk) for chunk in datum.model_input])
            given = {name: read(one) for name, one in datum.loss_fn_inputs.items()}
            said = model.table[ids].log_softmax(-1)
            likely = said.gather(1, torch.from_numpy(given["target_tokens"])[:, None])[:, 0]
            worth = torch.from_numpy(given["advantages"])
            ratio = (likely - torch.from_numpy(given["logprobs"])).exp()
            (-(ratio * worth).sum()).backward()
            model.learnt.append(given["advantages"].tolist())
            rows.append(likely.detach().numpy().astype(np.float32))
        offsets = np.cumsum([0, *(row.nbytes for row in rows)])
        found = pb.BatchedTensor(
            data=b"".join(row.tobytes() for row in rows), dtype=pb.DTYPE_FLOAT32,
            offsets=offsets.astype(np.int64).tobytes(),
        )  # fmt: skip
        record = pb.ArrayRecord(fields={"logprobs": found}, num_datums=len(rows))
        return pb.ForwardBackwardOutput(loss_fn_output_type="ArrayRecord", loss_fn_outputs=[record])

    def optim_step(self, body):
        model = self.models[body["model_id"]]
        model.optimizer.param_groups[0]["lr"] = body["adam_params"]["learning_rate"]
        model.optimizer.step()
        model.optimizer.zero_grad()
        return {"metrics": {}}

    def save_weights(self, body):
        return {"path": f"tinker://{body['model_id']}/weights/{body.get('path')}"}

    def save_weights_for_sampler(self, body):
        name = f"sampler-{len(self.samplers)}"
        self.samplers[name] = self.models[body["model_id"]].table.detach().clone()
        return {"path": f"tinker://{body['model_id']}/sampler_weights/{name}",
                "sampling_session_id": name}  # fmt: skip

    def asample(self, body):
        table = self.samplers[body["sampling_session_id"]]
        last = body["prompt"]["chunks"][-1]["tokens"][-1]
        likely = table[last].log_softmax(-1).numpy().astype(np.float64)
        # Of the prompt and how often it came: which request is first does not change the games.
        seed = zlib.crc32(json.dumps(body["prompt"]).encode())
        self.asked[seed] += 1
        draw = np.random.default_rng([seed, self.asked[seed]])
        token = int(draw.choice(256, p=np.exp(likely) / np.exp(likely).sum()))
        sequence = pb.SampledSequence(
            stop_reason=pb.STOP_REASON_STOP, tokens=np.int32([token]).tobytes(),
            logprobs=np.float32([likely[token]]).tobytes(),
        )  # fmt: skip
        return pb.SampleResponse(sequences=[sequence])


def tokens_of(chunk):
    """Return the tokens of a piece of a prompt; a picture has as many as were expected."""
    if chunk.HasField("encoded_text"):
        return np.frombuffer(chunk.encoded_text.tokens, np.int32)
    return np.zeros(chunk.image.expected_tokens, np.int32)


def read(tensor):
    kind = np.int64 if tensor.dtype == pb.DTYPE_INT64 else np.float32
    return np.frombuffer(tensor.dense, kind).copy()


PLAIN = {
    "client/config": {"use_pyqwest_transport": False, "sample_enable_stuck_detection": False},
    "client/dynamic_config": {},
    "create_session": {"type": "create_session", "session_id": "session"},
    "session_heartbeat": {"type": "session_heartbeat"},
    "telemetry": {"status": "accepted"},
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        service, body = self.server, self.rfile.read(int(self.headers["Content-Length"] or 0))
        name = self.path.removeprefix("/api/v1/")
        if "protobuf" in self.headers.get("Content-Type", ""):
            asked = pb.ForwardBackwardRequest()
            asked.ParseFromString(body)
        else:
            asked = json.loads(body or b"{}")
        if name == "retrieve_future":
            return self.answer(service.answers.pop(asked["request_id"]))
        if name.endswith("/finish"):
            return self.answer({})
        if name in PLAIN:
            return self.answer(PLAIN[name])
        with service.lock:
            made = getattr(service, name)(asked)
            if name == "get_info":
                return self.answer(made)
            service.asked["requests"] += 1
            number = f"request-{service.asked['requests']}"
            service.answers[number] = made
        extra = {"sample_sequence_ids": [number]} if name == "asample" else {}
        return self.answer({"request_id": number, **extra})

    do_GET = do_POST  # noqa: N815

    def answer(self, made):
        plain = isinstance(made, dict)
        data = json.dumps(made).encode() if plain else made.SerializeToString()
        self.send_response(200)
        self.send_header("Content-Type", f"application/{'json' if plain else 'x-protobuf'}")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass
