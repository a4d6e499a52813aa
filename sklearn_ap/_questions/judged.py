"""The share of the first documents of each system that was judged, beside a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sklearn_ap._base.text import number_as_text
from sklearn_ap._inputs.arrays import ABSOLUTE_TOLERANCE, begins_block
from sklearn_ap._inputs.labels import check_targets
from sklearn_ap._inputs.options import k_as_text
from sklearn_ap._inputs.request import Request
from sklearn_ap._types import Argument, Array, Bool, Float, Index
from sklearn_ap._uncertainty.former.tuned_constants import UNLIKE_JUDGED_SHARES
from sklearn_ap._uncertainty.warnings import UncertaintyWarning
from sklearn_ap.definitions import Definition
from sklearn_ap.metrics import precision_at_k_score

DEFAULT_K = 10  # for definitions that use all ranks: people mostly judge the first documents
LONG_QUERY = 100  # in queries with more rows, finding the first ones is faster than sorting all
JUDGED_DOUBT = "This may be wrong, as unlike shares of their documents were judged."
ABOUT_POSITIVES = (
    "judgements name relevant documents only: documents that nobody judged count as not relevant, "
    "which favours the system whose documents were judged"
)
ABOUT_ONLY_POSITIVES = (
    "judgements name relevant documents only, and the others were left out, so only relevant "
    "documents are ranked"
)
MOST_LABELS = 300  # documents that people can label: a choice


class RunScores(dict[str, Float]):
    """The scores of systems by name, with the judgements of the documents that they rank.

    Comparisons take them like any dict, and also show judged@k of each system.
    """

    def __init__(
        self, scores: Mapping[str, Float], judged: Judged, rows: Index | None = None
    ) -> None:
        """Store scores with judgements; ``rows`` are the documents with scores, None for all."""
        super().__init__(scores)
        self.judged = judged
        self.rows = rows
        self.is_judged = judged.is_judged if rows is None else judged.is_judged[rows]

    @property
    def all_scores(self) -> Mapping[str, Float]:
        """The scores of all documents, including those that were left out of the rows."""
        return self if self.rows is None else self.judged.y_scores

    def shares(self, k: float) -> dict[str, float]:
        """Compute the share of judged documents among the first k, by system.

        It is the mean over queries.
        """
        all_scores = self.all_scores
        return {
            name: self.judged.share(all_scores[name], k) if name in all_scores else np.nan
            for name in self
        }

    def select(self, is_kept: Bool, are_left_out: bool | None = None) -> RunScores:
        """Select the scores of some rows; judged@k stays that of all documents.

        ``are_left_out`` says whether documents without a label are no rows; None changes nothing.
        """
        rows = np.flatnonzero(is_kept) if self.rows is None else self.rows[is_kept]
        judged = self.judged
        if are_left_out is not None:
            judged = replace(judged, are_left_out=are_left_out)
        return RunScores(_select(self, is_kept), judged, rows)


def select_scores(scores: dict[str, Float], is_kept: Bool) -> dict[str, Float]:
    """Select the scores of some rows, and keep the judgements."""
    return scores.select(is_kept) if isinstance(scores, RunScores) else _select(scores, is_kept)


def _select(scores: Mapping[str, Float], is_kept: Bool) -> dict[str, Float]:
    return {name: system_scores[is_kept] for name, system_scores in scores.items()}


@dataclass(frozen=True, eq=False)
class Judged:
    """The judged documents of queries, and the scores of systems for them.

    The documents of a query are adjacent.
    """

    is_judged: Bool
    queries: Array
    y_scores: Mapping[str, Float]
    are_left_out: bool = False  # whether documents without a label are no rows of the scores
    is_by_judge: Bool | None = None  # the labels that a judge gave where people gave none
    names_irrelevant: bool = False  # whether a judged document, retrieved or not, is irrelevant

    def share(self, scores: Float, k: float) -> float:
        """Compute judged@k of a system with these scores; nan if it found nothing."""
        rows = self._first_rows(scores, k)
        if not rows.size:
            return np.nan
        precision = precision_at_k_score(
            self.is_judged[rows],
            scores[rows],
            k=k,
            average=None,
            queries=self._query[rows],
            zero_division=0.0,
        )
        if isinstance(k, int):
            depths = self._depths(scores, k)
            precision *= k / depths[depths > 0]
        return float(np.mean(precision))

    def n_unjudged(self, systems: Mapping[str, Float], k: float) -> int:
        """Count documents without a label within the first k of any system."""
        is_within_k = np.zeros(self.is_judged.size, bool)
        for scores in systems.values():
            rows = self._first_rows(scores, k)
            # Sort by query, and by decreasing score within each.
            order = rows[np.lexsort((scores[rows], self._query[rows]))[::-1]]
            query = self._query[order]
            begins_query = begins_block(query)
            begins_tie = begins_query | begins_block(scores[order])
            index = np.arange(order.size)
            # Scores 3 2 2 | 5 4 of two queries -> tie_start 0 1 1 3 4, query_start 0 0 0 3 3
            tie_start = np.maximum.accumulate(np.where(begins_tie, index, 0))
            query_start = np.maximum.accumulate(np.where(begins_query, index, 0))
            n_above = tie_start - query_start
            is_within_k[order] |= n_above < self._depths(scores, k)[query]
        return int(np.count_nonzero(is_within_k & ~self.is_judged))

    @cached_property
    def _query(self) -> Index:
        """The number of the query of each row."""
        return np.cumsum(begins_block(self.queries)) - 1

    def _depths(self, scores: Float, k: float) -> Index:
        """Count the ranks within k of each query: k, or fewer if the system found fewer."""
        n_found = np.bincount(self._query[scores > -np.inf], minlength=self._query[-1] + 1)
        if isinstance(k, int):
            return np.minimum(n_found, k)
        return np.ceil(k * n_found * (1 - ABSOLUTE_TOLERANCE)).astype(np.intp)

    def _first_rows(self, scores: Float, k: float) -> Index:
        """Find the rows that may be within the first k ranks, so that few need to be sorted."""
        may_be_first = scores > -np.inf
        ends = np.append(np.flatnonzero(np.diff(self._query)) + 1, self._query.size)
        sizes = np.diff(ends, prepend=0)
        is_long = sizes > LONG_QUERY
        for end, size in zip(ends[is_long], sizes[is_long], strict=True):
            if isinstance(k, int) and k < size:
                query_scores = scores[end - size : end]
                kth_score = np.partition(query_scores, -k)[-k]
                may_be_first[end - size : end] &= query_scores >= kth_score
        return np.flatnonzero(may_be_first)


@dataclass(frozen=True, slots=True, eq=False)
class JudgedShares:
    """The share of the first k documents of each system that have a label, judged@k.

    Parameters
    ----------
    k : int or float
        That of the definition; 10 for definitions that look at all ranks.
    shares : dict of str to float
        The mean over queries, by system.
    n_unjudged : int or None, default=None
        The number of documents without a label within the first k of any system, if the shares of
        two systems are unlike; None otherwise.
    are_left_out : bool, default=False
        Whether documents without a label are left out of the score; otherwise not relevant.
    judge_shares : dict of str to float or None, default=None
        The share of the first k documents whose label is that of a judge alone, by system. None if
        no judge filled in labels.
    names_irrelevant : bool, default=True
        Whether judgements name irrelevant documents. Otherwise, shares would be the precision at k,
        and are not shown.
    """

    k: float
    shares: dict[str, float]
    n_unjudged: int | None = None
    are_left_out: bool = False
    judge_shares: dict[str, float] | None = None
    names_irrelevant: bool = True

    @property
    def head(self) -> str:
        """The head of a column, such as "judged@10"."""
        return f"judged@{k_as_text(self.k)}"

    def cell(self, name: str) -> str:
        """Print the share of a system, for a table."""
        return number_as_text(self.shares[name])

    def columns(self, name: str) -> dict[str, float]:
        """Return the columns of a row of a table."""
        columns = {}
        if self.names_irrelevant:
            columns = {"judged_at_k": self.shares[name], "judged_k": self.k}
        if self.judge_shares is not None:
            columns["judge_alone_at_k"] = self.judge_shares[name]
        return columns

    def as_text(self) -> str:
        """Print all shares, as "judged@10: bm25 0.98, dense 0.55"."""
        return f"{self.head}: {_listed(self.shares)}"

    def remarks(self) -> list[str]:
        """Say what the shares do not show: relevant documents alone, and grades of a judge."""
        remarks = self.judge_in_words()
        if self.names_irrelevant:
            return remarks
        return [ABOUT_ONLY_POSITIVES if self.are_left_out else ABOUT_POSITIVES, *remarks]

    def notes_of_paper(self) -> list[str]:
        """Say below a table what makes comparisons doubtful."""
        if self.n_unjudged is None:
            return self.remarks()
        doubt = "comparisons may be wrong, as unlike shares of the documents were judged"
        return [f"{doubt} ({self.as_text()})", *self.remarks()]

    def judge_in_words(self) -> list[str]:
        """Say which share is that of a judge whose mistakes are not known."""
        if self.judge_shares is None:
            return []
        shares = _listed(self.judge_shares)
        return [
            f"of the first {k_as_text(self.k)}, a judge alone graded {shares}: the interval does "
            f"not know its mistakes"
        ]

    def doubts(self) -> list[UncertaintyWarning]:
        """Warn if the shares of two systems are unlike."""
        if self.n_unjudged is None:
            return []
        defined_names = [name for name, share in self.shares.items() if share >= 0]
        ordered = sorted(defined_names, key=self.shares.__getitem__)
        least_judged = ordered[0]
        most_judged = ordered[-1]
        most_text = f"{100 * self.shares[most_judged]:.0f}% in {most_judged!r}"
        least_text = f"{100 * self.shares[least_judged]:.0f}% in {least_judged!r}"
        consequence = (
            f"Documents without a label count as not relevant, so {least_judged!r} may be better."
        )
        if self.are_left_out:
            consequence = (
                "The others were left out, and documents below them moved up, so a difference may "
                "be wrong in either direction."
            )
        documents = "documents" if isinstance(self.k, int) else "of the documents"
        first = f"{k_as_text(self.k)} {documents}"
        remedy = (
            "Label them"
            if self.n_unjudged <= MOST_LABELS
            else "Let a judge label them (JudgedRuns.fill)"
        )
        text = (
            f"Of the first {first}, {most_text} and {least_text} have a label. {consequence} "
            f"{self.n_unjudged:,} documents within these ranks have none. {remedy}."
        )
        return [UncertaintyWarning(text, "unlike judgements")]


def shown_shares(judged: JudgedShares | None) -> JudgedShares | None:
    """Return the shares if a table shows them: None if judgements name no irrelevant document."""
    return judged if judged is not None and judged.names_irrelevant else None


def judged_doubt(judged: JudgedShares | None, names: Iterable[str]) -> str:
    """Doubt what compares these systems, if unlike shares of them were judged; "" without doubt."""
    if judged is None or judged.n_unjudged is None:
        return ""
    return JUDGED_DOUBT if _are_unlike(judged.shares[name] for name in names) else ""


def _are_unlike(shares: Iterable[float]) -> bool:
    """Check whether the shares of two systems are unlike; a system that found nothing has nan."""
    defined = [share for share in shares if share >= 0]
    distance = max(defined, default=0.0) - min(defined, default=0.0)
    return distance > UNLIKE_JUDGED_SHARES + ABSOLUTE_TOLERANCE


def _listed(shares: dict[str, float]) -> str:
    return ", ".join(f"{name} {share:.2f}" for name, share in shares.items())


def judged_shares(
    y_scores: Argument, request: Request, definition: Definition
) -> JudgedShares | None:
    """Compute judged@k of the runs that are scored; None for scores without judgements.

    Also None if missing labels were filled in, or if all documents that were found have a label,
    and are relevant.
    """
    if not isinstance(y_scores, RunScores) or request.queries is None:
        return None
    targets = check_targets(request.y_true, request.y_score, request.pos_label, is_binary=True)
    has_filled_labels = bool(targets.positive[~y_scores.is_judged].any())
    is_irrelevant = y_scores.is_judged & ~targets.positive
    judged = y_scores.judged
    names_irrelevant = judged.names_irrelevant or _is_any_found(y_scores, is_irrelevant)
    lacks_labels = _is_any_found(y_scores.all_scores, ~judged.is_judged)
    if has_filled_labels or not (names_irrelevant or lacks_labels):
        return None
    k = DEFAULT_K if definition.depth is None else definition.depth
    shares = y_scores.shares(k)
    has_doubt = names_irrelevant and _are_unlike(shares.values())
    judge_shares = None
    if judged.is_by_judge is not None and judged.is_by_judge.any():
        judge_alone = replace(judged, is_judged=judged.is_by_judge)
        judge_shares = RunScores(y_scores, judge_alone, y_scores.rows).shares(k)
    return JudgedShares(
        k=k,
        shares={str(name): share for name, share in shares.items()},
        n_unjudged=judged.n_unjudged(y_scores.all_scores, k) if has_doubt else None,
        are_left_out=judged.are_left_out,
        judge_shares=judge_shares,
        names_irrelevant=names_irrelevant,
    )


def _is_any_found(y_scores: Mapping[str, Float], is_chosen: Bool) -> bool:
    """Check whether a system found one of the chosen documents."""
    return any((scores[is_chosen] > -np.inf).any() for scores in y_scores.values())
