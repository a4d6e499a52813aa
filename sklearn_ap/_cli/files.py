"""Reading predictions from a file: which rows, and which label is positive."""

from __future__ import annotations

import csv
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._cli import columns, formats
from sklearn_ap._cli.columns import FileError

__all__ = ["Table", "read"]

NEEDS = 'reading files needs pyarrow and tqdm: pip install "sklearn-ap[table]"'


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Predictions from a file; ``positive`` is the label that stands for True in ``y_true``."""

    y_true: NDArray[np.bool_]
    y_score: NDArray[Any]
    weight: NDArray[Any] | None
    groups: NDArray[Any] | None
    positive: str

    @property
    def n_queries(self) -> int:
        """How many rankings there are."""
        return 1 if self.groups is None else int(self.groups.max()) + 1

    @property
    def n_undefined(self) -> int:
        """How many rankings have no positives that weigh something."""
        positive = self.y_true if self.weight is None else self.y_true & (self.weight > 0)
        groups = np.zeros(positive.size, np.intp) if self.groups is None else self.groups
        return self.n_queries - np.unique(groups[positive]).size


def read(
    path: str,
    *,
    label: str,
    score: str,
    weight: str | None = None,
    group: str | None = None,
    positive: str | None = None,
) -> Table:
    """Read the columns of these names; a path of "-" is standard input."""
    names = [name for name in (label, score, weight, group) if name is not None]
    labels, scores, weights, groups = [], [], [], []
    with _opened(path) as file:
        for part in formats.parts(file, list(dict.fromkeys(names))):
            labels.append(columns.filled(label, part))
            scores.append(columns.numbers(score, part))
            if weight is not None:
                weights.append(columns.weights(weight, part))
            if group is not None:
                groups.append(columns.filled(group, part))
    if not any(map(len, scores)):
        raise FileError("no rows below the header")
    y_true, positive = columns.truth(label, labels, positive)
    return Table(
        y_true=y_true,
        y_score=np.concatenate(scores),
        weight=np.concatenate(weights) if weights else None,
        groups=columns.codes(groups) if groups else None,
        positive=positive,
    )


@contextmanager
def _opened(path: str) -> Iterator[io.BufferedReader]:
    """The bytes of a file; what goes wrong with them is said in one line."""
    try:
        import pyarrow as pa
        import tqdm  # noqa: F401
    except ImportError as error:
        raise FileError(NEEDS) from error
    if path == "-" and sys.stdin is None:
        raise FileError("there is no standard input")
    try:
        source: str | int = sys.stdin.fileno() if path == "-" else path
        with open(source, "rb", closefd=path != "-") as file:
            yield file
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: the text is not UTF-8") from error
    except (EOFError, csv.Error, zlib.error, pa.ArrowException) as error:
        raise FileError(f"{path}: {formats.plain(str(error))}") from error
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from error
