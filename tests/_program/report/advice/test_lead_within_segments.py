"""How much more one of two models scores within segments whose scores are on different scales."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import norm

from sklearn_ap import average_precision_score, compare_average_precision, report

N = 6_000
RNG = np.random.default_rng(2)
CODE = np.arange(N) % 4
COUNTRY = np.array(["DE", "ES", "IT", "PL"])[CODE]
SHARE = np.array([0.14, 0.12, 0.09, 0.07])[CODE]  # of positives
Y = RNG.random(N) < SHARE
NOISE = RNG.normal(size=(2, N))
OFFSET = np.array([0, 1.2, 2.4, 3.6])[CODE]  # each country has a scale of its own
CHALLENGER = 2.5 * Y + OFFSET + NOISE[1]
WITHIN = "Within single "
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def pair(shift, challenger=CHALLENGER):
    """A model whose scores are on one scale in all countries, and another one."""
    return {"champion": shift * Y + NOISE[0], "challenger": challenger}


def part_of(models, segments=COUNTRY, name="country", y=Y, **options):
    """The part about the models, and the first line."""
    parts = ["comparison", "segments"]
    made = report(y, models, segments={name: segments}, parts=parts, **options)
    return made.parts[0], made.summary[0].answer


def difference(models, winner, other, y=Y, rows=slice(None), **options):
    """The row of a model in a comparison with another one."""
    pair = {name: models[name][rows] for name in (other, winner)}
    options = {name: each[rows] if np.ndim(each) else each for name, each in options.items()}
    return compare_average_precision(y[rows], pair, **options).rows()[1]


def lead_within(models, winner, other, segments=COUNTRY, y=Y, **options):
    """The mean difference within segments, weighted by their positives, and its limits."""
    options = {"prevalence": y.mean(), **options}
    masks = [segments == name for name in np.unique(segments)]
    masks = [rows for rows in masks if y[rows].sum() >= 10]
    rows = [difference(models, winner, other, y, mask, **options) for mask in masks]
    weight = np.array([y[mask].sum() for mask in masks])
    value = np.average([row["difference"] for row in rows], weights=weight)
    errors = weight / weight.sum() * [row["difference_standard_error"] for row in rows]
    half = norm.ppf(0.975) * np.sqrt(np.sum(errors**2))
    return value, value - half, value + half


def sentence(change, winner="challenger", other="champion", noun="country", plural="countries"):
    value, low, high = change
    more = f"{value:.2f} more than {other} on average (95% interval {low:+.2f} to {high:+.2f})"
    return (
        f"{WITHIN}{plural}, {winner} scores {more}: scores of different {plural} are not on one "
        f"scale, so it needs a threshold for each {noun}."
    )


def is_alike(models, winner, other, change):
    """Whether the difference over all rows is shown, and within a factor of two of this one."""
    together = difference(models, winner, other)
    ratio = together["difference"] / change[0]
    return bool(together["difference_low"] > 0 and 0.5 < ratio < 2)


@pytest.mark.parametrize("best", ["challenger", "champion"])
@pytest.mark.parametrize("is_swapped", [False, True])
def test_the_better_model_is_advised_where_nothing_is_shown_over_all_rows(best, is_swapped):
    models = pair(1.3 if best == "challenger" else 1.36)
    scores = {name: average_precision_score(Y, score) for name, score in models.items()}
    assert max(scores, key=scores.get) == best
    together = difference(models, "challenger", "champion")
    assert together["difference_low"] < 0 < together["difference_high"]
    change = lead_within(models, "challenger", "champion")
    assert change[1] > 0
    models = dict(reversed(models.items())) if is_swapped else models
    part, answer = part_of(models)
    text = f"Use challenger. {sentence(change)}"
    assert "no difference is shown" in part.sentence.lower()
    assert f"{part.sentence} {text} " in answer
    assert part.more == [text]
    assert "other grounds" not in answer


def test_names_are_those_of_the_scores():
    models = dict(zip(("challenger", "champion"), pair(1.3).values(), strict=True))
    change = lead_within(models, "champion", "challenger")
    _, answer = part_of(models)
    assert f" Use champion. {sentence(change, 'champion', 'challenger')} " in answer


@pytest.mark.parametrize(("shift", "best"), [(2, "champion"), (0.8, "challenger")])
def test_behind_a_claim_over_all_rows_it_is_no_advice(shift, best):
    """The model that is worse over all rows is better within countries, or twice as good."""
    models = pair(shift)
    second = next(name for name in models if name != best)
    assert difference(models, best, second)["difference_low"] > 0
    change = lead_within(models, "challenger", "champion")
    part, answer = part_of(models)
    assert part.sentence.startswith(f"{best} is better than {second}: +0.")
    assert f"{part.sentence} {sentence(change)} " in answer
    assert part.more == [sentence(change)]
    assert "Use " not in answer


def test_a_lead_that_is_half_or_twice_as_large_or_of_the_other_model_is_told():
    found = set()
    for shift, share in product(np.linspace(0.3, 3.5, 17), (0.3, 1)):
        models = pair(shift, CHALLENGER - (1 - share) * OFFSET)
        changes = {
            (winner, other): lead_within(models, winner, other)
            for winner, other in (("challenger", "champion"), ("champion", "challenger"))
        }
        ((names, change),) = ((each, found) for each, found in changes.items() if found[0] > 0)
        is_shown, alike = change[1] > 0, is_alike(models, *names, change)
        part, answer = part_of(models)
        is_told = is_shown and not alike
        assert (WITHIN in answer) == is_told
        if is_told:
            assert any(text.endswith(sentence(change, *names)) for text in part.more)
        found.add((names[0], is_shown, alike))
    assert {
        ("challenger", True, False),
        ("challenger", True, True),
        ("champion", False, False),
        ("champion", True, False),
        ("champion", True, True),
    } <= found


def test_models_whose_scores_are_on_the_same_scales_have_no_such_lead():
    for offset in (0 * OFFSET, 0.1 * OFFSET, OFFSET):
        models = {"champion": 1.3 * Y + offset + NOISE[0], "challenger": CHALLENGER}
        models["challenger"] = models["challenger"] - OFFSET + offset
        change = lead_within(models, "challenger", "champion")
        assert is_alike(models, "challenger", "champion", change)
        assert WITHIN not in part_of(models)[1]


def test_models_that_rank_alike_within_countries_have_no_lead_there():
    models = pair(2, 2 * Y + NOISE[0] + OFFSET)
    assert lead_within(models, "challenger", "champion")[0] == 0
    assert difference(models, "champion", "challenger")["difference_low"] > 0
    part, answer = part_of(models)
    assert part.sentence.startswith("champion is better than challenger: +0.")
    assert WITHIN not in answer


def test_weights_are_those_of_positives():
    models = pair(1.5, CHALLENGER - 1.3 * Y * (COUNTRY == "PL"))  # the other one is better there
    change = lead_within(models, "challenger", "champion")
    even = [
        difference(models, "challenger", "champion", rows=name == COUNTRY, prevalence=Y.mean())
        for name in np.unique(COUNTRY)
    ]
    assert np.mean([row["difference"] for row in even]) < change[0] - 0.02
    assert sentence(change) in part_of(models)[1]


@pytest.mark.parametrize(
    "options", [{"prevalence": 0.05}, {"clusters": np.arange(N) // 8}], ids=["prevalence", "users"]
)
def test_the_prevalence_and_the_clusters_are_those_of_the_page(options):
    y = np.repeat(Y[::2], 2)  # so that rows of a cluster are alike
    models = {name: np.repeat(score[::2], 2) for name, score in pair(1.5).items()}
    countries = np.repeat(COUNTRY[::2], 2)
    plain = lead_within(models, "challenger", "champion", countries, y)
    change = lead_within(models, "challenger", "champion", countries, y, **options)
    assert sentence(change) != sentence(plain)
    assert sentence(change) in part_of(models, countries, y=y, **options)[1]


def test_a_country_with_fewer_than_ten_positives_is_left_out():
    y = Y.copy()
    few = np.flatnonzero(Y & (COUNTRY == "DE"))
    y[few[9:]] = False
    models = pair(1.5)
    change = lead_within(models, "challenger", "champion", y=y)
    kept = COUNTRY != "DE"
    others = {name: score[kept] for name, score in models.items()}
    options = {"segments": COUNTRY[kept], "y": y[kept], "prevalence": y.mean()}
    assert change == lead_within(others, "challenger", "champion", **options)
    assert sentence(change) in part_of(models, y=y)[1]


def test_segments_are_named_by_the_word_of_their_column():
    change = lead_within(pair(1.5), "challenger", "champion")
    text = sentence(change, noun="clinic", plural="clinics")
    assert text in part_of(pair(1.5), name="clinic")[1]


def test_the_first_column_with_scales_of_its_own_is_told():
    columns = {"shop": np.array([*"AB"])[np.arange(N) // 4 % 2], "country": COUNTRY}
    models = pair(1.5)
    parts = ["comparison", "segments"]
    answer = report(Y, models, segments=columns, parts=parts).summary[0].answer
    assert sentence(lead_within(models, "challenger", "champion")) in answer
    assert answer.count(WITHIN) == 1


def test_a_column_without_a_lead_does_not_change_that_of_the_next_one():
    """Within countries the second model may be better; within shops the lead is that of all."""
    code = np.arange(N) // 4 % 2
    shop = np.array([*"AB"])[code]
    models = {
        "champion": 1.9 * Y + 1.5 * code + NOISE[0],
        "challenger": 1.93 * Y + 1.5 * code + 0.4 * OFFSET + NOISE[1],
    }
    in_countries = lead_within(models, "challenger", "champion")
    assert in_countries[1] < 0 < in_countries[0]
    in_shops = lead_within(models, "champion", "challenger", shop)
    assert in_shops[1] > 0
    assert is_alike(models, "champion", "challenger", in_shops)
    for columns in ({"shop": shop}, {"country": COUNTRY}, {"country": COUNTRY, "shop": shop}):
        parts = ["comparison", "segments"]
        answer = report(Y, models, segments=columns, parts=parts).summary[0].answer
        assert WITHIN not in answer


def test_months_have_no_scales_of_their_own():
    month = np.char.add("2026-0", (1 + CODE).astype(str))
    assert WITHIN not in part_of(pair(1.5), month, "month")[1]


def test_queries_have_no_such_lead_because_only_rows_of_a_query_are_ranked_together():
    queries = np.arange(N) // 40 * 4 + CODE  # of one country each
    assert WITHIN not in part_of(pair(1.5), queries=queries)[1]


def test_three_models_have_no_such_lead():
    models = pair(1.5) | {"noise": np.random.default_rng(3).normal(size=N)}
    assert WITHIN not in part_of(models)[1]
