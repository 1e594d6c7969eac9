"""Figures: every kind of every kind of experiment, in both themes, with hostile names."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import timedelta, timezone
from pathlib import Path

import numpy as np
import pytest

from spearmint_int import Enum, Float, Int, minimize
from spearmint_int.analysis.slices import grids
from spearmint_int.chooser import ChooserOptions, Observations, Problem
from spearmint_int.errors import SpearmintError, UnknownNameError
from spearmint_int.registry import PLOTS
from spearmint_int.snapshot import Snapshot, Trial
from spearmint_int.space import Space
from spearmint_int.variables import Params

pytest.importorskip("plotly")

import plotly.graph_objects as go
from plotly.utils import PlotlyJSONEncoder

from spearmint_int.plots import (
    acquisition,
    axes,
    hyperparameters,
    optimum,
    parallel,
    plot,
    progress,
    timeline,
    variables,
    write,
)
from spearmint_int.plots.parallel import round_numbers
from spearmint_int.plots.style import BEST_TO_WORST, GREEN, NUMBERS, THEMES, template

HOSTILE = "<script>alert(1)</script>"
SPACE = Space(
    {
        "rate": Float(1e-4, 1, log=True),
        "depth": Int(1, 8),
        HOSTILE: Enum(["1", 1, HOSTILE]),
        "w": Float(0, 1, size=2),
    }
)
ALL = pytest.mark.parametrize("kind", PLOTS.built_in)


def some_snapshot(n: int = 14) -> Snapshot:
    rng = np.random.default_rng(2)
    points = SPACE.snap(rng.random((n, SPACE.dimensions)))
    values = np.sum(points, axis=1)
    values[n // 2 : n // 2 + 1] = np.nan
    theta = {"length_scales": [0.5] * len(SPACE.groups)}
    trials = tuple(
        Trial(
            i + 1, SPACE.decode(point), float(value),
            "complete" if math.isfinite(value) else "broken",
            started=1e9 + i, ended=1e9 + i + 2.0, failure=HOSTILE,
            provenance={"value": 0.1 / (i + 1), "acquisition": "ei", "hyperparameters": [theta]},
        )
        for i, (point, value) in enumerate(zip(points, values, strict=True))
    )  # fmt: skip
    options = ChooserOptions(samples=3, burn_in=20, candidates=100)
    problem = Problem(SPACE, Observations.of(points, values), options=options)
    return Snapshot(HOSTILE, trials, problem)


def snapshot_of(space: Space, *, count: int = 5, outside: int = 0) -> Snapshot:
    """Results at random points, the last of them beyond the bounds of the first variable."""
    rng = np.random.default_rng(2)
    points = space.snap(rng.random((count, space.dimensions)))
    values = np.arange(float(count))
    points[count - outside :, 0] = 1.4
    trials = tuple(Trial(i + 1, {}, float(v)) for i, v in enumerate(values))
    options = ChooserOptions(samples=3, burn_in=20, candidates=100)
    problem = Problem(space, Observations.of(points, values), options=options)
    return Snapshot("some", trials, problem)


@pytest.fixture(scope="module")
def wide() -> Snapshot:
    """More integers than are looked at, and more options than there is room for names."""
    options = [f"option-number-{i}" for i in range(40)]
    return snapshot_of(Space({"k": Int(1, 1000), "e": Enum(options)}))


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return some_snapshot()


@ALL
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_kind_is_drawn(kind: str, theme: str, snapshot: Snapshot) -> None:
    drawn = plot(snapshot, kind, theme=theme)
    assert len(drawn.data) > 0
    assert drawn.layout.title.text


@ALL
def test_an_experiment_without_results_says_so_instead(kind: str) -> None:
    nothing = Snapshot("new", (), Problem(SPACE, Observations.none(SPACE.dimensions)))
    drawn = plot(nothing, kind)
    assert len(drawn.data) == 0
    assert drawn.layout.annotations[0].text


@ALL
def test_one_variable_and_two_results_are_enough_not_to_crash(kind: str) -> None:
    space = Space({"k": Int(0, 3)})
    observed = Observations.of(np.array([[0.125], [0.375]]), np.array([1.0, 1.0]))
    trials = (Trial(1, {"k": 0}, 1.0), Trial(2, {"k": 1}, 1.0))
    assert plot(Snapshot("small", trials, Problem(space, observed)), kind) is not None


@pytest.mark.parametrize("kind", [k for k in PLOTS.built_in if k != "parallel"])
def test_names_and_options_are_text_and_never_markup(kind: str, snapshot: Snapshot) -> None:
    assert "<script" not in plot(snapshot, kind).to_json()


def test_integers_have_steps_and_reals_have_none(snapshot: Snapshot) -> None:
    drawn = plot(snapshot, "variables")
    bars = [trace for trace in drawn.data if trace.type == "bar"]
    assert [len(trace.x) for trace in bars] == [8, 3]


def test_a_step_is_as_high_as_the_model_is_unsure(snapshot: Snapshot) -> None:
    panel = variables.panels_of(snapshot)[1]
    box = next(trace for trace in plot(snapshot, "variables").data if trace.type == "bar")
    assert np.allclose(box.base, panel.slice.mean - panel.slice.sd)
    assert np.allclose(box.y, 2 * panel.slice.sd)


def test_the_model_is_flat_across_an_integer_and_nothing_between_two(snapshot: Snapshot) -> None:
    lines = [trace for trace in plot(snapshot, "variables").data if trace.legendgroup == "slice"]
    depth = next(trace for trace in lines if trace.type == "scatter" and None in trace.x)
    assert depth.y[0::3] == depth.y[1::3]
    assert set(depth.x[2::3]) == {None}


def test_integers_and_options_have_bars_around_the_next_point(snapshot: Snapshot) -> None:
    bars = [trace for trace in plot(snapshot, "choice").data if trace.type == "bar"]
    assert [len(trace.x) for trace in bars] == [8, 3]
    assert all(GREEN in trace.marker.color for trace in bars)


def test_the_power_of_the_results_is_drawn_where_it_is_sampled(snapshot: Snapshot) -> None:
    def boxes(options: ChooserOptions) -> list[str]:
        problem = replace(snapshot.problem, options=options)
        drawn = plot(replace(snapshot, problem=problem), "hyperparameters")
        return [trace.name for trace in drawn.data if trace.type == "box"]

    options = snapshot.problem.options
    assert boxes(replace(options, output_warp=True))[-1] == "λ"
    assert "λ" not in boxes(replace(options, output_warp=False))


def test_warped_axes_are_drawn_from_end_to_end(snapshot: Snapshot) -> None:
    options = replace(snapshot.problem.options, input_warp=True)
    bent = replace(snapshot, problem=replace(snapshot.problem, options=options))
    axes = [t for t in plot(bent, "hyperparameters").data if (t.name or "").startswith("axis of")]
    assert [trace.name for trace in axes] == [
        f"axis of {name}" for name in ("rate", "depth", "w[0]", "w[1]")
    ]
    assert all(trace.y[0] == 0.0 and trace.y[-1] == 1.0 for trace in axes)
    assert all(np.all(np.diff(trace.y) >= 0) for trace in axes)


def test_a_lattice_has_a_bar_for_each_of_its_likeliest_cells() -> None:
    space = Space({"k": Int(0, 3), "e": Enum(["a", HOSTILE])})
    rows = space.lattice()[::2]
    observed = Observations.of(rows, rows[:, 0])
    options = ChooserOptions(samples=3, burn_in=20)
    problem = Problem(space, observed, options=options)
    drawn = plot(Snapshot("small", (Trial(1, {}, 1.0),), problem), "optimum")
    assert drawn.data[-1].orientation == "h"
    assert len(drawn.data) == 3
    assert "<script" not in drawn.to_json()


def test_the_best_so_far_never_rises(snapshot: Snapshot) -> None:
    (line,) = [t for t in plot(snapshot, "progress").data if t.name == "best so far"]
    assert np.all(np.diff(line.y) <= 0)


def test_many_results_are_thinned_but_not_the_best_so_far() -> None:
    values = np.random.default_rng(0).random(10_000)
    values[17] = -1.0
    drawn = progress.figure([Trial(i + 1, {}, float(v)) for i, v in enumerate(values)], [])
    result, best = drawn.data
    assert (len(result.x), result.name) == (2000, "result (1 in 5)")
    assert dict(zip(best.x, best.y, strict=True))[18] == -1.0
    assert (best.x[-1], best.y[-1]) == (10_000, -1.0)


def test_what_does_not_fulfil_a_constraint_is_hollow_and_not_the_best() -> None:
    trials = [Trial(1, {}, 1.0, unfulfilled=("c",)), Trial(2, {}, 3.0), Trial(3, {}, 2.0)]
    result, hollow, best = progress.figure(trials, []).data
    assert (result.x, hollow.x, hollow.marker.symbol) == ((2, 3), (1,), "circle-open")
    assert (best.x, best.y) == ((2, 3), (3.0, 2.0))
    assert [part.name for part in progress.figure(trials[:1], []).data] == [hollow.name]


@pytest.mark.parametrize("kind", ["variables", "pairs"])
def test_what_does_not_fulfil_a_constraint_is_hollow_beside_the_model_too(kind: str) -> None:
    result = minimize(
        lambda p: {"main": p["n"] + p["x"], "c": p["n"] - 2.5}, {"n": Int(0, 6), "x": Float(0, 1)},
        8, constraints=["c"], samples=4, burn_in=20, candidates=200,
    )  # fmt: skip
    missed = sum(e.params["n"] < 2.5 for e in result.history)
    drawn = {t.name: t for t in reversed(result.plot(kind).data)}
    hollow, fulfilled = drawn["constraint not fulfilled"], drawn["result"]
    assert (hollow.marker.symbol, len(hollow.x)) == ("circle-open", missed)
    assert len(fulfilled.x) == 8 - missed > 0


def test_every_mark_among_the_pairs_is_named_once(snapshot: Snapshot) -> None:
    shown = [trace.name for trace in plot(snapshot, "pairs").data if trace.showlegend]
    assert shown == ["result", "failed", "model's optimum"]


def test_the_value_that_is_marked_best_fulfils_the_constraints() -> None:
    result = minimize(
        lambda p: {"main": p["n"] + p["x"], "c": p["n"] - 2.5}, {"n": Int(0, 6), "x": Float(0, 1)},
        8, constraints=["c"], likelihood="NOISELESS", samples=4, burn_in=20, candidates=200,
    )  # fmt: skip
    (best,) = [trace for trace in result.plot("variables").data if trace.name == "best value"]
    assert best.x[0] < 3 < best.x[1]


def test_the_plain_drawing_of_the_best_so_far_is_the_figure() -> None:
    trials = [Trial(1, {}, 2.0), Trial(2, {}, math.nan, "broken"), Trial(3, {}, 1.0)]
    drawn = go.Figure(progress.drawing(trials, theme="dark"))
    assert drawn == progress.figure(trials, [], theme="dark")
    assert go.Figure(progress.drawing([])) == progress.figure([], [])


def test_failures_stand_in_a_strip_of_their_own_above_the_values() -> None:
    trials = [Trial(1, {}, 2.0), Trial(2, {}, math.nan, "broken"), Trial(3, {}, math.nan)]
    drawn = progress.figure(trials, [])
    (failed,) = [trace for trace in drawn.data if trace.name == "failed"]
    assert (failed.x, failed.yaxis) == ((2, 3), "y2")
    assert drawn.layout.yaxis2.domain[0] > drawn.layout.yaxis.domain[1]
    assert drawn.layout.yaxis2.ticktext == ("failed",)


def test_failures_alone_are_crosses_too() -> None:
    drawn = progress.figure([Trial(1, {}, math.nan, "broken"), Trial(2, {}, math.nan)], [])
    assert [(trace.name, trace.x) for trace in drawn.data] == [("failed", (1, 2))]
    assert drawn.layout.annotations[0].text == "no result yet"


@pytest.mark.parametrize("kind", ["progress", "acquisition", "hyperparameters"])
def test_few_jobs_have_whole_numbers(kind: str) -> None:
    drawn = plot(some_snapshot(4), kind)
    (axis,) = [axis for axis in drawn.select_xaxes() if axis.title.text == "job"]
    assert axis.dtick == 1


def promised(*values: float) -> go.Figure:
    trials = [
        Trial(i, {}, 1.0, provenance={"value": v, "acquisition": "ei"})
        for i, v in enumerate(values, start=1)
    ]
    return acquisition.figure(trials)


def test_what_promises_next_to_nothing_does_not_squeeze_the_rest() -> None:
    drawn = promised(100.0, 1.0, 1e-37)
    low, high = drawn.layout.yaxis.range
    assert (low, high) == (pytest.approx(0.0, abs=0.5), pytest.approx(2.0, abs=0.5))
    assert "1 promised less than" in drawn.layout.title.text
    assert "and lies below" in drawn.layout.title.text


def test_what_is_promised_has_as_many_ticks_as_fit() -> None:
    assert promised(0.2, 0.3).layout.yaxis.dtick == "D2"  # 1, 2 and 5 of a decade
    assert promised(1.0, 1e-9).layout.yaxis.dtick == 1
    assert promised(1.0, 1e-11).layout.yaxis.dtick is None  # plotly's own choice


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_numbers_are_written_in_one_way(theme: str) -> None:
    layout = template(theme)["layout"]
    parts = (layout["xaxis"], layout["yaxis"], layout["coloraxis"]["colorbar"])
    assert all(part.items() >= NUMBERS.items() for part in parts)


def test_a_job_without_a_number_is_a_hatched_bar() -> None:
    drawn = timeline.figure([Trial(1, {}, math.nan, started=0.0, ended=1.0)], now=2.0)
    assert [(bars.name, bars.marker.pattern.shape) for bars in drawn.data] == [("failed", "/")]


def test_times_are_local_and_their_zone_has_its_name() -> None:
    zone = timezone(timedelta(hours=2), "CEST")
    drawn = timeline.figure([Trial(1, {}, 1.0, started=0.0, ended=1.0)], now=2.0, zone=zone)
    assert drawn.data[0].base == ("1970-01-01T02:00:00",)
    assert drawn.layout.xaxis.title.text == "time (CEST)"


def test_a_running_job_reaches_to_the_moment_of_reading(snapshot: Snapshot) -> None:
    running = Trial(1, {}, status="pending", started=1000.0)
    drawn = plot(replace(snapshot, trials=(running,), taken=1042.0), "timeline")
    assert drawn.data[0].x == (42_000.0,)
    assert "running for 42 s" in drawn.data[0].text[0]


def test_jobs_that_overlap_lie_in_different_lanes() -> None:
    assert timeline.lanes_of([(0, 2), (1, 3), (2, 4), (2.5, 3), (10, 11)]) == [0, 1, 0, 2, 0]


def test_a_page_has_all_it_needs(snapshot: Snapshot, tmp_path: Path) -> None:
    path = tmp_path / "progress.html"
    write(plot(snapshot, "progress"), path)
    text = path.read_text()
    assert 'src="http' not in text
    assert len(text) < 6_000_000


def test_an_unknown_ending_lists_those_there_are(snapshot: Snapshot, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"\.html, \.png, \.svg, \.pdf"):
        write(plot(snapshot, "timeline"), tmp_path / "figure.docx")


def test_a_folder_that_is_not_there_is_one_sentence(snapshot: Snapshot, tmp_path: Path) -> None:
    with pytest.raises(SpearmintError, match="can't be written"):
        write(plot(snapshot, "timeline"), tmp_path / "nowhere" / "figure.html")


def test_a_picture_without_a_browser_is_one_sentence(
    snapshot: Snapshot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("kaleido")
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "no-browser"))
    with pytest.raises(SpearmintError, match="needs Chrome or Chromium"):
        write(plot(snapshot, "timeline"), tmp_path / "figure.png")


def test_the_result_of_minimize_is_plotted() -> None:
    def function(params: Params) -> float:
        return float(params["x"] ** 2 + params["k"])

    space = Space({"x": Float(-1, 1), "k": Int(0, 3)})
    result = minimize(function, space, 6, samples=3, burn_in=20, candidates=100, progress=False)
    drawn = json.loads(result.plot("variables").to_json())
    assert drawn["layout"]["title"]["text"].startswith("What the model expects")
    assert "problem" not in repr(result)


def test_what_is_maximised_is_shown_in_its_own_sign(snapshot: Snapshot) -> None:
    trials = tuple(replace(t, value=-t.value) for t in snapshot.trials)
    upward = replace(snapshot, trials=trials, maximize=True)
    (line,) = [t for t in plot(upward, "progress").data if t.name == "best so far"]
    assert np.all(np.diff(line.y) >= 0)
    bars = [t for t in plot(upward, "variables").data if t.type == "bar"]
    mirrored = [t for t in plot(snapshot, "variables").data if t.type == "bar"]
    assert np.allclose(bars[0].customdata, -np.array(mirrored[0].customdata))


# --- results that have no place any more ----------------------------------------------------------


@pytest.fixture(scope="module")
def narrowed() -> Snapshot:
    return snapshot_of(Space({"depth": Int(1, 5), "x": Float(0, 1)}), count=6, outside=2)


@pytest.mark.parametrize("kind", ["variables", "pairs", "parallel"])
def test_results_beyond_the_bounds_are_counted_in_the_title(kind: str, narrowed: Snapshot) -> None:
    note = "2 results outside of the present bounds and options are not shown"
    assert note in plot(narrowed, kind).layout.title.text


def test_results_beyond_the_bounds_are_not_drawn_at_them(narrowed: Snapshot) -> None:
    (results,) = [t for t in plot(narrowed, "pairs").data if t.name == "result"]
    (lines,) = plot(narrowed, "parallel").data
    assert len(results.x) == len(lines.line.color) == 4


def test_a_result_with_an_option_that_is_gone_is_counted_too(narrowed: Snapshot) -> None:
    more = replace(narrowed, trials=(*narrowed.trials, Trial(7, {}, 1.0)))
    assert axes.outside_note(more).startswith("3 results")


def test_failed_jobs_are_crosses_among_the_pairs(snapshot: Snapshot) -> None:
    failed = [trace for trace in plot(snapshot, "pairs").data if trace.name == "failed"]
    assert {(len(trace.x), trace.marker.symbol) for trace in failed} == {(1, "x")}


def test_pairs_have_ranges_of_their_own(snapshot: Snapshot) -> None:
    """Panels that share a log scale find none by themselves."""
    drawn = plot(snapshot, "pairs")
    assert all(axis.range for axis in (*drawn.select_xaxes(), *drawn.select_yaxes()))


def test_axes_of_pairs_that_share_a_scale_are_of_one_sort(snapshot: Snapshot) -> None:
    drawn = plot(snapshot, "pairs")
    axes_of = [*drawn.select_xaxes(), *drawn.select_yaxes()]
    sorts = {axis.plotly_name: axis.type for axis in axes_of}
    shared = [axis for axis in axes_of if axis.matches]
    assert all(axis.type == sorts[f"{axis.matches[0]}axis{axis.matches[1:]}"] for axis in shared)


# --- many integers, many options ------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["variables", "choice"])
def test_an_axis_says_how_many_of_its_integers_are_looked_at(kind: str, wide: Snapshot) -> None:
    drawn = plot(wide, kind)
    assert drawn.layout.xaxis.title.text == "k (60 of 1000)"
    assert [len(trace.x) for trace in drawn.data if trace.type == "bar"] == [40]  # the options


def test_integers_stand_where_they_lie(wide: Snapshot) -> None:
    drawn = plot(wide, "optimum")
    assert drawn.layout.xaxis.type is None  # numbers, and not categories
    assert all(
        float(text) == x for text, x in zip(drawn.data[0].text, drawn.data[0].x, strict=True)
    )


@pytest.mark.parametrize("kind", ["variables", "choice", "optimum"])
def test_of_many_options_some_are_named_and_all_on_hovering(kind: str, wide: Snapshot) -> None:
    drawn = plot(wide, kind)
    assert len(drawn.layout.xaxis2.ticktext) <= axes.MOST_TICKS
    (bars,) = [t for t in drawn.data if t.type == "bar" and "option-number-39" in t.text]
    assert len(bars.text) == 40


def test_every_one_of_forty_options_has_its_name_across_all_variables(wide: Snapshot) -> None:
    names = plot(wide, "parallel").data[0].dimensions[1].ticktext
    assert len(set(names)) == 40


def test_a_long_name_loses_its_middle() -> None:
    assert axes.shortened("option-number-17", 9) == "opti…r-17"
    assert axes.shortened("short", 9) == "short"


def test_the_bands_of_hyperparameters_have_no_dots() -> None:
    drawn = plot(some_snapshot(), "hyperparameters")
    bands = [trace for trace in drawn.data if trace.type == "scatter" and trace.fill]
    assert bands
    assert all(band.mode == "lines" for band in bands)


@pytest.mark.parametrize(
    ("kind", "axis"), [("hyperparameters", "xaxis"), ("importance", "yaxis"), ("optimum", "xaxis")]
)
def test_long_names_of_variables_are_cut_at_axes_and_stay_apart(kind: str, axis: str) -> None:
    long = "the_number_of_hidden_units_of_the_{}_layer_of_the_network"
    space = Space({long.format(n): Int(1, 500) for n in ("first", "second")})
    drawn = plot(snapshot_of(space), kind)
    shown = drawn.layout[axis]
    names = shown.ticktext or [shown.title.text]
    assert all(len(name) <= axes.TITLE_LENGTH for name in names)
    assert shown.tickvals is None or len(set(shown.tickvals)) == 2


@ALL
def test_powers_are_drawn_on_a_log_scale(kind: str) -> None:
    drawn = plot(snapshot_of(Space({"batch": Int(1, 1000, base=10), "x": Float(0, 1)})), kind)
    if kind in ("variables", "choice"):
        assert drawn.layout.xaxis.type == "log"
        assert drawn.layout.xaxis.tickvals == (1, 10, 100, 1000)


def test_many_powers_have_ticks_at_some_of_them_and_nowhere_else() -> None:
    snapshot = snapshot_of(Space({"pages": Int(1, 4096, base=2), "x": Float(0, 1)}))
    some = (1, 4, 16, 64, 256, 1024, 4096)
    assert plot(snapshot, "variables").layout.xaxis.tickvals == some
    assert plot(snapshot, "parallel").data[0].dimensions[0].ticktext == tuple(map(str, some))


def test_integers_far_from_0_are_written_out() -> None:
    space = Space({"near": Int(0, 50_000_000), "far": Int(1_000_000, 1_000_020), "x": Float(5, 6)})
    drawn = plot(snapshot_of(space), "variables").layout
    formats = [axis.tickformat for axis in (drawn.xaxis, drawn.xaxis2, drawn.xaxis3)]
    assert formats == [None, "d", None]


def test_the_best_of_a_wide_integer_lies_on_its_own_scale() -> None:
    grid = grids(Space({"k": Int(1, 100_000, log=True)}))[0]
    assert optimum.figure([(grid, {1: 0.2, 90_000: 0.8})], "").layout.xaxis.type == "log"
    assert optimum.figure([(grid, {70: 0.2, 73: 0.8})], "").layout.xaxis.dtick == 1


# --- the length scales ----------------------------------------------------------------------------


def test_names_that_stand_upright_have_room_above_the_next_panel() -> None:
    def gap(names: list[str]) -> float:
        samples = hyperparameters.Samples(np.ones((3, len(names))), np.array([0.5, 0.6, 0.7]))
        drawn = hyperparameters.figure(names, samples, [(1, samples)]).layout
        return float(drawn.height * (drawn.yaxis.domain[0] - drawn.yaxis3.domain[1]))

    few, many = gap(["x", "k"]), gap([f"learning_rate{n}" for n in range(9)])
    assert many > few + 80


def test_no_two_of_many_variables_have_the_same_line() -> None:
    names = [f"x{n}" for n in range(20)]
    samples = hyperparameters.Samples(np.ones((3, 20)), np.ones(3))
    drawn = hyperparameters.figure(names, samples, [(1, samples), (2, samples)])
    lines = [trace.line for trace in drawn.data if trace.type == "scatter" and trace.name]
    assert len({(line.color, line.dash) for line in lines}) == 20


# --- the lines across all variables ---------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_best_lines_are_those_farthest_from_the_paper(theme: str) -> None:
    shades = [_lightness(colour) for colour in (THEMES[theme]["paper"], *BEST_TO_WORST[theme])]
    distances = [abs(shade - shades[0]) for shade in shades[1:]]
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] > 0.15


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_template_is_as_plotly_itself_has_it(theme: str) -> None:
    """A page gives it to a browser, which reads no shorter form."""
    ours = template(theme)["data"]["parcoords"][0]["line"]
    checked = json.loads(PlotlyJSONEncoder().encode(go.layout.Template(template(theme))))
    assert checked["data"]["parcoords"][0]["line"] == ours


def _lightness(colour: str) -> float:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def test_every_axis_has_texts_of_its_own(snapshot: Snapshot) -> None:
    assert all(axis.ticktext for axis in plot(snapshot, "parallel").data[0].dimensions)


@pytest.mark.parametrize("values", [[1e17] * 2, [1.7e308] * 2, [-1.7e308, 1.7e308], [0, 5e-324]])
def test_results_of_any_size_have_an_axis(values: list[float]) -> None:
    drawn = parallel.figure([], np.array(values)).data[0].dimensions[-1]
    low, high = drawn.range
    assert -math.inf < low <= min(values) <= max(values) <= high < math.inf
    assert all(low <= tick <= high for tick in drawn.tickvals)


def test_a_long_name_below_the_first_axis_is_not_cut_off_by_the_edge() -> None:
    space = Space({"a_really_long_name_that_never_ends_" * 2: Float(0, 1)})
    label = plot(snapshot_of(space), "parallel").data[0].dimensions[0].label
    assert len(label) <= axes.TITLE_LENGTH


def test_ticks_are_round_numbers() -> None:
    assert list(round_numbers(0.03, 1.07).values()) == [f"{k / 10:g}" for k in range(1, 11)]
    assert "1000000.2" in round_numbers(1e6 + 0.1, 1e6 + 0.35).values()
    assert "-2×10⁸" in round_numbers(-3e8, 3e8).values()
