"""What a fitted model says to people: slices, importance, which value is best, when to stop.

All of it is asked of `FittedModel` in the objective's own units, so that no warp and no scale of
the model is known here.
"""
