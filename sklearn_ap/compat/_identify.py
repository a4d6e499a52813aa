"""Which average precision a function computes: its answers beside those of all known functions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from inspect import signature
from itertools import chain
from string import ascii_letters, digits
from typing import NamedTuple, NoReturn, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from sklearn_ap._inputs.options import check_count, definition_error
from sklearn_ap._results.column import Column
from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.text import names_as_text, rounded_as_text
from sklearn_ap._types import Argument, Array, Bool, Float, Index
from sklearn_ap.compat._nearest import MISTAKES, N_NEAREST, Turn
from sklearn_ap.compat._score import CheckedPredictions, score
from sklearn_ap.compat._tools import Call, all_calls, all_tools, read_table
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._spellings import USUAL_K

Function: TypeAlias = Callable[..., Argument]

SAME = 1e-5  # no function of the table is further from its tool
NO_CHOICE = {"irrelevant", "unspecified"}
EXACT = 1e-9  # sums of float32 are not
LARGEST_ERROR = 1e9  # of an answer that is a number; larger ones count as infinity
N_RANKINGS = 150  # of the table; those behind them have other scores
NEARLY_EQUAL = 120  # of them; by a wrong reading, no function of the table has 110 of another's
LETTERS = ascii_letters + digits  # of blocks of tied rows, the lowest score first


class Reading(NamedTuple):
    """A mistake that leaves the six choices alone, and how to undo it."""

    turn: Turn = lambda labels, score: (labels, score)
    divisor: float = 1  # of the answer


READINGS = {
    "": Reading(),
    "its answer divided by 100": Reading(divisor=100),
    "the sign of its answer turned": Reading(divisor=-1),
    **{mistake: Reading(turn) for mistake, turn in MISTAKES.items()},
}


def identify(function: Function | Definition, *, k: int = USUAL_K) -> Identity:
    """Tell which average precision a function computes, by its answers to 150 small rankings.

    These have ties, single classes, and 1 to 60 rows, so that each choice by which functions differ
    shows in some.

    Parameters
    ----------
    function : callable or Definition
        Takes ``y_true`` and ``y_score``, and returns a number; or a scorer.
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
    >>> found = compat.identify(lambda y_true, y_score: average_precision_score(y_true, -y_score))
    >>> found.equal[0], found.reading
    ('sklearn.average_precision_score', 'scores reversed')
    """
    k = check_count("k", k)
    function = _rows_function(function)
    identities = []
    for name, reading in READINGS.items():
        answers, exceptions = _ask(function, reading)
        if np.isfinite(answers).any():
            identity = _identify_answers(name, answers, exceptions, k)
            if identity.equal:
                return identity
            if not name or identity.n_same[0] >= NEARLY_EQUAL:
                identities.append(identity)
    if not identities:
        _refuse(function)
    first, second = (_ask(function, Reading())[0][:N_RANKINGS] for _ in range(2))
    is_same = np.isclose(first, second, rtol=0, atol=SAME, equal_nan=True)
    nearest = max(identities, key=lambda identity: identity.n_same[0])
    return replace(nearest, n_varying=int(np.count_nonzero(~is_same)))


def _refuse(function: Function) -> NoReturn:
    """Raise an error that says what a function does in the place of a number."""
    rule = "function must return a number for y_true and y_score, but it"
    try:
        answer = function(*map(np.copy, small_rankings().rows[N_RANKINGS - 1]))
    except Exception as error:
        raise ValueError(f"{rule} raises {type(error).__name__}: {error}") from error
    raise ValueError(f"{rule} returns {answer!r:.80}.")


def _rows_function(function: Function | Definition) -> Function:
    """Return a function of labels and scores; a scorer gets these from an estimator."""
    if isinstance(function, Definition):
        return partial(score, function)
    if isinstance(function, type) or not callable(function):
        rule = "function must be a function of y_true and y_score, a scorer or a definition"
        raise definition_error(function, rule)
    with suppress(ValueError):  # of compiled functions
        if "estimator" in signature(function).parameters:
            return lambda y_true, y_score: function(_OneFeature(), y_score[:, None], y_true)
    return function


class _OneFeature(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose only feature is its score."""

    classes_ = np.array([0, 1])

    def decision_function(self, X: Float) -> Float:
        return X[:, 0]

    def predict_proba(self, X: Float) -> Float:
        return np.column_stack((1 - X[:, 0], X[:, 0]))


class Example(NamedTuple):
    """A ranking on which two functions differ, as the first was called with it."""

    y_true: Array
    y_score: Array
    answer: float
    expected: float


def _ask(function: Function, reading: Reading) -> tuple[Float, dict[int, str]]:
    """Call a function with each ranking; return its answers, and its exceptions by ranking."""
    rows = small_rankings().rows
    answers = np.full(len(rows), np.nan)
    exceptions = {}
    for row, (y_true, y_score) in enumerate(rows):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                answer = function(*reading.turn(y_true.copy(), y_score.copy()))
                answers[row] = float(answer) / reading.divisor
            except Exception as error:
                exceptions[row] = f"{type(error).__name__}: {error}"
    return answers, exceptions


def _identify_answers(reading: str, answers: Float, exceptions: dict[int, str], k: int) -> Identity:
    """Compare the answers of a function with those of all known ones."""
    rankings = small_rankings()
    calls, known_answers = ask_known_functions(k)
    is_same = np.isclose(known_answers, answers, rtol=0, atol=SAME, equal_nan=True)
    # Equal functions also agree on the other scores, which some round and others do not.
    is_equal = np.all(is_same, axis=1)
    is_equal_untied = np.all(is_same[:, rankings.is_untied], axis=1)
    if not is_equal.any():  # exceptions, and nan for turned arguments, are like no answer
        is_same[:, np.isnan(answers) if reading else [*exceptions]] = False
    n_same = is_same[:, :N_RANKINGS].sum(axis=1)
    errors = np.abs(known_answers - answers)
    errors[~(errors < LARGEST_ERROR)] = 1  # also of nan and infinity
    errors[is_same & np.isnan(answers)] = 0
    difference = errors.mean(axis=1)
    # The last key counts first. Among errors of rounding, the order of the table decides.
    order = np.lexsort(((difference / EXACT).round(), -is_same.sum(axis=1), -n_same))
    names = np.array([call.label() for call in calls])[order]
    nearest, example = order[0], None
    differing = np.flatnonzero(~is_same[nearest, :N_RANKINGS]).tolist()
    shortest = next((row for row in differing if row not in exceptions), None)
    if shortest is not None:
        turn, divisor = READINGS[reading]
        answer, expected = answers[shortest] * divisor, known_answers[nearest, shortest]
        example = Example(*turn(*rankings.rows[shortest]), answer, expected)
    return Identity(
        reading=reading,
        names=tuple(names.tolist()),
        n_same=n_same[order],
        difference=difference[order],
        equal=tuple(names[is_equal[order]].tolist()),
        equal_untied=tuple(names[is_equal_untied[order]].tolist()),
        choices=_shared_choices([calls[row] for row in order if is_equal[row]]),
        example=example,
        exceptions=exceptions,
    )


def _shared_choices(calls: Sequence[Call]) -> dict[str, str]:
    """Tell the choices, and the answers in special cases, in which functions agree."""
    texts = [
        {choice: str(option) for choice, option in call.choices.items()}
        | {
            case.condition: case.exception or _answer_as_text(case.value)
            for case in call.tool.special_cases
        }
        for call in calls
    ]
    names = dict.fromkeys(name for each in texts for name in each)
    options = {name: {each.get(name, "") for each in texts} - NO_CHOICE for name in names}
    return {name: agreed.pop() for name, agreed in options.items() if len(agreed) == 1}


def _answer_as_text(value: float) -> str:
    return "nan" if np.isnan(value) else rounded_as_text(value, 6)


@dataclass(frozen=True, eq=False, repr=False)
class Identity(PrintedResult):
    """Which average precision a function computes; ``to_frame`` has all known functions.

    Parameters
    ----------
    reading : str
        With what it is so, if the function turns its answer, its labels or its scores: it is
        equal, or gives the same answer to at least 120 rankings.
    names : tuple of str
        All known functions, the nearest first.
    n_same, difference : ndarray of shape (n_functions,)
        On how many rankings each gives the same answer, and the mean difference. One nan or
        infinity is 1.
    equal : tuple of str
        The known functions with the same answer to every ranking.
    equal_untied : tuple of str
        Those with the same answer to every ranking without ties.
    choices : dict
        The six choices, and other answers, in which the functions that it equals agree.
    example : Example or None
        The shortest ranking on which the function differs from the nearest.
    exceptions : dict of int to str
        What the function raises, by the number of the ranking.
    n_varying : int
        On how many rankings a second call gives another answer, if it equals no known function.
    """

    reading: str
    names: tuple[str, ...]
    n_same: Index
    difference: Float
    equal: tuple[str, ...]
    equal_untied: tuple[str, ...]
    choices: dict[str, str]
    example: Example | None
    exceptions: dict[int, str]
    n_varying: int = 0

    _choice_of_rows = "nearest functions"

    @property
    def heading(self) -> str:
        """Which function it is, if it is a known one."""
        return f"equals {self.equal[0]}" if self.equal else "equals no known function"

    @property
    def sentences(self) -> tuple[str, ...]:
        """How it was read, its choices, and what it does otherwise."""
        texts = []
        if self.n_varying:
            texts.append(f"A second call gives another answer to {self.n_varying} rankings.")
        if n_raised := sum(row < N_RANKINGS for row in self.exceptions):
            exception, *_ = self.exceptions.values()
            texts.append(f"It raises {exception!s:.200} on {n_raised} of {N_RANKINGS} rankings.")
        if self.reading:
            texts.append(f"This {'is so' if self.equal else 'is nearest'} with {self.reading}.")
        if len(self.equal) > 1:
            texts.append(f"Equal, also where scores nearly tie: {names_as_text(self.equal)}.")
        elif not self.equal and self.equal_untied:
            texts.append(f"Where no scores tie, it equals {names_as_text(self.equal_untied)}.")
        elif not self.equal:
            texts.append("Pass k if only the first k ranks count.")
        if self.choices:
            choices = "; ".join(f"{choice}: {option}" for choice, option in self.choices.items())
            texts.append(f"Its choices: {choices}.")
        if self.equal and self.difference[0] > EXACT:
            mean = rounded_as_text(self.difference[0], 1)
            texts.append(f"Its numbers are off by {mean} in the mean, as those of float32 are.")
        if (example := self.example) is not None:
            scores = ", ".join(rounded_as_text(each, 17) for each in example.y_score.tolist())
            rows = f"y_true = {example.y_true.tolist()}, y_score = [{scores}]"
            answer, expected = _answer_as_text(example.answer), _answer_as_text(example.expected)
            turned = f", with {self.reading}," if self.reading in MISTAKES else ""
            texts.append(f"On {rows}, it gives {answer}, and {self.names[0]}{turned} {expected}.")
        elif not self.equal:
            near = "where scores nearly tie or lie outside [0, 1]"
            raises = "where it raises, or " if self.exceptions else ""
            texts.append(f"It differs from {self.names[0]} only {raises}{near}.")
        return tuple(texts)

    def _names(self) -> Sequence[str]:
        return self.names

    def _columns(self) -> Sequence[Column]:
        differences = [rounded_as_text(each) for each in self.difference.tolist()]
        same = [*map(str, self.n_same.tolist())]
        return [
            Column(key="n_same", values=self.n_same, head=f"same of {N_RANKINGS}", cells=same),
            Column(key="difference", values=self.difference, head="off by", cells=differences),
        ]

    def _shown_rows(self) -> Sequence[int]:
        return range(len(self.names))[:N_NEAREST]


class SmallRankings(NamedTuple):
    """The rankings, alone and as queries: those of the table, and some with other scores."""

    rows: list[tuple[Index, Float]]  # labels and scores, those of the fewest rows first
    joined: CheckedPredictions  # each as a query

    @property
    def is_untied(self) -> Bool:
        """Whether all scores of a ranking differ."""
        return np.array([np.unique(y_score).size == y_score.size for _, y_score in self.rows])


@lru_cache(maxsize=1)
def small_rankings() -> SmallRankings:
    """Read the rankings, and add some with other scores."""
    rows = _read_rows()
    for array in chain.from_iterable(rows):  # shared by all calls
        array.setflags(write=False)
    y_true, y_score = map(np.concatenate, zip(*rows, strict=True))
    queries = np.repeat(np.arange(len(rows)), [labels.size for labels, _ in rows])
    return SmallRankings(rows, CheckedPredictions.check(y_true, y_score, queries=queries))


def _read_rows() -> list[tuple[Index, Float]]:
    rows = [
        (np.array([*map(int, row["labels"])]), np.array([*map(LETTERS.index, row["blocks"])]) + 1)
        for row in sorted(read_table("probe_rankings.tsv"), key=lambda row: len(row["labels"]))
    ]
    y_true, rank = max(rows, key=lambda row: np.unique(row[1]).size)
    # float32 and CatBoost tie the first, sigmoids and clipping the second, and bins the last.
    other_scores = 0.5 + rank * 1e-9, rank - 30.0, rank / 1000
    return [
        *((labels, blocks / 64) for labels, blocks in rows),
        *((y_true, y_score) for y_score in other_scores),
    ]


@lru_cache(maxsize=2)
def ask_known_functions(k: int) -> tuple[list[Call], Float]:
    """Call all known functions with each ranking alone."""
    calls = [call for tool in all_tools(k) for call in all_calls(tool, k)]
    answers = small_rankings().joined.ask_all(calls)
    return calls, np.array([answer.values for answer in answers])
