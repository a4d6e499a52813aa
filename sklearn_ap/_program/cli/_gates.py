"""Gates: whether the data shows what ``--require`` asks for."""

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import NamedTuple

import numpy as np

from sklearn_ap._extras import printable
from sklearn_ap._files.sources import DataError
from sklearn_ap._inputs.options import check_open_share
from sklearn_ap._program.cli._answer import Finding, Row
from sklearn_ap._program.cli._scores import Scores
from sklearn_ap._program.cli.arguments import LATEST_NOT_WORSE, NOT_WORSE, Requirement
from sklearn_ap._results.text import digits_of, interval_of, level_as_text, number_as_text
from sklearn_ap._types import Argument, Bool, Keywords
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._spellings import find_definition
from sklearn_ap.inference.comparison_result import MOST_SENTENCES, Comparison, about_row
from sklearn_ap.scorers import get_scorer_names

NOT_SHOWN = 3  # the status
MOST_DIGITS = 16  # of printed limits
TRIES_ALONE = "--tries divides the error of --require: pass --require, too"


class Gate(NamedTuple):
    """What ``--require`` asks for, and the definitions that it is about.

    ``scores`` has the definitions of requirements, by name. Claims about models are about those of
    ``--definition``, or step AP.
    """

    requirements: list[Requirement]
    scores: dict[str, Definition]
    compared: list[Definition]

    @property
    def is_about_models(self) -> bool:
        """Whether the first model is the present one, with which others are compared."""
        return any(each.score is None for each in self.requirements)

    @property
    def definitions(self) -> list[Definition]:
        """All definitions that must be scored."""
        return [*(self.compared if self.is_about_models else ()), *self.scores.values()]

    def find_shown(self, scores: Scores, level: float) -> list[Finding]:
        """Say of each requirement whether it is shown.

        Every model but the first must be shown to be better, or not worse. Beside such a claim, a
        score must be shown for the new models, otherwise for every model. As all tests must
        succeed, their number needs no correction. Simultaneous limits of several new models, which
        agree with the printed verdicts, make a gate stricter than necessary.
        """
        findings = []
        for required in self.requirements:
            if required.score is None:
                tests = [*_tests_of_models(required.text, self.compared, scores)]
            else:
                call = repr(self.scores[required.score])
                rows = [row for row in scores.rows if row["definition"] == call]
                if self.is_about_models:
                    rows = [row for row in rows if row["name"] != rows[0]["name"]]
                tests = [_test_lower_limit(row, required, level) for row in rows]
            findings.append(_combine(required.text, tests))
        return findings


def make_gate(args: Namespace, definitions: Mapping[str, Definition]) -> Gate:
    """Check what is required, before the files are read; ``definitions`` were asked for."""
    claims = [required.text for required in args.require if required.score is None]
    _check_claims(args, claims)
    if args.tries is not None and not args.require:
        raise DataError(TRIES_ALONE)
    scores = {
        required.score: find_definition(required.score, args.k, get_scorer_names())
        for required in args.require
        if required.score is not None
    }
    return Gate(args.require, scores, [*definitions.values()] or [Step()])


def _check_claims(args: Namespace, claims: Sequence[str]) -> None:
    """Refuse claims about one model, and a margin that no claim is about, or that is missing."""
    models = args.score if "score" in args else args.runs  # those of trec
    if claims and len(models) == 1:
        raise DataError(
            f"--require {claims[0]} compares models, but there is one: name the present model "
            f"first, and then the new one"
        )
    if args.margin is not None and args.require and NOT_WORSE not in claims:
        raise DataError("--margin goes with --require not-worse: pass it, or leave out --margin")
    if args.margin is None and NOT_WORSE in claims:
        raise DataError(
            f"--require {NOT_WORSE} needs --margin, the loss that does not matter to you, such as "
            f"0.02"
        )


def divide_error(name: str, level: Argument, tries: int | None) -> float:
    """Return the level of each of several tries, which share the error of one."""
    level = check_open_share(name, level)
    return level if tries is None else 1 - (1 - level) / tries


def find_guaranteed(rows: Sequence[Row], options: Keywords) -> Finding:
    """Say whether every model has a threshold that is guaranteed to have the goal."""
    shares = [name for name in ("precision", "recall") if options[name] is not None]
    claims = " and ".join(f"{name} >= {options[name]:g}" for name in shares)
    goal = f"{claims} with {level_as_text(options['guarantee'])} confidence"
    tests = []
    for row in rows:
        model = f"{printable(row['name'])}: " if "name" in row else ""
        is_shown = not isnan(row["threshold"])
        sentence = f"The threshold is {row['threshold']}." if is_shown else row["remark"]
        tests.append(Finding(goal, is_shown, f"{model}{sentence}"))
    return _combine(goal, tests)


def find_none_worse(claim: str, comparisons: Sequence[tuple[str, Comparison]]) -> Finding:
    """Say whether any segment is shown to be worse, or whether the last one is.

    Of several models, each comparison stands beside the name of its model.
    """
    tests = []
    for model, comparison in comparisons:
        last = len(comparison.names) - 1
        rows = [last] if claim == LATEST_NOT_WORSE else range(last + 1)
        worse = [row for row in rows if comparison.verdict[row] == "worse"]
        told = worse or ([last] if claim == LATEST_NOT_WORSE else [])
        text = (
            " ".join(about_row(comparison, row) for row in told)
            or "No segment is shown to be worse."
        )
        text = printable(f"{model}: {text}" if model else text)
        tests.append(Finding(claim, not worse, text))
    return _combine(claim, tests)


def _tests_of_models(
    claim: str, compared: Sequence[Definition], scores: Scores
) -> Iterator[Finding]:
    """Test each model but the first under each definition; many, as they are printed, at once."""
    for definition in compared:
        comparison = scores.comparisons[repr(definition)]
        place = f"{definition.title}: " if len(compared) > 1 else ""
        names = comparison.names[1:]
        are_shown = _are_claims_shown(claim, comparison)
        if len(names) > MOST_SENTENCES:
            sentence = " ".join(comparison.sentences)
            yield Finding(claim, bool(are_shown.all()), printable(f"{place}{sentence}"))
            continue
        verdicts = comparison.verdict[comparison.is_compared]
        tests = zip(names, verdicts, are_shown, comparison.sentences, strict=False)
        for name, verdict, is_shown, text in tests:
            is_open = not is_shown and verdict != "worse"
            more = f" This does not show that {name} is worse." if is_open else ""
            yield Finding(claim, bool(is_shown), printable(f"{place}{text}{more}"))


def _are_claims_shown(claim: str, comparison: Comparison) -> Bool:
    """Decide for each model but the first by the verdict, whose limits are simultaneous.

    A model that is better is not worse, whatever room the margin has for rare failures. To pass
    either way has no larger error than one way: each claim is a lower limit of the same difference.
    A model that is worse by less than the margin is not worse by it.
    """
    are_shown = comparison.verdict == "better"
    if claim == NOT_WORSE:
        low, margin = (np.asarray(comparison.notes[kind]) for kind in ("margin_low", "margin"))
        are_shown |= low > -margin
    found: Bool = are_shown[comparison.is_compared]
    return found


def _test_lower_limit(row: Row, required: Requirement, level: float) -> Finding:
    """Test whether a score is at least a number, by the lower limit of its interval."""
    least_value = required.least_value
    subject = row["title"]
    if "name" in row:
        subject = f"{subject} of {printable(row['name'])}"
    low = row["low"]
    high = row["high"]
    if isnan(low):
        return Finding(required.text, False, f"{subject} has no interval.")
    typed = required.typed_value
    claim = f"{subject} is not shown to be {typed} or more, nor to be less"
    if low >= least_value:
        claim = f"{subject} is {typed} or more"
    elif high < least_value:
        claim = f"{subject} is less than {typed}"
    score = row["estimate" if "estimate" in row else "value"]
    limits = _limits_beside(least_value, score, low, high)
    sentence = f"{claim}: {interval_of(level)} {limits}."
    return Finding(required.text, bool(low >= least_value), sentence)


def _limits_beside(least_value: float, score: float, low: float, high: float) -> str:
    """Print limits with so many digits that they are on their side of a number in print, too."""
    for n_digits in range(digits_of(score, low, high), MOST_DIGITS):
        printed = [number_as_text(limit, n_digits) for limit in (low, high)]
        sides = [float(text) >= least_value for text in printed]
        if sides == [low >= least_value, high >= least_value]:
            break
    return " to ".join(printed)


def _combine(requirement: str, tests: Sequence[Finding]) -> Finding:
    """Say what all tests of a requirement show, or which fail."""
    failed = [test for test in tests if not test.is_shown]
    sentences = (test.sentence for test in failed or tests)
    return Finding(requirement, bool(tests) and not failed, " ".join(sentences))
