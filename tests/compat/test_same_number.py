"""What the page of tools says to write, here and in the tool, gives the same number."""

import inspect
import sys
from pathlib import Path

import numpy as np
import pytest
from compat_inputs import NAMES
from record_peers import RUNNERS, installed

import sklearn_ap
from sklearn_ap import compat, definitions

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
import tool_sentences as said

PUBLIC = {name: getattr(sklearn_ap, name) for name in sklearn_ap.__all__}
KNOWN = PUBLIC | vars(definitions)
# Eight of twenty are positive, so that recall falls on a level at 0, 1/2 and 1 alone, where floats
# are exact. Scores are exact in float32, too.
Y = np.array([1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0])
DISTINCT = np.random.default_rng(0).permutation(20) / 32 + 1 / 64
TIED = np.floor(DISTINCT * 8) / 8 + 1 / 16


def evaluated(call, y_score):
    return float(eval(call, KNOWN | {"y_true": Y, "y_score": y_score, "k": 3}))


@pytest.mark.parametrize("name", NAMES)
def test_what_we_write_for_the_number_of_a_tool(name):
    entry = compat.get(name)
    call, needs = said.ours(entry)
    options = {} if entry.k == "no" else {"k": 3}
    for y_score in (DISTINCT,) if said.UNTIED in needs else (DISTINCT, TIED):
        theirs = compat.score(name, Y, y_score, **options)
        assert evaluated(call, y_score) == pytest.approx(theirs, abs=entry.tolerance)


def test_most_numbers_have_a_definition():
    """And those that have none are what they are: calls of compat.score."""
    without = [name for name in NAMES if said.ours(compat.get(name))[0].startswith("compat.score")]
    assert "ROCR.aucpr" in without
    assert "MLmetrics.PRAUC" in without
    assert len(without) < len(NAMES) / 4


def told(theirs):
    return {name: Y.size if value is len else value for name, value in theirs.options.items()}


@pytest.mark.parametrize("tool", said.THEIRS)
def test_what_to_write_in_a_tool_for_our_number(tool):
    theirs = said.THEIRS[tool]
    entry = compat.get(theirs.function)
    assert tool in entry.tool  # pytrec_eval is trec_eval
    for y_score in (DISTINCT, TIED) if theirs.ties else (DISTINCT,):
        value = compat.score(theirs.function, Y, y_score, **told(theirs))
        assert value == pytest.approx(evaluated(theirs.ours, y_score), abs=entry.tolerance)


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("tool", said.THEIRS)
def test_what_to_write_in_a_tool_that_is_installed(tool):
    theirs = said.THEIRS[tool]
    run = RUNNERS.get(theirs.function)
    if run is None or not installed(theirs.function):
        pytest.skip(f"{tool} is not run here")
    assert set(theirs.options) <= set(inspect.signature(run).parameters)
    value = run(Y, DISTINCT, **told(theirs))
    tolerance = compat.get(theirs.function).tolerance
    assert value == pytest.approx(evaluated(theirs.ours, DISTINCT), abs=tolerance)


def test_every_tool_has_its_sentence():
    tools = {entry.tool for entry in compat.conventions()}
    assert set(said.SENTENCES) == tools, "write a sentence in docs/tool_sentences.py"
    assert set(said.THEIRS) <= tools
    for text in said.SENTENCES.values():
        assert text.count(". ") == 0
        assert text.endswith(".")
