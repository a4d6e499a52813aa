"""How much the training runs of a method vary, and the influence of rows on their mean.

The variance of a mean over runs has a part of the rows, which all runs share, and a part of the
runs (random effects of two crossed factors; Gallas and others 2009). ``docs/methods.md`` has the
formulas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np

from sklearn_ap._base.common.types import Float
from sklearn_ap._uncertainty._resampling import Replicates
from sklearn_ap._uncertainty.influence import InfluenceValues, QueryInfluences, RowInfluences
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.shrinkage import (
    DifferenceSample,
    QuerySample,
    ScoreSample,
    Uncertainty,
)
from sklearn_ap._uncertainty.variance import variance_of_difference
from sklearn_ap._uncertainty.warnings import UncertaintyWarning, few_runs

# With two runs, tests of equal methods had p < .05 in up to 13 of 100 samples: "Training runs" in
# docs/methods.md.
FEWEST_RUNS = 3

RowsShown = QuerySample | ScoreSample | DifferenceSample


class RunSpread(NamedTuple):
    """The variance of scores between the runs of a method."""

    variance: Float  # S^2, of the scores
    by_rows: Float  # E, what the rows of a sample put into it
    n_runs: Any  # K

    @property
    def of_mean(self) -> Float:
        """What runs add to the variance of their mean."""
        return np.maximum(self.variance - self.by_rows, 0.0) / self.n_runs

    @property
    def of_degrees(self) -> Float:
        """Satterthwaite's term: the square of the variance of the mean over its degrees."""
        return np.asarray((self.variance / self.n_runs) ** 2 / (self.n_runs - 1))

    def of_larger(self, factor: Any) -> RunSpread:
        """That of a sample which is so many times as large: rows put less into it."""
        by_rows = self.by_rows / factor
        variance = np.maximum(self.variance - self.by_rows + by_rows, 0.0)
        return self._replace(variance=variance, by_rows=by_rows)


@dataclass(frozen=True, slots=True, eq=False)
class SampleOfRuns:
    """What a sample of rows and of runs shows of a mean over runs, or of a difference of means."""

    rows: RowsShown
    runs: tuple[RunSpread, ...]  # of each method, or of the differences of paired runs
    factor: float = 1.0  # what the variance of rows is multiplied by later, which runs are not

    @property
    def n_effective(self) -> Float:
        """What rows show, as they are what a larger sample has more of."""
        return self.rows.n_effective

    def of_larger(self, factor: Any) -> SampleOfRuns:
        """That of a sample which is so many times as large, with as many runs."""
        runs = tuple(spread.of_larger(factor) for spread in self.runs)
        return replace(self, rows=self.rows.of_larger(factor), runs=runs)

    def of_runs(self, n_runs: Any) -> SampleOfRuns:
        """That of the same rows, with so many runs of each method."""
        return replace(self, runs=tuple(each._replace(n_runs=n_runs) for each in self.runs))

    def uncertainty(self) -> Uncertainty:
        """How much the mean varies, over rows and runs."""
        of_mean = np.sum([spread.of_mean for spread in self.runs], axis=0)
        of_degrees = np.sum([spread.of_degrees for spread in self.runs], axis=0)
        rows = self.rows.uncertainty()
        return rows.with_runs(of_mean / self.factor, of_degrees / self.factor**2)


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of several methods, all on the same rows."""

    of_methods: tuple[tuple[InfluenceValues, ...], ...]
    are_paired: bool = False  # whether the runs of all methods share what is random

    @classmethod
    def grouped(
        cls, models: Sequence[InfluenceValues], n_runs: Sequence[int], are_paired: bool = False
    ) -> Runs:
        """The runs of each method, from those of all methods in a row."""
        ends = np.cumsum(n_runs).tolist()
        starts = [0, *ends[:-1]]
        pairs = zip(starts, ends, strict=True)
        return cls(tuple((*models[start:end],) for start, end in pairs), are_paired)

    @cached_property
    def means(self) -> list[InfluenceValues]:
        """The mean over runs of each method."""
        return [mean_of_runs(runs) for runs in self.of_methods]

    @cached_property
    def spreads(self) -> list[RunSpread]:
        """How much the runs of each method vary."""
        pairs = zip(self.of_methods, self.means, strict=True)
        return [spread_of_runs(*pair) for pair in pairs]

    def scores(self) -> tuple[Float, ...]:
        """The score of each run of each method, nan where it has no positive."""
        return tuple(
            np.stack([np.where(each.is_undefined, np.nan, each.score) for each in runs])
            for runs in self.of_methods
        )

    def side_by_side(self) -> RunSpread:
        """How much the runs of methods vary, a number for each, which has one score."""
        variances = np.concatenate([each.variance for each in self.spreads])
        by_rows = np.concatenate([each.by_rows for each in self.spreads])
        return RunSpread(variances, by_rows, np.array([each.n_runs for each in self.spreads]))

    def of_score(self, place: int, rows: RowsShown, options: Options) -> SampleOfRuns:
        """What rows and runs show of the score of a method."""
        return SampleOfRuns(rows, (self.spreads[place],), options.score_factor)

    def of_difference(
        self, place: int, reference: int, rows: RowsShown, options: Options
    ) -> SampleOfRuns:
        """What rows and runs show of the difference from the score of another method."""
        spreads: tuple[RunSpread, ...] = self.spreads[place], self.spreads[reference]
        if self.are_paired:
            spreads = (spread_of_pairs(self.of_methods[place], self.of_methods[reference]),)
        return SampleOfRuns(rows, spreads, options.difference_factor)


def means_over_runs(
    models: list[InfluenceValues],
    names: Sequence[str],
    n_runs: tuple[int, ...] | None,
    are_paired: bool = False,
) -> tuple[list[InfluenceValues], Runs | None, list[UncertaintyWarning]]:
    """The models as they are, or the means over the runs of each method, and a warning of few."""
    if n_runs is None:
        return models, None, []
    runs = Runs.grouped(models, n_runs, are_paired)
    return runs.means, runs, few_runs(names, n_runs)


def mean_of_runs(runs: Sequence[InfluenceValues]) -> InfluenceValues:
    """The mean over runs: the influence of a unit on it is the mean of its influences."""
    return _combined(runs, [1 / len(runs)] * len(runs))


def spread_of_runs(runs: Sequence[InfluenceValues], mean: InfluenceValues) -> RunSpread:
    """How much the scores of runs vary about their mean, and what rows put into it."""
    n_runs = len(runs)
    scores = np.stack([each.score for each in runs])
    of_rows = [variance_of_difference(each, mean) for each in runs]
    return RunSpread(
        variance=scores.var(axis=0, ddof=1),
        by_rows=np.sum(of_rows, axis=0) / (n_runs - 1),
        n_runs=n_runs,
    )


def spread_of_pairs(
    runs: Sequence[InfluenceValues], others: Sequence[InfluenceValues]
) -> RunSpread:
    """The same of the differences of runs that share what is random, such as the seed."""
    pairs = zip(runs, others, strict=True)
    differences = [_combined(pair, [1.0, -1.0]) for pair in pairs]
    return spread_of_runs(differences, mean_of_runs(differences))


def _combined(parts: Sequence[InfluenceValues], factors: Sequence[float]) -> InfluenceValues:
    """The sum of values times factors, with its influences: all are of the same units."""
    first = parts[0]

    def total(numbers: Sequence[Any]) -> Any:
        return sum(factor * each for factor, each in zip(factors, numbers, strict=True))

    if isinstance(first, QueryInfluences):
        queries = cast(Sequence[QueryInfluences], parts)
        score = total([each.score for each in queries])
        return replace(first, score=score, of_score=total([each.of_score for each in queries]))
    rows = cast(Sequence[RowInfluences], parts)
    return replace(
        first,
        values=total([each.values for each in rows]),
        by_unit=total([each.by_unit for each in rows]),
        bias_of_values=total([each.bias_of_values for each in rows]),
        replicates=_combined_replicates(rows, total),
        **_mean_extent(rows),
    )


def _combined_replicates(rows: Sequence[RowInfluences], total: Any) -> Replicates | None:
    """The same of the values of each new sample, which has the same rows for all."""
    first = rows[0].replicates
    if first is None:
        return None
    values = [cast(Replicates, each.replicates).values for each in rows]
    return Replicates(total(values), first.n_positives)


def _mean_extent(rows: Sequence[RowInfluences]) -> dict[str, Any]:
    """What values rest on, and what a sample may hide of them: the mean over runs of each."""
    first = rows[0]

    def mean(record: str, *names: str) -> Any:
        records = [getattr(each, record) for each in rows]
        if records[0] is None:
            return None
        means = {name: sum(getattr(each, name) for each in records) / len(rows) for name in names}
        return records[0]._replace(**means)

    sizes = first.effective_sizes
    of_rows = () if sizes is None or sizes.by_row is None else ("by_row",)
    return {
        "rests_on": mean("rests_on", *first.rests_on._fields),
        "hidden": mean("hidden", "loss", "gain"),
        "effective_sizes": mean("effective_sizes", "design_effect", *of_rows),
    }
