"""Who holds a claim: `host:pid:born:nonce`, so that others on the machine can see if it lives."""

from __future__ import annotations

import os
import secrets
import socket

from spearmint_int.launcher.birth import birth_of


def new_owner() -> str:
    """A name for this manager that no other has or will have."""
    pid = os.getpid()
    return f"{socket.gethostname()}:{pid}:{birth_of(pid)}:{secrets.token_hex(4)}"


def is_dead_here(owner: str) -> bool:
    """True when the owner ran on this machine and its process is gone; False when not known."""
    host, pid, born = (*owner.split(":"), "", "", "")[:3]
    if host != socket.gethostname() or not pid.isdigit():
        return False
    return not _exists(int(pid)) or birth_of(int(pid)) != born


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
