"""Writes the tables of differences.md from sklearn_ap.compat.differences.

python docs/differences_page.py
"""

from pathlib import Path

from sklearn_ap import compat
from sklearn_ap.compat._different_inputs import FIRST, OLDEST, PARTS

PAGE = Path(__file__).parent / "differences.md"
BEGIN = "<!-- docs/differences_page.py writes from here on from sklearn_ap.compat.differences. -->"
END = "<!-- The end of what docs/differences_page.py writes. -->"
HEADINGS = dict(
    zip(
        PARTS,
        (
            "`average_precision_score` gives scikit-learn's number to 1e-12, except for:",
            "`AveragePrecisionDisplay` differs from `PrecisionRecallDisplay` in the following:",
            "`get_scorer` differs from scikit-learn's for these models and test rows:",
        ),
        strict=True,
    )
)
HEAD = ["", "| input | scikit-learn | sklearn_ap | why |", "|---|---|---|---|"]
ABOUT = f"""\
`compat.differences()` gives these tables as data, with our calls beside those of scikit-learn (`np`
is NumPy, and `pd` is pandas). Each call was run with scikit-learn {OLDEST}, the oldest that is
supported, and with the newest. Ours give these answers since version {FIRST}."""


def answer(each):
    """What a call gives, in words."""
    given = f"raises `{each.raises}`" if each.raises else f"gives {in_code(each.value)}"
    given += f" and warns with `{each.warns}`" if each.warns else ""
    return f"{given}: {each.means}" if each.means else given


def in_code(value):
    return f"{value:g}" if type(value) is float else f"`{value}`"


def row(each):
    name = each.calls.scikit_learn.replace("sklearn.metrics.", "", 1)
    since = f" (since scikit-learn {each.scikit_learn_since})"
    cells = (
        f"{each.input}: `{name.format(each.arguments)}`",
        answer(each.scikit_learn) + since * (each.scikit_learn_since != OLDEST),
        answer(each.sklearn_ap),
        each.why,
    )
    return f"| {' | '.join(cells)} |"


def written():
    """The tables, between the two marks."""
    lines = [BEGIN]
    found = compat.differences().differences
    for part, heading in HEADINGS.items():
        lines += ["", heading, *HEAD]
        lines += [row(each) for each in found if each.calls.part == part]
    return "\n".join([*lines, "", ABOUT, "", END])


def page():
    """The page with its tables written anew."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{written()}{after}"


if __name__ == "__main__":
    PAGE.write_text(page())
