"""The command line: ``python -m sklearn_ap`` scores one example under every definition."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import sklearn_ap
from sklearn_ap import definitions, metrics, threshold_counts

__all__ = ["main"]

# McCann's ten images, ranked by a model that rounds its scores; 1 is an airplane, 0 a goose.
Y_TRUE = (1, 1, 0, 1, 0, 1, 0, 0, 0, 1)
Y_SCORE = (0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1)

SCORES: tuple[tuple[str, Callable[..., Any], dict[str, Any]], ...] = (
    ("step", metrics.step_average_precision_score, {}),
    ("expected over tie orders", metrics.expected_average_precision_score, {}),
    ("interpolated (VOC 2010)", metrics.interpolated_average_precision_score, {}),
    ("at 101 levels (COCO)", metrics.interpolated_average_precision_score, {"recall_levels": 101}),
    ("at 11 levels (VOC 2007)", metrics.eleven_point_average_precision_score, {}),
    ("at 3, over min(3, 5)", metrics.average_precision_at_k_score, {"k": 3}),
    ("at 3, over 5", metrics.average_precision_at_k_score, {"k": 3, "normalizer": "positives"}),
    ("at 3, over hits", metrics.average_precision_at_k_score, {"k": 3, "normalizer": "hits"}),
    ("at 3, over 3", metrics.average_precision_at_k_score, {"k": 3, "normalizer": "k"}),
    ("precision at 3", metrics.precision_at_k_score, {"k": 3}),
    ("recall at 3", metrics.recall_at_k_score, {"k": 3}),
)
COMPARISONS = (
    ("linear", definitions.linear),
    ("hyperbolic", definitions.hyperbolic),
)

NEXT = """\
Each takes (y_true, y_score) and, but for sample_weight of the expected one, the options of
scikit-learn's average_precision_score, which is the first. counts is what
threshold_counts(y_true, y_score) gives.
To select a model by one of them, use its scorer:

    from sklearn_ap import get_scorer

    GridSearchCV(model, grid, scoring=get_scorer("average_precision_at_10"), error_score="raise")
"""


def rows() -> Iterator[tuple[str, str, float]]:
    """Give each definition's name, the function that computes it, and its value."""
    for text, score, options in SCORES:
        chosen = ", ".join(f"{name}={value!r}" for name, value in options.items())
        yield text, f"{score.__name__}({chosen})", score(Y_TRUE, Y_SCORE, **options)
    counts = threshold_counts(Y_TRUE, Y_SCORE)
    for text, definition in COMPARISONS:
        yield text, f"definitions.{definition.__name__}(counts)", float(definition(counts)[0])


def main(arguments: list[str] | None = None) -> None:
    """Print the example, its average precisions, and what to do next."""
    parser = argparse.ArgumentParser(prog="python -m sklearn_ap", description=sklearn_ap.__doc__)
    parser.add_argument("--version", action="version", version=sklearn_ap.__version__)
    parser.parse_args(arguments)
    print("Ten images, best score first. Five are airplanes, the others geese:\n")
    print("  y_true  =", list(Y_TRUE))
    print("  y_score =", list(Y_SCORE))
    print("\nTheir average precision, by definition:\n")
    for text, call, value in rows():
        print(f"  {value:.3f}  {text:<24}  {call}")
    print(f"\n{NEXT}", end="")


if __name__ == "__main__":
    main()
