"""The six choices that every tool's average precision is made of, and what each option computes.

An option is a name, one sentence of why it changes the number, and a function. Whatever several
tools share stands here once; a quirk is an option like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from sklearn_ap._validation import Rankings
from sklearn_ap.counts import ThresholdCounts, count, segment_sums
from sklearn_ap.definitions import Hyperbolic

__all__ = ["CHOICES", "ORDER", "Option", "Settings", "evaluate"]

Array = NDArray[Any]
ORDER = ("scores", "ties", "between", "start", "over", "divisor")


@dataclass(frozen=True, slots=True)
class Option:
    """One way to make a choice."""

    why: str
    apply: Callable[..., Any]


@dataclass(frozen=True, slots=True, eq=False)
class Settings:
    """Clean predictions, and what a tool is told besides."""

    positive: NDArray[np.bool_]
    score: Array
    weight: NDArray[np.float64] | None = None
    k: int | None = None
    options: dict[str, Any] = field(default_factory=dict)
    top_weight: float = 1.0  # of the highest score, with rows of weight 0
    missed: int = 0  # positives that a tool drops, but counts

    @property
    def ranks(self) -> int:
        """How many ranks count: k, or all."""
        return self.score.size if self.k is None else self.k


def evaluate(
    choices: dict[str, str], settings: Settings, counted: dict[Any, Any] | None = None
) -> float:
    """Make all six choices, one after the other.

    What the first two lead to may be kept in ``counted``, for other choices to start from.
    """
    chosen = {name: CHOICES[name][option].apply for name, option in choices.items()}
    counted = {} if counted is None else counted
    key = (choices["scores"], choices["ties"], *settings.options.items())
    if key not in counted:
        seen = chosen["scores"](settings)
        score = chosen["ties"](seen.positive, seen.score)
        counted[key] = count(Rankings(seen.positive, score, seen.weight)), seen.missed
    counts, missed = counted[key]
    total = counts.n_positives[0] + missed
    if not total:
        return 0.0
    parts = chosen["between"](counts, chosen["start"](counts))
    amount = chosen["over"](counts, parts, total, settings)
    divisor = chosen["divisor"](counts, total, settings)
    return float(amount / divisor) if divisor else 0.0


# 1. Scores: predictions in, and out as the tool sees them.


def _cast(values: Array, dtype: Any) -> Array:
    with np.errstate(over="ignore"):  # what is beyond float32 is infinite to the tool too
        return values.astype(dtype)


def _as_given(settings: Settings) -> Settings:
    return settings


def _single(settings: Settings) -> Settings:
    return replace(settings, score=_cast(settings.score, np.float32))


def _single_weights(settings: Settings) -> Settings:
    weight = settings.weight
    return settings if weight is None else replace(settings, weight=1.0 * _cast(weight, "f4"))


def _of_dtype(settings: Settings) -> Settings:
    return replace(settings, score=_cast(settings.score, settings.options["dtype"]))


def _squashed(settings: Settings) -> Settings:
    score = _of_dtype(settings).score
    outside = score.min() < 0 or score.max() > 1
    return replace(settings, score=expit(score) if outside else score)


def _cells(score: Array, n: int) -> Array:
    """How many of n levels from 0 to 1 are at or below each score; levels as PyTorch lays them."""
    i, step = np.arange(n), float(np.float32(1 / (n - 1)))
    levels = np.where(i < n // 2, step * i, 1 - step * (n - 1 - i)).astype(np.float32)
    return np.searchsorted(levels, score, "right")


def _squashed_and_floored(settings: Settings) -> Settings:
    cells = _cells(_squashed(settings).score, settings.options["thresholds"])
    return replace(settings, score=cells)


def _floored(settings: Settings) -> Settings:
    cells = _cells(_of_dtype(settings).score, settings.options["threshold"])
    dropped = settings.positive & (cells == 0)
    return replace(
        settings,
        positive=settings.positive & ~dropped,
        score=cells,
        missed=int(np.count_nonzero(dropped)),
    )


def _binned_above(settings: Settings) -> Settings:
    score = _cast(settings.score, np.float32)
    if settings.options["from_logits"]:
        score = expit(score)
    last = np.float32(settings.options["num_thresholds"] - 1)
    return replace(settings, score=np.maximum(np.ceil(np.clip(score, 0, 1) * last) - 1, 0))


def _relevant_above_zero(settings: Settings) -> Settings:
    seen = _single(settings)
    return replace(seen, positive=seen.positive & (seen.score > 0))


# 2. Ties: labels and scores in, scores out, distinct where the tool puts tied items in an order.


def _grouped(positive: Array, score: Array) -> Array:
    return score


def _ordered_by(*keys: Array) -> Array:
    """Distinct scores that put items in the order of the last key, then the one before it."""
    ranked = np.empty(keys[0].size, np.intp)
    ranked[np.lexsort(keys)] = -np.arange(keys[0].size)
    return ranked


def _falling(score: Array) -> Array:
    """The place of each score among the distinct ones, highest first."""
    return -np.unique(score, return_inverse=True)[1]


def _input_order(positive: Array, score: Array) -> Array:
    return _ordered_by(np.arange(score.size), _falling(score))


def _reverse_order(positive: Array, score: Array) -> Array:
    return _ordered_by(-np.arange(score.size), _falling(score))


def _worst(positive: Array, score: Array) -> Array:
    return _ordered_by(positive, _falling(score))


# 3. Between operating points: the precision while recall moves to each threshold. What it needs
#    of choice 4 is the precision before the first operating point.


def _step(counts: ThresholdCounts, start: float) -> Array:
    return counts.gained * counts.precision


def _envelope(counts: ThresholdCounts, start: float) -> Array:
    return counts.gained * counts.envelope(counts.precision)


def _straight(counts: ThresholdCounts, start: float) -> Array:
    area = counts.gained * (counts.precision_before(start) + counts.precision) / 2
    return np.nan_to_num(area)  # where the start is lost, so is what lies left of the first point


def _hyperbola(counts: ThresholdCounts, start: float) -> Array:
    return counts.gained * Hyperbolic().heights(counts)


def _lower(counts: ThresholdCounts, start: float) -> Array:
    return counts.gained * np.minimum(counts.precision_before(0.0), counts.precision)


def _upper(counts: ThresholdCounts, start: float) -> Array:
    return counts.gained * np.maximum(counts.precision_before(0.0), counts.precision)


def _each_hit(counts: ThresholdCounts, start: float) -> Array:
    return counts.gained


def _sampled_hyperbola(counts: ThresholdCounts, start: float) -> Array:
    """Trapezoids between whole numbers of true positives; the first group is a rectangle."""
    steps = np.where(counts.before > 0, counts.gained, 1).astype(np.intp)
    return _unit_steps(
        counts.tps_above, counts.fps_above, counts.gained, counts.fps - counts.fps_above, steps,
        counts.precision,
    )  # fmt: skip


def _lowest_false_positives(counts: ThresholdCounts, start: float) -> Array:
    """Trapezoids between the best points of each recall, cut at each positive in large jumps."""
    tps_above = counts.tps_above
    fps_before = np.concatenate(([0], counts.fps[:-1]))
    steps = np.where(counts.gained > 2, counts.gained, 1).astype(np.intp)
    return _unit_steps(tps_above, fps_before, counts.gained, counts.fps - fps_before, steps, 1.0)


def _unit_steps(
    tps: Array, fps: Array, hits: Array, misses: Array, steps: Array, at_start: Any
) -> Array:
    """Trapezoids of precision over equal steps along each segment, from (tps, fps)."""
    starts = np.cumsum(steps) - steps
    i = np.arange(steps.sum()) - np.repeat(starts, steps)

    def precision(share: Array) -> Array:
        found = np.repeat(tps, steps) + share * np.repeat(hits, steps)
        all_found = found + np.repeat(fps, steps) + share * np.repeat(misses, steps)
        first = np.repeat(np.broadcast_to(at_start, steps.shape), steps)
        return np.divide(found, all_found, out=first.astype(float), where=all_found > 0)

    each = np.repeat(steps, steps)
    trapezoids = (precision(i / each) + precision((i + 1) / each)) / 2 / each
    return hits * segment_sums(trapezoids, starts)


# 4. Start of the curve: the precision that recall 0 begins with.


def _first_precision(counts: ThresholdCounts) -> float:
    return float(counts.precision[0]) if counts.precision.size else 0.0


def _one(counts: ThresholdCounts) -> float:
    return 1.0


def _lost(counts: ThresholdCounts) -> float:
    return np.nan


# 5. Over: counts and the parts of choice 3 in, an amount of precision in units of positives out.


def _every_recall(counts: ThresholdCounts, parts: Array, total: Any, settings: Settings) -> Any:
    return parts.sum()


def _top_k(counts: ThresholdCounts, parts: Array, total: Any, settings: Settings) -> Any:
    return (parts * np.clip(settings.ranks - counts.before, 0, counts.size) / counts.size).sum()


def _top_32(counts: ThresholdCounts, parts: Array, total: Any, settings: Settings) -> Any:
    return _top_k(counts, parts, total, replace(settings, k=32))


def _height(counts: ThresholdCounts, first: Array) -> Array:
    """The envelope at the thresholds with these numbers; 0 beyond the last."""
    envelope = np.append(counts.envelope(counts.precision), 0.0)
    return envelope[np.minimum(first, envelope.size - 1)]


def _at_levels(levels: Array) -> Callable[..., Any]:
    """Recall and levels are compared as floats, which miss some levels that are reached."""

    def over(counts: ThresholdCounts, parts: Array, total: Any, settings: Settings) -> Any:
        return total * _height(counts, np.searchsorted(counts.tps / total, levels)).mean()

    return over


def _at_counts(rounded: Callable[[Array], Array]) -> Callable[..., Any]:
    """A level is reached at the positive whose number it is rounded to."""

    def over(counts: ThresholdCounts, parts: Array, total: Any, settings: Settings) -> Any:
        level = settings.options.get("level")
        levels = np.arange(11) / 10 if level is None else np.array([level])
        needed = rounded(levels * float(total)).astype(np.int64)
        first = np.searchsorted(counts.tps, np.maximum(needed, 1))
        return total * _height(counts, first).mean()

    return over


def _read_off(counts: ThresholdCounts, parts: Array, total: Any, settings: Settings) -> Any:
    """Straight lines between the points of the envelope, read at 101 levels, by trapezoids.

    Ties are broken by now: every item is a rank.
    """
    found = np.zeros(settings.score.size)
    ranks = (counts.tps + counts.fps - 1).astype(np.intp)
    found[ranks] = counts.gained
    found = np.cumsum(found)
    recall = np.concatenate(([0.0], found / total, [found[-1] / total if found.size else 0, 1.0]))
    precision = np.concatenate(([1.0], found / np.arange(1, found.size + 1), [0.0, 0.0]))
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    levels = np.linspace(0, 1, 101)
    return total * np.trapezoid(np.interp(levels, recall, envelope), levels)


# 6. Divisor.


def _positives(counts: ThresholdCounts, total: Any, settings: Settings) -> Any:
    return total


def _attainable(counts: ThresholdCounts, total: Any, settings: Settings) -> Any:
    return total if settings.k is None else min(settings.k, total)


def _hits(counts: ThresholdCounts, total: Any, settings: Settings) -> Any:
    return _top_k(counts, counts.gained, total, settings)


def _k(counts: ThresholdCounts, total: Any, settings: Settings) -> Any:
    return settings.ranks


def _retrieved(counts: ThresholdCounts, total: Any, settings: Settings) -> Any:
    return min(settings.ranks, settings.score.size)


CHOICES: dict[str, dict[str, Option]] = {
    "scores": {
        "as given": Option("Scores are compared as they are.", _as_given),
        "float32": Option("Scores are rounded to float32, which ties some that differ.", _single),
        "as given, float32 weights": Option("Weights are rounded to float32.", _single_weights),
        "dtype": Option("Scores are compared in the dtype of their tensor.", _of_dtype),
        "sigmoid": Option(
            "If any score lies outside [0, 1], all go through a sigmoid, which ties large ones.",
            _squashed,
        ),
        "sigmoid, floored": Option(
            "Scores, after a sigmoid if any lies outside [0, 1], are rounded down to a grid of "
            "thresholds, which ties all that share a cell.",
            _squashed_and_floored,
        ),
        "floored": Option(
            "Scores are rounded down to a grid of thresholds from 0 to 1; positives below 0 are "
            "never retrieved, but count.",
            _floored,
        ),
        "clipped bins": Option(
            "Scores are clipped to [0, 1] and put into bins, which ties all that share one.",
            _binned_above,
        ),
        "relevant above 0": Option(
            "Items with a score of 0 or less count as not relevant.", _relevant_above_zero
        ),
    },
    "ties": {
        "grouped": Option("Tied items are one threshold.", _grouped),
        "input order": Option("Tied items are ranked in the order of the input.", _input_order),
        "unspecified": Option(
            "Tied items are ranked in an order that is not promised; taken here as the input's.",
            _input_order,
        ),
        "reverse order": Option(
            "Tied items are ranked by descending name, taken here as the input's order reversed.",
            _reverse_order,
        ),
        "worst": Option("Of tied items, the negatives come first.", _worst),
    },
    "between": {
        "step": Option("Recall moves at the precision of the point it moves to.", _step),
        "envelope": Option("Precision is the largest at this recall or a higher one.", _envelope),
        "straight line": Option(
            "Operating points are joined by straight lines, which no threshold attains.", _straight
        ),
        "hyperbola": Option(
            "True and false positives grow in proportion between operating points.", _hyperbola
        ),
        "hyperbola, sampled": Option(
            "The hyperbola is sampled at whole numbers of positives, and joined by straight lines.",
            _sampled_hyperbola,
        ),
        "best points": Option(
            "Only the point with the fewest false positives is kept for each recall, and these "
            "are joined by straight lines, which is optimistic.",
            _lowest_false_positives,
        ),
        "lower": Option("The smaller precision of both ends is taken.", _lower),
        "upper": Option("The larger precision of both ends is taken.", _upper),
        "each hit": Option("Each hit counts 1, whatever the precision.", _each_hit),
    },
    "start": {
        "irrelevant": Option("No area lies before the first point.", _first_precision),
        "(0, first precision)": Option("The curve starts level.", _first_precision),
        "(0, 1)": Option("The curve starts at precision 1, which no threshold need attain.", _one),
        "lost": Option("The area left of the first point is lost.", _lost),
    },
    "over": {
        "every recall": Option("Precision is averaged over all of recall.", _every_recall),
        "top k": Option("Only the top k items count.", _top_k),
        "top 32": Option("Only the top 32 items count.", _top_32),
        "11 levels": Option(
            "Precision is averaged at 11 levels of recall, compared as floats.",
            _at_levels(np.linspace(0, 1, 11)),
        ),
        "101 levels": Option(
            "Precision is averaged at 101 levels of recall, compared as floats.",
            _at_levels(np.linspace(0, 1, 101)),
        ),
        "11 levels, arange": Option(
            "Precision is averaged at np.arange(0, 1.1, 0.1), compared as floats.",
            _at_levels(np.arange(0, 1.1, 0.1)),
        ),
        "101 levels, arange": Option(
            "Precision is averaged at np.arange(0, 1.01, 0.01), compared as floats.",
            _at_levels(np.arange(0.0, 1.01, 0.01)),
        ),
        "11 levels, int(x R + 0.9)": Option(
            "Precision is averaged at 11 levels x, each reached at positive int(x R + 0.9).",
            _at_counts(lambda needed: np.floor(needed + 0.9)),
        ),
        "11 levels, lround(x R)": Option(
            "Precision is averaged at 11 levels x, each reached at positive lround(x R).",
            _at_counts(lambda needed: np.floor(needed + 0.5)),
        ),
        "one level": Option(
            "Precision is taken at one level x, reached at positive int(x R + 0.9).",
            _at_counts(lambda needed: np.floor(needed + 0.9)),
        ),
        "101 levels, interpolated": Option(
            "Precision is read off straight lines at 101 levels of recall; at recall 1 it is 0.",
            _read_off,
        ),
    },
    "divisor": {
        "positives": Option("The sum is divided by all positives.", _positives),
        "min(k, positives)": Option("The sum is divided by min(k, positives).", _attainable),
        "min(32, positives)": Option(
            "The sum is divided by min(32, positives).",
            lambda counts, total, settings: min(32, total),
        ),
        "hits": Option("The sum is divided by the hits in the top k.", _hits),
        "k": Option("The sum is divided by k.", _k),
        "min(k, n)": Option("The sum is divided by min(k, number of items).", _retrieved),
    },
}
