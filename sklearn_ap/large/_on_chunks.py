"""Counts of chunks of arrays."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._extras import import_optional, progress, warn
from sklearn_ap._types import Argument, Label, RowData
from sklearn_ap.large._checked_batches import Batch, clean, columns_by_role
from sklearn_ap.large._two_passes import Pass, Result, run_passes

Chunks = Iterable[tuple[RowData, ...]]


def from_chunks(
    chunks: Chunks | Callable[[], Chunks],
    *,
    pos_label: Label | None = None,
    progress: bool = False,
) -> ThresholdCounts:
    """Count chunks of labels and scores, one at a time.

    The counts are those of ``threshold_counts`` on all chunks together, to the last digit. At
    any time memory holds one chunk, a few million rows, and about 150 bytes for each distinct score
    of the positives.

    Parameters
    ----------
    chunks : iterable of tuple, or callable
        Tuples ``(y_true, y_score)`` or ``(y_true, y_score, sample_weight)`` of arrays. Rows of a
        chunk without weights have weight 1. The iterable is read twice, so pass a list, or an
        object whose ``__iter__`` starts again. A callable returns a new iterator at each call. A
        generator gives its chunks only once and raises an error.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
    progress : bool, default=False
        Whether to show a bar for each pass, on standard error, if tqdm is installed.

    Returns
    -------
    ThresholdCounts
        The counts of one ranking, for definitions, intervals and displays.

    See Also
    --------
    sklearn_ap.threshold_counts : The counts of arrays in memory.
    from_table : Counts of files and tables.
    ScoreHistogram : One pass, in constant memory, with limits.

    Examples
    --------
    >>> from sklearn_ap import large
    >>> from sklearn_ap.definitions import Step
    >>> chunks = [([1, 0], [0.9, 0.8]), ([1, 0], [0.7, 0.1])]
    >>> Step()(large.from_chunks(chunks))
    array([0.83333333])
    """
    if not (callable(chunks) or hasattr(chunks, "__iter__")):
        raise TypeError(
            f"chunks must be an iterable of tuples, or a function that returns one, got {chunks!r}."
        )
    iterate = chunks if callable(chunks) else chunks.__iter__
    if not callable(chunks) and iter(chunks) is chunks:
        raise ValueError(
            "chunks is a generator or another iterator, of which the second pass would see "
            "nothing: pass a list, or a function that returns a new iterator at each call."
        )
    return count_in_passes(lambda: _number_chunks(iterate()), pos_label, PassBars(progress))


def _number_chunks(chunks: Argument) -> Iterator[Batch]:
    """Yield chunks with their numbers, which errors name."""
    if not hasattr(chunks, "__iter__"):
        raise TypeError(f"The function given as chunks must return an iterator, got {chunks!r}.")
    for i, chunk in enumerate(chunks):
        if not isinstance(chunk, tuple | list) or len(chunk) not in (2, 3):
            raise TypeError(
                f"chunk {i} must be a tuple (y_true, y_score) or (y_true, y_score, sample_weight), "
                f"got {type(chunk).__name__}."
            )
        yield Batch(f"chunk {i}", columns_by_role(*chunk))


@dataclass
class PassBars:
    """A bar for each pass. The first pass counts the total of the others."""

    is_shown: bool
    total: int | None = None
    unit: str = " rows"

    def __post_init__(self) -> None:
        if self.is_shown and import_optional("tqdm") is None:
            warn("progress=True shows nothing without tqdm: pip install tqdm", UserWarning)

    def advance(self, batches: Iterable[Batch], title: str) -> Generator[Batch]:
        """Yield the batches, and add each to the bar."""
        if not self.is_shown:
            yield from batches
            return
        with progress(self.total, self.unit, title, asked_for=True) as bar:
            for batch in batches:
                yield batch
                bar.update(batch.amount(self.unit))
            self.total = bar.n


def count_in_passes(
    batches: Callable[[], Iterable[Batch]],
    pos_label: Label,
    bars: PassBars,
) -> ThresholdCounts:
    """Count rows that can be read twice, in this process."""
    titles = iter(("first pass", "second pass"))

    def run(one_pass: Pass[Result]) -> Result:
        # Closed at once after an error, as an open reader may block its connection.
        with closing(bars.advance(batches(), next(titles))) as rows:
            return one_pass(clean(batch, pos_label) for batch in rows)

    return run_passes(run, pos_label)
