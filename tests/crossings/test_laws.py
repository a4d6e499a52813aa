"""Limits, bias, effective numbers, p-values and warnings of all definitions, by laws."""

import warnings
from dataclasses import fields, replace
from functools import partial

import numpy as np
import pytest
from answers import definition_of
from cases import make
from entrances import has_a_positive
from hypothesis import settings

import sklearn_ap

TIMES = {15: 1, 50: 50}.get(settings.default.max_examples, 500)
OF_ROWS = ("sample_weight", "queries", "clusters")
IN_UNITS = ("n_selected", "threshold", "remark")  # of weights and scores
FAR = {"n_resamples": 20, "rng": 0}


def interval(case):
    return sklearn_ap.average_precision_interval(
        case.y_true, case.y_score, definition=definition_of(case), **case.options, **FAR
    )


def comparison(case, **options):
    return sklearn_ap.compare_average_precision(
        case.y_true, case.scores, definition=definition_of(case), **case.options, **FAR, **options
    )


def best(case):
    if case.options.get("average", "macro") is None:
        return None
    return sklearn_ap.best_average_precision(
        case.y_true, case.scores, definition=definition_of(case), **case.options, **FAR
    )


def point(case):
    options = {
        k: v for k, v in case.options.items() if k in ("pos_label", "sample_weight", "clusters")
    }
    if case.kind != "rows" or not has_a_positive(case):
        return None
    goal, wanted = case.goal
    return sklearn_ap.operating_point(case.y_true, case.y_score, **{goal: wanted}, **options)


TOOLS = {"interval": interval, "comparison": comparison, "best": best, "operating point": point}


def made(seed):
    """A case with the options that all tools take."""
    case = make(seed).without("alternative", "reference", "of", "without_positives")
    return case, np.random.default_rng(seed)


def with_rows(case, change):
    """The case with a change of every array that has a place for each row."""
    options = {k: change(v) if k in OF_ROWS else v for k, v in case.options.items()}
    scores = {name: change(score) for name, score in case.scores.items()}
    return replace(case, y_true=change(case.y_true), scores=scores, options=options)


def with_options(case, **options):
    return replace(case, options=case.options | options)


def with_scores(case, change):
    return replace(case, scores={name: change(score) for name, score in case.scores.items()})


# ---- the laws: each gives the same case said in another way, or None where it says nothing


def other_order_of_rows(case, rng):
    if case.options.get("average") == "samples" and "n_positives" in case.options:
        return None
    order = rng.permutation(len(case.y_true))
    return with_rows(case, lambda rows: rows[order])


def other_scores_in_the_same_order(case, rng):
    def ranks(score):
        codes = np.unique(score, return_inverse=True)[1].reshape(score.shape)
        return np.where(score == -np.inf, score, codes**1.5 + 10.5)

    return with_scores(case, ranks)


def a_row_of_weight_0(case, rng):
    if "sample_weight" not in case.options:
        return None
    i = rng.integers(len(case.y_true))
    other = with_rows(case, lambda rows: np.concatenate((rows, rows[i : i + 1])))
    weight = np.append(case.options["sample_weight"], 0.0)
    return with_options(other, sample_weight=weight)


def weights_in_another_unit(case, rng):
    weight = case.options.get("sample_weight")
    if weight is None or "k" in case.definition[1]:
        return None
    factor = rng.choice([1e-3, 2.0**-5, 0.1, 7.3, 1e3][: 5 if weight.max() < 1e200 else 3])
    known = case.options.get("n_positives")
    if known is None or case.options.get("average") == "samples":  # a row has cells, not weights
        known = {}
    else:
        known = {"n_positives": known * factor}
    return with_options(case, sample_weight=weight * factor, **known)


def twice(case):
    """The rows once more below themselves: the envelope has thresholds of equal precision."""
    if case.kind != "rows" or {"sample_weight", "clusters"} & {*case.options} != {"sample_weight"}:
        return case.without("sample_weight")
    other = with_rows(case, lambda rows: np.concatenate((rows, rows)))
    half = np.repeat((0, 100), len(case.y_true))
    other = with_scores(other, lambda score: score - half).without("n_positives")
    return replace(other, definition=("Interpolated", {}))


def weights_of_equal_precisions(case, rng):
    return weights_in_another_unit(case, rng)


def other_names_in_the_same_order(case, rng):
    codes = {
        name: np.unique(case.options[name], return_inverse=True)[1]
        for name in ("queries", "clusters")
        if name in case.options
    }
    return with_options(case, **{k: np.char.mod("name %03d", v) for k, v in codes.items()})


def names_of_queries_in_another_order(case, rng):
    if case.kind != "queries" or case.options.get("average", "macro") is None:
        return None
    codes = np.unique(case.options["queries"], return_inverse=True)[1]
    known = case.options.get("n_positives")
    known = {} if known is None else {"n_positives": known[::-1]}
    return with_options(case, queries=-codes, **known)


def other_order_of_columns(case, rng):
    if case.kind != "columns" or case.options.get("average", "macro") is None:
        return None
    order = rng.permutation(case.y_true.shape[1])
    known = case.options.get("n_positives")
    is_each = known is not None and np.size(known) == order.size
    known = {"n_positives": np.asarray(known)[order]} if is_each else {}
    other = with_scores(case, lambda score: score[:, order])
    return with_options(replace(other, y_true=case.y_true[:, order]), **known)


def negatives_below_all_others(case, rng):
    """Instead of minus infinity. In the first place, positives are retrieved."""
    return with_scores(case, lambda score: np.where(score == -np.inf, -999.0, score))


def only_negatives_not_retrieved(case):
    positive = case.y_true == case.options.get("pos_label", 1)
    if case.kind == "classes":
        names = case.options.get("labels", np.unique(case.y_true))
        positive = case.y_true[:, None] == names
    return with_scores(case, lambda score: np.where(positive & (score == -np.inf), -9.0, score))


def classes_as_columns(case, rng):
    if case.kind != "classes":
        return None
    names = case.options.get("labels", np.unique(case.y_true))
    other = replace(case, y_true=(case.y_true[:, None] == names).astype(int), kind="columns")
    return other.without("labels")


def rows_as_queries(case, rng):
    """The mean over samples is the mean over queries, which are rows."""
    is_mean = case.kind == "columns" and case.options.get("average") == "samples"
    if not is_mean or len(case.y_true) == 1 or {"sample_weight", "clusters"} & {*case.options}:
        return None
    row, _ = known = (~np.isnan(case.y_true)).nonzero()
    other = replace(with_scores(case, lambda score: score[known]), y_true=case.y_true[known])
    return with_options(replace(other, kind="queries"), queries=row, average="macro")


def columns_as_queries(case, rng):
    is_each = case.kind == "columns" and case.options.get("average", "macro") is None
    if not is_each or "clusters" in case.options:
        return None
    column, row = (~np.isnan(case.y_true)).T.nonzero()
    other = with_scores(case, lambda score: score[row, column])
    other = replace(other, y_true=case.y_true[row, column], kind="queries")
    if "sample_weight" in case.options:
        other = with_options(other, sample_weight=case.options["sample_weight"][row])
    if np.unique(column).size < case.y_true.shape[1]:
        return None  # a column without labels is no query
    if np.isnan(case.y_true).any():  # its rows are drawn as they stand
        other = with_options(other, clusters=row)
    return with_options(other, queries=column)


LAWS = {
    other_order_of_rows: 3,
    other_scores_in_the_same_order: 3,
    a_row_of_weight_0: 6,
    weights_in_another_unit: 7,
    weights_of_equal_precisions: 15,
    other_names_in_the_same_order: 3,
    names_of_queries_in_another_order: 6,
    other_order_of_columns: 6,
    negatives_below_all_others: 6,
    classes_as_columns: 10,
    rows_as_queries: 15,
    columns_as_queries: 15,
}
PREPARED = {
    negatives_below_all_others: only_negatives_not_retrieved,
    weights_of_equal_precisions: twice,
}
# Other rows, or the same ones in another order, give other replicates.
REDRAWN = {other_order_of_rows, names_of_queries_in_another_order, negatives_below_all_others}
REDRAWN |= {columns_as_queries, other_order_of_columns}


def answer(tool, case):
    """The numbers and names of a result, or its error; and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = tool(case)
        except Exception as error:
            return {"error": f"{type(error).__name__}: {error}"}
    if found is None:
        return {}
    numbers = {field.name: getattr(found, field.name) for field in fields(found)}
    numbers.pop("rankings", None)  # classes have other names than columns
    if tool is best:  # models whose scores differ in the last digit stand in any order
        order = np.argsort(found.names)
        arrays = ("estimates", "lows", "highs")
        numbers |= {name: numbers[name][order] for name in arrays}
        numbers |= {name: sorted(numbers[name]) for name in ("names", "may_be_best")}
    numbers["warnings"] = sorted({str(warning.message) for warning in caught})
    return {name: value for name, value in numbers.items() if name not in IN_UNITS}


def differences(first, second):
    """What differs between two answers."""
    return [
        f"{name}: {first.get(name)} and {second.get(name)}"
        for name in first.keys() | second.keys()
        if not alike(first.get(name), second.get(name))
    ]


def alike(one, other):
    try:
        one, other = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    except (TypeError, ValueError):
        return one == other
    same_shape = one.shape == other.shape
    return same_shape and np.allclose(one, other, rtol=1e-9, atol=1e-9, equal_nan=True)


def broken(law, seed):
    """What a law finds on the case of a seed."""
    case, rng = made(seed)
    case = PREPARED.get(law, replace)(case)
    other = law(case, rng)
    if other is None:
        return
    for name, tool in TOOLS.items():
        if law.__name__.startswith("weights") and tool is point and case.goal[0] == "k":
            continue  # k counts weight
        first, second = answer(tool, case), answer(tool, other)
        if law in REDRAWN and "resampling" in (first.get("method"), second.get("method")):
            continue
        found = differences(first, second)
        if found:
            yield f"seed {seed}, {name}: {'; '.join(found)}"


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_what_does_not_matter(law):
    wrong = [text for seed in range(LAWS[law] * TIMES) for text in broken(law, seed)]
    assert not wrong, f"{len(wrong)} differ\n" + "\n".join(wrong)


def apart(seed):
    """What an interval, the interval of counts, a comparison and the best say of one model."""
    case, _ = made(seed)
    alone, among, chosen = answer(interval, case), answer(comparison, case), answer(best, case)
    if alone.get("method") == "resampling" or "error" in alone | among | chosen:
        return
    for name in ("estimate", "low", "high"):
        if not alike(alone[name], among[f"{name}s"][0]):
            yield f"seed {seed}, comparison, {name}: {alone[name]} and {among[name + 's'][0]}"
    for name in ("estimates", "highs") if chosen else ():
        if not alike(among[name], chosen[name]):
            yield f"seed {seed}, best, {name}: {among[name]} and {chosen[name]}"


def reversed_comparison(seed):
    """What changes if the other model is the reference."""
    case, _ = made(seed)
    names = [*case.scores][:2]
    first, second = (answer(partial(comparison, reference=name), case) for name in names)
    if "error" in first | second:
        return
    for name, sign in (("differences", -1), ("pvalues", 1), ("difference_standard_errors", 1)):
        one, other = np.asarray(first[name])[1], sign * np.asarray(second[name])[0]
        if not alike(one, other):
            yield f"seed {seed}, {name}: {one} and {other}"


def test_a_comparison_has_no_direction():
    wrong = [text for seed in range(10 * TIMES) for text in reversed_comparison(seed)]
    assert not wrong, f"{len(wrong)} differ\n" + "\n".join(wrong)


def test_each_tool_says_the_same_of_a_model():
    wrong = [text for seed in range(10 * TIMES) for text in apart(seed)]
    assert not wrong, f"{len(wrong)} differ\n" + "\n".join(wrong)
