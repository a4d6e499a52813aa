"""The models: their scores, which is best, and whether it ranks better than random orders."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._arithmetic import is_shown
from sklearn_ap._report._fact import Fact, Measured, Refused, read_difference, read_score, select
from sklearn_ap._report._levels import divide_level
from sklearn_ap._report._parts import Part, Picture, make_table
from sklearn_ap._report.questions import Questions, UnansweredError
from sklearn_ap._types import Axes
from sklearn_ap._writing.text import (
    count_as_text,
    interval_as_text,
    names_as_text,
    pvalue_phrase,
    score_as_text,
)
from sklearn_ap.displays.display import AveragePrecisionDisplay
from sklearn_ap.inference.chance.chance_test import chance_test
from sklearn_ap.inference.comparison import HIGHEST, compare_average_precision
from sklearn_ap.inference.comparison_result import ALLOWS_FOR_CHOICE, why_not
from sklearn_ap.metrics import ScoreOptions

REVERSED_PVALUE = 0.999  # from here, nearly all random orders score more


@dataclass(frozen=True)
class ModelScore(Fact):
    """The score of a model."""

    model: str
    score: Measured

    def __str__(self) -> str:
        return f"{self.model} scores {self.score.phrase()}."


@dataclass(frozen=True)
class TwoModels(Fact):
    """The difference of two models over all rows, and whether the first is shown to be better."""

    model: str
    other: str
    difference: Measured
    is_shown: bool
    reason: str = ""  # why it is not shown in spite of its limits

    def __str__(self) -> str:
        difference = self.difference.phrase("+")
        if self.reason:
            models = f"{self.model} scores higher than {self.other}"
            return f"{models} over all rows: {difference}, but {self.reason}."
        if self.is_shown:
            return f"{self.model} is better than {self.other} over all rows: {difference}."
        models = f"{self.model} and {self.other}"
        return f"No difference between {models} is shown over all rows: {difference}."


@dataclass(frozen=True)
class HighestScore(Fact):
    """The model that scores most of several, which is the best unless others may be it, too."""

    model: str
    score: Measured
    n_models: int
    others: tuple[str, ...]
    is_shown: bool
    doubtful: str = ""  # a model that is lower by its numbers alone
    reason: str = ""  # why these do not show it

    def __str__(self) -> str:
        n_models, score = count_as_text(self.n_models), self.score.phrase()
        claim = f"is the best of {n_models} models over all rows: it scores {score}"
        if not self.is_shown:
            claim = f"has the highest score of {n_models} models, {score}"
        if self.others:
            claim += f", but {names_as_text(self.others)} may also be the best"
        elif self.doubtful:
            claim += f"; {self.doubtful} scores lower, but {self.reason}"
        return f"{self.model} {claim}; {ALLOWS_FOR_CHOICE}."


@dataclass(frozen=True)
class BesideChance(Fact):
    """A model beside random orders, and whether a test shows that it ranks better."""

    model: str
    chance: float
    pvalue: float
    is_shown: bool

    def __str__(self) -> str:
        ranks = "ranks" if self.is_shown else "is not shown to rank"
        chance, test = score_as_text(self.chance), pvalue_phrase(self.pvalue)
        doubt = "; are its scores reversed?" if self.pvalue > REVERSED_PVALUE else "."
        return (
            f"{self.model} {ranks} better than random orders, which score {chance} on average "
            f"({test}){doubt}"
        )


def make_models_part(questions: Questions) -> Part:
    """Give the score of each model beside that of random orders, and say which is best."""
    scores = [
        ModelScore(model=model, score=read_score(answer.result), calls=(answer.call,))
        for model, answer in questions.scores.items()
    ]
    facts: list[Fact] = [*scores] if len(scores) == 1 else [find_best(questions)]
    try:
        facts.append(find_chance(questions, questions.best))
    except UnansweredError as error:
        facts.append(Refused(str(error)))
    head = ["model", f"average precision ({interval_as_text(questions.level)})"]
    body = [[fact.model, fact.score.text()] for fact in scores]
    body += [["random order", score_as_text(fact.chance)] for fact in select(BesideChance, facts)]
    alt = f"Precision over recall of {names_as_text(questions.leading)}."
    picture = Picture(partial(draw_curves, questions), alt)
    return Part("Models", facts, make_table(head, body), scores, picture=picture)


def find_best(questions: Questions) -> TwoModels | HighestScore:
    """Compare two models, or find which of more may be the best."""
    names = (*questions.scores,)
    if len(names) == 2:  # the first is the reference, also if it is named "best"
        answer = questions.ask(compare_average_precision, names[::-1])
        prevalence = questions.sample.target_prevalence
        difference = read_difference(answer.result, prevalence=prevalence)
        is_higher, reason = difference.low > 0, why_not(answer.result, row=1)
        return TwoModels(
            model=names[0],
            other=names[1],
            difference=difference,
            is_shown=is_higher and not reason,
            reason=reason if is_higher else "",
            calls=(answer.call,),
        )
    answer = questions.ask(compare_average_precision, names, reference=HIGHEST)
    comparison = answer.result
    model = comparison.reference
    texts = [*map(str, comparison.names)]
    score = read_score(comparison, comparison.names.index(model))
    is_open = comparison.verdict == "undecided"
    others = tuple(texts[row] for row in np.flatnonzero(is_open).tolist())
    overturned = np.flatnonzero(comparison.is_overturned & ~is_open).tolist()
    return HighestScore(
        model=str(model),
        score=score,
        n_models=len(texts),
        others=others,
        is_shown=not (others or overturned),
        doubtful=texts[overturned[0]] if overturned else "",
        reason=why_not(comparison, overturned[0]) if overturned else "",
        calls=(answer.call,),
    )


def find_chance(questions: Questions, model: str) -> BesideChance:
    """Compare a model with random orders."""
    answer = questions.ask(chance_test, model)
    chance, pvalue = float(answer.result.chance), float(answer.result.pvalue)
    return BesideChance(
        model=model,
        chance=chance,
        pvalue=pvalue,
        is_shown=bool(is_shown(pvalue, divide_level("above chance"))),
        calls=(answer.call,),
    )


def has_skill(questions: Questions, model: str) -> bool:
    """Check whether a model is shown to score more than random orders."""
    try:
        return find_chance(questions, model).is_shown
    except UnansweredError:  # of queries that share clusters
        return False


def draw_curves(questions: Questions) -> Axes:
    """Draw the curves of the leading models in one picture."""
    data = questions.data
    values = {name: option.value for name, option in data.options.items() if name != "clusters"}
    options = cast(ScoreOptions, values)
    ax: Axes | None = None
    for model in questions.leading:
        # Rows of the legend that also have the scores can be wider than the picture. Matplotlib
        # reads "$" as a formula, and hides labels that begin with "_".
        label = f" {model}".replace("$", r"\$")
        ax = AveragePrecisionDisplay.from_predictions(
            data.y_true,
            cast(ArrayLike, data.models[model].value),
            average="macro" if data.has_queries else None,
            ax=ax,
            label=label,
            **options,
        ).ax_
    axes = cast(Axes, ax)  # there is a model at least
    axes.set(xlabel="recall: share of the positives", ylabel="precision")
    return axes
