"""What a comparison of scores found: numbers, their table and their sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias, TypedDict

import numpy as np
from scipy.special import stdtr

from sklearn_ap._arithmetic import is_shown
from sklearn_ap._errors import InputError
from sklearn_ap._results.column import Column, Estimates
from sklearn_ap._results.doubt import Doubt, model_of, parts_of
from sklearn_ap._results.result import ResultWithPlot
from sklearn_ap._results.sample import Sample
from sklearn_ap._types import Alternative, Array, Bool, Float, Json, Name
from sklearn_ap._uncertainty.differences_of_models import Differences
from sklearn_ap._uncertainty.estimate import Compared
from sklearn_ap._writing.text import (
    count_as_text,
    digits_of,
    name_as_text,
    names_as_text,
    number_as_text,
    pvalue_as_text,
    shorten,
)
from sklearn_ap.inference._methods_section import (
    REFUSAL,
    methods_of_differences,
    methods_of_models,
    methods_of_scores,
)
from sklearn_ap.inference.interval import (
    ConfidenceInterval,
    Interval,
    check_level,
    known_at_any_level,
    why_unknown,
)

# What scores are compared with
Kind: TypeAlias = Literal["one", "best", "others", "previous"]

ALLOWS_FOR_CHOICE = "the lower limit allows for the choice of the highest score"
MOST_SENTENCES = 4  # of more differences, those with the same verdict share a sentence
FEW_QUERIES = 8  # of 7, the least p-value is 0.0006; of 8, it is nearly the least that is printed
LONGEST_REFERENCE = 20  # letters of a reference in the head of a column
CLAIMS: dict[str, str] = {
    "better": "{0} is better than {1}",
    "worse": "{0} is worse than {1}",
    "not worse": "{0} is not worse than {1} by {2} or more",
}
ASKED = {"greater": "better", "less": "worse"}  # the verdicts that alternatives ask for


class Margin(NamedTuple):
    """A loss that does not matter, and the lower limits that are compared with minus this loss.

    The limits of differences leave room for rare failures, and are nan for the reference.
    """

    loss: float
    low: Float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(ResultWithPlot):
    """Scores, and their differences from a reference.

    Print it, draw it with ``plot``, or get its numbers with ``to_frame`` and ``to_dict``; for a
    paper, a table with ``to_table`` and a paragraph with ``to_methods``. Numbers are arrays with an
    entry for each of ``names``; those of differences are nan for the reference.

    Parameters
    ----------
    scores : Interval
        The scores with their own limits, and their ``names``: those of models, or pairs of a model
        and a ranking for ``average=None``.
    difference : ndarray of shape (n_scores,)
        Score minus that of the reference.
    difference_low, difference_high : ndarray of shape (n_scores,)
        Confidence limits, which hold for all differences at once. One of them is -1 or 1 if the
        alternative is one-sided.
    pvalue : ndarray of shape (n_scores,)
        How often equal scores would show a difference as large among all of these.
    verdict : ndarray of shape (n_scores,)
        "better", "worse", "undecided" or "reference"; with a margin also "not worse". It is what
        the numbers say, and agrees with the limits and the p-value, also where ``is_overturned``
        says that a doubt overturns it. "undecided" does not say that two scores are equal.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What the p-values are evidence for.
    kind : {"one", "best", "others", "previous"}, default="one"
        What scores are compared with: one model or segment; the highest score, and "undecided" are
        then the others that may be the best; the others; or the one before.
    references : tuple of names or None, default=()
        Of segments that have no common reference, the one with which each is compared; None if
        these are several, or none. Empty if all have the same reference.
    margin : named tuple or None, default=None
        The ``loss`` that does not matter, and ``low``, the lower limits of differences that are
        compared with minus this loss. None if none was passed.
    optimism : float or None, default=None
        By how much the highest score is too high on average, because it was chosen. None if the
        reference was chosen before.

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
    difference: Float
    difference_low: Float
    difference_high: Float
    pvalue: Float
    verdict: Array
    alternative: Alternative = "two-sided"
    kind: Kind = "one"
    references: tuple[Name | None, ...] = ()
    margin: Margin | None = None
    optimism: float | None = None
    _source: Differences | None = None  # of models on the same rows, for sizes of samples
    _level: float | None = None  # of the limits of differences

    _choice_of_rows = "scores whose differences have the lowest upper or the highest lower limits"

    def __post_init__(self) -> None:
        """Refuse scores at another level than that of the differences."""
        object.__setattr__(self, "_level", self._level or self.confidence_level)
        if self._level != self.confidence_level:
            raise InputError(
                f"The limits of differences are at the level {self._level:g}, and those of scores "
                f"at {self.confidence_level:g}."
            )

    def confidence_interval(self, confidence_level: float | None = None) -> ConfidenceInterval:
        """Return the limits of differences at any level, which hold for all of them at once.

        Parameters
        ----------
        confidence_level : float, default=None
            How often such limits cover all true differences; None for that of the result.

        Returns
        -------
        named tuple of ndarrays of shape (n_scores,)
            ``low`` and ``high``, nan for the reference. Differences of segments, of independent
            samples, and from the best have limits at their own level alone.
        """
        level = check_level(confidence_level, self.confidence_level)
        if level == self.confidence_level:
            return ConfidenceInterval(self.difference_low, self.difference_high)
        limits = known_at_any_level(self._source, self.confidence_level).limits(level)
        return ConfidenceInterval(*(spread(each, self.is_compared) for each in limits))

    def to_methods(self) -> str:
        """Return a paragraph for the methods section of a paper: scores, rows, limits and tests.

        Returns
        -------
        str
            One line. Authors and years are those of the references of "Writing a paper".
        """
        estimate = self.scores._origin.estimate
        if self._source is None or estimate is None:
            raise InputError(REFUSAL)
        n_models = len({model_of(name) for name in self.names})
        texts = [
            *methods_of_scores(self.sample, estimate, self.confidence_level, n_models),
            *methods_of_differences(
                self.sample,
                estimate,
                _common_reference(self),
                n_models,
                self._source.n_known,
                self.alternative,
                None if self.margin is None else self.margin.loss,
                self.confidence_level,
            ),
            methods_of_models(self.sample, n_models),
        ]
        return " ".join(texts)

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
    def doubts(self) -> tuple[Doubt, ...]:  # type: ignore[override]  # those of the scores
        """Why the result may be unreliable: its warnings, also those of earlier results."""
        return self.scores.doubts

    @property
    def is_overturned(self) -> Bool:
        """Which verdicts do not hold, as a doubt overturns them; "undecided" may be one."""
        are_known = np.isfinite(self.difference_low).tolist()
        return np.array([known and bool(why_not(self, row)) for row, known in enumerate(are_known)])

    @property
    def confidence_level(self) -> float:
        """How often the intervals of scores, and all those of differences, hold the true values."""
        return self.scores.confidence_level

    @property
    def is_compared(self) -> Bool:
        """Which scores are no reference."""
        return self.verdict != "reference"

    @property
    def reference(self) -> Name:
        """The model or segment that others are compared with; or "others" or "previous"."""
        if self.kind in ("others", "previous"):
            return self.kind
        name = self.names[int(np.argmin(self.is_compared))]
        return model_of(name)

    @property
    def heading(self) -> str:
        """The score, the sample, what is sampled, and what intervals of differences are."""
        if self.kind == "best":
            return f"{self.scores.heading}, one-sided for each difference"
        words = []
        if np.isfinite(self.difference).sum() > 1:
            words.append("simultaneous")
        if self.alternative != "two-sided":
            words.append("one-sided")
        heading = self.scores.heading
        return f"{heading}, {' and '.join(words)} for differences" if words else heading

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is shown: of few differences, a sentence for each; of many, one for each verdict."""
        if self.kind == "best":
            return _about_best(self)
        rows = np.flatnonzero(self.is_compared).tolist()
        is_of_two = self.kind == "others" and len(rows) == 2
        if is_of_two and self.alternative == "two-sided":  # each is all others of the other one
            rows = rows[:1]
        return (*_about_rows(self, rows), *_about_few_queries(self))

    def _facts(self) -> Mapping[str, Json]:
        return {
            **self.scores._facts(),
            "reference": str(self.reference),
            "kind": self.kind,
            "alternative": self.alternative,
            "margin": None if self.margin is None else self.margin.loss,
            "optimism": self.optimism,
        }

    def _names(self) -> Sequence[Name]:
        return self.names

    def _columns(self) -> Sequence[Column]:
        columns = [*self.scores._columns()]
        if np.all(self.scores.n_positives == self.sample.n_positives):
            # Models have the same positives, which the heading says.
            hidden = "n_positives", "n_effective"
            columns = [replace(each, head="") if each.key in hidden else each for each in columns]
        if self.kind == "previous":
            names = ["" if each is None else name_as_text(each) for each in self.references]
            columns.append(Column(key="reference", values=np.array(names)))
        columns.append(self._differences)
        if self.margin is not None:
            columns.append(Column(key="margin_low", values=self.margin.low))
        cells = [*map(pvalue_as_text, self.pvalue.tolist())]
        columns.append(Column(key="pvalue", values=self.pvalue, head="p-value", cells=cells))
        columns.append(Column(key="verdict", values=self.verdict))
        return [*columns, Column(key="is_overturned", values=self.is_overturned)]

    @property
    def _differences(self) -> Estimates:
        head = f"difference from {shorten(_common_reference(self), LONGEST_REFERENCE)}"
        return Estimates(
            key="difference",
            head=head,
            title=head,
            values=self.difference,
            low=self.difference_low,
            high=self.difference_high,
            level=self.confidence_level,
            sign="+",
            is_established=np.isin(self.verdict, ("better", "worse")) & ~self.is_overturned,
            alternative=self.alternative,
            margin=np.nan if self.margin is None else self.margin.loss,
        )


# ---- sentences


def _about_best(result: Comparison) -> tuple[str, ...]:
    """Say which may be the best, how good the highest score is, and how it flatters."""
    (best,) = np.flatnonzero(~result.is_compared).tolist()
    (scores,) = result.scores._panels()
    if np.isnan(scores.low[best]):
        return (f"The models cannot be compared, {why_unknown(result.sample)}.",)
    model = _common_reference(result)
    is_undecided, is_worse = (result.verdict == each for each in ("undecided", "worse"))
    is_doubtful = result.is_overturned
    rivals, doubtful, others = (
        np.flatnonzero(rows).tolist()
        for rows in (is_undecided, is_worse & is_doubtful, is_worse & ~is_doubtful)
    )
    claim = f"{model} is the best of {len(result.names):,}"
    if rivals:
        names = names_as_text([_model_as_text(result.names[row]) for row in rivals])
        claim = f"It is not shown that {claim}: {names} may be, too"
    elif doubtful:
        claim = f"It is not shown that {claim}"
    texts = [f"{claim}."]
    if (rivals or doubtful) and others:
        names = names_as_text([_model_as_text(result.names[row]) for row in others])
        who, each = f"{names} is", ""
        if len(others) > 1:
            who, each = f"{names} are", " than each"
        texts.append(f"{who} not the best: at least one other model is better{each}.")
    texts += [_doubtful_row(result, row) for row in doubtful[:MOST_SENTENCES]]
    if n_more := len(doubtful[MOST_SENTENCES:]):
        texts.append(f"Doubts also overturn {count_as_text(n_more, 'other verdict')}.")
    texts.append(f"{model} scores {scores.phrase(best)}; {ALLOWS_FOR_CHOICE}.")
    digits = digits_of(*(each[best] for each in (scores.values, scores.low, scores.high)))
    optimism = result.optimism or 0.0
    if round(optimism, digits) > 0:
        amount = number_as_text(optimism, digits)
        texts.append(f"On average, the choice makes the highest score too high by about {amount}.")
    return (*texts,)


def _about_few_queries(result: Comparison) -> tuple[str, ...]:
    """Say how little few queries can show, whatever their scores are: equation 22."""
    sample, mean = result.sample, result.sample.mean
    if mean is None or mean.n_averaged is None or sample.unit != "query" or result.kind != "one":
        return ()
    n = mean.n_averaged - mean.n_undefined
    if not 1 < n < FEW_QUERIES:
        return ()
    n_sides = 2 if result.alternative == "two-sided" else 1
    least = n_sides * float(stdtr(n - 1, -np.sqrt(n * (n - 1))))
    queries = count_as_text(n, "query")
    if not is_shown(least, 1 - result.confidence_level):
        return (f"{queries} cannot show a difference at this level, whatever their scores are.",)
    p = pvalue_as_text(least)
    return (f"{queries} can show little: p is at least {p}, whatever their scores are.",)


def _about_rows(result: Comparison, rows: Sequence[int]) -> list[str]:
    """Say of each row what is shown; of many, of which rows the same is shown."""
    if len(rows) <= MOST_SENTENCES:
        return [about_row(result, row) for row in rows]
    tested = [row for row in rows if np.isfinite(result.difference_low[row])]
    is_doubtful = result.is_overturned & (result.verdict != "undecided")
    groups = [
        [row for row in tested if result.verdict[row] == verdict and is_doubtful[row] == doubtful]
        for verdict in (*CLAIMS, "undecided")
        for doubtful in (False, True)
    ]
    texts = [_about_group(result, group, len(tested)) for group in groups if group]
    if unknown := [row for row in rows if row not in tested]:
        which = names_as_text(_names_of_rows(result, unknown))
        texts.append(
            f"{len(unknown):,} ({which}) cannot be compared, {why_unknown(result.sample)}."
        )
    return texts


def about_row(result: Comparison, row: int) -> str:
    """Say what is shown of one row."""
    name, ranking = _model_as_text(result.names[row]), _ranking_as_text(result.names[row])
    reference = _reference_of_rows(result, [row])
    differences = result._differences
    if np.isnan(differences.values[row]) or np.isnan(differences.low[row]):
        return f"{name} and {reference} cannot be compared{ranking}, {why_unknown(result.sample)}."
    if result.verdict[row] != "undecided" and why_not(result, row):
        return _doubtful_row(result, row)
    claim = _claim(result, row).format(name, reference, f"{differences.margin:g}")
    return f"{claim}{ranking}: {differences.phrase(row)}{_about_margin(result, row)}."


def _doubtful_row(result: Comparison, row: int) -> str:
    """Say the numbers of one row, and why its verdict does not hold."""
    name, ranking = _model_as_text(result.names[row]), _ranking_as_text(result.names[row])
    differences, reference = result._differences, _reference_of_rows(result, [row])
    ways = {-1: "lower than", 0: "the same as", 1: "higher than"}
    way = ways[int(np.sign(differences.values[row]))]
    difference = f"{differences.phrase(row)}{_about_margin(result, row)}"
    return f"{name} scores {way} {reference}{ranking}: {difference}, but {why_not(result, row)}."


def why_not(result: Comparison, row: int) -> str:
    """Say why the verdict on a row does not hold; "" if no doubt overturns it."""
    name = result.names[row]
    other = result.references[row] if result.references else result.reference
    if isinstance(name, tuple):  # a model and a ranking
        other = (other, *name[1:])
    return next(filter(None, (doubt.why_not(name, other) for doubt in result.doubts)), "")


def _claim(result: Comparison, row: int) -> str:
    """Return what is shown of one row, with places for both names and the margin."""
    verdict, margin = result.verdict[row], result.margin
    if verdict == "undecided":
        asked = ASKED.get(result.alternative) if margin is None else "not worse"
        if asked is None:
            return "No difference between {0} and {1} is shown"
        return f"It is not shown that {CLAIMS[asked]}"
    if verdict == "worse" and margin is not None and margin.low[row] > -margin.loss:
        return f"{CLAIMS[verdict]}, but not by {{2}} or more"
    return CLAIMS[verdict]


def _about_margin(result: Comparison, row: int) -> str:
    """Say the limit that is compared with a margin."""
    if result.margin is None or result.verdict[row] == "better":
        return ""
    limits = result.difference[row], result.difference_low[row], result.difference_high[row]
    digits = digits_of(*limits, is_difference=True)
    low = number_as_text(float(result.margin.low[row]), digits, "+")
    return f"; allowing for rare failures, the lower limit is {low}"


def _about_group(result: Comparison, rows: Sequence[int], n_known: int) -> str:
    """Say of rows of one verdict how many these are, and which differs most."""
    if len(rows) == 1:
        return about_row(result, rows[0])
    verdict = result.verdict[rows[0]]
    if verdict == "undecided":
        these = "any of the" if len(rows) == n_known else "the other"
        return f"Nothing is shown for {these} {len(rows):,}."
    names = _names_of_rows(result, rows)
    which = f" ({names_as_text(names)})" if len(rows) < n_known else ""
    reference = _reference_of_rows(result, rows)
    differences = result._differences
    amount = f" by {differences.margin:g} or more" if verdict == "not worse" else ""
    if why_not(result, rows[0]):
        return (
            f"By the numbers alone, {len(rows):,} of {n_known:,}{which} are {verdict} than "
            f"{reference}{amount}, but doubts overturn these verdicts."
        )
    claim = f"{len(rows):,} of {n_known:,}{which} are {verdict} than {reference}"
    if verdict == "not worse":
        return f"{claim}{amount}."
    # That of the limit which is farthest from 0 is among the rows of a shortened table.
    most = max(rows, key=lambda row: max(differences.low[row], -differences.high[row]))
    return f"{claim}, {names[rows.index(most)]} most clearly: {differences.phrase(most)}."


def _names_of_rows(result: Comparison, rows: Sequence[int]) -> list[str]:
    """Write what some rows are about: "A", or "A in cat" of a model and a ranking."""
    names = [result.names[row] for row in rows]
    return [f"{_model_as_text(name)}{_ranking_as_text(name)}" for name in names]


def _common_reference(result: Comparison) -> str:
    """Write what all rows are compared with."""
    words = {"others": "the others", "previous": "the previous one"}
    return words.get(result.kind, name_as_text(result.reference))


def _reference_of_rows(result: Comparison, rows: Sequence[int]) -> str:
    """Write what these rows are compared with, by its name if that is one and the same."""
    names = {result.references[row] for row in rows} if result.references else set()
    name = names.pop() if len(names) == 1 else None
    return _common_reference(result) if name is None else name_as_text(name)


def _model_as_text(name: Name) -> str:
    """Write a model or a segment, also of a pair of a model and a ranking."""
    return name_as_text(model_of(name))


def _ranking_as_text(name: Name) -> str:
    """Write the ranking of a model, which has a model of its own in a sample."""
    # ("A", 2) -> " in ranking 2"; ("A", "cat") -> " in cat"; ("May", "A", "cat") -> " in A, cat"
    _, *parts = parts_of(name)
    if not parts:
        return ""
    is_number = len(parts) == 1 and not isinstance(parts[0], str)
    ranking = ", ".join(map(name_as_text, parts))
    return f" in {'ranking ' if is_number else ''}{ranking}"


# ---- what makes a comparison


class DifferencesOfScores(TypedDict):
    """Fields of a comparison."""

    difference: Float
    difference_low: Float
    difference_high: Float
    pvalue: Float
    verdict: Array


def differences_by_score(compared: Compared, is_compared: Bool) -> DifferencesOfScores:
    """Return the differences of a comparison, with an entry for each score; nan for a reference."""
    verdict = np.full(is_compared.size, "reference", object)
    verdict[is_compared] = compared.verdict
    return {
        "difference": spread(compared.estimate, is_compared),
        "difference_low": spread(compared.low, is_compared),
        "difference_high": spread(compared.high, is_compared),
        "pvalue": spread(compared.pvalue, is_compared),
        "verdict": verdict.astype(str),
    }


def spread(values: Float, is_compared: Bool) -> Float:
    """Return an entry for each score, nan for those that are not compared."""
    # 0.1 and 0.2 of the last two of three -> [nan, 0.1, 0.2]
    entries = np.full(is_compared.size, np.nan)
    entries[is_compared] = values
    return entries
