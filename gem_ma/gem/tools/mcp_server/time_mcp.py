"""The time server: dates, time zones and calendars as tools of an MCP server; `python -m` it."""

from __future__ import annotations

import argparse
import calendar
import contextlib
import functools
import math
import re
import zoneinfo
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Any, Literal, cast

from gem_ma.validation.extras import require_extra

if TYPE_CHECKING:
    from mcp.server import MCPServer

_TOKENS = {  # of Moment.js, which models know, and of strftime
    "YYYY": "%Y",
    "YY": "%y",
    "MM": "%m",
    "DD": "%d",
    "HH": "%H",
    "h": "%-I",
    "mm": "%M",
    "ss": "%S",
    "A": "%p",
}
_TOKEN = re.compile("YYYY|YY|MM|DD|HH|h|mm|ss|A|%")
_LONGEST_FORMAT = 100  # characters
_UNITS = (  # and how many make the next one
    ("seconds", 60),
    ("minutes", 60),
    ("hours", 24),
    ("days", 30),
    ("months", 12),
    ("years", math.inf),
)


class TimeRequestError(ValueError):
    """A call that cannot be answered; its message is sent to the caller."""


def _moment_to_strftime(fmt: str) -> str:
    if len(fmt) > _LONGEST_FORMAT:
        raise TimeRequestError(f"a format of {len(fmt)} characters; at most {_LONGEST_FORMAT}")
    return _TOKEN.sub(lambda found: _TOKENS.get(found[0], "%%"), fmt)


def _parse_clock_time(time: str) -> datetime:
    """Return a time such as "2025-03-01 12:30:00" or "2025-03-01 12:30:00.500", of no zone."""
    for form in ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S.%f"):
        with contextlib.suppress(ValueError):
            return datetime.strptime(time, form)
    raise TimeRequestError(f"{time[:60]!r}: expected a time such as 2025-03-01 12:30:00")


def _parse_dt(time: str) -> datetime:
    """Return the same as local time."""
    moment = _parse_clock_time(time)
    try:
        return moment.astimezone()
    except (OverflowError, ValueError):  # of the first and the last day of all
        raise TimeRequestError(f"{time[:60]!r}: there is no such local time") from None


def _parse_date(date: str) -> datetime:
    """Return the beginning of a day such as "2025-03-01", in local time."""
    try:
        return datetime.strptime(date, "%Y-%m-%d").astimezone()
    except (ValueError, OverflowError):
        raise TimeRequestError(f"{date[:60]!r}: expected a day such as 2025-03-01") from None


def _find_zone(name: str | None) -> tzinfo | None:
    """Return a time zone by its name; None: the local one."""
    if not name:
        return None
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise TimeRequestError(
            f"timezone {name[:60]!r}: expected a name such as Asia/Shanghai or UTC"
        ) from None


def current_time(format: str = "YYYY-MM-DD HH:mm:ss", timezone: str | None = None) -> str:
    """Return the current date and time.

    The format has the parts YYYY, YY, MM, DD, HH (24 hours), h (12 hours), mm, ss and A (AM or PM).
    The time zone is a name such as Asia/Shanghai; without one it is the local time.
    """
    return datetime.now(UTC).astimezone(_find_zone(timezone)).strftime(_moment_to_strftime(format))


def relative_time(time: str) -> str:
    """Return how far a local time such as "2025-03-23 12:30:00" is from now."""
    seconds = int((_parse_dt(time) - datetime.now(UTC)).total_seconds())
    count, unit = abs(seconds), ""
    for unit, size in _UNITS:  # noqa: B007 - the unit at which it ends
        if count < size:
            break
        count //= int(size)
    return f"in {count} {unit}" if seconds > 0 else f"{count} {unit} ago"


def days_in_month(date: str | None = None) -> str:
    """Return the number of days of the month of a day such as "2025-03-23"; default: today."""
    day = _parse_date(date) if date else datetime.now().astimezone()
    return str(calendar.monthrange(day.year, day.month)[1])


def get_timestamp(time: str) -> str:
    """Return the Unix timestamp in milliseconds of a local time "2025-03-23 12:30:00.000"."""
    moment = _parse_dt(time)
    return str(int(moment.timestamp()) * 1000 + moment.microsecond // 1000)


def convert_time(sourceTimezone: str, targetTimezone: str, time: str) -> str:  # noqa: N803 - GEM's
    """Return a time such as "2025-03-23 12:30:00" of one time zone in another one."""
    source, target = _find_zone(sourceTimezone), _find_zone(targetTimezone)
    moment = _parse_clock_time(time).replace(tzinfo=source)
    try:
        return moment.astimezone(target).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, ValueError):
        raise TimeRequestError(f"{time[:60]!r}: this time is in no year of the other zone") from (
            None
        )


def get_week_year(date: str | None = None) -> str:
    """Return the number of the week, from Monday, and the ISO week; default: of today."""
    day = _parse_date(date) if date else datetime.now().astimezone()
    return f"week: {int(day.strftime('%W'))}, isoWeek: {day.isocalendar().week}"


TOOLS = (current_time, relative_time, days_in_month, get_timestamp, convert_time, get_week_year)


class TimeTool:
    """One tool of the time server, called without a connection."""

    def __init__(self, server: MCPServer, name: str):
        self._server, self.name = server, name

    async def run(self, arguments: dict[str, Any]) -> Any:
        """Return the result of a call, with the `content` that a client gets."""
        return await self._server.call_tool(self.name, arguments)


class TimeServer:
    """The time server, made with the library `mcp`."""

    def __init__(self, log_level: str = "INFO"):
        with require_extra("tools", "the time server"):
            from mcp.server import MCPServer
            from mcp.server.mcpserver.exceptions import ToolError
        level = cast(Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"], log_level)
        self.server = MCPServer("mcp-time-server", log_level=level)
        for tool in TOOLS:
            self.server.add_tool(_raise_as(ToolError, tool))

    async def get_tool(self, name: str) -> TimeTool:
        """Return a tool by its name."""
        names = [tool.__name__ for tool in TOOLS]
        if name not in names:
            raise ValueError(f"no tool {name!r}; there are {', '.join(names)}")
        return TimeTool(self.server, name)

    def run(self, transport: str = "stdio", *, host: str, port: int, path: str) -> None:
        """Serve until interrupted: "stdio", or "streamable-http" at an address."""
        if transport == "stdio":
            self.server.run("stdio")
        else:
            self.server.run("streamable-http", host=host, port=port, streamable_http_path=path)


def _raise_as(kind: type[Exception], tool: Callable[..., str]) -> Callable[..., str]:
    """Return a tool whose TimeRequestError is an error of `mcp`, which tells the caller why."""

    @functools.wraps(tool)
    def call(*args: Any, **kwargs: Any) -> str:
        try:
            return tool(*args, **kwargs)
        except TimeRequestError as error:
            raise kind(str(error)) from None

    return call


def __getattr__(name: str) -> TimeServer:
    if name == "app":  # GEM's name of the server
        return _make_app()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@functools.cache
def _make_app() -> TimeServer:
    return TimeServer()


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve the time over streamable HTTP or stdio until interrupted."""
    parser = argparse.ArgumentParser(f"python -m {__spec__.name}", description=main.__doc__)
    parser.add_argument(
        "--transport", choices=["stdio", "http", "streamable-http"], default="streamable-http"
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8081)
    parser.add_argument("--path", default="/time-mcp")
    levels = ["DEBUG", "INFO", "WARNING", "ERROR"]
    parser.add_argument("--log-level", choices=levels, default="INFO")
    args = parser.parse_args(arguments)
    TimeServer(args.log_level).run(args.transport, host=args.host, port=args.port, path=args.path)


if __name__ == "__main__":
    main()
