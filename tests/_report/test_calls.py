"""The code of a page gives what it stands for; test_report.py runs the calls."""

import numpy as np
import pandas as pd
import pytest

from sklearn_ap._inputs.dates import UNITS, unit_starts
from sklearn_ap._report._calls import UNIT_STARTS

TIMES = np.array("2026-01-01T13", "M8[us]") + np.arange(300) * np.timedelta64(1, "D")


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(
    "x",
    [
        TIMES,
        TIMES.astype(str),
        pd.Series(TIMES),
        pd.Series(TIMES.astype(str)),
        TIMES.astype("M8[ns]"),
    ],
)
def test_the_code_of_a_unit_gives_its_starts(unit, x):
    assert (eval(UNIT_STARTS[unit].format("x")) == unit_starts(TIMES, unit)).all()
