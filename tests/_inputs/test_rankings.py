"""Rankings: how rows and cells become items, and what leaves with those that are left out."""

from dataclasses import replace

import numpy as np
import pytest

from sklearn_ap import average_precision_at_k_score, precision_at_k_score
from sklearn_ap._inputs.rankings import (
    Rankings,
    Rows,
    check_average,
    check_n_positives,
    make_rankings,
)

A, B = [0.0, 1, 2], [3.0, 4, 5]  # the scores of two columns, by which items are known
ROWS = Rows(
    positive=np.array([[1, 0], [0, 1], [1, 0]], bool),
    score=np.column_stack([A, B]),
    is_known=None,
    weight=np.array([1, 2, 0.5]),
    queries=None,
    clusters=np.array([2, 1, 0]),
)
QUERIES = np.array([*"baa"])
COLUMN = ROWS._replace(positive=ROWS.positive[:, 0], score=ROWS.score[:, 0])
NAN, INF = np.nan, np.inf


def lists(rankings, *names):
    values = [getattr(rankings, name) for name in names]
    return [value.tolist() if isinstance(value, np.ndarray) else value for value in values]


class TestTables:
    ITEMS = ("score", "positive", "weight", "ranking_of_items", "clusters", "query_clusters")
    ROW_BY_ROW = [0, 3, 1, 4, 2, 5], [1, 0, 0, 1, 1, 0]

    @pytest.mark.parametrize("average", ["macro", "weighted", None])
    def test_each_column_is_a_ranking_of_all_rows(self, average):
        made = make_rankings(average, ROWS)
        columns = [*A, *B], [1, 0, 1, 0, 1, 0], [1, 2, 0.5] * 2, [0, 0, 0, 1, 1, 1], [2, 1, 0], None
        assert lists(made, *self.ITEMS) == [*columns]
        assert (made.average, made.are_queries, made.has_clusters) == (average, False, True)
        assert make_rankings(average, ROWS._replace(clusters=None)).clusters is None

    def test_micro_ranks_all_cells_whose_row_is_their_cluster(self):
        made = make_rankings("micro", ROWS)
        rest = [1, 1, 2, 2, 0.5, 0.5], [0] * 6, [2, 2, 1, 1, 0, 0], None
        assert lists(made, *self.ITEMS) == [*self.ROW_BY_ROW, *rest]
        assert not made.several
        made = make_rankings("micro", ROWS._replace(clusters=None))
        assert made.clusters.tolist() == [0, 0, 1, 1, 2, 2]

    def test_samples_ranks_each_row_whose_weight_is_in_the_average(self):
        made = make_rankings("samples", ROWS)
        rest = None, [0, 0, 1, 1, 2, 2], None, [2, 1, 0]
        assert lists(made, *self.ITEMS) == [*self.ROW_BY_ROW, *rest]
        assert made.average_weight.tolist() == [1, 2, 0.5]
        assert made.weight_in_average(np.ones(3)) is made.average_weight
        assert made.are_queries

    @pytest.mark.parametrize(
        ("average", "scores", "ranking", "clusters"),
        [
            ("macro", [0, 2, 4, 5], [0, 0, 1, 1], [0, 2, 1, 2]),
            (None, [0, 2, 4, 5], [0, 0, 1, 1], None),
            ("micro", [0, 4, 2, 5], [0, 0, 0, 0], [0, 1, 2, 2]),
            ("samples", [0, 4, 2, 5], [0, 1, 2, 2], None),
        ],
    )
    def test_unknown_cells_are_left_out_of_their_ranking(self, average, scores, ranking, clusters):
        is_known = np.array([[1, 0], [0, 1], [1, 1]], bool)
        made = make_rankings(average, ROWS._replace(clusters=None, is_known=is_known))
        assert lists(made, "score", "ranking_of_items", "clusters") == [scores, ranking, clusters]


class TestQueries:
    def test_queries_are_sampled_unless_each_has_an_interval(self):
        for average, clusters, are_queries in (
            ("macro", None, True),
            (None, None, False),
            ("macro", [0, 1, 0], False),  # query a lies in two clusters
            ("macro", [0, 0, 0], False),
        ):
            rows = COLUMN._replace(clusters=None if clusters is None else np.array(clusters))
            made = make_rankings(average, rows._replace(queries=QUERIES))
            assert (made.are_queries, made.n_rankings, made.average) == (are_queries, 2, average)
            assert lists(made, "ranking", "clusters") == [[1, 0, 0], clusters]

    def test_queries_that_each_lie_in_one_cluster_are_sampled_by_clusters(self):
        rows = COLUMN._replace(clusters=np.array([0, 1, 1]))
        made = make_rankings("macro", rows._replace(queries=QUERIES))
        assert lists(made, "are_queries", "query_clusters", "clusters") == [True, [1, 0], None]
        with pytest.raises(ValueError, match="Each query, or segment, lies in one cluster"):
            make_rankings(None, rows._replace(queries=QUERIES))

    def test_a_single_query_is_one_of_several_rankings(self):
        made = make_rankings("macro", COLUMN._replace(clusters=None, queries=np.zeros(3)))
        assert made.several
        assert (made.sizes, made.n_hits) == ([3], [2])


def test_totals_are_those_of_each_ranking():
    """Of columns, and of rankings in shuffled rows, one of which is empty."""
    columns = make_rankings("weighted", ROWS)
    names = "sizes", "n_hits", "weight_of_hits", "weight_of_positives", "weight_of_negatives"
    assert lists(columns, *names) == [[3, 3], [2, 1], [1.5, 2], [1.5, 2], [2, 1.5]]
    shuffled = Rankings(*COLUMN[:2], COLUMN.weight, np.array([2, 0, 2]), 3)
    totals = [1, 0, 2], [0, 0, 2], [0, 0, 1.5], [0, 0, 1.5], [2, 0, 0]
    assert lists(shuffled, *names) == [*totals]
    unweighted = replace(shuffled, weight=None)
    assert lists(unweighted, *names[2:]) == [[0, 0, 2], [0, 0, 2], [1, 0, 0]]
    assert unweighted.weight_of_items.tolist() == [1, 1, 1]
    known = replace(shuffled, n_positives=np.array([3, 4, 5]), n_negatives=np.array([6, 7, 8]))
    assert lists(known, *names[3:]) == [[3, 4, 5], [6, 7, 8]]
    assert columns.weight_in_average(np.array([3, 4])).tolist() == [3, 4]


class TestLeavingItemsOut:
    def test_rows_left_out_of_all_columns_leave_a_table(self):
        made = make_rankings("macro", ROWS)
        rest = made.select_items(np.array([1, 0, 1, 1, 0, 1], bool))
        columns = [0, 2, 3, 5], None, [1, 0.5, 1, 0.5], [2, 0]
        assert lists(rest, "score", "ranking", "weight", "clusters") == [*columns]

    def test_cells_left_out_give_each_item_its_ranking_and_cluster(self):
        made = make_rankings("macro", ROWS)
        rest = made.select_items(np.array([1, 0, 1, 1, 1, 1], bool))
        assert lists(rest, "ranking", "clusters") == [[0, 0, 1, 1, 1], [2, 0, 2, 1, 0]]

    @pytest.mark.parametrize("ranking", [None, np.zeros(3, np.intp)])
    def test_items_of_one_ranking_leave_with_their_clusters(self, ranking):
        made = Rankings(*COLUMN[:2], COLUMN.weight, ranking, clusters=COLUMN.clusters)
        rest = made.select_items(np.array([True, False, True]))
        assert rest.clusters.tolist() == [2, 0]
        assert lists(rest, "ranking") == [None if ranking is None else [0, 0]]

    @pytest.mark.parametrize("kind", [float, np.float32])
    def test_items_that_were_not_retrieved_still_count_in_their_class(self, kind):
        made = make_rankings("macro", COLUMN._replace(clusters=None, queries=QUERIES))
        missed = replace(
            made, score=np.array([-INF, -INF, 2], kind), query_clusters=np.array([1, 0])
        )
        rest = missed.select_retrieved()
        names = "score", "ranking", "n_positives", "n_negatives", "query_clusters"
        assert lists(rest, *names) == [[2], [0], [0.5, 1], [2, 0], [1, 0]]
        for all_retrieved in (made, replace(made, score=np.array([-9, 1, 2]))):
            assert all_retrieved.select_retrieved() is all_retrieved


class TestKnownPositives:
    @pytest.mark.parametrize(
        ("known", "scored", "expected"),
        [
            (9, [2], np.array([9])),
            (2.0, [2], np.array([2])),
            (2.5, [2], np.array([2.5])),
            (2**53, [2], np.array([2.0**53])),  # a float may have lost its fraction
            ([3, 4], [2, 0], np.array([3, 4])),
            (3, [0.2], np.array([3.0])),  # beside weights, numbers are floats
            (0.2 * (1 - 1e-10), [0.2], np.array([0.2])),  # the sum, less rounding
        ],
    )
    def test_numbers_are_whole_if_known_ones_are(self, known, scored, expected):
        found = check_n_positives(known, np.array(scored), several=len(scored) > 1)
        np.testing.assert_array_equal(found, expected, strict=True)

    @pytest.mark.parametrize(
        ("known", "scored", "several", "text"),
        [
            (0.2 * (1 - 1e-8), [0.2], False, "finite and at least"),
            (NAN, [2], False, "It is nan where y_true holds 2"),
            (INF, [2], False, "finite and at least"),
            ([3, 1], [2, 2], True, r"It is 1 where y_true holds 2 \(ranking 1\)"),
            ([3, 3], [2], False, r"one number per ranking, 1 here, got shape \(2,\)"),
            (9, [2, 2], True, "one number per ranking, 2 here, got a single number"),
            (9, [2], True, "got a single number"),  # the only query present
        ],
    )
    def test_error_names_the_ranking_at_fault(self, known, scored, several, text):
        with pytest.raises(ValueError, match=f"^n_positives must .*{text}"):
            check_n_positives(known, np.array(scored), several=several)


@pytest.mark.parametrize(
    ("k", "weight", "queries"), [(3, [0.25] * 4, None), (2, [1, 1, 0.5, 0.5], [1, 1, 2, 2])]
)
@pytest.mark.parametrize("score", [average_precision_at_k_score, precision_at_k_score])
def test_k_beyond_the_total_weight_raises_a_warning(score, k, weight, queries):
    match = f"k={k} exceeds the total of sample_weight"
    with pytest.warns(UserWarning, match=match) as record:
        score([0, 1, 1, 0], [1, 4, 3, 2], k=k, sample_weight=weight, queries=queries)
    assert record[0].filename == __file__


@pytest.mark.parametrize(("k", "weight"), [(5, 0.25), (3, 1.0), (1, 0.25), (4, 1 - 1e-12)])
def test_k_up_to_the_total_weight_or_beyond_all_rows_raises_no_warning(k, weight):
    precision_at_k_score([0, 1, 1, 0], [1, 4, 3, 2], k=k, sample_weight=np.full(4, weight))


@pytest.mark.parametrize(("average", "error"), [("mean", ValueError), (["macro"], TypeError)])
def test_average_must_be_one_of_the_names_or_none(average, error):
    for allowed in ("micro", "macro", "weighted", "samples", None):
        check_average(allowed)
    with pytest.raises(error, match=r"average has to be one of .*'micro'.*None.* got"):
        check_average(average)
