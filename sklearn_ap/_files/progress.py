"""The progress bar."""

import sys
from typing import Any

from sklearn_ap._files.extras import import_extra

__all__ = ["progress"]

DELAY = 0.5  # seconds before a bar shows that nobody asked for
# tqdm's own format leaves the unit out where the total is known.
FORMAT = "{l_bar}{bar}| {n_fmt}/{total_fmt}{unit} [{elapsed}<{remaining}, {rate_fmt}]"


def progress(total: int | None, unit: str, title: str, *, asked_for: bool = False) -> Any:
    """Make a bar on standard error.

    A bar that was asked for always shows, and stays. Another one shows only on a terminal, and only
    while work takes time.
    """
    tqdm = import_extra("tqdm", "progress=True" if asked_for else "Reading files", "table").tqdm
    known = {"bar_format": FORMAT} if total else {}
    hidden = {} if asked_for else {"disable": None, "leave": False, "ncols": 79, "delay": DELAY}
    return tqdm(
        desc=title, total=total, unit=unit, unit_scale=True, file=sys.stderr, **known, **hidden
    )
