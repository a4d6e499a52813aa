"""Both calls of each row of compat.differences, with the scikit-learn that is installed.

CI runs this with the oldest that we support and with the newest.
"""

import tomllib
import warnings

import differences_page as page
import numpy as np
import pytest
import sklearn
from pages import tables

from sklearn_ap import compat
from sklearn_ap.compat._different_inputs import DIFFERENCES, FIRST, OLDEST, PARTS, Answer

pytest.importorskip("matplotlib")
pytest.importorskip("pandas")

INSTALLED = tuple(map(int, sklearn.__version__.split(".")[:2]))


def version(text):
    return tuple(map(int, text.split(".")))


def named(each):
    return f"{each.calls.part}: {each.input}"


every_difference = pytest.mark.parametrize("each", DIFFERENCES, ids=named)


def run(call):
    """What a call gives, as the table writes it, and the text of its exception or first warning."""
    known = {}
    exec(compat.differences().setup, known)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        # scikit-learn's solver and a newer SciPy, which have nothing to do with the input
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            value = eval(call, known)
        except Exception as error:
            return Answer(raises=type(error).__name__), str(error)
    names = {each.category.__name__ for each in heard}
    assert len(names) <= 1, names
    is_number = isinstance(value, float | np.floating)
    found = Answer(round(float(value), 4) if is_number else value, warns="".join(names))
    return found, str(heard[0].message) if heard else ""


def check(answer, call, arguments):
    found, text = run(call.format(arguments))
    assert found == Answer(answer.value, answer.raises, answer.warns)
    assert text.startswith(answer.says)
    if answer.like:
        assert run(call.format(answer.like))[0].value == answer.value


@every_difference
def test_scikit_learn_behaves_as_the_table_states(each):
    if version(each.scikit_learn_since) <= INSTALLED:
        check(each.scikit_learn, each.calls.scikit_learn, each.arguments)
    else:
        found, _ = run(each.calls.scikit_learn.format(each.arguments))
        assert found != Answer(
            each.scikit_learn.value, each.scikit_learn.raises, each.scikit_learn.warns
        ), f"it holds since {sklearn.__version__} at least"


@every_difference
def test_sklearn_ap_behaves_as_the_table_states(each):
    check(each.sklearn_ap, each.calls.sklearn_ap, each.arguments)


def test_every_row_differs_and_has_a_reason_and_versions():
    for each in DIFFERENCES:
        theirs, ours = (
            (answer.value, answer.raises, answer.warns)
            for answer in (each.scikit_learn, each.sklearn_ap)
        )
        assert theirs != ours or each.scikit_learn.says != each.sklearn_ap.says
        assert each.why.endswith(".")
        assert version(each.scikit_learn_since) >= version(OLDEST)
        assert each.sklearn_ap_since == FIRST
        # Messages of scikit-learn differ between versions; where one of ours helps, it is quoted.
        assert not each.scikit_learn.says
        assert not each.sklearn_ap.raises or each.sklearn_ap.says


def test_the_oldest_version_is_the_one_that_the_package_needs():
    project = tomllib.loads((page.PAGE.parents[1] / "pyproject.toml").read_text())["project"]
    assert f"scikit-learn>={OLDEST}" in project["dependencies"]


def test_the_result_prints_a_table_for_each_part():
    found = compat.differences()
    text, html = str(found), found._repr_html_()
    assert repr(found) == text
    assert max(map(len, text.splitlines())) <= 100
    for part in PARTS:
        assert part in text.splitlines()
    assert html.count("<table>") == len(PARTS)
    # The beginning of our message is in the wide table alone.
    assert "y_true takes value in {1, 2}" in html
    assert "y_true takes value in {1, 2}" not in text


def test_the_frame_has_calls_that_can_be_run():
    frame = compat.differences().to_frame()
    assert len(frame) == len(DIFFERENCES)
    assert [*frame] == [*compat.differences()._rows()[0]]
    first = frame.iloc[0]
    assert run(first.scikit_learn_call)[0].value == 0.4167
    assert run(first.sklearn_ap_call)[0].raises == "ValueError"


def test_differences_page_is_up_to_date():
    assert page.PAGE.read_text() == page.page(), "run python docs/differences_page.py"
    on_page = [rows for (head, *_), *rows in tables(page.PAGE.read_text()) if head == "input"]
    assert sum(map(len, on_page)) == len(DIFFERENCES)
