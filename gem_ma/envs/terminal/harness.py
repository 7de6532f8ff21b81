"""The program that runs one command inside the sandbox: it makes the files, and reads them back.

It runs with the standard library only, and its source is sent to the sandbox as text. It gets a job
as JSON on standard input, and writes its answer, a line of JSON, to standard output. The command
and all that it starts have ended before the files are read.
"""

import base64
import contextlib
import json
import os
import signal
import stat
import subprocess
import sys
import time
from typing import Any

CWD_FD = 9  # to which the shell writes its last folder
MAX_TASKS = 32  # processes and threads at once
OUTPUT_START, OUTPUT_END = 49152, 16384  # bytes of an output that are kept


def make_files(root: str, entries: list[Any], epoch: int) -> None:
    """Make the files of a root, whose folder was last changed at `epoch`."""
    os.mkdir(root)
    for path, kind, _, _, content in entries:
        place = f"{root}/{path}"
        data = base64.b64decode(content)
        if kind == "folder":
            os.mkdir(place)
        elif kind == "link":
            os.symlink(data, place)
        else:
            with open(place, "wb") as file:
                file.write(data)
    for path, kind, mode, changed, _ in reversed(entries):  # a folder after its contents
        place = f"{root}/{path}"
        os.utime(place, (changed, changed), follow_symlinks=False)
        if kind != "link":
            os.chmod(place, mode)
    os.utime(root, (epoch, epoch))


def limit_tasks() -> None:
    """Lower the limit of processes, unless processes of the same user elsewhere count as well."""
    import resource  # Linux alone has it, and this file is imported everywhere by tests

    limit = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    if MAX_TASKS < limit < 1000:
        resource.setrlimit(resource.RLIMIT_NPROC, (MAX_TASKS, MAX_TASKS))


def run_command(job: Any, top: str) -> tuple[str, int, bytes, str]:
    """Run the command; return why it was stopped, its exit code, its output and its last folder."""
    os.mkdir("bin")
    python = os.path.realpath(sys.executable)  # without the packages that are installed here
    os.symlink(python, "bin/python3")
    os.symlink(python, "bin/python")
    with open("profile", "w") as file:
        file.write(f"trap 'builtin pwd >&{CWD_FD}' EXIT; unset BASH_ENV\n")
    environment = {
        **job["environment"],
        "PATH": f"{top}/bin:/usr/bin:/bin",
        "TMPDIR": top,
        "BASH_ENV": f"{top}/profile",
        "PWD": job["folder"],
    }
    limit_tasks()
    flags = os.O_RDWR | os.O_CREAT
    output, folder = (os.open(name, flags, 0o600) for name in ("output", "folder"))
    os.unlink("output")
    os.unlink("folder")
    if folder != CWD_FD:
        os.dup2(folder, CWD_FD)
    os.utime(top, (job["epoch"], job["epoch"]))  # the times that `ls -la` shows are always the same
    command = ["/bin/bash", "--noprofile", "--norc", "-c", job["command"]]
    reason, code = "", -9
    try:
        code = subprocess.run(
            command,
            check=False,
            cwd=job["folder"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=(CWD_FD,),
            umask=0o022,
            timeout=job["seconds"],
        ).returncode
    except subprocess.TimeoutExpired:
        reason = "timeout"
    except OSError as error:
        os.write(output, f"bash: {error.strerror}\n".encode())
        code = 126
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)  # all but this process and the server
    size = os.fstat(output).st_size
    text = os.pread(output, OUTPUT_START, 0)
    if size > OUTPUT_START:
        rest = max(OUTPUT_START, size - OUTPUT_END)
        left_out = rest - OUTPUT_START
        middle = f"\n... {left_out} bytes left out ...\n" if left_out else ""
        text += middle.encode() + os.pread(output, OUTPUT_END, rest)
    where = os.pread(CWD_FD, 4096, 0).decode("utf-8", "replace").rstrip("\n")
    return reason, code if code >= 0 else 128 - code, text, where


class Scan:
    """The entries of a root after a command, within the limits."""

    def __init__(self, job: Any, root: str, old: list[Any], start: float):
        self.root, self.start, self.now = root, start, job["now"]
        self.old_times = {entry[0]: entry[3] for entry in old}
        self.max_entries, self.max_path = job["max_entries"], job["max_path"]
        self.bytes_left = job["max_bytes"]
        self.entries: list[Any] = []

    def read_root(self) -> None:
        """Read all entries; a root that was removed is empty."""
        if os.path.lexists(self.root):
            if os.path.islink(self.root) or not os.path.isdir(self.root):
                raise ValueError(f"the folder /{self.root} was replaced")
            os.chmod(self.root, 0o755)
            self.read_folder("")

    def read_folder(self, below: str) -> None:
        """Read all entries of a folder."""
        place = f"{self.root}/{below}" if below else self.root
        with os.scandir(place) as found:
            names = sorted(entry.name for entry in found)
        for name in names:
            path = f"{below}/{name}" if below else name
            self.read_entry(path, f"{place}/{name}")

    def read_entry(self, path: str, place: str) -> None:
        """Read a file, a link or a folder; others, such as sockets, are left out."""
        status = os.lstat(place)
        kind = find_kind(status.st_mode)
        if not kind:
            return
        if not is_text(path):
            raise ValueError("the name of a file is not UTF-8")
        if len(path) > self.max_path:
            raise ValueError(f"the path of a file has more than {self.max_path} characters")
        if len(self.entries) >= self.max_entries:
            raise ValueError(f"there are more than {self.max_entries} files")
        mode = 0o777 if kind == "link" else stat.S_IMODE(status.st_mode) & 0o777
        content = self.read_content(place, kind, mode, status.st_size)
        changed = int(status.st_mtime)
        # What was changed now has the time of the task, so that it is the same in every replay.
        if changed >= self.start - 2 and changed != self.old_times.get(path):
            changed = self.now
        data = base64.b64encode(content).decode()
        self.entries.append([path, kind, mode, min(max(changed, 0), 2**32), data])
        if kind == "folder":
            os.chmod(place, mode | 0o700)
            self.read_folder(path)

    def read_content(self, place: str, kind: str, mode: int, size: int) -> bytes:
        """Return the content of a file or the target of a link, if there is room for it."""
        content = b""
        if kind == "link":
            content = os.fsencode(os.readlink(place))
        elif kind == "file" and size <= self.bytes_left:
            os.chmod(place, mode | 0o400)
            with open(place, "rb") as file:
                content = file.read()
        self.bytes_left -= max(len(content), size if kind == "file" else 0)
        if self.bytes_left < 0:
            raise ValueError("the files together are too large")
        return content


def find_kind(mode: int) -> str:
    """Return "file", "folder" or "link", or "" for all others."""
    if stat.S_ISLNK(mode):
        return "link"
    if stat.S_ISDIR(mode):
        return "folder"
    return "file" if stat.S_ISREG(mode) else ""


def is_text(name: str) -> bool:
    """Return whether a name can be encoded."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def main() -> None:
    """Do the job, and write the answer."""
    job = json.load(sys.stdin)
    top, start = os.getcwd(), time.time()
    for root, entries in job["roots"].items():
        make_files(root, entries, job["epoch"])
    reason, code, text, folder = run_command(job, top)
    answer: dict[str, Any] = {"reason": reason, "code": code, "folder": folder}
    answer["output"] = base64.b64encode(text).decode()
    if not reason:
        try:
            answer["roots"] = {}
            for root, entries in job["roots"].items():
                scan = Scan(job, root, entries, start)
                scan.read_root()
                answer["roots"][root] = scan.entries
        except (ValueError, OSError) as error:
            answer = {**answer, "reason": "files", "why": getattr(error, "strerror", str(error))}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
