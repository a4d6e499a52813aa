"""How many positives, clusters or queries a study needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from sklearn_ap._arithmetic import RELATIVE_TOLERANCE
from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._inputs.options import check_open_share, check_real_number, check_share
from sklearn_ap._results.doubt import Doubt, issue
from sklearn_ap._results.sample import Sample
from sklearn_ap._results.text import count_as_text, rounded_down_as_text
from sklearn_ap._types import Argument, Array, Bool, Float, Index, ScoreOrScores
from sklearn_ap._uncertainty.differences_of_models import Differences
from sklearn_ap._uncertainty.estimate import Estimate
from sklearn_ap.inference._sample_doubts import LEAST_CLUSTERS
from sklearn_ap.inference.comparison import compare_average_precision
from sklearn_ap.inference.comparison_result import Comparison
from sklearn_ap.inference.interval import Interval, average_precision_interval

# Pilots whose negatives stand for at most so many positives, at a prevalence that was passed, are
# warned of. Their median plan is 0.57 to 0.84 of one from 20,000 positives, or 0.9 to 11 of a weak
# model, and that of others 0.8 to 1.1. Of comparisons, it is 0.35 to 0.82, and 0.83 to 1.
MOST_STANDING_OF_SCORES = 25
MOST_STANDING_OF_DIFFERENCES = 50
FEWEST_UNITS = 10  # limits of smaller samples are too wide, and too uncertain, to plan by
MOST_TIMES = 1e6  # the largest size over that of the sample
N_DRAWN = 4_000  # of the rarer class of a drawn pilot: sizes are then within a few percent
MOST_DRAWN_ROWS = 2_000_000  # of a drawn pilot, at a prevalence below 0.2%
LEAST_DRAWN_PREVALENCE = 1e-4  # there are then 200 positives
LARGEST_DISTANCE = 40.0  # of normal classes: they do not overlap

Planned: TypeAlias = Interval | Comparison
Source = TypeVar("Source", Estimate, Differences)  # what a result was made of


def sample_size_for_interval(
    result: Interval, *, half_width: float, confidence_level: float | None = None
) -> int | Array:
    """Compute how many positives, clusters or queries an interval of a half width takes.

    Parameters
    ----------
    result : Interval
        Of a sample like the one that you plan. Before you have one, pass ``pilot_interval``.
    half_width : float
        Half of the distance between the limits, such as 0.05.
    confidence_level : float, default=None
        That of the limits. None takes that of the result.

    Returns
    -------
    int or ndarray of int
        What it counts is what the heading of the result says that intervals are over: the number
        of clusters or queries, or, if they are over rows, the number of positives, of all columns
        together for their mean, and the number of rows with ``average="samples"``. Of few labels,
        it is the number of labelled rows, clusters or queries, those that you have included. It is
        at least 10: intervals of fewer units are too uncertain to plan by. An array if there are
        several scores.

    Raises
    ------
    ValueError
        If the result is of one positive, cluster or query, or of the first k ranks of one ranking;
        or if even a sample a million times as large is too small.

    Warns
    -----
    UncertaintyWarning
        If the result is of few positives or clusters, or of few negatives for its prevalence.

    See Also
    --------
    sample_size_for_difference : Plans a comparison.
    average_precision_interval : Makes an interval.

    Notes
    -----
    In a sample that is x times as large, variances and the shares of hidden rows are 1 / x of those
    of this sample, and degrees of freedom are x times as many. The answer is the smallest number of
    units whose half width is small enough.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import average_precision_interval, sample_size_for_interval
    >>> rng = np.random.default_rng(0)
    >>> y_true = (rng.random(2000) < 0.05).astype(int)
    >>> found = average_precision_interval(y_true, 2 * y_true + rng.normal(size=2000))
    >>> sample_size_for_interval(found, half_width=0.05)
    427
    """
    _check_type(result, Interval)
    largest = check_open_share("half_width", half_width)
    level = _level_of(result, confidence_level)
    estimate = _check_source(result, result._source)
    issue(_doubts_of_pilot(result.sample, estimate))
    n_units = _n_units(result.sample, result.n_positives)
    sizes = _fewest_units(lambda times: estimate.half_width(level, times) <= largest, n_units)
    return sizes if sizes.size > 1 else int(sizes.item())


def sample_size_for_difference(
    result: Comparison,
    *,
    difference: float,
    power: float = 0.8,
    confidence_level: float | None = None,
) -> int | Array:
    """Compute how many positives, clusters or queries a comparison takes to find a difference.

    Parameters
    ----------
    result : Comparison
        Of a sample like the one that you plan. Before you have one, pass ``pilot_comparison``.
    difference : float
        The true difference that should be found, such as 0.03. Choose what is worth something to
        you, not what the sample shows. If the comparison has a margin, it is the difference at
        which a model should be shown to be not worse: 0 for an equal one.
    power : float, default=0.8
        How often the difference should be found. With 0.5, the plan is that of an interval whose
        half width is ``difference``.
    confidence_level : float, default=None
        That of the test. None takes that of the result. A one-sided test at the level 0.95 takes as
        many as a two-sided one at 0.9.

    Returns
    -------
    int or ndarray of int
        It counts what ``sample_size_for_interval`` counts, with the same errors and warnings, also
        of models that differ on few rows. An array if there are several differences, with 0 for the
        reference.

    See Also
    --------
    sample_size_for_interval : Plans the interval of one model.
    compare_average_precision : Makes a comparison.

    Notes
    -----
    For a difference with the half width h and the standard error s, the answer is the smallest
    number of units with ``h + z * s <= difference``, where z is the normal quantile of the power.
    Several differences have simultaneous limits.

    Examples
    --------
    >>> from sklearn_ap import pilot_comparison, sample_size_for_difference
    >>> pilot = pilot_comparison(worse=0.4, better=0.43, prevalence=0.02, correlation=0.8)
    >>> sample_size_for_difference(pilot, difference=0.03)
    1272
    """
    _check_type(result, Comparison)
    loss = 0.0 if result.margin is None else result.margin.loss
    distance = check_real_number("difference", difference) + loss
    if not 0 < distance < 1:
        raise InputError(
            f"difference must lie within ({0 - loss:g}, {1 - loss:g}), got {difference!r}."
        )
    z = float(ndtri(check_open_share("power", power)))
    level = _level_of(result, confidence_level)
    differences = _check_source(result, result._source)
    quantile = differences.quantile(level)

    def is_enough(times: Float) -> Bool:
        # Equation 27: the estimate errs by z errors in as many samples as miss the difference.
        larger = differences.enlarged(times)
        distance_at = larger.half_width if result.margin is None else larger.margin_distance
        return distance_at(quantile) + z * larger.standard_error <= distance

    issue(_doubts_of_pilot(result.sample, differences))
    n_units = _n_units(result.sample, result.scores.n_positives)
    sizes = np.zeros(n_units.size, np.int64)
    sizes[result.is_compared] = _fewest_units(is_enough, n_units[result.is_compared])
    return sizes if np.count_nonzero(result.is_compared) > 1 else int(sizes.max())


def pilot_interval(*, average_precision: float, prevalence: float) -> Interval:
    """Draw a sample of one model that you expect, to plan by before you have data.

    Parameters
    ----------
    average_precision : float
        The step average precision that you expect, above the prevalence.
    prevalence : float
        The proportion of positives that you expect, within [0.0001, 0.9999].

    Returns
    -------
    Interval
        Of 4,000 positives, or negatives if they are rarer, but of at most 2,000,000 rows, drawn
        with a fixed seed. The scores are normal in each class, with the same variance.

    See Also
    --------
    pilot_comparison : Draws the scores of two models.
    sample_size_for_interval : Plans from the result.

    Examples
    --------
    >>> from sklearn_ap import pilot_interval, sample_size_for_interval
    >>> pilot = pilot_interval(average_precision=0.4, prevalence=0.02)
    >>> sample_size_for_interval(pilot, half_width=0.05)
    465
    """
    y_true, share, rng = _draw_labels(prevalence)
    distance = _distance_of_classes("average_precision", average_precision, share)
    return average_precision_interval(y_true, rng.normal(size=y_true.size) + distance * y_true)


def pilot_comparison(
    *, worse: float, better: float, prevalence: float, correlation: float
) -> Comparison:
    """Draw a sample of two models that you expect, to plan by before you have data.

    Parameters
    ----------
    worse, better : float
        The step average precisions that you expect, above the prevalence. They may be equal.
    prevalence : float
        The proportion of positives that you expect, within [0.0001, 0.9999].
    correlation : float
        That of the scores of the two models within a class: about 0.7 for two kinds of models of
        the same columns, 0.9 and more for two versions of one model.

    Returns
    -------
    Comparison
        Of rows that are drawn as in ``pilot_interval``.

    See Also
    --------
    pilot_interval : Draws the scores of one model.
    sample_size_for_difference : Plans from the result.

    Examples
    --------
    >>> from sklearn_ap import pilot_comparison, sample_size_for_difference
    >>> pilot = pilot_comparison(worse=0.4, better=0.4, prevalence=0.02, correlation=0.8)
    >>> sample_size_for_difference(pilot, difference=0.05, power=0.5)
    237
    """
    y_true, share, rng = _draw_labels(prevalence)
    expected = {"worse": worse, "better": better}
    distances = [_distance_of_classes(name, each, share) for name, each in expected.items()]
    if better < worse:
        raise InputError(f"better must be at least {worse!r}, as worse is, got {better!r}.")
    rho = check_share("correlation", correlation)
    noise = rng.normal(size=y_true.size)
    other = rho * noise + np.sqrt(1 - rho**2) * rng.normal(size=y_true.size)
    scores = (error + far * y_true for error, far in zip((noise, other), distances, strict=True))
    return compare_average_precision(y_true, dict(zip(expected, scores, strict=True)))


def _check_type(result: Argument, expected: type[Planned]) -> None:
    if not isinstance(result, expected):
        name, given = expected.__name__, type(result).__name__
        other = "difference" if expected is Interval else "interval"
        raise InputTypeError(
            f"result must be of the type {name}, got {given}. See also sample_size_for_{other}."
        )


def _level_of(result: Planned, confidence_level: Argument) -> float:
    """Return the level that was passed, or that of the result."""
    if confidence_level is None:
        return result.confidence_level
    return check_open_share("confidence_level", confidence_level)


def _check_source(result: Planned, source: Source | None) -> Source:
    """Return what a result was made of, if that tells how a larger sample varies."""
    if source is None:
        raise InputError(
            "result must be the interval of one sample, or a comparison of models on the same rows "
            "with reference=name, which is not 'best'."
        )
    definition = result.sample.definition
    depth = None if definition is None else definition.depth
    if depth is not None and depth >= 1 and result.sample.averaged in (None, "class", "column"):
        raise InputError(
            f"result is of the first {depth:g} ranks, as many as in a larger sample, so more rows "
            f"do not narrow it. Pass a share of the rows as k, such as 0.05, or queries."
        )
    if not np.isfinite(source.standard_error).all():
        raise InputError(
            "result must have at least two positives, clusters or queries for each score."
        )
    return source


def _doubts_of_pilot(sample: Sample, source: Estimate | Differences) -> list[Doubt]:
    """Doubt few units, or of few negatives beside the positives at a prevalence.

    The variance of means over queries is known. From 8 patients of one size, 20 of 100 other plans
    for a power of 80% have less than 60%, and 40 if sizes are very unlike. Twice as many patients
    have less than 60% in at most 5.
    """
    few = ""
    prevalence = sample.target_prevalence
    if np.min(source.degrees) < LEAST_CLUSTERS - 1 and not sample.averages_units:
        few = "positives" if sample.unit == "row" else "clusters"
        if isinstance(source, Differences) and np.min(source.n_effective) >= LEAST_CLUSTERS:
            few = f"{sample.unit}s on which the models differ"
    elif prevalence is not None:
        n_standing = np.min(source.n_negatives) * prevalence / (1 - prevalence)  # nan of queries
        is_score = isinstance(source, Estimate)
        if n_standing <= (MOST_STANDING_OF_SCORES if is_score else MOST_STANDING_OF_DIFFERENCES):
            standing = rounded_down_as_text(n_standing)
            few = f"negatives (at this prevalence, they stand for {standing} positives)"
    text = (
        f"The plan rests on few {few}, and may ask for half as many as are needed. Take twice as "
        f"many, or plan from a larger sample."
    )
    return [Doubt(name="small pilot", text=text)] if few else []


def _n_units(sample: Sample, n_positives: ScoreOrScores) -> Float:
    """Return how many units each score has: positives, or what is sampled or labelled as a whole.

    Of few labels, the variance falls with their number: equation 32 with larger probabilities. With
    a judge, this takes as many times more rows, too.
    """
    positives = np.atleast_1d(n_positives).astype(np.float64)
    if sample.unit == "row" and not sample.n_labelled and sample.averaged != "row":
        return positives
    n_units = sample.n_labelled or (sample.n_rows if sample.unit == "row" else sample.n_units)
    return np.full(positives.size, float(n_units or 0))


def _fewest_units(is_enough: Callable[[Float], Bool], n_units: Float) -> Index:
    """Find the smallest numbers of units that are enough, by bisection.

    ``is_enough`` says it of samples that are so many times as large.
    """
    enough = np.ceil(np.clip(MOST_TIMES * n_units, FEWEST_UNITS, 2.0**62)).astype(np.int64)
    if not is_enough(enough / n_units).all():
        raise InputError(
            f"Even a sample {count_as_text(MOST_TIMES)} times as large is too small. Pass a larger "
            f"half_width or difference."
        )
    too_few = np.full(enough.shape, FEWEST_UNITS - 1)
    while np.any(enough - too_few > 1):
        middle = (too_few + enough + 1) // 2  # is enough where there is no number between
        is_middle = is_enough(middle / n_units)
        enough = np.where(is_middle, middle, enough)
        too_few = np.where(is_middle, too_few, middle)
    return enough


def _draw_labels(prevalence: Argument) -> tuple[Bool, float, np.random.Generator]:
    """Make the labels of a pilot; return the prevalence, checked, and what draws its scores."""
    share = check_open_share("prevalence", prevalence)
    if not LEAST_DRAWN_PREVALENCE <= share <= 1 - LEAST_DRAWN_PREVALENCE:
        raise InputError(
            f"prevalence must be at least {LEAST_DRAWN_PREVALENCE:g}, and not nearer to 1, got "
            f"{prevalence!r}. Draw a sample that is large enough, and plan from its result."
        )
    n_rows = min(round(N_DRAWN / min(share, 1 - share)), MOST_DRAWN_ROWS)
    return np.arange(n_rows) < round(share * n_rows), share, np.random.default_rng(0)


def _distance_of_classes(name: str, average_precision: Argument, prevalence: float) -> float:
    """Find how far apart two normal classes are that have an average precision."""
    expected = check_open_share(name, average_precision)
    if expected <= prevalence * (1 + RELATIVE_TOLERANCE):
        raise InputError(
            f"{name} must be above the prevalence, which random scores have, got "
            f"{average_precision!r} and {prevalence!r}."
        )
    recall = (np.arange(N_DRAWN) + 0.5) / N_DRAWN

    def excess(distance: float) -> float:
        alarms = (1 - prevalence) * ndtr(ndtri(recall) - distance)
        precision = prevalence * recall / (prevalence * recall + alarms)
        return float(precision.mean()) - expected

    return float(brentq(excess, 0.0, LARGEST_DISTANCE))
