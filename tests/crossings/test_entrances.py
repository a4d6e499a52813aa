"""Every entrance gives the number of the reference, or an error of ours that names an argument."""

import inspect

import pytest
from cases import DEFINITIONS, make
from entrances import ENTRANCES, OPTIONS, outcome, parameters_of
from hypothesis import settings
from public_names import public
from registry import KINDS

# 15 examples are the default, 50 thorough, and 500 long.
TIMES = {15: 1, 50: 50}.get(settings.default.max_examples, 500)
SEEDS_OF_ONE_TEST = 4 * TIMES

ROWS = {"y_true", "y_score", "y_scores", "counts", "definition", "cv_results", "X", "y", "chunks"}
OF_DEFINITIONS = {"k", "normalizer", "recall_levels", "recall", "precision"}
ELSEWHERE = {
    "confidence_level": "limits are in test_laws.py",
    "alternative": "p-values are in test_laws.py",
    "of": "limits are in test_laws.py",
    "reference": "p-values are in test_laws.py",
    "guarantee": "has no exact value but by simulation",
    "clusters": "do not change the estimate; test_laws.py",
    "n_permutations": "do not change the score",
    "n_resamples": "do not change the estimate",
    "rng": "does not change the estimate",
    "pooling": "scores and odds have lines; ranks have tests of their own",
    "zero_division": "of a case is taken, or is 0 by definition",
    "progress": "a bar",
    "name": "of a legend, or of a tool",
    "ax": "where to draw",
    "options": "of plots, and of other tools",
    "tools": "a choice of rows",
    "near": "an order of rows",
    "response_method": "the model of the table has predictions only",
    "kwargs": "are options",
    "by_query": "is said with queries",
    "score_func": "is the definition",
    "source": "the rows",
    "qrels": "the rows",
    "runs": "the rows",
    **dict.fromkeys(("query", "document", "score", "label"), "names of columns"),
    "relevance_level": "says what y_true is",
    "unjudged": "all documents are judged",
    "complete": "is always said, as the reference has all queries",
}
WITHOUT_A_LINE = {
    "UncertaintyWarning": "no number",
    "get_scorer_names": "no number",
    "large.from_dask": "needs an engine: tests/large",
    "large.from_spark": "needs an engine: tests/large",
    "AveragePrecisionDisplay.from_cv_results": "draws the counts of folds",
    **dict.fromkeys(
        ("compat.Choices", "compat.Comparison", "compat.Entry", "compat.Explanation"), "no number"
    ),
    **dict.fromkeys(("compat.conventions", "compat.get", "compat.options"), "no number"),
    "compat.ToolError": "no number",
    "compat.explain": "its numbers are those of compat.compare",
}


@pytest.mark.parametrize("tenth", range(10))
def test_every_entrance_gives_the_number_of_the_reference(tenth):
    wrong = []
    for seed in range(tenth * SEEDS_OF_ONE_TEST, (tenth + 1) * SEEDS_OF_ONE_TEST):
        case = make(seed)
        for name, entrance in ENTRANCES.items():
            if (part := entrance.part_of(case)) is not None:
                found = outcome(entrance, part)
                if found.kind not in ("right", "refused"):
                    wrong.append(f"seed {seed}, {name}: {found.kind}: {found.text}")
    assert not wrong, "\n".join(wrong)


def entrances():
    """Public functions, classes, and what makes their objects from data."""
    for name, thing in public():
        if name.startswith("definitions.") or name.endswith("Display"):
            continue
        yield name
        for key, _ in inspect.getmembers(thing, inspect.ismethod):
            if inspect.isclass(thing) and key.startswith("from_"):
                yield f"{name}.{key}"


@pytest.mark.parametrize("name", [*entrances()])
def test_every_public_entrance_has_a_line_in_the_table(name):
    lines = {each for entrance in ENTRANCES.values() for each in entrance.names}
    assert name in lines | WITHOUT_A_LINE.keys(), f"tests/crossings/entrances.py: {name}"
    assert name not in lines & WITHOUT_A_LINE.keys()


FUNCTIONS = sorted({name for entrance in ENTRANCES.values() for name in entrance.names})
FUNCTIONS = [name for name in FUNCTIONS if name.rpartition(".")[2][0].islower()]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_option_of_an_entrance_is_crossed(name):
    lines = [entrance for entrance in ENTRANCES.values() if name in entrance.names]
    taken = frozenset().union(*(entrance.options for entrance in lines))
    options = {*parameters_of(name)} - ROWS - OF_DEFINITIONS - {"self"}
    assert options - ELSEWHERE.keys() <= taken


def test_every_definition_is_crossed():
    assert {kind.__name__ for kind in KINDS} == {name for name, _ in DEFINITIONS}


@pytest.mark.parametrize("name", ENTRANCES)
def test_some_case_goes_through_every_entrance(name):
    assert ENTRANCES[name].options <= OPTIONS
    assert any(ENTRANCES[name].part_of(make(seed)) for seed in range(200))
