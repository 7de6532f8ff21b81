"""The socket on which a server waits for its clients."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator


@contextlib.contextmanager
def open_listener(host: str, port: int) -> Iterator[tuple[socket.socket, str]]:
    """Listen at an address; yield the socket, and "HOST:PORT" as a URL has it.

    Args:
        host: The address, of IPv4 or IPv6, or a name.
        port: The port; 0: any free one.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listener:
        url_host = f"[{host}]" if ":" in host else host
        yield listener, f"{url_host}:{listener.getsockname()[1]}"
