"""What tau2-bench's own code did (`reference` beside the data), replayed with ours."""

from __future__ import annotations

import functools
import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gem_ma.envs.tau2 import scoring
from gem_ma.envs.tau2.domain import VARIABLE, Domain

FOLDER = Path(os.environ.get(VARIABLE, "/nowhere")) / "reference"
needed = pytest.mark.skipif(
    not FOLDER.is_dir(),
    reason=f"set {VARIABLE} to a folder of tau2-bench's data with reference/ beside data/",
)


@functools.cache
def load(kind: str, domain: str) -> Any:
    """Return the references of a domain; kind: "gold" or "fuzz"."""
    return json.loads((FOLDER / f"tau2_{kind}_{domain}.json").read_bytes())


def hashes(domain: Domain, changes: Any, both: bool) -> dict[str, Any]:
    """Return the hashes of both databases; both: the user has one (perhaps the assistant's)."""
    found: dict[str, Any] = {"assistant": domain.base.hash_of("assistant", changes), "user": None}
    if both:
        side = "assistant" if changes.get(("", "taken")) == "user" else "user"
        found["user"] = domain.base.hash_of(side if side in domain.sides else "assistant", changes)
    return found


def gold_faults(domain: Domain, one: Mapping[str, Any]) -> Iterator[str]:
    """Yield where our replay of a task's gold actions differs from the reference."""
    task = domain.tasks[one["id"]]
    both = "user" in domain.kits
    start = scoring.begin(domain, task)
    if hashes(domain, start, both) != one["db_hash_before"]:
        yield f"{task.id}: another database at the start"
    wanted = scoring.gold(domain, task)
    nothing = scoring.judge(domain, task, wanted, start, [], [])
    yield from _verdict(task.id, "nothing", nothing, one["nothing"])
    world, calls = domain.world(start), []
    for action in one["actions"]:
        seat, name, arguments = action["requestor"], action["name"], action["arguments"]
        output, failed = world.call(seat, name, arguments)
        calls.append((seat, name, arguments))
        yield from _answer(f"{task.id} {name}", output, failed, action)
    after = world.changes()
    if hashes(domain, after, both) != one["db_hash_after"]:
        yield f"{task.id}: another database at the end"
    before = [scoring.holds(domain.world(start), it) for it in task.assertions or ()]
    met = [scoring.holds(domain.world(after), it) for it in task.assertions or ()]
    if before != [it["met_before"] is True for it in one["env_assertions"]]:
        yield f"{task.id}: other assertions before"
    if met != [it["met_after"] for it in one["env_assertions"]]:
        yield f"{task.id}: other assertions after"
    verdict = scoring.judge(domain, task, wanted, after, calls, task.communicate)
    yield from _verdict(task.id, "gold", verdict, one["gold"])


def _verdict(
    id: str, what: str, got: Mapping[str, Any], expected: Mapping[str, Any]
) -> Iterator[str]:
    if "error" in expected:  # of an assertion, which ends the evaluation there, and is not met here
        expected = {"reward_without_judge": 0.0}
    for name in ("db_match", "env_assertions"):
        if name in expected and got.get(name) != expected[name]:
            yield f"{id}, {what}: {name} {got[name]}, not {expected[name]}"
    if got["reward"] != expected["reward_without_judge"]:
        yield f"{id}, {what}: reward {got['reward']}, not {expected['reward_without_judge']}"
    if math.prod(got["parts"].values()) != got["reward"]:
        yield f"{id}, {what}: reward {got['reward']} of the parts {got['parts']}"


def _answer(where: str, output: str, failed: bool, expected: Mapping[str, Any]) -> Iterator[str]:
    if failed != expected["error"]:
        yield f"{where}: error {failed}: {output!r:.200}, not {expected.get('output')!r:.200}"
    elif expected.get("output") is not None and output != expected["output"]:
        yield f"{where}: {output!r:.300}, not {expected['output']!r:.300}"
    elif "sha256" in expected and hashlib.sha256(output.encode()).hexdigest() != expected["sha256"]:
        yield f"{where}: another answer, {output!r:.300}"


def fuzz_faults(domain: Domain, asserts: Any, case: Mapping[str, Any]) -> Iterator[str]:
    """Yield where our answers to random calls differ from the reference."""
    # These were made in a world that knew of no gold actions.
    task = replace(domain.tasks[case["task"]], history=(), actions=())
    world = domain.world(scoring.begin(domain, task))
    for call in case["calls"]:
        where = f"case {case['id']} {call['name']} {call['arguments']!r:.150}"
        output, failed = world.call(call["requestor"], call["name"], call["arguments"])
        yield from _answer(where, output, failed, call)
    after = world.changes()
    if hashes(domain, after, "user" in domain.kits) != case["db_hash"]:
        yield f"case {case['id']}: another database at the end"
    world = domain.world(after)
    for (seat, name, arguments), expected in zip(asserts, case["assertions"], strict=True):
        try:
            met = world.act(seat, name, json.loads(arguments))
        except Exception as error:  # noqa: BLE001 - what it raises is compared
            met = f"raises {type(error).__name__}: {error}"
        if met != expected:
            yield f"case {case['id']} {name}: {met}, not {expected}"
