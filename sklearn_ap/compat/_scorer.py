"""Scorers that give the number of a tool's function."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from sklearn_ap._inputs.models import RAW_SCORES
from sklearn_ap._types import Argument, Float, Keywords, Label
from sklearn_ap.compat._evaluation import check_options, score
from sklearn_ap.compat._tools import get
from sklearn_ap.definitions import Definition
from sklearn_ap.scorers import ResponseMethod, Scorer, make_ranking_scorer


@dataclass(frozen=True)
class _ToolScore:
    """A function of a tool as a score function, which can be pickled and copied."""

    name: str | Definition
    options: tuple[tuple[str, Argument], ...]

    @property
    def __name__(self) -> str:
        return get(self.name).name

    def __call__(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        queries: ArrayLike | None = None,
        pos_label: Label | None = None,
    ) -> float | Float:
        return score(
            self.name,
            y_true,
            y_score,
            sample_weight=sample_weight,
            queries=queries,
            pos_label=pos_label,
            **dict(self.options),
        )


def get_scorer(
    name: str | Definition,
    *,
    response_method: ResponseMethod = RAW_SCORES,
    by_query: bool = False,
    pos_label: Label | None = None,
    k: int | None = None,
    **options: Argument,
) -> Scorer:
    """Get a scorer that gives the number of a tool's function, so that a search selects by it.

    Parameters
    ----------
    name : str or Definition
        The name of a function, such as "voc2007", "xgboost.aucpr" or "trec_eval.P_10", that of one
        of our scores, or a definition.
    response_method : str or tuple of str, default=("decision_function", "predict_proba")
        The method of the estimator that gives the scores. Of several, the first that the
        estimator has.
    by_query : bool, default=False
        Whether each query is a ranking of its own. The scorer then needs ``queries``, which
        reach it through metadata routing.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
    k : int, default=None
        How many ranks count, if the function takes k.
    **options : dict
        Other options of the function that change its number.

    Returns
    -------
    callable
        A scorer ``scorer(estimator, X, y)``. Greater is better. Where the tool raises an error, it
        raises ToolError, which a search takes for a score of nan.

    See Also
    --------
    sklearn_ap.get_scorer : A scorer of one of our scores or definitions.
    score : The number for scores that you have.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn_ap import compat
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> cross_val_score(RidgeClassifier(), X, y, scoring=compat.get_scorer("coco")).round(3)
    array([0.986, 0.997, 0.999, 0.992, 0.999])
    """
    entry = get(name)
    check_options((entry,), None, k, options)
    score_options = options | ({} if k is None else {"k": k})
    function = _ToolScore(name, tuple(score_options.items()))
    label: Keywords = {} if pos_label is None else {"pos_label": pos_label}
    return make_ranking_scorer(
        function, response_method=response_method, by_query=by_query, **label
    )
