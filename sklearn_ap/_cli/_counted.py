"""Predictions of one model that are counted in two passes, so that they need not fit in memory."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

import sklearn_ap as ap
from sklearn_ap import large
from sklearn_ap._cli._labels_and_names import LabelReader
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._files.cells import read_numbers
from sklearn_ap._files.tables import FileRows
from sklearn_ap._inputs.labels_and_scores import FIRST_SCORES
from sklearn_ap._report.not_used import NotUsed
from sklearn_ap._results.doubt import Doubt, issue
from sklearn_ap._types import Argument, Array, Json
from sklearn_ap.inference.doubts.score_doubts import doubts_of_values


@dataclass(frozen=True, eq=False)
class CountedPredictions:
    """The counts of one model, whose rows are independent, and all have labels."""

    model: str
    counts: ThresholdCounts
    positive_label: str
    doubts: Sequence[Doubt] = ()  # about scores, of which counts tell only those of positives
    not_used: NotUsed | None = None  # columns of the file
    options: ClassVar[Mapping[str, Array]] = {}  # none has a value for each row
    notes: ClassVar[Sequence[str]] = ()

    @property
    def models(self) -> list[str]:
        """The names of the models."""
        return [self.model]

    @property
    def has_positives(self) -> bool:
        """Whether a score is defined."""
        return bool(self.counts.n_positives.any())

    def score(self, **options: Argument) -> ap.Interval:
        """Score the model, as rows in memory are."""
        interval: Callable[..., ap.Interval] = ap.Interval.from_counts
        found = interval(self.counts, **options)
        own = [doubt for doubt in self.doubts if doubt not in found.doubts]
        issue(own)
        return replace(found, doubts=(*own, *found.doubts))

    @property
    def input(self) -> dict[str, Json]:
        """What was read, for JSON."""
        n_rows = int(self.counts.n_rows.item())
        return {
            "models": [*self.models],
            "rows": n_rows,
            "positives": int(self.counts.n_positives.item()),
            "positive_label": self.positive_label,
            "labelled": n_rows,
            "queries": None,
            "left_out_without_positives": 0,
            "not_used": self.not_used.to_dict()["columns"] if self.not_used else [],
        }


@dataclass(frozen=True, eq=False)
class _ModelColumns:
    """A column of labels and one of scores, which are read anew for each pass."""

    batches: Iterable[FileRows]
    labels: LabelReader
    score: str
    few_scores: set[float] = field(default_factory=set)  # different ones, if they are few

    def __iter__(self) -> Iterator[tuple[Array, Array]]:
        for rows in self.batches:
            y_true, y_score = self.labels.read(rows), read_numbers([rows], self.score)
            if len(self.few_scores) < FIRST_SCORES:
                self.few_scores.update(np.unique(y_score)[:FIRST_SCORES].tolist())
            yield y_true, y_score
        self.labels.check()  # between the passes, as the second one would be in vain


def count_predictions(
    batches: Iterable[FileRows], label: str, positive: str | None, score: str
) -> CountedPredictions:
    """Count rows, which ``batches`` gives anew each time."""
    columns = _ModelColumns(batches, LabelReader(label, positive), score)
    counts = large.from_chunks(columns)
    # As many rows as a doubt about them needs
    n_rows = min(counts.n_rows.item(), FIRST_SCORES + 1)
    few_scores = np.resize(sorted(columns.few_scores), int(n_rows))
    doubts = doubts_of_values(few_scores)
    return CountedPredictions(score, counts, columns.labels.check(), doubts)
