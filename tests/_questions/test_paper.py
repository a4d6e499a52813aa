"""Tables of papers."""

import re
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from sklearn_ap import (
    chance_test,
    compare_segments,
    operating_point,
)
from sklearn_ap._base.drawing.legend import sample_in_words
from sklearn_ap._questions.paper import _name, markdown

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 200)
SYSTEMS = {name: Y * gain + RNG.normal(size=200) for name, gain in (("a_1", 0), ("b|2", 1))}
POINT = operating_point(Y, SYSTEMS["b|2"], recall=0.8)


def cell(row):
    return f"{row['estimate']:.2f} ({row['low']:.2f} to {row['high']:.2f})"


def difference(row):
    low, high = row["difference_low"], row["difference_high"]
    return f"{row['difference']:+.2f} ({low:+.2f} to {high:+.2f})"


def table_and_notes(result, *others, **options):
    """The lines of the table, then its caption, method and citation."""
    table, *notes = result.to_paper(*others, **options).split("\n\n")
    return table.splitlines(), notes


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


def test_method_texts_of_chance_and_segments():
    chance = chance_test(Y, SYSTEMS["b|2"], n_permutations=99)
    _, (caption, method, _) = table_and_notes(chance)
    assert caption.startswith("step AP: 99 random orders")
    assert "Phipson and Smyth" in method
    segments = compare_segments(Y, SYSTEMS["b|2"], segments=np.arange(200) % 2)
    assert "MOVER" in table_and_notes(segments)[1][1]


def test_citation_matches_the_citation_file():
    cited = (Path(__file__).parents[2] / "CITATION.cff").read_text()
    title, version = (
        re.search(rf'^{key}: "?([^"\n]+)', cited, re.M)[1] for key in ("title", "version")
    )
    assert table_and_notes(POINT)[1][2] == f"The sklearn_ap developers, {title}, version {version}."


def test_citation_works_without_an_installed_package(monkeypatch):
    monkeypatch.setattr("importlib.metadata.distribution", lambda name: 1 / 0)
    assert "version" in table_and_notes(POINT)[1][2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda one: one.to_paper(style="html"), "style must be one of"),
        (lambda one: one.to_paper(digits=0), "digits must be an integer from 1 on, got 0"),
        (lambda one: one.to_paper(digits=True), "digits must be an integer from 1 on, got True"),
        (
            lambda _: POINT.to_paper(compare_segments(Y, SYSTEMS["a_1"], np.arange(200) % 2)),
            "Segments stand in rows, and so do models, so they do not go into one table",
        ),
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
        call(POINT)


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
