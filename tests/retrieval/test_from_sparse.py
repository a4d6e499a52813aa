"""Sparse matrices of users and items become arrays for every score."""

import numpy as np
import pytest
from scipy import sparse

from sklearn_ap import average_precision_score, retrieval
from sklearn_ap.definitions import AtK, Step


@pytest.mark.parametrize(
    "made", [sparse.csr_array, sparse.coo_array, sparse.csc_matrix, sparse.lil_array]
)
@pytest.mark.parametrize("definition", [Step(), AtK(5)])
def test_items_not_stored_count_as_unretrieved(made, definition):
    rng = np.random.default_rng(0)
    y_true, is_stored = rng.random((40, 30)) < 0.2, rng.random((40, 30)) < 0.4
    y_true[:, 7] = True  # each user has a relevant item
    score = rng.integers(0, 6, y_true.shape) + 2.0 * y_true  # ties, and zeros that are stored
    stored = sparse.coo_array((score[is_stored], is_stored.nonzero()), shape=score.shape)
    judged = retrieval.from_sparse(made(sparse.coo_array(y_true.astype(int))), {"als": stored})
    dense = np.where(is_stored, score, -np.inf)
    found = average_precision_score(**judged["als"], definition=definition, average=None)
    rows = zip(y_true, dense, strict=True)
    expected = [average_precision_score(*row, definition=definition) for row in rows]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert judged.query_names == (*range(40),)
    assert y_true[judged.queries, judged.documents].tolist() == judged.y_true.tolist()


def test_a_user_without_relevant_items_counts_0_or_is_left_out():
    y_true = sparse.csr_array([[1, 0], [0, 0], [0, 0]])
    few = sparse.csr_array([[2.0, 1.0], [2.0, 1.0], [0, 0]])
    systems = {"few": few, "none": sparse.csr_array((3, 2)), "stored": -np.inf * y_true}
    judged = retrieval.from_sparse(y_true, systems)
    assert average_precision_score(**judged["few"], zero_division=0.0) == 1 / 3
    assert average_precision_score(**judged["few"], zero_division=np.nan) == 1
    for name in ("none", "stored"):
        assert average_precision_score(**judged[name], zero_division=0.0) == 0
    assert judged.judged_at(2)["few"] == 1 / 4  # of what was recommended


def test_grades_and_stored_zeros_count_and_input_stays_unchanged():
    stars = sparse.coo_array(([5, 3, 0], ([0, 0, 0], [0, 1, 2])), shape=(1, 4))
    score = sparse.csr_array(([1.0, 0.5, 2.0], [1, 0, 1], [0, 3]), shape=(1, 4))  # 1 + 2 at item 1
    before = score.data.copy()
    judged = retrieval.from_sparse(stars, {"x": score}, relevance_level=4)
    assert average_precision_score(**judged["x"]) == 1 / 2
    assert judged["x"]["y_score"].tolist() == [0.5, 3.0, -np.inf]
    assert judged.judged_at(2) == {"x": 1}
    assert judged.is_judged.all()
    assert score.data.tolist() == before.tolist()


def test_sums_of_small_integers_do_not_overflow():
    # In uint8, 200 + 100 is 44.
    twice = sparse.coo_array((np.array([200, 100], np.uint8), ([0, 0], [1, 1])), shape=(1, 2))
    score = sparse.csr_array([[0.9, 0.8]])
    judged = retrieval.from_sparse(twice, {"x": score}, relevance_level=300)
    assert average_precision_score(**judged["x"]) == 1 / 2


GOOD = sparse.csr_array([[1, 0]])


@pytest.mark.parametrize(
    ("y_true", "y_scores", "message"),
    [
        (GOOD, GOOD, "y_scores must map the name of each system .*got csr_array"),
        (GOOD.toarray(), {"x": GOOD}, "y_true must be a sparse matrix .* average='samples'"),
        ([[1], [1, 2]], {"x": GOOD}, "y_true must be a sparse matrix .*got list"),
        (GOOD, {"x": GOOD.toarray()}, "x must be a sparse matrix"),
        (sparse.csr_array((0, 3)), {"x": sparse.csr_array((0, 3))}, "y_true: there are no rows"),
        (GOOD, {"x": sparse.csr_array([[1, 0, 1]])}, r"shape \(1, 3\), but y_true has \(1, 2\)"),
        (GOOD, {"x": GOOD * np.nan}, "x: query 0, document 0 has nan"),
    ],
)
def test_invalid_sparse_matrices_are_refused(y_true, y_scores, message):
    with pytest.raises((TypeError, ValueError), match=message):
        retrieval.from_sparse(y_true, y_scores)
