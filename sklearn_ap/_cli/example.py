"""Ten predictions under every definition and every tool: what is printed without a command."""

from sklearn_ap import compat, metrics
from sklearn_ap._cli.scores import conventions
from sklearn_ap.counts import threshold_counts
from sklearn_ap.definitions import Definition

__all__ = ["Y_SCORE", "Y_TRUE", "example", "rows"]

# McCann's ten images, ranked by a model that rounds its scores; 1 is an airplane, 0 a goose.
Y_TRUE = (1, 1, 0, 1, 0, 1, 0, 0, 0, 1)
Y_SCORE = (0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1)

TIES = """\
The items at 2 and 3 have the same score, so their order is not known. One of
the two is an airplane, so each counts as half of one. The top 2 then hold 1.5
airplanes: a precision of .750."""
NEXT = """\
The first is what scikit-learn computes. From Python:

    from sklearn_ap import threshold_counts
    from sklearn_ap.definitions import Step, AtK

    AtK(k=3)(threshold_counts(y_true, y_score))

To score your own predictions (CSV, TSV or Parquet), and to see what other
tools make of them, and why:

    pip install "sklearn-ap[table]"
    sklearn-ap score predictions.csv --label y --score p
    sklearn-ap compare predictions.csv --label y --score p
    sklearn-ap explain xgboost.aucpr predictions.csv --label y --score p"""


def rows() -> list[tuple[str, Definition, float]]:
    counts = threshold_counts(Y_TRUE, Y_SCORE)
    asked = conventions(k=3)
    return [(definition.title, definition, float(definition(counts)[0])) for definition in asked]


def example() -> str:
    found = rows()
    width = max(len(title) for title, _, _ in found)
    return "\n".join(
        [
            "Ten images, best score first. Five are airplanes, the others geese:\n",
            f"  y_true  = {list(Y_TRUE)}",
            f"  y_score = {list(Y_SCORE)}\n",
            *_cutoffs(),
            f"\n{TIES}",
            "\nTheir average precision, by definition:\n",
            *(f"  {value:.3f}  {title:<{width}}  {what!r}" for title, what, value in found),
            "\nBy tool, with the difference from scikit-learn's:\n",
            *(f"  {line}" for line in str(compat.compare(Y_TRUE, Y_SCORE)).splitlines()),
            f"\n{NEXT}",
        ]
    )


def _cutoffs() -> list[str]:
    """Precision and recall of the top 1, 2, ..."""
    lines = ["  top  score  airplane  precision  recall"]
    for k, (hit, value) in enumerate(zip(Y_TRUE, Y_SCORE, strict=True), start=1):
        precision = metrics.precision_at_k_score(Y_TRUE, Y_SCORE, k=k)
        recall = metrics.recall_at_k_score(Y_TRUE, Y_SCORE, k=k)
        lines.append(
            f"  {k:>3} {value:>6} {'yes' if hit else '':>9} {precision:>10.3f} {recall:>7.3f}"
        )
    return lines
