"""Which rows to label, and what their labels, with those of a judge, say of all rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit, ndtr

from sklearn_ap._counts.averages import check_zero_division
from sklearn_ap._inputs.arrays import (
    TINY,
    are_known,
    as_column,
    begins_block,
    check_numbers,
    check_same_length,
    check_same_order,
    to_numpy,
)
from sklearn_ap._inputs.labels import SHOWN, check_targets
from sklearn_ap._inputs.names import check_names, encode_names
from sklearn_ap._inputs.options import Seed, check_count, check_open_share, check_rng
from sklearn_ap._inputs.rankings import check_average
from sklearn_ap._inputs.request import Request
from sklearn_ap._inputs.weights import check_weights
from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.table import Column
from sklearn_ap._types import Argument, Array, Bool, Float, Index, Name
from sklearn_ap._uncertainty.few_labels import Labelled

# This share of the labels is spread evenly, as a guess can be wrong: probabilities that were off by
# half on the log-odds scale cost a third of the gain. As no guess is always right, either, guesses
# of 0 and 1 count as probabilities of 0.01 and 0.99.
EVEN_SHARE = 0.3
SURE_GUESS = 0.99
# Without a guess, a tenth of the rows are taken to be positive, with scores 1.5 standard deviations
# higher, which gives an average precision of 0.48. Wrong assumptions only cost precision.
ASSUMED_PREVALENCE = 0.1
ASSUMED_DISTANCE = 1.5
MOST_ROUNDS = 50  # that share out what probabilities are above 1, which falls each time
N_SHOWN = 5  # rows of a plan that are printed


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LabelPlan(PrintedResult):
    """Rows that are to be labelled, and the probability with which each row was chosen.

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

    _choice_of_rows = "rows to label that come first"

    @property
    def heading(self) -> str:
        """How many rows were chosen of how many."""
        n_labels, n_rows = self.rows.size, self.inclusion_probability.size
        return f"{n_labels:,} of {n_rows:,} rows to label"

    @property
    def sentences(self) -> tuple[str, ...]:
        """How likely rows were chosen."""
        probability = self.inclusion_probability
        low, high = probability.min(), probability.max()
        return (f"Rows were chosen with probabilities from {low:.2g} to {high:.2g}.",)

    def _names(self) -> Sequence[Name]:
        return self.rows.tolist()

    def _columns(self) -> Sequence[Column]:
        probability = self.inclusion_probability[self.rows]
        return (
            Column(key="row", values=self.rows),
            Column(
                key="inclusion_probability",
                values=probability,
                head="inclusion probability",
                cells=[f"{each:.3g}" for each in probability.tolist()],
            ),
        )

    def _shown_rows(self) -> list[int]:
        return [*range(min(N_SHOWN, self.rows.size))]


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
    500 of 20,000 rows to label
         inclusion probability
    27                  0.0168
    61                  0.0202
    91                  0.0171
    156                   0.27
    287                   0.02
    Shown are the 5 of 500 rows to label that come first; to_frame() has all.
    Rows were chosen with probabilities from 0.0082 to 0.33.
    >>> y_true = np.full(20_000, np.nan)
    >>> y_true[plan.rows] = truth[plan.rows]  # in your case, somebody looks at these rows
    >>> probability = plan.inclusion_probability
    >>> average_precision_interval(y_true, y_score, inclusion_probability=probability)
    step AP, 500 labelled of 20,000 rows, 106 positives, 95% intervals over rows
    The step AP is 0.32 (95% interval 0.26 to 0.39).
    The 106 positives tell as much as 49 independent ones of equal weight.
    The 500 labels tell as much as 2,189 drawn at random.
    """
    check_same_order(y_score=y_score, guess=guess, exclude=exclude)
    ranked = _rank_rows(_check_model(y_score), guess)
    is_free = ~_check_exclude(exclude, ranked.order.size)
    n_labels, n_free = check_count("n_labels", n_labels), np.count_nonzero(is_free)
    if n_labels > n_free:
        raise ValueError(
            f"n_labels must be at most the number of rows, {n_free} without those of exclude, got "
            f"{n_labels}."
        )
    influence = _expected_influence(ranked)
    size = (1 - EVEN_SHARE) * influence / max(influence.mean(), TINY) + EVEN_SHARE
    probability = np.empty(size.size)
    probability[ranked.order] = _proportional(size, is_free[ranked.order], n_labels)
    free = ranked.order[is_free[ranked.order]]
    # From a random start, steps of 1 along the cumulative probabilities draw one row each.
    steps = np.random.default_rng(check_rng(rng)).random() + np.arange(n_labels)
    drawn = np.searchsorted(np.cumsum(probability[free]), steps).clip(max=free.size - 1)
    return LabelPlan(rows=np.sort(free[drawn]), inclusion_probability=probability)


def _check_model(y_score: Argument) -> Float:
    """Check the scores of one model."""
    if isinstance(y_score, Mapping) or np.shape(y_score)[1:] not in ((), (1,)):
        raise ValueError("y_score must hold the scores of one model. Of several, pass their mean.")
    score = as_column("y_score", y_score)
    return _check_score(score, score.size).astype(np.float64)  # unsigned ones have no minus


class _RankedRows(NamedTuple):
    """Rows in the order of their scores, highest first."""

    order: Index
    probability: Float  # of a positive; the mean over tied rows that no guess tells apart
    first: Index  # the rank of the first row tied with each
    last: Index


def _rank_rows(score: Float, guess: Argument) -> _RankedRows:
    """Rank rows by their scores, and equal scores by their guesses, so that no order matters."""
    if np.ndim(guess) == 0:
        order = np.argsort(-score, kind="stable")
    else:
        guesses = _check_guess(guess, score.size)
        order = np.lexsort((guesses, -score))
    first = np.flatnonzero(begins_block(score[order]))
    sizes = np.diff(first, append=score.size)
    if np.ndim(guess) == 0:
        sums = np.add.reduceat(_assumed_probability(guess, score.size), first)
        probability = np.repeat(sums / sizes, sizes)
    else:
        probability = guesses[order]
    ranks_of_first, ranks_of_last = (np.repeat(each, sizes) for each in (first, first + sizes - 1))
    return _RankedRows(order, probability, ranks_of_first, ranks_of_last)


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


def _check_guess(guess: Argument, n_rows: int) -> Float:
    """Check the probability of a positive of each row, and take labels for nearly sure."""
    guesses = check_numbers("guess", as_column("guess", guess), "biuf").astype(np.float64)
    check_same_length(y_score=range(n_rows), guess=guesses)
    is_share = (guesses >= 0) & (guesses <= 1)
    if not is_share.all():
        row = int(np.argmin(is_share))
        raise ValueError(
            f"guess must hold probabilities from 0 to 1, or labels 0 and 1, got {guesses[row]:g} "
            f"in row {row}."
        )
    if not guesses.any():
        raise ValueError("guess is 0 in every row. Leave it out if nothing is known.")
    are_labels = np.isin(guesses, (0, 1)).all()
    return np.clip(guesses, 1 - SURE_GUESS, SURE_GUESS) if are_labels else guesses


def _check_exclude(exclude: Argument, n_rows: int) -> Bool:
    if exclude is None:
        return np.zeros(n_rows, bool)
    is_excluded = as_column("exclude", exclude)
    if is_excluded.dtype.kind != "b":
        raise TypeError(
            "exclude must hold True for each row that has a label, and False for others, as "
            "~np.isnan(y_true) does."
        )
    check_same_length(y_score=range(n_rows), exclude=is_excluded)
    return is_excluded


def _expected_influence(ranked: _RankedRows) -> Float:
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


def _proportional(size: Float, is_free: Bool, n_labels: int) -> Float:
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


# ---- labels of some rows, checked


def labelled_rows(
    requests: Sequence[Request], inclusion_probability: Argument, judge: Argument
) -> tuple[Labelled, list[Array]]:
    """Check labels, probabilities and the judge; also return the scores of each model.

    Models differ in their scores alone. Rows of weight 0 are left out.
    """
    request = requests[0]
    _refuse_other_options(request)
    for each in requests:
        each.check_order()
    check_same_order(
        y_true=request.y_true,
        y_score=request.y_score,
        inclusion_probability=inclusion_probability,
        judge=judge,
    )
    labels, is_labelled = _known_labels(request)
    scores = [_check_score(each.y_score, is_labelled.size) for each in requests]
    targets = check_targets(labels, scores[0][is_labelled], request.pos_label, is_binary=True)
    positive = np.zeros(is_labelled.size, bool)
    positive[is_labelled] = targets.positive
    judged = None
    if judge is not None:
        judged = _check_judge(judge, labels, request.pos_label, is_labelled)
    weight = check_weights(request.sample_weight, is_labelled.size)
    is_kept = np.ones(is_labelled.size, bool) if weight is None else weight > 0
    if not np.any(is_kept & is_labelled):
        raise ValueError("sample_weight is zero in every labelled row, so nothing is to score.")
    unit, unit_of_rows = _units(request, is_kept)
    seen = is_labelled[is_kept]
    given = _given_probability(inclusion_probability, is_labelled.size)
    labelled = Labelled(
        unit=unit,
        unit_of_rows=unit_of_rows,
        is_labelled=seen,
        positive=positive[is_kept],
        probability=_check_probability(given, is_kept, seen, unit, unit_of_rows),
        weight=None if weight is None else weight[is_kept],
        judged=None if judged is None else judged[is_kept],
    )
    return labelled, [score[is_kept] for score in scores]


def _refuse_other_options(request: Request) -> None:
    """Refuse options that assume labels of all rows, or several rankings."""
    has_both = request.queries is not None and request.clusters is not None
    for name, is_passed, remedy in (
        ("n_positives", request.n_positives is not None, "judge says how many positives there are"),
        ("labels", request.labels is not None, "pass y_true == label and its column of y_score"),
        ("clusters", has_both, "with queries, whole queries are labelled"),
    ):
        if is_passed:
            raise ValueError(
                f"{name} does not go with inclusion_probability and judge here: {remedy}."
            )
    check_average(request.average)
    if request.queries is None:
        return
    if request.average != "macro":
        raise ValueError(
            f"average={request.average!r} does not go with inclusion_probability and judge. Leave "
            f"it out: of queries the mean is taken."
        )
    zero_division = check_zero_division(request.zero_division)
    if not isinstance(zero_division, str) and np.isnan(zero_division):
        raise ValueError(
            "zero_division=nan leaves queries out, and a judge leaves out others than labels do. "
            "Pass zero_division=0.0 or 1.0."
        )


def _known_labels(request: Request) -> tuple[Array, Bool]:
    """Return the known labels, and a flag of each row that has one."""
    values = to_numpy("y_true", request.y_true)
    values = np.asarray(values, dtype=object if isinstance(values, list | tuple) else None)
    if values.ndim != 1 or request.n_columns > 1:
        raise ValueError(
            "inclusion_probability and judge go with y_true and y_score of one column. Of a table, "
            "pass column by column, and of classes y_true == label and its column of y_score."
        )
    is_known = are_known(values)
    if not is_known.any():
        raise ValueError("y_true has no known label, so there is nothing to score.")
    labels = values[is_known]
    if labels.dtype.kind == "O":
        labels = np.array(labels.tolist())
    distinct = np.unique(labels)
    if distinct.size > 2:
        raise ValueError(
            f"y_true has more than two labels, {distinct[:SHOWN].tolist()}. Write nan or None "
            f"where the label is unknown. Of grades, pass np.where(pd.isna(grade), np.nan, "
            f"grade >= 2) if 2 is the least one that is relevant."
        )
    return labels, is_known


def _check_score(y_score: Argument, n_rows: int) -> Array:
    """Check the scores of all rows, whether their labels are known or not."""
    return np.asarray(check_targets(np.zeros(n_rows, bool), y_score, None, is_binary=True).score)


def _units(request: Request, is_kept: Bool) -> tuple[Literal["row", "cluster", "query"], Index]:
    """Return what is labelled as a whole, and the number of the unit of each row that is kept."""
    queries = check_names("queries", request.queries, is_kept.size)
    if queries is not None:
        return "query", encode_names(queries[is_kept], "queries")[0]
    clusters = check_names("clusters", request.clusters, is_kept.size)
    if clusters is not None:
        return "cluster", encode_names(clusters[is_kept], "clusters")[0]
    return "row", np.arange(np.count_nonzero(is_kept))


def _check_judge(judge: Argument, labels: Array, pos_label: Argument, is_labelled: Bool) -> Float:
    """Return the probability of a positive of each row, from labels or from probabilities."""
    judgement = as_column("judge", judge)
    check_same_length(y_true=is_labelled, y_score=is_labelled, judge=judgement)
    if is_labelled.all():
        raise ValueError(
            "judge changes nothing, as all rows have labels. Leave it out; or, if there are rows "
            "without labels, pass them, too, with the label nan."
        )
    is_known = are_known(judgement)
    if not is_known.all():
        raise ValueError(
            f"judge has no answer in {np.count_nonzero(~is_known)} rows, the first of which is "
            f"{int(np.argmin(is_known))}. It must judge all rows, or it cannot stand in for labels."
        )
    if judgement.dtype.kind == "O":
        judgement = np.array(judgement.tolist())
    are_numbers = judgement.dtype.kind in "biuf"
    # Labels 0 and 1 stay such if one of them is in no labelled row.
    known = {*labels.tolist()} | ({pos_label} - {None})
    are_labels = bool(np.isin(judgement, [0, 1] if known <= {0, 1} else labels).all())
    if are_numbers and not are_labels and judgement.min() >= 0 and judgement.max() <= 1:
        return judgement.astype(np.float64)
    if not are_labels and np.unique(np.concatenate((labels, judgement))).size > 2:
        remedy = f"Of words, pass judge == {str(judgement[0])!r}, if this is the positive one."
        if are_numbers:
            remedy = "Of grades, pass grade >= the least one that is relevant."
        raise ValueError(
            f"judge must hold labels like those of y_true, or probabilities from 0 to 1, got "
            f"{np.unique(judgement)[:SHOWN].tolist()}. {remedy}"
        )
    return (judgement == (1 if pos_label is None else pos_label)).astype(np.float64)


def _given_probability(inclusion_probability: Argument, n_rows: int) -> Float | None:
    """Return the probability of each row; None for those of a simple random sample."""
    if inclusion_probability is None:
        return None
    if isinstance(inclusion_probability, str):
        if inclusion_probability == "equal":
            return None
        raise ValueError(
            f'inclusion_probability must be an array, or "equal" for a simple random sample, '
            f"got {inclusion_probability!r}."
        )
    if isinstance(inclusion_probability, LabelPlan):
        raise TypeError(
            "inclusion_probability must hold the probability of each row: of a plan, pass "
            "plan.inclusion_probability."
        )
    probability = check_numbers("inclusion_probability", inclusion_probability).astype(np.float64)
    if probability.ndim == 0:
        return np.full(n_rows, probability)
    probability = as_column("inclusion_probability", probability)
    rows = range(n_rows)
    check_same_length(y_true=rows, y_score=rows, inclusion_probability=probability)
    return probability


def _check_probability(
    given: Float | None, is_kept: Bool, is_labelled: Bool, unit: str, unit_of_rows: Index
) -> Float:
    """Check the probability of each row that is kept. A unit has one, and is labelled whole."""
    n_labelled = np.bincount(unit_of_rows, is_labelled)
    if np.any((n_labelled > 0) & (n_labelled < np.bincount(unit_of_rows))):
        raise ValueError(
            f"A {unit} has rows with a label and rows without. A {unit} is labelled as a whole: "
            f"label its other rows, or leave its labels out."
        )
    if given is None:
        return np.full(is_labelled.size, np.mean(n_labelled > 0))
    given = given[is_kept]
    if np.isnan(given[is_labelled]).any():
        raise ValueError("inclusion_probability is missing in a row that has a label.")
    if np.nanmin(given) <= 0:
        raise ValueError(
            f"inclusion_probability must be above 0, got {np.nanmin(given):g}: nothing is known of "
            f"rows that could not be labelled. Leave them out, if the score need not be for them, "
            f"or label a random sample of them, too."
        )
    if np.nanmax(given) > 1:
        raise ValueError(f"inclusion_probability must be at most 1, got {np.nanmax(given):g}.")
    is_lost = (given == 1) & ~is_labelled
    if is_lost.any():
        raise ValueError(
            f"inclusion_probability is 1 in row {np.flatnonzero(is_kept)[np.argmax(is_lost)]}, "
            f"which has no label. Where some labels are missing, pass the share of rows that have "
            f"one."
        )
    unit_probability = np.zeros(n_labelled.size)
    unit_probability[unit_of_rows[is_labelled]] = given[is_labelled]
    if not np.array_equal(unit_probability[unit_of_rows[is_labelled]], given[is_labelled]):
        raise ValueError(
            f"inclusion_probability differs within a {unit}, which is labelled as a whole, with "
            f"one probability."
        )
    return given
