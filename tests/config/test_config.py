"""A config.json becomes an experiment: every key, both spellings, every default."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spearmint_int.config import Config, ConfigFaultsError, IntVariable, config_from, load_config
from spearmint_int.config.stop_rule import StopRule
from spearmint_int.errors import ConfigError

DEPTH = {"type": "INT", "min": 1, "max": 5}


def config(**keys: Any) -> Config:
    """A config with one variable and these keys (hyphens as underscores)."""
    return config_from({"main-file": "objective", "variables": {"depth": DEPTH}} | keys, Path("e"))


def faults(**keys: Any) -> list[str]:
    with pytest.raises(ConfigFaultsError) as caught:
        config(**keys)
    return caught.value.faults


def test_every_default_is_the_documented_one() -> None:
    c = config()
    assert (c.experiment_name, c.language, c.likelihood) == ("e", "PYTHON", "GAUSSIAN")
    assert (c.chooser, c.acquisition, c.kernel) == ("default_chooser", "auto", "matern52")
    assert (c.polling_time, c.seed, c.max_attempts) == (5.0, 0, 3)
    assert (c.max_time, c.job_time_limit, c.integer_treatment) == (None, None, "proposed")
    assert c.chooser_args.model_dump() == {
        "mcmc_iters": 10, "burnin": 100, "thinning": 0, "num_fantasies": 1,
        "chains": 1, "threads": 1, "num_initial_points": 2,
        "output_warp": True, "trend": True, "input_warp": False,
        "grid_size": 1000, "grid_seed": 0, "num_spray": 10, "spray_std": 1e-3,
    }  # fmt: skip
    assert (c.database.address, c.database.name) == (None, "spearmint")
    assert c.tasks == ("main",)


def test_there_is_one_local_resource_by_default() -> None:
    assert list(config().resources) == ["Main"]
    main = config().resources["Main"]
    assert (main.scheduler, main.max_concurrent, main.max_finished_jobs) == ("local", 1, None)


@pytest.mark.parametrize("key", ["max-concurrent", "max_concurrent"])
def test_keys_are_spelt_with_a_hyphen_or_an_underscore(key: str) -> None:
    assert config(**{key: 4}).resources["Main"].max_concurrent == 4


def test_types_and_languages_are_read_in_any_case() -> None:
    variables = {"a": {"type": "Float", "min": 0, "max": 1}, "b": DEPTH | {"type": "int"}}
    c = config(language="shell", likelihood="Noiseless", scheduler="LOCAL", variables=variables)
    assert (c.language, c.likelihood) == ("SHELL", "NOISELESS")
    assert [v.type for v in c.variables.values()] == ["FLOAT", "INT"]


def test_whole_floats_are_integers() -> None:
    depth = config(variables={"depth": {"type": "INT", "min": 1.0, "max": 5.0}}).variables["depth"]
    assert isinstance(depth, IntVariable)
    assert isinstance(depth.max, int)


def test_the_space_has_the_declared_variables() -> None:
    space = config(
        variables={
            "rate": {"type": "FLOAT", "min": 1e-4, "max": 1, "log": True},
            "depth": {"type": "INT", "min": 1, "max": 5, "size": 2},
            "kind": {"type": "ENUM", "options": ["a", "b"]},
        }
    ).space()
    assert list(space.variables) == ["rate", "depth", "kind"]
    assert space.dimensions == 5
    assert space.cells == 50


def test_options_come_from_the_task_before_chooser_args_before_the_top_level() -> None:
    task = {"main": {"type": "OBJECTIVE", "burnin": 3}}
    args = {"burnin": 2, "grid-size": 20, "mcmc-iters": 2}
    chosen = config(tasks=task, chooser_args=args, burnin=1, grid_size=10, thinning=1).chooser_args
    assert (chosen.burnin, chosen.grid_size, chosen.mcmc_iters, chosen.thinning) == (3, 20, 2, 1)


def test_chains_and_the_length_of_the_beginning_reach_the_chooser() -> None:
    options = config(chooser_args={"chains": 4, "threads": 2}, num_initial_points=8)
    chosen = options.chooser_options()
    assert (chosen.chains, chosen.threads, chosen.initial_points) == (4, 2, 8)
    assert faults(chains=0) == ["config.json: chains: must be at least 1, got 0"]


def test_a_number_of_initial_points_is_told_its_key() -> None:
    assert faults(initial_points=5) == [
        "config.json: initial_points: must be a list of guesses; how many points come before the "
        "model is num-initial-points, got 5"
    ]


def test_a_task_may_bring_its_own_name_main_file_and_likelihood() -> None:
    document = {
        "variables": {"depth": DEPTH},
        "tasks": {"loss": {"type": "objective", "likelihood": "NOISELESS", "main-file": "loss.py"}},
    }
    c = config_from(document, Path("e"))
    assert (c.task_name, c.main_file, c.likelihood) == ("loss", "loss.py", "NOISELESS")


BESIDE_A_BLOCK = "config.json: max_finished_jobs: stands beside a resources block; say it in the "


def test_a_budget_beside_a_block_of_resources_is_told_what_to_write() -> None:
    assert faults(resources={"a": {}, "b": {}}, max_finished_jobs=21) == [
        BESIDE_A_BLOCK + 'entries, {"a": {"max-finished-jobs": 11, …}, '
        '"b": {"max-finished-jobs": 10, …}}; the budget is their sum'
    ]
    assert faults(resources={"a": {"max-finished-jobs": 5}, "b": {}}, max_finished_jobs=21) == [
        BESIDE_A_BLOCK + 'entries, {"b": {"max-finished-jobs": 16, …}}; the budget is their sum'
    ]


def test_another_key_beside_a_block_of_resources_is_told_what_to_write() -> None:
    assert faults(resources={"a": {}}, max_concurrent=4) == [
        "config.json: max_concurrent: stands beside a resources block; say it in the entries, "
        '{"a": {"max-concurrent": 4, …}}'
    ]
    assert faults(resources={"a": {"max_concurrent": 2}}, max_concurrent=4) == [
        "config.json: max_concurrent: every entry of the resources block has its own; "
        "take this one out"
    ]


def test_a_block_of_resources_is_taken_as_it_is() -> None:
    c = config(resources={"a": {"max-concurrent": 2, "max-finished-jobs": 7}, "b": {}})
    assert c.resources["a"].max_concurrent == 2
    assert c.budget is None
    assert config(max_finished_jobs=12).budget == 12


@pytest.mark.parametrize(("named", "taken"), [(["b"], ["b"]), ([], ["a", "b"]), (None, ["a", "b"])])
def test_a_task_runs_on_the_resources_that_it_names(named: Any, taken: list[str]) -> None:
    resources = {"a": {"max-finished-jobs": 2}, "b": {"max-finished-jobs": 3}}
    c = config(resources=resources, tasks={"main": {"type": "OBJECTIVE", "resources": named}})
    assert list(c.resources) == taken
    assert c.budget == sum(resources[name]["max-finished-jobs"] for name in taken)


@pytest.mark.parametrize(
    ("given", "seconds"), [(90, 90), ("90", 90), ("90s", 90), ("1.5 h", 5400), ("2d", 172800)]
)
def test_times_are_seconds_or_have_a_unit(given: Any, seconds: float) -> None:
    assert config(max_time=given).max_time == seconds


def test_options_that_are_no_text_are_told_how_to_become_one_and_nothing_else() -> None:
    told = "config.json: variables.x.options[{}]: must be text or a number, such as "
    found = faults(variables={"x": {"type": "ENUM", "options": [True, False]}})
    assert found == [
        told.format(0) + '"true" in quotes, got true',
        told.format(1) + '"false" in quotes, got false',
    ]
    (found_null,) = faults(variables={"x": {"type": "ENUM", "options": [None]}})
    assert found_null == told.format(0) + '"null" in quotes'


def test_a_single_guess_without_a_list_is_told_how_to_write_it() -> None:
    (found,) = faults(**{"initial-points": {"x": 1}})
    assert found.endswith('must be a list of guesses, also of one: [{ … }], got {"x": 1}')


def test_a_time_that_is_half_a_character_is_refused_with_a_sentence() -> None:
    (fault,) = faults(max_time="\ud800")
    assert 'max_time: must be seconds, or a text like "90s"' in fault


def test_more_options_than_a_model_can_have_are_refused_at_once() -> None:
    (fault,) = faults(variables={"e": {"type": "ENUM", "options": [str(i) for i in range(10**5)]}})
    assert "variables.e.options: must have at most 1000 entries" in fault
    assert len(fault) < 300


def test_a_vector_of_more_values_than_a_model_can_have_is_refused() -> None:
    (fault,) = faults(variables={"x": {"type": "FLOAT", "min": 0, "max": 1, "size": 1e9}})
    assert "variables.x.size: must be at most 10000" in fault


def test_when_to_stop_is_a_sentence() -> None:
    given = config(stop_when="regret below 1e-3 with 97.5%").stop_when
    assert StopRule.of(given or "") == StopRule(1e-3, 0.975)


@pytest.mark.parametrize(
    "given",
    ["soon", "regret below 0 with 95 %", "regret below 1 with 100 %", "regret below . with 9 %"],
)
def test_another_sentence_is_refused_with_an_example(given: str) -> None:
    (fault,) = faults(stop_when=given)
    assert 'must be a sentence like "regret below 0.01 with 95 %"' in fault


def test_a_warp_of_the_inputs_is_on_off_or_auto() -> None:
    assert config(input_warp="AUTO").chooser_options().input_warp == "auto"
    assert config(input_warp=True).chooser_options().input_warp is True
    (fault,) = faults(input_warp="yes")
    assert 'input_warp: must be true, false or "auto", got "yes"' in fault


def test_the_environment_says_where_the_database_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPEARMINT_DB_ADDRESS", "db.lab")
    assert config(database={"address": "localhost"}).database.address == "db.lab"


def test_initial_points_are_checked_against_the_variables() -> None:
    assert config(initial_points=[{"depth": 2}]).initial_points == ({"depth": 2},)
    assert faults(initial_points=[{"depth": 2}, {"depth": 9}])[0] == (
        "config.json: initial_points[1].depth: must lie in {1, …, 5}, got 9"
    )


def test_the_folder_names_the_experiment(tmp_path: Path) -> None:
    folder = tmp_path / "branin"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"main-file": "m", "variables": {"d": DEPTH}}))
    assert load_config(folder).experiment_name == "branin"


def test_spearmints_own_layout_is_read_unchanged() -> None:
    document = {
        "language": "PYTHON",
        "main-file": "branin.py",
        "experiment-name": "simple-branin-example",
        "likelihood": "NOISELESS",
        "variables": {"X": {"type": "FLOAT", "size": 2, "min": 0, "max": 1}},
        "database": {"name": "spearmint", "address": "localhost"},
    }
    c = config_from(document, Path("e"))
    assert c.experiment_name == "simple-branin-example"
    assert c.variables["X"].size == 2


def test_all_faults_are_kept_and_the_first_is_the_text() -> None:
    with pytest.raises(ConfigError) as caught:
        config(grid_size=0, likelihood="x", seed=-1)
    assert isinstance(caught.value, ConfigFaultsError)
    assert len(caught.value.faults) == 3
    assert str(caught.value).endswith("(and 2 more: 'spearmint-int check' lists all)")


@pytest.mark.parametrize("name", ["objective", "objective.py"])
def test_the_main_file_is_found_with_or_without_its_ending(tmp_path: Path, name: str) -> None:
    (tmp_path / "objective.py").write_text("def main(job_id, params): return 0.0\n")
    c = config_from({"main-file": name, "variables": {"d": DEPTH}}, tmp_path)
    assert c.main_path == tmp_path / "objective.py"


def test_a_missing_main_file_names_the_files_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "objektive.py").write_text("")
    c = config_from({"main-file": "objective", "variables": {"d": DEPTH}}, tmp_path)
    with pytest.raises(ConfigError, match=r"objective\.py is not in .* \(found: objektive\.py\)"):
        _ = c.main_path


def test_a_missing_main_file_is_named_with_its_folder(tmp_path: Path) -> None:
    c = config_from({"main-file": "../x/o.py", "variables": {"d": DEPTH}}, tmp_path)
    with pytest.raises(ConfigError, match=r"main-file: \.\./x/o\.py is not in"):
        _ = c.main_path


def test_a_script_that_is_not_executable_says_the_command(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("#!/bin/sh\necho 1\n")
    document = {"main-file": "run.sh", "language": "SHELL", "variables": {"d": DEPTH}}
    with pytest.raises(ConfigError, match=r"is not executable; run 'chmod \+x"):
        _ = config_from(document, tmp_path).main_path
