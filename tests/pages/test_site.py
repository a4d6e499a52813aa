"""The site builds without a warning, and is whole. Needs the group docs, and uses Chromium."""

import os
import re
import runpy
import shutil
import subprocess
import sys
from functools import cached_property
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

import sklearn_ap
from tests.helpers import browser
from tests.helpers.pages import DOCS

search_words = pytest.importorskip("search_words", exc_type=ImportError)  # of the group docs
pytestmark = pytest.mark.site

PAGES = sorted(page.name for page in DOCS.glob("*.md"))
NARROW, WIDE = 400, 1280
VERSION = sklearn_ap.__version__.rpartition(".")[0]


class Page(HTMLParser):
    """What a page has: the ids, the links and pictures."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.images, self.description = set(), [], [], ""
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        of = dict(attrs)
        self.ids |= {of.get("id"), of.get("name")} - {None}
        if tag == "a" and "href" in of:
            self.links.append(of["href"])
        if tag == "img":
            self.images.append(of)
        if tag == "meta" and of.get("name") == "description":
            self.description = of["content"]


class Site:
    """A built site."""

    def __init__(self, root):
        self.root = root

    @cached_property
    def pages(self):
        found = (path.relative_to(self.root).as_posix() for path in self.root.rglob("*.html"))
        return {name: Page(self.root / name) for name in found if not name.startswith("_static")}

    def target(self, page, link):
        """The file and the anchor that a link of a page leads to, or None if it leaves the site."""
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            return None
        path = (self.root / page).parent / unquote(parts.path) if parts.path else self.root / page
        return path.resolve(), unquote(parts.fragment)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Built from a copy, as the gallery writes its pages beside its sources."""
    work = tmp_path_factory.mktemp("site")
    written = shutil.ignore_patterns("_build", "auto_examples", "generated")
    shutil.copytree(DOCS, work / "docs", ignore=written)
    shutil.copytree(DOCS.parent / "benchmarks", work / "benchmarks")
    build = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q"]
    names = {**os.environ, "DOCS_VERSION": VERSION}
    subprocess.run([*build, work / "docs", work / "site"], check=True, env=names)
    return Site(work / "site")


def published(site, root, address, *versions):
    write = runpy.run_path(str(DOCS.parent / ".ci" / "publish_docs.py"))["write"]
    for version in versions:
        write(site.root, version, address, root)
    return root


@pytest.fixture(scope="module")
def chromium():
    if browser.chromium() is None:
        pytest.skip("there is no Chromium")


@pytest.mark.usefixtures("chromium")
def test_version_switcher_links_to_the_same_page(site, tmp_path):
    root = tmp_path / "branch"
    root.mkdir()
    page = "generated/sklearn_ap.hit_curve.html"
    with browser.served(root) as address:
        published(site, root, address, "dev", "0.1", VERSION)
        dom, said = browser.visited(f"{address}/{VERSION}/{page}", tmp_path / "profile")
    item = r'<a class="dropdown-item[^>]*href="([^"]*)"[^>]*data-version-name="(.*?)"'
    folders = {"dev": "dev", f"{VERSION} (stable)": "stable", "0.1": "0.1"}
    assert {name: link for link, name in re.findall(item, dom)} == {
        name: f"{address}/{folder}/{page}" for name, folder in folders.items()
    }
    assert f'data-active-version-name="{VERSION} (stable)"' in dom
    assert not [line for line in said if "This is the preferred version" not in line]


def test_no_link_inside_is_dead(site):
    dead, root = [], site.root.resolve()
    for name, link in ((name, link) for name, page in site.pages.items() for link in page.links):
        path, anchor = site.target(name, link) or (root, "")
        known = site.pages.get(path.relative_to(root).as_posix())
        if not path.exists() or (anchor and known and anchor not in known.ids):
            dead.append((name, link))
    assert not dead


def test_only_the_base_of_definitions_lists_the_methods_that_extend_it(site):
    for name in sklearn_ap.definitions.__all__:
        ids = site.pages[f"generated/sklearn_ap.definitions.{name}.html"].ids
        listed = f"sklearn_ap.definitions.{name}.heights" in ids
        assert listed == (name == "Definition"), name


def test_every_page_describes_itself_to_search_engines(site):
    unlike = {"genindex.html", "search.html", "py-modindex.html"}
    told = {name: page.description for name, page in site.pages.items() if "_modules" not in name}
    assert not [name for name in told if name not in unlike and not 15 < len(told[name]) <= 300]


def test_no_formula_stays_as_typed_and_no_line_is_a_comment(site):
    """An operator at the beginning of a line makes a list, and a percent sign hides the line."""
    article = re.search("<article.*</article>", (site.root / "methods.html").read_text(), re.DOTALL)
    assert "$" not in article[0]
    assert not [page for page in PAGES if re.search("^%", (DOCS / page).read_text(), re.MULTILINE)]


def test_every_picture_has_alt_text(site):
    images = [(name, image) for name, page in site.pages.items() for image in page.images]
    assert not [
        (name, image)
        for name, image in images
        if "thumb" not in image["src"]  # which stands beside its title
        and (image.get("alt") or ".png").endswith((".png", ".svg"))
    ]


@pytest.fixture(scope="module")
def seen(site, chromium, tmp_path_factory):
    pages = [name for name in site.pages if not name.startswith("_modules")]
    root = published(site, tmp_path_factory.mktemp("branch"), "", VERSION)
    profile = tmp_path_factory.mktemp("profile")
    return browser.measure(root, f"{VERSION}/", pages, (NARROW, WIDE), profile)


def test_search_words_refer_to_existing_pages():
    pages = {page.stem for page in DOCS.glob("*.md")}
    assert pages >= {*search_words.WORDS}


@pytest.mark.usefixtures("chromium")
def test_the_functions_of_other_tools_can_be_searched(site, tmp_path):
    address = f"{(site.root / 'tools.html').as_uri()}?filter=hyperbola+R+error"
    dom, _ = browser.visited(address, tmp_path)
    table = dom.partition('id="functions"')[2].partition("</table>")[0]
    rows = re.findall(r"<tr([^>]*)>\s*<td>(.*?)</td>", table, re.DOTALL)
    shown = [re.sub("<.*?>", "", cell).strip() for tag, cell in rows if "hidden" not in tag]
    assert "precrec.evalmod" in shown
    assert 0 < len(shown) < 5


FAULTS = ["overflow", "wide", "broken", "small", "faint", "elsewhere", "hidden"]


@pytest.mark.parametrize("fault", FAULTS)
def test_pages_fit_are_legible_and_load_no_other_hosts(seen, fault):
    assert not [(page["page"], page[fault]) for page in seen.pages if page[fault]]


def test_pages_cut_no_code_and_load_without_errors(seen):
    cut = [(page["page"], page["cut"]) for page in seen.pages if page["width"] == WIDE]
    assert not [page for page in cut if page[1]]
    assert not seen.missing
    assert not seen.said
