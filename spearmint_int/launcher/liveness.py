"""Whether a process is alive, known by its id and its start, and so whether a claim's owner is.

A process id alone says little. Another process may have it by now; on another machine, or in
another container of this one, it means another process, whatever the hostname. So a process is
known by its id and its start: the kernel's boot, the PID namespace and the tick. What can't be
compared is not known to be dead, and is left to its lease.
"""

from __future__ import annotations

import os
import secrets
import socket

from spearmint_int.jobs import ProcessInfo
from spearmint_int.stores.clock import boot_id

UNKNOWN = ""


def process_start(pid: int) -> str:
    """`boot.namespace.tick`, or `UNKNOWN` where the system doesn't tell."""
    try:
        return f"{_numbering()}.{_status(pid)[19]}"  # field 22, without number and name
    except (OSError, IndexError):
        return UNKNOWN


def is_known_alive(pid: int, start: str) -> bool:
    """True when the process exists, is numbered as ours are, and is no zombie."""
    try:
        return start != UNKNOWN and process_start(pid) == start and _status(pid)[0] not in "ZX"
    except (OSError, IndexError):
        return False


def is_known_dead(pid: int, start: str) -> bool:
    """True when the process was numbered as ours are, and is gone; False when that is not known."""
    try:
        if not start or start.rpartition(".")[0] != _numbering():
            return False
    except OSError:
        return False
    return not _exists(pid) or process_start(pid) not in (start, UNKNOWN)


def new_owner() -> str:
    """A name `host:pid:start:nonce` for this process, which no other will ever have."""
    pid = os.getpid()
    return f"{socket.gethostname()}:{pid}:{process_start(pid)}:{secrets.token_hex(4)}"


def owner_is_dead(owner: str) -> bool:
    """True when the owner's process is known to be gone."""
    _, pid, start = (*owner.split(":"), "", "", "")[:3]
    return pid.isdigit() and is_known_dead(int(pid), start)


def this_process() -> ProcessInfo:
    """This process, as a claim has it, for people and managers who look for it."""
    pid = os.getpid()
    return ProcessInfo(host=socket.gethostname(), pid=pid, born=process_start(pid) or None)


def _status(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name, which may have anything in its parentheses."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
        return stat.read().rpartition(")")[2].split()


def _numbering() -> str:
    """The boot and the PID namespace, within which a process id means one process; OSError where
    they are not known."""
    boot = boot_id()
    if not boot or os.readlink("/proc/self") != str(os.getpid()):  # /proc of another namespace
        raise ProcessLookupError("the system does not tell how processes are counted")
    return f"{boot}.{os.readlink('/proc/self/ns/pid').strip('pid:[]')}"


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
