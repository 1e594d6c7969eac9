"""`dashboard`: the live page of one or several experiments."""

from __future__ import annotations

import errno
import logging
import os
import secrets
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from spearmint_int.cli.arguments import at, config_option
from spearmint_int.errors import SpearmintError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spearmint_int.dashboard import Source

LOOPBACK = "127.0.0.1"
NICENESS = 10  # runs go first
OF_THE_PORT = (errno.EADDRINUSE, errno.EACCES)


@click.command(short_help="Show experiments live in a browser.")
@click.argument("directories", metavar="[DIR]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--mongodb", metavar="URI", help="Also all experiments on this server.")
@click.option("--database", metavar="NAME", help="Only those in this database of the server.")
@click.option(
    "--port",
    default=8050,
    show_default=True,
    metavar="PORT",
    type=click.IntRange(0, 65535),
    help="The port to listen at; 0 is a free one.",
)
@click.option("--host", default=LOOPBACK, show_default=True, help="The address to listen at.")
@click.option("--token", help="The token to require; default: a new one at each start.")
@click.option("--no-token", is_flag=True, help="Require none: whoever reaches the port may look.")
@click.option("--allow-actions", is_flag=True, help="Also retry, stop, reserve, add results.")
@config_option
def dashboard(
    directories: tuple[Path, ...],
    *,
    mongodb: str | None,
    database: str | None,
    port: int,
    host: str,
    token: str | None,
    no_token: bool,
    allow_actions: bool,
    file_name: str,
) -> None:
    """Show experiments, their figures and their jobs as they are now.

    Nothing can be changed from there, unless you say --allow-actions.

    Without a DIR it is the experiment in this folder; or, where there is none, those of the server
    at SPEARMINT_DB_ADDRESS, which keeps a password out of the list of processes.

    It listens on this machine alone; from another one, ssh -L 8050:127.0.0.1:8050 HOST brings it
    there. Ctrl-C ends it, with exit code 0.
    """
    if token and no_token:
        raise SpearmintError("--token and --no-token exclude each other: give one of them")
    make_server = _server_maker()
    from spearmint_int.dashboard import Access, make_app  # noqa: PLC0415
    from spearmint_int.dashboard.access import LOOPBACK as OWN_NAMES  # noqa: PLC0415

    address = mongodb or (None if directories else _given_address(file_name))
    folders = _folders(directories if directories or address else (Path(),), file_name)
    sources = folders if address is None else _with_server(folders, address, database)
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
    server.serve_forever()  # until Ctrl-C, at which it returns


def _server_maker() -> Callable[..., Any]:
    try:
        import dash  # noqa: F401, PLC0415
        from werkzeug.serving import make_server  # noqa: PLC0415
    except ImportError:
        remedy = "pip install 'spearmint-int[dashboard]'"
        raise SpearmintError(f"the page needs dash, which is not installed: {remedy}") from None
    return make_server  # type: ignore[no-any-return]


def _given_address(file_name: str) -> str | None:
    """The server's address, where this folder has no experiment that could be meant."""
    from spearmint_int.config.config import ADDRESS_VARIABLE  # noqa: PLC0415

    return None if Path(file_name).exists() else os.environ.get(ADDRESS_VARIABLE)


def _folders(directories: tuple[Path, ...], file_name: str) -> dict[str, Source]:
    from spearmint_int.config import load_config  # noqa: PLC0415
    from spearmint_int.dashboard import Source  # noqa: PLC0415

    sources: dict[str, Source] = {}
    for directory in dict.fromkeys(each.resolve() for each in directories):
        folder = at(directory, file_name)
        name = folder.config.experiment_name  # a fault in it is told before the page is there
        if name in sources:
            raise SpearmintError(
                f"two experiments are named {name!r}: set 'experiment-name' in one config"
            )
        sources[name] = Source(partial(load_config, folder.directory, folder.file_name), name=name)
    return sources


def _with_server(
    folders: dict[str, Source], address: str, database: str | None
) -> Mapping[str, Source]:
    from spearmint_int.dashboard import Catalogue, on_server  # noqa: PLC0415
    from spearmint_int.dashboard.source import PATIENCE_SECONDS  # noqa: PLC0415
    from spearmint_int.stores.mongo_server import MongoServer  # noqa: PLC0415

    server = MongoServer(address, patience=PATIENCE_SECONDS)
    server.check()
    return Catalogue(folders, on_server(server, address, database))


def _free_port(host: str, wanted: int) -> int:
    """The wanted port, or any free one where 0 is wanted."""
    import socket  # noqa: PLC0415

    try:
        with socket.create_server((host, wanted)) as probe:
            return int(probe.getsockname()[1])
    except OSError as error:
        option = "--port" if error.errno in OF_THE_PORT else "--host"
        reason = str(error.strerror or error).split(" (while")[0]  # socket names the address again
        raise SpearmintError(
            f"port {wanted} of {host} can't be opened: {reason}; choose another with {option}"
        ) from None


def _machine() -> str:
    import socket  # noqa: PLC0415

    return socket.gethostname()
