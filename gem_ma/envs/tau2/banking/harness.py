"""The program that runs a pattern or a command of a model inside the sandbox.

It runs with the standard library only, and its source is sent to the sandbox as text. It reads a
job as JSON from standard input, and writes its answer, a line of JSON, to standard output.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys

FOLDER = "knowledge_base"  # of the documents; the sandbox has it at its root, too
TEXTS = "texts.json"
MAX_OUTPUT = 2**20  # bytes of an output that are kept
_PATH = "/usr/bin:/bin"
_CHANGED = 1_735_689_600  # 2025-01-01 00:00 UTC: when all documents were changed


def count_matches(pattern: str, texts: list[str]) -> dict[str, object]:
    """Return how often a pattern matches in each text; one that is no pattern matches itself."""
    try:
        try:
            compiled = re.compile(pattern, re.IGNORECASE)
        except re.error:
            compiled = re.compile(re.escape(pattern), re.IGNORECASE)
        return {"counts": [sum(1 for _ in compiled.finditer(text)) for text in texts]}
    except Exception as error:  # noqa: BLE001 - the tool's answer quotes it
        return {"error": str(error)}


def run_command(command: str) -> dict[str, object]:
    """Run a command of bash among the documents; return its exit code, stdout and stderr."""
    for name in os.listdir(FOLDER):
        os.chmod(f"{FOLDER}/{name}", 0o444)
        os.utime(f"{FOLDER}/{name}", (_CHANGED, _CHANGED))
    os.chmod(FOLDER, 0o555)
    os.utime(FOLDER, (_CHANGED, _CHANGED))
    outputs = []
    for name in ("stdout", "stderr"):  # files, whose size the sandbox limits
        outputs.append(os.open(name, os.O_RDWR | os.O_CREAT, 0o600))
        os.unlink(name)
    try:
        code = subprocess.run(
            [shutil.which("bash", path=_PATH) or "bash", "-c", command],
            check=False,
            cwd=f"/{FOLDER}",
            env={
                "PATH": _PATH,
                "LANG": "C.UTF-8",
                "TZ": "UTC",
                "USER": "kb_user",
                "PWD": f"/{FOLDER}",
                "HOME": f"/{FOLDER}",
                "TMPDIR": os.getcwd(),
            },
            stdin=subprocess.DEVNULL,
            stdout=outputs[0],
            stderr=outputs[1],
        ).returncode
    except (OSError, ValueError) as error:  # too long, or with characters that none may have
        return {"error": str(error)}
    out, err = (
        base64.b64encode(os.pread(output, MAX_OUTPUT + 1, 0)).decode() for output in outputs
    )
    return {"code": code if code >= 0 else 128 - code, "stdout": out, "stderr": err}


def main() -> None:
    """Do the job, and write the answer."""
    job = json.load(sys.stdin)
    if "pattern" in job:
        with open(TEXTS, encoding="utf-8") as file:
            answer = count_matches(job["pattern"], json.load(file))
    else:
        answer = run_command(job["command"])
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
