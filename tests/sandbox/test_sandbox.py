"""Attempts to get out of the sandbox, at every level that this machine has, and what it is for."""

import contextlib
import ctypes
import fcntl
import gc
import marshal
import os
import pickle
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playable import unless

from gem_ma import sandbox
from gem_ma.sandbox import (
    LEVELS,
    Sandbox,
    SandboxCrash,
    SandboxError,
    SandboxTimeout,
    check_levels,
    installation,
    jail,
    protocol,
    results,
    server_process,
)
from gem_ma.sandbox.levels import PROMISES

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's /proc")

# Nobody else may enter pytest's own folders, whatever the sandbox does.
OPEN = Path("/var/tmp" if os.access("/var/tmp", os.W_OK) else "/tmp")

SYSCALL = """
import contextlib
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
numbers = @NUMBERS@
def call(name, *args):
    args = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    value = libc.syscall(numbers[name], *args)
    return value if value >= 0 else -ctypes.get_errno()
"""


@dataclass
class Attempt:
    """Code that says ESCAPED, or leaves a trace in the World, if it gets through."""

    promise: str
    code: str
    reason: str | None = None  # how it must end, if it matters
    run: dict = field(default_factory=dict)  # arguments of `run`
    box: dict = field(default_factory=dict)  # and of Sandbox


BRIEF = {"seconds": 0.2}  # for what would never end

# Every @WORD@ is replaced by something of the World.
ATTEMPTS = {
    # -- files
    "read_passwd": Attempt("files", "print('ESCAPED', open('/etc/passwd').read())"),
    "read_secret": Attempt("files", "print('ESCAPED', open('@SECRET@').read())"),
    "read_relative": Attempt("files", "print('ESCAPED', open('../' * 30 + '@SECRET@').read())"),
    "read_first_environment": Attempt("files", "print('ESCAPED', open('/proc/1/environ').read())"),
    "read_parents_environment": Attempt(
        "files", "print('ESCAPED', open('/proc/@PID@/environ').read())"
    ),
    "read_parents_command": Attempt(
        "files", "print('ESCAPED', open('/proc/@PID@/cmdline').read())"
    ),
    "read_parents_memory": Attempt(
        "files",
        """
for line in open('/proc/@PID@/maps'):
    start, end = (int(x, 16) for x in line.split()[0].split('-'))
    with open('/proc/@PID@/mem', 'rb') as memory:
        memory.seek(start)
        print('ESCAPED', memory.read(16))
""",
    ),
    "read_parents_files": Attempt(
        "files",
        """
import os
for fd in range(64):
    try:
        os.open(f'/proc/@PID@/fd/{fd}', os.O_RDONLY)
        print('ESCAPED', fd)
    except OSError:
        pass
""",
    ),
    "read_through_root_links": Attempt(
        "files",
        """
import os
for pid in ('self', 'thread-self', '1', '@PID@', os.getppid()):
    for link in ('root', 'cwd/../../../../..'):
        try:
            print('ESCAPED', open(f'/proc/{pid}/{link}/@SECRET@').read())
        except OSError:
            pass
""",
    ),
    "rewrite_own_executable": Attempt(
        "files",
        """
import sys
for path in ('/proc/self/exe', sys.executable, sys.modules['os'].__file__):
    try:
        open(path, 'r+b')
        print('ESCAPED', path)
    except OSError:
        pass
""",
    ),
    "write_outside": Attempt("files", "open('@OUTSIDE@/new', 'w'); print('ESCAPED')"),
    "append_outside": Attempt("files", "open('@SECRET@', 'a').write('x'); print('ESCAPED')"),
    "truncate_outside": Attempt("files", "import os; os.truncate('@SECRET@', 0); print('ESCAPED')"),
    "truncate_by_opening": Attempt(
        "files", "import os; os.open('@SECRET@', os.O_TRUNC); print('ESCAPED')"
    ),
    "remove_outside": Attempt("files", "import os; os.remove('@SECRET@'); print('ESCAPED')"),
    "rename_outside": Attempt(
        "files", "import os; os.rename('@SECRET@', 'mine'); print('ESCAPED')"
    ),
    "make_folder_outside": Attempt("files", "import os; os.mkdir('@OUTSIDE@/d'); print('ESCAPED')"),
    "symlink_out": Attempt(
        "files",
        "import os; os.symlink('@SECRET@', 'link'); print('ESCAPED', open('link').read())",
    ),
    "symlink_folder_out": Attempt(
        "files",
        "import os; os.symlink('@OUTSIDE@', 'link'); open('link/new', 'w'); print('ESCAPED')",
    ),
    "hardlink_out": Attempt(
        "files", "import os; os.link('@SECRET@', 'mine'); print('ESCAPED', open('mine').read())"
    ),
    "change_attributes": Attempt(
        "files",
        """
import os
for change in (
    lambda: os.chmod('@SECRET@', 0o777),
    lambda: os.utime('@SECRET@', (0, 0)),
    lambda: os.chown('@SECRET@', os.getuid(), os.getgid()),
    lambda: os.setxattr('@SECRET@', 'user.x', b'x'),
    lambda: os.chmod(os.__file__, 0o666),
):
    try:
        change()
        print('ESCAPED')
    except OSError:
        pass
""",
    ),
    "plant_a_package": Attempt(
        "files",
        """
import os, sys
for folder in {os.path.dirname(os.__file__), *sys.path}:
    if folder != os.getcwd():
        try:
            open(f'{folder}/planted.py', 'w')
            print('ESCAPED', folder)
        except OSError:
            pass
""",
    ),
    "anonymous_file_linked_out": Attempt(
        "files",
        """
import os
fd = os.open('.', os.O_TMPFILE | os.O_RDWR)
os.link(f'/proc/self/fd/{fd}', '@OUTSIDE@/new', follow_symlinks=True)
print('ESCAPED')
""",
    ),
    "folder_left_open": Attempt(
        "files",
        """
import os
for fd in range(256):
    try:
        os.open('@SECRET@'.lstrip('/'), os.O_RDONLY, dir_fd=fd)
        print('ESCAPED', fd)
    except OSError:
        pass
""",
    ),
    "devices": Attempt(
        "files",
        """
import glob, os, stat
for path in ['/dev/mem', '/dev/kmsg', '/dev/tty', '/dev/fuse', *glob.glob('/dev/[svn][dv]*')]:
    try:
        os.open(path, os.O_RDWR)
        print('ESCAPED', path)
    except OSError:
        pass
try:
    os.mknod('disk', 0o600 | stat.S_IFBLK, os.makedev(254, 0))
    print('ESCAPED', open('disk', 'rb').read(1))
except OSError:
    pass
""",
    ),
    "kernel_settings": Attempt(
        "files",
        """
for path in ('/proc/sysrq-trigger', '/proc/sys/kernel/core_pattern', '/sys/kernel/uevent_helper',
             '/sys/fs/cgroup/cgroup.procs', '/proc/self/oom_score_adj'):
    try:
        open(path, 'w')
        print('ESCAPED', path)
    except OSError:
        pass
""",
    ),
    "chroot_and_back": Attempt(
        "files",
        """
import os
os.mkdir('d')
os.chroot('d')
for _ in range(30):
    os.chdir('..')
os.chroot('.')
print('ESCAPED', open('@SECRET@').read())
""",
    ),
    "file_by_handle": Attempt(
        "kernel",
        SYSCALL
        + """
handle = ctypes.create_string_buffer(b'\\x08\\0\\0\\0\\1\\0\\0\\0\\2\\0\\0\\0\\0\\0\\0\\0', 64)
print('ESCAPED' if call('open_by_handle_at', -100, handle, 0) not in (-1, -38) else '')
""",
    ),
    "names_of_files": Attempt(
        "names", "import os; print('ESCAPED' if os.path.lexists('@SECRET@') else '')"
    ),
    "names_of_processes": Attempt(
        "names", "import os; print('ESCAPED' if os.path.exists('/proc/@PID@') else '')"
    ),
    # -- network
    "connect_tcp": Attempt(
        "network",
        """
import socket
for host in ('127.0.0.1', '::1', 'localhost'):
    try:
        socket.create_connection((host, @TCP@), timeout=0.2).send(b'x')
        print('ESCAPED')
    except OSError:
        pass
""",
    ),
    "fetch_url": Attempt(
        "network",
        "from urllib.request import urlopen\n"
        "urlopen('http://127.0.0.1:@TCP@', timeout=0.2); print('ESCAPED')",
    ),
    "send_udp": Attempt(
        "network",
        """
import socket
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', @UDP@))
print('ESCAPED')
""",
    ),
    "connect_unix": Attempt(
        "network",
        "import socket; socket.socket(socket.AF_UNIX).connect('@UNIX@'); print('ESCAPED')",
    ),
    "connect_abstract": Attempt(
        "network",
        "import socket; socket.socket(socket.AF_UNIX).connect('\\0@ABSTRACT@'); print('ESCAPED')",
    ),
    "other_sockets": Attempt(
        "network",
        """
import socket
for family, kind in ((16, 3), (17, 3), (38, 5), (40, 1), (2, 3), (31, 3)):
    try:
        socket.socket(family, kind)
        print('ESCAPED', family)
    except OSError:
        pass
""",
    ),
    # -- other processes
    "signal_parent": Attempt("processes", "import os; os.kill(@PID@, 0); print('ESCAPED')"),
    "signal_victim": Attempt("processes", "import os; os.kill(@VICTIM@, 9); print('ESCAPED')"),
    "signal_group": Attempt("processes", "import os; os.killpg(@GROUP@, 0); print('ESCAPED')"),
    "signal_all": Attempt("processes", "import os; os.kill(-1, 9)"),
    "signal_by_pidfd": Attempt(
        "processes",
        """
import os, signal
signal.pidfd_send_signal(os.pidfd_open(@VICTIM@), 9)
print('ESCAPED')
""",
    ),
    "signal_by_file": Attempt(
        "processes",
        """
import fcntl, os
r, w = os.pipe()
for step in (lambda: fcntl.fcntl(r, fcntl.F_SETOWN, @VICTIM@), lambda: fcntl.fcntl(r, 10, 9),
             lambda: fcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC), lambda: os.write(w, b'x')):
    try:
        step()
    except OSError:
        pass
""",
    ),
    "trace_victim": Attempt(
        "processes",
        SYSCALL + "print('ESCAPED' if call('ptrace', 16, @VICTIM@, 0, 0) >= 0 else '')",
    ),
    "memory_of_victim": Attempt(
        "processes",
        SYSCALL
        + """
into = ctypes.create_string_buffer(64)
here = (ctypes.c_long * 2)(ctypes.addressof(into), 64)
there = (ctypes.c_long * 2)(@ADDRESS@, 64)
if call('process_vm_readv', @PID@, here, 1, there, 1, 0) >= 0:
    print('ESCAPED', into.raw)
""",
    ),
    "limits_of_victim": Attempt(
        "processes",
        "import resource as r; r.prlimit(@VICTIM@, r.RLIMIT_NOFILE, (0, 0)); print('ESCAPED')",
    ),
    "priority_of_victim": Attempt(
        "processes",
        "import os; os.setpriority(os.PRIO_PROCESS, @VICTIM@, 19); print('ESCAPED')",
    ),
    "cores_of_victim": Attempt(
        "processes", "import os; os.sched_setaffinity(@VICTIM@, {0}); print('ESCAPED')"
    ),
    "kill_the_server": Attempt(
        "result", "import os; os.kill(os.getppid(), 9); os.kill(1, 9); print('ESCAPED')"
    ),
    "kill_the_next_child": Attempt(
        "result",
        """
import os
for pid in range(2, 400):
    try:
        if pid != os.getpid():
            os.kill(pid, 9)
            print('ESCAPED', pid)
    except OSError:
        pass
""",
    ),
    # -- the kernel
    "every_denied_call": Attempt(
        "kernel",
        SYSCALL
        + """
for name in @DENIED@:
    if numbers[name] and (value := call(name, 0, 0, 0, 0, 0, 0)) not in (-1, -38):
        print('ESCAPED', name, value)
""",
    ),
    "new_namespaces": Attempt(
        "kernel",
        SYSCALL
        + """
flags = [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]
for flag in [*flags, sum(flags)]:
    for value in (call('unshare', flag), call('clone', flag | 17, 0, 0, 0, 0)):
        if value == 0 or value > 1:
            print('ESCAPED', hex(flag))
print('ESCAPED' if call('clone3', ctypes.create_string_buffer(88), 88) != -38 else '')
""",
    ),
    "calls_of_the_future": Attempt(
        "kernel",
        SYSCALL
        + """
for number in range(463, 600):
    numbers['new'] = number
    if call('new', 0, 0, 0, 0, 0, 0) != -38:
        print('ESCAPED', number)
""",
    ),
    "memory_without_limit": Attempt("kernel", "import os; os.memfd_create('x'); print('ESCAPED')"),
    "other_architecture": Attempt(
        "kernel",
        SYSCALL
        + """
if @X86@:
    numbers['getpid'] = 0x40000000 + 39
    print('ESCAPED' if call('getpid') >= 0 else '')
""",
    ),
    "become_root": Attempt(
        "limits",
        """
import os
for step in (lambda: os.setuid(0), lambda: os.setresuid(0, 0, 0), lambda: os.setgid(0)):
    try:
        step()
        print('ESCAPED' if os.getuid() != @UID@ or @UID@ == 0 else '')
    except OSError:
        pass
print('ESCAPED' if 0 in (os.getuid(), os.geteuid()) else '')
""",
    ),
    # -- limits
    "sleep": Attempt("limits", "import time; time.sleep(60)", "timeout", BRIEF),
    "busy": Attempt("limits", "while True: pass", "timeout", BRIEF),
    "busy_in_c": Attempt("limits", "sum(range(10**15))", "timeout", BRIEF),
    "busy_in_a_regular_expression": Attempt(
        "limits", "import re; re.match('(a+)+$', 'a' * 60 + 'b')", "timeout", BRIEF
    ),
    "deaf": Attempt(
        "limits",
        """
import signal
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True: pass
""",
        "timeout",
        BRIEF,
    ),
    "cpu_time": Attempt(
        "limits", "while True: pass", "timeout", {"seconds": 20.0}, {"cpu_seconds": 1.0}
    ),
    "endless_exit": Attempt(
        "limits", "import atexit, time; atexit.register(time.sleep, 60)", "timeout", BRIEF
    ),
    "endless_thread": Attempt(
        "limits",
        "import threading, time; threading.Thread(target=time.sleep, args=(60,)).start()",
        "timeout",
        BRIEF,
    ),
    "many_threads": Attempt(
        "limits",
        """
import threading, time
threading.stack_size(65536)
try:
    for n in range(3000):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    print('ESCAPED')
except RuntimeError:
    pass
""",
    ),
    "memory_8_gb": Attempt("limits", "x = [0] * 10**9", "memory"),
    "memory_bit_by_bit": Attempt(
        "limits",
        "x = []\nwhile True: x.append(bytearray(2**20))",
        "memory",
        {"seconds": 5.0},
        {"memory": 2**26},
    ),
    "memory_mapped": Attempt("limits", "import mmap; mmap.mmap(-1, 2**33); print('ESCAPED')"),
    "zip_bomb": Attempt(
        "limits",
        """
import gzip
gzip.decompress(gzip.compress(bytes(2**22)) * 1000)
""",
        "memory",
        {"seconds": 5.0},
        {"memory": 2**26},
    ),
    "huge_number": Attempt("limits", "print(len(str(7 ** 10**8)))"),
    "recursion": Attempt("limits", "def f(): f()\nf()", ""),
    "recursion_into_the_stack": Attempt(
        "limits",
        "import sys; sys.setrecursionlimit(10**9)\n"
        "class A:\n  def __repr__(self): return repr(self)\nrepr(A())",
    ),
    "higher_limits": Attempt(
        "limits",
        """
import resource
for name in ('AS', 'CPU', 'FSIZE', 'NOFILE', 'NPROC', 'CORE'):
    number = getattr(resource, f'RLIMIT_{name}')
    try:
        resource.setrlimit(number, (resource.RLIM_INFINITY,) * 2)
        print('ESCAPED', name)
    except (OSError, ValueError):
        pass
""",
    ),
    "file_10_gb": Attempt(
        "limits",
        """
import os
fd = os.open('big', os.O_CREAT | os.O_RDWR)
for grow in (lambda: os.truncate(fd, 10**10), lambda: os.pwrite(fd, b'x', 10**10),
             lambda: os.posix_fallocate(fd, 0, 10**10)):
    try:
        grow()
        print('ESCAPED')
    except OSError:
        pass
""",
    ),
    "many_files_open": Attempt(
        "limits", "x = [open('/dev/null') for _ in range(1000)]; print('ESCAPED')"
    ),
    "many_small_files": Attempt(
        "disk", "for n in range(10**5): open(str(n), 'w')\nprint('ESCAPED')"
    ),
    "many_big_files": Attempt(
        "disk", "for n in range(100): open(str(n), 'wb').write(bytes(2**20))\nprint('ESCAPED')"
    ),
    "huge_print": Attempt("limits", "print('x' * 10**8)", "output", {"seconds": 5.0}),
    "endless_print": Attempt("limits", "while True: print('x')", "output"),
    "endless_errors": Attempt(
        "limits", "import sys\nwhile True: print('x', file=sys.stderr)", "output"
    ),
    "huge_value": Attempt("limits", "'x' * 10**7", "output", {"echo": True}),
    # -- results
    "exit_at_once": Attempt("limits", "import os; os._exit(7)", ""),
    "crash": Attempt("limits", "import ctypes; ctypes.string_at(0)", "killed"),
    "abort": Attempt("limits", "import os; os.abort()", "killed"),
    "close_all_files": Attempt(
        "limits", "import os; os.closerange(0, 1000); print('x'); os.write(1, b'x')"
    ),
    "garbage_into_all_files": Attempt(
        "result",
        """
import os
for fd in range(256):
    for garbage in (b'{"value": "forged"}\\n', b'\\x00' * 33, b'\\xff' * 400, b'[[[[{}]]]]\\n'):
        try:
            os.write(fd, garbage)
        except OSError:
            pass
os._exit(9)
""",
    ),
    "hide_what_happened": Attempt(
        "limits",
        "import sys, builtins; sys.stdout = sys.stderr = None; del builtins.print; 1/0",
    ),
    "no_text": Attempt(
        "limits", r"import sys; sys.stdout.buffer.write(b'\xff\xfe\x00\xed\xa0\x80')", ""
    ),
    "surrogates": Attempt("limits", r"print('\ud800\udfff\x00')", ""),
    "source_with_nul": Attempt("limits", "print(1)\0", ""),
    "source_with_surrogate": Attempt("limits", "print('\ud800')", ""),
    "change_the_server": Attempt(
        "limits",
        """
import builtins, json, os, sys
builtins.print = builtins.open = json.dumps = os.write = None
for name in list(sys.modules):
    sys.modules[name] = None
frame = sys._getframe()
while frame:
    frame.f_locals.clear()
    frame = frame.f_back
""",
    ),
    # -- what is left
    "signal_the_next_by_a_file": Attempt(
        "result",
        """
import fcntl, os
read, write = os.pipe()
for pid in {*range(2, 64), *range(os.getpid() + 1, os.getpid() + 8)}:
    try:
        fcntl.fcntl(read, fcntl.F_SETOWN, pid)
        print('ESCAPED')
        fcntl.fcntl(read, fcntl.F_SETFL, os.O_ASYNC)
        os.write(write, b'x')
        os.read(read, 1)
    except OSError:
        pass
""",
    ),
    "touch_outside": Attempt("files", "import os; os.utime('@SECRET@'); print('ESCAPED')"),
    "touch_a_device": Attempt(
        "files",
        """
import os
for name in ('/dev/null', '/dev/zero', '/dev/urandom'):
    try:
        with open(name, 'r+b', buffering=0) as file:
            os.utime(file.fileno())
            print('ESCAPED')
    except OSError:
        pass
os.utime('/dev/null')
print('ESCAPED')
""",
    ),
    "letter_from_a_pair": Attempt(
        "network",
        """
import array, os, socket
for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET, socket.SOCK_STREAM):
    for data in ([], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [1]))]):
        try:
            one, _ = socket.socketpair(socket.AF_UNIX, kind)
            one.sendmsg([b'x'], data, 0, '@LETTERS@')
        except OSError:
            pass
        try:
            one.connect('@LETTERS@')
            one.sendmsg([b'x'], data)
        except (OSError, NameError):
            pass
""",
    ),
    "leave_files": Attempt("rest", "open('left', 'w').write('x')"),
    "leave_deep_folders": Attempt(
        "rest", "import os\nfor _ in range(40): os.mkdir('d' * 200); os.chdir('d' * 200)"
    ),
    "leave_locked_folders": Attempt(
        "rest",
        """
import os
os.makedirs('a/b/c')
os.mkfifo('a/fifo')
os.symlink('/', 'a/link')
open(b'\\xff\\n', 'w')
for path in ('a/b/c', 'a/b', 'a', '.'):
    try:
        os.chmod(path, 0)
    except OSError:
        pass
""",
    ),
    "leave_shared_memory": Attempt(
        "kernel", SYSCALL + "print('ESCAPED' if call('shmget', 7, 4096, 0o1600) >= 0 else '')"
    ),
}

DAEMON = """
import contextlib, os, sys, time, signal
def daemon():
    for _ in range(2):
        if os.fork():
            os._exit(0)
        with contextlib.suppress(PermissionError):
            os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.stdout.flush()
    time.sleep(60)
"""
SEVERAL = {
    "daemon": Attempt("rest", DAEMON + "if not os.fork(): daemon()\ntime.sleep(0.05)", ""),
    "daemon_and_timeout": Attempt(
        "rest", DAEMON + "if not os.fork(): daemon()\ntime.sleep(60)", "timeout", BRIEF
    ),
    "daemon_of_a_dead_parent": Attempt("rest", DAEMON + "daemon()", ""),
    "subprocess": Attempt(
        "rest",
        """
import subprocess, sys
subprocess.Popen([sys.executable, '-Sc', 'import time; time.sleep(60)'], start_new_session=True)
""",
        "",
    ),
    "fork_bomb": Attempt(
        "rest",
        """
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
""",
        "timeout",
        BRIEF,
    ),
}

# Ways around a list of forbidden words, each of which gets by GEM's.
BYPASSES = {
    "several_imports": "import os, subprocess as s; s.run(['touch', '@OUTSIDE@/x'], check=True)",
    "two_spaces": "import  subprocess; subprocess.run(['touch', '@OUTSIDE@/x'], check=True)",
    "dunder_import": "__import__('subprocess').run(['touch', '@OUTSIDE@/x'], check=True)",
    "importlib": (
        "import importlib; importlib.import_module('sub' + 'process').run("
        "['touch', '@OUTSIDE@/x'], check=True)"
    ),
    "from_os": "from os import system; assert system('touch @OUTSIDE@/x') == 0",
    "alias": "import os as o; assert o.system('touch @OUTSIDE@/x') == 0",
    "getattr": "import os; assert getattr(os, 'sys' + 'tem')('touch @OUTSIDE@/x') == 0",
    "exec_base64": (
        "import base64; exec(base64.b64decode("
        "'aW1wb3J0IG9zOyBhc3NlcnQgb3MucG9wZW4oImNhdCAvZXRjL3Bhc3N3ZCIpLnJlYWQoKQ=='))"
    ),
    "alias_fork": "import os as o; open('@OUTSIDE@/x', 'w') if o.fork() else o._exit(0)",
    "posix": "import posix; assert posix.system('touch @OUTSIDE@/x') == 0",
}
for _name, _code in BYPASSES.items():
    ATTEMPTS[f"bypass_{_name}"] = Attempt("files", f"{_code}\nprint('ESCAPED')")


class World:
    """What is outside: a secret in a file, the environment and memory; sockets; a process."""

    def __init__(self, folder):
        self.token = secrets.token_hex(16)
        self.replaced = os.environ.get("GEM_MA_SECRET")
        os.environ["GEM_MA_SECRET"] = self.token
        self.memory = ctypes.create_string_buffer(self.token.encode())
        self.outside = folder / "outside"
        self.outside.mkdir(mode=0o777)
        for path in (folder, self.outside):
            path.chmod(0o777)  # the kernel's usual rights shall not be what keeps anybody out
        self.secret = self.outside / "secret"
        self.secret.write_text(self.token)
        self.secret.chmod(0o666)
        self.before = os.stat(self.secret)
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.unix, self.abstract = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        place = self.outside / "unix"
        self.unix.bind(str(place))
        place.chmod(0o777)
        name = f"gem-ma-{secrets.token_hex(8)}"
        self.abstract.bind(f"\0{name}")
        for listener in (self.unix, self.abstract):
            listener.listen()
        self.letters = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.letters.bind(str(self.outside / "letters"))
        (self.outside / "letters").chmod(0o777)
        self.sockets = self.tcp, self.udp, self.unix, self.abstract, self.letters
        for each in self.sockets:
            each.setblocking(False)
        sleep = [sys.executable, "-ISc", "import time; time.sleep(1000)"]
        self.victim = subprocess.Popen(sleep)
        column = jail._find_architecture()[1]
        self.words = {
            "SECRET": self.secret,
            "OUTSIDE": self.outside,
            "PID": os.getpid(),
            "GROUP": os.getpgrp(),
            "UID": os.getuid(),
            "VICTIM": self.victim.pid,
            "ADDRESS": ctypes.addressof(self.memory),
            "TCP": self.tcp.getsockname()[1],
            "UDP": self.udp.getsockname()[1],
            "UNIX": place,
            "LETTERS": self.outside / "letters",
            "ABSTRACT": name,
            "NUMBERS": {name: numbers[column] for name, numbers in jail._SYSCALL_NUMBERS.items()},
            "DENIED": jail._DENIED_SYSCALLS,
            "X86": column == 0,
        }

    def fill(self, code):
        """Return the code with the World's words in it."""
        for word, value in self.words.items():
            code = code.replace(f"@{word}@", str(value))
        return code

    def untouched(self):
        """Check that nobody has been here."""
        assert sorted(path.name for path in self.outside.iterdir()) == ["letters", "secret", "unix"]
        assert self.secret.read_text() == self.token
        now = os.stat(self.secret)
        for what in ("st_mode", "st_uid", "st_gid", "st_mtime", "st_nlink", "st_ino"):
            assert getattr(now, what) == getattr(self.before, what), what
        assert self.victim.poll() is None
        assert os.getpriority(os.PRIO_PROCESS, self.victim.pid) == os.getpriority(0, 0)
        for each in self.sockets:
            with pytest.raises(BlockingIOError):
                each.recv(1) if each in (self.udp, self.letters) else each.accept()

    def close(self):
        """Take the World down."""
        del os.environ["GEM_MA_SECRET"]
        if self.replaced is not None:
            os.environ["GEM_MA_SECRET"] = self.replaced
        self.victim.kill()
        self.victim.wait()
        for each in self.sockets:
            each.close()
        for path in [*self.outside.iterdir(), self.outside, self.outside.parent]:
            path.rmdir() if path.is_dir() else path.unlink()


@contextlib.contextmanager
def outside():
    """Give a World of one's own."""
    place = OPEN / f"gem-ma-world-{secrets.token_hex(6)}"
    place.mkdir()
    there = World(place)
    try:
        yield there
    finally:
        there.close()


@pytest.fixture(scope="module")
def world():
    """Return the outside, which must stay as it is."""
    with outside() as there:
        yield there


@pytest.fixture(autouse=True)
def tasks_of_the_user(request):
    """Let no test take all tasks of the user while another one, in any process, counts on some."""
    takes_all = any(word in request.node.name for word in ("many_threads", "fork_bomb"))
    with open(__file__, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX if takes_all else fcntl.LOCK_SH)
        yield


def make(level, **options):
    """Return a sandbox of this level, or skip for the reason why there is none."""
    if check_levels()[level]:
        pytest.skip(check_levels()[level])
    return Sandbox(level, **{"seconds": 0.5, "file_size": 2**20, **options})


def test_servers_know_nothing_of_our_environment(monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", "/somewhere")
    assert installation.make_environment() == {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "USER": "sandbox",
        "LD_BIND_NOW": "1",
        **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
        "LD_LIBRARY_PATH": "/somewhere",
    }


@pytest.mark.parametrize(
    "name",
    ["seconds", "cpu_seconds", "memory", "file_size", "processes", "output", "workers"],
)
def test_a_limit_is_more_than_0(name):
    with pytest.raises(ValueError, match=f"^{name}=0: expected more than 0"):
        Sandbox(**{name: 0})


STOPS = """
sleep 60 & child=$!
trap 'sleep 0.1; kill -0 $child && echo alive; exit' TERM
echo
wait
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="install bash")
def test_a_server_ends_before_what_it_leaves():
    command, pipe = ["bash", "-c", STOPS], subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, text=True, start_new_session=True) as server:
        assert server.stdout.readline() == "\n"
        server_process._end_session(server)
        assert server.stdout.read() == "alive\n"
        assert [*server_process.list_session_processes(server.pid)] in ([], [server.pid])


@pytest.fixture(scope="module")
def boxes():
    """Return one sandbox for each set of options."""
    made = {}

    def get(level, **options):
        key = level, *sorted(options.items())
        if key not in made:
            made[key] = make(level, **options)
        return made[key]

    yield get
    for box in made.values():
        box.close()


def descendants(pid):
    """Return the processes that a process has started, and theirs."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                fields = Path(f"/proc/{name}/stat").read_text().rsplit(")", 1)[1].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            parents.setdefault(int(fields[1]), []).append(int(name))
    found, queue = [], [pid]
    while queue:
        children = parents.get(queue.pop(), [])
        found += children
        queue += children
    return found


def kept(before):
    """Return processes that were there, and what those started since: others' next runs, say."""
    return {each for pid in before for each in (pid, *descendants(pid))}


def children(pid):
    """Return the processes that a process has started and that it has not reaped."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def leftovers(pid):
    """Return the folders that the servers of a process have in the folder for temporary files."""
    return [n for n in os.listdir(tempfile.gettempdir()) if n.startswith(f"gem-ma-{pid}-")]


def eventually(condition, seconds=5.0):
    """Wait for a condition, on a machine that may have more to do."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, condition
        time.sleep(0.01)


def alive_and_clean(box):
    """Check that the next run is quick and sees nothing of the last one."""
    spent = []
    for _ in range(8):
        start = time.monotonic()
        result = box.run("import os, json; print(sorted(os.listdir()), json.dumps(6 * 7))")
        spent.append(time.monotonic() - start)
        assert (result.stdout, result.stderr, result.reason) == ("[] 42\n", "", "")
        if spent[-1] < 0.1:
            break
    assert min(spent) < 0.1
    # The serving and the cleaning process, the child that waits, and the one that is being forked.
    for server in box._servers:
        eventually(lambda server=server: len(descendants(server._process.pid)) <= 4)


def cases():
    """Yield every attempt at every level that is to withstand it; by default at one, in turn."""
    for number, (name, attempt) in enumerate(ATTEMPTS.items()):
        levels = [level for level in LEVELS if level in PROMISES[attempt.promise][1]]
        for place, level in enumerate(levels):
            marks = () if place == number % len(levels) else pytest.mark.slow
            yield pytest.param(level, name, id=f"{level}-{name}", marks=marks)


@pytest.mark.parametrize(("level", "name"), list(cases()))
def test_attempt_is_contained(level, name, boxes, world):
    contained(boxes(level, **ATTEMPTS[name].box), name, world)


def contained(box, name, world):
    """Check that an attempt comes to nothing."""
    attempt = ATTEMPTS[name]
    start = time.monotonic()
    result = box.run(world.fill(attempt.code), **attempt.run)
    assert time.monotonic() - start < max(5, 0.75 * attempt.run.get("seconds", 0))
    for text in (result.stdout, result.stderr, result.value):
        assert world.token not in text
        assert "ESCAPED" not in text.replace("print('ESCAPED'", "")
        assert len(text) <= box.output
    if attempt.reason is not None:
        assert result.reason == attempt.reason
    world.untouched()
    alive_and_clean(box)


# What keeps an attempt in: file, text, what stands there instead, levels, and the attempts.
PASS = "pass"
GUARDS = {
    "who gets a signal for a file": (
        "jail",
        'filter.deny_if("fcntl", 1, [8, 10, 15])',
        PASS,
        LEVELS[: 2 if os.geteuid() == 0 else 1],  # or it ends what other tests have started
        ["signal_the_next_by_a_file"],
    ),
    "signals": (
        "jail",
        'filter.allow_if("kill", 0, [0, OWN_PID])',
        PASS,
        ["namespaces"],
        ["kill_the_next_child"],
    ),
    "pairs of datagrams": (
        "jail",
        'filter.deny_bits("socketpair", 1, _DATAGRAM)',
        PASS,
        ["landlock"],
        ["letter_from_a_pair"],
    ),
    "times": ("jail", "filter.deny(*_TIMES_SYSCALLS)", PASS, ["landlock"], ["touch_outside"]),
    "times of devices": (
        "jail",
        "_make_read_only(base + path, device=True)",
        PASS,
        ["namespaces"],
        ["touch_a_device"],
    ),
    "the rules of Landlock": (
        "jail",
        '_call_kernel("landlock_restrict_self", ruleset, 0)',
        PASS,
        ["landlock"],
        ["read_secret", "write_outside", "append_outside"],
    ),
    "a root of its own": (
        "server",
        'jail.enter_private_root(config["visible"], ',
        f'jail.enter_private_root([*config["visible"], "{OPEN}"], ',
        ["namespaces"],
        ["read_secret"],
    ),
    "sockets": (
        "jail",
        'filter.deny("socket", "bind", "connect")',
        PASS,
        ["landlock"],
        ["connect_unix"],
    ),
    "calls": (
        "jail",
        "filter.deny(*_DENIED_SYSCALLS)",
        PASS,
        ["namespaces"],
        ["leave_shared_memory"],
    ),
    "memory": (
        "job_runner",
        '_set_limit(resource.RLIMIT_AS, server.address_space + limits["memory"])',
        PASS,
        LEVELS,
        ["memory_mapped"],
    ),
    "size of files": (
        "job_runner",
        '_set_limit(resource.RLIMIT_FSIZE, limits["file_size"])',
        PASS,
        ["landlock", "limits"],
        ["file_10_gb"],
    ),
    "cleaning": ("server", "empty_folders(self.scratch)", PASS, ["namespaces"], ["leave_files"]),
    "folders of their own": (
        "server",
        "folder = self.folders.make_folder()",
        'folder = "same"; os.makedirs(self.folders.path + "/same", exist_ok=True)',
        ["limits"],
        ["leave_deep_folders"],
    ),
}


# Without these a run meets the cleaning of the last one, or the child that waits for the next.
RACES = ("folders of their own", "signals", "who gets a signal for a file")


@pytest.mark.parametrize("guard", GUARDS)
def test_an_attempt_gets_through_without_its_guard(guard, monkeypatch):
    file, text, instead, levels, names = GUARDS[guard]
    copy = Path(tempfile.mkdtemp(dir=OPEN))
    shutil.copytree(Path(sandbox.__file__).parent, copy / "sandbox")
    copy.chmod(0o755)
    source = copy / "sandbox" / f"{file}.py"
    written = source.read_text()
    assert written.count(text) == 1
    source.write_text(written.replace(text, instead))
    monkeypatch.setattr(server_process, "__file__", str(copy / "sandbox" / "server_process.py"))
    try:
        for level in levels:
            if check_levels()[level]:
                continue
            for name in names:
                tries = 10 if guard in RACES else 1
                assert any(gets_through(level, name) for _ in range(tries))
    finally:
        shutil.rmtree(copy)


def gets_through(level, name):
    with outside() as there, make(level) as box:
        try:
            contained(box, name, there)
        except (AssertionError, pytest.fail.Exception):
            return True
    return False


@pytest.mark.parametrize("level", LEVELS)
def test_a_waiting_child_that_is_killed_costs_nothing(level):
    with make(level, seconds=5) as box:
        assert box.run("print(1)").stdout == "1\n"
        (server,) = box._servers
        for _ in range(3):
            time.sleep(0.05)
            waiting = []
            while not waiting:  # for a moment between two runs nobody does
                waiting = [p for each in children(server._process.pid) for p in children(each)]
            for pid in waiting:
                os.kill(pid, signal.SIGKILL)
                eventually(lambda pid=pid: ") Z " in Path(f"/proc/{pid}/stat").read_text())
            results = [box.run(f"print({n})") for n in range(3)]
            assert [r.stdout for r in results] == ["0\n", "1\n", "2\n"], results


@pytest.mark.parametrize("level", LEVELS)
def test_a_result_of_another_job_is_never_delivered(level):
    with make(level, seconds=5) as box:
        box.run("")
        (server,) = box._servers
        job = marshal.dumps({"code": "print('forged')", "echo": False, "stdin": b"", "files": {}})
        head = protocol.JOB_HEADER.pack(protocol.RUN, 5.0, 5.0, len(job))
        server._socket.sendall(head + job + bytes(protocol.JOB_ID_SIZE))
        time.sleep(0.2)
        result = box.run("print('mine')")
        assert (result.stdout, result.reason) == ("", "killed")
        assert server._process.poll() is not None
        assert box.run("print('mine')").stdout == "mine\n"


@pytest.mark.parametrize("level", LEVELS[1:])
def test_what_a_run_leaves_is_not_the_next_ones_time(level):
    with make(level, seconds=5) as box:
        assert box.run("print(1)").ok
        (server,) = box._servers
        childless = []

        def who_cleans():
            """Find who has no child: who serves has one, but for a moment between two runs."""
            found = [pid for pid in children(server._process.pid) if not children(pid)]
            childless[:] = found
            return len(found) == 1

        eventually(who_cleans)
        cleaning = childless[0]
        os.kill(cleaning, signal.SIGSTOP)  # it shall have much to do
        box.run("import os\nfor n in range(300): os.makedirs(f'{n}/a')", seconds=0.5)
        for _ in range(3):
            result = box.run("import os; print(os.listdir())")
            assert (result.stdout, result.reason) == ("[]\n", "")
        os.kill(cleaning, signal.SIGCONT)
        eventually(lambda: len(os.listdir(f"{server._place}/runs")) <= 2, 20)
    assert not os.path.exists(server._place)


@pytest.mark.parametrize("level", LEVELS[1:])
def test_links_in_place_of_a_folder_lead_nowhere(level):
    code = """
import os
open('kept', 'w')
here = os.getcwd()
for path in (here, os.path.dirname(here), os.path.dirname(os.path.dirname(here))):
    try:
        os.rename(path, path + '-moved')
        os.symlink('@OUTSIDE@', path)
    except OSError:
        pass
"""
    with outside() as there:
        with make(level) as box:
            for _ in range(2):
                box.run(there.fill(code))
            there.untouched()
        there.untouched()


def test_times_of_a_folder_are_its_runs_own(boxes):
    for level in LEVELS:
        if not check_levels()[level]:
            box = boxes(level)
            box.run("import os; os.utime('.', (5, 5))")
            seen = box.run("import os; s = os.stat('.'); print(5 in (s.st_mtime, s.st_atime))")
            assert seen.stdout == "False\n", seen


KILLS = """
import os, signal
mine = open('/proc/self/stat').read().rpartition(')')[2].split()[3]
for name in os.listdir('/proc'):
    if name.isdigit() and int(name) != os.getpid():
        try:
            fields = open(f'/proc/{name}/stat').read().rpartition(')')[2].split()
            if fields[3] == mine:
                os.kill(int(name), signal.SIGKILL)
        except OSError:
            pass
"""


@pytest.mark.parametrize("processes", [1, 8])
def test_nothing_is_left_when_a_run_kills_its_server(processes):
    daemon = DAEMON + "if not os.fork(): daemon()\ntime.sleep(0.05)"
    used = set()
    with make("limits", processes=processes) as box:
        for code in (daemon + KILLS, f"{KILLS}\n{DAEMON}\ndaemon()", KILLS, daemon):
            used |= box._servers
            box.run(code)
            used |= box._servers
        assert box.run("print(1)").stdout == "1\n"
        box.run(daemon + KILLS)
    assert not [
        pid for server in used for pid in server_process.list_session_processes(server._process.pid)
    ]
    assert not [server._place for server in used if os.path.exists(server._place)]


@pytest.mark.parametrize("umask", [unless(False, 0o077), 0o777])
def test_the_callers_umask_changes_nothing(umask):
    code = (
        f"import os; os.umask({umask})\n"
        "from gem_ma.sandbox import check_levels\nprint(dict(check_levels()))"
    )
    assert _python(code) == f"{dict(check_levels())}\n"


@pytest.mark.parametrize("name", SEVERAL)
@pytest.mark.parametrize("level", ["namespaces", "limits"])
def test_processes_of_a_run_end_with_it(level, name, boxes):
    box = boxes(level, processes=8)
    result = box.run(SEVERAL[name].code, **SEVERAL[name].run)
    assert result.reason == SEVERAL[name].reason, result
    alive_and_clean(box)


def test_a_fork_bomb_elsewhere_ends_no_server():
    with make("limits") as box, make("limits", processes=8) as other:
        assert box.run("print(1)").ok
        assert other.run("print(1)").ok
        bomb = threading.Thread(
            target=other.run, args=[SEVERAL["fork_bomb"].code], kwargs={"seconds": 0.5}
        )
        bomb.start()
        results = []
        while bomb.is_alive():
            results.append(box.run("print(1)"))
        assert len(results) > 1
        assert {(result.stdout, result.stderr) for result in results} <= {("1\n", ""), ("", "")}


def test_there_are_enough_attempts():
    assert len(ATTEMPTS) + len(SEVERAL) >= 40
    assert {attempt.promise for attempt in ATTEMPTS.values()} == set(PROMISES)


def _python(code, *args, prefix=(), errors=False):
    done = subprocess.run(
        [*prefix, sys.executable, "-W", "error", "-c", code, *args], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return (done.stdout, done.stderr) if errors else done.stdout


@pytest.fixture(scope="module")
def box():
    """Return a sandbox of the strongest level."""
    with Sandbox(workers=2, seconds=5, preload=("math", "json", "time", "os")) as made:
        yield made


def test_a_run_is_a_program_of_its_own(box):
    result = box.run(
        "import sys, helper\n"
        "print(__name__, sys.argv, input(), helper.x, open('data/b').read())\n"
        "print('oops', file=sys.stderr)\n"
        "sys.exit(3)",
        stdin="line 1\nline 2",
        files={"helper.py": "x = 5", "data/b": b"\xc3\xa9"},
    )
    assert result.stdout == "__main__ ['main.py'] line 1 5 é\n"
    assert result.stderr == "oops\n"
    assert (result.exit_code, result.reason, result.ok) == (3, "", False)
    assert 0 < result.seconds < 5


def test_what_programs_expect(box):
    code = """
import atexit, dataclasses, pickle, tempfile, threading, os
@dataclasses.dataclass
class A: x: int
assert pickle.loads(pickle.dumps(A(1))) == A(1)
assert os.getcwd() == tempfile.gettempdir() == os.environ["HOME"]
with tempfile.NamedTemporaryFile() as f: f.write(b"x")
import shutil
open("a", "w").close()
shutil.copyfile("a", "b")
threading.Thread(target=print, args=("thread",)).start()
atexit.register(print, "exit")
import asyncio
async def main(): print("async")
asyncio.run(main())
import random
exit()
"""
    result = box.run(code)
    assert result.stderr == ""
    assert sorted(result.stdout.split()) == ["async", "exit", "thread"]


def test_random_numbers_differ(box):
    assert len({box.run("import random, os; print(random.random())").stdout for _ in range(5)}) == 5


def test_errors_read_as_they_should(box):
    result = box.run("def f():\n    return 1 / 0\nf()")
    lines = result.stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1].strip() == 'File "main.py", line 3, in <module>'
    assert "    return 1 / 0" in lines
    assert lines[-1] == "ZeroDivisionError: division by zero"
    assert "SyntaxError" in box.run("1 +").stderr
    assert box.run("1 +").exit_code == 1


def test_what_was_printed_before_a_timeout_is_told(box):
    result = box.run("print('so far')\nwhile True: pass", seconds=0.3)
    assert (result.stdout, result.reason) == ("so far\n", "timeout")


def test_output_is_cut(box):
    result = box.run("print('é' * 10**6)")
    assert result.reason == "output"
    assert result.stdout.rstrip("\ufffd") == "é" * (box.output // 2)


def test_the_last_value_where_it_is_asked_for(box):
    assert box.run("x = 5\nx + 1", echo=True).value == "6"
    assert box.run("x = 5\nx + 1").value == ""
    assert box.run("None", echo=True).value == ""


def test_wrong_arguments(box):
    with pytest.raises(ValueError, match="file_size"):
        box.run("", stdin="x" * (box.file_size + 1))
    for name in ("/x", "../x", "a/../../x", "", "a\0b"):
        with pytest.raises(ValueError, match="expected a relative path"):
            box.run("", files={name: "x"})
    with pytest.raises(ValueError, match="level='strong'"):
        Sandbox("strong")
    with pytest.raises(ValueError, match="memory=0"):
        Sandbox(memory=0)
    with pytest.raises(TypeError, match="several names"):
        Sandbox(preload="math")
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        Sandbox(preload=("no_such_module",))
    with pytest.raises(SandboxError, match=r"preload: .*no_such_function"):
        Sandbox(preload=("math:no_such_function",))


def test_calls(box):
    assert box.call("math:gcd", 12, 18) == 6
    assert box.call("json:loads", '{"a": [1, null, "\\ud800"]}') == {"a": [1, None, "?"]}
    with pytest.raises(SandboxCrash, match="math domain error"):
        box.call("math:sqrt", -1)
    with pytest.raises(SandboxTimeout, match="time:sleep did not return"):
        box.call("time:sleep", 60, seconds=0.2)
    with pytest.raises(SandboxCrash, match="exit status 5"):
        box.call("os:_exit", 5)
    with pytest.raises(SandboxCrash, match="exit status -6"):
        box.call("os:abort")
    with pytest.raises(SandboxCrash, match="JSON serializable"):
        box.call("os:urandom", 5)
    with pytest.raises(SandboxCrash, match="more than"):
        box.call("json:loads", f'"{"x" * 100_000}"')
    with pytest.raises(ValueError, match=r"preload=\('statistics',\)"):
        box.call("statistics:mean", [1, 2])


FORGED = (
    b"Infinity",
    b'"abc"',
    b"null",
    b"[1]",
    b"true",
    b"5",
    b"\xff\xfe",
    b"[" * 20_000,
    b'{"exit": Infinity}',
    b'{"exit": -Infinity, "value": NaN}',
    b'{"exit": 1e400}',
    b'{"exit": 1' + b"0" * 400 + b"}",
    b'{"exit": 1' + b"0" * 5000 + b"}",
    b'{"exit": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    b'{"exit": {"exit": 0}}',
    b'{"exit": true}',
    b'{"exit": "0"}',
    b'{"exit": 0.5}',
    b'{"exit": 256}',
    b'{"exit": -1}',
    b'{"exit": 0, "value": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    b'{"exit": 0, "value": {"a": 1}}',
)


@pytest.mark.parametrize("wrote", FORGED, ids=lambda wrote: repr(wrote[:30]))
def test_a_forged_answer_is_no_more_than_data(wrote):
    result = results.parse_result(0, 0, 0.1, b"", b"", wrote + b"\n")
    assert (result.exit_code, result.reason, result.value) == (-9, "killed", "")
    answer = results.parse_answer(wrote + b"\n")
    assert answer.get("value", {"a": 1}) == {"a": 1}
    assert all(isinstance(key, str) for key in answer)


def test_forged_answers_neither_raise_nor_reach_the_next_run(box):
    for wrote in FORGED:
        code = f"import os, time; os.write(3, {wrote!r} + b'\\n'); time.sleep(1)"
        result = box.run(code)
        assert isinstance(result.exit_code, int)
        assert -64 <= result.exit_code <= 255
        with contextlib.suppress(SandboxCrash):
            box.call("os:write", 3, wrote + b"\n")
        assert box.run("7 * 6", echo=True).value == "42"


def test_calls_may_share_a_process():
    with Sandbox(seconds=2, preload=("os", "time")) as made:

        def pid(fresh):
            return made.call("os:getpid", fresh=fresh)

        assert len({pid(True) for _ in range(5)}) == 5
        assert len({pid(False) for _ in range(5)}) == 1
        kept = pid(False)
        assert made.run("import os; print(os.getpid())").stdout != f"{kept}\n"
        assert pid(False) != kept
        for name, args, error in (
            ("time:sleep", (60,), SandboxTimeout),
            ("os:_exit", (3,), SandboxCrash),
            ("os:abort", (), SandboxCrash),
        ):
            kept = pid(False)
            with pytest.raises(error):
                made.call(name, *args, seconds=0.2, fresh=False)
            assert pid(False) != kept
        kept = pid(False)
        with pytest.raises(SandboxCrash, match="FileNotFoundError"):
            made.call("os:stat", "nothing", fresh=False)
        assert pid(False) == kept
        assert len({pid(False) for _ in range(500)}) in (3, 4)  # not for ever
        alive_and_clean(made)


def test_map_tells_errors_in_their_places(box):
    found = box.map("math:sqrt", [(4,), (-1,), (9,)])
    assert found[::2] == [2.0, 3.0]
    assert isinstance(found[1], SandboxCrash)


def test_preloading_a_module_shows_no_more_than_it(monkeypatch):
    with tempfile.TemporaryDirectory(dir=OPEN) as name:
        folder = Path(name)
        folder.chmod(0o755)
        folder.joinpath("grader_here.py").write_text(
            "ready = []\ndef warm(): ready.append(1)\ndef grade(x): return [x, ready]\n"
        )
        folder.joinpath("answers.txt").write_text("x")
        monkeypatch.syspath_prepend(name)
        with Sandbox(preload=("grader_here:warm",)) as made:
            assert made.call("grader_here:grade", "a") == ["a", [1]]
            if made.level != "limits":
                result = made.run(f"import grader_here\nopen({name + '/answers.txt'!r})")
                assert "line 2, in <module>" in result.stderr
                assert "answers.txt" in result.stderr.splitlines()[-1]


def test_sessions_keep_variables(box):
    with box.session() as session, box.session() as other:
        assert session.run("x = 1\nopen('f', 'w').write('y')").ok
        assert session.run("x += 1; x", echo=True).value == "2"
        assert "NameError" in other.run("x").stderr
        result = session.run("x / 0")
        assert (result.exit_code, session.alive) == (1, True)
        assert session.run("print(x, open('f').read())").stdout == "2 y\n"
        assert session.run("while True: pass", seconds=0.3).reason == "timeout"
        assert not session.alive
        assert "NameError" in session.run("x").stderr


def test_a_session_that_is_forgotten_is_closed(box):
    session = box.session()
    session.run("x = 1")
    servers = len(box._servers)
    del session
    gc.collect()
    assert len(box._servers) == servers - 1


def test_a_session_rests_between_runs(box):
    code = """
import threading
n = 0
def count():
    global n
    while True: n += 1
threading.Thread(target=count, daemon=True).start()
"""
    with box.session() as session:
        session.run(code)
        first = int(session.run("n", echo=True).value)
        time.sleep(0.5)
        second = int(session.run("n", echo=True).value)
        session.run("import time; time.sleep(0.5)")
        third = int(session.run("n", echo=True).value)
    assert second - first < (third - second) / 2


def test_a_session_that_writes_into_its_answers(box):
    with box.session() as session:
        session.run("import os; os.write(3, b'garbage\\n[1]\\n{}\\n')")
        assert session.run("print(5)").stdout in ("5\n", "")
        assert session.run("os.close(3)").reason in ("", "timeout", "killed")
    assert box.run("print(1)").stdout == "1\n"


SEARCH = """
import ctypes, gc, os, re
start = input()[::-1].encode()
text = re.compile(start + b"[0-9a-f]{24}")
libc = ctypes.CDLL(None)
libc.sbrk.restype = ctypes.c_void_p
r, w = os.pipe()
pages, found = 0, []
spans = {id(each) >> 20 for each in gc.get_objects()} | {(libc.sbrk(0) >> 20) - n for n in range(8)}
for span in spans:
    for page in range(256):
        # The kernel says which addresses there are.
        if libc.write(w, ctypes.c_void_p((span << 20) + page * 4096), 4096) == 4096:
            pages += 1
            found += text.findall(os.read(r, 4096))
print(pages, len(found))
"""


def test_no_run_finds_in_its_memory_what_another_was_given():
    token = secrets.token_hex(16)
    start = token[:8][::-1]  # with the whole of it the search would find itself
    with Sandbox() as made:
        # The search works: it finds what stands in its own source.
        pages, found = map(int, made.run(f"kept = {token!r}{SEARCH}", stdin=start).stdout.split())
        assert pages > 500
        assert found > 0
        for _ in range(3):  # the next child is forked while this one runs
            made.run(f"print('{token}')", stdin=token, files={"f": token})
            pages, found = map(int, made.run(SEARCH, stdin=start).stdout.split())
            assert pages > 500
            assert found == 0


def test_threads_share_the_workers(box):
    results = []

    def work(n):
        for k in range(10):
            results.append(box.run(f"print({n} * 100 + {k})").stdout == f"{n * 100 + k}\n")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 60
    assert len(box._servers) <= box.workers


def test_a_server_that_dies_is_replaced(box):
    spent = []
    for _ in range(5):
        box.run("")
        for server in list(box._servers):
            os.kill(server._process.pid, signal.SIGKILL)
        eventually(lambda: not any(descendants(s._process.pid) for s in box._servers))
        results = [box.run("print(1)") for _ in range(box.workers)]
        assert {result.reason for result in results} <= {"", "killed"}
        start = time.monotonic()
        assert box.run("print(1)").stdout == "1\n"
        spent.append(time.monotonic() - start)
    assert min(spent) < 0.1


def list_open_files():
    """Return what this process has open: paths, and names of sockets and pipes."""
    names = set()
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):  # that of the list itself
            names.add(os.readlink(f"/proc/self/fd/{number}"))
    return names


@pytest.mark.parametrize("level", LEVELS)
def test_nothing_is_left_behind(level):
    before, files = set(descendants(os.getpid())), leftovers(os.getpid())
    open_files = list_open_files()  # of earlier tests too, some of which may be closed meanwhile
    threads = set(threading.enumerate())
    made = make(level, workers=2)
    with made.session() as session:
        session.run("x = 1")
        made.run("open('left', 'w')")
        assert len(descendants(os.getpid())) > len(before)
    made.close()
    with pytest.raises(ValueError, match="closed"):
        made.run("1")
    made = make(level)
    made.run("1")
    del made
    gc.collect()
    eventually(lambda: set(descendants(os.getpid())) <= kept(before))
    assert set(leftovers(os.getpid())) <= set(files)
    assert list_open_files() <= open_files
    assert set(threading.enumerate()) <= threads


LEAVES = """
import os, signal, sys
from gem_ma.sandbox import Sandbox
box = Sandbox(sys.argv[1])
session = box.session()
session.run("x = 1")
print(os.getpid(), *(server._process.pid for server in box._servers), flush=True)
if sys.argv[2] == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(
    ("level", "how"),
    [
        unless(how == "kill" and level == LEVELS[0], level, how)
        for level in LEVELS
        for how in ("exit", "kill")
    ],
)
def test_nothing_outlives_the_interpreter(level, how):
    if check_levels()[level]:
        pytest.skip(check_levels()[level])
    before = set(os.listdir(tempfile.gettempdir()))  # of an earlier process of the same number
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", LEAVES, level, how], capture_output=True, text=True
    )
    assert done.stderr == ""
    pids = [int(pid) for pid in done.stdout.split()]
    assert len(pids) == 3
    eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))
    eventually(lambda: set(leftovers(pids[0])) <= before)


def test_after_a_fork_the_child_has_servers_of_its_own(box):
    box.run("")
    pid = os.fork()
    if pid == 0:
        ok = box.run("print(6 * 7)").stdout == "42\n"
        box.close()
        os._exit(0 if ok else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert box.run("print(6 * 7)").stdout == "42\n"


def test_pickling_makes_another_one_of_the_same_kind(box):
    with pickle.loads(pickle.dumps(box)) as other:
        assert (other.level, other.workers, other.preload) == (box.level, 2, box.preload)
        assert other.call("math:gcd", 4, 6) == 2


def test_shared_is_one():
    assert sandbox.get_shared_sandbox(workers=1) is sandbox.get_shared_sandbox(workers=1)
    assert sandbox.get_shared_sandbox(workers=1).run("print(1)").stdout == "1\n"
    sandbox.get_shared_sandbox(workers=1).close()
    assert sandbox.get_shared_sandbox(workers=1).run("print(1)").stdout == "1\n"


def test_the_page_on_security_promises_what_is_kept():
    page = (Path(__file__).parents[2] / "docs" / "security.md").read_text()
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.partition("| what was tried |")[0].splitlines()
        if line.startswith("| ")
    ]
    assert rows[0] == ["promise", *LEVELS]
    kept = {row[0]: tuple(name for name, cell in zip(LEVELS, row[1:], strict=True) if cell)
            for row in rows[1:]}  # fmt: skip
    assert kept == dict(PROMISES.values())
    assert {cell for row in rows[1:] for cell in row[1:]} == {"yes", ""}
