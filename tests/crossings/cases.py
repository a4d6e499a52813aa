"""Random rows and options from a seed: all that a caller can say, crossed."""

from dataclasses import dataclass, field, replace
from typing import Any

import full_reference
import numpy as np

KS = (1, 2, 3, 5, 10, 60)
SHARES = (0.0, 0.3, 0.5, 0.8, 1.0)
DEFINITIONS = [
    *(("Step", {}), ("Step", {}), ("Linear", {}), ("Hyperbolic", {}), ("Interpolated", {})),
    *(("Interpolated", {"recall_levels": levels}) for levels in (2, 11, 101, (0.1, 0.5, 1.0))),
    *(("AtK", {"k": k}) for k in KS),
    *(("AtK", {"k": k, "normalizer": by}) for k in (2, 10) for by in ("positives", "hits", "k")),
    *((name, {"k": k}) for name in ("PrecisionAtK", "RecallAtK", "Expected") for k in KS[::2]),
    *(("RecallAtPrecision", {"precision": share}) for share in SHARES),
    *(("PrecisionAtRecall", {"recall": share}) for share in SHARES),
    *(("Expected", {}), ("Expected", {})),
]


@dataclass(frozen=True)
class Case:
    """Labels, the scores of three models, a definition and the options that are not the default."""

    seed: int
    kind: str  # "rows", "queries", "columns" or "classes"
    y_true: Any
    scores: dict[str, Any]
    definition: tuple[str, dict[str, Any]]
    options: dict[str, Any]
    known: dict[Any, Any] = field(default_factory=dict, compare=False)  # of the reference

    @property
    def y_score(self):
        return self.scores["a"]

    def without(self, *names):
        options = {k: v for k, v in self.options.items() if k not in names}
        return replace(self, options=options, known={})

    def exact(self, model="a", **changes):
        """What the reference gives, computed once."""
        key = model, repr(changes)
        if key not in self.known:
            self.known[key] = self.computed(model, changes)
        return self.known[key]

    def computed(self, model, changes):
        options = {name: plain(option) for name, option in (self.options | changes).items()}
        options.pop("clusters", None)
        rows = plain(self.y_true), plain(self.scores[model])
        return full_reference.score(*rows, self.definition, **options)


def plain(thing):
    return thing.tolist() if isinstance(thing, np.ndarray) else thing


def make(seed):
    """The case of a seed."""
    rng = np.random.default_rng(seed)
    kind = str(rng.choice(["rows", "rows", "queries", "queries", "columns", "classes"]))
    n = int(rng.choice([1, 2, 3, *rng.integers(4, 13, 3), *rng.integers(13, 40, 3)]))
    n_columns = 1 if kind in ("rows", "queries") else int(rng.integers(2, 5))
    options: dict[str, Any] = {}
    if kind == "queries":
        options["queries"] = queries(rng, n)
    y_true = labels(rng, kind, n, max(n_columns, 3) if kind == "classes" else n_columns, options)
    shape = (n,) if n_columns == 1 else (n, max(n_columns, 3) if kind == "classes" else n_columns)
    made = scores(rng, shape, options.get("queries"))
    name, of_definition = DEFINITIONS[rng.integers(len(DEFINITIONS))]
    averages = ["macro", "weighted", None]
    averages += ["micro", "samples"] if n_columns > 1 else []
    if rng.random() < 0.8:
        options["average"] = averages[rng.integers(len(averages))]
    if name != "Expected" and rng.random() < 0.5:
        options["sample_weight"] = weights(rng, n)
    if name != "Expected" and "k" not in of_definition and rng.random() < 0.25:
        options["prevalence"] = float(rng.choice([0.01, 0.3, 0.5, 0.9]))
    if rng.random() < 0.8:
        options["zero_division"] = [0.0, 1.0, np.nan, "warn"][rng.integers(4)]
    if kind == "columns" and np.isnan(y_true[options.get("sample_weight", np.ones(n)) > 0]).all():
        y_true = np.nan_to_num(y_true)
    case = Case(seed, kind, y_true, made, (name, of_definition), options)
    return with_known_positives(case, rng) if rng.random() < 0.2 else case


def queries(rng, n):
    names = rng.integers(0, rng.integers(1, 7), n) * 3  # 9 and 12 sort otherwise as text
    style = rng.integers(4)
    if style == 0:
        return np.array([f"q{name}" for name in names])
    return names.astype([np.int64, np.int64, np.float64, np.int32][style])


def labels(rng, kind, n, n_columns, options):
    share = rng.choice([0.0, 0.1, 0.4, 0.4, 0.8, 1.0])
    if kind == "columns":
        table = (rng.random((n, n_columns)) < share).astype(int)
        unknown = rng.random((n, n_columns)) < rng.choice([0.0, 0.0, 0.3, 0.8])
        return np.where(unknown, np.nan, table) if unknown.any() else table
    if kind == "classes":
        names = np.array([["ham", "spam", "eggs", "toast"], [3, 1, 20, 10]][rng.integers(2)])
        y_true = rng.choice(names[:n_columns], n)
        if np.unique(y_true).size < n_columns or rng.random() < 0.3:
            options["labels"] = rng.permutation(names[:n_columns])
        return y_true
    y_true, style = (rng.random(n) < share).astype(int), rng.integers(8)
    if style > 3:
        return y_true
    named = [
        np.array(["ham", "spam"]),
        np.array([1, 2]),
        np.array([-1, 1]),
        np.array([False, True]),
    ]
    if style < 2:
        options["pos_label"] = named[style][rng.integers(2)].item()
    elif style == 2 and not y_true.any():
        options["pos_label"] = 1
    return named[style][y_true]


def scores(rng, shape, names):
    """Those of three models. The last one may have retrieved other rows."""
    n_levels, is_small = int(rng.choice([1, 2, 5, 40])), rng.random() < 0.25
    lost, made = rng.integers(8), {}
    for model in "abc":
        score = (rng.integers(0, n_levels, shape) - 3) / 8
        if lost == 7:
            score = rng.normal(size=shape)
        out = rng.random(shape) < rng.choice([0.2, 0.7])
        if lost == 1:
            out[:] = True
        if lost == 2 and names is not None:  # the last query retrieved nothing
            out |= names == np.unique(names)[-1]
        score = np.where(out, -np.inf, score) if lost < 4 else score
        made[model] = score.astype(np.float32) if is_small else score
    return made


def weights(rng, n):
    drawn = [
        rng.random(n),
        rng.integers(0, 4, n),
        rng.integers(0, 3, n) / 10,
        rng.choice([0.0, 1e-300, 1.0, 2.0], n),
        np.full(n, rng.choice([1e-3, 1.0, 7.3])),
        rng.random(n) * 10.0 ** rng.choice([-290, -6, 6, 290]),
    ][rng.integers(6)]
    if not drawn.any():
        drawn[rng.integers(n)] = 1
    return drawn


def with_known_positives(case, rng):
    """The same, and the positives of each ranking are said, of which some were never scored."""
    names = ("average", "pos_label", "labels", "sample_weight", "queries")
    options = {name: plain(case.options[name]) for name in names if name in case.options}
    rankings, several = full_reference.rankings_of(
        plain(case.y_true), plain(case.y_score), **options
    )
    weight = case.options.get("sample_weight")
    unit = 1 if weight is None else float(weight.max())
    known = np.array([float(r.found) + unit * rng.choice([0, 1, 3]) for r in rankings])
    given = known if several or rng.random() < 0.5 else float(known[0])
    return replace(case, options=case.options | {"n_positives": given}, known={})
