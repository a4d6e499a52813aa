"""Methods by several training runs: the formula, what it becomes, and what is refused."""

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit
from scipy.stats import t
from sklearn.base import BaseEstimator, ClassifierMixin

import sklearn_ap
from sklearn_ap import (
    AveragePrecisionComparison,
    AveragePrecisionInterval,
    FoldPredictions,
    TrainingRuns,
    UncertaintyWarning,
    average_precision_interval,
    average_precision_score,
    best_average_precision,
    compare_average_precision,
    definitions,
)
from sklearn_ap._base.common.tuned_constants import FEWEST_RUNS
from sklearn_ap._uncertainty.warnings import FEW_RUNS

N_ROWS, N_POSITIVES = 400, 60
Y = (np.arange(N_ROWS) < N_POSITIVES).astype(int)


def scores_of(seed, d=1.5, n_runs=5, of_runs=0.2, of_both=0.3):
    """Scores of runs: what rows have in common, how good a run is, and what belongs to both."""
    rng, of_rows = np.random.default_rng([seed, 1]), np.random.default_rng(0).normal(size=N_ROWS)
    return [
        (d + of_runs * rng.normal()) * Y + of_rows + of_both * rng.normal(size=N_ROWS)
        for _ in range(n_runs)
    ]


def influence(y_score):
    """Step average precision of scores without ties, and its derivative by the weight of rows."""
    order = np.argsort(-y_score)
    hit, n = Y[order], np.arange(1, N_ROWS + 1)
    hits = np.cumsum(hit)
    precision, misses = hits / n, n - hits
    score = precision[hit == 1].mean()
    found = np.empty(N_ROWS)
    for place in range(N_ROWS):
        later = hit[place:] == 1
        if hit[place]:
            gained = np.sum(misses[place:][later] / n[place:][later] ** 2)
            found[order[place]] = (precision[place] - score + gained) / N_POSITIVES
        else:
            lost = np.sum(hits[place:][later] / n[place:][later] ** 2)
            found[order[place]] = -lost / N_POSITIVES
    return score, found


def part_of_runs(scores, influences, factor):
    """What runs add to the variance of their mean, and to Satterthwaite's sum."""
    n_runs = len(scores)
    between = np.var(scores, ddof=1)
    centred = influences - influences.mean(axis=0)
    by_rows = factor * np.sum(centred**2) / (n_runs - 1)
    return max(between - by_rows, 0) / n_runs, (between / n_runs) ** 2 / (n_runs - 1)


def expected(runs, others, paired=False):
    """The difference of two methods, the parts of its standard error, and its p-value."""
    (a, of_a), (b, of_b) = (
        map(np.array, zip(*map(influence, r), strict=True)) for r in (runs, others)
    )
    factor = N_POSITIVES / (N_POSITIVES - 1)
    moved = of_b.mean(axis=0) - of_a.mean(axis=0)
    shown, fourth = factor * np.sum(moved**2), factor**2 * np.sum(moved**4)
    degrees = 2 * shown**2 / (fourth - shown**2 / N_ROWS)
    of_rows = shown + 4 / (degrees + 4) / N_POSITIVES**2
    degrees = min(degrees + 4, N_POSITIVES - 1)
    pairs = [(b - a, of_b - of_a)] if paired else [(a, of_a), (b, of_b)]
    parts = [part_of_runs(*pair, factor) for pair in pairs]
    of_runs = sum(part for part, _ in parts)
    total = of_rows + of_runs
    doubt = of_rows**2 / degrees + sum(square for _, square in parts)
    difference = b.mean() - a.mean()
    pvalue = 2 * t.sf(abs(difference) / np.sqrt(total), total**2 / doubt)
    return difference, np.sqrt(shown), np.sqrt(of_runs), pvalue


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_comparison_error_has_a_row_part_and_a_run_part(seed, paired):
    runs, others = scores_of(seed), scores_of(seed + 10, n_runs=5 if paired else 8)
    found = compare_average_precision(
        Y, {"A": TrainingRuns(runs), "B": TrainingRuns(others)}, paired_runs=paired
    )
    names = ("differences", "difference_rows_standard_errors", "difference_runs_standard_errors")
    came = [getattr(found, name)[1] for name in (*names, "pvalues")]
    assert np.allclose(came, expected(runs, others, paired), rtol=1e-6, atol=0)


def test_runs_without_variation_add_no_variance():
    """Their scores differ by what belongs to rows, which the part of rows has already."""
    runs = scores_of(0, of_runs=0.0, of_both=0.0)
    (score,) = {average_precision_score(Y, each) for each in runs}
    found, one = (
        average_precision_interval(Y, TrainingRuns(runs)),
        average_precision_interval(Y, runs[0]),
    )
    assert found.runs_standard_error == 0
    for name in ("estimate", "standard_error", "low", "high", "bias"):
        assert np.isclose(getattr(found, name), getattr(one, name), rtol=1e-12), name
    assert found.estimate == pytest.approx(score)


VARIED = {
    "clusters": {"clusters": np.arange(N_ROWS) % 80},
    "large clusters": {"clusters": np.arange(N_ROWS) % 18},
    "queries": {"queries": np.arange(N_ROWS) % 40},
    "weights": {"sample_weight": np.arange(N_ROWS) % 7 + 1.0},
    "prevalence": {"prevalence": 0.05},
    "interpolated": {"definition": definitions.Interpolated(101)},
    "queries and clusters": {"queries": np.arange(N_ROWS) % 3, "clusters": np.arange(N_ROWS) % 100},
    "unscored": {"n_positives": 70},
}


@pytest.mark.parametrize("options", VARIED.values(), ids=VARIED)
def test_equal_runs_have_the_interval_of_one_run(options):
    score = scores_of(0)[0]
    found = average_precision_interval(Y, TrainingRuns([score] * 5), **options)
    one = average_precision_interval(Y, score, **options)
    for name in ("estimate", "standard_error", "low", "high", "bias", "n_positives", "n_effective"):
        came, known = getattr(found, name), getattr(one, name)
        assert np.isclose(came, known, rtol=1e-9, equal_nan=True), name


@pytest.mark.parametrize("options", VARIED.values(), ids=VARIED)
def test_equal_runs_compare_like_single_models(options):
    scores = {"A": scores_of(0)[0], "B": scores_of(1)[0]}
    methods = {name: TrainingRuns([score] * 5) for name, score in scores.items()}
    for ask in (compare_average_precision, best_average_precision):
        found, one = ask(Y, methods, **options), ask(Y, scores, **options)
        names = ["lows", "highs", "estimates"]
        names += ["pvalues", "difference_lows"] if ask is compare_average_precision else []
        for name in names:
            assert np.allclose(getattr(found, name), getattr(one, name), rtol=1e-7), name


def test_each_column_has_its_own_row_and_run_errors():
    y = np.stack([Y, Y[::-1]], axis=1)
    pairs = zip(scores_of(0), scores_of(1), strict=True)
    runs = [np.stack([one, other[::-1]], axis=1) for one, other in pairs]
    found = average_precision_interval(y, TrainingRuns(runs), average=None)
    for place in (0, 1):
        column = [run[:, place] for run in runs]
        alone = average_precision_interval(y[:, place], TrainingRuns(column))
        for name in ("estimate", "rows_standard_error", "runs_standard_error", "low", "high"):
            assert np.isclose(getattr(found, name)[place], getattr(alone, name)), name
    assert found.run_scores.shape == (5, 2)
    assert [row["n_runs"] for row in found._rows()] == [5, 5]


def test_new_samples_of_rows_are_the_same_for_all_runs():
    """A definition without influence: equal runs vary as one does, but for other random numbers."""
    score, definition = scores_of(0)[0], definitions.AtK(20)
    found = average_precision_interval(Y, TrainingRuns([score] * 5), definition=definition)
    assert found.variance_method == "resampling"
    assert found.runs_standard_error < 1e-8
    one = average_precision_interval(Y, score, definition=definition)
    assert found.standard_error == pytest.approx(one.standard_error, rel=0.1)


def test_squared_row_and_run_errors_add_up_to_the_variance():
    found = average_precision_interval(Y, TrainingRuns(scores_of(0)))
    square = found.rows_standard_error**2 + found.runs_standard_error**2
    assert np.sqrt(square) == pytest.approx(found.standard_error)
    assert found.estimate == pytest.approx(found.run_scores.mean())
    assert found._rows()[0]["n_runs"] == found.n_runs == 5


@pytest.mark.parametrize(("function", "method"), [("score", "logit"), ("difference", "normal")])
def test_conventional_limits_have_the_variance_of_runs(function, method):
    runs = [TrainingRuns(scores_of(seed)) for seed in (0, 1)]
    if function == "score":
        found = average_precision_interval(Y, runs[0], method=method)
        error = found.standard_error / (found.estimate * (1 - found.estimate))
        assert 1.96 < (logit(found.high) - logit(found.estimate)) / error < 2.05
        return
    found = compare_average_precision(Y, {"A": runs[0], "B": runs[1]}, method=method)
    half = found.difference_highs[1] - found.differences[1]
    assert half == pytest.approx(1.959964 * found.difference_standard_errors[1])


def test_heading_names_rows_clusters_and_runs():
    methods = {"A": TrainingRuns(scores_of(0)), "B": TrainingRuns(scores_of(1, n_runs=8))}
    assert "uncertainty over rows and 5 runs" in repr(average_precision_interval(Y, methods["A"]))
    text = repr(compare_average_precision(Y, methods))
    assert "uncertainty over rows and 5 to 8 runs" in text
    assert "std. error of the difference: 0.0" in text
    assert text.splitlines()[4].endswith(" of runs")
    assert "A and B on average over training runs is shown" in text
    clusters = np.arange(N_ROWS) % 50
    text = repr(best_average_precision(Y, methods, clusters=clusters))
    assert "50 clusters and 5 to 8 runs" in " ".join(text.split())


def test_best_method_uses_means_and_errors_over_runs():
    """Of runs that vary, the mean over them says little, and one model of each says too much."""
    methods = {name: scores_of(seed, of_runs=0.4) for seed, name in enumerate("ABC")}
    runs = {name: TrainingRuns(each) for name, each in methods.items()}
    found = best_average_precision(Y, runs)
    means = {
        name: np.mean([average_precision_score(Y, run) for run in methods[name]]) for name in "ABC"
    }
    assert found.name == max(means, key=means.__getitem__)
    assert found.estimate == pytest.approx(means[found.name])
    assert found.n_runs == (5, 5, 5)
    place = found.names.index("A")
    assert np.allclose(
        np.sort(found.run_scores[place]),
        np.sort([average_precision_score(Y, r) for r in methods["A"]]),
    )
    compared = compare_average_precision(Y, runs, reference=found.name, alternative="less")
    p = dict(zip(compared.names, compared.pvalues, strict=True))
    for name in set("ABC") - {found.name}:
        assert (name in found.may_be_best) or p[name] < 0.05


def test_plan_holds_either_runs_or_rows_fixed():
    found = average_precision_interval(Y, TrainingRuns(scores_of(0)))
    half = (found.high - found.low) / 2
    assert found.positives_for(half * 0.9) > N_POSITIVES
    assert found.positives_for(half * 1.01) <= N_POSITIVES + 1
    assert found.runs_for(half * 1.001) <= 5 <= found.runs_for(half * 0.999)
    with pytest.raises(ValueError, match="with as many runs: train more"):
        found.positives_for(found.runs_standard_error)
    with pytest.raises(ValueError, match="out of reach of any number of runs"):
        found.runs_for(found.rows_standard_error)


def test_smaller_difference_needs_more_runs():
    methods = {"A": TrainingRuns(scores_of(0)), "B": TrainingRuns(scores_of(1))}
    found = compare_average_precision(Y, methods)
    needed = found.runs_for(0.12)
    assert needed[0] == 0
    assert needed[1] >= 3
    assert found.runs_for(0.10)[1] > needed[1]
    assert found.positives_for(0.15)[1] > 0
    models = compare_average_precision(Y, {"A": scores_of(0)[0], "B": scores_of(1)[0]})
    with pytest.raises(ValueError, match="needs a result over training runs"):
        models.runs_for(0.1)


def test_columns_of_a_frame_are_runs():
    methods = {"A": scores_of(0, n_runs=5), "B": scores_of(1, n_runs=6)}
    frame = pd.DataFrame(
        {f"{name}_{k}": run for name, runs in methods.items() for k, run in enumerate(runs)}
    )
    runs = {name: [c for c in frame if c.startswith(name)] for name in "AB"}
    of_runs = {name: TrainingRuns(each) for name, each in methods.items()}
    for ask in (compare_average_precision, best_average_precision):
        assert repr(ask(Y, frame, runs=runs)) == repr(ask(Y, of_runs))
    found = average_precision_interval(Y, frame, runs=runs["A"])
    assert repr(found) == repr(average_precision_interval(Y, of_runs["A"]))
    found = average_precision_interval(Y, frame.to_dict("series"), runs=runs["A"])
    assert found.n_runs == 5


X = scores_of(0)[0]
REFUSED = {
    "no run": ([], "There are no runs: pass three or more"),
    "one run": ([X], "One run says nothing of other runs of the method: pass three or more"),
    "two runs": ([X, X], "Two runs say too little of other runs"),
    "a table": (np.stack([X, X, X]), r"list\(scores\) if each row of it is a run"),
    "a frame": (pd.DataFrame({"a": X}), "the frame with runs=names"),
    "numbers": ([0.1, 0.2, 0.3], "run 1 must be an array"),
    "unlike runs": ([X, X, X[1:]], r"run 1 has shape \(400,\), and run 3 has shape \(399,\)"),
    "runs of runs": ([TrainingRuns([X] * 3)] * 3, "no other TrainingRuns"),
    "no scores": ([None] * 3, "got None as run 1"),
    "runs of folds": (
        [FoldPredictions({"y_score": X, "folds": np.arange(400) % 5})] * 3,
        "runs that were cross-validated is not known",
    ),
}


@pytest.mark.parametrize(("scores", "text"), REFUSED.values(), ids=REFUSED)
def test_invalid_training_runs_are_refused(scores, text):
    with pytest.raises((TypeError, ValueError), match=text):
        TrainingRuns(scores)


FRAME = pd.DataFrame({"a": X, "b": X, "c": X})


def test_a_frame_of_runs_as_the_scores_of_a_method_is_told_how_to_pass_them():
    text = "If the columns are training runs of one method, pass TrainingRuns with a list of them"
    with pytest.raises(ValueError, match=f"y_true is binary: .* {text}"):
        compare_average_precision(Y, {"A": FRAME, "B": FRAME})


MISUSED = {
    "a model beside a method": (
        lambda runs: compare_average_precision(Y, {"A": runs, "B": X}),
        "'A' is a method with several runs, and 'B' is a single model",
    ),
    "a model beside a method, best": (
        lambda runs: best_average_precision(Y, {"A": X, "B": runs}),
        "'B' is a method with several runs, and 'A' is a single model",
    ),
    "few labels": (
        lambda runs: average_precision_interval(Y, runs, judge=Y),
        "does not go with inclusion_probability and judge",
    ),
    "few labels of several": (
        lambda runs: compare_average_precision(Y, {"A": runs, "B": runs}, judge=Y),
        "does not go with inclusion_probability and judge",
    ),
    "pairs of unlike numbers": (
        lambda runs: compare_average_precision(
            Y, {"A": runs, "B": TrainingRuns([X] * 3)}, paired_runs=True
        ),
        r"all need as many, got \(5, 3\)",
    ),
    "pairs of models": (
        lambda _: compare_average_precision(Y, {"A": X, "B": X}, paired_runs=True),
        "paired_runs=True needs TrainingRuns",
    ),
    "pairs of what": (
        lambda runs: compare_average_precision(Y, {"A": runs, "B": runs}, paired_runs="yes"),
        "paired_runs must be True or False",
    ),
    "an unknown column": (
        lambda _: average_precision_interval(Y, FRAME, runs=["a", "b", "d"]),
        "names 'd', but y_score has the columns 'a', 'b', 'c'",
    ),
    "a column twice": (
        lambda _: average_precision_interval(Y, FRAME, runs=["a", "b", "b"]),
        "names 'b' twice",
    ),
    "one column": (
        lambda _: average_precision_interval(Y, FRAME, runs="a"),
        "must list the columns of a method",
    ),
    "an array": (
        lambda _: average_precision_interval(Y, X, runs=["a", "b", "c"]),
        "runs= names columns, so y_score must be a DataFrame",
    ),
    "a list for methods": (
        lambda _: compare_average_precision(Y, FRAME, runs=["a", "b", "c"]),
        "must map the name of each method to its columns",
    ),
    "rows of another length": (
        lambda runs: compare_average_precision(Y[1:], {"A": runs, "B": runs}),
        r"y_scores\['A, run 1'\]",
    ),
}


@pytest.mark.parametrize(("call", "text"), MISUSED.values(), ids=MISUSED)
def test_runs_in_a_wrong_place_are_refused(call, text):
    with pytest.raises((TypeError, ValueError), match=text):
        call(TrainingRuns(scores_of(0)))


def test_warning_of_predicted_classes_names_the_run():
    runs = TrainingRuns([*scores_of(0)[:4], Y])
    with pytest.warns(UncertaintyWarning, match="'A, run 5': All scores are 0 or 1"):
        compare_average_precision(Y, {"A": runs, "B": TrainingRuns(scores_of(1))})


ELSEWHERE = {
    "score": lambda runs: average_precision_score(Y, runs),
    "counts": lambda runs: sklearn_ap.threshold_counts(Y, runs),
    "curve": lambda runs: sklearn_ap.AveragePrecisionDisplay.from_predictions(Y, runs),
    "hits": lambda runs: sklearn_ap.hit_curve(Y, runs),
    "chance": lambda runs: sklearn_ap.chance_test(Y, runs),
    "threshold": lambda runs: sklearn_ap.operating_point(Y, runs, recall=0.5),
    "segments": lambda runs: sklearn_ap.compare_segments(Y, runs, segments=Y),
    "report": lambda runs: sklearn_ap.report(Y, {"A": runs, "B": runs}),
    "labels": lambda runs: sklearn_ap.rows_to_label(runs, 10),
    "tools": lambda runs: sklearn_ap.compat.compare(Y, runs),
    "folds": lambda runs: AveragePrecisionInterval.from_cv_results(
        {"y_score": runs, "folds": Y}, None, Y
    ),
}


@pytest.mark.parametrize("call", ELSEWHERE.values(), ids=ELSEWHERE)
def test_other_functions_refuse_runs_and_name_alternatives(call):
    with pytest.raises((TypeError, ValueError), match="best_average_precision take TrainingRuns"):
        call(TrainingRuns(scores_of(0)))


@pytest.mark.parametrize("n_runs", range(FEWEST_RUNS, FEW_RUNS + 1))
def test_few_runs_raise_a_warning(n_runs):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        average_precision_interval(Y, TrainingRuns(scores_of(0, n_runs=n_runs)))
        methods = {"A": TrainingRuns(scores_of(1)), "B": TrainingRuns(scores_of(0, n_runs=n_runs))}
        compare_average_precision(Y, methods)
    texts = [str(each.message) for each in heard]
    is_few = n_runs < FEW_RUNS
    assert [text.startswith("few runs: ") for text in texts] == [True] * 2 * is_few
    assert not is_few or texts[1].startswith("few runs: 'B': ")


def test_runs_and_results_can_be_copied_and_pickled():
    runs = TrainingRuns(dict(enumerate(scores_of(0))))
    for copied in (copy.copy(runs), copy.deepcopy(runs), pickle.loads(pickle.dumps(runs))):
        assert repr(copied) == repr(runs) == "TrainingRuns(5 runs of 400 rows)"
        assert np.array_equal(copied.scores, runs.scores)
    found = compare_average_precision(Y, {"A": runs, "B": TrainingRuns(scores_of(1))})
    assert repr(pickle.loads(pickle.dumps(found))) == repr(found)
    assert isinstance(found, AveragePrecisionComparison)


def test_fitted_estimators_are_runs_of_their_methods():
    class Column(ClassifierMixin, BaseEstimator):
        classes_ = np.array([0, 1])

        def __init__(self, score):
            self.score = score

        def __sklearn_is_fitted__(self):
            return True

        def fit(self, X, y):
            return self

        def decision_function(self, X):
            return self.score

    methods = {"A": scores_of(0), "B": scores_of(1)}
    estimators = {f"{n}{k}": Column(r) for n, runs in methods.items() for k, r in enumerate(runs)}
    runs = {name: [each for each in estimators if each.startswith(name)] for name in methods}
    found = AveragePrecisionComparison.from_estimators(estimators, Y[:, None], Y, runs=runs)
    of_runs = {name: TrainingRuns(each) for name, each in methods.items()}
    assert repr(found) == repr(compare_average_precision(Y, of_runs))


def points_of(axis):
    """How many small points each row of a picture has."""
    sizes = [(each.get_sizes()[0], len(each.get_offsets())) for each in axis.collections[1:]]
    return [number for size, number in sizes if size < 20]


def test_a_picture_has_a_small_point_for_each_run():
    methods = {"A": TrainingRuns(scores_of(0)), "B": TrainingRuns(scores_of(1, n_runs=8))}
    compared = compare_average_precision(Y, methods)
    left, right = compared.plot()
    assert points_of(left) == [5, 8]
    assert points_of(right) == []
    low, high = left.get_xlim()
    assert all(low < each.min() < each.max() < high for each in compared.run_scores)
    assert points_of(average_precision_interval(Y, methods["A"]).plot()) == [5]
    best = best_average_precision(Y, methods)
    assert points_of(best.plot()) == [*best.n_runs]
    one = average_precision_interval(Y, scores_of(0)[0])
    assert points_of(one.plot()) == []


def test_picture_of_columns_shows_the_runs_of_each_column():
    y, score = np.stack([Y, Y[::-1]], axis=1), scores_of(0)
    runs = TrainingRuns([np.stack([each, each[::-1]], axis=1) for each in score])
    assert points_of(average_precision_interval(y, runs, average=None).plot()) == [5, 5]
    compared = compare_average_precision(y, {"A": runs, "B": runs}, average=None)
    assert points_of(compared.plot()[0]) == [5, 5, 5, 5]


def test_to_paper_mentions_sampled_runs():
    text = average_precision_interval(Y, TrainingRuns(scores_of(0))).to_paper()
    assert "n = 400 rows, 60 positives, 5 runs" in text
    assert "Scores are means over training runs" in text
