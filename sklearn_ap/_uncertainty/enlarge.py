"""The estimate that a larger sample of the same kind would have, for plans."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from sklearn_ap._types import Float, FloatOrArray
from sklearn_ap._uncertainty._hidden import Changes, Hidden, HiddenQueries
from sklearn_ap._uncertainty.estimate import Estimate


def enlarge(estimate: Estimate, times: FloatOrArray) -> Estimate:
    """Return the estimate that a sample so many times as large would have."""
    n_effective: Float = estimate.n_effective * times
    hidden: Hidden = cast(Hidden, _HiddenInMore(estimate.hidden, times))
    if isinstance(estimate.hidden, HiddenQueries):
        hidden = replace(estimate.hidden, n_effective=n_effective)
    return replace(
        estimate,
        variance=estimate.variance / times,
        nu=estimate.nu * times,
        n_effective=n_effective,
        bias=estimate.bias / times,
        bias_error=estimate.bias_error / times,
        hidden=hidden,
    )


@dataclass(frozen=True)
class _HiddenInMore:
    """The changes by rows that are hidden in a larger sample, of which each counts less."""

    hidden: Hidden
    times: FloatOrArray

    def changes(self, n_rows: Float) -> Changes:
        """Return the changes by so many rows of the larger sample."""
        return self.hidden.changes(n_rows / self.times)
