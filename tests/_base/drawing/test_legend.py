"""Texts of pictures are shown as they are, and long names lose their middle."""

import pytest
from drawings import Y_SCORE, Y_TRUE
from matplotlib import pyplot as plt
from matplotlib.text import Text

from sklearn_ap import (
    average_precision_interval,
    chance_test,
    compare_average_precision,
)
from sklearn_ap._base.drawing.legend import cut_middle
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
    chance_test(*rows, n_permutations=99, **titled).plot()
    average_precision_interval(*rows, **titled).plot()
    for figure in map(plt.figure, plt.get_fignums()):
        figure.canvas.draw()
        texts = [text for text in figure.findobj(Text) if "$" in text.get_text()]
        assert texts
        assert not [text.get_text() for text in texts if text.get_parse_math()]


@pytest.mark.parametrize(
    ("name", "n_letters", "short"),
    [
        ("gradient_boosting_v3_calibrated_2026-01-15", 27, "gradient_boosting…2026-01-15"),
        ("logistic_regression_baseline_production", 27, "logistic_regression…production"),
        ("x" * 40, 12, "xxxxxxxx…xxxx"),
        ("random forest, all features", 18, "random…features"),
    ],
)
def test_a_name_loses_words_of_its_middle(name, n_letters, short):
    assert cut_middle(name, n_letters) == short
