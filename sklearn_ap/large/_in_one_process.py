"""All passes over what can be gone through again, in this process."""

from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from sklearn_ap._extras.progress import progress
from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.definitions import Definition
from sklearn_ap.large._checked_batches import Batch, clean
from sklearn_ap.large._clusters import influence_by_place, third, with_clusters
from sklearn_ap.large._two_passes import finish, first, second


@dataclass
class PassBars:
    """A bar for each pass. The second knows its total from the first."""

    shown: bool
    total: int | None = None
    unit: str = " rows"

    def around(self, batches: Iterable[Batch], title: str) -> Generator[Batch]:
        """Give the batches, and add each to the bar."""
        if not self.shown:
            yield from batches
            return
        with progress(self.total, self.unit, title, asked_for=True) as bar:
            for batch in batches:
                yield batch
                bar.update(batch.amount(self.unit))
            self.total = bar.n


def count_in_passes(
    batches: Callable[[], Iterable[Batch]],
    pos_label: Any,
    bars: PassBars,
    definition: Definition,
) -> ThresholdCounts:
    """Count what can be gone through twice, in this process; for clusters, three times."""
    # Closed at once where a batch is wrong: an open reader may block its connection.
    with closing(bars.around(batches(), "first pass")) as rows:
        found = first(clean(batch, pos_label) for batch in rows)
    found.check(pos_label)
    with closing(bars.around(batches(), "second pass")) as rows:
        cleaned = (clean(batch, pos_label) for batch in rows)
        counted = second(cleaned, found.thresholds, found.powers)
    counts = finish(found, counted)
    if not found.has_clusters or counts.cell_sums is None:
        return counts
    influence = influence_by_place(definition, counts)
    with closing(bars.around(batches(), "third pass")) as rows:
        cleaned = (clean(batch, pos_label) for batch in rows)
        return with_clusters(counts, found, third(cleaned, found.thresholds, influence), definition)
