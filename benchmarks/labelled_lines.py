"""Lines over rows on logarithmic axes, each with its name at its end, ours thick."""

from typing import Any

import numpy as np

# Okabe and Ito's, as in the displays: for the colour-blind, and with dashes for print in grey.
STYLES = (("#0072B2", "-"), ("#D55E00", "--"), ("#009E73", "-."), ("#000000", ":"))
ROOM = 0.07  # between two names, as a share of the axes


def draw(axis: Any, lines: dict[str, dict[int, float]]) -> None:
    """Draw up to four lines of numbers by rows, ours first."""
    ends = []
    for (name, values), (color, dashes) in zip(lines.items(), STYLES, strict=False):
        known = {n: value for n, value in values.items() if value}  # 0 has no place on such an axis
        style = {"color": color, "linestyle": dashes, "linewidth": 1.8 if ends else 4.0}
        axis.loglog([*known], [*known.values()], **style)
        ends.append((max(known), known[max(known)], name, color))
    low, high = np.log(axis.get_ylim())
    place: dict[int, float] = {}  # of the highest name so far, by rows
    for n, value, name, color in sorted(ends, key=lambda end: end[1]):
        place[n] = max((np.log(value) - low) / (high - low), place.get(n, -1) + ROOM)
        height = np.exp(low + place[n] * (high - low))
        beside = {"xytext": (7, 0), "textcoords": "offset points", "va": "center"}
        axis.annotate(name, (n, height), color=color, **beside, annotation_clip=False)
    axis.grid(alpha=0.3)
    axis.spines[["top", "right"]].set_visible(False)
