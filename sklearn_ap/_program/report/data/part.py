"""The part of a report about its data: how many rows are positive, and what looks wrong."""

import numpy as np

from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._base.inputs.checks import predicted_class_remarks
from sklearn_ap._base.text import count_as_text
from sklearn_ap._program.report.data._copies import count_copies
from sklearn_ap._program.report.data.checks import FAR_BELOW_CHANCE
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.page.page import (
    Part,
)
from sklearn_ap._program.report.page.words import (
    DASH,
    number,
    number_of_digits,
    percent,
    score,
    used_columns,
)
from sklearn_ap._questions.judged import shown_shares
from sklearn_ap._questions.verdicts import names_in_words

LARGE_LOSS = 0.5  # of positives, at another prevalence: a choice
FEWEST_POSITIVES = 20  # with fewer, the report says so first: a choice


def class_problem(data: Predictions) -> str:
    """Explain why nothing can be scored; empty if rows with weight have both classes."""
    row = "row with weight" if "sample_weight" in data.options else "row"
    positive = data.y_true[data.weight > 0]
    if not positive.any():
        return f"No {row} is positive, so average precision is not defined."
    return f"Every {row} is positive, so every order scores 1." if positive.all() else ""


def data_part(data: Predictions) -> Part:
    n = data.n_rows
    n_positives = int(data.y_true.sum())
    label = f', label "{data.pos_label}"' if isinstance(data.pos_label, str) else ""
    share = percent(n_positives / n)
    if "sample_weight" in data.options:
        weighed = percent(np.average(data.y_true, weights=data.weight))
        share = f"{share}, {weighed} of the weight"
    facts = f"{n:,} rows, {n_positives:,} positive ({share}{label}){_worth(data)}"
    for role, default in (("queries", "query"), ("clusters", "cluster")):
        if role in data.options:
            facts += f", {data.names_in_words(role, default)}"
    cells = [["model", "distinct scores", "tied rows", "lowest", "highest", "not retrieved"]]
    judged = shown_shares(data.judged)
    cells[0] += [] if judged is None else [judged.head]
    for name in data.values:
        y_score = data.y_scores[name]
        values, counts = np.unique(y_score[y_score > -np.inf], return_counts=True)
        lowest_and_highest = [DASH, DASH]
        if values.size:
            lowest_and_highest = [*map(score, values[[0, -1]])]
        cells.append(
            [
                name,
                f"{values.size:,}",
                percent(counts[counts > 1].sum() / n),
                *lowest_and_highest,
                f"{n - counts.sum():,}",
                *([] if judged is None else [number(judged.shares[name])]),
            ]
        )
    return Part(
        f"{facts}.",
        used_columns(cells),
        table="Distinct scores, ties and range of each model",
        doubts=[*filter(None, [class_problem(data)]), *_likely_errors(data)],
        warnings=_minor_problems(data),
    )


def _likely_errors(data: Predictions) -> list[str]:
    """List likely errors in labels and scores, and whether there are few positives."""
    problems = []
    for name, y_score in data.y_scores.items():
        problems += [f"{name}: {text}" for text in predicted_class_remarks(y_score)]
        if np.all(y_score == y_score[0]):
            problems.append(f"{name}: All scores are equal.")
    problems += reversed_in_words(data).values()
    if few_positives := _few_positives(data):
        problems.append(few_positives)
    if data.judged is not None:
        problems += [str(warning) for warning in data.judged.doubts()]
    return problems


def _worth(data: Predictions) -> str:
    """Say how few positives without weights tell as much, if they are fewer."""
    n = int(data.y_true.sum())
    n_effective = _effective_positives(data)
    if "sample_weight" not in data.options or not 0 < n_effective < n - 0.5:
        return ""
    return f", which tell as much as {number_of_digits(n_effective)} if all weights were equal"


def _effective_positives(data: Predictions) -> float:
    """Count the positives of these rows that tell as much; 0 if none has a weight."""
    if not data.weight[data.y_true].any() or class_problem(data):
        return 0.0
    if "sample_weight" in data.options:
        return data.n_effective
    if "prevalence" in data.options and "queries" not in data.options:
        return data.effective_at_prevalence
    return float(data.y_true.sum())


def _few_positives(data: Predictions) -> str:
    """Say that few positives determine the score; with weights, by their effective number."""
    n_effective = _effective_positives(data)
    n = int(data.y_true.sum())
    if not 0 < n_effective <= FEWEST_POSITIVES * (1 - RELATIVE_TOLERANCE):
        return _few_negatives(data, n_effective, n)
    be = "is" if n == 1 else "are"
    only = "only " if n < FEWEST_POSITIVES else ""
    few = f"There {be} {only}{count_as_text(n, 'positive')}{_worth(data)}"
    if n >= FEWEST_POSITIVES and "sample_weight" not in data.options:
        few = f"Negatives are few for a prevalence of {data.options['prevalence']:.3g}"
    return f"{few}, so other samples may give quite another score."


def _few_negatives(data: Predictions, n_effective: float, n: int) -> str:
    """Say that negatives are few for another prevalence, where they weigh more; empty if not."""
    is_other = "prevalence" in data.options and "sample_weight" not in data.options
    if not is_other or not 0 < n_effective < LARGE_LOSS * n:
        return ""
    prevalence = data.options["prevalence"]
    needed = round(n * (1 - prevalence) / prevalence)
    n_negatives = np.count_nonzero(~data.y_true)
    return (
        f"At a prevalence of {prevalence:.3g}, {n:,} positives would come with {needed:,} "
        f"negatives, and there are {n_negatives:,}, so intervals are wider."
    )


def _missing_positives(data: Predictions) -> list[str]:
    """Count the rows and the positives that models did not retrieve."""
    texts = []
    for name, y_score in data.y_scores.items():
        is_missing = ~(np.asarray(y_score) > -np.inf)
        if n_positives := int(np.count_nonzero(is_missing & data.y_true)):
            lost = count_as_text(n_positives, "positive")
            rows = count_as_text(int(np.count_nonzero(is_missing)), "row")
            texts.append(f"{name} did not retrieve {rows} with {lost}, which count as not found.")
    return texts


def _minor_problems(data: Predictions) -> list[str]:
    """List what looks odd, but need not be an error."""
    problems = _missing_positives(data)
    if data.judged is not None:
        problems += [f"{text[0].upper()}{text[1:]}." for text in data.judged.remarks()]
    problems += _equal_models(data)
    if n_copies := count_copies(data):
        problems.append(
            f"{n_copies:,} rows repeat the label and all scores of another row. If they are "
            f"copies, leave them out. If they belong together, pass clusters."
        )
    if data.count_names("clusters") == data.n_rows:
        unit = data.cluster_noun
        problems.append(f"Each row is a {unit} of its own, so clusters= changes nothing.")
    return problems


def _equal_models(data: Predictions) -> list[str]:
    """Name models that score the same, and say whether they have the same scores."""
    groups: dict[float, list[str]] = {}
    for name, value in data.values.items():
        groups.setdefault(value, []).append(name)
    problems = []
    for names in (names for names in groups.values() if len(names) > 1):
        first, *others = (np.asarray(data.y_scores[name]) for name in names)
        same = "the same score for every row, as if they were one model."
        if not all(np.array_equal(first, other) for other in others):
            same = "the same average precision."
        problems.append(f"{names_in_words(names)} have {same}")
    return problems


def reversed_in_words(data: Predictions) -> dict[str, str]:
    """Write for each model that ranks the negatives first that its scores may be reversed."""
    texts = {}
    for name, value in data.reversed_models.items():
        chance = number(data.chance_level(name).score)
        texts[value] = value
        if FAR_BELOW_CHANCE not in value:  # the area under the ROC curve tells it
            continue
        texts[value] = (
            f"The average precision of {name}, {number(data.values[name])}, is far below that of a "
            f"random order, {chance}: its scores may be reversed."
        )
    return texts
