"""Bayesian optimization of expensive functions with integer inputs."""
