"""Random rows and options from a seed: all that a caller can say, crossed."""

from dataclasses import dataclass, field, replace
from typing import Any
from zlib import crc32

import numpy as np

from tests.crossings import full_reference

SHARES = (0.0, 0.3, 0.5, 0.8, 1.0)
# A new definition stands at the end, so that few seeds choose another one than before.
DEFINITIONS = [
    *(12 * [("Step", {})]),
    *(3 * [("Linear", {}), ("Hyperbolic", {})]),
    ("Interpolated", {}),
    *(("Interpolated", {"recall_levels": levels}) for levels in (2, 11, 101, (0.1, 0.5, 1.0))),
    *(("AtK", {"k": k}) for k in (1, 3, 5, 60, 0.07, 0.5)),
    *(("AtK", {"k": k, "normalizer": by}) for k in (2, 0.3) for by in ("positives", "hits", "k")),
    *((name, {"k": k}) for name in ("PrecisionAtK", "RecallAtK", "Expected") for k in (1, 3, 0.3)),
    *(("RecallAtPrecision", {"precision": share}) for share in SHARES),
    *(("PrecisionAtRecall", {"recall": share}) for share in SHARES),
    ("Expected", {}),
    ("Expected", {}),
    *(("ReciprocalRank", options) for options in ({}, {"k": 3}, {"k": 0.3})),
]
OF_SCORES = {"average", "pos_label", "labels", "sample_weight", "queries", "n_positives"}
OF_SCORES |= {"prevalence", "zero_division"}


@dataclass(frozen=True)
class Case:
    """Labels, the scores of three models, a definition and the options that are not the default.

    What some public functions ask for besides is here, too: ``goal`` of an operating point, the
    fold of each row, and how many rows a chunk has.
    """

    seed: int
    kind: str  # "rows", "queries", "columns" or "classes"
    y_true: Any
    scores: dict[str, Any]
    definition: tuple[str, dict[str, Any]]
    options: dict[str, Any]
    # Options of each definition.
    options_of_kinds: dict[str, dict[str, Any]] = field(default_factory=dict)
    goal: tuple[str, Any] = ("recall", 0.5)
    folds: Any = None
    n_rows_of_chunk: int = 1
    is_labelled: Any = None  # which rows have labels, where only some have
    known: dict[Any, Any] = field(
        default_factory=dict, compare=False, repr=False
    )  # of the reference

    @property
    def y_score(self):
        return self.scores["a"]

    @property
    def average(self):
        return self.options.get("average", "macro")

    @property
    def weight(self):
        return np.asarray(self.options.get("sample_weight", np.ones(len(self.y_true))))

    @property
    def is_positive(self):
        return np.asarray(self.y_true) == self.options.get("pos_label", 1)

    @property
    def rankings(self):
        """The rankings of the reference, and whether they are several."""
        names = ("average", "pos_label", "labels", "sample_weight", "queries")
        options = {name: plain(value) for name, value in self.said(*names).items()}
        return full_reference.rankings_of(plain(self.y_true), plain(self.y_score), **options)

    @property
    def are_all_of_two_classes(self):
        """Whether no score is filled, or that of rankings without positives."""
        return all(0 < ranking.found < sum(ranking.weights) for ranking in self.rankings[0])

    @property
    def share_positive(self):
        return float(self.weight[self.is_positive].sum() / self.weight.sum())

    def without(self, *names):
        return replace(self, options={k: v for k, v in self.options.items() if k not in names})

    def said(self, *names):
        return {k: v for k, v in self.options.items() if k in names}

    def having(self, **options):
        return replace(self, options=self.options | options)

    @property
    def seen(self):
        """Labels, unknown where nobody looked."""
        is_float = self.y_true.dtype.kind in "iuf" and self.seed % 2
        seen = self.y_true.astype(float if is_float else object)
        seen[~self.is_labelled] = None
        return seen

    def exact(self, model="a", **changes):
        return self.ask_reference(full_reference.score, model, OF_SCORES, changes)

    def ask_reference(self, function, model, names, changes):
        options = {k: plain(v) for k, v in (self.options | changes).items() if k in names}
        key = function, model, repr(self.definition), repr(sorted(options.items()))
        if key not in self.known:
            rows = plain(self.y_true), plain(self.scores[model])
            self.known[key] = function(*rows, self.definition, **options)
        return self.known[key]


def plain(thing):
    return thing.tolist() if isinstance(thing, np.ndarray) else thing


def generator(seed, choice):
    """Each choice has a generator of its own, so a new choice changes no other."""
    return np.random.default_rng([seed, crc32(choice.encode())])


def one_of(rng, *values):
    """One of the values; one that is added at the end replaces others in few draws."""
    return values[np.argmax(rng.random(len(values)))]


def make(seed):
    def of(choice):
        return generator(seed, choice)

    def one(choice, *values):
        return one_of(of(choice), *values)

    kind = one("kind", "rows", "rows", "queries", "queries", "columns", "classes")
    sizes = of("sizes")
    n = one(
        "size", 1, 2, 3, *sizes.integers(4, 13, 3).tolist(), *sizes.integers(13, 40, 3).tolist()
    )
    n_columns = {"columns": one("columns", 2, 3, 4), "classes": one("classes", 3, 4)}.get(kind)
    y_true, options = labels(of("labels"), kind, n, n_columns)
    if kind == "queries":
        options["queries"] = queries(of("queries"), n)
    kinds = {
        name: one(f"options of {name}", *(each for other, each in DEFINITIONS if other == name))
        for name, _ in DEFINITIONS
    }
    name, definition_options = one("definition", *DEFINITIONS)
    is_weighted = name not in ("Expected", "ReciprocalRank")
    averages = ["macro", "weighted", None] + (["micro", "samples"] if n_columns else [])
    drawn_options = {
        "average": (0.8, averages),
        "zero_division": (0.8, [0.0, 1.0, np.nan, "warn"]),
        "sample_weight": (0.5 * is_weighted, [weights(of("weights"), n)]),
        "prevalence": (0.4 * (is_weighted and "k" not in definition_options), [0.01, 0.3, 0.9]),
        "clusters": (0.35, [clusters(of("names of clusters"), n, options.get("queries"))]),
        "confidence_level": (0.5, [0.6, 0.8, 0.99]),
        "alternative": (0.5, ["greater", "less"]),
        "reference": (0.5, ["b", "c"]),
    }
    for key, (chance, values) in drawn_options.items():
        rng = of(key)
        if rng.random() < chance:
            options[key] = one_of(rng, *values)
    if kind == "columns" and np.isnan(y_true[options.get("sample_weight", np.ones(n)) > 0]).all():
        y_true = np.nan_to_num(y_true)
    shape = (n,) if n_columns is None else (n, n_columns)
    made = scores(of("scores"), shape, options.get("queries"))
    case = Case(seed, kind, y_true, made, (name, definition_options), options, kinds)
    rng = of("n_positives")
    if rng.random() < 0.3:
        case = case.having(n_positives=known_positives(case, rng))
    is_labelled, more = few_labels(case, of("few labels"))
    cost = {"false_positive": one("cost", 0.1, 1.0), "false_negative": one("gain", 0.0, 1.0, 9.0)}
    goals = {
        "precision": SHARES[1:],
        "recall": SHARES[1:],
        "k": (1, 2, 5, 0.07, 0.3),
        "threshold": (-1.0, 0.3, 1.0, 2.0, 1e9),
    }
    goal = one("goal", *goals, "cost")
    return replace(
        case.having(**more),
        is_labelled=is_labelled,
        goal=(goal, one("wanted", *goals.get(goal, (cost,)))),
        folds=folds(case, of("folds"), n),
        n_rows_of_chunk=one("chunks", *range(1, 10)),
    )


def few_labels(case, rng):
    """Which rows were labelled, with which chances, and what a judge says of all.

    Rows of a cluster or of a query are labelled together.
    """
    if rng.random() < (0.5 if case.kind in ("rows", "queries") else 0.9):
        return None, {}
    n, names = len(case.y_true), case.options.get("queries", case.options.get("clusters"))
    unit = np.arange(n) if names is None else np.unique(names, return_inverse=True)[1]
    q = rng.choice([0.1, 0.3, 0.5, 0.9, 1.0], unit.max() + 1)
    style = rng.choice(["equal", "number", "chances", "chances", "none"])
    q = q if style == "chances" else np.full(q.size, q[0])
    is_labelled = ((rng.random(q.size) < np.maximum(q, 0.3)) | (q == 1))[unit]
    is_labelled[unit == rng.integers(q.size)] = True
    is_labelled |= is_labelled[case.weight > 0].all()
    said = {"equal": "equal", "number": float(q[0]), "chances": q[unit]}
    options = {"inclusion_probability": said[style]} if style in said else {}
    if (style == "none" or rng.random() < 0.6) and not is_labelled.all():
        options["judge"] = judge(case, is_labelled, rng)
    return is_labelled, options


def judge(case, is_labelled, rng):
    """Labels like those of ``y_true``, some of them wrong, or probabilities."""
    names, style = np.unique(case.y_true[is_labelled]), rng.integers(4)
    if case.kind not in ("rows", "queries") or style < 2:
        is_wrong = rng.random(case.y_true.shape) < rng.choice([0.0, 0.1, 0.5])
        return np.where(is_wrong, names[rng.integers(names.size)], case.y_true)
    if style == 2:
        return np.full(case.y_true.size, rng.choice([0.0, 0.4, 1.0]))
    probability = rng.integers(0, 9, case.y_true.size) / 8
    return np.where(case.is_positive, np.sqrt(probability), probability)


def clusters(rng, n, queries):
    """Rows of a cluster stand anywhere; of queries, sometimes each lies in one cluster."""
    if queries is not None and rng.random() < 0.4:
        return np.unique(queries, return_inverse=True)[1] // 2
    codes = rng.integers(0, rng.integers(1, n + 1), n)
    return codes if rng.random() < 0.5 else np.char.mod("case %d", codes)


def folds(case, rng, n):
    """The fold of each row, of two or three; a query is in one of them."""
    n_folds = int(rng.integers(2, 4))
    if case.kind == "queries":
        return np.unique(case.options["queries"], return_inverse=True)[1] % n_folds
    return np.arange(n) % n_folds


def queries(rng, n):
    names = rng.integers(0, rng.integers(1, 7), n) * 3  # 9 and 12 sort otherwise as text
    style = rng.integers(4)
    if style == 0:
        return np.array([f"q{name}" for name in names])
    return names.astype([np.int64, np.int64, np.float64, np.int32][style])


def labels(rng, kind, n, n_columns):
    """And the options that say which of them are positive."""
    share = rng.choice([0.0, 0.1, 0.4, 0.4, 0.8, 1.0])
    if kind == "columns":
        table = (rng.random((n, n_columns)) < share).astype(int)
        unknown = rng.random((n, n_columns)) < rng.choice([0.0, 0.0, 0.3, 0.8])
        return np.where(unknown, np.nan, table) if unknown.any() else table, {}
    if kind == "classes":
        names = [["ham", "spam", "eggs", "toast"], [3, 1, 20, 10]][rng.integers(2)][:n_columns]
        y_true = rng.choice(names, n)
        are_all = np.unique(y_true).size == n_columns and rng.random() < 0.7
        return y_true, {} if are_all else {"labels": rng.permutation(names)}
    y_true, style = (rng.random(n) < share).astype(int), rng.integers(8)
    if style > 3:
        return y_true, {}
    names = [*map(np.array, (["ham", "spam"], [1, 2], [-1, 1], [False, True]))][style]
    is_unclear = style < 2 or (style == 2 and not y_true.any())
    return names[y_true], {"pos_label": names[rng.integers(2)].item()} if is_unclear else {}


def scores(rng, shape, names):
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
        rng.choice([0.0, 1e-90, 1.0, 2.0], n),
        np.full(n, rng.choice([1e-3, 1.0, 7.3])),
        rng.random(n) * 10.0 ** rng.choice([-90, -6, 6, 90]),
    ][rng.integers(6)]
    if not drawn.any():
        drawn[rng.integers(n)] = 1
    return drawn


def known_positives(case, rng):
    """Of each ranking, where some were never scored."""
    rankings, several = case.rankings
    unit = float(case.weight.max())
    known = np.array([float(r.found) + unit * rng.choice([0, 1, 3]) for r in rankings])
    return known if several or rng.random() < 0.5 else float(known[0])
