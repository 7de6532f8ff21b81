"""Run compared commands alternately, each in a new process, and keep the best numbers."""

import json
import os
import subprocess


def contest(commands, repeat, lower_is_better, **variables):
    """Run the commands alternately, `repeat` times, and return the best of every number printed."""
    best = {name: {} for name in commands}
    for _ in range(repeat):
        for name, command in commands.items():
            for key, value in run(command, **variables).items():
                better = min if key in lower_is_better else max
                best[name][key] = better(value, best[name].get(key, value))
    return best


def run(command, **variables):
    """Run a command and return the JSON object in its last line."""
    unwanted = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONHOME")
    environment = {key: value for key, value in os.environ.items() if key not in unwanted}
    child = subprocess.run(
        command, env={**environment, **variables}, capture_output=True, text=True, check=False
    )
    if child.returncode:
        script = " ".join(word for word in command if "\n" not in word)
        raise SystemExit(f"{script} ended with {child.returncode}:\n{child.stderr}")
    return json.loads(child.stdout.splitlines()[-1])
