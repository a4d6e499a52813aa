"""Runs of several systems, judged by labels: which queries count, and what deserves a warning."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

import numpy as np

from sklearn_ap._inputs.options import check_choice
from sklearn_ap._results.text import printable, share_as_text
from sklearn_ap._results.uncertainty_warnings import UncertaintyWarning, warn
from sklearn_ap.retrieval._document_table import DocumentTable, tabulate
from sklearn_ap.retrieval._documents import DocumentRows, warn_of_queries
from sklearn_ap.retrieval._judged_runs import JudgedRuns, check_level

Unjudged = Literal["negative", "left out"]
TieRule = Literal["shared", "trec_eval"]

# Two equal systems of n queries whose shares of judged documents, in the top 10, are 0.4 / sqrt(n)
# apart get a verdict in 6 to 16 of 100 simulations (9 to 25 at 0.6), where 5 are due. Without the
# unjudged documents, these are 15, for the other system, at 0.7. By chance, documents that are
# judged at random are so far apart in 3 of 100.
UNEQUAL_SHARES = 0.4
NO_DOCUMENT = ""  # stands in the row of a query that has no document


@dataclass(frozen=True)
class JudgingRules:
    """What labels, missing ones and equal scores mean, and which queries count."""

    relevance_level: float
    unjudged: Unjudged
    complete: bool
    ties: TieRule

    def __post_init__(self) -> None:
        object.__setattr__(self, "relevance_level", check_level(self.relevance_level))
        check_choice("unjudged", self.unjudged, Unjudged)
        check_choice("ties", self.ties, TieRule)
        if not isinstance(self.complete, bool | np.bool_):
            raise TypeError(f"complete must be True or False, got {self.complete!r:.80}.")


def judge_runs(
    qrels: DocumentRows, runs: Sequence[DocumentRows], rules: JudgingRules
) -> JudgedRuns:
    """Make a row for each document of a query, with its label and the score of each run."""
    for source in (qrels, *runs):
        if not len(source.queries.names):
            raise ValueError(f"{printable(source.name)}: there are no rows")
    queries = _counted_queries(qrels, runs, complete=rules.complete)
    table = tabulate(qrels, runs, queries, NO_DOCUMENT)
    _warn_of_swapped(qrels, runs)
    _warn_of_level(table, rules.relevance_level)
    for run in runs:
        _warn_of_unjudged_run(run.name, table)
        _warn_of_scores(run)
    if rules.ties == "trec_eval":
        table = _break_ties(table)
    judged = table.judge(rules.relevance_level)
    # Judgements of relevant documents alone do not tell which others were judged.
    if np.any(table.labels < rules.relevance_level):
        _warn_of_unequal_judgements(judged, rules.unjudged)
    if rules.unjudged == "negative":
        return judged
    is_retrieved = np.any([scores > -np.inf for scores in table.scores.values()], axis=0)
    n_left_out = int(np.count_nonzero(is_retrieved & ~table.is_judged))
    judged = table.select(table.is_judged).judge(rules.relevance_level)
    return replace(judged, notes={"left_out": n_left_out}) if n_left_out else judged


def _counted_queries(
    qrels: DocumentRows, runs: Sequence[DocumentRows], *, complete: bool
) -> set[str]:
    """Return the queries that count. Warn of others, and of queries that a run lacks."""
    judged = {*qrels.queries.names}
    retrieved = {*chain.from_iterable(run.queries.names for run in runs)}
    counted = judged & retrieved
    if not counted:
        raise ValueError(
            f"{printable(qrels.name)}: none of its queries is in a run: it has {min(judged)!r}, "
            f"and a run has {min(retrieved)!r}"
        )
    warn_of_queries(retrieved - judged, "without judgements: left out")
    if complete:
        return judged
    problem = "judged but in no run: left out; complete=True (-c) counts 0"
    warn_of_queries(judged - retrieved, problem)
    for run in runs:
        problem = f"not in {printable(run.name)}, but in another run: 0 there"
        warn_of_queries(counted.difference(run.queries.names), problem)
    return counted


def _warn_of_swapped(qrels: DocumentRows, runs: Sequence[DocumentRows]) -> None:
    """Warn of fractions as grades, beside scores that look like grades: whole numbers, 0 included.

    Ranked lists have whole numbers, too, but no 0.
    """
    is_fraction = qrels.values % 1 != 0
    if is_fraction.any() and all(
        0 in run.values and not np.any(run.values % 1 != 0) for run in runs
    ):
        warn(
            f"judgements have fractions, such as {qrels.values[is_fraction.argmax()]:g}, and all "
            f"scores are whole numbers, 0 included: are judgements and runs swapped?",
            UserWarning,
        )


def _warn_of_level(table: DocumentTable, relevance_level: float) -> None:
    """Warn of a level above all grades, if any is above 0: then somebody graded relevance."""
    highest = table.labels.max(initial=0.0, where=table.is_judged)
    if 0 < highest < relevance_level:
        warn(
            f"no document is relevant: relevance_level is {relevance_level:g}, and the highest "
            f"grade is {highest:g}",
            UserWarning,
        )


def _warn_of_unjudged_run(run: str, table: DocumentTable) -> None:
    """Warn of a run none of whose documents is judged, unless its queries have no judged one."""
    has_judged = np.isin(table.queries, table.queries[table.is_judged])
    is_retrieved = (table.scores[run] > -np.inf) & has_judged
    if is_retrieved.any() and not np.any(is_retrieved & table.is_judged):
        warn(
            f"no document of {printable(run)} is judged, so it scores 0. It has "
            f"{table.first_document(is_retrieved)!r}, and the judgements have "
            f"{table.first_document(table.is_judged)!r}. Are names written alike?",
            UserWarning,
        )


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


def _warn_of_scores(run: DocumentRows) -> None:
    """Warn if most queries have one score alone, or scores that contradict the ranks of a file."""
    queries, scores = run.queries.indices, run.values
    lowest, highest, best_of_first_rank = np.full((3, len(run.queries.names)), np.nan)
    np.fmin.at(lowest, queries, scores)
    np.fmax.at(highest, queries, scores)
    if run.is_first_rank is not None:
        np.fmax.at(best_of_first_rank, queries[run.is_first_rank], scores[run.is_first_rank])
    has_several = np.bincount(queries, minlength=lowest.size) > 1
    n_several = np.count_nonzero(has_several)
    problems = {
        "only one score, so that documents share their ranks": has_several & (lowest == highest),
        "the lowest score at rank 1: ranks are not read, and higher scores must be better": (
            (best_of_first_rank == lowest) & (lowest < highest)
        ),
    }
    for problem, has_problem in problems.items():
        n_queries = np.count_nonzero(has_problem)
        if n_queries > max(1, n_several / 2):  # one query may be so by chance
            text = f"{n_queries:,} of {n_several:,} queries with several documents have {problem}"
            warn(f"{printable(run.name)}: {text}", UserWarning)


def _warn_of_unequal_judgements(judged: JudgedRuns, unjudged: Unjudged) -> None:
    """Warn of a system of whose first documents a smaller share is judged than of another's."""
    shares = {run: share for run, share in judged.judged_at().items() if share > 0}
    if not shares:
        return
    most, least = max(shares, key=shares.__getitem__), min(shares, key=shares.__getitem__)
    if (shares[most] - shares[least]) * len(judged.query_names) ** 0.5 > UNEQUAL_SHARES:
        name = printable(least)
        if unjudged == "negative":
            effect = "may be better than its score, as the others count as not relevant"
            other_way = f"Leaving them out (unjudged='left out', -J) may score {name} too high"
        else:
            effect = "may be worse than its score, as the others are left out"
            other_way = f"Counting them as not relevant may score {name} too low"
        text = (
            f"Of the first 10 documents, {share_as_text(shares[most])} are judged for "
            f"{printable(most)}, and {share_as_text(shares[least])} for {name}, which {effect}. "
            f"Judge more, or, in Python, fill the gaps by a judge. {other_way}."
        )
        warn(UncertaintyWarning(text, "unequal judgements"), UncertaintyWarning)
