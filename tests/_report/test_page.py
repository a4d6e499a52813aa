"""The page as a reader sees it, in Chromium: wide and narrow, light and dark, and printed."""

import re
import subprocess

import numpy as np
import pytest

from sklearn_ap import report
from tests.helpers import browser

pytestmark = [pytest.mark.filterwarnings("ignore::UserWarning"), pytest.mark.site]
NARROW, WIDE = 375, 1280
RNG = np.random.default_rng(0)
N = 2000
Y = RNG.random(N) < 0.1
BASE = RNG.normal(size=N)
TWO = {"a": Y + BASE, "b": 1.3 * Y + BASE + 0.2 * RNG.normal(size=N)}
LONG = {"<b>&'\"" + "n" * 54: TWO["a"], "$a$" + "m" * 57: TWO["b"]}


@pytest.fixture(scope="module")
def pages():
    """Reports, which are made only where these tests run."""
    long_segments = np.char.add("s" * 60, (np.arange(N) % 24).astype(str))
    return {
        "two": report(Y, TWO, segments=np.arange(N) % 4),
        "few": report(Y[:60], {name: score[:60] for name, score in TWO.items()}),
        "twelve": report(Y, {f"m{i}": Y * (1 + i / 10) + BASE for i in range(12)}),
        "segments": report(Y, TWO, segments=long_segments),
        "queries": report(Y, TWO, queries=np.arange(N) % 40),
        "clusters": report(Y, TWO, clusters=np.arange(N) % 99, sample_weight=1 + Y),
        "long": report(Y, LONG),
    }


@pytest.fixture(scope="module")
def folder(pages, tmp_path_factory):
    if browser.chromium() is None:
        pytest.skip("there is no Chromium")
    root = tmp_path_factory.mktemp("reports")
    for name, found in pages.items():
        found.save(root / f"{name}.html")
    return root


@pytest.fixture(scope="module")
def seen(pages, folder, tmp_path_factory):
    names, profile = [f"{name}.html" for name in pages], tmp_path_factory.mktemp("profile")
    return browser.measure(folder, "", names, (NARROW, WIDE), profile)


@pytest.mark.parametrize("fault", ["overflow", "broken", "small", "faint", "elsewhere"])
def test_pages_fit_are_legible_and_load_no_other_hosts(seen, pages, fault):
    assert len(seen.pages) == 2 * len(pages)
    assert not [(page["page"], page["width"], page[fault]) for page in seen.pages if page[fault]]


def test_pages_load_without_missing_files_or_console_messages(seen):
    assert not seen.missing
    assert not seen.said


@pytest.mark.parametrize("name", ["two", "twelve", "clusters"])
def test_pages_print_on_few_sheets(folder, tmp_path, name):
    flags = (*browser.FLAGS, f"--user-data-dir={tmp_path / 'profile'}", "--no-pdf-header-footer")
    printed = f"--print-to-pdf={tmp_path / 'sheets.pdf'}"
    page = (folder / f"{name}.html").as_uri()
    subprocess.run([browser.chromium(), *flags, printed, page], check=True, capture_output=True)
    sheets = re.findall(rb"/Type\s*/Page\b", (tmp_path / "sheets.pdf").read_bytes())
    assert 2 <= len(sheets) <= 5
