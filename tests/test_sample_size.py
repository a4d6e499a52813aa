"""How many positives a result asks for."""

import numpy as np
import pyarrow as pa
import pytest
from interval_data import S, Y, drawn, models
from scipy.stats import norm

from sklearn_ap import (
    AveragePrecisionInterval,
    average_precision_interval,
    compare_average_precision,
    large,
)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


def test_the_worked_digits():
    y, scores = models()
    interval = average_precision_interval(y, scores["a"])
    half_width = norm.ppf(0.975) * interval.standard_error
    expected = int(np.ceil(interval.n_effective * (half_width / 0.02) ** 2))
    assert interval.positives_for(0.02) == expected
    assert isinstance(interval.positives_for(0.02), int)
    comparison = compare_average_precision(y, scores)
    assert comparison.n_positives == interval.n_positives
    errors = comparison.difference_standard_errors[1:]
    for power, found in (
        (0.8, comparison.positives_for(0.02)),
        (0.9, comparison.positives_for(0.02, power=0.9)),
    ):
        needed = comparison.n_positives * ((norm.ppf(0.975) + norm.ppf(power)) * errors / 0.02) ** 2
        assert found.tolist() == [0, *np.ceil(needed)]
    y, s = drawn(200, 3)
    each, alone = (
        average_precision_interval(*rows, average=None) for rows in ((y, s), (y[:, 1], s[:, 1]))
    )
    assert each.positives_for(0.05)[1] == alone.positives_for(0.05)


def test_a_one_sided_comparison_takes_fewer():
    y, scores = models()
    one, two, wide = (
        compare_average_precision(y, scores, **options).positives_for(0.05)
        for options in ({"alternative": "greater"}, {}, {"confidence_level": 0.9})
    )
    assert np.all(one[1:] < two[1:])
    np.testing.assert_array_equal(one, wide)


def test_wrong_wishes_are_refused():
    one = average_precision_interval(Y, S)
    two = compare_average_precision(Y, {"a": S, "b": -S})
    for ask, text in (
        (lambda: one.positives_for(0), "half_width must lie within"),
        (lambda: two.positives_for(1), "difference must lie within"),
        (lambda: two.positives_for(0.02, power=80), "power must lie within"),
        (lambda: one.positives_for(1e-200), "infinitely many for 1e-200"),
        (lambda: two.positives_for(1e-200), "infinitely many for 1e-200"),
    ):
        with pytest.raises(ValueError, match=text):
            ask()


def test_what_shows_no_variance_is_refused():
    asks = [
        lambda: average_precision_interval(Y, Y).positives_for(0.02),
        lambda: average_precision_interval(Y, S, clusters=0 * Y).positives_for(0.02),
        lambda: compare_average_precision(Y, {"a": S, "b": 2 * S}).positives_for(0.02),
    ]
    for ask in asks:
        with pytest.raises(ValueError, match="positives_for needs a sample that shows some"):
            ask()


def test_weighted_counts_of_queries_do_not_say_how_many_positives_there_are():
    table = pa.table({"y": Y, "s": S, "w": Y + 0.5, "q": np.arange(len(Y)) % 5})
    counts = large.from_table(table, "y", "s", sample_weight="w", queries="q")
    found = AveragePrecisionInterval.from_counts(counts, zero_division=0)
    assert np.isnan([found.n_positives, found.n_effective]).all()
    with pytest.raises(ValueError, match="needs n_effective, which weighted counts of queries"):
        found.positives_for(0.02)
