"""Search gateways by GEM's names, over a server on the loopback that answers as the engine does."""

import contextlib
import http.server
import json
import threading
import urllib.parse

import pytest

from gem_ma.gem.tools.search_engine import gateway, google_search_server, serp_search_server
from gem_ma.gem.tools.search_tool import SearchTool
from gem_ma.tools.retriever_messages import RetrieverError
from gem_ma.tools.retriever_server import RetrieverServer

KEY = "a-secret-key-of-a-user"
SERP = {
    "answer_box": {"title": "Paris", "snippet": "the capital"},
    "organic_results": [{"title": "One", "snippet": "first"}, {"title": "Two"}, 7, {"link": "x"}],
    "related_questions": [{"question": "Why?", "snippet": "because"}],
}


@contextlib.contextmanager
def serving(server):
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def engine(monkeypatch):
    """Return the address of a stub, and what it was asked and answers."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    class Stub(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            fields = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
            self.server.asked.append({name: values[0] for name, values in fields.items()})
            status, answer = self.server.answer
            self.send_response(status)
            self.end_headers()
            self.wfile.write(answer if isinstance(answer, bytes) else json.dumps(answer).encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stub)
    server.asked, server.answer = [], (200, SERP)
    with serving(server) as address:
        server.address = address
        yield server


def test_serpapi_is_asked_and_its_answer_is_read(engine):
    source = serp_search_server.SerpSearchEngine(KEY, search_url=engine.address)
    hits = source.search("capital of France?", 9)
    assert engine.asked == [{"engine": "google", "api_key": KEY, "q": "capital of France?"}]
    assert [hit.title for hit in hits] == ["Paris", "One", "Two", "Why?"]
    assert [hit.text for hit in hits][1:3] == ["first", "No snippet available."]
    assert [hit.title for hit in source.search("a", 2)] == ["Paris", "One"]


def test_google_is_asked_and_its_answer_is_read(engine):
    engine.answer = 200, {"items": [{"title": "A", "snippet": "a ..."}, {"title": "B"}]}
    source = google_search_server.GoogleSearchEngine(KEY, "engine-id", engine.address)
    assert [hit.title for hit in source.search("x", 50)] == ["A", "B"]
    assert engine.asked == [{"key": KEY, "cx": "engine-id", "q": "x", "num": "10"}]
    assert source.search("  ") == []
    engine.answer = 200, {}
    assert source.search("nothing") == []


def test_what_a_model_asks_is_bounded(engine):
    source = serp_search_server.SerpSearchEngine(KEY, search_url=engine.address)
    source.search("\ud800" + "x" * 10_000)
    assert len(engine.asked[0]["q"]) == 2000


@pytest.mark.parametrize(
    ("status", "answer", "problem"),
    [
        (401, {"error": f"bad key {KEY}"}, "status 401"),
        (200, b"no json", "JSONDecodeError"),
        (200, [1], "expected a JSON object, got list"),
    ],
)
def test_what_fails_is_said_without_the_key(engine, status, answer, problem):
    engine.answer = status, answer
    source = serp_search_server.SerpSearchEngine(KEY, search_url=engine.address)
    with pytest.raises(RetrieverError, match=problem) as error:
        source.search("x")
    assert KEY not in str(error.value)


def test_gems_search_tool_asks_the_gateway(engine):
    pytest.importorskip("msgspec", reason="pip install 'gem-ma[tools]'")
    source = serp_search_server.SerpSearchEngine(KEY, search_url=engine.address)
    with serving(RetrieverServer(source)) as address:
        tool = SearchTool(search_url=f"{address}/retrieve", topk=2)
        asks = "<search>capital of France?</search>"
        found = 'Doc 1(Title: "Paris") the capital\nDoc 2(Title: "One") first\n'
        assert tool.execute_action(asks) == (True, False, found, asks)
        engine.answer = 500, {}
        valid, failed, text, _ = tool.execute_action(asks)
        assert (valid, failed) == (True, True)
        assert "status 502" in text
        assert KEY not in text


def test_a_command_line_starts_it(engine, monkeypatch):
    served = []
    monkeypatch.setattr(gateway, "serve_gateway", lambda *found: served.append(found))
    monkeypatch.setenv(serp_search_server.KEY_VARIABLE, KEY)
    serp_search_server.main(["--search_url", engine.address, "--topk", "2", "--num_workers", "4"])
    google_search_server.main(["--api_key", KEY, "--cse_id", "c", "--snippet_only", "--port", "1"])
    (serp, first), (google, second) = served
    assert [hit.title for hit in serp.search("x")] == ["Paris", "One", "Two"]
    assert (first.topk, first.host, first.port) == (2, "127.0.0.1", 8000)
    assert (google.cse_id, second.topk, second.port) == ("c", 3, 1)


def test_a_key_is_needed(monkeypatch, capsys):
    monkeypatch.delenv(serp_search_server.KEY_VARIABLE, raising=False)
    with pytest.raises(SystemExit):
        serp_search_server.main([])
    assert "pass --serp_api_key, or set SERPAPI_API_KEY" in capsys.readouterr().err
    with pytest.raises(ValueError, match="expected http:// or https://"):
        serp_search_server.SerpSearchEngine(KEY, search_url="file:///etc/passwd")
