"""`transformers serve` on the loopback, with a small model made here."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest


@contextlib.contextmanager
def serving(model, processor, folder):
    """Yield the URL of a server, and the model's name there."""
    command = shutil.which("transformers", path=str(Path(sys.executable).parent))
    if command is None:
        pytest.skip("pip install 'transformers[serving]'")
    model.save_pretrained(folder / "model")
    processor.save_pretrained(folder / "model")
    (folder / "cache").mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = (folder / "log").open("wb")
    server = subprocess.Popen(
        [command, "serve", str(folder / "model"), "--host", "127.0.0.1", "--port", str(port),
         "--device", "cpu"],
        stdout=log,
        stderr=log,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HUB_CACHE": str(folder / "cache")},
        start_new_session=True,
    )  # fmt: skip
    try:
        for _ in range(600):
            assert server.poll() is None, (folder / "log").read_text()
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).close()
                break
            except OSError:
                time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1", str(folder / "model")
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(30)
        log.close()
