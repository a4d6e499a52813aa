"""The months of a fall are compared together, as a single one has few positives."""

import numpy as np
import pytest

from sklearn_ap import compare_average_precision, compare_segments, report

N = 12_000
RNG = np.random.default_rng(0)
NAMES = [f"2026-0{i}" for i in range(1, 7)]
MONTH = np.array(NAMES)[np.arange(N) % 6]
Y = RNG.random(N) < 0.05
NOISE = RNG.normal(size=(3, N))
TWO, THREE = NAMES[4:], NAMES[3:]
LEVEL = 1 - 0.05 / 6  # of one of six months, by Bonferroni's rule
# A third of the rows, of which a single month does not show what the whole fall does.
FEW = np.arange(N) // 6 % 3 == 0
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def fallen_model(name, fallen, high, low, other, other_shift):
    """Scores of a model that falls in some months, and of another one that does not."""
    shift = np.where(np.isin(MONTH, fallen), low, high)
    return {name: shift * Y + NOISE[0], other: other_shift * Y + NOISE[1]}


def best_falls(fallen, low=0.1, high=2.4, old=1.3):
    return fallen_model("new", fallen, high, low, "old", old)


def second_falls(fallen, low=0.7, high=1.9):
    return fallen_model("gbm", fallen, high, low, "net", 1.65)


def made_of(models, *parts, rows=slice(None), **options):
    models = {name: score[rows] for name, score in models.items()}
    parts = [*(parts or ("comparison",)), "segments"]
    return report(Y[rows], models, segments={"month": MONTH[rows]}, parts=parts, **options)


def answer_of(made):
    return next(line.answer for line in made.summary if line.question == "Model")


def part_of(made, name):
    return next(part for part in made.parts if part.name == name)


def rows_of(months, rows=slice(None)):
    kept = np.zeros(N, bool)
    kept[rows] = True
    return kept & np.isin(MONTH, months)


def difference(models, kept, level=LEVEL, prevalence=None, rows=slice(None)):
    """How much more the first of two models scores on kept rows, the limits, and both scores."""
    best, other = models
    found = compare_average_precision(
        Y[kept],
        {name: models[name][kept] for name in (other, best)},
        prevalence=Y[rows].mean() if prevalence is None else prevalence,
        confidence_level=level,
    )
    scores = {row["name"]: row["estimate"] for row in found.rows()}
    change = found.differences[1], found.difference_lows[1], found.difference_highs[1]
    return change, [scores[best], scores[other]]


def numbers(change):
    return "{:+.2f} (adjusted 95% interval {:+.2f} to {:+.2f})".format(*change)


def printed(score):
    """Write a score with two digits."""
    return f"{score:.3f}" if score < 0.1 else f"{score:.2f}"


CASES = {
    "the best model, two months": (best_falls(TWO), TWO),
    "the best model, three months": (best_falls(THREE, high=2.8), THREE),
    "the second model, two months": (second_falls(TWO), TWO),
    "the second model, three months": (second_falls(THREE, high=2.4), THREE),
}


@pytest.mark.parametrize(("models", "fallen"), [*CASES.values()], ids=[*CASES])
def test_all_months_of_a_fall_are_compared_together(models, fallen):
    worse, other = models
    verdicts = [row["verdict"] for row in compare_segments(Y, models[worse], MONTH).rows()]
    assert verdicts[-len(fallen) :] == ["worse"] * len(fallen)
    change, scores = difference(models, rows_of(fallen))
    assert change[2] < 0
    for name in fallen:
        assert numbers(difference(models, rows_of([name]))[0]) != numbers(change)
    start = fallen[0]
    low, high = map(printed, scores)
    since = f"Since {start}, {worse} scores {low} and {other} {high}: {numbers(change)}."
    made = made_of(models)
    part = made.parts[0]
    assert part.more[1] == since
    assert part.sentence.startswith(f"{worse} is worse than {other} since {start}; over all months")
    advice, first, *_ = answer_of(made).split(f" {since}")[0].split(": ")
    assert advice == f"Use {other} for now"
    assert first.startswith(f"{worse} falls from 0.")
    assert first.endswith(f" in {start}.")
    assert f" {since} Over all months, " in answer_of(made)
    assert f"In {fallen[-1]}" not in answer_of(made)
    assert ", too" not in repr(part.more)  # the other months of the fall are told with it


def test_a_fall_of_a_single_month_is_told_as_before():
    models = best_falls(NAMES[5:])
    change, scores = difference(models, rows_of(NAMES[5:]))
    low, high = map(printed, scores)
    text = f"In 2026-06, new scores {low} and old {high}: {numbers(change)}."
    made = made_of(models)
    assert made.parts[0].more[1] == text
    assert made.parts[0].sentence.startswith("new is worse than old in 2026-06; over all months")
    assert answer_of(made).startswith("Use old for now: new falls from 0.")
    assert "ince" not in answer_of(made)


def test_the_whole_fall_shows_what_its_latest_month_does_not():
    models = best_falls(TWO, 0.4, old=1.25)
    change, _ = difference(models, rows_of(TWO, FEW), rows=FEW)
    assert change[2] < 0
    single, _ = difference(models, rows_of(TWO[1:], FEW), rows=FEW)
    assert single[1] < 0 < single[2]
    made = made_of(models, rows=FEW)
    assert made.parts[0].sentence.startswith("new is worse than old since 2026-05; over all")
    assert numbers(change) in made.parts[0].more[1]


def test_the_level_is_that_of_one_of_all_months():
    is_told = []
    for low in np.linspace(0.1, 1.2, 23):
        models = best_falls(TWO, low)
        made = made_of(models, rows=FEW)
        shown = "is worse than old since 2026-05" in made.parts[0].sentence
        single, strict = (
            difference(models, rows_of(TWO, FEW), level, rows=FEW)[0][2] < 0
            for level in (0.95, LEVEL)
        )
        fallen = compare_segments(Y[FEW], models["new"][FEW], MONTH[FEW]).rows()[-2:]
        if {row["verdict"] for row in fallen} == {"worse"}:
            assert shown == strict
            is_told.append((single, strict))
    assert (True, False) in is_told
    assert (True, True) in is_told


def test_at_a_prevalence_the_scores_are_those_at_it():
    models = best_falls(TWO)
    change, scores = difference(models, rows_of(TWO), prevalence=0.03)
    low, high = map(printed, scores)
    made = made_of(models, prevalence=0.03)
    assert f"Since 2026-05, new scores {low} and old {high}: {numbers(change)}." in answer_of(made)


class TestThePicture:
    MODELS = CASES["the best model, two months"][0]

    def test_the_months_of_the_fall_are_one_row(self):
        change, _ = difference(self.MODELS, rows_of(TWO))
        picture = made_of(self.MODELS).parts[0].picture
        assert picture.finding.startswith("Over all months, new scores 0.")
        assert picture.finding.endswith(f" more than old, but {-change[0]:.2f} less since 2026-05")
        row = "since 2026-05 {:+.2f} [{:+.2f}, {:+.2f}] adjusted".format(*change)
        assert row in picture.alt

    def test_the_rows_are_drawn_as_the_words_have_them(self, drawn_figures):
        made_of(self.MODELS).to_html()
        axis = drawn_figures[0].axes[0]
        names = [label.get_text() for label in axis.get_yticklabels()]
        assert names == ["all months", "other months", "since 2026-05"]


class TestThePaper:
    def text_of(self, made):
        return " ".join(part_of(made, "paper").copied_text.split("\n\n")[0].split())

    @pytest.mark.parametrize("n_months", [2, 3])
    def test_its_heading_has_the_scores_of_the_whole_fall(self, n_months):
        name = f"the best model, {'two' if n_months == 2 else 'three'} months"
        models, fallen = CASES[name]
        low, high = map(printed, difference(models, rows_of(fallen))[1])
        part = part_of(made_of(models, "comparison", "paper"), "paper")
        end = f", and that old is better since {fallen[0]}: {high} against {low}."
        assert part.sentence.endswith(end)

    def test_its_text_has_the_whole_fall(self):
        models, fallen = CASES["the best model, three months"]
        text = self.text_of(made_of(models, "comparison", "paper"))
        change, scores = difference(models, rows_of(fallen))
        low, high = map(printed, scores)
        limits = "{:+.2f}, adjusted 95% interval {:+.2f} to {:+.2f}".format(*change)
        assert text.endswith(
            f"Since {fallen[0]}, at the prevalence of all rows, new scored {low} and old {high} "
            f"(difference {limits})."
        )
        assert not [name for name in fallen if f"In {name}" in text]
