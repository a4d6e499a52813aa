"""The parts of a report: each asks public functions, and begins with the main result."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from sklearn_ap import compat
from sklearn_ap._base.common.types import Argument
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._base.inputs.checks import predicted_class_remarks
from sklearn_ap._base.text import count_as_text
from sklearn_ap._program.report.advice.parts import qualify_parts
from sklearn_ap._program.report.data.checks import FAR_BELOW_CHANCE
from sklearn_ap._program.report.data.copies import count_copies
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.models.comparison import comparison_part
from sklearn_ap._program.report.models.curve import curve_part, top_rows_part
from sklearn_ap._program.report.models.curve_picture import leave_out_single_score, mark_threshold
from sklearn_ap._program.report.models.paper import paper_part
from sklearn_ap._program.report.models.scores import score_part
from sklearn_ap._program.report.page.page import (
    FINE,
    LACKS_A_CLASS,
    RANKS,
    Part,
    add_warnings,
    leading_doubts,
    omitted_part,
)
from sklearn_ap._program.report.page.pictures import warned_texts
from sklearn_ap._program.report.page.words import (
    DASH,
    number,
    number_of_digits,
    percent,
    score,
    used_columns,
)
from sklearn_ap._program.report.segments.parts import segments_part
from sklearn_ap._program.report.thresholds.parts import thresholds_part
from sklearn_ap._questions.judged import shown_shares
from sklearn_ap._questions.verdicts import names_in_words
from sklearn_ap._uncertainty.warnings import PERFECT, split_name
from sklearn_ap.compat._evaluation import as_number
from sklearn_ap.compat._tools import WELL_KNOWN

DATA = "data"
SCORE = "score"
COMPARISON = "comparison"
SEGMENTS = "segments"
TOLD_OF_SEGMENTS = "few clusters", "few negatives"  # by other parts
UNDEFINED = re.compile(
    r"No positive class found in y_true, for (\d+) of (\d+) rankings[.] Their score is set to "
    r"([\d.]+)[.].*"
)
UNDEFINED_CURVES = re.compile(
    r"(\d+) of (\d+) rankings have no positive[.] They count as ([\d.]+),.*"
)
FAR = 5.0  # times as far from scikit-learn's number as that of any other tool: a choice
LARGE_LOSS = 0.5  # of positives, at another prevalence: a choice
FEWEST_POSITIVES = 20  # with fewer, the report says so first: a choice
FEW_EFFECTIVE_CLUSTERS = re.compile(
    r"few clusters: (?P<models>.*)The interval rests on few clusters: their (?P<kind>effective )?"
    r"number is (?P<number>[\d.,]+)[.] Below (?P<least>\d+),.*"
)


class Topic(NamedTuple):
    """What a part is about, the function that makes it, and its page of the documentation."""

    title: str
    make: Callable[..., Part]  # that of segments also takes a column
    page: str


def check_parts(parts: Argument) -> tuple[str, ...]:
    """Check the names of parts; None means all."""
    is_list = isinstance(parts, Iterable) and not isinstance(parts, str)
    names = [*TOPICS] if parts is None else [*parts] if is_list else [parts]
    if not names or any(not isinstance(name, str) or name not in TOPICS for name in names):
        raise ValueError(f"parts must hold some of {', '.join(TOPICS)}, got {parts!r}.")
    return tuple(name for name in TOPICS if name in names)


def useful_parts(data: Predictions, names: Sequence[str], are_asked: bool) -> list[str]:
    """Leave out the parts that need more models or segments, or refuse them if they are asked."""
    needs = {}
    if len(data.y_scores) == 1:
        needs[COMPARISON] = "the scores of several models, and y_scores holds one"
    if not data.segments:
        needs[SEGMENTS] = "segments, such as the country or the month of each row"
    for name in names:
        if are_asked and name in needs:
            raise ValueError(f"parts has {name!r}, which needs {needs[name]}.")
    return [name for name in names if name not in needs]


def make_parts(data: Predictions, names: Sequence[str], are_asked: bool) -> tuple[Part, ...]:
    """Make parts. One that refuses these data has the reason; the last has all warnings."""
    parts: list[Part] = []
    for name, topic in _topics(data, [DATA] if class_problem(data) else names):
        with warned_texts() as texts:
            try:
                part = topic.make(data)
            except ValueError as error:
                part = omitted_part(error)
        if name == SEGMENTS:  # which doubts name
            texts = [text for text in texts if not _is_told(text)]
        all_texts = [_reword_for_user(data, text) for text in [*part.warnings, *texts]]
        if name in (*RANKS, SEGMENTS):  # few rows may all be positive, as the limits tell
            all_texts = [text for text in all_texts if split_name(text)[0] != PERFECT.name]
        part = replace(part, name=name, title=topic.title, page=topic.page, warnings=all_texts)
        part = replace(part, models=data.named_models)
        parts.append(part)
    parts = parts if are_asked else _join_scores(parts)
    with warned_texts() as texts:
        parts = qualify_parts(data, parts)
    parts = _add_late_warnings(parts, [_reword_for_user(data, text) for text in texts])
    qualified = leave_out_single_score(mark_threshold(parts))
    # What parts tell each other holds the arrays of the user, and a page does not.
    made = [replace(part, model_part=None, cutoff=None, advice="") for part in qualified]
    return add_warnings(_drop_repeated_notes(_state_doubts(made)))


def _is_told(text: str) -> bool:
    """Check whether a doubt, or another part, has the warning of a part about segments."""
    return split_name(text)[0] in TOLD_OF_SEGMENTS or text.startswith(LACKS_A_CLASS)


def _add_late_warnings(parts: Sequence[Part], texts: Sequence[str]) -> list[Part]:
    """Give the first part the warnings of models and segments that parts asked for each other."""
    known = {text for part in parts for text in part.warnings}
    late = [
        text
        for text in texts
        if text not in known and not _is_told(text) and split_name(text)[0] != PERFECT.name
    ]
    first, *others = parts
    return [replace(first, warnings=[*first.warnings, *late]), *others]


def _join_scores(parts: Sequence[Part]) -> list[Part]:
    """Leave out the part about scores if a comparison has them, and give it the warnings."""
    named = {part.name: part for part in parts}
    score = named.get(SCORE)
    comparison = named.get(COMPARISON)
    if score is None or comparison is None or not comparison.cells:
        return [*parts]
    known = {split_name(text)[0]: text for text in comparison.warnings}
    own = [  # a warning that names its model says as much
        text
        for text in score.warnings
        if not known.get(split_name(text)[0], "").endswith(split_name(text)[1])
    ]
    warnings = [*own, *comparison.warnings]
    joined = replace(comparison, warnings=warnings)
    return [joined if part is comparison else part for part in parts if part is not score]


def _drop_repeated_notes(parts: Sequence[Part]) -> list[Part]:
    """Keep each note where it is first needed, such as what brackets are."""
    stated: set[str] = set()
    kept = []
    for part in parts:
        kept.append(replace(part, notes=[note for note in part.notes if note not in stated]))
        stated.update(part.notes)
    return kept


def _reword_for_user(data: Predictions, text: str) -> str:
    """Write some warnings by the words of the user."""
    if FAR_BELOW_CHANCE in text:
        return next(iter(_reversed_in_words(data).values()), text)
    if undefined := UNDEFINED.fullmatch(text) or UNDEFINED_CURVES.fullmatch(text):
        return _undefined_in_words(data, *undefined.groups())
    found = FEW_EFFECTIVE_CLUSTERS.fullmatch(text)
    if found is None:
        return text
    units = data.cluster_nouns
    few = f"There are only {found['number']} {units}"
    if found["kind"]:
        few = f"Few {units} have most of the positives (an effective number of {found['number']})"
    return (
        f"few clusters: {found['models']}{few}, so intervals may be too narrow, and the guarantee "
        f"may not hold. Collect more {units}."
    )


def _reversed_in_words(data: Predictions) -> dict[str, str]:
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


def _undefined_in_words(data: Predictions, n: str, n_all: str, value: str) -> str:
    """Say how queries without positives count."""
    queries = data.names_in_words("queries", "query").partition(" ")[2]
    have = "has no positive, and counts" if n == "1" else "have no positive, and count"
    rest = ""
    if not float(value) and "sample_weight" not in data.options:
        model = data.best_model
        score = number(data.values[model] * int(n_all) / (int(n_all) - int(n)))
        rest = f"; without {'it' if n == '1' else 'them'}, {model} scores {score}"
    return f"{n} of {n_all} {queries} {have} as {float(value):g}{rest}."


def _state_doubts(parts: Sequence[Part]) -> list[Part]:
    """Let the part about the data, which is the first, say what looks wrong with them."""
    data, *others = parts
    if data.name != DATA:
        return [*parts]
    fine = [] if leading_doubts(parts) else [FINE]
    return [replace(data, more=[*data.doubts, *data.warnings] or fine), *others]


def _topics(data: Predictions, names: Sequence[str]) -> Iterator[tuple[str, Topic]]:
    """List topics by name; each column of segments has one."""
    for name in names:
        topic = TOPICS[name]
        if name != SEGMENTS:
            yield name, topic
            continue
        for column in data.segments:
            title = topic.title if column == "segment" else f"Segments by {column}"
            yield name, topic._replace(title=title, make=partial(segments_part, column=column))


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
    problems += _reversed_in_words(data).values()
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
    prevalence = f"{data.options['prevalence']:.3g}"
    wide = f"intervals are wider than {n:,} positives suggest"
    return f"Negatives are few for a prevalence of {prevalence}: {wide}."


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


TOPICS = {
    DATA: Topic("What the data are", data_part, "report"),
    SCORE: Topic("The score", score_part, "certainty"),
    COMPARISON: Topic("Is one model better?", comparison_part, "comparison"),
    "curve": Topic("The curve", curve_part, "drawing"),
    "top": Topic("The top rows", top_rows_part, "definitions"),
    "thresholds": Topic("Thresholds", thresholds_part, "threshold"),
    SEGMENTS: Topic("Segments", segments_part, "segments"),
    "tools": Topic("What other tools print", tools_part, "compat"),
    "paper": Topic("What to write in a paper", paper_part, "reporting"),
}
