"""Which tools give a number that a user has, and which would with other inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._inputs.options import check_real_number
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._results.column import Column
from sklearn_ap._results.text import count_as_text, names_as_text, share_as_text
from sklearn_ap._types import Argument, Array, Bool, Float, Index
from sklearn_ap.compat._numbers_table import LEAST_EFFECT, WELL_KNOWN, ToolTable, numbers_first
from sklearn_ap.compat._score import CheckedPredictions, ToolAnswer
from sklearn_ap.compat._tools import Call

LEAST_CHANCE = 0.05  # of a match, from which it is told
# Of the numbers that might match by chance: another model's is near, where those of functions are.
NEIGHBOURHOOD = 0.05
N_NEAREST = 10  # the numbers that are printed near a number


@dataclass(frozen=True, eq=False, repr=False)
class NearestTable(ToolTable):
    """The numbers of tools for the same predictions, those nearest to a number first.

    Parameters
    ----------
    scores, baseline, left_out : as in ToolTable
        The number of each function and of scikit-learn, and the functions without weights.
    near : Decimal
        The number that was asked about, with the digits that it had.
    shows_all : bool
        Whether all functions are printed, or one function of each of the ten nearest numbers.
    n_tied : int
        The number of rows that share their score with another one.
    share_given : float
        The share of the numbers within 0.05 of it, with as many digits, that some function gives:
        how often another number matches a function by chance.
    tried : tuple of str
        The other inputs that were tried, because no number of the predictions rounds to it.
    """

    near: Decimal
    shows_all: bool
    n_tied: int
    share_given: float
    tried: tuple[str, ...]

    _choice_of_rows = "functions with the nearest numbers, one of each number"

    @property
    def difference(self) -> Float:
        """The difference of each number from ``near``."""
        return self.estimate - float(self.near)

    @property
    def heading(self) -> str:
        return self._heading(str(self.near))

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many functions give a number that rounds to ``near``, and what else may."""
        return (*self._matches(), *super().sentences)

    def _matches(self) -> Iterator[str]:
        is_match = _rounds_to(self.near, self.estimate)
        n_functions = int(np.count_nonzero(is_match))
        n_numbers = np.unique(self._number[is_match]).size
        if n_numbers > 1:
            yield (
                f"{count_as_text(n_functions)} functions give {n_numbers} different numbers that "
                f"round to {self.near}: more digits of yours tell these apart."
            )
        elif n_functions:
            names = names_as_text([self.scores[row].label for row in np.flatnonzero(is_match)])
            yield f"One number rounds to {self.near}, that of {names}."
        else:
            yield (
                f"No function gives a number that rounds to {self.near}, also with other inputs: "
                f"{'; '.join(self.tried)}. Pass k if the first k ranks count, and queries if it is "
                f"a mean over queries or folds. Look at the rows, and at options of your function."
            )
        if n_functions and self.share_given >= LEAST_CHANCE:
            share = share_as_text(self.share_given)
            about = f"the numbers within {NEIGHBOURHOOD:g} of it, with as many digits"
            yield f"By chance, {share} of {about}, match a function."
        if self.n_tied:
            rows = count_as_text(self.n_tied, "row")
            yield (
                f"{rows} share their score with another: many functions rank these in the order "
                f"of the input, so pass rows in the order that your function had."
            )

    @property
    def _number(self) -> Index:
        """The code of the number of each function: equal numbers, which stand together, share it.

        Each nan, at the end of the table, has a code of its own.
        """
        is_equal = np.abs(np.diff(self.estimate)) < LEAST_EFFECT
        return np.cumsum(np.concatenate(([True], ~is_equal)))

    def _number_columns(self) -> Sequence[Column]:
        if self.shows_all:
            return super()._number_columns()
        n_equal = np.bincount(self._number)[self._number]
        cells = [*map(str, n_equal)]
        functions = Column(key="functions", head="functions", values=n_equal, cells=cells)
        return (*super()._number_columns(), functions)

    def _shown_rows(self) -> Sequence[int]:
        if self.shows_all:
            return super()._shown_rows()
        _, first_rows = np.unique(self._number, return_index=True)
        return [*first_rows[:N_NEAREST].tolist()]


def read_number(near: Argument) -> Decimal:
    """Read a number with its digits: those of a float are the fewest that it is printed with."""
    text = near if isinstance(near, str) else str(check_real_number("near", near))
    try:
        value = Decimal(text.removesuffix("%").replace(",", "."))  # 0,67 is a decimal comma
    except InvalidOperation:
        raise ValueError(f"near must be a number, got {near!r}.") from None
    if text.endswith("%"):
        value = value.scaleb(-2)  # 67.10% has the digits of 0.6710
    if value.is_finite() and -1 <= value <= 1:  # some functions give -1 where they have no score
        return value
    is_percentage = value.is_finite() and 1 < value <= 100
    hint = f" Is it a percentage? Pass {value.scaleb(-2)}." if is_percentage else ""
    raise ValueError(f"near must be a number of at most 1, as scores are, got {near!r}.{hint}")


def find_nearest(
    near: Decimal,
    predictions: CheckedPredictions,
    calls: Sequence[Call],
    left_out: tuple[str, ...],
    *,
    shows_all: bool,
) -> NearestTable:
    """Sort the numbers of functions, and try other inputs if no number rounds to this one."""
    answers = predictions.ask_all(calls)
    nearest = _sort_nearest(near, answers)
    numbers = [answer.estimate for answer in answers]
    matching, tried = [], []
    if not _rounds_to(near, numbers).any():
        for kind, others in _other_answers(predictions, calls, nearest):
            tried.append(kind)
            for answer in others:
                numbers.append(answer.estimate)
                if _rounds_to(near, answer.estimate):
                    matching.append(answer)
    return NearestTable(
        scores=tuple(_sort_nearest(near, [*nearest, *matching])),
        baseline=answers[0].estimate,
        left_out=left_out,
        near=near,
        shows_all=shows_all,
        n_tied=_count_tied(predictions.rankings),
        share_given=_share_given(near, numbers),
        tried=tuple(tried),
    )


def _sort_nearest(near: Decimal, answers: Iterable[ToolAnswer]) -> list[ToolAnswer]:
    """Sort answers by their distance; of equal ones, well-known functions come first."""

    def distance(answer: ToolAnswer) -> tuple[bool | float, ...]:
        number = round(answer.estimate, 6)
        is_less_known = answer.name not in WELL_KNOWN
        return (*numbers_first(answer), abs(number - float(near)), number, is_less_known)

    return sorted(answers, key=distance)


def _half_unit(near: Decimal) -> float:
    """Return half a unit of the last digit, or what float32 changes if there are more digits."""
    half = max(float(Decimal((0, (5,), int(near.as_tuple().exponent) - 1))), LEAST_EFFECT)
    return half * (1 + LEAST_EFFECT)


def _rounds_to(near: Decimal, estimate: ArrayLike) -> Bool:
    return np.abs(np.asarray(estimate) - float(near)) <= _half_unit(near)


def _share_given(near: Decimal, numbers: Sequence[float]) -> float:
    """Return how many of the numbers about this one, with as many digits, functions give."""
    unit = 2 * _half_unit(near)
    low, high = float(near) - NEIGHBOURHOOD, min(float(near) + NEIGHBOURHOOD, 1)
    rounded_numbers = {round(number / unit) for number in numbers if low <= number <= high}
    return min(len(rounded_numbers) * unit / (high - low), 1)


def _count_tied(rankings: Rankings) -> int:
    """Count the rows that share their score with another one of their ranking."""
    cells = np.column_stack((rankings.ranking_of_items, rankings.score))
    _, sizes = np.unique(cells, axis=0, return_counts=True)
    return int(sizes[sizes > 1].sum())


def _other_answers(
    predictions: CheckedPredictions, calls: Sequence[Call], answers: Sequence[ToolAnswer]
) -> Iterator[tuple[str, Iterable[ToolAnswer]]]:
    """Yield what functions give for other inputs, and for columns without a plain mean."""
    for kind, other in (*_other_rankings(predictions), *_other_rows(predictions)):
        yield kind, (replace(answer, input=kind) for answer in other.iterate(calls))
    rankings = predictions.rankings
    if rankings.n_rankings > 1 and predictions.unit == "column":
        weights = rankings.weight_of_positives / max(rankings.weight_of_positives.sum(), 1e-6)
        kind = "weighted by positives"
        yield kind, (_replace_value(answer, answer.values @ weights, kind) for answer in answers)
        yield (
            "one column alone",
            (
                _replace_value(answer, value, f"column {column} alone")
                for answer in answers
                for column, value in enumerate(answer.values)
            ),
        )


def _replace_value(answer: ToolAnswer, value: float, kind: str) -> ToolAnswer:
    return replace(answer, values=np.array([value]), input=kind)


def _other_rankings(predictions: CheckedPredictions) -> Iterator[tuple[str, CheckedPredictions]]:
    """Yield several rankings as one, and the rows of a table as rankings."""
    rankings, unit = predictions.rankings, predictions.unit
    if rankings.n_rankings == 1:
        return
    joined = replace(
        rankings,
        ranking=None,
        n_rankings=1,
        n_positives=_total(rankings.n_positives),
        n_negatives=_total(rankings.n_negatives),
    )
    yield "micro" if unit == "column" else "without queries", CheckedPredictions(joined, unit)
    extras = rankings.ranking, rankings.weight, rankings.n_positives
    if all(extra is None for extra in extras):  # a table without gaps and weights
        n_rows = rankings.score.size // rankings.n_rankings
        row = np.tile(np.arange(n_rows), rankings.n_rankings)
        rows = replace(rankings, ranking=row, n_rankings=n_rows, names=None)
        yield "samples", CheckedPredictions(rows, "row")


def _total(counts: Array | None) -> Array | None:
    return None if counts is None else counts.sum(keepdims=True)


def _other_rows(predictions: CheckedPredictions) -> Iterator[tuple[str, CheckedPredictions]]:
    """Yield predicted classes, and labels and scores that were turned or swapped by mistake."""
    rankings = predictions.rankings

    def changed(**changes: Argument) -> CheckedPredictions:
        return CheckedPredictions(replace(rankings, **changes), predictions.unit)

    positive, score = rankings.positive.astype(float), rankings.score.astype(float)
    threshold = 0.5 if _are_shares(score) else 0.0
    yield f"y_score > {threshold:g}", changed(score=(score > threshold).astype(float))
    if (score == threshold).any():
        yield f"y_score >= {threshold:g}", changed(score=(score >= threshold).astype(float))
    swapped_totals = {"n_positives": rankings.n_negatives, "n_negatives": rankings.n_positives}
    for mistake, turn in MISTAKES.items():
        labels, scores = turn(positive, score)
        if np.isin(labels, (0, 1)).all():
            totals = {} if np.array_equal(labels, positive) else swapped_totals
            yield mistake, changed(**totals, positive=labels > 0, score=scores)


def _are_shares(score: Array) -> bool:
    return bool(score.min(initial=0) >= 0 and score.max(initial=0) <= 1)


def _reverse(labels: Array, score: Array) -> tuple[Array, Array]:
    """Turn scores around: probabilities are those of the other class."""
    return labels, float(_are_shares(score)) - score


Turn: TypeAlias = Callable[[Array, Array], tuple[Array, Array]]
# What people pass by mistake. Each undoes itself.
MISTAKES: dict[str, Turn] = {
    "y_score and y_true swapped": lambda labels, score: (score, labels),
    "scores reversed": _reverse,
    "labels 1 - y": lambda labels, score: (1 - labels, score),
    "labels 1 - y, scores reversed": lambda labels, score: _reverse(1 - labels, score),
}
