"""Cliffs are found in times of rising sizes, and no others."""

import pytest


@pytest.fixture
def survey(script):
    return script("survey")


def test_a_cliff_and_a_steep_rise_are_found(survey):
    fair = [0.01 * n / 1000 for n in survey.SIZES]
    assert [*survey.findings(fair)] == []
    cliff = [*fair[:4], *(10 * each for each in fair[4:])]
    assert [*survey.findings(cliff)] == ["from 8,000 to 16,000 rows, 20.0 times as long"]
    (steep,) = survey.findings([(n / 1000) ** 1.5 for n in survey.SIZES])
    assert steep == "grows as the rows to the power of 1.50, to 1448155 ms"
    assert [*survey.findings([1e-6, 1e-3, *[1e-3] * 6])] == []  # too short to tell


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("question", ["score", "interval", "comparison"])
def test_calls_that_are_refused_are_left_out(survey, question, monkeypatch):
    monkeypatch.setattr(survey, "SIZES", [100, 200])
    assert len(survey.surveyed(question, survey.Step(), "clusters", 0.5)) == 2
    weighted = survey.surveyed("interval", survey.Expected(), "weighted", 0.5)
    assert len(weighted) == 0
