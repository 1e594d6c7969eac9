"""Access to the pages: by a token in the address once, by a cookie from then on; and only by a
known host name.

Without the check of the name, a stranger's page could point its own name at this machine and read
with the browser's help (DNS rebinding).
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from flask import Flask, Response, redirect, request

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
HEADERS = {
    # plotly's code makes functions and styles at run time; nothing may come from elsewhere
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
        "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True)
class Access:
    """The token that is required (None: no token), and the names of this server."""

    token: str | None
    port: int
    names: tuple[str, ...] = LOOPBACK

    @property
    def cookie(self) -> str:
        return f"spearmint-int-{self.port}"  # two servers of one machine share its cookies

    def knows(self, given: str | None) -> bool:
        """Whether this is the token, compared in constant time."""
        return self.token is None or hmac.compare_digest(
            (given or "").encode(), self.token.encode()
        )

    def guard(self, server: Flask) -> None:
        """Check the name and the token at every request to the server."""
        server.before_request(self._refusal)
        server.after_request(_with_headers)

    def _refusal(self) -> Any:
        if request.host.rsplit(":", 1)[0] not in self.names:
            return _text("this server has another name", 403)
        if self.knows(request.cookies.get(self.cookie)):
            return None
        given = request.args.get("token")
        if not self.knows(given):
            return _text("401: open the address with its token, as 'dashboard' printed it", 401)
        return self._welcome(given or "")

    def _welcome(self, token: str) -> Any:
        """Redirect to the same page, without the token in the address and in the history."""
        rest = {key: value for key, value in request.args.items() if key != "token"}
        # as the browser wrote it: a name may have a slash; one at the start, or it is another host
        written = urlsplit(request.environ.get("REQUEST_URI") or quote(request.path)).path
        path = "/" + written.lstrip("/")
        answer = redirect(path + (f"?{urlencode(rest)}" if rest else ""))
        answer.set_cookie(self.cookie, token, httponly=True, samesite="Strict")
        return answer


def _text(sentence: str, status: int) -> Response:
    return Response(sentence + "\n", status=status, mimetype="text/plain")


def _with_headers(answer: Response) -> Response:
    answer.headers.update(HEADERS)
    return answer
