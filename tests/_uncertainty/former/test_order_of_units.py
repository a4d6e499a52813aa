"""What must not matter does not: orders, names, increasing maps, and a factor of all weights."""

from dataclasses import fields, is_dataclass

import numpy as np
import pytest

import sklearn_ap
from sklearn_ap import definitions as d
from sklearn_ap._uncertainty.former import _resampling

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
N, N_COLUMNS = 40, 3
TABLES = ("columns", "unknown labels")


@pytest.fixture(autouse=True)
def resampling_is_fast(monkeypatch):
    monkeypatch.setattr(_resampling, "N_RESAMPLES", 30)


class Data:
    """Rows with what goes beside them, and the same in disguise."""

    def __init__(self, kind, seed=0):
        rng, self.kind = np.random.default_rng(seed), kind
        shape = (N, N_COLUMNS) if kind in TABLES else N
        self.y = (rng.random(shape) < 0.3).astype(float)
        self.y[::8] = 1  # in each query
        common = rng.normal(size=shape)
        self.scores = {
            name: np.round(common + rng.normal(size=shape) + 2 * self.y, 1) for name in "ABC"
        }
        self.beside = {}
        if kind == "queries":
            self.beside["queries"] = np.repeat(np.arange(5), 8)
        if kind in ("clusters", "columns"):
            self.beside["clusters"] = rng.integers(0, 15, N)
        if kind == "weights":
            self.beside["sample_weight"] = rng.choice([0.5, 1.0, 2.0], N)
        if kind == "unknown labels":
            self.y[rng.random(shape) < 0.2] = np.nan

    def rows(self, rng):
        order = rng.permutation(N)
        self.y, self.scores = self.y[order], {k: s[order] for k, s in self.scores.items()}
        self.beside = {key: each[order] for key, each in self.beside.items()}

    def models(self, rng):
        self.scores = {name: self.scores[name] for name in "CAB"}

    def columns(self, rng):
        if self.kind in TABLES:
            order = [2, 0, 1]
            self.y, self.scores = self.y[:, order], {k: s[:, order] for k, s in self.scores.items()}

    def names(self, rng):
        for key in {"queries", "clusters"} & {*self.beside}:
            self.beside[key] = rng.permutation(1000)[self.beside[key]]

    def levels(self, rng):
        self.scores = {k: np.exp(s / 2) - 3 for k, s in self.scores.items()}

    def weights(self, rng):
        if "sample_weight" in self.beside:
            self.beside["sample_weight"] = self.beside["sample_weight"] * 2.0**-20


def interval(data, definition, **options):
    return sklearn_ap.average_precision_interval(
        data.y, data.scores["A"], definition=definition, rng=1, **data.beside, **options
    )


def comparison(data, definition, **options):
    return sklearn_ap.compare_average_precision(
        data.y, data.scores, definition=definition, reference="A", rng=1, **data.beside
    )


def best(data, definition):
    return sklearn_ap.compare_average_precision(
        data.y, data.scores, definition=definition, reference="best", rng=1, **data.beside
    )


def numbers(found):
    """Each number by its field, and by its model; those of rankings are sorted."""
    if isinstance(found, sklearn_ap.Comparison):
        frame = found.to_frame().drop(columns="verdict")
        return {key: frame.loc[key].to_numpy(float) for key in frame.index}
    named = {}
    for field in fields(found):
        value = getattr(found, field.name)
        if isinstance(value, float | int | np.ndarray) and not is_dataclass(value):
            named[field.name] = np.sort(np.ravel(value))
    return named


CALLS = {each.__name__: each for each in (interval, comparison, best)}
DEFINITIONS = (d.Step(), d.Interpolated(), d.AtK(5), d.PrecisionAtRecall(0.5))
HALVED = (d.AtK, d.PrecisionAtRecall)
KINDS = ("plain", "weights", "queries", "clusters", *TABLES)


@pytest.mark.parametrize(("call", "kind"), [(call, kind) for call in CALLS for kind in KINDS])
def test_results_are_invariant_to_order_names_and_scale(call, kind):
    disguises = [Data.rows, Data.levels]
    disguises += [Data.models] * (call in ("comparison", "best"))
    disguises += [Data.columns] * (kind in TABLES)
    disguises += [Data.names] * (not {"queries", "clusters"}.isdisjoint(Data(kind).beside))
    disguises += [Data.weights] * (kind == "weights")
    compares = call in ("comparison", "best")
    for definition in DEFINITIONS:
        if compares and kind in ("clusters", *TABLES) and type(definition) in HALVED:
            continue  # refused
        if call == "best" and definition == d.AtK(5):
            continue  # of models that score alike, the first is the best
        expected = numbers(CALLS[call](Data(kind), definition))
        for disguise in disguises:
            if disguise is Data.weights and definition.depth is not None:
                continue  # k counts weight
            data = Data(kind)
            disguise(data, np.random.default_rng(2))
            found = numbers(CALLS[call](data, definition))
            assert found.keys() == expected.keys()
            for key, value in expected.items():
                named = f"{definition}, {disguise.__name__}, {key}"
                np.testing.assert_allclose(found[key], value, rtol=1e-7, atol=1e-9, err_msg=named)
