"""Rows on a device are counted there, and give the same bits as rows in main memory."""

import warnings

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap._counts import _on_device, counting
from sklearn_ap._inputs import arrays
from sklearn_ap.definitions import AtK, Expected, Interpolated
from tests.helpers.first_cases import quick

xp = pytest.importorskip("array_api_strict")
FIRST, SECOND = xp.Device("device1"), xp.Device("device2")
FIELDS = ("thresholds", "gained", "tps", "fps", "fps_above", "starts", "n_positives", "n_negatives")


def on(device, *columns):
    return tuple(xp.asarray(column, device=device) for column in columns)


@pytest.fixture(params=["array_api_strict", pytest.param("torch", marks=pytest.mark.peers)])
def on_device(request, monkeypatch):
    """Put columns on a device; of PyTorch, the processor stands for one: pytest -m peers."""
    if request.param == "array_api_strict":
        return lambda *columns: on(FIRST, *columns)
    torch = pytest.importorskip("torch")
    compat = pytest.importorskip("sklearn.externals.array_api_compat")

    def namespace(*rows):
        return compat.array_namespace(*rows) if isinstance(rows[0], torch.Tensor) else None

    monkeypatch.setattr(counting, "device_namespace", namespace)
    return lambda *columns: tuple(map(torch.asarray, columns))


def hard_ranking(seed):
    """Few rows or many, ties of all sizes, one class, wide and denormal scores."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    score = rng.normal(size=n) * 10.0 ** rng.integers(*[(-320, 300), (-45, 30)][seed % 2])
    score = [score, np.round(rng.normal(size=n), int(rng.integers(0, 2))), np.ones(n)][seed % 3]
    y = (rng.random(n) < rng.choice([0, 0.1, 0.5, 1])).astype(int)
    y = [y, 2 * y - 1, y.astype(bool), y.astype(np.float64)][seed % 4]
    return y, score.astype([np.float64, np.float32][seed % 2])


@pytest.fixture
def counted(monkeypatch):
    """Collect what is counted on a device."""
    found = []
    count = _on_device._count_sorted
    monkeypatch.setattr(
        _on_device, "_count_sorted", lambda *a: found.append(count(*a)) or found[-1]
    )
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n_rankings", quick([100, 1_000], 1))
def test_hard_rankings_have_the_same_bits(on_device, counted, subtests, n_rankings):
    for seed in range(n_rankings):
        with subtests.test(seed=seed):
            y, score = hard_ranking(seed)
            rows = on_device(y, score)
            found, expected = ap.threshold_counts(*rows), ap.threshold_counts(y, score)
            for field in FIELDS:
                mine, hosts = getattr(found, field), getattr(expected, field)
                assert mine.dtype == hosts.dtype
                assert np.array_equal(mine, hosts)  # 0.0 and -0.0 are one threshold
            if seed % 10:  # the counts tell the rest
                continue
            assert ap.average_precision_score(*rows) == ap.average_precision_score(y, score)
            top = ap.average_precision_at_k_score(*rows, k=3)
            assert top == ap.average_precision_at_k_score(y, score, k=3)
    assert len(counted) == 1.2 * n_rankings


@pytest.mark.parametrize("definition", [AtK(5), AtK(0.1), Expected(), Interpolated()])
def test_intervals_follow_from_the_counts(definition, on_device, counted):
    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.3).astype(int)
    score = np.round(rng.normal(size=300) + y, 1)
    rows = on_device(y, score)
    for options in ({}, {"prevalence": 0.01} if isinstance(definition, Interpolated) else {}):
        found = ap.average_precision_interval(*rows, definition=definition, **options)
        expected = ap.average_precision_interval(y, score, definition=definition, **options)
        assert found.to_dict() == expected.to_dict()
    assert len(counted) == 2


@pytest.mark.parametrize("on_device", ["torch"], indirect=True)
@pytest.mark.peers
def test_types_of_tensors_that_numpy_lacks_raise_an_error(on_device, counted):
    y, score = on_device(np.array([1, 0, 1, 0], np.uint8), np.array([0.4, 0.3, 0.2, 0.1]))
    assert ap.average_precision_score(y, score.half()) == pytest.approx(5 / 6)
    assert len(counted) == 1
    with pytest.raises(ValueError, match=r"bfloat16\. Convert it to float32 first"):
        ap.average_precision_score(y, score.bfloat16())
    with pytest.raises(ValueError, match=r"y_score .* requires grad\. Detach it first"):
        ap.average_precision_score(y, score.requires_grad_())


def test_reversed_scores_are_told_on_a_device_as_well():
    y, score = np.repeat([0, 1], 200), -np.arange(400.0)
    with pytest.warns(UserWarning, match="below that of random scores"):
        ap.average_precision_score(*on(FIRST, y, score))
    with pytest.warns(UserWarning, match="below that of random scores"):
        ap.average_precision_interval(*on(FIRST, y, score))


Y, SCORE = np.array([1, 0, 1, 0]), np.array([0.4, 0.3, 0.2, 0.1])


@pytest.mark.filterwarnings("ignore:few clusters:sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize(
    "option",
    [
        {"sample_weight": [1, 2, 1, 1]},
        {"queries": [0, 0, 1, 1]},
        {"clusters": [0, 0, 1, 1]},
        {"n_positives": 5},
    ],
    ids=lambda option: next(iter(option)),
)
def test_rows_with_options_come_to_the_host(option, counted):
    found = ap.average_precision_interval(*on(FIRST, Y, SCORE), **option)
    assert found.to_dict() == ap.average_precision_interval(Y, SCORE, **option).to_dict()
    assert not counted


@pytest.mark.parametrize(
    "rows",
    [
        on(FIRST, Y) + on(SECOND, SCORE),
        (Y, *on(FIRST, SCORE)),
        (*on(FIRST, Y), SCORE),
        on(FIRST, Y, np.where(SCORE == 0.1, -np.inf, SCORE)),
    ],
    ids=["two devices", "labels in main memory", "scores in main memory", "not retrieved"],
)
def test_other_rows_come_to_the_host(rows, counted):
    assert ap.average_precision_score(*rows) == ap.average_precision_score(Y, SCORE)
    assert not counted


@pytest.mark.parametrize(
    ("y", "score", "message"),
    [
        ([1, 0, 2], [0.3, 0.2, 0.1], "y_true|multiclass"),
        ([1, 0, 1], [0.3, 0.2, np.nan], "y_score contains NaN"),
        ([1, 0], [0.3, 0.2, 0.1], "inconsistent numbers of samples"),
    ],
)
def test_errors_are_those_of_the_host(y, score, message):
    with pytest.raises(ValueError, match=message):
        ap.threshold_counts(*on(FIRST, np.array(y), np.array(score)))


def test_average_is_checked_on_a_device():
    with pytest.raises(ValueError, match=r"average must be one of .*, None"):
        ap.average_precision_score(*on(FIRST, np.eye(2)[0], np.eye(2)[0]), average="bogus")


def test_arrays_in_main_memory_take_the_way_of_numpy(counted):
    rows = on(xp.Device("CPU_DEVICE"), np.array([1, 0, 1]), np.array([0.3, 0.2, 0.1]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ap.average_precision_score(*rows) == pytest.approx(5 / 6)
    assert not counted


def test_a_library_without_a_namespace_gets_that_of_scikit_learn(monkeypatch):
    class Tensor(np.ndarray):
        """As PyTorch's: it has a device, and no namespace."""

        device = "cuda:0"
        __array_namespace__ = property()  # hasattr says no

    pytest.importorskip("sklearn.externals.array_api_compat")  # of scikit-learn 1.7
    tensors = [np.array([1.0, 0.0]).view(Tensor), np.array([0.2, 0.1]).view(Tensor)]
    assert arrays.device_namespace(*tensors).argsort is not None
