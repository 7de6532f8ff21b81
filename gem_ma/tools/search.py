"""Search tools: a local BM25 index over documents, or an HTTP retriever with GEM's protocol."""

from __future__ import annotations

import argparse
import http.client
import json
import mmap
import os
import re
import shutil
import tempfile
import time
import unicodedata
import urllib.error
import urllib.request
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import numpy as np

from gem_ma.tools.function import function_tool
from gem_ma.tools.retriever_messages import (
    MAX_MESSAGE_SIZE,
    RetrievedRow,
    RetrieverAnswer,
    RetrieverError,
    decode_message,
    encode_message,
    import_msgspec,
)
from gem_ma.tools.retriever_server import RetrieverServer
from gem_ma.tools.tool import ToolCallHistory, ToolError
from gem_ma.validation.endpoints import (
    RedirectRefused,
    SentSecrets,
    UnreadableResponse,
    encode_user,
    read_response,
    redact_secrets,
    refuse_redirect,
    split_credentials,
)
from gem_ma.validation.json_types import JSONMapping, JSONObject

if TYPE_CHECKING:
    import bm25s

# Scripts written without spaces: each character is indexed as a separate word.
_UNSPACED_SCRIPTS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_TERM = re.compile(rf"[{_UNSPACED_SCRIPTS}]|[^\W{_UNSPACED_SCRIPTS}]+")
_WORD = re.compile(rf"[{_UNSPACED_SCRIPTS}]|[^\s{_UNSPACED_SCRIPTS}]{{1,60}}")

_INDEX_FORMAT = "gem-ma search index 1"
_MANIFEST_FILE, _PASSAGES_FILE, _ENDS_FILE = "index.json", "passages.jsonl", "ends.npy"
_BLOCKING_SIZE = 50_000  # passages above which a query takes milliseconds
_MAX_PAGE_SIZE = 1 << 20  # bytes of an error page
_MAX_REFUSAL = 400  # characters of an error page that the raised error quotes
_RETRY_STATUSES = (408, 425, 429, 500, 502, 503, 504)  # a retry may succeed


class SearchHit(NamedTuple):
    """A passage that a search returned, with its score."""

    title: str
    text: str
    score: float


class BadIndex(ValueError):
    """A folder contains no index, or a damaged one."""


class SearchIndex:
    """A BM25 index of document passages; searches are deterministic.

    Make an index with `SearchIndex.build`, `SearchIndex.load` or `SearchIndex.open`. Many threads
    can search it at once.
    """

    def __init__(self, bm25: bm25s.BM25, lines: bytes | mmap.mmap, ends: np.ndarray):
        self._bm25 = bm25
        self._lines = lines  # one line of JSON per passage, as in the file
        self._ends = ends  # end offset of each passage in the lines
        self._folder: Path | None = None

    def __len__(self) -> int:
        return len(self._ends)

    def __reduce__(self) -> tuple[object, ...]:
        if self._folder is not None:
            return SearchIndex.load, (self._folder,)
        return SearchIndex, (self._bm25, self._lines, self._ends)

    @classmethod
    def build(
        cls,
        source: str | os.PathLike[str] | Iterable[str | JSONMapping],
        *,
        text: str = "text",
        title: str | None = None,
        words: int = 150,
        overlap: int = 30,
    ) -> SearchIndex:
        """Index a folder or file (.txt, .md, .jsonl), or documents: a list or a `datasets` Dataset.

        Args:
            source: the path of a file or folder, or an iterable of texts or of rows.
            text: name of the text column, if documents are rows.
            title: name of the title column; None: "title" if there is such a column.
            words: maximum number of words in a passage.
            overlap: number of words that neighbouring passages share.
        """
        if not 0 <= overlap < words:
            raise ValueError(f"words={words}, overlap={overlap}: expected 0 <= overlap < words")
        if isinstance(source, Mapping):
            raise TypeError(
                f"got a {type(source).__name__} with {', '.join(map(repr, source))}; expected "
                "documents, such as one of its values"
            )
        documents: Iterator[tuple[str, str]]
        if isinstance(source, str | os.PathLike):
            documents = _read_files(Path(source), text, title)
        else:
            documents = (_read_row(row, text, title, "document") for row in source)

        vocabulary: dict[str, int] = {}
        ids, lines, ends, size = [], [], [], 0
        for name, body in documents:
            for passage in _split_passages(body, words, overlap):
                terms = chain(_split_terms(name), _split_terms(passage))
                ids.append(
                    array("l", (vocabulary.setdefault(term, len(vocabulary)) for term in terms))
                )
                row = {"title": name, "text": passage}
                lines.append(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
                size += len(lines[-1])
                ends.append(size)
        if not vocabulary:
            raise ValueError(
                f"no words to index in {len(ids)} passages of {_describe_source(source)}; expected "
                "at least one word"
            )
        bm25 = _import_bm25s().BM25(backend="numpy")
        bm25.index((ids, vocabulary), create_empty_token=False, show_progress=False)
        return cls(bm25, b"".join(lines), np.array(ends, np.int64))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index as a new folder of JSON and NumPy files."""
        path = Path(path)
        if path.exists():
            raise FileExistsError(f"{path} exists; delete it or choose another name")
        path.parent.mkdir(parents=True, exist_ok=True)
        # Rename a finished temporary folder, so that an interruption leaves no partial index.
        partial = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
        try:
            self._bm25.save(partial, show_progress=False)
            (partial / _PASSAGES_FILE).write_bytes(self._lines)
            np.save(partial / _ENDS_FILE, self._ends, allow_pickle=False)
            files = {
                file.name: [file.stat().st_size, _compute_checksum(file)]
                for file in sorted(partial.iterdir())
            }
            manifest = {"format": _INDEX_FORMAT, "passages": len(self), "files": files}
            (partial / _MANIFEST_FILE).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
            partial.chmod(0o755)
            partial.rename(path)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> SearchIndex:
        """Open a saved index, or index the texts of a file or folder."""
        is_index = all((Path(path) / name).exists() for name in (_MANIFEST_FILE, _PASSAGES_FILE))
        return cls.load(path) if is_index else cls.build(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, check: bool = True) -> SearchIndex:
        """Open a saved index; its large files are memory-mapped.

        Args:
            path: the folder of the index.
            check: whether to read every file to verify its checksum; else only sizes are compared.

        Raises:
            BadIndex: the folder contains no index, or a damaged one.
        """
        path = Path(path).absolute()
        _check_index_folder(path, check)
        bm25s = _import_bm25s()
        try:
            bm25 = bm25s.BM25.load(path, mmap=True, show_progress=False)
            ends = np.load(path / _ENDS_FILE, mmap_mode="r", allow_pickle=False)
            with (path / _PASSAGES_FILE).open("rb") as file:
                lines = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise BadIndex(f"{path} is a damaged index: {error}; build it again") from error
        index = cls(bm25, lines, ends)
        index._folder = path
        return index

    def search(self, query: str, k: int = 3) -> list[SearchHit]:
        """Return the k best passages, best first; of equal scores, the earlier passage first."""
        vocabulary = self._bm25.vocab_dict
        terms = [vocabulary[term] for term in _split_terms(query) if term in vocabulary]
        if not terms or k < 1:
            return []
        scores = self._bm25.get_scores_from_ids(terms)
        k = min(k, len(scores))
        least = max(np.partition(scores, -k)[-k], np.finfo(scores.dtype).tiny)
        indices = np.flatnonzero(scores >= least)
        best = indices[np.argsort(-scores[indices], kind="stable")[:k]]
        return [self._read_hit(int(i), float(scores[i])) for i in best]

    def _read_hit(self, i: int, score: float) -> SearchHit:
        start = int(self._ends[i - 1]) if i else 0
        row = json.loads(self._lines[start : int(self._ends[i])])
        return SearchHit(row["title"], row["text"], score)


class Retriever:
    """A client of an HTTP retrieval server, with GEM's or Search-R1's messages.

    Args:
        url: address of the server, http:// or https://.
        wire: "msgpack" for GEM's retrieval servers ({query, topk, return_scores}), or "json" for
            Search-R1's ({queries, topk, return_scores}). Both answer {result: [{document:
            {contents}, score}]}; the first line of contents is the title.
        timeout: seconds for an answer.
        retries: how often to retry after a dropped connection, a timeout or status 408, 425, 429,
            500, 502, 503 or 504.
        headers: headers of each request, such as an authorization.
    """

    def __init__(
        self,
        url: str,
        *,
        wire: str = "msgpack",
        timeout: float = 10.0,
        retries: int = 2,
        headers: Mapping[str, str] | None = None,
    ):
        if urlsplit(url).scheme not in ("http", "https"):
            raise ValueError(
                f"url={redact_secrets(url)!r}: expected http:// or https://; a folder is opened "
                "by SearchIndex.load"
            )
        if wire not in ("msgpack", "json"):
            raise ValueError(f"wire={wire!r}: expected 'msgpack' (GEM's) or 'json' (Search-R1's)")
        if timeout <= 0 or retries < 0:
            raise ValueError(
                f"timeout={timeout}, retries={retries}: expected timeout > 0 and retries >= 0"
            )
        self.url = url
        self.wire = wire
        self.timeout = timeout
        self.retries = retries
        self._address, user = split_credentials(url)
        self._headers = {"Content-Type": f"application/{wire}", **(headers or {})}
        if user is not None:
            self._headers.setdefault("Authorization", f"Basic {encode_user(user)}")
        self._secrets = SentSecrets.from_headers(self._headers, user)

    def search(self, query: str, k: int = 3) -> list[SearchHit]:
        """Return the k best passages, best first."""
        return [_make_hit(row) for row in self._query_server(query, k)]

    def search_contents(self, query: str, k: int = 3) -> list[str]:
        """Return the k best passages as the server sends them, with the title as the first line."""
        return [row["document"]["contents"] for row in self._query_server(query, k)]

    def _query_server(self, query: str, k: int) -> list[RetrievedRow]:
        query = query.encode(
            "utf-8", "replace"
        ).decode()  # a model's JSON may contain lone surrogates
        body: JSONObject = {"topk": k, "return_scores": True}
        body |= {"query": query} if self.wire == "msgpack" else {"queries": [query]}
        return self._parse_answer(self._send_request(encode_message(body, self.wire)))[:k]

    def _send_request(self, body: bytes) -> bytes:
        """Send a request, with retries, and return the server's answer.

        Raises:
            RetrieverError: no attempt had a usable answer.
        """
        request = urllib.request.Request(self._address, body, self._headers, method="POST")
        opener = urllib.request.build_opener(_RedirectRefuser)
        for attempt in range(self.retries + 1):
            if attempt:
                time.sleep(0.2 * 2**attempt)
            try:
                with opener.open(request, timeout=self.timeout) as answer:
                    return read_response(answer, MAX_MESSAGE_SIZE, self.timeout)
            except urllib.error.HTTPError as error:
                problem = self._read_refusal(error)
                if error.code not in _RETRY_STATUSES:
                    break
            except UnreadableResponse as error:
                problem = str(error)
                break
            except (OSError, http.client.HTTPException) as error:  # URLError, timeouts
                problem = f"{type(error).__name__}: {error}"
        problem = self._secrets.hide(problem)[:_MAX_REFUSAL]
        raise RetrieverError(f"{redact_secrets(self.url)} ({attempt + 1} attempts): {problem}")

    def _read_refusal(self, error: urllib.error.HTTPError) -> str:
        """Return the status and text of an error response."""
        try:
            with error:
                refuse_redirect(error.code, error.headers.get("Location"), "url")
                content = read_response(error, _MAX_PAGE_SIZE, self.timeout)
            problem = content.decode(errors="replace")
        except (RedirectRefused, UnreadableResponse, OSError, http.client.HTTPException) as fault:
            problem = str(fault)
        return f"status {error.code} {error.reason}: {problem}"

    def _parse_answer(self, content: bytes) -> list[RetrievedRow]:
        msgspec = import_msgspec()
        content = self._secrets.hide_bytes(content)
        try:
            answer = decode_message(content)
            result = msgspec.convert(answer, RetrieverAnswer)["result"]
            rows = result[0] if result and isinstance(result[0], list) else result
            documents: list[RetrievedRow] = msgspec.convert(rows, list[RetrievedRow])
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise RetrieverError(
                f"{redact_secrets(self.url)}: got {content[:100]!r} ({error}); expected "
                "{result: [{document: {contents}, score}]}"
            ) from None
        return documents


class _RedirectRefuser(urllib.request.HTTPRedirectHandler):
    """A handler that follows no redirects, so that headers are not sent to another server."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _make_hit(row: RetrievedRow) -> SearchHit:
    first, _, rest = row["document"]["contents"].partition("\n")
    if not rest.strip():
        return SearchHit("", first, row.get("score", 0.0))
    return SearchHit(first.strip().strip('"'), rest.strip(), row.get("score", 0.0))


class SearchTool:
    """The tool `search`: it returns the best passages for a query as text.

    Args:
        source: a SearchIndex, a Retriever, or the URL of a retrieval server.
        top_k: default number of passages.
        most: maximum number of passages that a call may request.
        max_chars: maximum characters of a result; a longer one is cut at the end.
        name: the tool's name.
    """

    def __init__(
        self,
        source: SearchIndex | Retriever | str,
        *,
        top_k: int = 3,
        most: int = 10,
        max_chars: int = 8000,
        name: str = "search",
    ):
        if not 1 <= top_k <= most or max_chars < 100:
            raise ValueError(
                f"top_k={top_k}, most={most}, max_chars={max_chars}: expected "
                "1 <= top_k <= most and max_chars >= 100"
            )
        self.source = Retriever(source) if isinstance(source, str) else source
        self.top_k = top_k
        self.most = most
        self.max_chars = max_chars
        self.name = name
        self.blocking = (
            not isinstance(self.source, SearchIndex) or len(self.source) > _BLOCKING_SIZE
        )

        def search(query: str, top_k: int = top_k) -> str:
            """Search a collection of texts for passages that contain the words of a query.

            Args:
                query: the words to look for
                top_k: how many passages to return
            """
            return self._search(query, top_k)

        self._tool = function_tool(search, name=name)
        self.schema = self._tool.schema
        limits = self.schema["function"]["parameters"]["properties"]["top_k"]
        limits |= {"minimum": 1, "maximum": most}

    def call(self, arguments: JSONMapping, past: ToolCallHistory = ()) -> str:
        """Return the passages found, best first, each as "[1] Title" with the passage below."""
        return self._tool.call(arguments, past)

    def _search(self, query: str, top_k: int) -> str:
        if not 1 <= top_k <= self.most:
            raise ToolError(f"argument 'top_k': got {top_k}; expected 1 to {self.most}")
        if not query.strip():
            raise ToolError("argument 'query' is empty; expected words to look for")
        passages = []
        for number, hit in enumerate(self.source.search(query, top_k), 1):
            heading = f"{hit.title}\n" if hit.title else ""
            passages.append(f"[{number}] {heading}{hit.text}")
        text = "\n\n".join(passages) or "No passage contains any of these words."
        return text if len(text) <= self.max_chars else text[: self.max_chars - 4] + " ..."

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.source, self.top_k, self.most, self.max_chars, self.name)


def _rebuild(source: Any, top_k: int, most: int, max_chars: int, name: str) -> SearchTool:
    return SearchTool(source, top_k=top_k, most=most, max_chars=max_chars, name=name)


def _split_terms(text: str) -> list[str]:
    return _TERM.findall(unicodedata.normalize("NFKC", text).casefold())


def _split_passages(text: str, words: int, overlap: int) -> Iterator[str]:
    """Yield passages of at most `words` words; neighbouring passages share `overlap` words."""
    spans = [match.span() for match in _WORD.finditer(text)]
    for start in range(0, min(len(spans), max(1, len(spans) - overlap)), words - overlap):
        yield text[spans[start][0] : spans[min(start + words, len(spans)) - 1][1]]


def _read_files(path: Path, text: str, title: str | None) -> Iterator[tuple[str, str]]:
    """Yield the title and text of each document in a file, or in all files below a folder."""
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file or folder")
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    files = [file for file in files if file.suffix in (".txt", ".md", ".jsonl") and file.is_file()]
    if not files:
        raise ValueError(f"{path}: expected .txt, .md or .jsonl files, found none")
    for file in files:
        try:
            content = file.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            raise ValueError(f"{file} is not UTF-8: {error}") from None
        if file.suffix == ".jsonl":
            for number, line in enumerate(content.split("\n"), 1):
                if line.strip():
                    location = f"{file}, line {number}"
                    try:
                        row = json.loads(line)
                    except json.JSONDecodeError as error:
                        raise ValueError(f"{location} is not JSON: {error}") from None
                    yield _read_row(row, text, title, location)
        else:
            heading = re.match(r"\s*#\s+(.+)", content) if file.suffix == ".md" else None
            yield (heading[1].strip() if heading else file.stem), content


def _read_row(row: Any, text: str, title: str | None, where: str) -> tuple[str, str]:
    """Return the title and text of a document; raise an error that names `where` if it has none."""
    if isinstance(row, str):
        return "", row
    if not isinstance(row, Mapping):
        raise TypeError(f"{where}: got a {type(row).__name__}; expected text or named columns")
    texts = []
    for column in (title or "title", text):
        if isinstance(row.get(column), str):
            texts.append(row[column])
        elif column not in (title, text):
            texts.append("")  # the default title column is optional
        else:
            known = column in row
            wrong = f"holds {type(row[column]).__name__}, expected text" if known else "is missing"
            raise ValueError(
                f"{where}: column {column!r} {wrong}; choose from {', '.join(map(repr, row))} with "
                "text= and title="
            )
    return texts[0], texts[1]


def _describe_source(source: Any) -> str:
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    return f"a {type(source).__name__}"


def _check_index_folder(path: Path, check: bool) -> None:
    """Raise BadIndex unless the folder contains every file of an index, undamaged."""
    remedy = "build it again with SearchIndex.build(...).save(path)"
    try:
        manifest = json.loads((path / _MANIFEST_FILE).read_text(encoding="utf-8"))
        kind, files = manifest["format"], dict(manifest["files"])
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise BadIndex(f"{path} holds no index ({type(error).__name__}: {error}); {remedy}") from (
            None
        )
    if kind != _INDEX_FORMAT:
        raise BadIndex(f"{path} holds {kind!r}, expected {_INDEX_FORMAT!r}; {remedy}")
    for name, (size, checksum) in files.items():
        file = path / name
        if not file.is_file():
            raise BadIndex(f"{path} is a damaged index: {name} is missing; {remedy}")
        if file.stat().st_size != size or (check and _compute_checksum(file) != checksum):
            raise BadIndex(f"{path} is a damaged index: {name} has changed; {remedy}")


def _compute_checksum(file: Path) -> int:
    total = 0
    with file.open("rb") as content:
        while block := content.read(1 << 20):
            total = zlib.crc32(block, total)
    return total


def _import_bm25s() -> Any:
    try:
        import bm25s
    except ImportError as error:
        raise ImportError("a SearchIndex needs bm25s: pip install 'gem-ma[tools]'") from error
    return bm25s


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve a saved index until interrupted."""
    parser = argparse.ArgumentParser("python -m gem_ma.tools.search", description=main.__doc__)
    parser.add_argument("index", help="a folder written by SearchIndex.save")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    args = parser.parse_args(arguments)
    with RetrieverServer(SearchIndex.load(args.index), args.host, args.port) as server:
        server.serve_forever()


if __name__ == "__main__":
    main()
