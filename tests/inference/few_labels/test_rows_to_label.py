"""Average precision from few labels and a judge, and the choice of the rows to label."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sklearn_ap import (
    UncertaintyWarning,
    average_precision_interval,
    average_precision_score,
    compare_average_precision,
    rows_to_label,
)
from sklearn_ap.definitions import AtK, Expected
from tests.helpers.first_cases import quick

NAN, INF = np.nan, np.inf
N = 2000
NUMBERS = ("estimate", "standard_error", "low", "high", "n_positives", "n_effective")


@pytest.fixture(scope="module")
def rows():
    """Labels of all rows, scores, and the labels that a random sample of 600 rows shows."""
    rng = np.random.default_rng(0)
    truth = (rng.random(N) < 0.2).astype(int)
    seen = np.isin(np.arange(N), rng.choice(N, 600, replace=False))
    return truth, truth + rng.normal(size=N), np.where(seen, truth, NAN)


def numbers(result):
    return [getattr(result, name) for name in NUMBERS]


def kinds_of(caught):
    return [each.message.name for each in caught]


# ---- by hand, from the equations


def influence(hit, score, weight):
    """What a row adds to step average precision, times the sum of positive weights."""
    order = np.argsort(-score)
    y, w = hit[order], weight[order]
    tp, n = np.cumsum(w * y), np.cumsum(w)
    positives = tp[-1]
    value = np.sum(w * y * tp / n) / positives
    below = np.cumsum((w * y * (1 - tp / n) / n)[::-1])[::-1]
    wrong = np.cumsum((w * y * tp / n / n)[::-1])[::-1]
    found = np.empty(hit.size)
    found[order] = w * np.where(y, tp / n - value + below, -wrong) / positives
    return found


def test_chosen_labels_have_the_documented_worth(rows):
    truth, score, _ = rows
    plan = rows_to_label(score, 400, rng=3)
    seen, q = np.isin(np.arange(N), plan.rows), plan.inclusion_probability
    labels = np.where(seen, truth, NAN)
    found = average_precision_interval(labels, score, inclusion_probability=q)
    q = q[seen]
    phi = influence(truth[seen] == 1, score[seen], 1 / q)
    both = np.concatenate((np.sqrt(1 - q) * phi, np.sqrt(q) * phi))
    assert found.notes["worth_of_labels"] == pytest.approx(
        np.sum(1 / q) * np.sum(q * phi**2) / np.sum(both**2)
    )


# ---- what must hold


PLAIN = [{}, {"sample_weight": np.where(np.arange(N) % 9, 1, 90)}, {"clusters": np.arange(N) // 3}]


@pytest.mark.parametrize("options", [*PLAIN, {"prevalence": 0.02}])
@pytest.mark.parametrize("probability", [1.0, "equal", np.ones(N)])
def test_if_all_rows_have_labels_the_result_is_that_of_rows(rows, options, probability):
    truth, score, _ = rows
    given = options | {"inclusion_probability": probability}
    assert repr(average_precision_interval(truth, score, **given)) == repr(
        average_precision_interval(truth, score, **options)
    )
    models = {"a": score, "b": score + truth}
    assert repr(compare_average_precision(truth, models, **given)) == repr(
        compare_average_precision(truth, models, **options)
    )


@pytest.mark.parametrize("options", [{"inclusion_probability": "equal"}, {"judge": np.ones(N)}])
def test_rows_of_weight_0_may_lack_labels(rows, options):
    truth, score, _ = rows
    has_weight = np.arange(N) < 1500
    seen, options = np.where(has_weight, truth, NAN), options | {"sample_weight": 1.0 * has_weight}
    found = average_precision_interval(seen, score, **options)
    expected = average_precision_interval(truth[:1500], score[:1500])
    np.testing.assert_allclose(numbers(found), numbers(expected))


@pytest.mark.filterwarnings("ignore:hidden positives", "ignore:few clusters")
@pytest.mark.parametrize("way", ["bands", "clusters", "weights", "plan"])
@pytest.mark.parametrize("seed", quick(range(5), 2))
def test_rows_without_a_label_may_be_left_out(way, seed):
    """Labelled rows stand for all, so that a billion others need not be passed."""
    clusters, weight = np.arange(N) // 5, np.where(np.arange(N) % 9, 1.0, 30.0)
    rng = np.random.default_rng(seed)
    truth = rng.random(N) < 0.05
    score = 2 * truth + rng.normal(size=N)
    band = np.digitize(score, [1.0, 2.0])
    q = np.array([0.05, 0.3, 0.9])[band]
    drawn = [
        rng.choice(np.flatnonzero(band == each), round(size), replace=False)
        for each, size in enumerate(np.bincount(band) * [0.05, 0.3, 0.9])
    ]
    seen = np.isin(np.arange(N), np.concatenate(drawn))
    given = {}
    if way == "clusters":
        q = np.where(clusters % 2, 0.1, 0.5)
        seen = (rng.random(N // 5) < q[::5])[clusters]
        given = {"clusters": clusters}
    elif way == "weights":
        given = {"sample_weight": weight}
    elif way == "plan":
        plan = rows_to_label(score, 200, rng=seed)
        q, seen = plan.inclusion_probability, np.isin(np.arange(N), plan.rows)
    given["inclusion_probability"] = q
    alone = {
        name: values if np.ndim(values) == 0 else values[seen] for name, values in given.items()
    }
    labels, models = np.where(seen, truth, NAN), {"a": score, "b": score + truth}
    of_all = average_precision_interval(labels, score, **given)
    found = average_precision_interval(truth[seen], score[seen], **alone)
    assert numbers(found) == numbers(of_all)
    assert found.notes == of_all.notes
    of_all = compare_average_precision(labels, models, **given)
    models = {name: values[seen] for name, values in models.items()}
    found = compare_average_precision(truth[seen], models, **alone)
    assert found.difference_low[-1] == of_all.difference_low[-1]
    assert found.difference_high[-1] == of_all.difference_high[-1]


def test_labelled_rows_alone_print_no_number_of_all_rows(rows):
    truth, score, _ = rows
    found = average_precision_interval(truth, score, inclusion_probability=0.1)
    assert f"{found.sample.n_labelled:,} labelled rows" in found.heading


@pytest.mark.parametrize("says", [1, 0.3, "no of all labelled rows"])
def test_judge_constant_on_labelled_rows_changes_nothing(rows, says):
    _, score, seen = rows
    judge = np.isnan(seen) * 1 if isinstance(says, str) else np.full(N, says)
    plain = average_precision_interval(seen, score, inclusion_probability="equal")
    found = average_precision_interval(seen, score, judge=judge)
    assert numbers(found) == numbers(plain)
    by_judge = average_precision_score(judge, score) if isinstance(says, str) else says
    assert found.notes["judge_score"] == pytest.approx(by_judge)


def test_perfect_judge_gives_nearly_the_score_of_all_rows(rows):
    truth, score, seen = rows
    of_all = average_precision_interval(truth, score)
    with pytest.warns(UncertaintyWarning, match=r"^copied labels: The judge agrees with all "):
        found = average_precision_interval(seen, score, judge=truth)
    assert found.notes["judge_weight"] == pytest.approx(1.0)
    assert found.notes["judge_score"] == pytest.approx(of_all.estimate)
    assert found.estimate == pytest.approx(of_all.estimate)
    assert found.standard_error == pytest.approx(of_all.standard_error, rel=0.15)
    assert found.notes["worth_of_labels"] == pytest.approx(N)


@pytest.mark.filterwarnings("ignore:reversed scores:sklearn_ap.UncertaintyWarning")
def test_scores_do_not_depend_on_other_models(rows):
    truth, score, seen = rows
    judge = np.where(np.arange(N) % 10, truth, 1 - truth)
    alone = average_precision_interval(seen, score, judge=judge)
    models = {"-": -score, "a": score, "+": score + truth}
    for reference, names in (("-", ["-", "a", "+"]), ("best", ["+", "a", "-"])):
        found = compare_average_precision(seen, models, judge=judge, reference=reference)
        assert [*found.names] == names
        assert (found.estimate[1], found.low[1], found.high[1]) == (
            alone.estimate,
            alone.low,
            alone.high,
        )


def test_nothing_is_said_of_a_standard_error_that_a_handful_of_positives_gives():
    rng = np.random.default_rng(2)
    y_true = (rng.random(100_000) < 0.01).astype(float)
    score = 4 * y_true + rng.normal(size=100_000)
    is_top = score > np.quantile(score, 0.9975)
    q = np.where(is_top, 1, 250 / np.sum(~is_top))
    is_seen = is_top | (rng.random(100_000) < q)
    y_true[~is_seen] = NAN
    found = average_precision_interval(y_true, score, inclusion_probability=q)
    assert found.n_effective < 10
    assert found.notes["worth_of_labels"] > 0
    assert "random sample" not in str(found)


def test_few_labels_have_no_margin(rows):
    _, score, seen = rows
    given, models = {"inclusion_probability": "equal"}, {"a": score, "b": score / 2}
    with pytest.raises(ValueError, match="margin is for step average precision of one ranking"):
        compare_average_precision(seen, models, margin=0.05, **given)


# ---- inputs


@pytest.mark.parametrize(
    "kind",
    [
        list,
        pl.Series,
        lambda labels: np.ma.masked_invalid(np.array(labels, dtype=float)),
        *(partial(pd.Series, dtype=dtype) for dtype in (object, float, "Int64", "boolean")),
    ],
)
def test_missing_values_of_any_kind_are_unknown_labels(rows, kind):
    truth, score, seen = rows
    judge = np.where(np.arange(N) % 10, truth, 1 - truth)
    expected = average_precision_interval(seen, score, judge=judge)
    labels = kind([None if np.isnan(label) else int(label) for label in seen])
    found = average_precision_interval(labels, score, judge=pl.Series(judge))
    assert numbers(found) == pytest.approx(numbers(expected), rel=1e-12)


def test_text_labels_and_text_judgements_are_accepted(rows):
    truth, score, seen = rows
    judge = np.where(np.arange(N) % 10, truth, 1 - truth)
    expected = average_precision_interval(seen, score, judge=judge)
    words = np.where(np.isnan(seen), None, np.where(seen == 1, "fraud", "ok"))
    for says in (np.where(judge, "fraud", "ok"), judge.astype(float)):  # or probabilities
        for given in (words, pd.Series(words), pl.Series(words.tolist())):
            found = average_precision_interval(given, score, judge=says, pos_label="fraud")
            assert numbers(found) == numbers(expected)


@pytest.mark.parametrize(("positive", "negative"), [(2, 1), (0, 1), (1, 0)])
def test_judge_may_use_a_label_absent_from_labelled_rows(positive, negative):
    """One of 0 and 1 says labels then, and no probabilities."""
    judge = [positive, negative, positive, negative]
    options = {"judge": judge, "pos_label": positive}
    found = average_precision_interval([positive, NAN] * 2, [4, 3, 2, 1], **options)
    assert found.notes["judge_score"] == pytest.approx((1 + 2 / 3) / 2)


# ---- what is refused

Y, S = [1, 0, NAN, NAN], [4.0, 3.0, 2.0, 1.0]
EQUAL, PAIRS = {"inclusion_probability": "equal"}, {"queries": [1, 1, 2, 2]}
BAD = {
    "neither": (
        {},
        "in row .* pass inclusion_probability or judge to .* or compare_average_precision if few",
    ),
    "a chance of 0": (
        {"inclusion_probability": [1, 0.5, 0, 0]},
        "above 0, .* got 0.* Leave out rows",
    ),
    "a chance next to 0": ({"inclusion_probability": 1e-309}, "at least 1e-100, .* got 1e-309"),
    "a chance above 1": ({"inclusion_probability": 50}, "at most 1, got 50.* pass 1 / weight"),
    "no chance": ({"inclusion_probability": [NAN, 1, 1, 1]}, "missing in a row that has a label"),
    "certain, not labelled": (
        {"inclusion_probability": 1},
        "is 1, but there is no label, in 2 rows",
    ),
    "a word": ({"inclusion_probability": "all"}, "must hold numbers, got .all."),
    "chances of labels": ({"inclusion_probability": [0.5, 0.5]}, r"\[4, 4, 2\] .*probability"),
    "a short judge": ({"judge": [1, 0]}, "numbers of samples"),
    "both classes": ({"judge": [[0.1, 0.9]] * 4}, "judge must be one-dimensional"),
    "a silent judge": ({"judge": [1, 0, None, 1]}, "judge has no answer in 1 row, first in row 2"),
    "grades": ({"judge": [3, 0, 1, 2]}, r"got .*3.* or judge >= the least relevant grade"),
    "words": ({"judge": ["yes", "no", "no", "no"]}, "labels like those of .*'no', 'yes'"),
    "dates": ({"judge": np.full(4, np.datetime64("2026"))}, "judge must hold numbers or text"),
    "nothing of a judge": ({"judge": [INF, 0, 0, 0]}, "labels like those of .* inf"),
    "n_positives": (EQUAL | {"n_positives": 3}, "n_positives does not go with .*: judge says"),
    "labels": (EQUAL | {"labels": [0, 1, 2]}, "labels does not go with .* y_true == label"),
    "at k": (EQUAL | {"definition": AtK(2)}, "no influence by row, .* or label whole queries"),
    "expected": (EQUAL | {"definition": Expected()}, "takes unweighted counts"),
    "clusters": (EQUAL | PAIRS | {"clusters": [1, 1, 2, 2]}, "clusters does not .* whole queries"),
    "average": (EQUAL | PAIRS | {"average": None}, "average=None does not go"),
    "zero_division": (
        EQUAL | PAIRS | {"zero_division": NAN},
        "nan does not go with .* pass 0.0",
    ),
    "a part of a query": (
        EQUAL | {"queries": [1, 2, 1, 2]},
        "y_true has a query of rows with a label and",
    ),
    "a part of a cluster": (
        EQUAL | {"clusters": [1, 2, 1, 2]},
        "y_true has a cluster of rows with a label",
    ),
    "chances": (PAIRS | {"inclusion_probability": [0.5, 0.4, 0.1, 0.1]}, "differs within a query"),
    "no weight": (EQUAL | {"sample_weight": [0, 0, 1, 1]}, "zero in every labelled row"),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=[*BAD])
def test_invalid_options_are_refused_with_the_remedy(options, message):
    with pytest.raises(ValueError, match=message):
        average_precision_interval(Y, S, **options)
    with pytest.raises(ValueError, match=message):
        compare_average_precision(Y, {"a": S, "b": S[::-1]}, **options)


def test_judge_is_refused_where_it_changes_nothing_or_was_not_measured():
    with pytest.raises(ValueError, match="judge changes nothing, because all rows have labels"):
        average_precision_interval([1, 0, 1, 0], S, judge=[1, 0, 0, 1])
    models = {"a": S, "b": S[::-1]}
    with pytest.raises(ValueError, match="judge does not go with clusters where models are comp"):
        compare_average_precision(Y, models, judge=[1, 0, 0, 1], clusters=[1, 1, 2, 2])


@pytest.mark.parametrize("y_true", [[[1, 0], [NAN, 1]], [1, 0]], ids=["table", "column"])
def test_tables_in_the_place_of_columns_are_refused(y_true):
    with pytest.raises(ValueError, match=r"y_true and y_score of one column\. Of a table"):
        average_precision_interval(np.array(y_true), np.ones((2, 2)), judge=[1, 0])


def test_rows_without_any_label_are_refused():
    with pytest.raises(ValueError, match="no known label, so there is nothing to score"):
        average_precision_interval([NAN] * 4, S, **EQUAL)


@pytest.mark.parametrize("name", ["y_true", "judge", "inclusion_probability"])
def test_an_index_in_another_order_is_refused(name):
    given = {"y_true": Y, "judge": [1, 0, 1, 0], "inclusion_probability": [0.5] * 4}
    given = {key: pd.Series(values) for key, values in given.items()}
    given[name], score = given[name][::-1], pd.Series(S)
    with pytest.raises(ValueError, match="same names in another order"):
        average_precision_interval(y_score=score, **given)


def test_third_labels_and_grades_are_refused_with_the_remedy():
    with pytest.raises(ValueError, match="Write nan or None where the label is unknown"):
        average_precision_interval([1, 0, -1], S[:3], pos_label=1, **EQUAL)
    grades = pd.Series([3, 0, 1, None], dtype="Int64")
    with pytest.raises(ValueError, match=r"3 labels, .* Of grades, pass np\.where"):
        average_precision_interval(grades, S, judge=[1, 0, 0, 1])


# ---- warnings


def test_labelled_rows_unlike_unlabelled_rows_raise_a_warning():
    """With all rows, of which labelled ones are a half, the test would not see it."""
    rng = np.random.default_rng(0)
    truth = rng.random(400) < 0.4
    score = rng.normal(size=400) + truth
    y_true = np.where(rng.random(400) < np.where(score > 0.4, 0.62, 0.4), truth, NAN)
    for chance in ("equal", np.mean(~np.isnan(y_true))):
        with pytest.warns(UncertaintyWarning, match="unlike labels: .* pass the probability of"):
            average_precision_interval(y_true, score, inclusion_probability=chance)
    judge = 1.0 - truth
    with pytest.raises(ValueError, match=r'no simple random .* at random, pass .*"equal"'):
        average_precision_interval(y_true, score, judge=judge)
    with pytest.warns(UncertaintyWarning, match="unlike labels"):
        average_precision_interval(y_true, score, judge=judge, inclusion_probability="equal")


@pytest.mark.parametrize("way", ["alarms alone", "whole clusters"])
def test_probabilities_that_contradict_the_number_of_rows_raise_a_warning(rows, way):
    truth, score, _ = rows
    is_alarm, unit = score > 1.5, np.arange(N) // 10
    labels, options, text = {
        "alarms alone": (
            np.where(is_alarm, truth, NAN),
            {"inclusion_probability": np.where(is_alarm, 1.0, 0.01)},
            f"stand for {is_alarm.sum()} rows, .* are 2,000. Pass the probability with which",
        ),
        "whole clusters": (
            np.where(unit % 8 == 0, truth, NAN),
            {"inclusion_probability": 1 / 2, "clusters": unit},
            "stand for 50 clusters, .* are 200",
        ),
    }[way]
    with pytest.warns(UncertaintyWarning) as caught:
        average_precision_interval(labels, score, **options)
    with pytest.warns(UncertaintyWarning, match=f"wrong probabilities: .*{text}"):
        warnings.warn_explicit(caught[0].message, None, __file__, 1)


@pytest.mark.parametrize(
    ("probability", "n_labelled", "is_wrong"),
    [(0.5, 566, False), (0.5, 568, True), (0.98, 998, False), (0.9, 953, True)],
)
def test_wrong_probabilities_start_above_four_standard_errors(probability, n_labelled, is_wrong):
    """Of 1,000 rows at 0.5, 568 labels stand for 136 too many, and 4 errors are 134.8."""
    rng = np.random.default_rng(0)
    labels = np.where(rng.permutation(1000) < n_labelled, rng.random(1000) < 0.3, NAN)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        average_precision_interval(labels, rng.normal(size=1000), inclusion_probability=probability)
    assert ("wrong probabilities" in kinds_of(caught)) == is_wrong


def test_correct_inclusion_probabilities_raise_no_warning(rows):
    """Neither of alarms with a few others, nor of chosen rows, nor of a random part."""
    truth, score, _ = rows
    rng = np.random.default_rng(0)
    designs = [np.where(score > 2, 1.0, 0.005), np.full(N, 0.1)]
    designs += [rows_to_label(score, 60).inclusion_probability, np.where(score < 0, 0.97, 1.0)]
    designs += [np.select([score > 2, score > 1], [1.0, 0.5], 5e-4)]  # or none of the last
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for chance in designs * 40:
            y_true = np.where(rng.random(N) < chance, truth, NAN)
            average_precision_interval(y_true, score, inclusion_probability=chance)
    assert {*kinds_of(caught)} <= {"hidden positives"}


def test_rarely_labelled_rows_may_hide_positives(rows):
    """All alarms are labelled, and none of the 1 in 50 of the rest is positive."""
    truth, score, _ = rows
    is_alarm = score > 1.5
    y_true = np.where(is_alarm, truth, NAN)
    y_true[np.flatnonzero(~is_alarm)[::50]] = 0
    given = {"inclusion_probability": np.where(is_alarm, 1, 1 / 50)}
    with pytest.warns(UncertaintyWarning, match="hidden positives: .* As many as 150 positives"):
        found = average_precision_interval(y_true, score, **given)
    n_found = np.sum(truth[is_alarm])
    assert found.low < found.estimate * n_found / (n_found + 150)
    assert "worth_of_labels" not in found.notes
    assert "drawn at random" not in repr(found)
    with pytest.warns(UncertaintyWarning, match="hidden positives"):
        compare_average_precision(y_true, {"a": score, "b": 2 * score}, **given)


@pytest.mark.parametrize(("n_labelled", "kinds"), [(15, ["few clusters"]), (16, [])])
def test_few_labelled_clusters_are_warned_of(n_labelled, kinds):
    rng, cluster = np.random.default_rng(0), np.arange(N) // 10
    truth = np.arange(N) % 5 == 0
    seen = np.where(cluster < n_labelled, truth, NAN)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        average_precision_interval(seen, truth + rng.normal(size=N), judge=~truth, clusters=cluster)
    assert kinds_of(caught) == kinds


# ---- which rows to label


@pytest.mark.parametrize("guess", [None, "good", "labels", "sure"])
@pytest.mark.parametrize("style", ["plain", "ties", "not retrieved"])
def test_plan_chooses_n_rows_and_probabilities_add_up_to_n(subtests, rows, guess, style):
    truth, score, _ = rows
    guesses = {"good": 1 / (1 + np.exp(1 - score)), "labels": truth, "sure": score > 3.2}
    lost = np.where(score > 0, score, -INF)
    scores = {"plain": score, "ties": np.round(score), "not retrieved": lost}
    for n_labels in [1, 7, 150, 1999, 2000]:
        with subtests.test(f"rows_to_label(scores[{style!r}], {n_labels}, guess={guess!r})"):
            plan = rows_to_label(scores[style], n_labels, guess=guesses.get(guess))
            chance = plan.inclusion_probability
            assert np.unique(plan.rows).size == plan.rows.size == n_labels
            assert chance.sum() == pytest.approx(n_labels)
            assert chance.min() > 0
            assert chance.max() <= 1


def test_guessing_the_prevalence_finds_more_rare_positives():
    rng = np.random.default_rng(0)
    truth = rng.random(50_000) < 0.003
    score = 2.5 * truth + rng.normal(size=truth.size)
    plans = [rows_to_label(score, 400, guess=guess) for guess in (None, 0.1, 0.003)]
    np.testing.assert_array_equal(plans[0].rows, plans[1].rows)
    found = [plan.inclusion_probability[truth].sum() for plan in plans]
    assert found[2] > 1.5 * found[1]


def test_guesses_of_0_and_1_are_not_taken_as_certain(rows):
    truth, score, _ = rows
    plans = [rows_to_label(score, 60, guess=guess) for guess in (truth, 0.01 + 0.98 * truth)]
    sure, unsure = (plan.inclusion_probability for plan in plans)
    np.testing.assert_allclose(sure, unsure)
    plans = [rows_to_label(score, 60, guess=each) for each in (0.2, np.array(0.2))]
    assert plans[0].inclusion_probability.tolist() == plans[1].inclusion_probability.tolist()
    rare = np.where(np.arange(N), 1e-4, 1.0)  # a probability, as others are between 0 and 1
    assert rows_to_label(score, 60, guess=rare).inclusion_probability[0] > 0.9


def test_excluded_rows_are_not_chosen_but_have_inclusion_probabilities(rows):
    _, score, seen = rows
    exclude = ~np.isnan(seen)
    plan = rows_to_label(score, 300, exclude=exclude)
    assert not exclude[plan.rows].any()
    assert plan.inclusion_probability[~exclude].sum() == pytest.approx(300)
    assert np.all((plan.inclusion_probability > 0) & (plan.inclusion_probability <= 1))


@pytest.mark.slow
def test_rows_are_chosen_at_their_inclusion_probabilities():
    score = np.random.default_rng(0).normal(size=40)
    drawn = np.zeros(40)
    for seed in range(2000):
        plan = rows_to_label(score, 10, rng=seed)
        drawn[plan.rows] += 1
    chance = plan.inclusion_probability
    standard_error = np.sqrt(chance * (1 - chance) / 2000)
    assert np.all(np.abs(drawn / 2000 - chance) <= 4.5 * standard_error)


@pytest.mark.parametrize("guess", [None, "probabilities", "labels"])
def test_rows_with_equal_scores_and_guesses_have_equal_probabilities(guess):
    rng = np.random.default_rng(0)
    score = np.where(rng.random(300) < 0.2, -INF, np.round(rng.normal(size=300)))
    guesses = rng.choice([0.01, 0.3, 0.9] if guess == "probabilities" else [0, 1], 300)
    exclude = rng.random(300) < 0.3
    expected = rows_to_label(score, 80, guess=guess and guesses, exclude=exclude)
    for order in (rng.permutation(300) for _ in range(3)):
        given = {"guess": guess and guesses[order], "exclude": exclude[order]}
        chance = rows_to_label(score[order], 80, **given).inclusion_probability
        np.testing.assert_allclose(chance, expected.inclusion_probability[order], rtol=1e-9)
    for kind in np.unique(alike := score + 1j * guesses * bool(guess)):
        assert np.ptp(expected.inclusion_probability[alike == kind]) < 1e-12


def test_tied_rows_are_planned_by_the_derivative_of_the_score():
    """By weights: of step average precision, with probabilities in the place of labels."""
    score, guess = np.array([3, 2, 2, 2, 1, 1, 0]), np.array([0.9, 0.1, 0.7, 0.4, 0.6, 0.2, 0.3])

    def value(hit, miss):
        sums = [(hit[score >= s].sum(), (hit + miss)[score >= s].sum()) for s in score]
        return sum(h * tp / n for h, (tp, n) in zip(hit, sums, strict=True)) / hit.sum()

    expected, h = [], 1e-6
    for i in range(7):
        more = np.where(np.arange(7) == i, h, 0)
        of = [
            (value(guess + a * more, 1 - guess + b * more) - value(guess, 1 - guess)) / h
            for a, b in ((1, 0), (0, 1))
        ]
        expected.append(np.sqrt(guess[i] * of[0] ** 2 + (1 - guess[i]) * of[1] ** 2))
    size = 0.7 * np.array(expected) / np.mean(expected) + 0.3
    chance = rows_to_label(score, 1, guess=guess).inclusion_probability
    np.testing.assert_allclose(chance, size / size.sum(), rtol=1e-4)


BAD_PLANS = {
    "too many": ((S, 5), {}, "at most the number of rows, 4"),
    "too many beside others": ((S, 4), {"exclude": [True] + [False] * 3}, "3 without those of"),
    "none": ((S, 0), {}, "n_labels"),
    "a guess above 1": ((S, 2), {"guess": [2, 0, 0, 0]}, "guess must hold prob.* got 2 in row 0"),
    "a guess of nan": ((S, 2), {"guess": [0, NAN, 0, 0]}, "got nan in row 1"),
    "ragged": ((S, 2), {"guess": [[0.1, 0.2], [0.3]]}, "guess must hold numbers, got .0.1, 0.2."),
    "a prevalence of 1": ((S, 2), {"guess": 1}, r"guess must lie within \(0, 1\), got 1"),
    "a short guess": ((S, 2), {"guess": [0.5]}, r"\[4, 1\] \(y_score, guess\)"),
    "labels for exclude": ((S, 2), {"exclude": [1, 0, 0, 0]}, "as ~np.isnan.y_true. does"),
    "nan": (([NAN, 1, 2], 2), {}, "y_score contains NaN"),
    "a table": ((np.ones((4, 2)), 2), {}, "y_score must be one-dimensional"),
    "another order": ((pd.Series(S), 2), {"guess": pd.Series(S)[::-1]}, "names in another order"),
}


@pytest.mark.parametrize(("arguments", "options", "message"), BAD_PLANS.values(), ids=[*BAD_PLANS])
def test_impossible_plans_are_refused(arguments, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        rows_to_label(*arguments, **options)


def test_plan_does_not_depend_on_the_type_of_scores_and_follows_its_seed(rows):
    whole = np.clip(np.round(10 * rows[1]), 0, 50)
    expected = rows_to_label(whole, 200).rows.tolist()
    shifted = pd.Series(whole, index=np.arange(N) + 5)
    for given in (pl.Series(whole), shifted, whole.tolist(), whole.astype(np.uint8)):
        assert rows_to_label(given, 200).rows.tolist() == expected
    seeded = [rows_to_label(whole, 200, rng=rng) for rng in (1, np.random.default_rng(1))]
    assert seeded[0].rows.tolist() == seeded[1].rows.tolist() != expected


def test_a_judge_whose_positives_have_no_labels_is_warned_of_unless_labels_were_chosen_by_it():
    rng = np.random.default_rng(0)
    y = rng.random(20_000) < 0.005
    s = rng.normal(size=y.size) + 3.4 * y
    judge = np.where(y, rng.random(y.size) < 0.92, rng.random(y.size) > 0.998).astype(float)
    heard = []
    for guess in (None, judge):
        plan = rows_to_label(s, 500, guess=guess)
        labels = np.full(y.size, np.nan)
        labels[plan.rows] = y[plan.rows]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            average_precision_interval(
                labels, s, inclusion_probability=plan.inclusion_probability, judge=judge
            )
        heard.append(any("The judge sees" in str(each.message) for each in caught))
    assert heard == [True, False]


def test_judge_into_which_the_labels_were_written_is_warned_of(rows):
    truth, score, seen = rows
    judge = np.where(np.random.default_rng(3).random(N) < 0.1, 1 - truth, truth)
    copied = np.where(np.isnan(seen), judge, seen)
    with pytest.warns(UncertaintyWarning, match="copied labels: The judge agrees with all "):
        average_precision_interval(seen, score, judge=copied)
    few = np.where(np.cumsum(seen == 1) < 20, seen, NAN)  # with 19 positives, it may be luck
    average_precision_interval(few, score, judge=copied)


def test_a_plan_keeps_the_index_of_the_scores(rows):
    score = rows[1]
    series = pd.Series(score, index=[f"id {i}" for i in range(N)])
    plan = rows_to_label(series, 50)
    assert plan.rows.tolist() == rows_to_label(score, 50).rows.tolist()
    assert plan.to_frame().index.tolist() == [f"id {row}" for row in plan.rows]
    assert plan.to_frame()["row"].tolist() == plan.rows.tolist()
    assert str(plan).splitlines()[2].startswith(f"id {plan.rows[0]} ")


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize(("n_labelled", "is_doubted"), [(19, True), (20, False)])
def test_a_judge_is_corrected_by_twenty_queries_at_least(n_labelled, is_doubted):
    queries, score = np.repeat(np.arange(40), 10), np.tile(np.arange(10.0), 40)
    y = np.where(np.random.default_rng(0).random(400) < score / 10, 1.0, 0.0)
    found = average_precision_interval(
        np.where(queries < n_labelled, y, np.nan), score, judge=y, queries=queries
    )
    assert ("few labelled queries" in {each.name for each in found.doubts}) == is_doubted
