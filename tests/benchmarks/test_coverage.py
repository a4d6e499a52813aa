"""The simulations of intervals know their populations, and count rightly. None asserts a time."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import sklearn_ap

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


def large_sample(shift, prevalence, size=400_000):
    """The score of normal scores whose classes are so far apart."""
    y = np.arange(size) < prevalence * size
    return sklearn_ap.average_precision_score(
        y, np.random.default_rng(3).normal(size=size) + shift * y
    )


def test_the_truth_is_the_score_of_a_large_sample(script, monkeypatch):
    coverage, at = script("certainty_coverage"), script("prevalence_coverage")
    monkeypatch.setattr("populations.N_TRUTH", 50_000)
    known = script("populations").truth(coverage.Step(), "weak", 20, 0.1)
    assert known == pytest.approx(large_sample(1, 0.1), abs=0.01)
    known = at.truth_at.__wrapped__(0.1, at.Step(), "good")  # with fewer rows
    assert known == pytest.approx(large_sample(2, 0.1), abs=0.01)
    known = script("populations").binormal(1.0, 0.05)
    assert known == pytest.approx(large_sample(1, 0.05), abs=0.005)
    shifts = (1.0, 1.4)
    draw = partial(script("populations").normals, shifts=shifts, correlation=0.5)
    found = script("populations").difference_of_many(draw, n_positives=40_000)
    assert script("populations").binormal_difference(shifts, 0.1) == pytest.approx(found, abs=0.01)


class TestCertainty:
    def test_a_cell_counts_how_often_the_truth_is_held(self, script, rows_of):
        sample = script("populations").family_sample
        draw = partial(sample, family="weak", n=20, prevalence=0.2)
        known, unknown = (
            script("simulation").interval_cell("name", draw, truth, 40)
            for truth in (lambda: -1.0, lambda: None)
        )
        assert rows_of(known)[0]["covers"] == 0
        (row,) = rows_of(unknown)
        assert row["covers"] >= 85
        assert 0.5 < row["width"] < 2

    def test_a_contest_counts_how_often_p_is_small(self, script, rows_of):
        coverage = script("certainty_coverage")
        how = {"shifts": (0.0, 3.0), "correlation": 0.9}
        draw = partial(script("populations").normals, n_positives=50, **how)
        (row,) = rows_of(coverage.contest("apart", draw), 30)
        assert row["covers"] == 0  # the truth of equal models
        assert (row["differs"], row["unpaired"], row["bootstrap"]) == (100, 100, 100)

    def test_contestants_of_the_costs_judge_the_same(self, script):
        for name, runs, size in script("speed_calls").intervals((300,)):
            first, second = runs.values()
            assert size > 0
            if name.startswith("interval"):
                assert first() == second().estimate
            elif name.startswith("comparison"):
                np.testing.assert_array_equal(first(), second().estimates)


@pytest.mark.parametrize("kind", ["positives", "positives, assumed", "clusters", "queries"])
def test_a_plan_says_how_many_find_the_difference_and_give_the_width(script, kind):
    plans = script("sample_size")
    cell = next(cell for cell in plans.cells() if cell.facts["kind"] == kind)
    plan = cell.truth()
    found = [cell.sample(np.random.default_rng(seed), plan) for seed in range(30)]
    assert 0.5 < np.mean([numbers["differs"] for numbers in found]) < 1
    widths = [numbers["half width"] for numbers in found]
    assert 0.7 < np.nanmean(widths) < 1.3


def test_the_curve_of_the_population_is_that_of_a_large_sample(script, monkeypatch):
    monkeypatch.setattr("populations.N_TRUTH", 100_000)
    bands, rng = script("band_coverage"), np.random.default_rng(0)
    y = (rng.random(400_000) < 0.1) * 1
    for family in ("good", "a giant tie"):
        curve = bands.curve(family, 0.1)
        low, high, _ = sklearn_ap.precision_recall_band(
            y, bands.FAMILIES[family](rng, y), recall_levels=bands.RECALL
        )
        assert np.all(((low <= curve) & (curve <= high))[bands.MIDDLE])


class TestPrevalence:
    def test_a_cell_counts_truths_and_warnings(self, script, rows_of, monkeypatch):
        coverage = script("prevalence_coverage")
        monkeypatch.setattr("populations.N_TRUTH", 50_000)
        few, many = ([*coverage.of_families("kind", "g", n, 0.5, 0.1)][1] for n in (20, 500))
        (found,) = rows_of(few, 20)
        assert found["warned"] == 100
        assert np.isnan(found["silent"])
        (found,) = rows_of(many, 20)
        assert found["warned"] == 0
        assert found["silent"] == found["covers"] >= 80
        assert rows_of(replace(many, truth=lambda: -1.0), 20)[0]["covers"] == 0


def test_shares_of_the_truly_best_are_counted(script):
    many = script("best_of_many")
    normals = script("populations").normals
    y, scores, _ = normals(np.random.default_rng(0), 50, np.array([1.0, 1.0, 3.0]), 0.5)
    numbers = many.judged_best(y, scores, np.array([0.3, 0.3, 0.8]))
    assert (numbers["winner"], numbers["truth"], numbers["best"]) == (2, 0.8, 100)
    # Both 0 and 2 are truly the best: one of them is named.
    assert many.judged_best(y, scores, np.array([0.8, 0.3, 0.8]))["best"] == 50
    assert numbers["low"] < numbers["estimate"] < numbers["high"]


class TestThresholds:
    @pytest.mark.parametrize("prevalence", [0.5, 0.1])
    def test_the_truth_is_that_of_a_large_sample(self, script, prevalence):
        rng = np.random.default_rng(0)
        y_true = (rng.random(400_000) < prevalence) * 1
        for population in script("threshold_coverage").populations(prevalence):
            y_score = population.draw(rng, y_true)
            point = sklearn_ap.operating_point(y_true, y_score, recall=0.5)
            for name, truth in population.truth(np.array(point.threshold)).items():
                assert truth == pytest.approx(getattr(point, name), abs=0.01)

    def test_the_attainable_recall_is_what_the_kind_says(self, script):
        populations = script("threshold_coverage").populations(0.1)
        kinds = {each.kind: each.attainable for each in populations}
        assert kinds["smooth, 70%"] == pytest.approx(0.7, abs=1e-3)
        assert kinds["all just too bad, 0%"] == 0

    def test_a_cell_counts_what_holds(self, script, rows_of):
        cells = {cell.name: cell for cell in script("threshold_coverage").cells()}
        row, *intervals = rows_of(cells["all just too bad, 0% 0.5 100"], 40)
        assert row["by hand"] < 20
        assert row["sure"] > 80
        assert np.isnan(row["reached"])
        assert [each["way"] for each in intervals] == ["precision", "recall", "selected"]
        assert all(each["covers"] > 70 for each in intervals)


class TestWorstCells:
    """The short grid of every week breaks where intervals hold too rarely, by nothing else."""

    def cell(self, worst, share, warned=0.0, promised=93):
        def sample(rng, truth):
            return {"warned": bool(rng.random() < warned), "covers": bool(rng.random() < share)}

        facts = {"promised": promised, "kind": "kind"}
        return worst.Cell(f"{share} {warned}", sample, 1_000, facts=facts)

    @pytest.mark.parametrize(
        ("share", "warned", "promised", "verdict"),
        [
            (0.95, 0.0, 93, "holds"),
            (0.85, 0.0, 93, "covers too little"),
            (0.85, 0.5, 93, "covers too little"),
            (0.85, 0.9, 93, "warns"),
            (0.85, 0.0, 85, "holds"),
        ],
    )
    def test_a_cell_is_broken_by_samples_without_a_warning(
        self, script, rows_of, share, warned, promised, verdict
    ):
        worst = script("worst_cells")
        (row,) = rows_of(self.cell(worst, share, warned, promised))
        assert worst.verdict(row) == verdict

    def test_a_wide_cell_is_broken_unless_the_page_says_why(self, script, rows_of):
        worst = script("worst_cells")
        (row,) = rows_of(self.cell(worst, 0.99))
        assert worst.verdict(row | {"width": 1.4}) == "holds"
        assert worst.verdict(row | {"width": 1.6}) == "too wide"
        named = {"width": 1.6, "name": next(iter(worst.WIDE))}
        assert worst.verdict(row | named) == "holds"

    def test_cells_whose_width_has_a_reason_are_in_the_grid(self, script):
        worst = script("worst_cells")
        assert {*worst.WIDE, *worst.NAMED} <= {cell.name for cell in worst.cells()}

    def test_chance_seldom_breaks_a_cell(self, script):
        worst, row = script("worst_cells"), {"n_silent": 1_000, "promised": 93}
        assert worst.fewest(row) == 904  # as the head of the script says
        assert worst.binom.cdf(worst.fewest(row) - 1, 1_000, 0.93) < worst.CHANCE
        assert worst.binom.cdf(worst.fewest(row) - 1, 1_000, 0.88) > 0.99
        assert worst.fewest(row | {"n_silent": 300}) == 264

    @pytest.mark.parametrize(("share", "code"), [(0.96, 0), (0.5, 1)])
    def test_the_exit_code_says_whether_a_cell_is_broken(self, script, share, code, monkeypatch):
        worst = script("worst_cells")
        monkeypatch.setattr(worst, "GRID", [lambda: iter([self.cell(worst, share)])])
        assert worst.is_broken(["--quick", "--samples", "300", "--jobs", "1"]) == code
