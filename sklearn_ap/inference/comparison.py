"""Whether one model is better than another on the same rows, and which of many may be the best."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._counts.averages import FEW_POSITIVES, ZeroDivision, warn_if_reversed
from sklearn_ap._inputs.arrays import columns_by_name
from sklearn_ap._inputs.options import Seed
from sklearn_ap._inputs.rankings import Average, Rankings
from sklearn_ap._inputs.request import Request, check_models, warn_of_fixed_queries
from sklearn_ap._inputs.segments import OTHERS, PREVIOUS
from sklearn_ap._results.column import Column, Estimates
from sklearn_ap._results.result import Json, Notes, Result
from sklearn_ap._results.sample import Sample
from sklearn_ap._results.text import (
    MOST_DIGITS,
    OneSide,
    count_as_text,
    digits_of,
    name_as_text,
    names_as_text,
    number_as_text,
    pvalue_as_text,
    shorten,
)
from sklearn_ap._types import (
    Argument,
    Array,
    Bool,
    Float,
    FloatOrArray,
    Index,
    Label,
    Name,
    ScoreOrScores,
)
from sklearn_ap._uncertainty.best import Best, best_of
from sklearn_ap._uncertainty.differences import Differences, differences
from sklearn_ap._uncertainty.few_labels import Labelled, joint_of_labels
from sklearn_ap._uncertainty.joint import Joint, joint_of_requests
from sklearn_ap._uncertainty.options import (
    BEST,
    Alternative,
    Options,
    Scores,
    check_lengths,
    check_margin,
    check_options,
    named_models,
)
from sklearn_ap._uncertainty.warnings import (
    UncertaintyWarning,
    issue_warnings,
    warnings_of_all_scores,
    warnings_of_labels,
    warnings_of_sample,
)
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.inference._samples import (
    Positives,
    positives_of_labels,
    positives_of_rankings,
    sample_of_labels,
    sample_of_rankings,
)
from sklearn_ap.inference.few_labels import labelled_rows
from sklearn_ap.inference.folds import (
    FoldPredictions,
    are_fold_predictions,
    pool_models,
    refuse_beside_folds,
)
from sklearn_ap.inference.interval import Interval, Source, needed_classes, notes_of_labels

LONGEST_NAME = 20  # letters of a reference in the head of a column
MOST_SENTENCES = 4  # of more differences, those with the same verdict share a sentence
REFERENCE, UNDECIDED = "reference", "undecided"  # verdicts; the others are parts of sentences
ARRAYS = ("estimate", "low", "high", "standard_error", "n_positives", "n_effective", "prevalence")
OPEN_ENDS: dict[Alternative, OneSide] = {"two-sided": None, "greater": "high", "less": "low"}
CLAIMS: dict[str, str] = {
    "better": "{0} is better than {1}",
    "worse": "{0} is worse than {1}",
    "not worse": "{0} is not worse than {1} by {2} or more",
}
NOTHING_SHOWN = {
    "margin": "It is not shown that {0} is not worse than {1} by {2} or more",
    "two-sided": "No difference between {0} and {1} is shown",
    "greater": "It is not shown that {0} is better than {1}",
    "less": "It is not shown that {0} is worse than {1}",
}


def compare_average_precision(
    y_true: ArrayLike | None,
    y_scores: Scores | Mapping[str, FoldPredictions],
    *,
    reference: str | None = None,
    definition: Definition = Step(),
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
    rng: Seed = 0,
) -> Comparison:
    """Compare the average precision of several models on the same rows.

    Models make many of the same mistakes on the same rows. So the comparison finds differences even
    if the intervals of the scores overlap. It compares these fitted models, or those that the folds
    trained, on new cases: it does not tell how training with other seeds or rows would turn out.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
        As in ``average_precision_score``. None takes the labels that ``FoldPredictions`` carry.
    y_scores : mapping of str to array-like or FoldPredictions, or DataFrame
        The scores of each model for the same rows, as ``{"A": scores_a, "B": scores_b}``, or as
        columns of a DataFrame (pandas, polars). For cross-validations with the same folds, pass the
        ``FoldPredictions`` of each model.
    reference : str, default=None
        The name of the model that the others are compared with. None takes the first. Choose it
        before you see the scores. "best" takes the highest score, and asks which of the others may
        be the best: all limits allow for the choice. So pass all models that you tried.
    definition : Definition, default=Step()
        What average precision is, as in ``average_precision_interval``. One without influence, such
        as ``AtK()``, is compared over rows of one ranking, or over queries.
    confidence_level : float, default=0.95
        How often all intervals of differences should contain the true values.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is asked of each model: whether it differs from the reference, is better, or is worse.
        With the last two, the intervals of the differences are open on one side.
    margin : float, default=None
        The loss of average precision that does not matter to you, such as 0.02, chosen before you
        see the scores. A model that is not shown to be better may then be "not worse". For step
        average precision of one ranking of rows, and means over queries.
    average, pos_label, labels, sample_weight : as in average_precision_score
        ``average=None`` compares each ranking.
    queries, clusters : as in average_precision_interval
        What is sampled: queries, or clusters such as patients, in the place of rows.
    n_positives, prevalence : as in average_precision_score
        The prevalence is one for which differences are computed, such as where you deploy.
    inclusion_probability, judge : as in average_precision_interval
        For rows of which few have labels.
    zero_division : as in average_precision_score
        The score of a ranking without positives, which has no limits.
    rng : int, numpy.random.Generator or None, default=0
        Seed or generator of the half samples of a definition without influence, such as one at k,
        and of means over columns. None draws others at each call.

    Returns
    -------
    Comparison
        Scores with their intervals, and differences from the reference with theirs.

    Warns
    -----
    UncertaintyWarning
        If limits may be unreliable: with few clusters, or few negatives at another prevalence. For
        folds, if models have seen clusters of their test rows, or if scores do not mean the same in
        each fold.

    See Also
    --------
    average_precision_interval : The interval of one score.
    FoldPredictions : The models of a cross-validation, in the place of scores.

    Notes
    -----
    The influence of a row on a difference is the difference of its influences on the scores. The
    variance is the sum of their squares, and room for one more row that favours one model; limits
    are Student's. Two or more differences have simultaneous limits: all hold at once in 95 of 100
    samples. P-values and verdicts agree with them. A third model therefore widens the first
    difference a little. Scores have intervals by themselves.

    With a margin, the lower limit also leaves room for two false alarms above all rows, or for one
    more query in which the model fails. It tests on one side, at half the error.

    With ``reference="best"``, a model is left out of those that may be the best if another one is
    better by more than chance explains. Limits of differences are one-sided, and the lower limit of
    the highest score holds for a model that was chosen by its score.

    With a judge, the weight of the judge is the best for each score by itself.

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
       estimate             minus A                 p-value
    A  0.43 (0.29 to 0.58)  –                             –
    B  0.78 (0.64 to 0.86)  +0.35 (+0.24 to +0.45)  <0.0001
    B is better than A: +0.35 (95% interval +0.24 to +0.45).
    """  # noqa: RUF002
    models = named_models(columns_by_name("y_scores", y_scores))
    check_lengths(y_true, models)
    question = _Question(
        names=tuple(map(str, models)),
        reference=_find_reference(models, reference),
        definition=definition,
        options=_check_options(confidence_level, rng, alternative, margin, reference),
    )
    requests = [
        Request(
            y_true=y_true,
            y_score=y_score,
            average=average,
            pos_label=pos_label,
            labels=labels,
            sample_weight=sample_weight,
            queries=queries,
            clusters=clusters,
            n_positives=n_positives,
            prevalence=prevalence,
            zero_division=zero_division,
        )
        for y_score in models.values()
    ]
    few_labels = {"inclusion_probability": inclusion_probability, "judge": judge}
    if are_fold_predictions(models):
        refuse_beside_folds(labels=labels, n_positives=n_positives, **few_labels)
        pools, warnings = pool_models(dict(zip(question.names, requests, strict=True)))
        pooled = [pool.request for pool in pools]
        return _compare_rows(question, pooled, warnings, n_folds=pools[0].n_folds)
    if inclusion_probability is not None or judge is not None:
        labelled, scores = labelled_rows(requests, **few_labels)
        if not labelled.is_complete:
            return _compare_labels(question, requests[0], labelled, scores)
    return _compare_rows(question, requests, warnings_of_all_scores(models))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(Result):
    """Scores, and their differences from a reference.

    Print it, draw it with ``plot``, or get its numbers with ``to_frame`` and ``to_dict`` and a
    table for a paper with ``to_table``. Numbers of differences are floats for one difference, such
    as that of two models. For several, they are arrays with an entry for each of ``names``, nan for
    the reference.

    Parameters
    ----------
    scores : Interval
        The scores with their own limits, and their ``names``: those of models, or pairs of a model
        and a ranking for ``average=None``.
    reference : str, or the name of a segment
        The model or the segment that the others are compared with. For segments also "others", or
        "previous": frames then have a column with the reference of each.
    difference : float or ndarray of shape (n_scores,)
        Score minus that of the reference.
    difference_low, difference_high : float or ndarray of shape (n_scores,)
        Confidence limits, which hold for all differences at once. One of them is -1 or 1 if the
        alternative is one-sided.
    pvalue : float or ndarray of shape (n_scores,)
        How often equal scores would show a difference as large among all of these.
    verdict : str or ndarray of shape (n_scores,)
        "better", "worse", "undecided" or "reference"; with a margin also "not worse". It agrees
        with the limits and the p-value. "undecided" does not say that two scores are equal.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What the p-values are evidence for.
    reference_is_best : bool, default=False
        Whether the reference was chosen as the highest score. "undecided" are then the others that
        may be the best.
    notes : mapping, default={}
        What else a reader must know, under its kind: "margin", and "margin_low", the lower limits
        of differences that are compared with minus the margin; "optimism", by how much the highest
        score is too high on average, because it was chosen; of few labels "worth_of_labels", how
        many labelled rows, clusters or queries, drawn at random, would tell as much of each
        difference, and "judge_score" and "judge_weight", the score by the judge alone and its
        weight.

    See Also
    --------
    compare_average_precision : Makes one of models.
    compare_segments : Makes one of segments of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import compare_average_precision
    >>> rng = np.random.default_rng(0)
    >>> y_true = (rng.random(2000) < 0.05).astype(int)
    >>> strengths = {"A": 1.5, "B": 2.5, "C": 1.6}
    >>> models = {name: d * y_true + rng.normal(size=2000) for name, d in strengths.items()}
    >>> found = compare_average_precision(y_true, models)
    >>> found.difference.round(2), found.verdict.tolist()
    (array([ nan, 0.38, 0.1 ]), ['reference', 'better', 'undecided'])
    """

    scores: Interval
    reference: Name
    difference: ScoreOrScores
    difference_low: ScoreOrScores
    difference_high: ScoreOrScores
    pvalue: ScoreOrScores
    verdict: str | Array
    alternative: Alternative = "two-sided"
    reference_is_best: bool = False
    notes: Notes = field(default_factory=dict)
    _source: Differences | None = None  # what sizes of samples need

    @property
    def names(self) -> tuple[Name, ...]:
        """The models, pairs of a model and a ranking, or segments."""
        return self.scores.names

    @property
    def estimate(self) -> Float:
        """The scores."""
        return np.asarray(self.scores.estimate)

    @property
    def low(self) -> Float:
        """The lower limits of the scores."""
        return np.asarray(self.scores.low)

    @property
    def high(self) -> Float:
        """The upper limits of the scores."""
        return np.asarray(self.scores.high)

    @property
    def sample(self) -> Sample:
        """What was scored."""
        return self.scores.sample

    @property
    def confidence_level(self) -> float:
        """How often the intervals of scores, and all those of differences, hold the true values."""
        return self.scores.confidence_level

    @property
    def heading(self) -> str:
        """The score, the sample, what is sampled, and what intervals of differences are."""
        kinds = {
            "simultaneous": self._n_compared() > 1 and not self._is_pair(),
            "one-sided": self.alternative != "two-sided",
        }
        words = " and ".join(word for word, is_said in kinds.items() if is_said)
        heading = self.scores.heading
        return f"{heading}, {words} for differences" if words else heading

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is shown: of few differences, a sentence for each; of many, one for each verdict."""
        texts = self._about_best() if self.reference_is_best else self._about_differences()
        return tuple(filter(None, [*texts, _about_labels(self)]))

    def _about_differences(self) -> list[str]:
        rows = np.flatnonzero(self._is_compared())
        if self._is_pair():  # the second difference is the first one turned around
            rows = rows[np.isfinite(self.difference[rows])][:1]
        if rows.size <= MOST_SENTENCES:
            return [self._about_one(int(row)) for row in rows]
        is_known = np.isfinite(self._difference().low[rows])
        verdicts = np.where(is_known, self._spread(self.verdict)[rows], "unknown")
        groups = [rows[verdicts == verdict] for verdict in (*CLAIMS, UNDECIDED)]
        n_known = int(np.count_nonzero(is_known))
        n_unknown = rows.size - n_known
        texts = [self._about_group(group, n_known) for group in groups if group.size]
        why = self._why_unknown(rows[~is_known])
        return [*texts, f"{n_unknown:,} cannot be compared{why}." if n_unknown else ""]

    def _why_unknown(self, rows: Index) -> str:
        """Say that scores are not defined, or why segments that have scores have no others."""
        if self.reference != OTHERS or not np.isfinite(self.scores.low[rows]).any():
            return f", as a score is not defined without {needed_classes(self.sample)}"
        what = "queries with a positive" if self.sample.unit == "query" else "effective positives"
        at = "" if self.sample.target_prevalence is None else " at this prevalence"
        return (
            f", as no other segment has {FEW_POSITIVES} {what}{at}: take one of them as reference"
        )

    def _about_one(self, row: int) -> str:
        """Say what is shown of one model: never that two are equal."""
        difference = self._difference()
        name, place = self._name_and_place(row)
        if np.isnan(difference.values[row]) or np.isnan(difference.low[row]):
            why = self._why_unknown(np.array([row]))
            return f"{name} and {self._reference(row)} cannot be compared{place}{why}."
        claim = self._claim(row).format(name, self._reference(row), f"{self._margin():g}")
        return f"{claim}{place}: {difference.phrase(row)}{self._room_for_failures(row)}."

    def _claim(self, row: int) -> str:
        verdict = str(self._spread(self.verdict)[row])
        has_margin = "margin" in self.notes
        if verdict == "worse" and has_margin and self._margin_low(row) > -self._margin():
            return f"{CLAIMS[verdict]}, but not by {{2}} or more"
        return CLAIMS.get(verdict, NOTHING_SHOWN["margin" if has_margin else self.alternative])

    def _room_for_failures(self, row: int) -> str:
        """Say the limit that is compared with a margin, so that it is on its side in print."""
        if "margin" not in self.notes or self._spread(self.verdict)[row] == "better":
            return ""
        low, difference = self._margin_low(row), self._difference()
        limits = (float(each[row]) for each in (difference.values, difference.low, difference.high))
        digits = digits_of(*limits, is_difference=True)
        while round(low, digits) == round(-self._margin(), digits) and digits < MOST_DIGITS:
            digits += 1
        return f"; with room for rare failures, down to {number_as_text(low, digits, '+')}"

    def _margin(self) -> float:
        return float(self.notes.get("margin", np.nan))

    def _margin_low(self, row: int) -> float:
        return float(self._spread(self.notes["margin_low"])[row])

    def _about_group(self, rows: Index, n_compared: int) -> str:
        if rows.size == 1:
            return self._about_one(int(rows[0]))
        difference = self._difference()
        verdict = str(self._spread(self.verdict)[rows[0]])
        if verdict == UNDECIDED:
            which = "any of" if rows.size == n_compared else "the other"
            return f"Nothing is shown for {which} {rows.size:,}."
        most = int(rows[np.argmax(np.abs(difference.values[rows]))])
        name, place = self._name_and_place(most)
        margin = f" by {self._margin():g} or more" if verdict == "not worse" else ""
        claim = f"{rows.size:,} of {n_compared:,} are {verdict} than {self._reference()}{margin}"
        if rows.size < n_compared:
            each = ["".join(self._name_and_place(row)) for row in rows.tolist()]
            claim = f"{claim} ({names_as_text(each)})"
        return f"{claim}, {name}{place} most: {difference.phrase(most)}."

    def _about_best(self) -> list[str]:
        """Say which models may be the best, how good the highest score is, and how it flatters."""
        verdicts = self._spread(self.verdict)
        row = int(np.flatnonzero(~self._is_compared())[0])
        (scores, _) = self._panels()
        n_models = len(self.names)
        rivals = [self._labels()[place][0] for place in np.flatnonzero(verdicts == UNDECIDED)]
        claim = f"{self._reference()} is the best of {n_models:,}"
        if rivals:
            claim = f"It is not shown that {claim}: {names_as_text(rivals)} may be, too"
        if np.isnan(scores.low[row]):
            return [f"{claim}."]
        score = f"{self._reference()} scores {scores.phrase(row)}"
        allows = "the lower limit allows for the choice of the highest score"
        limits = (float(each[row]) for each in (scores.values, scores.low, scores.high))
        optimism = number_as_text(float(self.notes["optimism"]), digits_of(*limits))
        flatters = f"On average, the choice makes the highest score too high by about {optimism}."
        return [f"{claim}.", f"{score}; {allows}.", flatters if float(optimism) > 0 else ""]

    def _name_and_place(self, row: int) -> tuple[str, str]:
        """Return the model of a row, and the words for its ranking."""
        name, *ranking = self._labels()[row]
        is_named = ranking and isinstance(self.names[row][1], str)
        return name, "".join(f" in {each if is_named else f'ranking {each}'}" for each in ranking)

    def _reference(self, row: int | None = None) -> str:
        """Return the words for the reference, or for that of a row."""
        if row is not None and self._references()[row]:
            return self._references()[row]
        if self._is_relative():
            others = "the other" if self._is_pair() else "the others"
            return {OTHERS: others, PREVIOUS: "the previous one"}[self.reference]
        return name_as_text(self.reference)

    def _references(self) -> list[str]:
        """Return the segment with which each one alone is compared; empty for several, or none."""
        names, found = [label[0] for label in self._labels()], [""] * len(self.names)
        known = np.flatnonzero(np.isfinite(self.scores.low)).tolist()
        if self._is_pair():
            found[known[0]], found[known[1]] = names[known[1]], names[known[0]]
        elif self._is_relative() and self.reference == PREVIOUS:
            for before, after in pairwise(known):
                found[after] = names[before]
        return found

    def _is_relative(self) -> bool:
        """Whether each segment has another reference: no model or segment has these names."""
        return isinstance(self.reference, str) and self.reference in (OTHERS, PREVIOUS)

    def _is_pair(self) -> bool:
        """Whether two segments are each other's reference."""
        is_relative = self._is_relative() and self.reference == OTHERS
        n_known = np.count_nonzero(np.isfinite(self.scores.low)) if is_relative else 0
        return n_known == 2 and self.alternative == "two-sided"

    def _is_compared(self) -> Bool:
        if self._is_relative():
            is_compared = np.ones(len(self.names), bool)
            if self.reference == PREVIOUS:  # the first one with a score has none before it
                is_compared[np.flatnonzero(np.isfinite(self.scores.low))[0]] = False
            return is_compared
        models = [name[0] if isinstance(name, tuple) else name for name in self.names]
        return np.array([model != self.reference for model in models])

    def _n_compared(self) -> int:
        return int(np.count_nonzero(self._is_compared()))

    def _spread(self, values: Argument) -> Array:
        """Return an entry for each score, also of one difference, which is a float."""
        if isinstance(values, np.ndarray):
            return values
        is_compared = self._is_compared()
        if isinstance(values, str):
            return np.where(is_compared, values, REFERENCE)
        return np.where(is_compared, values, np.nan)

    def _facts(self) -> Mapping[str, Json]:
        facts: dict[str, Json] = {
            "reference": str(self.reference),
            "alternative": self.alternative,
        }
        return {**self.scores._facts(), **facts, "reference_is_best": self.reference_is_best}

    def _names(self) -> Sequence[Name]:
        return self.names

    def _shown_rows(self) -> list[int]:
        rows, is_compared = super()._shown_rows(), self._is_compared()
        if len(rows) == is_compared.size or not isinstance(self.names[0], tuple):
            return rows
        return [row for row in rows if is_compared[row]]  # a reference is one of other rankings

    def _difference(self) -> Estimates:
        reference = shorten(self._reference(), LONGEST_NAME)
        return Estimates(
            key="difference",
            head=f"minus {reference}",
            title=f"difference from {reference}",
            values=self._spread(self.difference),
            low=self._spread(self.difference_low),
            high=self._spread(self.difference_high),
            level=self.confidence_level,
            sign="+",
            is_shown=np.isin(self._spread(self.verdict), ("better", "worse")),
            open_end=OPEN_ENDS[self.alternative],
            margin=self._margin(),
        )

    def _columns(self) -> Sequence[Column]:
        scores = self.scores._columns()
        if np.all(self.scores.n_positives == self.sample.n_positives):
            # Models have the same positives, which the heading says.
            scores = [replace(each, head="") if each.key[:2] == "n_" else each for each in scores]
        pvalue = self._spread(self.pvalue)
        references = []
        if self._is_relative() and self.reference == PREVIOUS:
            references = [Column(key="reference", values=np.array(self._references()))]
        return (
            *scores,
            *references,
            self._difference(),
            Column(
                key="pvalue",
                values=pvalue,
                head="p-value",
                cells=[*map(pvalue_as_text, pvalue.tolist())],
            ),
            Column(key="verdict", values=self._spread(self.verdict)),
        )


def _about_labels(result: Comparison) -> str:
    """Say how many labels drawn at random would tell as much of the differences."""
    worth = np.unique(np.round(np.ravel(result.notes.get("worth_of_labels", np.nan))))
    worth = worth[~np.isnan(worth)]
    n_labelled = result.sample.n_labelled
    if not worth.size or np.array_equal(worth, [n_labelled]):
        return ""
    judge = ", with the judge," if "judge_score" in result.notes else ""
    ends = " to ".join(count_as_text(each) for each in dict.fromkeys((worth[0], worth[-1])))
    labels = count_as_text(n_labelled, "label")
    return f"The {labels}{judge} tell as much of the differences as {ends} drawn at random."


class _Question(NamedTuple):
    """What was asked."""

    names: tuple[str, ...]
    reference: int | None  # None for the highest score
    definition: Definition
    options: Options


def _check_options(
    level: Argument, rng: Argument, alternative: Argument, margin: Argument, reference: Argument
) -> Options:
    """Check the options of a comparison; that of the best model asks one question alone."""
    options = check_options(level, rng, alternative)
    if isinstance(reference, str) and reference == BEST:
        for name, is_passed in (
            ("alternative", alternative != "two-sided"),
            ("margin", margin is not None),
        ):
            if is_passed:
                raise ValueError(
                    f"{name} does not go with reference={BEST!r}, which asks of each model whether "
                    f"it may be the best. Leave it out, or name a reference."
                )
    return options._replace(margin=check_margin(margin, alternative))


def _find_reference(models: Mapping[Name, Argument], reference: Argument) -> int | None:
    """Find the index of the reference among the models; None for the highest score."""
    if isinstance(reference, str) and reference == BEST:
        return None
    names = (*models,)
    if reference is not None and not (isinstance(reference, Hashable) and reference in models):
        raise ValueError(f"reference must be one of {names} or {BEST!r}, got {reference!r}.")
    return 0 if reference is None else names.index(reference)


def _compare_rows(
    question: _Question,
    requests: Sequence[Request],
    warnings: Sequence[UncertaintyWarning],
    n_folds: int = 0,
) -> Comparison:
    """Estimate the scores of models together, and warn of samples that are too small."""
    request, rankings = requests[0], check_models([*requests])
    joint = joint_of_requests(
        question.definition,
        requests,
        rankings,
        rng=question.options.rng,
        are_folds=n_folds > 0,
    )
    positives = positives_of_rankings(rankings[0], joint.counts)
    sample = sample_of_rankings(question.definition, request, rankings[0], positives, n_folds)
    scores = _scores(question, joint, positives, sample, request.ranking_names)
    comparison = _compare(question, joint, scores)
    issue_warnings([*warnings, *_warnings_of_sample(joint)])
    warn_of_fixed_queries(request, rankings[0])
    if not (n_folds and warnings):  # a wrong pool may be far below chance
        _warn_if_reversed(question, joint, request, rankings[0])
    return comparison


def _compare_labels(
    question: _Question, request: Request, labelled: Labelled, scores: Sequence[Array]
) -> Comparison:
    """Compare models on rows of which few have labels, and warn of what labels cannot tell."""
    found = joint_of_labels(question.definition, request, labelled, scores)
    joint = found.joint
    positives = positives_of_labels(labelled, joint.counts)
    sample = sample_of_labels(question.definition, request, labelled)
    comparison = _compare(question, joint, _scores(question, joint, positives, sample))
    issue_warnings([*_warnings_of_sample(joint), *warnings_of_labels(labelled, scores)])
    order = [question.names.index(name) for name in comparison.names]
    reference = question.names.index(comparison.reference)
    worth = [
        np.nan if model == reference else found.worth(model, reference)
        for model in range(joint.n_models)
    ]
    notes = {
        kind: np.asarray(numbers)[order]
        for kind, numbers in notes_of_labels(labelled, found, worth).items()
    }
    return replace(comparison, notes={**comparison.notes, **notes}, _source=None)


def _compare(question: _Question, joint: Joint, scores: Interval) -> Comparison:
    """Compare models with a reference, or with the highest score."""
    if question.reference is None:
        return _best(question.names, scores, best_of(joint, scores.confidence_level))
    found = differences(joint, question.reference, alternative=question.options.alternative)
    return _against(question, scores, found)


def _scores(
    question: _Question,
    joint: Joint,
    positives: Positives,
    sample: Sample,
    ranking_names: Sequence[Name] | None = None,
) -> Interval:
    """Return the scores with their own limits, as each has them alone."""
    level = question.options.confidence_level
    names: tuple[Name, ...] = question.names
    if positives.has_several:
        rankings = ranking_names or range(joint.n_rankings)
        names = tuple((model, ranking) for model in names for ranking in rankings)
    share = positives.share
    if sample.target_prevalence is not None:
        share = np.full(share.shape, sample.target_prevalence)
    low, high = joint.limits(level)
    return Interval(
        estimate=joint.values,
        low=low,
        high=high,
        standard_error=joint.collect("standard_error"),
        n_positives=np.tile(positives.number, joint.n_models),
        n_effective=joint.collect("n_effective"),
        prevalence=np.tile(share, joint.n_models),
        sample=sample,
        names=names,
        confidence_level=level,
        _source=Source(None),
    )


def _against(question: _Question, scores: Interval, found: Differences) -> Comparison:
    """Compare models with a reference that was chosen before."""
    level, margin = question.options.confidence_level, question.options.margin
    notes: Notes = {}
    reference = cast(int, question.reference)
    n_models = len(question.names)
    is_other = np.repeat(np.arange(n_models) != reference, len(scores.names) // n_models)

    def spread(values: Float) -> FloatOrArray:
        return spread_over_scores(values, is_other, np.nan)

    low, high = found.limits(level)
    if margin is not None:
        notes = {"margin": margin, "margin_low": spread(found.margin_low(level))}
    return Comparison(
        scores=scores,
        reference=question.names[reference],
        difference=spread(found.estimate),
        difference_low=spread(low),
        difference_high=spread(high),
        pvalue=spread(found.pvalues),
        verdict=spread_over_scores(np.array(found.verdicts(level, margin)), is_other, REFERENCE),
        alternative=question.options.alternative,
        notes=notes,
        _source=found,
    )


def _best(models: Sequence[str], scores: Interval, best: Best) -> Comparison:
    """Order models by their scores, and compare them with the highest one."""
    order = np.argsort(-np.asarray(scores.estimate), kind="stable")
    numbers: dict[str, Argument] = {name: np.array(getattr(scores, name)) for name in ARRAYS}
    numbers["low"][best.winner] = best.low
    numbers = {name: values[order] for name, values in numbers.items()}
    scores = replace(scores, **numbers, names=tuple(scores.names[model] for model in order))
    others, is_other = order[1:], np.arange(order.size) > 0
    verdict = np.where(best.may_be_best, UNDECIDED, "worse")

    def spread(values: Float) -> FloatOrArray:
        return spread_over_scores(
            np.where(np.isnan(scores.low[1:]), np.nan, values), is_other, np.nan
        )

    return Comparison(
        scores=scores,
        reference=models[order[0]],
        difference=spread(scores.estimate[1:] - scores.estimate[0]),
        difference_low=spread(np.full(others.size, -1.0)),
        difference_high=spread(best.high[others]),
        pvalue=spread(best.pvalues[others]),
        verdict=spread_over_scores(verdict[others], is_other, REFERENCE),
        alternative="less",
        reference_is_best=True,
        notes={"optimism": best.optimism},
    )


def spread_over_scores(values: Array, is_other: Bool, reference: object) -> Argument:
    """Return the number of one difference, or those of several with a place for the reference."""
    if values.size == 1:
        return values.item()
    spread = np.full(is_other.size, reference)
    spread[is_other] = values
    return spread


def _warnings_of_sample(joint: Joint) -> list[UncertaintyWarning]:
    return [each for estimate in joint.estimates for each in warnings_of_sample(estimate)]


def _warn_if_reversed(question: _Question, joint: Joint, request: Request, first: Rankings) -> None:
    """Warn of single rankings whose scores seem to rank the negatives first."""
    is_one_ranking = not first.several and request.n_positives is None
    if not (is_one_ranking and request.prevalence is None and question.definition == Step()):
        return
    (share,) = positives_of_rankings(first, joint.counts).share.tolist()
    numbers = zip(question.names, joint.values, joint.collect("n_effective"), strict=True)
    for name, value, n_effective in numbers:
        warn_if_reversed(float(value), share, float(n_effective), f" of {name}")
