"""How large a sample must be."""

from functools import partial

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm, t

from sklearn_ap import (
    positives_for,
)
from sklearn_ap._questions.sample_size.pilot import Pilot
from sklearn_ap._uncertainty.former.shrinkage import Uncertainty
from sklearn_ap._uncertainty.options import Options

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
assumed = partial(positives_for, average_precision=0.4, prevalence=0.2, correlation=0.8)


class Planned:
    """A sample of 10 effective positives, so many times as large, with an error that is known."""

    n_effective = np.array([10.0])

    def __init__(self, degrees, times=1.0):
        self.degrees, self.size = degrees, times

    def enlarge(self, factor):
        return Planned(self.degrees, factor)

    def uncertainty(self):
        error = 0.1 / np.sqrt(np.atleast_1d(self.size))
        return Uncertainty(error, 1.2 * error**2, self.degrees * np.sqrt(self.size))


@pytest.mark.parametrize("degrees", [0.2, 3.0, 50.0])
@pytest.mark.parametrize("difference_factor", [1.0, 1.7])
@pytest.mark.parametrize(("alternative", "tail"), [("two-sided", 0.05), ("greater", 0.1)])
def test_a_plan_solves_the_formula_of_power(degrees, difference_factor, alternative, tail):
    """The normal approximation of the noncentral t, where a test divides by too large an error."""

    def power(times):
        of_t, error = max(degrees * times**0.5, 1), (0.01 * difference_factor / times) ** 0.5
        critical = t.isf(tail, of_t) * 1.2**0.5
        distance = 0.03 / error - critical * (1 - 1 / (4 * of_t))
        return norm.cdf(distance / (1 + critical**2 / (2 * of_t)) ** 0.5)

    options = Options(0.9, 0, alternative, difference_factor=difference_factor)
    sample = Planned(degrees)
    for wish in (0.3, 0.8, 0.95):
        (found,) = Pilot((sample,), options, None, None).times_for_power(0.03, wish)
        assert found == pytest.approx(brentq(lambda n, p=wish: power(n) - p, 0.3, 1e6))


def test_invalid_plans_are_refused():
    for wish, text in (
        ({"difference": 1}, "difference must lie within"),
        ({"difference": 0.02, "power": 80}, "power must lie within"),
        ({"difference": 0.02, "power": 0.02}, "power must be above 0.025"),
        ({"difference": 1e-200}, "difference=1e-200 would need an infinitely"),
        ({"average_precision": 0.1, "difference": 0.1}, "above the prevalence"),
        ({"difference": 0.1, "correlation": 1}, "must be below 1"),
        ({"difference": 0.6}, r"difference may be at most 0\.6, got 0\.6"),
    ):
        with pytest.raises(ValueError, match=text):
            assumed(**wish)
