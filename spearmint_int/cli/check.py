"""`check`: is this experiment ready to run?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spearmint_int import value_text
from spearmint_int.cli.arguments import FINE, USERS_MISTAKE, json_option, on_folder
from spearmint_int.cli.output import print_json
from spearmint_int.errors import SpearmintError

if TYPE_CHECKING:
    from spearmint_int.check import Advice
    from spearmint_int.cli.arguments import Folder
    from spearmint_int.config import Config
    from spearmint_int.stores import Store


@click.command(short_help="Validate config and objective, and give advice.")
@json_option
@on_folder
def check(folder: Folder, as_json: bool) -> int:
    """Validate the config, load the objective, and give advice; nothing is run."""
    try:
        advice = _advice(folder)
    except SpearmintError as error:
        _report_faults(getattr(error, "faults", [str(error)]), as_json=as_json)
        return USERS_MISTAKE
    if as_json:
        print_json({"ok": True, "faults": [], "advice": [str(a) for a in advice]})
        return FINE
    for line in advice:
        click.echo(f"{click.style('advice:', fg='yellow')} {line}")
    click.echo(f"{click.style('ready:', fg='green')} {_declared(folder.config)}")
    return FINE


def _advice(folder: Folder) -> list[Advice]:
    """Advice on the config, its objective, and on what has changed since the last run."""
    from spearmint_int.check import Advice, check_experiment  # noqa: PLC0415
    from spearmint_int.config.declaration import changes, eras  # noqa: PLC0415
    from spearmint_int.experiment.identity import check_folder, identity_changes, load_identity  # noqa: PLC0415

    advice = check_experiment(folder.config)
    with folder.results() as store:
        known = [] if store is None else eras(store)
        identity = None if store is None else load_identity(folder.config, store)
        check_folder(folder.config, identity)
        hint = None if store is None else _noiseless_hint(folder.config, store)
    changed = [*changes(folder.config, known), *identity_changes(folder.config, identity or {})]
    if hint is not None:
        changed.append(("likelihood", hint))
    return [*advice, *(Advice(*change) for change in changed)]


def _noiseless_hint(config: Config, store: Store) -> str | None:
    from spearmint_int.experiment.experiment import StoredExperiment  # noqa: PLC0415 (numpy)
    from spearmint_int.experiment.repeats import noiseless_hint  # noqa: PLC0415

    return noiseless_hint(config, StoredExperiment.read(config, store).history)


def _report_faults(faults: list[str], *, as_json: bool) -> None:
    if as_json:
        print_json({"ok": False, "faults": faults, "advice": []})
        return
    for fault in faults:
        click.echo(f"error: {fault}", err=True)


def _declared(config: Config) -> str:
    kinds = [variable.type for variable in config.variables.values()]
    variables = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    budget = "no limit" if config.budget is None else f"{config.budget} jobs"
    bound = value_text.counted(len(config.constraints), "constraint")
    tasks = f"{config.likelihood}, {bound}" if config.constraints else config.likelihood
    return f"{config.experiment_name}: {variables}; {tasks}; budget: {budget}"
