"""The pages as components: pure functions of what was read. React escapes all text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

from dash import dcc, html

from spearmint_int import result_text, value_text
from spearmint_int.dashboard.source import State
from spearmint_int.experiment.explanation import Explanation
from spearmint_int.explanation_text import explanation_facts, reasons
from spearmint_int.jobs import Job, JobStatus
from spearmint_int.plots import progress
from spearmint_int.registry import PLOTS
from spearmint_int.snapshot import Best, Trial, best_trial, counts_text, without_best
from spearmint_int.space import Space

PAGE_ROWS = 50
BLANK = {"xaxis": {"visible": False}, "yaxis": {"visible": False},
         "paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)"}  # fmt: skip
LOOK_MILLISECONDS = 1000
LIVE = ("list", "jobs", "figure")  # the parts that are read again and again
Order = Mapping[str, Any]  # of the table: its column, the direction, and the page
FIXED_COLUMNS = ("job", "value", "status", "seconds")


@dataclass(frozen=True)
class Page:
    """A page, and its title, by which the browser's tabs differ."""

    title: str
    body: Any


def address(*parts: Any) -> str:
    """A path of this site."""
    return "/" + "/".join(quote(str(part), safe="") for part in parts)


def facts(rows: Iterable[tuple[str, str]]) -> html.Dl:
    shown = [(name, text) for name, text in rows if text]
    return html.Dl([part for name, text in shown for part in (html.Dt(name), html.Dd(text))])


def status_word(outcome: str) -> html.Span:
    """The outcome of a job, with each of its words as a class, as page.js does it."""
    return html.Span(outcome, className=f"status {re.sub('[^a-zA-Z ]', '', outcome)}")


def live(body: Any, name: str) -> html.Div:
    """A part of LIVE with a clock of its own, since the clock of another page would not exist here.
    It is read again at each tick while somebody sees it, and remembers what it has shown."""
    clock = dcc.Interval(id=f"clock-{name}", interval=LOOK_MILLISECONDS)
    look, seen = dcc.Store(id=f"look-{name}"), dcc.Store(id=f"seen-{name}", data="")
    return html.Div([clock, look, seen, body])


# --- all experiments ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """One experiment in the list of all; `fault` is why it can't be read."""

    name: str
    state: State
    budget: int | None = None
    maximize: bool = False
    fault: str = ""


def overview(lines: Sequence[Line]) -> html.Div:
    header = html.Tr([html.Th(name) for name in ("experiment", "finished", "running", "best")])
    body = [_experiment_row(line) for line in lines]
    table = html.Table([html.Thead(header), html.Tbody(body)])
    return html.Div([html.H1("Experiments"), table])


def _experiment_row(line: Line) -> html.Tr:
    link = dcc.Link(line.name, href=address("e", line.name))
    if line.fault:
        return html.Tr([html.Td(link), html.Td(line.fault, colSpan=3, className="fault")])
    state = line.state
    finished = value_text.out_of(state.finished, line.budget)
    best = best_trial(state.rows, maximize=line.maximize)
    none = without_best(state.rows) or value_text.number(None)
    shown = none if best is None else value_text.number(best.value)
    cells = [link, finished, str(state.counts[JobStatus.PENDING]), shown]
    return html.Tr([html.Td(cell) for cell in cells])


# --- one experiment -------------------------------------------------------------------------------


def experiment(name: str, what: str, body: Any) -> Page:
    """A page of an experiment below the head that all of its pages share; `what` may be a tab."""
    tabs = [("jobs", address("e", name))]
    kinds = dict.fromkeys([*PLOTS.built_in, *PLOTS])  # those of other packages last
    tabs += [(kind, address("e", name, "figures", kind)) for kind in kinds]
    links = [
        dcc.Link(text, href=href, className="place current" if text == what else "place")
        for text, href in tabs
    ]
    back = dcc.Link("← experiments", href="/")
    return Page(f"{what} · {name}", html.Div([back, html.H1(name), html.Nav(links), body]))


def jobs_page(cells: Mapping[str, str]) -> html.Div:
    """The live part of an experiment: the best so far and the table, filled by callbacks.

    `cells` are those of a result to be added, empty where nothing may be changed.
    """
    box = dcc.Input(
        id="filter", type="search", placeholder="filter: broken depth=4 …", debounce=0.3, value="",
    )  # fmt: skip
    buttons = [
        html.Button("reserve a point", id="reserve"),
        html.Button("stop the run", id="stop-run"),
    ]  # fmt: skip
    return html.Div(
        [
            html.Div(id="standing"),
            figure([progress.TITLE], graph({"layout": BLANK}, id="progress")),
            html.Div(
                [html.Label(["jobs ", box]), *(buttons if cells else ()), html.Span(id="acted")],
                className="bar",
            ),
            *([_result_form(cells)] if cells else ()),
            html.Div(id="table", className="wide"),
            html.Div(
                [html.Button("‹ newer", id="newer"), html.Span(id="shown"),
                 html.Button("older ›", id="older")], className="bar",
            ),
            dcc.Store(id="progress-news"),
            dcc.Store(id="table-news"),
            dcc.Store(id="order", data={"column": "job", "descending": True, "page": 0}),
        ]
    )  # fmt: skip


def _result_form(cells: Mapping[str, str]) -> html.Details:
    fields = [
        html.Label([html.Span(name), dcc.Input(id={"cell": name}, type="text", placeholder=hint)])
        for name, hint in cells.items()
    ]
    form = html.Div([*fields, html.Button("add", id="add")], className="form")
    return html.Details([html.Summary("add a result"), form])


def standing(state: State, budget: int | None, space: Space, *, maximize: bool) -> html.Dl:
    """How far the experiment is, and the best so far."""
    each = value_text.with_outside(counts_text(state.counts, state.rows), state.outside)
    finished = value_text.out_of(state.finished, budget)
    rows = [("finished", f"{finished} ({each or 'none yet'})")]
    best = Best.among(state.rows, space, maximize=maximize)
    if best is None and (why := without_best(state.rows)):
        rows.append(("best", why))
    if best is not None:
        rows.append(("best", _result(best.of_all, best.note)))
    if best is not None and best.note:
        rows.append(("within them", _result(best.within)))
    if state.goal is not None:
        rows.append(("goal", str(state.goal)))
    return facts(rows)


def _result(trial: Trial | None, note: str = "") -> str:
    if trial is None:
        return "no result yet"
    place = value_text.params(trial.params)
    return f"{value_text.number(trial.value)} at {place} (job {trial.id}{note})"


def jobs_table(
    name: str, variables: Sequence[str], rows: Sequence[Trial], *, order: Order, shown: str
) -> dict[str, Any]:
    """One page of the jobs as texts, of which page.js makes a table: hundreds of components, made
    anew at each news, would cost the server and the browser more than all the rest."""
    return {
        "address": address("e", name, "jobs"),
        "columns": [*FIXED_COLUMNS, *variables, "failure"],
        "rows": [_texts(row, variables) for row in rows],
        "order": order,
        "shown": shown,
    }


def _texts(row: Trial, variables: Sequence[str]) -> list[str]:
    value = value_text.number(row.value) if math.isfinite(row.value) else ""
    seconds = "" if row.seconds is None else value_text.duration(row.seconds)
    params = [value_text.param(row.params.get(v, "")) for v in variables]
    return [str(row.id), value, row.outcome, seconds, *params, row.failure or ""]


def graph(drawing: Any, **named: str) -> dcc.Graph:
    return dcc.Graph(config={"displaylogo": False}, figure=drawing, **named)


def heading(lines: Sequence[str]) -> list[Any]:
    """A figure's title as a heading, with its other lines below."""
    return [html.H3(lines[0]), *(html.P(line) for line in lines[1:])]


def figure(title: Sequence[str], drawn: dcc.Graph, **named: str) -> html.Section:
    """A figure below its title, which wraps where plotly would cut it off."""
    return html.Section([html.Div(heading(title), **named), drawn], className="figure")


def figure_page() -> html.Div:
    drawn = figure([""], graph({"layout": BLANK}, id="figure"), id="figure-title")
    return html.Div([html.P("drawing …", id="figure-sentence", className="hint"), drawn])


# --- one job --------------------------------------------------------------------------------------


def job_page(name: str, job: Job, output: str, *, task: str, actions: bool) -> html.Div:
    """All about one job; why it was chosen is computed once the page is shown."""
    parts: list[Any] = [
        dcc.Link("← jobs", href=address("e", name)),
        html.H2(["job ", str(job.id), " ", status_word(Trial.of_job(job, task).outcome)]),
        facts(_job_facts(job, task)),
        *(_job_actions(job) if actions else ()),
        html.P(id="acted", className="hint"),
        dcc.Store(id="job", data=job.id),
        html.H3("Why here?"),
        dcc.Loading(html.Div(id="explanation")),
        html.Div(id="choice"),
    ]
    for n, failure in enumerate(job.failures, start=1):
        parts += [
            html.H3(f"Failure {n}: {failure.kind.value}"),
            html.P(failure.message, className="fault"),
            html.Pre(failure.stderr_tail),
        ]
    if output:
        parts += [html.H3("Output"), html.Pre(output, id="output")]
    return html.Div(parts)


def _job_facts(job: Job, task: str) -> Iterable[tuple[str, str]]:
    yield from result_text.results(job.values, objective=task, constraints=job.constraints)
    for variable, value in job.params.items():
        yield variable, value_text.param(value)
    yield "source", job.source.value
    yield "started", _time(job.started)
    yield "ended", _time(job.ended)
    yield "took", "" if job.seconds is None else value_text.duration(job.seconds)
    yield "attempts", str(job.attempts)
    yield from reasons(job.provenance)


def _job_actions(job: Job) -> list[Any]:
    retry = html.Button("retry", id="retry", disabled=job.status is not JobStatus.BROKEN)
    stoppable = job.is_reserved or job.status is JobStatus.PENDING
    stop = html.Button("stop", id="stop-job", disabled=not stoppable)
    hint = " ".join(["result", *(f"{name}=…" for name in job.constraints)])
    told = dcc.Input(id="result", type="text", placeholder=hint, disabled=not job.is_reserved)
    tell = html.Button("tell the result", id="tell", disabled=not job.is_reserved)
    return [html.Div([retry, stop, told, tell], className="bar")]


def explanation(found: Explanation | None) -> Any:
    if found is None:
        return html.P("No model chose this point.", className="hint")
    return facts(explanation_facts(found))


def _time(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S")
