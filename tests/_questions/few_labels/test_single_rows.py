"""Scores at k from labels of single rows of queries, and which rows to label."""

import warnings
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
import reference

from sklearn_ap import (
    UncertaintyWarning,
    average_precision_interval,
    average_precision_score,
    compare_average_precision,
    rows_to_label,
)
from sklearn_ap._questions.few_labels._single_rows import LabelEffects
from sklearn_ap._questions.few_labels._top import TopRows
from sklearn_ap.definitions import AtK, PrecisionAtK, RecallAtK, Step

NAN, INF = np.nan, np.inf
TWO = [PrecisionAtK(3), AtK(3, normalizer="k")]
BOTH = [PrecisionAtK(2), AtK(2, normalizer="k")]
few = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


@pytest.fixture(scope="module")
def rows():
    """60 queries of 8 rows, and what a judge says, who errs in a tenth of the rows."""
    rng = np.random.default_rng(0)
    query = np.repeat(np.arange(60), 8)
    truth = (rng.random(480) < 0.4).astype(float)
    score = np.round(truth + rng.normal(size=480), 1)
    return query, truth, score, np.where(rng.random(480) < 0.9, truth, 1 - truth)


def seen_by(truth, chance, seed=1):
    return np.where(np.random.default_rng(seed).random(truth.size) < chance, truth, NAN)


def top_of(score, query, k):
    """The rows within the first k ranks of each query; those tied with the last one are, too."""
    least = pd.Series(score).groupby(query).transform(lambda s: s.nlargest(k).iloc[-1])
    return score >= least.to_numpy()


@few
@pytest.mark.parametrize("definition", TWO)
def test_single_label_raises_no_numpy_warning(rows, definition):
    query, _, score, _ = rows
    seen = np.full(480, NAN)
    seen[np.lexsort((-score, query))[0]] = 1
    given = {"queries": query, "definition": definition, "inclusion_probability": "equal"}
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        shown = repr(average_precision_interval(seen, score, **given))
    assert "1 of 480 rows labelled" in shown


# ---- how labels move a score


def value_at_k(y, score, k):
    """The sum over tied blocks of the hits within k, times the precision where they end, over k."""
    total = 0.0
    for level in {*score.tolist()}:
        is_above, is_tied = score > level, score == level
        n_seen = min(max(k - is_above.sum(), 0), is_tied.sum())
        hits = y[is_tied].sum() * n_seen / is_tied.sum()
        total += hits * (y[is_above].sum() + hits) / max(is_above.sum() + n_seen, 1)
    return total / k


@pytest.mark.parametrize("seed", range(5))
def test_label_derivative_equals_the_change_when_flipped(seed):
    """The value is a polynomial in which no label is multiplied by itself, also of tied rows."""
    rng = np.random.default_rng(seed)
    query, score = np.repeat([0, 1], 6), rng.integers(0, 3, 12).astype(float)
    label = (rng.random(12) < 0.5).astype(float)
    _, derivative = TopRows.find(AtK(4, normalizer="k"), score, query).values(label)
    for row in range(12):
        rows = query == query[row]
        off, on = (
            value_at_k(np.where(np.arange(12) == row, y, label)[rows], score[rows], 4)
            for y in (0.0, 1.0)
        )
        assert derivative[row] == pytest.approx(on - off), row


def test_difference_counts_the_smaller_number_of_pairs():
    """More pairs would hide less of what pairs of mistakes do."""
    one = np.ones(1)
    few, many = (LabelEffects(one, one, one, 2, pair_effect=0.1, n_pairs=n) for n in (1.0, 9.0))
    assert few.minus(many).n_pairs == many.minus(few).n_pairs == 1


# ---- numbers by hand


@few
@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        # The judge is wrong in the first row: 1 + (0 - 1) / .5 = -1 stands for it, and for the
        # second row 0 + (1 - 0) / .5 = 2. The other query has 1 and 1, which nobody looked at.
        (PrecisionAtK(2), ((-1 + 2) / 2 + (1 + 1) / 2) / 2),
        # Precisions are -1 / 1 and (-1 + 2) / 2.
        (AtK(2, normalizer="k"), ((-1 * -1 + 2 * (-1 + 1)) / 2 * 0 + 0.5 * -1 + 1) / 2),
    ],
)
def test_labels_count_by_inverse_probability_beside_the_judge(definition, expected):
    """A label is not multiplied by itself: the first hit has precision 1, so -1 counts -1."""
    given = {"queries": [1, 1, 1, 2, 2, 2], "judge": [1, 0, 0, 1, 1, 0], "definition": definition}
    given["inclusion_probability"] = [0.5, 0.5, NAN, NAN, NAN, NAN]
    found = average_precision_interval([0, 1, NAN, NAN, NAN, NAN], [3, 2, 1] * 2, **given)
    assert found.estimate == pytest.approx(expected)
    assert found.labels.judge_score == pytest.approx({2: 0.75}[definition.k])
    assert (found.labels.n_labelled, found.labels.n_units, found.labels.n_in_top) == (2, 6, 2)


@few
@pytest.mark.parametrize("definition", BOTH)
@pytest.mark.parametrize(
    "score", [[3, 2, 1], [2, 2, 1], [3, 2, 2], [2, 2, 2]]
)  # blocks that rank 2 cuts, too
@pytest.mark.parametrize("judge", [None, [1, 0, 0, 0, 1, 1], [0.9, 0.2, 0.4, 0.6, 0.3, 0.5]])
def test_the_mean_over_all_draws_of_labels_is_the_score(definition, score, judge):
    truth, chance = [1, 0, 1, 1, 1, 0], [0.5, 0.8, 0.6, 0.7, 0.5, 0.9]
    # Ten other queries keep estimates within [0, 1]; the rows that count have labels for sure.
    others = {"label": [1, 0, NAN] * 10, "score": [3, 2, 1] * 10, "chance": [1, 1, NAN] * 10}
    query = np.repeat(np.arange(12), 3)
    judge = None if judge is None else judge + [1, 0, 0] * 10
    total = 0.0
    for drawn in product([True, False], repeat=6):
        label = [y if is_drawn else NAN for y, is_drawn in zip(truth, drawn, strict=True)]
        found = average_precision_interval(
            label + others["label"],
            score * 2 + others["score"],
            queries=query,
            inclusion_probability=chance + others["chance"],
            judge=judge,
            definition=definition,
        )
        assert 0 < found.estimate < 1
        parts = [q if is_drawn else 1 - q for q, is_drawn in zip(chance, drawn, strict=True)]
        total += np.prod(parts) * found.estimate
    name, options = ("precision_at_k", {"k": 2})
    if isinstance(definition, AtK):
        name, options = "at_k", {"k": 2, "normalizer": "k"}
    value = getattr(reference, name)
    of_queries = [value(truth[:3], score, **options), value(truth[3:], score, **options)]
    of_queries += [value([1, 0, 0], [3, 2, 1], **options)] * 10
    assert total == pytest.approx(float(sum(of_queries, Fraction(0)) / 12), rel=1e-12)


@few
@pytest.mark.parametrize("definition", TWO)
@pytest.mark.parametrize("judge", [True, False])
def test_labels_of_all_top_k_rows_give_the_plain_interval(rows, definition, judge):
    query, truth, score, judged = rows
    in_top, options = top_of(score, query, 3), {"queries": query, "definition": definition}
    options["zero_division"] = 0.0
    plain = average_precision_interval(truth, score, **options)
    seen = np.where(in_top, truth, NAN)
    given = {"inclusion_probability": np.where(in_top, 1, NAN), "judge": judged if judge else None}
    found = average_precision_interval(seen, score, **options, **given)
    for name in ("estimate", "standard_error"):
        assert getattr(found, name) == pytest.approx(getattr(plain, name), rel=1e-9)
    assert found.low == pytest.approx(plain.low, abs=0.003)  # a query without hits counts here
    assert found.variance_method == "queries"


@few
@pytest.mark.parametrize("definition", TWO)
def test_perfect_judge_gives_the_true_score(rows, definition):
    query, truth, score, _ = rows
    seen = seen_by(truth, 0.3)
    options = {"queries": query, "definition": definition, "zero_division": 0.0}
    labels = {"judge": truth, "inclusion_probability": "equal"}
    found = average_precision_interval(seen, score, **labels, **options)
    expected = average_precision_score(truth, score, **options)
    assert found.estimate == pytest.approx(expected, rel=1e-12)
    assert found.labels.judge_score == pytest.approx(expected, rel=1e-12)
    plain = average_precision_interval(truth, score, **options)
    assert found.high - found.low > plain.high - plain.low  # it may have hidden mistakes


@few
@pytest.mark.parametrize("definition", TWO)
def test_only_rows_within_k_count(rows, definition):
    query, truth, score, judge = rows
    in_top, seen = top_of(score, query, 3), seen_by(truth, 0.3)
    options = {"queries": query, "judge": judge, "definition": definition}
    found = average_precision_interval(seen, score, inclusion_probability=0.3, **options)
    for below, chance in ((NAN, 0.0), (1 - truth, NAN), (truth, 1.0)):
        labels, chances = np.where(in_top, seen, below), np.where(in_top, 0.3, chance)
        again = average_precision_interval(
            labels, np.where(in_top, score, -INF), inclusion_probability=chances, **options
        )
        assert (again.low, again.high) == (found.low, found.high)
        assert again.labels.judge.columns() == found.labels.judge.columns()


@few
def test_equal_inclusion_probability_is_the_share_of_labelled_top_rows(rows):
    """So that labels of rows in the top alone, drawn at random, are taken as such."""
    query, truth, score, judge = rows
    in_top = top_of(score, query, 3)
    seen = np.where(in_top, seen_by(truth, 0.3), NAN)
    share = np.mean(~np.isnan(seen[in_top]))
    options = {"queries": query, "judge": judge, "definition": TWO[0]}
    found, told = (
        average_precision_interval(seen, score, inclusion_probability=chance, **options)
        for chance in ("equal", share)
    )
    assert found.estimate == pytest.approx(told.estimate, rel=1e-12)


# ---- what must hold


@few
@pytest.mark.parametrize("definition", TWO)
def test_the_order_of_rows_and_the_names_of_queries_do_not_matter(rows, definition):
    query, truth, score, judge = rows
    seen, order = seen_by(truth, 0.3), np.random.default_rng(2).permutation(480)
    same = {"definition": definition, "inclusion_probability": "equal"}
    found = average_precision_interval(seen, score, queries=query, judge=judge, **same)
    again = average_precision_interval(
        seen[order],
        3 * score[order] + 7,
        queries=[f"q{200 - i}" for i in query[order]],
        judge=judge[order],
        **same,
    )
    for name in ("estimate", "standard_error", "low", "high"):
        assert getattr(found, name) == pytest.approx(getattr(again, name), rel=1e-9)


@few
@pytest.mark.parametrize("definition", TWO)
def test_models_are_compared_on_the_union_of_their_top_k_rows(rows, definition):
    query, truth, score, judge = rows
    seen, options = seen_by(truth, 0.4), {"queries": query, "judge": judge}
    options |= {"definition": definition, "inclusion_probability": 0.4}
    models = {"a": score, "b": score + np.random.default_rng(3).normal(size=480)}
    found = compare_average_precision(seen, models, **options)
    for place, each in enumerate(models.values()):
        alone = average_precision_interval(seen, each, **options)
        assert found.estimates[place] == pytest.approx(alone.estimate)
    again = compare_average_precision(seen, models, reference="b", **options)
    assert found.differences[1] == pytest.approx(-again.differences[0])
    assert found.difference_highs[1] == pytest.approx(-again.difference_lows[0])
    assert 0 < found.pvalues[1] < 1
    assert found.pvalues[1] == pytest.approx(again.pvalues[0])
    same = compare_average_precision(seen, {"a": score, "b": 2 * score}, **options)
    assert same.differences[1] == 0
    assert same.pvalues[1] == 1


def test_printed_interval_states_labelled_rows_and_top_k(rows):
    query, truth, score, judge = rows
    options = {"queries": query, "judge": judge, "definition": TWO[0]}
    options["inclusion_probability"] = "equal"
    seen = seen_by(truth, 0.4)
    lines = str(average_precision_interval(seen, score, **options)).replace("\n", " ")
    assert lines.startswith("mean precision@3, 202 of 480 rows labelled, judge on all, ")
    assert "uncertainty over 60 queries" in lines
    assert "of the labels are within the first k ranks, and count" in lines
    assert "sensitivity" in lines


@few
@pytest.mark.parametrize("definition", TWO)
def test_planned_labels_for_the_current_half_width_equal_current_labels(rows, definition):
    query, truth, score, judge = rows
    options = {"queries": query, "judge": judge, "definition": definition}
    options["inclusion_probability"] = "equal"
    seen, models = seen_by(truth, 0.2), {"a": score, "b": -score}
    one, two = (
        average_precision_interval(seen, score, **options),
        compare_average_precision(seen, models, **options),
    )
    widths = one.high - one.low, two.difference_highs[1] - two.difference_lows[1]
    for found, width in zip((one, two), widths, strict=True):
        needed, more = (np.max(found.labels_for(half_width=w * width)) for w in (0.5, 0.45))
        assert needed == pytest.approx(found.labels.n_in_top, abs=1)
        assert more > needed + 1
        with pytest.raises(ValueError, match="no number of labels reaches it"):
            found.labels_for(half_width=0.01)
    assert "no number of labels within the first k ranks gives +-0.05" in str(one)


# ---- what is too little, or refused


def test_wrong_inclusion_probabilities_raise_a_warning_or_error(rows):
    query, truth, score, judge = rows
    options = {"queries": query, "definition": AtK(8, normalizer="k")}
    options["inclusion_probability"] = "equal"
    seen = seen_by(truth, 0.4)
    with pytest.warns(UncertaintyWarning, match="wrong probabilities: The labels stand for"):
        average_precision_interval(seen, score, **options | {"inclusion_probability": 0.3})
    with pytest.warns(UncertaintyWarning, match="chosen for other models, or another k"):
        average_precision_interval(seen, score, **options | {"inclusion_probability": 0.1})
    with pytest.raises(ValueError, match="pass how they were chosen"):
        average_precision_interval(
            seen, score, judge=judge, **options | {"inclusion_probability": None}
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r"single rows are enough for PrecisionAtK\(k\) .* Step\(\) needs queries"),
        ({"definition": AtK(3)}, r"AtK\(k=3\) needs queries"),
        ({"definition": RecallAtK(3)}, "RecallAtK.* needs queries"),
        ({"definition": PrecisionAtK(0.5)}, "a whole number k"),
        ({"definition": TWO[0], "prevalence": 0.1}, "at prevalence=0.1"),
        ({"definition": TWO[0], "sample_weight": [1.0] * 480}, "sample_weight does not go with"),
        ({"definition": TWO[0], "zero_division": 1.0}, "zero_division=1.0 needs to know"),
        ({"definition": TWO[0], "zero_division": NAN}, "zero_division=nan needs to know"),
        ({"definition": TWO[0], "inclusion_probability": 0.0}, "must be above 0"),
        ({"definition": TWO[0], "clusters": [1] * 480}, "clusters does not go with"),
    ],
)
def test_options_unsuited_to_single_row_labels_are_refused(rows, options, message):
    query, truth, score, judge = rows
    with pytest.raises(ValueError, match=message):
        average_precision_interval(
            seen_by(truth, 0.3), score, queries=query, **{"judge": judge} | options
        )


def test_labels_only_below_rank_k_are_refused(rows):
    query, truth, score, _ = rows
    seen = np.where(top_of(score, query, 3), NAN, seen_by(truth, 0.3))
    options = {"queries": query, "definition": TWO[0], "inclusion_probability": 0.3}
    with pytest.raises(ValueError, match="No label is of a row within the first k ranks"):
        average_precision_interval(seen, score, **options)


# ---- which rows to label


@pytest.mark.parametrize("definition", TWO)
@pytest.mark.parametrize("guess", [None, 0.3, "judge", "unsure"])
def test_plan_chooses_top_k_rows_and_probabilities_add_up(rows, definition, guess):
    query, _, score, judge = rows
    guess = {"judge": judge, "unsure": np.clip(judge, 0.2, 0.7)}.get(guess, guess)
    plan = rows_to_label(score, 40, queries=query, definition=definition, guess=guess)
    in_top, chance = top_of(score, query, 3), plan.inclusion_probability
    assert plan.rows.size == 40 == np.unique(plan.rows).size
    assert in_top[plan.rows].all()
    assert ((chance > 0) == in_top).all()
    assert chance.sum() == pytest.approx(40)
    left = np.isin(np.arange(480), plan.rows)
    second = rows_to_label(score, 40, queries=query, definition=definition, exclude=left, rng=1)
    assert not {*plan.rows} & {*second.rows}


def test_labels_with_larger_effect_have_larger_inclusion_probabilities():
    score, query = np.tile([3.0, 2.0, 1.0], 50), np.repeat(np.arange(50), 3)
    plan = rows_to_label(score, 30, queries=query, definition=AtK(2, normalizer="k"), guess=0.5)
    # The first label has 1 + 0.5 / 2 over 2, and the second (0.5 + 1) / 2 over 2.
    size = 0.7 * np.array([1.25, 0.75]) + 0.3
    assert plan.inclusion_probability[:3] == pytest.approx([*size * 0.3, 0])


def test_rows_of_one_query_are_drawn_independently():
    """Neighbours in a systematic sample would never both be chosen."""
    score, query = np.tile([2.0, 1.0], 50), np.repeat(np.arange(50), 2)
    options = {"queries": query, "definition": PrecisionAtK(2)}
    pairs = 0
    for seed in range(400):
        chosen = rows_to_label(score, 25, rng=seed, **options).rows // 2
        pairs += chosen.size - np.unique(chosen).size
    expected = 400 * 50 * 25 / 100 * 24 / 99
    assert pairs == pytest.approx(expected, rel=0.1)


def test_plan_for_several_models_covers_top_rows_of_each(rows):
    query, _, score, _ = rows
    models = pd.DataFrame({"a": score, "b": -score})
    in_any = top_of(score, query, 3) | top_of(-score, query, 3)
    for given in (models, {"a": score, "b": -score}):
        plan = rows_to_label(given, 40, queries=query, definition=TWO[0])
        assert ((plan.inclusion_probability > 0) == in_any).all()


@few
@pytest.mark.parametrize("definition", TWO)
def test_interval_from_planned_labels_covers_the_true_score(rows, definition):
    query, truth, score, judge = rows
    plan = rows_to_label(score, 100, queries=query, definition=definition, guess=judge)
    seen = np.full(480, NAN)
    seen[plan.rows] = truth[plan.rows]
    options = {"queries": query, "definition": definition, "judge": judge}
    options["inclusion_probability"] = plan.inclusion_probability
    found = average_precision_interval(seen, score, **options)
    expected = average_precision_score(
        truth, score, queries=query, definition=definition, zero_division=0.0
    )
    assert found.low < expected < found.high
    assert found.labels.n_in_top == 100


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"definition": Step()}, "definition: labels of single rows are enough for PrecisionAtK"),
        ({"definition": TWO[0], "n_labels": 300}, "n_labels must be at most the number of rows"),
        ({"definition": TWO[0], "queries": None}, r"definition must be Step\(\) without queries"),
        ({"definition": TWO[0], "guess": 1.5}, "guess"),
        ({"definition": TWO[0], "queries": [1] * 7}, "queries"),
    ],
)
def test_invalid_plans_of_single_rows_are_refused(rows, options, message):
    query, _, score, _ = rows
    with pytest.raises(ValueError, match=message):
        rows_to_label(score, **{"n_labels": 40, "queries": query} | options)
