"""Warnings that parts issue for each other stand on the page, and are not raised."""

import warnings

import numpy as np

from sklearn_ap import report


def test_few_clusters_of_a_segment_of_the_second_model_are_no_warning_of_the_call():
    rng = np.random.default_rng(0)
    n = 6_000
    language = rng.choice(["de", "en", "fi", "tr"], n, p=[0.3, 0.48, 0.02, 0.2])
    author = rng.integers(0, 3_000, n)
    y = (rng.random(n) < 0.07) & ((language != "fi") | (author < 150))
    models = {
        "large": np.where(language == "tr", 0.3, 2.4) * y + rng.normal(size=n),
        "small": 1.6 * y + rng.normal(size=n),
    }
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = report(y, models, segments={"language": language}, clusters=author)
    assert not caught
    assert "scores less in tr" in made.summary[-1].answer


def test_a_perfect_segment_of_few_positives_takes_no_room_of_the_first_lines():
    rng = np.random.default_rng(1)
    n = 4_000
    ward = rng.choice(["icu", "surgery", "maternity"], n, p=[0.45, 0.45, 0.1])
    y = rng.random(n) < 0.1
    y[ward == "maternity"] = False
    y[np.flatnonzero(ward == "maternity")[:2]] = True
    score = 2 * y + rng.normal(size=n)
    score[(ward == "maternity") & y] = 9
    made = report(y, score, segments={"ward": ward})
    assert "A score of 1" not in made.summary[-1].answer
