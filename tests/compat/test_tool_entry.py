"""An entry has choices that go together and the options that they read; it says what is special."""

import re
from dataclasses import replace

import pytest

from sklearn_ap import compat
from sklearn_ap.compat._choices import OPTIONS
from sklearn_ap.compat._tool_entry import DEFAULTS, Entry, check_option
from sklearn_ap.compat._tools import ENTRIES


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"over": "11 levels"}, "over '11 levels' needs between 'envelope', not 'step'"),
        (
            {"over": "one level", "between": "hyperbola"},
            "over 'one level' needs between 'envelope', not 'hyperbola'",
        ),
        ({"start": "(0, 1)"}, "between 'step' has no use for start '(0, 1)'"),
        ({"between": "straight line"}, "between 'straight line' needs a start"),
        ({"ties": "a coin"}, "ties has no option 'a coin'; it has 'grouped', 'input order'"),
    ],
)
def test_what_does_not_go_together(changed, message):
    choices = ENTRIES[0].choices._replace(**changed)
    with pytest.raises(ValueError, match=re.escape(f"a.b: {message}")):
        Entry("a.b", "1", choices)


def test_an_entry_has_the_options_that_its_choices_read():
    choices = ENTRIES[0].choices._replace(scores="floored", between="straight line", start="(0, 1)")
    entry = Entry("a.b", "1", choices, other_options=("empty_target_action",))
    options = {"dtype": "float32", "threshold": 100, "empty_target_action": "neg"}
    assert entry.options == options


@pytest.mark.parametrize("option", DEFAULTS)
def test_the_default_of_an_option_is_a_good_value(option):
    known = DEFAULTS[option]
    for value in known if isinstance(known, tuple) else [known]:
        check_option(option, value)


def test_an_option_without_a_default_is_told_where_it_goes(monkeypatch):
    option = OPTIONS["ties"]["grouped"]
    monkeypatch.setitem(OPTIONS["ties"], "asked", replace(option, function=lambda *, how: how))
    choices = ENTRIES[0].choices._replace(ties="asked")
    with pytest.raises(ValueError, match=r"a\.b: add the default of how to DEFAULTS of"):
        Entry("a.b", "1", choices)


def test_a_source_was_run_or_read():
    choices = ENTRIES[0].choices
    with pytest.raises(ValueError, match=r"a\.b: source must begin with .* got 'seen'"):
        Entry("a.b", "1", choices, source="seen")


def test_lightgbm_with_only_positives_needs_no_weight_at_the_top():
    options = {"sample_weight": [0, 1, 1]}
    assert compat.score("lightgbm.average_precision", [1, 1, 1], [3, 2, 1], **options) == 1.0


def test_globox_refuses_scores_whatever_the_labels():
    for y_true in ([0, 0], [0, 1], [1, 1]):
        with pytest.raises(compat.ToolError, match="AssertionError: Confidence should be"):
            compat.score("globox.ap_50", y_true, [3.0, 0.2])
