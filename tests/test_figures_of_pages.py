"""Figures in the words of pages are those that an example prints or a benchmark stored."""

import re

import pytest
from pages import DOCS, numbers_in

WHY = "why_not_sklearn.md"
PRINTED = (
    r"array\(\[([\d.]+) ?, ([\d.]+)\]\)",
    r"truth <= each.high for each in intervals\)\) (\d+)",
    r"mean of folds ([\d.]+), on new rows ([\d.]+) ",
    r"pooled ([\d.]+) ```",
    r"below 50%: (\d+) of 100, with a guarantee (\d+) of 100",
)
SAID = (
    r"from ([\d.]+) to ([\d.]+) on test sets .*?; (\d+) of 1,000 .*? is ([\d.]+) for models that "
    r"score ([\d.]+) on new rows.*? folds: ([\d.]+)\. .*? in (\d+) of 100 samples.*? 90%: (\d+) of"
)


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_first_pages_have_the_figures_that_why_not_sklearn_prints(page):
    without_links = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", (DOCS.parent / page).read_text())
    said = re.search(SAID, " ".join(without_links.split())).groups()
    assert [float(each) for each in said] == [
        number for each in PRINTED for number in numbers_in(WHY, each)
    ]


# Tables of benchmarks that a page sums up.
STORED = {"certainty.md": "evidence/conventional/summary.csv"}
# What was simulated, and constants. All other figures with two digits are printed on their page.
NOT_PRINTED = {
    "average_precision.md": {"0.95"},
    "certainty.md": {"0.001", "0.05"},
    "comparison.md": {"0.025"},
    "compat.md": {"0.30000000000000004", "0.75", "0.995"},
    "cross_validation.md": {"1.25"},
    "definitions.md": {"0.19", "0.30000000000000004"},
    "detections.md": {"0.001", "0.95"},
    "get_started.md": {"0.04", "3.11"},
    "which.md": {"0.19"},
}


# Formulas, tables of simulations, numbers made up for a paper, and the first page, which
# has the figures of another one.
OTHERS = {
    *("changelog", "command_line", "differences", "evidence", "index", "large", "methods"),
    *("reporting", "speed", "tools"),
}
PAGES = sorted(page.name for page in DOCS.glob("*.md") if page.stem not in OTHERS)


@pytest.mark.parametrize("page", PAGES)
def test_figures_in_the_words_of_a_page_are_printed_by_its_code(page):
    text = (DOCS / page).read_text()
    fenced = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
    code = " ".join(fenced.findall(text))
    code += (DOCS / STORED[page]).read_text() if page in STORED else ""
    words = re.sub(r"`[^`]*`|\]\([^)]*\)", "", fenced.sub("", text))
    printed = [*map(float, re.findall(r"\d*\.\d+|\d+", code))]
    said = {*re.findall(r"(?<![\d.])\d+\.\d{2,}(?![\d.]*\.\d)", words)} - NOT_PRINTED.get(
        page, set()
    )
    digits = {each: len(each.partition(".")[2]) for each in said}
    stale = [each for each in said if float(each) not in [round(n, digits[each]) for n in printed]]
    assert not stale
