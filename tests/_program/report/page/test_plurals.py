"""The plurals of the words of the user, such as "searches" for queries named "search"."""

import re

import numpy as np
import pandas as pd
import pytest

from sklearn_ap import report

N = 600
RNG = np.random.default_rng(0)
Y = np.arange(N) % 5 == 0
NOISE = RNG.normal(size=(3, N))
GROUP = np.arange(N) // 20
MODELS = {"old": Y + NOISE[0], "new": 2 * Y + NOISE[1]}
THREE = MODELS | {"rule": NOISE[2]}
WORDS = [
    ("search", "searches"),
    ("index", "indexes"),
    ("class", "classes"),
    ("campus", "campuses"),
    ("dish", "dishes"),
    ("story", "stories"),
    ("essay", "essays"),
    ("topic", "topics"),
]
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def page_of(models, **options):
    """All words of a page that are seen, and of its text."""
    made = report(Y, models, **options)
    html = re.sub(r"<style.*?</style>|<svg.*?</svg>|<[^>]*>", " ", made.to_html(), flags=re.DOTALL)
    return f"{made!r} {html}"


@pytest.mark.parametrize(("word", "plural"), WORDS)
def test_queries_have_the_plural_of_their_name(word, plural):
    part = report(Y, MODELS, queries=pd.Series(GROUP, name=word), parts=["comparison"]).parts[0]
    counts = re.compile(rf"Of 30 {plural}, new scores more in \d+ and less in \d+\.")
    assert [text for text in part.more if counts.fullmatch(text)]
    assert f"The mean over {plural} is also called mean average precision (MAP)." in part.notes


@pytest.mark.parametrize("models", [MODELS["new"], MODELS, THREE], ids=["one", "two", "three"])
@pytest.mark.parametrize("argument", ["queries", "clusters"])
def test_searches_have_their_plural(models, argument):
    page = page_of(models, **{argument: pd.Series(GROUP, name="search")})
    assert "30 searches" in page
    assert not re.search(r"search(?=s)", page)


@pytest.mark.parametrize(("word", "plural"), [("branch", "branches"), ("sales", "sales")])
def test_segments_have_the_plural_of_their_column(word, plural):
    part = report(Y, MODELS["new"], segments={word: GROUP % 3}, parts=["segments"]).parts[0]
    assert part.sentence.startswith(
        f"By {word}, for the model: no difference between the {plural} is"
    )
