"""Changes that the page may make where it was allowed to: callbacks that return one sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import dash
from dash import ALL, Input, Output, State, no_update

from spearmint_int.dashboard.source import Source
from spearmint_int.errors import SpearmintError

Find = Callable[[str | None], tuple[Source | None, list[str]]]
Action = Callable[[Source, int], str]

ACTED = Output("acted", "children", allow_duplicate=True)
ADDRESS = State("address", "pathname")


def add_actions(app: dash.Dash, find: Find) -> None:
    """Add the buttons' callbacks; `find` gives the experiment at an address, and its parts."""
    for button, action in SIMPLE.items():
        _add(app, find, button, action)

    @app.callback(
        ACTED, Input("tell", "n_clicks"), State("result", "value"), ADDRESS,
        prevent_initial_call=True,
    )  # fmt: skip
    def tell(clicks: int | None, result: str | None, path: str) -> Any:
        def told(source: Source, job_id: int) -> str:
            source.tell(job_id, (result or "").split())
            return "told"

        return _acted(find, path, told) if clicks else no_update

    @app.callback(
        ACTED, Input("add", "n_clicks"), State({"cell": ALL}, "value"), State({"cell": ALL}, "id"),
        ADDRESS, prevent_initial_call=True,
    )  # fmt: skip
    def add(clicks: int | None, cells: list[Any], ids: list[Mapping[str, str]], path: str) -> Any:
        def added(source: Source, _: int) -> str:
            names = [each["cell"] for each in ids]
            job_id = source.add(dict(zip(names, cells, strict=True)))
            return "it was there already" if job_id is None else f"added as job {job_id}"

        return _acted(find, path, added) if clicks else no_update


def _add(app: dash.Dash, find: Find, button: str, action: Action) -> None:
    @app.callback(ACTED, Input(button, "n_clicks"), ADDRESS, prevent_initial_call=True)
    def press(clicks: int | None, path: str) -> Any:
        return _acted(find, path, action) if clicks else no_update


def _acted(find: Find, path: str, action: Action) -> str:
    """The action's sentence, or why it could not be done."""
    source, parts = find(path)
    if source is None:
        return "there is no such experiment"
    try:
        return action(source, int(parts[3]) if len(parts) > 3 else 0)
    except (SpearmintError, ValueError) as error:
        return str(error)


def _reserve(source: Source, _: int) -> str:
    return f"job {source.reserve()} is reserved"


def _stop_run(source: Source, _: int) -> str:
    source.stop_run()
    return "runs of this experiment end when their jobs have ended"


def _retry(source: Source, job_id: int) -> str:
    if source.retry(job_id).is_reserved:
        return "it is reserved again, and waits for its result"
    return "it will be tried again by the next run"


def _stop_job(source: Source, job_id: int) -> str:
    source.stop_job(job_id)
    return "stopped; its worker notices within seconds"


SIMPLE: dict[str, Action] = {
    "reserve": _reserve, "stop-run": _stop_run, "retry": _retry, "stop-job": _stop_job,
}  # fmt: skip
