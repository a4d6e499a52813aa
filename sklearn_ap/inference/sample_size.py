"""How many positives, clusters or queries a study needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import cast

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from sklearn_ap._inputs.options import (
    check_choice,
    check_open_share,
    check_real_number,
    check_share,
)
from sklearn_ap._results.sample import Sample
from sklearn_ap._results.text import count_as_text
from sklearn_ap._types import Argument, Array, Bool, Float, Index
from sklearn_ap._uncertainty.differences import Alternative, Differences
from sklearn_ap._uncertainty.limits import limits_of
from sklearn_ap._uncertainty.options import check_margin
from sklearn_ap.definitions import Definition
from sklearn_ap.inference.comparison import Comparison, compare_average_precision
from sklearn_ap.inference.interval import Interval, average_precision_interval

FEWEST_UNITS = 10  # limits of smaller samples are too wide, and too uncertain, to plan by
MOST_TIMES = 1e6  # the largest size over that of the sample
DEFAULT_POWER = 0.8
N_DRAWN = 4_000  # of the rarer class of a drawn pilot: sizes are then within a few percent
MOST_DRAWN_ROWS = 2_000_000  # of a drawn pilot, at a prevalence below 0.2%
LEAST_DRAWN_PREVALENCE = 1e-4  # there are then 200 positives
LARGEST_DISTANCE = 40.0  # of normal classes: they do not overlap

# What can be passed together, besides confidence_level and alternative.
SAMPLES = (
    {"result"},
    {"average_precision", "prevalence"},
    {"average_precision", "prevalence", "correlation"},
)
GOALS = {"half_width"}, {"difference"}, {"difference", "power"}

Check = Callable[[Float], Bool]  # whether samples so many times as large are large enough


def sample_size(
    result: Interval | Comparison | None = None,
    *,
    half_width: float | None = None,
    difference: float | None = None,
    power: float | None = None,
    average_precision: float | None = None,
    prevalence: float | None = None,
    correlation: float | None = None,
    confidence_level: float | None = None,
    alternative: Alternative | None = None,
) -> int | Array:
    """Compute how much data a narrow interval takes, or a test that finds a difference.

    Parameters
    ----------
    result : Interval or Comparison, default=None
        Of a sample like the one that you plan, with all labels. Without one, pass
        ``average_precision`` and ``prevalence``.
    half_width : float, default=None
        Half of the distance between the limits, such as 0.05: of a score, or of a difference if you
        pass a comparison or ``correlation``. A one-sided interval is as wide as its limit is away
        from the difference.
    difference : float, default=None
        In the place of ``half_width``, the true difference that a comparison should find, such as
        0.03. Choose what is worth something to you, not what the sample shows. If the comparison
        has a margin, it is the difference at which a model should be shown to be not worse: 0 for
        an equal one.
    power : float, default=0.8
        How often the difference should be found.
    average_precision : float, default=None
        The step average precision that you expect, above the prevalence: of two models, that of
        the worse one.
    prevalence : float, default=None
        The proportion of positives that you expect.
    correlation : float, default=None
        For two models, that of their scores within a class: about 0.7 for two kinds of models of
        the same columns, 0.9 and more for two versions of one model.
    confidence_level : float, default=None
        That of the limits and of the test. None takes that of the result, or 0.95.
    alternative : {"two-sided", "greater", "less"}, default=None
        Of a comparison. None takes that of the result, or "two-sided".

    Returns
    -------
    int or ndarray of int
        What it counts is what the heading of the result says that intervals are over: the number
        of clusters or queries, or, if they are over rows, the number of positives, of all columns
        together for their mean, and the number of rows with ``average="samples"``. Without a
        result, it is the number of positives. It is at least 10: intervals of fewer units are too
        uncertain to plan by. An array if there are several scores, or several differences, with 0
        for the reference.

    Raises
    ------
    ValueError
        If options exclude each other; if the result is of one positive, cluster or query, of rows
        without labels, or of the first k ranks of one ranking; or if even a sample a million times
        as large is too small.

    See Also
    --------
    average_precision_interval : Makes an interval.
    compare_average_precision : Makes a comparison.

    Notes
    -----
    In a sample that is c times as large, variances and the shares of hidden rows are 1 / c of those
    of this sample, and degrees of freedom are c times as many. The answer is the smallest number of
    units whose half width h is small enough. For a difference with the standard error s, it is the
    smallest one with ``h + z * s <= difference``, where z is the normal quantile of the power.
    Several differences have simultaneous limits.

    Without a result, a sample of 4,000 positives is drawn with a fixed seed, as pilot. Its scores
    are normal in each class, with the same variance.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import average_precision_interval, sample_size
    >>> rng = np.random.default_rng(0)
    >>> y_true = (rng.random(2000) < 0.05).astype(int)
    >>> found = average_precision_interval(y_true, 2 * y_true + rng.normal(size=2000))
    >>> sample_size(found, half_width=0.05)
    427

    Before there are any data:

    >>> sample_size(average_precision=0.4, prevalence=0.02, correlation=0.8, difference=0.03)
    1252
    """
    passed = {
        "result": result,
        "half_width": half_width,
        "difference": difference,
        "power": power,
        "average_precision": average_precision,
        "prevalence": prevalence,
        "correlation": correlation,
        "alternative": alternative,
    }
    _check_combination({name: value for name, value in passed.items() if value is not None})
    if result is None:
        result = _draw_pilot(average_precision, prevalence, correlation, difference or 0.0)
    level = result.confidence_level
    if confidence_level is not None:
        level = check_open_share("confidence_level", confidence_level)
    _refuse_first_ranks(result.sample)
    if isinstance(result, Interval):
        return _size_of_interval(result, check_open_share("half_width", half_width), level)
    found = _differences_of(result, alternative)
    if difference is None:
        half_width = check_open_share("half_width", half_width)
        return _size_of_comparison(result, found, level, half_width)
    margin = result.notes.get("margin")
    above = _check_difference(difference, margin)
    z = float(ndtri(check_open_share("power", DEFAULT_POWER if power is None else power)))
    return _size_of_comparison(result, found, level, above, z, has_margin=margin is not None)


def _check_combination(passed: dict[str, Argument]) -> None:
    """Refuse options that do not go together, and results of other kinds."""
    result = passed.get("result")
    if not isinstance(result, Interval | Comparison | None):
        raise TypeError(
            f"result must be an Interval, such as average_precision_interval returns, or a "
            f"Comparison, as of compare_average_precision, got {type(result).__name__}."
        )
    names = {*passed} - {"alternative"}
    is_known = any(names == sample | goal for sample, goal in product(SAMPLES, GOALS))
    compares = isinstance(result, Comparison) or "correlation" in passed
    if not is_known or (not compares and {"difference", "alternative"} & {*passed}):
        what = f"result={type(result).__name__}" if result is not None else "no result"
        others = [name for name in passed if name != "result"]
        raise ValueError(
            f"Pass a result, or average_precision and prevalence, and with them half_width. Of two "
            f"models, pass a Comparison, or correlation beside average_precision and prevalence, "
            f"and half_width or difference: power goes with difference, alternative with both. Got "
            f"{', '.join([what, *others])}."
        )


def _refuse_first_ranks(sample: Sample) -> None:
    depth = cast(Definition, sample.definition).depth
    is_over_queries = sample.n_queries > 0 or sample.average == "samples"
    if depth is not None and depth >= 1 and not is_over_queries:
        raise ValueError(
            f"result is of the first {depth:g} ranks, as many as in a larger sample, so more rows "
            f"do not narrow it. Pass a share of the rows as k, such as 0.05, or queries."
        )


def _n_units(interval: Interval) -> Float:
    """Return how many units each score has: positives, or what is sampled as a whole."""
    if interval.sample.average == "samples" and interval.sample.unit == "row":
        return np.array([float(interval.sample.n_rows)])
    n_positives = np.atleast_1d(np.asarray(interval.n_positives, np.float64))
    if interval.sample.unit == "row":
        return n_positives
    return np.full(n_positives.shape, float(interval.sample.n_units))


def _size_of_interval(interval: Interval, half_width: float, level: float) -> int | Array:
    estimate = interval._source.estimate
    if interval.sample.n_labelled:
        raise ValueError(
            "result must be of rows that all have labels. With few, the half width falls with the "
            "root of their number."
        )
    if estimate is None:
        raise ValueError(
            "result must come from one sample, but class_intervals puts those of several classes "
            "together. Pass average_precision_interval(**detections.of_class(name)[detector])."
        )
    _refuse_single_units(~np.isnan(estimate.standard_error))

    def is_enough(times: Float) -> Bool:
        low, high = limits_of(estimate.enlarged(times), level)
        return (high - low) / 2 <= half_width

    sizes = _fewest_units(is_enough, _n_units(interval))
    return sizes if isinstance(interval.estimate, np.ndarray) else int(sizes[0])


def _differences_of(comparison: Comparison, alternative: Argument) -> Differences:
    """Return the differences of a comparison, tested as asked."""
    found = comparison._source
    if found is None and comparison.reference_is_best:
        raise ValueError(
            "result must have a reference that you chose before you saw the scores, not 'best': "
            "plan with compare_average_precision(..., reference=name)."
        )
    if found is None:
        raise ValueError("result must be of rows that all have labels.")
    _refuse_single_units(np.isfinite(found.variance))
    if alternative is None:
        return found
    check_choice("alternative", alternative, Alternative)
    check_margin(comparison.notes.get("margin"), cast(Alternative, alternative))
    return replace(found, alternative=cast(Alternative, alternative))


def _refuse_single_units(tell: Bool) -> None:
    if not tell.all():
        raise ValueError(
            "result must have at least two positives, clusters or queries for each score, as one "
            "tells nothing of how much others differ."
        )


def _check_difference(difference: Argument, margin: Argument) -> float:
    """Return the difference to be found; with a margin, how far the model is above its loss."""
    if margin is None:
        return check_open_share("difference", difference)
    above = check_real_number("difference", difference) + float(margin)
    if not 0 < above < 1:
        raise ValueError(
            f"difference must be above minus the margin of the result, {-float(margin):g}, and "
            f"below 1, got {difference!r}."
        )
    return above


def _size_of_comparison(
    comparison: Comparison,
    found: Differences,
    level: float,
    above: float,
    z: float = 0.0,
    *,
    has_margin: bool = False,
) -> int | Array:
    """Find the numbers of units whose half width, and z standard errors, are less than a number.

    A test finds a difference if the estimate, which errs by z standard errors in that share of
    samples, is farther from 0 than its limit.
    """
    quantile = found.quantile(level)

    def is_enough(times: Float) -> Bool:
        larger = found.enlarged(times)
        half = larger.margin_half_width(quantile) if has_margin else larger.half_width(quantile)
        return half + z * larger.standard_error <= above

    is_other = comparison._is_compared()
    sizes = np.zeros(is_other.size, np.int64)
    sizes[is_other] = _fewest_units(is_enough, _n_units(comparison.scores)[is_other])
    return sizes if isinstance(comparison.difference, np.ndarray) else int(sizes.max())


def _fewest_units(is_enough: Check, n_units: Float) -> Index:
    """Find the smallest numbers of units that are enough, by bisection."""
    enough = np.ceil(np.maximum(MOST_TIMES * n_units, FEWEST_UNITS)).astype(np.int64)
    if not is_enough(enough / n_units).all():
        raise ValueError(
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


def _draw_pilot(
    average_precision: Argument, prevalence: Argument, correlation: Argument, difference: Argument
) -> Interval | Comparison:
    """Draw normal scores of one model, or of two that correlate, and score them."""
    prevalence = check_open_share("prevalence", prevalence)
    if not LEAST_DRAWN_PREVALENCE <= prevalence <= 1 - LEAST_DRAWN_PREVALENCE:
        raise ValueError(
            f"prevalence must be at least {LEAST_DRAWN_PREVALENCE:g}, and not nearer to 1, got "
            f"{prevalence!r}: the sample that is drawn has few of the rarer class. Draw a larger "
            f"one, and pass its interval or its comparison."
        )
    worse = check_open_share("average_precision", average_precision)
    if worse <= prevalence:
        raise ValueError(
            f"average_precision must be above the prevalence, which random scores have, got "
            f"{average_precision!r} and {prevalence!r}."
        )
    n_rows = min(round(N_DRAWN / min(prevalence, 1 - prevalence)), MOST_DRAWN_ROWS)
    y_true = np.arange(n_rows) < round(prevalence * n_rows)
    rng = np.random.default_rng(0)
    noise = rng.normal(size=n_rows)
    score = noise + _distance(worse, prevalence) * y_true
    if correlation is None:
        return average_precision_interval(y_true, score)
    rho = check_share("correlation", correlation)
    better = worse + check_share("difference", difference)
    if rho == 1 or better >= 1:
        raise ValueError(
            f"correlation must be below 1, as equal models never differ, and average_precision + "
            f"difference, the score of the better model, must be below 1, got {correlation!r}, "
            f"{average_precision!r} and {difference!r}."
        )
    noise = rho * noise + np.sqrt(1 - rho**2) * rng.normal(size=n_rows)
    other = noise + _distance(better, prevalence) * y_true
    return compare_average_precision(y_true, {"worse": score, "better": other})


def _distance(average_precision: float, prevalence: float) -> float:
    """Find how far apart two normal classes are that have an average precision."""
    recall = (np.arange(N_DRAWN) + 0.5) / N_DRAWN

    def excess(distance: float) -> float:
        alarms = (1 - prevalence) * ndtr(ndtri(recall) - distance)
        precision = prevalence * recall / (prevalence * recall + alarms)
        return float(precision.mean()) - average_precision

    return float(brentq(excess, 0.0, LARGEST_DISTANCE))
