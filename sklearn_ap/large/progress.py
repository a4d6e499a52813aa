"""A progress bar on standard error, where the user asks for one."""

from __future__ import annotations

from collections.abc import Generator, Iterable

from sklearn_ap.large.batches import Batch
from sklearn_ap.large.extras import missing

__all__ = ["with_progress"]


def with_progress(batches: Iterable[Batch], progress: bool) -> Generator[Batch]:
    """Give the batches, and count their rows on a bar."""
    if not progress:
        yield from batches
        return
    try:
        from tqdm import tqdm
    except ImportError as error:
        raise missing("progress=True", "tqdm", "table") from error
    with tqdm(unit=" rows", unit_scale=True) as bar:
        for batch in batches:
            yield batch
            bar.update(len(batch.y_score))
