"""Lines over rows on logarithmic axes, each with its name at its end, ours thick."""

import numpy as np

# Okabe and Ito's, as in the displays: for the colour-blind, and with dashes for print in grey.
STYLES = (("#0072B2", "-"), ("#D55E00", "--"), ("#009E73", "-."), ("#000000", ":"))
ROOM = 0.07  # between two names, as a share of the axes


def draw(axis, lines):
    """Draw up to four lines of numbers by rows, ours first."""
    ends = []
    for (name, values), (color, dashes) in zip(lines.items(), STYLES, strict=False):
        known = {n: value for n, value in values.items() if value}  # 0 has no place on such an axis
        style = {"color": color, "linestyle": dashes, "linewidth": 1.8 if ends else 4.0}
        axis.loglog([*known], [*known.values()], **style)
        ends.append((max(known), known[max(known)], name, color))
    axis.margins(x=0.02)
    (low, high), place = np.log(axis.get_ylim()), -1.0  # of the highest name so far
    for n, value, name, color in sorted(ends, key=lambda end: end[1]):
        place = max((np.log(value) - low) / (high - low), place + ROOM)
        beside = {"xytext": (1.06, place), "textcoords": "axes fraction", "va": "center"}
        style = {"arrowstyle": "-", "color": color, "linewidth": 0.7, "relpos": (0, 0.5)}
        axis.annotate(name, (n, value), color=color, arrowprops=style, **beside)
    axis.grid(alpha=0.3)
    axis.spines[["top", "right"]].set_visible(False)


def save(path, xlabel, panels):
    """Lines beside each other, a panel for each label of what they show."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(panels), figsize=(8, 4), layout="constrained")
    for axis, (label, lines) in zip(axes, panels.items(), strict=True):
        draw(axis, {name: values for name, values in lines.items() if values})
        axis.set(xlabel=xlabel, ylabel=label)
    figure.savefig(path)
