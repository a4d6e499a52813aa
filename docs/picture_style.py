"""The size of pictures on the site: their letters can be read where a page is 400 px wide."""

from pathlib import Path

import matplotlib.pyplot as plt

# Okabe and Ito's colours, which the colour-blind can tell apart.
COLORS = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9"
PAGES = Path(__file__).parent
WIDTH = 4.4  # inches: letters of 10 points have 11 px on a page that is 400 px wide
NARROW = {
    "figure.figsize": (WIDTH, 3.9),
    "legend.fontsize": 11.2,
    "axes.prop_cycle": plt.cycler(color=COLORS),  # the colours of our pictures
}


def style_gallery(*_):
    """Before each example. The pixels are as many as matplotlib's own size has."""
    plt.rcParams.update(NARROW | {"figure.dpi": 145})
