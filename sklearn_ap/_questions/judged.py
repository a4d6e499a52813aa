"""What was judged of the first documents of each system, beside a comparison of systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from sklearn_ap._base.common.types import Array, Bool, Float, Index
from sklearn_ap._base.inputs.arrays import ABSOLUTE_TOLERANCE
from sklearn_ap._base.inputs.option_checks import k_as_text
from sklearn_ap._base.inputs.request import Request
from sklearn_ap._base.inputs.targets import check_targets
from sklearn_ap._base.text import number_as_text
from sklearn_ap._counts.blocks import begins_block
from sklearn_ap._scores.metrics import precision_at_k_score
from sklearn_ap._uncertainty.warnings import UncertaintyWarning
from sklearn_ap.definitions import Definition

K = 10  # of definitions that look at all ranks: people mostly judge the first ones
# A difference of shares. Where it was .15, the better of two systems looked worse in 15 of 100
# samples of tests/helpers/pooled_runs.py, and where it was .22, in 88.
UNLIKE = 0.1
LONG = 100  # rows of a query, of which it is faster to find the first ones than to sort all
MOST_LABELS = 300  # documents that people may label, as the plans of the guide: a choice


class RunScores(dict[str, Float]):
    """The scores of systems by name, which know what was judged of the documents they rank.

    Comparisons take them as any dict, and also show judged@k of each system.
    """

    def __init__(
        self, scores: Mapping[str, Float], judged: Judged, rows: Index | None = None
    ) -> None:
        """Of the judged documents, the scores are those of some ``rows``; None stands for all."""
        super().__init__(scores)
        self.judged = judged
        self.rows = rows
        self.is_judged = judged.is_judged if rows is None else judged.is_judged[rows]

    @property
    def of_all(self) -> Mapping[str, Float]:
        """The scores of all documents, also of those that are left out of the rows."""
        return self if self.rows is None else self.judged.y_scores

    def shares(self, k: float) -> dict[str, float]:
        """The share of judged documents among the first k, the mean over queries, by system."""
        of_all = self.of_all
        return {
            name: self.judged.share(of_all[name], k) if name in of_all else np.nan for name in self
        }

    def only(self, kept: Bool, **changes: Any) -> RunScores:
        """The scores of some rows; judged@k stays that of all documents."""
        rows = np.flatnonzero(kept) if self.rows is None else self.rows[kept]
        scores = {name: each[kept] for name, each in self.items()}
        return RunScores(scores, replace(self.judged, **changes), rows)


def scores_like(given: Any, scores: dict[str, Float]) -> dict[str, Float]:
    """Scores of the same rows and systems, as a check made them, that know what was judged."""
    if not isinstance(given, RunScores):
        return scores
    return RunScores(scores, given.judged, given.rows)


def only_rows(scores: dict[str, Float], kept: Bool) -> dict[str, Float]:
    """The scores of some rows, which know what the given ones do."""
    if isinstance(scores, RunScores):
        return scores.only(kept)
    return {name: each[kept] for name, each in scores.items()}


@dataclass(frozen=True, eq=False)
class Judged:
    """Which documents of queries were judged, and how systems rank them.

    The documents of a query stand together.
    """

    is_judged: Bool
    queries: Array
    y_scores: Mapping[str, Float]
    are_left_out: bool = False  # whether documents without a label are no rows of the scores

    def share(self, scores: Float, k: float) -> float:
        """Judged@k of a system with these scores; nan if it found nothing."""
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
        """The number of documents without a label within the first k of any system."""
        is_seen = np.zeros(self.is_judged.size, bool)
        for scores in systems.values():
            rows = self._first_rows(scores, k)
            order = rows[np.lexsort((scores[rows], self._query[rows]))[::-1]]
            of_query = self._query[order]
            is_first = begins_block(of_query)
            is_other = is_first | begins_block(scores[order])  # than the one above it
            place = np.arange(order.size)
            above, first = (
                np.maximum.accumulate(np.where(each, place, 0)) for each in (is_other, is_first)
            )
            is_seen[order] |= above - first < self._depths(scores, k)[of_query]
        return int(np.count_nonzero(is_seen & ~self.is_judged))

    @cached_property
    def _query(self) -> Index:
        """The number of the query of each row."""
        return np.cumsum(begins_block(self.queries)) - 1

    def _depths(self, scores: Float, k: float) -> Index:
        """How many ranks of each query count: k, unless the system found fewer."""
        n_found = np.bincount(self._query[scores > -np.inf], minlength=self._query[-1] + 1)
        if isinstance(k, int):
            return np.minimum(n_found, k)
        return np.ceil(k * n_found * (1 - ABSOLUTE_TOLERANCE)).astype(np.intp)

    def _first_rows(self, scores: Float, k: float) -> Index:
        """The rows that may be within the first k ranks: of long queries, few are sorted."""
        may_be = scores > -np.inf
        ends = np.append(np.flatnonzero(np.diff(self._query)) + 1, self._query.size)
        sizes = np.diff(ends, prepend=0)
        for end, size in zip(ends[sizes > LONG], sizes[sizes > LONG], strict=True):
            of_query = scores[end - size : end]
            if isinstance(k, int) and k < size:
                may_be[end - size : end] &= of_query >= np.partition(of_query, -k)[-k]
        return np.flatnonzero(may_be)


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
    """

    k: float
    shares: dict[str, float]
    n_unjudged: int | None = None
    are_left_out: bool = False

    @property
    def head(self) -> str:
        """The head of a column, such as "judged@10"."""
        return f"judged@{k_as_text(self.k)}"

    def cell(self, name: str) -> str:
        """The share of a system in a table."""
        return number_as_text(self.shares[name])

    def columns(self, name: str) -> dict[str, float]:
        """Give the columns of a row of a table."""
        return {"judged_at_k": self.shares[name], "judged_k": self.k}

    def in_words(self) -> str:
        """As "judged@10: bm25 0.98, dense 0.55"."""
        return f"{self.head}: {', '.join(f'{n} {share:.2f}' for n, share in self.shares.items())}"

    def doubts(self) -> list[UncertaintyWarning]:
        """Warn if the shares of two systems are unlike."""
        if self.n_unjudged is None:
            return []
        known = [name for name, share in self.shares.items() if share >= 0]
        least, *_, most = sorted(known, key=self.shares.__getitem__)
        many, few = (f"{100 * self.shares[name]:.0f}% in {name!r}" for name in (most, least))
        what = f"Documents without a label count as not relevant, so {least!r} may be better."
        if self.are_left_out:
            what = (
                "The others were left out, and documents below them moved up, so a difference may "
                "be wrong in either direction."
            )
        is_rank = isinstance(self.k, int)
        first = f"{k_as_text(self.k)} {'documents' if is_rank else 'of the documents'}"
        way = "Label them" if self.n_unjudged <= MOST_LABELS else "Let a judge label them"
        text = (
            f"Of the first {first}, {many} and {few} have a label. {what} {self.n_unjudged:,} "
            f"documents within these ranks have none. {way}, or label a random sample of them, "
            f"chosen by rows_to_label, and compare precision at {self.k if is_rank else K}."
        )
        return [UncertaintyWarning(text, "unlike judgements")]


def judged_shares(y_scores: Any, request: Request, definition: Definition) -> JudgedShares | None:
    """What was judged of the runs that are scored; None if nobody said.

    Nor is anything said where labels stand in place of missing ones, or name what is relevant only:
    then nothing is missing.
    """
    if not isinstance(y_scores, RunScores) or request.queries is None:
        return None
    given = check_targets(request.y_true, request.y_score, request.pos_label, is_binary=True)
    is_filled = bool(given.positive[~y_scores.is_judged].any())
    is_irrelevant = y_scores.is_judged & ~given.positive
    is_found = any((scores[is_irrelevant] > -np.inf).any() for scores in y_scores.values())
    if is_filled or not is_found:
        return None
    k = K if definition.depth is None else definition.depth
    shares = y_scores.shares(k)
    known = [share for share in shares.values() if share >= 0]
    are_unlike = bool(known) and max(known) - min(known) > UNLIKE + ABSOLUTE_TOLERANCE
    judged = y_scores.judged
    n_unjudged = judged.n_unjudged(y_scores.of_all, k) if are_unlike else None
    by_name = {str(name): share for name, share in shares.items()}
    return JudgedShares(k, by_name, n_unjudged, judged.are_left_out)
