"""The page that benchmarks/cross_validation.py writes."""

import datetime
from typing import Any

import numpy as np
from simulation import table

KEYS = ("n", "prevalence", "folds", "split")  # of a cell, beside its learner
N_RUNS_AGAIN = 1000
N_CONTESTS_AGAIN = 2000
PAGE = """# Coverage in cross-validation

Numbers from cross-validation, beside the truth: the mean average precision of the same models on
many new rows. "Mean" is the mean of the scores of the folds, which `cross_val_score` gives. "Pool"
is `AveragePrecisionInterval.from_cv_results`. "Bias" says how much higher a number is than the
truth, on average, and "rmse" is the root of the mean squared error. "Held" says in how many of 100
samples the 95% interval contained the truth; that of the mean is mean +- 1.96 sd / sqrt(folds).
"Warned" says how often the pool came with a warning that the scores of the folds do not mean the
same. The rows with "ranks", "odds" and "expected AP" do what this warning advises. "n" is the
number of positives, and "share" the prevalence. "Split" says how folds are made. "Plain" and
"sorted" are `KFold`, with shuffled rows and with rows that are half sorted by label. Patients have
5 rows each: one of them is left out (`LeaveOneGroupOut`), or they are split by `GroupKFold` or
`StratifiedGroupKFold`, and are passed as `clusters`. Each row comes from {n_runs} runs, so a
coverage of 95 is 95 +- 3. The truth is that of a test set with 6 times the positives, or more. Its
own noise lowers a coverage of 95 to about 93 with 200 and with 500 positives.

{conclusion}

Written by `python benchmarks/cross_validation.py` on {date}: {n_done} of {n_all} cells, the small
ones first.

## Cells that miss a goal

The goals are a bias of at most .03, an rmse of at most that of the mean, and a coverage of 93 to
99.5. With {n_runs} runs, the error of a bias is .14 of the rmse, and that of a coverage is 3.
Small trees and the hinge loss come with a warning in most runs, and the rows below them do what it
advises. From 200 positives on, the advice removes about three quarters of the bias or more. With
50 it helps little, and with 20 it makes the pool worse.

{misses}

## Low cells again

Of many rows with 200 runs, some are below 93 by chance, and the noise of the truth lowers all.
These are the cells below 93 that come without a warning in most runs, with {n_again} new runs and
a truth from 2.5 times as many rows. {n_again_done} of {n_low} cells are done. A coverage of 95 is
then 95 +- 1.4.

{again}

## All cells

{cells}

## Comparisons: how often p < 0.05

Two pipelines train the same learner on columns of their own, at a prevalence of .1. Where the
second has no advantage, both ways of training are equally good. "Missed" says how often the
interval of `of="models"` did not contain the difference of the models of the folds. "models" and
"training" say how often these comparisons found a difference, beside Nadeau and Bengio's test
(2003) and the paired t test of the scores of the folds. The models of equally good ways differ a
little, so "models" may find a difference in more than 5. Each row comes from {n_contests} runs,
and {n_contests_done} of {n_contests_all} rows are done. The truth of "missed" is that of a test
set with 15 times the positives, or more, which adds less than 1 to it.

{contests}

## High errors again

"Missed" should be 5. Without an advantage, "training" should be 5, too. The rows in which one of
these is above 7 were simulated again, with {n_contests_again} new runs each.
{n_contests_again_done} of {n_wrong} rows are done. A 5 is then uncertain by 1.

{contests_again}
"""


def cells_table(rows: list[dict[str, Any]]) -> str:
    """Every cell."""
    head = "learner|n|share|folds|split|truth|mean: bias|rmse|held|pool: bias|rmse|held|warned"
    formats = {"n": "g", "prevalence": "g", "folds": "g", "split": "", "truth": ".3f"}
    formats |= {"mean bias": "+.3f"}
    formats |= {"mean rmse": ".3f", "naive": ".0f", "pool bias": "+.3f", "pool rmse": ".3f"}
    formats |= {"held": ".1f", "warned": ".0f"}
    lines = [
        [row["learner"], *(f"{row[name]:{form}}" for name, form in formats.items())] for row in rows
    ]
    return table([head.split("|"), *lines])


def misses(row: dict[str, Any]) -> bool:
    """Whether a cell misses a goal."""
    return (
        abs(row["pool bias"]) > 0.03
        or row["pool rmse"] > row["mean rmse"]
        or not 93 <= row["held"] <= 99.5
    )


def contests_table(rows: list[dict[str, Any]]) -> str:
    """Every contest."""
    head = "learner|n|folds|split|advantage|missed|models|training|Nadeau-Bengio|paired t"
    names = ("missed", "models", "training", "nadeau", "naive")
    rows = sorted(rows, key=lambda row: row["advantage"])
    lines = [
        [row["learner"], f"{row['n']:g}", f"{row['folds']:g}", row["split"]]
        + [f"{row['advantage']:g}"]
        + [f"{row[name]:.1f}" for name in names]
        for row in rows
    ]
    return table([head.split("|"), *lines])


def conclusion(rows: list[dict[str, Any]]) -> str:
    """What stratified folds show, in two sentences."""
    kept = [row for row in rows if row["warned"] <= 50 and row["split"] == "stratified"]
    few = [row for row in kept if row["n"] / row["folds"] <= 10] or kept
    worst = max(few, key=lambda row: row["mean bias"])
    return (
        f"In stratified folds with at most 10 positives each, the mean of the folds is too high by "
        f"{np.mean([row['mean bias'] for row in few]):.3f} on average, and by "
        f"{worst['mean bias']:.3f} at worst, where the truth is {worst['truth']:.3f}; the pool is "
        f"too high by {np.mean([row['pool bias'] for row in few]):.3f} on average. The interval "
        f"holds the truth in {min(row['held'] for row in kept):.0f} to "
        f"{max(row['held'] for row in kept):.0f} of 100 samples, mean +- 1.96 SE in "
        f"{min(row['naive'] for row in kept):.0f} to {max(row['naive'] for row in kept):.0f}."
    )


def page(
    cells: list[dict[str, Any]],
    contests: list[dict[str, Any]],
    again: list[dict[str, Any]],
    contests_again: list[dict[str, Any]],
    n_all: list[int],
    quick: bool = False,
) -> str:
    """The page of the docs. ``n_all`` says how many tasks of each of these kinds there are."""
    missed = [row for row in cells if misses(row)]
    done = {(row["learner"].split(",")[0], *(row[key] for key in KEYS)) for row in cells}
    tasks_again = {(row["learner"].split(",")[0], *(row[key] for key in KEYS)) for row in again}
    again = [row for row in again if row["warned"] <= 50]
    return PAGE.format(
        conclusion=conclusion(cells) if cells else "",
        n_runs=3 if quick else 200,
        n_contests=3 if quick else 300,
        date=datetime.date.today(),
        n_done=len(done),
        n_all=n_all[0],
        misses=cells_table(missed) if missed else "None.",
        n_again=N_RUNS_AGAIN,
        n_again_done=len(tasks_again),
        n_low=n_all[2],
        again=cells_table(again) if again else "None.",
        cells=cells_table(cells),
        contests=contests_table(contests),
        n_contests_done=len(contests),
        n_contests_all=n_all[1],
        n_contests_again=N_CONTESTS_AGAIN,
        n_contests_again_done=len(contests_again),
        n_wrong=n_all[3],
        contests_again=contests_table(contests_again) if contests_again else "None.",
    )
