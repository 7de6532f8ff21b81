"""Episodes played in another process, to compare them with episodes of this process."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence

from gem_ma.apis.aec import AECEnv
from gem_ma.testing.env_probe import ContractError, EnvProbe
from gem_ma.testing.fingerprints import fingerprint


def compute_digest(base: AECEnv, max_turns: int) -> str:
    """Return a digest of all that three episodes deliver, in hexadecimal digits."""
    probe = EnvProbe(base, range(1), max_turns)
    digest = hashlib.sha256()
    for seed in range(3):
        for step in probe.play_transcript(probe.make(), seed):
            digest.update(fingerprint(step))
    return digest.hexdigest()


def compute_digests_elsewhere(bases: Sequence[AECEnv], max_turns: int) -> list[str]:
    """Return the digests of environments from a new process with another PYTHONHASHSEED."""
    child = subprocess.run(
        [sys.executable, "-c", f"from {__name__} import write_digests; write_digests()"],
        input=pickle.dumps((bases, max_turns)),
        capture_output=True,
        check=False,
        env={
            **os.environ,
            "PYTHONHASHSEED": "42",
            "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),  # noqa: TID251
        },
    )
    if child.returncode:
        ids = ", ".join(base.core.id for base in bases)
        raise ContractError(f"{ids}: another process failed: {child.stderr.decode()}")
    return child.stdout.decode().split()


def write_digests() -> None:
    """Write the digests of the environments on standard input; the new process runs this."""
    bases, max_turns = pickle.loads(sys.stdin.buffer.read())
    for base in bases:
        sys.stdout.write(f"{compute_digest(base, max_turns)}\n")
