"""Every option of every choice is used, and choices have names."""

from dataclasses import replace

import pytest
from compat_inputs import checked

from sklearn_ap.compat._choices import OPTIONS
from sklearn_ap.compat._evaluation import Evaluation
from sklearn_ap.compat._tool_entry import DEFAULTS, Entry
from sklearn_ap.compat._tools import ENTRIES, get


def test_every_option_of_every_choice_is_used_and_known():
    for place, choice in enumerate(OPTIONS):
        used = {entry.choices[place] for entry in ENTRIES}
        assert used == set(OPTIONS[choice])


def test_choices_have_names():
    choices = get("xgboost.map@k").choices
    assert choices._fields == tuple(OPTIONS)
    assert (choices.over, choices.divisor) == ("top k", "min(k, positives)")


@pytest.mark.parametrize("choice", OPTIONS)
def test_an_option_of_any_choice_may_read_arguments_of_the_tool(choice, monkeypatch):
    has_start = get("sklearn.auc_of_precision_recall_curve")
    usual = (has_start if choice == "start" else ENTRIES[0]).choices
    option, seen = OPTIONS[choice][getattr(usual, choice)], []

    def function(*given, cut):
        seen.append(cut)
        return option.function(*given)

    monkeypatch.setitem(OPTIONS[choice], "cut", replace(option, function=function))
    monkeypatch.setitem(DEFAULTS, "cut", 0.5)
    entry = Entry("acme.ap", "1", usual._replace(**{choice: "cut"}))
    given = checked([1, 0, 1], [3, 2, 1])
    expected = Evaluation(given).values(usual, None, {})
    assert Evaluation(given).values(entry.choices, None, entry.options) == expected
    assert seen == [0.5]
