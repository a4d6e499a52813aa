"""The names by which people ask for a definition: a table, and one pattern for their numbers."""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from sklearn_ap._errors import InputError
from sklearn_ap._inputs.numbers import read_share
from sklearn_ap.definitions import Definition, _mistaken_names
from sklearn_ap.definitions._conventions import USUAL_K, conventions, numeric_option

LONGEST_NAME = 80
# "AP@-5" has a sign, and "ap-at-5" has none; "1 %" is one number, and "P.10" has a whole one.
NUMBER = re.compile(r"(?:(?<![a-z\d])-)?(?:\d+\.?\d*|(?<![a-z])\.\d+)(?:e-\d+)?(?: ?%)?")
# Areas under the precision-recall curve: of steps, as scikit-learn's, or of straight lines.
AREAS = ("auprc", "aupr", "aucpr", "auc pr", "prauc", "pr auc", "areaunderpr", "area under pr")
LINES = ("trapezoid", "trapezoidal", "trapezoid rule", "trapezoidal rule")
# A title, and what else people write for it, both as _spelling gives them: # is a number.
FIELD_WORDS = {
    "step ap": (*AREAS, "ap", "map", "mean ap", "average positive predictive value"),
    "linear ap": (*LINES, "auc(recall, precision)", "auc(recall,precision)"),
    "ap@#": ("map@#", "mean ap@#"),
    "ap@# over positives": ("map cut #",),
    "ap@# recall levels": ("# point", "# point ap", "# point interpolated ap"),
    "precision@#": ("p@#", "p #"),
    "recall@#": ("recall #",),
    "reciprocal rank": ("rr", "mrr", "mean reciprocal rank", "recip rank"),
    "reciprocal rank@#": ("rr@#", "mrr@#", "mean reciprocal rank@#"),
}
# "AP50", "mAP_75", "mAP50-95" and "mAP@[.5:.95]"; "mAP@50" is the first 50 ranks.
OVERLAPS = {f"{name}{end}" for name in ("ap", "map") for end in ("#", " #", "# #", "@# #")}


def find_definition(
    name: str, k: float | None = None, more_names: Iterable[str] = ()
) -> Definition:
    """Find a definition by any name that it has in this package, or in its field.

    The error for an unknown name lists near ones, also of ``more_names``.
    """
    if (definition := read_definition(name, k)) is None:
        raise _mistaken_names.unknown_name(name, more_names)
    return definition


def read_definition(name: str, k: float | None = None) -> Definition | None:
    """Read a definition, or None of an unknown name, which may be that of another tool.

    Its names are its title, unless that lists recall levels, its class, its score or scorer, and
    words of the field. A number in the name comes before ``k``.
    """
    if len(name) > LONGEST_NAME:
        return None
    name = name.removeprefix("sklearn_ap.").removeprefix("definitions.")
    if name.endswith(")") and (kind := name.partition("(")[0].lower()) in _known_names():
        _refuse_code(name, kind)
    spelling = _spelling(name)
    if spelling in OVERLAPS:
        raise _mistaken_names.overlap_of_boxes(name)
    if spelling in AREAS:
        _mistaken_names.warn_of_two_areas(name)
    # "map cut" and "p" lack the numbers of "map cut #" and "p@#".
    written = (spelling, f"{spelling}@#", f"{spelling} #")
    found = next((_known_names()[each] for each in written if each in _known_names()), None)
    return _numbered(found, name, k) if found and "#" in _spelling(found.title) else found


def is_area(name: str) -> bool:
    """Whether a name is one of areas under the curve, which tools compute in several ways."""
    return _spelling(name) in AREAS


@cache
def _known_names() -> dict[str, Definition]:
    """List the conventions by their titles, by words of the field, and the first of each class."""
    usual = conventions(USUAL_K)
    titles = {_spelling(each.title): each for each in usual}
    words = {word: titles[title] for title in FIELD_WORDS for word in FIELD_WORDS[title]}
    return {type(each).__name__.lower(): each for each in reversed(usual)} | titles | words


def _spelling(name: str) -> str:
    """Write a name in one spelling for all ways of writing it, with # for its numbers.

    "AP@5", "AP@k" and "average_precision_at_5_score" are "ap@#".
    """
    text = re.sub(r"[\s_.:\[\]-]+", " ", NUMBER.sub("#", name.lower())).strip()
    text = text.removesuffix(" score").replace("average precision", "ap")
    return re.sub(r"@(k\b|$)", "@#", re.sub(r" ?(@|\bat\b) ?", "@", text))


def _numbered(convention: Definition, name: str, k: float | None) -> Definition:
    """Return a definition with the number of a name, or else with ``k``."""
    option = numeric_option(convention)
    text = next(iter(NUMBER.findall(name.lower())), "")
    number = read_share(text) if text else k if option == "k" else None
    if number is None:
        raise InputError(f"{name!r} needs its {option}, as in {convention.title!r}.")
    try:
        definition: Definition = replace(convention, **{option: number})  # type: ignore[type-var]
    except InputError as error:  # of a number that is too low, or too high
        raise InputError(f"There is no definition {name!r}: {error}") from None
    if option == "k" and re.fullmatch("[^%]*[.e][^%]*", text):
        raise _mistaken_names.share_or_overlap(name, number, definition)
    return definition


def _refuse_code(name: str, kind: str) -> None:
    """Refuse a definition as Python prints it, such as "AtK(k=5)", and say its name."""
    for convention in conventions(USUAL_K):
        if type(convention).__name__.lower() == kind:
            option = numeric_option(convention)
            has_number = option and NUMBER.search(name)
            definition = _numbered(convention, name, None) if has_number else convention
            by_place = f"{type(definition).__name__}({getattr(definition, option, '')})"
            if name in (repr(definition), by_place):
                raise _mistaken_names.python_code(name, definition)
    raise _mistaken_names.python_code(name, None)
