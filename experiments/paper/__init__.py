"""Every experiment and figure of the paper: `python -m experiments.paper --all`."""
