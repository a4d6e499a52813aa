"""Names of version 0.3 still work, and a warning on the line of the user says the new one."""

import dataclasses
import inspect
import re
import warnings
from functools import partial
from typing import ClassVar

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sklearn
from public_names import public
from scorer_models import QUERY, STRICT, by_hand, same, splits
from scorer_models import X as FEATURES
from scorer_models import Y as LABELS
from scorer_models import model as ridge_model
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GroupKFold, KFold, cross_val_score, cross_validate

import sklearn_ap
from sklearn_ap import (
    AveragePrecisionComparison,
    AveragePrecisionDisplay,
    AveragePrecisionInterval,
    BestAveragePrecision,
    BestModelDisplay,
    ModelComparisonDisplay,
    ToolComparisonDisplay,
    average_precision_at_k_score,
    average_precision_interval,
    average_precision_score,
    best_average_precision,
    chance_test,
    compare_average_precision,
    compat,
    definitions,
    expected_average_precision_score,
    get_scorer,
    interpolated_average_precision_score,
    large,
    make_ranking_scorer,
    operating_point,
    precision_at_k_score,
    precision_at_recall_score,
    recall_at_k_score,
    retrieval,
    step_average_precision_score,
)
from sklearn_ap.__main__ import main
from sklearn_ap._inputs.entrance import PLACES, unknown_option

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")

X, Y = make_classification(300, weights=[0.6], flip_y=0.2, random_state=0)
MODEL = LogisticRegression().fit(X, Y)
S = MODEL.decision_function(X)
MODELS = {"a": S, "b": -S}
QUERIES = np.arange(300) // 10
TABLE = pa.table({"y": Y, "p": S, "q": QUERIES})
PARTS = [da.from_array(part, chunks=100) for part in (Y, S, QUERIES)]
SCORES = [name for name in sklearn_ap.__all__ if name.endswith("_score")]
AT_K = [average_precision_at_k_score, precision_at_k_score, recall_at_k_score]

# How options are called elsewhere, or were called, and what to write here.
OF_OTHERS = {
    "groups": "clusters",
    "by_group": "by_query",
    "random_state": "rng",
    "seed": "rng",
    **dict.fromkeys(("ci", "confidence", "alpha"), "confidence_level"),
    **dict.fromkeys(("n_bootstraps", "n_bootstrap", "n_boot"), "n_resamples"),
    **dict.fromkeys(("y_pred", "y_prob", "y_proba", "probas_pred"), "y_score"),
}


def folds(model=MODEL):
    """A cross-validation that keeps each query in one fold."""
    splitter = GroupKFold(3).split(X, Y, QUERIES)
    return cross_validate(model, X, Y, cv=splitter, return_estimator=True, return_indices=True)


def warned(call):
    """What a call gives, and its only FutureWarning, which is about a line of this file."""
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always", FutureWarning)
        found = call()
    (warning,) = (each for each in record if issubclass(each.category, FutureWarning))
    assert warning.filename == __file__
    return found, str(warning.message)


def by_old_name(call, old, new):
    """What a call with an old name gives, after one warning that says the new one."""
    found, text = warned(call)
    assert text.startswith(f"{old} is now called {new}. The old name will be gone in version 0.5.")
    return found


def silently(call):
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)
        return call()


def contents(found):
    """The numbers of a result or of what a display draws."""
    for part in ("comparison", "best", "counts"):
        found = getattr(found, part, found)
    if isinstance(found, sklearn_ap.ThresholdCounts):
        return dataclasses.asdict(found)
    return found.rows() if hasattr(found, "rows") else found


def assert_equal(first, second):
    assert type(first) is type(second)
    np.testing.assert_equal(contents(first), contents(second))


MODELS_OF_FOLDS = {"a": folds(), "b": folds(RidgeClassifier())}
DISPLAY = AveragePrecisionDisplay
# Each call takes the queries by the name that it is given.
CALLS = {
    **{name: partial(getattr(sklearn_ap, name), Y, S, zero_division=0.0) for name in SCORES},
    "average_precision_interval": partial(average_precision_interval, Y, S),
    "AveragePrecisionInterval.from_cv_results": partial(
        AveragePrecisionInterval.from_cv_results, folds(), X, Y, zero_division=0.0
    ),
    "compare_average_precision": partial(compare_average_precision, Y, MODELS),
    "AveragePrecisionComparison.from_cv_results": partial(
        AveragePrecisionComparison.from_cv_results, MODELS_OF_FOLDS, X, Y, zero_division=0.0
    ),
    "BestAveragePrecision.from_cv_results": partial(
        BestAveragePrecision.from_cv_results, MODELS_OF_FOLDS, X, Y, zero_division=0.0
    ),
    "best_average_precision": partial(best_average_precision, Y, MODELS),
    "chance_test": partial(chance_test, Y, S, zero_division=0.0, n_permutations=9),
    "AveragePrecisionDisplay.from_predictions": partial(DISPLAY.from_predictions, Y, S),
    "AveragePrecisionDisplay.from_estimator": partial(DISPLAY.from_estimator, MODEL, X, Y),
    "ToolComparisonDisplay.from_predictions": partial(ToolComparisonDisplay.from_predictions, Y, S),
    "ModelComparisonDisplay.from_predictions": partial(
        ModelComparisonDisplay.from_predictions, Y, MODELS
    ),
    "ModelComparisonDisplay.from_estimators": partial(
        ModelComparisonDisplay.from_estimators, {"a": MODEL, "b": RidgeClassifier().fit(X, Y)}, X, Y
    ),
    "BestModelDisplay.from_predictions": partial(BestModelDisplay.from_predictions, Y, MODELS),
    "compat.compare": partial(compat.compare, Y, S),
    "compat.explain": partial(compat.explain, "catboost.PRAUC", Y, S),
    "compat.score": partial(compat.score, "catboost.PRAUC", Y, S),
    "large.from_table": lambda **queries: large.from_table(
        TABLE, "y", "p", **dict.fromkeys(queries, "q")
    ),
    "large.from_dask": lambda **queries: large.from_dask(
        *PARTS[:2], **dict.fromkeys(queries, PARTS[2])
    ),
}
# Spark is there in the tests of engines alone. What passes options on takes no queries by itself.
NOT_CALLED = {"large.from_spark"}
PASS_ON = {
    "AveragePrecisionDisplay.from_estimator",
    "ModelComparisonDisplay.from_estimators",
    "ModelComparisonDisplay.from_predictions",
    "BestModelDisplay.from_predictions",
}


def functions():
    """Every public function, and the methods of every public class that make one."""
    for name, thing in public():
        if inspect.isclass(thing):
            made_by = inspect.getmembers(thing, inspect.ismethod)
            yield from ((f"{name}.{key}", method) for key, method in made_by)
        else:
            yield name, thing


TAKE_QUERIES = {
    name: function
    for name, function in functions()
    if "queries" in inspect.signature(function).parameters
}


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


class TestGroups:
    """What are queries now were groups."""

    @pytest.mark.parametrize("name", CALLS)
    def test_they_are_the_queries(self, name):
        call = CALLS[name]
        found = by_old_name(lambda: call(groups=QUERIES), "groups", "queries")
        assert_equal(found, silently(lambda: call(queries=QUERIES)))

    def test_nothing_that_takes_queries_is_left_out(self):
        assert {*CALLS} - PASS_ON | NOT_CALLED == {*TAKE_QUERIES}

    @pytest.mark.parametrize("name", TAKE_QUERIES)
    def test_both_names_are_refused(self, name):
        with pytest.raises(TypeError, match="groups is the old name of queries: pass queries alon"):
            TAKE_QUERIES[name](groups=QUERIES, queries=QUERIES)

    def test_the_line_that_passes_them_is_warned_of(self):
        with pytest.warns(FutureWarning) as record:
            average_precision_score(Y, S, groups=QUERIES)
        line = inspect.currentframe().f_lineno - 1
        assert (record[0].filename, record[0].lineno) == (__file__, line)

    @pytest.mark.parametrize("name", ["average_precision_score", "average_precision_interval"])
    def test_patients_are_no_queries(self, name):
        patients = np.arange(300) // 10
        text = warned(lambda: getattr(sklearn_ap, name)(Y, S, groups=patients))[1]
        assert "For rows that depend on each other, such as those of a patient, pass clust" in text
        assert "clusters to average_precision_interval." in text

    def test_judged_runs_have_them(self):
        names = {"query": [*"aabb"], "document": [*"1212"]}
        qrels, run = (
            pa.table(names | {"label": [1, 0, 0, 1]}),
            pa.table(names | {"score": [*S[:4]]}),
        )
        judged = retrieval.from_tables(qrels, {"run": run})
        found = by_old_name(lambda: judged.groups, "groups", "queries")
        assert found is judged.queries

    def test_the_command_line_takes_them(self, tmp_path, capsys):
        lines = "".join(f"{row[0]},{row[1]},{row[2]}\n" for row in zip(Y, S, QUERIES, strict=True))
        path = tmp_path / "p.csv"
        path.write_text(f"y,p,q\n{lines}")
        printed = []
        for option in ("--query", "--group"):
            columns = ("--label", "y", "--score", "p", option, "q")
            assert main(["score", str(path), *columns, "--definition", "AP"]) == 0
            printed.append(capsys.readouterr())
        new, old = printed
        assert old.out == new.out
        assert "--group" not in new.err
        text = "--group is now called --query. The old name will be gone in version 0.5."
        assert text in " ".join(old.err.split())


MAKERS = {
    "get_scorer": partial(get_scorer, "average_precision"),
    "get_scorer of a definition": partial(get_scorer, definitions.AtK(5)),
    "make_ranking_scorer": partial(make_ranking_scorer, average_precision_score),
    "make_ranking_scorer of a definition": partial(make_ranking_scorer, definitions.AtK(5)),
}


@pytest.mark.usefixtures("routing")
class TestByGroup:
    """A scorer by query was made by group."""

    @pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
    def test_it_makes_a_scorer_by_query(self, make):
        old = by_old_name(lambda: make(by_group=True, zero_division=0.0), "by_group", "by_query")
        new = silently(lambda: make(by_query=True, zero_division=0.0))
        assert old(MODEL, X, Y, queries=QUERIES) == new(MODEL, X, Y, queries=QUERIES)

    @pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
    def test_false_makes_a_plain_scorer(self, make):
        old = by_old_name(lambda: make(by_group=False), "by_group", "by_query")
        assert old(MODEL, X, Y) == make()(MODEL, X, Y)

    @pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
    def test_both_names_are_refused(self, make):
        with pytest.raises(TypeError, match="by_group is the old name of by_query: pass by_query"):
            make(by_group=True, by_query=True)

    def test_it_is_fed_what_the_splitter_gets(self):
        scorer = by_old_name(
            lambda: get_scorer("average_precision", by_group=True, zero_division=0.0),
            *("by_group", "by_query"),
        )
        scores = silently(
            lambda: cross_val_score(
                *(ridge_model(), FEATURES, LABELS),
                cv=GroupKFold(3),
                params={"groups": QUERY},
                scoring=scorer,
                **STRICT,
            )
        )
        same(scores, by_hand("by query", splits("by query")))

    def test_groups_that_reach_a_scorer_are_queries(self):
        scorer = get_scorer("average_precision", by_query=True, zero_division=0.0)
        with pytest.warns(FutureWarning, match="groups is now called queries") as record:
            value = scorer(MODEL, X, Y, groups=QUERIES)
        assert len(record) == 1
        assert value == scorer(MODEL, X, Y, queries=QUERIES)
        with pytest.raises(TypeError, match="groups is the old name of queries"):
            scorer(MODEL, X, Y, groups=QUERIES, queries=QUERIES)

    def test_an_old_request_still_reaches_it(self):
        """That of groups beside weights, which replaces what the scorer requests by itself."""
        weight = np.random.default_rng(0).random(len(Y)) + 0.5

        def scores(name):
            scorer = get_scorer("average_precision", by_query=True, zero_division=0.0)
            return cross_val_score(
                RidgeClassifier().set_fit_request(sample_weight=False), X, Y, cv=KFold(3),
                params={name: QUERIES, "sample_weight": weight},
                scoring=scorer.set_score_request(**{name: True, "sample_weight": True}), **STRICT,
            )  # fmt: skip

        with pytest.warns(FutureWarning, match="groups is now called queries"):
            old = scores("groups")
        np.testing.assert_array_equal(old, silently(lambda: scores("queries")))


class TestThreshold:
    """Scores at k had a threshold: what scored below it was not retrieved."""

    def found(self, score, *arguments, **options):
        """The score with a threshold, after one warning that says what to write."""
        value, text = warned(lambda: score(*arguments, **options))
        assert text.startswith("threshold will be gone in version 0.5. Pass np.where(y_score >= ")
        return value

    @pytest.mark.parametrize("score", AT_K)
    def test_what_scores_below_it_is_not_retrieved(self, score):
        expected = score(Y, np.where(S >= 2, S, -np.inf), k=100)
        assert expected != score(Y, S, k=100)
        assert self.found(score, Y, S, k=100, threshold=2) == expected
        assert self.found(score, Y, y_score=S, k=100, threshold=2) == expected
        assert self.found(score, y_score=S, y_true=Y, k=100, threshold=2) == expected

    @pytest.mark.parametrize("convert", [list, pd.Series, pa.array, da.from_array])
    def test_it_goes_with_scores_of_any_kind(self, convert):
        expected = precision_at_k_score(Y, np.where(S >= 2, S, -np.inf), k=100)
        assert self.found(precision_at_k_score, Y, convert(S), k=100, threshold=2) == expected

    @pytest.mark.parametrize("score", AT_K)
    def test_none_retrieves_everything(self, score):
        assert self.found(score, Y, S, k=100, threshold=None) == score(Y, S, k=100)

    @pytest.mark.parametrize("score", AT_K)
    def test_it_goes_with_the_other_options(self, score):
        options = {"k": 3, "average": None, "zero_division": 0.0}
        retrieved = np.where(S >= 1, S, -np.inf)
        expected = score(Y, retrieved, queries=QUERIES, **options)
        ours = self.found(score, Y, S, threshold=1, queries=QUERIES, **options)
        np.testing.assert_array_equal(ours, expected)
        with pytest.warns(FutureWarning) as record:
            ours = score(Y, S, threshold=1, groups=QUERIES, **options)
        assert [str(each.message).split()[0] for each in record] == ["threshold", "groups"]
        np.testing.assert_array_equal(ours, expected)

    def test_it_is_compared_with_large_integers_exactly(self):
        scores = np.array([2**53 + 1, 2**53])
        assert self.found(precision_at_k_score, [0, 1], scores, k=2, threshold=2**53 + 1) == 0.0

    @pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
    @pytest.mark.parametrize("kind", [float, np.float64])
    @pytest.mark.parametrize(
        ("threshold", "recall"), [(0.1, 1.0), (0.9, 0.5), (0.95, 0.0), (1e300, 0.0)]
    )
    def test_it_meets_scores_of_any_precision(self, dtype, kind, threshold, recall):
        y_score = np.array([0.9, 0.8, 0.1], dtype)
        found = self.found(recall_at_k_score, [1, 0, 1], y_score, k=3, threshold=kind(threshold))
        assert found == recall

    def test_nan_is_still_no_score(self):
        with (
            pytest.warns(FutureWarning, match="threshold"),
            pytest.raises(ValueError, match="y_score contains NaN"),
        ):
            precision_at_k_score([1, 0], [np.nan, 1.0], threshold=0.5)

    @pytest.mark.parametrize("threshold", ["0.5", True, np.True_, [0.5]])
    def test_it_is_a_number(self, threshold):
        with (
            pytest.warns(FutureWarning, match="threshold"),
            pytest.raises(TypeError, match="threshold must be a number or None"),
        ):
            precision_at_k_score(Y, S, threshold=threshold)

    @pytest.mark.parametrize("threshold", [np.nan, 10**400])
    def test_it_is_not_nan_nor_beyond_infinity(self, threshold):
        with (
            pytest.warns(FutureWarning, match="threshold"),
            pytest.raises(ValueError, match="threshold must be a finite or infinite number"),
        ):
            precision_at_k_score(Y, S, threshold=threshold)


class TestToDict:
    """The rows of a result were a dict."""

    RESULTS: ClassVar = {
        "AveragePrecisionInterval": partial(average_precision_interval, Y, S),
        "AveragePrecisionComparison": partial(compare_average_precision, Y, MODELS),
        "BestAveragePrecision": partial(best_average_precision, Y, MODELS),
        "ChanceTest": partial(chance_test, Y, S, n_permutations=9),
        "OperatingPoint": partial(operating_point, Y, S, recall=0.5),
        "Comparison": partial(compat.compare, Y, S),
        "Explanation": partial(compat.explain, "catboost.PRAUC", Y, S),
    }

    @pytest.mark.parametrize("name", RESULTS)
    def test_they_are_rows(self, name):
        result = self.RESULTS[name]()
        assert type(result).__name__ == name
        found = by_old_name(lambda: result.to_dict(), "to_dict", "rows")
        np.testing.assert_equal(found, silently(result.rows))
        assert all(isinstance(row, dict) for row in found)

    def test_no_result_is_left_out(self):
        things = [getattr(room, name) for room in (sklearn_ap, compat) for name in room.__all__]
        with_rows = {thing.__name__ for thing in things if hasattr(thing, "rows")}
        assert {*self.RESULTS} == with_rows


class TestConfidence:
    """The guarantee of a threshold was a confidence."""

    def test_it_is_the_guarantee(self):
        call = partial(operating_point, Y, S, precision=0.7)
        found = by_old_name(lambda: call(confidence=0.9), "confidence", "guarantee")
        assert_equal(found, silently(lambda: call(guarantee=0.9)))
        assert found.threshold != call().threshold

    def test_both_names_are_refused(self):
        with pytest.raises(TypeError, match="confidence is the old name of guarantee: pass guaran"):
            operating_point(Y, S, precision=0.7, confidence=0.9, guarantee=0.9)


class TestComparisonDisplay:
    """The display of tools was not yet called after them."""

    def test_it_is_the_display_of_tools(self):
        found = by_old_name(
            lambda: sklearn_ap.ComparisonDisplay, "ComparisonDisplay", "ToolComparisonDisplay"
        )
        assert found is ToolComparisonDisplay

    def test_an_import_warns_once(self):
        def imported():
            from sklearn_ap import ComparisonDisplay

            return ComparisonDisplay

        found = by_old_name(imported, "ComparisonDisplay", "ToolComparisonDisplay")
        assert found is ToolComparisonDisplay

    def test_it_is_not_listed(self):
        assert "ComparisonDisplay" not in {*dir(sklearn_ap), *sklearn_ap.__all__}


class TestUnknownOptions:
    """The error says where an option is, or what was meant."""

    @pytest.mark.parametrize(
        ("function", "option", "text"),
        [
            (average_precision_score, "k", r"average_precision_at_k_score takes it; .*AtK\(10\)"),
            (average_precision_score, "normalizer", "average_precision_at_k_score takes it"),
            (average_precision_score, "recall_levels", "interpolated_average_precision_score"),
            (average_precision_score, "recall", "precision_at_recall_score takes it"),
            (average_precision_score, "precision", "recall_at_precision_score takes it"),
            (average_precision_score, "clusters", "average_precision_interval takes it"),
            (average_precision_score, "confidence_level", "average_precision_interval takes it"),
            (step_average_precision_score, "definition", "average_precision_score takes it"),
            (expected_average_precision_score, "sample_weight", "This one takes no weights"),
            (precision_at_k_score, "prevalence", "average_precision_score takes it"),
            (interpolated_average_precision_score, "recall_level", "Did you mean 'recall_levels'?"),
            (average_precision_score, "quries", "Did you mean 'queries'?"),
            (average_precision_interval, "cluster", "Did you mean 'clusters'?"),
            (precision_at_recall_score, "xyz", ""),
        ],
    )
    def test_it_is_told(self, function, option, text):
        name = re.escape(f"{function.__name__} has no option {option!r}.")
        with pytest.raises(TypeError, match=f"^{name}{text and f' {text}'}"):
            function(Y, S, **{option: 1})

    def test_models_one_by_one_and_options_without_their_names_are_refused(self):
        text = r"y_true and y_scores without names, got 3 values\. Pass .* {\"A\": score_a, \"B\""
        with pytest.raises(TypeError, match=text):
            sklearn_ap.compare_average_precision(Y, S, S)
        with pytest.raises(TypeError, match=r"got 3 values\. Name the others, as in pos_label=1"):
            average_precision_score(Y, S, "macro")
        drawn = sklearn_ap.AveragePrecisionDisplay.from_predictions
        with pytest.raises(TypeError, match="y_true and y_score without names, got 3 values"):
            drawn(Y, S, 1)

    @pytest.mark.parametrize("option", PLACES)
    def test_every_place_has_the_option(self, option):
        found = re.findall(r"\w+_(?:score|interval)\b", PLACES[option])
        functions = [name for name in found if name != "y_score"]
        kinds = re.findall(r"definition=(\w+\(\d+\))", PLACES[option])
        assert functions or option in ("sample_weight", "threshold", "progress", *OF_OTHERS)
        option = OF_OTHERS.get(option, option)
        for name in functions:
            assert option in inspect.signature(getattr(sklearn_ap, name)).parameters
        for call in kinds:
            made = eval(call, vars(definitions))
            assert option in {field.name for field in dataclasses.fields(made)}

    @pytest.mark.parametrize(("option", "ours"), OF_OTHERS.items())
    def test_an_option_of_another_name_is_told_the_name_here(self, option, ours):
        text = unknown_option("average_precision_interval", option, ["y_true", "y_score"])
        assert re.search(rf"no option '{option}'\..*\b{ours}\b", text)
        assert "Did you mean" not in text

    def test_only_one_score_takes_no_weights(self):
        without = [
            name
            for name in SCORES
            if "sample_weight" not in inspect.signature(getattr(sklearn_ap, name)).parameters
        ]
        assert without == ["expected_average_precision_score"]
