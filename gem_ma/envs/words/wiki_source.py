"""Pages for the wiki game from a ZIM file or a Kiwix server, read when they are needed."""

import functools
import http.client
import textwrap
import urllib.error
import urllib.request
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote, urljoin, urlsplit

from gem_ma.validation.endpoints import (
    RedirectRefused,
    UnreadableResponse,
    read_response,
    redact_secrets,
    refuse_redirect,
)

CACHED = 1000  # pages
SHOWN = 400  # characters of a page's text
STRAY = 8  # links followed from the main page to the start page of a task
TIMEOUT = 30  # seconds that a server has for an answer
LARGEST = 1 << 23  # bytes of a page
OTHER_FILES = (".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".ogg", ".mp3", ".webm")


class Page(NamedTuple):
    name: str  # after redirects
    text: str
    links: tuple[str, ...]


class Source:
    """Pages by name; a name is the page's path with spaces in place of underscores.

    Subclasses implement `find` and `resolve`, and set `main`, the path of the main page.
    """

    base = "http://zim/"  # links are relative to this and the page's own path
    main = ""

    def __init__(self):
        self.page = functools.lru_cache(CACHED)(self._page)

    def find(self, path):
        """Return a page's path after redirects and its HTML, or None."""
        raise NotImplementedError

    def resolve(self, path):
        """Return the path of a link, after redirects if cheap; "" if it leads to no page."""
        raise NotImplementedError

    def _page(self, name):
        """Return the page of this name, or None."""
        result = self.find(name.replace(" ", "_")) or self.find(name)
        if not result:
            return None
        path, html = result
        reader = Reader()
        reader.feed(html)
        page_url = self.base + quote(path)
        paths = [self.inside(urljoin(page_url, link)) for link in reader.links]
        ends = [self.resolve(end) for end in dict.fromkeys(paths) if end]
        names = dict.fromkeys(_name(end) for end in ends if end and end != path)
        text = textwrap.shorten("".join(reader.words), SHOWN, placeholder=" ...")
        return Page(_name(path), text, tuple(names))

    def inside(self, url):
        """Return the path of a URL inside this source; "" if it leads outside."""
        return unquote(urlsplit(url[len(self.base) :]).path) if url.startswith(self.base) else ""

    def follow(self, page, seen, rng):
        """Return a random page that this page links to and that is not in `seen`, or None."""
        links = [name for name in page.links if name not in seen]
        while links:
            linked_page = self.page(links.pop(int(rng.integers(len(links)))))
            if linked_page and linked_page.name not in seen:
                return linked_page
        return None

    def draw(self, rng):
        """Return the page at the end of a random walk from the main page."""
        page = main = self.page(_name(self.main))
        for _ in range(STRAY):
            page = self.follow(page, (page.name,), rng) or main
        return page


class Zim(Source):
    """The pages of a ZIM file."""

    def __init__(self, file):
        super().__init__()
        try:
            from libzim.reader import Archive
        except ImportError as error:
            raise ImportError("ZIM files need libzim: pip install 'gem-ma[wiki]'") from error
        if not Path(file).is_file():
            raise FileNotFoundError(
                f"source={file!r}: no such file; there are ZIM files at https://library.kiwix.org"
            )
        try:
            self.archive = Archive(Path(file))
        except RuntimeError as error:
            raise ValueError(f"source={file!r} is not a ZIM file: {error}") from error
        if not self.archive.has_main_entry:
            raise ValueError(f"source={file!r}: expected a ZIM file with a main page")
        self.main = _last(self.archive.main_entry).path

    def resolve(self, path):
        if not self.archive.has_entry_by_path(path):
            return ""
        entry = _last(self.archive.get_entry_by_path(path))
        return entry.path if _is_html(entry.get_item().mimetype) else ""

    def find(self, path):
        path = self.resolve(path)
        if not path:
            return None
        item = self.archive.get_entry_by_path(path).get_item()
        return path, bytes(item.content).decode("utf-8", "replace")


class Kiwix(Source):
    """The pages of a book on a Kiwix server."""

    def __init__(self, address):
        super().__init__()
        parts = urlsplit(address)
        if parts.username or parts.password or parts.query:  # records would contain the secret
            raise ValueError(
                f"source={redact_secrets(address)!r}: a user name, a password or a query is not "
                f"allowed, because records would show it. {_ADDRESS}"
            )
        if not parts.path.strip("/"):
            raise ValueError(f"source={address!r}: {_ADDRESS}")
        self.base = address.rstrip("/") + "/"
        result = self.find("")
        if not result:
            raise ValueError(f"source={address!r}: the server has no such book. {_ADDRESS}")
        self.main, _ = result

    def resolve(self, path):
        return "" if path.lower().endswith(OTHER_FILES) else path

    def find(self, path):
        try:
            with _make_opener().open(self.base + quote(path), timeout=TIMEOUT) as answer:
                page_path = self.inside(answer.url)
                html = read_response(answer, LARGEST, TIMEOUT).decode("utf-8", "replace")
                kind = answer.headers.get_content_type()
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == 404:
                return None
            raise ConnectionError(f"{self.base}{quote(path)} answered {error}") from error
        except (UnreadableResponse, RedirectRefused, http.client.HTTPException) as error:
            problem = str(error) or type(error).__name__
            raise ConnectionError(
                f"{self.base}{quote(path)} gave no page: {problem[:300]}"
            ) from error
        except OSError as error:
            raise ConnectionError(
                f"no answer from {self.base}: {error}; start it with kiwix-serve --port 8080 "
                f"FILE.zim. {_ADDRESS}"
            ) from error
        return (page_path, html) if page_path and _is_html(kind) else None


class SameServer(urllib.request.HTTPRedirectHandler):
    """Redirect handler that follows redirects on the same server and refuses others."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        if urlsplit(newurl)[:2] != urlsplit(req.full_url)[:2]:
            refuse_redirect(code, newurl, "source")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


@functools.cache
def _make_opener() -> urllib.request.OpenerDirector:
    """Return an opener; since Python 3.12, making one loads certificates."""
    return urllib.request.build_opener(SameServer)


_ADDRESS = "Expected the address of a book, such as http://127.0.0.1:8080/content/NAME"


@functools.cache
def source(where):
    """Return the pages of a ZIM file, or of a book on a Kiwix server if `where` is a URL."""
    return Kiwix(where) if is_remote(where) else Zim(where)


def is_remote(where):
    """Return whether `where` is a URL rather than a file."""
    return where.startswith(("http://", "https://"))


class Reader(HTMLParser):
    """Collect the links of a page and the text of its paragraphs."""

    def __init__(self):
        super().__init__()
        self.links, self.words = [], []
        self._paragraph = False

    def handle_starttag(self, tag, attrs):
        if tag == "a":
            self.links += [value for name, value in attrs if name == "href" and value]
        elif tag in ("p", "style", "script"):
            self._paragraph = tag == "p"

    def handle_endtag(self, tag):
        if tag == "p":
            self._paragraph = False
            self.words.append(" ")

    def handle_data(self, data):
        if self._paragraph:
            self.words.append(data)


def _last(entry):
    """Return the entry at the end of redirects."""
    while entry.is_redirect:
        entry = entry.get_redirect_entry()
    return entry


def _is_html(kind):
    return kind.partition(";")[0] in ("text/html", "application/xhtml+xml")


def _name(path):
    return path if " " in path else path.replace("_", " ")
