"""The names by which people ask for a definition, and the usual options of each."""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, replace
from difflib import get_close_matches
from functools import cache
from typing import Any, get_args

from sklearn_ap import definitions
from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._inputs.numbers import read_share
from sklearn_ap._results.warning import warn
from sklearn_ap._types import Argument
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._at_k import Normalizer

USUAL_K = 10  # of a score at k whose k is not named
# "AP@-5" has a sign, and "ap-at-5" has none; "1 %" is one number.
NUMBER_IN_NAME = re.compile(r"(?:(?<![a-z\d])-)?\d*\.?\d+(?:e-\d+)?(?: ?%)?")
# "AP50", "mAP_75", "mAP50-95" and "mAP@[.5:.95]"; "mAP@50" is the first 50 ranks
OVERLAP = re.compile(r"m?ap[ _-]?(50|75)([:-]95)?|m?ap@(50[:-]95|\[?0?\.50?[:-]0?\.95\]?)")
CALL = re.compile(r"(\w+)\(.*\)", re.DOTALL)
LONGEST_NAME = 80
# Areas under the precision-recall curve: of steps, as scikit-learn's, or of straight lines.
AREAS = {"auprc", "aupr", "aucpr", "auc pr", "prauc", "pr auc", "areaunderpr", "area under pr"}
# What people write, and the title that they mean, both as _spelling gives them: # is a number.
FIELD_WORDS = {
    **dict.fromkeys(AREAS, "step ap"),
    **dict.fromkeys(("ap", "map", "mean ap", "average positive predictive value"), "step ap"),
    **dict.fromkeys(("trapezoid", "trapezoidal", "auc(recall, precision)"), "linear ap"),
    **dict.fromkeys(("trapezoid rule", "trapezoidal rule", "auc(recall,precision)"), "linear ap"),
    **dict.fromkeys(("map@#", "mean ap@#"), "ap@#"),
    "map cut #": "ap@# over positives",
    **dict.fromkeys(("p@#", "p #"), "precision@#"),
    "recall #": "recall@#",
    **dict.fromkeys(("# point", "# point ap", "# point interpolated ap"), "ap@# recall levels"),
    **dict.fromkeys(("rr", "mrr", "mean reciprocal rank", "recip rank"), "reciprocal rank"),
    **dict.fromkeys(("rr@#", "mrr@#", "mean reciprocal rank@#"), "reciprocal rank@#"),
}


def conventions(k: float) -> list[Definition]:
    """List every definition with each conventional option, scikit-learn's first."""
    return [
        definitions.Step(),
        *(definitions.AtK(k, normalizer) for normalizer in get_args(Normalizer)),
        definitions.Expected(),
        definitions.Expected(k),
        definitions.Hyperbolic(),
        definitions.Interpolated(),
        definitions.Interpolated(11),
        definitions.Interpolated(101),
        definitions.Linear(),
        definitions.PrecisionAtK(k),
        definitions.PrecisionAtRecall(),
        definitions.RecallAtK(k),
        definitions.RecallAtPrecision(),
        definitions.ReciprocalRank(),
        definitions.ReciprocalRank(k),
    ]


def find_definition(
    name: str, k: float | None = None, more_names: Iterable[str] = ()
) -> Definition:
    """Find a definition by any name that it has in this package, or in its field.

    The error for an unknown name lists near ones, also of ``more_names``.
    """
    definition = read_definition(name, k)
    if definition is None:
        raise InputError(_unknown(name, more_names))
    return definition


def read_definition(name: str, k: float | None = None) -> Definition | None:
    """Read a definition, or None of an unknown name, which may be that of another tool.

    Its names are its title, unless that lists recall levels, its class, its score or scorer, and
    words of the field. A number in the name comes before ``k``.
    """
    if len(name) > LONGEST_NAME:
        return None
    name = re.sub(r"^(sklearn_ap\.)?(definitions\.)?", "", name)
    if call := CALL.fullmatch(name):
        _refuse_code(name, call[1].lower())
    name = re.sub(r"^(map_cut|P|recall)\.(?=\d)", r"\1_", name)  # as trec_eval takes them
    if OVERLAP.fullmatch(name.lower()):
        raise InputError(
            f"{name!r} may be at an overlap of boxes (IoU), which no definition knows: "
            f"detections.from_coco takes all from 0.5 to 0.95, or overlap=0.5. For the first 50 "
            f"ranks write 'AP@50'."
        )
    spelling = _spelling(name)
    # "map cut" and "p" lack the numbers of "map cut #" and "p@#".
    spellings = spelling, f"{spelling}@#", f"{spelling} #"
    definitions_by_title = _conventions_by_spelling()
    titles = [FIELD_WORDS.get(words, words) for words in spellings]
    title = next((title for title in titles if title in definitions_by_title), None)
    if title is None:
        return None
    definition = definitions_by_title[title]
    if spelling in AREAS:
        warn(
            f"{name!r} is used for two numbers: the area under steps, which is scikit-learn's and "
            f"is taken here, and the area under straight lines. Write 'average_precision' or "
            f"Step(), or Linear(), to say which.",
            UserWarning,
        )
    return _numbered(definition, name, k) if "#" in _spelling(definition.title) else definition


def definition_name(definition: Definition) -> str:
    """Return the title of a definition, by which it is found, or else its code."""
    is_found = any(each == definition for each in conventions(definition.depth or USUAL_K))
    return definition.title if is_found else repr(definition)


def is_area(name: str) -> bool:
    """Whether a name is one of areas under the curve, which tools compute in several ways."""
    return _spelling(name) in AREAS


def _refuse_code(name: str, kind: str) -> None:
    """Refuse a definition as Python prints it, and say its name."""
    if kind not in _conventions_by_spelling():
        return
    numbers = NUMBER_IN_NAME.findall(name)
    number = read_share(numbers[0]) if numbers else USUAL_K
    # 'AtK(5)' -> AP@5 of AtK(k=5)
    own = [each for each in conventions(number) if type(each).__name__.lower() == kind]
    numbered = [_replace_number(each, number) for each in own]
    same = [each for each in (*own, *numbered) if repr(each) == name]
    if not same and re.fullmatch(r"\w+\(([\d.]*)\)", name):  # a number without its keyword
        same = [each for each in numbered if number in asdict(each).values()] if numbers else own  # type: ignore[call-overload]
    written = f", or write {same[0].title!r}" if same else ""
    raise InputError(f"{name!r} is Python code: pass the definition itself{written}.")


def _replace_number(convention: Definition, number: float) -> Definition:
    """Return a definition with another number, if it has one."""
    options = asdict(convention)  # type: ignore[call-overload]  # a dataclass
    names = [key for key, value in options.items() if isinstance(value, int | float)]
    with suppress(InputError):  # of a number that it cannot have
        return replace(convention, **dict.fromkeys(names, number))  # type: ignore[type-var]
    return convention


def _numbered(convention: Definition, name: str, k: float | None) -> Definition:
    """Return a definition with the number of a name, or else with ``k``."""
    numbered: Any = convention  # a dataclass
    option = next(key for key, value in asdict(numbered).items() if isinstance(value, int | float))
    text = next(iter(NUMBER_IN_NAME.findall(name.lower())), "")
    number = read_share(text) if text else k if option == "k" else None
    if number is None:
        raise InputError(f"{name!r} needs its {option}, as in {convention.title!r}.")
    try:
        definition: Definition = replace(numbered, **{option: number})
    except InputError as error:  # of a number that is too low, or too high
        raise InputError(f"There is no definition {name!r}: {error}") from None
    if option == "k" and re.fullmatch("[^%]*[.e][^%]*", text):
        raise InputError(
            f"{number} in {name!r} is a share of the rows or an overlap of boxes (IoU). For this "
            f"share write {definition.title!r}. For an overlap, pass overlap={number:g} to "
            f"detections.from_coco."
        )
    return definition


def check_definition(definition: Argument) -> Definition:
    """Return a definition, also of a name. Refuse a class instead of an instance."""
    if isinstance(definition, str):
        return find_definition(definition)
    if isinstance(definition, Definition):
        return definition
    raise InputTypeError(
        f"definition must be one of sklearn_ap.definitions, such as Step() or AtK(20), got "
        f"{definition!r:.70}. A class needs parentheses after its name, and a function of y_true "
        f"and y_score goes to make_ranking_scorer."
    )


def _spelling(name: str) -> str:
    """Write a name in one spelling for all ways of writing it, with # for its numbers.

    "AP@5", "AP@k" and "average_precision_at_5_score" are "ap@#".
    """
    text = re.sub(r"[\s_-]+", " ", NUMBER_IN_NAME.sub("#", name.lower())).strip()
    text = text.removesuffix(" score").replace("average precision", "ap")
    return re.sub(r"@(k\b|$)", "@#", re.sub(r" ?(@|\bat\b) ?", "@", text))


@cache
def _conventions_by_spelling() -> dict[str, Definition]:
    """List the conventions by their titles, and the first of each class by its name."""
    by_spelling: dict[str, Definition] = {}
    for definition in conventions(USUAL_K):
        by_spelling.setdefault(type(definition).__name__.lower(), definition)
        by_spelling[_spelling(definition.title)] = definition
    return by_spelling


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that are close to a name, at most three."""
    # "roc_auc" is no way to write "pr_auc".
    return get_close_matches(name, [*known], 3, cutoff=0.75)


def _unknown(name: str, more_names: Iterable[str]) -> str:
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
    return f"There is no definition {name!r:.80}. {names} {others}"
