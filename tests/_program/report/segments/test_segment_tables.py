"""The table of segments: the scores of the model of the part, and those of the next one."""

import numpy as np
import pytest
from report_data import shows

from sklearn_ap import compare_segments, report

N = 6_000
RNG = np.random.default_rng(2)
CODE = np.arange(N) % 5
MONTH = np.array([f"2026-0{i}" for i in range(1, 6)])[CODE]
SHOP = np.array(["north", "south", "west"])[np.arange(N) // 5 % 3]
Y = RNG.random(N) < 0.1
NOISE = RNG.normal(size=(3, N))
NEW, OLD, OLDEST = 2.2 * Y + NOISE[0], 1.5 * Y + NOISE[1], 0.9 * Y + NOISE[2]
CHANGE = "minus the others [95%, not adjusted]"
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def table_of(scores, column, **options):
    (part, *_) = report(Y, scores, segments=column, parts=["segments"], **options).parts
    return part.cells


def rows_of(score, segments, **options):
    """The rows of segments as a model ranks them, by their names."""
    return {row["segment"]: row for row in compare_segments(Y, score, segments, **options).rows()}


def heads_of(first, second, subject, prevalence=None, name="shop"):
    prevalence = prevalence or Y.mean()
    scores = [f"{first} at prevalence {prevalence:#.2g} [95% interval]"]
    scores += [f"{second} [95% interval]"] * bool(second)
    return [name, *scores, "positives", "own prevalence", f"{subject}{CHANGE}", "p (Holm)"]


@pytest.mark.parametrize("prevalence", [None, 0.2])
def test_the_second_of_two_models_has_a_column_behind_that_of_the_best_one(prevalence):
    options = {} if prevalence is None else {"prevalence": prevalence}
    head, *rows = table_of({"old": OLD, "new": NEW}, {"shop": SHOP}, **options)
    assert head == heads_of("new", "old", "new ", prevalence=prevalence)
    new, old = (rows_of(score, SHOP, **options) for score in (NEW, OLD))
    assert [row[0] for row in rows] == [*new]
    for name, first, second, n_positives, _, change, pvalue in rows:
        assert shows(first, *(new[name][key] for key in ("estimate", "low", "high")))
        assert shows(second, *(old[name][key] for key in ("estimate", "low", "high")))
        assert int(n_positives) == np.sum(Y[name == SHOP])
        keys = "difference", "difference_low", "difference_high"
        assert shows(change, *(new[name][key] for key in keys))
        assert float(pvalue) == pytest.approx(new[name]["adjusted_pvalue"], abs=0.006)


def test_of_three_models_the_next_one_has_a_column_as_in_the_picture():
    head, *rows = table_of({"oldest": OLDEST, "old": OLD, "new": NEW}, {"shop": SHOP})
    assert head == heads_of("new", "old", "new ")
    old = rows_of(OLD, SHOP)
    assert all(shows(row[2].split()[0], old[row[0]]["estimate"]) for row in rows)


@pytest.mark.parametrize(("scores", "name"), [(NEW, "score"), ({"new": NEW}, "new")])
def test_a_single_model_has_one_column_of_scores(scores, name):
    head, *rows = table_of(scores, {"shop": SHOP})
    assert head == heads_of(name, "", "new " if name == "new" else "")
    assert {len(row) for row in rows} == {len(head)}


def test_the_scores_of_the_second_model_stand_beside_those_of_an_outlier():
    """The best model falls in the last month, whose change is against the other months."""
    fallen = np.where(CODE == 4, 0.2, 3) * Y + NOISE[0]
    scores = {"old": OLD, "new": fallen}
    head, *rows = table_of(scores, {"month": MONTH})
    assert head == heads_of("new", "old", "new ", name="month")
    new, old = (rows_of(scores[name], MONTH) for name in ("new", "old"))
    for row in rows:
        assert shows(row[1].split()[0], new[row[0]]["estimate"])
        assert shows(row[2], *(old[row[0]][key] for key in ("estimate", "low", "high")))
    assert shows(rows[-1][-2].split()[0], new["2026-05"]["difference"])


def test_the_heads_of_a_column_for_the_model_to_use_for_now_name_it_first():
    fallen = np.where(CODE == 4, 0.2, 3) * Y + NOISE[0]
    columns = {"month": MONTH, "shop": SHOP}
    parts = ["comparison", "segments"]
    made = report(Y, {"old": OLD, "new": fallen}, segments=columns, parts=parts)
    comparison, months, shops, *_ = made.parts
    assert comparison.more[0].startswith("Use old for now")
    assert months.cells[0][1:3] == heads_of("new", "old", "")[1:3]
    assert shops.cells[0] == heads_of("old", "new", "old ")
    old, new = (rows_of(score, SHOP) for score in (OLD, fallen))
    for row in shops.cells[1:]:
        assert shows(row[1].split()[0], old[row[0]]["estimate"])
        assert shows(row[2].split()[0], new[row[0]]["estimate"])
