"""What is shown of the best of several models, and of each of the others."""

from __future__ import annotations

from sklearn_ap._base.text import interval_head, level_as_text
from sklearn_ap._questions.verdicts import Estimate, Verdict, names_in_words
from sklearn_ap._types import AnyResult

BEST = "best"
MAY_BE_BEST = "may be best"
NOT_BEST = "not the best"


def verdicts_of_best(result: AnyResult) -> tuple[Verdict, ...]:
    """Give a verdict for each model: the first has the highest score."""
    verdicts = []
    for rank, name in enumerate(result.names):
        sentence = _sentence(result, rank, f"{len(result.names)} models")
        verdicts.append(Verdict(name, None, _decide(result, name), sentence))
    return tuple(verdicts)


def _decide(result: AnyResult, name: str) -> str:
    if name not in result.may_be_best:
        return NOT_BEST
    return BEST if len(result.may_be_best) == 1 else MAY_BE_BEST


def _sentence(result: AnyResult, rank: int, models: str) -> str:
    """Say whether a model is the best, or may be; only the first is given its interval."""
    name = result.names[rank]
    level = level_as_text(result.confidence_level)
    if name not in result.may_be_best:
        return f"{name} is not the best of {models}, with {level} confidence."
    if rank:
        return f"{name} may be the best of {models}."
    rivals = [other for other in result.may_be_best if other != name]
    limits = (result.estimates[0], result.lows[0], result.highs[0])
    score = Estimate(*map(float, limits)).brief(interval_head(result.confidence_level))
    if not rivals:
        return f"{name} is the best of {models}: {score}."
    others = f"{names_in_words(rivals)} may be, too"
    return f"It is not shown that {name}, with {score}, is the best of {models}: {others}."
