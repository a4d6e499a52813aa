"""The part of a comparison that a margin adds: limits, p-values and verdicts for each model."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, cast

import numpy as np

from sklearn_ap._base.text import number_as_text
from sklearn_ap._questions.verdicts import (
    BETTER,
    NOT_WORSE,
    UNDECIDED,
    WORSE,
    Difference,
    DifferenceTests,
    Verdict,
    adjusted_not_worse,
)
from sklearn_ap._types import AnyResult, Float
from sklearn_ap._uncertainty.former.confidence_limits import Estimates
from sklearn_ap._uncertainty.former.margins import SmallMarginError, combined_cost, margin_test
from sklearn_ap._uncertainty.former.options import Options


class MarginPart(NamedTuple):
    """The fields of a comparison that a margin fills; empty without one."""

    lows: Float | None = None
    not_worse: Float | None = None


def margin_part(
    estimates: Estimates,
    names: Sequence[str],
    reference_index: int,
    options: Options,
    column: Callable[[Iterable[Float]], Float],
) -> MarginPart:
    """Test each model against the reference and the margin, if there is one."""
    if options.margin is None:
        return MarginPart()
    models = estimates.influences
    _check_cost(estimates, names, reference_index, options.margin)
    tests = [
        margin_test(
            model, models[reference_index], estimates.difference_uncertainties.get(index), options
        )
        for index, model in enumerate(models)
    ]
    return MarginPart(
        lows=column(test.low for test in tests),
        not_worse=column(test.not_worse_pvalue for test in tests),
    )


def _check_cost(
    estimates: Estimates, names: Sequence[str], reference_index: int, margin: float
) -> None:
    """Refuse a margin that no compared score could show at a difference of 0."""
    smallest = {}
    for index, model in enumerate(estimates.influences):
        if index != reference_index:
            cost = combined_cost(model)
            known_cost = np.where(model.is_undefined, np.inf, cost)
            smallest[names[index]] = float(known_cost.min())
    name = min(smallest, key=lambda model: smallest[model])
    if margin <= smallest[name] < np.inf:
        raise SmallMarginError(
            f"margin={margin!r} is too small for these rows. Three false alarms of {name}, which a "
            f"sample may lack, would cost {smallest[name]:.3g}, so models that are equal would not "
            f"be shown to be not worse.",
            f"Pass a larger margin, or more positives: positives_for(0.0, margin={margin!r}) of "
            f"the comparison without margin= says how many.",
        )


def margin_verdict(
    result: AnyResult,
    index: tuple[int, ...],
    difference: Difference,
    tests: DifferenceTests,
    verdict: Verdict,
    doubt: str = "",
) -> Verdict:
    """Say whether a margin shows of a model that is not better that it is not worse.

    ``verdict`` is what the comparison says without the margin. Where it is not shown, a model that
    is worse stays so, and the reason is added. ``doubt`` is the last sentence, if there is any.
    """
    if result.margin is None or verdict.decision == BETTER:
        return verdict
    if np.isnan(result.not_worse_pvalues[index]):
        return verdict
    limit = (1 - tests.level) / 2
    decision = verdict.decision
    if adjusted_not_worse(result)[index] < limit:
        decision = NOT_WORSE
        sentence = _not_worse(difference, tests, verdict.decision == WORSE)
    else:
        reach = _reach(result, index, difference, tests)
        sentence = _not_shown(difference, tests, verdict, reach, doubt)
    return verdict._replace(decision=decision, sentence=f"{sentence} {doubt}".rstrip())


def _not_worse(difference: Difference, tests: DifferenceTests, is_worse: bool) -> str:
    margin = f"by {tests.margin:g} or more"
    claim = f"{difference.name} is not worse than {difference.reference} {margin}"
    if is_worse:
        claim = f"{difference.name} is worse than {difference.reference}, but not {margin}"
    return f"{claim}{tests.condition}: {_change(difference, tests)}."


def _change(difference: Difference, tests: DifferenceTests) -> str:
    """Print a difference with one digit more than the margin, with which limits are compared."""
    n_digits = len(f"{tests.margin:g}".partition(".")[2])
    return difference.change.brief(tests.interval, "+", fewest=n_digits + 1)


def _not_shown(
    difference: Difference, tests: DifferenceTests, verdict: Verdict, reach: str, doubt: str
) -> str:
    """Say why a model may be worse by the margin; of one that is worse, also that it is."""
    by = f"by {tests.margin:g} or more"
    if verdict.decision == UNDECIDED:
        claim = f"{difference.name} is not worse than {difference.reference} {by}{tests.condition}"
        return f"It is not shown that {claim}: {reach}."
    is_worse = verdict.sentence.removesuffix(doubt).rstrip()
    if difference.change.high <= -cast(float, tests.margin):
        return is_worse  # by the margin or more, so that its interval is the reason
    return f"{is_worse} It is not shown that {difference.name} is not worse {by}: {reach}."


def _reach(
    result: AnyResult, index: tuple[int, ...], difference: Difference, tests: DifferenceTests
) -> str:
    """Say why it is not shown: by the interval, by hidden false alarms, or by Holm's correction."""
    low = float(result.margin_lows[index])
    if difference.change.low <= -result.margin:
        return f"the {tests.interval} reaches down to {number_as_text(difference.change.low, '+')}"
    if low <= -result.margin:
        reach = number_as_text(low, "+")
        return f"with room for rare false alarms, the interval reaches down to {reach}"
    return f"Holm's correction for {tests.n_tests} tests leaves it open"
