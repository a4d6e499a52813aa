"""Recipes of the pages on queries, models, segments and folds, beside loops and scikit-learn."""

import functools
import io
import itertools
import re
from fractions import Fraction

import numpy as np
import pytest
import sklearn.metrics
from pages import DOCS, blocks, numbers_in, run_page, run_under
from pooled_runs import pooled_runs, precision_at_k
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    cross_val_score,
)

from sklearn_ap import (
    FoldPredictions,
    average_precision_at_k_score,
    average_precision_interval,
    average_precision_score,
    chance_test,
    compare_average_precision,
    compare_segments,
    interpolated_average_precision_score,
    pilot_interval,
    retrieval,
    sample_size_for_interval,
)
from sklearn_ap.definitions import AtK, Expected, PrecisionAtK

TRUE_AP = sklearn.metrics.average_precision_score
# Several tests read the same page, or draw the same samples.
names_on = functools.cache(run_page)
drawn_runs = functools.cache(pooled_runs)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


def at_k(hits, k, n_positives):
    """The sum of precision at the hits of the first k, over as many hits as can be."""
    precisions = [sum(hits[: i + 1]) / (i + 1) for i in range(min(k, len(hits))) if hits[i]]
    return sum(precisions) / min(k, n_positives)


def ranked(y_true, y_score):
    """Labels, the best first, without those that were not retrieved."""
    order = np.argsort(-y_score)
    return y_true[order][np.isfinite(y_score[order])]


# Queries


def test_page_shows_the_tables_of_map_and_mrr_that_its_code_makes():
    known = run_under("queries.md", "Which of two systems is better?")
    table = known["found"].to_table()
    assert f"\n{table}\n" in (DOCS / "queries.md").read_text()


def test_map_at_10_equals_a_loop_over_queries():
    known = run_under("queries.md", "Which of two systems is better?")
    relevant, query = known["relevant"], known["query"]
    truths = []
    for score in known["systems"].values():
        of_queries = []
        for name in range(200):
            label = relevant[query == name]
            hits = ranked(label, score[query == name])
            of_queries.append(at_k(hits, 10, label.sum()) if label.any() else 0)
        truths.append(np.array(of_queries))
    found = compare_average_precision(relevant, known["systems"], queries=query, definition=AtK(10))
    np.testing.assert_allclose(found.estimate, [of.mean() for of in truths], atol=1e-12)
    gain = truths[1] - truths[0]
    assert found.difference[-1] == pytest.approx(gain.mean(), abs=1e-12)
    half = 1.972 * gain.std(ddof=1) / np.sqrt(200)  # the paired t test over queries
    limits = numbers_in("queries.md", r"\+0\.11 \(\+([\d.]+) to \+([\d.]+)\) <0\.0001 dense")
    np.testing.assert_allclose(limits, [gain.mean() - half, gain.mean() + half], atol=0.006)
    np.testing.assert_allclose(found.difference_low[-1], gain.mean() - half, atol=0.001)


def test_columns_score_only_rows_with_known_labels():
    known = run_under(
        "queries.md",
        "",
        "Which of two systems is better?",
        "Columns, and labels that nobody measured",
    )
    active, predicted = np.array(known["active"]), known["predicted"]
    has = ~np.isnan(active)
    truth = [TRUE_AP(active[has[:, j], j], predicted[has[:, j], j]) for j in range(3)]
    marked, weight = np.where(has, active, -1), has.astype(float)
    for y in (
        active,
        np.where(marked == -1, np.nan, marked),
        np.where(weight > 0, marked, np.nan),
    ):
        np.testing.assert_allclose(average_precision_score(y, predicted, average=None), truth)


def test_n_positives_stands_for_missing_relevant_documents():
    y_true, y_score = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6]
    ours = average_precision_score(
        y_true, y_score, queries=["a", "a", "b", "b"], n_positives=[2, 1], average=None
    )
    assert ours.tolist() == [0.5, 1.0]


@pytest.mark.parametrize(("normalizer", "n"), [("attainable", 2), ("positives", 3), ("k", 2)])
def test_map_at_k_divisors_match_the_page(normalizer, n):
    options = {"k": 2, "normalizer": normalizer}
    ours = average_precision_at_k_score([1, 1, 1], [0.9, 0.8, -np.inf], **options)
    assert ours == pytest.approx(float(Fraction(2, n)))


def test_judged_at_is_the_graded_share_of_the_first_k():
    known = run_under("queries.md", "Dicts, for RAG", "Passages that nobody judged")
    of_runs = {}
    for name in ("bm25", "dense"):
        firsts = {
            query: sorted(found, key=found.get, reverse=True)[:2] if name == "bm25" else found[:2]
            for query, found in known[name].items()
        }
        shares = [np.mean([p in known["qrels"][q] for p in first]) for q, first in firsts.items()]
        of_runs[name] = np.mean(shares)
    assert known["runs"].judged_at(2) == pytest.approx(of_runs)


def filled(people, judge):
    """The grades of people, and those of the judge where they gave none."""
    return {query: judge[query] | by_people for query, by_people in people.items()}


@pytest.mark.filterwarnings("ignore:judged@10")
def test_human_grades_filled_by_a_judge_correct_unequal_pooling():
    """The truth is that of all passages, in loops; so is what the table of the page says."""
    ways = {"A": [], "B": []}, {"A": [], "B": []}
    for seed in range(10):
        data = drawn_runs(seed, n_returned=20)
        runs = retrieval.from_dicts(data.people, data.runs).fill(data.judge(seed=seed))
        asked = {"queries": runs.queries, "definition": PrecisionAtK(10)}
        found = compare_average_precision(runs.y_true, runs.y_scores, **asked)
        truth = {name: precision_at_k(data.truth, run) for name, run in data.runs.items()}
        for name, estimate in zip(found.names, found.estimate, strict=True):
            assert estimate == pytest.approx(truth[name], abs=0.012)
            ways[0][name].append(estimate)
            ways[1][name].append(truth[name])
        assert found.difference_low[-1] < truth["B"] - truth["A"] < found.difference_high[-1]
        assert found.pvalue[-1] < 0.05
        assert found.difference[-1] > 0
    for name in "AB":
        assert np.mean(ways[0][name]) == pytest.approx(np.mean(ways[1][name]), abs=0.003)


@pytest.mark.filterwarnings("ignore:judged@10")
@pytest.mark.parametrize(
    ("depth", "difference", "n_worse"), [(8, 0.14, range(4)), (7, 0.22, range(8, 11))]
)
def test_unlike_proportions_of_judged_passages_turn_the_order_as_often_as_the_page_says(
    depth, difference, n_worse
):
    """In a tenth of its samples: people judged the first 10 passages of A, and fewer of B."""
    differences = []
    is_worse = []
    for seed in range(10):
        data = pooled_runs(seed, {"A": 10, "B": depth})
        shares = retrieval.from_dicts(data.people, data.runs).judged_at(10)
        differences.append(shares["A"] - shares["B"])
        precision = {name: precision_at_k(data.people, run) for name, run in data.runs.items()}
        is_worse.append(precision["B"] < precision["A"])
    assert np.mean(differences) == pytest.approx(difference, abs=0.01)
    assert sum(is_worse) in n_worse


@pytest.mark.parametrize(
    ("row", "n_returned", "left_out"),
    [
        ("all passages judged by people (the truth)", 20, False),
        ("unjudged passages count as not relevant", 20, False),
        ("unjudged passages left out, of 20 that each system returns", 20, True),
        ("unjudged passages left out, of 50 that each system returns", 50, True),
        ("the judge alone", 20, False),
        ("people, and the judge where they gave no grade", 20, False),
    ],
)
def test_table_of_unjudged_passages_matches_plain_loops(row, n_returned, left_out):
    """Of a tenth of its samples. The package leaves passages out as the loops do."""
    text = (DOCS / "queries.md").read_text()
    cells = re.search(rf"^\| {re.escape(row)} \| (.*) \|$", text, re.MULTILINE)[1].split(" | ")
    found = []
    for seed in range(10):
        data = drawn_runs(seed, n_returned=n_returned)
        judge = data.judge(seed=seed)
        labels = {
            "all passages": data.truth,
            "the judge": judge,
            "people, and": filled(data.people, judge),
        }
        labels = next((each for key, each in labels.items() if row.startswith(key)), data.people)
        of_seed = [precision_at_k(labels, run, left_out=left_out) for run in data.runs.values()]
        found.append(of_seed)
        if left_out and seed == 0:
            runs = retrieval.from_dicts(data.people, data.runs, unjudged="left out")
            asked = {"queries": runs.queries, "definition": PrecisionAtK(10)}
            ours = compare_average_precision(runs.y_true, runs.y_scores, **asked)
            np.testing.assert_allclose(ours.estimate, of_seed, rtol=1e-12)
    a, b = np.mean(found, axis=0)
    assert [a, b, b - a] == pytest.approx([float(cell) for cell in cells], abs=0.012)


# Ties


def test_ties_are_averaged_even_across_rank_k():
    y_true, y_score = [1, 0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5, 0.1]
    orders = [(*order, 1) for order in itertools.permutations(y_true[:4])]
    truth = np.mean([TRUE_AP(order, [5, 4, 3, 2, 1]) for order in orders])
    found = average_precision_score(y_true, y_score, definition=Expected())
    assert found == pytest.approx(truth, abs=1e-12)
    hits = Fraction(3 * 2, 4)  # of 2 positives among 4 tied items, 3 are within the top 3
    assert average_precision_at_k_score(y_true, y_score, k=3) == float(hits * (hits / 3) / 3)


# Detections


def voc(is_object, score):
    """The area under the envelope of precision, in a loop; the missed count as positives."""
    hits = ranked(is_object, score)
    precision = np.cumsum(hits) / np.arange(1, hits.size + 1)
    return sum(precision[i:].max() for i in np.flatnonzero(hits)) / is_object.sum()


def test_map_of_detections_equals_a_loop_over_classes():
    headings = ("From pycocotools", "From your own matching", "Compute mAP and AP per class")
    known = run_under("detections.md", *headings)
    category, is_object, score = (known[name] for name in ("category", "is_object", "score"))
    names = np.unique(category)
    truth = [voc(is_object[category == name], score[category == name]) for name in names]
    ours = interpolated_average_precision_score(is_object, score, **known["of_classes"])
    np.testing.assert_allclose(ours, truth, atol=1e-12)
    counts = [int(is_object[category == name].sum()) for name in names]
    assert counts == numbers_in("detections.md", r"n_positives=\[(\d+), (\d+), (\d+), (\d+)\]")
    found = np.append(np.isfinite(score[:-80]), np.zeros(80, bool))
    found[np.flatnonzero(category == "bird")[0]] = True  # a class still needs a row
    ours = interpolated_average_precision_score(
        is_object[found] & np.isfinite(score[found]),
        score[found],
        queries=category[found],
        n_positives=counts,
    )
    assert ours == pytest.approx(np.mean(truth), abs=1e-12)


# Comparisons, and the best of many


def test_model_scores_match_scikit_learn_and_differences_a_bootstrap():
    known = names_on("comparison.md")
    y_true, models = known["y_true"], known["models"]
    found = compare_average_precision(y_true, models)
    truth = [TRUE_AP(y_true, score) for score in models.values()]
    np.testing.assert_allclose(found.estimate, truth, atol=1e-12)
    rng, gains = np.random.default_rng(0), []
    for _ in range(150):
        rows = rng.integers(0, 1500, 1500)
        a, b = (TRUE_AP(y_true[rows], score[rows]) for score in models.values())
        gains.append(b - a)
    low, high = numbers_in("comparison.md", r"\+0\.028 \(\+([\d.]+) to \+([\d.]+)\) +0\.0182")
    assert (high - low) / 3.92 == pytest.approx(np.std(gains), rel=0.2)
    of_top = [at_k(ranked(y_true, s), 100, y_true.sum()) for s in models.values()]
    np.testing.assert_allclose(known["found"].estimate, of_top, atol=1e-12)


def test_best_of_many_recipe_agrees_with_scikit_learn():
    best = names_on("best_of_many.md")["best"]
    known = names_on("best_of_many.md")
    truth = {name: TRUE_AP(known["labels"], score) for name, score in known["y_scores"].items()}
    assert best.to_frame()["estimate"].to_dict() == pytest.approx(truth, abs=1e-12)
    assert best.reference == max(truth, key=truth.get)
    assert best.to_frame().loc["model 9", "verdict"] == "undecided"


def test_paper_table_values_agree_with_scikit_learn():
    known = names_on("reporting.md")
    assert known["found"].to_table() in (DOCS / "reporting.md").read_text()
    truth = [TRUE_AP(known["y_true"], score) for score in known["systems"].values()]
    np.testing.assert_allclose(known["found"].estimate, truth, atol=1e-12)


# Segments


def test_segments_at_common_prevalence_equal_class_weighting():
    (code, *_) = blocks("segments.md")
    known = {}
    exec("\n".join(line[4:] for line in code.splitlines() if line[:4] in (">>> ", "... ")), known)
    y_true, y_score, country = (known[name] for name in ("y_true", "y_score", "country"))
    p = y_true.mean()
    found = compare_segments(y_true, y_score, country)
    alone = compare_segments(y_true, y_score, country, prevalence="own")
    rows = [country == name for name in ("DE", "FR", "IT")]
    positives = np.array([y_true[of].sum() for of in rows])
    negatives = np.array([(1 - y_true[of]).sum() for of in rows])
    weight_at_p = np.minimum(positives, negatives * p / (1 - p))  # few negatives are worth fewer

    def against_others(truth, weight):
        means = [np.average(np.delete(truth, i), weights=np.delete(weight, i)) for i in range(3)]
        return truth - means

    at_p = []
    for of in rows:
        share = y_true[of].mean()
        weight = np.where(y_true[of], p / share, (1 - p) / (1 - share))
        at_p.append(TRUE_AP(y_true[of], y_score[of], sample_weight=weight))
    np.testing.assert_allclose(found.estimate, at_p, atol=1e-12)
    np.testing.assert_allclose(
        found.difference, against_others(np.array(at_p), weight_at_p), atol=1e-12
    )
    own = np.array([TRUE_AP(y_true[of], y_score[of]) for of in rows])
    np.testing.assert_allclose(alone.difference, against_others(own, positives), atol=1e-12)


# Folds


def test_pooled_folds_equal_scikit_learn_out_of_fold_predictions():
    known = names_on("cross_validation.md")
    X, y, keep = known["X"], known["y"], known["keep"]
    for results, scores_of in (
        (known["cv"], lambda model, rows: model.predict_proba(rows)[:, 1]),
        (known["cv_of_search"], lambda model, rows: model.decision_function(rows)),
    ):
        scores = np.empty(y.size)
        for model, (_, test) in zip(results["estimator"], keep["cv"].split(X, y), strict=True):
            scores[test] = scores_of(model, X[test])
        found = average_precision_interval(y, FoldPredictions(results, X))
        assert found.estimate == pytest.approx(TRUE_AP(y, scores), abs=1e-12)


# Chance, and sizes of samples


def test_chance_equals_the_mean_over_permuted_labels():
    (code, *_) = blocks("chance.md")
    known = {}
    exec("\n".join(line[4:] for line in code.splitlines() if line.startswith(">>> ")), known)
    y_true, y_score, rng = known["y_true"], known["y_score"], np.random.default_rng(0)
    order, score = np.argsort(-y_score), TRUE_AP(y_true, y_score)
    orders = rng.permuted(np.tile(y_true[order], (20_000, 1)), axis=1)
    precision = orders.cumsum(axis=1) / np.arange(1, 61)
    by_chance = (orders * precision).sum(axis=1) / 6
    found = chance_test(y_true, y_score, n_permutations=20_000)
    assert found.score == pytest.approx(score, abs=1e-12)
    assert found.chance == pytest.approx(by_chance.mean(), abs=0.003)
    assert found.pvalue == pytest.approx((by_chance >= score - 1e-12).mean(), abs=0.007)
    assert found.corrected == pytest.approx((score - found.chance) / (1 - found.chance), abs=1e-12)


def binormal(n_positives, prevalence, shift, rng):
    n = round(n_positives / prevalence)
    label = np.arange(n) < n_positives
    return label, rng.normal(size=n) + shift * label


def test_planned_positives_give_the_half_width_asked_for():
    pilot = pilot_interval(average_precision=0.4, prevalence=0.02)
    n = sample_size_for_interval(pilot, half_width=0.05)
    rng = np.random.default_rng(0)
    samples = (binormal(n, 0.02, 2.08, rng) for _ in range(20))
    found = [average_precision_interval(*each) for each in samples]
    widths = [(each.high - each.low) / 2 for each in found]
    assert np.mean(widths) == pytest.approx(0.05, rel=0.05), f"with {n} positives"


# Scorers, training, large data


def test_search_by_query_equals_a_loop_over_queries():
    known = run_under("scorers.md", "", "Several scores at once", "Search by query")
    X, y, query, search = (known[name] for name in ("X", "y", "query", "search"))
    means = []
    for alpha in (1, 100):
        folds = []
        for train, test in GroupKFold(5).split(X, y, query):
            scores = RidgeClassifier(alpha=alpha).fit(X[train], y[train]).decision_function(X[test])
            of = (query[test] == name for name in np.unique(query[test]))
            folds.append(np.mean([TRUE_AP(y[test][i], scores[i]) for i in of if y[test][i].any()]))
        means.append(np.mean(folds))
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], means, atol=1e-12)
    own = GridSearchCV(
        known["model"], {"logisticregression__C": [0.01, 1, 100]}, scoring="average_precision"
    ).fit(X, y)
    assert own.best_params_ == {"logisticregression__C": 1}
    folds = cross_val_score(known["model"], X, y, scoring="average_precision")
    np.testing.assert_allclose(known["result"]["test_average_precision"], folds, atol=1e-12)


def test_batch_means_and_overall_score_agree_with_scikit_learn():
    known = run_under("training.md", "", "Training loops")
    y_true, y_score, batch = known["y_true"], known["y_score"], known["batch"]
    edges = np.flatnonzero(np.diff(batch)) + 1
    parts = zip(np.split(y_true, edges), np.split(y_score, edges), strict=True)
    means = np.mean([TRUE_AP(labels, scores) for labels, scores in parts if labels.any()])
    assert np.nanmean(known["of_batches"]) == pytest.approx(means, abs=1e-12)
    assert average_precision_score(y_true, y_score) == pytest.approx(TRUE_AP(y_true, y_score))


# The command line


def test_example_file_score_agrees_with_scikit_learn():
    (text, *_) = blocks("command_line.md", under="Input files", language="text")
    rows = np.genfromtxt(io.StringIO(text), delimiter=",", skip_header=1, usecols=(1, 2))
    (said,) = numbers_in("command_line.md", r"([\d.]+) \(0\.08 to 1\.00\) +step AP")
    assert round(TRUE_AP(rows[:, 0], rows[:, 1]), 2) == said
