"""Limits, bias, effective numbers, p-values and warnings of all definitions, by laws."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from cases import make
from entrances import best, comparison, has_a_positive, interval
from entrances import point as operating_point
from hypothesis import settings

TIMES = {15: 1, 50: 50}.get(settings.default.max_examples, 500)
OF_ROWS = ("sample_weight", "queries", "clusters")
# In units of weights and scores; and classes have other names than columns.
UNNAMED = ("n_selected", "threshold", "remark", "rankings")


def point(case):
    if case.kind != "rows" or not has_a_positive(case):
        return {}
    dropped = {*case.options} - {"pos_label", "sample_weight", "clusters", "prevalence"}
    return operating_point(case.without(*dropped))


def the_best(case):
    return {} if case.average is None else best(case)


TOOLS = {"interval": interval, "comparison": comparison, "best": the_best, "operating point": point}


def made(seed):
    """A case with the options that all tools take."""
    case = make(seed).without("alternative", "reference", "of", "without_positives")
    case = case.without("inclusion_probability", "judge")  # of two tools
    return case, np.random.default_rng(seed)


def with_rows(case, change):
    """The case with a change of every array that has a place for each row."""
    options = {k: change(v) if k in OF_ROWS else v for k, v in case.options.items()}
    scores = {name: change(score) for name, score in case.scores.items()}
    return replace(case, y_true=change(case.y_true), scores=scores, options=options)


def with_scores(case, change):
    return replace(case, scores={name: change(score) for name, score in case.scores.items()})


# ---- the laws: each gives the same case said in another way, or None where it says nothing


def other_order_of_rows(case, rng):
    if case.options.get("average") == "samples" and "n_positives" in case.options:
        return None
    order = rng.permutation(len(case.y_true))
    return with_rows(case, lambda rows: rows[order])


def a_row_of_weight_0(case, rng):
    if "sample_weight" not in case.options:
        return None
    i = rng.integers(len(case.y_true))
    other = with_rows(case, lambda rows: np.concatenate((rows, rows[i : i + 1])))
    weight = np.append(case.options["sample_weight"], 0.0)
    return other.having(sample_weight=weight)


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
    return case.having(sample_weight=weight * factor, **known)


def names_of_queries_in_another_order(case, rng):
    if case.kind != "queries" or case.options.get("average", "macro") is None:
        return None
    codes = np.unique(case.options["queries"], return_inverse=True)[1]
    known = case.options.get("n_positives")
    known = {} if known is None else {"n_positives": known[::-1]}
    return case.having(queries=-codes, **known)


def other_order_of_columns(case, rng):
    if case.kind != "columns" or case.options.get("average", "macro") is None:
        return None
    order = rng.permutation(case.y_true.shape[1])
    known = case.options.get("n_positives")
    is_each = known is not None and np.size(known) == order.size
    known = {"n_positives": np.asarray(known)[order]} if is_each else {}
    other = with_scores(case, lambda score: score[:, order])
    return replace(other, y_true=case.y_true[:, order]).having(**known)


def classes_as_columns(case, rng):
    if case.kind != "classes":
        return None
    names = case.options.get("labels", np.unique(case.y_true))
    other = replace(case, y_true=(case.y_true[:, None] == names).astype(int), kind="columns")
    return other.without("labels")


LAWS = {
    other_order_of_rows: 3,
    a_row_of_weight_0: 6,
    weights_in_another_unit: 7,
    names_of_queries_in_another_order: 6,
    other_order_of_columns: 6,
    classes_as_columns: 10,
}
# Other rows, or the same ones in another order, give other replicates.
REDRAWN = {other_order_of_rows, names_of_queries_in_another_order, other_order_of_columns}


def answer(tool, case):
    """The numbers and names of a result, or its error; and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = tool(case)
        except Exception as error:
            return {"error": f"{type(error).__name__}: {error}"}
    numbers = {name: value for name, value in found.items() if name not in UNNAMED}
    numbers["warnings"] = sorted({str(warning.message) for warning in caught})
    return numbers


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


def method_of(case):
    return answer(interval, case).get("method")


def broken(law, seed):
    """What a law finds on the case of a seed."""
    case, rng = made(seed)
    other = law(case, rng)
    if other is None:
        return
    is_redrawn = law in REDRAWN and "resampling" in (method_of(case), method_of(other))
    for name, tool in TOOLS.items():
        if is_redrawn and tool is not point:
            continue
        if law is weights_in_another_unit and tool is point and case.goal[0] == "k":
            continue  # k counts weight
        found = differences(answer(tool, case), answer(tool, other))
        if found:
            yield f"seed {seed}, {name}: {'; '.join(found)}"


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_what_does_not_matter(law):
    wrong = [text for seed in range(LAWS[law] * TIMES) for text in broken(law, seed)]
    assert not wrong, f"{len(wrong)} differ\n" + "\n".join(wrong)


def apart(seed):
    """What an interval, the interval of counts, a comparison and the best say of one model."""
    case, _ = made(seed)
    alone, among, chosen = answer(interval, case), answer(comparison, case), answer(the_best, case)
    if alone.get("method") == "resampling" or "error" in alone | among | chosen:
        return
    for name in ("estimate", "low", "high"):
        if not alike(alone[name], among[f"{name}s"][0]):
            yield f"seed {seed}, comparison, {name}: {alone[name]} and {among[name + 's'][0]}"
    for name in ("estimates", "highs") if "highs" in chosen else ():
        if not alike(among[name], chosen[name]):
            yield f"seed {seed}, best, {name}: {among[name]} and {chosen[name]}"


def reversed_comparison(seed):
    """What changes if the other model is the reference."""
    case, _ = made(seed)
    names = [*case.scores][:2]
    first, second = (answer(comparison, case.having(reference=name)) for name in names)
    if "error" in first | second:
        return
    for name, sign in (("differences", -1), ("pvalues", 1), ("difference_standard_errors", 1)):
        one, other = np.asarray(first[name])[1], sign * np.asarray(second[name])[0]
        if not alike(one, other):
            yield f"seed {seed}, {name}: {one} and {other}"


@pytest.mark.parametrize("tell", [apart, reversed_comparison], ids=lambda each: each.__name__)
def test_tools_agree_of_each_model_and_in_both_directions(tell):
    wrong = [text for seed in range(10 * TIMES) for text in tell(seed)]
    assert not wrong, f"{len(wrong)} differ\n" + "\n".join(wrong)
