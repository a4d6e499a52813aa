"""``candidate_predictions``: which candidates, in which folds, and what is kept of their models."""

import pickle
import sys
import types
import weakref
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_ap import (
    FoldPredictions,
    average_precision_interval,
    candidate_predictions,
    compare_average_precision,
    get_scorer,
)
from tests.helpers.first_cases import quick

X, Y = make_classification(240, weights=[0.7], flip_y=0.1, random_state=0)
GROUP = np.arange(240) // 4
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)
SCORER = get_scorer("average_precision")
GRID = {"C": [0.001, 0.1, 10]}


def searched(model=None, grid=GRID, y=Y, *, fit=None, **options):
    model = LogisticRegression() if model is None else model
    options = {"scoring": SCORER, "cv": FOLDS, "error_score": "raise"} | options
    return GridSearchCV(model, grid, **options).fit(X, y, **(fit or {}))


def again(
    model, X=X, y=Y, cv=FOLDS, response_method=("decision_function", "predict_proba"), **rows
):
    """The predictions of a candidate whose models are kept."""
    keep = {"return_estimator": True, "return_indices": True, "scoring": lambda *_: 0.0}
    kept = cross_validate(model, X, y, cv=cv, **keep, **rows)
    return FoldPredictions(kept, X, response_method=response_method)


def numbers(predictions, y=Y, **options):
    return average_precision_interval(y, predictions, **options).to_dict()


class Counted(LogisticRegression):
    """It counts its fits."""

    n_fits = 0

    def fit(self, X, y, **options):
        Counted.n_fits += 1
        return super().fit(X, y, **options)


# ---- which candidates, by which names


@pytest.mark.slow
def test_candidates_come_from_the_best_mean_down():
    search = searched()
    models = candidate_predictions(search, X, Y)
    mean = search.cv_results_["mean_test_score"]
    values = [GRID["C"][place] for place in np.argsort(-mean)]
    assert [*models] == [f"C={value:g}" for value in values]
    for value, found in zip(values, models.values(), strict=True):
        assert numbers(found) == numbers(again(LogisticRegression(C=value)))


@pytest.mark.slow
def test_the_refitted_one_stands_first_whatever_the_number():
    def worst(results):
        return results["mean_test_score"].argmin()

    search = searched(refit=worst)
    ordered = [*candidate_predictions(searched(), X, Y)]
    assert [*candidate_predictions(search, X, Y)] == [ordered[-1], *ordered[:-1]]
    (found,) = candidate_predictions(search, X, Y, n_candidates=1).values()
    assert numbers(found) == numbers(again(clone(search.best_estimator_)))


@pytest.mark.slow
def test_a_number_takes_the_best_and_keeps_their_names():
    grid = {"C": [0.001, 0.1], "class_weight": [None, "balanced"], "tol": [1e-4]}
    search = searched(grid=grid)
    names = [*candidate_predictions(search, X, Y)]
    assert all(name.startswith("C=") and " class_weight=" in name for name in names)
    for number in (1, 2, 9):
        assert [*candidate_predictions(search, X, Y, n_candidates=number)] == names[:number]


@pytest.mark.parametrize(
    ("model", "grid", "names"),
    [
        (LogisticRegression(), {"C": [0.5]}, {"C=0.5"}),
        (LogisticRegression(), {}, {"default"}),
        (LogisticRegression(), {"C": [0.10001, 0.10002]}, {"C=0.10001", "C=0.10002"}),
        (
            make_pipeline(StandardScaler(), LogisticRegression()),
            {"logisticregression__C": [1, 2], "standardscaler__with_mean": [True]},
            {"C=1", "C=2"},
        ),
        (
            make_pipeline(StandardScaler(), LogisticRegression()),
            [
                {"logisticregression": [LinearSVC(), RidgeClassifier(alpha=3.0)]},
                {"logisticregression__C": [7]},
            ],
            {"logisticregression=LinearSVC", "logisticregression=RidgeClassifier", "C=7"},
        ),
    ],
)
def test_names_are_the_parameters_in_which_candidates_differ(model, grid, names):
    assert {*candidate_predictions(searched(model, grid), X, Y)} == names


@pytest.mark.slow
def test_steps_with_equal_parameters_keep_their_names():
    model = make_pipeline(StandardScaler(), StandardScaler(), LogisticRegression())
    grid = {f"standardscaler-{number}__with_std": [True, False] for number in (1, 2)}
    names = {*candidate_predictions(searched(model, grid), X, Y)}
    assert "standardscaler-1__with_std=True standardscaler-2__with_std=False" in names


@pytest.mark.slow
def test_several_scores_take_that_of_refit():
    scoring = {"ap": SCORER, "top": get_scorer("precision_at_recall_0.9")}
    orders = {}
    for name in scoring:
        search = searched(
            KNeighborsClassifier(), {"n_neighbors": [1, 5, 40]}, scoring=scoring, refit=name
        )
        orders[name] = [*candidate_predictions(search, X, Y)]
        mean = search.cv_results_[f"mean_test_{name}"]
        assert orders[name] == [
            f"n_neighbors={[1, 5, 40][i]}" for i in np.argsort(-mean, kind="stable")
        ]
    search = searched(scoring=scoring, refit=False)
    with pytest.raises(ValueError, match="several scores: pass one of 'ap' and 'top' as metric"):
        candidate_predictions(search, X, Y)
    mean = search.cv_results_["mean_test_top"]
    names = [f"C={GRID['C'][i]:g}" for i in np.argsort(-mean, kind="stable")]
    assert [*candidate_predictions(search, X, Y, metric="top")] == names


def test_a_halving_search_gives_its_last_round():
    search = HalvingGridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2, 3, 4, 5]},
        scoring=SCORER,
        cv=FOLDS,
        factor=2,
        random_state=0,
    ).fit(X, Y)
    rounds = search.cv_results_["iter"]
    models = candidate_predictions(search, X, Y)
    assert 1 < len(models) == np.count_nonzero(rounds == rounds.max()) < 5
    assert next(iter(models)) == f"max_depth={search.best_params_['max_depth']}"


@pytest.mark.filterwarnings(r"ignore:\s3 fits failed", "ignore:One or more of the test scores")
def test_candidates_that_failed_are_left_out():
    search = searched(grid={"C": [-1.0, 0.1, 10]}, error_score=np.nan)
    assert {*candidate_predictions(search, X, Y)} == {"C=0.1", "C=10"}
    search.cv_results_["mean_test_score"][:] = np.nan
    with pytest.raises(ValueError, match=r"All candidates have the mean nan.*error_score='raise'"):
        candidate_predictions(search, X, Y)


@pytest.mark.slow
def test_any_object_with_the_results_of_a_search_will_do():
    search = searched()
    names = "estimator", "cv", "cv_results_"
    other = SimpleNamespace(**{name: getattr(search, name) for name in names})
    assert [*candidate_predictions(other, X, Y)] == [*candidate_predictions(search, X, Y)]
    options = {"n_iter": 2, "cv": FOLDS, "random_state": 0}
    drawn = RandomizedSearchCV(LogisticRegression(), GRID, **options).fit(X, Y)
    assert len(candidate_predictions(drawn, X, Y)) == 2


def test_estimators_by_name_take_the_place_of_a_search():
    models = {"linear": LogisticRegression(), "bayes": GaussianNB(), "trend": Ridge()}
    found = candidate_predictions(models, X, Y, cv=FOLDS)
    assert [*found] == [*models]
    for name, model in models.items():
        assert numbers(found[name]) == numbers(again(model))
    assert compare_average_precision(Y, found).scores.names == (*models,)
    five = candidate_predictions({1: GaussianNB()}, X, Y)["1"].cv_results["indices"]["test"]
    assert [rows.tolist() for rows in five] == [
        rows.tolist() for _, rows in StratifiedKFold(5).split(X, Y)
    ]


# ---- in which folds, with which rows


@pytest.mark.slow
def test_a_splitter_without_a_seed_gives_all_candidates_the_same_folds():
    search = searched(
        RandomForestClassifier(5), {"max_depth": [2, 4]}, cv=StratifiedKFold(3, shuffle=True)
    )
    found = compare_average_precision(Y, candidate_predictions(search, X, Y), reference="best")
    assert found.sample.n_rows == 240


@pytest.mark.parametrize(
    ("cv", "text"),
    [
        (
            RepeatedStratifiedKFold(n_splits=3, n_repeats=2),
            r"Several folds test a row.*cv=StratifiedKFold",
        ),
        (ShuffleSplit(3, random_state=0), r"Several folds test a row.*cv=StratifiedKFold"),
        (LeaveOneOut(), "Most folds test a single row, as in leave-one-out"),
        (
            [(np.arange(150), np.arange(-150, 0))],
            "Folds must number their rows from 0 on, but",
        ),
        (iter([]), r"cv gives no folds: a search uses up an iterator\. Pass its folds as cv"),
    ],
)
def test_folds_that_cannot_be_pooled_are_refused_before_the_first_fit(cv, text):
    search = SimpleNamespace(
        estimator=Counted(), cv=cv, cv_results_={"params": [{"C": 1}], "mean_test_score": [0.5]}
    )
    Counted.n_fits = 0
    with pytest.raises(ValueError, match=text):
        candidate_predictions(search, X, Y)
    assert Counted.n_fits == 0
    candidate_predictions(search, X, Y, cv=FOLDS)
    assert Counted.n_fits == 3


def test_each_candidate_is_fitted_once_in_each_fold():
    search = searched(Counted())
    Counted.n_fits = 0
    candidate_predictions(search, X, Y, n_candidates=2)
    assert Counted.n_fits == 6


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_rows_that_no_fold_tests_are_left_out():
    models = candidate_predictions(searched(cv=TimeSeriesSplit(3)), X, Y)
    assert compare_average_precision(Y, models, reference="best").sample.n_rows == 180


def test_groups_reach_the_splitter():
    search = searched(cv=StratifiedGroupKFold(3), fit={"groups": GROUP})
    models = candidate_predictions(search, X, Y, groups=GROUP)
    for found in models.values():
        for rows in zip(*found.cv_results["indices"].values(), strict=True):
            train, test = rows
            assert not {*GROUP[train]} & {*GROUP[test]}
    assert compare_average_precision(Y, models, clusters=GROUP).doubts == ()
    for splitter in (None, GroupKFold(3), LeaveOneGroupOut()):
        with pytest.raises(ValueError, match="needs groups: pass those of the search as groups"):
            candidate_predictions(search, X, Y, cv=splitter)


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize("has_routing", [False, True])
def test_weights_reach_each_fit(has_routing):
    weight = np.where(X[:, 0] > 0, 9.0, 0.1)
    with sklearn.config_context(enable_metadata_routing=has_routing):
        model = LogisticRegression()
        scorer = get_scorer("average_precision")
        if has_routing:
            model.set_fit_request(sample_weight=True)
            scorer.set_score_request(sample_weight=False)
        params = {"sample_weight": weight}
        search = searched(model, scoring=scorer, n_jobs=1 + has_routing, fit=params)
        found = candidate_predictions(search, X, Y, n_candidates=1, params=params)
        best = clone(search.best_estimator_)
        expected = again(best, params=params)
    (found,) = found.values()
    assert (
        numbers(found)
        == numbers(expected)
        != numbers(again(LogisticRegression(**search.best_params_)))
    )


@pytest.mark.slow
def test_queries_are_checked_at_the_comparison():
    models = candidate_predictions(
        searched(cv=GroupKFold(3), fit={"groups": GROUP}), X, Y, groups=GROUP
    )
    options = {"queries": GROUP, "zero_division": 0.0}
    found = compare_average_precision(Y, models, **options)
    assert found.sample.n_rows == 240
    assert "queries" in str(found)
    with pytest.raises(ValueError, match=r"The query 6 is tested in several folds"):
        compare_average_precision(Y, candidate_predictions(searched(), X, Y), **options)


# ---- what is kept


TABLE = make_multilabel_classification(200, n_classes=2, random_state=0)
THREE = np.digitize(X[:, 0], [-0.5, 0.5])
WORDS = np.where(Y == 1, "ill", "well")
INLIERS = np.where(Y == 1, -1, 1)
KINDS = {
    "decision values": (LinearSVC(), X, Y, {}),
    "probabilities": (GaussianNB(), X, Y, {}),
    "regressor": (Ridge(), X, Y, {}),
    "pipeline": (make_pipeline(StandardScaler(), LogisticRegression()), X, Y, {}),
    "first word": (LogisticRegression(), X, WORDS, {"pos_label": "ill"}),
    "last word": (LogisticRegression(), X, WORDS, {"pos_label": "well"}),
    "outliers": (IsolationForest(n_estimators=5, random_state=0), X, INLIERS, {"pos_label": -1}),
    "inliers": (IsolationForest(n_estimators=5, random_state=0), X, INLIERS, {}),
    "classes": (GaussianNB(), X, THREE, {"average": None}),
    "tables": (RandomForestClassifier(5, random_state=0), *TABLE, {"average": None}),
    "frames": (LogisticRegression(), pd.DataFrame(X), pd.Series(Y), {}),
    "sparse": (LogisticRegression(), csr_array(X), Y, {}),
    "polars": (LogisticRegression(), pl.DataFrame(X), pl.Series(Y), {}),
    "lists": (LogisticRegression(), X.tolist(), Y.tolist(), {}),
}


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize("kind", quick(KINDS, [*KINDS][::2]))
def test_kept_scores_are_those_of_the_models(kind):
    model, features, y, options = KINDS[kind]
    cv = KFold(3) if np.ndim(y) == 2 else FOLDS
    found = candidate_predictions({"model": model}, features, y, cv=cv)["model"]
    expected = again(model, features, y, cv)
    assert numbers(found, y, **options) == numbers(expected, y, **options)
    copy = pickle.loads(pickle.dumps(found))
    assert numbers(copy, y, **options) == numbers(expected, y, **options)


def test_a_kernel_that_was_computed_before_has_its_columns_split_too():
    models = {"A": SVC(kernel="precomputed")}
    found = candidate_predictions(models, X @ X.T, Y, cv=FOLDS)["A"]
    expected = candidate_predictions({"A": SVC(kernel="linear")}, X, Y, cv=FOLDS)["A"]
    scores = [average_precision_interval(Y, each).estimate for each in (found, expected)]
    assert scores[0] == pytest.approx(scores[1], abs=0.01)


def test_a_response_method_is_that_of_fold_predictions():
    models = {"A": LogisticRegression(), "B": GaussianNB()}
    with pytest.warns(UserWarning, match="'A' has both: pass response_method='predict_proba'"):
        found = candidate_predictions(models, X, THREE, cv=FOLDS)
    with pytest.warns(UserWarning, match="unlike methods"):
        compare_average_precision(THREE, found)
    given = {"response_method": "predict_proba"}
    found = candidate_predictions(models, X, THREE, cv=FOLDS, **given)
    assert compare_average_precision(THREE, found).doubts == ()
    assert numbers(found["A"], THREE) == numbers(again(models["A"], y=THREE, **given), THREE)


@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
def test_a_response_method_that_is_named_raises_no_warning(method):
    models = {"A": LogisticRegression()}
    found = candidate_predictions(models, X, THREE, cv=FOLDS, response_method=method)["A"]
    assert found.response_method == method


class Alive(RandomForestClassifier):
    """A forest that counts how many fitted ones there are."""

    alive: ClassVar = weakref.WeakSet()
    most: ClassVar = 0

    def fit(self, X, y):
        super().fit(X, y)
        Alive.alive.add(self)
        Alive.most = max(Alive.most, len(Alive.alive))
        return self


@pytest.mark.slow
def test_models_are_not_kept_while_others_are_fitted():
    models = {str(seed): Alive(5, random_state=seed) for seed in range(4)}
    found = candidate_predictions(models, X, Y, cv=FOLDS)
    assert Alive.most <= 2
    for name, model in models.items():
        assert {each.model for each in found[name].cv_results["estimator"]} == {model}


def test_a_kept_output_is_that_of_its_rows_alone():
    found = candidate_predictions({"A": GaussianNB()}, X, Y, cv=FOLDS)["A"]
    with pytest.raises(ValueError, match="X has 3 rows, and the output of"):
        found.cv_results["estimator"][0].predict_proba(X[:3])


def test_folds_are_those_of_the_search_whatever_the_candidates_are():
    steps = Pipeline([("model", Ridge())])
    search = GridSearchCV(steps, {"model": [GaussianNB(), Ridge()]}, scoring=zero, cv=3)
    found = candidate_predictions(search.fit(X, Y), X, Y)
    (first, *_), (usual, *_) = (
        (each.cv_results["indices"]["test"] for each in found.values()),
        [test for _, test in KFold(3).split(X)],
    )
    np.testing.assert_array_equal(first[0], usual)


def zero(model, X, y):
    return 0.0


def test_flags_of_rows_are_folds():
    flags = [
        (~np.isin(np.arange(len(Y)), test), np.isin(np.arange(len(Y)), test))
        for _, test in KFold(3).split(X)
    ]
    places = candidate_predictions({"A": GaussianNB()}, X, Y, cv=KFold(3))["A"]
    found = candidate_predictions({"A": GaussianNB()}, X, Y, cv=flags)["A"]
    assert average_precision_interval(Y, found).estimate == (
        average_precision_interval(Y, places).estimate
    )


def test_names_tell_estimators_of_one_class_apart():
    grid = {"model": [LogisticRegression(C=0.1), LogisticRegression(C=10)]}
    search = GridSearchCV(Pipeline([("model", GaussianNB())]), grid, cv=FOLDS).fit(X, Y)
    names = {*candidate_predictions(search, X, Y)}
    assert names == {"model=LogisticRegression(C=0.1)", "model=LogisticRegression(C=10)"}


def test_several_scores_without_a_name_ask_for_one():
    scores = {"a": "average_precision", "b": "roc_auc"}
    search = GridSearchCV(GaussianNB(), {}, scoring=scores, refit=lambda _: 0, cv=FOLDS).fit(X, Y)
    with pytest.raises(ValueError, match="several scores: pass one of 'a' and 'b' as metric"):
        candidate_predictions(search, X, Y)


@pytest.mark.parametrize(
    ("model", "y", "text"),
    [
        (SVC(decision_function_shape="ovo"), THREE + (X[:, 1] > 0), "SVC has decision_function_sh"),
        (
            LogisticRegression(),
            np.r_[np.zeros(80), np.ones(160)],
            "y has the labels|fitted on one class|needs samples of at least 2 classes",
        ),
        (
            RandomForestClassifier(2),
            np.c_[Y, Y + 3],
            "RandomForestClassifier was fitted on columns",
        ),
    ],
)
def test_models_without_scores_to_rank_by_are_refused_at_the_first_fit(model, y, text):
    with pytest.raises(ValueError, match=text):
        candidate_predictions({"A": model}, X, y, cv=KFold(3))


def test_labels_and_features_in_another_order_are_refused():
    frame, labels = pd.DataFrame(X), pd.Series(Y)
    search = searched()
    with pytest.raises(ValueError, match=r"order.*Pass X\.loc\[y\.index\]"):
        candidate_predictions(search, frame, labels[::-1])
    found = candidate_predictions(search, frame, labels, n_candidates=1)
    with pytest.raises(ValueError, match=r"order.*Pass X.loc\[y_true.index\]"):
        average_precision_interval(labels[::-1], *found.values())


# ---- what it is for


def test_the_first_one_gives_the_number_of_the_refitted_model():
    search = searched(y=WORDS, scoring=get_scorer("average_precision", pos_label="ill"))
    first, *_ = models = candidate_predictions(search, X, WORDS)
    found = average_precision_interval(WORDS, models[first], pos_label="ill")
    assert found.low < found.estimate < found.high
    best = compare_average_precision(WORDS, models, reference="best", pos_label="ill")
    assert set(best.scores.names) == {*models}


# ---- a bar of progress


class Bar:
    """What tqdm shows."""

    bars = ()

    def __init__(self, items, total, unit, **_):
        self.items, self.total, self.n = items, total, 0
        Bar.bars += (self,)

    @classmethod
    def set_lock(cls, lock):
        cls.lock = lock

    def __iter__(self):
        for item in self.items:
            self.n += 1
            yield item
        self.is_closed = True


@pytest.mark.parametrize("is_terminal", [False, True])
def test_a_terminal_shows_the_fits_where_tqdm_is_installed(monkeypatch, is_terminal):
    module = types.ModuleType("tqdm")
    module.tqdm, module.__spec__ = Bar, object()
    monkeypatch.setitem(sys.modules, "tqdm", module)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal, raising=False)
    monkeypatch.setattr(Bar, "bars", ())
    candidate_predictions(searched(), X, Y, n_candidates=2)
    shown = [(bar.n, bar.total, bar.is_closed) for bar in Bar.bars]
    assert shown == [(6, 6, True)] * is_terminal
    assert not hasattr(Bar, "lock")  # the lock of other bars is left as it is


def test_without_tqdm_there_is_no_bar(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert len(candidate_predictions(searched(), X, Y)) == 3


# ---- errors


@pytest.mark.parametrize(
    ("search", "options", "error", "text"),
    [
        (GridSearchCV(GaussianNB(), {}), {}, TypeError, "search must be a search that was fitted"),
        (GaussianNB(), {}, TypeError, r"search must be a search .* got GaussianNB\(\)"),
        ({}, {}, ValueError, "search must hold one estimator at least"),
        ({1: GaussianNB(), "1": GaussianNB()}, {}, ValueError, "each estimator a name of its own"),
        ({"A": GaussianNB}, {}, TypeError, "search must map names to estimators, got 'A': <class"),
        ({"A": 3}, {}, TypeError, "search must map names to estimators, got 'A': 3"),
        ({"A": GaussianNB()}, {"n_candidates": 1}, ValueError, "n_candidates is for a search"),
        ({"A": GaussianNB()}, {"metric": "ap"}, ValueError, "metric is for a search"),
        (None, {"n_candidates": 0}, ValueError, "n_candidates must be at least 1"),
        (None, {"n_candidates": 2.0}, TypeError, "n_candidates must be a whole number"),
        (None, {"metric": "ap"}, ValueError, "metric must be one of 'score', got 'ap'"),
        (None, {"response_method": "rank"}, ValueError, "response_method must be one of"),
        (None, {"response_method": "predict"}, ValueError, "response_method must be one of"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(search, options, error, text):
    with pytest.raises(error, match=text):
        candidate_predictions(searched() if search is None else search, X, Y, **options)
