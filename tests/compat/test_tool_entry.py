"""An entry has choices that go together and the options that they read; it says what is special."""

import re

import pytest
from compat_inputs import OWN

from sklearn_ap import compat
from sklearn_ap.compat._choices import OPTIONS
from sklearn_ap.compat._our_entries import OUR_ENTRIES
from sklearn_ap.compat._tool_entry import Entry
from sklearn_ap.compat._tools import ENTRIES, get
from sklearn_ap.definitions import Interpolated
from sklearn_ap.definitions._names import conventions


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"over": "11 levels"}, "over '11 levels' needs between 'envelope', not 'step'"),
        ({"start": "(0, 1)"}, "between 'step' has no use for start '(0, 1)'"),
        ({"ties": "a coin"}, "ties has no option 'a coin'; it has 'grouped', 'input order'"),
    ],
)
def test_incompatible_choices_are_refused(changed, message):
    choices = ENTRIES[0].choices._replace(**changed)
    with pytest.raises(ValueError, match=re.escape(f"a.b: {message}")):
        Entry("a.b", "1", "2026-11-23", choices)


def test_globox_refuses_scores_whatever_the_labels():
    for y_true in ([0, 0], [1, 1]):
        with pytest.raises(compat.ToolError, match="AssertionError: Confidence should be"):
            compat.score("globox.ap_50", y_true, [3.0, 0.2])


def test_every_option_of_every_choice_is_used():
    known = [entry.choices for entry in (*ENTRIES, *OUR_ENTRIES)]
    known += [get(definition).choices for definition in (*OWN, Interpolated(7), *conventions(3))]
    for choice in OPTIONS:
        assert {getattr(choices, choice) for choices in known} == set(OPTIONS[choice])
