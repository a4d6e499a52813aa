"""What the page of tools says to write, here and in the tool, gives the same number."""

import numpy as np
import pytest
import tool_sentences as said
from compat_inputs import NAMES

import sklearn_ap
from sklearn_ap import compat, definitions
from sklearn_ap.compat._tools import ENTRIES, get

BASELINE = get("sklearn")
PUBLIC = {name: getattr(sklearn_ap, name) for name in sklearn_ap.__all__}
KNOWN = PUBLIC | vars(definitions)
# Eight of twenty are positive, so that recall falls on a level at 0, 1/2 and 1 alone, where floats
# are exact. Scores are exact in float32, too.
Y = np.array([1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0])
DISTINCT = np.random.default_rng(0).permutation(20) / 32 + 1 / 64
TIED = np.floor(DISTINCT * 8) / 8 + 1 / 16


def evaluated(call, y_score):
    return float(eval(call, KNOWN | {"y_true": Y, "y_score": y_score, "k": 3}))


def test_our_documented_call_gives_the_number_of_the_tool(subtests):
    for name in NAMES:
        with subtests.test(f"compat.score({name!r}, Y, DISTINCT or TIED)"):
            entry = get(name)
            call, needs = said.ours(entry)
            options = {} if entry.k == "no" else {"k": 3}
            for y_score in (DISTINCT,) if said.UNTIED in needs else (DISTINCT, TIED):
                theirs = compat.score(name, Y, y_score, **options)
                assert evaluated(call, y_score) == pytest.approx(theirs, abs=entry.tolerance)


# With these options, functions of tools give numbers of ours, as the page says.
OURS = {name: said.ours(get(name))[0] for name in NAMES}
AT_ALL = {
    name: ({"k": Y.size}, said.STEP)
    for name, call in OURS.items()
    if call.startswith("average_precision_at_k_score(y_true, y_score, k=k")
    and 'normalizer="k"' not in call
}
IN_FLOAT64 = {
    name: ({"dtype": "float64"}, call)
    for name, call in OURS.items()
    if "dtype" in get(name).options and not call.startswith("compat.score")
}
BINS = {"num_thresholds": 10_001}, said.HYPERBOLIC  # enough of them
THERE = AT_ALL | IN_FLOAT64 | dict.fromkeys(("keras.AUC_PR_interpolation", "metrax.AUCPR"), BINS)


@pytest.mark.parametrize("name", THERE)
def test_documented_tool_call_gives_our_number(name):
    options, ours = THERE[name]
    for y_score in (DISTINCT,) if name in AT_ALL else (DISTINCT, TIED):
        value = compat.score(name, Y, y_score, **options)
        assert value == pytest.approx(evaluated(ours, y_score), abs=get(name).tolerance)


def test_every_top_k_divisor_maps_to_a_normalizer():
    choices = [entry.choices for entry in ENTRIES if entry.choices.between != "each hit"]
    used = {each.divisor for each in choices if each.over in ("top k", "top 32")}
    lacking = used - said.NORMALIZERS.keys()
    assert not lacking, (
        f"docs/tool_sentences.py: write {lacking} into NORMALIZERS, with the normalizer of "
        f"average_precision_at_k_score that divides so, or with None"
    )
