"""Writes compat.md and tools.md from the table, so that the pages cannot disagree with it.

python docs/compat_page.py
"""

import re
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from tool_sentences import NOTES, ours

from sklearn_ap import compat
from sklearn_ap import interpolated_average_precision_score as interpolated
from sklearn_ap.compat._choices import OPTIONS
from sklearn_ap.compat._tool_entry import SOURCES
from sklearn_ap.compat._tools import ALIASES, CALLERS, ENTRIES, find, get
from sklearn_ap.definitions import AtK

DOCS = Path(__file__).parent

ROUNDED = ([1, 1, 0, 1, 0, 1, 0, 0, 0, 1], [0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1])
LOGITS = ([1, 0, 1, 0, 1, 0, 0, 1], [41.0, 40.0, 39.0, 1.5, 0.2, -0.7, -1.4, -3.0])
TEN = ([1, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1], [*range(20, 0, -1)])
LATE = ([0, 0, 1, 1, 0, 1, 0, 0], [0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1])
TIED = (TEN[0], [(5 - rank // 4) / 6 for rank in range(20)])  # four rows each
CONSTANT = ([1, *(9 * [0])], 10 * [0.5])
PERFECT = ([1, 1, 1, 1, 0, 0, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
DATA = {"rounded": ROUNDED, "logits": LOGITS, "ten_positives": TEN, "late": LATE}
K = 3

# What people compare as if it were the same: a title, what to know, the predictions, functions.
CONFUSED = (
    (
        "scikit-learn before 0.19",
        "It joined operating points by straight lines, as `auc(recall, precision)` still does.",
        ROUNDED,
        ("sklearn.average_precision_score", "sklearn.auc_of_precision_recall_curve"),
    ),
    (
        "VOC 2007, VOC 2010 and COCO",
        "They average the best precision at this recall or a higher one: at 11 levels of recall, "
        "everywhere, and at 101 levels, respectively.",
        TEN,
        (
            "VOCdevkit2007.VOCevaldet",
            "chainercv.calc_detection_voc_ap_07",
            "chainercv.calc_detection_voc_ap",
            "pycocotools.COCOeval",
            "ultralytics.compute_ap",
        ),
    ),
    (
        "TREC and VOC 2007",
        "trec_eval rounds the number of positives at a level, and has another rule since version "
        "9. VOC compares floats: of the kit in MATLAB, 0.3 alone lies above 3/10, and of its "
        "ports, 0.6 and 0.7, too.",
        TEN,
        (
            "pytrec_eval.11pt_avg",
            "trec_eval.11pt_avg",
            "VOCdevkit2007.VOCevaldet",
            "object_detection_metrics.ElevenPoints",
        ),
    ),
    (
        "Keras",
        "`AUC(curve='PR')` counts scores in 200 bins from 0 to 1. For logits, pass "
        "`from_logits=True`.",
        LOGITS,
        ("keras.AUC_PR_interpolation", "keras.AUC_PR_minoring", "keras.AUC_PR_majoring"),
    ),
    (
        "TorchMetrics and TorchEval",
        "If one score lies outside [0, 1], TorchMetrics sends all through a sigmoid. RetrievalMAP "
        "counts positives that score 0 or less as negatives.",
        LOGITS,
        (
            "torchmetrics.BinaryAveragePrecision",
            "torchmetrics.RetrievalMAP",
            "torcheval.binary_auprc",
            "torcheval.binary_binned_auprc",
        ),
    ),
    (
        "Gain, and calibrated average precision",
        "Both make scores at different prevalences more alike. Keras clips recall gain at 0, and "
        "pyprg clips the curve.",
        LATE,
        ("pyprg.calc_auprg", "keras.AUC_PRGAIN", "calibrated_metrics.average_precision"),
    ),
    (
        "XGBoost, LightGBM and CatBoost",
        "They use a hyperbola, steps, and straight lines from (0, 1).",
        ROUNDED,
        ("xgboost.aucpr", "lightgbm.average_precision", "catboost.PRAUC"),
    ),
    (
        "Ties in MAP",
        "XGBoost keeps the order of the input, CatBoost puts negatives first, and trec_eval sorts "
        "tied items by name.",
        ROUNDED,
        ("xgboost.map", "catboost.MAP", "pytrec_eval.map"),
    ),
    (
        "R",
        "PRROC and precrec follow the hyperbola, yardstick draws straight lines from (0, 1), and "
        "ROCR draws them through the best points. MLmetrics, MLeval and PerfMeas lose the area "
        "left of the first point.",
        LATE,
        (
            "PRROC.auc.integral",
            "PRROC.auc.davis.goadrich",
            "yardstick.pr_auc",
            "ROCR.aucpr",
            "MLmetrics.PRAUC",
        ),
    ),
    (
        "Recommenders, at k = 3",
        "They divide by all positives, min(k, positives), the hits, or k.",
        TEN,
        (
            "recommenders.map",
            "recbole.MAP",
            "torchmetrics.RetrievalMAP",
            "rectools.MAP_divide_by_k",
        ),
    ),
    (
        "Retrieval for language models",
        "ragas divides by the hits in the list, as haystack did before 3.1, and llama_index by all "
        "relevant documents.",
        LATE,
        ("ragas.context_precision", "llama_index.AveragePrecision"),
    ),
)


def value(entry, predictions, k=K):
    """The number of a function, told k where it must be; nan where it raises."""
    found = answers(*map(tuple, predictions), k)[entry.name]
    return float("nan") if found is None else found


@cache
def answers(y_true, y_score, k):
    """The numbers of all functions by their names; None where one raises."""
    return {row.name: row.value for row in compat.compare(y_true, y_score, k=k).results}


def value_at_k(entry, predictions):
    """The number of a function that takes k, told k; nan where it takes none."""
    if entry.k == "no":
        return float("nan")
    return compat.score(entry.name, *predictions, k=K)


def differs(*values):
    return max(values) - min(values) > 1e-6


def same(*values):
    return not differs(*values)


def moved_by_order(entry):
    y_true = np.array([1, 0, 1, 0, 0, 1])
    orders = (np.arange(6), np.arange(6)[::-1], np.argsort(y_true), np.argsort(-y_true))
    return differs(*(value(entry, (y_true[order], np.full(6, 0.5)), k=1) for order in orders))


def moved_by_scale(entry):
    y_true, logits = LOGITS
    ranks = (np.argsort(np.argsort(logits)) + 1) / 10
    return any(
        differs(value(entry, (labels, logits)), value(entry, (labels, ranks)))
        for labels in (y_true, y_true[::-1])
    )


def blind_to_small_differences(entry):
    """Two scores that differ by 1e-9 count as tied, at the top or beside a positive."""

    def at(gap, first, pair, last=()):
        scores = [0.9] * len(first) + [0.5 + gap * (pair[0] - pair[1]), 0.5, *(0.1 for _ in last)]
        return value(entry, ([*first, *pair, *last], scores), k=len(first) + 1)

    return any(
        same(at(1e-9, *rows), at(0, *rows)) and differs(at(1e-9, *rows), at(0.1, *rows))
        for rows in (([], [1, 0]), ([1], [1, 0]), ([], [0, 1]), ([1], [0, 1]), ([], [1, 0], [1]))
    )


def blind_below_32(entry):
    """The last positive stands at rank 33 or 40, below 8 at the top or none."""
    blind = entry.k == "no"
    for first in (0, 8):
        tops = first * [1] + (32 - first) * [0]
        tails = [1] + 7 * [0], 7 * [0] + [1]
        scores = [rank / 50 for rank in range(40, 0, -1)]
        blind &= same(*(value(entry, (tops + tail, scores)) for tail in tails))
    return blind


def is_precision_of_all(entry):
    """Without k, precision counts all items, in whatever order."""
    return entry.choices.between == "each hit" and entry.k != "required"


def misses_levels(entry):
    """Below the exact value at the same levels, for 10 positives."""
    n_levels = 101 if "101" in entry.choices.over else 11
    exact = interpolated(*TEN_POSITIVES, recall_levels=n_levels)
    return "levels" in entry.choices.over and value(entry, TEN_POSITIVES) < exact - 1e-6


def higher_with_ties(entry):
    """More above scikit-learn where scores are tied than where none are, in any order."""
    untied = TEN[0], [score / 21 for score in TEN[1]]
    tied, alone = (value(entry, each) - value(BASELINE, each) for each in (TIED, untied))
    return entry.k != "required" and not moved_by_order(entry) and tied > max(alone, 0) + 1e-6


TEN_POSITIVES = ([1, 1, 1, *(7 * [0, 1])], [rank / 20 for rank in range(17, 0, -1)])
NONE = ((0, 0), (0.1, 0.2))


def without_positives(entry):
    """The answer to a query without positives, in words."""
    found = answers(*NONE, K)[entry.name]
    return "an exception" if found is None else f"{found:g}"


@dataclass(frozen=True)
class Symptom:
    """What a user sees, why, and how to find it: by running a function, and in its choices."""

    what: str
    why: str
    sees: Callable
    has: Callable | None = None  # None where no choice is the cause


BASELINE = ENTRIES[0]
STRAIGHT = ("straight line", "best points", "sorted by recall")
ABOVE_STEPS = (*STRAIGHT, "hyperbola", "hyperbola, sampled", "upper")
FOR_PROBABILITIES = (
    *("sigmoid", "sigmoid, floored", "floored", "clipped bins", "relevant above 0"),
    "thresholds exceeded",
)
SYMPTOMS = (
    Symptom(
        "0.995 for a perfect ranking",
        "Precision is averaged at 101 levels of recall, and is read as 0 at recall 1.",
        lambda entry: abs(value(entry, PERFECT) - 0.995) < 1e-9,
        lambda entry: entry.choices.over == "101 levels, interpolated",
    ),
    Symptom(
        "0.75 for a perfect ranking of four positives",
        "The area left of the first point, 1/n with n positives, is lost.",
        lambda entry: entry.k == "no" and abs(value(entry, PERFECT) - 0.75) < 1e-9,
        lambda entry: entry.choices.start == "lost" or entry.choices.between == "lower",
    ),
    Symptom(
        "Much lower than scikit-learn when k is below the number of positives",
        "The sum over the top k is divided by all positives: of 11, k = 3 allows 3/11.",
        lambda entry: (
            value_at_k(entry, PERFECT) < 1 and value_at_k(entry, TEN) < value(BASELINE, TEN) - 0.1
        ),
        lambda entry: (entry.choices.over, entry.choices.divisor) == ("top k", "positives"),
    ),
    Symptom(
        "Less than 1 for a perfect ranking when k is above the number of positives",
        "The sum over the top k is divided by k.",
        lambda entry: entry.k == "required" and value(entry, PERFECT, k=6) < 1,
        lambda entry: entry.k == "required" and entry.choices.divisor in ("k", "min(k, n)"),
    ),
    Symptom(
        "It changes when I shuffle the rows",
        "Ties keep the order of the input. Break them yourself.",
        moved_by_order,
        lambda entry: (
            entry.choices.ties not in ("grouped", "worst", "best")
            and not is_precision_of_all(entry)
        ),
    ),
    Symptom(
        "It changes when I pass logits instead of probabilities",
        "The tool squashes, clips or bins scores outside [0, 1], or drops positives that score 0.",
        moved_by_scale,
        lambda entry: entry.choices.scores in FOR_PROBABILITIES,
    ),
    Symptom(
        "It ignores small differences between scores",
        "Scores are rounded, for example to float32, or put into bins.",
        blind_to_small_differences,
        lambda entry: (
            not entry.choices.scores.startswith("as given") and not is_precision_of_all(entry)
        ),
    ),
    Symptom(
        "Constant scores get more than the prevalence",
        "Operating points are joined by straight lines that start at precision 1.",
        lambda entry: entry.choices.ties == "grouped" and value(entry, CONSTANT) > 0.1 + 1e-6,
        lambda entry: (
            entry.choices.between in STRAIGHT and entry.choices[1:4:2] == ("grouped", "(0, 1)")
        ),
    ),
    Symptom(
        "Higher than scikit-learn with many ties",
        "Operating points are joined by lines, which with ties often lie above the steps, or tied "
        "positives come first.",
        higher_with_ties,
        lambda entry: (
            entry.choices.ties == "best"
            or (
                entry.choices.ties == "grouped"
                and entry.choices.between in ABOVE_STEPS
                and entry.choices.start != "lost"
            )
        ),
    ),
    Symptom(
        "Much lower than scikit-learn, without k",
        "The tool does one of five things. It loses the area left of the first point, takes the "
        "smaller precision of both ends, takes the precision of all items, counts only as many "
        "items as there are positives, or is KITTI and has fewer than 41 positives.",
        lambda entry: (
            entry.k != "required" and value(entry, ROUNDED) < value(BASELINE, ROUNDED) - 0.1
        ),
        lambda entry: (
            entry.choices.start == "lost"
            or entry.choices.between == "lower"
            or is_precision_of_all(entry)
            or "of 41" in entry.choices.over
            or entry.choices.over == "top R"
        ),
    ),
    Symptom(
        "Higher than scikit-learn, although no scores are tied",
        "Precision is interpolated (the best at this recall or a higher one, or along the best "
        "points), or points are sorted by recall.",
        lambda entry: entry.k == "no" and value(entry, LATE) > value(BASELINE, LATE) + 1e-6,
        lambda entry: entry.choices.between in ("envelope", "best points", "sorted by recall"),
    ),
    Symptom(
        "Eleven points are lower than by hand, with 10 positives",
        "Levels are floats. Recall 3/10 does not reach 0.30000000000000004.",
        misses_levels,
        lambda entry: "levels" in entry.choices.over and "x R" not in entry.choices.over,
    ),
    Symptom(
        "Nothing below rank 32 counts",
        "`map` of XGBoost looks at the top 32, and MAP@R at the top R.",
        blind_below_32,
        lambda entry: entry.choices.over in ("top 32", "top R"),
    ),
    Symptom(
        "1 for a query without positives",
        "The tool defines it so.",
        lambda entry: without_positives(entry) == "1",
    ),
    Symptom(
        "nan, -1 or an exception for a query without positives",
        "A mean over queries may leave it out.",
        lambda entry: without_positives(entry) in ("nan", "-1", "an exception"),
    ),
)

# Other numbers than an average of precision, or that at another prevalence, are no symptoms.
AVERAGES = [
    entry
    for entry in ENTRIES
    if not entry.choices.over.startswith(("best at", "first hit", "recall gain"))
    and entry.choices.scores != "as given, at a prevalence"
]


@cache
def seen(symptom):
    """The functions that show a symptom."""
    return [entry for entry in AVERAGES if symptom.sees(entry)]


def link(tool):
    return f"[{tool}](tools.md#{tool.lower()})"


def by_tool(entries):
    """Tools, and their functions unless it is all of them."""
    tools = sorted({entry.tool for entry in entries}, key=str.lower)
    some = {tool: [entry for entry in entries if entry.tool == tool] for tool in tools}
    return "; ".join(
        link(tool)
        if len(some[tool]) == len(find(tool))
        else f"{link(tool)}: " + ", ".join(f"`{entry.function}`" for entry in some[tool])
        for tool in tools
    )


def table(head, rows):
    rule = ["---"] * len(head)
    return [*(f"| {' | '.join(row)} |" for row in (head, rule, *rows)), ""]


def who_shows_what():
    """The symptoms with their causes, and the functions that show each, found by running all."""
    rows = [(each.what, each.why, by_tool(seen(each))) for each in SYMPTOMS]
    lines = table(("what you see", "why", "functions"), rows)
    return [":::{dropdown} What you see, why, and which functions show it", "", *lines, ":::", ""]


def often_confused():
    """What is compared as if it were the same, with the numbers."""
    lines = [":::{dropdown} Which functions are often confused", "", *predictions_shown()]
    return [*lines, *(confused(*pair) for pair in CONFUSED), ":::", ""]


def other_names():
    """The names that are no names of tools here, with the tools they stand for."""
    rows = {}
    for name, others in ALIASES.items():
        tools = dict.fromkeys(other.partition(".")[0] for other in others)
        functions, how = CALLERS.get(name, ([], ""))
        called = ", ".join(f"`{each}`" for each in functions)
        rows.setdefault((", ".join(map(link, tools)), called, how), []).append(name)
    lines = table(
        ("name", "stands for", "calls", "version"),
        [(", ".join(names), *meaning) for meaning, names in rows.items()],
    )
    return [":::{dropdown} Other names, and what they stand for", "", *lines, ":::", ""]


def confused(title, text, predictions, names):
    """One pair, or more, of what is confused: what to know, and the numbers."""
    on = next(name for name, known in DATA.items() if known is predictions)
    found = []
    for name in names:
        entry = get(name)
        asks = entry.k == "required" or ("k = 3" in title and entry.k == "optional")
        number = compat.score(name, *predictions, **({"k": K} if asks else {}))
        found.append(f"`{name}` {number:.3f}")
    return f"- **{title}**: {text} On `{on}`: {', '.join(found)}."


def predictions_shown():
    """The predictions of which the list has the numbers."""
    shown = {repr(TEN[1]): "range(20, 0, -1)"}
    lines = []
    for name, known in DATA.items():
        values = (shown.get(repr(each), repr(each)) for each in known)
        lines += [f"{name} = (", *(f"    {each}," for each in values), ")"]
    return ["```python", *lines, "```", ""]


def short(text):
    return text.replace("y_true, y_score", "...")


NEEDED = "a score is needed"
# The heads of the table of functions, which are columns of compat.compare(...).to_frame(), too.
HEADS = {
    "tool": "tool",
    "function": "function",
    "scores": "scores",
    "ties": "ties",
    "between": "interpolation",
    "start": "start",
    "over": "levels or depth",
    "divisor": "divisor",
    "special_cases": "special cases",
}


def anchor(choice, option):
    """The name of the place that explains an option."""
    return "-".join((choice, *re.findall(r"[a-z0-9]+", option.lower())))


def cell(name, known):
    """A cell of the table: empty where a choice is scikit-learn's, and a link to the others."""
    text = known[name]
    if name == "tool":
        return f"[{text}](#{text.lower()})"
    if name == "function":
        return f"`{text}`"
    if name not in OPTIONS:
        return text
    usual = getattr(BASELINE.choices, name)
    return "" if text == usual else f"[{text}](#{anchor(name, text)})"


def functions():
    """The table of all functions, one a row."""
    entries = sorted(ENTRIES, key=lambda entry: entry.name.lower())
    rows = [[cell(name, entry.columns()) for name in HEADS] for entry in entries]
    return ["## Functions", "", *table(HEADS.values(), rows)]


# For which scores our call gives the same number: what the words of ``ours`` stand for.
CONDITIONS = {
    "untied": "no ties",
    "float32": "float32 tells scores apart",
    "1e-8": "scores differ by 1e-8 or more",
    "probabilities": "scores within [0, 1]",
    "above 0": "scores above 0",
    "off levels": "no recall on a level",
}


def version(entry):
    """The version of a function, how its numbers are known, and since when."""
    return f"{entry.versions}, {entry.source} {entry.date}"


def options(entry):
    """The options of a function that change its number, and their values."""
    return [f"`{name}={value!r}`" for name, value in entry.options.items()]


def details(entry, shared):
    """The cells of a function in the table of its tool, without options that all have."""
    call, needs = ours(entry)
    words = [word for each in needs for word in each.split(", ")]
    return {
        "function": f"`{entry.function}`",
        "its options": ", ".join(each for each in options(entry) if each not in shared),
        "write here": f"`{short(call)}`",
        "same number if": "; ".join(CONDITIONS[word] for word in words),
        "note": short(NOTES.get(entry.name, "")),
        "version": version(entry),
    }


def tool_section(tool):
    """All that is known of one tool: a row for each function, and what they share below."""
    entries = find(tool)
    shared = [each for each in options(entries[0]) if all(each in options(e) for e in entries)]
    cells = [details(entry, shared) for entry in entries]
    below = [short(NOTES.get(tool, "")), f"Options: {', '.join(shared)}." if shared else ""]
    if len({row["version"] for row in cells}) == 1:
        below.append(f"*({cells[0]['version']})*")
        cells = [{**row, "version": ""} for row in cells]
    heads = [head for head in cells[0] if any(row[head] for row in cells)]
    rows = dict.fromkeys(tuple(row[head] for head in heads) for row in cells)
    return [f"## {tool}", "", *table(heads, rows), " ".join(filter(None, below)), ""]


def choices():
    """What each choice means, once, and which tools know all positives."""
    lines = [":::{dropdown} What the choices mean, and which tools take rows without a score"]
    for choice, known in OPTIONS.items():
        lines += ["", f"**{choice}**"]
        for name, option in known.items():
            lines += ["", f"({anchor(choice, name)})=", "", f"*{name}*: {option.why}"]
    know_all = {entry.tool for entry in ENTRIES if entry.not_retrieved != NEEDED}
    lines += ["", "**rows without a score**", "", ", ".join(sorted(know_all, key=str.lower))]
    return [*lines, ":::", ""]


INTRO = """\
---
myst:
  html_meta:
    description: >-
      Why two tools print two average precisions for the same predictions: find the difference
      choice by choice.
---

# Why two tools disagree

Two tools give two numbers for the same predictions, and both call them average precision. This page
finds the cause. `compat.score` computes the numbers of [{n_functions} functions of {n_tools}
tools](tools.md). {how_known}.
If you come from scikit-learn or R, see [what to write instead](differences.md).

<!-- docs/compat_page.py writes this page from the table in sklearn_ap.compat. -->

## Is the input the same?

First rule out a different input. The first row of the table passes labels and scores correctly,
and each other row makes a common mistake:

```python
{setup}

```

{ruled_out}
## Why do my two numbers differ?

Pass your predictions and the names of both functions to `compat.explain`. It changes one choice at
a time (ties, interpolation, divisor and so on), and prints how much each change contributes:

```python
>>> from sklearn_ap import compat
>>> y_true = {rounded[0]}
>>> y_score = {rounded[1]}
>>> compat.explain("ranx.map", y_true, y_score, versus="torchmetrics.BinaryAveragePrecision")
{two}

```

Without `versus`, the function is compared with scikit-learn's. Our own scores have names, too, and
a [definition](definitions.md) can be passed instead of a name:

```python
>>> from sklearn_ap.definitions import AtK
>>> compat.explain("eleven_point_average_precision_score", y_true, y_score, versus=AtK(5))
{own}

```

With `queries`, each number is the mean over the queries that the function can score. With a column
for each class, `compat.score(..., average=None)` gives a number for each class, such as
pycocotools' AP. On the command line, use [`sklearn-ap explain`](command_line.md#explain).

## Which tool gives my number?

`compat.compare` prints a line for each distinct number, with the functions that give it. Pass your
number as `near`, with all digits that you have, to see the closest results first:

```python
>>> compat.compare(y_true, y_score, k=3, near=0.78)  # doctest: +ELLIPSIS
{nearest}

```

At rank k, the list shows the sum divided by k, by the positives, by the smaller of both, and by the
positives found. With `queries`, it also shows the score of all rows as one ranking ("pooled").
The {n_all} functions are the {n_functions} of other tools, and {n_ours} scores of ours.
`compat.compare(...).to_frame()` has a column for each choice. To set options of a function, such as
`thresholds`, call `compat.score`.

"""


# What went wrong, the code that shows it on the predictions above the table, and what to check.
RULED_OUT = (
    ("nothing is wrong", "average_precision_score(y_true, p)", "Compare the others with it."),
    (
        "0/1 predictions instead of scores",
        "average_precision_score(y_true, p > 0.5)",
        "`y_score` has two values. Pass `predict_proba` or `decision_function`.",
    ),
    (
        "the wrong column",
        "average_precision_score(y_true, 1 - p)",
        "The score is below the prevalence. Column j belongs to `classes_[j]`.",
    ),
    (
        "other rows",
        "average_precision_score(y_true[p > 0.2], p[p > 0.2])",
        "Print the numbers of rows and positives for both tools.",
    ),
    (
        "a mean over batches or workers",
        "np.mean([average_precision_score(y_true[i::25], p[i::25]) for i in range(25)])",
        "It changes with their size. In TorchMetrics, call `compute` once.",
    ),
    (
        "a mean over labels (macro)",
        "average_precision_score(labels, scores)",
        "It is the default of scikit-learn and TorchMetrics.",
    ),
    (
        "all labels as one (micro)",
        'average_precision_score(labels, scores, average="micro")',
        "Micro ranks all cells together.",
    ),
)
SETUP = """\
>>> import numpy as np
>>> from sklearn_ap import average_precision_score
>>> rng = np.random.default_rng(0)
>>> y_true = rng.random(1000) < 0.1
>>> p = 1 / (1 + np.exp(2 - 2 * y_true - 1.2 * rng.normal(size=1000)))
>>> labels = np.column_stack([y_true, rng.random(1000) < 0.5])
>>> scores = np.column_stack([p, rng.random(1000)])"""


def ruled_out():
    """The causes that are no other definition, with their numbers."""
    known = {}
    exec(SETUP.replace(">>> ", ""), known)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of such causes
        rows = [
            (what, f"`{code}`", f"{eval(code, known):.3f}", check)
            for what, code, check in RULED_OUT
        ]
    return table(("what happened", "for example", "gives", "how to see it"), rows)


def all_tools():
    return sorted({entry.tool for entry in ENTRIES}, key=str.lower)


# How many functions are known in each way, in words.
KNOWN = {
    "run": "{} of them were run",
    "run as a copy": "{} were run as copies of their code",
    "read": "{} were read only",
    "documented": "{} are known from their documentation",
}


def how_known():
    """Say how many functions were run, so that no page claims it of all."""
    n_functions = Counter(entry.source for entry in ENTRIES)
    *first, last = [KNOWN[way].format(n_functions[way]) for way in SOURCES if n_functions[way]]
    return f"{', '.join(first)}, and {last}"


def page():
    """Assemble the page of questions."""
    two = compat.explain("ranx.map", *ROUNDED, versus="torchmetrics.BinaryAveragePrecision")
    own = compat.explain("eleven_point_average_precision_score", *ROUNDED, versus=AtK(5))
    nearest = str(compat.compare(*ROUNDED, k=K, near=0.78)).splitlines()
    n_all = len(compat.compare(*ROUNDED, k=K, tools="all").results)
    intro = INTRO.format(
        n_functions=len(ENTRIES),
        n_all=n_all,
        n_ours=n_all - len(ENTRIES),
        n_tools=len(all_tools()),
        how_known=how_known(),
        rounded=ROUNDED,
        two=two,
        own=own,
        setup=SETUP,
        ruled_out="\n".join(ruled_out()),
        nearest="\n".join([*nearest[:4], "...", *nearest[-2:]]),
    )
    return "\n".join([intro.rstrip(), "", FIND, REFUSED])


def reference():
    """Assemble the table, with a section for each tool below it."""
    legend = "\n".join(table(("what", "meaning"), LEGEND))
    lines = [TOOLS.replace("{legend}", legend)]
    lines += [*who_shows_what(), *often_confused(), *choices(), *other_names(), *functions()]
    for tool in all_tools():
        lines += tool_section(tool)
    return "\n".join(lines).rstrip() + "\n"


FIND = """\
## Symptoms and causes

| what you see | why |
| --- | --- |
| A perfect ranking scores 0.995. | Precision counts as 0 at recall 1 (ultralytics). |
| A perfect ranking of four positives scores 0.75. | The area left of the first point is lost. |
| The score changes when I shuffle the rows. | Tied rows keep the order of the input. |
| Small differences between scores change nothing. | Scores are rounded, or put into bins. |

The [table of tools](tools.md) lists all symptoms with the functions that show them, pairs that are
often confused, and which version of each tool was run. You can also ask for a tool that only calls
one of these, such as BEIR, caret or MLflow: `compat.score("TensorFlow", y_true, y_score)`.
"""
REFUSED = """\
## What is not here?

These are not average precision:

| score | use instead |
| --- | --- |
| VUS and point-adjusted scores of time series | average precision, with one row for each event |
| AUPRO | anomalib |
| BEDROC | rdkit |
| hierarchical Fmax | cafaeval |
| net benefit | dcurves |
| autoevals' ContextPrecision, a single yes/no verdict | `ragas.context_precision` |

```{toctree}
:hidden:

differences
tools
```
"""
# What the words of the table mean, and what it leaves out.
LEGEND = (
    (
        "no special cases",
        "The function takes no weights, gives 0 without positives, gives a number if scores are "
        "nan, and needs a score for every row.",
    ),
    (
        "rows without a score",
        "Functions for ranked lists and boxes take only rows with a score, and count positives "
        "without one as missed. `compat` does so for all tools if the score is minus infinity.",
    ),
    (
        "our score, from another tool",
        'To reproduce our score with another tool, look for our call under "write here", and call '
        "the function of that row. If k is the number of rows, "
        '`average_precision_at_k_score` is `average_precision_score`, unless `normalizer="k"`. If '
        "there is an option `dtype`, pass float64 tensors.",
    ),
    (
        "run",
        "The function was run and gave the same numbers. If its date is 2026-11-25 or later, it "
        "also did so for hard rankings, with blocks of tied items, one class or weights.",
    ),
    ("run as a copy", "Its code was copied out of the tool, and run."),
    ("read, documented", "Only its source, or its documentation, was read."),
)
TOOLS = """\
# Table of tools

<!-- docs/compat_page.py writes this page from the table in sklearn_ap.compat. -->

This page lists how the functions of other tools differ from scikit-learn's
`average_precision_score`, and what to write here to get the same number. If you do not know why
your two numbers differ, begin [here](compat.md). Type a tool, a function or a word into the box
above the table.

:::{dropdown} How to read the table

In the table of functions, an empty cell means that the function does what scikit-learn's
`average_precision_score` does. A cell with a link says what it does instead, and the link explains
it. Below the table, each tool has a section with the call that gives its number here, in which
`...` stands for `y_true, y_score`.

`compat.score("TOOL.FUNCTION", ...)` works for all functions and scores. The table is also
`compat.compare(...).to_frame()`, where "interpolation" is the column `between`, and "levels or
depth" is `over`.

{legend}
There are 150 hard rankings, and most functions were run on all. Those that promise no order of ties
were run on the 13 without ties, implicit (which reads beyond shorter lists) on the 130 of at least
7 rows, and Spark (whose calls take seconds) on 22 of all kinds.

Most tools break ties in the order of the input. To do so here, pass ranks as scores. Rows that were
not retrieved keep minus infinity:

```python
>>> import numpy as np
>>> y_score = np.array([0.5, 0.9, 0.5, -np.inf])
>>> rank = np.argsort(np.argsort(-y_score, kind="stable"))
>>> np.where(y_score > -np.inf, -rank, -np.inf)
array([ -1.,   0.,  -2., -inf])

```
:::
"""
PAGES = {DOCS / "compat.md": page, DOCS / "tools.md": reference}


if __name__ == "__main__":
    for path, text in PAGES.items():
        path.write_text(text())
