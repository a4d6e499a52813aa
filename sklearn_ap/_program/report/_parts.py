"""The parts of a report: each asks public functions, and begins with the main result."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from sklearn_ap._base.common.types import Argument
from sklearn_ap._program.report._warnings import is_told, reword_for_user
from sklearn_ap._program.report.advice.parts import qualify_parts
from sklearn_ap._program.report.data.checks import FAR_BELOW_CHANCE
from sklearn_ap._program.report.data.part import class_problem, data_part
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.models.comparison import comparison_part
from sklearn_ap._program.report.models.curve import curve_part, top_rows_part
from sklearn_ap._program.report.models.curve_picture import leave_out_single_score, mark_threshold
from sklearn_ap._program.report.models.paper import paper_part
from sklearn_ap._program.report.models.scores import score_part
from sklearn_ap._program.report.models.tools import tools_part
from sklearn_ap._program.report.page.page import (
    FINE,
    RANKS,
    Part,
    add_warnings,
    leading_doubts,
    omitted_part,
)
from sklearn_ap._program.report.page.pictures import warned_texts
from sklearn_ap._program.report.segments.parts import segments_part
from sklearn_ap._program.report.thresholds.parts import thresholds_part
from sklearn_ap._uncertainty.warnings import PERFECT, split_name

DATA = "data"
SCORE = "score"
COMPARISON = "comparison"
SEGMENTS = "segments"


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
            texts = [text for text in texts if not is_told(text)]
        all_texts = [reword_for_user(data, text) for text in [*part.warnings, *texts]]
        if name in (*RANKS, SEGMENTS):  # few rows may all be positive, as the limits tell
            all_texts = [text for text in all_texts if split_name(text)[0] != PERFECT.name]
        part = replace(part, name=name, title=topic.title, page=topic.page, warnings=all_texts)
        part = replace(part, models=data.named_models)
        parts.append(part)
    parts = parts if are_asked else _join_scores(parts)
    with warned_texts() as texts:
        parts = qualify_parts(data, parts)
    texts = [text for text in texts if FAR_BELOW_CHANCE not in text]  # of a segment
    parts = _add_late_warnings(parts, [reword_for_user(data, text) for text in texts])
    qualified = leave_out_single_score(mark_threshold(parts))
    # What parts tell each other holds the arrays of the user, and a page does not.
    made = [replace(part, model_part=None, cutoff=None, advice="") for part in qualified]
    return add_warnings(_drop_repeated_notes(_state_doubts(made)))


def _add_late_warnings(parts: Sequence[Part], texts: Sequence[str]) -> list[Part]:
    """Give the first part the warnings of models and segments that parts asked for each other."""
    known = {text for part in parts for text in part.warnings}
    late = [
        text
        for text in texts
        if text not in known and not is_told(text) and split_name(text)[0] != PERFECT.name
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
