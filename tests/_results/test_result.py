"""What all results share, seen in intervals, and in a result with differences."""

import html
import json
import pickle
import re
from dataclasses import dataclass, replace

import matplotlib.pyplot as plt
import numpy as np
import pytest

from sklearn_ap import Interval, average_precision_interval
from sklearn_ap._results.column import Column, Estimates
from sklearn_ap._results.result import ResultWithPlot
from sklearn_ap._results.sample import Mean, heading_of
from sklearn_ap._writing.text import MISSING
from tests.helpers.counted import counts_of_queries

RNG = np.random.default_rng(0)
CLASSES = RNG.integers(6, size=600)
SCORES = RNG.normal(size=(600, 6)) + 1.6 * (CLASSES[:, None] == np.arange(6))
PLAIN = average_precision_interval(CLASSES, SCORES, average=None)
HARD = ("St. Gallen", "Model v. 1", "ens, but small", "a: b", "<b>", "%s")
HARDER = ("$x_1$", "a|b", "a & b", "back\\slash", "*[_`~", "ø\n{}")
HARDEST = ("[x]", "*y", "$z$", "a_b", "\\foo", "--lr=-1 to 2 (-3%)")


def test_a_mean_says_of_how_many_columns_or_queries_it_is():
    mean = average_precision_interval(CLASSES, SCORES)
    assert mean.heading.startswith("mean step AP of 6 classes, 600 rows, 95%")  # no 600 positives
    cells = average_precision_interval(CLASSES, SCORES, average="micro")
    assert cells.heading.startswith("micro-averaged step AP of 6 classes, 600 rows, 95%")
    table = average_precision_interval(CLASSES[:, None] == np.arange(6), SCORES)
    assert table.heading.startswith("mean step AP of 6 columns, 600 rows, 600 positives, 95%")
    few = np.repeat([0, 1, 2], [80, 16, 4])  # 28 = 9 / (1 / 80 + 1 / 16 + 1 / 4)
    (*_, text) = average_precision_interval(few, np.eye(3)[few] / 2).sentences
    assert (
        text == "The 100 rows count as 28 of equal weight, because rows of rare classes weigh more."
    )
    assert (mean.to_dict()["n_averaged"], mean.to_dict()["n_units"]) == (6, None)
    sample = replace(mean.sample, mean=Mean("macro", "fixed query", 30))
    assert heading_of(sample, 0.95).startswith("mean step AP of 30 fixed queries, 600 rows")
    sample = replace(sample, mean=Mean("macro", "fixed query", 30, n_undefined=2))
    assert heading_of(sample, 0.95).startswith("mean step AP of 28 of 30 fixed queries, 600 rows")


def test_queries_left_out_of_a_mean_are_not_counted_in_its_heading():
    queries = np.repeat(np.arange(100), 6)
    y_true = (CLASSES == 0) & (queries >= 20) | (np.arange(600) % 6 == 0) & (queries >= 10)
    options = {"queries": queries, "zero_division": np.nan}
    found = average_precision_interval(y_true, SCORES[:, 0], **options)
    counts = counts_of_queries(y_true, SCORES[:, 0], queries)
    of_counts = Interval.from_counts(counts, average="macro", zero_division=np.nan)
    for each in found, of_counts:
        assert each.heading.endswith("95% intervals over 90 of 100 queries")
        assert (each.to_dict()["n_averaged"], each.to_dict()["n_undefined"]) == (100, 10)
    clustered = average_precision_interval(
        y_true, SCORES[:, 0], clusters=np.repeat(np.arange(50), 12), **options
    )
    assert clustered.heading.startswith("mean step AP of 90 of 100 queries, 600 rows")


@pytest.mark.parametrize(
    ("zero_division", "more", "title", "units"),
    [
        (0.0, {}, "", "rows"),
        (0.0, {"clusters": CLASSES}, "", "6 clusters"),
        (np.nan, {}, "", "300 of 600 rows"),
        (np.nan, {"clusters": CLASSES}, " of 300 of 600 rows", "6 clusters"),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_rows_left_out_of_a_mean_are_told_once(zero_division, more, title, units):
    labels = (CLASSES[:, None] == np.arange(6)) & (np.arange(600) % 2 == 0)[:, None]
    found = average_precision_interval(
        labels, SCORES, average="samples", zero_division=zero_division, **more
    )
    assert found.heading.startswith(f"mean over rows of step AP{title}, 600 rows, ")
    assert found.heading.endswith(f", 95% intervals over {units}")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Differences(ResultWithPlot):
    """Two scores less a third."""

    heading = "differences"
    sentences = ("One is shown.",)

    def _names(self):
        return ("old", "new")

    def _columns(self):
        scores = {"key": "estimate", "head": "estimate", "title": "step AP", "level": 0.9}
        limits = {"values": [0.5, 0.6], "low": [0.4, 0.5], "high": [0.6, 0.7]}
        change = {"values": [np.nan, 0.1], "low": [np.nan, -0.1], "high": [np.nan, 0.3]}
        more = {"key": "difference", "head": "difference from old", "title": "difference from old"}
        return (
            Estimates(**scores, **{key: np.array(each) for key, each in limits.items()}),
            Estimates(
                **more,
                level=0.9,
                sign="+",
                is_established=np.array([False, False]),
                **{key: np.array(each) for key, each in change.items()},
            ),
            Column(
                key="verdict",
                values=np.array(["non-inferior", ""]),
                head="verdict",
                cells=("non-inferior", MISSING),
            ),
        )


def cells_of_html(result):
    return [html.unescape(cell) for cell in re.findall("<td.*?>(.*?)</td>", result._repr_html_())]


def cells_of_latex(result):
    """Read names and cells as LaTeX does, after its escapes."""
    lines = result.to_table("latex").splitlines()[4:-2]
    assert not any(line.startswith(("[", "*")) for line in lines)  # options of the rule above
    plain = {"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^"}
    plain["textasciigrave"] = "`"
    pattern = r"\\(text\w+)\{\}|\$([<>|])\$|\{([*\[])\}|\\(.)|(-)\{\}"
    return [
        [
            re.sub(pattern, lambda found: plain.get(found[1]) or found[found.lastindex], cell)
            for cell in re.split(r"(?<!\\) & ", line.removesuffix(r" \\"))
        ]
        for line in lines
    ]


@pytest.mark.parametrize("names", [HARD, HARDER, HARDEST])
def test_renaming_renames_and_changes_nothing_else(names):
    renamed = replace(PLAIN, names=names)
    shown = dict(zip("012345", (" ".join(name.split()) for name in names), strict=True))
    assert cells_of_html(renamed) == [shown.get(cell, cell) for cell in cells_of_html(PLAIN)]
    ours, plain = renamed.to_dict(), PLAIN.to_dict()
    assert [row.pop("name") for row in ours["rows"]] == [*shown.values()]
    assert [row.pop("name") for row in plain["rows"]] == [*shown]
    assert ours == plain
    assert [*renamed.to_frame().index] == [*names]
    text = str(renamed)
    for place, line in enumerate(str(PLAIN).splitlines()[2:]):
        assert text.splitlines()[2 + place].split() == [*shown[line[0]].split(), *line.split()[1:]]


@pytest.mark.parametrize("names", [HARD, HARDER, HARDEST])
def test_papers_escape_names(names):
    renamed = replace(PLAIN, names=names)
    markdown, plain = (
        [re.split(r"(?<!\\) \| ", line[2:-2]) for line in each.to_table().splitlines()[2:]]
        for each in (renamed, PLAIN)
    )
    found = [re.sub(r"\\(.)", r"\1", name) for name, *_ in markdown]
    assert found == [" ".join(name.split()) for name in names]
    assert [cells for _, *cells in markdown] == [cells for _, *cells in plain]
    assert found == [name for name, *_ in cells_of_latex(renamed)]
    numbers = [cells for _, *cells in cells_of_latex(renamed)]
    assert numbers == [cells for _, *cells in cells_of_latex(PLAIN)]
    assert not re.search(r"(?<!\\)[%#_]", renamed.to_table("latex"))


@pytest.mark.parametrize("name", [r"\>65", r"\+ text", r"12\. run", r"\## old"])
def test_a_name_begins_no_list_heading_or_quotation_of_markdown(name, monkeypatch):
    monkeypatch.setattr(Differences, "sentences", (name.replace("\\", "") + "\nis worse.",))
    assert Differences().to_table().endswith(f"\n{name}\nis worse.")
    last = name.replace("\\", "% ") if name[0] == "\\" else "% 12. run"
    assert Differences().to_table("latex").endswith(f"\n{last} is worse.")


def test_a_picture_has_names_on_the_left_and_numbers_on_the_right():
    for names in (HARD, HARDER, HARDEST):
        figure = replace(PLAIN, names=names).plot()
        figure.canvas.draw()
        (axis,) = figure.axes
        found = [label.get_text() for label in axis.get_yticklabels()]
        assert found == [" ".join(name.split()) for name in names]
        right = [label.get_text() for label in axis.child_axes[0].get_yticklabels()]
        assert right == cells_of_html(PLAIN)[1::3]
        assert axis.get_xlabel() == "step AP\n95% interval"
        texts = [axis.xaxis.label, *axis.get_yticklabels()]
        assert not any(text.get_parse_math() for text in texts)
        plt.close(figure)


def test_a_picture_of_differences_has_two_panels_with_their_own_axes_or_those_of_a_user():
    figure, axes = plt.subplots(1, 2)
    assert Differences().plot(axes) is figure
    assert axes[1].get_xlabel() == "difference from old\n90% interval\ngrey: no difference is shown"
    with pytest.raises(ValueError, match="ax must hold 2 Axes, one for each panel, got 1"):
        Differences().plot(axes[0])
    plt.close("all")


def test_numbers_of_papers_and_pictures_have_minus_signs_and_words_hyphens():
    latex = Differences().to_table("latex")
    assert latex.splitlines()[4:6] == [
        r"old & 0.50 (0.40 to 0.60) & -- & non-inferior \\",
        r"new & 0.60 (0.50 to 0.70) & +0.10 ($-$0.10 to +0.30) & -- \\",
    ]
    assert f"| old | 0.50 (0.40 to 0.60) | {MISSING} | non-inferior |" in Differences().to_table()
    right = Differences().plot().axes[1].child_axes[0].get_yticklabels()
    assert right[1].get_text() == "+0.10 (\N{MINUS SIGN}0.10 to +0.30)"
    plt.close("all")
    hyphen = replace(PLAIN, names=("e-1", *HARD[1:])).to_table("latex")
    assert "\ne-1 & " in hyphen
    with pytest.raises(ValueError, match='style must be "markdown" or "latex", got \'html\''):
        PLAIN.to_table("html")
    assert "| 0.5000 (0.4000 to 0.6000) |" in Differences().to_table(digits=np.int64(4))
    assert "| step AP (90% interval) |" in Differences().to_table()
    assert "0.5 (0.4 to 0.6)" in Differences().to_table("latex", digits=1)


@pytest.mark.parametrize("digits", [-1, 16, 2.5, 3.0, True, "3"])
def test_digits_of_tables_are_a_number_that_floats_have(digits):
    with pytest.raises(ValueError, match="digits must be from 0 to 15, got"):
        PLAIN.to_table(digits=digits)


def test_frames_and_dicts_have_limits_beside_each_estimate():
    frame = Differences().to_frame()
    limits = ["low", "high", "difference", "difference_low", "difference_high", "verdict"]
    assert [*frame.columns] == ["estimate", *limits]
    found = json.loads(json.dumps(Differences().to_dict(), allow_nan=False))
    assert found["rows"][0]["difference"] is None
    assert found["sentences"] == ["One is shown."]


def test_notebooks_read_no_formulas_in_names():
    shown = replace(PLAIN, names=HARDEST)._repr_html_()
    assert re.fullmatch('<div class="tex2jax_ignore mathjax_ignore">.*[$]z[$].*</div>', shown)


def test_tuples_may_stand_beside_other_names():
    names = (("a", "b", 1), "c", 2, ("d", "e"), None, "f")
    mixed = replace(PLAIN, names=names)
    assert [*mixed.to_frame().index] == [*names]
    shown = [["a", "b", "1"], "c", "2", ["d", "e"], "None", "f"]
    assert [row["name"] for row in mixed.to_dict()["rows"]] == shown
    cells = cells_of_html(mixed)
    assert [cells[:3], cells[5:8]] == [["a", "b", "1"], ["c", "", ""]]
    assert [*map(len, cells_of_latex(mixed))] == [5] * 6
    found = [label.get_text() for label in mixed.plot().axes[0].get_yticklabels()]
    assert found == ["a, b, 1", "c", "2", "d, e", "None", "f"]
    assert str(mixed).splitlines()[3].startswith("c  ")
    plt.close("all")


def test_of_many_rows_those_are_shown_that_are_low_or_high_by_their_limits():
    n = 70
    low, high = np.linspace(0.1, 0.8, n), np.linspace(0.2, 0.95, n)
    low[65], high[5] = 0.0, 1.0  # these may be high and low
    many = replace(
        PLAIN,
        estimate=np.linspace(0.15, 0.9, n),
        low=low,
        high=high,
        **dict.fromkeys(("standard_error", "n_positives", "n_effective", "prevalence"), low),
        names=tuple(range(n)),
    )
    names = [int(line.split()[0]) for line in str(many).splitlines()[2:-2]]
    assert names == [*range(5), *range(6, 11), *range(59, 65), *range(66, 70)]
    assert " ".join(str(many).splitlines()[-2:]) == (
        "Shown are the 20 of 70 scores with the lowest upper or the highest lower limits; "
        "frames, JSON, Markdown and LaTeX have all."
    )
    assert len(many.to_frame()) == len(many.to_table().splitlines()) - 2 == n
    (axis,) = many.plot().axes
    assert len(axis.get_yticklabels()) == 20
    assert axis.get_xlabel() == "step AP\n95% interval; 20 of 70 shown"
    plt.close("all")


def test_wide_tables_shorten_names():
    wide = replace(PLAIN, names=tuple(f"{i}{'x' * 200}{i}" for i in range(6)))
    assert max(map(len, str(wide).splitlines())) <= 100
    assert str(wide).splitlines()[2].startswith("0xxx")
    assert wide.to_dict()["rows"][0]["name"] == f"0{'x' * 200}0"
    pairs = tuple((model, f"{'x' * 20}{i}") for i in range(3) for model in "ab")
    lines = str(replace(PLAIN, names=pairs)).splitlines()[2:8]
    assert [(*line.split()[:2],) for line in lines] == [*pairs]  # a short name leaves its room
    middles = tuple(f"{'x' * 60}{i}{'y' * 60}" for i in range(6))
    lines = str(replace(PLAIN, names=middles)).splitlines()[2:8]
    assert len({line.split()[0] for line in lines}) == 6  # a longer line is better than one name


def test_results_are_pickled():
    assert repr(pickle.loads(pickle.dumps(PLAIN))) == repr(PLAIN)
