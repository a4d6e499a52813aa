"""What sets the scores at k apart."""

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    definitions,
    precision_at_k_score,
    recall_at_k_score,
    threshold_counts,
)
from sklearn_ap.definitions import AtK, Expected, PrecisionAtK, RecallAtK, Step

HITS = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
RANKS = -np.arange(10)


@pytest.mark.parametrize(
    ("normalizer", "values"),
    {
        "hits": (1.0, 1.0, 0.917, 0.783, 0.783),
        "positives": (0.2, 0.4, 0.55, 0.783, 0.783),
        "k": (1.0, 0.667, 0.55, 0.392, 0.261),
        "attainable": (1.0, 0.667, 0.55, 0.783, 0.783),
    }.items(),
)
def test_the_four_normalizers(normalizer, values):
    """The table of denominators that tools disagree on."""
    for k, value in zip((1, 3, 5, 10, 15), values, strict=True):
        ours = average_precision_at_k_score(HITS, RANKS, k=k, normalizer=normalizer)
        assert ours == pytest.approx(value, abs=5e-4)


def test_a_tied_block_contributes_its_share_at_the_precision_of_the_cut():
    """Two positives among four: a cut after three leaves 3/2 hits at precision 1/2."""
    y_true, y_score = [1, 1, 0, 0, 1], [5, 5, 5, 5, 1]
    assert precision_at_k_score(y_true, y_score, k=3) == 0.5
    assert recall_at_k_score(y_true, y_score, k=3) == 0.5
    assert average_precision_at_k_score(y_true, y_score, k=3) == pytest.approx(1.5 * 0.5 / 3)


def test_constant_scores_give_the_squared_prevalence_for_k_up_to_the_positives():
    y_true = [1] * 4 + [0] * 6
    for k in (1, 2, 3, 4):
        assert average_precision_at_k_score(y_true, np.zeros(10), k=k) == pytest.approx(0.4**2)


def test_k_beyond_the_last_item_divides_by_k():
    assert precision_at_k_score([1, 1], [2, 1], k=8) == 0.25


def test_no_hits_over_no_hits_is_0_and_silent():
    assert average_precision_at_k_score([0, 1], [2, 1], k=1, normalizer="hits") == 0.0


@pytest.mark.parametrize("normalizer", ["attainable", "positives", "hits", "k"])
def test_without_positives_it_is_undefined(normalizer):
    options = {"k": 1, "normalizer": normalizer, "zero_division": 1.0}
    assert average_precision_at_k_score([0, 0], [2, 1], **options) == 1.0


def test_precision_at_k_is_0_without_positives_whatever_zero_division_says():
    assert precision_at_k_score([0, 0], [2, 1], zero_division=1.0) == 0.0
    assert precision_at_k_score([0, 0], [2, 1]) == 0.0  # and silent


def test_items_below_a_threshold_are_not_retrieved():
    y_true, y_score = [1, 0, 1, 1], np.array([0.9, 0.8, 0.5, 0.4])
    y_score = np.where(y_score >= 0.5, y_score, -np.inf)
    assert precision_at_k_score(y_true, y_score, k=4) == 2 / 4
    assert recall_at_k_score(y_true, y_score, k=4) == 2 / 3
    expected = (1 + 2 / 3) / 3
    assert average_precision_at_k_score(y_true, y_score, k=4) == pytest.approx(expected)


def test_a_threshold_that_whole_queries_miss():
    y_score = np.array([3, 1, 3])
    y_score = np.where(y_score >= 2, y_score, -np.inf)
    values = precision_at_k_score([1, 1, 1], y_score, k=1, queries=["a", "b", "c"], average=None)
    np.testing.assert_array_equal(values, [1, 0, 1])


def test_attainable_counts_positives_never_scored():
    assert average_precision_at_k_score([1, 1], [2, 1], k=4, n_positives=3) == pytest.approx(2 / 3)
    assert average_precision_at_k_score([1, 1], [2, 1], k=2, n_positives=3) == 1.0


def test_at_n_it_is_step_whatever_the_ties():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, 50), rng.integers(0, 9, 50)
    ours = average_precision_at_k_score(y_true, y_score, k=50)
    assert ours == pytest.approx(average_precision_score(y_true, y_score), abs=1e-15)


class TestOptions:
    """Kept as plain numbers and strings."""

    @pytest.mark.parametrize(
        ("made", "printed"),
        [
            (AtK(), "AtK()"),
            (AtK(np.int64(5)), "AtK(k=5)"),
            (AtK(np.uint8(5), np.str_("hits")), "AtK(k=5, normalizer='hits')"),
            (PrecisionAtK(np.int32(5)), "PrecisionAtK(k=5)"),
            (RecallAtK(2**63 - 1), "RecallAtK(k=9223372036854775807)"),
        ],
        ids=repr,
    )
    def test_what_is_printed_is_read_back(self, made, printed):
        assert repr(made) == printed
        assert eval(printed, vars(definitions)) == made

    def test_no_bool_of_numpy_is_a_number(self):
        with pytest.raises(TypeError, match=r"^k must be a"):
            AtK(np.True_)

    @pytest.mark.parametrize("kind", [AtK, PrecisionAtK, RecallAtK])
    def test_no_threshold_is_an_option(self, kind):
        with pytest.raises(TypeError, match="threshold"):
            kind(5, threshold=0.5)

    def test_titles_say_what_is_not_the_default(self):
        assert AtK(20).title == "AP@20"
        assert AtK(20, "hits").title == "AP@20 over hits"
        assert PrecisionAtK(20).title == "precision@20"
        assert RecallAtK(20).title == "recall@20"


def test_the_effective_size_of_a_value_at_k():
    """Ten positives, of which the first three ranks can hold three."""
    counts = threshold_counts([1] * 10 + [0] * 10, -np.arange(20))
    at_3 = (AtK(3), AtK(3, "positives"), PrecisionAtK(3), RecallAtK(3), Expected(3), Step())
    assert [definition.effective_size(counts)[0] for definition in at_3] == [3, 3, 3, 10, 3, 10]
    at_15 = (AtK(15), PrecisionAtK(15), RecallAtK(15), Expected(15))
    assert [definition.effective_size(counts)[0] for definition in at_15] == [10, 15, 10, 10]


def test_a_line_ends_where_rank_k_does():
    """Rank 2 cuts the pair at .8: half a hit is in, at precision 1.5 / 2."""
    counts = threshold_counts([1, 1, 0, 1], [0.9, 0.8, 0.8, 0.1])
    recall, precision = AtK(2).line(counts)
    assert recall == pytest.approx([0, 1 / 3, 1 / 3, 1 / 2])
    assert precision == pytest.approx([1, 1, 3 / 4, 3 / 4])
    for definition in (PrecisionAtK(2), RecallAtK(2)):
        assert definition.line(counts) is None


@pytest.mark.parametrize("definition", [AtK(100), PrecisionAtK(100), RecallAtK(100), Expected(100)])
@pytest.mark.parametrize("decimals", [1, 12])
def test_counts_of_all_thresholds_give_the_same_digits_as_those_of_the_top(definition, decimals):
    rng = np.random.default_rng(0)
    for n in rng.integers(200, 4000, 40):
        y = rng.random(n) < 0.3
        s = np.round(y + rng.normal(size=n), decimals)
        found = average_precision_score(y, s, definition=definition)
        assert threshold_counts(y, s).score(definition) == found
