"""The report: each number is that of the function it quotes, and each sentence is right."""

import os
import pickle
import re
import warnings
from dataclasses import replace
from functools import partial
from html import unescape
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from sklearn_ap import (
    AveragePrecisionDisplay,
    average_precision_interval,
    average_precision_score,
    best_average_precision,
    chance_test,
    compare_average_precision,
    compare_segments,
    compat,
    operating_point,
    report,
)
from sklearn_ap._base.inputs import targets
from sklearn_ap._counts import counting
from sklearn_ap._program.report import _parts as parts
from sklearn_ap._program.report import _predictions, page
from sklearn_ap.definitions import AtK, PrecisionAtK, PrecisionAtRecall, RecallAtK

RNG = np.random.default_rng(0)
N = 600
Y = (RNG.random(N) < 0.2).astype(int)
BASE = RNG.normal(size=N)
A, B = 1.0 * Y + BASE, 1.8 * Y + BASE + 0.1 * RNG.normal(size=N)
AB = {"a": A, "b": B}
GROUP = RNG.integers(0, 60, N)
NOISE = RNG.normal(size=N)
MONTH = np.array(["2026-01", "2026-02", "2026-03"])[np.arange(N) % 3]
WEIGHT = RNG.random(N) + 0.5
TITLES = (
    *("What the data are", "The score", "Is one model better?", "The curve", "The top rows"),
    *("Thresholds", "Segments", "What other tools print", "What to write in a paper", "Warnings"),
)
FOUND = report(Y, AB, segments=MONTH)
UNDRAWN = pickle.dumps(FOUND)
quiet = pytest.mark.filterwarnings("ignore::UserWarning")


def part(title, *args, **options):
    """A part of the report of all, or of another one, of which no other part is then made."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "PARTS", {title: parts.PARTS.get(title)})
        found = report(*args, **options) if args else FOUND
    return next(each for each in found.parts if each.title == title)


def undrawn():
    """The report of all, of which no test has drawn a picture yet."""
    return pickle.loads(UNDRAWN)


def number(text):
    return float(text.split()[0])


def limits(text):
    return [float(each) for each in re.findall(r"[+-]?\d\.\d+", text.split("[")[1])]


def is_shown(cell, found):
    """Whether a cell has a score and its limits."""
    expected = [found.estimate, found.low, found.high]
    return [number(cell), *limits(cell)] == pytest.approx(expected, abs=5e-5)


def calls(title):
    """What the call below a part gives, run as a user would run it."""
    known = globals() | {"y_true": Y, "y_scores": AB, "segments": MONTH}
    return eval(part(title).call, known)


class TestEachNumberIsThatOfAPublicFunction:
    def test_score_part_equals_interval_and_chance_test(self):
        cells = {row[0]: row[1:] for row in part("The score").cells[1:]}
        assert [*cells] == ["b", "a"]
        for name, row in cells.items():
            chance = chance_test(Y, AB[name], n_permutations=999)
            assert is_shown(row[0], average_precision_interval(Y, AB[name]))
            assert number(row[1]) == pytest.approx(chance.chance, abs=5e-5)
            assert row[2] == "≤ 0.001"
            assert chance.pvalue == 0.001

    def test_comparison_part_equals_compare_average_precision(self):
        found = compare_average_precision(Y, AB)
        assert part("Is one model better?").cells == found._table().cells

    @quiet
    def test_comparison_part_of_three_models_equals_best_average_precision(self):
        models = AB | {"c": BASE}
        found = best_average_precision(Y, models)
        assert part("Is one model better?", Y, models).cells == found._table().cells

    def test_curve_part_equals_precision_at_recall_intervals(self):
        for recall, *cells in part("The curve").cells[1:]:
            definition = PrecisionAtRecall(float(recall))
            for name, cell in zip("ba", cells, strict=True):
                found = average_precision_interval(Y, AB[name], definition=definition)
                assert is_shown(cell, found)

    def test_top_rows_part_equals_scores_at_k(self):
        rows = part("The top rows").cells[1:]
        assert [row[0] for row in rows] == ["10", "", "100", "", "1% (6)", ""]
        for i, (_, name, *cells) in enumerate(rows):
            k = (10, 100, 0.01)[i // 2]
            for kind, cell in zip((PrecisionAtK, RecallAtK, AtK), cells, strict=True):
                found = average_precision_interval(Y, AB[name], definition=kind(k))
                assert is_shown(cell, found), (k, name, kind)

    @quiet
    def test_thresholds_part_equals_operating_point(self):
        for i, (_, name, threshold, n, *cells) in enumerate(part("Thresholds").cells[1:]):
            found = operating_point(Y, AB[name], precision=(0.5, 0.8, 0.9)[i // 2])
            if found.remark:
                assert threshold == "none"
                continue
            assert [threshold, n] == [found.printed_threshold, f"{found.n_selected}"]
            for kind, cell in zip(("precision", "recall"), cells, strict=True):
                expected = [getattr(found, kind), *getattr(found, f"{kind}_interval")]
                assert [number(cell), *limits(cell)] == pytest.approx(expected, abs=5e-5)

    def test_segments_part_equals_compare_segments(self):
        assert part("Segments").cells == compare_segments(Y, B, MONTH)._table().cells

    def test_other_tools_part_equals_compat(self):
        expected = {row.name: row.value for row in compat.compare(Y, B).results}
        for value, names, why in part("What other tools print").cells[1:]:
            for name in names.split(", "):
                assert float(value) == pytest.approx(expected[name], abs=5e-5)
            steps = compat.explain(names.split(", ")[0], Y, B).steps
            assert why == " ".join(step.why for step in steps if step.has_effect)

    def test_paper_part_equals_to_paper(self):
        table = compare_average_precision(Y, AB).to_paper()
        assert part("What to write in a paper").copied_text.endswith(f"\n\n{table}")

    @quiet
    @pytest.mark.parametrize("title", TITLES[1:-1])
    def test_the_call_below_a_part_runs(self, title):
        assert calls(title) is not None or title == "What to write in a paper"
        plt.close("all")


class TestTheSentenceInFront:
    def test_sentence_names_the_better_of_two_models_and_the_difference(self):
        found = compare_average_precision(Y, AB)
        change, low, high = (
            f"{getattr(found, of)[1]:+.2f}"
            for of in ("differences", "difference_lows", "difference_highs")
        )
        better = f"b is better than a: {change} (95% interval {low} to {high})."
        assert part("Is one model better?").sentence == better == found.verdicts[0].sentence
        turned = part("Is one model better?", Y, {"b": B, "a": A}).sentence
        assert turned.startswith("a is worse than b: -0.")

    def test_sentence_states_when_a_difference_is_uncertain(self):
        other = A + 0.1 * NOISE
        found = compare_average_precision(Y, {"a": A, "other": other})
        assert found.pvalues[1] > 0.05
        sentence = part("Is one model better?", Y, {"a": A, "other": other}).sentence
        assert sentence == found.verdicts[0].sentence
        assert sentence.startswith("No difference between a and other is shown: anything from -0.")
        sentence = part("Is one model better?", Y, {"a": A, "b": B, "twin": 2 * B}).sentence
        assert re.match(
            "It is not shown that b, .*, is the best of 3 models: twin may be, too", sentence
        )
        sentence = part("The score", Y, NOISE).sentence
        assert sentence.endswith("It is not shown that the score is higher than by chance.")

    def test_sentence_names_the_best_of_three_models(self):
        sentence = part("Is one model better?", Y, {"a": A, "b": B, "c": BASE}).sentence
        assert sentence.startswith("b is the best of 3 models: 0.75")

    def test_sentence_states_a_threshold_or_its_absence(self):
        sentence = part("Thresholds").sentence
        point = operating_point(Y, B, precision=0.8)
        assert sentence.startswith(f"Thresholds of b: {point.verdicts[0].sentence} These are ")
        assert f"score {point.printed_threshold} or higher" in sentence
        assert f" {point.n_selected} rows, with a precision of 0." in sentence
        sentence = part("Thresholds", Y, NOISE).sentence
        nothing = "Thresholds of the model: No threshold has a precision of 0.8. The best precision"
        assert sentence.startswith(nothing)

    def test_sentence_names_a_worse_segment(self):
        worse = np.where(MONTH == "2026-02", NOISE, B)
        sentence = part("Segments", Y, worse, segments=MONTH).sentence
        assert sentence.startswith("Segments of the model: 2026-02 is worse than the others: -0.")
        nothing = "Segments of b: It is not shown that the segments differ as a whole (p = "
        assert part("Segments").sentence.startswith(nothing)
        assert part("Segments", Y, B).sentence.startswith("No segments were passed")
        few = np.arange(N) % 300
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sentence = part("Segments", Y, B, segments=few).sentence
        assert sentence == "No two segments have enough positives to be compared."

    @quiet
    def test_sentence_combines_the_overall_test_with_single_segments(self):
        segments, y = np.repeat(range(10), 600), np.tile(np.repeat([1, 0], [60, 540]), 10)

        def sentence_of(shifts, seed):
            s = np.random.default_rng(seed).normal(size=y.size) + np.array(shifts)[segments] * y
            return part("Segments", y, s, segments=segments).sentence

        whole = sentence_of(np.linspace(1.1, 1.9, 10), 7)
        assert whole == (
            "Segments of the model: The segments differ as a whole (p = 0.005), but no single one "
            "can be named."
        )
        single = sentence_of([1.5] * 9 + [0.9], 27)
        assert single.startswith("Segments of the model: 9 is worse than the others: -0.")
        assert single.endswith(
            " It is not shown that the segments differ as a whole (p = 0.100), although single "
            "ones do."
        )
        both = sentence_of([1.5] * 9 + [0.2], 27)
        assert "as a whole" not in both

    def test_sentence_states_how_many_top_rows_are_positive(self):
        precision = average_precision_interval(Y, B, definition=PrecisionAtK(100))
        expected = f"Of the top 100 rows by b, {100 * precision.estimate:.3g} are positive"
        assert part("The top rows").sentence.startswith(expected)


class TestWhatLooksWrong:
    def sentence(self, *args, **options):
        found, *_ = report(*args, **options).parts  # all parts take such data
        return " ".join([found.sentence, *found.notes])

    def test_sentence_says_that_nothing_looks_wrong(self):
        positives = f"{Y.sum()} positive ({100 * Y.mean():.3g}%)"
        assert (
            self.sentence(Y, AB)
            == f"600 rows, {positives}. Nothing looks wrong with labels and scores."
        )
        assert "Nothing looks wrong" in self.sentence(Y, np.round(B, 2))  # ties by rounding

    @pytest.mark.parametrize(
        ("scores", "options", "text"),
        [
            (-B, {}, "far below that of random scores"),
            ({"a": A, "x": -B}, {}, "far below that of random scores"),
            (B > 1, {}, "the model: All scores are 0 or 1. These look like predicted classes"),
            (np.zeros(N), {}, "the model: All scores are equal."),
            ({"a": A, "b": 2 * A}, {}, "The models give equal scores."),
            (B, {"clusters": np.arange(N)}, "Each row is a cluster of its own"),
        ],
    )
    def test_sentence_warns_of_suspicious_scores_and_clusters(self, scores, options, text):
        assert text in self.sentence(Y, scores, **options)

    def test_sentence_counts_duplicated_rows(self):
        y, b = np.append(Y, Y[:50]), np.append(B, B[:50])
        assert "50 rows repeat the label and all scores" in self.sentence(y, b)
        assert "50 rows repeat" not in self.sentence(y, {"b": b, "other": np.append(NOISE, A[:50])})
        queries = np.append(np.arange(N) % 5, np.full(50, 9))
        assert "50 rows repeat" not in self.sentence(y, b, queries=queries)

    @pytest.mark.parametrize(
        ("y", "why"), [(0 * Y, "No row is positive"), (0 * Y + 1, "Every row is positive")]
    )
    def test_report_of_a_single_class_has_only_data_and_warnings(self, y, why):
        found = report(y, AB, segments=MONTH)
        assert [each.title for each in found.parts] == ["What the data are", "Warnings"]
        assert why in found.parts[0].sentence

    def test_ties_and_rows_that_were_not_retrieved_are_counted(self):
        score = np.where(np.arange(N) < 30, -np.inf, np.repeat(np.arange(N / 2), 2))
        row = part("What the data are", Y, {"m": score}).cells[1]
        assert row == ["m", "285", "95%", "15", "299", "30"]


class TestOptions:
    @quiet
    def test_report_of_queries_leaves_out_parts_of_a_single_ranking(self):
        found = {each.title: each for each in report(Y, AB, queries=GROUP, segments=MONTH).parts}
        assert found["Thresholds"].sentence == "Left out: operating_point takes no queries."
        assert found["Segments"].sentence == "Left out: compare_segments takes no queries."
        assert "without queries" in found["The curve"].notes[0]
        assert (
            found["The top rows"].sentence == "Left out: There are no more rows of a query than 10."
        )
        expected = average_precision_interval(Y, B, queries=GROUP)
        assert is_shown(found["The score"].cells[1][1], expected)
        assert "queries=queries" in found["The score"].call

    @quiet
    def test_score_part_of_clusters_shows_chance_without_p_value(self):
        row = part("The score", Y, AB, clusters=GROUP).cells[1]
        assert is_shown(row[1], average_precision_interval(Y, B, clusters=GROUP))
        chance = chance_test(Y, B, n_permutations=1).chance
        assert [number(row[2]), row[3]] == [pytest.approx(chance, abs=5e-5), page.DASH]

    @quiet
    @pytest.mark.parametrize(("shift", "is_sure"), [(2, True), (0.3, False)])
    def test_interval_decides_at_levels_beyond_999_permutations(self, shift, is_sure):
        y = np.arange(600) % 5 == 0
        score = shift * y + np.random.default_rng(0).normal(size=600)
        text = report(y, score, confidence_level=1 - 1e-7).parts[1].sentence
        assert ("not shown" not in text) == is_sure
        assert "99.99999% interval" in text

    @quiet
    def test_score_part_uses_weights_and_prevalence(self):
        options = {"sample_weight": WEIGHT, "prevalence": 0.05}
        found = report(Y, B, **options, confidence_level=0.9)
        row = found.parts[1].cells[1]
        expected = average_precision_interval(Y, B, **options, confidence_level=0.9)
        assert is_shown(row[1], expected)
        equal = average_precision_score(Y, 0.0 * B, **options)
        assert number(row[2]) == pytest.approx(equal, abs=5e-5) == pytest.approx(0.05)
        assert found.parts[1].call == (
            "average_precision_interval(y_true, y_scores, sample_weight=sample_weight, "
            "prevalence=0.05, confidence_level=0.9)"
        )
        assert "90% interval" in found.parts[1].sentence
        assert "at a prevalence of 0.05" in found.parts[8].copied_text

    @quiet
    def test_many_weighted_rows_have_an_interval_for_the_score_only(self):
        n = 21_000
        y = np.arange(n) % 10 == 0
        score, options = y + np.random.default_rng(1).normal(size=n), {"sample_weight": 1.0 + y}
        found = report(y, score, **options)
        assert is_shown(found.parts[1].cells[1][1], average_precision_interval(y, score, **options))
        expected = average_precision_score(y, score, definition=PrecisionAtK(10), **options)
        assert float(found.parts[4].cells[1][2]) == pytest.approx(expected, abs=5e-5)
        assert found.parts[4].notes[0].startswith("Intervals are left out")

    def test_note_explains_a_precision_of_100_percent(self):
        (note,) = part("The score", Y, Y + 0.5 * np.random.default_rng(0).random(N)).notes
        assert "precision of 1.000 means" in note
        assert "100% of the rows" in note

    def test_report_supports_text_labels_frames_and_a_single_model(self):
        words = pd.Series(np.where(Y, "yes", "no"))
        found = report(words, pd.DataFrame(AB), pos_label="yes")
        assert found.parts[1].sentence == FOUND.parts[1].sentence
        assert "pos_label='yes'" in found.parts[1].call
        assert found.parts[2].call.startswith("compare_average_precision(y_true, y_scores")
        alone = report(words, pd.DataFrame({"b": B}), pos_label="yes")
        assert alone.parts[1].sentence.startswith("b has an average precision")
        assert alone.parts[2].sentence.startswith("There is one model.")

    @pytest.mark.parametrize(
        ("y", "scores", "options", "error", "text"),
        [
            (Y, {"a": A, "b": B[1:]}, {}, ValueError, "y_scores\\['b'\\]"),
            (Y, {}, {}, ValueError, "y_scores must hold at least two models"),
            (Y + (A > 2), AB, {}, ValueError, "pos_label|multiclass"),
            (Y, AB, {"confidence_level": 95}, ValueError, "confidence_level"),
            (Y, AB, {"prevalence": 2}, ValueError, "prevalence"),
            (Y, AB, {"sample_weight": -WEIGHT}, ValueError, "sample_weight"),
            (Y, AB, {"sample_weight": WEIGHT[1:]}, ValueError, "sample_weight"),
            (Y, AB, {"clusters": [*GROUP[1:], None]}, ValueError, "clusters"),
            (Y, AB, {"queries": GROUP[1:]}, ValueError, "queries"),
            (Y, AB, {"segments": MONTH[1:]}, ValueError, "segments"),
            (Y, AB, {"groups": GROUP}, TypeError, "clusters"),
            (
                pd.Series(Y),
                pd.Series(B, index=range(N)[::-1]),
                {},
                ValueError,
                "names in another order",
            ),
        ],
    )
    def test_error_names_invalid_report_arguments(self, y, scores, options, error, text):
        with pytest.raises(error, match=text):
            report(y, scores, **options)

    def test_warnings_are_listed_in_a_part_and_not_raised(self):
        y_true = np.r_[np.ones(4, int), np.zeros(40, int)]
        found = report(y_true, 99 * y_true + NOISE[:44])  # and none is raised as an error
        assert re.match("There (is 1|are [23]) warning", found.parts[-1].sentence)
        first = found.parts[-1].cells[1]
        assert first[0].startswith("perfect score: A score of 1 shows no variance")
        assert first[1].startswith("The score")


class TestForms:
    def test_the_text_has_all_parts_in_order_within_a_terminal(self):
        lines = repr(FOUND).splitlines()
        places = [lines.index(f"{i}. {title}") for i, title in enumerate(TITLES, 1)]
        assert places == sorted(places)
        assert ">>> compare_average_precision(y_true, y_scores)" in lines
        assert all(len(line) <= 100 for line in lines if line.startswith("- "))

    def test_names_are_escaped_in_the_page_and_printable_in_the_text(self):
        names = "<script>alert('&')</script>\x1b" + "x" * 30, "b" * 60
        found = report(Y, dict(zip(names, (A, B), strict=True)), segments=np.where(Y, "<i>", "$a$"))
        text = found.to_html()
        assert "<script" not in text
        assert "<i>" not in text
        assert "&lt;script&gt;" in text
        assert "\x1b" not in repr(found)

    def test_pictures_are_embedded_with_alt_text_and_figures_closed(self, rendered):
        figures = plt.get_fignums()
        text = report(Y, AB, segments=MONTH).to_html()
        assert plt.get_fignums() == figures
        images = re.findall(r'<img alt="([^"]+)" src="([^"]{40})', text)
        assert len(images) == 4
        assert all(src.startswith("data:image/svg+xml;base64,") for _, src in images)
        assert not re.findall(r'(?:src|href)="(?!data:)|url\(|@import', text)

    def test_report_page_does_not_depend_on_the_matplotlib_style(self, rendered):
        first = undrawn().to_html()
        with plt.style.context("dark_background"):
            assert report(Y, AB, segments=MONTH).to_html() == first

    def test_a_file_and_a_notebook_have_the_same_page(self, tmp_path):
        FOUND.save(tmp_path / "report.html")
        text = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert text == FOUND.to_html()
        (inside,) = re.findall('srcdoc="([^"]*)"', FOUND._repr_html_())
        assert unescape(inside) == text

    def test_page_without_matplotlib_has_tables_and_a_notice(self, monkeypatch):
        missing = {"matplotlib"}
        monkeypatch.setattr(page, "find_spec", lambda name: None if name in missing else 1)
        text = report(Y, AB).to_html()
        assert "There are no pictures without Matplotlib: pip install matplotlib" in text
        assert "<img" not in text
        assert text.count("<table>") == FOUND.to_html().count("<table>") - 1  # that of segments
        assert find_spec("matplotlib")


MISSED = {name: np.where(NOISE > 1, -np.inf, score) for name, score in AB.items()}
WAYS = {
    "rows": (AB, {}),
    "segments": (AB, {"segments": MONTH}),
    "one model": (B, {"prevalence": 0.01}),
    "rows not retrieved": (MISSED, {"segments": MONTH, "n_positives": 200}),
    "integers": ({name: np.round(9 * score).astype(int) for name, score in AB.items()}, {}),
    "queries": (MISSED, {"queries": GROUP}),
    "clusters": (AB, {"clusters": GROUP}),
    "clusters of queries": (AB, {"queries": GROUP, "clusters": GROUP % 20}),
    "weights": (MISSED, {"sample_weight": np.where(NOISE > 2, 0, WEIGHT)}),
}


@quiet
@pytest.mark.parametrize(("scores", "options"), WAYS.values(), ids=WAYS)
def test_rows_are_checked_once_without_changing_the_report(monkeypatch, scores, options):
    checked = listen(monkeypatch, targets, "_plain_targets")
    found = report(Y, scores, **options)
    for score in scores.values() if isinstance(scores, dict) else [scores]:
        assert sum(np.array_equal(args[1], score) for args in checked) == 1
    monkeypatch.setattr(_predictions, "_mark_checked", lambda data: data)
    checked.clear()
    again = report(Y, scores, **options)
    assert len(checked) > 10
    assert repr(found) == repr(again)
    if "segments" in options:  # pages take long
        assert found.to_html() == again.to_html()


def test_the_rows_of_a_model_are_counted_once(monkeypatch):
    counted = listen(monkeypatch, counting, "_count_one")
    report(Y, AB)
    for score in AB.values():
        assert sum(np.array_equal(args[1], score) for args in counted) == 1


def listen(monkeypatch, module, name):
    """A list that gets the arguments of each call of a function."""
    heard, function = [], getattr(module, name)
    monkeypatch.setattr(module, name, lambda *args: heard.append(args) or function(*args))
    return heard


class TestPicturesAreDrawnForPages:
    def test_printing_a_report_draws_nothing(self, monkeypatch, rendered):
        monkeypatch.setattr("matplotlib.figure.Figure.savefig", refuse_to_draw)
        found = report(Y, AB, segments=MONTH)
        assert repr(found) == repr(FOUND)
        with pytest.raises(AssertionError, match="drawn"):
            found.to_html()

    def test_two_pages_draw_each_picture_once(self, monkeypatch):
        drawn = []
        monkeypatch.setattr(page, "svg_image", lambda *_, **__: drawn.append(1) or "<img>")
        found = undrawn()
        assert found.to_html() == found.to_html()
        assert len(drawn) == 4

    def test_pictures_do_not_change_with_later_changes_of_the_arrays(self, rendered):
        y, scores, months = Y.copy(), {"a": A.copy(), "b": B.copy()}, MONTH.copy()
        found = report(y, scores, segments=months)
        before = pickle.loads(pickle.dumps(found)).to_html()
        for each in (y, *scores.values()):
            each[:] = 0
        months[:] = "2026-01"
        assert found.to_html() == before

    def test_drawing_warnings_appear_only_on_the_page(self, rendered):
        found = report(Y, {"\N{CJK UNIFIED IDEOGRAPH-65E5}": A, "b": B})
        text = repr(found)
        for _ in range(2):
            html = found.to_html()
            assert html.count("missing from font") == 1
            assert "The score, Is one model better?, The curve" in html
        assert "missing from font" not in text
        assert repr(found) == text

    def test_picture_that_cannot_be_drawn_is_left_out_with_the_reason(self):
        refused = page.Picture(partial(refuse_to_draw, error=ValueError), 3, "")
        found = report(Y, A)
        parts = (*found.parts[:3], replace(found.parts[3], picture=refused), *found.parts[4:])
        text = replace(found, parts=parts).to_html()
        assert text.count("Left out: Nothing is drawn here.") == 1
        assert text.count("<img") == 1

    def test_a_pickled_report_gives_the_same_page(self, rendered):
        found = report(Y, AB, segments=MONTH)
        assert undrawn().to_html() == found.to_html()


def refuse_to_draw(*_, error=AssertionError, **__):
    raise error("Nothing is drawn here. This is for a page.")


@quiet
def test_left_out_part_always_names_its_first_unsupported_option():
    options = {"n_positives": np.full(60, 50), "queries": np.arange(N) % 60}
    hundreds = [f"{name}{i}" for name in "abc" for i in range(40)]
    assert part("Thresholds", Y, A, **options).sentence == (
        "Left out: operating_point takes no queries."
    )
    data = _predictions.Predictions(Y, {}, dict.fromkeys(hundreds, 1), None, None, True)
    with pytest.raises(ValueError, match="report takes no a0"):
        data.arguments(report)


def test_printed_call_of_the_curve_is_the_display_constructor():
    assert AveragePrecisionDisplay.from_predictions.__qualname__ in part("The curve").call


@quiet
def test_rows_with_an_unknown_label_are_left_out_of_each_part():
    known = np.arange(N) % 9 > 0
    labels = np.where(known, Y, np.nan)[:, None]
    of_rows = {"segments": MONTH, "clusters": GROUP, "sample_weight": WEIGHT}
    found = report(labels, AB, **of_rows)
    less = {name: each[known] for name, each in of_rows.items()}
    expected = report(Y[known], {name: s[known] for name, s in AB.items()}, **less)
    numbers = [(each.title, each.sentence, each.cells, each.notes) for each in found.parts]
    assert numbers == [
        (each.title, each.sentence, each.cells, each.notes) for each in expected.parts
    ]
    with pytest.raises(ValueError, match="y_true has no known label"):
        report(np.nan * labels, A)


@quiet
def test_weights_may_be_a_single_column_table():
    found = [report(Y, A, sample_weight=weight) for weight in (WEIGHT, WEIGHT[:, None])]
    sentences = [[each.sentence for each in one.parts] for one in found]
    assert sentences[1] == sentences[0]


@pytest.mark.slow
@quiet
def test_report_of_many_rows_is_complete_and_small():
    n, rng = 3_000_000 if os.environ.get("WEEKLY") else 150_000, np.random.default_rng(0)
    y = rng.random(n) < 0.02
    base = rng.normal(size=n)
    found = report(y, {"a": y + base, "b": 1.2 * y + base}, segments=rng.integers(0, 12, n))
    assert [each.title for each in found.parts] == [*TITLES]
    assert found.parts[2].sentence.startswith("b is better than a: +0.0")
    assert "99 resamples" in found.parts[4].notes[0]
    assert len(found.to_html()) < 1_000_000
