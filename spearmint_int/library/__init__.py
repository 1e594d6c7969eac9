"""The library: `minimize`, and the optimizers that it asks, in memory or in a folder."""
