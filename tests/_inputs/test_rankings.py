"""Rankings: their clusters and totals, and what leaves with items that are left out."""

from dataclasses import replace

import numpy as np
import pytest

from sklearn_ap._inputs.rankings import Sampling, stack_rankings
from sklearn_ap._inputs.request import Request, check_n_positives, check_rankings

NAN, INF = np.nan, np.inf
TABLE_ROWS = Request(
    y_true=np.array([[1, 0], [0, 1], [1, 0]]),
    y_score=np.array([[0.0, 3], [1, 4], [2, 5]]),
    sample_weight=[1, 2, 0.5],
    clusters=[2, 1, 0],
)
COLUMN = replace(TABLE_ROWS, y_true=[1, 0, 1], y_score=[0.0, 1, 2])
QUERIES = replace(COLUMN, queries=[*"baa"], clusters=None)


def rank(request, **options):
    return check_rankings(replace(request, **options), all_items=True)


TABLE, ONE = rank(TABLE_ROWS), rank(COLUMN)
SHUFFLED = replace(ONE, ranking=np.array([1, 0, 0]), n_rankings=3, sampling=Sampling(3))


def values(rankings, *names):
    found = [getattr(rankings, name) for name in names]
    return [each.tolist() if isinstance(each, np.ndarray) else each for each in found]


@pytest.mark.parametrize(
    ("average", "of_rows", "of_queries", "own", "with_gaps"),
    [
        ("macro", [2, 1, 0], None, None, [0, 2, 1, 2]),
        (None, [2, 1, 0], None, None, None),
        ("micro", [2, 2, 1, 1, 0, 0], None, [0, 0, 1, 1, 2, 2], [0, 1, 2, 2]),
        ("samples", None, [2, 1, 0], None, None),
    ],
)
def test_cells_of_a_row_belong_together(average, of_rows, of_queries, own, with_gaps):
    """By clusters that the user gives, by their row, and where the columns differ in their rows."""
    made = rank(TABLE_ROWS, average=average)
    found = values(made.sampling, "row_clusters", "clusters")
    assert found == [of_rows, of_queries or of_rows]
    assert (made.sampling.n_rows, made.sampling.takes_rankings) == (3, average == "samples")
    apart = rank(TABLE_ROWS, average=average, clusters=None)
    assert values(apart.sampling, "row_clusters") == [own]
    gaps = np.array([[1, NAN], [NAN, 1], [1, 0]])
    apart = rank(TABLE_ROWS, average=average, clusters=None, y_true=gaps)
    assert values(apart.sampling, "row_clusters") == [with_gaps]


@pytest.mark.parametrize(
    ("request_", "options", "units"),
    [
        (TABLE_ROWS, {}, [2, 1, 0, 2, 1, 0]),  # columns share the clusters of their rows
        (TABLE_ROWS, {"clusters": None}, [0, 1, 2, 0, 1, 2]),
        (TABLE_ROWS, {"clusters": None, "y_true": [[1, NAN], [NAN, 1], [1, 0]]}, [0, 2, 1, 2]),
        (TABLE_ROWS, {"average": "samples"}, [2, 2, 1, 1, 0, 0]),
        (COLUMN, {"clusters": None}, [0, 1, 2]),
        (QUERIES, {}, [0, 1, 2]),
        (QUERIES, {"clusters": [0, 1, 1]}, [0, 1, 1]),
    ],
)
def test_an_item_is_sampled_with_its_row_or_its_cluster(request_, options, units):
    assert rank(request_, **options).unit_of_items.tolist() == units


@pytest.mark.parametrize(
    ("average", "clusters", "takes_queries", "query_clusters"),
    [
        ("macro", None, True, None),
        (None, None, False, None),  # each has an interval of its own
        ("macro", [0, 1, 0], False, None),  # query a lies in two clusters
        ("macro", [0, 0, 0], False, None),
        ("macro", [0, 1, 1], True, [1, 0]),
    ],
)
def test_queries_or_their_clusters_are_sampled(average, clusters, takes_queries, query_clusters):
    made = rank(QUERIES, average=average, clusters=clusters)
    found = values(made.sampling, "takes_rankings", "clusters")
    assert found == [takes_queries, query_clusters or clusters]
    assert made.ranking.tolist() == [1, 0, 0]
    assert rank(QUERIES, average=average, queries=np.zeros(3)).gives_array
    if query_clusters:
        with pytest.raises(ValueError, match="Each query, or segment, lies in one cluster"):
            rank(QUERIES, average=None, clusters=clusters)


def test_totals_are_those_of_each_ranking():
    """Of columns, and of rankings in shuffled rows, of which the last is empty."""
    names = "sizes", "n_hits", "weight_of_hits", "weight_of_positives", "weight_of_negatives"
    assert values(TABLE, *names) == [[3, 3], [2, 1], [1.5, 2], [1.5, 2], [2, 1.5]]
    totals = [[2, 1, 0], [1, 1, 0], [0.5, 1, 0], [0.5, 1, 0], [2, 0, 0]]
    assert values(SHUFFLED, *names) == totals
    assert values(replace(SHUFFLED, weight=None), *names[2:]) == [[1, 1, 0], [1, 1, 0], [1, 0, 0]]
    known = replace(SHUFFLED, n_positives=np.array([3, 4, 5]), n_negatives=np.array([6, 7, 8]))
    assert values(known, *names[3:]) == [[3, 4, 5], [6, 7, 8]]


@pytest.mark.parametrize(
    ("made", "kept", "ranking", "clusters"),
    [
        (TABLE, [1, 0, 1, 1, 0, 1], None, [2, 0]),  # the same rows of each column
        (TABLE, [1, 0, 1, 1, 1, 1], [0, 0, 1, 1, 1], [2, 0, 2, 1, 0]),
        (ONE, [1, 0, 1], None, [2, 0]),
        (SHUFFLED, [1, 0, 1], [1, 0], None),
    ],
)
def test_items_leave_with_their_ranking_and_cluster(made, kept, ranking, clusters):
    kept = np.array(kept, bool)
    rest = made.select_items(kept)
    assert values(rest, "ranking") == [ranking]
    assert values(rest.sampling, "row_clusters") == [clusters]
    np.testing.assert_array_equal(rest.weight, made.weight[kept])


@pytest.mark.parametrize("kind", [float, np.float32])
def test_items_that_were_not_retrieved_still_count_in_their_class(kind):
    made = rank(QUERIES)
    assert made.select_retrieved() is made
    rest = replace(made, score=np.array([-INF, -INF, 2], kind)).select_retrieved()
    expected = [[2], [0], [0.5, 1], [2, 0]]
    assert values(rest, "score", "ranking", "n_positives", "n_negatives") == expected


@pytest.mark.parametrize(
    ("known", "scored", "expected"),
    [
        (9, [2], np.array([9])),
        ([3.0, 4], [2, 0], np.array([3, 4])),
        (2.5, [2], np.array([2.5])),
        (np.float16(2.5), [2], np.array([2.5])),
        (2**53, [2], np.array([2.0**53])),  # a float may have lost its fraction
        (3, [0.2], np.array([3.0])),  # beside weights, numbers are floats
        (0.2 * (1 - 1e-10), [0.2], np.array([0.2])),  # the sum, less rounding
    ],
)
def test_known_positives_are_whole_if_given_whole(known, scored, expected):
    found = check_n_positives(known, np.array(scored), gives_array=len(scored) > 1)
    np.testing.assert_array_equal(found, expected, strict=True)


def test_what_each_ranking_has_is_that_of_each_model():
    rest = replace(SHUFFLED, n_unscored=np.array([7, 8, 9]))
    rest = replace(rest, n_positives=np.array([3, 4, 5]), n_negatives=np.array([6, 7, 8]))
    both = stack_rankings([rest, replace(rest, score=-rest.score)])
    for name in ("n_positives", "n_negatives", "n_unscored"):
        assert getattr(both, name).tolist() == [*getattr(rest, name)] * 2
    assert both.score.tolist() == [*rest.score, *-rest.score]
    assert (both.ranking.tolist(), both.n_rankings) == ([1, 0, 0, 4, 3, 3], 6)
