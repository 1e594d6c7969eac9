"""A TCP proxy before a MongoDB server that can lose the answer to a command that was applied.

This is the fault that no client can tell from a command that was never applied.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from types import TracebackType


class LossyProxy:
    """Passes messages on, and drops the connection instead of an answer when told to."""

    def __init__(self, uri: str) -> None:
        host, _, port = uri.removeprefix("mongodb://").partition("/")[0].partition(":")
        self._server = (host, int(port or 27017))
        self._doomed: dict[str, int] = {}
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def uri(self) -> str:
        return f"mongodb://127.0.0.1:{self._listener.getsockname()[1]}/?directConnection=true"

    def lose_answers_to(self, command: str, times: int = 1) -> None:
        """Apply the next commands of this name, but lose what the server says to them."""
        self._doomed[command] = times

    @property
    def is_done(self) -> bool:
        """True when every answer that was to be lost is lost."""
        return not any(self._doomed.values())

    def _listen(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client = self._listener.accept()[0]
                server = socket.create_connection(self._server)
                self._open += [client, server]
                threading.Thread(target=self._serve, args=(client, server), daemon=True).start()

    def _serve(self, client: socket.socket, server: socket.socket) -> None:
        with client, server, contextlib.suppress(OSError):
            while message := _message(client):
                server.sendall(message)
                answer = _message(server)
                if self._is_doomed(message):
                    return
                client.sendall(answer)

    def _is_doomed(self, message: bytes) -> bool:
        for command, times in self._doomed.items():
            # A command is a document whose first element is a string (type 2) of its name.
            if times and b"\x02" + command.encode() + b"\x00" in message[:64]:
                self._doomed[command] -= 1
                return True
        return False

    def __enter__(self) -> LossyProxy:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for connection in (self._listener, *self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()


def _message(connection: socket.socket) -> bytes:
    """One message of the wire protocol: its length, little-endian, comes first."""
    head = _exactly(connection, 4)
    return head + _exactly(connection, struct.unpack("<i", head)[0] - 4) if head else b""


def _exactly(connection: socket.socket, number: int) -> bytes:
    parts = b""
    while len(parts) < number:
        part = connection.recv(number - len(parts))
        if not part:
            return b""
        parts += part
    return parts
