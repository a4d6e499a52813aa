"""Names that stand for no definition, for two, or for something else, and what to write instead."""

from collections.abc import Iterable
from difflib import get_close_matches

from sklearn_ap._errors import InputError
from sklearn_ap._writing.warning import warn
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._conventions import USUAL_K, conventions


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that are close to a name, at most three."""
    # "roc_auc" is no way to write "pr_auc".
    return get_close_matches(name, [*known], 3, cutoff=0.75)


def unknown_name(name: str, more_names: Iterable[str]) -> InputError:
    """Say which names are near, or which there are."""
    titles = [each.title for each in conventions(USUAL_K)]
    near = near_names(name, [*titles, *more_names])
    names = f"Near it: {', '.join(near)}." if near else f"There are: {', '.join(titles)}."
    others = (
        "Names of other tools are for compat.get_scorer, compat.score and sklearn-ap explain; "
        "for intervals of their numbers, see docs/compat.md. nDCG is in docs/queries.md, and "
        "ir_measures has other measures of search; BEDROC and enrichment are in docs/molecules.md. "
        "scikit-learn's other scorers are in sklearn.metrics.get_scorer. A definition of your own "
        "has no name: pass it in Python."
    )
    return InputError(f"There is no definition {name!r:.80}. {names} {others}")


def overlap_of_boxes(name: str) -> InputError:
    """Say what takes an overlap, such as that of "AP50"."""
    return InputError(
        f"{name!r} may be at an overlap of boxes (IoU), which no definition knows: "
        f"detections.from_coco takes all from 0.5 to 0.95, or overlap=0.5. For the first ranks "
        f"write their number after @, as in 'AP@50'."
    )


def share_or_overlap(name: str, number: float, definition: Definition) -> InputError:
    """Say that a fraction, as in "AP@0.5", is a share of the rows, or an overlap."""
    return InputError(
        f"{number} in {name!r} is a share of the rows or an overlap of boxes (IoU). For this "
        f"share write {definition.title!r}. For an overlap, pass overlap={number:g} to "
        f"detections.from_coco."
    )


def python_code(name: str, definition: Definition | None) -> InputError:
    """Say that a definition is no text, and which name the text has, if it is known."""
    written = f", or write {definition.title!r}" if definition else ""
    return InputError(f"{name!r} is Python code: pass the definition itself{written}.")


def warn_of_two_areas(name: str) -> None:
    """Say that a word such as "AUPRC" has two meanings, and which one is taken."""
    warn(
        f"{name!r} is used for two numbers: the area under steps, which is scikit-learn's and is "
        f"taken here, and the area under straight lines. Write 'average_precision' or Step(), or "
        f"Linear(), to say which.",
        UserWarning,
    )
