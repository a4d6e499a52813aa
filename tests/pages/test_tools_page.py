"""The table of tools, which docs/tools_page.py writes."""

import numpy as np
import pytest
import tools_page

from sklearn_ap import compat
from sklearn_ap.compat._tool_functions import other_functions
from tests.helpers.compat_inputs import tolerance_of


def test_page_is_up_to_date_and_short():
    text = tools_page.PAGE.read_text()
    assert text == tools_page.page(), "run python docs/tools_page.py"
    assert text.count("\n") <= 300
    n_tools = len({function.tool for function in other_functions()})
    count = f"{len(other_functions())} functions of {n_tools} tools"
    for page in ("compat.md", "changelog.md"):
        assert count in (tools_page.DOCS / page).read_text(), f"{page} must say {count!r}"


def test_definitions_of_the_page_give_the_number_of_the_tool(subtests):
    """Without ties, for 100 positives: some of their recalls are no floats of 11 or 101 levels."""
    rng = np.random.default_rng(0)
    y_true, y_score = rng.permutation(np.arange(300) < 100), (1 + rng.permutation(300)) / 300
    for function in other_functions():
        definition = tools_page.same_definition(function)
        if definition is not None:
            with subtests.test(function.name):
                options = {"k": tools_page.K} if function.takes_k else {}
                theirs = compat.score(y_true, y_score, function.name, **options)
                ours = compat.score(y_true, y_score, definition)
                assert ours == pytest.approx(theirs, abs=tolerance_of(function.name))
