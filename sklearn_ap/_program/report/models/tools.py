"""The part of a report about what other tools print for the same predictions."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from sklearn_ap import compat
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.page.page import (
    Part,
)
from sklearn_ap._program.report.page.words import (
    number,
)
from sklearn_ap.compat._evaluation import as_number
from sklearn_ap.compat._tools import WELL_KNOWN

FAR = 5.0  # times as far from scikit-learn's number as that of any other tool: a choice


def tools_part(data: Predictions) -> Part:
    model_part = partial(_tools_of_model, data)
    return replace(model_part(data.best_model), model_part=model_part)


def _tools_of_model(data: Predictions, model: str) -> Part:
    """Group the functions of other tools by the number that they print for a model."""
    comparison = data.ask(compat.compare, model, omitted=("prevalence",), tools=WELL_KNOWN)
    # Functions that print scikit-learn's number are counted with it, if there is any difference.
    first_group = comparison.groups[0]
    alike = [
        g for g in comparison.groups if as_number(g[0].value) == as_number(first_group[0].value)
    ]
    others_groups = [group for group in comparison.groups if group not in alike]
    groups = [tuple(result for group in alike for result in group), *others_groups]
    cells = [["number", "functions", "why it differs"]]
    for group in groups:
        names = ", ".join(result.name for result in group)
        first_result = group[0]
        reason = (
            _explain(data, model, first_result.name)
            if first_result.difference and group is not groups[0]
            else first_result.refusal or ""
        )
        cells.append([as_number(first_result.value), names, reason])
    functions = f"{len(groups[0])} of {sum(map(len, groups))} well-known functions"
    numbers = [(each.value, each.name) for each, *_ in groups if each.value is not None]
    first = as_number(numbers[0][0])
    sentence = f"{functions} print {first} for {model}{_other_numbers(numbers)}"
    if "prevalence" in data.options:
        sentence = f"At the prevalence of these rows, {number(data.own_prevalence)}, {sentence}"
    return Part(f"{sentence}.", cells, call=data.call(compat.compare, model))


def _other_numbers(numbers: Sequence[tuple[float, str]]) -> str:
    """Write the range of the numbers that differ from the first, and one that is far from all."""
    (first, _), *others = numbers
    if not others:
        return ""
    *near, (farthest, name) = sorted(others, key=lambda each: abs(each[0] - first))
    far = ""
    if near and abs(farthest - first) > FAR * abs(near[-1][0] - first):
        others = near
        far = f", and {name} {as_number(farthest)}"
    ends = dict.fromkeys(as_number(end) for end in (min(others)[0], max(others)[0]))
    return f"; the others print {' to '.join(ends)}{far}"


def _explain(data: Predictions, model: str, name: str) -> str:
    """Explain why a function gives another number than scikit-learn for a model."""
    options = data.arguments(compat.explain, "prevalence")
    steps = compat.explain(name, data.y_true, data.y_scores[model], **options).steps
    return " ".join(step.why for step in steps if step.has_effect)
