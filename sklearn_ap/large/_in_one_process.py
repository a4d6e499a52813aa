"""All passes over what can be gone through again, in this process."""

from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from sklearn_ap._extras.progress import progress
from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.definitions import Definition
from sklearn_ap.large._checked_batches import Batch, clean
from sklearn_ap.large._clusters import OnePass, in_passes


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
    titles = iter(("first pass", "second pass", "third pass"))

    def run(one_pass: OnePass) -> Any:
        # Closed at once where a batch is wrong: an open reader may block its connection.
        with closing(bars.around(batches(), next(titles))) as rows:
            return one_pass(clean(batch, pos_label) for batch in rows)

    return in_passes(run, pos_label, definition)
