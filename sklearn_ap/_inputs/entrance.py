"""Public functions take the names of version 0.3 through version 0.4, and explain unknown ones."""

from collections.abc import Callable
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, signature
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

import numpy as np

from sklearn_ap._inputs.arrays import to_numpy
from sklearn_ap._inputs.user_line import warn

IN_ORDER = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
P = ParamSpec("P")
T = TypeVar("T")

# What there is to say of an old name besides the new one.
REMARKS = {
    "groups": (
        "Each query is a ranking of its own. For rows that depend on each other, such as those of "
        "a patient, pass clusters to average_precision_interval."
    )
}
NO_THRESHOLD = (
    "threshold will be gone in version 0.5. Pass np.where(y_score >= threshold, y_score, -np.inf) "
    "as y_score: a score of minus infinity says that the row was not retrieved."
)
SCORES = (
    "Scores are y_score, those of several models y_scores: decision values or probabilities, not "
    "predicted classes."
)
INTERVALS = "Functions that give an interval take"
AT_K = "average_precision_at_k_score takes it; elsewhere pass definition=AtK(10)."
# Where an option is that people look for elsewhere.
PLACES = {
    "k": AT_K,
    "normalizer": AT_K,
    "recall_levels": "interpolated_average_precision_score takes it; elsewhere pass "
    "definition=Interpolated(11).",
    "recall": "precision_at_recall_score takes it.",
    "precision": "recall_at_precision_score takes it.",
    "clusters": "average_precision_interval takes it.",
    "confidence_level": "average_precision_interval takes it.",
    "definition": "average_precision_score takes it.",
    "groups": f"Where a function takes it, it is called queries. {REMARKS['groups']}",
    "by_group": "make_ranking_scorer takes by_query.",
    **dict.fromkeys(("y_pred", "y_prob", "y_proba", "probas_pred"), SCORES),
    **dict.fromkeys(("ci", "confidence"), f"{INTERVALS} confidence_level=0.95."),
    "alpha": f"{INTERVALS} confidence_level=1 - alpha.",
    **dict.fromkeys(("n_bootstraps", "n_bootstrap", "n_boot"), f"{INTERVALS} n_resamples."),
    "threshold": "Pass np.where(y_score >= threshold, y_score, -np.inf) as y_score.",
    "sample_weight": "This one takes no weights.",
    **dict.fromkeys(("random_state", "seed"), "A seed is called rng."),
    "progress": "from_table and from_chunks take it. Dask and Spark show their own progress.",
    "prevalence": "average_precision_score takes it, for definitions of whole rankings.",
}


def warn_of_old_name(old: str, new: str) -> None:
    """Say what to write in the place of an old name."""
    text = f"{old} is now called {new}. The old name will be gone in version 0.5."
    warn(f"{text} {REMARKS.get(old, '')}".rstrip(), FutureWarning)


def entrance(**old_names: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Let a function take arguments by old names, as ``entrance(groups="queries")``."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        parameters = signature(function).parameters
        in_order = [name for name, each in parameters.items() if each.kind in IN_ORDER]
        takes_any = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
        known = parameters.keys()

        @wraps(function)
        def called(*args: P.args, **given: P.kwargs) -> T:
            if not given.keys() <= known:
                for old in old_names.keys() & given.keys():
                    take_old_name(old, old_names[old], given)
                for name in () if takes_any else given.keys() - known:
                    raise TypeError(unknown_option(function.__name__, name, [*known]))
            if len(args) > len(in_order):
                raise TypeError(_too_many(function.__name__, in_order, args))
            return function(*args, **given)

        return called

    return decorate


def take_old_name(old: str, new: str, given: dict[str, Any]) -> None:
    """Give an argument its new name, and say what that is."""
    if new in given:
        raise TypeError(f"{old} is the old name of {new}: pass {new} alone.")
    warn_of_old_name(old, new)
    given[new] = given.pop(old)


def _too_many(function: str, names: list[str], given: tuple[Any, ...]) -> str:
    """What is said of options without their names, of models one by one, and of scoring=."""
    if function.endswith("_score") and hasattr(given[0], "fit"):
        return (
            f"{function} takes y_true and y_score, got a model: {type(given[0]).__name__}. To pass "
            f"it as scoring, write scoring=make_ranking_scorer({function})."
        )
    shown = [name for name in names if name not in ("cls", "self")]
    n_given = len(given) - (len(names) - len(shown))
    remedy = "Name the others, as in pos_label=1."
    if "y_scores" in shown:
        remedy = 'Pass the scores of all models together, as in {"A": score_a, "B": score_b}.'
    listed = " and ".join((", ".join(shown[:-1]), shown[-1])) if shown[1:] else "".join(shown)
    return f"{function} takes {listed} without names, got {n_given} values. {remedy}"


def unknown_option(function: str, name: str, known: list[str]) -> str:
    """What is said of an option that a function does not have."""
    near = get_close_matches(name, known, n=1)
    hint = PLACES.get(name) or (f"Did you mean {near[0]!r}?" if near else "")
    return f"{function} has no option {name!r}. {hint}".rstrip()


def without_threshold(score: Callable[P, T]) -> Callable[P, T]:
    """Let a score at k take the ``threshold`` that it had: what lies below is not retrieved."""

    @wraps(score)
    def called(*args: Any, **given: Any) -> Any:
        if "threshold" not in given:
            return score(*args, **given)
        warn(NO_THRESHOLD, FutureWarning)
        threshold = given.pop("threshold")
        given |= zip(("y_true", "y_score"), args, strict=False)
        if "y_score" in given:
            given["y_score"] = _retrieved(given["y_score"], threshold)
        return score(*args[2:], **given)

    return called


def _retrieved(y_score: Any, threshold: Any) -> Any:
    """The scores, minus infinity where they lie below the threshold."""
    if threshold is None:
        return y_score
    y_score = np.asarray(to_numpy("y_score", y_score))
    with np.errstate(over="ignore"):  # float32 scores take 1e300 for infinity
        return np.where(y_score < _check_threshold(threshold), -np.inf, y_score)


def _check_threshold(threshold: Any) -> int | float:
    if not isinstance(threshold, Real) or isinstance(threshold, bool):
        raise TypeError(f"threshold must be a number or None, got {threshold!r}.")
    if isinstance(threshold, Integral) and abs(int(threshold)) < 2**64:
        return int(threshold)  # 2**53 + 1 is no float
    try:
        # A plain float: NumPy compares float32 scores with its own float64 in float64.
        number = float(threshold)
    except OverflowError:
        number = np.nan
    if np.isnan(number):
        raise ValueError(f"threshold must be a finite or infinite number, got {threshold!r}.")
    return number
