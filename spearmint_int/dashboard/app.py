"""The application: addresses to pages, and what is looked at again every second."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

import dash
from dash import ClientsideFunction, Input, Output, State, dcc, html, no_update

from spearmint_int.dashboard import pages
from spearmint_int.dashboard.access import Access
from spearmint_int.dashboard.actions import add_actions
from spearmint_int.dashboard.source import NOTHING, Source, matching, sorted_rows
from spearmint_int.errors import SpearmintError
from spearmint_int.plots import progress
from spearmint_int.plots.files import headed
from spearmint_int.registry import PLOTS
from spearmint_int.snapshot import Trial


def make_app(sources: Mapping[str, Source], access: Access, *, actions: bool = False) -> dash.Dash:
    """The application for these experiments, by their names."""
    app = dash.Dash(
        __name__, title="spearmint-int", update_title="", suppress_callback_exceptions=True
    )
    access.guard(app.server)
    app.layout = _frame()
    app.clientside_callback(
        _in_browser("theme"),
        Output("theme", "data"),
        Output("chosen-theme", "data"),
        Input("switch", "n_clicks"),
        State("chosen-theme", "data"),
    )
    for name in pages.LIVE:
        app.clientside_callback(
            _in_browser("look"),
            Output(f"look-{name}", "data"),
            Input(f"clock-{name}", "n_intervals"),
        )
    app.clientside_callback(_in_browser("title"), Input("title", "data"))
    _add_pages(app, sources, actions)
    _add_live_jobs(app, sources)
    _add_figures(app, sources)
    if actions:
        add_actions(app, lambda path: (_source_at(sources, path), _parts(path)))
    return app


def _frame() -> html.Div:
    return html.Div(
        [
            dcc.Location(id="address"),
            dcc.Store(id="title", data="spearmint-int"),
            dcc.Store(id="theme"),
            dcc.Store(id="chosen-theme", storage_type="local"),
            html.Button("light / dark", id="switch", className="switch"),
            html.Main(id="page"),
        ]
    )


def _in_browser(name: str) -> ClientsideFunction:
    """A function of assets/page.js, where it is explained."""
    return ClientsideFunction("page", name)


def _parts(path: str | None) -> list[str]:
    return [unquote(part) for part in (path or "/").split("/") if part]


def _source_at(sources: Mapping[str, Source], path: str | None) -> Source | None:
    parts = _parts(path)
    return sources.get(parts[1]) if len(parts) > 1 and parts[0] == "e" else None


# --- pages ----------------------------------------------------------------------------------------


def _add_pages(app: dash.Dash, sources: Mapping[str, Source], actions: bool) -> None:
    @app.callback(Output("page", "children"), Output("title", "data"), Input("address", "pathname"))
    def page(path: str | None) -> Any:
        try:
            shown = _page(sources, path, actions)
        except Exception as error:
            shown = pages.Page("spearmint-int", _sentence_on(error))
        return shown.body, shown.title

    @app.callback(
        Output("experiments", "children"),
        Output("seen-list", "data"),
        Input("look-list", "data"),
        State("seen-list", "data"),
    )
    def overview(_: int, seen: str) -> Any:
        try:
            lines = [_line(name, source) for name, source in sources.items()]
        except Exception as error:  # of the server that lists them
            return _sentence_on(error), ""
        seen_now = " ".join(f"{e.name} {e.state.version} {e.fault}" for e in lines)
        return (no_update, no_update) if seen == seen_now else (pages.overview(lines), seen_now)

    @app.callback(
        Output("explanation", "children"), Input("job", "data"), State("address", "pathname")
    )
    def explanation(job_id: int, path: str) -> Any:
        source = _source_at(sources, path)
        if source is None:
            return no_update
        try:
            return pages.explanation(source.explanation(job_id))
        except Exception as error:
            return _sentence_on(error)

    @app.callback(
        Output("choice", "children"),
        Input("job", "data"),
        State("theme", "data"),
        State("address", "pathname"),
    )
    def choice(job_id: int, theme: str | None, path: str) -> Any:
        source = _source_at(sources, path)
        if source is None:
            return no_update
        try:
            drawn = source.choice(job_id, theme or "light")
        except SpearmintError:  # told beside the explanation
            return no_update
        except Exception as error:
            return _sentence_on(error)
        if drawn is None:
            return no_update
        title, bare = headed(drawn.to_plotly_json())
        return pages.figure(title, pages.graph(bare))


def _sentence_on(error: Exception) -> html.P:
    return html.P(_sentence(error), className="fault")


def _sentence(error: Exception) -> str:
    """The sentence for any error: without an answer, a page would stay empty for ever."""
    if isinstance(error, SpearmintError):
        return str(error)
    logging.getLogger(__name__).error("a part of a page", exc_info=error)
    return f"This can't be shown: {error!r}. The output of 'spearmint-int dashboard' has more."


def _page(sources: Mapping[str, Source], path: str | None, actions: bool) -> pages.Page:
    parts = _parts(path)
    if not parts:
        return pages.Page("experiments", pages.live(html.Div(id="experiments"), "list"))
    source = _source_at(sources, path)
    if source is None:
        way = html.P(["There is no such page. ", dcc.Link("Experiments", href="/")])
        return pages.Page("no such page", way)
    try:
        return _page_of(source, parts[2:], actions)
    except Exception as error:
        return pages.experiment(source.name, " ".join(parts[2:]) or "jobs", _sentence_on(error))


def _line(name: str, source: Source) -> pages.Line:
    """The line of an experiment, also of one that can't be read, which must not hide the others."""
    try:
        state, config = source.state(), source.config
        return pages.Line(name, state, config.budget, config.maximize)
    except Exception as error:
        return pages.Line(name, NOTHING, fault=_sentence(error))


def _page_of(source: Source, rest: list[str], actions: bool) -> pages.Page:
    match rest:
        case []:
            cells = source.cells() if actions else {}
            return pages.experiment(source.name, "jobs", pages.live(pages.jobs_page(cells), "jobs"))
        case ["figures", kind] if kind in PLOTS:
            return pages.experiment(source.name, kind, pages.live(pages.figure_page(), "figure"))
        case ["jobs", number] if number.isdecimal():
            body = _job_page(source, int(number), actions)
            return pages.experiment(source.name, f"job {number}", body)
    return pages.experiment(source.name, "no such page", html.P("There is no such page."))


def _job_page(source: Source, job_id: int, actions: bool) -> Any:
    job, output = source.job(job_id), source.output(job_id)
    task = source.config.task_name
    return pages.job_page(source.name, job, output, task=task, actions=actions)


# --- the live part --------------------------------------------------------------------------------


def _add_live_jobs(app: dash.Dash, sources: Mapping[str, Source]) -> None:
    @app.callback(
        Output("standing", "children"),
        Output("table-news", "data"),
        Output("progress-news", "data"),
        Output("seen-jobs", "data"),
        Input("look-jobs", "data"),
        Input("order", "data"),
        Input("filter", "value"),
        Input("theme", "data"),
        State("seen-jobs", "data"),
        State("address", "pathname"),
    )
    def live(
        _: int, order: pages.Order, wanted: str, theme: str | None, seen: str, path: str
    ) -> Any:
        source, theme = _source_at(sources, path), theme or "light"
        if source is None:
            return (no_update,) * 4
        try:
            return _news(source, order, wanted or "", theme, seen)
        except Exception as error:
            return _sentence_on(error), no_update, no_update, ""

    for part, news in (
        (Output("shown", "children"), "table"),
        (Output("progress", "figure"), "progress"),
    ):
        app.clientside_callback(
            _in_browser(news), part, Input(f"{news}-news", "data"), prevent_initial_call=True
        )

    app.clientside_callback(
        _in_browser("turn"),
        Output("order", "data"),
        Input("newer", "n_clicks"),
        Input("older", "n_clicks"),
        Input("filter", "value"),
        State("order", "data"),
        prevent_initial_call=True,
    )


def _news(source: Source, order: pages.Order, wanted: str, theme: str, seen: str) -> Any:
    """The head, the table, the best so far, and the version that is shown; only what is new."""
    now, config = source.state(), source.config
    news = f"{now.version} {theme} "
    seen_now = f"{news}{order} {wanted}"
    if seen == seen_now:
        return (no_update,) * 4
    table = _table(source, now.rows, order, wanted)
    if seen.startswith(news):  # only other rows of it are wanted
        return no_update, table, no_update, seen_now
    head = pages.standing(now, config.budget, source.space, maximize=config.maximize)
    drawn = progress.drawing(now.rows, maximize=config.maximize, theme=theme)
    return head, table, headed(drawn)[1], seen_now


def _table(source: Source, rows: Sequence[Trial], order: pages.Order, wanted: str) -> Any:
    found = sorted_rows(matching(rows, wanted), order["column"], descending=order["descending"])
    last = max((len(found) - 1) // pages.PAGE_ROWS, 0)
    first = min(order["page"], last) * pages.PAGE_ROWS
    part = found[first : first + pages.PAGE_ROWS]
    shown = f"{first + bool(part)} to {first + len(part)} of {len(found)}"
    return pages.jobs_table(
        source.name, list(source.space.variables), part, order=order, shown=shown
    )


def _add_figures(app: dash.Dash, sources: Mapping[str, Source]) -> None:
    @app.callback(
        Output("figure", "figure"),
        Output("figure-title", "children"),
        Output("figure-sentence", "children"),
        Output("seen-figure", "data"),
        Input("look-figure", "data"),
        State("theme", "data"),
        State("seen-figure", "data"),
        State("address", "pathname"),
    )
    def figure(_: int, theme: str | None, seen: str, path: str) -> Any:
        source, parts = _source_at(sources, path), _parts(path)
        if source is None or len(parts) < 4 or theme is None:  # the browser tells it at once
            return (no_update,) * 4
        try:
            drawn = source.figure(parts[3], theme)
        except Exception as error:
            return no_update, no_update, _sentence(error), ""
        if drawn is None:
            return no_update, no_update, "drawing …", no_update
        seen_now = f"{path} {drawn.version} {theme}"
        if seen == seen_now:
            return (no_update,) * 4
        if drawn.figure is None:
            return no_update, no_update, drawn.sentence, seen_now
        title, bare = headed(drawn.figure.to_plotly_json())
        return bare, pages.heading(title), drawn.sentence, seen_now
