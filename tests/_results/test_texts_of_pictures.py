"""Texts of pictures are shown as they are."""

import pytest
from drawings import Y_SCORE, Y_TRUE
from matplotlib import pyplot as plt
from matplotlib.text import Text

from sklearn_ap import (
    average_precision_interval,
    compare_average_precision,
)
from sklearn_ap.definitions import Step

NAME, OTHER = "$a$ model", "x_$b$"


class WithDollars(Step):
    """A definition whose title is no mathematics."""

    title = OTHER


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_dollar_signs_in_names_and_titles_are_not_parsed_as_mathematics():
    rows, models = (Y_TRUE, Y_SCORE), {NAME: Y_SCORE, OTHER: Y_SCORE[::-1]}
    titled = {"definition": WithDollars()}
    compare_average_precision(Y_TRUE, models, **titled).plot()
    average_precision_interval(*rows, **titled).plot()
    for figure in map(plt.figure, plt.get_fignums()):
        figure.canvas.draw()
        texts = [text for text in figure.findobj(Text) if "$" in text.get_text()]
        assert texts
        assert not [text.get_text() for text in texts if text.get_parse_math()]
