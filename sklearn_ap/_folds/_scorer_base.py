"""The class of scikit-learn's scorers, which ours extend: the only private part of it in use.

scikit-learn 1.9 has no public class to extend, so the class is taken from a scorer that
``make_scorer`` made. A scorer must be of this class, because scikit-learn hands the predictions of
a model on to such scorers alone. Three ways without it were tried, and each of them failed:

- An object that can be called and holds a ``MetadataRequest``: on 1.9, it raises an error where
  several metrics get weights, and takes 4 times as long where metrics share predictions.
- The same with a store of predictions: LogisticRegressionCV chose the wrong C. It fits the same
  object again on the same X, so the predictions that were stored belonged to another fit.
- ``make_scorer`` with all checks in the score function, which does not see the model.

These names are used, and stand nowhere else in the package:

- the class itself, and its ``__init__(score_func, sign, kwargs, response_method)``;
- ``_score(method_caller, estimator, X, y_true, **metadata)``, which scikit-learn calls for one
  scorer and for each of several. ``method_caller(estimator, name, X, pos_label=...)`` gives what
  the method ``name`` predicts, and remembers it for the other scorers.

Tried on scikit-learn 1.6.0, 1.7.2, 1.8.0 and 1.9.1; tests/_scikit_learn/test_base_of_scorers.py
tests it on each version that tests run on, the oldest and the newest among them.

scikit-learn's pull request 31985 makes the class public as ``BaseScorer``, and also its attributes,
none of which is read here. It is not merged yet. If there is such a class, it is the base. Once all
supported versions have it, delete the other one, and the second list of this text.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from sklearn import metrics

from sklearn_ap._types import Array, Estimator, Keywords, RowData, ScoreFunction

# A function of scikit-learn, with the arguments in the list above
MethodCaller: TypeAlias = Callable[..., Array]

# Any, because mypy accepts no other variable as a base class
SCORER: Any = getattr(metrics, "BaseScorer", None) or type(metrics.make_scorer(print))


class ScorerBase(SCORER):  # type: ignore[misc]
    """A scorer of scikit-learn whose subclass scores in ``score_model``, with the model at hand.

    Parameters
    ----------
    function : callable
        The arguments of its signature may be routed to it.
    methods : str, tuple or list of str
        The method of the model that returns its scores. From several, the first that it has.
    options : dict
        Arguments of the function besides those that are routed.
    """

    def __init__(
        self,
        function: ScoreFunction,
        methods: str | tuple[str, ...] | list[str],
        options: Keywords,
    ) -> None:
        super().__init__(function, 1, options, methods)  # 1: greater is better
        self.function = function
        self.methods = methods
        self.options = options

    def _score(
        self,
        method_caller: MethodCaller,
        estimator: Estimator,
        X: RowData,
        y_true: RowData,
        **metadata: RowData,
    ) -> float | Array:
        return self.score_model(method_caller, estimator, X, y_true, **metadata)

    def score_model(
        self,
        method_caller: MethodCaller,
        estimator: Estimator,
        X: RowData,
        y_true: RowData,
        **metadata: RowData,
    ) -> float | Array:
        """Score the predictions that ``method_caller`` returns for a method of the model."""
        raise NotImplementedError
