"""What does not matter, also where no reference knows limits: to replicates and to warnings."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from cases import make
from entrances import best, comparison, has_a_positive, interval
from entrances import point as operating_point
from hypothesis import settings

TIMES = {15: 1, 50: 50}.get(settings.default.max_examples, 500)
# In units of weights; and classes have other names than columns.
UNNAMED = ("n_selected", "remark", "rankings")


def point(case):
    if case.kind != "rows" or not has_a_positive(case):
        return {}
    dropped = {*case.options} - {"pos_label", "sample_weight", "clusters", "prevalence"}
    return operating_point(case.without(*dropped))


TOOLS = (interval, comparison, best, point)


def a_row_of_weight_0(case):
    if "sample_weight" not in case.options:
        return None
    other = case.only([*range(len(case.y_true)), 0])
    return other.having(sample_weight=np.append(case.options["sample_weight"], 0.0))


def weights_in_another_unit(case):
    weight = case.options.get("sample_weight")
    if weight is None or "k" in (*case.definition[1], case.goal[0]):  # k counts weight
        return None
    factor = [1e-3, 7.3, 1e3][case.seed % 3] if weight.max() < 1e200 else 0.1
    known = case.options.get("n_positives")
    if known is not None and case.average != "samples":  # a row has cells, not weights
        case = case.having(n_positives=known * factor)
    return case.having(sample_weight=weight * factor)


def classes_as_columns(case):
    if case.kind != "classes":
        return None
    names = case.options.get("labels", np.unique(case.y_true))
    other = replace(case, y_true=(case.y_true[:, None] == names).astype(int), kind="columns")
    return other.without("labels")


def answer(tool, case):
    """The numbers and names of a result, or its error; and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = tool(case)
        except Exception as error:
            return {"error": f"{type(error).__name__}: {error}"}
    numbers = {name: value for name, value in found.items() if name not in UNNAMED}
    return numbers | {"warnings": sorted({str(warning.message) for warning in caught})}


def alike(one, other):
    try:
        one, other = np.asarray(one, float), np.asarray(other, float)
    except (TypeError, ValueError):
        return one == other
    return one.shape == other.shape and np.allclose(one, other, 1e-9, 1e-9, equal_nan=True)


@pytest.mark.parametrize("law", [a_row_of_weight_0, weights_in_another_unit, classes_as_columns])
def test_what_does_not_matter(law):
    wrong = []
    for seed in range(20 * TIMES):
        case = make(seed).without("alternative", "reference", "of", "without_positives")
        case = case.without("inclusion_probability", "judge")
        other = law(case)
        for tool in TOOLS if other else ():
            first, second = answer(tool, case), answer(tool, other)
            names = first.keys() | second.keys()
            if not all(alike(first.get(name), second.get(name)) for name in names):
                wrong.append(f"seed {seed}, {tool.__name__}: {first} and {second}")
    assert not wrong, "\n".join(wrong)
