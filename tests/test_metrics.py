"""What scores take, and how they treat averages, queries, weights, bounds and reversed rankings."""

import inspect
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from functools import partial
from time import sleep

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_ap
from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    hit_curve,
    precision_at_k_score,
    recall_at_k_score,
)
from sklearn_ap._inputs.request import Request
from sklearn_ap._writing.warning import hear_warnings, warn
from sklearn_ap.definitions import Step
from tests.helpers.first_cases import quick
from tests.helpers.registry import REGISTRY, SCORES, takes_prevalence

# Some definitions have no prevalence.
SHARED = {
    option.name: option.default
    for option in fields(Request)
    if option.name not in ("y_true", "y_score", "prevalence")
}


@pytest.mark.parametrize("name", SCORES)
def test_the_signature_of_a_score(name):
    """Predictions, what all scores share, and the options of the definition behind it."""
    kind, fixed = SCORES[name]
    own = {option.name: option.default for option in fields(kind) if option.name not in fixed}
    if takes_prevalence(kind(**fixed)):
        own["prevalence"] = None
    if name == "average_precision_score":
        own["definition"] = None  # that of the scores, or Step()
    function = getattr(sklearn_ap, name)
    assert function.__name__ == function.__qualname__ == name
    assert pickle.loads(pickle.dumps(function)) is function
    parameters = inspect.signature(function).parameters
    assert list(parameters)[:2] == ["y_true", "y_score"]
    options = {key: p.default for key, p in parameters.items() if p.kind is p.KEYWORD_ONLY}
    assert options == SHARED | own
    assert len(options) == len(parameters) - 2


@pytest.mark.parametrize(
    "name", [name for name, entry in REGISTRY.items() if entry.needs_positives]
)
def test_rankings_without_positives_score_0_with_one_warning(name):
    y_true, queries = [0, 0, 0, 1], ["a", "a", "b", "c"]
    match = "^No positive class found in y_true, for 2 of 3"
    with pytest.warns(UndefinedMetricWarning, match=match) as record:
        values = REGISTRY[name].score(y_true, [1, 2, 3, 4], queries=queries, average=None)
    assert [each.filename for each in record] == [__file__]
    assert values[:2].tolist() == [0.0, 0.0]
    assert "leave out queries, and pass them as clusters to intervals" in str(record[0].message)
    for zero_division in (0.0, 1.0, 0, 1, np.nan):  # silently
        value = REGISTRY[name].score([0, 0], [1, 2], zero_division=zero_division)
        np.testing.assert_equal(value, float(zero_division))


@pytest.mark.parametrize("weight", [1e-100, 1e-12, 1e100])
def test_weights_of_any_size_count_alike_at_k(weight):
    k = 10 if weight < 1 else 10**18
    value = recall_at_k_score([1, 0, 1, 0], [4, 3, 2, 1], k=k, sample_weight=[weight] * 4)
    assert value == pytest.approx(min(1, k / (2 * weight)))


def test_huge_scores_and_huge_totals_do_not_overflow():
    assert average_precision_score([1, 0, 0], [1.7e308, 1.6e308, -1.7e308]) == 1.0
    known = {"queries": [0, 0, 1, 1], "n_positives": [1e100, 1e100], "average": "weighted"}
    found = average_precision_score([1, 0, 1, 0], [4, 3, 2, 1], sample_weight=[1e99] * 4, **known)
    assert found == pytest.approx(0.1)


class TestReversedScores:
    """Scores that rank the negatives first, such as the other column of predict_proba."""

    ROWS = Y, REVERSED = np.arange(3333) < 10, np.arange(3333.0)

    @pytest.mark.parametrize("options", [{}, {"sample_weight": np.ones(3333)}])
    def test_a_score_of_reversed_rows_raises_a_warning(self, options):
        models = {"up": self.REVERSED, "noise": np.random.default_rng(0).random(self.Y.size)}
        for function, scores, begin in (
            (average_precision_score, self.REVERSED, "^reversed scores: The average precision, "),
            (sklearn_ap.average_precision_interval, self.REVERSED, "The average precision, "),
            (sklearn_ap.compare_average_precision, models, "'up': The average precision, "),
        ):
            random = "0.003" if options else "0.0053"  # that of ten positives
            match = f"{begin}0.00165, is below that of random scores, about {random}: on average, "
            match += "100.0% of the negatives score above a positive. Is the other label.*-y_score"
            with pytest.warns(UserWarning, match=match) as record:
                function(self.Y, scores, **options)
            assert [each.filename for each in record] == [__file__]

    @pytest.mark.parametrize("n_positives", [1, 3, 9, 10, 30, 100])
    @pytest.mark.parametrize("n_rows", quick([200, 1000], 1))
    def test_random_scores_raise_no_warning(self, n_positives, n_rows, subtests):
        y = np.arange(n_rows) < n_positives
        for seed in range(100):  # a warning would be an error
            with subtests.test(seed=seed):
                average_precision_score(y, np.random.default_rng(seed).random(n_rows))

    def test_steps_of_another_height_are_not_judged(self):
        """They may be half as high by definition."""
        scores = np.random.default_rng(0).random(400)
        members = {"heights": lambda _, counts: counts.precision / 2}
        half = type("Half", (Step,), members)()
        average_precision_score(scores < 0.5, scores[::-1], definition=half)

    @pytest.mark.parametrize("share", [0.25, 0.5])
    def test_classes_of_like_sizes_show_reversed_scores_too(self, share):
        y = np.arange(400) < 400 * share
        scores = np.random.default_rng(0).normal(size=400)
        average_precision_score(y, scores)
        with pytest.warns(UserWarning, match="below that of random scores"):
            average_precision_score(y, scores - 1.5 * y)

    @pytest.mark.parametrize("options", [{}, {"average": None}])
    def test_columns_are_told_by_their_mean(self, options):
        """As of docking energies; one of the columns has no positives."""
        rng = np.random.default_rng(0)
        y = (rng.random((600, 5)) < [0, 0.03, 0.04, 0.05, 0.06]).astype(float)
        y[rng.random(y.shape) < 0.3] = np.nan
        scores = rng.normal(size=y.shape)
        options |= {"zero_division": 0.0}
        average_precision_score(y, scores, **options)
        energies = scores - 2 * np.nan_to_num(y)
        for function, given, whose in (
            (average_precision_score, energies, ""),
            (sklearn_ap.average_precision_interval, energies, ""),
            (
                sklearn_ap.compare_average_precision,
                {"dock": energies, "noise": scores},
                "'dock'.*: ",
            ),
        ):
            match = f"^reversed scores: {whose}The mean average precision, 0.0.*, is below that of"
            with pytest.warns(UserWarning, match=match) as record:
                function(y, given, **options)
            assert len(record) == 1

    @pytest.mark.parametrize("options", [{}, {"average": None}, {"average": "weighted"}])
    def test_one_column_is_told_by_its_name(self, options):
        """With gaps, as of an assay whose energies were not turned around."""
        rng = np.random.default_rng(0)
        y = (rng.random((600, 4)) < 0.1).astype(float)
        scores = rng.normal(size=y.shape) + 2 * y
        y[rng.random(y.shape) < 0.3] = np.nan
        turned = scores * [1, 1, -1, 1]
        frame = pd.DataFrame(y, columns=list("abcd"))
        molecule = np.arange(600) // 2
        for function, given, owner in (
            (average_precision_score, turned, ""),
            (partial(sklearn_ap.average_precision_interval, clusters=molecule), turned, ""),
            (sklearn_ap.compare_average_precision, {"A": scores, "B": turned}, "'B'"),
        ):
            for labels, name in ((y, "2"), (frame, "'c'")):
                match = (
                    f"{owner}.*: The average precision for column {name}, 0.0468, .*pass -y_score"
                )
                with pytest.warns(UserWarning, match=match) as record:
                    function(labels, given, **options)
                assert len(record) == 1
            function(y, scores if owner == "" else {"A": scores, "B": scores}, **options)

    def test_each_model_is_told_by_its_mean_or_by_all_its_columns_at_once(self):
        y = np.arange(400)[:, None] % [4, 5, 7] == 0
        scores = y + np.random.default_rng(0).normal(size=y.shape) / 9
        models = {"A": -scores, "B": scores * [-1, 1, -1], "C": scores}
        with pytest.warns(UserWarning, match="is below") as record:
            sklearn_ap.compare_average_precision(y, models, average=None)
        texts = [str(each.message) for each in record]
        assert [text.split(",")[0] for text in texts] == [
            "reversed scores: 'A': The mean average precision",
            "reversed scores: 'B' in '0' and 'B' in '2': The average precision for column 0",
        ]
        assert " The same holds for 2. If high" in texts[1]

    def test_columns_in_another_order_than_the_labels_are_told(self):
        words, order = np.repeat(["a", "b", "c"], 40), [2, 0, 1]
        scores = np.eye(3)[np.repeat([0, 1, 2], 40)] + np.random.default_rng(0).random((120, 3))
        average_precision_score(words, scores)
        with pytest.warns(UserWarning, match="The mean average precision|for class 'a'"):
            average_precision_score(words, scores[:, order])

    def test_scores_at_k_are_told_by_all_ranks(self, subtests):
        """As EF1% of docking energies, which is 0."""
        score = sklearn_ap.precision_at_k_score
        with pytest.warns(UserWarning, match="The average precision, 0.00[0-9]*, is below"):
            assert score(self.Y, self.REVERSED, k=0.01) == 0
        for seed in range(100):  # a warning would be an error
            with subtests.test(seed=seed):
                score(np.arange(50) < 25, np.random.default_rng(seed).random(50), k=5)

    def test_positives_that_were_not_retrieved_raise_no_warning(self):
        found = np.where(np.arange(100) % 5, -np.inf, np.random.default_rng(0).random(100))
        for function in (average_precision_score, sklearn_ap.average_precision_interval):
            function(np.arange(100) < 50, found)

    def test_unequal_weights_need_more_positives(self):
        """Their effective number is what five positives without weights are (Kish 1965)."""
        weight = np.where(np.arange(3333) < 1, 9.0, 1.0)
        for n_positives, is_told in [(11, False), (12, True)]:
            y = np.arange(3333) < n_positives
            hits = weight[y]
            assert (hits.sum() ** 2 / (hits @ hits) >= 4.1) == is_told
            prevalence = hits.sum() / weight.sum()
            for function in (average_precision_score, sklearn_ap.average_precision_interval):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    function(y, self.REVERSED, sample_weight=weight)
                texts = [str(each.message) for each in caught if "random" in str(each.message)]
                assert len(texts) == is_told
                assert all(f"about {prevalence:.3g}:" in text for text in texts)

    @pytest.mark.parametrize("shape", quick([0.3, 2], 1))
    def test_random_scores_with_weights_raise_no_warning(self, shape, subtests):
        for seed in range(300):  # a warning would be an error
            rng = np.random.default_rng(seed)
            y = np.arange(400) < rng.integers(10, 120)
            scores, weight = rng.random(400), rng.gamma(shape, size=400)
            with subtests.test(seed=seed):
                average_precision_score(y, scores, sample_weight=weight)

    def test_queries_of_many_positives_and_of_few_need_not_be_ranked_alike(self, subtests):
        query, y = np.repeat([0, 1], 100), np.r_[np.arange(100) < 98, np.arange(100) < 2]
        for seed in range(100):  # a warning would be an error
            with subtests.test(seed=seed):
                scores = np.random.default_rng(seed).random(200)
                average_precision_score(y, scores, queries=query)

    def test_many_scores_a_little_below_random_ones_raise_no_warning(self):
        y = np.arange(20_000) < 10_000
        average_precision_score(y, np.random.default_rng(0).normal(size=20_000) - 0.4 * y)

    def test_reversed_scores_beside_positives_that_were_not_retrieved_raise_no_warning(self):
        y = np.arange(200) < 60
        average_precision_score(y, np.where(np.arange(200) < 20, -np.inf, np.arange(200.0)))

    def test_heavy_negatives_leave_as_little_to_judge_by(self, subtests):
        y = np.arange(110) < 100
        for seed in range(300):  # a warning would be an error
            rng = np.random.default_rng(seed)
            weight = np.where(y, 1.0, np.exp(2 * rng.normal(size=110)))
            with subtests.test(seed=seed):
                average_precision_score(y, rng.random(110), sample_weight=weight)

    @pytest.mark.parametrize("average", ["macro", "micro", None])
    @pytest.mark.parametrize("gaps", [0, 0.05])
    def test_columns_that_share_rows_and_errors_tell_as_little_as_one(
        self, average, gaps, subtests
    ):
        for seed in range(60):  # a warning would be an error
            rng = np.random.default_rng(seed)
            y = np.where(rng.random((100, 20)) < gaps, np.nan, np.arange(100)[:, None] < 8)
            scores = rng.random((100, 1)) + np.arange(20)
            with subtests.test(seed=seed):
                average_precision_score(y, scores, average=average, zero_division=0.0)

    def test_scores_somewhat_below_random_ones_raise_no_warning(self):
        y_true = [1, 0] * 10 + [0] * 5 + [1] * 10
        value = average_precision_score(y_true, -np.arange(35.0))
        assert 0.65 < value / (20 / 35) < 1

    def test_low_scores_of_positives_alone_raise_no_warning(self):
        """Half of them were not retrieved, and there is no negative to rank first."""
        y_score = np.where(np.arange(10) < 5, -np.inf, np.arange(10))
        assert average_precision_score([1] * 10, y_score) == 0.5

    def test_labels_of_nearly_all_rows_and_few_levels_are_told(self):
        """As of "ok" in the place of "fraud", whose score looks high; and of stars from 1 to 3."""
        rng = np.random.default_rng(0)
        fraud = np.arange(4000) < 48
        with pytest.warns(
            UserWarning, match="The average precision, 0.973, .*about 0.988.*other lab"
        ):
            average_precision_score(~fraud, fraud + rng.normal(size=4000))
        y = np.arange(200) < 60
        stars = np.digitize(rng.normal(size=200) - y, [-1, 0])
        with pytest.warns(UserWarning, match="of the negatives score above a positive"):
            average_precision_score(y, stars)

    def test_queries_are_told_by_their_mean(self):
        """As of distances; random orders of one relevant row in ten score 0.293."""
        query, rng = np.repeat(np.arange(60), 10), np.random.default_rng(0)
        y = np.arange(600) % 10 == 0
        distance = rng.normal(size=600) - y
        average_precision_score(y, rng.random(600), queries=query)
        models = {"near": -distance, "far": distance}
        for k in ({}, {"definition": sklearn_ap.definitions.PrecisionAtK(3)}):
            with pytest.warns(UserWarning, match="'far': The mean average pre.*, about 0.293: "):
                sklearn_ap.compare_average_precision(y, models, queries=query, **k)

    def test_few_positives_and_other_options_raise_no_warning(self):
        average_precision_score(self.Y[6:], self.REVERSED[6:])
        average_precision_score(*self.ROWS, queries=self.Y, zero_division=0.0)
        average_precision_score(*self.ROWS, prevalence=0.5)
        for function in (average_precision_score, sklearn_ap.average_precision_interval):
            function(*self.ROWS, n_positives=12)


def test_integers_of_two_values_are_told_to_be_classes():
    y_true, classes = [0, 1] * 10, np.array([0, 1] * 10)
    with pytest.warns(UserWarning, match="look like predicted classes.*give them as floats"):
        average_precision_score(y_true, classes)
    assert average_precision_score(y_true, classes.astype(float)) == 1  # as the leaves of a tree


def test_hit_curve_ends_at_the_last_retrieved_row():
    detected, hits, thresholds = hit_curve([1, 0, 1, 0], [0.9, 0.8, -np.inf, -np.inf])
    np.testing.assert_allclose(detected, [0, 1 / 4, 1 / 2])
    np.testing.assert_allclose(hits, [0, 1 / 4, 1 / 4])
    np.testing.assert_array_equal(thresholds, [np.inf, 0.9, 0.8])
    assert [len(part) for part in hit_curve([1, 0], [-np.inf] * 2)][:2] == [1, 1]


def test_hit_curve_of_weighted_rows_ends_at_1():
    rng = np.random.default_rng(0)
    for _ in range(20):
        weight, scores = rng.random((2, 50))
        assert hit_curve([0, 1] * 25, scores, sample_weight=weight).detected[-1] == 1


@pytest.mark.parametrize("score", [average_precision_at_k_score, precision_at_k_score])
def test_k_beyond_the_total_weight_but_not_all_rows_raises_a_warning(score):
    rows = [0, 1, 1, 0], [1, 4, 3, 2]
    for k, weight, queries in ((3, [0.25] * 4, None), (2, [1, 1, 0.5, 0.5], [1, 1, 2, 2])):
        match = f"k={k} exceeds the total of sample_weight"
        with pytest.warns(UserWarning, match=match) as record:
            score(*rows, k=k, sample_weight=weight, queries=queries)
        assert record[0].filename == __file__
    for k, weight in ((5, 0.25), (3, 1.0), (1, 0.25), (4, 1 - 1e-12)):
        score(*rows, k=k, sample_weight=[weight] * 4)


@pytest.mark.parametrize("value", [0.5, -1, np.inf, "nan"])
def test_other_scores_of_rankings_without_positives_are_refused(value):
    with pytest.raises(ValueError, match="zero_division must be"):
        average_precision_score([1, 0], [2, 1], zero_division=value)
    with pytest.raises(TypeError, match="zero_division must be"):
        average_precision_score([1, 0], [2, 1], zero_division=[value])


def test_eleven_point_average_precision_averages_eleven_precisions():
    """Of 1 0 1: 1 at the recalls 0, 0.1 ... 0.5, and 2/3 from 0.6 on."""
    score = sklearn_ap.eleven_point_average_precision_score([1, 0, 1], [3, 2, 1])
    assert score == pytest.approx((6 + 5 * 2 / 3) / 11)


@pytest.mark.parametrize(
    ("normalizer", "divisor"), [("attainable", 3), ("positives", 4), ("hits", 2), ("k", 3)]
)
def test_average_precision_at_k_is_divided_by_what_the_user_says(normalizer, divisor):
    """The top 3 are 1 0 1, of four positives."""
    y_true, y_score = [1, 0, 1, 1, 1], [5, 4, 3, 2, 1]
    score = average_precision_at_k_score(y_true, y_score, k=3, normalizer=normalizer)
    assert score == pytest.approx((1 + 2 / 3) / divisor)


@pytest.mark.parametrize("zero_division", [0.0, 1.0, np.nan])
def test_counts_without_a_positive_score_what_the_user_says(zero_division):
    counts = sklearn_ap.threshold_counts([0, 0], [1, 2])
    found = sklearn_ap.score_from_counts(counts, zero_division=zero_division)
    np.testing.assert_equal(found, zero_division)


def test_a_thread_keeps_its_own_warnings_alone():
    def hear(seconds):
        with hear_warnings() as heard:
            warn(f"of {seconds}", UserWarning)
            sleep(seconds)
        return [str(warning) for warning in heard]

    filters = [*warnings.filters]
    with ThreadPoolExecutor(2) as pool:
        heard = pool.map(hear, [0.05, 0.1])
        with pytest.warns(UserWarning, match="of the user"):
            warn("of the user", UserWarning)
        assert [*heard] == [["of 0.05"], ["of 0.1"]]
    assert warnings.filters == filters
