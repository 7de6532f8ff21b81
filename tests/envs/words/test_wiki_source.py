"""The wiki game over a ZIM file made here, and over a server that answers as kiwix-serve does."""

import contextlib
import pickle
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, unquote

import numpy as np
import pytest

import gem_ma
from gem_ma import InvalidMove
from gem_ma.envs.words import wiki_source
from gem_ma.envs.words.wiki_game import WikiGame
from gem_ma.testing import check_env

PAGES = {  # path: (text, paths and other addresses that it links to)
    "Main_Page": ("Where one begins.", ["Ape", "Bee", "Café_au_lait", "https://example.org/Ape"]),
    "Ape": ("An <b>ape</b> climbs.", ["Bee", "Cat", "Apes#top", "#below", "picture.png"]),
    "Bee": ("A bee\n hums.", ["Cat", "Dog?action=edit", "mailto:bee@example.org"]),
    "Cat": ("A cat sleeps.", ["Dog", "Ape", "Missing"]),
    "Dog": ("A dog barks.", ["AC/DC", "Main_Page", "with space"]),
    "AC/DC": ("A band.", ["../Dog", "../Ape", "Live"]),
    "AC/Live": ("An album.", ["DC"]),
    "with space": ("A page.", ["Ape"]),
    "Café_au_lait": ("A drink.", ["Ape"]),
}
REDIRECTS = {"Apes": "Ape", "Start": "Main_Page"}


def html(path):
    text, links = PAGES[path]
    paragraphs = f"<p> </p><style>p {{}}</style><p>{text}</p><script>var a = '<p>no</p>';</script>"
    anchors = "".join(f'<li><a href="{quote(link, "/:#?@=")}">{link}</a>' for link in links)
    return f"<html><head><title>x</title></head><body>{paragraphs}<ul>{anchors}</ul></body></html>"


@pytest.fixture(scope="module")
def zim(tmp_path_factory):
    writer = pytest.importorskip("libzim.writer", reason="pip install 'gem-ma[wiki]'")

    class Item(writer.Item):
        def __init__(self, path, kind, content):
            super().__init__()
            self.path, self.kind, self.content = path, kind, content

        def get_path(self):
            return self.path

        def get_title(self):
            return self.path

        def get_mimetype(self):
            return self.kind

        def get_contentprovider(self):
            return writer.StringProvider(self.content)

        def get_hints(self):
            return {writer.Hint.FRONT_ARTICLE: self.kind == "text/html"}

    file = tmp_path_factory.mktemp("zim") / "tiny.zim"
    with writer.Creator(file).set_mainpath("Start") as creator:
        for path in PAGES:
            creator.add_item(Item(path, "text/html", html(path)))
        creator.add_item(Item("picture.png", "image/png", "no picture"))
        for path, target in REDIRECTS.items():
            creator.add_redirection(path, path, target, {})
        creator.add_metadata("Title", "Tiny")
    return str(file)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        path, book = unquote(self.path.partition("?")[0]), "/content/tiny"
        inside = path.removeprefix(f"{book}/")
        if path == "/content/broken/":
            self.send_error(500)
        elif path.startswith("/content/odd/") and path != "/content/odd/":
            self.odd(path.rpartition("/")[2])
        elif path == "/content/odd/":
            self.moved("/content/odd/start")
        elif path in (book, f"{book}/"):
            self.moved(f"{book}/Main_Page")
        elif inside in REDIRECTS:
            self.moved(f"{book}/{REDIRECTS[inside]}")
        elif inside in PAGES:
            self.answer("text/html; charset=utf-8", html(inside))
        elif inside == "picture.png":
            self.answer("image/png", "no picture")
        else:
            self.send_error(404)

    def moved(self, path):
        self.send_response(302)
        self.send_header("Location", quote(path, safe="/:"))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def odd(self, how):
        """Answer in a way in which no kiwix-serve answers."""
        if how == "elsewhere":
            self.moved(f"http://localhost:{self.server.server_port}/content/tiny/Ape")
            return
        if how == "nonsense":
            self.wfile.write(b"no HTTP\r\n\r\n")
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        if how == "half":
            self.send_header("Content-Length", "1000")
        self.end_headers()
        for part in {"endless": [b"a" * (1 << 20)] * 20, "slow": [b"a"] * 10}.get(how, [b"x"]):
            with contextlib.suppress(ConnectionError):
                self.wfile.write(part)
            time.sleep(0.1 if how == "slow" else 0)
        self.close_connection = True

    def answer(self, kind, text):
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as found:
        thread = threading.Thread(target=found.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{found.server_port}"
        found.shutdown()
        thread.join()


@pytest.fixture(params=["zim", "server"])
def source(request):
    found = request.getfixturevalue(request.param)
    return found if request.param == "zim" else f"{found}/content/tiny"


def rng(seed=0):
    return np.random.default_rng(seed)


def test_pages_and_links(source):
    game = WikiGame(source=source)
    remote = source.startswith("http")
    assert game.blocking is remote
    assert game.page("Main Page") == (
        "Main Page",
        "Where one begins.",
        ("Ape", "Bee", "Café au lait"),
    )
    assert game.page("Start") == game.page("Main Page")
    name, text, links = game.page("Ape")
    assert (name, text) == ("Ape", "An ape climbs.")
    assert links == (("Bee", "Cat", "Apes") if remote else ("Bee", "Cat"))
    assert game.page("Bee")[1:] == ("A bee hums.", ("Cat", "Dog"))
    assert game.page("AC/DC")[2] == ("Dog", "Ape", "AC/Live")
    assert game.page("with space") == ("with space", "A page.", ("Ape",))
    assert game.page("Café au lait")[1] == "A drink."
    assert game.page("Missing") is None
    assert game.page("picture.png") is None


def test_a_seed_decides_the_task(source):
    game, other = WikiGame(source=source), pickle.loads(pickle.dumps(WikiGame(source=source)))
    starts = [game.start(rng(seed), {}) for seed in range(60)]
    assert starts == [other.start(rng(seed), {}) for seed in range(60)]
    assert len({(state.path, state.target) for state in starts}) > 20
    for state in starts:
        assert state.target not in (*state.path, *state.links)  # at least two links away
        assert state.text == game.page(state.path[0])[1]


def test_a_solver_arrives(source):
    env = gem_ma.Env(WikiGame(source=source, max_turns=8), id="game:WikiGame-v0")
    for seed in range(10):
        env.reset(seed=seed)
        queue = [(env.game_state.path[0],)]
        for path in queue:
            page = env.game.page(path[-1])
            if page and page[0] == env.game_state.target:
                break
            queue += [(*path, link) for link in (page[2] if page else ()) if link not in path]
        for name in path[1:]:
            env.step(name)
        assert env.game_state.returns() == {"player": 1.0}
        assert env.game.report(env.game_state) == {"path": env.game_state.path}


def test_a_redirect_leads_to_the_target(server):
    game = WikiGame(source=f"{server}/content/tiny", min_links=1)
    state = game.start(rng(), {})._replace(links=("Apes", "Missing"), target="Ape")
    assert game.advance(state, {"player": "Apes"}, None).returns() == {"player": 1.0}
    after = game.advance(state, {"player": "Missing"}, None)
    assert after == state._replace(left=state.left - 1)
    (message,) = game.tell(state, {"player": "Missing"}, after)
    assert message.text == "The page Missing is missing here."
    with pytest.raises(InvalidMove, match="has no link to 'Bee'"):
        game.read("Bee", state, "player")


def test_the_contract(source):
    env = gem_ma.Env(WikiGame(source=source, max_turns=5), id="game:WikiGame-v0")
    check_env(env, seeds=1, processes=False)


def test_a_target_that_is_never_far_enough(source):
    with pytest.raises(ValueError, match="7 to 8 links away"):
        WikiGame(source=source, min_links=7, max_links=8).start(rng(), {})


def test_errors_name_the_remedy(server, tmp_path):
    with pytest.raises(ValueError, match="address of a book, such as http"):
        WikiGame(source=server)
    with pytest.raises(ValueError, match="the server has no such book"):
        WikiGame(source=f"{server}/content/other")
    with pytest.raises(ConnectionError, match="answered HTTP Error 500"):
        WikiGame(source=f"{server}/content/broken")
    with pytest.raises(ConnectionError, match="start it with kiwix-serve"):
        WikiGame(source="http://127.0.0.1:9/content/tiny")
    with pytest.raises(ValueError, match="got graph and source"):
        WikiGame(source=server, graph={})
    pytest.importorskip("libzim", reason="pip install 'gem-ma[wiki]'")
    with pytest.raises(FileNotFoundError, match=r"library\.kiwix\.org"):
        WikiGame(source=tmp_path / "none.zim")
    (tmp_path / "text.zim").write_text("no ZIM file")
    with pytest.raises(ValueError, match="is not a ZIM file"):
        WikiGame(source=str(tmp_path / "text.zim"))


def test_a_server_is_not_read_without_end(server, monkeypatch):
    monkeypatch.setattr(wiki_source, "TIMEOUT", 0.5)
    pages = wiki_source.Kiwix(f"{server}/content/odd")
    for how, problem in (
        ("endless", "more than 8388608 bytes"),
        ("slow", r"more than 0\.5 seconds"),
        ("half", "IncompleteRead"),
        ("nonsense", "no HTTP"),
        (
            "elsewhere",
            "the server says that it is at 'http://localhost:[0-9]+/.*give that as source",
        ),
    ):
        with pytest.raises(ConnectionError, match=f"content/odd/{how} gave no page.*{problem}"):
            pages.find(how)


def test_an_address_is_no_place_for_secrets():
    for address in ("http://me:pass-word@host/content/x", "http://host/content/x?token=pass-word"):
        with pytest.raises(ValueError, match="a password or a query is not allowed") as error:
            WikiGame(source=address)
        assert "pass-word" not in str(error.value)


def test_without_libzim(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "libzim.reader", None)
    with pytest.raises(ImportError, match=r"pip install 'gem-ma\[wiki\]'"):
        WikiGame(source=tmp_path / "some.zim")
