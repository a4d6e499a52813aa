"""Which rows of several files are about the same document of the same query."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap.counts._threads import map_threads, n_threads

Index = NDArray[np.intp]
Words = NDArray[np.uint64]

# Odd numbers: the upper bits of a product with one of them depend on all bits of a word.
FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
ROOM = 3  # slots for each row of a query
ROWS = 2**16  # that the cache holds with their slots
# The first 0, 1, ... 8 letters of a word of 8.
FIRST_LETTERS = np.array([2**64 - 2 ** (64 - 8 * n) for n in range(9)], np.uint64)


def letters_of(documents: list[Any]) -> list[Words]:
    """The names as words of eight letters, which sort as the bytes of the names do."""
    parts = [[*_words(names)] for names in documents]
    n_words = max((len(words) for words in parts), default=0)
    sizes = [len(names) for names in documents]
    return [
        np.concatenate(
            [
                words[i] if i < len(words) else np.zeros(size, np.uint64)
                for words, size in zip(parts, sizes, strict=True)
            ]
        )
        for i in range(n_words)
    ]


def _words(names: Any) -> Iterator[Words]:
    """The words of the strings of one array of pyarrow."""
    _, places, letters = names.buffers()
    if places is None or not len(names):
        return
    ends = np.frombuffer(places, np.int32)[names.offset : names.offset + len(names) + 1]
    padded = np.zeros(int(ends[-1]) + 8, np.uint8)
    padded[: ends[-1]] = np.frombuffer(letters or b"", np.uint8)[: ends[-1]]
    # A word begins at each byte: the words overlap.
    word_at = np.ndarray(padded.size - 7, ">u8", padded, strides=(1,))
    lengths = np.diff(ends)
    for i in range(0, int(lengths.max()), 8):
        begins = np.minimum(ends[:-1] + i, ends[-1])
        yield word_at[begins].astype(np.uint64) & FIRST_LETTERS[np.clip(lengths - i, 0, 8)]


def first_of_each(query: Index, words: list[Words], n_queries: int) -> Index:
    """For each row, one row of the same query and document; equal ones get the same row.

    The rows of a query stand together. Some queries at a time stay in the cache.
    """
    ends = np.cumsum(np.bincount(query, minlength=n_queries))
    reached = np.minimum(np.arange(ROWS, query.size + ROWS, ROWS), query.size)
    cuts = np.unique(ends[np.searchsorted(ends, reached)])
    one = np.empty(query.size, np.intp)

    def find(begin_and_end: tuple[int, int]) -> None:
        rows = slice(*begin_and_end)
        found = _first_in_slots(query[rows] - query[rows.start], [word[rows] for word in words])
        np.add(found, rows.start, out=one[rows])

    for _ in map_threads(find, [*pairwise([0, *cuts.tolist()])], n_threads(query.size)):
        pass  # it writes into ``one``
    return one


def _first_in_slots(query: Index, words: list[Words]) -> Index:
    """The same for few queries.

    Each query has slots, more than rows, and the slot of a document follows from its letters. A row
    that finds its own document in its slot is done; the others try another slot.
    """
    width = ROOM * np.bincount(query)
    begin = np.cumsum(width) - width
    slots = np.empty(int(width.sum()), np.intp)
    one, left, attempt = np.arange(query.size), np.arange(query.size), 0
    while left.size:
        of_left = query[left]
        letters = [word[left] for word in words]
        slot = begin[of_left] + _share(letters, attempt, width[of_left])
        slots[slot] = left
        found = slots[slot]
        done = np.ones(left.size, bool)
        for word, here in zip(words, letters, strict=True):
            done &= word[found] == here
        one[left[done]] = found[done]
        left, attempt = left[~done], attempt + 1
    return one


def _share(letters: list[Words], attempt: int, width: Index) -> Index:
    """A number below ``width``, another one at each attempt."""
    high, factor = np.uint64(32), np.uint64(FACTORS[attempt % len(FACTORS)])
    mixed = np.full(width.size, attempt, np.uint64)
    for word in letters:
        mixed ^= word
        mixed *= factor
        mixed ^= mixed >> high
    return ((mixed >> high) * width.astype(np.uint64) >> high).astype(np.intp)
