"""What a report says of the comparison of models: the better one, and how much its choice adds."""

import re
from itertools import pairwise

import numpy as np
from report_data import AB, BASE, NOISE, A, B, N, Y, part, quiet

from sklearn_ap import (
    average_precision_interval,
    average_precision_score,
    best_average_precision,
    compare_average_precision,
    report,
)
from sklearn_ap._program.report.page.page import FINE


def test_sentence_names_the_better_of_two_models_and_the_difference():
    found = compare_average_precision(Y, AB)
    change, low, high = (
        f"{getattr(found, of)[1]:+.2f}"
        for of in ("differences", "difference_lows", "difference_highs")
    )
    better = f"b is better than a: {change} (95% interval {low} to {high})."
    assert part("Is one model better?").sentence == better == found.verdicts[0].sentence
    turned = report(Y, {"b": B, "a": A})
    assert turned.parts[1].sentence == better == turned.summary[0].answer[: len(better)]
    call = "compare_average_precision(y_true, y_scores, reference='a')"
    assert turned.parts[1].call == call
    paper = turned.parts[-2]
    assert paper.call == f"print({call}.to_paper())"
    assert f"The difference of b from a on the same rows was {change} (95%" in paper.copied_text
    table = compare_average_precision(Y, {"b": B, "a": A}, reference="a").to_paper()
    assert paper.copied_text.endswith(f"\n\n{table}")


def test_sentence_states_when_a_difference_is_uncertain():
    other = A + 0.1 * NOISE
    assert average_precision_score(Y, A) > average_precision_score(Y, other)
    found = compare_average_precision(Y, {"a": A, "other": other}, reference="other")
    assert found.pvalues[0] > 0.05
    sentence = part("Is one model better?", Y, {"a": A, "other": other}).sentence
    low, high = found.difference_lows[0], found.difference_highs[0]
    assert sentence == (
        f"No difference is shown: a minus other may be anything from {low:+.2f} to {high:+.2f}."
    )
    sentence = part("Is one model better?", Y, {"a": A, "b": B, "twin": 2 * B}).sentence
    assert re.match(
        "It is not shown that b, .*, is the best of 3 models: twin may be, too", sentence
    )
    weak = part("The score", Y, NOISE).sentence
    assert re.match("The model (is not shown to be better|scores less) than a random order", weak)


def test_sentence_names_the_best_of_three_models():
    sentence = part("Is one model better?", Y, {"a": A, "b": B, "c": BASE}).sentence
    assert sentence.startswith("b is the best of 3 models: 0.75")


@quiet
def test_first_lines_say_how_much_too_high_a_chosen_model_scores():
    rng = np.random.default_rng(0)
    models = {f"m{i}": Y + rng.normal(size=N) for i in range(9)}
    best = best_average_precision(Y, models)
    found = report(Y, models, parts=["data", "comparison"])
    model, doubt = found.summary
    limits = f"{best.low:.2f} to {best.high:.2f}"
    score = f"{best.name} scores highest of 9 models, {best.estimate:.2f} (95% interval {limits})"
    assert len(best.may_be_best) > 1
    assert model.answer.startswith(f"{score}, but {best.may_be_best[1]}")
    first, second = best.names[:2]
    pair = {second: models[second], first: models[first]}
    lead = compare_average_precision(Y, pair).rows()[1]
    numbers = (lead["difference"], lead["difference_low"], lead["difference_high"])
    words = "{:.2f} more than {}, the next (95% interval {:+.2f} to {:+.2f}); a random"
    words = words.format(numbers[0], second, *numbers[1:])
    assert f" {first} scores {words}" in model.answer
    new = round(best.estimate - best.optimism, 2)
    expected = f"expect about {new:.2f} for new rows."
    added = round(best.estimate, 2) - new
    size = f"adds about {added:.2g} to the score of {best.name}: {expected}"
    assert doubt.answer == f"The choice among 9 models {size}"
    clear = report(Y, {"a": A, "b": B, "c": BASE}, parts=["data", "comparison"])
    assert re.match(
        r"b is the best of 3 models: 0\.\d+ \([^(]*\)\. b scores \S+ more than a, the next \(",
        clear.summary[0].answer,
    )
    assert "highest" not in clear.summary[0].answer
    assert clear.summary[1].answer == FINE


@quiet
def test_a_lead_over_a_rival_that_may_be_the_best_has_no_interval_that_excludes_zero():
    """A test of both alone shows the lead, and one that allows for the choice of them does not."""
    kinds = set()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        models = {f"m{i}": (0.8 + 0.2 * i) * Y + rng.normal(size=N) for i in range(5)}
        best = best_average_precision(Y, models)
        first, second = best.names[:2]
        pair = {name: models[name] for name in (second, first)}
        lead = compare_average_precision(Y, pair).rows()[1]
        is_rival = second in best.may_be_best
        is_hidden = is_rival and lead["difference_low"] > 0
        kind = (is_rival, lead["difference_low"] > 0)
        if kind in kinds or float(f"{lead['difference']:.2f}") == 0:
            continue
        kinds.add(kind)
        limits = f"{lead['difference_low']:+.2f} to {lead['difference_high']:+.2f}"
        size = f"{lead['difference']:.2f}"
        claim = f"{first} scores {size} more than {second}, the next (95% interval {limits})"
        if is_hidden:
            claim = f"{second}, the next, scores {size} less"
        found = report(Y, models, parts=["comparison"])
        assert f" {claim}; a random order scores 0." in found.summary[0].answer
        assert f"{claim}." in found.parts[0].more
    assert kinds == {(True, True), (True, False), (False, True)}


@quiet
def test_a_choice_that_two_digits_do_not_show_is_not_told():
    rng = np.random.default_rng(0)
    is_told = []
    for spread in (0.05, 0.1, 1):
        models = {f"m{i}": Y + BASE + spread * rng.normal(size=N) for i in range(6)}
        best = best_average_precision(Y, models)
        answer = report(Y, models, parts=["data", "comparison"]).summary[-1].answer
        is_told.append("The choice among 6 models adds" in answer)
        assert best.optimism > 0.0005
        shown = {f"{score:.2f}" for score in (best.estimate, best.estimate - best.optimism)}
        assert is_told[-1] == (len(shown) == 2)
    assert {*is_told} == {False, True}


@quiet
def test_both_intervals_of_a_score_are_explained_where_they_stand():
    rng = np.random.default_rng(0)
    models = {f"m{i}": Y + rng.normal(size=N) for i in range(9)}
    best = best_average_precision(Y, models)
    alone = average_precision_interval(Y, models[best.name])
    assert best.low < alone.low
    score, comparison, _ = report(Y, models, parts=["score", "comparison"]).parts
    assert comparison.notes[1] == (
        f"The lower limits hold for all 9 models at once, so the interval of {best.name}, "
        f"{best.low:.2f} to {best.high:.2f}, allows for its choice. By itself, it would be "
        f"{alone.low:.2f} to {alone.high:.2f}."
    )
    assert score.notes[1].startswith("Each interval is for one model by itself.")
    assert not [note for note in part("The score", Y, AB).notes if "by itself" in note]


def test_panels_of_a_comparison_stand_below_each_other_without_overprint(drawn_figures):
    names = "<b>x</b>|*y* [a](b)", "a_very_long_name_" * 9
    found = report(Y, dict(zip(names, (A, B), strict=True)), parts=["comparison"])
    found.to_html()
    (figure,) = drawn_figures
    figure.draw_without_rendering()
    scores, differences = (axis.get_tightbbox() for axis in figure.axes)
    assert differences.y1 < scores.y0
    assert min(scores.width, differences.width) > 0.8 * figure.bbox.width
    for axis in figure.axes:
        labels = [label.get_window_extent() for label in axis.get_xticklabels()]
        assert all(a.x1 < b.x0 for a, b in pairwise(labels))
