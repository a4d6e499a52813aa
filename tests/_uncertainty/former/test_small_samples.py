"""Warnings of comparisons name their models, and one small task widens no mean."""

import numpy as np
import pytest

from sklearn_ap import UncertaintyWarning, compare_average_precision
from sklearn_ap._uncertainty.former import small_samples

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")

OF_SOME = {"a": "'a': ", "abc": "'a', 'b', 'c': ", "abcd": "4 models, such as 'a': ", "abcde": ""}


@pytest.mark.parametrize("warned", OF_SOME)
def test_warning_names_its_models_unless_all_are_concerned(warned, monkeypatch):
    found = UncertaintyWarning("Collect more.", "few clusters")

    def warnings_of(model):
        return [found] if model in warned else []

    monkeypatch.setattr(small_samples, "small_sample_warnings", warnings_of)
    (warning,) = small_samples.warnings_of_models([*"abcde"], [*"abcde"])
    assert str(warning) == f"few clusters: {OF_SOME[warned]}Collect more."


def tasks(rng, n_small, n_rows=1500):
    """Six tasks of 100 positives, and one of few, whose models differ in every row."""
    y = np.stack([np.arange(n_rows) % 15 == i for i in range(7)], axis=1) * 1
    y[n_small * 15 :, 6] = 0
    noise = rng.normal(size=(3, *y.shape))
    return y, {name: 1.5 * y + noise[0] + each for name, each in zip("AB", noise[1:], strict=True)}


def test_one_small_task_does_not_widen_the_interval_of_a_mean():
    """Half of it was 5.9 and 3.8 standard errors long."""
    rng = np.random.default_rng(0)
    tasks(rng, 2)
    for n_small in (3, 5):
        y, scores = tasks(rng, n_small)
        found = compare_average_precision(y, scores)
        half = (found.difference_highs[1] - found.difference_lows[1]) / 2
        assert half < 3.5 * found.difference_standard_errors[1]
