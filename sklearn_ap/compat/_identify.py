"""Which average precision a function computes: its answers beside those of all known functions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import NamedTuple, SupportsFloat

import numpy as np

from sklearn_ap._errors import InputError
from sklearn_ap._inputs.options import check_count
from sklearn_ap._inputs.request import Request
from sklearn_ap._results.column import Column
from sklearn_ap._results.result import Result
from sklearn_ap._types import Float, Index
from sklearn_ap._writing.text import names_as_text, rounded_as_text
from sklearn_ap.compat._answers import CheckedPredictions
from sklearn_ap.compat._compare import N_NEAREST
from sklearn_ap.compat._score import score
from sklearn_ap.compat._tool_functions import Call, all_calls, all_functions, read_table
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._conventions import USUAL_K

SAME = 1e-5  # no function of the table is further from its tool
RAISES = -1e6  # an exception, in the place of an answer


def identify(function: Callable[..., SupportsFloat] | Definition, *, k: int = USUAL_K) -> Identity:
    """Tell which average precision a function computes, by its answers to small rankings.

    These have ties, single classes, and 1 to 60 rows, so that each choice by which functions differ
    shows in some.

    Parameters
    ----------
    function : callable or Definition
        A callable gets ``y_true`` and ``y_score``, and gives a number for half of the rankings.
    k : int, default=10
        How many ranks count, in the known functions that need k.

    Returns
    -------
    Identity
        The functions that it equals, and the nearest, with the shortest ranking where these differ.

    See Also
    --------
    compare : All tools' numbers on predictions of yours, nearest to a number.

    Examples
    --------
    >>> from sklearn.metrics import average_precision_score
    >>> from sklearn_ap import compat
    >>> compat.identify(average_precision_score).equal[0]
    'sklearn.average_precision_score'
    """
    k = check_count("k", k)
    if isinstance(function, Definition):
        k = int(function.depth) if function.depth and function.depth >= 1 else k
        function = partial(score, tool=function)
    rankings = small_rankings()
    answers, exceptions = _ask(function)
    if len(exceptions) > len(rankings) / 2:
        raise InputError(
            f"function must take y_true and y_score, and return a number, but {function!r:.70} "
            f"raises {exceptions[0][:200]} on {len(exceptions)} of {len(rankings)} rankings."
        )
    calls, known_answers = ask_known_functions(k)
    is_same = np.asarray(np.isclose(known_answers, answers, rtol=0, atol=SAME, equal_nan=True))
    # One nan, or exception, is as wrong as 1 in the place of 0.
    errors = np.where(is_same, 0.0, np.fmin(np.abs(known_answers - answers), 1.0))
    n_same, difference = is_same.sum(axis=1), errors.mean(axis=1)
    order = np.lexsort((difference, -n_same))  # the last key counts first
    is_untied = [np.unique(y_score).size == y_score.size for _, y_score in rankings]
    equal = [row for row in order if is_same[row].all()]
    first = n_same[order[0]], difference[order[0]]
    nearest_ones = [row for row in order if (n_same[row], difference[row]) == first]
    example = None
    if not equal:
        nearest, shortest = order[0], int(np.argmin(is_same[order[0]]))
        y_true, y_score = (each.tolist() for each in rankings[shortest])
        both = (answers[shortest], known_answers[nearest, shortest])
        example = Example(y_true, y_score, *(None if each == RAISES else each for each in both))
    return Identity(
        names=tuple(calls[row].label() for row in order),
        n_same=n_same[order],
        difference=difference[order],
        equal=tuple(calls[row].label() for row in equal),
        equal_untied=tuple(calls[row].label() for row in order if is_same[row, is_untied].all()),
        example=example,
        exceptions=tuple(exceptions),
        k=k,
        choices=_describe_choices([calls[row] for row in equal or nearest_ones]),
    )


def _describe_choices(calls: Sequence[Call]) -> dict[str, str]:
    """Return the words for the choices of the first of these calls that promises an order of ties.

    All give the same numbers, whatever they promise.
    """
    promising = [call for call in calls if call.choices["ties"].name != "unspecified"]
    choices = (promising or calls)[0].choices
    return {choice: option.words for choice, option in choices.items() if option.words}


class Example(NamedTuple):
    """A ranking on which two functions differ."""

    y_true: list[int]
    y_score: list[float]
    answer: float | None  # of the function; None for an exception
    expected: float | None  # of the nearest known one


def _ask(function: Callable[..., SupportsFloat]) -> tuple[Float, list[str]]:
    """Call a function with each ranking; return its answers, and the exceptions among them."""
    answers, exceptions = [], []
    for y_true, y_score in small_rankings():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                answers.append(float(function(y_true.copy(), y_score.copy())))
            except Exception as error:
                answers.append(RAISES)
                exceptions.append(f"{type(error).__name__}: {error}")
    return np.array(answers), exceptions


def _answer_as_text(value: float | None) -> str:
    if value is None:
        return "an exception"
    return "nan" if np.isnan(value) else rounded_as_text(value, 6)


@dataclass(frozen=True, eq=False, repr=False)
class Identity(Result):
    """Which average precision a function computes; ``to_frame`` has all known functions.

    Parameters
    ----------
    names : tuple of str
        All known functions, the nearest first.
    n_same, difference : ndarray of shape (n_functions,)
        On how many rankings each gives the same answer, and the mean difference. One nan or
        exception is 1.
    equal : tuple of str
        The known functions with the same answer to every ranking.
    equal_untied : tuple of str
        Those with the same answer to every ranking without ties.
    example : Example or None
        The shortest ranking on which the function differs from the nearest.
    exceptions : tuple of str
        What the function raises, for each ranking on which it does.
    k : int
        How many ranks count, in the known functions that need k.
    choices : dict
        The choices of the equal functions, or of the nearest one, in words, by their names in
        ``compat.compare(...).to_frame()``. What is usual is left out.
    """

    names: tuple[str, ...]
    n_same: Index
    difference: Float
    equal: tuple[str, ...]
    equal_untied: tuple[str, ...]
    example: Example | None
    exceptions: tuple[str, ...]
    k: int
    choices: dict[str, str]

    _choice_of_rows = "nearest functions"

    @property
    def heading(self) -> str:
        """Which function it is, if it is a known one."""
        return f"equals {self.equal[0]}" if self.equal else "equals no known function"

    @property
    def sentences(self) -> tuple[str, ...]:
        """Which functions are the same, and where it differs from the nearest."""
        subject = "It computes with" if self.equal else "The nearest computes with"
        texts = [f"{subject} {', '.join(self.choices.values())}."]
        if self.exceptions:
            n_rankings = f"{len(self.exceptions)} of {len(small_rankings())} rankings"
            texts.append(f"It raises {self.exceptions[0][:200]} on {n_rankings}.")
        if self.equal:
            texts.append(
                f"Equal, also where scores nearly tie: {names_as_text(self.equal)}. This does not "
                f"show whether ranks beyond {small_rankings()[-1][0].size} count."
            )
        elif self.equal_untied:
            texts.append(f"Where no scores tie, it equals {names_as_text(self.equal_untied)}.")
        else:
            texts.append(f"Functions that count the first k ranks were called with k={self.k}.")
        if self.example is not None:
            y_true, y_score, answer, expected = self.example
            texts.append(
                f"On y_true = {y_true}, y_score = {y_score}, it gives {_answer_as_text(answer)}, "
                f"and {self.names[0]} {_answer_as_text(expected)}."
            )
            if answer is not None and answer > 1:
                texts.append("If these are percentages, pass a function that divides by 100.")
        return tuple(texts)

    def _names(self) -> Sequence[str]:
        return self.names

    def _columns(self) -> Sequence[Column]:
        differences = [rounded_as_text(each) for each in self.difference.tolist()]
        same, head = [*map(str, self.n_same.tolist())], f"same of {len(small_rankings())}"
        return [
            Column(key="n_same", values=self.n_same, head=head, cells=same),
            Column(key="difference", values=self.difference, head="off by", cells=differences),
        ]

    def _shown_rows(self) -> Sequence[int]:
        return range(len(self.names))[:N_NEAREST]


@cache
def small_rankings() -> list[tuple[Index, Float]]:
    """Read labels and scores of rankings, those of the fewest rows first.

    Scores are 64ths, which floats hold exactly, but for three rankings: float32 and CatBoost tie
    scores near 0.5, sigmoids and clipping those from -29 to -21, and bins those below 0.01.
    """
    return [
        (np.array([*map(int, row["labels"])]), np.array([*map(float, row["scores"].split())]))
        for row in read_table("probe_rankings.tsv")
    ]


@lru_cache(maxsize=2)
def ask_known_functions(k: int) -> tuple[list[Call], Float]:
    """Call all known functions with each ranking alone."""
    y_true, y_score = map(np.concatenate, zip(*small_rankings(), strict=True))
    queries = np.repeat(np.arange(len(small_rankings())), [y.size for y, _ in small_rankings()])
    calls = [call for function in all_functions(k) for call in all_calls(function, k)]
    request = Request(y_true=y_true, y_score=y_score, queries=queries)
    answers = CheckedPredictions(request).ask_all(calls)
    for answer in answers:
        for case, is_met in answer.special.items():
            if case.exception:
                answer.values[is_met] = RAISES
    return calls, np.array([answer.values for answer in answers])
