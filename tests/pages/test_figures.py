"""Figures in the words of pages are those that an example prints or a benchmark stored."""

import re

import pytest

from tests.helpers.pages import DOCS, numbers_in

WHY = "why_not_sklearn.md"
PRINTED = (
    r"array\(\[([\d.]+) ?, ([\d.]+)\]\)",
    r"truth <= each.high for each in intervals\)\) (\d+)",
    r"mean of folds ([\d.]+), on new rows ([\d.]+) ",
    r"pooled ([\d.]+) ```",
    r"below 50%: (\d+) of 100, with a guarantee (\d+) of 100",
)
SAID = (
    r"from ([\d.]+) to ([\d.]+) on 95 of 100 test sets .*?; (\d+) of 1,000 .*? is ([\d.]+) "
    r"for models that score ([\d.]+) on new rows.*? folds: ([\d.]+)\. "
    r".*? in (\d+) of 100 samples.*? 90%: (\d+) of"
)


def test_the_readme_has_the_figures_that_why_not_sklearn_prints():
    without_links = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", (DOCS.parent / "README.md").read_text())
    said = re.search(SAID, " ".join(without_links.split())).groups()
    assert [float(each) for each in said] == [
        number for each in PRINTED for number in numbers_in(WHY, each)
    ]


# Where figures come from, besides the code and the tables of benchmarks on a page.
FROM = {
    "certainty.md": tuple(
        f"evidence/{name}/summary.csv" for name in ("conventional", "intervals", "comparisons")
    ),
    "comparison.md": (
        "evidence/comparisons/summary.csv",
        "evidence/margins/summary.csv",
        "evidence/margins/pools-of-folds.csv",
    ),
    "cross_validation.md": ("evidence/cross-validation/each-kind-of-folds.csv",),
    "scorers.md": ("evidence/searches/summary.csv", "evidence/searches/candidates.csv"),
    "seeds.md": ("evidence/seeds/summary.csv",),
    "sample_size.md": ("evidence/sample-size/summary.csv",),
    "medical_tests.md": ("evidence/thresholds/summary.csv",),
    "threshold.md": (
        "evidence/thresholds/summary.csv",
        "evidence/thresholds/after-a-refit.csv",
    ),
    "reporting.md": (
        *("certainty.md", "comparison.md", "medical_tests.md", "threshold.md", "few_labels.md"),
        *("best_of_many.md", "cross_validation.md"),
    ),
}
# Versions, levels, options, numbers of papers, and what a reader can work out, in these words.
# Others are printed.
GIVEN = {
    "average_precision.md": (
        "a ROC AUC of 0.95 is wrong in 58% of",
        "a score of 0.3 is far above",
        "if 25% are",
    ),
    "certainty.md": ("smaller than 0.001", "4% to 47% wider"),
    "gates.md": ("no better in 2.5 of 100 cases", "a tenth of the error, in 2.5."),
    "command_line.md": ("than the first by 0.02 or more",),
    "comparison.md": ("one-sided, at 0.025", "with 49 queries"),
    "compat.md": ("scores 0.995", "positives scores 0.75", "the float 0.30000000000000004"),
    "contributing.md": ("1.2/stable",),
    "cross_validation.md": ("multiplied by 1.25",),
    "definitions.md": ("scikit-learn since 0.19", "scikit-learn before 0.19"),
    "design.md": ("until 1.0", "reach recall 0.3"),
    "detections.md": ("| 1 | 0.9 | 0.9 |", "from 0.5 to 0.95"),
    "differences.md": ("scikit-learn 1.6 and", '"since 1.9"', "since 1.8", "in 1.10"),
    "engine.md": ("as at 95% the limits are 0 and 1",),
    "evidence.md": ("arXiv:2601.17103", "arXiv:2602.10332"),
    "get_started.md": ("Python 3.11", "(1.6 or newer)"),
    "index.md": ("Python 3.11 or newer", "95% intervals contain"),
    "prevalence.md": ("999 at 0.1%",),
    "queries.md": ("divide 0.05 by",),
    "report.md": (
        "0.05 and 0.1)",
        "p-value is below 0.05",
        "of this 0.05",
        "0.5, 0.8, 0.9 and 10 times",
    ),
    "sample_size.md": ("about 0.7 for two kinds of models", "asks for 0.7 of what"),
    "training.md": ("Before LightGBM 4.7",),
    "which.md": ("80% of the positives", "90% of the alarms", "the top 1%,", "EF1%"),
}
# A list of options that a program writes, and formulas, whose figures have tests of their own.
OTHERS = "tools.md", "methods.md"
FENCED = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
PAGES = sorted({page.name for page in DOCS.glob("*.md")} - {*OTHERS})


COUNT = re.compile(r"(?<![\d,.])(\d[\d,]*) (?:positives|negatives|rows|labels|queries|clusters)\b")


def shown(page):
    """The code, the output and the tables of benchmarks of a page."""
    text = (DOCS / page).read_text()
    if page.endswith(".md"):
        folders = re.findall(r"^```\{tables\} (.*)$", text, re.MULTILINE)
        tables = (path for name in folders for path in (DOCS / page[:-3] / name).glob("*.csv"))
        text = " ".join([*FENCED.findall(text), *(path.read_text() for path in tables)])
    return text


def printed(page):
    """The numbers in what a page shows."""
    return [*map(float, re.findall(r"\d*\.\d+|\d+", shown(page)))]


def words_of(page):
    """The words of a page without its code, and without what is given."""
    text = re.sub(r"`[^`]*`|\]\([^)]*\)", "", FENCED.sub("", (DOCS / page).read_text()))
    words = " ".join(text.split())
    for phrase in GIVEN.get(page, ()):
        assert phrase in words, "no page says so any more"
        words = words.replace(phrase, "")
    return words


@pytest.mark.parametrize("page", PAGES)
def test_figures_in_the_words_of_a_page_are_printed_by_its_code(page):
    """Those with a decimal point, and percentages, which may be printed as shares."""
    given = [number for each in (page, *FROM.get(page, ())) for number in printed(each)]
    said = re.findall(r"(?<![\d.])(\d*\.\d+|\d+(?=%))(?![\d.]*\.\d)(%?)", words_of(page))
    stale = []
    for figure, percent in said:
        digits = len(figure.partition(".")[2])
        known = {round(n * unit, digits) for n in given for unit in ([1, 100] if percent else [1])}
        if float(figure) not in known:
            stale.append(figure)
    assert not stale


@pytest.mark.parametrize("page", PAGES)
def test_odd_counts_in_the_words_of_a_page_are_printed_by_its_code(page):
    """Round ones, by fives, are chosen by us rather than found."""
    known = {*re.findall(r"\d[\d,]*", " ".join(map(shown, [page, *FROM.get(page, ())])))}
    odd = [each for each in COUNT.findall(words_of(page)) if int(each.replace(",", "")) % 5]
    assert {*odd} <= known
