"""How many positives, clusters or queries a study needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TypeAlias, TypeVar

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from sklearn_ap._arithmetic import RELATIVE_TOLERANCE
from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._inputs.options import check_open_share, check_real_number, check_share
from sklearn_ap._results.column import Column
from sklearn_ap._results.doubt import Doubt, issue
from sklearn_ap._results.result import Result, as_arrays
from sklearn_ap._results.sample import Sample
from sklearn_ap._types import Argument, Bool, Float, FloatOrArray, Index, Json, Name
from sklearn_ap._uncertainty.differences_of_models import Differences
from sklearn_ap._uncertainty.estimate import Estimate
from sklearn_ap._writing.text import (
    count_as_text,
    given_as_text,
    plural,
    rounded_as_text,
    rounded_down_as_text,
)
from sklearn_ap.inference.comparison import compare_average_precision
from sklearn_ap.inference.comparison_result import Comparison
from sklearn_ap.inference.doubts.sample_doubts import LEAST_CLUSTERS
from sklearn_ap.inference.interval import Interval, average_precision_interval, check_level

# Pilots whose negatives stand for at most so many positives, at a prevalence that was passed, are
# warned of. Their median plan is 0.57 to 0.84 of one from 20,000 positives, or 0.9 to 11 of a weak
# model, and that of others 0.8 to 1.1. Of comparisons, it is 0.35 to 0.82, and 0.83 to 1.
MOST_STANDING_OF_SCORES = 25
MOST_STANDING_OF_DIFFERENCES = 50
FEWEST_UNITS = 10  # limits of smaller samples are too wide, and too uncertain, to plan by
MOST_TIMES = 1e6  # the largest size over that of the sample
N_OF_PILOT = 4_000  # of the rarer class of a pilot: sizes are then within a few percent
MOST_ROWS_OF_PILOT = 2_000_000  # of a pilot, at a prevalence below 0.2%
LEAST_PREVALENCE = 1e-4  # there are then 200 positives
LARGEST_DISTANCE = 40.0  # of normal classes: they do not overlap

Planned: TypeAlias = Interval | Comparison
Basis = TypeVar("Basis", Estimate, Differences)  # what a result was made of


def sample_size_for_interval(
    result: Interval, *, half_width: float, confidence_level: float | None = None
) -> SampleSize:
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
    SampleSize
        The number, and what it counts, which is what the heading of the result says that intervals
        are over: clusters or queries, or, if they are over rows, positives, of all columns together
        for their mean, and rows with ``average="samples"``. Of few labels, it is the number of
        labelled rows, clusters or queries, those that you have included. It is at least 10:
        intervals of fewer units are too uncertain to plan by.

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
    >>> found = sample_size_for_interval(found, half_width=0.05)
    >>> found
    sample size for half width 0.05, confidence level 0.95
    427 positives, in about 7,800 rows.
    >>> int(found)
    427
    """
    _check_type(result, Interval)
    largest = check_open_share("half_width", half_width)
    level = check_level(confidence_level, result.confidence_level)
    estimate = _basis_of(result, result._origin.estimate)
    n_units = _n_units(result.sample, result.n_positives)
    sizes = _fewest_units(lambda times: estimate.half_width(level, times) <= largest, n_units)
    goal = {"half_width": largest, "confidence_level": level}
    return _make_size(result, estimate, sizes, sizes / n_units, goal)


def sample_size_for_difference(
    result: Comparison,
    *,
    difference: float,
    power: float = 0.8,
    confidence_level: float | None = None,
) -> SampleSize:
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
    SampleSize
        It counts what ``sample_size_for_interval`` counts, with the same errors and warnings, also
        of models that differ on few rows. Of several differences, the reference has 0.

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
    sample size for difference 0.03, power 0.8, confidence level 0.95
    1,285 positives, in about 64,000 rows.
    """
    _check_type(result, Comparison)
    loss = 0.0 if result.margin is None else result.margin.loss
    looked_for = check_real_number("difference", difference)
    distance = looked_for + loss
    if not 0 < distance < 1:
        raise InputError(
            f"difference must lie within ({0 - loss:g}, {1 - loss:g}), got {difference!r}."
        )
    power = check_open_share("power", power)
    z = float(ndtri(power))
    level = check_level(confidence_level, result.confidence_level)
    differences = _basis_of(result, result._source)
    quantile = differences.quantile(level)

    def is_enough(times: Float) -> Bool:
        """Check which samples, so many times as large, find the difference: equation 27."""
        # The estimate errs by z errors in as many samples as miss the difference.
        larger = differences.enlarged(times)
        distance_at = larger.half_width if result.margin is None else larger.margin_distance
        return distance_at(quantile) + z * larger.standard_error <= distance

    n_units = _n_units(result.sample, result.scores.n_positives)
    sizes = np.zeros(n_units.size, np.int64)
    sizes[result.is_compared] = _fewest_units(is_enough, n_units[result.is_compared])
    times = sizes / n_units
    if np.count_nonzero(result.is_compared) == 1:
        sizes, times = sizes[result.is_compared], times[result.is_compared]
    goal = {"difference": looked_for, "power": power, "confidence_level": level}
    return _make_size(result, differences, sizes, times, goal)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SampleSize(Result):
    """How many positives, rows, clusters or queries a study takes. ``int()`` of it is the number.

    Parameters
    ----------
    number : int or ndarray of int
        How many units are needed. An array if there are several scores, or differences.
    unit : str
        What is counted: "positive", "row", "cluster" or "query", or one with a label, such as
        "labelled row".
    n_rows : float or ndarray
        In about how many rows these units are, if they are as in the result. nan if rows or labels
        are counted, or if the number of rows is not known.
    goal : mapping
        What was asked for: "half_width", or "difference" and "power", and "confidence_level".
    names : tuple, default=()
        Those of several scores.
    doubts : tuple of Doubt, default=()
        Why the number may be too small: its warnings, and those of the result.

    See Also
    --------
    sample_size_for_interval : Makes one of an interval.
    sample_size_for_difference : Makes one of a comparison.

    Examples
    --------
    >>> from sklearn_ap import pilot_interval, sample_size_for_interval
    >>> pilot = pilot_interval(average_precision=0.4, prevalence=0.02)
    >>> found = sample_size_for_interval(pilot, half_width=0.05)
    >>> found.number, found.unit, round(found.n_rows)
    (466, 'positive', 23300)
    """

    number: int | Index
    unit: str
    n_rows: FloatOrArray
    goal: Mapping[str, float]
    names: tuple[Name, ...] = ()
    doubts: tuple[Doubt, ...] = ()

    def __int__(self) -> int:
        """Return the number; refuse several."""
        if self.names:
            raise InputTypeError(
                f"This sample size has {len(self.names)} numbers, one for each of names. "
                f"number.max() is enough for all."
            )
        return int(self.number)

    @property
    def heading(self) -> str:
        """What was asked for."""
        asked = [
            f"{name.replace('_', ' ')} {given_as_text(value)}" for name, value in self.goal.items()
        ]
        return f"sample size for {', '.join(asked)}"

    @property
    def sentences(self) -> tuple[str, ...]:
        """The number of one score, and in how many rows it is."""
        if self.names:
            return ()
        number = count_as_text(float(self.number), self.unit)
        n_rows = _about(float(self.n_rows))
        return (f"{number}, in about {n_rows} rows." if n_rows else f"{number}.",)

    def _names(self) -> Sequence[Name]:
        return self.names or (self.unit,)

    def _facts(self) -> Mapping[str, Json]:
        return {"unit": self.unit, **self.goal}

    def _columns(self) -> Sequence[Column]:
        numbers = as_arrays(self, ("number", "n_rows"))
        n_rows = [_about(each) for each in numbers["n_rows"].tolist()]
        cells = [*map(count_as_text, numbers["number"].tolist())]
        head = plural(self.unit)
        return (
            Column(key="number", values=numbers["number"], head=head, cells=cells),
            Column(
                key="n_rows",
                values=numbers["n_rows"],
                head="rows, about" if any(n_rows) else "",
                cells=n_rows,
            ),
        )


def _about(n_rows: float) -> str:
    """Write "8,600" for 8,567, and "" for nan."""
    return "" if isnan(n_rows) else count_as_text(float(rounded_as_text(n_rows, 2)))


def _make_size(
    result: Planned,
    source: Estimate | Differences,
    sizes: Index,
    times: Float,
    goal: Mapping[str, float],
) -> SampleSize:
    """Make a result of sizes, which are those of samples so many times as large."""
    sample, doubts = result.sample, _doubts_of_pilot(result.sample, source)
    issue(doubts)
    unit = "positive" if _counts_positives(sample) else str(sample.unit)
    rows = None if unit == "row" or sample.n_labelled else sample.n_rows
    n_rows = times * (np.nan if rows is None else rows)
    has_several = sizes.size > 1
    return SampleSize(
        number=sizes if has_several else int(sizes.item()),
        unit=f"labelled {unit}" if sample.n_labelled else unit,
        n_rows=n_rows if has_several else float(n_rows.item()),
        goal=goal,
        names=result.names if has_several else (),
        doubts=(*doubts, *result.doubts),
    )


def _counts_positives(sample: Sample) -> bool:
    """Whether a size counts positives, as intervals are over rows."""
    return sample.unit == "row" and not sample.n_labelled and sample.averaged != "row"


def pilot_interval(*, average_precision: float, prevalence: float) -> Interval:
    """Make a sample of one model that you expect, to plan by before you have data.

    Parameters
    ----------
    average_precision : float
        The step average precision that you expect, above the prevalence.
    prevalence : float
        The proportion of positives that you expect, within [0.0001, 0.9999].

    Returns
    -------
    Interval
        Of 4,000 positives, or negatives if they are rarer, but of at most 2,000,000 rows. The
        scores are the quantiles of two normal distributions with the same variance, so the score
        is that of a population, and the limits are those of such a sample.

    See Also
    --------
    pilot_comparison : Makes the scores of two models.
    sample_size_for_interval : Plans from the result.

    Examples
    --------
    >>> from sklearn_ap import pilot_interval, sample_size_for_interval
    >>> pilot = pilot_interval(average_precision=0.4, prevalence=0.02)
    >>> sample_size_for_interval(pilot, half_width=0.05)
    sample size for half width 0.05, confidence level 0.95
    466 positives, in about 23,000 rows.
    """
    y_true, share = _make_labels(prevalence)
    distance = _distance_of_classes("average_precision", average_precision, share)
    return average_precision_interval(
        y_true, _as_quantiles(y_true, distance, np.zeros(y_true.size))
    )


def pilot_comparison(
    *, worse: float, better: float, prevalence: float, correlation: float
) -> Comparison:
    """Make a sample of two models that you expect, to plan by before you have data.

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
        Of rows and scores as in ``pilot_interval``. The noise that the models share is drawn with a
        fixed seed.

    See Also
    --------
    pilot_interval : Makes the scores of one model.
    sample_size_for_difference : Plans from the result.

    Examples
    --------
    >>> from sklearn_ap import pilot_comparison, sample_size_for_difference
    >>> pilot = pilot_comparison(worse=0.4, better=0.4, prevalence=0.02, correlation=0.8)
    >>> sample_size_for_difference(pilot, difference=0.05, power=0.5)
    sample size for difference 0.05, power 0.5, confidence level 0.95
    240 positives, in about 12,000 rows.
    """
    y_true, share = _make_labels(prevalence)
    expected = {"worse": worse, "better": better}
    distances = [_distance_of_classes(name, each, share) for name, each in expected.items()]
    if better < worse:
        raise InputError(f"better must be at least {worse!r}, as worse is, got {better!r}.")
    rho = check_share("correlation", correlation)
    rng = np.random.default_rng(0)
    noise = rng.normal(size=y_true.size)
    other = rho * noise + np.sqrt(1 - rho**2) * rng.normal(size=y_true.size)
    pairs = zip(distances, (noise, other), strict=True)
    scores = (_as_quantiles(y_true, distance, error) for distance, error in pairs)
    return compare_average_precision(y_true, dict(zip(expected, scores, strict=True)))


def _check_type(result: Argument, expected: type[Planned]) -> None:
    """Refuse what the other function plans from, and anything else."""
    if not isinstance(result, expected):
        name, given = expected.__name__, type(result).__name__
        other = "difference" if expected is Interval else "interval"
        raise InputTypeError(
            f"result must be of the type {name}, got {given}. See also sample_size_for_{other}."
        )


def _basis_of(result: Planned, source: Basis | None) -> Basis:
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
            f"result is about the first {depth:g} ranks, as many as in a larger sample, so more "
            f"rows do not narrow its limits. Pass a share of the rows as k, such as 0.05, or "
            f"queries."
        )
    if not np.isfinite(source.standard_error).all():
        raise InputError(
            "result must have at least two positives, clusters or queries for each score."
        )
    return source


def _doubts_of_pilot(sample: Sample, source: Estimate | Differences) -> list[Doubt]:
    """Doubt a pilot of few units, or of few negatives beside the positives at a prevalence.

    The variance of means over queries is known. From 8 patients of one size, 20 of 100 other plans
    for a power of 80% have less than 60%, and 40 if sizes are very unlike. Twice as many patients
    have less than 60% in at most 5.
    """
    few = ""
    prevalence = sample.target_prevalence
    if np.min(source.degrees) < LEAST_CLUSTERS - 1 and not sample.averages_units:
        few = "positives" if sample.unit == "row" else "clusters"
        if isinstance(source, Differences) and np.min(source.n_effective) >= LEAST_CLUSTERS:
            few = f"{plural(str(sample.unit))} on which the models differ"
    elif prevalence is not None:
        n_standing = np.min(source.n_negatives) * prevalence / (1 - prevalence)  # nan of queries
        is_score = isinstance(source, Estimate)
        if n_standing <= (MOST_STANDING_OF_SCORES if is_score else MOST_STANDING_OF_DIFFERENCES):
            standing = rounded_down_as_text(n_standing)
            few = f"negatives (at this prevalence, they stand for {standing} positives)"
    text = (
        f"The plan rests on few {few}, and may ask for half as many as are needed. Take twice the "
        f"planned number, or plan from a larger sample."
    )
    return [Doubt(name="small pilot", text=text)] if few else []


def _n_units(sample: Sample, n_positives: FloatOrArray) -> Float:
    """Return how many units each score has: positives, or what is sampled or labelled as a whole.

    Of few labels, the variance falls with their number: equation 32 with larger probabilities. With
    a judge, this takes as many times more rows, too.
    """
    positives = np.atleast_1d(n_positives).astype(np.float64)
    if _counts_positives(sample):
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


def _make_labels(prevalence: Argument) -> tuple[Bool, float]:
    """Make the labels of a pilot, and return its prevalence, checked."""
    share = check_open_share("prevalence", prevalence)
    if not LEAST_PREVALENCE <= share <= 1 - LEAST_PREVALENCE:
        raise InputError(
            f"prevalence must be at least {LEAST_PREVALENCE:g}, and not nearer to 1, got "
            f"{prevalence!r}. Draw a sample that is large enough, and plan from its result."
        )
    n_rows = min(round(N_OF_PILOT / min(share, 1 - share)), MOST_ROWS_OF_PILOT)
    return np.arange(n_rows) < round(share * n_rows), share


def _as_quantiles(y_true: Bool, distance: float, error: Float) -> Float:
    """Return scores with the order of the errors in each class, of which each is a normal quantile.

    Drawn scores would have another average precision than the population.
    """
    # Errors 0.3, -0.2 and 0.1 of one class -> quantiles at 5/6, 1/6 and 3/6
    scores = np.empty(y_true.size)
    for is_in_class, center in ((y_true, distance), (~y_true, 0.0)):
        order = np.flatnonzero(is_in_class)[np.argsort(error[is_in_class], kind="stable")]
        scores[order] = ndtri((np.arange(order.size) + 0.5) / order.size) + center
    return scores


def _distance_of_classes(name: str, average_precision: Argument, prevalence: float) -> float:
    """Find how far apart two normal classes are that have an average precision."""
    expected = check_open_share(name, average_precision)
    if expected <= prevalence * (1 + RELATIVE_TOLERANCE):
        raise InputError(
            f"{name} must be above the prevalence, which random scores have, got "
            f"{average_precision!r} and {prevalence!r}."
        )
    recall = (np.arange(N_OF_PILOT) + 0.5) / N_OF_PILOT

    def excess(distance: float) -> float:
        """Return by how much the average precision of classes at this distance is too high."""
        alarms = (1 - prevalence) * ndtr(ndtri(recall) - distance)
        precision = prevalence * recall / (prevalence * recall + alarms)
        return float(precision.mean()) - expected

    return float(brentq(excess, 0.0, LARGEST_DISTANCE))
