"""Labels of single rows that are said to be a random sample, and are pooled or drawn.

The systems and their true labels are those of ``pooled_runs``, which computes without the package.
"""

import warnings
from itertools import combinations, product

import numpy as np
import pytest
from pooled_runs import labels_of_rows, pooled_runs, precision_at_k

from sklearn_ap import (
    UncertaintyWarning,
    average_precision_interval,
    compare_average_precision,
    retrieval,
    rows_to_label,
)
from sklearn_ap._base.inputs.request import Request
from sklearn_ap._questions.few_labels._top import TopRows
from sklearn_ap._questions.few_labels._unlike import PairCount, RankSum
from sklearn_ap._questions.few_labels.labelled import check_labelled
from sklearn_ap.definitions import AtK, PrecisionAtK

NAN = np.nan
TWO = [PrecisionAtK(10), AtK(10, normalizer="k")]
few = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


@pytest.fixture(scope="module")
def data():
    return pooled_runs()


@pytest.fixture(scope="module")
def useless(data):
    """The rows of both systems with what a judge says who is right in half of them."""
    return retrieval.from_dicts(data.judge(0.5, 0.5), data.runs)


@pytest.fixture(scope="module")
def good(data):
    return retrieval.from_dicts(data.judge(0.9, 0.95), data.runs)


@pytest.fixture(scope="module")
def truths(data):
    return {name: precision_at_k(data.truth, run) for name, run in data.runs.items()}


def human(runs, labels):
    return labels_of_rows(labels, runs.queries, runs.documents)


def asked(function, *arguments, **options):
    """What a function gives, and the names of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UncertaintyWarning)
        found = function(*arguments, **options)
    return found, [each.message.name for each in caught]


# ---- pooled labels


@pytest.mark.parametrize("definition", TWO)
@pytest.mark.parametrize("has_judge", [True, False])
def test_pooled_labels_taken_as_random_raise_a_warning(data, useless, definition, has_judge):
    options = {"queries": useless.queries, "definition": definition}
    options |= {"inclusion_probability": "equal", "judge": useless.y_true if has_judge else None}
    labels = human(useless, data.people)
    message = "unlike labels: Labelled rows stand at other ranks .* 892 rows within the first k"
    with pytest.warns(UncertaintyWarning, match=message):
        average_precision_interval(labels, useless.y_scores["B"], **options)
    with pytest.warns(UncertaintyWarning, match=message.replace("892", "918")):
        compare_average_precision(labels, useless.y_scores, **options)
    options["inclusion_probability"] = 0.1
    names = asked(compare_average_precision, labels, useless.y_scores, **options)[1]
    assert {"unlike labels", "wrong probabilities"} <= {*names}


@few
def test_pooled_labels_with_a_useless_judge_are_far_from_the_truth(data, useless, truths):
    """The case that the warning is for: both numbers are wrong, and look certain."""
    options = {"queries": useless.queries, "definition": TWO[0], "judge": useless.y_true}
    options["inclusion_probability"] = "equal"
    labels = human(useless, data.people)
    found = average_precision_interval(labels, useless.y_scores["B"], **options)
    assert found.low > truths["B"] + 0.05
    compared = compare_average_precision(labels, useless.y_scores, **options)
    assert compared.difference_lows[1] > truths["B"] - truths["A"] + 0.05


@pytest.mark.parametrize("definition", TWO)
def test_pooled_labels_of_all_top_k_rows_raise_no_warning(useless, definition):
    data = pooled_runs(depths={"A": 10})
    options = {"queries": useless.queries, "definition": definition}
    found, names = asked(
        average_precision_interval,
        human(useless, data.people),
        useless.y_scores["A"],
        inclusion_probability="equal",
        **options,
    )
    assert "unlike labels" not in names
    if definition == TWO[0]:
        assert found.estimate == pytest.approx(precision_at_k(data.truth, data.runs["A"]), abs=0.01)


@pytest.mark.parametrize("has_judge", [True, False])
def test_additional_planned_labels_correct_pooled_labels(data, useless, truths, has_judge):
    """The warning says so: other rows by a plan that excludes them, and 1 for each of these."""
    labels = human(useless, data.people)
    options = {"queries": useless.queries, "definition": TWO[0]}
    options["judge"] = useless.y_true if has_judge else None
    estimates = []
    for seed in range(10):
        plan = rows_to_label(
            useless.y_scores,
            150,
            exclude=~np.isnan(labels),
            queries=useless.queries,
            definition=TWO[0],
            rng=seed,
        )
        both, known = labels.copy(), human(useless, data.truth)
        both[plan.rows] = known[plan.rows]
        chance = np.where(np.isnan(labels), plan.inclusion_probability, 1.0)
        found, names = asked(
            compare_average_precision,
            both,
            useless.y_scores,
            inclusion_probability=chance,
            **options,
        )
        assert not names
        estimates.append(found.estimates)
    error = np.std(estimates, axis=0, ddof=1) / np.sqrt(len(estimates))
    off = np.mean(estimates, axis=0) - [truths["A"], truths["B"]]
    assert (np.abs(off) < 4 * error).all()


# ---- random samples


@pytest.mark.parametrize("definition", TWO)
@pytest.mark.parametrize(("way", "n"), [("interval", 400), ("comparison", 1000)])
def test_random_samples_rarely_raise_the_unlike_labels_warning(data, definition, way, n):
    """At most 3 of 200: tests of two models at 0.001 each leave more in 1 of 1,300 trials."""
    runs = retrieval.from_dicts({name: {} for name in data.truth}, data.runs)
    options = {"queries": runs.queries, "definition": definition, "inclusion_probability": "equal"}
    truth, wrong = human(runs, data.truth), 0
    call, scores = average_precision_interval, runs.y_scores["B"]
    if way == "comparison":
        call, scores = compare_average_precision, runs.y_scores
    for seed in range(200):
        drawn = np.random.default_rng(seed).choice(truth.size, n, replace=False)
        labels = np.where(np.isin(np.arange(truth.size), drawn), truth, NAN)
        wrong += "unlike labels" in asked(call, labels, scores, **options)[1]
    assert wrong <= 3


# ---- queries that were labelled in part


def tops(data, n, chosen=10):
    """People judged a few passages of the first 10 of each system, of the first n queries."""
    labels = {query: {} for query in data.truth}
    rng = np.random.default_rng(0)
    for query in [*data.truth][:n]:
        seen = sorted({name for run in data.runs.values() for name in run[query][:10]})
        some = rng.permutation(seen)[:chosen]
        labels[query] = {name: data.truth[query][name] for name in some}
    return labels


@pytest.mark.parametrize(("n", "chosen"), [(60, 20), (200, 3)])
def test_labels_clustered_in_queries_raise_a_warning_for_average_precision(
    data, useless, good, truths, n, chosen
):
    labels = human(useless, tops(data, n, chosen))
    options = {"queries": useless.queries, "inclusion_probability": "equal"}
    precision, names = asked(
        average_precision_interval,
        labels,
        useless.y_scores["B"],
        definition=TWO[0],
        **options,
    )
    assert names == []
    assert precision.low < truths["B"] < precision.high
    message = "unlike labels: .* pairs of labelled rows .* Use PrecisionAtK"
    with pytest.warns(UncertaintyWarning, match=message):
        average_precision_interval(labels, useless.y_scores["B"], definition=TWO[1], **options)
    with pytest.warns(UncertaintyWarning, match=message):
        compare_average_precision(labels, useless.y_scores, definition=TWO[1], **options)
    _, names = asked(  # of a good judge, the products are small
        average_precision_interval,
        labels,
        good.y_scores["B"],
        definition=TWO[1],
        judge=good.y_true,
        **options,
    )
    assert names == []


# ---- the formulas


def labelled_of(known, query, score, k=2):
    request = Request(y_true=np.where(known, 1.0, NAN), y_score=score, queries=query)
    (found,) = check_labelled(AtK(k, normalizer="k"), [request], "equal", None)
    return found, found.single_rows


def test_expected_pairs_and_variance_match_all_samples():
    query, score = np.repeat([0, 1, 2], [2, 4, 3]), np.arange(9.0)
    found = []
    for some in combinations(range(9), 4):
        known = np.isin(np.arange(9), some)
        pairs = sum(query[i] == query[j] for i, j in combinations(some, 2))
        if len({*query[known]}) == 1 and 4 in np.bincount(query[known]):
            found.append(pairs)  # one whole query, of which nothing is unknown
            continue
        of = PairCount.from_labels(*labelled_of(known, query, score, k=4))
        assert of.number == pairs
        found.append(pairs)
    assert of.expected == pytest.approx(np.mean(found))
    assert of.standard_error == pytest.approx(np.std(found), rel=0.15)


def test_rank_deviation_and_variance_match_all_choices_within_queries():
    query, score = np.repeat([0, 1, 2], [3, 4, 2]), np.array([3.0, 2, 1, 4, 3, 2, 2, 9, 8])
    rank = np.array([0, 1, 2, 0, 1, 2, 2, 0, 1])  # tied rows share the best
    mean = np.array([1, 5 / 4, 1 / 2])[query]
    choices = product(*([*combinations(rows, n)] for rows, n in ((range(3), 1), (range(3, 7), 2))))
    sums = []
    for one, two in choices:
        some = [*one, *two, 7, 8]  # of the last query, all rows
        of = RankSum.from_labels(*labelled_of(np.isin(np.arange(9), some), query, score, k=4))
        assert of.deviation == pytest.approx((rank - mean)[some].sum())
        sums.append(of.deviation)
    assert of.variance == pytest.approx(np.var(sums))


def test_rows_below_k_share_a_rank():
    top = TopRows.find(PrecisionAtK(2), np.array([1.0, 5, 4, -np.inf, 2, 3]), np.repeat([0, 1], 3))
    assert top.ranks(6).tolist() == [2, 0, 1, 2, 1, 0]
