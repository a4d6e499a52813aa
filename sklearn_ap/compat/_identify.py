"""Which average precision a function computes: its answers beside those of all known functions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from inspect import signature
from string import ascii_letters, digits
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from sklearn_ap._inputs.options import check_k
from sklearn_ap._results.column import Column
from sklearn_ap._results.result import Json, PrintedResult
from sklearn_ap._results.text import names_as_text, rounded_as_text
from sklearn_ap._types import Argument, Array, Bool, Float, Index, Numeric
from sklearn_ap.compat._compare import WELL_KNOWN
from sklearn_ap.compat._score import Predictions
from sklearn_ap.compat._tools import (
    BASELINE,
    CHOICES,
    Choice,
    Tool,
    get,
    our_tools,
    read_table,
    tools,
)

LETTERS = ascii_letters + digits  # of blocks of tied rows, the lowest score first
SCORE_UNIT, WEIGHT_UNIT = 1 / 64, 1 / 4
SAME = 1e-6  # numbers of float32 have such errors
EXACT = 1e-9
RAISES = -np.inf  # stands for an exception
N_SHOWN = 5
NO_ORDER = "none of these orders"
# Rising scores of a ranking without ties, by what some functions do to them.
OTHER_SCORES: tuple[Callable[[Float], Float], ...] = (
    lambda rank: 0.5 + rank * 1e-9,  # float32 ties them, and so does CatBoost
    lambda rank: rank - 30,  # logits: a sigmoid saturates, and those outside [0, 1] are clipped
    lambda rank: rank / 1000,  # bins tie neighbours
)


class Reading(NamedTuple):
    """A way to read a function: a mistake that leaves its choices alone."""

    sentence: str = ""
    sign: int = 1
    is_swapped: bool = False
    is_reversed: bool = False


READINGS = (
    Reading(),
    Reading("Its sign was turned: its recall runs from 1 down to 0.", sign=-1),
    Reading("Its arguments were swapped: it takes y_score before y_true.", is_swapped=True),
    Reading("Its scores were reversed: it ranks the lowest score first.", is_reversed=True),
)


def identify(function: Callable[..., Argument], *, k: int = 10) -> Identity:
    """Tell which average precision a function computes, by its answers to 150 small rankings.

    The rankings have blocks of tied rows, single classes, and 1 to 60 rows, so that each choice by
    which functions differ shows in some of them. One of them is asked again with scores that nearly
    tie, that lie outside [0, 1], and that share bins.

    Parameters
    ----------
    function : callable
        Takes ``y_true`` and ``y_score``, and perhaps ``sample_weight``, and returns a number; or a
        scorer, which is called with an estimator, X and y.
    k : int, default=10
        How many ranks count, in the known functions that need k.

    Returns
    -------
    Identity
        The function that it equals; or which of the six choices explain it; the nearest functions;
        and the smallest ranking on which it differs from the nearest.

    See Also
    --------
    compare : All tools' numbers on predictions of yours, nearest to a number.
    explain : Why two functions differ.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import compat
    >>> def mine(y_true, y_score):
    ...     hits = np.asarray(y_true)[np.argsort(-y_score, kind="stable")]
    ...     precision = np.cumsum(hits) / np.arange(1, hits.size + 1)
    ...     return precision[hits == 1].mean() if hits.any() else 0.5
    >>> found = compat.identify(mine)
    >>> found.equal, found.choices["ties"], found.choices["no positive"]
    ((), 'input order', '0.5')
    """
    if not callable(function):
        raise TypeError(f"function must be callable, got {function!r}.")
    exam, known, answers_of_known = _known(check_k(k))
    found = []
    for reading in READINGS:
        answers = exam.ask(function, reading)
        if (answers > RAISES).any():
            found.append(_compare(function, reading, exam, answers, known, answers_of_known))
            if found[-1].n_explained == found[-1].n_rankings:
                return found[-1]
    if not found:
        raise ValueError(
            "function must take y_true and y_score and return a number, or be a scorer, but it "
            "raises an exception on every ranking."
        )
    return found[0]


@lru_cache(maxsize=2)
def _known(k: int) -> tuple[Exam, list[tuple[Tool, int | None]], Float]:
    """Ask all known functions, with k and, where they need none, without."""
    exam = Exam(_rankings())
    known = [(tool, ranks) for tool in (*tools(), *our_tools(k)) for ranks in _ks(tool, k)]
    return exam, known, np.array([exam.ask_tool(*each) for each in known])


def _ks(tool: Tool, k: int) -> Sequence[int | None]:
    """List the numbers of ranks to ask a function with."""
    if tool.k == "required":
        return [k]
    return [None, k] if tool.k == "optional" else [None]


class Ranking(NamedTuple):
    """Rows that a function is asked about."""

    y_true: Index
    y_score: Float
    sample_weight: Float


def _rankings() -> tuple[Ranking, ...]:
    """Read the rankings, and add one of them again with other scores."""
    rankings = tuple(
        Ranking(
            np.array([*map(int, row["labels"])]),
            np.array([LETTERS.index(letter) + 1 for letter in row["blocks"]]) * SCORE_UNIT,
            np.array([*map(int, row["weights"])]) * WEIGHT_UNIT,
        )
        for row in read_table("rankings.tsv")
    )
    longest = max(rankings, key=lambda each: np.unique(each.y_score).size)
    rank = longest.y_score / SCORE_UNIT
    return rankings + tuple(longest._replace(y_score=rise(rank)) for rise in OTHER_SCORES)


class Exam:
    """The rankings, of which the last ones have other scores, as functions and tools are asked."""

    def __init__(self, rankings: tuple[Ranking, ...]) -> None:
        self.rankings = rankings
        self.n_rankings = len(rankings) - len(OTHER_SCORES)
        y_true, y_score, weight = map(np.concatenate, zip(*rankings, strict=True))
        queries = np.repeat(np.arange(len(rankings)), [each.y_true.size for each in rankings])
        self.predictions = Predictions.check(y_true, y_score, queries=queries)
        self.weighted = Predictions.check(y_true, y_score, queries=queries, sample_weight=weight)
        n_positives = np.bincount(queries, y_true)
        self.has_positive = n_positives > 0
        self.has_negative = n_positives < np.bincount(queries)

    def ask_tool(self, tool: Tool, k: int | None, *, is_weighted: bool = False) -> Float:
        """Return the answer of a known function to each ranking alone."""
        predictions = self.weighted if is_weighted else self.predictions
        alone: dict[str, str] = {}
        for name, text in tool.answers.items():
            alone.setdefault(name.removesuffix(" in any query"), text)
        values = self.choose(tool.bind(k, {}), predictions)
        for special in reversed(predictions.special_answers(replace(tool, answers=alone))):
            values[special.queries] = RAISES if special.exception else special.value
        return values

    def choose(self, choices: dict[str, Choice], predictions: Predictions | None = None) -> Float:
        """Return the number of six choices for each ranking."""
        return (predictions or self.predictions).answer(choices, ()).values

    def ask(
        self, function: Callable[..., Argument], reading: Reading, *, is_weighted: bool = False
    ) -> Float:
        """Call a function with each ranking."""
        answers = np.full(len(self.rankings), RAISES)
        for place, (y_true, y_score, weight) in enumerate(self.rankings):
            rows = [y_true.copy(), 1 - y_score if reading.is_reversed else y_score.copy()]
            given = {"sample_weight": weight.copy()} if is_weighted else {}
            with warnings.catch_warnings(), suppress(Exception):
                warnings.simplefilter("ignore")
                answer = _call(function, rows[::-1] if reading.is_swapped else rows, given)
                answers[place] = reading.sign * float(answer)
        return answers


def _call(
    function: Callable[..., Argument], rows: list[Array], given: Mapping[str, Array]
) -> Argument:
    """Call a function of labels and scores, or a scorer."""
    if not _is_scorer(function):
        return function(*rows, **given)
    y_true, y_score = rows
    return function(_Feature(), y_score[:, None], y_true, **given)


def _parameters(function: Callable[..., Argument]) -> Iterable[str]:
    try:
        return signature(function).parameters
    except (TypeError, ValueError):  # of compiled functions
        return ()


def _is_scorer(function: Callable[..., Argument]) -> bool:
    return "estimator" in _parameters(function)


class _Feature(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose score is the only feature."""

    classes_ = np.array([0, 1])

    def decision_function(self, X: Float) -> Float:
        return X[:, 0]

    def predict_proba(self, X: Float) -> Float:
        return np.column_stack((1 - X[:, 0], X[:, 0]))


def _are_same(first: Numeric, second: Numeric, tolerance: Numeric = SAME) -> Bool:
    """Compare answers: both nan, both an exception, or nearly equal numbers."""
    with np.errstate(invalid="ignore"):
        is_near = np.abs(first - second) <= tolerance
    return is_near | (first == second) | (np.isnan(first) & np.isnan(second))


def _compare(
    function: Callable[..., Argument],
    reading: Reading,
    exam: Exam,
    answers: Float,
    known: Sequence[tuple[Tool, int | None]],
    answers_of_known: Float,
) -> Identity:
    """Compare the answers of a function with those of all known ones, and find its choices."""
    tolerances = np.array([max(tool.tolerance, SAME) for tool, _ in known])
    same = _are_same(answers, answers_of_known, tolerances[:, None])
    numbers = np.isfinite(answers) & np.isfinite(answers_of_known)
    with np.errstate(invalid="ignore"):
        errors = np.where(numbers, np.abs(answers - answers_of_known), 0.0)
    difference = errors.sum(axis=1) / np.maximum(numbers.sum(axis=1), 1)
    n_same = same[:, : exam.n_rankings].sum(axis=1)
    is_well_known = [tool.name in WELL_KNOWN for tool, _ in known]
    n_numbers = np.isfinite(answers_of_known).sum(axis=1)
    keys = (difference, -n_numbers, np.logical_not(is_well_known), -same.sum(axis=1), -n_same)
    order = np.lexsort(keys)  # the last key counts first
    nearest = order[0]
    tool, k = known[nearest]
    if same[nearest].all():
        choices, n_explained = _choices_as_text(tool.bind(k, {})), exam.n_rankings
        choices |= tool.answers
    else:
        choices, n_explained = _find_choices(exam, answers, [each.bind(n, {}) for each, n in known])
    return Identity(
        name=getattr(function, "__name__", "the scorer" if _is_scorer(function) else "it"),
        reading=reading.sentence,
        names=tuple(_label(*known[place]) for place in order),
        n_same=n_same[order],
        difference=difference[order],
        equal=tuple(_label(*known[place]) for place in order if same[place].all()),
        choices=choices,
        n_explained=n_explained,
        n_rankings=exam.n_rankings,
        rounding=float(errors[nearest].max()) if same[nearest].all() else 0.0,
        weighted=_compare_weighted(function, reading, exam, tool, k) if same[nearest].all() else {},
        example=_smallest(exam, answers, answers_of_known[nearest], same[nearest]),
    )


def _compare_weighted(
    function: Callable[..., Argument], reading: Reading, exam: Exam, tool: Tool, k: int | None
) -> dict[str, int]:
    """Count the equal answers with weights, if both functions take them."""
    if not tool.takes_weights or "sample_weight" not in _parameters(function):
        return {}
    theirs = exam.ask_tool(tool, k, is_weighted=True)
    is_same = _are_same(exam.ask(function, reading, is_weighted=True), theirs)
    return {tool.name: int(is_same[: exam.n_rankings].sum())}


def _label(tool: Tool, k: int | None) -> str:
    return tool.name if k is None else f"{tool.name} (k={k})"


def _choices_as_text(choices: Mapping[str, Choice]) -> dict[str, str]:
    return {name: str(choices[name]) for name in CHOICES if choices[name].option != "irrelevant"}


def _find_choices(
    exam: Exam, answers: Float, known: Sequence[Mapping[str, Choice]]
) -> tuple[dict[str, str], int]:
    """Find the six choices that give these answers, and how many rankings they explain.

    Rankings whose ties have no effect say what is between points, averaged and divided. Then all
    rankings say how ties are ordered, and those with other scores, what the function does to them.
    """
    base = get(BASELINE).bind(None, {})
    options = {name: [*dict.fromkeys(each[name] for each in known)] for name in CHOICES}
    curves = dict.fromkeys(
        (each["between"], each["start"], each["over"], each["divisor"]) for each in known
    )
    has_both = (exam.has_positive & exam.has_negative)[: exam.n_rankings]
    worst, best = (exam.choose(base | {"ties": Choice(order)}) for order in ("worst", "best"))
    is_plain = has_both & _are_same(worst, best)[: exam.n_rankings]
    found: list[tuple[int, dict[str, Choice]]] = []

    def is_same(choices: dict[str, Choice]) -> Bool:
        return _are_same(exam.choose(choices), answers)

    for curve in curves:
        choices = base | dict(zip(CHOICES[2:], curve, strict=True))
        if is_same(choices)[: exam.n_rankings][is_plain].all():
            for ties in options["ties"]:
                tried = choices | {"ties": ties}
                found.append((int(is_same(tried)[: exam.n_rankings][has_both].sum()), tried))
    if not found:
        return {}, 0
    n_explained, choices = max(found, key=lambda each: each[0])
    texts = _choices_as_text(choices)
    if n_explained < has_both.sum():
        texts["ties"] = NO_ORDER
    moved = (choices | {"scores": scores} for scores in options["scores"])
    seen = [each["scores"] for each in moved if is_same(each)[exam.n_rankings :].all()]
    texts["scores"] = str(seen[0]) if seen else "none of these"
    others, n_others = _answers_to_one_class(exam, answers, exam.choose(choices))
    return texts | others, n_explained + n_others


def _answers_to_one_class(
    exam: Exam, answers: Float, expected: Float
) -> tuple[dict[str, str], int]:
    """Find the answers to rankings of one class, and how many have the answer that is told."""
    texts, n_explained = {}, 0
    classes = {"no positive": ~exam.has_positive, "only positives": ~exam.has_negative}
    for condition, is_met in classes.items():
        places = np.flatnonzero(is_met[: exam.n_rankings])
        told, values = expected[places], answers[places]
        if condition == "no positive" or not _are_same(values, told).all():
            told = np.full(places.size, values[0])
            texts[condition] = _answer_as_text(float(values[0]))
        n_explained += int(_are_same(values, told).sum())
    return texts, n_explained


def _answer_as_text(value: float) -> str:
    if value == RAISES:
        return "an exception"
    return "nan" if np.isnan(value) else rounded_as_text(value, 6)


class Example(NamedTuple):
    """A ranking on which two functions differ."""

    y_true: tuple[int, ...]
    y_score: tuple[float, ...]
    answer: float  # minus infinity stands for an exception
    expected: float


def _smallest(exam: Exam, answers: Float, expected: Float, same: Bool) -> Example | None:
    """Find the shortest ranking on which a function differs from the nearest."""
    places = np.flatnonzero(~same[: exam.n_rankings]).tolist()
    if not places:
        return None
    place = min(places, key=lambda each: exam.rankings[each].y_true.size)
    y_true, y_score, _ = exam.rankings[place]
    rows = tuple(y_true.tolist()), tuple(y_score.tolist())
    return Example(*rows, float(answers[place]), float(expected[place]))


@dataclass(frozen=True, eq=False, repr=False)
class Identity(PrintedResult):
    """Which average precision a function computes.

    Print it, or get a table of all known functions with ``to_frame``.

    Parameters
    ----------
    name : str
        The name of the function.
    reading : str
        How the function was read, if its sign, its arguments or its scores are turned.
    names : tuple of str
        All known functions, the nearest first.
    n_same : ndarray of shape (n_functions,)
        On how many rankings each gives the same answer.
    difference : ndarray of shape (n_functions,)
        The mean difference where both give a number.
    equal : tuple of str
        The known functions with the same answer to every ranking.
    choices : dict
        The option of each of the six choices, and other answers, that explain the function.
    n_explained, n_rankings : int
        How many of the rankings the choices explain.
    rounding : float
        The largest difference from an equal function, as float32 has.
    weighted : dict
        An equal function that takes weights, with the number of equal answers with weights.
    example : Example or None
        The shortest ranking on which the function differs from the nearest.

    Examples
    --------
    >>> from sklearn.metrics import average_precision_score
    >>> from sklearn_ap import compat
    >>> compat.identify(average_precision_score).equal[0]
    'sklearn.average_precision_score'
    """

    name: str
    reading: str
    names: tuple[str, ...]
    n_same: Index
    difference: Float
    equal: tuple[str, ...]
    choices: dict[str, str]
    n_explained: int
    n_rankings: int
    rounding: float
    weighted: dict[str, int]
    example: Example | None

    _choice_of_rows = "nearest functions"

    @property
    def heading(self) -> str:
        """Which function it is, or that its choices or nothing explain it."""
        n = self.n_rankings
        if self.equal:
            return f"{self.name} equals {self.equal[0]} on {n} of {n} rankings"
        if self.choices:
            told = f"its choices explain {self.n_explained} of {n} rankings"
            return f"{self.name} equals no known function, but {told}"
        return f"{self.name} is none of these: no choices explain it"

    @property
    def sentences(self) -> tuple[str, ...]:
        """How it was read, its choices, and what it does otherwise."""
        texts = [self.reading] if self.reading else []
        if len(self.equal) > 1:
            texts.append(
                f"Equal, also where scores nearly tie or are logits: {names_as_text(self.equal)}."
            )
        if self.choices:
            told = "; ".join(f"{choice}: {option}" for choice, option in self.choices.items())
            texts.append(f"Its choices: {told}.")
        if self.choices.get("ties") == NO_ORDER:
            texts.append("Tied rows have no order that explains it: is its sort stable?")
        for name, n_same in self.weighted.items():
            told = f"it gives the number of {name} on {n_same} of {self.n_rankings} rankings"
            texts.append(f"With sample_weight, {told}.")
        if self.rounding > EXACT:
            largest = rounded_as_text(self.rounding, 1)
            texts.append(f"Its numbers are off by up to {largest}, as those of float32 are.")
        if self.example is not None:
            answer, expected = map(_answer_as_text, self.example[2:])
            scores = ", ".join(rounded_as_text(each, 17) for each in self.example.y_score)
            texts.append(
                f"It differs on y_true = {[*self.example.y_true]}, y_score = [{scores}]: it gives "
                f"{answer}, and {self.names[0]} {expected}."
            )
        return tuple(texts)

    def _facts(self) -> Mapping[str, Json]:
        choices: Json = {**self.choices}
        return {"name": self.name, "equal": [*self.equal], "choices": choices}

    def _names(self) -> Sequence[str]:
        return self.names

    def _columns(self) -> Sequence[Column]:
        same = [f"{each} of {self.n_rankings}" for each in self.n_same.tolist()]
        differences = [rounded_as_text(each, 2) for each in self.difference.tolist()]
        return (
            Column(key="n_same", head="same", values=self.n_same, cells=same),
            Column(
                key="difference", head="mean difference", values=self.difference, cells=differences
            ),
        )

    def _shown_rows(self) -> list[int]:
        return [*range(min(N_SHOWN, len(self.names)))]
