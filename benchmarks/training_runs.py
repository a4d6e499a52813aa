"""How often comparisons of methods by several training runs err, and what else is done instead."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from populations import binormal, disguised
from scipy.optimize import brentq
from scipy.special import stdtr
from simulation import Cell, main
from tables import Section, doubt, promise, table_by, table_of

import sklearn_ap
from sklearn_ap import TrainingRuns, average_precision_interval, compare_average_precision

ALPHA, ERRS, FAILS = 0.05, 8, 91  # errors above it, and coverages below it, fail
SHIFT, BETTER = 1.5, 1.9
N_SAMPLES = 300
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(21)
COLUMNS = {
    "runs": "{errs.mean:.1f}",
    "rows only": "{rows only.mean:.1f}",
    "mean scores": "{mean scores.mean:.1f}",
    "one run": "{one run.mean:.1f}",
    "runs only": "{runs only.mean:.1f}",
    "95% covers": "{covers.mean:.1f}",
    "width": "{width.mean:.2f}",
}


@dataclass(frozen=True)
class Setting:
    """Two methods on the same rows: what varies between runs, and how many there are."""

    n_rows: int
    n_positives: int
    n_runs: tuple[int, int]
    of_runs: tuple[float, float]  # the standard deviation of the shift of positives
    of_both: float  # that of what belongs to a row and a run
    shift: float = SHIFT  # of the first method
    better: float = 0.0  # how much larger it is for the second one
    paired: float = 0.0  # the part of what runs vary by that those of one number share
    unit: str = ""  # "clusters" or "queries" of 10 rows
    definition: object = sklearn_ap.definitions.Step()

    def score_of(self, shift, of_runs):
        """The mean score of all runs of a method, on all rows."""
        scale, prevalence = np.sqrt(1 + self.of_both**2), self.n_positives / self.n_rows
        scores = [binormal((shift + of_runs * z) / scale, prevalence) for z in NODES]
        return np.average(scores, weights=WEIGHTS)

    def shifts(self):
        """Those of both methods. Without a difference, their mean scores over runs are equal."""
        if self.better or self.of_runs[0] == self.of_runs[1]:
            return self.shift, self.shift + self.better
        score = self.score_of(self.shift, self.of_runs[0])
        other = self.of_runs[1]
        return self.shift, brentq(lambda d: self.score_of(d, other) - score, 0.1, 4.0, xtol=1e-6)


def rows_of(rng, setting):
    """Labels, what the scores of all runs have in common, and the units."""
    y = np.zeros(setting.n_rows, int)
    of_rows = rng.normal(size=setting.n_rows)
    y[: setting.n_positives] = 1
    if not setting.unit:
        return y, of_rows, {}
    # As many positives in each query, and any number in each cluster.
    y = rng.permutation(y) if setting.unit == "clusters" else y.reshape(10, -1).T.ravel()
    units = np.arange(y.size) // 10
    if setting.unit == "clusters":
        of_rows = 0.6 * of_rows + 0.8 * rng.normal(size=units[-1] + 1)[units]
    return y, of_rows, {setting.unit: units}


def runs_of(rng, setting, shifts):
    """The scores of all runs of both methods, and labels and units, in another form."""
    y, of_rows, options = rows_of(rng, setting)
    common, scores = rng.normal(size=max(setting.n_runs)), []
    share = np.sqrt(setting.paired), np.sqrt(1 - setting.paired)
    for shift, n_runs, spread in zip(shifts, setting.n_runs, setting.of_runs, strict=True):
        own = rng.normal(size=n_runs)
        skill = shift + spread * (share[0] * common[:n_runs] + share[1] * own)
        noise = setting.of_both * rng.normal(size=(n_runs, y.size))
        scores.append(skill[:, None] * y + of_rows + noise)
    means = [each.mean(axis=0) for each in scores]
    y, s, options = disguised(rng, y, np.concatenate([*scores, means]), options)
    *s, a, b = s
    return y, (s[: setting.n_runs[0]], s[setting.n_runs[0] :], (a, b)), options


def sample(rng, truth, setting, shifts):
    y, (*methods, means), options = runs_of(rng, setting, shifts)
    options |= {"definition": setting.definition, "n_resamples": 199}
    runs = [TrainingRuns([*each]) for each in methods]
    pair = {"paired_runs": bool(setting.paired)}
    found = compare_average_precision(y, dict(zip("AB", runs, strict=True)), **options, **pair)
    one = average_precision_interval(y, runs[0], **options)

    def differs(scores):
        models = dict(zip("AB", scores, strict=True))
        return bool(compare_average_precision(y, models, **options).pvalues[1] < ALPHA)

    return {
        "errs": bool(found.pvalues[1] < ALPHA),
        "rows only": bool(pvalue_of_rows(found) < ALPHA),
        "mean scores": differs(means),
        "one run": differs([each[0] for each in methods]),
        "runs only": bool(pvalue_of_runs(found, setting.paired) < ALPHA),
        "estimate": one.estimate,
        "low": one.low,
        "high": one.high,
        "truth": np.nan if truth is None else truth,
    }


def pvalue_of_rows(found):
    """Of the same means over runs, if no other runs could have been."""
    (shown,) = found.pilot.samples
    of_rows = shown.rows.uncertainty()
    ratio = found.differences[1] / np.sqrt(of_rows.shrunken_variance)
    return 2 * stdtr(np.maximum(of_rows.degrees_of_freedom, 1), -np.abs(ratio)).item()


def pvalue_of_runs(found, is_paired):
    """Student's test of the scores of runs, as if no other rows could have been."""
    one, other = found.run_scores
    parts = [one - other] if is_paired else [one, other]
    variance = sum(each.var(ddof=1) / each.size for each in parts)
    degrees = sum(each.size - 1 for each in parts)
    ratio = found.differences[1] / np.sqrt(max(variance, 1e-300))
    return 2 * stdtr(degrees, -abs(ratio))


SETTINGS = {
    "do not vary": [
        Setting(2_000, 200, (5, 5), (0.0, 0.0), 0.3),
        Setting(2_000, 200, (3, 3), (0.0, 0.0), 0.0),
        Setting(600, 60, (10, 10), (0.0, 0.0), 0.8),
    ],
    "vary little": [
        Setting(2_000, 200, (5, 5), (0.1, 0.1), 0.3),
        Setting(5_000, 50, (4, 4), (0.15, 0.15), 0.8),
    ],
    "vary most": [
        Setting(2_000, 200, (3, 3), (0.25, 0.25), 0.3),
        Setting(2_000, 200, (5, 5), (0.25, 0.25), 0.3),
        Setting(600, 60, (5, 5), (0.25, 0.25), 0.5),
        Setting(600, 30, (3, 3), (0.2, 0.2), 0.3),
        Setting(2_000, 200, (10, 10), (0.4, 0.4), 0.2),
        Setting(600, 60, (20, 20), (0.3, 0.3), 0.3),
    ],
    "unequal numbers": [
        Setting(2_000, 200, (5, 20), (0.2, 0.2), 0.3),
        Setting(2_000, 200, (3, 10), (0.2, 0.2), 0.3),
    ],
    "unlike spread": [
        Setting(2_000, 200, (3, 10), (0.4, 0.1), 0.3),
        Setting(2_000, 200, (5, 5), (0.4, 0.1), 0.3),
    ],
    "paired": [
        Setting(2_000, 200, (3, 3), (0.25, 0.25), 0.3, paired=0.8),
        Setting(2_000, 200, (5, 5), (0.25, 0.25), 0.3, paired=0.8),
    ],
    "clusters": [
        Setting(400, 80, (3, 3), (0.2, 0.2), 0.3, unit="clusters"),
        Setting(1_000, 200, (5, 5), (0.2, 0.2), 0.3, unit="clusters"),
    ],
    "queries": [
        Setting(500, 100, (3, 3), (0.2, 0.2), 0.3, unit="queries"),
        Setting(1_000, 200, (5, 5), (0.2, 0.2), 0.3, unit="queries"),
    ],
    "scores at k": [
        Setting(600, 60, (5, 5), (0.2, 0.2), 0.3, definition=sklearn_ap.definitions.AtK(50)),
    ],
    "one better": [
        Setting(2_000, 200, (5, 5), (0.15, 0.15), 0.3, better=BETTER - SHIFT),
        Setting(2_000, 200, (3, 3), (0.15, 0.15), 0.3, better=BETTER - SHIFT),
        Setting(2_000, 200, (5, 5), (0.15, 0.15), 0.8, better=BETTER - SHIFT),
    ],
}


def name_of(kind, setting):
    """As "vary most: 2,000 rows, 200 positives, 3 and 3 runs of 0.25, 0.3"."""
    one, other = setting.n_runs
    spread = " and ".join(dict.fromkeys(f"{each:g}" for each in setting.of_runs))
    rows = f"{setting.n_rows:,} rows, {setting.n_positives} positives"
    return f"{kind}: {rows}, {one} and {other} runs of {spread}, {setting.of_both:g}"


def cells():
    for kind, settings in SETTINGS.items():
        for setting in settings:
            is_known = not setting.unit and setting.definition == sklearn_ap.definitions.Step()
            truth = partial(setting.score_of, setting.shift, setting.of_runs[0])
            ask = partial(sample, setting=setting, shifts=setting.shifts())
            facts = {"kind": kind, "is_equal": not setting.better}
            known = {"truth": truth} if is_known else {}
            yield Cell(name_of(kind, setting), ask, N_SAMPLES, facts=facts, **known)


def is_wrong(row):
    errors = row["errs"] if row["is_equal"] else 0
    is_low = row["covers"] < FAILS - 2 * doubt(row, FAILS)
    return is_low or errors > ERRS + 2 * doubt(row, ERRS)


def section(rows):
    table = table_by("kind", rows, COLUMNS, "runs that")
    equal = [row for row in rows if row["is_equal"]]
    each = {key: f"{{{key}:.1f}}" for key in ("errs", "rows only", "mean scores", "one run")}
    each |= {key: f"{{{key}:.1f}}" for key in ("runs only", "covers")} | {"width": "{width:.2f}"}
    what = f"Errors above {ERRS}, or coverages below {FAILS}, each by two standard errors"
    fails = [table_of(what, filter(is_wrong, rows), errs="{errs:.1f}", covers="{covers:.1f}")]
    head = "Each setting: rows, positives, runs, and the deviations of runs, and of rows and runs"
    promises = [
        promise("95% intervals of a method over its runs", equal),
        promise("p < 0.05 for equal methods (5 of 100)", equal, "errs", "most"),
    ]
    return Section(promises, table, fails, [table_of(head, rows, **each)])


if __name__ == "__main__":
    main("training_runs", __doc__, cells, {"training runs": section})
