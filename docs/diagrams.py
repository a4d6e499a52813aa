"""Pictures that explain: how boxes count, where labels go, and which score to choose."""

from itertools import pairwise
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle
from picture_style import WIDTH

from sklearn_ap import average_precision_score, rows_to_label

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "0.45"
LEAST_OVERLAP = 0.5


class Box(NamedTuple):
    """A rectangle in an image, and the score of a detection."""

    left: float
    bottom: float
    width: float
    height: float
    score: float = -np.inf


OBJECTS = Box(0.4, 0.5, 2.4, 1.5), Box(4.0, 0.8, 2.0, 1.4), Box(7.3, 1.2, 1.9, 1.3)
DETECTIONS = (
    Box(0.5, 0.45, 2.4, 1.6, 0.9),
    Box(0.75, 0.75, 2.3, 1.5, 0.8),
    Box(4.3, 0.95, 2.0, 1.4, 0.6),
    Box(8.3, 0.4, 1.5, 1.3, 0.3),
)


def overlap(a, b):
    """The area of the intersection over that of the union."""
    width = min(a.left + a.width, b.left + b.width) - max(a.left, b.left)
    height = min(a.bottom + a.height, b.bottom + b.height) - max(a.bottom, b.bottom)
    both = max(width, 0) * max(height, 0)
    return both / (a.width * a.height + b.width * b.height - both)


def matches():
    """For each detection, the highest score first: its best overlap, and how it counts."""
    free, found = {*OBJECTS}, []
    for detection in DETECTIONS:
        best = max(OBJECTS, key=lambda each: overlap(detection, each))
        share = overlap(detection, best)
        if share < LEAST_OVERLAP:
            found.append((share, 0, f"negative: below {LEAST_OVERLAP:g}"))
        elif best in free:
            found.append((share, 1, "positive"))
            free.remove(best)
        else:
            found.append((share, 0, "negative: a second box"))
    return found, len(free)


def matched_boxes():
    """Boxes over objects in an image, and the row of each with what it counts as."""
    found, n_missed = matches()
    _, (image, table) = plt.subplots(2, 1, figsize=(WIDTH, 4.2), layout="constrained")
    for box in OBJECTS:
        area = (box.left, box.bottom), box.width, box.height
        image.add_patch(Rectangle(*area, facecolor="0.85", edgecolor=GREY, linewidth=1))
    for box, (_, is_hit, _) in zip(DETECTIONS, found, strict=True):
        look = {"edgecolor": BLUE} if is_hit else {"edgecolor": ORANGE, "linestyle": "--"}
        area = (box.left, box.bottom), box.width, box.height
        image.add_patch(Rectangle(*area, fill=False, linewidth=2.2, **look))
        if is_hit:  # inside, where no other box is
            place = {"x": box.left + 0.1, "y": box.bottom + 0.08}
        else:
            place = {"x": box.left, "y": box.bottom + box.height + 0.06}
        image.text(**place, s=f"{box.score:g}", color=look["edgecolor"], weight="bold")
    image.text(0.15, 2.78, "objects grey, boxes with their scores", va="center")
    image.set(xlim=(0, 10), ylim=(0, 3), xticks=[], yticks=[])
    labels = [is_hit for _, is_hit, _ in found] + [1] * n_missed
    scores = [box.score for box in DETECTIONS] + [-np.inf] * n_missed
    shares = [f"{share:.2f}" for share, *_ in found] + ["none"] * n_missed
    words = [words for *_, words in found] + ["positive: object is missed"] * n_missed
    draw_rows(table, labels, scores, shares, words)


def draw_rows(table, labels, scores, shares, words):
    """What a program passes: a row for each detection and each missed object."""
    columns = 0.06, 0.23, 0.41
    look = {"ha": "center", "va": "center"}
    for x, head in zip(columns, ("y_true", "y_score", "overlap"), strict=True):
        table.text(x, 1, head, color=GREY, **look)
    printed = ["-inf" if np.isinf(score) else f"{score:g}" for score in scores]
    for row, cells in enumerate(zip(labels, printed, shares, words, strict=True)):
        *numbers, text = cells
        color = BLUE if cells[0] else ORANGE
        for x, number in zip(columns, numbers, strict=True):
            table.text(x, -row, number, color=color, **look)
        table.text(0.51, -row, text, color=color, va="center")
    value = average_precision_score(labels, scores)
    text = f"average precision at overlap {LEAST_OVERLAP:g}: {value:.3f}"
    table.text(0, -len(labels) - 0.3, text, va="center")
    table.set(xlim=(0, 1), ylim=(-len(labels) - 0.8, 1.5))
    table.axis("off")


def where_labels_go():
    """The scores of all rows, and of the rows that rows_to_label chose, of docs/few_labels.md."""
    rng = np.random.default_rng(0)
    is_fraud = rng.random(50_000) < 0.02
    y_score = 2.5 * is_fraud + rng.normal(size=50_000)
    plan = rows_to_label(y_score, 500)
    chosen = y_score[plan.rows]
    _, axis = plt.subplots(figsize=(WIDTH, 3.2), layout="constrained")
    bins = {"bins": np.linspace(-4, 6, 41), "density": True}
    axis.hist(y_score, color="0.75", **bins)
    axis.hist(chosen, histtype="step", color=BLUE, linewidth=2, **bins)
    axis.hist(
        y_score[is_fraud], histtype="step", color=ORANGE, linewidth=1.5, linestyle="--", **bins
    )
    axis.text(-1.2, 0.33, f"all {y_score.size:,} rows", color=GREY, ha="right")
    axis.text(3.9, 0.26, "the frauds", color=ORANGE)
    high = chosen >= 2
    text = f"{plan.rows.size} rows to label:\n{np.mean(high):.0%} score 2 or higher,\n"
    text += f"where {np.mean(y_score >= 2):.1%} of all rows are"
    axis.text(2.1, 0.47, text, color=BLUE, va="center")
    axis.set(xlabel="score", ylabel="share of the rows", yticks=[], xlim=(-4, 6.6))
    axis.spines[["top", "left", "right"]].set_visible(False)


class Step(NamedTuple):
    """A question, and the functions for those who say yes, each with its reason."""

    question: str
    answers: tuple[tuple[str, str], ...]

    @property
    def height(self):
        """Of the row, in points."""
        return max(QUESTION_HEIGHT, 2 * LINE * len(self.answers) + 4)


LINE = 14  # points
QUESTION_HEIGHT = 2 * LINE + 8
QUESTION_WIDTH = 122
ANSWERS = 151  # where they begin
STEPS = (
    Step("Must it be the number\nof another tool?", (("to the digit", "compat.score"),)),
    Step(
        "Do you look at the\nfirst k cases only?",
        (
            ("earlier hits are worth more", "average_precision_at_k_score"),
            ("how many of the k are right", "precision_at_k_score"),
            ("how many positives are found", "recall_at_k_score"),
        ),
    ),
    Step(
        "Is a precision or a\nrecall required?",
        (
            ("the recall at a precision", "RecallAtPrecision"),
            ("the precision at a recall", "PrecisionAtRecall"),
            ("the threshold itself", "operating_point"),
        ),
    ),
    Step("Can a detector\nmiss objects?", (("match boxes and objects", "detections"),)),
    Step("Otherwise", (("also if you are unsure", "average_precision_score"),)),
)


def which_metric():
    """The questions of docs/which.md from the top down, each with its functions."""
    gap = 18
    tops = -np.cumsum([2, *(step.height + gap for step in STEPS[:-1])])
    middles = [top - step.height / 2 for top, step in zip(tops, STEPS, strict=True)]
    height = 4 + gap * (len(STEPS) - 1) + sum(step.height for step in STEPS)
    figure = plt.figure(figsize=(WIDTH, height / 72))
    axis = figure.add_axes((0, 0, 1, 1))
    axis.set(xlim=(0, 72 * WIDTH), ylim=(-height, 0))
    axis.axis("off")
    for step, middle in zip(STEPS, middles, strict=True):
        draw_question(axis, step.question, middle)
        draw_answers(axis, step.answers, middle)
        is_last = step is STEPS[-1]
        ends = (QUESTION_WIDTH + 3, middle), (ANSWERS - 4, middle)
        draw_arrow(axis, *ends, "" if is_last else "yes", (0, 6))
    half = QUESTION_HEIGHT / 2
    for upper, lower in pairwise(middles):
        ends = (QUESTION_WIDTH / 2, upper - half), (QUESTION_WIDTH / 2, lower + half)
        draw_arrow(axis, *ends, "no", (10, 0))


def draw_question(axis, text, middle):
    """In a box on the left."""
    place = (3, middle - QUESTION_HEIGHT / 2 + 2), QUESTION_WIDTH - 3, QUESTION_HEIGHT - 4
    look = {"facecolor": "none", "edgecolor": GREY}
    axis.add_patch(FancyBboxPatch(*place, boxstyle="round,pad=0,rounding_size=5", **look))
    axis.text(QUESTION_WIDTH / 2 + 1, middle, text, ha="center", va="center")


def draw_answers(axis, answers, middle):
    """On the right, a line for the reason and a line for the function."""
    top = middle + LINE * len(answers)
    for i, (reason, function) in enumerate(answers):
        y = top - (2 * i + 0.5) * LINE
        axis.text(ANSWERS, y, reason, va="center", color=GREY, fontsize=9.5)
        look = {"color": BLUE, "family": "monospace", "fontsize": 9.5}
        axis.text(ANSWERS, y - LINE + 1, function, va="center", **look)


def draw_arrow(axis, start, end, text, offset):
    """With a text beside its middle."""
    style = {"arrowstyle": "-|>", "mutation_scale": 10, "color": GREY, "shrinkA": 0, "shrinkB": 0}
    axis.add_patch(FancyArrowPatch(start, end, **style))
    middle = np.mean([start, end], axis=0) + offset
    axis.text(*middle, text, ha="center", va="center", color=GREY, fontsize=9.5)
