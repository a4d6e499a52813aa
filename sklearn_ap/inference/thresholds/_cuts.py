"""Thresholds of one ranking, and what each selects: a goal chooses one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sklearn_ap._arithmetic import (
    RATIO_ROUNDING,
    are_whole_numbers,
    effective_number,
    rounding_of_sums,
)
from sklearn_ap._counts.counting import cumulative_counts
from sklearn_ap._counts.thresholds import ThresholdCounts, check_counts, ranks_of_rows, ratio
from sklearn_ap._errors import InputError
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._results.sample import Sample
from sklearn_ap._types import Array, Bool, Float, FloatOrArray, Index
from sklearn_ap._writing.text import short_threshold
from sklearn_ap.inference.thresholds._shares import (
    SampledShares,
    sampled_shares_of_counts,
    sampled_shares_of_rows,
)


def cuts_of_rows(rankings: Rankings, prevalence: float | None) -> Cuts:
    """Count what each distinct score selects, but minus infinity, which is not retrieved."""
    scores, tps, fps = cumulative_counts(rankings)
    n_cuts = scores.size - int(scores[-1] == -np.inf)
    n_positives, n_negatives = float(tps[-1]), float(fps[-1])
    weight, clusters = rankings.weight, rankings.sampling.clusters
    are_alike = weight is None and clusters is None
    sample = Sample(
        target_prevalence=prevalence,
        n_rows=rankings.score.size,
        n_positives=float(rankings.n_hits.sum()),
        weight_share=None if weight is None else n_positives / (n_positives + n_negatives),
        unit="row" if clusters is None else "cluster",
        n_units=None if clusters is None else int(clusters.max()) + 1,
    )
    return Cuts(
        scores=scores[:n_cuts],
        tps=tps[:n_cuts],
        fps=fps[:n_cuts],
        n_positives=n_positives,
        n_negatives=n_negatives,
        sample=sample,
        rounding=RATIO_ROUNDING if weight is None else float(rounding_of_sums(weight.size)),
        rows=None if are_alike else rankings,
    )


def cuts_of_counts(counts: ThresholdCounts, prevalence: float | None) -> Cuts:
    """Take the counts of one ranking, of rows without weights."""
    check_counts(counts)
    if counts.gives_array:
        raise InputError(
            f"A threshold is for one ranking, got counts of {counts.starts.size}. Pass no queries."
        )
    if counts.are_weighted:
        raise InputError(
            "A threshold from counts takes unweighted counts, as limits depend on the weights of "
            "rows. Pass the rows to operating_point; for another prevalence, pass prevalence."
        )
    n_positives, n_negatives = float(counts.n_positives[0]), float(counts.n_negatives[0])
    sample = Sample(
        target_prevalence=prevalence,
        n_rows=int(n_positives + n_negatives),
        n_positives=n_positives,
    )
    return Cuts(
        scores=counts.thresholds,
        tps=counts.tps,
        fps=counts.fps,
        n_positives=n_positives,
        n_negatives=n_negatives,
        sample=sample,
        holds_negatives=False,
    )


class Cut(NamedTuple):
    """A threshold, and the numbers or weights of the positives and negatives that it selects."""

    threshold: float
    tp: float
    fp: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Cuts:
    """Thresholds, the highest first, and what each selects. Arrays have shape (n_cuts,).

    These are all scores of rows, because a number of rows, a given threshold and a test of a
    precision may end at a score of negatives. Counts have those of positives alone, so that the
    next score below a threshold is not known.
    """

    scores: Array
    tps: Array
    fps: Array
    n_positives: float
    n_negatives: float
    sample: Sample
    rounding: float = RATIO_ROUNDING  # relative, of precision and recall
    rows: Rankings | None = None  # of weights or clusters, which numbers do not tell
    holds_negatives: bool = True  # whether scores of negatives are thresholds, too

    def __post_init__(self) -> None:
        """Refuse classes that are absent."""
        if not self.n_positives:
            raise InputError("There is no positive, so no threshold has a precision or a recall.")
        if self.sample.target_prevalence is not None and not self.n_negatives:
            raise InputError("prevalence needs negatives, and there is none. Leave it out.")

    @property
    def n_selected(self) -> Array:
        """The number of rows that each threshold selects, or their weight."""
        return self.tps + self.fps

    @property
    def precision(self) -> Float:
        """The precision of each threshold, at the prevalence."""
        false_alarms = self.negative_weight * self.fps
        return ratio(self.tps, self.tps + false_alarms, 0.0)

    @property
    def negative_weight(self) -> float:
        """The number of negatives that each one stands for, at the prevalence."""
        prevalence = self.sample.target_prevalence
        if prevalence is None:
            return 1.0
        return self.n_positives / self.n_negatives * ((1 - prevalence) / prevalence)

    @property
    def rows_per_weight(self) -> float:
        """How many independent rows a weight of 1 stands for."""
        if self.rows is None:
            return 1.0
        weights = np.bincount(_units_of(self.rows), self.rows.weight)
        return effective_number(weights) / float(weights.sum())

    def independent_positives(self, tps: FloatOrArray) -> FloatOrArray:
        """Return how many independent positives tell as much of the recall, if so many are hits.

        Of clusters, it is their effective number by their positives, as if all of one were alike.
        It is divided by how many times as large as those of all positives the clusters of the
        missed ones are, as then few large clusters decide.
        """
        # Clusters of 1, 1 and 4 positives -> 2; if one of the 4 is missed, 2 * 3 / 4
        if self.rows is None:
            return self.n_positives
        positive = self.rows.positive
        cluster = _units_of(self.rows)[positive]
        n_in_cluster = np.bincount(cluster)
        lowest_first = np.argsort(self.rows.score[positive])
        sizes = np.append(0, np.cumsum(n_in_cluster[cluster[lowest_first]]))
        n_missed = np.asarray(cluster.size - tps, np.intp)
        missed_size = sizes[n_missed] / np.maximum(n_missed, 1)
        size = sizes[-1] / cluster.size
        return effective_number(n_in_cluster) * size / np.maximum(missed_size, size)

    def precision_in_sample(self, precision: float) -> float:
        """Convert a precision at the prevalence to that of the sample."""
        hits = precision * self.negative_weight
        return hits / (hits + 1 - precision)

    def most_rows(self, k: float) -> float:
        """Return the number k of rows, or the share k of all, rounded up if weights are whole."""
        n_all = self.n_positives + self.n_negatives
        is_whole = isinstance(k, int) or are_whole_numbers(self.n_selected).all()
        return float(ranks_of_rows(k, n_all)) if is_whole else k * n_all

    def cut(self, index: int) -> Cut:
        """Return a threshold as the number of fewest digits that selects the same rows."""
        is_last = index + 1 == self.scores.size
        next_score = -np.inf if is_last else self.scores[index + 1]
        if not self.holds_negatives:
            next_score = np.nan
        threshold = short_threshold(self.scores[index], next_score)
        return Cut(threshold, self.tps[index].item(), self.fps[index].item())

    def lowest(self, is_reached: Bool) -> Cut | None:
        """Return the lowest threshold that reaches a goal; None if none does."""
        return self.cut(int(np.flatnonzero(is_reached)[-1])) if is_reached.any() else None

    @np.errstate(over="ignore")  # 1e300 is above all float32
    def given_cut(self, threshold: float) -> Cut:
        """Return what a given threshold selects."""
        n_above = int(np.count_nonzero(self.scores >= threshold))
        tp, fp = (np.append(0, sums)[n_above].item() for sums in (self.tps, self.fps))
        return Cut(threshold, tp, fp)

    @np.errstate(over="ignore")
    def sampled_shares_at(self, cut: Cut) -> SampledShares:
        """Return the shares of the rows at a threshold."""
        if self.rows is None:
            fn, tn = self.n_positives - cut.tp, self.n_negatives - cut.fp
            return sampled_shares_of_counts(tp=cut.tp, fn=fn, fp=cut.fp, tn=tn)
        rows, unit = self.rows, _units_of(self.rows)
        selected = rows.score >= cut.threshold  # which NumPy takes in the type of the scores
        return sampled_shares_of_rows(rows.positive, selected, rows.weight_of_items, unit)


def _units_of(rows: Rankings) -> Index:
    """Return the cluster of each row; without clusters, each row is one."""
    clusters = rows.sampling.clusters
    return np.arange(rows.score.size) if clusters is None else clusters
