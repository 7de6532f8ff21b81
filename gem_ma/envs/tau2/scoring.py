"""The reward by the rules of tau2-bench's evaluators, and its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from gem_ma.envs.tau.store import NOTHING, Changes, Key
from gem_ma.envs.tau2.domain import TRANSFER, Assertion, Domain, Task
from gem_ma.envs.tau2.kit import World
from gem_ma.validation.json_types import JSONMapping, JSONObject

KEPT = 512  # maximum number of cached worlds per domain
Called = tuple[str, str, JSONMapping]  # seat, name, arguments


def begin(domain: Domain, task: Task, solo: bool = False) -> Changes:
    """Return the world of a task at the start of an episode."""
    world = domain.world(NOTHING, solo)
    domain.prepare(world, task)
    domain.sync(world)
    for seat, other in (("assistant", "user"), ("user", "assistant")):
        seat_data = (task.data or {}).get(seat)
        if seat_data is not None:
            domain.give(world, seat, seat_data)
            # If both seats share one database, it is not taken away.
            if other in world.kits and other in domain.sides:
                world.take(other)
    for one in task.setup:
        world.act(one.seat, one.name, one.arguments)
        domain.sync(world)
    for line in task.history:
        if line.call is not None:
            world.call(line.seat, line.call.name, line.call.arguments)
    domain.sync(world)
    return world.changes()


def begun(domain: Domain, task: Task, solo: bool = False) -> Changes:
    """Return the result of `begin`, cached for all games of this process."""
    return _kept(domain, (task.id, "solo" if solo else "begun"), lambda: begin(domain, task, solo))


def wanted(domain: Domain, task: Task) -> Changes:
    """Return the result of `gold`, cached for all games of this process."""
    return _kept(domain, (task.id, "gold"), lambda: gold(domain, task))


def _kept(domain: Domain, key: tuple[str, str], make: Callable[[], Changes]) -> Changes:
    changes = domain.kept.get(key)
    if changes is None:
        if len(domain.kept) >= KEPT:
            domain.kept.clear()
        changes = domain.kept[key] = make()
    return changes


def gold(domain: Domain, task: Task) -> Changes:
    """Return the world after the gold actions; as in the original, without a sync in between."""
    world = domain.world(begin(domain, task))
    for one in task.actions or ():
        world.replay(one.seat, one.name, one.arguments)
    return world.changes()


def holds(world: World, one: Assertion) -> bool:
    """Return whether an assertion is met; an assertion that fails with an error is not met."""
    try:
        met = world.act(one.seat, one.name, one.arguments)
        world.domain.sync(world)
    except Exception:  # noqa: BLE001 - the original ends the evaluation there
        return False
    return met is one.value


def judge(
    domain: Domain,
    task: Task,
    target: Changes,
    changes: Changes,
    calls: Sequence[Called],
    said: Iterable[str],
    judged: Sequence[bool] | None = None,
) -> JSONObject:
    """Return the reward of a finished episode, and its parts.

    Args:
        target: the gold world.
        calls: tool calls of both seats.
        said: messages of the assistant.
        judged: a judge's answers to `task.judged`. None means that there is no judge.
    """
    if not task.criteria:
        return {"reward": 1.0, "parts": {}, "basis": []}
    world = domain.world(changes)
    unasked = task.actions is None and task.assertions is None
    match = unasked or domain.base.same(target, changes)
    asserted = [holds(world, one) for one in task.assertions or ()]
    acted = [
        any(action.matches(name, arguments) for _, name, arguments in calls)
        for action in task.actions or ()
    ]
    spoken = [text.lower().replace(",", "") for text in said] if task.communicate else []
    communicated = {one: any(one.lower() in text for text in spoken) for one in task.communicate}
    parts = {
        "DB": float(match),
        "ENV_ASSERTION": float(all(asserted)),
        "ACTION": float(all(acted)),
        "COMMUNICATE": float(all(communicated.values())),
        "TRANSFER": float(_is_transferred(calls) == task.transfer),  # of this package only
    }
    if judged is not None or not task.judged:
        parts["NL_ASSERTION"] = float(all(judged or ()))
    counted = {name: parts[name] for name in task.basis if name in parts}
    reward = 1.0
    for value in counted.values():
        reward *= value
    verdict: JSONObject = {
        "reward": reward,
        "parts": counted,
        "basis": list(task.basis),
        "db_match": match,
        "env_assertions": asserted,
        "actions": acted,
        "communicate": communicated,
    }
    if judged is not None:
        verdict["nl_assertions"] = list(judged)
    if "TRANSFER" in counted:
        verdict["infeasible"] = task.transfer
    missing = [name for name in task.basis if name not in parts]
    if missing:
        verdict["not_judged"] = missing
    return verdict


def _is_transferred(calls: Sequence[Called]) -> bool:
    return any((seat, name) == ("assistant", TRANSFER) for seat, name, _ in calls)


def diagnosis(
    domain: Domain,
    task: Task,
    target: Changes,
    changes: Changes,
    calls: Sequence[Called],
    ended: str,
) -> JSONObject:
    """Return the reasons for a missing reward: what differs, and which seats are responsible.

    - `records`: the records that differ from the gold world.
    - `actions`: the gold actions that nobody made, each with the nearest call if there is one.
    - `assertions`: the assertions that fail, each with the seat that has to meet it.
    - `seats`: the seats whose part is not done.
    """
    report: JSONObject = {"ended": ended, "records": [], "actions": [], "assertions": []}
    seats = set()
    counted = set(task.basis)
    for key in sorted({**target, **changes}, key=str):
        if key[0] in domain.base.tables and not domain.base.same(
            _only(target, key), _only(changes, key)
        ):
            desks = domain.base.desk(target), domain.base.desk(changes)
            gold_record, record = (desk.get(*key) for desk in desks)
            report["records"].append(
                {"table": key[0], "id": key[1], **_changed(gold_record, record)}
            )
    for action in task.actions or ():
        if any(action.matches(name, arguments) for _, name, arguments in calls):
            continue
        near = [arguments for seat, name, arguments in calls if name == action.name]
        one = {"seat": action.seat, "name": action.name, "arguments": dict(action.arguments)}
        report["actions"].append({**one, "instead": dict(near[-1])} if near else one)
        if counted & {"DB", "ACTION"}:
            seats.add(action.seat)
    world = domain.world(changes)
    for it in task.assertions or ():
        if not holds(world, it):
            failed = {"seat": it.seat, "name": it.name, "arguments": dict(it.arguments)}
            report["assertions"].append(failed)
    if report["assertions"] and "ENV_ASSERTION" in counted:
        seats |= {one["seat"] for one in report["actions"]}
    if "TRANSFER" in counted and _is_transferred(calls) != task.transfer:
        seats.add("assistant")
    report["seats"] = sorted(seats)
    return report


def _only(changes: Changes, key: Key) -> Changes:
    return type(changes)({key: changes[key]}) if key in changes else NOTHING


def _changed(gold_record: object, record: object) -> JSONObject:
    """Return the fields in which a record differs from the gold record, with both values."""
    if not isinstance(gold_record, dict) or not isinstance(record, dict):
        return {"gold": gold_record, "reached": record}
    names = [
        name
        for name in {**gold_record, **record}
        if gold_record.get(name) != record.get(name) or (name in gold_record) != (name in record)
    ]
    return {
        "gold": {name: gold_record.get(name) for name in names},
        "reached": {name: record.get(name) for name in names},
    }
