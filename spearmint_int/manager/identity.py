"""Who holds a claim: `host:pid:born:nonce`, so that others on the machine can see if it lives."""

from __future__ import annotations

import os
import secrets
import socket


def new_owner() -> str:
    """A name for this manager that no other has or will have."""
    pid = os.getpid()
    return f"{socket.gethostname()}:{pid}:{_born(pid)}:{secrets.token_hex(4)}"


def is_dead_here(owner: str) -> bool:
    """True when the owner ran on this machine and its process is gone; False when not known."""
    host, pid, born = (*owner.split(":"), "", "", "")[:3]
    if host != socket.gethostname() or not pid.isdigit():
        return False
    return not _exists(int(pid)) or _born(int(pid)) != born


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _born(pid: int) -> str:
    """The start time in the kernel's ticks: a pid alone may have been given away since."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            # The name, in parentheses, may hold anything; field 22 counts from before it.
            return stat.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
