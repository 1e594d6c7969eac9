"""`dashboard`: the live page of one or several experiments."""

from __future__ import annotations

import logging
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from spearmint_int.cli.arguments import at, config_option
from spearmint_int.errors import SpearmintError

if TYPE_CHECKING:
    from collections.abc import Callable

    from spearmint_int.dashboard import Source

LOOPBACK = "127.0.0.1"
NICENESS = 10  # the run has the processor first


@click.command(short_help="Show experiments live in a browser.")
@click.argument("directories", metavar="[DIR]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--port", default=8050, show_default=True, type=click.IntRange(0, 65535), help="0 is any."
)
@click.option("--host", default=LOOPBACK, show_default=True, help="The address to listen at.")
@click.option("--token", help="The token that is asked for; default: a new one at each start.")
@click.option("--no-token", is_flag=True, help="Ask for none: whoever reaches the port may look.")
@click.option("--allow-actions", is_flag=True, help="Also retry, reserve points, tell results.")
@config_option
def dashboard(
    directories: tuple[Path, ...],
    *,
    port: int,
    host: str,
    token: str | None,
    no_token: bool,
    allow_actions: bool,
    file_name: str,
) -> None:
    """Experiments, their figures and their jobs, as they are now. Read only unless told otherwise.

    It listens on this machine alone; from another one, ssh -L 8050:127.0.0.1:8050 HOST brings it
    there.
    """
    make_server = _server_maker()
    from spearmint_int.dashboard import Access, make_app  # noqa: PLC0415
    from spearmint_int.dashboard.access import LOOPBACK as OWN_NAMES  # noqa: PLC0415

    sources = _sources(directories or (Path(),), file_name)
    secret = None if no_token else token or secrets.token_urlsafe(16)
    port = _free_port(host, port)
    names = OWN_NAMES if host == LOOPBACK else (*OWN_NAMES, host, _machine())
    app = make_app(sources, Access(secret, port, names), actions=allow_actions)
    server = make_server(host, port, app.server, threaded=True)
    os.nice(NICENESS)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # a line for each look is no news
    shown = host if host != "0.0.0.0" else _machine()
    click.echo(f"http://{shown}:{port}/" + (f"?token={secret}" if secret else ""))
    click.echo("Ctrl-C ends it")
    server.serve_forever()


def _server_maker() -> Callable[..., Any]:
    try:
        import dash  # noqa: F401, PLC0415
        from werkzeug.serving import make_server  # noqa: PLC0415
    except ImportError:
        remedy = "pip install 'spearmint-int[dashboard]'"
        raise SpearmintError(f"the page needs dash, which is not installed: {remedy}") from None
    return make_server  # type: ignore[no-any-return]


def _sources(directories: tuple[Path, ...], file_name: str) -> dict[str, Source]:
    from spearmint_int.dashboard import Source  # noqa: PLC0415

    sources: dict[str, Source] = {}
    for directory in directories:
        source = Source(at(directory, file_name).config)
        if source.name in sources:
            raise SpearmintError(
                f"two experiments are named {source.name!r}: set 'experiment-name' in one config"
            )
        sources[source.name] = source
    return sources


def _free_port(host: str, wanted: int) -> int:
    """The port itself, or any where 0 is wanted."""
    import socket  # noqa: PLC0415

    try:
        with socket.create_server((host, wanted)) as probe:
            return int(probe.getsockname()[1])
    except OSError as error:
        raise SpearmintError(
            f"port {wanted} of {host} can't be had: {error.strerror or error}; "
            "choose another with --port"
        ) from None


def _machine() -> str:
    import socket  # noqa: PLC0415

    return socket.gethostname()
