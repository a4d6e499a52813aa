"""The definitions that the command line shows, and their names."""

import re
from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches
from inspect import isabstract
from typing import Any

from sklearn_ap import definitions
from sklearn_ap.definitions import AtK, Definition, PrecisionAtK, RecallAtK, Step
from sklearn_ap.scorers import IN_NAMES, get_scorer_names

NUMBER = r"(?:(?<![a-z\d])-)?\d*\.?\d+(?:e-\d+)?"  # the sign of "AP@-5", and no sign in "ap-at-5"


def conventions(k: int) -> list[Definition]:
    """Every definition with options that are conventions, scikit-learn's first.

    A fractional option, such as a threshold of 0.5, suits some data only, and is left out.
    """
    found = []
    for name in definitions.__all__:
        kind = getattr(definitions, name)
        for options in () if isabstract(kind) else kind.trials.good:
            if not any(isinstance(value, float | tuple) for value in options.values()):
                found.append(kind(**options | ({"k": k} if "k" in options else {})))
    return sorted(found, key=lambda definition: definition != Step())


def measures(k: int) -> dict[str, Definition]:
    """The measures of trec_eval that are definitions here, by their names there."""
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


def find(name: str, k: int) -> Definition:
    """Find a definition by any name that it has in this package.

    That is its title, its class, what JSON shows, the name of its score or scorer, and that of
    trec_eval. A number in the name, as 5 in "AP@5", comes before ``k``.
    """
    for definition in _candidates(re.findall(NUMBER, name), k):
        of_trec = [n for n, each in measures(definition.depth or k).items() if each == definition]
        of_trec += [name.removesuffix(f"_{k}") for name in of_trec]
        made = call(definition)
        without_option = re.sub(r"\(\w+=", "(", made)  # AtK(5)
        names = (definition.title, made, without_option, type(definition).__name__, *of_trec)
        if _words(name, k) in (_words(each, k) for each in names):
            return definition
    known = [*(each.title for each in conventions(k)), *get_scorer_names()]
    near = get_close_matches(name, known, n=3, cutoff=0.0)
    raise ValueError(f"There is no definition {name!r}. Near it: {', '.join(near)}.")


def _candidates(numbers: list[str], k: int) -> Iterator[Definition]:
    """What is shown, and the same with these numbers."""
    shown: list[Any] = conventions(k)
    yield from shown
    for option, expected in IN_NAMES.items():
        with_option = [each for each in shown if hasattr(each, option)]
        for number in numbers:
            if re.fullmatch(expected.pattern, number):
                value = {option: expected.read(number)}
                yield from (replace(each, **value) for each in with_option)


def _words(name: str, k: int) -> str:
    """A name without what differs between ways of writing it."""
    words = re.findall(rf"[a-z]+|{NUMBER}", name.lower())
    numbers = (str(k) if word == "k" else word for word in words if word != "at")
    text = " ".join(word if word.isalpha() else str(float(word)) for word in numbers)
    return text.replace("average precision", "ap").replace("step ap", "ap").removesuffix(" score")
