"""The site builds without a warning, and has every public name. Needs the docs extra."""

import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

import sklearn_ap
from sklearn_ap import compat, definitions

DOCS = Path(__file__).parents[1] / "docs"
pytestmark = pytest.mark.site


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Built from a copy, as the gallery writes its pages beside its sources."""
    work = tmp_path_factory.mktemp("site")
    written = shutil.ignore_patterns("_build", "auto_examples", "generated")
    shutil.copytree(DOCS, work / "docs", ignore=written)
    build = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q"]
    subprocess.run([*build, work / "docs", work / "site"], check=True)
    return work / "site"


def test_every_public_name_is_in_the_reference(site):
    *_, packed = (site / "objects.inv").read_bytes().split(b"\n", 4)
    names = {line.split()[0] for line in zlib.decompress(packed).decode().splitlines()}
    rooms = {sklearn_ap: ("compat", "definitions"), compat: (), definitions: ()}
    public = {f"{r.__name__}.{n}" for r, apart in rooms.items() for n in {*r.__all__} - {*apart}}
    assert public <= names
    assert "sklearn_ap.AveragePrecisionDisplay.from_cv_results" in names


def test_every_example_has_a_page_with_a_picture(site):
    for example in (DOCS / "examples").glob("*.py"):
        page = (site / "auto_examples" / f"{example.stem}.html").read_text()
        assert f"sphx_glr_{example.stem}_001" in page


def test_every_page_is_reached_from_the_start_page(site):
    start = (site / "index.html").read_text()
    for page in DOCS.glob("*.md"):
        assert page.stem == "index" or f'href="{page.stem}.html"' in start
