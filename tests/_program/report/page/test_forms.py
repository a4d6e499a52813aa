"""A report as a text, a page and a file; pictures are drawn for pages alone."""

import pickle
import re
from dataclasses import replace
from functools import partial
from html import unescape
from importlib.util import find_spec

import numpy as np
import pytest
from matplotlib import pyplot as plt
from report_data import (
    AB,
    BASE,
    FOUND,
    GROUP,
    MONTH,
    NOISE,
    TITLES,
    WEIGHT,
    A,
    B,
    Y,
    quiet,
    refuse_to_draw,
    undrawn,
)

from sklearn_ap import report
from sklearn_ap._program.report.page import pictures
from sklearn_ap._program.report.page.html import DOCS


@quiet
@pytest.mark.parametrize("options", [{}, {"sample_weight": WEIGHT}, {"clusters": GROUP}])
@pytest.mark.parametrize("scores", [AB, B, NOISE, {f"m{i}": A + i * NOISE for i in range(9)}])
def test_each_heading_is_a_single_sentence(scores, options):
    for each in report(Y, scores, segments={"month": MONTH}, **options).parts:
        assert re.search(r"[.?!:]\s*$", each.sentence), each.sentence
        assert not re.search(r"[.?!] [A-Z]", each.sentence), each.sentence


@quiet
def test_long_tables_are_closed_below_their_most_relevant_rows(rendered):
    models = {f"m{i}": (1 + i / 10) * Y + BASE for i in range(13)}
    found = report(Y, models, parts=["data", "comparison", "thresholds", "top"])
    text = found.to_html()
    closed = re.findall(r"<details><summary>All (\d+) rows</summary>", text)
    shown = [len(each.first_rows) for each in found.parts[1:] if len(each.cells) > 9]
    assert closed == ["14", "9", "9"]  # of the first one, a row has random orders
    assert shown == [5, 3, 3]
    assert found.parts[1].cells[-1][0] == "random order"
    for each in found.parts[2:4]:
        assert {each.cells[1 + place][1] for place in each.first_rows} == {"m12"}
    assert [row[0] for row in found.parts[0].cells[1:]] == [f"m{i}" for i in range(12, -1, -1)]
    above = re.findall(r"(?s)<tbody>((?:(?!<tbody>).)*)</tbody></table></div>\n<p class", text)
    assert [table.count("<tr>") for table in above] == shown
    assert FOUND.to_html().count("<details") == 1  # of the data


def test_a_picture_shares_a_block_with_the_heading_and_a_wide_table_does_not(rendered):
    sections = FOUND.to_html().split("<section ")[1:-1]
    blocks = [section.split('<div class="sheet">')[1].split("\n</div>\n") for section in sections]
    assert sum("<img " in first for first, *_ in blocks) > 2
    for first, *rest in blocks:
        assert "<h2>" in first
        assert "<img " not in "".join(rest)
    assert any("<table" in "".join(rest) for _, *rest in blocks)


def test_an_option_of_the_command_is_not_broken():
    assert ' or <span class="option">--precision</span> in a shell.' in FOUND.to_html()
    assert "p&nbsp;=&nbsp;" in report(Y, A, segments=MONTH).to_html()


def test_the_text_has_all_parts_in_order_within_a_terminal():
    lines = repr(FOUND).splitlines()
    titles = [title for title in TITLES if title != "The score"]  # which the comparison has
    places = [lines.index(f"{i}. {title}") for i, title in enumerate(titles, 1)]
    assert places == sorted(places)
    assert ">>> compare_average_precision(y_true, y_scores)" in lines
    assert all(len(line) <= 100 for line in lines if line.startswith("- "))


def test_names_are_escaped_in_the_page_and_printable_in_the_text():
    names = "<script>alert('&')</script>\x1b" + "x" * 30, "b" * 60
    found = report(Y, dict(zip(names, (A, B), strict=True)), segments=np.where(Y, "<i>", "$a$"))
    text = found.to_html()
    assert "<script" not in text
    assert "<i>" not in text
    assert "&lt;script&gt;" in text
    assert "\x1b" not in repr(found)


def test_pictures_are_embedded_with_alt_text_and_figures_closed(rendered):
    figures = plt.get_fignums()
    text = report(Y, AB, segments=MONTH).to_html()
    assert plt.get_fignums() == figures
    images = re.findall(r'<img alt="([^"]+)" src="([^"]{40})', text)
    assert len(images) == 4
    assert images[0] not in images[1:]  # beside the summary, and not in the part below it
    assert ": b 0.7" in images[0][0]
    assert "; a 0.4" in images[0][0]
    assert all(src.startswith("data:image/svg+xml;base64,") for _, src in images)
    assert not re.findall(r'src="(?!data:)|<link|url\(|@import', text)
    links = re.findall('href="([^"]*)"', text)
    assert all(link.startswith(("#", DOCS)) for link in links)


def test_report_page_does_not_depend_on_the_matplotlib_style(rendered):
    first = undrawn().to_html()
    with plt.style.context("dark_background"):
        assert report(Y, AB, segments=MONTH).to_html() == first


def test_the_call_of_the_page_stands_below_all_numbers():
    text = FOUND.to_html()
    assert text.count(FOUND.call) == 1
    assert text.index(FOUND.call) > text.rindex("</table>")
    assert text.index(FOUND.call) > text.index("The calls that give these numbers")


def test_only_heads_with_long_names_may_be_broken_inside_a_word():
    name = "n" * 60
    text = report(Y, {"a": A, name: B}, parts=["curve"]).to_html()
    heads = dict(re.findall('<th scope="col" class="([^"]*)">([^<]*)', text))
    assert heads["long numbers"] == f"best precision of {name}"
    assert heads["numbers"] == "best precision of a"


def test_a_head_is_repeated_where_a_table_goes_on_on_the_next_sheet():
    text = FOUND.to_html()
    assert text.count("<thead><tr><th") == text.count("<table>") > 5


def test_a_file_and_a_notebook_have_the_same_page(tmp_path):
    FOUND.save(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert text == FOUND.to_html()
    (inside,) = re.findall('srcdoc="([^"]*)"', FOUND._repr_html_())
    assert unescape(inside) == text


def test_page_without_matplotlib_has_tables_and_a_notice(monkeypatch):
    missing = {"matplotlib"}
    monkeypatch.setattr(pictures, "find_spec", lambda name: None if name in missing else 1)
    text = report(Y, AB).to_html()
    assert "There are no pictures without Matplotlib: pip install matplotlib" in text
    assert "<img" not in text
    assert text.count("<table>") == FOUND.to_html().count("<table>") - 1  # that of segments
    assert find_spec("matplotlib")


def test_notes_stand_beside_a_picture_and_a_wide_table_below_it(rendered):
    found = report(Y, AB, segments=MONTH, parts=["curve", "thresholds", "segments"])
    sections = found.to_html().split("<section")[1:4]
    order = [re.findall("<(img|table|p)(?: alt| src|>)", section)[:3] for section in sections]
    assert order == [["img", "table", "p"], ["img", "p", "table"], ["img", "p", "table"]]


def test_printing_a_report_draws_nothing(monkeypatch, rendered):
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", refuse_to_draw)
    found = report(Y, AB, segments=MONTH)
    assert repr(found) == repr(FOUND)
    with pytest.raises(AssertionError, match="drawn"):
        found.to_html()


def test_two_pages_draw_each_picture_once(drawn_figures):
    found = undrawn()
    assert found.to_html() == found.to_html()
    assert len(drawn_figures) == 4


def test_pictures_do_not_change_with_later_changes_of_the_arrays(rendered):
    y, scores, months = Y.copy(), {"a": A.copy(), "b": B.copy()}, MONTH.copy()
    found = report(y, scores, segments=months)
    before = pickle.loads(pickle.dumps(found)).to_html()
    for each in (y, *scores.values()):
        each[:] = 0
    months[:] = "2026-01"
    assert found.to_html() == before


def test_drawing_warnings_appear_only_on_the_page(rendered):
    found = report(Y, {"\N{CJK UNIFIED IDEOGRAPH-65E5}": A, "b": B})
    text = repr(found)
    for _ in range(2):
        html = found.to_html()
        assert html.count("missing from font") == 1
        assert "Is one model better?, The curve" in html
    assert "missing from font" not in text
    assert repr(found) == text


def test_picture_that_cannot_be_drawn_is_left_out_with_the_reason():
    refused = pictures.Picture(partial(refuse_to_draw, error=ValueError), 3, "")
    found = report(Y, A)
    parts = [
        replace(each, picture=refused) if each.name == "thresholds" else each
        for each in found.parts
    ]
    text = replace(found, parts=(*parts,)).to_html()
    assert text.count("Left out: Nothing is drawn here.") == 1
    assert text.count("<img") == found.to_html().count("<img") - 1 == 1


def test_a_pickled_report_gives_the_same_page(rendered):
    found = report(Y, AB, segments=MONTH)
    assert undrawn().to_html() == found.to_html()
