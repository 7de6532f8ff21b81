"""Options about money: prices of tokens, a limit of costs, and a cache of answers."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gem_ma.chat.agent import AgentSource

if TYPE_CHECKING:
    from gem_ma.rollouts.episode import Episode


def add_cost_options(parser: argparse.ArgumentParser, whose: str) -> None:
    """Add --price, --max-cost and --cache; `whose` are the agents of a price without a model."""
    parser.add_argument(
        "--price",
        action="append",
        default=[],
        metavar="[MODEL=]IN,OUT",
        help=f"prices of a million tokens that {whose} read (IN) and write (OUT); MODEL= sets the "
        "prices of a model in any seat; may be repeated",
    )
    parser.add_argument(
        "--max-cost",
        type=_parse_cost,
        metavar="COST",
        help="stop when all replies, also those of earlier runs in --out, have cost this much; "
        "needs --price (default: no limit)",
    )
    parser.add_argument(
        "--cache",
        metavar="FOLDER",
        help="keep answers of providers, such as openai:MODEL, in a folder of at most 1 GiB, and "
        "take them from there when the same episode is played again (default: no cache)",
    )


def _parse_cost(text: str) -> float:
    try:
        cost = float(text)
    except ValueError:
        cost = math.nan
    if not 0 < cost < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number above 0, such as 2.5")
    return cost


def parse_prices(texts: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return prices by model; the price of "" applies to agents without a price of their own."""
    prices: dict[str, tuple[float, float]] = {}
    for text in texts:
        model, _, price = text.rpartition("=")
        try:
            input_price, output_price = map(float, price.split(","))
        except ValueError:
            raise ValueError(
                f"--price {text}: expected two numbers such as 0.5,1.5, or MODEL=0.5,1.5"
            ) from None
        if model in prices:
            raise ValueError(
                f"--price {text}: got two prices for {model or 'the agents'}, expected one"
            )
        prices[model] = input_price, output_price
    return prices


def load_priced_agents(
    args: argparse.Namespace, specs: Mapping[str, str]
) -> dict[str, AgentSource]:
    """Return the agents of seats with the prices, the limit and the cache of the options."""
    prices = parse_prices(args.price)
    if not prices and args.max_cost is None and args.cache is None:
        return dict(specs)
    from gem_ma.agents import load_agent
    from gem_ma.agents.providers.base import find_providers, has_prices, set_cache
    from gem_ma.agents.wrappers.cost_meter import CostMeter, find_model_name
    from gem_ma.validation.endpoints import redact_secrets

    loaded = {spec: load_agent(spec) for spec in dict.fromkeys(specs.values())}
    models = {spec: find_model_name(agent) for spec, agent in loaded.items()}
    for name in prices.keys() - {"", *loaded, *models.values()}:
        there = ", ".join(sorted({models[spec] or redact_secrets(spec) for spec in loaded}))
        raise ValueError(f"prices for {name!r}, but no agent has this name; the agents are {there}")
    if args.cache is not None:
        set_cache(args.cache, loaded.values())
    meter = CostMeter(args.max_cost)
    ready: dict[str, AgentSource] = dict(loaded)
    priced = False
    for spec, agent in loaded.items():
        model = models[spec]
        price = prices.get(spec) or (model and (prices.get(model) or prices.get(""))) or None
        if price or find_providers(agent):
            ready[spec] = meter.wrap(agent, price, redact_secrets(spec))
            priced = priced or bool(price) or has_prices(agent)
        else:
            ready[spec] = spec  # such as random, which may play in another process
    if args.max_cost is not None:
        if not priced:
            raise ValueError(f"max_cost={args.max_cost:g} needs the prices of a model: pass price=")
        if args.resume and args.out and Path(args.out).exists():
            from gem_ma.rollouts.records import load_episodes

            for episode in load_episodes(args.out):
                meter.add_steps(episode.steps)
    return {seat: ready[spec] for seat, spec in specs.items()}


def format_costs(episodes: Iterable[Episode]) -> str:
    """Return a line about what the replies of episodes cost, and those of the cache; or ""."""
    costs: dict[str, float] = {}
    cached = count = 0
    for step in (step for episode in episodes for step in episode.steps):
        count += 1
        cached += bool(getattr(step.reply, "cached", None))
        if (cost := getattr(step.reply, "cost", None)) is not None:
            costs[step.agent] = costs.get(step.agent, 0.0) + cost
    words = ""
    if costs:
        seats = ", ".join(f"{seat} {cost:.4f}" for seat, cost in costs.items())
        words = f"cost: {sum(costs.values()):.4f}{f' ({seats})' if len(costs) > 1 else ''}\n"
    return words + (f"{cached} of {count} replies came from the cache\n" if cached else "")
