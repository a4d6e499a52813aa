"""The words of a report about queries and clusters, which the user may have named."""

import numpy as np
import pandas as pd
import pytest

from sklearn_ap import average_precision_score, report

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
N = 600
RNG = np.random.default_rng(0)
Y = np.arange(N) % 5 == 0
BASE = RNG.normal(size=N)
TOPIC = np.arange(N) // 20
TWO = {"old": Y + BASE, "new": 2 * Y + BASE}
WORDS = [(None, "query", "queries"), ("topic", "topic", "topics"), ("user_id", "user", "users")]


def named(values, name):
    return pd.Series(values, name=name)


def part_of(name, *args, **options):
    """A part by its name, as it is on a page that has no other."""
    (found,) = (each for each in report(*args, **options, parts=[name]).parts if each.name == name)
    return found


def test_the_title_of_queries_has_the_usual_name_of_their_mean():
    assert report(Y, TWO).title == "Average precision of old and new"
    found = report(Y, TWO, queries=TOPIC)
    assert found.title == "Mean average precision (MAP) of old and new"
    assert '<p class="topic">Mean average precision (MAP) of old and new</p>' in found.to_html()
    assert repr(found).startswith("Mean average precision (MAP) of old and new\n")
    assert report(Y, TWO | {"third": BASE}, queries=TOPIC).title.endswith(" (MAP) of 3 models")


@pytest.mark.parametrize(("name", "noun", "plural"), WORDS)
@pytest.mark.parametrize("models", [TWO["new"], TWO], ids=["one", "two"])
def test_notes_about_a_score_have_the_word_of_the_user_for_queries(name, noun, plural, models):
    part = "comparison" if isinstance(models, dict) else "score"
    queries = named(TOPIC, name)
    notes = [note for note in part_of(part, Y, models, queries=queries).notes if plural in note]
    meaning, usual = notes
    assert meaning.startswith("An average precision of 0.")
    assert f", on average over these stops and over the {plural}. " in meaning
    assert usual == f"The mean over {plural} is also called mean average precision (MAP)."
    rows = part_of(part, Y, models).notes
    assert not [note for note in rows if "MAP" in note or "queries" in note]
    assert ", on average over these stops. " in rows[-1]


@pytest.mark.parametrize(("name", "noun", "plural"), WORDS)
@pytest.mark.parametrize("n_empty", [1, 3])
def test_the_mean_over_queries_says_how_many_have_no_positive(name, noun, plural, n_empty):
    y = Y & (n_empty <= TOPIC)
    queries = named(TOPIC, name)
    empty = f"1 {noun} without a positive counts as 0"
    if n_empty > 1:
        empty = f"{n_empty} {plural} without a positive count as 0"
    score = part_of("score", y, TWO["new"], queries=queries)
    assert f" and over the {plural} ({empty}). " in score.notes[0]
    value = average_precision_score(y, TWO["new"], queries=TOPIC)
    assert score.cells[1][1].startswith(f"{value:.2f} [")


@pytest.mark.parametrize(
    ("name", "noun"), [(None, "cluster"), ("patient_id", "patient"), ("visits", "visit")]
)
@pytest.mark.parametrize(
    "models", [TWO["new"], TWO, TWO | {"third": BASE}], ids=["one", "two", "three"]
)
def test_chance_is_not_tested_as_random_orders_would_separate_the_rows_of_a_cluster(
    name, noun, models
):
    part = "comparison" if isinstance(models, dict) else "score"
    found = part_of(part, Y, models, clusters=named(TOPIC, name))
    untested = f"Chance is not tested, as random orders would separate the rows of a {noun}."
    assert found.notes.count(untested) == 1
    rows = part_of(part, Y, models).notes
    assert not [note for note in rows if note.startswith("Chance is not tested")]
    weighted = part_of(part, Y, models, clusters=named(TOPIC, name), sample_weight=1.0 + Y)
    assert untested not in weighted.notes  # which names the level instead
    assert "With weights, the chance level is the score of equal scores." in weighted.notes
