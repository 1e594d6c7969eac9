"""Our model in other packages' words: Optuna's samplers, scikit-learn's searches."""
