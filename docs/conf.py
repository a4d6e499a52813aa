"""The site: sphinx-build -W docs docs/_build."""

import json
import os
import sys
from pathlib import Path

import sklearn_ap

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))

import links  # noqa: E402
import picture_style  # noqa: E402
import report_picture  # noqa: E402
import search_words  # noqa: E402

project = "sklearn_ap"
copyright = "the sklearn_ap authors"  # noqa: A001
published = os.environ.get("DOCS_VERSION")  # dev or X.Y, where the site stands beside others
version = release = "dev" if published == "dev" else sklearn_ap.__version__
extensions = [
    "tables_of_files",
    "links",
    "read_more",
    "references",
    "search_words",
    "signatures",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx-mathjax-offline",
    "matplotlib.sphinxext.plot_directive",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "examples"]
myst_enable_extensions = ["colon_fence", "dollarmath", "substitution"]
myst_heading_anchors = 3

intersphinx_mapping = {"sklearn": (links.SITE, "inventories/scikit-learn.inv")}
copybutton_prompt_text = r">>> |\.\.\. |\$ "  # what is copied can be run
copybutton_prompt_is_regexp = True

toc_object_entries_show_parents = "hide"  # "plot()" is enough on the page of its class
nitpicky = True  # a reference that leads nowhere is a warning
autodoc_typehints = "none"  # the docstrings say it
maximum_signature_line_length = 60  # a longer one has a line for each parameter
numpydoc_show_class_members = False

plot_html_show_source_link = False
plot_html_show_formats = False
plot_formats = [("png", 160)]
plot_rcparams = picture_style.NARROW
plot_apply_rcparams = True

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": "/",
    "abort_on_example_error": True,
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "ignore_repr_types": r"matplotlib",  # what its functions return says nothing to a reader
    "min_reported_time": 1e9,
    "write_computation_times": False,  # its page asks other hosts for scripts
    "reset_modules": ("matplotlib", "picture_style.style_gallery"),
    "image_srcset": ["2x"],
    "thumbnail_size": (704, 624),  # twice what site.css shows, for sharp letters
    "backreferences_dir": "generated/backreferences",  # "examples using" on each page of the API
    "doc_module": ("sklearn_ap",),
    "inspect_global_variables": False,  # a class is used where it is named, not where a child is
}

html_theme = "pydata_sphinx_theme"
html_title = "sklearn_ap"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["names.js", "pictures.js", "filter.js"]
html_favicon = "_static/favicon.svg"
html_search_scorer = search_words.scorer()
WITHOUT_SIDEBAR = "index", "get_started", "speed"
html_sidebars = {page: [] for page in WITHOUT_SIDEBAR}
html_theme_options = {
    "navbar_align": "left",
    "navbar_end": ["theme-switcher", "version"],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "header_links_before_dropdown": 7,
    "footer_start": ["copyright"],
    "footer_end": ["licence"],
}
if published:  # a site on disk cannot read the list of versions
    html_theme_options |= {
        "navbar_end": ["theme-switcher", "version-switcher", "version"],
        "switcher": {"json_url": "../switcher.json", "version_match": published},
        "check_switcher": False,  # .ci/publish_docs.py writes it
        "show_version_warning_banner": True,
    }
html_show_sourcelink = False
html_context = {
    "repository": os.environ.get("GITHUB_REPOSITORY"),  # known where the site is published
    "default_mode": "auto",  # the theme reports an error without it
}


def speed():
    """What the benchmark measured of a million rows."""
    path = DOCS.parent / "benchmarks" / "results" / "speed.json"
    _, rows = json.loads(path.read_text())
    rows = (row for row in rows if (row["question"], row["n"]) == ("Score, 2% positive", 10**6))
    found = {row["name"]: row["milliseconds"] for row in rows}
    ours = found["sklearn_ap"]
    names = {"times": "scikit-learn", "lightgbm": "LightGBM", "xgboost": "XGBoost"}
    ratios = {key: f"{found[name] / ours:.0f}" for key, name in names.items()}
    return {"milliseconds": f"{ours:.0f}", **ratios}


myst_substitutions = speed()


def setup(app):
    """Drop the empty line that ends a doctest, and add the one that MyST needs before a formula."""

    def close(_, __, text):
        text[0] = text[0].replace("\n\n```\n", "\n```\n").replace("\n$$", "\n\n$$")

    app.connect("source-read", close)
    app.connect("builder-inited", report_picture.replace_if_stale)
