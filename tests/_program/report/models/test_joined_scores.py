"""A page of several models has their scores in the comparison, unless the part is asked for."""

from dataclasses import replace

import numpy as np
import pytest
from report_data import AB, BASE, GROUP, NOISE, WEIGHT, A, B, Y, quiet, shows

from sklearn_ap import (
    average_precision_interval,
    best_average_precision,
    chance_test,
    compare_average_precision,
    report,
)
from sklearn_ap._program.report import _parts
from sklearn_ap._program.report.page.page import FINE

THREE = AB | {"c": BASE}
ALONE = "Each interval is for one model by itself."  # of the part that is left out


def joined_part(y_true, y_scores, **options):
    """The comparison of a page that has the scores in it, and the page."""
    page = report(y_true, y_scores, **options)
    (found,) = (each for each in page.parts if each.name == "comparison")
    assert "score" not in [each.name for each in page.parts]
    return found, page


@quiet
@pytest.mark.parametrize("models", [AB, THREE], ids=["two", "three"])
@pytest.mark.parametrize(
    "options",
    [{}, {"clusters": GROUP}, {"sample_weight": WEIGHT}, {"queries": GROUP}, {"prevalence": 0.05}],
    ids=lambda options: "".join(options),
)
def test_the_comparison_says_what_both_parts_say_where_they_are_asked_for(models, options):
    joined, page = joined_part(Y, models, **options)
    asked = report(Y, models, parts=["data", "score", "comparison"], **options)
    _, score, comparison, _ = asked.parts
    assert (score.name, comparison.name) == ("score", "comparison")
    assert joined.sentence == comparison.sentence
    assert joined.cells == comparison.cells
    assert page.summary[0].answer == asked.summary[0].answer
    notes = [note for note in score.notes if not note.startswith(ALONE)]
    assert len(notes) == len(score.notes) - (len(models) > 2)
    assert joined.notes == [*comparison.notes, *notes]
    assert joined.doubts == comparison.doubts
    assert {*score.doubts} <= {*joined.doubts}


@quiet
def test_the_score_of_random_orders_stands_below_those_of_models():
    for models in (AB, {f"m{i}": Y * i / 4 + BASE for i in range(9)}):
        joined, _ = joined_part(Y, models)
        best = joined.cells[1][0]
        name, score, *others = joined.cells[-1]
        assert name == "random order"
        assert shows(score, chance_test(Y, models[best], n_permutations=999).chance)
        assert not any(others)
        assert [row[0] for row in joined.cells].count(name) == 1


@quiet
@pytest.mark.parametrize(("n_models", "is_open"), [(9, True), (12, True), (13, False)])
def test_random_orders_do_not_close_a_table_of_twelve_models(rendered, n_models, is_open):
    models = {f"m{i}": Y * i / 4 + BASE for i in range(n_models)}
    joined, page = joined_part(Y, models)
    assert len(joined.cells) == 1 + n_models + 1
    section = page.to_html().split("<section ")[2]
    assert "Is one model better?" in section
    assert (f"<summary>All {n_models + 1} rows</summary>" not in section) == is_open


@quiet
def test_a_wide_interval_of_the_best_is_doubted_with_its_limits_in_the_table():
    y = np.arange(60) % 6 == 0
    noise = np.random.default_rng(3).normal(size=(3, 60))
    models = {f"m{i}": 1.6 * y + each for i, each in enumerate(noise)}
    best = best_average_precision(y, models)
    alone = average_precision_interval(y, models[best.name])
    assert best.high - best.low > 0.3
    assert alone.low != best.low
    joined, page = joined_part(y, models)
    limits = f"{best.low:.2f} to {best.high:.2f}"
    doubt = f"The 95% interval of {best.name} is wide: {limits}."
    assert limits.replace(" to ", ", ") in joined.cells[1][1]
    assert doubt in joined.doubts
    assert [doubt, "Is one model better?"] in page.parts[-1].cells
    assert doubt in page.summary[-1].answer
    two = {name: models[name] for name in ("m0", "m1")}
    pair = compare_average_precision(y, two)
    place = int(np.argmax(pair.estimates))
    limits = f"{pair.lows[place]:.2f} to {pair.highs[place]:.2f}"
    joined, _ = joined_part(y, two)
    assert joined.doubts == [f"The 95% interval of {pair.names[place]} is wide: {limits}."]


@quiet
def test_models_that_may_be_random_orders_are_doubted():
    noise = np.random.default_rng(3).normal(size=Y.size)
    _, page = joined_part(Y, {"old": NOISE, "new": noise})
    best = page.parts[1].cells[1][0]
    texts = [row[0] for row in page.parts[-1].cells[1:]]
    assert texts[0].startswith((f"{best} scores 0.", f"It is not shown that {best} scores higher"))
    assert page.parts[-1].cells[1][1] == "Is one model better?"
    assert report(Y, AB).summary[-1].answer == FINE


def test_a_warning_of_a_score_is_left_out_where_that_of_the_comparison_names_its_model():
    y = np.r_[np.ones(4, int), np.zeros(40, int)]
    models = {"perfect": 99 * y + NOISE[:44], "other": y + NOISE[44:88]}
    kind, text = "perfect score: ", "A score of 1 shows no variance"
    joined, page = joined_part(y, models)
    asked = report(y, models, parts=["score", "comparison"])
    score, comparison, *_ = asked.parts
    (alone,) = (each for each in score.warnings if each.startswith(f"{kind}{text}"))
    (named,) = (each for each in comparison.warnings if each.startswith(kind))
    assert named == f"{kind}'perfect': {alone.removeprefix(kind)}"
    assert joined.warnings == comparison.warnings
    cells = page.parts[-1].cells
    assert cells.count([named, "Is one model better?"]) == 1
    assert alone not in [row[0] for row in cells]
    # It concerns all numbers, and needs no title in the first lines.
    assert page.summary[-1].answer.count(text) == 1
    assert "Is one model better?: " not in page.summary[-1].answer


@quiet
def test_a_warning_of_a_score_that_the_comparison_lacks_is_kept_before_its_own(monkeypatch):
    own = "odd score: Look at it."
    make = _parts.score_part
    topic = _parts.TOPICS["score"]._replace(make=lambda data: replace(make(data), warnings=[own]))
    monkeypatch.setitem(_parts.TOPICS, "score", topic)
    joined, page = joined_part(Y, AB)
    assert joined.warnings == [own]
    assert [own, "Is one model better?"] in page.parts[-1].cells


@quiet
def test_the_score_stays_where_the_comparison_is_left_out():
    level = 1 - 1e-7  # that the comparison of three models refuses
    page = report(Y, THREE, confidence_level=level)
    names = [each.name for each in page.parts]
    assert names[1:3] == ["score", "comparison"]
    score, comparison = page.parts[1:3]
    assert comparison.sentence.startswith("Left out: confidence_level must be at most")
    found = average_precision_interval(Y, B, confidence_level=level)
    assert shows(score.cells[1][1], found.estimate, found.low, found.high)
    assert page.summary[0].answer == score.sentence


@quiet
def test_a_single_model_has_a_part_about_its_score():
    for scores in (A, {"a": A}):
        page = report(Y, scores)
        assert page.parts[1].name == "score"
        assert page.summary[0].part == 2
        assert "random order" in page.parts[1].cells[0]
