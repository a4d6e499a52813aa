"""Tables of papers."""

import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from sklearn_ap._questions.paper import markdown

from sklearn_ap import operating_point
from sklearn_ap._extras import printable

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 200)
SYSTEMS = {name: Y * gain + RNG.normal(size=200) for name, gain in (("a_1", 0), ("b|2", 1))}
POINT = operating_point(Y, SYSTEMS["b|2"], recall=0.8)


def table_and_notes(result):
    """The lines of the table, then its caption, method and citation."""
    table, *notes = result.to_paper().split("\n\n")
    return table.splitlines(), notes


def test_rendered_markdown_shows_any_name_unchanged():
    markdown_it = pytest.importorskip("markdown_it")
    renderer = markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"])
    rng, letters = np.random.default_rng(0), [*"|`[]<>*_~&\\ab1!/?;#()\"'$ \n\x1b\u202e-+=:.@"]
    for _ in range(3000):
        name = " ".join(printable("".join(rng.choice(letters, rng.integers(9)))).split()) or "''"
        shown = renderer.render(markdown(["", "x"], [[name, "y"]]))
        (cell,) = re.findall(r"<td>(.*)</td>\n<td>y</td>", shown)
        assert unescape(cell) == name


def test_method_text_of_a_threshold_names_its_guarantee():
    _, (caption, method, _) = table_and_notes(POINT)
    assert caption.startswith(
        f"threshold {POINT.printed_threshold}: Wilson's 95% confidence intervals"
    )
    assert caption.endswith(f"n = 200 rows, {Y.sum()} positives.")
    assert "do not allow for the choice of the threshold" in method
    assert "MOVER" not in method
    assert "guarantee" not in method
    for goal, how in (("precision", "learn then test"), ("recall", "Wilks")):
        point = operating_point(Y, SYSTEMS["b|2"], **{goal: 0.6}, guarantee=0.9, prevalence=0.4)
        _, (_, method, _) = table_and_notes(point)
        assert "recall and of the false positive rate (MOVER)" in method
        assert f"so that the {goal} is at least 0.6 with 90% confidence" in method
        assert how in method


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
            lambda _: operating_point(Y, -Y - SYSTEMS["b|2"], precision=1.0).to_paper(),
            "There is no threshold to print. ",
        ),
    ],
)
def test_invalid_paper_tables_are_refused(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call(POINT)


def test_an_operating_point_has_its_own_columns():
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
