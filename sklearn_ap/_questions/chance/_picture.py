"""Scores of random orders as a histogram."""

from sklearn_ap._base.drawing.axes import axes_colors, ensure_layout, prepare_axes
from sklearn_ap._base.drawing.legend import add_sample_size, score_in_words
from sklearn_ap._types import AnyResult, Axes

N_BARS = 60


def plot_chance_test(test: AnyResult, ax: Axes) -> Axes:
    """Draw the scores of random orders as a histogram, their mean, and the score."""
    if test.by_chance is None:
        raise ValueError(
            "This test has several scores, as average=None gives them: test with another average, "
            "or each ranking alone."
        )
    (axis,) = prepare_axes(ax, 1, figsize=(6.4, 3.6))
    ensure_layout(axis)
    colors = axes_colors(axis)
    axis.hist(
        test.by_chance,
        bins=N_BARS,
        color=colors.grey,
        alpha=colors.faint(0.6),
        label=f"{test.n_permutations:,} random orders",
    )
    mean_label = f"their mean: {test.chance:.3f}"
    axis.axvline(test.chance, label=mean_label, color=colors.models[1], linestyle=":")
    score_label = f"score: {test.score:.3f} (p = {test.pvalue:.2g})"
    axis.axvline(test.score, color=colors.models[0], linewidth=2, label=score_label)
    axis.set_xlabel(add_sample_size(score_in_words(test), test), parse_math=False)
    axis.set_ylabel("random orders")
    axis.legend(framealpha=1)  # the line of the score must not cross it
    return axis
