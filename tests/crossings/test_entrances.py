"""Every call gives the numbers of the reference, or an error of ours that names an argument."""

import inspect
from collections import Counter

import pairs
import pytest
from entrances import ENTRANCES, fail_if_any
from hypothesis import settings
from public_names import public
from seeds import SEEDS

# 5 examples are the default, 50 thorough, and 500 long.
N_SEEDS = {5: 0, 50: 2000}.get(settings.default.max_examples, 20_000)

# Functions; classes are made by functions that have lines, or hold no number.
WITHOUT_A_LINE = {
    **{
        f"AveragePrecisionDisplay.from_{each}": "it draws counts and intervals: test_displays.py"
        for each in ("predictions", "estimator", "cv_results")
    },
    **{
        f"retrieval.from_{each}": "it makes labels and scores: tests/retrieval"
        for each in ("tables", "trec", "dicts", "sparse")
    },
    **dict.fromkeys(("compat.score", "compat.compare"), "what others compute: tests/compat"),
    **dict.fromkeys(("large.from_dask", "large.from_spark"), "needs an engine: tests/large"),
    **dict.fromkeys(
        ("sample_size_for_interval", "sample_size_for_difference"),
        "it takes a result: tests/inference/test_sample_size.py",
    ),
    **dict.fromkeys(
        ("pilot_interval", "pilot_comparison"),
        "it takes no labels and scores: tests/inference/test_sample_size.py",
    ),
    "compare_segments": "tests/inference/test_segments.py, test_two_options.py and test_orders.py",
    "compare_independent": "it takes results: tests/inference/test_independent.py",
    "detections.from_coco": "it takes no labels and scores: tests/detections/test_from_coco.py",
    "rows_to_label": "tests/inference/test_rows_to_label.py",
    "OperatingPoint.from_counts": "tests/inference/test_operating_point.py",
    "compat.differences": "it takes nothing: tests/compat/test_scikit_learn_differences.py",
    "compat.explain": "its numbers are those of compat.compare",
    "compat.identify": "it takes a function: tests/compat/test_identify.py",
    "compat.get_scorer": "its numbers are those of compat.score: tests/compat/test_score.py",
    "get_scorer": "its scorers are those of make_ranking_scorer: tests/test_scorers.py",
    "get_scorer_names": "no number",
    "report": "its numbers are those of the others: tests/_report",
}


@pytest.mark.parametrize("seed", sorted({*SEEDS, *range(1000, 1000 + N_SEEDS)}))
def test_every_call_gives_the_numbers_of_the_reference(seed):
    fail_if_any(pairs.wrong(seed))


def test_every_option_of_every_function_has_five_right_calls():
    counted = Counter(pair for seed in SEEDS for pair in pairs.right_pairs(seed))
    few = {pair: counted[pair] for pair, least in pairs.needed().items() if counted[pair] < least}
    never = {option for _, option, *_ in few} - {option for _, option, *_ in counted}
    assert not never, (
        f"No case has {never}: tests/crossings/cases.py needs it in OF_SCORES and make, and "
        f"entrances.py in the options of its calls, or pairs.py in LEFT_OUT"
    )
    first = {pair: pairs.further_seed(pair, SEEDS) for pair in few}
    assert not few, f"seeds.py needs more seeds with right calls, such as these: {first}"


def entrances():
    """Public functions, and what makes results and counts from data."""
    for name, thing in public():
        if inspect.isfunction(thing):
            yield name
        elif not name.startswith("definitions."):
            methods = inspect.getmembers(thing, inspect.ismethod)
            yield from (f"{name}.{key}" for key, _ in methods if key.startswith("from_"))


@pytest.mark.parametrize("name", [*entrances()])
def test_every_public_entrance_has_a_line_in_the_table(name):
    lines = {entrance.name for entrance in ENTRANCES}
    assert name in lines | WITHOUT_A_LINE.keys(), (
        f"tests/crossings/entrances.py: ENTRANCES needs a line that calls {name}"
    )
    assert name not in lines & WITHOUT_A_LINE.keys()
