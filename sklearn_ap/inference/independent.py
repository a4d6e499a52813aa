"""Whether a score differs between samples that share no rows, such as two months or a paper."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from numbers import Real
from typing import NamedTuple, TypeAlias, TypeGuard, cast

import numpy as np
from scipy.special import ndtri

from sklearn_ap._arithmetic import ABSOLUTE_TOLERANCE
from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._inputs.options import check_choice, check_open_share
from sklearn_ap._results.doubt import Doubt, issue, join_doubts, parts_of
from sklearn_ap._results.sample import Sample
from sklearn_ap._types import Alternative, Argument, Bool, Float, Name
from sklearn_ap._uncertainty.differences_of_samples import compare_by_limits, mover_distances
from sklearn_ap._uncertainty.estimate import Estimate, Limits
from sklearn_ap._uncertainty.hidden_rows import Distances
from sklearn_ap._writing.text import name_as_text, rounded_as_text, share_as_text, shorten
from sklearn_ap.inference.comparison_result import Comparison, differences_by_score
from sklearn_ap.inference.interval import Interval, join_numbers

Paper: TypeAlias = tuple[float, float, float]

# Logarithms of shares of positives that differ by more standard errors are of different
# populations: a choice.
MOST_ERRORS_OF_SHARES = 3.0
LONGEST_MEANING = 70  # letters, such as of a definition with many recall levels


def compare_independent(
    old: Interval | Paper,
    new: Interval | Paper | Sequence[Interval | Paper],
    *,
    names: Sequence[str] = ("old", "new"),
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Comparison:
    """Compare the average precision of samples that share no rows.

    Did the score change since last week? Is it lower in another hospital than in a paper? Models on
    the same rows are compared by ``compare_average_precision``, which finds smaller differences,
    and segments of one set of rows by ``compare_segments``.

    Parameters
    ----------
    old : Interval or tuple of three floats
        The result of ``average_precision_interval`` or ``Interval.from_counts``, or the ``scores``
        of a comparison. A result that is only in a paper is a tuple, such as (0.31, 0.25, 0.38): an
        estimate with its limits, whose level is ``confidence_level``. Nothing tells whether it
        means the same as the others: pass its prevalence to ``average_precision_interval``.
    new : Interval or tuple of three floats, or a sequence of these
        The sample that is compared with the old one, or several. The definition, the prevalence
        and the average must be the same.
    names : sequence of str, default=("old", "new")
        What the samples are called, the old one first, then each new one.
    confidence_level : float, default=0.95
        How often all intervals of differences should contain the true values. Limits of intervals
        are computed anew for this level.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is asked of each new score: whether it differs from the old one, is better, or is
        worse. With the last two, the intervals of the differences are open on one side. At levels
        below 0.5, the other limit is the difference, so a p-value above 0.5 need not agree.

    Returns
    -------
    Comparison
        Scores with their intervals, and differences from the old score with theirs.

    Warns
    -----
    UncertaintyWarning
        If no prevalence was passed, and the shares of positives clearly differ, or that of a paper
        is not known. If two results seem to be of one sample.

    See Also
    --------
    average_precision_interval : The interval of one sample.

    Notes
    -----
    The squared distance of a difference from its limit is the sum of the squared distances of both
    scores from theirs (MOVER [1]_). Limits of a score are its own, with room for four fifths of
    the rows that a sample may lack, as both samples lack some. Of a paper only its own limits are
    known, at other levels in proportion to normal quantiles. So the answer differs a little between
    an interval and its printed numbers.

    The p-value is 1 minus the level at which a limit is 0. Two or more differences have limits and
    p-values by Bonferroni's rule: all limits hold at once.

    If rows or patients are in both samples, scores go up and down together, and the interval is
    usually too wide.

    References
    ----------
    .. [1] Newcombe (1998), "Interval estimation for the difference between independent
       proportions: comparison of eleven methods", `Statistics in Medicine 17(8), 873-890
       <https://doi.org/10.1002/(SICI)1097-0258(19980430)17:8%3C873::AID-SIM779%3E3.0.CO;2-I>`_.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import average_precision_interval, compare_independent
    >>> rng = np.random.default_rng(0)
    >>> found = []
    >>> for strength in (1.0, 2.0):
    ...     y_true = rng.random(1000) < 0.1
    ...     y_score = strength * y_true + rng.normal(size=1000)
    ...     found.append(average_precision_interval(y_true, y_score, prevalence=0.1))
    >>> compare_independent(*found, names=("May", "June"))
    step AP at prevalence 0.1, 95% intervals over rows
          estimate             positives  difference from May     p-value
    May   0.35 (0.26 to 0.46)         89  –                             –
    June  0.64 (0.53 to 0.72)        106  +0.29 (+0.14 to +0.41)   0.0003
    June is better than May: +0.29 (95% interval +0.14 to +0.41).
    """  # noqa: RUF002
    is_one = not isinstance(new, Sequence) or _are_numbers(new)
    results = [old, *cast(Sequence[Interval | Paper], [new] if is_one else new)]
    level = check_open_share("confidence_level", confidence_level)
    alternative = check_choice("alternative", alternative, Alternative)
    for result in results:
        _check_kind(result)
    names = _check_names(names, len(results))
    samples = [_check_result(*named, level) for named in zip(names, results, strict=True)]
    for one, other in combinations(samples, 2):
        _check_meanings(one, other)
    _refuse_same_images(samples)
    doubts = [
        *_unequal_prevalence(samples),
        *_unknown_prevalence(samples),
        *_same_sample(samples),
    ]
    issue(doubts)
    scores = _scores_of_samples(samples, level, doubts)
    estimates = [sample.estimate for sample in samples]
    # Of scores with limits: what has none has no difference
    values = np.where(np.isnan(scores.low), np.nan, scores.estimate).reshape(len(samples), -1)
    bias = np.array([each.value - each.unbiased for each in estimates])
    can_differ = np.array([each.has_several_units for each in estimates])

    def distances(level: float) -> Distances:
        """Return how far limits are from the differences from the first sample: equation 28."""
        reference, *scores = (each.distances(level) for each in estimates)
        differences = [mover_distances(score, reference) for score in scores]
        return Distances(*map(np.concatenate, zip(*differences, strict=True)))

    compared = compare_by_limits(
        (values[1:] - values[0]).ravel(),
        distances,
        confidence_level=level,
        alternative=alternative,
        bias=(bias[1:] - bias[0]).ravel(),
        can_differ=(can_differ[1:] & can_differ[0]).ravel(),
    )
    is_compared = np.repeat(np.arange(len(samples)) > 0, values.shape[1])
    return Comparison(
        scores=scores,
        **differences_by_score(compared, is_compared),
        alternative=alternative,
    )


class _PrintedEstimate(NamedTuple):
    """The numbers of a paper, with all that ``compare_independent`` asks of an estimate."""

    value: Float
    low: Float
    high: Float
    level: float

    @property
    def unbiased(self) -> Float:
        """The numbers as printed, of which no bias is known."""
        return self.value

    @property
    def has_several_units(self) -> Bool:
        """Whether the sample tells how it varies, as printed limits do."""
        return np.ones(1, bool)

    def limits(self, confidence_level: float) -> Limits:
        """Return the limits at any level, in proportion to normal quantiles."""
        ratio = _normal_quantile(confidence_level) / _normal_quantile(self.level)
        down, up = self.value - self.low, self.high - self.value
        return Limits(self.value - ratio * down, self.value + ratio * up)

    def distances(self, confidence_level: float) -> Distances:
        """Return how far the limits are from the score."""
        low, high = self.limits(confidence_level)
        return Distances(self.value - low, high - self.value)


def _normal_quantile(level: float) -> float:
    """Return how many normal errors limits are away; above 0, also at a level next to 0."""
    return max(float(-ndtri((1 - level) / 2)), ABSOLUTE_TOLERANCE)


class _NamedResult(NamedTuple):
    """A result with its name, and the estimate that has its limits at any level."""

    name: str
    interval: Interval
    estimate: Estimate | _PrintedEstimate


def _scores_of_samples(
    results: Sequence[_NamedResult], level: float, doubts: Sequence[Doubt]
) -> Interval:
    """Return the scores of all samples, with a row for each, or for each of their rankings."""
    intervals = [each.interval for each in results]
    names: tuple[Name, ...] = tuple(each.name for each in results)
    if rankings := intervals[0].names:
        names = tuple((name, *parts_of(ranking)) for name in names for ranking in rankings)
    limits = [each.estimate.limits(level) for each in results]
    low, high = map(np.concatenate, zip(*limits, strict=True))
    # Doubts about pairs of models within a sample say nothing of two samples
    own_doubts = [[doubt for doubt in each.doubts if not doubt.is_of_pairs] for each in intervals]
    numbers = join_numbers(intervals)
    numbers["low"], numbers["high"] = np.maximum(low, 0.0), np.minimum(high, 1.0)
    return Interval(
        **numbers,
        sample=_common_sample([each.sample for each in intervals]),
        names=names,
        confidence_level=level,
        doubts=(*doubts, *join_doubts(own_doubts, [each.name for each in results])),
    )


def _common_sample(samples: Sequence[Sample]) -> Sample:
    """Describe what all samples share, as far as it is known; each has its own numbers."""
    described = next((each for each in samples if each.definition is not None), samples[0])
    units = {each.unit for each in samples}
    mean = described.mean
    if mean is not None and described.averages_units:
        mean = mean._replace(n_averaged=None, n_undefined=0)
    return Sample(
        definition=described.definition,
        target_prevalence=described.target_prevalence,
        mean=mean,
        weight_share=None if all(each.weight_share is None for each in samples) else np.nan,
        unit=units.pop() if len(units) == 1 else None,
    )


def _are_numbers(result: Argument) -> TypeGuard[Sequence[float]]:
    """Whether a result is one of a paper, right or wrong."""
    return isinstance(result, Sequence) and all(isinstance(each, Real) for each in result)


def _check_kind(result: Argument) -> None:
    """Refuse what is neither an interval nor the numbers of a paper."""
    if isinstance(result, Interval):
        return
    refusal: type[Exception] = InputTypeError
    if _are_numbers(result):
        if len(result) == 3 and 0 <= result[1] <= result[0] <= result[2] <= 1:
            return
        refusal = InputError
    raise refusal(
        f"old and new must be what average_precision_interval(y_true, y_score) or "
        f"Interval.from_counts gives, or the numbers of a paper as (estimate, low, high), "
        f"which are shares from 0 to 1 with the estimate within its limits, got {result!r:.60}."
    )


def _check_result(name: str, result: Interval | Paper, level: float) -> _NamedResult:
    """Take an interval, or make one of the numbers of a paper, which were checked."""
    if isinstance(result, Interval):
        if result._origin.estimate is None:
            raise InputError(
                f"old and new must each be the scores of one sample, from "
                f"average_precision_interval or a comparison with reference=name. The result of "
                f"{name!r} is not."
            )
        return _NamedResult(name, result, result._origin.estimate)
    estimate, lowest, highest = map(float, result)
    interval = Interval(
        estimate=estimate,
        low=lowest,
        high=highest,
        standard_error=np.nan,
        n_positives=np.nan,
        n_effective=np.nan,
        prevalence=np.nan,
        sample=Sample(unit=None),
        confidence_level=level,
    )
    value, low, high = (np.array([number]) for number in (estimate, lowest, highest))
    return _NamedResult(name, interval, _PrintedEstimate(value, low, high, level))


def _check_names(names: Argument, n_samples: int) -> tuple[str, ...]:
    """Return the names of samples as text; refuse equal ones, and another number of them."""
    texts: tuple[str, ...] = ()
    if isinstance(names, Sequence | np.ndarray) and not isinstance(names, str):
        texts = tuple(map(str, names))
    if len({*texts}) != n_samples or len(texts) != n_samples:
        raise InputError(
            f"names must hold {n_samples} different names, one for each sample, got {names!r:.80}."
        )
    return texts


def _check_meanings(one: _NamedResult, other: _NamedResult) -> None:
    """Refuse scores that do not mean the same."""
    meaning, other_meaning = _meaning(one.interval), _meaning(other.interval)
    for what in meaning:
        if what in other_meaning and meaning[what] != other_meaning[what]:
            own, others = (
                shorten(repr(each[what]), LONGEST_MEANING) for each in (meaning, other_meaning)
            )
            raise InputError(
                f"old and new must have the same {what}, but it is {own} in {one.name!r} and "
                f"{others} in {other.name!r}. Compute all scores alike."
            )


def _meaning(interval: Interval) -> dict[str, object]:
    """Return what a score means, as far as it is known: of a paper, how many scores there are."""
    sample, mean = interval.sample, interval.sample.mean
    rankings: dict[str, object] = {"set of classes or columns": interval.names}
    if sample.definition is None:
        return rankings
    columns: object = None
    if mean is not None and not sample.averages_units:
        columns = sorted(map(str, mean.names)) or mean.n_averaged
    return rankings | {
        "definition": sample.definition,
        "prevalence": sample.target_prevalence,
        "average": mean and mean.average,
        # Classes may be passed as columns, too.
        "kind of rankings in the average": mean and mean.averaged.replace("class", "column"),
        "set of averaged columns": columns,
    }


def _refuse_same_images(results: Sequence[_NamedResult]) -> None:
    """Refuse detections of the same objects, whose images are certainly one sample."""
    for one, other in combinations(results, 2):
        objects = one.interval._origin.objects
        if objects is not None and objects == other.interval._origin.objects:
            raise InputError(
                f"{one.name!r} and {other.name!r} are of the same images, and no independent "
                f"samples. Call compare_classes() of the detections of both, which compares them "
                f"image by image and finds smaller differences."
            )


def _same_sample(results: Sequence[_NamedResult]) -> list[Doubt]:
    """Doubt samples with the same positives in the same places, of which one was scored twice."""
    old, *others = results
    pattern = old.interval._origin.pattern
    same = tuple(
        each.name for each in others if pattern and each.interval._origin.pattern == pattern
    )
    text = (
        f"The positives are in the same places as in {old.name!r}, as for two models on one "
        f"sample. If this is one sample, pass both models to compare_average_precision, which "
        f"finds smaller differences."
    )
    return [Doubt(name="same sample", text=text, about=same)] if same else []


def _unequal_prevalence(results: Sequence[_NamedResult]) -> list[Doubt]:
    """Doubt shares of positives that clearly differ, as the difference of scores mixes both."""
    old, *others = results
    texts: list[str] = []
    differing: list[Name] = []
    for new in others:
        places = np.flatnonzero(_shares_differ(old.interval, new.interval)).tolist()
        if places:
            rankings = new.interval.names
            differing += [(new.name, rankings[i]) for i in places] if rankings else [new.name]
            texts.append(_about_shares(old, new, places[0]))
    if not differing:
        return []
    doubt = Doubt(
        name="unequal prevalence",
        text=texts[0],
        about=(*differing,),
        reason=f"the share of positives is another than in {name_as_text(old.name)}",
        remedy="pass one prevalence to both",
    )
    return [doubt]


def _unknown_prevalence(results: Sequence[_NamedResult]) -> list[Doubt]:
    """Doubt papers beside a result at the share of positives of its own sample."""
    papers = tuple(each.name for each in results if each.interval.sample.definition is None)
    if not papers or not any(_has_own_share(each.interval.sample) for each in results):
        return []
    text = (
        "The share of positives of a paper is not known here. Average precision grows with that "
        "share, so the difference of the scores may come from it. Pass the share of the paper to "
        "average_precision_interval, as prevalence."
    )
    return [Doubt(name="unknown prevalence", text=text, about=papers)]


def _has_own_share(sample: Sample) -> bool:
    """Whether a score is at the share of positives of its rows, and could be at another one."""
    if sample.definition is None or sample.averages_units:
        return False
    return sample.target_prevalence is None and sample.definition.depth is None


def _shares_differ(old: Interval, new: Interval) -> Bool:
    """Flag the scores whose shares of positives clearly differ between two samples."""
    shares, n_effective, n_positives = (
        np.array([np.atleast_1d(getattr(each, field)) for each in (old, new)])
        for field in ("prevalence", "n_effective", "n_positives")
    )
    if old.sample.averages_units:  # the effective number is that of queries
        n_effective = n_positives
    with np.errstate(divide="ignore", invalid="ignore"):  # without positives, and of papers
        distance = np.abs(np.log(shares[0]) - np.log(shares[1]))
        error = np.sqrt(np.sum((1 - shares) / n_effective, axis=0))
        return np.asarray(distance > MOST_ERRORS_OF_SHARES * error)


def _about_shares(old: _NamedResult, new: _NamedResult, place: int) -> str:
    """Say how unlike two shares of positives are, and what to do."""
    old_share, new_share = (
        float(np.atleast_1d(each.interval.prevalence)[place]) for each in (old, new)
    )
    prevalence = rounded_as_text(old_share)
    return (
        f"{share_as_text(old_share)} of the rows are positive in {old.name!r}, and "
        f"{share_as_text(new_share)} in {new.name!r}. Average precision grows with that share, so "
        f"the difference of the scores mixes both. Pass one prevalence to all: "
        f"average_precision_interval(y_true, y_score, prevalence={prevalence})."
    )
