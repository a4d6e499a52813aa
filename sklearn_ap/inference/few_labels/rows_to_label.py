"""Which rows to label, so that their labels tell most of the score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit, ndtr

from sklearn_ap._arithmetic import TINY
from sklearn_ap._counts.sorting import SortedScores
from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._inputs.arrays import (
    as_column,
    begins_block,
    check_numbers,
    check_same_length,
    check_same_order,
)
from sklearn_ap._inputs.labels_and_scores import check_scores
from sklearn_ap._inputs.options import Seed, check_count, check_open_share, make_generator
from sklearn_ap._results.column import Column
from sklearn_ap._results.result import Result
from sklearn_ap._types import Argument, Bool, Float, FloatOrArray, Index, Name, PandasIndex
from sklearn_ap._writing.text import rounded_as_text

# This share of the labels is spread evenly, as a guess can be wrong: probabilities that were off by
# half on the log-odds scale cost a third of the gain. As no guess is always right, either, labels
# 0 and 1 count as probabilities of 0.01 and 0.99. Probabilities stay as they are.
EVEN_SHARE = 0.3
SURE_GUESS = 0.99
# Without a guess, a tenth of the rows are taken to be positive, with scores 1.5 standard deviations
# higher, which gives an average precision of 0.48. Wrong assumptions only cost precision.
ASSUMED_PREVALENCE = 0.1
ASSUMED_DISTANCE = 1.5
MOST_ROUNDS = 50  # that share out what probabilities are above 1, which falls each time
N_SHOWN = 5  # rows of a plan that are printed


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
    speaks of all rows. Pass the labels that come back, and the probabilities, to
    ``average_precision_interval`` or ``compare_average_precision``.

    Parameters
    ----------
    y_score : array-like of shape (n_samples,)
        The scores of the rows. For a comparison, pass those of one model, or the mean of both. A
        plan keeps the index of a pandas Series.
    n_labels : int
        How many rows can be labelled.
    guess : array-like of shape (n_samples,) or float, default=None
        What you know of the labels. An array has the probability that each row is positive, or the
        labels 0 and 1 of a judge or of an older model, which may be wrong. Beside probabilities, 0
        and 1 are believed. A number is the proportion of positives, with scores that are 1.5
        standard deviations higher for them. None means 0.1, which also suits fewer.
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
    500 of 20,000 rows to label
         inclusion probability
    27                  0.0168
    61                  0.0202
    91                  0.0171
    156                   0.27
    287                   0.02
    Shown are the 5 of 500 rows to label that come first; frames, JSON, Markdown and
    LaTeX have all.
    >>> y_true = np.full(20_000, np.nan)
    >>> y_true[plan.rows] = truth[plan.rows]  # in your case, somebody looks at these rows
    >>> probability = plan.inclusion_probability
    >>> average_precision_interval(y_true, y_score, inclusion_probability=probability)
    step AP, 500 labelled of 20,000 rows, 106 positives, 95% intervals over rows
    The step AP is 0.32 (95% interval 0.26 to 0.39).
    The 106 positives tell as much as 49 independent ones of equal weight.
    A random sample would take 2,189 labels for a standard error as small as this.
    """
    check_same_order(y_score=y_score, guess=guess, exclude=exclude)
    # As floats: bools and unsigned integers cannot be negated
    score = check_scores(as_column("y_score", y_score)).astype(np.float64)
    is_free = ~_check_exclude(exclude, score.size)
    n_labels, n_free = check_count("n_labels", n_labels), np.count_nonzero(is_free)
    if n_labels > n_free:
        raise InputError(
            f"n_labels must be at most the number of rows, {n_free} without those of exclude, got "
            f"{n_labels}."
        )
    guess = _check_guess(guess, score.size)
    # Equal scores are ordered by their guesses, so that the order of rows does not matter.
    if isinstance(guess, float):
        order = SortedScores.of(-score).order[::-1]
    else:
        order = np.lexsort((guess, -score))
    begins = begins_block(score[order])
    size = np.diff(begins.nonzero()[0], append=score.size)  # of blocks of equal scores
    positive_share = _assumed_shares(guess, size) if isinstance(guess, float) else guess[order]
    influence = _expected_influence(positive_share, size)
    gain = (1 - EVEN_SHARE) * influence / max(influence.mean(), TINY) + EVEN_SHARE
    probability = np.empty(score.size)
    probability[order] = _proportional(gain, is_free[order], n_labels)
    # From a random start, steps of 1 along the cumulative probabilities draw one row each.
    free_rows = order[is_free[order]]
    steps = make_generator(rng).random() + np.arange(n_labels)
    drawn = np.searchsorted(np.cumsum(probability[free_rows]), steps).clip(max=n_free - 1)
    rows = np.sort(free_rows[drawn])
    # An attribute of pandas; a list's method
    index: PandasIndex | None = getattr(y_score, "index", None)
    names = () if index is None or callable(index) else tuple(index[rows].tolist())
    return LabelPlan(rows=rows, inclusion_probability=probability, names=names)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LabelPlan(Result):
    """Rows that are to be labelled, and the probability with which each row was chosen.

    Get a table for those who label with ``to_frame``.

    Parameters
    ----------
    rows : ndarray of shape (n_labels,)
        The positions of the rows to label, rising.
    inclusion_probability : ndarray of shape (n_samples,)
        The probability with which each row was chosen; of an excluded row what it would have been,
        which the union of two plans needs.
    names : tuple, default=()
        The names of the rows to label, if the scores were a column of pandas: their index.

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
    names: tuple[Name, ...] = ()

    _choice_of_rows = "rows to label that come first"

    @property
    def heading(self) -> str:
        """How many rows were chosen of how many."""
        n_labels, n_rows = self.rows.size, self.inclusion_probability.size
        return f"{n_labels:,} of {n_rows:,} rows to label"

    @property
    def sentences(self) -> tuple[str, ...]:
        """None: the table says all."""
        return ()

    def _shown_rows(self) -> Sequence[int]:
        return range(self.rows.size)[:N_SHOWN]

    def _names(self) -> Sequence[Name]:
        return self.names or self.rows.tolist()

    def _columns(self) -> Sequence[Column]:
        probability = self.inclusion_probability[self.rows]
        return (
            Column(key="row", values=self.rows),
            Column(
                key="inclusion_probability",
                values=probability,
                head="inclusion probability",
                cells=[rounded_as_text(each) for each in probability.tolist()],
            ),
        )


def _assumed_shares(prevalence: float, size: Index) -> Float:
    """Compute the probability of a positive of each row, highest scores first, without guesses.

    Scores are a mixture of two normal distributions. Its quantiles are the scores of the ranks.
    Blocks of equal scores, of these sizes, have the mean of their ranks.
    """
    n_rows = size.sum()
    quantile = (np.arange(n_rows) + 0.5) / n_rows
    grid = np.linspace(-8, 8 + ASSUMED_DISTANCE, 1001)
    share_above = (1 - prevalence) * ndtr(-grid) + prevalence * ndtr(ASSUMED_DISTANCE - grid)
    score = np.interp(quantile, share_above[::-1], grid[::-1])
    log_likelihood_ratio = ASSUMED_DISTANCE * score - ASSUMED_DISTANCE**2 / 2
    share = expit(log_likelihood_ratio + logit(prevalence))
    return np.repeat(np.add.reduceat(share, np.cumsum(size) - size) / size, size)


def _check_guess(guess: ArrayLike | None, n_rows: int) -> FloatOrArray:
    """Check the prevalence, or probabilities of a positive; labels become nearly sure ones."""
    if guess is None:
        return ASSUMED_PREVALENCE
    if not isinstance(guess, list | tuple) and np.ndim(guess) == 0:
        return check_open_share("guess", guess[()] if isinstance(guess, np.ndarray) else guess)
    guesses = check_numbers("guess", as_column("guess", guess), "biuf").astype(np.float64)
    check_same_length(y_score=range(n_rows), guess=guesses)
    is_share = (guesses >= 0) & (guesses <= 1)
    if not is_share.all():
        row = int(np.argmin(is_share))
        raise InputError(
            f"guess must hold probabilities from 0 to 1, or labels 0 and 1, got {guesses[row]:g} "
            f"in row {row}."
        )
    are_labels = np.isin(guesses, (0, 1)).all()
    return np.clip(guesses, 1 - SURE_GUESS, SURE_GUESS) if are_labels else guesses


def _check_exclude(exclude: Argument, n_rows: int) -> Bool:
    """Return a flag of each row that is not to be chosen."""
    if exclude is None:
        return np.zeros(n_rows, bool)
    is_excluded = as_column("exclude", exclude)
    if is_excluded.dtype.kind != "b":
        raise InputTypeError(
            "exclude must hold True for each row that has a label, and False for others, as "
            "~np.isnan(y_true) does."
        )
    check_same_length(y_score=range(n_rows), exclude=is_excluded)
    return is_excluded


def _expected_influence(positive_share: Float, size: Index) -> Float:
    """Compute the root of the expected squared influence of each row on step average precision.

    Equation 2, times N, with the expected counts in place of the counts.
    """
    hits_of_blocks = np.add.reduceat(positive_share, np.cumsum(size) - size)
    hits, n_above = np.cumsum(hits_of_blocks), np.cumsum(size)  # T and S
    precision = hits / n_above
    score = np.sum(hits_of_blocks * precision) / hits[-1]

    def sum_from_here(terms: Float) -> Float:
        """Add up the terms of the positives of each block and of all below."""
        return np.cumsum((hits_of_blocks * terms)[::-1])[::-1]

    positive = precision - score + sum_from_here((n_above - hits) / n_above**2)
    negative = sum_from_here(precision / n_above)
    positive, negative = np.repeat(positive, size), np.repeat(negative, size)
    return np.sqrt(positive_share * positive**2 + (1 - positive_share) * negative**2)


def _proportional(gain: Float, is_free: Bool, n_labels: int) -> Float:
    """Return probabilities in proportion to the gain, at most 1, with a sum of ``n_labels``.

    The sum is over free rows. What is cut off at 1 goes to the others, in several rounds.
    """
    probability = np.zeros(gain.size)
    factor = n_labels / gain[is_free].sum()
    for _ in range(MOST_ROUNDS):
        probability = np.minimum(gain * factor, 1.0)
        missing = n_labels - probability[is_free].sum()
        sum_below_one = probability[is_free & (probability < 1)].sum()
        if missing <= 0 or not sum_below_one:
            break
        factor *= 1 + missing / sum_below_one
    return probability
