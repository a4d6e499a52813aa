"""Ten predictions: what is printed without a command, and a file to try the commands on."""

from sklearn_ap._cli.arguments import TRY
from sklearn_ap._extras import installation
from sklearn_ap.counts import threshold_counts
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._names import conventions

# McCann's ten images, ranked by a model that rounds its scores; 1 is an airplane, 0 a goose.
Y_TRUE = (1, 1, 0, 1, 0, 1, 0, 0, 0, 1)
Y_SCORE = (0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1)
USERS = ("ann",) * 5 + ("bob",) * 5

FILE = "user,y,p\n" + "".join(
    f"{user},{y},{p}\n" for user, y, p in zip(USERS, Y_TRUE, Y_SCORE, strict=True)
)
NEXT = f"""\
The first is what scikit-learn computes. To try the commands on these images:

{TRY}

They need two packages: {installation("table")}
sklearn-ap --help says more."""


def rows() -> list[tuple[str, Definition, float]]:
    counts = threshold_counts(Y_TRUE, Y_SCORE)
    return [(each.title, each, float(each(counts)[0])) for each in conventions(k=3)]


def example() -> str:
    found = rows()
    width = max(len(title) for title, _, _ in found)
    return "\n".join(
        [
            "Ten images, best score first. Five are airplanes, the others geese:\n",
            f"  y_true  = {list(Y_TRUE)}",
            f"  y_score = {list(Y_SCORE)}",
            "\nTheir average precision, by definition:\n",
            *(f"  {value:.3f}  {title:<{width}}  {what!r}" for title, what, value in found),
            f"\n{NEXT}",
        ]
    )
