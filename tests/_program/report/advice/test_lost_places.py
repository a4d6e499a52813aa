"""A country where another model is better, though the best one is alike in all of them."""

import numpy as np
import pytest

from sklearn_ap import compare_average_precision, compare_segments, report

N = 20_000
RNG = np.random.default_rng(8)
COUNTRY = RNG.choice(["DE", "FR", "IT", "PL"], N)
IS_IT = COUNTRY == "IT"
Y = RNG.random(N) < 0.1
NOISE = RNG.normal(size=(3, N))
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def models_with(gain, in_it=3.2):
    """The best model is alike in all countries, and the other one better in Italy."""
    other = np.where(IS_IT, in_it, 1.2) * Y + NOISE[1]
    return {"best": gain * Y + NOISE[0], "other": other}


def made_of(models, columns=None, **options):
    segments = {"country": COUNTRY} if columns is None else columns
    parts = ["comparison", "thresholds", "segments"]
    return report(Y, models, segments=segments, parts=parts, **options)


def change_in(models, rows, level, names=("best", "other")):
    """The difference among some rows and its limits, at the prevalence of all rows."""
    best, other = names
    pair = {name: models[name][rows] for name in (other, best)}
    options = {"prevalence": Y.mean(), "confidence_level": level}
    found = compare_average_precision(Y[rows], pair, **options)
    return found.differences[1], found.difference_lows[1], found.difference_highs[1]


def words(change, kind):
    return "{:+.2f} ({} {:+.2f} to {:+.2f})".format(change[0], kind, *change[1:])


CLEAR = models_with(2.4)


def test_the_claim_has_the_country_where_the_other_model_is_better():
    verdicts = {row["verdict"] for row in compare_segments(Y, CLEAR["best"], COUNTRY).rows()}
    assert verdicts == {"undecided"}
    made = made_of(CLEAR)
    change = words(change_in(CLEAR, IS_IT, 1 - 0.05 / 4), "adjusted 95% interval")
    assert change.startswith("-")
    assert made.parts[0].sentence.startswith("best is better than other: +0.")
    assert made.parts[0].sentence.endswith(f", but worse than other in country IT: {change}.")
    assert "Use other in country IT." in made.summary[0].answer
    threshold = next(line.answer for line in made.summary if line.question == "Threshold")
    assert "In country IT, select rows where other scores " in threshold


def test_each_model_is_advised_where_it_is_better_if_both_cancel():
    models = models_with(1.82, 4.2)
    overall = compare_average_precision(Y, models)
    assert overall.verdicts[0].decision == "undecided"
    assert overall.estimates[0] > overall.estimates[1]
    made = made_of(models)
    answer = made.summary[0].answer
    assert answer.startswith("Use other in country IT and best elsewhere. ")
    names = '<b class="second">other</b> in country IT and <b class="first">best</b>'
    assert f"Use {names} elsewhere" in made.to_html()
    others = words(change_in(models, ~IS_IT, 0.95), "95% interval")
    assert f"In the other countries, it is better: {others}." in answer
    assert "look at its inputs" not in answer


def pvalue_in(models, rows):
    pair = {name: models[name][rows] for name in ("other", "best")}
    return compare_average_precision(Y[rows], pair, prevalence=Y.mean()).pvalues[1]


@pytest.mark.parametrize(("in_it", "is_told"), [(2.6, False), (2.65, True)])
def test_a_p_value_of_a_hundredth_counts_all_countries(in_it, is_told):
    models = models_with(2.4, in_it)
    pvalue = 4 * pvalue_in(models, IS_IT)
    assert pvalue < 0.05
    assert (pvalue < 0.01) == is_told
    assert ("in country IT" in made_of(models).parts[0].sentence) == is_told


def test_the_countries_of_several_columns_count():
    half = np.where(np.arange(N) % 2, "odd", "even")
    made = made_of(CLEAR, {"country": COUNTRY, "half": half})
    change = words(change_in(CLEAR, IS_IT, 1 - 0.05 / 8), "adjusted 95% interval")
    assert f"but worse than other in country IT: {change}." in made.parts[0].sentence


def test_among_three_models_the_others_count():
    models = CLEAR | {"weak": 0.8 * Y + NOISE[2]}
    change = words(change_in(models, IS_IT, 1 - 0.05 / 8), "adjusted 95% interval")
    assert f"but worse than other in country IT: {change}." in made_of(models).parts[0].sentence


def test_months_that_are_over_are_not_asked():
    month = np.where(IS_IT, "2026-02", np.where(COUNTRY == "DE", "2026-01", "2026-03"))
    sentence = made_of(CLEAR, {"month": month}).parts[0].sentence
    assert "worse than" not in sentence


def test_kinds_of_queries_have_the_differences_of_their_means():
    rng = np.random.default_rng(0)
    query = np.repeat(np.arange(200), 20)
    kind = np.array(["home", "how", "shop"])[np.arange(200) % 3][query]
    y = rng.random(query.size) < 0.15
    dense = np.where(kind == "home", 1.5, 2.2) * y + rng.normal(size=y.size)
    bm25 = np.where(kind == "home", 3.2, 1.4) * y + rng.normal(size=y.size)
    models = {"bm25": bm25, "dense": dense}
    options = {"queries": query, "segments": {"kind": kind}, "parts": ["comparison", "segments"]}
    summary = report(y, models, **options).summary
    rows = kind == "home"
    found = compare_average_precision(
        y[rows],
        {name: models[name][rows] for name in ("bm25", "dense")},
        queries=query[rows],
        confidence_level=1 - 0.05 / 3,
    )
    limits = found.differences[1], found.difference_lows[1], found.difference_highs[1]
    change = words(limits, "adjusted 95% interval")
    assert f"n kind home, however, dense is worse than bm25: {change}." in summary[0].answer
    assert "No positive" not in " ".join(line.answer for line in summary)
