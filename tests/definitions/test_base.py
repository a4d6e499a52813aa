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
from sklearn_ap.definitions import AtK, Definition, ReciprocalRank, Step

Y, S, SEGMENTS = np.arange(40) % 3 == 0, -np.arange(40), np.arange(40) % 2
COUNTS = threshold_counts([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])


@dataclass(frozen=True, repr=False)
class Gain(Definition):
    """The precision above chance; it is negative below."""

    chance: float = 0.5
    title = "gain"
    bounds = (-1.0, 1.0)

    def heights(self, counts):
        return counts.precision - self.chance


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


def test_a_definition_is_its_value_and_fourteen_members():
    members = {name for name in dir(Step) if not name.startswith("_")}
    about_the_value = {"title", "bounds", "heights", "divisor", "values", "depth", "prevalence"}
    of_intervals = {"influence", "hangs_on_one_row", "bias_rate", "heights_below"}
    assert members == about_the_value | of_intervals | {"line", "marked_points", "draws_precision"}


def test_stranger_writes_a_title_and_heights():
    mine = Trapezoids()
    assert mine(COUNTS) == pytest.approx([(1 / 2 + (2 / 3 + 1 / 2) / 2) / 2])
    recall, precision = mine.line(COUNTS)
    assert np.trapezoid(precision, recall) == mine(COUNTS)[0]
    assert average_precision_score([1, 0, 1, 0], [4, 3, 2, 1], definition=mine) == mine(COUNTS)[0]


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_definition_without_influence_takes_half_samples():
    y, s = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1], -np.arange(10)
    found = average_precision_interval(y, s, definition=Trapezoids(), rng=0)
    assert found.standard_error > 0


def test_bounds_may_be_below_0():
    assert Definition.bounds == Step.bounds == (0.0, 1.0)
    assert Gain(0.9)(COUNTS) == pytest.approx([5 / 6 - 0.9])


def test_minimal_definition_has_no_picture_or_influence():
    nothing = Nothing()
    assert (nothing.depth, nothing.prevalence) == (None, None)
    assert nothing.line(COUNTS) is None
    assert nothing.influence(COUNTS) is None
    assert nothing.divisor(COUNTS) == [2]


def test_definition_without_heights_and_value_says_what_is_missing():
    class Empty(Definition):
        title = "empty"

    with pytest.raises(NotImplementedError, match=r"^Empty needs heights, or its own __call__\.$"):
        Empty()(COUNTS)


@pytest.mark.parametrize(
    ("heights", "text"),
    [
        (lambda counts: counts.precision * np.nan, "numbers, and one of them is nan"),
        (lambda counts: counts.precision[1:], r"of shape \(2,\), got shape \(1,\)"),
        (lambda counts: 0.5, r"of shape \(2,\), got shape \(\)"),
    ],
)
def test_wrong_heights_are_refused_by_the_name_of_their_definition(heights, text):
    mine = type("Mine", (Gain,), {"heights": lambda self, counts: heights(counts)})()
    with pytest.raises(ValueError, match=rf"^heights of Mine\(chance=0.5\) must be .*{text}"):
        average_precision_score([1, 0, 1, 0], [4, 3, 2, 1], definition=mine)


def test_function_is_no_definition_and_the_error_says_what_to_write():
    with pytest.raises(TypeError, match="own definition inherit from Definition"):
        average_precision_score([1, 0], [2, 1], definition=lambda counts: counts.precision)


def test_object_with_heights_that_inherits_nothing_is_told_what_to_inherit():
    mine = type("Mine", (), {"heights": Trapezoids.heights, "title": "mine"})()
    with pytest.raises(TypeError, match=r"Let the class .* inherit from Definition"):
        average_precision_score([1, 0], [2, 1], definition=mine)


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
        lambda counts: counts.tps / counts.n_positives,
    ],
)
def test_definition_that_mixes_rankings_is_refused_as_soon_as_there_are_several(heights, call):
    mine = type("Mine", (Trapezoids,), {"heights": lambda _, counts: heights(counts)})()
    assert average_precision_score(Y, S, definition=mine) > 0
    with pytest.raises(ValueError, match=r"^Mine\(\) .*per_threshold.*envelope"):
        call(definition=mine)


def test_definition_of_labels_and_scores_is_told_that_it_gets_counts():
    mine = type("Mine", (Nothing,), {"__call__": lambda self, y_true, y_score: 0.5})()
    with pytest.raises(TypeError, match=r"It gets counts, as heights\(self, counts\)") as raised:
        average_precision_score([1, 0], [2, 1], definition=mine)
    assert "y_score" in str(raised.value.__cause__)


def test_title_is_a_text_and_no_method():
    mine = type("Mine", (Trapezoids,), {"title": lambda self: "mine"})()
    with pytest.raises(TypeError, match=r"^The title of Mine\(\) must be a text, .* @property"):
        average_precision_score([1, 0], [2, 1], definition=mine)


def test_error_of_one_ranking_among_several_is_its_own():
    mine = type("Mine", (Gain,), {"heights": lambda self, counts: counts.precision * np.nan})()
    with pytest.raises(ValueError, match=r"heights of Mine.* one of them is nan\.$"):
        average_precision_score(Y, S, queries=SEGMENTS, definition=mine)


@dataclass(frozen=True, repr=False)
class Logarithm(Definition):
    """A value that depends on the unit of weights."""

    title = "logarithm"

    def heights(self, counts):
        return 1 / (2 + np.log1p(counts.fps))


@pytest.mark.parametrize("options", [{"sample_weight": [2, 2, 2, 2]}, {"prevalence": 0.1}])
@pytest.mark.parametrize("call", [average_precision_score, average_precision_interval])
@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_value_that_depends_on_the_unit_of_weights_is_warned_of(call, options):
    rows = [1, 0, 1, 0], [4, 3, 2, 1]
    call(*rows, definition=Logarithm())  # counts of rows have no unit
    call(*rows, definition=Trapezoids(), **options)
    if "sample_weight" in options:
        call(*rows, definition=type("Mine", (AtK,), {})(2), **options)  # the first k by weight
    with pytest.warns(UserWarning, match=r"^Logarithm\(\) gives other values if all weights are d"):
        call(*rows, definition=Logarithm(), **options)


def test_definition_beyond_a_share_has_no_interval():
    mine = type("Mine", (Trapezoids,), {"bounds": (0, 100)})()
    with pytest.raises(ValueError, match="has no interval: its values lie within"):
        average_precision_interval([1, 0], [2, 1], definition=mine)


def test_value_out_of_bounds_says_what_an_interval_needs():
    mine = type("Mine", (Gain,), {"bounds": (0, 0.1)})(0.0)
    with pytest.raises(ValueError, match=r"set bounds = .*an interval needs values within 0 and 1"):
        average_precision_score([1, 0], [2, 1], definition=mine)


def test_repr_shows_numbers_and_other_options_that_were_set():
    assert repr(Nothing()) == "<Nothing: its options are not known, as it is no dataclass>"
    assert repr(Gain()) == "Gain(chance=0.5)"


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
    bounds = (-1.0, 10.0)

    def __call__(self, counts):
        is_alone = counts.starts.size < np.size(self.given)
        return self.given[counts.thresholds.astype(int)] if is_alone else self.given

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
            ([10.0], [10]),
            ([np.nan], [np.nan]),
            ([10 + 1e-12], [10]),
            ([-1 - 1e-12, 10 + 1e-12, np.nan], [-1 - 1e-12, 10, np.nan]),
        ],
    )
    def test_values_are_accepted_up_to_rounding(self, values, expected):
        found = Given(np.array(values)).values(counts_of_rankings(values))
        np.testing.assert_array_equal(found, expected)

    @pytest.mark.parametrize("values", [[10.1], [-1.1], [0, 10.1], [np.nan, -1.1, 0], [10 + 1e-6]])
    def test_values_beyond_bounds_are_refused(self, values):
        with pytest.raises(ValueError, match=r"Given\(\) gives .*not within its bounds, -1 and 10"):
            Given(np.array(values)).values(counts_of_rankings(values))

    @pytest.mark.parametrize("values", [0.5, [0.5, 0.5], np.ones((2, 1)), np.ones(1)])
    def test_a_definition_must_give_one_value_for_each_ranking(self, values):
        with pytest.raises(ValueError, match=r"one value for each ranking, of shape \(2,\)"):
            Given(values).values(counts_of_rankings([0, 0]))
