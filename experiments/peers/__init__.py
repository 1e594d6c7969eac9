"""The comparison with other optimisers: `python -m experiments.peers` (`make peers`)."""
