"""Inputs to which scikit-learn and we answer differently, as calls with both answers.

``tests/compat/test_differences.py`` runs both calls of each row, and the calls that should give the
same, with the oldest scikit-learn that we support and the newest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

# The versions from which a row holds.
OLDEST = "1.6"  # of scikit-learn
FIRST = "0.5"  # ours


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of a call: a value, or an exception, and perhaps a warning.

    Parameters
    ----------
    value : object, default=None
        What it returns; numbers are rounded to four digits. None if it raises.
    raises : str, default=""
        The name of the exception.
    warns : str, default=""
        The name of the warning.
    says : str, default=""
        How the message of our exception or warning begins.
    like : str, default=""
        Other arguments, with which the same call gives the same value.
    means : str, default=""
        What that says of the input.
    """

    value: float | str | list[float] | list[list[float]] | None = None
    raises: str = ""
    warns: str = ""
    says: str = ""
    like: str = ""
    means: str = ""

    @property
    def brief(self) -> str:
        """The value, or the name of the exception, and what that means."""
        return self._explained(self.means)

    def __str__(self) -> str:
        return self._explained(self.means or self.says)

    def _explained(self, words: str) -> str:
        outcome = self.raises or str(self.value)
        outcome += f", {self.warns}" if self.warns else ""
        return f"{outcome}: {words}" if words else outcome


class Calls(NamedTuple):
    """Two calls, with braces where the arguments go."""

    part: str  # the part of scikit-learn that ours replaces
    scikit_learn: str
    sklearn_ap: str


def _display_calls(method: str, scikit_learn: str, sklearn_ap: str = "") -> Calls:
    """Make calls that read a picture, by the same name unless ours has another one."""
    return Calls(
        "PrecisionRecallDisplay",
        f"sklearn.metrics.PrecisionRecallDisplay.{method}({{}}).{scikit_learn}",
        f"sklearn_ap.AveragePrecisionDisplay.{method}({{}}).{sklearn_ap or scikit_learn}",
    )


def _size(calls: Calls) -> Calls:
    """Count what calls give: one thing, or those of a list."""
    return calls._replace(
        scikit_learn=f"np.size({calls.scikit_learn})", sklearn_ap=f"np.size({calls.sklearn_ap})"
    )


SCORE = Calls(
    "average_precision_score",
    "sklearn.metrics.average_precision_score({})",
    "sklearn_ap.average_precision_score({})",
)
DISPLAY = _display_calls("from_predictions", "average_precision")
FITTED_DISPLAY = _display_calls("from_estimator", "average_precision")
DISPLAY_ARRAYS = Calls(
    DISPLAY.part,
    "sklearn.metrics.PrecisionRecallDisplay({}).average_precision",
    "sklearn_ap.AveragePrecisionDisplay({}).average_precision",
)
SCORER = Calls(
    'scoring="average_precision"',
    "sklearn.metrics.get_scorer('average_precision')({})",
    "sklearn_ap.get_scorer('average_precision')({})",
)
PARTS = (SCORE.part, DISPLAY.part, SCORER.part)
# The lines that the calls need before them.
SETUP = """\
import numpy as np
import pandas as pd
import sklearn.metrics
import sklearn_ap
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_validate"""


@dataclass(frozen=True, slots=True)
class Difference:
    """One input, and both answers.

    Parameters
    ----------
    calls : Calls
        What is called.
    input : str
        What the input is, in words.
    arguments : str
        The input, as Python's code of the arguments.
    scikit_learn, sklearn_ap : Answer
        What scikit-learn and we give.
    why : str
        The reason for the difference.
    scikit_learn_since, sklearn_ap_since : str
        The versions since which it holds; "1.6" is the oldest scikit-learn that was run.
    """

    calls: Calls
    input: str
    arguments: str
    scikit_learn: Answer
    sklearn_ap: Answer
    why: str
    scikit_learn_since: str = OLDEST
    sklearn_ap_since: str = FIRST


def _refused(says: str) -> Answer:
    return Answer(raises="ValueError", says=says)


def _lacking(attribute: str) -> Answer:
    message = f"'AveragePrecisionDisplay' object has no attribute {attribute!r}"
    return Answer(raises="AttributeError", says=message)


UNDEFINED = "UndefinedMetricWarning"
POSITION = "Rows of one name belong together, so the order is probably a mistake."
UNKNOWN_POSITIVE = "Such labels do not say which of them is positive, so pass pos_label."
NEGATIVE = "A negative weight has no meaning, and the score can leave the range from 0 to 1."
NOT_RETRIEVED = "A row that was not retrieved is a positive or a negative all the same."
MASKED = "The mask says that the value is not known."
DATES = "A date is no score."
EXACT = "Scores are compared as 64-bit floats, as models compute them."
NO_POSITIVES = "The warning has a class of its own, which filters can name, and zero_division."
OBJECTS = "Tables often hold labels as objects, and their values say what they are."
INDEXES = "pd.Series([0, 1, 1]), pd.Series([0.1, 0.2, 0.3], index=[2, 1, 0])"
MASKED_LABEL = "np.ma.array([0, 1, 1], mask=[0, 0, 1]), [0.3, 0.2, 0.1]"
DAYS = "[0, 1], np.array(['2026-01-01', '2026-01-02'], dtype='datetime64[D]')"
BOOLS = "np.array([False, True], dtype=object), [0.1, 0.2]"
TABLE = "[[0.1, 0.9], [0.8, 0.3], [0.2, 0.2]]"
ROWS = "[[0], [1], [2], [3]]"
FOLDS = (
    "cross_validate(LogisticRegression(), 10 * [[0], [1]], 10 * [0, 1], "
    "return_estimator=True, return_indices=True), np.array(10 * [[0], [1]]), np.array(10 * [0, 1])"
)

SCORE_DIFFERENCES = (
    Difference(
        SCORE,
        "the label 1 with any other than 0 and -1, such as 2, without `pos_label`",
        "[1, 2, 1, 2], [0.1, 0.4, 0.35, 0.8]",
        Answer(
            0.4167, like="[1, 2, 1, 2], [0.1, 0.4, 0.35, 0.8], pos_label=1", means="1 is positive"
        ),
        _refused("y_true takes value in {1, 2} and pos_label is not specified"),
        UNKNOWN_POSITIVE,
    ),
    Difference(
        SCORE,
        "a single label other than 0, 1 and -1, without `pos_label`",
        "[2, 2], [0.1, 0.4]",
        Answer(0.0, warns="UserWarning", like="[0, 0], [0.1, 0.4]", means="2 is negative"),
        _refused("y_true takes value in {2} and pos_label is not specified"),
        UNKNOWN_POSITIVE,
    ),
    Difference(
        SCORE,
        "pandas indexes with the same names in another order",
        INDEXES,
        Answer(1.0, like="[0, 1, 1], [0.1, 0.2, 0.3]", means="rows are taken by position"),
        _refused("y_true and y_score have indexes with the same names in another order"),
        f"{POSITION} Other indexes are ignored.",
    ),
    Difference(
        SCORE,
        "tables whose columns have the same names in another order",
        "pd.DataFrame({'a': [0, 1], 'b': [1, 0]}), "
        "pd.DataFrame({'b': [0.1, 0.9], 'a': [0.8, 0.3]})",
        Answer(
            1.0,
            like="np.array([[0, 1], [1, 0]]), np.array([[0.1, 0.8], [0.9, 0.3]])",
            means="columns are taken by position",
        ),
        _refused("y_true and y_score have the same columns in another order"),
        "Columns of one name belong together, so the order is probably a mistake.",
    ),
    Difference(
        SCORE,
        "several columns of labels other than {0, 1} and {-1, 1}",
        f"np.array([[1, 2], [2, 1], [2, 2]]), np.array({TABLE})",
        Answer(
            0.4167,
            like=f"np.array([[1, 2], [2, 1], [2, 2]]) == 1, np.array({TABLE})",
            means="1 is positive",
        ),
        _refused("y_true of several columns takes value in {1, 2}"),
        "Such labels do not say which of them is positive.",
    ),
    Difference(
        SCORE,
        "negative weights",
        "[0, 1, 1], [0.2, 0.1, 0.3], sample_weight=[-0.5, 1, 1]",
        Answer(1.1667, means="a score above 1"),
        _refused("sample_weight must not be negative"),
        NEGATIVE,
    ),
    Difference(
        SCORE,
        "`y_true` and `y_score` with different numbers of columns",
        "np.array([[0, 1, 1], [1, 0, 0]]), np.array([[0.1, 0.9], [0.8, 0.3]])",
        Answer(
            1.0,
            like="np.array([[0, 1], [1, 0]]), np.array([[0.1, 0.9], [0.8, 0.3]])",
            means="scores the columns that both have",
        ),
        _refused("y_score must have one column per column of y_true"),
        "A column is missing, and nobody knows which.",
    ),
    Difference(
        SCORE,
        '`average="weighted"` without any positive',
        "np.zeros((2, 2), int), np.array([[0.1, 0.9], [0.8, 0.3]]), average='weighted'",
        Answer(0.0),
        Answer(0.0, warns=UNDEFINED, says="No positive class found in y_true, for 2 of 2 rankings"),
        "The score is not defined, as without an average.",
    ),
    Difference(
        SCORE,
        '`average="weighted"` with indicators -1 and 1',
        f"np.array([[-1, 1], [1, 1], [-1, -1]]), np.array({TABLE}), average='weighted'",
        Answer(0.0, means="weights by the sum of the labels, -1 and 1"),
        Answer(
            1.0,
            like=f"np.array([[0, 1], [1, 1], [0, 0]]), np.array({TABLE}), average='weighted'",
            means="weights by the number of positives, 1 and 2",
        ),
        "Negatives would cancel positives.",
    ),
    Difference(
        SCORE,
        '`average="weighted"` with a total weight of positives near 0',
        "np.array([[0, 1], [1, 0]]), np.array([[0.1, 0.9], [0.8, 0.3]]), "
        "average='weighted', sample_weight=[1e-12, 1e-12]",
        Answer(0.0),
        Answer(
            1.0,
            like="np.array([[0, 1], [1, 0]]), np.array([[0.1, 0.9], [0.8, 0.3]]), "
            "average='weighted'",
            means="the weighted mean",
        ),
        "Weights may have any unit.",
    ),
    Difference(
        SCORE,
        "scores that are Python objects or very large integers (Decimal, 2**70)",
        "[0, 1], [2**70, 2**70 + 1]",
        Answer(1.0, like="[0, 1], [0, 1]", means="compares them exactly"),
        Answer(0.5, like="[0, 1], [1.0, 1.0]", means="compares them as floats"),
        EXACT,
    ),
    Difference(
        SCORE,
        "scores beyond the range of floats",
        "[0, 1], [10**400, 2]",
        Answer(0.5, like="[0, 1], [3, 2]", means="compares them exactly"),
        _refused("y_score must hold one number in each place, none beyond 1.8e308"),
        EXACT,
    ),
    Difference(
        SCORE,
        "scores of minus infinity",
        "[0, 1, 1], [1, 2, -np.inf]",
        Answer(raises="ValueError"),
        Answer(
            0.5,
            like="[0, 1], [1, 2], n_positives=2",
            means="the row was not retrieved, but counts as a positive or a negative",
        ),
        NOT_RETRIEVED,
    ),
    Difference(
        SCORE,
        "masked labels (`numpy.ma`)",
        MASKED_LABEL,
        Answer(0.5833, like="[0, 1, 1], [0.3, 0.2, 0.1]", means="ignores the mask"),
        _refused("y_true contains NaN or another missing value, in row 2"),
        MASKED,
    ),
    Difference(
        SCORE,
        "masked scores (`numpy.ma`)",
        "[0, 1, 1], np.ma.array([0.3, 0.2, 0.1], mask=[0, 0, 1])",
        Answer(0.5833, like="[0, 1, 1], [0.3, 0.2, 0.1]", means="ignores the mask"),
        _refused("Input y_score contains NaN"),
        MASKED,
    ),
    Difference(
        SCORE,
        "dates as scores",
        DAYS,
        Answer(1.0, like="[0, 1], [1, 2]", means="the later date is higher"),
        _refused("y_score must hold numbers"),
        DATES,
    ),
    Difference(
        SCORE,
        "labels of type object that hold bools or numbers",
        BOOLS,
        Answer(raises="ValueError"),
        Answer(1.0, like="[False, True], [0.1, 0.2]", means="takes the values"),
        OBJECTS,
    ),
    Difference(
        SCORE,
        "a table of labels in which some are unknown (nan)",
        "np.array([[0, np.nan], [1, 1], [1, 0]]), np.array([[3, 9], [2, 2], [1, 1]])",
        Answer(raises="ValueError"),
        Answer(0.7917, means="leaves out the cell: the mean of 0.5833 and 1"),
        "A row has labels of several tasks, and often not of all.",
    ),
    Difference(
        SCORE,
        "lists of lists as scores of classes",
        "[0, 1, 2], [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.2, 0.7]]",
        Answer(raises="AttributeError"),
        Answer(
            1.0,
            like="[0, 1, 2], np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.2, 0.7]])",
            means="takes them as an array",
        ),
        "All arguments may be lists.",
        scikit_learn_since="1.9",
    ),
    Difference(
        SCORE,
        "a class of the columns that `y_true` lacks, as in a small fold",
        "[0, 1, 1], np.eye(3), labels=[0, 1, 2]",
        Answer(raises="TypeError", means="there is no such option"),
        Answer(
            0.6111, warns=UNDEFINED, says="No positive class found in y_true, for 1 of 3 rankings"
        ),
        "The columns belong to classes, which labels names.",
    ),
    Difference(
        SCORE,
        "rankings of several queries in one column",
        "[1, 0, 1, 0], [4, 3, 2, 1], queries=[0, 0, 1, 1]",
        Answer(raises="TypeError", means="there is no such option"),
        Answer(1.0, means="the mean over the queries"),
        "Scores of different queries are not comparable.",
    ),
    Difference(
        SCORE,
        "positives that were never scored",
        "[1, 0], [0.9, 0.8], n_positives=2",
        Answer(raises="TypeError", means="there is no such option"),
        Answer(0.5, like="[1, 0, 1], [0.9, 0.8, -np.inf]", means="they count as missed"),
        "Recall is a share of all positives.",
    ),
    Difference(
        SCORE,
        "scores far below random ones",
        "np.arange(80) < 20, np.arange(80)",
        Answer(0.1432),
        Answer(0.1432, warns="UserWarning", says="The average precision, 0.143, is far below"),
        "The sign is probably wrong, or the column of predict_proba.",
    ),
    Difference(
        SCORE,
        "scores that are all 0 or 1",
        "30 * [0, 1], 29 * [0, 1] + [1, 0]",
        Answer(0.9511),
        Answer(0.9511, warns="UserWarning", says="All scores are 0 or 1."),
        "They look like predicted classes, which rank nothing.",
    ),
    Difference(
        SCORE,
        "no positives",
        "[0, 0], [0.1, 0.2]",
        Answer(0.0, warns="UserWarning"),
        Answer(0.0, warns=UNDEFINED, says="No positive class found in y_true, for 1 of 1 rankings"),
        f"{NO_POSITIVES} It is a kind of UserWarning.",
    ),
    Difference(
        SCORE,
        "no rows",
        "[], []",
        Answer(raises="IndexError"),
        _refused("y_true and y_score are empty, so there is nothing to score"),
        "The message says what is wrong.",
    ),
    Difference(
        SCORE,
        "scores that are texts",
        "[1, 0], ['0.9', '0.8']",
        Answer(raises="UFuncTypeError"),
        _refused("y_score must hold numbers, got the text '0.9' in row 0"),
        "The message says what is wrong.",
    ),
    Difference(
        SCORE,
        "a label of None",
        "[None, 1], [0.1, 0.2]",
        Answer(raises="TypeError"),
        _refused("y_true contains NaN or another missing value, in row 0"),
        "The message says what is wrong.",
    ),
)
DISPLAY_DIFFERENCES = (
    Difference(
        _display_calls("from_predictions", "line_.get_label()"),
        "the number in the legend",
        "[1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], name='model'",
        Answer("model (AP = 0.83)"),
        Answer("model: step AP = 0.833"),
        "There are several definitions, so the legend names this one.",
    ),
    Difference(
        _display_calls("from_predictions", "line_.get_xydata().tolist()"),
        "the line",
        "[1, 0], [0.9, 0.8]",
        Answer([[1.0, 0.5], [1.0, 1.0], [0.0, 1.0]], means="ends at recall 0 and precision 1"),
        Answer([[0.0, 1.0], [1.0, 1.0]], means="the area under it is the score"),
        "No threshold has recall 0, and below the last positive recall stays.",
    ),
    Difference(
        _display_calls("from_predictions", "chance_level_ is not None"),
        "whether a line of random scores is drawn, without `plot_chance_level`",
        "[1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]",
        Answer(False, means="no"),
        Answer(True, means="yes"),
        "A score is high or low beside that of random scores.",
    ),
    Difference(
        _display_calls("from_predictions", "line_.get_label()"),
        "the name in the legend, without `name`",
        "[1, 0], [0.9, 0.8]",
        Answer("Classifier (AP = 1.00)"),
        Answer("step AP = 1.000"),
        "A name that all models have says nothing.",
    ),
    Difference(
        _display_calls("from_predictions", "ax_.get_xlabel()"),
        "the labels of the axes",
        "[1, 0], [0.9, 0.8]",
        Answer("Recall (Positive label: 1)"),
        Answer("Recall"),
        "The positive label is 1 where you name no other one.",
    ),
    Difference(
        _display_calls("from_predictions", "pos_label"),
        "the attribute `pos_label`",
        "[1, 0], [0.9, 0.8]",
        Answer(1),
        Answer(None, means="as you passed it"),
        "The positive label is 1 where you name no other one.",
    ),
    Difference(
        _display_calls("from_predictions", "prevalence_pos_label"),
        "the attribute `prevalence_pos_label`",
        "[1, 0], [0.9, 0.8]",
        Answer(0.5),
        _lacking("prevalence_pos_label"),
        "It is p / (p + n), where display.counts has p as n_positives and n as n_negatives.",
    ),
    Difference(
        _display_calls("from_predictions", "precision.tolist()"),
        "the attributes `precision` and `recall`",
        "[1, 0], [0.9, 0.8]",
        Answer([0.5, 1.0, 1.0], means="lowest threshold first, and 1 at recall 0"),
        _lacking("precision"),
        "display.counts has precision, in another order and without the end at recall 0.",
    ),
    Difference(
        DISPLAY_ARRAYS,
        "arrays of a curve, which are drawn without labels and scores",
        "precision=[0.5, 1, 1], recall=[1, 1, 0], average_precision=1.0",
        Answer(1.0),
        Answer(
            raises="TypeError",
            says="AveragePrecisionDisplay.__init__() got an unexpected keyword",
        ),
        "The area under the line, and the line of random scores, need the counts.",
    ),
    Difference(
        DISPLAY,
        "the old name `y_pred` of `y_score`",
        "[0, 1], y_pred=[0.1, 0.2]",
        Answer(1.0, warns="FutureWarning", means="pass y_score"),
        Answer(
            raises="TypeError",
            says="AveragePrecisionDisplay.from_predictions() missing 1 required positional "
            "argument: 'y_score'",
        ),
        "Predicted classes are no scores, and scikit-learn drops the name in 1.10.",
        scikit_learn_since="1.8",
    ),
    Difference(
        _size(_display_calls("from_cv_results", "chance_level_")),
        "how many lines of random scores `from_cv_results` draws",
        f"{FOLDS}, plot_chance_level=True",
        Answer(5, means="chance_level_ is a list, with a line for each fold"),
        Answer(1, means="chance_level_ is the line of their mean"),
        "Folds have nearly the same prevalence, so the lines lie on each other.",
        scikit_learn_since="1.9",
    ),
    Difference(
        _size(_display_calls("from_cv_results", "ax_.lines")),
        "how many lines `from_cv_results` draws",
        FOLDS,
        Answer(5, means="a curve for each fold"),
        Answer(7, means="their mean curve and the line of random scores, too"),
        "The area under the mean curve is the mean of the scores.",
        scikit_learn_since="1.9",
    ),
    Difference(
        _display_calls("from_cv_results", "line_[0].get_label()"),
        "`from_cv_results` with a list of names, without a list of `curve_kwargs`",
        f"{FOLDS}, name=['a', 'b', 'c', 'd', 'e']",
        Answer(raises="ValueError"),
        Answer("a: step AP = 1.000", means="each fold has a style of its own"),
        "A curve with a name of its own needs a style of its own.",
        scikit_learn_since="1.9",
    ),
    Difference(
        DISPLAY,
        "options of the line, such as `color`, by their names",
        "[0, 1], [0.1, 0.2], color='red'",
        Answer(1.0, warns="FutureWarning", means="pass curve_kwargs"),
        Answer(1.0, like="[0, 1], [0.1, 0.2], curve_kwargs={'color': 'red'}", means="takes both"),
        "Both ways are short, and neither is ambiguous.",
        scikit_learn_since="1.9",
    ),
    Difference(
        _display_calls("from_predictions", "average_precision", "counts.score()"),
        "several columns of labels, or several classes",
        "[0, 1, 2], np.eye(3)",
        Answer(raises="ValueError"),
        Answer(1.0, means="draws a curve for each"),
        "Each column is a ranking.",
    ),
    Difference(
        DISPLAY,
        "pandas indexes with the same names in another order",
        INDEXES,
        Answer(1.0, like="[0, 1, 1], [0.1, 0.2, 0.3]", means="rows are taken by position"),
        _refused("y_true and y_score have indexes with the same names in another order"),
        POSITION,
    ),
    Difference(
        DISPLAY,
        "negative weights",
        "[0, 1, 1], [0.2, 0.1, 0.3], sample_weight=[-0.5, 1, 1]",
        Answer(1.1667, means="a score above 1"),
        _refused("sample_weight must not be negative"),
        NEGATIVE,
    ),
    Difference(
        DISPLAY,
        "scores of minus infinity",
        "[0, 1, 1], [1, 2, -np.inf]",
        Answer(raises="ValueError"),
        Answer(0.5, like="[0, 1], [1, 2], n_positives=2", means="the row was not retrieved"),
        NOT_RETRIEVED,
    ),
    Difference(
        DISPLAY,
        "very large integers as scores",
        "[0, 1], [2**70, 2**70 + 1]",
        Answer(1.0, like="[0, 1], [0, 1]", means="compares them exactly"),
        Answer(0.5, like="[0, 1], [1.0, 1.0]", means="compares them as floats"),
        EXACT,
    ),
    Difference(
        DISPLAY,
        "masked labels (`numpy.ma`)",
        MASKED_LABEL,
        Answer(0.5833, like="[0, 1, 1], [0.3, 0.2, 0.1]", means="ignores the mask"),
        _refused("y_true contains NaN or another missing value, in row 2"),
        MASKED,
        scikit_learn_since="1.9",
    ),
    Difference(
        DISPLAY,
        "dates as scores",
        DAYS,
        Answer(1.0, like="[0, 1], [1, 2]", means="the later date is higher"),
        _refused("y_score must hold numbers"),
        DATES,
    ),
    Difference(
        DISPLAY,
        "labels of type object that hold bools or numbers",
        BOOLS,
        Answer(raises="ValueError"),
        Answer(1.0, like="[False, True], [0.1, 0.2]", means="takes the values"),
        OBJECTS,
    ),
    Difference(
        DISPLAY,
        "no positives",
        "[0, 0], [0.1, 0.2]",
        Answer(0.0, warns="UserWarning"),
        Answer(0.0, warns=UNDEFINED, says="1 of 1 rankings have no positive"),
        NO_POSITIVES,
    ),
    Difference(
        FITTED_DISPLAY,
        "`from_estimator` with labels that are words, without `pos_label`",
        "LogisticRegression().fit([[0], [1]], ['no', 'yes']), [[0], [1]], ['no', 'yes']",
        Answer(
            1.0,
            like="LogisticRegression().fit([[0], [1]], ['no', 'yes']), [[0], [1]], "
            "['no', 'yes'], pos_label='yes'",
            means="the last class is positive",
        ),
        _refused("y_true takes value in {'no', 'yes'} and pos_label is not specified"),
        UNKNOWN_POSITIVE,
    ),
    Difference(
        FITTED_DISPLAY,
        "`from_estimator` of a regressor",
        "LinearRegression().fit([[0], [1]], [0, 1]), [[0], [1]], [0, 1]",
        Answer(raises="ValueError"),
        Answer(1.0, means="ranks by the predictions"),
        "Predictions of a regressor or a ranker are scores.",
    ),
    Difference(
        _display_calls("from_estimator", "average_precision", "counts.score()"),
        "`from_estimator` of a classifier of several classes",
        f"LogisticRegression().fit({ROWS}, [0, 0, 1, 2]), {ROWS}, [0, 0, 1, 2]",
        Answer(raises="ValueError"),
        Answer(0.8333, means="draws a curve for each"),
        "Each class is a ranking.",
    ),
    Difference(
        FITTED_DISPLAY,
        "`from_estimator` of a classifier with both `decision_function` and `predict_proba`",
        "LogisticRegression(C=1e9).fit([[-1], [1]], [0, 1]), [[-1], [10], [20]], [0, 0, 1]",
        Answer(0.5, means="takes predict_proba, which is 1.0 of both last rows"),
        Answer(1.0, means="takes decision_function, which ranks them"),
        "Probabilities near 1 are rounded to 1, and scikit-learn's scorer also takes the latter. "
        "Pass predict_proba as response_method for scikit-learn's curve.",
    ),
)
SCORER_DIFFERENCES = (
    Difference(
        SCORER,
        "labels other than 0, 1 and -1, without `pos_label`",
        f"LogisticRegression().fit({ROWS}, [1, 2, 1, 2]), {ROWS}, [1, 2, 1, 2]",
        Answer(
            0.8333,
            like=f"LogisticRegression().fit({ROWS}, [1, 0, 1, 0]), {ROWS}, [1, 0, 1, 0]",
            means="1 is positive",
        ),
        _refused("y_true takes value in {1, 2} and pos_label is not specified"),
        UNKNOWN_POSITIVE,
    ),
    Difference(
        SCORER,
        "negative weights",
        f"LogisticRegression().fit({ROWS}, [0, 0, 1, 1]), {ROWS}, [1, 0, 1, 1], "
        "sample_weight=[1, -0.5, 1, 1]",
        Answer(1.0667, means="a score above 1"),
        _refused("sample_weight must not be negative"),
        NEGATIVE,
    ),
    Difference(
        SCORER,
        "labels of type object that hold bools or numbers",
        "LogisticRegression().fit([[0], [1]], [0, 1]), [[0], [1]], "
        "np.array([False, True], dtype=object)",
        Answer(raises="ValueError"),
        Answer(1.0, means="takes the values"),
        OBJECTS,
    ),
    Difference(
        SCORER,
        "no positives in the test rows",
        "LogisticRegression().fit([[0], [1]], [0, 1]), [[0], [1]], [0, 0]",
        Answer(0.0, warns="UserWarning"),
        Answer(0.0, warns=UNDEFINED, says="No positive class found in y_true, for 1 of 1 rankings"),
        NO_POSITIVES,
    ),
)
DIFFERENCES = (*SCORE_DIFFERENCES, *DISPLAY_DIFFERENCES, *SCORER_DIFFERENCES)
