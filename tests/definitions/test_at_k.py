"""What sets the scores at k apart."""

import numpy as np
import pytest
from every import every

from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    precision_at_k_score,
    recall_at_k_score,
    threshold_counts,
)
from sklearn_ap.definitions import AtK, Expected, PrecisionAtK, RecallAtK, Step

HITS = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
RANKS = -np.arange(10)


@every(
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
    nothing = {"k": 1, "normalizer": normalizer, "zero_division": 1.0}
    assert average_precision_at_k_score([0, 0], [2, 1], **nothing) == 1.0


def test_a_tied_block_contributes_its_share_at_the_precision_of_the_cut():
    """Two positives among four: a cut after three leaves 3/2 hits at precision 1/2."""
    y_true, y_score = [1, 1, 0, 0, 1], [5, 5, 5, 5, 1]
    assert precision_at_k_score(y_true, y_score, k=3) == 0.5
    assert recall_at_k_score(y_true, y_score, k=3) == 0.5
    assert average_precision_at_k_score(y_true, y_score, k=3) == pytest.approx(1.5 * 0.5 / 3)


def test_no_hits_over_no_hits_is_0_and_silent():
    assert average_precision_at_k_score([0, 1], [2, 1], k=1, normalizer="hits") == 0.0


def test_precision_at_k_is_0_without_positives_whatever_zero_division_says():
    assert precision_at_k_score([0, 0], [2, 1], zero_division=1.0) == 0.0
    assert precision_at_k_score([0, 0], [2, 1]) == 0.0  # and silent


def test_options_are_printed_as_plain_numbers_and_titles_say_what_is_not_the_default():
    for made, printed, title in (
        (AtK(np.int64(20)), "AtK(k=20)", "AP@20"),
        (AtK(np.uint8(20), np.str_("hits")), "AtK(k=20, normalizer='hits')", "AP@20 over hits"),
        (PrecisionAtK(np.int32(20)), "PrecisionAtK(k=20)", "precision@20"),
        (RecallAtK(2**63 - 1), f"RecallAtK(k={2**63 - 1})", f"recall@{2**63 - 1}"),
    ):
        assert (repr(made), made.title) == (printed, title)
    with pytest.raises(TypeError, match=r"^k must be a"):
        AtK(np.True_)


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
