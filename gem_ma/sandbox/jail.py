"""Isolation of a process on Linux: namespaces, Landlock, seccomp and a separate user.

This module runs in the server, with the standard library only. A step that fails raises OSError
with the step's name.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any

_NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
_NEWUSER, _NEWPID, _NEWNET = 0x10000000, 0x20000000, 0x40000000
_NAMESPACES = _NEWNS | _NEWCGROUP | _NEWUTS | _NEWIPC | _NEWPID | _NEWNET

_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT = 1, 2, 4, 8, 32
_BIND, _REC, _PRIVATE, _RELATIME = 4096, 16384, 1 << 18, 1 << 21
_NOATIME, _NODIRATIME = 1024, 2048
_ST_RELATIME = 4096
_DETACH = 2

_SET_PDEATHSIG, _SET_DUMPABLE, _SET_SECCOMP, _CAPBSET_DROP = 1, 4, 22, 24
_SET_CHILD_SUBREAPER, _SET_NO_NEW_PRIVS = 36, 38
_SECCOMP_FILTER = 2

_TO_BECOME = 1 << 0 | 1 << 6 | 1 << 7  # capabilities: CHOWN, SETGID, SETUID

INNER_UID = 1000  # user id inside a user namespace

# Of x86-64, and of systems with the generic table; 0 if there is no such call.
_SYSCALL_NUMBERS = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bind": (49, 200),
    "bpf": (321, 280),
    "chmod": (90, 0),
    "chown": (92, 0),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "clone": (56, 220),
    "clone3": (435, 435),
    "connect": (42, 203),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "fcntl": (72, 25),
    "finit_module": (313, 273),
    "fork": (57, 0),
    "fremovexattr": (199, 16),
    "fsconfig": (431, 431),
    "fsetxattr": (190, 7),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "futimesat": (261, 0),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioctl": (16, 29),
    "ioperm": (173, 0),
    "iopl": (172, 0),
    "ioprio_set": (251, 30),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "kill": (62, 129),
    "landlock_add_rule": (445, 445),
    "landlock_create_ruleset": (444, 444),
    "landlock_restrict_self": (446, 446),
    "lchown": (94, 0),
    "lremovexattr": (198, 15),
    "lsetxattr": (189, 6),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "migrate_pages": (256, 238),
    "modify_ldt": (154, 0),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "msgctl": (71, 187),
    "msgget": (68, 186),
    "msgrcv": (70, 188),
    "msgsnd": (69, 189),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "pivot_root": (155, 41),
    "prlimit64": (302, 261),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "removexattr": (197, 14),
    "request_key": (249, 218),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "semctl": (66, 191),
    "semget": (64, 190),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "setpriority": (141, 140),
    "setsid": (112, 157),
    "settimeofday": (164, 170),
    "setxattr": (188, 5),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "shmget": (29, 194),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "tgkill": (234, 131),
    "tkill": (200, 130),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    "utime": (132, 0),
    "utimensat": (280, 88),
    "utimes": (235, 0),
    "vfork": (58, 0),
    "vhangup": (153, 58),
}
_NEWEST_SYSCALL = 462  # newer calls were not reviewed
_ARCHITECTURES = {  # seccomp's name of the architecture, and the column above
    "x86_64": (0xC000003E, 0),
    "aarch64": (0xC00000B7, 1),
    "riscv64": (0xC00000F3, 1),
    "loongarch64": (0xC0000102, 1),
}

_libc: Any = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def _find_architecture() -> tuple[int, int]:
    machine = os.uname().machine
    if machine not in _ARCHITECTURES or struct.calcsize("P") != 8:
        raise OSError(
            f"the system calls of {machine} are not supported; expected a 64-bit "
            f"{', '.join(_ARCHITECTURES)}"
        )
    return _ARCHITECTURES[machine]


def _call_kernel(name: str, *args: object) -> int:
    number = _SYSCALL_NUMBERS[name][_find_architecture()[1]]
    return _check_result(name, _libc.syscall(number, *(_to_c_argument(arg) for arg in args)))


def _prctl(option: int, *args: object) -> int:
    arguments = (*args, 0, 0, 0, 0)[:4]
    return _check_result(f"prctl {option}", _libc.prctl(option, *map(_to_c_argument, arguments)))


def _to_c_argument(value: object) -> Any:
    return ctypes.c_long(value) if isinstance(value, int) else value


def _check_result(name: str, result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def adopt_orphans() -> None:
    """Become the parent of all descendants whose own parent ends."""
    _prctl(_SET_CHILD_SUBREAPER, 1)


def end_with_parent() -> None:
    """Have the kernel kill this process when its parent ends."""
    _prctl(_SET_PDEATHSIG, 9)


def find_spare_uid() -> int | None:
    """Return an unused user id for programs, or None if this process cannot change its user."""
    if os.geteuid() != 0:
        return None
    if not os.path.exists("/proc/self/uid_map"):  # not Linux
        return 0x7FFF0000 + os.getpid() % 4096
    with open("/proc/self/uid_map") as lines:
        ranges = [(int(count), int(start)) for start, _, count in map(str.split, lines)]
    count, start = max(ranges)
    if count <= 8192:
        return None
    with open("/proc/self/status") as lines:
        rights = next(int(line.split()[1], 16) for line in lines if line.startswith("CapEff"))
    if rights & _TO_BECOME != _TO_BECOME:
        raise OSError(
            "this process is root, but cannot become another user, as the sandbox must: run as an "
            "ordinary user, or with the capabilities CHOWN, SETGID and SETUID"
        )
    # One user per server: the kernel counts processes by user, and users may signal their own.
    return start + count - 4098 + os.getpid() % 4096


def become_user(uid: int) -> None:
    """Become another user permanently."""
    _drop_bounding_set()
    os.setgroups([])
    if hasattr(os, "setresuid"):
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    else:  # macOS, where these set all three ids for root
        os.setgid(uid)
        os.setuid(uid)


def drop_capabilities() -> None:
    """Drop all capabilities permanently, and hide this process's memory from others of its user."""
    _drop_bounding_set()
    header = struct.pack("=Ii", 0x20080522, 0)
    _check_result("capset", _libc.capset(header, bytes(24)))
    _prctl(_SET_NO_NEW_PRIVS, 1)
    hide_memory()


def hide_memory() -> None:
    """Hide this process's memory and files from other processes of its user."""
    _prctl(_SET_DUMPABLE, 0)


def _drop_bounding_set() -> None:
    for capability in range(64 if hasattr(_libc, "prctl") else 0):  # only Linux has capabilities
        if _libc.prctl(_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            break  # the kernel has no more, or this process may not drop any


def count_user_tasks(uid: int) -> int:
    """Return the number of threads of a user."""
    count = 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if os.stat(f"/proc/{name}").st_uid == uid:
                    count += len(os.listdir(f"/proc/{name}/task"))
            except OSError:  # the process ended meanwhile
                continue
    return count


def leave_namespaces() -> tuple[int, bool]:
    """Leave all namespaces; the next child is the first process of the new ones.

    Returns:
        The user id to change to, and whether the process has root's rights until then.
    """
    uid = find_spare_uid()
    if uid is not None:
        try:
            _call_kernel("unshare", _NAMESPACES)
            return uid, True
        except PermissionError:  # root in a container, with few rights
            become_user(uid)
            _prctl(_SET_DUMPABLE, 1)  # otherwise the files below belong to root
    outer_uid, outer_gid = os.geteuid(), os.getegid()
    _call_kernel("unshare", _NEWUSER | _NAMESPACES)
    for name, line in (
        ("setgroups", "deny"),
        ("uid_map", f"{INNER_UID} {outer_uid} 1"),
        ("gid_map", f"{INNER_UID} {outer_gid} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(line)
    return INNER_UID, False


def counts_by_namespace() -> bool:
    """Return whether the kernel counts a user's processes separately in each user namespace."""
    major, minor, *_ = os.uname().release.replace("-", ".").split(".")
    return (int(major), int(minor)) >= (5, 14)


def enter_private_root(
    visible: Sequence[str], base: str, scratch: str, size: int, uid: int, links: Sequence[str]
) -> None:
    """Enter a root with only these files and folders, read-only, and an empty scratch folder.

    Args:
        base: Any folder, in whose place the root is built.
        links: Names at the root that lead into the scratch folder.
    """
    _mount("none", "/", flags=_REC | _PRIVATE)
    sources = {path: os.open(path, os.O_PATH) for path in visible}
    devices = {path: os.open(path, os.O_PATH) for path in _list_devices()}
    base = os.path.realpath(base)
    _mount("tmpfs", base, "tmpfs", _NOSUID | _NODEV, "mode=755,size=1m")
    for path, fd in (*sources.items(), *devices.items()):
        _make_mount_point(
            base + path, folder=path not in devices and os.path.isdir(f"/proc/self/fd/{fd}")
        )
    os.makedirs(base + scratch, exist_ok=True)
    os.symlink(scratch, base + "/dev/shm")  # the C library keeps semaphores here
    for name in links:
        os.symlink(f"{scratch}/{name}", f"{base}/{name}")
    if links:  # for a terminal, whose programs show names, not numbers
        os.makedirs(f"{base}/etc", exist_ok=True)
        for name, rest in (("passwd", f"{uid}::{scratch}:/bin/sh"), ("group", "")):
            with open(f"{base}/etc/{name}", "w") as file:
                file.write(f"sandbox:x:{uid}:{rest}\n")
    for path, fd in sources.items():
        _mount(f"/proc/self/fd/{fd}", base + path, flags=_BIND | _REC)
        os.close(fd)
    _make_all_read_only(base)
    for path, fd in devices.items():
        _mount(f"/proc/self/fd/{fd}", base + path, flags=_BIND)
        _make_read_only(base + path, device=True)
        os.close(fd)
    options = f"mode=700,uid={uid},gid={uid},size={size},nr_inodes=4096"
    _mount("tmpfs", base + scratch, "tmpfs", _NOSUID | _NODEV, options)
    os.chdir(base)
    _call_kernel("pivot_root", b".", b".")
    _call_kernel("umount2", b".", _DETACH)
    os.chdir("/")


def _list_devices() -> list[str]:
    names = ("null", "zero", "full", "random", "urandom")
    return [f"/dev/{name}" for name in names if os.path.exists(f"/dev/{name}")]


def _mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    try:
        _call_kernel("mount", *(os.fsencode(text) for text in (source, target, kind)), flags,
              os.fsencode(options))  # fmt: skip
    except OSError as error:
        raise OSError(error.errno, f"mount {target}: {os.strerror(error.errno or 0)}") from None


def _make_mount_point(path: str, *, folder: bool) -> None:
    os.makedirs(path if folder else os.path.dirname(path), exist_ok=True)
    if not folder:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o444))


def _list_mounts(base: str) -> list[str]:
    """List the mounts at and below a folder that are in sight: a mount hides those beneath it."""
    with open("/proc/self/mountinfo", "rb") as lines:
        rows = [line.split()[:5] for line in lines]
    numbers = {row[0] for row in rows}
    children: dict[bytes, list[tuple[str, bytes]]] = {}  # the mounts on each mount
    for number, parent, _, _, place in rows:
        path = os.fsdecode(place.decode("unicode_escape").encode("latin-1"))
        key = parent if parent in numbers and parent != number else b""
        children.setdefault(key, []).append((path, number))

    def find_mount(path: str) -> bytes:
        found = b""
        while above := [(at, n) for at, n in children.get(found, ()) if _is_within(path, at)]:
            found = min(above)[1]
        return found

    places = [place for group in children.values() for place in group]
    return [at for at, n in places if _is_within(at, base) and find_mount(at) == n]


def _is_within(path: str, folder: str) -> bool:
    return f"{path}/".startswith(folder.rstrip("/") + "/")


def _make_all_read_only(base: str) -> None:
    for path in _list_mounts(base):
        try:
            _make_read_only(path)
        except OSError:
            # A mount goes away, here too, when anybody deletes the folder that it stands on.
            if path in _list_mounts(base):
                raise


def _make_read_only(path: str, *, device: bool = False) -> None:
    """Make a mount read-only; a device can still be written to, but its times cannot be changed."""
    # A mount from outside must keep its flags, or the kernel refuses.
    had = os.statvfs(path).f_flag
    flags = had & (_NOEXEC | _NOATIME | _NODIRATIME) | (_RELATIME if had & _ST_RELATIME else 0)
    flags |= had & _NODEV if device else _NODEV
    _mount("none", path, flags=flags | _REMOUNT | _BIND | _RDONLY | _NOSUID)


_READ_ACCESS = 1 | 4 | 8  # execute, read a file, list a folder
_FILE_ACCESS = 1 | 2 | 4 | 1 << 14 | 1 << 15  # all rights to a file
_ALL_ACCESS = (1 << 16) - 1


class LandlockRules:
    """Landlock rules: a process may read these paths, and write to one folder only."""

    def __init__(self, visible: Iterable[str]):
        try:
            abi = _call_kernel("landlock_create_ruleset", None, 0, 1)
        except OSError as error:
            raise OSError(error.errno, f"Landlock: {os.strerror(error.errno or 0)}") from None
        if abi < 3:
            raise OSError(
                f"this kernel has version {abi} of Landlock, and the sandbox needs 3 or later"
            )
        self._handled_access = _ALL_ACCESS if abi >= 5 else _ALL_ACCESS >> 1
        attributes = struct.pack("=QQQ", self._handled_access, 3, 3)
        self._attributes = attributes[: 8 if abi < 4 else 16 if abi < 6 else 24]
        self._rules = [
            *(self._make_rule(path, _READ_ACCESS) for path in visible),
            *(self._make_rule(path, 4 | 2 | 1 << 14) for path in _list_devices()),
        ]

    def _make_rule(self, path: str, access: int) -> tuple[int, bytes]:
        fd = os.open(path, os.O_PATH)
        access &= (
            self._handled_access if os.path.isdir(path) else self._handled_access & _FILE_ACCESS
        )
        return fd, struct.pack("=Qi", access, fd)

    def restrict(self, scratch: str) -> None:
        """Restrict this process to the rules; it may write to this folder only."""
        ruleset = _call_kernel(
            "landlock_create_ruleset", self._attributes, len(self._attributes), 0
        )
        own = self._make_rule(scratch, _ALL_ACCESS)
        for _, rule in (*self._rules, own):
            _call_kernel("landlock_add_rule", ruleset, 1, rule, 0)
        _call_kernel("landlock_restrict_self", ruleset, 0)
        os.close(own[0])
        os.close(ruleset)


_DENIED_SYSCALLS = """
acct add_key adjtimex bpf chroot clock_adjtime clock_settime delete_module fanotify_init
finit_module fremovexattr fsconfig fsetxattr fsmount fsopen fspick init_module io_uring_enter
io_uring_register io_uring_setup ioperm iopl ioprio_set kcmp kexec_file_load kexec_load keyctl
lremovexattr lsetxattr memfd_secret migrate_pages modify_ldt mount mount_setattr move_mount
move_pages mq_open mq_unlink msgctl msgget msgrcv msgsnd name_to_handle_at open_by_handle_at
open_tree perf_event_open personality pidfd_getfd pivot_root process_madvise process_mrelease
process_vm_readv process_vm_writev ptrace quotactl quotactl_fd reboot removexattr request_key
semctl semget semop semtimedop setdomainname sethostname setns setpriority settimeofday setxattr
shmat shmctl shmget swapoff swapon syslog umount2 unshare userfaultfd vhangup
""".split()  # noqa: SIM905
_PROCESS_SYSCALLS = """
prlimit64 sched_setaffinity sched_setattr sched_setparam sched_setscheduler
""".split()  # noqa: SIM905
_SIGNAL_SYSCALLS = "pidfd_send_signal rt_sigqueueinfo rt_tgsigqueueinfo tkill".split()  # noqa: SIM905
_RIGHTS_SYSCALLS = "chmod chown fchmod fchmodat fchmodat2 fchown fchownat lchown".split()  # noqa: SIM905
_TIMES_SYSCALLS = "futimesat utime utimensat utimes".split()  # noqa: SIM905  words are read more easily

_LOAD, _EQUAL, _ABOVE, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x50000
_EPERM, _ENOSYS = 1, 38
_THREAD = 0x10000
_UNIX, _IPV4, _IPV6 = 1, 2, 10
_DATAGRAM = 2
OWN_PID = 0xFFFFFFFF  # a placeholder for the id of the process that installs the filter


class SeccompFilter:
    """A seccomp filter; system calls that it does not name stay allowed."""

    def __init__(self) -> None:
        self._architecture, self._column = _find_architecture()
        self._instructions = [
            (_LOAD, 0, 0, 4),
            (_EQUAL, 1, 0, self._architecture),
            (_RETURN, 0, 0, _KILL),
            (_LOAD, 0, 0, 0),
        ]

    def deny(self, *names: str, error: int = _EPERM) -> None:
        """Deny calls, whatever their arguments."""
        for name in names:
            if number := _SYSCALL_NUMBERS[name][self._column]:
                self._instructions += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERROR | error)]

    def deny_newer(self) -> None:
        """Return ENOSYS for all calls that are newer than those in the table."""
        self._instructions += [(_ABOVE, 0, 1, _NEWEST_SYSCALL), (_RETURN, 0, 0, _ERROR | _ENOSYS)]

    def allow_if(self, name: str, argument: int, values: Iterable[int]) -> None:
        """Deny a call unless the lower half of an argument is one of these values."""
        self._add_test(name, argument, [(_EQUAL, value) for value in values], found=_ALLOW)

    def deny_if(self, name: str, argument: int, values: Iterable[int]) -> None:
        """Deny a call if the lower half of an argument is one of these values."""
        self._add_test(name, argument, [(_EQUAL, value) for value in values], found=_ERROR | _EPERM)

    def deny_bits(self, name: str, argument: int, bits: int) -> None:
        """Deny a call if an argument has any of these bits."""
        self._add_test(name, argument, [(_ANY_BIT, bits)], found=_ERROR | _EPERM)

    def require_bits(self, name: str, argument: int, bits: int) -> None:
        """Deny a call unless an argument has one of these bits."""
        self._add_test(name, argument, [(_ANY_BIT, bits)], found=_ALLOW)

    def _add_test(self, name: str, argument: int, tests: Sequence[Any], found: int) -> None:
        number = _SYSCALL_NUMBERS[name][self._column]
        body = [(_LOAD, 0, 0, 16 + 8 * argument)]
        for test, value in tests:
            body += [(test, 0, 1, value), (_RETURN, 0, 0, found)]
        if found == _ALLOW:
            body.append((_RETURN, 0, 0, _ERROR | _EPERM))
        else:
            body.append((_LOAD, 0, 0, 0))
        self._instructions += [(_EQUAL, 0, len(body), number), *body]

    def make_installer(self) -> Callable[[int], None]:
        """Return the function that installs this filter in the calling process, given its id."""
        program = [*self._instructions, (_RETURN, 0, 0, _ALLOW)]
        code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *i) for i in program))
        fprog = struct.pack("HxxxxxxQ", len(program), ctypes.addressof(code))
        places = [8 * n + 4 for n, (*_, value) in enumerate(program) if value == OWN_PID]

        def install_filter(pid: int) -> None:
            for place in places:
                struct.pack_into("=I", code, place, pid)
            _prctl(_SET_SECCOMP, _SECCOMP_FILTER, fprog)

        return install_filter


def make_common_filter(level: str) -> SeccompFilter:
    """Return a filter of the calls that neither the server nor a program needs."""
    filter = SeccompFilter()
    filter.deny_newer()  # this includes the calls of x32, whose numbers are larger still
    # its flags are in memory, where a filter cannot read them; the C library falls back to clone
    filter.deny("clone3", error=_ENOSYS)
    filter.deny(*_DENIED_SYSCALLS)
    filter.deny_bits("clone", 0, _NAMESPACES | _NEWUSER)
    for name in _PROCESS_SYSCALLS:
        filter.allow_if(name, 0, [0])
    # the process that gets a file's signals, and the signal
    filter.deny_if("fcntl", 1, [8, 10, 15])
    filter.deny_if("ioctl", 1, [0x8901, 0x8902])
    # other families, such as those of virtual machines, are not isolated by namespaces
    if level == "namespaces":
        filter.allow_if("socket", 0, [_UNIX, _IPV4, _IPV6])
    elif level == "landlock":
        filter.deny("socket", "bind", "connect")
        # either socket of such a pair can send to any address
        filter.deny_bits("socketpair", 1, _DATAGRAM)
    return filter


def make_program_filter(level: str, *, single: bool, own_files: bool) -> Callable[[int], None]:
    """Return the function that installs a program's filter.

    Args:
        single: Whether the program starts no process and signals only itself.
        own_files: Whether no file outside its folder belongs to its user. A user could change the
            rights of their own files without opening them.
    """
    filter = SeccompFilter()
    filter.deny("memfd_create")  # memory that no limit counts
    if single:
        filter.deny("fork", "vfork")
        filter.require_bits("clone", 0, _THREAD)
        filter.deny(*_SIGNAL_SYSCALLS)
        filter.allow_if("kill", 0, [0, OWN_PID])
        filter.allow_if("tgkill", 0, [OWN_PID])
    elif level != "namespaces":
        # processes of a run that killed the server are found by their session
        filter.deny("setsid")
    if level == "landlock":
        # a user who may write to a file could change its times without opening it
        filter.deny(*_TIMES_SYSCALLS)
        if not own_files:
            filter.deny(*_RIGHTS_SYSCALLS)
    return filter.make_installer()
