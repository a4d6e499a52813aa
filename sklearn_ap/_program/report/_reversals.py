"""Whether the better model is the worse one in a segment, such as the latest month."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._words import row_difference
from sklearn_ap._program.report._worst_segments import WorstSegment
from sklearn_ap._program.report.page import Part, add_sentence, warned_texts
from sklearn_ap._questions.intervals.comparison import compare_average_precision
from sklearn_ap._questions.verdicts import WORSE


def add_reversals(data: Predictions, part: Part, worst: Sequence[WorstSegment]) -> Part:
    """Say where the better of two models is the worse one, with the warnings of that test."""
    if len(data.y_scores) != 2:
        return part
    claims = []
    shown_texts = [*part.warnings]
    for found in worst:
        with warned_texts() as texts:
            claim = _reversal(data, found)
        if claim:
            claims.append(claim)
            shown_texts += texts
            part = _limit_to_average(part, found) if found.is_latest else part
    return add_sentence(replace(part, warnings=shown_texts), " ".join(claims))


def _limit_to_average(part: Part, found: WorstSegment) -> Part:
    """Write that a model is better over all months, where it is worse in the latest."""
    claim, colon, numbers = part.sentence.rpartition(": ")  # names may have colons, too
    sentence = f"{claim} over all {found.column.plural}{colon}{numbers}"
    brief = part.brief.replace(part.sentence, sentence, 1)
    return replace(part, sentence=sentence, brief=brief)


def _reversal(data: Predictions, found: WorstSegment) -> str:
    """Test the models in a segment that was found among many; empty if none is shown worse.

    The level is Bonferroni's for the segments of the column, as any of them could be this one.
    """
    rows = found.mark_rows(data)
    options = {
        name: data.options[name][rows]
        for name in ("clusters", "sample_weight")
        if name in data.options
    }
    n_segments = len(found.column.rows)
    comparison = compare_average_precision(
        data.y_true[rows],
        {name: np.asarray(scores)[rows] for name, scores in data.y_scores.items()},
        prevalence=found.column.comparison.prevalence,
        confidence_level=1 - (1 - data.level) / n_segments,
        reference=[*data.values][1],
        **options,
    )
    (row,) = (row for row in comparison.rows() if row["name"] == data.best_model)
    if row["verdict"] != WORSE:
        return ""
    change = row_difference(row)
    kind = data.interval_kind if n_segments == 1 else f"adjusted {data.interval_kind}"
    claim = f"{data.best_model} is worse than {comparison.reference}"
    advice = f" Use {comparison.reference} until you know why." if found.is_latest else ""
    return f"But in {found.place}, {claim}: {change.brief(kind, '+')}.{advice}"
