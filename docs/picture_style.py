"""The size of pictures on the site: their letters can be read where a page is 400 px wide."""

import matplotlib.pyplot as plt

NARROW = {"figure.figsize": (4.4, 3.9), "legend.fontsize": 11.2}


def for_gallery(*_):
    """Before each example. The pixels are as many as matplotlib's own size has."""
    plt.rcParams.update(NARROW | {"figure.dpi": 145})
