"""The ids of OpenEnv servers: "openenv:" and a URL."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from gem_ma.envs.registry import Spec, UnknownEnv

VARIABLE = "GEM_MA_TOKEN"  # the environment variable that holds a token, here and at the server
_SCHEMES = {"ws": "ws", "http": "ws", "wss": "wss", "https": "wss"}


def specs():
    """Return no Specs, since servers are not known in advance."""
    return ()


def find(id):
    """Return the Spec of "openenv:" and a server's URL, or raise UnknownEnv."""
    url = id.removeprefix("openenv:")
    if address(url) is None:
        from gem_ma.validation.endpoints import redact_secrets  # with ssl, slow to import

        place = url.rpartition("://")[2].lstrip("/") or "127.0.0.1:8000"
        raise UnknownEnv(
            redact_secrets(f"no environment {id!r}; did you mean 'openenv:ws://{place}'?")
        )
    return Spec(id, "gem_ma.envs.bridges.openenv:OpenEnv", {"url": url}, ("openenv",))


def address(url: str) -> str | None:
    """Return the WebSocket's URL for a server's ws, wss, http or https URL, or None."""
    parts = urlsplit(url)
    if parts.scheme not in _SCHEMES or not parts.hostname:
        return None
    if parts.username or parts.query or parts.fragment:
        raise ValueError(
            "the URL of an OpenEnv server must not have a user name, a query or a fragment, which "
            f"records would show; pass a token as token=... or in {VARIABLE}"
        )
    path = parts.path.rstrip("/").removesuffix("/ws") + "/ws"
    return urlunsplit((_SCHEMES[parts.scheme], parts.netloc, path, "", ""))
