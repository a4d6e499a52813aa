"""Calls as a user types them, so that every number of a page has one.

A value has the code that gives it, and a result has its call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from sklearn_ap._inputs.arrays import n_dimensions
from sklearn_ap._types import Argument, Keywords

USUAL_LEVEL = 0.95  # that calls need not name
# All that the calls of a page need, and more than those of one page do.
IMPORTS = """\
import numpy as np
from scipy.stats import fisher_exact
from sklearn_ap import average_precision_interval, chance_test, compare_average_precision
from sklearn_ap import compare_segments, operating_point, report
from sklearn_ap.definitions import PrecisionAtK, RecallAtK"""
# `_inputs.dates.unit_starts` as a user types it, of texts or dates whose first ten letters are the
# day. test_the_code_of_a_unit_gives_its_starts in tests/_report/test_report.py holds both equal.
DAYS = "np.asarray({}).astype(str).astype('U10').astype('M8[D]')"
UNIT_STARTS = {
    "hour": "np.asarray({}).astype(str).astype('U13').astype('M8[h]')",
    "day": DAYS,
    "week": f"np.busday_offset({DAYS}, 0, 'backward', 'Mon')",  # NumPy's M8[W] begins on Thursdays
    "month": f"{DAYS}.astype('M8[M]')",
    "quarter": f"({DAYS}.astype('M8[M]').astype(int) // 3 * 3).astype('M8[M]')",
    "year": f"{DAYS}.astype('M8[Y]')",
}


class Coded(NamedTuple):
    """A value, and the code by which a user has it, as "y_scores['new']"."""

    value: Argument
    code: str

    def at(self, rows: Coded | None) -> Coded:
        """Select some of the rows."""
        if rows is None:
            return self
        return Coded(np.asanyarray(self.value)[rows.value], f"np.asarray({self.code})[rows]")


def code_options(options: Keywords) -> dict[str, Coded]:
    """Write the values of options; a user has arrays by their names."""
    return {
        name: Coded(value, name if n_dimensions(value) else repr(value))
        for name, value in options.items()
        if value is not None
    }


def write_call(
    function: Callable[..., object],
    arguments: Sequence[Coded],
    options: Mapping[str, Coded] = MappingProxyType({}),
    rows: Coded | None = None,
) -> str:
    """Write a call, without the usual level; rows that it restricts stand in a line before."""
    selection = "" if rows is None else f"rows = {rows.code}\n"
    named = (
        f"{name}={each.code}"
        for name, each in options.items()
        if name != "confidence_level" or each.value != USUAL_LEVEL
    )
    passed = ", ".join([*(each.code for each in arguments), *named])
    return f"{selection}{function.__name__}({passed})"
