"""Episodes for external programs, which claim seats, wait for turns, play, and call models.

gate = gem_ma.gateway("game:ConnectFour-v0", "http://127.0.0.1:8000/v1", episodes=100)
with gate:
    print(gate.url)  # where programs POST claim
    episodes = gate.wait()
"""

from __future__ import annotations

import asyncio
import hmac
import inspect
import threading
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Self

from gem_ma.agents.programs.gateway import ModelGateway, make_http_error
from gem_ma.agents.programs.program import ProgramAgent
from gem_ma.agents.programs.program_seat import NotYourTurn, ProgramSeat
from gem_ma.apis.aec import AECEnv
from gem_ma.apis.factory import EnvSource, resolve_env
from gem_ma.chat.agent import AgentSource, SeatAgents
from gem_ma.engine.match import SeatError
from gem_ma.rollouts.episode import Episode
from gem_ma.rollouts.rollout import arollout, rollout
from gem_ma.serving.middleware import resolve_token
from gem_ma.validation.arguments import check_type
from gem_ma.validation.extras import LazyModule
from gem_ma.validation.json_types import JSONMapping, JSONObject

if TYPE_CHECKING:
    from aiohttp import web
else:
    web = LazyModule("aiohttp.web", "gateway", "a gateway")

MCP_PROTOCOL_VERSION = "2025-06-18"  # the version of the protocol for clients that name none
_MCP_TOOLS: tuple[tuple[str, str, JSONMapping, list[str]], ...] = (
    ("look", "Wait for your turn, and return what you see.", {}, []),
    (
        "play",
        "Make your move, wait for your next turn, and return what you see then.",
        {"reply": {"type": "string", "description": "the move, as the rules say"}},
        ["reply"],
    ),
)


class SeatGateway(ModelGateway):
    """A gateway at which external programs claim seats and play, by HTTP or as an MCP server."""

    def __init__(self, model: AgentSource | None, token: str | None = None, **settings: Any):
        super().__init__(model, **settings)
        self.token = token and f"Bearer {token}"
        self.free_seats: deque[ProgramSeat] = deque()
        self.pending_claims: deque[Future[ProgramSeat | None]] = deque()
        self.is_closed = False
        self.lock = threading.Lock()

    def offer(self, seat: ProgramSeat) -> None:
        """Offer a seat to programs."""
        with self.lock:
            while self.pending_claims:
                claim = self.pending_claims.popleft()
                if claim.set_running_or_notify_cancel():
                    claim.set_result(seat)
                    return
            self.free_seats.append(seat)

    def claim(self) -> Future[ProgramSeat | None]:
        """Return a future of a free seat, or of None when all episodes are over."""
        claim: Future[ProgramSeat | None] = Future()
        with self.lock:
            while self.free_seats:
                seat = self.free_seats.popleft()
                if seat.is_due:
                    claim.set_result(seat)
                    return claim
            if self.is_closed:
                claim.set_result(None)
            else:
                self.pending_claims.append(claim)
        return claim

    def close(self) -> None:
        """End all waiting claims with None."""
        with self.lock:
            self.is_closed = True
            waiting, self.pending_claims = self.pending_claims, deque()
        for claim in waiting:
            if claim.set_running_or_notify_cancel():
                claim.set_result(None)

    def add_routes(self, app: web.Application) -> None:
        app.router.add_post("/claim", self._serve_claim)
        app.router.add_post("/seat/{secret}/mcp", self._serve_mcp)

    async def _serve_claim(self, request: web.Request) -> web.Response:
        if "Origin" in request.headers:
            raise make_http_error(
                web.HTTPForbidden,
                "a web page cannot take a seat; claim it from a program, without an Origin header",
            )
        authorization = request.headers.get("Authorization", "").encode("utf-8", "surrogateescape")
        if self.token and not hmac.compare_digest(authorization, self.token.encode()):
            raise make_http_error(
                web.HTTPUnauthorized, "send the header Authorization: Bearer TOKEN"
            )
        seat = await asyncio.wrap_future(self.claim())
        if seat is None:
            raise make_http_error(web.HTTPGone, "all episodes are over")
        root_url = seat.root_address
        return web.json_response(
            {
                "seat": seat.name,
                "episode": seat.episode,
                "base_url": seat.address,
                "root_url": root_url,
                "turn": f"{root_url}/turn",
                "play": f"{root_url}/play",
                "mcp": f"{root_url}/mcp",
            }
        )

    async def _serve_mcp(self, request: web.Request) -> web.Response:
        seat = self.find_call_log(request).seat
        message = await self.parse_request(request)
        number, method = message.get("id"), message.get("method")
        if number is None:  # a notification
            return web.Response(status=202)
        params = message.get("params")
        response: JSONObject = {"jsonrpc": "2.0", "id": number}
        try:
            response["result"] = await answer_mcp_request(
                seat, method, params if isinstance(params, dict) else {}
            )
        except LookupError as error:
            response["error"] = {"code": -32601, "message": str(error)}
        return web.json_response(response)


async def answer_mcp_request(seat: ProgramSeat, method: Any, asked: JSONMapping) -> JSONObject:
    """Return the result of an MCP method, or raise LookupError if it is unknown."""
    if method == "initialize":
        from gem_ma.rollouts.version import __version__

        return {
            "protocolVersion": asked.get("protocolVersion", MCP_PROTOCOL_VERSION),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "gem_ma", "version": __version__},
        }
    if method == "ping":
        return {}
    if method == "tools/list":
        return {
            "tools": [
                {
                    "name": name,
                    "description": words,
                    "inputSchema": {
                        "type": "object",
                        "properties": properties,
                        "required": required,
                    },
                }
                for name, words, properties, required in _MCP_TOOLS
            ]
        }
    if method != "tools/call":
        raise LookupError(
            f"no method {str(method)[:60]!r}; expected initialize, ping, tools/list or tools/call"
        )
    arguments = asked.get("arguments")
    arguments = arguments if isinstance(arguments, dict) else {}
    try:
        if asked.get("name") == "look":
            turn = await seat.aturn()
        elif asked.get("name") == "play" and isinstance(arguments.get("reply"), str):
            turn = await seat.aplay(arguments["reply"])
        else:
            raise NotYourTurn('the tools are look {} and play {"reply": ...}')
    except NotYourTurn as error:
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    if turn is None:
        text = f"The episode is over. You earned {seat.final_return}."
    else:
        text = f"{turn.rules}\n\n{turn.text}" if turn.first else turn.text
    return {"content": [{"type": "text", "text": text}], "isError": False}


class ExternalAgent(ProgramAgent):
    """The agent of seats that programs claim at a SeatGateway."""

    def __init__(self, gateway: SeatGateway, seconds: float):
        super().__init__(None, seconds=seconds)
        self.gateway = gateway

    def on_seat_open(self, seat: ProgramSeat) -> None:
        self.gateway.offer(seat)  # type: ignore[attr-defined]


class GatewayRun:
    """Episodes that external programs play while the context is open; see `gateway`."""

    def __init__(self, server: SeatGateway, play: Callable[[], list[Episode]]):
        self.server = server
        self._play_episodes = play
        self._episodes_future: Future[list[Episode]] = Future()

    @property
    def url(self) -> str:
        """The URL of the gateway; programs claim a seat by a POST to URL/claim."""
        return self.server.own_url

    def claim(self, timeout: float | None = None) -> ProgramSeat | None:
        """Claim a free seat; return None when all episodes are over.

        Args:
            timeout: seconds to wait for a seat before TimeoutError; None: no limit.
        """
        return self.server.claim().result(timeout)

    def wait(self, timeout: float | None = None) -> list[Episode]:
        """Wait until all episodes are over, and return them.

        Args:
            timeout: seconds to wait before TimeoutError; None: no limit.
        """
        return self._episodes_future.result(timeout)

    def __enter__(self) -> Self:
        self.server.__enter__()
        threading.Thread(target=self._run_episodes, daemon=True).start()
        return self

    def _run_episodes(self) -> None:
        try:
            self._episodes_future.set_result(self._play_episodes())
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            self._episodes_future.set_exception(error)
        finally:
            self.server.close()

    def __exit__(self, *_: object) -> None:
        self.server.close()
        self.server.__exit__()


def gateway(
    env: EnvSource,
    model: AgentSource | None = None,
    *,
    seats: list[str] | None = None,
    agents: SeatAgents = "random",
    episodes: int = 1,
    seconds: float = 600.0,
    host: str = "127.0.0.1",
    port: int = 0,
    key: str = "OPENAI_API_KEY",
    token_ids: bool = False,
    timeout: float = 600.0,
    **settings: Any,
) -> GatewayRun:
    """Return episodes whose seats external programs claim, each with an address of its own.

    Args:
        env: as `rollout` takes it.
        model: the server for calls of models, as URL or MODEL@URL, or an agent that answers them;
            None: no calls.
        seats: the seats for programs; None: all.
        agents: the agents of the other seats, as `rollout` takes them.
        episodes: as `rollout` takes it.
        seconds: the time limit of a turn in seconds; the episode of a slower program fails.
        host: the address to listen on; by default only this machine. Any other address needs a
            token in GEM_MA_TOKEN, which programs send to claim a seat.
        port: the port to listen on; 0: any free one.
        key: as ModelGateway takes it.
        token_ids: as ModelGateway takes it.
        timeout: as ModelGateway takes it.
        **settings: other arguments of `rollout`, and arguments of `make`.
    """
    rollout_names = [name for name in inspect.signature(arollout).parameters if name in settings]
    rollout_arguments = {name: settings.pop(name) for name in rollout_names}
    env = resolve_env(gateway, env, settings)
    check_type(env, AECEnv, "env", "an id or an environment")
    possible_agents = list(env.core.possible_agents)
    check_type(() if seats is None else seats, (list, tuple), "seats")
    for seat in seats or ():
        if seat not in possible_agents:
            raise SeatError(f"no seat {seat!r}; the seats are {', '.join(possible_agents)}")
    server = SeatGateway(
        model,
        resolve_token(host),
        key=key,
        token_ids=token_ids,
        timeout=timeout,
        host=host,
        port=port,
    )
    outside = ExternalAgent(server, seconds)
    free_seats = seats or possible_agents
    seat_agents = agents if isinstance(agents, Mapping) else dict.fromkeys(possible_agents, agents)
    players = {
        seat: outside if seat in free_seats else seat_agents[seat] for seat in possible_agents
    }

    def play() -> list[Episode]:
        return rollout(env, players, episodes, **rollout_arguments)

    return GatewayRun(server, play)
