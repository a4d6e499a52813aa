"""Writes tools.md from the tables of sklearn_ap.compat.

python docs/tools_page.py
"""

from pathlib import Path

from sklearn_ap.compat._tool_formulas import CHOICES
from sklearn_ap.compat._tool_functions import (
    BASELINE,
    all_options,
    other_functions,
    our_functions,
    read_table,
)
from sklearn_ap.compat._tool_names import known_names

DOCS = Path(__file__).parent
PAGE = DOCS / "tools.md"
LINES = {line["name"]: line for line in read_table("tools.tsv")}
K = 10
BINNED = ("sigmoid, floored", "floored", "clipped bins", "clipped bins above 0")
OVER_ALL = CHOICES[2:]  # the choices that do not concern scores and ties
INTRO = """\
# Table of tools

<!-- docs/tools_page.py writes this page from the tables in sklearn_ap.compat. -->

This page lists the {n_functions} functions of {n_tools} tools that `compat` knows ({known}).
If you do not know why two numbers differ, begin [here](compat.md).

`compat.score(y_true, y_score, "xgboost.aucpr")` gives the number of a function. A row says in what
the function differs from scikit-learn's `average_precision_score`; the [options](#options) are
explained below the table. "The same as" is the [definition](definitions.md) that gives the same
number where no scores are tied, outside (0, 1] or closer than 1e-7. In a name with `@k`,
write your number of ranks, or pass `k`. You can also use other names that people type; a star marks
the function that such a name stands for, where several functions have it.

## Functions

| function | version | differs in | the same as | other answers | also called, and notes |
|---|---|---|---|---|---|
"""
OPTIONS = """
## Options

Each function makes six choices, one option of each. This is what the options do:

| choice | option | what it does | its arguments |
|---|---|---|---|
"""


def same_definition(function):
    """Our definition with the same choices, but for ties and the last digits of scores, or None."""
    if function.choices["scores"].name in BINNED:
        return None
    made = {}
    for each in our_functions(K if function.takes_k else function.k or K):
        made.setdefault(tuple(each.choices[choice].name for choice in OVER_ALL), each.definition)
    return made.get(tuple(function.choices[choice].name for choice in OVER_ALL))


def row(function):
    """The line of a function."""
    line, baseline = LINES[function.name], LINES[BASELINE]
    differs = [
        f"{choice}: {line[choice]}" for choice in CHOICES if line[choice] != baseline[choice]
    ]
    definition = same_definition(function)
    takes_k = "" if line["k"] == "no" else f"k {line['k']}"
    takes_weights = "weights" if line["weights"] == "yes" else ""
    also_called = ", ".join(
        name + r"\*" * is_meant
        for name, called, is_meant in known_names()
        if called is function and (is_meant or name not in function.names)
    )
    how = "" if line["known"] == "run" else f", {line['known']}"
    cells = [
        f"`{function.name}`",
        f"{line['version']} ({line['checked']}{how})",
        "; ".join(differs),
        "" if definition is None else f"`{definition!r}`".replace(f"k={K}", "k"),
        "; ".join(filter(None, (takes_k, takes_weights, line["answers"]))),
        " ".join(filter(None, (also_called and f"Also: {also_called}.", line["note"]))),
    ]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def argument(pair):
    """Write "k", or "thresholds=200"."""
    name, default = pair
    return name if default is None else f"{name}={default!r}"


def page():
    """The whole page."""
    known = [line["known"] for line in LINES.values()]
    counts = [f"{each}: {known.count(each)}" for each in dict.fromkeys(known)]
    text = INTRO.format(
        n_functions=len(known),
        n_tools=len({function.tool for function in other_functions()}),
        known=", ".join(counts),
    )
    lines = [
        row(function) for function in sorted(other_functions(), key=lambda each: each.name.lower())
    ]
    options = [
        f"| {choice} | {name} | {option.why} | {', '.join(map(argument, option.arguments))} |"
        for (choice, name), option in all_options().items()
    ]
    return text + "\n".join(lines) + "\n" + OPTIONS + "\n".join(options) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
