"""A Python that has imported already what takes long: each program runs in a fork of it.

`warm.python()` begins a command in the place of `sys.executable`, where what a program does is the
point, and not how an interpreter begins. It takes `-W`, `-c CODE`, `-m MODULE` or a file. Of this
package `gem_ma` alone is imported before.
"""

import atexit
import contextlib
import functools
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile

IMPORTS = """
    asyncio concurrent.futures.thread difflib gymnasium.vector html http.client importlib.metadata
    logging multiprocessing.connection multiprocessing.spawn numpy.random pettingzoo PIL.Image
    rich.console rich.progress rich.table runpy statistics tomllib urllib.parse warnings gem_ma
"""


@functools.cache
def python():
    """Return the words that begin a command; the interpreter behind them ends with this one."""
    if sys.platform == "win32":
        return (sys.executable,)
    folder = tempfile.TemporaryDirectory()
    path = os.path.join(folder.name, "door")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "start_new_session": True}
    server = subprocess.Popen([sys.executable, __file__, path], cwd=folder.name, **pipes)
    assert server.stdout.readline() == b"ready\n"

    @atexit.register
    def end():
        server.communicate()
        folder.cleanup()

    return sys.executable, "-I", "-S", __file__, path


def ask(path, words):
    """Have a program run, with what is open here, and end as it does."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)
        told = json.dumps([words, os.getcwd(), dict(os.environ)]).encode()
        socket.send_fds(line, [len(told).to_bytes(8)], [0, 1, 2])
        line.sendall(told)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: line.sendall(bytes([number])))
        code = int(line.recv(8))
    if code < 0:
        if code != -signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def serve(path):
    """Return what a program asks for, again and again, each time in a process of its own."""
    for name in IMPORTS.split():
        __import__(name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # leaves no zombies
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(path)
        door.listen(64)
        print("ready", flush=True)
        while True:
            ready, _, _ = select.select([door, sys.stdin], [], [])
            if sys.stdin in ready:  # who began this has ended
                os._exit(0)
            line, _ = door.accept()
            if os.fork() == 0:
                return line
            line.close()


def answer(line):
    """Return, in a process like a new interpreter's, what it is to run; see to it in this one."""
    size, fds, *_ = socket.recv_fds(line, 8, 3)
    told = b""
    while len(told) < int.from_bytes(size):
        told += line.recv(1 << 16)
    ended, rings = socket.socketpair()
    rings.setblocking(False)
    signal.set_wakeup_fd(rings.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    program = os.fork()
    if program:
        for fd in fds:
            os.close(fd)
        wait(program, line, ended)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, fd in enumerate(fds):
        os.dup2(fd, number)
        os.close(fd)
    for one in (line, ended, rings):
        one.close()
    words, folder, environment = json.loads(told)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    return words


def wait(program, line, ended):
    """Pass signals on to a program, and say how it ended."""
    while True:
        ready, _, _ = select.select([line, ended], [], [])
        if line in ready:  # nothing more: a program ends with who asked for it
            os.kill(program, (line.recv(1) or bytes([signal.SIGKILL]))[0])
        if ended in ready:
            ended.recv(64)
        pid, status = os.waitpid(program, os.WNOHANG)
        if pid:
            with contextlib.suppress(BrokenPipeError):
                line.sendall(str(os.waitstatus_to_exitcode(status)).encode())
            os._exit(0)


def run(words):
    """Run what stands behind `python` on a command line."""
    import runpy
    import warnings

    while words[0] == "-W":
        sys.warnoptions.append(words[1])
        warnings._setoption(words[1])
        words = words[2:]
    what, *rest = words
    if what == "-c":
        sys.path[0], sys.argv = "", ["-c", *rest[1:]]
        exec(compile(rest[0], "<string>", "exec"), {"__name__": "__main__"})
    elif what == "-m":
        sys.path[0], sys.argv = os.getcwd(), rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0], sys.argv = os.path.dirname(os.path.abspath(what)), words
        runpy.run_path(what, run_name="__main__")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        ask(sys.argv[1], sys.argv[2:])
    run(answer(serve(sys.argv[1])))
