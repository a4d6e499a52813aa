"""ThresholdCounts: the counts at and above each threshold, and what is computed from them.

Equations are those of docs/methods.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sklearn_ap._arithmetic import (
    ABSOLUTE_TOLERANCE,
    LARGEST_EXACT,
    RATIO_ROUNDING,
    RELATIVE_TOLERANCE,
    are_whole_numbers,
    rounding_of_sums,
    running_sums,
    segment_sums,
)
from sklearn_ap._errors import InputTypeError
from sklearn_ap._inputs.options import check_prevalence
from sklearn_ap._types import Argument, Array, Bool, Float, FloatOrArray, Index, Name
from sklearn_ap._writing.table import FIRST_LINES, Table, Tabular
from sklearn_ap._writing.text import counts_as_text


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ThresholdCounts(Tabular):
    """Counts at and above each threshold of one ranking, or of several, one after the other.

    A threshold is a distinct score of at least one positive. Recall changes only at thresholds, so
    these counts are enough for every average precision. The operating point just before a threshold
    is ``(tps_above, fps_above)``.

    Unweighted counts are integers, weighted ones float64. Do not write into the arrays:
    ``fps_above`` may be the same object as ``fps``, and ``gained`` may be read-only.

    Parameters
    ----------
    thresholds : ndarray of shape (n_thresholds,)
        The scores, decreasing within a ranking.
    gained : ndarray of shape (n_thresholds,)
        Weight of the positives at exactly that score.
    tps : ndarray of shape (n_thresholds,)
        Weight of the positives with score >= threshold.
    fps : ndarray of shape (n_thresholds,)
        Weight of the negatives with score >= threshold.
    fps_above : ndarray of shape (n_thresholds,)
        Weight of the negatives with score > threshold.
    starts : ndarray of shape (n_rankings,)
        Where each ranking begins; a ranking without scored positives is empty.
    n_positives : ndarray of shape (n_rankings,)
        Weight of all positives, also of those that were never scored.
    n_negatives : ndarray of shape (n_rankings,)
        Weight of all negatives, also of those that were not retrieved.
    names : tuple, default=None
        The names of queries, in the order in which their rankings stand here. None for counts of
        one ranking that is no query.
    n_unscored : ndarray of shape (n_rankings,), default=None
        Weight of the positives that are no rows, as ``n_positives`` of a score says. None if
        ``n_positives`` was not passed.

    See Also
    --------
    score_from_counts : Average precision from counts.
    """

    # At the j-th threshold of docs/methods.md, gained is g_j, tps is T_j, and fps is F_j. N is
    # n_positives.
    thresholds: Array
    gained: Array
    tps: Array
    fps: Array
    fps_above: Array
    starts: Index
    n_positives: Array
    n_negatives: Array
    names: tuple[Name, ...] | None = None
    n_unscored: Array | None = None

    def at_prevalence(self, prevalence: float) -> ThresholdCounts:
        """Return the counts of the same scores at another prevalence.

        Positives stay as they are. Each negative weighs P (1 - p) / (p N), for the weights P and N
        of the classes and the prevalence p, so precision is p TPR / (p TPR + (1 - p) FPR). Recall
        does not change. A ranking with one class only has no such counts. It is treated as one
        without positives, so its value is undefined.

        Parameters
        ----------
        prevalence : float
            The proportion of positives, between 0 and 1.

        Returns
        -------
        ThresholdCounts
            Negatives are weighted, so their counts are floats. ``n_positives`` still includes the
            positives that were never scored.

        Examples
        --------
        >>> from sklearn_ap import threshold_counts
        >>> from sklearn_ap.definitions import Step
        >>> counts = threshold_counts([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]).at_prevalence(0.1)
        >>> counts.fps
        array([0., 9.])
        >>> Step()(counts)
        array([0.59090909])
        """
        prevalence = check_prevalence(prevalence)
        has_negatives = self.n_negatives > 0  # without positives, there are no thresholds
        counts = self
        if not has_negatives.all():
            counts = select_thresholds(self, has_negatives[self.ranking()])
            n_unscored = None if self.n_unscored is None else self.n_unscored * has_negatives
            n_positives = self.n_positives * has_negatives
            counts = replace(counts, n_positives=n_positives, n_unscored=n_unscored)
        total = counts.n_positives * ((1 - prevalence) / prevalence)
        n_sampled = counts.per_threshold(counts.n_negatives)
        n_deployed = counts.per_threshold(total)
        return replace(
            counts,
            fps=counts.fps / n_sampled * n_deployed,
            fps_above=counts.fps_above / n_sampled * n_deployed,
            n_negatives=total,
        )

    @property
    def precision(self) -> Float:
        """Precision at each threshold."""
        # P_j = T_j / (T_j + F_j), as in equation 1
        n_selected = np.add(self.tps, self.fps, dtype=np.float64)
        return np.divide(self.tps, n_selected, out=n_selected)  # in place: fresh memory costs more

    @property
    def recall(self) -> Float:
        """Recall at each threshold."""
        return self.tps / self.per_threshold(self.n_positives)

    @property
    def heading(self) -> str:
        """The numbers of what was counted; the last two may be weights."""
        rankings = {"ranking": self.starts.size} if self.gives_array else {}
        numbers = counts_as_text(
            **rankings,
            threshold=self.thresholds.size,
            positive=self.n_positives.sum(),
            negative=self.n_negatives.sum(),
        )
        return f"ThresholdCounts: {numbers}"

    def _data(self) -> dict[str, Sequence[object] | Array]:
        """List the terms of step average precision: products of precision and rise of recall."""
        columns: dict[str, Sequence[object] | Array] = {}
        if self.names is not None:
            columns["ranking"] = [self.names[i] for i in self.ranking()]
        elif self.gives_array:
            columns["ranking"] = self.ranking()
        rise = self.gained / self.per_threshold(self.n_positives)
        return columns | {
            "threshold": self.thresholds,
            "tps": self.tps,
            "fps": self.fps,
            "precision": self.precision,
            "recall": self.recall,
            "rise_of_recall": rise,
            "product": self.precision * rise,
        }

    @property
    def _n_lines(self) -> int:
        return self.thresholds.size

    def _printed_table(self) -> Table | None:
        # The terms of all of millions of thresholds would take a third of the time of counting.
        first = _take_thresholds(self, slice(FIRST_LINES))
        first = replace(first, starts=np.minimum(self.starts, FIRST_LINES))
        return Tabular._printed_table(first)  # super() does not know a class with slots

    # What follows is for definitions, and for what judges their values.

    @property
    def gives_array(self) -> bool:
        """Whether average=None gives an array: of several rankings, and of one query."""
        return self.names is not None or self.starts.size != 1

    @property
    def rounding(self) -> Float:
        """The relative rounding error of precision and recall in each ranking, at most 1e-9.

        A level counts as reached within it. Sums of weights are rounded at each threshold. If the
        user added up the positives, it is not known how often.
        """
        if self.gained.dtype.kind != "f":  # the prevalence of an unweighted sample is one factor
            return np.full(self.starts.shape, RATIO_ROUNDING)
        if self.n_unscored is not None:
            return np.full(self.starts.shape, RELATIVE_TOLERANCE)
        return rounding_of_sums(self.ends - self.starts)

    @property
    def are_weighted(self) -> bool:
        """Whether rows are counted by weight, as all negatives are at another prevalence."""
        return self.gained.dtype.kind == "f" or self.fps.dtype.kind == "f"

    @property
    def ends(self) -> Index:
        """Where each ranking ends."""
        return np.concatenate((self.starts[1:], (self.thresholds.size,)))

    @property
    def tps_above(self) -> Array:
        """Weight of the positives with score > threshold."""
        # Not tps - gained: a small sum would not survive being subtracted from a large one.
        return self.value_above(self.tps)

    @property
    def n_above(self) -> Array:
        """Weight of everything scored above each threshold."""
        return self.tps_above + self.fps_above

    @property
    def fps_tied(self) -> Array:
        """Weight of the negatives at exactly that score."""
        return self.fps - self.fps_above

    @property
    def fps_between(self) -> Array:
        """Weight of the negatives between each threshold and the one above it."""
        return self.fps_above - self.value_above(self.fps)

    @property
    def n_tied(self) -> Array:
        """Weight of everything at exactly that score."""
        return self.gained + self.fps_tied

    @property
    def unscored(self) -> Array:
        """Weight of the positives that are no rows: ``n_unscored``, or 0 where it is None."""
        return np.zeros_like(self.n_positives) if self.n_unscored is None else self.n_unscored

    @property
    def n_rows(self) -> Array:
        """Weight of all rows of each ranking."""
        return self.n_positives - self.unscored + self.n_negatives

    def precision_above(self, at_start: float) -> Float:
        """Return the precision of ``(tps_above, fps_above)``, ``at_start`` if nothing is above."""
        return ratio(self.tps_above, self.n_above, at_start)

    def ranking(self) -> Index:
        """Return the ranking of each threshold: rankings of 2 and 1 give [0, 0, 1]."""
        return np.repeat(np.arange(self.starts.size), self.ends - self.starts)

    def per_threshold(self, values: Array) -> Array:
        """Return for each threshold the value of its ranking; for one ranking, the value itself.

        Heights of your own write ``counts.per_threshold(counts.n_positives)``, as rankings of 2 and
        1 thresholds need [5, 5, 3] where ``n_positives`` is [5, 3].
        """
        return values if self.starts.size == 1 else values[self.ranking()]

    def value_above(self, values: Array) -> Array:
        """Return for each threshold the value of the one above it in its ranking, or 0.

        [1, 2, 3] in rankings of 2 and 1 thresholds gives [0, 1, 0].
        """
        above = np.empty_like(values)
        above[1:] = values[:-1]
        above[self.starts[self.starts < above.size]] = 0
        return above

    def sum(self, values: Array) -> Float:
        """Add up one value per threshold into one per ranking, 0 if it has no thresholds."""
        if self.starts.size == 1:
            return np.add.reduce(values, keepdims=True, dtype=np.float64)
        return segment_sums(values, self.starts)

    def sum_below(self, values: Array) -> Array:
        """Return for each threshold the sum of the values below it in its ranking.

        [1, 2, 3] in rankings of 2 and 1 thresholds gives [2, 0, 0].
        """
        # Each threshold takes the sum from the lowest one up to the next: [3, 2 | 3] -> [2, 0 | 0]
        if self.starts.size == 1:
            upwards = np.cumsum(values[::-1])[::-1]
        else:
            upwards = running_sums(values[::-1], values.size - self.ends[::-1])[::-1]
        sums = np.zeros_like(upwards)
        sums[:-1] = upwards[1:]
        sums[self.ends[self.ends > self.starts] - 1] = 0
        return sums

    def highest(self, values: Array) -> Float:
        """Return the highest value of each ranking, 0 without thresholds, nan without positives."""
        highest = np.where(self.n_positives > 0, 0.0, np.nan)
        has_thresholds = np.flatnonzero(self.ends > self.starts)
        highest[has_thresholds] = np.maximum.reduceat(values, self.starts[has_thresholds])
        return highest

    def envelope(self, values: Array) -> Array:
        """Replace each value by the largest at its own threshold or a lower one.

        [1, 2, 3] in rankings of 2 and 1 thresholds gives [2, 2, 3].
        """
        if self.starts.size == 1:
            return np.maximum.accumulate(values[::-1])[::-1]
        # Complex numbers compare by their real parts first, so each ranking starts afresh.
        ranked_values = -self.ranking() + 1j * values
        return np.maximum.accumulate(ranked_values[::-1])[::-1].imag


def ranks_of_rows(k: float, n_rows: Array | float) -> Array:
    """Return the rank k, or the share k of ``n_rows`` rows, rounded up: 0.3 of 7 rows are 3."""
    if isinstance(k, int):
        return np.full(np.shape(n_rows), k)
    # 0.07 * 100 is 7.000000000000001, and means 7.
    return np.asarray(np.ceil(k * n_rows * (1 - ABSOLUTE_TOLERANCE)))


def ranks_of_counts(k: float, counts: ThresholdCounts) -> Array:
    """Return the rank k, or the share k of the rows of each ranking, in units of weight.

    It is rounded up, unless sums of weights are fractional. A ranking without rows has one rank.
    """
    if isinstance(k, int):
        return np.full(counts.starts.shape, k)
    n_rows = counts.n_rows
    rounded = np.maximum(ranks_of_rows(k, n_rows), 1)
    if not counts.are_weighted:
        return np.minimum(rounded, LARGEST_EXACT).astype(np.int64)
    is_whole = are_whole_numbers(n_rows)  # sums may be beyond int64, so they stay floats
    for sums in counts.tps, counts.fps, counts.fps_above:
        is_whole &= counts.sum(~are_whole_numbers(sums)) == 0
    return np.where(is_whole, rounded, k * n_rows)


def check_counts(counts: Argument) -> None:
    """Refuse other types where a user passes counts."""
    if not isinstance(counts, ThresholdCounts):
        raise InputTypeError(
            f"counts must be ThresholdCounts, as threshold_counts makes them, got "
            f"{type(counts).__name__}."
        )


def ratio(numerator: Array, denominator: Array, otherwise: FloatOrArray = np.nan) -> Float:
    """Divide where the denominator is positive; ``otherwise`` stands where it is 0 or nan."""
    is_positive = denominator > 0
    if np.count_nonzero(is_positive) == denominator.size:
        return numerator / denominator
    return np.where(is_positive, numerator / np.where(is_positive, denominator, 1), otherwise)


def kish_number(sums: Array, squares: Array) -> Float:
    """Return ``effective_number`` of groups of weights with these sums, and sums of squares."""
    return ratio(sums**2, squares, 0.0)


def add_rows_above(counts: ThresholdCounts, positives: Float, negatives: Float) -> ThresholdCounts:
    """Add rows of these weights above all others of each ranking, positives above negatives."""
    # A negative above 1 0 (1 0) 0 -> fps [1, 3] for [0, 2]; a positive -> tps [1, 2, 3] for [1, 2]
    if negatives.any():
        more = counts.per_threshold(negatives)
        counts = replace(
            counts,
            fps=counts.fps + more,
            fps_above=counts.fps_above + more,
            n_negatives=counts.n_negatives + negatives,
        )
    if not positives.any():
        return counts
    starts = counts.starts
    return replace(
        counts,
        thresholds=np.insert(counts.thresholds.astype(np.float64), starts, np.inf),
        gained=np.insert(counts.gained.astype(np.float64), starts, positives),
        tps=np.insert(counts.tps + counts.per_threshold(positives), starts, positives),
        fps=np.insert(counts.fps, starts, 0),
        fps_above=np.insert(counts.fps_above, starts, 0),
        starts=starts + np.arange(starts.size),
        n_positives=counts.n_positives + positives,
    )


def select_rankings(counts: ThresholdCounts, start: int, stop: int) -> ThresholdCounts:
    """Return the counts of neighbouring rankings, which share their memory."""
    rankings = slice(start, stop)
    first, is_last = int(counts.starts[start]), stop == counts.starts.size
    end = counts.thresholds.size if is_last else int(counts.starts[stop])
    return replace(
        _take_thresholds(counts, slice(first, end)),
        starts=counts.starts[rankings] - first,
        n_positives=counts.n_positives[rankings],
        n_negatives=counts.n_negatives[rankings],
        names=None,
        n_unscored=None if counts.n_unscored is None else counts.n_unscored[rankings],
    )


def repeat_rankings(counts: ThresholdCounts, n_times: int) -> ThresholdCounts:
    """Return the counts of the same rankings so many times, one copy after the other."""
    if n_times == 1:
        return counts
    names = "thresholds", "gained", "tps", "fps", "fps_above", "n_positives", "n_negatives"
    starts = np.arange(n_times)[:, None] * counts.thresholds.size + counts.starts
    unscored = None if counts.n_unscored is None else np.tile(counts.n_unscored, n_times)
    copies = {name: np.tile(getattr(counts, name), n_times) for name in names}
    return replace(counts, starts=starts.ravel(), names=None, n_unscored=unscored, **copies)


def select_thresholds(counts: ThresholdCounts, is_selected: Bool) -> ThresholdCounts:
    """Return the counts of the same rankings at some of their thresholds."""
    selected = np.flatnonzero(is_selected)
    starts = selected.searchsorted(counts.starts)
    return replace(_take_thresholds(counts, selected), starts=starts)


def take_first_thresholds(counts: ThresholdCounts, n: int) -> ThresholdCounts:
    """Return the counts of one ranking at its first thresholds."""
    return _take_thresholds(counts, slice(n))


def _take_thresholds(counts: ThresholdCounts, index: Index | slice) -> ThresholdCounts:
    names = "thresholds", "gained", "tps", "fps", "fps_above"
    return replace(counts, **{name: getattr(counts, name)[index] for name in names})
