"""The pictures of the pages draw, and show the numbers that the pages print."""

import importlib
import inspect
import re
import runpy

import numpy as np
import picture_style
import pictures
import pytest
import sklearn
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from pages import DOCS, blocks, failures, numbers_in

from sklearn_ap import average_precision_score, compare_average_precision

PAGES = "".join(page.read_text() for page in DOCS.glob("*.md"))
EXAMPLES = {path.stem: path for path in (DOCS / "examples").rglob("*.py")}
SOURCE = "https://github.com/sklearn-ap/sklearn-ap/"
DARK_PAGE = "#14181e"  # of the theme
DRAWN = [
    *re.findall(r"^\.\. plot:: pictures\.py (\w+)$", PAGES, re.MULTILINE),
    *re.findall(r"^```\{picture\} (\w+)$", PAGES, re.MULTILINE),
]


def test_the_picture_of_the_comparison_shows_the_data_of_the_page():
    known = {}
    assert not failures("comparison.md", blocks("comparison.md", under="")[0], known)
    scores = {"A": known["score_a"], "B": known["score_b"]}
    compared = compare_average_precision(known["y_true"], scores)
    assert pictures.two_models().to_dict() == compared.to_dict()
    assert "two_models" in DRAWN
    plt.close("all")


def test_the_page_on_few_labels_says_how_wide_the_intervals_of_its_picture_are():
    judged, found = zip(*map(pictures.estimates_of_few_labels, range(20)), strict=True)
    estimates, low, high = np.transpose(found, (2, 0, 1))
    random, chosen, judge, both = (high - low).mean(axis=0)
    pattern = (
        r"is ([\d.]+) wide\. It is ([\d.]+) with .*?, ([\d.]+) with .*?, and ([\d.]+) with both"
    )
    said = numbers_in("few_labels.md", pattern)
    np.testing.assert_allclose(said, [random, chosen, judge, both], atol=0.005)
    assert max(judged) < estimates.mean() - 0.05  # the estimates of people are unbiased


def luminance(color):
    channels = np.array(to_rgb(color))
    linear = np.where(channels > 0.04, ((channels + 0.055) / 1.055) ** 2.4, channels / 12.92)
    return linear @ (0.2126, 0.7152, 0.0722)


def color_on_dark_page(color):
    """What site.css makes of a colour: "invert(1) hue-rotate(180deg)", then "screen"."""
    hue_rotation = 2 * np.array([0.213, 0.715, 0.072]) - np.eye(3)
    filtered = np.clip(hue_rotation @ (1 - np.array(to_rgb(color))), 0, 1)
    return 1 - (1 - filtered) * (1 - np.array(to_rgb(DARK_PAGE)))


def test_white_is_the_page_and_black_is_white_on_dark_pages():
    np.testing.assert_allclose(color_on_dark_page("white"), to_rgb(DARK_PAGE), atol=1e-12)
    np.testing.assert_allclose(color_on_dark_page("black"), to_rgb("white"), atol=1e-12)


def test_colors_of_models_contrast_with_dark_pages():
    page = luminance(DARK_PAGE) + 0.05
    for color in (*picture_style.COLORS[:4], pictures.BLUE, pictures.ORANGE, pictures.GREEN):
        contrast = (luminance(color_on_dark_page(color)) + 0.05) / page
        assert contrast > 4.5, color


def test_the_style_sheet_has_the_filter_of_dark_pages():
    style = (DOCS / "_static" / "site.css").read_text()
    assert "filter: invert(1) hue-rotate(180deg);\n  mix-blend-mode: screen;" in style


@pytest.mark.slow
@pytest.mark.parametrize("name", [*DRAWN, *EXAMPLES])
def test_a_picture_or_an_example_of_the_gallery_draws(name):
    with sklearn.config_context(), plt.rc_context():
        picture_style.for_gallery()
        runpy.run_path(str(EXAMPLES[name])) if name in EXAMPLES else getattr(pictures, name)()
    assert plt.get_fignums()
    for number in plt.get_fignums():
        figure = plt.figure(number)
        figure.canvas.draw()
        # A wider one has panels side by side, and its letters cannot be read on a phone.
        assert figure.get_size_inches()[0] <= picture_style.WIDTH or name == "floors"
    plt.close("all")


def test_example_curves_reproduce_table_2_of_zhu():
    drawn = runpy.run_path(str(EXAMPLES["hit_curves"]))["algorithms"]
    plt.close("all")
    values = {
        name: round(average_precision_score(labels, -np.arange(labels.size)), 2)
        for name, labels in drawn.items()
    }
    assert values == {"perfect": 1.0, "A": 0.26, "B": 0.20}


def test_every_address_in_the_inventory_is_a_name_of_scikit_learn():
    for line in (DOCS / "inventories" / "scikit-learn.inv").read_text().splitlines()[3:]:
        name, kind, address = line.split()
        module, _, attribute = name.rpartition(".")
        found = getattr(importlib.import_module(module) if module else sklearn, attribute)
        assert (kind == "class") == inspect.isclass(found)
        assert address == f"modules/generated/{name}.html"


def test_every_link_of_the_readme_leads_to_a_file():
    """Relative ones: a release makes them absolute, for a package index."""
    links = re.findall(r"\]\(([^)]*)\)", (DOCS.parent / "README.md").read_text())
    assert len(links) > 10
    for link in links:
        if link.startswith((SOURCE, "https://img.shields.io/badge/")):
            continue
        link, _, section = link.partition("#")
        assert (DOCS.parent / link).exists(), link
        if section:
            headings = re.findall("^#+ (.*)", (DOCS.parent / link).read_text(), re.MULTILINE)
            assert section in {each.lower().replace(" ", "-") for each in headings}
        elif link.endswith(".md"):  # a forge shows a directive as it is written: these are short
            directives = re.findall(r"\n```\{([\w-]+)", (DOCS.parent / link).read_text())
            assert {*directives} <= {"code-block", "eval-rst", "picture", "tables", "toctree"}, link


def test_the_picture_of_boxes_shows_the_numbers_of_its_words():
    pictures.matched_boxes()
    image, table = plt.gcf().axes
    texts = [text.get_text() for text in table.texts]
    rows = {"0.9": ("1", "0.86"), "0.8": ("0", "0.57"), "0.6": ("1", "0.61"), "0.3": ("0", "0.11")}
    for score, (label, overlap) in rows.items():
        place = texts.index(score)
        assert (texts[place - 1], texts[place + 1]) == (label, overlap)
    assert {"-inf", "positive: object is missed"} < {*texts}
    value = average_precision_score([1, 0, 1, 0, 1], [0.9, 0.8, 0.6, 0.3, -np.inf])
    assert texts[-1] == f"average precision at overlap 0.5: {value:.3f}"
    assert {"0.9", "0.8", "0.6", "0.3"} < {text.get_text() for text in image.texts}
    words = words_of("detections.md", "matched_boxes")
    assert all(overlap in words for _, overlap in rows.values())
    assert f"{value:.3f}" in words
    plt.close("all")


def test_the_picture_of_labels_has_the_shares_of_its_words():
    known = {}
    assert not failures("few_labels.md", "".join(blocks("few_labels.md")[:2]), known)
    pictures.where_labels_go()
    shown = " ".join(text.get_text() for text in plt.gca().texts)
    chosen = known["y_score"][known["plan"].rows] >= 2
    shares = f"{chosen.mean():.0%}", f"{np.mean(known['y_score'] >= 2):.1%}"
    for share in shares:
        assert share in shown
        assert share in words_of("few_labels.md", "where_labels_go")
    plt.close("all")


def test_the_chart_of_questions_names_the_functions_of_its_page():
    pictures.which_metric()
    named = {text.get_text() for text in plt.gca().texts if text.get_family() == ["monospace"]}
    assert len(named) == 9
    page = (DOCS / "which.md").read_text()
    assert all(name in page.split("```\n", 1)[1] for name in named)
    assert all(name in words_of("which.md", "which_metric") for name in named)
    plt.close("all")


def words_of(page, picture):
    """The words for those who do not see a picture."""
    (words,) = re.findall(
        rf"```{{picture}} {picture}\n(.*?)```", (DOCS / page).read_text(), re.DOTALL
    )
    return " ".join(words.split())
