"""The definitions that are conventions, and the names by which people ask for them."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from typing import Any, NamedTuple, get_args

from sklearn_ap import definitions
from sklearn_ap._inputs.options import check_k, definition_error, near_names
from sklearn_ap._results.text import k_as_text
from sklearn_ap._types import Argument
from sklearn_ap.definitions import (
    AtK,
    Definition,
    Expected,
    Interpolated,
    PrecisionAtK,
    RecallAtK,
    ReciprocalRank,
    Step,
)
from sklearn_ap.definitions._at_k import Normalizer


class NumberInName(NamedTuple):
    """The value of an option at the end of a name."""

    pattern: str
    description: str
    read: Callable[[str], float]
    examples: tuple[str, ...]  # the values to list


def read_rank(text: str) -> float:
    """Read 10, or 0.01, which is 1%."""
    if text.endswith("%"):
        return float(Fraction(text.removesuffix("%")) / 100)
    return float(text) if re.search("[.e]", text) else int(text)


RANK = NumberInName(
    # Python refuses integers of many thousand digits, and no k has more than 19.
    pattern="[1-9][0-9]{0,18}|(?=[0.]*[1-9])[0-9]{1,2}([.][0-9]{1,300})?%",
    description="a whole number k, at least 1 and below 2**63, or a percentage below 100",
    read=read_rank,
    examples=("1", "5", "10", "100"),
)
SHARE = NumberInName(
    pattern="1([.]0*)?|0([.][0-9]*)?|[.][0-9]+|[1-9]([.][0-9]+)?[eE]-0*[1-9][0-9]*",
    description="a number within [0, 1]",
    read=float,
    examples=("0.5", "0.8", "0.9"),
)
OPTIONS_IN_NAMES = {"k": RANK, "recall": SHARE, "precision": SHARE}
# A share is read in calls only, as in AtK(0.5): AP@0.5 means detections at an overlap of 0.5. 0 and
# 1 are no shares of a ranking.
SHARE_IN_CALL = SHARE._replace(pattern=f"(?=.*[1-9])(?!1[.]?0*$)({SHARE.pattern})")
# "AP@-5" has a sign, and "ap-at-5" has none; "1 %" is one number.
NUMBER = r"(?:(?<![a-z\d])-)?\d*\.?\d+(?:e-\d+)?(?: ?%)?"


def conventions(k: float) -> list[Definition]:
    """List every definition with each conventional option, scikit-learn's first."""
    return [*ranking_conventions(k), ReciprocalRank(), ReciprocalRank(k)]


def ranking_conventions(k: float) -> list[Definition]:
    """List the conventions that are of use for a single ranking: not the rank of one hit.

    A fractional option, such as a threshold of 0.5, suits some data only, and is left out.
    """
    several: dict[type[Definition], list[Definition]] = {
        AtK: [AtK(k, normalizer) for normalizer in get_args(Normalizer)],
        Expected: [Expected(), Expected(k)],
        Interpolated: [Interpolated(), Interpolated(11), Interpolated(101)],
        PrecisionAtK: [PrecisionAtK(k)],
        RecallAtK: [RecallAtK(k)],
    }
    kinds = [getattr(definitions, name) for name in definitions.__all__]
    others = {Definition, ReciprocalRank, Step}
    found = (several.get(kind) or [kind()] for kind in kinds if kind not in others)
    return [Step(), *chain.from_iterable(found)]


def trec_definitions(k: float) -> dict[str, Definition]:
    """List the measures of trec_eval that are definitions here, by their names in trec_eval."""
    k = check_k(k)
    return {
        "map": Step(),
        f"map_cut_{k}": AtK(k, normalizer="positives"),
        f"P_{k}": PrecisionAtK(k),
        f"recall_{k}": RecallAtK(k),
        "recip_rank": ReciprocalRank(),
    }


def find_definition(name: str, k: float, others: Iterable[str] = ()) -> Definition:
    """Find a definition by any name that it has in this package.

    That is its title, its class, what JSON shows, the name of its score or scorer, and that of
    trec_eval. A number in the name, as 5 in "AP@5", comes before ``k``. An error names near ones,
    also among ``others``.
    """
    wanted = _normalized(name, k)
    for definition in _candidates(re.findall(NUMBER, name.lower()), k):
        if wanted in (_normalized(own_name, k) for own_name in _names(definition, k)):
            return definition
    titles = (definition.title for definition in conventions(k))
    known_names = {title: title for title in (*titles, *others)}
    advice = (
        _percentage_advice(name, k)
        or _tool_advice(name)
        or near_names(known_names, "sklearn_ap.definitions", name)
    )
    raise ValueError(f"There is no definition {name!r}. {advice}")


def _tool_advice(name: str) -> str:
    """Say where functions of tools are, such as "xgboost.aucpr"; empty for other names."""
    is_function = re.search(r"[a-z]\.[a-z]", name.lower())
    return "compat.score and compat.get_scorer take functions of tools." if is_function else ""


def _names(definition: Definition, k: float) -> list[str]:
    """List the names of a definition that ``find_definition`` knows."""
    rank = definition.depth or k
    trec_measures = trec_definitions(rank) if isinstance(rank, int) else {}
    trec_names = [name for name, measure in trec_measures.items() if measure == definition]
    trec_names += [name.removesuffix(f"_{k}") for name in trec_names]
    keyword_call = repr(definition)  # AtK(k=5)
    positional_call = re.sub(r"\(\w+=", "(", keyword_call)  # AtK(5)
    class_name = type(definition).__name__
    names = [definition.title, keyword_call, positional_call, class_name, *trec_names]
    if isinstance(definition, AtK):
        names.append(f"M{definition.title}")  # MAP@5
    if isinstance(definition, ReciprocalRank):
        short_name = definition.title.replace("reciprocal rank", "RR")
        names += [short_name, f"M{short_name}", f"mean {definition.title}"]  # MRR@5
    return names


def _percentage_advice(name: str, k: float) -> str:
    """Advise recall_at_1% for recall_at_0.01; empty if a name has no share."""
    percentage_name = _percentage_name(name, k)
    return f"For this share of the rows write {percentage_name!r}." if percentage_name else ""


def _percentage_name(name: str, k: float) -> str:
    """Return the name of a definition at a percentage; empty if the name has no share."""
    for number in re.findall(NUMBER, name):
        # A larger number rather means an overlap of detections, as in AP@0.5.
        if re.fullmatch(SHARE_IN_CALL.pattern, number) and float(number) < 0.5:
            percentage_name = name.replace(number, k_as_text(float(number)))
            with suppress(ValueError):
                find_definition(percentage_name, k)
                return percentage_name
    return ""


def python_call(name: str) -> str:
    """Write the call in Python that makes the definition of a name: "AP@20" is AtK(20)."""
    definition = find_definition(_percentage_name(name, k=10) or name, k=10)
    return repr(definition).replace("(k=", "(")


def check_definition(definition: Argument) -> Definition:
    """Refuse the name of a definition, and a class instead of an instance."""
    if isinstance(definition, Definition):
        return definition
    if not isinstance(definition, str):
        raise definition_error(definition)
    try:  # the command line takes many names
        advice = f"Write definition={python_call(definition)}."
    except ValueError as error:
        advice = str(error)
    raise definition_error(definition, advice)


def _candidates(numbers: list[str], k: float) -> Iterator[Definition]:
    """Yield the conventions, and then the same definitions with these numbers as their options."""
    conventional: list[Any] = conventions(k)  # Any: replace() needs dataclasses
    yield from conventional
    for option, expected in (*OPTIONS_IN_NAMES.items(), ("k", SHARE_IN_CALL)):
        candidates = [definition for definition in conventional if hasattr(definition, option)]
        for number in (text.replace(" ", "") for text in numbers):
            if re.fullmatch(expected.pattern, number):
                value = {option: expected.read(number)}
                yield from (replace(definition, **value) for definition in candidates)


def _normalized(name: str, k: float) -> str:
    """Write a name in one spelling for all ways of writing it.

    "AP@5" and "average_precision_at_5_score" are both "ap 5.0".
    """
    words = re.findall(rf"[a-z]+|{NUMBER}", name.lower().replace("@", " at "))
    if words[-1:] == ["at"]:  # "AP@" lacks its k
        words.append("k")
    words = [k_as_text(k) if word == "k" else word for word in words if word != "at"]
    text = " ".join(word if word.isalpha() else _normalized_number(word) for word in words)
    return text.replace("average precision", "ap").replace("step ap", "ap").removesuffix(" score")


def _normalized_number(text: str) -> str:
    """Write a number in one spelling: 1, 1.0 and 1% are 1.0, 1.0 and 1.0%."""
    number = text.rstrip(" %")
    return f"{float(number)}{'%' if number != text else ''}"
