"""Where to look first if two models are worse in a segment, and one of them loses far more."""

import numpy as np
import pytest

from sklearn_ap import compare_segments, report

N = 12_000
RNG = np.random.default_rng(0)
CODE = np.arange(N) % 6
MONTH = np.array([f"2026-0{i}" for i in range(1, 7)])[CODE]
COUNTRY = np.array(["DE", "ES", "FR", "GB", "IT", "PL"])[CODE]
Y = RNG.random(N) < 0.1
NOISE = RNG.normal(size=(3, N))
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def shifted(**shifts):
    """Scores whose positives stand higher by a number elsewhere, and another in the last one."""
    return {
        name: np.where(CODE == 5, last, others) * Y + noise
        for (name, (others, last)), noise in zip(shifts.items(), NOISE, strict=False)
    }


def doubts_of(models, segments=MONTH, name="month"):
    parts = ["data", "comparison", "segments"]
    made = report(Y, models, segments={name: segments}, parts=parts)
    return next(line.answer for line in made.summary if line.question == "Distrust")


def losses_of(models, segments=MONTH):
    """How much less each model scores in the last segment, if it is shown to be worse there."""
    rows = {name: compare_segments(Y, each, segments).rows()[-1] for name, each in models.items()}
    assert {row["verdict"] for row in rows.values()} == {"worse"}
    return {name: -row["difference"] for name, row in rows.items()}


@pytest.mark.parametrize(
    ("segments", "name", "fall", "place"),
    [(MONTH, "month", "fall", "2026-06"), (COUNTRY, "country", "score less", "PL")],
)
def test_the_model_that_loses_more_than_twice_as_much_is_doubted(segments, name, fall, place):
    found = set()
    for last in np.linspace(0.2, 1.1, 10):
        models = shifted(new=(3, 0.7), old=(1.8, last))
        losses = losses_of(models, segments)
        is_half = losses["old"] < losses["new"] / 2
        doubts = doubts_of(models, segments, name)
        own = (
            f"new loses {losses['new']:.2f} there, and old {losses['old']:.2f}, so look first at "
            f"the inputs or scores of new."
        )
        both = f"Both models {fall} there, so look first at the inputs of {place}."
        assert (own in doubts) == is_half
        assert (both in doubts) != is_half
        assert doubts.count("look first") == 1
        found.add(is_half)
    assert found == {False, True}


@pytest.mark.parametrize(("third", "is_half"), [((1.8, 1.1), True), ((2.4, 0.6), False)])
def test_of_three_models_the_other_that_loses_most_is_told(third, is_half):
    models = shifted(new=(3, 0.7), old=(1.6, 0.9), rule=third)
    losses = losses_of(models)
    others = {name: losses[name] for name in ("old", "rule")}
    most = max(others, key=others.get)
    assert (others[most] < losses["new"] / 2) == is_half
    doubts = doubts_of(models)
    own = f"new loses {losses['new']:.2f} there, and {most} {others[most]:.2f}, so look first at "
    assert (own in doubts) == is_half
    assert ("All models fall there, so look first at the inputs of " in doubts) != is_half
