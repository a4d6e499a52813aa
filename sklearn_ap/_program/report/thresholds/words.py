"""The sentences, cells and notes of a report about thresholds."""

import numpy as np

from sklearn_ap._base.text import cases_as_text, count_as_text, threshold_as_text
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.page.page import Cutoff
from sklearn_ap._program.report.page.words import (
    DASH,
    as_cell,
    as_printed,
    describe,
    number,
    number_of_digits,
    percent,
)
from sklearn_ap._program.report.thresholds.choice import (
    FEWEST_DIGITS,
    GUARANTEE,
    LOWER_PREVALENCES,
    PREVALENCES,
    Goals,
    Lead,
    ModelThresholds,
    choose_lower_goal,
    fair_recall,
    guarantee_of_each,
    is_useful,
    multiple_of_prevalence,
)
from sklearn_ap._questions.operating_points.operating_point import OperatingPoint
from sklearn_ap._questions.verdicts import Estimate, names_in_words

OTHER_GOAL = "For another goal, set precision= in the call of this page, or --precision in a shell."
NO_GOAL = "You passed no goal"  # the first words of a sentence that ends the first lines


def lead_in_words(data: Predictions, lead: Lead, goals: Goals) -> str:
    """Give the threshold of a model that is sure, or say first that none is."""
    point = lead.point
    wanted = data.precision or goals.values[0]
    none = f"No threshold of {lead.model} is sure to have a precision of {wanted:g} or more"
    scores = "with scores of" if data.is_single_model else f"where {lead.model} scores"
    where = f"{scores} {printed_threshold(point)} or more"
    if lead.is_sure and not point.remark:
        selects = f"rows {where}: {_guarantee_in_words(data, lead, goals)}"
        if data.precision in (None, lead.goal):
            return f"Select {selects}."
        return f"{none}; for {lead.goal:g}, select {selects}."
    if lead.thresholds.refusal:
        none = _refusal_in_words(data, lead.thresholds)
        if point.remark or data.precision not in (None, lead.goal):
            none += f", and none has {wanted:g} in this sample"
    if point.remark:
        return f"{none}."
    return f"{none}; in this sample, {_sample_in_words(data, lead, where)}."


def _guarantee_in_words(data: Predictions, lead: Lead, goals: Goals) -> str:
    """Write what a threshold selects, and the precision that it is sure to have."""
    others = _other_clusters(data)
    scope = f" for {others}" if others else ""
    is_multiple = goals.multiple and lead.goal == goals.values[0]
    times = f", {goals.multiple:g} times the prevalence," if is_multiple else ""
    gap = times or ("," if scope else "")
    sure = f"at least {lead.goal:g}{scope}{gap} with {GUARANTEE:.0%} confidence{_choice(data)}"
    shares = _shares(lead.point, f"{precision_as_text(lead.point)} ({sure})")
    return f"{selection_in_words(data, lead.model, lead.point)}, {shares}"


def _sample_in_words(data: Predictions, lead: Lead, where: str) -> str:
    """Write what a threshold without a guarantee selects in this sample."""
    point = lead.point
    selected = selection_in_words(data, lead.model, point)
    precision = describe(_precision(point), data.interval_kind)
    found = f"{percent(point.recall)} of the positives at a precision of {precision}"
    finds = f"finds {found}"
    if lead.goal is None:
        return f"selecting the top {selected}, {where}, {finds}"
    unshown = "" if data.precision is None else _unshown_goal(point, lead.goal)
    return f"selecting rows {where} takes {selected} and {finds}{unshown}"


def _refusal_in_words(data: Predictions, found: ModelThresholds) -> str:
    """Say why no threshold has a guarantee."""
    if "sample_weight" in data.options:
        return "With weights, no threshold can be guaranteed"
    reason = found.refusal.split(". ")[0].rstrip(".")
    return f"No threshold of {found.model} can be guaranteed to have a precision: {reason}"


def chance_in_words(data: Predictions, lead: Lead) -> str:
    """Say that no threshold is known to be of use where the top rows may be as good as random ones.

    A precision that somebody needs has another answer, and weights have no such count.
    """
    low, _ = lead.point.precision_interval
    is_unneeded = data.precision is None and "sample_weight" not in data.options
    if lead.goal is not None or not is_unneeded or low > data.y_true.mean():
        return ""
    n_rows = int(lead.point.n_selected)
    expected = number_of_digits(n_rows * data.y_true.mean())
    n_found = round(lead.point.precision * n_rows)
    found = count_as_text(n_found, "positive") if n_found else "no positive"
    return (
        f"No threshold of {lead.model} is known to be worth using: the {n_rows:,} rows that score "
        f"highest hold {found}, and {expected} are expected by chance."
    )


def _unshown_goal(point: OperatingPoint, goal: float) -> str:
    """Say that a precision that was asked for is not shown, if its interval goes below it."""
    low, _ = point.precision_interval
    return f", so a precision of {goal:g} or more is not shown" if low < goal else ""


def _choice(data: Predictions) -> str:
    """Say that a guarantee allows for the choice of the model on the same rows."""
    return f", even after the choice among {len(data.y_scores)} models" if data.is_chosen else ""


def lower_goal_in_words(data: Predictions, lead: Lead) -> list[str]:
    """Give the threshold that finds more at a lower precision."""
    goal = choose_lower_goal(data, lead)
    if goal is None:
        return []
    point = lead.thresholds.guaranteed[goal]
    sure = f"at least {goal:g}, also with {GUARANTEE:.0%} confidence"
    shares = _shares(point, f"{precision_as_text(point)} ({sure})")
    selected = f"{selection_in_words(data, lead.model, point)}, {shares}"
    return [f"To find more, select scores from {printed_threshold(point)}: {selected}."]


def own_goal_in_words(data: Predictions, lead: Lead) -> list[str]:
    """Say in the first lines that nobody asked for this precision."""
    if data.precision is not None or lead.goal is None or lead.point.remark:
        return []
    return [f"{NO_GOAL}, so this page chose {lead.goal:g}."]


def reasons_for_goal(data: Predictions, lead: Lead, goals: Goals) -> list[str]:
    """Say why the heading has this precision."""
    if data.precision is not None and (lead.goal == data.precision or lead.point.remark):
        return []
    if lead.goal is None or lead.point.remark:
        return [_missed_goal_in_words(data, lead, goals)]
    has_weights = "sample_weight" in data.options
    known = "reached in this sample" if has_weights else "guaranteed"
    share = fair_recall(data)
    fair = f"with {percent(share)} or more of the positives found"
    if share == 1:
        fair = "with all positives found"
    if not is_useful(data, lead.point):
        why = f"{lead.goal:g} has the highest recall of those that are {known}"
    elif goals.lowered_from:
        why = (
            f"A precision of {goals.lowered_from:g} is not {known} {fair}, so the goal is "
            f"{lead.goal:g}, {goals.multiple:g} times the prevalence"
        )
    else:
        higher = [f"{goal:g}" for goal in goals.values if goal > lead.goal]
        if not higher:
            return []
        be = "is" if len(higher) == 1 else "are"
        why = f"{names_in_words(higher)} {be} not {known} {fair}, so the goal is {lead.goal:g}"
    if not data.is_single_model:
        why = f"For {lead.model}, {why[0].lower()}{why[1:]}"
    return [f"{why}."]


def _missed_goal_in_words(data: Predictions, lead: Lead, goals: Goals) -> str:
    """Name the lowest precision that was tried, which no threshold with a fair recall has."""
    has_weights = "sample_weight" in data.options
    lowest = multiple_of_prevalence(data, LOWER_PREVALENCES[-1])
    precision = f"even {lowest:g}, {LOWER_PREVALENCES[-1]:g} times the prevalence"
    if has_weights or lowest >= goals.values[0]:  # no lower goal was tried
        precision = f"{goals.values[0]:g}"
    share = fair_recall(data)
    found = "all positives" if share == 1 else f"{percent(share)} or more of the positives"
    model = "" if data.is_single_model else f" of {lead.model}"
    threshold = f"No threshold{model} that finds {found}"
    if has_weights:
        return f"{threshold} reaches a precision of {precision} in this sample."
    return f"{threshold} is guaranteed to have a precision of {precision}."


def threshold_notes(data: Predictions, lead: Lead, goals: Goals, has_intervals: bool) -> list[str]:
    """Explain the columns of the table, and what a guarantee is worth."""
    found = lead.thresholds
    sure = "" if found.refusal else f"; a guaranteed one in {_miss_rate(data)}"
    notes = [f"Brackets are {data.interval_kind}s."] if has_intervals else []
    notes += [
        "Precision is the share of positives among the rows that you select, and recall is the "
        "share of all positives that you find.",
        "A threshold that is best in this sample misses its goal in about half of new samples"
        f"{sure}.",
    ]
    if not found.refusal:
        notes += _note_on_choice(data)
    if goals.multiple == PREVALENCES and lead.goal != goals.values[0]:  # the heading says it
        notes.append(f"A precision of {goals.values[0]:g} is {PREVALENCES} times the prevalence.")
    if "sample_weight" in data.options:
        notes.append("Precision and recall count the weight of rows.")
    return notes if data.precision is not None else [*notes, OTHER_GOAL]


def _miss_rate(data: Predictions) -> str:
    """Say how often a guaranteed threshold misses its goal: tests over clusters are not exact."""
    rate = f"{1 - GUARANTEE:.0%}"
    others = _other_clusters(data)
    return f"about {rate} of samples of {others}" if others else f"at most {rate}"


def _other_clusters(data: Predictions) -> str:
    """Write "other patients" by the user's word for clusters; empty without them."""
    if "clusters" not in data.options:
        return ""
    return f"other {data.cluster_nouns}"


def _note_on_choice(data: Predictions) -> list[str]:
    """Say how the guarantee allows for the choice among models: Bonferroni's."""
    if not data.is_chosen:
        return []
    n_models = len(data.y_scores)
    guarantee = f"{guarantee_of_each(data):.4g}, which is 1 - {1 - GUARANTEE:.2g} / {n_models}"
    return [
        f"To allow for the choice among {n_models} models, each threshold has a guarantee of "
        f"{guarantee}. So the threshold of the chosen model has {GUARANTEE:.0%} confidence."
    ]


def sure_cells(data: Predictions, name: str, point: OperatingPoint) -> list[str]:
    if point.remark:
        return ["none", DASH, DASH, DASH]
    n_rows = _rows_as_text(data, name, point)
    return [printed_threshold(point), n_rows, precision_as_text(point), number(point.recall)]


def sample_cells(data: Predictions, name: str, point: OperatingPoint) -> list[str]:
    if point.remark:
        return ["none", DASH, DASH, DASH]
    n_rows = _rows_as_text(data, name, point)
    return [printed_threshold(point), n_rows, as_cell(_precision(point)), number(point.recall)]


def cutoff_of(
    model: str, point: OperatingPoint, goal: float | None, is_sure: bool, alternative: str = ""
) -> Cutoff | None:
    """Return what other parts need of a threshold, if there is one."""
    if point.remark:
        return None
    return Cutoff(
        model,
        point.threshold,
        printed_threshold(point),
        point.precision,
        point.recall,
        is_sure,
        alternative,
        goal,
    )


def printed_threshold(point: OperatingPoint) -> str:
    """Print a threshold with three digits, or more if these select other rows."""
    return threshold_as_text(point.threshold, point.next_score, FEWEST_DIGITS)


def precision_as_text(point: OperatingPoint) -> str:
    """Print a precision with the digits that it has beside its interval, everywhere on a page."""
    return as_printed(_precision(point)).value


def _precision(point: OperatingPoint) -> Estimate:
    return Estimate(point.precision, *point.precision_interval)


def _rows_as_text(data: Predictions, name: str, point: OperatingPoint) -> str:
    """Count the selected rows, as "1,225", and with weights as "115 (4% of the weight)"."""
    if "sample_weight" not in data.options:
        return cases_as_text(point.n_selected)
    # Rows without weight are selected, too.
    n_rows = np.count_nonzero(data.y_scores[name] >= float(printed_threshold(point)))
    return f"{n_rows:,} ({percent(point.n_selected / data.weight.sum())} of the weight)"


def selection_in_words(data: Predictions, model: str, point: OperatingPoint) -> str:
    """Write "1,225 rows", "115 rows (4% of the weight)", or a share at another prevalence."""
    if point.prevalence is not None:
        return f"{percent(point.selected)} of the rows at prevalence {point.prevalence:.3g}"
    n_rows, _, weight = _rows_as_text(data, model, point).partition(" ")
    return " ".join(filter(None, [n_rows, "row" if n_rows == "1" else "rows", weight]))


def _shares(point: OperatingPoint, precision: str) -> str:
    """Write "16% of the positives found, precision 0.54"."""
    return f"{percent(point.recall)} of the positives found, precision {precision}"
