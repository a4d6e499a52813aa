"""A drop-in for scikit-learn's function: its own tests, and every input that it accepts."""

import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn import metrics

from sklearn_ap import average_precision_score
from tests.helpers.first_cases import quick

RNG = np.random.default_rng(0)
N = 60
Y = RNG.integers(0, 2, N)
S = RNG.integers(0, 20, N) / 16
NAMES = np.array(["no", "yes"])[Y]
WEIGHTS = [None, RNG.random(N), RNG.integers(0, 3, N)]
CLASSES = RNG.integers(0, 4, N)
COLUMNS = RNG.integers(0, 2, (N, 4))
WIDE = RNG.integers(0, 9, (N, 4)) / 8


def read_only(array):
    array = array.copy()
    array.setflags(write=False)
    return array


PREDICTIONS = {
    "lists": (Y.tolist(), S.tolist()),
    "bool labels": (Y.astype(bool), S.astype(np.longdouble)),
    "half labels": (Y.astype(np.float16), S.astype(np.float16)),
    "labels -1 and 1": (2 * Y - 1, (16 * S).astype(np.uint8)),
    "columns": (Y[:, None], S[:, None]),
    "large integers": (Y, 2**62 + (16 * S).astype(int)),
    "large unsigned": (Y, 2**63 + (16 * S).astype(np.uint64)),
    "bool scores": (Y, S > 0.5),
    "large objects": (Y, (2**60 + (16 * S).astype(int)).astype(object)),
    "other byte order": (Y.astype(">i4"), S.astype(">f8")),
    "reversed and strided": (Y[::-1], np.repeat(S, 2)[::2]),
    "read-only": (read_only(Y), read_only(S)),
    "pandas frames": (pd.DataFrame({"y": Y}), pd.DataFrame({"s": S}, index=range(N, 0, -1))),
    "nullable": (pd.Series(Y, dtype="Int64"), pd.Series(S, dtype="Float64")),
    "nullable bool": (pd.Series(Y, dtype="boolean"), pd.Series(16 * S, dtype="Int32")),
    "polars bool": (pl.Series(Y.astype(bool)), pl.Series(S)),
    "only positives": (np.ones(N, int), S),
    "only negatives": (np.zeros(N, int), S),
}
LABELS = [
    NAMES,
    NAMES.tolist(),
    np.full(N, "yes"),
    pl.Series(NAMES.tolist()),
    pd.Series(NAMES, dtype="string"),
    pd.Series(NAMES).astype("category"),
]
COLUMN_PREDICTIONS = {
    "indicators": (COLUMNS, WIDE),
    "lists": (COLUMNS.tolist(), WIDE.tolist()),
    "bool": (COLUMNS.astype(bool), np.asfortranarray(WIDE.astype(np.float32))),
    "nullable": (pd.DataFrame(COLUMNS, dtype="Int64"), pd.DataFrame(WIDE, dtype="Float64")),
    "polars": (pl.DataFrame(COLUMNS), pl.DataFrame(WIDE)),
    "an empty column": (COLUMNS * [1, 1, 0, 1], WIDE),
    "named classes": (np.array(list("dbca"))[CLASSES], WIDE),
    "integer scores": (CLASSES, (8 * WIDE).astype(int)),
}


def compare(*args, **options):
    seen = []
    for function in (average_precision_score, metrics.average_precision_score):
        with warnings.catch_warnings(record=True) as record:
            warnings.simplefilter("always")
            warnings.filterwarnings("ignore", "All scores are 0 or 1")  # it is silent there
            value = function(*args, **options)
        kinds = {re.match("No positive class found in y_true", str(w.message))[0] for w in record}
        seen.append((value, kinds))
    (ours, our_warnings), (theirs, their_warnings) = seen
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)
    assert np.ndim(ours) == np.ndim(theirs)
    assert our_warnings == their_warnings


@pytest.mark.parametrize("weight", WEIGHTS, ids=["unweighted", "weighted", "some weights 0"])
@pytest.mark.parametrize(("y_true", "y_score"), PREDICTIONS.values(), ids=PREDICTIONS)
def test_binary_predictions_agree_with_scikit_learn(y_true, y_score, weight):
    compare(y_true, y_score, sample_weight=weight)


def test_label_types_and_pos_label_agree_with_scikit_learn():
    for y_true in LABELS:
        for pos_label in ("yes", "no"):
            compare(y_true, S, pos_label=pos_label)
    for dtype in (int, bool, float):
        for pos_label in (0, 1, True, False, np.int64(1), 1.0):
            compare(Y.astype(dtype), S, pos_label=pos_label)


@pytest.mark.parametrize("weight", WEIGHTS, ids=["unweighted", "weighted", "some weights 0"])
@pytest.mark.parametrize("name", quick(COLUMN_PREDICTIONS, [*COLUMN_PREDICTIONS][::2]))
def test_multilabel_predictions_agree_with_scikit_learn(subtests, name, weight):
    y_true, y_score = COLUMN_PREDICTIONS[name]
    for average in ["macro", "micro", "weighted", "samples", None]:
        with subtests.test(f"average={average!r}"):
            if isinstance(y_score, list) and weight is None:
                y_score = np.array(
                    y_score
                )  # older versions of scikit-learn ask lists for their shape
            compare(y_true, y_score, average=average, sample_weight=weight)


# Which tests of scikit-learn's metrics call the function, by version; other versions run them all.
MODULES = tuple(
    f"sklearn.metrics.tests.test_{name}"
    for name in ("ranking", "classification", "common", "score_objects")
)
RECORD = Path(__file__).parents[1] / "data" / "scikit_learn_tests.json"
VERSION = ".".join(sklearn.__version__.split(".")[:2])
# Wording of older versions, where these tests compare with it to the letter.
WORDING = {"pos_label_error_str", "binary_pos_label_errors"}


def run_theirs(tests, *options):
    """Which tests failed, and which called the function in the place of scikit-learn's."""
    quiet = ["-m", "pytest", "-q", "--tb=no", "-W", "ignore", "-p", "no:cacheprovider"]
    command = [sys.executable, *quiet, "-c", os.devnull, *options, "--pyargs", *tests]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1] / "helpers")}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert re.search(r"\d+ passed", run.stdout), run.stdout + run.stderr
    return (
        set(re.findall(rf"^{word} (.+?)(?: - .*)?$", run.stdout, re.MULTILINE))
        for word in ("FAILED", "CALLED")
    )


def check_with_ours(tests):
    """No test fails with our function that passes with theirs; give those that called ours."""
    failed, called = run_theirs(tests, "-p", "sklearn_swap")
    if tuple(map(int, VERSION.split("."))) < (1, 8):
        failed = {name for name in failed if not any(word in name for word in WORDING)}
    if failed:
        failed -= next(run_theirs(tests))
    assert not failed
    return called


@pytest.mark.slow
def test_scikit_learns_own_tests_pass_with_our_function():
    listed = json.loads(RECORD.read_text()).get(VERSION)
    called = check_with_ours(listed or MODULES)
    assert not listed or called == {*listed}
    assert len(called) > 80


@pytest.mark.every_test_of_scikit_learn
def test_the_list_of_tests_that_call_the_function_is_complete():
    """Writes the list of this version anew."""
    recorded = json.loads(RECORD.read_text())
    called = sorted(check_with_ours(MODULES))
    RECORD.write_text(json.dumps(recorded | {VERSION: called}, indent=1, sort_keys=True) + "\n")
    assert recorded.get(VERSION) == called, f"{RECORD.name} was written anew: commit it"
