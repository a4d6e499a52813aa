"""Worked examples of four texts, with the numbers that their authors print.

What these texts say of every ranking is in ``test_laws_of_recall_and_precision.py``.
"""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import fbeta_score, precision_recall_curve, roc_auc_score

from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    definitions,
    eleven_point_average_precision_score,
    hit_curve,
    interpolated_average_precision_score,
    precision_at_k_score,
    recall_at_k_score,
    threshold_counts,
)
from sklearn_ap.definitions import Expected, PrecisionAtRecall, RecallAtPrecision


def ranks(n):
    return np.arange(n, 0, -1) / n


def linear(*rows):
    return definitions.Linear()(threshold_counts(*rows))[0]


def at_cutoffs(score, hits):
    """A score at k for each k."""
    return [score(hits, ranks(len(hits)), k=k) for k in range(1, len(hits) + 1)]


def terms(hits):
    """The precision at each rank, and how much recall rises there, as fractions."""
    n_hits = np.cumsum(hits).tolist()
    precisions = [Fraction(found, rank) for rank, found in enumerate(n_hits, 1)]
    return precisions, [Fraction(hit, sum(hits)) for hit in hits]


def summed(hits):
    return float(sum(map(Fraction.__mul__, *terms(hits))))


class TestMcCannGeeseAndAirplanes:
    """McCann (2011), "It's a bird... it's a plane... it... depends on your classifier's threshold".

    Tests begin with its section, or the number of the answer below it.
    """

    HITS = np.array([1, 1, 0, 1, 0, 1, 0, 0, 0, 1])  # an airplane is 1, a goose 0
    PERCENT = (
        *((100, 20), (100, 40), (66, 40), (75, 60), (60, 60)),
        *((66, 80), (57, 80), (50, 80), (44, 80), (50, 100)),
    )

    def test_geese_and_airplanes_confusion_matrix_of_four_retrieved_images(self):
        counts = threshold_counts(self.HITS, ranks(10) >= 0.7)
        tp, fp = int(counts.tps[0]), int(counts.fps[0])
        assert (tp, fp) == (3, 1)
        false_negatives = int(counts.n_positives[0]) - tp
        true_negatives = int(counts.n_negatives[0]) - fp
        assert (false_negatives, true_negatives) == (2, 4)
        assert (counts.precision[0], counts.recall[0]) == (0.75, 0.6)

    def test_precision_and_recall_at_every_cutoff(self):
        found = zip(
            *(at_cutoffs(of, self.HITS) for of in (precision_at_k_score, recall_at_k_score)),
            strict=True,
        )
        # the text cuts off the decimals
        assert tuple((int(100 * p), int(100 * r)) for p, r in found) == self.PERCENT

    def test_geese_and_airplanes_precision_and_recall_trade_off(self):
        """40% recall without sacrificing any precision; at 100% recall, precision is 50%."""
        for definition, value in ((RecallAtPrecision(1.0), 0.4), (PrecisionAtRecall(1.0), 0.5)):
            assert average_precision_score(self.HITS, ranks(10), definition=definition) == value

    def test_average_precision_as_the_sum_of_ten_printed_terms(self):
        printed = [1, 1, 0.66, 0.75, 0.6, 0.66, 0.57, 0.5, 0.44, 0.5]
        rises = [0.2, 0.2, 0, 0.2, 0, 0.2, 0, 0, 0, 0.2]
        assert np.dot(printed, rises) == pytest.approx(0.782, abs=1e-12)
        precisions, exact_rises = terms(self.HITS.tolist())
        assert [int(100 * p) / 100 for p in precisions] == printed
        assert [*map(float, exact_rises)] == rises
        # 0.782 is 0.7833 with two digits of each precision
        found = average_precision_score(self.HITS, ranks(10))
        assert found == pytest.approx(summed(self.HITS.tolist()), abs=1e-15)
        assert found == pytest.approx(47 / 60, abs=1e-15)

    def test_interpolated_average_precision_is_the_same_as_no_later_point_is_higher(self):
        found = interpolated_average_precision_score(self.HITS, ranks(10))
        assert found == pytest.approx(47 / 60, abs=1e-15)

    def test_eleven_point_average_precision(self):
        # levels 0-.4: 1; .5 and .6: 3/4; .7 and .8: 4/6; .9 and 1: 1/2
        expected = (5 * 1 + 2 * 3 / 4 + 2 * 4 / 6 + 2 * 1 / 2) / 11
        assert eleven_point_average_precision_score(self.HITS, ranks(10)) == pytest.approx(expected)

    def test_answer_1_mean_average_precision_is_the_mean_over_queries(self):
        """Cars, chairs, people and lamps."""
        rng = np.random.default_rng(0)
        kinds = np.repeat(["car", "chair", "people", "lamp"], 10)
        y_true, y_score = rng.permutation(np.arange(40) % 3 == 0), rng.random(40)
        each = [average_precision_score(y_true[kinds == k], y_score[kinds == k]) for k in {*kinds}]
        found = average_precision_score(y_true, y_score, queries=kinds)
        assert found == pytest.approx(np.mean(each), abs=1e-15)

    def test_answer_3_precision_at_rank_1_is_how_often_the_first_result_is_right(self):
        queries = np.repeat(np.arange(4), 3)
        y_true = [1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1]  # the first is right in 2 of 4
        y_score = np.tile([3, 2, 1], 4)
        assert precision_at_k_score(y_true, y_score, k=1, queries=queries) == 0.5

    def test_question_5_an_ideal_classifier(self):
        ideal = np.sort(self.HITS)[::-1]
        assert precision_at_k_score(ideal, ranks(10), k=5) == 1
        assert recall_at_k_score(ideal, ranks(10), k=5) == 1

    def test_answer_8_any_decreasing_scores_will_do(self):
        for y_score in (ranks(10), -np.arange(10), np.exp(-np.arange(10.0)), 1e9 - np.arange(10)):
            found = average_precision_score(self.HITS, y_score)
            assert found == pytest.approx(47 / 60, abs=1e-15)

    def test_answer_9_recall_rises_from_0_before_the_first_result(self):
        detected, hits, _ = hit_curve(self.HITS, ranks(10))
        assert (detected[0], hits[0]) == (0, 0)
        assert hits[1] / hits[-1] == 0.2


class TestDingwallOrangesAndApples:
    """Dingwall (2016), "Stepping away from linear interpolation"."""

    ORANGES = np.array([1, 1, 0, 1, 0, 1, 1, 0, 0, 0])
    PRECISIONS = (1.00, 1.00, 1.00, 0.67, 0.75, 0.60, 0.67, 0.71, 0.62, 0.56, 0.50)
    Y_TRUE = np.arange(100) < 10
    CONSTANT = np.full(100, 0.5)
    # One of each class at the top.
    IMPROVED = np.where(np.isin(np.arange(100), [0, 99]), 0.8, 0.5)

    def test_a_threshold_finds_four_oranges_and_two_apples(self):
        """Recall 4/5, precision 4/6."""
        assert recall_at_k_score(self.ORANGES, ranks(10), k=6) == 0.8
        assert precision_at_k_score(self.ORANGES, ranks(10), k=6) == pytest.approx(4 / 6)

    def test_precision_at_eleven_thresholds(self):
        """The first calls nothing an orange: 0/0 is taken as 1."""
        assert len(hit_curve(self.ORANGES, ranks(10)).thresholds) == 11
        found = [1.0, *at_cutoffs(precision_at_k_score, self.ORANGES)]
        np.testing.assert_allclose(found, self.PRECISIONS, atol=0.005 + 1e-12)

    def test_the_mean_of_the_precisions_ignores_recall(self):
        assert np.mean(self.PRECISIONS) == pytest.approx(0.7345, abs=5e-5)
        # 5 positives and 3 negatives. At 0.8 half are positive, of 4 and of 2.
        y_true = [1, 1, 1, 1, 1, 0, 0, 0]
        models = [8, 8, 5, 5, 5, 8, 8, 5], [8, 5, 5, 5, 5, 8, 5, 5]
        counts = [threshold_counts(y_true, y_score) for y_score in models]
        assert [each.precision[0] for each in counts] == [0.5, 0.5]
        assert [each.recall[0] for each in counts] == [0.4, 0.2]
        assert counts[0].precision.mean() == counts[1].precision.mean()
        # 2/5 * 1/2 + 3/5 * 5/8 and 1/5 * 1/2 + 4/5 * 5/8
        found = [average_precision_score(y_true, y_score) for y_score in models]
        assert found == pytest.approx([0.575, 0.6], abs=1e-15)

    def test_a_constant_score_has_two_operating_points(self):
        detected, hits, thresholds = hit_curve(self.Y_TRUE, self.CONSTANT)
        assert (detected.tolist(), hits.tolist()) == ([0, 1], [0, 0.1])
        assert thresholds.tolist() == [np.inf, 0.5]

    def test_a_straight_line_shows_a_precision_that_no_threshold_attains(self):
        """0.8 at a recall of 0.2, where the only thresholds have 1.0 and 0.1."""
        recall, precision = definitions.Linear().line(threshold_counts(self.Y_TRUE, self.CONSTANT))
        assert np.interp(0.2, recall, precision) == pytest.approx(0.82)
        for recall in (0.001, 0.2, 1.0):
            options = {"definition": PrecisionAtRecall(recall)}
            found = average_precision_score(self.Y_TRUE, self.CONSTANT, **options)
            assert found == pytest.approx(0.1)

    @pytest.mark.parametrize(("n", "most"), [(100, 0.05), (100_000, 0.001)])
    def test_noise_breaks_ties_and_comes_closer_to_the_steps_with_more_items(self, n, most):
        y_true = np.arange(n) < n / 10
        noise = np.random.default_rng(0).normal(scale=0.1, size=n)
        assert abs(average_precision_score(y_true, noise) - 0.1) < 2 * most
        expected = average_precision_score(y_true, np.zeros(n), definition=Expected())
        assert abs(expected - 0.1) < most

    def test_step_and_linear_scores_rank_two_models_differently(self):
        """The do-nothing model has the higher linear score, and the better model the higher step.

        The better model finds 1 of 10 positives at the cost of 1 of 90 negatives.
        """
        models = self.CONSTANT, self.IMPROVED
        step = [average_precision_score(self.Y_TRUE, y_score) for y_score in models]
        assert step == pytest.approx([0.10, 0.14], abs=1e-15)
        straight = [linear(self.Y_TRUE, y_score) for y_score in models]
        assert straight == pytest.approx([0.55, 0.345], abs=1e-15)
        counts = threshold_counts(self.Y_TRUE, self.IMPROVED)
        assert (counts.recall[0], counts.fps[0] / counts.n_negatives[0]) == (0.1, 1 / 90)

    def test_rounding_raises_the_linear_score_and_lowers_the_step(self):
        """5,000 samples with 5% positives, a ROC AUC of 0.6, rounded to tenths."""
        rng = np.random.default_rng(0)
        y_true = np.arange(5000) < 250
        exact = 1 / (1 + np.exp(-2 * rng.normal(loc=0.36 * y_true)))
        assert roc_auc_score(y_true, exact) == pytest.approx(0.6, abs=0.02)
        rounded = exact.round(1)
        assert linear(y_true, rounded) > linear(y_true, exact) + 0.01
        step = [average_precision_score(y_true, y_score) for y_score in (exact, rounded)]
        assert step[0] > step[1] + 0.001


class TestZhuTwoAlgorithms:
    """Zhu (2004), "Recall, precision and average precision", University of Waterloo."""

    # Table 1, by algorithm: hits, and p(i) as printed
    TABLE_1 = (
        ([1, 1, 0, 1, 0, 0, 0, 0, 0, 0], "1/1 2/2 2/3 3/4 3/5 3/6 3/7 3/8 3/9 3/10", 0.92),
        ([1, 0, 0, 1, 0, 0, 0, 1, 0, 0], "1/1 1/2 1/3 2/4 2/5 2/6 2/7 3/8 3/9 3/10", 0.63),
    )
    # Table 2, by hit curve: what is printed
    TABLE_2 = ((1.00, "perfect"), (0.26, "A"), (0.20, "B"), (0.05, "random"))

    @pytest.mark.parametrize("n_positives", [1, 5, 50])
    def test_example_1_random_selection(self, n_positives):
        """h(t) is pi t, so each fraction t of equal scores has the share pi: AP is pi."""
        y_true = np.arange(100) < n_positives
        detected, hits, _ = hit_curve(y_true, np.zeros(100))
        assert hits.tolist() == (n_positives / 100 * detected).tolist()
        for definition in (definitions.Step(), definitions.Hyperbolic()):
            found = average_precision_score(y_true, np.zeros(100), definition=definition)
            assert found == pytest.approx(n_positives / 100, abs=1e-15)

    @pytest.mark.parametrize("n_positives", [1, 5, 50])
    def test_example_2_perfect_detection(self, n_positives):
        """h(t) is t until all are found, and then stays pi: AP is 1."""
        y_true = np.arange(100) < n_positives
        detected, hits, _ = hit_curve(y_true, ranks(100))
        np.testing.assert_allclose(hits, np.minimum(detected, n_positives / 100), atol=1e-15)
        assert average_precision_score(y_true, ranks(100)) == 1

    @pytest.mark.parametrize(("hits", "precisions", "printed"), TABLE_1)
    def test_example_3_and_table_1(self, hits, precisions, printed):
        expected = [*map(Fraction, precisions.split())]
        found, rises = terms(hits)
        assert found == expected
        assert {*rises} == {Fraction(1, 3), Fraction(0)}
        ours = at_cutoffs(precision_at_k_score, hits)
        np.testing.assert_allclose(ours, [*map(float, expected)], rtol=0, atol=1e-15)
        value = average_precision_score(hits, ranks(10))
        assert value == pytest.approx(summed(hits), abs=1e-15)
        assert abs(value - printed) <= 0.005 + 1e-12

    def rankings(self):
        """The four hit curves of figure 2, with 5% relevant: A finds many early, B goes on longer.

        Zhu prints no formula. Each is a share of the relevant items with a decaying rate, and the
        others at a constant rate.
        """
        t = np.arange(1, 10_001) / 10_000

        def ranking(share, speed):
            early = (1 - np.exp(-t / speed)) / (1 - np.exp(-1 / speed))
            recall = share * early + (1 - share) * t
            hits = np.zeros(t.size, int)
            hits[np.searchsorted(recall, (np.arange(500) + 0.5) / 500)] = 1
            return hits, -t

        perfect = (t <= 0.05).astype(int)
        curves = {"perfect": (perfect, -t), "A": ranking(0.275, 0.015), "B": ranking(0.566, 0.08)}
        return curves | {"random": (perfect, np.zeros(t.size))}

    def test_table_2(self):
        rankings = self.rankings()
        for printed, name in self.TABLE_2:
            assert round(average_precision_score(*rankings[name]), 2) == printed

    def test_section_4_1_the_larger_area_under_the_hit_curve_has_the_lower_average_precision(self):
        curves = {name: hit_curve(*self.rankings()[name]) for name in ("A", "B")}
        area = {name: np.trapezoid(hits, t) for name, (t, hits, _) in curves.items()}
        assert area["A"] < area["B"]
        ahead = np.sign(curves["A"].hits - curves["B"].hits)
        ahead = ahead[ahead != 0]
        assert (ahead[0], ahead[-1]) == (1, -1)  # they cross, and A is ahead at first

    def test_section_4_2_two_halves_keep_the_share_of_active_compounds(self):
        """The scores of table 3 are of data that are not public: no test can repeat them."""
        for n_active, n_compounds in ((608, 29_812), (304, 14_906)):
            y_true = np.arange(n_compounds) < n_active
            found = average_precision_score(y_true, np.zeros(n_compounds))
            assert round(found, 2) == 0.02


class TestGormanConfidentModels:
    """Gorman's text on average precision, with two models that call the same rows positive."""

    TRUTHS = np.array([1, 1, 0, 0, 1, 1, 0, 0])
    A = np.array([0.95, 0.85, 0.73, 0.62, 0.48, 0.39, 0.12, 0.04])
    B = np.array([0.55, 0.59, 0.88, 0.97, 0.20, 0.09, 0.43, 0.32])
    # What set.seed(4); trues <- rnorm(6); falses <- rnorm(10, -1) gives in R, rounded as there
    TRUES = (0.217, -0.542, 0.891, 0.596, 1.636, 0.689)
    FALSES = (-2.281, -1.213, 0.897, 0.777, -0.433, -0.984, -0.617, -1.045, -0.966, -0.831)
    TOP = np.array([1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0])  # 12 movies, of which 4 are relevant

    @pytest.mark.parametrize("beta", [0.5, 1, 2])
    def test_precision_recall_and_f_scores_of_both_models_are_the_same(self, beta):
        for y_score in (self.A, self.B):
            calls = y_score >= 0.5
            counts = threshold_counts(self.TRUTHS, calls)
            precision, recall = counts.precision[0], counts.recall[0]
            assert (precision, recall) == (0.5, 0.5)
            f_score = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
            assert f_score == pytest.approx(fbeta_score(self.TRUTHS, calls, beta=beta))

    @pytest.mark.parametrize(("name", "exact", "printed"), [
        ("A", (1 / 1 + 2 / 2 + 3 / 5 + 4 / 6) / 4, 0.817),
        ("B", (1 / 3 + 2 / 4 + 3 / 7 + 4 / 8) / 4, 0.440),
    ])  # fmt: skip
    def test_average_precision_of_both_models(self, name, exact, printed):
        found = average_precision_score(self.TRUTHS, getattr(self, name))
        assert found == pytest.approx(exact, abs=1e-15)
        assert found == pytest.approx(printed, abs=1e-3)

    def test_precision_recall_curve_of_model_a_is_higher_everywhere(self):
        for recall in np.linspace(0.01, 1, 100):
            of_a, of_b = (
                average_precision_score(self.TRUTHS, y_score, definition=PrecisionAtRecall(recall))
                for y_score in (self.A, self.B)
            )
            assert of_a > of_b

    def test_precision_and_recall_at_one_threshold(self):
        """Two of three positives above the threshold, and no negative: (0.67, 1.00)."""
        counts = threshold_counts([1, 1, 0, 0, 1, 0], ranks(6))
        assert [round(float(counts.recall[1]), 2), counts.precision[1]] == [0.67, 1.0]

    def test_riemann_sum_is_a_mean_over_true_instances(self):
        """Those with a width all have the same, 1/6, so the sum is a mean over true instances."""
        y_true, y_score = np.repeat([1, 0], [6, 10]), np.array(self.TRUES + self.FALSES)
        precision, recall, _ = precision_recall_curve(y_true, y_score)
        widths = -np.diff(recall)
        np.testing.assert_allclose(widths[widths > 0], 1 / 6)
        found = average_precision_score(y_true, y_score)
        assert found == pytest.approx(widths @ precision[:-1], abs=1e-15)
        exact = (1 / 1 + 2 / 3 + 3 / 5 + 4 / 6 + 5 / 7 + 6 / 9) / 6
        assert found == pytest.approx(exact, abs=1e-15)

    def test_fewer_than_k_true_instances_keep_precision_at_k_below_1(self):
        """With n of them, it is n/k at most."""
        best = np.sort(self.TOP)[::-1]
        for k in range(5, 13):
            assert precision_at_k_score(best, ranks(12), k=k) == pytest.approx(4 / k)

    def test_fewer_than_k_retrieved_count_as_if_false_positives_followed(self):
        y_score = np.where(np.arange(12) < 3, ranks(12), -np.inf)  # m = 3 were retrieved
        for k in range(3, 13):
            found = precision_at_k_score(self.TOP, y_score, k=k)
            assert found == pytest.approx(2 / k)

    def test_average_precision_at_3(self):
        """(1.00 + 1.00) / min(3, 4)."""
        found = average_precision_at_k_score(self.TOP, ranks(12), k=3)
        assert found == pytest.approx(2 / 3, abs=1e-15)
        assert round(found, 3) == 0.667

    def test_average_precision_at_k_is_not_a_mean_of_precisions(self):
        mean = np.mean([precision_at_k_score(self.TOP, ranks(12), k=k) for k in (1, 2, 3)])
        assert mean == pytest.approx((1 + 1 + 2 / 3) / 3)
        found = average_precision_at_k_score(self.TOP, ranks(12), k=3)
        assert abs(mean - found) > 0.2

    def test_average_precision_at_k_is_rescaled_to_a_maximum_of_1(self):
        """The area left of the third point, 1/2, times (1/3) / (1/4)."""
        area = 2 * 1 / 4
        found = average_precision_at_k_score(self.TOP, ranks(12), k=3)
        assert found == pytest.approx(area * (1 / 3) / (1 / 4), abs=1e-15)
        best = np.sort(self.TOP)[::-1]
        assert average_precision_at_k_score(best, ranks(12), k=3) == 1

    @pytest.mark.parametrize(
        ("normalizer", "value"),
        [("attainable", 2 / 3), ("positives", 2 / 4), ("hits", 2 / 2), ("k", 2 / 3)],
    )
    def test_average_precision_at_k_with_each_divisor(self, normalizer, value):
        """The text takes the lesser of k and the true instances."""
        found = average_precision_at_k_score(self.TOP, ranks(12), k=3, normalizer=normalizer)
        assert found == pytest.approx(value, abs=1e-15)

    def test_fewer_true_instances_than_k_set_the_divisor(self):
        found = average_precision_at_k_score(self.TOP, ranks(12), k=6)
        assert found == pytest.approx((1 + 1 + 3 / 5) / 4, abs=1e-15)
