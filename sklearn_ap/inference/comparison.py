"""Whether one model is better than another on the same rows, and which of many may be the best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._arithmetic import is_shown
from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._inputs.options import Average, ZeroDivision, check_choice, check_open_share
from sklearn_ap._inputs.request import Request
from sklearn_ap._results.doubt import Doubt
from sklearn_ap._results.sample import Sample
from sklearn_ap._scoring import check_definition
from sklearn_ap._types import Alternative, Float, Label, Name
from sklearn_ap._uncertainty.best import best_of
from sklearn_ap._uncertainty.differences_of_models import (
    Differences,
    differences_of,
    join_differences,
)
from sklearn_ap._uncertainty.estimate import Compared
from sklearn_ap._uncertainty.joint import Joint
from sklearn_ap._writing.text import names_as_text
from sklearn_ap.definitions import Definition
from sklearn_ap.inference.comparison_result import Comparison, Margin, differences_by_score, spread
from sklearn_ap.inference.doubts.missing_results import replace_missing_results
from sklearn_ap.inference.folds.fold_predictions import FoldPredictions
from sklearn_ap.inference.interval import (
    Interval,
    Origin,
    interval_of_estimate,
    join_intervals,
    join_numbers,
)
from sklearn_ap.inference.scored_samples import score_models


class Word(str):
    """A word that no name of a model is."""


HIGHEST = Word("best")  # the reference of those who did not choose the names


class Frame(Protocol):
    """A DataFrame of pandas or polars."""

    @property
    def columns(self) -> object:
        """The names of its columns, in a type of its library."""

    def __getitem__(self, key: str, /) -> object: ...


Scores = Mapping[str, ArrayLike] | Frame  # the scores of several models


def compare_average_precision(
    y_true: ArrayLike,
    y_scores: Scores | Mapping[str, FoldPredictions],
    *,
    reference: str | None = None,
    definition: Definition | str | None = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    margin: float | None = None,
    average: Average = "macro",
    pos_label: Label = None,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    prevalence: float | None = None,
    inclusion_probability: ArrayLike | float | None = None,
    judge: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
) -> Comparison:
    """Compare the average precision of several models on the same rows.

    Models make many of the same mistakes on the same rows. So the comparison finds differences even
    if the intervals of the scores overlap. It compares these fitted models, or those that the folds
    trained, on new cases: it does not tell how training with other seeds or rows would turn out.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
        As in ``average_precision_score``.
    y_scores : mapping of str to array-like or FoldPredictions, or DataFrame
        The scores of each model for the same rows, as ``{"A": scores_a, "B": scores_b}``, or as
        columns of a DataFrame (pandas, polars). For cross-validations with the same folds, pass the
        ``FoldPredictions`` of each model.
    reference : str, default=None
        The name of the model that the others are compared with. None takes the first. Choose it
        before you see the scores. "best" takes the highest score, and asks which of the others may
        be the best: all limits allow for the choice. So pass all models that you tried.
    definition : Definition or str, default=None
        What average precision is, as in ``average_precision_interval``. One without influence, such
        as ``AtK()``, is compared over rows of one ranking, or over queries.
    confidence_level : float, default=0.95
        How often all intervals of differences should contain the true values.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is asked of each model: whether it differs from the reference, is better, or is worse.
        With the last two, the intervals of the differences are open on one side. At levels below
        0.5, the other limit is the difference, so a p-value above 0.5 need not agree with it.
    margin : float, default=None
        The loss of average precision that does not matter to you, such as 0.02, chosen before you
        see the scores. A model that is not shown to be better may then be "not worse". For step
        average precision of one ranking of rows, also of pooled folds, and means over queries.
    average, pos_label, labels, sample_weight : as in average_precision_score
        ``average=None`` compares each ranking.
    queries, clusters : as in average_precision_interval
        What is sampled: queries, or clusters such as patients, in the place of rows.
    n_positives, prevalence : as in average_precision_score
        The prevalence is one for which differences are computed, such as where you deploy.
    inclusion_probability, judge : as in average_precision_interval
        For rows of which few have labels.
    zero_division : as in average_precision_score
        The score of a ranking where it is not defined, which has no limits.

    Returns
    -------
    Comparison
        Scores with their intervals, and differences from the reference with theirs.

    Warns
    -----
    UncertaintyWarning
        If limits may be unreliable: with few clusters of rows, or few negatives at another
        prevalence, or if scores seem reversed. For folds, if models have seen clusters of their
        test rows, or if scores do not mean the same in each fold.

    See Also
    --------
    average_precision_interval : The interval of one score.
    FoldPredictions : The models of a cross-validation, in the place of scores.

    Notes
    -----
    The influence of a row on a difference is the difference of its influences on the scores. The
    variance is the sum of their squares. Limits are Student's, and leave room for rows that the
    sample lacks: up to two that cost the better model, or one that raises the other. Over queries,
    it is one more query. Two or more differences have simultaneous limits: all hold at once in 95
    of 100 samples. P-values and verdicts agree with them. A third model therefore widens the first
    difference a little. Scores have intervals by themselves.

    With a margin, the lower limit leaves room for two false alarms above all rows, or for one more
    query in which the model fails. It tests on one side, at half the error.

    With ``reference="best"``, a model is left out of those that may be the best if another one is
    better by more than chance explains. "worse" says that it is not the best, of which 5 of 100
    are wrong; among equally good models, some is called so more often. Limits of differences from
    the best other model are one-sided, each by itself, and the lower limit of the highest score
    holds for a model that was chosen by its score.

    Examples
    --------
    Two models read the same 1,200 images, of which 8% show the disease:

    >>> import numpy as np
    >>> from sklearn_ap import compare_average_precision
    >>> rng = np.random.default_rng(0)
    >>> patient = np.repeat(np.arange(300), 4)
    >>> y_true = (rng.random(300) < 0.08)[patient].astype(int)
    >>> alike = rng.normal(size=300)[patient]
    >>> models = {
    ...     "A": 1.5 * y_true + 0.5 * alike + rng.normal(size=1200),
    ...     "B": 2.5 * y_true + 0.5 * alike + rng.normal(size=1200),
    ... }
    >>> compare_average_precision(y_true, models, clusters=patient)
    step AP, 1,200 rows, 100 positives (8.3%), 95% intervals over 300 clusters
       estimate             difference from A       p-value
    A  0.43 (0.27 to 0.58)  –                             –
    B  0.78 (0.61 to 0.86)  +0.35 (+0.23 to +0.46)  <0.0001
    B is better than A: +0.35 (95% interval +0.23 to +0.46).
    """  # noqa: RUF002
    models = _named_models(y_scores)
    names = tuple(models)
    reference = names[0] if reference is None else _check_reference(reference, names)
    is_best = isinstance(reference, Word)
    level = check_open_share("confidence_level", confidence_level)
    alternative = check_choice("alternative", alternative, Alternative)
    if margin is not None:
        margin = check_open_share("margin", margin)
    if sum([alternative != "two-sided", margin is not None, is_best]) > 1:
        raise InputError(
            "alternative, margin and reference='best' do not go together, as each asks a one-sided "
            "question of its own. Pass one of them."
        )
    request = Request(
        y_true=y_true,
        y_score=None,
        average=average,
        pos_label=pos_label,
        labels=labels,
        sample_weight=sample_weight,
        queries=queries,
        n_positives=n_positives,
        prevalence=prevalence,
        zero_division=zero_division,
        clusters=clusters,
    )
    joint, described = score_models(
        check_definition(definition, *models.values()),
        [replace(request, y_score=y_score) for y_score in models.values()],
        names,
        inclusion_probability=inclusion_probability,
        judge=judge,
    )
    scores = interval_of_estimate(joint.estimate, described.repeat(names), level)
    if is_best:
        return _compare_with_best(scores, joint)
    return _compare_with_reference(scores, joint, names.index(reference), alternative, margin)


def _named_models(models: Mapping[str, object] | Frame) -> dict[str, object]:
    """Return at least two models by the names that are printed; those of a frame are columns."""
    # {1: first, "1": second} is refused, as both print as 1
    if isinstance(models, Mapping):
        keys = [*models]
    elif hasattr(models, "columns") and not hasattr(models, "column_names"):
        # A table of pyarrow has both, and its columns have no names
        keys = [*cast(Iterable[str], models.columns)]
    else:
        raise InputTypeError(
            f"y_scores must map names to scores, as {{'A': scores_a, 'B': scores_b}}, or be a "
            f"DataFrame with a column for each, got {type(models).__name__}."
        )
    if len(keys) < 2:
        raise InputError(
            f"y_scores must hold at least two models, got {len(keys)}. For the score of one, call "
            f"average_precision_interval."
        )
    if len(set(map(str, keys))) < len(keys):
        raise InputError(f"y_scores must give each model a name of its own, got {(*keys,)}.")
    return {str(key): models[key] for key in keys}


def _check_reference(reference: str, names: Sequence[str]) -> str:
    """Return the name of the reference, or the word for the highest score; refuse others."""
    if isinstance(reference, Word):
        return reference
    name = str(reference)
    if name not in (*names, HIGHEST):
        raise InputError(
            f"reference must be one of {names_as_text([*map(repr, names)])}, or 'best', got "
            f"{name!r:.70}."
        )
    if name != HIGHEST:
        return name
    if HIGHEST in names:
        raise InputError(
            "'best' is the name of a model, and as the reference it stands for the highest score. "
            "Rename the model, as in {'best model': scores}."
        )
    return HIGHEST


def _compare_with_reference(
    scores: Interval, joint: Joint, reference: int, alternative: Alternative, margin: float | None
) -> Comparison:
    """Compare models with a reference that was chosen before."""
    level = scores.confidence_level
    pairs = [(model, reference) for model in range(joint.n_models) if model != reference]
    differences = differences_of(joint, pairs, alternative=alternative)
    compared = differences.compared(level, margin)
    is_compared = np.repeat(np.arange(joint.n_models) != reference, joint.n_rankings)
    limits_of_margin = None
    if margin is not None:
        limits_of_margin = Margin(margin, spread(differences.margin_low(level), is_compared))
    return Comparison(
        scores=scores,
        **differences_by_score(compared, is_compared),
        alternative=alternative,
        margin=limits_of_margin,
        _source=differences,
    )


def _compare_with_best(scores: Interval, joint: Joint) -> Comparison:
    """Order models by their scores, and compare them with the highest one."""
    best = best_of(joint, scores.confidence_level)
    order = np.argsort(-np.asarray(scores.estimate), kind="stable")
    numbers = join_numbers([scores], order)
    low = np.array(numbers["low"])
    notes = {**scores.notes, "low_without_choice": float(low[0])}
    low[0] = best.winner_low
    numbers["low"] = low
    ordered_names = tuple(scores.names[model] for model in order)
    scores = replace(scores, **numbers, names=ordered_names, notes=notes, _origin=Origin())
    is_compared = np.arange(order.size) > 0
    rivals = order[is_compared]
    is_known = ~np.isnan(best.gap_high[rivals])
    pvalue, error = best.pvalues[rivals], 1 - scores.confidence_level
    estimate = np.asarray(scores.estimate)
    compared = Compared(
        estimate=np.where(is_known, estimate[is_compared] - estimate[0], np.nan),
        low=np.where(is_known, -1.0, np.nan),
        high=best.gap_high[rivals],
        pvalue=pvalue,
        verdict=np.where(is_shown(pvalue, error), "worse", "undecided"),
    )
    return Comparison(
        scores=scores,
        **differences_by_score(compared, is_compared),
        alternative="less",
        kind="best",
        optimism=best.optimism,
    )


def join_comparisons(
    comparisons: Mapping[Name, Comparison],
    sample: Sample,
    doubts: Sequence[Doubt],
    **numbers: Float,
) -> Comparison:
    """Make one result of those of the same models in parts of the data, such as classes.

    Its limits hold for all parts at once. ``doubts`` are about models in all parts, in the place of
    results that they miss in one. ``numbers`` replace those of scores.
    """
    first, *_ = comparisons.values()
    names = tuple((model, part) for part in comparisons for model in first.names)
    scores = join_intervals(
        [each.scores for each in comparisons.values()], names, sample, **numbers
    )
    differences = join_differences(
        [cast(Differences, each._source) for each in comparisons.values()]
    )
    compared = differences.compared(first.confidence_level)
    is_compared = np.concatenate([each.is_compared for each in comparisons.values()])
    return Comparison(
        scores=replace(scores, doubts=replace_missing_results(scores.doubts, doubts)),
        **differences_by_score(compared, is_compared),
        alternative=first.alternative,
        _source=differences,
    )
