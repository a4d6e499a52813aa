"""The scores of random orders as a histogram, with the score beside them."""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import ArrayLike

from sklearn_ap.chance import ChanceTest, chance_test
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._prevalence import at_prevalence
from sklearn_ap.display._axes import axes_for, colors_on, ensure_layout
from sklearn_ap.display._legend import in_words

N_BARS = 60


class ChanceTestDisplay:
    """The scores of random orders, their mean, and the score that was found.

    Parameters
    ----------
    test : ChanceTest
        What ``chance_test`` returns for one score.
    title : str, default="average precision"
        The label of the axis of the scores.

    Attributes
    ----------
    bars_ : matplotlib BarContainer
        The histogram of the scores of random orders.
    line_ : matplotlib Line2D
        The score.
    chance_level_ : matplotlib Line2D
        The mean of random orders.
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure of the axes.

    See Also
    --------
    chance_test : The numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import ChanceTestDisplay
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(60) < 6
    >>> ChanceTestDisplay.from_predictions(y_true, y_true + rng.normal(size=60))
    ChanceTestDisplay(score=0.2827, chance=0.1561, pvalue=0.0827)
    """

    def __init__(self, test: ChanceTest, *, title: str = "average precision") -> None:
        if getattr(test, "by_chance", None) is None:
            raise ValueError(
                f"test must be a ChanceTest of one score, as chance_test gives it without "
                f"average=None, got {test!r}."
            )
        self.test = test
        self.title = title

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        definition: Definition = Step(),
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Compare a score with those of random orders, and draw them.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_samples, n_columns)
            Binary labels, multilabel indicators, or class labels. For class labels, ``y_score`` has
            one column per class. Multilabel indicators that are unknown are nan, and left out.
        y_score : array-like of shape (n_samples,) or (n_samples, n_columns)
            Scores, higher for what is more likely positive: probabilities or decision values. Equal
            scores are tied. Minus infinity says that the row was not retrieved.
        definition : Definition, default=Step()
            From ``sklearn_ap.definitions``, such as ``AtK(20)``.
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.
        **options : dict
            Options of ``chance_test``, such as ``queries``.

        Returns
        -------
        ChanceTestDisplay
            With the picture drawn.
        """
        test = chance_test(y_true, y_score, definition=definition, **options)
        title = at_prevalence(definition, options.get("prevalence")).title
        return cls(test, title=title).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the histogram and the lines.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None for a new figure.

        Returns
        -------
        ChanceTestDisplay
            This one.
        """
        test = self.test
        (axis,) = axes_for(ax, 1, figsize=(6.4, 3.6))
        ensure_layout(axis)
        colors = colors_on(axis)
        count, opacity = f"{test.n_permutations:,} random orders", colors.faint(0.6)
        *_, self.bars_ = axis.hist(
            test.by_chance, bins=N_BARS, color=colors.grey, alpha=opacity, label=count
        )
        mean = f"their mean: {test.chance:.3f}"
        dotted = {"color": colors.models[1], "linestyle": ":"}
        self.chance_level_ = axis.axvline(test.chance, label=mean, **dotted)
        score = f"score: {test.score:.3f} (p = {test.pvalue:.2g})"
        self.line_ = axis.axvline(test.score, color=colors.models[0], linewidth=2, label=score)
        axis.set_xlabel(in_words(self.title), parse_math=False)
        axis.set_ylabel("random orders")
        axis.legend(frameon=False)
        self.ax_, self.figure_ = axis, axis.figure
        return self

    def __repr__(self) -> str:
        test = self.test
        numbers = f"score={test.score:.4f}, chance={test.chance:.4f}, pvalue={test.pvalue:.4f}"
        return f"{type(self).__name__}({numbers})"
