"""`make bench`: the tables, all in one run and on one thread."""

from __future__ import annotations

import os

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
os.environ.update(dict.fromkeys(THREADS, "1"))  # before a BLAS is loaded

import click  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from experiments.bench import engine, lapack, peers  # noqa: E402
from experiments.bench.problem import (  # noqa: E402
    DIMENSION_COUNTS,
    RESULTS_PER_DIMENSION,
    SIZES,
)

PEER_LIMIT = 500  # observations up to which the peers are asked too
MEMORY_MB = 300
BATCH, BATCH_ROWS = 8, 200
CONSOLE = Console(width=100)


def log_posterior_table(sizes: tuple[int, ...]) -> Table:
    table = Table(title="One log posterior over dpotrf alone (CPU µs)", title_justify="left")
    for heading in ("n", "log posterior", "dpotrf", "ratio", "target"):
        table.add_column(heading, justify="right")
    for n in sizes:
        ours, alone = engine.log_posterior_seconds(n), lapack.dpotrf_seconds(n)
        target = {20: "", 50: "≤ 4"}.get(n, "≤ 2.5")
        row = (n, f"{ours * 1e6:.1f}", f"{alone * 1e6:.1f}", f"{ours / alone:.2f}", target)
        table.add_row(*map(str, row))
    return table


def suggestion_table(sizes: tuple[int, ...]) -> Table:
    table = Table(
        title="One suggestion, 10 samples, over its LAPACK and BLAS calls (CPU ms)",
        title_justify="left",
    )
    for heading in ("n", "suggestion", "LAPACK + BLAS", "ratio", "target"):
        table.add_column(heading, justify="right")
    for n in sizes:
        time = engine.suggestion_time(n)
        ratio = f"{time.total / time.linear_algebra:.2f}"
        milliseconds = (f"{time.total * 1e3:.1f}", f"{time.linear_algebra * 1e3:.1f}")
        table.add_row(str(n), *milliseconds, ratio, "≤ 3" if n >= 100 else "")
    return table


def peer_table(sizes: tuple[int, ...]) -> Table:
    names = peers.installed()
    table = Table(title="One suggestion beside the peers (CPU ms)", title_justify="left")
    table.add_column("n", justify="right")
    for name in names:
        table.add_column(name, justify="right")
    for n in (n for n in sizes if n <= PEER_LIMIT):
        times = [peers.suggestion_seconds(name, n) for name in names]
        best = min(times)
        cells = [f"[bold]{t * 1e3:.1f}[/]" if t == best else f"{t * 1e3:.1f}" for t in times]
        table.add_row(str(n), *cells)
    return table


def wide_table() -> Table:
    table = Table(title="One suggestion in many dimensions (CPU ms)", title_justify="left")
    for heading in ("dimensions", "n", "suggestion"):
        table.add_column(heading, justify="right")
    for dimensions in DIMENSION_COUNTS:
        milliseconds = f"{engine.wide_suggestion_seconds(dimensions) * 1e3:.1f}"
        table.add_row(str(dimensions), str(RESULTS_PER_DIMENSION * dimensions), milliseconds)
    return table


@click.command()
@click.option("--size", "sizes", multiple=True, type=int, help="Observations; may be repeated.")
@click.option("--no-peers", is_flag=True, help="Leave the peers out.")
def main(sizes: tuple[int, ...], no_peers: bool) -> None:
    """Speed beside LAPACK's own time and beside the peers."""
    chosen = sizes or SIZES
    CONSOLE.print(log_posterior_table(chosen))
    CONSOLE.print(suggestion_table(chosen))
    if not no_peers:
        CONSOLE.print(peer_table(chosen))
    CONSOLE.print(wide_table())
    one, batch = (engine.batch_seconds(BATCH_ROWS, count) for count in (1, BATCH))
    CONSOLE.print(
        f"{BATCH} points at once over one, n = {BATCH_ROWS}: "
        f"{batch * 1e3:.0f} / {one * 1e3:.0f} ms = {batch / one:.2f} (target ≤ 3)"
    )
    cold = engine.cold_suggestion_seconds(PEER_LIMIT)
    CONSOLE.print(
        f"First suggestion on {PEER_LIMIT} results, with its burn-in: {cold:.2f} s of CPU"
    )
    CONSOLE.print(
        f"Peak memory at n = 1000: {engine.peak_memory_mb():.0f} MB (target < {MEMORY_MB})"
    )


if __name__ == "__main__":
    main()
