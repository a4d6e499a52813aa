"""The ends of the scores of segments, which have an interval where no latest one does."""

import re

import numpy as np
import pytest

from sklearn_ap import compare_segments, report

N = 6_000
RNG = np.random.default_rng(1)
CODE = np.arange(N) % 6
MONTH = np.array([f"2026-0{i}" for i in range(1, 7)])[CODE]
COUNTRY = np.array(["DE", "ES", "IT"])[CODE // 2]
Y = RNG.random(N) < 0.1
MODELS = {"old": 1.2 * Y + RNG.normal(size=N), "new": 1.8 * Y + RNG.normal(size=N)}
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def said_of(scores, name, segments, y=Y):
    """The first line about a column, and the texts of its part."""
    made = report(y, scores, segments={name: segments}, parts=["segments"])
    return made.summary[0].answer, [made.parts[0].sentence, *made.parts[0].more]


def ends_of(score, segments, y=Y):
    rows = sorted(compare_segments(y, score, segments).rows(), key=lambda row: row["estimate"])
    return rows[0], rows[-1]


def limits_of(row, kind=""):
    return f"({kind}{row['low']:.2f} to {row['high']:.2f})"


def range_of(low, high):
    """Both ends with their intervals, of which the first one says what it is."""
    return (
        f"from {low['estimate']:.2f} in {low['segment']} {limits_of(low, '95% interval ')} to "
        f"{high['estimate']:.2f} in {high['segment']} {limits_of(high)}."
    )


@pytest.mark.parametrize("is_pair", [False, True])
def test_both_ends_of_countries_have_an_interval(is_pair):
    ends = range_of(*ends_of(MODELS["new"], COUNTRY))
    answer, texts = said_of(MODELS if is_pair else MODELS["new"], "country", COUNTRY)
    subject = "It scores" if is_pair else "They score"
    nothing = f"No difference between the countries is shown{' for new' * is_pair}."
    assert answer == f"{nothing} {subject} {ends}"
    assert texts[1] == f"The countries score {ends}"


def test_countries_that_cannot_be_compared_have_the_intervals_of_their_ends_too():
    few = slice(200)
    y, score, countries = Y[few], MODELS["new"][few], COUNTRY[few]
    assert compare_segments(y, score, countries).n_positives.max() < 10
    answer, _ = said_of(score, "country", countries, y)
    assert answer.startswith("The countries cannot be compared: ")
    assert answer.endswith(f" They score {range_of(*ends_of(score, countries, y))}")


@pytest.mark.parametrize("is_pair", [False, True])
@pytest.mark.parametrize(
    ("place", "order"),
    [("low", [3, 6, 1, 2, 4, 5]), ("middle", [1, 2, 3, 4, 5, 6]), ("high", [6, 2, 3, 4, 5, 1])],
)
def test_of_months_the_latest_alone_has_an_interval(place, order, is_pair):
    score = MODELS["new"]
    months = np.array([f"2026-0{i}" for i in order])[CODE]
    low, high = ends_of(score, months)
    *others, latest = compare_segments(Y, score, months).rows()
    assert {low["segment"]: "low", high["segment"]: "high"}.get("2026-06", "middle") == place
    full = f"{latest['estimate']:.2f} {limits_of(latest, '95% interval ')}"
    models = MODELS if is_pair else score
    answer, _ = said_of(models, "month", months)
    subject = "It scores" if is_pair else "They score"
    start = f"{subject} from {low['estimate']:.2f} in {low['segment']} to "
    if place == "low":
        before = sorted(row["estimate"] for row in others)
        earlier = f"earlier months score {before[0]:.2f} to {before[-1]:.2f}."
        lowest = "The latest, 2026-06, is the lowest"
        lowest = "It scores lowest in the latest month, 2026-06" if is_pair else lowest
        expected = f"{lowest}: {full}; {earlier}"
    elif place == "high":
        expected = f"{start}{full} in 2026-06, the latest."
    else:
        top = f"{high['estimate']:.2f} in {high['segment']}"
        expected = f"{start}{top}; the latest, 2026-06, {full}."
    owner = " for new" * is_pair
    assert f"No difference between the months is shown{owner}. {expected} No trend is" in answer


@pytest.mark.parametrize("seed", range(6))
def test_scores_below_1_are_not_printed_as_1(seed):
    rng = np.random.default_rng(seed)
    y = rng.random(3_000) < 0.1
    month = np.array(["2026-01", "2026-02", "2026-03"])[np.arange(3_000) % 3]
    score = np.where(month == "2026-03", 4.5, 5) * y + rng.normal(size=3_000)
    (part,) = report(y, score, segments={"month": month}, parts=["segments"]).parts[:1]
    scores = {row[1].split()[0] for row in part.cells[1:]}
    told = " ".join([part.sentence, *part.more])
    assert "1.00" not in scores
    assert not re.search(r"scores? (from )?1\.00\b|to 1\.00 in", told)
    assert any(each in told for each in scores)
