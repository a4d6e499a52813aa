"""Doubts about models that found nothing in many images, or for many queries."""

from collections.abc import Sequence

import numpy as np

from sklearn_ap._results.doubt import Doubt, join_doubts
from sklearn_ap._types import Array, Bool, Index, Name
from sklearn_ap._writing.text import count_as_text

# A model that retrieved nothing in more of the units was hardly run on all of them. Detectors whose
# boxes below a score of 0.3 were left out lack as many images of another one in 2 of 100 samples at
# a fifth, and in none at a quarter.
MOST_LACKING = 0.25
MANY_UNITS = 10
FEW_ONES = 0.5  # units with one row, for each without any


def missing_results(
    models: Sequence[Array],
    names: Sequence[Name],
    positive: Bool,
    unit: Index,
    words: tuple[str, str],
    option: str = "",
) -> list[Doubt]:
    """Doubt a model that retrieved nothing in many units with positives, if another one did.

    Units are queries, or clusters, as images are. A system alone may find nothing for a query, and
    a detector nothing in an image. So one detector is doubted if it has one box in few of the other
    images, as a weak one has in many. ``words`` are those for a unit and for what it lacks, and an
    ``option`` leaves out such units.
    """
    if not any(scores.dtype.kind == "f" and scores.min(initial=0) == -np.inf for scores in models):
        return []
    numbers = np.array([np.bincount(unit, scores > -np.inf) for scores in models])
    is_asked = np.bincount(unit, positive) > 0
    if len(models) > 1:
        is_asked &= numbers.any(axis=0)
    n_asked = int(np.count_nonzero(is_asked))
    doubts: list[list[Doubt]] = []
    for own in numbers:
        n_lacking = int(np.count_nonzero(is_asked & (own == 0)))
        is_doubtful = n_asked >= MANY_UNITS and n_lacking > MOST_LACKING * n_asked
        if is_doubtful and len(models) == 1 and words[0] != "query":
            is_doubtful = _count_ones(models[0], unit) < FEW_ONES * n_lacking
        doubts.append([_missing_results(n_lacking, n_asked, *words, option)] if is_doubtful else [])
    return [*join_doubts(doubts, names)]


def replace_missing_results(doubts: Sequence[Doubt], found: Sequence[Doubt]) -> tuple[Doubt, ...]:
    """Put doubts about models in all parts of the data in the place of those about one part."""
    return (*found, *(doubt for doubt in doubts if doubt.name != "missing results"))


def _count_ones(scores: Array, unit: Index) -> int:
    """Count the units with one score; a box has the same one at each overlap."""
    is_found = scores > -np.inf
    pairs = np.unique(np.stack([unit[is_found], scores[is_found]]), axis=1)
    return int(np.count_nonzero(np.bincount(pairs[0].astype(np.intp)) == 1))


def _missing_results(n_lacking: int, n_asked: int, unit: str, row: str, option: str) -> Doubt:
    """Make the doubt about a model that lacks so many of the units that were asked."""
    lacking = f"{n_lacking:,} of {count_as_text(n_asked, unit)} with positives have no {row}"
    return Doubt(
        name="missing results",
        text=(
            f"{lacking}. If the model was not run on all of them, run it on the rest, or leave "
            f"the rest out{option and f' with {option}'}."
        ),
        reason=lacking,
        remedy="run the model on all of them, or leave them out,",
    )
