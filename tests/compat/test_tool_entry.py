"""An entry has choices that go together and the options that they read; it says what is special."""

import re
from dataclasses import replace

import pytest

from sklearn_ap import compat
from sklearn_ap.compat._choices import OPTIONS
from sklearn_ap.compat._tool_entry import Entry
from sklearn_ap.compat._tools import conventions


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
    choices = conventions()[0].choices._replace(**changed)
    with pytest.raises(ValueError, match=re.escape(f"a.b: {message}")):
        Entry("a.b", "1", choices)


@pytest.mark.parametrize(
    ("changed", "options", "message"),
    [
        ({"scores": "floored"}, {}, "dtype, threshold, not none"),
        ({"scores": "dtype"}, {"level": 0.5}, "dtype, not level"),
        ({}, {"from_logits": False}, "none, not from_logits"),
    ],
)
def test_an_entry_has_the_options_that_its_choices_ask_for(changed, options, message):
    choices = conventions()[0].choices._replace(**changed)
    with pytest.raises(ValueError, match=f"a.b: its choices ask for the options {message}"):
        Entry("a.b", "1", choices, options=options)


def test_a_bad_default_of_an_option_is_refused():
    choices = conventions()[0].choices._replace(scores="dtype")
    with pytest.raises(ValueError, match="dtype must be one of float32, float64"):
        Entry("a.b", "1", choices, options={"dtype": "float16"})


def test_the_values_of_an_option_that_is_a_string_are_listed(monkeypatch):
    option = replace(OPTIONS["ties"]["grouped"], arguments=("how",))
    monkeypatch.setitem(OPTIONS["ties"], "asked", option)
    choices = conventions()[0].choices._replace(ties="asked")
    with pytest.raises(ValueError, match=r"a\.b: list the values of how in NAMES of"):
        Entry("a.b", "1", choices, options={"how": "up"})


def test_a_source_was_run_or_read():
    choices = conventions()[0].choices
    with pytest.raises(ValueError, match=r"a\.b: source must begin with .* got 'seen'"):
        Entry("a.b", "1", choices, source="seen")


def test_lightgbm_with_only_positives_needs_no_weight_at_the_top():
    options = {"sample_weight": [0, 1, 1]}
    assert compat.score("lightgbm.average_precision", [1, 1, 1], [3, 2, 1], **options) == 1.0


def test_globox_refuses_scores_whatever_the_labels():
    for y_true in ([0, 0], [0, 1], [1, 1]):
        with pytest.raises(compat.ToolError, match="AssertionError: Confidence should be"):
            compat.score("globox.ap_50", y_true, [3.0, 0.2])
