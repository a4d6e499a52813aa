"""The site: sphinx-build -W docs docs/_build."""

import sklearn_ap

project = "sklearn_ap"
copyright = "the sklearn_ap authors"  # noqa: A001
version = release = sklearn_ap.__version__
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx-mathjax-offline",
    "matplotlib.sphinxext.plot_directive",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "examples", "**/sg_execution_times.rst"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say it
numpydoc_show_class_members = False

plot_include_source = False
plot_html_show_source_link = False
plot_html_show_formats = False
plot_formats = [("png", 100)]

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": "/",
    "abort_on_example_error": True,
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 1e9,
    "image_srcset": ["2x"],
}

html_theme = "pydata_sphinx_theme"
html_title = "sklearn_ap"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_sidebars = {"*": []}  # only the gallery and the reference have sections
html_theme_options = {
    "show_prev_next": False,
    "navigation_with_keys": False,
    # Code and long names need the width.
    "secondary_sidebar_items": {"*": ["page-toc"], "auto_examples/*": [], "generated/*": []},
    "header_links_before_dropdown": 7,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_show_sourcelink = False


def setup(app):
    """Drop the empty line that a doctest needs before the end of its block."""

    def close(_, __, text):
        text[0] = text[0].replace("\n\n```\n", "\n```\n")

    app.connect("source-read", close)
