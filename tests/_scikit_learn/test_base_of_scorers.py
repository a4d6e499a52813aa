"""What scorers rest on in scikit-learn: its own class, which shares predictions and weights.

The file sklearn_ap/_folds/_scorer_base.py says why the class is needed.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import sklearn
from scorer_models import ALPHAS, QUERY, STRICT, X, Y, model
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, RidgeClassifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import GridSearchCV, cross_validate

from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    get_scorer,
    make_ranking_scorer,
)
from sklearn_ap._folds._scorer_base import SCORER
from sklearn_ap._folds.models import RankingScorer
from sklearn_ap.definitions import Expected

WEIGHT = np.linspace(0.2, 2, len(Y))
FOLDS = [(np.arange(len(Y)), np.arange(i, len(Y), 3)) for i in range(3)]


class Counted(RidgeClassifier):
    """A model that counts how often it predicts, and what it predicts of it."""

    calls = 0

    def decision_function(self, X):
        type(self).calls += 1
        return super().decision_function(X)


@pytest.fixture
def counted():
    Counted.calls = 0
    return Counted().fit(X, Y)


@pytest.mark.parametrize("is_on", [False, True])
class TestSeveralMetrics:
    """With metadata routing off and on."""

    def scoring(self, is_on):
        """The first two take weights, as far as they ask for them; "plain" asks for none."""
        names = {"ap": "average_precision", "at k": "average_precision_at_10"}
        scorers = {key: get_scorer(name) for key, name in names.items()}
        if is_on:
            for scorer in scorers.values():
                scorer.set_score_request(sample_weight=True)
            scorers["plain"] = get_scorer("average_precision").set_score_request(
                sample_weight=False
            )
        return scorers

    def expected(self, y_true, y_score, weight, *, is_on):
        values = {
            "ap": average_precision_score(y_true, y_score, sample_weight=weight),
            "at k": average_precision_at_k_score(y_true, y_score, k=10, sample_weight=weight),
        }
        return values | ({"plain": average_precision_score(y_true, y_score)} if is_on else {})

    def test_scorers_receive_weights_and_share_predictions(self, is_on, counted):
        scores = RidgeClassifier.decision_function(counted, X)
        expected = self.expected(Y, scores, WEIGHT, is_on=is_on)
        assert expected["ap"] != average_precision_score(Y, scores)
        with sklearn.config_context(enable_metadata_routing=is_on):
            scoring = self.scoring(is_on)
            values = check_scoring(counted, scoring)(counted, X, Y, sample_weight=WEIGHT)
        assert values == pytest.approx(expected)
        assert Counted.calls == 1

    def test_cross_validation_routes_weights_and_shares_predictions(self, is_on, counted):
        """Without routing, cross_validate hands weights to the fit alone."""
        params = {"sample_weight": WEIGHT}
        with sklearn.config_context(enable_metadata_routing=is_on):
            ridge = Counted()
            if is_on:
                ridge.set_fit_request(sample_weight=True)
            options = {"params": params, "cv": FOLDS, **STRICT}
            values = cross_validate(ridge, X, Y, scoring=self.scoring(is_on), **options)
        assert Counted.calls == len(FOLDS)
        for i, (train, test) in enumerate(FOLDS):
            fitted = RidgeClassifier().fit(X[train], Y[train], sample_weight=WEIGHT[train])
            weight = WEIGHT[test] if is_on else None
            scores = fitted.decision_function(X[test])
            expected = self.expected(Y[test], scores, weight, is_on=is_on)
            found = {name: values[f"test_{name}"][i] for name in expected}
            assert found == pytest.approx(expected)

    def test_weighted_scorers_share_predictions_with_scikit_learn_metrics(self, is_on, counted):
        with sklearn.config_context(enable_metadata_routing=is_on):
            theirs = sklearn.metrics.get_scorer("average_precision")
            if is_on:
                theirs.set_score_request(sample_weight=True)
            scoring = {**self.scoring(is_on), "theirs": theirs}
            values = check_scoring(counted, scoring)(counted, X, Y, sample_weight=WEIGHT)
        assert values["theirs"] == pytest.approx(values["ap"])
        assert Counted.calls == 1


def test_unweighted_and_weighted_metrics_mix_with_routing_on():
    with sklearn.config_context(enable_metadata_routing=True):
        scoring = {
            "ap": get_scorer("average_precision").set_score_request(sample_weight=True),
            "expected": get_scorer("expected_average_precision").set_score_request(
                sample_weight=False
            ),
            "by query": get_scorer("average_precision", by_query=True, zero_division=0.0),
        }
        fitted = RidgeClassifier().fit(X, Y)
        score = check_scoring(fitted, scoring)
        values = score(fitted, X, Y, sample_weight=WEIGHT, queries=QUERY)
    scores = fitted.decision_function(X)
    by_query = average_precision_score(Y, scores, queries=QUERY, zero_division=0.0)
    assert values["by query"] == pytest.approx(by_query)
    assert values["ap"] == average_precision_score(Y, scores, sample_weight=WEIGHT)
    assert values["expected"] == average_precision_score(Y, scores, definition=Expected())


@pytest.mark.filterwarnings("ignore::FutureWarning:sklearn")  # of options that will change
def test_refitted_model_is_scored_anew():
    """LogisticRegressionCV gives each C to the same object; a store of predictions was wrong."""
    strengths = [1e-6, 1e-3, 1.0]
    noise = np.random.default_rng(0).normal(size=(len(Y), 20))
    features = np.column_stack([X[:, 0] / 50, noise])
    options = {"solver": "liblinear", "random_state": 0}
    scorer = get_scorer("average_precision")
    values = [
        np.mean(
            [
                scorer(
                    LogisticRegression(C=c, **options).fit(features[train], Y[train]),
                    features[test],
                    Y[test],
                )
                for train, test in FOLDS
            ]
        )
        for c in strengths
    ]
    assert len({*values}) == len(values)
    chosen = LogisticRegressionCV(Cs=strengths, cv=FOLDS, scoring=scorer, **options)
    chosen.fit(features, Y)
    assert np.ravel(chosen.C_)[0] == strengths[np.argmax(values)]


def test_routed_option_overrides_the_scorer_option_with_a_warning():
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_ranking_scorer(average_precision_score, pos_label=1)
        with pytest.warns(UserWarning, match="metadata request for parameters"):
            scorer.set_score_request(pos_label=True)
        fitted = RidgeClassifier().fit(X, Y)
        with pytest.warns(UserWarning, match="pos_label is an option of this scorer, 1, and was"):
            value = scorer(fitted, X, Y, pos_label=0)
    assert value == get_scorer("average_precision", pos_label=0)(fitted, X, Y)


def test_multimetric_search_refits_by_our_scorer():
    scoring = {"ours": get_scorer("average_precision"), "theirs": "average_precision"}
    grid = {"ridgeclassifier__alpha": ALPHAS}
    search = GridSearchCV(model(), grid, scoring=scoring, refit="ours", cv=3).fit(X, Y)
    results = clone(search).fit(X, Y).cv_results_
    np.testing.assert_allclose(results["mean_test_ours"], results["mean_test_theirs"])
    assert search.best_index_ == np.argmax(results["mean_test_ours"])


def test_scorers_are_instances_of_the_scikit_learn_scorer_class():
    public = getattr(sklearn.metrics, "BaseScorer", None)
    assert SCORER is (public or type(sklearn.metrics.make_scorer(average_precision_score)))
    assert isinstance(get_scorer("average_precision"), (RankingScorer, SCORER))


# scikit-learn as it will be, if its class of scorers becomes public as the pull request says: the
# same file, with public names of the class and of its attributes. Then the tests of this file run.
PUBLIC = """
import importlib.util, re, sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
import sklearn

FILE = Path(sklearn.__file__).parent / "metrics" / "_scorer.py"
assert "sklearn.metrics" not in sys.modules

class Public(SourceFileLoader):
    def get_code(self, name):
        text = FILE.read_text().replace("_BaseScorer", "BaseScorer")
        attributes = "score_func|sign|kwargs|response_method"
        text = re.sub(rf"(self|scorer)\\._({attributes})\\b", r"\\1.\\2", text)
        return compile(text, str(FILE), "exec")

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "sklearn.metrics._scorer":
            return importlib.util.spec_from_loader(name, Public(name, str(FILE)))

sys.meta_path.insert(0, Finder())
import sklearn.metrics, sklearn.metrics._scorer
base = sklearn.metrics.BaseScorer = sklearn.metrics._scorer.BaseScorer

from sklearn_ap import get_scorer
scorer = get_scorer("average_precision")
assert isinstance(scorer, base) and not isinstance(scorer, type(sklearn.metrics.make_scorer(print)))
assert scorer.score_func is scorer.function and "_score_func" not in vars(scorer)

import pytest
sys.exit(pytest.main([*sys.argv[1:], "-q", "-n0", "-p", "no:cacheprovider"]))
"""


@pytest.mark.slow
def test_future_public_scorer_class_is_used():
    here = Path(__file__)
    files = [str(here.with_name(name)) for name in ("test_routing.py", "test_making.py", here.name)]
    command = [sys.executable, "-c", PUBLIC, *files, "-m", "not slow"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=here.parents[2], check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
