"""The variance of the training runs of a method, and the influence of rows on their mean.

The variance of a mean over runs has a part of the rows, which all runs share, and a part of the
runs (random effects of two crossed factors; Gallas and others 2009). Equations are those of
``docs/methods.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np

from sklearn_ap._base.common.types import Float, FloatOrArray, Index
from sklearn_ap._uncertainty._effective_positives import EffectivePositives
from sklearn_ap._uncertainty._hidden_rows import HiddenRows
from sklearn_ap._uncertainty._resampling import Replicates
from sklearn_ap._uncertainty.influence import InfluenceValues, QueryInfluences, RowInfluences
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.sampling_units import EffectiveSizes
from sklearn_ap._uncertainty.shrinkage import (
    DifferenceSample,
    QuerySample,
    ScoreSample,
    Uncertainty,
)
from sklearn_ap._uncertainty.variance import variance_of_difference
from sklearn_ap._uncertainty.warnings import UncertaintyWarning, few_runs

SampleOfRows = QuerySample | ScoreSample | DifferenceSample
# Adds up one array of each part, times the factor of the part.
WeightedSum = Callable[[Sequence[Float]], Float]


class RunSpread(NamedTuple):
    """The variance of scores between the runs of a method."""

    variance: Float  # S^2, the variance of the scores
    row_variance: Float  # E, the part of S^2 that comes from the rows of the sample
    n_runs: int | Float | Index  # K

    @property
    def mean_variance(self) -> Float:
        """The part R that runs add to the variance of their mean, of equation 17."""
        return np.maximum(self.variance - self.row_variance, 0.0) / self.n_runs

    @property
    def degrees_term(self) -> Float:
        """The square of the variance of the mean over its degrees of freedom, of equation 18."""
        return np.asarray((self.variance / self.n_runs) ** 2 / (self.n_runs - 1))

    def enlarge(self, factor: FloatOrArray) -> RunSpread:
        """Return the record of a sample with ``factor`` times as many rows, so with a smaller E."""
        row_variance = self.row_variance / factor
        variance = np.maximum(self.variance - self.row_variance + row_variance, 0.0)
        return self._replace(variance=variance, row_variance=row_variance)


@dataclass(frozen=True, slots=True, eq=False)
class SampleOfRuns:
    """A sample of rows and of runs, for a mean over runs or for a difference of such means."""

    rows: SampleOfRows
    runs: tuple[RunSpread, ...]  # one for each method, or one for the differences of paired runs
    factor: float = 1.0  # limits multiply the variance of rows by this, but not that of runs

    @property
    def n_effective(self) -> Float:
        """The effective number of rows: a larger sample has more rows, but no more runs."""
        return self.rows.n_effective

    def enlarge(self, factor: FloatOrArray) -> SampleOfRuns:
        """Return the record of a sample with ``factor`` times as many rows, and as many runs."""
        runs = tuple(spread.enlarge(factor) for spread in self.runs)
        return replace(self, rows=self.rows.enlarge(factor), runs=runs)

    def resize_runs(self, n_runs: int | Float) -> SampleOfRuns:
        """Return the record of the same rows with ``n_runs`` runs of each method."""
        return replace(self, runs=tuple(spread._replace(n_runs=n_runs) for spread in self.runs))

    def uncertainty(self) -> Uncertainty:
        """Return the uncertainty of the mean over rows and runs.

        Equations 17 and 18.
        """
        runs_variance = np.sum([spread.mean_variance for spread in self.runs], axis=0)
        degrees_term = np.sum([spread.degrees_term for spread in self.runs], axis=0)
        rows = self.rows.uncertainty()
        return rows.add_runs(runs_variance / self.factor, degrees_term / self.factor**2)


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of several methods, all on the same rows."""

    methods: tuple[tuple[InfluenceValues, ...], ...]
    are_paired: bool = False  # True if the runs of all methods share their seeds, for example

    @classmethod
    def from_models(
        cls, models: Sequence[InfluenceValues], n_runs: Sequence[int], are_paired: bool = False
    ) -> Runs:
        """Group the runs of all methods, which stand in a row, by method."""
        ends = np.cumsum(n_runs).tolist()
        starts = [0, *ends[:-1]]
        methods = tuple(tuple(models[start:end]) for start, end in zip(starts, ends, strict=True))
        return cls(methods, are_paired)

    @cached_property
    def means(self) -> list[InfluenceValues]:
        """The mean over runs of each method."""
        return [mean_of_runs(runs) for runs in self.methods]

    @cached_property
    def spreads(self) -> list[RunSpread]:
        """The variance of the runs of each method."""
        pairs = zip(self.methods, self.means, strict=True)
        return [spread_of_runs(runs, mean) for runs, mean in pairs]

    def scores(self) -> tuple[Float, ...]:
        """Return the score of each run of each method, nan where it has no positive."""
        return tuple(
            np.stack([np.where(run.is_undefined, np.nan, run.score) for run in runs])
            for runs in self.methods
        )

    def stack_spreads(self) -> RunSpread:
        """Return the spreads of all methods as one record of arrays, if each has one score."""
        return RunSpread(
            variance=np.concatenate([spread.variance for spread in self.spreads]),
            row_variance=np.concatenate([spread.row_variance for spread in self.spreads]),
            n_runs=np.array([spread.n_runs for spread in self.spreads]),
        )

    def score_sample(self, method: int, rows: SampleOfRows, options: Options) -> SampleOfRuns:
        """Return the sample of rows and runs for the score of a method, given by its number."""
        return SampleOfRuns(rows, (self.spreads[method],), options.score_factor)

    def difference_sample(
        self, method: int, reference: int, rows: SampleOfRows, options: Options
    ) -> SampleOfRuns:
        """Return the sample of rows and runs for the difference of a method from another."""
        spreads: tuple[RunSpread, ...] = (self.spreads[method], self.spreads[reference])
        if self.are_paired:
            spreads = (spread_of_pairs(self.methods[method], self.methods[reference]),)
        return SampleOfRuns(rows, spreads, options.difference_factor)


def means_over_runs(
    models: list[InfluenceValues],
    names: Sequence[str],
    n_runs: tuple[int, ...] | None,
    are_paired: bool = False,
) -> tuple[list[InfluenceValues], Runs | None, list[UncertaintyWarning]]:
    """Return the models, or the means over the runs of each method, with a warning of few."""
    if n_runs is None:
        return models, None, []
    runs = Runs.from_models(models, n_runs, are_paired)
    return runs.means, runs, few_runs(names, n_runs)


def mean_of_runs(runs: Sequence[InfluenceValues]) -> InfluenceValues:
    """Average runs: the influence of a unit on their mean is the mean of its influences."""
    return _combine(runs, [1 / len(runs)] * len(runs))


def spread_of_runs(runs: Sequence[InfluenceValues], mean: InfluenceValues) -> RunSpread:
    """Return the variance of the scores of runs about their mean, and the part of the rows.

    Equation 17: S^2 and E.
    """
    n_runs = len(runs)
    scores = np.stack([run.score for run in runs])
    deviation_variances = [variance_of_difference(run, mean) for run in runs]
    return RunSpread(
        variance=scores.var(axis=0, ddof=1),
        row_variance=np.sum(deviation_variances, axis=0) / (n_runs - 1),
        n_runs=n_runs,
    )


def spread_of_pairs(
    runs: Sequence[InfluenceValues], references: Sequence[InfluenceValues]
) -> RunSpread:
    """Return the spread of the differences of paired runs, which share a seed, for example."""
    pairs = zip(runs, references, strict=True)
    differences = [_combine(pair, [1.0, -1.0]) for pair in pairs]
    return spread_of_runs(differences, mean_of_runs(differences))


def _combine(parts: Sequence[InfluenceValues], factors: Sequence[float]) -> InfluenceValues:
    """Add up values times factors, with their influences: all are of the same units."""
    first = parts[0]

    def weighted_sum(arrays: Sequence[Float]) -> Float:
        return np.asarray(sum(f * array for f, array in zip(factors, arrays, strict=True)))

    if isinstance(first, QueryInfluences):
        queries = cast(Sequence[QueryInfluences], parts)
        return replace(
            first,
            score=weighted_sum([part.score for part in queries]),
            score_influence=weighted_sum([part.score_influence for part in queries]),
            hidden_alarms_cost=_mean_cost(queries),
            roc_area=_mean([part.roc_area for part in queries]),
        )
    rows = cast(Sequence[RowInfluences], parts)
    return replace(
        first,
        values=weighted_sum([part.values for part in rows]),
        unit_influence=weighted_sum([part.unit_influence for part in rows]),
        bias_of_values=weighted_sum([part.bias_of_values for part in rows]),
        replicates=_combine_replicates(rows, weighted_sum),
        # Effective numbers and hidden rows are averaged over runs, also for a difference.
        support=_mean_support(rows),
        hidden=_mean_hidden_rows(rows),
        effective_sizes=_mean_effective_sizes(rows),
        hidden_alarms_cost=_mean_cost(rows),
        roc_area=_mean([part.roc_area for part in rows]),
    )


def _combine_replicates(
    rows: Sequence[RowInfluences], weighted_sum: WeightedSum
) -> Replicates | None:
    """Combine the values of each new sample, in which all runs have the same rows."""
    if rows[0].replicates is None:
        return None
    replicates = [cast(Replicates, part.replicates) for part in rows]
    values = weighted_sum([samples.values for samples in replicates])
    return Replicates(values, replicates[0].n_positives)


def _mean(arrays: Sequence[FloatOrArray]) -> Float:
    return np.asarray(sum(arrays) / len(arrays))


def _mean_cost(parts: Sequence[InfluenceValues]) -> Float | None:
    """Return the mean cost of hidden false alarms, as a row may be one in all runs."""
    costs = [part.hidden_alarms_cost for part in parts if part.hidden_alarms_cost is not None]
    return _mean(costs) if costs else None


def _mean_support(rows: Sequence[RowInfluences]) -> EffectivePositives:
    supports = [part.support for part in rows]
    return EffectivePositives(
        n_effective=_mean([support.n_effective for support in supports]),
        n_kish=_mean([support.n_kish for support in supports]),
        false_positive_cost=_mean([support.false_positive_cost for support in supports]),
        n_positive_rows=_mean([support.n_positive_rows for support in supports]),
    )


def _mean_hidden_rows(rows: Sequence[RowInfluences]) -> HiddenRows | None:
    first = rows[0].hidden
    if first is None:
        return None
    records = [cast(HiddenRows, part.hidden) for part in rows]
    return first._replace(
        loss=_mean([record.loss for record in records]),
        gain=_mean([record.gain for record in records]),
    )


def _mean_effective_sizes(rows: Sequence[RowInfluences]) -> EffectiveSizes | None:
    first = rows[0].effective_sizes
    if first is None:
        return None
    records = [cast(EffectiveSizes, part.effective_sizes) for part in rows]
    row_influence = first.row_influence
    if row_influence is not None:
        row_influence = _mean([cast(Float, record.row_influence) for record in records])
    return first._replace(
        design_effect=_mean([record.design_effect for record in records]),
        row_influence=row_influence,
    )
