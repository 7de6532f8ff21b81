"""The time server by GEM's name, over the real library mcp 2.3 (2026-11)."""

import asyncio
import datetime
import socket
import subprocess
import sys
import time

import pytest

from gem_ma.gem.tools.mcp_server import time_mcp
from gem_ma.gem.tools.mcp_tool import MCPTool
from gem_ma.tools import MCPTool as NativeTool

MODULE = "gem_ma.gem.tools.mcp_server.time_mcp"


@pytest.mark.parametrize(
    ("form", "pattern"),
    [
        ("YYYY-MM-DD HH:mm:ss", "%Y-%m-%d %H:%M:%S"),
        ("MM/DD/YY", "%m/%d/%y"),
        ("h:mm:ss A", "%-I:%M:%S %p"),
        ("100%d", "100%%d"),
    ],
)
def test_formats_of_moment_are_those_of_strftime(form, pattern):
    assert time_mcp._moment_to_strftime(form) == pattern


def test_the_time_now_in_a_zone():
    now = datetime.datetime.now(datetime.UTC)
    told = time_mcp.current_time(timezone="UTC")
    seen = datetime.datetime.strptime(told, "%Y-%m-%d %H:%M:%S").replace(tzinfo=datetime.UTC)
    assert abs((seen - now).total_seconds()) < 60
    assert time_mcp.current_time("YYYY", "UTC") == told[:4]


def test_how_far_a_time_is_away():
    now = datetime.datetime.now()
    for seconds, words in (
        (30, "seconds"), (-30, "seconds ago"), (150, "in 2 minutes"), (-7250, "2 hours ago"),
        (3 * 86400 + 60, "in 3 days"), (-65 * 86400, "2 months ago"), (800 * 86400, "in 2 years"),
    ):  # fmt: skip
        moment = now + datetime.timedelta(seconds=seconds)
        assert words in time_mcp.relative_time(moment.strftime("%Y-%m-%d %H:%M:%S"))


def test_calendars_and_zones():
    assert time_mcp.days_in_month("2024-02-01") == "29"
    assert time_mcp.days_in_month("1900-02-01") == "28"
    assert time_mcp.get_week_year("2023-01-01") == "week: 0, isoWeek: 52"
    assert time_mcp.get_timestamp("2023-01-01 12:30:45.123").endswith("45123")
    noon = "2023-01-01 20:00:00"
    assert time_mcp.convert_time("UTC", "Asia/Shanghai", noon) == "2023-01-02 04:00:00"
    assert time_mcp.convert_time("Asia/Shanghai", "UTC", noon) == "2023-01-01 12:00:00"


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: time_mcp.current_time(timezone="../../etc/passwd"), "such as Asia/Shanghai"),
        (lambda: time_mcp.current_time(timezone="Nowhere"), "'Nowhere': expected a name"),
        (lambda: time_mcp.current_time("Y" * 101), "101 characters; at most 100"),
        (lambda: time_mcp.relative_time("soon"), "'soon': expected a time such as"),
        (lambda: time_mcp.days_in_month("2023-02-30"), "expected a day such as"),
        (lambda: time_mcp.convert_time("UTC", "Asia/Tokyo", "9999-12-31 23:00:00"), "no year"),
        (lambda: time_mcp.convert_time("Asia/Tokyo", "UTC", "0001-01-01 01:00:00"), "no year"),
    ],
)
def test_what_cannot_be_answered_is_said(call, problem):
    with pytest.raises(time_mcp.TimeRequestError, match=problem):
        call()


def test_gems_app_calls_its_tools():
    pytest.importorskip("mcp.server.mcpserver", reason="pip install 'gem-ma[tools]'")

    async def ask():
        tool = await time_mcp.app.get_tool("days_in_month")
        return (await tool.run({"date": "2023-04-01"})).content[0].text

    assert asyncio.run(ask()) == "30"
    with pytest.raises(ValueError, match="no tool 'nothing'; there are current_time"):
        asyncio.run(time_mcp.app.get_tool("nothing"))
    with pytest.raises(AttributeError, match="no attribute 'apps'"):
        _ = time_mcp.apps


@pytest.mark.slow
def test_a_command_starts_it_on_stdio():
    pytest.importorskip("mcp.server.mcpserver", reason="pip install 'gem-ma[tools]'")
    command = [sys.executable, "-m", MODULE, "--transport", "stdio"]
    tools = {tool.name: tool for tool in NativeTool.from_command(command, start_timeout=120)}
    assert tools.keys() == {tool.__name__ for tool in time_mcp.TOOLS}
    assert tools["days_in_month"].call({"date": "2023-04-01"}) == "30"
    with pytest.raises(Exception, match="'x': expected a day such as 2025-03-01"):
        tools["days_in_month"].call({"date": "x"})
    tools["days_in_month"].close()


@pytest.mark.slow
def test_gems_tool_reaches_it_over_http():
    pytest.importorskip("mcp.server.mcpserver", reason="pip install 'gem-ma[tools]'")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-m", MODULE, "--port", str(port)])
    try:
        end = time.monotonic() + 120
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert time.monotonic() < end
                assert server.poll() is None
                time.sleep(0.1)
        tool = MCPTool.from_url(f"http://127.0.0.1:{port}/time-mcp")
        call = (
            "<tool_call><tool_name>get_week_year</tool_name>"
            '<arguments>{"date": "2023-01-09"}</arguments></tool_call>'
        )
        assert tool.execute_action(call) == (True, False, "week: 2, isoWeek: 2", call)
        tool.close()
    finally:
        server.terminate()
        server.wait(10)
