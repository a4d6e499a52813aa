"""Runs of several systems, judged by labels: which queries count, and what deserves a warning."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

import numpy as np

from sklearn_ap._errors import InputError
from sklearn_ap._inputs.options import check_choice, check_finite_number
from sklearn_ap._inputs.sourced_scores import Source, SourcedScores
from sklearn_ap._results.doubt import issue
from sklearn_ap._types import Float, Ordered
from sklearn_ap._writing.text import (
    count_as_text,
    names_as_text,
    printable,
    rounded_as_text,
    share_as_text,
)
from sklearn_ap._writing.warning import warn
from sklearn_ap.inference.doubts.score_doubts import unequal_judgements
from sklearn_ap.retrieval._document_table import DocumentTable, tabulate
from sklearn_ap.retrieval._judged_runs import JudgedRuns
from sklearn_ap.retrieval._sources import DocumentRows

Unjudged = Literal["negative", "left out"]
TieRule = Literal["shared", "trec_eval"]

FEW_TIED, MANY_TIED = 0.05, 0.5  # of documents, with the number of another one of their query
DEEP, SHALLOW = 10, 2  # documents of a query on average, in runs and in judgements
HIGHEST_GRADE = 10
USUAL_RELEVANCE = 1.0  # if users pass none, whose grades may be from 0 to 1
MOST_RELEVANT = 0.9  # of documents with labels that have fractions
FEW_STEPS = 10  # of a run in any order; fewer scores may fall nowhere by chance


@dataclass(frozen=True)
class JudgingRules:
    """What labels, missing ones and equal scores mean, and which queries count."""

    relevance_level: float
    unjudged: Unjudged
    complete: bool
    ties: TieRule

    def __post_init__(self) -> None:
        level = check_finite_number("relevance_level", self.relevance_level)
        object.__setattr__(self, "relevance_level", level)
        check_choice("unjudged", self.unjudged, Unjudged)
        check_choice("ties", self.ties, TieRule)


def judge_runs(
    qrels: DocumentRows,
    runs: Sequence[DocumentRows],
    rules: JudgingRules,
    people: DocumentRows | None = None,
) -> JudgedRuns:
    """Make a row for each document of a query, with its label and the score of each run.

    Where people graded some of the queries, ``qrels`` are those of a judge.
    """
    _check_are_labels(qrels, runs, rules.relevance_level)
    for run in runs:
        _warn_of_rising_scores(run)
    grader = "" if people is None else " of the judge"
    queries = _counted_queries(qrels, runs, grader, complete=rules.complete)
    if people is not None:
        _check_are_labels(people, runs, rules.relevance_level)
        if queries.isdisjoint(people.queries.names):
            raise InputError(
                "qrels: people graded none of the queries that the judge and the runs have. Write "
                "queries in one way, or leave out judge."
            )
        # Those that the judge or a run has, and that do not count, are told above.
        told = chain(qrels.queries.names, *(run.queries.names for run in runs))
        problem = "graded by people, but not by the judge, and in no run: left out"
        _warn_of_queries({*people.queries.names}.difference(told), problem)
    table = tabulate(qrels, runs, queries, people=people)
    if rules.ties == "trec_eval":
        table = _break_ties(table)
    warn_of_low_labels(table.labels, rules.relevance_level, f"label{grader}")
    if table.people is not None:
        warn_of_low_labels(table.people.labels, rules.relevance_level, "label of people")
    judged = table.judge(rules.relevance_level)
    _warn_of_unjudged_runs(judged)
    # Judgements of relevant documents alone do not tell which others were judged.
    has_irrelevant = np.any(table.labels < rules.relevance_level)
    shares = judged.judged_at() if has_irrelevant else dict.fromkeys(judged.y_scores, np.nan)
    n_queries = len(judged.query_names)
    if rules.unjudged == "left out":
        judged = table.judge(rules.relevance_level, table.is_judged)
    for name, share in shares.items():
        n_rows = judged.y_true.size if n_queries > 1 else 0
        source = Source(n_rows, n_queries, share)
        judged.y_scores[name] = SourcedScores.of(judged.y_scores[name], source)
    issue(unequal_judgements([*judged.y_scores.values()], [*judged.y_scores]))
    return judged


def _check_are_labels(qrels: DocumentRows, runs: Sequence[DocumentRows], level: float) -> None:
    """Refuse or warn of a run in the place of judgements, and of grades between 0 and 1.

    Of scores, hardly two are equal.
    """
    values = qrels.values
    if not values.size:
        return
    share = float(np.mean(values >= level))
    are_scores = _share_tied(qrels) < FEW_TIED and values.size >= DEEP * len(qrels.queries.names)
    what = f"{printable(qrels.name)}: labels such as {values[0]:g}, {share_as_text(share)} of them"
    advice = "Are these scores? Judgements come first, and runs after them."
    if are_scores and any(map(_are_labels, runs)):
        text = f"{what} relevant, beside a run of whole numbers as labels are. {advice}"
        if share > MOST_RELEVANT:
            raise InputError(text)
        warn(text, UserWarning)
        return
    is_fraction = values != np.floor(values)
    is_low = is_fraction & (values < level)
    if share > MOST_RELEVANT and is_fraction.any():
        warn(f"{what} relevant, have fractions. {advice}", UserWarning)
    elif level == USUAL_RELEVANCE and share > 0 and is_low.any():
        warn(
            f"{printable(qrels.name)}: {share_as_text(float(np.mean(is_low)))} of the labels are "
            f"fractions below relevance_level=1, such as {rounded_as_text(values[is_low][0])}, "
            f"so they are not relevant. If they are grades between 0 and 1, pass the lowest "
            f"relevant one as relevance_level. If they are scores, pass the judgements first, "
            f"and runs after them.",
            UserWarning,
        )


def _are_labels(run: DocumentRows) -> bool:
    """Whether scores are few whole numbers, most of which are equal to others, or one each."""
    are_grades = np.isin(run.values, np.arange(HIGHEST_GRADE + 1)).all()
    is_shallow = run.values.size <= SHALLOW * len(run.queries.names)
    return bool(are_grades and (is_shallow or _share_tied(run) >= MANY_TIED))


def _share_tied(rows: DocumentRows) -> float:
    """Return the share of documents with the number of another document of their query."""
    if not rows.values.size:
        return 0.0
    order = np.lexsort((rows.values, rows.queries.indices))
    query, value = rows.queries.indices[order], rows.values[order]
    is_equal = (query[1:] == query[:-1]) & (value[1:] == value[:-1])
    return float(np.mean(np.append(is_equal, False) | np.append(False, is_equal)))


def warn_of_low_labels(labels: Float, level: float, what: str = "label") -> None:
    """Warn if no label is that of a relevant document, as where labels are probabilities."""
    highest = labels[~np.isnan(labels)].max(initial=-np.inf)
    if -np.inf < highest < level:
        text = f"no {what} reaches relevance_level={level:g}: the highest is {highest:g}"
        warn(text, UserWarning)


def _counted_queries(
    qrels: DocumentRows, runs: Sequence[DocumentRows], grader: str, *, complete: bool
) -> set[Ordered]:
    """Return the queries that count. Warn of others, and of queries that a run lacks."""
    judged = {*qrels.queries.names}
    retrieved = {*chain.from_iterable(run.queries.names for run in runs)}
    counted = judged & retrieved
    if not counted:
        raise InputError(
            f"{printable(qrels.name)}: none of its queries is in a run: it has {min(judged)!r}, "
            f"and a run has {min(retrieved)!r}"
        )
    _warn_of_queries(retrieved - judged, f"without judgements{grader}: left out")
    if complete:
        return judged
    problem = "judged but in no run: left out; complete=True counts 0"
    _warn_of_queries(judged - retrieved, problem)
    for run in runs:
        problem = f"not in {printable(run.name)}, but in another run: 0 there"
        _warn_of_queries(counted.difference(run.queries.names), problem)
    return counted


def _warn_of_queries(names: Collection[Ordered], problem: str) -> None:
    """Warn of queries that have a problem, if any has."""
    if names:
        examples = names_as_text([repr(name) for name in sorted(names)])
        warn(f"{count_as_text(len(names), 'query')} {problem} ({examples})", UserWarning)


def _break_ties(table: DocumentTable) -> DocumentTable:
    """Rank as trec_eval does: of scores that are equal in float32, the last name comes first."""
    ranks_of_runs = {}
    for run, scores in table.scores.items():
        retrieved = (scores > -np.inf).nonzero()[0]
        with np.errstate(over="ignore"):
            rounded = scores[retrieved].astype(np.float32)
        order = np.lexsort((table.documents[retrieved], rounded))
        ranks_of_runs[run] = np.full(scores.size, -np.inf)
        ranks_of_runs[run][retrieved[order]] = np.arange(order.size)
    return replace(table, scores=ranks_of_runs)


def _warn_of_rising_scores(run: DocumentRows) -> None:
    """Warn of a run whose scores fall nowhere: distances, ranks, or equal scores beside ranks."""
    is_below_another = np.diff(run.queries.indices) == 0
    falls = is_below_another & (run.values[1:] < run.values[:-1])
    if np.count_nonzero(is_below_another) >= FEW_STEPS and not falls.any():
        if np.any(is_below_another & (run.values[1:] > run.values[:-1])):
            text = "scores fall from no line to the next, and the highest lead: negate distances"
        else:
            text = "all scores of a query are equal: write scores that fall from rank to rank"
        warn(f"{printable(run.name)}: {text}. The column of ranks is not read.", UserWarning)


def _warn_of_unjudged_runs(judged: JudgedRuns) -> None:
    """Warn of runs without a judged document, as where names are written in another way."""
    known = judged.documents[judged.is_judged].tolist()
    for run, scores in judged.y_scores.items():
        is_found = scores > -np.inf
        if known and is_found.any() and not judged.is_judged[is_found].any():
            found = judged.documents[is_found].tolist()
            names = f"it has {found[0]!r}, and the judgements have {known[0]!r}"
            warn(f"no document of {printable(run)} is judged, so it scores 0: {names}", UserWarning)
