"""Worse months that are over, those below the mean of all, and how times and segments are named."""

import numpy as np
import pytest

from sklearn_ap import compare_segments, report
from sklearn_ap._program.report.data.checks import check_predictions
from sklearn_ap._program.report.segments.columns import compare_column
from sklearn_ap._program.report.segments.worst import find_worst

N = 12_000
RNG = np.random.default_rng(0)
NAMES = [f"2026-0{i}" for i in range(1, 7)]
CODE = np.arange(N) % 6
MONTH = np.array(NAMES)[CODE]
Y = RNG.random(N) < 0.05
NOISE = RNG.normal(size=(2, N))
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def scores(*shifts, noise=0):
    """Scores whose positives stand higher by another number in each month."""
    return np.array(shifts)[CODE] * Y + NOISE[noise]


def made_of(score, *parts, segments=MONTH, name="month"):
    made = report(Y, score, segments={name: segments}, parts=[*parts, "segments"])
    return made, {line.question: line.answer for line in made.summary}


def part_of(made, name):
    return next(part for part in made.parts if part.name == name)


def monthly(score, left_out=()):
    """The rows of the months that are not left out, at the prevalence of all of them."""
    kept = ~np.isin(MONTH, left_out)
    found = compare_segments(Y[kept], score[kept], MONTH[kept], prevalence=float(Y.mean()))
    return {row["segment"]: row for row in found.rows()}


ONE_BAD = scores(2.4, 2.4, 0.9, 2.4, 2.4, 2.4)


class TestOneBadMonth:
    def test_the_picture_says_how_little_the_model_scores_in_it(self):
        made, _ = made_of(ONE_BAD)
        score = monthly(ONE_BAD)["2026-03"]["estimate"]
        finding = part_of(made, "segments").picture.finding
        assert finding == f"The model scores only {score:.2f} in 2026-03"

    def test_the_second_model_scores_less_in_it_and_does_not_fall(self):
        models = {"new": 2.9 * Y + NOISE[1], "old": ONE_BAD}
        assert {row["verdict"] for row in monthly(models["new"]).values()} == {"undecided"}
        score = f"{monthly(ONE_BAD)['2026-03']['estimate']:.2f}"
        made, lines = made_of(models, "comparison", "paper")
        less = f"old scores only {score} in 2026-03"
        nothing = "o difference between the months is shown"
        assert lines["By month"].startswith(f"{less}. N{nothing} for new. It scores ")
        assert lines["Distrust"] == f"{less}: look at its inputs or scores there."
        picture = part_of(made, "segments").picture
        assert picture.finding == f"{less}; n{nothing} for new"
        assert f"). Without 2026-03, where old scores {score}, new scores 0." in lines["Model"]
        assert "In 2026-03" not in part_of(made, "paper").copied_text
        assert "falls" not in repr(made)

    def test_the_heading_about_the_score_of_a_single_model_has_no_month(self):
        made, lines = made_of(ONE_BAD, "score")
        assert lines["Model"] == part_of(made, "score").sentence
        assert "2026" not in lines["Model"]


def test_the_heading_about_the_score_of_a_single_model_names_a_worse_country():
    country = np.array([*"ABCDEF"])[CODE]
    kept = country != "C"
    score = compare_segments(Y, ONE_BAD, country).estimates[2]
    rest = compare_segments(Y[kept], ONE_BAD[kept], country[kept], prevalence=float(Y.mean()))
    made, lines = made_of(ONE_BAD, "score", segments=country, name="country")
    sentence = part_of(made, "score").sentence
    assert sentence.startswith("The model has an average precision of 0.")
    against = f"against {rest.overall:.2f} in the other countries."
    assert sentence.endswith(f"; in country C, it scores {score:.2f}, {against}")
    assert lines["Model"] == sentence


COUNTRY = np.array([*"ABCDEF"])[CODE]


@pytest.mark.parametrize(("limits", "is_named"), [((0.01, 0.05), False), ((1e-4, 0.01), True)])
def test_the_heading_about_a_score_names_a_country_that_is_clearly_worse_alone(limits, is_named):
    for low in np.linspace(2.4, 0.9, 76):
        score = scores(2.4, 2.4, low, 2.4, 2.4, 2.4)
        row = compare_segments(Y, score, COUNTRY).rows()[2]
        if row["verdict"] == "worse" and limits[0] < row["adjusted_pvalue"] < limits[1]:
            break
    else:
        pytest.fail("no such difference")
    made, lines = made_of(score, "score", segments=COUNTRY, name="country")
    assert " less in country C than in the other countries (" in lines["By country"]
    worse = f"; in country C, it scores {row['estimate']:.2f}, against 0."
    assert (worse in lines["Model"]) == is_named
    assert (worse in part_of(made, "score").sentence) == is_named


def test_the_heading_about_a_score_names_no_country_where_the_latest_month_is_worse():
    country = np.array([*"ABCDEF"])[np.arange(N) // 6 % 6]
    score = np.where((country == "C") | (CODE == 5), 0.7, 2.6) * Y + NOISE[0]
    columns = {"month": MONTH, "country": country}
    made = report(Y, score, segments=columns, parts=["score", "segments"])
    lines = {line.question: line.answer for line in made.summary}
    assert lines["Model"].startswith("The model falls from 0.")
    assert " less in country C than " in lines["By country"]
    assert "country C" not in lines["Model"]
    assert "country C" not in part_of(made, "score").sentence


class TestNamesOfTimes:
    @pytest.mark.parametrize(
        ("name", "last"),
        [
            ("month", "2026-06"),
            ("quarter", "2026-Q6"),
            ("week", "2026-W06"),
            ("date", "2026-03-06"),
            ("when", "2026-06"),
        ],
    )
    def test_a_time_with_a_year_needs_no_column(self, name, last):
        times = np.array([f"{last[:-1]}{i}" for i in range(1, 7)])[CODE]
        score = scores(2.4, 2.4, 2.4, 2.4, 2.4, 0.9)
        made, lines = made_of(score, "paper", segments=times, name=name)
        assert f" less in {last} than in the other " in lines[f"By {name}"]
        assert f" in {last}." in part_of(made, "paper").sentence
        assert f" In {last}, at the prevalence" in part_of(made, "paper").copied_text
        assert f"{name} {last}" not in repr(made)

    @pytest.mark.parametrize(
        ("name", "names"),
        [
            ("country", ["AT", "DE", "ES", "FR", "IT", "PL"]),
            ("week", [f"W0{i}" for i in range(1, 7)]),
            ("month", [*range(1, 7)]),
            ("version", [f"2026-0{i}b" for i in range(1, 7)]),
        ],
    )
    def test_other_segments_have_their_column(self, name, names):
        segments = np.array(names)[CODE]
        score = scores(2.4, 2.4, 2.4, 2.4, 2.4, 0.9)
        made, lines = made_of(score, "paper", segments=segments, name=name)
        assert f" less in {name} {names[-1]} than in the other " in lines[f"By {name}"]
        assert part_of(made, "paper").sentence.endswith(f" in {name} {names[-1]}.")


class TestSegmentsAboveTheMean:
    """Three low shops pull the mean of all down, so another one is above it, and yet differs."""

    SHOP = np.array([*"ABCDEFG"])[np.arange(N) % 7]
    SCORE = np.array([0, 0.3, 0.2, 2.3, 3.6, 3.6, 3.6])[np.arange(N) % 7] * Y + NOISE[0]

    def column(self):
        data = check_predictions(
            Y, self.SCORE, {"shop": self.SHOP}, None, {"confidence_level": 0.95}, {}
        )
        return compare_column(data, "shop")

    def test_they_are_not_worse_in_other_parts(self):
        low = ["A", "B", "C"]
        everything = compare_segments(Y, self.SCORE, self.SHOP)
        kept = ~np.isin(self.SHOP, low)
        prevalence = float(Y.mean())
        rest = compare_segments(Y[kept], self.SCORE[kept], self.SHOP[kept], prevalence=prevalence)
        row = rest.rows()[0]
        assert (row["segment"], row["verdict"]) == ("D", "worse")
        assert row["estimate"] > everything.overall
        column = self.column()
        assert sorted(each.name for each in column.outliers) == low
        assert sorted(each.name for each in find_worst(column)) == low

    def test_doubts_thresholds_and_papers_do_not_name_them(self):
        made, lines = made_of(self.SCORE, "thresholds", "paper", segments=self.SHOP, name="shop")
        change = self.column().rows[3]["difference"]
        assert f"Among the other shops, it is worse in D ({change:+.2f})." in lines["By shop"]
        assert sorted(self.names_of(lines["Distrust"])) == ["A", "B", "C"]
        thresholds = " ".join([lines["Threshold"], *part_of(made, "thresholds").more])
        assert "shop A" in thresholds
        assert "shop D" not in thresholds
        paper = part_of(made, "paper")
        assert " in shop A" in paper.sentence
        assert "shop D" not in f"{paper.sentence} {paper.copied_text}"

    @pytest.mark.parametrize(
        ("shifts", "places"),
        [
            ([4, 4, -1, 4, 2.8, 4], [2]),
            ([4, 4, 4, 4, -1, 2.8], [4]),  # the latest is above it
            ([4, 4, 4, 4, 2.8, -1], [5]),  # and here the start of a fall
            ([3.4, 3.4, 3.4, 3.4, 0, 2.3], [5, 4]),  # both are below it
        ],
    )
    def test_an_outlier_above_it_is_not_worse_beside_a_lower_one(self, shifts, places):
        score = scores(*shifts)
        data = check_predictions(Y, score, {"month": MONTH}, None, {"confidence_level": 0.95}, {})
        column = compare_column(data, "month")
        everything = compare_segments(Y, score, MONTH)
        low = [i for i, shift in enumerate(shifts) if shift < 3]
        assert sorted(each.name for each in column.outliers) == [NAMES[i] for i in low]
        assert {each.row["verdict"] for each in column.outliers} == {"worse"}
        assert {i for i in low if everything.estimates[i] < everything.overall} == {*places}
        assert [each.name for each in find_worst(column)] == [NAMES[i] for i in places]

    def names_of(self, doubt):
        together = "Scores and guarantees are over all shops together, but "
        names, _, _ = doubt.removeprefix(together).partition(" score less.")
        return names.replace(" and ", ", ").split(", ")


class TestPapers:
    def test_times_stand_in_their_order(self):
        score = scores(2.5, 0.9, 2.5, 2.5, 2.5, 1.1)  # February is worse by more
        data = check_predictions(Y, score, {"month": MONTH}, None, {"confidence_level": 0.95}, {})
        assert [each.name for each in find_worst(compare_column(data, "month"))] == [
            "2026-06",
            "2026-02",
        ]
        rows = monthly(score)
        made, _ = made_of(score, "paper")
        paper = part_of(made, "paper")
        words = [f"{rows[name]['estimate']:.2f} in {name}" for name in ("2026-02", "2026-06")]
        assert paper.sentence.endswith(f", and {words[0]} and {words[1]}.")
        text = " ".join(paper.copied_text.split())
        february = text.index(" In 2026-02, at the prevalence of all rows, the model scored ")
        assert february < text.index(" In 2026-06, the model scored ")

    def test_the_latest_month_stands_behind_an_earlier_one_with_two_models(self):
        score = scores(2.5, 0.9, 2.5, 2.5, 2.5, 1.1)
        models = {"new": score, "old": 0.6 * Y + NOISE[1]}
        made, _ = made_of(models, "paper")
        text = " ".join(part_of(made, "paper").copied_text.split())
        assert text.index(" In 2026-02, at") < text.index(" In 2026-06, new scored ")
