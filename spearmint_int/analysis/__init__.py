"""Analyses of a fitted model for people: slices, importance, which value is best, when to stop.

All of them use `FittedModel` in the objective's own units, so that no warp and no scale of the
model is known here.
"""
