"""Runs of several systems, judged by labels: which queries count, and what deserves a warning."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

import numpy as np

from sklearn_ap._errors import InputError
from sklearn_ap._inputs.options import check_choice, check_finite_number
from sklearn_ap._results.text import count_as_text, names_as_text, printable, share_as_text
from sklearn_ap._results.warning import UncertaintyWarning, warn
from sklearn_ap.retrieval._document_table import DocumentTable, tabulate
from sklearn_ap.retrieval._judged_runs import JudgedRuns
from sklearn_ap.retrieval._sources import DocumentRows

Unjudged = Literal["negative", "left out"]
TieRule = Literal["shared", "trec_eval"]

# Two equal systems of n queries whose shares of judged documents, in the top 10, are 0.4 / sqrt(n)
# apart get a verdict in 6 to 16 of 100 simulations (9 to 25 at 0.6), where 5 are due. Without the
# unjudged documents, these are 15, for the other system, at 0.7. By chance, documents that are
# judged at random are so far apart in 3 of 100.
UNEQUAL_SHARES = 0.4
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
    qrels: DocumentRows, runs: Sequence[DocumentRows], rules: JudgingRules
) -> JudgedRuns:
    """Make a row for each document of a query, with its label and the score of each run."""
    for run in runs:
        _warn_of_rising_scores(run)
    queries = _counted_queries(qrels, runs, complete=rules.complete)
    table = tabulate(qrels, runs, queries)
    if rules.ties == "trec_eval":
        table = _break_ties(table)
    warn_of_low_labels(table, rules.relevance_level)
    judged = table.judge(rules.relevance_level)
    _warn_of_unjudged_runs(judged)
    # Judgements of relevant documents alone do not tell which others were judged.
    if np.any(table.labels < rules.relevance_level):
        _warn_of_unequal_judgements(judged)
    if rules.unjudged == "negative":
        return judged
    return table.judge(rules.relevance_level, table.is_judged)


def warn_of_low_labels(table: DocumentTable, level: float) -> None:
    """Warn if no label is that of a relevant document, as where labels are probabilities."""
    highest = table.labels[table.is_judged].max(initial=-np.inf)
    if -np.inf < highest < level:
        text = f"no label reaches relevance_level={level:g}: the highest is {highest:g}"
        warn(text, UserWarning)


def _counted_queries(
    qrels: DocumentRows, runs: Sequence[DocumentRows], *, complete: bool
) -> set[str]:
    """Return the queries that count. Warn of others, and of queries that a run lacks."""
    judged = {*qrels.queries.names}
    retrieved = {*chain.from_iterable(run.queries.names for run in runs)}
    counted = judged & retrieved
    if not counted:
        raise InputError(
            f"{printable(qrels.name)}: none of its queries is in a run: it has {min(judged)!r}, "
            f"and a run has {min(retrieved)!r}"
        )
    _warn_of_queries(retrieved - judged, "without judgements: left out")
    if complete:
        return judged
    problem = "judged but in no run: left out; complete=True counts 0"
    _warn_of_queries(judged - retrieved, problem)
    for run in runs:
        problem = f"not in {printable(run.name)}, but in another run: 0 there"
        _warn_of_queries(counted.difference(run.queries.names), problem)
    return counted


def _warn_of_queries(names: Collection[str], problem: str) -> None:
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
        text = "scores rise or are equal from line to line, and the highest lead: negate distances"
        warn(f"{printable(run.name)}: {text}; ranks are not read", UserWarning)


def _warn_of_unjudged_runs(judged: JudgedRuns) -> None:
    """Warn of runs without a judged document, as where names are written in another way."""
    known = judged.documents[judged.is_judged].tolist()
    for run, scores in judged.y_scores.items():
        is_found = scores > -np.inf
        if known and is_found.any() and not judged.is_judged[is_found].any():
            found = judged.documents[is_found].tolist()
            names = f"it has {found[0]!r}, and the judgements have {known[0]!r}"
            warn(f"no document of {printable(run)} is judged, so it scores 0: {names}", UserWarning)


def _warn_of_unequal_judgements(judged: JudgedRuns) -> None:
    """Warn of a system of whose first documents a smaller share is judged than of another's."""
    shares = {run: share for run, share in judged.judged_at().items() if share > 0}
    if not shares:
        return
    most, least = max(shares, key=shares.__getitem__), min(shares, key=shares.__getitem__)
    if (shares[most] - shares[least]) * len(judged.query_names) ** 0.5 > UNEQUAL_SHARES:
        text = (
            f"Of the first 10 documents, {share_as_text(shares[most])} are judged for "
            f"{printable(most)}, and {share_as_text(shares[least])} for {printable(least)}, whose "
            f"score is too low if the others count as not relevant, and too high if they are left "
            f"out. Label more documents."
        )
        warn(UncertaintyWarning(text, "unequal judgements"), UncertaintyWarning)
