"""The page as a reader sees it, in Chromium: wide and narrow, light and dark, and printed."""

import re
import subprocess
from dataclasses import replace

import browser
import numpy as np
import pytest
from matplotlib.text import Text

from sklearn_ap import report
from sklearn_ap._program.report.page import pictures

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
in_browser = pytest.mark.site
NARROW, WIDE = 390, 1280
RNG = np.random.default_rng(0)
N = 2000
Y = (RNG.random(N) < 0.1).astype(int)
BASE = RNG.normal(size=N)
TWO = {"a": Y + BASE, "b": 1.3 * Y + BASE + 0.2 * RNG.normal(size=N)}
LONG = {"<b>&'\"" + "n" * 54: TWO["a"], "$a$" + "m" * 57: TWO["b"]}


@pytest.fixture(scope="module")
def pages():
    """Reports, which are made only where these tests run."""
    in_segments = np.char.add("s" * 60, (np.arange(N) % 24).astype(str))
    return {
        "two": report(Y, TWO, segments=np.arange(N) % 4),
        "few": report(Y[:60], {name: score[:60] for name, score in TWO.items()}),
        "one_class": report(0 * Y, TWO),
        "twelve": report(Y, {f"m{i}": Y * (1 + i / 10) + BASE for i in range(12)}),
        "segments": report(Y, TWO, segments=in_segments),
        "queries": report(Y, TWO, queries=np.arange(N) % 40),
        "clusters": report(Y, TWO, clusters=np.arange(N) % 99, sample_weight=1 + Y),
        "long": report(Y, LONG),
    }


@pytest.fixture(scope="module")
def folder(pages, rendered_in_module, tmp_path_factory):
    if browser.chromium() is None:
        pytest.skip("there is no Chromium")
    root = tmp_path_factory.mktemp("reports")
    for name, found in pages.items():
        found.save(root / f"{name}.html")
    return root


@pytest.fixture(scope="module")
def seen(pages, folder, tmp_path_factory):
    names, profile = [f"{name}.html" for name in pages], tmp_path_factory.mktemp("profile")
    return browser.measure(folder, "", names, (NARROW, WIDE), profile)


@in_browser
@pytest.mark.parametrize("fault", ["overflow", "broken", "small", "faint", "elsewhere"])
def test_pages_fit_are_legible_and_load_no_other_hosts(seen, pages, fault):
    assert len(seen.pages) == 2 * len(pages)
    assert not [(page["page"], page["width"], page[fault]) for page in seen.pages if page[fault]]


@in_browser
def test_pages_load_without_missing_files_or_console_messages(seen):
    assert not seen.missing
    assert not seen.said


@in_browser
@pytest.mark.parametrize("name", ["two", "twelve", "clusters"])
def test_pages_print_on_three_sheets(folder, tmp_path, name):
    flags = (*browser.FLAGS, f"--user-data-dir={tmp_path / 'profile'}", "--no-pdf-header-footer")
    printed = f"--print-to-pdf={tmp_path / 'sheets.pdf'}"
    page = (folder / f"{name}.html").as_uri()
    subprocess.run([browser.chromium(), *flags, printed, page], check=True, capture_output=True)
    sheets = re.findall(rb"/Type\s*/Page\b", (tmp_path / "sheets.pdf").read_bytes())
    assert len(sheets) == 3


@pytest.fixture
def figures(monkeypatch):
    """Where figures are collected that pages draw."""
    drawn = []

    def keep(figure, *_, **__):
        figure.draw_without_rendering()
        drawn.append(figure)
        return ""

    monkeypatch.setattr(pictures, "svg_image", keep)
    return drawn


def draw_again(found):
    """Draw the pictures of a page, whether or not they were drawn before."""
    return [replace(part.picture).image for part in found.parts if part.picture]


def texts_of(figure):
    return [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]


def test_no_text_is_printed_below_seven_points(pages, figures):
    """The sizes of the style, and those of pictures, which are scaled to the paper."""
    for found in pages.values():
        draw_again(found)
    smallest = min(text.get_size() for figure in figures for text in texts_of(figure))
    screen, _, printed = pages["two"].to_html().partition("@media print")
    (points,) = re.findall(r":root {\s*color-scheme: light; font-size: ([\d.]+)pt", printed)
    sizes = [float(size) for size in re.findall(r"font(?:-size)?: ([\d.]+)rem", screen + printed)]
    assert min(sizes) * float(points) >= 7
    widths = re.findall(r"(?:figure {[^}]*[^-]width: |columns: 1fr )(\d+)mm", printed)
    assert len(widths) == 2
    assert smallest * min(map(float, widths)) / (25.4 * pictures.PICTURE_INCHES) >= 7


def test_words_of_pictures_are_not_cut_off_and_do_not_lie_on_each_other(pages, figures):
    for name in ("two", "twelve", "few"):
        draw_again(pages[name])
    dates = np.datetime64("2026-01") + np.arange(N) % 12
    names = np.char.add("a long name ", (np.arange(N) % 5).astype(str))
    segments = {"month": dates, "name": names}
    draw_again(report(Y, TWO["b"], segments=segments, parts=["segments"]))
    assert len(figures) > 8
    for figure in figures:
        for axis in figure.axes:
            labels = [axis.title, axis.xaxis.label, axis.yaxis.label, *axis.texts]
            boxes = [text.get_window_extent() for text in labels if text.get_text()]
            for box in boxes:
                assert -1 < box.x0 < box.x1 < figure.bbox.x1 + 1
                assert -1 < box.y0 < box.y1 < figure.bbox.y1 + 1
            if legend := axis.get_legend():
                assert not any(legend.get_window_extent().overlaps(box) for box in boxes)


def test_dark_pages_have_enough_text_contrast(pages):
    """The colours of the style, where the reader prefers dark pages."""
    style = pages["two"].to_html().partition("prefers-color-scheme: dark")[2]
    colors = dict(re.findall(r"--(\w+): (#\w+)", style.partition("* {")[0]))
    ink, paper, soft = (luminance(colors[name]) for name in ("ink", "paper", "soft"))
    assert all((each + 0.05) / (paper + 0.05) > 4.5 for each in (ink, soft))


def luminance(color):
    parts = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_names_of_models_are_set_apart_from_equal_words():
    models = {"a": TWO["a"], "new": TWO["b"]}
    found = report(Y, models, parts=["score", "comparison", "thresholds"])
    text = found.to_html()
    assert '<b class="first">new</b> is better than <b class="second">a</b>' in text
    text = re.sub('<b class="(first|second)">', "<b>", text)
    words = re.findall(r"<(?:h1|h2|dd|p)[^>]*>(.*?)</(?:h1|h2|dd|p)>", text)
    assert words[1].startswith("<b>new</b> is better than <b>a</b>: +0.")
    assert re.search(r"<b>new</b> scores 0\.\d+, <b>a</b> 0\.\d+, and a random order 0", words[2])
    assert any(each.startswith("Select rows where <b>new</b> scores ") for each in words)
    assert "in about half of new samples" in text
    assert not [each for each in words if re.search("<b>a</b> (random|threshold|model)", each)]
    assert "<b>" not in repr(found)
    alone = report(Y, TWO["a"], parts=["score"]).to_html()
    assert "<b>" not in re.sub("<figcaption>.*?</figcaption>", "", alone)


@pytest.mark.parametrize(("n_models", "n_closed"), [(12, 0), (13, 1)])
def test_paper_has_the_number_of_rows_that_a_closed_table_has(rendered, n_models, n_closed):
    models = {f"m{i}": Y * (1 + i / 10) + BASE for i in range(n_models)}
    text = report(Y, models, parts=["comparison"]).to_html()
    words = f'<p class="rows">5 of {n_models + 1} rows</p>'  # one is of random orders
    assert text.count(words) == text.count('<p class="rows">') == n_closed
    screen, _, printed = text.partition("@media print")
    assert "p.rows { display: none; }" in screen
    assert "p.rows { display: block; }" in printed


def test_the_table_of_distinct_scores_is_closed(pages):
    text = pages["two"].to_html()
    closed = "<details><summary>Distinct scores, ties and range of each model</summary><div"
    assert text.count(closed) == 1
    assert "<table" not in text[: text.index(closed)]


def test_paper_has_the_picture_of_the_first_lines_once(rendered):
    """The first sheet has it, so its part leaves it out; a phone and a screen show both."""
    month = np.array(["2026-01", "2026-02", "2026-03", "2026-04"])[np.arange(N) * 4 // N]
    fallen = np.where(month == "2026-04", 0, 2) * Y + BASE
    text = report(Y, fallen, segments={"month": month}).to_html()
    style, body = re.search(r"(?s)<style>(.*?)</style>(.*)", text).groups()
    screen, _, printed = style.partition("@media print")
    assert ".again, figure a { display: none; }" in printed
    assert not re.search(r"\.(again|overview)[^{]*{ display: none", screen)
    image, *_ = re.findall("<img [^>]*>", body)
    assert body.count(image) == 2
    assert body.count('<figure class="again">') == 1


def test_the_first_answer_is_the_heading(pages):
    text = pages["two"].to_html()
    heading = re.search("<h1>(.*?)</h1>", text)[1]
    assert re.sub("<.*?>", "", heading) == pages["two"].summary[0].answer.split(". ")[0] + "."
    assert '<p class="topic">Average precision of a and b</p><h1>' in text
    alone = report(Y, TWO, parts=["data"])
    heading = re.search("<header><h1>(.*?)</h1></header>", alone.to_html())[1]
    assert re.sub("<.*?>", "", heading) == "Average precision of a and b"


def test_names_may_be_broken_between_their_words_and_nowhere_else():
    page = report(Y, {"AdaBoost": TWO["a"], "HistGradientBoosting_v1.2": TWO["b"]}).to_html()
    assert "torchmetrics.<wbr>Binary<wbr>Average<wbr>Precision" in page
    assert "sklearn.<wbr>average_<wbr>precision_<wbr>score" in page
    assert "Hist<wbr>Gradient<wbr>Boosting_<wbr>v1.2<" in page
    assert "AdaBoost<" in page  # which is short
    assert not re.search(r"\d<wbr>|<wbr>[.]|[A-Z]<wbr>", page)


def test_limits_in_a_table_stay_together_below_or_beside_their_number():
    page = report(Y, {"a": TWO["a"], "b [old]": TWO["b"]}, parts=["score", "comparison"]).to_html()
    cells = re.findall(r'<td class="numbers">([^<]+)<span class="interval">([^<]+)</span>', page)
    assert len(cells) >= 3
    for number, limits in cells:
        assert re.fullmatch(r".?\d\.\d+ ", number)
        assert re.fullmatch(r"\[.?\d\.\d+, .?\d\.\d+\]", limits)
    assert "b [old]<" in page  # a name, and no limits
