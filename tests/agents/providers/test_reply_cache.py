"""Answers in a folder: whole or missing, never damaged, and never more than fit."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from gem_ma.agents import load_agent
from gem_ma.agents.providers.base import find_providers, has_prices, set_cache
from gem_ma.agents.providers.reply_cache import CachedAnswer, ReplyCache, make_cache_key

KEYS = [make_cache_key({"number": n}) for n in range(40)]
ONE = CachedAnswer(b'{"a": "\xff\n"}', 0.25)


def test_an_answer_comes_back_as_it_was(tmp_path):
    cache = ReplyCache(tmp_path / "deep" / "cache")
    assert cache.load(KEYS[0]) is None
    cache.store(KEYS[0], ONE)
    assert cache.load(KEYS[0]) == ReplyCache(tmp_path / "deep" / "cache").load(KEYS[0]) == ONE
    assert cache.load(KEYS[1]) is None
    cache.store(KEYS[0], CachedAnswer(b"other", 1.0))
    assert cache.load(KEYS[0]) == CachedAnswer(b"other", 1.0)


def test_keys_depend_on_everything_and_on_no_order():
    assert make_cache_key({"a": 1, "b": [2.0]}) == make_cache_key({"b": [2.0], "a": 1})
    assert len({*KEYS, make_cache_key({"a": b"x"}), make_cache_key({"a": b"y"})}) == 42
    with pytest.raises(TypeError, match="a request with object cannot be cached"):
        make_cache_key({"body": object()})


def damage(path):
    """Yield ways in which a file can be wrong, each done to a whole file."""
    whole = path.read_bytes()
    for place in range(len(whole)):
        yield path.write_bytes(whole[:place])
        yield path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    for text in (b"null\n", b"[]\n", b"{}\n", b"\xff\n", b"[" * 400, whole + b"x", b"x" * 4000):
        yield path.write_bytes(text)
    path.unlink()
    yield path.symlink_to(path.with_name("other"))
    path.unlink()
    yield os.mkfifo(path)
    path.unlink()
    yield path.mkdir()


def test_a_damaged_file_counts_as_missing(tmp_path):
    cache = ReplyCache(tmp_path)
    cache.store(KEYS[0], ONE)
    path = tmp_path / KEYS[0][:2] / KEYS[0]
    path.with_name("other").write_bytes(path.read_bytes())
    seen = 0
    for _ in damage(path):
        found = cache.load(KEYS[0])
        # A changed digit of the latency is as good as another.
        assert found is None or (found.content == ONE.content and found != ONE), path.read_bytes()
        seen += 1
    assert seen > 200
    cache.store(KEYS[0], ONE)  # a folder is in the way: said once, and nothing is raised
    (other := tmp_path / KEYS[1][:2]).mkdir(exist_ok=True)
    (other / KEYS[1]).write_bytes(path.with_name("other").read_bytes())
    assert cache.load(KEYS[1]) is None  # the file of another request


def test_a_folder_that_cannot_be_written_costs_no_reply(tmp_path, caplog):
    cache = ReplyCache(tmp_path / "c")
    (tmp_path / "c").rmdir()
    (tmp_path / "c").write_text("a file")
    for key in KEYS[:3]:
        cache.store(key, ONE)
        assert cache.load(key) is None
    assert caplog.text.count("cannot be written") == 1
    with pytest.raises(FileExistsError):
        ReplyCache(tmp_path / "c")


def test_what_was_not_used_for_longest_goes_first(tmp_path):
    cache = ReplyCache(tmp_path, max_size=6000)
    for time, key in enumerate(KEYS):
        cache.store(key, CachedAnswer(b"x" * 150, 0.0))
        os.utime(tmp_path / key[:2] / key, (time, time))
        cache.load(KEYS[0])
    left = [key for key in KEYS if cache.load(key)]
    assert KEYS[0] in left
    assert left[1:] == KEYS[-len(left) + 1 :]
    assert 10 < len(left) < 25
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 6000
    cache.store(KEYS[1], CachedAnswer(b"x" * 3000, 0.0))  # too large for the folder
    assert cache.load(KEYS[1]) is None
    (tmp_path / "mine.txt").write_text("x" * 9000)  # not its own: neither counted nor removed
    again = ReplyCache(tmp_path, max_size=6000)
    again.store(KEYS[2], ONE)
    assert again.load(KEYS[2]) == ONE
    assert (tmp_path / "mine.txt").exists()


def test_threads_share_a_folder(tmp_path):
    caches = [ReplyCache(tmp_path) for _ in range(2)]

    def use(number):
        cache, key = caches[number % 2], KEYS[number % 5]
        cache.store(key, ONE)
        return cache.load(key)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(use, range(200)))
    assert set(found) <= {ONE, None}
    assert [caches[0].load(key) for key in KEYS[:5]] == [ONE] * 5


def test_providers_are_found_within_other_agents(tmp_path):
    url = "http://127.0.0.1:1/v1"
    agents = [load_agent(f"react:openai:m@{url}"), load_agent(f"anthropic:m@{url}")]
    assert [type(one).__name__ for agent in agents for one in find_providers(agent)] == [
        "OpenAIAgent",
        "AnthropicAgent",
    ]
    set_cache(str(tmp_path / "c"), agents)
    assert {one.cache for agent in agents for one in find_providers(agent)} == {str(tmp_path / "c")}
    assert not has_prices(agents)
    find_providers(agents)[0].prices = 1.0, 2.0
    assert has_prices(agents)
    with pytest.raises(ValueError, match="no agent is one; expected an agent such as openai:MODEL"):
        set_cache("c", [load_agent("random")])
