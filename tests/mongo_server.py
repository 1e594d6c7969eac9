"""A MongoDB server for the tests: a given one, or one that is started here and stopped by its id.

Taken in this order: the server at SPEARMINT_INT_TEST_MONGODB (a URI), a `mongod` on PATH, and else
the wire-protocol server `secantusdb` from the extra `test`, which stores with WiredTiger as well.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

import pymongo
from pymongo.errors import PyMongoError

URI_VARIABLE = "SPEARMINT_INT_TEST_MONGODB"
START_SECONDS = 30.0
# PR_SET_PDEATHSIG (1) of Linux's prctl asks for a signal when the parent dies; it outlives exec.
DIE_WITH_PARENT = """
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGKILL)
os.execv(sys.argv[1], sys.argv[1:])
"""


class MongoServerProcess:
    """A server process on a free port of this machine, with its data in a folder.

    It can be killed and started again on the same data and port, as after a crash.
    """

    def __init__(self, folder: Path) -> None:
        self._data = folder / "data"
        self._data.mkdir(parents=True, exist_ok=True)
        self._log = folder / "server.log"
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def uri(self) -> str:
        return f"mongodb://127.0.0.1:{self._port}"

    @property
    def pid(self) -> int | None:
        """Of the process, while there is one."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start the process and wait until it answers."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                dying_with_parent(server_command(self._port, self._data)),
                stdout=log,
                stderr=log,
            )
        give_up = time.monotonic() + START_SECONDS
        while not _answers(self.uri):
            if self._process.poll() is not None or time.monotonic() > give_up:
                self.kill()
                raise RuntimeError(f"the MongoDB server did not start:\n{self._log.read_text()}")
            time.sleep(0.05)

    def kill(self) -> None:
        """End the process at once, as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def __enter__(self) -> MongoServerProcess:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.kill()  # its data are temporary


def given_uri() -> str | None:
    """The address of a server that runs already, if one is given."""
    return os.environ.get(URI_VARIABLE) or None


def server_command(port: int, data: Path) -> list[str]:
    """The command that serves the folder; fault injection is on, and commits are on disk."""
    address = ["--port", str(port)]
    if mongod := shutil.which("mongod"):
        test_commands = ["--setParameter", "enableTestCommands=1"]
        return [mongod, *address, "--bind_ip", "127.0.0.1", "--dbpath", str(data), *test_commands]
    if importlib.util.find_spec("secantus") is None:
        raise RuntimeError(
            f"the tests need a MongoDB server: set {URI_VARIABLE}, put mongod on PATH, or "
            "pip install 'spearmint-int[test]' on Python 3.11 to 3.13"
        )
    options = ["--standalone", "--sync-on-commit", "--enable-test-commands"]
    return [sys.executable, "-m", "secantus", *address, "--storage-path", str(data), *options]


def dying_with_parent(command: list[str]) -> list[str]:
    """The command, ended by the system when this process dies: a killed test run leaves nothing."""
    if sys.platform != "linux":
        return command
    return [sys.executable, "-c", DIE_WITH_PARENT, *command]


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(uri: str) -> bool:
    with pymongo.MongoClient[dict[str, object]](uri, serverSelectionTimeoutMS=200) as client:
        try:
            client.admin.command("ping")
        except PyMongoError:
            return False
        return True
