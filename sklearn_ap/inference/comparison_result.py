"""What a comparison of scores found: numbers, their table and their sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from sklearn_ap._results.column import Column, Estimates
from sklearn_ap._results.result import Json, Notes, Result
from sklearn_ap._results.sample import Sample
from sklearn_ap._results.text import OneSide, name_as_text, pvalue_as_text, shorten
from sklearn_ap._types import Alternative, Array, Bool, Float, Index, Name
from sklearn_ap._uncertainty.differences_of_models import Compared, Differences
from sklearn_ap.inference._comparison_sentences import (
    NOTHING_SHOWN,
    REFERENCE,
    SENTENCES,
    Kind,
    ShownDifferences,
)
from sklearn_ap.inference.interval import Interval, about_labels, needed_classes

# References that are no model and no segment, so that neither may have such a name
BEST, OTHERS, PREVIOUS = "best", "others", "previous"

LONGEST_REFERENCE = 20  # letters of a reference in the head of a column
OPEN_ENDS: dict[Alternative, OneSide] = {"two-sided": None, "greater": "high", "less": "low"}
REFERENCE_WORDS: dict[Kind, str] = {
    "others": "the others",
    "pair": "the other",
    "previous": "the previous one",
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(Result):
    """Scores, and their differences from a reference.

    Print it, draw it with ``plot``, or get its numbers with ``to_frame`` and ``to_dict`` and a
    table for a paper with ``to_table``. Numbers are arrays with an entry for each of ``names``;
    those of differences are nan for the reference.

    Parameters
    ----------
    scores : Interval
        The scores with their own limits, and their ``names``: those of models, or pairs of a model
        and a ranking for ``average=None``.
    reference : str, or the name of a segment
        The model or the segment that the others are compared with. For segments also "others", or
        "previous": frames then have a column with the reference of each.
    difference : ndarray of shape (n_scores,)
        Score minus that of the reference.
    difference_low, difference_high : ndarray of shape (n_scores,)
        Confidence limits, which hold for all differences at once. One of them is -1 or 1 if the
        alternative is one-sided.
    pvalue : ndarray of shape (n_scores,)
        How often equal scores would show a difference as large among all of these.
    verdict : ndarray of shape (n_scores,)
        "better", "worse", "undecided" or "reference"; with a margin also "not worse". It agrees
        with the limits and the p-value. "undecided" does not say that two scores are equal.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What the p-values are evidence for.
    kind : {"one", "best", "others", "pair", "previous"}, default="one"
        What scores are compared with: one model or segment; the highest score, and "undecided" are
        then the others that may be the best; the others; each other, of two; or the one before.
    references : ndarray of shape (n_scores,)
        The place in ``names`` of the score with which each is compared: its own for the reference,
        and -1 for the mean of several, or if there is none.
    notes : mapping, default={}
        What else a reader must know, under its name: "margin", and "margin_low", the lower limits
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
    difference: Float
    difference_low: Float
    difference_high: Float
    pvalue: Float
    verdict: Array
    alternative: Alternative = "two-sided"
    kind: Kind = "one"
    references: Index
    notes: Notes = field(default_factory=dict)
    _source: Differences | None = None  # of models on the same rows, for sizes of samples

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
    def is_compared(self) -> Bool:
        """Which rows have a reference, and are none."""
        return are_compared(self.references)

    @property
    def heading(self) -> str:
        """The score, the sample, what is sampled, and what intervals of differences are."""
        is_said = {
            "simultaneous": np.isfinite(self.difference).sum() > 1 and self.kind != "pair",
            "one-sided": self.alternative != "two-sided",
        }
        words = " and ".join(word for word, is_meant in is_said.items() if is_meant)
        heading = self.scores.heading
        return f"{heading}, {words} for differences" if words else heading

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is shown: of few differences, a sentence for each; of many, one for each verdict."""
        labels = about_labels(self.sample, self.notes, "standard errors of differences")
        return tuple(filter(None, [*SENTENCES[self.kind](self._shown_differences()), labels]))

    def _facts(self) -> Mapping[str, Json]:
        facts = {"reference": str(self.reference), "kind": self.kind}
        return {**self.scores._facts(), **facts, "alternative": self.alternative}

    def _names(self) -> Sequence[Name]:
        return self.names

    def _shown_rows(self) -> Sequence[int]:
        rows = super()._shown_rows()
        if len(rows) == len(self.names) or not isinstance(self.names[0], tuple):
            return rows
        # A reference that is shown for itself may be one of other rankings.
        return [row for row in rows if self.is_compared[row]]

    def _columns(self) -> Sequence[Column]:
        scores = self.scores._columns()
        if np.all(self.scores.n_positives == self.sample.n_positives):
            # Models have the same positives, which the heading says.
            scores = [replace(each, head="") if each.key[:2] == "n_" else each for each in scores]
        references = []
        if self.kind == "previous":
            has_one = self.is_compared & (self.references >= 0)
            pairs = zip(self.references, has_one, strict=True)
            labels = [self._labels()[place][0] if has else "" for place, has in pairs]
            references = [Column(key="reference", values=np.array(labels))]
        cells = [*map(pvalue_as_text, self.pvalue.tolist())]
        return (
            *scores,
            *references,
            self._differences(),
            Column(key="pvalue", values=self.pvalue, head="p-value", cells=cells),
            Column(key="verdict", values=self.verdict),
        )

    @property
    def _reference_words(self) -> str:
        return REFERENCE_WORDS.get(self.kind, name_as_text(self.reference))

    def _differences(self) -> Estimates:
        reference = shorten(self._reference_words, LONGEST_REFERENCE)
        return Estimates(
            key="difference",
            head=f"minus {reference}",
            title=f"difference from {reference}",
            values=self.difference,
            low=self.difference_low,
            high=self.difference_high,
            level=self.confidence_level,
            sign="+",
            is_shown=np.isin(self.verdict, ("better", "worse")),
            open_end=OPEN_ENDS[self.alternative],
            margin=float(self.notes.get("margin", np.nan)),
        )

    def _shown_differences(self) -> ShownDifferences:
        names, (scores, differences) = [name for name, *_ in self._labels()], self._panels()
        margin_low = self.notes.get("margin_low")
        return ShownDifferences(
            names=names,
            places=[*map(_ranking_as_text, self.names)],
            reference=self._reference_words,
            references=[
                names[place] if place >= 0 else self._reference_words for place in self.references
            ],
            scores=scores,
            differences=differences,
            verdicts=self.verdict,
            margin_low=None if margin_low is None else np.asarray(margin_low),
            optimism=float(self.notes.get("optimism", 0.0)),
            nothing_shown=NOTHING_SHOWN[self.alternative if margin_low is None else "margin"],
            why_unknown=f"as a score is not defined without {needed_classes(self.sample)}",
        )


def _ranking_as_text(name: Name) -> str:
    """Write the ranking of a pair of a model and a ranking."""
    # ("A", 2) -> " in ranking 2"; ("A", "cat") -> " in cat"
    if not isinstance(name, tuple):
        return ""
    kind = "" if isinstance(name[1], str) else "ranking "
    return "".join(f" in {kind}{name_as_text(each)}" for each in name[1:])


def about_row(result: Comparison, row: int) -> str:
    """Say what is shown of one row."""
    return result._shown_differences().about_row(row)


def refuse_references(argument: str, names: Iterable[Name]) -> None:
    """Refuse models or segments whose names are words of ``reference``."""
    if words := {BEST, OTHERS, PREVIOUS} & {*map(str, names)}:
        raise ValueError(
            f"{argument} must not name one {words.pop()!r}, which has a meaning as reference. "
            f"Give it another name."
        )


def are_compared(references: Index) -> Bool:
    """Find the scores that are no reference: those whose reference is another one, or several."""
    # [1, 1, -1] -> the first and the last
    return references != np.arange(references.size)


def comparison_of(
    scores: Interval,
    reference: Name,
    references: Index,
    found: Compared,
    *,
    alternative: Alternative,
    kind: Kind = "one",
    notes: Notes = MappingProxyType({}),
    source: Differences | None = None,
) -> Comparison:
    """Make a comparison of scores; ``found`` are the differences of all that are compared."""
    is_compared = are_compared(references)
    verdict = np.full(references.size, REFERENCE, object)
    verdict[is_compared] = found.verdict
    return Comparison(
        scores=scores,
        reference=reference,
        difference=spread(found.estimate, is_compared),
        difference_low=spread(found.low, is_compared),
        difference_high=spread(found.high, is_compared),
        pvalue=spread(found.pvalue, is_compared),
        verdict=verdict.astype(str),
        alternative=alternative,
        kind=kind,
        references=references,
        notes=dict(notes),
        _source=source,
    )


def spread(values: Float, is_compared: Bool) -> Float:
    """Return an entry for each score, nan for those that are not compared."""
    # 0.1 and 0.2 of the last two of three -> [nan, 0.1, 0.2]
    entries = np.full(is_compared.size, np.nan)
    entries[is_compared] = values
    return entries
