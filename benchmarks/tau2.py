"""Measure tau2-bench: whole gold episodes, resets, live episodes, and success rates.

    python benchmarks/tau2.py [--episodes N] [--theirs PYTHON --clone FOLDER]

Domains with data need TAU2_BENCH_DATA. --theirs is a Python of 3.12 or later, in whose environment
tau2-bench was installed from a clone. Its own code then plays the same gold actions in the same
run: set_state, all calls, and its environment's evaluator.
"""

import argparse
import gc
import json
import os
import statistics
import subprocess
import time
import tracemalloc

import gem_ma
from gem_ma import rollout

DOMAINS = {"telecom": (56, 20), "retail": (3.7, 200), "airline": (1.4, 200), "banking": (8.7, 100)}
THEIRS = """
import json, sys, time
from tau2.registry import registry
from tau2.data_model.message import AssistantMessage, ToolCall, UserMessage
from tau2.evaluator.evaluator_env import EnvironmentEvaluator
name, count = sys.argv[1], int(sys.argv[2])
made = registry.get_env_constructor(name)
tasks = registry.get_tasks_loader(name)()
arguments = {"retrieval_variant": "no_knowledge"} if "banking" in name else {}
def play(task):
    env = made(**arguments)
    start = task.initial_state
    env.set_state(start and start.initialization_data, start and start.initialization_actions, [])
    messages = []
    for number, action in enumerate(task.evaluation_criteria.actions or ()):
        call = ToolCall(id=str(number), name=action.name, arguments=action.arguments,
                        requestor=action.requestor)
        kind = UserMessage if action.requestor == "user" else AssistantMessage
        messages += [kind(role=action.requestor, tool_calls=[call]), env.get_response(call)]
    return EnvironmentEvaluator.calculate_reward(made, task, messages, env_kwargs=arguments)
play(tasks[0])
begun = time.process_time()
for number in range(count):
    play(tasks[number % len(tasks)])
print(json.dumps(count / (time.process_time() - begun)))
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--episodes", type=int, default=1000, help="episodes of each measurement")
    parser.add_argument(
        "--theirs", metavar="PYTHON", help="Python of an environment with tau2-bench"
    )
    parser.add_argument("--clone", metavar="FOLDER", help="the clone from which it was installed")
    args = parser.parse_args()
    measure("phone", args)
    if not os.environ.get("TAU2_BENCH_DATA"):
        print(f"skipped {', '.join(DOMAINS)}: set TAU2_BENCH_DATA")
    else:
        for name in DOMAINS:
            measure(name, args)
        solved("tau2:telecom", 74, 0.95, split="train")
    solved("tau2:phone", 1000, 0.98)


def row(name, value, unit, target=None, met=None):
    verdict = "" if target is None else f"target {target:.4g}: {'yes' if met else 'NO'}"
    print(f"{name:52} {value:>12,.4g} {unit:18} {verdict}", flush=True)


def measure(name, args):
    env = gem_ma.make(f"tau2:{name}")
    tasks = len(env.game.ids or range(200))
    paid = sum(episode(env, number) for number in range(tasks))  # caches the starts
    row(f"{env.id}: gold episodes that pay, of {tasks}", paid, "")
    best = 0.0
    for _ in range(3):
        start = time.process_time()
        for number in range(args.episodes):
            episode(env, number % tasks)
        best = max(best, args.episodes / (time.process_time() - start))
    upstream, times = DOMAINS.get(name, (None, None))
    if upstream and args.theirs:
        upstream = theirs(name, args)
        row(f"{env.id}: tau2-bench's own code", upstream, "per CPU second")
    goal = upstream and upstream * times
    row(f"{env.id}: whole episodes", best, "per CPU second", goal, goal and best >= goal)
    reset(env)
    alive(env)


def episode(env, number):
    """Play one episode through the AEC API: each seat makes its gold actions, in order."""
    env.reset(seed=0, options={"task": number})
    task = env.game_state.task
    left = list(task.actions or ())
    while env.game_state.to_act():
        agent = env.agent_selection
        if left and left[0].seat == agent:
            one = left.pop(0)
            env.step(json.dumps({"name": one.name, "arguments": dict(one.arguments)}))
        elif left or agent == "assistant" or len(env.game_state.talk) < 2:
            env.step(" ".join(["Go on.", *(task.communicate if agent == "assistant" else ())]))
        else:
            env.step("###STOP###")
    return env.game_state.returns()["assistant"]


def theirs(name, args):
    name = "banking_knowledge" if name == "banking" else name
    data = {"TAU2_DATA_DIR": f"{args.clone}/data"}
    answer = subprocess.run(
        [args.theirs, "-c", THEIRS, name, str(min(args.episodes, 100))],
        env={**os.environ, **data},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(answer.stdout.splitlines()[-1])


def reset(env):
    times = []
    for number in range(2000):
        start = time.perf_counter()
        env.reset(seed=number)
        times.append(time.perf_counter() - start)
    median = statistics.median(times) * 1e6
    row(f"{env.id}: reset, the median", median, "us", 100, median < 100)


def alive(env):
    """Print the memory of an episode in progress, beyond that of one that has just begun."""
    others = [gem_ma.make(env.id) for _ in range(50)]
    for one in others:
        one.reset(seed=0)
    gc.collect()
    tracemalloc.start()
    for number, one in enumerate(others):
        one.reset(seed=number)
        one.step("Hello, something does not work.")
        one.step("What is it?")
    size = tracemalloc.get_traced_memory()[0] / len(others) / 1000
    tracemalloc.stop()
    row(f"{env.id}: a live episode", size, "kB", 50, size < 50)


def solved(env_id, count, target, **arguments):
    start = time.process_time()
    agents = {"user": "rule-user", "assistant": "informed-assistant"}
    options = [{"task": number} for number in range(count)]
    env = gem_ma.make(env_id, **arguments)
    episodes = rollout(env, agents, count, seed=0, options=options)
    share = sum(one.returns["assistant"] for one in episodes) / count
    seconds = time.process_time() - start
    name = f"{env_id} {arguments.get('split', '')}: rule-user, informed-assistant"
    row(name, share, f"of {count}", target, share >= target)
    row(f"{env_id}: such episodes", count / seconds, "per CPU second")


if __name__ == "__main__":
    main()
