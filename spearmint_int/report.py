"""An experiment as one HTML file to mail: it needs no network and nothing beside it.

Everything from a config or a job is escaped: it is text, never markup.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from html import escape
from importlib.metadata import version
from typing import Any

import plotly.offline

from spearmint_int import __version__, value_text
from spearmint_int.config.written import as_written, written_text
from spearmint_int.jobs import FAILED_HERE, JobStatus
from spearmint_int.plots import plot
from spearmint_int.plots.files import FIGURE_STYLE, embedded
from spearmint_int.plots.style import FONT, template
from spearmint_int.registry import PLOTS
from spearmint_int.snapshot import Best, Snapshot, Trial, counts_text, without_best
from spearmint_int.variables import Params

PACKAGES = ("numpy", "scipy", "plotly")
STYLE = """
:root { color-scheme: light dark;
  --ink: #1f2328; --paper: #fff; --faint: #d8dee4; --hint: #59636e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8eb; --paper: #16191d; --faint: #3a4048; --hint: #9aa4ae; } }
@media print { :root { --ink: #000; --paper: #fff; } .figure { break-inside: avoid; } }
body { font: 15px/1.45 FONT; color: var(--ink); background: var(--paper);
       max-width: 1080px; margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0; } h2 { margin-top: 2.2rem; border-bottom: 1px solid var(--faint); }
.hint { color: var(--hint); } .wide { overflow-x: auto; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dt { color: var(--hint); } dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; }
th, td { text-align: left; padding: .2rem .6rem; border-bottom: 1px solid var(--faint);
         white-space: nowrap; max-width: 28rem; overflow: hidden; text-overflow: ellipsis; }
th button { all: unset; cursor: pointer; font-weight: 600; } th button:focus { outline: 2px solid; }
tr.best td { font-weight: 600; }
""".replace("FONT", FONT)
SCRIPT = """
const templates = TEMPLATES;
const dark = matchMedia('(prefers-color-scheme: dark)');
function paint() {
  const chosen = templates[dark.matches ? 'dark' : 'light'];
  for (const part of document.querySelectorAll('.plotly-graph-div'))
    Plotly.relayout(part, {template: chosen});
}
addEventListener('load', () => { if (dark.matches) paint(); });
dark.addEventListener('change', paint);
for (const [column, button] of document.querySelectorAll('th button').entries())
  button.addEventListener('click', () => {
    const body = button.closest('table').tBodies[0];
    const up = button.dataset.up = button.dataset.up === '1' ? '0' : '1';
    const key = row => row.cells[column].dataset.key ?? row.cells[column].textContent;
    const compare = (a, b) => {
      const [x, y] = [key(a), key(b)], [p, q] = [parseFloat(x), parseFloat(y)];
      const order = isNaN(p) || isNaN(q) ? x.localeCompare(y) : p - q;
      return up === '1' ? order : -order;
    };
    body.append(...[...body.rows].sort(compare));
  });
"""


def report(
    snapshot: Snapshot, settings: Mapping[str, Any], *, made: datetime, store: str = "",
    kinds: Iterable[str] = PLOTS.built_in,
) -> str:  # fmt: skip
    """The whole page; `settings` have the keys of a config.json."""
    figures = [plot(snapshot, kind) for kind in kinds]
    parts = [
        f"<h1>{escape(snapshot.name)}</h1>",
        f'<p class="hint">{escape(_when(made))} · {escape(store)}</p>',
        _facts(_outcome(snapshot)),
        "<h2>Figures</h2>",
        *(embedded(figure) for figure in figures),
        "<h2>Jobs</h2>",
        _table(snapshot),
        *_failures(snapshot.trials),
        "<h2>Settings</h2>",
        f"<pre>{escape(written_text(as_written(settings)))}</pre>",
        "<h2>Versions</h2>",
        _facts(_versions()),
    ]
    return _page(snapshot.name, "\n".join(parts))


def _page(title: str, body: str) -> str:
    templates = json.dumps({theme: template(theme) for theme in ("light", "dark")})
    script = SCRIPT.replace("TEMPLATES", templates)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title>"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}{FIGURE_STYLE}</style><script>{plotly.offline.get_plotlyjs()}</script></head>\n"
        f"<body>{body}\n<script>{script}</script></body></html>\n"
    )


def _outcome(snapshot: Snapshot) -> Iterable[tuple[str, str]]:
    states = [trial.status for trial in snapshot.trials]
    counts = {status: states.count(status.value) for status in JobStatus}
    yield "jobs", counts_text(counts, snapshot.trials) or "none yet"
    best = Best.among(snapshot.trials, snapshot.problem.space, maximize=snapshot.maximize)
    model = snapshot.recommendation
    if best is None and (why := without_best(snapshot.trials)):
        yield "best", why
    if best is not None:
        yield "best", f"{value_text.number(best.of_all.value)} (job {best.of_all.id}{best.note})"
        yield "at", _params(best.of_all.params)
    if best is not None and best.note:
        yield "within them", _best_within(best.within)
    if model is not None:
        yield "model's optimum", value_text.estimate(model.mean, model.sd)
        yield "at ", _params(model.params)
        yield from value_text.constraints(model.constraints, model.note)


def _best_within(trial: Trial | None) -> str:
    if trial is None:
        return "no result yet"
    return f"{value_text.number(trial.value)} (job {trial.id}), at {_params(trial.params)}"


def _params(params: Params) -> str:
    return ", ".join(f"{name} = {value_text.param(value)}" for name, value in params.items())


def _facts(rows: Iterable[tuple[str, str]]) -> str:
    return f"<dl>{''.join(f'<dt>{escape(n)}</dt><dd>{escape(t)}</dd>' for n, t in rows)}</dl>"


def _table(snapshot: Snapshot) -> str:
    """A row for each job; a click on a column's name sorts by it."""
    names = list(snapshot.problem.space.variables)
    header = ["job", "value", "status", "seconds", *names, "failure"]
    best = snapshot.best
    cells = "".join(f'<th><button type="button">{escape(name)}</button></th>' for name in header)
    rows = "".join(_row(trial, names, best=trial is best) for trial in snapshot.trials)
    table = f"<table><thead><tr>{cells}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<div class="wide">{table}</div>'


def _row(trial: Trial, names: Sequence[str], *, best: bool) -> str:
    value = value_text.number(trial.value) if trial.worked else ""
    seconds = "" if trial.seconds is None else f"{trial.seconds:.3g}"
    params = [value_text.param(trial.params.get(name, "")) for name in names]
    texts = [str(trial.id), value, trial.outcome, seconds, *params, trial.failure or ""]
    cells = "".join(f"<td>{escape(text)}</td>" for text in texts)
    return f'<tr class="best">{cells}</tr>' if best else f"<tr>{cells}</tr>"


def _failures(trials: Iterable[Trial]) -> Iterable[str]:
    """The failures by their sentence, the most frequent first; nothing where there are none."""
    jobs: dict[str, list[int]] = {}
    for trial in trials:
        sentence = FAILED_HERE if trial.failed_here else trial.failure
        if sentence is not None:
            jobs.setdefault(sentence, []).append(trial.id)
    if jobs:
        yield "<h2>Failures</h2>"
        ordered = sorted(jobs.items(), key=lambda item: -len(item[1]))
        yield _facts((f"{len(ids)} ×", f"{sentence} (job {ids[0]})") for sentence, ids in ordered)


def _versions() -> Iterable[tuple[str, str]]:
    yield "spearmint-int", __version__
    yield "python", platform.python_version()
    yield from ((name, version(name)) for name in PACKAGES)
    yield "system", platform.platform()


def _when(made: datetime) -> str:
    return made.strftime("%Y-%m-%d %H:%M %Z").strip()
