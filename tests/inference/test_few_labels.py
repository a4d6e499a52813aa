"""Average precision from few labels and a judge, and the choice of the rows to label."""

import pickle
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


# ---- what must hold


OF_JUDGE = [
    {},
    {"inclusion_probability": "unequal"},
    {"sample_weight": np.where(np.arange(N) % 9, 1, 90)},
    {"prevalence": 0.002},
]


@pytest.mark.parametrize("options", OF_JUDGE)
@pytest.mark.parametrize("judge", [None, "labels", "probabilities"])
def test_single_row_clusters_give_the_same_result_as_rows(rows, options, judge):
    truth, score, _ = rows
    rng = np.random.default_rng(1)
    says = np.where(rng.random(N) < 0.9, truth, 1 - truth)
    judge = {"labels": says, "probabilities": 0.1 + 0.8 * says}.get(judge)
    given = {"inclusion_probability": "equal"} | options
    chance = np.full(N, 0.05)
    if given["inclusion_probability"] == "unequal":
        given["inclusion_probability"] = chance = np.where(score > 1, 0.2, 0.04)
    seen = np.where(rng.random(N) < chance, truth, NAN)
    models = {"a": score, "b": -score}
    of_rows, of_clusters = (
        (
            average_precision_interval(seen, score, judge=judge, clusters=names, **given),
            compare_average_precision(seen, models, judge=judge, clusters=names, **given),
        )
        for names in (None, rng.permutation(N))
    )
    assert numbers(of_clusters[0]) == pytest.approx(numbers(of_rows[0]), rel=1e-9, nan_ok=True)
    for name in ("low", "high", "difference_low", "difference_high"):
        found, expected = (getattr(each[1], name) for each in (of_clusters, of_rows))
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


PLAIN = [
    {},
    {"sample_weight": np.full(N, 3)},
    {"sample_weight": np.where(np.arange(N) % 9, 1, 90)},
    {"clusters": np.arange(N) // 3},
    {"prevalence": 0.002},
]


@pytest.mark.parametrize("options", PLAIN)
@pytest.mark.parametrize("judge", [None, "wrong", "unsure"])
def test_fully_labelled_rows_give_the_plain_score_with_any_judge(rows, options, judge):
    truth, score, _ = rows
    judge = {"wrong": 1 - truth, "unsure": np.full(N, 0.3)}.get(judge)
    plain = average_precision_interval(truth, score, **options)
    given = {"inclusion_probability": 1.0, "judge": judge, **options}
    with pytest.warns(UncertaintyWarning, match="all labelled: .* pass them, too"):
        found = average_precision_interval(truth, score, **given)
    assert found.estimate == pytest.approx(plain.estimate, rel=1e-9)
    assert found.n_positives == plain.n_positives


@pytest.mark.parametrize("options", PLAIN)
@pytest.mark.parametrize("probability", [1.0, "equal", np.ones(N)])
@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_fully_labelled_rows_have_the_limits_of_the_plain_score(rows, options, probability):
    truth, score, _ = rows
    plain = average_precision_interval(truth, score, **options)
    found = average_precision_interval(truth, score, inclusion_probability=probability, **options)
    for name in ("estimate", "low", "high", "standard_error", "n_effective"):
        assert getattr(found, name) == pytest.approx(getattr(plain, name), rel=1e-12), name


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_rows_of_weight_0_are_ignored(rows):
    truth, score, seen = rows
    kept, judge = np.arange(N) < N // 2, np.where(np.arange(N) % 9, truth, 1 - truth)
    seen, options = np.where(kept, seen, NAN), {"inclusion_probability": "equal"}
    weight = kept * 1.0
    found = average_precision_interval(seen, score, judge=judge, sample_weight=weight, **options)
    alone = average_precision_interval(seen[kept], score[kept], judge=judge[kept], **options)
    assert numbers(found) == pytest.approx(numbers(alone), rel=1e-9)


def test_fully_labelled_rows_raise_no_warning_of_hidden_positives(rows):
    truth, score, _ = rows
    chance = np.where(score < 0, 0.97, 1.0)
    found = average_precision_interval(truth, score, inclusion_probability=chance)  # no warning
    assert found.sample.n_labelled == N


@pytest.mark.parametrize("says", [1, 0.3, "no of all labelled rows"])
def test_judge_constant_on_labelled_rows_changes_nothing(rows, says):
    _, score, seen = rows
    judge = np.isnan(seen) * 1 if isinstance(says, str) else np.full(N, says)
    options = {"zero_division": NAN}  # the last judge has no score of the labelled rows
    plain = average_precision_interval(seen, score, inclusion_probability="equal", **options)
    found = average_precision_interval(seen, score, judge=judge, **options)
    assert numbers(found) == numbers(plain)
    by_judge = average_precision_score(judge, score) if isinstance(says, str) else says
    assert found.notes["judge_score"] == pytest.approx(by_judge)


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
    expected = average_precision_interval(seen, score, judge=truth)
    labels = kind([None if np.isnan(label) else int(label) for label in seen])
    found = average_precision_interval(labels, score, judge=pl.Series(truth))
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


def test_judge_values_of_0_are_probabilities_with_any_positive_label():
    options = {"judge": [0.0] * 4, "pos_label": 2, "zero_division": 0.0}
    found = average_precision_interval([1, NAN] * 2, [4, 3, 2, 1], **options)
    assert "judge_score" not in found.notes


def test_interval_between_perfect_models_stays_narrow_with_a_judge(rows):
    truth, score, seen = rows
    rng = np.random.default_rng(1)
    models = {name: 6 * truth + rng.normal(size=N) for name in "ab"} | {"c": score}
    judge = np.where(rng.random(N) < 0.95, truth, 1 - truth)
    found = compare_average_precision(seen, models, inclusion_probability="equal", judge=judge)
    assert found.notes["judge_weight"][2] > 0.5
    assert found.difference_high[1] - found.difference_low[1] < 0.2
    assert found.notes["worth_of_labels"][1] == 600


# ---- what other models change


def designs():
    """Labels and a judge of two models, for each way to choose what is labelled."""
    rng = np.random.default_rng(3)
    truth, unit = rng.random(N) < 0.2, np.arange(N) // 10
    judge = np.where(rng.random(N) < 0.93, truth, ~truth).astype(float)
    models = {"a": rng.normal(size=N) + truth, "b": rng.normal(size=N) + 1.4 * truth}
    chance = np.clip(0.1 + 0.4 * (models["a"] > 1), 0, 1)
    ways = {
        "rows": (rng.random(N) < 0.2, {}),
        "weights": (rng.random(N) < 0.2, {"sample_weight": rng.exponential(size=N)}),
        "chances": (rng.random(N) < chance, {"inclusion_probability": chance}),
        "clusters": (unit % 5 == 0, {"clusters": unit}),
        "queries": (unit % 5 == 0, {"queries": unit, "zero_division": 0.0}),
    }
    for name, (seen, options) in ways.items():
        yield name, np.where(seen, truth, NAN), models, {"judge": judge} | options


DESIGNS = [*designs()]
OF_JUDGE_ALONE = ("judge_weight", "judge_score")


@pytest.mark.parametrize(("way", "seen", "models", "options"), DESIGNS)
def test_score_with_a_judge_does_not_depend_on_other_models(way, seen, models, options):
    a, b = models["a"], models["b"]
    coin = np.random.default_rng(0).normal(size=N)
    alone = average_precision_interval(seen, a, **options)
    of_a = [alone.estimate, alone.low, alone.high, *map(alone.notes.get, OF_JUDGE_ALONE)]
    for beside in ({"a": a, "b": b}, {"b": b, "a": a}, {"-a": -a, "a": a, "b": b, "coin": coin}):
        found = compare_average_precision(seen, beside, **options)
        place = found.names.index("a")
        notes = (found.notes[kind] for kind in OF_JUDGE_ALONE)
        numbers = [each[place] for each in (found.estimate, found.low, found.high, *notes)]
        assert numbers == of_a


@pytest.mark.parametrize(("way", "seen", "models", "options"), DESIGNS)
def test_difference_with_a_judge_does_not_depend_on_third_models(way, seen, models, options):
    a, b = models["a"], models["b"]
    alone = compare_average_precision(seen, {"a": a, "b": b}, **options)
    for beside in ({"a": a, "b": b, "c": -a}, {"c": b - a, "b": b, "a": a}):
        found = compare_average_precision(seen, beside, reference="a", **options)
        place = found.names.index("b")
        assert found.difference[place] == alone.difference
        assert found.pvalue[place] == min(2 * alone.pvalue, 1)
        of_two, of_three = (each.notes["worth_of_labels"] for each in (alone, found))
        assert of_three[place] == of_two[1]


def test_judge_weight_minimizes_the_variance_of_each_score(rows):
    """Computed again for queries, where an influence is a deviation from the mean."""
    _, seen, models, options = DESIGNS[-1]
    judge, query, chance = options["judge"], options["queries"], 40 / 200
    found = compare_average_precision(seen, models, **options)
    left = []
    for i, score in enumerate(models.values()):
        of_query = {"queries": query, "average": None, "zero_division": 0.0}
        of_all = average_precision_score(judge, score, **of_query)
        is_seen = ~np.isnan(seen)
        of_query["queries"] = query[is_seen]
        of_truth, of_judge = (
            average_precision_score(label[is_seen], score[is_seen], **of_query)
            for label in (seen, judge)
        )
        g, h = of_truth - of_truth.mean(), of_judge - of_judge.mean()
        weight = g @ h / (h @ h)
        assert found.notes["judge_weight"][i] == pytest.approx(weight)
        corrected = of_truth.mean() + weight * (of_all.mean() - of_judge.mean())
        assert found.estimate[i] == pytest.approx(corrected)
        left.append((g, g - weight * h))
    (g_a, left_a), (g_b, left_b) = left
    squares = (1 - chance) * (left_b - left_a) ** 2 + chance * (g_b - g_a) ** 2
    variance = squares.sum() / 40 / 39
    reach = found.difference - found.difference_low
    assert 2 < reach / np.sqrt(variance) < 2.2  # Student's, of what two models may hide


# ---- what is refused

Y, S = [1, 0, NAN, NAN], [4.0, 3.0, 2.0, 1.0]
EQUAL, PAIRS = {"inclusion_probability": "equal"}, {"queries": [1, 1, 2, 2]}
BAD = {
    "neither": ({}, "average_precision_interval and .* take .* inclusion_probability, and a judge"),
    "a chance of 0": ({"inclusion_probability": [1, 0.5, 0, 0]}, "above 0, got 0: .* Leave them"),
    "a chance above 1": ({"inclusion_probability": 50}, "must be at most 1, got 50"),
    "no chance": ({"inclusion_probability": [NAN, 1, 1, 1]}, "missing in a row that has a label"),
    "certain, not labelled": ({"inclusion_probability": 1}, "1 in row 2, which has no label"),
    "a word": ({"inclusion_probability": "all"}, '"equal" for a simple random sample, got .all.'),
    "a short judge": ({"judge": [1, 0]}, "numbers of samples"),
    "both classes": ({"judge": [[0.1, 0.9]] * 4}, "judge must be one-dimensional"),
    "a silent judge": ({"judge": [1, 0, None, 1]}, "judge has no answer in 1 rows, .* is 2"),
    "grades": ({"judge": [3, 0, 1, 2]}, r"\[0, 1, 2, 3\]. Of grades, pass grade >= the"),
    "words": ({"judge": ["yes", "no", "no", "no"]}, "labels like those of .*'no', 'yes'"),
    "nothing of a judge": ({"judge": [INF, 0, 0, 0]}, "labels like those of .* inf"),
    "n_positives": (EQUAL | {"n_positives": 3}, "n_positives does not go with .*: judge says"),
    "labels": (EQUAL | {"labels": [0, 1, 2]}, "labels does not go with .* pass y_true == label"),
    "at k": (EQUAL | {"definition": AtK(2)}, "no influence by row, .* or label whole queries"),
    "expected": (EQUAL | {"definition": Expected()}, "takes unweighted counts"),
    "clusters": (EQUAL | PAIRS | {"clusters": [1, 1, 2, 2]}, "clusters does not .* whole queries"),
    "average": (EQUAL | PAIRS | {"average": None}, "average=None does not go"),
    "zero_division": (EQUAL | PAIRS | {"zero_division": NAN}, "Pass zero_div"),
    "a part of a query": (EQUAL | {"queries": [1, 2, 1, 2]}, "query has rows with a label and"),
    "a part of a cluster": (EQUAL | {"clusters": [1, 2, 1, 2]}, "cluster has rows with a label"),
    "chances": (PAIRS | {"inclusion_probability": [0.5, 0.4, 0.1, 0.1]}, "differs within a query"),
    "no weight": (EQUAL | {"sample_weight": [0, 0, 1, 1]}, "zero in every labelled row"),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=[*BAD])
def test_invalid_options_are_refused_with_the_remedy(options, message):
    with pytest.raises(ValueError, match=message):
        average_precision_interval(Y, S, **options)
    with pytest.raises(ValueError, match=message):
        compare_average_precision(Y, {"a": S, "b": S[::-1]}, **options)


def test_error_for_missing_labels_names_functions_that_accept_them():
    with pytest.raises(ValueError, match=r"average_precision_interval and .* take the probability"):
        average_precision_score(Y, S)
    for options in (EQUAL, {"judge": [1, 0, 0, 1]}):
        with pytest.raises(ValueError, match="no known label, so there is nothing to score"):
            average_precision_interval([NAN] * 4, S, **options)


def test_error_for_a_whole_plan_asks_for_its_inclusion_probability():
    plan = rows_to_label(S, 2)
    for given in (plan, plan.to_frame()):
        with pytest.raises(TypeError, match=r"of a plan, pass plan\.inclusion_probability, and"):
            average_precision_interval(Y, S, inclusion_probability=given)
    column = plan.to_frame()["inclusion_probability"]
    with pytest.raises(ValueError, match=r"has 2 values, .* are 4 rows\. Pass plan\.inclusion"):
        average_precision_interval(Y, S, inclusion_probability=column)


def test_tables_with_unknown_labels_are_refused():
    scores = np.ones((2, 2))
    for y_true in ([[1, 0], [NAN, 1]], [1, 0]):
        with pytest.raises(ValueError, match=r"y_true and y_score of one column\. Of a table"):
            average_precision_interval(np.array(y_true), scores, judge=[1, 0])


@pytest.mark.parametrize("name", ["y_true", "judge", "inclusion_probability"])
def test_an_index_in_another_order_is_refused(name):
    given = {"y_true": Y, "judge": [1, 0, 1, 0], "inclusion_probability": [0.5] * 4}
    given = {key: pd.Series(values) for key, values in given.items()}
    given[name], score = given[name][::-1], pd.Series(S)
    with pytest.raises(ValueError, match="same names in another order"):
        average_precision_interval(y_score=score, **given)
    with pytest.raises(ValueError, match="same names in another order"):
        compare_average_precision(y_scores={"a": score, "b": score}, **given)


def test_third_labels_and_grades_are_refused_with_the_remedy():
    for third in (-1, 2):
        with pytest.raises(ValueError, match="Write nan or None where the label is unknown"):
            average_precision_interval([1, 0, third], S[:3], pos_label=1, **EQUAL)
    grades = pd.Series([3, 0, 1, None], dtype="Int64")
    for given in (grades, grades.to_numpy(float, na_value=NAN)):
        with pytest.raises(ValueError, match=r"two labels, .* Of grades, pass np\.where"):
            average_precision_interval(given, S, judge=[1, 0, 0, 1])


# ---- warnings


def test_labelled_rows_unlike_unlabelled_rows_raise_a_warning():
    """With all rows, of which labelled ones are a half, the test would not see it."""
    rng = np.random.default_rng(0)
    truth = rng.random(400) < 0.4
    score = rng.normal(size=400) + truth
    y_true = np.where(rng.random(400) < np.where(score > 0.4, 0.62, 0.4), truth, NAN)
    for chance in ("equal", np.mean(~np.isnan(y_true))):
        with pytest.warns(UncertaintyWarning, match="unlike labels"):
            average_precision_interval(y_true, score, inclusion_probability=chance)


@pytest.mark.parametrize("elsewhere", [NAN, 0.01])
def test_labels_of_alarms_only_raise_a_warning(rows, elsewhere):
    truth, score, _ = rows
    is_alarm = score > 1.5
    y_true, chance = np.where(is_alarm, truth, NAN), np.where(is_alarm, 1.0, elsewhere)
    message = (
        f"wrong probabilities: The labels stand for {is_alarm.sum()}, .* are 2,000. Pass the prob"
    )
    unlike = pytest.warns(
        UncertaintyWarning, match="unlike labels: .* pass the probability of each row"
    )
    with unlike, pytest.warns(UncertaintyWarning, match=message):
        average_precision_interval(y_true, score, inclusion_probability=chance)


@pytest.mark.parametrize("kind", ["cluster", "query"])
def test_inclusion_probabilities_apply_to_whole_clusters_and_queries(rows, kind):
    truth, score, _ = rows
    units = np.arange(N) // 10
    y_true = np.where(units % 8 == 0, truth, NAN)
    options = {"zero_division": 0.0, {"cluster": "clusters", "query": "queries"}[kind]: units}
    found = average_precision_interval(y_true, score, inclusion_probability=1 / 8, **options)
    sample = found.sample
    assert (sample.unit, sample.n_labelled, sample.n_units) == (kind, 25, 200)
    with pytest.warns(
        UncertaintyWarning, match="wrong probabilities: The labels stand for 50, .* 200"
    ):
        average_precision_interval(y_true, score, inclusion_probability=1 / 2, **options)


def test_passing_only_labelled_rows_raises_a_warning(rows):
    truth, score, _ = rows
    message = "wrong probabilities: .* there are 2,000. Pass all rows, also those without a label"
    with pytest.warns(UncertaintyWarning, match=message):
        average_precision_interval(truth, score, inclusion_probability=0.1)


@pytest.mark.filterwarnings("ignore:(few|hidden) positives")
def test_correct_inclusion_probabilities_raise_no_warning(rows):
    """Neither of alarms with a few others, nor of chosen rows, nor of a random part."""
    truth, score, _ = rows
    rng = np.random.default_rng(0)
    of_alarms = np.where(score > 2, 1.0, 0.005)
    designs = [of_alarms, rows_to_label(score, 60).inclusion_probability, np.full(N, 0.1)]
    designs += [np.select([score > 2, score > 1], [1.0, 0.5], 5e-4)]  # or none of the last
    for chance in designs * 50:
        y_true = np.where(rng.random(N) < chance, truth, NAN)
        average_precision_interval(y_true, score, inclusion_probability=chance)


def test_rarely_labelled_rows_may_hide_positives_and_lower_the_limit(rows):
    """All alarms are labelled, and none of the 1 in 50 of the rest is positive."""
    truth, score, _ = rows
    is_alarm = score > 1.5
    y_true = np.where(is_alarm, truth, NAN)
    y_true[np.flatnonzero(~is_alarm)[::50]] = 0
    chance = np.where(is_alarm, 1, 1 / 50)
    with pytest.warns(UncertaintyWarning, match="hidden positives: .* As many as 150 may be"):
        found = average_precision_interval(y_true, score, inclusion_probability=chance)
    n_found = np.sum(truth[is_alarm])
    assert found.low < found.estimate * n_found / (n_found + 150)
    assert "worth_of_labels" not in found.notes
    assert "drawn at random" not in repr(found)
    scores = {"a": score, "b": score}
    with pytest.warns(UncertaintyWarning, match="hidden positives"):
        compared = compare_average_precision(y_true, scores, inclusion_probability=chance)
    np.testing.assert_allclose(compared.low, found.low)


@pytest.mark.parametrize(("n_labelled", "shown"), [(15, "15"), (16, None)])
def test_few_labelled_clusters_are_warned_of(n_labelled, shown):
    rng, cluster = np.random.default_rng(0), np.arange(N) // 10
    truth = np.arange(N) % 5 == 0
    seen = np.where(cluster < n_labelled, truth, NAN)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        score = truth + rng.normal(size=N)
        average_precision_interval(seen, score, judge=truth, clusters=cluster)
    said = [str(each.message) for each in caught]
    expected = (
        f"few clusters: The interval rests on few clusters: their number is {shown}. Below 16, the "
        f"interval may be too narrow. Label more clusters."
    )
    assert said == [expected] * (shown is not None)


# ---- results


def test_printed_results_show_labels_and_judge(rows):
    truth, score, seen = rows
    judge = np.where(np.arange(N) % 10, truth, 1 - truth)
    models = {"a": score, "b": -score, "c": truth + score}
    compared = compare_average_precision(seen, models, judge=judge)
    text = " ".join(str(compared).split())
    assert "The 600 labels, with the judge, tell as much of the differences as 784 to 792" in text
    assert compared.notes["judge_score"] == pytest.approx([0.4485, 0.2007, 0.6289], abs=5e-5)
    assert "600 labelled of 2,000 rows" in compared._repr_html_()


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_a_comparison_with_one_labelled_query_is_printed():
    models = {"a": [2, 1, 2, 1], "b": [1, 2, 2, 1]}
    options = {"queries": [0, 0, 1, 1], "inclusion_probability": "equal"}
    assert "1 labelled of 2 queries" in repr(
        compare_average_precision([1, 0, None, None], models, **options)
    )


# ---- which rows to label


@pytest.mark.parametrize("guess", [None, "good", "labels", "sure"])
@pytest.mark.parametrize("style", ["plain", "ties", "not retrieved"])
def test_plan_chooses_n_rows_and_probabilities_add_up_to_n(subtests, rows, guess, style):
    truth, score, _ = rows
    guesses = {"good": 1 / (1 + np.exp(1 - score)), "labels": truth, "sure": score > 3.2}
    scores = {
        "plain": score,
        "ties": np.round(score),
        "not retrieved": np.where(score > 0, score, -INF),
    }
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
    rare = np.where(np.arange(N), 1e-4, 1.0)  # a probability, as others are between 0 and 1
    assert rows_to_label(score, 60, guess=rare).inclusion_probability[0] > 0.9


def test_excluded_rows_are_not_chosen_but_have_inclusion_probabilities(rows):
    _, score, seen = rows
    exclude = ~np.isnan(seen)
    plan = rows_to_label(score, 300, exclude=exclude)
    assert not exclude[plan.rows].any()
    assert plan.inclusion_probability[~exclude].sum() == pytest.approx(300)
    assert np.all((plan.inclusion_probability > 0) & (plan.inclusion_probability <= 1))


def test_rows_are_chosen_at_their_inclusion_probabilities():
    score = np.random.default_rng(0).normal(size=40)
    drawn = np.zeros(40)
    for seed in range(2000):
        plan = rows_to_label(score, 10, rng=seed)
        drawn[plan.rows] += 1
    chance = plan.inclusion_probability
    standard_error = np.sqrt(chance * (1 - chance) / 2000)
    assert np.all(np.abs(drawn / 2000 - chance) <= 4.5 * standard_error)


@pytest.mark.parametrize("guess", [None, 0.02, "probabilities", "labels"])
@pytest.mark.parametrize("has_exclude", [False, True])
def test_rows_with_equal_scores_and_guesses_have_equal_probabilities(guess, has_exclude):
    rng = np.random.default_rng(0)
    score = np.where(rng.random(300) < 0.2, -INF, np.round(rng.normal(size=300)))
    guesses = rng.choice([0.01, 0.3, 0.9] if guess == "probabilities" else [0, 1], 300)
    exclude = rng.random(300) < 0.3 if has_exclude else np.zeros(300, bool)
    found = []
    for order in (np.arange(300), *(rng.permutation(300) for _ in range(3))):
        of_rows = guesses[order] if isinstance(guess, str) else guess
        plan = rows_to_label(score[order], 80, guess=of_rows, exclude=exclude[order])
        chance, seen = np.empty(300), np.zeros(300, bool)
        chance[order], seen[order] = plan.inclusion_probability, np.isin(np.arange(300), plan.rows)
        kinds = np.array([score, guesses if isinstance(guess, str) else exclude, seen]).T
        found.append((chance, sorted(kinds.tolist())))
    for chance, kinds in found[1:]:
        np.testing.assert_allclose(chance, found[0][0], rtol=1e-9)
        assert kinds == found[0][1]
    for kind in np.unique(alike := score + 1j * guesses * isinstance(guess, str)):
        assert np.ptp(found[0][0][alike == kind]) < 1e-12


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


def test_seeds_make_plans_reproducible(rows):
    _, score, _ = rows
    plans = [rows_to_label(score, 50, rng=rng) for rng in (0, 0, 1, np.random.default_rng(1))]
    assert plans[0].rows.tolist() == plans[1].rows.tolist() != plans[2].rows.tolist()
    assert plans[2].rows.tolist() == plans[3].rows.tolist()


def test_plan_survives_csv_and_pickle(rows, tmp_path):
    plan = rows_to_label(rows[1], 400)
    plan.to_frame().to_csv(tmp_path / "plan.csv", index=False)
    table = pd.read_csv(tmp_path / "plan.csv")
    assert table.row.tolist() == plan.rows.tolist()
    # Some versions of pandas read numbers to the 15th digit.
    expected = plan.inclusion_probability[plan.rows]
    np.testing.assert_allclose(table.inclusion_probability, expected, rtol=1e-12)
    assert repr(plan).startswith("LabelPlan: 400 of 2,000 rows, with probabilities from 0.0")
    assert repr(pickle.loads(pickle.dumps(plan))) == repr(plan)


BAD_PLANS = {
    "too many": ((S, 5), {}, "at most the number of rows, 4"),
    "too many beside others": ((S, 4), {"exclude": [True] + [False] * 3}, "3 without those of"),
    "none": ((S, 0), {}, "n_labels"),
    "a guess above 1": ((S, 2), {"guess": [2, 0, 0, 0]}, "guess must hold prob.* got 2 in row 0"),
    "a guess of nan": ((S, 2), {"guess": [0, NAN, 0, 0]}, "got nan in row 1"),
    "a prevalence of 1": ((S, 2), {"guess": 1}, r"guess must lie within \(0, 1\), got 1"),
    "no guess": ((S, 2), {"guess": [0] * 4}, "guess is 0 in every row. Leave it out"),
    "a short guess": ((S, 2), {"guess": [0.5]}, r"\[4, 1\] \(y_score, guess\)"),
    "labels for exclude": ((S, 2), {"exclude": [1, 0, 0, 0]}, "as ~np.isnan.y_true. does"),
    "nan": (([NAN, 1, 2], 2), {}, "y_score contains NaN"),
    "a table": ((np.ones((4, 2)), 2), {}, "scores of one model. Of several, pass their mean"),
    "models": (({"a": S, "b": S}, 2), {}, "scores of one model. Of several, pass their mean"),
    "another order": ((pd.Series(S), 2), {"guess": pd.Series(S)[::-1]}, "names in another order"),
}


@pytest.mark.parametrize(("arguments", "options", "message"), BAD_PLANS.values(), ids=[*BAD_PLANS])
def test_impossible_plans_are_refused(arguments, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        rows_to_label(*arguments, **options)


def test_plan_does_not_depend_on_the_type_of_scores(rows):
    whole = np.clip(np.round(10 * rows[1]), 0, 50)
    expected = rows_to_label(whole, 200).rows.tolist()
    shifted = pd.Series(whole, index=np.arange(N) + 5)
    for given in (pl.Series(whole), shifted, whole.tolist(), whole.astype(np.uint8)):
        assert rows_to_label(given, 200).rows.tolist() == expected
