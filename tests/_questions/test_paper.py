"""Tables of papers."""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from sklearn_ap import (
    FoldPredictions,
    best_average_precision,
    chance_test,
    compare_average_precision,
    compare_segments,
    operating_point,
)
from sklearn_ap._base.drawing.legend import sample_in_words
from sklearn_ap._questions.paper import _name, markdown
from sklearn_ap.definitions import AtK

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 200)
SYSTEMS = {name: Y * gain + RNG.normal(size=200) for name, gain in (("a_1", 0), ("b|2", 1))}
COMPARED = compare_average_precision(Y, SYSTEMS)
POINT = operating_point(Y, SYSTEMS["b|2"], recall=0.8)
TABLE = np.column_stack([Y, 1 - Y, RNG.integers(0, 2, 200)])


def cell(row):
    return f"{row['estimate']:.2f} ({row['low']:.2f} to {row['high']:.2f})"


def difference(row):
    low, high = row["difference_low"], row["difference_high"]
    return f"{row['difference']:+.2f} ({low:+.2f} to {high:+.2f})"


def table_and_notes(result, *others, **options):
    """The lines of the table, then its caption, method and citation."""
    table, *notes = result.to_paper(*others, **options).split("\n\n")
    return table.splitlines(), notes


def test_markdown_table_has_systems_in_rows_and_measures_in_columns():
    both = [compare_average_precision(Y, SYSTEMS, definition=AtK(k)) for k in (5, 10)]
    lines, _ = table_and_notes(*both)
    (first, second), (others, _) = (found._rows() for found in both)
    assert lines[:3] == [
        "|  | AP@5 (95% CI) | AP@5 minus a_1 (95% CI) | p, AP@5 vs a_1 "
        "| AP@10 (95% CI) | AP@10 minus a_1 (95% CI) | p, AP@10 vs a_1 |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        f"| a_1 | {cell(first)} |  |  | {cell(others)} |  |  |",
    ]
    assert lines[3].startswith(rf"| b\|2 | {cell(second)} | {difference(second)} | ")
    lines, _ = table_and_notes(best_average_precision(Y, SYSTEMS))
    assert lines[0].endswith(" | may be best, step AP |")
    assert [line.rsplit("| ", 1)[1] for line in lines[2:]] == ["yes |", "no |"]


def models(*names):
    rng = np.random.default_rng(0)
    return {name: Y + rng.normal(size=200) for name in names}


def test_empty_name_is_printed_as_two_quotes():
    found = compare_average_precision(Y, models("", "score", "c"))
    lines, (caption, *_) = table_and_notes(found)
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| ''", "| score", "| c"]
    assert "step AP minus '' (95% CI) | p, step AP vs '' |" in lines[0]
    assert "over 2 tests" in caption


COLUMNS = {name: np.column_stack([y, -y]) for name, y in models("a", "a, b").items()}


@pytest.mark.parametrize(
    ("make", "shown"),
    [
        (lambda: compare_average_precision(Y, models("a\nb", r"a\nb", "c")), r'"a\nb": '),
        (lambda: compare_average_precision(Y, models("c", "", "''")), "\"''\": '' and \"''\"."),
        (lambda: compare_average_precision(Y, models("c", "a  b", " a b")), "'a  b' and ' a b'"),
        (lambda: best_average_precision(Y, models("a\x1b", r"a\x1b", "c")), r'"a\x1b": '),
        (
            lambda: replace(
                compare_average_precision(np.column_stack([Y, 1 - Y]), COLUMNS, average=None),
                rankings=("b, c", "c"),
            ),
            "\"a, b, c\": ('a', 'b, c') and ('a, b', 'c')",
        ),
        (
            lambda: compare_segments(Y, SYSTEMS["a_1"], np.where(np.arange(200) % 2, "x", "x ")),
            "\"x\": 'x' and 'x '",
        ),
    ],
)
def test_names_that_would_be_printed_alike_are_refused(make, shown):
    found = make()
    for style in ("text", "markdown", "latex"):
        with pytest.raises(ValueError, match="Two rows of the table would both have") as caught:
            found.to_paper(style=style)
        assert shown in str(caught.value)


def test_rows_of_several_results_merge_if_names_are_equal():
    first, second = (
        compare_average_precision(Y, models(*names), definition=definition)
        for names, definition in ((("a", r"b\n"), AtK(5)), (("a", "b\n"), AtK(10)))
    )
    with pytest.raises(ValueError, match=r"both have the name"):
        first.to_paper(second)
    same = compare_average_precision(Y, models("a", r"b\n"), definition=AtK(10))
    lines, (caption, *_) = table_and_notes(first, same)
    assert len(lines) == 4
    assert "over 2 tests" in caption


def test_tests_of_similar_names_all_count_for_holm():
    """Names that print alike raise; those that do not are all there, and Holm counts them."""
    names = ["ref", "a, b", "a", "a b", "A", "a_b", "a\xa0b"]
    found = compare_average_precision(Y, models(*names))
    lines, (caption, *_) = table_and_notes(found)
    assert len(lines) == 2 + len(names)
    assert f"over {len(names) - 1} tests" in caption


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("<b>x</b>", r"\<b>x\</b>"),
        ("<!-- x", r"\<!-- x"),
        ("<0.001", "<0.001"),  # a p-value is no tag
        ("[a](http://b)", r"\[a](http://b)"),
        ("![a](b)", r"!\[a](b)"),
        ("`a`", r"\`a\`"),
        ("a|b", r"a\|b"),
        (r"a\|b", r"a\\\|b"),
        (r"a\<b>", r"a\\\<b>"),
        ("a\x1bb", r"a\x1bb"),
        ("*a*", r"\*a\*"),
        ("_a_b_", r"\_a_b\_"),
        ("~~a~~", r"\~~a\~~"),
        ("&lt;b&gt;", r"\&lt;b\&gt;"),
        ("R&D", "R&D"),
    ],
)
def test_markdown_cells_escape_names(name, cell):
    lines, _ = table_and_notes(compare_average_precision(Y, models(name, "other")))
    assert lines[2].startswith(f"| {cell} | ")
    assert f"| p, step AP vs {cell} |" in lines[0]


def test_rendered_markdown_shows_any_name_unchanged():
    markdown_it = pytest.importorskip("markdown_it")
    renderer = markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"])
    rng, letters = np.random.default_rng(0), [*"|`[]<>*_~&\\ab1!/?;#()\"'$ \n\x1b\u202e-+=:.@"]
    for _ in range(3000):
        row = {"name": "".join(rng.choice(letters, rng.integers(9)))}
        shown = renderer.render(markdown(["", "x"], [[_name(row), "y"]]))
        (cell,) = re.findall(r"<td>(.*)</td>\n<td>y</td>", shown)
        assert unescape(cell) == _name(row)


def test_segments_have_their_differences_and_positives():
    parts = compare_segments(Y, SYSTEMS["b|2"], segments=np.where(np.arange(200) % 2, "x", "y"))
    (head, _, first, second), _ = table_and_notes(parts)
    title = f"step AP at prevalence {Y.mean():.3g}"
    assert head == (
        f"|  | {title} (95% CI) | positives | prevalence | {title} minus others (95% CI) "
        f"| p, {title} vs others |"
    )
    for line, row in zip((first, second), parts._rows(), strict=True):
        numbers = f"{row['n_positives']:g} | {row['share']:.2f} | {difference(row)}"
        assert line.startswith(f"| {row['segment']} | {cell(row)} | {numbers} | ")
    reference = compare_segments(Y, SYSTEMS["b|2"], np.arange(200) % 2, reference=0)
    assert table_and_notes(reference)[0][2].endswith(" |  |  |")


def test_a_one_sided_interval_of_a_difference_has_one_limit():
    for side, words in (("greater", "at least"), ("less", "at most")):
        found = compare_average_precision(Y, SYSTEMS, alternative=side)
        row = found._rows()[1]
        limit = row["difference_low" if side == "greater" else "difference_high"]
        lines, (caption, *_) = table_and_notes(found)
        assert f"| {row['difference']:+.2f} ({words} {limit:+.2f}) |" in lines[3]
        assert "tests and intervals of differences are one-sided" in caption


CLUSTERS = np.arange(200) // 4
QUERIES = np.arange(200) // 10
RELEVANT = np.where(np.arange(200) % 10 == 0, 1, Y)  # each query has one


def test_caption_states_sampling_units_and_p_value_adjustment():
    models = SYSTEMS | {"c": SYSTEMS["a_1"] + Y}
    one = {"a": SYSTEMS["a_1"], "b": SYSTEMS["b|2"]}
    _, (caption, method, _) = table_and_notes(
        compare_average_precision(Y, models, clusters=CLUSTERS)
    )
    start = "step AP: 95% confidence intervals by influence functions; n = "
    assert caption.startswith(start)
    assert "50 clusters" in caption
    assert f"{Y.sum()} positives" in caption
    assert caption.endswith(
        ". P-values are adjusted by Holm's method over 2 tests; intervals are not."
    )
    assert "infinitesimal-jackknife variance" in method
    assert method.count("Student's test") == 1
    of_queries = compare_average_precision(RELEVANT, one, queries=QUERIES, confidence_level=0.9)
    _, (caption, method, _) = table_and_notes(of_queries)
    assert "90% confidence intervals by the variance over queries; n = " in caption
    assert "20 queries" in caption
    assert caption.endswith("One test, so its p-value is not adjusted.")
    assert "variance over queries, which are sampled as a whole" in method
    at_k = best_average_precision(Y, one, definition=AtK(5))
    _, (caption, method, _) = table_and_notes(at_k)
    assert "intervals by bootstrap samples" in caption
    assert "p-value" not in caption
    assert "variance over bootstrap samples" in method


def test_the_caption_of_few_labels_has_the_labels_and_the_judge():
    known = np.where(np.arange(200) % 2, Y, np.nan)
    plain = compare_average_precision(known, SYSTEMS, inclusion_probability="equal")
    _, (caption, method, _) = table_and_notes(plain)
    assert f"n = 100 of 200 rows labelled, {np.nansum(known):g} positives" in caption
    assert "judge" not in caption + method
    assert "Horvitz and Thompson" in method
    judge = np.where(np.arange(200) % 7, Y, 1 - Y)
    found = compare_average_precision(known, SYSTEMS, inclusion_probability="equal", judge=judge)
    _, (caption, method, _) = table_and_notes(found)
    assert f"; {found.labels.judge_in_words()[0]}" in caption
    assert "; score by the judge alone: 0." in caption
    assert "prediction-powered inference" in method


def test_caption_counts_known_rows_and_units():
    cases = SimpleNamespace(n_rows=2000, n_positives=89.0, unit="row", n_units=0)
    for unit, n_units, words in (
        ("row", 0, "2,000 rows, 89 positives"),
        ("cluster", 80, "80 clusters, 2,000 rows, 89 positives"),
        ("query", 1, "1 query, 2,000 rows, 89 positives"),
    ):
        cases.unit, cases.n_units = unit, n_units
        assert sample_in_words(SimpleNamespace(cases=cases)) == words
    assert not sample_in_words(SimpleNamespace())


def test_caption_at_another_prevalence_states_effective_positives_and_their_bias():
    too_high = "fewer than 10, so scores are too high on average"
    few = RNG.permutation(np.repeat([1, 0], [60, 540]))  # 540 / 999 = 0.54, and 540 / 19 = 28.4
    score = few + RNG.normal(size=600)
    models = {"a": score, "b": few + RNG.normal(size=600)}
    for make, scores in (
        (compare_average_precision, models),
        (best_average_precision, models),
    ):
        for prevalence, expected in (
            (0.001, f"60 positives; 0.5 effective positives, {too_high}."),
            (0.05, "60 positives; 28.4 effective positives."),
            (None, "60 positives."),
        ):
            for style in ("text", "markdown", "latex"):
                text = make(few, scores, prevalence=prevalence).to_paper(style=style)
                caption = next(line for line in text.splitlines() if "n = 600 rows" in line)
                assert expected in caption


def test_method_text_of_a_threshold_names_its_guarantee():
    _, (caption, method, _) = table_and_notes(POINT)
    assert caption.startswith(
        f"threshold {POINT.printed_threshold}: Wilson's 95% confidence intervals"
    )
    assert "do not allow for the choice of the threshold" in method
    assert "MOVER" not in method
    assert "guarantee" not in method
    for goal, how in (("precision", "learn then test"), ("recall", "Wilks")):
        point = operating_point(Y, SYSTEMS["b|2"], **{goal: 0.6}, guarantee=0.9, prevalence=0.4)
        _, (_, method, _) = table_and_notes(point)
        assert "recall and of the false positive rate (MOVER)" in method
        assert f"so that the {goal} is at least 0.6 with 90% confidence" in method
        assert how in method


def test_method_texts_of_chance_segments_folds_and_best():
    chance = chance_test(Y, SYSTEMS["b|2"], n_permutations=99)
    _, (caption, method, _) = table_and_notes(chance)
    assert caption.startswith("step AP: 99 random orders")
    assert "Phipson and Smyth" in method
    segments = compare_segments(Y, SYSTEMS["b|2"], segments=np.arange(200) % 2)
    assert "MOVER" in table_and_notes(segments)[1][1]
    assert "Westfall" in table_and_notes(best_average_precision(Y, SYSTEMS))[1][1]
    folds = {"y_score": SYSTEMS["b|2"], "folds": np.arange(200) % 4}
    pool = best_average_precision(Y, dict.fromkeys("ab", FoldPredictions(folds)))
    _, (caption, method, _) = table_and_notes(pool)
    assert "pool of 4 folds" in caption
    assert "folds share their training rows" in method


def test_citation_matches_the_citation_file():
    cited = (Path(__file__).parents[2] / "CITATION.cff").read_text()
    title, version = (
        re.search(rf'^{key}: "?([^"\n]+)', cited, re.M)[1] for key in ("title", "version")
    )
    assert table_and_notes(POINT)[1][2] == f"The sklearn_ap developers, {title}, version {version}."


def test_citation_works_without_an_installed_package(monkeypatch):
    monkeypatch.setattr("importlib.metadata.distribution", lambda name: 1 / 0)
    assert "version" in table_and_notes(POINT)[1][2]


def test_plain_text_is_aligned_and_has_the_same_paragraphs():
    (head, *lines), notes = table_and_notes(COMPARED, style="text")
    ends = [match.end() for match in re.finditer("CI[)]", head)]
    for line, row in zip(lines, COMPARED._rows(), strict=True):
        assert line.startswith(row["name"])
        assert line[: ends[0]].endswith(cell(row))
    assert lines[1][: ends[1]].endswith(difference(COMPARED._rows()[1]))
    assert notes == table_and_notes(COMPARED)[1]


def test_pvalues_are_adjusted_for_all_tests_of_the_table():
    models = {"old": RNG.normal(size=TABLE.shape), "new": TABLE + 3 * RNG.normal(size=TABLE.shape)}
    found = compare_average_precision(TABLE, models, average=None)
    lines = table_and_notes(found)[0][2:]
    assert [line.split(" | ")[0] for line in lines[3:]] == ["| new, 0", "| new, 1", "| new, 2"]
    pvalues = sorted(found.pvalues[1])
    # Holm: the least times 3, then times 2, then times 1, never falling
    expected = np.minimum(np.maximum.accumulate(np.array(pvalues) * [3, 2, 1]), 1)
    printed = sorted(line.removesuffix(" |").rsplit("| ", 1)[1] for line in lines[3:])
    assert printed == sorted("<0.001" if p < 0.001 else f"{p:.3f}" for p in expected)
    assert all(line.endswith("|  |  |") for line in lines[:3])
    for pvalue, text in ((0.0009, "<0.001"), (0.001, "0.001")):
        found = replace(COMPARED, pvalues=np.array([1.0, pvalue]))
        assert found.to_paper().splitlines()[3].endswith(f" | {text} |")


def test_latex_table_is_escaped_and_complete():
    models = {"a_1 & b": SYSTEMS["a_1"], r"50% ~^\x<|>": SYSTEMS["b|2"]}
    found = compare_average_precision(Y, models).to_paper(style="latex", digits=3)
    begin, _, head, _, first, second, _, end, *notes = found.splitlines()
    assert (begin, end) == (r"\begin{tabular}{lrrr}", r"\end{tabular}")
    assert len(notes) == 3
    assert notes[0].startswith(r"% step AP: 95\% confidence intervals")
    assert notes[2].startswith(r"% The sklearn\_ap developers")
    title = r"step AP minus a\_1 \& b (95\% CI)"
    assert head == rf" & step AP (95\% CI) & {title} & p, step AP vs a\_1 \& b \\"
    assert first.startswith(r"a\_1 \& b & 0.")
    name = r"50\% \textasciitilde{}\textasciicircum{}\textbackslash{}x$<$$|$$>$ & "
    assert second.startswith(name)
    assert second.count(" & ") == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda one: one.to_paper(style="html"), "style must be one of"),
        (lambda one: one.to_paper(digits=0), "digits must be an integer from 1 on, got 0"),
        (lambda one: one.to_paper(digits=True), "digits must be an integer from 1 on, got True"),
        (
            lambda _: COMPARED.to_paper(compare_segments(Y, SYSTEMS["a_1"], np.arange(200) % 2)),
            "Segments stand in rows, and so do models, so they do not go into one table",
        ),
        (lambda _: COMPARED.to_paper(COMPARED), "the same definition"),
        (lambda _: POINT.to_paper(POINT), r"the head 'precision \(95% CI\)'. Make a table of each"),
        (lambda one: one.to_paper("latex"), "str has no score"),
        (
            lambda _: operating_point(Y, -Y - SYSTEMS["b|2"], precision=1.0).to_paper(),
            "There is no threshold to print. ",
        ),
    ],
)
def test_invalid_paper_tables_are_refused(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call(COMPARED)


def test_an_operating_point_and_a_test_of_chance_have_their_own_columns():
    (head, _, line), _ = table_and_notes(POINT)
    assert head == "|  | precision (95% CI) | recall (95% CI) | selected (95% CI) |"
    (row,) = POINT._rows()
    shares = [
        f"{row[name]:.2f} ({row[f'{name}_low']:.2f} to {row[f'{name}_high']:.2f})"
        for name in ("precision", "recall", "selected")
    ]
    assert line == f"| threshold {POINT.printed_threshold} | {' | '.join(shares)} |"
    elsewhere = operating_point(Y, SYSTEMS["b|2"], recall=0.8, prevalence=0.1)
    assert "| precision at prevalence 0.1 (95% CI) | recall (95% CI) |" in elsewhere.to_paper()
    found = chance_test(Y, SYSTEMS["b|2"], n_permutations=999)
    (head, _, line), _ = table_and_notes(found, digits=3)
    assert head == "|  | step AP | step AP by chance | p, step AP vs chance |"
    assert line == f"| score | {found.score:.3f} | {found.chance:.3f} | {found.pvalue:.3f} |"
