"""An MCP server for the tests: over stdio, or over HTTP at the port that is given."""

import os
import sys
import zlib

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver import Image
from mcp.types import EmbeddedResource, ImageContent, TextResourceContents

server = MCPServer("tests", log_level="CRITICAL")


@server.tool()
def add(a: int, b: int = 1) -> int:
    """Add two integers."""
    return a + b


@server.tool()
def echo(text: str, times: int = 1) -> str:
    return text * times


@server.tool()
def point() -> dict[str, float]:
    return {"x": 1.5}


@server.tool()
def picture() -> Image:
    return Image(data=b"\x89PNG1234", format="png")


@server.tool()
def photo() -> list[Image | str]:
    data = zlib.compress(b"\0\xff\0\0\0\0\xff")  # a red and a blue pixel
    chunks = (b"IHDR", b"\0\0\0\2\0\0\0\1\x08\2\0\0\0"), (b"IDAT", data), (b"IEND", b"")
    file = b"\x89PNG\r\n\x1a\n"
    for name, part in chunks:
        checksum = zlib.crc32(name + part).to_bytes(4, "big")
        file += len(part).to_bytes(4, "big") + name + part + checksum
    return ["two pixels", Image(data=file, format="png")]


@server.tool()
def broken() -> list[ImageContent]:
    return [ImageContent(type="image", data="abcde", mime_type="image/png")]


@server.tool()
def document() -> list[EmbeddedResource | str]:
    held = TextResourceContents(uri="file:///note.txt", text="a note", mime_type="text/plain")
    return [EmbeddedResource(type="resource", resource=held), "and a word"]


@server.tool()
def fail() -> str:
    raise ValueError("kaput")


@server.tool()
async def nap(seconds: float) -> str:
    await anyio.sleep(seconds)
    return "slept"


@server.tool()
def pid() -> int:
    return os.getpid()


@server.tool()
def die() -> str:
    os._exit(3)


@server.tool()
def secret() -> str:
    return f"{os.environ.get('SECRET')} {os.environ.get('GIVEN')}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        server.run()
