"""What definitions inherit, and how little a stranger has to write."""

from dataclasses import dataclass

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_interval,
    average_precision_score,
    chance_test,
    compare_average_precision,
    compare_segments,
    threshold_counts,
)
from sklearn_ap._counts.counting import count
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap.definitions import Definition, Expected, Interpolated, Linear, ReciprocalRank, Step
from sklearn_ap.definitions._conventions import conventions

Y, S, SEGMENTS = np.arange(40) % 3 == 0, -np.arange(40), np.arange(40) % 2
COUNTS = threshold_counts([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])


@dataclass(frozen=True, repr=False)
class Gain(Definition):
    """The precision above a level; it is negative below."""

    level: float = 0.5
    title = "gain"

    def heights(self, counts):
        return counts.precision - self.level


@dataclass(frozen=True, repr=False)
class Trapezoids(Definition):
    """Ten lines of a stranger."""

    title = "AP by trapezoids over the ranks"

    def heights(self, counts):
        return (counts.precision + counts.precision_above(0.0)) / 2


class Nothing(Definition):
    title = "nothing"

    def __call__(self, counts):
        return np.zeros(counts.n_positives.size)


def test_stranger_writes_a_title_and_heights():
    mine = Trapezoids()
    assert mine(COUNTS) == pytest.approx([(1 / 2 + (2 / 3 + 1 / 2) / 2) / 2])
    recall, precision = mine.line(COUNTS)
    assert np.trapezoid(precision, recall) == mine(COUNTS)[0]
    assert average_precision_score([1, 0, 1, 0], [4, 3, 2, 1], definition=mine) == mine(COUNTS)[0]


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_definition_without_influence_takes_half_samples():
    y, s = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1], -np.arange(10)
    found = average_precision_interval(y, s, definition=Trapezoids())
    assert found.standard_error > 0


def test_minimal_definition_has_no_picture_or_influence():
    nothing = Nothing()
    assert (nothing.depth, nothing.prevalence) == (None, None)
    assert nothing.line(COUNTS) is None
    assert nothing.influence(COUNTS) is None
    assert nothing.divisor(COUNTS) == [2]


def test_definition_in_the_place_of_a_scorer_says_what_to_pass():
    with pytest.raises(TypeError, match=r"no scorer: pass get_scorer\(Step\(\)"):
        Step()("model", "X", "y")


def test_definition_without_heights_and_value_says_what_is_missing():
    class Empty(Definition):
        title = "empty"

    with pytest.raises(NotImplementedError, match=r"^Empty needs heights, or its own __call__\.$"):
        Empty()(COUNTS)


@pytest.mark.parametrize(
    ("method", "function", "text"),
    [
        ("heights", lambda counts: counts.precision[1:], r"of shape \(2,\), got shape \(1,\)"),
        ("heights", lambda counts: 0.5, r"of shape \(2,\), got shape \(\)"),
        ("divisor", lambda counts: counts.tps, r"of shape \(1,\), got shape \(2,\)"),
    ],
)
def test_wrong_shapes_are_refused_by_the_names_of_class_and_method(method, function, text):
    mine = type("Mine", (Gain,), {method: lambda self, counts: function(counts)})()
    with pytest.raises(ValueError, match=rf"^{method} of Mine\(level=0.5\) must be .*{text}"):
        average_precision_score([1, 0, 1, 0], [4, 3, 2, 1], definition=mine)


def test_function_is_no_definition_and_the_error_says_what_to_write():
    with pytest.raises(TypeError, match=r"such as Step\(\) or AtK\(20\), got <function"):
        average_precision_score([1, 0], [2, 1], definition=lambda counts: counts.precision)


@pytest.mark.parametrize(
    "call",
    [
        lambda **options: average_precision_interval(Y, S, **options),
        lambda **options: average_precision_interval(Y, S, prevalence=0.1, **options),
        lambda **options: average_precision_score(Y, S, queries=np.arange(40) % 4, **options),
        lambda **options: compare_average_precision(Y, {"a": S, "b": -S}, **options),
        lambda **options: compare_segments(Y, S, SEGMENTS, prevalence="own", **options),
        lambda **options: chance_test(Y, S, **options),
    ],
)
@pytest.mark.parametrize(
    "heights",
    [
        lambda counts: np.maximum.accumulate(counts.precision[::-1])[::-1],
        lambda counts: counts.precision * np.linspace(1, 0, counts.precision.size),
        lambda counts: counts.precision / np.arange(1, counts.precision.size + 1),
        lambda counts: np.full_like(counts.precision, counts.precision.mean()),
        lambda counts: counts.precision / (counts.precision.sum() + 1),
    ],
)
def test_definition_that_mixes_rankings_is_refused_as_soon_as_there_are_several(heights, call):
    mine = type("Mine", (Trapezoids,), {"heights": lambda _, counts: heights(counts)})()
    assert average_precision_score(Y, S, definition=mine) > 0
    with pytest.raises(ValueError, match=r"^Mine\(\) .*per_threshold.*envelope"):
        call(definition=mine)


@pytest.mark.parametrize("labels", [Y, np.arange(40) < 9])  # in many samples, all reach 1
def test_a_mixed_maximum_is_refused_whatever_the_sample(labels):
    heights = {"heights": lambda _, counts: counts.precision / counts.precision.max()}
    mine = type("Mine", (Trapezoids,), heights)()
    with pytest.raises(ValueError, match=r"^Mine\(\) gives .* so it mixes rankings"):
        average_precision_interval(labels, S, definition=mine)


def test_a_definition_of_probabilities_and_two_positives_takes_several_rankings():
    def heights(_, counts):
        assert (counts.thresholds >= 0).all()
        assert (counts.thresholds <= 1).all()
        assert (counts.n_positives >= 2).all()
        return counts.precision

    mine = type("Mine", (Trapezoids,), {"heights": heights})()
    assert average_precision_score(Y, 1 + S / 40, queries=SEGMENTS, definition=mine) > 0


def test_class_with_heights_of_its_own_does_not_inherit_an_influence():
    own = {"title": "half", "heights": lambda _, counts: counts.precision / 2}
    assert type("Half", (Step,), own)().influence(COUNTS) is None
    assert type("Renamed", (Step,), {"title": "AP"})().influence(COUNTS) is not None


def test_class_with_a_value_of_its_own_does_not_inherit_a_picture():
    halved = type("Halved", (Linear,), {"heights": lambda _, counts: counts.precision / 2})()
    recall, height = halved.line(COUNTS)
    assert np.trapezoid(height, recall) == pytest.approx((1 + 2 / 3) / 2 / 2)
    assert not halved.draws_precision
    for parent in (Linear, Interpolated):
        own = {"__call__": lambda _, counts: Step()(counts) ** 2}
        squared = type("Squared", (parent,), own)()
        assert squared.line(COUNTS) is None
        assert squared.bias_rate == 1


def test_error_that_several_rankings_alone_raise_says_how_to_write_for_them():
    share = type("Share", (Gain,), {"heights": lambda _, counts: counts.tps / counts.n_positives})()
    assert average_precision_score(Y, S, definition=share) > 0
    with pytest.raises(ValueError, match="broadcast") as caught:
        average_precision_interval(Y, S, definition=share)
    assert "__call__ of Share(level=0.5): Several rankings" in caught.value.__notes__[0]
    options = {"queries": Y, "sample_weight": np.ones(40)}
    with pytest.raises(ValueError, match="takes unweighted counts") as caught:
        average_precision_score(Y, S, definition=Expected(), **options)
    assert not hasattr(caught.value, "__notes__")


def test_repr_shows_numbers_and_other_options_that_were_set():
    assert repr(Nothing()) == "<Nothing, which is no dataclass>"
    assert repr(Gain()) == "Gain(level=0.5)"


@dataclass(frozen=True, repr=False)
class OfAllRankings(Definition):
    """One value, however many rankings there are, as half samples are."""

    title = "mean precision"

    def __call__(self, counts):
        return np.array([counts.precision.mean()])


@dataclass(frozen=True, repr=False)
class Unknown(Definition):
    title = "unknown"

    def __call__(self, counts):
        return np.full(counts.starts.size, np.nan)


def test_one_value_for_many_half_samples_is_refused():
    y, s = np.arange(40) % 4 == 0, np.arange(40.0)
    with pytest.raises(ValueError, match=r"one value for each ranking, of shape \(\d\d+,\)"):
        average_precision_interval(y, s, definition=OfAllRankings())


@pytest.mark.parametrize("labels", [[1, 0], [1, 1]])
def test_nan_of_a_ranking_with_positives_is_no_lack_of_them(labels):
    with pytest.raises(ValueError, match="gives nan for a ranking that has positives"):
        average_precision_score(labels, [0.8, 0.2], definition=Unknown())


def test_a_subclass_of_reciprocal_rank_is_undefined_without_positives():
    mine = type("First", (ReciprocalRank,), {"title": "first hit"})()
    rows = [1, 0, 0, 0], [4, 3, 2, 1]
    options = {"queries": [*"aabb"], "zero_division": 0.0}
    assert average_precision_score(*rows, definition=mine, **options) == 0.5


@dataclass(frozen=True, eq=False, repr=False)
class Given(Definition):
    """The values that a definition of a user happens to give."""

    given: object
    title = "given"

    def __call__(self, counts):
        are_all = counts.starts.size == np.size(self.given) or counts.starts.size == 2
        return self.given if are_all else np.zeros(counts.starts.size)

    def __repr__(self):
        return "Given()"


def counts_of_rankings(values):
    """Counts of a ranking for each value, of a positive, or of a negative for nan."""
    n = len(values)
    return count(Rankings(~np.isnan(values), np.arange(n) * 1.0, None, np.arange(n), n))


class TestValues:
    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            ([1.0], [1]),
            ([np.nan], [np.nan]),
            ([1 + 1e-12, np.nan, 0.5, 0.0], [1, np.nan, 0.5, 0]),
        ],
    )
    def test_values_are_accepted_up_to_rounding(self, values, expected):
        found = Given(np.array(values)).values(counts_of_rankings(values))
        np.testing.assert_array_equal(found, expected)

    @pytest.mark.parametrize("values", [[1.1], [-0.1], [0, 1.1], [np.nan, -0.1, 0], [1 + 1e-6]])
    def test_values_beyond_0_and_1_are_refused(self, values):
        with pytest.raises(ValueError, match=r"Given\(\) gives .*not within 0 and 1"):
            Given(np.array(values)).values(counts_of_rankings(values))

    @pytest.mark.parametrize("values", [0.5, [0.5, 0.5], np.ones((2, 1)), np.ones(1)])
    def test_a_definition_must_give_one_value_for_each_ranking(self, values):
        with pytest.raises(ValueError, match=r"one value for each ranking, of shape \(2,\)"):
            Given(values).values(counts_of_rankings([0, 0]))


def test_a_title_without_property_is_refused_where_the_class_is_written():
    with pytest.raises(TypeError, match="title of Mine is a method: write @property above it"):
        type("Mine", (Definition,), {"title": lambda _: "mine"})


def test_values_of_this_package_are_trusted_and_those_of_a_class_that_inherits_are_not():
    assert all(each.is_trusted for each in conventions(3))

    class Mine(Step):
        pass

    assert not Mine().is_trusted
