"""A client's session at an OpenEnv server: its messages, errors and values."""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import functools
import json
import os
import socket
from collections.abc import Callable, Collection
from typing import Any, TypeVar
from urllib.parse import urlsplit

import numpy as np

from gem_ma import scene
from gem_ma.envs.bridges.openenv_ids import VARIABLE, address
from gem_ma.game import clip_repr
from gem_ma.validation.endpoints import RedirectRefused, SentSecrets, refuse_redirect
from gem_ma.validation.json_types import JSONObject

T = TypeVar("T")

_LARGEST = 1 << 26  # bytes of an answer
_SAID = 1000  # characters of a server's error message
SCENE_TYPES = (type(None), *filter(dataclasses.is_dataclass, vars(scene).values()))
# Errors that reading an answer of an unexpected shape may raise.
MALFORMED_ERRORS = (
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    OverflowError,
    RecursionError,
)


class ServerError(RuntimeError):
    """An error that an OpenEnv server answered; `code` is OpenEnv's code for it."""

    def __init__(self, message: str, code: str = ""):
        super().__init__(message)
        self.code = code


class Lost(ConnectionError):
    """No OpenEnv server answers, or the connection to it was lost."""


class Link:
    """A session at a server, which ends when the Link is closed or garbage-collected."""

    def __init__(self, url: str, token: str | None, timeout: float):
        from websockets.exceptions import InvalidHandshake, InvalidStatus
        from websockets.sync.client import connect

        self.where = address(url) or url
        self.timeout = timeout
        self.total = 0.0  # sum of rewards, for servers that send them step by step
        self._process = os.getpid()
        self._secrets = SentSecrets.from_headers(make_headers(token))
        local = urlsplit(self.where).hostname in ("localhost", "127.0.0.1", "::1")
        try:
            self._socket = connect(
                self.where,
                create_connection=_make_connection_class(),
                additional_headers=make_headers(token),
                open_timeout=timeout,
                close_timeout=1,
                ping_interval=None,  # pings are only answered; `timeout` applies in any case
                max_size=_LARGEST,
                compression=None,
                **({"proxy": None} if local else {}),
            ).__enter__()  # entering it only returns the connection
        except InvalidStatus as error:
            if error.response.status_code in (401, 403):
                problem = "refused this token" if token else "needs a token"
                raise PermissionError(
                    f"{self.where} {problem}: pass token=... or set {VARIABLE} to the token of the "
                    "server"
                ) from None
            raise Lost(f"{self.where} is not an OpenEnv server: {error}; correct the URL") from None
        except RedirectRefused as error:
            raise Lost(f"{self.where} is not an OpenEnv server: {error}") from None
        except (OSError, InvalidHandshake) as error:
            raise Lost(
                f"no OpenEnv server answers at {self.where} ({error}); start one, with "
                "`gem-ma serve ID` for example, or correct the URL"
            ) from None

    def ask(self, kind: str, data: JSONObject | None = None) -> JSONObject:
        """Send a message and return the data of its answer."""
        from websockets.exceptions import ConnectionClosed

        from gem_ma.envs.bridges import openenv_frames as frames

        if os.getpid() != self._process:
            raise Lost(f"the connection to {self.where} belongs to another process")
        message = {"type": kind} if data is None else {"type": kind, "data": data}
        try:
            with contextlib.suppress(ConnectionClosed):  # an earlier message may say why
                self._socket.send(json.dumps(message, ensure_ascii=False))
            answer = frames.read(self._socket.recv(self.timeout))
            kind, payload = answer["type"], answer["data"]
            if kind == "error":
                frames.check(frames.Fault, payload)
        except TimeoutError:  # not Lost: a second attempt would not help
            raise TimeoutError(
                f"{self.where} sent no answer within {self.timeout:g} seconds; pass a larger "
                "timeout=... to wait longer"
            ) from None
        except (ConnectionClosed, OSError) as error:
            raise Lost(f"the connection to {self.where} was lost: {error}") from None
        except ValueError as error:
            raise self.odd(error) from None
        if kind == "error":
            problem = self._secrets.hide(payload.get("message", "an error"))[:_SAID]
            if payload.get("errors"):
                problem += f": {self._secrets.hide(_complaints(payload['errors']))[:_SAID]}"
            raise ServerError(f"{self.where} answers: {problem}", payload.get("code") or "")
        return payload

    def checked(self, shape: str, data: T, seats: Collection[str] | None = None) -> T:
        """Return a part of an answer if it has a shape of `openenv_frames`, else raise Lost."""
        from gem_ma.envs.bridges import openenv_frames as frames

        try:
            frames.check(getattr(frames, shape), data, seats)
        except ValueError as error:
            raise self.odd(error) from None
        return data

    def odd(self, error: Exception) -> Lost:
        """Return the error to raise for a malformed answer."""
        problem = self._secrets.hide(f"{type(error).__name__}: {error}")
        problem = clip_repr(problem, _SAID)
        return Lost(
            f"{self.where} sent an answer that is not valid OpenEnv: {problem}; correct the URL, "
            "or use the same version of gem_ma on both sides"
        )

    def close(self) -> None:
        """Close the connection without waiting, unless it belongs to another process."""
        if os.getpid() == self._process:
            with contextlib.suppress(OSError):  # the connection's own thread does the rest
                self._socket.socket.shutdown(socket.SHUT_RDWR)


@functools.cache
def _make_connection_class() -> type:
    """Return a WebSocket class that refuses redirects, which `connect` otherwise follows."""
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import ClientConnection

    class StayingConnection(ClientConnection):
        def handshake(self, *args: Any, **kwargs: Any) -> None:
            try:
                super().handshake(*args, **kwargs)
            except InvalidStatus as error:
                moved = error.response.headers.get("Location")
                refuse_redirect(error.response.status_code, moved, "the URL")
                raise

    return StayingConnection


def make_headers(token: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


def _complaints(errors: list[JSONObject]) -> str:
    """Return pydantic's errors about a message in one line."""
    places = [one.get("loc") for one in errors]
    paths = [".".join(map(str, one)) if isinstance(one, list) else str(one) for one in places]
    complaints = zip(paths, errors, strict=True)
    return "; ".join(f"{place}: {one.get('msg')}" for place, one in complaints)


def unpack(value: object) -> Any:
    """Decode a scene, an array or bytes from the JSON values of `encode_scene`."""
    if isinstance(value, list):
        return tuple([unpack(item) for item in value])
    if not isinstance(value, dict):
        return value
    if "base64" in value:
        return base64.b64decode(value["base64"])
    if "array" in value:
        flat = np.frombuffer(unpack(value["data"]), _number_type(value["array"]))
        return flat.reshape(value["shape"]).copy()
    kind = getattr(scene, value["scene"], None)
    if kind not in SCENE_TYPES[1:]:  # all but the type of None
        raise ServerError(
            f"the server sent the scene {value['scene']}, which this version of gem_ma does not "
            "have; use the version of the server"
        )
    fields = {name: unpack(item) for name, item in value.items() if name != "scene"}
    _make_validator(kind)(fields)  # otherwise wrong fields would only fail when it is drawn
    if kind is scene.Pixels and len(fields["data"]) != 3 * fields["height"] * fields["width"]:
        raise ValueError(
            f"got {len(fields['data'])} bytes for {fields['width']} x {fields['height']} pixels"
        )
    return kind(**fields)


@functools.cache
def _make_validator(kind: type) -> Callable[[object], object]:
    """Return a function that raises ValueError if values are not the fields of such a scene."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind).validate_python


def _number_type(name: object) -> np.dtype[np.generic]:
    kind = np.dtype(str(name))
    if kind.kind not in "biuf":
        raise ValueError(f"expected an array of numbers or bools, got {kind}")
    return kind
