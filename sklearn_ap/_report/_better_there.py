"""Whether another model is better where one is worse, or since it fell."""

from __future__ import annotations

from dataclasses import dataclass

from sklearn_ap._report._data import SegmentColumn
from sklearn_ap._report._fact import Fact, Measured, read_difference
from sklearn_ap._report._falls import Fall, WorseSegment
from sklearn_ap._report._levels import divide_level
from sklearn_ap._report._models import has_skill
from sklearn_ap._report.questions import Questions
from sklearn_ap._writing.text import score_as_text
from sklearn_ap.inference.comparison import compare_average_precision


@dataclass(frozen=True)
class BetterThere(Fact):
    """Another model that is better in a segment in which one is worse, or since it fell."""

    place: WorseSegment
    other: str
    score: float
    other_score: float
    difference: Measured

    def __str__(self) -> str:
        model, where = self.place.model, self.place.where
        other_score, score = score_as_text(self.other_score), score_as_text(self.score)
        return (
            f"{self.other} is better than {model} {where}, with a score of {other_score} against "
            f"{score}: {self.difference.phrase('+')}."
        )


def find_better(
    questions: Questions, column: SegmentColumn, place: WorseSegment
) -> BetterThere | None:
    """Find the leading model that is better where another one is worse, or since it fell.

    It must have skill over all rows: any model would win against a failure.
    """
    others = [name for name in questions.leading if name != place.model]
    if isinstance(place, Fall):
        error = divide_level("better since", place.n_starts, len(others))
    else:
        n_segments, n_columns = len(column.segments), len(questions.columns)
        error = divide_level("better there", n_segments, n_columns, len(others))
    skilled = [name for name in others if has_skill(questions, name)]
    better = (compare_there(questions, place, other, 1 - error) for other in skilled)
    return max(filter(None, better), key=lambda fact: fact.other_score, default=None)


def compare_there(
    questions: Questions, place: WorseSegment, other: str, level: float
) -> BetterThere | None:
    """Find whether another model is better in some rows, by the limits of the difference."""
    data, models = questions.data, (place.model, other)
    answer = questions.ask(
        compare_average_precision,
        models,
        rows=place.rows,
        confidence_level=level,
        prevalence=None if data.has_queries else questions.prevalence,
    )
    difference = read_difference(answer.result, prevalence=questions.sample.target_prevalence)
    if not difference.low > 0 or answer.result.is_overturned.any():
        return None
    score, other_score = answer.result.estimate.tolist()
    return BetterThere(
        place=place,
        other=other,
        score=score,
        other_score=other_score,
        difference=difference,
        calls=(answer.call,),
    )
