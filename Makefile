# Every target makes what it needs: on a fresh machine with Python, gcc and make, start anywhere.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SUITE := .venv-suite
SOURCES := $(wildcard kernels/*.pyx kernels/*.pxd kernels/*.h sampling/*.pyx acquisition/*.pyx spearmint_int/model/*.pyx) setup.py pyproject.toml

.PHONY: help run install test test-slow test-cluster lint format bench suite chaos fuzz paper screenshots clean docs

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

run: install  ## set up, and run an experiment to its end
	$(BIN)/spearmint-int run configs/branin-int

install: $(VENV)/.installed

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.installed: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.developed: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet --editable '.[dashboard,docs,experiments,test,dev]'
	@touch $(VENV)/.installed $@

test: $(VENV)/.developed  ## all tests but the slow ones
	$(BIN)/python -m pytest -n 2 -m "not slow and not cluster"

# Debian's packages; daemons are started by the tests, on loopback, and stopped by their ids.
test-cluster: $(VENV)/.developed  ## on a real Slurm, which is installed if it is missing
	@command -v sbatch >/dev/null && command -v munged >/dev/null || \
	  { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends slurm-wlm munge; }
	$(BIN)/python -m pytest -m cluster tests/clusters

test-slow: $(VENV)/.developed  ## the statistical checks that take minutes
	$(BIN)/python -m pytest -n 2 -m slow --timeout 1800

lint: $(VENV)/.developed  ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.developed  ## ruff's own formatting and fixes
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(SUITE)/.installed  ## speed beside LAPACK and beside the peers
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(SUITE)/bin/python -m experiments.bench

suite: $(SUITE)/.installed  ## regret beside the peers, on problems that nobody here made
	$(SUITE)/bin/python -m experiments.suite

$(SUITE)/.installed: $(SOURCES)
	$(PYTHON) -m venv $(SUITE)
	$(SUITE)/bin/python -m pip install --quiet --upgrade pip
	$(SUITE)/bin/python -m pip install --quiet torch==2.13.0
	$(SUITE)/bin/python -m pip install --quiet --editable '.[suite]'
	$(SUITE)/bin/python -m pip install --quiet --no-deps HEBO==0.3.6 pymoo==0.6.0 disjoint-set==0.9.0
	@touch $@

screenshots: $(VENV)/.developed  ## every figure and page as a picture, in docs/images
	$(BIN)/python -m experiments.screenshots

paper: $(VENV)/.developed  ## every experiment and figure of the paper
	$(BIN)/python -m experiments.paper --all

fuzz: $(VENV)/.developed  ## 10 000 odd configs, files, rows and return values of each kind
	SPEARMINT_INT_FUZZ_EXAMPLES=10000 $(BIN)/python -m pytest -n 2 tests/fuzz

chaos: $(VENV)/.developed  ## single kills, and storms of 1000 faults: half an hour and more
	$(BIN)/python -m tests.chaos

docs: $(VENV)/.developed  ## the user's guide, in site/
	$(BIN)/python -m spearmint_int.config.reference
	$(BIN)/mkdocs build

clean:  ## what was built; experiments keep their results
	rm -rf build dist *.egg-info $(VENV)/.installed $(VENV)/.developed
	find kernels sampling acquisition spearmint_int -name '*.so' -delete -o -name '*.c' -delete
