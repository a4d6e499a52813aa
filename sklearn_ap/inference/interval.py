"""How certain an average precision is: its interval, from rows, from folds or from counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, TypedDict, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._counts.counting import count_on_device
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._errors import InputError
from sklearn_ap._inputs.options import Average, ZeroDivision, check_open_share
from sklearn_ap._inputs.request import Request
from sklearn_ap._results.column import Column, Estimates
from sklearn_ap._results.doubt import Doubt, join_doubts
from sklearn_ap._results.result import Notes, ResultWithPlot, as_arrays
from sklearn_ap._results.sample import Sample, facts_of, heading_of
from sklearn_ap._scoring import check_definition
from sklearn_ap._types import (
    Float,
    FloatOrArray,
    Index,
    Json,
    Label,
    Name,
)
from sklearn_ap._uncertainty.estimate import Estimate, join_estimates
from sklearn_ap._writing.text import (
    count_as_text,
    digits_of,
    name_as_text,
    number_as_text,
    plural,
    rankings_as_text,
    share_as_text,
)
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.inference._methods_section import methods_of_models, methods_of_scores
from sklearn_ap.inference.folds.fold_predictions import FoldPredictions
from sklearn_ap.inference.scored_samples import (
    DescribedSample,
    doubts_of_sample,
    score_counts,
    score_models,
)

Source = TypeVar("Source")
FEWEST_EFFECTIVE = 10  # positives of few labels, of which a standard error tells much
FEWER = 0.999  # effective positives are fewer than all if they are less than this share


class NumbersOfScores(TypedDict):
    """The numbers of an interval of several scores, an array of each."""

    estimate: Float
    low: Float
    high: Float
    standard_error: Float
    n_positives: Float
    n_effective: Float
    prevalence: Float


NUMBERS = tuple(NumbersOfScores.__annotations__)


def average_precision_interval(
    y_true: ArrayLike,
    y_score: ArrayLike | FoldPredictions,
    *,
    definition: Definition | str | None = None,
    confidence_level: float = 0.95,
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
) -> Interval:
    """Compute the average precision with its confidence interval.

    The interval is for the score of the whole population, of which the rows (or clusters, or
    queries) are a random sample. For recall levels and scores at k, at a recall or at a precision,
    it is for the mean score of samples of this size. It ignores the variation between training
    sets.

    Parameters
    ----------
    y_true, y_score : array-like
        As in ``average_precision_score``. For a cross-validation, ``y_score`` is
        ``FoldPredictions(cv_results, X)``.
    definition : Definition or str, default=None
        What average precision is: ``Step()``, ``Interpolated()``, ``AtK()``, ``PrecisionAtK()``,
        ``RecallAtK()``, ``PrecisionAtRecall()``, ``Expected()``, ``Linear()`` or ``Hyperbolic()``
        of ``sklearn_ap.definitions``, or your own. For queries also ``RecallAtPrecision()`` and
        ``ReciprocalRank()``, which have no interval for one ranking, as they hang on one row. Or a
        name, such as "AP@20". None is ``Step()``; for scores of ``from_coco``, it is the
        definition of COCO.
    confidence_level : float, default=0.95
        How often these intervals should contain the true value.
    average, pos_label, labels, sample_weight : as in average_precision_score
        A row is one case, whatever its weight.
    queries : array-like of shape (n_samples,), default=None
        The query of each row. For a mean, the interval is over queries, not over rows, unless there
        are ``clusters``.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each row, such as the patient. The interval is then over clusters, not over
        rows. With ``queries``, too, clusters of queries are sampled if each query lies in one of
        them, such as the queries of a user. Otherwise, the queries are fixed, such as the classes
        of a detector, and clusters are sampled, such as its images. The heading says which.
    n_positives, prevalence : as in average_precision_score
        Positives that were never scored are sampled like others.
    inclusion_probability : "equal", float or array-like of shape (n_samples,), default=None
        The probability with which each row was chosen for labelling, if only some were: ``y_true``
        is nan or None where nobody looked. "equal" says that they are a simple random sample. Rows
        of a cluster or of a query are labelled together. Rows without a label may be left out if
        you pass numbers and no judge; in an array, their probabilities may be nan.
    judge : array-like of shape (n_samples,), default=None
        What another model, such as a language model, says of all rows: labels like those of
        ``y_true``, or probabilities of a positive. Labels correct it, and it need not be right.
        Without ``inclusion_probability``, labelled rows must look like a random sample.
    zero_division : as in average_precision_score
        The score of a ranking where it is not defined, which has no limits.

    Returns
    -------
    Interval
        The score (that of the score function with the same arguments), its standard error and its
        confidence limits. Floats, or arrays for ``average=None`` of several columns, or of queries.

    Warns
    -----
    UncertaintyWarning
        If the interval may be unreliable: with few clusters of rows, or few negatives at another
        prevalence, or if scores seem reversed. For folds, if models have seen clusters of their
        test rows, or if scores do not mean the same in each fold. With few labels, see the page
        about them.

    See Also
    --------
    compare_average_precision : Whether one model is better than another on the same rows.
    FoldPredictions : The models of a cross-validation, in the place of ``y_score``.
    Interval.from_counts : The same from counts alone.

    Notes
    -----
    A limit is as far from the score as the data's own variance says, and as the rows that a sample
    of this size may lack would move it, both together. The variance is the sum over rows, or over
    clusters, of the squares of their influence, which is the derivative of the score by the weight
    of a row [1]_; its limits are Wilson's, with Student's t. A sample of many positives may lack
    three rows that rank wrong, by the rule of three, and one of few may lack more. For definitions
    without influence, the variance is that of half samples, whose seed is fixed.

    References
    ----------
    .. [1] Efron (1981), "Nonparametric estimates of standard error: the jackknife, the bootstrap
       and other methods", Biometrika 68(3), 589-599, https://doi.org/10.1093/biomet/68.3.589.

    Examples
    --------
    Of 2,000 payments, 4% are frauds:

    >>> import numpy as np
    >>> from sklearn_ap import average_precision_interval
    >>> rng = np.random.default_rng(0)
    >>> customer = np.repeat(np.arange(400), 5)
    >>> is_thief = rng.random(400) < 0.1
    >>> is_fraud = (is_thief[customer] & (rng.random(2000) < 0.4)).astype(int)
    >>> habit = rng.normal(size=400)[customer]
    >>> y_score = 2 * is_fraud + 0.7 * habit + 0.7 * rng.normal(size=2000)
    >>> average_precision_interval(is_fraud, y_score)
    step AP, 2,000 rows, 78 positives (3.9%), 95% intervals over rows
    The step AP is 0.45 (95% interval 0.32 to 0.57).

    Payments of one customer resemble each other, so pass the customers:

    >>> found = average_precision_interval(is_fraud, y_score, clusters=customer)
    >>> found
    step AP, 2,000 rows, 78 positives (3.9%), 95% intervals over 400 clusters
    The step AP is 0.45 (95% interval 0.27 to 0.62).
    The 78 positives lie in clusters that count as 30 of equal weight.

    Its numbers are fields:

    >>> round(found.low, 2), round(found.high, 2)
    (0.27, 0.62)
    """
    level = check_open_share("confidence_level", confidence_level)
    request = Request(
        y_true=y_true,
        y_score=y_score,
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
    definition = check_definition(definition, y_score)
    has_all_labels = inclusion_probability is None and judge is None
    if has_all_labels and (counts := count_on_device(request)) is not None:
        return Interval.from_counts(
            counts,
            definition=definition,
            confidence_level=level,
            prevalence=prevalence,
            zero_division=zero_division,
        )
    joint, described = score_models(
        definition, [request], inclusion_probability=inclusion_probability, judge=judge
    )
    return interval_of_estimate(joint.estimate, described, level)


class ConfidenceInterval(NamedTuple):
    """The limits of a score, or of several, at one level."""

    low: FloatOrArray
    high: FloatOrArray


class Origin(NamedTuple):
    """What an interval was made of."""

    level: float | None = None  # of its limits
    estimate: Estimate | None = None  # None of a paper, of several samples, and of chosen models
    pattern: int | None = None  # of positives: that of another result is of the same sample
    objects: int | None = None  # of detections, by images: another result has those of the same


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Interval(ResultWithPlot):
    """An average precision with its confidence limits, or several.

    Print it, draw it with ``plot``, or get its numbers with ``to_frame`` and ``to_dict``; for a
    paper, a table with ``to_table`` and a paragraph with ``to_methods``. Numbers are floats for one
    score, and arrays with an entry for each of ``names`` for several.

    Parameters
    ----------
    estimate : float or ndarray of shape (n_scores,)
        The score.
    low, high : float or ndarray of shape (n_scores,)
        Confidence limits; nan where the score is not defined.
    standard_error : float or ndarray of shape (n_scores,)
        Standard deviation of the score over samples; nan for one query or one cluster.
    n_positives : float or ndarray of shape (n_scores,)
        The number of positives, scored or not, whatever they weigh; with few labels, of those that
        were found. Of a mean, the sum over all rankings. nan for weighted counts of queries, which
        do not tell.
    n_effective : float or ndarray of shape (n_scores,)
        How many independent positives of equal weight would tell as much, if weights are unequal.
        If positives share clusters, or the rows of several columns, as how many equally large ones
        these count. Of a mean over queries, the effective number of queries, or of their clusters.
    prevalence : float or ndarray of shape (n_scores,)
        The prevalence that was passed, or the share of positives, with weights their share of
        weight: about the score of a random order. Of a mean, the mean over rankings. nan with
        few labels.
    sample : Sample
        What was scored: the definition, rows, positives, units, folds and labels.
    names : tuple, default=()
        Of classes, columns, queries or segments; empty for one score.
    confidence_level : float, default=0.95
        How often these intervals cover the true score.
    notes : mapping, default={}
        What else a reader must know, under its name: "bias", by how much a mean over columns is
        too high, which the limits allow for; of few labels "worth_of_labels", how many labelled
        rows, clusters or queries, drawn at random, would tell as much, and "judge_score" and
        "judge_weight", the score by the judge alone and its weight. Where the first of several
        models was chosen as the highest, its lower limit allows for that, and "low_without_choice"
        is that of a model named before.
    doubts : tuple of Doubt, default=()
        Why the result may be unreliable: its warnings, also those of earlier results.

    See Also
    --------
    average_precision_interval : Makes one from labels and scores.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import average_precision_interval
    >>> rng = np.random.default_rng(0)
    >>> y_true = (rng.random(2000) < 0.05).astype(int)
    >>> found = average_precision_interval(y_true, 2 * y_true + rng.normal(size=2000))
    >>> round(found.estimate, 3), round(found.low, 3), round(found.high, 3)
    (0.522, 0.408, 0.617)
    """

    estimate: FloatOrArray
    low: FloatOrArray
    high: FloatOrArray
    standard_error: FloatOrArray
    n_positives: FloatOrArray
    n_effective: FloatOrArray
    prevalence: FloatOrArray
    sample: Sample
    names: tuple[Name, ...] = ()
    confidence_level: float = 0.95
    notes: Notes = field(default_factory=dict)
    doubts: tuple[Doubt, ...] = ()
    _origin: Origin = field(default_factory=Origin)

    def __post_init__(self) -> None:
        """Refuse limits under the name of another level than theirs."""
        if self._origin.level is None:
            own = self._origin._replace(level=self.confidence_level)
            object.__setattr__(self, "_origin", own)
        elif self._origin.level != self.confidence_level:
            how = f" Call confidence_interval({self.confidence_level:g}) for others."
            raise InputError(
                f"These are limits at the level {self._origin.level:g}, which have no other "
                f"confidence_level.{how if self._origin.estimate is not None else ''}"
            )

    @classmethod
    def from_counts(
        cls,
        counts: ThresholdCounts,
        definition: Definition | str = Step(),
        *,
        confidence_level: float = 0.95,
        average: Literal["macro", "weighted", None] = "macro",
        prevalence: float | None = None,
        zero_division: ZeroDivision = "warn",
    ) -> Interval:
        """Make an interval from counts, for data of any size.

        Parameters
        ----------
        counts : ThresholdCounts
            Those of one ranking without weights, or of queries. For rows with weights or in
            clusters, draw 10,000 rows, or clusters with all their rows, and pass these to
            ``average_precision_interval``. So do with more than ten million rows of a precision at
            a recall, or a definition of yours without influence, which take memory for each row.
        definition : Definition or str, default=Step()
            What average precision is.
        confidence_level : float, default=0.95
            How often these intervals should cover the true score.
        average : {"macro", "weighted"} or None, default="macro"
            How several rankings become one number. They are then a sample of queries; with None,
            each has an interval of its own.
        prevalence : float, default=None
            The prevalence where you deploy; None for that of the counts.
        zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
            The score of a ranking without positives.

        Returns
        -------
        Interval
            Equal to that from rows.
        """
        level = check_open_share("confidence_level", confidence_level)
        estimate, described = score_counts(
            check_definition(definition),
            counts,
            average=average,
            zero_division=zero_division,
            prevalence=prevalence,
        )
        return interval_of_estimate(estimate, described, level)

    def confidence_interval(self, confidence_level: float | None = None) -> ConfidenceInterval:
        """Return the limits at any level.

        Parameters
        ----------
        confidence_level : float, default=None
            How often such limits cover the true score; None for that of the result.

        Returns
        -------
        named tuple
            ``low`` and ``high``: floats, or arrays for several scores. Scores of a paper, of
            several samples, or of a model that was chosen have limits at their own level alone.
        """
        level = check_level(confidence_level, self.confidence_level)
        if level == self.confidence_level:
            return ConfidenceInterval(self.low, self.high)
        low, high = known_at_any_level(self._origin.estimate, self.confidence_level).limits(level)
        if self.names:
            return ConfidenceInterval(low, high)
        return ConfidenceInterval(float(low[0]), float(high[0]))

    def to_methods(self) -> str:
        """Return a paragraph for the methods section of a paper: the score, the rows, the limits.

        Returns
        -------
        str
            One line. Authors and years are those of the references of "Writing a paper".
        """
        scores = methods_of_scores(self.sample, self._origin.estimate, self.confidence_level)
        return " ".join([*scores, methods_of_models(self.sample)])

    @property
    def heading(self) -> str:
        """The score, the sample, and what is sampled."""
        return heading_of(self.sample, self.confidence_level)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The score in words, and what else must be known; of several, which are not defined."""
        texts = [_about_scores(self), _about_choice(self)]
        if not self.names:
            texts += [_about_bias(self), _about_effective_number(self), _about_labels(self)]
        return tuple(filter(None, texts))

    def _names(self) -> Sequence[Name]:
        return self.names or (self.sample.title,)

    def _facts(self) -> Mapping[str, Json]:
        return {"confidence_level": self.confidence_level, **facts_of(self.sample)}

    def _columns(self) -> Sequence[Column]:
        numbers = as_arrays(self, NUMBERS)
        n_effective = numbers["n_effective"]
        head = "queries" if self.sample.unit == "query" else "effective"
        has_head = self.names and np.any(n_effective < FEWER * numbers["n_positives"])
        return (
            Estimates(
                key="estimate",
                head="estimate",
                title=self.sample.title,
                values=numbers["estimate"],
                low=numbers["low"],
                high=numbers["high"],
                level=self.confidence_level,
            ),
            Column(key="standard_error", values=numbers["standard_error"]),
            self._positives(),
            Column(
                key="n_effective",
                values=n_effective,
                head=head if has_head else "",
                cells=[*map(count_as_text, n_effective.tolist())],
            ),
            Column(key="prevalence", values=numbers["prevalence"]),
        )

    def _positives(self) -> Column:
        """Return the numbers of positives, with their shares unless a prevalence was passed."""
        n_positives, shares = as_arrays(self, ["n_positives", "prevalence"]).values()
        cells = [*map(count_as_text, n_positives.tolist())]
        head = "positives"
        is_passed = (shares == self.sample.target_prevalence) | np.isnan(shares)  # nan in papers
        if not is_passed.all():  # those of segments are their own
            cells = [
                cell if np.isnan(share) else f"{cell} ({share_as_text(share)})"
                for cell, share in zip(cells, shares.tolist(), strict=True)
            ]
            if self.sample.weight_share is not None:
                head = "positives (share of weight)"
        head = head if self.names else ""
        return Column(key="n_positives", values=n_positives, head=head, cells=cells)


def check_level(confidence_level: float | None, own: float) -> float:
    """Check the level of limits; None stands for that of the result."""
    if confidence_level is None:
        return own
    return check_open_share("confidence_level", confidence_level)


def known_at_any_level(source: Source | None, level: float) -> Source:
    """Return what has limits at any level; refuse a result that has its own ones alone."""
    if source is None:
        raise InputError(
            f"Limits of a paper, of several samples or segments, and of a chosen model are known "
            f"at their own level alone, {level:g}. Pass confidence_level to the function that "
            f"makes the result."
        )
    return source


def join_numbers(
    intervals: Iterable[Interval], order: Index | slice = slice(None)
) -> NumbersOfScores:
    """Put the numbers of several results one after another, or in another order."""
    tables = [as_arrays(interval, NUMBERS) for interval in intervals]
    joined = {name: np.concatenate([table[name] for table in tables])[order] for name in NUMBERS}
    return cast(NumbersOfScores, joined)


def join_intervals(
    intervals: Sequence[Interval], names: tuple[Name, ...], sample: Sample, **numbers: Float
) -> Interval:
    """Make one result of scores at one level, with a row for each; ``numbers`` replace theirs."""
    estimates = [each._origin.estimate for each in intervals if each._origin.estimate is not None]
    source = join_estimates(estimates) if len(estimates) == len(intervals) else None
    return Interval(
        **cast(NumbersOfScores, {**join_numbers(intervals), **numbers}),
        sample=sample,
        names=names,
        confidence_level=intervals[0].confidence_level,
        doubts=_join_doubts(intervals, names, source),
        _origin=Origin(
            estimate=source,
            pattern=next(filter(None, (each._origin.pattern for each in intervals)), None),
        ),
    )


def mark_objects(interval: Interval, objects: int) -> Interval:
    """Let a result of detections know a number that only those of the same objects share."""
    return replace(interval, _origin=interval._origin._replace(objects=objects))


def _join_doubts(
    intervals: Sequence[Interval], names: tuple[Name, ...], source: Estimate | None
) -> tuple[Doubt, ...]:
    """Join the doubts of several results; those about the sample are told once, for all of them."""
    if intervals[0].names:  # of models in each part
        doubts = _doubts_of_pairs(intervals, names)
    else:
        doubts = join_doubts([interval.doubts for interval in intervals], names)
    about_sample = [] if source is None else doubts_of_sample(source, names)
    told = {doubt.name for doubt in about_sample}
    about_sample = [
        replace(doubt, about=() if len(doubt.about) == len(names) else doubt.about)
        for doubt in about_sample
    ]
    return (*about_sample, *(doubt for doubt in doubts if doubt.name not in told))


def _doubts_of_pairs(intervals: Sequence[Interval], names: tuple[Name, ...]) -> tuple[Doubt, ...]:
    """Join the doubts of models in several parts: each is about pairs of a model and a part."""
    pairs_of_doubt: dict[Doubt, list[Name]] = {}
    start = 0
    for interval in intervals:
        end = start + len(interval.names)
        pair_of_model = dict(zip(interval.names, names[start:end], strict=True))
        for doubt in interval.doubts:
            pairs = [pair_of_model[model] for model in doubt.about or interval.names]
            pairs_of_doubt.setdefault(replace(doubt, about=()), []).extend(pairs)
        start = end
    return tuple(
        replace(doubt, about=() if len(pairs) == len(names) else tuple(pairs))
        for doubt, pairs in pairs_of_doubt.items()
    )


def interval_of_estimate(estimate: Estimate, described: DescribedSample, level: float) -> Interval:
    """Make a result of an estimate, with its limits at a level, and its bias if it is a mean."""
    notes = dict(described.notes)
    if not described.names and np.any(estimate.bias != 0):
        notes["bias"] = np.asarray(estimate.bias).item()
    low, high = estimate.limits(level)
    return Interval(
        **described.numbers(
            estimate=estimate.value,
            low=low,
            high=high,
            standard_error=estimate.standard_error,
            n_positives=described.n_positives,
            n_effective=estimate.n_effective,
            prevalence=described.prevalence,
        ),
        sample=described.sample,
        names=described.names,
        confidence_level=level,
        notes=notes,
        doubts=described.doubts,
        _origin=Origin(estimate=estimate, pattern=described.pattern),
    )


def _about_scores(result: Interval) -> str:
    """Say a score; of several, name those that are not defined."""
    (scores,) = result._panels()
    score, lacking = result.sample.title, needed_classes(result.sample)
    rows = np.flatnonzero(np.isnan(scores.low)).tolist()
    if not rows:
        return "" if result.names else f"The {score} is {scores.phrase(0)}."
    which = f": {rankings_as_text([result.names[row] for row in rows])}" if result.names else ""
    if np.isnan(scores.values[rows[0]]):
        return f"The {score} is not defined without {lacking}{which}."
    counts_as = scores.phrase(rows[0])
    return f"Without {lacking}, the {score} counts as {counts_as}, and has no limits{which}."


def needed_classes(sample: Sample) -> str:
    """Return the words for what a score is not defined without."""
    return "a positive" if sample.target_prevalence is None else "positives and negatives"


def why_unknown(sample: Sample) -> str:
    """Return the words for why a score cannot be compared."""
    return f"because a score is not defined without {needed_classes(sample)}"


def _about_choice(result: Interval) -> str:
    """Say that the lower limit of the first score is unlike those of the others."""
    low = float(result.notes.get("low_without_choice", np.nan))
    if np.isnan(low) or not result.names:
        return ""
    (scores,) = result._panels()
    digits = digits_of(*(float(numbers[0]) for numbers in (scores.values, scores.low, scores.high)))
    return (
        f"The lower limit of {name_as_text(result.names[0])} allows for the choice of the highest "
        f"score; for a model named beforehand, it would be {number_as_text(low, digits)}."
    )


def _about_bias(result: Interval) -> str:
    """Say by how much a mean is too high, if that is seen in the digits that are printed."""
    bias = float(result.notes.get("bias", 0.0))
    digits = digits_of(*map(float, (result.estimate, result.low, result.high)))
    if round(bias, digits) == 0:
        return ""
    way, amount = "high" if bias > 0 else "low", number_as_text(abs(bias), digits)
    return f"The score is too {way} by about {amount}, which the limits allow for."


def _about_effective_number(result: Interval) -> str:
    """Say what positives tell that weigh unequally, or as how many units count that hold them."""
    if result.sample.averages_units:
        return ""  # the effective number is one of queries, or of their clusters
    n_positives, n_effective = float(result.n_positives), float(result.n_effective)
    fewer = round(n_effective, 0 if n_effective >= 10 else 1)
    if not fewer < FEWER * n_positives:
        return ""
    positives, unit = count_as_text(n_positives, "positive"), result.sample.unit
    if unit and (unit == "cluster" or result.sample.mean):  # units that may hold several positives
        count = count_as_text(fewer)
        has_weights = result.sample.weight_share is not None
        if result.sample.averaged == "class" and unit == "row" and not has_weights:
            effect = f"count as {count} of equal weight, because rows of rare classes weigh more"
            return f"The {count_as_text(n_positives, 'row')} {effect}."
        return f"The {positives} lie in {plural(unit)} that count as {count} of equal weight."
    ones = count_as_text(fewer, "independent one")
    return f"The {positives} tell as much as {ones} of equal weight."


def _about_labels(result: Interval) -> str:
    """Say how many labels drawn at random would tell as much, if that is another number."""
    sample, has_judge = result.sample, "judge_score" in result.notes
    worth = np.round(float(result.notes.get("worth_of_labels", np.nan)))
    has_few = float(result.n_effective) < FEWEST_EFFECTIVE
    if has_few or np.isnan(worth) or (worth == sample.n_labelled and not has_judge):
        return ""
    sampled = "Without the judge, a random sample" if has_judge else "A random sample"
    unit = "label" if sample.unit == "row" else f"labelled {sample.unit}"
    number = count_as_text(worth, unit)
    return f"{sampled} would take {number} for a standard error as small as this."
