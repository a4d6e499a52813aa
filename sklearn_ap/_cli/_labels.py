"""The labels of files, some rows at a time: which are positive, and how the files write them."""

import numpy as np

from sklearn_ap._files.sources import DataError, name_of
from sklearn_ap._files.tables import WORD_PAIRS, FileRows, encoded
from sklearn_ap._results.text import names_as_text
from sklearn_ap._types import Array

# The negative and the positive label, where nobody says which is positive.
PAIRS = (("0", "1"), ("-1", "1"), *WORD_PAIRS)
WORDS = {word for pair in PAIRS for word in pair}
HINT = "; leave the row out, or score it with --inclusion-probability"


class LabelReader:
    """The labels of a column, of which there are two. Spaces around them do not count."""

    def __init__(self, column: str, positive: str | None, *, may_be_missing: bool = False) -> None:
        self._column, self._may_be_missing = column, may_be_missing
        self._named = positive
        self._spellings: dict[str, str] = {}  # as the files write labels first: {"true": "True"}

    @property
    def positive(self) -> str:
        """The positive label, as the files write it."""
        word = self._positive or ""
        return self._spellings.get(word, word)

    @property
    def _positive(self) -> str | None:
        """The positive label that is named, or that of a pair, such as no and yes."""
        if self._named is not None:
            return _as_word(self._named)
        return next((pair[1] for pair in PAIRS if {*self._spellings} <= {*pair}), None)

    def are_positive(self, rows: FileRows) -> Array:
        """Return which rows are positive, nan where no label is and may be."""
        cells = encoded([rows], self._column, HINT, may_be_missing=self._may_be_missing)
        written = [label.strip() for label in cells.dictionary.to_pylist()]
        words = [*map(_as_word, written)]
        for word, label in zip(words, written, strict=True):
            self._spellings.setdefault(word, label)
        distinct, shown = [*self._spellings], [*map(repr, self._spellings.values())]
        if len(distinct) > 2:
            row = cells.indices.index(words.index(distinct[2])).as_py()
            problem = f"{shown[2]} is a third label, beside {shown[0]} and {shown[1]}"
            raise DataError(f"{rows.cell(row, self._column)}: {problem}")
        positive = self._positive
        if positive is None or (len(distinct) == 2 and positive not in distinct):
            found = f"{name_of(rows.path)}: column {self._column!r} holds {names_as_text(shown)}"
            if positive is None:
                raise DataError(f"{found}: name the positive one by --positive")
            raise DataError(f"{found}, and not the positive label {self._named!r}")
        are_positive = np.array([*(word == positive for word in words), np.nan])
        y_true = are_positive[cells.indices.fill_null(-1).to_numpy()]
        return y_true if cells.null_count else y_true.astype(bool)


def _as_word(label: str) -> str:
    """Write True as true, and 1.0 and +1 as 1."""
    word = label.strip().lower().removesuffix(".0").removeprefix("+")
    return word if word in WORDS else label.strip()
