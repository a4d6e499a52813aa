"""Thresholds of one ranking, and what each selects: a goal chooses one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from sklearn_ap._counts.counting import count, cumulative_counts, n_ranks, ranks_of_rows
from sklearn_ap._counts.sums import RATIO_ROUNDING, rounding_of_sums
from sklearn_ap._counts.thresholds import ThresholdCounts, are_weighted, check_counts, next_score
from sklearn_ap._inputs.arrays import TINY
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.weights import effective_number
from sklearn_ap._results.sample import Sample
from sklearn_ap._results.text import short_threshold
from sklearn_ap._types import Argument, Array, Bool, Float, Index, Keywords
from sklearn_ap.inference._share_limits import SampledShares, shares_of_counts, shares_of_rows

PASS_ROWS = "Pass the rows to operating_point, or a random sample of them."


def cuts_of_rows(rankings: Rankings, prevalence: float | None) -> Cuts:
    """Count what each distinct score selects, but minus infinity, which is not retrieved."""
    scores, tps, fps = cumulative_counts(rankings)
    n_cuts = scores.size - int(scores[-1] == -np.inf)
    sums: Keywords = {
        "scores": scores[:n_cuts],
        "tps": tps[:n_cuts],
        "fps": fps[:n_cuts],
        "n_positives": float(tps[-1]),
        "n_negatives": float(fps[-1]),
        "prevalence": prevalence,
    }
    weight, cluster = rankings.weight, rankings.sampling.clusters
    if weight is None and cluster is None:
        return Cuts(**sums)
    cluster = np.arange(rankings.score.size) if cluster is None else cluster
    cluster_weights = np.bincount(cluster, weight)
    return WeightedCuts(
        **sums,
        rounding=RATIO_ROUNDING if weight is None else float(rounding_of_sums(weight.size)),
        rows_per_weight=effective_number(cluster_weights) / float(cluster_weights.sum()),
        rankings=rankings,
        cluster=cluster,
    )


def cuts_of_counts(counts: Argument, prevalence: float | None) -> CountCuts:
    """Take the counts of one ranking, of rows without weights."""
    check_counts(counts)
    if counts.several:
        raise ValueError(
            f"A threshold is for one ranking, got counts of {counts.starts.size}. Count the rows "
            f"without queries, or pass those of one ranking to operating_point."
        )
    if are_weighted(counts):
        raise ValueError(
            f"A threshold from counts takes unweighted ones, as limits depend on the weights of "
            f"rows. {PASS_ROWS} For another prevalence, pass counts as they are, and prevalence."
        )
    return CountCuts(
        scores=counts.thresholds,
        tps=counts.tps,
        fps=counts.fps,
        n_positives=float(counts.n_positives[0]),
        n_negatives=float(counts.n_negatives[0]),
        prevalence=prevalence,
        counts=counts,
    )


class Cut(NamedTuple):
    """A threshold, and the numbers or weights of the positives and negatives that it selects."""

    threshold: float
    tp: float
    fp: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Cuts:
    """Thresholds, the highest first, and what each selects of rows that are alike.

    ``ThresholdCounts`` holds the scores of positives alone, because recall changes at no others.
    These are all scores of the rows, because a number of rows, a given threshold and a test of a
    precision may end at a score of negatives. Arrays have shape (n_cuts,).
    """

    scores: Array
    tps: Array
    fps: Array
    n_positives: float
    n_negatives: float
    prevalence: float | None
    rounding: float = RATIO_ROUNDING  # relative, of precision and recall
    rows_per_weight: float = 1.0  # how many independent rows a weight of 1 stands for

    has_equal_rows: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse classes that are absent."""
        if not self.n_positives:
            raise ValueError(
                "y_true holds no positive, so no threshold has a precision or a recall."
            )
        if self.prevalence is not None and not self.n_negatives:
            raise ValueError("prevalence needs negatives, and y_true holds none. Leave it out.")

    @property
    def n_all(self) -> float:
        """The number of rows, or their weight."""
        return self.n_positives + self.n_negatives

    @property
    def sample(self) -> Sample:
        """The rows, of which a heading tells."""
        return Sample(
            target_prevalence=self.prevalence,
            n_rows=int(self.n_all),
            n_positives=self.n_positives,
        )

    @property
    def n_selected(self) -> Array:
        """The number of rows that each threshold selects, or their weight."""
        return self.tps + self.fps

    @property
    def recall(self) -> Float:
        """The share of positives that each threshold selects."""
        return np.asarray(self.tps / self.n_positives)

    @property
    def precision(self) -> Float:
        """The precision of each threshold, at the prevalence."""
        false_alarms = self.negative_weight * self.fps
        return np.asarray(self.tps / np.maximum(self.tps + false_alarms, TINY))

    @property
    def negative_weight(self) -> float:
        """The number of negatives that each one stands for, at the prevalence."""
        if self.prevalence is None:
            return 1.0
        return self.n_positives / self.n_negatives * ((1 - self.prevalence) / self.prevalence)

    def precision_in_sample(self, precision: float) -> float:
        """Convert a precision at the prevalence to that of the sample."""
        hits = precision * self.negative_weight
        return hits / (hits + 1 - precision)

    def most_rows(self, k: float) -> float:
        """Return the number k of rows, or the share k of all, rounded up."""
        return float(ranks_of_rows(k, int(self.n_all)))

    def next_score(self, index: int) -> float:
        """Return the highest score below a threshold: -inf if there is none, nan if unknown."""
        score: float = self.scores[index + 1] if index + 1 < self.scores.size else -np.inf
        return score

    def cut(self, index: int) -> Cut:
        """Return a threshold as the number of fewest digits that selects the same rows."""
        threshold = short_threshold(self.scores[index], self.next_score(index))
        return Cut(threshold, self.tps[index].item(), self.fps[index].item())

    def lowest(self, is_reached: Bool) -> Cut | None:
        """Return the lowest threshold that reaches a goal; None if none does."""
        return self.cut(int(np.flatnonzero(is_reached)[-1])) if is_reached.any() else None

    def given_cut(self, threshold: float) -> Cut:
        """Return what a given threshold selects."""
        n_above = int(np.count_nonzero(_is_selected(self.scores, threshold)))
        tp, fp = (np.append(0, sums)[n_above].item() for sums in (self.tps, self.fps))
        return Cut(threshold, tp, fp)

    def shares_at(self, cut: Cut) -> SampledShares:
        """Return the shares of the rows at a threshold."""
        fn, tn = self.n_positives - cut.tp, self.n_negatives - cut.fp
        return shares_of_counts(tp=cut.tp, fn=fn, fp=cut.fp, tn=tn)


@dataclass(frozen=True, eq=False, kw_only=True)
class WeightedCuts(Cuts):
    """Thresholds of rows that have weights or clusters."""

    rankings: Rankings
    cluster: Index  # of each row; without clusters, each row is one

    has_equal_rows: ClassVar[bool] = False

    @property
    def sample(self) -> Sample:
        rows, clusters = self.rankings, self.rankings.sampling.clusters
        return Sample(
            target_prevalence=self.prevalence,
            n_rows=rows.score.size,
            n_positives=float(rows.n_hits.sum()),
            weight_share=None if rows.weight is None else self.n_positives / self.n_all,
            unit="row" if clusters is None else "cluster",
            n_units=None if clusters is None else int(clusters.max()) + 1,
        )

    def most_rows(self, k: float) -> float:
        """Return k, or the share k of the weight: it is rounded up if sums of weights are whole."""
        return float(n_ranks(k, count(self.rankings.select_retrieved())).item())

    def shares_at(self, cut: Cut) -> SampledShares:
        rows = self.rankings
        selected = _is_selected(rows.score, cut.threshold)
        return shares_of_rows(rows.positive, selected, rows.weight_of_items, self.cluster)


@dataclass(frozen=True, eq=False, kw_only=True)
class CountCuts(Cuts):
    """Thresholds of counts, which hold the scores of positives alone."""

    counts: ThresholdCounts

    def next_score(self, index: int) -> float:
        return next_score(self.counts, index)


def _is_selected(scores: Array, threshold: float) -> Bool:
    """Compare scores with a number of Python, which NumPy takes in the type of the scores."""
    with np.errstate(over="ignore"):  # 1e300 is above all float32
        return np.asarray(scores >= threshold)
