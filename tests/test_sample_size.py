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


def the_page():
    """The data of docs/certainty.md."""
    rng = np.random.default_rng(43)
    y_true = (rng.random(1500) < 0.1).astype(int)
    evidence = 2.3 * y_true + rng.normal(size=1500)
    first = evidence + 0.3 * rng.normal(size=1500)
    return y_true, {"A": first, "B": evidence + 0.1 * rng.normal(size=1500)}


def test_the_worked_digits():
    y, scores = the_page()
    interval = average_precision_interval(y, scores["A"])
    assert interval.standard_error == pytest.approx(0.03244968932338708)
    assert interval.positives_for(0.02) == 1568
    assert isinstance(interval.positives_for(0.02), int)
    comparison = compare_average_precision(y, scores)
    assert comparison.n_positives == interval.n_positives == 155
    assert comparison.difference_standard_errors[1] == pytest.approx(0.01182942, abs=5e-9)
    assert comparison.positives_for(0.02).tolist() == [0, 426]


def test_twice_as_narrow_takes_four_times_as_many():
    interval = average_precision_interval(*drawn())
    assert interval.positives_for(0.01) == pytest.approx(4 * interval.positives_for(0.02), abs=4)
    now = norm.ppf(0.975) * interval.standard_error
    assert interval.positives_for(now * (1 + 1e-9)) == interval.n_effective


def test_more_power_and_a_higher_level_take_more():
    y, scores = models()
    sizes = [
        compare_average_precision(y, scores, confidence_level=level).positives_for(0.05, power)[1]
        for level, power in ((0.9, 0.5), (0.95, 0.5), (0.95, 0.8), (0.95, 0.9))
    ]
    assert sizes == sorted(sizes)
    assert len({*sizes}) == 4


def test_a_one_sided_comparison_takes_fewer():
    y, scores = models()
    one, two, wide = (
        compare_average_precision(y, scores, **options).positives_for(0.05)
        for options in ({"alternative": "greater"}, {}, {"confidence_level": 0.9})
    )
    assert np.all(one[1:] < two[1:])
    np.testing.assert_array_equal(one, wide)


def test_several_rankings_have_an_answer_each():
    y, s = drawn(200, 3)
    interval = average_precision_interval(y, s, average=None)
    alone = average_precision_interval(y[:, 1], s[:, 1])
    assert interval.positives_for(0.05)[1] == alone.positives_for(0.05)
    scores = {"a": s, "b": s + np.random.default_rng(0).normal(size=s.shape)}
    found = compare_average_precision(y, scores, average=None)
    assert found.positives_for(0.05).shape == (2, 3)
    single = {name: score[:, 1] for name, score in scores.items()}
    alone = compare_average_precision(y[:, 1], single).positives_for(0.05)
    np.testing.assert_array_equal(found.positives_for(0.05)[:, 1], alone)


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (lambda one, _: one.positives_for(0), "half_width must lie within"),
        (lambda _, two: two.positives_for(1), "difference must lie within"),
        (lambda _, two: two.positives_for(0.02, power=80), "power must lie within"),
    ],
)
def test_wrong_wishes_are_refused(ask, text):
    with pytest.raises(ValueError, match=text):
        ask(average_precision_interval(Y, S), compare_average_precision(Y, {"a": S, "b": -S}))


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


def test_a_wish_that_no_sample_fulfils_is_refused():
    with pytest.raises(ValueError, match="infinitely many for 1e-200"):
        average_precision_interval(*drawn()).positives_for(1e-200)
    with pytest.raises(ValueError, match="infinitely many for 1e-200"):
        compare_average_precision(*models()).positives_for(1e-200)
