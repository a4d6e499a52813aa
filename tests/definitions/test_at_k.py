"""What sets the scores at k apart."""

import numpy as np
import pytest
from every import every

from sklearn_ap import (
    average_precision_at_k_score,
    precision_at_k_score,
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
