"""The choice of the rows to label, if only a few can be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit, ndtr

from sklearn_ap._base.text import PrintedArrays
from sklearn_ap._inputs.arrays import (
    as_column,
    begins_block,
    check_numbers,
    check_same_length,
    check_same_order,
)
from sklearn_ap._inputs.options import Seed, check_count, check_open_share, check_rng
from sklearn_ap._questions.few_labels._labelled import check_score
from sklearn_ap._types import Argument, Array, Bool, Float, Index
from sklearn_ap._uncertainty.former.tuned_constants import (
    ASSUMED_DISTANCE,
    ASSUMED_PREVALENCE,
    EVEN_LABELS_SHARE,
    SURE_GUESS,
)

MOST_ROUNDS = 50  # rounds that share out the excess of probabilities above 1, which falls each time


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelPlan(PrintedArrays):
    """Rows that are to be labelled, and the selection probability of every row.

    Get a table for those who label with ``to_frame``.

    Parameters
    ----------
    rows : ndarray of shape (n_labels,)
        The positions of the rows to label, rising.
    inclusion_probability : ndarray of shape (n_samples,)
        The probability with which each row was chosen.

    See Also
    --------
    rows_to_label : Makes one from scores.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import rows_to_label
    >>> y_score = np.random.default_rng(0).normal(size=10_000)
    >>> plan = rows_to_label(y_score, 200)
    >>> plan.rows[:5]
    array([ 32,  47,  68, 110, 168])
    >>> plan.to_frame().columns.to_list()
    ['row', 'inclusion_probability']
    """

    rows: Index
    inclusion_probability: Float

    def _columns(self) -> dict[str, Array]:
        probability = self.inclusion_probability[self.rows]
        return {"row": self.rows, "inclusion_probability": probability}

    def _heading(self) -> str:
        probability = self.inclusion_probability
        return (
            f"LabelPlan: {self.rows.size:,} of {probability.size:,} rows, with probabilities from "
            f"{probability.min():.2g} to {probability.max():.2g}"
        )


def rows_to_label(
    y_score: ArrayLike,
    n_labels: int,
    *,
    guess: ArrayLike | float | None = None,
    exclude: ArrayLike | None = None,
    rng: Seed = 0,
) -> LabelPlan:
    """Choose the rows whose labels tell most about the average precision.

    Rows of large expected influence get a high probability, and no row gets 0, so that the estimate
    is not biased. Pass the labels that come back, and the probabilities, to
    ``average_precision_interval`` or ``compare_average_precision``.

    Parameters
    ----------
    y_score : array-like of shape (n_samples,)
        The scores of the rows. For a comparison, pass those of one model, or the mean of both.
    n_labels : int
        How many rows can be labelled.
    guess : array-like of shape (n_samples,) or float, default=None
        What you know of the labels. An array has the probability that each row is positive, or the
        labels 0 and 1 of a judge or of an older model. A number is the proportion of positives. The
        probabilities of rows then follow from their scores, whose mean is taken to be 1.5 standard
        deviations higher for positives. None means 0.1.
    exclude : array-like of shape (n_samples,), default=None
        True for rows that are not to be chosen, because they have labels.
    rng : int, numpy.random.Generator or None, default=0
        Seed or generator of the choice. None chooses others at each call.

    Returns
    -------
    LabelPlan
        The rows, and the selection probability of each row.

    See Also
    --------
    average_precision_interval : The score from these labels, with ``inclusion_probability``.

    Notes
    -----
    Probabilities are in proportion to the root of the expected squared influence [1]_ for 70% of
    the labels, and equal for the others. Rows are drawn systematically in the order of their scores
    [2]_, which makes the variance smaller than the formula of the interval says.

    If the rows of a first plan have labels, exclude them from a second one. The probability of a
    row to be in one of both is then ``1 - (1 - first) * (1 - second)``.

    References
    ----------
    .. [1] Neyman (1934), "On the two different aspects of the representative method", Journal of
       the Royal Statistical Society 97(4), 558-625, https://doi.org/10.2307/2342192.
    .. [2] Madow and Madow (1944), "On the theory of systematic sampling", Annals of Mathematical
       Statistics 15(1), 1-24.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import average_precision_interval, rows_to_label
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(20_000) < 0.1
    >>> y_score = truth + rng.normal(size=20_000)
    >>> plan = rows_to_label(y_score, 500)
    >>> plan
    LabelPlan: 500 of 20,000 rows, with probabilities from 0.0082 to 0.33
    row  inclusion_probability
    27               0.0168458
    61               0.0201713
    91               0.0171228
    156               0.270447
    287              0.0200471
    ... and 495 more
    >>> y_true = np.full(20_000, np.nan)
    >>> y_true[plan.rows] = truth[plan.rows]  # in your case, somebody looks at these rows
    >>> probability = plan.inclusion_probability
    >>> average_precision_interval(y_true, y_score, inclusion_probability=probability)
    step AP, 500 labelled of 20,000 rows, 106 positives, 95% intervals over rows
    The step AP is 0.32 (95% interval 0.25 to 0.39).
    The 106 positives tell as much as 49 independent ones of equal weight.
    The 500 labels tell as much as 2,189 drawn at random.
    """
    check_same_order(y_score=y_score, guess=guess, exclude=exclude)
    score = _check_model(y_score)
    ranked = _rank_rows(score, guess)
    is_free = ~_check_exclude(exclude, ranked.order)
    influence = _expected_influence(ranked)
    generator = np.random.default_rng(check_rng(rng))
    return _draw_rows(influence, is_free, ranked.order, n_labels, generator)


def _check_model(y_score: Argument) -> Float:
    """Check the scores of one model."""
    if isinstance(y_score, Mapping) or np.shape(y_score)[1:] not in ((), (1,)):
        raise ValueError("y_score must hold the scores of one model. Of several, pass their mean.")
    y_score = as_column("y_score", y_score)
    return check_score(y_score, len(y_score)).astype(np.float64)  # unsigned ones have no minus


def _draw_rows(
    influence: Float,
    is_free: Bool,
    order: Index,
    n_labels: int,
    rng: np.random.Generator,
) -> LabelPlan:
    """Draw rows systematically in an order, and write their probabilities.

    ``influence`` and ``is_free`` are in this order.
    """
    n_labels = check_count("n_labels", n_labels)
    if n_labels > np.count_nonzero(is_free):
        raise ValueError(
            f"n_labels must be at most the number of rows, {np.count_nonzero(is_free)} without "
            f"those of exclude, got {n_labels}."
        )
    mean_influence = influence.mean() or 1.0
    size = (1 - EVEN_LABELS_SHARE) * influence / mean_influence + EVEN_LABELS_SHARE
    ordered_probability = _proportional_probability(size, is_free, n_labels)
    # From a random start, steps of 1 along the cumulative probabilities draw one row each.
    free = np.flatnonzero(is_free)
    sums = np.cumsum(ordered_probability[free])
    steps = rng.random() + np.arange(n_labels)
    drawn = free[np.searchsorted(sums, steps).clip(max=free.size - 1)]
    probability = np.zeros(order.size)
    probability[order] = ordered_probability
    return LabelPlan(np.sort(order[drawn]), probability)


class RankedRows(NamedTuple):
    """Rows in the order of their scores, highest first, with the probability of a positive."""

    order: Index
    probability: Float  # the mean over tied rows that no guess tells apart
    # The ranks of the first and the last row tied with each; a slice of all rows without ties
    first: Index | slice
    last: Index | slice


def _rank_rows(score: Float, guess: Argument) -> RankedRows:
    """Rank rows by their scores, and equal scores by their guesses.

    So the order in which the user has the rows does not matter.
    """
    guesses = None if np.ndim(guess) == 0 else _check_guess(guess, score)
    order = np.argsort(-score)  # in a third of the time of a stable sort
    begins = begins_block(score[order])
    if begins.all():
        probability = _assumed_probability(guess, order.size) if guesses is None else guesses[order]
        return RankedRows(order, probability, first=slice(None), last=slice(None))
    order = np.lexsort((-score,) if guesses is None else (guesses, -score))
    block = np.cumsum(begins) - 1
    first = np.flatnonzero(begins)
    sizes = np.diff(first, append=score.size)
    if guesses is None:
        sums = np.add.reduceat(_assumed_probability(guess, score.size), first)
        probability = (sums / sizes)[block]
    else:
        probability = guesses[order]
    last = first + sizes - 1
    return RankedRows(order, probability, first[block], last[block])


def _assumed_probability(guess: Argument, n_rows: int) -> Float:
    """Compute the probability of a positive at each rank, from the prevalence alone.

    Scores are a mixture of two normal distributions. Its quantiles are the scores of the ranks.
    """
    prevalence = ASSUMED_PREVALENCE if guess is None else check_open_share("guess", guess)
    quantile = (np.arange(n_rows) + 0.5) / n_rows
    grid = np.linspace(-8, 8 + ASSUMED_DISTANCE, 1001)
    share_above = (1 - prevalence) * ndtr(-grid) + prevalence * ndtr(ASSUMED_DISTANCE - grid)
    score = np.interp(quantile, share_above[::-1], grid[::-1])
    log_likelihood_ratio = ASSUMED_DISTANCE * score - ASSUMED_DISTANCE**2 / 2
    return np.asarray(expit(log_likelihood_ratio + logit(prevalence)))


def _check_guess(guess: Argument, score: Float) -> Float:
    """Check the probability of a positive of each row, and take labels for nearly sure."""
    guesses = check_numbers("guess", as_column("guess", guess), "biuf").astype(np.float64)
    check_same_length(y_score=score, guess=guesses)
    is_share = (guesses >= 0) & (guesses <= 1)
    if not is_share.all():
        row = int(np.argmin(is_share))
        raise ValueError(
            f"guess must hold probabilities from 0 to 1, or labels 0 and 1, got {guesses[row]:g} "
            f"in row {row}."
        )
    if not guesses.any():
        raise ValueError("guess is 0 in every row. Leave it out if nothing is known.")
    if np.all((guesses == 0) | (guesses == 1)):
        guesses = np.clip(guesses, 1 - SURE_GUESS, SURE_GUESS)
    return guesses


def _check_exclude(exclude: Argument, order: Index) -> Bool:
    """Check the rows that are not to be chosen, and return them in an order."""
    if exclude is None:
        return np.zeros(order.size, bool)
    is_excluded = as_column("exclude", exclude)
    if is_excluded.dtype.kind != "b":
        raise TypeError(
            "exclude must hold True for each row that has a label, and False for others, as "
            "~np.isnan(y_true) does."
        )
    check_same_length(y_score=order, exclude=is_excluded)
    return np.asarray(is_excluded[order])


def _expected_influence(ranked: RankedRows) -> Float:
    """Compute the root of the expected squared influence of each rank on step average precision.

    Equation 2, times N, with the expected counts in place of the counts.
    """
    probability = ranked.probability
    n_above = np.arange(1.0, probability.size + 1)[ranked.last]  # S
    hits = np.cumsum(probability)[ranked.last]  # T
    precision = hits / n_above
    score = np.sum(probability * precision) / hits[-1]

    def sum_from_here(terms: Float) -> Float:
        """Add up the terms of positives at each rank, those tied with it, and all below."""
        return np.cumsum((probability * terms)[::-1])[::-1][ranked.first]

    positive_influence = precision - score + sum_from_here((n_above - hits) / n_above**2)
    negative_influence = sum_from_here(precision / n_above)
    squares = probability * positive_influence**2 + (1 - probability) * negative_influence**2
    return np.sqrt(squares)


def _proportional_probability(size: Float, is_free: Bool, n_labels: int) -> Float:
    """Return probabilities in proportion to ``size``, at most 1, with a sum of ``n_labels``.

    The sum is over free rows. What is cut off at 1 goes to the others, in several rounds.
    """
    probability = np.zeros(size.size)
    factor = n_labels / size[is_free].sum()
    for _ in range(MOST_ROUNDS):
        probability = np.minimum(size * factor, 1.0)
        missing = n_labels - probability[is_free].sum()
        sum_below_one = probability[is_free & (probability < 1)].sum()
        if missing <= 0 or not sum_below_one:
            break
        factor *= 1 + missing / sum_below_one
    return probability
