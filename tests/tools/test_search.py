"""Search: passages found in an embedded index, and by retrievers over HTTP."""

import http.server
import itertools
import json
import pickle
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("bm25s", reason="pip install 'gem-ma[tools]'")
msgspec = pytest.importorskip("msgspec", reason="pip install 'gem-ma[tools]'")

from gem_ma.tools import Tool, ToolError
from gem_ma.tools.search import (
    BadIndex,
    Retriever,
    RetrieverError,
    RetrieverServer,
    SearchHit,
    SearchIndex,
    SearchTool,
    main,
)

FACTS = [
    {"title": "Paris", "text": "Paris is the capital of France; the Seine flows through it."},
    {"title": "Köln", "text": "KÖLN lies on the Rhine. Its cathedral took 632 years to build."},
    {"title": "東京", "text": "東京は日本の首都です。"},
    {"title": "Twin", "text": "one and the same words"},
    {"title": "Twin", "text": "one and the same words"},
    {"title": "Москва", "text": "Столица России стоит на Москве-реке."},
]


@pytest.fixture(scope="module")
def index():
    return SearchIndex.build(FACTS)


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("What is the capital of France?", "Paris"),
        ("koln köln", "Köln"),
        ("Ko\u0308ln", "Köln"),
        ("rhine CATHEDRAL", "Köln"),
        ("日本の首都", "東京"),
        ("столица россии", "Москва"),
    ],
)
def test_words_of_any_script_find_their_passage(index, query, title):
    hits = index.search(query, 2)
    assert hits[0].title == title
    assert all(a.score >= b.score > 0 for a, b in itertools.pairwise(hits))


def test_scores_are_those_of_bm25():
    import math

    index = SearchIndex.build(["a b b", "a c", "d"])
    k1, b, n, mean = 1.5, 0.75, 3, 2
    for hit, tf, length in zip(index.search("b", 3), [2], [3], strict=True):
        idf = math.log(1 + (n - 1 + 0.5) / (1 + 0.5))
        expected = idf * tf / (k1 * (1 - b + b * length / mean) + tf)
        assert hit.score == pytest.approx(expected, rel=1e-6)


def test_ties_come_in_the_order_of_the_documents():
    index = SearchIndex.build([{"title": str(i), "text": "same words"} for i in range(500)])
    for k in (1, 7, 500, 9999):
        found = [int(hit.title) for hit in index.search("words", k)]
        assert found == list(range(min(k, 500)))


def test_nothing_is_found_for_words_that_are_nowhere(index):
    assert index.search("xylophone", 3) == []
    assert index.search("", 3) == []
    assert index.search("paris", 0) == []


def test_long_documents_are_cut_into_passages_that_share_words():
    words = [f"w{i}" for i in range(1000)]
    index = SearchIndex.build([{"title": "Long", "text": " ".join(words)}], words=100, overlap=20)
    passages = [hit.text.split() for hit in index.search("long", 99)]
    passages.sort(key=lambda passage: int(passage[0][1:]))
    assert all(len(passage) <= 100 for passage in passages)
    assert all(a[-20:] == b[:20] for a, b in itertools.pairwise(passages))
    assert {word for passage in passages for word in passage} == set(words)
    assert index.search("w555", 1)[0].title == "Long"
    dense = SearchIndex.build(["京" * 1000 + "x" * 10_000], words=100, overlap=0)
    assert max(len(hit.text) for hit in dense.search("京", 99)) <= 100
    assert len(SearchIndex.build(["one two three"], words=2, overlap=0)) == 2
    with pytest.raises(ValueError, match="words=10, overlap=10: expected"):
        SearchIndex.build(["x"], words=10, overlap=10)


def test_a_folder_of_files(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "note.txt").write_text("\ufeffa penguin", encoding="utf-8")
    (tmp_path / "page.md").write_text("# A heading\n\nabout walruses", encoding="utf-8")
    (tmp_path / "rows.jsonl").write_text(
        '{"title": "Row", "text": "seals\u2028and whales"}\n\n{"text": "no title: krill"}\n',
        encoding="utf-8",
    )
    (tmp_path / "image.png").write_bytes(b"\xff\xfe")
    index = SearchIndex.build(tmp_path)
    found = {q: index.search(q, 1)[0].title for q in ("penguin", "walruses", "whales", "krill")}
    assert found == {"penguin": "note", "walruses": "A heading", "whales": "Row", "krill": ""}
    assert SearchIndex.build(str(tmp_path / "page.md")).search("walruses")[0].title == "A heading"


def test_sources_that_cannot_be_indexed_say_why(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file or folder"):
        SearchIndex.build(tmp_path / "absent")
    with pytest.raises(ValueError, match=r"expected .txt, .md or .jsonl files, found none"):
        SearchIndex.build(tmp_path)
    (tmp_path / "a.jsonl").write_text('{"text": "fine"}\n{"text":\n')
    with pytest.raises(ValueError, match=r"a.jsonl, line 2 is not JSON"):
        SearchIndex.build(tmp_path)
    (tmp_path / "a.jsonl").write_text('{"body": "fine"}\n')
    with pytest.raises(ValueError, match=r"line 1: column 'text' is missing.*'body'"):
        SearchIndex.build(tmp_path)
    with pytest.raises(ValueError, match="column 'name' is missing"):
        SearchIndex.build(FACTS, title="name")
    with pytest.raises(TypeError, match="a dict with 'train'; expected documents"):
        SearchIndex.build({"train": FACTS})
    with pytest.raises(ValueError, match="no words to index in 0 passages of a list"):
        SearchIndex.build([])
    (tmp_path / "a.txt").write_bytes(b"caf\xe9")
    with pytest.raises(ValueError, match=r"a.txt is not UTF-8"):
        SearchIndex.build(tmp_path / "a.txt")


def test_a_dataset_is_indexed_by_its_columns():
    datasets = pytest.importorskip("datasets", reason="pip install 'gem-ma[datasets]'")
    rows = {"heading": [f["title"] for f in FACTS], "body": [f["text"] for f in FACTS]}
    dataset = datasets.Dataset.from_dict(rows)
    index = SearchIndex.build(dataset, text="body", title="heading")
    assert index.search("capital france", 1) == SearchIndex.build(FACTS).search("capital france", 1)
    with pytest.raises(TypeError, match="a DatasetDict with 'train'"):
        SearchIndex.build(datasets.DatasetDict(train=dataset))


QUERIES = ["capital of france", "the", "words one", "首都", "москве", "köln"]


def test_an_index_is_saved_and_loaded_and_pickled(tmp_path, capsys):
    index = SearchIndex.build(FACTS)
    index.save(tmp_path / "new" / "index")
    loaded = SearchIndex.load(tmp_path / "new" / "index")
    assert len(loaded) == len(index) == len(FACTS)
    for other in (loaded, pickle.loads(pickle.dumps(loaded)), pickle.loads(pickle.dumps(index))):
        assert [other.search(q, 5) for q in QUERIES] == [index.search(q, 5) for q in QUERIES]
    assert len(pickle.dumps(loaded)) < 500  # its path
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["index"]
    loaded.save(tmp_path / "again")
    assert SearchIndex.load(tmp_path / "again", check=False).search("paris") == index.search(
        "paris"
    )
    with pytest.raises(FileExistsError, match="delete it or choose another name"):
        index.save(tmp_path / "again")
    assert not [path for path in (tmp_path / "again").iterdir() if path.suffix in (".pkl", "")]
    assert capsys.readouterr() == ("", "")  # no bars


def test_the_same_in_every_process(index, tmp_path):
    index.save(tmp_path / "index")
    (tmp_path / "facts.jsonl").write_text("\n".join(map(json.dumps, FACTS)))
    code = (
        "import sys; from gem_ma.tools.search import SearchIndex\n"
        "for i in (SearchIndex.load(sys.argv[1]), SearchIndex.build(sys.argv[2])):\n"
        "    print([i.search(q, 5) for q in eval(sys.argv[3])])"
    )
    arguments = [str(tmp_path / "index"), str(tmp_path / "facts.jsonl"), repr(QUERIES)]
    command = [sys.executable, "-X", "utf8", "-c", code, *arguments]
    run = subprocess.run(
        command, capture_output=True, encoding="utf-8", check=True, env={"PYTHONHASHSEED": "7"}
    )
    expected = str([index.search(q, 5) for q in QUERIES])
    assert run.stdout.splitlines() == [expected, expected]


def test_damaged_and_foreign_folders_are_one_error(index, tmp_path):
    with pytest.raises(BadIndex, match=r"holds no index.*build it again"):
        SearchIndex.load(tmp_path)
    with pytest.raises(BadIndex, match="holds no index"):
        SearchIndex.load(tmp_path / "absent")
    (tmp_path / "index.json").write_text('{"format": "other", "files": {}}')
    with pytest.raises(BadIndex, match="holds 'other', expected"):
        SearchIndex.load(tmp_path)
    for manifest in ("", "[]", '{"format": 1}', '{"format": 1, "files": 3}'):
        (tmp_path / "index.json").write_text(manifest)
        with pytest.raises(BadIndex, match="holds no index"):
            SearchIndex.load(tmp_path)

    index.save(tmp_path / "whole")
    files = sorted(path.name for path in (tmp_path / "whole").iterdir())
    assert len(files) >= 6
    for number, name in enumerate(set(files) - {"index.json"}):
        for damage in ("missing", "cut", "changed"):
            path = tmp_path / f"{damage}{number}"
            index.save(path)
            content = (path / name).read_bytes()
            if damage == "missing":
                (path / name).unlink()
            elif damage == "cut":
                (path / name).write_bytes(content[:-1])
            else:
                half = len(content) // 2
                flipped = bytes([content[half] ^ 1])
                (path / name).write_bytes(content[:half] + flipped + content[half + 1 :])
            with pytest.raises(BadIndex, match=f"damaged index: {name}"):
                SearchIndex.load(path)


def test_what_a_seat_reads(index):
    tool = SearchTool(index, top_k=2)
    assert isinstance(tool, Tool)
    assert (tool.name, tool.blocking) == ("search", False)
    parameters = tool.schema["function"]["parameters"]
    assert parameters["required"] == ["query"]
    number = {"type": "integer", "default": 2, "minimum": 1, "maximum": 10}
    assert number.items() <= parameters["properties"]["top_k"].items()
    text = tool.call({"query": "one of the capital words of france"}, ())
    assert text.startswith(f"[1] Paris\n{FACTS[0]['text']}\n\n[2] Twin\n")
    assert "[3]" not in text
    assert "[3] Paris" in tool.call({"query": "paris words same", "top_k": "3"}, ())
    assert tool.call({"query": "xylophone"}, ()) == "No passage contains any of these words."
    again = pickle.loads(pickle.dumps(tool))
    assert again.call({"query": "the words"}, ()) == tool.call({"query": "the words"}, ())
    assert again.schema == tool.schema


def test_results_are_cut_to_a_length():
    tool = SearchTool(SearchIndex.build(["word " * 140] * 10), max_chars=1000)
    text = tool.call({"query": "word", "top_k": 10}, ())
    assert len(text) == 1000
    assert text.endswith(" ...")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "argument 'query' is missing"),
        ({"query": " "}, "argument 'query' is empty"),
        ({"query": 3}, "got 3; expected a string"),
        ({"query": "x", "top_k": 0}, "got 0; expected 1 to 10"),
        ({"query": "x", "top_k": 11}, "got 11; expected 1 to 10"),
        ({"q": "x", "query": "x"}, "unknown argument 'q'; known: query, top_k"),
    ],
)
def test_a_models_mistakes_are_told_to_it(index, arguments, message):
    with pytest.raises(ToolError) as error:
        SearchTool(index).call(arguments, ())
    assert message in str(error.value)


def test_a_users_mistakes_are_errors(index):
    with pytest.raises(ValueError, match="expected 1 <= top_k <= most"):
        SearchTool(index, top_k=11)
    with pytest.raises(ValueError, match=r"expected http:// or https://.*SearchIndex.load"):
        SearchTool("some/folder")
    with pytest.raises(ValueError, match="wire='xml': expected"):
        Retriever("http://127.0.0.1", wire="xml")
    with pytest.raises(ValueError, match="timeout=0"):
        Retriever("http://127.0.0.1", timeout=0)


def test_many_threads_search_one_index(index):
    expected = [index.search(q, 5) for q in QUERIES]
    with ThreadPoolExecutor(8) as pool:
        runs = list(pool.map(lambda _: [index.search(q, 5) for q in QUERIES], range(100)))
    assert all(run == expected for run in runs)


class Script(http.server.BaseHTTPRequestHandler):
    """Answer with what the test has put down: (status, body), or a function."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.append((dict(self.headers), body))
        answer = self.server.answers.pop(0)
        if callable(answer):
            answer(self)
            return
        self.send_response(answer[0])
        self.end_headers()
        self.wfile.write(answer[1])

    def log_message(self, *_):
        pass


@pytest.fixture
def script(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Script) as server:
        server.daemon_threads = False  # each answer ends within its test, with what it prints
        server.asked, server.answers = [], []
        server.url = f"http://127.0.0.1:{server.server_port}/retrieve"
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        yield server
        server.shutdown()


ROWS = [
    {"document": {"id": "7", "contents": '"Paris"\nThe capital.\nOn the Seine.'}, "score": 2.5},
    {"document": {"contents": "a line without a title"}},
]
HITS = [
    SearchHit("Paris", "The capital.\nOn the Seine.", 2.5),
    SearchHit("", "a line without a title", 0.0),
]


def test_gems_messages(script):
    script.answers = [(200, msgspec.msgpack.encode({"result": ROWS}))]
    retriever = Retriever(script.url, headers={"Authorization": "Bearer x"})
    assert retriever.search("capital", 2) == HITS
    headers, body = script.asked[0]
    assert msgspec.msgpack.decode(body) == {"query": "capital", "topk": 2, "return_scores": True}
    assert headers["Authorization"] == "Bearer x"


def test_search_r1s_messages(script):
    script.answers = [(200, json.dumps({"result": [ROWS]}).encode())]
    tool = SearchTool(Retriever(script.url, wire="json"), top_k=1)
    assert tool.blocking
    assert tool.call({"query": "h\ud800lf"}, ()) == "[1] Paris\nThe capital.\nOn the Seine."
    body = json.loads(script.asked[0][1])
    assert body == {"queries": ["h?lf"], "topk": 1, "return_scores": True}


def test_passing_faults_are_tried_again(script):
    def drop(handler):
        handler.connection.close()

    script.answers = [(503, b"busy"), drop, (200, msgspec.msgpack.encode({"result": []}))]
    assert Retriever(script.url).search("x") == []
    assert len(script.asked) == 3


@pytest.mark.parametrize(
    ("answer", "message", "asked"),
    [
        ((500, b"boom"), "2 attempts.*status 500.*boom", 2),
        ((422, b"no such field"), "1 attempts.*status 422.*no such field", 1),
        ((200, b"<html>"), "got b'<html>'.*expected {result", 1),
        ((200, b'{"result": [{"text": "x"}]}'), "missing required field `document`", 1),
        ((200, b'{"result": 3}'), "Expected `array`, got `int`", 1),
        ((200, b'{"result": "\xff"}'), "expected {result", 1),
        ((200, b""), "got b''", 1),
        ((200, b'{"result": ' + b"[" * 100_000), "expected {result", 1),
        ((200, b"\x91" * 100_000), "expected {result", 1),
    ],
)
def test_faults_that_stay_are_named(script, answer, message, asked):
    script.answers = [answer] * asked
    with pytest.raises(RetrieverError, match=message):
        Retriever(script.url, retries=1).search("x")
    assert len(script.asked) == asked


def test_a_server_that_hangs_or_is_absent(script):
    script.answers = [lambda _: time.sleep(1)]
    with pytest.raises(RetrieverError, match="timed out"):
        Retriever(script.url, timeout=0.2, retries=0).search("x")
    with pytest.raises(RetrieverError, match=r"127.0.0.1:9/ .*refused"):
        Retriever("http://127.0.0.1:9/", timeout=5, retries=0).search("x")


def test_a_retriever_goes_nowhere_else_and_reads_no_endless_answer(script):
    def send(handler, *headers, body=b"", code=200, every=0.0):
        handler.send_response(code)
        for header in headers:
            handler.send_header(*header)
        handler.end_headers()
        for part in body if isinstance(body, list) else [body]:
            handler.wfile.write(part)
            time.sleep(every)

    good = (200, msgspec.msgpack.encode({"result": []}))
    there = ("Location", script.url.replace("//", "//me:pass-word@"))
    for code in (301, 302, 303, 307, 308):
        script.answers = [lambda h, code=code: send(h, there, code=code), good]
        with pytest.raises(RetrieverError, match=f"status {code}"):
            Retriever(script.url, headers={"Authorization": "Bearer x"}).search("x")
        assert script.answers == [good]  # nobody came with the header
    half = ("Content-Length", "100")
    script.answers = [lambda h: send(h, half, body=b"{}"), good]
    assert Retriever(script.url).search("x") == []  # half an answer is one to ask for again
    for body, every, timeout, problem in (
        ([b"[" * (1 << 20)] * 40, 0.0, 60, "more than 33554432 bytes"),
        ([b" "] * 20, 0.1, 0.5, r"more than 0\.5 seconds"),
        ([b'{"result": ' + b"[" * 100_000], 0.0, 60, "expected {result"),
    ):
        script.answers = [lambda h, body=body, every=every: send(h, body=body, every=every)]
        with pytest.raises(RetrieverError, match=problem):
            Retriever(script.url, timeout=timeout, retries=0).search("x")


def test_the_password_of_a_retriever_is_sent_and_not_told(script):
    script.answers = [(401, b"no http://me:pass-word@host here")]
    url = script.url.replace("//", "//me:pass-word@") + "?api_key=pass-word"
    with pytest.raises(RetrieverError, match="status 401") as error:
        Retriever(url).search("x")
    assert "pass-word" not in str(error.value)
    assert script.asked[0][0]["Authorization"] == "Basic bWU6cGFzcy13b3Jk"
    with pytest.raises(ValueError, match="expected http") as error:
        Retriever("ftp://me:pass-word@host")
    assert "pass-word" not in str(error.value)


def test_no_refusal_repeats_what_was_sent(script):
    said = b"no Bearer token-of-mine, no key-of-mine" + b" " * 500
    headers = {"Authorization": "Bearer token-of-mine", "X-Api-Key": "key-of-mine"}
    for answer in ((401, said), (500, said), (200, said), (200, b"x" * 95 + b"token-of-mine")):
        script.answers = [answer]
        with pytest.raises(RetrieverError) as error:
            Retriever(script.url, headers=headers, retries=0).search("x")
        assert "mine" not in str(error.value)
        assert "toke" not in str(error.value)
        assert len(str(error.value)) < 1000


@pytest.mark.parametrize("length", ["-1", "x", "1e3", "99999999999", "9" * 5000, "\u00b2"])
def test_our_own_server_refuses_a_wrong_length(index, length, capfd):
    with RetrieverServer(index) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            with socket.create_connection(server.server_address, timeout=20) as line:
                line.sendall(f"POST / HTTP/1.1\r\nContent-Length: {length}\r\n\r\n".encode())
                assert line.recv(1000).startswith(b"HTTP/1.0 400 expected Content-Length")
        finally:
            server.shutdown()
            thread.join()
    told = capfd.readouterr().err
    assert "Traceback" not in told, told  # pytest shows the beginning alone


def test_a_client_that_hangs_up_is_no_traceback(index, capfd):
    with RetrieverServer(index) as server:
        for error, shown in ((ConnectionResetError("gone"), False), (ValueError("ours"), True)):
            try:
                raise error
            except type(error):
                server.handle_error(None, ("127.0.0.1", 1))
            assert ("Traceback" in capfd.readouterr().err) == shown


@pytest.mark.parametrize("wire", ["msgpack", "json"])
def test_our_own_server_finds_what_the_index_finds(index, wire, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with RetrieverServer(index) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        retriever = Retriever(f"http://127.0.0.1:{server.server_port}", wire=wire)
        local, remote = SearchTool(index), SearchTool(retriever)
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda q: remote.call({"query": q}, ()), QUERIES * 5))
        assert found == [local.call({"query": q}, ()) for q in QUERIES] * 5
        with pytest.raises(RetrieverError, match=r"status 400.*Expected `array`"):
            retriever._send_request(b'{"queries": 3}')
        server.shutdown()


def test_a_saved_index_is_served_by_a_command(index, tmp_path, monkeypatch):
    served = []

    class Noted(RetrieverServer):
        def __init__(self, index, host, port):
            served.append((index.search("paris"), host, port))
            super().__init__(index, "127.0.0.1", 0)

        def serve_forever(self):
            served.append("served")

    monkeypatch.setattr("gem_ma.tools.search.RetrieverServer", Noted)
    index.save(tmp_path / "index")
    main([str(tmp_path / "index")])
    main([str(tmp_path / "index"), "--host", "0.0.0.0", "--port", "9"])
    found = index.search("paris")
    assert served == [(found, "127.0.0.1", 8000), "served", (found, "0.0.0.0", 9), "served"]
    with pytest.raises(SystemExit):
        main([])


@pytest.mark.slow
def test_a_hundred_thousand_passages():
    import numpy as np

    rng = np.random.default_rng(0)
    words = np.array([f"w{i:x}" for i in range(200_000)])
    texts = [
        " ".join(words[(len(words) * rng.random(120) ** 6).astype(int)]) for _ in range(100_000)
    ]
    start = time.perf_counter()
    index = SearchIndex.build(texts)
    assert time.perf_counter() - start < 120
    start = time.perf_counter()
    for text in texts[::1000]:
        assert index.search(" ".join(text.split()[:20]), 1)[0].text == text
    assert (time.perf_counter() - start) / 100 < 0.05
