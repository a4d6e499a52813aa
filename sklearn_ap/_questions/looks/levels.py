"""The confidence level of each look, so that all looks together err as rarely as one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from sklearn_ap._base.common.types import Argument, Float
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE, as_column
from sklearn_ap._base.inputs.checks import check_numbers, check_real_number
from sklearn_ap._base.inputs.option_checks import check_choice, check_open_share
from sklearn_ap._base.text import (
    PrintedTable,
    Table,
    cell_as_text,
    count_as_text,
    level_as_text,
    table_of_rows,
)
from sklearn_ap._questions.long_lists import LongList
from sklearn_ap._questions.looks._spending import (
    FARTHEST_Z,
    Spending,
    boundaries,
    crossing_probability,
)
from sklearn_ap._questions.result import Result
from sklearn_ap._questions.verdicts import Verdict
from sklearn_ap._uncertainty.options import Alternative, check_count

LEAST_INFORMATION_STEP = 0.01  # smaller steps take seconds
HIGHEST_LEVEL = np.nextafter(1.0, 0.0)
LOWEST_Z = -8.0  # sums below it are dropped, as they hardly ever become significant


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LookLevels(PrintedTable, Result):
    """The confidence level of each look at growing data. ``to_frame`` gives a table.

    Parameters
    ----------
    confidence_levels, pvalues : ndarray of shape (n_looks,)
        The ``confidence_level`` to pass at each look, and the p-value below which a difference is
        significant.
    information : ndarray of shape (n_looks,)
        The information of each look, such as its number of positives.
    confidence_level : float
        The probability that all looks together are right.
    spending : str
        The way in which the error is shared among looks.

    See Also
    --------
    look_levels : Makes one.

    Examples
    --------
    >>> from sklearn_ap import look_levels
    >>> levels = look_levels(3)
    >>> levels.confidence_levels.round(5)
    array([0.99979, 0.98798, 0.95374])
    """

    confidence_levels: Float
    pvalues: Float
    information: Float
    confidence_level: float
    spending: str

    def _rows(self) -> list[dict[str, float]]:
        columns = zip(
            self.information.tolist(),
            self.confidence_levels.tolist(),
            self.pvalues.tolist(),
            strict=True,
        )
        return [
            {
                "look": look,
                "information": information,
                "confidence_level": confidence_level,
                "pvalue": pvalue,
            }
            for look, (information, confidence_level, pvalue) in enumerate(columns, 1)
        ]

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """When each look decides: the decision is the p-value below which to stop."""
        return tuple(
            Verdict(
                f"look {look}",
                None,
                f"p < {pvalue:.3g}",
                f"Look {look} shows a difference if its p-value is below {pvalue:.3g}.",
            )
            for look, pvalue in enumerate(self.pvalues.tolist(), 1)
        )

    def inflation_factor(self, power: float = 0.8, alternative: Alternative = "two-sided") -> float:
        """Compute the ratio of the cases that a plan needs to those of a plan with a single look.

        Parameters
        ----------
        power : float, default=0.8
            The probability that a difference is found at one of the looks.
        alternative : {"two-sided", "greater", "less"}, default="two-sided"
            The alternative of the test.

        Returns
        -------
        float
            The factor. Studies that stop when they find a difference need fewer cases on average.
        """
        if self.spending == "unlimited":
            raise ValueError("looks must have an end for a plan. Choose another spending.")
        sides = 2 if alternative == "two-sided" else 1
        power = check_real_number("power", power)
        tail = (1 - self.confidence_level) / sides
        if not tail < power < 1:
            raise ValueError(f"power must lie within ({tail:g}, 1), got {power!r}.")
        times = self.information / self.information[-1]
        upper = np.minimum(-ndtri(self.pvalues / sides), FARTHEST_Z)
        lower = -upper if sides == 2 else np.full(upper.size, LOWEST_Z)
        # The drift theta at which z crosses a boundary with this probability. The largest one
        # needs only the first look.
        largest_drift = (upper[0] + ndtri(power) + 1) / np.sqrt(times[0])

        def excess_power(drift: float) -> float:
            return crossing_probability(times, lower, upper, drift) - power

        drift = brentq(excess_power, 0.0, largest_drift)
        return float((drift / (ndtri(power) - ndtri(tail))) ** 2)

    def _table(self) -> Table:
        columns = [
            ("look", lambda row: str(row["look"])),
            ("information", lambda row: cell_as_text(row["information"])),
            ("confidence level", lambda row: level_as_text(row["confidence_level"])),
            ("p-value below", lambda row: f"{row['pvalue']:.3g}"),
        ]
        rows = self._rows()
        chosen = LongList(range(len(rows)), "the first {}", "looks").choose()
        remarks = chosen.remarks
        if self.spending != "unlimited":
            factor = f"{self.inflation_factor():.3f}"
            remarks.append(f"a plan for a power of 80% needs {factor} times the cases of one look")
        looks = count_as_text(self.pvalues.size, "look")
        level = level_as_text(self.confidence_level)
        heading = f"LookLevels: {looks}, {level} for all together, {self.spending}"
        errors = f"{100 * (1 - self.confidence_level):.3g} of 100"
        sentence = (
            "Stop at the first look whose p-value is below that of its line. If there is no "
            f"difference, at most {errors} studies ever declare one."
        )
        table = table_of_rows([rows[place] for place in chosen.places], columns, remarks)
        return table._replace(heading=heading, verdicts=(sentence,))


def look_levels(
    n_looks: int,
    *,
    information: ArrayLike | None = None,
    confidence_level: float = 0.95,
    spending: Spending = "obrien-fleming",
) -> LookLevels:
    """Find the confidence level of each look at growing data, so that all together err in 5 of 100.

    Pass the level of a look as ``confidence_level``, or compare the p-value, adjusted if there are
    several, with the p-value of the look. To stop when an interval is narrow enough needs no such
    levels.

    Parameters
    ----------
    n_looks : int
        The largest number of looks.
    information : array-like of shape (n_looks,), default=None
        The information of each look, such as its number of positives so far; the last is planned.
        Replace planned by actual information when it differs. None means equal steps.
    confidence_level : float, default=0.95
        The probability with which all looks together should be right.
    spending : {"obrien-fleming", "pocock", "repeated", "unlimited"}, default="obrien-fleming"
        The way in which the error is shared among looks. "obrien-fleming" gives early looks very
        little of it, and "pocock" more. "repeated" is one level, for intervals that should be right
        at all looks. "unlimited" is for looks without end: levels stay as they are if more looks
        follow.

    Returns
    -------
    LookLevels
        A confidence level and a p-value for each look.

    See Also
    --------
    positives_for : Plans a study with ``looks``.

    Notes
    -----
    At the share t of the information, the spent error is 4 (1 - Phi(z_(a/4) / sqrt(t))) or
    a ln(1 + (e - 1) t) [1]_, where a is 1 - ``confidence_level``. "repeated" is Pocock's constant
    [2]_. Both are exact for sums of independent influences. "unlimited" is a mixture of normal
    distributions (Robbins 1970). One-sided tests with these p-values err less often.

    ``best_average_precision`` refuses levels for which it has too few draws. No p-value of
    ``chance_test`` is below one over its draws.

    References
    ----------
    .. [1] Lan and DeMets (1983), "Discrete sequential boundaries for clinical trials", Biometrika
       70(3), 659-663, https://doi.org/10.1093/biomet/70.3.659.
    .. [2] Jennison and Turnbull (1989), "Interim analyses: the repeated confidence interval
       approach", Journal of the Royal Statistical Society B 51(3), 305-361.

    Examples
    --------
    >>> from sklearn_ap import look_levels
    >>> look_levels(5)
    LookLevels: 5 looks, 95% for all together, obrien-fleming
    look  information  confidence level  p-value below
    1             0.2         99.99989%       1.08e-06
    2             0.4           99.921%       0.000788
    3             0.6            99.26%        0.00736
    4             0.8             97.8%          0.022
    5               1            95.77%         0.0423
    a plan for a power of 80% needs 1.025 times the cases of one look
    Stop at the first look whose p-value is below that of its line. If there is no
    difference, at most 5 of 100 studies ever declare one.
    """
    check_choice("spending", spending, Spending)
    n_looks = check_count("n_looks", n_looks, 1)
    information = _check_information(information, n_looks, spending)
    level = check_open_share("confidence_level", confidence_level)
    times = information / information[-1]
    pvalues = 2 * ndtr(-boundaries(times, spending, 1 - level))
    return LookLevels(
        confidence_levels=np.minimum(1 - pvalues, HIGHEST_LEVEL),
        pvalues=pvalues,
        information=information,
        confidence_level=level,
        spending=spending,
    )


def _check_information(information: Argument, n_looks: int, spending: str) -> Float:
    """Check the information of each look, and return it as an array."""
    if information is None:
        most_looks = round(1 / LEAST_INFORMATION_STEP)
        if spending != "unlimited" and n_looks > most_looks:
            raise ValueError(
                f"n_looks must be at most {most_looks} unless spending is 'unlimited', got "
                f"{n_looks}."
            )
        information = np.arange(1, n_looks + 1) / n_looks
    numbers = check_numbers("information", as_column("information", information))
    numbers = numbers.astype(np.float64)
    if numbers.size != n_looks:
        raise ValueError(
            f"information must hold {n_looks} numbers, as n_looks, got {numbers.size}."
        )
    least_step = 0.0
    if spending != "unlimited":
        least_step = LEAST_INFORMATION_STEP * numbers[-1] * (1 - RELATIVE_TOLERANCE)
    if not (np.isfinite(numbers).all() and (np.diff(numbers, prepend=0.0) > least_step).all()):
        raise ValueError(
            f"information must rise with each look, by {LEAST_INFORMATION_STEP:.0%} of its last "
            f"number or more unless spending is 'unlimited', got {information}."
        )
    return numbers
