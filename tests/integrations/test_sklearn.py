"""The search in scikit-learn's own terms."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from spearmint_int import Float, Int, SpaceError
from spearmint_int.integrations.sklearn import IntegerSearchCV

QUICK = {"samples": 4, "burn_in": 20, "candidates": 300}
TREE: dict[str, Any] = {
    "max_depth": Int(1, 8),
    "min_samples_leaf": Int(1, 20),
    "max_features": [None, "sqrt", 2],
}


def search(space: Any = TREE, **others: Any) -> Any:
    given: dict[str, Any] = {"n_iter": 6, "cv": 3, "random_state": 0, "options": QUICK}
    tree = DecisionTreeClassifier(random_state=0)
    return IntegerSearchCV(tree, space, **(given | others))


def test_a_search_has_what_scikit_learns_searches_have() -> None:
    X, y = load_iris(return_X_y=True)
    found = search().fit(X, y)
    assert len(found.cv_results_["params"]) == 6
    assert found.best_score_ == max(found.cv_results_["mean_test_score"])
    assert found.best_params_ == found.cv_results_["params"][found.best_index_]
    assert found.best_params_["max_features"] in TREE["max_features"]
    assert found.best_estimator_.get_params()["max_depth"] == found.best_params_["max_depth"]
    assert found.score(X, y) > 0.9
    assert found.optimizer_.best().value == found.best_score_


def test_the_same_random_state_gives_the_same_search() -> None:
    X, y = load_iris(return_X_y=True)
    one, two = (search(n_iter=4).fit(X, y).cv_results_["params"] for _ in range(2))
    assert one == two


def test_several_settings_are_tried_at_a_time() -> None:
    X, y = load_iris(return_X_y=True)
    assert len(search(n_points=4, n_iter=6).fit(X, y).cv_results_["params"]) == 6


def test_a_pipeline_is_searched_by_the_names_of_its_steps() -> None:
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    space = {"logisticregression__C": Float(1e-3, 1e3, log=True)}
    found = IntegerSearchCV(pipeline, space, n_iter=4, cv=3, options=QUICK).fit(X, y)
    assert found.best_score_ > 0.9


def test_of_several_metrics_the_one_that_refit_names_is_optimised() -> None:
    X, y = load_iris(return_X_y=True)
    scoring = ["accuracy", "neg_log_loss"]
    found = search(scoring=scoring, refit="neg_log_loss").fit(X, y)
    assert found.best_score_ == max(found.cv_results_["mean_test_neg_log_loss"])


def test_several_metrics_without_a_choice_are_refused() -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="refit must name"):
        search(scoring=["accuracy", "neg_log_loss"], refit=False).fit(X, y)


def two_scores(estimator: Any, X: Any, y: Any) -> dict[str, float]:
    return {"a": -estimator.get_depth(), "b": estimator.score(X, y)}


def test_of_the_scores_of_a_callable_the_one_that_refit_names_is_optimised() -> None:
    X, y = load_iris(return_X_y=True)
    found = search(scoring=two_scores, refit="a").fit(X, y)
    assert found.best_score_ == max(found.cv_results_["mean_test_a"])
    assert found.optimizer_.best().value == found.best_score_


def test_several_scores_of_a_callable_without_a_choice_are_refused() -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"refit must name .* got True; there are a, b"):
        search(scoring=two_scores).fit(X, y)


def test_a_space_that_is_used_up_ends_the_search() -> None:
    X, y = load_iris(return_X_y=True)
    options = QUICK | {"likelihood": "NOISELESS"}
    tree = DecisionTreeClassifier(random_state=0)
    found = IntegerSearchCV(tree, {"max_depth": Int(1, 3)}, n_iter=9, cv=3, options=options)
    assert len(found.fit(X, y).cv_results_["params"]) == 3


def test_settings_that_fail_are_told_as_failures() -> None:
    X, y = load_iris(return_X_y=True)
    space = {"max_depth": Int(-2, 4)}
    found = IntegerSearchCV(DecisionTreeClassifier(), space, n_iter=8, cv=3, options=QUICK)
    with pytest.warns(FitFailedWarning, match="could not be fitted"):
        found.fit(X, y)
    assert found.best_params_["max_depth"] > 0
    assert np.isfinite(found.best_score_)


@pytest.mark.parametrize("wrong", [{"n_iter": 0}, {"n_points": 1.5}])
def test_counts_must_be_whole_numbers_from_one_on(wrong: dict[str, Any]) -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be a whole number"):
        search(**wrong).fit(X, y)


def test_a_search_in_which_nothing_can_be_fitted_raises_why() -> None:
    X, y = load_iris(return_X_y=True)
    found = IntegerSearchCV(DecisionTreeClassifier(), {"max_depth": Int(-4, -1)}, n_iter=2, cv=3)
    with pytest.raises(ValueError, match="max_depth"):
        found.fit(X, y)


def test_a_space_of_something_else_is_refused() -> None:
    X, y = load_iris(return_X_y=True)
    found = IntegerSearchCV(DecisionTreeClassifier(), {"max_depth": "1 to 5"})
    with pytest.raises(SpaceError, match="must be an Int, a Float, an Enum or a list"):
        found.fit(X, y)


def test_a_search_can_be_cloned() -> None:
    copy = clone(search(n_iter=7))
    assert copy.n_iter == 7
    assert copy.get_params()["param_space"] == TREE


def test_scikit_learns_own_checks_pass() -> None:
    space = {"C": Float(1e-2, 1e2, log=True)}
    found = IntegerSearchCV(
        LogisticRegression(), space, n_iter=2, cv=2, options=QUICK, error_score="raise"
    )
    with warnings.catch_warnings():  # of estimators in its checks, which we did not write
        warnings.simplefilter("ignore")
        check_estimator(found, on_skip=None)


def test_boosting_on_digits_is_searched() -> None:
    X, y = load_digits(return_X_y=True)
    space: dict[str, Any] = {
        "n_estimators": Int(2, 12), "max_depth": Int(1, 4), "learning_rate": Float(0.05, 1),
    }  # fmt: skip
    boosting = GradientBoostingClassifier(random_state=0)
    found = IntegerSearchCV(boosting, space, n_iter=5, cv=2, random_state=0, options=QUICK)
    found.fit(X[::6], y[::6])
    assert found.best_score_ > 0.6


@pytest.mark.parametrize("depths", [range(1, 5), np.arange(1, 5), [1, 2, 3, 4]])
def test_choices_may_be_a_range_or_an_array(depths: Any) -> None:
    found = search({"max_depth": depths}, n_iter=3).fit(*load_iris(return_X_y=True))
    assert found.best_params_["max_depth"] in (1, 2, 3, 4)


def test_what_a_parameter_cant_be_is_told_with_its_name() -> None:
    with pytest.raises(SpaceError, match="param_space: max_depth: must be an Int"):
        search({"max_depth": 3}).fit(*load_iris(return_X_y=True))
    with pytest.raises(TypeError, match="param_space must map"):
        search(None).fit(*load_iris(return_X_y=True))


@pytest.mark.parametrize("pair", [(1, 8), (0.01, 1.0, "log-uniform")])
def test_a_tuple_that_elsewhere_is_a_range_is_not_taken_for_two_choices(pair: Any) -> None:
    with pytest.raises(SpaceError, match=r"max_depth: .* may be a range or choices; write Int"):
        search({"max_depth": pair}).fit(*load_iris(return_X_y=True))


def test_a_tuple_that_is_no_range_has_choices() -> None:
    found = search({"criterion": ("gini", "entropy")}).fit(*load_iris(return_X_y=True))
    assert found.best_params_["criterion"] in ("gini", "entropy")


def test_no_choices_are_refused_by_the_parameters_name() -> None:
    with pytest.raises(
        SpaceError, match=r"param_space: criterion: .* at least one choice, got \[\]"
    ):
        search({"criterion": []}).fit(*load_iris(return_X_y=True))


@pytest.mark.parametrize(("name", "text"), [("seed", "random_state"), ("direction", "maximised")])
def test_what_is_no_option_of_the_chooser_is_told_what_it_is_here(name: str, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        search(options={name: 3}).fit(*load_iris(return_X_y=True))
