"""How well a judge agrees with people, beside scikit-learn, the jackknife and populations."""

import pickle

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import brier_score_loss, cohen_kappa_score, recall_score

from sklearn_ap import average_precision_interval, compare_average_precision

N = 4000
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


def rows(seed=0, right=(0.9, 0.95), share=0.15):
    rng = np.random.default_rng(seed)
    truth = rng.random(N) < share
    score = 1.5 * truth + rng.normal(size=N)
    judge = np.where(rng.random(N) < np.where(truth, *right), truth, ~truth).astype(float)
    return rng, truth, score, judge


def asked(rng, truth, score, judge, chance, **options):
    seen = np.where(rng.random(N) < chance, truth, np.nan)
    given = {"judge": judge, "inclusion_probability": chance} | options
    return seen, average_precision_interval(seen, score, **given)


def of_designs():
    rng, truth, score, judge = rows()
    alarms = np.where(score > 2, 1.0, 0.06)
    unsure = np.clip(0.1 + 0.6 * judge + 0.2 * rng.random(N), 0, 1)
    weight = rng.exponential(size=N)
    for name, chance, says, options in (
        ("random", np.full(N, 0.1), judge, {}),
        ("alarms", alarms, judge, {}),
        ("weights", alarms, judge, {"sample_weight": weight}),
        ("probabilities", alarms, unsure, {}),
    ):
        yield name, *asked(rng, truth, score, says, chance, **options), chance, says, options


@pytest.mark.parametrize(("name", "seen", "found", "chance", "says", "options"), [*of_designs()])
def test_judge_agreement_equals_scikit_learn_with_inverse_probability_weights(
    name, seen, found, chance, says, options
):
    known = ~np.isnan(seen)
    y, z = seen[known].astype(int), says[known]
    weight = (options.get("sample_weight", np.ones(N)) / chance)[known]
    agreed, given = found.labels.judge, {"sample_weight": weight}
    assert agreed.base_rate.estimate == pytest.approx(np.average(y, weights=weight))
    if name == "probabilities":
        assert agreed.brier.estimate == pytest.approx(brier_score_loss(y, z, **given))
        assert agreed.excess.estimate == pytest.approx(np.average(z - y, weights=weight))
        assert agreed.sensitivity is agreed.specificity is agreed.kappa is None
        return
    assert agreed.sensitivity.estimate == pytest.approx(recall_score(y, z, **given))
    assert agreed.specificity.estimate == pytest.approx(recall_score(y, z, pos_label=0, **given))
    assert agreed.kappa.estimate == pytest.approx(cohen_kappa_score(y, z, **given))
    assert agreed.brier is agreed.excess is None
    for measured in (agreed.sensitivity, agreed.specificity, agreed.kappa):
        assert measured.low < measured.estimate < measured.high


def test_limits_for_random_rows_are_close_to_binomial_limits():
    rng, truth, score, judge = rows(share=0.4)
    seen, found = asked(rng, truth, score, judge, np.full(N, 0.5))
    for number, label in ((found.labels.judge.sensitivity, 1), (found.labels.judge.specificity, 0)):
        is_right = judge[seen == label] == label
        expected = stats.binomtest(is_right.sum(), is_right.size).proportion_ci(method="wilson")
        assert number[1:] == pytest.approx([*expected], abs=0.002)


@pytest.mark.parametrize("unit", ["rows", "clusters"])
def test_limits_of_kappa_match_the_jackknife(unit):
    rng, truth, score, judge = rows(right=(0.8, 0.9))
    group = np.arange(N) // 10 if unit == "clusters" else np.arange(N)
    wrong = np.isin(group, rng.choice(group[-1] + 1, group[-1] // 12)) if unit == "clusters" else 0
    judge = np.where(wrong, 1 - judge, judge)
    drawn = np.isin(group, rng.choice(group[-1] + 1, (group[-1] + 1) // 4, replace=False))
    seen = np.where(drawn, truth, np.nan)
    options = {"clusters": group} if unit == "clusters" else {}
    found = average_precision_interval(
        seen, score, judge=judge, inclusion_probability="equal", **options
    )
    names, y, z = group[drawn], truth[drawn], judge[drawn] == 1
    counts = np.array([np.bincount(names, c) for c in (y & z, y & ~z, ~y & z, ~y & ~z)])
    kept = np.unique(names)
    left = counts.sum(axis=1)[:, None] - counts[:, kept]
    n = left.sum(axis=0)
    by_chance = (left[0] + left[1]) * (left[0] + left[2]) + (left[2] + left[3]) * (
        left[1] + left[3]
    )
    kappas = 1 - (1 - (left[0] + left[3]) / n) / (1 - by_chance / n**2)
    error = np.sqrt((kept.size - 1) * kappas.var())
    kappa = found.labels.judge.kappa
    assert (kappa.high - kappa.low) / 3.92 == pytest.approx(error, rel=0.08)


@pytest.mark.parametrize("design", ["random", "alarms", "clusters", "queries"])
def test_judge_limits_cover_the_population_values(design):
    """For judges that err alike in all groups; in 95 of 100 samples."""
    rates, held = (0.9, 0.95), []
    share = 0.15
    of_judge = share * rates[0] + (1 - share) * (1 - rates[1])
    wrong = share * (1 - rates[0]) + (1 - share) * (1 - rates[1])
    kappa = 1 - wrong / (share * (1 - of_judge) + of_judge * (1 - share))
    for seed in range(40):
        rng, truth, score, judge = rows(seed, rates, share)
        unit, options, chance = np.arange(N), {}, np.full(N, 0.1)
        if design == "alarms":
            chance = np.where(score > 2.5, 1.0, 0.05)
        elif design != "random":
            unit = np.arange(N) // 10
            options = {design: unit, "zero_division": 0.0}
        seen = np.where(rng.random(N)[unit] < chance, truth, np.nan)
        given = {"judge": judge, "inclusion_probability": chance} | options
        agreed = average_precision_interval(seen, score, **given).labels.judge
        numbers = agreed.sensitivity, agreed.specificity, agreed.kappa
        pairs = zip(numbers, (*rates, kappa), strict=True)
        held.append([number.low <= true <= number.high for number, true in pairs])
    assert np.all(np.sum(held, axis=0) >= 34)  # fewer in 1 of 1,000 if 95 of 100 cover


def test_limits_cover_mistakes_confined_to_rarely_labelled_rows():
    """The judge misses positives below the alarms, of which one in 50 has a label."""
    held = []
    for seed in range(40):
        rng, truth, score, _ = rows(seed, share=0.3)
        misses = truth & (score < 1) & (rng.random(N) < 0.2)
        chance = np.where(score > 1, 1.0, 0.02)
        _, found = asked(rng, truth, score, (truth & ~misses) * 1.0, chance)
        agreed = found.labels.judge.sensitivity
        held.append(agreed.low <= 1 - misses.sum() / truth.sum() <= agreed.high)
    assert np.mean(held) > 0.85


def test_few_rows_of_low_probability_widen_the_limits():
    """180 alarms of which 20 are missed, and 20 other positives that stand for 1,000."""
    truth = np.arange(N) % 20 == 0
    alarm = truth & (np.cumsum(truth) % 10 != 0)  # 180
    judge = np.where(truth & (np.cumsum(truth) % 9 == 1) & alarm, 0, truth) * 1.0
    chance = np.where(alarm, 1.0, 0.02)
    seen = np.where(alarm | (np.arange(N) % 100 == 40) | (truth & ~alarm), truth, np.nan)
    score = np.random.default_rng(0).normal(size=N) + truth
    given = {"judge": judge, "inclusion_probability": chance}
    found = average_precision_interval(seen, score, **given).labels.judge.sensitivity
    weight = 1 / chance[truth]
    assert found.estimate > 0.97
    n = weight.sum() ** 2 / np.sum(weight**2)  # Kish's, 27
    error = np.sqrt(found.estimate * (1 - found.estimate) / n)
    assert found.high - found.low > 3.92 * error


def test_clustered_judge_errors_widen_the_limits():
    rng, truth, score, _ = rows()
    group = np.arange(N) // 20
    is_bad = rng.random(200) < 0.2
    judge = np.where(is_bad[group], ~truth, truth) * 1.0
    seen = np.where(np.isin(group, np.arange(60)), truth, np.nan)
    given = {"judge": judge, "inclusion_probability": 0.3}
    alone = average_precision_interval(seen, score, **given).labels.judge
    found = average_precision_interval(seen, score, clusters=group, **given).labels.judge
    for name in ("sensitivity", "specificity", "kappa"):
        one, other = getattr(alone, name), getattr(found, name)
        assert one.estimate == pytest.approx(other.estimate)
        assert other.high - other.low > 1.8 * (one.high - one.low)


def test_limits_of_a_judge_without_errors_allow_for_some():
    """About 3 of n: of rows, and of clusters, as all rows of one may be alike."""
    _, truth, score, _ = rows()
    seen = np.where(np.arange(N) % 20 == 0, truth, np.nan)
    given = {"judge": truth * 1.0, "inclusion_probability": "equal"}
    agreed = average_precision_interval(seen, score, **given).labels.judge
    n = np.nansum(seen)
    low = stats.binomtest(int(n), int(n)).proportion_ci(method="wilson").low
    assert agreed.sensitivity[::2] == (1, 1)
    assert agreed.sensitivity.low == pytest.approx(low, abs=0.03)
    assert agreed.kappa[::2] == (1, 1)
    assert 0.5 < agreed.kappa.low < agreed.specificity.low < 1
    group = np.arange(N) // 40
    whole = {"clusters": group, "judge": truth * 1.0, "inclusion_probability": "equal"}
    seen = np.where(group % 5 == 0, truth, np.nan)
    agreed = average_precision_interval(seen, score, **whole).labels.judge
    low = stats.binomtest(20, 20).proportion_ci(method="wilson").low
    assert agreed.sensitivity.low == pytest.approx(low, abs=0.05)


def test_agreement_without_informative_labels_is_unknown():
    _, truth, score, judge = rows()
    seen = np.where(np.arange(N) % 20 == 0, truth, np.nan)
    none = np.where(np.isnan(seen), np.nan, 0)
    options = {"inclusion_probability": "equal", "zero_division": 0.0, "pos_label": 1}
    found = average_precision_interval(none, score, judge=judge, **options)
    agreed = found.labels.judge
    assert np.isnan(agreed.sensitivity).all()
    assert agreed.kappa.estimate == 0
    assert 0 < agreed.base_rate.high < 0.03
    assert "judge: sensitivity unknown, specificity 0.8" in repr(found)
    found = average_precision_interval(seen, score, judge=judge * 0, **options)
    agreed = found.labels.judge
    assert agreed.sensitivity[:2] == (0, 0)
    assert agreed.specificity[::2] == (1, 1)
    assert agreed.kappa.estimate == pytest.approx(0)
    assert agreed.kappa.low < 0 < agreed.kappa.high
    assert "judge: sensitivity 0.00 [0.00, 0." in repr(found)
    found = average_precision_interval(none, score, judge=judge * 0, **options)
    assert np.isnan(found.labels.judge.kappa).all()
    assert "kappa unknown at 0% positives" in repr(found)
    unsure = average_precision_interval(none, score, judge=0.1 + 0.1 * judge, **options)
    excess = unsure.labels.judge.excess  # the labels may hide about 3 of 200 positives
    assert excess.low < excess.estimate - 0.009


@pytest.mark.parametrize("kind", ["calibrated", "too high"])
def test_excess_limits_tell_calibrated_from_overestimated_probabilities(kind):
    rng, truth, score, _ = rows()
    probability = 1 / (1 + np.exp(-2 * (2 * truth + rng.normal(size=N) - 1) - np.log(0.15 / 0.85)))
    says = np.sqrt(probability) if kind == "too high" else probability
    _, found = asked(rng, truth, score, says, np.full(N, 0.2))
    excess, brier = found.labels.judge.excess, found.labels.judge.brier
    assert (excess.low > 0) == (kind == "too high")
    assert excess.low < np.mean(says - truth) < excess.high
    assert brier.low < np.mean((says - truth) ** 2) < brier.high
    line = repr(found).splitlines()[-2]
    assert line.startswith(f"judge: probabilities too high by {excess.estimate:+.2f} [")
    assert f"% positives, Brier score {brier.estimate:.2f} [" in line


def test_frames_html_papers_and_pickles_include_judge_agreement():
    rng, truth, score, judge = rows()
    seen, found = asked(rng, truth, score, judge, np.full(N, 0.1))
    options = {"judge": judge, "inclusion_probability": 0.1}
    compared = compare_average_precision(seen, {"a": score, "b": score + judge}, **options)
    for result in (found, compared):
        frame, agreed = result.to_frame(), result.labels.judge
        for name in ("base_rate", "sensitivity", "specificity", "kappa"):
            columns = [f"judge_{name}{limit}" for limit in ("", "_low", "_high")]
            np.testing.assert_array_equal(frame[columns].to_numpy()[-1], getattr(agreed, name))
        assert {"judge_regression_weight", "judge_score"} <= {*frame.columns}
        assert "judge" not in frame.columns
        (line,) = (line for line in repr(result).splitlines() if line.startswith("judge:"))
        assert line in result._repr_html_()
        assert line in result.to_paper()
        assert repr(pickle.loads(pickle.dumps(result))) == repr(result)
    plain = average_precision_interval(seen, score, inclusion_probability=0.1)
    assert plain.labels.judge is None
    assert not {name for name in plain.to_frame().columns if name.startswith("judge_sens")}


def test_confidence_level_applies_to_judge_agreement():
    rng, truth, score, judge = rows()
    seen, _ = asked(rng, truth, score, judge, np.full(N, 0.1))
    widths = []
    for level in (0.8, 0.95):
        given = {"judge": judge, "inclusion_probability": 0.1, "confidence_level": level}
        kappa = average_precision_interval(seen, score, **given).labels.judge.kappa
        widths.append(kappa.high - kappa.low)
    assert widths[0] / widths[1] == pytest.approx(1.2816 / 1.96, rel=0.05)
