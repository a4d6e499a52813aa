"""Counts of chunks of arrays that the user makes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from operator import length_hint

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._types import Argument, Label, RowData
from sklearn_ap.large._chunks import ROLES, check_rows, count_in_process
from sklearn_ap.large._passes import ChunkRows

Chunks = Iterable[tuple[RowData, ...]]


def from_chunks(
    chunks: Chunks | Callable[[], Chunks], *, pos_label: Label | None = None
) -> ThresholdCounts:
    """Count chunks of labels and scores, one at a time.

    The counts are those of ``threshold_counts`` on all chunks together, to the last digit. At
    any time memory holds one chunk, a few million rows, and about 150 bytes for each distinct
    score of the positives.

    Parameters
    ----------
    chunks : iterable of tuple, or callable
        Tuples ``(y_true, y_score)`` or ``(y_true, y_score, sample_weight)`` of arrays. Rows of a
        chunk without weights have weight 1. The iterable is read twice, so pass a list, or an
        object whose ``__iter__`` starts again. A callable returns a new iterator at each call. A
        generator gives its chunks only once and raises an error.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; labels that are text need it.

    Returns
    -------
    ThresholdCounts
        As of ``from_table``.

    Examples
    --------
    >>> from sklearn_ap import large, score_from_counts
    >>> chunks = [([1, 0], [0.9, 0.8]), ([1, 0], [0.7, 0.1])]
    >>> round(score_from_counts(large.from_chunks(chunks)), 4)
    0.8333
    """
    if isinstance(chunks, Iterator):
        raise InputError(
            "chunks is a generator or another iterator, of which the second pass would see "
            "nothing: pass a list, or a function that returns a new iterator at each call."
        )

    def read() -> Generator[ChunkRows]:
        return _check_chunks(chunks() if callable(chunks) else chunks, pos_label)

    return count_in_process(read, pos_label, n_chunks=length_hint(chunks) or None)


def _check_chunks(chunks: Argument, pos_label: Label) -> Generator[ChunkRows]:
    if not np.iterable(chunks):
        raise InputTypeError(
            f"chunks must be tuples, in a list or of a function, got {chunks!r:.80}."
        )
    for i, chunk in enumerate(chunks):
        if not isinstance(chunk, tuple | list) or len(chunk) not in (2, 3):
            raise InputTypeError(
                f"chunk {i} must be a tuple (y_true, y_score) or (y_true, y_score, sample_weight), "
                f"got {type(chunk).__name__}."
            )
        yield check_rows(f"chunk {i}", dict(zip(ROLES, chunk, strict=False)), pos_label)
