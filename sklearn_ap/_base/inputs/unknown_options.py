"""Hints for names that people look for here, for unknown options, and for nameless values."""

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, signature
from typing import ParamSpec, TypeVar

from sklearn_ap._base.common.types import Argument
from sklearn_ap._base.inputs.arrays import refuse_counts, refuse_predictions

POSITIONAL_KINDS = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
P = ParamSpec("P")
T = TypeVar("T")

AT_K = "average_precision_at_k_score takes it; elsewhere pass definition=AtK(10)."
SCORES = (
    "Scores are y_score, those of several models y_scores: decision values or probabilities, not "
    "predicted classes."
)
SCORE_NAMES = ("y_pred", "y_prob", "y_proba", "probas_pred")
# Where to find options of our other functions, and our names for options of scikit-learn and of
# medicine.
OPTIONS_ELSEWHERE = {
    "k": AT_K,
    "normalizer": AT_K,
    "recall_levels": "interpolated_average_precision_score takes it; elsewhere pass "
    "definition=Interpolated(11).",
    "recall": "precision_at_recall_score takes it.",
    "precision": "recall_at_precision_score takes it.",
    "clusters": "average_precision_interval takes it.",
    "confidence_level": "average_precision_interval takes it.",
    "definition": "average_precision_score takes it.",
    "margin": "compare_average_precision takes it, and plans of comparisons.",
    "segments": "compare_segments takes it.",
    "folds": "Pass FoldPredictions({'y_score': scores, 'folds': folds}) in the place of y_score.",
    "pooling": "FoldPredictions takes it, in the place of the scores.",
    "sample_weight": "This one takes no weights.",
    "inclusion_probability": "average_precision_interval and compare_average_precision take it. "
    "To compare two samples with few labels, pass the interval of each to compare_independent. "
    "Elsewhere pass the labelled rows, with sample_weight=1 / inclusion_probability.",
    "judge": "average_precision_interval and compare_average_precision take it.",
    "progress": "from_table and from_chunks take it. Dask and Spark show their own progress.",
    "prevalence": "average_precision_score takes it, for definitions of whole rankings. Of counts, "
    "so do counts.score and AveragePrecisionInterval.from_counts.",
    "queries": "average_precision_score takes it. Here, pass the rows of one query.",
    "groups": "Rows that depend on each other, such as those of a patient, are clusters: functions "
    "that give an interval take them. If each group is a ranking of its own, it is called queries.",
    "half_width": "Plans of intervals take it. For a comparison, pass the difference that should "
    "be found, such as difference=0.03.",
    "difference": "Plans of comparisons take it. For an interval, pass half of its length, such as "
    "half_width=0.03.",
    "random_state": "A seed is called rng.",
    "sensitivity": "The sensitivity is called recall=.",
    "tpr": "The true positive rate is called recall=.",
    "ppv": "The positive predictive value is called precision=.",
    "specificity": "No function takes it. operating_point takes recall=, which is the sensitivity, "
    "or precision=.",
    **dict.fromkeys(SCORE_NAMES, SCORES),
}

# Patterns of names of other scores of retrieval, which stand beside ours in tables, with hints.
ELSEWHERE = {
    "ndcg|discountedcumulative": (
        "For nDCG use sklearn.metrics.ndcg_score, or ranx for files of TREC."
    ),
}


def find_elsewhere(name: str) -> str | None:
    """Say where to find a score that this package lacks, if people look for it here."""
    letters = re.sub(r"[\s_-]", "", name.lower())
    hints = (hint for pattern, hint in ELSEWHERE.items() if re.search(pattern, letters))
    return next(hints, None)


def near_names(known: dict[str, str], complete_list: str, *spellings: str) -> str:
    """List known names close to a spelling, as ``known`` shows them, or name the complete list."""
    near = [name for text in spellings for name in known if len(text) > 2 and text in name]
    near += [name for text in spellings for name in get_close_matches(text, known, n=3)]
    shown = list(dict.fromkeys(known[name] for name in near))[:3]
    return f"Near it: {', '.join(shown) or f'none; {complete_list} lists all'}."


def explains_options(function: Callable[P, T]) -> Callable[P, T]:
    """Make a function explain unknown options, and values without names."""
    parameters = signature(function).parameters
    positional = [
        name for name, parameter in parameters.items() if parameter.kind in POSITIONAL_KINDS
    ]
    takes_any = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters.values())
    known_options = parameters.keys()

    @wraps(function)
    def called(*args: P.args, **options: P.kwargs) -> T:
        unknown: Iterable[str] = ()
        if takes_any:  # such as those of a line, which are checked where they are used
            unknown = options.keys() & {*SCORE_NAMES}
        elif not options.keys() <= known_options:
            unknown = options.keys() - known_options
        for name in unknown:
            raise TypeError(unknown_option(function.__name__, name, [*known_options]))
        if len(args) > len(positional):
            raise TypeError(_too_many_text(function.__name__, positional, args))
        if args and positional[0] == "y_true":  # before Python asks for y_score
            refuse_counts("y_true", args[0])
            refuse_predictions("y_true", args[0])
        return function(*args, **options)

    return called  # a name that tests/crossings/transcript.py looks for


def _too_many_text(function: str, names: list[str], values: tuple[Argument, ...]) -> str:
    """Word the error for options without their names, models one by one, or a model."""
    if function.endswith("_score") and hasattr(values[0], "fit"):
        model = type(values[0]).__name__
        return (
            f"{function} takes y_true and y_score, got a model: {model}. To pass it as scoring, "
            f"write scoring=make_ranking_scorer({function})."
        )
    shown = [name for name in names if name not in ("cls", "self")]
    n_values = len(values) - (len(names) - len(shown))
    remedy = "Name the others, as in pos_label=1."
    if "new" in shown:
        remedy = "Compare two at a time. Segments of the same rows go to compare_segments."
    if "y_scores" in shown:
        remedy = 'Pass the scores of all models together, as in {"A": score_a, "B": score_b}.'
    listed = " and ".join((", ".join(shown[:-1]), shown[-1])) if shown[1:] else "".join(shown)
    return f"{function} takes {listed} without names, got {n_values} values. {remedy}"


def unknown_option(function: str, name: str, known: list[str]) -> str:
    """Word the error for an option that a function does not have."""
    near = get_close_matches(name, known, n=1, cutoff=0.75)  # below, "target" is like "average"
    hint = OPTIONS_ELSEWHERE.get(name) or (f"Did you mean {near[0]!r}?" if near else "")
    return f"{function} has no option {name!r}. {hint}".rstrip()
