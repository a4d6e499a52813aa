"""The definitions that are conventions, and the names by which people ask for them."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple, get_args

from sklearn_ap._base.inputs.option_checks import Normalizer, check_k, k_as_text
from sklearn_ap._base.inputs.unknown_options import find_elsewhere, near_names
from sklearn_ap.definitions import (
    AtK,
    Definition,
    Expected,
    Hyperbolic,
    Interpolated,
    Linear,
    PrecisionAtK,
    PrecisionAtRecall,
    RecallAtK,
    RecallAtPrecision,
    Step,
)


class NumberInName(NamedTuple):
    """The value of an option at the end of a name."""

    pattern: str
    kind: str  # what it is, in words
    read: Callable[[str], float]
    listed: tuple[str, ...]  # those worth listing


def ranks(text: str) -> float:
    """Read 10, or 0.01, which is 1%."""
    if text.endswith("%"):
        return float(Fraction(text.removesuffix("%")) / 100)
    return float(text) if re.search("[.e]", text) else int(text)


# Python reads no number of many thousand digits, and no k has more than 19.
RANK = "[1-9][0-9]{0,18}|(?=[0.]*[1-9])[0-9]{1,2}([.][0-9]{1,300})?%"
RANKS = "a whole number k, at least 1 and below 2**63, or a percentage below 100"
A_RANK = NumberInName(RANK, RANKS, ranks, ("1", "5", "10", "100"))
SHARE = "1([.]0*)?|0([.][0-9]*)?|[.][0-9]+|[1-9]([.][0-9]+)?[eE]-0*[1-9][0-9]*"
A_SHARE = NumberInName(SHARE, "a number within [0, 1]", float, ("0.5", "0.8", "0.9"))
IN_NAMES = {"k": A_RANK, "recall": A_SHARE, "precision": A_SHARE}
# A share in calls only, as in AtK(0.5): AP@0.5 is that of detections at an overlap of 0.5.
A_CALL = A_SHARE._replace(pattern=f"(?=.*[1-9])(?!1[.]?0*$)({SHARE})")
# The sign of "AP@-5", and no sign in "ap-at-5"; "1 %" is one number.
NUMBER = r"(?:(?<![a-z\d])-)?\d*\.?\d+(?:e-\d+)?(?: ?%)?"


def conventions(k: float) -> list[Definition]:
    """Every definition with options that are conventions, scikit-learn's first.

    A fractional option, such as a threshold of 0.5, suits some data only, and is left out.
    """
    at_k = [AtK(k, normalizer) for normalizer in get_args(Normalizer)]
    envelopes = [Interpolated(levels) for levels in (None, 11, 101)]
    others = [PrecisionAtK(k), PrecisionAtRecall(), RecallAtK(k), RecallAtPrecision()]
    return [Step(), *at_k, Expected(), Expected(k), Hyperbolic(), *envelopes, Linear(), *others]


def measures(k: float) -> dict[str, Definition]:
    """The measures of trec_eval that are definitions here, by their names there."""
    k = check_k(k)
    return {
        "map": Step(),
        f"map_cut_{k}": AtK(k, normalizer="positives"),
        f"P_{k}": PrecisionAtK(k),
        f"recall_{k}": RecallAtK(k),
    }


def call(definition: Definition) -> str:
    """Write the call that makes a definition, with its k also where that is the default."""
    k, made = definition.depth, repr(definition)
    if k is None or "k=" in made:
        return made
    return made.replace("(", f"(k={k}, ", 1).replace(", )", ")")


def find(name: str, k: float, others: Iterable[str] = ()) -> Definition:
    """Find a definition by any name that it has in this package.

    That is its title, its class, what JSON shows, the name of its score or scorer, and that of
    trec_eval. A number in the name, as 5 in "AP@5", comes before ``k``. An error names near ones,
    also among ``others``.
    """
    for definition in _candidates(re.findall(NUMBER, name), k):
        rank = definition.depth or k
        known_there = measures(rank) if isinstance(rank, int) else {}
        of_trec = [n for n, each in known_there.items() if each == definition]
        of_trec += [name.removesuffix(f"_{k}") for name in of_trec]
        made = call(definition)
        without_option = re.sub(r"\(\w+=", "(", made)  # AtK(5)
        names = [definition.title, made, without_option, type(definition).__name__, *of_trec]
        names += [f"M{definition.title}"] if isinstance(definition, AtK) else []  # MAP@5
        if _words(name, k) in (_words(each, k) for each in names):
            return definition
    titles = (each.title for each in conventions(k))
    known = {each: each for each in (*titles, *others)}
    where = (
        find_elsewhere(name)
        or as_percentage(name, k)
        or near_names(known, "sklearn_ap.definitions", name)
    )
    raise ValueError(f"There is no definition {name!r}. {where}")


def as_percentage(name: str, k: float) -> str:
    """That recall_at_0.01 is written recall_at_1%."""
    written = _with_percentage(name, k)
    return f"For this share of the rows write {written!r}." if written else ""


def _with_percentage(name: str, k: float) -> str:
    """The name of a definition at a percentage; empty if this is none at a share."""
    for number in re.findall(NUMBER, name):
        # A larger one is rather an overlap of detections, as in AP@0.5.
        if re.fullmatch(A_CALL.pattern, number) and float(number) < 0.5:
            written = name.replace(number, k_as_text(float(number)))
            with suppress(ValueError):
                find(written, k)
                return written
    return ""


def how_to_write(name: str) -> str:
    """The call in Python that makes the definition of a name: "AP@20" is AtK(20)."""
    return call(find(_with_percentage(name, k=10) or name, k=10)).replace("(k=", "(")


def _candidates(numbers: list[str], k: float) -> Iterator[Definition]:
    """What is shown, and the same with these numbers."""
    shown: list[Any] = conventions(k)
    yield from shown
    for option, expected in (*IN_NAMES.items(), ("k", A_CALL)):
        with_option = [each for each in shown if hasattr(each, option)]
        for number in (each.replace(" ", "") for each in numbers):
            if re.fullmatch(expected.pattern, number):
                value = {option: expected.read(number)}
                yield from (replace(each, **value) for each in with_option)


def _words(name: str, k: float) -> str:
    """A name without what differs between ways of writing it."""
    words = re.findall(rf"[a-z]+|{NUMBER}", name.lower().replace("@", " at "))
    words += ["k"] if words[-1:] == ["at"] else []  # "AP@" lacks its k
    numbers = (k_as_text(k) if word == "k" else word for word in words if word != "at")
    text = " ".join(word if word.isalpha() else _number(word) for word in numbers)
    return text.replace("average precision", "ap").replace("step ap", "ap").removesuffix(" score")


def _number(text: str) -> str:
    """A number in one spelling: 1, 1.0 and 1% are 1.0, 1.0 and 1.0%."""
    number = text.rstrip(" %")
    return f"{float(number)}{'%' if number != text else ''}"
