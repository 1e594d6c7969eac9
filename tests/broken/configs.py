"""Configs that can't be used, and the sentence that each must get (its beginning)."""

from __future__ import annotations

DEPTH = '"depth": {"type": "INT", "min": 1, "max": 5}'
GOOD = '{"main-file": "objective", "max-finished-jobs": 1, "variables": {' + DEPTH + "}}"


def with_keys(keys: str) -> str:
    """A good config with these keys in front."""
    return GOOD.replace("{", "{" + keys + ", ", 1)


def with_variable(variable: str) -> str:
    """A good config whose variable `depth` is this one."""
    return GOOD.replace(DEPTH, f'"depth": {variable}')


BROKEN_CONFIGS = {
    # --- not JSON ---
    "empty": ("", "config.json: is empty"),
    "a list": ("[]", "config.json: must hold one JSON object"),
    "cut short": (GOOD[:-2], "config.json:1:"),
    "trailing comma": ('{\n  "seed": 1,\n}', "config.json:2:12: trailing comma"),
    "comment": ('{\n  // the seed\n  "seed": 1\n}', "config.json:2:3: comments are not part"),
    "single quotes": ("{'seed': 1}", "config.json:1:2: found a single quote"),
    "python literal": ('{"seed": None}', "config.json:1:10: None is not JSON; write null"),
    "missing comma": ('{"seed": 1 "kernel": "x"}', "config.json:1:12: expected a comma"),
    "missing colon": ('{"seed" 1}', "config.json:1:9: expected a colon"),
    "open string": ('{"seed: 1}', "config.json:1:2: the string that begins here"),
    "not a number": ('{"seed": NaN}', "config.json:1:10: NaN is not JSON"),
    "key twice": ('{"seed": 1, "seed": 2}', "config.json: seed: this key is given twice"),
    # --- keys ---
    "both spellings": (
        with_keys('"max-time": 1, "max_time": 2'),
        "config.json: max-time: is given with a hyphen and with an underscore",
    ),
    "misspelt key": (with_keys('"mcmc-itres": 3'), "config.json: mcmc-itres: unknown key; did you"),
    "another program's key": (
        with_keys('"n_trials": 3'),
        "config.json: n_trials: unknown key; did you mean 'max-finished-jobs'?",
    ),
    "another program's bounds": (
        with_variable('{"type": "INT", "min": 1, "max": 8, "high": 8}'),
        "config.json: variables.depth.high: unknown key; did you mean 'max'?",
    ),
    "another program's options": (
        with_variable('{"type": "ENUM", "options": ["a"], "choices": ["b"]}'),
        "config.json: variables.depth.choices: unknown key; did you mean 'options'?",
    ),
    "constraints by themselves": (
        with_keys('"constraints": ["c"]'),
        "config.json: constraints: unknown key; did you mean 'tasks'? Each is one of",
    ),
    "unknown key": (with_keys('"zzz": 3'), "config.json: zzz: unknown key; there are"),
    "no variables": ('{"main-file": "objective"}', "config.json: variables: is required"),
    "zero variables": (
        '{"main-file": "objective", "variables": {}}',
        "config.json: variables: must",
    ),
    "no main file": (
        GOOD.replace('"main-file": "objective", ', ""),
        "config.json: main-file: is req",
    ),
    # --- variables ---
    "variable without type": (with_variable('{"min": 1}'), "config.json: variables.depth.type: is"),
    "unknown type": (
        with_variable('{"type": "REAL", "min": 0, "max": 1}'),
        'config.json: variables.depth.type: must be FLOAT, INT or ENUM, got "REAL"',
    ),
    "not an object": (with_variable("3"), "config.json: variables.depth: must be an object with a"),
    "max below min": (
        with_variable('{"type": "INT", "min": 3, "max": 1}'),
        "config.json: variables.depth.max: must be at least min (3), got 1",
    ),
    "no max": (
        with_variable('{"type": "INT", "min": 3}'),
        "config.json: variables.depth.max: is required",
    ),
    "half an integer": (
        with_variable('{"type": "INT", "min": 0, "max": 1.5}'),
        "config.json: variables.depth.max: must be a whole number, got 1.5",
    ),
    "text for a number": (
        with_variable('{"type": "FLOAT", "min": "0", "max": 1}'),
        'config.json: variables.depth.min: must be a number, got "0"',
    ),
    "infinite bound": (
        with_variable('{"type": "FLOAT", "min": 0, "max": 1e999}'),
        "config.json: variables.depth.max: must be a finite number",
    ),
    "integers too far apart": (
        with_variable('{"type": "INT", "min": -9007199254740991, "max": 9007199254740991}'),
        "config.json: variables.depth: more than 1e+15 integers",
    ),
    "bounds too far apart": (
        with_variable('{"type": "FLOAT", "min": -1e308, "max": 1e308}'),
        "config.json: variables.depth: max − min must be finite, got -1e+308 and 1e+308",
    ),
    "log scale from zero": (
        with_variable('{"type": "FLOAT", "min": 0, "max": 1, "log": true}'),
        "config.json: variables.depth.min: must be above 0 on a log scale, got 0",
    ),
    "size zero": (
        with_variable('{"type": "INT", "min": 0, "max": 1, "size": 0}'),
        "config.json: variables.depth.size: must be at least 1, got 0",
    ),
    "no options": (
        with_variable('{"type": "ENUM", "options": []}'),
        "config.json: variables.depth.options: must have at least one entry",
    ),
    "an option twice": (
        with_variable('{"type": "ENUM", "options": ["a", "a"]}'),
        "config.json: variables.depth.options: must differ from each other",
    ),
    "a name with a dot": (
        GOOD.replace("depth", "de.pth"),
        "config.json: variables: a name must be",
    ),
    "a name that is empty": (
        GOOD.replace("depth", ""),
        'config.json: variables: a name must not be empty, got ""',
    ),
    # --- other values ---
    "text for a count": (
        with_keys('"max-concurrent": "2"'),
        "config.json: max-concurrent: must be",
    ),
    "unknown likelihood": (
        with_keys('"likelihood": "POISSON"'),
        "config.json: likelihood: must be",
    ),
    "unknown kernel": (with_keys('"kernel": "matern25"'), "config.json: kernel: no such kernel"),
    "unknown chooser": (with_keys('"chooser": "default"'), "config.json: chooser: no such chooser"),
    "time without sense": (
        with_keys('"max-time": "soon"'),
        "config.json: max-time: must be seconds",
    ),
    "no time": (
        with_keys('"job-time-limit": "0 h"'),
        'config.json: job-time-limit: must be above 0, got "0 h"',
    ),
    "guess outside": (
        with_keys('"initial-points": [{"depth": 9}]'),
        "config.json: initial-points[0].depth: must lie in {1, …, 5}, got 9",
    ),
    "guess of another variable": (
        with_keys('"initial-points": [{"depht": 2}]'),
        "config.json: initial-points[0].depht: no such variable; did you mean 'depth'?",
    ),
    "unknown prior": (
        with_keys('"priors": {"noise": {"type": "x"}}'),
        "config.json: priors.noise: ",
    ),
    "prior that leaves nothing": (
        with_keys('"priors": {"length-scale": {"type": "uniform", "lower": -2, "upper": -1}}'),
        "config.json: priors.length-scale: the length scale must be above 0, and upper is -1",
    ),
    "resources twice": (
        with_keys('"resources": {"a": {}}'),
        "config.json: max-finished-jobs: stands beside a resources block",
    ),
    # --- not supported (yet) ---
    "matlab": (with_keys('"language": "MATLAB"'), "config.json: language: MATLAB is not supported"),
    "constraint of another file": (
        with_keys('"tasks": {"f": {}, "c": {"type": "constraint", "main_file": "c.py"}}'),
        'config.json: tasks.c.main_file: must be that of the objective "f", got "c.py"',
    ),
    "constraint in another language": (
        with_keys('"tasks": {"f": {}, "c": {"type": "CONSTRAINT", "language": "SHELL"}}'),
        'config.json: tasks.c.language: must be that of the objective "f", got "SHELL"',
    ),
    "name of a constraint": (
        with_keys('"tasks": {"f": {}, "c=1": {"type": "CONSTRAINT"}}'),
        "config.json: tasks: a name must be without '.', '$', '=' and spaces, got \"c=1\"",
    ),
    "resources of a constraint": (
        with_keys('"tasks": {"f": {}, "c": {"type": "CONSTRAINT", "resources": ["Main"]}}'),
        'config.json: tasks.c.resources: must be those of the objective "f"',
    ),
    "constraints alone": (
        with_keys('"tasks": {"c": {"type": "CONSTRAINT"}}'),
        "config.json: tasks: must have one task of type OBJECTIVE",
    ),
    "binomial constraint": (
        with_keys('"tasks": {"f": {}, "c": {"type": "CONSTRAINT", "likelihood": "binomial"}}'),
        "config.json: tasks.c.likelihood: BINOMIAL is not supported yet; use GAUSSIAN or NOISELESS",
    ),
    "confidence": (
        with_keys('"tasks": {"f": {}, "c": {"type": "CONSTRAINT", "min-confidence": 1}}'),
        "config.json: tasks.c.min-confidence: must be below 1.0, got 1",
    ),
    "two objectives": (
        with_keys('"tasks": {"f": {"type": "OBJECTIVE"}, "g": {"type": "OBJECTIVE"}}'),
        "config.json: tasks: several objectives are not supported yet",
    ),
    "binomial": (with_keys('"likelihood": "BINOMIAL"'), "config.json: likelihood: BINOMIAL is not"),
    "cluster": (
        with_keys('"scheduler": "SLURM", "scheduler-args": "-t 10 --array=1-4"'),
        "config.json: scheduler-args: --array can't be used: each job is submitted by itself",
    ),
    # --- files ---
    "missing main file": (
        GOOD.replace("objective", "other"),
        "config.json: main-file: other.py is",
    ),
    "missing environment file": (
        with_keys('"environment-file": "gpu.env"'),
        'config.json: environment-file: no such file, got "gpu.env"',
    ),
    "script that is not executable": (
        with_keys('"language": "SHELL"').replace('"objective"', '"objective.py"'),
        "config.json: main-file: ",
    ),
}
