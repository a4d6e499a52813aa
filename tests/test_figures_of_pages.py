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
