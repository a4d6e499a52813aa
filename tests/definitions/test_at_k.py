"""What sets the scores at k apart."""

from dataclasses import replace

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_interval,
    average_precision_score,
    chance_test,
    precision_at_k_score,
    recall_at_k_score,
    threshold_counts,
)
from sklearn_ap.definitions import AtK, Expected, PrecisionAtK, RecallAtK

HITS = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
RANKS = -np.arange(10)
RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("normalizer", "values"),
    {
        "hits": (1.0, 1.0, 0.917, 0.783, 0.783),
        "positives": (0.2, 0.4, 0.55, 0.783, 0.783),
        "k": (1.0, 0.667, 0.55, 0.392, 0.261),
        "attainable": (1.0, 0.667, 0.55, 0.783, 0.783),
    }.items(),
)
def test_four_normalizers_give_the_table_of_denominators(normalizer, values):
    """The table of denominators that tools disagree on."""
    for k, value in zip((1, 3, 5, 10, 15), values, strict=True):
        ours = average_precision_at_k_score(HITS, RANKS, k=k, normalizer=normalizer)
        assert ours == pytest.approx(value, abs=5e-4)
    nothing = {"k": 1, "normalizer": normalizer, "zero_division": 1.0}
    assert average_precision_at_k_score([0, 0], [2, 1], **nothing) == 1.0
    # Precision at k is defined, and silent.
    assert precision_at_k_score([0, 0], [2, 1]) == 0.0
    assert precision_at_k_score([0, 0], [2, 1], zero_division=1.0) == 0.0


@pytest.mark.parametrize(
    ("made", "printed", "title"),
    [
        (AtK(np.int64(20)), "AtK(k=20)", "AP@20"),
        (AtK(np.uint8(20), np.str_("hits")), "AtK(k=20, normalizer='hits')", "AP@20 over hits"),
        (RecallAtK(2**63 - 1), f"RecallAtK(k={2**63 - 1})", f"recall@{2**63 - 1}"),
        (AtK(np.float32(0.07), "hits"), "AtK(k=0.07, normalizer='hits')", "AP@7% over hits"),
        (PrecisionAtK(10), "PrecisionAtK(k=10)", "precision@10"),  # also the default
        (AtK(), "AtK(k=10)", "AP@10"),
        (PrecisionAtK(0.005), "PrecisionAtK(k=0.005)", "precision@0.5%"),
        (RecallAtK(1e-7), "RecallAtK(k=1e-07)", "recall@0.00001%"),
        (Expected(0.5), "Expected(k=0.5)", "expected AP@50%"),
    ],
)
def test_titles_show_percentages_and_non_default_options(made, printed, title):
    assert (repr(made), made.title) == (printed, title)
    if isinstance(made, PrecisionAtK | RecallAtK):  # the value is no area
        assert made.line(threshold_counts([1], [1])) is None


class TestShares:
    """A share of 100 rows, of which 0.07 are 7 ranks, although 0.07 * 100 is a little more."""

    y_true = RNG.random(100) < 0.3
    y_score, other = y_true + RNG.normal(size=(2, 100))
    at_a_share = (AtK(0.07), AtK(0.07, "hits"), PrecisionAtK(0.07), RecallAtK(0.07), Expected(0.07))

    @pytest.mark.parametrize("at_share", at_a_share)
    def test_share_of_rows_gives_the_results_of_its_rank(self, at_share):
        at_rank = replace(at_share, k=7)
        ours, others = (
            " ".join(str(chance_test(self.y_true, self.y_score, definition=each, rng=0)).split())
            for each in (at_share, at_rank)
        )
        assert ours == others.replace(at_rank.title, at_share.title)
        y_true, y_score = np.tile(self.y_true, 50), RNG.normal(size=5000)
        whole = average_precision_score(y_true, y_score, definition=replace(at_share, k=350))
        assert average_precision_score(y_true, y_score, definition=at_share) == whole
        assert at_share(threshold_counts(y_true, y_score))[0] == whole

    def test_share_of_rows_is_taken_per_query_and_column(self):
        queries, options = np.repeat([0, 1], [93, 7]), {"k": 0.3, "average": None}
        found = precision_at_k_score(self.y_true, self.y_score, queries=queries, **options)
        assert found[1] == precision_at_k_score(self.y_true[93:], self.y_score[93:], k=3)
        unknown = np.where(queries[:, None] == [1, 0], np.nan, self.y_true[:, None])
        scores = np.column_stack((self.y_score, self.y_score))
        assert [*precision_at_k_score(unknown, scores, **options)] == [*found]

    def test_unscored_positives_do_not_enter_a_share_of_rows(self):
        """50 positives are no rows, so a share is of the others, in new samples, too."""
        options = {"n_positives": self.y_true.sum() + 50, "definition": PrecisionAtK(0.5)}
        of_counts, of_rows = (
            average_precision_interval(self.y_true, self.y_score, sample_weight=weight, **options)
            for weight in (None, np.ones(100))
        )
        assert of_counts.estimate == precision_at_k_score(self.y_true, self.y_score, k=50)
        assert of_counts.standard_error == pytest.approx(of_rows.standard_error, rel=0.2)
        assert of_counts.n_effective == pytest.approx(of_rows.n_effective)

    def test_huge_weights_without_positives_raise_no_warning(self):
        rows = {"sample_weight": np.full(100, 1e100), "k": 0.07}
        assert precision_at_k_score(self.y_true * 0, self.y_score, **rows) == 0


def test_k_beyond_the_last_item_divides_by_k():
    y_true, y_score = [1, 0, 1], [3, 2, 1]
    assert precision_at_k_score(y_true, y_score, k=10) == 0.2
    assert average_precision_at_k_score(y_true, y_score, k=10, normalizer="k") == (1 + 2 / 3) / 10
    assert recall_at_k_score(y_true, y_score, k=10) == 1


@pytest.mark.parametrize("n_within", range(5))
def test_rank_k_cuts_a_tied_block_into_the_share_that_stands_above_it(n_within):
    """A positive, then four tied rows of which one is positive, then a positive."""
    y_true, y_score, k = [1, 1, 0, 0, 0, 1], [3, 2, 2, 2, 2, 1], 1 + n_within
    hits = 1 + n_within / 4
    total = 1 + n_within / 4 * hits / k  # the hits of the block have the precision of the cut
    divisors = {"attainable": min(k, 3), "positives": 3, "hits": hits, "k": k}
    assert precision_at_k_score(y_true, y_score, k=k) == hits / k
    assert recall_at_k_score(y_true, y_score, k=k) == pytest.approx(hits / 3)
    for normalizer, divisor in divisors.items():
        found = average_precision_at_k_score(y_true, y_score, k=k, normalizer=normalizer)
        assert found == pytest.approx(total / divisor)
