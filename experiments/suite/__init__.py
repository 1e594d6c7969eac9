"""The comparison with peers on problems that nobody here made: `make suite`."""
